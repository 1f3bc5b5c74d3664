//! What the editor shows about a text: classes of tokens, diagnostics, explanations, completion.

use crate::positions::CodeUnits;
use glasm::ir::Span;
use glasm::{Diagnostic, Location, Severity};
use glasm_analysis::explain::{Category, explain};
use glasm_analysis::{
    CompletionKind, Program, ProgramContext, TokenClass, TokenRole, complete, find_definition,
    find_fixes, find_related, find_signature, hover, list_comments,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// Bytes of a text at most; the page reports larger ones and does not analyze them.
pub const MAX_TEXT_BYTES: usize = 1 << 20;

/// A text of the editor with the programs that it contains.
#[derive(Debug)]
pub struct Document {
    is_too_large: bool,
    programs: Vec<Program>,
    units: CodeUnits,
}

impl Document {
    /// Analyzes a text. One of more than [`MAX_TEXT_BYTES`] has no programs.
    pub fn new(text: &str) -> Self {
        let is_too_large = text.len() > MAX_TEXT_BYTES;
        let text = if is_too_large { "" } else { text };
        let bytes: Arc<[u8]> = Arc::from(text.as_bytes());
        Self {
            is_too_large,
            programs: Program::analyze_all(&bytes, &ProgramContext::default()),
            units: CodeUnits::new(text),
        }
    }

    /// Returns the program at a byte, the last one after all of them.
    fn find_program(&self, byte: u32) -> Option<&Program> {
        let found = self.programs.iter().find(|it| byte <= it.span.end);
        found.or(self.programs.last())
    }

    /// Returns the programs, the tokens and the diagnostics as JSON. Tokens are lists of start, end
    /// and class; programs without a header have no language.
    pub fn describe(&self) -> Value {
        if self.is_too_large {
            let message = format!("sources of more than {MAX_TEXT_BYTES} bytes are not analyzed");
            return json!({ "programs": [], "tokens": [], "diagnostics": [{
                "span": [0, 0],
                "severity": "error",
                "code": "",
                "message": message,
                "notes": [],
                "related": [],
                "fixes": [],
                "explanation": "",
            }] });
        }
        let programs = self.programs.iter().map(|program| {
            let dialect = program.dialect();
            json!({
                "span": self.units.format_span(program.span),
                "language": dialect.map(|it| it.header()),
                "type": dialect.map(|it| it.program_type().name()),
                "hasErrors": program.diagnostics.has_errors(),
            })
        });
        let tokens = self.programs.iter().flat_map(|program| {
            let tokens = program.outline.tokens.iter();
            let tokens = tokens.filter_map(|token| {
                let class = name_class(token.class)?;
                let class = match token.role {
                    TokenRole::Definition => format!("{class} definition"),
                    TokenRole::Use | TokenRole::Write => class.to_owned(),
                };
                Some((token.span, class))
            });
            let comments = list_comments(program).into_iter();
            let comments = comments.map(|span| (span, "comment".to_owned()));
            tokens.chain(comments)
        });
        let mut tokens: Vec<(Span, String)> = tokens.collect();
        tokens.sort_by_key(|(span, _)| span.start);
        let tokens = tokens.iter().map(|(span, class)| {
            let start = self.units.count_before(span.start);
            json!([start, self.units.count_before(span.end), class])
        });
        let diagnostics = self.programs.iter().flat_map(|program| {
            let list = program.diagnostics.list.iter();
            list.map(|diagnostic| self.describe_diagnostic(program, diagnostic))
        });
        json!({
            "programs": programs.collect::<Vec<_>>(),
            "tokens": tokens.collect::<Vec<_>>(),
            "diagnostics": diagnostics.collect::<Vec<_>>(),
        })
    }

    /// Returns a diagnostic as JSON, with its explanation and its fixes.
    fn describe_diagnostic(&self, program: &Program, diagnostic: &Diagnostic) -> Value {
        let span = match diagnostic.location {
            Location::Span(span) => span,
            Location::WholeProgram => {
                let header = program.outline.tokens.first();
                header.map_or(Span::new(program.span.start, program.span.start), |it| {
                    it.span
                })
            }
        };
        let related = find_related(program, diagnostic).into_iter();
        let related = related.map(
            |(span, message)| json!({ "span": self.units.format_span(span), "message": message }),
        );
        let fixes = find_fixes(program, diagnostic).into_iter().map(|fix| {
            json!({
                "title": fix.title,
                "span": self.units.format_span(fix.edit.span),
                "text": fix.edit.text,
            })
        });
        let explained = Category::Error.find_entries(diagnostic.code.id());
        let explanation: Vec<String> = explained.iter().map(|it| it.format_text()).collect();
        json!({
            "span": self.units.format_span(span),
            "severity": match diagnostic.severity {
                Severity::Error | Severity::InternalError => "error",
                Severity::Warning => "warning",
            },
            "code": diagnostic.code.id(),
            "message": diagnostic.message,
            "notes": diagnostic.notes,
            "related": related.collect::<Vec<_>>(),
            "fixes": fixes.collect::<Vec<_>>(),
            "explanation": explanation.join("\n"),
        })
    }

    /// Returns the explanation of the word at a code unit as JSON; null if there is none.
    pub fn explain_at(&self, unit: u32) -> Value {
        let byte = self.units.find_byte(unit);
        let found = self
            .find_program(byte)
            .and_then(|program| hover(program, byte));
        found.map_or(
            Value::Null,
            |found| json!({ "span": self.units.format_span(found.span), "text": found.text }),
        )
    }

    /// Returns the words that may be written at a code unit as JSON.
    pub fn complete_at(&self, unit: u32) -> Value {
        let byte = self.units.find_byte(unit);
        let Some(program) = self.find_program(byte) else {
            return Value::Null;
        };
        let words = complete(program, byte);
        let items = words.list.iter().map(|word| {
            json!({ "label": word.label, "detail": word.detail, "kind": name_kind(word.kind) })
        });
        json!({
            "span": self.units.format_span(words.replaced),
            "items": items.collect::<Vec<_>>(),
        })
    }

    /// Returns the operands of the instruction at a code unit as JSON; null outside of instructions.
    pub fn find_signature_at(&self, unit: u32) -> Value {
        let byte = self.units.find_byte(unit);
        let found = self
            .find_program(byte)
            .and_then(|program| find_signature(program, byte));
        let Some(found) = found else {
            return Value::Null;
        };
        // The label is ASCII, so that bytes are code units.
        let active = found.parameters.get(found.active);
        let active = active.map(|range| [range.start, range.end]);
        json!({ "label": found.label, "active": active })
    }

    /// Returns the declaration of the name at a code unit as JSON; null if it is not a name.
    pub fn find_definition_at(&self, unit: u32) -> Value {
        let byte = self.units.find_byte(unit);
        let found = self
            .find_program(byte)
            .and_then(|program| find_definition(program, byte));
        found.map_or(Value::Null, |token| self.units.format_span(token.span))
    }
}

/// Returns the text of `glasm explain` about a word; null if it explains nothing.
pub fn explain_word(word: &str) -> Value {
    let explained = explain(Some(word)).ok();
    explained.map_or(Value::Null, |explained| explained.format_text().into())
}

/// Returns the class of a token in style sheets; `None` for classes without an own color.
const fn name_class(class: TokenClass) -> Option<&'static str> {
    match class {
        TokenClass::Header => Some("header"),
        TokenClass::Opcode => Some("opcode"),
        TokenClass::Modifier => Some("modifier"),
        TokenClass::Keyword => Some("keyword"),
        TokenClass::Option => Some("option"),
        TokenClass::Label => Some("label"),
        TokenClass::Variable => Some("variable"),
        TokenClass::Register => Some("register"),
        TokenClass::Binding => Some("binding"),
        TokenClass::Target => Some("target"),
        TokenClass::Condition => Some("condition"),
        TokenClass::Swizzle => Some("swizzle"),
        TokenClass::Semantic => Some("semantic"),
        TokenClass::Number => Some("number"),
        TokenClass::Punctuation | TokenClass::Other => None,
    }
}

/// Returns the kind of a completion, for the icon of the editor.
const fn name_kind(kind: CompletionKind) -> &'static str {
    match kind {
        CompletionKind::Header | CompletionKind::Keyword => "keyword",
        CompletionKind::Opcode => "function",
        CompletionKind::Modifier | CompletionKind::Condition => "enum",
        CompletionKind::Option => "namespace",
        CompletionKind::Variable | CompletionKind::Register => "variable",
        CompletionKind::Label => "method",
        CompletionKind::Binding | CompletionKind::Swizzle => "property",
        CompletionKind::Target => "type",
        CompletionKind::Semantic => "constant",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_described() {
        let text = "# é\n!!ARBfp1.0\nTEMP tint;\nMOV tint, fragment.colour;\nEND\n";
        let document = Document::new(text);
        let described = document.describe();
        assert_eq!(described["programs"][0]["language"], "!!ARBfp1.0");
        assert_eq!(described["programs"][0]["type"], "fragment");
        // The comment has 3 code units; the header follows its line end.
        assert_eq!(described["tokens"][0], json!([0, 3, "comment"]));
        assert_eq!(described["tokens"][1], json!([4, 14, "header"]));
        let diagnostics = described["diagnostics"].as_array().unwrap();
        let error = diagnostics.iter().find(|it| it["severity"] == "error");
        assert_ne!(error.unwrap()["explanation"], "");
        let at = text.find("MOV").unwrap() as u32 - 1;
        let explained = document.explain_at(at);
        assert_eq!(explained["span"], json!([at, at + 3]));
        let items = &document.complete_at(at + 4)["items"];
        let has = |label: &str| {
            let items = items.as_array().unwrap();
            items.iter().any(|item| item["label"] == label)
        };
        assert!(has("tint"), "{items}");
    }

    #[test]
    fn unusual_texts_have_no_programs() {
        for text in [
            "",
            "\u{1F600}",
            "!!nonsense",
            &"x".repeat(MAX_TEXT_BYTES + 1),
        ] {
            let document = Document::new(text);
            let described = document.describe();
            assert!(described["programs"].is_array());
            let is_too_large = text.len() > MAX_TEXT_BYTES;
            assert!(!is_too_large || described["diagnostics"][0]["severity"] == "error");
            document.complete_at(7);
            document.explain_at(7);
            document.find_signature_at(7);
            document.find_definition_at(7);
        }
    }
}
