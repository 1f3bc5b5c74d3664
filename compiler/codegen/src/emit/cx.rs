//! Contexts of emission: each contains the state that its functions may access, and borrows the
//! context below it.
//!
//! [`ValueBuilder`] computes values, [`Io`] declares and loads interface variables,
//! [`FunctionEmitter`] maps registers to values, and above it is an emitter for each subject with
//! the state of that subject. None of them accesses another's state.

use super::memory::array::RegisterMemory;
use super::memory::resource_use::ResourceUse;
use super::texture::sparse::Sparse;
use crate::analysis::Analysis;
use crate::builder::{Lane, Scalar, Val, ValueBuilder};
use crate::capture::Home;
use crate::debug::Lines;
use crate::interface::{Interface, Io};
use crate::kept::refill;
use crate::lanes::Lanes;
use crate::options::Options;
use crate::words::ValueWord;
use glasm_ir::{Inst, Program};
use rustc_hash::FxHashMap;

/// Context of operands and results: the current values of registers in the open function.
pub(super) struct FunctionEmitter<'a> {
    pub(super) program: &'a Program,
    pub(super) options: &'a Options,
    pub(super) w: &'a mut ValueBuilder,
    pub(super) analysis: &'a mut Analysis,
    pub(super) lanes: &'a mut Lanes,
    pub(super) interface: &'a mut Interface,
    pub(super) tables: &'a mut Tables,
    pub(super) lines: Option<Lines<'a>>,
    /// First id that is newer than the last result that was offered a name.
    pub(super) first_unnamed: u32,
    /// True if a `Return` ends the entry point.
    pub(super) in_entry: bool,
}

/// Cached properties of the operands of a program.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Constants of each literal and their type.
    pub(super) literals: Vec<(Option<Scalar>, [Lane; 4])>,
    /// Private variables of registers in memory, by register.
    pub(super) memory: Vec<ValueWord>,
    /// Values that were tested for uniformity, with the result.
    pub(super) uniform: FxHashMap<ValueWord, bool>,
}

impl Tables {
    /// Clears the cached properties; the next program is `program`.
    pub(super) fn reset(&mut self, program: &Program) {
        let unknown = (None, [Lane::UNDEFINED; 4]);
        refill(&mut self.literals, program.literals.len(), unknown);
        refill(&mut self.memory, program.registers.len(), ValueWord::NONE);
        self.uniform.clear();
    }
}

impl FunctionEmitter<'_> {
    /// Returns the context that declares and loads interface variables.
    #[inline(always)]
    pub(super) fn io(&mut self) -> Io<'_> {
        Io {
            w: self.w,
            program: self.program,
            options: self.options,
            vars: self.interface,
        }
    }

    /// Returns the context that declares, loads and stores the variables of registers.
    #[inline(always)]
    pub(super) fn memory(&mut self) -> RegisterMemory<'_> {
        RegisterMemory {
            w: self.w,
            program: self.program,
            analysis: self.analysis,
            variables: &mut self.tables.memory,
        }
    }
}

/// Context of texture accesses.
pub(super) struct TextureEmitter<'e, 'a> {
    pub(super) f: &'e mut FunctionEmitter<'a>,
    pub(super) sparse: &'e mut Sparse,
    /// Number of instructions of the function that are not emitted yet.
    pub(super) remaining: usize,
}

/// Context of image accesses.
pub(super) struct ImageEmitter<'e, 'a> {
    pub(super) f: &'e mut FunctionEmitter<'a>,
    pub(super) sparse: &'e mut Sparse,
}

/// Context of accesses to buffers and other memory.
pub(super) struct BufferEmitter<'e, 'a> {
    pub(super) f: &'e mut FunctionEmitter<'a>,
    /// Accesses of the program to each buffer; empty until requested.
    pub(super) uses: &'e mut Vec<ResourceUse>,
}

/// Variable of each capture in the options; the id is valid once a separate variable exists.
pub(super) type Captures = Vec<(Home, ValueWord)>;

/// Context of stage outputs.
pub(super) struct OutputEmitter<'e, 'a> {
    pub(super) f: &'e mut FunctionEmitter<'a>,
    pub(super) captures: &'e mut Captures,
}

/// Context of the vertices and primitives that a program emits.
pub(super) struct PrimitiveEmitter<'e, 'a> {
    pub(super) outputs: OutputEmitter<'e, 'a>,
    pub(super) emission: Emission,
}

/// Vertices that a geometry program emits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Emission {
    /// No vertex.
    #[default]
    Nothing,
    /// Vertices of the first stream.
    FirstStream,
    /// Vertices of several streams, or of dynamically selected streams.
    Streams,
}

/// Instruction with the lanes to compute.
#[derive(Clone, Copy)]
pub(super) struct InstCx<'p> {
    pub(super) inst: &'p Inst,
    /// Lanes to compute, for the result or for condition codes.
    pub(super) lanes: u8,
}

/// Result of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outcome {
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
pub(super) struct Written {
    pub(super) values: [Lane; 4],
    /// Values that the condition codes retain.
    pub(super) codes: [Lane; 4],
    pub(super) flags: FlagLanes,
}

impl AsMut<ValueBuilder> for FunctionEmitter<'_> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut ValueBuilder {
        self.w
    }
}

impl AsMut<ValueBuilder> for TextureEmitter<'_, '_> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut ValueBuilder {
        self.f.w
    }
}

impl AsMut<ValueBuilder> for ImageEmitter<'_, '_> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut ValueBuilder {
        self.f.w
    }
}

impl AsMut<ValueBuilder> for BufferEmitter<'_, '_> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut ValueBuilder {
        self.f.w
    }
}
