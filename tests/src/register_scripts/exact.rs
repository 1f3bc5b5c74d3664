//! Numbers that every precision in question holds exactly, and so do all sums on the way to them.

/// The precision of an instruction or of a register. NV_fragment_program section 3.11.4.1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Precision {
    /// 32 bits: R.
    Full,
    /// 16 bits: H.
    Half,
    /// 12 bits, of which 10 are behind the point: X.
    Fixed,
}

/// What is asked of numbers: multiples of this, whose magnitudes together are at most that.
const FULL: (f64, f64) = (1.0 / 4096.0, 2048.0);
const HALF_LEAST: f64 = 1.0 / 256.0;
/// Significant values of a half: 2^11 multiples of the least bit.
const HALF_STEPS: f64 = 2048.0;
const FIXED_STEP: f64 = 1.0 / 1024.0;
const FIXED_RANGE: (f64, f64) = (-2.0, 2047.0 / 1024.0);

/// Whether a number is a multiple of a power of two.
fn is_multiple(number: f64, step: f64) -> bool {
    (number / step).fract() == 0.0
}

impl Precision {
    /// The sum, if no order of adding the terms rounds anything.
    pub(super) fn sum(self, terms: &[f64]) -> Option<f64> {
        let size: f64 = terms.iter().map(|term| term.abs()).sum();
        let on = |step| terms.iter().all(|&term| is_multiple(term, step));
        let sum: f64 = terms.iter().sum();
        let exact = match self {
            Self::Full => on(FULL.0) && size <= FULL.1,
            Self::Half => {
                let mut step = 1.0;
                while step > HALF_LEAST && !on(step) {
                    step /= 2.0;
                }
                on(step) && size <= HALF_STEPS * step
            }
            Self::Fixed => on(FIXED_STEP) && (size <= FIXED_RANGE.1 || terms.len() <= 2),
        };
        let clamped = match self {
            Self::Fixed => {
                let each = terms.iter().all(|&term| self.holds(term));
                return (exact && each).then(|| sum.clamp(FIXED_RANGE.0, FIXED_RANGE.1));
            }
            Self::Full | Self::Half => sum,
        };
        exact.then_some(clamped)
    }

    /// Whether the number has this precision.
    pub(super) fn holds(self, number: f64) -> bool {
        match self {
            Self::Full | Self::Half => self.sum(&[number]).is_some(),
            Self::Fixed => {
                is_multiple(number, FIXED_STEP) && (FIXED_RANGE.0..=FIXED_RANGE.1).contains(&number)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Precision::{Fixed, Full, Half};

    #[test]
    fn sums_that_round_are_none() {
        assert_eq!(Full.sum(&[0.25, 1000.0]), Some(1000.25));
        assert_eq!(Full.sum(&[1.0 / 8192.0]), None);
        assert_eq!(Half.sum(&[1024.0, 1.0]), Some(1025.0));
        // 1024.5 is no half, though the sum is one.
        assert_eq!(Half.sum(&[1024.0, 0.5, -0.5]), None);
        assert_eq!(Fixed.sum(&[1.5, 1.5]), Some(2047.0 / 1024.0));
        assert_eq!(Fixed.sum(&[1.5, 1.5, -1.5]), None);
        assert_eq!(Fixed.sum(&[3.0, -2.0]), None);
    }
}
