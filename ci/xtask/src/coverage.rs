//! `cargo xtask coverage`: which features of the languages the passing scripts prove.
//!
//! A feature list (`tests/features/*.tsv`) has one feature per row: id, headers, comma-separated variants or `-`,
//! summary, specification. Scripts claim ids in lines `# covers: id ...`, where an id is `row` for a row without
//! variants and `row/variant` else. A row is covered when all its variants are; an id that names nothing is an error.

use crate::suite::{self, Outcome, ScriptResult};
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Where the feature lists are.
const FEATURES: &str = "tests/features";

/// What `coverage` was asked for.
#[derive(Default)]
pub(crate) struct Options {
    /// What to print beside the totals.
    pub(crate) list: List,
    /// Reports of earlier runs; none: run the suites now.
    pub(crate) reports: Vec<PathBuf>,
}

/// What to print beside the totals.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum List {
    /// Nothing.
    #[default]
    Nothing,
    /// Every uncovered id.
    Missing,
}

/// `cargo xtask coverage`.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let results = if options.reports.is_empty() {
        suite::run_everywhere()?
    } else {
        suite::read_reports(&options.reports)?
    };
    let covered = print_report(&results, options.list)?;
    Ok(if covered {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

/// Prints a line per language. `false` if a script claims an id that does not exist.
pub(crate) fn print_report(results: &[ScriptResult], list: List) -> Result<bool> {
    let features = Features::load(Path::new(FEATURES))?;
    let coverage = join(&features, results);
    for problem in &coverage.problems {
        println!("error: {problem}");
    }
    for (language, rows) in features.languages() {
        println!("{}", summary(language, &rows, &coverage.covered));
    }
    if list == List::Missing {
        for id in features.ids().filter(|id| !coverage.covered.contains(*id)) {
            println!("missing {id}");
        }
    }
    Ok(coverage.problems.is_empty())
}

/// One feature.
struct Row {
    id: String,
    /// Everything a script can claim of it: the id itself, or one id per variant.
    claims: Vec<String>,
}

/// The feature lists, in file order.
#[derive(Default)]
struct Features {
    rows: Vec<Row>,
}

impl Features {
    fn load(dir: &Path) -> Result<Self> {
        let entries =
            std::fs::read_dir(dir).with_context(|| format!("reading {}", dir.display()))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "tsv"));
        files.sort();
        let mut features = Self::default();
        for file in files {
            let text = std::fs::read_to_string(&file)
                .with_context(|| format!("reading {}", file.display()))?;
            features
                .add(&text)
                .with_context(|| file.display().to_string())?;
        }
        Ok(features)
    }

    /// Adds the rows of one list, whose first line is a heading.
    fn add(&mut self, text: &str) -> Result<()> {
        for (number, line) in text
            .lines()
            .enumerate()
            .skip(1)
            .filter(|(_, line)| !line.is_empty())
        {
            let mut columns = line.split('\t');
            let (Some(id), Some(_), Some(variants)) =
                (columns.next(), columns.next(), columns.next())
            else {
                bail!(
                    "line {}: expected id, headers and variants, separated by tabs",
                    number + 1
                );
            };
            let claims = match variants {
                "-" => vec![id.to_owned()],
                list => list
                    .split(',')
                    .map(|variant| format!("{id}/{}", variant.trim()))
                    .collect(),
            };
            self.rows.push(Row {
                id: id.to_owned(),
                claims,
            });
        }
        Ok(())
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        self.rows
            .iter()
            .flat_map(|row| row.claims.iter().map(String::as_str))
    }

    /// The rows of each language: the first part of the id.
    fn languages(&self) -> BTreeMap<&str, Vec<&Row>> {
        let mut languages: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
        for row in &self.rows {
            let language = row.id.split('.').next().unwrap_or(&row.id);
            languages.entry(language).or_default().push(row);
        }
        languages
    }
}

/// What the scripts prove.
struct Coverage {
    covered: BTreeSet<String>,
    problems: Vec<String>,
}

/// Joins claims and features. A claim counts if its script passes on some device and fails on none; a claim that names
/// nothing is a problem whatever the outcome.
fn join(features: &Features, results: &[ScriptResult]) -> Coverage {
    let known: BTreeSet<&str> = features.ids().collect();
    let rows_with_variants: BTreeMap<&str, &Row> = features
        .rows
        .iter()
        .map(|row| (row.id.as_str(), row))
        .collect();
    let failed: BTreeSet<&str> = scripts_with(results, Outcome::Fail);
    let passed: BTreeSet<&str> = scripts_with(results, Outcome::Pass);
    let mut coverage = Coverage {
        covered: BTreeSet::new(),
        problems: Vec::new(),
    };
    let mut seen = BTreeSet::new();
    for result in results
        .iter()
        .filter(|result| seen.insert(result.script.as_str()))
    {
        for claim in &result.covers {
            if known.contains(claim.as_str()) {
                if passed.contains(result.script.as_str())
                    && !failed.contains(result.script.as_str())
                {
                    coverage.covered.insert(claim.clone());
                }
            } else {
                let reason = rows_with_variants.get(claim.as_str()).map_or_else(
                    || "there is no such feature".to_owned(),
                    |row| {
                        format!(
                            "this feature has variants; name them: {}",
                            row.claims.join(" ")
                        )
                    },
                );
                coverage
                    .problems
                    .push(format!("{}: covers {claim}: {reason}", result.script));
            }
        }
    }
    coverage
}

fn scripts_with(results: &[ScriptResult], outcome: Outcome) -> BTreeSet<&str> {
    results
        .iter()
        .filter(|result| result.outcome == outcome)
        .map(|result| result.script.as_str())
        .collect()
}

/// `gp 873/1041 rows 2210/2652 variants 83.9 %`: the share is that of rows.
fn summary(language: &str, rows: &[&Row], covered: &BTreeSet<String>) -> String {
    let claims: usize = rows.iter().map(|row| row.claims.len()).sum();
    let proven: usize = rows
        .iter()
        .flat_map(|row| &row.claims)
        .filter(|claim| covered.contains(*claim))
        .count();
    let whole = rows
        .iter()
        .filter(|row| row.claims.iter().all(|claim| covered.contains(claim)))
        .count();
    // Counts of this size are exact as f64.
    let share = 100.0 * whole as f64 / rows.len().max(1) as f64;
    format!(
        "{language} {whole}/{} rows {proven}/{claims} variants {share:.1} %",
        rows.len()
    )
}

#[cfg(test)]
mod tests {
    use super::{Features, join, summary};
    use crate::suite::{Outcome, ScriptResult};

    const LIST: &str = "id\theaders\tvariants\tsummary\tspec\n\
                        gp.op.ADD\tall\tF32,S32\tadds\tx\n\
                        gp.op.NOP\tall\t-\tdoes nothing\tx\n\
                        arb.op.MUL\tall\t-\tmultiplies\tx\n";

    fn features() -> Features {
        let mut features = Features::default();
        features.add(LIST).unwrap();
        features
    }

    fn result(script: &str, outcome: Outcome, covers: &[&str]) -> ScriptResult {
        ScriptResult {
            script: script.to_owned(),
            outcome,
            covers: covers.iter().map(|id| (*id).to_owned()).collect(),
            ..ScriptResult::default()
        }
    }

    fn line(language: &str, results: &[ScriptResult]) -> String {
        let features = features();
        let coverage = join(&features, results);
        assert_eq!(coverage.problems, Vec::<String>::new());
        summary(language, &features.languages()[language], &coverage.covered)
    }

    #[test]
    fn a_row_is_covered_when_all_its_variants_are() {
        let half = [result("a", Outcome::Pass, &["gp.op.ADD/F32"])];
        assert_eq!(line("gp", &half), "gp 0/2 rows 1/3 variants 0.0 %");
        let whole = [
            half[0].clone(),
            result("b", Outcome::Pass, &["gp.op.ADD/S32"]),
        ];
        assert_eq!(line("gp", &whole), "gp 1/2 rows 2/3 variants 50.0 %");
        assert_eq!(line("arb", &whole), "arb 0/1 rows 0/1 variants 0.0 %");
    }

    #[test]
    fn only_scripts_that_fail_nowhere_count() {
        let failing = [
            result("a", Outcome::Pass, &["gp.op.NOP"]),
            result("a", Outcome::Fail, &["gp.op.NOP"]),
        ];
        assert_eq!(line("gp", &failing), "gp 0/2 rows 0/3 variants 0.0 %");
        let skipping = [
            result("a", Outcome::Skip, &["gp.op.NOP"]),
            result("a", Outcome::Pass, &["gp.op.NOP"]),
        ];
        assert_eq!(line("gp", &skipping), "gp 1/2 rows 1/3 variants 50.0 %");
        assert_eq!(line("gp", &skipping[..1]), "gp 0/2 rows 0/3 variants 0.0 %");
    }

    #[test]
    fn ids_that_name_nothing_are_problems() {
        let claims = ["gp.op.ADD", "gp.op.ADD/F64", "gp.op.NOP/F32", "gp.op.XYZ"];
        let coverage = join(
            &features(),
            &[result("bad.shader_test", Outcome::Fail, &claims)],
        );
        assert_eq!(coverage.problems.len(), 4);
        for (problem, claim) in coverage.problems.iter().zip(claims) {
            assert!(
                problem.starts_with(&format!("bad.shader_test: covers {claim}: ")),
                "{problem}"
            );
        }
        assert!(coverage.problems[0].ends_with("gp.op.ADD/F32 gp.op.ADD/S32"));
    }
}
