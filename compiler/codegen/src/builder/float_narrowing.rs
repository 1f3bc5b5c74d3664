//! Rounding of floats to a narrower format in a given direction, and halves packed in words.
//!
//! Rounding is integer arithmetic on the bits. Converting to the nearest, converting back and
//! comparing would require fewer instructions, but compilers replace a conversion and its inverse
//! by the original value (Mesa 25.0 with LLVM 19, regardless of contraction in the module), which
//! removes the rounding.
//!
//! The module also reduces 32-bit floats to the precision of smaller formats and flushes denormals.
//! Only operations with exact results are used, so that neither the rounding mode of a device nor
//! its handling of denormals has an effect: products with powers of two that remain normal numbers,
//! `RoundEven`, and arithmetic on bits. The rounding of `PackHalf2x16` would depend on the device.

use super::{ResultKey, Scalar, Val, ValueBuilder, ValueOrigin, half_to_single_bits};
use glasm_ir::inst::Rounding;
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Narrower format.
#[derive(Clone, Copy)]
struct NarrowFormat {
    /// Bits of the mantissa, without the leading one.
    mantissa: u32,
    /// Exponent of infinities and NaN.
    special_exponent: u64,
    /// Exponent of infinities and NaN in the wider format.
    wide_special_exponent: u64,
    /// Difference of the biases.
    bias: u64,
}

/// Conversion of a 64-bit to a 32-bit float.
const SINGLE: NarrowFormat = NarrowFormat {
    mantissa: 23,
    special_exponent: 0xff,
    wide_special_exponent: 0x7ff,
    bias: 1023 - 127,
};

/// Conversion of a 32-bit float to a half.
const HALF: NarrowFormat = NarrowFormat {
    mantissa: 10,
    special_exponent: 0x1f,
    wide_special_exponent: 0xff,
    bias: 127 - 15,
};

/// Fields of a float, as words.
#[derive(Clone, Copy)]
struct FloatFields {
    /// Highest bit of the word, if the float has a sign.
    sign: Val,
    exponent: Val,
    /// Bits of the mantissa that the narrower format retains.
    kept_bits: Val,
    /// Bits of the mantissa that the narrower format drops.
    dropped_bits: Val,
}

/// Magnitude of a float in the narrower format, rounded toward zero.
struct TruncatedFloat {
    bits: Val,
    inexact: Val,
}

/// Converts a 64-bit float to an adjacent 32-bit float in the direction `rounding`, which is not
/// the nearest: the conversion of SPIR-V is used for that. Emits operations on words only.
pub(super) fn convert_double_to_single(
    builder: &mut ValueBuilder,
    val: Val,
    rounding: Rounding,
) -> Val {
    let parts = unpack_double(builder, val);
    let bits = round_directed(builder, SINGLE, parts, rounding);
    let bits = builder.emit_binary(Spv::BitwiseOr, bits, parts.sign);
    builder.cast_val(bits, Scalar::F32)
}

/// Converts a 64-bit float to 32 bits: unchanged if it is exact, else to the adjacent float with an
/// odd last bit. Rounding that to a half is the same as rounding once.
pub(super) fn round_to_odd(builder: &mut ValueBuilder, val: Val) -> Val {
    let parts = unpack_double(builder, val);
    let TruncatedFloat { bits, inexact } = truncate_magnitude(builder, SINGLE, parts);
    let odd = builder.emit_binary_bits(Spv::BitwiseOr, bits, 1);
    let bits = builder.emit_select(inexact, odd, bits);
    let bits = select_special_or(builder, SINGLE, parts, bits);
    let bits = builder.emit_binary(Spv::BitwiseOr, bits, parts.sign);
    builder.cast_val(bits, Scalar::F32)
}

/// Converts a 32-bit float to an adjacent half in the direction `rounding`, other than to the
/// nearest, and returns it as a 32-bit float.
pub(super) fn convert_single_to_half(
    builder: &mut ValueBuilder,
    val: Val,
    rounding: Rounding,
) -> Val {
    let word = builder.cast_val(val, Scalar::U32);
    let exponent = extract_field(builder, word, 23, HALF.wide_special_exponent);
    let parts = FloatFields {
        sign: builder.emit_binary_bits(Spv::BitwiseAnd, word, 0x8000_0000),
        exponent,
        kept_bits: extract_field(builder, word, 13, 0x3ff),
        dropped_bits: builder.emit_binary_bits(Spv::BitwiseAnd, word, 0x1fff),
    };
    let bits = round_directed(builder, HALF, parts, rounding);
    let sign = builder.emit_binary_bits(Spv::ShiftRightLogical, parts.sign, 16);
    let bits = builder.emit_binary(Spv::BitwiseOr, bits, sign);
    unpack_halves(builder, bits)
}

/// Splits a double into sign, exponent and the mantissa bits that a 32-bit float retains and drops.
fn unpack_double(builder: &mut ValueBuilder, val: Val) -> FloatFields {
    let [low, high] = unpack_doubles(builder, val);
    let exponent = extract_field(builder, high, 20, SINGLE.wide_special_exponent);
    let upper = builder.emit_binary_bits(Spv::BitwiseAnd, high, 0xf_ffff);
    let upper = builder.emit_binary_bits(Spv::ShiftLeftLogical, upper, 3);
    let lower = builder.emit_binary_bits(Spv::ShiftRightLogical, low, 29);
    FloatFields {
        sign: builder.emit_binary_bits(Spv::BitwiseAnd, high, 0x8000_0000),
        exponent,
        kept_bits: builder.emit_binary(Spv::BitwiseOr, upper, lower),
        dropped_bits: builder.emit_binary_bits(Spv::BitwiseAnd, low, 0x1fff_ffff),
    }
}

/// Emits the low words and the high words of doubles, as two vectors.
fn unpack_doubles(builder: &mut ValueBuilder, val: Val) -> [Val; 2] {
    [0, 1].map(|half| {
        builder.map_components(val, |w, index| {
            let double = w.extract_component(val, index);
            let words = w.emit_op(Spv::Bitcast, Scalar::U32, 2, &[double.id.0]);
            w.extract_component(words, half)
        })
    })
}

/// Emits the bits in `mask` of a word that is shifted right by `shift`.
fn extract_field(builder: &mut ValueBuilder, word: Val, shift: u64, mask: u64) -> Val {
    let shifted = builder.emit_binary_bits(Spv::ShiftRightLogical, word, shift);
    builder.emit_binary_bits(Spv::BitwiseAnd, shifted, mask)
}

/// Returns the bits of the magnitude in the narrower format, rounded in a direction. Rounding to
/// the nearest is not supported: it truncates.
fn round_directed(
    builder: &mut ValueBuilder,
    to: NarrowFormat,
    parts: FloatFields,
    rounding: Rounding,
) -> Val {
    let TruncatedFloat { bits, inexact } = truncate_magnitude(builder, to, parts);
    // The bits of neighboring floats of one sign are neighboring integers, up to infinity. Positive
    // numbers are rounded up and negative ones down by moving away from zero.
    let grows = match rounding {
        Rounding::Trunc | Rounding::Even => None,
        Rounding::Floor => Some(Spv::INotEqual),
        Rounding::Ceil => Some(Spv::IEqual),
    };
    let bits = grows.map_or(bits, |sign| {
        let grows = builder.emit_compare_bits(sign, parts.sign, 0);
        let grows = builder.emit_test(Spv::LogicalAnd, grows, inexact);
        let next = builder.emit_binary_bits(Spv::IAdd, bits, 1);
        builder.emit_select(grows, next, bits)
    });
    select_special_or(builder, to, parts, bits)
}

/// Truncates the magnitude of a finite float to the mantissa of a narrower format, at most its
/// largest number, and computes if bits were lost.
fn truncate_magnitude(
    builder: &mut ValueBuilder,
    to: NarrowFormat,
    parts: FloatFields,
) -> TruncatedFloat {
    let FloatFields {
        exponent,
        kept_bits: kept,
        ..
    } = parts;
    let leading = builder.constant_like(kept, 1 << to.mantissa);
    let zero = builder.constant_like(kept, 0);
    let is_normal = builder.emit_compare_bits(Spv::INotEqual, exponent, 0);
    let leading = builder.emit_select(is_normal, leading, zero);
    let mantissa = builder.emit_binary(Spv::BitwiseOr, kept, leading);
    // Numbers below the least normal number lose a bit for each power of two.
    let bias = builder.constant_like(exponent, to.bias);
    let exponent = builder.emit_binary(Spv::ISub, exponent, bias);
    let one = builder.constant_like(kept, 1);
    let least = builder.emit_ext(GlslOp::SMax, &[exponent, one]);
    let lost = builder.emit_binary(Spv::ISub, least, exponent);
    let all = builder.constant_like(kept, u64::from(to.mantissa) + 1);
    let lost = builder.emit_ext(GlslOp::UMin, &[lost, all]);
    let shifted = builder.emit_binary(Spv::ShiftRightLogical, mantissa, lost);
    let back = builder.emit_binary(Spv::ShiftLeftLogical, shifted, lost);
    let dropped = builder.emit_binary(Spv::BitwiseXor, mantissa, back);
    let dropped = builder.emit_binary(Spv::BitwiseOr, dropped, parts.dropped_bits);
    // The leading one of the mantissa adds 1 to the exponent.
    let special = builder.constant_like(kept, to.special_exponent);
    let exponent = builder.emit_ext(GlslOp::UMin, &[least, special]);
    let exponent = builder.emit_binary(Spv::ISub, exponent, one);
    let exponent = builder.emit_binary_bits(Spv::ShiftLeftLogical, exponent, to.mantissa.into());
    let bits = builder.emit_binary(Spv::IAdd, exponent, shifted);
    let inexact = builder.emit_compare_bits(Spv::INotEqual, dropped, 0);
    let largest = builder.constant_like(bits, (to.special_exponent << to.mantissa) - 1);
    let beyond = builder.emit_test(Spv::UGreaterThan, bits, largest);
    TruncatedFloat {
        bits: builder.emit_ext(GlslOp::UMin, &[bits, largest]),
        inexact: builder.emit_test(Spv::LogicalOr, inexact, beyond),
    }
}

/// Selects an infinity or NaN of the narrower format if the float is one, else `bits`.
fn select_special_or(
    builder: &mut ValueBuilder,
    to: NarrowFormat,
    parts: FloatFields,
    bits: Val,
) -> Val {
    let infinity = builder.constant_like(bits, to.special_exponent << to.mantissa);
    // The highest bit of the mantissa marks a quiet NaN.
    let quiet = (to.special_exponent << 1 | 1) << (to.mantissa - 1);
    let quiet = builder.constant_like(bits, quiet);
    let fraction = builder.emit_binary(Spv::BitwiseOr, parts.kept_bits, parts.dropped_bits);
    let is_infinity = builder.emit_compare_bits(Spv::IEqual, fraction, 0);
    let special = builder.emit_select(is_infinity, infinity, quiet);
    let is_special =
        builder.emit_compare_bits(Spv::IEqual, parts.exponent, to.wide_special_exponent);
    builder.emit_select(is_special, special, bits)
}

/// Unpacks half-precision numbers in the low bits of words as floats.
pub(crate) fn unpack_halves(builder: &mut ValueBuilder, words: Val) -> Val {
    if let Some(parts) = builder.constant_parts(words) {
        return builder.constant_vector(Scalar::F32, parts.map(half_to_single_bits), words.size);
    }
    builder.map_components(words, |w, index| {
        let word = w.extract_component(words, index);
        let pair = w.emit_ext_to(GlslOp::UnpackHalf2x16, Scalar::F32, 2, word.id);
        w.extract_component(pair, 0)
    })
}

/// Packs floats as half-precision numbers in the low bits of words, rounded as the device does.
/// Numbers beyond the range become infinities.
pub(crate) fn pack_halves(builder: &mut ValueBuilder, floats: Val) -> Val {
    // The other half of the word is 0.
    let zero = builder.constant_f32(0.0);
    let floats = clamp_to_halves(builder, floats);
    builder.map_components(floats, |w, index| {
        let number = w.extract_component(floats, index);
        let (op, operands) = (Spv::CompositeConstruct, [number.id.0, zero.0]);
        let pair = w.emit_op(op, Scalar::F32, 2, &operands);
        w.emit_ext_to(GlslOp::PackHalf2x16, Scalar::U32, 1, pair.id)
    })
}

/// Emits the packing of two floats as half-precision numbers of one word; larger numbers become
/// infinities on every driver.
pub(crate) fn pack_two_halves(builder: &mut ValueBuilder, pair: Val) -> Val {
    let pair = clamp_to_halves(builder, pair);
    builder.emit_ext_to(GlslOp::PackHalf2x16, Scalar::U32, 1, pair.id)
}

/// Clamps floats that are too large for half precision, including infinities, to +-65536, which
/// every driver packs as an infinity: SwiftShader packs infinities and larger numbers as NaN.
fn clamp_to_halves(builder: &mut ValueBuilder, floats: Val) -> Val {
    // The first power of two beyond half precision: numbers that round to a finite half are
    // unchanged.
    let low = builder.constant_float_like(floats, -65536.0);
    let high = builder.constant_float_like(floats, 65536.0);
    let near = builder.emit_ext(GlslOp::FClamp, &[floats, low, high]);
    // A clamp of NaN may return any value.
    let is_nan = builder.emit_test(Spv::FUnordNotEqual, floats, floats);
    builder.emit_select(is_nan, floats, near)
}

/// Bits of the exponent of a 32-bit float.
const EXPONENT_MASK: u64 = 0x7f80_0000;
/// Sign bit of a 32-bit float.
const SIGN_BIT: u64 = 0x8000_0000;
/// Exponent of 1.0, at its bit offset.
const ONE_EXPONENT: u64 = 0x3f80_0000;
/// Difference between consecutive exponents.
const EXPONENT_STEP: u64 = 1 << 23;

/// Bits of the fraction of half precision.
const HALF_FRACTION: u64 = 10;
/// Exponent of the least normal number of half precision, 2^-14, at its bit offset.
const MIN_NORMAL_HALF: u64 = ONE_EXPONENT - 14 * EXPONENT_STEP;

/// Number of fixed-point steps in 1.
const FIXED_STEPS: f64 = 1024.0;
/// Range of fixed-point numbers, in steps.
const FIXED_RANGE: [f64; 2] = [-2048.0, 2047.0];

/// Emits the rounding of floats to the fraction bits of half precision, ties to even. The range of
/// the exponent is not limited.
///
/// The number is divided by the value of its last digit in that format, which is a power of two,
/// and rounded to a whole number of these units.
fn emit_round_to_half_fraction(builder: &mut ValueBuilder, value: Val) -> Val {
    let bits = builder.cast_val(value, Scalar::U32);
    let exponent = builder.emit_binary_bits(Spv::BitwiseAnd, bits, EXPONENT_MASK);
    // Denormals have the unit of the least normal number.
    let least = builder.constant_like(bits, MIN_NORMAL_HALF);
    let exponent = builder.emit_ext(GlslOp::UMax, &[exponent, least]);
    // Two exponents with the same bias: `2 * ONE - e` is the exponent of the reciprocal of the
    // number with exponent `e`.
    let ones = builder.constant_like(bits, 2 * ONE_EXPONENT + HALF_FRACTION * EXPONENT_STEP);
    let count = builder.emit_binary(Spv::ISub, ones, exponent);
    let count = builder.cast_val(count, Scalar::F32);
    // At least 2^-24, the unit of the denormals of half precision, which is a normal number of 32
    // bits.
    let unit = builder.emit_binary_bits(Spv::ISub, exponent, HALF_FRACTION * EXPONENT_STEP);
    let unit = builder.cast_val(unit, Scalar::F32);
    let units = builder.emit_binary(Spv::FMul, value, count);
    let units = builder.emit_ext(GlslOp::RoundEven, &[units]);
    builder.emit_binary(Spv::FMul, units, unit)
}

/// Emits the rounding of a 32-bit float to half precision: nearest, ties to even, infinity if the
/// result is 2^16. NV_fragment_program section 3.11.4.2.
pub(crate) fn round_to_half(builder: &mut ValueBuilder, value: Val) -> Val {
    let rounded = emit_round_to_half_fraction(builder, value);
    let magnitude = builder.emit_ext(GlslOp::FAbs, &[rounded]);
    // 65520 and all larger numbers round to 65536: half precision has no number between it and
    // 65504.
    let beyond = builder.emit_compare_float(Spv::FOrdGreaterThanEqual, magnitude, 65536.0);
    // A product with infinity retains the sign. NaN fails the comparison and is unchanged.
    let infinite = builder.emit_binary_float(Spv::FMul, rounded, f64::INFINITY);
    builder.emit_select(beyond, infinite, rounded)
}

/// Emits the rounding of a 32-bit float to signed fixed-point numbers with ten fraction bits:
/// nearest, ties to even, clamped to their range; NaN becomes 0, and -0 does not exist.
/// NV_fragment_program section 3.11.4.2.
pub(crate) fn round_to_fixed(builder: &mut ValueBuilder, value: Val) -> Val {
    let count = builder.emit_binary_float(Spv::FMul, value, FIXED_STEPS);
    let count = builder.emit_ext(GlslOp::RoundEven, &[count]);
    let [low, high] = FIXED_RANGE.map(|bound| builder.constant_float_like(value, bound));
    let within = builder.emit_ext(GlslOp::FClamp, &[count, low, high]);
    let number = builder.emit_binary_float(Spv::FMul, within, 1.0 / FIXED_STEPS);
    // False for NaN, for which a clamp may return any value, and for zeros of both signs.
    let zero = builder.constant_like(value, 0);
    let counts = builder.emit_test(Spv::FOrdNotEqual, count, zero);
    builder.emit_select(counts, number, zero)
}

/// Emits a 32-bit float clamped to the range of 12-bit fixed point numbers. The result for NaN is
/// undefined.
pub(crate) fn clamp_to_fixed(builder: &mut ValueBuilder, value: Val) -> Val {
    let [low, high] =
        FIXED_RANGE.map(|bound| builder.constant_float_like(value, bound / FIXED_STEPS));
    builder.emit_ext(GlslOp::FClamp, &[value, low, high])
}

/// Replaces denormal 32-bit floats by zeros of their signs, and caches the result in the open
/// branch. Values of other types are unchanged.
pub(crate) fn flush_denormals(builder: &mut ValueBuilder, value: Val) -> Val {
    if value.scalar != Scalar::F32 {
        return value;
    }
    if let Some(known) = builder.find_cached_result(value.id, ResultKey::FLUSHED) {
        return builder.val(known);
    }
    let result = clear_denormals(builder, value);
    // Flushing the result again has no effect.
    for id in [value.id, result.id] {
        if builder.value_info(id).origin != ValueOrigin::Constant {
            builder.cache_result_in_branch(id, ResultKey::FLUSHED, result.id);
        }
    }
    result
}

/// Replaces denormal 32-bit floats by zeros of the same sign.
fn clear_denormals(builder: &mut ValueBuilder, value: Val) -> Val {
    let bits = builder.cast_val(value, Scalar::U32);
    let [exponent, sign] =
        [EXPONENT_MASK, SIGN_BIT].map(|mask| builder.emit_binary_bits(Spv::BitwiseAnd, bits, mask));
    let zero = builder.cast_val(sign, Scalar::F32);
    let is_small = builder.emit_compare_bits(Spv::IEqual, exponent, 0);
    builder.emit_select(is_small, zero, value)
}
