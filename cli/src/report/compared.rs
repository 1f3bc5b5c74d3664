//! Scripts that ran twice: how the two runs agree, as lines, as a table by family, and as a document.

use super::record::{FailureRecord, Fault, Record, Results, Verdict};
use glasm_scripts::compare::known::reference;
use glasm_scripts::compare::report::{self, Judged, Mark, family};
use glasm_scripts::compare::{Class, Comparison, Decision, Driver, Known};
use std::path::{Path, PathBuf};

impl Record {
    /// Returns the result of a comparison. The script passes if its two runs agree.
    pub(crate) fn compared(path: &Path, device: &str, comparison: Comparison) -> Self {
        let beyond = comparison.differences.iter().filter(|found| found.beyond);
        let failures: Vec<FailureRecord> = beyond
            .map(|difference| FailureRecord {
                line: difference.line,
                column: None,
                message: difference.text.clone(),
            })
            .collect();
        let (outcome, reason) = match &comparison.class {
            Class::Exact | Class::Within => (Verdict::Pass, None),
            Class::Different => {
                let first = failures.first().map(FailureRecord::first_line);
                (Verdict::Fail, first)
            }
            Class::NotCompared(reason) => (Verdict::Skip, Some(reason.clone())),
        };
        Self {
            outcome,
            reason,
            failures,
            comparison: Some(Box::new(comparison)),
            ..Self::empty(path, device)
        }
    }

    /// A comparison passes too if all that differs is known, and so does a crash.
    pub(crate) fn judge(&mut self, known: &Known) {
        let mut explained: Vec<Decision> = match (&self.comparison, self.fault) {
            (Some(comparison), _) => {
                let found = known.explain(&self.path, comparison).unwrap_or_default();
                found.into_iter().map(Decision::from).collect()
            }
            (None, Some(Fault::Crash | Fault::Timeout | Fault::DeviceLost)) => {
                let found = known.explain_crash(&self.path, &reference_of(&self.device));
                found.map(Decision::from).into_iter().collect()
            }
            (None, None) => Vec::new(),
        };
        // Entries for several kinds of differences may share their reason.
        explained.sort();
        explained.dedup();
        if !explained.is_empty() {
            self.outcome = Verdict::Pass;
            self.known = explained;
        }
    }

    /// `NEAR path: 3 ulp (12 ms)`, with what differs in indented lines below.
    pub(super) fn compared_line(&self, comparison: &Comparison) -> String {
        let (path, time) = (&self.path, format!("{:.0} ms", self.duration_ms));
        let mut text = match self.judged("").mark() {
            Mark::Same => format!("SAME {path} ({time})\n"),
            Mark::Near => {
                let distance = comparison.distance();
                let distance = distance.unwrap_or_else(|| "as the script allows".to_owned());
                format!("NEAR {path}: {distance} ({time})\n")
            }
            Mark::Known => {
                let why =
                    |decision: &Decision| format!("{} ({})", decision.reason, decision.section);
                let why: Vec<String> = self.known.iter().map(why).collect();
                return format!("KNOWN {path}: {} ({time})\n", why.join("; "));
            }
            Mark::Different => format!("DIFF {path} ({time})\n"),
            Mark::Skipped => {
                let reason = self.reason.as_deref().unwrap_or("no reason given");
                format!("SKIP {path}: {reason}\n")
            }
        };
        text.push_str(&self.details());
        text
    }

    fn judged<'a>(&'a self, family: &'a str) -> Judged<'a> {
        Judged {
            script: &self.path,
            family,
            comparison: self.comparison.as_deref(),
            known: &self.known,
        }
    }
}

/// Returns the driver whose differences are known, from the name of what a process that crashed ran
/// scripts on.
fn reference_of(device: &str) -> Driver {
    let driver = |name: &str| Driver {
        api: name.split(' ').next().unwrap_or_default().to_owned(),
        device: name.to_owned(),
        driver: String::new(),
    };
    match device.split_once(crate::run::BETWEEN) {
        Some((a, b)) => reference(&[driver(a), driver(b)]).clone(),
        None => driver(device),
    }
}

/// Calls `then` with all comparisons.
fn with_judged<T>(
    results: &Results,
    roots: &[PathBuf],
    then: impl FnOnce(&[Judged<'_>]) -> T,
) -> T {
    let families: Vec<(&Record, String)> = results
        .records()
        .map(|record| (record, family(roots, &record.path, &record.covers)))
        .collect();
    let judged = families
        .iter()
        .map(|(record, family)| record.judged(family));
    then(&judged.collect::<Vec<_>>())
}

/// Returns the table by family; `roots` is what was named on the command line.
pub(crate) fn family_table(results: &Results, roots: &[PathBuf]) -> String {
    with_judged(results, roots, report::table)
}

/// Returns the document about a comparison.
pub(crate) fn document(results: &Results, roots: &[PathBuf]) -> String {
    with_judged(results, roots, report::markdown)
}

/// `3 compared: 1 exact, 1 within tolerance, 0 known, 1 different; 2 not compared`
pub(crate) fn comparison_counts(results: &Results) -> String {
    let count = |mark: Mark| {
        let marks = results.records().map(|record| record.judged("").mark());
        marks.filter(|found| *found == mark).count()
    };
    let [same, near, known, different, skipped] = [
        Mark::Same,
        Mark::Near,
        Mark::Known,
        Mark::Different,
        Mark::Skipped,
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

    fn record(class: Class) -> Record {
        let drivers = ["gl", "vulkan"].map(|api| Driver {
            api: api.into(),
            device: "card".into(),
            driver: "Mesa".into(),
        });
        let mut comparison = Comparison::not_compared(drivers, String::new());
        comparison.class = class;
        if comparison.class == Class::Different {
            comparison
                .differences
                .push(glasm_scripts::compare::Difference {
                    kind: DifferenceKind::Values,
                    beyond: true,
                    line: Some(3),
                    text: "attachment 0: 1 of 4 values differ".into(),
                    samples: Vec::new(),
                });
        }
        Record::compared(Path::new("arb/a.shader_test"), "d", comparison)
    }

    fn known(kind: &str) -> Known {
        let text = format!(
            "[[difference]]\nscripts = '*.shader_test'\ndriver = 'mesa'\nkind = '{kind}'\nsection = 'ARB 2'\nreason = 'rounds'\n"
        );
        Known::parse(&text).unwrap()
    }

    #[test]
    fn lines_say_how_runs_agree() {
        assert_eq!(
            record(Class::Exact).line(),
            "SAME arb/a.shader_test (0 ms)\n"
        );
        let mut near = record(Class::Within);
        assert_eq!(
            near.line(),
            "NEAR arb/a.shader_test: as the script allows (0 ms)\n"
        );
        near.comparison.as_mut().unwrap().ulp = 3.0;
        assert_eq!(near.line(), "NEAR arb/a.shader_test: 3 ulp (0 ms)\n");
        let skipped = record(Class::NotCompared("gl: no extension".into()));
        assert_eq!(skipped.line(), "SKIP arb/a.shader_test: gl: no extension\n");
        let different = record(Class::Different);
        assert_eq!(
            different.line(),
            "DIFF arb/a.shader_test (0 ms)\n     line 3: attachment 0: 1 of 4 values differ\n"
        );
        assert_eq!(different.outcome, Verdict::Fail);
    }

    #[test]
    fn what_is_known_passes() {
        let mut different = record(Class::Different);
        different.judge(&known("position"));
        assert_eq!(different.outcome, Verdict::Fail);
        different.judge(&known("values"));
        assert_eq!(different.outcome, Verdict::Pass);
        assert_eq!(
            different.line(),
            "KNOWN arb/a.shader_test: rounds (ARB 2) (0 ms)\n"
        );
        let mut skipped = record(Class::NotCompared(String::new()));
        skipped.judge(&known("values"));
        assert_eq!(skipped.outcome, Verdict::Skip);
    }

    #[test]
    fn crashes_may_be_known() {
        let failed = |device: &str| {
            let path = Path::new("arb/a.shader_test");
            let mut record = Record::failed(path, device, Duration::ZERO, "crashed".into());
            record.fault = Some(Fault::Crash);
            record.judge(&known("outcome"));
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
        let classes = [Class::Exact, Class::Within, Class::Different];
        let mut records: Vec<Record> = classes.map(record).into();
        records.push(record(Class::NotCompared("why".into())));
        let results = Results {
            devices: vec!["d".into()],
            rows: records
                .into_iter()
                .map(|record| vec![Some(record)])
                .collect(),
            duration: Duration::ZERO,
        };
        assert_eq!(
            comparison_counts(&results),
            "3 compared: 1 exact, 1 within tolerance, 0 known, 1 different; 1 not compared"
        );
        assert!(family_table(&results, &[]).contains("arb"));
        assert!(document(&results, &[]).contains("| arb | 3 | 1 | 1 | 0 | 1 | 1 | 0 |"));
    }
}
