//! The build of the workspace that the steps share.

use anyhow::{Context as _, Result};
use glasm_ci_support::counts::Counts;
use glasm_ci_support::shell;
use glasm_ci_support::test_programs::{list_test_programs, parse_json_lines};
use serde_json::Value;
use std::process::{Command, Stdio};

/// Arguments of Cargo that build everything that the steps run, examples and benchmarks included.
/// Cargo selects the features of crates by the packages that a command names: with the same
/// packages in all commands, nothing is built twice.
const WORKSPACE_BUILD: &str = "build --workspace --all-targets";

/// Returns a Cargo command for the workspace in the features and with the compiler that the steps
/// share. The compiler is Clippy if it is installed: `cargo clippy` would analyze all crates once
/// more, and their dependencies.
pub(crate) fn workspace_cargo() -> Command {
    let mut cargo = shell::cargo();
    if let Some(driver) = shell::find_program("clippy-driver") {
        cargo.env("RUSTC_WORKSPACE_WRAPPER", driver);
    }
    cargo
}

/// Returns the Cargo command that builds the command, the vendor library and all tests, in the features
/// of the workspace. With others of a package in addition, only that one is built again.
pub(crate) fn build_command() -> Command {
    let mut cargo = workspace_cargo();
    cargo.args(WORKSPACE_BUILD.split(' '));
    cargo
}

/// Builds the command, the vendor library and all tests, in the features of the workspace.
///
/// # Errors
///
/// If the build fails.
pub(crate) fn build_workspace() -> Result<()> {
    shell::run_checked(&mut build_command())
}

/// Builds the workspace and checks that neither rustc nor Clippy has warnings; Cargo repeats those
/// of crates that it does not build again. Warnings of Clippy are a skipped check if it is not
/// installed.
///
/// # Errors
///
/// If Cargo does not start.
pub(crate) fn build_without_warnings() -> Result<Counts> {
    let mut build = build_command();
    build.args(["--message-format", "json"]);
    println!("$ {}", shell::display_command(&build));
    let output = build.stderr(Stdio::inherit()).output()?;
    let messages = list_compiler_messages(&output.stdout);
    for text in messages.iter().filter_map(|it| it["rendered"].as_str()) {
        println!("{text}");
    }
    let is_warning = |message: &&Value| message["level"] == "warning";
    let warnings = messages.iter().filter(is_warning).count();
    let mut tally = Counts::from_check(output.status.success() && warnings == 0);
    if shell::find_program("clippy-driver").is_none() {
        println!("Clippy is not installed: its warnings are unknown");
        tally += Counts::one_skipped();
    }
    Ok(tally)
}

/// Returns the messages of the compiler in Cargo's JSON output.
fn list_compiler_messages(output: &[u8]) -> Vec<Value> {
    parse_json_lines(output)
        .filter(|line| line["reason"] == "compiler-message")
        .map(|mut line| line["message"].take())
        .collect()
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
    // The same command lists the programs: for one test alone, Cargo would build libraries again.
    let mut build = build_command();
    build.args(["--quiet", "--message-format", "json"]);
    let output = shell::capture_output(&mut build)?;
    let package = std::path::absolute("glvendor")?;
    let mut programs = list_test_programs(&output.stdout).into_iter();
    let program = programs.find(|it| it.package_dir == package && it.target == name);
    let program = program.with_context(|| format!("the vendor library has no test `{name}`"))?;
    let mut command = Command::new(program.path);
    command.current_dir(&program.package_dir);
    command.env("CARGO_MANIFEST_DIR", &program.package_dir);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages as Cargo documents them ("External tools", "JSON messages"), shortened.
    #[test]
    fn messages_of_compilers_are_listed() {
        let output = br#"{"reason":"compiler-message","message":{"level":"warning"}}
            {"reason":"compiler-artifact","message":{"level":"error"}}
            {"reason":"compiler-message","message":{"level":"note"}}
            {"reason":"build-finished","success":true}"#;
        let levels = list_compiler_messages(output);
        let levels: Vec<_> = levels.iter().map(|it| it["level"].as_str()).collect();
        assert_eq!(levels, [Some("warning"), Some("note")]);
    }
}
