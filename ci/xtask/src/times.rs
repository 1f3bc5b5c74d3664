//! Time that the steps of a test run take: measured, recorded, compared with the run before, and
//! listed in a document.

use crate::bench::splice;
use anyhow::{Context, Result};
use glasm_ci_support::shell;
use glasm_ci_support::tally::Tally;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Record of the last run.
static RECORD: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("test-times.json"));

/// Document that lists the steps and their times.
const DOCUMENT: &str = "CONTRIBUTING.md";

/// Lines around the table in the document.
const MARKS: [&str; 2] = [
    "<!-- begin steps: written by `cargo xtask test --write-times` -->",
    "<!-- end steps -->",
];

/// Factor from which a step is reported as slower than before.
const SLOWER: f64 = 2.0;
/// Difference from which a step is reported as slower than before.
const NOTICEABLE: Duration = Duration::from_secs(5);

/// Wall time and processor time.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(crate) struct Time {
    /// Wall time.
    pub(crate) wall: Duration,
    /// Processor time of this process and of all processes that it has waited for; zero if the
    /// system does not report it.
    pub(crate) processor: Duration,
}

/// Running measurement.
pub(crate) struct Clock {
    start: Instant,
    processor: Duration,
}

impl Clock {
    /// Starts a measurement.
    pub(crate) fn start() -> Self {
        Self {
            start: Instant::now(),
            processor: processor_time(),
        }
    }

    /// Returns the time since the start.
    pub(crate) fn read(&self) -> Time {
        Time {
            wall: self.start.elapsed(),
            processor: processor_time().saturating_sub(self.processor),
        }
    }
}

/// Returns the processor time of this process and of those that it has waited for, zero outside of
/// Linux.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    parse_stat(&stat).unwrap_or_default()
}

/// Returns the sum of utime, stime, cutime and cstime, fields 14 to 17 of proc_pid_stat(5).
fn parse_stat(stat: &str) -> Option<Duration> {
    // The second field is a name in parentheses, which may contain spaces.
    let (_, rest) = stat.rsplit_once(") ")?;
    let fields = rest.split(' ').skip(11).take(4);
    let ticks: u64 = fields.map(|field| field.parse::<u64>().unwrap_or(0)).sum();
    // The unit is 1/100 s on every architecture that Rust has a standard library for.
    Some(Duration::from_millis(ticks * 10))
}

/// Result of a step.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// Name of the step.
    pub(crate) name: &'static str,
    /// Counts of the step.
    pub(crate) tally: Tally,
    /// Time of the step.
    pub(crate) time: Time,
}

/// Returns a warning for each step that took twice as long as in the run before, then records this
/// run. Steps that did not run retain their record.
pub(crate) fn record(scope: &str, records: &[Record]) -> Result<Vec<String>> {
    let old = std::fs::read_to_string(&*RECORD).unwrap_or_default();
    let mut all: Value = serde_json::from_str(&old).unwrap_or_else(|_| json!({}));
    let warnings = records
        .iter()
        .filter_map(|record| compare(&all[scope][record.name], record))
        .collect();
    for record in records {
        all[scope][record.name] = json!({
            "wall_s": round(record.time.wall),
            "processor_s": round(record.time.processor),
            "passed": record.tally.passed,
            "failed": record.tally.failed,
            "skipped": record.tally.skipped,
        });
    }
    let text = serde_json::to_string_pretty(&all)? + "\n";
    std::fs::write(&*RECORD, text).with_context(|| format!("writing {}", RECORD.display()))?;
    Ok(warnings)
}

fn compare(old: &Value, new: &Record) -> Option<String> {
    let before = Duration::try_from_secs_f64(old["wall_s"].as_f64()?).ok()?;
    let now = new.time.wall;
    let slower = now.as_secs_f64() >= before.as_secs_f64() * SLOWER && now >= before + NOTICEABLE;
    slower.then(|| {
        format!(
            "{} took {:.0} s, {:.0} s in the run before",
            new.name,
            now.as_secs_f64(),
            before.as_secs_f64()
        )
    })
}

fn round(time: Duration) -> f64 {
    (time.as_secs_f64() * 10.0).round() / 10.0
}

/// Returns a line for the end of a run.
pub(crate) fn line(record: &Record) -> String {
    let (wall, processor) = (record.time.wall, record.time.processor);
    format!(
        "{:<11} {:>6.0} s {:>6.0} s CPU  {}",
        record.name,
        wall.as_secs_f64(),
        processor.as_secs_f64(),
        record.tally
    )
}

/// Line of the table of steps.
pub(crate) struct Listed {
    /// Name of the step.
    pub(crate) name: &'static str,
    /// Runs that include it.
    pub(crate) runs: &'static str,
    /// Purpose of the step.
    pub(crate) about: &'static str,
}

/// Writes the table of steps to the document, with the times of the last full run of each. Fails if
/// one of them has no record.
pub(crate) fn write_document(steps: impl Iterator<Item = Listed>) -> Result<()> {
    let recorded = std::fs::read_to_string(&*RECORD)
        .with_context(|| format!("reading {}", RECORD.display()))?;
    let recorded: Value = serde_json::from_str(&recorded)?;
    let mut table =
        String::from("| step | run by | wall s | processor s | checks |\n|---|---|--:|--:|---|\n");
    let mut total = [0.0; 2];
    for Listed { name, runs, about } in steps {
        let [wall, processor] =
            ["wall_s", "processor_s"].map(|key| recorded["all"][name][key].as_f64());
        let times = wall.zip(processor);
        let (wall, processor) =
            times.with_context(|| format!("no full run of {name} is recorded"))?;
        total[0] += wall;
        total[1] += processor;
        writeln!(
            table,
            "| `{name}` | {runs} | {wall:.0} | {processor:.0} | {about} |"
        )?;
    }
    let [wall, processor] = total;
    writeln!(table, "| all | | {wall:.0} | {processor:.0} | |")?;
    let text = std::fs::read_to_string(DOCUMENT).with_context(|| format!("reading {DOCUMENT}"))?;
    std::fs::write(DOCUMENT, splice(&text, &MARKS, table.trim_end())?)
        .with_context(|| format!("writing {DOCUMENT}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_read_after_the_name() {
        // utime 250, stime 30, cutime 1000, cstime 20 hundredths of a second.
        let stat = "4242 (a) b (c) R 1 2 3 4 5 6 7 8 9 10 250 30 1000 20 20 0 1 0 99";
        assert_eq!(parse_stat(stat), Some(Duration::from_millis(13_000)));
        assert_eq!(parse_stat(""), None);
    }

    #[test]
    fn steps_that_take_twice_as_long_are_named() {
        let took = |seconds: u64| Record {
            name: "unit",
            tally: Tally::default(),
            time: Time {
                wall: Duration::from_secs(seconds),
                processor: Duration::ZERO,
            },
        };
        let before = json!({ "wall_s": 10.0 });
        assert_eq!(compare(&before, &took(19)), None);
        let warning = compare(&before, &took(20));
        assert_eq!(
            warning.as_deref(),
            Some("unit took 20 s, 10 s in the run before")
        );
        // Twice as long, but within the noise.
        assert_eq!(compare(&json!({ "wall_s": 1.0 }), &took(4)), None);
        assert_eq!(compare(&Value::Null, &took(20)), None);
    }
}
