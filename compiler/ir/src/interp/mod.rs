//! The interpreter of the IR: what a program means, said in the plainest way. Tests hold generated code against it.
//!
//! [`Interpreter::run`] runs one invocation alone: derivatives are 0, barriers do nothing, and sampling is the caller's. Invocations that have
//! to do with each other run together: those of a patch, of a primitive, of a work group (`together`). Registers start as 0.
//! Float arithmetic is IEEE 754 with denormals, as far as the program's modes do not ask for other rules; sums of products round after every operation; the transcendental functions
//! are those of the host in double precision. Every float operation computes in double precision and rounds once to its type,
//! which for `+ - * / sqrt` gives the same as computing in the type.

mod alu;
mod convert;
mod evaluate;
mod execute;
mod flags;
mod flow;
mod group;
mod memory;
mod operand;
mod pack;
mod primitive;
mod texture;
mod together;
mod value;

use crate::arena::Id;
use crate::program::{Program, Storage};
use crate::semantic::Semantic;
use crate::verify::{VerifyError, verify};

pub use convert::{from_f64, to_f64};
pub use evaluate::{
    Arithmetic, Carries, Denormals, Products, Sources, carries, evaluate, magnitude, negation,
    operand, written,
};
pub use flags::Flags;
pub use memory::{ProgramMemory, Region};
pub use primitive::{Emitted, Vertex};
pub use texture::{NoTextures, TexRequest, Textures};
pub use together::{Patch, Schedule};

use flow::Stack;

/// What a program runs in.
#[derive(Clone, Debug)]
pub struct Environment<T = NoTextures> {
    /// Lanes of the inputs, by [`InputId`](crate::InputId); those that are not here are 0.
    pub inputs: Vec<[u64; 4]>,
    /// Lanes of the inputs per vertex: for each vertex a vector like [`inputs`](Self::inputs).
    pub vertices: Vec<Vec<[u64; 4]>>,
    /// Parameters, by [`ParamId`](crate::ParamId); those that are not here are 0.
    pub params: Vec<[u32; 4]>,
    /// Memory, which the program may change.
    pub memory: ProgramMemory,
    /// Textures.
    pub textures: T,
}

impl Default for Environment {
    fn default() -> Self {
        let (inputs, vertices, params) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            inputs,
            vertices,
            params,
            memory: ProgramMemory::default(),
            textures: NoTextures,
        }
    }
}

impl<T> Environment<T> {
    /// The same environment with other textures.
    pub fn with_textures<U: Textures>(self, textures: U) -> Environment<U> {
        let Self {
            inputs,
            vertices,
            params,
            memory,
            textures: _,
        } = self;
        Environment {
            inputs,
            vertices,
            params,
            memory,
            textures,
        }
    }
}

/// What a run gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Lanes of the outputs, by [`OutputId`](crate::OutputId); 0 where nothing was written.
    pub outputs: Vec<[u64; 4]>,
    /// Whether the fragment became a helper invocation, so that the outputs do not count.
    pub demoted: bool,
    /// Steps taken: instructions, other nodes, rounds of loops.
    pub steps: u64,
}

/// A run took more steps than allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepLimit(pub u64);

impl std::fmt::Display for StepLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the program did not end within {} steps", self.0)
    }
}

impl std::error::Error for StepLimit {}

/// Runs a verified program.
#[derive(Clone, Debug)]
pub struct Interpreter<'p> {
    program: &'p Program,
    /// Steps that a run may take; a million unless changed.
    pub step_limit: u64,
}

impl<'p> Interpreter<'p> {
    /// An interpreter of `program`, which must pass the verifier.
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
        Ok(machine.outcome())
    }
}

/// Invocations of a program, one of which runs at a time.
struct Machine<'p, 'e, T> {
    program: &'p Program,
    environment: &'e mut Environment<T>,
    /// Where the elements of each register start in [`Invocation::lanes`].
    starts: Vec<usize>,
    /// Where the register of each output is in [`Invocation::lanes`].
    slots: Vec<Option<usize>>,
    step_limit: u64,
    /// The invocation that runs.
    own: Invocation,
    /// Outputs that invocations read of each other.
    patch: Patch,
    /// What invocations of a geometry program have emitted.
    emitted: Emitted,
}

/// The state of an invocation.
#[derive(Clone, Default)]
struct Invocation {
    /// Its number among those that run together.
    number: usize,
    /// Lanes of the inputs that are not per vertex.
    inputs: Vec<[u64; 4]>,
    /// Lanes of all elements of all registers.
    lanes: Vec<[u64; 4]>,
    /// Condition codes of each register.
    codes: Vec<[Flags; 4]>,
    /// Open blocks.
    stack: Stack,
    demoted: bool,
    /// Buffers that no other invocation sees; the others are empty.
    private: ProgramMemory,
    /// Vertices that it may emit still.
    vertices_left: u32,
    steps: u64,
}

impl<'p, 'e, T: Textures> Machine<'p, 'e, T> {
    fn new(program: &'p Program, environment: &'e mut Environment<T>, step_limit: u64) -> Self {
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

    /// Makes a new invocation the one that runs. `inputs` are those in which it differs from others.
    fn begin(&mut self, number: usize, inputs: &[(Semantic, [u32; 4])]) {
        let program = self.program;
        let mut own = Invocation {
            number,
            inputs: self.environment.inputs.clone(),
            lanes: vec![[0; 4]; self.own.lanes.len()],
            codes: vec![[Flags::default(); 4]; program.registers.len()],
            stack: Stack::new(program.routines[program.main].body),
            demoted: false,
            private: ProgramMemory::of_invocation(program),
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

    /// Lanes of the outputs as the invocation has written them.
    fn outputs(&self) -> Vec<[u64; 4]> {
        let lanes = |slot: &Option<usize>| slot.map_or([0; 4], |slot| self.own.lanes[slot]);
        self.slots.iter().map(lanes).collect()
    }

    fn outcome(&self) -> Outcome {
        Outcome {
            outputs: self.outputs(),
            demoted: self.own.demoted,
            steps: self.own.steps,
        }
    }

    fn step(&mut self) -> Result<(), StepLimit> {
        self.own.steps += 1;
        if self.own.steps > self.step_limit {
            Err(StepLimit(self.step_limit))
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests;
