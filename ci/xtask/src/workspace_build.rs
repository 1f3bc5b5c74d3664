//! The build of the workspace that the steps share.

use anyhow::{Context as _, Result};
use glasm_ci_support::shell;
use std::path::Path;
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
    build.args(["test", "--workspace", "--lib", "--bins", "--tests"]);
    build.args(["--no-run", "--quiet", "--message-format", "json"]);
    let messages = shell::read_output(&mut build)?;
    let manifest = std::path::absolute("glvendor/Cargo.toml")?;
    let program = messages.lines().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let is_wanted = message["target"]["name"] == name
            && Path::new(message["manifest_path"].as_str()?) == manifest;
        let executable = message["executable"].as_str()?;
        is_wanted.then(|| executable.to_owned())
    });
    let program = program.with_context(|| format!("the vendor library has no test `{name}`"))?;
    let mut command = Command::new(program);
    if let Some(directory) = manifest.parent() {
        command.current_dir(directory);
        command.env("CARGO_MANIFEST_DIR", directory);
    }
    Ok(command)
}
