//! Comparisons of many scripts together: by family, as a table and as a document.

use super::comparison::{Class, Comparison, distance};
use super::known::Decision;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// Scripts that are named for each kind of difference, at most.
const MAX_NAMED: usize = 20;

/// Comparison of a script, with its known causes.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// Path of the script.
    pub script: &'a str,
    /// Family of the script.
    pub family: &'a str,
    /// `None` if the process that compared it ended.
    pub comparison: Option<&'a Comparison>,
    /// Known causes, if they explain all differences.
    pub known: &'a [Decision],
}

/// Classification of a script in the report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// All values are equal.
    Same,
    /// Within tolerances.
    Near,
    /// Different, as is known.
    Known,
    /// Different.
    Different,
    /// The script was not compared.
    Skipped,
}

impl Judged<'_> {
    /// Returns the mark of the result in reports.
    pub fn mark(&self) -> Mark {
        let class = self.comparison.map(|comparison| &comparison.class);
        match class {
            None | Some(Class::Different) if !self.known.is_empty() => Mark::Known,
            None | Some(Class::Different) => Mark::Different,
            Some(Class::Exact) => Mark::Same,
            Some(Class::Within) => Mark::Near,
            Some(Class::NotCompared(_)) => Mark::Skipped,
        }
    }
}

/// Number of scripts per classification.
#[derive(Clone, PartialEq, Debug, Default)]
struct Counts {
    same: usize,
    near: usize,
    known: usize,
    different: usize,
    skipped: usize,
    ulp: f64,
    near_zero: f64,
    steps: f64,
}

impl Counts {
    fn add(&mut self, judged: &Judged<'_>) {
        *match judged.mark() {
            Mark::Same => &mut self.same,
            Mark::Near => &mut self.near,
            Mark::Known => &mut self.known,
            Mark::Different => &mut self.different,
            Mark::Skipped => &mut self.skipped,
        } += 1;
        // If values differ beyond the tolerance, the distances of the others are not meaningful.
        if let (Mark::Same | Mark::Near, Some(comparison)) = (judged.mark(), judged.comparison) {
            self.ulp = self.ulp.max(comparison.ulp);
            self.near_zero = self.near_zero.max(comparison.near_zero);
            self.steps = self.steps.max(comparison.steps);
        }
    }

    fn compared(&self) -> usize {
        self.same + self.near + self.known + self.different
    }

    fn cells(&self) -> [String; 7] {
        let distance = distance(self.ulp, self.near_zero, self.steps);
        let counts = [
            self.compared(),
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

/// Returns the family of a script, derived from the paths on the command line: the directory among
/// several, or the first directory below a single one. Otherwise it is derived from the coverage
/// ids of the script and its directory.
pub fn family(roots: &[PathBuf], script: &str, covers: &[String]) -> String {
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
    let folder = || Some(path.parent()?.file_name()?.to_string_lossy().into_owned());
    let named = roots.iter().filter_map(below);
    let deepest = named.max_by_key(|(depth, _)| *depth);
    let found = deepest
        .map(|(_, name)| name)
        .or_else(covered)
        .or_else(folder);
    found.unwrap_or_else(|| "none".to_owned())
}

/// Counts by family, with a last line for all of them if there are several.
fn rows(all: &[Judged<'_>]) -> Vec<(String, Counts)> {
    let mut families: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut total = Counts::default();
    for judged in all {
        families.entry(judged.family).or_default().add(judged);
        total.add(judged);
    }
    let mut rows: Vec<(String, Counts)> = families
        .into_iter()
        .map(|(family, counts)| (family.to_owned(), counts))
        .collect();
    if rows.len() != 1 {
        rows.push(("all".to_owned(), total));
    }
    rows
}

/// Returns the table for terminals.
pub fn table(all: &[Judged<'_>]) -> String {
    let mut lines: Vec<Vec<String>> = vec![COLUMNS.map(str::to_owned).to_vec()];
    for (family, counts) in rows(all) {
        lines.push([family].into_iter().chain(counts.cells()).collect());
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
pub fn markdown(all: &[Judged<'_>]) -> String {
    let mut text = "# One script, two interpreters\n\n".to_owned();
    text.push_str(
        "Every script ran twice, and all that its programs left was compared: framebuffers, buffers, images, captured vertices, and \
         whether programs are accepted. `docs/comparing.md` says how to read the numbers.\n\n",
    );
    for line in drivers(all) {
        let _ = writeln!(text, "- {line}");
    }
    let _ = writeln!(text, "\n| {} |", COLUMNS.join(" | "));
    let _ = writeln!(text, "|---|{}", "---:|".repeat(COLUMNS.len() - 1));
    for (family, counts) in rows(all) {
        let _ = writeln!(text, "| {family} | {} |", counts.cells().join(" | "));
    }
    write_known(&mut text, all);
    write_different(&mut text, all);
    write_skipped(&mut text, all);
    text
}

fn drivers(all: &[Judged<'_>]) -> BTreeSet<String> {
    let comparisons = all.iter().filter_map(|judged| judged.comparison);
    comparisons
        .map(|comparison| {
            let [a, b] = &comparison.drivers;
            format!("{a} and {b}")
        })
        .collect()
}

fn write_known(text: &mut String, all: &[Judged<'_>]) {
    let mut known: BTreeMap<&Decision, Vec<&str>> = BTreeMap::new();
    for judged in all.iter().filter(|judged| judged.mark() == Mark::Known) {
        for decision in judged.known {
            known.entry(decision).or_default().push(judged.script);
        }
    }
    if known.is_empty() {
        return;
    }
    text.push_str("\n## Known differences\n\n| decided by | why | scripts |\n|---|---|---|\n");
    for (decision, scripts) in known {
        let (section, reason) = (cell(&decision.section), cell(&decision.reason));
        let _ = writeln!(text, "| {section} | {reason} | {} |", named(&scripts));
    }
}

fn write_different(text: &mut String, all: &[Judged<'_>]) {
    let different = |judged: &&Judged<'_>| judged.mark() == Mark::Different;
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

fn write_skipped(text: &mut String, all: &[Judged<'_>]) {
    let mut reasons: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for judged in all {
        let class = judged.comparison.map(|comparison| &comparison.class);
        if let Some(Class::NotCompared(reason)) = class {
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
        let _ = writeln!(text, "| {family} | {count} | {} |", cell(reason));
    }
}

/// Returns a text as a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// Returns the scripts, possibly abbreviated, since there may be many.
fn named(scripts: &[&str]) -> String {
    let shown = scripts.iter().take(MAX_NAMED);
    let mut text = shown
        .map(|script| format!("`{script}`"))
        .collect::<Vec<_>>()
        .join(", ");
    if scripts.len() > MAX_NAMED {
        let _ = write!(text, " and {} more", scripts.len() - MAX_NAMED);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tests::run;
    use super::super::{DifferenceKind, compare};
    use super::*;
    use crate::outcome::Outcome;

    fn comparisons() -> [Comparison; 4] {
        let same = compare(&run("gl"), &run("vulkan"));
        let mut near = same.clone();
        (near.class, near.ulp) = (Class::Within, 3.0);
        let mut different = same.clone();
        (different.class, different.ulp) = (Class::Different, 9e9);
        different.differ(DifferenceKind::Values, Some(4), "buffer: 1 of 2".into());
        let skipped = super::super::Recording {
            outcome: Outcome::Skip("no a|b".into()),
            ..run("gl")
        };
        [same, near, different, compare(&skipped, &run("vulkan"))]
    }

    fn judged<'a>(all: &'a [Comparison], known: &'a [Decision]) -> Vec<Judged<'a>> {
        let judge = |script, family, index: usize, known| Judged {
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
        let text = table(&judged(&all, &known));
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
        let text = markdown(&judged(&all, &known));
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
        let nothing = markdown(&judged(&all, &known)[..2]);
        assert!(!nothing.contains("## "), "{nothing}");
    }

    #[test]
    fn families_are_folders() {
        let covers = ["gp.op.ADD/F".to_owned()];
        let family = |roots: &[&str], script, covers: &[String]| {
            let roots: Vec<PathBuf> = roots.iter().map(PathBuf::from).collect();
            family(&roots, script, covers)
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
