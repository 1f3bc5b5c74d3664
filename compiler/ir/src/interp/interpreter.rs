//! Runs of programs: of one invocation, and of the invocations for a primitive, a patch or a work
//! group, which wait for each other at barriers.

use super::environment::{Environment, TextureSource};
use super::flow::StepResult;
use super::machine::{
    EmittedVertices, InvocationState, Machine, PatchOutputs, RunResult, StepLimitExceeded,
};
use super::observer::{NoObserver, Observer};
use crate::program::Program;
use crate::semantic::Semantic;
use crate::verify::{VerifyError, verify};

/// Interpreter of a verified program.
#[derive(Clone, Debug)]
pub struct Interpreter<'p> {
    program: &'p Program,
    /// Maximum number of steps of a run; a million by default.
    pub step_limit: u64,
}

impl<'p> Interpreter<'p> {
    /// Returns an interpreter of `program` with a limit of a million steps per invocation. Returns
    /// the errors of the verifier if the program is not valid.
    pub fn new(program: &'p Program) -> Result<Self, Vec<VerifyError>> {
        verify(program)?;
        Ok(Self {
            program,
            step_limit: 1_000_000,
        })
    }

    /// Returns the program.
    pub(super) fn program(&self) -> &'p Program {
        self.program
    }

    /// Runs the main routine in one invocation with the number 0, and returns its result. Writes
    /// the memory of the environment. Returns an error if the invocation exceeds the step limit.
    pub fn run_main<T: TextureSource>(
        &self,
        environment: &mut Environment<T>,
    ) -> Result<RunResult, StepLimitExceeded> {
        self.run_main_observed(environment, &mut NoObserver)
    }

    /// Does what [`Self::run_main`] does, and reports the run to an observer.
    pub fn run_main_observed<T: TextureSource, O: Observer>(
        &self,
        environment: &mut Environment<T>,
        observer: &mut O,
    ) -> Result<RunResult, StepLimitExceeded> {
        let mut machine = Machine::new(self.program, environment, self.step_limit, observer);
        machine.begin_invocation(0, &[]);
        machine.run_to_end()?;
        Ok(machine.build_result())
    }

    /// Runs a geometry program for a primitive, whose vertices are [`Environment::vertices`]: its
    /// invocations run consecutively. Returns the vertices that all of them emit, and an error if
    /// one exceeds the step limit.
    pub fn run_primitive<T: TextureSource>(
        &self,
        environment: &mut Environment<T>,
    ) -> Result<EmittedVertices, StepLimitExceeded> {
        self.run_primitive_observed(environment, &mut NoObserver)
    }

    /// Does what [`Self::run_primitive`] does, and reports the run to an observer.
    pub fn run_primitive_observed<T: TextureSource, O: Observer>(
        &self,
        environment: &mut Environment<T>,
        observer: &mut O,
    ) -> Result<EmittedVertices, StepLimitExceeded> {
        let modes = self.program.modes;
        let count = environment.vertices.len() as u32;
        let mut machine = Machine::new(self.program, environment, self.step_limit, observer);
        for number in 0..modes.invocations.max(1) {
            let inputs = [
                (Semantic::InvocationId, [number, 0, 0, 0]),
                (Semantic::InputVertexCount, [count, 0, 0, 0]),
            ];
            machine.begin_invocation(number as usize, &inputs);
            machine.run_to_end()?;
            if modes.passthrough {
                machine.emit_passthrough();
            }
            // The strips of different invocations are not connected.
            machine.emitted_vertices.end_strip();
        }
        Ok(machine.emitted_vertices)
    }

    /// Runs a tessellation control program for a patch, whose vertices are
    /// [`Environment::vertices`]: in lock step if the program requires it, otherwise in the order
    /// of `schedule`. In lock step a branch runs the invocations of its first block first. Returns
    /// the outputs of the patch, and an error if an invocation exceeds the step limit.
    pub fn run_patch<T: TextureSource>(
        &self,
        environment: &mut Environment<T>,
        schedule: &mut Schedule<'_>,
    ) -> Result<PatchOutputs, StepLimitExceeded> {
        self.run_patch_observed(environment, schedule, &mut NoObserver)
    }

    /// Does what [`Self::run_patch`] does, and reports the run to an observer.
    pub fn run_patch_observed<T: TextureSource, O: Observer>(
        &self,
        environment: &mut Environment<T>,
        schedule: &mut Schedule<'_>,
        observer: &mut O,
    ) -> Result<PatchOutputs, StepLimitExceeded> {
        let modes = self.program.modes;
        let count = environment.vertices.len() as u32;
        let mut machine = Machine::new(self.program, environment, self.step_limit, observer);
        let invocations = (0..modes.vertices_out).map(|number| {
            let inputs = [
                (Semantic::InvocationId, [number, 0, 0, 0]),
                (Semantic::InputVertexCount, [count, 0, 0, 0]),
            ];
            machine.begin_invocation(number as usize, &inputs);
            machine.current.clone()
        });
        let invocations = invocations.collect();
        if modes.lockstep {
            machine.run_in_lockstep(invocations)?;
        } else {
            let all_same = machine.run_with_barriers(invocations, schedule)?;
            machine.patch.has_divergent_barrier = !all_same;
        }
        Ok(machine.patch)
    }

    /// Runs a work group of a compute program in the order of `schedule`. `group` is its index. The
    /// results are in the memory of the environment. Returns an error if an invocation exceeds the
    /// step limit.
    pub fn run_work_group<T: TextureSource>(
        &self,
        environment: &mut Environment<T>,
        group: [u32; 3],
        schedule: &mut Schedule<'_>,
    ) -> Result<(), StepLimitExceeded> {
        self.run_work_group_observed(environment, group, schedule, &mut NoObserver)
    }

    /// Does what [`Self::run_work_group`] does, and reports the run to an observer.
    pub fn run_work_group_observed<T: TextureSource, O: Observer>(
        &self,
        environment: &mut Environment<T>,
        group: [u32; 3],
        schedule: &mut Schedule<'_>,
        observer: &mut O,
    ) -> Result<(), StepLimitExceeded> {
        let [width, height, depth] = self.program.modes.workgroup_size;
        let mut machine = Machine::new(self.program, environment, self.step_limit, observer);
        let mut invocations = Vec::new();
        for index in 0..width * height * depth {
            let local = [
                index % width,
                index / width % height,
                index / width / height,
            ];
            let size = [width, height, depth];
            let global = std::array::from_fn(|axis| {
                group[axis]
                    .wrapping_mul(size[axis])
                    .wrapping_add(local[axis])
            });
            let vector = |[x, y, z]: [u32; 3]| [x, y, z, 0];
            let inputs = [
                (Semantic::WorkgroupId, vector(group)),
                (Semantic::LocalInvocationId, vector(local)),
                (Semantic::GlobalInvocationId, vector(global)),
                (Semantic::LocalInvocationIndex, [index, 0, 0, 0]),
            ];
            machine.begin_invocation(index as usize, &inputs);
            invocations.push(machine.current.clone());
        }
        machine.run_with_barriers(invocations, schedule).map(drop)
    }
}

/// Selects the invocation that runs next: an index below the given number of candidates.
pub type Schedule<'s> = dyn FnMut(usize) -> usize + 's;

impl<T: TextureSource, O: Observer> Machine<'_, '_, T, O> {
    /// Runs the invocation to its end.
    pub(super) fn run_to_end(&mut self) -> Result<(), StepLimitExceeded> {
        while self.execute_step()? != StepResult::Ended {}
        Ok(())
    }

    /// Executes a step of an invocation, which becomes the current one for that time.
    pub(super) fn execute_step_of(
        &mut self,
        invocation: &mut InvocationState,
    ) -> Result<StepResult, StepLimitExceeded> {
        std::mem::swap(&mut self.current, invocation);
        let step = self.execute_step();
        std::mem::swap(&mut self.current, invocation);
        step
    }

    /// Runs invocations that wait for each other at barriers, each step by the invocation that
    /// `schedule` selects from the number of running ones. Invocations that have ended are not
    /// waited for. Returns true if all invocations reached the same barriers.
    pub(super) fn run_with_barriers(
        &mut self,
        mut invocations: Vec<InvocationState>,
        schedule: &mut Schedule<'_>,
    ) -> Result<bool, StepLimitExceeded> {
        let mut all_same = true;
        let mut running: Vec<usize> = (0..invocations.len()).collect();
        let mut waiting = Vec::new();
        while !running.is_empty() {
            let next = schedule(running.len()).min(running.len() - 1);
            match self.execute_step_of(&mut invocations[running[next]])? {
                StepResult::Continued => {}
                StepResult::Barrier => waiting.push(running.swap_remove(next)),
                StepResult::Ended => {
                    running.swap_remove(next);
                }
            }
            if let (true, Some(&first)) = (running.is_empty(), waiting.first()) {
                let first_stack = &invocations[first].block_stack;
                all_same &= invocations
                    .iter()
                    .all(|own| own.block_stack == *first_stack);
                running.append(&mut waiting);
            }
        }
        Ok(all_same)
    }

    /// Runs invocations in lock step until all have ended: each completes an instruction before any
    /// begins the next one, so the least stack runs next. Returns an error if one exceeds the step
    /// limit.
    pub(super) fn run_in_lockstep(
        &mut self,
        mut invocations: Vec<InvocationState>,
    ) -> Result<(), StepLimitExceeded> {
        loop {
            let running = invocations.iter().filter(|own| !own.block_stack.is_empty());
            let running = running.map(|own| &own.block_stack);
            let Some(least) = running.min_by(|a, b| a.compare_order(b)).cloned() else {
                return Ok(());
            };
            for invocation in &mut invocations {
                if invocation.block_stack == least {
                    self.execute_step_of(invocation)?;
                }
            }
        }
    }
}
