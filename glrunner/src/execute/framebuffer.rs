//! The framebuffer of a script: clearing, probing, pictures.

use super::{Execution, Problem};
use glasm_scripts::probe::pixels::{PixelProbe, Surface};
use glasm_scripts::script::Clear;

/// The framebuffer of a script: clearing, probing, pictures.
#[derive(Default)]
pub(super) struct ScriptFramebuffer;

impl Execution<'_> {
    pub(super) fn make_framebuffer(&mut self) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn clear(&mut self, _clear: &Clear) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn probe_pixels(&mut self, _line: u32, _probe: &PixelProbe) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn save_image(&mut self, _name: &str, _surface: Surface) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn picture_attachments(&mut self) {}
}
