//! The errors that a script expects of its programs, and those that they give.

use super::CompileContext;
use glasm::{Diagnostic, Location, Severity, Source};
use glasm_scripts::outcome::Failure;
use glasm_scripts::script::{Command, ExpectedError, ExpectedPlace, ProgramForm, ProgramSection};

impl CompileContext<'_> {
    /// Compares the errors of the programs with the expected ones, where a script expects any.
    pub(crate) fn check_expected_errors(&self) -> Option<Vec<Failure>> {
        let mut expected: Vec<(u32, &ExpectedError)> = Vec::new();
        for step in &self.script.steps {
            if let Command::ExpectError(error) = &step.command {
                expected.push((step.line, error));
            }
        }
        if expected.is_empty() {
            return None;
        }
        let mut failures = Vec::new();
        let mut linked = self.link_assembly();
        for section in self
            .script
            .programs
            .iter()
            .filter(|section| section.form == ProgramForm::Assembly)
        {
            let name = self.source_name(section);
            let source = Source::new(&name, &section.text).for_stage(section.stage);
            let place = linked.iter().position(|(stage, _)| *stage == section.stage);
            let beside = place.map(|index| linked.swap_remove(index).1);
            // Some errors show beside other stages only.
            let compiled = glasm::compile(&source, &self.options(section.stage));
            let Err(diagnostics) = compiled.and_then(|shader| beside.unwrap_or(Ok(shader))) else {
                continue;
            };
            for diagnostic in diagnostics
                .list
                .iter()
                .filter(|found| found.severity != Severity::Warning)
            {
                let claim = expected
                    .iter()
                    .position(|(_, error)| matches(error, diagnostic, section));
                match claim {
                    Some(index) => {
                        expected.remove(index);
                    }
                    None => failures.push(Failure {
                        line: Some(section.line),
                        message: format!("unexpected error {}", describe(diagnostic, section)),
                    }),
                }
            }
        }
        failures.extend(expected.iter().map(|(line, error)| Failure {
            line: Some(*line),
            message: format!(
                "no program gives error {}{}",
                error.code.id(),
                describe_place(error.place)
            ),
        }));
        failures.sort_by_key(|failure| failure.line);
        Some(failures)
    }

    /// Loads the programs of which a script says that they fail: each must have the error that it names.
    pub(crate) fn check_loads(&self) -> Vec<Failure> {
        let mut failures = Vec::new();
        for step in &self.script.steps {
            let Command::Load {
                spare,
                error: Some(expected),
            } = &step.command
            else {
                continue;
            };
            let section = &self.script.spares[*spare].program;
            let name = self.source_name(section);
            let source = Source::new(&name, &section.text).for_stage(section.stage);
            let message = match glasm::compile(&source, &self.options(section.stage)) {
                Ok(_) => "the program loads".to_owned(),
                Err(diagnostics) => {
                    let is_error = |found: &&Diagnostic| found.severity != Severity::Warning;
                    let errors: Vec<_> = diagnostics.list.iter().filter(is_error).collect();
                    if errors.iter().any(|found| matches(expected, found, section)) {
                        continue;
                    }
                    let describe = |found: &&Diagnostic| describe(found, section);
                    errors.iter().map(describe).collect::<Vec<_>>().join("; ")
                }
            };
            failures.push(Failure {
                line: Some(step.line),
                message: format!(
                    "expected error {}{}, but {message}",
                    expected.code.id(),
                    describe_place(expected.place)
                ),
            });
        }
        failures
    }
}

/// Line and column of a byte of a program, from 1.
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
    use glasm::Code;
    use glasm::ir::{Span, Stage};

    #[test]
    fn positions_count_from_one() {
        assert_eq!(position(b"ab\ncd", 0), (1, 1));
        assert_eq!(position(b"ab\ncd", 4), (2, 2));
        assert_eq!(position(b"ab\n", 99), (2, 1));
    }

    #[test]
    fn expected_errors_match_code_and_place() {
        let section = ProgramSection {
            stage: Stage::Vertex,
            form: ProgramForm::Assembly,
            text: b"!!NVvp5.0\nMOV x;\n".to_vec(),
            line: 1,
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
