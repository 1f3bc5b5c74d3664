//! Storage images.

use super::{Execution, Problem};
use glasm_scripts::probe::pixels::PixelProbe;
use glasm_scripts::script::{BoundImage, ImageKey};
use glasm_scripts::texture::{PlaneId, Update};

/// Storage images.
#[derive(Default)]
pub(super) struct Images;

impl Execution<'_> {
    pub(super) fn update_image(&mut self, _key: ImageKey, _update: &Update) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn bind_image(
        &mut self,
        _place: ImageKey,
        _bound: &BoundImage,
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn probe_image(
        &mut self,
        _line: u32,
        _key: ImageKey,
        _plane: PlaneId,
        _probe: &PixelProbe,
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn print_image(&mut self, _key: ImageKey, _plane: PlaneId) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }
}
