//! The build of the workspace that the steps share.

use anyhow::{Context as _, Result};
use glasm_ci_support::shell;
use glasm_ci_support::test_programs::list_test_programs;
use std::process::Command;

/// Arguments of Cargo that build all that the steps run. Cargo selects the features of crates by the
/// packages that a command names: with the same packages in all commands, nothing is built twice.
pub(crate) const WORKSPACE_BUILD: &str = "build --workspace --lib --bins --tests";

/// Builds the command, the vendor library and all tests, in the features of the workspace.
///
/// # Errors
///
/// If the build fails.
pub(crate) fn build_workspace() -> Result<()> {
    shell::run_checked(shell::cargo().args(WORKSPACE_BUILD.split(' ')))
}

/// Builds the workspace and returns a command that runs an integration test of the vendor library,
/// in the directory of its package. Variables that a step sets for it do not reach Cargo, which
/// would build the crates that depend on them again.
///
/// # Errors
///
/// If the build fails, or if the vendor library lacks such a test.
pub(crate) fn prepare_vendor_test(name: &str) -> Result<Command> {
    build_workspace()?;
    let mut build = shell::cargo();
    // With the features of the workspace, whose build has this test.
    build.args(["test", "--workspace", "--test", name]);
    build.args(["--no-run", "--quiet", "--message-format", "json"]);
    let output = shell::capture_output(&mut build)?;
    let package = std::path::absolute("glvendor")?;
    let mut programs = list_test_programs(&output.stdout).into_iter();
    let program = programs.find(|program| program.package_dir == package);
    let program = program.with_context(|| format!("the vendor library has no test `{name}`"))?;
    let mut command = Command::new(program.path);
    command.current_dir(&program.package_dir);
    command.env("CARGO_MANIFEST_DIR", &program.package_dir);
    Ok(command)
}
