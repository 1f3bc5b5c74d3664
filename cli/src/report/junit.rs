//! The reports for tools: JUnit, JSON, and the lines of `--message-format json`.

use super::Counts;
use super::result::{Fault, Results, ScriptFailure, ScriptResult, Verdict, to_milliseconds};
use crate::console::Fatal;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde::Serialize;
use std::path::Path;
use std::time::Duration;

/// Formats the JUnit report: a suite for each device, named after it, with a test case for each
/// script that has run.
pub(crate) fn format_junit(results: &Results) -> Result<String, Fatal> {
    let mut report = Report::new("glasm");
    report.set_time(results.duration);
    for (name, index) in results.devices.iter().zip(0..) {
        let mut suite = TestSuite::new(name.as_str());
        let total: f64 = results
            .device_results(index)
            .map(|record| record.duration_ms)
            .sum();
        suite.set_time(to_duration(total));
        suite.add_test_cases(results.device_results(index).map(build_test_case));
        report.add_test_suite(suite);
    }
    report.to_string().map_err(|error| Fatal(error.to_string()))
}

/// Converts milliseconds; numbers that are negative or too large become 0.
fn to_duration(milliseconds: f64) -> Duration {
    Duration::try_from_secs_f64(milliseconds / 1e3).unwrap_or_default()
}

/// Builds the test case of a script: status, message, failures, line of the first failure, and
/// output with earlier attempts and comparisons. Expected failures, which the format lacks, are
/// skipped with a separate type.
fn build_test_case(record: &ScriptResult) -> TestCase {
    let reason = record.reason.clone().unwrap_or_default();
    let texts = || -> Vec<String> {
        let failures = record.failures.iter();
        failures.map(ScriptFailure::format_text).collect()
    };
    let mut status = match record.outcome {
        Verdict::Pass => TestCaseStatus::success(),
        Verdict::Fail | Verdict::UnexpectedPass => {
            TestCaseStatus::non_success(NonSuccessKind::Failure)
        }
        // The format knows no expected failures.
        Verdict::Skip | Verdict::ExpectedFail => TestCaseStatus::skipped(),
    };
    if record.outcome != Verdict::Pass {
        status.set_message(reason);
    }
    if record.outcome == Verdict::ExpectedFail {
        status.set_type("expected_fail");
    }
    if record.outcome == Verdict::UnexpectedPass {
        status.set_type("unexpected_pass");
    }
    if record.outcome == Verdict::Fail {
        status.set_description(texts().join("\n"));
        status.set_type(match record.fault {
            None => "failure",
            Some(Fault::Crash) => "crash",
            Some(Fault::Timeout) => "timeout",
            Some(Fault::DeviceLost) => "device_lost",
        });
    }
    let mut case = TestCase::new(record.path.as_str(), status);
    case.set_time(to_duration(record.duration_ms));
    // Not part of the format, but annotating tools look for it.
    case.extra
        .insert("file".into(), record.path.as_str().into());
    let lines = record.failures.iter().filter_map(|failure| failure.line);
    if let Some(line) = lines.into_iter().next() {
        case.extra.insert("line".into(), line.to_string().into());
    }
    if let Some(dir) = Path::new(&record.path).parent() {
        case.set_classname(dir.display().to_string());
    }
    let attempts = record.earlier_attempts.iter().zip(1..);
    let attempts = attempts.map(|(attempt, number)| format!("attempt {number}: {attempt}"));
    let compared = record.comparison.as_ref().map(|_| record.format_line());
    let known = match record.outcome {
        Verdict::ExpectedFail => texts(),
        Verdict::Pass | Verdict::Fail | Verdict::Skip | Verdict::UnexpectedPass => Vec::new(),
    };
    let output: Vec<String> = attempts
        .chain(compared)
        .chain(known)
        .chain(record.iter_output_lines().cloned())
        .collect();
    if !output.is_empty() {
        case.set_system_out(output.join("\n"));
    }
    case
}

/// The whole report.
#[derive(Serialize)]
struct JsonReport<'a> {
    device: String,
    duration_ms: f64,
    #[serde(flatten)]
    counts: Counts,
    devices: Vec<DeviceCounts<'a>>,
    scripts: Vec<&'a ScriptResult>,
}

/// The counts of one device.
#[derive(Serialize)]
struct DeviceCounts<'a> {
    name: &'a str,
    #[serde(flatten)]
    counts: Counts,
}

/// Formats the JSON report: `device`, `duration_ms`, `passed`, `failed`, `skipped`,
/// `expected_failures`, `unexpected_passes`, `devices` with the counts of each, and `scripts` with
/// one object for each script and device.
pub(crate) fn format_json(results: &Results) -> Result<String, Fatal> {
    let counts = |(index, name)| DeviceCounts {
        name,
        counts: Counts::from_results(results.device_results(index)),
    };
    let names = results.devices.iter().map(String::as_str);
    let whole = JsonReport {
        device: results.devices.join(", "),
        duration_ms: to_milliseconds(results.duration),
        counts: results.counts(),
        devices: names.enumerate().map(counts).collect(),
        scripts: results.iter_results().collect(),
    };
    serde_json::to_string_pretty(&whole)
        .map(|text| text + "\n")
        .map_err(|error| Fatal(error.to_string()))
}

/// Formats one result as a line of JSON.
pub(crate) fn format_json_line(record: &ScriptResult) -> Result<String, Fatal> {
    serde_json::to_string(record)
        .map(|text| text + "\n")
        .map_err(|error| Fatal(error.to_string()))
}

/// Formats the counts as a line of JSON.
pub(crate) fn format_counts_json(counts: &Counts) -> Result<String, Fatal> {
    serde_json::to_string(counts)
        .map(|text| text + "\n")
        .map_err(|error| Fatal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::results;

    #[test]
    fn junit_report_counts_and_escapes() {
        let xml = format_junit(&results()).unwrap();
        assert!(
            xml.contains("tests=\"3\"") && xml.contains("skipped=\"1\""),
            "{xml}"
        );
        assert!(
            xml.contains("failures=\"1\"") && xml.contains("cpu &lt;0&gt;"),
            "{xml}"
        );
        assert!(
            xml.contains("file=\"dir/a.shader_test\" line=\"7\""),
            "{xml}"
        );
        assert!(
            xml.contains("expected 1 &lt; 2 &amp; ") && !xml.contains("1 < 2"),
            "{xml}"
        );
    }

    #[test]
    fn expected_failures_are_skipped_and_unexpected_passes_fail() {
        let mut results = results();
        for row in &mut results.rows {
            row[0]
                .as_mut()
                .unwrap()
                .mark_expected_failure("list:3", Some("slow"));
        }
        let xml = format_junit(&results).unwrap();
        assert!(
            xml.contains("failures=\"1\"") && xml.contains("skipped=\"2\""),
            "{xml}"
        );
        assert!(xml.contains("type=\"unexpected_pass\""), "{xml}");
        assert!(
            xml.contains("message=\"slow (list:3)\" type=\"expected_fail\""),
            "{xml}"
        );
        assert!(xml.contains("passes, although list:3 expects"), "{xml}");
    }

    #[test]
    fn each_device_is_a_suite() {
        let mut results = results();
        results.devices.push("gpu".into());
        for row in &mut results.rows {
            row.push(row[0].clone());
        }
        results.rows[2][1] = None;
        results.rows[1][1].as_mut().unwrap().fault = Some(Fault::Timeout);
        let xml = format_junit(&results).unwrap();
        assert!(xml.contains("<testsuite name=\"gpu\" tests=\"2\""), "{xml}");
        assert!(xml.contains("type=\"timeout\""), "{xml}");
    }

    #[test]
    fn json_report_has_its_fields() {
        let text = format_json(&results()).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (&value["device"], &value["duration_ms"]),
            (&"cpu <0>".into(), &2000.0.into())
        );
        assert_eq!(
            (&value["passed"], &value["failed"], &value["skipped"]),
            (&1.into(), &1.into(), &1.into())
        );
        assert_eq!(
            value["devices"],
            serde_json::json!([{
                "name": "cpu <0>", "passed": 1, "failed": 1, "skipped": 1,
                "expected_failures": 0, "unexpected_passes": 0,
            }])
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
        assert_eq!(
            failed["covered_features"],
            serde_json::json!(["gp.op.ADD/F"])
        );
        assert_eq!(failed["failures"][0]["line"], 7);
        assert_eq!(failed["reason"], "expected 1 < 2 & \"3\"");
        assert_eq!(failed["duration_ms"], 12.345);
        assert_eq!(value["scripts"][2]["reason"], "no shaderInt64");
    }
}
