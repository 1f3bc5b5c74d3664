//! What became of one script, and the results of a run.

use crate::console::printable;
use glasm_scripts::compare::{Comparison, Decision};
use glasm_scripts::timing::Timings;
use glasm_vkrunner::{Outcome, Phase, ScriptReport};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// What became of a script.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// Everything that it expects holds.
    Pass,
    /// Something does not.
    Fail,
    /// The device lacks something that it requires.
    Skip,
    /// It failed, as the list of expected failures says.
    ExpectedFail,
    /// It passed, although it is on the list of expected failures.
    UnexpectedPass,
}

impl Verdict {
    /// As lines begin.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Skip => "SKIP",
            Self::ExpectedFail => "XFAIL",
            Self::UnexpectedPass => "XPASS",
        }
    }

    /// Returns whether the run has failed with it.
    pub(crate) fn is_failure(self) -> bool {
        match self {
            Self::Fail | Self::UnexpectedPass => true,
            Self::Pass | Self::Skip | Self::ExpectedFail => false,
        }
    }

    /// Returns the name of the outcome in the styles of reports.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail | Self::UnexpectedPass => "fail",
            Self::Skip => "skip",
            Self::ExpectedFail => "known",
        }
    }
}

/// How a script failed that says nothing itself, or took the device with it.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Fault {
    /// The process that ran it died.
    Crash,
    /// It took too long, and its process was stopped.
    Timeout,
    /// The device was lost, or given up because it did not finish.
    DeviceLost,
}

/// One thing that went wrong.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub(crate) struct FailureRecord {
    /// Line of the script, where there is one.
    pub(crate) line: Option<u32>,
    /// Column of the line, where the failure has a place within it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<u32>,
    /// What went wrong.
    pub(crate) message: String,
}

/// A picture of what went wrong.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub(crate) struct FailureImage {
    /// The PNG file.
    pub(crate) path: String,
    /// What it shows.
    pub(crate) caption: String,
    /// Line of the probe that failed, if it shows that.
    pub(crate) line: Option<u32>,
}

/// One script, as in the JSON report.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Record {
    /// File name without directory and extension.
    pub(crate) name: String,
    /// The path as it was given.
    pub(crate) path: String,
    /// What became of it.
    pub(crate) outcome: Verdict,
    /// Why it was skipped, or the first line of the first failure.
    pub(crate) reason: Option<String>,
    /// Whether the script took the device or the process with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fault: Option<Fault>,
    /// How it failed before it was tried again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) earlier_attempts: Vec<String>,
    /// Milliseconds.
    pub(crate) duration_ms: f64,
    /// Milliseconds of each phase, by name.
    #[serde(default)]
    pub(crate) timings: BTreeMap<String, f64>,
    /// Name of the device.
    pub(crate) device: String,
    /// Ids of the features that the script proves if it passes.
    pub(crate) covers: Vec<String>,
    /// Everything that went wrong.
    pub(crate) failures: Vec<FailureRecord>,
    /// Lines that the script printed.
    pub(crate) output: Vec<String>,
    /// Pictures that the script saved.
    pub(crate) images: Vec<String>,
    /// Images of failures.
    #[serde(default)]
    pub(crate) failure_images: Vec<FailureImage>,
    /// How two runs agree, if it ran twice. It has failed then if they do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) comparison: Option<Box<Comparison>>,
    /// Why the two runs differ, if that is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) known: Vec<Decision>,
}

impl Record {
    /// Creates the record of a report of the runner.
    pub(crate) fn new(path: &Path, device: &str, report: ScriptReport) -> Self {
        let failures: Vec<FailureRecord> = report
            .failures
            .into_iter()
            .map(|failure| FailureRecord {
                line: failure.line,
                column: failure.column,
                message: failure.message.trim_end().to_owned(),
            })
            .collect();
        let first = failures.first().map(FailureRecord::first_line);
        let (outcome, reason) = match report.outcome {
            Outcome::Pass => (Verdict::Pass, None),
            Outcome::Fail => (Verdict::Fail, first),
            Outcome::Skip(reason) => (Verdict::Skip, Some(reason)),
        };
        Self {
            outcome,
            reason,
            duration_ms: milliseconds(report.duration),
            covers: report.covers,
            failures,
            output: report.printed,
            images: report
                .images
                .iter()
                .map(|image| image.display().to_string())
                .collect(),
            failure_images: report
                .failure_images
                .into_iter()
                .map(|image| FailureImage {
                    path: image.path.display().to_string(),
                    caption: image.caption,
                    line: image.line,
                })
                .collect(),
            ..Self::empty(path, device)
        }
        .with_timings(&report.timings)
    }

    /// The record with the time of each phase.
    pub(crate) fn with_timings(mut self, timings: &Timings) -> Self {
        let time = |phase: Phase| (phase.name().to_owned(), milliseconds(timings[phase]));
        self.timings = Phase::ALL.into_iter().map(time).collect();
        self
    }

    /// Adds a failure.
    pub(crate) fn fail(&mut self, message: String) {
        self.outcome = Verdict::Fail;
        let failure = FailureRecord {
            line: None,
            column: None,
            message,
        };
        self.reason.get_or_insert(failure.first_line());
        self.failures.push(failure);
    }

    /// The script is on a list of expected failures, at this place, for this reason.
    pub(crate) fn expect_failure(&mut self, place: &str, reason: Option<&str>) {
        match self.outcome {
            Verdict::Fail => {
                self.outcome = Verdict::ExpectedFail;
                let reason = reason.unwrap_or("expected to fail");
                self.reason = Some(format!("{reason} ({place})"));
            }
            Verdict::Pass => {
                self.fail(format!("passes, although {place} expects it to fail"));
                self.outcome = Verdict::UnexpectedPass;
            }
            Verdict::Skip | Verdict::ExpectedFail | Verdict::UnexpectedPass => {}
        }
    }

    /// A script that failed without a report, because the process that ran it is gone.
    pub(crate) fn failed(path: &Path, device: &str, duration: Duration, message: String) -> Self {
        Self {
            reason: message.lines().next().map(str::to_owned),
            duration_ms: milliseconds(duration),
            failures: vec![FailureRecord {
                line: None,
                column: None,
                message,
            }],
            ..Self::empty(path, device)
        }
    }

    pub(super) fn empty(path: &Path, device: &str) -> Self {
        Self {
            name: path
                .file_stem()
                .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
            path: path.display().to_string(),
            outcome: Verdict::Fail,
            reason: None,
            fault: None,
            earlier_attempts: Vec::new(),
            duration_ms: 0.0,
            timings: BTreeMap::new(),
            device: device.to_owned(),
            covers: Vec::new(),
            failures: Vec::new(),
            output: Vec::new(),
            images: Vec::new(),
            failure_images: Vec::new(),
            comparison: None,
            known: Vec::new(),
        }
    }

    /// `PASS path (12 ms)`, with what the script printed and what failed in indented lines below.
    pub(crate) fn line(&self) -> String {
        if let Some(comparison) = &self.comparison {
            return self.compared_line(comparison);
        }
        let (word, path, time) = (self.outcome.word(), &self.path, self.duration_ms);
        let reason = self.reason.as_deref().unwrap_or("no reason given");
        let mut text = match self.outcome {
            Verdict::Pass | Verdict::Fail | Verdict::UnexpectedPass => {
                format!("{word} {path} ({time:.0} ms)\n")
            }
            Verdict::Skip => format!("{word} {path}: {reason}\n"),
            Verdict::ExpectedFail => format!("{word} {path}: {reason} ({time:.0} ms)\n"),
        };
        text.push_str(&self.details());
        // Names of scripts, and of what they name, are not ours.
        printable(&text)
    }

    /// Returns the output and the failures of a script, in indented lines.
    pub(super) fn details(&self) -> String {
        let mut text = String::new();
        for (attempt, number) in self.earlier_attempts.iter().zip(1..) {
            text.push_str(&indented(&format!("attempt {number}: {attempt}")));
        }
        for line in &self.output {
            text.push_str(&indented(line));
        }
        for failure in &self.failures {
            text.push_str(&indented(&failure.text()));
        }
        text
    }
}

impl FailureRecord {
    pub(super) fn first_line(&self) -> String {
        self.message.lines().next().unwrap_or_default().to_owned()
    }

    pub(super) fn text(&self) -> String {
        match (self.line, self.column) {
            (Some(line), Some(column)) => {
                format!("line {line}, column {column}: {}", self.message)
            }
            (Some(line), None) => format!("line {line}: {}", self.message),
            (None, _) => self.message.clone(),
        }
    }
}

/// In front of everything that belongs to the line above.
pub(super) const INDENT: &str = "     ";

/// Every line with an indent and a line end.
pub(super) fn indented(text: &str) -> String {
    printable(text)
        .lines()
        .map(|line| format!("{INDENT}{line}\n"))
        .collect()
}

pub(super) fn milliseconds(duration: Duration) -> f64 {
    // Microseconds are fine enough, and short in the report.
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

/// The results of a run.
pub(crate) struct Results {
    /// Names of the devices.
    pub(crate) devices: Vec<String>,
    /// The results of each script, one for each device; `None` for what did not run.
    pub(crate) rows: Vec<Vec<Option<Record>>>,
    /// How long it took.
    pub(crate) duration: Duration,
}

impl Results {
    /// Returns all results, script by script.
    pub(crate) fn records(&self) -> impl Iterator<Item = &Record> {
        self.rows.iter().flatten().flatten()
    }

    /// Returns the results of one device.
    pub(crate) fn of_device(&self, device: usize) -> impl Iterator<Item = &Record> {
        self.rows.iter().filter_map(move |row| row[device].as_ref())
    }
}
