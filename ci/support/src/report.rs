//! Reports of `glasm run --json`, and where scripts are.

use crate::counts::Counts;
use crate::shell;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Directories of scripts.
pub const SCRIPTS: &[&str] = &["tests/cases/run", "shaders"];

/// Outcome of a script.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All expectations of the script are met.
    Pass,
    /// An expectation is not met.
    Fail,
    /// The device lacks a requirement.
    #[default]
    Skip,
}

/// Script in a report.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct ScriptResult {
    /// Path of the script.
    pub script: String,
    /// Driver that ran it.
    pub driver: String,
    /// Outcome of the script.
    pub outcome: Outcome,
    /// Ids of its `# covers:` lines.
    pub covers: Vec<String>,
    /// Reason why it was skipped.
    pub reason: String,
    /// Descriptions of the failures.
    pub failures: Vec<String>,
    /// Lines that it printed.
    pub output: Vec<String>,
    /// Images that it saved.
    pub images: Vec<PathBuf>,
}

/// Returns the directories of scripts that exist.
pub fn find_script_dirs() -> Vec<&'static str> {
    SCRIPTS
        .iter()
        .copied()
        .filter(|dir| Path::new(dir).is_dir())
        .collect()
}

/// Reads several reports.
///
/// # Errors
///
/// Fails as [`read_report`] does.
pub fn read_reports(files: &[PathBuf]) -> Result<Vec<ScriptResult>> {
    let mut results = Vec::new();
    for file in files {
        results.extend(read_report(file)?);
    }
    Ok(results)
}

/// Reads a report of `glasm run --json`.
///
/// # Errors
///
/// Fails if the file cannot be read or is not a report.
pub fn read_report(file: &Path) -> Result<Vec<ScriptResult>> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    parse_report(&text).with_context(|| format!("report {}", file.display()))
}

/// Returns the scripts whose text satisfies a condition.
///
/// # Errors
///
/// Fails if a script cannot be read.
pub fn find_scripts(is_wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for directory in find_script_dirs() {
        for path in shell::find_files_below(Path::new(directory), "shader_test")? {
            let text = std::fs::read(&path).with_context(|| path.display().to_string())?;
            if is_wanted(&String::from_utf8_lossy(&text)) {
                found.push(path);
            }
        }
    }
    Ok(found)
}

/// Counts the results by outcome.
pub fn count_outcomes(results: &[ScriptResult]) -> Counts {
    let mut tally = Counts::default();
    for result in results {
        match result.outcome {
            Outcome::Pass => tally.passed += 1,
            Outcome::Fail => tally.failed += 1,
            Outcome::Skip => tally.skipped += 1,
        }
    }
    tally
}

/// Parses the results of all scripts in the JSON report of a run. Fails if the list or an outcome
/// is malformed.
fn parse_report(text: &str) -> Result<Vec<ScriptResult>> {
    let report: Value = serde_json::from_str(text)?;
    let scripts = report["scripts"].as_array().context("no list `scripts`")?;
    scripts.iter().map(script_result).collect()
}

/// Parses the result of one script in a JSON report. Expected failures are skips, unexpected passes
/// are failures.
fn script_result(value: &Value) -> Result<ScriptResult> {
    let outcome = match value["outcome"].as_str() {
        Some("pass") => Outcome::Pass,
        Some("fail" | "unexpected_pass") => Outcome::Fail,
        Some("skip" | "expected_fail") => Outcome::Skip,
        other => bail!("outcome {other:?} is none of pass, fail, skip, as expected or not"),
    };
    Ok(ScriptResult {
        script: value["path"]
            .as_str()
            .context("script without `path`")?
            .to_owned(),
        driver: value["device"].as_str().unwrap_or_default().to_owned(),
        outcome,
        covers: strings(&value["covered_features"]),
        reason: value["reason"].as_str().unwrap_or_default().to_owned(),
        failures: value["failures"]
            .as_array()
            .into_iter()
            .flatten()
            .map(format_failure)
            .collect(),
        output: strings(&value["output"]),
        images: strings(&value["images"])
            .into_iter()
            .map(PathBuf::from)
            .collect(),
    })
}

/// Returns a failure as `     line 7: what went wrong`.
fn format_failure(value: &Value) -> String {
    let message = value["message"]
        .as_str()
        .unwrap_or("no message")
        .replace('\n', "\n     ");
    match value["line"].as_u64() {
        Some(line) => format!("     line {line}: {message}"),
        None => format!("     {message}"),
    }
}

/// Returns the strings of a JSON array; none for other values.
fn strings(list: &Value) -> Vec<String> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Outcome, count_outcomes, parse_report};
    use crate::counts::Counts;

    #[test]
    fn reports_are_read() {
        let text = r#"{ "scripts": [
            { "path": "a", "outcome": "pass", "covered_features": ["x.y"], "output": [], "images": ["a.png"], "failures": [] },
            { "path": "b", "outcome": "fail", "failures": [{ "line": 3, "message": "differs\nby 1" }] },
            { "path": "c", "outcome": "skip", "reason": "no int64" } ] }"#;
        let results = parse_report(text).unwrap();
        assert_eq!(
            count_outcomes(&results),
            Counts {
                passed: 1,
                failed: 1,
                skipped: 1
            }
        );
        assert_eq!(results[0].covers, ["x.y"]);
        assert_eq!(results[1].failures, ["     line 3: differs\n     by 1"]);
        assert_eq!(
            (results[2].outcome, results[2].reason.as_str()),
            (Outcome::Skip, "no int64")
        );
        assert!(parse_report("{}").is_err());
        assert!(parse_report(r#"{ "scripts": [{ "path": "a", "outcome": "maybe" }] }"#).is_err());
    }
}
