//! The commands of `cargo xtask`: all tasks of the repository, from a fresh machine to the
//! benchmark. Each command is a module with its options and a function `run_command`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line program talks through these"
)]

mod background;
mod bench;
mod bench_runs;
mod cargo_steps;
mod coverage;
mod cross;
mod demo;
mod dist;
mod downloads;
mod drivers;
mod features;
mod fuzz;
mod i386;
mod installed;
mod packages;
mod piglit;
mod piglit_tests;
mod published_crates;
mod random;
mod reference;
mod requirements;
mod script_steps;
mod setup;
mod step_times;
mod steps;
mod suite;
mod support;
mod test;
mod thread_sanitizer;
mod virgl;
mod web;
mod windows;
mod wine;
mod workspace_build;

use anyhow::Result;
use clap::{Parser, Subcommand};
use glasm_ci_support::shell;
use std::process::ExitCode;

/// Tasks of the glasm repository
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
#[command(args_override_self = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install what demo and test need (Vulkan loader, EGL, CPU drivers, SPIR-V tools)
    Setup(setup::Options),
    /// Run the sample programs and write the gallery out/gallery/index.html
    #[command(after_help = demo::HELP)]
    Demo,
    /// Format, lints, all tests, script suites on two CPU drivers, spirv-val, coverage
    Test(test::Options),
    /// Join the passing scripts with the feature lists in tests/features
    Coverage(coverage::Options),
    /// Measure translation, shaders and scripts, refresh docs/performance.md
    Bench(bench::Options),
    /// Build the packages that users install: archive, packages of Debian, crates
    #[command(after_help = dist::HELP)]
    Dist(dist::Options),
    /// Build the playground, a page for browsers
    #[command(after_help = web::HELP)]
    Web,
    /// Run a cargo-fuzz target of tests/fuzz
    Fuzz(fuzz::Options),
    /// Compare with piglit's tests of the ARB languages
    Piglit(piglit::Options),
    /// Compare with Mesa's OpenGL, refresh docs/reference.md
    #[command(after_help = reference::HELP)]
    Reference,
    /// Write scripts of random programs, to compare implementations with
    Random(random::Options),
    /// Test the tests: mutate the compiler, and list the mutants that scripts and tests do not kill
    Mutate(glasm_mutate::Options),
}

impl Command {
    /// Runs the subcommand; the exit code distinguishes failed checks from success.
    fn run(&self) -> Result<ExitCode> {
        match self {
            Self::Setup(options) => setup::run_command(options),
            Self::Demo => demo::run_command(),
            Self::Test(options) => test::run_command(options),
            Self::Coverage(options) => coverage::run_command(options),
            Self::Bench(options) => bench::run_command(options),
            Self::Dist(options) => dist::run_command(options),
            Self::Web => web::run_command(),
            Self::Fuzz(options) => fuzz::run_command(options),
            Self::Piglit(options) => piglit::run_command(options),
            Self::Reference => reference::run_command(),
            Self::Random(options) => random::run_command(options),
            Self::Mutate(options) => glasm_mutate::run_command(options),
        }
    }
}

/// Parses the arguments and runs the subcommand in the root of the repository. Exits with 2 after
/// an error that is not a failed check.
fn main() -> ExitCode {
    // Paths become absolute here: the commands run in the root of the repository.
    let command = Cli::parse().command;
    let result = shell::enter_repository_root().and_then(|()| command.run());
    result.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}

#[cfg(test)]
mod tests {
    use super::{Cli, Command, fuzz, steps};
    use clap::{CommandFactory, Parser};

    fn parse(arguments: &[&str]) -> Result<Command, clap::Error> {
        let program = ["cargo xtask"].iter();
        Cli::try_parse_from(program.chain(arguments)).map(|cli| cli.command)
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn wrong_usage_is_exit_status_2_and_help_is_0() {
        let status = |arguments: &[&str]| parse(arguments).err().map(|error| error.exit_code());
        assert_eq!(status(&["setup", "--yes", "--check", "-y", "--yes"]), None);
        assert_eq!(
            status(&["test", "--only", "unit", "--only", "doctests", "--all"]),
            None
        );
        assert_eq!(
            status(&["bench", "--only", "pairs", "--only", "draws"]),
            None
        );
        assert_eq!(
            status(&["random", "--seed", "1", "out", "--family", "register"]),
            None
        );
        for wrong in [
            &[][..],
            &["clarity"],
            &["demo", "--quick"],
            &["bench", "--only", "all"],
            &["random"],
            &["random", "a", "b"],
            &["piglit"],
            &["mutate", "--sample", "many"],
        ] {
            assert_eq!(status(wrong), Some(2), "{wrong:?}");
        }
        for help in [
            &["help"][..],
            &["--help"],
            &["-h"],
            &["test", "--help"],
            &["fuzz", "-h"],
        ] {
            assert_eq!(status(help), Some(0), "{help:?}");
        }
    }

    #[test]
    fn arguments_of_the_fuzzer_stay_as_they_are() {
        let options = |arguments: &[&str]| match parse(arguments) {
            Ok(Command::Fuzz(options)) => options.split_target(),
            _ => panic!("{arguments:?}"),
        };
        let expected = |target: &str, rest: &[&str]| {
            let rest = rest.iter().map(|word| (*word).to_owned());
            (target.to_owned(), rest.collect::<Vec<_>>())
        };
        assert_eq!(options(&["fuzz"]), expected(fuzz::DEFAULT, &[]));
        let limit = "-max_total_time=60";
        assert_eq!(
            options(&["fuzz", "--", limit]),
            expected(fuzz::DEFAULT, &["--", limit])
        );
        assert_eq!(
            options(&["fuzz", "tgsi", "--", limit]),
            expected("tgsi", &["--", limit])
        );
        assert_eq!(
            options(&["fuzz", "tgsi", "--release", "--help", "--", "-h"]),
            expected("tgsi", &["--release", "--help", "--", "-h"])
        );
        assert_eq!(
            options(&["fuzz", "-O", "--", limit]),
            expected(fuzz::DEFAULT, &["-O", "--", limit])
        );
    }

    #[test]
    fn the_help_of_test_names_all_steps() {
        let mut command = Cli::command();
        let test = command.find_subcommand_mut("test").expect("a command");
        for help in [
            test.render_help().to_string(),
            test.render_long_help().to_string(),
        ] {
            for step in steps::STEPS {
                assert!(help.contains(step.name), "{}", step.name);
            }
        }
    }
}
