//! What OpenGL has to refuse: draws whose primitives do not fit the programs, vertex limits.

use super::execution::Execution;
use super::problem::{Problem, unused};
use crate::error::Error;
use glasm::ir::Stage;
use glasm_scripts::script::GlOutcome;

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
