//! Fragment colors that are texels: pixels of `glDrawPixels`, which are drawn as a textured
//! rectangle.

use crate::arena::IndexVec;
use crate::builder::Builder;
use crate::ids::InputId;
use crate::inst::{Aux, Dst, Inst, InstFlags, Rounding, Saturate};
use crate::op::{Op, OpFlags};
use crate::operand::{Base, Src, WriteMask};
use crate::program::{Program, Register, Stage, Storage};
use crate::resource::{TexAccess, TexMode, TexTarget, Texture};
use crate::semantic::{Input, Semantic};
use crate::span::Span;
use crate::types::{Type, Width};
use crate::units::Units;

/// A register for four lanes.
const TEMPORARY: Register = Register {
    storage: Storage::Temp,
    width: Width::W32,
    array: None,
    name: None,
};

impl Program {
    /// Replaces the primary color of a fragment program by texels of a two-dimensional texture: the
    /// texel at the floor of `coordinate`, another input, in level 0, clamped as `saturate`
    /// specifies. Returns `false`, with an unchanged program, if the program evaluates its color at
    /// other locations or reads it with an index.
    pub fn read_texel_colors(
        &mut self,
        unit: u32,
        coordinate: Semantic,
        saturate: Saturate,
    ) -> bool {
        if self.stage != Stage::Fragment || self.has_placed_color() {
            return false;
        }
        let texture = Texture {
            units: Units::One(unit),
            target: TexTarget::D2,
            shadow: false,
            texel: Type::F32,
            sampler: None,
        };
        let id = self.textures.push(texture);
        let access = self
            .tex_accesses
            .push(TexAccess::new(id, &texture, TexMode::Fetch));
        let input = self.inputs.push(Input::new(coordinate));
        let level = self.literals.push([0; 4]);
        let [place, color] = [(); 2].map(|()| self.registers.push(TEMPORARY));
        let colors = self
            .srcs
            .iter_mut()
            .filter(|src| is_color(&self.inputs, src));
        colors.for_each(|src| src.base = Base::Register(color));
        let body = self.routines[self.main].body;
        let nodes = self.blocks[body];
        let mut builder = Builder::new(std::mem::replace(self, Self::new(Stage::Fragment)));
        builder.open_block();
        let floor = Aux::Cvt {
            from: Type::F32,
            rounding: Rounding::Floor,
            saturate: false,
        };
        let inst = |op, ty, dst, aux| Inst {
            op,
            ty,
            flags: InstFlags::empty(),
            source_count: 0,
            first_source: 0,
            dst: Some(dst),
            aux,
            span: Span::default(),
        };
        let corner = Dst::new(place, WriteMask(3));
        builder.inst(
            inst(Op::Cvt, Type::S32, corner, floor),
            &[Src::new(Base::Input(input))],
        );
        let texel = Dst {
            saturate,
            ..Dst::new(color, WriteMask::XYZW)
        };
        let sources = [Src::register(place), Src::new(Base::Literal(level))];
        builder.inst(inst(Op::Tex, Type::F32, texel, Aux::Tex(access)), &sources);
        builder.append_nodes(nodes);
        builder.close_block_as(body);
        *self = builder.finish().0;
        true
    }

    /// Returns true if the primary color is read with an index, or evaluated at another location
    /// than that of the fragment.
    fn has_placed_color(&self) -> bool {
        let insts = self.insts.iter();
        let mut placed = insts.filter(|inst| inst.op.has(OpFlags::INTERPOLATES));
        let mut indexed = self.srcs.iter().filter(|src| src.index.is_some());
        indexed.any(|src| is_color(&self.inputs, src))
            || placed.any(|inst| {
                self.srcs[inst.source_range()]
                    .iter()
                    .any(|src| is_color(&self.inputs, src))
            })
    }
}

fn is_color(inputs: &IndexVec<InputId, Input>, src: &Src) -> bool {
    matches!(src.base, Base::Input(id) if inputs[id].semantic == Semantic::Color(0))
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
        assert!(program.read_texel_colors(9, Semantic::Generic(4), Saturate::Unsigned));
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
                request.own[0][0],
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
            .run(&mut environment)
            .unwrap();
        assert_eq!(outcome.outputs[0], [1.5, 1.0, 0.75, 1.5].map(input));
        drop(environment);
        assert_eq!(asked, [(Units::One(9), 3, 2, 0)]);
    }

    #[test]
    fn colors_of_other_places_stay() {
        let text = TURNED.replace("add.f32 in1.zyxw, in0.xxxx", "ipac.f32 in1.zyxw");
        let mut program = parse(&text).unwrap();
        let before = program.clone();
        assert!(!program.read_texel_colors(9, Semantic::Generic(4), Saturate::None));
        assert_eq!(program, before);
    }
}
