//! Diagnostics: errors and warnings with a code, a position and notes.

use crate::source::Source;
use glasm_ir::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The program fails to load.
    Error,
    /// The program loads, but something is doubtful.
    Warning,
    /// A fault of glasm itself.
    Bug,
}

/// Where it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    /// At these bytes.
    Span(Span),
    /// Found only after the whole program was read; GL then reports the length of the program string as position.
    WholeProgram,
}

/// Codes of all diagnostics.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Code {
    /// Placeholder.
    Internal,
}

/// One message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Code.
    pub code: Code,
    /// Severity.
    pub severity: Severity,
    /// What is wrong, one line.
    pub message: String,
    /// Where.
    pub location: Location,
    /// Hints, one line each.
    pub notes: Vec<String>,
}

/// All messages about one program, in source order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Diagnostics {
    /// The messages.
    pub list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Whether any message is an error.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|diagnostic| diagnostic.severity != Severity::Warning)
    }

    /// The position that GL reports for the first error (`PROGRAM_ERROR_POSITION_ARB`); `None` without errors.
    /// ARB_vertex_program section 2.14.1.
    pub fn gl_error_position(&self, source: &Source<'_>) -> Option<usize> {
        let _ = source;
        None
    }

    /// Text for people: message, source line, caret.
    pub fn render(&self, source: &Source<'_>) -> String {
        let _ = source;
        String::new()
    }

    /// JSON for tools: an array of objects.
    pub fn to_json(&self, source: &Source<'_>) -> String {
        let _ = source;
        String::new()
    }
}
