//! Programs that are written verbatim: as text, as lines with a common prefix, as strings with NUL
//! bytes between them, and with the entities of XML.

use crate::form::{Form, Note};
use crate::recognizer::{Recognizer, Step};

/// NUL bytes between two strings at most: compilers align strings to 16 bytes.
const MAX_PADDING: usize = 16;

/// Bytes of a string that are looked at to decide whether it continues a program.
const MAX_PEEKED: usize = 4096;

/// Result of a decoder: the offset after the last byte that it read, and what it decoded.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) end: usize,
    pub(crate) form: Form,
    pub(crate) notes: Vec<Note>,
}

/// Reads verbatim text from `at` up to the end of the program, a NUL byte or another control
/// character. If a NUL byte comes first and the next strings are statements, they are joined.
pub(crate) fn decode_text(data: &[u8], mut at: usize, program: &mut Recognizer) -> Decoded {
    let mut notes = Vec::new();
    let mut form = Form::Text;
    while let Some(&byte) = data.get(at) {
        if byte == 0 && !program.has_end() {
            let Some(next) = find_next_statements(data, at) else {
                break;
            };
            if form == Form::Text {
                form = Form::NulSeparated;
                notes.push(Note::Joined);
            }
            if program.last_byte() != b'\n' && program.push(b'\n') == Step::Done {
                break;
            }
            at = next;
            continue;
        }
        program.locate(at);
        if program.push(byte) == Step::Done {
            break;
        }
        at += 1;
    }
    Decoded {
        end: at,
        form,
        notes,
    }
}

/// Returns the offset of the string after the NUL bytes at `at`, if it consists of statements, a
/// comment, or `END`.
fn find_next_statements(data: &[u8], at: usize) -> Option<usize> {
    let rest = &data[at..data.len().min(at + MAX_PADDING + MAX_PEEKED)];
    let padding = rest.iter().position(|byte| *byte != 0)?;
    if padding > MAX_PADDING {
        return None;
    }
    let string = &rest[padding..];
    let length = string.iter().position(|byte| *byte == 0)?;
    let string = &string[..length];
    let is_text = |byte: &u8| *byte >= b' ' || byte.is_ascii_whitespace();
    let words = string.trim_ascii();
    let first = words
        .iter()
        .position(|byte| !byte.is_ascii_uppercase() && !byte.is_ascii_digit() && *byte != b'_');
    let first = &words[..first.unwrap_or(words.len())];
    let is_statement = first.len() >= 2 && words.ends_with(b";");
    let continues = is_statement || first == b"END" || words.starts_with(b"#");
    (continues && string.iter().all(is_text)).then_some(at + padding)
}

/// Returns the bytes before the header at `at` if each line of the program has them, or others that
/// differ in numbers only, such as times.
pub(crate) fn find_line_prefix(data: &[u8], line_start: usize, at: usize) -> Option<&[u8]> {
    let prefix = &data[line_start..at];
    let last = *prefix.last()?;
    let is_printable = |byte: &u8| *byte == b'\t' || (b' '..0x7f).contains(byte);
    // A prefix that ends with a word character is the length of a string, or the end of a word.
    if prefix.trim_ascii().is_empty()
        || last.is_ascii_alphanumeric()
        || matches!(last, b'"' | b'\'' | b'`')
        || !prefix.iter().all(is_printable)
    {
        return None;
    }
    let rest = &data[at..data.len().min(at + MAX_PEEKED)];
    let line_end = rest.iter().position(|byte| *byte == b'\n')?;
    match_prefix(&rest[line_end + 1..], prefix).map(|_| prefix)
}

/// Returns the number of bytes at the start of a line that correspond to a prefix: other digits may
/// be in their position, more or fewer of them with fewer or more spaces before them. An empty line
/// may lack the whitespace at the end of the prefix.
fn match_prefix(line: &[u8], prefix: &[u8]) -> Option<usize> {
    let (mut at, mut rest) = (0, prefix);
    while let Some(&byte) = rest.first() {
        let run = count_number_bytes(rest);
        if run > 0 {
            let number = count_number_bytes(&line[at..]);
            if number == 0 {
                return None;
            }
            at += number;
            rest = &rest[run..];
            continue;
        }
        match line.get(at) {
            Some(found) if *found == byte => {
                at += 1;
                rest = &rest[1..];
            }
            Some(b'\r' | b'\n') | None if at > 0 && rest.trim_ascii().is_empty() => {
                return Some(at);
            }
            Some(_) | None => return None,
        }
    }
    Some(at)
}

/// Returns the number of bytes at the start that are a number, with the spaces before it.
fn count_number_bytes(text: &[u8]) -> usize {
    let spaces = text.iter().take_while(|byte| **byte == b' ').count();
    let digits = text[spaces..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if digits == 0 { 0 } else { spaces + digits }
}

/// Reads text whose lines have a prefix, without it, from `at` in the first line on. The text ends
/// with the first line without the prefix.
pub(crate) fn decode_prefixed_lines(
    data: &[u8],
    mut at: usize,
    prefix: &[u8],
    program: &mut Recognizer,
) -> Decoded {
    while let Some(&byte) = data.get(at) {
        if program.push(byte) == Step::Done {
            break;
        }
        at += 1;
        if byte == b'\n' {
            let Some(length) = match_prefix(&data[at..], prefix) else {
                break;
            };
            at += length;
        }
    }
    Decoded {
        end: at,
        form: Form::PrefixedLines,
        notes: Vec::new(),
    }
}

/// Longest entity of XML with its marks.
const MAX_ENTITY: usize = 12;

/// Returns the character that an entity of XML at the start of a text names, and the length of the
/// entity.
pub(crate) fn parse_entity(text: &[u8]) -> Option<(char, usize)> {
    let body = text.get(..text.len().min(MAX_ENTITY))?.strip_prefix(b"&")?;
    let length = body.iter().position(|byte| *byte == b';')?;
    let name = std::str::from_utf8(&body[..length]).ok()?;
    let character = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    };
    Some((character, length + 2))
}

/// Returns true if a text has an entity of XML.
pub(crate) fn has_entity(text: &[u8]) -> bool {
    memchr::memchr_iter(b'&', text).any(|at| parse_entity(&text[at..]).is_some())
}

/// Reads text with entities of XML up to the next tag or quotation mark.
pub(crate) fn decode_xml(data: &[u8], mut at: usize, program: &mut Recognizer) -> Decoded {
    while let Some(&byte) = data.get(at) {
        if matches!(byte, b'<' | b'"') {
            break;
        }
        let step = match parse_entity(&data[at..]) {
            Some((character, length)) => {
                at += length;
                program.push_all(character.encode_utf8(&mut [0; 4]).as_bytes())
            }
            None => {
                at += 1;
                program.push(byte)
            }
        };
        if step == Step::Done {
            break;
        }
    }
    Decoded {
        end: at,
        form: Form::Xml,
        notes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_differ_in_numbers() {
        let length = |line: &str, prefix: &str| match_prefix(line.as_bytes(), prefix.as_bytes());
        assert_eq!(length("// TEMP a;", "// "), Some(3));
        assert_eq!(length("//\n", "// "), Some(2));
        assert_eq!(length("[ 12.5] MOV", "[  3.75] "), Some(8));
        assert_eq!(length(" 10: MOV", "  9: "), Some(5));
        assert_eq!(length("MOV", "9: "), None);
        assert_eq!(length("/ MOV", "// "), None);
    }

    #[test]
    fn entities_are_characters() {
        assert_eq!(parse_entity(b"&lt;a"), Some(('<', 4)));
        assert_eq!(parse_entity(b"&#10;"), Some(('\n', 5)));
        assert_eq!(parse_entity(b"&#xA;"), Some(('\n', 5)));
        for text in [&b"&#1114112;"[..], b"&none;", b"& ", b"&", b"", b"&;"] {
            assert_eq!(parse_entity(text), None);
        }
        assert!(has_entity(b"a && b &amp; c") && !has_entity(b"a && b"));
    }

    #[test]
    fn prefixes_are_not_parts_of_words() {
        let find = |text: &str| {
            let at = text.find("!!").unwrap();
            find_line_prefix(text.as_bytes(), 0, at).map(<[u8]>::to_vec)
        };
        assert_eq!(find("# !!A\n# B"), Some(b"# ".to_vec()));
        assert_eq!(find("T!!A\nTEMP"), None);
        assert_eq!(find("  !!A\n  B"), None);
        assert_eq!(find("p = !!A\nB"), None);
    }
}
