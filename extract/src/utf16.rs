//! Text in UTF-16.

use crate::form::Encoding;

/// Characters before a header that belong to its text at most.
const MAX_BEFORE: usize = 1024;

/// Characters after a header that belong to its text at most.
const MAX_AFTER: usize = 32 << 20;

/// A text in UTF-16, decoded to UTF-8.
#[derive(Debug)]
pub(crate) struct WideText {
    /// The decoded text.
    pub(crate) text: Vec<u8>,
    /// Its encoding in the data.
    pub(crate) encoding: Encoding,
    /// Offset of its end in the data.
    pub(crate) end: usize,
    /// Offset of the first code unit in the data.
    start: usize,
    /// An offset in the decoded text, and the number of code units before it.
    known: (usize, usize),
}

impl WideText {
    /// Decodes the text around an offset, at which a character of ASCII is that belongs to it. It
    /// ends at NUL and other control characters, and at code units that are not characters.
    pub(crate) fn decode(data: &[u8], at: usize) -> Self {
        let mut first = at;
        for _ in 0..MAX_BEFORE {
            let Some(before) = first.checked_sub(2) else {
                break;
            };
            // Only ASCII: the byte order mark is not part of the text.
            if !data[before].is_ascii() || !is_text_byte(data[before]) || data[before + 1] != 0 {
                break;
            }
            first = before;
        }
        let encoding = detect_encoding(data, first);
        // In the other order the high byte of a character precedes it.
        let start = match encoding {
            Encoding::Utf16Be => first - 1,
            Encoding::Utf16Le | Encoding::Bytes => first,
        };
        let unit = |pair: &[u8]| match encoding {
            Encoding::Utf16Be => u16::from_be_bytes([pair[0], pair[1]]),
            Encoding::Utf16Le | Encoding::Bytes => u16::from_le_bytes([pair[0], pair[1]]),
        };
        let pairs = data[start..].chunks_exact(2).take(MAX_BEFORE + MAX_AFTER);
        let units = pairs.map(unit).take_while(|unit| {
            let low = u8::try_from(*unit).unwrap_or(b'A');
            is_text_byte(low)
        });
        let (mut text, mut count) = (Vec::new(), 0);
        for character in char::decode_utf16(units) {
            let Ok(character) = character else { break };
            count += character.len_utf16();
            text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        Self {
            encoding,
            end: start + 2 * count,
            start,
            known: (0, 0),
            text,
        }
    }

    /// Returns the offset in the data of a character, whose offset in the decoded text is given.
    /// Offsets must not decrease from one call to the next.
    pub(crate) fn find_offset(&mut self, at: usize) -> usize {
        let (from, units) = self.known;
        let between = String::from_utf8_lossy(&self.text[from..at.max(from)]);
        self.known = (at.max(from), units + between.encode_utf16().count());
        self.start + 2 * self.known.1
    }
}

/// Returns true for bytes that text has.
fn is_text_byte(byte: u8) -> bool {
    byte >= b' ' || byte.is_ascii_whitespace() || byte == 0x0b
}

/// Returns the order of the bytes of a text whose first character is at an offset. Both orders have
/// a NUL byte between characters of ASCII: what precedes the first one decides, and for a text
/// after another one, whether its offset is even.
fn detect_encoding(data: &[u8], first: usize) -> Encoding {
    match data[..first] {
        [.., 0xfe, 0xff, 0] => Encoding::Utf16Be,
        [.., 0] if first % 2 == 1 => Encoding::Utf16Be,
        _ => Encoding::Utf16Le,
    }
}
