//! Graphs of basic blocks, and the predecessors of their blocks.

use crate::arena::{Id, IndexVec};
use crate::inst::Cond;
use crate::program::{Block, RegisterId};
use crate::span::Span;

define_ids! {
    /// A basic block of a [`Graph`].
    FlowId = "bb";
}

/// Terminator of a basic block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Continues in another block.
    Jump(FlowId),
    /// Two-way branch.
    Branch {
        /// Condition.
        cond: Cond,
        /// Taken if the condition holds.
        then: FlowId,
        /// Taken if it does not hold.
        otherwise: FlowId,
    },
    /// Multi-way branch on a lane of a 32-bit register.
    Switch {
        /// Register and lane.
        selector: (RegisterId, u8),
        /// Distinct values with their targets.
        cases: Vec<(u32, FlowId)>,
        /// Taken if no value matches.
        default: FlowId,
    },
    /// Leaves the routine.
    Return,
}

impl Exit {
    /// Calls `visit` with every target of the exit in order, repeatedly for a target of several
    /// cases; a return has none.
    pub(super) fn visit_targets(&self, mut visit: impl FnMut(FlowId)) {
        match self {
            Self::Jump(target) => visit(*target),
            Self::Branch {
                then, otherwise, ..
            } => {
                visit(*then);
                visit(*otherwise);
            }
            Self::Switch { cases, default, .. } => {
                cases.iter().for_each(|(_, target)| visit(*target));
                visit(*default);
            }
            Self::Return => {}
        }
    }

    /// Returns the target at an index that counts from the last target on; `None` past the first
    /// one.
    pub(super) fn get_target_from_end(&self, number: usize) -> Option<FlowId> {
        match self {
            Self::Branch {
                then, otherwise, ..
            } => [*otherwise, *then].get(number).copied(),
            Self::Jump(target) => (number == 0).then_some(*target),
            Self::Switch { default, .. } if number == 0 => Some(*default),
            Self::Switch { cases, .. } => {
                let (_, target) = cases.iter().nth_back(number - 1)?;
                Some(*target)
            }
            Self::Return => None,
        }
    }

    /// Replaces the target `old` by `new` wherever the exit has it.
    pub(crate) fn replace_target(&mut self, old: FlowId, new: FlowId) {
        self.update_targets(|target| {
            if *target == old {
                *target = new;
            }
        });
    }

    /// Calls `change` with each target of the exit, repeatedly for a target of several cases; it
    /// may replace the target.
    pub(super) fn update_targets(&mut self, mut change: impl FnMut(&mut FlowId)) {
        match self {
            Self::Jump(target) => change(target),
            Self::Branch {
                then, otherwise, ..
            } => [then, otherwise].into_iter().for_each(change),
            Self::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|(_, target)| change(target));
                change(default);
            }
            Self::Return => {}
        }
    }
}

/// A basic block: nodes without a `Break`, `Continue` or `Return` that leaves the block, then an
/// exit.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowBlock {
    /// Nodes of the block: nodes of the program that are not part of a program block yet.
    pub nodes: Block,
    /// Terminator.
    pub exit: Exit,
    /// Source of the exit.
    pub span: Span,
    /// Number of source instructions that the block represents, for [`StepBound`]. A loop without
    /// instructions is not bounded.
    pub steps: u32,
}

/// A routine as a graph. Unreachable blocks are left out of the tree.
#[derive(Clone, PartialEq, Debug)]
pub struct Graph {
    /// Blocks.
    pub blocks: IndexVec<FlowId, FlowBlock>,
    /// The block that runs first.
    pub entry: FlowId,
}

impl Graph {
    /// Returns the reachable blocks, each once, the entry first. Calls `edge` with the source and
    /// the target of each branch of these blocks.
    pub(super) fn find_reachable(&self, mut edge: impl FnMut(FlowId, FlowId)) -> Vec<FlowId> {
        let mut seen = vec![false; self.blocks.len()];
        let mut found = vec![self.entry];
        seen[self.entry.index()] = true;
        let mut next = 0;
        while let Some(&block) = found.get(next) {
            next += 1;
            self.blocks[block].exit.visit_targets(|target| {
                edge(block, target);
                if !std::mem::replace(&mut seen[target.index()], true) {
                    found.push(target);
                }
            });
        }
        found
    }
}

/// A bound on the number of executed steps: the routine returns when it is exceeded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepBound {
    /// A 32-bit register that counts steps in lane x; the caller clears it.
    pub counter: RegisterId,
    /// Maximum number of steps.
    pub max: u32,
    /// Steps that are counted, and position of the test.
    pub test: StepTest,
}

/// Steps that are counted, and position of the test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepTest {
    /// Steps in loops. When the bound is reached, no further iteration begins.
    Loops,
    /// All steps. A block begins only if it ends within the bound; otherwise the counter remains
    /// beyond the bound, so that callers return, too.
    Blocks,
}

/// Error: the tree of a graph would be too deep or take too long to find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StructurizeLimit;

/// Predecessors of each block, the last one added first.
///
/// All lists share one vector, as position and previous block: graphs have many blocks with one or
/// two predecessors, and separate lists would each need an allocation.
#[derive(Default)]
pub(super) struct Predecessors {
    last: Vec<Option<u32>>,
    links: Vec<(FlowId, Option<u32>)>,
}

impl Predecessors {
    /// Returns lists of predecessors for `blocks` blocks, which are empty.
    pub(super) fn new(blocks: usize) -> Self {
        // Reduction may add half as many blocks.
        let mut last = Vec::with_capacity(blocks + blocks / 2);
        last.resize(blocks, None);
        Self {
            last,
            links: Vec::with_capacity(2 * blocks),
        }
    }

    /// Returns the predecessors of a block, the last one added first.
    pub(super) fn get(&self, block: FlowId) -> impl Iterator<Item = FlowId> {
        let mut next = self.last[block.index()];
        std::iter::from_fn(move || {
            let (pred, before) = self.links[next? as usize];
            next = before;
            Some(pred)
        })
    }

    /// Adds `pred` to the predecessors of a block, without a test for duplicates.
    pub(super) fn add(&mut self, block: FlowId, pred: FlowId) {
        let before = self.last[block.index()].replace(self.links.len() as u32);
        self.links.push((pred, before));
    }

    /// Adds `pred` to the predecessors of a block, unless it is the last one added: no duplicates
    /// if the targets of a block are visited consecutively.
    pub(super) fn add_once(&mut self, block: FlowId, pred: FlowId) {
        if self.get(block).next() != Some(pred) {
            self.add(block, pred);
        }
    }

    /// Makes `pred` the only predecessor.
    pub(super) fn replace_all(&mut self, block: FlowId, pred: FlowId) {
        self.last[block.index()] = None;
        self.add(block, pred);
    }

    /// Adds a block without predecessors.
    pub(super) fn add_block(&mut self) {
        self.last.push(None);
    }
}
