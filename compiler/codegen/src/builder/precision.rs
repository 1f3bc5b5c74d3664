//! 32-bit floats with the precision of smaller formats, and without denormals.
//!
//! Only operations with exact results are used, so that neither the rounding mode of a device nor
//! its handling of denormals has an effect: products with powers of two that remain normal numbers,
//! `RoundEven`, and arithmetic on bits. The rounding of `PackHalf2x16` would depend on the device.

use super::{Home, ResultKey, Scalar, Val, ValueBuilder};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Bits of the exponent of a 32-bit float.
const EXPONENT: u64 = 0x7f80_0000;
/// Sign bit of a 32-bit float.
const SIGN: u64 = 0x8000_0000;
/// Exponent of 1.0, at its bit offset.
const ONE: u64 = 0x3f80_0000;
/// Difference between consecutive exponents.
const STEP: u64 = 1 << 23;

/// Bits of the fraction of half precision.
const HALF_FRACTION: u64 = 10;
/// Exponent of the least normal number of half precision, 2^-14, at its bit offset.
const LEAST_HALF: u64 = ONE - 14 * STEP;

/// Number of fixed-point steps in 1.
const FIXED_STEPS: f64 = 1024.0;
/// Range of fixed-point numbers, in steps.
const FIXED_RANGE: [f64; 2] = [-2048.0, 2047.0];

/// Returns the nearest number with the fraction bits of half precision, ties to even, of any
/// magnitude.
///
/// The number is divided by the value of its last digit in that format, which is a power of two,
/// and rounded to a whole number of these units.
fn find_nearest_half(w: &mut ValueBuilder, value: Val) -> Val {
    let bits = w.reread(value, Scalar::U32);
    let exponent = w.binary_bits(Spv::BitwiseAnd, bits, EXPONENT);
    // Denormals have the unit of the least normal number.
    let least = w.constant_like(bits, LEAST_HALF);
    let exponent = w.ext(GlslOp::UMax, &[exponent, least]);
    // Two exponents with the same bias: `2 * ONE - e` is the exponent of the reciprocal of the
    // number with exponent `e`.
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

/// Returns a 32-bit float rounded to half precision: nearest, ties to even, infinity if the result
/// is 2^16. NV_fragment_program section 3.11.4.2.
pub(crate) fn round_to_half(w: &mut ValueBuilder, value: Val) -> Val {
    let rounded = find_nearest_half(w, value);
    let magnitude = w.ext(GlslOp::FAbs, &[rounded]);
    // 65520 and all larger numbers round to 65536: half precision has no number between it and
    // 65504.
    let beyond = w.compare_float(Spv::FOrdGreaterThanEqual, magnitude, 65536.0);
    // A product with infinity retains the sign. NaN fails the comparison and is unchanged.
    let infinite = w.binary_float(Spv::FMul, rounded, f64::INFINITY);
    w.select(beyond, infinite, rounded)
}

/// Returns a 32-bit float rounded to signed fixed-point numbers with ten fraction bits: nearest,
/// ties to even, clamped to their range; NaN becomes 0, and -0 does not exist. NV_fragment_program
/// section 3.11.4.2.
pub(crate) fn round_to_fixed(w: &mut ValueBuilder, value: Val) -> Val {
    let count = w.binary_float(Spv::FMul, value, FIXED_STEPS);
    let count = w.ext(GlslOp::RoundEven, &[count]);
    let [low, high] = FIXED_RANGE.map(|bound| w.float_like(value, bound));
    let within = w.ext(GlslOp::FClamp, &[count, low, high]);
    let number = w.binary_float(Spv::FMul, within, 1.0 / FIXED_STEPS);
    // False for NaN, for which a clamp may return any value, and for zeros of both signs.
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
    // Flushing the result again has no effect.
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
