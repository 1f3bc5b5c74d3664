//! Running script suites through the `glasm` command, in the ways that steps need.

use crate::glslang;
use anyhow::{Context, Result, bail};
use glasm_ci_support::report::{self, Outcome, SCRIPTS, ScriptResult};
use glasm_ci_support::shell;
use glasm_ci_support::tally::Tally;
use glasm_ci_support::vulkan::{self, Driver, Layer};
use glasm_tests::manual;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use walkdir::WalkDir;

/// Output directory of reports and modules of suites.
pub(crate) static OUT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("scripts"));

/// Output directory of the examples of the manual.
static EXAMPLES: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("scripts/manual"));

/// Extent of a test run.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// Checks that detect most faults, within minutes.
    #[default]
    Quick,
    /// Everything.
    All,
}

/// Suite run on one driver.
pub(crate) struct SuiteRun {
    /// Name of the driver, or of how it was run.
    pub(crate) name: &'static str,
    /// Counts of scripts.
    pub(crate) tally: Tally,
    /// Results, one per script.
    pub(crate) results: Vec<ScriptResult>,
    /// Directory of the modules.
    pub(crate) modules: PathBuf,
}

/// Writes the examples of the manual to a separate directory.
fn write_examples() -> Result<&'static Path> {
    let folder = &*EXAMPLES;
    shell::create_empty_dir(folder)?;
    for example in manual::read_examples(Path::new("."))? {
        example.write(folder)?;
    }
    Ok(folder)
}

/// Configuration of a suite run.
#[derive(Clone, Debug)]
pub(crate) struct Pass {
    /// Name in reports; `None`: that of the driver.
    name: Option<&'static str>,
    /// String that selects the scripts that contain it.
    containing: Option<&'static str>,
    /// Width of lavapipe's vectors in bits; `None` selects it by the CPU. Its shaders are compiled
    /// differently for other widths.
    vector_width: Option<&'static str>,
    /// Validation layer.
    layer: Layer,
    /// Modules of another run: scripts that have no others are skipped.
    known: Option<PathBuf>,
}

impl Pass {
    /// Configuration of the main suite run.
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

    /// Lavapipe with the vectors of most CPUs, for machines with others: it rounds doubles
    /// differently for each width.
    pub(crate) const WIDE_DOUBLES: Self = Self {
        name: Some("lavapipe-256"),
        containing: Some("shaderFloat64"),
        vector_width: Some("256"),
        ..Self::NARROW
    };

    /// Returns the scripts, as files and directories.
    fn scripts(&self) -> Result<Vec<PathBuf>> {
        let mut paths: Vec<PathBuf> = report::script_folders()
            .into_iter()
            .map(PathBuf::from)
            .collect();
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

    /// Sets the vector width of lavapipe. Its cache on disk ignores the width, so it is disabled.
    fn set_up(&self, command: &mut Command) {
        if let Some(width) = self.vector_width {
            command
                .env("LP_NATIVE_VECTOR_WIDTH", width)
                .env("MESA_SHADER_CACHE_DISABLE", "true");
        }
    }
}

/// Returns the CPU drivers to run suites on, with those that are missing.
pub(crate) fn drivers() -> [(&'static str, Option<Driver>); 2] {
    [
        ("lavapipe", vulkan::lavapipe()),
        ("SwiftShader", vulkan::swiftshader()),
    ]
}

/// Returns the command that was built in the dev profile.
pub(crate) fn glasm() -> Result<Command> {
    let program = shell::target_dir()
        .join("debug")
        .join(format!("glasm{}", std::env::consts::EXE_SUFFIX));
    if !program.is_file() {
        bail!("{} is not there: build it first", program.display());
    }
    // An absolute path: some systems resolve relative programs against the child's directory.
    let mut command = Command::new(program.canonicalize()?);
    glslang::use_server(&mut command);
    Ok(command)
}

/// Returns the command that runs scripts on a driver, with a validation layer if there is one.
pub(crate) fn run_command(driver: &Driver, layer: Layer) -> Result<Command> {
    let mut command = glasm()?;
    vulkan::use_driver(&mut command, driver);
    command.arg("run");
    if vulkan::use_validation_layer(&mut command, layer)? {
        command.args(["--validation", "require"]);
    }
    Ok(command)
}

/// Runs something on each CPU driver; one that is not installed is a skipped check.
pub(crate) fn on_each_driver(mut run: impl FnMut(&Driver) -> Result<Tally>) -> Result<Tally> {
    let mut tally = Tally::default();
    for (name, driver) in drivers() {
        if let Some(driver) = driver {
            tally += run(&driver)?;
        } else {
            println!("{name} is not installed: skipped");
            tally += Tally::skip();
        }
    }
    Ok(tally)
}

/// Runs all scripts, and the examples of the manual, on `driver` with the validation layer, if
/// there is one.
pub(crate) fn run_on(driver: &Driver, pass: Pass) -> Result<SuiteRun> {
    let name = pass.name.unwrap_or(driver.name);
    let dir = OUT.join(name);
    shell::create_empty_dir(&dir)?;
    let modules = dir.join("modules");
    std::fs::create_dir_all(&modules)?;
    let report = dir.join("report.json");
    let mut command = run_command(driver, pass.layer)?;
    pass.set_up(&mut command);
    command.args(pass.scripts()?);
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
    let (tally, results) = run_reported(command, &report, name)?;
    Ok(SuiteRun {
        name,
        tally,
        results,
        modules,
    })
}

/// Runs all scripts on `driver` with their programs written in a language and compiled from that.
/// The validation layer has seen them already.
pub(crate) fn run_through(language: &str, driver: &Driver) -> Result<Tally> {
    let mut command = glasm()?;
    vulkan::use_driver(&mut command, driver);
    command.arg("run").args(SCRIPTS);
    command.args(["--through", language, "--validation", "off"]);
    let name = format!("{} through {language}", driver.name);
    run_in_folder(command, &format!("through-{language}"), &name)
}

/// Runs the command with a report in a separate directory, as results of `name`.
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

/// Runs the command, prints failures and the reasons for skipped scripts, and returns the results
/// in its report, as results of `name`.
pub(crate) fn run_reported(
    mut command: Command,
    report: &Path,
    name: &str,
) -> Result<(Tally, Vec<ScriptResult>)> {
    println!("$ {}", shell::display(&command));
    let output = shell::capture(&mut command)?;
    // Messages of the command, of drivers and of layers; the results of scripts are printed from
    // the report.
    print!("{}", String::from_utf8_lossy(&output.stderr));
    if !report.is_file() {
        bail!("glasm run on {name} wrote no report ({})", output.status);
    }
    let mut results = report::read_report(report)?;
    for result in &mut results {
        name.clone_into(&mut result.driver);
    }
    print_exceptions(&results);
    let mut tally = report::count(&results);
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

/// Prints every failure, and the number of skipped scripts for each reason.
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
