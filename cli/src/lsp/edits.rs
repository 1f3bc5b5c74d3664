//! Edits of documents: formatting, and fixes of what diagnostics report.

use super::capabilities::EXPLAIN_COMMAND;
use super::document::{Document, DocumentProgram};
use super::problems::find_marked_span;
use super::server::Answer;
use glasm_analysis::{FormatOptions, find_fixes, format_program};
use lsp_types::Range;
use serde_json::{Value, json};

/// Spaces of a level of indentation at most.
const MAX_INDENT: u64 = 16;

/// Returns the edits of one document as an edit of the workspace.
pub(super) fn format_workspace_edit(uri: &str, edits: &[Value]) -> Value {
    json!({ "changes": { uri: edits } })
}

/// Returns the edits that format all programs of a document. Programs in string literals are not
/// formatted: their line ends are those of the application.
pub(super) fn format_document(document: &Document, options: &Value) -> Answer {
    if !document.is_language {
        return Ok(Value::Null);
    }
    let indent = options.get("tabSize").and_then(Value::as_u64);
    let spaces = options.get("insertSpaces").and_then(Value::as_bool);
    let options = FormatOptions {
        indent: indent.unwrap_or(2).min(MAX_INDENT) as usize,
        uses_tabs: spaces == Some(false),
    };
    let programs = document.programs.iter();
    let edits = programs.filter_map(|program| {
        let formatted = format_program(&program.program, &options)?;
        let text = String::from_utf8(formatted).ok()?;
        let range = document.find_editable_range(program, program.program.span)?;
        Some(json!({ "range": range, "newText": text }))
    });
    Ok(edits.collect())
}

/// Returns the actions for the diagnostics in a range: fixes, and explanations of their codes.
pub(super) fn collect_actions(document: &Document, uri: &str, range: &Value) -> Answer {
    let wanted: Range = serde_json::from_value(range.clone())
        .map_err(|error| format!("malformed parameters: {error}"))?;
    let mut actions = Vec::new();
    let mut explained = Vec::new();
    for program in &document.programs {
        for diagnostic in &program.program.diagnostics.list {
            let span = find_marked_span(program, diagnostic);
            let range = document.find_program_range(program, span);
            let is_wanted = |range: &Range| range.start <= wanted.end && wanted.start <= range.end;
            let Some(range) = range.filter(is_wanted) else {
                continue;
            };
            let code = diagnostic.code.id();
            let fixes = find_fixes(&program.program, diagnostic);
            for (number, fix) in fixes.iter().enumerate() {
                let Some(edit) = describe_edit(document, program, &fix.edit) else {
                    continue;
                };
                actions.push(json!({
                    "title": fix.title,
                    "kind": "quickfix",
                    "isPreferred": number == 0,
                    "diagnostics": [{ "range": range, "code": code, "message": diagnostic.message }],
                    "edit": format_workspace_edit(uri, &[edit]),
                }));
            }
            if !explained.contains(&code) {
                explained.push(code);
            }
        }
    }
    actions.extend(explained.into_iter().map(|code| {
        let title = format!("Explain {code}");
        json!({
            "title": title,
            "command": { "title": title, "command": EXPLAIN_COMMAND, "arguments": [code] },
        })
    }));
    Ok(actions.into())
}

/// Returns an edit of a program as one of its document; `None` if it cannot be made there. Line
/// ends of edits are escapes in literals.
fn describe_edit(
    document: &Document,
    program: &DocumentProgram,
    edit: &glasm_analysis::TextEdit,
) -> Option<Value> {
    let range = document.find_editable_range(program, edit.span)?;
    let text = if program.map.is_identity() {
        edit.text.clone()
    } else {
        edit.text.replace('\n', "\\n")
    };
    Some(json!({ "range": range, "newText": text }))
}
