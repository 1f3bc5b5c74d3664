//! Vertex attributes: arrays and current values.

use super::{Execution, Problem};

/// Vertex attributes: arrays and current values.
#[derive(Default)]
pub(super) struct Vertices;

impl Execution<'_> {
    pub(super) fn set_attribute(
        &mut self,
        _location: u32,
        _value: [f32; 4],
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }
}
