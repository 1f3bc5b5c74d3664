//! `cargo xtask random`: scripts of random programs, for comparing one implementation with another.

use anyhow::{Context, Result};
use glasm_tests::arb_scripts::{Kind, script};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What `random` was asked for.
pub(crate) struct Options {
    /// Where the scripts go.
    pub(crate) folder: Option<PathBuf>,
    /// Seed of the first one; the others count on.
    pub(crate) seed: u64,
    /// How many of each kind.
    pub(crate) count: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            folder: None,
            seed: 0,
            count: 100,
        }
    }
}

/// Writes the scripts and says how to compare.
pub(crate) fn run(folder: &Path, options: &Options) -> Result<ExitCode> {
    write(folder, options.seed, options.count)?;
    println!(
        "{} scripts; compare with: glasm run --compare gl,vulkan {}",
        2 * options.count,
        folder.display()
    );
    Ok(ExitCode::SUCCESS)
}

/// Writes `count` scripts of each kind, `fragment-SEED.shader_test` and `vertex-SEED.shader_test`.
pub(crate) fn write(folder: &Path, seed: u64, count: u64) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    for (name, kind) in [("fragment", Kind::Fragment), ("vertex", Kind::Vertex)] {
        for number in (0..count).map(|offset| seed.wrapping_add(offset)) {
            let path = folder.join(format!("{name}-{number}.shader_test"));
            std::fs::write(&path, script(number, kind))
                .with_context(|| format!("writing {}", path.display()))?;
        }
    }
    Ok(())
}
