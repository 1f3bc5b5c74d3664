//! Expected errors of the programs of a script, compared with the reported ones.

use super::ScriptCompiler;
use crate::results::Failure;
use crate::script::{
    Command, ExpectedError, ExpectedPosition, ProgramForm, ProgramSection, Script,
};
use glasm::{Diagnostic, Diagnostics, Location, Severity, Shader};

impl Script {
    /// Returns the errors that the script expects of its programs, with the lines of the
    /// expectations.
    pub fn expected_errors(&self) -> Vec<(u32, &ExpectedError)> {
        let steps = self.steps.iter();
        let expected = steps.filter_map(|step| {
            if let Command::ExpectError(error) = &step.command {
                return Some((step.line, error));
            }
            None
        });
        expected.collect()
    }

    /// Returns the loads that the script expects to fail: the line, the program, and the error.
    pub fn expected_load_failures(
        &self,
    ) -> impl Iterator<Item = (u32, &ProgramSection, &ExpectedError)> {
        self.steps.iter().filter_map(|step| {
            if let Command::Load {
                alternate,
                error: Some(error),
            } = &step.command
            {
                return Some((step.line, &self.alternates[*alternate].program, error));
            }
            None
        })
    }
}

impl ScriptCompiler<'_> {
    /// Compiles the programs of the pipeline and compares their errors with the expected ones.
    /// Returns a failure, sorted by line, for each expected error that no program has and for each
    /// other error; an error that occurs twice must be expected twice. `None` if the script expects
    /// no errors.
    pub fn check_expected_errors(&self) -> Option<Vec<Failure>> {
        let mut expected = self.script.expected_errors();
        if expected.is_empty() {
            return None;
        }
        let mut failures = Vec::new();
        for (section, compiled) in self.compile_with_own_errors_first() {
            if let Err(diagnostics) = compiled {
                let errors = only_errors(&diagnostics);
                failures.extend(self.match_expected("error", section, errors, &mut expected));
            }
        }
        failures.extend(missing_failures("error", &expected));
        failures.sort_by_key(|failure| failure.line);
        Some(failures)
    }

    /// Translates the programs of the pipeline and compares their warnings with the expected ones.
    /// Returns a failure, sorted by line, for each expected warning that no program has and for
    /// each other warning; a warning that occurs twice must be expected twice. Empty if the script
    /// expects no warnings. Errors of programs are not reported here.
    pub fn check_warnings(&self) -> Vec<Failure> {
        let steps = self.script.steps.iter();
        let expected = steps.filter_map(|step| {
            let Command::ExpectWarning(warning) = &step.command else {
                return None;
            };
            Some((step.line, warning))
        });
        let mut expected: Vec<(u32, &ExpectedError)> = expected.collect();
        let mut failures = Vec::new();
        if expected.is_empty() {
            return failures;
        }
        for section in self.pipeline_sections() {
            let (_, diagnostics) = glasm::translate(&self.source(section));
            let all = diagnostics.list.iter();
            let warnings = all.filter(|found| found.severity == Severity::Warning);
            failures.extend(self.match_expected("warning", section, warnings, &mut expected));
        }
        failures.extend(missing_failures("warning", &expected));
        failures.sort_by_key(|failure| failure.line);
        failures
    }

    /// Removes the messages about a program from the expected ones, each at most once. Returns a
    /// failure for each message that was not expected; `what` is `error` or `warning`.
    fn match_expected<'d>(
        &self,
        what: &str,
        section: &ProgramSection,
        messages: impl Iterator<Item = &'d Diagnostic>,
        expected: &mut Vec<(u32, &ExpectedError)>,
    ) -> Vec<Failure> {
        let mut failures = Vec::new();
        for found in messages {
            let mut left = expected.iter();
            match left.position(|(_, wanted)| matches_expectation(wanted, found, section)) {
                Some(index) => {
                    expected.remove(index);
                }
                None => failures.push(self.unexpected_failure(what, section, found)),
            }
        }
        failures
    }

    /// Compiles the assembly programs of the pipeline as draws use them: linked together if all
    /// programs are in assembly, otherwise each by itself. Stages that linking adds are omitted.
    pub fn compile_pipeline(&self) -> Vec<(&ProgramSection, Result<Shader, Diagnostics>)> {
        let mut linked = self.link();
        let compile = |section: &'_ ProgramSection| {
            let index = linked.iter().position(|(stage, _)| *stage == section.stage);
            match index {
                Some(place) => linked.swap_remove(place).1,
                None => self.compile(section),
            }
        };
        let sections: Vec<&ProgramSection> = self.pipeline_sections().collect();
        let compiled: Vec<_> = sections.iter().copied().map(compile).collect();
        sections.into_iter().zip(compiled).collect()
    }

    /// Compiles the programs of the pipeline as [`compile_pipeline`](Self::compile_pipeline) does,
    /// and each also by itself: errors of a program by itself replace those of the linked pipeline.
    fn compile_with_own_errors_first(&self) -> Vec<(&ProgramSection, Result<Shader, Diagnostics>)> {
        let pipeline = self.compile_pipeline().into_iter();
        pipeline
            .map(|(section, linked)| (section, self.compile(section).and(linked)))
            .collect()
    }

    /// Returns the assembly programs that the script has from the beginning, not those that it
    /// loads.
    fn pipeline_sections(&self) -> impl Iterator<Item = &ProgramSection> {
        let sections = self.script.programs.iter();
        sections.filter(|section| section.form == ProgramForm::Assembly)
    }

    /// Compiles the programs that commands load, each by itself, except for those whose loading is
    /// expected to fail.
    pub fn compile_loaded_programs(&self) -> Vec<(&ProgramSection, Result<Shader, Diagnostics>)> {
        let is_refused = |section: &ProgramSection| {
            let mut refused = self.script.expected_load_failures();
            refused.any(|(_, other, _)| std::ptr::eq(other, section))
        };
        let alternates = self
            .script
            .alternates
            .iter()
            .map(|alternate| &alternate.program);
        let loaded = alternates.filter(|section| !is_refused(section));
        loaded
            .map(|section| (section, self.compile(section)))
            .collect()
    }

    /// Returns the failure for an error or a warning (`what`) that no line expects, at its position
    /// in the script; at the line of the section if it is about the whole program.
    fn unexpected_failure(
        &self,
        what: &str,
        section: &ProgramSection,
        diagnostic: &Diagnostic,
    ) -> Failure {
        let message = format!(
            "unexpected {what} {}",
            describe_diagnostic(diagnostic, section)
        );
        let location = match diagnostic.location {
            Location::WholeProgram => None,
            Location::Span(span) => self.script.position(section, span.start as usize),
        };
        let number = |number: usize| u32::try_from(number).ok();
        Failure {
            line: location
                .and_then(|place| number(place.line))
                .or(Some(section.line)),
            column: location.and_then(|place| number(place.column)),
            message,
        }
    }

    /// Compiles the programs whose loading is expected to fail. Returns a failure, at the line of
    /// the load, for each that does not have the expected error; other errors in addition are
    /// accepted.
    pub fn check_loads(&self) -> Vec<Failure> {
        let mut failures = Vec::new();
        for (line, section, expected) in self.script.expected_load_failures() {
            let message = match self.compile(section) {
                Ok(_) => "the program loads".to_owned(),
                Err(diagnostics) => {
                    if only_errors(&diagnostics)
                        .any(|found| matches_expectation(expected, found, section))
                    {
                        continue;
                    }
                    let describe = |found: &Diagnostic| describe_diagnostic(found, section);
                    let all: Vec<String> = only_errors(&diagnostics).map(describe).collect();
                    all.join("; ")
                }
            };
            failures.push(Failure::new(
                Some(line),
                format!(
                    "expected error {}{}, but {message}",
                    expected.code.id(),
                    describe_position(expected.position)
                ),
            ));
        }
        failures
    }
}

/// Returns the failures for expected errors or warnings (`what`) that no program has, at their
/// lines.
fn missing_failures(what: &str, expected: &[(u32, &ExpectedError)]) -> Vec<Failure> {
    let failure = |(line, wanted): &(u32, &ExpectedError)| {
        let (code, place) = (wanted.code.id(), describe_position(wanted.position));
        Failure::new(
            Some(*line),
            format!("no program gives {what} {code}{place}"),
        )
    };
    expected.iter().map(failure).collect()
}

/// Returns the diagnostics that are not warnings.
fn only_errors(diagnostics: &Diagnostics) -> impl Iterator<Item = &Diagnostic> {
    let all = diagnostics.list.iter();
    all.filter(|found| found.severity != Severity::Warning)
}

/// Returns line and column, in characters, of a byte of a program, both from 1. Offsets past the
/// end denote the end.
fn line_and_column(text: &[u8], offset: usize) -> (usize, usize) {
    let before = &text[..offset.min(text.len())];
    let line_start = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    (
        line,
        String::from_utf8_lossy(&before[line_start..])
            .chars()
            .count()
            + 1,
    )
}

/// Returns true if a diagnostic has the code and the position that the script expects; without an
/// expected position only the code is compared.
fn matches_expectation(
    expected: &ExpectedError,
    diagnostic: &Diagnostic,
    section: &ProgramSection,
) -> bool {
    let positions = match (expected.position, diagnostic.location) {
        (None, _) | (Some(ExpectedPosition::WholeProgram), Location::WholeProgram) => true,
        (Some(_), Location::WholeProgram)
        | (Some(ExpectedPosition::WholeProgram), Location::Span(_)) => false,
        (Some(ExpectedPosition::Start(start)), Location::Span(span)) => span.start == start,
        (Some(ExpectedPosition::Bytes { start, end }), Location::Span(span)) => {
            (span.start, span.end) == (start, end)
        }
        (Some(ExpectedPosition::Position { line, column }), Location::Span(span)) => {
            line_and_column(&section.text, span.start as usize) == (line, column)
        }
    };
    positions && expected.code == diagnostic.code
}

/// Formats a reported error or warning for a failure message: its code, byte range with line and
/// column, stage and message.
fn describe_diagnostic(diagnostic: &Diagnostic, section: &ProgramSection) -> String {
    let location = match diagnostic.location {
        Location::WholeProgram => "at end".to_owned(),
        Location::Span(span) => {
            let (line, column) = line_and_column(&section.text, span.start as usize);
            format!("at {}..{} (line {line} col {column})", span.start, span.end)
        }
    };
    format!(
        "{} {location} of the {} program: {}",
        diagnostic.code.id(),
        section.stage.name(),
        diagnostic.message
    )
}

/// Formats the position that a script expects of an error, with a leading space; empty if it
/// expects none.
fn describe_position(position: Option<ExpectedPosition>) -> String {
    match position {
        None => String::new(),
        Some(ExpectedPosition::Start(start)) => format!(" at {start}"),
        Some(ExpectedPosition::Bytes { start, end }) => format!(" at {start}..{end}"),
        Some(ExpectedPosition::Position { line, column }) => {
            format!(" at line {line} col {column}")
        }
        Some(ExpectedPosition::WholeProgram) => " at end".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::SourceMap;
    use glasm::ir::{Span, Stage};
    use glasm::{Code, ProgramType};

    #[test]
    fn positions_count_from_one() {
        assert_eq!(line_and_column(b"ab\ncd", 0), (1, 1));
        assert_eq!(line_and_column(b"ab\ncd", 4), (2, 2));
        assert_eq!(line_and_column(b"ab\n", 99), (2, 1));
    }

    #[test]
    fn expected_errors_match_code_and_place() {
        let section = ProgramSection {
            program_type: ProgramType::Stage(Stage::Vertex),
            stage: Stage::Vertex,
            form: ProgramForm::Assembly,
            text: b"!!NVvp5.0\nMOV x;\n".to_vec(),
            line: 1,
            source_map: SourceMap::default(),
        };
        let code = Code::from_id("E0102").unwrap();
        let other = Code::from_id("E0101").unwrap();
        let found = Diagnostic::error(code, Span::new(14, 15), "wrong");
        let expect = |code, place| {
            matches_expectation(
                &ExpectedError {
                    code,
                    position: place,
                },
                &found,
                &section,
            )
        };
        assert!(expect(code, None));
        assert!(!expect(other, None));
        assert!(expect(code, Some(ExpectedPosition::Start(14))));
        assert!(expect(
            code,
            Some(ExpectedPosition::Bytes { start: 14, end: 15 })
        ));
        assert!(!expect(
            code,
            Some(ExpectedPosition::Bytes { start: 14, end: 16 })
        ));
        assert!(expect(
            code,
            Some(ExpectedPosition::Position { line: 2, column: 5 })
        ));
        assert!(!expect(code, Some(ExpectedPosition::WholeProgram)));
    }
}
