//! Running scripts, with and without a mutation.

use crate::build::{OUT, WorkspaceCopy};
use crate::process::{self, ProcessExit};
use anyhow::{Context, Result, ensure};
use glasm_ci_support::report::{self, Outcome, ScriptResult};
use glasm_ci_support::shell;
use glasm_ci_support::vulkan::{self, Driver, Layer};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use walkdir::WalkDir;

/// Seconds for a script, and for a draw in it.
const SCRIPT_LIMIT: &str = "10";

/// For all scripts together.
pub(crate) const RUN_LIMIT: Duration = Duration::from_secs(900);

/// Output of the compiler for a script.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct ScriptOutput {
    hash: String,
    reached: BTreeSet<usize>,
}

/// Mutants that scripts reached and compiler output, by path.
type ScriptOutputs = BTreeMap<String, ScriptOutput>;

/// Configuration for running scripts, and their results without a mutation.
pub(crate) struct RunConfig {
    /// Prefix of the names of output files.
    pub(crate) name: &'static str,
    /// Driver of the configuration.
    pub(crate) driver: Driver,
    /// Language that programs are translated to first.
    pub(crate) language: Option<&'static str>,
    /// Verdicts without mutations.
    expected_outcomes: BTreeMap<String, Outcome>,
    outputs: ScriptOutputs,
}

/// Scripts of a run, and their configuration.
pub(crate) struct ScriptRun<'a> {
    /// Mutant that is on.
    pub(crate) mutant: Option<usize>,
    /// Files and directories.
    pub(crate) scripts: &'a [String],
    /// Name of the output files of the run.
    pub(crate) name: &'a str,
    pub(crate) jobs: usize,
    pub(crate) purpose: Purpose,
}

/// Purpose of a run of scripts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Compares the compiler output of all scripts.
    CompareOutput,
    /// Stops at the first script that fails.
    Kill,
    /// Stops at the first script that fails, and compares the compiler output.
    KillOrCompare,
    /// The same, with the validation layer.
    KillWithValidation,
}

/// Results of a run.
pub(crate) struct RunResult {
    results: Vec<ScriptResult>,
    outputs: ScriptOutputs,
    end: ProcessExit,
}

impl RunConfig {
    /// Creates a configuration whose expected outcomes are empty until its first run.
    pub(crate) fn new(name: &'static str, driver: Driver, through: Option<&'static str>) -> Self {
        Self {
            name,
            driver,
            language: through,
            expected_outcomes: BTreeMap::new(),
            outputs: ScriptOutputs::new(),
        }
    }

    /// Runs all scripts without a mutation. Those that fail nevertheless are ignored later.
    pub(crate) fn run_unmutated(
        &mut self,
        copy: &WorkspaceCopy,
        scripts: &[String],
        jobs: usize,
    ) -> Result<()> {
        let ran = self.run_scripts(
            copy,
            &ScriptRun {
                mutant: None,
                scripts,
                name: "unmutated",
                jobs,
                purpose: Purpose::CompareOutput,
            },
        )?;
        self.expected_outcomes = ran
            .results
            .into_iter()
            .map(|it| (it.script, it.outcome))
            .collect();
        self.outputs = ran.outputs;
        Ok(())
    }

    /// Prints how many scripts ran without a mutation, and how many of them failed.
    pub(crate) fn print_counts(&self) {
        let failed = self
            .expected_outcomes
            .values()
            .filter(|it| **it == Outcome::Fail)
            .count();
        println!(
            "{}: {} scripts ran without a mutation, {failed} of them failed",
            self.name,
            self.expected_outcomes.len()
        );
    }

    /// Returns the scripts that reach a mutant; those that reach few others are first.
    pub(crate) fn find_scripts_reaching(&self, mutant: usize) -> Vec<String> {
        let mut found: Vec<(usize, &String)> = self
            .outputs
            .iter()
            .filter(|(_, seen)| seen.reached.contains(&mutant))
            .filter(|(script, _)| self.expected_outcomes.get(*script) != Some(&Outcome::Fail))
            .map(|(script, seen)| (seen.reached.len(), script))
            .collect();
        found.sort();
        found
            .into_iter()
            .map(|(_, script)| script.clone())
            .collect()
    }

    /// Runs scripts with the copy's executable on the driver of this configuration and returns
    /// outcomes and hashes of outputs.
    pub(crate) fn run_scripts(
        &self,
        copy: &WorkspaceCopy,
        run: &ScriptRun<'_>,
    ) -> Result<RunResult> {
        let base = OUT.join("runs").join(self.name).join(run.name);
        std::fs::create_dir_all(base.parent().unwrap_or(&base))?;
        let [report, seen, log] = ["json", "seen", "log"].map(|it| base.with_extension(it));
        for old in [&report, &seen] {
            let _ = std::fs::remove_file(old);
        }
        let command = self.script_command(copy, run, &report, &seen)?;
        let end = process::run_with_limit(command, &log, RUN_LIMIT)?;
        let results = if report.is_file() {
            report::read_report(&report)?
        } else {
            Vec::new()
        };
        ensure!(
            run.mutant.is_some() || !results.is_empty(),
            "the scripts do not run: see {}",
            log.display()
        );
        Ok(RunResult {
            results,
            outputs: read_outputs(&seen)?,
            end,
        })
    }

    /// Returns the command for a run of scripts, which writes their outcomes to `report`, and the
    /// hashes of compiler outputs to `seen` if the purpose of the run needs them.
    fn script_command(
        &self,
        copy: &WorkspaceCopy,
        run: &ScriptRun<'_>,
        report: &Path,
        seen: &Path,
    ) -> Result<Command> {
        let mut command = self.glasm_command(copy, run.mutant);
        command.args(["--timeout", SCRIPT_LIMIT, "--draw-timeout", SCRIPT_LIMIT]);
        command
            .args(["--jobs", &run.jobs.to_string(), "--json"])
            .arg(report);
        let is_validated = run.purpose == Purpose::KillWithValidation
            && vulkan::use_validation_layer(&mut command, Layer::Newest)?;
        command.args(["--validation", if is_validated { "require" } else { "off" }]);
        match run.purpose {
            Purpose::CompareOutput => {}
            Purpose::Kill | Purpose::KillOrCompare | Purpose::KillWithValidation => {
                command.arg("--fail-fast");
            }
        }
        if run.purpose != Purpose::Kill {
            command.env("GLASM_MUTANT_SCRIPTS", std::path::absolute(seen)?);
        }
        command.args(run.scripts);
        Ok(command)
    }

    /// Returns the command `run` of the copy's executable, with a mutant or without a mutation, on
    /// the driver and through the language of this configuration.
    fn glasm_command(&self, copy: &WorkspaceCopy, mutant: Option<usize>) -> Command {
        let mut command = process::build_limited_command(&copy.glasm_path());
        vulkan::use_driver(&mut command, &self.driver);
        command.arg("run");
        if let Some(language) = self.language {
            command.args(["--round-trip", language]);
        }
        if let Some(mutant) = mutant {
            command.env("GLASM_MUTANT", mutant.to_string());
        }
        command
    }

    /// Returns the first script whose outcome differs from the one without a mutation.
    pub(crate) fn find_changed_outcome(&self, ran: &RunResult) -> Option<(String, String)> {
        for result in &ran.results {
            let expected = self
                .expected_outcomes
                .get(&result.script)
                .copied()
                .unwrap_or_default();
            if result.outcome != expected {
                let reason = result.failures.first().unwrap_or(&result.reason);
                let line = reason.trim().lines().next().unwrap_or("fails");
                return Some((result.script.clone(), line.to_owned()));
            }
        }
        match ran.end {
            ProcessExit::Success => None,
            ProcessExit::Failure if !ran.results.is_empty() => None,
            ProcessExit::Failure => Some(("all".to_owned(), "the command fails".to_owned())),
            ProcessExit::Hang => Some(("all".to_owned(), "the command hangs".to_owned())),
        }
    }

    /// Returns the first difference between the outputs of the compiler for a script with and
    /// without a mutation.
    pub(crate) fn find_output_difference(
        &self,
        copy: &WorkspaceCopy,
        mutant: usize,
        script: &str,
    ) -> Result<Option<String>> {
        let file = OUT
            .join("runs")
            .join(self.name)
            .join(format!("text-{mutant}"));
        let old = self.capture_compiler_output(copy, None, script, &file)?;
        let new = self.capture_compiler_output(copy, Some(mutant), script, &file)?;
        let mut lines = old.lines().zip(new.lines()).zip(1..);
        let found = lines.find(|((old, new), _)| old != new);
        Ok(found.map(|((old, new), line)| {
            format!(
                "line {line} of what the compiler gives: `{}` -> `{}`",
                old.trim(),
                new.trim()
            )
        }))
    }

    /// Runs a script and returns the output of the compiler, which is stored in a file.
    fn capture_compiler_output(
        &self,
        copy: &WorkspaceCopy,
        mutant: Option<usize>,
        script: &str,
        file: &Path,
    ) -> Result<String> {
        let _ = std::fs::remove_file(file);
        let path = std::path::absolute(file)?;
        let mut command = self.glasm_command(copy, mutant);
        command.args(["--validation", "off", script]);
        command.env("GLASM_MUTANT_SCRIPTS", path.with_extension("seen"));
        command.env("GLASM_MUTANT_OUTPUT", path);
        process::run_with_limit(command, &file.with_extension("log"), RUN_LIMIT)?;
        let bytes = std::fs::read(file).unwrap_or_default();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns the scripts whose compiler output differs from the one without a mutation.
    pub(crate) fn find_scripts_with_other_output(&self, ran: &RunResult) -> Vec<String> {
        let differs = |(script, it): &(&String, &ScriptOutput)| {
            let expected = self.outputs.get(*script);
            expected.is_some_and(|expected| expected.hash != it.hash)
        };
        let found = ran.outputs.iter().filter(differs);
        found.map(|(script, _)| script.clone()).collect()
    }
}

/// Reads the file that `GLASM_MUTANT_SCRIPTS` names; empty if there is none.
fn read_outputs(file: &Path) -> Result<ScriptOutputs> {
    if !file.is_file() {
        return Ok(ScriptOutputs::new());
    }
    let text = std::fs::read_to_string(file)?;
    let read = |line: &str| {
        let mut columns = line.split('\t');
        let path: String = serde_json::from_str(columns.next()?).ok()?;
        let hash = columns.next()?.to_owned();
        let reached = columns
            .next()?
            .split(' ')
            .filter_map(|word| word.parse().ok());
        let reached = reached.collect();
        Some((path, ScriptOutput { hash, reached }))
    };
    text.lines()
        .map(|line| read(line).with_context(|| format!("line `{line}` of {}", file.display())))
        .collect()
}

/// Starts of programs and their stages.
const STAGES: [(&str, &str); 6] = [
    ("!!NVvp", "vertex"),
    ("!!ARBvp", "vertex"),
    ("!!NVfp", "fragment"),
    ("!!ARBfp", "fragment"),
    ("!!NVgp", "geometry"),
    ("!!NVcp", "compute"),
];

/// Maximum size of a program.
const SIZE: usize = 64 << 10;

/// Writes a script for each program below `folder` and returns the directory of the scripts.
pub(crate) fn write_corpus(folder: &Path) -> Result<Vec<String>> {
    let out = OUT.join("corpus");
    shell::create_empty_dir(&out)?;
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in WalkDir::new(folder) {
        files.push(entry.context("reading the programs")?.into_path());
    }
    files.sort();
    let mut number = 0;
    for file in files.iter().filter(|file| file.is_file()) {
        let text = std::fs::read(file)?;
        let text = String::from_utf8_lossy(&text);
        let stage = STAGES.iter().find(|(start, _)| text.starts_with(start));
        // A line that begins a section would end the program.
        if let Some((_, stage)) = stage.filter(|_| text.len() < SIZE && !text.contains("\n[")) {
            let script = format!("[require]\nGL >= 1.3\n[{stage} program]\n{text}\n[test]\n");
            std::fs::write(out.join(format!("{number:05}.shader_test")), script)?;
            number += 1;
        }
    }
    println!("{number} programs of {}", folder.display());
    Ok(vec![out.display().to_string()])
}
