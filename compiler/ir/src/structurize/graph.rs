//! Graphs of basic blocks.

use crate::arena::{Id, IndexVec};
use crate::inst::Cond;
use crate::program::{Block, RegisterId};
use crate::span::Span;

define_ids! {
    /// A basic block of a [`Graph`].
    FlowId = "bb";
}

/// How a basic block ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Goes on in another block.
    Jump(FlowId),
    /// Two-way branch.
    Branch {
        /// Condition.
        cond: Cond,
        /// Taken if it holds.
        then: FlowId,
        /// Taken if not.
        otherwise: FlowId,
    },
    /// Multi-way branch on a lane of a 32-bit register.
    Switch {
        /// Register and lane.
        selector: (RegisterId, u8),
        /// Values, each once, and where they go.
        cases: Vec<(u32, FlowId)>,
        /// Taken if no value matches.
        default: FlowId,
    },
    /// Leaves the routine.
    Return,
}

impl Exit {
    /// Calls `visit` with every target; a target of several cases comes several times.
    pub(super) fn targets(&self, mut visit: impl FnMut(FlowId)) {
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

    /// The targets from the last one on, by number.
    pub(super) fn target_from_end(&self, number: usize) -> Option<FlowId> {
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

    /// Makes all branches to `old` go to `new`.
    pub(crate) fn retarget(&mut self, old: FlowId, new: FlowId) {
        self.change_targets(|target| {
            if *target == old {
                *target = new;
            }
        });
    }

    pub(super) fn change_targets(&mut self, mut change: impl FnMut(&mut FlowId)) {
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

/// A basic block: nodes without `Break`, `Continue` and `Return` of their own, then an exit.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowBlock {
    /// What runs: nodes of the program that are in no block of it yet.
    pub nodes: Block,
    /// What comes next.
    pub exit: Exit,
    /// Source of the exit.
    pub span: Span,
    /// Instructions of the source that it stands for, for [`StepBound`]. A loop without any has no bound.
    pub steps: u32,
}

/// A routine as a graph. Blocks that cannot be reached are left out of the tree.
#[derive(Clone, PartialEq, Debug)]
pub struct Graph {
    /// Blocks.
    pub blocks: IndexVec<FlowId, FlowBlock>,
    /// The block that runs first.
    pub entry: FlowId,
}

impl Graph {
    /// Returns the blocks that can be reached, each once, the entry first. Calls `edge` with the
    /// source and the target of each branch of these blocks.
    pub(super) fn reachable(&self, mut edge: impl FnMut(FlowId, FlowId)) -> Vec<FlowId> {
        let mut seen = vec![false; self.blocks.len()];
        let mut found = vec![self.entry];
        seen[self.entry.index()] = true;
        let mut next = 0;
        while let Some(&block) = found.get(next) {
            next += 1;
            self.blocks[block].exit.targets(|target| {
                edge(block, target);
                if !std::mem::replace(&mut seen[target.index()], true) {
                    found.push(target);
                }
            });
        }
        found
    }
}

/// A bound on the steps that run: beyond it the routine returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepBound {
    /// A 32-bit register that counts steps in lane x; the caller clears it.
    pub counter: RegisterId,
    /// Number of steps that may run.
    pub max: u32,
    /// Which steps count, and where the bound is tested.
    pub test: StepTest,
}

/// Which steps count, and where their number is tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepTest {
    /// Those in loops. When the bound is reached, no further round begins.
    Rounds,
    /// All. No block begins that does not end within the bound; beyond it the counter stays there, so that whoever called returns, too.
    Blocks,
}

/// The tree of a graph would be too deep or take too long to find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TooHard;
