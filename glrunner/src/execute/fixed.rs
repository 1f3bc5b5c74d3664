//! State that holds for the whole script: conventions, and what programs are compiled for on Vulkan.

use super::{Execution, Problem};

impl Execution<'_> {
    pub(super) fn set_conventions(&mut self) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn set_fixed_state(&mut self) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }
}
