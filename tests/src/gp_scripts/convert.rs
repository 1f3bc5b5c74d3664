//! CVT and the pack instructions: NV_gpu_program5 section 2.X.8.Z, NV_gpu_program4 section 2.X.8.Z.

use super::arith::rounds_twice;
use super::value::{Num, Open, Type, is_denormal};
use std::cmp::Ordering;

/// How a conversion rounds what its result type does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rounding {
    Round,
    Ceil,
    Flr,
    Trunc,
}

impl Rounding {
    /// The modifier; rounding to nearest needs none.
    pub(super) const ALL: [(Self, &'static str); 5] = [
        (Self::Round, ""),
        (Self::Round, ".ROUND"),
        (Self::Ceil, ".CEIL"),
        (Self::Flr, ".FLR"),
        (Self::Trunc, ".TRUNC"),
    ];

    /// The integer that a float becomes.
    pub(super) fn integer(self, value: f64) -> f64 {
        match self {
            Self::Round => value.round_ties_even(),
            Self::Ceil => value.ceil(),
            Self::Flr => value.floor(),
            Self::Trunc => value.trunc(),
        }
    }

    /// Whether what is left of a magnitude is made larger.
    fn goes_up(self, cut: &Cut) -> bool {
        let up = match self {
            Self::Trunc => false,
            Self::Ceil => !cut.negative,
            Self::Flr => cut.negative,
            Self::Round => match cut.rest.cmp(&cut.half) {
                Ordering::Less => false,
                Ordering::Equal => cut.kept & 1 == 1,
                Ordering::Greater => true,
            },
        };
        cut.rest != 0 && up
    }
}

/// A magnitude whose last bits are cut off.
struct Cut {
    negative: bool,
    kept: u128,
    rest: u128,
    /// What half of the last place kept would be.
    half: u128,
}

/// What becomes of numbers that the result type does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Excess {
    /// Integers lose their upper bits.
    Wraps,
    /// SAT.
    Clamps,
}

/// A number of any size: `sign * magnitude * 2^exponent`.
#[derive(Clone, Copy)]
struct Exact {
    negative: bool,
    magnitude: u128,
    exponent: i32,
}

impl Exact {
    fn of_int(value: i128) -> Self {
        Self {
            negative: value < 0,
            magnitude: value.unsigned_abs(),
            exponent: 0,
        }
    }

    fn of_float(value: f64) -> Self {
        let bits = value.to_bits();
        let exponent = i32::try_from((bits >> 52) & 0x7ff).unwrap_or(0);
        let fraction = u128::from(bits & ((1 << 52) - 1));
        // Denormal doubles do not come here.
        Self {
            negative: value.is_sign_negative(),
            magnitude: if value == 0.0 {
                0
            } else {
                fraction | (1 << 52)
            },
            exponent: exponent - 1075,
        }
    }

    /// The float with `digits` bits that the rounding chooses; infinite, or the largest one, beyond `limit`.
    fn rounded(self, digits: u32, limit: f64, rounding: Rounding) -> f64 {
        let sign = if self.negative { -1.0 } else { 1.0 };
        let bits = 128 - self.magnitude.leading_zeros();
        let cut = bits.saturating_sub(digits);
        let parts = Cut {
            negative: self.negative,
            kept: self.magnitude >> cut,
            rest: self.magnitude & ((1 << cut) - 1),
            half: if cut == 0 { 0 } else { 1 << (cut - 1) },
        };
        let magnitude = (parts.kept + u128::from(rounding.goes_up(&parts))) as f64;
        let scale = self.exponent + cut as i32;
        let value = magnitude * 2f64.powi(scale);
        if value <= limit {
            return sign * value;
        }
        let stays = match rounding {
            Rounding::Round => false,
            Rounding::Trunc => true,
            Rounding::Ceil => self.negative,
            Rounding::Flr => !self.negative,
        };
        sign * if stays { limit } else { f64::INFINITY }
    }
}

/// Digits and largest value of a float type.
fn float_format(bits: u32) -> (u32, f64) {
    match bits {
        16 => (11, 65504.0),
        32 => (24, f64::from(f32::MAX)),
        _ => (53, f64::MAX),
    }
}

/// The float of `bits` that an exact number becomes.
fn to_float(number: Exact, bits: u32, rounding: Rounding) -> Result<f64, Open> {
    let (digits, limit) = float_format(bits);
    let value = number.rounded(digits, limit, rounding);
    // SwiftShader packs what is larger than all halves as NaN.
    if bits == 16 && number.rounded(53, f64::MAX, Rounding::Trunc).abs() > limit {
        return Err(Open);
    }
    if is_denormal(value, bits) {
        Err(Open)
    } else {
        Ok(value)
    }
}

/// The result of CVT before it is written. Half floats are numbers here, and bits in registers.
pub(super) fn convert(
    to: Type,
    from: Type,
    rounding: Rounding,
    excess: Excess,
    value: Num,
) -> Result<Num, Open> {
    match value {
        Num::F(value) if to.is_float() => {
            let result = if value.is_finite() && value != 0.0 {
                to_float(Exact::of_float(value), to.bits, rounding)?
            } else {
                // Infinities and zeros stay what they are.
                value
            };
            // Clamping says nothing of NaN, nor of the sign of zero.
            match excess {
                Excess::Clamps if result.is_nan() || result == 0.0 => Err(Open),
                Excess::Clamps => Ok(Num::F(result.clamp(0.0, 1.0))),
                Excess::Wraps => Ok(Num::F(result)),
            }
        }
        Num::F(value) if !value.is_finite() => Err(Open),
        Num::F(value) => {
            let whole = rounding.integer(value);
            // From 2^120 on the low 64 bits of every double are zeros.
            let limit = 2f64.powi(120);
            let integer = match whole.abs() < limit {
                true => whole as i128,
                false if excess == Excess::Clamps => whole.clamp(-limit, limit) as i128,
                false => 0,
            };
            Ok(Num::I(fit(to, integer, excess)))
        }
        Num::I(value) if to.is_float() => {
            debug_assert!(from.has(value), "{value} is no {from:?}");
            let result = to_float(Exact::of_int(value), to.bits, rounding)?;
            if rounds_twice(value, result == value as f64) {
                return Err(Open);
            }
            Ok(Num::F(match excess {
                Excess::Clamps => result.clamp(0.0, 1.0),
                Excess::Wraps => result,
            }))
        }
        Num::I(value) => Ok(Num::I(fit(to, value, excess))),
    }
}

/// Integers are clamped with SAT, and lose their upper bits without.
fn fit(to: Type, value: i128, excess: Excess) -> i128 {
    let (least, largest) = to.range();
    match excess {
        Excess::Clamps => value.clamp(least, largest),
        Excess::Wraps => to.wrap(value),
    }
}

/// The bits of a number that half floats have.
pub(super) fn half_bits(value: f64) -> Result<u64, Open> {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    if value.is_nan() || is_denormal(value, 16) {
        return Err(Open);
    }
    if value == 0.0 {
        return Ok(sign);
    }
    if value.is_infinite() {
        // SwiftShader packs what is larger than all halves as NaN.
        return Err(Open);
    }
    let bits = value.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i64 - 1023;
    let fraction = bits & ((1 << 52) - 1);
    let fits = fraction.trailing_zeros() >= 42 && (-14..=15).contains(&exponent);
    if fits {
        Ok(sign | ((exponent + 15) as u64) << 10 | fraction >> 42)
    } else {
        Err(Open)
    }
}

/// The number that a half float's bits stand for.
pub(super) fn half_value(bits: u64) -> Result<f64, Open> {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = ((bits >> 10) & 31, bits & 0x3ff);
    match (exponent, fraction) {
        (0, 0) => Ok(0.0 * sign),
        (31, 0) => Ok(f64::INFINITY * sign),
        // Denormal numbers, and NaN.
        (0 | 31, _) => Err(Open),
        _ => Ok(sign * (1.0 + fraction as f64 / 1024.0) * 2f64.powi(exponent as i32 - 15)),
    }
}

/// The integer nearest to `value`, unless it is so near the middle of two that rounding on the way decides.
pub(super) fn nearest(value: f64) -> Result<u64, Open> {
    let distance = (value - value.floor() - 0.5).abs();
    if distance < 0.01 || value.is_nan() {
        Err(Open)
    } else {
        Ok(value.round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::value::{F32, F64, S64, U64};
    use super::*;

    #[test]
    fn directions() {
        let to =
            |to, from, rounding, value| convert(to, from, rounding, Excess::Wraps, Num::I(value));
        let odd = (1 << 53) + 3;
        assert_eq!(
            to(F64, S64, Rounding::Flr, odd),
            Ok(Num::F(9_007_199_254_740_994.0))
        );
        assert_eq!(
            to(F64, S64, Rounding::Ceil, odd),
            Ok(Num::F(9_007_199_254_740_996.0))
        );
        assert_eq!(
            to(F64, S64, Rounding::Ceil, -odd),
            Ok(Num::F(-9_007_199_254_740_994.0))
        );
        // Halfway between 2 and 4 past 2^53: the even one.
        assert_eq!(
            to(F64, U64, Rounding::Round, odd),
            Ok(Num::F(9_007_199_254_740_996.0))
        );
        let above = Num::F(1.0 + 1e-9);
        assert_eq!(
            convert(F32, F64, Rounding::Round, Excess::Wraps, above),
            Ok(Num::F(1.0))
        );
        let next = f64::from(1.0f32.next_up());
        assert_eq!(
            convert(F32, F64, Rounding::Ceil, Excess::Wraps, above),
            Ok(Num::F(next))
        );
        assert_eq!(
            convert(F32, F64, Rounding::Trunc, Excess::Wraps, Num::F(1e300)),
            Ok(Num::F(f64::from(f32::MAX)))
        );
    }

    #[test]
    fn halves() {
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc100, -2.5),
            (0x7bff, 65504.0),
            (0x0400, 2f64.powi(-14)),
        ] {
            assert_eq!(half_value(bits), Ok(value));
            assert_eq!(half_bits(value), Ok(bits));
        }
        assert_eq!(half_bits(0.1), Err(Open));
        assert_eq!(half_bits(65536.0), Err(Open));
    }
}
