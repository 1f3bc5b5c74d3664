//! The lexer of TGSI: bytes to tokens, and the words of the language. Line ends are whitespace: a
//! program may be one line, and a statement may span several.

use crate::token::{self, Class, Classes, Kind, Lexer, skip_digits};
use glasm_ir::Span;

/// Kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum TokenKind {
    /// Word characters; not starting with a digit, unless digits precede it directly: `2D` is an
    /// integer and a word.
    Word,
    /// Decimal digits.
    Int,
    /// `.`
    Dot,
    /// `,`
    Comma,
    /// `:`
    Colon,
    /// `[`
    OpenBracket,
    /// `]`
    CloseBracket,
    /// `(`
    OpenParen,
    /// `)`
    CloseParen,
    /// `{`
    OpenBrace,
    /// `}`
    CloseBrace,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `|`
    Bar,
    /// `!`
    Bang,
    /// Any other byte.
    Other,
    /// End of the program.
    End,
}

impl Kind for TokenKind {
    const END: Self = Self::End;
}

/// Token of TGSI.
pub type Token = token::Token<TokenKind>;

const CLASSES: Classes<TokenKind> = {
    let mut classes = [(Class::Mark, TokenKind::Other); 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b' ' | b'\n' | b'\t' => (Class::Space, TokenKind::Other),
            // Whitespace of extended programs, or the start of their comments.
            b'\r' | b'#' | b'/' => (Class::Other, TokenKind::Other),
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => (Class::Letter, TokenKind::Word),
            b'0'..=b'9' => (Class::Digit, TokenKind::Int),
            b'.' => (Class::Mark, TokenKind::Dot),
            b',' => (Class::Mark, TokenKind::Comma),
            b':' => (Class::Mark, TokenKind::Colon),
            b'[' => (Class::Mark, TokenKind::OpenBracket),
            b']' => (Class::Mark, TokenKind::CloseBracket),
            b'(' => (Class::Mark, TokenKind::OpenParen),
            b')' => (Class::Mark, TokenKind::CloseParen),
            b'{' => (Class::Mark, TokenKind::OpenBrace),
            b'}' => (Class::Mark, TokenKind::CloseBrace),
            b'+' => (Class::Mark, TokenKind::Plus),
            b'-' => (Class::Mark, TokenKind::Minus),
            b'|' => (Class::Mark, TokenKind::Bar),
            b'!' => (Class::Mark, TokenKind::Bang),
            _ => (Class::Mark, TokenKind::Other),
        };
        byte += 1;
    }
    classes
};

/// Returns true if a byte continues a word. Words may begin with a digit: `2D`.
pub(super) fn is_word(byte: u8) -> bool {
    Rules::WORD_BYTES[byte as usize]
}

/// The lexical rules of TGSI.
struct Rules {
    /// True if comments and carriage returns are whitespace; strict programs have none.
    extended: bool,
}

impl Lexer<TokenKind> for Rules {
    const CLASSES: Classes<TokenKind> = CLASSES;

    #[inline(always)]
    fn lex_number(&self, source: &[u8], at: usize) -> (TokenKind, usize) {
        (TokenKind::Int, skip_digits(source, at + 1))
    }

    #[inline(always)]
    fn lex_other(&self, source: &[u8], at: usize) -> (Option<TokenKind>, usize) {
        match self.extended.then(|| length_of_whitespace(&source[at..])) {
            None | Some(0) => (Some(TokenKind::Other), at + 1),
            Some(length) => (None, at + length),
        }
    }
}

/// Returns the tokens of `source` from byte `start` on, the last of which is [`TokenKind::End`].
/// Comments are whitespace, as in programs that are accepted as shipped ones are. `source` holds
/// less than 2^24 bytes.
pub fn lex(source: &[u8], start: usize) -> Vec<Token> {
    let mut list = Vec::new();
    append_tokens(source, start, true, &mut list);
    list
}

/// Appends the tokens of `source` from `start` on to `list`.
// A separate function has registers enough for the loop.
#[inline(never)]
pub(super) fn append_tokens(source: &[u8], start: usize, extended: bool, list: &mut Vec<Token>) {
    token::append_tokens(&Rules { extended }, source, start, list);
}

/// Returns the number of bytes before the first word of a program.
pub(crate) fn count_leading_bytes(text: &[u8]) -> usize {
    // The byte order mark of UTF-8, which some editors insert in front.
    let start = if text.starts_with(b"\xEF\xBB\xBF") {
        3
    } else {
        0
    };
    skip_whitespace(text, start)
}

/// Returns the position of the first byte from `at` on that is not whitespace of extended programs.
pub(super) fn skip_whitespace(source: &[u8], mut at: usize) -> usize {
    loop {
        match length_of_whitespace(&source[at..]) {
            0 => return at,
            length => at += length,
        }
    }
}

/// Returns the length of the comment or the whitespace that `rest` begins with, 0 if it begins with
/// something else.
#[cold]
fn length_of_whitespace(rest: &[u8]) -> usize {
    match rest {
        [b' ' | b'\n' | b'\t' | b'\r', ..] => 1,
        [b'#', ..] | [b'/', b'/', ..] => rest
            .iter()
            .position(|&byte| matches!(byte, b'\n' | b'\r'))
            .unwrap_or(rest.len()),
        [b'/', b'*', inside @ ..] => {
            let end = inside.windows(2).position(|pair| pair == b"*/");
            // Two bytes before the inside and two of the end. An unterminated comment extends to
            // the end of the program.
            end.map_or(rest.len(), |end| end + 4)
        }
        _ => 0,
    }
}

/// A word of the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'s> {
    pub(super) text: &'s [u8],
    pub(super) start: u32,
}

impl Word<'_> {
    /// Returns the location of the word in the source.
    pub(super) fn span(&self) -> Span {
        Span::new(self.start, self.start + self.text.len() as u32)
    }

    /// Returns true if this is the given word, without regard to case.
    pub(super) fn is(&self, word: &str) -> bool {
        is_same(self.text, word)
    }
}

/// Returns the number that a word denotes. `None` if it is not a number, or beyond 32 bits.
pub(super) fn parse_decimal(word: &[u8]) -> Option<u32> {
    word.iter().try_fold(0u32, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u32::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// Returns true if `text` equals a word, ignoring case.
pub(super) fn is_same(text: &[u8], word: &str) -> bool {
    let word = word.as_bytes();
    let (Some(first), Some(known)) = (text.first(), word.first()) else {
        return text.is_empty() && word.is_empty();
    };
    // Length and first byte distinguish most words.
    text.len() == word.len() && first.eq_ignore_ascii_case(known) && text.eq_ignore_ascii_case(word)
}

/// The first eight bytes of a word in a case that all spellings share, and its length. Words of up
/// to eight bytes with equal keys are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Key {
    pub(super) bytes: u64,
    pub(super) len: usize,
}

impl Key {
    /// Returns the key of a word, which ignores case: words with different keys differ.
    pub(super) fn of(text: &[u8]) -> Self {
        let bytes = if let Some(first) = text.first_chunk() {
            u64::from_le_bytes(*first)
        } else if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
            // With the length, two overlapping parts determine all bytes.
            u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32
        } else if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
            u64::from(u16::from_le_bytes(*first)) | u64::from(u16::from_le_bytes(*last)) << 16
        } else {
            text.first().copied().unwrap_or(0).into()
        };
        Self {
            // Word characters that differ in this bit alone are equal but for their case.
            bytes: bytes & !0x2020_2020_2020_2020,
            len: text.len(),
        }
    }

    /// Returns a hash of `bits` bits as an index into hash tables.
    pub(super) fn hash(self, bits: u32) -> usize {
        // 2^64 over the golden ratio: the upper bits of the product depend on all bytes.
        let mixed = (self.bytes ^ self.len as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> (64 - bits)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str, extended: bool) -> Vec<(TokenKind, &str)> {
        let mut list = Vec::new();
        append_tokens(text.as_bytes(), 0, extended, &mut list);
        let end = list
            .pop()
            .map(|token| (token.kind(), token.start() as usize));
        assert_eq!(end, Some((TokenKind::End, text.len())));
        let tokens = list.iter();
        tokens
            .map(|token| (token.kind(), &text[token.span().range()]))
            .collect()
    }

    #[test]
    fn words_and_integers() {
        use TokenKind::*;
        let expected = [
            (Word, "MOV_SAT"),
            (Int, "2"),
            (Word, "D"),
            (OpenBracket, "["),
            (Int, "12"),
            (Dot, "."),
            (Dot, "."),
            (Int, "3"),
            (CloseBracket, "]"),
        ];
        assert_eq!(tokens("  MOV_SAT\n\t2D[12..3 ]", false), expected);
    }

    #[test]
    fn comments_are_whitespace_of_extended_programs() {
        for text in [
            "# a\nEND",
            "// a\r\nEND",
            "/* a\n */END",
            "/**/ # /*\r\nEND",
        ] {
            assert_eq!(tokens(text, true), [(TokenKind::Word, "END")], "{text}");
            let first = tokens(text, false)[0].0;
            assert_eq!(first, TokenKind::Other, "{text}");
        }
        for open in ["/* a", "/*", "# a", "// a", "/*/"] {
            assert_eq!(tokens(open, true), [], "{open}");
            assert_eq!(skip_whitespace(open.as_bytes(), 0), open.len());
        }
        assert_eq!(tokens("/ a", true).len(), 2);
    }

    #[test]
    fn bytes_of_no_word_are_tokens() {
        let mut list = Vec::new();
        append_tokens(b"\0\xc3\xa9", 0, true, &mut list);
        assert_eq!(list.len(), 4);
        let mut others = list[..3].iter();
        assert!(others.all(|token| token.kind() == TokenKind::Other));
    }

    #[test]
    fn keys_of_short_words_are_equal_as_words_are() {
        assert_eq!(Key::of(b"mov"), Key::of(b"MOV"));
        assert_ne!(Key::of(b"MOV"), Key::of(b"MOVE"));
        assert_ne!(Key::of(b"ABCD"), Key::of(b"ABCDABCD"));
        assert_ne!(Key::of(b"ABCDE"), Key::of(b"ABBCDE"));
        assert_ne!(Key::of(&[b'A'; 40]), Key::of(&[b'A'; 41]));
    }
}
