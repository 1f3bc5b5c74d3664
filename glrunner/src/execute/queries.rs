//! What OpenGL counts and says of programs.

use super::{Execution, Problem};
use glasm::ir::Stage;
use glasm_scripts::probe::Comparison;
use glasm_scripts::script::ComponentKind;

/// What OpenGL counts and says of programs.
#[derive(Default)]
pub(super) struct Queries;

impl Execution<'_> {
    pub(super) fn probe_samples(
        &mut self,
        _line: u32,
        _comparison: Comparison,
        _expected: u64,
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn probe_components(
        &mut self,
        _stage: Stage,
        _kind: ComponentKind,
        _comparison: Comparison,
        _expected: u32,
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }
}
