//! Accesses to one of several textures: an element of an array of units, or one that a handle chooses.
//!
//! Where the device cannot index descriptors as the access asks, a switch has a case for each texture. All that the cases share is read
//! before, derivatives too: cases run apart from each other, so the level of detail would be undefined where invocations choose
//! different textures.

use crate::builder::Lane;
use crate::emit::Emit;
use crate::emit::cx::InstCx;
use crate::emit::memory::member::{Indexing, Member, find_number_for_cases};
use crate::emit::texture::access::Access;
use crate::emit::texture::wrap::keep_detail;
use crate::error::Failure;
use glasm_ir::TexAccess;

impl Emit<'_> {
    /// Runs `access` with a texture that the device can index: several times if there must be a case for each one.
    pub(super) fn with_texture(
        &mut self,
        cx: InstCx<'_>,
        data: TexAccess,
        mut access: impl FnMut(&mut Self, Access, Member) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        let texture = self.program.textures[data.texture];
        let len = self.texture_count(texture.units).unwrap_or(1);
        let member = self.member(data.element, len)?;
        let mut sources = self.texture_sources(cx, data)?;
        let indexing = Indexing::of_textures(texture.target);
        let divergent = matches!(member, Member::Divergent(_));
        // With one texture for all invocations all of them take the same case, and derivatives stay defined.
        if divergent
            && find_number_for_cases(self.w, indexing, member).is_some()
            && let Some(coordinate) = sources.coordinate
        {
            keep_detail(self.w, &mut sources, coordinate);
        }
        self.at_member(indexing, member, len, |emit, member| {
            access(emit, sources, member)
        })
    }
}
