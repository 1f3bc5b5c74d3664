//! Operations that the lowerings of instructions have in common, and values that are computed from
//! inputs.

use super::emitter::Emitter;
use super::inst::{LoweredInst, splat};
use crate::lower::op_builder::OpBuilder;
use glasm_ir::inst::{InstData, LiteralId, Rounding};
use glasm_ir::types::{Type, Width};
use glasm_ir::{
    BaseType, Cond, CondTest, Dst, Guard, IndexTerm, Op, Output, RegisterId, Saturate, Semantic,
    Src, StateParam, Storage, Swizzle, WriteMask,
};

impl OpBuilder for Emitter {
    type Inst<'l> = LoweredInst;

    // Registers have no types, so that sources are the same regardless of the type they are read
    // as.
    fn load_source(&mut self, inst: &LoweredInst, number: usize, _: Type) -> Src {
        inst.sources[number]
    }

    fn emit_inst(&mut self, op: Op, ty: Type, dst: Option<Dst>, aux: InstData, sources: &[Src]) {
        Emitter::emit_inst(self, op, ty, dst, aux, sources);
    }

    fn alloc_hidden(&mut self, width: Width) -> RegisterId {
        Emitter::alloc_hidden(self, width)
    }

    fn intern_literal(&mut self, bits: [u64; 4]) -> LiteralId {
        self.intern_literal(bits)
    }

    fn emit_result_with_aux(
        &mut self,
        inst: &LoweredInst,
        op: Op,
        ty: Type,
        aux: InstData,
        sources: &[Src],
    ) {
        Emitter::emit_result_with_aux(self, inst, op, ty, aux, sources);
    }

    fn result_type(_: &LoweredInst) -> Type {
        Type::F32
    }
}

impl Emitter {
    /// Emits a test of all lanes of a value and returns the condition-code register that it sets.
    pub(super) fn test_value(&mut self, source: Src) -> RegisterId {
        let codes = self.get_condition_codes();
        let unused = self.alloc_hidden(Width::W32);
        let dst = Dst {
            cc: Some(codes),
            ..Dst::new(unused, WriteMask::XYZW)
        };
        self.emit_inst(Op::Mov, Type::F32, Some(dst), InstData::None, &[source]);
        codes
    }

    /// Appends the last operation of an instruction: `op` writes the result, as in
    /// [`Self::emit_result_with_aux`].
    pub(super) fn emit_result(&mut self, inst: &LoweredInst, op: Op, ty: Type, sources: &[Src]) {
        self.emit_result_with_aux(inst, op, ty, InstData::None, sources);
    }

    /// Appends the last operation of an instruction with auxiliary data; the result is clamped if
    /// the instruction saturates. An operation that is not one of integers with a clamp is omitted
    /// if the instruction has no result, unless it changes memory.
    pub(super) fn emit_result_with_aux(
        &mut self,
        inst: &LoweredInst,
        op: Op,
        ty: Type,
        aux: InstData,
        sources: &[Src],
    ) {
        if inst.saturate != Saturate::None && !ty.is_float() {
            return self.emit_clamped_result(inst, op, ty, aux, sources);
        }
        let dst = inst.dst.map(|dst| Dst {
            saturate: inst.saturate,
            ..dst
        });
        // An operation without result is left out, unless it changes memory.
        if dst.is_some() || op.info().effect {
            self.emit_inst(op, ty, dst, aux, sources);
        }
    }

    /// Appends the last operation of an integer instruction that saturates: the clamp applies to
    /// the float with the same bits. Without a result only the clamp is omitted.
    #[cold]
    fn emit_clamped_result(
        &mut self,
        inst: &LoweredInst,
        op: Op,
        ty: Type,
        aux: InstData,
        sources: &[Src],
    ) {
        let value = self.compute_with_aux(op, ty, aux, sources);
        let dst = inst.dst.map(|dst| Dst {
            saturate: inst.saturate,
            ..dst
        });
        if dst.is_some() {
            self.emit_inst(Op::Mov, Type::F32, dst, InstData::None, &[value]);
        }
    }

    /// Adds a branch that demotes the fragment to a helper invocation where a condition holds.
    pub(super) fn emit_discard(&mut self, cond: Cond) {
        self.builder.open_block();
        self.emit_inst(Op::Demote, Type::U32, None, InstData::None, &[]);
        let then = self.builder.close_block();
        self.builder.push_branch(cond, then, None, self.span);
    }

    /// Appends an operation without result and operands.
    pub(super) fn emit_effect(&mut self, op: Op) {
        self.emit_inst(op, Type::U32, None, InstData::None, &[]);
    }

    /// Lowers MOV: a sign changes only the sign bit, that of NaN, too.
    pub(super) fn lower_mov(&mut self, inst: &LoweredInst) {
        let source = inst.sources[0];
        // A plain move preserves all bits; a clamp is one of floats in any case.
        if !source.has_modifier() || inst.saturate != Saturate::None {
            return self.emit_result(inst, Op::Mov, Type::F32, &[source]);
        }
        let (op, source, bits) = self.make_sign_operation(source);
        self.emit_result(inst, op, Type::U32, &[source, bits]);
    }

    /// Lowers KILL_IF: discards the fragment if any of four components is below 0.
    pub(super) fn lower_kill_if(&mut self, inst: &LoweredInst) {
        let guard = Guard {
            cc: self.test_value(inst.sources[0]),
            // NaN is not below 0 and does not discard.
            test: CondTest::Lt,
            swizzle: Swizzle::XYZW,
        };
        self.emit_discard(Cond::Any(guard));
    }

    /// Converts an offset within a pixel, whose y grows downward, to the direction of y on the
    /// device.
    pub(super) fn convert_pixel_offset(&mut self, offset: Src) -> Src {
        let scale = self.get_y_direction();
        let converted = self.alloc_hidden(Width::W32);
        self.emit_to_register(converted, WriteMask(0b1101), Op::Mov, Type::F32, &[offset]);
        let sources = [offset, scale];
        self.emit_to_register(converted, WriteMask(0b0010), Op::Mul, Type::F32, &sources);
        Src::from_register(converted)
    }

    /// Lowers an instruction that is one operation of the IR with the same sources.
    pub(super) fn lower_direct(&mut self, inst: &LoweredInst, op: Op, ty: Type) {
        self.emit_result(inst, op, ty, &inst.sources[..inst.source_count]);
    }

    /// Returns the operation on bits that implements the signs of a source, the source without
    /// them, and the other operand. The source must have a sign or an absolute value.
    pub(super) fn make_sign_operation(&mut self, source: Src) -> (Op, Src, Src) {
        let (sign, magnitude) = (self.splat_word(0x8000_0000), self.splat_word(0x7FFF_FFFF));
        let (op, bits) = match (source.abs, source.negate) {
            (true, true) => (Op::Or, sign),
            (true, false) => (Op::And, magnitude),
            (false, _) => (Op::Xor, sign),
        };
        let unsigned_source = Src {
            abs: false,
            negate: false,
            ..source
        };
        (op, unsigned_source, bits)
    }

    /// Returns a source whose sign modifiers were applied to its bits, so that they can be read as
    /// integers.
    pub(super) fn apply_sign_bits(&mut self, source: Src) -> Src {
        if !source.has_modifier() {
            return source;
        }
        let (op, source, bits) = self.make_sign_operation(source);
        self.compute(op, Type::U32, &[source, bits])
    }
}

/// Returns the data of a conversion with rounding toward zero; values out of range become the end
/// of the range.
pub(super) const fn truncating_conversion(from: Type) -> InstData {
    InstData::Cvt {
        from,
        rounding: Rounding::Trunc,
        saturate: true,
    }
}

impl Emitter {
    /// Computes the byte address of the vector with an index: sixteen times the index.
    pub(super) fn compute_vector_address(&mut self, term: IndexTerm) -> Src {
        let Some((register, lane)) = term.relative else {
            return self.splat_word((term.offset as u32).wrapping_mul(16));
        };
        let index = splat(Src::from_register(register), lane);
        let four = self.splat_word(4);
        // Negative indices become addresses far past the end, where reads return 0.
        let bytes = self.compute(Op::Shl, Type::U32, &[index, four]);
        if term.offset == 0 {
            return bytes;
        }
        let offset = self.splat_word((term.offset as u32).wrapping_mul(16));
        self.compute(Op::Add, Type::U32, &[bytes, offset])
    }

    /// Returns the register that is set if the fragment was a helper invocation where the program
    /// began: DEMOTE adds helpers later. It is added at its first use.
    pub(super) fn get_helper_register(&mut self) -> RegisterId {
        if let Some(register) = self.ir_cache.helper_register {
            return register;
        }
        let register = self.add_register(Width::W32);
        self.ir_cache.helper_register = Some(register);
        register
    }

    /// Returns sources whose lanes are the scale and the offset that convert y to a count from the
    /// program's origin, at the lower or upper left: state parameters. The parameter is added to
    /// the program at its first use.
    pub(super) fn load_window_origin(&mut self, lower_left: bool) -> [Src; 2] {
        let param = self.get_state_source(if lower_left {
            StateParam::WindowOriginLower
        } else {
            StateParam::WindowOrigin
        });
        [0, 1].map(|lane| splat(param, lane))
    }

    /// Returns a source whose lanes are the sign of a step in y on the device, a state parameter: 1
    /// where y grows downward, as in Gallium, and -1 where it grows upward. The parameter is added
    /// to the program at its first use.
    ///
    /// `FS_COORD_ORIGIN` concerns the position alone: a program with another origin negates its
    /// derivatives and offsets itself.
    pub(super) fn get_y_direction(&mut self) -> Src {
        splat(self.get_state_source(StateParam::WindowOrigin), 0)
    }

    /// Returns the register of a device output that the program does not declare in this form: of
    /// unsigned integers for the layer, otherwise of floats. Adds the output at its first use.
    pub(super) fn get_output_register(&mut self, semantic: Semantic) -> RegisterId {
        let mut existing = self
            .ir_cache
            .output_components
            .iter()
            .filter(|part| part.0 == semantic);
        if let Some(&(_, register)) = existing.next() {
            return register;
        }
        let base = if semantic == Semantic::Layer {
            // The layer is an integer, distances and levels are floats.
            BaseType::UnsignedInt
        } else {
            BaseType::Float
        };
        let id = self.builder.program.outputs.push(Output {
            base,
            ..Output::new(semantic)
        });
        let register = self.add_storage_register(Storage::Output(id), Width::W32, None);
        self.ir_cache.output_components.push((semantic, register));
        register
    }
}
