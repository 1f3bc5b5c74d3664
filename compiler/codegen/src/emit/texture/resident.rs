//! Whether the texels that an access reads are populated.

use crate::builder::Val;
use crate::capability::Need;
use crate::emit::Emit;
use crate::emit::cx::{InstCx, Outcome, Texel};
use crate::error::{Error, Failure};
use glasm_ir::inst::TexAccessId;
use glasm_ir::{Aux, TexTarget};

impl Emit<'_> {
    /// `Resident`
    pub(in crate::emit) fn resident(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let program = self.program;
        let target = match cx.inst.aux {
            Aux::Tex(id) => program.textures[program.tex_accesses[id].texture].target,
            Aux::Image(id) => program.images[program.image_accesses[id].image].target,
            Aux::None | Aux::Cvt { .. } | Aux::Mem(_) => {
                return Err(Error::unsupported("residency without access data"));
            }
        };
        // EXT_sparse_texture2 has no functions for one-dimensional textures and leaves buffer textures out (issue 9).
        // Vulkan has no sparse images of one dimension (VUID-VkImageCreateInfo-imageType-00970).
        let never_sparse = matches!(
            target,
            TexTarget::D1 | TexTarget::D1Array | TexTarget::Buffer
        );
        if never_sparse || !self.w.device.resource_residency {
            return Ok(Outcome::Val(self.w.always()));
        }
        self.w.needs.insert(Need::SparseResidency);
        let resident = match cx.inst.aux {
            Aux::Tex(id) => self.texture_residency(cx, id)?,
            Aux::None | Aux::Cvt { .. } | Aux::Mem(_) | Aux::Image(_) => {
                self.image_residency(cx)?
            }
        };
        Ok(Outcome::Val(resident))
    }

    fn texture_residency(&mut self, cx: InstCx<'_>, id: TexAccessId) -> Result<Val, Failure> {
        let data = self.program.tex_accesses[id];
        let lanes = self.with_texture(cx, data, |emit, access, member| {
            emit.ask_residency();
            let lanes = emit.texture_lanes(access, member)?;
            emit.sparse.texel = Some(Texel {
                access: id,
                sources: cx.inst.source_range(),
                written: cx.inst.dst.map(|dst| dst.register),
                // Where there is a case for each texture this is the block of a case, in which no access follows.
                block: emit.w.block,
                remaining: emit.live.remaining(),
                lanes,
            });
            Ok(emit.residency_answer().alone())
        })?;
        Ok(self.w.val(lanes[0].id()))
    }
}
