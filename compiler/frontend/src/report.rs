//! Collects diagnostics while a program is read.

use crate::codes::Code;
use crate::diag::{Diagnostic, Diagnostics, Location, Severity};
use crate::lang::limits;
use glasm_ir::Span;

/// The messages so far. Past [`limits::ERRORS`] further ones are dropped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reports {
    list: Vec<Diagnostic>,
}

impl Reports {
    /// No messages.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Number of messages.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether so many errors were found that reading on is of no use.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() > limits::ERRORS
    }

    /// Whether there is an error.
    pub(crate) fn has_errors(&self) -> bool {
        self.list
            .iter()
            .any(|diagnostic| diagnostic.severity != Severity::Warning)
    }

    /// An error at `span`.
    #[cold]
    pub(crate) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.push(code, Location::Span(span), message.into(), Vec::new());
    }

    /// An error at `span` with hints.
    #[cold]
    pub(crate) fn error_with(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        notes: Vec<String>,
    ) {
        self.push(code, Location::Span(span), message.into(), notes);
    }

    /// An error that shows only when the whole program is known.
    #[cold]
    pub(crate) fn whole(&mut self, code: Code, message: impl Into<String>) {
        self.push(code, Location::WholeProgram, message.into(), Vec::new());
    }

    fn push(&mut self, code: Code, location: Location, message: String, notes: Vec<String>) {
        match self.list.len().cmp(&limits::ERRORS) {
            std::cmp::Ordering::Less => {
                self.list.push(Diagnostic {
                    code,
                    severity: Severity::Error,
                    message,
                    location,
                    notes,
                });
            }
            std::cmp::Ordering::Equal => self.list.push(Diagnostic {
                code: Code::TooManyErrors,
                severity: Severity::Error,
                message: format!("more than {} errors", limits::ERRORS),
                location: Location::WholeProgram,
                notes: Vec::new(),
            }),
            std::cmp::Ordering::Greater => {}
        }
    }

    /// The messages in source order, those about the whole program last.
    pub(crate) fn finish(mut self) -> Diagnostics {
        self.list
            .sort_by_key(|diagnostic| match diagnostic.location {
                Location::Span(span) => span.start,
                Location::WholeProgram => u32::MAX,
            });
        Diagnostics { list: self.list }
    }
}
