//! `glasm lsp`: a language server, which editors start as a process and talk to through its
//! standard input and output.
//!
//! The answers come from the library for editors, `glasm-analysis`; here are the protocol, the
//! documents and the positions in them. A document is analyzed when it is asked about or when the
//! editor pauses, not at each of its changes.

mod capabilities;
mod document;
mod edits;
mod names;
mod position_map;
mod problems;
mod server;
mod words;

use crate::console::{Fatal, Status};
use capabilities::{describe_capabilities, read_client};
use lsp_server::{Connection, ProtocolError};
use server::Server;

/// Serves an editor until it asks for the end or closes the connection. Returns an error if the
/// editor breaks the protocol.
pub(crate) fn serve() -> Result<Status, Fatal> {
    let (connection, threads) = Connection::stdio();
    run_session(connection)?;
    let ended = threads.join();
    ended.map_err(|error| Fatal::from_io("language server", &error))?;
    Ok(Status::Success)
}

/// Answers the requests of an editor from its first to its last.
fn run_session(connection: Connection) -> Result<(), Fatal> {
    let err_protocol = |error: ProtocolError| Fatal(format!("language server: {error}"));
    let (id, params) = connection.initialize_start().map_err(err_protocol)?;
    let client = read_client(&params);
    let answer = serde_json::json!({
        "capabilities": describe_capabilities(&client),
        "serverInfo": { "name": "glasm", "version": env!("CARGO_PKG_VERSION") },
    });
    connection
        .initialize_finish(id, answer)
        .map_err(err_protocol)?;
    Server::new(connection, client).run().map_err(err_protocol)
}
