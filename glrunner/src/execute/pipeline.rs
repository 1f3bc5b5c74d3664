//! State of a draw.

use super::{Execution, Problem};
use glasm_scripts::script::pipeline_state::PipelineState;

impl Execution<'_> {
    pub(super) fn set_pipeline_state(&mut self, _state: &PipelineState) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }
}
