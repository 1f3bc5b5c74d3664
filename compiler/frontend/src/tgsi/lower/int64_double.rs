//! Opcodes on pairs of components: 64-bit floats and integers, the low word first. TGSI, sections
//! "Double ISA" and "64-bit Integer ISA".

use super::alu::AluLowerer;
use super::helpers::truncating_conversion;
use super::inst::LoweredInst;
use crate::lower::nearest_conversion;
use crate::lower::op_builder::{OpBuilder, with_abs};
use crate::tgsi::checked::{SECOND_PAIR, expand_to_pairs, find_pairs};
use crate::tgsi::opcodes::WideFormula;
use Type::{F64, S64, U32, U64};
use glasm_ir::inst::InstData;
use glasm_ir::types::{Type, Width};
use glasm_ir::{Dst, Op, OperandBase, Src, Swizzle, WriteMask};

impl AluLowerer<'_> {
    /// Returns a source as two 64-bit values in lanes x and y: each is a pair of 32-bit lanes in
    /// TGSI.
    fn load_pair(&mut self, inst: &LoweredInst, number: usize) -> Src {
        let mut source = inst.sources[number];
        // virglrenderer reads the first pair where only the second one is written.
        if self.options.virgl && find_pairs(inst.mask) == SECOND_PAIR {
            source = source.swizzled(Swizzle::new([0, 1, 0, 1]));
        }
        self.combine_pairs(source)
    }

    /// Returns the two 64-bit values of the pairs of a source in lanes x and y.
    fn combine_pairs(&mut self, source: Src) -> Src {
        let lane = |lane: usize| source.swizzle.lane(lane);
        if let OperandBase::Literal(literal) = source.base {
            // Immediates are combined here.
            let words = self.emitter.builder.program.literals[literal];
            let value = |low: usize| words[lane(low)] | words[lane(low + 1)] << 32;
            // Values of 64 bits are in x and y; the other lanes repeat them.
            let bits = [value(0), value(2), value(0), value(2)];
            return Src::new(OperandBase::Literal(self.emitter.intern_literal(bits)));
        }
        self.emitter.compute(Op::Pack64, U64, &[source])
    }

    /// Writes two values of 64 bits as pairs. A pair with only one half in the mask is not written.
    fn emit_pair_result(&mut self, inst: &LoweredInst, value: Src) {
        let mask = expand_to_pairs(inst.mask);
        let mut inst = *inst;
        if mask != inst.mask {
            inst.dst = inst.dst.map(|dst| Dst {
                mask: WriteMask(dst.mask.0 & mask.0),
                ..dst
            });
            inst.dst = inst.dst.filter(|dst| !dst.mask.is_empty());
        }
        self.emitter.emit_result(&inst, Op::Unpack64, U64, &[value]);
    }

    /// Lowers an instruction that is one IR operation on 64-bit values.
    pub(super) fn lower_wide(&mut self, inst: &LoweredInst, op: Op, ty: Type) {
        let mut sources = [inst.sources[0]; 3];
        for (number, source) in sources.iter_mut().enumerate().take(inst.source_count) {
            *source = self.load_pair(inst, number);
        }
        let value = self.emitter.compute(op, ty, &sources[..inst.source_count]);
        self.emit_pair_result(inst, value)
    }

    /// Lowers a comparison of 64-bit values, whose results in x and z are all ones or 0.
    pub(super) fn lower_wide_comparison(&mut self, inst: &LoweredInst, op: Op, ty: Type) {
        let sources = [self.load_pair(inst, 0), self.load_pair(inst, 1)];
        // 1.0 or 0.0 for doubles, all ones or 0 for integers.
        let test = self.emitter.compute(op, ty, &sources);
        let halves = self.emitter.alloc_hidden(Width::W32);
        self.emitter
            .emit_to_register(halves, WriteMask::XYZW, Op::Unpack64, U64, &[test]);
        let words = Src::from_register(halves);
        // The high words of 1.0 and of all ones are not 0.
        let high = words.swizzled(Swizzle::new([1, 1, 3, 3]));
        if self.options.legacy_semantics && ty == F64 {
            let one = self.emitter.splat_float(1.0);
            let zero = self.emitter.splat_word(0);
            self.emitter
                .emit_result(inst, Op::SelNz, U32, &[high, one, zero]);
            return;
        }
        let (ones, zero) = (
            self.emitter.splat_word(u32::MAX),
            self.emitter.splat_word(0),
        );
        self.emitter
            .emit_result(inst, Op::SelNz, U32, &[high, ones, zero]);
    }

    /// Lowers an instruction with 64-bit results that is more than one operation of the IR.
    pub(super) fn lower_wide_formula(&mut self, inst: &LoweredInst, formula: WideFormula) {
        let a = self.load_pair(inst, 0);
        let value = match formula {
            WideFormula::Absolute(ty) => self.emitter.compute(Op::Mov, ty, &[with_abs(a)]),
            WideFormula::Negate(ty) => self.emitter.compute(Op::Mov, ty, &[a.negated()]),
            // The operation exists for integers; for doubles, -0 and NaN need care.
            WideFormula::Sign(S64) => self.emitter.compute(Op::Sign, S64, &[a]),
            WideFormula::Sign(ty) => {
                let zero = self.emitter.splat_bits(0);
                let above = self.emitter.compute(Op::SetGt, ty, &[a, zero]);
                let below = self.emitter.compute(Op::SetLt, ty, &[a, zero]);
                self.emitter.compute(Op::Sub, ty, &[above, below])
            }
            WideFormula::Fraction => {
                let floor = self.emitter.compute(Op::Floor, F64, &[a]);
                self.emitter.compute(Op::Sub, F64, &[a, floor])
            }
            WideFormula::ScaleByPower => {
                // In 2010 the exponent was a pair, whose low word holds the value.
                let exponents = self.load_counts(inst.sources[1]);
                self.compute_ldexp(a, exponents, F64)
            }
            WideFormula::DivideSigned => {
                let b = self.load_pair(inst, 1);
                let zero = self.emitter.splat_bits(0);
                let quotient = self.emitter.compute(Op::Div, S64, &[a, b]);
                self.emitter.compute(Op::SelNz, U64, &[b, quotient, zero])
            }
            WideFormula::Split => return self.lower_dfracexp(inst, a),
        };
        self.emit_pair_result(inst, value)
    }

    /// Returns the 32-bit counts or exponents of two pairs, x and z of the source, as signed 64-bit
    /// integers.
    fn load_counts(&mut self, source: Src) -> Src {
        // The second count is in z, by the formula of DLDEXP; the section on shifts has y, but
        // interpreters read z.
        let order = source.swizzled(Swizzle::new([0, 2, 0, 2]));
        let aux = nearest_conversion(Type::S32);
        self.emitter.compute_with_aux(Op::Cvt, S64, aux, &[order])
    }

    /// Lowers a shift of 64-bit integers; the counts are 32-bit integers, one for each pair of
    /// components.
    pub(super) fn lower_wide_shift(&mut self, inst: &LoweredInst, op: Op, ty: Type) {
        let value = self.load_pair(inst, 0);
        let counts = self.load_counts(inst.sources[1]);
        let shifted = self.emitter.compute(op, ty, &[value, counts]);
        self.emit_pair_result(inst, shifted)
    }

    /// Lowers F2D and other widening conversions: x becomes the first pair, y the second one.
    pub(super) fn lower_widen(&mut self, inst: &LoweredInst, from: Type, to: Type) {
        let aux = wide_conversion(from, to);
        let source = inst.sources[0];
        let value = self.emitter.compute_with_aux(Op::Cvt, to, aux, &[source]);
        self.emit_pair_result(inst, value)
    }

    /// Lowers D2F and other narrowing conversions: the first pair is written to x, the second one
    /// to y; to the first two enabled components if they are others.
    pub(super) fn lower_narrow(&mut self, inst: &LoweredInst, from: Type, to: Type) {
        let value = self.combine_pairs(inst.sources[0]);
        let aux = wide_conversion(from, to);
        let Some(dst) = inst.dst else { return };
        let result = self.emitter.compute_with_aux(Op::Cvt, to, aux, &[value]);
        let mut order = [0; 4];
        // Two results are written to the first two components of the mask, not to x and y.
        for (number, lane) in dst.mask.lanes().take(2).enumerate() {
            order[lane] = number as u8;
        }
        let first_two = dst.mask.lanes().take(2);
        let mask = first_two.fold(0, |mask, lane| mask | 1 << lane);
        let dst = Dst {
            mask: WriteMask(mask),
            saturate: inst.saturate,
            ..dst
        };
        let source = result.swizzled(Swizzle::new(order));
        self.emitter
            .emit_inst(Op::Mov, to, Some(dst), InstData::None, &[source]);
    }

    /// Lowers a conversion between two types of 64 bits.
    pub(super) fn lower_wide_convert(&mut self, inst: &LoweredInst, from: Type, to: Type) {
        let value = self.load_pair(inst, 0);
        let aux = wide_conversion(from, to);
        let result = self.emitter.compute_with_aux(Op::Cvt, to, aux, &[value]);
        self.emit_pair_result(inst, result)
    }

    /// Lowers DFRACEXP of 2010: the significand in [0.5, 1) to the first result, the exponent as an
    /// integer to the second one.
    fn lower_dfracexp(&mut self, inst: &LoweredInst, value: Src) {
        let (shift, exponent_bits) = (self.emitter.splat_bits(52), self.emitter.splat_bits(0x7FF));
        let shifted = self.emitter.compute(Op::Shr, U64, &[value, shift]);
        let biased = self
            .emitter
            .compute(Op::And, U64, &[shifted, exponent_bits]);
        // One less than that of doubles: the significand is in [0.5, 1), not in [1, 2).
        let bias = self.emitter.splat_bits(1022);
        let exponent = self.emitter.compute(Op::Sub, S64, &[biased, bias]);
        let zero = self.emitter.splat_bits(0);
        // For zero, exponent and significand are 0.
        let exponent = self
            .emitter
            .compute(Op::SelNz, U64, &[biased, exponent, zero]);
        let (others, half) = (
            self.emitter.splat_bits(0x800F_FFFF_FFFF_FFFF),
            self.emitter.splat_bits(0.5f64.to_bits()),
        );
        let mantissa = self.emitter.compute(Op::And, U64, &[value, others]);
        let significand = self.emitter.compute(Op::Or, U64, &[mantissa, half]);
        let significand = self
            .emitter
            .compute(Op::SelNz, U64, &[biased, significand, value]);
        let exponent =
            self.emitter
                .compute_with_aux(Op::Cvt, Type::S32, nearest_conversion(S64), &[exponent]);
        self.emit_pair_result(inst, significand);
        if let Some(dst) = inst.second_dst {
            // Each exponent is in the lanes of the pair of its value.
            let order = exponent.swizzled(Swizzle::new([0, 0, 1, 1]));
            self.emitter
                .emit_inst(Op::Mov, U32, Some(dst), InstData::None, &[order]);
        }
    }
}

/// Returns the data of a conversion: floats are converted to integers toward zero; all other
/// conversions round to the nearest value.
const fn wide_conversion(from: Type, to: Type) -> InstData {
    if from.is_float() && to.is_int() {
        truncating_conversion(from)
    } else {
        nearest_conversion(from)
    }
}
