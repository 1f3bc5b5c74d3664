//! The report as a page: one file with everything in it, images included, for browsers without a
//! network.
//!
//! Failures come first, each with the lines of the script around it and with its images; then a
//! table of all scripts with a column for each device. Filters of the table are implemented in
//! styles alone.

use super::Counts;
use super::record::{FailureRecord, Record, Results, Verdict};
use crate::console::format_count;
use std::fmt::Write;
use std::path::Path;

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

const STYLE: &str = include_str!("page.css");
/// Lines of the script shown before and after the one that failed.
const BEFORE: usize = 4;
const AFTER: usize = 2;
/// Longest line of a script that is shown.
const LINE_LIMIT: usize = 200;
/// Limits in bytes of one image in the page, and of all images together; others are named.
const PICTURE_LIMIT: u64 = 4 << 20;
const PICTURES_LIMIT: usize = 64 << 20;

/// Formats the page.
pub(crate) fn format_html(results: &Results) -> String {
    let mut page = Page {
        text: String::new(),
        picture_bytes: 0,
    };
    let counts = results.counts();
    page.write_head(results, &counts);
    page.write_failures(results);
    page.write_known(results);
    page.write_others(results);
    page.write_table(results);
    page.text.push_str("</body>\n</html>\n");
    page.text
}

/// A page that grows.
struct Page {
    text: String,
    picture_bytes: usize,
}

impl Page {
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
            let counts = Counts::from_records(results.of_device(index));
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

    fn write_failures(&mut self, results: &Results) {
        let failed = |record: &&Record| record.outcome.is_failure();
        if !results.records().any(|record| failed(&record)) {
            return;
        }
        self.text.push_str("<h2>Failures</h2>\n");
        for record in results.records().filter(failed) {
            self.write_script(record, results.devices.len(), "open");
        }
    }

    /// Scripts that failed as expected.
    fn write_known(&mut self, results: &Results) {
        let known = |record: &&Record| record.outcome == Verdict::ExpectedFail;
        if !results.records().any(|record| known(&record)) {
            return;
        }
        self.text.push_str("<h2>Expected failures</h2>\n");
        for record in results.records().filter(known) {
            self.write_script(record, results.devices.len(), "");
        }
    }

    /// Scripts that printed or drew something without failing.
    fn write_others(&mut self, results: &Results) {
        let tells = |record: &&Record| {
            let told = record.outcome.is_failure() || record.outcome == Verdict::ExpectedFail;
            !told && (!record.output.is_empty() || !record.images.is_empty())
        };
        if !results.records().any(|record| tells(&record)) {
            return;
        }
        self.text.push_str("<h2>Output and pictures</h2>\n");
        for record in results.records().filter(tells) {
            self.write_script(record, results.devices.len(), "");
        }
    }

    /// Writes the section of a script on a device.
    fn write_script(&mut self, record: &Record, devices: usize, open: &str) {
        let class = get_class(Some(record));
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
        if !record.output.is_empty() {
            let _ = writeln!(
                self.text,
                "<pre>{}</pre>",
                escape_html(&record.output.join("\n"))
            );
        }
        self.write_pictures(record);
        self.text.push_str("</details>\n");
    }

    fn write_failure(&mut self, failure: &FailureRecord, source: &str) {
        let _ = writeln!(
            self.text,
            "<pre class=\"message\">{}</pre>",
            escape_html(&failure.format_text())
        );
        let Some(line) = failure.line.map(|line| line as usize) else {
            return;
        };
        let first = line.saturating_sub(BEFORE).max(1);
        let mut lines = source.lines().zip(1..).skip(first - 1).peekable();
        if lines.peek().is_none() {
            return;
        }
        self.text.push_str("<pre>");
        for (text, number) in lines.take_while(|(_, number)| *number <= line + AFTER) {
            let shown: String = text.chars().take(LINE_LIMIT).collect();
            let at = if number == line { " class=\"at\"" } else { "" };
            let _ = writeln!(
                self.text,
                "<span{at}><span class=\"number\">{number:>5}  </span>{}</span>",
                escape_html(&shown)
            );
        }
        self.text.push_str("</pre>\n");
    }

    fn write_pictures(&mut self, record: &Record) {
        if record.images.is_empty() && record.failure_images.is_empty() {
            return;
        }
        self.text.push_str("<div class=\"pictures\">\n");
        for image in &record.failure_images {
            let caption = match image.line {
                Some(line) => format!("line {line}: {}", image.caption),
                None => image.caption.clone(),
            };
            self.write_picture(&image.path, &caption);
        }
        for path in &record.images {
            self.write_picture(path, path);
        }
        self.text.push_str("</div>\n");
    }

    fn write_picture(&mut self, path: &str, caption: &str) {
        let caption = escape_html(caption);
        match self.read_picture(Path::new(path)) {
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

    /// Reads an image and encodes it in base64; `None` if it is missing or exceeds the limits.
    fn read_picture(&mut self, path: &Path) -> Option<String> {
        let size = std::fs::metadata(path).ok()?.len();
        if size > PICTURE_LIMIT || self.picture_bytes > PICTURES_LIMIT {
            return None;
        }
        let data = encode_base64(&std::fs::read(path).ok()?);
        self.picture_bytes += data.len();
        Some(data)
    }

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

fn write_table_row(text: &mut String, row: &[Option<Record>], several: bool) {
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
    let kind = worst.next().unwrap_or(Verdict::Pass).class();
    let differs = if outcomes().any(|outcome| outcome != first.outcome) {
        " differs"
    } else {
        ""
    };
    let _ = write!(text, "<tr class=\"{kind}{differs}\">");
    for record in row {
        let (class, word) = (get_class(record.as_ref()), get_word(record.as_ref()));
        let _ = write!(text, "<td><span class=\"badge {class}\">{word}</span></td>");
    }
    let _ = write!(
        text,
        "<td><span class=\"path\">{}</span>",
        escape_html(&first.path)
    );
    for record in row.iter().flatten() {
        if let Some(reason) = &record.reason {
            let device = if several {
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

fn get_class(record: Option<&Record>) -> &'static str {
    record.map_or("none", |record| record.outcome.class())
}

fn get_word(record: Option<&Record>) -> &'static str {
    match record {
        Some(record) => record.outcome.word(),
        None => "not run",
    }
}

/// Escapes text that a browser displays verbatim. Control characters, which no page may have, are
/// replaced.
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

/// Bytes as text, six bits for each character.
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
    use super::super::record::{FailureImage, Verdict};
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
        let folder = std::env::temp_dir().join(format!("glasm-html-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let script = folder.join("a.shader_test");
        std::fs::write(&script, "one\ntwo\n3\n4\n5\nsix\nprobe <all>\n8\n9\nten\n").unwrap();
        std::fs::write(folder.join("diff.png"), [1, 2, 3]).unwrap();
        let mut results = results();
        let record = results.rows[1][0].as_mut().unwrap();
        record.path = script.display().to_string();
        record.failure_images = ["diff.png", "missing.png"]
            .map(|name| FailureImage {
                path: folder.join(name).display().to_string(),
                caption: name.into(),
                line: Some(7),
            })
            .into();
        let page = format_html(&results);
        std::fs::remove_dir_all(&folder).unwrap();
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
