//! Steps that run the scripts in other ways on CPU drivers:
//!
//! - through the vendor library, with the runner for OpenGL as the application: programs of the NV
//!   languages, and those of the ARB languages that the driver itself would accept;
//! - through OpenGL as modules of glasm, which the driver receives as SPIR-V: the form that drivers
//!   of applications would receive;
//! - with GL state that programs read at run time, from specialization constants and from a uniform
//!   block: images must equal those of programs with compiled-in state.

use crate::reference;
use crate::suite::{self, Scope};
use crate::workspace_build;
use anyhow::{Context as _, Result};
use glasm_ci_support::counts::{Counts, Skip};
use glasm_ci_support::report::{self, SCRIPTS};
use glasm_ci_support::{shell, vulkan};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Known differences, with the reasons.
const EXPECTED: &str = "tests/vendor";

/// Output directory of reports and the links to the library.
static OUT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("vendor"));

/// Driver.
const DRIVER: &str = "llvmpipe";

/// Headers of the NV languages. Programs of all of them have commands of OpenGL.
const NV: &[&str] = &["!!NV", "!!VP", "!!VSP", "!!FP", "!!FCP"];

/// Headers of the ARB languages.
const ARB: &[&str] = &["!!ARBvp", "!!ARBfp"];

/// Headers of the first NV languages.
const OLD_NV: &[&str] = &["!!VP", "!!VSP", "!!FP", "!!FCP"];

/// Scripts that run with the same variables.
struct Group {
    name: &'static str,
    /// Environment variables in addition to those that `glasm gl` sets.
    variables: &'static [(&'static str, &'static str)],
    /// Fewer passing scripts would mean that the library rejects programs that it accepted before,
    /// or that the driver lacks a requirement.
    min_passed: u64,
    /// Returns true if a script belongs to the group, by its source.
    includes_script: fn(&str) -> bool,
}

/// Groups of scripts; the first two have different scripts.
const GROUPS: [Group; 3] = [
    Group {
        name: "nv",
        variables: &[],
        min_passed: 1500,
        includes_script: |text| has_program_of(text, NV),
    },
    Group {
        name: "arb",
        variables: &[("GLASM_COMPILE_ARB_PROGRAMS", "1")],
        min_passed: 600,
        includes_script: |text| has_program_of(text, ARB) && !has_program_of(text, NV),
    },
    // Programs for drivers without SPIR-V and with OpenGL 3.3 at most.
    Group {
        name: "text",
        variables: &[
            ("GLASM_COMPILE_ARB_PROGRAMS", "1"),
            ("GLASM_GLSL_VERSION", "330"),
        ],
        min_passed: 1000,
        includes_script: |text| {
            (has_program_of(text, ARB) || has_program_of(text, OLD_NV))
                && !has_program_of(text, &["!!NV"])
        },
    },
];

/// Returns true if a script contains a program with one of these headers.
fn has_program_of(text: &str, headers: &[&str]) -> bool {
    let is_header = |line: &str| headers.iter().any(|header| line.starts_with(header));
    text.lines().any(|line| is_header(line.trim_start()))
}

/// Returns true if a script tests rules that the library does not enforce, because shipped programs
/// violate them.
fn is_strict(text: &str) -> bool {
    text.lines().any(|line| line.trim_end() == "strict")
}

/// Runs the step that builds the vendor library and runs scripts through it; Linux only.
pub(crate) fn test_vendor_library(scope: Scope) -> Result<Counts> {
    anyhow::ensure!(
        cfg!(target_os = "linux"),
        Skip::with_reason("the vendor library is for Linux")
    );
    workspace_build::build_workspace()?;
    shell::create_dir(&OUT)?;
    let mut tally = Counts::default();
    for group in &GROUPS {
        tally += run_group(group, scope)?;
    }
    Ok(tally)
}

/// Returns the sampling interval of scripts: one of this number runs.
const fn sampling_interval(scope: Scope) -> usize {
    match scope {
        Scope::Quick => 8,
        Scope::All => 1,
    }
}

/// Returns the command that runs the scripts of the NV languages, with its files in the directory
/// `out`, which exists.
pub(crate) fn nv_command(expected: &Path, report: &Path, out: &Path) -> Result<Command> {
    let [nv, ..] = &GROUPS;
    group_command(nv, sampling_interval(Scope::All), expected, report, out)
}

/// Returns the command that runs a share of a group's scripts through the vendor library.
fn group_command(
    group: &Group,
    share: usize,
    expected: &Path,
    report: &Path,
    out: &Path,
) -> Result<Command> {
    let application = suite::glasm_command()?;
    let mut command = suite::glasm_command()?;
    reference::use_gallium(&mut command, DRIVER);
    command.env("XDG_RUNTIME_DIR", out.join("run"));
    command.envs(group.variables.iter().copied());
    command.args(["gl", "--"]).arg(application.get_program());
    command.args(["run", "--api", "gl", "--device", DRIVER]);
    command.arg("--expected-failures").arg(expected);
    command.arg("--json").arg(report);
    command.args(find_group_scripts(group)?.iter().step_by(share));
    Ok(command)
}

/// Returns the scripts of the NV languages that the library can run.
pub(crate) fn find_nv_scripts() -> Result<Vec<PathBuf>> {
    let [nv, ..] = &GROUPS;
    find_group_scripts(nv)
}

/// Returns the scripts of a group, without those about rules that the library does not enforce.
fn find_group_scripts(group: &Group) -> Result<Vec<PathBuf>> {
    report::find_scripts(|text| (group.includes_script)(text) && !is_strict(text))
}

/// Runs scripts. Those that need features that OpenGL or the driver lacks are ignored.
fn run_group(group: &Group, scope: Scope) -> Result<Counts> {
    let out = OUT
        .canonicalize()
        .with_context(|| OUT.display().to_string())?;
    let report = out.join(format!("{}.json", group.name));
    let expected = Path::new(EXPECTED).join(format!("{}.txt", group.name));
    let command = group_command(group, sampling_interval(scope), &expected, &report, &out)?;
    let (tally, _) = suite::run_with_report(command, &report, group.name)?;
    println!("{}: {tally}\n", group.name);
    let tally = tally.require_passed(
        group.min_passed / sampling_interval(scope) as u64,
        "scripts",
    );
    Ok(tally.without_skipped())
}

/// Known differences, with the reasons.
const SPIRV_EXPECTED: &str = "tests/opengl/expected-failures.txt";

/// Output directory of the report.
static SPIRV_OUT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("gl-spirv"));

/// Fewer passing scripts would mean that the driver rejects programs that it accepted before.
const LEAST: u64 = 2500;

/// Runs the step of `cargo xtask test`. Scripts about features that OpenGL does not have, or about
/// errors, are ignored here.
pub(crate) fn test_gl_spirv() -> Result<Counts> {
    shell::create_dir(&SPIRV_OUT)?;
    let report = SPIRV_OUT.join("report.json");
    let mut command = suite::glasm_command()?;
    reference::use_gallium(&mut command, DRIVER);
    command.arg("run").args(SCRIPTS);
    command.args(["--api", "gl", "--round-trip", "spirv", "--device", DRIVER]);
    command.args(["--expected-failures", SPIRV_EXPECTED]);
    command.arg("--json").arg(&report);
    let (tally, results) = suite::run_with_report(command, &report, DRIVER)?;
    println!("{DRIVER}: {tally}\n");
    if results
        .iter()
        .any(|result| result.reason == "the driver lacks GL_ARB_gl_spirv")
    {
        return Ok(Counts::one_skipped());
    }
    Ok(tally.require_passed(LEAST, "scripts").without_skipped())
}

/// Forms of state, as options of the command line.
const FORMS: [&str; 2] = ["spec-constant", "uniform-block"];

/// Lines that set state which programs may read.
const STATES: [&str; 9] = [
    "fixed alpha_test",
    "fixed clamped_",
    "fixed clip_plane",
    "fixed flat_colors",
    "fixed line_stipple",
    "fixed point_",
    "fixed polygon_stipple",
    "fixed two_sided_color",
    "texparameter",
];

/// Runs the scripts that set fixed-function state on every driver with each way in which modules
/// may read it.
pub(crate) fn test_run_time_state() -> Result<Counts> {
    let sets = |line: &str| STATES.iter().any(|state| line.starts_with(state));
    let scripts = report::find_scripts(|text| text.lines().any(sets))?;
    anyhow::ensure!(!scripts.is_empty(), "no script sets state");
    suite::for_each_driver(|driver| {
        let mut tally = Counts::default();
        for form in FORMS {
            tally += run_form(driver, form, &scripts)?;
        }
        Ok(tally)
    })
}

/// Runs scripts on a driver with GL state in one form, and returns the counts of their outcomes.
fn run_form(driver: &vulkan::Driver, form: &str, scripts: &[PathBuf]) -> Result<Counts> {
    let name = format!("{}, state {form}", driver.name);
    let mut command = suite::run_command(driver, vulkan::Layer::Newest)?;
    command.args(scripts).args(["--state-source", form]);
    let folder = format!("state-{form}-{}", driver.name);
    let tally = suite::run_in_report_dir(command, &folder, &name)?;
    println!("{name}: {tally}\n");
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_belong_to_groups() {
        let groups = |text: &str| {
            let has = GROUPS.iter().filter(|group| (group.includes_script)(text));
            has.map(|group| group.name).collect::<Vec<_>>()
        };
        let nothing: [&str; 0] = [];
        assert_eq!(groups("[vertex program]\n!!VP1.0\nEND\n"), ["nv", "text"]);
        assert_eq!(
            groups("[fragment program]\n  !!ARBfp1.0\nEND\n"),
            ["arb", "text"]
        );
        assert_eq!(groups("!!ARBvp1.0\nEND\n!!NVfp4.0\nEND\n"), ["nv"]);
        assert_eq!(groups("# !!NVfp4.0\nFRAG\nEND\n"), nothing);
    }

    #[test]
    fn scripts_of_strict_rules_are_left_out() {
        assert!(is_strict("[require]\nstrict\n[test]\n"));
        assert!(!is_strict("# strict\n[require]\nstrictly\n"));
    }
}
