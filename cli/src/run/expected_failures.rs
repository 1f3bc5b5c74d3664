//! Selection of scripts: those below the paths of the command line that pass the filters, or this
//! machine's share of them; and the list of expected failures: scripts that fail today, one on each
//! line.
//!
//! ```text
//! # Bugs of our driver.
//! gp/tex/shadow_cube.shader_test      # 1234: wrong reference
//! arb/fog/*.shader_test
//! ```
//!
//! `*` matches any part of a name, `**` any directories; the path is compared from its end.

use crate::args::{RunArgs, Shard};
use crate::console::Fatal;
use crate::report::ScriptResult;
use glasm_scripts::compare::known_differences::matches_path;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A list of expected failures.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ExpectedFailures {
    file: PathBuf,
    entries: Vec<ExpectedFailure>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct ExpectedFailure {
    line: usize,
    pattern: String,
    /// The comment of the line.
    reason: Option<String>,
}

impl ExpectedFailures {
    /// Parses a list: a pattern on each line, with its reason as comment. Any text is valid; lines
    /// without a pattern are ignored. `file` is for messages.
    pub(crate) fn parse(file: &Path, text: &str) -> Self {
        let entry = |(line, number): (&str, usize)| {
            let (pattern, reason) = split_comment(line);
            let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
            (!pattern.is_empty()).then(|| ExpectedFailure {
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

    /// Returns a message for each entry that matches none of the scripts.
    pub(crate) fn find_unmatched_entries(&self, scripts: &[PathBuf]) -> Vec<String> {
        let names: Vec<String> = scripts
            .iter()
            .map(|script| script.display().to_string())
            .collect();
        let is_unmatched =
            |entry: &&ExpectedFailure| !names.iter().any(|name| entry.matches_path(name));
        let message = |entry: &ExpectedFailure| {
            let (file, line) = (self.file.display(), entry.line);
            format!("{file}:{line}: no script matches `{}`", entry.pattern)
        };
        self.entries
            .iter()
            .filter(is_unmatched)
            .map(message)
            .collect()
    }

    /// Marks a result as an expected failure or an unexpected pass if an entry of the list matches
    /// its script; the first matching entry applies.
    pub(crate) fn apply_to(&self, record: &mut ScriptResult) {
        let mut entries = self.entries.iter();
        if let Some(entry) = entries.find(|entry| entry.matches_path(&record.path)) {
            let place = format!("{}:{}", self.file.display(), entry.line);
            record.mark_expected_failure(&place, entry.reason.as_deref());
        }
    }
}

impl ExpectedFailure {
    /// Returns true if a suffix of the path matches the pattern of the entry.
    fn matches_path(&self, path: &str) -> bool {
        matches_path(&self.pattern, path)
    }
}

/// Splits a line into its contents and its comment, which starts a line or follows whitespace, both
/// trimmed; `None` without comment or if it is empty.
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

/// Returns the scripts of the command line, each once, in the order of the command line and below a
/// directory by path. Returns an error if a path does not exist.
pub(crate) fn find_scripts(args: &RunArgs) -> Result<Vec<PathBuf>, Fatal> {
    let mut scripts = Vec::new();
    let mut seen = HashSet::new();
    for path in &args.scripts {
        // A missing path would pass as a directory without scripts.
        std::fs::metadata(path).map_err(|error| Fatal::from_io(path.display(), &error))?;
        scripts.extend(glasm_vkrunner::find_scripts(path));
    }
    scripts.retain(|script| seen.insert(script.clone()));
    Ok(scripts)
}

/// Returns the scripts that match the filters and belong to the shard of the command line, which
/// may be none. Returns an error if no script matches the filters.
pub(crate) fn select_scripts(
    args: &RunArgs,
    mut scripts: Vec<PathBuf>,
) -> Result<Vec<PathBuf>, Fatal> {
    scripts.retain(|script| passes_filters(script, &args.filter));
    if scripts.is_empty() {
        return Err(Fatal("no scripts found".to_owned()));
    }
    Ok(match args.shard {
        Some(shard) => select_shard(scripts, shard),
        None => scripts,
    })
}

/// Returns true if the path contains one of the strings, if there are any, and none of those after
/// a `!`.
fn passes_filters(script: &Path, filters: &[String]) -> bool {
    let path = script.to_string_lossy();
    let (unwanted, wanted): (Vec<&str>, Vec<&str>) = filters
        .iter()
        .map(String::as_str)
        .partition(|filter| filter.starts_with('!'));
    let mut unwanted = unwanted
        .iter()
        .filter_map(|filter| filter.strip_prefix('!'));
    (wanted.is_empty() || wanted.iter().any(|text| path.contains(text)))
        && !unwanted.any(|text| path.contains(text))
}

/// Returns every n-th script: neighbors, which often take similar time, go to different machines.
/// May be empty, which is not an error.
fn select_shard(scripts: Vec<PathBuf>, shard: Shard) -> Vec<PathBuf> {
    scripts
        .into_iter()
        .skip(usize::from(shard.number - 1))
        .step_by(usize::from(shard.count))
        .collect()
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
            list().find_unmatched_entries(&scripts),
            ["list:4: no script matches `arb/*.shader_test`"]
        );
    }

    #[test]
    fn results_are_judged() {
        let judge = |path: &str, outcome| {
            let mut record = ScriptResult::from_failure(
                Path::new(path),
                "d",
                Duration::ZERO,
                "wrong".to_owned(),
            );
            record.outcome = outcome;
            list().apply_to(&mut record);
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

    #[test]
    fn filters_want_and_refuse() {
        let passes = |filters: &[&str]| {
            let filters: Vec<String> = filters.iter().map(|&filter| filter.into()).collect();
            passes_filters(Path::new("tests/gp/atom.shader_test"), &filters)
        };
        assert!(passes(&[]) && passes(&["atom"]) && passes(&["x", "gp/"]));
        assert!(!passes(&["x"]) && !passes(&["!gp"]) && !passes(&["atom", "!tests"]));
        assert!(passes(&["!x"]) && passes(&["atom", "!x"]));
    }

    #[test]
    fn shares_cover_everything_once() {
        let scripts: Vec<PathBuf> = (0..10).map(|number| number.to_string().into()).collect();
        let share = |number| select_shard(scripts.clone(), Shard { number, count: 3 });
        assert_eq!(share(1), ["0", "3", "6", "9"].map(PathBuf::from));
        let mut all = [share(1), share(2), share(3)].concat();
        all.sort();
        assert_eq!(all, scripts);
        let second = Shard {
            number: 2,
            count: 2,
        };
        assert!(select_shard(scripts[..1].to_vec(), second).is_empty());
    }
}
