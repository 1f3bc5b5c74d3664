//! Environments of programs: parameters, buffers, memory.

use super::programs::StageProgram;
use super::sampler::SceneTextures;
use super::state::SceneState;
use crate::script::{BufferId, BufferKind};
use glasm::ir::interp::{Environment, ProgramMemory, Region};
use glasm::ir::resource::{MemorySpace, STATE_BUFFER_BYTES};
use glasm::ir::{Buffer, BufferKind as IrBufferKind, Stage};
use glasm::reflect::{DescriptorSlot, ParamBlock};

/// Environment of a program of a script.
pub(super) type ProgramEnvironment = Environment<SceneTextures>;

impl SceneState<'_> {
    /// Returns the environment of a program in the current state, without inputs.
    pub(super) fn build_environment(&self, program: &StageProgram) -> ProgramEnvironment {
        Environment {
            inputs: Vec::new(),
            vertices: Vec::new(),
            params: self.list_parameters(program),
            memory: self.build_memory(program),
            textures: self.textures.snapshot(&program.ir, &self.images),
        }
    }

    /// Returns the values of the parameters of a program.
    fn list_parameters(&self, program: &StageProgram) -> Vec<[u32; 4]> {
        let block = ParamBlock {
            slot: DescriptorSlot { set: 0, binding: 0 },
            parameters: program.list_parameter_sources(),
            is_storage_buffer: false,
        };
        let named = program.list_named_parameters();
        let place = (program.line(), named.as_slice());
        let bytes = self.params.block_contents(program.stage(), &block, place);
        let (vectors, _) = bytes.as_chunks::<16>();
        let word = |vector: &[u8; 16], lane: usize| {
            u32::from_le_bytes(std::array::from_fn(|byte| vector[4 * lane + byte]))
        };
        let vectors = vectors.iter();
        vectors
            .map(|vector| std::array::from_fn(|lane| word(vector, lane)))
            .collect()
    }

    /// Returns the memory of a program: its buffers, and all buffers of the script as global memory
    /// if the program accesses that.
    fn build_memory(&self, program: &StageProgram) -> ProgramMemory {
        let stage = program.stage();
        let buffers = program.ir.buffers.iter();
        let buffers = buffers
            .map(|buffer| {
                let elements = 0..buffer.array_len.unwrap_or(1);
                elements
                    .map(|element| self.read_buffer(stage, buffer, element))
                    .collect()
            })
            .collect();
        let mut regions = Vec::new();
        let accesses = &program.ir.mem_accesses;
        if accesses.iter().any(|it| it.space == MemorySpace::Global) {
            let contents = self.buffers.iter().zip(0..);
            regions.extend(contents.map(|(bytes, index)| Region {
                address: self.find_buffer_start(BufferId(index)),
                bytes: bytes.clone(),
            }));
        }
        ProgramMemory { regions, buffers }
    }

    /// Returns the contents of an element of a buffer of a program; empty if nothing is bound.
    fn read_buffer(&self, stage: Stage, buffer: &Buffer, element: u32) -> Vec<u8> {
        if buffer.kind == IrBufferKind::VertexStateParameters {
            let mut bytes = self.params.state_program_params();
            bytes.resize(STATE_BUFFER_BYTES as usize, 0);
            return bytes;
        }
        let Some(kind) = find_script_kind(buffer.kind) else {
            return vec![0; buffer.size.unwrap_or(0) as usize];
        };
        let range = self.find_range(kind, stage, buffer.binding.saturating_add(element));
        let Some((id, range)) = range else {
            return Vec::new();
        };
        self.buffers[id.0].get(range).unwrap_or_default().to_vec()
    }

    /// Returns the buffer and the bytes that are bound for a buffer of a program.
    pub(super) fn find_range(
        &self,
        kind: BufferKind,
        stage: Stage,
        binding: u32,
    ) -> Option<(BufferId, std::ops::Range<usize>)> {
        let bound = self.find_bound_range(kind, stage, binding)?;
        let len = self.buffers[bound.buffer.0].len();
        let start = usize::try_from(bound.offset).ok()?.min(len);
        let size = bound.size.map_or(len - start, |size| size as usize);
        Some((bound.buffer, start..start.saturating_add(size).min(len)))
    }

    /// Stores what a program has written into its environment: memory and images.
    pub(super) fn store_results(
        &mut self,
        program: &StageProgram,
        environment: &ProgramEnvironment,
    ) {
        self.store_memory(program, &environment.memory);
        if !program.ir.images.is_empty() {
            self.images = environment.textures.images.clone();
        }
    }

    /// Stores what a program has written into its memory in the buffers of the script. A buffer may
    /// be accessible in several ways: only those in which it has changed count.
    fn store_memory(&mut self, program: &StageProgram, memory: &ProgramMemory) {
        if memory.regions.is_empty() && memory.buffers.is_empty() {
            return;
        }
        let stage = program.stage();
        let before = self.buffers.clone();
        for (number, region) in memory.regions.iter().enumerate() {
            if before.get(number).is_some_and(|old| *old != region.bytes) {
                self.buffers[number].clone_from(&region.bytes);
            }
        }
        for (buffer, elements) in program.ir.buffers.iter().zip(&memory.buffers) {
            let kind = find_script_kind(buffer.kind);
            // Programs cannot write uniform buffers.
            let Some(kind) = kind.filter(|kind| *kind != BufferKind::Uniform) else {
                continue;
            };
            for (bytes, element) in elements.iter().zip(0..) {
                let binding = buffer.binding.saturating_add(element);
                let Some((id, range)) = self.find_range(kind, stage, binding) else {
                    continue;
                };
                let is_changed = before[id.0].get(range.clone()) != Some(bytes.as_slice());
                if let Some(target) = self.buffers[id.0].get_mut(range)
                    && target.len() == bytes.len()
                    && is_changed
                {
                    target.copy_from_slice(bytes);
                }
            }
        }
    }
}

/// Returns the kind of the script's buffers that are bound for a kind of buffers of programs; `None`
/// for memory that the script does not bind.
fn find_script_kind(kind: IrBufferKind) -> Option<BufferKind> {
    match kind {
        IrBufferKind::ProgramParameter => Some(BufferKind::Uniform),
        IrBufferKind::Storage => Some(BufferKind::Storage),
        IrBufferKind::AtomicCounter => Some(BufferKind::AtomicCounter),
        IrBufferKind::Shared | IrBufferKind::Private | IrBufferKind::VertexStateParameters => None,
    }
}
