//! The JSON report, and the lines of `--message-format json`.

use super::{Record, Results, milliseconds, summarize};
use crate::console::Fatal;
use glasm_vkrunner::Summary;
use serde::Serialize;

/// The whole report.
#[derive(Serialize)]
struct Whole<'a> {
    device: String,
    duration_ms: f64,
    passed: usize,
    failed: usize,
    skipped: usize,
    devices: Vec<DeviceCounts<'a>>,
    scripts: Vec<&'a Record>,
}

/// The counts of one device.
#[derive(Serialize)]
struct DeviceCounts<'a> {
    name: &'a str,
    passed: usize,
    failed: usize,
    skipped: usize,
}

/// The JSON report: `device`, `duration_ms`, `passed`, `failed`, `skipped`, `devices` with the counts of each, and `scripts` with one object
/// for each script and device.
pub(crate) fn json(results: &Results) -> Result<String, Fatal> {
    let summary = results.summary();
    let counts = |(index, name)| {
        let summary = summarize(results.of_device(index));
        DeviceCounts {
            name,
            passed: summary.passed,
            failed: summary.failed,
            skipped: summary.skipped,
        }
    };
    let names = results.devices.iter().map(String::as_str);
    let whole = Whole {
        device: results.devices.join(", "),
        duration_ms: milliseconds(results.duration),
        passed: summary.passed,
        failed: summary.failed,
        skipped: summary.skipped,
        devices: names.enumerate().map(counts).collect(),
        scripts: results.records().collect(),
    };
    serde_json::to_string_pretty(&whole)
        .map(|text| text + "\n")
        .map_err(|error| Fatal(error.to_string()))
}

/// One result as a line.
pub(crate) fn json_line(record: &Record) -> Result<String, Fatal> {
    serde_json::to_string(record)
        .map(|text| text + "\n")
        .map_err(|error| Fatal(error.to_string()))
}

/// The counts as one line.
pub(crate) fn summary_json(summary: &Summary) -> String {
    let (passed, failed, skipped) = (summary.passed, summary.failed, summary.skipped);
    serde_json::json!({ "passed": passed, "failed": failed, "skipped": skipped }).to_string()
}

#[cfg(test)]
mod tests {
    use super::super::tests::results;
    use super::*;

    #[test]
    fn json_report_has_its_fields() {
        let text = json(&results()).unwrap();
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
            serde_json::json!([{ "name": "cpu <0>", "passed": 1, "failed": 1, "skipped": 1 }])
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
}
