//! `glasm serve`: the files of a directory, for this machine only.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Files of the page.
const FILES: [&str; 7] = [
    "index.html",
    "main.js",
    "worker.js",
    "style.css",
    "icon.svg",
    "licenses.txt",
    "glasm.wasm",
];

/// A server, which ends with the test.
struct Server {
    process: Child,
    /// Address and port.
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    /// Serves a directory at a free port.
    fn start(directory: &Path) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_glasm"))
            .args(["serve", "--port", "0", "--directory"])
            .arg(directory)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut line = String::new();
        let output = process.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("http://").expect("an address");
        Self {
            address: address.trim_end_matches('/').to_owned(),
            process,
        }
    }

    /// Sends a request and returns the answer.
    fn ask(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        let text = format!("{request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(text.as_bytes()).expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }
}

#[test]
fn files_of_the_page_are_served() {
    let directory = tempfile::tempdir().unwrap();
    for name in FILES {
        std::fs::write(directory.path().join(name), format!("contents of {name}")).unwrap();
    }
    std::fs::write(directory.path().join("secret"), "secret").unwrap();
    let server = Server::start(directory.path());
    assert!(server.address.starts_with("127.0.0.1:"));
    let page = server.ask("GET /");
    assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
    assert!(page.contains("contents of index.html"), "{page}");
    let module = server.ask("GET /glasm.wasm");
    assert!(
        module.contains("Content-Type: application/wasm"),
        "{module}"
    );
    for missing in [
        "GET /secret",
        "GET /../secret",
        "GET /%2e%2e/secret",
        "GET http://",
    ] {
        let answer = server.ask(missing);
        assert!(!answer.starts_with("HTTP/1.1 200 "), "{missing}: {answer}");
    }
    assert!(server.ask("POST /").starts_with("HTTP/1.1 405 "));
}

#[test]
fn a_directory_without_the_page_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_glasm"))
        .args(["serve", "--directory"])
        .arg(directory.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("index.html is missing"), "{message}");
}
