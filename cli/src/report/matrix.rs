//! Several devices side by side: a line for each script with a column for each device.

use super::Counts;
use super::record::{INDENT, Record, Results, Verdict};
use crate::console::escape_control;

/// Formats the heading: the devices, numbered as the columns are.
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

/// Formats `PASS SKIP ! path (1, 2 ms)`, with `!` where devices differ, and the details of each
/// device in indented lines below.
pub(crate) fn format_matrix_line(row: &[Option<Record>], styled: bool) -> String {
    let Some(first) = row.iter().flatten().next() else {
        return String::new();
    };
    let differs = row
        .iter()
        .flatten()
        .any(|record| record.outcome != first.outcome);
    let words: Vec<String> = row
        .iter()
        .map(|record| get_word(record.as_ref(), styled))
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
        escape_control(&first.path)
    );
    for (record, number) in row.iter().zip(1..) {
        if let Some(record) = record {
            text.push_str(&format_details(record, number));
        }
    }
    text
}

/// Formats the details of a device, with its number.
fn format_details(record: &Record, number: usize) -> String {
    let mut text = String::new();
    match (record.outcome, &record.reason) {
        (Verdict::Skip, Some(reason)) => {
            text.push_str(&format!(
                "     {number}: skipped, {}\n",
                escape_control(reason)
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

fn get_word(record: Option<&Record>, styled: bool) -> String {
    let (word, color) = match record.map(|record| record.outcome) {
        Some(verdict @ Verdict::Pass) => (verdict.word(), "32"),
        Some(verdict @ (Verdict::Fail | Verdict::UnexpectedPass)) => (verdict.word(), "1;91"),
        Some(verdict @ (Verdict::Skip | Verdict::ExpectedFail)) => (verdict.word(), "33"),
        None => ("----", "2"),
    };
    if styled {
        format!("\x1b[{color}m{word}\x1b[0m")
    } else {
        word.to_owned()
    }
}

/// Formats the counts of each device, and of the scripts on which they differ.
pub(crate) fn format_matrix_totals(results: &Results) -> String {
    let mut text = String::new();
    for (name, index) in results.devices.iter().zip(0..) {
        let counts = Counts::from_records(results.of_device(index));
        text.push_str(&format!("{}: {name}: {counts}\n", index + 1));
    }
    let differs = |row: &&Vec<Option<Record>>| {
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

#[cfg(test)]
mod tests {
    use super::super::tests::{records, results};
    use super::*;

    #[test]
    fn rows_have_a_column_for_each_device() {
        let [pass, fail, skip] = <[Record; 3]>::try_from(records()).unwrap();
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
        let [mut pass, mut fail, _] = <[Record; 3]>::try_from(records()).unwrap();
        pass.expect_failure("list:3", None);
        fail.expect_failure("list:3", Some("slow"));
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
}
