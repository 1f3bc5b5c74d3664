//! The control-flow graph of a program, in source order.

use super::call_graph::CallGraph;
use crate::arena::{Id, IndexVec};
use crate::inst::{Cond, WriteMask};
use crate::program::{BlockId, RegisterId};
use crate::span::Span;
use crate::types::Type;
use rustc_hash::FxHashMap;
use std::ops::Range;

define_ids! {
    /// A label of the source; who records it decides on the numbers.
    LabelId = "label";
    /// A basic block: the instructions from a label, or from the one after a branch, to the next label or branch. Structured
    /// control flow inside of it counts as one instruction. Numbers are in source order.
    BasicBlockId = "basic block";
}

/// What a call does when the stack of return addresses is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnStackOverflow {
    /// Nothing: control continues after the call.
    #[default]
    SkipCall,
    /// It ends the program.
    EndProgram,
}

/// What happens where control reaches a label from the instruction before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AtLabel {
    /// The routine before it returns, and so does the last one at the end of the program.
    #[default]
    Return,
    /// Control falls through; at the end of the program it ends, whatever called.
    FallThrough,
}

/// How a language calls subroutines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CallConvention {
    /// Calls that can be open.
    pub depth: u32,
    /// What a call beyond that does.
    pub overflow: OnStackOverflow,
    /// What a label does to the routine before it.
    pub at_label: AtLabel,
}

/// Whether a branch has a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BranchKind {
    /// It is always taken.
    Unconditional,
    /// Where it is not taken, control falls through.
    Conditional,
}

/// How a basic block ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Terminator {
    FallThrough,
    Branch { to: LabelId, kind: BranchKind },
    Return,
}

/// Where control continues after a basic block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Successor {
    Block(BasicBlockId),
    /// The caller.
    Caller,
    /// The end of the program, which ends it, whatever called.
    Exit,
}

/// A basic block.
#[derive(Clone, Copy, Debug)]
pub struct BasicBlock {
    first: u32,
    end: u32,
    /// The label that begins it.
    pub label: Option<LabelId>,
    pub(super) terminator: Terminator,
}

impl BasicBlock {
    fn new(first: u32, label: Option<LabelId>) -> Self {
        Self {
            first,
            end: first,
            label,
            terminator: Terminator::FallThrough,
        }
    }

    /// Returns the positions of its instructions.
    pub fn insts(&self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// The labels, branches, calls and returns of a program. They are added in source order; positions are numbers of instructions.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// At least one: the last is the one that is being added to.
    blocks: IndexVec<BasicBlockId, BasicBlock>,
    labels: FxHashMap<LabelId, BasicBlockId>,
    pub(super) calls: Vec<(BasicBlockId, LabelId)>,
    pub(super) saves_addresses: bool,
}

impl Default for Cfg {
    fn default() -> Self {
        let mut blocks = IndexVec::new();
        blocks.push(BasicBlock::new(0, None));
        Self {
            blocks,
            labels: FxHashMap::default(),
            calls: Vec::new(),
            saves_addresses: false,
        }
    }
}

impl Cfg {
    /// Removes everything; the memory serves another program.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.blocks.push(BasicBlock::new(0, None));
        self.labels.clear();
        self.calls.clear();
        self.saves_addresses = false;
    }

    fn last_mut(&mut self) -> &mut BasicBlock {
        let last = self.current();
        &mut self.blocks[last]
    }

    /// Ends the last block before the instruction at `position`, where another one begins.
    fn begin_block(&mut self, position: u32, label: Option<LabelId>) {
        self.last_mut().end = position;
        self.blocks.push(BasicBlock::new(position, label));
    }

    /// Sets how the last block ends, unless it has ended before.
    fn terminate(&mut self, terminator: Terminator) {
        let last = self.last_mut();
        if last.terminator == Terminator::FallThrough {
            last.terminator = terminator;
        }
    }

    /// Returns the block that is being added to.
    pub fn current(&self) -> BasicBlockId {
        BasicBlockId::new(self.blocks.len() - 1)
    }

    /// Adds a label before the instruction at `position`. Returns the block that it begins already, if it does.
    pub fn add_label(&mut self, label: LabelId, position: u32) -> Option<BasicBlockId> {
        self.begin_block(position, Some(label));
        self.labels.insert(label, self.current())
    }

    /// Adds a branch before the instruction at `next`.
    pub fn add_branch(&mut self, to: LabelId, kind: BranchKind, next: u32) {
        self.terminate(Terminator::Branch { to, kind });
        self.begin_block(next, None);
    }

    /// Adds a call in a block.
    pub fn add_call(&mut self, from: BasicBlockId, to: LabelId) {
        self.calls.push((from, to));
    }

    /// Adds a return without condition, outside of all structured blocks.
    pub fn add_return(&mut self) {
        self.terminate(Terminator::Return);
    }

    /// Adds an instruction that puts something else than a return address on the stack of calls, or takes it from there.
    pub fn add_saved_address(&mut self) {
        self.saves_addresses = true;
    }

    /// Ends the last block before `position`, the number of instructions.
    pub fn finish(&mut self, position: u32) {
        self.last_mut().end = position;
    }

    /// Returns the block that a label begins.
    pub fn find_label(&self, label: LabelId) -> Option<BasicBlockId> {
        self.labels.get(&label).copied()
    }

    /// Returns all labels, in no order.
    pub fn labels(&self) -> impl Iterator<Item = LabelId> {
        self.labels.keys().copied()
    }

    /// Returns all blocks, in source order.
    pub fn blocks(&self) -> impl Iterator<Item = (BasicBlockId, &BasicBlock)> {
        self.blocks.iter_enumerated()
    }

    /// Returns the number of blocks.
    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    pub(super) fn terminator(&self, block: BasicBlockId) -> Terminator {
        self.blocks[block].terminator
    }

    /// Returns where control continues at the end of a block that does not branch.
    pub(super) fn fall_through(&self, block: BasicBlockId, at_label: AtLabel) -> Successor {
        let next = BasicBlockId::new(block.index() + 1);
        let found = self.blocks.get(next);
        if found.is_some_and(|next| next.label.is_none()) {
            return Successor::Block(next);
        }
        match at_label {
            AtLabel::Return => Successor::Caller,
            AtLabel::FallThrough => found.map_or(Successor::Exit, |_| Successor::Block(next)),
        }
    }

    /// Returns where control can continue at the end of a block.
    pub(super) fn successors(
        &self,
        block: BasicBlockId,
        at_label: AtLabel,
    ) -> impl Iterator<Item = Successor> + use<> {
        let (target, falls) = match self.terminator(block) {
            Terminator::FallThrough => (None, true),
            Terminator::Return => (Some(Successor::Caller), false),
            Terminator::Branch { to, kind } => (
                self.find_label(to).map(Successor::Block),
                kind == BranchKind::Conditional,
            ),
        };
        let next = falls.then(|| self.fall_through(block, at_label));
        next.into_iter().chain(target)
    }

    /// Finds what can run if the program begins at `entry`, and what can call itself.
    pub fn analyze(&self, entry: BasicBlockId, convention: CallConvention) -> CallGraph {
        CallGraph::new(self, entry, convention)
    }
}

/// Lanes of a register that belong to one run of a loop: a call in the loop may run it again, so it saves and restores them.
#[derive(Clone, Copy, Debug)]
pub struct SavedLanes {
    /// The register.
    pub register: RegisterId,
    /// Its lanes.
    pub lanes: WriteMask,
    /// How they are moved.
    pub ty: Type,
}

/// An open structured block.
#[derive(Debug)]
pub(super) enum Scope {
    If {
        cond: Cond,
        span: Span,
        then: Option<BlockId>,
        /// Whether the end of the first block cannot be reached.
        then_ends: bool,
    },
    Loop {
        /// Whether a jump leaves it at its end.
        has_break: bool,
        saved: Vec<SavedLanes>,
        /// Instructions of each iteration outside of other blocks.
        steps: u32,
        span: Span,
    },
    /// A loop whose body is complete.
    LoopEnd {
        has_break: bool,
        saved: Vec<SavedLanes>,
        body: BlockId,
        span: Span,
    },
    Switch(OpenSwitch),
}

/// A switch that is open.
#[derive(Debug)]
pub(super) struct OpenSwitch {
    pub(super) selector: RegisterId,
    pub(super) sections: Vec<Section>,
    /// The labels of the section that is open.
    pub(super) current: Option<Labels>,
    pub(super) span: Span,
}

/// The labels of a section.
#[derive(Debug, Default)]
pub(super) struct Labels {
    pub(super) values: Vec<u32>,
    pub(super) is_default: bool,
}

/// What is between two labels of a switch.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) labels: Labels,
    pub(super) block: BlockId,
    /// Whether its end is reached, so that the next section follows.
    pub(super) falls: bool,
}

/// Memory for the open blocks of one tree builder after the other.
#[derive(Debug, Default)]
pub(crate) struct Scopes(pub(super) Vec<Scope>);
