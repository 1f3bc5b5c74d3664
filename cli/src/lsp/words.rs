//! Requests about words: explanations, completion, operands, classes of tokens, folding.

use super::capabilities::{COMMENT_TYPE, TOKEN_TYPES};
use super::document::{Document, DocumentProgram};
use super::problems::find_marked_span;
use super::server::Answer;
use glasm::ir::Span;
use glasm_analysis::explain::{Category, explain};
use glasm_analysis::{
    CompletionKind, FoldKind, TokenClass, TokenRole, complete, find_signature, hover, list_comments,
};
use lsp_types::Position;
use serde_json::{Value, json};

/// Returns text as Markdown that shows it unchanged.
fn format_block(text: &str) -> Value {
    // A longer fence than any run of backquotes in the text, which may have one of a program.
    let longest = text.split(|it| it != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    json!({ "kind": "markdown", "value": format!("{fence}text\n{}\n{fence}", text.trim_end()) })
}

/// Returns the explanation of the word at a byte, and those of the diagnostics there.
pub(super) fn find_hover_at(document: &Document, _uri: &str, offset: u32) -> Answer {
    let Some((program, at)) = document.find_program(offset) else {
        return Ok(Value::Null);
    };
    let found = hover(&program.program, at);
    let mut texts: Vec<String> = found.iter().map(|it| it.text.clone()).collect();
    for diagnostic in &program.program.diagnostics.list {
        let span = find_marked_span(program, diagnostic);
        if span.start <= at && at <= span.end {
            let entries = Category::Error.find_entries(diagnostic.code.id());
            texts.extend(entries.iter().map(|it| it.format_text()));
        }
    }
    texts.dedup();
    if texts.is_empty() {
        return Ok(Value::Null);
    }
    let span = found.map_or(Span::new(at, at), |it| it.span);
    Ok(json!({
        "contents": format_block(&texts.join("\n")),
        "range": document.find_program_range(program, span),
    }))
}

/// Returns the words that may be written at a byte. In a document without a program these are
/// the headers of programs.
pub(super) fn find_completions_at(document: &Document, _uri: &str, offset: u32) -> Answer {
    let Some((program, at)) = document.find_program(offset) else {
        return Ok(Value::Null);
    };
    let words = complete(&program.program, at);
    let range = document.find_editable_range(program, words.replaced);
    let items = words.list.iter().map(|word| {
        let mut item = json!({ "label": word.label, "kind": find_item_kind(word.kind) });
        if !word.detail.is_empty() {
            item["detail"] = word.detail.as_str().into();
        }
        if let Some(range) = range {
            item["textEdit"] = json!({ "range": range, "newText": word.label });
        }
        item
    });
    Ok(json!({ "isIncomplete": false, "items": items.collect::<Vec<Value>>() }))
}

/// Returns the kind of the protocol for a kind of completions.
const fn find_item_kind(kind: CompletionKind) -> u32 {
    match kind {
        CompletionKind::Header | CompletionKind::Keyword => 14,
        CompletionKind::Opcode => 3,
        CompletionKind::Modifier | CompletionKind::Condition => 20,
        CompletionKind::Option => 9,
        CompletionKind::Variable | CompletionKind::Register => 6,
        CompletionKind::Label => 18,
        CompletionKind::Binding => 10,
        CompletionKind::Target => 7,
        CompletionKind::Swizzle => 5,
        CompletionKind::Semantic => 13,
    }
}

/// Returns a completion with the explanation of its word.
pub(super) fn resolve_completion(mut item: Value) -> Value {
    let label = item.get("label").and_then(Value::as_str);
    let explained = label.and_then(|label| explain(Some(label)).ok());
    if let (Some(explained), Value::Object(item)) = (explained, &mut item) {
        let text = explained.format_text();
        item.insert("documentation".to_owned(), format_block(&text));
    }
    item
}

/// Returns the operands of the instruction at a byte.
pub(super) fn find_signature_at(document: &Document, _uri: &str, offset: u32) -> Answer {
    let found = document
        .find_program(offset)
        .and_then(|(program, at)| find_signature(&program.program, at));
    let Some(signature) = found else {
        return Ok(Value::Null);
    };
    // The label is ASCII, so that bytes are code units.
    let parameters = signature.parameters.iter();
    let parameters = parameters.map(|it| json!({ "label": [it.start, it.end] }));
    Ok(json!({
        "signatures": [{
            "label": signature.label,
            "documentation": format_block(&signature.description),
            "parameters": parameters.collect::<Vec<Value>>(),
        }],
        "activeSignature": 0,
        "activeParameter": signature.active,
    }))
}

/// Returns the parts of a document that can be hidden.
pub(super) fn collect_folds(document: &Document) -> Answer {
    let mut folds = Vec::new();
    for program in &document.programs {
        for fold in glasm_analysis::list_folds(&program.program) {
            let range = document.find_program_range(program, fold.span);
            let Some(range) = range.filter(|it| it.start.line < it.end.line) else {
                continue;
            };
            let kind = match fold.kind {
                FoldKind::Block => "region",
                FoldKind::Comment => "comment",
            };
            folds.push(json!({
                "startLine": range.start.line, "endLine": range.end.line, "kind": kind,
            }));
        }
    }
    Ok(folds.into())
}

/// A token of the protocol: its position in one line, type and modifiers.
struct ClassifiedSpan {
    span: Span,
    class: u32,
    modifiers: u32,
}

/// Returns the classes of all tokens and comments, each relative to the one before it.
pub(super) fn collect_tokens(document: &Document) -> Answer {
    let mut data: Vec<u32> = Vec::new();
    let mut last = Position::new(0, 0);
    for program in &document.programs {
        for token in collect_program_tokens(program) {
            let Some(range) = document.find_program_range(program, token.span) else {
                continue;
            };
            let (start, end) = (range.start, range.end);
            if start.line != end.line || start < last {
                continue;
            }
            let lines = start.line - last.line;
            let column = if lines == 0 {
                start.character - last.character
            } else {
                start.character
            };
            data.extend([
                lines,
                column,
                end.character - start.character,
                token.class,
                token.modifiers,
            ]);
            last = start;
        }
    }
    Ok(json!({ "data": data }))
}

/// Returns the tokens and comments of a program in source order. Comments of several lines are
/// divided.
fn collect_program_tokens(program: &DocumentProgram) -> Vec<ClassifiedSpan> {
    let analyzed = &program.program;
    let mut list = Vec::new();
    for token in &analyzed.outline.tokens {
        if let Some(class) = find_token_type(token.class) {
            let modifiers = match token.role {
                TokenRole::Use => 0,
                TokenRole::Definition => 1,
                TokenRole::Write => 2,
            };
            list.push(ClassifiedSpan {
                span: token.span,
                class,
                modifiers,
            });
        }
    }
    for comment in list_comments(analyzed) {
        let mut start = comment.start;
        for line in analyzed.text[comment.range()].split_inclusive(|byte| *byte == b'\n') {
            let length = line.trim_ascii_end().len() as u32;
            list.push(ClassifiedSpan {
                span: Span::new(start, start + length),
                class: COMMENT_TYPE,
                modifiers: 0,
            });
            start += line.len() as u32;
        }
    }
    list.retain(|it| it.span.start < it.span.end);
    list.sort_by_key(|it| it.span.start);
    list
}

/// Returns the index of the type of a class in the legend; `None` for marks and unknown text.
fn find_token_type(class: TokenClass) -> Option<u32> {
    let index = TOKEN_TYPES.iter().position(|(known, _)| *known == class);
    index.map(|index| index as u32)
}
