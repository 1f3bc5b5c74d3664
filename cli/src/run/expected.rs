//! The list of expected failures: scripts that fail today, each on a line of its own.
//!
//! ```text
//! # Bugs of our driver.
//! gp/tex/shadow_cube.shader_test      # 1234: wrong reference
//! arb/fog/*.shader_test
//! ```
//!
//! `*` denotes any part of a name, `**` for any directories; the path is compared from its end.

use crate::report::Record;
use glasm_scripts::compare::known::is_path_like;
use std::path::{Path, PathBuf};

/// A list of expected failures.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ExpectedFailures {
    file: PathBuf,
    entries: Vec<Entry>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    line: usize,
    pattern: String,
    /// The comment after it.
    reason: Option<String>,
}

impl ExpectedFailures {
    /// Reads a list. Every text is one.
    pub(crate) fn parse(file: &Path, text: &str) -> Self {
        let entry = |(line, number): (&str, usize)| {
            let (pattern, reason) = split_comment(line);
            let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
            (!pattern.is_empty()).then(|| Entry {
                line: number,
                pattern: pattern.to_owned(),
                reason,
            })
        };
        Self {
            file: file.to_owned(),
            entries: text.lines().zip(1..).filter_map(entry).collect(),
        }
    }

    /// Messages about entries that are like none of the scripts.
    pub(crate) fn strays(&self, scripts: &[PathBuf]) -> Vec<String> {
        let names: Vec<String> = scripts
            .iter()
            .map(|script| script.display().to_string())
            .collect();
        let is_stray = |entry: &&Entry| !names.iter().any(|name| entry.is_like(name));
        let message = |entry: &Entry| {
            let (file, line) = (self.file.display(), entry.line);
            format!("{file}:{line}: no script is like `{}`", entry.pattern)
        };
        self.entries.iter().filter(is_stray).map(message).collect()
    }

    /// Says of a result whether it is as expected.
    pub(crate) fn judge(&self, record: &mut Record) {
        let mut entries = self.entries.iter();
        if let Some(entry) = entries.find(|entry| entry.is_like(&record.path)) {
            let place = format!("{}:{}", self.file.display(), entry.line);
            record.expect_failure(&place, entry.reason.as_deref());
        }
    }
}

impl Entry {
    fn is_like(&self, path: &str) -> bool {
        is_path_like(&self.pattern, path)
    }
}

/// Returns a line without its comment, which starts a line or follows whitespace, and the comment.
fn split_comment(line: &str) -> (&str, Option<String>) {
    let mut marks = line.match_indices('#').map(|(at, _)| at);
    let mark = marks.find(|at| line[..*at].is_empty() || line[..*at].ends_with([' ', '\t']));
    let Some(mark) = mark else {
        return (line.trim(), None);
    };
    let comment = line[mark + 1..].trim();
    let comment = (!comment.is_empty()).then(|| comment.to_owned());
    (line[..mark].trim(), comment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Verdict;
    use std::time::Duration;

    fn list() -> ExpectedFailures {
        let text =
            "# Bugs.\n\n./gp/a#1.shader_test\t# too dark\r\narb/*.shader_test\n  **/slow/**  #\n";
        ExpectedFailures::parse(Path::new("list"), text)
    }

    #[test]
    fn lines_are_patterns_with_comments() {
        let list = list();
        let entries: Vec<_> = list
            .entries
            .iter()
            .map(|entry| (entry.line, entry.pattern.as_str(), entry.reason.as_deref()))
            .collect();
        assert_eq!(
            entries,
            [
                (3, "gp/a#1.shader_test", Some("too dark")),
                (4, "arb/*.shader_test", None),
                (5, "**/slow/**", None),
            ]
        );
    }

    #[test]
    fn strays_are_named_with_their_lines() {
        let scripts = ["t/gp/a#1.shader_test", "t/slow/x.shader_test"].map(PathBuf::from);
        assert_eq!(
            list().strays(&scripts),
            ["list:4: no script is like `arb/*.shader_test`"]
        );
    }

    #[test]
    fn results_are_judged() {
        let judge = |path: &str, outcome| {
            let mut record =
                Record::failed(Path::new(path), "d", Duration::ZERO, "wrong".to_owned());
            record.outcome = outcome;
            list().judge(&mut record);
            record
        };
        let failed = judge("t/gp/a#1.shader_test", Verdict::Fail);
        assert_eq!(failed.outcome, Verdict::ExpectedFail);
        assert_eq!(failed.reason.as_deref(), Some("too dark (list:3)"));
        let passed = judge("t/arb/b.shader_test", Verdict::Pass);
        assert_eq!(passed.outcome, Verdict::UnexpectedPass);
        let skipped = judge("t/arb/b.shader_test", Verdict::Skip);
        assert_eq!(skipped.outcome, Verdict::Skip);
        for (outcome, other) in [
            (Verdict::Fail, Verdict::Fail),
            (Verdict::Pass, Verdict::Pass),
        ] {
            assert_eq!(judge("t/other.shader_test", outcome).outcome, other);
        }
    }
}
