//! Programs beside the same arithmetic in GLSL: how long the device takes for both, as a ratio.
//!
//! A pair is a script of this folder and the GLSL of the same name, which takes the place of the one program in it. Both leave the same;
//! the run stops if not. The languages want signs of zero, infinities and NaN to be what IEEE 754 makes of them, and modules say so; GLSL
//! leaves them to the driver, which then computes in an order that it likes better. So GLSL runs twice: told to keep them, which is the
//! same shader, and as it is. All take turns, each time in the other order, and the shortest time of each counts: what else the machine does
//! only makes times longer. Time is that of the processor in the threads of the driver, which is the device here: other programs on the
//! machine disturb it less than the time on the clock. `--quick` measures less often; words such as `escape` choose pairs. With `GLASM_BENCH_OUT` set, writes
//! `pairs.json` and `pairs.md` into that folder.
#![expect(clippy::print_stdout, reason = "prints its figures")]

use glasm_scripts::compare::{Agreement, Driver, Recording, compare_runs};
use glasm_scripts::observation::ObservationMode;
use glasm_tests::scripts::repository;
use glasm_vkrunner::{Outcome, RunOptions, Runner, ScriptReport, Validation};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Times that each side of a pair runs.
const ROUNDS: usize = 25;
/// The same with `--quick`.
const QUICK_ROUNDS: usize = 7;
/// What the device may take for a program, beside the time for the GLSL.
const GOAL: f64 = 1.0;
/// What GLSL says to keep signs of zero, infinities and NaN: the capability and the execution mode `SignedZeroInfNanPreserve`.
const KEEPS_SPECIAL_NUMBERS: &str = r#"#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);
"#;
/// The sides of a pair.
const SIDES: usize = 3;
/// One in so many numbers may differ in any way: drivers may rearrange arithmetic of GLSL, and where a condition depends on the last digit, a
/// pixel takes another way.
const ASTRAY: u64 = 500;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A program and the same in GLSL, as scripts.
struct Pair {
    name: String,
    /// The comment on top of the script.
    what: String,
    /// The script with the program, the one with GLSL that keeps special numbers, and the one with GLSL as it is.
    sides: [PathBuf; SIDES],
}

/// Milliseconds of all sides.
struct Row<'a> {
    pair: &'a Pair,
    times: [f64; SIDES],
}

impl Row<'_> {
    /// The time for the program beside that for the same in GLSL.
    fn ratio(&self) -> f64 {
        self.times[0] / self.times[1]
    }

    /// The time for the program beside that for GLSL that may lose special numbers.
    fn ratio_to_free(&self) -> f64 {
        self.times[0] / self.times[2]
    }
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let rounds = if words.iter().any(|word| word == "--quick") {
        QUICK_ROUNDS
    } else {
        ROUNDS
    };
    let out = std::env::var_os("GLASM_BENCH_OUT").map(PathBuf::from);
    let folder = out.clone().unwrap_or_else(std::env::temp_dir).join("pairs");
    let pairs = find(&words, &folder)?;
    let observer = runner(ObservationMode::On)?;
    for pair in &pairs {
        check(&observer, pair)?;
    }
    drop(observer);
    let runner = runner(ObservationMode::Off)?;
    let mut rows = Vec::new();
    for pair in &pairs {
        let row = measure(&runner, pair, rounds)?;
        println!("{}", line(&row));
        rows.push(row);
    }
    let table = table(&rows, &runner.device_info().name);
    println!("\n{table}");
    if let Some(out) = out {
        std::fs::write(out.join("pairs.md"), &table)?;
        std::fs::write(out.join("pairs.json"), format!("{:#}\n", figures(&rows)))?;
    }
    Ok(())
}

fn runner(observe: ObservationMode) -> Result<Runner> {
    let options = RunOptions {
        validation: Validation::Off,
        observe,
        ..RunOptions::default()
    };
    Ok(Runner::new(&options)?)
}

/// The pairs that the words ask for, all without any; writes the scripts with GLSL into folders below `folder`.
fn find(words: &[String], folder: &Path) -> Result<Vec<Pair>> {
    let folders = ["same", "free"].map(|name| folder.join(name));
    for folder in &folders {
        std::fs::create_dir_all(folder)?;
    }
    let names: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let mut scripts: Vec<PathBuf> = std::fs::read_dir(repository().join("tests/benches/pairs"))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "shader_test"))
        .collect();
    scripts.sort();
    let mut pairs = Vec::new();
    for script in scripts {
        let name = script.file_stem().unwrap_or_default().to_string_lossy();
        if !names.is_empty() && !names.iter().any(|wanted| **wanted == name) {
            continue;
        }
        let text = std::fs::read_to_string(&script)?;
        let glsl = std::fs::read_to_string(script.with_extension("glsl"))?;
        let others = folders
            .each_ref()
            .map(|folder| folder.join(format!("{name}.shader_test")));
        for (other, glsl) in others.iter().zip([keeping(&glsl)?, glsl]) {
            let replaced = in_glsl(&text, &glsl).ok_or_else(|| format!("{name} has no program"))?;
            std::fs::write(other, replaced)?;
        }
        let [same, free] = others;
        pairs.push(Pair {
            name: name.into_owned(),
            what: comment(&text),
            sides: [script, same, free],
        });
    }
    Ok(pairs)
}

/// The comment on top of a script.
fn comment(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("# "));
    lines.collect::<Vec<_>>().join(" ")
}

/// GLSL that keeps special numbers.
fn keeping(glsl: &str) -> Result<String> {
    let (version, rest) = glsl.split_once('\n').ok_or("GLSL without a version")?;
    Ok(format!("{version}\n{KEEPS_SPECIAL_NUMBERS}{rest}"))
}

/// The script with `glsl` in place of its program.
fn in_glsl(script: &str, glsl: &str) -> Option<String> {
    let mark = " program]\n!!";
    let end = script.find(mark)?;
    let (before, behind) = (&script[..end], &script[end + mark.len()..]);
    let next = behind.find("\n[").map_or("", |at| &behind[at..]);
    Some(format!("{before} shader]\n{glsl}{next}"))
}

/// Runs a script, which must pass.
fn run(runner: &Runner, script: &Path) -> Result<ScriptReport> {
    let report = runner.run_file(script);
    match report.outcome {
        Outcome::Pass => Ok(report),
        Outcome::Skip(reason) => Err(format!("{}: skipped: {reason}", report.name).into()),
        Outcome::Fail => {
            let first = report.failures.first().map(|failure| &failure.message);
            Err(format!("{}: {}", report.name, first.unwrap_or(&String::new())).into())
        }
    }
}

/// Whether all sides of a pair leave the same, as far as rounding allows.
fn check(runner: &Runner, pair: &Pair) -> Result<()> {
    let mut recordings = Vec::new();
    for (script, api) in pair.sides.iter().zip(["assembly", "GLSL", "free GLSL"]) {
        let driver = Driver {
            api: api.to_owned(),
            ..Driver::default()
        };
        let mut recording = Recording::from_report(&driver, &mut run(runner, script)?);
        // The texts differ on purpose.
        (recording.digest, recording.verdicts) = (0, Vec::new());
        recordings.push(recording);
    }
    for other in &recordings[1..] {
        let comparison = compare_runs(&recordings[0], other);
        match comparison.agreement {
            Agreement::Exact | Agreement::WithinTolerance => {}
            Agreement::Different
                if comparison.differing_values * ASTRAY <= comparison.compared_values => {}
            Agreement::Different | Agreement::NotCompared(_) => {
                return Err(format!(
                    "{}: the sides differ: {:?}",
                    pair.name, comparison.differences
                )
                .into());
            }
        }
    }
    Ok(())
}

fn measure<'a>(runner: &Runner, pair: &'a Pair, rounds: usize) -> Result<Row<'a>> {
    // The first runs compile.
    for script in &pair.sides {
        run(runner, script)?;
    }
    let mut times = [f64::INFINITY; SIDES];
    for round in 0..rounds {
        for turn in 0..SIDES {
            let side = match round % 2 {
                0 => turn,
                _ => SIDES - 1 - turn,
            };
            let start = driver_time();
            run(runner, &pair.sides[side])?;
            let time = (driver_time() - start).as_secs_f64() * 1e3;
            times[side] = times[side].min(time);
        }
    }
    Ok(Row { pair, times })
}

/// Processor time of all threads but this one, which prepares the work of the others.
fn driver_time() -> Duration {
    time_of(ClockId::ProcessCPUTime).saturating_sub(time_of(ClockId::ThreadCPUTime))
}

fn time_of(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(
        time.tv_sec.try_into().unwrap_or(0),
        time.tv_nsec.try_into().unwrap_or(0),
    )
}

fn line(row: &Row<'_>) -> String {
    let [program, glsl, free] = row.times;
    format!(
        "{:<16} {program:>8.2} ms, GLSL {glsl:>8.2} ms, ratio {:.2}; free GLSL {free:>8.2} ms, ratio {:.2}",
        row.pair.name,
        row.ratio(),
        row.ratio_to_free()
    )
}

fn table(rows: &[Row<'_>], device: &str) -> String {
    let mut text = format!(
        "### Shaders compared with GLSL, on {device}\n\n\
        | pair | | program, ms | GLSL, ms | ratio | GLSL that may lose NaN, ms | ratio |\n|---|---|--:|--:|--:|--:|--:|\n"
    );
    for row in rows {
        let [program, glsl, free] = row.times;
        // Writing into a String cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {program:.1} | {glsl:.1} | {:.2} | {free:.1} | {:.2} |",
            row.pair.name,
            row.pair.what,
            row.ratio(),
            row.ratio_to_free()
        );
    }
    let slower = rows.iter().filter(|row| row.ratio() > GOAL).count();
    let _ = writeln!(
        text,
        "\nAbove {GOAL:.1}: {slower} of {} pairs; the mean of all ratios is {:.2}.",
        rows.len(),
        mean(rows)
    );
    text
}

/// Geometric mean of the ratios.
fn mean(rows: &[Row<'_>]) -> f64 {
    let logarithms: f64 = rows.iter().map(|row| row.ratio().ln()).sum();
    (logarithms / rows.len().max(1) as f64).exp()
}

fn figures(rows: &[Row<'_>]) -> Value {
    let row = |row: &Row<'_>| json!({ "pair": row.pair.name, "ms": row.times[0], "glsl_ms": row.times[1], "free_glsl_ms": row.times[2] });
    rows.iter().map(row).collect()
}
