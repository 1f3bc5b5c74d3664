//! Whether the texels that an access reads are populated.

use crate::builder::Val;
use crate::emit::cx::{InstCx, TextureEmitter};
use crate::emit::texture::sparse::Texel;
use crate::error::Failure;
use glasm_ir::inst::TexAccessId;

impl TextureEmitter<'_, '_> {
    pub(in crate::emit) fn emit_texture_residency(
        &mut self,
        cx: InstCx<'_>,
        id: TexAccessId,
    ) -> Result<Val, Failure> {
        let data = self.f.program.tex_accesses[id];
        let lanes = self.with_texture(cx, data, |emit, access, member| {
            emit.sparse.ask_residency();
            let lanes = emit.emit_access(access, member)?;
            emit.sparse.texel = Some(Texel {
                access: id,
                sources: cx.inst.source_range(),
                written: cx.inst.dst.map(|dst| dst.register),
                // Where there is a case for each texture this is the block of a case, in which no access follows.
                block: emit.f.w.block,
                remaining: emit.remaining,
                lanes,
            });
            Ok(emit.sparse.take_answer(emit.f.w).alone())
        })?;
        Ok(self.f.w.val(lanes[0].id()))
    }
}
