//! Outcome of running a script.

use crate::observation::{Observation, Verdict};
use crate::timing::Timings;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Outcome of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All expectations of the script are met.
    Pass,
    /// The script fails; [`ScriptReport::failures`] has the reasons.
    Fail,
    /// The device lacks a feature that the script requires; the string is the reason.
    Skip(String),
}

/// Failure of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Line of the script, from 1, if there is one.
    pub line: Option<u32>,
    /// Column of the line, from 1, if the failure has a position within it.
    pub column: Option<u32>,
    /// Description of the failure; may have several lines.
    pub message: String,
}

impl Failure {
    /// Creates a failure at a line, or without one.
    pub fn new(line: Option<u32>, message: impl Into<String>) -> Self {
        Self {
            line,
            column: None,
            message: message.into(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (Some(line), Some(column)) => {
                write!(f, "line {line}, column {column}: {}", self.message)
            }
            (Some(line), None) => write!(f, "line {line}: {}", self.message),
            (None, _) => f.write_str(&self.message),
        }
    }
}

/// Image that shows a failure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailureImage {
    /// PNG file, named after the script.
    pub path: PathBuf,
    /// Description of the image, in one line.
    pub caption: String,
    /// Line of the failed probe; `None` for images of whole attachments at the end of the script.
    pub line: Option<u32>,
}

/// Result of running one script.
#[derive(Clone, PartialEq, Debug)]
pub struct ScriptReport {
    /// Name of the script: its path as specified by the caller.
    pub name: String,
    /// Outcome of the script.
    pub outcome: Outcome,
    /// Time from reading the file to the last probe.
    pub duration: Duration,
    /// Time spent per phase.
    pub timings: Timings,
    /// All failures, in script order.
    pub failures: Vec<Failure>,
    /// Lines that `print` commands wrote.
    pub printed: Vec<String>,
    /// Ids from the `# covers:` lines of the script, regardless of the outcome.
    pub covers: Vec<String>,
    /// Image files that `save image` commands wrote.
    pub images: Vec<PathBuf>,
    /// Images of failures, if the options of the runner name a directory for them: those of failed
    /// probes in script order, then the final contents of the attachments.
    pub failure_images: Vec<FailureImage>,
    /// Final contents of framebuffers, buffers and images and the data that probes read, if
    /// observation was requested.
    pub observations: Vec<Observation>,
    /// Acceptance of each program, if observation was requested.
    pub verdicts: Vec<Verdict>,
}

/// Numbers of scripts that passed, failed and were skipped. Displays as `3 passed, 0 failed, 1
/// skipped`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Scripts that passed.
    pub passed: usize,
    /// Scripts that failed.
    pub failed: usize,
    /// Scripts that were skipped.
    pub skipped: usize,
}

impl Summary {
    /// Counts one more outcome.
    pub fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Pass => self.passed += 1,
            Outcome::Fail => self.failed += 1,
            Outcome::Skip(_) => self.skipped += 1,
        }
    }
}

impl<'a> FromIterator<&'a ScriptReport> for Summary {
    fn from_iter<I: IntoIterator<Item = &'a ScriptReport>>(reports: I) -> Self {
        let mut summary = Self::default();
        reports
            .into_iter()
            .for_each(|report| summary.add(&report.outcome));
        summary
    }
}

impl fmt::Display for Summary {
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
    use super::*;

    #[test]
    fn summaries_count_outcomes() {
        let mut summary = Summary::default();
        for outcome in [
            Outcome::Pass,
            Outcome::Skip("no device".into()),
            Outcome::Pass,
            Outcome::Fail,
        ] {
            summary.add(&outcome);
        }
        assert_eq!(summary.to_string(), "2 passed, 1 failed, 1 skipped");
    }
}
