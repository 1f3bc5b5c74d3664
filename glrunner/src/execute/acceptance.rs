//! Acceptance of programs by the driver: verdicts for comparisons, and scripts that expect errors.

use super::assembler::{error_offset, load_section};
use super::execution::Execution;
use crate::error::{Error, Problem};
use crate::gl::{self, Buffer, DrawCall, Elements, Gl, LoadError};
use glasm::Code;
use glasm_scripts::observation::{Rejection, Verdict, assembly_programs};
use glasm_scripts::results::Results;
use glasm_scripts::script::{Command, ProgramForm, Script, ScriptStep};
use std::rc::Rc;

/// Returns which assembly programs of a script the driver accepts, by loading each, alternate ones
/// included.
///
/// # Errors
/// If the driver fails in another way than by rejecting a program.
pub(crate) fn query_verdicts(gl: &Rc<Gl>, script: &Script) -> Result<Vec<Verdict>, Error> {
    let mut verdicts = Vec::new();
    for (number, program) in assembly_programs(script) {
        let rejected = match load_section(gl, program)? {
            Ok(_) => None,
            Err(error) => Some(to_rejection(error, &program.text)),
        };
        verdicts.push(Verdict {
            stage: program.stage,
            index: number,
            rejected,
        });
    }
    Ok(verdicts)
}

/// Returns the reason why a driver cannot be tested with a script that expects an error: size
/// limits depend on the implementation, and features that only glasm lacks are not errors. `None`
/// if it can, or the script expects none.
pub(crate) fn untestable_error(script: &Script) -> Option<String> {
    let expected = script.steps.iter().filter_map(|step| {
        if let Command::ExpectError(error) = &step.command {
            return Some(error.code);
        }
        None
    });
    let own = expected.into_iter().find(|code| is_glasm_specific(*code))?;
    Some(format!("{} depends on the implementation", own.id()))
}

/// Returns true if an error is due to this compiler, not to the program: an unsupported feature, a
/// feature that the device lacks, or an internal limit.
fn is_glasm_specific(code: Code) -> bool {
    matches!(code, Code::Unsupported | Code::FeatureMissing) || code.id().starts_with("E10")
}

/// Returns the driver's error of a program as an observation, with the offset in the text.
fn to_rejection(error: LoadError, text: &[u8]) -> Rejection {
    Rejection {
        position: error_offset(&error, text),
        message: error.message,
    }
}

/// Tests whether the driver rejects a program of a script that expects an error, or a draw with all
/// of them, and returns the results, with a failure if it accepts them; `None` if the script
/// expects none. The positions of errors are compared with those of other runs, not here: drivers
/// may report them differently.
pub(crate) fn check_expected_errors(gl: &Rc<Gl>, script: &Script) -> Option<Results> {
    let mut steps = script.steps.iter();
    let expected = steps.find(|step| matches!(step.command, Command::ExpectError(_)))?;
    let mut results = Results::default();
    let glasm_result = script
        .programs
        .iter()
        .filter(|program| program.form == ProgramForm::Assembly);
    for program in glasm_result {
        match load_section(gl, program) {
            Ok(Ok(_)) => {}
            Ok(Err(_)) => return Some(results),
            Err(error) => {
                results.add_failure(Some(program.line), error.to_string());
                return Some(results);
            }
        }
    }
    match rejects_combination(gl, script) {
        Ok(true) => {}
        Ok(false) => results.add_failure(Some(expected.line), "the driver accepts the program"),
        Err(message) => results.add_failure(Some(expected.line), message),
    }
    Some(results)
}

/// Returns true if the driver rejects draws with the programs of a script, which it has accepted
/// separately. OpenGL does so for units that programs use with different targets; false without a
/// draw for all other expected errors, which are those of one program. `Err` is the message if it
/// fails in another way.
fn rejects_combination(gl: &Rc<Gl>, script: &Script) -> Result<bool, String> {
    let is_conflict = |step: &ScriptStep| {
        let code = Code::TargetConflict;
        matches!(&step.command, Command::ExpectError(error) if error.code == code)
    };
    if script.programs.len() < 2 || !script.steps.iter().any(is_conflict) {
        return Ok(false);
    }
    rejects_draw(gl, script).map_err(|problem| match problem {
        Problem::Unsupported(message) | Problem::Script(message) => message,
        Problem::Program(failure) => failure.message,
        Problem::System(error) => error.to_string(),
    })
}

/// Returns true if the driver rejects a draw of one point with the programs of a script, which
/// load, into a new framebuffer.
fn rejects_draw(gl: &Rc<Gl>, script: &Script) -> Result<bool, Problem> {
    let mut execution = Execution::new(gl, script);
    execution.initialize()?;
    execution.bind_programs()?;
    // Scripts of errors draw nothing, so they have no framebuffer.
    execution.create_framebuffer()?;
    execution.framebuffer()?.bind()?;
    let drawn = gl.draw(
        &Buffer::new(gl, &[], gl::STREAM_DRAW)?,
        &DrawCall {
            mode: gl::POINTS,
            arrays: &[],
            elements: Elements::Range { first: 0, count: 1 },
            instances: 1,
            first_instance: 0,
        },
    );
    match drawn {
        Ok(()) => Ok(false),
        Err(Error::Gl { .. }) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_up_to_the_implementation() {
        let surplus = |code: &str| {
            let text = format!("[vertex program]\n!!ARBvp1.0\nEND\n[test]\nexpect error {code}\n");
            untestable_error(&Script::parse(text.as_bytes()).unwrap())
        };
        assert!(surplus("E1002").is_some() && surplus("E0906").is_some());
        assert_eq!(surplus("E0201"), None);
    }
}
