//! Byte offsets to lines and columns, for any bytes.
//!
//! A line ends at LF, CR LF or a lone CR. Columns count characters; every invalid UTF-8 sequence
//! that a lossy reader replaces by one character is treated as one character.

use std::ops::Range;

/// A human-readable position in a source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// The lines of a source.
#[derive(Clone, Debug)]
pub struct LineMap<'a> {
    text: &'a [u8],
    /// Offset of the first byte of every line; the first is 0.
    starts: Vec<usize>,
}

impl<'a> LineMap<'a> {
    /// Computes the lines.
    pub fn new(text: &'a [u8]) -> Self {
        let starts = std::iter::once(0)
            .chain(line_ends(text).map(|at| at + 1))
            .collect();
        Self { text, starts }
    }

    /// Returns the number of lines. It is at least 1: the empty source has one empty line, and so
    /// has the end of a source after its last line end.
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the line (from 1) that holds a byte. Offsets past the end belong to the last line.
    pub fn line(&self, offset: usize) -> usize {
        // The first start is 0, so this is at least 1.
        self.starts.partition_point(|&start| start <= offset)
    }

    /// Returns line and column of a byte. Offsets past the end give the position after the last
    /// character; a byte inside a character gives that character, a byte of a line end the position
    /// after the line.
    pub fn position(&self, offset: usize) -> Position {
        let line = self.line(offset);
        let range = self.line_range(line);
        let column = characters(&self.text[range.clone()])
            // Counts characters that end at or before the byte: one that contains it does not.
            .take_while(|bytes| range.start + bytes.end <= offset)
            .count();
        Position {
            line,
            column: column + 1,
        }
    }

    /// Returns the byte range of a line (from 1) without its line end. It is empty for lines that
    /// do not exist.
    pub fn line_range(&self, line: usize) -> Range<usize> {
        let Some(&start) = line.checked_sub(1).and_then(|index| self.starts.get(index)) else {
            return self.text.len()..self.text.len();
        };
        let bytes = &self.text[start..self.next_start(line)];
        // LF first: of CR LF both go.
        let content = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        start..start + content.len()
    }

    /// Returns the start of the line after `line`.
    fn next_start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }
}

/// Returns the line (from 1) of a byte, for callers that need only one.
pub(crate) fn line_of(text: &[u8], offset: u32) -> usize {
    1 + line_ends(&text[..offset as usize]).count()
}

/// Returns the offsets of the last bytes of all line ends.
fn line_ends(text: &[u8]) -> impl Iterator<Item = usize> {
    // CR LF is one line end: its LF counts.
    let is_end = |&(at, &byte): &(usize, &u8)| match byte {
        b'\n' => true,
        b'\r' => text.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    let ends = text.iter().enumerate().filter(is_end);
    ends.map(|(at, _)| at)
}

/// Returns the byte ranges of the characters of a source, where an invalid sequence is one
/// character.
fn characters(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    bytes
        .utf8_chunks()
        .flat_map(|chunk| {
            let lengths = chunk.valid().chars().map(char::len_utf8);
            // The standard library cuts invalid bytes as lossy readers do, so that columns agree
            // with the displayed characters.
            let invalid = Some(chunk.invalid().len()).filter(|&length| length > 0);
            lengths.chain(invalid)
        })
        .map(move |length| {
            at += length;
            at - length..at
        })
}

/// Printable form of a line: invalid sequences and control characters other than the tab become
/// U+FFFD, and every byte of the input maps to an offset in it.
#[derive(Clone, Default, Debug)]
pub(super) struct Printable {
    /// The printable form.
    pub(super) text: String,
    /// Offsets in the printable form, for each byte of the input and its end.
    offsets: Vec<usize>,
}

impl Printable {
    /// Converts the bytes of one line to printable form.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut printable = Self::default();
        for range in characters(bytes) {
            let at = printable.text.len();
            printable
                .offsets
                // All bytes of a character map to its offset, so that a span that begins within one
                // marks the whole character.
                .extend(std::iter::repeat_n(at, range.len()));
            let character = std::str::from_utf8(&bytes[range])
                .ok()
                .and_then(|valid| valid.chars().next());
            printable
                .text
                .push(character.map_or(char::REPLACEMENT_CHARACTER, printable_char));
        }
        // The end has an offset, too: spans end after their last byte.
        printable.offsets.push(printable.text.len());
        printable
    }

    /// Returns the offset in the printable form of a byte of the input; past the end, the end.
    pub(super) fn offset(&self, byte: usize) -> usize {
        self.offsets.get(byte).copied().unwrap_or(self.text.len())
    }
}

/// Returns the character itself, or U+FFFD for one that a terminal would obey instead of displaying
/// it.
pub(super) fn printable_char(character: char) -> char {
    // The drawing crate replaces tabs by spaces.
    let obeyed = character.is_control() && character != '\t';
    // Characters without width, and those that turn the direction of a line: source could be hidden
    // in them.
    let direction = matches!(character, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}');
    if obeyed || direction {
        char::REPLACEMENT_CHARACTER
    } else {
        character
    }
}
