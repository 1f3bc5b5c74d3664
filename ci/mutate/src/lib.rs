//! `cargo xtask mutate`: inserts faults into the compiler one at a time, and checks that scripts
//! and tests detect them.
//!
//! A build for each fault would take minutes. Therefore one build of a copy of the workspace
//! contains all selected faults, each controlled by a switch that an environment variable turns on;
//! faults that do not compile are removed.
#![expect(
    clippy::print_stdout,
    reason = "a command line program prints its progress"
)]

mod build;
mod judge;
mod operators;
mod places;
mod process;
mod report;
mod rewrite;
mod sample;
mod scripts;
mod siblings;
#[cfg(test)]
mod tests;

use anyhow::{Context, Result, ensure};
use build::Copy;
use glasm_ci_support::shell;
use glasm_ci_support::tally::Tally;
use glasm_ci_support::vulkan;
use judge::{Judge, Survivor, Verdict};
use report::{Judged, Known};
use sample::{Fault, Selection};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Seed of the selection of `test`. The rank of a fault depends on the fault only: the selection
/// changes only if the code changes.
const TEST_SEED: u64 = 13;
/// Number of faults that `test` selects.
const TEST_COUNT: usize = 24;

const HELP: &str = "\
Puts faults into copies of compiler/ir, compiler/frontend and compiler/codegen, one at a time: other
operators, literals, variants and branches, statements left out. Scripts that reach the code run on
lavapipe with the fault; tests judge what no script notices. Prints the faults that nobody notices,
with the scripts and tests nearest to them, and writes all to mutate/results.tsv and results.json in
the target directory. Exit status 1 if a fault survives that tests/acceptance/mutants.tsv does not
explain.";

/// `cargo xtask mutate`.
#[derive(clap::Args, Default)]
#[command(after_help = HELP)]
pub struct Options {
    /// How many faults are drawn
    #[arg(long, default_value_t = 300, value_name = "N")]
    sample: usize,
    #[command(flatten)]
    selection: Selection,
    /// List all that could be drawn
    #[arg(long)]
    list: bool,
    /// Faults that are judged at the same time; 0: as many as there are processor cores, at most 8
    #[arg(long, default_value_t = 0, value_name = "N")]
    jobs: usize,
    /// Programs whose modules are compared with and without a fault that nothing notices
    #[arg(long, value_name = "DIR", value_parser = |path: &str| std::path::absolute(path))]
    corpus: Option<PathBuf>,
}

/// Evaluates the requested faults, or lists them: `cargo xtask mutate`. The working directory is
/// the root of the repository. The exit status is 1 if a fault without an explanation is
/// undetected.
///
/// # Errors
///
/// If the copy of the workspace does not build, or scripts do not run.
pub fn run(options: &Options) -> Result<ExitCode> {
    let found = sample::find_faults()?;
    println!("{} faults could be put in", found.len());
    let drawn = sample::draw(found, &options.selection);
    if options.list {
        for fault in &drawn {
            println!("{}", report::describe(fault));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let judged = judge_all(drawn, options)?;
    report::write(&judged)?;
    println!(
        "results: {0}/results.tsv, {0}/results.json",
        build::OUT.display()
    );
    let tally = summarize(&judged);
    Ok(ExitCode::from(u8::from(tally.failed > 0)))
}

/// Judges a small sample of faults: the step of `cargo xtask test`.
///
/// # Errors
///
/// Fails as [`run`] does, and with `Skip` if lavapipe is not installed.
pub fn test() -> Result<Tally> {
    vulkan::require_lavapipe()?;
    let options = Options {
        sample: TEST_COUNT,
        selection: Selection {
            seed: TEST_SEED,
            ..Selection::default()
        },
        ..Options::default()
    };
    println!("{TEST_COUNT} faults, seed {TEST_SEED}");
    let drawn = sample::draw(sample::find_faults()?, &options.selection);
    Ok(summarize(&judge_all(drawn, &options)?))
}

/// Prints undetected faults and counts; those without explanation are failures.
fn summarize(judged: &[Judged]) -> Tally {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut tally = Tally::default();
    for it in judged {
        let (name, fine) = match &it.verdict {
            Verdict::Script(..) => ("caught by scripts", true),
            Verdict::Test(..) => ("caught by tests", true),
            Verdict::Survived(survivor) => {
                print!("{}", report::survivor_text(it, survivor));
                match it.known {
                    Some(_) => ("survived as explained", true),
                    None => ("survived", false),
                }
            }
        };
        *counts.entry(name).or_default() += 1;
        tally += Tally::check(fine);
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    println!("{} faults: {}", judged.len(), counts.join(", "));
    tally
}

/// Builds the selected faults and evaluates them.
fn judge_all(mut drawn: Vec<Fault>, options: &Options) -> Result<Vec<Judged>> {
    let start = Instant::now();
    let known = Known::read()?;
    let count = options.sample;
    ensure!(!drawn.is_empty(), "no fault is like that");
    // About a third does not compile.
    drawn.truncate(count * 7 / 4 + 8);
    let (copy, alive) = Copy::build(&drawn)?;
    let numbers: Vec<usize> = alive.into_iter().take(count).collect();
    println!(
        "built after {:.0} s: {} faults",
        start.elapsed().as_secs_f64(),
        numbers.len()
    );
    let jobs = match options.jobs {
        0 => std::thread::available_parallelism()
            .map_or(1, usize::from)
            .min(8),
        jobs => jobs,
    };
    let explained = |number: usize| known.explanation(&drawn[number]).is_some();
    let mut judge = Judge::new(copy, jobs)?;
    let mut verdicts = in_parallel(&numbers, jobs, &drawn, |number| judge.by_scripts(number))?;
    let left = survivors(&verdicts, explained);
    if !left.is_empty() {
        let seconds = start.elapsed().as_secs_f64();
        println!("{} faults left for tests after {seconds:.0} s", left.len());
        judge.prepare_tests(jobs)?;
        verdicts.extend(judge_left(&left, jobs, &drawn, |number, survivor| {
            judge.by_tests(number, survivor)
        })?);
    }
    let left = survivors(&verdicts, explained);
    if !left.is_empty() {
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{} faults left for other ways of running scripts after {seconds:.0} s",
            left.len()
        );
        judge.prepare_ways(jobs, options.corpus.as_deref())?;
        verdicts.extend(judge_left(&left, jobs, &drawn, |number, survivor| {
            judge.by_ways(number, survivor)
        })?);
    }
    println!("done after {:.0} s", start.elapsed().as_secs_f64());
    let judged = drawn.into_iter().enumerate().filter_map(|(number, fault)| {
        let verdict = verdicts.remove(&number)?;
        let known = known.explanation(&fault);
        Some(Judged {
            fault,
            verdict,
            known,
        })
    });
    Ok(judged.collect())
}

/// Returns the faults that are undetected until now, except for those that the table explains.
fn survivors(
    verdicts: &BTreeMap<usize, Verdict>,
    explained: impl Fn(usize) -> bool,
) -> BTreeMap<usize, Survivor> {
    let left = verdicts
        .iter()
        .filter_map(|(number, verdict)| match verdict {
            Verdict::Survived(survivor) => Some((*number, survivor.clone())),
            Verdict::Script(..) | Verdict::Test(..) => None,
        });
    left.filter(|(number, _)| !explained(*number)).collect()
}

/// Evaluates the remaining faults in another configuration.
fn judge_left(
    left: &BTreeMap<usize, Survivor>,
    jobs: usize,
    faults: &[Fault],
    judge: impl Fn(usize, Survivor) -> Result<Verdict> + Sync,
) -> Result<BTreeMap<usize, Verdict>> {
    let numbers: Vec<usize> = left.keys().copied().collect();
    in_parallel(&numbers, jobs, faults, |number| {
        judge(number, left[&number].clone())
    })
}

/// Judges faults side by side and prints a line for each.
fn in_parallel(
    numbers: &[usize],
    jobs: usize,
    faults: &[Fault],
    judge: impl Fn(usize) -> Result<Verdict> + Sync,
) -> Result<BTreeMap<usize, Verdict>> {
    // Number of evaluated faults, and number of detected ones.
    let counts = Mutex::new((0, 0));
    let verdicts = shell::side_by_side(numbers, jobs, |number| {
        let fault = &faults[*number];
        let verdict = judge(*number).with_context(|| report::describe(fault))?;
        let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.0 += 1;
        counts.1 += match verdict {
            Verdict::Survived(_) => 0,
            Verdict::Script(..) | Verdict::Test(..) => 1,
        };
        println!(
            "[{}/{}, {} caught] {}\n    {}",
            counts.0,
            numbers.len(),
            counts.1,
            report::describe(fault),
            report::verdict_line(&verdict)
        );
        Ok((*number, verdict))
    })?;
    Ok(verdicts.into_iter().collect())
}
