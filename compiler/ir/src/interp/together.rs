//! Invocations that wait for each other: those of a patch and of a work group.

use super::flow::Step;
use super::texture::Textures;
use super::{Environment, Interpreter, Invocation, Machine, StepLimit};
use crate::program::{Program, Stage};
use crate::semantic::Semantic;

/// Outputs that the invocations of a tessellation control program share. What nobody has written is 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Patch {
    /// Lanes of the outputs of each vertex, by [`OutputId`](crate::OutputId).
    pub vertices: Vec<Vec<[u64; 4]>>,
    /// Lanes of the outputs of the patch, by [`OutputId`](crate::OutputId).
    pub outputs: Vec<[u64; 4]>,
    /// Whether invocations waited for each other at different barriers or in different rounds of a loop, or for one that had ended, which
    /// no device allows.
    pub parted_at_barrier: bool,
    /// Which outputs are those of the patch.
    shared: Vec<bool>,
}

impl Patch {
    pub(super) fn new(program: &Program) -> Self {
        if program.stage != Stage::TessControl {
            return Self::default();
        }
        let outputs = vec![[0; 4]; program.outputs.len()];
        let shared = program.outputs.iter();
        Self {
            vertices: vec![outputs.clone(); program.modes.vertices_out as usize],
            outputs,
            parted_at_barrier: false,
            shared: shared
                .map(|output| output.semantic.is_per_patch())
                .collect(),
        }
    }

    pub(super) fn read(&self, output: usize, vertex: Option<i64>) -> [u64; 4] {
        let outputs = match vertex {
            None => Some(&self.outputs),
            Some(vertex) => {
                let last = self.vertices.len().max(1) - 1;
                self.vertices.get(vertex.clamp(0, last as i64) as usize)
            }
        };
        let lanes = outputs.and_then(|outputs| outputs.get(output));
        lanes.copied().unwrap_or_default()
    }

    pub(super) fn write(&mut self, output: usize, vertex: usize, lane: usize, bits: u64) {
        let outputs = match self.shared.get(output) {
            Some(true) => Some(&mut self.outputs),
            Some(false) => self.vertices.get_mut(vertex),
            None => None,
        };
        if let Some(lanes) = outputs.and_then(|outputs| outputs.get_mut(output)) {
            lanes[lane] = bits;
        }
    }
}

/// Picks who runs next among a number of invocations that may: a number below it.
pub type Schedule<'s> = dyn FnMut(usize) -> usize + 's;

impl<T: Textures> Machine<'_, '_, T> {
    /// Runs the invocation to its end.
    pub(super) fn finish(&mut self) -> Result<(), StepLimit> {
        while self.advance()? != Step::Ended {}
        Ok(())
    }

    /// Lets an invocation make a step.
    fn advance_one(&mut self, invocation: &mut Invocation) -> Result<Step, StepLimit> {
        std::mem::swap(&mut self.own, invocation);
        let step = self.advance();
        std::mem::swap(&mut self.own, invocation);
        step
    }

    /// Invocations that wait for each other at barriers. One that has ended is waited for no more. Tells whether all came to the same barriers.
    fn run_together(
        &mut self,
        mut invocations: Vec<Invocation>,
        schedule: &mut Schedule<'_>,
    ) -> Result<bool, StepLimit> {
        let mut all_same = true;
        let mut running: Vec<usize> = (0..invocations.len()).collect();
        let mut waiting = Vec::new();
        while !running.is_empty() {
            let place = schedule(running.len()).min(running.len() - 1);
            match self.advance_one(&mut invocations[running[place]])? {
                Step::Ran => {}
                Step::Barrier => waiting.push(running.swap_remove(place)),
                Step::Ended => {
                    running.swap_remove(place);
                }
            }
            if let (true, Some(&first)) = (running.is_empty(), waiting.first()) {
                let place = &invocations[first].stack;
                all_same &= invocations.iter().all(|own| own.stack == *place);
                running.append(&mut waiting);
            }
        }
        Ok(all_same)
    }

    /// Invocations that end each instruction before any begins the next: whoever is behind goes on.
    fn run_in_lock_step(&mut self, mut invocations: Vec<Invocation>) -> Result<(), StepLimit> {
        loop {
            let running = invocations.iter().filter(|own| !own.stack.is_empty());
            let Some(behind) = running.map(|own| &own.stack).min().cloned() else {
                return Ok(());
            };
            for invocation in &mut invocations {
                if invocation.stack == behind {
                    self.advance_one(invocation)?;
                }
            }
        }
    }
}

impl Interpreter<'_> {
    /// Runs a tessellation control program for a patch, whose vertices are [`Environment::vertices`]: in lock step if the program asks for
    /// it, else as `schedule` has it. In lock step a branch runs the invocations of its first block first.
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

    /// Runs a work group of a compute program as `schedule` has it. `group` is its number.
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
