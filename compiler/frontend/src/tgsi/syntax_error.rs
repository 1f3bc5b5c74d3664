//! Syntax errors and their messages.

use super::declaration_tables::{self, RegisterFile, ValueDomain};
use super::opcodes;
use super::semantics::SemanticName;
use super::texture_targets::TextureTarget;
use crate::codes::Code;
use crate::diagnostic_sink::suggest_spelling;
use glasm_ir::Span;

/// The hint where the type of an immediate is wrong.
const IMMEDIATE_TYPES: &str = "the types are FLT32, UINT32, INT32, FLT64, UINT64, INT64";

/// Syntax error, which ends a statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct SyntaxError {
    span: Span,
    code: Code,
    kind: SyntaxErrorKind,
}

/// Description of the problem. `it` is the source of the span.
#[derive(Clone, Copy, Debug)]
pub(super) enum SyntaxErrorKind {
    /// Something else was expected.
    Expected(&'static str),
    Text(&'static str),
    /// `it`: the rest.
    TokenDetail(&'static str),
    /// `it` and the rest.
    TokenPredicate(&'static str),
    /// The name is not one of these.
    UnknownName(&'static str),
    /// Numbers of these have an end.
    NumberTooLarge(&'static str, u32),
    RegisterFile,
    Opcode,
    Target,
    /// Type of a view.
    ViewType,
    /// Type of an immediate.
    ImmediateType,
    ImmediateTypeMissing,
    /// The opcode has another number of operands; 0 if there are too many.
    OperandCount(&'static opcodes::OpcodeRow, u8),
    /// No declaration of this file has it.
    UnknownDclPart(RegisterFile),
    /// The word is not a modifier either, so that one may be intended.
    UnknownDclModifier(RegisterFile),
    /// A range whose first number is above the second.
    ReversedRange(u32, u32),
    /// A number of vectors that differs from the number of registers.
    VectorCount(u32, u32),
    PropertyRange(&'static declaration_tables::PropertyRow),
    PropertyWord(&'static declaration_tables::PropertyRow),
    PropertyMissing(&'static declaration_tables::PropertyRow),
}

impl SyntaxError {
    /// Creates a failure; in a box, so that results of grammar functions are small.
    pub(super) fn new(span: Span, code: Code, message: SyntaxErrorKind) -> Box<Self> {
        Box::new(Self {
            span,
            code,
            kind: message,
        })
    }

    /// Returns the location of the token that the parser did not accept.
    pub(super) fn span(&self) -> Span {
        self.span
    }

    /// Returns code and message of the error for the program `text`, with a hint if there is one.
    #[cold]
    #[expect(clippy::too_many_lines, reason = "an arm for each kind of error")]
    pub(super) fn describe(&self, text: &[u8]) -> (Code, String, Option<String>) {
        let bytes = &text[self.span.range()];
        if let (SyntaxErrorKind::Expected(_) | SyntaxErrorKind::UnknownName(_), Some(message)) =
            (self.kind, describe_foreign_byte(bytes))
        {
            return (Code::UnexpectedCharacter, message, None);
        }
        let it = quote(bytes);
        let (message, hint) = match self.kind {
            SyntaxErrorKind::Expected(expected) if bytes.is_empty() => (
                format!("expected {expected}, found the end of the program"),
                None,
            ),
            SyntaxErrorKind::Expected(expected) => {
                (format!("expected {expected}, found `{it}`"), None)
            }
            SyntaxErrorKind::Text(message) => (message.to_owned(), None),
            SyntaxErrorKind::TokenDetail(rest) => (format!("`{it}`: {rest}"), None),
            SyntaxErrorKind::TokenPredicate(rest) => (format!("`{it}` {rest}"), None),
            SyntaxErrorKind::UnknownName(wanted) => (
                format!("`{it}` is not {} {wanted}", indefinite_article(wanted)),
                None,
            ),
            SyntaxErrorKind::NumberTooLarge(what, most) => {
                (format!("{what} numbers are limited to {most}"), None)
            }
            SyntaxErrorKind::RegisterFile => {
                let words = RegisterFile::ALL.iter().map(|file| file.word());
                (
                    format!("`{it}` is not a register file"),
                    suggest_spelling(&it, words),
                )
            }
            SyntaxErrorKind::Opcode => (
                format!("`{it}` is not an opcode"),
                suggest_spelling(&it, opcodes::OpcodeRow::names()),
            ),
            SyntaxErrorKind::Target => (
                format!("`{it}` is not a texture target"),
                suggest_spelling(&it, TextureTarget::words()),
            ),
            SyntaxErrorKind::ViewType => (
                format!("`{it}` is not a sampler view type"),
                Some("the types are UNORM, SNORM, SINT, UINT, FLOAT".to_owned()),
            ),
            SyntaxErrorKind::ImmediateType => (
                format!("`{it}` is not an immediate type"),
                Some(IMMEDIATE_TYPES.to_owned()),
            ),
            SyntaxErrorKind::ImmediateTypeMissing => (
                "missing immediate type".to_owned(),
                Some(IMMEDIATE_TYPES.to_owned()),
            ),
            SyntaxErrorKind::OperandCount(row, number) => (describe_count(row, number), None),
            SyntaxErrorKind::UnknownDclPart(file) => (describe_part(&it, file), None),
            SyntaxErrorKind::UnknownDclModifier(file) => {
                let words = SemanticName::words().chain(declaration_tables::modifier_words());
                (describe_part(&it, file), suggest_spelling(&it, words))
            }
            SyntaxErrorKind::ReversedRange(first, last) => {
                (format!("the range ends at {last}, before {first}"), None)
            }
            SyntaxErrorKind::VectorCount(rows, count) => {
                (format!("{rows} vectors for {count} registers"), None)
            }
            SyntaxErrorKind::PropertyRange(row) => (describe_range(row), None),
            SyntaxErrorKind::PropertyWord(row) => describe_value(row, &it),
            SyntaxErrorKind::PropertyMissing(row) => {
                (format!("`{}` requires a value", row.name), None)
            }
        };
        (self.code, message, hint)
    }
}

/// Returns the message about a token that begins with a byte that no program has.
fn describe_foreign_byte(token: &[u8]) -> Option<String> {
    let byte = *token.first()?;
    // Printable bytes can be quoted, and at the end of a line something else is missing.
    if byte.is_ascii_graphic() || byte == b'\n' {
        return None;
    }
    Some(format!("unexpected byte {byte:#04x}"))
}

/// Returns the message about a wrong number of operands; `number` is 0 if there are too many to
/// count.
fn describe_count(row: &opcodes::OpcodeRow, number: u8) -> String {
    let (name, count) = (row.name, row.sources + row.results);
    if number == 0 {
        format!("`{name}` has {count} operands")
    } else {
        format!("`{name}` has {count} operands, not {number}")
    }
}

/// Returns the message about a word that is not a part of a declaration of `file`.
fn describe_part(it: &str, file: RegisterFile) -> String {
    let file = file.word();
    format!("`{it}` is not allowed in a declaration of `{file}`")
}

/// Returns the message about a property whose value is not in its range of numbers.
fn describe_range(row: &declaration_tables::PropertyRow) -> String {
    let (low, high) = match row.value {
        ValueDomain::Number(low, high) => (low, high),
        ValueDomain::Word(_) => (0, 0),
    };
    format!("`{}` is a number from {low} to {high}", row.name)
}

/// Returns message and hint about a property whose value is not one of its words; `it` is empty if
/// the value is missing.
fn describe_value(row: &declaration_tables::PropertyRow, it: &str) -> (String, Option<String>) {
    let known: Vec<&str> = match row.value {
        ValueDomain::Number(..) => Vec::new(),
        ValueDomain::Word(words) => words.iter().map(|word| word.0).collect(),
    };
    let message = if it.is_empty() {
        format!("`{}` requires a value", row.name)
    } else {
        format!("`{it}` is not a value of `{}`", row.name)
    };
    let hint = format!("the values are {}", known.join(", "));
    (message, Some(hint))
}

/// Returns "a" or "an", as `noun` requires.
fn indefinite_article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    }
}

/// Maximum number of bytes that a message quotes.
const MAX_QUOTED_BYTES: usize = 60;

/// Returns a word for messages; a long one is truncated, and invalid UTF-8 is replaced.
pub(super) fn quote(text: &[u8]) -> String {
    let (head, is_cut) = match text.get(..MAX_QUOTED_BYTES) {
        Some(head) if text.len() > MAX_QUOTED_BYTES => (head, true),
        // A word of that length or less is quoted as a whole.
        Some(_) | None => (text, false),
    };
    let mut quote = String::from_utf8_lossy(head).into_owned();
    if is_cut {
        quote.push('\u{2026}');
    }
    quote
}
