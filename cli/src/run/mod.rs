//! `glasm run`: runs scripts on devices of Vulkan or OpenGL, or on two sides whose results are
//! compared, and reports.
//!
//! `select` finds the scripts, `schedule` hands them out to `worker`s, each of which has a
//! `process`, and `report` has all forms of results. This file prints results in the order of the
//! scripts as they come, and writes the reports.

mod expected;
mod process;
mod progress;
mod reads;
mod runner;
mod schedule;
mod select;
pub(crate) mod worker;
mod wrap;

use crate::args::{FailOnSkip, RunArgs};
use crate::console::{Console, Fatal, Status, format_count};
use crate::report::{self, Counts, Record, Results};
use expected::ExpectedFailures;
use glasm_scripts::compare::Known;
use progress::Progress;
pub(crate) use runner::BETWEEN;
use schedule::{Judge, Plan};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;
use wrap::Wrapped;

/// Runs all scripts, prints a line for each and a closing count, and writes the reports.
pub(crate) fn run(args: &RunArgs, console: Console) -> Result<Status, Fatal> {
    // A program instead of a script is the most likely mistake, and its errors as a script would be
    // of little help.
    check_no_programs(args, console)?;
    let found = select::find_scripts(args)?;
    // Entries for scripts that a filter excludes are not mistakes, so the filter is applied
    // afterwards.
    let expected = read_expected(args, &found, console)?;
    let scripts = select::select_scripts(args, found)?;
    if args.list {
        let lines = scripts
            .iter()
            .map(|script| format!("{}\n", script.display()));
        console.write_out(lines.collect::<String>())?;
        return Ok(Status::Success);
    }
    let start = Instant::now();
    let known = read_known(args)?;
    let judge = match (&known, &expected) {
        (Some(known), _) => Judge::Known(known),
        (None, Some(expected)) => Judge::Expected(expected),
        (None, None) => Judge::Nothing,
    };
    let plan = Plan::new(args, judge, scripts, console)?;
    let devices = plan.devices();
    if !console.is_json() {
        console.err(&report::format_heading(&devices));
    }
    let rows = plan.run(|row| print_row(row, plan.progress(), console))?;
    let results = Results {
        devices,
        rows,
        duration: start.elapsed(),
    };
    write_reports(args, &results)?;
    let status = close(args, &plan, &results, console)?;
    let stale = known.map_or(Ok(0), |known| report_stale(&known, console))?;
    let missed = report_skips(args, &results, console);
    if stale > 0 || missed {
        Ok(Status::Failed)
    } else {
        Ok(status)
    }
}

/// Reads the list of expected failures, if there is one. Warns of entries that match no script.
fn read_expected(
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
    for message in expected.find_strays(scripts) {
        console.err(&console.format_warning(&message));
    }
    Ok(Some(expected))
}

/// Reports skipped scripts; returns true if there are more than `--fail-on-skip` permits.
fn report_skips(args: &RunArgs, results: &Results, console: Console) -> bool {
    let skipped = |device: usize| {
        let counts = Counts::from_records(results.of_device(device));
        (counts.skipped, results.of_device(device).count())
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
        console.err(&console.format_error(None, message));
    }
    message.is_some()
}

/// Bytes of a file that are read to detect a program.
const LARGEST_PROGRAM: u64 = 16 << 20;

/// Refuses programs that the command line names instead of scripts. If there is one, a script
/// around it is printed.
fn check_no_programs(args: &RunArgs, console: Console) -> Result<(), Fatal> {
    let files = args.scripts.iter().filter(|path| path.is_file());
    let mut wrapped: Vec<Wrapped> = files.filter_map(|path| read_wrapped(path)).collect();
    match wrapped.len() {
        0 => return Ok(()),
        1 => {}
        count => {
            let first = wrapped.swap_remove(0).what;
            return Err(Fatal(format!(
                "{count} of the files are programs and no scripts: {first}; `glasm run PROGRAM`, with one of them, prints a script around it"
            )));
        }
    }
    let Wrapped {
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

/// Returns a script around a file that is a program. A file that cannot be read fails when it is
/// run.
fn read_wrapped(path: &Path) -> Option<Wrapped> {
    let mut text = Vec::new();
    let file = File::open(path).ok()?;
    file.take(LARGEST_PROGRAM).read_to_end(&mut text).ok()?;
    wrap::wrap(path, &text)
}

/// Reads the known differences; an empty list if runs are compared without one.
fn read_known(args: &RunArgs) -> Result<Option<Known>, Fatal> {
    let Some(path) = &args.known else {
        return Ok(args.worker.compare.as_ref().map(|_| Known::default()));
    };
    let text =
        std::fs::read_to_string(path).map_err(|error| Fatal::from_io(path.display(), &error))?;
    let known = Known::parse(&text);
    let known = known.map_err(|message| Fatal(format!("{}: {message}", path.display())))?;
    Ok(Some(known))
}

/// Warns of entries that no longer explain a difference; returns their number.
fn report_stale(known: &Known, console: Console) -> Result<usize, Fatal> {
    let stale = known.stale();
    for entry in &stale {
        let kinds: Vec<&str> = entry.kind.iter().map(|kind| kind.word()).collect();
        let message = format!(
            "nothing differs any more as this entry of the known differences says: {}, {}, driver `{}`",
            entry.scripts.join(", "),
            kinds.join(" and "),
            entry.driver
        );
        console.err(&console.format_error(None, &message));
    }
    Ok(stale.len())
}

/// Prints the results of a script.
fn print_row(row: &[Option<Record>], progress: &Progress, console: Console) -> Result<(), Fatal> {
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
        write_report(path, &report::document(results, &args.scripts))?;
    }
    Ok(())
}

fn write_report(path: &Path, text: &str) -> Result<(), Fatal> {
    let broken = |error| Fatal::from_io(path.display(), &error);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(broken)?;
    }
    std::fs::write(path, text).map_err(broken)
}

/// Prints the summary after all scripts.
fn close(
    args: &RunArgs,
    plan: &Plan<'_>,
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
    let left = plan.count_runs() - results.records().count();
    if left > 0 {
        let left = format_count(left, "script");
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
