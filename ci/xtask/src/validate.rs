//! spirv-val on every module of a suite, several in parallel.

use crate::installed;
use anyhow::{Context, Result};
use glasm_ci_support::shell;
use glasm_ci_support::tally::Tally;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Validates all `.spv` files below `dirs`; equal modules once.
pub(crate) fn run(dirs: &[PathBuf]) -> Result<Tally> {
    installed::require([("spirv-val", installed::has_program("spirv-val"))])?;
    let modules = collect(dirs)?;
    anyhow::ensure!(!modules.is_empty(), "the scripts left no modules");
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let problems = shell::side_by_side(&modules, jobs, |module| Ok(check(module).err()))?;
    let problems = problems.iter().flatten();
    let mut failures: Vec<String> = problems.map(|problem| format!("{problem:#}")).collect();
    failures.sort();
    for failure in &failures {
        println!("{failure}");
    }
    let failed = failures.len() as u64;
    Ok(Tally {
        passed: modules.len() as u64 - failed,
        failed,
        skipped: 0,
    })
}

/// Returns all modules below `dirs` that differ.
fn collect(dirs: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut modules = Vec::new();
    let mut seen = BTreeSet::new();
    for dir in dirs.iter().filter(|dir| dir.is_dir()) {
        for path in shell::files_below(dir, "spv")? {
            if seen.insert(std::fs::read(&path)?) {
                modules.push(path);
            }
        }
    }
    modules.sort();
    Ok(modules)
}

fn check(module: &Path) -> Result<()> {
    let bytes = std::fs::read(module).with_context(|| format!("reading {}", module.display()))?;
    let environment = environment(&bytes)
        .with_context(|| format!("{}: not a SPIR-V module", module.display()))?;
    // scalarBlockLayout is not enabled by the runner, so no relaxed layout here either.
    let output = shell::capture(
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
fn environment(module: &[u8]) -> Option<&'static str> {
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

#[cfg(test)]
mod tests {
    use super::environment;

    #[test]
    fn the_environment_follows_the_version_word() {
        let module = |version: u32| [0x0723_0203_u32, version].map(u32::to_le_bytes).concat();
        assert_eq!(environment(&module(0x0001_0300)), Some("vulkan1.1"));
        assert_eq!(environment(&module(0x0001_0500)), Some("vulkan1.2"));
        assert_eq!(environment(&module(0x0001_0600)), Some("vulkan1.3"));
        assert_eq!(environment(&module(0x0002_0000)), None);
        assert_eq!(environment(b"not a module"), None);
    }
}
