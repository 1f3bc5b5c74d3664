//! Commands of NV_vertex_program: parameters that track matrices, state programs.

use super::programs::{load, refused};
use super::{Execution, Outcome, Problem, unused};
use crate::error::Error;
use crate::gl::{self, Gl, Program};
use glasm::state::{MatrixForm, TrackedMatrix, Tracking};
use std::collections::BTreeMap;

/// The extension that has all of this.
const EXTENSION: &str = "GL_NV_vertex_program";

/// The state programs that are loaded: that of the script without a name, and spare programs, which stay once they were executed.
#[derive(Default)]
pub(super) struct StatePrograms {
    loaded: BTreeMap<Option<usize>, Program>,
}

impl StatePrograms {
    pub(super) fn set(&mut self, spare: Option<usize>, program: Program) {
        self.loaded.insert(spare, program);
    }

    /// Whether there is one, so that parameters of vertex programs are what NV_vertex_program says.
    pub(super) fn any(&self) -> bool {
        !self.loaded.is_empty()
    }
}

/// `track`. NV_vertex_program section 2.14.5.
pub(super) fn track_matrix(
    gl: &Gl,
    address: u32,
    tracking: Option<Tracking>,
) -> Result<(), Problem> {
    super::support::require_extension(gl, EXTENSION)?;
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

/// What OpenGL calls a matrix that can be tracked.
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

impl Execution<'_> {
    /// `state program`: executes a program, which must have been loaded unless it is a spare one.
    pub(super) fn execute_state_program(
        &mut self,
        spare: Option<usize>,
        argument: [u32; 4],
        outcome: Outcome,
    ) -> Result<(), Problem> {
        if self.modules.is_some() {
            return Err(unused("vertex state programs as modules"));
        }
        self.demand(EXTENSION)?;
        if let Some(index) = spare
            && !self.state_programs.loaded.contains_key(&spare)
        {
            let program = &self.script.spares[index].program;
            let loaded = load(&self.gl, program)?;
            let loaded = loaded.map_err(|error| refused(self.script, program, &error))?;
            self.state_programs.set(spare, loaded);
        }
        let program = self.state_programs.loaded.get(&spare);
        let program = program.ok_or_else(|| "there is no vertex state program".to_owned())?;
        let executed = self
            .gl
            .execute_program(program, argument.map(f32::from_bits));
        match (outcome, executed) {
            (Outcome::Fails, Ok(())) => {
                let message = "the driver executes the program, which is an error";
                Err(message.to_owned().into())
            }
            (Outcome::Fails, Err(Error::Gl { .. })) => Ok(()),
            (Outcome::Writes | Outcome::Fails, executed) => Ok(executed?),
        }
    }
}
