//! Collects diagnostics while a program is read.

use crate::codes::Code;
use crate::diag::{Diagnostic, Diagnostics, Location, Severity};
use crate::lang::lenient::Rule;
use crate::lang::limits;
use crate::source::Acceptance;
use glasm_ir::Span;

/// The current messages. Past [`limits::ERRORS`] further errors are dropped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reports {
    acceptance: Acceptance,
    // Errors only: warnings are stored separately, so that `has_errors` need not read severities.
    list: Vec<Diagnostic>,
    /// First location and number of further ones, for each lenient rule that the program broke.
    warnings: Vec<(Rule, Diagnostic, u32)>,
}

impl Reports {
    /// Creates an empty list of messages.
    pub(crate) fn new(acceptance: Acceptance) -> Self {
        Self {
            acceptance,
            ..Self::default()
        }
    }

    /// Returns the rule for which programs load.
    pub(crate) fn acceptance(&self) -> Acceptance {
        self.acceptance
    }

    /// Returns the number of errors.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns true if so many errors were found that further checks are of no use.
    pub(crate) fn is_full(&self) -> bool {
        // One message more than the limit: the last one reports that there are too many.
        self.list.len() > limits::ERRORS
    }

    /// Returns true if there is an error.
    pub(crate) fn has_errors(&self) -> bool {
        !self.list.is_empty()
    }

    /// Reports a rule that shipped programs break: an error for strict callers, else a warning.
    /// Every rule warns once, at the first location. Returns true if the program is accepted, with
    /// the semantics that the rule's table entry defines.
    #[cold]
    pub(crate) fn lenient(&mut self, rule: Rule, span: Span, message: impl Into<String>) -> bool {
        self.lenient_at(rule, Location::Span(span), message.into())
    }

    /// Reports like [`lenient`](Self::lenient) a rule that can be checked only for the whole
    /// program.
    #[cold]
    pub(crate) fn lenient_whole(&mut self, rule: Rule, message: impl Into<String>) -> bool {
        self.lenient_at(rule, Location::WholeProgram, message.into())
    }

    fn lenient_at(&mut self, rule: Rule, location: Location, message: String) -> bool {
        let code = rule.info().code;
        if self.acceptance == Acceptance::Strict {
            // Strict callers get the error that the table entry names.
            self.push(code, location, message, Vec::new());
            return false;
        }
        match self.warnings.iter_mut().find(|(other, ..)| *other == rule) {
            Some((.., more)) => *more = more.saturating_add(1),
            None => {
                let warning = Diagnostic::new(code, Severity::Warning, location, message);
                self.warnings.push((rule, warning, 0));
            }
        }
        true
    }

    /// Reports an error at `span`.
    #[cold]
    pub(crate) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.push(code, Location::Span(span), message.into(), Vec::new());
    }

    /// Removes an error that turned out to be a consequence of another one.
    #[cold]
    pub(crate) fn retract(&mut self, code: Code, span: Span) {
        self.list
            // Code and location identify the error: a rule reports once at a location.
            .retain(|it| it.code != code || it.location != Location::Span(span));
    }

    /// Reports an error at `span` with hints.
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

    /// Reports an error that is found only when the whole program is known.
    #[cold]
    pub(crate) fn whole(&mut self, code: Code, message: impl Into<String>) {
        self.push(code, Location::WholeProgram, message.into(), Vec::new());
    }

    /// Removes all errors; warnings remain.
    pub(crate) fn take_errors(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.list)
    }

    /// Adds an error, unless there are too many.
    pub(crate) fn push_error(&mut self, error: Diagnostic) {
        self.push(error.code, error.location, error.message, error.notes);
    }

    fn push(&mut self, code: Code, location: Location, message: String, notes: Vec<String>) {
        // A source full of errors must not fill the memory with messages.
        match self.list.len().cmp(&limits::ERRORS) {
            std::cmp::Ordering::Less => {
                let error = Diagnostic::new(code, Severity::Error, location, message);
                self.list.push(Diagnostic { notes, ..error });
            }
            std::cmp::Ordering::Equal => self.list.push(Diagnostic::whole_program(
                Code::TooManyErrors,
                format!("more than {} errors", limits::ERRORS),
            )),
            std::cmp::Ordering::Greater => {}
        }
    }

    /// Returns the messages in source order, those about the whole program last.
    pub(crate) fn finish(self) -> Diagnostics {
        let mut list = self.list;
        list.extend(
            self.warnings
                .into_iter()
                .map(|(rule, warning, more)| explained(rule, warning, more)),
        );
        // The sort is stable: messages at one location remain in the order in which they were
        // reported.
        list.sort_by_key(|diagnostic| match diagnostic.location {
            Location::Span(span) => span.start,
            // Spans are below this, because the length of a program is limited.
            Location::WholeProgram => u32::MAX,
        });
        Diagnostics { list }
    }
}

/// Returns the warning of a lenient rule with a note: the accepted semantics and the number of
/// further locations.
fn explained(rule: Rule, mut warning: Diagnostic, more: u32) -> Diagnostic {
    let info = rule.info();
    let places = match more {
        0 => String::new(),
        1 => " here and at one more place".to_owned(),
        more => format!(" here and at {more} more places"),
    };
    warning.notes.push(format!(
        "note: accepted{places}: {}; strict loading refuses it",
        info.accepted
    ));
    warning
}
