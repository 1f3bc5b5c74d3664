//! Running script suites through the `glasm` command, in the ways that steps need, and spirv-val on
//! every module of a suite.
//!
//! GLSL is compiled by a server that runs for a whole run of scripts:
//! `tests/tools/glslang_server.c`, built with the libraries of glslang if they are installed.

use crate::{installed, workspace_build};
use anyhow::{Context, Result, bail};
use glasm_ci_support::counts::Counts;
use glasm_ci_support::report::{self, Outcome, SCRIPTS, ScriptResult};
use glasm_ci_support::shell;
use glasm_ci_support::vulkan::{self, Driver, Layer};
use glasm_tests::manual;
use std::collections::{BTreeMap, BTreeSet};
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

impl Scope {
    /// Returns the name in the file of times.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::All => "all",
        }
    }
}

/// Suite run on one driver.
pub(crate) struct SuiteRun {
    /// Name of the driver, or of how it was run.
    pub(crate) name: &'static str,
    /// Counts of scripts.
    pub(crate) tally: Counts,
    /// Results, one per script.
    pub(crate) results: Vec<ScriptResult>,
    /// Directory of the modules.
    pub(crate) modules: PathBuf,
}

/// Writes the examples of the manual to a separate directory, which is emptied before, and returns
/// its path.
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
pub(crate) struct SuiteConfig {
    /// Name in reports; `None`: that of the driver.
    name: Option<&'static str>,
    /// String that selects the scripts that contain it.
    containing: Option<&'static str>,
    /// Width of lavapipe's vectors in bits; `None` selects it by the CPU. Its shaders are compiled
    /// differently for other widths.
    vector_width: Option<&'static str>,
    /// True if LLVM optimizes the shaders, as for users. Once for each module suffices: other
    /// configurations differ in what precedes LLVM.
    optimizes: bool,
    /// Validation layer.
    layer: Layer,
    /// Modules of another run: scripts that have no others are skipped.
    known_modules: Option<PathBuf>,
}

impl SuiteConfig {
    /// Configuration of the main suite run.
    pub(crate) const MAIN: Self = Self {
        name: None,
        containing: None,
        vector_width: None,
        optimizes: true,
        layer: Layer::Newest,
        known_modules: None,
    };

    /// Returns the main pass without the scripts whose modules another run has written to `known`.
    pub(crate) fn without_known_modules(known: PathBuf) -> Self {
        Self {
            known_modules: Some(known),
            ..Self::MAIN
        }
    }

    /// Lavapipe as on a CPU without AVX, and the validation layer that users have.
    pub(crate) const NARROW: Self = Self {
        name: Some("lavapipe-128"),
        vector_width: Some("128"),
        optimizes: false,
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

    /// Returns the files and directories of the scripts of this configuration, with the examples of
    /// the manual. `containing` restricts them to scripts that contain this word.
    fn list_scripts(&self) -> Result<Vec<PathBuf>> {
        let mut paths: Vec<PathBuf> = report::find_script_dirs()
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
    fn set_vector_width(&self, command: &mut Command) {
        if let Some(width) = self.vector_width {
            command
                .env("LP_NATIVE_VECTOR_WIDTH", width)
                .env("MESA_SHADER_CACHE_DISABLE", "true");
        }
    }
}

/// Returns the CPU drivers to run suites on, with those that are missing.
pub(crate) fn find_cpu_drivers() -> [(&'static str, Option<Driver>); 2] {
    [
        ("lavapipe", vulkan::find_lavapipe()),
        ("SwiftShader", vulkan::find_swiftshader()),
    ]
}

/// Returns the command `glasm` that was built in the dev profile, for tests: Mesa's drivers for the
/// CPU compile quickly. Fails if it is not built.
pub(crate) fn glasm_command() -> Result<Command> {
    let program = shell::target_dir()
        .join("debug")
        .join(format!("glasm{}", std::env::consts::EXE_SUFFIX));
    if !program.is_file() {
        bail!("{} is not there: build it first", program.display());
    }
    // An absolute path: some systems resolve relative programs against the child's directory.
    let mut command = Command::new(program.canonicalize()?);
    use_server(&mut command);
    vulkan::disable_llvm_optimizations(&mut command);
    Ok(command)
}

/// Returns the command that runs scripts on a driver, with a validation layer if there is one.
pub(crate) fn run_command(driver: &Driver, layer: Layer) -> Result<Command> {
    let mut command = glasm_command()?;
    vulkan::use_driver(&mut command, driver);
    command.arg("run");
    if vulkan::use_validation_layer(&mut command, layer)? {
        command.args(["--validation", "require"]);
    }
    Ok(command)
}

/// Runs something on each CPU driver; one that is not installed is a skipped check.
pub(crate) fn for_each_driver(mut run: impl FnMut(&Driver) -> Result<Counts>) -> Result<Counts> {
    let mut tally = Counts::default();
    for (name, driver) in find_cpu_drivers() {
        if let Some(driver) = driver {
            tally += run(&driver)?;
        } else {
            println!("{name} is not installed: skipped");
            tally += Counts::one_skipped();
        }
    }
    Ok(tally)
}

/// Runs all scripts, and the examples of the manual, on `driver` with the validation layer, if
/// there is one.
pub(crate) fn run_on_driver(driver: &Driver, pass: SuiteConfig) -> Result<SuiteRun> {
    let name = pass.name.unwrap_or(driver.name);
    let dir = OUT.join(name);
    shell::create_empty_dir(&dir)?;
    let modules = dir.join("modules");
    std::fs::create_dir_all(&modules)?;
    let report = dir.join("report.json");
    let mut command = run_command(driver, pass.layer)?;
    pass.set_vector_width(&mut command);
    if pass.optimizes {
        vulkan::enable_llvm_optimizations(&mut command);
    }
    command.args(pass.list_scripts()?);
    command
        .arg("--json")
        .arg(&report)
        .arg("--dump-modules")
        .arg(&modules)
        .arg("--save-images")
        .arg(dir.join("images"));
    if let Some(known) = &pass.known_modules {
        command.arg("--skip-known-modules").arg(known);
    }
    let jobs = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(8);
    command.args(["--jobs", &jobs.to_string()]);
    let (tally, results) = run_with_report(command, &report, name)?;
    Ok(SuiteRun {
        name,
        tally,
        results,
        modules,
    })
}

/// Runs all scripts on `driver` with their programs written in a language and compiled from that.
/// The validation layer has seen them already.
pub(crate) fn run_through_language(language: &str, driver: &Driver) -> Result<Counts> {
    let mut command = glasm_command()?;
    vulkan::use_driver(&mut command, driver);
    command.arg("run").args(SCRIPTS);
    command.args(["--round-trip", language, "--validation", "off"]);
    let name = format!("{} through {language}", driver.name);
    run_in_report_dir(command, &format!("through-{language}"), &name)
}

/// Runs the command with a report in a separate directory, as results of `name`.
pub(crate) fn run_in_report_dir(mut command: Command, folder: &str, name: &str) -> Result<Counts> {
    let dir = OUT.join(folder);
    std::fs::create_dir_all(&dir)?;
    let report = dir.join("report.json");
    if report.exists() {
        std::fs::remove_file(&report)?;
    }
    command.arg("--json").arg(&report);
    Ok(run_with_report(command, &report, name)?.0)
}

/// Runs the command, prints failures and the reasons for skipped scripts, and returns the results
/// in its report, as results of `name`.
pub(crate) fn run_with_report(
    mut command: Command,
    report: &Path,
    name: &str,
) -> Result<(Counts, Vec<ScriptResult>)> {
    println!("$ {}", shell::display_command(&command));
    let output = shell::capture_output(&mut command)?;
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
    let mut tally = report::count_outcomes(&results);
    if !output.status.success() && tally.failed == 0 {
        tally.failed = 1;
    }
    Ok((tally, results))
}

/// Builds the command, then runs all scripts on every CPU driver present.
pub(crate) fn run_everywhere() -> Result<Vec<ScriptResult>> {
    workspace_build::build_workspace()?;
    let mut results = Vec::new();
    for (name, driver) in find_cpu_drivers() {
        match driver {
            Some(driver) => results.extend(run_on_driver(&driver, SuiteConfig::MAIN)?.results),
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
            Outcome::Fail => shell::report_failure(&format!(
                "FAIL {} on {}\n{}",
                result.script,
                result.driver,
                result.failures.join("\n")
            )),
            Outcome::Skip => *skipped.entry(&result.reason).or_default() += 1,
        }
    }
    for (reason, count) in skipped {
        println!("SKIP {count} scripts: {reason}");
    }
}

/// Validates all `.spv` files below `dirs` by spirv-val, equal modules once, and prints the
/// failures.
pub(crate) fn validate_modules(dirs: &[PathBuf]) -> Result<Counts> {
    let modules = collect_modules(dirs)?;
    anyhow::ensure!(!modules.is_empty(), "the scripts left no modules");
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let problems =
        shell::run_in_parallel(&modules, jobs, |module| Ok(validate_module(module).err()))?;
    let problems = problems.iter().flatten();
    let mut failures: Vec<String> = problems.map(|problem| format!("{problem:#}")).collect();
    failures.sort();
    for failure in &failures {
        shell::report_failure(failure);
    }
    let failed = failures.len() as u64;
    Ok(Counts {
        passed: modules.len() as u64 - failed,
        failed,
        skipped: 0,
    })
}

/// Returns the paths of the modules below `dirs`, in order; of modules with equal contents only the
/// first.
fn collect_modules(dirs: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut modules = Vec::new();
    let mut seen = BTreeSet::new();
    for dir in dirs.iter().filter(|dir| dir.is_dir()) {
        for path in shell::find_files_below(dir, "spv")? {
            if seen.insert(std::fs::read(&path)?) {
                modules.push(path);
            }
        }
    }
    modules.sort();
    Ok(modules)
}

/// Validates a module with spirv-val for the environment that its version requires; the error has
/// the output.
fn validate_module(module: &Path) -> Result<()> {
    let bytes = std::fs::read(module).with_context(|| format!("reading {}", module.display()))?;
    let environment = find_target_environment(&bytes)
        .with_context(|| format!("{}: not a SPIR-V module", module.display()))?;
    // scalarBlockLayout is not enabled by the runner, so no relaxed layout here either.
    let output = shell::capture_output(
        Command::new("spirv-val")
            .args(["--target-env", environment])
            .arg(module),
    )?;
    let text = [output.stdout, output.stderr].concat();
    anyhow::ensure!(
        output.status.success(),
        "{} ({environment}): {}",
        module.display(),
        String::from_utf8_lossy(&text).trim()
    );
    Ok(())
}

/// Returns the Vulkan version whose newest SPIR-V version the module's header names.
fn find_target_environment(module: &[u8]) -> Option<&'static str> {
    const MAGIC: [u8; 4] = [0x03, 0x02, 0x23, 0x07];
    let header = module.get(..8)?;
    if header[..4] != MAGIC {
        return None;
    }
    match (header[6], header[5]) {
        (1, 0..=3) => Some("vulkan1.1"),
        (1, 4) => Some("vulkan1.1spv1.4"),
        (1, 5) => Some("vulkan1.2"),
        (1, 6) => Some("vulkan1.3"),
        _ => None,
    }
}

const SERVER_SOURCE: &str = "tests/tools/glslang_server.c";
/// Environment variable that passes the program to `glasm run`.
const SERVER_VARIABLE: &str = "GLASM_GLSLANG_SERVER";
/// Libraries of glslang 11 to 13, and those of later versions, which contain the others.
const GLSLANG_LIBRARIES: &[&[&str]] = &[
    &[
        "glslang",
        "MachineIndependent",
        "GenericCodeGen",
        "OGLCompiler",
        "OSDependent",
        "SPIRV",
        "HLSL",
        "glslang-default-resource-limits",
        "SPIRV-Tools-opt",
        "SPIRV-Tools",
    ],
    &[
        "glslang",
        "MachineIndependent",
        "GenericCodeGen",
        "OSDependent",
        "SPIRV",
        "glslang-default-resource-limits",
        "SPIRV-Tools-opt",
        "SPIRV-Tools",
    ],
];

/// Header of the C interface of glslang.
pub(crate) const GLSLANG_HEADER: &str = "glslang/Include/glslang_c_interface.h";

/// Program, built on first use; `None` if that is impossible here.
static SERVER: LazyLock<Option<PathBuf>> = LazyLock::new(build_server);

/// Passes the server to a `glasm` command, which does without if it cannot be built.
pub(crate) fn use_server(command: &mut Command) {
    if let Some(server) = SERVER.as_ref() {
        command.env(SERVER_VARIABLE, server);
    }
}

/// Compiles the glslang server into the target directory and returns its path. `None` without
/// glslang's headers or libraries.
fn build_server() -> Option<PathBuf> {
    if !installed::has_header(GLSLANG_HEADER) {
        return None;
    }
    let program = shell::below_target("glslang-server");
    // A step of another process may be building it, too.
    let temporary = program.with_extension(std::process::id().to_string());
    let mut lists = GLSLANG_LIBRARIES.iter();
    let built = lists.any(|libraries| {
        let mut compiler = Command::new("cc");
        compiler.args(["-O1", "-std=gnu11", SERVER_SOURCE, "-o"]);
        compiler.arg(&temporary).arg("-Wl,--start-group");
        compiler.args(libraries.iter().map(|name| format!("-l{name}")));
        compiler.args(["-Wl,--end-group", "-lstdc++", "-lm", "-lpthread"]);
        shell::capture_output(&mut compiler).is_ok_and(|output| output.status.success())
    });
    if !built || std::fs::rename(&temporary, &program).is_err() {
        return None;
    }
    // An absolute path: children run in other directories.
    program.canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::find_target_environment;

    #[test]
    fn the_environment_follows_the_version_word() {
        let module = |version: u32| [0x0723_0203_u32, version].map(u32::to_le_bytes).concat();
        assert_eq!(
            find_target_environment(&module(0x0001_0300)),
            Some("vulkan1.1")
        );
        assert_eq!(
            find_target_environment(&module(0x0001_0500)),
            Some("vulkan1.2")
        );
        assert_eq!(
            find_target_environment(&module(0x0001_0600)),
            Some("vulkan1.3")
        );
        assert_eq!(find_target_environment(&module(0x0002_0000)), None);
        assert_eq!(find_target_environment(b"not a module"), None);
    }
}
