//! `cargo xtask setup`: reports and installs the requirements of demo and test.

use crate::requirements::{self, Purpose, Requirement};
use anyhow::{Result, ensure};
use glasm_ci_support::shell;
use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;

const HELP: &str = "\
Finds what is missing, prints its purpose, and installs it with apt-get on Debian, Ubuntu and their
relatives: directly as root, else through sudo. On other systems it prints the package names.
Piglit's tests and the Cg runtime are unpacked below target and not installed.";

/// `cargo xtask setup`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Options {
    /// Do not ask before installing
    #[arg(short, long, overrides_with = "check")]
    yes: bool,
    /// Only report; exit status 1 if something is missing
    #[arg(long, overrides_with = "yes")]
    check: bool,
}

/// Runs `cargo xtask setup`: reports the missing requirements and installs them after consent, or
/// only checks them. The exit code is 1 if some are missing afterwards.
pub(crate) fn run_command(options: &Options) -> Result<ExitCode> {
    let complete = if options.check {
        report_requirements()
    } else {
        if !options.yes && (report_requirements() || !ask_for_consent()?) {
            return Ok(ExitCode::SUCCESS);
        }
        ensure_installed(Purpose::Test)?
    };
    for problem in find_missing_rust_components() {
        println!("{problem}");
    }
    Ok(ExitCode::from(u8::from(!complete)))
}

/// Prints the present and the missing requirements. Returns true if the tests lack none.
fn report_requirements() -> bool {
    let mut complete = true;
    for requirement in requirements::find_applicable(Purpose::Bench) {
        if (requirement.is_present)() {
            println!("found    {}: {}", requirement.name, requirement.usage);
        } else {
            complete &= requirement.purpose > Purpose::Test;
            println!("MISSING  {}: {}", requirement.name, requirement.usage);
            println!("         to install: {}", requirement.hint());
        }
    }
    complete
}

/// Asks on a terminal; otherwise there is no user to answer, so the command itself is the consent.
fn ask_for_consent() -> Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Ok(true);
    }
    print!("Install what is missing? [Y/n] ");
    std::io::stdout().flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(!answer.trim().to_ascii_lowercase().starts_with('n'))
}

/// Installs the missing requirements of `purpose`. Returns true if all requirements are met
/// afterwards; an error if a mandatory one is missing.
pub(crate) fn ensure_installed(purpose: Purpose) -> Result<bool> {
    let mut missing = requirements::find_applicable(purpose).collect::<Vec<_>>();
    missing.retain(|requirement| !(requirement.is_present)());
    for Requirement { name, usage, .. } in &missing {
        println!("missing: {name} ({usage})");
    }
    requirements::install(&missing);
    missing.retain(|requirement| !(requirement.is_present)());
    for requirement in &missing {
        let Requirement { name, usage, .. } = requirement;
        let hint = requirement.hint();
        let is_required = requirement.purpose == Purpose::Required;
        ensure!(!is_required, "{name} is required ({usage}); {hint}");
        println!("going on without {name}, what needs it is skipped; to install: {hint}");
    }
    Ok(missing.is_empty())
}

/// Returns a message about each component of Rust that is not installed.
pub(crate) fn find_missing_rust_components() -> Vec<String> {
    let is_missing = |tool: &str| {
        let version = shell::capture_output(shell::cargo().args([tool, "--version"]));
        !version.is_ok_and(|output| output.status.success())
    };
    let tools = [("fmt", "rustfmt"), ("clippy", "clippy")].into_iter();
    let missing = tools.filter(|(tool, _)| is_missing(tool));
    missing.map(|(tool, component)| {
        format!("missing: `cargo {tool}`; to install: rustup component add {component} (or your distribution's package)")
    })
    .collect()
}
