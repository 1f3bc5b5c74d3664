//! Counting: passed, failed, skipped, over tests, scripts and checks.

use std::fmt;
use std::ops::AddAssign;

/// Reason why a step cannot run on this machine: an error that is treated as a skipped check.
#[derive(Debug)]
pub struct Skip(String);

impl Skip {
    /// Returns the error. The reason is a clause, such as `lavapipe is not installed`.
    pub fn with_reason(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: skipped", self.0)
    }
}

impl std::error::Error for Skip {}

/// Counts of checks, tests or scripts.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Checks that succeeded.
    pub passed: u64,
    /// Checks that failed.
    pub failed: u64,
    /// Checks that could not be tried.
    pub skipped: u64,
}

impl Counts {
    /// Returns the counts of one check that has passed or failed.
    pub fn from_check(passed: bool) -> Self {
        Self {
            passed: u64::from(passed),
            failed: u64::from(!passed),
            skipped: 0,
        }
    }

    /// Returns the counts of one check that could not be tried.
    pub fn one_skipped() -> Self {
        Self {
            skipped: 1,
            ..Self::default()
        }
    }

    /// Returns the counts of a step. A [`Skip`] is printed and becomes a skipped check.
    ///
    /// # Errors
    ///
    /// Returns other errors unchanged.
    pub fn from_step(outcome: anyhow::Result<Self>) -> anyhow::Result<Self> {
        outcome.or_else(|error| {
            println!("{}", error.downcast::<Skip>()?);
            Ok(Self::one_skipped())
        })
    }

    /// Returns the counts of a `cargo test` or `cargo nextest` run, read off its summary lines. A
    /// run that failed without a failed test (it did not build, a test process died) is treated as
    /// one failure.
    pub fn from_test_output(text: &str, success: bool) -> Self {
        let mut tally = Self::default();
        // nextest shows the output of failed tests, including their own summary lines.
        let of_nextest = |line: &str| line.trim_start().starts_with("Summary [");
        let prefix = if text.lines().any(of_nextest) {
            "Summary ["
        } else {
            "test result:"
        };
        for line in text.lines().map(str::trim_start) {
            if line.starts_with(prefix) {
                tally += Self::from_summary_line(line);
            }
        }
        if !success && tally.failed == 0 {
            tally.failed = 1;
        }
        tally
    }

    /// Moves tests from the passed to the skipped ones: they have reported that themselves.
    pub fn with_skipped(self, count: u64) -> Self {
        Self {
            passed: self.passed.saturating_sub(count),
            skipped: self.skipped + count,
            ..self
        }
    }

    /// Adds a failure if fewer have passed, and prints that.
    pub fn require_passed(self, least: u64, what: &str) -> Self {
        let is_enough = self.passed >= least;
        if !is_enough {
            println!("fewer than {least} {what} pass");
        }
        Self {
            failed: self.failed + u64::from(!is_enough),
            ..self
        }
    }

    /// Returns the counts without skipped checks.
    pub fn without_skipped(self) -> Self {
        Self { skipped: 0, ..self }
    }

    /// Reads `N passed`, `N failed`, `N timed out`, `N exec failed`, `N skipped`, `N ignored` off
    /// one line.
    fn from_summary_line(line: &str) -> Self {
        let mut tally = Self::default();
        let mut count = 0;
        for word in line
            .split([' ', ',', ';', ':', '.', '(', ')'])
            .filter(|word| !word.is_empty())
        {
            match word {
                "passed" => tally.passed += std::mem::take(&mut count),
                "failed" | "timed" => tally.failed += std::mem::take(&mut count),
                "skipped" | "ignored" => tally.skipped += std::mem::take(&mut count),
                "exec" => {}
                number => count = number.parse().unwrap_or(0),
            }
        }
        tally
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} passed, {} failed, {} skipped",
            self.passed, self.failed, self.skipped
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Counts, Skip};

    #[test]
    fn libtest_summaries_add_up() {
        let text = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.01s\n\
                    test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(
            Counts::from_test_output(text, false),
            Counts {
                passed: 7,
                failed: 2,
                skipped: 1
            }
        );
    }

    #[test]
    fn nextest_summary_counts_every_kind_of_failure() {
        let text = "    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 2 filtered out\n\
                    \x20    Summary [   0.104s] 12 tests run: 8 passed (1 slow), 1 failed, 2 timed out, 1 exec failed, 5 skipped\n";
        assert_eq!(
            Counts::from_test_output(text, false),
            Counts {
                passed: 8,
                failed: 4,
                skipped: 5
            }
        );
    }

    #[test]
    fn tests_that_skip_themselves_have_not_passed() {
        let text = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out";
        let tally = Counts::from_test_output(text, true).with_skipped(2);
        let expected = Counts {
            passed: 1,
            failed: 0,
            skipped: 3,
        };
        assert_eq!(tally, expected);
    }

    #[test]
    fn steps_that_cannot_run_are_skipped() {
        let skip = Skip::with_reason("lavapipe is not installed");
        assert_eq!(skip.to_string(), "lavapipe is not installed: skipped");
        assert_eq!(
            Counts::from_step(Err(skip.into())).ok(),
            Some(Counts::one_skipped())
        );
        assert!(Counts::from_step(Err(anyhow::anyhow!("it fails"))).is_err());
        assert_eq!(
            Counts::from_step(Ok(Counts::from_check(true))).ok(),
            Some(Counts::from_check(true))
        );
    }

    #[test]
    fn a_run_that_dies_is_a_failure() {
        assert_eq!(
            Counts::from_test_output("error: could not compile", false),
            Counts {
                passed: 0,
                failed: 1,
                skipped: 0
            }
        );
        assert_eq!(Counts::from_test_output("", true), Counts::default());
    }
}
