//! What emission works with: the program, the module under construction, where values are.
//!
//! Functions that only compute belong to the [`Builder`]; those that only declare variables to the [`Interface`].

use super::join::Joins;
use super::place::BufferUse;
use super::sparse::Sparse;
use crate::analysis::Analysis;
use crate::builder::gather::Lane;
use crate::builder::{Builder, Scalar, Val};
use crate::capture::Home;
use crate::debug::Lines;
use crate::interface::Interface;
use crate::kept::refill;
use crate::lanes::Lanes;
use crate::liveness::Liveness;
use crate::options::Options;
use crate::words::ValueWord;
use glasm_ir::{Inst, Program};
use rustc_hash::FxHashMap;

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
    pub(super) buffer_uses: Vec<BufferUse>,
    /// Values of which it was asked whether they are the same in all invocations.
    pub(super) uniform: FxHashMap<ValueWord, bool>,
    pub(super) live_out: Vec<(u32, u8)>,
}

impl Tables {
    pub(super) fn reset(&mut self, program: &Program) {
        refill(&mut self.functions, program.routines.len(), ValueWord::NONE);
        let unknown = (None, [Lane::UNDEFINED; 4]);
        refill(&mut self.literals, program.literals.len(), unknown);
        refill(&mut self.memory, program.registers.len(), ValueWord::NONE);
        self.captures.clear();
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
