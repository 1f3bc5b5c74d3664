//! Powers, logarithms and reciprocals as defined by the register languages. NV_vertex_program
//! section 2.14.1.10, NV_vertex_program1_1, NV_vertex_program2 section 2.14.3, NV_fragment_program
//! section 3.11.5.

use super::context::splat;
use super::formula::{F, Formulas, MAGNITUDE, Part, S, SIGN, U, absolute};
use super::{InstCx, Lowerer};
use crate::lang::modifiers::Mods;
use glasm_ir::{Op, Src};

/// The bound of the exponent of LIT, which has eight fraction bits.
const LIT_BOUND: f32 = 128.0 - 1.0 / 256.0;
/// The least exponent of a normal number.
const LEAST_EXPONENT: f32 = -126.0;
/// An exponent so small that its power is zero on every device.
const VANISHING: f32 = -256.0;
/// Exponent from which on powers of two are infinite.
const OVERFLOW: f32 = 128.0;

/// The float below 1.
const BELOW_ONE: f32 = 1.0 - f32::EPSILON / 2.0;
/// Powers of two from 0 to 1 as a polynomial, lowest power first: a minimax fit with an error of at
/// most 3e-9.
#[expect(
    clippy::approx_constant,
    reason = "the factor of the fit is not the logarithm of 2"
)]
const POWER: [f32; 7] = [
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
const FRACTION: u64 = 0x007f_ffff;
/// Number of those bits.
const FRACTION_BITS: u64 = 23;
/// The exponent of 1.0.
const BIAS: u64 = 127;

/// Rules of EXP and LIT in cases in which the languages differ.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rules {
    /// NV_vertex_program.
    Vertex1,
    /// NV_vertex_program2.
    Vertex2,
}

/// Lowers EXP: `(2^floor(a), a - floor(a), 2^a, 1)`; powers below the normal numbers are 0.
///
/// Where the power is 0 or infinite, VP1.x has 0 for the fraction (NV_vertex_program section
/// 2.14.1.10.15); VP2.0 has the formula, which gives NaN of infinities (NV_vertex_program2 section
/// 2.14.3.14).
pub(super) fn exp(l: &mut Lowerer<'_>, cx: &InstCx<'_>, rules: Rules) {
    let [a] = l.floats(cx);
    let bounds = [LEAST_EXPONENT, VANISHING, OVERFLOW].map(|bound| l.float(bound));
    // Powers that would be denormal are zero, because the language has no denormals.
    // NV_vertex_program section 2.14.1.11.
    let is_small = l.compute(Op::SetLt, F, &[a, bounds[0]]);
    let bounded = l.compute(Op::SelNz, F, &[is_small, bounds[1], a]);
    // NaN is preserved: with it `Min` returns its first source.
    let bounded = l.compute(Op::Min, F, &[bounded, bounds[2]]);
    let is_number = l.compute(Op::SetEq, F, &[a, a]);
    let floor = l.compute(Op::Floor, F, &[bounded]);
    let whole = exp2_of_integer(l, floor);
    // For z, which must be exact to 11 bits only, like `Exp2` of devices.
    let rough = l.compute(Op::Exp2, F, &[bounded]);
    let (one, below_one) = (l.float(1.0), l.float(BELOW_ONE));
    let fraction = match rules {
        // Both bounds are whole numbers, so that this is 0 where the power underflows or overflows.
        Rules::Vertex1 => l.compute(Op::Sub, F, &[bounded, floor]),
        Rules::Vertex2 => above_floor(l, a),
    };
    let parts: [Part<'_>; 4] = [
        (0b0001, Op::SelNz, F, &[is_number, whole, a]),
        // The fraction of a tiny negative number rounds to 1, which is out of its range [0, 1).
        (0b0010, Op::Min, F, &[fraction, below_one]),
        (0b0100, Op::SelNz, F, &[is_number, rough, a]),
        (0b1000, Op::Mov, F, &[one]),
    ];
    l.finish_parts(cx, &parts);
}

/// Computes two to the power of an integer up to 128 from its exponent, which is exact: 0 below the
/// normal numbers, and anything for NaN.
fn exp2_of_integer(l: &mut Lowerer<'_>, whole: Src) -> Src {
    let exponent = l.converted(whole, F, S);
    let (bias, shift, zero) = (l.bits(BIAS), l.bits(FRACTION_BITS), l.bits(0));
    let exponent = l.compute(Op::Add, S, &[exponent, bias]);
    let exponent = l.compute(Op::Max, S, &[exponent, zero]);
    l.compute(Op::Shl, U, &[exponent, shift])
}

/// Computes `a - floor(a)`, NaN of infinities and NaN.
fn above_floor(l: &mut Lowerer<'_>, a: Src) -> Src {
    let floor = l.compute(Op::Floor, F, &[a]);
    l.compute(Op::Sub, F, &[a, floor])
}

/// Lowers FRC: `a - floor(a)`, always below 1; NaN of infinities and NaN, for which `Fract` may
/// return any value. NV_vertex_program2 section 2.14.3.16, NV_fragment_program section 3.11.5.10.
pub(super) fn fraction(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let [a] = l.floats(cx);
    let fraction = above_floor(l, a);
    let below_one = l.float(BELOW_ONE);
    // With NaN `Min` returns its first source.
    l.finish(cx, Op::Min, F, &[fraction, below_one]);
}

/// Lowers EX2: `2^a` to 22 bits, which Vulkan does not require of devices; 0 below the normal
/// numbers. NV_vertex_program2 section 2.14.3.13, NV_fragment_program section 3.11.5.8.
pub(super) fn exp2(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let [a] = l.floats(cx);
    let power = exact_power(l, a);
    l.finish_mov(cx, power);
}

/// Lowers POW: `2^(b * log2(a))` with the rules of products, so that 0^0 is NaN.
/// NV_fragment_program section 3.11.5.24.
pub(super) fn pow(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let [a, b] = l.floats(cx);
    let power = exact_power_of(l, a, b);
    l.finish_mov(cx, power);
}

fn exact_power_of(l: &mut Lowerer<'_>, base: Src, exponent: Src) -> Src {
    let logarithm = l.compute(Op::Log2, F, &[base]);
    let product = l.compute(Op::Mul, F, &[logarithm, exponent]);
    exact_power(l, product)
}

/// Computes `2^a` as the product of a whole power, which is exact, and a polynomial. NaN is
/// preserved.
fn exact_power(l: &mut Lowerer<'_>, a: Src) -> Src {
    let (least, overflow) = (l.float(LEAST_EXPONENT), l.float(OVERFLOW));
    // NaN is preserved: `Max` returns its second source with it, `Min` its first.
    let bounded = l.compute(Op::Max, F, &[least, a]);
    let bounded = l.compute(Op::Min, F, &[bounded, overflow]);
    let floor = l.compute(Op::Floor, F, &[bounded]);
    let whole = exp2_of_integer(l, floor);
    let fraction = l.compute(Op::Sub, F, &[bounded, floor]);
    let sum = l.polynomial(fraction, &POWER);
    let power = l.compute(Op::Mul, F, &[sum, whole]);
    let zero = l.float(0.0);
    // The operand itself is tested, because the bounded one is never less. At the other end the
    // whole power is infinite and the polynomial is 1.
    let is_small = l.compute(Op::SetLt, F, &[a, least]);
    l.compute(Op::SelNz, F, &[is_small, zero, power])
}

/// Lowers LOG: `(floor(log2(|a|)), |a| / 2^floor(log2(|a|)), log2(|a|), 1)`. Exponent and mantissa
/// are taken from the bits, which is exact; zeros and denormals give (-Inf, 1, -Inf, 1), infinities
/// (Inf, 1, Inf, 1). NV_vertex_program section 2.14.1.10.16, NV_vertex_program2 section 2.14.3.19.
pub(super) fn log(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let value = magnitude(l, cx);
    let (zero, one) = (l.bits(0), l.float(1.0));
    let (least, infinity) = (l.float(f32::MIN_POSITIVE), l.float(f32::INFINITY));
    let is_small = l.compute(Op::SetLt, F, &[value, least]);
    let is_finite = l.compute(Op::SetLt, F, &[value, infinity]);
    let (shift, bias) = (l.bits(FRACTION_BITS), l.bits(BIAS));
    // The sign bit is 0, so that the exponent remains after the shift.
    let biased = l.compute(Op::Shr, U, &[value, shift]);
    let exponent = l.compute(Op::Sub, S, &[biased, bias]);
    let exponent = l.converted(exponent, S, F);
    // Infinity and NaN are logarithms of themselves.
    let exponent = l.compute(Op::SelNz, F, &[is_finite, exponent, value]);
    let mask = l.bits(FRACTION);
    let mantissa = l.compute(Op::And, U, &[value, mask]);
    let mantissa = l.compute(Op::Or, U, &[mantissa, one]);
    let mantissa = l.compute(Op::SelNz, F, &[is_small, one, mantissa]);
    let is_number = l.compute(Op::SetEq, F, &[value, value]);
    // Denormals are treated as zero, which the logarithm of a device need not do.
    let flushed = l.compute(Op::SelNz, F, &[is_small, zero, value]);
    let parts: [Part<'_>; 4] = [
        (
            0b0001,
            Op::SelNz,
            F,
            &[is_small, infinity.negated(), exponent],
        ),
        (0b0010, Op::SelNz, F, &[is_number, mantissa, value]),
        (0b0100, Op::Log2, F, &[flushed]),
        (0b1000, Op::Mov, F, &[one]),
    ];
    l.finish_parts(cx, &parts);
}

/// Returns the absolute value of the operand in a register, so that its bits can be read.
fn magnitude(l: &mut Lowerer<'_>, cx: &InstCx<'_>) -> Src {
    let source = absolute(l.value(cx, 0, F));
    l.compute(Op::Mov, F, &[source])
}

/// Lowers LIT of VP1.x and VP2.0: `(1, max(x, 0), x > 0 ? max(y, 0)^w : 0, 1)` with `w` between
/// -128 and 128.
///
/// The power 0 gives 1 of every base in VP1.x, where zero times anything is zero (NV_vertex_program
/// section 2.14.1.10.17), and of every base but NaN in VP2.0 (NV_vertex_program2 section 2.14.3.18,
/// rules 1 and 6).
pub(super) fn lit(l: &mut Lowerer<'_>, cx: &InstCx<'_>, rules: Rules) {
    let [source] = l.floats(cx);
    let positive = not_negative(l, source);
    let exponent = bounded_power(l, splat(source, 3));
    let base = splat(positive, 1);
    let (zero, one) = (l.float(0.0), l.float(1.0));
    let power = rough_power_of(l, base, exponent);
    // 0 * log2(a) may be NaN, whose power is not the specified one.
    let is_zero = l.compute(Op::SetEq, F, &[exponent, zero]);
    let of_zero = match rules {
        Rules::Vertex1 => one,
        Rules::Vertex2 => {
            let is_number = l.compute(Op::SetEq, F, &[base, base]);
            l.compute(Op::SelNz, F, &[is_number, one, base])
        }
    };
    let power = l.compute(Op::SelNz, F, &[is_zero, of_zero, power]);
    l.finish_lit(cx, splat(positive, 0), power);
}

/// Lowers LIT of FP1.0: the power is that of POW, with any exponent, so that 0^0 is NaN.
/// NV_fragment_program section 3.11.5.13.
pub(super) fn lit_unbounded(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let [source] = l.floats(cx);
    let positive = not_negative(l, source);
    let power = exact_power_of(l, splat(positive, 1), splat(source, 3));
    l.finish_lit(cx, splat(positive, 0), power);
}

/// Computes `2^(b * log2(a))` with the precision of the device. NaN is preserved, for which `Exp2`
/// may return any value.
fn rough_power_of(l: &mut Lowerer<'_>, base: Src, exponent: Src) -> Src {
    let logarithm = l.compute(Op::Log2, F, &[base]);
    let product = l.compute(Op::Mul, F, &[logarithm, exponent]);
    let power = l.compute(Op::Exp2, F, &[product]);
    let is_number = l.compute(Op::SetEq, F, &[product, product]);
    l.compute(Op::SelNz, F, &[is_number, power, product])
}

/// Computes `a < 0 ? 0 : a`, which preserves NaN.
fn not_negative(l: &mut Lowerer<'_>, a: Src) -> Src {
    let zero = l.float(0.0);
    l.compute(Op::SelLt, F, &[a, zero, a])
}

/// Returns the exponent of LIT within its bounds. NaN is preserved: `Max` returns its second source
/// with it, `Min` its first.
fn bounded_power(l: &mut Lowerer<'_>, exponent: Src) -> Src {
    let (low, high) = (l.float(-LIT_BOUND), l.float(LIT_BOUND));
    let raised = l.compute(Op::Max, F, &[low, exponent]);
    l.compute(Op::Min, F, &[raised, high])
}

/// Lowers RSQ: the reciprocal square root, -infinity for -0. Drivers' compilers assume that the
/// result of the device is positive and remove comparisons of it, so that the infinities are built
/// from bits. NV_vertex_program2 section 2.14.3.28.
pub(super) fn rsq(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let [a] = l.floats(cx);
    // In a register, because the bits are read: the signs of the operand must be in them.
    let value = l.compute(Op::Mov, F, &[a]);
    let (zero, sign, infinity) = (l.float(0.0), l.bits(SIGN), l.float(f32::INFINITY));
    let sign = l.compute(Op::And, U, &[value, sign]);
    let infinity = l.compute(Op::Or, U, &[sign, infinity]);
    let is_zero = l.compute(Op::SetEq, F, &[a, zero]);
    let root = l.compute(Op::Rsq, F, &[a]);
    l.finish(cx, Op::SelNz, F, &[is_zero, infinity, root]);
}

/// Lowers RSQ of NV_fragment_program. Fragments compute many roots and compare hardly any, so only
/// those that condition codes compare are built from bits. NV_fragment_program section 3.11.5.27.
pub(super) fn rsq_with_codes(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    if cx.line.modifiers.mods().intersects(Mods::ANY_CC) {
        rsq(l, cx)
    } else {
        l.lower_direct_fast(cx, Op::Rsq)
    }
}

/// Lowers RCC: the reciprocal with its magnitude clamped to `[2^-64, 2^64]`; the sign of zeros and
/// NaN are preserved. NV_vertex_program1_1 section 2.14.1.10.19, NV_vertex_program2 section
/// 2.14.3.25.
pub(super) fn rcc(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let [a] = l.floats(cx);
    let reciprocal = l.compute(Op::Rcp, F, &[a]);
    let (mask, sign) = (l.bits(MAGNITUDE), l.bits(SIGN));
    let (low, high) = (l.float(2f32.powi(-64)), l.float(2f32.powi(64)));
    // Positive floats are in the order of their bits. Comparisons of floats would lose the sign of
    // a zero.
    let clamped = l.compute(Op::And, U, &[reciprocal, mask]);
    let clamped = l.compute(Op::Max, S, &[clamped, low]);
    let clamped = l.compute(Op::Min, S, &[clamped, high]);
    let sign = l.compute(Op::And, U, &[reciprocal, sign]);
    let clamped = l.compute(Op::Or, U, &[clamped, sign]);
    let is_number = l.compute(Op::SetEq, F, &[reciprocal, reciprocal]);
    l.finish(cx, Op::SelNz, F, &[is_number, clamped, reciprocal]);
}
