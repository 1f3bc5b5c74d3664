//! The lexer of the declaration and register families: bytes to tokens, one table look-up per byte.
//!
//! Words are not classified: almost every word of the languages may also be a name, so the grammar
//! decides by position.

use crate::words;
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

/// Token: kind and span.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Token {
    start: u32,
    end: u32,
    /// End of the preceding token.
    previous_end: u32,
    kind: TokenKind,
}

impl Token {
    #[inline(always)]
    fn new(kind: TokenKind, start: usize, end: usize) -> Self {
        Self {
            start: start as u32,
            end: end as u32,
            previous_end: 0,
            kind,
        }
    }

    /// Returns the kind.
    #[inline(always)]
    pub fn kind(self) -> TokenKind {
        self.kind
    }

    /// Returns the position of the first byte.
    #[inline(always)]
    pub fn start(self) -> u32 {
        self.start
    }

    /// Returns the position after the last byte.
    #[inline(always)]
    pub fn end(self) -> u32 {
        self.end
    }

    /// Returns the end of the preceding token in a list of tokens.
    #[inline(always)]
    pub(crate) fn previous_end(self) -> u32 {
        self.previous_end
    }

    /// Returns the span.
    #[inline(always)]
    pub fn span(self) -> Span {
        Span::new(self.start, self.end)
    }

    /// Returns the bytes.
    #[inline]
    pub fn text(self, source: &[u8]) -> &[u8] {
        &source[self.start as usize..self.end as usize]
    }
}

impl Default for Token {
    /// Returns the end of an empty program.
    fn default() -> Self {
        Self::new(TokenKind::End, 0, 0)
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}{:?}", self.kind(), self.span())
    }
}

/// All kinds by number; a power of two of them, so that a masked index needs no check.
const KINDS: [TokenKind; 32] = {
    use TokenKind::*;
    let mut kinds = [End; 32];
    let list = [
        Ident,
        Int,
        Float,
        Word,
        Dot,
        DotDot,
        Comma,
        Semicolon,
        Colon,
        OpenBracket,
        CloseBracket,
        OpenBrace,
        CloseBrace,
        OpenParen,
        CloseParen,
        Plus,
        Minus,
        Bar,
        Equals,
        Bad,
        End,
    ];
    let mut index = 0;
    while index < list.len() {
        // Indexed by number, so that the order of the list does not matter.
        kinds[list[index] as usize] = list[index];
        index += 1;
    }
    kinds
};

// Token that a byte may start: below 32 the kind of a token of one byte, else one of these.
const LETTER: u8 = 32;
const SPACE: u8 = 33;
const DIGIT: u8 = 34;
const DOT: u8 = 35;
const HASH: u8 = 36;

const CLASSES: [u8; 256] = {
    let mut classes = [TokenKind::Bad as u8; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            // Form feeds and other control characters are not part of any language.
            b' ' | b'\t' | b'\n' | b'\r' => SPACE,
            // <identifier> of NV_gpu_program4 section 2.X.2 and ARB_vertex_program section 2.14.2.
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' => LETTER,
            b'0'..=b'9' => DIGIT,
            b'.' => DOT,
            b'#' => HASH,
            b',' => TokenKind::Comma as u8,
            b';' => TokenKind::Semicolon as u8,
            b':' => TokenKind::Colon as u8,
            b'[' => TokenKind::OpenBracket as u8,
            b']' => TokenKind::CloseBracket as u8,
            b'{' => TokenKind::OpenBrace as u8,
            b'}' => TokenKind::CloseBrace as u8,
            b'(' => TokenKind::OpenParen as u8,
            b')' => TokenKind::CloseParen as u8,
            b'+' => TokenKind::Plus as u8,
            b'-' => TokenKind::Minus as u8,
            b'|' => TokenKind::Bar as u8,
            b'=' => TokenKind::Equals as u8,
            _ => TokenKind::Bad as u8,
        };
        byte += 1;
    }
    classes
};

/// True for the bytes that continue a word: ASCII alphanumeric characters.
const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = matches!(CLASSES[byte], LETTER | DIGIT);
        byte += 1;
    }
    table
};

/// Returns the tokens of `source` from byte `start` on, the last of which is [`TokenKind::End`].
/// `source` holds less than 2^24 bytes.
pub fn lex(source: &[u8], start: usize) -> Vec<Token> {
    let mut list = Vec::new();
    append_tokens(source, start, &mut list);
    list
}

/// Appends the tokens of `source` from byte `start` on, the last of which is [`TokenKind::End`].
// A separate function leaves registers enough for the loop.
#[inline(never)]
pub(crate) fn append_tokens(source: &[u8], start: usize, list: &mut Vec<Token>) {
    let mut at = start;
    let mut previous_end = start as u32;
    while let Some(&byte) = source.get(at) {
        let class = CLASSES[byte as usize];
        // In the order of frequency of the classes of bytes.
        let (kind, end) = if class == LETTER {
            (TokenKind::Ident, skip_word(source, at + 1))
        } else if class == SPACE {
            at += 1;
            continue;
        } else if class < LETTER {
            (KINDS[(class & 31) as usize], at + 1)
        } else if class == HASH {
            at = skip_comment(source, at + 1);
            continue;
        } else {
            number_or_point(source, at)
        };
        list.push(Token {
            start: at as u32,
            end: end as u32,
            previous_end,
            kind,
        });
        previous_end = end as u32;
        at = end;
    }
    list.push(Token {
        previous_end,
        ..Token::new(TokenKind::End, source.len(), source.len())
    });
}

/// Returns the first byte after the comment whose first byte after `#` is `at`.
#[inline(never)]
fn skip_comment(source: &[u8], at: usize) -> usize {
    source.len() - behind_comment(&source[at..]).len()
}

/// Lexes a token that begins with a digit or a point; returns its kind and end.
fn number_or_point(source: &[u8], at: usize) -> (TokenKind, usize) {
    match (source[at], source.get(at + 1)) {
        // Before numbers: `..3` ends a range, although `.3` is a number.
        (b'.', Some(b'.')) => (TokenKind::DotDot, at + 2),
        (b'.', Some(b'0'..=b'9')) => fraction(source, at + 1),
        (b'.', _) => (TokenKind::Dot, at + 1),
        _ => number(source, at),
    }
}

/// Skips the comment at the start of `rest` and returns the bytes after it.
fn behind_comment(mut rest: &[u8]) -> &[u8] {
    // Most of a program's bytes may be comments, so many are looked at together.
    while let Some((many, behind)) = rest.split_first_chunk::<32>() {
        // No early exit, so that the compiler compares all bytes at once.
        let low = many.iter().fold(false, |low, &byte| low | (byte < LOW));
        rest = match low.then(|| first_low(many)) {
            None => behind,
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

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Returns the index of the first byte below `LOW`; there is at least one.
#[inline]
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

/// Returns the key of the word at a span, see [`words::key`].
#[inline]
pub(crate) fn key_at(source: &[u8], word: Span) -> u64 {
    let length = word.range().len();
    match source[word.start as usize..].first_chunk() {
        // Loading eight bytes is faster than a loop over those of the word.
        Some(eight) if (1..=8).contains(&length) => words::short_key(*eight, length),
        _ => words::key(&source[word.range()]),
    }
}

/// Returns the end of the word whose first bytes are before `at`.
#[inline(always)]
fn skip_word(source: &[u8], at: usize) -> usize {
    let rest = source.get(at..).unwrap_or_default();
    let is_end = |&byte: &u8| !WORD[byte as usize];
    at + rest.iter().position(is_end).unwrap_or(rest.len())
}

fn skip_digits(source: &[u8], mut at: usize) -> usize {
    while source.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// Lexes the number that starts with the digit at `from`; returns its kind and end.
fn number(source: &[u8], from: usize) -> (TokenKind, usize) {
    // A small x only: `0X1` is not a number in NV_gpu_program4.
    if source[from] == b'0' && source.get(from + 1) == Some(&b'x') {
        let mut at = from + 2;
        while source.get(at).is_some_and(u8::is_ascii_hexdigit) {
            at += 1;
        }
        // Alphabetic characters after the digits turn it into a word, which no rule accepts:
        // `0x1g`.
        let end = skip_word(source, at);
        return (
            if at > from + 2 && end == at {
                TokenKind::Int
            } else {
                TokenKind::Word
            },
            end,
        );
    }
    let at = skip_digits(source, from);
    match source.get(at) {
        // `0..3` is a range, not the fraction `0.`.
        Some(b'.') if source.get(at + 1) != Some(&b'.') => fraction(source, at + 1),
        _ => exponent(source, at, TokenKind::Int),
    }
}

/// Lexes the digits after a point at `at - 1`, and the exponent.
fn fraction(source: &[u8], at: usize) -> (TokenKind, usize) {
    exponent(source, skip_digits(source, at), TokenKind::Float)
}

/// Lexes the exponent at `at`, if there is one, and any identifier characters that directly follow
/// the number.
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
