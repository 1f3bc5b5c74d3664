//! Acceptance of programs by the driver: verdicts for comparisons, and scripts that expect errors.

use super::assembler::{error_place, load};
use super::execution::Execution;
use crate::error::{Error, Problem};
use crate::gl::{self, Buffer, DrawCall, Elements, Gl, LoadError};
use glasm::Code;
use glasm_scripts::observation::{Rejection, Verdict, assembly_programs};
use glasm_scripts::results::Results;
use glasm_scripts::script::{Command, ProgramForm, Script, Step};
use std::rc::Rc;

/// Returns which programs of a script the driver accepts.
///
/// # Errors
/// If the driver fails in another way than by rejecting a program.
pub(crate) fn verdicts(gl: &Rc<Gl>, script: &Script) -> Result<Vec<Verdict>, Error> {
    let mut verdicts = Vec::new();
    for (number, program) in assembly_programs(script) {
        let rejected = match load(gl, program)? {
            Ok(_) => None,
            Err(error) => Some(reject(error, &program.text)),
        };
        verdicts.push(Verdict {
            stage: program.stage,
            number,
            rejected,
        });
    }
    Ok(verdicts)
}

/// Returns the reason why a driver cannot be tested with a script that expects an error: size
/// limits depend on the implementation, and features that only glasm lacks are not errors.
pub(crate) fn surplus_error(script: &Script) -> Option<String> {
    let expected = script.steps.iter().filter_map(|step| {
        if let Command::ExpectError(error) = &step.command {
            return Some(error.code);
        }
        None
    });
    let own = expected.into_iter().find(|code| is_own(*code))?;
    Some(format!("{} depends on the implementation", own.id()))
}

fn is_own(code: Code) -> bool {
    matches!(code, Code::Unsupported | Code::FeatureMissing) || code.id().starts_with("E10")
}

fn reject(error: LoadError, text: &[u8]) -> Rejection {
    Rejection {
        position: error_place(&error, text),
        message: error.message,
    }
}

/// Returns true if the driver rejects a program of a script that expects an error; `None` if it
/// expects none. The positions of errors are compared with those of other runs, not here: drivers
/// may report them differently.
pub(crate) fn check_expected_errors(gl: &Rc<Gl>, script: &Script) -> Option<Results> {
    let mut steps = script.steps.iter();
    let expected = steps.find(|step| matches!(step.command, Command::ExpectError(_)))?;
    let mut results = Results::default();
    let own = script
        .programs
        .iter()
        .filter(|program| program.form == ProgramForm::Assembly);
    for program in own {
        match load(gl, program) {
            Ok(Ok(_)) => {}
            Ok(Err(_)) => return Some(results),
            Err(error) => {
                results.fail(Some(program.line), error.to_string());
                return Some(results);
            }
        }
    }
    match refuses_together(gl, script) {
        Ok(true) => {}
        Ok(false) => results.fail(Some(expected.line), "the driver accepts the program"),
        Err(message) => results.fail(Some(expected.line), message),
    }
    Some(results)
}

/// Returns true if the driver rejects draws with the programs of a script, which it has accepted
/// separately. OpenGL does so for units that programs use with different targets; all other errors
/// are those of one program.
fn refuses_together(gl: &Rc<Gl>, script: &Script) -> Result<bool, String> {
    let is_conflict = |step: &Step| {
        let code = Code::TargetConflict;
        matches!(&step.command, Command::ExpectError(error) if error.code == code)
    };
    if script.programs.len() < 2 || !script.steps.iter().any(is_conflict) {
        return Ok(false);
    }
    refuses_to_draw(gl, script).map_err(|problem| match problem {
        Problem::Lacking(message) | Problem::Script(message) => message,
        Problem::Program(failure) => failure.message,
        Problem::System(error) => error.to_string(),
    })
}

fn refuses_to_draw(gl: &Rc<Gl>, script: &Script) -> Result<bool, Problem> {
    let mut execution = Execution::new(gl, script);
    execution.make_ready()?;
    execution.use_programs()?;
    // Scripts of errors draw nothing, so they have no framebuffer.
    execution.new_framebuffer()?;
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
            surplus_error(&Script::parse(text.as_bytes()).unwrap())
        };
        assert!(surplus("E1002").is_some() && surplus("E0906").is_some());
        assert_eq!(surplus("E0201"), None);
    }
}
