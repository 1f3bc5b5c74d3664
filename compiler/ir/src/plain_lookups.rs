//! Lookups of textures that turn out not to be compared.
//!
//! Shadow targets compare where the texture's `TEXTURE_COMPARE_MODE` says so; what they give otherwise is undefined (ARB_fragment_program_shadow,
//! "Texture Sampling"). On the drivers that had the target they give the texel, and compilers of that time wrote `TXP ..., SHADOW2D` for
//! coordinates of four components whatever the texture was.
//!
//! Lookups of textures that turn out not to be there, too: in `!!FP1.0` programs they give zeros (NV_fragment_program section 3.11.5.38).

use crate::inst::Aux;
use crate::op::Op;
use crate::operand::{Base, Src};
use crate::program::Program;
use crate::resource::Texture;

impl Program {
    /// Makes lookups of shadow textures plain ones, for the textures that are not compared.
    pub fn look_up_plainly(&mut self, is_plain: impl Fn(&Texture) -> bool) {
        let is_plain = |texture: &Texture| texture.shadow && is_plain(texture);
        for inst in &mut self.insts {
            let Aux::Tex(id) = inst.aux else { continue };
            let access = &self.tex_accesses[id];
            if !access.reference || !is_plain(&self.textures[access.texture]) {
                continue;
            }
            // The reference follows the coordinate; what is behind it moves up.
            let range = inst.source_range();
            self.srcs
                .copy_within(range.start + 2..range.end, range.start + 1);
            inst.source_count -= 1;
        }
        for access in self.tex_accesses.iter_mut() {
            access.reference &= !is_plain(&self.textures[access.texture]);
        }
        for texture in self.textures.iter_mut() {
            texture.shadow &= !is_plain(texture);
        }
    }
    /// Makes zeros of lookups of the textures that are not there.
    pub fn look_up_zeros(&mut self, is_missing: impl Fn(&Texture) -> bool) {
        let zeros = self.literals.push([0; 4]);
        for inst in self.insts.iter_mut().filter(|inst| inst.op == Op::Tex) {
            let Aux::Tex(id) = inst.aux else { continue };
            if !is_missing(&self.textures[self.tex_accesses[id].texture]) {
                continue;
            }
            // A lookup has at least a coordinate.
            self.srcs[inst.first_source as usize] = Src::new(Base::Literal(zeros));
            inst.source_count = 1;
            inst.op = Op::Mov;
            inst.aux = Aux::None;
        }
    }
}
