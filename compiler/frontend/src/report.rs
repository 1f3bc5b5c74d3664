//! Collects diagnostics while a program is read.

use crate::codes::Code;
use crate::diag::{Diagnostic, Diagnostics, Location, Severity};
use crate::lang::lenient::Rule;
use crate::lang::limits;
use crate::source::Acceptance;
use glasm_ir::Span;

/// The messages so far. Past [`limits::ERRORS`] further errors are dropped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reports {
    acceptance: Acceptance,
    // Errors only: warnings are kept apart, so that `has_errors` needs no look at severities.
    list: Vec<Diagnostic>,
    /// For each lenient rule that the program broke, the first place and how many more there are.
    warnings: Vec<(Rule, Diagnostic, u32)>,
}

impl Reports {
    /// No messages.
    pub(crate) fn new(acceptance: Acceptance) -> Self {
        Self {
            acceptance,
            ..Self::default()
        }
    }

    /// Which programs load.
    pub(crate) fn acceptance(&self) -> Acceptance {
        self.acceptance
    }

    /// Number of errors.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether so many errors were found that reading on is of no use.
    pub(crate) fn is_full(&self) -> bool {
        // One message more than the limit: the last one says that there are too many.
        self.list.len() > limits::ERRORS
    }

    /// Whether there is an error.
    pub(crate) fn has_errors(&self) -> bool {
        !self.list.is_empty()
    }

    /// A rule that shipped programs break: an error for strict callers, else a warning. Every rule warns once, at the first place.
    /// Returns whether the program is accepted, with the meaning that the rule's row gives to it.
    #[cold]
    pub(crate) fn lenient(&mut self, rule: Rule, span: Span, message: impl Into<String>) -> bool {
        self.lenient_at(rule, Location::Span(span), message.into())
    }

    /// Like [`lenient`](Self::lenient) where only the whole program shows that the rule is broken.
    #[cold]
    pub(crate) fn lenient_whole(&mut self, rule: Rule, message: impl Into<String>) -> bool {
        self.lenient_at(rule, Location::WholeProgram, message.into())
    }

    fn lenient_at(&mut self, rule: Rule, location: Location, message: String) -> bool {
        let code = rule.info().code;
        if self.acceptance == Acceptance::Strict {
            // Strict callers get the error that the row names.
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

    /// An error at `span`.
    #[cold]
    pub(crate) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.push(code, Location::Span(span), message.into(), Vec::new());
    }

    /// Takes back an error that turned out to follow from another one.
    #[cold]
    pub(crate) fn retract(&mut self, code: Code, span: Span) {
        self.list
            // The place is enough to find it: a rule reports once at a place.
            .retain(|it| it.code != code || it.location != Location::Span(span));
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

    /// Removes all errors; warnings stay.
    pub(crate) fn take_errors(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.list)
    }

    /// Adds an error, unless there are too many.
    pub(crate) fn push_error(&mut self, error: Diagnostic) {
        self.push(error.code, error.location, error.message, error.notes);
    }

    fn push(&mut self, code: Code, location: Location, message: String, notes: Vec<String>) {
        // A text full of errors must not fill the memory with messages.
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

    /// The messages in source order, those about the whole program last.
    pub(crate) fn finish(self) -> Diagnostics {
        let mut list = self.list;
        list.extend(
            self.warnings
                .into_iter()
                .map(|(rule, warning, more)| explained(rule, warning, more)),
        );
        // The sort is stable: messages at one place stay in the order in which the rules found them.
        list.sort_by_key(|diagnostic| match diagnostic.location {
            Location::Span(span) => span.start,
            // Spans are below this, because texts are.
            Location::WholeProgram => u32::MAX,
        });
        Diagnostics { list }
    }
}

/// The warning of a lenient rule with what it has to say.
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
