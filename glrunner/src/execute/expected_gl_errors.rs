//! Errors that OpenGL must generate: draws whose primitives do not match the programs, vertex
//! limits.

use super::programs::Programs;
use crate::error::{Error, Problem};
use crate::gl::Gl;
use glasm::ir::Stage;
use glasm_scripts::script::GlOutcome;

/// Compares the result of a command with the outcome that the script expects: an error of OpenGL if
/// that is `Rejected`. Fails if the command succeeded then; other results are returned unchanged.
pub(super) fn check_outcome(
    outcome: GlOutcome,
    result: Result<(), Problem>,
    operation: &str,
) -> Result<(), Problem> {
    match (outcome, result) {
        (GlOutcome::Rejected, Ok(())) => {
            Err(format!("the driver takes {operation}, which is an error").into())
        }
        (GlOutcome::Rejected, Err(Problem::System(Error::Gl { .. }))) => Ok(()),
        (GlOutcome::Accepted | GlOutcome::Rejected, result) => result,
    }
}

/// Executes `vertex limit` for the geometry program that is loaded, which remains bound.
/// NV_geometry_program4 section 2.14.6.3. Fails if there is none, or if the driver's result is not
/// the expected outcome.
pub(super) fn limit_vertices(
    gl: &Gl,
    programs: &Programs,
    limit: i64,
    outcome: GlOutcome,
) -> Result<(), Problem> {
    let program = programs.get(Stage::Geometry);
    let program = program.ok_or_else(|| "there is no geometry program".to_owned())?;
    program.bind()?;
    let limit = i32::try_from(limit).map_err(|_| format!("{limit} is no integer of OpenGL"))?;
    gl.ProgramVertexLimitNV(program.target(), limit)?;
    let result = gl.check_errors("glProgramVertexLimitNV");
    check_outcome(outcome, result.map_err(Problem::from), "the vertex limit")
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
        let check = |outcome, result| check_outcome(outcome, result, "the draw");
        assert!(check(GlOutcome::Accepted, Ok(())).is_ok());
        assert!(check(GlOutcome::Rejected, failed()).is_ok());
        assert!(matches!(
            check(GlOutcome::Accepted, failed()),
            Err(Problem::System(found)) if found == error
        ));
        assert!(matches!(
            check(GlOutcome::Rejected, Ok(())),
            Err(Problem::Script(message)) if message == "the driver takes the draw, which is an error"
        ));
        // Features that a driver lacks are not errors.
        let lacking = Err(Problem::Unsupported("no points".to_owned()));
        assert!(matches!(
            check(GlOutcome::Rejected, lacking),
            Err(Problem::Unsupported(_))
        ));
    }
}
