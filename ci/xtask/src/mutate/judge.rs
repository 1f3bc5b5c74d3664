//! Who notices a fault: first the scripts that reach it, then the tests.

use super::build::{Copy, OUT, TestProgram};
use super::process::{self, End};
use crate::suite::{self, Outcome, ScriptResult};
use crate::vulkan::{self, Driver, Layer};
use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Packages whose tests judge what scripts do not see.
pub(super) const PACKAGES: [&str; 6] = [
    "glasm-ir",
    "glasm-frontend",
    "glasm-codegen",
    "glasm",
    "glasm-cli",
    "glasm-tests",
];

/// Programs of tests that measure memory for a long time and have nothing to say about code.
const MEASURING: [&str; 1] = ["tests memory"];

/// How many of the scripts that reach a fault run first, without the validation layer; then all run, with it.
const FIRST: [usize; 2] = [8, 100];

/// Seconds for a script, and for a draw in it.
const SCRIPT_LIMIT: &str = "10";

/// For all scripts together.
const RUN_LIMIT: Duration = Duration::from_secs(900);

/// Time that tests with a fault may take beyond ten times their usual one.
const TEST_GRACE: Duration = Duration::from_secs(20);

/// Names of scripts or tests that a report shows.
const SHOWN: usize = 5;

/// What became of a fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// This script noticed it, in this way.
    Script(String, String),
    /// This program of tests noticed it, in this test.
    Test(String, String),
    /// Nobody did.
    Survived(Survivor),
}

/// What is known of a fault that nobody noticed.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Survivor {
    /// How many scripts run the code, and the nearest of them.
    pub(super) scripts: (usize, Vec<String>),
    /// Tests that run the code.
    pub(super) tests: Vec<String>,
    /// Scripts or programs for which the compiler gives something else with the fault.
    pub(super) differing: Vec<String>,
    /// The first line that differs.
    pub(super) difference: Option<String>,
}

/// What a script gave.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct Seen {
    hash: String,
    reached: BTreeSet<usize>,
}

/// What scripts reached and gave, by their paths.
type AllSeen = BTreeMap<String, Seen>;

/// Tests as they are without a fault.
struct Tested {
    program: TestProgram,
    reached: BTreeSet<usize>,
    time: Duration,
}

/// Judges faults.
pub(super) struct Judge {
    copy: Copy,
    driver: Driver,
    /// Verdicts without faults.
    usual: BTreeMap<String, Outcome>,
    seen: AllSeen,
    corpus: Option<(PathBuf, AllSeen)>,
    tests: Vec<Tested>,
}

/// Which scripts run, and how.
struct Run<'a> {
    /// The fault that is on.
    fault: Option<usize>,
    /// Files and folders.
    scripts: &'a [String],
    /// Name of the files that the run leaves.
    name: &'a str,
    jobs: usize,
    purpose: Purpose,
}

/// What a run of scripts is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// To see what all of them give.
    Compare,
    /// To find one that fails, soon.
    Notice,
    /// To find one that fails with the validation layer, and what they give.
    Watch,
}

/// What came of a run.
struct Ran {
    results: Vec<ScriptResult>,
    seen: AllSeen,
    end: End,
}

impl Judge {
    /// Runs all scripts without a fault.
    pub(super) fn new(copy: Copy, jobs: usize, corpus: Option<&Path>) -> Result<Self> {
        let Some(driver) = vulkan::lavapipe() else {
            bail!("lavapipe is not installed (cargo xtask setup)");
        };
        let mut judge = Self {
            copy,
            driver,
            usual: BTreeMap::new(),
            seen: AllSeen::new(),
            corpus: None,
            tests: Vec::new(),
        };
        let folders = suite::script_folders().into_iter().map(str::to_owned);
        let folders: Vec<String> = folders.collect();
        let usual = judge.run(&Run {
            fault: None,
            scripts: &folders,
            name: "usual",
            jobs,
            purpose: Purpose::Compare,
        })?;
        for result in &usual.results {
            ensure!(
                result.outcome != Outcome::Fail,
                "{} fails without a fault: {}",
                result.script,
                result.failures.join("; ")
            );
            judge.usual.insert(result.script.clone(), result.outcome);
        }
        judge.seen = usual.seen;
        if let Some(folder) = corpus {
            let scripts = super::corpus::write(folder)?;
            let all = [scripts.display().to_string()];
            let ran = judge.run(&Run {
                fault: None,
                scripts: &all,
                name: "usual-corpus",
                jobs,
                purpose: Purpose::Compare,
            })?;
            judge.corpus = Some((scripts, ran.seen));
        }
        Ok(judge)
    }

    /// How many scripts have run.
    pub(super) fn script_count(&self) -> usize {
        self.usual.len()
    }

    /// The scripts that reach a fault; first those that reach little else.
    fn reaching(&self, fault: usize) -> Vec<String> {
        let mut found: Vec<(usize, &String)> = self
            .seen
            .iter()
            .filter(|(_, seen)| seen.reached.contains(&fault))
            .map(|(script, seen)| (seen.reached.len(), script))
            .collect();
        found.sort();
        found
            .into_iter()
            .map(|(_, script)| script.clone())
            .collect()
    }

    fn run(&self, run: &Run<'_>) -> Result<Ran> {
        let base = Path::new(OUT).join("runs").join(run.name);
        std::fs::create_dir_all(base.parent().unwrap_or(&base))?;
        let report = base.with_extension("json");
        let seen = base.with_extension("seen");
        for old in [&report, &seen] {
            let _ = std::fs::remove_file(old);
        }
        let mut command = process::limited(&self.copy.glasm());
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
            Purpose::Notice | Purpose::Watch => command.arg("--fail-fast"),
        };
        if run.purpose != Purpose::Notice {
            command.env("GLASM_FAULT_SCRIPTS", std::path::absolute(&seen)?);
        }
        command.args(run.scripts);
        let end = process::run(command, &base.with_extension("log"), RUN_LIMIT)?;
        let results = match report.is_file() {
            true => suite::read_report(&report)?,
            false => Vec::new(),
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

    /// Runs the scripts that reach a fault until one notices it.
    pub(super) fn by_scripts(&self, fault: usize) -> Result<Verdict> {
        let scripts = self.reaching(fault);
        let name = format!("fault-{fault}");
        let mut differing = Vec::new();
        for count in FIRST.into_iter().chain([usize::MAX]) {
            let last = count >= scripts.len();
            if scripts.is_empty() || (last && count != usize::MAX) {
                continue;
            }
            let ran = self.run(&Run {
                fault: Some(fault),
                scripts: &scripts[..count.min(scripts.len())],
                name: &name,
                jobs: 1,
                purpose: if last {
                    Purpose::Watch
                } else {
                    Purpose::Notice
                },
            })?;
            if let Some((script, how)) = self.noticed(&ran) {
                return Ok(Verdict::Script(script, how));
            }
            differing = differing_scripts(&self.seen, &ran.seen);
        }
        let difference = match differing.first() {
            Some(script) => self.first_difference(fault, script)?,
            None => None,
        };
        Ok(Verdict::Survived(Survivor {
            scripts: (scripts.len(), scripts.into_iter().take(SHOWN).collect()),
            tests: Vec::new(),
            differing,
            difference,
        }))
    }

    /// The first script whose verdict is not the usual one.
    fn noticed(&self, ran: &Ran) -> Option<(String, String)> {
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

    /// What the compiler gives for a script, with and without the fault.
    fn first_difference(&self, fault: usize, script: &str) -> Result<Option<String>> {
        let mut texts = Vec::new();
        for on in [None, Some(fault)] {
            let file = Path::new(OUT).join(format!("runs/text-{fault}"));
            let _ = std::fs::remove_file(&file);
            let mut command = process::limited(&self.copy.glasm());
            vulkan::use_driver(&mut command, &self.driver);
            command.args(["run", "--validation", "off", script]);
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

    /// Builds the tests and runs them without a fault.
    pub(super) fn prepare_tests(&mut self, jobs: usize) -> Result<()> {
        let mut programs = self.copy.build_tests(&PACKAGES)?;
        programs.retain(|program| !MEASURING.contains(&program.name.as_str()));
        let tested = process::side_by_side(&programs, jobs, |program| self.test(program))?;
        self.tests = tested.into_iter().flatten().collect();
        self.tests.sort_by_key(|tested| tested.time);
        let total: Duration = self.tests.iter().map(|tested| tested.time).sum();
        println!(
            "{} programs of tests take {:.0} s",
            self.tests.len(),
            total.as_secs_f64()
        );
        for tested in self.tests.iter().rev().take(SHOWN) {
            println!(
                "    {:.1} s {}",
                tested.time.as_secs_f64(),
                tested.program.name
            );
        }
        Ok(())
    }

    /// What a program of tests reaches, unless it fails without a fault.
    fn test(&self, program: &TestProgram) -> Result<Option<Tested>> {
        let name = program.path.file_name().unwrap_or_default();
        let file = std::path::absolute(Path::new(OUT).join("runs").join(name))?;
        let _ = std::fs::remove_file(&file);
        let mut command = self.test_command(program)?;
        command.env("GLASM_FAULT_REACHED", &file);
        let start = Instant::now();
        let end = process::run(command, &file.with_extension("log"), RUN_LIMIT)?;
        if end != End::Success {
            println!(
                "left out: the tests `{}` fail without a fault",
                program.name
            );
            return Ok(None);
        }
        let reached = std::fs::read_to_string(&file).unwrap_or_default();
        Ok(Some(Tested {
            program: program.clone(),
            reached: reached
                .lines()
                .filter_map(|line| line.parse().ok())
                .collect(),
            time: start.elapsed(),
        }))
    }

    fn test_command(&self, program: &TestProgram) -> Result<Command> {
        let mut command = process::limited(&program.path);
        vulkan::use_driver(&mut command, &self.driver);
        vulkan::use_validation_layer(&mut command, Layer::Newest)?;
        command
            .current_dir(&program.folder)
            .env("CARGO_MANIFEST_DIR", &program.folder)
            .env("GLASM_TEST_SCRIPTS", "off");
        Ok(command)
    }

    /// Runs the tests that reach a fault which scripts do not notice, then compares what the compiler makes of other programs.
    pub(super) fn by_tests(&self, fault: usize, mut survivor: Survivor) -> Result<Verdict> {
        let reaching = self
            .tests
            .iter()
            .filter(|tested| tested.reached.contains(&fault));
        for tested in reaching {
            let name = &tested.program.name;
            let log = Path::new(OUT).join(format!("runs/tests-{fault}.log"));
            let mut command = self.test_command(&tested.program)?;
            command.env("GLASM_FAULT", fault.to_string());
            let limit = tested.time * 10 + TEST_GRACE;
            let end = process::run(command, &log, limit)?;
            if end != End::Success {
                let text = std::fs::read(&log).unwrap_or_default();
                let text = String::from_utf8_lossy(&text).into_owned();
                let failed = text
                    .lines()
                    .find_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
                let how = failed.map_or_else(|| format!("{end:?}"), str::to_owned);
                return Ok(Verdict::Test(name.clone(), how));
            }
            survivor.tests.push(name.clone());
        }
        if survivor.differing.is_empty()
            && let Some((scripts, usual)) = &self.corpus
        {
            let all = [scripts.display().to_string()];
            let ran = self.run_corpus(fault, &all)?;
            survivor.differing = differing_scripts(usual, &ran.seen);
            if let Some(script) = survivor.differing.first() {
                survivor.difference = self.first_difference(fault, script)?;
            }
        }
        Ok(Verdict::Survived(survivor))
    }

    fn run_corpus(&self, fault: usize, scripts: &[String]) -> Result<Ran> {
        self.run(&Run {
            fault: Some(fault),
            scripts,
            name: &format!("corpus-{fault}"),
            jobs: 1,
            purpose: Purpose::Compare,
        })
    }
}

/// The scripts for which the compiler gave something else.
fn differing_scripts(usual: &AllSeen, seen: &AllSeen) -> Vec<String> {
    let differs = |(script, it): &(&String, &Seen)| {
        usual
            .get(*script)
            .is_some_and(|usual| usual.hash != it.hash)
    };
    let found = seen.iter().filter(differs);
    found.map(|(script, _)| script.clone()).collect()
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
