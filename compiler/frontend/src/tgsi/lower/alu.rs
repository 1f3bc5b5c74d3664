//! Formulas of several operations.

use crate::lang::lenient::Rule;
use crate::lower::composite;
use crate::lower::formula::{Formulas, Part, absolute};
use crate::lower::nearest;
use crate::tgsi::check::TgsiChecker;
use crate::tgsi::inst::Inst;
use crate::tgsi::lower::emitter::Emitter;
use crate::tgsi::modes::Properties;
use crate::tgsi::opcodes::Formula;
use crate::tgsi::operand::TgsiResolver;
use crate::tgsi::operand::splat;
use glasm_ir::types::{Type, Width};
use glasm_ir::{Dst, Op, RegisterId, Saturate, Src, Swizzle, WriteMask};

use Type::{F32 as F, S32 as S, U32 as U};

/// Lowers arithmetic. It has no access to registers by their names in the source.
pub(in crate::tgsi) struct Alu<'r, 'a> {
    pub(in crate::tgsi) check: &'r mut TgsiChecker<'a>,
    pub(in crate::tgsi) emit: &'r mut Emitter,
    properties: &'r Properties,
}

impl<'r, 'a> Alu<'r, 'a> {
    /// Returns the context of arithmetic.
    pub(in crate::tgsi) fn new(cx: &'r mut TgsiResolver<'a>) -> Self {
        Self {
            check: &mut cx.check,
            emit: &mut cx.emit,
            properties: &cx.properties,
        }
    }
}

impl Alu<'_, '_> {
    #[expect(clippy::too_many_lines, reason = "an arm for each formula")]
    pub(in crate::tgsi) fn formula(&mut self, inst: &Inst, formula: Formula) {
        let [a, b, c, ..] = inst.sources;
        match formula {
            // A sign before the source does not matter: the least integer is its own negative and
            // its own absolute value.
            Formula::Absolute => self.emit.finish(inst, Op::Mov, S, &[absolute(a)]),
            Formula::AbsoluteFloat => self.emit.finish(inst, Op::Mov, F, &[absolute(a)]),
            Formula::AddPairs => self.add_pairs(inst),
            Formula::Clamp => self.clamp(inst),
            Formula::Condition => self.by_condition(inst),
            // w of the shared formulas is undefined, here it is 1.
            Formula::CrossProduct => self.finish_with_one(inst, composite::xpd),
            Formula::DivideSigned => self.divide_signed(inst),
            Formula::DerivativeY(op) => self.derivative_y(inst, op),
            Formula::Dot2Add => composite::dp2a(self.emit, inst),
            Formula::DotHomogeneous => composite::dph(self.emit, inst),
            Formula::DstVector => composite::dst(self.emit, inst),
            Formula::ExpParts => composite::exp(self.emit, &first_only(inst)),
            // The IR has the count before the offset, TGSI the offset before the count.
            Formula::ExtractBits(ty) => self.emit.finish(inst, Op::BitExtract, ty, &[a, c, b]),
            Formula::InsertBits => {
                let [a, b, c, d, _] = inst.sources;
                self.emit.finish(inst, Op::BitInsert, U, &[a, b, d, c]);
            }
            Formula::Interpolate => composite::lrp(self.emit, inst),
            // Programs without a modifier for absolute values write them so; of two zeros a device
            // may take either.
            Formula::Larger if b == a.negated() => {
                self.emit.finish(inst, Op::Mov, F, &[absolute(a)])
            }
            Formula::Larger => self.emit.direct(inst, Op::NMax, F),
            Formula::IsFalse => self.finish_number(inst, 0.0),
            Formula::IsTrue => self.finish_number(inst, 1.0),
            // Within [-128, 128], the ends included, unlike the languages of OpenGL. TGSI, LIT.
            Formula::Lit => composite::lit_within(self.emit, inst, 128.0),
            Formula::LogParts => self.log_parts(inst),
            Formula::Negate => {
                let zero = self.emit.word(0);
                self.emit.finish(inst, Op::Sub, S, &[zero, a]);
            }
            Formula::Normalize3 => self.finish_with_one(inst, composite::nrm),
            Formula::Normalize4 => self.normalize4(inst),
            Formula::PackSignedBytes => self.pack_signed_bytes(inst),
            Formula::PackUnorm2 => self.emit.finish(inst, Op::PackUnorm2, F, &[a]),
            Formula::Power => {
                let mut scalars = first_only(inst);
                scalars.sources[1] = splat(inst.sources[1], 0);
                composite::pow(self.emit, &scalars);
            }
            Formula::RccBounded => composite::rcc(self.emit, &first_only(inst)),
            Formula::Reflect => self.finish_with_one(inst, composite::rfl),
            // Interpreters of 2010 rounded halves up.
            Formula::RoundNearest if self.check.options.old => self.round_halves_up(inst),
            Formula::RoundNearest => self.emit.finish(inst, Op::Round, F, &[a]),
            // Of the absolute value, as the document of 2010 specifies.
            Formula::RsqRoot if self.check.options.old => {
                composite::rsq(self.emit, &first_only(inst))
            }
            Formula::RsqRoot => self.emit.finish(inst, Op::Rsq, F, &[splat(a, 0)]),
            Formula::SadInt => self.sum_of_difference(inst),
            Formula::ScaleByPower => {
                let scaled = self.scaled(a, b, F);
                self.emit.finish_mov(inst, scaled);
            }
            Formula::SelectBits => {
                // The values are bits that an instruction of floats might change, in particular
                // NaN.
                let sources = [a, b, c].map(|source| self.emit.with_signs(source));
                self.emit.finish(inst, Op::SelNz, F, &sources);
            }
            Formula::SetSign => self.set_sign(inst),
            Formula::ShiftLeft if self.check.options.old => self.old_shift(inst),
            Formula::ShiftLeft => self.emit.finish(inst, Op::Shl, U, &[a, b]),
            Formula::SignlessShift => self.signless_shift(inst),
            Formula::SinCos => self.sin_cos(inst),
            Formula::Texture2dTransform => composite::x2d(self.emit, inst),
            Formula::UnpackSignedBytes => self.unpack_signed_bytes(inst),
        }
    }

    #[inline]
    fn add_pairs(&mut self, inst: &Inst) {
        let a = inst.sources[0];
        let order = |lanes: [u8; 4]| a.swizzled(Swizzle::new(lanes));
        let pairs = [order([0, 1, 0, 1]), order([2, 3, 2, 3])];
        self.emit.finish(inst, Op::Add, S, &pairs);
    }

    #[inline]
    fn clamp(&mut self, inst: &Inst) {
        let [a, b, c, ..] = inst.sources;
        // The lower bound is tested first, and NaN is neither below it nor above the other.
        let low = self.emit.compute(Op::SetLt, F, &[a, b]);
        let high = self.emit.compute(Op::SetGt, F, &[a, c]);
        let upper = self.emit.compute(Op::SelNz, F, &[high, c, a]);
        self.emit.finish(inst, Op::SelNz, F, &[low, b, upper]);
    }

    #[inline]
    fn by_condition(&mut self, inst: &Inst) {
        let [a, b, c, ..] = inst.sources;
        // The condition is the third source. TGSI of 2010, section "Instruction Set", CND.
        let half = self.emit.float(0.5);
        let test = self.emit.compute(Op::SetGt, F, &[c, half]);
        self.emit.finish(inst, Op::SelNz, F, &[test, a, b]);
    }

    #[inline]
    fn divide_signed(&mut self, inst: &Inst) {
        let [a, b, ..] = inst.sources;
        let zero = self.emit.word(0);
        // The document leaves division by zero open; interpreters return 0.
        let quotient = self.emit.compute(Op::Div, S, &[a, b]);
        self.emit.finish(inst, Op::SelNz, U, &[b, quotient, zero]);
    }

    #[inline]
    fn derivative_y(&mut self, inst: &Inst, op: Op) {
        let a = inst.sources[0];
        // The device may count lines upward, but y of a TGSI window grows downward.
        let scale = self.emit.downward();
        let derivative = self.emit.compute(op, F, &[a]);
        self.emit.finish(inst, Op::Mul, F, &[derivative, scale]);
    }

    #[inline]
    fn normalize4(&mut self, inst: &Inst) {
        let a = inst.sources[0];
        // The document of 2010 leaves the root out, also for NRM: a vector over the square of its
        // length is not normalized.
        let square = self.emit.compute(Op::Dp4, F, &[a, a]);
        let scale = self.emit.compute(Op::Rsq, F, &[square]);
        self.emit.finish(inst, Op::Mul, F, &[a, scale]);
    }

    #[inline]
    fn round_halves_up(&mut self, inst: &Inst) {
        let a = inst.sources[0];
        let half = self.emit.float(0.5);
        let sum = self.emit.compute(Op::Add, F, &[a, half]);
        self.emit.finish(inst, Op::Floor, F, &[sum]);
    }

    #[inline]
    fn set_sign(&mut self, inst: &Inst) {
        let a = inst.sources[0];
        let zero = self.emit.word(0);
        // By comparisons, so that NaN has the sign 0 and so has -0.
        let above = self.emit.compute(Op::SetGt, F, &[a, zero]);
        let below = self.emit.compute(Op::SetLt, F, &[a, zero]);
        self.emit.finish(inst, Op::Sub, F, &[above, below]);
    }

    #[inline]
    fn old_shift(&mut self, inst: &Inst) {
        let [a, b, ..] = inst.sources;
        // One count for all components, which is not limited: from 32 on the result is 0.
        let count = splat(b, 0);
        let (zero, limit) = (self.emit.word(0), self.emit.word(32));
        let shifted = self.emit.compute(Op::Shl, U, &[a, count]);
        let fits = self.emit.compute(Op::SetLt, U, &[count, limit]);
        self.emit.finish(inst, Op::SelNz, U, &[fits, shifted, zero]);
    }

    #[inline]
    fn signless_shift(&mut self, inst: &Inst) {
        let [a, b, ..] = inst.sources;
        let message = "`SHR` has no sign: `USHR` is meant";
        self.check.lenient(Rule::SignlessShift, inst.span, message);
        let count = if self.check.options.old {
            splat(b, 0)
        } else {
            b
        };
        self.emit.finish(inst, Op::Shr, U, &[a, count]);
    }

    #[inline]
    fn sin_cos(&mut self, inst: &Inst) {
        let a = inst.sources[0];
        let (x, zero, one) = (splat(a, 0), self.emit.word(0), self.emit.float(1.0));
        let parts: [Part<'_>; 4] = [
            (0b0001, Op::Cos, F, &[x]),
            (0b0010, Op::Sin, F, &[x]),
            // The document of 2010 writes 1 to y, which has the sine already: w is intended.
            (0b0100, Op::Mov, F, &[zero]),
            (0b1000, Op::Mov, F, &[one]),
        ];
        self.emit.finish_parts(inst, &parts);
    }

    #[inline]
    fn finish_number(&mut self, inst: &Inst, number: f32) {
        let value = self.emit.float(number);
        self.emit.finish_mov(inst, value);
    }

    /// Finishes a formula of three components, with w = 1.
    fn finish_with_one(&mut self, inst: &Inst, formula: impl FnOnce(&mut Emitter, &Inst)) {
        let register = self.emit.hidden(Width::W32);
        formula(self.emit, &into(inst, register, WriteMask(0b0111)));
        let one = self.emit.float(1.0);
        self.emit
            .put(register, WriteMask(0b1000), Op::Mov, F, &[one]);
        self.emit.finish_mov(inst, Src::register(register));
    }

    /// Lowers LOG. If products with zero are zero, the mantissa of 0 is one: `0 * 2^inf`.
    fn log_parts(&mut self, inst: &Inst) {
        let first = first_only(inst);
        if !self.properties.is_zero_product() {
            return composite::log(self.emit, &first);
        }
        let parts = self.emit.hidden(Width::W32);
        composite::log(self.emit, &into(&first, parts, WriteMask::XYZW));
        let zero = self.emit.word(0);
        let is_zero = self.emit.compute(Op::SetEq, F, &[first.sources[0], zero]);
        let mantissa = Src::register(parts);
        let sources = [is_zero, zero, mantissa];
        self.emit
            .put(parts, WriteMask(0b0010), Op::SelNz, F, &sources);
        self.emit.finish_mov(inst, mantissa);
    }

    /// Lowers SAD: `|a - b| + c` of integers.
    fn sum_of_difference(&mut self, inst: &Inst) {
        let [a, b, c, ..] = inst.sources;
        // The larger value less the smaller one is a difference without a sign: as an unsigned
        // number it does not overflow.
        let larger = self.emit.compute(Op::Max, S, &[a, b]);
        let smaller = self.emit.compute(Op::Min, S, &[a, b]);
        let difference = self.emit.compute(Op::Sub, U, &[larger, smaller]);
        self.emit.finish(inst, Op::Add, U, &[difference, c]);
    }

    /// Lowers a comparison whose result is all ones or 0 instead of 1.0 or 0.0.
    pub(in crate::tgsi) fn comparison(&mut self, inst: &Inst, op: Op, ty: Type) {
        let [a, b, ..] = inst.sources;
        let test = self.emit.compute(op, ty, &[a, b]);
        let (ones, zero) = (self.emit.word(u32::MAX), self.emit.word(0));
        self.emit.finish(inst, Op::SelNz, U, &[test, ones, zero]);
    }

    /// Computes `a * 2^b` of floats and integers of one width: in three steps, for fewer powers of
    /// two do not span the range from the largest number to the smallest one.
    pub(in crate::tgsi) fn scaled(&mut self, a: Src, b: Src, float: Type) -> Src {
        let (integer, mask, bias, fraction_bits) = if float.width() == Width::W64 {
            (Type::S64, u64::MAX, 1023, 52)
        } else {
            (S, u64::from(u32::MAX), 127, 23)
        };
        let (least, shift) = (
            1u64.wrapping_sub(bias) & mask,
            self.emit.bits(fraction_bits),
        );
        // The exponents of normal numbers range from `1 - bias` to `bias`.
        let (least, bias) = (self.emit.bits(least), self.emit.bits(bias));
        let (mut product, mut rest) = (a, b);
        for _ in 0..3 {
            let raised = self.emit.compute(Op::Max, integer, &[rest, least]);
            let exponent = self.emit.compute(Op::Min, integer, &[raised, bias]);
            rest = self.emit.compute(Op::Sub, integer, &[rest, exponent]);
            let biased = self.emit.compute(Op::Add, integer, &[exponent, bias]);
            let power = self
                .emit
                .compute(Op::Shl, float.bits_type(), &[biased, shift]);
            product = self.emit.compute(Op::Mul, float, &[product, power]);
        }
        product
    }

    /// Lowers PK4B: four signed bytes, x lowest.
    fn pack_signed_bytes(&mut self, inst: &Inst) {
        let source = inst.sources[0];
        let (low, high, scale) = (
            self.emit.float(-1.0),
            self.emit.float(1.0),
            self.emit.float(127.0),
        );
        // With NaN the other source is the result, so that NaN becomes -1.
        let raised = self.emit.compute(Op::NMax, F, &[source, low]);
        let clamped = self.emit.compute(Op::NMin, F, &[raised, high]);
        let scaled = self.emit.compute(Op::Mul, F, &[clamped, scale]);
        let rounded = self.emit.compute(Op::Round, F, &[scaled]);
        let whole = self.emit.compute_with(Op::Cvt, S, nearest(F), &[rounded]);
        let byte = self.emit.word(0xFF);
        let bytes = self.emit.compute(Op::And, U, &[whole, byte]);
        // All four bytes are shifted at once: each lane has a separate shift.
        let shifts = self.emit.words([0, 8, 16, 24]);
        let placed = self.emit.compute(Op::Shl, U, &[bytes, shifts]);
        let lanes = [0, 1, 2, 3].map(|lane| splat(placed, lane));
        let first = self.emit.compute(Op::Or, U, &[lanes[0], lanes[1]]);
        let second = self.emit.compute(Op::Or, U, &[lanes[2], lanes[3]]);
        self.emit.finish(inst, Op::Or, U, &[first, second]);
    }

    /// Lowers UP4B: the bytes of a word divided by 127, at least -1.
    fn unpack_signed_bytes(&mut self, inst: &Inst) {
        let word = inst.scalar(0);
        let (places, bits) = (self.emit.words([0, 8, 16, 24]), self.emit.word(8));
        // Signed, so that the upper bit of a byte is its sign.
        let whole = self.emit.compute(Op::BitExtract, S, &[word, bits, places]);
        let number = self.emit.compute_with(Op::Cvt, F, nearest(S), &[whole]);
        let (scale, low) = (self.emit.float(127.0), self.emit.float(-1.0));
        let unit = self.emit.compute(Op::Div, F, &[number, scale]);
        // -128 would be less than -1.
        self.emit.finish(inst, Op::NMax, F, &[unit, low]);
    }
}

/// Returns the instruction with its result in a hidden register.
fn into(inst: &Inst, register: RegisterId, mask: WriteMask) -> Inst {
    Inst {
        dst: Some(Dst::new(register, mask)),
        // The clamp is applied by the last step, when w is there.
        saturate: Saturate::None,
        ..*inst
    }
}

/// Returns the instruction with the first component of its source in all lanes.
fn first_only(inst: &Inst) -> Inst {
    let mut first = *inst;
    first.sources[0] = splat(inst.sources[0], 0);
    first
}
