//! What is known about values without computing them: how large they are, whether they are exact, how far results may be apart.

/// Bits of a fraction that is computed without rounding, with room to spare.
const EXACT_BITS: i32 = 20;
/// Relative error of one rounding.
const ROUNDING: f64 = 1.0 / (1 << 23) as f64;
/// Relative error of a function such as EX2, of which the languages say little.
const FUNCTION_ERROR: f64 = 1.0 / (1 << 18) as f64;

/// What is known about the components of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Knowledge {
    /// Magnitude, at most.
    pub(super) limit: f64,
    /// Bits behind the binary point of an exact value; `None` if it is rounded.
    pub(super) fraction: Option<i32>,
    /// How far results of two implementations may be apart.
    pub(super) error: f64,
}

impl Knowledge {
    pub(super) const fn exact(limit: f64, fraction: i32) -> Self {
        Self {
            limit,
            fraction: Some(fraction),
            error: 0.0,
        }
    }

    pub(super) const fn rounded(limit: f64) -> Self {
        Self {
            limit,
            fraction: None,
            error: limit * FUNCTION_ERROR,
        }
    }

    /// The same with the error that comes from an argument.
    pub(super) fn with_error(self, error: f64) -> Self {
        Self {
            error: self.error + error,
            ..self
        }
    }

    /// A result that is exact if it has few enough bits; `error` comes from the operands.
    pub(super) fn result(limit: f64, fraction: Option<i32>, error: f64) -> Self {
        let integer = limit.max(1.0).log2().ceil() as i32 + 1;
        let fraction = fraction.filter(|bits| bits + integer <= EXACT_BITS);
        let rounding = match fraction {
            Some(_) => 0.0,
            None => limit * ROUNDING,
        };
        Self {
            limit,
            fraction,
            error: error + rounding,
        }
    }

    pub(super) fn is_exact(self) -> bool {
        self.fraction.is_some()
    }

    /// What either may be.
    pub(super) fn or(self, other: Self) -> Self {
        let fraction = self.fraction.zip(other.fraction);
        Self::result(
            self.limit.max(other.limit),
            fraction.map(|(a, b)| a.max(b)),
            self.error.max(other.error),
        )
    }

    pub(super) fn plus(self, other: Self) -> Self {
        let either = self.or(other);
        let error = self.error + other.error;
        Self::result(self.limit + other.limit, either.fraction, error)
    }

    pub(super) fn times(self, other: Self) -> Self {
        let fraction = self.fraction.zip(other.fraction);
        let error = self.limit * other.error + other.limit * self.error;
        let fraction = fraction.map(|(a, b)| a + b);
        Self::result(self.limit * other.limit, fraction, error)
    }
}
