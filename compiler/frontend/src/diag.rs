//! Diagnostics: errors and warnings with a code, a position and notes.
//!
//! Rendered like rustc's ([`Diagnostics::render`]), as JSON ([`Diagnostics::to_json`]), or as the
//! error position that GL reports ([`Diagnostics::gl_error_position`]). All of it accepts any bytes
//! as source.

mod json;
mod line_map;
mod render;
#[cfg(test)]
mod tests;

pub use crate::codes::Code;
pub(crate) use line_map::line_of;
pub use line_map::{LineMap, Position};

use crate::source::Source;
use glasm_ir::Span;
use std::borrow::Cow;
use std::fmt;

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
    Bug,
}

impl Severity {
    /// Returns the word of the JSON form: `error`, `warning` or `bug`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Bug => "bug",
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

    /// Creates a warning at a span.
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

    /// Creates a message about an internal error of glasm.
    pub fn bug(location: Location, message: impl Into<String>) -> Self {
        Self::new(Code::Internal, Severity::Bug, location, message.into())
    }

    /// Returns the message with one more hint.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

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
    /// Adds a message.
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

    /// Returns the messages as messages about whole programs, for callers whose source locations
    /// refer to another source.
    #[must_use]
    pub fn without_places(mut self) -> Self {
        for diagnostic in &mut self.list {
            diagnostic.location = Location::WholeProgram;
        }
        self
    }

    /// Returns the number of errors and internal errors of glasm.
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

    /// Sorts the messages in source order, whole-program messages last, and drops repeated ones.
    pub fn sort(&mut self) {
        self.list
            .sort_by_key(|diagnostic| diagnostic.location.sort_key());
        self.list.dedup();
    }

    /// Returns the position that GL reports for the first error (`PROGRAM_ERROR_POSITION_ARB`);
    /// `None` without errors, where GL reports -1.
    ///
    /// The first error is the one with the lowest position. Errors that are found only after the
    /// whole program was read come last and have the length of the program string as position.
    /// Positions count from the start of the program, which may be a part of the source.
    /// ARB_vertex_program section 2.14.1.
    pub fn gl_error_position(&self, source: &Source<'_>) -> Option<usize> {
        let part = source.part().range();
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
        json::lines(self, source)
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
