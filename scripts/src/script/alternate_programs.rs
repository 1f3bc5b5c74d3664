//! Program strings in addition to those of the pipeline: `[STAGE program NAME]`, which replaces the
//! stage's program on `load STAGE NAME`, and `[STAGE program repeated]`, which writes a line any
//! number of times.

use super::command::{Command, ScriptStep};
use super::model::Script;
use super::section::{AlternateProgram, ProgramForm, ProgramSection, Section, SectionKind};
use super::source_map::SourceMap;
use super::tokenizer::ScriptError;
use glasm::ir::Stage;
use std::borrow::Cow;

/// Maximum size of a program with repeated lines: slightly more than the compiler accepts.
const MAX_PROGRAM_BYTES: usize = 20 << 20;

/// Returns the program of a section that contains a reloadable one; `None` for sections of other
/// kinds. The program itself is not parsed.
pub(super) fn parse_alternate_program(section: &Section<'_>) -> Option<AlternateProgram> {
    let SectionKind::AlternateProgram(program_type) = section.kind else {
        return None;
    };
    Some(AlternateProgram {
        name: section.name.to_owned(),
        program: ProgramSection {
            program_type,
            stage: program_type.stage(),
            form: ProgramForm::Assembly,
            text: section.body.to_vec(),
            line: section.line,
            source_map: SourceMap::from_section(section),
        },
    })
}

/// Returns the source of a program section in which lines `%repeat N LINE` denote N lines, and the
/// origin of its bytes. Malformed lines are reported and omitted; the expansion ends, with an
/// error, where the source would exceed [`MAX_PROGRAM_BYTES`].
pub(super) fn expand_repeats(
    section: &Section<'_>,
    errors: &mut Vec<ScriptError>,
) -> (Vec<u8>, SourceMap) {
    let mut text = Vec::new();
    let mut origin = SourceMap::without_ranges(section);
    let mut at = section.start;
    let lines = section.body.split_inclusive(|byte| *byte == b'\n');
    for (line, number) in lines.zip(section.line + 1..) {
        let start = at;
        at += line.len();
        let Some(rest) = line.strip_prefix(b"%repeat ") else {
            origin.add_range(text.len(), start..at);
            text.extend_from_slice(line);
            continue;
        };
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let count = std::str::from_utf8(&rest[..digits]).unwrap_or_default();
        let (Ok(count), Some(b' ')) = (count.parse::<usize>(), rest.get(digits)) else {
            let message = "expected `%repeat N LINE`";
            errors.push(ScriptError::new(number, 1, message));
            continue;
        };
        let repeated = &rest[digits + 1..];
        // Checked before the source is generated: a short line can request any number of bytes.
        if count.saturating_mul(repeated.len())
            > MAX_PROGRAM_BYTES - text.len().min(MAX_PROGRAM_BYTES)
        {
            let message = format!("the program has more than {MAX_PROGRAM_BYTES} bytes");
            errors.push(ScriptError::new(number, 1, message));
            break;
        }
        origin.add_range(text.len(), at - repeated.len()..at);
        text.extend_from_slice(&repeated.repeat(count));
    }
    (text, origin)
}

impl Script {
    /// Reports alternate programs that no command loads or executes, and those that are loaded into
    /// a stage without an assembly program.
    pub(super) fn check_alternates(&self, errors: &mut Vec<ScriptError>) {
        for (index, alternate) in self.alternates.iter().enumerate() {
            let is_load = |step: &&ScriptStep| {
                let executed = matches!(step.command, Command::StateProgram { alternate, .. } if alternate == Some(index));
                executed
                    || matches!(step.command, Command::Load { alternate, .. } if alternate == index)
            };
            let (stage, line) = (alternate.program.stage, alternate.program.line);
            match self.steps.iter().find(is_load) {
                None => {
                    let message = format!(
                        "no command loads this program: `load {} {}`",
                        stage.name(),
                        alternate.name
                    );
                    errors.push(ScriptError::new(line, 1, message));
                }
                Some(step) if matches!(step.command, Command::StateProgram { .. }) => {}
                Some(step) => {
                    let mut programs = self.programs.iter();
                    let is_replaced = programs.any(|program| {
                        (program.stage, program.form) == (stage, ProgramForm::Assembly)
                    });
                    if !is_replaced {
                        let message = format!("the script has no {} program", stage.name());
                        errors.push(ScriptError::new(step.line, 1, message));
                    }
                }
            }
        }
    }

    /// Returns the script with the alternate programs of these indices instead of the programs of
    /// their stages, or added to those without one, and the transform feedback of the new programs.
    /// Borrowed if there are none.
    pub fn with_loaded_programs(&self, loaded: &[usize]) -> Cow<'_, Self> {
        if loaded.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut script = self.clone();
        for index in loaded {
            let program = &self.alternates[*index].program;
            let mut programs = script.programs.iter_mut();
            match programs.find(|old| old.stage == program.stage) {
                Some(old) => old.clone_from(program),
                // State programs are executed by name if there is none without a name.
                None => script.programs.push(program.clone()),
            }
        }
        if !script.requirements.streams.outputs.is_empty() {
            // Registers that another program does not have are results that it does not write.
            let feedback = script.stream_captures(&mut Vec::new());
            script.feedback = feedback.unwrap_or_default();
        }
        Cow::Owned(script)
    }

    /// Returns the stage of the alternate program with an index.
    pub fn alternate_stage(&self, alternate: usize) -> Stage {
        self.alternates[alternate].program.stage
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(body: &str) -> Result<Vec<u8>, String> {
        let text = format!("[fragment program repeated]\n{body}");
        match Script::parse(text.as_bytes()) {
            Ok(script) => Ok(script.programs[0].text.clone()),
            Err(errors) => Err(format!("{}: {}", errors[0].line, errors[0].message)),
        }
    }

    #[test]
    fn lines_are_repeated() {
        let text = program("!!NVfp4.0\n%repeat 3 MOV a, b;\n%repeat 0 gone\nEND\n").unwrap();
        assert_eq!(text, b"!!NVfp4.0\nMOV a, b;\nMOV a, b;\nMOV a, b;\nEND\n");
        let wrong = "2: expected `%repeat N LINE`";
        for line in [
            "%repeat x y\n",
            "%repeat 3\n",
            "%repeat 99999999999999999999 x\n",
        ] {
            assert_eq!(program(line).unwrap_err(), wrong);
        }
        let large = "3: the program has more than 20971520 bytes";
        assert_eq!(program("a\n%repeat 10485760 x\n").unwrap_err(), large);
        assert_eq!(
            program("a\n%repeat 18446744073709551615 x\n").unwrap_err(),
            large
        );
    }

    #[test]
    fn alternate_programs_are_loaded_by_name() {
        let script = |commands: &str| {
            let text =
                format!("[fragment program]\na\n[fragment program red]\nb\n[test]\n{commands}\n");
            Script::parse(text.as_bytes())
        };
        let parsed = script("load fragment red").unwrap();
        assert_eq!(parsed.programs[0].text, b"a\n");
        assert_eq!(parsed.with_loaded_programs(&[0]).programs[0].text, b"b\n");
        let command = |line: &str| script(line).unwrap().steps[0].command.clone();
        assert!(matches!(
            command("load fragment red fails with E0101 at 3"),
            Command::Load {
                alternate: 0,
                error: Some(_)
            }
        ));
        let error = |line: &str| script(line).unwrap_err()[0].message.clone();
        assert_eq!(
            error("load fragment blue"),
            "there is no section `[fragment program blue]`"
        );
        assert_eq!(
            error("clear"),
            "no command loads this program: `load fragment red`"
        );
        let alone = "[vertex program red]\nb\n[test]\nload vertex red\n";
        assert_eq!(
            Script::parse(alone.as_bytes()).unwrap_err()[0].message,
            "the script has no vertex program"
        );
    }
}
