//! Accesses to one of several textures: an element of an array of units, or one that a handle chooses.
//!
//! Where the device cannot index descriptors as the access asks, a switch has a case for each texture. All that the cases share is read
//! before, derivatives too: cases run apart from each other, so the level of detail would be undefined where invocations choose
//! different textures.

use crate::builder::Lane;
use crate::emit::cx::{InstCx, TextureEmitter};
use crate::emit::memory::member::{
    Indexing, Member, choose_member, find_number_for_cases, run_at_member,
};
use crate::emit::texture::access::{Access, load_texture_sources};
use crate::emit::texture::object::count_textures;
use crate::emit::texture::wrap::keep_detail;
use crate::error::Failure;
use glasm_ir::TexAccess;

impl TextureEmitter<'_, '_> {
    /// Runs `access` with a texture that the device can index: several times if there must be a case for each one.
    pub(super) fn with_texture(
        &mut self,
        cx: InstCx<'_>,
        data: TexAccess,
        mut access: impl FnMut(&mut Self, Access, Member) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        let texture = self.f.program.textures[data.texture];
        let len = count_textures(self.f.options, texture.units).unwrap_or(1);
        let member = choose_member(self.f, data.element, len)?;
        let mut sources = load_texture_sources(self.f, cx, data)?;
        let indexing = Indexing::of_textures(texture.target);
        let divergent = matches!(member, Member::Divergent(_));
        // With one texture for all invocations all of them take the same case, and derivatives stay defined.
        if divergent
            && find_number_for_cases(self.f.w, indexing, member).is_some()
            && let Some(coordinate) = sources.coordinate
        {
            keep_detail(self.f.w, &mut sources, coordinate);
        }
        run_at_member(self, indexing, member, len, |emit, member| {
            access(emit, sources, member)
        })
    }
}
