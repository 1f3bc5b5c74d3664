//! Tolerances and comparison operators of probes.
//!
//! | | rule |
//! |---|---|
//! | `==` | equal numbers: every NaN equals every NaN, -0 equals 0. An expected value in hexadecimal is compared bit by bit |
//! | `!=` | not `==` |
//! | `<` `<=` `>` `>=` | order of numbers; never true of NaN |
//! | `~=`, pixels | equal, or finite and within the tolerance |
//!
//! NaN and infinities equal themselves because programs produce them on purpose.

use super::Precision;
use crate::data::{Literal, LiteralNotation, Scalar, Value};
use std::cmp::Ordering;

/// Permitted deviation of an observed value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Tolerance {
    /// Difference of the values.
    Absolute(f64),
    /// Percent of the expected value.
    Percent(f64),
    /// Units in the last place: the distance in representable numbers of the type.
    Ulps(f64),
}

impl Default for Tolerance {
    fn default() -> Self {
        Self::Absolute(0.01)
    }
}

impl Tolerance {
    /// Parses a tolerance: `0.01`, `0.5%` or `2ulp`; `None` if the form differs or the number is
    /// negative or NaN.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, make): (&str, fn(f64) -> Self) = if let Some(number) = text.strip_suffix('%') {
            (number, Self::Percent)
        } else if let Some(number) = text.strip_suffix("ulp") {
            (number, Self::Ulps)
        } else {
            (text, Self::Absolute)
        };
        number.parse().ok().filter(|value| *value >= 0.0).map(make)
    }

    /// Returns true if an observed 32-bit float is within the tolerance of the expected one; see
    /// [`Self::accepts_in`].
    pub fn accepts(self, observed: f64, expected: f64) -> bool {
        self.accepts_in(Precision::SINGLE, observed, expected)
    }

    /// Returns true if the observed value is equal to the expected one, also if both are NaN, or if
    /// both are finite and within the tolerance. `precision` is that of the numbers, for ulp.
    pub(super) fn accepts_in(self, precision: Precision, observed: f64, expected: f64) -> bool {
        if observed == expected || (observed.is_nan() && expected.is_nan()) {
            return true;
        }
        let difference = (observed - expected).abs();
        observed.is_finite()
            && expected.is_finite()
            && match self {
                Self::Absolute(allowed) => difference <= allowed,
                Self::Percent(percent) => difference <= expected.abs() * percent / 100.0,
                Self::Ulps(allowed) => precision.distance(observed, expected) <= allowed,
            }
    }

    /// Returns true if an observed value of a type is within the tolerance of the expected one,
    /// both given as bits. Equal infinities and any two NaNs are accepted; for integers an ulp is
    /// 1.
    fn accepts_bits(self, scalar: Scalar, observed: u64, expected: u64) -> bool {
        match (scalar.decode(observed), scalar.decode(expected)) {
            (Value::Float(a), Value::Float(b)) => {
                let ulps = || match scalar.distance(observed, expected) {
                    Some(distance) if a.is_finite() && b.is_finite() => distance as f64,
                    _ => f64::INFINITY,
                };
                match self {
                    Self::Absolute(_) | Self::Percent(_) => self.accepts(a, b),
                    Self::Ulps(allowed) => {
                        (a.is_nan() && b.is_nan()) || a == b || ulps() <= allowed
                    }
                }
            }
            (Value::Int(a), Value::Int(b)) => {
                let difference = a.abs_diff(b) as f64;
                match self {
                    Self::Absolute(allowed) | Self::Ulps(allowed) => difference <= allowed,
                    Self::Percent(percent) => {
                        difference <= b.unsigned_abs() as f64 * percent / 100.0
                    }
                }
            }
            (Value::Float(_), Value::Int(_)) | (Value::Int(_), Value::Float(_)) => false,
        }
    }
}

impl std::fmt::Display for Tolerance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Absolute(value) => write!(f, "{value}"),
            Self::Percent(value) => write!(f, "{value}%"),
            Self::Ulps(value) => write!(f, "{value}ulp"),
        }
    }
}

/// Tolerances of the four components.
pub type Tolerances = [Tolerance; 4];

/// Required relation of an observed value to the expected one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ComparisonOp {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `~=`: within the tolerance.
    Near,
}

const COMPARISONS: &[(&str, ComparisonOp)] = &[
    ("==", ComparisonOp::Equal),
    ("!=", ComparisonOp::NotEqual),
    ("<", ComparisonOp::Less),
    ("<=", ComparisonOp::LessEqual),
    (">", ComparisonOp::Greater),
    (">=", ComparisonOp::GreaterEqual),
    ("~=", ComparisonOp::Near),
];

impl ComparisonOp {
    /// Parses a comparison operator; `None` for any other string.
    pub fn parse(text: &str) -> Option<Self> {
        COMPARISONS
            .iter()
            .find(|(sign, _)| *sign == text)
            .map(|(_, comparison)| *comparison)
    }

    /// Returns the operator as scripts write it.
    pub fn symbol(self) -> &'static str {
        COMPARISONS[self as usize].0
    }

    /// Returns true if the comparison holds for counts, exactly.
    pub fn holds_for_counts(self, observed: u64, expected: u64) -> bool {
        let expected = Literal {
            bits: expected,
            notation: LiteralNotation::Number,
        };
        self.holds(Scalar::U64, observed, expected, Tolerance::Absolute(0.0))
    }

    /// Returns true if the comparison holds for the bits of an observed value of a type;
    /// `tolerance` is only used by `~=`. An order never holds for NaN.
    pub fn holds(
        self,
        scalar: Scalar,
        observed: u64,
        expected: Literal,
        tolerance: Tolerance,
    ) -> bool {
        let order = || {
            scalar
                .decode(observed)
                .partial_cmp(&scalar.decode(expected.bits))
        };
        match self {
            Self::Equal => is_equal(scalar, observed, expected),
            Self::NotEqual => !is_equal(scalar, observed, expected),
            Self::Less => order().is_some_and(Ordering::is_lt),
            Self::LessEqual => order().is_some_and(Ordering::is_le),
            Self::Greater => order().is_some_and(Ordering::is_gt),
            Self::GreaterEqual => order().is_some_and(Ordering::is_ge),
            Self::Near => tolerance.accepts_bits(scalar, observed, expected.bits),
        }
    }
}

/// Returns true if `==` holds for the bits of an observed value of a type. Bits are compared if the
/// expected value is in hexadecimal, otherwise numbers; then any two NaNs are equal, and so are 0
/// and -0.
fn is_equal(scalar: Scalar, observed: u64, expected: Literal) -> bool {
    match expected.notation {
        LiteralNotation::Bits => observed == expected.bits,
        LiteralNotation::Number => match (scalar.decode(observed), scalar.decode(expected.bits)) {
            (Value::Float(a), Value::Float(b)) => a == b || (a.is_nan() && b.is_nan()),
            (a, b) => a == b,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: Tolerance = Tolerance::Absolute(0.0);

    #[test]
    fn not_a_number_and_infinities_equal_themselves() {
        let tolerance = Tolerance::default();
        assert!(tolerance.accepts(f64::NAN, f64::NAN));
        assert!(!tolerance.accepts(f64::NAN, 0.0));
        assert!(!tolerance.accepts(0.0, f64::NAN));
        assert!(tolerance.accepts(f64::INFINITY, f64::INFINITY));
        assert!(!tolerance.accepts(f64::NEG_INFINITY, f64::INFINITY));
        assert!(!tolerance.accepts(1e30, f64::INFINITY));
        assert!(!Tolerance::Percent(10.0).accepts(1.0, f64::INFINITY));
    }

    #[test]
    fn percentages_follow_the_expected_value() {
        let tolerance = Tolerance::parse("1%").unwrap();
        assert!(tolerance.accepts(-99.5, -100.0));
        assert!(!tolerance.accepts(98.5, 100.0));
        assert!(!tolerance.accepts(1e-9, 0.0));
    }

    #[test]
    fn tolerances_are_not_negative() {
        assert_eq!(Tolerance::parse("0.25"), Some(Tolerance::Absolute(0.25)));
        assert_eq!(Tolerance::parse("-1"), None);
        assert_eq!(Tolerance::parse("nan"), None);
        assert_eq!(Tolerance::parse("%"), None);
        assert_eq!(Tolerance::parse("2ulp"), Some(Tolerance::Ulps(2.0)));
        assert_eq!(Tolerance::parse("ulp"), None);
        assert_eq!(Tolerance::parse("-2ulp"), None);
    }

    fn holds(comparison: ComparisonOp, scalar: Scalar, observed: &str, expected: &str) -> bool {
        holds_within(comparison, scalar, observed, expected, EXACT)
    }

    fn holds_within(
        comparison: ComparisonOp,
        scalar: Scalar,
        observed: &str,
        expected: &str,
        tolerance: Tolerance,
    ) -> bool {
        let expected = Literal::parse(scalar, expected).unwrap();
        comparison.holds(
            scalar,
            scalar.parse_bits(observed).unwrap(),
            expected,
            tolerance,
        )
    }

    const FLOATS: [Scalar; 3] = [Scalar::F16, Scalar::F32, Scalar::F64];

    #[test]
    fn every_nan_equals_every_nan_and_is_in_no_order() {
        for scalar in FLOATS {
            assert!(holds(ComparisonOp::Equal, scalar, "nan", "nan"));
            assert!(!holds(ComparisonOp::NotEqual, scalar, "nan", "nan"));
            assert!(!holds(ComparisonOp::Equal, scalar, "nan", "1"));
            assert!(holds(ComparisonOp::NotEqual, scalar, "nan", "1"));
            assert!(holds(ComparisonOp::Near, scalar, "nan", "nan"));
            assert!(!holds(ComparisonOp::Near, scalar, "nan", "1"));
            for ordered in [
                ComparisonOp::Less,
                ComparisonOp::LessEqual,
                ComparisonOp::Greater,
                ComparisonOp::GreaterEqual,
            ] {
                for (observed, expected) in [("nan", "1"), ("1", "nan"), ("nan", "nan")] {
                    assert!(!holds(ordered, scalar, observed, expected), "{ordered:?}");
                }
            }
        }
    }

    #[test]
    fn zeros_are_equal_unless_bits_are_expected() {
        assert!(holds(ComparisonOp::Equal, Scalar::F32, "-0", "0"));
        assert!(holds(ComparisonOp::LessEqual, Scalar::F32, "0", "-0"));
        assert!(!holds(ComparisonOp::Less, Scalar::F32, "-0", "0"));
        assert!(!holds(ComparisonOp::Equal, Scalar::F32, "-0", "0x0"));
        assert!(holds(ComparisonOp::NotEqual, Scalar::F32, "-0", "0x0"));
        assert!(holds(ComparisonOp::Equal, Scalar::F32, "-0", "0x80000000"));
    }

    #[test]
    fn bits_tell_nans_apart() {
        assert!(holds(
            ComparisonOp::Equal,
            Scalar::F32,
            "0x7fc00001",
            "0x7fc00001"
        ));
        assert!(!holds(
            ComparisonOp::Equal,
            Scalar::F32,
            "0x7fc00001",
            "0x7fc00000"
        ));
        assert!(holds(
            ComparisonOp::NotEqual,
            Scalar::F64,
            "0x7ff8000000000001",
            "0x7ff8000000000000"
        ));
        assert!(!holds(ComparisonOp::Equal, Scalar::F16, "0xfe00", "0x7e00"));
    }

    #[test]
    fn tolerances_of_floats() {
        let near = |observed, expected, tolerance| {
            let tolerance = Tolerance::parse(tolerance).unwrap();
            holds_within(
                ComparisonOp::Near,
                Scalar::F32,
                observed,
                expected,
                tolerance,
            )
        };
        assert!(near("1.005", "1", "0.01"));
        assert!(!near("1.02", "1", "0.01"));
        assert!(near("0x3f800002", "1", "2ulp"));
        assert!(!near("0x3f800003", "1", "2ulp"));
        // Below a power of two the spacing of the numbers is halved.
        assert!(near("0x3f7ffffe", "1", "2ulp"));
        assert!(near("-0", "0", "0ulp"));
        assert!(near("0x80000001", "0x00000001", "2ulp"));
        assert!(near("inf", "inf", "0ulp"));
        assert!(!near("inf", "3.4028235e38", "1ulp"));
        assert!(!near("nan", "1", "1e30ulp"));
        assert!(near("nan", "nan", "0ulp"));
    }

    #[test]
    fn comparisons_of_wide_integers_are_exact() {
        let (big, bigger) = ("18446744073709551614", "18446744073709551615");
        assert!(!holds(ComparisonOp::Equal, Scalar::U64, big, bigger));
        assert!(holds(ComparisonOp::Less, Scalar::U64, big, bigger));
        assert!(holds(
            ComparisonOp::GreaterEqual,
            Scalar::U64,
            bigger,
            bigger
        ));
        assert!(!holds(ComparisonOp::Near, Scalar::U64, big, bigger));
        let near =
            |tolerance| holds_within(ComparisonOp::Near, Scalar::I8, "-99", "-100", tolerance);
        assert!(near(Tolerance::Percent(1.0)));
        assert!(near(Tolerance::Ulps(1.0)));
        assert!(!near(Tolerance::Absolute(0.5)));
        assert!(holds(ComparisonOp::Less, Scalar::I8, "0xff", "0"));
        assert!(!holds(ComparisonOp::Less, Scalar::U8, "0xff", "0"));
    }

    #[test]
    fn signs_and_comparisons_agree() {
        for (sign, comparison) in COMPARISONS {
            assert_eq!(comparison.symbol(), *sign);
        }
    }
}
