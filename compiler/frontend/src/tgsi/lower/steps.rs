//! Operations that the lowerings of instructions have in common.

use crate::lower::formula::Formulas;
use crate::tgsi::inst::Inst;
use crate::tgsi::lower::emitter::Emitter;
use glasm_ir::inst::{Aux, LiteralId, Rounding};
use glasm_ir::types::{Type, Width};
use glasm_ir::{Cond, CondTest, Dst, Guard, Op, RegisterId, Saturate, Src, Swizzle, WriteMask};

impl Formulas for Emitter {
    type Line<'l> = Inst;

    #[inline]
    // Registers have no types, so that sources are the same regardless of the type they are read
    // as.
    fn value(&mut self, inst: &Inst, number: usize, _: Type) -> Src {
        inst.sources[number]
    }

    #[inline]
    fn inst(&mut self, op: Op, ty: Type, dst: Option<Dst>, aux: Aux, sources: &[Src]) {
        Emitter::inst(self, op, ty, dst, aux, sources);
    }

    #[inline]
    fn hidden(&mut self, width: Width) -> RegisterId {
        Emitter::hidden(self, width)
    }

    #[inline]
    fn literal_id(&mut self, bits: [u64; 4]) -> LiteralId {
        self.literal(bits)
    }

    #[inline]
    fn finish_with(&mut self, inst: &Inst, op: Op, ty: Type, aux: Aux, sources: &[Src]) {
        Emitter::finish_with(self, inst, op, ty, aux, sources);
    }

    fn result_of(_: &Inst) -> Type {
        Type::F32
    }
}

impl Emitter {
    /// Returns the condition codes of a value.
    pub(in crate::tgsi) fn tested(&mut self, source: Src) -> RegisterId {
        let codes = self.codes();
        let unused = self.hidden(Width::W32);
        let dst = Dst {
            cc: Some(codes),
            ..Dst::new(unused, WriteMask::XYZW)
        };
        self.inst(Op::Mov, Type::F32, Some(dst), Aux::None, &[source]);
        codes
    }

    /// Appends the last operation of an instruction: `op` writes the result.
    #[inline]
    pub(in crate::tgsi) fn finish(&mut self, inst: &Inst, op: Op, ty: Type, sources: &[Src]) {
        self.finish_with(inst, op, ty, Aux::None, sources);
    }

    /// Finishes an instruction by an operation with additional data.
    #[inline]
    pub(in crate::tgsi) fn finish_with(
        &mut self,
        inst: &Inst,
        op: Op,
        ty: Type,
        aux: Aux,
        sources: &[Src],
    ) {
        if inst.saturate != Saturate::None && !ty.is_float() {
            return self.finish_clamped(inst, op, ty, aux, sources);
        }
        let dst = inst.dst.map(|dst| Dst {
            saturate: inst.saturate,
            ..dst
        });
        // An operation without result is left out, unless it changes memory.
        if dst.is_some() || op.info().effect {
            self.inst(op, ty, dst, aux, sources);
        }
    }

    /// Finishes an integer instruction with a clamp, which applies to the float with the same bits.
    #[cold]
    fn finish_clamped(&mut self, inst: &Inst, op: Op, ty: Type, aux: Aux, sources: &[Src]) {
        self.clamps_integers = true;
        let value = self.compute_with(op, ty, aux, sources);
        let dst = inst.dst.map(|dst| Dst {
            saturate: inst.saturate,
            ..dst
        });
        if dst.is_some() {
            self.inst(Op::Mov, Type::F32, dst, Aux::None, &[value]);
        }
    }

    /// Discards the fragment where a condition holds.
    pub(in crate::tgsi) fn discard(&mut self, cond: Cond) {
        self.builder.open_block();
        self.inst(Op::Demote, Type::U32, None, Aux::None, &[]);
        let then = self.builder.close_block();
        self.builder.branch(cond, then, None, self.span);
    }

    /// Appends an operation without operands.
    pub(super) fn effect(&mut self, op: Op) {
        self.inst(op, Type::U32, None, Aux::None, &[]);
    }

    /// Lowers MOV: a sign changes only the sign bit, that of NaN, too.
    #[inline]
    pub(in crate::tgsi) fn copy(&mut self, inst: &Inst) {
        let source = inst.sources[0];
        // A plain move preserves all bits; a clamp is one of floats in any case.
        if !source.has_modifier() || inst.saturate != Saturate::None {
            return self.finish(inst, Op::Mov, Type::F32, &[source]);
        }
        let (op, source, bits) = self.sign_change(source);
        self.finish(inst, op, Type::U32, &[source, bits]);
    }

    /// Lowers KILL_IF: discards the fragment if any of four components is below 0.
    pub(in crate::tgsi) fn kill_if(&mut self, inst: &Inst) {
        let guard = Guard {
            cc: self.tested(inst.sources[0]),
            // NaN is not below 0 and does not discard.
            test: CondTest::Lt,
            swizzle: Swizzle::XYZW,
        };
        self.discard(Cond::Any(guard));
    }

    /// Converts an offset within a pixel, whose y grows downward.
    pub(in crate::tgsi) fn pixel_offset(&mut self, offset: Src) -> Src {
        let scale = self.downward();
        let turned = self.hidden(Width::W32);
        self.put(turned, WriteMask(0b1101), Op::Mov, Type::F32, &[offset]);
        let sources = [offset, scale];
        self.put(turned, WriteMask(0b0010), Op::Mul, Type::F32, &sources);
        Src::register(turned)
    }

    #[inline]
    pub(in crate::tgsi) fn direct(&mut self, inst: &Inst, op: Op, ty: Type) {
        self.finish(inst, op, ty, &inst.sources[..inst.count]);
    }

    /// Returns the operation on bits that implements the signs of a source, the source without
    /// them, and the other operand.
    pub(in crate::tgsi) fn sign_change(&mut self, source: Src) -> (Op, Src, Src) {
        let (sign, others) = (self.word(0x8000_0000), self.word(0x7FFF_FFFF));
        let (op, bits) = match (source.abs, source.negate) {
            (true, true) => (Op::Or, sign),
            (true, false) => (Op::And, others),
            (false, _) => (Op::Xor, sign),
        };
        let plain = Src {
            abs: false,
            negate: false,
            ..source
        };
        (op, plain, bits)
    }

    /// Returns a source whose signs were applied to its bits.
    pub(in crate::tgsi) fn with_signs(&mut self, source: Src) -> Src {
        if !source.has_modifier() {
            return source;
        }
        let (op, source, bits) = self.sign_change(source);
        self.compute(op, Type::U32, &[source, bits])
    }
}

/// Returns the data of a conversion that rounds toward zero; values out of range become the end of
/// the range.
pub(in crate::tgsi) const fn truncated(from: Type) -> Aux {
    Aux::Cvt {
        from,
        rounding: Rounding::Trunc,
        saturate: true,
    }
}
