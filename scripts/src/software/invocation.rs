//! Invocations with everything that their program reads.

use super::environment::ProgramEnvironment;
use super::programs::StageProgram;
use glasm::ir::interp::{Interpreter, Observer, QuadFragment, RunResult, StepLimitExceeded};
use glasm::ir::{BaseType, Semantic};
use std::rc::Rc;

/// How a program runs.
#[derive(Clone, Debug)]
pub(super) enum RunKind {
    /// One invocation alone.
    Single,
    /// The fragments of a quad.
    Quad(Box<[QuadFragment; 4]>),
    /// The invocations of a geometry program for a primitive.
    Primitive,
    /// The invocations of a tessellation control program for a patch.
    Patch,
    /// A work group.
    Group([u32; 3]),
}

/// An invocation of a program, with the state that its program reads.
#[derive(Clone, Debug)]
pub struct TracedInvocation {
    /// The program.
    pub program: Rc<StageProgram>,
    /// Index of the invocation among those that run together, which an observer has to select.
    pub index: usize,
    pub(super) environment: ProgramEnvironment,
    pub(super) kind: RunKind,
}

/// Result of an invocation.
#[derive(Clone, PartialEq, Debug)]
pub struct InvocationResult {
    /// Results that the program writes, with their type and lanes.
    pub outputs: Vec<(Semantic, BaseType, [u64; 4])>,
    /// True if the fragment was discarded.
    pub is_discarded: bool,
    /// Number of steps; 0 for invocations without results.
    pub(super) steps: u64,
}

impl TracedInvocation {
    /// Runs the invocation, together with those that it communicates with, and reports the run to an
    /// observer. Every run starts in the same state.
    ///
    /// # Errors
    /// If an invocation exceeds the step limit.
    pub fn run<O: Observer>(
        &self,
        step_limit: u64,
        observer: &mut O,
    ) -> Result<InvocationResult, StepLimitExceeded> {
        let mut environment = self.environment.clone();
        let Ok(mut interpreter) = Interpreter::new(&self.program.ir) else {
            // Programs are verified when they are loaded.
            return Ok(InvocationResult::new(&self.program, None));
        };
        interpreter.step_limit = step_limit;
        let result = match &self.kind {
            RunKind::Single => Some(interpreter.run_main_observed(&mut environment, observer)?),
            RunKind::Quad(fragments) => {
                let results = interpreter.run_quad(&mut environment, fragments, observer)?;
                results.into_iter().nth(self.index)
            }
            RunKind::Primitive => {
                interpreter.run_primitive_observed(&mut environment, observer)?;
                None
            }
            RunKind::Patch => {
                let mut in_turn = |_| 0;
                interpreter.run_patch_observed(&mut environment, &mut in_turn, observer)?;
                None
            }
            RunKind::Group(group) => {
                let mut in_turn = |_| 0;
                interpreter.run_work_group_observed(
                    &mut environment,
                    *group,
                    &mut in_turn,
                    observer,
                )?;
                None
            }
        };
        Ok(InvocationResult::new(&self.program, result))
    }
}

impl InvocationResult {
    /// Returns the result of a run, with the outputs that the program writes.
    pub(super) fn new(program: &StageProgram, result: Option<RunResult>) -> Self {
        let is_discarded = result.as_ref().is_some_and(|result| result.demoted);
        let steps = result.as_ref().map_or(0, |result| result.steps);
        let lanes = result.map(|result| result.outputs).unwrap_or_default();
        let outputs = program.ir.outputs.iter().zip(lanes);
        let written = outputs.filter(|(output, _)| program.writes(output.semantic));
        let written = written.map(|(output, lanes)| (output.semantic, output.base, lanes));
        Self {
            outputs: written.collect(),
            is_discarded,
            steps,
        }
    }
}
