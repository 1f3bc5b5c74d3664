//! `glasm run`: runs scripts on devices of Vulkan or OpenGL, or on two sides whose results are
//! compared, and reports.
//!
//! `expected_failures` selects the scripts, `schedule` hands them out to `worker`s, each of which
//! has a `worker_process`, and `report` has all forms of results. This file prints results in the
//! order of the scripts as they come, and writes the reports.

mod expected_failures;
mod job;
mod schedule;
pub(crate) mod worker;
mod worker_process;
pub(crate) mod wrap_program;

use crate::args::{FailOnSkip, RunArgs};
use crate::console::{Console, Fatal, Status, format_count};
use crate::progress::Progress;
use crate::report::{self, Counts, Results, ScriptResult};
use expected_failures::ExpectedFailures;
use glasm_scripts::compare::KnownDifferences;
pub(crate) use job::SIDE_SEPARATOR;
use schedule::{OutcomeRules, RunPlan};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;
use wrap_program::WrappedProgram;

/// Runs the selected scripts, prints a line for each and a closing count, and writes the reports;
/// with `--list` only prints their paths. Returns `Failed` if a script fails, a known difference no
/// longer occurs, or more scripts are skipped than permitted; an error if the run is not possible.
pub(crate) fn run(args: &RunArgs, console: Console) -> Result<Status, Fatal> {
    // A program instead of a script is the most likely mistake, and its errors as a script would be
    // of little help.
    reject_programs(args, console)?;
    let found = expected_failures::find_scripts(args)?;
    // Entries for scripts that a filter excludes are not mistakes, so the filter is applied
    // afterwards.
    let expected = read_expected_failures(args, &found, console)?;
    let scripts = expected_failures::select_scripts(args, found)?;
    if args.list {
        let lines = scripts
            .iter()
            .map(|script| format!("{}\n", script.display()));
        console.write_out(lines.collect::<String>())?;
        return Ok(Status::Success);
    }
    let start = Instant::now();
    let known = read_known_differences(args)?;
    let judge = match (&known, &expected) {
        (Some(known), _) => OutcomeRules::KnownDifferences(known),
        (None, Some(expected)) => OutcomeRules::ExpectedFailures(expected),
        (None, None) => OutcomeRules::NoRules,
    };
    let plan = RunPlan::new(args, judge, scripts, console)?;
    let devices = plan.devices();
    if !console.is_json() {
        console.write_err(&report::format_heading(&devices));
    }
    let rows = plan.run(|row| print_row(row, plan.progress(), console))?;
    let results = Results {
        devices,
        rows,
        duration: start.elapsed(),
    };
    write_reports(args, &results)?;
    let status = print_summary(args, &plan, &results, console)?;
    let stale = known.map_or(Ok(0), |known| report_stale_entries(&known, console))?;
    let has_excess_skips = report_excess_skips(args, &results, console);
    if stale > 0 || has_excess_skips {
        Ok(Status::Failed)
    } else {
        Ok(status)
    }
}

/// Reads the list of expected failures; `None` if the command line names none. Prints a warning for
/// each entry that matches none of `scripts`.
fn read_expected_failures(
    args: &RunArgs,
    scripts: &[PathBuf],
    console: Console,
) -> Result<Option<ExpectedFailures>, Fatal> {
    let Some(path) = &args.expected_failures else {
        return Ok(None);
    };
    let text =
        std::fs::read_to_string(path).map_err(|error| Fatal::from_io(path.display(), &error))?;
    let expected = ExpectedFailures::parse(path, &text);
    for message in expected.find_unmatched_entries(scripts) {
        console.write_err(&console.format_warning(&message));
    }
    Ok(Some(expected))
}

/// Prints an error and returns true if more scripts are skipped than `--fail-on-skip` permits: any
/// at all, or all on one device.
fn report_excess_skips(args: &RunArgs, results: &Results, console: Console) -> bool {
    let skipped = |device: usize| {
        let counts = Counts::from_results(results.device_results(device));
        (counts.skipped, results.device_results(device).count())
    };
    let mut devices = results.devices.iter().zip(0..);
    let message = match args.fail_on_skip {
        None => None,
        Some(FailOnSkip::Any) => {
            let count = results.counts().skipped;
            (count > 0)
                .then(|| format!("--fail-on-skip: {} skipped", format_count(count, "script")))
        }
        Some(FailOnSkip::All) => devices.find_map(|(name, device)| {
            let (skipped, all) = skipped(device);
            (all > 0 && skipped == all)
                .then(|| format!("--fail-on-skip=all: {name} skipped every script"))
        }),
    };
    if let Some(message) = &message {
        console.write_err(&console.format_error(None, message));
    }
    message.is_some()
}

/// Bytes of a file that are read to detect a program.
const MAX_PROGRAM_BYTES: u64 = 16 << 20;

/// Returns an error if the command line names programs instead of scripts. If there is one in a
/// supported language, a script around it is printed to standard output.
fn reject_programs(args: &RunArgs, console: Console) -> Result<(), Fatal> {
    let files = args.scripts.iter().filter(|path| path.is_file());
    let mut wrapped: Vec<WrappedProgram> =
        files.filter_map(|path| wrap_program_file(path)).collect();
    match wrapped.len() {
        0 => return Ok(()),
        1 => {}
        count => {
            let first = wrapped.swap_remove(0).description;
            return Err(Fatal(format!(
                "{count} of the files are programs and no scripts: {first}; `glasm run PROGRAM`, with one of them, prints a script around it"
            )));
        }
    }
    let WrappedProgram {
        message, script, ..
    } = wrapped.swap_remove(0);
    if let Some(script) = script {
        console.write_out(if console.is_json() {
            format!("{}\n", serde_json::json!({ "script": script }))
        } else {
            script
        })?;
    }
    Err(Fatal(message))
}

/// Returns the message and the script around a file that is a program; `None` if it is not, or if
/// it cannot be read, because it fails when it is run.
fn wrap_program_file(path: &Path) -> Option<WrappedProgram> {
    let mut text = Vec::new();
    let file = File::open(path).ok()?;
    file.take(MAX_PROGRAM_BYTES).read_to_end(&mut text).ok()?;
    wrap_program::wrap_program(path, &text)
}

/// Reads the list of known differences; an empty list if runs are compared without one, `None` if
/// runs are not compared.
fn read_known_differences(args: &RunArgs) -> Result<Option<KnownDifferences>, Fatal> {
    let Some(path) = &args.known else {
        return Ok(args
            .worker
            .compare
            .as_ref()
            .map(|_| KnownDifferences::default()));
    };
    let text =
        std::fs::read_to_string(path).map_err(|error| Fatal::from_io(path.display(), &error))?;
    let known = KnownDifferences::parse(&text);
    let known = known.map_err(|message| Fatal(format!("{}: {message}", path.display())))?;
    Ok(Some(known))
}

/// Prints an error for each entry that no longer explains a difference, and returns their number.
fn report_stale_entries(known: &KnownDifferences, console: Console) -> Result<usize, Fatal> {
    let stale = known.stale_entries();
    for entry in &stale {
        let kinds: Vec<&str> = entry.kind.iter().map(|kind| kind.name()).collect();
        let message = format!(
            "known difference no longer occurs: {}, {}, driver `{}`",
            entry.scripts.join(", "),
            kinds.join(" and "),
            entry.driver
        );
        console.write_err(&console.format_error(None, &message));
    }
    Ok(stale.len())
}

/// Prints the results of a script on all devices: as JSON, one object on each line; as the line of
/// a single device; or as a line of the table of devices.
fn print_row(
    row: &[Option<ScriptResult>],
    progress: &Progress,
    console: Console,
) -> Result<(), Fatal> {
    if console.is_json() {
        for record in row.iter().flatten() {
            progress.write_out(&report::format_json_line(record)?)?;
        }
        return Ok(());
    }
    match row {
        [Some(record)] => progress.write_out(&record.format_line()),
        _ => progress.write_out(&report::format_matrix_line(row, console.is_styled())),
    }
}

/// Writes the reports that the command line specifies: JSON, JUnit, HTML and the document of
/// comparisons.
fn write_reports(args: &RunArgs, results: &Results) -> Result<(), Fatal> {
    if let Some(path) = &args.json {
        write_report(path, &report::format_json(results)?)?;
    }
    if let Some(path) = &args.junit {
        write_report(path, &report::format_junit(results)?)?;
    }
    if let Some(path) = &args.html {
        write_report(path, &report::format_html(results))?;
    }
    if let Some(path) = &args.report {
        write_report(
            path,
            &report::format_comparison_document(results, &args.scripts),
        )?;
    }
    Ok(())
}

/// Writes a report, and creates the missing directories above it.
fn write_report(path: &Path, text: &str) -> Result<(), Fatal> {
    let broken = |error| Fatal::from_io(path.display(), &error);
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).map_err(broken)?;
    }
    std::fs::write(path, text).map_err(broken)
}

/// Prints the summary after all scripts: counts and, if requested, slowest scripts, times, and
/// tables of devices or comparisons. Returns `Failed` if a script failed.
fn print_summary(
    args: &RunArgs,
    plan: &RunPlan<'_>,
    results: &Results,
    console: Console,
) -> Result<Status, Fatal> {
    let counts = results.counts();
    if console.is_json() {
        console.write_out(report::format_counts_json(&counts)?)?;
        return Ok(Status::from_failures(counts.failed));
    }
    if let Some(count) = args.slowest {
        console.write_out(report::format_slowest(results, count))?;
    }
    if args.timings {
        console.write_out(report::format_timings(results))?;
    }
    if results.devices.len() > 1 {
        console.write_out(report::format_matrix_totals(results))?;
    }
    let not_run = plan.count_runs() - results.iter_results().count();
    if not_run > 0 {
        let left = format_count(not_run, "script");
        console.write_out(format!("{left} not run after the first failure\n"))?;
    }
    if args.worker.compare.is_some() {
        console.write_out(report::format_family_table(results, &args.scripts))?;
        console.write_out(report::format_comparison_counts(results) + "\n")?;
    } else {
        console.write_out(format!("{counts}\n"))?;
    }
    Ok(Status::from_failures(counts.failed))
}
