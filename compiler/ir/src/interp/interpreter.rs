//! Runs of programs: of one invocation, and of the invocations for a primitive, a patch or a work
//! group.

use super::environment::{Environment, Textures};
use super::group_outputs::{Emitted, Patch};
use super::machine::{Machine, Outcome, StepLimit};
use super::scheduler::Schedule;
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
    /// Returns an interpreter of `program`, which must pass the verifier.
    pub fn new(program: &'p Program) -> Result<Self, Vec<VerifyError>> {
        verify(program)?;
        Ok(Self {
            program,
            step_limit: 1_000_000,
        })
    }

    /// Runs the main routine once.
    pub fn run<T: Textures>(&self, environment: &mut Environment<T>) -> Result<Outcome, StepLimit> {
        let mut machine = Machine::new(self.program, environment, self.step_limit);
        machine.begin(0, &[]);
        machine.finish()?;
        Ok(machine.get_outcome())
    }

    /// Runs a geometry program for a primitive, whose vertices are [`Environment::vertices`]: its
    /// invocations run consecutively.
    pub fn run_primitive<T: Textures>(
        &self,
        environment: &mut Environment<T>,
    ) -> Result<Emitted, StepLimit> {
        let modes = self.program.modes;
        let count = environment.vertices.len() as u32;
        let mut machine = Machine::new(self.program, environment, self.step_limit);
        for number in 0..modes.invocations.max(1) {
            let inputs = [
                (Semantic::InvocationId, [number, 0, 0, 0]),
                (Semantic::VertexCount, [count, 0, 0, 0]),
            ];
            machine.begin(number as usize, &inputs);
            machine.finish()?;
            if modes.passthrough {
                machine.emit_passthrough();
            }
            // The strips of different invocations are not connected.
            machine.emitted.end_strip();
        }
        Ok(machine.emitted)
    }

    /// Runs a tessellation control program for a patch, whose vertices are
    /// [`Environment::vertices`]: in lock step if the program requires it, otherwise in the order
    /// of `schedule`. In lock step a branch runs the invocations of its first block first.
    pub fn run_patch<T: Textures>(
        &self,
        environment: &mut Environment<T>,
        schedule: &mut Schedule<'_>,
    ) -> Result<Patch, StepLimit> {
        let modes = self.program.modes;
        let count = environment.vertices.len() as u32;
        let mut machine = Machine::new(self.program, environment, self.step_limit);
        let invocations = (0..modes.vertices_out).map(|number| {
            let inputs = [
                (Semantic::InvocationId, [number, 0, 0, 0]),
                (Semantic::VertexCount, [count, 0, 0, 0]),
            ];
            machine.begin(number as usize, &inputs);
            machine.own.clone()
        });
        let invocations = invocations.collect();
        if modes.lock_step {
            machine.run_in_lock_step(invocations)?;
        } else {
            let all_same = machine.run_together(invocations, schedule)?;
            machine.patch.parted_at_barrier = !all_same;
        }
        Ok(machine.patch)
    }

    /// Runs a work group of a compute program in the order of `schedule`. `group` is its index.
    pub fn run_work_group<T: Textures>(
        &self,
        environment: &mut Environment<T>,
        group: [u32; 3],
        schedule: &mut Schedule<'_>,
    ) -> Result<(), StepLimit> {
        let [width, height, depth] = self.program.modes.workgroup_size;
        let mut machine = Machine::new(self.program, environment, self.step_limit);
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
            machine.begin(index as usize, &inputs);
            invocations.push(machine.own.clone());
        }
        machine.run_together(invocations, schedule).map(drop)
    }
}
