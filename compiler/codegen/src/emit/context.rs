//! Contexts of emission: each contains the state that its functions may access, and borrows the
//! context below it.
//!
//! [`ValueBuilder`] computes values, [`Io`] declares and loads interface variables,
//! [`FunctionEmitter`] maps registers to values, and above it is an emitter for each subject with
//! the state of that subject. None of them accesses another's state.
//! [`ProgramEmitter`] is the context of a whole program: functions and control flow, and the state
//! of each subject. [`LaneMap`] is the current value of every register lane, with an undo log for
//! branches.

use super::control::phi::Joins;
use super::memory::memory_registers::RegisterMemory;
use super::memory::resource_use::ResourceUse;
use super::texture::residency::ResidencyState;
use crate::analysis::Analysis;
use crate::builder::{Lane, Scalar, Val, ValueBuilder, blend};
use crate::emit::debug::LineTable;
use crate::interface::{Interface, Io};
use crate::liveness::Liveness;
use crate::options::Options;
use crate::spirv_writer::ValueWord;
use crate::spirv_writer::refill;
use crate::xfb::CaptureSource;
use glasm_ir::{Inst, Program};
use rustc_hash::FxHashMap;

/// Context of operands and results: the current values of registers in the open function.
pub(super) struct FunctionEmitter<'a> {
    pub(super) program: &'a Program,
    pub(super) options: &'a Options,
    pub(super) builder: &'a mut ValueBuilder,
    pub(super) analysis: &'a mut Analysis,
    pub(super) lanes: &'a mut LaneMap,
    pub(super) interface: &'a mut Interface,
    pub(super) operand_cache: &'a mut OperandCache,
    pub(super) lines: Option<LineTable<'a>>,
    /// First id that is newer than the last result that was offered a name.
    pub(super) first_unnamed: u32,
    /// True if a `Return` ends the entry point.
    pub(super) in_entry_point: bool,
}

/// Cached properties of the operands of a program.
#[derive(Debug, Default)]
pub(super) struct OperandCache {
    /// Constants of each literal and their type.
    pub(super) literals: Vec<(Option<Scalar>, [Lane; 4])>,
    /// Private variables of registers in memory, by register.
    pub(super) register_variables: Vec<ValueWord>,
    /// Values that were tested for uniformity, with the result.
    pub(super) uniform_values: FxHashMap<ValueWord, bool>,
}

impl OperandCache {
    /// Clears the cached properties of operands for the program `program`.
    pub(super) fn reset(&mut self, program: &Program) {
        let unknown = (None, [Lane::UNDEFINED; 4]);
        refill(&mut self.literals, program.literals.len(), unknown);
        refill(
            &mut self.register_variables,
            program.registers.len(),
            ValueWord::NONE,
        );
        self.uniform_values.clear();
    }
}

impl FunctionEmitter<'_> {
    /// Returns the context that declares and loads interface variables.
    #[inline(always)]
    pub(super) fn io(&mut self) -> Io<'_> {
        Io {
            builder: self.builder,
            program: self.program,
            options: self.options,
            interface: self.interface,
        }
    }

    /// Returns the context that declares, loads and stores the variables of registers.
    #[inline(always)]
    pub(super) fn memory(&mut self) -> RegisterMemory<'_> {
        RegisterMemory {
            builder: self.builder,
            program: self.program,
            analysis: self.analysis,
            variables: &mut self.operand_cache.register_variables,
        }
    }
}

/// Context of texture accesses.
pub(super) struct TextureEmitter<'e, 'a> {
    pub(super) function: &'e mut FunctionEmitter<'a>,
    pub(super) residency: &'e mut ResidencyState,
    /// Number of instructions of the function that are not emitted yet.
    pub(super) remaining_insts: usize,
}

/// Context of image accesses.
pub(super) struct ImageEmitter<'e, 'a> {
    pub(super) function: &'e mut FunctionEmitter<'a>,
    pub(super) residency: &'e mut ResidencyState,
}

/// Context of accesses to buffers and other memory.
pub(super) struct BufferEmitter<'e, 'a> {
    pub(super) function: &'e mut FunctionEmitter<'a>,
    /// Accesses of the program to each buffer; empty until requested.
    pub(super) buffer_uses: &'e mut Vec<ResourceUse>,
}

/// Variable of each capture in the options; the id is valid once a separate variable exists.
pub(super) type Captures = Vec<(CaptureSource, ValueWord)>;

/// Context of stage outputs.
pub(super) struct OutputEmitter<'e, 'a> {
    pub(super) function: &'e mut FunctionEmitter<'a>,
    pub(super) captures: &'e mut Captures,
}

/// Context of the vertices and primitives that a program emits.
pub(super) struct PrimitiveEmitter<'e, 'a> {
    pub(super) outputs: OutputEmitter<'e, 'a>,
    pub(super) emission: VertexEmission,
}

/// Vertices that a geometry program emits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum VertexEmission {
    /// No vertex.
    #[default]
    None,
    /// Vertices of the first stream.
    FirstStream,
    /// Vertices of several streams, or of dynamically selected streams.
    Streams,
}

/// Instruction with the lanes to compute.
#[derive(Clone, Copy)]
pub(super) struct InstContext<'p> {
    pub(super) inst: &'p Inst,
    /// Lanes to compute, for the result or for condition codes.
    pub(super) lanes: u8,
}

/// Result of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) enum OpResult {
    /// Needed lanes in order, or one scalar for all.
    Val(Val),
    /// Each lane of the result separately.
    Lanes([Lane; 4]),
    /// No result.
    None,
}

/// Overflow and carry by lane of the destination.
pub(super) type FlagLanes = [[Lane; 4]; 2];

/// Values that an instruction writes, by lane of the destination.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InstWrites {
    pub(super) values: [Lane; 4],
    /// Values that the condition codes retain.
    pub(super) codes: [Lane; 4],
    pub(super) flags: FlagLanes,
}

impl AsMut<ValueBuilder> for FunctionEmitter<'_> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut ValueBuilder {
        self.builder
    }
}

impl AsMut<ValueBuilder> for TextureEmitter<'_, '_> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut ValueBuilder {
        self.function.builder
    }
}

impl AsMut<ValueBuilder> for ImageEmitter<'_, '_> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut ValueBuilder {
        self.function.builder
    }
}

impl AsMut<ValueBuilder> for BufferEmitter<'_, '_> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut ValueBuilder {
        self.function.builder
    }
}

/// Context of functions and control flow, which dispatches instructions to the emitters of their
/// subjects.
pub(super) struct ProgramEmitter<'a> {
    pub(super) function: FunctionEmitter<'a>,
    pub(super) liveness: &'a mut Liveness,
    pub(super) joins: &'a mut Joins,
    /// Ids of the functions of routines.
    pub(super) functions: &'a mut Vec<ValueWord>,
    /// Lanes that the open function returns in registers to its caller or for the outputs.
    pub(super) live_out: &'a mut Vec<(u32, u8)>,
    pub(super) buffer_uses: &'a mut Vec<ResourceUse>,
    pub(super) captures: &'a mut Captures,
    pub(super) residency: ResidencyState,
    /// Vertices that a geometry program emits.
    pub(super) vertex_emission: VertexEmission,
}

impl<'a> ProgramEmitter<'a> {
    /// Borrows the state that texture accesses need.
    #[inline(always)]
    pub(super) fn textures(&mut self) -> TextureEmitter<'_, 'a> {
        TextureEmitter {
            function: &mut self.function,
            residency: &mut self.residency,
            remaining_insts: self.liveness.remaining_insts(),
        }
    }

    /// Borrows the state that image accesses need.
    #[inline(always)]
    pub(super) fn images(&mut self) -> ImageEmitter<'_, 'a> {
        ImageEmitter {
            function: &mut self.function,
            residency: &mut self.residency,
        }
    }

    /// Borrows the state that accesses to buffers and other memory need.
    #[inline(always)]
    pub(super) fn buffers(&mut self) -> BufferEmitter<'_, 'a> {
        BufferEmitter {
            function: &mut self.function,
            buffer_uses: self.buffer_uses,
        }
    }

    /// Borrows the state that storing stage outputs needs.
    #[inline(always)]
    pub(super) fn outputs(&mut self) -> OutputEmitter<'_, 'a> {
        OutputEmitter {
            function: &mut self.function,
            captures: self.captures,
        }
    }

    /// Returns the context of the vertices and primitives that the program emits.
    #[inline(always)]
    pub(super) fn primitives(&mut self) -> PrimitiveEmitter<'_, 'a> {
        PrimitiveEmitter {
            emission: self.vertex_emission,
            outputs: self.outputs(),
        }
    }
}

/// Current values by slot and lane.
#[derive(Debug, Default)]
pub(crate) struct LaneMap {
    lanes: Vec<[Lane; 4]>,
    /// Slots before each write in a branch.
    log: Vec<(u32, [Lane; 4])>,
    scopes: u32,
}

impl LaneMap {
    /// Clears all values; there are `slots` slots.
    pub(crate) fn reset(&mut self, slots: usize) {
        self.lanes.clear();
        self.lanes.resize(slots, [Lane::UNDEFINED; 4]);
        self.log.clear();
        self.scopes = 0;
    }

    /// Returns the current value of a lane; undefined if it was never written.
    pub(crate) fn get(&self, slot: u32, lane: usize) -> Lane {
        self.lanes[slot as usize][lane]
    }

    /// Returns the current values of the four lanes of a slot.
    pub(crate) fn get_slot(&self, slot: u32) -> &[Lane; 4] {
        &self.lanes[slot as usize]
    }

    /// Sets the value of a lane; inside branches the old one is restored at their end.
    pub(crate) fn set(&mut self, slot: u32, lane: usize, value: Lane) {
        self.logged_mut(slot)[lane] = value;
    }

    /// Sets the lanes `mask` of a slot; inside branches the old ones are restored at their end.
    #[inline]
    pub(crate) fn set_lanes(&mut self, slot: u32, mask: u8, values: &[Lane; 4]) {
        let old = self.logged_mut(slot);
        *old = blend(old, values, mask);
    }

    /// Returns the lanes of a slot for writing; inside of scopes it first logs the old values,
    /// which `close_scope` restores.
    fn logged_mut(&mut self, slot: u32) -> &mut [Lane; 4] {
        let lanes = &mut self.lanes[slot as usize];
        // Outside of all branches no value is restored.
        if self.scopes > 0 {
            self.log.push((slot, *lanes));
        }
        lanes
    }

    /// Starts a branch; the mark is the argument of [`close_scope`](Self::close_scope).
    pub(crate) fn open_scope(&mut self) -> usize {
        self.scopes += 1;
        self.log.len()
    }

    /// Restores the values that lanes had when the scope with this mark was opened. It must be the
    /// innermost open scope.
    pub(crate) fn close_scope(&mut self, mark: usize) {
        self.scopes -= 1;
        // A slot may have several entries; the oldest one must be restored.
        for (slot, old) in self.log.drain(mark..).rev() {
            self.lanes[slot as usize] = old;
        }
    }
}
