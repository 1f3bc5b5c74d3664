//! Dispatches.

use super::{Execution, Problem};
use glasm_scripts::script::Groups;

impl Execution<'_> {
    pub(super) fn dispatch(
        &mut self,
        _groups: Groups,
        _size: Option<[u32; 3]>,
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }
}
