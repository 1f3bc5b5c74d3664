//! What emission works with: the program, the module under construction, where values are.
//!
//! Functions that only compute belong to the [`Builder`]; those that only declare variables to the [`Interface`].

use super::control::join::Joins;
use super::memory::resource_use::ResourceUse;
use crate::analysis::Analysis;
use crate::builder::{Builder, Lane, Scalar, Val};
use crate::capture::Home;
use crate::debug::Lines;
use crate::interface::{Interface, Io};
use crate::kept::refill;
use crate::lanes::Lanes;
use crate::liveness::Liveness;
use crate::options::Options;
use crate::words::{LabelWord, ValueWord};
use glasm_ir::inst::{IndexTerm, TexAccessId};
use glasm_ir::{Base, Inst, Program, RegisterId, Src};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The state of one emission.
pub(crate) struct Emit<'a> {
    pub(super) program: &'a Program,
    pub(super) options: &'a Options,
    pub(super) w: &'a mut Builder,
    pub(super) analysis: &'a mut Analysis,
    pub(super) live: &'a mut Liveness,
    pub(super) lanes: &'a mut Lanes,
    pub(super) interface: &'a mut Interface,
    pub(super) joins: &'a mut Joins,
    pub(super) tables: &'a mut Tables,
    pub(super) lines: Option<Lines<'a>>,
    /// Ids from this one on are younger than the last result that was offered a name.
    pub(super) first_unnamed: u32,
    /// Whether lanes that join go each for itself.
    pub(super) lanes_apart: bool,
    /// Whether a `Return` ends the entry point.
    pub(super) in_entry: bool,
    pub(super) sparse: Sparse,
}

/// What one emission knows of the parts of its program.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) functions: Vec<ValueWord>,
    /// Constants of each literal and their type.
    pub(super) literals: Vec<(Option<Scalar>, [Lane; 4])>,
    /// Where the value of each capture of the options is, and its variable once it has one of its own.
    pub(super) captures: Vec<(Home, ValueWord)>,
    /// Private variables of registers in memory, by register.
    pub(super) memory: Vec<ValueWord>,
    /// What the program does with each buffer; empty until that is asked.
    pub(super) buffer_uses: Vec<ResourceUse>,
    /// Values of which it was asked whether they are the same in all invocations.
    pub(super) uniform: FxHashMap<ValueWord, bool>,
    pub(super) live_out: Vec<(u32, u8)>,
    /// What a geometry program emits.
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

impl Tables {
    pub(super) fn reset(&mut self, program: &Program) {
        refill(&mut self.functions, program.routines.len(), ValueWord::NONE);
        let unknown = (None, [Lane::UNDEFINED; 4]);
        refill(&mut self.literals, program.literals.len(), unknown);
        refill(&mut self.memory, program.registers.len(), ValueWord::NONE);
        self.captures.clear();
        self.emission = Emission::Nothing;
        self.buffer_uses.clear();
        self.uniform.clear();
    }
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

/// What is known of the residency of the accesses of the open instruction.
#[derive(Default)]
pub(super) struct Sparse {
    pub(super) question: Question,
    pub(super) answer: Option<Val>,
    pub(super) texel: Option<Texel>,
}

/// A texel that was read together with its residency.
pub(super) struct Texel {
    /// The instruction.
    pub(super) access: TexAccessId,
    pub(super) sources: Range<usize>,
    pub(super) written: Option<RegisterId>,
    /// Where it stands.
    pub(super) block: LabelWord,
    pub(super) remaining: usize,
    pub(super) lanes: [Lane; 4],
}

impl Texel {
    /// Whether `inst` makes the same access right after.
    pub(super) fn is_of(&self, program: &Program, inst: &Inst, id: TexAccessId) -> bool {
        let access = program.tex_accesses[id];
        // The residency goes to a register. If the access reads that register, the second access differs from the first.
        let is_written = |term: IndexTerm| {
            let register = term.relative.map(|(register, _)| register);
            register.is_some() && register == self.written
        };
        let reads_written = |src: &Src| {
            let element = src.index.map(|index| program.indices[index].element);
            let named = matches!(src.base, Base::Register(id) if Some(id) == self.written);
            named || element.is_some_and(is_written)
        };
        let sources = program.sources(inst);
        program.tex_accesses[self.access] == access
            && program.srcs[self.sources.clone()] == *sources
            && !sources.iter().any(reads_written)
            && !access.element.is_some_and(is_written)
    }
}

/// Whether accesses are to tell of residency.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Question {
    #[default]
    None,
    Resident,
}

impl Emit<'_> {
    /// What declares and loads variables of the interface.
    #[inline(always)]
    pub(super) fn io(&mut self) -> Io<'_> {
        Io {
            w: self.w,
            program: self.program,
            options: self.options,
            vars: self.interface,
        }
    }
}
