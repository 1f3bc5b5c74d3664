//! Records what a script leaves.

use super::{Execution, Problem};

impl Execution<'_> {
    pub(super) fn observe_end(&mut self) -> Result<(), Problem> {
        Ok(())
    }
}
