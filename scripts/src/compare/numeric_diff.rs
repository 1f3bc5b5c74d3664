//! Distance of two numbers, and the default tolerances for values that no probe compares.

use crate::data::{Scalar, Value};
use crate::probe::Precision;

/// Tolerance of fixed-point channels, in steps: GL 2.1 section 2.14.9 rounds them to the nearest
/// value, from results that may differ in their last bits.
const STEP_TOLERANCE: f64 = 1.0;

/// Relative tolerance of floats: GL 2.1 section 2.1.1 requires "about 1 part in 10^5" of each
/// operation.
const RELATIVE_TOLERANCE: f64 = 1e-5;

/// Absolute tolerance of floats near zero, which result from cancellation of larger numbers: colors
/// and coordinates have magnitudes up to 1, where the spacing of floats is 6e-8; a dozen roundings
/// yield this bound.
const ABSOLUTE_TOLERANCE: f64 = 1e-6;

/// Absolute tolerance of doubles, whose spacing near 1 is 1e-16: some thousand roundings.
const DOUBLE_TOLERANCE: f64 = 1e-12;

/// Tolerance in ulp: floats whose last bits alone differ are equal but for one rounding, also if
/// their type is coarser than the bounds above.
const ULP_TOLERANCE: f64 = 1.0;

/// Types of numbers, for comparing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum NumberKind {
    /// Numbers that are the same or not.
    Exact,
    /// Numbers with a precision.
    Near(Precision),
}

/// Difference of two numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum NumericDistance {
    /// No difference; every NaN is equal to every other.
    None,
    /// Zeros with different signs.
    ZeroSign,
    /// Floats that differ by a number of ulp.
    Ulps(f64),
    /// Fixed-point numbers that differ by a number of steps.
    Steps(f64),
    /// Floats near zero, where only the absolute difference is compared.
    NearZero(f64),
    /// Values without distance: integers, and NaN or an infinity and another value.
    Incomparable,
}

impl NumericDistance {
    /// Returns a weight that orders differences by severity: ulp, steps, or the absolute difference
    /// near zero; infinity for values without distance.
    pub(super) fn severity(self) -> f64 {
        match self {
            Self::None | Self::ZeroSign => 0.0,
            Self::NearZero(difference) => difference,
            Self::Ulps(distance) | Self::Steps(distance) => distance,
            Self::Incomparable => f64::INFINITY,
        }
    }
}

impl NumberKind {
    /// Returns the comparison of values of a type in buffers: integers exactly, floats with their
    /// precision.
    pub(super) fn from_scalar(scalar: Scalar) -> Self {
        let float = |fraction, min_exponent| {
            Self::Near(Precision::Float {
                fraction,
                min_exponent,
            })
        };
        match scalar {
            Scalar::F16 => float(10, -14),
            Scalar::F32 => Self::Near(Precision::SINGLE),
            Scalar::F64 => float(52, -1022),
            Scalar::I8
            | Scalar::U8
            | Scalar::I16
            | Scalar::U16
            | Scalar::I32
            | Scalar::U32
            | Scalar::I64
            | Scalar::U64 => Self::Exact,
        }
    }

    /// Returns the difference of two values: in ulp for floats, absolute near zero, in steps for
    /// fixed-point numbers. NaNs are equal; different exact numbers, and infinities or NaN and
    /// other values, are incomparable.
    pub(super) fn distance(self, a: f64, b: f64) -> NumericDistance {
        if a == b {
            let same_sign = a.is_sign_negative() == b.is_sign_negative();
            return if same_sign {
                NumericDistance::None
            } else {
                NumericDistance::ZeroSign
            };
        }
        if a.is_nan() && b.is_nan() {
            return NumericDistance::None;
        }
        let Self::Near(precision) = self else {
            return NumericDistance::Incomparable;
        };
        if !a.is_finite() || !b.is_finite() {
            return NumericDistance::Incomparable;
        }
        match precision {
            Precision::Fixed { .. } | Precision::Srgb { .. } => {
                // The sRGB curve leaves a precision of hundredths.
                NumericDistance::Steps((precision.distance(a, b) * 100.0).round() / 100.0)
            }
            Precision::Float { fraction, .. } => {
                // 64-bit floats cannot count themselves.
                let ulps = match fraction {
                    52 => {
                        let distance = Scalar::F64.distance(a.to_bits(), b.to_bits());
                        distance.map_or(f64::INFINITY, |distance| distance as f64)
                    }
                    _ => precision.distance(a, b),
                };
                let FloatTolerance { relative, absolute } =
                    FloatTolerance::from_fraction_bits(fraction);
                let difference = (a - b).abs();
                let by_size_only = difference <= absolute
                    && difference > relative * a.abs().max(b.abs())
                    && ulps > ULP_TOLERANCE;
                if by_size_only {
                    NumericDistance::NearZero(difference)
                } else {
                    NumericDistance::Ulps(ulps)
                }
            }
        }
    }

    /// Returns true if `distance`, that of the values `a` and `b`, is one that two correct drivers
    /// may have: one step, one ulp, or the relative or absolute tolerance of floats.
    pub(super) fn accepts(self, distance: NumericDistance, a: f64, b: f64) -> bool {
        match distance {
            NumericDistance::None | NumericDistance::ZeroSign | NumericDistance::NearZero(_) => {
                true
            }
            NumericDistance::Incomparable => false,
            NumericDistance::Steps(steps) => steps <= STEP_TOLERANCE,
            NumericDistance::Ulps(ulps) => {
                let fraction = match self {
                    Self::Near(Precision::Float { fraction, .. }) => fraction,
                    Self::Exact | Self::Near(Precision::Fixed { .. } | Precision::Srgb { .. }) => 0,
                };
                let FloatTolerance { relative, absolute } =
                    FloatTolerance::from_fraction_bits(fraction);
                let allowed = (relative * a.abs().max(b.abs())).max(absolute);
                ulps <= ULP_TOLERANCE || (a - b).abs() <= allowed
            }
        }
    }
}

/// Tolerances of floats.
struct FloatTolerance {
    relative: f64,
    absolute: f64,
}

impl FloatTolerance {
    /// Returns the tolerances of floats with this number of fraction bits: those of doubles for
    /// more than 23.
    fn from_fraction_bits(fraction: i32) -> Self {
        let (relative, absolute) = if fraction > 23 {
            (DOUBLE_TOLERANCE, DOUBLE_TOLERANCE)
        } else {
            (RELATIVE_TOLERANCE, ABSOLUTE_TOLERANCE)
        };
        Self { relative, absolute }
    }
}

/// Returns the difference of two values of a type, given as bits. Integers are equal or
/// incomparable.
pub(super) fn scalar_distance(scalar: Scalar, a: u64, b: u64) -> NumericDistance {
    match (scalar.decode(a), scalar.decode(b)) {
        (Value::Float(a), Value::Float(b)) => NumberKind::from_scalar(scalar).distance(a, b),
        _ if a == b => NumericDistance::None,
        _ => NumericDistance::Incomparable,
    }
}

/// Returns true if `distance`, the result of [`scalar_distance`] for the bits `a` and `b`, is within
/// the tolerance of the type. Only floats have a tolerance: all other types must be equal.
pub(super) fn is_within_tolerance(
    scalar: Scalar,
    distance: NumericDistance,
    a: u64,
    b: u64,
) -> bool {
    match (scalar.decode(a), scalar.decode(b)) {
        (Value::Float(a), Value::Float(b)) => {
            NumberKind::from_scalar(scalar).accepts(distance, a, b)
        }
        _ => distance == NumericDistance::None,
    }
}

/// Returns the difference of two 32-bit words of unknown type: as floats if both have common
/// magnitudes of floats, otherwise they are equal or incomparable. Default NaNs are equal.
pub(super) fn word_distance(a: u32, b: u32) -> NumericDistance {
    if a == b || (is_default_nan(a) && is_default_nan(b)) {
        return NumericDistance::None;
    }
    if may_be_float(a) && may_be_float(b) {
        scalar_distance(Scalar::F32, a.into(), b.into())
    } else {
        NumericDistance::Incomparable
    }
}

/// Returns true if a word, interpreted as a float, is zero or has a magnitude from 2^-64 to 2^64.
/// Small integers do not.
fn may_be_float(word: u32) -> bool {
    const SMALLEST: f32 = f32::from_bits((127 - 64) << 23);
    const LARGEST: f32 = f32::from_bits((127 + 64) << 23);
    let value = f32::from_bits(word);
    value == 0.0 || (SMALLEST..=LARGEST).contains(&value.abs())
}

/// Returns true for the NaNs that processors and GPUs generate. Other NaNs may be negative
/// integers.
fn is_default_nan(word: u32) -> bool {
    matches!(word, 0x7fc0_0000 | 0xffc0_0000 | 0x7fff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    fn word(value: f32) -> u32 {
        value.to_bits()
    }

    #[test]
    fn floats_are_apart_by_numbers_of_their_type() {
        let gap = |scalar: Scalar, a: &str, b: &str| {
            let bits = |text| scalar.parse_bits(text).unwrap();
            scalar_distance(scalar, bits(a), bits(b))
        };
        assert_eq!(
            gap(Scalar::F32, "1", "0x3f800003"),
            NumericDistance::Ulps(3.0)
        );
        assert_eq!(gap(Scalar::F16, "1", "0x3bfe"), NumericDistance::Ulps(2.0));
        let double = gap(Scalar::F64, "1", "0x3ff0000000000001");
        assert_eq!(double, NumericDistance::Ulps(1.0));
        assert_eq!(gap(Scalar::F32, "0", "-0"), NumericDistance::ZeroSign);
        assert_eq!(
            gap(Scalar::F32, "0", "0.5e-6"),
            NumericDistance::NearZero(f64::from(0.5e-6f32))
        );
        assert_eq!(gap(Scalar::F32, "0", "0x1"), NumericDistance::Ulps(1.0));
        assert!(matches!(
            gap(Scalar::F32, "0", "2e-6"),
            NumericDistance::Ulps(_)
        ));
        assert_eq!(
            gap(Scalar::F32, "1e-7", "0x33d6bf98"),
            NumericDistance::Ulps(3.0)
        );
        assert_eq!(gap(Scalar::F32, "nan", "0xffc00001"), NumericDistance::None);
        assert_eq!(gap(Scalar::F32, "inf", "inf"), NumericDistance::None);
        for (a, b) in [("inf", "3e38"), ("inf", "-inf"), ("nan", "1")] {
            assert_eq!(gap(Scalar::F32, a, b), NumericDistance::Incomparable);
        }
        assert_eq!(gap(Scalar::I32, "1", "2"), NumericDistance::Incomparable);
        assert_eq!(gap(Scalar::U64, "7", "7"), NumericDistance::None);
    }

    #[test]
    fn fixed_points_are_apart_by_steps() {
        let gap = |name: &str, a: f64, b: f64| {
            let format = Format::parse(name).unwrap();
            NumberKind::Near(Precision::from_channel(&format, 0)).distance(a, b)
        };
        assert_eq!(
            gap("R8_UNORM", 0.2, 53.0 / 255.0),
            NumericDistance::Steps(2.0)
        );
        assert_eq!(gap("R16_SNORM", -1.0, -1.0), NumericDistance::None);
    }

    #[test]
    fn default_tolerances_are_those_of_gl() {
        let accepts = |a: f64, b: f64| {
            let kind = NumberKind::from_scalar(Scalar::F32);
            kind.accepts(kind.distance(a, b), a, b)
        };
        assert!(accepts(1000.0, 1000.009) && !accepts(1000.0, 1000.02));
        assert!(accepts(0.0, 9e-7) && !accepts(0.0, 2e-6));
        assert!(!accepts(f64::NAN, 0.0) && accepts(f64::NAN, f64::NAN));
        let half = NumberKind::from_scalar(Scalar::F16);
        assert!(half.accepts(
            half.distance(1.0, 1.0 + 1.0 / 1024.0),
            1.0,
            1.0 + 1.0 / 1024.0
        ));
        assert!(!half.accepts(half.distance(1.0, 1.002), 1.0, 1.002));
        let double = NumberKind::from_scalar(Scalar::F64);
        assert!(!double.accepts(double.distance(1.0, 1.000_001), 1.0, 1.000_001));
        assert!(double.accepts(double.distance(1.0, 1.0 + 1e-13), 1.0, 1.0 + 1e-13));
        let steps = NumberKind::Near(Precision::Fixed { steps: 255.0 });
        assert!(
            steps.accepts(NumericDistance::Steps(1.0), 0.0, 0.0)
                && !steps.accepts(NumericDistance::Steps(1.5), 0.0, 0.0)
        );
    }

    #[test]
    fn words_are_floats_where_both_look_like_it() {
        assert_eq!(
            word_distance(word(1.0), word(1.0) + 2),
            NumericDistance::Ulps(2.0)
        );
        assert_eq!(word_distance(0, word(-0.0)), NumericDistance::ZeroSign);
        assert_eq!(word_distance(3, 4), NumericDistance::Incomparable);
        assert_eq!(word_distance(0, 1), NumericDistance::Incomparable);
        assert_eq!(
            word_distance(0x7fc0_0000, 0x7fff_ffff),
            NumericDistance::None
        );
        assert_eq!(
            word_distance(u32::MAX, u32::MAX - 1),
            NumericDistance::Incomparable
        );
    }
}
