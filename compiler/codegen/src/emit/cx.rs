//! The contexts of emission: each has what its functions may access, and borrows the one below it.
//!
//! [`ValueBuilder`] computes with values, [`Io`] declares and loads variables of the interface,
//! [`FunctionEmitter`] knows where the values of registers are, and above it is an emitter for each
//! subject, with the state of that subject. None of them accesses another's.

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

/// The context of operands and results: where the values of registers are in the open function.
pub(super) struct FunctionEmitter<'a> {
    pub(super) program: &'a Program,
    pub(super) options: &'a Options,
    pub(super) w: &'a mut ValueBuilder,
    pub(super) analysis: &'a mut Analysis,
    pub(super) lanes: &'a mut Lanes,
    pub(super) interface: &'a mut Interface,
    pub(super) tables: &'a mut Tables,
    pub(super) lines: Option<Lines<'a>>,
    /// Ids from this one on are younger than the last result that was offered a name.
    pub(super) first_unnamed: u32,
    /// Whether a `Return` ends the entry point.
    pub(super) in_entry: bool,
}

/// What was found of the operands of a program.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Constants of each literal and their type.
    pub(super) literals: Vec<(Option<Scalar>, [Lane; 4])>,
    /// Private variables of registers in memory, by register.
    pub(super) memory: Vec<ValueWord>,
    /// Values of which it was asked whether they are the same in all invocations.
    pub(super) uniform: FxHashMap<ValueWord, bool>,
}

impl Tables {
    /// Clears what was found of the program before; the next is `program`.
    pub(super) fn reset(&mut self, program: &Program) {
        let unknown = (None, [Lane::UNDEFINED; 4]);
        refill(&mut self.literals, program.literals.len(), unknown);
        refill(&mut self.memory, program.registers.len(), ValueWord::NONE);
        self.uniform.clear();
    }
}

impl FunctionEmitter<'_> {
    /// Returns what declares and loads variables of the interface.
    #[inline(always)]
    pub(super) fn io(&mut self) -> Io<'_> {
        Io {
            w: self.w,
            program: self.program,
            options: self.options,
            vars: self.interface,
        }
    }

    /// Returns what declares, loads and stores the variables of registers.
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

/// The context of texture accesses.
pub(super) struct TextureEmitter<'e, 'a> {
    pub(super) f: &'e mut FunctionEmitter<'a>,
    pub(super) sparse: &'e mut Sparse,
    /// Instructions of the function that are not emitted yet.
    pub(super) remaining: usize,
}

/// The context of image accesses.
pub(super) struct ImageEmitter<'e, 'a> {
    pub(super) f: &'e mut FunctionEmitter<'a>,
    pub(super) sparse: &'e mut Sparse,
}

/// The context of accesses to buffers and other memory.
pub(super) struct BufferEmitter<'e, 'a> {
    pub(super) f: &'e mut FunctionEmitter<'a>,
    /// What the program does with each buffer; empty until that is asked.
    pub(super) uses: &'e mut Vec<ResourceUse>,
}

/// Where the value of each capture of the options is, and its variable once it has a separate one.
pub(super) type Captures = Vec<(Home, ValueWord)>;

/// The context of stage outputs.
pub(super) struct OutputEmitter<'e, 'a> {
    pub(super) f: &'e mut FunctionEmitter<'a>,
    pub(super) captures: &'e mut Captures,
}

/// The context of the vertices and primitives that a program emits.
pub(super) struct PrimitiveEmitter<'e, 'a> {
    pub(super) outputs: OutputEmitter<'e, 'a>,
    pub(super) emission: Emission,
}

/// What a geometry program emits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Emission {
    /// No vertex.
    #[default]
    Nothing,
    /// Vertices of the first stream.
    FirstStream,
    /// Vertices of several streams, or of those that are known at run time.
    Streams,
}

/// One instruction with the lanes to compute.
#[derive(Clone, Copy)]
pub(super) struct InstCx<'p> {
    pub(super) inst: &'p Inst,
    /// Lanes to compute, for the result or for condition codes.
    pub(super) lanes: u8,
}

/// What an operation computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outcome {
    /// The needed lanes one after the other, or one scalar for all.
    Val(Val),
    /// Each lane of the result by itself.
    Lanes([Lane; 4]),
    /// Nothing.
    None,
}

/// Overflow and carry by lane of the destination.
pub(super) type FlagLanes = [[Lane; 4]; 2];

/// What an instruction writes, by lane of the destination.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Written {
    pub(super) values: [Lane; 4],
    /// What the condition codes keep.
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
