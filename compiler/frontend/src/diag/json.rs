//! Messages as JSON for tools.

use super::line_map::LineMap;
use super::{Diagnostics, Location};
use crate::source::Source;
use serde::Serialize;

/// One message; the order of the fields is the order in the output.
#[derive(Serialize)]
struct Record<'a> {
    code: &'static str,
    severity: &'static str,
    message: &'a str,
    name: &'a str,
    start: Option<u32>,
    end: Option<u32>,
    line: Option<usize>,
    column: Option<usize>,
    notes: &'a [String],
}

/// One JSON object for each message.
pub(super) fn lines(diagnostics: &Diagnostics, source: &Source<'_>) -> Vec<String> {
    let map = LineMap::new(source.text);
    let record = |diagnostic: &super::Diagnostic| {
        let span = match diagnostic.location {
            Location::Span(span) => Some(super::render::clamp(span, source.text.len())),
            Location::WholeProgram => None,
        };
        let position = span.map(|span| map.position(span.start as usize));
        let record = Record {
            code: diagnostic.code.id(),
            severity: diagnostic.severity.name(),
            message: &diagnostic.message,
            name: source.name,
            start: span.map(|span| span.start),
            end: span.map(|span| span.end),
            line: position.map(|position| position.line),
            column: position.map(|position| position.column),
            notes: &diagnostic.notes,
        };
        serde_json::to_string(&record).expect("strings and numbers always have a JSON form")
    };
    diagnostics.list.iter().map(record).collect()
}
