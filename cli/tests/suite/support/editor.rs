//! An editor: starts the language server and speaks its protocol.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running server with the connection to it.
pub(crate) struct Editor {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: i64,
    /// Notifications that arrived before the answers that were waited for.
    notifications: Vec<Value>,
    /// The capabilities that the server has sent.
    pub(crate) capabilities: Value,
}

impl Editor {
    /// Starts a server; `capabilities` are those of the editor.
    pub(crate) fn start(capabilities: Value) -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_glasm"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = server.stdin.take();
        let output = BufReader::new(server.stdout.take().unwrap());
        let mut editor = Self {
            server,
            input,
            output,
            next_id: 0,
            notifications: Vec::new(),
            capabilities: Value::Null,
        };
        let options = json!({ "explainLinks": true });
        let params = json!({ "capabilities": capabilities, "initializationOptions": options });
        let answer = editor.ask("initialize", params).unwrap();
        editor.capabilities = answer["capabilities"].clone();
        editor.notify("initialized", json!({}));
        editor
    }

    /// Sends a message.
    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let input = self.input.as_mut().unwrap();
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        input.flush().unwrap();
    }

    /// Receives a message.
    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(
                self.output.read_line(&mut line).unwrap(),
                0,
                "the server ended"
            );
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", number)) => length = number.parse().unwrap(),
                Some(_) => {}
                None => break,
            }
        }
        let mut bytes = vec![0; length];
        self.output.read_exact(&mut bytes).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    /// Sends a notification.
    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and returns its result, or the error.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut message = self.receive();
            if message["id"] == id {
                let error = message["error"].take();
                return if error.is_null() {
                    Ok(message["result"].take())
                } else {
                    Err(error)
                };
            }
            self.notifications.push(message);
        }
    }

    /// Asks about a position in a document: line and column from 0.
    pub(crate) fn ask_at(&mut self, method: &str, uri: &str, at: (u32, u32)) -> Value {
        let params = json!({
            "textDocument": { "uri": uri },
            "position": { "line": at.0, "character": at.1 },
            "context": { "includeDeclaration": true },
        });
        self.ask(method, params).unwrap()
    }

    /// Asks about a document as a whole.
    pub(crate) fn ask_about(&mut self, method: &str, uri: &str) -> Value {
        self.ask(method, json!({ "textDocument": { "uri": uri } }))
            .unwrap()
    }

    /// Opens a document and returns its diagnostics.
    pub(crate) fn open(&mut self, uri: &str, language: &str, text: &str) -> Vec<Value> {
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        self.wait_for_diagnostics(uri, 1)
    }

    /// Replaces the text of a document and returns its diagnostics.
    pub(crate) fn change(&mut self, uri: &str, version: i64, text: &str) -> Vec<Value> {
        let document = json!({ "uri": uri, "version": version });
        let changes = json!([{ "text": text }]);
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.notify("textDocument/didChange", params);
        self.wait_for_diagnostics(uri, version)
    }

    /// Returns the diagnostics of a version of a document.
    fn wait_for_diagnostics(&mut self, uri: &str, version: i64) -> Vec<Value> {
        let message = self.wait_for(|message| {
            let params = &message["params"];
            message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri
                && params["version"] == version
        });
        message["params"]["diagnostics"].as_array().unwrap().clone()
    }

    /// Returns the next notification that `is_wanted` accepts.
    pub(crate) fn wait_for(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.notifications.iter().position(&is_wanted) {
            return self.notifications.swap_remove(at);
        }
        loop {
            let message = self.receive();
            if is_wanted(&message) {
                return message;
            }
            self.notifications.push(message);
        }
    }

    /// Ends the server as an editor does, and returns its exit status.
    pub(crate) fn end(mut self) -> i32 {
        self.ask("shutdown", Value::Null).unwrap();
        self.notify("exit", Value::Null);
        self.input = None;
        self.server.wait().unwrap().code().unwrap()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A range in one line.
pub(crate) fn range(line: u32, start: u32, end: u32) -> Value {
    json!({
        "start": { "line": line, "character": start },
        "end": { "line": line, "character": end },
    })
}
