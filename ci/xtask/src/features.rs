//! The feature lists, and the results of scripts for each feature.
//!
//! A feature list (`tests/features/*.tsv`) has one feature per line: id, headers of programs,
//! comma-separated variants or `-`, summary, specification. Scripts claim ids in lines `# covers:
//! id ...`, where an id is `row` for an entry without variants and otherwise `row/variant`.
//!
//! An entry is covered if all its variants are; an unknown id is an error.

use anyhow::{Context, Result};
use glasm_ci_support::report::{Outcome, ScriptResult};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Directory of the feature lists.
const FEATURES: &str = "tests/features";

/// Feature of a list.
pub(crate) struct FeatureRow {
    /// Id: language, area, name.
    pub(crate) id: String,
    /// Programs that have it.
    pub(crate) headers: String,
    /// Claims that a script can make: the id itself, or one id per variant.
    pub(crate) claims: Vec<String>,
    /// Specification of the feature.
    pub(crate) spec: String,
}

impl FeatureRow {
    /// Returns the language of the feature: the first part of its id.
    pub(crate) fn language(&self) -> &str {
        self.id.split('.').next().unwrap_or(&self.id)
    }

    /// Returns language and area of the feature: the first two parts of its id.
    pub(crate) fn area(&self) -> &str {
        let second = self.id.match_indices('.').nth(1);
        second.map_or(&*self.id, |(end, _)| &self.id[..end])
    }
}

/// Feature lists, in file order.
#[derive(Default)]
pub(crate) struct Features {
    pub(crate) rows: Vec<FeatureRow>,
}

impl Features {
    /// Reads all feature lists, in the order of their names.
    pub(crate) fn load() -> Result<Self> {
        let entries = std::fs::read_dir(FEATURES).with_context(|| format!("reading {FEATURES}"))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "tsv"));
        files.sort();
        let mut features = Self::default();
        for file in files {
            features.add_rows(&read_table(&file)?);
        }
        Ok(features)
    }

    /// Adds the entries of one list, each with the ids of its variants.
    pub(crate) fn add_rows(&mut self, rows: &[[String; 5]]) {
        for [id, headers, variants, _, spec] in rows {
            let claims = match variants.as_str() {
                "-" => vec![id.clone()],
                list => list
                    .split(',')
                    .map(|variant| format!("{id}/{}", variant.trim()))
                    .collect(),
            };
            self.rows.push(FeatureRow {
                id: id.clone(),
                headers: headers.clone(),
                claims,
                spec: spec.clone(),
            });
        }
    }

    /// Returns the ids of all entries and variants that scripts can claim.
    pub(crate) fn claimable_ids(&self) -> impl Iterator<Item = &str> {
        self.rows
            .iter()
            .flat_map(|row| row.claims.iter().map(String::as_str))
    }

    /// Groups the entries by language.
    pub(crate) fn languages(&self) -> BTreeMap<&str, Vec<&FeatureRow>> {
        group_by(&self.rows, FeatureRow::language)
    }
}

/// Groups entries by a part of their ids; the order of entries is preserved.
pub(crate) fn group_by<'a>(
    rows: impl IntoIterator<Item = &'a FeatureRow>,
    part: fn(&FeatureRow) -> &str,
) -> BTreeMap<&'a str, Vec<&'a FeatureRow>> {
    let mut groups: BTreeMap<&str, Vec<&FeatureRow>> = BTreeMap::new();
    for row in rows {
        groups.entry(part(row)).or_default().push(row);
    }
    groups
}

/// Reads a file of `N` columns separated by tabs, under a line of headings.
pub(crate) fn read_table<const N: usize>(file: &Path) -> Result<Vec<[String; N]>> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    parse_table(&text).with_context(|| file.display().to_string())
}

/// Parses a table with `N` columns separated by tabs. The first line has headings; a line with
/// other columns is an error.
pub(crate) fn parse_table<const N: usize>(text: &str) -> Result<Vec<[String; N]>> {
    let lines = text.lines().enumerate().skip(1);
    lines
        .filter(|(_, line)| !line.is_empty())
        .map(|(number, line)| {
            let columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
            <[String; N]>::try_from(columns)
                .ok()
                .with_context(|| format!("line {}: expected {N} columns", number + 1))
        })
        .collect()
}

/// Results of the scripts that claim a feature.
#[derive(Default)]
pub(crate) struct ClaimResults<'a> {
    /// Drivers on which a script passes that fails on none.
    pub(crate) passed: BTreeSet<&'a str>,
    /// True if a script fails on some driver.
    pub(crate) failed: bool,
    /// Reasons why scripts are skipped, by driver.
    pub(crate) skipped: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

/// Features that the scripts prove.
pub(crate) struct Coverage<'a> {
    /// Results by claim.
    pub(crate) claim_results: BTreeMap<&'a str, ClaimResults<'a>>,
    /// Claims of unknown features.
    pub(crate) problems: Vec<String>,
}

impl Coverage<'_> {
    /// Returns true if a script proves this claim: it passes on some driver and fails on none.
    pub(crate) fn covers(&self, claim: &str) -> bool {
        self.claim_results
            .get(claim)
            .is_some_and(|standing| !standing.passed.is_empty())
    }

    /// Counts how many of these entries and of their variants are proved.
    pub(crate) fn proved_share(&self, rows: &[&FeatureRow]) -> Share {
        let claims = rows.iter().flat_map(|row| &row.claims);
        let whole = |row: &&&FeatureRow| row.claims.iter().all(|claim| self.covers(claim));
        Share {
            rows: [rows.iter().filter(whole).count(), rows.len()],
            claims: [
                claims.clone().filter(|claim| self.covers(claim)).count(),
                claims.count(),
            ],
        }
    }
}

/// Number of proved features, and total number.
#[derive(Clone, Copy)]
pub(crate) struct Share {
    /// Entries that are proved completely.
    pub(crate) rows: [usize; 2],
    /// Variants; an entry without variants is treated as one.
    pub(crate) claims: [usize; 2],
}

impl Share {
    /// Returns the percentage of completely proved entries; 0 if there are no entries.
    pub(crate) fn percent(self) -> f64 {
        // Counts of this size are exact as f64.
        100.0 * self.rows[0] as f64 / self.rows[1].max(1) as f64
    }
}

/// Joins claims and features. A claim of an unknown feature is an error, regardless of the outcome.
pub(crate) fn join_claims<'a>(features: &'a Features, results: &'a [ScriptResult]) -> Coverage<'a> {
    let known: BTreeSet<&str> = features.claimable_ids().collect();
    let failed: BTreeSet<&str> = results
        .iter()
        .filter(|result| result.outcome == Outcome::Fail)
        .map(|result| result.script.as_str())
        .collect();
    let mut standings: BTreeMap<&str, ClaimResults<'_>> = BTreeMap::new();
    let mut problems = BTreeSet::new();
    for result in results {
        for claim in &result.covers {
            let Some(claim) = known.get(claim.as_str()) else {
                problems.insert(describe_unknown_claim(features, &result.script, claim));
                continue;
            };
            let standing = standings.entry(claim).or_default();
            if failed.contains(result.script.as_str()) {
                standing.failed = true;
            } else if result.outcome == Outcome::Pass {
                standing.passed.insert(&result.driver);
            } else {
                let reasons = standing.skipped.entry(&result.driver).or_default();
                reasons.insert(&result.reason);
            }
        }
    }
    Coverage {
        claim_results: standings,
        problems: problems.into_iter().collect(),
    }
}

/// Returns the message about a script that claims an id which no feature or variant has.
fn describe_unknown_claim(features: &Features, script: &str, claim: &str) -> String {
    let row = features.rows.iter().find(|row| row.id == claim);
    let reason = row.map_or_else(
        || "there is no such feature".to_owned(),
        |row| {
            let names = row.claims.join(" ");
            format!("this feature has variants; name them: {names}")
        },
    );
    format!("{script}: covers {claim}: {reason}")
}

#[cfg(test)]
mod tests {
    use super::{Features, join_claims, parse_table};
    use glasm_ci_support::report::{Outcome, ScriptResult};

    const LIST: &str = "id\theaders\tvariants\tsummary\tspec\n\
                        gp.op.ADD\tall\tF32,S32\tadds\tx\n\
                        gp.op.NOP\tall\t-\tdoes nothing\tx\n\
                        arb.op.MUL\tall\t-\tmultiplies\tx\n";

    fn features() -> Features {
        let mut features = Features::default();
        features.add_rows(&parse_table(LIST).unwrap());
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

    /// Returns the numbers of proved rows and claims of a language.
    fn proved(language: &str, results: &[ScriptResult]) -> [usize; 2] {
        let features = features();
        let coverage = join_claims(&features, results);
        assert_eq!(coverage.problems, Vec::<String>::new());
        let share = coverage.proved_share(&features.languages()[language]);
        [share.rows[0], share.claims[0]]
    }

    #[test]
    fn a_row_is_covered_when_all_its_variants_are() {
        let half = [result("a", Outcome::Pass, &["gp.op.ADD/F32"])];
        assert_eq!(proved("gp", &half), [0, 1]);
        let whole = [
            half[0].clone(),
            result("b", Outcome::Pass, &["gp.op.ADD/S32"]),
        ];
        assert_eq!(proved("gp", &whole), [1, 2]);
        assert_eq!(proved("arb", &whole), [0, 0]);
    }

    #[test]
    fn only_scripts_that_fail_nowhere_count() {
        let failing = [
            result("a", Outcome::Pass, &["gp.op.NOP"]),
            result("a", Outcome::Fail, &["gp.op.NOP"]),
        ];
        assert_eq!(proved("gp", &failing), [0, 0]);
        let skipping = [
            result("a", Outcome::Skip, &["gp.op.NOP"]),
            result("a", Outcome::Pass, &["gp.op.NOP"]),
        ];
        assert_eq!(proved("gp", &skipping), [1, 1]);
        assert_eq!(proved("gp", &skipping[..1]), [0, 0]);
    }

    #[test]
    fn ids_that_name_nothing_are_problems() {
        let claims = ["gp.op.ADD", "gp.op.ADD/F64", "gp.op.NOP/F32", "gp.op.XYZ"];
        let features = features();
        let results = [result("bad.shader_test", Outcome::Fail, &claims)];
        let coverage = join_claims(&features, &results);
        assert_eq!(coverage.problems.len(), 4);
        let problem = |claim: &str| {
            let start = format!("bad.shader_test: covers {claim}: ");
            let found = coverage
                .problems
                .iter()
                .find_map(|problem| problem.strip_prefix(&start));
            found.unwrap_or_else(|| panic!("no problem with {claim}"))
        };
        assert!(
            claims[1..]
                .iter()
                .all(|claim| problem(claim) == "there is no such feature")
        );
        assert!(problem(claims[0]).ends_with("gp.op.ADD/F32 gp.op.ADD/S32"));
    }

    #[test]
    fn rows_need_all_columns() {
        assert!(parse_table::<5>("heading\ngp.op.ADD\tall").is_err());
        let areas = parse_table::<2>("heading\na\tb\n\nc\td\n").unwrap();
        assert_eq!(areas, [["a", "b"], ["c", "d"]]);
    }
}
