//! `glasm run`: runs scripts on a Vulkan device and reports.

use crate::args::RunArgs;
use crate::console::{Console, Fatal, Status};
use crate::report::{self, Record};
use crate::worker::Worker;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Instant;

/// Runs all scripts, prints a line for each and a closing count, and writes the reports.
pub(crate) fn run(args: &RunArgs, console: Console) -> Result<Status, Fatal> {
    let scripts = find_scripts(args)?;
    let start = Instant::now();
    let first = Worker::start(&args.worker, console)?;
    let device = first.device().to_owned();
    if !console.is_json() {
        console.err(&format!("running on {device}\n"));
    }
    let records = run_all(&scripts, first, args, console)?;
    let duration = start.elapsed();
    if let Some(path) = &args.json {
        write_report(path, &report::json(&records, &device, duration)?)?;
    }
    if let Some(path) = &args.junit {
        write_report(path, &report::junit(&records, &device, duration)?)?;
    }
    let summary = report::summarize(&records);
    let closing_line = if console.is_json() {
        report::summary_json(&summary)
    } else {
        summary.to_string()
    };
    console.out(closing_line + "\n")?;
    Ok(Status::from_failures(summary.failed))
}

/// The scripts of the command line, each once.
fn find_scripts(args: &RunArgs) -> Result<Vec<PathBuf>, Fatal> {
    let mut scripts = Vec::new();
    let mut seen = HashSet::new();
    for path in &args.scripts {
        std::fs::metadata(path).map_err(|error| Fatal::io(path.display(), &error))?;
        scripts.extend(glasm_vkrunner::find_scripts(path));
    }
    scripts.retain(|script| seen.insert(script.clone()));
    if let Some(filter) = &args.filter {
        scripts.retain(|script| script.to_string_lossy().contains(filter));
    }
    if scripts.is_empty() {
        return Err(Fatal("no scripts found".to_owned()));
    }
    Ok(scripts)
}

/// Runs the scripts on up to `jobs` workers and prints their lines in the order of `scripts`.
fn run_all(
    scripts: &[PathBuf],
    first: Worker<'_>,
    args: &RunArgs,
    console: Console,
) -> Result<Vec<Record>, Fatal> {
    let next = AtomicUsize::new(0);
    let (sender, results) = channel();
    thread::scope(|scope| {
        let queue = Queue {
            scripts,
            next: &next,
        };
        let results_of_first = sender.clone();
        scope.spawn(move || queue.drain(first, &results_of_first));
        for _ in 1..usize::from(args.jobs).min(scripts.len()) {
            let sender = sender.clone();
            scope.spawn(move || match Worker::start(&args.worker, console) {
                Ok(worker) => queue.drain(worker, &sender),
                // The others do its work.
                Err(Fatal(message)) => console.err(&console.format_error(None, &message)),
            });
        }
        drop(sender);
        let records = collect(&results, scripts.len(), console);
        // After an error nothing more is begun.
        next.store(scripts.len(), Ordering::Relaxed);
        records
    })
}

/// The scripts that no worker has taken yet.
#[derive(Clone, Copy)]
struct Queue<'a> {
    scripts: &'a [PathBuf],
    next: &'a AtomicUsize,
}

impl Queue<'_> {
    /// Runs scripts until none is left.
    fn drain(self, mut worker: Worker<'_>, results: &Sender<(usize, Record)>) {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(script) = self.scripts.get(index) else {
                return;
            };
            if results.send((index, worker.run(script))).is_err() {
                return;
            }
        }
    }
}

/// Receives one record for each script and prints them in order.
fn collect(
    results: &Receiver<(usize, Record)>,
    count: usize,
    console: Console,
) -> Result<Vec<Record>, Fatal> {
    let bar = console.progress(count);
    let mut records: Vec<Option<Record>> = vec![None; count];
    let mut printed = 0;
    while printed < count {
        let (index, record) = results
            .recv()
            .map_err(|_| Fatal("all worker processes are gone".to_owned()))?;
        bar.inc(1);
        records[index] = Some(record);
        while let Some(Some(record)) = records.get(printed) {
            let line = if console.is_json() {
                json_line(record)?
            } else {
                record.line()
            };
            bar.suspend(|| console.out(line))?;
            printed += 1;
        }
    }
    bar.finish_and_clear();
    Ok(records.into_iter().flatten().collect())
}

fn json_line(record: &Record) -> Result<String, Fatal> {
    serde_json::to_string(record)
        .map(|text| text + "\n")
        .map_err(|error| Fatal(error.to_string()))
}

fn write_report(path: &Path, text: &str) -> Result<(), Fatal> {
    let broken = |error| Fatal::io(path.display(), &error);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(broken)?;
    }
    std::fs::write(path, text).map_err(broken)
}
