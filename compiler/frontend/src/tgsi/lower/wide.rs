//! Opcodes on pairs of components: 64-bit floats and integers, the low word first. TGSI, sections
//! "Double ISA" and "64-bit Integer ISA".

use super::steps::truncated;
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::lower::formula::{Formulas, absolute};
use crate::lower::nearest;
use crate::tgsi::check::{Parsed, Reported};
use crate::tgsi::inst::Inst;
use crate::tgsi::lower::alu::Alu;
use crate::tgsi::opcodes::WideFormula;
use glasm_ir::inst::Aux;
use glasm_ir::types::{Type, Width};
use glasm_ir::{Base, Dst, Op, Saturate, Src, Swizzle, WriteMask};

use Type::{F64, S64, U32, U64};

/// The pair in z and w, as bits of pairs.
const SECOND_PAIR: u8 = 0b10;

impl Alu<'_, '_> {
    /// Returns a source as two values of 64 bits, in lanes x and y.
    fn pair(&mut self, inst: &Inst, number: usize) -> Parsed<Src> {
        let mut source = inst.sources[number];
        // virglrenderer reads the first pair where only the second one is written.
        if self.check.options.virgl && self.pairs_written(inst) == SECOND_PAIR {
            source = source.swizzled(Swizzle::new([0, 1, 0, 1]));
        }
        let span = inst.registers[number].span;
        if source.has_modifier() {
            let message = "values of 64 bits have no signs and no absolute values";
            return Err(self.check.error(Code::ModifierUnsupported, span, message));
        }
        let lane = |lane: usize| source.swizzle.lane(lane);
        // Only pairs that are written have to be whole.
        let needed = self.pairs_written(inst);
        let splits = |pair: usize| {
            needed >> pair & 1 != 0
                && !(lane(2 * pair) % 2 == 0 && lane(2 * pair + 1) == lane(2 * pair) + 1)
        };
        if splits(0) || splits(1) {
            let message = "this swizzle puts a value of 64 bits together from two";
            if !self.check.lenient(Rule::HalfPair, span, message) {
                return Err(Reported);
            }
        }
        if let Base::Literal(literal) = source.base {
            // Immediates are combined here.
            let words = self.emit.builder.program.literals[literal];
            let value = |low: usize| words[lane(low)] | words[lane(low + 1)] << 32;
            // Values of 64 bits are in x and y; the other lanes repeat them.
            let bits = [value(0), value(2), value(0), value(2)];
            return Ok(Src::new(Base::Literal(self.emit.literal(bits))));
        }
        Ok(self.emit.compute(Op::Pack64, U64, &[source]))
    }

    /// Returns the pairs of the result that are written, as bits.
    fn pairs_written(&self, inst: &Inst) -> u8 {
        let mask = inst.target.mask.0;
        u8::from(mask & 0b0011 != 0) | u8::from(mask & 0b1100 != 0) << 1
    }

    /// Writes two values of 64 bits as pairs. A pair with only one half in the mask is not written.
    fn finish_pairs(&mut self, inst: &Inst, value: Src) -> Parsed<()> {
        let target = &inst.target;
        // The document does not specify a clamp of doubles.
        if inst.saturate != Saturate::None {
            let name = inst.row.name;
            let message = format!("`{name}` gives values of 64 bits, which are not clamped");
            return Err(self.check.error(Code::ClampOnInteger, inst.opcode, message));
        }
        let mask = whole_pairs(target.mask);
        let mut inst = *inst;
        if mask != target.mask {
            let message = "this mask splits a value of 64 bits, which is not written";
            if !self.check.lenient(Rule::HalfPair, target.span, message) {
                return Err(Reported);
            }
            inst.dst = inst.dst.map(|dst| Dst {
                mask: WriteMask(dst.mask.0 & mask.0),
                ..dst
            });
            inst.dst = inst.dst.filter(|dst| !dst.mask.is_empty());
        }
        self.emit.finish(&inst, Op::Unpack64, U64, &[value]);
        Ok(())
    }

    /// Lowers one operation on pairs.
    pub(in crate::tgsi) fn wide(&mut self, inst: &Inst, op: Op, ty: Type) -> Parsed<()> {
        let mut sources = [inst.sources[0]; 3];
        for (number, source) in sources.iter_mut().enumerate().take(inst.count) {
            *source = self.pair(inst, number)?;
        }
        let value = self.emit.compute(op, ty, &sources[..inst.count]);
        self.finish_pairs(inst, value)
    }

    /// Lowers a comparison of pairs: all ones or 0 in x and z.
    pub(in crate::tgsi) fn lower_wide_comparison(
        &mut self,
        inst: &Inst,
        op: Op,
        ty: Type,
    ) -> Parsed<()> {
        let sources = [self.pair(inst, 0)?, self.pair(inst, 1)?];
        // 1.0 or 0.0 for doubles, all ones or 0 for integers.
        let test = self.emit.compute(op, ty, &sources);
        let halves = self.emit.hidden(Width::W32);
        self.emit
            .put(halves, WriteMask::XYZW, Op::Unpack64, U64, &[test]);
        let words = Src::register(halves);
        // The high words of 1.0 and of all ones are not 0.
        let high = words.swizzled(Swizzle::new([1, 1, 3, 3]));
        if self.check.options.old && ty == F64 {
            let one = self.emit.float(1.0);
            let zero = self.emit.word(0);
            self.emit.finish(inst, Op::SelNz, U32, &[high, one, zero]);
            return Ok(());
        }
        let (ones, zero) = (self.emit.word(u32::MAX), self.emit.word(0));
        self.emit.finish(inst, Op::SelNz, U32, &[high, ones, zero]);
        Ok(())
    }

    pub(in crate::tgsi) fn lower_wide_formula(
        &mut self,
        inst: &Inst,
        formula: WideFormula,
    ) -> Parsed<()> {
        let a = self.pair(inst, 0)?;
        let value = match formula {
            WideFormula::Absolute(ty) => self.emit.compute(Op::Mov, ty, &[absolute(a)]),
            WideFormula::Negate(ty) => self.emit.compute(Op::Mov, ty, &[a.negated()]),
            // The operation exists for integers; for doubles, -0 and NaN need care.
            WideFormula::Sign(S64) => self.emit.compute(Op::Sign, S64, &[a]),
            WideFormula::Sign(ty) => {
                let zero = self.emit.bits(0);
                let above = self.emit.compute(Op::SetGt, ty, &[a, zero]);
                let below = self.emit.compute(Op::SetLt, ty, &[a, zero]);
                self.emit.compute(Op::Sub, ty, &[above, below])
            }
            WideFormula::Fraction => {
                let floor = self.emit.compute(Op::Floor, F64, &[a]);
                self.emit.compute(Op::Sub, F64, &[a, floor])
            }
            WideFormula::ScaleByPower => {
                // In 2010 the exponent was a pair, whose low word holds the value.
                let exponents = self.counts(inst.sources[1]);
                self.scaled(a, exponents, F64)
            }
            WideFormula::DivideSigned => {
                let b = self.pair(inst, 1)?;
                let zero = self.emit.bits(0);
                let quotient = self.emit.compute(Op::Div, S64, &[a, b]);
                self.emit.compute(Op::SelNz, U64, &[b, quotient, zero])
            }
            WideFormula::Split => return self.split(inst, a),
        };
        self.finish_pairs(inst, value)
    }

    /// Counts and exponents of 32 bits for two pairs, as signed integers of 64 bits: x and z of the
    /// source.
    fn counts(&mut self, source: Src) -> Src {
        // The second count is in z, by the formula of DLDEXP; the section on shifts has y, but
        // interpreters read z.
        let order = source.swizzled(Swizzle::new([0, 2, 0, 2]));
        let aux = nearest(Type::S32);
        self.emit.compute_with(Op::Cvt, S64, aux, &[order])
    }

    pub(in crate::tgsi) fn lower_wide_shift(
        &mut self,
        inst: &Inst,
        op: Op,
        ty: Type,
    ) -> Parsed<()> {
        let value = self.pair(inst, 0)?;
        let counts = self.counts(inst.sources[1]);
        let shifted = self.emit.compute(op, ty, &[value, counts]);
        self.finish_pairs(inst, shifted)
    }

    /// Lowers F2D and other widening conversions: x becomes the first pair, y the second one.
    pub(in crate::tgsi) fn widen(&mut self, inst: &Inst, from: Type, to: Type) -> Parsed<()> {
        let aux = conversion(from, to);
        let source = inst.sources[0];
        let value = self.emit.compute_with(Op::Cvt, to, aux, &[source]);
        self.finish_pairs(inst, value)
    }

    /// Lowers D2F and other narrowing conversions: the first pair is written to x, the second one
    /// to y; to the first two enabled components if they are others.
    pub(in crate::tgsi) fn lower_narrow(
        &mut self,
        inst: &Inst,
        from: Type,
        to: Type,
    ) -> Parsed<()> {
        let value = self.pair_of_both(inst)?;
        let aux = conversion(from, to);
        let Some(dst) = inst.dst else { return Ok(()) };
        let result = self.emit.compute_with(Op::Cvt, to, aux, &[value]);
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
        self.emit.inst(Op::Mov, to, Some(dst), Aux::None, &[source]);
        Ok(())
    }

    /// Returns a source whose pairs are both read if two components are written, else the first
    /// one.
    fn pair_of_both(&mut self, inst: &Inst) -> Parsed<Src> {
        let count = inst.mask().count();
        let mut both = *inst;
        // `pair` checks those pairs that a mask of the result would write.
        both.target.mask = match count {
            1 => WriteMask(0b0011),
            _ => WriteMask::XYZW,
        };
        self.pair(&both, 0)
    }

    pub(in crate::tgsi) fn lower_wide_convert(
        &mut self,
        inst: &Inst,
        from: Type,
        to: Type,
    ) -> Parsed<()> {
        let value = self.pair(inst, 0)?;
        let aux = conversion(from, to);
        let result = self.emit.compute_with(Op::Cvt, to, aux, &[value]);
        self.finish_pairs(inst, result)
    }

    /// Lowers DFRACEXP of 2010: the significand in [0.5, 1) to the first result, the exponent as an
    /// integer to the second one.
    fn split(&mut self, inst: &Inst, value: Src) -> Parsed<()> {
        let (shift, exponent_bits) = (self.emit.bits(52), self.emit.bits(0x7FF));
        let shifted = self.emit.compute(Op::Shr, U64, &[value, shift]);
        let biased = self.emit.compute(Op::And, U64, &[shifted, exponent_bits]);
        // One less than that of doubles: the significand is in [0.5, 1), not in [1, 2).
        let bias = self.emit.bits(1022);
        let exponent = self.emit.compute(Op::Sub, S64, &[biased, bias]);
        let zero = self.emit.bits(0);
        // For zero, exponent and significand are 0.
        let exponent = self.emit.compute(Op::SelNz, U64, &[biased, exponent, zero]);
        let (others, half) = (
            self.emit.bits(0x800F_FFFF_FFFF_FFFF),
            self.emit.bits(0.5f64.to_bits()),
        );
        let mantissa = self.emit.compute(Op::And, U64, &[value, others]);
        let significand = self.emit.compute(Op::Or, U64, &[mantissa, half]);
        let significand = self
            .emit
            .compute(Op::SelNz, U64, &[biased, significand, value]);
        let exponent = self
            .emit
            .compute_with(Op::Cvt, Type::S32, nearest(S64), &[exponent]);
        self.finish_pairs(inst, significand)?;
        if let Some(dst) = inst.second {
            // Each exponent is in the lanes of the pair of its value.
            let order = exponent.swizzled(Swizzle::new([0, 0, 1, 1]));
            self.emit.inst(Op::Mov, U32, Some(dst), Aux::None, &[order]);
        }
        Ok(())
    }
}

/// Returns the data of a conversion: floats are converted to integers toward zero; all other
/// conversions round to the nearest value.
const fn conversion(from: Type, to: Type) -> Aux {
    if from.is_float() && to.is_int() {
        truncated(from)
    } else {
        nearest(from)
    }
}

/// Extends a mask to whole pairs: half a value cannot be written, as the other half would be that
/// of another value.
fn whole_pairs(mask: WriteMask) -> WriteMask {
    let whole = |pair: u8| if mask.0 & pair == pair { pair } else { 0 };
    WriteMask(whole(0b0011) | whole(0b1100))
}
