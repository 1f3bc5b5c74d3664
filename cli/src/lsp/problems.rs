//! Diagnostics of documents: those of the compiler for each program, and errors of scripts.

use super::document::{Document, DocumentProgram};
use glasm::ir::Span;
use glasm::{Diagnostic, Location, Severity};
use glasm_analysis::find_related;
use serde_json::{Value, json};

/// Severities of the protocol.
const ERROR: u32 = 1;
const WARNING: u32 = 2;
const INFORMATION: u32 = 3;

/// Returns the diagnostics of a document; codes are links to their explanations if the editor has
/// such links.
pub(super) fn collect_diagnostics(document: &Document, uri: &str, has_links: bool) -> Vec<Value> {
    if document.is_too_large {
        return vec![json!({
            "range": document.get_range(Span::new(0, 0)),
            "severity": WARNING,
            "source": "glasm",
            "message": "the document is too large to be analyzed",
        })];
    }
    let mut list = Vec::new();
    for error in &document.script_errors {
        list.push(describe_script_error(document, error));
    }
    for program in &document.programs {
        for diagnostic in &program.program.diagnostics.list {
            let mut described = describe_diagnostic(document, program, diagnostic, uri);
            if has_links {
                let link = format!("glasm-explain:{}", diagnostic.code.id());
                described["codeDescription"] = json!({ "href": link });
            }
            list.push(described);
        }
    }
    list
}

/// Returns an error of a script as a diagnostic from its column to the end of its line.
fn describe_script_error(document: &Document, error: &glasm_scripts::script::ScriptError) -> Value {
    let mut lines = document.text.split_inclusive('\n');
    let before = lines.by_ref().take(error.line.saturating_sub(1) as usize);
    let start: usize = before.map(str::len).sum();
    let line = lines.next().unwrap_or_default().trim_end();
    let column = (error.column.saturating_sub(1) as usize).min(line.len());
    let span = Span::new((start + column) as u32, (start + line.len()) as u32);
    json!({
        "range": document.get_range(span),
        "severity": ERROR,
        "source": "glasm",
        "message": error.message,
    })
}

/// Returns the bytes of a program that a diagnostic marks: those of the header if it is about the
/// program as a whole.
pub(super) fn find_marked_span(program: &DocumentProgram, diagnostic: &Diagnostic) -> Span {
    match diagnostic.location {
        Location::Span(span) => span,
        Location::WholeProgram => {
            let header = program.program.outline.tokens.first();
            header.map_or(
                Span::new(program.program.span.start, program.program.span.start),
                |it| it.span,
            )
        }
    }
}

/// Returns a diagnostic of the compiler as one of the protocol. Errors that a script expects are
/// information.
fn describe_diagnostic(
    document: &Document,
    program: &DocumentProgram,
    diagnostic: &Diagnostic,
    uri: &str,
) -> Value {
    let span = find_marked_span(program, diagnostic);
    let range = document.find_program_range(program, span);
    // A span without bytes in the document: the start of the program.
    let range = range.unwrap_or_else(|| document.get_range(Span::new(0, 0)));
    let is_expected = document.expected_codes.contains(&diagnostic.code);
    let severity = match diagnostic.severity {
        Severity::Error | Severity::InternalError if is_expected => INFORMATION,
        Severity::Error | Severity::InternalError => ERROR,
        Severity::Warning => WARNING,
    };
    let mut message = diagnostic.message.clone();
    for note in &diagnostic.notes {
        let prefix = if note.starts_with("note: ") {
            ""
        } else {
            "help: "
        };
        message += &format!("\n{prefix}{note}");
    }
    if is_expected {
        message += "\nnote: the script expects this error";
    }
    let related = find_related(&program.program, diagnostic).into_iter();
    let related = related.filter_map(|(span, message)| {
        let range = document.find_program_range(program, span)?;
        Some(json!({ "location": { "uri": uri, "range": range }, "message": message }))
    });
    json!({
        "range": range,
        "severity": severity,
        "code": diagnostic.code.id(),
        "source": "glasm",
        "message": message,
        "relatedInformation": related.collect::<Vec<Value>>(),
    })
}
