//! Compares the results of other drivers for all scripts with those of lavapipe with glasm's
//! modules: Mesa's OpenGL drivers for the CPU, which have their own assembler, and recorded
//! drivers. `docs/comparing.md` explains how results are compared.
//!
//! llvmpipe shares much of its arithmetic with lavapipe, softpipe next to nothing.

use crate::{installed, random, suite, workspace_build};
use anyhow::{Context, Result, bail};
use glasm_ci_support::counts::Counts;
use glasm_ci_support::report::{self, Outcome, ScriptResult};
use glasm_ci_support::{shell, vulkan};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::LazyLock;

/// Explains the command.
pub(crate) const HELP: &str = "\
Runs all scripts, and scripts of random programs, with Mesa's OpenGL drivers for the CPU (llvmpipe,
softpipe) and with lavapipe, compares all that they leave, and writes docs/reference.md. Recordings
below tests/golden are compared, too. docs/comparing.md explains how; differences that a
specification decides are listed in tests/reference/known-differences.toml.";

/// Output directory of reports and random scripts.
static OUT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("reference"));

/// Decisions about differences, with the deciding sections.
const KNOWN: &str = "tests/reference/known-differences.toml";

/// Document that users read.
const DOCUMENT: &str = "docs/reference.md";

/// Families of scripts, each in a directory.
const FAMILIES: &[&str] = &[
    "tests/cases/run/arb",
    "tests/cases/run/gp",
    "tests/cases/run/runner",
    "shaders",
];

/// Random scripts of each kind.
const RANDOM: u64 = 100;

/// Mesa's drivers for the CPU, by the values of `GALLIUM_DRIVER`.
const DRIVERS: &[&str] = &["llvmpipe", "softpipe"];

/// Directories of recordings, one for each driver that was recorded.
const GOLDEN: &str = "tests/golden";

/// Driver that lavapipe is compared with.
struct Reference {
    /// Driver, by the title of its chapter.
    name: String,
    /// For `--compare`.
    compare_side: String,
    /// Value of `GALLIUM_DRIVER`.
    gallium: Option<&'static str>,
}

/// Runs `cargo xtask reference`: compares drivers and writes the document. The exit code is 1 if
/// there are differences.
pub(crate) fn run_command() -> Result<ExitCode> {
    workspace_build::build_workspace()?;
    let references = find_references()?;
    let tally = compare_all(&references)?;
    write_document(&references)?;
    println!("{tally}");
    Ok(ExitCode::from(u8::from(tally.failed > 0)))
}

/// Runs the step of `cargo xtask test`. Scripts that a driver cannot run are not treated as skipped
/// checks: no CPU driver supports the newer languages.
pub(crate) fn run_step() -> Result<Counts> {
    compare_all(&find_references()?)
}

/// Returns Mesa's drivers, if they are installed, and the recordings.
fn find_references() -> Result<Vec<Reference>> {
    let mut found = Vec::new();
    if installed::has_opengl() {
        found.extend(DRIVERS.iter().map(|driver| Reference {
            name: (*driver).to_owned(),
            compare_side: format!("gl:{driver}"),
            gallium: Some(driver),
        }));
    } else {
        println!("EGL or Mesa's OpenGL drivers are not installed (cargo xtask setup)");
    }
    if Path::new(GOLDEN).is_dir() {
        for folder in std::fs::read_dir(GOLDEN).with_context(|| format!("reading {GOLDEN}"))? {
            let folder = folder?;
            let name = folder.file_name().to_string_lossy().into_owned();
            found.push(Reference {
                compare_side: format!("{GOLDEN}/{name}"),
                name,
                gallium: None,
            });
        }
    }
    Ok(found)
}

/// Compares the images of scripts and random programs on each reference with those of lavapipe;
/// skipped without either.
fn compare_all(references: &[Reference]) -> Result<Counts> {
    let Some(lavapipe) = vulkan::find_lavapipe() else {
        println!("lavapipe is not installed: nothing is compared");
        return Ok(Counts::one_skipped());
    };
    if references.is_empty() {
        return Ok(Counts::one_skipped());
    }
    let scripts = OUT.join("random");
    shell::create_empty_dir(&scripts)?;
    random::write_scripts(&scripts, random::Family::Arb, 0, RANDOM)?;
    let mut tally = Counts::default();
    for reference in references {
        tally += compare_driver(reference, &lavapipe, &scripts)?;
    }
    Ok(tally)
}

/// Returns the path of the report about a driver.
fn report_path(driver: &str) -> PathBuf {
    OUT.join(format!("{driver}.md"))
}

/// Draws the scripts on one reference and on lavapipe, prints the differences that are not known,
/// and counts scripts with and without them.
fn compare_driver(
    reference: &Reference,
    lavapipe: &vulkan::Driver,
    random: &Path,
) -> Result<Counts> {
    let driver = &reference.name;
    let json = OUT.join(format!("{driver}.json"));
    let mut command = suite::glasm_command()?;
    vulkan::use_driver(&mut command, lavapipe);
    if let Some(gallium) = reference.gallium {
        use_gallium(&mut command, gallium);
    }
    command
        .args(["run", "--known-differences", KNOWN, "--validation", "off"])
        .args(["--compare", &format!("{},vulkan", reference.compare_side)])
        .args(FAMILIES)
        .arg(random)
        .arg("--json")
        .arg(&json)
        .arg("--comparison-report")
        .arg(report_path(driver));
    println!("$ {}", shell::display_command(&command));
    let output = shell::capture_output(&mut command)?;
    // Messages of the command, stale entries of the known differences among them.
    print!("{}", String::from_utf8_lossy(&output.stderr));
    if !json.is_file() {
        bail!(
            "glasm run with {driver} wrote no report ({})",
            output.status
        );
    }
    let results = report::read_report(&json)?;
    for result in results.iter().filter(|one| one.outcome == Outcome::Fail) {
        println!("DIFF {}\n{}", result.script, result.failures.join("\n"));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let table = text.lines().skip_while(|line| !line.starts_with("family "));
    println!("{driver}:\n{}\n", table.collect::<Vec<_>>().join("\n"));
    Ok(count_agreements(&results, output.status.success()))
}

/// Sets the environment that makes Mesa's OpenGL use a software driver by name, such as `llvmpipe`.
pub(crate) fn use_gallium(command: &mut Command, driver: &str) {
    command
        .env("GALLIUM_DRIVER", driver)
        .env("LIBGL_ALWAYS_SOFTWARE", "true");
}

/// Counts agreements as passed and differences as failed; at least one failure if the command
/// failed.
pub(crate) fn count_agreements(results: &[ScriptResult], success: bool) -> Counts {
    let number = |outcome| results.iter().filter(|one| one.outcome == outcome).count() as u64;
    let failed = number(Outcome::Fail);
    Counts {
        passed: number(Outcome::Pass),
        // Known differences that are gone fail the command, too.
        failed: failed.max(u64::from(!success)),
        skipped: 0,
    }
}

/// Combines the reports on all drivers to one document, with a chapter for each.
fn write_document(references: &[Reference]) -> Result<()> {
    let mut text = String::from(HEAD);
    if references.iter().all(|one| one.gallium.is_some()) {
        text.push_str(NOTHING_RECORDED);
    }
    for reference in references {
        let path = report_path(&reference.name);
        let report = std::fs::read_to_string(&path)
            .with_context(|| format!("reading {}", path.display()))?;
        text.push_str(&to_chapter(&reference.name, &report));
    }
    std::fs::write(DOCUMENT, text).with_context(|| format!("writing {DOCUMENT}"))?;
    println!("wrote {DOCUMENT}");
    Ok(())
}

const HEAD: &str = "# Comparison with other drivers

Written by `cargo xtask reference`. Every script that an OpenGL driver can run was run twice: with the assembler of the driver,
and on Vulkan (lavapipe) through glasm. All values that the programs produced were compared. `docs/comparing.md` explains the numbers, and how to
compare with another driver or record it. The family `random` contains scripts of random programs (`cargo xtask random`).

Mesa's two drivers for the CPU support the ARB languages with their ARB options. ";

/// Sentence of the document while no recording of NVIDIA's driver exists.
const NOTHING_RECORDED: &str =
    "NVIDIA's driver, which supports the NV languages, has not been recorded yet: their scripts are listed under *Not compared*.
";

/// Returns a report as a chapter of the document: its title becomes the driver's name, and headings
/// go one level down.
fn to_chapter(driver: &str, report: &str) -> String {
    let mut text = format!("\n## {driver}\n");
    let body = report.lines().skip_while(|line| !line.starts_with("- "));
    for line in body {
        if line.starts_with("## ") {
            text.push('#');
        } else if line.starts_with("- ") && text.ends_with(&format!("## {driver}\n")) {
            text.push('\n');
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_become_chapters() {
        let report = "# Title\n\nText.\n\n- gl and vulkan\n\n| a |\n\n## Known\n\n- x\n";
        let chapter = "\n## softpipe\n\n- gl and vulkan\n\n| a |\n\n### Known\n\n- x\n";
        assert_eq!(to_chapter("softpipe", report), chapter);
    }

    #[test]
    fn what_cannot_be_compared_does_not_count() {
        let one = |outcome| ScriptResult {
            outcome,
            ..ScriptResult::default()
        };
        let results = [one(Outcome::Pass), one(Outcome::Skip), one(Outcome::Fail)];
        assert_eq!(
            count_agreements(&results, false),
            Counts {
                passed: 1,
                failed: 1,
                skipped: 0
            }
        );
        assert_eq!(count_agreements(&results[..2], false).failed, 1);
        assert_eq!(count_agreements(&results[..2], true).failed, 0);
    }
}
