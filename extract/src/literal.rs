//! Programs in string literals of programming languages and of JSON.
//!
//! A literal is decoded by the rules that C, C++, Java, C#, JavaScript, Python and JSON share.
//! Literals that follow each other, with comments, operators or names of macros between them, are
//! one text.

use crate::form::{Form, Note};
use crate::recognizer::{Recognizer, Step};
use crate::verbatim::Decoded;
use memchr::memmem;
use std::collections::HashMap;

/// Bytes of the longest escape.
const MAX_ESCAPE: usize = 10;

/// Distance in bytes at which the definition of a macro is searched.
const MAX_MACRO_DISTANCE: usize = 1 << 20;

/// Names whose definitions are searched at most. Each search passes data that is near.
const MAX_MACROS: usize = 1000;

/// Uses of names in one program at most.
const MAX_USES: usize = 10_000;

/// Uses of a name that are looked at to find its definition.
const MAX_EXAMINED: usize = 1000;

/// Bytes of the text of a macro at most.
const MAX_DEFINITION: usize = 256;

/// Bytes of a name at most.
const MAX_NAME: usize = 64;

/// Bytes of comments and whitespace between two literals at most.
const MAX_GAP: usize = 64 << 10;

/// Names of constants in languages and common headers that are a line end.
const LINE_END_NAMES: [&[u8]; 10] = [
    b"NL",
    b"endl",
    b"std::endl",
    b"ENDL",
    b"vbCrLf",
    b"vbNewLine",
    b"vbLf",
    b"sLineBreak",
    b"LineEnding",
    b"EOL",
];

/// Names before a literal that belong to it: encodings, and macros for them.
const PREFIX_NAMES: [&[u8]; 14] = [
    b"L", b"u8", b"u", b"U", b"N", b"b", b"r", b"f", b"_T", b"T", b"TEXT", b"_TEXT", b"S", b"STR",
];

/// Quotation marks around a literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Quote {
    /// The mark.
    pub(crate) byte: u8,
    /// True for three of them, as in Python.
    pub(crate) is_triple: bool,
}

impl Quote {
    /// Returns the quotation marks at the start of a text.
    fn parse(text: &[u8]) -> Option<Self> {
        let byte = *text.first()?;
        let is_triple = byte != b'`' && text.starts_with(&[byte; 3]);
        matches!(byte, b'"' | b'\'' | b'`').then_some(Self { byte, is_triple })
    }

    /// Returns the number of bytes of the marks.
    fn length(self) -> usize {
        if self.is_triple { 3 } else { 1 }
    }

    /// Returns true if the closing marks are at the start of a text.
    fn closes(self, text: &[u8]) -> bool {
        let mark = [self.byte; 3];
        text.starts_with(&mark[..self.length()])
    }
}

/// Decodes the escape at the start of a text and returns its bytes and its length in the text. A
/// backslash at the end of a line continues the line. Octal numbers have up to three digits,
/// hexadecimal ones two.
fn decode_escape(text: &[u8]) -> (Vec<u8>, usize) {
    let number = |digits: &[u8], radix: u32, length: usize| {
        let digits = std::str::from_utf8(digits).unwrap_or_default();
        let code = u32::from_str_radix(digits, radix).unwrap_or_default();
        (code, length)
    };
    let count = |from: usize, most: usize, is_digit: fn(&u8) -> bool| {
        let rest = text.get(from..).unwrap_or_default();
        from + rest.iter().take(most).take_while(|it| is_digit(it)).count()
    };
    let (code, length) = match text.get(1) {
        Some(b'n') => (u32::from(b'\n'), 2),
        Some(b't') => (u32::from(b'\t'), 2),
        Some(b'r') => (u32::from(b'\r'), 2),
        Some(b'v') => (0x0b, 2),
        Some(b'f') => (0x0c, 2),
        Some(b'\n') => return (Vec::new(), 2),
        Some(b'\r') => {
            let has_line_feed = text.get(2) == Some(&b'\n');
            return (Vec::new(), if has_line_feed { 3 } else { 2 });
        }
        Some(b'0'..=b'7') => {
            let end = count(1, 3, |byte| (b'0'..=b'7').contains(byte));
            // Three octal digits are more than a byte has.
            let (code, length) = number(&text[1..end], 8, end);
            (code & 0xff, length)
        }
        Some(mark @ (b'x' | b'u' | b'U')) => {
            let most = match mark {
                b'x' => 2,
                b'u' => 4,
                _ => 8,
            };
            let end = count(2, most, u8::is_ascii_hexdigit);
            let (code, length) = number(&text[2..end], 16, end);
            if *mark != b'x' {
                let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                return (character.to_string().into_bytes(), length);
            }
            (code, length)
        }
        Some(other) => (u32::from(*other), 2),
        None => (u32::from(b'\\'), 1),
    };
    (vec![code as u8], length)
}

/// Reads text with escapes from `at` up to the end of the literal and of those that follow it.
/// Without quotation marks it ends with the line.
pub(crate) fn decode_literal(
    data: &[u8],
    mut at: usize,
    quote: Option<Quote>,
    program: &mut Recognizer,
    macros: &mut Macros,
) -> Decoded {
    let mut gap = Gap {
        notes: Vec::new(),
        uses: 0,
        macros,
    };
    let mut current = quote;
    while let Some(&byte) = data.get(at) {
        let step = if byte == b'\\' {
            let (bytes, length) = decode_escape(&data[at..]);
            program.locate(at);
            at += length;
            program.push_all(&bytes)
        } else if current.is_some_and(|quote| quote.closes(&data[at..])) {
            let length = current.map_or(1, Quote::length);
            let Some(next) = gap.find_next_literal(data, at + length, program) else {
                at += length;
                break;
            };
            (at, current) = (next.at, Some(next.quote));
            next.step
        } else if current.is_none() && matches!(byte, b'\n' | b'\r') {
            break;
        } else {
            program.locate(at);
            at += 1;
            program.push(byte)
        };
        if step == Step::Done {
            break;
        }
    }
    Decoded {
        end: at,
        form: if quote.is_some() {
            Form::Literal
        } else {
            Form::Escaped
        },
        notes: gap.notes,
    }
}

/// Reads a literal that is part of another one, such as JSON in a C string: each escape is one of
/// the outer literal, which makes an escape of the inner one.
pub(crate) fn decode_nested_literal(
    data: &[u8],
    mut at: usize,
    program: &mut Recognizer,
) -> Decoded {
    // Bytes of the outer literal at an offset, with the offset after them.
    let decode_outer = |at: usize| match *data.get(at)? {
        b'"' => None,
        b'\\' => {
            let (bytes, length) = decode_escape(&data[at..]);
            Some((bytes, at + length))
        }
        byte => Some((vec![byte], at + 1)),
    };
    while let Some((bytes, next)) = decode_outer(at) {
        if bytes == b"\"" {
            break;
        }
        let mut end = next;
        let step = if bytes == b"\\" {
            // Enough of the outer text for the longest escape, and where each byte of it ends.
            let (mut inner, mut ends) = (bytes, vec![next]);
            while inner.len() < MAX_ESCAPE {
                let Some((bytes, next)) = decode_outer(end) else {
                    break;
                };
                ends.extend(bytes.iter().map(|_| next));
                inner.extend(bytes);
                end = next;
            }
            let (decoded, length) = decode_escape(&inner);
            end = ends.get(length - 1).copied().unwrap_or(end);
            program.push_all(&decoded)
        } else {
            program.push_all(&bytes)
        };
        at = end;
        if step == Step::Done {
            break;
        }
    }
    program.clear_positions();
    Decoded {
        end: at,
        form: Form::Literal,
        notes: Vec::new(),
    }
}

/// Start of a further literal.
struct NextLiteral {
    /// Offset of the first byte in it.
    at: usize,
    quote: Quote,
    /// What the recognizer said about text between the literals.
    step: Step,
}

/// What is known about the text between literals.
struct Gap<'m> {
    notes: Vec<Note>,
    uses: usize,
    macros: &'m mut Macros,
}

/// Macros whose definitions were searched, with their contents.
#[derive(Default, Debug)]
pub(crate) struct Macros(HashMap<Vec<u8>, Option<Vec<u8>>>);

impl Macros {
    /// Returns the text of a macro that is used at `at`, if its definition is near and is a
    /// literal.
    fn find(&mut self, data: &[u8], at: usize, name: &[u8]) -> Option<&[u8]> {
        if !self.0.contains_key(name) {
            if self.0.len() >= MAX_MACROS {
                return None;
            }
            self.0
                .insert(name.to_vec(), find_definition(data, at, name));
        }
        self.0.get(name)?.as_deref()
    }
}

impl Gap<'_> {
    /// Adds a remark once.
    fn note(&mut self, note: Note) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Returns the next literal that continues the text after the one that ends at `at`; `None` if
    /// there is none. Line ends and contents of macros between them are pushed into the program.
    fn find_next_literal(
        &mut self,
        data: &[u8],
        mut at: usize,
        program: &mut Recognizer,
    ) -> Option<NextLiteral> {
        let limit = data.len().min(at + MAX_GAP);
        let data_to_limit = &data[..limit];
        let mut inserted = Vec::new();
        let mut is_list = false;
        loop {
            let rest = data_to_limit.get(at..)?;
            let byte = *rest.first()?;
            if let Some(quote) = Quote::parse(rest) {
                // An empty literal is not three marks.
                let is_empty = quote.is_triple && byte == b'\'';
                let quote = Quote {
                    is_triple: quote.is_triple && !is_empty,
                    ..quote
                };
                if is_list {
                    self.note(Note::Joined);
                    if program.last_byte() != b'\n' {
                        inserted.insert(0, b'\n');
                    }
                }
                let step = program.push_all(&inserted);
                let at = at + quote.length();
                return Some(NextLiteral { at, quote, step });
            }
            at += match byte {
                b'\\' => count_continuation(rest)?,
                b'+' | b'&' | b'.' | b'~' => 1,
                b'<' if rest.starts_with(b"<<") => 2,
                b',' if !is_list => {
                    is_list = true;
                    1
                }
                b'/' | b'-' => count_comment(rest)?,
                b'#' => self.pass_number_sign(data_to_limit, at, &mut inserted),
                b')' => count_end_of_wrapper(rest)?,
                _ if byte.is_ascii_whitespace() => 1,
                _ if byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'@') => {
                    self.pass_name(data, data_to_limit, at, &mut inserted)?
                }
                _ => return None,
            };
        }
    }

    /// Returns the length of what begins with `#` at `at`: characters by number, as in Pascal,
    /// which are added to `inserted`, a directive of the C preprocessor, or a comment.
    fn pass_number_sign(&mut self, data: &[u8], at: usize, inserted: &mut Vec<u8>) -> usize {
        let rest = &data[at + 1..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 {
            let number = std::str::from_utf8(&rest[..digits]).unwrap_or_default();
            inserted.extend(number.parse::<u8>());
            return 1 + digits;
        }
        let line_end = |from: usize| {
            let length = memchr::memchr(b'\n', &data[from..]);
            length.map_or(data.len(), |length| from + length + 1)
        };
        let word = parse_directive(&data[at..]);
        let mut end = line_end(at);
        if word.starts_with(b"if") {
            self.note(Note::Conditional);
        }
        if matches!(word, b"else" | b"elif") {
            // The first branch is the text: the others are skipped up to the end of this `#if`.
            let mut depth = 1;
            while depth > 0 && end < data.len() {
                match parse_directive(data[end..].trim_ascii_start()) {
                    b"endif" => depth -= 1,
                    word if word.starts_with(b"if") => depth += 1,
                    _ => {}
                }
                end = line_end(end);
            }
        }
        end - at
    }

    /// Returns the length of a name between literals. The text of a macro is added to `inserted`,
    /// or the name itself, which is a remark, if its text is not known. `None` if the name is not
    /// part of a sequence of literals.
    fn pass_name(
        &mut self,
        data: &[u8],
        data_to_limit: &[u8],
        at: usize,
        inserted: &mut Vec<u8>,
    ) -> Option<usize> {
        let rest = &data_to_limit[at..];
        let is_name_byte =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'@');
        let length = rest
            .iter()
            .take(MAX_NAME + 1)
            .take_while(|it| is_name_byte(it))
            .count();
        let name = &rest[..length];
        let after = rest.get(length).copied().unwrap_or_default();
        let is_before_literal = matches!(after, b'"' | b'\'' | b'(');
        if length > MAX_NAME {
            return None;
        }
        if name == b"@" && after == b'"' || PREFIX_NAMES.contains(&name) && is_before_literal {
            return Some(length + usize::from(after == b'('));
        }
        // In Visual Basic an underscore continues the line.
        if name == b"_" {
            return Some(1);
        }
        self.uses += 1;
        if self.uses > MAX_USES || name.contains(&b'@') {
            return None;
        }
        if let Some(text) = self.macros.find(data, at, name) {
            inserted.extend(text);
            return Some(length);
        }
        if LINE_END_NAMES.contains(&name) {
            inserted.push(b'\n');
            return Some(length);
        }
        let arguments = count_arguments(&rest[length..])?;
        let call = &rest[..length + arguments];
        // A name counts only between literals.
        let next = rest[length + arguments..].trim_ascii_start();
        if !next.starts_with(b"\"") && !next.starts_with(b"+") && !next.starts_with(b"..") {
            return None;
        }
        inserted.extend(call);
        self.note(Note::Macro(String::from_utf8_lossy(name).into_owned()));
        Some(length + arguments)
    }
}

/// Returns the length of a backslash with the line end after it.
fn count_continuation(rest: &[u8]) -> Option<usize> {
    match rest {
        [b'\\', b'\r', b'\n', ..] => Some(3),
        [b'\\', b'\n' | b'\r', ..] => Some(2),
        _ => None,
    }
}

/// Returns the length of a comment of C or Lua at the start of a text.
fn count_comment(rest: &[u8]) -> Option<usize> {
    if rest.starts_with(b"//") || rest.starts_with(b"--") {
        return Some(memchr::memchr(b'\n', rest).unwrap_or(rest.len()));
    }
    let body = rest.strip_prefix(b"/*")?;
    memmem::find(body, b"*/").map(|length| length + 4)
}

/// Returns the length of a closing parenthesis if a further wrapped literal follows, as in
/// `TEXT("a") TEXT("b")`.
fn count_end_of_wrapper(rest: &[u8]) -> Option<usize> {
    let next = rest[1..].trim_ascii_start();
    let next = next.strip_prefix(b"+").unwrap_or(next).trim_ascii_start();
    let length = next
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
    let length = length.count();
    let is_wrapper = length > 0 && length <= MAX_NAME && next[length..].starts_with(b"(\"");
    (is_wrapper && PREFIX_NAMES.contains(&&next[..length])).then_some(1)
}

/// Returns the length of the arguments of a macro in parentheses; 0 if it has none.
fn count_arguments(rest: &[u8]) -> Option<usize> {
    if !rest.starts_with(b"(") {
        return Some(0);
    }
    let end = rest.iter().take(MAX_NAME).position(|byte| *byte == b')')?;
    Some(end + 1)
}

/// Returns the word of a directive of the C preprocessor at the start of a text; empty for anything
/// else.
fn parse_directive(text: &[u8]) -> &[u8] {
    let Some(rest) = text.strip_prefix(b"#") else {
        return b"";
    };
    let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    let word = &rest[blanks.count()..];
    let length = word.iter().take_while(|byte| byte.is_ascii_alphabetic());
    &word[..length.count()]
}

/// Returns the text of a macro whose definition, near `at`, is a literal.
fn find_definition(data: &[u8], at: usize, name: &[u8]) -> Option<Vec<u8>> {
    let start = at.saturating_sub(MAX_MACRO_DISTANCE);
    let near = &data[start..data.len().min(at + MAX_MACRO_DISTANCE)];
    for offset in memmem::find_iter(near, name).take(MAX_EXAMINED) {
        let before = near[..offset].trim_ascii_end();
        let after = &near[offset + name.len()..];
        let value = after.trim_ascii_start();
        let is_definition = before.len() < offset
            && before.ends_with(b"define")
            && after.first().is_some_and(u8::is_ascii_whitespace);
        if is_definition && value.starts_with(b"\"") {
            return decode_definition(&value[1..]);
        }
    }
    None
}

/// Decodes the rest of a literal in a definition, up to its closing mark.
fn decode_definition(value: &[u8]) -> Option<Vec<u8>> {
    let (mut text, mut at) = (Vec::new(), 0);
    while text.len() <= MAX_DEFINITION {
        match *value.get(at)? {
            b'"' => return Some(text),
            b'\\' => {
                let (bytes, length) = decode_escape(&value[at..]);
                text.extend(bytes);
                at += length;
            }
            b'\n' => return None,
            byte => {
                text.push(byte);
                at += 1;
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_the_languages() {
        for (text, bytes, length) in [
            (r"\n", &b"\n"[..], 2),
            (r"\t;", b"\t", 2),
            (r#"\""#, b"\"", 2),
            (r"\/", b"/", 2),
            (r"\012", b"\n", 4),
            (r"\12", b"\n", 3),
            (r"\1234", b"S", 4),
            (r"\x41B", b"A", 4),
            ("\\\r\nA", b"", 3),
            (r"\u000a", b"\n", 6),
            (r"\u00e9", "\u{e9}".as_bytes(), 6),
            ("\\", b"\\", 1),
        ] {
            assert_eq!(
                decode_escape(text.as_bytes()),
                (bytes.to_vec(), length),
                "{text}"
            );
        }
    }

    #[test]
    fn definitions_are_found() {
        let text = b"#define NL \"\\n\"\n# define ONE \\\n 1\nNL #define  X\t\"a\"";
        assert_eq!(find_definition(text, 0, b"NL"), Some(b"\n".to_vec()));
        assert_eq!(find_definition(text, 0, b"ONE"), None);
        assert_eq!(find_definition(text, 0, b"X"), Some(b"a".to_vec()));
    }
}
