//! Steps that what instructions become has in common.

use crate::lower::formula::Formulas;
use crate::tgsi::inst::Inst;
use crate::tgsi::state::Translation;
use glasm_ir::inst::{Aux, LiteralId, Rounding};
use glasm_ir::types::{Type, Width};
use glasm_ir::{Dst, Op, RegisterId, Src};

impl Formulas for Translation<'_> {
    type Line<'l> = Inst;

    #[inline]
    // Registers have no types, so that sources are the same whatever they are read as.
    fn value(&mut self, inst: &Inst, number: usize, _: Type) -> Src {
        inst.sources[number]
    }

    #[inline]
    fn inst(&mut self, op: Op, ty: Type, dst: Option<Dst>, aux: Aux, sources: &[Src]) {
        Translation::inst(self, op, ty, dst, aux, sources);
    }

    #[inline]
    fn hidden(&mut self, width: Width) -> RegisterId {
        Translation::hidden(self, width)
    }

    #[inline]
    fn literal_id(&mut self, bits: [u64; 4]) -> LiteralId {
        self.literal(bits)
    }

    #[inline]
    fn finish_with(&mut self, inst: &Inst, op: Op, ty: Type, aux: Aux, sources: &[Src]) {
        Translation::finish_with(self, inst, op, ty, aux, sources);
    }

    fn result_of(_: &Inst) -> Type {
        Type::F32
    }
}

impl Translation<'_> {
    #[inline]
    pub(super) fn direct(&mut self, inst: &Inst, op: Op, ty: Type) {
        self.finish(inst, op, ty, &inst.sources[..inst.count]);
    }

    /// The operation on bits that the signs of a source stand for, the source without them, and the other operand.
    pub(super) fn sign_change(&mut self, source: Src) -> (Op, Src, Src) {
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

    /// A source whose signs were applied to its bits.
    pub(super) fn with_signs(&mut self, source: Src) -> Src {
        if !source.has_modifier() {
            return source;
        }
        let (op, source, bits) = self.sign_change(source);
        self.compute(op, Type::U32, &[source, bits])
    }
}

/// A conversion to the value next toward zero; what is out of range becomes the end of the range.
pub(super) const fn truncated(from: Type) -> Aux {
    Aux::Cvt {
        from,
        rounding: Rounding::Trunc,
        saturate: true,
    }
}
