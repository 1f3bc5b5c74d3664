//! Distance of two numbers, and the default tolerances for values that no probe compares.

use crate::data::{Scalar, Value};
use crate::probe::Precision;

/// Tolerance of fixed-point channels, in steps: GL 2.1 section 2.14.9 rounds them to the nearest
/// value, from results that may differ in their last bits.
const STEPS: f64 = 1.0;

/// Relative tolerance of floats: GL 2.1 section 2.1.1 requires "about 1 part in 10^5" of each
/// operation.
const RELATIVE: f64 = 1e-5;

/// Absolute tolerance of floats near zero, which result from cancellation of larger numbers: colors
/// and coordinates have magnitudes up to 1, where the spacing of floats is 6e-8; a dozen roundings
/// yield this bound.
const ABSOLUTE: f64 = 1e-6;

/// Absolute tolerance of doubles, whose spacing near 1 is 1e-16: some thousand roundings.
const DOUBLE: f64 = 1e-12;

/// Tolerance in units in the last place: floats that differ in their last bit only are one rounding
/// apart, also if their type is coarser than the bounds above.
const ULPS: f64 = 1.0;

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
pub(super) enum Gap {
    /// No difference; every NaN is equal to every other.
    None,
    /// Zeros with different signs.
    ZeroSign,
    /// Floats that differ by a number of units in the last place.
    Ulps(f64),
    /// Fixed-point numbers that differ by a number of steps.
    Steps(f64),
    /// Floats near zero, where only the absolute difference is compared.
    NearZero(f64),
    /// Values without distance: integers, and NaN or an infinity and another value.
    Apart,
}

impl Gap {
    /// Returns a weight that orders differences by severity.
    pub(super) fn weight(self) -> f64 {
        match self {
            Self::None | Self::ZeroSign => 0.0,
            Self::NearZero(difference) => difference,
            Self::Ulps(distance) | Self::Steps(distance) => distance,
            Self::Apart => f64::INFINITY,
        }
    }
}

impl NumberKind {
    /// Returns the kind of a type of buffer contents.
    pub(super) fn of_scalar(scalar: Scalar) -> Self {
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

    /// Returns the difference of two values.
    pub(super) fn gap(self, a: f64, b: f64) -> Gap {
        if a == b {
            let same_sign = a.is_sign_negative() == b.is_sign_negative();
            return if same_sign { Gap::None } else { Gap::ZeroSign };
        }
        if a.is_nan() && b.is_nan() {
            return Gap::None;
        }
        let Self::Near(precision) = self else {
            return Gap::Apart;
        };
        if !a.is_finite() || !b.is_finite() {
            return Gap::Apart;
        }
        match precision {
            Precision::Fixed { .. } | Precision::Srgb { .. } => {
                // The sRGB curve leaves a precision of hundredths.
                Gap::Steps((precision.distance(a, b) * 100.0).round() / 100.0)
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
                let Bounds { relative, absolute } = Bounds::of(fraction);
                let difference = (a - b).abs();
                let by_size_only = difference <= absolute
                    && difference > relative * a.abs().max(b.abs())
                    && ulps > ULPS;
                if by_size_only {
                    Gap::NearZero(difference)
                } else {
                    Gap::Ulps(ulps)
                }
            }
        }
    }

    /// Returns true if the difference is one that two correct drivers may have.
    pub(super) fn accepts(self, gap: Gap, a: f64, b: f64) -> bool {
        match gap {
            Gap::None | Gap::ZeroSign | Gap::NearZero(_) => true,
            Gap::Apart => false,
            Gap::Steps(steps) => steps <= STEPS,
            Gap::Ulps(ulps) => {
                let fraction = match self {
                    Self::Near(Precision::Float { fraction, .. }) => fraction,
                    Self::Exact | Self::Near(Precision::Fixed { .. } | Precision::Srgb { .. }) => 0,
                };
                let Bounds { relative, absolute } = Bounds::of(fraction);
                let allowed = (relative * a.abs().max(b.abs())).max(absolute);
                ulps <= ULPS || (a - b).abs() <= allowed
            }
        }
    }
}

/// Tolerances of floats.
struct Bounds {
    relative: f64,
    absolute: f64,
}

impl Bounds {
    /// Returns the bounds of floats with this number of bits after the binary point.
    fn of(fraction: i32) -> Self {
        let (relative, absolute) = if fraction > 23 {
            (DOUBLE, DOUBLE)
        } else {
            (RELATIVE, ABSOLUTE)
        };
        Self { relative, absolute }
    }
}

/// Returns the difference of two bit patterns of a type.
pub(super) fn scalar_gap(scalar: Scalar, a: u64, b: u64) -> Gap {
    match (scalar.value(a), scalar.value(b)) {
        (Value::Float(a), Value::Float(b)) => NumberKind::of_scalar(scalar).gap(a, b),
        _ if a == b => Gap::None,
        _ => Gap::Apart,
    }
}

/// Returns true if the difference of bits of a type is within the tolerance.
pub(super) fn accepts_scalar(scalar: Scalar, gap: Gap, a: u64, b: u64) -> bool {
    match (scalar.value(a), scalar.value(b)) {
        (Value::Float(a), Value::Float(b)) => NumberKind::of_scalar(scalar).accepts(gap, a, b),
        _ => gap == Gap::None,
    }
}

/// Returns the difference of two 32-bit words that may be floats or integers.
pub(super) fn word_gap(a: u32, b: u32) -> Gap {
    if a == b || (is_usual_nan(a) && is_usual_nan(b)) {
        return Gap::None;
    }
    if may_be_float(a) && may_be_float(b) {
        scalar_gap(Scalar::F32, a.into(), b.into())
    } else {
        Gap::Apart
    }
}

/// Returns true if a word, interpreted as a float, has a common magnitude. Small integers do not.
fn may_be_float(word: u32) -> bool {
    const SMALLEST: f32 = f32::from_bits((127 - 64) << 23);
    const LARGEST: f32 = f32::from_bits((127 + 64) << 23);
    let value = f32::from_bits(word);
    value == 0.0 || (SMALLEST..=LARGEST).contains(&value.abs())
}

/// Returns the NaN that processors and GPUs generate. Other NaN may be negative integers.
fn is_usual_nan(word: u32) -> bool {
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
            scalar_gap(scalar, bits(a), bits(b))
        };
        assert_eq!(gap(Scalar::F32, "1", "0x3f800003"), Gap::Ulps(3.0));
        assert_eq!(gap(Scalar::F16, "1", "0x3bfe"), Gap::Ulps(2.0));
        let double = gap(Scalar::F64, "1", "0x3ff0000000000001");
        assert_eq!(double, Gap::Ulps(1.0));
        assert_eq!(gap(Scalar::F32, "0", "-0"), Gap::ZeroSign);
        assert_eq!(
            gap(Scalar::F32, "0", "0.5e-6"),
            Gap::NearZero(f64::from(0.5e-6f32))
        );
        assert_eq!(gap(Scalar::F32, "0", "0x1"), Gap::Ulps(1.0));
        assert!(matches!(gap(Scalar::F32, "0", "2e-6"), Gap::Ulps(_)));
        assert_eq!(gap(Scalar::F32, "1e-7", "0x33d6bf98"), Gap::Ulps(3.0));
        assert_eq!(gap(Scalar::F32, "nan", "0xffc00001"), Gap::None);
        assert_eq!(gap(Scalar::F32, "inf", "inf"), Gap::None);
        for (a, b) in [("inf", "3e38"), ("inf", "-inf"), ("nan", "1")] {
            assert_eq!(gap(Scalar::F32, a, b), Gap::Apart);
        }
        assert_eq!(gap(Scalar::I32, "1", "2"), Gap::Apart);
        assert_eq!(gap(Scalar::U64, "7", "7"), Gap::None);
    }

    #[test]
    fn fixed_points_are_apart_by_steps() {
        let gap = |name: &str, a: f64, b: f64| {
            let format = Format::parse(name).unwrap();
            NumberKind::Near(Precision::of_channel(&format, 0)).gap(a, b)
        };
        assert_eq!(gap("R8_UNORM", 0.2, 53.0 / 255.0), Gap::Steps(2.0));
        assert_eq!(gap("R16_SNORM", -1.0, -1.0), Gap::None);
    }

    #[test]
    fn default_tolerances_are_those_of_gl() {
        let accepts = |a: f64, b: f64| {
            let kind = NumberKind::of_scalar(Scalar::F32);
            kind.accepts(kind.gap(a, b), a, b)
        };
        assert!(accepts(1000.0, 1000.009) && !accepts(1000.0, 1000.02));
        assert!(accepts(0.0, 9e-7) && !accepts(0.0, 2e-6));
        assert!(!accepts(f64::NAN, 0.0) && accepts(f64::NAN, f64::NAN));
        let half = NumberKind::of_scalar(Scalar::F16);
        assert!(half.accepts(half.gap(1.0, 1.0 + 1.0 / 1024.0), 1.0, 1.0 + 1.0 / 1024.0));
        assert!(!half.accepts(half.gap(1.0, 1.002), 1.0, 1.002));
        let double = NumberKind::of_scalar(Scalar::F64);
        assert!(!double.accepts(double.gap(1.0, 1.000_001), 1.0, 1.000_001));
        assert!(double.accepts(double.gap(1.0, 1.0 + 1e-13), 1.0, 1.0 + 1e-13));
        let steps = NumberKind::Near(Precision::Fixed { steps: 255.0 });
        assert!(
            steps.accepts(Gap::Steps(1.0), 0.0, 0.0) && !steps.accepts(Gap::Steps(1.5), 0.0, 0.0)
        );
    }

    #[test]
    fn words_are_floats_where_both_look_like_it() {
        assert_eq!(word_gap(word(1.0), word(1.0) + 2), Gap::Ulps(2.0));
        assert_eq!(word_gap(0, word(-0.0)), Gap::ZeroSign);
        assert_eq!(word_gap(3, 4), Gap::Apart);
        assert_eq!(word_gap(0, 1), Gap::Apart);
        assert_eq!(word_gap(0x7fc0_0000, 0x7fff_ffff), Gap::None);
        assert_eq!(word_gap(u32::MAX, u32::MAX - 1), Gap::Apart);
    }
}
