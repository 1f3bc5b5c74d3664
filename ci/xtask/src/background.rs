//! Steps of a test run that run in a separate process at the same time as the others, most of
//! which use little more than one processor.

use crate::step_times::{StepRecord, StepTime};
use anyhow::{Context as _, Result, ensure};
use glasm_ci_support::counts::Counts;
use glasm_ci_support::process_group::ProcessGroup;
use glasm_ci_support::shell;
use serde_json::{Value, json};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Option of `cargo xtask test` for the process of these steps. Its value is the file that receives
/// their results.
pub(crate) const OPTION: &str = "--background-results";

/// Start of the line before the output of a step.
pub(crate) const STEP_MARK: &str = "== ";

/// Results of steps.
#[derive(Default)]
pub(crate) struct StepResults {
    /// Counts and times, by step.
    pub(crate) records: Vec<StepRecord>,
    /// Commands and checks that failed, with the names of their steps.
    pub(crate) failures: Vec<String>,
}

impl StepResults {
    /// Returns a failure for steps whose results are unknown.
    pub(crate) fn with_failure() -> Self {
        Self {
            records: vec![StepRecord {
                name: "background",
                tally: Counts::from_check(false),
                time: StepTime::default(),
            }],
            failures: Vec::new(),
        }
    }

    /// Writes the results to a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub(crate) fn write(&self, file: &Path) -> Result<()> {
        let records: Vec<Value> = self.records.iter().map(StepRecord::to_json).collect();
        let text = json!({ "records": records, "failures": self.failures }).to_string();
        std::fs::write(file, text).with_context(|| file.display().to_string())
    }

    /// Reads results that [`Self::write`] wrote.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or has another form.
    fn read(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let value: Value = serde_json::from_str(&text)?;
        let list = |name: &str| value[name].as_array().context("a list is missing");
        let records = list("records")?.iter().map(StepRecord::from_json);
        let failures = list("failures")?.iter().filter_map(Value::as_str);
        Ok(Self {
            records: records.collect::<Result<_>>()?,
            failures: failures.map(str::to_owned).collect(),
        })
    }
}

/// Running process of the steps. It and what it has started end when this is dropped.
pub(crate) struct BackgroundSteps {
    process: ProcessGroup,
    /// Its output.
    log: PathBuf,
    /// Number of bytes of the output that were printed.
    printed: usize,
    /// File for the results.
    results: PathBuf,
}

impl BackgroundSteps {
    /// Starts the process.
    ///
    /// # Errors
    ///
    /// If its files cannot be written, or if it does not start.
    pub(crate) fn start() -> Result<Self> {
        let [log, results] = ["log", "json"]
            .map(|extension| shell::below_target(&format!("background-steps.{extension}")));
        shell::create_dir(&shell::target_dir())?;
        match std::fs::remove_file(&results) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| results.display().to_string());
            }
            Ok(()) | Err(_) => {}
        }
        let output = File::create(&log).with_context(|| log.display().to_string())?;
        let mut command = ProcessGroup::command(std::env::current_exe()?);
        command.args(["test", "--all", "--no-setup", OPTION]);
        command.arg(&results);
        command.stdout(output.try_clone()?).stderr(output);
        Ok(Self {
            process: ProcessGroup::spawn(&mut command)?,
            log,
            printed: 0,
            results,
        })
    }

    /// Prints the output of the steps that have finished since the last call.
    ///
    /// # Errors
    ///
    /// If the output cannot be read.
    pub(crate) fn print_finished(&mut self) -> Result<()> {
        let output = self.read_output()?;
        if let Some(end) = find_last_step(&output) {
            self.print_to(&output, end);
        }
        Ok(())
    }

    /// Waits for the end of the process, prints the rest of its output, and returns its results.
    ///
    /// # Errors
    ///
    /// If it ended without results.
    pub(crate) fn finish(mut self) -> Result<StepResults> {
        let status = self.process.wait()?;
        let output = self.read_output()?;
        self.print_to(&output, output.len());
        ensure!(
            self.results.is_file(),
            "the background steps ended without results: {status}"
        );
        StepResults::read(&self.results)
    }

    /// Returns the current output.
    fn read_output(&self) -> Result<Vec<u8>> {
        std::fs::read(&self.log).with_context(|| self.log.display().to_string())
    }

    /// Prints the part of the output up to an offset that was not printed before.
    fn print_to(&mut self, output: &[u8], end: usize) {
        if let Some(part) = output.get(self.printed..end).filter(|it| !it.is_empty()) {
            println!("\nAt the same time:{}", String::from_utf8_lossy(part));
            self.printed = end;
        }
    }
}

/// Returns the offset of the last line that begins a step, with the empty line before it.
fn find_last_step(output: &[u8]) -> Option<usize> {
    let mark = format!("\n\n{STEP_MARK}");
    let position = output
        .windows(mark.len())
        .rposition(|it| it == mark.as_bytes());
    position.map(|it| it + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn output_of_finished_steps_ends_before_the_running_one() {
        assert_eq!(find_last_step(b"\n== a (after 0 s)\nx\n"), None);
        let output = b"\n== a (after 0 s)\nx\n\n== b (after 1 s)\ny == z\n";
        let end = find_last_step(output).expect("two steps");
        assert_eq!(&output[..end], b"\n== a (after 0 s)\nx\n");
    }

    #[test]
    fn results_pass_through_a_file() {
        let file = std::env::temp_dir().join(format!("glasm-results-{}", std::process::id()));
        let written = StepResults {
            records: vec![StepRecord {
                name: "windows",
                tally: Counts {
                    passed: 3,
                    failed: 2,
                    skipped: 1,
                },
                time: StepTime {
                    wall: Duration::from_millis(1500),
                    processor: Duration::from_millis(2500),
                },
            }],
            failures: vec!["windows: $ false".to_owned()],
        };
        written.write(&file).unwrap();
        let read = StepResults::read(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert_eq!(read.failures, written.failures);
        let [record] = read.records.as_slice() else {
            panic!("{} records", read.records.len());
        };
        assert_eq!(record.name, "windows");
        assert_eq!(record.tally, written.records[0].tally);
        assert_eq!(record.time, written.records[0].time);
        std::fs::write(&file, r#"{"records": [{"name": "none"}], "failures": []}"#).unwrap();
        assert!(StepResults::read(&file).is_err());
        std::fs::remove_file(&file).unwrap();
    }
}
