//! The open blocks of an invocation: a stack instead of recursion.

use crate::program::BlockId;
use std::cmp::Ordering;

// The derived order compares the fields in declaration order: an invocation in an earlier iteration
// precedes one in a later iteration, regardless of its position in the iteration.
/// An open block.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Frame {
    /// Number of complete iterations of the loop.
    pub(super) round: u64,
    pub(super) kind: FrameKind,
    pub(super) block: BlockId,
    /// Next node.
    pub(super) next: usize,
    /// Next instruction of that node.
    pub(super) inst: u32,
}

/// Kind of an open block: it determines the continuation at its end, and the jumps that leave it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FrameKind {
    /// Body of a routine.
    Routine,
    /// Block of a branch.
    Branch,
    /// Case of a switch.
    Case,
    /// Body of a loop and its `continuing` block.
    Body(Option<BlockId>),
    /// `continuing` block of a loop with this body.
    Continuing(BlockId),
}

/// The open blocks of an invocation.
///
/// For invocations that began together, [`compare_order`](Self::compare_order) is the order of lock step: a lesser
/// stack runs first, and invocations with equal stacks complete an instruction together.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Stack(Vec<Frame>);

impl Stack {
    /// Compares stacks in the order of lock step.
    pub(super) fn compare_order(&self, other: &Self) -> Ordering {
        let frames = self.0.iter().zip(&other.0);
        let mut differing = frames.map(|(a, b)| a.cmp(b));
        let first = differing.find(|order| order.is_ne());
        // An invocation inside of a node precedes those that have left it.
        first.unwrap_or_else(|| other.0.len().cmp(&self.0.len()))
    }

    /// Returns the stack at the start of the main routine.
    pub(super) fn new(main: BlockId) -> Self {
        let mut stack = Self::default();
        stack.open(main, FrameKind::Routine);
        stack
    }

    /// Returns true if the main routine has ended.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn open(&mut self, block: BlockId, kind: FrameKind) {
        self.open_round(block, kind, 0);
    }

    fn open_round(&mut self, block: BlockId, kind: FrameKind, round: u64) {
        self.0.push(Frame {
            round,
            kind,
            block,
            next: 0,
            inst: 0,
        });
    }

    /// Closes blocks up to and including the innermost one for which `is_last` holds.
    pub(super) fn close(&mut self, is_last: impl Fn(FrameKind) -> bool) -> Option<Frame> {
        while let Some(frame) = self.0.pop() {
            if is_last(frame.kind) {
                return Some(frame);
            }
        }
        None
    }

    /// Opens the `continuing` block or the next iteration of a loop after its body.
    pub(super) fn next_round(&mut self, body: Frame) {
        match body.kind {
            FrameKind::Body(Some(continuing)) => {
                self.open_round(continuing, FrameKind::Continuing(body.block), body.round)
            }
            FrameKind::Body(None) => self.open_round(body.block, body.kind, body.round + 1),
            FrameKind::Routine | FrameKind::Branch | FrameKind::Case | FrameKind::Continuing(_) => {
            }
        }
    }

    /// Continues after the end of a block.
    pub(super) fn leave_block(&mut self) {
        let Some(frame) = self.0.pop() else { return };
        match frame.kind {
            FrameKind::Routine | FrameKind::Branch | FrameKind::Case => {}
            FrameKind::Body(_) => self.next_round(frame),
            FrameKind::Continuing(body) => {
                self.open_round(body, FrameKind::Body(Some(frame.block)), frame.round + 1)
            }
        }
    }

    /// Returns the innermost open block.
    pub(super) fn get_innermost(&mut self) -> Option<&mut Frame> {
        self.0.last_mut()
    }
}
