//! Conversions between all types, and of floats to whole numbers. Out-of-range floats never reach a
//! SPIR-V conversion.

use super::{Scalar, Val, ValueBuilder, by_sign, compute_scalar, int, narrow, wide};
use glasm_ir::inst::Rounding;
use glasm_ir::{Type, Width};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Format of a float in computations.
#[derive(Clone, Copy)]
enum Format {
    F32,
    F64,
}

impl Format {
    fn of(scalar: Scalar) -> Self {
        if scalar == Scalar::F64 {
            Self::F64
        } else {
            Self::F32
        }
    }

    const fn scalar(self) -> Scalar {
        match self {
            Self::F32 => Scalar::F32,
            Self::F64 => Scalar::F64,
        }
    }

    /// Returns the number of binary digits, the leading one included.
    const fn digits(self) -> u32 {
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

/// Converts an integer to another integer type; values that do not fit are clamped or lose their
/// high bits.
pub(crate) fn convert_int(
    w: &mut ValueBuilder,
    val: Val,
    from: Type,
    to: Type,
    saturate: bool,
) -> Val {
    let mut val = val;
    if saturate {
        // Before bits are dropped.
        val = clamp_int(w, val, from, to);
    }
    let wide = |ty: Type| ty.width() == Width::W64;
    if wide(to) && !wide(from) {
        val = if from.is_signed_int() {
            extend_sign(w, val)
        } else {
            w.unary_to(Spv::UConvert, Scalar::U64, val)
        };
    // `OpUConvert` truncates, which is independent of the signedness.
    } else if wide(from) && !wide(to) {
        val = w.unary_to(Spv::UConvert, Scalar::U32, val);
    }
    narrow_int(w, val, to)
}

/// Extends signed words to 64-bit integers by composing them of two words: Mesa 22.3 compares the
/// result of a direct conversion with constants as if it had been zero-extended.
pub(crate) fn extend_sign(w: &mut ValueBuilder, val: Val) -> Val {
    let high = w.binary_bits(Spv::ShiftRightArithmetic, val, 31);
    w.map_components(val, |w, index| {
        let (low, high) = (w.component(val, index), w.component(high, index));
        let words = w.gather_vector(&[low.lane(0), high.lane(0)], Scalar::U32);
        let wide = wide::pack_words(w, words);
        w.val(wide.id())
    })
}

/// Truncates a 32-bit integer to a narrow type and extends it again.
fn narrow_int(w: &mut ValueBuilder, val: Val, to: Type) -> Val {
    if to.is_int() && to.width().bits() < 32 {
        int::extend(w, val, to.width().bits(), to.is_signed_int())
    } else {
        val
    }
}

/// Clamps an integer of type `from` to the values of `to`, in its own width.
fn clamp_int(w: &mut ValueBuilder, val: Val, from: Type, to: Type) -> Val {
    // Narrow sources have been extended to words, so the limits of a word also hold for them.
    let (from_min, from_max) = int_range(from, from.width().bits().max(32));
    let (to_min, to_max) = int_range(to, to.width().bits());
    let (low, high) = (from_min.max(to_min), from_max.min(to_max));
    if (low, high) == (from_min, from_max) {
        return val;
    }
    int::clamp(w, val, low as u64, high as u64, from.is_signed_int())
}

/// Converts an integer to the nearest float in a direction.
pub(crate) fn round_int_to_float(
    w: &mut ValueBuilder,
    val: Val,
    from: Type,
    to: Type,
    rounding: Rounding,
) -> Val {
    let op = by_sign(from, [Spv::ConvertSToF, Spv::ConvertUToF]);
    let format = Format::of(compute_scalar(to, w.wide_ints));
    let exact = from.width().bits() <= format.digits();
    // Integers in the range of a half are exact floats, and all others are out of its range in both
    // formats: two roundings to the nearest are equal to one. The same holds for two roundings in
    // one direction.
    let float = if exact || rounding == Rounding::Even {
        w.unary_to(op, format.scalar(), val)
    } else {
        round_int_directed(w, val, from, format, rounding)
    };
    round_float(w, float, to, rounding)
}

/// Converts an integer to the nearest float in a direction: the bits of its magnitude that exceed
/// the precision of a float are dropped, or rounded up, before exact conversions.
fn round_int_directed(
    w: &mut ValueBuilder,
    val: Val,
    from: Type,
    format: Format,
    rounding: Rounding,
) -> Val {
    let negative = from
        .is_signed_int()
        .then(|| w.compare_bits(Spv::SLessThan, val, 0));
    // The least signed value is its own negation, which as an unsigned number is its magnitude.
    let magnitude = match negative {
        Some(negative) => {
            let negated = w.unary(Spv::SNegate, val);
            w.select(negative, negated, val)
        }
        None => val,
    };
    let (low, high) = compute_float_neighbors(w, magnitude, format);
    let (above, below) = match rounding {
        Rounding::Ceil => (high, low),
        Rounding::Floor => (low, high),
        // The conversion itself implements `Even`, which does not reach this function.
        Rounding::Trunc | Rounding::Even => (low, low),
    };
    let Some(negative) = negative else {
        return above;
    };
    let below = w.unary(Spv::FNegate, below);
    w.select(negative, below, above)
}

/// Computes the neighboring floats below and above an unsigned integer; both are its value if a
/// float represents it.
fn compute_float_neighbors(w: &mut ValueBuilder, magnitude: Val, format: Format) -> (Val, Val) {
    let top = find_highest_bit(w, magnitude);
    // 0 has its highest bit at -1, and small numbers have no excess.
    let zero = w.constant_like(top, 0);
    let kept = w.constant_like(top, u64::from(format.digits()) - 1);
    let excess = w.binary(Spv::ISub, top, kept);
    let mut excess = w.ext(GlslOp::SMax, &[excess, zero]);
    if magnitude.scalar != excess.scalar {
        excess = w.unary_to(Spv::UConvert, magnitude.scalar, excess);
    }
    let one = w.constant_like(magnitude, 1);
    let unit = w.binary(Spv::ShiftLeftLogical, one, excess);
    // `unit` is the distance between neighboring floats, at least 1; the bits below it exceed the
    // precision of the float.
    let rest = w.binary(Spv::ISub, unit, one);
    let rest = w.binary(Spv::BitwiseAnd, magnitude, rest);
    let low = w.binary(Spv::ISub, magnitude, rest);
    let low = w.unary_to(Spv::ConvertUToF, format.scalar(), low);
    // The sum may be 2^32 or 2^64, which the integer cannot represent.
    let unit = w.unary_to(Spv::ConvertUToF, format.scalar(), unit);
    let high = w.binary(Spv::FAdd, low, unit);
    let exact = w.compare_bits(Spv::IEqual, rest, 0);
    (low, w.select(exact, low, high))
}

/// Finds the position of the highest one bit as a word, -1 for 0. GLSL.std.450 supports this for
/// words only.
fn find_highest_bit(w: &mut ValueBuilder, val: Val) -> Val {
    if val.scalar == Scalar::U32 {
        return w.ext(GlslOp::FindUMsb, &[val]);
    }
    let low = w.unary_to(Spv::UConvert, Scalar::U32, val);
    let high = w.binary_bits(Spv::ShiftRightLogical, val, 32);
    let high = w.unary_to(Spv::UConvert, Scalar::U32, high);
    let in_high = w.ext(GlslOp::FindUMsb, &[high]);
    let in_high = w.binary_bits(Spv::IAdd, in_high, 32);
    let in_low = w.ext(GlslOp::FindUMsb, &[low]);
    let is_small = w.compare_bits(Spv::IEqual, high, 0);
    w.select(is_small, in_low, in_high)
}

/// Converts a float to an integer after rounding it in a direction.
pub(crate) fn round_float_to_int(
    w: &mut ValueBuilder,
    val: Val,
    to: Type,
    rounding: Rounding,
    saturate: bool,
) -> Val {
    let rounded = match rounding {
        Rounding::Even => round_to_even(w, val),
        Rounding::Floor => w.ext(GlslOp::Floor, &[val]),
        Rounding::Ceil => w.ext(GlslOp::Ceil, &[val]),
        // The conversion itself drops the fraction.
        Rounding::Trunc => val,
    };
    if saturate {
        convert_clamped(w, rounded, to)
    } else {
        let low = convert_low_bits(w, rounded, to.width() == Width::W64);
        narrow_int(w, low, to)
    }
}

/// Computes the low bits of the integer that a float represents (NV_gpu_program5 section 2.X.8.Z,
/// CVT: high bits are dropped unless the conversion saturates); the result is 0 for NaN and
/// infinities.
///
/// The magnitude modulo a power of two is exact as a float, and so is its conversion.
fn convert_low_bits(w: &mut ValueBuilder, val: Val, wide: bool) -> Val {
    let (int, modulus) = if wide {
        (Scalar::U64, 2f64.powi(64))
    } else {
        (Scalar::U32, 2f64.powi(32))
    };
    let magnitude = w.ext(GlslOp::FAbs, &[val]);
    let multiple = w.binary_float(Spv::FMul, magnitude, modulus.recip());
    let multiple = w.ext(GlslOp::Floor, &[multiple]);
    let excess = w.binary_float(Spv::FMul, multiple, modulus);
    let low = w.binary(Spv::FSub, magnitude, excess);
    let zero = w.float_like(val, 0.0);
    // The difference is NaN for infinities and for NaN; `NMax` turns it into 0.
    let low = w.ext(GlslOp::NMax, &[low, zero]);
    let low = w.unary_to(Spv::ConvertFToU, int, low);
    let zero = w.constant_like(low, 0);
    // In two's complement the low bits of `-n` are the negated low bits of `n`.
    let negated = w.binary(Spv::ISub, zero, low);
    let negative = w.compare_bits(Spv::FOrdLessThan, val, 0);
    w.select(negative, negated, low)
}

/// Converts to the nearest integer of the type; the result is 0 for NaN.
fn convert_clamped(w: &mut ValueBuilder, rounded: Val, to: Type) -> Val {
    let bits = to.width().bits();
    let (min, max) = int_range(to, bits);
    let limit = (max + 1) as f64;
    let int = if bits == 64 { Scalar::U64 } else { Scalar::U32 };
    // Conversions of out-of-range values are undefined in SPIR-V, so the float is clamped first.
    let op = by_sign(to, [Spv::ConvertFToS, Spv::ConvertFToU]);
    // The largest float below the limit; at the limit and above the result is the largest integer.
    let below = match Format::of(rounded.scalar) {
        format if bits <= format.digits() => limit - 1.0,
        Format::F32 => f64::from((limit as f32).next_down()),
        Format::F64 => limit.next_down(),
    };
    let [low, high] = [min as f64, below].map(|bound| w.float_like(rounded, bound));
    // NaN becomes the lower bound: 0 for unsigned types, corrected below for signed ones.
    let clamped = w.ext(GlslOp::NClamp, &[rounded, low, high]);
    let mut result = w.unary_to(op, int, clamped);
    // The largest integer is not representable as a float here, so no clamp yields it.
    if below != limit - 1.0 {
        let beyond = w.compare_float(Spv::FOrdGreaterThanEqual, rounded, limit);
        let max = w.constant_like(result, max as u64);
        result = w.select(beyond, max, result);
    }
    if to.is_signed_int() {
        let number = w.test(Spv::FOrdEqual, rounded, rounded);
        let zero = w.constant_like(result, 0);
        result = w.select(number, result, zero);
    }
    narrow_int(w, result, to)
}

/// Converts a float to the nearest one of another type in a direction.
pub(crate) fn round_float(w: &mut ValueBuilder, val: Val, to: Type, rounding: Rounding) -> Val {
    match (val.scalar, to, rounding) {
        (Scalar::F32, Type::F64, _) => w.unary_to(Spv::FConvert, Scalar::F64, val),
        (Scalar::F64, Type::F32, Rounding::Even) => w.unary_to(Spv::FConvert, Scalar::F32, val),
        (Scalar::F64, Type::F32, _) => narrow::convert_double_to_single(w, val, rounding),
        // In two steps, because `PackHalf2x16` requires 32-bit floats. Rounding twice to the
        // nearest differs from rounding once: if the first step hits a tie of the second, the
        // truncated bits decide. An odd last bit preserves that information.
        (Scalar::F64, Type::F16, Rounding::Even) => narrow::round_to_odd(w, val),
        (Scalar::F64, Type::F16, _) => {
            let single = narrow::convert_double_to_single(w, val, rounding);
            narrow::convert_single_to_half(w, single, rounding)
        }
        // For rounding to nearest the result remains a float; its bits are truncated when it is
        // written.
        (Scalar::F32, Type::F16, Rounding::Floor | Rounding::Ceil | Rounding::Trunc) => {
            narrow::convert_single_to_half(w, val, rounding)
        }
        _ => val,
    }
}

/// Returns the whole number adjacent to `val` in the direction of zero. The result for -0.5 is -0.
///
/// Doubles use only `Floor` and `Ceil`, here and in [`round_to_even`]. Drivers that convert through
/// 32-bit integers if the CPU has no vector instruction (Mesa 22.3 without AVX-512) compute wrong
/// results for all doubles beyond 2^31 in `Trunc` and `RoundEven`, and lose the signs of zeros.
pub(crate) fn round_toward_zero(w: &mut ValueBuilder, val: Val) -> Val {
    if val.scalar != Scalar::F64 {
        return w.ext(GlslOp::Trunc, &[val]);
    }
    let (low, high) = compute_neighbors(w, val);
    let negative = w.compare_bits(Spv::FOrdLessThan, val, 0);
    w.select(negative, high, low)
}

/// Returns the whole number nearest to `val`, ties to even. The result for -0.5 is -0.
pub(crate) fn round_to_even(w: &mut ValueBuilder, val: Val) -> Val {
    if val.scalar != Scalar::F64 {
        return w.ext(GlslOp::RoundEven, &[val]);
    }
    let (low, high) = compute_neighbors(w, val);
    // The difference is exact, except for values just below zero: it is then 1 or nearly 1, and is
    // rounded up like the exact difference.
    let rest = w.binary(Spv::FSub, val, low);
    let half = w.float_like(val, 0.5);
    let beyond = w.test(Spv::FOrdGreaterThan, rest, half);
    let tie = w.test(Spv::FOrdEqual, rest, half);
    // The lower neighbor is odd if its half is not a whole number.
    let halved = w.binary(Spv::FMul, low, half);
    let floor = w.ext(GlslOp::Floor, &[halved]);
    let odd = w.test(Spv::FOrdNotEqual, floor, halved);
    let tie_up = w.test(Spv::LogicalAnd, tie, odd);
    let up = w.test(Spv::LogicalOr, beyond, tie_up);
    w.select(up, high, low)
}

/// Computes the adjacent whole numbers below and above `val`; both are `val` if it is a whole
/// number, an infinity or NaN.
fn compute_neighbors(w: &mut ValueBuilder, val: Val) -> (Val, Val) {
    (w.ext(GlslOp::Floor, &[val]), w.ext(GlslOp::Ceil, &[val]))
}
