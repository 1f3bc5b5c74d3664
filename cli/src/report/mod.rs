//! Results of scripts: lines for users here, reports for tools in `json` and `junit`, the table of
//! several devices in `device_table`.

mod comparison;
mod device_table;
mod html;
mod junit;
mod result;

pub(crate) use comparison::{
    format_comparison_counts, format_comparison_document, format_family_table,
};
pub(crate) use device_table::Counts;
pub(crate) use device_table::{format_heading, format_matrix_line, format_matrix_totals};
pub(crate) use html::format_html;
pub(crate) use junit::format_junit;
pub(crate) use junit::{format_counts_json, format_json, format_json_line};
#[cfg(test)]
pub(crate) use result::Verdict;
pub(crate) use result::{Fault, Results, ScriptResult};

use crate::console::replace_control_characters;
use glasm_vkrunner::Phase;

/// Formats the `count` slowest results, a line for each, with a heading.
pub(crate) fn format_slowest(results: &Results, count: usize) -> String {
    let mut records: Vec<&ScriptResult> = results.iter_results().collect();
    records.sort_by(|a, b| b.duration_ms.total_cmp(&a.duration_ms));
    let line = |record: &&ScriptResult| {
        format!(
            "{:8.0} ms  {}\n",
            record.duration_ms,
            replace_control_characters(&record.path)
        )
    };
    let lines: String = records.iter().take(count).map(line).collect();
    format!("slowest:\n{lines}")
}

/// Formats the time of all scripts, a line for each phase and one for their sum, with the share and
/// the time per script that has timings.
pub(crate) fn format_timings(results: &Results) -> String {
    let time = |name: &str| -> f64 {
        let times = results
            .iter_results()
            .filter_map(|record| record.timings.get(name));
        times.sum()
    };
    let total: f64 = Phase::ALL.iter().map(|phase| time(phase.name())).sum();
    let count = results
        .iter_results()
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
    use glasm_vkrunner::{Failure, Outcome, ScriptReport, Timings};
    use std::path::Path;
    use std::time::Duration;

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

    pub(super) fn records() -> Vec<ScriptResult> {
        let outcomes = [
            Outcome::Pass,
            Outcome::Fail,
            Outcome::Skip("no shaderInt64".into()),
        ];
        outcomes
            .into_iter()
            .map(|outcome| {
                ScriptResult::new(Path::new("dir/a.shader_test"), "cpu", report(outcome))
            })
            .collect()
    }

    #[test]
    fn lines_tell_outcome_and_reasons() {
        let lines: Vec<String> = records().iter().map(ScriptResult::format_line).collect();
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

    /// Returns three scripts on one device.
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
    fn lines_have_no_control_characters() {
        let mut failing = report(Outcome::Fail);
        failing.failures[0].message = "buffer \x1b[31m\u{1}".into();
        failing.printed = vec!["\u{9b}2J".into()];
        let line =
            ScriptResult::new(Path::new("a\x1b]0;.shader_test"), "cpu", failing).format_line();
        let obeyed = |it: char| it.is_control() && it != '\n';
        assert!(!line.contains(obeyed), "{line:?}");
        assert!(
            line.starts_with("FAIL a\u{fffd}]0;.shader_test"),
            "{line:?}"
        );
    }

    #[test]
    fn failures_tell_columns() {
        let mut failing = report(Outcome::Fail);
        failing.failures[0].column = Some(4);
        let record = ScriptResult::new(Path::new("a.shader_test"), "cpu", failing);
        assert!(
            record
                .format_line()
                .contains("\n     line 7, column 4: expected"),
            "{}",
            record.format_line()
        );
        let json: serde_json::Value =
            serde_json::from_str(&format_json_line(&record).unwrap()).unwrap();
        assert_eq!(json["failures"][0]["column"], 4);
        assert!(json["failures"][1].get("column").is_none());
    }

    #[test]
    fn attempts_are_told() {
        let mut record = records().remove(0);
        record.earlier_attempts = vec!["crashed".into()];
        assert!(
            record
                .format_line()
                .ends_with("     attempt 1: crashed\n     sum 3\n")
        );
    }

    #[test]
    fn slow_scripts_are_listed_first() {
        let mut results = results();
        results.rows[1][0].as_mut().unwrap().duration_ms = 70.0;
        assert_eq!(
            format_slowest(&results, 1),
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
        let text = format_timings(&results);
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
            assert_eq!(serde_json::from_str::<ScriptResult>(&text).unwrap(), record);
        }
    }
}
