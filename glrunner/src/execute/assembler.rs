//! The driver's assembler: loading of programs, and error positions.

use crate::error::{Error, Problem};
use crate::gl::{Gl, LoadError, Program, ProgramTarget};
use glasm::ProgramType;
use glasm::ir::Stage;
use glasm_scripts::results::Failure;
use glasm_scripts::script::{ProgramSection, Script};
use std::rc::Rc;

/// Returns the program target for programs of a type.
pub(crate) fn target_for_type(program_type: ProgramType) -> ProgramTarget {
    match program_type {
        ProgramType::Stage(stage) => target_for_stage(stage),
        ProgramType::VertexState => ProgramTarget::VertexState,
    }
}

/// Returns the program target for programs of a stage.
pub(super) fn target_for_stage(stage: Stage) -> ProgramTarget {
    match stage {
        Stage::Vertex => ProgramTarget::Vertex,
        Stage::TessControl => ProgramTarget::TessControl,
        Stage::TessEval => ProgramTarget::TessEvaluation,
        Stage::Geometry => ProgramTarget::Geometry,
        Stage::Fragment => ProgramTarget::Fragment,
        Stage::Compute => ProgramTarget::Compute,
    }
}

/// Loads an assembly program, which is bound then unless it is a state program. The inner error is
/// that of the driver's assembler.
pub(super) fn load_section(
    gl: &Rc<Gl>,
    program: &ProgramSection,
) -> Result<Result<Program, LoadError>, Error> {
    Program::load(gl, target_for_type(program.program_type), &program.text)
}

/// Returns the failure for a program that the driver rejects, at the position in the script where
/// the driver finds the error, or at the line of the program.
pub(super) fn err_rejected(
    script: &Script,
    program: &ProgramSection,
    error: &LoadError,
) -> Problem {
    let stage = program.stage.name();
    let byte = error_offset(error, &program.text);
    let at = byte.map_or(String::new(), |byte| format!(" at byte {byte}"));
    let message = error.message.trim_end();
    let position = byte
        .filter(|byte| *byte < program.text.len())
        .and_then(|byte| script.position(program, byte));
    let number = |number: usize| u32::try_from(number).ok();
    Problem::Program(Failure {
        line: position
            .and_then(|location| number(location.line))
            .or(Some(program.line)),
        column: position.and_then(|location| number(location.column)),
        message: format!("the driver refuses the {stage} program{at}: {message}"),
    })
}

/// Returns the byte offset in a program where a driver finds its error; `None` if it does not
/// report one.
pub(super) fn error_offset(error: &LoadError, text: &[u8]) -> Option<usize> {
    let position = offset_in_message(&error.message, text);
    position.or_else(|| usize::try_from(error.position).ok())
}

/// Returns the byte offset that a message of Mesa's parser refers to, at most the length of the
/// program: `line 3, char 9: error: ...`; `None` for other messages. Its error position is the end
/// of the token, less all of the first token but one byte, and with two bytes for each line end, so
/// it cannot be compared with other drivers'.
fn offset_in_message(message: &str, text: &[u8]) -> Option<usize> {
    let (line, remainder) = message.strip_prefix("line ")?.split_once(", char ")?;
    let (column, _) = remainder.split_once(": error: ")?;
    let (line, column): (usize, usize) = (line.parse().ok()?, column.parse().ok()?);
    let mut lines = text.split_inclusive(|byte| *byte == b'\n');
    let before = lines.by_ref().take(line.checked_sub(1)?);
    let start: usize = before.map(<[u8]>::len).sum();
    Some((start + column.checked_sub(1)?).min(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_stand_at_lines_of_the_script() {
        let text = b"# note\n\n[fragment program]\n!!ARBfp1.0\nMOV r, q;\nEND\n";
        let script = Script::parse(text).unwrap();
        let failure = |position: i32, message: &str| {
            let error = LoadError {
                position,
                message: message.to_owned(),
                error: 0,
            };
            let problem = err_rejected(&script, &script.programs[0], &error);
            let Problem::Program(failure) = problem else {
                panic!("{problem:?}")
            };
            failure
        };
        let found = failure(18, "no q\n");
        assert_eq!((found.line, found.column), (Some(5), Some(8)));
        assert_eq!(
            found.message,
            "the driver refuses the fragment program at byte 18: no q"
        );
        // Messages of drivers about the whole program are located at its section.
        let whole = failure(25, "no END");
        assert_eq!((whole.line, whole.column), (Some(3), None));
        let unknown = failure(-1, "no reason");
        assert_eq!((unknown.line, unknown.column), (Some(3), None));
        assert_eq!(
            unknown.message,
            "the driver refuses the fragment program: no reason"
        );
        // The positions of Mesa's parser are authoritative.
        let mesa = failure(3, "line 2, char 5: error: no r");
        assert_eq!((mesa.line, mesa.column), (Some(5), Some(5)));
    }

    #[test]
    fn messages_of_mesa_have_places() {
        let text = b"!!ARBfp1.0\nTEMP t;\nMOV t, |t|;\nEND\n";
        let place = |message: &str| offset_in_message(message, text);
        assert_eq!(place("line 3, char 8: error: syntax error"), Some(26));
        assert_eq!(text[26], b'|');
        assert_eq!(place("line 1, char 1: error: invalid header"), Some(0));
        assert_eq!(
            place("line 9, char 9: error: unexpected end"),
            Some(text.len())
        );
        for other in [
            "line 0, char 1: error: x",
            "line 3: error",
            "error 3",
            "line x, char 1: error: y",
        ] {
            assert_eq!(place(other), None);
        }
    }
}
