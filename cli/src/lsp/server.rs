//! The loop of the server: documents, requests and their answers.

use super::capabilities::{Client, EXPLAIN_COMMAND};
use super::document::Document;
use super::{edits, names, problems, words};
use glasm_analysis::explain::explain;
use glasm_extract::Scanner;
use lsp_server::{
    Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response,
};
use lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    TextDocumentPositionParams,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Languages of editors whose documents are programs or scripts.
const LANGUAGE_IDS: [&str; 3] = ["glasm", "glasm-script", "tgsi"];

/// Documents that are open at most; further ones have no diagnostics.
const MAX_DOCUMENTS: usize = 1000;

/// A document as the editor sent it, and its analysis once it is needed.
struct OpenDocument {
    text: String,
    version: i32,
    is_language: bool,
    analyzed: Option<Document>,
}

/// Answer of a request, or a message why there is none.
pub(super) type Answer = Result<Value, String>;

/// State of the server.
pub(super) struct Server {
    connection: Connection,
    client: Client,
    scanner: Scanner,
    documents: BTreeMap<String, OpenDocument>,
    /// Documents that changed since their diagnostics were sent.
    changed: BTreeSet<String>,
}

impl Server {
    /// Creates a server without documents.
    pub(super) fn new(connection: Connection, client: Client) -> Self {
        Self {
            connection,
            client,
            scanner: Scanner::new(),
            documents: BTreeMap::new(),
            changed: BTreeSet::new(),
        }
    }

    /// Answers messages until the editor asks for the end or closes the connection. Diagnostics are
    /// sent when no message is waiting.
    pub(super) fn run(mut self) -> Result<(), ProtocolError> {
        loop {
            let waiting = self.connection.receiver.try_recv();
            let message = match waiting {
                Ok(message) => message,
                Err(_) if !self.changed.is_empty() => {
                    self.send_diagnostics();
                    continue;
                }
                Err(_) => match self.connection.receiver.recv() {
                    Ok(message) => message,
                    Err(_) => return Ok(()),
                },
            };
            match message {
                Message::Request(request) => {
                    if self.connection.handle_shutdown(&request)? {
                        return Ok(());
                    }
                    self.answer_request(request);
                }
                Message::Notification(notification) => self.handle_notification(notification),
                // The server sends no requests.
                Message::Response(_) => {}
            }
        }
    }

    /// Sends a message; the loop ends by itself if the connection is closed.
    fn send(&self, message: impl Into<Message>) {
        drop(self.connection.sender.send(message.into()));
    }

    /// Applies a notification; unknown and malformed ones are ignored, as the protocol requires.
    fn handle_notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            "textDocument/didOpen" => {
                if let Ok(it) = serde_json::from_value::<DidOpenTextDocumentParams>(params) {
                    let opened = it.text_document;
                    let is_language = LANGUAGE_IDS.contains(&opened.language_id.as_str());
                    let document = OpenDocument {
                        text: opened.text,
                        version: opened.version,
                        is_language,
                        analyzed: None,
                    };
                    self.put_document(opened.uri.as_str(), document);
                }
            }
            "textDocument/didChange" => {
                if let Ok(it) = serde_json::from_value::<DidChangeTextDocumentParams>(params) {
                    self.change_document(it);
                }
            }
            "textDocument/didClose" => {
                if let Ok(it) = serde_json::from_value::<DidCloseTextDocumentParams>(params) {
                    let uri = it.text_document.uri.as_str();
                    self.documents.remove(uri);
                    self.changed.remove(uri);
                    let cleared = json!({ "uri": uri, "diagnostics": [] });
                    self.send(Notification::new(
                        "textDocument/publishDiagnostics".to_owned(),
                        cleared,
                    ));
                }
            }
            _ => {}
        }
    }

    /// Adds a document, unless too many are open.
    fn put_document(&mut self, uri: &str, document: OpenDocument) {
        if self.documents.len() < MAX_DOCUMENTS || self.documents.contains_key(uri) {
            self.documents.insert(uri.to_owned(), document);
            self.changed.insert(uri.to_owned());
        }
    }

    /// Replaces the text of a document by the last one that the editor sent.
    fn change_document(&mut self, params: DidChangeTextDocumentParams) {
        let uri = params.text_document.uri.as_str();
        let mut changes = params.content_changes.into_iter();
        // The server asks for whole documents, so that a change has no range.
        let text = changes.rfind(|change| change.range.is_none());
        if let (Some(document), Some(change)) = (self.documents.get_mut(uri), text) {
            document.text = change.text;
            document.version = params.text_document.version;
            document.analyzed = None;
            self.changed.insert(uri.to_owned());
        }
    }

    /// Returns the analysis of a document, which is done if the text changed.
    fn find_document(&mut self, uri: &str) -> Option<&Document> {
        let (unit, scanner) = (self.client.unit, &self.scanner);
        let open = self.documents.get_mut(uri)?;
        Some(open.analyzed.get_or_insert_with(|| {
            Document::new(
                std::mem::take(&mut open.text),
                open.version,
                unit,
                scanner,
                open.is_language,
            )
        }))
    }

    /// Sends the diagnostics of all documents that changed.
    fn send_diagnostics(&mut self) {
        for uri in std::mem::take(&mut self.changed) {
            let has_links = self.client.has_explain_links;
            let Some(document) = self.find_document(&uri) else {
                continue;
            };
            let list = problems::collect_diagnostics(document, &uri, has_links);
            let params = json!({ "uri": uri, "version": document.version, "diagnostics": list });
            let method = "textDocument/publishDiagnostics".to_owned();
            self.send(Notification::new(method, params));
        }
    }

    /// Sends the answer of a request.
    fn answer_request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let response = match self.find_answer(&method, params) {
            Some(Ok(result)) => Response::new_ok(id, result),
            Some(Err(message)) => err_response(id, ErrorCode::RequestFailed, message),
            None => {
                let message = format!("the server has no method `{method}`");
                err_response(id, ErrorCode::MethodNotFound, message)
            }
        };
        self.send(response);
    }

    /// Returns the answer of a request; `None` if the method is unknown.
    fn find_answer(&mut self, method: &str, params: Value) -> Option<Answer> {
        let name = method.strip_prefix("textDocument/").unwrap_or(method);
        Some(match name {
            "hover" => self.answer_at(&params, words::find_hover_at),
            "completion" => self.answer_at(&params, words::find_completions_at),
            "completionItem/resolve" => Ok(words::resolve_completion(params)),
            "signatureHelp" => self.answer_at(&params, words::find_signature_at),
            "definition" => self.answer_at(&params, names::find_definition_at),
            "references" => {
                let context = params.pointer("/context/includeDeclaration");
                let has_declaration = context != Some(&Value::Bool(false));
                self.answer_at(&params, |it, uri, at| {
                    names::find_references_at(it, uri, at, has_declaration)
                })
            }
            "documentHighlight" => self.answer_at(&params, names::find_highlights_at),
            "prepareRename" => self.answer_at(&params, names::prepare_rename_at),
            "rename" => {
                let new_name = params.get("newName").and_then(Value::as_str);
                let new_name = new_name.unwrap_or_default().to_owned();
                self.answer_at(&params, |it, uri, at| {
                    names::rename_at(it, uri, at, &new_name)
                })
            }
            "documentSymbol" => self.answer_document(&params, |it, _| names::collect_symbols(it)),
            "foldingRange" => self.answer_document(&params, |it, _| words::collect_folds(it)),
            "semanticTokens/full" => {
                self.answer_document(&params, |it, _| words::collect_tokens(it))
            }
            "formatting" => {
                let options = params.get("options").cloned().unwrap_or_default();
                self.answer_document(&params, |it, _| edits::format_document(it, &options))
            }
            "codeAction" => {
                let range = params.get("range").cloned().unwrap_or_default();
                self.answer_document(&params, |it, uri| edits::collect_actions(it, uri, &range))
            }
            "workspace/executeCommand" => self.execute_command(&params),
            "glasm/explain" => {
                let topic = params.get("topic").and_then(Value::as_str);
                explain(topic).map(|it| json!({ "text": it.format_text() }))
            }
            _ => return None,
        })
    }

    /// Answers a request about a document; null if it is not open.
    fn answer_document(
        &mut self,
        params: &Value,
        answer: impl FnOnce(&Document, &str) -> Answer,
    ) -> Answer {
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
        let uri = uri.ok_or("the request names no document")?;
        match self.find_document(uri) {
            Some(document) => answer(document, uri),
            None => Ok(Value::Null),
        }
    }

    /// Answers a request about a byte of a document; null if it is not open.
    fn answer_at(
        &mut self,
        params: &Value,
        answer: impl FnOnce(&Document, &str, u32) -> Answer,
    ) -> Answer {
        let at: TextDocumentPositionParams = parse_params(params)?;
        self.answer_document(params, |document, uri| {
            answer(document, uri, document.get_offset(at.position))
        })
    }

    /// Runs a command of the server: shows an explanation.
    fn execute_command(&mut self, params: &Value) -> Answer {
        let command = params.get("command").and_then(Value::as_str);
        if command != Some(EXPLAIN_COMMAND) {
            return Err(format!("unknown command `{}`", command.unwrap_or_default()));
        }
        let topic = params.pointer("/arguments/0").and_then(Value::as_str);
        let text = explain(topic)?.format_text();
        // Type 3 is information.
        let shown = json!({ "type": 3, "message": text });
        self.send(Notification::new("window/showMessage".to_owned(), shown));
        Ok(Value::Null)
    }
}

/// Returns the parameters of a request.
fn parse_params<T: DeserializeOwned>(params: &Value) -> Result<T, String> {
    T::deserialize(params).map_err(|error| format!("malformed parameters: {error}"))
}

/// Returns the response of a request that failed.
fn err_response(id: RequestId, code: ErrorCode, message: String) -> Response {
    Response::new_err(id, code as i32, message)
}
