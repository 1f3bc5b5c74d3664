//! The crates as `cargo package` produces them.

use crate::published_crates::CRATES;
use anyhow::{Context as _, Result};
use glasm_ci_support::shell;
use std::fs;
use std::path::Path;

/// Writes the crates to a directory, with a file that lists them in dependency order. They are built
/// by the tests, not here.
pub(super) fn write_crates(output: &Path) -> Result<()> {
    shell::create_dir(output)?;
    let directory = shell::below_target("dist/crates");
    let mut package = shell::cargo();
    package.args(["package", "--locked", "--no-verify", "--target-dir"]);
    package.arg(&directory);
    for name in CRATES {
        package.args(["--package", name]);
    }
    shell::run_checked(&mut package)?;
    let mut order = String::new();
    for name in CRATES {
        let file = format!("{name}-{}.crate", env!("CARGO_PKG_VERSION"));
        let source = directory.join("package").join(&file);
        fs::copy(&source, output.join(&file)).with_context(|| source.display().to_string())?;
        order += &format!("{file}\n");
    }
    fs::write(output.join("ORDER"), order)?;
    Ok(())
}
