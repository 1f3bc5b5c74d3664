//! The state of a run: registers, condition codes, open blocks and memory of its invocations, and
//! their combined results: the outputs of a patch, the vertices of a primitive.

use super::environment::{Environment, ProgramMemory, TextureSource};
use super::evaluate::Flags;
use super::flow::BlockStack;
use super::observer::Observer;
use super::quad::QuadOperands;
use crate::arena::Id;
use crate::primitive::MAX_VERTEX_STREAMS;
use crate::program::{Program, Stage, Storage};
use crate::semantic::{Input, Output, Semantic};

/// Result of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunResult {
    /// Lanes of the outputs, by [`OutputId`](crate::OutputId); 0 for lanes that were not written.
    pub outputs: Vec<[u64; 4]>,
    /// True if the fragment became a helper invocation, so that the outputs are discarded.
    pub demoted: bool,
    /// Number of steps: instructions, other nodes, iterations of loops.
    pub steps: u64,
}

/// Error: a run exceeded the step limit, which it contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepLimitExceeded(pub u64);

impl std::fmt::Display for StepLimitExceeded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the program did not end within {} steps", self.0)
    }
}

impl std::error::Error for StepLimitExceeded {}

/// Interpreter state: invocations of a program, one of which runs at a time.
pub(super) struct Machine<'p, 'e, T, O> {
    pub(super) program: &'p Program,
    pub(super) environment: &'e mut Environment<T>,
    pub(super) observer: &'e mut O,
    /// Start of the elements of each register in [`InvocationState::lanes`].
    pub(super) register_starts: Vec<usize>,
    /// Position of the register of each output in [`InvocationState::lanes`].
    pub(super) output_slots: Vec<Option<usize>>,
    pub(super) step_limit: u64,
    /// The running invocation.
    pub(super) current: InvocationState,
    /// Outputs that invocations can read of each other.
    pub(super) patch: PatchOutputs,
    /// Vertices that the invocations of a geometry program have emitted.
    pub(super) emitted_vertices: EmittedVertices,
    /// Operands of the fragments of a quad, if the next instruction exchanges them.
    pub(super) quad: Option<QuadOperands>,
}

/// The state of an invocation.
#[derive(Clone, Default)]
pub(super) struct InvocationState {
    /// Its index among the invocations that run together.
    pub(super) index: usize,
    /// Lanes of the inputs that are not per vertex.
    pub(super) inputs: Vec<[u64; 4]>,
    /// Lanes of all elements of all registers.
    pub(super) lanes: Vec<[u64; 4]>,
    /// Condition codes of each register.
    pub(super) condition_codes: Vec<[Flags; 4]>,
    /// Open blocks.
    pub(super) block_stack: BlockStack,
    pub(super) demoted: bool,
    /// Private buffers; the other buffers are empty.
    pub(super) private_memory: ProgramMemory,
    /// Number of vertices that it may still emit.
    pub(super) vertices_left: u32,
    pub(super) step_count: u64,
}

impl<'p, 'e, T: TextureSource, O: Observer> Machine<'p, 'e, T, O> {
    /// Returns a machine for `program` in `environment` whose current invocation has registers of
    /// 0, no inputs and no open block. `step_limit` applies to each invocation. `observer` receives
    /// what the invocations execute.
    pub(super) fn new(
        program: &'p Program,
        environment: &'e mut Environment<T>,
        step_limit: u64,
        observer: &'e mut O,
    ) -> Self {
        let mut starts = Vec::new();
        let mut slots = vec![None; program.outputs.len()];
        let mut len = 0;
        for register in &program.registers {
            starts.push(len);
            let count = register.array_len.unwrap_or(1) as usize;
            if let Storage::Output(first) = register.storage {
                (0..count).for_each(|element| slots[first.index() + element] = Some(len + element));
            }
            len += count;
        }
        let own = InvocationState {
            lanes: vec![[0; 4]; len],
            ..InvocationState::default()
        };
        Self {
            patch: PatchOutputs::new(program),
            emitted_vertices: EmittedVertices::default(),
            program,
            environment,
            observer,
            quad: None,
            register_starts: starts,
            output_slots: slots,
            step_limit,
            current: own,
        }
    }

    /// Replaces the running invocation by a new one with the number `index`, at the start of main.
    /// `inputs` are the inputs that differ between invocations, which replace those of the
    /// environment.
    pub(super) fn begin_invocation(&mut self, index: usize, inputs: &[(Semantic, [u32; 4])]) {
        let program = self.program;
        let mut invocation = InvocationState {
            index,
            inputs: self.environment.inputs.clone(),
            lanes: vec![[0; 4]; self.current.lanes.len()],
            condition_codes: vec![[Flags::default(); 4]; program.registers.len()],
            block_stack: BlockStack::new(program.routines[program.main].body),
            demoted: false,
            private_memory: ProgramMemory::new_private_memory(program),
            vertices_left: program.modes.vertices_out,
            step_count: 0,
        };
        for (id, input) in program.inputs.iter_enumerated() {
            let given = inputs
                .iter()
                .find(|(semantic, _)| *semantic == input.semantic);
            if let Some((_, lanes)) = given {
                let len = invocation.inputs.len().max(id.index() + 1);
                invocation.inputs.resize(len, [0; 4]);
                invocation.inputs[id.index()] = lanes.map(u64::from);
            }
        }
        self.current = invocation;
    }

    /// Returns the lanes of the outputs that the invocation has written.
    pub(super) fn collect_outputs(&self) -> Vec<[u64; 4]> {
        let lanes = |slot: &Option<usize>| slot.map_or([0; 4], |slot| self.current.lanes[slot]);
        self.output_slots.iter().map(lanes).collect()
    }

    /// Returns the result of the current invocation: outputs, whether it was demoted, and its
    /// number of steps.
    pub(super) fn build_result(&self) -> RunResult {
        RunResult {
            outputs: self.collect_outputs(),
            demoted: self.current.demoted,
            steps: self.current.step_count,
        }
    }

    /// Counts a step of the current invocation. Returns an error if it exceeds the limit.
    pub(super) fn count_step(&mut self) -> Result<(), StepLimitExceeded> {
        self.current.step_count += 1;
        if self.current.step_count > self.step_limit {
            Err(StepLimitExceeded(self.step_limit))
        } else {
            Ok(())
        }
    }
}

/// Outputs that the invocations of a tessellation control program share, initially 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PatchOutputs {
    /// Lanes of the outputs of each vertex, by [`OutputId`](crate::OutputId).
    pub vertices: Vec<Vec<[u64; 4]>>,
    /// Lanes of the per-patch outputs, by [`OutputId`](crate::OutputId).
    pub outputs: Vec<[u64; 4]>,
    /// True if invocations waited for each other at different barriers or in different iterations
    /// of a loop, or for an invocation that had ended, which is invalid on devices.
    pub has_divergent_barrier: bool,
    /// True for per-patch outputs.
    is_per_patch: Vec<bool>,
}

impl PatchOutputs {
    /// Returns the outputs of a patch, which are 0; none for programs that are not tessellation
    /// control programs.
    pub(super) fn new(program: &Program) -> Self {
        if program.stage != Stage::TessControl {
            return Self::default();
        }
        let outputs = vec![[0; 4]; program.outputs.len()];
        let shared = program.outputs.iter();
        Self {
            vertices: vec![outputs.clone(); program.modes.vertices_out as usize],
            outputs,
            has_divergent_barrier: false,
            is_per_patch: shared
                .map(|output| output.semantic.is_per_patch())
                .collect(),
        }
    }

    /// Returns the lanes of an output of a vertex, whose index is clamped to the patch, or of the
    /// patch for `None`; 0 for unknown outputs.
    pub(super) fn read_output(&self, output: usize, vertex: Option<i64>) -> [u64; 4] {
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

    /// Writes a lane of an output: of the patch if the output is per patch, else of `vertex`.
    /// Ignores unknown outputs and vertices.
    pub(super) fn write_output(&mut self, output: usize, vertex: usize, lane: usize, bits: u64) {
        let outputs = match self.is_per_patch.get(output) {
            Some(true) => Some(&mut self.outputs),
            Some(false) => self.vertices.get_mut(vertex),
            None => None,
        };
        if let Some(lanes) = outputs.and_then(|outputs| outputs.get_mut(output)) {
            lanes[lane] = bits;
        }
    }
}

/// Lanes of the outputs of a vertex, by [`OutputId`](crate::OutputId).
pub type VertexOutputs = Vec<[u64; 4]>;

/// Vertices that a geometry program emits for a primitive: for each vertex stream its strips. No
/// strip is empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EmittedVertices {
    /// The strips of each stream. Streams other than the first one contain points.
    pub streams: [Vec<Vec<VertexOutputs>>; MAX_VERTEX_STREAMS as usize],
    /// True if the next vertex of the first stream begins a strip.
    is_strip_ended: bool,
}

impl EmittedVertices {
    /// Appends a vertex to the current strip of a stream, or begins a strip with it: after an ended
    /// strip, and always in streams of points. Ignores unknown streams.
    pub(super) fn add_vertex(&mut self, stream: u64, vertex: VertexOutputs) {
        let stream_index = usize::try_from(stream).unwrap_or(usize::MAX);
        let Some(strips) = self.streams.get_mut(stream_index) else {
            return;
        };
        let begins = stream_index > 0 || std::mem::take(&mut self.is_strip_ended);
        match strips.last_mut() {
            Some(strip) if !begins => strip.push(vertex),
            Some(_) | None => strips.push(vec![vertex]),
        }
    }

    /// Ends the current strip of the first stream: the next vertex begins another one.
    pub(super) fn end_strip(&mut self) {
        self.is_strip_ended = true;
    }
}

impl<T: TextureSource, O: Observer> Machine<'_, '_, T, O> {
    /// Ends a vertex: appends the current outputs to `stream`. Vertices beyond the limit are
    /// dropped, which NV_geometry_program4 section 2.14.6.4 leaves undefined.
    pub(super) fn emit_vertex(&mut self, stream: u64) {
        let Some(left) = self.current.vertices_left.checked_sub(1) else {
            return;
        };
        self.current.vertices_left = left;
        self.emitted_vertices
            .add_vertex(stream, self.collect_outputs());
    }

    /// Emits the vertices of the environment to stream 0: lanes that are passed through are those
    /// of the input, others those of the current outputs.
    pub(super) fn emit_passthrough(&mut self) {
        let own_outputs = self.collect_outputs();
        for vertex in &self.environment.vertices {
            let outputs = self.program.outputs.iter().zip(&own_outputs);
            let passed = outputs.map(|(output, own)| {
                let input = self
                    .program
                    .inputs
                    .iter()
                    .position(|input| is_same_varying(input, output));
                let lanes = input.and_then(|input| vertex.get(input));
                std::array::from_fn(|lane| match lanes {
                    Some(lanes) if output.passthrough.has(lane) => lanes[lane],
                    Some(_) | None => own[lane],
                })
            });
            self.emitted_vertices.add_vertex(0, passed.collect());
        }
    }
}

/// Returns true if an output passes the same varying as a per-vertex input.
fn is_same_varying(input: &Input, output: &Output) -> bool {
    input.per_vertex && input.semantic == output.semantic
}
