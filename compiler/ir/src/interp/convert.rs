//! Conversions between all types, exact before the single rounding: NV_gpu_program5, CVT.

use super::value::{extend_bits, get_top_bit, lane_mask, to_signed};
use crate::inst::Rounding;
use crate::types::{Base, Type, Width};

/// A binary floating-point format.
#[derive(Clone, Copy)]
struct Format {
    /// Bits of the fraction.
    fraction: u32,
    /// Bits of the exponent.
    exponent: u32,
}

impl Format {
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
    const fn least_exponent(self) -> i32 {
        2 - (1 << (self.exponent - 1))
    }

    /// Returns the bits of infinity.
    const fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

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
type Number = (Sign, Magnitude);

/// Converts `bits` from type `from` to type `to`. Inexact results are rounded by `rounding`;
/// integers out of the range of `to` are clamped with `saturate`, otherwise truncated to their low
/// bits. NaN becomes integer 0; an infinity is clamped, or becomes 0: NV_gpu_program5 section
/// 2.X.8.Z, CVT, leaves these undefined.
pub(super) fn convert(from: Type, to: Type, bits: u64, rounding: Rounding, saturate: bool) -> u64 {
    let number = if from.is_float() {
        decode(Format::from_width(from.width()), bits)
    } else {
        decode_int(from, bits)
    };
    match to.base() {
        Base::Float => encode(Format::from_width(to.width()), number, rounding),
        Base::Signed | Base::Unsigned if saturate => clamp_to_type(to, number, rounding),
        Base::Signed | Base::Unsigned => take_low_bits(number, rounding) & lane_mask(to.width()),
    }
}

/// Returns a float of type `ty` as `f64`, which represents all of them exactly.
pub fn to_f64(ty: Type, bits: u64) -> f64 {
    match ty.width() {
        Width::W8 | Width::W16 => f64::from_bits(convert(
            Type::F16,
            Type::F64,
            bits & lane_mask(Width::W16),
            Rounding::Even,
            false,
        )),
        Width::W32 => f64::from(f32::from_bits(bits as u32)),
        Width::W64 => f64::from_bits(bits),
    }
}

/// Returns `value` rounded to the nearest float of type `ty`, ties to even.
pub fn from_f64(ty: Type, value: f64) -> u64 {
    match ty.width() {
        Width::W8 | Width::W16 => {
            convert(Type::F64, Type::F16, value.to_bits(), Rounding::Even, false)
        }
        Width::W32 => u64::from((value as f32).to_bits()),
        Width::W64 => value.to_bits(),
    }
}

fn to_sign(is_negative: bool) -> Sign {
    if is_negative { Sign::Minus } else { Sign::Plus }
}

fn decode_int(ty: Type, bits: u64) -> Number {
    let is_negative = ty.is_signed_int() && bits & get_top_bit(ty.width()) != 0;
    let digits = if is_negative {
        to_signed(ty.width(), bits).unsigned_abs()
    } else {
        bits
    };
    (
        to_sign(is_negative),
        Magnitude::Finite {
            digits: digits.into(),
            exponent: 0,
        },
    )
}

fn decode(format: Format, bits: u64) -> Number {
    let fraction = bits & ((1 << format.fraction) - 1);
    let exponent = bits >> format.fraction & ((1 << format.exponent) - 1);
    let quantum = format.least_exponent() - format.fraction as i32;
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
    (to_sign(bits & format.sign_bit(Sign::Minus) != 0), magnitude)
}

fn encode(format: Format, (sign, magnitude): Number, rounding: Rounding) -> u64 {
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

/// Returns the bits of `digits * 2 ^ exponent` without the sign. A fraction that rounds up to the
/// next power of two correctly carries into the exponent.
fn encode_finite(
    format: Format,
    sign: Sign,
    digits: u128,
    exponent: i32,
    rounding: Rounding,
) -> u64 {
    let top = exponent + digits.ilog2() as i32;
    let scale = top.max(format.least_exponent());
    let fraction = scale_to_int(
        sign,
        digits,
        exponent - (scale - format.fraction as i32),
        rounding,
    );
    let bits = ((scale - format.least_exponent()) as u64) << format.fraction;
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

/// Returns `digits * 2 ^ exponent` as an integer; `exponent` must be small enough for it to fit.
fn scale_to_int(sign: Sign, digits: u128, exponent: i32, rounding: Rounding) -> u128 {
    if exponent >= 0 {
        return digits << exponent;
    }
    // The value is below one half if the shift exceeds the number of digits.
    let shift = exponent.unsigned_abs().min(127);
    let (quotient, rest, half) = (
        digits >> shift,
        digits & ((1 << shift) - 1),
        1u128 << (shift - 1),
    );
    let up = match rounding {
        Rounding::Even => rest > half || rest == half && quotient & 1 == 1,
        Rounding::Floor => sign == Sign::Minus && rest != 0,
        Rounding::Ceil => sign == Sign::Plus && rest != 0,
        Rounding::Trunc => false,
    };
    quotient + u128::from(up)
}

/// Returns a finite number rounded to an integer, or `None` if it has more than 120 bits. Its low
/// 64 bits are 0 then, because floats have at most 53 digits.
fn round_to_int((sign, magnitude): Number, rounding: Rounding) -> Option<i128> {
    let Magnitude::Finite { digits, exponent } = magnitude else {
        return None;
    };
    if digits != 0 && exponent + digits.ilog2() as i32 >= 120 {
        return None;
    }
    let value = scale_to_int(sign, digits, exponent, rounding) as i128;
    Some(if sign == Sign::Minus { -value } else { value })
}

fn take_low_bits(number: Number, rounding: Rounding) -> u64 {
    round_to_int(number, rounding).unwrap_or(0) as u64
}

fn clamp_to_type(ty: Type, number: Number, rounding: Rounding) -> u64 {
    let all = i128::from(lane_mask(ty.width()));
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
