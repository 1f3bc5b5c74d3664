//! `glasm serve`: serves the playground, the static files that `cargo xtask web` builds, to browsers
//! of this machine.
//!
//! Only the files of one table are served, so that no path of a request reaches the file system.

use crate::args::ServeArgs;
use crate::console::{Console, Fatal, Status};
use std::env;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use tiny_http::{Header, Method, Request, Response, Server};

/// Directory of packages with the files, relative to the directory above that of the command.
const INSTALLED: &str = "share/glasm/playground";

/// File of the page.
struct PageFile {
    /// Name in requests and in the directory.
    name: &'static str,
    content_type: &'static str,
}

/// Defines the files: names and types.
macro_rules! page_files {
    ($($name:literal $content_type:literal;)*) => {
        &[$(PageFile { name: $name, content_type: $content_type }),*]
    };
}

/// The files of the page. The first one is the start page.
const FILES: &[PageFile] = page_files! {
    "index.html" "text/html; charset=utf-8";
    "main.js" "text/javascript; charset=utf-8";
    "worker.js" "text/javascript; charset=utf-8";
    "style.css" "text/css; charset=utf-8";
    "icon.svg" "image/svg+xml";
    "licenses.txt" "text/plain; charset=utf-8";
    "glasm.wasm" "application/wasm";
};

/// Serves the page until the process ends. Prints its address.
///
/// # Errors
/// If the port is in use, or if the page is missing.
pub(crate) fn serve(args: &ServeArgs, console: Console) -> Result<Status, Fatal> {
    let directory = match &args.directory {
        Some(directory) => directory.clone(),
        None => find_installed_page()?,
    };
    check_page(&directory)?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let server = Server::http(address).map_err(|error| Fatal(format!("{address}: {error}")))?;
    let address = server.server_addr();
    console.write_out(format!("http://{address}/\n"))?;
    if args.open {
        open_page(&format!("http://{address}/"))?;
    }
    for request in server.incoming_requests() {
        // A browser that closes its connection is not an error of the server.
        let _ = answer(request, &directory);
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

/// Returns the directory of the page that packages install with the command.
///
/// # Errors
/// If there is none.
fn find_installed_page() -> Result<PathBuf, Fatal> {
    let command = env::current_exe().and_then(|path| path.canonicalize());
    let prefix = command
        .ok()
        .and_then(|path| Some(path.parent()?.parent()?.to_owned()));
    let page = prefix.map(|prefix| prefix.join(INSTALLED));
    page.filter(|page| page.is_dir()).ok_or_else(|| {
        Fatal(
            "the playground is not installed next to this command: `cargo xtask web` builds it, and \
             --directory target/web/site serves it"
                .to_owned(),
        )
    })
}

/// Returns an error if a directory lacks a file of the page.
fn check_page(directory: &Path) -> Result<(), Fatal> {
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
fn answer(request: Request, directory: &Path) -> std::io::Result<()> {
    if !matches!(request.method(), Method::Get | Method::Head) {
        return request.respond(Response::from_string("method not allowed").with_status_code(405));
    }
    let Some(file) = find_file(request.url()) else {
        return request.respond(Response::from_string("not found").with_status_code(404));
    };
    let contents = match std::fs::read(directory.join(file.name)) {
        Ok(contents) => contents,
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
    for (name, value) in headers {
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
        let error = check_page(Path::new("src")).unwrap_err();
        assert!(error.0.contains("index.html is missing"), "{}", error.0);
    }
}
