//! Control flow: execution of an invocation step by step, with the open blocks in a stack instead
//! of recursion.

use super::environment::TextureSource;
use super::machine::{Machine, StepLimitExceeded};
use super::observer::Observer;
use crate::inst::Cond;
use crate::op::Op;
use crate::program::{BlockId, Node, SwitchId};
use std::cmp::Ordering;

/// Result of a step of an invocation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StepResult {
    /// The invocation continues.
    Continued,
    /// It has reached a barrier.
    Barrier,
    /// It has ended.
    Ended,
}

impl<T: TextureSource, O: Observer> Machine<'_, '_, T, O> {
    /// Executes an instruction, another node, or the end of a block of the current invocation, and
    /// counts a step. Returns whether the invocation continues, waits at a barrier or has ended,
    /// and an error if it exceeds the step limit.
    pub(super) fn execute_step(&mut self) -> Result<StepResult, StepLimitExceeded> {
        let program = self.program;
        let Some(frame) = self.current.block_stack.get_innermost() else {
            return Ok(StepResult::Ended);
        };
        let Some(node) = program.block_nodes(frame.block).get(frame.next_node) else {
            // The end of a block is a step, so that loops without instructions reach the limit.
            self.count_step()?;
            if O::IS_ENABLED {
                self.record_block_end();
            }
            self.current.block_stack.end_block();
            if O::IS_ENABLED {
                self.record_iteration();
            }
            return Ok(StepResult::Continued);
        };
        let Node::Run { first, len } = *node else {
            frame.next_node += 1;
            if O::IS_ENABLED {
                self.record_node(node);
            }
            self.execute_node(node)?;
            if O::IS_ENABLED {
                self.record_iteration();
            }
            return Ok(StepResult::Continued);
        };
        let index = first + frame.next_inst;
        let inst = program.run_insts(first, len).get(frame.next_inst as usize);
        frame.next_inst += 1;
        if frame.next_inst >= len {
            (frame.next_node, frame.next_inst) = (frame.next_node + 1, 0);
        }
        let Some(inst) = inst else {
            return Ok(StepResult::Continued);
        };
        self.count_step()?;
        if O::IS_ENABLED {
            self.execute_observed(inst, index as usize);
        } else {
            self.execute_inst(inst);
        }
        Ok(if inst.op == Op::Barrier {
            StepResult::Barrier
        } else {
            StepResult::Continued
        })
    }

    /// Executes a node other than a run and counts a step: opens the block of the branch, loop,
    /// switch or call, or leaves blocks. Returns an error if the step limit is exceeded.
    fn execute_node(&mut self, node: &Node) -> Result<(), StepLimitExceeded> {
        self.count_step()?;
        match *node {
            Node::Run { .. } => {}
            Node::If {
                cond,
                then,
                otherwise,
                span: _,
            } => {
                let arm = if self.test_cond(cond) {
                    Some(then)
                } else {
                    otherwise
                };
                let stack = &mut self.current.block_stack;
                arm.into_iter()
                    .for_each(|block| stack.push_block(block, FrameKind::Branch));
            }
            Node::Loop {
                body,
                continuing,
                span: _,
            } => self
                .current
                .block_stack
                .push_block(body, FrameKind::LoopBody(continuing)),
            Node::Switch(id) => self.execute_switch(id),
            Node::Break => {
                let stack = &mut self.current.block_stack;
                stack.pop_until(|kind| matches!(kind, FrameKind::Case | FrameKind::LoopBody(_)));
            }
            Node::Continue => {
                let stack = &mut self.current.block_stack;
                let body = stack.pop_until(|kind| matches!(kind, FrameKind::LoopBody(_)));
                body.into_iter()
                    .for_each(|body| stack.begin_next_iteration(body));
            }
            Node::Call(routine, _) => {
                let body = self.program.routines[routine].body;
                self.current
                    .block_stack
                    .push_block(body, FrameKind::Routine);
            }
            Node::Return => {
                self.current
                    .block_stack
                    .pop_until(|kind| kind == FrameKind::Routine);
            }
        }
        Ok(())
    }

    /// Opens the block of the case that has the value of the selector, else the default block, if
    /// any.
    fn execute_switch(&mut self, id: SwitchId) {
        let switch = &self.program.switches[id];
        let value = self.load_lane(switch.selector) as u32;
        let case = switch
            .cases
            .iter()
            .find(|case| case.values.contains(&value));
        let block = case.map(|case| case.block).or(switch.default);
        let stack = &mut self.current.block_stack;
        block
            .into_iter()
            .for_each(|block| stack.push_block(block, FrameKind::Case));
    }

    /// Returns true if the current invocation satisfies a condition.
    pub(super) fn test_cond(&self, cond: Cond) -> bool {
        match cond {
            Cond::Any(guard) => self.test_guard(guard).contains(&true),
            Cond::NonZero(register, lane, ty) => {
                !super::convert::is_zero(ty, self.load_lane((register, lane)))
            }
        }
    }
}

// The derived order compares the fields in declaration order: an invocation in an earlier iteration
// precedes one in a later iteration, regardless of its position in the iteration.
/// An open block.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BlockFrame {
    /// Number of complete iterations of the loop.
    pub(super) iteration: u64,
    pub(super) kind: FrameKind,
    pub(super) block: BlockId,
    /// Next node.
    pub(super) next_node: usize,
    /// Next instruction of that node.
    pub(super) next_inst: u32,
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
    LoopBody(Option<BlockId>),
    /// `continuing` block of a loop with this body.
    LoopContinuing(BlockId),
}

/// The open blocks of an invocation.
///
/// For invocations that began together, [`compare_order`](Self::compare_order) is the order of lock
/// step: a lesser stack runs first, and invocations with equal stacks complete an instruction
/// together.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct BlockStack(Vec<BlockFrame>);

impl BlockStack {
    /// Compares two stacks: the lesser one is that of the invocation that runs first in lock step.
    /// An invocation inside of a node precedes those that have left it.
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
        stack.push_block(main, FrameKind::Routine);
        stack
    }

    /// Returns true if the main routine has ended.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Opens a block at its first node.
    pub(super) fn push_block(&mut self, block: BlockId, kind: FrameKind) {
        self.push_iteration(block, kind, 0);
    }

    /// Opens a block at its first node; `iteration` is the number of complete iterations of its
    /// loop.
    fn push_iteration(&mut self, block: BlockId, kind: FrameKind, iteration: u64) {
        self.0.push(BlockFrame {
            iteration,
            kind,
            block,
            next_node: 0,
            next_inst: 0,
        });
    }

    /// Closes blocks up to and including the innermost one for which `is_last` holds, and returns
    /// that one. Closes all blocks and returns `None` if there is none.
    pub(super) fn pop_until(&mut self, is_last: impl Fn(FrameKind) -> bool) -> Option<BlockFrame> {
        while let Some(frame) = self.0.pop() {
            if is_last(frame.kind) {
                return Some(frame);
            }
        }
        None
    }

    /// Opens the `continuing` block or the next iteration of a loop after its body, which has been
    /// closed. Does nothing for other blocks.
    pub(super) fn begin_next_iteration(&mut self, body: BlockFrame) {
        match body.kind {
            FrameKind::LoopBody(Some(continuing)) => self.push_iteration(
                continuing,
                FrameKind::LoopContinuing(body.block),
                body.iteration,
            ),
            FrameKind::LoopBody(None) => {
                self.push_iteration(body.block, body.kind, body.iteration + 1)
            }
            FrameKind::Routine
            | FrameKind::Branch
            | FrameKind::Case
            | FrameKind::LoopContinuing(_) => {}
        }
    }

    /// Closes the innermost block at its end; loops open their `continuing` block or next
    /// iteration.
    pub(super) fn end_block(&mut self) {
        let Some(frame) = self.0.pop() else { return };
        match frame.kind {
            FrameKind::Routine | FrameKind::Branch | FrameKind::Case => {}
            FrameKind::LoopBody(_) => self.begin_next_iteration(frame),
            FrameKind::LoopContinuing(body) => self.push_iteration(
                body,
                FrameKind::LoopBody(Some(frame.block)),
                frame.iteration + 1,
            ),
        }
    }

    /// Returns true if the innermost loop or switch is a loop.
    pub(super) fn is_in_loop(&self) -> bool {
        let kinds = self.0.iter().rev().map(|frame| frame.kind);
        let mut kinds = kinds.filter(|kind| {
            matches!(
                kind,
                FrameKind::Case | FrameKind::LoopBody(_) | FrameKind::Routine
            )
        });
        kinds
            .next()
            .is_some_and(|kind| matches!(kind, FrameKind::LoopBody(_)))
    }

    /// Returns the innermost open block, without permission to change it.
    pub(super) fn peek_innermost(&self) -> Option<&BlockFrame> {
        self.0.last()
    }

    /// Returns the innermost open block.
    pub(super) fn get_innermost(&mut self) -> Option<&mut BlockFrame> {
        self.0.last_mut()
    }
}
