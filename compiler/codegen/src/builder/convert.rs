//! Conversions between all types, and of floats to whole numbers. Out-of-range floats never reach a
//! SPIR-V conversion.

use super::{
    Scalar, Val, ValueBuilder, arithmetic_scalar, float_narrowing, int, int64_emulation,
    select_by_sign,
};
use glasm_ir::inst::Rounding;
use glasm_ir::{Type, Width};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Format of a float in computations.
#[derive(Clone, Copy)]
enum FloatFormat {
    F32,
    F64,
}

impl FloatFormat {
    /// Returns the float format of a component type.
    fn from_scalar(scalar: Scalar) -> Self {
        if scalar == Scalar::F64 {
            Self::F64
        } else {
            Self::F32
        }
    }

    /// Returns the component type of the format.
    const fn scalar(self) -> Scalar {
        match self {
            Self::F32 => Scalar::F32,
            Self::F64 => Scalar::F64,
        }
    }

    /// Returns the number of binary digits, the leading one included.
    const fn mantissa_digits(self) -> u32 {
        match self {
            Self::F32 => f32::MANTISSA_DIGITS,
            Self::F64 => f64::MANTISSA_DIGITS,
        }
    }
}

/// Returns the least and the largest integer of `bits` bits with the signedness of `ty`.
// In 128 bits, which represent the limits of all types, and the successor of the largest unsigned
// integer.
fn int_range(ty: Type, bits: u32) -> (i128, i128) {
    if ty.is_signed_int() {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

/// Converts an integer to another integer type. Values that do not fit are clamped if `saturate` is
/// true, else they lose their high bits. Results of less than 32 bits are extended to words.
pub(crate) fn convert_int(
    builder: &mut ValueBuilder,
    val: Val,
    from: Type,
    to: Type,
    saturate: bool,
) -> Val {
    let mut val = val;
    if saturate {
        // Before bits are dropped.
        val = clamp_int(builder, val, from, to);
    }
    let wide = |ty: Type| ty.width() == Width::W64;
    if wide(to) && !wide(from) {
        val = if from.is_signed_int() {
            extend_sign(builder, val)
        } else {
            builder.emit_unary_to(Spv::UConvert, Scalar::U64, val)
        };
    // `OpUConvert` truncates, which is independent of the signedness.
    } else if wide(from) && !wide(to) {
        val = builder.emit_unary_to(Spv::UConvert, Scalar::U32, val);
    }
    narrow_int(builder, val, to)
}

/// Extends signed words to 64-bit integers by composing them of two words: Mesa 22.3 compares the
/// result of a direct conversion with constants as if it had been zero-extended.
pub(crate) fn extend_sign(builder: &mut ValueBuilder, val: Val) -> Val {
    let high = builder.emit_binary_bits(Spv::ShiftRightArithmetic, val, 31);
    builder.map_components(val, |w, index| {
        let (low, high) = (
            w.extract_component(val, index),
            w.extract_component(high, index),
        );
        let words = w.gather_vector(&[low.lane(0), high.lane(0)], Scalar::U32);
        let wide = int64_emulation::pack_words(w, words);
        w.val(wide.id())
    })
}

/// Truncates a 32-bit integer to a type of 8 or 16 bits and extends it to a word again; returns it
/// unchanged for other types.
fn narrow_int(builder: &mut ValueBuilder, val: Val, to: Type) -> Val {
    if to.is_int() && to.width().bits() < 32 {
        int::extend_low_bits(builder, val, to.width().bits(), to.is_signed_int())
    } else {
        val
    }
}

/// Clamps an integer of type `from`, without changing its width, to the values that `to` also has.
/// Emits nothing if all of them fit.
fn clamp_int(builder: &mut ValueBuilder, val: Val, from: Type, to: Type) -> Val {
    // Narrow sources have been extended to words, so the limits of a word also hold for them.
    let (from_min, from_max) = int_range(from, from.width().bits().max(32));
    let (to_min, to_max) = int_range(to, to.width().bits());
    let (low, high) = (from_min.max(to_min), from_max.min(to_max));
    if (low, high) == (from_min, from_max) {
        return val;
    }
    int::clamp(builder, val, low as u64, high as u64, from.is_signed_int())
}

/// Emits the conversion of an integer to a float of type `to`, rounded in the direction of
/// `rounding`. Halves are returned as 32-bit floats.
pub(crate) fn round_int_to_float(
    builder: &mut ValueBuilder,
    val: Val,
    from: Type,
    to: Type,
    rounding: Rounding,
) -> Val {
    let op = select_by_sign(from, [Spv::ConvertSToF, Spv::ConvertUToF]);
    let format = FloatFormat::from_scalar(arithmetic_scalar(to, builder.wide_ints));
    let exact = from.width().bits() <= format.mantissa_digits();
    // Integers in the range of a half are exact floats, and all others are out of its range in both
    // formats: two roundings to the nearest are equal to one. The same holds for two roundings in
    // one direction.
    let float = if exact || rounding == Rounding::Even {
        builder.emit_unary_to(op, format.scalar(), val)
    } else {
        round_int_directed(builder, val, from, format, rounding)
    };
    round_float(builder, float, to, rounding)
}

/// Converts an integer to the nearest float in a direction: the bits of its magnitude that exceed
/// the precision of a float are dropped, or rounded up, before exact conversions.
fn round_int_directed(
    builder: &mut ValueBuilder,
    val: Val,
    from: Type,
    format: FloatFormat,
    rounding: Rounding,
) -> Val {
    let negative = from
        .is_signed_int()
        .then(|| builder.emit_compare_bits(Spv::SLessThan, val, 0));
    // The least signed value is its own negation, which as an unsigned number is its magnitude.
    let magnitude = match negative {
        Some(negative) => {
            let negated = builder.emit_unary(Spv::SNegate, val);
            builder.emit_select(negative, negated, val)
        }
        None => val,
    };
    let (low, high) = compute_float_neighbors(builder, magnitude, format);
    let (above, below) = match rounding {
        Rounding::Ceil => (high, low),
        Rounding::Floor => (low, high),
        // The conversion itself implements `Even`, which does not reach this function.
        Rounding::Trunc | Rounding::Even => (low, low),
    };
    let Some(negative) = negative else {
        return above;
    };
    let below = builder.emit_unary(Spv::FNegate, below);
    builder.emit_select(negative, below, above)
}

/// Computes the neighboring floats below and above an unsigned integer of 32 or 64 bits; both are
/// its value if a float represents it.
fn compute_float_neighbors(
    builder: &mut ValueBuilder,
    magnitude: Val,
    format: FloatFormat,
) -> (Val, Val) {
    let top = emit_find_highest_bit(builder, magnitude);
    // 0 has its highest bit at -1, and small numbers have no excess.
    let zero = builder.constant_like(top, 0);
    let kept = builder.constant_like(top, u64::from(format.mantissa_digits()) - 1);
    let excess = builder.emit_binary(Spv::ISub, top, kept);
    let mut excess = builder.emit_ext(GlslOp::SMax, &[excess, zero]);
    if magnitude.scalar != excess.scalar {
        excess = builder.emit_unary_to(Spv::UConvert, magnitude.scalar, excess);
    }
    let one = builder.constant_like(magnitude, 1);
    let unit = builder.emit_binary(Spv::ShiftLeftLogical, one, excess);
    // `unit` is the distance between neighboring floats, at least 1; the bits below it exceed the
    // precision of the float.
    let excess_bits = builder.emit_binary(Spv::ISub, unit, one);
    let excess_bits = builder.emit_binary(Spv::BitwiseAnd, magnitude, excess_bits);
    let low = builder.emit_binary(Spv::ISub, magnitude, excess_bits);
    let low = builder.emit_unary_to(Spv::ConvertUToF, format.scalar(), low);
    // The sum may be 2^32 or 2^64, which the integer cannot represent.
    let unit = builder.emit_unary_to(Spv::ConvertUToF, format.scalar(), unit);
    let high = builder.emit_binary(Spv::FAdd, low, unit);
    let exact = builder.emit_compare_bits(Spv::IEqual, excess_bits, 0);
    (low, builder.emit_select(exact, low, high))
}

/// Emits the position of the highest one bit of an unsigned integer of 32 or 64 bits as a word, -1
/// for 0. GLSL.std.450 has this for words only.
fn emit_find_highest_bit(builder: &mut ValueBuilder, val: Val) -> Val {
    if val.scalar == Scalar::U32 {
        return builder.emit_ext(GlslOp::FindUMsb, &[val]);
    }
    let low = builder.emit_unary_to(Spv::UConvert, Scalar::U32, val);
    let high = builder.emit_binary_bits(Spv::ShiftRightLogical, val, 32);
    let high = builder.emit_unary_to(Spv::UConvert, Scalar::U32, high);
    let in_high = builder.emit_ext(GlslOp::FindUMsb, &[high]);
    let in_high = builder.emit_binary_bits(Spv::IAdd, in_high, 32);
    let in_low = builder.emit_ext(GlslOp::FindUMsb, &[low]);
    let is_small = builder.emit_compare_bits(Spv::IEqual, high, 0);
    builder.emit_select(is_small, in_low, in_high)
}

/// Converts a float to an integer after rounding it in a direction. Values that do not fit are
/// clamped if `saturate` is true, else they lose their high bits; NaN becomes 0.
pub(crate) fn round_float_to_int(
    builder: &mut ValueBuilder,
    val: Val,
    to: Type,
    rounding: Rounding,
    saturate: bool,
) -> Val {
    let rounded = match rounding {
        Rounding::Even => round_to_even(builder, val),
        Rounding::Floor => builder.emit_ext(GlslOp::Floor, &[val]),
        Rounding::Ceil => builder.emit_ext(GlslOp::Ceil, &[val]),
        // The conversion itself drops the fraction.
        Rounding::Trunc => val,
    };
    if saturate {
        convert_clamped(builder, rounded, to)
    } else {
        let low = convert_low_bits(builder, rounded, to.width() == Width::W64);
        narrow_int(builder, low, to)
    }
}

/// Computes the low bits of the integer that a float represents (NV_gpu_program5 section 2.X.8.Z,
/// CVT: high bits are dropped unless the conversion saturates); the result is 0 for NaN and
/// infinities.
///
/// The magnitude modulo a power of two is exact as a float, and so is its conversion.
fn convert_low_bits(builder: &mut ValueBuilder, val: Val, wide: bool) -> Val {
    let (int, modulus) = if wide {
        (Scalar::U64, 2f64.powi(64))
    } else {
        (Scalar::U32, 2f64.powi(32))
    };
    let magnitude = builder.emit_ext(GlslOp::FAbs, &[val]);
    let multiple = builder.emit_binary_float(Spv::FMul, magnitude, modulus.recip());
    let multiple = builder.emit_ext(GlslOp::Floor, &[multiple]);
    let excess = builder.emit_binary_float(Spv::FMul, multiple, modulus);
    let low = builder.emit_binary(Spv::FSub, magnitude, excess);
    let zero = builder.constant_float_like(val, 0.0);
    // The difference is NaN for infinities and for NaN; `NMax` turns it into 0.
    let low = builder.emit_ext(GlslOp::NMax, &[low, zero]);
    let low = builder.emit_unary_to(Spv::ConvertFToU, int, low);
    let zero = builder.constant_like(low, 0);
    // In two's complement the low bits of `-n` are the negated low bits of `n`.
    let negated = builder.emit_binary(Spv::ISub, zero, low);
    let negative = builder.emit_compare_bits(Spv::FOrdLessThan, val, 0);
    builder.emit_select(negative, negated, low)
}

/// Converts a float that is a whole number to the nearest integer of the type `to`; the result is 0
/// for NaN. Results of less than 32 bits are extended to words.
fn convert_clamped(builder: &mut ValueBuilder, rounded: Val, to: Type) -> Val {
    let bits = to.width().bits();
    let (min, max) = int_range(to, bits);
    let limit = (max + 1) as f64;
    let int = if bits == 64 { Scalar::U64 } else { Scalar::U32 };
    // Conversions of out-of-range values are undefined in SPIR-V, so the float is clamped first.
    let op = select_by_sign(to, [Spv::ConvertFToS, Spv::ConvertFToU]);
    // The largest float below the limit; at the limit and above the result is the largest integer.
    let below = match FloatFormat::from_scalar(rounded.scalar) {
        format if bits <= format.mantissa_digits() => limit - 1.0,
        FloatFormat::F32 => f64::from((limit as f32).next_down()),
        FloatFormat::F64 => limit.next_down(),
    };
    let [low, high] = [min as f64, below].map(|bound| builder.constant_float_like(rounded, bound));
    // NaN becomes the lower bound: 0 for unsigned types, corrected below for signed ones.
    let clamped = builder.emit_ext(GlslOp::NClamp, &[rounded, low, high]);
    let mut result = builder.emit_unary_to(op, int, clamped);
    // The largest integer is not representable as a float here, so no clamp yields it.
    if below != limit - 1.0 {
        let beyond = builder.emit_compare_float(Spv::FOrdGreaterThanEqual, rounded, limit);
        let max = builder.constant_like(result, max as u64);
        result = builder.emit_select(beyond, max, result);
    }
    if to.is_signed_int() {
        let number = builder.emit_test(Spv::FOrdEqual, rounded, rounded);
        let zero = builder.constant_like(result, 0);
        result = builder.emit_select(number, result, zero);
    }
    narrow_int(builder, result, to)
}

/// Converts a float to the nearest one of another type in a direction. Halves are returned as
/// 32-bit floats; rounding to the nearest half is left to the write of the result, which truncates
/// the bits.
pub(crate) fn round_float(
    builder: &mut ValueBuilder,
    val: Val,
    to: Type,
    rounding: Rounding,
) -> Val {
    match (val.scalar, to, rounding) {
        (Scalar::F32, Type::F64, _) => builder.emit_unary_to(Spv::FConvert, Scalar::F64, val),
        (Scalar::F64, Type::F32, Rounding::Even) => {
            builder.emit_unary_to(Spv::FConvert, Scalar::F32, val)
        }
        (Scalar::F64, Type::F32, _) => {
            float_narrowing::convert_double_to_single(builder, val, rounding)
        }
        // In two steps, because `PackHalf2x16` requires 32-bit floats. Rounding twice to the
        // nearest differs from rounding once: if the first step hits a tie of the second, the
        // truncated bits decide. An odd last bit preserves that information.
        (Scalar::F64, Type::F16, Rounding::Even) => float_narrowing::round_to_odd(builder, val),
        (Scalar::F64, Type::F16, _) => {
            let single = float_narrowing::convert_double_to_single(builder, val, rounding);
            float_narrowing::convert_single_to_half(builder, single, rounding)
        }
        // For rounding to nearest the result remains a float; its bits are truncated when it is
        // written.
        (Scalar::F32, Type::F16, Rounding::Floor | Rounding::Ceil | Rounding::Trunc) => {
            float_narrowing::convert_single_to_half(builder, val, rounding)
        }
        _ => val,
    }
}

/// Returns the whole number adjacent to `val` in the direction of zero. The result for -0.5 is -0.
///
/// Doubles use only `Floor` and `Ceil`, here and in [`round_to_even`]. Drivers that convert through
/// 32-bit integers if the CPU has no vector instruction (Mesa 22.3 without AVX-512) compute wrong
/// results for all doubles beyond 2^31 in `Trunc` and `RoundEven`, and lose the signs of zeros.
pub(crate) fn round_toward_zero(builder: &mut ValueBuilder, val: Val) -> Val {
    if val.scalar != Scalar::F64 {
        return builder.emit_ext(GlslOp::Trunc, &[val]);
    }
    let (low, high) = compute_neighbors(builder, val);
    let negative = builder.emit_compare_bits(Spv::FOrdLessThan, val, 0);
    builder.emit_select(negative, high, low)
}

/// Returns the whole number nearest to `val`, ties to even. The result for -0.5 is -0.
pub(crate) fn round_to_even(builder: &mut ValueBuilder, val: Val) -> Val {
    if val.scalar != Scalar::F64 {
        return builder.emit_ext(GlslOp::RoundEven, &[val]);
    }
    let (low, high) = compute_neighbors(builder, val);
    // The difference is exact, except for values just below zero: it is then 1 or nearly 1, and is
    // rounded up like the exact difference.
    let fraction = builder.emit_binary(Spv::FSub, val, low);
    let half = builder.constant_float_like(val, 0.5);
    let beyond = builder.emit_test(Spv::FOrdGreaterThan, fraction, half);
    let tie = builder.emit_test(Spv::FOrdEqual, fraction, half);
    // The lower neighbor is odd if its half is not a whole number.
    let halved = builder.emit_binary(Spv::FMul, low, half);
    let floor = builder.emit_ext(GlslOp::Floor, &[halved]);
    let odd = builder.emit_test(Spv::FOrdNotEqual, floor, halved);
    let tie_up = builder.emit_test(Spv::LogicalAnd, tie, odd);
    let up = builder.emit_test(Spv::LogicalOr, beyond, tie_up);
    builder.emit_select(up, high, low)
}

/// Computes the adjacent whole numbers below and above `val`; both are `val` if it is a whole
/// number, an infinity or NaN.
fn compute_neighbors(builder: &mut ValueBuilder, val: Val) -> (Val, Val) {
    (
        builder.emit_ext(GlslOp::Floor, &[val]),
        builder.emit_ext(GlslOp::Ceil, &[val]),
    )
}
