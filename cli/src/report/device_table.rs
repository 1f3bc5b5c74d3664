//! Several devices side by side: a line for each script with a column for each device;
//! and the numbers of scripts that passed, failed, and were skipped.

use super::result::{INDENT, Results, ScriptResult, Verdict};
use crate::console::replace_control_characters;
use serde::Serialize;
use std::fmt;

/// Formats the heading: the device, or several devices with the numbers of their columns.
pub(crate) fn format_heading(devices: &[String]) -> String {
    match devices {
        [device] => format!("running on {device}\n"),
        _ => {
            let line = |(device, number): (&String, usize)| format!("  {number}: {device}\n");
            let lines: String = devices.iter().zip(1..).map(line).collect();
            format!(
                "running on {} devices, one column each\n{lines}",
                devices.len()
            )
        }
    }
}

/// Formats `PASS SKIP ! path (1, 2 ms)`, with `!` where outcomes of devices differ, and the details
/// of each device in indented lines below, in color if `styled`. Empty if the script has run on no
/// device.
pub(crate) fn format_matrix_line(row: &[Option<ScriptResult>], styled: bool) -> String {
    let Some(first) = row.iter().flatten().next() else {
        return String::new();
    };
    let differs = row
        .iter()
        .flatten()
        .any(|record| record.outcome != first.outcome);
    let words: Vec<String> = row
        .iter()
        .map(|record| format_outcome(record.as_ref(), styled))
        .collect();
    let mark = match (differs, styled) {
        (true, true) => "\x1b[1;95m!\x1b[0m",
        (true, false) => "!",
        (false, _) => " ",
    };
    let times: Vec<String> = row
        .iter()
        .flatten()
        .map(|record| format!("{:.0}", record.duration_ms))
        .collect();
    let (words, times) = (words.join(" "), times.join(", "));
    let mut text = format!(
        "{words} {mark} {} ({times} ms)\n",
        replace_control_characters(&first.path)
    );
    for (record, number) in row.iter().zip(1..) {
        if let Some(record) = record {
            text.push_str(&format_details(record, number));
        }
    }
    text
}

/// Formats the reason of a skip or expected failure, the output and the failures of a script on a
/// device, each line with the number of the device.
fn format_details(record: &ScriptResult, number: usize) -> String {
    let mut text = String::new();
    match (record.outcome, &record.reason) {
        (Verdict::Skip, Some(reason)) => {
            text.push_str(&format!(
                "     {number}: skipped, {}\n",
                replace_control_characters(reason)
            ));
        }
        (Verdict::ExpectedFail, Some(reason)) => {
            text.push_str(&format!("     {number}: failed as expected, {reason}\n"));
        }
        _ => {}
    }
    for line in record.format_details().lines() {
        text.push_str(&format!(
            "     {number}: {}\n",
            line.strip_prefix(INDENT).unwrap_or(line)
        ));
    }
    text
}

/// Formats the cell of a script on one device: the label of the outcome, or dashes if it has not
/// run, in color if `styled`.
fn format_outcome(record: Option<&ScriptResult>, styled: bool) -> String {
    let (word, color) = match record.map(|record| record.outcome) {
        Some(verdict @ Verdict::Pass) => (verdict.label(), "32"),
        Some(verdict @ (Verdict::Fail | Verdict::UnexpectedPass)) => (verdict.label(), "1;91"),
        Some(verdict @ (Verdict::Skip | Verdict::ExpectedFail)) => (verdict.label(), "33"),
        None => ("----", "2"),
    };
    if styled {
        format!("\x1b[{color}m{word}\x1b[0m")
    } else {
        word.to_owned()
    }
}

/// Formats a line with the counts of each device, and one with the number of scripts whose outcomes
/// differ between devices.
pub(crate) fn format_matrix_totals(results: &Results) -> String {
    let mut text = String::new();
    for (name, index) in results.devices.iter().zip(0..) {
        let counts = Counts::from_results(results.device_results(index));
        text.push_str(&format!("{}: {name}: {counts}\n", index + 1));
    }
    let differs = |row: &&Vec<Option<ScriptResult>>| {
        let mut outcomes = row.iter().flatten().map(|record| record.outcome);
        let first = outcomes.next();
        outcomes.any(|outcome| Some(outcome) != first)
    };
    let count = results.rows.iter().filter(differs).count();
    text.push_str(&format!(
        "devices differ on {count} of {} scripts\n",
        results.rows.len()
    ));
    text
}

/// Counts of outcomes. Displays as `3 passed, 0 failed, 1 skipped`, followed by the counts of a
/// list of expected failures if it concerns the scripts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Debug)]
pub(crate) struct Counts {
    /// Scripts that passed as they should.
    pub(crate) passed: usize,
    /// Scripts that failed, or passed unexpectedly.
    pub(crate) failed: usize,
    /// Scripts that were skipped.
    pub(crate) skipped: usize,
    /// Scripts that failed as expected.
    pub(crate) expected_failures: usize,
    /// Number of the failed scripts that passed unexpectedly.
    pub(crate) unexpected_passes: usize,
}

impl Counts {
    /// Counts results by outcome. Unexpected passes are also counted as failed, expected failures
    /// are not.
    pub(crate) fn from_results<'a>(records: impl Iterator<Item = &'a ScriptResult>) -> Self {
        let mut counts = Self::default();
        for record in records {
            match record.outcome {
                Verdict::Pass => counts.passed += 1,
                Verdict::Fail => counts.failed += 1,
                Verdict::Skip => counts.skipped += 1,
                Verdict::ExpectedFail => counts.expected_failures += 1,
                Verdict::UnexpectedPass => {
                    counts.failed += 1;
                    counts.unexpected_passes += 1;
                }
            }
        }
        counts
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            passed,
            failed,
            skipped,
            expected_failures,
            unexpected_passes,
        } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")?;
        if *expected_failures > 0 {
            write!(f, ", {expected_failures} failed as expected")?;
        }
        if *unexpected_passes > 0 {
            let verb = if *unexpected_passes == 1 { "is" } else { "are" };
            write!(
                f,
                "; {unexpected_passes} of the failed {verb} expected to fail and passed"
            )?;
        }
        Ok(())
    }
}

impl Results {
    /// Returns the counts of outcomes of all results.
    pub(crate) fn counts(&self) -> Counts {
        Counts::from_results(self.iter_results())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::{records, results};

    #[test]
    fn rows_have_a_column_for_each_device() {
        let [pass, fail, skip] = <[ScriptResult; 3]>::try_from(records()).unwrap();
        let row = [Some(pass.clone()), Some(skip), None];
        assert_eq!(
            format_matrix_line(&row, false),
            "PASS SKIP ---- ! dir/a.shader_test (12, 12 ms)\n     1: sum 3\n     2: skipped, no shaderInt64\n     2: sum 3\n"
        );
        let same = format_matrix_line(&[Some(pass.clone()), Some(pass)], false);
        assert!(same.starts_with("PASS PASS   dir/a"), "{same}");
        let failed = format_matrix_line(&[Some(fail), None], true);
        assert!(
            failed.contains("FAIL\x1b[0m") && failed.contains("1: line 7: "),
            "{failed}"
        );
    }

    #[test]
    fn expected_failures_have_words_of_their_own() {
        let [mut pass, mut fail, _] = <[ScriptResult; 3]>::try_from(records()).unwrap();
        pass.mark_expected_failure("list:3", None);
        fail.mark_expected_failure("list:3", Some("slow"));
        let line = format_matrix_line(&[Some(pass), Some(fail)], false);
        assert!(line.starts_with("XPASS XFAIL ! dir/a"), "{line}");
        assert!(
            line.contains("1: passes, although list:3 expects it to fail"),
            "{line}"
        );
        assert!(
            line.contains("2: failed as expected, slow (list:3)"),
            "{line}"
        );
    }

    #[test]
    fn totals_count_devices_and_differences() {
        let mut results = results();
        results.devices.push("gpu".into());
        for row in &mut results.rows {
            row.push(records().into_iter().next());
        }
        assert_eq!(
            format_matrix_totals(&results),
            "1: cpu <0>: 1 passed, 1 failed, 1 skipped\n2: gpu: 3 passed, 0 failed, 0 skipped\ndevices differ on 2 of 3 scripts\n"
        );
    }

    #[test]
    fn counts_tell_what_was_expected() {
        let mut records = records();
        assert_eq!(
            Counts::from_results(records.iter()).to_string(),
            "1 passed, 1 failed, 1 skipped"
        );
        records[0].outcome = Verdict::UnexpectedPass;
        records[1].outcome = Verdict::ExpectedFail;
        assert_eq!(
            Counts::from_results(records.iter()).to_string(),
            "0 passed, 1 failed, 1 skipped, 1 failed as expected; 1 of the failed is expected to fail and passed"
        );
    }
}
