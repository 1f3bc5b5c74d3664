//! Specialization of texture lookups for textures without depth comparison, with depth comparison,
//! and for missing textures.
//!
//! Shadow targets compare if the texture's `TEXTURE_COMPARE_MODE` enables it; otherwise the result
//! is undefined (ARB_fragment_program_shadow, "Texture Sampling"). Drivers that supported the
//! target returned the texel, and compilers of that time emitted `TXP ..., SHADOW2D` for
//! coordinates of four components regardless of the texture.
//!
//! NV_fragment_program has no shadow targets: its lookups are those of OpenGL without programs,
//! which compare with the third coordinate if the texture enables it (section 3.11.5.38;
//! ARB_shadow).
//!
//! Lookups of missing textures return zeros in `!!FP1.0` programs (the same section).

use crate::inst::Aux;
use crate::op::Op;
use crate::operand::{Base, Src, Swizzle};
use crate::program::Program;
use crate::resource::{TexTarget, Texture};

impl Program {
    /// Replaces comparing lookups by ordinary ones, for the shadow textures that do not compare.
    pub fn look_up_plainly(&mut self, is_plain: impl Fn(&Texture) -> bool) {
        let is_plain = |texture: &Texture| texture.shadow && is_plain(texture);
        for inst in &mut self.insts {
            let Aux::Tex(id) = inst.aux else { continue };
            let access = &self.tex_accesses[id];
            if !access.reference || !is_plain(&self.textures[access.texture]) {
                continue;
            }
            // The reference follows the coordinate; the sources after the reference move up.
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

    /// Adds a comparison with the third coordinate to ordinary lookups, for the textures of one and
    /// two dimensions that compare.
    pub fn look_up_compared(&mut self, is_compared: impl Fn(&Texture) -> bool) {
        let is_compared = |texture: &Texture| {
            let is_flat = matches!(
                texture.target,
                TexTarget::D1 | TexTarget::D2 | TexTarget::Rect
            );
            !texture.shadow && is_flat && is_compared(texture)
        };
        for inst in &mut self.insts {
            let Aux::Tex(id) = inst.aux else { continue };
            let access = &self.tex_accesses[id];
            if !access.mode.compares() || !is_compared(&self.textures[access.texture]) {
                continue;
            }
            // The source list with the reference after the coordinate is a new one.
            let [first, end] = [inst.source_range().start, inst.source_range().end];
            inst.first_source = self.srcs.len() as u32;
            let coordinate = self.srcs[first];
            self.srcs.push(coordinate);
            self.srcs.push(coordinate.swizzled(Swizzle::splat(2)));
            self.srcs.extend_from_within(first + 1..end);
            inst.source_count += 1;
        }
        for access in self.tex_accesses.iter_mut() {
            let is_compared = is_compared(&self.textures[access.texture]);
            access.reference |= access.mode.compares() && is_compared;
        }
        for texture in self.textures.iter_mut() {
            texture.shadow |= is_compared(texture);
        }
    }

    /// Replaces the results of lookups by zeros, for the missing textures.
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
