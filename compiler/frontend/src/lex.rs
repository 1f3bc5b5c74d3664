//! The lexer of the declaration and register families: bytes to tokens, one table look-up per byte.
//!
//! Words are not classified: almost every word of the languages may also be a name, so the grammar
//! decides by position.

use crate::keyword_table;
use crate::token::{self, Class, Classes, Kind, Lexer, skip_digits};
use glasm_ir::Span;

/// Kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum TokenKind {
    /// Identifier: ASCII alphanumeric characters, `_`, `$`; not starting with a digit.
    Ident,
    /// Decimal or hexadecimal integer.
    Int,
    /// Decimal fraction or number with exponent.
    Float,
    /// Digits followed directly by alphabetic characters: texture targets such as `2D`.
    Word,
    /// `.`
    Dot,
    /// `..`
    DotDot,
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// `:`
    Colon,
    /// `[`
    OpenBracket,
    /// `]`
    CloseBracket,
    /// `{`
    OpenBrace,
    /// `}`
    CloseBrace,
    /// `(`
    OpenParen,
    /// `)`
    CloseParen,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `|`
    Bar,
    /// `=`
    Equals,
    /// A byte outside the language.
    Bad,
    /// End of the source.
    End,
}

impl Kind for TokenKind {
    const END: Self = Self::End;
}

/// Token of these languages.
pub type Token = token::Token<TokenKind>;

const CLASSES: Classes<TokenKind> = {
    let mut classes = [(Class::Mark, TokenKind::Bad); 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            // Form feeds and other control characters are not part of any language.
            b' ' | b'\t' | b'\n' | b'\r' => (Class::Space, TokenKind::Bad),
            // <identifier> of NV_gpu_program4 section 2.X.2 and ARB_vertex_program section 2.14.2.
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' => (Class::Letter, TokenKind::Ident),
            b'0'..=b'9' => (Class::Digit, TokenKind::Int),
            b'.' | b'#' => (Class::Other, TokenKind::Bad),
            b',' => (Class::Mark, TokenKind::Comma),
            b';' => (Class::Mark, TokenKind::Semicolon),
            b':' => (Class::Mark, TokenKind::Colon),
            b'[' => (Class::Mark, TokenKind::OpenBracket),
            b']' => (Class::Mark, TokenKind::CloseBracket),
            b'{' => (Class::Mark, TokenKind::OpenBrace),
            b'}' => (Class::Mark, TokenKind::CloseBrace),
            b'(' => (Class::Mark, TokenKind::OpenParen),
            b')' => (Class::Mark, TokenKind::CloseParen),
            b'+' => (Class::Mark, TokenKind::Plus),
            b'-' => (Class::Mark, TokenKind::Minus),
            b'|' => (Class::Mark, TokenKind::Bar),
            b'=' => (Class::Mark, TokenKind::Equals),
            _ => (Class::Mark, TokenKind::Bad),
        };
        byte += 1;
    }
    classes
};

/// The lexical rules of the declaration and register families.
struct Rules;

impl Lexer<TokenKind> for Rules {
    const CLASSES: Classes<TokenKind> = CLASSES;

    #[inline(always)]
    fn lex_number(&self, source: &[u8], at: usize) -> (TokenKind, usize) {
        let end = skip_digits(source, at + 1);
        match source.get(end) {
            Some(&byte) if byte == b'.' || Self::WORD_BYTES[byte as usize] => {
                number(source, at, end)
            }
            _ => (TokenKind::Int, end),
        }
    }

    #[inline(always)]
    fn lex_other(&self, source: &[u8], at: usize) -> (Option<TokenKind>, usize) {
        match (source[at], source.get(at + 1)) {
            (b'#', _) => (None, skip_comment(source, at + 1)),
            // Before numbers: `..3` ends a range, although `.3` is a number.
            (_, Some(b'.')) => (Some(TokenKind::DotDot), at + 2),
            (_, Some(b'0'..=b'9')) => {
                let (kind, end) = fraction(source, at + 1);
                (Some(kind), end)
            }
            _ => (Some(TokenKind::Dot), at + 1),
        }
    }
}

/// Returns the tokens of `source` from byte `start` on, without comments and whitespace; the last
/// is [`TokenKind::End`]. `source` holds less than 2^24 bytes.
pub fn lex(source: &[u8], start: usize) -> Vec<Token> {
    let mut list = Vec::new();
    append_tokens(source, start, &mut list);
    list
}

/// Appends the tokens of `source` from byte `start` on, the last of which is [`TokenKind::End`].
// A separate function leaves registers enough for the loop.
#[inline(never)]
pub(crate) fn append_tokens(source: &[u8], start: usize, list: &mut Vec<Token>) {
    token::append_tokens(&Rules, source, start, list);
}

/// Returns the first byte after the comment whose first byte after `#` is `at`.
#[inline(never)]
fn skip_comment(source: &[u8], at: usize) -> usize {
    source.len() - strip_comment(&source[at..]).len()
}

/// Returns the bytes after the line end of the comment that includes the start of `rest`; no bytes
/// if the comment has no line end.
fn strip_comment(mut rest: &[u8]) -> &[u8] {
    // Most of a program's bytes may be comments, so many are looked at together.
    while let Some((many, after)) = rest.split_first_chunk::<32>() {
        // No early exit, so that the compiler compares all bytes at once.
        let low = many.iter().fold(false, |low, &byte| low | (byte < LOW));
        rest = match low.then(|| first_low(many)) {
            None => after,
            // The mask only proves to the compiler that the index is within bounds.
            Some(at) if is_line_end(many[at & 31]) => return &rest[at + 1..],
            // A tab or another control character: the comment continues.
            Some(at) => &rest[at + 1..],
        };
    }
    let end = rest.iter().position(|&byte| is_line_end(byte));
    end.map_or(&[], |end| &rest[end + 1..])
}

/// One above the bytes that end lines; other bytes below it are rare in comments.
const LOW: u8 = 0x0E;

/// Returns true if a byte ends a line, which ends a comment: line feed or carriage return.
fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Returns the index of the first byte below `LOW`; 31 if there is none.
fn first_low(many: &[u8; 32]) -> usize {
    for (number, eight) in many.as_chunks::<8>().0.iter().enumerate() {
        let bytes = u64::from_le_bytes(*eight);
        // Each byte below LOW borrows and thereby sets its top bit; bytes above 0x7F, which have it
        // already, are masked out.
        let below = bytes.wrapping_sub(u64::from_le_bytes([LOW; 8])) & !bytes;
        let marks = below & u64::from_le_bytes([0x80; 8]);
        if marks != 0 {
            // Only marks above the lowest can be caused by a borrow.
            return number * 8 + marks.trailing_zeros() as usize / 8;
        }
    }
    31
}

/// Returns the key of the word at a span, which is not empty; see [`keyword_table::word_key`].
pub(crate) fn key_at(source: &[u8], word: Span) -> u64 {
    let start = word.start as usize;
    let length = word.end - word.start;
    match source.get(start..start + 8).and_then(<[u8]>::first_chunk) {
        // Loading eight bytes is faster than a loop over those of the word.
        Some(eight) if length <= 8 => keyword_table::short_key(*eight, length),
        _ => keyword_table::word_key(&source[word.range()]),
    }
}

/// Returns the end of the word whose first bytes are before `at`.
#[inline(always)]
fn skip_word(source: &[u8], at: usize) -> usize {
    token::skip_word(source, at, &Rules::WORD_BYTES)
}

/// Lexes a number of more than the decimal digits from `from` to `at`, such as a fraction, exponent
/// or hexadecimal number; returns its kind and end. Other characters directly after it make it a
/// `Word`.
fn number(source: &[u8], from: usize, at: usize) -> (TokenKind, usize) {
    match source.get(at) {
        // A small x only: `0X1` is not a number in NV_gpu_program4.
        Some(b'x') if &source[from..at] == b"0" => hexadecimal(source, at + 1),
        // `0..3` is a range, not the fraction `0.`.
        Some(b'.') if source.get(at + 1) != Some(&b'.') => fraction(source, at + 1),
        _ => exponent(source, at, TokenKind::Int),
    }
}

/// Lexes the hexadecimal digits from `from` on, after `0x`; returns the kind of the token and its
/// end. No digits, or other word characters after them, make it a `Word`.
fn hexadecimal(source: &[u8], from: usize) -> (TokenKind, usize) {
    let digits = source[from..]
        .iter()
        .take_while(|it| it.is_ascii_hexdigit());
    let at = from + digits.count();
    // Alphabetic characters after the digits turn it into a word, which no rule accepts: `0x1g`.
    let end = skip_word(source, at);
    let is_int = at > from && end == at;
    let kind = if is_int {
        TokenKind::Int
    } else {
        TokenKind::Word
    };
    (kind, end)
}

/// Lexes the digits after a point at `at - 1`, and the exponent.
fn fraction(source: &[u8], at: usize) -> (TokenKind, usize) {
    exponent(source, skip_digits(source, at), TokenKind::Float)
}

/// Lexes the exponent at `at`, if there is one, and any identifier characters that directly follow
/// the number, which make it a `Word`. Returns its kind, `without` if nothing follows, and end.
fn exponent(source: &[u8], at: usize, without: TokenKind) -> (TokenKind, usize) {
    // Without digits, or with identifier characters after them, it is not an exponent, but part of
    // a word such as `1e`.
    if matches!(source.get(at), Some(b'e' | b'E')) {
        let signed = matches!(source.get(at + 1), Some(b'+' | b'-'));
        let digits = at + 1 + usize::from(signed);
        let end = skip_digits(source, digits);
        // Only digits up to the end of the word are an exponent.
        if end > digits && skip_word(source, end) == end {
            return (TokenKind::Float, end);
        }
    }
    let end = skip_word(source, at);
    if end == at {
        (without, end)
    } else {
        (TokenKind::Word, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(TokenKind, &str)> {
        let tokens = lex(text.as_bytes(), 0);
        tokens[..tokens.len() - 1]
            .iter()
            .map(|token| (token.kind(), &text[token.span().range()]))
            .collect()
    }

    #[test]
    fn ranges_are_not_fractions() {
        use TokenKind::*;
        assert_eq!(
            kinds("[0..3]"),
            [
                (OpenBracket, "["),
                (Int, "0"),
                (DotDot, ".."),
                (Int, "3"),
                (CloseBracket, "]")
            ]
        );
        assert_eq!(kinds("0 .. 3"), [(Int, "0"), (DotDot, ".."), (Int, "3")]);
    }

    #[test]
    fn numbers() {
        use TokenKind::*;
        for float in ["1.5", "1.", ".5", "1e5", "1E+5", "1.5e-3", ".5E2", "1e-05"] {
            assert_eq!(kinds(float), [(Float, float)]);
        }
        for int in ["0", "007", "0x1F", "0xabcdefABCDEF", "18446744073709551615"] {
            assert_eq!(kinds(int), [(Int, int)]);
        }
        for word in ["1D", "2D", "3D", "2DMS", "0x", "12ab", "1e", "1.5f"] {
            assert_eq!(kinds(word), [(Word, word)]);
        }
    }

    #[test]
    fn words_and_suffixes() {
        use TokenKind::*;
        assert_eq!(kinds("R2.x"), [(Ident, "R2"), (Dot, "."), (Ident, "x")]);
        assert_eq!(kinds("_$a1"), [(Ident, "_$a1")]);
        assert_eq!(
            kinds("-|a|"),
            [(Minus, "-"), (Bar, "|"), (Ident, "a"), (Bar, "|")]
        );
    }

    #[test]
    fn comments_are_blanks() {
        use TokenKind::*;
        assert_eq!(
            kinds("a#b;\nc#d\re"),
            [(Ident, "a"), (Ident, "c"), (Ident, "e")]
        );
    }

    #[test]
    fn comments_end_with_their_line() {
        for length in 0..20 {
            for end in ["\n", "\r", "\r\n"] {
                let comment = "\t\u{c}\u{e9}#;-".repeat(4);
                let comment: String = comment.chars().take(length).collect();
                let text = format!("a#{comment}{end}b;");
                use TokenKind::*;
                assert_eq!(kinds(&text), [(Ident, "a"), (Ident, "b"), (Semicolon, ";")]);
            }
        }
    }

    #[test]
    fn other_bytes_are_bad() {
        assert_eq!(
            lex(b"\x00\xff!", 0)
                .iter()
                .filter(|token| token.kind() == TokenKind::Bad)
                .count(),
            3
        );
    }
}
