//! Collects diagnostics while a program is read, and hints for misspelt words.

use crate::codes::{Code, LenientRule};
use crate::diag::{Diagnostic, Diagnostics, Location, Severity};
use crate::lang::limits;
use crate::source::Acceptance;
use glasm_ir::Span;

/// The current messages. Past [`limits::ERRORS`] further errors are dropped.
#[derive(Clone, Debug, Default)]
pub(crate) struct DiagnosticSink {
    acceptance: Acceptance,
    // Errors only: warnings are stored separately, so that `has_errors` need not read severities.
    errors: Vec<Diagnostic>,
    /// First location and number of further ones, for each lenient rule that the program broke.
    warnings: Vec<(LenientRule, Diagnostic, u32)>,
}

impl DiagnosticSink {
    /// Creates an empty list of messages; `acceptance` determines which faults of programs are
    /// warnings.
    pub(crate) fn new(acceptance: Acceptance) -> Self {
        Self {
            acceptance,
            ..Self::default()
        }
    }

    /// Returns which programs load: valid ones only, or also those with faults of shipped programs.
    pub(crate) fn acceptance(&self) -> Acceptance {
        self.acceptance
    }

    /// Returns the number of errors.
    pub(crate) fn error_count(&self) -> usize {
        self.errors.len()
    }

    /// Returns true if more errors were reported than the limit, so that further checks are of no
    /// use.
    pub(crate) fn is_full(&self) -> bool {
        // One message more than the limit: the last one reports that there are too many.
        self.errors.len() > limits::ERRORS
    }

    /// Returns true if an error was reported; warnings do not prevent translation.
    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Reports a rule that shipped programs break: an error for strict callers, else a warning.
    /// Every rule warns once, at the first location. Returns true if the program is accepted, with
    /// the semantics that the rule's table entry defines.
    pub(crate) fn report_lenient(
        &mut self,
        rule: LenientRule,
        span: Span,
        message: impl Into<String>,
    ) -> bool {
        self.report_lenient_at(rule, Location::Span(span), message.into())
    }

    /// Reports, as [`report_lenient`](Self::report_lenient) does, a rule that can be checked only
    /// for the whole program; the message has no location.
    pub(crate) fn report_lenient_program(
        &mut self,
        rule: LenientRule,
        message: impl Into<String>,
    ) -> bool {
        self.report_lenient_at(rule, Location::WholeProgram, message.into())
    }

    /// Reports a broken rule that shipped programs break: strict callers get an error, others one
    /// warning for each rule, which counts its further locations. Returns true if the program is
    /// accepted.
    fn report_lenient_at(
        &mut self,
        rule: LenientRule,
        location: Location,
        message: String,
    ) -> bool {
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
    pub(crate) fn report_error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.push(code, Location::Span(span), message.into(), Vec::new());
    }

    /// Removes all errors with this code at this span, which turned out to be consequences of
    /// another one. Does nothing if there is none.
    pub(crate) fn retract(&mut self, code: Code, span: Span) {
        self.errors
            // Code and location identify the error: a rule reports once at a location.
            .retain(|it| it.code != code || it.location != Location::Span(span));
    }

    /// Reports an error at `span` with hints. It is dropped if there are too many already.
    pub(crate) fn report_error_with_notes(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        notes: Vec<String>,
    ) {
        self.push(code, Location::Span(span), message.into(), notes);
    }

    /// Reports an error that is found only when the whole program is known.
    pub(crate) fn report_program_error(&mut self, code: Code, message: impl Into<String>) {
        self.push(code, Location::WholeProgram, message.into(), Vec::new());
    }

    /// Removes and returns all errors; warnings remain.
    pub(crate) fn take_errors(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.errors)
    }

    /// Appends an error, unless the limit of errors is reached.
    pub(crate) fn push_error(&mut self, error: Diagnostic) {
        self.push(error.code, error.location, error.message, error.notes);
    }

    /// Adds an error. The first one beyond [`limits::ERRORS`] is replaced by an error about their
    /// number, further ones are dropped.
    fn push(&mut self, code: Code, location: Location, message: String, notes: Vec<String>) {
        // A source full of errors must not fill the memory with messages.
        match self.errors.len().cmp(&limits::ERRORS) {
            std::cmp::Ordering::Less => {
                let error = Diagnostic::new(code, Severity::Error, location, message);
                self.errors.push(Diagnostic { notes, ..error });
            }
            std::cmp::Ordering::Equal => self.errors.push(Diagnostic::whole_program(
                Code::TooManyErrors,
                format!("more than {} errors", limits::ERRORS),
            )),
            std::cmp::Ordering::Greater => {}
        }
    }

    /// Returns the messages in source order, those about the whole program last; each warning of a
    /// lenient rule has a note with the number of further locations.
    pub(crate) fn finish(self) -> Diagnostics {
        let mut diagnostics = self.errors;
        diagnostics.extend(
            self.warnings
                .into_iter()
                .map(|(rule, warning, more)| add_lenient_note(rule, warning, more)),
        );
        // The sort is stable: messages at one location remain in the order in which they were
        // reported.
        diagnostics.sort_by_key(|diagnostic| match diagnostic.location {
            Location::Span(span) => span.start,
            // Spans are below this, because the length of a program is limited.
            Location::WholeProgram => u32::MAX,
        });
        Diagnostics { list: diagnostics }
    }
}

/// Returns the warning of a lenient rule with a note: the accepted semantics and the number of
/// further locations that break the rule.
fn add_lenient_note(rule: LenientRule, mut warning: Diagnostic, further_count: u32) -> Diagnostic {
    let info = rule.info();
    let further_locations = match further_count {
        0 => String::new(),
        1 => " here and in one more location".to_owned(),
        more => format!(" here and at {more} more places"),
    };
    warning.notes.push(format!(
        "note: accepted{further_locations}: {}; strict loading refuses it",
        info.accepted
    ));
    warning
}

/// Returns a hint that names the candidate closest to `text`; `None` if none is close, see
/// [`find_closest`].
pub(crate) fn suggest_spelling<'a>(
    text: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<String> {
    find_closest(text, candidates).map(|candidate| format!("did you mean `{candidate}`?"))
}

/// Returns the word that a hint of a diagnostic suggests instead of the one that is wrong; `None`
/// for notes that suggest none.
pub fn parse_spelling_hint(note: &str) -> Option<&str> {
    note.strip_prefix("did you mean `")?.strip_suffix("`?")
}

/// Returns the candidate closest to `text`, ignoring case, if one is close: one character, or two
/// in words of more than four bytes, are added, missing or wrong. `None` for words of one byte or
/// more than 64 bytes; a candidate that equals `text` is skipped.
pub fn find_closest<'a>(text: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // A short word may differ in few characters, else every other short word is close to it.
    let limit = match text.len() {
        0 | 1 => return None,
        2..=4 => 1,
        _ => 2,
    };
    // No word of the languages is as long, and the distance takes time in proportion to both
    // lengths.
    if text.len() > 64 {
        return None;
    }
    // Wrong case is a common mistake: the languages are case-sensitive.
    let upper = text.to_ascii_uppercase();
    candidates
        // A candidate that equals the word is not a hint; nor is one whose length alone is too
        // different.
        .filter(|candidate| candidate.len().abs_diff(text.len()) <= limit && *candidate != text)
        .map(|candidate| {
            (
                edit_distance(&upper, &candidate.to_ascii_uppercase()),
                candidate,
            )
        })
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the smallest number of insertions, removals and replacements of bytes between two words.
fn edit_distance(a: &str, b: &str) -> usize {
    let b = b.as_bytes();
    // One line of the matrix of distances between all prefixes of both words: each line depends
    // only on the preceding one.
    let mut costs: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = costs[0];
        costs[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = costs[j + 1];
            costs[j + 1] = replaced.min(costs[j] + 1).min(diagonal + 1);
        }
    }
    costs[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("same", "same"), 0);
    }

    #[test]
    fn close_words_are_suggested() {
        let words = ["colour", "normal", "R0"];
        assert_eq!(
            suggest_spelling("color", words.into_iter()).as_deref(),
            Some("did you mean `colour`?")
        );
        let hint = suggest_spelling("color", words.into_iter());
        assert_eq!(
            hint.as_deref().and_then(parse_spelling_hint),
            Some("colour")
        );
        assert_eq!(parse_spelling_hint("it takes F, S"), None);
        assert_eq!(suggest_spelling("xyzzy", words.into_iter()), None);
        assert_eq!(suggest_spelling("R", words.into_iter()), None);
    }
}
