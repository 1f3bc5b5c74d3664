//! Builds for targets other than that of this machine, whose standard libraries rustup installs.

use anyhow::{Result, ensure};
use glasm_ci_support::counts::Skip;
use glasm_ci_support::shell;
use std::path::{Path, PathBuf};
use std::process::Command;

/// 32-bit programs for Linux.
pub(crate) const LINUX_32: &str = "i686-unknown-linux-gnu";

/// 64-bit programs for Windows.
pub(crate) const WINDOWS_64: &str = "x86_64-pc-windows-gnu";

/// 32-bit programs for Windows.
pub(crate) const WINDOWS_32: &str = "i686-pc-windows-gnu";

/// Modules for browsers.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// Returns true if the standard library for a target is installed.
pub(crate) fn has_target(target: &str) -> bool {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", target]);
    let directory = shell::read_output(&mut rustc);
    directory.is_ok_and(|directory| Path::new(&directory).is_dir())
}

/// Fails with [`Skip`] unless the standard library for a target is installed.
pub(crate) fn require_target(target: &str) -> Result<()> {
    ensure!(
        has_target(target),
        Skip::with_reason(format!("`rustup target add {target}` was not run"))
    );
    Ok(())
}

/// Returns the directory of the output of Cargo. All targets share it, and with it build scripts and
/// procedural macros; the workspace does not, because Cargo would lock its directory meanwhile.
///
/// # Errors
///
/// If the working directory does not exist.
pub(crate) fn build_directory() -> Result<PathBuf> {
    Ok(std::path::absolute(shell::below_target("cross"))?)
}

/// Returns a command of Cargo, such as `build`, for a target. Fails with [`Skip`] if its standard
/// library is not installed.
pub(crate) fn cargo(subcommand: &str, target: &str) -> Result<Command> {
    require_target(target)?;
    let mut cargo = shell::cargo();
    cargo.args([subcommand, "--target", target, "--target-dir"]);
    cargo.arg(build_directory()?);
    Ok(cargo)
}

/// Crates that the profile `dev` optimizes, because scripts run them for more time than that takes.
pub(crate) const OPTIMIZED_CRATES: [&str; 4] = [
    "glasm-codegen",
    "glasm-extract",
    "glasm-frontend",
    "glasm-ir",
];

/// Leaves crates of a build with the profile `dev` unoptimized.
pub(crate) fn skip_optimization(cargo: &mut Command, crates: &[&str]) {
    for name in crates {
        let setting = format!("profile.dev.package.{name}.opt-level=0");
        cargo.args(["--config", &setting]);
    }
}

/// Returns the path of a file that Cargo builds for a target with a profile.
///
/// # Errors
///
/// If the working directory does not exist.
pub(crate) fn built_file(target: &str, profile: &str, name: &str) -> Result<PathBuf> {
    let directory = build_directory()?.join(target);
    Ok(directory.join(name_profile_directory(profile)).join(name))
}

/// Returns the name of Cargo's directory of a profile.
pub(crate) fn name_profile_directory(profile: &str) -> &str {
    match profile {
        "dev" => "debug",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::OPTIMIZED_CRATES;

    #[test]
    fn optimized_crates_are_those_of_the_profile() {
        let manifest = include_str!("../../../Cargo.toml");
        let (_, section) = manifest
            .split_once("\n[profile.dev.package]\n")
            .expect("the profile has a section of packages");
        let (section, _) = section.split_once("\n[").expect("another section follows");
        let names = section.lines().filter_map(|line| line.split_once(" = "));
        let mut names: Vec<&str> = names.map(|(name, _)| name).collect();
        names.retain(|name| name.starts_with("glasm"));
        names.sort_unstable();
        assert_eq!(names, OPTIMIZED_CRATES);
    }
}
