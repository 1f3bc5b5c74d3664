//! A cursor over the bytes of a text. Line ends are blanks like others: a program may be one line, and a statement may span several.

use super::files::File;
use glasm_ir::Span;

/// Where reading is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'s> {
    pub(super) text: &'s [u8],
    pub(super) at: usize,
    /// Whether comments, carriage returns and other extensions are blanks, too; strict texts have none.
    pub(super) extended: bool,
}

/// A byte that words have.
const WORD: u8 = 1;
/// A blank, or a byte that blanks may begin with.
const BLANK: u8 = 2;

/// What each byte may be.
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0u8;
    loop {
        classes[byte as usize] = match byte {
            // The last three are blanks of extended texts only, which `more_blanks` knows.
            b' ' | b'\n' | b'\t' | b'\r' | b'#' | b'/' => BLANK,
            b'_' => WORD,
            _ if byte.is_ascii_alphanumeric() => WORD,
            _ => 0,
        };
        if byte == u8::MAX {
            break classes;
        }
        byte += 1;
    }
};

/// Whether a byte goes on with a word. Words may begin with a digit: `2D`.
#[inline]
pub(super) fn is_word(byte: u8) -> bool {
    CLASSES[byte as usize] & WORD != 0
}

/// A number as digits.
struct Digits {
    value: u32,
    digits: usize,
}

/// The number of one to four digits that a text begins with, if a certain byte stands behind it.
#[inline]
fn plain_number(text: &[u8], end: u8) -> Option<Digits> {
    let mut value = 0;
    // Four digits and the byte behind them: longer numbers take the way of all others, which watches for overflow.
    for (digits, &byte) in text.iter().enumerate().take(5) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return (byte == end && digits > 0).then_some(Digits { value, digits });
        }
        value = value * 10 + u32::from(digit);
    }
    None
}

/// A register whose indices are numbers.
pub(super) struct UsualRegister {
    pub(super) file: File,
    /// The first of two.
    pub(super) outer: Option<u32>,
    pub(super) number: u32,
    pub(super) span: Span,
}

impl<'s> Cursor<'s> {
    /// The next byte, blanks included; 0 at the end.
    #[inline]
    pub(super) fn byte(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    /// Whether nothing but blanks is left. Takes them.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.blanks();
        self.at >= self.text.len()
    }

    /// Takes blanks.
    #[inline]
    pub(super) fn blanks(&mut self) {
        // Most often there is one space, or nothing.
        self.at += usize::from(self.byte() == b' ');
        if CLASSES[self.byte() as usize] & BLANK != 0 {
            self.more_blanks();
        }
    }

    fn more_blanks(&mut self) {
        while matches!(self.byte(), b' ' | b'\n' | b'\t') {
            self.at += 1;
        }
        if self.extended && matches!(self.byte(), b'\r' | b'#' | b'/') {
            self.extended_blanks();
        }
    }

    #[cold]
    fn extended_blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let length = match rest {
                [b' ' | b'\n' | b'\t' | b'\r', ..] => 1,
                [b'#', ..] | [b'/', b'/', ..] => rest
                    .iter()
                    .position(|&byte| matches!(byte, b'\n' | b'\r'))
                    .unwrap_or(rest.len()),
                [b'/', b'*', inside @ ..] => {
                    let end = inside.windows(2).position(|pair| pair == b"*/");
                    // Two bytes before the inside and two of the end. A comment that nothing ends reaches to the end of the text.
                    end.map_or(rest.len(), |end| end + 4)
                }
                _ => return,
            };
            self.at += length;
        }
    }

    /// Takes blanks, and then a byte if it is the next one, which is not 0.
    #[inline]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.sees(byte);
        self.at += usize::from(found);
        found
    }

    /// Whether a byte is the next one behind blanks, which are taken.
    #[inline]
    pub(super) fn sees(&mut self, byte: u8) -> bool {
        // Most often no blank stands here.
        let next = self.byte();
        if CLASSES[next as usize] & BLANK == 0 {
            return next == byte;
        }
        self.more_blanks();
        self.byte() == byte
    }

    /// The word that stands at a place.
    pub(super) fn word_at(&self, start: u32) -> Word<'s> {
        let at = start as usize;
        Self { at, ..*self }.word()
    }

    /// Takes blanks and a word, which is empty if there is none.
    #[inline]
    pub(super) fn word(&mut self) -> Word<'s> {
        self.blanks();
        let start = self.at;
        let rest = &self.text[start.min(self.text.len())..];
        let end = rest.iter().position(|&byte| !is_word(byte));
        let text = &rest[..end.unwrap_or(rest.len())];
        self.at += text.len();
        Word {
            text,
            start: start as u32,
        }
    }

    /// Takes blanks and a decimal number. `None` without a digit; numbers beyond 32 bits are the largest one.
    #[inline]
    pub(super) fn number(&mut self) -> Option<u32> {
        self.blanks();
        let start = self.at;
        let mut number = 0u32;
        while let digit @ b'0'..=b'9' = self.byte() {
            number = number
                .saturating_mul(10)
                .saturating_add(u32::from(digit - b'0'));
            self.at += 1;
        }
        (self.at > start).then_some(number)
    }

    /// Takes a register as most are written: a usual file, and one or two numbers of one or two digits in brackets. `None` takes nothing; it
    /// is also what the last bytes of a text give.
    #[inline(always)]
    pub(super) fn usual_register(&mut self) -> Option<UsualRegister> {
        // Of a fixed length, so that no byte is looked for behind the end.
        let text: &[u8; 16] = self.text.get(self.at..)?.first_chunk()?;
        let (file, length) = File::usual(*text.first_chunk()?)?;
        // The longest of them has fourteen bytes.
        let byte = |at: usize| text[at & 15];
        let index = |at: usize| {
            let [first, second] = [1, 2].map(|digit| byte(at + digit).wrapping_sub(b'0'));
            match byte(at + 2) {
                b']' if first < 10 => Some((u32::from(first), at + 3)),
                _ if first < 10 && second < 10 && byte(at + 3) == b']' => {
                    Some((u32::from(first) * 10 + u32::from(second), at + 4))
                }
                _ => None,
            }
        };
        let (mut number, mut end) = index(length)?;
        let mut outer = None;
        // Two brackets: the first one was the buffer or the vertex.
        if byte(end) == b'[' {
            outer = Some(number);
            (number, end) = index(end)?;
        }
        let start = self.at;
        self.at += end;
        // What goes on behind a blank is no usual one.
        let behind = byte(end);
        // An array id, or brackets behind a blank.
        let goes_on = match CLASSES[behind as usize] & BLANK == 0 {
            true => matches!(behind, b'[' | b'('),
            false => self.sees(b'[') || self.byte() == b'(',
        };
        if goes_on {
            // `sees` has taken blanks.
            self.at = start;
            return None;
        }
        Some(UsualRegister {
            file,
            outer,
            number,
            span: Span::new(start as u32, (start + end) as u32),
        })
    }

    /// Takes the usual index: a number of up to four digits in brackets, and nothing else in them. `None` takes nothing.
    #[inline(always)]
    pub(super) fn plain_index(&mut self) -> Option<u32> {
        // Most indices have one digit.
        if let [b'[', digit @ b'0'..=b'9', b']', ..] = self.text.get(self.at..)? {
            self.at += 3;
            return Some(u32::from(digit - b'0'));
        }
        self.longer_index()
    }

    #[inline(never)]
    fn longer_index(&mut self) -> Option<u32> {
        let rest = self.text.get(self.at..)?;
        let number = plain_number(rest.strip_prefix(b"[")?, b']')?;
        self.at += number.digits + 2;
        Some(number.value)
    }

    /// Takes a number of up to four digits and the byte behind it. `None` takes nothing.
    #[inline]
    pub(super) fn plain_number_before(&mut self, end: u8) -> Option<u32> {
        let number = plain_number(self.text.get(self.at..)?, end)?;
        self.at += number.digits + 1;
        Some(number.value)
    }

    /// The bytes from `start` to here, without the blanks at their end.
    #[inline]
    pub(super) fn since(&self, start: u32) -> Span {
        let text = &self.text[start as usize..self.at.max(start as usize)];
        let blanks = text.iter().rev().take_while(|&&byte| byte <= b' ').count();
        Span::new(start, start + (text.len() - blanks) as u32)
    }

    /// The token behind blanks, for messages: a word, or one byte; empty at the end.
    #[cold]
    pub(super) fn token(&mut self) -> Span {
        self.blanks();
        let start = self.at;
        let mut end = start;
        while self.text.get(end).is_some_and(|&byte| is_word(byte)) {
            end += 1;
        }
        // A byte that begins no word is a token by itself.
        if end == start && end < self.text.len() {
            end += 1;
        }
        Span::new(start as u32, end as u32)
    }
}

/// A word of the text.
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

/// Whether a text is a word, in either case.
#[inline]
pub(super) fn is_same(text: &[u8], word: &str) -> bool {
    let word = word.as_bytes();
    let (Some(first), Some(known)) = (text.first(), word.first()) else {
        return text.is_empty() && word.is_empty();
    };
    // Length and first letter tell most words apart.
    text.len() == word.len() && first.eq_ignore_ascii_case(known) && text.eq_ignore_ascii_case(word)
}

/// The first eight bytes of a word in some case that all spellings share, and its length. Words of up to eight bytes with equal keys are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Key {
    pub(super) bytes: u64,
    pub(super) len: usize,
}

impl Key {
    /// The key of a word.
    #[inline]
    pub(super) fn of(text: &[u8]) -> Self {
        let bytes = if let Some(first) = text.first_chunk() {
            u64::from_le_bytes(*first)
        } else if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
            // With the length, two overlapping parts tell all bytes.
            u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32
        } else if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
            u64::from(u16::from_le_bytes(*first)) | u64::from(u16::from_le_bytes(*last)) << 16
        } else {
            text.first().copied().unwrap_or(0).into()
        };
        Self {
            // Bytes of words that differ in this bit alone are letters of two cases.
            bytes: bytes & !0x2020_2020_2020_2020,
            len: text.len(),
        }
    }

    /// A number of so many bits for tables.
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

    fn cursor(text: &str, extended: bool) -> Cursor<'_> {
        Cursor {
            text: text.as_bytes(),
            at: 0,
            extended,
        }
    }

    #[test]
    fn words_and_numbers_stand_behind_blanks() {
        let mut it = cursor("  MOV_SAT\n\t2D[12]", false);
        let word = it.word();
        assert!(word.is("mov_sat"));
        assert_eq!(word.span(), Span::new(2, 9));
        assert!(it.word().is("2D"));
        assert!(it.eat(b'['));
        assert_eq!(it.number(), Some(12));
        assert!(it.sees(b']') && it.eat(b']') && !it.eat(b']'));
        assert!(it.is_at_end());
        assert_eq!(it.number(), None);
        assert!(it.word().text.is_empty());
    }

    #[test]
    fn large_numbers_are_the_largest_one() {
        assert_eq!(cursor("4294967295", false).number(), Some(u32::MAX));
        assert_eq!(
            cursor("99999999999999999999", false).number(),
            Some(u32::MAX)
        );
    }

    #[test]
    fn comments_are_blanks_of_extended_texts() {
        for text in [
            "# a\nEND",
            "// a\r\nEND",
            "/* a\n */END",
            "/**/ # /*\r\nEND",
        ] {
            assert!(cursor(text, true).word().is("END"), "{text}");
            assert!(cursor(text, false).word().text.is_empty(), "{text}");
        }
        for open in ["/* a", "/*", "# a", "// a", "/*/"] {
            assert!(cursor(open, true).is_at_end(), "{open}");
        }
        assert!(!cursor("/ a", true).is_at_end());
    }

    #[test]
    fn a_nul_is_no_end() {
        let mut it = cursor("\0", true);
        assert!(!it.is_at_end());
        assert_eq!(it.token(), Span::new(0, 1));
        it.at = 1;
        assert_eq!(it.token(), Span::new(1, 1));
    }

    #[test]
    fn spans_end_before_blanks() {
        let mut it = cursor("TEMP [ 0 ] \n", false);
        it.at = 12;
        assert_eq!(it.since(0), Span::new(0, 10));
        assert_eq!(it.since(12), Span::new(12, 12));
    }

    #[test]
    fn indices_of_few_digits_are_plain() {
        for (text, number, at) in [("[0]", 0, 3), ("[17].x", 17, 4), ("[4095](1)", 4095, 6)] {
            let mut it = cursor(text, false);
            assert_eq!((it.plain_index(), it.at), (Some(number), at), "{text}");
        }
        for text in [
            "", "[", "[1", "[]", "(1]", "[ 1]", "[1 ]", "[-1]", "[A]", "[12345]",
        ] {
            let mut it = cursor(text, false);
            assert_eq!((it.plain_index(), it.at), (None, 0), "{text}");
        }
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
