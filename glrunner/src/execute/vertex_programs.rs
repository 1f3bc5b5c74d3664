//! Commands of NV_vertex_program: parameters that track matrices, state programs.

use super::assembler::{load, refused};
use super::programs::StatePrograms;
use super::support::require_extension;
use crate::error::{Error, Problem};
use crate::gl::{self, Gl};
use glasm::state::{MatrixForm, TrackedMatrix, Tracking};
use glasm_scripts::script::{Execution as Outcome, Script};
use std::rc::Rc;

/// Extension that has all of this.
const EXTENSION: &str = "GL_NV_vertex_program";

/// Executes `track`. NV_vertex_program section 2.14.5.
pub(super) fn track_matrix(
    gl: &Gl,
    address: u32,
    tracking: Option<Tracking>,
) -> Result<(), Problem> {
    require_extension(gl, EXTENSION)?;
    let (matrix, form) = match tracking {
        Some(Tracking { matrix, form }) => (name_of(matrix), form),
        None => (gl::NONE, MatrixForm::Plain),
    };
    let form = match form {
        MatrixForm::Plain => gl::IDENTITY_NV,
        MatrixForm::Inverse => gl::INVERSE_NV,
        MatrixForm::Transpose => gl::TRANSPOSE_NV,
        MatrixForm::InverseTranspose => gl::INVERSE_TRANSPOSE_NV,
    };
    gl.TrackMatrixNV(gl::VERTEX_PROGRAM_ARB, address, matrix, form)?;
    Ok(gl.check("glTrackMatrixNV")?)
}

/// Returns the constant of OpenGL for a matrix that can be tracked.
fn name_of(matrix: TrackedMatrix) -> u32 {
    match matrix {
        TrackedMatrix::Modelview => gl::MODELVIEW,
        TrackedMatrix::Projection => gl::PROJECTION,
        TrackedMatrix::Mvp => gl::MODELVIEW_PROJECTION_NV,
        TrackedMatrix::Color => gl::COLOR,
        TrackedMatrix::Texture(unit) => gl::TEXTURE0 + unit,
        TrackedMatrix::Program(number) => gl::MATRIX0_NV + number,
    }
}

/// Executes `state program`. The program must have been loaded unless it is a reloadable one.
pub(super) fn execute_state_program(
    gl: &Rc<Gl>,
    script: &Script,
    programs: &mut StatePrograms,
    (spare, argument): (Option<usize>, [u32; 4]),
    outcome: Outcome,
) -> Result<(), Problem> {
    require_extension(gl, EXTENSION)?;
    if let Some(index) = spare
        && programs.get(spare).is_none()
    {
        let program = &script.spares[index].program;
        let loaded = load(gl, program)?;
        let loaded = loaded.map_err(|error| refused(script, program, &error))?;
        programs.set(spare, loaded);
    }
    let program = programs.get(spare);
    let program = program.ok_or_else(|| "there is no vertex state program".to_owned())?;
    let executed = gl.execute_program(program, argument.map(f32::from_bits));
    match (outcome, executed) {
        (Outcome::Fails, Ok(())) => {
            let message = "the driver executes the program, which is an error";
            Err(message.to_owned().into())
        }
        (Outcome::Fails, Err(Error::Gl { .. })) => Ok(()),
        (Outcome::Writes | Outcome::Fails, executed) => Ok(executed?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::test_support::{reason, run_steps, with_execution, with_registers};
    use crate::gl::pretend::take_calls;

    #[test]
    fn matrices_are_tracked_by_their_names() {
        let text = "[test]\ntrack 4 modelview\ntrack 8 projection inverse\ntrack 12 mvp transpose\ntrack 16 color inverse_transpose\n\
            track 20 texture 3\ntrack 24 program 7\ntrack 4 none\n";
        with_registers(text, |_, execution| {
            run_steps(execution);
            // NV_vertex_program, "New Tokens": IDENTITY_NV and those after it,
            // MODELVIEW_PROJECTION_NV, MATRIX0_NV.
            let expected = [
                "4 0x1700 0x862a",
                "8 0x1701 0x862b",
                "12 0x8629 0x862c",
                "16 0x1800 0x862d",
                "20 0x84c3 0x862a",
                "24 0x8637 0x862a",
                "4 0x0 0x862a",
            ];
            assert_eq!(
                take_calls(),
                expected.map(|call| format!("track 0x8620 {call}"))
            );
        });
    }

    #[test]
    fn state_programs_run_by_name_and_are_loaded_once() {
        let text = "[vertex state program]\n!!VSP1.0\nMOV c[0], v[0];\nEND\n\
            [vertex state program other]\n!!VSP1.0 \nMOV c[1], v[0];\nEND\n\
            [test]\nstate program (1, 2, 3, -4)\nstate program other (5, 6, 7, 8)\nstate program other (0, 0, 0, 0)\n\
            probe parameter env_vp 9 == (9, 9, 9, -2)\n";
        with_registers(text, |_, execution| {
            execution.loader().load_programs().unwrap();
            run_steps(execution);
            let expected = [
                "load 0x8621 !!VSP1.0",
                "execute 0x8621 [1.0, 2.0, 3.0, -4.0]",
                "load 0x8621 !!VSP1.0 ",
                "execute 0x8621 [5.0, 6.0, 7.0, 8.0]",
                "execute 0x8621 [0.0, 0.0, 0.0, 0.0]",
            ];
            assert_eq!(take_calls(), expected);
        });
    }

    #[test]
    fn an_error_that_does_not_come_is_told() {
        let text = "[vertex state program]\n!!VSP1.0\nMOV c[0], v[0];\nEND\n[test]\nstate program (1, 2, 3, 4) fails\n";
        with_registers(text, |_, execution| {
            execution.loader().load_programs().unwrap();
            let result = execution.step(&execution.script.steps[0]);
            let told = matches!(&result, Err(Problem::Script(message)) if message.ends_with("which is an error"));
            assert!(told, "{result:?}");
        });
    }

    #[test]
    fn all_of_it_needs_the_extension() {
        with_execution("[test]\ntrack 4 modelview\n", |gl, execution| {
            if !gl.has(EXTENSION) {
                let result = execution.step(&execution.script.steps[0]);
                assert_eq!(reason(result), format!("the driver lacks {EXTENSION}"));
            }
        });
    }
}
