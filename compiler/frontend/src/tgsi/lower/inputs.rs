//! Inputs and system values that are computed from the form in which the device has them.

use super::emitter::{CachedValue, Emitter};
use super::inst::splat;
use super::operand::OperandLowerer;
use crate::lower::op_builder::OpBuilder;
use crate::tgsi::checked::ComputedInput;
use crate::tgsi::semantics::InputKind;
use glasm_ir::types::{Type, Width};
use glasm_ir::{
    BaseType, Index, IndexTerm, Input, Op, OperandBase, RegisterId, Semantic, Src, WriteMask,
};

impl OperandLowerer<'_> {
    /// Returns the contents of an input register that is computed from other inputs, once in a
    /// basic block.
    pub(super) fn compute_input(&mut self, id: u32) -> Src {
        let key = CachedValue::Computed(id);
        if let Some(kept) = self.emitter.cached_value(key) {
            return kept;
        }
        let input = self.program.computed_inputs[id as usize];
        let register = self.emitter.add_register(Width::W32);
        match input.kind {
            InputKind::Input(..) => self.compute_window_position(register, &input),
            InputKind::Lanes(lanes) => {
                self.emitter
                    .emit_input_lanes(register, lanes, |it, semantic| {
                        let input = Input {
                            interpolation: input.interpolation,
                            sampling: input.sampling,
                            ..Input::new(semantic)
                        };
                        Src::new(OperandBase::Input(it.builder.program.inputs.push(input)))
                    })
            }
            InputKind::FaceBits => self.emitter.emit_face_bits(register),
            InputKind::VertexIdNoBase => self.emitter.emit_vertex_number(register),
            // These are not computed.
            InputKind::OptionValue(_) | InputKind::Helper => {}
        }
        self.emitter.cache_value(key, register);
        Src::from_register(register)
    }

    /// Computes the window position of a fragment, counted as the properties define. TGSI, section
    /// "Properties", `FS_COORD_ORIGIN`.
    fn compute_window_position(&mut self, register: RegisterId, decl: &ComputedInput) {
        let input = Input {
            sampling: decl.sampling,
            ..Input::new(Semantic::Position)
        };
        let id = self.emitter.builder.program.inputs.push(input);
        let position = Src::new(OperandBase::Input(id));
        self.emitter
            .emit_to_register(register, WriteMask::XYZW, Op::Mov, Type::F32, &[position]);
        // If lines are counted in the opposite direction, y is the height less y.
        let [scale, offset] = self
            .emitter
            .load_window_origin(self.properties.origin_lower_left);
        let sources = [position, scale, offset];
        self.emitter
            .emit_to_register(register, WriteMask(0b0010), Op::Mad, Type::F32, &sources);
        // The device counts centers of pixels, which are halves.
        if self.properties.pixel_center_integer {
            let half = self.emitter.splat_float(-0.5);
            let sources = [Src::from_register(register), half];
            self.emitter.emit_to_register(
                register,
                WriteMask(0b0011),
                Op::Add,
                Type::F32,
                &sources,
            );
        }
    }

    /// Loads separate inputs of a vertex, each into its lane of a hidden register.
    pub(super) fn load_vertex_lanes(&mut self, id: u32) -> Src {
        let input = self.program.computed_inputs[id as usize];
        let vertex = input.vertex.map(|vertex| self.lower_index(vertex));
        let InputKind::Lanes(lanes) = input.kind else {
            return self.emitter.splat_word(0);
        };
        let register = self.emitter.alloc_hidden(Width::W32);
        self.emitter
            .emit_input_lanes(register, lanes, |it, semantic| {
                let id = it.find_or_add_input(Input {
                    per_vertex: true,
                    ..Input::new(semantic)
                });
                it.make_vertex_source(OperandBase::Input(id), vertex)
            });
        Src::from_register(register)
    }
}

impl Emitter {
    /// Returns the source operand for an input, of vertex `vertex` if one is named.
    fn make_vertex_source(&mut self, base: OperandBase, vertex: Option<IndexTerm>) -> Src {
        let Some(vertex) = vertex else {
            return Src::new(base);
        };
        let index = Index {
            element: IndexTerm::from_constant(0),
            len: 1,
            vertex: Some(vertex),
        };
        self.make_indexed(base, index)
    }

    /// Fills a register with the first lanes of inputs, and with 0 where there is none.
    fn emit_input_lanes(
        &mut self,
        register: RegisterId,
        lanes: [Option<Semantic>; 4],
        load_input: impl Fn(&mut Self, Semantic) -> Src,
    ) {
        for (lane, semantic) in lanes.into_iter().enumerate() {
            let source = match semantic {
                Some(semantic) => splat(load_input(self, semantic), 0),
                None => self.splat_word(0),
            };
            let mask = WriteMask(1 << lane);
            self.emit_to_register(register, mask, Op::Mov, Type::F32, &[source]);
        }
    }

    /// Writes the integer form of `FACE` to a register: (all ones for front faces and 0 for back
    /// faces, 0, 0, 1).
    fn emit_face_bits(&mut self, register: RegisterId) {
        let facing = Input::new(Semantic::FaceSign);
        let id = self.builder.program.inputs.push(facing);
        let facing = splat(Src::new(OperandBase::Input(id)), 0);
        let words = self.make_vector([0, 0, 0, 1]);
        self.emit_to_register(register, WriteMask(0b1110), Op::Mov, Type::U32, &[words]);
        let (front, back) = (self.splat_word(u32::MAX), self.splat_word(0));
        // Below 0 is a back face. Points and lines have +1. TGSI, section "Declaration Semantic".
        let sources = [facing, back, front];
        self.emit_to_register(register, WriteMask::X, Op::SelLt, Type::F32, &sources);
    }

    /// Sets the register to the number of the vertex without the base vertex.
    fn emit_vertex_number(&mut self, register: RegisterId) {
        let sources = [Semantic::VertexId, Semantic::BaseVertex].map(|semantic| {
            let input = Input {
                base: BaseType::UnsignedInt,
                ..Input::new(semantic)
            };
            let id = self.builder.program.inputs.push(input);
            splat(Src::new(OperandBase::Input(id)), 0)
        });
        self.emit_to_register(register, WriteMask::XYZW, Op::Sub, Type::U32, &sources);
    }
}
