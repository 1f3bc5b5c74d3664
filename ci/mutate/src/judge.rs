//! Detection of a fault: first by the scripts that reach it, then by the tests, then by the scripts
//! in other configurations.

use crate::build::{Copy, OUT, TestProgram};
use crate::process::{self, End};
use crate::scripts::{Purpose, RUN_LIMIT, Run, Way};
use anyhow::{Result, bail};
use glasm_ci_support::vulkan::{self, Driver, Layer};
use glasm_ci_support::{report, shell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Packages with tests for code that scripts do not cover.
pub(crate) const PACKAGES: [&str; 6] = [
    "glasm-ir",
    "glasm-frontend",
    "glasm-codegen",
    "glasm",
    "glasm-cli",
    "glasm-tests",
];

/// Test programs that take long and detect few additional faults: one measures memory, the others
/// check the modules and translations of all scripts, which run with the validation layer and
/// through WGSL anyway.
const LEFT_OUT: [&str; 3] = ["tests memory", "tests spirv_val", "tests text"];

/// Numbers of scripts that reach a fault and run first, without the validation layer; then all run,
/// with it.
const FIRST: [usize; 2] = [8, 100];

/// Time that tests with a fault may take beyond ten times their normal one.
const TEST_GRACE: Duration = Duration::from_secs(20);

/// Names of scripts or tests that a report shows.
const SHOWN: usize = 5;

/// Result for a fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// This script noticed it, in this way.
    Script(String, String),
    /// This program of tests noticed it, in this test.
    Test(String, String),
    /// No script or test detected the fault.
    Survived(Survivor),
}

/// Information about an undetected fault.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Survivor {
    /// Number of scripts that run the code, and the nearest of them.
    pub(crate) scripts: (usize, Vec<String>),
    /// Tests that run the code.
    pub(crate) tests: Vec<String>,
    /// Scripts or programs for which the compiler output differs with the fault.
    pub(crate) differing: Vec<String>,
    /// First line that differs.
    pub(crate) difference: Option<String>,
}

/// Measurements of a test without a fault.
struct Tested {
    program: TestProgram,
    name: String,
    reached: BTreeSet<usize>,
    time: Duration,
}

/// Judges faults.
pub(crate) struct Judge {
    copy: Copy,
    driver: Driver,
    /// Scripts on lavapipe.
    plain: Way,
    /// Scripts through a language that lacks features of lavapipe, and on another driver.
    others: Vec<Way>,
    /// Programs that only load.
    corpus: Option<Way>,
    tests: Vec<Tested>,
}

impl Judge {
    /// Runs all scripts without a fault.
    pub(crate) fn new(copy: Copy, jobs: usize) -> Result<Self> {
        let Some(driver) = vulkan::lavapipe() else {
            bail!("lavapipe is not installed (cargo xtask setup)");
        };
        let mut plain = Way::new("lavapipe", driver.clone(), None);
        plain.run_usual(&copy, &all_scripts(), jobs)?;
        plain.print_counts();
        Ok(Self {
            copy,
            driver,
            plain,
            others: Vec::new(),
            corpus: None,
            tests: Vec::new(),
        })
    }

    /// Runs all scripts in other ways without a fault.
    pub(crate) fn prepare_ways(&mut self, jobs: usize, corpus: Option<&Path>) -> Result<()> {
        let mut others = vec![Way::new("wgsl", self.driver.clone(), Some("wgsl"))];
        let other = vulkan::swiftshader();
        others.extend(other.map(|driver| Way::new("swiftshader", driver, None)));
        for way in &mut others {
            way.run_usual(&self.copy, &all_scripts(), jobs)?;
            way.print_counts();
        }
        self.others = others;
        if let Some(folder) = corpus {
            let mut way = Way::new("corpus", self.driver.clone(), None);
            way.run_usual(&self.copy, &crate::scripts::write_corpus(folder)?, jobs)?;
            way.print_counts();
            self.corpus = Some(way);
        }
        Ok(())
    }

    /// Runs the scripts that reach a fault until one notices it.
    pub(crate) fn by_scripts(&self, fault: usize) -> Result<Verdict> {
        let scripts = self.plain.reaching(fault);
        let mut survivor = Survivor {
            scripts: (scripts.len(), scripts.iter().take(SHOWN).cloned().collect()),
            ..Survivor::default()
        };
        for count in FIRST.into_iter().filter(|count| *count < scripts.len()) {
            let some = &scripts[..count];
            let noticed =
                self.noticed_by(&self.plain, fault, some, Purpose::Notice, &mut survivor)?;
            if let Some(verdict) = noticed {
                return Ok(verdict);
            }
        }
        let noticed =
            self.noticed_by(&self.plain, fault, &scripts, Purpose::Watch, &mut survivor)?;
        Ok(noticed.unwrap_or(Verdict::Survived(survivor)))
    }

    /// Runs scripts with a fault. If none detects it, records scripts with different compiler
    /// output.
    fn noticed_by(
        &self,
        way: &Way,
        fault: usize,
        scripts: &[String],
        purpose: Purpose,
        survivor: &mut Survivor,
    ) -> Result<Option<Verdict>> {
        if scripts.is_empty() {
            return Ok(None);
        }
        let run = Run {
            fault: Some(fault),
            scripts,
            name: &format!("fault-{fault}"),
            jobs: 1,
            purpose,
        };
        let ran = way.run(&self.copy, &run)?;
        if purpose != Purpose::Compare
            && let Some((script, how)) = way.noticed(&ran)
        {
            return Ok(Some(Verdict::Script(
                format!("{script} ({})", way.name),
                how,
            )));
        }
        if survivor.differing.is_empty() {
            survivor.differing = way.differing(&ran);
            if let Some(script) = survivor.differing.first() {
                survivor.difference = way.first_difference(&self.copy, fault, script)?;
            }
        }
        Ok(None)
    }

    /// Builds the tests and runs each of them without a fault.
    pub(crate) fn prepare_tests(&mut self, jobs: usize) -> Result<()> {
        let mut programs = self.copy.build_tests(&PACKAGES)?;
        programs.retain(|program| !LEFT_OUT.contains(&program.name.as_str()));
        let mut tests = Vec::new();
        for program in &programs {
            let names = self.names_of_tests(program)?;
            tests.extend(names.into_iter().map(|name| (program, name)));
        }
        let numbered: Vec<_> = tests.iter().enumerate().collect();
        let tested = shell::side_by_side(&numbered, jobs, |(number, (program, name))| {
            self.test(program, name, *number)
        })?;
        self.tests = tested.into_iter().flatten().collect();
        self.tests.sort_by_key(|tested| tested.time);
        let total: Duration = self.tests.iter().map(|tested| tested.time).sum();
        println!(
            "{} tests of {} programs take {:.0} s",
            self.tests.len(),
            programs.len(),
            total.as_secs_f64()
        );
        for tested in self.tests.iter().rev().take(SHOWN) {
            println!(
                "    {:.1} s {} {}",
                tested.time.as_secs_f64(),
                tested.program.name,
                tested.name
            );
        }
        Ok(())
    }

    /// Returns the names of the tests of a program.
    fn names_of_tests(&self, program: &TestProgram) -> Result<Vec<String>> {
        let mut command = self.test_command(program)?;
        let listed = shell::read_output(command.args(["--list", "--format", "terse"]))?;
        let names = listed
            .lines()
            .filter_map(|line| line.strip_suffix(": test"));
        Ok(names.map(str::to_owned).collect())
    }

    /// Returns the faults that a test reaches, unless it fails without a fault.
    fn test(&self, program: &TestProgram, name: &str, number: usize) -> Result<Option<Tested>> {
        let file = std::path::absolute(OUT.join(format!("runs/test-{number}")))?;
        let _ = std::fs::remove_file(&file);
        let mut command = self.test_command(program)?;
        command.args(["--exact", name]);
        command.env("GLASM_FAULT_REACHED", &file);
        let start = Instant::now();
        let end = process::run(command, &file.with_extension("log"), RUN_LIMIT)?;
        if end != End::Success {
            println!(
                "left out: the test `{name}` of `{}` fails without a fault",
                program.name
            );
            return Ok(None);
        }
        let reached = std::fs::read_to_string(&file).unwrap_or_default();
        Ok(Some(Tested {
            program: program.clone(),
            name: name.to_owned(),
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

    /// Runs the tests that reach a fault which scripts do not detect, those of the fastest program
    /// first.
    pub(crate) fn by_tests(&self, fault: usize, mut survivor: Survivor) -> Result<Verdict> {
        let mut programs: BTreeMap<&Path, Vec<&Tested>> = BTreeMap::new();
        for tested in self.tests.iter().filter(|it| it.reached.contains(&fault)) {
            programs
                .entry(&tested.program.path)
                .or_default()
                .push(tested);
        }
        let time = |tests: &Vec<&Tested>| tests.iter().map(|tested| tested.time).sum::<Duration>();
        let mut programs: Vec<_> = programs.into_values().collect();
        programs.sort_by_key(time);
        for tests in programs {
            let name = &tests[0].program.name;
            if let Some(how) = self.failed_test(&tests, time(&tests), fault)? {
                return Ok(Verdict::Test(name.clone(), how));
            }
            survivor.tests.push(format!("{name} ({})", tests[0].name));
        }
        Ok(Verdict::Survived(survivor))
    }

    /// Runs the scripts in other configurations. For other programs only the compiler output is
    /// compared.
    pub(crate) fn by_ways(&self, fault: usize, mut survivor: Survivor) -> Result<Verdict> {
        for way in &self.others {
            let scripts = way.reaching(fault);
            let noticed = self.noticed_by(way, fault, &scripts, Purpose::Follow, &mut survivor)?;
            if let Some(verdict) = noticed {
                return Ok(verdict);
            }
        }
        if let Some(way) = &self.corpus {
            let programs = way.reaching(fault);
            self.noticed_by(way, fault, &programs, Purpose::Compare, &mut survivor)?;
        }
        Ok(Verdict::Survived(survivor))
    }

    /// Returns the test of a program that fails with a fault; without it they take `time`.
    fn failed_test(
        &self,
        tests: &[&Tested],
        time: Duration,
        fault: usize,
    ) -> Result<Option<String>> {
        let log = OUT.join(format!("runs/tests-{fault}.log"));
        let mut command = self.test_command(&tests[0].program)?;
        command.arg("--exact");
        command.args(tests.iter().map(|tested| &tested.name));
        command.env("GLASM_FAULT", fault.to_string());
        let end = process::run(command, &log, time * 10 + TEST_GRACE)?;
        if end == End::Success {
            return Ok(None);
        }
        let text = std::fs::read(&log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let failed = text
            .lines()
            .find_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
        Ok(Some(
            failed.map_or_else(|| format!("{end:?}"), str::to_owned),
        ))
    }
}

fn all_scripts() -> Vec<String> {
    let folders = report::script_folders();
    folders.into_iter().map(str::to_owned).collect()
}
