//! Running scripts, with and without a fault.

use crate::build::{Copy, OUT};
use crate::process::{self, End};
use anyhow::{Context, Result, ensure};
use glasm_ci_support::report::{self, Outcome, ScriptResult};
use glasm_ci_support::shell;
use glasm_ci_support::vulkan::{self, Driver, Layer};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;
use walkdir::WalkDir;

/// Seconds for a script, and for a draw in it.
const SCRIPT_LIMIT: &str = "10";

/// For all scripts together.
pub(crate) const RUN_LIMIT: Duration = Duration::from_secs(900);

/// Output of the compiler for a script.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct Seen {
    hash: String,
    reached: BTreeSet<usize>,
}

/// Faults that scripts reached and compiler output, by path.
type AllSeen = BTreeMap<String, Seen>;

/// Configuration for running scripts, and their results without a fault.
pub(crate) struct Way {
    /// Prefix of the names of output files.
    pub(crate) name: &'static str,
    /// Driver of the configuration.
    pub(crate) driver: Driver,
    /// Language that programs are translated to first.
    pub(crate) through: Option<&'static str>,
    /// Verdicts without faults.
    usual: BTreeMap<String, Outcome>,
    seen: AllSeen,
}

/// Scripts of a run, and their configuration.
pub(crate) struct Run<'a> {
    /// Fault that is on.
    pub(crate) fault: Option<usize>,
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
    Compare,
    /// Stops at the first script that fails.
    Notice,
    /// Finds a script that fails, and compares the compiler output.
    Follow,
    /// Stops at the first script that fails, with the validation layer.
    Watch,
}

/// Results of a run.
pub(crate) struct Ran {
    results: Vec<ScriptResult>,
    seen: AllSeen,
    end: End,
}

impl Way {
    /// Returns a configuration without any runs.
    pub(crate) fn new(name: &'static str, driver: Driver, through: Option<&'static str>) -> Self {
        Self {
            name,
            driver,
            through,
            usual: BTreeMap::new(),
            seen: AllSeen::new(),
        }
    }

    /// Runs all scripts without a fault. Those that fail nevertheless are ignored later.
    pub(crate) fn run_usual(&mut self, copy: &Copy, scripts: &[String], jobs: usize) -> Result<()> {
        let ran = self.run(
            copy,
            &Run {
                fault: None,
                scripts,
                name: "usual",
                jobs,
                purpose: Purpose::Compare,
            },
        )?;
        self.usual = ran
            .results
            .into_iter()
            .map(|it| (it.script, it.outcome))
            .collect();
        self.seen = ran.seen;
        Ok(())
    }

    /// Prints the number of scripts that ran.
    pub(crate) fn print_counts(&self) {
        let failed = self
            .usual
            .values()
            .filter(|it| **it == Outcome::Fail)
            .count();
        println!(
            "{}: {} scripts ran without a fault, {failed} of them failed",
            self.name,
            self.usual.len()
        );
    }

    /// Returns the scripts that reach a fault; those that reach few others are first.
    pub(crate) fn reaching(&self, fault: usize) -> Vec<String> {
        let mut found: Vec<(usize, &String)> = self
            .seen
            .iter()
            .filter(|(_, seen)| seen.reached.contains(&fault))
            .filter(|(script, _)| self.usual.get(*script) != Some(&Outcome::Fail))
            .map(|(script, seen)| (seen.reached.len(), script))
            .collect();
        found.sort();
        found
            .into_iter()
            .map(|(_, script)| script.clone())
            .collect()
    }

    /// Runs scripts.
    pub(crate) fn run(&self, copy: &Copy, run: &Run<'_>) -> Result<Ran> {
        let base = OUT.join("runs").join(self.name).join(run.name);
        std::fs::create_dir_all(base.parent().unwrap_or(&base))?;
        let report = base.with_extension("json");
        let seen = base.with_extension("seen");
        for old in [&report, &seen] {
            let _ = std::fs::remove_file(old);
        }
        let mut command = process::limited(&copy.glasm());
        vulkan::use_driver(&mut command, &self.driver);
        command.args([
            "run",
            "--timeout",
            SCRIPT_LIMIT,
            "--draw-timeout",
            SCRIPT_LIMIT,
        ]);
        command
            .args(["--jobs", &run.jobs.to_string(), "--json"])
            .arg(&report);
        let watched = run.purpose == Purpose::Watch
            && vulkan::use_validation_layer(&mut command, Layer::Newest)?;
        command.args(["--validation", if watched { "require" } else { "off" }]);
        if let Some(fault) = run.fault {
            command.env("GLASM_FAULT", fault.to_string());
        }
        match run.purpose {
            Purpose::Compare => &mut command,
            Purpose::Notice | Purpose::Follow | Purpose::Watch => command.arg("--fail-fast"),
        };
        if run.purpose != Purpose::Notice {
            command.env("GLASM_FAULT_SCRIPTS", std::path::absolute(&seen)?);
        }
        if let Some(language) = self.through {
            command.args(["--through", language]);
        }
        command.args(run.scripts);
        let end = process::run(command, &base.with_extension("log"), RUN_LIMIT)?;
        let results = if report.is_file() {
            report::read_report(&report)?
        } else {
            Vec::new()
        };
        ensure!(
            run.fault.is_some() || !results.is_empty(),
            "the scripts do not run: see {}",
            base.with_extension("log").display()
        );
        Ok(Ran {
            results,
            seen: read_seen(&seen)?,
            end,
        })
    }

    /// Returns the first script whose outcome differs from the one without a fault.
    pub(crate) fn noticed(&self, ran: &Ran) -> Option<(String, String)> {
        for result in &ran.results {
            let usual = self.usual.get(&result.script).copied().unwrap_or_default();
            if result.outcome != usual {
                let reason = result.failures.first().unwrap_or(&result.reason);
                let line = reason.trim().lines().next().unwrap_or("fails");
                return Some((result.script.clone(), line.to_owned()));
            }
        }
        match ran.end {
            End::Success => None,
            End::Failure if !ran.results.is_empty() => None,
            End::Failure => Some(("all".to_owned(), "the command fails".to_owned())),
            End::Hang => Some(("all".to_owned(), "the command hangs".to_owned())),
        }
    }

    /// Returns the first difference between the outputs of the compiler for a script with and
    /// without a fault.
    pub(crate) fn first_difference(
        &self,
        copy: &Copy,
        fault: usize,
        script: &str,
    ) -> Result<Option<String>> {
        let mut texts = Vec::new();
        for on in [None, Some(fault)] {
            let file = OUT
                .join("runs")
                .join(self.name)
                .join(format!("text-{fault}"));
            let _ = std::fs::remove_file(&file);
            let mut command = process::limited(&copy.glasm());
            vulkan::use_driver(&mut command, &self.driver);
            command.args(["run", "--validation", "off", script]);
            if let Some(language) = self.through {
                command.args(["--through", language]);
            }
            command.env("GLASM_FAULT_TEXT", std::path::absolute(&file)?);
            command.env(
                "GLASM_FAULT_SCRIPTS",
                std::path::absolute(&file)?.with_extension("seen"),
            );
            if let Some(on) = on {
                command.env("GLASM_FAULT", on.to_string());
            }
            process::run(command, &file.with_extension("log"), RUN_LIMIT)?;
            texts.push(std::fs::read(&file).unwrap_or_default());
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (old, new) = (text(&texts[0]), text(&texts[1]));
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

    /// Returns the scripts whose compiler output differs from the one without a fault.
    pub(crate) fn differing(&self, ran: &Ran) -> Vec<String> {
        let differs = |(script, it): &(&String, &Seen)| {
            let usual = self.seen.get(*script);
            usual.is_some_and(|usual| usual.hash != it.hash)
        };
        let found = ran.seen.iter().filter(differs);
        found.map(|(script, _)| script.clone()).collect()
    }
}

fn read_seen(file: &Path) -> Result<AllSeen> {
    if !file.is_file() {
        return Ok(AllSeen::new());
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
        Some((path, Seen { hash, reached }))
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
