//! Powers, logarithms, reciprocals, sines and cosines as defined by the register languages: they
//! are exact to 22 bits, more than Vulkan requires of devices. NV_vertex_program section
//! 2.14.1.10, NV_vertex_program1_1, NV_vertex_program2 section 2.14.3, NV_fragment_program section
//! 3.11.5.

use super::legacy_numerics::compute_float_bits;
use super::op_builder::{
    F32, MAGNITUDE_MASK, OpBuilder, ResultPart, S32, SIGN_MASK, U32, with_abs,
};
use super::splat;
use super::{InstContext, Lowerer};
use crate::lang::modifiers::ModifierFlags;
use glasm_ir::{Op, Src};

/// The bound of the exponent of LIT, which has eight fraction bits.
const LIT_MAX_EXPONENT: f32 = 128.0 - 1.0 / 256.0;
/// The least exponent of a normal number.
const MIN_NORMAL_EXPONENT: f32 = -126.0;
/// An exponent so small that its power is zero on every device.
const UNDERFLOW_EXPONENT: f32 = -256.0;
/// Exponent from which on powers of two are infinite.
const OVERFLOW_EXPONENT: f32 = 128.0;

/// The float below 1.
const BELOW_ONE: f32 = 1.0 - f32::EPSILON / 2.0;
/// Powers of two from 0 to 1 as a polynomial, lowest power first: a minimax fit with an error of at
/// most 3e-9.
#[expect(
    clippy::approx_constant,
    reason = "the factor of the fit is not the logarithm of 2"
)]
const EXP2_COEFFICIENTS: [f32; 7] = [
    // Exactly 1, so that powers of whole numbers are exact.
    1.0,
    0.693_147,
    0.240_229_9,
    0.055_482_488,
    9.681_169e-3,
    1.241_492_3e-3,
    2.179_465_8e-4,
];

/// Bits of the fraction of a float.
const FRACTION_MASK: u64 = 0x007f_ffff;
/// Number of those bits.
const FRACTION_BITS: u64 = 23;
/// The exponent of 1.0.
const EXPONENT_BIAS: u64 = 127;

/// Rules of EXP and LIT in cases in which the languages differ.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ExpSemantics {
    /// NV_vertex_program.
    Vp1,
    /// NV_vertex_program2.
    Vp2,
}

/// Lowers EXP: `(2^floor(a), a - floor(a), 2^a, 1)`; powers below the normal numbers are 0.
///
/// Where the power is 0 or infinite, VP1.x has 0 for the fraction (NV_vertex_program section
/// 2.14.1.10.15); VP2.0 has the formula, which gives NaN of infinities (NV_vertex_program2 section
/// 2.14.3.14).
pub(super) fn lower_exp(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>, semantics: ExpSemantics) {
    let [a] = lowerer.load_floats(cx);
    let bounds = [MIN_NORMAL_EXPONENT, UNDERFLOW_EXPONENT, OVERFLOW_EXPONENT]
        .map(|bound| lowerer.splat_float(bound));
    // Powers that would be denormal are zero, because the language has no denormals.
    // NV_vertex_program section 2.14.1.11.
    let is_small = lowerer.compute(Op::SetLt, F32, &[a, bounds[0]]);
    let bounded = lowerer.compute(Op::SelNz, F32, &[is_small, bounds[1], a]);
    // NaN is preserved: with it `Min` returns its first source.
    let bounded = lowerer.compute(Op::Min, F32, &[bounded, bounds[2]]);
    let is_number = lowerer.compute(Op::SetEq, F32, &[a, a]);
    let floor = lowerer.compute(Op::Floor, F32, &[bounded]);
    let whole = compute_exp2_of_integer(lowerer, floor);
    // For z, which must be exact to 11 bits only, like `Exp2` of devices.
    let rough = lowerer.compute(Op::Exp2, F32, &[bounded]);
    let (one, below_one) = (lowerer.splat_float(1.0), lowerer.splat_float(BELOW_ONE));
    let fraction = match semantics {
        // Both bounds are whole numbers, so that this is 0 where the power underflows or overflows.
        ExpSemantics::Vp1 => lowerer.compute(Op::Sub, F32, &[bounded, floor]),
        ExpSemantics::Vp2 => compute_fraction(lowerer, a),
    };
    let parts: [ResultPart<'_>; 4] = [
        (0b0001, Op::SelNz, F32, &[is_number, whole, a]),
        // The fraction of a tiny negative number rounds to 1, which is out of its range [0, 1).
        (0b0010, Op::Min, F32, &[fraction, below_one]),
        (0b0100, Op::SelNz, F32, &[is_number, rough, a]),
        (0b1000, Op::Mov, F32, &[one]),
    ];
    lowerer.emit_result_parts(cx, &parts);
}

/// Computes two to the power of an integer of at most 128, given as a float, from its exponent
/// bits, which is exact: 0 below the normal numbers, infinity for 128, and an undefined value for
/// NaN.
fn compute_exp2_of_integer(l: &mut Lowerer<'_>, whole: Src) -> Src {
    let exponent = l.compute_conversion(whole, F32, S32);
    let (bias, shift, zero) = (
        l.splat_bits(EXPONENT_BIAS),
        l.splat_bits(FRACTION_BITS),
        l.splat_bits(0),
    );
    let exponent = l.compute(Op::Add, S32, &[exponent, bias]);
    let exponent = l.compute(Op::Max, S32, &[exponent, zero]);
    l.compute(Op::Shl, U32, &[exponent, shift])
}

/// Emits `a - floor(a)`, which is NaN for infinities and NaN.
fn compute_fraction(l: &mut Lowerer<'_>, a: Src) -> Src {
    let floor = l.compute(Op::Floor, F32, &[a]);
    l.compute(Op::Sub, F32, &[a, floor])
}

/// Lowers FRC: `a - floor(a)`, always below 1; NaN of infinities and NaN, for which `Fract` may
/// return any value. NV_vertex_program2 section 2.14.3.16, NV_fragment_program section 3.11.5.10.
pub(super) fn lower_frc(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let [a] = l.load_floats(cx);
    let fraction = compute_fraction(l, a);
    let below_one = l.splat_float(BELOW_ONE);
    // With NaN `Min` returns its first source.
    l.emit_result(cx, Op::Min, F32, &[fraction, below_one]);
}

/// Lowers EX2: `2^a` to 22 bits, which Vulkan does not require of devices; 0 below the normal
/// numbers. NV_vertex_program2 section 2.14.3.13, NV_fragment_program section 3.11.5.8.
pub(super) fn lower_ex2(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let [a] = l.load_floats(cx);
    let power = compute_exact_exp2(l, a);
    l.emit_result_copy(cx, power);
}

/// Lowers POW: `2^(b * log2(a))`. The product follows the rules of products, so that 0^0 is NaN.
/// NV_fragment_program section 3.11.5.24.
pub(super) fn lower_pow(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let [a, b] = l.load_floats(cx);
    let power = compute_exact_pow(l, a, b);
    l.emit_result_copy(cx, power);
}

/// Computes `2^(exponent * log2(base))`; only the power of two is more precise than that of the
/// device, the logarithm is the device's.
fn compute_exact_pow(l: &mut Lowerer<'_>, base: Src, exponent: Src) -> Src {
    let logarithm = l.compute(Op::Log2, F32, &[base]);
    let product = l.compute(Op::Mul, F32, &[logarithm, exponent]);
    compute_exact_exp2(l, product)
}

/// Computes `2^a` as the product of a whole power, which is exact, and a polynomial: 0 below the
/// normal numbers, infinity from 128 on. NaN is preserved.
fn compute_exact_exp2(lowerer: &mut Lowerer<'_>, a: Src) -> Src {
    let (least, overflow) = (
        lowerer.splat_float(MIN_NORMAL_EXPONENT),
        lowerer.splat_float(OVERFLOW_EXPONENT),
    );
    // NaN is preserved: `Max` returns its second source with it, `Min` its first.
    let bounded = lowerer.compute(Op::Max, F32, &[least, a]);
    let bounded = lowerer.compute(Op::Min, F32, &[bounded, overflow]);
    let floor = lowerer.compute(Op::Floor, F32, &[bounded]);
    let whole = compute_exp2_of_integer(lowerer, floor);
    let fraction = lowerer.compute(Op::Sub, F32, &[bounded, floor]);
    let sum = lowerer.compute_polynomial(fraction, &EXP2_COEFFICIENTS);
    let power = lowerer.compute(Op::Mul, F32, &[sum, whole]);
    let zero = lowerer.splat_float(0.0);
    // The operand itself is tested, because the bounded one is never less. At the other end the
    // whole power is infinite and the polynomial is 1.
    let is_small = lowerer.compute(Op::SetLt, F32, &[a, least]);
    lowerer.compute(Op::SelNz, F32, &[is_small, zero, power])
}

/// Lowers LOG: `(floor(log2(|a|)), |a| / 2^floor(log2(|a|)), log2(|a|), 1)`. Exponent and mantissa
/// are taken from the bits, which is exact; zeros and denormals give (-Inf, 1, -Inf, 1), infinities
/// (Inf, 1, Inf, 1), NaN is preserved in the first three. NV_vertex_program section 2.14.1.10.16,
/// NV_vertex_program2 section 2.14.3.19.
pub(super) fn lower_log(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let value = load_magnitude(lowerer, cx);
    let (zero, one) = (lowerer.splat_bits(0), lowerer.splat_float(1.0));
    let (least, infinity) = (
        lowerer.splat_float(f32::MIN_POSITIVE),
        lowerer.splat_float(f32::INFINITY),
    );
    let is_small = lowerer.compute(Op::SetLt, F32, &[value, least]);
    let is_finite = lowerer.compute(Op::SetLt, F32, &[value, infinity]);
    let (shift, bias) = (
        lowerer.splat_bits(FRACTION_BITS),
        lowerer.splat_bits(EXPONENT_BIAS),
    );
    // The sign bit is 0, so that the exponent remains after the shift.
    let biased = lowerer.compute(Op::Shr, U32, &[value, shift]);
    let exponent = lowerer.compute(Op::Sub, S32, &[biased, bias]);
    let exponent = lowerer.compute_conversion(exponent, S32, F32);
    // Infinity and NaN are logarithms of themselves.
    let exponent = lowerer.compute(Op::SelNz, F32, &[is_finite, exponent, value]);
    let mask = lowerer.splat_bits(FRACTION_MASK);
    let mantissa = lowerer.compute(Op::And, U32, &[value, mask]);
    let mantissa = lowerer.compute(Op::Or, U32, &[mantissa, one]);
    let mantissa = lowerer.compute(Op::SelNz, F32, &[is_small, one, mantissa]);
    let is_number = lowerer.compute(Op::SetEq, F32, &[value, value]);
    // Denormals are treated as zero, which the logarithm of a device need not do.
    let flushed = lowerer.compute(Op::SelNz, F32, &[is_small, zero, value]);
    let parts: [ResultPart<'_>; 4] = [
        (
            0b0001,
            Op::SelNz,
            F32,
            &[is_small, infinity.negated(), exponent],
        ),
        (0b0010, Op::SelNz, F32, &[is_number, mantissa, value]),
        (0b0100, Op::Log2, F32, &[flushed]),
        (0b1000, Op::Mov, F32, &[one]),
    ];
    lowerer.emit_result_parts(cx, &parts);
}

/// Returns the absolute value of the first operand, moved to a register, so that its bits can be
/// read.
fn load_magnitude(l: &mut Lowerer<'_>, cx: &InstContext<'_>) -> Src {
    let source = with_abs(l.load_source(cx, 0, F32));
    l.compute(Op::Mov, F32, &[source])
}

/// Lowers LIT of VP1.x and VP2.0: `(1, max(x, 0), x > 0 ? max(y, 0)^w : 0, 1)` with `w` between
/// -128 and 128.
///
/// The power 0 gives 1 of every base in VP1.x, where zero times anything is zero (NV_vertex_program
/// section 2.14.1.10.17), and of every base but NaN in VP2.0 (NV_vertex_program2 section 2.14.3.18,
/// rules 1 and 6).
pub(super) fn lower_lit(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>, semantics: ExpSemantics) {
    let [source] = lowerer.load_floats(cx);
    let clamped_source = clamp_negative_to_zero(lowerer, source);
    let exponent = clamp_lit_exponent(lowerer, splat(source, 3));
    let base = splat(clamped_source, 1);
    let (zero, one) = (lowerer.splat_float(0.0), lowerer.splat_float(1.0));
    let power = compute_device_pow(lowerer, base, exponent);
    // 0 * log2(a) may be NaN, whose power is not the specified one.
    let is_zero = lowerer.compute(Op::SetEq, F32, &[exponent, zero]);
    let zero_power = match semantics {
        ExpSemantics::Vp1 => one,
        ExpSemantics::Vp2 => {
            let is_number = lowerer.compute(Op::SetEq, F32, &[base, base]);
            lowerer.compute(Op::SelNz, F32, &[is_number, one, base])
        }
    };
    let power = lowerer.compute(Op::SelNz, F32, &[is_zero, zero_power, power]);
    lowerer.emit_lit_result(cx, splat(clamped_source, 0), power);
}

/// Lowers LIT of FP1.0: the power is that of POW, with any exponent, so that 0^0 is NaN.
/// NV_fragment_program section 3.11.5.13.
pub(super) fn lower_lit_unbounded(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let [source] = l.load_floats(cx);
    let positive = clamp_negative_to_zero(l, source);
    let power = compute_exact_pow(l, splat(positive, 1), splat(source, 3));
    l.emit_lit_result(cx, splat(positive, 0), power);
}

/// Computes `2^(exponent * log2(base))` with the precision of the device. NaN of the product is
/// preserved, for which `Exp2` may return any value.
fn compute_device_pow(l: &mut Lowerer<'_>, base: Src, exponent: Src) -> Src {
    let logarithm = l.compute(Op::Log2, F32, &[base]);
    let product = l.compute(Op::Mul, F32, &[logarithm, exponent]);
    let power = l.compute(Op::Exp2, F32, &[product]);
    let is_number = l.compute(Op::SetEq, F32, &[product, product]);
    l.compute(Op::SelNz, F32, &[is_number, power, product])
}

/// Computes `a < 0 ? 0 : a`, which preserves NaN and -0.
fn clamp_negative_to_zero(l: &mut Lowerer<'_>, a: Src) -> Src {
    let zero = l.splat_float(0.0);
    l.compute(Op::SelLt, F32, &[a, zero, a])
}

/// Returns the exponent of LIT clamped to `LIT_MAX_EXPONENT` and its negative. NaN is preserved:
/// `Max` returns its second source with it, `Min` its first.
fn clamp_lit_exponent(l: &mut Lowerer<'_>, exponent: Src) -> Src {
    let (low, high) = (
        l.splat_float(-LIT_MAX_EXPONENT),
        l.splat_float(LIT_MAX_EXPONENT),
    );
    let raised = l.compute(Op::Max, F32, &[low, exponent]);
    l.compute(Op::Min, F32, &[raised, high])
}

/// Lowers RSQ: the reciprocal square root, -infinity for -0. Drivers' compilers assume that the
/// result of the device is positive and remove comparisons of it, so that the infinities are built
/// from bits. NV_vertex_program2 section 2.14.3.28.
pub(super) fn lower_rsq(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let [a] = lowerer.load_floats(cx);
    // In a register, because the bits are read: the signs of the operand must be in them.
    let value = lowerer.compute(Op::Mov, F32, &[a]);
    let (zero, sign, infinity) = (
        lowerer.splat_float(0.0),
        lowerer.splat_bits(SIGN_MASK),
        lowerer.splat_float(f32::INFINITY),
    );
    let sign = lowerer.compute(Op::And, U32, &[value, sign]);
    let infinity = lowerer.compute(Op::Or, U32, &[sign, infinity]);
    let is_zero = lowerer.compute(Op::SetEq, F32, &[a, zero]);
    let root = lowerer.compute(Op::Rsq, F32, &[a]);
    lowerer.emit_result(cx, Op::SelNz, F32, &[is_zero, infinity, root]);
}

/// Lowers RSQ of NV_fragment_program. Fragments compute many roots and compare hardly any, so only
/// for instructions that update condition codes the infinity of zeros is built from bits as in
/// [`lower_rsq`]; others use the device's operation. NV_fragment_program section 3.11.5.27.
pub(super) fn lower_rsq_with_codes(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    if cx.inst.modifiers.mods().intersects(ModifierFlags::ANY_CC) {
        lower_rsq(l, cx)
    } else {
        l.lower_direct_fast(cx, Op::Rsq)
    }
}

/// Lowers RCC: the reciprocal with its magnitude clamped to `[2^-64, 2^64]`; the sign of zeros and
/// NaN are preserved. NV_vertex_program1_1 section 2.14.1.10.19, NV_vertex_program2 section
/// 2.14.3.25.
pub(super) fn lower_rcc(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let [a] = lowerer.load_floats(cx);
    let reciprocal = lowerer.compute(Op::Rcp, F32, &[a]);
    let (mask, sign) = (
        lowerer.splat_bits(MAGNITUDE_MASK),
        lowerer.splat_bits(SIGN_MASK),
    );
    let (low, high) = (
        lowerer.splat_float(2f32.powi(-64)),
        lowerer.splat_float(2f32.powi(64)),
    );
    // Positive floats are in the order of their bits. Comparisons of floats would lose the sign of
    // a zero.
    let clamped = lowerer.compute(Op::And, U32, &[reciprocal, mask]);
    let clamped = lowerer.compute(Op::Max, S32, &[clamped, low]);
    let clamped = lowerer.compute(Op::Min, S32, &[clamped, high]);
    let sign = lowerer.compute(Op::And, U32, &[reciprocal, sign]);
    let clamped = lowerer.compute(Op::Or, U32, &[clamped, sign]);
    let is_number = lowerer.compute(Op::SetEq, F32, &[reciprocal, reciprocal]);
    lowerer.emit_result(cx, Op::SelNz, F32, &[is_number, clamped, reciprocal]);
}

/// Index of the sign bit.
const SIGN_BIT: u64 = 31;

/// pi in three parts, the first two so short that their products with numbers of half turns are
/// exact for 4000 and more half turns.
const PI_PARTS: [f32; 3] = [3.140_625, 9.675_026e-4, 1.509_958e-7];

/// `(sin(r) / r - 1) / r^2` as a polynomial of `r^2`, lowest power first, for `r` up to pi/2. The
/// error of the sine is at most 5e-9: a minimax fit.
const SIN_COEFFICIENTS: [f32; 4] = [-0.166_666_57, 8.333_017e-3, -1.980_660_2e-4, 2.600_024_5e-6];

/// The largest angle for which the polynomial is valid.
const QUARTER_TURN: f32 = std::f32::consts::FRAC_PI_2;

/// Lowers SIN of an angle in radians: NaN for infinities and NaN, zeros unchanged.
/// NV_vertex_program2 section 2.14.3.33, NV_fragment_program section 3.11.5.32.
pub(super) fn lower_sin(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let [a] = lowerer.load_floats(cx);
    let bits = compute_float_bits(lowerer, a);
    let sign = lowerer.splat_bits(SIGN_MASK);
    let sign = lowerer.compute(Op::And, U32, &[bits, sign]);
    let angle = with_abs(a);
    let turns = count_half_turns(lowerer, angle);
    let turns = lowerer.compute(Op::Round, F32, &[turns]);
    let remainder = subtract_half_turns(lowerer, angle, turns);
    let sine = compute_sine_near_zero(lowerer, remainder);
    // Each half turn changes the sign.
    let odd = compute_odd_turn_sign(lowerer, turns);
    let sign = lowerer.compute(Op::Xor, U32, &[sign, odd]);
    let sine = lowerer.compute(Op::Xor, U32, &[sine, sign]);
    lowerer.emit_result_copy(cx, sine);
}

/// Lowers COS of an angle in radians: NaN for infinities and NaN, 1 for zeros. NV_vertex_program2
/// section 2.14.3.8, NV_fragment_program section 3.11.5.2.
pub(super) fn lower_cos(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let [a] = lowerer.load_floats(cx);
    let angle = with_abs(a);
    let (half, zero, one) = (
        lowerer.splat_float(0.5),
        lowerer.splat_float(0.0),
        lowerer.splat_float(1.0),
    );
    // Between its zeros, which are in the middle of half turns, the cosine is a sine.
    let turns = count_half_turns(lowerer, angle);
    let turns = lowerer.compute(Op::Sub, F32, &[turns, half]);
    let turns = lowerer.compute(Op::Round, F32, &[turns]);
    let middle = lowerer.compute(Op::Add, F32, &[turns, half]);
    let remainder = subtract_half_turns(lowerer, angle, middle);
    // With the middle (n + 1/2) pi and the rest r the cosine is -(-1)^n sin(r).
    let cosine = compute_sine_near_zero(lowerer, remainder.negated());
    let odd = compute_odd_turn_sign(lowerer, turns);
    let cosine = lowerer.compute(Op::Xor, U32, &[cosine, odd]);
    // The polynomial may miss the last bit there.
    let is_zero = lowerer.compute(Op::SetEq, F32, &[angle, zero]);
    lowerer.emit_result(cx, Op::SelNz, F32, &[is_zero, one, cosine]);
}

/// Computes the number of half turns, with its fraction, of an angle in radians.
fn count_half_turns(l: &mut Lowerer<'_>, angle: Src) -> Src {
    let scale = l.splat_float(std::f32::consts::FRAC_1_PI);
    l.compute(Op::Mul, F32, &[angle, scale])
}

/// Computes the remainder of an angle in radians after subtracting `turns` half turns, clamped to a
/// quarter turn in either direction. For angles that single precision cannot resolve it is some
/// angle in that range; NaN is preserved.
fn subtract_half_turns(lowerer: &mut Lowerer<'_>, angle: Src, turns: Src) -> Src {
    // The largest part first: the difference of two numbers near to each other is exact, so that
    // small terms are added in full.
    let remainder = PI_PARTS.into_iter().fold(angle, |remainder, part| {
        let part = lowerer.splat_float(-part);
        lowerer.compute(Op::Mad, F32, &[turns, part, remainder])
    });
    let (low, high) = (
        lowerer.splat_float(-QUARTER_TURN),
        lowerer.splat_float(QUARTER_TURN),
    );
    // With NaN `Max` returns its second source, `Min` its first.
    let remainder = lowerer.compute(Op::Max, F32, &[low, remainder]);
    lowerer.compute(Op::Min, F32, &[remainder, high])
}

/// Computes the sine of an angle in radians of at most a quarter turn in either direction, by a
/// polynomial.
fn compute_sine_near_zero(l: &mut Lowerer<'_>, angle: Src) -> Src {
    let square = l.compute(Op::Mul, F32, &[angle, angle]);
    let sum = l.compute_polynomial(square, &SIN_COEFFICIENTS);
    let cube = l.compute(Op::Mul, F32, &[square, angle]);
    l.compute(Op::Mad, F32, &[cube, sum, angle])
}

/// Computes a word that is the sign bit for an odd number of half turns, and 0 for an even one;
/// `turns` is a whole float.
fn compute_odd_turn_sign(l: &mut Lowerer<'_>, turns: Src) -> Src {
    let number = l.compute_conversion(turns, F32, S32);
    let shift = l.splat_bits(SIGN_BIT);
    l.compute(Op::Shl, U32, &[number, shift])
}
