//! Accesses to one of several textures: an element of an array of units, or one that a handle chooses.
//!
//! Where the device cannot index descriptors as the access asks, a switch has a case for each texture. All that the cases share is read
//! before, derivatives too: cases run apart from each other, so the level of detail would be undefined where invocations choose
//! different textures.

use super::Emit;
use super::cx::InstCx;
use super::place::Member;
use super::texture_access::Access;
use crate::builder::Lane;
use crate::error::Failure;
use glasm_ir::{TexAccess, TexTarget};

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
        let member = match data.element {
            Some(term) => self.member(term, len)?,
            None => Member::Constant(0),
        };
        let mut sources = self.texture_sources(cx, data)?;
        let device = self.w.device;
        let (dynamic, divergent) = match texture.target == TexTarget::Buffer {
            true => (
                device.uniform_texel_buffer_dynamic_indexing,
                device.uniform_texel_buffer_non_uniform_indexing,
            ),
            false => (
                device.sampled_image_dynamic_indexing,
                device.sampled_image_non_uniform_indexing,
            ),
        };
        let number = match member {
            Member::Uniform(number) if !dynamic => number,
            Member::Divergent(number) if !divergent => {
                if let Some(coordinate) = sources.coordinate {
                    self.w.keep_detail(&mut sources, coordinate);
                }
                number
            }
            Member::Constant(_) | Member::Uniform(_) | Member::Divergent(_) => {
                return access(self, sources, member);
            }
        };
        let number = self.w.val(number);
        self.lanes_by_case(number, len, |emit, case| {
            access(emit, sources, Member::Constant(case))
        })
    }
}
