//! What scripts gave: lines for people here, reports for tools in `json` and `junit`, the table of several devices in `matrix`.

mod compared;
mod counts;
mod html;
mod json;
mod junit;
mod matrix;

pub(crate) use compared::{comparison_counts, document, family_table};
pub(crate) use counts::Counts;
pub(crate) use html::html;
pub(crate) use json::{counts_json, json, json_line};
pub(crate) use junit::junit;
pub(crate) use matrix::{heading, matrix_line, matrix_totals};

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
    fn word(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Skip => "SKIP",
            Self::ExpectedFail => "XFAIL",
            Self::UnexpectedPass => "XPASS",
        }
    }

    /// Whether the run has failed with it.
    pub(crate) fn is_failure(self) -> bool {
        match self {
            Self::Fail | Self::UnexpectedPass => true,
            Self::Pass | Self::Skip | Self::ExpectedFail => false,
        }
    }

    /// What the reports call it in their styles.
    fn class(self) -> &'static str {
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
    /// File name without folder and extension.
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
    /// Pictures of what went wrong.
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
    /// What the runner reports.
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

    fn empty(path: &Path, device: &str) -> Self {
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
        text
    }

    /// What the script printed and what failed, in indented lines.
    fn details(&self) -> String {
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
    fn first_line(&self) -> String {
        self.message.lines().next().unwrap_or_default().to_owned()
    }

    fn text(&self) -> String {
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
const INDENT: &str = "     ";

/// Every line with an indent and a line end.
fn indented(text: &str) -> String {
    text.lines()
        .map(|line| format!("{INDENT}{line}\n"))
        .collect()
}

fn milliseconds(duration: Duration) -> f64 {
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
    /// All results, script by script.
    pub(crate) fn records(&self) -> impl Iterator<Item = &Record> {
        self.rows.iter().flatten().flatten()
    }

    /// The results of one device.
    pub(crate) fn of_device(&self, device: usize) -> impl Iterator<Item = &Record> {
        self.rows.iter().filter_map(move |row| row[device].as_ref())
    }

    /// Counts of outcomes.
    pub(crate) fn counts(&self) -> Counts {
        Counts::of(self.records())
    }
}

/// The scripts that took longest, a line for each.
pub(crate) fn slowest(results: &Results, count: usize) -> String {
    let mut records: Vec<&Record> = results.records().collect();
    records.sort_by(|a, b| b.duration_ms.total_cmp(&a.duration_ms));
    let line = |record: &&Record| format!("{:8.0} ms  {}\n", record.duration_ms, record.path);
    let lines: String = records.iter().take(count).map(line).collect();
    format!("slowest:\n{lines}")
}

/// Where the time of all scripts went, a line for each phase.
pub(crate) fn timings(results: &Results) -> String {
    let time = |name: &str| -> f64 {
        let times = results
            .records()
            .filter_map(|record| record.timings.get(name));
        times.sum()
    };
    let total: f64 = Phase::ALL.iter().map(|phase| time(phase.name())).sum();
    let count = results
        .records()
        .filter(|record| !record.timings.is_empty())
        .count();
    let line = |name: &str, time: f64| {
        // Counts of this size are exact as f64.
        let each = time / count.max(1) as f64;
        let share = 100.0 * time / total.max(f64::MIN_POSITIVE);
        format!("{name:<10} {time:>9.1} ms {share:>6.1} % {each:>9.3} ms each\n")
    };
    let lines: String = Phase::ALL
        .iter()
        .map(|phase| line(phase.name(), time(phase.name())))
        .collect();
    format!("times of {count} scripts:\n{lines}{}", line("total", total))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_vkrunner::{Failure, Timings};

    pub(super) fn report(outcome: Outcome) -> ScriptReport {
        let failures = match outcome {
            Outcome::Fail => vec![
                Failure::new(Some(7), "expected 1 < 2 & \"3\"\nobserved 4"),
                Failure::new(None, "validation"),
            ],
            Outcome::Pass | Outcome::Skip(_) => Vec::new(),
        };
        ScriptReport {
            name: "dir/a.shader_test".into(),
            outcome,
            duration: Duration::from_micros(12_345),
            timings: Timings::default(),
            failures,
            printed: vec!["sum 3".into()],
            covers: vec!["gp.op.ADD/F".into()],
            images: vec!["out/a.png".into()],
            failure_images: Vec::new(),
            observations: Vec::new(),
            verdicts: Vec::new(),
        }
    }

    pub(super) fn records() -> Vec<Record> {
        let outcomes = [
            Outcome::Pass,
            Outcome::Fail,
            Outcome::Skip("no shaderInt64".into()),
        ];
        outcomes
            .into_iter()
            .map(|outcome| Record::new(Path::new("dir/a.shader_test"), "cpu", report(outcome)))
            .collect()
    }

    #[test]
    fn lines_tell_outcome_and_reasons() {
        let lines: Vec<String> = records().iter().map(Record::line).collect();
        assert_eq!(lines[0], "PASS dir/a.shader_test (12 ms)\n     sum 3\n");
        assert_eq!(
            lines[1],
            "FAIL dir/a.shader_test (12 ms)\n     sum 3\n     line 7: expected 1 < 2 & \"3\"\n     observed 4\n     validation\n"
        );
        assert_eq!(
            lines[2],
            "SKIP dir/a.shader_test: no shaderInt64\n     sum 3\n"
        );
    }

    /// Three scripts on one device.
    pub(super) fn results() -> Results {
        Results {
            devices: vec!["cpu <0>".into()],
            rows: records()
                .into_iter()
                .map(|record| vec![Some(record)])
                .collect(),
            duration: Duration::from_secs(2),
        }
    }

    #[test]
    fn failures_tell_columns() {
        let mut failing = report(Outcome::Fail);
        failing.failures[0].column = Some(4);
        let record = Record::new(Path::new("a.shader_test"), "cpu", failing);
        assert!(
            record.line().contains("\n     line 7, column 4: expected"),
            "{}",
            record.line()
        );
        let json: serde_json::Value = serde_json::from_str(&json_line(&record).unwrap()).unwrap();
        assert_eq!(json["failures"][0]["column"], 4);
        assert!(json["failures"][1].get("column").is_none());
    }

    #[test]
    fn attempts_are_told() {
        let mut record = records().remove(0);
        record.earlier_attempts = vec!["crashed".into()];
        assert!(
            record
                .line()
                .ends_with("     attempt 1: crashed\n     sum 3\n")
        );
    }

    #[test]
    fn slow_scripts_are_listed_first() {
        let mut results = results();
        results.rows[1][0].as_mut().unwrap().duration_ms = 70.0;
        assert_eq!(
            slowest(&results, 1),
            "slowest:\n      70 ms  dir/a.shader_test\n"
        );
    }

    #[test]
    fn times_are_added() {
        let mut results = results();
        for row in &mut results.rows {
            let timings = &mut row[0].as_mut().unwrap().timings;
            timings.insert("compile".into(), 2.0);
            timings.insert("device".into(), 6.0);
        }
        let text = timings(&results);
        assert!(text.starts_with("times of 3 scripts:\nparse            0.0 ms    0.0 %"));
        assert!(
            text.contains("compile          6.0 ms   25.0 %     2.000 ms each\n"),
            "{text}"
        );
        assert!(
            text.ends_with("total           24.0 ms  100.0 %     8.000 ms each\n"),
            "{text}"
        );
    }

    #[test]
    fn records_survive_the_way_from_worker_to_command() {
        for mut record in records() {
            record.fault = Some(Fault::DeviceLost);
            let text = serde_json::to_string(&record).unwrap();
            assert!(!text.contains('\n'));
            assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
        }
    }
}
