//! Captured vertices.

use super::{Execution, Problem};
use glasm_scripts::probe::Comparison;
use glasm_scripts::script::CaptureCount;

/// Captured vertices.
#[derive(Default)]
pub(super) struct Feedback;

impl Execution<'_> {
    pub(super) fn begin_capture(&mut self) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn end_capture(&mut self) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn probe_capture(
        &mut self,
        _line: u32,
        _count: CaptureCount,
        _comparison: Comparison,
        _expected: u64,
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }
}
