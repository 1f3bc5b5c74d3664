//! Formulas of several operations.

use super::emitter::Emitter;
use super::inst::{LoweredInst, splat};
use super::operand::OperandLowerer;
use crate::lower::op_builder::{OpBuilder, ResultPart, with_abs};
use crate::lower::{composite_ops, nearest_conversion};
use crate::source::TgsiOptions;
use crate::tgsi::opcodes::Formula;
use crate::tgsi::properties::Properties;
use Type::{F32 as F, S32 as S, U32 as U};
use glasm_ir::types::{Type, Width};
use glasm_ir::{Dst, Op, RegisterId, Saturate, Src, Swizzle, WriteMask};

/// Lowers arithmetic. It has no access to the checked program.
pub(super) struct AluLowerer<'r> {
    pub(super) emitter: &'r mut Emitter,
    pub(super) options: &'r TgsiOptions,
    properties: &'r Properties,
}

impl<'r> AluLowerer<'r> {
    /// Returns the context that lowers arithmetic instructions.
    pub(super) fn new(operands: &'r mut OperandLowerer<'_>) -> Self {
        Self {
            emitter: &mut operands.emitter,
            options: operands.options,
            properties: &operands.properties,
        }
    }
}

impl AluLowerer<'_> {
    /// Lowers an arithmetic instruction that is more than one operation of the IR. Some of the
    /// formulas are shared with the other languages.
    #[expect(clippy::too_many_lines, reason = "an arm for each formula")]
    pub(super) fn lower_formula(&mut self, inst: &LoweredInst, formula: Formula) {
        let [a, b, c, ..] = inst.sources;
        match formula {
            // A sign before the source does not matter: the least integer is its own negative and
            // its own absolute value.
            Formula::Absolute => self.emitter.emit_result(inst, Op::Mov, S, &[with_abs(a)]),
            Formula::AbsoluteFloat => self.emitter.emit_result(inst, Op::Mov, F, &[with_abs(a)]),
            Formula::AddPairs => self.lower_ara(inst),
            Formula::Clamp => self.lower_clamp(inst),
            Formula::Condition => self.lower_cnd(inst),
            // w of the shared formulas is undefined, here it is 1.
            Formula::CrossProduct => self.emit_result_with_w_one(inst, composite_ops::lower_xpd),
            Formula::DivideSigned => self.lower_idiv(inst),
            Formula::DerivativeY(op) => self.lower_derivative_y(inst, op),
            Formula::Dot2Add => composite_ops::lower_dp2a(self.emitter, inst),
            Formula::DotHomogeneous => composite_ops::lower_dph(self.emitter, inst),
            Formula::DstVector => composite_ops::lower_dst(self.emitter, inst),
            Formula::ExpParts => composite_ops::lower_exp(self.emitter, &with_scalar_source(inst)),
            // The IR has the count before the offset, TGSI the offset before the count.
            Formula::ExtractBits(ty) => {
                self.emitter
                    .emit_result(inst, Op::BitExtract, ty, &[a, c, b])
            }
            Formula::InsertBits => {
                let [a, b, c, d, _] = inst.sources;
                self.emitter
                    .emit_result(inst, Op::BitInsert, U, &[a, b, d, c]);
            }
            Formula::Interpolate => composite_ops::lower_lrp(self.emitter, inst),
            // Programs without a modifier for absolute values write them so; of two zeros a device
            // may take either.
            Formula::Larger if b == a.negated() => {
                self.emitter.emit_result(inst, Op::Mov, F, &[with_abs(a)])
            }
            Formula::Larger => self.emitter.lower_direct(inst, Op::NMax, F),
            Formula::IsFalse => self.emit_constant_result(inst, 0.0),
            Formula::IsTrue => self.emit_constant_result(inst, 1.0),
            // Within [-128, 128], the ends included, unlike the languages of OpenGL. TGSI, LIT.
            Formula::Lit => composite_ops::lower_lit_bounded(self.emitter, inst, 128.0),
            Formula::LogParts => self.lower_log(inst),
            Formula::Negate => {
                let zero = self.emitter.splat_word(0);
                self.emitter.emit_result(inst, Op::Sub, S, &[zero, a]);
            }
            Formula::Normalize3 => self.emit_result_with_w_one(inst, composite_ops::lower_nrm),
            Formula::Normalize4 => self.lower_nrm4(inst),
            Formula::PackSignedBytes => self.lower_pk4b(inst),
            Formula::PackUnorm2 => self.emitter.emit_result(inst, Op::PackUnorm2, F, &[a]),
            Formula::Power => {
                let mut scalars = with_scalar_source(inst);
                scalars.sources[1] = splat(inst.sources[1], 0);
                composite_ops::lower_pow(self.emitter, &scalars);
            }
            Formula::RccBounded => {
                composite_ops::lower_rcc(self.emitter, &with_scalar_source(inst))
            }
            Formula::Reflect => self.emit_result_with_w_one(inst, composite_ops::lower_rfl),
            // Interpreters of 2010 rounded halves up.
            Formula::RoundNearest if self.options.legacy_semantics => {
                self.lower_round_half_up(inst)
            }
            Formula::RoundNearest => self.emitter.emit_result(inst, Op::Round, F, &[a]),
            // Of the absolute value, as the document of 2010 specifies.
            Formula::RsqRoot if self.options.legacy_semantics => {
                composite_ops::lower_rsq(self.emitter, &with_scalar_source(inst))
            }
            Formula::RsqRoot => self.emitter.emit_result(inst, Op::Rsq, F, &[splat(a, 0)]),
            Formula::SadInt => self.lower_sad(inst),
            Formula::ScaleByPower => {
                let scaled = self.compute_ldexp(a, b, F);
                self.emitter.emit_result_copy(inst, scaled);
            }
            Formula::SelectBits => {
                // The values are bits that an instruction of floats might change, in particular
                // NaN.
                let sources = [a, b, c].map(|source| self.emitter.apply_sign_bits(source));
                self.emitter.emit_result(inst, Op::SelNz, F, &sources);
            }
            Formula::SetSign => self.lower_ssg(inst),
            Formula::ShiftLeft if self.options.legacy_semantics => self.lower_shl_2010(inst),
            Formula::ShiftLeft => self.emitter.emit_result(inst, Op::Shl, U, &[a, b]),
            Formula::SignlessShift => self.lower_shr(inst),
            Formula::SinCos => self.lower_scs(inst),
            Formula::Texture2dTransform => composite_ops::lower_x2d(self.emitter, inst),
            Formula::UnpackSignedBytes => self.lower_up4b(inst),
        }
    }

    /// Lowers ARA: `(a.x + a.z, a.y + a.w, a.x + a.z, a.y + a.w)` of integers.
    fn lower_ara(&mut self, inst: &LoweredInst) {
        let a = inst.sources[0];
        let order = |lanes: [u8; 4]| a.swizzled(Swizzle::new(lanes));
        let pairs = [order([0, 1, 0, 1]), order([2, 3, 2, 3])];
        self.emitter.emit_result(inst, Op::Add, S, &pairs);
    }

    /// Lowers CLAMP: limits `a` to the range from `b` to `c`. NaN is preserved.
    fn lower_clamp(&mut self, inst: &LoweredInst) {
        let [a, b, c, ..] = inst.sources;
        // The lower bound is tested first, and NaN is neither below it nor above the other.
        let low = self.emitter.compute(Op::SetLt, F, &[a, b]);
        let high = self.emitter.compute(Op::SetGt, F, &[a, c]);
        let upper = self.emitter.compute(Op::SelNz, F, &[high, c, a]);
        self.emitter
            .emit_result(inst, Op::SelNz, F, &[low, b, upper]);
    }

    /// Lowers CND: `c > 0.5 ? a : b`.
    fn lower_cnd(&mut self, inst: &LoweredInst) {
        let [a, b, c, ..] = inst.sources;
        // The condition is the third source. TGSI of 2010, section "Instruction Set", CND.
        let half = self.emitter.splat_float(0.5);
        let test = self.emitter.compute(Op::SetGt, F, &[c, half]);
        self.emitter.emit_result(inst, Op::SelNz, F, &[test, a, b]);
    }

    /// Lowers IDIV: the quotient of signed integers, 0 for division by zero.
    fn lower_idiv(&mut self, inst: &LoweredInst) {
        let [a, b, ..] = inst.sources;
        let zero = self.emitter.splat_word(0);
        // The document leaves division by zero open; interpreters return 0.
        let quotient = self.emitter.compute(Op::Div, S, &[a, b]);
        self.emitter
            .emit_result(inst, Op::SelNz, U, &[b, quotient, zero]);
    }

    /// Lowers DDY and DDY_FINE by derivative `op`, with y in the direction of TGSI windows.
    fn lower_derivative_y(&mut self, inst: &LoweredInst, op: Op) {
        let a = inst.sources[0];
        // The device may count lines upward, but y of a TGSI window grows downward.
        let scale = self.emitter.get_y_direction();
        let derivative = self.emitter.compute(op, F, &[a]);
        self.emitter
            .emit_result(inst, Op::Mul, F, &[derivative, scale]);
    }

    /// Lowers NRM4: the normalized vector `a / sqrt(dot4(a, a))`.
    fn lower_nrm4(&mut self, inst: &LoweredInst) {
        let a = inst.sources[0];
        // The document of 2010 leaves the root out, also for NRM: a vector over the square of its
        // length is not normalized.
        let square = self.emitter.compute(Op::Dp4, F, &[a, a]);
        let scale = self.emitter.compute(Op::Rsq, F, &[square]);
        self.emitter.emit_result(inst, Op::Mul, F, &[a, scale]);
    }

    /// Lowers ROUND as defined in 2010: `floor(a + 0.5)`.
    fn lower_round_half_up(&mut self, inst: &LoweredInst) {
        let a = inst.sources[0];
        let half = self.emitter.splat_float(0.5);
        let sum = self.emitter.compute(Op::Add, F, &[a, half]);
        self.emitter.emit_result(inst, Op::Floor, F, &[sum]);
    }

    /// Lowers SSG: 1, 0 or -1 according to the sign of `a`; 0 for NaN.
    fn lower_ssg(&mut self, inst: &LoweredInst) {
        let a = inst.sources[0];
        let zero = self.emitter.splat_word(0);
        // By comparisons, so that NaN has the sign 0 and so has -0.
        let above = self.emitter.compute(Op::SetGt, F, &[a, zero]);
        let below = self.emitter.compute(Op::SetLt, F, &[a, zero]);
        self.emitter.emit_result(inst, Op::Sub, F, &[above, below]);
    }

    /// Lowers SHL of 2010: shifts all components by the x component of `b`; counts from 32 on give
    /// 0.
    fn lower_shl_2010(&mut self, inst: &LoweredInst) {
        let [a, b, ..] = inst.sources;
        // One count for all components, which is not limited: from 32 on the result is 0.
        let count = splat(b, 0);
        let (zero, limit) = (self.emitter.splat_word(0), self.emitter.splat_word(32));
        let shifted = self.emitter.compute(Op::Shl, U, &[a, count]);
        let fits = self.emitter.compute(Op::SetLt, U, &[count, limit]);
        self.emitter
            .emit_result(inst, Op::SelNz, U, &[fits, shifted, zero]);
    }

    /// Lowers SHR as USHR. In TGSI of 2010 the x component of `b` is
    /// the count of all components.
    fn lower_shr(&mut self, inst: &LoweredInst) {
        let [a, b, ..] = inst.sources;
        let count = if self.options.legacy_semantics {
            splat(b, 0)
        } else {
            b
        };
        self.emitter.emit_result(inst, Op::Shr, U, &[a, count]);
    }

    /// Lowers SCS: `(cos(a.x), sin(a.x), 0, 1)`.
    fn lower_scs(&mut self, inst: &LoweredInst) {
        let a = inst.sources[0];
        let (x, zero, one) = (
            splat(a, 0),
            self.emitter.splat_word(0),
            self.emitter.splat_float(1.0),
        );
        let parts: [ResultPart<'_>; 4] = [
            (0b0001, Op::Cos, F, &[x]),
            (0b0010, Op::Sin, F, &[x]),
            // The document of 2010 writes 1 to y, which has the sine already: w is intended.
            (0b0100, Op::Mov, F, &[zero]),
            (0b1000, Op::Mov, F, &[one]),
        ];
        self.emitter.emit_result_parts(inst, &parts);
    }

    /// Writes `number` to all components of the result.
    fn emit_constant_result(&mut self, inst: &LoweredInst, number: f32) {
        let value = self.emitter.splat_float(number);
        self.emitter.emit_result_copy(inst, value);
    }

    /// Writes the first three components of a formula as the result, and 1 to w.
    fn emit_result_with_w_one(
        &mut self,
        inst: &LoweredInst,
        formula: impl FnOnce(&mut Emitter, &LoweredInst),
    ) {
        let register = self.emitter.alloc_hidden(Width::W32);
        formula(
            self.emitter,
            &with_hidden_result(inst, register, WriteMask(0b0111)),
        );
        let one = self.emitter.splat_float(1.0);
        self.emitter
            .emit_to_register(register, WriteMask(0b1000), Op::Mov, F, &[one]);
        self.emitter
            .emit_result_copy(inst, Src::from_register(register));
    }

    /// Lowers LOG. If products with zero are zero, the mantissa of 0 is one: `0 * 2^inf`.
    fn lower_log(&mut self, inst: &LoweredInst) {
        let first = with_scalar_source(inst);
        if !self.properties.zero_wins() {
            return composite_ops::lower_log(self.emitter, &first);
        }
        let parts = self.emitter.alloc_hidden(Width::W32);
        composite_ops::lower_log(
            self.emitter,
            &with_hidden_result(&first, parts, WriteMask::XYZW),
        );
        let zero = self.emitter.splat_word(0);
        let is_zero = self
            .emitter
            .compute(Op::SetEq, F, &[first.sources[0], zero]);
        let mantissa = Src::from_register(parts);
        let sources = [is_zero, zero, mantissa];
        self.emitter
            .emit_to_register(parts, WriteMask(0b0010), Op::SelNz, F, &sources);
        self.emitter.emit_result_copy(inst, mantissa);
    }

    /// Lowers SAD: `|a - b| + c` of integers.
    fn lower_sad(&mut self, inst: &LoweredInst) {
        let [a, b, c, ..] = inst.sources;
        // The larger value less the smaller one is a difference without a sign: as an unsigned
        // number it does not overflow.
        let larger = self.emitter.compute(Op::Max, S, &[a, b]);
        let smaller = self.emitter.compute(Op::Min, S, &[a, b]);
        let difference = self.emitter.compute(Op::Sub, U, &[larger, smaller]);
        self.emitter.emit_result(inst, Op::Add, U, &[difference, c]);
    }

    /// Lowers a comparison whose result is all ones or 0 instead of 1.0 or 0.0.
    pub(super) fn lower_comparison(&mut self, inst: &LoweredInst, op: Op, ty: Type) {
        let [a, b, ..] = inst.sources;
        let test = self.emitter.compute(op, ty, &[a, b]);
        let (ones, zero) = (
            self.emitter.splat_word(u32::MAX),
            self.emitter.splat_word(0),
        );
        self.emitter
            .emit_result(inst, Op::SelNz, U, &[test, ones, zero]);
    }

    /// Computes `a * 2^b` of floats and integers of one width: in three steps, for fewer powers of
    /// two do not span the range from the largest number to the smallest one.
    pub(super) fn compute_ldexp(&mut self, a: Src, b: Src, float: Type) -> Src {
        let (integer, mask, bias, fraction_bits) = if float.width() == Width::W64 {
            (Type::S64, u64::MAX, 1023, 52)
        } else {
            (S, u64::from(u32::MAX), 127, 23)
        };
        let (min_exponent, shift) = (
            1u64.wrapping_sub(bias) & mask,
            self.emitter.splat_bits(fraction_bits),
        );
        // The exponents of normal numbers range from `1 - bias` to `bias`.
        let (least, bias) = (
            self.emitter.splat_bits(min_exponent),
            self.emitter.splat_bits(bias),
        );
        let (mut product, mut remaining) = (a, b);
        for _ in 0..3 {
            let raised = self.emitter.compute(Op::Max, integer, &[remaining, least]);
            let exponent = self.emitter.compute(Op::Min, integer, &[raised, bias]);
            remaining = self
                .emitter
                .compute(Op::Sub, integer, &[remaining, exponent]);
            let biased = self.emitter.compute(Op::Add, integer, &[exponent, bias]);
            let power = self
                .emitter
                .compute(Op::Shl, float.to_unsigned(), &[biased, shift]);
            product = self.emitter.compute(Op::Mul, float, &[product, power]);
        }
        product
    }

    /// Lowers PK4B: packs four floats from -1 to 1 as signed bytes, x in the lowest.
    fn lower_pk4b(&mut self, inst: &LoweredInst) {
        let source = inst.sources[0];
        let (low, high, scale) = (
            self.emitter.splat_float(-1.0),
            self.emitter.splat_float(1.0),
            self.emitter.splat_float(127.0),
        );
        // With NaN the other source is the result, so that NaN becomes -1.
        let raised = self.emitter.compute(Op::NMax, F, &[source, low]);
        let clamped = self.emitter.compute(Op::NMin, F, &[raised, high]);
        let scaled = self.emitter.compute(Op::Mul, F, &[clamped, scale]);
        let rounded = self.emitter.compute(Op::Round, F, &[scaled]);
        let whole = self
            .emitter
            .compute_with_aux(Op::Cvt, S, nearest_conversion(F), &[rounded]);
        let byte = self.emitter.splat_word(0xFF);
        let bytes = self.emitter.compute(Op::And, U, &[whole, byte]);
        // All four bytes are shifted at once: each lane has a separate shift.
        let shifts = self.emitter.make_vector([0, 8, 16, 24]);
        let shifted = self.emitter.compute(Op::Shl, U, &[bytes, shifts]);
        let lanes = [0, 1, 2, 3].map(|lane| splat(shifted, lane));
        let first = self.emitter.compute(Op::Or, U, &[lanes[0], lanes[1]]);
        let second = self.emitter.compute(Op::Or, U, &[lanes[2], lanes[3]]);
        self.emitter.emit_result(inst, Op::Or, U, &[first, second]);
    }

    /// Lowers UP4B: unpacks the signed bytes of a word, divided by 127, to floats of at least -1.
    fn lower_up4b(&mut self, inst: &LoweredInst) {
        let word = inst.scalar_source(0);
        let (bit_offsets, bits) = (
            self.emitter.make_vector([0, 8, 16, 24]),
            self.emitter.splat_word(8),
        );
        // Signed, so that the upper bit of a byte is its sign.
        let whole = self
            .emitter
            .compute(Op::BitExtract, S, &[word, bits, bit_offsets]);
        let number = self
            .emitter
            .compute_with_aux(Op::Cvt, F, nearest_conversion(S), &[whole]);
        let (scale, low) = (
            self.emitter.splat_float(127.0),
            self.emitter.splat_float(-1.0),
        );
        let unit = self.emitter.compute(Op::Div, F, &[number, scale]);
        // -128 would be less than -1.
        self.emitter.emit_result(inst, Op::NMax, F, &[unit, low]);
    }
}

/// Returns the instruction with a hidden register as its result, without clamp and guard.
fn with_hidden_result(inst: &LoweredInst, register: RegisterId, mask: WriteMask) -> LoweredInst {
    LoweredInst {
        dst: Some(Dst::new(register, mask)),
        // The clamp is applied by the last step, when w is there.
        saturate: Saturate::None,
        ..*inst
    }
}

/// Returns the instruction with the first component of its source in all lanes.
fn with_scalar_source(inst: &LoweredInst) -> LoweredInst {
    let mut first = *inst;
    first.sources[0] = splat(inst.sources[0], 0);
    first
}
