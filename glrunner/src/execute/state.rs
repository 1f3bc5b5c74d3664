//! State that programs read: matrices, lights, materials, fog and the rest.

use super::{Execution, Problem};
use glasm_scripts::script::{MatrixTarget, MatrixUpdate, StateUpdate};

/// State that programs read: matrices, lights, materials, fog and the rest.
#[derive(Default)]
pub(super) struct State;

impl Execution<'_> {
    pub(super) fn update_matrix(
        &mut self,
        _target: MatrixTarget,
        _update: MatrixUpdate,
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn update_state(&mut self, _update: StateUpdate) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn set_depth_range(&mut self, _range: [f32; 2]) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn set_point_size(&mut self, _size: Option<f32>) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }
}
