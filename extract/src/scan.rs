//! Finds the programs in data: decides at each header how the text around it is written, and
//! decodes it.

use crate::form::{Decoding, Encoding, Form, Note, has_placeholders};
use crate::literal::{Macros, Quote, decode_literal, decode_nested_literal};
use crate::recognizer::{Ending, MAX_PROGRAM_BYTES, Recognized, Recognizer, SourceRun};
use crate::search::{Anchor, Search};
use crate::utf16::WideText;
use crate::verbatim::{
    Decoded, decode_prefixed_lines, decode_text, decode_xml, find_line_prefix, has_entity,
};
use glasm::{Dialect, Family};
use std::ops::Range;

/// Bytes before a header that are searched for the start of its line and of its literal.
const MAX_BEFORE: usize = 512;

/// Bytes after a header in which the end of its line is searched.
const MAX_LINE: usize = 4 << 10;

/// The same for TGSI, whose header is alone on its line.
const MAX_TGSI_LINE: usize = 128;

/// Bytes before a program in which the name of its Unity block is searched.
const MAX_UNITY_DISTANCE: usize = 4096;

/// Programs of one scan at most.
const MAX_PROGRAMS: usize = 100_000;

/// A program in data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The decoded program, from its header to `END`.
    pub text: Vec<u8>,
    /// Language of the header.
    pub dialect: Dialect,
    /// Offset of the header in the data, in bytes.
    pub offset: u64,
    /// Bytes of the data from the header to the end of the program.
    pub length: u64,
    /// How the program is written.
    pub decoding: Decoding,
    /// Positions of its bytes in the data, if it is verbatim or in literals of bytes; empty
    /// otherwise.
    pub source_runs: Vec<SourceRun>,
    /// Remarks.
    pub notes: Vec<Note>,
}

impl Found {
    /// Returns true if the program ends with `END`.
    pub fn is_complete(&self) -> bool {
        !self.notes.contains(&Note::NoEnd)
    }
}

/// Result of a scan.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Scan {
    /// The programs, by offset.
    pub programs: Vec<Found>,
    /// Number of headers without a program: applications compare with them, and documents name
    /// them.
    pub other_headers: u64,
    /// True if there are more programs than are returned, which only data made for that has.
    pub is_cut: bool,
}

/// A prepared scanner.
#[derive(Debug)]
pub struct Scanner {
    search: Search,
}

impl Default for Scanner {
    fn default() -> Self {
        Self::new()
    }
}

impl Scanner {
    /// Prepares a scanner.
    pub fn new() -> Self {
        Self {
            search: Search::new(),
        }
    }

    /// Returns the programs in the data.
    pub fn scan(&self, data: &[u8]) -> Scan {
        self.scan_range(data, 0..data.len())
    }

    /// Returns the programs whose headers are in a range of the data; the text around them may be
    /// outside of the range. The range is clamped to the data.
    ///
    /// A program that begins before the range is not known, so that a header in a comment of it may
    /// be reported; [`remove_overlaps`] removes it from the programs of all ranges.
    pub fn scan_range(&self, data: &[u8], range: Range<usize>) -> Scan {
        let range = range.start.min(data.len())..range.end.min(data.len());
        let mut scan = Scan::default();
        let mut read_to = 0;
        let mut macros = Macros::default();
        for anchor in self.search.find_anchors(data, range.clone()) {
            if anchor.at < read_to {
                continue;
            }
            if scan.programs.len() >= MAX_PROGRAMS {
                scan.is_cut = true;
                break;
            }
            if anchor.stride == 2 {
                read_to = self.scan_wide_text(data, &anchor, &range, &mut scan);
                continue;
            }
            let attempt = decode_program(data, &anchor, &mut macros);
            read_to = attempt.end;
            match attempt.into_found(data, &anchor) {
                Some(found) => scan.programs.push(found),
                // Names of the processors of TGSI are words of other text.
                None if anchor.dialect.family() == Family::Tgsi => {}
                None => scan.other_headers += 1,
            }
        }
        scan
    }

    /// Scans the text in UTF-16 around a header, and returns the offset of its end.
    fn scan_wide_text(
        &self,
        data: &[u8],
        anchor: &Anchor,
        range: &Range<usize>,
        scan: &mut Scan,
    ) -> usize {
        let mut wide = WideText::decode(data, anchor.at);
        let inner = self.scan(&wide.text);
        for mut found in inner.programs {
            let start = wide.find_offset(found.offset as usize);
            let end = wide.find_offset((found.offset + found.length) as usize);
            if range.contains(&start) {
                found.offset = start as u64;
                found.length = (end - start) as u64;
                found.decoding.encoding = wide.encoding;
                found.source_runs = Vec::new();
                scan.programs.push(found);
            }
        }
        scan.other_headers += inner.other_headers;
        scan.is_cut |= inner.is_cut;
        // A text of a few characters would be decoded again by its next header.
        wide.end.max(anchor.at + 2 * anchor.dialect.header().len())
    }
}

/// Removes programs that begin inside of another one: a header in a comment, which was found
/// because it is in another range than the program. The programs must be sorted by offset.
pub fn remove_overlaps(programs: &mut Vec<Found>) {
    let mut end = 0;
    programs.retain(|found| {
        let is_separate = found.offset >= end;
        if is_separate {
            end = found.offset + found.length;
        }
        is_separate
    });
}

/// Result of a decoder and what it recognized.
struct Attempt {
    recognized: Option<Recognized>,
    end: usize,
    form: Form,
    notes: Vec<Note>,
}

impl Attempt {
    /// Returns the program with its remarks.
    fn into_found(mut self, data: &[u8], anchor: &Anchor) -> Option<Found> {
        let Recognized { text, runs, ending } = self.recognized?;
        let is_located = matches!(self.form, Form::Text | Form::Literal | Form::Escaped);
        if ending == Ending::Cut {
            self.notes.push(Note::NoEnd);
        }
        if has_placeholders(&text) {
            self.notes.push(Note::Placeholders);
        }
        let before = &data[anchor.at.saturating_sub(MAX_UNITY_DISTANCE)..anchor.at];
        if memchr::memmem::find(before, b"SubProgram \"").is_some() {
            self.notes.push(Note::Unity);
        }
        self.notes.sort();
        Some(Found {
            text,
            dialect: anchor.dialect,
            offset: anchor.at as u64,
            length: (self.end - anchor.at) as u64,
            decoding: Decoding {
                encoding: Encoding::Bytes,
                form: self.form,
            },
            source_runs: if is_located { runs } else { Vec::new() },
            notes: self.notes,
        })
    }
}

/// How the text after a header is written.
enum Context<'a> {
    Text,
    PrefixedLines(&'a [u8]),
    Literal(Option<Quote>),
    NestedLiteral,
    Xml,
}

/// Decodes the program at a header.
fn decode_program(data: &[u8], anchor: &Anchor, macros: &mut Macros) -> Attempt {
    // A program cannot be longer than this; its literals can, but not by much.
    let limit = data.len().min(anchor.at + 4 * MAX_PROGRAM_BYTES);
    let data = &data[..limit];
    let attempt = run_decoder(data, anchor, classify_context(data, anchor), macros);
    // Only the program shows whether a text has entities in a later line.
    let has_entities = attempt.form != Form::Xml
        && (attempt.recognized.as_ref()).is_some_and(|found| has_entity(&found.text));
    if !has_entities {
        return attempt;
    }
    let decoded = run_decoder(data, anchor, Context::Xml, macros);
    let is_better = |found: &Recognized| {
        let is_complete = |it: &Recognized| it.ending == Ending::End;
        // In verbatim text the mark of `&#10;` would begin a comment. Named entities may be in one.
        let is_verbatim =
            |it: &Recognized| is_complete(it) && memchr::memmem::find(&it.text, b"&#").is_none();
        is_complete(found) || !attempt.recognized.as_ref().is_some_and(is_verbatim)
    };
    if decoded.recognized.as_ref().is_some_and(is_better) {
        decoded
    } else {
        attempt
    }
}

/// Decodes the text after a header in one way.
fn run_decoder(data: &[u8], anchor: &Anchor, context: Context<'_>, macros: &mut Macros) -> Attempt {
    let body = anchor.at + anchor.dialect.header().len();
    let mut program = Recognizer::new(anchor.dialect, &data[anchor.at..body]);
    program.locate_header(anchor.at);
    let Decoded { end, form, notes } = match context {
        Context::Text => decode_text(data, body, &mut program),
        Context::PrefixedLines(prefix) => decode_prefixed_lines(data, body, prefix, &mut program),
        Context::Literal(quote) => decode_literal(data, body, quote, &mut program, macros),
        Context::NestedLiteral => decode_nested_literal(data, body, &mut program),
        Context::Xml => decode_xml(data, body, &mut program),
    };
    // The marks of the next header are not part of this program. Decoders stop at or after the
    // second one.
    let end = if program.is_at_header() { end - 2 } else { end };
    Attempt {
        recognized: program.finish(),
        end,
        form,
        notes,
    }
}

/// Decides by the line of a header how the text is written.
fn classify_context<'a>(data: &'a [u8], anchor: &Anchor) -> Context<'a> {
    let at = anchor.at;
    let body = at + anchor.dialect.header().len();
    let floor = at.saturating_sub(MAX_BEFORE);
    let line_start = memchr::memrchr3(b'\n', b'\r', 0, &data[floor..at]);
    let line_start = line_start.map_or(floor, |offset| floor + offset + 1);
    let opening = find_opening_quote(&data[line_start..at]);
    if opening == Opening::Nested {
        return Context::NestedLiteral;
    }
    let quote = match opening {
        Opening::Quote(quote) => Some(quote),
        Opening::Nested | Opening::None => None,
    };
    let max_line = if anchor.dialect.family() == Family::Tgsi {
        MAX_TGSI_LINE
    } else {
        MAX_LINE
    };
    match examine_line(&data[body..data.len().min(body + max_line)], quote) {
        Line::HasEntity => Context::Xml,
        Line::IsLiteral => Context::Literal(quote.or(Some(Quote {
            byte: b'"',
            is_triple: false,
        }))),
        Line::HasEscapes => Context::Literal(quote),
        Line::IsText => {
            find_line_prefix(data, line_start, at).map_or(Context::Text, Context::PrefixedLines)
        }
    }
}

/// Quotation marks that are open at a header.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    None,
    Quote(Quote),
    /// A mark with a backslash before it, in an outer literal.
    Nested,
}

/// Returns the quotation marks that are open at the end of a text, which is the line before a
/// header: those directly before it, or a double one that is not closed in the line.
fn find_opening_quote(line: &[u8]) -> Opening {
    let mut before = line;
    // Whitespace and escapes of it may precede the header in its literal.
    loop {
        before = before.trim_ascii_end();
        match before {
            [rest @ .., b'\\', b'n' | b'r' | b't'] => before = rest,
            _ => break,
        }
    }
    match before {
        [.., b'\\', b'"'] => Opening::Nested,
        [.., a, b, c] if a == b && b == c && matches!(c, b'"' | b'\'') => Opening::Quote(Quote {
            byte: *c,
            is_triple: true,
        }),
        [.., mark @ (b'"' | b'\'' | b'`')] => Opening::Quote(Quote {
            byte: *mark,
            is_triple: false,
        }),
        _ => {
            let is_mark = |at: &usize| *at == 0 || line[at - 1] != b'\\';
            let marks = memchr::memchr_iter(b'"', line).filter(is_mark);
            if marks.count() % 2 == 1 {
                Opening::Quote(Quote {
                    byte: b'"',
                    is_triple: false,
                })
            } else {
                Opening::None
            }
        }
    }
}

/// What the rest of the line of a header shows.
enum Line {
    /// A literal is closed or continued.
    IsLiteral,
    /// There are escapes of line ends.
    HasEscapes,
    /// There are entities of XML.
    HasEntity,
    /// Nothing special.
    IsText,
}

/// Examines the rest of the line of a header. `quote` is the mark that is open before it.
fn examine_line(line: &[u8], quote: Option<Quote>) -> Line {
    let mut has_escapes = false;
    let mut at = 0;
    while let Some(&byte) = line.get(at) {
        match byte {
            b'\n' | b'\r' | 0 => break,
            b'\\' => match line.get(at + 1) {
                Some(b'\n' | b'\r') => return Line::IsLiteral,
                Some(b'n' | b'r' | b't') => {
                    has_escapes = true;
                    at += 1;
                }
                Some(_) => at += 1,
                None => break,
            },
            b'&' if has_entity(&line[at..line.len().min(at + 12)]) => return Line::HasEntity,
            _ if quote.is_some_and(|quote| quote.byte == byte) => return Line::IsLiteral,
            b'"' if has_escapes => return Line::IsLiteral,
            // The line of another program; and data that is full of headers takes linear time.
            b'!' if line.get(at + 1) == Some(&b'!') => break,
            _ => {}
        }
        at += 1;
    }
    if has_escapes {
        Line::HasEscapes
    } else {
        Line::IsText
    }
}
