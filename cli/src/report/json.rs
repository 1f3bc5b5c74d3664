//! The JSON report, and the lines of `--message-format json`.

use super::Counts;
use super::record::{Record, Results, milliseconds};
use crate::console::Fatal;
use serde::Serialize;

/// The whole report.
#[derive(Serialize)]
struct Whole<'a> {
    device: String,
    duration_ms: f64,
    #[serde(flatten)]
    counts: Counts,
    devices: Vec<DeviceCounts<'a>>,
    scripts: Vec<&'a Record>,
}

/// The counts of one device.
#[derive(Serialize)]
struct DeviceCounts<'a> {
    name: &'a str,
    #[serde(flatten)]
    counts: Counts,
}

/// Returns the JSON report: `device`, `duration_ms`, `passed`, `failed`, `skipped`,
/// `expected_failures`, `unexpected_passes`, `devices` with the counts of each, and `scripts` with
/// one object for each script and device.
pub(crate) fn json(results: &Results) -> Result<String, Fatal> {
    let counts = |(index, name)| DeviceCounts {
        name,
        counts: Counts::of(results.of_device(index)),
    };
    let names = results.devices.iter().map(String::as_str);
    let whole = Whole {
        device: results.devices.join(", "),
        duration_ms: milliseconds(results.duration),
        counts: results.counts(),
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

/// Returns the counts as one line.
pub(crate) fn counts_json(counts: &Counts) -> Result<String, Fatal> {
    serde_json::to_string(counts)
        .map(|text| text + "\n")
        .map_err(|error| Fatal(error.to_string()))
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
        assert_eq!(failed["covers"], serde_json::json!(["gp.op.ADD/F"]));
        assert_eq!(failed["failures"][0]["line"], 7);
        assert_eq!(failed["reason"], "expected 1 < 2 & \"3\"");
        assert_eq!(failed["duration_ms"], 12.345);
        assert_eq!(value["scripts"][2]["reason"], "no shaderInt64");
    }
}
