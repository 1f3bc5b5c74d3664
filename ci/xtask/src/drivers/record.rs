//! Known differences of versions of Mesa: files of `tests/drivers` that have the version in their
//! names, and the record of scripts that did not pass.

use crate::features;
use anyhow::{Context as _, Result};
use glasm_ci_support::counts::Counts;
use glasm_ci_support::report::{Outcome, ScriptResult};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// Directory of the files: `vulkan-25.0.txt` is the list of differences on Mesa 25.0 on Vulkan,
/// `vulkan-25.0.tsv` the record, and scripts show faults of drivers.
pub(crate) const FOLDER: &str = "tests/drivers";

/// Prefix of the names of records.
const VULKAN: &str = "vulkan";

/// Columns of a record.
const HEADINGS: &str = "script\toutcome\treason\n";

/// Command that rewrites the records.
const REFRESH: &str = "BLESS=1 cargo xtask test --only mesa-versions";

/// Version of Mesa: its first two numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Version([u32; 2]);

impl Version {
    /// Parses the first two numbers of a version such as `25.0.7-devel`; `None` if it has fewer.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split(['.', '-', '+']).map(str::parse);
        Some(Self([numbers.next()?.ok()?, numbers.next()?.ok()?]))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([major, minor]) = self;
        write!(f, "{major}.{minor}")
    }
}

/// Scripts that failed or were skipped on a version.
pub(crate) struct DriverRecord {
    version: Version,
    /// Scripts, with the outcome and the reason.
    exceptions: BTreeMap<String, (String, String)>,
}

impl DriverRecord {
    /// Reads the records of all driver versions, in ascending order of version.
    pub(crate) fn load_all() -> Result<Vec<Self>> {
        let files = find_files(VULKAN, "tsv")?;
        files
            .into_iter()
            .map(|(version, path)| Self::load(version, &path))
            .collect()
    }

    /// Reads the record of a driver version: the scripts that differ, with outcomes and reasons.
    fn load(version: Version, path: &Path) -> Result<Self> {
        let rows = features::read_table::<3>(path)?;
        let exceptions = rows
            .into_iter()
            .map(|[script, outcome, reason]| (script, (outcome, reason)));
        Ok(Self {
            version,
            exceptions: exceptions.collect(),
        })
    }

    /// Returns the display name of the driver, such as `Mesa 22.3`.
    pub(crate) fn name(&self) -> String {
        format!("Mesa {}", self.version)
    }

    /// Returns the scripts with different values on the driver, with the reasons.
    pub(crate) fn differing(&self) -> impl Iterator<Item = (&str, &str)> {
        let rows = self.exceptions.iter();
        rows.filter(|(_, (outcome, _))| outcome == DIFFERS)
            .map(|(script, (_, reason))| (&**script, &**reason))
    }

    /// Returns the results of this driver for scripts that others have results for. Scripts that
    /// are not in the record have passed.
    pub(crate) fn results(&self, others: &[ScriptResult]) -> Vec<ScriptResult> {
        let scripts: BTreeMap<&str, &ScriptResult> =
            others.iter().map(|it| (&*it.script, it)).collect();
        let result = |(script, other): (&str, &ScriptResult)| {
            let exception = self.exceptions.get(script);
            ScriptResult {
                script: script.to_owned(),
                driver: self.name(),
                covers: other.covers.clone(),
                outcome: exception.map_or(Outcome::Pass, |_| Outcome::Skip),
                reason: exception.map_or_else(String::new, |(_, reason)| reason.clone()),
                ..ScriptResult::default()
            }
        };
        scripts.into_iter().map(result).collect()
    }
}

/// Returns the files named `kind-VERSION.extension`, by version.
pub(crate) fn find_files(kind: &str, extension: &str) -> Result<BTreeMap<Version, PathBuf>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(FOLDER).context(FOLDER)? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let version = stem.strip_prefix(kind).and_then(|it| it.strip_prefix('-'));
        let version = version.and_then(Version::parse);
        if let Some(version) = version
            && path.extension().is_some_and(|it| it == extension)
        {
            found.insert(version, path);
        }
    }
    Ok(found)
}

/// Compares the record of a version on Vulkan with results; `BLESS=1` writes it. Scripts that fail
/// are none of its matter.
pub(crate) fn check_record(version: Version, results: &[ScriptResult]) -> Result<Counts> {
    let path = Path::new(FOLDER).join(format!("{VULKAN}-{version}.tsv"));
    let expected = format_record(results);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, expected).with_context(|| path.display().to_string())?;
        println!("wrote {}", path.display());
        return Ok(Counts::from_check(true));
    }
    let current = std::fs::read_to_string(&path).unwrap_or_default() == expected;
    if !current {
        println!(
            "error: {} is not what was skipped here; refresh it with `{REFRESH}`",
            path.display()
        );
    }
    Ok(Counts::from_check(current))
}

/// Returns a record as text, without the scripts that show faults of drivers.
fn format_record(results: &[ScriptResult]) -> String {
    let mut lines: Vec<String> = Vec::new();
    let proving = results
        .iter()
        .filter(|result| !result.script.starts_with(FOLDER));
    for result in proving {
        let place = format!(" ({FOLDER}/");
        match result.outcome {
            Outcome::Pass | Outcome::Fail => {}
            Outcome::Skip => {
                let (outcome, reason) = match result.reason.split_once(&place) {
                    Some((reason, _)) => (DIFFERS, reason),
                    None => (LACKS, &*result.reason),
                };
                lines.push(format!("{}\t{outcome}\t{reason}\n", result.script));
            }
        }
    }
    lines.sort();
    HEADINGS.to_owned() + &lines.concat()
}

/// Outcome of scripts with known different values.
const DIFFERS: &str = "differs";

/// Outcome of scripts whose requirements the driver does not meet.
const LACKS: &str = "lacks";

#[cfg(test)]
mod tests {
    use super::*;

    fn result(script: &str, outcome: Outcome, reason: &str) -> ScriptResult {
        ScriptResult {
            script: script.to_owned(),
            outcome,
            reason: reason.to_owned(),
            covers: vec!["gp.op.ADD".to_owned()],
            ..ScriptResult::default()
        }
    }

    #[test]
    fn a_record_holds_what_did_not_pass() {
        let lacks = "the device lacks shaderInt64";
        let results = [
            result("c", Outcome::Skip, lacks),
            result("a", Outcome::Pass, ""),
            result(
                "b",
                Outcome::Skip,
                "it rounds (tests/drivers/vulkan-25.0.txt:3)",
            ),
        ];
        let text = format_record(&results);
        assert_eq!(
            text,
            "script\toutcome\treason\nb\tdiffers\tit rounds\nc\tlacks\tthe device lacks shaderInt64\n"
        );
        let rows = features::parse_table::<3>(&text).unwrap();
        let record = DriverRecord {
            version: Version::parse("25.0").unwrap(),
            exceptions: rows
                .into_iter()
                .map(|[script, outcome, reason]| (script, (outcome, reason)))
                .collect(),
        };
        assert_eq!(record.differing().collect::<Vec<_>>(), [("b", "it rounds")]);
        let recorded = record.results(&results);
        let outcomes: Vec<Outcome> = recorded.iter().map(|it| it.outcome).collect();
        assert_eq!(outcomes, [Outcome::Pass, Outcome::Skip, Outcome::Skip]);
        assert_eq!(recorded[2].reason, lacks);
    }
}
