//! Executions of scripts for tests.

use super::execution::Execution;
use crate::error::Problem;
use crate::gl::pretend::{open_for_registers, open_pretended};
use crate::gl::{Gl, tests::open};
use glasm_scripts::results::{Files, Results};
use glasm_scripts::runner::Run;
use glasm_scripts::script::{Script, Step};
use std::rc::Rc;

/// Runs `work` with an execution of the script before any command. Without a device it prints the
/// reason and does nothing.
pub(super) fn with_execution(text: &str, work: impl FnOnce(&Rc<Gl>, &mut Execution<'_>)) {
    if let Some(gl) = open() {
        with_execution_on(&gl, text, work);
    }
}

/// Runs `work` with a driver that simulates extensions.
pub(super) fn with_pretended(text: &str, work: impl FnOnce(&Rc<Gl>, &mut Execution<'_>)) {
    if let Some(gl) = open_pretended() {
        with_execution_on(&gl, text, work);
    }
}

/// Runs `work` with a driver that simulates the acceptance of programs that name registers.
pub(super) fn with_registers(text: &str, work: impl FnOnce(&Rc<Gl>, &mut Execution<'_>)) {
    if let Some(gl) = open_for_registers() {
        with_execution_on(&gl, text, work);
    }
}

fn with_execution_on(gl: &Rc<Gl>, text: &str, work: impl FnOnce(&Rc<Gl>, &mut Execution<'_>)) {
    let script = Script::parse(text.as_bytes()).expect("the script is good");
    work(gl, &mut Execution::new(gl, &script));
}

impl<'a> Execution<'a> {
    /// Runs a command.
    pub(super) fn step(&mut self, step: &Step) -> Result<(), Problem> {
        self.run().step(self, step)
    }

    fn run(&self) -> Run<'a> {
        Run {
            script: self.script,
            files: Files {
                script: "test",
                save_images: None,
                failure_images: None,
            },
            results: Results::default(),
        }
    }
}

/// Runs the commands of a script in order, which must succeed, and returns their output.
pub(super) fn run_steps(execution: &mut Execution<'_>) -> Vec<String> {
    let mut run = execution.run();
    for step in &run.script.steps {
        if let Err(problem) = run.step(execution, step) {
            panic!("line {}: {problem:?}", step.line);
        }
    }
    run.results.printed
}

/// Returns the reason why a script is skipped; panics if it is not.
pub(super) fn reason(result: Result<(), Problem>) -> String {
    match result {
        Err(Problem::Lacking(reason)) => reason,
        other => panic!("{other:?}"),
    }
}
