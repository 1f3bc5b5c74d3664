//! Requests about names: definition, references, highlights, renaming, symbols.

use super::document::{Document, DocumentProgram};
use super::edits::format_workspace_edit;
use super::server::Answer;
use glasm_analysis::{
    SymbolKind, TokenRole, find_definition, find_occurrences, find_renamable, rename,
};
use serde_json::{Value, json};

/// Kinds of symbols of the protocol.
const KIND_MODULE: u32 = 2;

/// Returns the declaration of the name at a byte.
pub(super) fn find_definition_at(document: &Document, uri: &str, offset: u32) -> Answer {
    let found = document.find_program(offset).and_then(|(program, at)| {
        let token = find_definition(&program.program, at)?;
        let range = document.find_program_range(program, token.span)?;
        Some(json!({ "uri": uri, "range": range }))
    });
    Ok(found.unwrap_or_default())
}

/// Returns the uses of the name at a byte, with its declaration if `has_declaration`.
pub(super) fn find_references_at(
    document: &Document,
    uri: &str,
    offset: u32,
    has_declaration: bool,
) -> Answer {
    let Some((program, at)) = document.find_program(offset) else {
        return Ok(Value::Null);
    };
    let tokens = find_occurrences(&program.program, at).into_iter();
    let wanted = tokens.filter(|it| has_declaration || it.role != TokenRole::Definition);
    let locations = wanted.filter_map(|token| {
        let range = document.find_program_range(program, token.span)?;
        Some(json!({ "uri": uri, "range": range }))
    });
    Ok(locations.collect())
}

/// Returns the uses of the name at a byte with their kinds: 2 for reads, 3 for writes.
pub(super) fn find_highlights_at(document: &Document, _uri: &str, offset: u32) -> Answer {
    let Some((program, at)) = document.find_program(offset) else {
        return Ok(Value::Null);
    };
    let tokens = find_occurrences(&program.program, at).into_iter();
    let highlights = tokens.filter_map(|token| {
        let range = document.find_program_range(program, token.span)?;
        let kind = match token.role {
            TokenRole::Use => 2,
            TokenRole::Definition | TokenRole::Write => 3,
        };
        Some(json!({ "range": range, "kind": kind }))
    });
    Ok(highlights.collect())
}

/// Returns the position of the name at a byte if it can be renamed, else a message.
pub(super) fn prepare_rename_at(document: &Document, _uri: &str, offset: u32) -> Answer {
    let (program, at) = find_program(document, offset)?;
    let spans = find_renamable(&program.program, at)?;
    let here = spans.into_iter().find(|it| it.start <= at && at <= it.end);
    let range = here.and_then(|span| document.find_editable_range(program, span));
    range
        .map(|range| json!(range))
        .ok_or_else(|| "the name is not in the text of the document".to_owned())
}

/// Returns the edits that rename the name at a byte, or a message.
pub(super) fn rename_at(document: &Document, uri: &str, offset: u32, new_name: &str) -> Answer {
    let (program, at) = find_program(document, offset)?;
    let renamed = rename(&program.program, at, new_name)?;
    let ranges = renamed.spans.iter();
    let ranges = ranges.map(|span| document.find_editable_range(program, *span));
    let edits: Option<Vec<Value>> = ranges
        .map(|range| Some(json!({ "range": range?, "newText": new_name })))
        .collect();
    let edits = edits.ok_or("a use of the name is not in the text of the document")?;
    Ok(format_workspace_edit(uri, &edits))
}

/// Returns the program at a byte, or a message.
fn find_program(document: &Document, offset: u32) -> Result<(&DocumentProgram, u32), String> {
    let found = document.find_program(offset);
    found.ok_or_else(|| "there is no program here".to_owned())
}

/// Returns the symbols of all programs; those of several programs are below a symbol for each.
pub(super) fn collect_symbols(document: &Document) -> Answer {
    let programs = document.programs.iter();
    let mut lists = programs.map(|program| (program, collect_program_symbols(document, program)));
    if document.programs.len() == 1 {
        return Ok(lists
            .next()
            .map(|(_, list)| list.into())
            .unwrap_or_default());
    }
    let symbols = lists.filter_map(|(program, list)| {
        let range = document.find_program_range(program, program.program.span)?;
        let header = program.program.outline.tokens.first()?;
        let selection = document.find_program_range(program, header.span)?;
        Some(json!({
            "name": program.program.token_text(header),
            "kind": KIND_MODULE,
            "range": range,
            "selectionRange": selection,
            "children": list,
        }))
    });
    Ok(symbols.collect())
}

/// Returns the symbols of a program.
fn collect_program_symbols(document: &Document, program: &DocumentProgram) -> Vec<Value> {
    let symbols = glasm_analysis::list_symbols(&program.program).into_iter();
    let symbols = symbols.filter_map(|symbol| {
        Some(json!({
            "name": symbol.name,
            "detail": symbol.detail,
            "kind": find_kind(symbol.kind),
            "range": document.find_program_range(program, symbol.span)?,
            "selectionRange": document.find_program_range(program, symbol.name_span)?,
        }))
    });
    symbols.collect()
}

/// Returns the kind of the protocol for a kind of symbols.
const fn find_kind(kind: SymbolKind) -> u32 {
    match kind {
        SymbolKind::Temporary | SymbolKind::Other => 13,
        SymbolKind::Attribute => 8,
        SymbolKind::Parameter | SymbolKind::Constant => 14,
        SymbolKind::Result => 7,
        SymbolKind::Buffer => 18,
        SymbolKind::Texture => 19,
        SymbolKind::SubroutineType => 11,
        SymbolKind::Label => 12,
    }
}
