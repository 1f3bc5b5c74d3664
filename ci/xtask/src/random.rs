//! `cargo xtask random`: scripts of random programs, for comparing one implementation with another, or with what they must give.

use crate::suite;
use anyhow::{Context, Result, bail};
use glasm_ci_support::tally::Tally;
use glasm_ci_support::vulkan::{self, Driver, Layer};
use glasm_tests::{arb_scripts, gp_scripts, register_scripts};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Seeds of the step of `cargo xtask test`, for each kind of program.
const TESTED: u64 = 8;

/// Languages of random programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Family {
    /// ARB programs, which expect nothing.
    #[default]
    Arb,
    /// NV_gpu_program4 and 5, with expected values.
    Gp,
    /// Languages whose programs name registers, with expected values.
    Register,
}

impl Family {
    /// The family of this name.
    pub(crate) fn from_name(name: &str) -> Result<Self> {
        match name {
            "arb" => Ok(Self::Arb),
            "gp" => Ok(Self::Gp),
            "register" => Ok(Self::Register),
            _ => bail!("no family `{name}`; there are arb, gp, register"),
        }
    }
}

/// What `random` was asked for.
pub(crate) struct Options {
    /// Where the scripts go.
    pub(crate) folder: Option<PathBuf>,
    /// Languages of the programs.
    pub(crate) family: Family,
    /// Seed of the first one; the others count on.
    pub(crate) seed: u64,
    /// How many of each kind.
    pub(crate) count: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            folder: None,
            family: Family::default(),
            seed: 0,
            count: 100,
        }
    }
}

/// Writes the scripts and says what to do with them.
pub(crate) fn run(folder: &Path, options: &Options) -> Result<ExitCode> {
    let written = write(folder, options.family, options.seed, options.count)?;
    let next = match options.family {
        Family::Arb => "compare with: glasm run --compare gl,vulkan",
        Family::Gp | Family::Register => "run them with: glasm run",
    };
    println!("{written} scripts; {next} {}", folder.display());
    Ok(ExitCode::SUCCESS)
}

/// Writes `count` scripts of each kind of program, such as `fragment-SEED.shader_test`, and gives their number.
pub(crate) fn write(folder: &Path, family: Family, seed: u64, count: u64) -> Result<u64> {
    std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    let mut written = 0;
    for number in (0..count).map(|offset| seed.wrapping_add(offset)) {
        for (name, text) in scripts(family, number) {
            let path = folder.join(format!("{name}-{number}.shader_test"));
            std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
            written += 1;
        }
    }
    Ok(written)
}

/// The scripts of a seed, with the names of their kinds.
fn scripts(family: Family, seed: u64) -> Vec<(&'static str, String)> {
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

/// The step of `cargo xtask test`: a few programs that tell themselves what they must give. What the driver lacks does not count as
/// skipped: the programs need more and more from seed to seed.
pub(crate) fn test(driver: &Driver) -> Result<Tally> {
    let folder = suite::OUT.join(format!("random-{}", driver.name));
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    for family in [Family::Gp, Family::Register] {
        write(&folder, family, 0, TESTED)?;
    }
    let report = folder.join("report.json");
    let mut command = suite::glasm()?;
    vulkan::use_driver(&mut command, driver);
    let layer = vulkan::use_validation_layer(&mut command, Layer::Newest)?;
    command.arg("run").arg(&folder).arg("--json").arg(&report);
    if layer {
        command.args(["--validation", "require"]);
    }
    let name = format!("random programs on {}", driver.name);
    let (tally, _) = suite::run_reported(command, &report, &name)?;
    println!("{name}: {tally}");
    Ok(Tally {
        skipped: 0,
        ..tally
    })
}
