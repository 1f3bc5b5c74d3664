//! Syntax errors and their messages.

use super::files::File;
use super::opcodes;
use super::property::{self, Value};
use super::semantics::Name;
use super::suffixes;
use super::targets::Target;
use crate::codes::Code;
use crate::suggest::suggest;
use glasm_ir::Span;

/// The hint where the type of an immediate is wrong.
const IMMEDIATE_TYPES: &str = "the types are FLT32, UINT32, INT32, FLT64, UINT64, INT64";

/// Syntax error, which ends a statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure {
    span: Span,
    code: Code,
    message: Message,
}

/// Description of the problem. `it` is the source of the span.
#[derive(Clone, Copy, Debug)]
pub(super) enum Message {
    /// Something else was expected.
    Expected(&'static str),
    Fixed(&'static str),
    /// `it`: the rest.
    About(&'static str),
    /// `it` and the rest.
    Is(&'static str),
    /// The name is not one of these.
    NotA(&'static str),
    /// Numbers of these have an end.
    UpTo(&'static str, u32),
    RegisterFile,
    Opcode,
    Target,
    /// Type of a view.
    ViewType,
    /// Type of an immediate.
    ImmediateType,
    ImmediateTypeMissing,
    /// The opcode has another number of operands; 0 if there are too many.
    OperandCount(&'static opcodes::Row, u8),
    /// No declaration of this file has it.
    DeclarationPart(File),
    /// The word is not any suffix either, so that one may be intended.
    DeclarationSuffix(File),
    /// A range whose first number is above the second.
    Reversed(u32, u32),
    /// A number of vectors that differs from the number of registers.
    Rows(u32, u32),
    PropertyRange(&'static property::Row),
    PropertyWord(&'static property::Row),
    PropertyMissing(&'static property::Row),
}

impl Failure {
    pub(super) fn new(span: Span, code: Code, message: Message) -> Self {
        Self {
            span,
            code,
            message,
        }
    }

    pub(super) fn span(&self) -> Span {
        self.span
    }

    /// Returns the code, the message, and a hint if there is one.
    #[cold]
    pub(super) fn describe(&self, text: &[u8]) -> (Code, String, Option<String>) {
        let bytes = &text[self.span.range()];
        if let (Message::Expected(_) | Message::NotA(_), Some(message)) =
            (self.message, describe_foreign_byte(bytes))
        {
            return (Code::UnexpectedCharacter, message, None);
        }
        let it = quote(bytes);
        let (message, hint) = match self.message {
            Message::Expected(expected) if bytes.is_empty() => (
                format!("expected {expected}, found the end of the text"),
                None,
            ),
            Message::Expected(expected) => (format!("expected {expected}, found `{it}`"), None),
            Message::Fixed(message) => (message.to_owned(), None),
            Message::About(rest) => (format!("`{it}`: {rest}"), None),
            Message::Is(rest) => (format!("`{it}` {rest}"), None),
            Message::NotA(wanted) => (format!("`{it}` is no {wanted}"), None),
            Message::UpTo(what, most) => (format!("numbers of {what} go up to {most}"), None),
            Message::RegisterFile => {
                let words = File::ALL.iter().map(|file| file.word());
                (format!("`{it}` is no register file"), suggest(&it, words))
            }
            Message::Opcode => (
                format!("`{it}` is no opcode"),
                suggest(&it, opcodes::Row::names()),
            ),
            Message::Target => (
                format!("`{it}` is no texture target"),
                suggest(&it, Target::words()),
            ),
            Message::ViewType => (
                format!("`{it}` is no type of views"),
                Some("the types are UNORM, SNORM, SINT, UINT, FLOAT".to_owned()),
            ),
            Message::ImmediateType => (
                format!("`{it}` is no type of immediates"),
                Some(IMMEDIATE_TYPES.to_owned()),
            ),
            Message::ImmediateTypeMissing => (
                "an immediate lacks its type".to_owned(),
                Some(IMMEDIATE_TYPES.to_owned()),
            ),
            Message::OperandCount(row, number) => (describe_count(row, number), None),
            Message::DeclarationPart(file) => (describe_part(&it, file), None),
            Message::DeclarationSuffix(file) => {
                let words = Name::words().chain(suffixes::words());
                (describe_part(&it, file), suggest(&it, words))
            }
            Message::Reversed(first, last) => {
                (format!("the range ends at {last}, before {first}"), None)
            }
            Message::Rows(rows, count) => (format!("{rows} rows for {count} immediates"), None),
            Message::PropertyRange(row) => (describe_range(row), None),
            Message::PropertyWord(row) => describe_value(row, &it),
            Message::PropertyMissing(row) => (format!("`{}` lacks its value", row.name), None),
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
    Some(format!("byte {byte:#04x} is no part of the language"))
}

fn describe_count(row: &opcodes::Row, number: u8) -> String {
    let (name, count) = (row.name, row.sources + row.results);
    if number == 0 {
        format!("`{name}` has {count} operands")
    } else {
        format!("`{name}` has {count} operands, not {number}")
    }
}

fn describe_part(it: &str, file: File) -> String {
    let file = file.word();
    format!("`{it}` is nothing that a declaration of `{file}` has")
}

fn describe_range(row: &property::Row) -> String {
    let (low, high) = match row.value {
        Value::Number(low, high) => (low, high),
        Value::Word(_) => (0, 0),
    };
    format!("`{}` is a number from {low} to {high}", row.name)
}

fn describe_value(row: &property::Row, it: &str) -> (String, Option<String>) {
    let known: Vec<&str> = match row.value {
        Value::Number(..) => Vec::new(),
        Value::Word(words) => words.iter().map(|word| word.0).collect(),
    };
    let message = if it.is_empty() {
        format!("`{}` lacks its value", row.name)
    } else {
        format!("`{it}` is no value of `{}`", row.name)
    };
    let hint = format!("the values are {}", known.join(", "));
    (message, Some(hint))
}

/// Maximum number of bytes that a message quotes.
const QUOTED: usize = 60;

/// Returns a quoted word for messages: cut if it is long.
pub(super) fn quote(text: &[u8]) -> String {
    let (head, is_cut) = match text.get(..QUOTED) {
        Some(head) if text.len() > QUOTED => (head, true),
        // A word of that length or less is quoted as a whole.
        Some(_) | None => (text, false),
    };
    let mut quote = String::from_utf8_lossy(head).into_owned();
    if is_cut {
        quote.push('\u{2026}');
    }
    quote
}
