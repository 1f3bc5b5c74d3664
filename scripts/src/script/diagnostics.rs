//! Converts errors of programs to errors at lines of their script.

use super::model::Script;
use super::section::ProgramSection;
use super::source_map::SourceMap;
use crate::results::Failure;
use glasm::frontend::diag::{LineMap, Position};
use glasm::ir::Span;
use glasm::{Diagnostic, Diagnostics, Location, Severity, Source};

impl Script {
    /// Returns the header of a program section as it appears in the script, such as `[fragment
    /// program]`; empty for programs that are in no script.
    pub fn section_header(&self, section: &ProgramSection) -> String {
        let line = self.text.get(section.source_map.header());
        String::from_utf8_lossy(line.unwrap_or_default().trim_ascii()).into_owned()
    }

    /// Returns the line and column of the script for a byte of a program; `None` for programs that
    /// are in no script.
    pub fn position(&self, section: &ProgramSection, byte: usize) -> Option<Position> {
        let offset = section.source_map.script_offset(section.text.len(), byte)?;
        Some(LineMap::new(&self.text).position_at(offset))
    }

    /// Converts messages about a program to messages about the script, with whose source they are
    /// displayed: locations become those in the script, with a note that names the section.
    /// Messages about the whole program are located at the section's header.
    pub fn map_diagnostics(
        &self,
        section: &ProgramSection,
        diagnostics: &Diagnostics,
    ) -> Diagnostics {
        let header = self.section_header(section);
        let header_start = u32::try_from(section.source_map.header().start).unwrap_or(u32::MAX);
        let header_length = u32::try_from(header.len()).unwrap_or(u32::MAX);
        let header_span = Span::new(header_start, header_start.saturating_add(header_length));
        let localized = |diagnostic: &Diagnostic| {
            let span = match diagnostic.location {
                Location::Span(span) => section.source_map.script_span(section.text.len(), span),
                Location::WholeProgram => None,
            };
            let mut message = Diagnostic {
                location: Location::Span(span.unwrap_or(header_span)),
                ..diagnostic.clone()
            };
            if span.is_some() {
                message.notes.push(format!("note: in {header}"));
            }
            message
        };
        Diagnostics {
            list: diagnostics.list.iter().map(localized).collect(),
        }
    }

    /// Returns the errors of a program, without warnings, as failures of the script, sorted and
    /// each at its line and column, drawn with lines of the script. `name` is the script's path.
    /// The messages about a generated program are one failure at the line of its section, with
    /// lines of the program.
    pub fn to_failures(
        &self,
        name: &str,
        section: &ProgramSection,
        diagnostics: &Diagnostics,
    ) -> Vec<Failure> {
        if section.source_map == SourceMap::default() {
            let source = Source::new(name, &section.text);
            return vec![Failure::new(
                Some(section.line),
                diagnostics.render(&source),
            )];
        }
        let is_error = |found: &&Diagnostic| found.severity != Severity::Warning;
        let list = diagnostics.list.iter().filter(is_error).cloned().collect();
        let mut errors = self.map_diagnostics(section, &Diagnostics { list });
        errors.sort();
        let source = Source::new(name, &*self.text);
        let lines = LineMap::new(&self.text);
        let messages = errors.render_each(&source).into_iter();
        let failure = |(found, message): (&Diagnostic, String)| {
            let position = match found.location {
                Location::Span(span) => Some(lines.position_at(span.start as usize)),
                Location::WholeProgram => None,
            };
            let number = |number: usize| u32::try_from(number).ok();
            Failure {
                line: position.and_then(|place| number(place.line)),
                column: position.and_then(|place| number(place.column)),
                message,
            }
        };
        errors.list.iter().zip(messages).map(failure).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::Code;

    /// Returns line and column of a byte of the first program.
    fn position(script: &Script, byte: usize) -> (usize, usize) {
        let place = script.position(&script.programs[0], byte).unwrap();
        (place.line, place.column)
    }

    fn parse(text: &str) -> Script {
        Script::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn bytes_of_programs_have_lines_of_the_script() {
        let script = parse("# a\n[comment]\nb\n[vertex program]\n!!NVvp5.0\r\n  MOV r, q;\nEND\n");
        let text = &script.programs[0].text;
        let q = text.iter().position(|byte| *byte == b'q').unwrap();
        assert_eq!(position(&script, 0), (5, 1));
        assert_eq!(position(&script, q), (6, 10));
        assert_eq!(position(&script, text.len()), (8, 1));
        assert_eq!(position(&script, text.len() + 9), (8, 1));
    }

    #[test]
    fn repeated_lines_stand_at_one_place() {
        let script =
            parse("[vertex program repeated]\nab\n%repeat 3 cd;\n%repeat 0 x\nefg\n%repeat 2 h\n");
        assert_eq!(script.programs[0].text, b"ab\ncd;\ncd;\ncd;\nefg\nh\nh\n");
        for (byte, place) in [
            (1, (2, 2)),
            (3, (3, 11)),
            (7, (3, 11)),
            (12, (3, 12)),
            (15, (5, 1)),
            (17, (5, 3)),
            (19, (6, 11)),
            (20, (6, 12)),
            (21, (6, 11)),
            (23, (7, 1)),
        ] {
            assert_eq!(position(&script, byte), place, "byte {byte}");
        }
    }

    #[test]
    fn errors_are_failures_at_their_lines() {
        let script = parse("[fragment  program]\n!!NVfp5.0\nMOV r, q;\nEND\n");
        let section = &script.programs[0];
        let list = vec![
            Diagnostic::whole_program(Code::ProgramTooLarge, "too long"),
            Diagnostic::warning(Code::UnexpectedToken, Span::new(10, 13), "doubtful"),
            Diagnostic::error(Code::UndeclaredName, Span::new(17, 18), "no q"),
        ];
        let failures = script.to_failures("a.shader_test", section, &Diagnostics { list });
        let places: Vec<_> = failures.iter().map(|it| (it.line, it.column)).collect();
        assert_eq!(places, [(Some(1), Some(1)), (Some(3), Some(8))]);
        assert!(
            failures[0].message.contains("--> a.shader_test:1:1")
                && failures[0].message.contains("1 | [fragment  program]\n"),
            "{}",
            failures[0].message
        );
        let lines: Vec<&str> = failures[1].message.lines().collect();
        assert_eq!(lines[0], "error[E0201]: no q");
        assert_eq!(lines[1].trim(), "--> a.shader_test:3:8");
        assert!(lines.contains(&"3 | MOV r, q;"), "{lines:?}");
        assert_eq!(
            lines.last().unwrap().trim(),
            "= note: in [fragment  program]"
        );
    }

    #[test]
    fn programs_that_stand_in_no_script_have_no_place() {
        let mut script = parse("[vertex program]\nx");
        script.programs[0].source_map = SourceMap::default();
        let section = &script.programs[0];
        assert!(script.position(section, 0).is_none());
        let error = Diagnostic::error(Code::UndeclaredName, Span::new(0, 1), "no x");
        let failures = script.to_failures("a", section, &error.into());
        assert_eq!((failures[0].line, failures[0].column), (Some(1), None));
        assert!(failures[0].message.contains("1 | x\n"));
    }
}
