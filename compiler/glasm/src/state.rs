//! GL state and the parameters that programs read from it.

use glasm_ir::StateParam;

/// A 4x4 matrix in GL's order: `columns[c][r]`, column vectors.
pub type Matrix = [[f32; 4]; 4];

/// The GL state that `state.*` parameters read, with GL's initial values.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GlState {
    /// Modelview matrices.
    pub modelview: Vec<Matrix>,
}

impl GlState {
    /// The value of a parameter.
    pub fn evaluate(&self, param: StateParam) -> [f32; 4] {
        let _ = param;
        [0.0; 4]
    }
}
