//! Whether the driver refuses what scripts expect to be errors.

use super::assembler::load;
use super::execution::Execution;
use crate::error::{Error, Problem};
use crate::gl::{self, Buffer, DrawCall, Elements, Gl};
use glasm::Code;
use glasm_scripts::results::Results;
use glasm_scripts::script::{Command, ProgramForm, Script, Step};
use std::rc::Rc;

/// Whether the driver refuses a program of a script that expects an error; `None` if it expects none. The positions of errors are
/// compared with those of other runs, not here: drivers may count them in their own way.
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

/// Whether the driver refuses to draw with the programs of a script, which it has taken one by one. That is what OpenGL does about units that
/// programs use with different targets; all other errors are those of one program.
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
    // Scripts of errors draw nothing, so they have none.
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
