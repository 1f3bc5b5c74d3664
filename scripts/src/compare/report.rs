//! Comparisons of many scripts together: by family, as a table and as a document.

use super::differences::{Agreement, RunComparison, format_distance};
use super::known_differences::Decision;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// Scripts that are named for each kind of difference, at most.
const MAX_LISTED_SCRIPTS: usize = 20;

/// Comparison of a script, with its known causes.
#[derive(Clone, Copy, Debug)]
pub struct ScoredComparison<'a> {
    /// Path of the script.
    pub script: &'a str,
    /// Family of the script.
    pub family: &'a str,
    /// `None` if the process that compared it ended.
    pub comparison: Option<&'a RunComparison>,
    /// Known causes, if they explain all differences.
    pub known: &'a [Decision],
}

/// Classification of a script in the report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ComparisonStatus {
    /// All values are equal.
    Exact,
    /// Within tolerances.
    WithinTolerance,
    /// Different, as is known.
    Known,
    /// Different.
    Different,
    /// The script was not compared.
    Skipped,
}

impl ScoredComparison<'_> {
    /// Returns the status of the script in reports. A script whose runs differ, or whose process
    /// ended, is `Known` if it has known causes.
    pub fn status(&self) -> ComparisonStatus {
        let agreement = self.comparison.map(|comparison| &comparison.agreement);
        match agreement {
            None | Some(Agreement::Different) if !self.known.is_empty() => ComparisonStatus::Known,
            None | Some(Agreement::Different) => ComparisonStatus::Different,
            Some(Agreement::Exact) => ComparisonStatus::Exact,
            Some(Agreement::WithinTolerance) => ComparisonStatus::WithinTolerance,
            Some(Agreement::NotCompared(_)) => ComparisonStatus::Skipped,
        }
    }
}

/// Number of scripts per classification.
#[derive(Clone, PartialEq, Debug, Default)]
struct FamilyCounts {
    same: usize,
    near: usize,
    known: usize,
    different: usize,
    skipped: usize,
    ulp: f64,
    near_zero: f64,
    steps: f64,
}

impl FamilyCounts {
    /// Counts a compared script by its status, and its distances if no value exceeds the tolerance.
    fn add_script(&mut self, scored: &ScoredComparison<'_>) {
        *match scored.status() {
            ComparisonStatus::Exact => &mut self.same,
            ComparisonStatus::WithinTolerance => &mut self.near,
            ComparisonStatus::Known => &mut self.known,
            ComparisonStatus::Different => &mut self.different,
            ComparisonStatus::Skipped => &mut self.skipped,
        } += 1;
        // If values differ beyond the tolerance, the distances of the others are not meaningful.
        if let (ComparisonStatus::Exact | ComparisonStatus::WithinTolerance, Some(comparison)) =
            (scored.status(), scored.comparison)
        {
            self.ulp = self.ulp.max(comparison.max_ulp_distance);
            self.near_zero = self.near_zero.max(comparison.max_difference_near_zero);
            self.steps = self.steps.max(comparison.max_step_distance);
        }
    }

    /// Returns the number of scripts that were compared: all but the skipped ones.
    fn compared_scripts(&self) -> usize {
        self.same + self.near + self.known + self.different
    }

    /// Formats the counts and the largest distance as the cells of a table: compared scripts,
    /// exact, within tolerance, known, different, skipped, distance.
    fn table_cells(&self) -> [String; 7] {
        let distance = format_distance(self.ulp, self.near_zero, self.steps);
        let counts = [
            self.compared_scripts(),
            self.same,
            self.near,
            self.known,
            self.different,
            self.skipped,
        ];
        let [compared, same, near, known, different, skipped] = counts.map(|n| n.to_string());
        let distance = distance.unwrap_or_else(|| "0".to_owned());
        [compared, same, near, known, different, skipped, distance]
    }
}

const COLUMNS: [&str; 8] = [
    "family",
    "compared",
    "exact",
    "within",
    "known",
    "different",
    "not compared",
    "largest difference within",
];

/// Returns the family of a script, derived from the paths on the command line (`roots`): the name
/// of the deepest directory among several that contains it, or the first directory below a single
/// one. Otherwise it is the first part of the script's first coverage id, the name of its
/// directory, or `none`.
pub fn script_family(roots: &[PathBuf], script: &str, covers: &[String]) -> String {
    let path = Path::new(script);
    let below = |root: &PathBuf| {
        let rest = path.strip_prefix(root).ok()?;
        let name = match roots {
            [_] => rest.parent()?.components().next()?.as_os_str(),
            _ if rest.as_os_str().is_empty() => return None,
            _ => root.file_name()?,
        };
        let depth = root.components().count();
        Some((depth, name.to_string_lossy().into_owned()))
    };
    let covered = || Some(covers.first()?.split('.').next()?.to_owned());
    let dir = || Some(path.parent()?.file_name()?.to_string_lossy().into_owned());
    let named = roots.iter().filter_map(below);
    let deepest = named.max_by_key(|(depth, _)| *depth);
    let directory = deepest.map(|(_, name)| name).or_else(covered).or_else(dir);
    directory.unwrap_or_else(|| "none".to_owned())
}

/// Counts the scripts of each family by status, in alphabetical order; a last entry `all` has the
/// total, unless there is exactly one family.
fn count_by_family(all: &[ScoredComparison<'_>]) -> Vec<(String, FamilyCounts)> {
    let mut families: BTreeMap<&str, FamilyCounts> = BTreeMap::new();
    let mut total = FamilyCounts::default();
    for judged in all {
        families
            .entry(judged.family)
            .or_default()
            .add_script(judged);
        total.add_script(judged);
    }
    let mut rows: Vec<(String, FamilyCounts)> = families
        .into_iter()
        .map(|(family, counts)| (family.to_owned(), counts))
        .collect();
    if rows.len() != 1 {
        rows.push(("all".to_owned(), total));
    }
    rows
}

/// Formats the counts by family as a table for terminals, with aligned columns.
pub fn print_table(all: &[ScoredComparison<'_>]) -> String {
    let mut lines: Vec<Vec<String>> = vec![COLUMNS.map(str::to_owned).to_vec()];
    for (family, counts) in count_by_family(all) {
        lines.push([family].into_iter().chain(counts.table_cells()).collect());
    }
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max();
    let widths: Vec<usize> = (0..COLUMNS.len()).map(|c| width(c).unwrap_or(0)).collect();
    let mut text = String::new();
    for line in &lines {
        let mut row = format!("{:<width$}", line[0], width = widths[0]);
        for (cell, width) in line.iter().zip(&widths).skip(1) {
            let _ = write!(row, "  {cell:>width$}");
        }
        let _ = writeln!(text, "{}", row.trim_end());
    }
    text
}

/// Returns the document: the compared drivers, the table, the differences with their reasons, and
/// the scripts that were not compared.
pub fn print_markdown(all: &[ScoredComparison<'_>]) -> String {
    let mut text = "# One script, two interpreters\n\n".to_owned();
    text.push_str(
        "Every script ran twice, and all that its programs left was compared: framebuffers, buffers, images, captured vertices, and \
         whether programs are accepted. `docs/comparing.md` says how to read the numbers.\n\n",
    );
    for line in compared_drivers(all) {
        let _ = writeln!(text, "- {line}");
    }
    let _ = writeln!(text, "\n| {} |", COLUMNS.join(" | "));
    let _ = writeln!(text, "|---|{}", "---:|".repeat(COLUMNS.len() - 1));
    for (family, counts) in count_by_family(all) {
        let _ = writeln!(text, "| {family} | {} |", counts.table_cells().join(" | "));
    }
    write_known_differences(&mut text, all);
    write_unexplained(&mut text, all);
    write_skipped_scripts(&mut text, all);
    text
}

/// Returns the different pairs of drivers that were compared, each as `A and B`, in alphabetical
/// order.
fn compared_drivers(all: &[ScoredComparison<'_>]) -> BTreeSet<String> {
    let comparisons = all.iter().filter_map(|judged| judged.comparison);
    comparisons
        .map(|comparison| {
            let [a, b] = &comparison.drivers;
            format!("{a} and {b}")
        })
        .collect()
}

/// Appends the section of known differences: each decision with the scripts that it concerns;
/// nothing if there are none.
fn write_known_differences(text: &mut String, all: &[ScoredComparison<'_>]) {
    let mut scripts_by_decision: BTreeMap<&Decision, Vec<&str>> = BTreeMap::new();
    for judged in all
        .iter()
        .filter(|judged| judged.status() == ComparisonStatus::Known)
    {
        for decision in judged.known {
            scripts_by_decision
                .entry(decision)
                .or_default()
                .push(judged.script);
        }
    }
    if scripts_by_decision.is_empty() {
        return;
    }
    text.push_str("\n## Known differences\n\n| decided by | why | scripts |\n|---|---|---|\n");
    for (decision, scripts) in scripts_by_decision {
        let (section, reason) = (
            escape_cell(&decision.section),
            escape_cell(&decision.reason),
        );
        let _ = writeln!(
            text,
            "| {section} | {reason} | {} |",
            list_scripts(&scripts)
        );
    }
}

/// Appends the section of the scripts that differ for an unknown reason, each with its first
/// difference; nothing if there are none.
fn write_unexplained(text: &mut String, all: &[ScoredComparison<'_>]) {
    let different = |judged: &&ScoredComparison<'_>| judged.status() == ComparisonStatus::Different;
    let mut different = all.iter().filter(different).peekable();
    if different.peek().is_none() {
        return;
    }
    text.push_str("\n## Different\n\n");
    for judged in different {
        let first = judged
            .comparison
            .and_then(|found| found.differences.first());
        let why = match first {
            Some(difference) => difference.to_string(),
            None => "the process that compared it ended".to_owned(),
        };
        let _ = writeln!(text, "- `{}`: {why}", judged.script);
    }
}

/// Appends the section of the reasons why scripts were not compared, with their number in each
/// family, the most frequent first; nothing if there are none.
fn write_skipped_scripts(text: &mut String, all: &[ScoredComparison<'_>]) {
    let mut reasons: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for judged in all {
        let agreement = judged.comparison.map(|comparison| &comparison.agreement);
        if let Some(Agreement::NotCompared(reason)) = agreement {
            *reasons.entry((judged.family, reason)).or_default() += 1;
        }
    }
    if reasons.is_empty() {
        return;
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|((family, _), count)| (*family, usize::MAX - count));
    text.push_str("\n## Not compared\n\n| family | scripts | why |\n|---|---:|---|\n");
    for ((family, reason), count) in reasons {
        let _ = writeln!(text, "| {family} | {count} | {} |", escape_cell(reason));
    }
}

/// Returns a string as a cell of a Markdown table: with escaped `|`, and spaces instead of line
/// ends.
fn escape_cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// Formats a list of scripts in backquotes; after [`MAX_LISTED_SCRIPTS`] only the number of the
/// others follows.
fn list_scripts(scripts: &[&str]) -> String {
    let shown = scripts.iter().take(MAX_LISTED_SCRIPTS);
    let mut text = shown
        .map(|script| format!("`{script}`"))
        .collect::<Vec<_>>()
        .join(", ");
    if scripts.len() > MAX_LISTED_SCRIPTS {
        let _ = write!(text, " and {} more", scripts.len() - MAX_LISTED_SCRIPTS);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tests::run;
    use super::super::{DifferenceKind, compare_runs};
    use super::*;
    use crate::results::Outcome;

    fn comparisons() -> [RunComparison; 4] {
        let same = compare_runs(&run("gl"), &run("vulkan"));
        let mut near = same.clone();
        (near.agreement, near.max_ulp_distance) = (Agreement::WithinTolerance, 3.0);
        let mut different = same.clone();
        (different.agreement, different.max_ulp_distance) = (Agreement::Different, 9e9);
        different.add_difference(DifferenceKind::Values, Some(4), "buffer: 1 of 2".into());
        let skipped = super::super::Recording {
            outcome: Outcome::Skip("no a|b".into()),
            ..run("gl")
        };
        [
            same,
            near,
            different,
            compare_runs(&skipped, &run("vulkan")),
        ]
    }

    fn judged<'a>(all: &'a [RunComparison], known: &'a [Decision]) -> Vec<ScoredComparison<'a>> {
        let judge = |script, family, index: usize, known| ScoredComparison {
            script,
            family,
            comparison: all.get(index),
            known,
        };
        vec![
            judge("a/1", "arb", 0, &[]),
            judge("a/2", "arb", 1, &[]),
            judge("a/3", "arb", 2, known),
            judge("g/1", "gp", 2, &[]),
            judge("g/2", "gp", 3, &[]),
            judge("g/3", "gp", 4, &[]),
        ]
    }

    fn known() -> [Decision; 1] {
        [Decision {
            section: "ARB 2.14".to_owned(),
            reason: "rounds first".to_owned(),
        }]
    }

    #[test]
    fn tables_count_by_family() {
        let (all, known) = (comparisons(), known());
        let text = print_table(&judged(&all, &known));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[1].split_whitespace().collect::<Vec<_>>(),
            ["arb", "3", "1", "1", "1", "0", "0", "3", "ulp"]
        );
        assert_eq!(
            lines[2].split_whitespace().collect::<Vec<_>>(),
            ["gp", "2", "0", "0", "0", "2", "1", "0"]
        );
        assert!(lines[3].starts_with("all "), "{text}");
        assert_eq!(lines.len(), 4);
    }

    #[test]
    fn documents_tell_why() {
        let (all, known) = (comparisons(), known());
        let text = print_markdown(&judged(&all, &known));
        for part in [
            "- gl on gl device (driver 1) and vulkan on vulkan device (driver 1)\n",
            "| arb | 3 | 1 | 1 | 1 | 0 | 0 | 3 ulp |\n",
            "| ARB 2.14 | rounds first | `a/3` |\n",
            "- `g/1`: line 4: buffer: 1 of 2\n",
            "- `g/3`: the process that compared it ended\n",
            "| gp | 1 | gl: no a\\|b |\n",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        let nothing = print_markdown(&judged(&all, &known)[..2]);
        assert!(!nothing.contains("## "), "{nothing}");
    }

    #[test]
    fn families_are_directories() {
        let covers = ["gp.op.ADD/F".to_owned()];
        let family = |roots: &[&str], script, covers: &[String]| {
            let roots: Vec<PathBuf> = roots.iter().map(PathBuf::from).collect();
            script_family(&roots, script, covers)
        };
        assert_eq!(family(&["run"], "run/arb/op/x.shader_test", &covers), "arb");
        assert_eq!(family(&["run/"], "run/x.shader_test", &covers), "gp");
        let two = ["run/arb", "run/gp"];
        assert_eq!(family(&two, "run/arb/op/x.shader_test", &covers), "arb");
        let script = "x/a/b.shader_test";
        assert_eq!(family(&[script], script, &[]), "a");
        assert_eq!(family(&[script, "y"], script, &covers), "gp");
        assert_eq!(family(&["."], "b.shader_test", &[]), "none");
    }
}
