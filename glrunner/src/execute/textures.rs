//! Textures by texture image unit.

use super::{Execution, Problem};
use glasm_scripts::script::TextureEnables;
use glasm_scripts::texture::{Sampling, Update};

/// Textures by texture image unit.
#[derive(Default)]
pub(super) struct Textures;

impl Execution<'_> {
    pub(super) fn update_texture(&mut self, _unit: u32, _update: &Update) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn set_sampling(&mut self, _unit: u32, _sampling: Sampling) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn enable_textures(
        &mut self,
        _unit: u32,
        _enables: TextureEnables,
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }
}
