//! Expected errors of the programs of a script, compared with the reported ones.

use super::ScriptCompiler;
use crate::outcome::Failure;
use crate::script::{Command, ExpectedError, ExpectedPlace, ProgramForm, ProgramSection, Script};
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
    pub fn refused_loads(&self) -> impl Iterator<Item = (u32, &ProgramSection, &ExpectedError)> {
        self.steps.iter().filter_map(|step| {
            if let Command::Load {
                spare,
                error: Some(error),
            } = &step.command
            {
                return Some((step.line, &self.spares[*spare].program, error));
            }
            None
        })
    }
}

impl ScriptCompiler<'_> {
    /// Compares the errors of the programs with the expected ones, if a script expects any.
    pub fn check_expected_errors(&self) -> Option<Vec<Failure>> {
        let mut expected = self.script.expected_errors();
        if expected.is_empty() {
            return None;
        }
        let mut failures = Vec::new();
        for (section, compiled) in self.compile_by_themselves() {
            if let Err(diagnostics) = compiled {
                let errors = errors(&diagnostics);
                failures.extend(self.unclaimed("error", section, errors, &mut expected));
            }
        }
        failures.extend(missing("error", &expected));
        failures.sort_by_key(|failure| failure.line);
        Some(failures)
    }

    /// Compares the warnings about the programs with the expected ones, if a script expects any. A
    /// program that does not load is reported when it is needed.
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
        for section in self.own_sections() {
            let (_, diagnostics) = glasm::translate(&self.source(section));
            let all = diagnostics.list.iter();
            let warnings = all.filter(|found| found.severity == Severity::Warning);
            failures.extend(self.unclaimed("warning", section, warnings, &mut expected));
        }
        failures.extend(missing("warning", &expected));
        failures.sort_by_key(|failure| failure.line);
        failures
    }

    /// Removes the messages about a program from the expected ones; messages that were not expected
    /// are failures.
    fn unclaimed<'d>(
        &self,
        what: &str,
        section: &ProgramSection,
        messages: impl Iterator<Item = &'d Diagnostic>,
        expected: &mut Vec<(u32, &ExpectedError)>,
    ) -> Vec<Failure> {
        let mut failures = Vec::new();
        for found in messages {
            let mut left = expected.iter();
            match left.position(|(_, wanted)| matches(wanted, found, section)) {
                Some(index) => {
                    expected.remove(index);
                }
                None => failures.push(self.unexpected(what, section, found)),
            }
        }
        failures
    }

    /// Compiles the assembly programs of the pipeline as draws use them: linked together, if there
    /// are no other programs.
    pub fn compile_all(&self) -> Vec<(&ProgramSection, Result<Shader, Diagnostics>)> {
        let mut linked = self.link();
        let compile = |section: &'_ ProgramSection| {
            let place = linked.iter().position(|(stage, _)| *stage == section.stage);
            match place {
                Some(place) => linked.swap_remove(place).1,
                None => self.compile(section),
            }
        };
        let sections: Vec<&ProgramSection> = self.own_sections().collect();
        let compiled: Vec<_> = sections.iter().copied().map(compile).collect();
        sections.into_iter().zip(compiled).collect()
    }

    /// Compiles each program by itself. Its own errors precede those that only occur together with
    /// other stages.
    fn compile_by_themselves(&self) -> Vec<(&ProgramSection, Result<Shader, Diagnostics>)> {
        let beside = self.compile_all().into_iter();
        let both = beside.map(|(section, beside)| (section, self.compile(section).and(beside)));
        both.collect()
    }

    fn own_sections(&self) -> impl Iterator<Item = &ProgramSection> {
        let sections = self.script.programs.iter();
        sections.filter(|section| section.form == ProgramForm::Assembly)
    }

    /// Compiles the programs that commands load, except for those whose loading is expected to
    /// fail.
    pub fn compile_loads(&self) -> Vec<(&ProgramSection, Result<Shader, Diagnostics>)> {
        let is_refused = |section: &ProgramSection| {
            let mut refused = self.script.refused_loads();
            refused.any(|(_, other, _)| std::ptr::eq(other, section))
        };
        let spares = self.script.spares.iter().map(|spare| &spare.program);
        let loaded = spares.filter(|section| !is_refused(section));
        loaded
            .map(|section| (section, self.compile(section)))
            .collect()
    }

    /// Returns the failure for an error or a warning that no line expects.
    fn unexpected(&self, what: &str, section: &ProgramSection, found: &Diagnostic) -> Failure {
        let message = format!("unexpected {what} {}", describe(found, section));
        let place = match found.location {
            Location::WholeProgram => None,
            Location::Span(span) => self.script.position(section, span.start as usize),
        };
        let number = |number: usize| u32::try_from(number).ok();
        Failure {
            line: place
                .and_then(|place| number(place.line))
                .or(Some(section.line)),
            column: place.and_then(|place| number(place.column)),
            message,
        }
    }

    /// Compiles the programs whose loading is expected to fail: each must have the expected error.
    pub fn check_loads(&self) -> Vec<Failure> {
        let mut failures = Vec::new();
        for (line, section, expected) in self.script.refused_loads() {
            let message = match self.compile(section) {
                Ok(_) => "the program loads".to_owned(),
                Err(diagnostics) => {
                    if errors(&diagnostics).any(|found| matches(expected, found, section)) {
                        continue;
                    }
                    let describe = |found: &Diagnostic| describe(found, section);
                    let all: Vec<String> = errors(&diagnostics).map(describe).collect();
                    all.join("; ")
                }
            };
            failures.push(Failure::new(
                Some(line),
                format!(
                    "expected error {}{}, but {message}",
                    expected.code.id(),
                    describe_place(expected.place)
                ),
            ));
        }
        failures
    }
}

/// Returns the failures for expected errors that no program has.
fn missing(what: &str, expected: &[(u32, &ExpectedError)]) -> Vec<Failure> {
    let failure = |(line, wanted): &(u32, &ExpectedError)| {
        let (code, place) = (wanted.code.id(), describe_place(wanted.place));
        Failure::new(
            Some(*line),
            format!("no program gives {what} {code}{place}"),
        )
    };
    expected.iter().map(failure).collect()
}

fn errors(diagnostics: &Diagnostics) -> impl Iterator<Item = &Diagnostic> {
    let all = diagnostics.list.iter();
    all.filter(|found| found.severity != Severity::Warning)
}

/// Returns line and column of a byte of a program, from 1.
fn position(text: &[u8], offset: usize) -> (usize, usize) {
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

fn matches(expected: &ExpectedError, found: &Diagnostic, section: &ProgramSection) -> bool {
    let place = match (expected.place, found.location) {
        (None, _) | (Some(ExpectedPlace::WholeProgram), Location::WholeProgram) => true,
        (Some(_), Location::WholeProgram)
        | (Some(ExpectedPlace::WholeProgram), Location::Span(_)) => false,
        (Some(ExpectedPlace::Start(start)), Location::Span(span)) => span.start == start,
        (Some(ExpectedPlace::Bytes { start, end }), Location::Span(span)) => {
            (span.start, span.end) == (start, end)
        }
        (Some(ExpectedPlace::Position { line, column }), Location::Span(span)) => {
            position(&section.text, span.start as usize) == (line, column)
        }
    };
    place && expected.code == found.code
}

fn describe(found: &Diagnostic, section: &ProgramSection) -> String {
    let place = match found.location {
        Location::WholeProgram => "at end".to_owned(),
        Location::Span(span) => {
            let (line, column) = position(&section.text, span.start as usize);
            format!("at {}..{} (line {line} col {column})", span.start, span.end)
        }
    };
    format!(
        "{} {place} of the {} program: {}",
        found.code.id(),
        section.stage.name(),
        found.message
    )
}

fn describe_place(place: Option<ExpectedPlace>) -> String {
    match place {
        None => String::new(),
        Some(ExpectedPlace::Start(start)) => format!(" at {start}"),
        Some(ExpectedPlace::Bytes { start, end }) => format!(" at {start}..{end}"),
        Some(ExpectedPlace::Position { line, column }) => format!(" at line {line} col {column}"),
        Some(ExpectedPlace::WholeProgram) => " at end".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Origin;
    use glasm::ir::{Span, Stage};
    use glasm::{Code, ProgramType};

    #[test]
    fn positions_count_from_one() {
        assert_eq!(position(b"ab\ncd", 0), (1, 1));
        assert_eq!(position(b"ab\ncd", 4), (2, 2));
        assert_eq!(position(b"ab\n", 99), (2, 1));
    }

    #[test]
    fn expected_errors_match_code_and_place() {
        let section = ProgramSection {
            program_type: ProgramType::Stage(Stage::Vertex),
            stage: Stage::Vertex,
            form: ProgramForm::Assembly,
            text: b"!!NVvp5.0\nMOV x;\n".to_vec(),
            line: 1,
            origin: Origin::default(),
        };
        let code = Code::from_id("E0102").unwrap();
        let other = Code::from_id("E0101").unwrap();
        let found = Diagnostic::error(code, Span::new(14, 15), "wrong");
        let expect = |code, place| matches(&ExpectedError { code, place }, &found, &section);
        assert!(expect(code, None));
        assert!(!expect(other, None));
        assert!(expect(code, Some(ExpectedPlace::Start(14))));
        assert!(expect(
            code,
            Some(ExpectedPlace::Bytes { start: 14, end: 15 })
        ));
        assert!(!expect(
            code,
            Some(ExpectedPlace::Bytes { start: 14, end: 16 })
        ));
        assert!(expect(
            code,
            Some(ExpectedPlace::Position { line: 2, column: 5 })
        ));
        assert!(!expect(code, Some(ExpectedPlace::WholeProgram)));
    }
}
