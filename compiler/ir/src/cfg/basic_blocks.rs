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
    /// A label of the source; the code that records labels assigns the ids.
    LabelId = "label";
    /// A basic block: the instructions from a label, or after a branch, to the next label or
    /// branch. Structured control flow inside of it is treated as one instruction. Ids are in
    /// source order.
    BasicBlockId = "basic block";
}

/// Behavior of a call when the stack of return addresses is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnStackOverflow {
    /// The call is skipped: control continues after it.
    #[default]
    SkipCall,
    /// The call ends the program.
    EndProgram,
}

/// Behavior of control flow that reaches a label from the instruction before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LabelFallThrough {
    /// The preceding routine returns; the last routine returns at the end of the program.
    #[default]
    Return,
    /// Control falls through; the end of the program ends it, regardless of open calls.
    FallThrough,
}

/// Call convention of a language.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CallConvention {
    /// Maximum number of open calls.
    pub max_depth: u32,
    /// Behavior of a call beyond that depth.
    pub on_overflow: OnStackOverflow,
    /// Effect of a label on the preceding routine.
    pub at_label: LabelFallThrough,
}

/// Kind of a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BranchKind {
    /// Always taken.
    Unconditional,
    /// Control falls through if the branch is not taken.
    Conditional,
}

/// Terminator of a basic block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Terminator {
    FallThrough,
    Branch { to: LabelId, kind: BranchKind },
    Return,
}

/// Successor of a basic block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Successor {
    Block(BasicBlockId),
    /// The caller.
    Caller,
    /// The end of the program, regardless of open calls.
    Exit,
}

/// A basic block.
#[derive(Clone, Copy, Debug)]
pub struct BasicBlock {
    first: u32,
    end: u32,
    /// The label at its start.
    pub label: Option<LabelId>,
    pub(super) terminator: Terminator,
}

impl BasicBlock {
    /// Returns an empty basic block that starts at source instruction `first` and falls through.
    fn new(first: u32, label: Option<LabelId>) -> Self {
        Self {
            first,
            end: first,
            label,
            terminator: Terminator::FallThrough,
        }
    }

    /// Returns the positions of the instructions.
    pub fn insts(&self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// The labels, branches, calls and returns of a program. They are added in source order; positions
/// are instruction indices.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// Nonempty: the last block is under construction.
    blocks: IndexVec<BasicBlockId, BasicBlock>,
    labels: FxHashMap<LabelId, BasicBlockId>,
    pub(super) calls: Vec<(BasicBlockId, LabelId)>,
    pub(super) saves_addresses: bool,
}

impl Default for Cfg {
    /// Returns a graph of one empty block without a label.
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
    /// Removes all content except for an empty first block; the capacity is retained for the next
    /// program.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.blocks.push(BasicBlock::new(0, None));
        self.labels.clear();
        self.calls.clear();
        self.saves_addresses = false;
    }

    /// Returns the basic block under construction.
    fn last_mut(&mut self) -> &mut BasicBlock {
        let last = self.current_block();
        &mut self.blocks[last]
    }

    /// Ends the last block before the instruction at `position` and begins a new block there.
    fn begin_block(&mut self, position: u32, label: Option<LabelId>) {
        self.last_mut().end = position;
        self.blocks.push(BasicBlock::new(position, label));
    }

    /// Sets the terminator of the last block, unless it already has one.
    fn set_terminator(&mut self, terminator: Terminator) {
        let last = self.last_mut();
        if last.terminator == Terminator::FallThrough {
            last.terminator = terminator;
        }
    }

    /// Returns the block under construction.
    pub fn current_block(&self) -> BasicBlockId {
        BasicBlockId::new(self.blocks.len() - 1)
    }

    /// Adds a label before the instruction at `position`. Returns the block that the label already
    /// begins, if it was added before.
    pub fn add_label(&mut self, label: LabelId, position: u32) -> Option<BasicBlockId> {
        self.begin_block(position, Some(label));
        self.labels.insert(label, self.current_block())
    }

    /// Adds a branch before the instruction at `next`.
    pub fn add_branch(&mut self, to: LabelId, kind: BranchKind, next: u32) {
        self.set_terminator(Terminator::Branch { to, kind });
        self.begin_block(next, None);
    }

    /// Adds a call in a block.
    pub fn add_call(&mut self, from: BasicBlockId, to: LabelId) {
        self.calls.push((from, to));
    }

    /// Adds an unconditional return, outside of all structured blocks.
    pub fn add_return(&mut self) {
        self.set_terminator(Terminator::Return);
    }

    /// Adds an instruction that pushes a value other than a return address on the call stack, or
    /// pops one.
    pub fn record_address_access(&mut self) {
        self.saves_addresses = true;
    }

    /// Ends the last block before `position`, the number of instructions.
    pub fn finish(&mut self, position: u32) {
        self.last_mut().end = position;
    }

    /// Returns the block that a label begins; `None` if the label was not added.
    pub fn find_label(&self, label: LabelId) -> Option<BasicBlockId> {
        self.labels.get(&label).copied()
    }

    /// Returns all labels, in unspecified order.
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

    /// Returns the way in which a basic block ends.
    pub(super) fn terminator(&self, block: BasicBlockId) -> Terminator {
        self.blocks[block].terminator
    }

    /// Returns the successor at the end of a block that does not branch: the next block, or, if
    /// that has a label or does not exist, the one that `at_label` specifies.
    pub(super) fn find_fall_through(
        &self,
        block: BasicBlockId,
        at_label: LabelFallThrough,
    ) -> Successor {
        let next = BasicBlockId::new(block.index() + 1);
        let found = self.blocks.get(next);
        if found.is_some_and(|next| next.label.is_none()) {
            return Successor::Block(next);
        }
        match at_label {
            LabelFallThrough::Return => Successor::Caller,
            LabelFallThrough::FallThrough => {
                found.map_or(Successor::Exit, |_| Successor::Block(next))
            }
        }
    }

    /// Returns all successors of a block. A branch to a label that no block has has no target.
    pub(super) fn successors(
        &self,
        block: BasicBlockId,
        at_label: LabelFallThrough,
    ) -> impl Iterator<Item = Successor> + use<> {
        let (target, falls) = match self.terminator(block) {
            Terminator::FallThrough => (None, true),
            Terminator::Return => (Some(Successor::Caller), false),
            Terminator::Branch { to, kind } => (
                self.find_label(to).map(Successor::Block),
                kind == BranchKind::Conditional,
            ),
        };
        let next = falls.then(|| self.find_fall_through(block, at_label));
        next.into_iter().chain(target)
    }

    /// Analyzes reachability and recursion for a program that begins at `entry`.
    pub fn build_call_graph(&self, entry: BasicBlockId, convention: CallConvention) -> CallGraph {
        CallGraph::new(self, entry, convention)
    }
}

/// Lanes of a register that belong to one run of a loop: a call in the loop may run the loop again,
/// so that it saves and restores them.
#[derive(Clone, Copy, Debug)]
pub struct SavedLanes {
    /// The register.
    pub register: RegisterId,
    /// Its lanes.
    pub lanes: WriteMask,
    /// Type of the copies.
    pub ty: Type,
}

/// An open structured block.
#[derive(Debug)]
pub(super) enum Scope {
    If {
        cond: Cond,
        span: Span,
        then: Option<BlockId>,
        /// True if the end of the first block cannot be reached.
        is_then_dead: bool,
    },
    Loop {
        /// True if a jump leaves it at its end.
        has_break: bool,
        saved: Vec<SavedLanes>,
        /// Instructions of an iteration outside of other blocks.
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

/// Switch under construction.
#[derive(Debug)]
pub(super) struct OpenSwitch {
    pub(super) selector: RegisterId,
    pub(super) sections: Vec<SwitchSection>,
    /// Labels of the section under construction.
    pub(super) current: Option<SectionLabels>,
    pub(super) span: Span,
}

/// Labels of a section.
#[derive(Debug, Default)]
pub(super) struct SectionLabels {
    pub(super) values: Vec<u32>,
    pub(super) is_default: bool,
}

/// Code between two labels of a switch.
#[derive(Debug)]
pub(super) struct SwitchSection {
    pub(super) labels: SectionLabels,
    pub(super) block: BlockId,
    /// True if its end is reached, so that the next section follows.
    pub(super) falls_through: bool,
}

/// Scratch memory for the open blocks, reused by consecutive tree builders.
#[derive(Debug, Default)]
pub(crate) struct Scopes(pub(super) Vec<Scope>);
