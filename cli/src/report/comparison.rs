//! Scripts that ran twice: how the two runs agree, as lines, as a table by family, and as a
//! document.

use super::result::{Fault, Results, ScriptFailure, ScriptResult, Verdict};
use glasm_scripts::compare::known_differences::reference_driver;
use glasm_scripts::compare::report::{self, ComparisonStatus, ScoredComparison, script_family};
use glasm_scripts::compare::{Agreement, Decision, Driver, KnownDifferences, RunComparison};
use std::path::{Path, PathBuf};

impl ScriptResult {
    /// Returns the result of a comparison of two runs of a script: passed if they agree within the
    /// tolerances, otherwise failed, with the differences beyond the tolerances as failures;
    /// skipped if the runs could not be compared.
    pub(crate) fn from_comparison(path: &Path, device: &str, comparison: RunComparison) -> Self {
        let beyond = comparison
            .differences
            .iter()
            .filter(|found| found.exceeds_tolerance);
        let failures: Vec<ScriptFailure> = beyond
            .map(|difference| ScriptFailure {
                line: difference.line,
                column: None,
                message: difference.description.clone(),
            })
            .collect();
        let (outcome, reason) = match &comparison.agreement {
            Agreement::Exact | Agreement::WithinTolerance => (Verdict::Pass, None),
            Agreement::Different => {
                let first = failures.first().map(ScriptFailure::first_line);
                (Verdict::Fail, first)
            }
            Agreement::NotCompared(reason) => (Verdict::Skip, Some(reason.clone())),
        };
        Self {
            outcome,
            reason,
            failures,
            comparison: Some(Box::new(comparison)),
            ..Self::new_empty(path, device)
        }
    }

    /// Applies the known differences to the result: if they explain all differences of a
    /// comparison, or a crash, the result passes, with the sorted decisions. Records the use of the
    /// entries.
    pub(crate) fn apply_known_differences(&mut self, known: &KnownDifferences) {
        let mut decisions: Vec<Decision> = match (&self.comparison, self.fault) {
            (Some(comparison), _) => {
                let found = known.explain(&self.path, comparison).unwrap_or_default();
                found.into_iter().map(Decision::from).collect()
            }
            (None, Some(Fault::Crash | Fault::Timeout | Fault::DeviceLost)) => {
                let found = known.explain_crash(&self.path, &parse_driver(&self.device));
                found.map(Decision::from).into_iter().collect()
            }
            (None, None) => Vec::new(),
        };
        // Entries for several kinds of differences may share their reason.
        decisions.sort();
        decisions.dedup();
        if !decisions.is_empty() {
            self.outcome = Verdict::Pass;
            self.known_differences = decisions;
        }
    }

    /// Formats `NEAR path: 3 ulp (12 ms)`, with the output and the differences in indented lines
    /// below, except for known ones, whose reasons follow the path.
    pub(super) fn format_comparison(&self, comparison: &RunComparison) -> String {
        let (path, time) = (&self.path, format!("{:.0} ms", self.duration_ms));
        let mut text = match self.to_scored("").status() {
            ComparisonStatus::Exact => format!("SAME {path} ({time})\n"),
            ComparisonStatus::WithinTolerance => {
                let distance = comparison.describe_distance();
                let distance = distance.unwrap_or_else(|| "as the script allows".to_owned());
                format!("NEAR {path}: {distance} ({time})\n")
            }
            ComparisonStatus::Known => {
                let format_decision =
                    |decision: &Decision| format!("{} ({})", decision.reason, decision.section);
                let why: Vec<String> = self.known_differences.iter().map(format_decision).collect();
                return format!("KNOWN {path}: {} ({time})\n", why.join("; "));
            }
            ComparisonStatus::Different => format!("DIFF {path} ({time})\n"),
            ComparisonStatus::Skipped => {
                let reason = self.reason.as_deref().unwrap_or("no reason given");
                format!("SKIP {path}: {reason}\n")
            }
        };
        text.push_str(&self.format_details());
        text
    }

    /// Returns the comparison of the script in the form of the reports, as a member of a family.
    fn to_scored<'a>(&'a self, family: &'a str) -> ScoredComparison<'a> {
        ScoredComparison {
            script: &self.path,
            family,
            comparison: self.comparison.as_deref(),
            known: &self.known_differences,
        }
    }
}

/// Returns the driver whose differences are listed, from the device name of a process that crashed:
/// of two names the one of GL, else the first. Its API is the first word of the name.
fn parse_driver(device: &str) -> Driver {
    let driver = |name: &str| Driver {
        api: name.split(' ').next().unwrap_or_default().to_owned(),
        device: name.to_owned(),
        driver: String::new(),
    };
    match device.split_once(crate::run::SIDE_SEPARATOR) {
        Some((a, b)) => reference_driver(&[driver(a), driver(b)]).clone(),
        None => driver(device),
    }
}

/// Calls `then` with the comparisons of all scripts, each with its family, and returns its result.
/// `roots` are the paths on the command line.
fn with_scored<T>(
    results: &Results,
    roots: &[PathBuf],
    then: impl FnOnce(&[ScoredComparison<'_>]) -> T,
) -> T {
    let families: Vec<(&ScriptResult, String)> = results
        .iter_results()
        .map(|record| {
            (
                record,
                script_family(roots, &record.path, &record.covered_features),
            )
        })
        .collect();
    let judged = families
        .iter()
        .map(|(record, family)| record.to_scored(family));
    then(&judged.collect::<Vec<_>>())
}

/// Formats the table by family; `roots` are the paths on the command line.
pub(crate) fn format_family_table(results: &Results, roots: &[PathBuf]) -> String {
    with_scored(results, roots, report::print_table)
}

/// Formats the comparisons of all scripts as a Markdown document; `roots` are the paths on the
/// command line.
pub(crate) fn format_comparison_document(results: &Results, roots: &[PathBuf]) -> String {
    with_scored(results, roots, report::print_markdown)
}

/// Formats `3 compared: 1 exact, 1 within tolerance, 0 known, 1 different; 2 not compared`.
pub(crate) fn format_comparison_counts(results: &Results) -> String {
    let count = |mark: ComparisonStatus| {
        let marks = results
            .iter_results()
            .map(|record| record.to_scored("").status());
        marks.filter(|found| *found == mark).count()
    };
    let [same, near, known, different, skipped] = [
        ComparisonStatus::Exact,
        ComparisonStatus::WithinTolerance,
        ComparisonStatus::Known,
        ComparisonStatus::Different,
        ComparisonStatus::Skipped,
    ]
    .map(count);
    format!(
        "{} compared: {same} exact, {near} within tolerance, {known} known, {different} different; {skipped} not compared",
        same + near + known + different
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_scripts::compare::DifferenceKind;
    use std::time::Duration;

    fn record(class: Agreement) -> ScriptResult {
        let drivers = ["gl", "vulkan"].map(|api| Driver {
            api: api.into(),
            device: "card".into(),
            driver: "Mesa".into(),
        });
        let mut comparison = RunComparison::not_compared(drivers, String::new());
        comparison.agreement = class;
        if comparison.agreement == Agreement::Different {
            comparison
                .differences
                .push(glasm_scripts::compare::Difference {
                    kind: DifferenceKind::Values,
                    exceeds_tolerance: true,
                    line: Some(3),
                    description: "attachment 0: 1 of 4 values differ".into(),
                    samples: Vec::new(),
                });
        }
        ScriptResult::from_comparison(Path::new("arb/a.shader_test"), "d", comparison)
    }

    fn known(kind: &str) -> KnownDifferences {
        let text = format!(
            "[[difference]]\nscripts = '*.shader_test'\ndriver = 'mesa'\nkind = '{kind}'\nsection = 'ARB 2'\nreason = 'rounds'\n"
        );
        KnownDifferences::parse(&text).unwrap()
    }

    #[test]
    fn lines_say_how_runs_agree() {
        assert_eq!(
            record(Agreement::Exact).format_line(),
            "SAME arb/a.shader_test (0 ms)\n"
        );
        let mut near = record(Agreement::WithinTolerance);
        assert_eq!(
            near.format_line(),
            "NEAR arb/a.shader_test: as the script allows (0 ms)\n"
        );
        near.comparison.as_mut().unwrap().max_ulp_distance = 3.0;
        assert_eq!(near.format_line(), "NEAR arb/a.shader_test: 3 ulp (0 ms)\n");
        let skipped = record(Agreement::NotCompared("gl: no extension".into()));
        assert_eq!(
            skipped.format_line(),
            "SKIP arb/a.shader_test: gl: no extension\n"
        );
        let different = record(Agreement::Different);
        assert_eq!(
            different.format_line(),
            "DIFF arb/a.shader_test (0 ms)\n     line 3: attachment 0: 1 of 4 values differ\n"
        );
        assert_eq!(different.outcome, Verdict::Fail);
    }

    #[test]
    fn what_is_known_passes() {
        let mut different = record(Agreement::Different);
        different.apply_known_differences(&known("position"));
        assert_eq!(different.outcome, Verdict::Fail);
        different.apply_known_differences(&known("values"));
        assert_eq!(different.outcome, Verdict::Pass);
        assert_eq!(
            different.format_line(),
            "KNOWN arb/a.shader_test: rounds (ARB 2) (0 ms)\n"
        );
        let mut skipped = record(Agreement::NotCompared(String::new()));
        skipped.apply_known_differences(&known("values"));
        assert_eq!(skipped.outcome, Verdict::Skip);
    }

    #[test]
    fn crashes_may_be_known() {
        let failed = |device: &str| {
            let path = Path::new("arb/a.shader_test");
            let mut record =
                ScriptResult::from_failure(path, device, Duration::ZERO, "crashed".into());
            record.fault = Some(Fault::Crash);
            record.apply_known_differences(&known("outcome"));
            record.outcome
        };
        assert_eq!(
            failed("gl on card (Mesa 22) against vulkan on card"),
            Verdict::Pass
        );
        // The entry speaks of the driver of OpenGL.
        let other = "vulkan on card (Mesa 22) against gl on card (NVIDIA)";
        assert_eq!(failed(other), Verdict::Fail);
    }

    #[test]
    fn counts_and_tables_tell_of_all_records() {
        let classes = [
            Agreement::Exact,
            Agreement::WithinTolerance,
            Agreement::Different,
        ];
        let mut records: Vec<ScriptResult> = classes.map(record).into();
        records.push(record(Agreement::NotCompared("why".into())));
        let results = Results {
            devices: vec!["d".into()],
            rows: records
                .into_iter()
                .map(|record| vec![Some(record)])
                .collect(),
            duration: Duration::ZERO,
        };
        assert_eq!(
            format_comparison_counts(&results),
            "3 compared: 1 exact, 1 within tolerance, 0 known, 1 different; 1 not compared"
        );
        assert!(format_family_table(&results, &[]).contains("arb"));
        assert!(
            format_comparison_document(&results, &[])
                .contains("| arb | 3 | 1 | 1 | 0 | 1 | 1 | 0 |")
        );
    }
}
