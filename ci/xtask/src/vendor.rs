//! Scripts through the vendor library: programs of the NV languages, and those of the ARB languages
//! that the driver itself would accept, on Mesa's driver for the CPU. The runner for OpenGL is the
//! application.

use crate::suite::{self, Scope};
use crate::{installed, reference};
use anyhow::{Context as _, Result};
use glasm_ci_support::report;
use glasm_ci_support::shell;
use glasm_ci_support::tally::{Skip, Tally};
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
    least: u64,
    /// Returns true if a script belongs to the group, by its source.
    has: fn(&str) -> bool,
}

/// Groups of scripts; the first two have different scripts.
const GROUPS: [Group; 3] = [
    Group {
        name: "nv",
        variables: &[],
        least: 1500,
        has: |text| has_program_of(text, NV),
    },
    Group {
        name: "arb",
        variables: &[("GLASM_ALL", "1")],
        least: 600,
        has: |text| has_program_of(text, ARB) && !has_program_of(text, NV),
    },
    // Programs for drivers without SPIR-V and with OpenGL 3.3 at most.
    Group {
        name: "text",
        variables: &[("GLASM_ALL", "1"), ("GLASM_TEXT", "330")],
        least: 1000,
        has: |text| {
            (has_program_of(text, ARB) || has_program_of(text, OLD_NV))
                && !has_program_of(text, &["!!NV"])
        },
    },
];

/// Returns true if a script has a program with one of these headers.
fn has_program_of(text: &str, headers: &[&str]) -> bool {
    let is_header = |line: &str| headers.iter().any(|header| line.starts_with(header));
    text.lines().any(|line| is_header(line.trim_start()))
}

/// Returns true if a script tests rules that the library does not enforce, because shipped programs
/// violate them.
fn is_strict(text: &str) -> bool {
    text.lines().any(|line| line.trim_end() == "strict")
}

/// Runs the step of `cargo xtask test`.
pub(crate) fn test(scope: Scope) -> Result<Tally> {
    anyhow::ensure!(
        cfg!(target_os = "linux"),
        Skip::because("the vendor library is for Linux")
    );
    installed::require_opengl()?;
    shell::run(shell::cargo().args(["build", "--package", "glasm-glvendor"]))?;
    shell::create_dir(&OUT)?;
    let mut tally = Tally::default();
    for group in &GROUPS {
        tally += run(group, scope)?;
    }
    Ok(tally)
}

/// Returns the sampling interval of scripts: one of this number runs.
const fn share(scope: Scope) -> usize {
    match scope {
        Scope::Quick => 8,
        Scope::All => 1,
    }
}

/// Returns the command that runs the scripts of the NV languages, with its files in the directory
/// `out`, which exists.
pub(crate) fn nv_command(expected: &Path, report: &Path, out: &Path) -> Result<Command> {
    let [nv, ..] = &GROUPS;
    command(nv, share(Scope::All), expected, report, out)
}

/// Returns the command that runs the scripts of a group.
fn command(
    group: &Group,
    share: usize,
    expected: &Path,
    report: &Path,
    out: &Path,
) -> Result<Command> {
    let application = suite::glasm()?;
    let mut command = suite::glasm()?;
    reference::use_gallium(&mut command, DRIVER);
    command.env("XDG_RUNTIME_DIR", out.join("run"));
    command.envs(group.variables.iter().copied());
    command.args(["gl", "--"]).arg(application.get_program());
    command.args(["run", "--api", "gl", "--device", DRIVER]);
    command.arg("--expected-failures").arg(expected);
    command.arg("--json").arg(report);
    let scripts = report::find_scripts(|text| (group.has)(text) && !is_strict(text))?;
    command.args(scripts.iter().step_by(share));
    Ok(command)
}

/// Runs scripts. Those that need features that OpenGL or the driver lacks are ignored.
fn run(group: &Group, scope: Scope) -> Result<Tally> {
    let out = OUT
        .canonicalize()
        .with_context(|| OUT.display().to_string())?;
    let report = out.join(format!("{}.json", group.name));
    let expected = Path::new(EXPECTED).join(format!("{}.txt", group.name));
    let command = command(group, share(scope), &expected, &report, &out)?;
    let (tally, _) = suite::run_reported(command, &report, group.name)?;
    println!("{}: {tally}\n", group.name);
    let tally = tally.with_least(group.least / share(scope) as u64, "scripts");
    Ok(tally.without_skipped())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_belong_to_groups() {
        let groups = |text: &str| {
            let has = GROUPS.iter().filter(|group| (group.has)(text));
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
