//! `glasm serve`: serves the playground, the static files that `cargo xtask web` builds, to browsers
//! of this machine.
//!
//! Only the files of one table are served, so that no path of a request reaches the file system.
//! Packages contain them in the command, with the feature `playground`; otherwise they are read
//! from a directory.

use crate::args::ServeArgs;
use crate::console::{Console, Fatal, Status};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use tiny_http::{Header, Method, Request, Response, Server};

/// File of the page.
struct PageFile {
    /// Name in requests and in the directory.
    name: &'static str,
    content_type: &'static str,
    /// Contents in the command, compressed with gzip if `is_compressed`.
    #[cfg(feature = "playground")]
    contents: &'static [u8],
    #[cfg(feature = "playground")]
    is_compressed: bool,
}

/// Defines the files: names, types, and the files that the command contains.
macro_rules! page_files {
    ($($name:literal $content_type:literal $embedded:literal $is_compressed:literal;)*) => {
        &[$(PageFile {
            name: $name,
            content_type: $content_type,
            #[cfg(feature = "playground")]
            contents: include_bytes!(concat!(env!("GLASM_PLAYGROUND"), "/", $embedded)),
            #[cfg(feature = "playground")]
            is_compressed: $is_compressed,
        }),*]
    };
}

/// The files of the page. The first one is the start page.
const FILES: &[PageFile] = page_files! {
    "index.html" "text/html; charset=utf-8" "index.html" false;
    "main.js" "text/javascript; charset=utf-8" "main.js" false;
    "worker.js" "text/javascript; charset=utf-8" "worker.js" false;
    "style.css" "text/css; charset=utf-8" "style.css" false;
    "icon.svg" "image/svg+xml" "icon.svg" false;
    "licenses.txt" "text/plain; charset=utf-8" "licenses.txt" false;
    "glasm.wasm" "application/wasm" "glasm.wasm.gz" true;
};

/// Serves the page until the process ends. Prints its address.
///
/// # Errors
/// If the port is in use, or if the page is missing.
pub(crate) fn serve(args: &ServeArgs, console: Console) -> Result<Status, Fatal> {
    let directory = args.directory.as_deref();
    check_page(directory)?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let server = Server::http(address).map_err(|error| Fatal(format!("{address}: {error}")))?;
    let address = server.server_addr();
    console.write_out(format!("http://{address}/\n"))?;
    if args.open {
        open_page(&format!("http://{address}/"))?;
    }
    for request in server.incoming_requests() {
        // A browser that closes its connection is not an error of the server.
        let _ = answer(request, directory);
    }
    Ok(Status::Success)
}

/// Opens the page in the browser of the system.
#[cfg(feature = "run")]
fn open_page(address: &str) -> Result<(), Fatal> {
    open::that_detached(address).map_err(|error| Fatal(format!("--open: {error}")))
}

/// Returns an error: this build does not start browsers.
#[cfg(not(feature = "run"))]
fn open_page(_address: &str) -> Result<(), Fatal> {
    Err(Fatal("--open: this build cannot open pages".to_owned()))
}

/// Returns an error if the page is neither in the directory nor, without one, in the command.
fn check_page(directory: Option<&Path>) -> Result<(), Fatal> {
    let Some(directory) = directory else {
        if cfg!(feature = "playground") {
            return Ok(());
        }
        return Err(Fatal(
            "this build does not contain the playground: `cargo xtask web` builds it, and --directory \
             target/web/site serves it"
                .to_owned(),
        ));
    };
    let missing = FILES
        .iter()
        .find(|file| !directory.join(file.name).is_file());
    missing.map_or(Ok(()), |file| {
        let directory = directory.display();
        Err(Fatal(format!(
            "{directory} is not the playground: {} is missing",
            file.name
        )))
    })
}

/// Answers a request.
fn answer(request: Request, directory: Option<&Path>) -> std::io::Result<()> {
    if !matches!(request.method(), Method::Get | Method::Head) {
        return request.respond(Response::from_string("method not allowed").with_status_code(405));
    }
    let Some(file) = find_file(request.url()) else {
        return request.respond(Response::from_string("not found").with_status_code(404));
    };
    let (contents, is_compressed) = match load_file(file, directory) {
        Ok(loaded) => loaded,
        Err(error) => {
            let response = Response::from_string(error.to_string());
            return request.respond(response.with_status_code(500));
        }
    };
    let mut response = Response::from_data(contents);
    let headers = [
        ("Content-Type", file.content_type),
        ("Cache-Control", "no-cache"),
        ("X-Content-Type-Options", "nosniff"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ];
    let encoding = is_compressed.then_some(("Content-Encoding", "gzip"));
    for (name, value) in headers.into_iter().chain(encoding) {
        if let Ok(header) = Header::from_bytes(name, value) {
            response.add_header(header);
        }
    }
    request.respond(response)
}

/// Returns the file that a request names; `None` if there is none.
fn find_file(url: &str) -> Option<&'static PageFile> {
    let path = url.split(['?', '#']).next()?.strip_prefix('/')?;
    let name = if path.is_empty() { FILES[0].name } else { path };
    FILES.iter().find(|file| file.name == name)
}

/// Returns the contents of a file, and true if they are compressed.
fn load_file(file: &PageFile, directory: Option<&Path>) -> std::io::Result<(Vec<u8>, bool)> {
    match directory {
        Some(directory) => Ok((std::fs::read(directory.join(file.name))?, false)),
        #[cfg(feature = "playground")]
        None => Ok((file.contents.to_vec(), file.is_compressed)),
        #[cfg(not(feature = "playground"))]
        None => Err(std::io::ErrorKind::NotFound.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_page_are_served() {
        let name = |url: &str| find_file(url).map(|file| file.name);
        assert_eq!(name("/"), Some("index.html"));
        assert_eq!(name("/?a#b"), Some("index.html"));
        assert_eq!(name("/glasm.wasm"), Some("glasm.wasm"));
        for wrong in [
            "",
            "index.html",
            "//index.html",
            "/../Cargo.toml",
            "/%2e%2e/Cargo.toml",
            "/glasm.wasm.gz",
        ] {
            assert_eq!(name(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_directory_without_the_page_is_an_error() {
        let error = check_page(Some(Path::new("src"))).unwrap_err();
        assert!(error.0.contains("index.html is missing"), "{}", error.0);
    }
}
