//! How many scripts passed, failed, and were skipped.

use super::record::{Record, Results, Verdict};
use serde::Serialize;
use std::fmt;

/// Counts of outcomes. Displays as `3 passed, 0 failed, 1 skipped`; what a list of expected
/// failures says is told after it if it concerns the scripts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Debug)]
pub(crate) struct Counts {
    /// Scripts that passed as they should.
    pub(crate) passed: usize,
    /// Scripts that failed, or passed against what was expected.
    pub(crate) failed: usize,
    /// Scripts that were skipped.
    pub(crate) skipped: usize,
    /// Scripts that failed as expected.
    pub(crate) expected_failures: usize,
    /// Those of the failed ones that passed against what was expected.
    pub(crate) unexpected_passes: usize,
}

impl Counts {
    /// The counts of some results.
    pub(crate) fn of<'a>(records: impl Iterator<Item = &'a Record>) -> Self {
        let mut counts = Self::default();
        for record in records {
            match record.outcome {
                Verdict::Pass => counts.passed += 1,
                Verdict::Fail => counts.failed += 1,
                Verdict::Skip => counts.skipped += 1,
                Verdict::ExpectedFail => counts.expected_failures += 1,
                Verdict::UnexpectedPass => {
                    counts.failed += 1;
                    counts.unexpected_passes += 1;
                }
            }
        }
        counts
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            passed,
            failed,
            skipped,
            expected_failures,
            unexpected_passes,
        } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")?;
        if *expected_failures > 0 {
            write!(f, ", {expected_failures} failed as expected")?;
        }
        if *unexpected_passes > 0 {
            let verb = if *unexpected_passes == 1 { "is" } else { "are" };
            write!(
                f,
                "; {unexpected_passes} of the failed {verb} expected to fail and passed"
            )?;
        }
        Ok(())
    }
}

impl Results {
    /// Counts of outcomes.
    pub(crate) fn counts(&self) -> Counts {
        Counts::of(self.records())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::records;
    use super::*;

    #[test]
    fn counts_tell_what_was_expected() {
        let mut records = records();
        assert_eq!(
            Counts::of(records.iter()).to_string(),
            "1 passed, 1 failed, 1 skipped"
        );
        records[0].outcome = Verdict::UnexpectedPass;
        records[1].outcome = Verdict::ExpectedFail;
        assert_eq!(
            Counts::of(records.iter()).to_string(),
            "0 passed, 1 failed, 1 skipped, 1 failed as expected; 1 of the failed is expected to fail and passed"
        );
    }
}
