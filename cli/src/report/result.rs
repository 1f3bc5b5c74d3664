//! Result of one script, and the results of a run.

use crate::console::replace_control_characters;
use crate::trace::CommandTrace;
use glasm_scripts::compare::{Decision, RunComparison};
use glasm_scripts::timing::Timings;
use glasm_vkrunner::{Outcome, Phase, ScriptReport};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Outcome of a script.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// Everything that it expects holds.
    Pass,
    /// Something does not.
    Fail,
    /// The device does not support a feature that the script requires.
    Skip,
    /// Failure that the list of expected failures contains.
    ExpectedFail,
    /// Success, although the script is on the list of expected failures.
    UnexpectedPass,
}

impl Verdict {
    /// Returns the label of the outcome, which starts its line in reports.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Skip => "SKIP",
            Self::ExpectedFail => "XFAIL",
            Self::UnexpectedPass => "XPASS",
        }
    }

    /// Returns true if the run fails because of the outcome: a failure or an unexpected pass.
    pub(crate) fn is_failure(self) -> bool {
        match self {
            Self::Fail | Self::UnexpectedPass => true,
            Self::Pass | Self::Skip | Self::ExpectedFail => false,
        }
    }

    /// Returns the CSS class of the outcome in the HTML report.
    pub(super) fn css_class(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail | Self::UnexpectedPass => "fail",
            Self::Skip => "skip",
            Self::ExpectedFail => "known",
        }
    }
}

/// Kind of failure of a script that reports nothing itself, or lost the device.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fault {
    /// The process that ran it died.
    Crash,
    /// Timeout: its process was stopped.
    Timeout,
    /// The device was lost, or given up because it did not finish.
    DeviceLost,
}

/// One thing that went wrong.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub(crate) struct ScriptFailure {
    /// Line of the script, where there is one.
    pub(crate) line: Option<u32>,
    /// Column of the line, if the failure has a position within it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<u32>,
    /// Description of the failure.
    pub(crate) message: String,
}

/// An image of a failure.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub(crate) struct FailureImage {
    /// The PNG file.
    pub(crate) path: String,
    /// Caption of the image.
    pub(crate) caption: String,
    /// Line of the probe that failed, if it shows that.
    pub(crate) line: Option<u32>,
}

/// One script, as in the JSON report.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct ScriptResult {
    /// File name without directory and extension.
    pub(crate) name: String,
    /// The path as given on the command line.
    pub(crate) path: String,
    /// Outcome of the script.
    pub(crate) outcome: Verdict,
    /// Why it was skipped, or the first line of the first failure.
    pub(crate) reason: Option<String>,
    /// Kind of failure if the script lost the device or the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fault: Option<Fault>,
    /// Failures of earlier attempts.
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
    pub(crate) covered_features: Vec<String>,
    /// Everything that went wrong.
    pub(crate) failures: Vec<ScriptFailure>,
    /// Lines that the script printed.
    pub(crate) output: Vec<String>,
    /// Traces that `trace` commands request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) traces: Vec<CommandTrace>,
    /// Images that the script saved.
    pub(crate) images: Vec<String>,
    /// Images of the failures.
    #[serde(default)]
    pub(crate) failure_images: Vec<FailureImage>,
    /// Agreement of two runs, if it ran twice. The script has failed if they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) comparison: Option<Box<RunComparison>>,
    /// Why the two runs differ, if that is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) known_differences: Vec<Decision>,
}

impl ScriptResult {
    /// Creates the record of a script from the report of its runner. The reason of a failure is the
    /// first line of the first failure.
    pub(crate) fn new(path: &Path, device: &str, report: ScriptReport) -> Self {
        let failures: Vec<ScriptFailure> = report
            .failures
            .into_iter()
            .map(|failure| ScriptFailure {
                line: failure.line,
                column: failure.column,
                message: failure.message.trim_end().to_owned(),
            })
            .collect();
        let first = failures.first().map(ScriptFailure::first_line);
        let (outcome, reason) = match report.outcome {
            Outcome::Pass => (Verdict::Pass, None),
            Outcome::Fail => (Verdict::Fail, first),
            Outcome::Skip(reason) => (Verdict::Skip, Some(reason)),
        };
        Self {
            outcome,
            reason,
            duration_ms: to_milliseconds(report.duration),
            covered_features: report.covers,
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
            ..Self::new_empty(path, device)
        }
        .with_timings(&report.timings)
    }

    /// Returns the record with the time of each phase, in milliseconds.
    pub(crate) fn with_timings(mut self, timings: &Timings) -> Self {
        let time = |phase: Phase| (phase.name().to_owned(), to_milliseconds(timings[phase]));
        self.timings = Phase::ALL.into_iter().map(time).collect();
        self
    }

    /// Appends a failure without line and sets the outcome to failed; its first line becomes the
    /// reason if there is none.
    pub(crate) fn add_failure(&mut self, message: String) {
        self.outcome = Verdict::Fail;
        let failure = ScriptFailure {
            line: None,
            column: None,
            message,
        };
        self.reason.get_or_insert(failure.first_line());
        self.failures.push(failure);
    }

    /// Applies an entry of the list of expected failures: a failure becomes an expected one, a pass
    /// an unexpected one with a failure; skips remain. `list_position` is the position of the
    /// entry, `reason` the reason that the list states.
    pub(crate) fn mark_expected_failure(&mut self, list_position: &str, reason: Option<&str>) {
        match self.outcome {
            Verdict::Fail => {
                self.outcome = Verdict::ExpectedFail;
                let reason = reason.unwrap_or("expected to fail");
                self.reason = Some(format!("{reason} ({list_position})"));
            }
            Verdict::Pass => {
                self.add_failure(format!(
                    "passes, although {list_position} expects it to fail"
                ));
                self.outcome = Verdict::UnexpectedPass;
            }
            Verdict::Skip | Verdict::ExpectedFail | Verdict::UnexpectedPass => {}
        }
    }

    /// Creates the failed record of a script without a report, because its process has ended. The
    /// first line of the message is the reason; the caller sets the fault.
    pub(crate) fn from_failure(
        path: &Path,
        device: &str,
        duration: Duration,
        message: String,
    ) -> Self {
        Self {
            reason: message.lines().next().map(str::to_owned),
            duration_ms: to_milliseconds(duration),
            failures: vec![ScriptFailure {
                line: None,
                column: None,
                message,
            }],
            ..Self::new_empty(path, device)
        }
    }

    /// Creates a failed record of a script on a device, without reason, failures or output; the
    /// caller fills the fields that it knows.
    pub(super) fn new_empty(path: &Path, device: &str) -> Self {
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
            covered_features: Vec::new(),
            failures: Vec::new(),
            output: Vec::new(),
            traces: Vec::new(),
            images: Vec::new(),
            failure_images: Vec::new(),
            comparison: None,
            known_differences: Vec::new(),
        }
    }

    /// Formats `PASS path (12 ms)`, with the reason of skips and expected failures, and the output
    /// and failures in indented lines below; a comparison as [`Self::format_comparison`] does.
    /// Control characters are replaced.
    pub(crate) fn format_line(&self) -> String {
        if let Some(comparison) = &self.comparison {
            return self.format_comparison(comparison);
        }
        let (word, path, time) = (self.outcome.label(), &self.path, self.duration_ms);
        let reason = self.reason.as_deref().unwrap_or("no reason given");
        let mut text = match self.outcome {
            Verdict::Pass | Verdict::Fail | Verdict::UnexpectedPass => {
                format!("{word} {path} ({time:.0} ms)\n")
            }
            Verdict::Skip => format!("{word} {path}: {reason}\n"),
            Verdict::ExpectedFail => format!("{word} {path}: {reason} ({time:.0} ms)\n"),
        };
        text.push_str(&self.format_details());
        // Names of scripts, and names in them, come from outside.
        replace_control_characters(&text)
    }

    /// Returns the lines that the script printed, then those of its traces.
    pub(super) fn iter_output_lines(&self) -> impl Iterator<Item = &String> {
        let traces = self.traces.iter().flat_map(|trace| &trace.text);
        self.output.iter().chain(traces)
    }

    /// Formats earlier attempts, the output of the script, its traces and its failures, in indented
    /// lines.
    pub(super) fn format_details(&self) -> String {
        let mut text = String::new();
        for (attempt, number) in self.earlier_attempts.iter().zip(1..) {
            text.push_str(&indent_lines(&format!("attempt {number}: {attempt}")));
        }
        for line in self.iter_output_lines() {
            text.push_str(&indent_lines(line));
        }
        for failure in &self.failures {
            text.push_str(&indent_lines(&failure.format_text()));
        }
        text
    }
}

impl ScriptFailure {
    /// Returns the first line of the message.
    pub(super) fn first_line(&self) -> String {
        self.message.lines().next().unwrap_or_default().to_owned()
    }

    /// Formats the message of the failure after its line and column in the script, if they are
    /// known.
    pub(super) fn format_text(&self) -> String {
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

/// Indents every line and terminates it; control characters are replaced.
pub(super) fn indent_lines(text: &str) -> String {
    replace_control_characters(text)
        .lines()
        .map(|line| format!("{INDENT}{line}\n"))
        .collect()
}

/// Returns a duration in milliseconds, rounded to microseconds.
pub(super) fn to_milliseconds(duration: Duration) -> f64 {
    // Microseconds are fine enough, and short in the report.
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

/// The results of a run.
pub(crate) struct Results {
    /// Names of the devices.
    pub(crate) devices: Vec<String>,
    /// The results of each script, one for each device; `None` for scripts that did not run.
    pub(crate) rows: Vec<Vec<Option<ScriptResult>>>,
    /// Duration of the run.
    pub(crate) duration: Duration,
}

impl Results {
    /// Returns the results of all scripts that have run, script by script.
    pub(crate) fn iter_results(&self) -> impl Iterator<Item = &ScriptResult> {
        self.rows.iter().flatten().flatten()
    }

    /// Returns the results of the scripts that have run on the device with an index, in the order
    /// of the scripts.
    pub(crate) fn device_results(&self, device: usize) -> impl Iterator<Item = &ScriptResult> {
        self.rows.iter().filter_map(move |row| row[device].as_ref())
    }
}
