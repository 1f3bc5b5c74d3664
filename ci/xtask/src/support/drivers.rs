//! The drivers of the page: a column for each with the features that it proves, and the differences
//! of those that only a record covers.

use crate::drivers::record::DriverRecord;
use crate::features::{self, Coverage, FeatureRow, Features};
use glasm_ci_support::report::ScriptResult;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// Results of each driver: those of this run, and those of records.
pub(super) struct Drivers<'a> {
    results: Vec<(String, Vec<ScriptResult>)>,
    records: &'a [DriverRecord],
}

/// Features that one driver proves.
pub(super) struct DriverColumn<'a> {
    /// Driver.
    pub(super) name: &'a str,
    coverage: Coverage<'a>,
}

impl<'a> Drivers<'a> {
    /// Groups results by driver and adds the recorded results of other driver versions.
    pub(super) fn new(results: &[ScriptResult], records: &'a [DriverRecord]) -> Self {
        let mut present: Vec<(String, Vec<ScriptResult>)> = Vec::new();
        for result in results {
            match present.iter_mut().find(|(name, _)| *name == result.driver) {
                Some((_, own)) => own.push(result.clone()),
                None => present.push((result.driver.clone(), vec![result.clone()])),
            }
        }
        let recorded = records
            .iter()
            .map(|record| (record.name(), record.results(results)));
        Self {
            results: present.into_iter().chain(recorded).collect(),
            records,
        }
    }

    /// Returns a column of the table for each driver: its name with the features that it proves.
    pub(super) fn columns<'b>(&'b self, features: &'b Features) -> Vec<DriverColumn<'b>> {
        let column = |(name, results): &'b (String, Vec<ScriptResult>)| DriverColumn {
            name,
            coverage: features::join_claims(features, results),
        };
        self.results.iter().map(column).collect()
    }

    /// Writes the table of the scripts that differ in recorded driver versions; nothing if there
    /// are none.
    pub(super) fn write_differences(&self, text: &mut String) {
        let scripts: BTreeSet<&str> = self
            .records
            .iter()
            .flat_map(|record| record.differing().map(|(script, _)| script))
            .collect();
        if scripts.is_empty() {
            return;
        }
        let names: Vec<String> = self.records.iter().map(DriverRecord::name).collect();
        let _ = write!(
            text,
            "\n## Differences of newer versions of Mesa\n\n\
             These scripts differ on Vulkan. The lists in [tests/drivers](../tests/drivers/README.md) contain the reasons.\n\n| script | {} |\n|---{}|\n",
            names.join(" | "),
            "|---".repeat(names.len())
        );
        for script in scripts {
            let reason = |record: &DriverRecord| {
                let found: BTreeMap<&str, &str> = record.differing().collect();
                match found.get(script).copied() {
                    Some("expected to fail") => "differs".to_owned(),
                    Some(reason) => reason.to_owned(),
                    None => "passes".to_owned(),
                }
            };
            let reasons: Vec<String> = self.records.iter().map(reason).collect();
            let _ = writeln!(text, "| {script} | {} |", reasons.join(" | "));
        }
    }
}

impl DriverColumn<'_> {
    /// Returns the number of variants of some entries that the driver proves.
    pub(super) fn count_proved(&self, rows: &[&FeatureRow]) -> usize {
        self.coverage.proved_share(rows).claims[0]
    }
}
