//! What scripts gave: lines for people, a JSON report, a JUnit report.

use crate::console::Fatal;
use glasm_vkrunner::{Outcome, ScriptReport, Summary};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;

/// What became of a script.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// Everything that it expects holds.
    Pass,
    /// Something does not.
    Fail,
    /// The device lacks something that it requires.
    Skip,
}

/// One thing that went wrong.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub(crate) struct FailureRecord {
    /// Line of the script, where there is one.
    pub(crate) line: Option<u32>,
    /// What went wrong.
    pub(crate) message: String,
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
    /// Milliseconds.
    pub(crate) duration_ms: f64,
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
}

impl Record {
    /// What the runner reports.
    pub(crate) fn new(path: &Path, device: &str, report: ScriptReport) -> Self {
        let failures: Vec<FailureRecord> = report
            .failures
            .into_iter()
            .map(|failure| FailureRecord {
                line: failure.line,
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
            ..Self::empty(path, device)
        }
    }

    /// A script that failed without a report, because the runner died or was stopped.
    pub(crate) fn lost(path: &Path, device: &str, duration: Duration, message: String) -> Self {
        Self {
            reason: Some(message.clone()),
            duration_ms: milliseconds(duration),
            failures: vec![FailureRecord {
                line: None,
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
            duration_ms: 0.0,
            device: device.to_owned(),
            covers: Vec::new(),
            failures: Vec::new(),
            output: Vec::new(),
            images: Vec::new(),
        }
    }

    /// `PASS path (12 ms)`, with what the script printed and what failed in indented lines below.
    pub(crate) fn line(&self) -> String {
        let mut text = match self.outcome {
            Verdict::Pass => format!("PASS {} ({:.0} ms)\n", self.path, self.duration_ms),
            Verdict::Fail => format!("FAIL {} ({:.0} ms)\n", self.path, self.duration_ms),
            Verdict::Skip => format!(
                "SKIP {}: {}\n",
                self.path,
                self.reason.as_deref().unwrap_or("no reason given")
            ),
        };
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
        match self.line {
            Some(line) => format!("line {line}: {}", self.message),
            None => self.message.clone(),
        }
    }
}

/// Every line with an indent and a line end.
fn indented(text: &str) -> String {
    text.lines().map(|line| format!("     {line}\n")).collect()
}

fn milliseconds(duration: Duration) -> f64 {
    // Microseconds are fine enough, and short in the report.
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

/// Counts of outcomes.
pub(crate) fn summarize(records: &[Record]) -> Summary {
    let count = |verdict| {
        records
            .iter()
            .filter(|record| record.outcome == verdict)
            .count()
    };
    Summary {
        passed: count(Verdict::Pass),
        failed: count(Verdict::Fail),
        skipped: count(Verdict::Skip),
    }
}

/// The counts as one line of JSON.
pub(crate) fn summary_json(summary: &Summary) -> String {
    let (passed, failed, skipped) = (summary.passed, summary.failed, summary.skipped);
    serde_json::json!({ "passed": passed, "failed": failed, "skipped": skipped }).to_string()
}

/// The JSON report: `device`, `duration_ms`, `passed`, `failed`, `skipped`, and `scripts` with one object each.
pub(crate) fn json(records: &[Record], device: &str, duration: Duration) -> Result<String, Fatal> {
    #[derive(Serialize)]
    struct Whole<'a> {
        device: &'a str,
        duration_ms: f64,
        passed: usize,
        failed: usize,
        skipped: usize,
        scripts: &'a [Record],
    }
    let summary = summarize(records);
    let whole = Whole {
        device,
        duration_ms: milliseconds(duration),
        passed: summary.passed,
        failed: summary.failed,
        skipped: summary.skipped,
        scripts: records,
    };
    serde_json::to_string_pretty(&whole)
        .map(|text| text + "\n")
        .map_err(|error| Fatal(error.to_string()))
}

/// The JUnit report: one suite named after the device.
pub(crate) fn junit(records: &[Record], device: &str, duration: Duration) -> Result<String, Fatal> {
    let mut suite = TestSuite::new(device);
    suite.set_time(duration);
    suite.add_test_cases(records.iter().map(test_case));
    let mut report = Report::new("glasm");
    report.set_time(duration).add_test_suite(suite);
    report.to_string().map_err(|error| Fatal(error.to_string()))
}

fn test_case(record: &Record) -> TestCase {
    let reason = record.reason.clone().unwrap_or_default();
    let mut status = match record.outcome {
        Verdict::Pass => TestCaseStatus::success(),
        Verdict::Fail => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Skip => TestCaseStatus::skipped(),
    };
    if record.outcome != Verdict::Pass {
        status.set_message(reason);
    }
    if record.outcome == Verdict::Fail {
        let all: Vec<String> = record.failures.iter().map(FailureRecord::text).collect();
        status.set_description(all.join("\n"));
    }
    let mut case = TestCase::new(record.path.as_str(), status);
    case.set_time(Duration::from_secs_f64(record.duration_ms.max(0.0) / 1e3));
    if let Some(folder) = Path::new(&record.path).parent() {
        case.set_classname(folder.display().to_string());
    }
    if !record.output.is_empty() {
        case.set_system_out(record.output.join("\n"));
    }
    case
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_vkrunner::Failure;

    fn report(outcome: Outcome) -> ScriptReport {
        let failures = match outcome {
            Outcome::Fail => vec![
                Failure {
                    line: Some(7),
                    message: "expected 1 < 2 & \"3\"\nobserved 4".into(),
                },
                Failure {
                    line: None,
                    message: "validation".into(),
                },
            ],
            Outcome::Pass | Outcome::Skip(_) => Vec::new(),
        };
        ScriptReport {
            name: "dir/a.shader_test".into(),
            outcome,
            duration: Duration::from_micros(12_345),
            failures,
            printed: vec!["sum 3".into()],
            covers: vec!["gp.op.ADD/F".into()],
            images: vec!["out/a.png".into()],
            failure_images: Vec::new(),
        }
    }

    fn records() -> Vec<Record> {
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

    #[test]
    fn json_report_has_its_fields() {
        let text = json(&records(), "cpu", Duration::from_secs(2)).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (&value["device"], &value["duration_ms"]),
            (&"cpu".into(), &2000.0.into())
        );
        assert_eq!(
            (&value["passed"], &value["failed"], &value["skipped"]),
            (&1.into(), &1.into(), &1.into())
        );
        let failed = &value["scripts"][1];
        assert_eq!(
            (&failed["name"], &failed["path"]),
            (&"a".into(), &"dir/a.shader_test".into())
        );
        assert_eq!(
            (&failed["outcome"], &failed["device"]),
            (&"fail".into(), &"cpu".into())
        );
        assert_eq!(failed["covers"], serde_json::json!(["gp.op.ADD/F"]));
        assert_eq!(failed["failures"][0]["line"], 7);
        assert_eq!(failed["reason"], "expected 1 < 2 & \"3\"");
        assert_eq!(failed["duration_ms"], 12.345);
        assert_eq!(value["scripts"][2]["reason"], "no shaderInt64");
    }

    #[test]
    fn junit_report_counts_and_escapes() {
        let xml = junit(&records(), "cpu <0>", Duration::from_secs(2)).unwrap();
        assert!(
            xml.contains("tests=\"3\"") && xml.contains("skipped=\"1\""),
            "{xml}"
        );
        assert!(
            xml.contains("failures=\"1\"") && xml.contains("cpu &lt;0&gt;"),
            "{xml}"
        );
        assert!(
            xml.contains("expected 1 &lt; 2 &amp; ") && !xml.contains("1 < 2"),
            "{xml}"
        );
    }

    #[test]
    fn records_survive_the_way_from_worker_to_command() {
        for record in records() {
            let text = serde_json::to_string(&record).unwrap();
            assert!(!text.contains('\n'));
            assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
        }
    }
}
