//! Scripts on a Vulkan device: how many in a second, where the time goes, and what ten thousand of them in one process do to its memory.
//!
//! Prints its figures; with `GLASM_BENCH_OUT` set, writes `scripts-NAME.json` into that folder, where NAME is the first word of the command
//! line. `--validation` loads the validation layer, `--memory N` runs N scripts in one process, `--quick` less of everything.
#![expect(clippy::print_stdout, reason = "prints its figures")]

use glasm_tests::memory::{endure, resident};
use glasm_tests::scripts;
use glasm_vkrunner::{Outcome, Phase, RunOptions, Runner, Timings, Validation};
use serde_json::{Map, Value, json};
use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Scripts that are timed.
const COUNT: usize = 500;
/// Runners side by side.
const JOBS: usize = 2;
/// Scripts between measurements of memory.
const STEP: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut name = "device".to_owned();
    let (mut validation, mut memory, mut passes) = (Validation::Off, 0, 3);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--bench" => {}
            "--quick" => passes = 1,
            "--validation" => validation = Validation::Require,
            "--memory" => memory = words.next().unwrap_or_default().parse()?,
            _ => name = word,
        }
    }
    let options = RunOptions {
        validation,
        ..RunOptions::default()
    };
    let runner = Runner::new(&options)?;
    let device = runner.device_info().name.clone();
    let passes_here = |script: &PathBuf| runner.run_file(script).outcome == Outcome::Pass;
    let wanted = if memory > 0 { usize::MAX } else { COUNT };
    let scripts: Vec<PathBuf> = scripts::find()
        .into_iter()
        .filter(passes_here)
        .take(wanted)
        .collect();
    println!("{name}: {device}, {} scripts pass", scripts.len());
    let mut figures = json!({ "name": name, "device": device });
    if memory > 0 {
        let start = resident();
        let measured = endure(&scripts, memory, STEP, |script| {
            runner.run_file(script);
        });
        println!("resident at first: {start:?}, every {STEP} scripts: {measured:?}");
        figures["resident"] = json!(measured);
    } else {
        let timed: Vec<PathBuf> = scripts.iter().cycle().take(COUNT).cloned().collect();
        let (time, timings) = (0..passes)
            .map(|_| time(&timed, &options))
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .min_by_key(|(time, _)| *time)
            .ok_or("nothing was measured")?;
        figures["count"] = json!(timed.len());
        figures["seconds"] = json!(time.as_secs_f64());
        figures["phases"] = phases(&timings);
        println!("{} scripts in {time:.2?} on {JOBS} threads", timed.len());
        for phase in Phase::ALL {
            println!("{phase:<10} {:>10.2?}", timings[phase]);
        }
    }
    if let Some(out) = std::env::var_os("GLASM_BENCH_OUT") {
        let path = PathBuf::from(out).join(format!("scripts-{name}.json"));
        std::fs::write(path, format!("{figures:#}\n"))?;
    }
    Ok(())
}

/// Milliseconds by name.
fn phases(timings: &Timings) -> Value {
    let phase = |phase: Phase| {
        let time = timings[phase].as_secs_f64() * 1e3;
        (phase.name().to_owned(), json!(time))
    };
    Value::Object(Phase::ALL.into_iter().map(phase).collect::<Map<_, _>>())
}

/// Runs all scripts on new runners; the start of the runners counts.
fn time(scripts: &[PathBuf], options: &RunOptions) -> Result<(Duration, Timings), String> {
    let next = AtomicUsize::new(0);
    let work = || {
        let runner = Runner::new(options).map_err(|error| error.to_string())?;
        let mut timings = Timings::default();
        while let Some(script) = scripts.get(next.fetch_add(1, Ordering::Relaxed)) {
            timings += &runner.run_file(script).timings;
        }
        Ok(timings)
    };
    let start = Instant::now();
    let results: Vec<Result<Timings, String>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..JOBS).map(|_| scope.spawn(work)).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, _>| {
            thread
                .join()
                .unwrap_or_else(|_| Err("a runner panicked".to_owned()))
        };
        threads.into_iter().map(join).collect()
    });
    let duration = start.elapsed();
    let mut all = Timings::default();
    for timings in results {
        all += &timings?;
    }
    Ok((duration, all))
}
