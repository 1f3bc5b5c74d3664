//! Executions of scripts for tests.

use super::execution::Execution;
use crate::error::Problem;
use crate::gl::mock_nv_driver::{open_mock_nv, open_mock_register_languages};
use crate::gl::{Gl, tests::open};
use glasm_scripts::results::{OutputFiles, Results};
use glasm_scripts::runner::ScriptRun;
use glasm_scripts::script::{Script, ScriptStep};
use std::rc::Rc;

/// Runs `work` with an execution of the script before any command. Without a device it prints the
/// reason and does nothing.
pub(super) fn with_execution(text: &str, work: impl FnOnce(&Rc<Gl>, &mut Execution<'_>)) {
    if let Some(gl) = open() {
        with_execution_on(&gl, text, work);
    }
}

/// Runs `work` with an execution of the script on a driver that simulates extensions. Does nothing
/// without a device.
pub(super) fn with_mock_nv(text: &str, work: impl FnOnce(&Rc<Gl>, &mut Execution<'_>)) {
    if let Some(gl) = open_mock_nv() {
        with_execution_on(&gl, text, work);
    }
}

/// Runs `work` with an execution of the script on a driver that simulates the acceptance of
/// programs that name registers. Does nothing without a device.
pub(super) fn with_mock_registers(text: &str, work: impl FnOnce(&Rc<Gl>, &mut Execution<'_>)) {
    if let Some(gl) = open_mock_register_languages() {
        with_execution_on(&gl, text, work);
    }
}

/// Runs `work` with the initial state of a script on a device. Panics if the script has errors.
fn with_execution_on(gl: &Rc<Gl>, text: &str, work: impl FnOnce(&Rc<Gl>, &mut Execution<'_>)) {
    let script = Script::parse(text.as_bytes()).expect("the script is good");
    work(gl, &mut Execution::new(gl, &script));
}

impl<'a> Execution<'a> {
    /// Runs one command of the script, without output files.
    pub(super) fn run_step(&mut self, step: &ScriptStep) -> Result<(), Problem> {
        self.mock_run().run_step(self, step)
    }

    /// Returns a run of the script that writes no files and whose results start empty.
    fn mock_run(&self) -> ScriptRun<'a> {
        ScriptRun {
            script: self.script,
            files: OutputFiles {
                script: "test",
                save_images: None,
                failure_images: None,
            },
            results: Results::default(),
        }
    }
}

/// Runs the commands of a script in order and returns their output. Panics with the line of a
/// command that fails.
pub(super) fn run_steps(execution: &mut Execution<'_>) -> Vec<String> {
    let mut run = execution.mock_run();
    for step in &run.script.steps {
        if let Err(problem) = run.run_step(execution, step) {
            panic!("line {}: {problem:?}", step.line);
        }
    }
    run.results.printed
}

/// Returns the reason why a script is skipped; panics if it is not.
pub(super) fn expect_skip_reason(result: Result<(), Problem>) -> String {
    match result {
        Err(Problem::Unsupported(reason)) => reason,
        other => panic!("{other:?}"),
    }
}
