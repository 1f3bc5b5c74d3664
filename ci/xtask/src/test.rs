//! `cargo xtask test`: runs steps, and tells what became of them and how long they took.

use crate::setup::{self, Purpose};
use crate::steps::{self, STEPS, Scope, State, Step};
use crate::times::{self, Clock, Record, Time};
use anyhow::Result;
use glasm_ci_support::shell;
use glasm_ci_support::tally::Tally;
use std::fmt::Write as _;
use std::process::ExitCode;

/// What `test` was asked for.
#[derive(Default)]
pub(crate) struct Options {
    /// Whether to look for missing packages.
    pub(crate) setup: Setup,
    /// How much to check.
    pub(crate) scope: Scope,
    /// Names of the only steps to run; empty: all of the scope.
    pub(crate) only: Vec<String>,
    /// Whether the document gets the times.
    pub(crate) document: Document,
}

/// Whether to look for missing packages.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum Setup {
    /// Install what is missing.
    #[default]
    Ensure,
    /// Take the machine as it is.
    Skip,
}

/// What becomes of the document that lists the steps.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum Document {
    /// It stays as it is.
    #[default]
    Keep,
    /// It gets the times of the last full runs.
    Write,
}

impl Options {
    /// Returns the steps to run. Steps that are asked for by name run in full.
    fn steps(&self) -> Result<(Scope, Vec<&'static Step>)> {
        for name in &self.only {
            steps::find(name)?;
        }
        let is_wanted = |step: &&Step| match (self.only.as_slice(), self.scope) {
            ([], Scope::All) => true,
            ([], Scope::Quick) => step.scope == Scope::Quick,
            (names, _) => names.iter().any(|name| name == step.name),
        };
        let scope = if self.only.is_empty() {
            self.scope
        } else {
            Scope::All
        };
        Ok((scope, STEPS.iter().filter(is_wanted).collect()))
    }
}

/// Returns the help text of the command: `usage`, then the steps.
pub(crate) fn help() -> String {
    let mut text = String::from(
        "\
usage: cargo xtask test [--all] [--no-setup] [--only STEP]...

Installs what is missing (as setup --yes does), then runs these steps; those with a * only with --all:\n",
    );
    for step in STEPS {
        let mark = match step.scope {
            Scope::Quick => ' ',
            Scope::All => '*',
        };
        let about = step.about.replace('`', "");
        let _ = writeln!(text, "  {mark} {:<11}  {about}", step.name);
    }
    text += "\
The last line is `N passed, N failed, N skipped`: tests, scripts and checks together. Times go to
test-times.json in the target directory; a step that took twice as long as in the run before is named.

  --all          run all steps, in full: what continuous integration runs
  --no-setup     do not look for missing packages
  --only STEP    run only this step, in full (may be repeated)
  --write-times  list the steps in CONTRIBUTING.md, with the times that the last full run of each took";
    text
}

/// `cargo xtask test`.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let (scope, wanted) = options.steps()?;
    if options.setup == Setup::Ensure {
        setup::ensure(Purpose::Test)?;
    }
    let mut state = State::default();
    state.scope = scope;
    let mut failures = Vec::new();
    let clock = Clock::start();
    let mut records = Vec::new();
    for step in wanted {
        let after = clock.read().wall.as_secs_f64();
        println!("\n== {} (after {after:.0} s)", step.name);
        records.push(run_step(step, &mut state, &mut failures));
    }
    report(scope, &records, &failures, clock.read())?;
    if options.document == Document::Write {
        times::write_document(STEPS.iter().map(|step| times::Listed {
            name: step.name,
            runs: match step.scope {
                Scope::Quick => "`test`",
                Scope::All => "`test --all`",
            },
            about: step.about,
        }))?;
    }
    let failed: u64 = records.iter().map(|record| record.tally.failed).sum();
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

/// Runs a step and appends the commands that failed in it.
fn run_step(step: &Step, state: &mut State, failures: &mut Vec<String>) -> Record {
    let clock = Clock::start();
    // A step that cannot run is a failure of that step; the others still tell something.
    let tally = (step.run)(state).unwrap_or_else(|error| {
        println!("error: {error:#}");
        Tally::check(false)
    });
    let commands = shell::take_failures();
    if tally.failed > 0 {
        let name = step.name;
        failures.extend(commands.iter().map(|command| format!("{name}: {command}")));
    }
    Record {
        name: step.name,
        tally,
        time: clock.read(),
    }
}

/// Prints what became of the steps, the totals last, and records the times.
fn report(scope: Scope, records: &[Record], failures: &[String], time: Time) -> Result<()> {
    if !failures.is_empty() {
        println!("\nCommands that failed:\n{}", failures.join("\n"));
    }
    let mut total = Tally::default();
    println!();
    for record in records {
        println!("{}", times::line(record));
        total += record.tally;
    }
    let all = Record {
        name: "all",
        tally: total,
        time,
    };
    println!("{}", times::line(&all));
    let name = match scope {
        Scope::Quick => "quick",
        Scope::All => "all",
    };
    for warning in times::record(name, records)? {
        println!("warning: {warning}");
    }
    if scope == Scope::Quick {
        let left = STEPS.iter().filter(|step| step.scope == Scope::All);
        let left: Vec<&str> = left.map(|step| step.name).collect();
        println!(
            "\nNot checked without --all: {}; slow unit tests, all scripts on SwiftShader and through the vendor library",
            left.join(", ")
        );
    }
    println!("\n{total}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(options: &Options) -> Vec<&'static str> {
        let (_, steps) = options.steps().unwrap();
        steps.iter().map(|step| step.name).collect()
    }

    #[test]
    fn steps_are_chosen_by_scope_or_name() {
        let quick = names(&Options::default());
        assert!(quick.contains(&"scripts") && !quick.contains(&"mutate"));
        let all = Options {
            scope: Scope::All,
            ..Options::default()
        };
        assert_eq!(names(&all).len(), STEPS.len());
        let only = |name: &str| Options {
            only: vec![name.to_owned()],
            ..Options::default()
        };
        assert_eq!(names(&only("mutate")), ["mutate"]);
        assert_eq!(only("vendor").steps().unwrap().0, Scope::All);
        assert!(only("no such step").steps().is_err());
    }

    #[test]
    fn the_help_text_names_all_steps() {
        let help = help();
        for step in STEPS {
            assert!(help.contains(step.name), "{}", step.name);
        }
    }
}
