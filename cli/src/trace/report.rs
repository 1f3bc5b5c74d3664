//! What both forms of output print.

use super::comparison::Comparison;
use super::scene::{Located, Scene};
use glasm_scene::trace::Trace;

/// What is printed.
pub(super) struct Report<'a> {
    /// The scene.
    pub(super) scene: &'a Scene,
    /// The invocation.
    pub(super) located: &'a Located,
    /// Its trace.
    pub(super) trace: &'a Trace,
    /// Indices of the statements that are shown.
    pub(super) shown: Vec<usize>,
    /// Number of selected statements that are not shown.
    pub(super) omitted: usize,
    /// Comparison with the device.
    pub(super) comparison: Comparison,
}
