//! `cargo xtask test`: runs steps, and reports their results and times.

use crate::background::{BackgroundSteps, STEP_MARK, StepResults};
use crate::requirements::{self, Purpose, REQUIREMENTS};
use crate::setup;
use crate::step_times::{self, StepClock, StepRecord, StepTime};
use crate::steps::{self, STEPS, Step, TestRunState};
use crate::suite::Scope;
use anyhow::Result;
use glasm_ci_support::counts::Counts;
use glasm_ci_support::shell;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// `cargo xtask test`.
#[derive(clap::Args, Default)]
#[command(after_help = list_steps())]
pub(crate) struct Options {
    /// Run all steps, in full: what continuous integration runs
    #[arg(long)]
    all: bool,
    /// Do not look for missing packages
    #[arg(long)]
    no_setup: bool,
    /// Run only this step, in full (may be repeated)
    #[arg(long, value_name = "STEP")]
    only: Vec<String>,
    /// List the steps in CONTRIBUTING.md, with the times that the last full run of each took
    #[arg(long)]
    write_times: bool,
    /// Run the steps that run in the background, and write their results to a file
    #[arg(long, value_name = "FILE", hide = true)]
    background_results: Option<PathBuf>,
}

impl Options {
    /// Returns the steps to run and their scope. Steps that are named on the command line run in
    /// full.
    fn select_steps(&self) -> Result<(Scope, Vec<&'static Step>)> {
        for name in &self.only {
            steps::find_step(name)?;
        }
        let named = !self.only.is_empty();
        let scope = if self.all || named {
            Scope::All
        } else {
            Scope::Quick
        };
        let is_wanted = |step: &&Step| {
            if named {
                self.only.iter().any(|name| name == step.name)
            } else {
                scope == Scope::All || step.scope == Scope::Quick
            }
        };
        Ok((scope, STEPS.iter().filter(is_wanted).collect()))
    }
}

/// Formats the help text that lists all steps with their descriptions.
fn list_steps() -> String {
    let mut text = String::from(
        "\
Installs what is missing (as setup --yes does), then runs these steps; those with a * only with --all:\n",
    );
    for step in STEPS {
        let mark = match step.scope {
            Scope::Quick => ' ',
            Scope::All => '*',
        };
        let about = step.about.replace('`', "");
        let _ = writeln!(text, "  {mark} {:<17}  {about}", step.name);
    }
    text += "\
The last line is `N passed, N failed, N skipped`: tests, scripts and checks together. Times go to
test-times.json in the target directory; a step that took twice as long as in the run before is named.";
    text
}

/// Runs `cargo xtask test`: installs requirements, runs the selected steps, and prints failures and
/// times. Steps run in order; those of a full run that run in the background do so in another
/// process.
pub(crate) fn run_command(options: &Options) -> Result<ExitCode> {
    let (scope, wanted) = options.select_steps()?;
    if let Some(file) = &options.background_results {
        let steps = wanted.into_iter().filter(|it| it.runs_in_background);
        run_steps(steps, scope, None, StepClock::start())?.write(file)?;
        return Ok(ExitCode::SUCCESS);
    }
    if !options.no_setup {
        setup::ensure_installed(Purpose::Test)?;
    }
    let clock = StepClock::start();
    let is_full_run = options.all && options.only.is_empty();
    let results = if is_full_run {
        let background = BackgroundSteps::start()?;
        let steps = wanted.iter().filter(|it| !it.runs_in_background).copied();
        run_steps(steps, scope, Some(background), clock)?
    } else {
        run_steps(wanted.iter().copied(), scope, None, clock)?
    };
    let StepResults { records, failures } = results;
    let total = print_summary(scope, &records, &failures, clock.read())?;
    if is_full_run {
        step_times::record_times(scope.name(), std::slice::from_ref(&total))?;
    }
    if options.write_times {
        step_times::write_step_table(STEPS.iter().map(|step| step_times::ListedStep {
            name: step.name,
            runs: match step.scope {
                Scope::Quick => "`test`",
                Scope::All => "`test --all`",
            },
            about: step.about,
        }))?;
    }
    Ok(ExitCode::from(u8::from(total.tally.failed > 0)))
}

/// Runs steps in order. With others in the background, waits for them at the end, and returns the
/// results of all in the order of [`STEPS`].
fn run_steps(
    steps: impl Iterator<Item = &'static Step>,
    scope: Scope,
    mut background: Option<BackgroundSteps>,
    clock: StepClock,
) -> Result<StepResults> {
    let mut state = TestRunState::default();
    state.scope = scope;
    let mut results = StepResults::default();
    for step in steps {
        if let Some(background) = &mut background {
            background.print_finished()?;
        }
        let after = clock.read().wall.as_secs_f64();
        println!("\n{STEP_MARK}{} (after {after:.0} s)", step.name);
        let record = run_step(step, &mut state, &mut results.failures);
        results.records.push(record);
    }
    if let Some(background) = background {
        let others = background.finish().unwrap_or_else(|error| {
            println!("error: {error:#}");
            StepResults::with_failure()
        });
        results.records.extend(others.records);
        results.failures.extend(others.failures);
        let position = |name| STEPS.iter().position(|step| step.name == name);
        results.records.sort_by_key(|record| position(record.name));
    }
    Ok(results)
}

/// Runs a step, measures its time, and appends what failed in it to `failures`.
fn run_step(step: &Step, state: &mut TestRunState, failures: &mut Vec<String>) -> StepRecord {
    let clock = StepClock::start();
    let required = requirements::check_step(REQUIREMENTS, step.name).map_err(anyhow::Error::from);
    let outcome = required.and_then(|()| (step.run)(state));
    // A step that cannot run is a failure of that step; the others run nevertheless.
    let tally = Counts::from_step(outcome).unwrap_or_else(|error| {
        shell::report_failure(&format!("error: {error:#}"));
        Counts::from_check(false)
    });
    let causes = shell::take_failures();
    if tally.failed > 0 {
        let name = step.name;
        failures.extend(causes.iter().map(|cause| format!("{name}: {cause}")));
    }
    StepRecord {
        name: step.name,
        tally,
        time: clock.read(),
    }
}

/// Prints the results of the steps, the totals last, and records the times of the steps. Returns the
/// totals.
fn print_summary(
    scope: Scope,
    records: &[StepRecord],
    failures: &[String],
    time: StepTime,
) -> Result<StepRecord> {
    if !failures.is_empty() {
        println!("\nFailures:\n{}", failures.join("\n"));
    }
    let mut total = StepRecord {
        name: step_times::TOTAL,
        tally: Counts::default(),
        time,
    };
    println!();
    for record in records {
        println!("{}", step_times::format_record(record));
        total.tally += record.tally;
    }
    println!("{}", step_times::format_record(&total));
    for warning in step_times::record_times(scope.name(), records)? {
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
    println!("\n{}", total.tally);
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(options: &Options) -> Vec<&'static str> {
        let (_, steps) = options.select_steps().unwrap();
        steps.iter().map(|step| step.name).collect()
    }

    #[test]
    fn steps_are_chosen_by_scope_or_name() {
        let quick = names(&Options::default());
        assert!(quick.contains(&"scripts") && !quick.contains(&"mutate"));
        let all = Options {
            all: true,
            ..Options::default()
        };
        assert_eq!(names(&all).len(), STEPS.len());
        let only = |name: &str| Options {
            only: vec![name.to_owned()],
            ..Options::default()
        };
        assert_eq!(names(&only("mutate")), ["mutate"]);
        assert_eq!(only("vendor-library").select_steps().unwrap().0, Scope::All);
        assert!(only("no such step").select_steps().is_err());
    }
}
