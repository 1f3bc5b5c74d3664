//! Executions of scripts for tests.

use super::{Execution, Problem};
use crate::gl::pretend::open_pretended;
use crate::gl::{Gl, tests::open};
use crate::options::Observe;
use glasm_scripts::results::Files;
use glasm_scripts::script::Script;
use std::rc::Rc;

/// Runs `work` with an execution of the script, of which nothing is done yet. Without a device it prints why and does nothing.
pub(super) fn with_execution(text: &str, work: impl FnOnce(&Rc<Gl>, &mut Execution<'_>)) {
    if let Some(gl) = open() {
        with_execution_on(&gl, text, work);
    }
}

/// Likewise with a driver that pretends to have extensions.
pub(super) fn with_pretended(text: &str, work: impl FnOnce(&Rc<Gl>, &mut Execution<'_>)) {
    if let Some(gl) = open_pretended() {
        with_execution_on(&gl, text, work);
    }
}

fn with_execution_on(gl: &Rc<Gl>, text: &str, work: impl FnOnce(&Rc<Gl>, &mut Execution<'_>)) {
    let script = Script::parse(text.as_bytes()).expect("the script is good");
    let files = Files {
        script: "test",
        save_images: None,
        failure_images: None,
    };
    let mut execution = Execution::new(gl, &script, &files, Observe::Off);
    work(gl, &mut execution);
}

/// Runs the commands of a script one after the other; they must succeed.
pub(super) fn run_steps(execution: &mut Execution<'_>) {
    let script = execution.script;
    for step in &script.steps {
        if let Err(problem) = execution.step(step) {
            panic!("line {}: {problem:?}", step.line);
        }
    }
}

/// Why a script is skipped; panics if it is not.
pub(super) fn reason(result: Result<(), Problem>) -> String {
    match result {
        Err(Problem::Lacking(reason)) => reason,
        other => panic!("{other:?}"),
    }
}
