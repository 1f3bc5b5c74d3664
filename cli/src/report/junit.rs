//! The JUnit report.

use super::record::{FailureRecord, Fault, Record, Results, Verdict};
use crate::console::Fatal;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::path::Path;
use std::time::Duration;

/// Returns the JUnit report: a suite for each device, named after it.
pub(crate) fn junit(results: &Results) -> Result<String, Fatal> {
    let mut report = Report::new("glasm");
    report.set_time(results.duration);
    for (name, index) in results.devices.iter().zip(0..) {
        let mut suite = TestSuite::new(name.as_str());
        let total: f64 = results
            .of_device(index)
            .map(|record| record.duration_ms)
            .sum();
        suite.set_time(time(total));
        suite.add_test_cases(results.of_device(index).map(test_case));
        report.add_test_suite(suite);
    }
    report.to_string().map_err(|error| Fatal(error.to_string()))
}

fn time(milliseconds: f64) -> Duration {
    Duration::try_from_secs_f64(milliseconds / 1e3).unwrap_or_default()
}

fn test_case(record: &Record) -> TestCase {
    let reason = record.reason.clone().unwrap_or_default();
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
        status.set_type("expected-failure");
    }
    if record.outcome == Verdict::UnexpectedPass {
        status.set_type("unexpected-pass");
    }
    if record.outcome == Verdict::Fail {
        let all: Vec<String> = record.failures.iter().map(FailureRecord::text).collect();
        status.set_description(all.join("\n"));
        status.set_type(match record.fault {
            None => "failure",
            Some(Fault::Crash) => "crash",
            Some(Fault::Timeout) => "timeout",
            Some(Fault::DeviceLost) => "device-lost",
        });
    }
    let mut case = TestCase::new(record.path.as_str(), status);
    case.set_time(time(record.duration_ms));
    // Not of the format, but what annotating tools look for.
    case.extra
        .insert("file".into(), record.path.as_str().into());
    let lines = record.failures.iter().filter_map(|failure| failure.line);
    if let Some(line) = lines.into_iter().next() {
        case.extra.insert("line".into(), line.to_string().into());
    }
    if let Some(folder) = Path::new(&record.path).parent() {
        case.set_classname(folder.display().to_string());
    }
    let attempts = record.earlier_attempts.iter().zip(1..);
    let attempts = attempts.map(|(attempt, number)| format!("attempt {number}: {attempt}"));
    let compared = record.comparison.as_ref().map(|_| record.line());
    let known = match record.outcome {
        Verdict::ExpectedFail => record.failures.iter().map(FailureRecord::text).collect(),
        Verdict::Pass | Verdict::Fail | Verdict::Skip | Verdict::UnexpectedPass => Vec::new(),
    };
    let output: Vec<String> = attempts
        .chain(compared)
        .chain(known)
        .chain(record.output.iter().cloned())
        .collect();
    if !output.is_empty() {
        case.set_system_out(output.join("\n"));
    }
    case
}

#[cfg(test)]
mod tests {
    use super::super::tests::results;
    use super::*;

    #[test]
    fn junit_report_counts_and_escapes() {
        let xml = junit(&results()).unwrap();
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
                .expect_failure("list:3", Some("slow"));
        }
        let xml = junit(&results).unwrap();
        assert!(
            xml.contains("failures=\"1\"") && xml.contains("skipped=\"2\""),
            "{xml}"
        );
        assert!(xml.contains("type=\"unexpected-pass\""), "{xml}");
        assert!(
            xml.contains("message=\"slow (list:3)\" type=\"expected-failure\""),
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
        let xml = junit(&results).unwrap();
        assert!(xml.contains("<testsuite name=\"gpu\" tests=\"2\""), "{xml}");
        assert!(xml.contains("type=\"timeout\""), "{xml}");
    }
}
