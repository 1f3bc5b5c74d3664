//! `cargo xtask mutate`: evaluates mutants of the compiler, each with one mutation, which scripts and
//! tests have to kill.
//!
//! A build for each mutation would take minutes. Therefore one build of a copy of the workspace
//! contains all selected mutations, each controlled by a switch that an environment variable turns
//! on; mutations that do not compile are removed.
#![expect(
    clippy::print_stdout,
    reason = "a command line program prints its progress"
)]

mod build;
mod evaluate;
mod mutation_sites;
mod process;
mod replacements;
mod report;
mod sample;
mod scripts;
#[cfg(test)]
mod tests;

use anyhow::{Context, Result, ensure};
use build::{TEST_STAGES, WorkspaceCopy};
use evaluate::{Evaluator, Survivor, Verdict};
use glasm_ci_support::counts::Counts;
use glasm_ci_support::shell;
use glasm_ci_support::vulkan;
use report::{EvaluatedMutant, KnownSurvivors};
use sample::{Mutation, Selection};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Seed of the selection of `run_step`. The rank of a mutation depends on the mutation only: the
/// selection changes only if the code changes.
const TEST_SEED: u64 = 13;
/// Number of mutations that `run_step` selects.
const TEST_COUNT: usize = 24;

const HELP: &str = "\
Creates mutants of compiler/ir, compiler/frontend and compiler/codegen, with one mutation each: another
operator, literal, variant or branch, a removed statement. Scripts that reach the code run on lavapipe
with the mutation; tests run if no script kills the mutant. Prints the survivors, with the scripts and
tests nearest to them, and writes all results to mutate/results.tsv and results.json in the target
directory. Exit status 1 if a mutant survives that tests/acceptance/mutants.tsv does not explain.";

/// `cargo xtask mutate`.
#[derive(clap::Args, Default)]
#[command(after_help = HELP)]
pub struct Options {
    /// Number of mutations to select
    #[arg(long, default_value_t = 300, value_name = "N")]
    sample: usize,
    #[command(flatten)]
    selection: Selection,
    /// List all mutations instead
    #[arg(long)]
    list: bool,
    /// Mutants that are evaluated in parallel; 0: as many as there are processor cores, at most 8
    #[arg(long, default_value_t = 0, value_name = "N")]
    jobs: usize,
    /// Programs whose modules are compared with and without a mutation that survives
    #[arg(long, value_name = "DIR", value_parser = |path: &str| std::path::absolute(path))]
    corpus: Option<PathBuf>,
}

/// Evaluates the requested mutants, or lists them: `cargo xtask mutate`. The working directory is
/// the root of the repository. The exit status is 1 if a mutant without an explanation
/// survives.
///
/// # Errors
///
/// If the copy of the workspace does not build, or scripts do not run.
pub fn run_command(options: &Options) -> Result<ExitCode> {
    let found = sample::find_mutations()?;
    println!("{} mutations are possible", found.len());
    let selected = sample::select_mutations(found, &options.selection);
    if options.list {
        for mutation in &selected {
            println!("{}", report::describe(mutation));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let evaluated = evaluate_all(selected, options)?;
    report::write_results(&evaluated)?;
    println!(
        "results: {0}/results.tsv, {0}/results.json",
        build::OUT.display()
    );
    let tally = summarize(&evaluated);
    Ok(ExitCode::from(u8::from(tally.failed > 0)))
}

/// Evaluates a small sample of mutants: the step of `cargo xtask test`.
///
/// # Errors
///
/// Fails as [`run_command`] does, and with `Skip` if lavapipe is not installed.
pub fn run_step() -> Result<Counts> {
    vulkan::require_lavapipe()?;
    let options = Options {
        sample: TEST_COUNT,
        selection: Selection {
            seed: TEST_SEED,
            ..Selection::default()
        },
        ..Options::default()
    };
    println!("{TEST_COUNT} mutations, seed {TEST_SEED}");
    let selected = sample::select_mutations(sample::find_mutations()?, &options.selection);
    Ok(summarize(&evaluate_all(selected, &options)?))
}

/// Prints survivors and counts; those without explanation are failures.
fn summarize(evaluated: &[EvaluatedMutant]) -> Counts {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut tally = Counts::default();
    for it in evaluated {
        let (name, fine) = match &it.verdict {
            Verdict::KilledByScript(..) => ("killed by scripts", true),
            Verdict::KilledByTest(..) => ("killed by tests", true),
            Verdict::Survived(survivor) => {
                print!("{}", report::describe_survivor(it, survivor));
                match it.known {
                    Some(_) => ("survived as explained", true),
                    None => ("survived", false),
                }
            }
        };
        *counts.entry(name).or_default() += 1;
        tally += Counts::from_check(fine);
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    println!("{} mutants: {}", evaluated.len(), counts.join(", "));
    tally
}

/// Builds the selected mutations and evaluates as many of those that compile as the options
/// request. More mutations are built because some do not compile.
fn evaluate_all(mut selected: Vec<Mutation>, options: &Options) -> Result<Vec<EvaluatedMutant>> {
    let start = Instant::now();
    let known = KnownSurvivors::read()?;
    let count = options.sample;
    ensure!(!selected.is_empty(), "no mutation matches");
    // About a third does not compile.
    selected.truncate(count * 7 / 4 + 8);
    let (copy, compiled) = WorkspaceCopy::build(&selected)?;
    let numbers: Vec<usize> = compiled.into_iter().take(count).collect();
    let seconds = start.elapsed().as_secs_f64();
    println!("built after {seconds:.0} s: {} mutations", numbers.len());
    let mut verdicts = evaluate_in_stages(copy, &numbers, &selected, &known, options, start)?;
    println!("done after {:.0} s", start.elapsed().as_secs_f64());
    let numbered = selected.into_iter().enumerate();
    let evaluated = numbered.filter_map(|(number, mutation)| {
        Some(EvaluatedMutant {
            verdict: verdicts.remove(&number)?,
            known: known.find_explanation(&mutation),
            mutation,
        })
    });
    Ok(evaluated.collect())
}

/// Evaluates mutants by scripts, the survivors by tests, and the survivors of these by scripts in
/// other configurations. Survivors that the table explains are not evaluated further.
fn evaluate_in_stages(
    copy: WorkspaceCopy,
    numbers: &[usize],
    mutations: &[Mutation],
    known: &KnownSurvivors,
    options: &Options,
    start: Instant,
) -> Result<BTreeMap<usize, Verdict>> {
    let jobs = match options.jobs {
        0 => std::thread::available_parallelism().map_or(1, |cores| cores.get().min(8)),
        jobs => jobs,
    };
    let is_explained = |number: usize| known.find_explanation(&mutations[number]).is_some();
    let mut evaluator = Evaluator::new(copy, jobs)?;
    let mut verdicts = evaluate_in_parallel(numbers, jobs, mutations, |number| {
        evaluator.evaluate_by_scripts(number)
    })?;
    for stage in &TEST_STAGES {
        let left = find_survivors(&verdicts, is_explained);
        if left.is_empty() {
            break;
        }
        let tests = format!("tests of {}", stage.packages.join(", "));
        print_remaining(left.len(), &tests, start);
        evaluator.prepare_tests(stage, jobs)?;
        let evaluate = |number, survivor| evaluator.evaluate_by_tests(number, survivor);
        verdicts.extend(evaluate_remaining(&left, jobs, mutations, evaluate)?);
    }
    let left = find_survivors(&verdicts, is_explained);
    if !left.is_empty() {
        print_remaining(left.len(), "other ways of running scripts", start);
        evaluator.run_alternates_unmutated(jobs, options.corpus.as_deref())?;
        let evaluate = |number, survivor| evaluator.run_alternate_configs(number, survivor);
        verdicts.extend(evaluate_remaining(&left, jobs, mutations, evaluate)?);
    }
    Ok(verdicts)
}

/// Prints how many mutants `tests` still have to kill, with the seconds since `start`.
fn print_remaining(count: usize, tests: &str, start: Instant) {
    let seconds = start.elapsed().as_secs_f64();
    println!("{count} mutants left for {tests} after {seconds:.0} s");
}

/// Returns the mutants that have survived until now, except for those that the table explains.
fn find_survivors(
    verdicts: &BTreeMap<usize, Verdict>,
    explained: impl Fn(usize) -> bool,
) -> BTreeMap<usize, Survivor> {
    let left = verdicts
        .iter()
        .filter_map(|(number, verdict)| match verdict {
            Verdict::Survived(survivor) => Some((*number, survivor.clone())),
            Verdict::KilledByScript(..) | Verdict::KilledByTest(..) => None,
        });
    left.filter(|(number, _)| !explained(*number)).collect()
}

/// Evaluates the remaining mutants in another configuration.
fn evaluate_remaining(
    left: &BTreeMap<usize, Survivor>,
    jobs: usize,
    mutations: &[Mutation],
    evaluate: impl Fn(usize, Survivor) -> Result<Verdict> + Sync,
) -> Result<BTreeMap<usize, Verdict>> {
    let numbers: Vec<usize> = left.keys().copied().collect();
    evaluate_in_parallel(&numbers, jobs, mutations, |number| {
        evaluate(number, left[&number].clone())
    })
}

/// Evaluates mutants in parallel and prints a line for each.
fn evaluate_in_parallel(
    numbers: &[usize],
    jobs: usize,
    mutations: &[Mutation],
    evaluate: impl Fn(usize) -> Result<Verdict> + Sync,
) -> Result<BTreeMap<usize, Verdict>> {
    // Number of evaluated mutants, and number of killed ones.
    let counts = Mutex::new((0, 0));
    let verdicts = shell::run_in_parallel(numbers, jobs, |number| {
        let mutation = &mutations[*number];
        let verdict = evaluate(*number).with_context(|| report::describe(mutation))?;
        let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.0 += 1;
        counts.1 += match verdict {
            Verdict::Survived(_) => 0,
            Verdict::KilledByScript(..) | Verdict::KilledByTest(..) => 1,
        };
        println!(
            "[{}/{}, {} killed] {}\n    {}",
            counts.0,
            numbers.len(),
            counts.1,
            report::describe(mutation),
            report::format_verdict(&verdict)
        );
        Ok((*number, verdict))
    })?;
    Ok(verdicts.into_iter().collect())
}
