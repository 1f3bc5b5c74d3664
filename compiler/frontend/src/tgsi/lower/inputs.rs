//! Values that are computed from inputs, and outputs that the program does not declare in the form
//! of the device.

use super::emitter::Emitter;
use crate::lower::formula::Formulas;
use crate::tgsi::operand::{Register, splat};
use crate::tgsi::symbols::Array;
use glasm_ir::types::{Type, Width};
use glasm_ir::{
    Base, Index, IndexTerm, Input, Op, Output, RegisterId, Semantic, Src, StateParam, Storage,
    TypeBase, WriteMask,
};

impl Emitter {
    /// Computes sixteen times an index, as a byte address.
    pub(in crate::tgsi) fn vector_address(&mut self, term: IndexTerm) -> Src {
        let Some((register, lane)) = term.relative else {
            return self.word((term.offset as u32).wrapping_mul(16));
        };
        let index = splat(Src::register(register), lane);
        let four = self.word(4);
        // Negative indices become addresses far past the end, where reads return 0.
        let bytes = self.compute(Op::Shl, Type::U32, &[index, four]);
        if term.offset == 0 {
            return bytes;
        }
        let offset = self.word((term.offset as u32).wrapping_mul(16));
        self.compute(Op::Add, Type::U32, &[bytes, offset])
    }

    /// Returns the element of an array that a register names by its number in the file.
    pub(in crate::tgsi) fn array_element(&mut self, array: &Array, register: &Register) -> Src {
        let term = register.number.from(array.first);
        self.element(array.register, term, array.len)
    }

    /// Returns an input of a vertex, if one is named.
    pub(in crate::tgsi) fn of_vertex(&mut self, base: Base, vertex: Option<IndexTerm>) -> Src {
        let Some(vertex) = vertex else {
            return Src::new(base);
        };
        let index = Index {
            element: IndexTerm::constant(0),
            len: 1,
            vertex: Some(vertex),
        };
        self.indexed(base, index)
    }

    /// Returns lanes of a vertex that are separate inputs.
    pub(in crate::tgsi) fn vertex_lanes(
        &mut self,
        lanes: [Option<Semantic>; 4],
        vertex: Option<IndexTerm>,
    ) -> Src {
        let register = self.hidden(Width::W32);
        self.put_lanes(register, lanes, |it, semantic| {
            let id = it.input_of(Input {
                per_vertex: true,
                ..Input::new(semantic)
            });
            it.of_vertex(Base::Input(id), vertex)
        });
        Src::register(register)
    }

    /// Fills a register with the first lanes of inputs, and with 0 where there is none.
    pub(in crate::tgsi) fn put_lanes(
        &mut self,
        register: RegisterId,
        lanes: [Option<Semantic>; 4],
        input: impl Fn(&mut Self, Semantic) -> Src,
    ) {
        for (lane, semantic) in lanes.into_iter().enumerate() {
            let source = match semantic {
                Some(semantic) => splat(input(self, semantic), 0),
                None => self.word(0),
            };
            let mask = WriteMask(1 << lane);
            self.put(register, mask, Op::Mov, Type::F32, &[source]);
        }
    }

    /// Sets the register to (all ones for front faces, 0, 0, 1).
    pub(in crate::tgsi) fn face_bits(&mut self, register: RegisterId) {
        let facing = Input::new(Semantic::Facing);
        let id = self.builder.program.inputs.push(facing);
        let facing = splat(Src::new(Base::Input(id)), 0);
        let words = self.words([0, 0, 0, 1]);
        self.put(register, WriteMask(0b1110), Op::Mov, Type::U32, &[words]);
        let (front, back) = (self.word(u32::MAX), self.word(0));
        // Below 0 is a back face. Points and lines have +1. TGSI, section "Declaration Semantic".
        let sources = [facing, back, front];
        self.put(register, WriteMask::X, Op::SelLt, Type::F32, &sources);
    }

    /// Sets the register to the number of the vertex without the base vertex.
    pub(in crate::tgsi) fn vertex_number(&mut self, register: RegisterId) {
        let sources = [Semantic::VertexId, Semantic::BaseVertex].map(|semantic| {
            let input = Input {
                base: TypeBase::Unsigned,
                ..Input::new(semantic)
            };
            let id = self.builder.program.inputs.push(input);
            splat(Src::new(Base::Input(id)), 0)
        });
        self.put(register, WriteMask::XYZW, Op::Sub, Type::U32, &sources);
    }

    /// Returns the register that is set if the fragment was a helper invocation where the program
    /// began: DEMOTE adds helpers later.
    pub(in crate::tgsi) fn helper_register(&mut self) -> RegisterId {
        if let Some(register) = self.made.helper {
            return register;
        }
        let register = self.register(Width::W32);
        self.made.helper = Some(register);
        register
    }

    /// Returns the scale and the offset that convert y to a count from the program's origin.
    pub(in crate::tgsi) fn window_origin(&mut self, lower_left: bool) -> [Src; 2] {
        let param = self.state(if lower_left {
            StateParam::WindowOriginLower
        } else {
            StateParam::WindowOrigin
        });
        [0, 1].map(|lane| splat(param, lane))
    }

    /// Returns 1 where y grows downward on the device, as Gallium does, and -1 where it counts them
    /// upward: the sign of a step in y.
    ///
    /// `FS_COORD_ORIGIN` concerns the position alone: a program with another origin negates its
    /// derivatives and offsets itself.
    pub(in crate::tgsi) fn downward(&mut self) -> Src {
        splat(self.state(StateParam::WindowOrigin), 0)
    }

    /// Returns the register of an output that the program does not declare in this form.
    pub(in crate::tgsi) fn output_register(&mut self, semantic: Semantic) -> RegisterId {
        let mut known = self.made.parts.iter().filter(|part| part.0 == semantic);
        if let Some(&(_, register)) = known.next() {
            return register;
        }
        let base = if semantic == Semantic::Layer {
            // The layer is an integer, distances and levels are floats.
            TypeBase::Unsigned
        } else {
            TypeBase::Float
        };
        let id = self.builder.program.outputs.push(Output {
            base,
            ..Output::new(semantic)
        });
        let register = self.storage_register(Storage::Output(id), Width::W32, None);
        self.made.parts.push((semantic, register));
        register
    }
}
