//! 32-bit floats with the bits of smaller formats, and without denormals.
//!
//! Only operations whose results are exact take part, so that neither the rounding mode of a device
//! nor what it does to denormals changes anything: products with powers of two that stay among
//! normal numbers, `RoundEven`, and arithmetic of bits. `PackHalf2x16` would round as the device
//! likes.

use super::{Home, ResultKey, Scalar, Val, ValueBuilder};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// The bits of the exponent of a 32-bit float.
const EXPONENT: u64 = 0x7f80_0000;
/// Its sign bit.
const SIGN: u64 = 0x8000_0000;
/// The exponent of 1.0, at its offset.
const ONE: u64 = 0x3f80_0000;
/// The step from an exponent to the next.
const STEP: u64 = 1 << 23;

/// Bits of the fraction of half precision.
const HALF_FRACTION: u64 = 10;
/// The exponent of the least normal number of half precision, 2^-14, at its offset.
const LEAST_HALF: u64 = ONE - 14 * STEP;

/// Steps of fixed point in 1.
const FIXED_STEPS: f64 = 1024.0;
/// The range of fixed point numbers, in steps.
const FIXED_RANGE: [f64; 2] = [-2048.0, 2047.0];

/// Finds the nearest number with the fraction of half precision, ties to even, however large.
///
/// The number is counted in units of its last digit in that format, which are a power of two: the
/// count is rounded.
fn find_nearest_half(w: &mut ValueBuilder, value: Val) -> Val {
    let bits = w.reread(value, Scalar::U32);
    let exponent = w.binary_bits(Spv::BitwiseAnd, bits, EXPONENT);
    // Denormals have the unit of the least normal number.
    let least = w.constant_like(bits, LEAST_HALF);
    let exponent = w.ext(GlslOp::UMax, &[exponent, least]);
    // Two exponents that are biased by the same number: `2 * ONE - e` is the exponent of the
    // reciprocal of the number with exponent `e`.
    let ones = w.constant_like(bits, 2 * ONE + HALF_FRACTION * STEP);
    let count = w.binary(Spv::ISub, ones, exponent);
    let count = w.reread(count, Scalar::F32);
    // At least 2^-24, the unit of the denormals of half precision, which is a normal number of 32
    // bits.
    let unit = w.binary_bits(Spv::ISub, exponent, HALF_FRACTION * STEP);
    let unit = w.reread(unit, Scalar::F32);
    let units = w.binary(Spv::FMul, value, count);
    let units = w.ext(GlslOp::RoundEven, &[units]);
    w.binary(Spv::FMul, units, unit)
}

/// Rounds a 32-bit float as half precision has it: nearest, ties to even, infinite where that is
/// 2^16. NV_fragment_program section 3.11.4.2.
pub(crate) fn round_to_half(w: &mut ValueBuilder, value: Val) -> Val {
    let rounded = find_nearest_half(w, value);
    let magnitude = w.ext(GlslOp::FAbs, &[rounded]);
    // 65536 is what 65520 and all above round to: half precision has nothing between it and 65504.
    let beyond = w.compare_float(Spv::FOrdGreaterThanEqual, magnitude, 65536.0);
    // A product with infinity retains the sign. NaN fails the comparison and stays.
    let infinite = w.binary_float(Spv::FMul, rounded, f64::INFINITY);
    w.select(beyond, infinite, rounded)
}

/// Rounds a 32-bit float as signed fixed point numbers with ten fraction bits have it: nearest,
/// ties to even, within their range; NaN gives 0, and there is no -0. NV_fragment_program section
/// 3.11.4.2.
pub(crate) fn round_to_fixed(w: &mut ValueBuilder, value: Val) -> Val {
    let count = w.binary_float(Spv::FMul, value, FIXED_STEPS);
    let count = w.ext(GlslOp::RoundEven, &[count]);
    let [low, high] = FIXED_RANGE.map(|bound| w.float_like(value, bound));
    let within = w.ext(GlslOp::FClamp, &[count, low, high]);
    let number = w.binary_float(Spv::FMul, within, 1.0 / FIXED_STEPS);
    // False for NaN, of which a clamp may make anything, and for zeros of both signs.
    let zero = w.constant_like(value, 0);
    let counts = w.test(Spv::FOrdNotEqual, count, zero);
    w.select(counts, number, zero)
}

/// Clamps a 32-bit float to the range of fixed point.
pub(crate) fn clamp_to_fixed(w: &mut ValueBuilder, value: Val) -> Val {
    let [low, high] = FIXED_RANGE.map(|bound| w.float_like(value, bound / FIXED_STEPS));
    w.ext(GlslOp::FClamp, &[value, low, high])
}

/// Replaces a denormal 32-bit float by a zero of its sign.
pub(crate) fn flush_denormals(w: &mut ValueBuilder, value: Val) -> Val {
    if value.scalar != Scalar::F32 {
        return value;
    }
    if let Some(known) = w.find_result(value.id, ResultKey::FLUSHED) {
        return w.val(known);
    }
    let result = clear_denormals(w, value);
    // The result flushed again is the same.
    for id in [value.id, result.id] {
        if w.info(id).home != Home::Constant {
            w.keep_result_in_branch(id, ResultKey::FLUSHED, result.id);
        }
    }
    result
}

fn clear_denormals(w: &mut ValueBuilder, value: Val) -> Val {
    let bits = w.reread(value, Scalar::U32);
    let [exponent, sign] = [EXPONENT, SIGN].map(|mask| w.binary_bits(Spv::BitwiseAnd, bits, mask));
    let zero = w.reread(sign, Scalar::F32);
    let is_small = w.compare_bits(Spv::IEqual, exponent, 0);
    w.select(is_small, zero, value)
}
