//! Values in lanes, the bits of a value in the low bits of a `u64` with all other bits 0, and
//! conversions between all types, exact before the single rounding: NV_gpu_program5, CVT.

use crate::inst::Rounding;
use crate::types::{BaseType, Type, Width};
use std::cmp::Ordering;

/// A binary floating-point format.
#[derive(Clone, Copy)]
struct FloatFormat {
    /// Bits of the fraction.
    fraction: u32,
    /// Bits of the exponent.
    exponent: u32,
}

impl FloatFormat {
    /// Returns the IEEE 754 format of a width: half, single or double precision. A width of 8 bits,
    /// which no float has, is treated as 16 bits.
    const fn from_width(width: Width) -> Self {
        match width {
            Width::W8 | Width::W16 => Self {
                fraction: 10,
                exponent: 5,
            },
            Width::W32 => Self {
                fraction: 23,
                exponent: 8,
            },
            Width::W64 => Self {
                fraction: 52,
                exponent: 11,
            },
        }
    }

    /// Returns the exponent of the least normal number.
    const fn min_exponent(self) -> i32 {
        2 - (1 << (self.exponent - 1))
    }

    /// Returns the bits of infinity.
    const fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    /// Returns the bits of a float that is zero with this sign.
    const fn sign_bit(self, negative: Sign) -> u64 {
        (negative as u64) << (self.fraction + self.exponent)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Plus = 0,
    Minus = 1,
}

/// A value without its sign.
#[derive(Clone, Copy)]
enum Magnitude {
    /// The value `digits * 2 ^ exponent`.
    Finite {
        digits: u128,
        exponent: i32,
    },
    Infinite,
    /// The fraction, shifted to the top of 64 bits.
    NaN(u64),
}

/// Any value of any type.
type DecodedNumber = (Sign, Magnitude);

/// Converts `bits` from type `from` to type `to`. Inexact results are rounded by `rounding`;
/// integers out of the range of `to` are clamped with `saturate`, otherwise truncated to their low
/// bits. NaN becomes integer 0; an infinity is clamped, or becomes 0: NV_gpu_program5 section
/// 2.X.8.Z, CVT, leaves these undefined.
pub(super) fn convert(from: Type, to: Type, bits: u64, rounding: Rounding, saturate: bool) -> u64 {
    let number = if from.is_float() {
        decode_float(FloatFormat::from_width(from.width()), bits)
    } else {
        decode_int(from, bits)
    };
    match to.base() {
        BaseType::Float => encode_float(FloatFormat::from_width(to.width()), number, rounding),
        BaseType::SignedInt | BaseType::UnsignedInt if saturate => {
            clamp_to_type(to, number, rounding)
        }
        BaseType::SignedInt | BaseType::UnsignedInt => {
            take_low_bits(number, rounding) & get_lane_mask(to.width())
        }
    }
}

/// Returns a float of type `ty` as `f64`, which represents all of them exactly.
pub fn to_f64(ty: Type, bits: u64) -> f64 {
    match ty.width() {
        Width::W8 | Width::W16 => f64::from_bits(convert(
            Type::F16,
            Type::F64,
            bits & get_lane_mask(Width::W16),
            Rounding::Even,
            false,
        )),
        Width::W32 => f64::from(f32::from_bits(bits as u32)),
        Width::W64 => f64::from_bits(bits),
    }
}

/// Returns the bits of `value` rounded to the nearest float of type `ty`, ties to even.
pub fn from_f64(ty: Type, value: f64) -> u64 {
    match ty.width() {
        Width::W8 | Width::W16 => {
            convert(Type::F64, Type::F16, value.to_bits(), Rounding::Even, false)
        }
        Width::W32 => u64::from((value as f32).to_bits()),
        Width::W64 => value.to_bits(),
    }
}

/// Returns the sign of a number that is negative or not.
fn make_sign(is_negative: bool) -> Sign {
    if is_negative { Sign::Minus } else { Sign::Plus }
}

/// Returns the number that the bits of an integer represent.
fn decode_int(ty: Type, bits: u64) -> DecodedNumber {
    let is_negative = ty.is_signed_int() && bits & get_top_bit(ty.width()) != 0;
    let digits = if is_negative {
        to_signed(ty.width(), bits).unsigned_abs()
    } else {
        bits
    };
    (
        make_sign(is_negative),
        Magnitude::Finite {
            digits: digits.into(),
            exponent: 0,
        },
    )
}

/// Returns the number, infinity or NaN that the bits of a float represent, exactly.
fn decode_float(format: FloatFormat, bits: u64) -> DecodedNumber {
    let fraction = bits & ((1 << format.fraction) - 1);
    let exponent = bits >> format.fraction & ((1 << format.exponent) - 1);
    let quantum = format.min_exponent() - format.fraction as i32;
    let magnitude = match exponent {
        // Denormals have the exponent of the least normal number and no implicit leading 1.
        0 => Magnitude::Finite {
            digits: fraction.into(),
            exponent: quantum,
        },
        _ if exponent << format.fraction != format.infinity() => Magnitude::Finite {
            digits: u128::from(fraction | 1 << format.fraction),
            exponent: quantum + exponent as i32 - 1,
        },
        _ if fraction == 0 => Magnitude::Infinite,
        _ => Magnitude::NaN(fraction << (64 - format.fraction)),
    };
    (
        make_sign(bits & format.sign_bit(Sign::Minus) != 0),
        magnitude,
    )
}

/// Returns the bits of a number rounded to a float format. NaNs become quiet NaNs and retain the
/// high bits of their fraction; zero retains its sign.
fn encode_float(format: FloatFormat, (sign, magnitude): DecodedNumber, rounding: Rounding) -> u64 {
    let bits = match magnitude {
        Magnitude::NaN(fraction) => {
            // Quiet, so that a fraction that loses its low bits does not become an infinity.
            format.infinity() | 1 << (format.fraction - 1) | fraction >> (64 - format.fraction)
        }
        Magnitude::Infinite => format.infinity(),
        Magnitude::Finite { digits: 0, .. } => 0,
        Magnitude::Finite { digits, exponent } => {
            encode_finite(format, sign, digits, exponent, rounding)
        }
    };
    format.sign_bit(sign) | bits
}

/// Returns the bits of `digits * 2 ^ exponent`, which is not 0, without the sign. A number beyond
/// the format becomes an infinity or the largest number, according to the rounding. A fraction that
/// rounds up to the next power of two correctly carries into the exponent.
fn encode_finite(
    format: FloatFormat,
    sign: Sign,
    digits: u128,
    exponent: i32,
    rounding: Rounding,
) -> u64 {
    let top = exponent + digits.ilog2() as i32;
    let scale = top.max(format.min_exponent());
    let fraction = scale_to_int(
        sign,
        digits,
        exponent - (scale - format.fraction as i32),
        rounding,
    );
    let bits = ((scale - format.min_exponent()) as u64) << format.fraction;
    let bits = bits + fraction as u64;
    if bits < format.infinity() {
        return bits;
    }
    let away = match rounding {
        Rounding::Even => true,
        Rounding::Floor => sign == Sign::Minus,
        Rounding::Ceil => sign == Sign::Plus,
        Rounding::Trunc => false,
    };
    if away {
        format.infinity()
    } else {
        format.infinity() - 1
    }
}

/// Returns the magnitude of `digits * 2 ^ exponent` rounded to an integer; `sign` determines the
/// direction of directed rounding. `exponent` must be small enough for the integer to fit.
fn scale_to_int(sign: Sign, digits: u128, exponent: i32, rounding: Rounding) -> u128 {
    if exponent >= 0 {
        return digits << exponent;
    }
    // The value is below one half if the shift exceeds the number of digits.
    let shift = exponent.unsigned_abs().min(127);
    let (quotient, remainder, half) = (
        digits >> shift,
        digits & ((1 << shift) - 1),
        1u128 << (shift - 1),
    );
    let up = match rounding {
        Rounding::Even => remainder > half || remainder == half && quotient & 1 == 1,
        Rounding::Floor => sign == Sign::Minus && remainder != 0,
        Rounding::Ceil => sign == Sign::Plus && remainder != 0,
        Rounding::Trunc => false,
    };
    quotient + u128::from(up)
}

/// Returns a finite number rounded to an integer, or `None` for infinities, NaN and numbers of more
/// than 120 bits. The low 64 bits of the latter are 0, because floats have at most 53 digits.
fn round_to_int((sign, magnitude): DecodedNumber, rounding: Rounding) -> Option<i128> {
    let Magnitude::Finite { digits, exponent } = magnitude else {
        return None;
    };
    if digits != 0 && exponent + digits.ilog2() as i32 >= 120 {
        return None;
    }
    let value = scale_to_int(sign, digits, exponent, rounding) as i128;
    Some(if sign == Sign::Minus { -value } else { value })
}

/// Returns the low 64 bits of a finite number that is rounded to an integer.
fn take_low_bits(number: DecodedNumber, rounding: Rounding) -> u64 {
    round_to_int(number, rounding).unwrap_or(0) as u64
}

/// Returns the bits of a number rounded to an integer and clamped to the range of the type,
/// infinities included; 0 for NaN.
fn clamp_to_type(ty: Type, number: DecodedNumber, rounding: Rounding) -> u64 {
    let all = i128::from(get_lane_mask(ty.width()));
    let (least, most) = if ty.is_signed_int() {
        (-(all >> 1) - 1, all >> 1)
    } else {
        (0, all)
    };
    // Values too large for `round_to_int`, infinities included, are out of range for every integer
    // type.
    let value = match (round_to_int(number, rounding), number) {
        (_, (_, Magnitude::NaN(_))) => 0,
        (Some(value), _) => value.clamp(least, most),
        (None, (Sign::Minus, _)) => least,
        (None, (Sign::Plus, _)) => most,
    };
    extend_bits(ty, value as u64, ty.width())
}

/// Returns all bits of a lane.
pub(super) const fn get_lane_mask(width: Width) -> u64 {
    u64::MAX >> (64 - width.bits())
}

/// Returns the sign bit of a lane.
pub(super) const fn get_top_bit(width: Width) -> u64 {
    1 << (width.bits() - 1)
}

/// Returns the lane as a signed integer.
pub(super) const fn to_signed(width: Width, bits: u64) -> i64 {
    let unused = 64 - width.bits();
    ((bits << unused) as i64) >> unused
}

/// Returns the bits of 1.0, or of 1 for integers.
pub(super) const fn encode_one(ty: Type) -> u64 {
    match (ty.base(), ty.width()) {
        // 8-bit floats do not exist; the pattern only makes the match exhaustive.
        (BaseType::Float, Width::W8 | Width::W16) => 0x3c00,
        (BaseType::Float, Width::W32) => 0x3f80_0000,
        (BaseType::Float, Width::W64) => 0x3ff0_0000_0000_0000,
        (BaseType::SignedInt | BaseType::UnsignedInt, _) => 1,
    }
}

/// Returns the bits of a boolean: 1.0 for floats or all ones for integers if it is true, 0 if it is
/// false.
pub(super) const fn encode_bool(ty: Type, value: bool) -> u64 {
    match (value, ty.is_float()) {
        (false, _) => 0,
        (true, true) => encode_one(ty),
        (true, false) => get_lane_mask(ty.width()),
    }
}

/// Returns the order of two values by the type; `None` if either is NaN. Zeros of both signs are
/// equal.
pub(super) fn compare(ty: Type, a: u64, b: u64) -> Option<Ordering> {
    match ty.base() {
        BaseType::Float => to_f64(ty, a).partial_cmp(&to_f64(ty, b)),
        BaseType::SignedInt => Some(to_signed(ty.width(), a).cmp(&to_signed(ty.width(), b))),
        BaseType::UnsignedInt => Some(a.cmp(&b)),
    }
}

/// Returns true if a value is 0; true for -0.0, false for NaN.
pub(super) fn is_zero(ty: Type, bits: u64) -> bool {
    compare(ty, bits & get_lane_mask(ty.width()), 0) == Some(Ordering::Equal)
}

/// Returns true if a value is below 0.
pub(super) fn is_negative(ty: Type, bits: u64) -> bool {
    compare(ty, bits & get_lane_mask(ty.width()), 0) == Some(Ordering::Less)
}

/// Returns the absolute value. The least signed integer, which has none, and unsigned integers are
/// returned unchanged.
pub(super) const fn compute_abs(ty: Type, bits: u64) -> u64 {
    match ty.base() {
        BaseType::Float => bits & !get_top_bit(ty.width()),
        BaseType::SignedInt if bits & get_top_bit(ty.width()) != 0 => compute_neg(ty, bits),
        BaseType::SignedInt | BaseType::UnsignedInt => bits,
    }
}

/// Returns the negated value, in two's complement for integers.
pub(super) const fn compute_neg(ty: Type, bits: u64) -> u64 {
    match ty.base() {
        BaseType::Float => bits ^ get_top_bit(ty.width()),
        BaseType::SignedInt | BaseType::UnsignedInt => {
            bits.wrapping_neg() & get_lane_mask(ty.width())
        }
    }
}

/// Returns the value extended to a lane of `width`: signed integers are sign-extended, all others
/// zero-extended.
pub(super) const fn extend_bits(ty: Type, bits: u64, width: Width) -> u64 {
    match ty.base() {
        BaseType::SignedInt => to_signed(ty.width(), bits) as u64 & get_lane_mask(width),
        BaseType::Float | BaseType::UnsignedInt => bits & get_lane_mask(width),
    }
}
