//! Specialization of programs for state that changes their lookups.
//!
//! - Fragment colors that are texels: pixels of `glDrawPixels`, which are drawn as a textured
//!   rectangle.
//! - Lookups of textures without depth comparison, with depth comparison, and of missing textures.
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

use crate::arena::{IndexVec, InputId};
use crate::builder::Builder;
use crate::inst::{Dst, Inst, InstData, InstFlags, Rounding, Saturate};
use crate::op::{Op, OpFlags};
use crate::operand::{OperandBase, Src, Swizzle, WriteMask};
use crate::program::{Program, Register, Stage, Storage};
use crate::resource::{TexAccess, TexMode, TexTarget, Texture, UnitSet};
use crate::semantic::{Input, Semantic};
use crate::span::Span;
use crate::types::{Type, Width};

/// A register for four lanes.
const TEMP_REGISTER: Register = Register {
    storage: Storage::Temp,
    width: Width::W32,
    array_len: None,
    name: None,
};

impl Program {
    /// Replaces the primary color of a fragment program by texels of a two-dimensional texture: the
    /// texel at the floor of `coordinate`, another input, in level 0, clamped as `saturate`
    /// specifies. Returns `false`, with an unchanged program, if the program evaluates its color at
    /// other locations or reads it with an index. Programs of other stages are unchanged, too. Main
    /// reads the texel at its start.
    pub fn replace_color_by_texels(
        &mut self,
        unit: u32,
        coordinate: Semantic,
        saturate: Saturate,
    ) -> bool {
        if self.stage != Stage::Fragment || self.has_unsupported_color_read() {
            return false;
        }
        let texture = Texture {
            units: UnitSet::Single(unit),
            target: TexTarget::D2,
            shadow: false,
            texel_type: Type::F32,
            sampler: None,
        };
        let id = self.textures.push(texture);
        let access = self
            .tex_accesses
            .push(TexAccess::new(id, &texture, TexMode::Fetch));
        let input = self.inputs.push(Input::new(coordinate));
        let level = self.literals.push([0; 4]);
        let [texel_coordinate, color] = [(); 2].map(|()| self.registers.push(TEMP_REGISTER));
        let colors = self
            .srcs
            .iter_mut()
            .filter(|src| is_primary_color(&self.inputs, src));
        colors.for_each(|src| src.base = OperandBase::Register(color));
        let body = self.routines[self.main].body;
        let nodes = self.blocks[body];
        let mut builder = Builder::new(std::mem::replace(self, Self::new(Stage::Fragment)));
        builder.open_block();
        let floor = InstData::Cvt {
            from: Type::F32,
            rounding: Rounding::Floor,
            saturate: false,
        };
        let corner = Dst::new(texel_coordinate, WriteMask(3));
        builder.push_inst(
            make_inst(Op::Cvt, Type::S32, corner, floor),
            &[Src::new(OperandBase::Input(input))],
        );
        let texel = Dst {
            saturate,
            ..Dst::new(color, WriteMask::XYZW)
        };
        let sources = [
            Src::from_register(texel_coordinate),
            Src::new(OperandBase::Literal(level)),
        ];
        builder.push_inst(
            make_inst(Op::Tex, Type::F32, texel, InstData::Tex(access)),
            &sources,
        );
        builder.append_nodes(nodes);
        builder.close_block_as(body);
        *self = builder.finish().0;
        true
    }

    /// Returns true if the primary color is read with an index, or evaluated at another location
    /// than that of the fragment.
    fn has_unsupported_color_read(&self) -> bool {
        let insts = self.insts.iter();
        let mut interpolations = insts.filter(|inst| inst.op.has(OpFlags::INTERPOLATES));
        let mut indexed = self.srcs.iter().filter(|src| src.index.is_some());
        indexed.any(|src| is_primary_color(&self.inputs, src))
            || interpolations.any(|inst| {
                self.srcs[inst.source_range()]
                    .iter()
                    .any(|src| is_primary_color(&self.inputs, src))
            })
    }
}

/// Returns an instruction without sources that has no counterpart in the program string, so that
/// its span is empty.
fn make_inst(op: Op, ty: Type, dst: Dst, data: InstData) -> Inst {
    Inst {
        op,
        ty,
        flags: InstFlags::empty(),
        source_count: 0,
        first_source: 0,
        dst: Some(dst),
        data,
        span: Span::default(),
    }
}

/// Returns true if a source reads the input with the primary color.
fn is_primary_color(inputs: &IndexVec<InputId, Input>, src: &Src) -> bool {
    matches!(src.base, OperandBase::Input(id) if inputs[id].semantic == Semantic::Color(0))
}

impl Program {
    /// Replaces comparing lookups by ordinary ones, for the shadow textures for which `is_plain`
    /// returns true, and removes their references.
    pub fn remove_comparisons(&mut self, is_plain: impl Fn(&Texture) -> bool) {
        let is_plain = |texture: &Texture| texture.shadow && is_plain(texture);
        for inst in &mut self.insts {
            let InstData::Tex(id) = inst.data else {
                continue;
            };
            let access = &self.tex_accesses[id];
            if !access.has_reference || !is_plain(&self.textures[access.texture]) {
                continue;
            }
            // The reference follows the coordinate; the sources after the reference move up.
            let range = inst.source_range();
            self.srcs
                .copy_within(range.start + 2..range.end, range.start + 1);
            inst.source_count -= 1;
        }
        for access in self.tex_accesses.iter_mut() {
            access.has_reference &= !is_plain(&self.textures[access.texture]);
        }
        for texture in self.textures.iter_mut() {
            texture.shadow &= !is_plain(texture);
        }
    }

    /// Adds a comparison with the third coordinate to ordinary lookups, for the textures of one and
    /// two dimensions for which `is_compared` returns true. Accesses whose mode has no reference
    /// are unchanged.
    pub fn add_comparisons(&mut self, is_compared: impl Fn(&Texture) -> bool) {
        let is_compared = |texture: &Texture| {
            let is_flat = matches!(
                texture.target,
                TexTarget::D1 | TexTarget::D2 | TexTarget::Rect
            );
            !texture.shadow && is_flat && is_compared(texture)
        };
        for inst in &mut self.insts {
            let InstData::Tex(id) = inst.data else {
                continue;
            };
            let access = &self.tex_accesses[id];
            if !access.mode.has_reference() || !is_compared(&self.textures[access.texture]) {
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
            access.has_reference |= access.mode.has_reference() && is_compared;
        }
        for texture in self.textures.iter_mut() {
            texture.shadow |= is_compared(texture);
        }
    }

    /// Replaces the results of texture lookups and queries by zeros, for the textures for which
    /// `is_missing` returns true.
    pub fn zero_missing_lookups(&mut self, is_missing: impl Fn(&Texture) -> bool) {
        let zeros = self.literals.push([0; 4]);
        for inst in self.insts.iter_mut().filter(|inst| inst.op == Op::Tex) {
            let InstData::Tex(id) = inst.data else {
                continue;
            };
            if !is_missing(&self.textures[self.tex_accesses[id].texture]) {
                continue;
            }
            // A lookup has at least a coordinate.
            self.srcs[inst.first_source as usize] = Src::new(OperandBase::Literal(zeros));
            inst.source_count = 1;
            inst.op = Op::Mov;
            inst.data = InstData::None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::{Environment, Interpreter, TexRequest};
    use crate::parse::parse;
    use crate::verify::verify;

    const TURNED: &str = "program fragment\nr0: output32 out0\nin0: tex_coord[0] float\nin1: color[0] float\nout0: frag_color[0][0] float\n\
                          routine fn0 {\n  r0.xyzw = add.f32 in1.zyxw, in0.xxxx\n}\nmain fn0\n";

    /// Checks that (3.75, 2.5) reads the texel of column 3 and row 2, and that colors are clamped
    /// to 1.
    #[test]
    fn colors_are_texels() {
        let mut program = parse(TURNED).unwrap();
        assert!(program.replace_color_by_texels(
            9,
            Semantic::GenericVarying(4),
            Saturate::Unsigned
        ));
        verify(&program).unwrap();
        let input = |it: f32| u64::from(it.to_bits());
        let inputs = vec![
            [input(0.5), 0, 0, 0],
            [input(7.0); 4],
            [input(3.75), input(2.5), 0, 0],
        ];
        let mut asked = Vec::new();
        let texel = |request: &TexRequest| {
            asked.push((
                request.texture.units,
                request.coordinate[0],
                request.coordinate[1],
                request.mode_sources[0][0],
            ));
            [0.25_f32, 0.5, 2.0, 1.0].map(f32::to_bits)
        };
        let mut environment = Environment {
            inputs,
            ..Environment::default()
        }
        .with_textures(texel);
        let outcome = Interpreter::new(&program)
            .unwrap()
            .run_main(&mut environment)
            .unwrap();
        assert_eq!(outcome.outputs[0], [1.5, 1.0, 0.75, 1.5].map(input));
        drop(environment);
        assert_eq!(asked, [(UnitSet::Single(9), 3, 2, 0)]);
    }

    #[test]
    fn colors_of_other_places_stay() {
        let text = TURNED.replace("add.f32 in1.zyxw, in0.xxxx", "ipac.f32 in1.zyxw");
        let mut program = parse(&text).unwrap();
        let before = program.clone();
        assert!(!program.replace_color_by_texels(9, Semantic::GenericVarying(4), Saturate::None));
        assert_eq!(program, before);
    }
}
