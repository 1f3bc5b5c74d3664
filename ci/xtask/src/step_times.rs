//! Time that the steps of a test run take: measured, recorded, compared with the run before, and
//! listed in a document.

use crate::bench::replace_between_marks;
use crate::steps;
use anyhow::{Context, Result, bail};
use glasm_ci_support::counts::Counts;
use glasm_ci_support::shell;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Record of the last run.
static RECORD_FILE: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("test-times.json"));

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
pub(crate) struct StepTime {
    /// Wall time.
    pub(crate) wall: Duration,
    /// Processor time of this process and of all processes that it has waited for; zero if the
    /// system does not report it.
    pub(crate) processor: Duration,
}

/// Running measurement.
#[derive(Clone, Copy)]
pub(crate) struct StepClock {
    start: Instant,
    processor: Duration,
}

impl StepClock {
    /// Starts a measurement of wall-clock and processor time.
    pub(crate) fn start() -> Self {
        Self {
            start: Instant::now(),
            processor: read_processor_time(),
        }
    }

    /// Returns the wall-clock time since the start and the processor time, with that of child
    /// processes that have ended.
    pub(crate) fn read(&self) -> StepTime {
        StepTime {
            wall: self.start.elapsed(),
            processor: read_processor_time().saturating_sub(self.processor),
        }
    }
}

/// Returns the processor time of this process and of those that it has waited for, zero outside of
/// Linux.
fn read_processor_time() -> Duration {
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
pub(crate) struct StepRecord {
    /// Name of the step.
    pub(crate) name: &'static str,
    /// Counts of the step.
    pub(crate) tally: Counts,
    /// Time of the step.
    pub(crate) time: StepTime,
}

impl StepRecord {
    /// Returns the record for a file of results; [`Self::from_json`] reads it.
    pub(crate) fn to_json(&self) -> Value {
        let mut value = format_result(self);
        value["name"] = json!(self.name);
        value
    }

    /// Returns the record that [`Self::to_json`] wrote.
    ///
    /// # Errors
    ///
    /// If a part is missing, or if no step has the name.
    pub(crate) fn from_json(value: &Value) -> Result<Self> {
        let seconds = |key: &str| {
            let seconds = value[key].as_f64().with_context(|| key.to_owned())?;
            Ok::<_, anyhow::Error>(Duration::try_from_secs_f64(seconds)?)
        };
        let count = |key: &str| value[key].as_u64().with_context(|| key.to_owned());
        let name = value["name"].as_str().context("name")?;
        Ok(Self {
            name: steps::find_step(name)?.name,
            tally: Counts {
                passed: count("passed")?,
                failed: count("failed")?,
                skipped: count("skipped")?,
            },
            time: StepTime {
                wall: seconds("wall_s")?,
                processor: seconds("processor_s")?,
            },
        })
    }
}

/// Returns the times and counts of a record.
fn format_result(record: &StepRecord) -> Value {
    json!({
        "wall_s": round_seconds(record.time.wall),
        "processor_s": round_seconds(record.time.processor),
        "passed": record.tally.passed,
        "failed": record.tally.failed,
        "skipped": record.tally.skipped,
    })
}

/// Returns a warning for each step that took twice as long as in the run before, then records this
/// run in the target directory.
pub(crate) fn record_times(scope: &str, records: &[StepRecord]) -> Result<Vec<String>> {
    update_record_file(&RECORD_FILE, scope, records)
}

/// Compares steps with the records in a file, and writes their new records. Steps that did not run
/// retain theirs.
fn update_record_file(file: &Path, scope: &str, records: &[StepRecord]) -> Result<Vec<String>> {
    let old = std::fs::read_to_string(file).unwrap_or_default();
    let mut all: Value = serde_json::from_str(&old).unwrap_or_else(|_| json!({}));
    let warnings = records
        .iter()
        .filter_map(|record| compare_step(&all[scope][record.name], record))
        .collect();
    for record in records {
        all[scope][record.name] = format_result(record);
    }
    let text = serde_json::to_string_pretty(&all)? + "\n";
    std::fs::write(file, text).with_context(|| format!("writing {}", file.display()))?;
    Ok(warnings)
}

/// Returns a message if a step took much longer than in a record of the run before.
fn compare_step(old: &Value, new: &StepRecord) -> Option<String> {
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

/// Returns a time in seconds, rounded to tenths.
fn round_seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 10.0).round() / 10.0
}

/// Formats a line of the summary: step, times in seconds and counts of checks.
pub(crate) fn format_record(record: &StepRecord) -> String {
    let (wall, processor) = (record.time.wall, record.time.processor);
    format!(
        "{:<17} {:>6.0} s {:>6.0} s CPU  {}",
        record.name,
        wall.as_secs_f64(),
        processor.as_secs_f64(),
        record.tally
    )
}

/// Name of the record of all steps together.
pub(crate) const TOTAL: &str = "all";

/// Line of the table of steps.
pub(crate) struct ListedStep {
    /// Name of the step.
    pub(crate) name: &'static str,
    /// Runs that include it.
    pub(crate) runs: &'static str,
    /// Purpose of the step.
    pub(crate) about: &'static str,
}

/// Replaces the table of steps in CONTRIBUTING.md by `steps` with the times of their last full run.
/// Fails if a step has no record of a full run, or if the marks of the table are missing.
pub(crate) fn write_step_table(steps: impl Iterator<Item = ListedStep>) -> Result<()> {
    let recorded = std::fs::read_to_string(&*RECORD_FILE)
        .with_context(|| format!("reading {}", RECORD_FILE.display()))?;
    let recorded: Value = serde_json::from_str(&recorded)?;
    let mut table =
        String::from("| step | run by | wall s | processor s | checks |\n|---|---|--:|--:|---|\n");
    let read_times = |name: &str| {
        let times = ["wall_s", "processor_s"].map(|key| recorded["all"][name][key].as_f64());
        let [Some(wall), Some(processor)] = times else {
            bail!("no full run of {name} is recorded");
        };
        Ok((wall, processor))
    };
    for ListedStep { name, runs, about } in steps {
        let (wall, processor) = read_times(name)?;
        writeln!(
            table,
            "| `{name}` | {runs} | {wall:.0} | {processor:.0} | {about} |"
        )?;
    }
    let (wall, processor) = read_times(TOTAL)?;
    writeln!(table, "| all | | {wall:.0} | {processor:.0} | |")?;
    let text = std::fs::read_to_string(DOCUMENT).with_context(|| format!("reading {DOCUMENT}"))?;
    std::fs::write(
        DOCUMENT,
        replace_between_marks(&text, &MARKS, table.trim_end())?,
    )
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

    /// Returns the record of a step that took this long.
    fn took(seconds: u64) -> StepRecord {
        StepRecord {
            name: "unit",
            tally: Counts::default(),
            time: StepTime {
                wall: Duration::from_secs(seconds),
                processor: Duration::ZERO,
            },
        }
    }

    #[test]
    fn runs_are_compared_with_the_run_before() {
        let file = std::env::temp_dir().join(format!("glasm-times-{}", std::process::id()));
        let _ = std::fs::remove_file(&file);
        let run = |scope, steps: &[StepRecord]| update_record_file(&file, scope, steps).unwrap();
        assert!(run("all", &[took(10)]).is_empty());
        // Other scopes run other parts of a step, and a step may be left out.
        assert!(run("quick", &[took(30)]).is_empty());
        assert!(run("all", &[]).is_empty());
        let warning = "unit took 25 s, 10 s in the run before";
        assert_eq!(run("all", &[took(25)]), [warning]);
        assert!(run("all", &[took(25)]).is_empty());
        std::fs::remove_file(file).unwrap();
    }

    #[test]
    fn steps_that_take_twice_as_long_are_named() {
        let before = json!({ "wall_s": 10.0 });
        assert_eq!(compare_step(&before, &took(19)), None);
        let warning = compare_step(&before, &took(20));
        assert_eq!(
            warning.as_deref(),
            Some("unit took 20 s, 10 s in the run before")
        );
        // Twice as long, but within the noise.
        assert_eq!(compare_step(&json!({ "wall_s": 1.0 }), &took(4)), None);
        assert_eq!(compare_step(&Value::Null, &took(20)), None);
    }
}
