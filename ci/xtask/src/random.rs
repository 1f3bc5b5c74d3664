//! `cargo xtask random`: scripts of random programs, for comparing one implementation with another,
//! or with the expected values.

use crate::suite;
use anyhow::{Context, Result};
use glasm_ci_support::counts::Counts;
use glasm_ci_support::shell;
use glasm_ci_support::vulkan::{Driver, Layer};
use glasm_tests::{arb_scripts, gp_scripts, register_scripts};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Seeds of the step of `cargo xtask test`, for each kind of program.
const TESTED: u64 = 8;

const HELP: &str = "\
Writes scripts of random programs. Equal seeds produce equal scripts.

Families:
  arb       ARB vertex and fragment programs. They expect nothing: compare two implementations with
            `glasm run --compare gl,vulkan DIRECTORY`
  gp        vertex, fragment and compute programs of NV_gpu_program4 and 5, with the values that
            follow from the arithmetic of the tests: `glasm run DIRECTORY`
  register  vertex programs of NV_vertex_program, NV_vertex_program1_1 and NV_vertex_program2,
            vertex state programs, and fragment programs of NV_fragment_program, with expected
            values: `glasm run DIRECTORY`";

/// Languages of random programs; the help text describes each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Family {
    Arb,
    Gp,
    Register,
}

/// `cargo xtask random`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Options {
    /// Where the scripts go
    #[arg(value_name = "FOLDER", value_parser = |path: &str| std::path::absolute(path))]
    directory: PathBuf,
    /// Languages of the programs
    #[arg(long, value_enum, default_value = "arb", value_name = "FAMILY")]
    family: Family,
    /// Scripts of each kind of program
    #[arg(long, default_value_t = 100, value_name = "N")]
    count: u64,
    /// Seed of the first one; it increases from script to script
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
}

/// Writes random scripts to a directory and prints the command that runs them.
pub(crate) fn run_command(options: &Options) -> Result<ExitCode> {
    let folder = &options.directory;
    let written = write_scripts(folder, options.family, options.seed, options.count)?;
    let next = match options.family {
        Family::Arb => "compare with: glasm run --compare gl,vulkan",
        Family::Gp | Family::Register => "run them with: glasm run",
    };
    println!("{written} scripts; {next} {}", folder.display());
    Ok(ExitCode::SUCCESS)
}

/// Writes `count` scripts of each kind of program, such as `fragment-SEED.shader_test`, and returns
/// their number.
pub(crate) fn write_scripts(folder: &Path, family: Family, seed: u64, count: u64) -> Result<u64> {
    std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    let mut written = 0;
    for number in (0..count).map(|offset| seed.wrapping_add(offset)) {
        for (name, text) in generate_scripts(family, number) {
            let path = folder.join(format!("{name}-{number}.shader_test"));
            std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
            written += 1;
        }
    }
    Ok(written)
}

/// Generates the scripts of a seed: one for each kind of a family, with the name of the kind.
fn generate_scripts(family: Family, seed: u64) -> Vec<(&'static str, String)> {
    match family {
        Family::Arb => {
            use arb_scripts::Kind;
            let kinds = [("fragment", Kind::Fragment), ("vertex", Kind::Vertex)];
            let script = |(name, kind)| (name, arb_scripts::script(seed, kind));
            kinds.into_iter().map(script).collect()
        }
        Family::Gp => {
            let script = |(kind, name)| (name, gp_scripts::script(seed, kind));
            gp_scripts::Kind::ALL.into_iter().map(script).collect()
        }
        Family::Register => {
            let script = |(kind, name)| (name, register_scripts::script(seed, kind));
            register_scripts::Kind::ALL
                .into_iter()
                .map(script)
                .collect()
        }
    }
}

/// Runs the step of `cargo xtask test`: a few programs with their expected values. Features that
/// the driver lacks are not treated as skipped checks: the programs need different ones from seed
/// to seed.
pub(crate) fn run_on_driver(driver: &Driver) -> Result<Counts> {
    let folder = suite::OUT.join(format!("random-{}", driver.name));
    shell::create_empty_dir(&folder)?;
    for family in [Family::Gp, Family::Register] {
        write_scripts(&folder, family, 0, TESTED)?;
    }
    let report = folder.join("report.json");
    let mut command = suite::run_command(driver, Layer::Newest)?;
    command.arg(&folder).arg("--json").arg(&report);
    let name = format!("random programs on {}", driver.name);
    let (tally, _) = suite::run_with_report(command, &report, &name)?;
    println!("{name}: {tally}");
    Ok(tally.without_skipped())
}
