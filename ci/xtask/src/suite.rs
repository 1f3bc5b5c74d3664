//! Running script suites through the `glasm` command, and reading its JSON reports.

use crate::shell;
use crate::tally::Tally;
use crate::vulkan::{self, Driver};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where reports and modules of suites go.
pub(crate) const OUT: &str = "target/scripts";

/// The folders that hold scripts.
const SCRIPTS: &[&str] = &["tests/cases/run", "shaders"];

/// What became of a script.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// All that it expects came true.
    Pass,
    /// Something did not.
    Fail,
    /// The device lacks what it needs.
    #[default]
    Skip,
}

/// One script in a report.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct ScriptResult {
    /// Path of the script.
    pub(crate) script: String,
    /// What became of it.
    pub(crate) outcome: Outcome,
    /// The ids of its `# covers:` lines.
    pub(crate) covers: Vec<String>,
    /// What it printed.
    pub(crate) output: Vec<String>,
    /// The pictures it saved.
    pub(crate) images: Vec<PathBuf>,
}

/// A suite run on one driver.
pub(crate) struct SuiteRun {
    /// Counts of scripts.
    pub(crate) tally: Tally,
    /// One result per script.
    pub(crate) results: Vec<ScriptResult>,
    /// Where the modules are.
    pub(crate) modules: PathBuf,
}

/// The script folders that exist.
pub(crate) fn script_folders() -> Vec<&'static str> {
    SCRIPTS
        .iter()
        .copied()
        .filter(|dir| Path::new(dir).is_dir())
        .collect()
}

/// The CPU drivers to run suites on, with those that are missing.
pub(crate) fn drivers() -> [(&'static str, Option<Driver>); 2] {
    [
        ("lavapipe", vulkan::lavapipe()),
        ("SwiftShader", vulkan::swiftshader()),
    ]
}

/// The command that was built in the dev profile.
pub(crate) fn glasm() -> Result<Command> {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let program = target
        .join("debug")
        .join(format!("glasm{}", std::env::consts::EXE_SUFFIX));
    if !program.is_file() {
        bail!("{} is not there: build it first", program.display());
    }
    // An absolute path: some systems resolve relative programs against the child's folder.
    Ok(Command::new(program.canonicalize()?))
}

/// Runs all scripts on `driver` with the validation layer, if there is one.
pub(crate) fn run_on(driver: &Driver) -> Result<SuiteRun> {
    let dir = Path::new(OUT).join(driver.name);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).with_context(|| format!("emptying {}", dir.display()))?;
    }
    let modules = dir.join("modules");
    std::fs::create_dir_all(&modules)?;
    let report = dir.join("report.json");
    let mut command = glasm()?;
    vulkan::use_driver(&mut command, driver);
    let layer = vulkan::use_validation_layer(&mut command)?;
    command.arg("run").args(script_folders());
    command
        .arg("--json")
        .arg(&report)
        .arg("--module-dir")
        .arg(&modules)
        .arg("--save-images")
        .arg(dir.join("images"));
    let jobs = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(8);
    command.args(["--jobs", &jobs.to_string()]);
    if layer {
        command.args(["--validation", "require"]);
    }
    let transcript = shell::tee(&mut command)?;
    if !report.is_file() {
        bail!(
            "glasm run on {} wrote no report (exit status {:?})",
            driver.name,
            transcript.code
        );
    }
    let results = read_report(&report)?;
    let mut tally = count(&results);
    if !transcript.success && tally.failed == 0 {
        tally.failed = 1;
    }
    Ok(SuiteRun {
        tally,
        results,
        modules,
    })
}

/// Builds the command, then runs all scripts on every CPU driver present.
pub(crate) fn run_everywhere() -> Result<Vec<ScriptResult>> {
    shell::run(shell::cargo().args(["build", "--package", "glasm-cli"]))?;
    let mut results = Vec::new();
    for (name, driver) in drivers() {
        match driver {
            Some(driver) => results.extend(run_on(&driver)?.results),
            None => println!("{name} is not installed (cargo xtask setup)"),
        }
    }
    Ok(results)
}

fn count(results: &[ScriptResult]) -> Tally {
    let mut tally = Tally::default();
    for result in results {
        match result.outcome {
            Outcome::Pass => tally.passed += 1,
            Outcome::Fail => tally.failed += 1,
            Outcome::Skip => tally.skipped += 1,
        }
    }
    tally
}

/// Reads several reports.
pub(crate) fn read_reports(files: &[PathBuf]) -> Result<Vec<ScriptResult>> {
    let mut results = Vec::new();
    for file in files {
        results.extend(read_report(file)?);
    }
    Ok(results)
}

/// Reads a report of `glasm run --json`.
pub(crate) fn read_report(file: &Path) -> Result<Vec<ScriptResult>> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    parse_report(&text).with_context(|| format!("report {}", file.display()))
}

fn parse_report(text: &str) -> Result<Vec<ScriptResult>> {
    let report: Value = serde_json::from_str(text)?;
    let scripts = report["scripts"].as_array().context("no list `scripts`")?;
    scripts.iter().map(script_result).collect()
}

fn script_result(value: &Value) -> Result<ScriptResult> {
    let outcome = match value["outcome"].as_str() {
        Some("pass") => Outcome::Pass,
        Some("fail") => Outcome::Fail,
        Some("skip") => Outcome::Skip,
        other => bail!("outcome {other:?} is none of pass, fail, skip"),
    };
    Ok(ScriptResult {
        script: value["path"]
            .as_str()
            .context("script without `path`")?
            .to_owned(),
        outcome,
        covers: strings(&value["covers"]),
        output: strings(&value["output"]),
        images: strings(&value["images"])
            .into_iter()
            .map(PathBuf::from)
            .collect(),
    })
}

fn strings(list: &Value) -> Vec<String> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}
