//! Running script suites through the `glasm` command, and reading its JSON reports.

use crate::glslang;
use crate::shell;
use crate::tally::Tally;
use crate::vulkan::{self, Driver, Layer};
use anyhow::{Context, Result, bail};
use glasm_tests::manual;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use walkdir::WalkDir;

/// Where reports and modules of suites go.
pub(crate) static OUT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("scripts"));

/// The folders that hold scripts.
pub(crate) const SCRIPTS: &[&str] = &["tests/cases/run", "shaders"];

/// Where the examples of the manual are written to.
static EXAMPLES: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("scripts/manual"));

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
    /// The driver that ran it.
    pub(crate) driver: String,
    /// What became of it.
    pub(crate) outcome: Outcome,
    /// The ids of its `# covers:` lines.
    pub(crate) covers: Vec<String>,
    /// Why it was skipped.
    pub(crate) reason: String,
    /// What went wrong.
    pub(crate) failures: Vec<String>,
    /// What it printed.
    pub(crate) output: Vec<String>,
    /// The pictures it saved.
    pub(crate) images: Vec<PathBuf>,
}

/// A suite run on one driver.
pub(crate) struct SuiteRun {
    /// Name of the driver, or of how it was run.
    pub(crate) name: &'static str,
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

/// Writes the examples of the manual to a folder of their own.
fn write_examples() -> Result<&'static Path> {
    let folder = &*EXAMPLES;
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    for example in manual::read_examples(Path::new("."))? {
        example.write(folder)?;
    }
    Ok(folder)
}

/// How to run a suite.
#[derive(Clone, Debug)]
pub(crate) struct Pass {
    /// Name in reports; `None`: that of the driver.
    name: Option<&'static str>,
    /// Only scripts that contain this.
    containing: Option<&'static str>,
    /// Bits of lavapipe's vectors; `None`: what suits the CPU. Its shaders are compiled in other ways for other widths.
    vector_width: Option<&'static str>,
    /// Who watches.
    layer: Layer,
    /// Modules of another run: scripts that have no others are skipped.
    known: Option<PathBuf>,
}

impl Pass {
    /// What the results of the suite are.
    pub(crate) const MAIN: Self = Self {
        name: None,
        containing: None,
        vector_width: None,
        layer: Layer::Newest,
        known: None,
    };

    /// Returns the main pass without the scripts whose modules another run has written to `known`.
    pub(crate) fn except(known: PathBuf) -> Self {
        Self {
            known: Some(known),
            ..Self::MAIN
        }
    }

    /// Lavapipe as on a CPU without AVX, and the validation layer that users have.
    pub(crate) const NARROW: Self = Self {
        name: Some("lavapipe-128"),
        vector_width: Some("128"),
        layer: Layer::Installed,
        ..Self::MAIN
    };

    /// Lavapipe as on most CPUs, should this be none of them: it rounds doubles in one way for each width.
    pub(crate) const WIDE_DOUBLES: Self = Self {
        name: Some("lavapipe-256"),
        containing: Some("shaderFloat64"),
        vector_width: Some("256"),
        ..Self::NARROW
    };

    /// The scripts, as files and folders.
    fn scripts(&self) -> Result<Vec<PathBuf>> {
        let mut paths: Vec<PathBuf> = script_folders().into_iter().map(PathBuf::from).collect();
        paths.push(
            write_examples()
                .context("writing the examples of the manual")?
                .into(),
        );
        let Some(wanted) = self.containing else {
            return Ok(paths);
        };
        let mut scripts = Vec::new();
        for path in paths.iter().flat_map(WalkDir::new) {
            let path = path?.into_path();
            let is_script = path.extension().is_some_and(|end| end == "shader_test");
            if is_script && String::from_utf8_lossy(&std::fs::read(&path)?).contains(wanted) {
                scripts.push(path);
            }
        }
        scripts.sort();
        Ok(scripts)
    }

    /// Tells lavapipe its vectors. Its cache on disk takes no notice of their width, so it stays out of this.
    fn set_up(&self, command: &mut Command) {
        if let Some(width) = self.vector_width {
            command
                .env("LP_NATIVE_VECTOR_WIDTH", width)
                .env("MESA_SHADER_CACHE_DISABLE", "true");
        }
    }
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
    let program = shell::target_dir()
        .join("debug")
        .join(format!("glasm{}", std::env::consts::EXE_SUFFIX));
    if !program.is_file() {
        bail!("{} is not there: build it first", program.display());
    }
    // An absolute path: some systems resolve relative programs against the child's folder.
    let mut command = Command::new(program.canonicalize()?);
    glslang::use_server(&mut command);
    Ok(command)
}

/// Runs all scripts, and the examples of the manual, on `driver` with the validation layer, if there is one.
pub(crate) fn run_on(driver: &Driver, pass: Pass) -> Result<SuiteRun> {
    let name = pass.name.unwrap_or(driver.name);
    let dir = OUT.join(name);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).with_context(|| format!("emptying {}", dir.display()))?;
    }
    let modules = dir.join("modules");
    std::fs::create_dir_all(&modules)?;
    let report = dir.join("report.json");
    let mut command = glasm()?;
    vulkan::use_driver(&mut command, driver);
    let layer = vulkan::use_validation_layer(&mut command, pass.layer)?;
    pass.set_up(&mut command);
    command.arg("run").args(pass.scripts()?);
    command
        .arg("--json")
        .arg(&report)
        .arg("--module-dir")
        .arg(&modules)
        .arg("--save-images")
        .arg(dir.join("images"));
    if let Some(known) = &pass.known {
        command.arg("--known-modules").arg(known);
    }
    let jobs = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(8);
    command.args(["--jobs", &jobs.to_string()]);
    if layer {
        command.args(["--validation", "require"]);
    }
    let (tally, results) = run_reported(command, &report, name)?;
    Ok(SuiteRun {
        name,
        tally,
        results,
        modules,
    })
}

/// Runs all scripts on `driver` with their programs written in a language and compiled from that. The validation layer has seen them already.
pub(crate) fn run_through(language: &str, driver: &Driver) -> Result<Tally> {
    let mut command = glasm()?;
    vulkan::use_driver(&mut command, driver);
    command.arg("run").args(SCRIPTS);
    command.args(["--through", language, "--validation", "off"]);
    let name = format!("{} through {language}", driver.name);
    run_in_folder(command, &format!("through-{language}"), &name)
}

/// Runs the command with a report in a folder of its own, as results of `name`.
pub(crate) fn run_in_folder(mut command: Command, folder: &str, name: &str) -> Result<Tally> {
    let dir = OUT.join(folder);
    std::fs::create_dir_all(&dir)?;
    let report = dir.join("report.json");
    if report.exists() {
        std::fs::remove_file(&report)?;
    }
    command.arg("--json").arg(&report);
    Ok(run_reported(command, &report, name)?.0)
}

/// Runs the command, shows what failed and why scripts were skipped, and gives what its report says, as results of `name`.
pub(crate) fn run_reported(
    mut command: Command,
    report: &Path,
    name: &str,
) -> Result<(Tally, Vec<ScriptResult>)> {
    println!("$ {}", shell::display(&command));
    let output = shell::capture(&mut command)?;
    // Messages of the command, of drivers and of layers; the lines about scripts come from the report.
    print!("{}", String::from_utf8_lossy(&output.stderr));
    if !report.is_file() {
        bail!("glasm run on {name} wrote no report ({})", output.status);
    }
    let mut results = read_report(report)?;
    for result in &mut results {
        name.clone_into(&mut result.driver);
    }
    print_exceptions(&results);
    let mut tally = count(&results);
    if !output.status.success() && tally.failed == 0 {
        tally.failed = 1;
    }
    Ok((tally, results))
}

/// Builds the command, then runs all scripts on every CPU driver present.
pub(crate) fn run_everywhere() -> Result<Vec<ScriptResult>> {
    shell::run(shell::cargo().args(["build", "--package", "glasm-cli"]))?;
    let mut results = Vec::new();
    for (name, driver) in drivers() {
        match driver {
            Some(driver) => results.extend(run_on(&driver, Pass::MAIN)?.results),
            None => println!("{name} is not installed (cargo xtask setup)"),
        }
    }
    Ok(results)
}

/// Every failure, and how many scripts were skipped for each reason.
fn print_exceptions(results: &[ScriptResult]) {
    let mut skipped: BTreeMap<&str, usize> = BTreeMap::new();
    for result in results {
        match result.outcome {
            Outcome::Pass => {}
            Outcome::Fail => println!("FAIL {}\n{}", result.script, result.failures.join("\n")),
            Outcome::Skip => *skipped.entry(&result.reason).or_default() += 1,
        }
    }
    for (reason, count) in skipped {
        println!("SKIP {count} scripts: {reason}");
    }
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
        Some("fail" | "unexpected-pass") => Outcome::Fail,
        Some("skip" | "expected-fail") => Outcome::Skip,
        other => bail!("outcome {other:?} is none of pass, fail, skip, as expected or not"),
    };
    Ok(ScriptResult {
        script: value["path"]
            .as_str()
            .context("script without `path`")?
            .to_owned(),
        driver: value["device"].as_str().unwrap_or_default().to_owned(),
        outcome,
        covers: strings(&value["covers"]),
        reason: value["reason"].as_str().unwrap_or_default().to_owned(),
        failures: value["failures"]
            .as_array()
            .into_iter()
            .flatten()
            .map(failure)
            .collect(),
        output: strings(&value["output"]),
        images: strings(&value["images"])
            .into_iter()
            .map(PathBuf::from)
            .collect(),
    })
}

/// `     line 7: what went wrong`
fn failure(value: &Value) -> String {
    let message = value["message"]
        .as_str()
        .unwrap_or("no message")
        .replace('\n', "\n     ");
    match value["line"].as_u64() {
        Some(line) => format!("     line {line}: {message}"),
        None => format!("     {message}"),
    }
}

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
    use super::{Outcome, count, parse_report};
    use crate::tally::Tally;

    #[test]
    fn reports_are_read() {
        let text = r#"{ "scripts": [
            { "path": "a", "outcome": "pass", "covers": ["x.y"], "output": [], "images": ["a.png"], "failures": [] },
            { "path": "b", "outcome": "fail", "failures": [{ "line": 3, "message": "differs\nby 1" }] },
            { "path": "c", "outcome": "skip", "reason": "no int64" } ] }"#;
        let results = parse_report(text).unwrap();
        assert_eq!(
            count(&results),
            Tally {
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
