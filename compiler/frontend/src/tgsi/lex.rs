//! The lexer of TGSI: bytes to tokens, and the words of the language. Line ends are whitespace: a
//! program may be one line, and a statement may span several.

use glasm_ir::Span;

/// Kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum TokenKind {
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

/// Token: kind and span.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) start: u32,
    pub(super) end: u32,
    /// End of the token before.
    pub(super) previous_end: u32,
    pub(super) kind: TokenKind,
}

impl Default for Token {
    /// Returns the end of an empty program.
    fn default() -> Self {
        Self {
            start: 0,
            end: 0,
            previous_end: 0,
            kind: TokenKind::End,
        }
    }
}

impl Token {
    pub(super) fn span(self) -> Span {
        Span::new(self.start, self.end)
    }

    /// Returns true if no whitespace precedes it.
    pub(super) fn is_glued(self) -> bool {
        self.start == self.previous_end
    }
}

// Token that a byte may start: below 32 the kind of a token of one byte, else one of these.
const LETTER: u8 = 32;
const DIGIT: u8 = 33;
const SPACE: u8 = 34;
/// Whitespace of extended programs, or the start of their comments.
const EXTENDED: u8 = 35;

static CLASSES: [u8; 256] = {
    let mut classes = [TokenKind::Other as u8; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b' ' | b'\n' | b'\t' => SPACE,
            b'\r' | b'#' | b'/' => EXTENDED,
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => LETTER,
            b'0'..=b'9' => DIGIT,
            b'.' => TokenKind::Dot as u8,
            b',' => TokenKind::Comma as u8,
            b':' => TokenKind::Colon as u8,
            b'[' => TokenKind::OpenBracket as u8,
            b']' => TokenKind::CloseBracket as u8,
            b'(' => TokenKind::OpenParen as u8,
            b')' => TokenKind::CloseParen as u8,
            b'{' => TokenKind::OpenBrace as u8,
            b'}' => TokenKind::CloseBrace as u8,
            b'+' => TokenKind::Plus as u8,
            b'-' => TokenKind::Minus as u8,
            b'|' => TokenKind::Bar as u8,
            b'!' => TokenKind::Bang as u8,
            _ => TokenKind::Other as u8,
        };
        byte += 1;
    }
    classes
};

/// All kinds by number; a power of two of them, so that a masked index needs no check.
const KINDS: [TokenKind; 32] = {
    use TokenKind::*;
    let mut kinds = [End; 32];
    let list = [
        Word,
        Int,
        Dot,
        Comma,
        Colon,
        OpenBracket,
        CloseBracket,
        OpenParen,
        CloseParen,
        OpenBrace,
        CloseBrace,
        Plus,
        Minus,
        Bar,
        Bang,
        Other,
        End,
    ];
    let mut index = 0;
    while index < list.len() {
        kinds[list[index] as usize] = list[index];
        index += 1;
    }
    kinds
};

/// Returns true if a byte continues a word. Words may begin with a digit: `2D`.
#[inline]
pub(super) fn is_word(byte: u8) -> bool {
    matches!(CLASSES[byte as usize], LETTER | DIGIT)
}

/// Appends the tokens of `source` from byte `start` on, the last of which is [`TokenKind::End`].
/// `extended`: true if comments and carriage returns are whitespace; strict programs have none.
// A separate function has registers enough for the loop.
#[inline(never)]
pub(super) fn append_tokens(source: &[u8], start: usize, extended: bool, list: &mut Vec<Token>) {
    let mut at = start;
    let mut previous_end = start;
    while let Some(&byte) = source.get(at) {
        let class = CLASSES[byte as usize];
        let (kind, end) = if class < LETTER {
            (KINDS[(class & 31) as usize], at + 1)
        } else if class == SPACE {
            at += 1;
            continue;
        } else if class == LETTER {
            (TokenKind::Word, skip_word(source, at + 1))
        } else if class == DIGIT {
            (TokenKind::Int, skip_digits(source, at + 1))
        } else {
            match extended.then(|| length_of_whitespace(&source[at..])) {
                None | Some(0) => (TokenKind::Other, at + 1),
                Some(length) => {
                    at += length;
                    continue;
                }
            }
        };
        list.push(Token {
            start: at as u32,
            end: end as u32,
            previous_end: previous_end as u32,
            kind,
        });
        previous_end = end;
        at = end;
    }
    let end = source.len() as u32;
    list.push(Token {
        start: end,
        end,
        previous_end: previous_end as u32,
        kind: TokenKind::End,
    });
}

#[inline(always)]
fn skip_word(source: &[u8], mut at: usize) -> usize {
    while source.get(at).is_some_and(|&byte| is_word(byte)) {
        at += 1;
    }
    at
}

#[inline(always)]
fn skip_digits(source: &[u8], mut at: usize) -> usize {
    while source.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
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
    pub(super) fn span(&self) -> Span {
        Span::new(self.start, self.start + self.text.len() as u32)
    }

    #[inline]
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
#[inline]
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
    /// Returns the key of a word.
    #[inline]
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

    /// Returns a hash of `bits` bits for tables.
    #[inline]
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
        let end = list.pop().map(|token| (token.kind, token.start as usize));
        assert_eq!(end, Some((TokenKind::End, text.len())));
        let tokens = list.iter();
        tokens
            .map(|token| (token.kind, &text[token.span().range()]))
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
        assert!(others.all(|token| token.kind == TokenKind::Other));
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
