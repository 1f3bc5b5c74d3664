//! Diagnostics: errors and warnings with a code, a position and notes; and the map from byte
//! offsets to lines and columns.
//!
//! Rendered like rustc's ([`Diagnostics::render`]), as JSON ([`Diagnostics::to_json`]), or as the
//! error position that GL reports ([`Diagnostics::gl_error_position`]). All of it accepts any bytes
//! as source. A line ends at LF, CR LF or a lone CR. Columns count characters; every invalid UTF-8
//! sequence that a lossy reader replaces by one character is treated as one character.

mod render;
#[cfg(test)]
mod tests;
pub use crate::codes::Code;

use crate::source::Source;
use glasm_ir::Span;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// Severity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum Severity {
    /// The program fails to load.
    Error,
    /// The program loads, but something is doubtful.
    Warning,
    /// An internal error of glasm.
    InternalError,
}

impl Severity {
    /// Returns the word of the JSON form: `error`, `warning` or `internal_error`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::InternalError => "internal_error",
        }
    }
}

/// Source location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum Location {
    /// At these bytes.
    Span(Span),
    /// Found only after the whole program was read; GL then reports the length of the program
    /// string as position.
    WholeProgram,
}

impl Location {
    /// Returns the sort key of messages: by position, whole-program messages last.
    fn sort_key(self) -> (bool, Span) {
        match self {
            Self::Span(span) => (false, span),
            // After every source location, as GL's position of such an error is the length of the
            // program.
            Self::WholeProgram => (true, Span::default()),
        }
    }
}

/// One message.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Diagnostic {
    /// Code.
    pub code: Code,
    /// Severity.
    pub severity: Severity,
    /// Description of the problem, one line.
    pub message: String,
    /// Source location.
    pub location: Location,
    /// Hints, one line each. They are shown as `help`, or as `note` if they start with `note: `.
    pub notes: Vec<String>,
    /// The feature that the device does not support, if that is the reason: a name of Vulkan, or of
    /// a feature that Vulkan does not have.
    pub feature: Option<Cow<'static, str>>,
}

impl Diagnostic {
    /// Creates an error at a span.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, Location::Span(span), message.into())
    }

    /// Returns a warning at a span, without notes.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(
            code,
            Severity::Warning,
            Location::Span(span),
            message.into(),
        )
    }

    /// Creates an error that is found only after the whole program was read, such as an exceeded
    /// limit.
    pub fn whole_program(code: Code, message: impl Into<String>) -> Self {
        Self::new(
            code,
            Severity::Error,
            Location::WholeProgram,
            message.into(),
        )
    }

    /// Returns a message about an internal error of this compiler, which is treated as an error.
    pub fn bug(location: Location, message: impl Into<String>) -> Self {
        Self::new(
            Code::Internal,
            Severity::InternalError,
            location,
            message.into(),
        )
    }

    /// Returns the message with a further hint, which is printed after it.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Creates a diagnostic without notes and without a device feature.
    pub(crate) fn new(code: Code, severity: Severity, location: Location, message: String) -> Self {
        Self {
            code,
            severity,
            message,
            location,
            notes: Vec::new(),
            // Only the translation has access to devices, so only it sets this.
            feature: None,
        }
    }
}

/// One line: severity, code and message, with the byte range. [`Diagnostics::render`] displays
/// lines and columns, for which it needs the source.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (severity, code) = (self.severity.name(), self.code.id());
        write!(f, "{severity}[{code}]")?;
        if let Location::Span(Span { start, end }) = self.location {
            write!(f, " at bytes {start}..{end}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// All messages about one program. In source order once [`Diagnostics::sort`] has run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Diagnostics {
    /// The messages.
    pub list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Appends a message.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Returns true if any message is an error or an internal error of glasm.
    pub fn has_errors(&self) -> bool {
        self.list
            .iter()
            // An internal error of glasm produces no program either.
            .any(|diagnostic| diagnostic.severity != Severity::Warning)
    }

    /// Returns the messages with their locations replaced by the whole program, for callers whose
    /// source locations refer to another source.
    #[must_use]
    pub fn without_locations(mut self) -> Self {
        for diagnostic in &mut self.list {
            diagnostic.location = Location::WholeProgram;
        }
        self
    }

    /// Returns the number of errors, including internal errors of this compiler.
    pub fn error_count(&self) -> usize {
        self.list.len() - self.warning_count()
    }

    /// Returns the number of warnings.
    pub fn warning_count(&self) -> usize {
        self.list
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Warning)
            .count()
    }

    /// Sorts the messages in source order, whole-program messages last, and removes those equal to
    /// the one before them.
    pub fn sort(&mut self) {
        self.list
            .sort_by_key(|diagnostic| diagnostic.location.sort_key());
        self.list.dedup();
    }

    /// Returns `PROGRAM_ERROR_POSITION_ARB` and `PROGRAM_ERROR_STRING_ARB`: -1 and the empty string
    /// without errors, otherwise [`Self::gl_error_position`] and [`Self::gl_error_string`].
    pub fn gl_error(&self, source: &Source<'_>) -> (i64, String) {
        let position = self.gl_error_position(source);
        let position = position.map_or(-1, |it| i64::try_from(it).unwrap_or(i64::MAX));
        (position, self.gl_error_string(source).unwrap_or_default())
    }

    /// Returns the position that GL reports for the first error (`PROGRAM_ERROR_POSITION_ARB`);
    /// `None` without errors, where GL reports -1.
    ///
    /// The first error is the one with the lowest position. Errors that are found only after the
    /// whole program was read come last and have the length of the program string as position.
    /// Positions count from the start of the program, which may be a part of the source.
    /// ARB_vertex_program section 2.14.1.
    pub fn gl_error_position(&self, source: &Source<'_>) -> Option<usize> {
        let part = source.program_span().range();
        self.list
            .iter()
            // A program with warnings loads, and GL then reports -1.
            .filter(|diagnostic| diagnostic.severity != Severity::Warning)
            .map(|diagnostic| match diagnostic.location {
                Location::Span(span) => {
                    // The location of an error may be outside of the part, for example in another
                    // program of the source.
                    (span.start as usize).clamp(part.start, part.end) - part.start
                }
                Location::WholeProgram => part.len(),
            })
            .min()
    }

    /// Returns the first error in one line, for `PROGRAM_ERROR_STRING_ARB`: "line 4, column 22:
    /// `tint` is not declared", without a position if it is about the whole program; `None` without
    /// errors. It is the error of [`Self::gl_error_position`].
    pub fn gl_error_string(&self, source: &Source<'_>) -> Option<String> {
        let mut errors = self.list.iter();
        let errors = errors
            .by_ref()
            .filter(|it| it.severity != Severity::Warning);
        let first = errors.min_by_key(|it| it.location.sort_key())?;
        // Applications print the string as one line of their logs.
        let message = first.message.replace(['\n', '\r'], " ");
        Some(match first.location {
            Location::Span(span) => {
                let position = LineMap::new(source.text).position_at(span.start as usize);
                let (line, column) = (position.line, position.column);
                format!("line {line}, column {column}: {message}")
            }
            Location::WholeProgram => message,
        })
    }

    /// Renders the messages for users: message, source line, caret, notes; and a closing line with
    /// the number of messages if there are several.
    pub fn render(&self, source: &Source<'_>) -> String {
        render::render(self, source, render::Style::Plain)
    }

    /// Renders each message as [`Diagnostics::render`] does, for callers that display messages
    /// separately. No closing line.
    pub fn render_each(&self, source: &Source<'_>) -> Vec<String> {
        render::render_each(self, source, render::Style::Plain)
    }

    /// Renders like [`Diagnostics::render`] with ANSI colors, for terminals.
    pub fn render_styled(&self, source: &Source<'_>) -> String {
        render::render(self, source, render::Style::Ansi)
    }

    /// Returns JSON for tools: an array of objects with `code`, `severity`, `message`, `name` (of
    /// the source), `start` and `end` (bytes), `line` and `column` (from 1, of the start), and
    /// `notes`. The four positions are null for whole-program messages.
    pub fn to_json(&self, source: &Source<'_>) -> String {
        format!("[{}]", self.to_json_lines(source).join(","))
    }

    /// Returns the objects of [`Diagnostics::to_json`], one string without line ends for each
    /// message.
    pub fn to_json_lines(&self, source: &Source<'_>) -> Vec<String> {
        render::render_json_objects(self, source)
    }
}

/// The lines of all messages, without a trailing line end.
impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.list.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{diagnostic}")?;
        }
        Ok(())
    }
}

/// Functions that compile return these as their error, so that callers may propagate them with `?`
/// as any other.
impl std::error::Error for Diagnostics {}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self {
            list: vec![diagnostic],
        }
    }
}

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
    /// Finds the starts of the lines of `text`. Lines end with LF, CR or CR LF.
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

    /// Returns the line, from 1, that holds a byte. Offsets past the end belong to the last line.
    pub fn line_at(&self, offset: usize) -> usize {
        // The first start is 0, so this is at least 1.
        self.starts.partition_point(|&start| start <= offset)
    }

    /// Returns line and column of a byte. Offsets past the end give the position after the last
    /// character; a byte inside a character gives that character, a byte of a line end the position
    /// after the line.
    pub fn position_at(&self, offset: usize) -> Position {
        let line = self.line_at(offset);
        let range = self.line_range(line);
        let column = char_ranges(&self.text[range.clone()])
            // Counts characters that end at or before the byte: one that contains it does not.
            .take_while(|bytes| range.start + bytes.end <= offset)
            .count();
        Position {
            line,
            column: column + 1,
        }
    }

    /// Returns the byte range of a line, from 1, without its line end. For lines that do not exist
    /// it is empty, at the end of the source.
    pub fn line_range(&self, line: usize) -> Range<usize> {
        let Some(&start) = line.checked_sub(1).and_then(|index| self.starts.get(index)) else {
            return self.text.len()..self.text.len();
        };
        let bytes = &self.text[start..self.next_line_start(line)];
        // LF first: of CR LF both go.
        let content = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        start..start + content.len()
    }

    /// Returns the byte offset of the line after `line`, or the end of the source.
    fn next_line_start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }
}

/// Returns the line (from 1) of a byte, for callers that need only one.
pub(crate) fn line_number_at(text: &[u8], offset: u32) -> usize {
    1 + line_ends(&text[..offset as usize]).count()
}

/// Returns the offset of the last byte of each line end, in order: line feed, carriage return, or
/// both.
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

/// Returns the byte ranges of the characters of a source, in order. An invalid sequence is one
/// character, divided as the standard library does in lossy conversions.
fn char_ranges(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut offset = 0;
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
            offset += length;
            offset - length..offset
        })
}

/// Printable form of a line: invalid sequences and control characters other than the tab become
/// U+FFFD, and every byte of the input maps to an offset in it.
#[derive(Clone, Default, Debug)]
pub(super) struct PrintableLine {
    /// The printable form.
    pub(super) text: String,
    /// Offsets in the printable form, for each byte of the input and its end.
    offsets: Vec<usize>,
}

impl PrintableLine {
    /// Converts the bytes of one line to printable form; control characters and invalid UTF-8 are
    /// replaced.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut printable = Self::default();
        for range in char_ranges(bytes) {
            let printable_offset = printable.text.len();
            printable
                .offsets
                // All bytes of a character map to its offset, so that a span that begins within one
                // marks the whole character.
                .extend(std::iter::repeat_n(printable_offset, range.len()));
            let character = std::str::from_utf8(&bytes[range])
                .ok()
                .and_then(|valid| valid.chars().next());
            printable
                .text
                .push(character.map_or(char::REPLACEMENT_CHARACTER, to_printable_char));
        }
        // The end has an offset, too: spans end after their last byte.
        printable.offsets.push(printable.text.len());
        printable
    }

    /// Returns the offset in the printable form of a byte of the input; past the end, the end.
    pub(super) fn printable_offset(&self, byte: usize) -> usize {
        self.offsets.get(byte).copied().unwrap_or(self.text.len())
    }
}

/// Returns the character itself, or U+FFFD for a control character other than a tab and for
/// characters that are invisible or change the direction of text, which a terminal would obey.
pub(super) fn to_printable_char(character: char) -> char {
    // The drawing crate replaces tabs by spaces.
    let obeyed = character.is_control() && character != '\t';
    // Characters without width, and those that turn the direction of a line: source could be hidden
    // in them.
    let changes_direction = matches!(character, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}');
    if obeyed || changes_direction {
        char::REPLACEMENT_CHARACTER
    } else {
        character
    }
}
