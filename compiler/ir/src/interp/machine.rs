//! The state of a run: registers, condition codes, open blocks and memory of its invocations.

use super::environment::{Environment, ProgramMemory, Textures};
use super::flags::Flags;
use super::group_outputs::{Emitted, Patch};
use super::stack::Stack;
use crate::arena::Id;
use crate::program::{Program, Storage};
use crate::semantic::Semantic;

/// Result of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Lanes of the outputs, by [`OutputId`](crate::OutputId); 0 for lanes that were not written.
    pub outputs: Vec<[u64; 4]>,
    /// True if the fragment became a helper invocation, so that the outputs are discarded.
    pub demoted: bool,
    /// Number of steps: instructions, other nodes, iterations of loops.
    pub steps: u64,
}

/// Error: a run exceeded the step limit, which it contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepLimit(pub u64);

impl std::fmt::Display for StepLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the program did not end within {} steps", self.0)
    }
}

impl std::error::Error for StepLimit {}

/// Interpreter state: invocations of a program, one of which runs at a time.
pub(super) struct Machine<'p, 'e, T> {
    pub(super) program: &'p Program,
    pub(super) environment: &'e mut Environment<T>,
    /// Start of the elements of each register in [`Invocation::lanes`].
    pub(super) starts: Vec<usize>,
    /// Position of the register of each output in [`Invocation::lanes`].
    pub(super) slots: Vec<Option<usize>>,
    pub(super) step_limit: u64,
    /// The running invocation.
    pub(super) own: Invocation,
    /// Outputs that invocations can read of each other.
    pub(super) patch: Patch,
    /// Vertices that the invocations of a geometry program have emitted.
    pub(super) emitted: Emitted,
}

/// The state of an invocation.
#[derive(Clone, Default)]
pub(super) struct Invocation {
    /// Its index among the invocations that run together.
    pub(super) number: usize,
    /// Lanes of the inputs that are not per vertex.
    pub(super) inputs: Vec<[u64; 4]>,
    /// Lanes of all elements of all registers.
    pub(super) lanes: Vec<[u64; 4]>,
    /// Condition codes of each register.
    pub(super) codes: Vec<[Flags; 4]>,
    /// Open blocks.
    pub(super) stack: Stack,
    pub(super) demoted: bool,
    /// Private buffers; the other buffers are empty.
    pub(super) private: ProgramMemory,
    /// Number of vertices that it may still emit.
    pub(super) vertices_left: u32,
    pub(super) steps: u64,
}

impl<'p, 'e, T: Textures> Machine<'p, 'e, T> {
    pub(super) fn new(
        program: &'p Program,
        environment: &'e mut Environment<T>,
        step_limit: u64,
    ) -> Self {
        let mut starts = Vec::new();
        let mut slots = vec![None; program.outputs.len()];
        let mut len = 0;
        for register in &program.registers {
            starts.push(len);
            let count = register.array.unwrap_or(1) as usize;
            if let Storage::Output(first) = register.storage {
                (0..count).for_each(|element| slots[first.index() + element] = Some(len + element));
            }
            len += count;
        }
        let own = Invocation {
            lanes: vec![[0; 4]; len],
            ..Invocation::default()
        };
        Self {
            patch: Patch::new(program),
            emitted: Emitted::default(),
            program,
            environment,
            starts,
            slots,
            step_limit,
            own,
        }
    }

    /// Replaces the running invocation by a new one. `inputs` are the inputs that differ between
    /// invocations.
    pub(super) fn begin(&mut self, number: usize, inputs: &[(Semantic, [u32; 4])]) {
        let program = self.program;
        let mut own = Invocation {
            number,
            inputs: self.environment.inputs.clone(),
            lanes: vec![[0; 4]; self.own.lanes.len()],
            codes: vec![[Flags::default(); 4]; program.registers.len()],
            stack: Stack::new(program.routines[program.main].body),
            demoted: false,
            private: ProgramMemory::new_private(program),
            vertices_left: program.modes.vertices_out,
            steps: 0,
        };
        for (id, input) in program.inputs.iter_enumerated() {
            let known = inputs
                .iter()
                .find(|(semantic, _)| *semantic == input.semantic);
            if let Some((_, lanes)) = known {
                let len = own.inputs.len().max(id.index() + 1);
                own.inputs.resize(len, [0; 4]);
                own.inputs[id.index()] = lanes.map(u64::from);
            }
        }
        self.own = own;
    }

    /// Returns the lanes of the outputs that the invocation has written.
    pub(super) fn collect_outputs(&self) -> Vec<[u64; 4]> {
        let lanes = |slot: &Option<usize>| slot.map_or([0; 4], |slot| self.own.lanes[slot]);
        self.slots.iter().map(lanes).collect()
    }

    pub(super) fn get_outcome(&self) -> Outcome {
        Outcome {
            outputs: self.collect_outputs(),
            demoted: self.own.demoted,
            steps: self.own.steps,
        }
    }

    pub(super) fn count_step(&mut self) -> Result<(), StepLimit> {
        self.own.steps += 1;
        if self.own.steps > self.step_limit {
            Err(StepLimit(self.step_limit))
        } else {
            Ok(())
        }
    }
}
