//! The report as a page: one file with everything in it, images included, for browsers without a
//! network.
//!
//! Failures come first, each with the lines of the script around it and with its images; then a
//! table of all scripts with a column for each device. Filters of the table are implemented in
//! styles alone.

use super::Counts;
use super::result::{Results, ScriptFailure, ScriptResult, Verdict};
use crate::console::format_count;
use std::fmt::Write;
use std::path::Path;

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

const STYLE: &str = include_str!("page.css");
/// Lines of the script shown before and after the one that failed.
const LINES_BEFORE: usize = 4;
const LINES_AFTER: usize = 2;
/// Longest line of a script that is shown.
const MAX_LINE_LENGTH: usize = 200;
/// Limits in bytes of one image in the page, and of all images together; others are named.
const MAX_IMAGE_BYTES: u64 = 4 << 20;
const MAX_TOTAL_IMAGE_BYTES: usize = 64 << 20;

/// Formats the report of a run as an HTML page that embeds its images. Reads the scripts that
/// failed and the image files; those that cannot be read are only named.
pub(crate) fn format_html(results: &Results) -> String {
    let mut page = Page {
        text: String::new(),
        image_bytes: 0,
    };
    let counts = results.counts();
    page.write_head(results, &counts);
    page.write_failures(results);
    page.write_expected_failures(results);
    page.write_outputs_without_failures(results);
    page.write_table(results);
    page.text.push_str("</body>\n</html>\n");
    page.text
}

/// A page that grows.
struct Page {
    text: String,
    image_bytes: usize,
}

impl Page {
    /// Appends the head of the page: style, counts, duration, the bar of outcomes, and the counts
    /// of each device.
    fn write_head(&mut self, results: &Results, counts: &Counts) {
        let parts = [
            ("pass", counts.passed),
            ("fail", counts.failed),
            ("known", counts.expected_failures),
            ("skip", counts.skipped),
        ];
        let total = parts.iter().map(|(_, count)| count).sum::<usize>().max(1);
        let text = &mut self.text;
        let _ = write!(
            text,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>glasm run: {counts}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{counts}</h1>\n<p>{} in {:.1} s</p>\n<div class=\"bar\">",
            format_count(results.rows.len(), "script"),
            results.duration.as_secs_f64(),
        );
        for (class, count) in parts {
            // Counts of this size are exact as f64.
            let percent = 100.0 * count as f64 / total as f64;
            let _ = write!(
                text,
                "<i class=\"{class}\" style=\"width:{percent:.3}%\"></i>"
            );
        }
        text.push_str("</div>\n<div class=\"totals\">\n");
        for (name, index) in results.devices.iter().zip(0..) {
            let counts = Counts::from_results(results.device_results(index));
            let _ = write!(
                text,
                "<div><b>{}</b> <span class=\"pass\">{} passed</span>, <span class=\"fail\">{} failed</span>, \
                 <span class=\"skip\">{} skipped</span>",
                escape_html(name),
                counts.passed,
                counts.failed,
                counts.skipped
            );
            if counts.expected_failures > 0 {
                let count = counts.expected_failures;
                let _ = write!(
                    text,
                    ", <span class=\"known\">{count} failed as expected</span>"
                );
            }
            text.push_str("</div>\n");
        }
        text.push_str("</div>\n");
    }

    /// Appends the sections of the scripts that failed, expanded, with a heading; nothing if there
    /// are none.
    fn write_failures(&mut self, results: &Results) {
        let failed = |record: &&ScriptResult| record.outcome.is_failure();
        if !results.iter_results().any(|record| failed(&record)) {
            return;
        }
        self.text.push_str("<h2>Failures</h2>\n");
        for record in results.iter_results().filter(failed) {
            self.write_script(record, results.devices.len(), "open");
        }
    }

    /// Appends the sections of the scripts that failed as expected, collapsed, with a heading;
    /// nothing if there are none.
    fn write_expected_failures(&mut self, results: &Results) {
        let known = |record: &&ScriptResult| record.outcome == Verdict::ExpectedFail;
        if !results.iter_results().any(|record| known(&record)) {
            return;
        }
        self.text.push_str("<h2>Expected failures</h2>\n");
        for record in results.iter_results().filter(known) {
            self.write_script(record, results.devices.len(), "");
        }
    }

    /// Appends the sections of the scripts that printed lines or saved images without failing,
    /// collapsed, with a heading; nothing if there are none.
    fn write_outputs_without_failures(&mut self, results: &Results) {
        let has_output = |record: &&ScriptResult| {
            let is_listed = record.outcome.is_failure() || record.outcome == Verdict::ExpectedFail;
            let has_lines = record.iter_output_lines().next().is_some();
            !is_listed && (has_lines || !record.images.is_empty())
        };
        if !results.iter_results().any(|record| has_output(&record)) {
            return;
        }
        self.text.push_str("<h2>Output and pictures</h2>\n");
        for record in results.iter_results().filter(has_output) {
            self.write_script(record, results.devices.len(), "");
        }
    }

    /// Appends the collapsible section of a script on a device: earlier attempts, failures with
    /// lines of the script, which is read again, output and images. `open` is the HTML attribute
    /// that expands it; the device is named if there are several.
    fn write_script(&mut self, record: &ScriptResult, devices: usize, open: &str) {
        let class = get_css_class(Some(record));
        let _ = write!(
            self.text,
            "<details class=\"{class}\" {open}><summary><span class=\"path\">{}</span>",
            escape_html(&record.path)
        );
        if devices > 1 {
            let _ = write!(self.text, " on {}", escape_html(&record.device));
        }
        self.text.push_str("</summary>\n");
        for (attempt, number) in record.earlier_attempts.iter().zip(1..) {
            let _ = writeln!(
                self.text,
                "<p>Attempt {number}: {}</p>",
                escape_html(attempt)
            );
        }
        let source = if record.failures.iter().any(|failure| failure.line.is_some()) {
            std::fs::read(&record.path).unwrap_or_default()
        } else {
            Vec::new()
        };
        let source = String::from_utf8_lossy(&source);
        for failure in &record.failures {
            self.write_failure(failure, &source);
        }
        let lines: Vec<&str> = record.iter_output_lines().map(String::as_str).collect();
        if !lines.is_empty() {
            let _ = writeln!(self.text, "<pre>{}</pre>", escape_html(&lines.join("\n")));
        }
        self.write_images(record);
        self.text.push_str("</details>\n");
    }

    /// Appends the message of a failure, and the lines of the script, `source`, around the failed
    /// one if it has that line.
    fn write_failure(&mut self, failure: &ScriptFailure, source: &str) {
        let _ = writeln!(
            self.text,
            "<pre class=\"message\">{}</pre>",
            escape_html(&failure.format_text())
        );
        let Some(line) = failure.line.map(|line| line as usize) else {
            return;
        };
        let first = line.saturating_sub(LINES_BEFORE).max(1);
        let mut lines = source.lines().zip(1..).skip(first - 1).peekable();
        if lines.peek().is_none() {
            return;
        }
        self.text.push_str("<pre>");
        for (text, number) in lines.take_while(|(_, number)| *number <= line + LINES_AFTER) {
            let shown: String = text.chars().take(MAX_LINE_LENGTH).collect();
            let at = if number == line { " class=\"at\"" } else { "" };
            let _ = writeln!(
                self.text,
                "<span{at}><span class=\"number\">{number:>5}  </span>{}</span>",
                escape_html(&shown)
            );
        }
        self.text.push_str("</pre>\n");
    }

    /// Appends the images of the failures of a script and those that it has saved; nothing if there
    /// are none.
    fn write_images(&mut self, record: &ScriptResult) {
        if record.images.is_empty() && record.failure_images.is_empty() {
            return;
        }
        self.text.push_str("<div class=\"pictures\">\n");
        for image in &record.failure_images {
            let caption = match image.line {
                Some(line) => format!("line {line}: {}", image.caption),
                None => image.caption.clone(),
            };
            self.write_image(&image.path, &caption);
        }
        for path in &record.images {
            self.write_image(path, path);
        }
        self.text.push_str("</div>\n");
    }

    /// Appends an image with its caption, embedded into the page; only the caption and the path if
    /// it cannot be embedded.
    fn write_image(&mut self, path: &str, caption: &str) {
        let caption = escape_html(caption);
        match self.read_image_base64(Path::new(path)) {
            Some(data) => {
                let _ = writeln!(
                    self.text,
                    "<figure><img alt=\"{caption}\" src=\"data:image/png;base64,{data}\"><figcaption>{caption}</figcaption></figure>"
                );
            }
            None => {
                let path = escape_html(path);
                let _ = writeln!(
                    self.text,
                    "<figure><figcaption>{caption} (<code>{path}</code>)</figcaption></figure>"
                );
            }
        }
    }

    /// Reads an image, encodes it in Base64, and adds its size to that of all images; `None` if it
    /// is missing or exceeds the limits.
    fn read_image_base64(&mut self, path: &Path) -> Option<String> {
        let size = std::fs::metadata(path).ok()?.len();
        if size > MAX_IMAGE_BYTES || self.image_bytes > MAX_TOTAL_IMAGE_BYTES {
            return None;
        }
        let data = encode_base64(&std::fs::read(path).ok()?);
        self.image_bytes += data.len();
        Some(data)
    }

    /// Appends the table of all scripts, with filters for their outcomes and, with several devices,
    /// for differences between them.
    fn write_table(&mut self, results: &Results) {
        let text = &mut self.text;
        text.push_str("<h2>All scripts</h2>\n<div class=\"filters\">\n");
        for (class, name) in [
            ("pass", "passed"),
            ("fail", "failed"),
            ("known", "failed as expected"),
            ("skip", "skipped"),
        ] {
            if class == "known" && results.counts().expected_failures == 0 {
                continue;
            }
            let _ = writeln!(
                text,
                "<label><input type=\"checkbox\" id=\"show-{class}\" checked> {name}</label>"
            );
        }
        if results.devices.len() > 1 {
            text.push_str("<label><input type=\"checkbox\" id=\"only-differing\"> only where devices differ</label>\n");
        }
        text.push_str("</div>\n<table>\n<tr class=\"head\">");
        for name in &results.devices {
            let _ = write!(text, "<th>{}</th>", escape_html(name));
        }
        text.push_str("<th>script</th><th>ms</th></tr>\n");
        for row in &results.rows {
            write_table_row(text, row, results.devices.len() > 1);
        }
        text.push_str("</table>\n");
    }
}

/// Appends the table entry of a script: its result on each device, its name with reasons, and its
/// times in milliseconds. Its class is the worst outcome. Nothing if the script has not run.
fn write_table_row(text: &mut String, row: &[Option<ScriptResult>], has_several_devices: bool) {
    let Some(first) = row.iter().flatten().next() else {
        return;
    };
    // The worst outcome decides the class of the row.
    let outcomes = || row.iter().flatten().map(|record| record.outcome);
    let worst = [
        Verdict::Fail,
        Verdict::UnexpectedPass,
        Verdict::ExpectedFail,
        Verdict::Skip,
    ];
    let mut worst = worst
        .into_iter()
        .filter(|verdict| outcomes().any(|outcome| outcome == *verdict));
    let kind = worst.next().unwrap_or(Verdict::Pass).css_class();
    let differs = if outcomes().any(|outcome| outcome != first.outcome) {
        " differs"
    } else {
        ""
    };
    let _ = write!(text, "<tr class=\"{kind}{differs}\">");
    for record in row {
        let (class, word) = (
            get_css_class(record.as_ref()),
            get_outcome_label(record.as_ref()),
        );
        let _ = write!(text, "<td><span class=\"badge {class}\">{word}</span></td>");
    }
    let _ = write!(
        text,
        "<td><span class=\"path\">{}</span>",
        escape_html(&first.path)
    );
    for record in row.iter().flatten() {
        if let Some(reason) = &record.reason {
            let device = if has_several_devices {
                format!("{}: ", record.device)
            } else {
                String::new()
            };
            let _ = write!(
                text,
                "<small>{}</small>",
                escape_html(&format!("{device}{reason}"))
            );
        }
    }
    let times: Vec<String> = row
        .iter()
        .flatten()
        .map(|record| format!("{:.1}", record.duration_ms))
        .collect();
    let _ = writeln!(
        text,
        "</td><td class=\"time\">{}</td></tr>",
        times.join("<br>")
    );
}

/// Returns the CSS class of a result; `none` if the script has not run.
fn get_css_class(record: Option<&ScriptResult>) -> &'static str {
    record.map_or("none", |record| record.outcome.css_class())
}

/// Returns the label of an outcome, or `not run`.
fn get_outcome_label(record: Option<&ScriptResult>) -> &'static str {
    match record {
        Some(record) => record.outcome.label(),
        None => "not run",
    }
}

/// Escapes a string that a browser displays verbatim. Control characters except for line ends and
/// tabs, which no page may have, become U+FFFD.
fn escape_html(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => result.push_str("&amp;"),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '"' => result.push_str("&quot;"),
            '\n' | '\t' => result.push(character),
            _ if character.is_control() => result.push(char::REPLACEMENT_CHARACTER),
            _ => result.push(character),
        }
    }
    result
}

/// Encodes bytes in Base64, with padding. RFC 4648 section 4.
fn encode_base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for index in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * index)) as usize & 63];
            text.push(if index > group.len() {
                '='
            } else {
                char::from(digit)
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::result::{FailureImage, Verdict};
    use super::super::tests::results;
    use super::*;

    #[test]
    fn bytes_become_digits() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode_base64(bytes.as_bytes()), text);
        }
        assert_eq!(encode_base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }

    #[test]
    fn texts_cannot_leave_their_place() {
        assert_eq!(
            escape_html("<a href=\"x\">&\u{1b}[0m\n"),
            "&lt;a href=&quot;x&quot;&gt;&amp;\u{fffd}[0m\n"
        );
    }

    #[test]
    fn pages_tell_everything() {
        let dir = std::env::temp_dir().join(format!("glasm-html-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let script = dir.join("a.shader_test");
        std::fs::write(&script, "one\ntwo\n3\n4\n5\nsix\nprobe <all>\n8\n9\nten\n").unwrap();
        std::fs::write(dir.join("diff.png"), [1, 2, 3]).unwrap();
        let mut results = results();
        let record = results.rows[1][0].as_mut().unwrap();
        record.path = script.display().to_string();
        record.failure_images = ["diff.png", "missing.png"]
            .map(|name| FailureImage {
                path: dir.join(name).display().to_string(),
                caption: name.into(),
                line: Some(7),
            })
            .into();
        let page = format_html(&results);
        std::fs::remove_dir_all(&dir).unwrap();
        for part in [
            "<title>glasm run: 1 passed, 1 failed, 1 skipped</title>",
            "<b>cpu &lt;0&gt;</b>",
            "line 7: expected 1 &lt; 2 &amp; &quot;3&quot;",
            "<span class=\"at\"><span class=\"number\">    7  </span>probe &lt;all&gt;</span>",
            "<span class=\"number\">    3  </span>3</span>",
            "<span class=\"number\">    9  </span>9</span>",
            "src=\"data:image/png;base64,AQID\"",
            "line 7: missing.png (<code>",
            "<small>no shaderInt64</small>",
            "<pre>sum 3</pre>",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        assert!(!page.contains(">two<") && !page.contains(">ten<"), "{page}");
        assert!(!page.contains("only-differing\">"), "{page}");
        assert!(!page.contains("http"), "a page needs no network");
    }

    #[test]
    fn rows_show_where_devices_differ() {
        let mut results = results();
        results.devices.push("gpu".into());
        for row in &mut results.rows {
            row.push(row[0].clone());
        }
        results.rows[0][1].as_mut().unwrap().outcome = Verdict::Skip;
        results.rows[2][1] = None;
        let page = format_html(&results);
        assert!(page.contains("<tr class=\"skip differs\"><td><span class=\"badge pass\">PASS"));
        assert!(page.contains("<tr class=\"fail\">"));
        assert!(page.contains("<span class=\"badge none\">not run"));
        assert!(page.contains("id=\"only-differing\">"));
    }
}
