//! What OpenGL has to refuse: draws whose primitives do not fit the programs, programs that do not go together, vertex limits.

use super::{Execution, Problem, unused};
use crate::error::Error;
use crate::gl::{self, Buffer, DrawCall, Elements, Gl};
use glasm::Code;
use glasm::ir::Stage;
use glasm_scripts::runner::Runner;
use glasm_scripts::script::{Command, GlOutcome, Script, Step};
use std::rc::Rc;

/// Compares what came of a command with what the script expects of it.
pub(super) fn settle(
    outcome: GlOutcome,
    result: Result<(), Problem>,
    what: &str,
) -> Result<(), Problem> {
    match (outcome, result) {
        (GlOutcome::Refused, Ok(())) => {
            Err(format!("the driver takes {what}, which is an error").into())
        }
        (GlOutcome::Refused, Err(Problem::System(Error::Gl { .. }))) => Ok(()),
        (GlOutcome::Accepted | GlOutcome::Refused, result) => result,
    }
}

/// Whether the driver refuses to draw with the programs of a script, which it has taken one by one. That is what OpenGL does about units that
/// programs use with different targets; all other errors are those of one program.
pub(super) fn refuses_together(gl: &Rc<Gl>, script: &Script) -> Result<bool, String> {
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
    execution.prepare()?;
    execution.use_programs()?;
    // Scripts of errors draw nothing, so they have none.
    execution.new_framebuffer()?;
    execution.use_framebuffer()?;
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

impl Execution<'_> {
    /// `vertex limit`, of the geometry program that is loaded. NV_geometry_program4 section 2.14.6.3.
    pub(super) fn limit_vertices(&self, limit: i64, outcome: GlOutcome) -> Result<(), Problem> {
        if self.modules.is_some() {
            return Err(unused("vertex limits of modules"));
        }
        let program = self.programs.get(Stage::Geometry);
        let program = program.ok_or_else(|| "there is no geometry program".to_owned())?;
        program.bind()?;
        let limit = i32::try_from(limit).map_err(|_| format!("{limit} is no integer of OpenGL"))?;
        self.gl.ProgramVertexLimitNV(program.target(), limit)?;
        let result = self.gl.check("glProgramVertexLimitNV");
        settle(outcome, result.map_err(Problem::from), "the vertex limit")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_fail_are_to_fail() {
        let error = Error::Gl {
            what: "drawing",
            messages: vec!["GL_INVALID_OPERATION".to_owned()],
        };
        let failed = || Err(Problem::from(error.clone()));
        let settled = |outcome, result| settle(outcome, result, "the draw");
        assert!(settled(GlOutcome::Accepted, Ok(())).is_ok());
        assert!(settled(GlOutcome::Refused, failed()).is_ok());
        assert!(matches!(
            settled(GlOutcome::Accepted, failed()),
            Err(Problem::System(found)) if found == error
        ));
        assert!(matches!(
            settled(GlOutcome::Refused, Ok(())),
            Err(Problem::Script(message)) if message == "the driver takes the draw, which is an error"
        ));
        // What a driver lacks is no refusal.
        let lacking = Err(Problem::Lacking("no points".to_owned()));
        assert!(matches!(
            settled(GlOutcome::Refused, lacking),
            Err(Problem::Lacking(_))
        ));
    }
}
