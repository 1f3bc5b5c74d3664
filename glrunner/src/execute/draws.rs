//! Draws: programs, state, vertices.

use super::{Execution, Problem};
use glasm_scripts::script::Draw;

impl Execution<'_> {
    pub(super) fn draw(&mut self, _draw: &Draw) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }
}
