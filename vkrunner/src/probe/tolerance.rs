//! What counts as equal, near, less or greater.
//!
//! Two NaNs count as equal, and so do infinities of one sign: programs produce them on purpose. A tolerance applies to
//! pixels and to `~=`; the other comparisons are exact.

use crate::data::Value;

/// How far an observed value may be off.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Tolerance {
    Absolute(f64),
    /// Percent of the expected value.
    Percent(f64),
}

impl Default for Tolerance {
    fn default() -> Self {
        Self::Absolute(0.01)
    }
}

impl Tolerance {
    /// Reads `0.01` or `0.5%`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (number, make): (&str, fn(f64) -> Self) = match text.strip_suffix('%') {
            Some(number) => (number, Self::Percent),
            None => (text, Self::Absolute),
        };
        number.parse().ok().filter(|value| *value >= 0.0).map(make)
    }

    /// Whether the observed value is near enough.
    pub(crate) fn accepts(self, observed: f64, expected: f64) -> bool {
        if observed == expected || (observed.is_nan() && expected.is_nan()) {
            return true;
        }
        let allowed = match self {
            Self::Absolute(allowed) => allowed,
            Self::Percent(percent) => expected.abs() * percent / 100.0,
        };
        expected.is_finite() && (observed - expected).abs() <= allowed
    }
}

impl std::fmt::Display for Tolerance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Absolute(value) => write!(f, "{value}"),
            Self::Percent(value) => write!(f, "{value}%"),
        }
    }
}

/// Tolerances of the four components.
pub(crate) type Tolerances = [Tolerance; 4];

/// How an observed value must relate to the expected one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Near,
}

const COMPARISONS: &[(&str, Comparison)] = &[
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<", Comparison::Less),
    ("<=", Comparison::LessEqual),
    (">", Comparison::Greater),
    (">=", Comparison::GreaterEqual),
    ("~=", Comparison::Near),
];

impl Comparison {
    /// The comparison of that sign.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        COMPARISONS
            .iter()
            .find(|(sign, _)| *sign == text)
            .map(|(_, comparison)| *comparison)
    }

    pub(super) fn sign(self) -> &'static str {
        COMPARISONS[self as usize].0
    }

    /// Whether the comparison holds.
    pub(crate) fn holds(self, observed: Value, expected: Value, tolerance: Tolerance) -> bool {
        let (a, b) = match (observed, expected) {
            (Value::Int(a), Value::Int(b)) => return self.holds_for_integers(a, b, tolerance),
            (a, b) => (to_f64(a), to_f64(b)),
        };
        let equal = a == b || (a.is_nan() && b.is_nan());
        match self {
            Self::Equal => equal,
            Self::NotEqual => !equal,
            Self::Less => a < b,
            Self::LessEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterEqual => a >= b,
            Self::Near => tolerance.accepts(a, b),
        }
    }

    fn holds_for_integers(self, a: i128, b: i128, tolerance: Tolerance) -> bool {
        match self {
            Self::Equal => a == b,
            Self::NotEqual => a != b,
            Self::Less => a < b,
            Self::LessEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterEqual => a >= b,
            Self::Near => a == b || tolerance.accepts(a as f64, b as f64),
        }
    }
}

fn to_f64(value: Value) -> f64 {
    match value {
        Value::Int(value) => value as f64,
        Value::Float(value) => value,
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
    }

    #[test]
    fn comparisons_of_floats() {
        let nan = Value::Float(f64::NAN);
        let one = Value::Float(1.0);
        assert!(Comparison::Equal.holds(nan, nan, EXACT));
        assert!(!Comparison::NotEqual.holds(nan, nan, EXACT));
        assert!(Comparison::NotEqual.holds(nan, one, EXACT));
        for ordered in [
            Comparison::Less,
            Comparison::LessEqual,
            Comparison::Greater,
            Comparison::GreaterEqual,
        ] {
            assert!(!ordered.holds(nan, one, EXACT), "{ordered:?}");
        }
        assert!(Comparison::Equal.holds(Value::Float(-0.0), Value::Float(0.0), EXACT));
        assert!(Comparison::Near.holds(Value::Float(1.005), one, Tolerance::default()));
        assert!(!Comparison::Near.holds(Value::Float(1.02), one, Tolerance::default()));
    }

    #[test]
    fn comparisons_of_wide_integers_are_exact() {
        let (big, bigger) = (
            Value::Int(i128::from(u64::MAX) - 1),
            Value::Int(i128::from(u64::MAX)),
        );
        assert!(!Comparison::Equal.holds(big, bigger, EXACT));
        assert!(Comparison::Less.holds(big, bigger, EXACT));
        assert!(Comparison::GreaterEqual.holds(bigger, bigger, EXACT));
        assert!(Comparison::Near.holds(Value::Int(99), Value::Int(100), Tolerance::Percent(1.0)));
    }

    #[test]
    fn signs_and_comparisons_agree() {
        for (sign, comparison) in COMPARISONS {
            assert_eq!(comparison.sign(), *sign);
        }
    }
}
