//! Evaluation of a mutant: first by the scripts that reach it, then by the tests, then by the
//! scripts in other configurations.

use crate::build::{OUT, TestStage, WorkspaceCopy};
use crate::process::{self, ProcessExit};
use crate::scripts::{Purpose, RUN_LIMIT, RunConfig, ScriptRun};
use anyhow::{Result, bail};
use glasm_ci_support::test_programs::TestProgram;
use glasm_ci_support::vulkan::{self, Driver, Layer};
use glasm_ci_support::{report, shell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Test programs that take long and kill few additional mutants: one measures memory, the others
/// check the modules and translations of all scripts, which run with the validation layer and
/// through WGSL anyway.
const EXCLUDED_TESTS: [&str; 3] = ["tests memory", "tests spirv_val", "tests text"];

/// Numbers of scripts that reach a mutant and run first, without the validation layer; then all
/// run, with it.
const FIRST_BATCHES: [usize; 2] = [8, 100];

/// Time that tests with a mutant may take beyond ten times their normal one.
const TEST_GRACE: Duration = Duration::from_secs(20);

/// Names of scripts or tests that a report shows.
const SHOWN: usize = 5;

/// Result for a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// This script killed it, in this way.
    KilledByScript(String, String),
    /// This program of tests killed it, in this test.
    KilledByTest(String, String),
    /// No script or test killed the mutant.
    Survived(Survivor),
}

/// Information about a surviving mutant.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Survivor {
    /// Number of scripts that run the code, and the nearest of them.
    pub(crate) scripts: (usize, Vec<String>),
    /// Tests that run the code.
    pub(crate) tests: Vec<String>,
    /// Scripts or programs for which the compiler output differs with the mutant.
    pub(crate) differing: Vec<String>,
    /// First line that differs.
    pub(crate) difference: Option<String>,
}

/// Measurements of a test without a mutation.
struct MeasuredTest {
    program: TestProgram,
    name: String,
    reached: BTreeSet<usize>,
    time: Duration,
}

/// Evaluates mutants.
pub(crate) struct Evaluator {
    copy: WorkspaceCopy,
    driver: Driver,
    /// Scripts on lavapipe.
    default_config: RunConfig,
    /// Scripts through a language that lacks features of lavapipe, and on another driver.
    alternate_configs: Vec<RunConfig>,
    /// Programs that only load.
    corpus: Option<RunConfig>,
    tests: Vec<MeasuredTest>,
}

impl Evaluator {
    /// Runs all scripts on lavapipe without a mutation, for the expected outcomes. Fails if
    /// lavapipe is not installed.
    pub(crate) fn new(copy: WorkspaceCopy, jobs: usize) -> Result<Self> {
        let Some(driver) = vulkan::find_lavapipe() else {
            bail!("lavapipe is not installed (cargo xtask setup)");
        };
        let mut plain = RunConfig::new("lavapipe", driver.clone(), None);
        plain.run_unmutated(&copy, &list_script_dirs(), jobs)?;
        plain.print_counts();
        Ok(Self {
            copy,
            driver,
            default_config: plain,
            alternate_configs: Vec::new(),
            corpus: None,
            tests: Vec::new(),
        })
    }

    /// Runs all scripts without a mutation in the alternate configurations (as WGSL, on
    /// SwiftShader), and those of the corpus if there is one.
    pub(crate) fn run_alternates_unmutated(
        &mut self,
        jobs: usize,
        corpus: Option<&Path>,
    ) -> Result<()> {
        let mut others = vec![RunConfig::new("wgsl", self.driver.clone(), Some("wgsl"))];
        let other = vulkan::find_swiftshader();
        others.extend(other.map(|driver| RunConfig::new("swiftshader", driver, None)));
        for way in &mut others {
            way.run_unmutated(&self.copy, &list_script_dirs(), jobs)?;
            way.print_counts();
        }
        self.alternate_configs = others;
        if let Some(folder) = corpus {
            let mut way = RunConfig::new("corpus", self.driver.clone(), None);
            way.run_unmutated(&self.copy, &crate::scripts::write_corpus(folder)?, jobs)?;
            way.print_counts();
            self.corpus = Some(way);
        }
        Ok(())
    }

    /// Runs the scripts that reach a mutant until one kills it.
    pub(crate) fn evaluate_by_scripts(&self, mutant: usize) -> Result<Verdict> {
        let scripts = self.default_config.find_scripts_reaching(mutant);
        let mut survivor = Survivor {
            scripts: (scripts.len(), scripts.iter().take(SHOWN).cloned().collect()),
            ..Survivor::default()
        };
        for count in FIRST_BATCHES
            .into_iter()
            .filter(|count| *count < scripts.len())
        {
            let some = &scripts[..count];
            let killed = self.run_until_killed(
                &self.default_config,
                mutant,
                some,
                Purpose::Kill,
                &mut survivor,
            )?;
            if let Some(verdict) = killed {
                return Ok(verdict);
            }
        }
        let killed = self.run_until_killed(
            &self.default_config,
            mutant,
            &scripts,
            Purpose::KillWithValidation,
            &mut survivor,
        )?;
        Ok(killed.unwrap_or(Verdict::Survived(survivor)))
    }

    /// Runs scripts with a mutant. If none kills it, records scripts with different compiler
    /// output.
    fn run_until_killed(
        &self,
        way: &RunConfig,
        mutant: usize,
        scripts: &[String],
        purpose: Purpose,
        survivor: &mut Survivor,
    ) -> Result<Option<Verdict>> {
        if scripts.is_empty() {
            return Ok(None);
        }
        let run = ScriptRun {
            mutant: Some(mutant),
            scripts,
            name: &format!("mutant-{mutant}"),
            jobs: 1,
            purpose,
        };
        let ran = way.run_scripts(&self.copy, &run)?;
        if purpose != Purpose::CompareOutput
            && let Some((script, how)) = way.find_changed_outcome(&ran)
        {
            return Ok(Some(Verdict::KilledByScript(
                format!("{script} ({})", way.name),
                how,
            )));
        }
        if survivor.differing.is_empty() {
            survivor.differing = way.find_scripts_with_other_output(&ran);
            if let Some(script) = survivor.differing.first() {
                survivor.difference = way.find_output_difference(&self.copy, mutant, script)?;
            }
        }
        Ok(None)
    }

    /// Builds the tests of a stage and runs each of them without a mutation. They replace those of a
    /// previous call.
    pub(crate) fn prepare_tests(&mut self, stage: &TestStage, jobs: usize) -> Result<()> {
        let mut programs = self.copy.build_tests(stage)?;
        programs.retain(|program| !EXCLUDED_TESTS.contains(&program.name().as_str()));
        let mut tests = Vec::new();
        for program in &programs {
            let names = self.list_tests(program)?;
            tests.extend(names.into_iter().map(|name| (program, name)));
        }
        let numbered: Vec<_> = tests.iter().enumerate().collect();
        let tested = shell::run_in_parallel(&numbered, jobs, |(number, (program, name))| {
            self.measure_test(program, name, *number)
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
                tested.program.name(),
                tested.name
            );
        }
        Ok(())
    }

    /// Returns the names of all tests of a test program.
    fn list_tests(&self, program: &TestProgram) -> Result<Vec<String>> {
        let mut command = self.test_command(program)?;
        let listed = shell::read_output(command.args(["--list", "--format", "terse"]))?;
        let names = listed
            .lines()
            .filter_map(|line| line.strip_suffix(": test"));
        Ok(names.map(str::to_owned).collect())
    }

    /// Returns the mutants that a test reaches, unless it fails without a mutation.
    fn measure_test(
        &self,
        program: &TestProgram,
        name: &str,
        number: usize,
    ) -> Result<Option<MeasuredTest>> {
        let file = std::path::absolute(OUT.join(format!("runs/test-{number}")))?;
        let _ = std::fs::remove_file(&file);
        let mut command = self.test_command(program)?;
        command.args(["--exact", name]);
        command.env("GLASM_MUTANT_COVERAGE", &file);
        let start = Instant::now();
        let end = process::run_with_limit(command, &file.with_extension("log"), RUN_LIMIT)?;
        if end != ProcessExit::Success {
            println!(
                "left out: the test `{name}` of `{}` fails without a mutation",
                program.name()
            );
            return Ok(None);
        }
        let reached = std::fs::read_to_string(&file).unwrap_or_default();
        Ok(Some(MeasuredTest {
            program: program.clone(),
            name: name.to_owned(),
            reached: reached
                .lines()
                .filter_map(|line| line.parse().ok())
                .collect(),
            time: start.elapsed(),
        }))
    }

    /// Returns the command that runs a test program in its directory, with limits, the driver and
    /// the validation layer.
    fn test_command(&self, program: &TestProgram) -> Result<Command> {
        let mut command = process::build_limited_command(&program.path);
        vulkan::use_driver(&mut command, &self.driver);
        vulkan::use_validation_layer(&mut command, Layer::Newest)?;
        command
            .current_dir(&program.package_dir)
            .env("CARGO_MANIFEST_DIR", &program.package_dir)
            .env("GLASM_TEST_SCRIPTS", "off");
        Ok(command)
    }

    /// Runs the tests that reach a mutant which scripts do not kill, those of the fastest program
    /// first.
    pub(crate) fn evaluate_by_tests(
        &self,
        mutant: usize,
        mut survivor: Survivor,
    ) -> Result<Verdict> {
        let mut programs: BTreeMap<&Path, Vec<&MeasuredTest>> = BTreeMap::new();
        for tested in self.tests.iter().filter(|it| it.reached.contains(&mutant)) {
            programs
                .entry(&tested.program.path)
                .or_default()
                .push(tested);
        }
        let time =
            |tests: &Vec<&MeasuredTest>| tests.iter().map(|tested| tested.time).sum::<Duration>();
        let mut programs: Vec<_> = programs.into_values().collect();
        programs.sort_by_key(time);
        for tests in programs {
            let name = tests[0].program.name();
            if let Some(how) = self.find_failing_test(&tests, time(&tests), mutant)? {
                return Ok(Verdict::KilledByTest(name.clone(), how));
            }
            survivor.tests.push(format!("{name} ({})", tests[0].name));
        }
        Ok(Verdict::Survived(survivor))
    }

    /// Runs the scripts in other configurations. For other programs only the compiler output is
    /// compared.
    pub(crate) fn run_alternate_configs(
        &self,
        mutant: usize,
        mut survivor: Survivor,
    ) -> Result<Verdict> {
        for way in &self.alternate_configs {
            let scripts = way.find_scripts_reaching(mutant);
            let killed = self.run_until_killed(
                way,
                mutant,
                &scripts,
                Purpose::KillOrCompare,
                &mut survivor,
            )?;
            if let Some(verdict) = killed {
                return Ok(verdict);
            }
        }
        if let Some(way) = &self.corpus {
            let programs = way.find_scripts_reaching(mutant);
            self.run_until_killed(
                way,
                mutant,
                &programs,
                Purpose::CompareOutput,
                &mut survivor,
            )?;
        }
        Ok(Verdict::Survived(survivor))
    }

    /// Returns the test of a program that fails with a mutant; without it they take `time`.
    fn find_failing_test(
        &self,
        tests: &[&MeasuredTest],
        time: Duration,
        mutant: usize,
    ) -> Result<Option<String>> {
        let log = OUT.join(format!("runs/tests-{mutant}.log"));
        let mut command = self.test_command(&tests[0].program)?;
        command.arg("--exact");
        command.args(tests.iter().map(|tested| &tested.name));
        command.env("GLASM_MUTANT", mutant.to_string());
        let end = process::run_with_limit(command, &log, time * 10 + TEST_GRACE)?;
        if end == ProcessExit::Success {
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

/// Returns the existing directories of scripts.
fn list_script_dirs() -> Vec<String> {
    let folders = report::find_script_dirs();
    folders.into_iter().map(str::to_owned).collect()
}
