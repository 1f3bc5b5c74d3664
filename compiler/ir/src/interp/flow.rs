//! Control flow: a stack of open blocks instead of recursion.

use std::cmp::Ordering;

use super::texture::Textures;
use super::{Machine, StepLimit};
use crate::inst::Cond;
use crate::op::Op;
use crate::program::{BlockId, Node, SwitchId};

/// An open block.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Frame {
    /// Rounds of the loop that are complete.
    round: u64,
    kind: FrameKind,
    block: BlockId,
    /// Next node.
    next: usize,
    /// Next instruction of that node.
    inst: u32,
}

/// What happens at the end of a block, and what leaves it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FrameKind {
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

/// The blocks that an invocation is in.
///
/// Where invocations began together, their stacks compare in the order of lock step: who is less is behind, and those that have to end an
/// instruction together are equal.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Stack(Vec<Frame>);

impl PartialOrd for Stack {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Stack {
    fn cmp(&self, other: &Self) -> Ordering {
        let frames = self.0.iter().zip(&other.0);
        let mut differing = frames.map(|(a, b)| a.cmp(b));
        let first = differing.find(|order| order.is_ne());
        // Who is inside of a node is behind those that have left it.
        first.unwrap_or_else(|| other.0.len().cmp(&self.0.len()))
    }
}

/// What a step of an invocation was.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It goes on.
    Ran,
    /// It has come to a barrier.
    Barrier,
    /// It has ended.
    Ended,
}

impl Stack {
    /// At the start of the main routine.
    pub(super) fn new(main: BlockId) -> Self {
        let mut stack = Self::default();
        stack.open(main, FrameKind::Routine);
        stack
    }

    /// Whether the main routine has ended.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn open(&mut self, block: BlockId, kind: FrameKind) {
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
    fn close(&mut self, is_last: impl Fn(FrameKind) -> bool) -> Option<Frame> {
        while let Some(frame) = self.0.pop() {
            if is_last(frame.kind) {
                return Some(frame);
            }
        }
        None
    }

    /// From the body of a loop to its `continuing` block or its next round.
    fn next_round(&mut self, body: Frame) {
        match body.kind {
            FrameKind::Body(Some(continuing)) => {
                self.open_round(continuing, FrameKind::Continuing(body.block), body.round)
            }
            FrameKind::Body(None) => self.open_round(body.block, body.kind, body.round + 1),
            FrameKind::Routine | FrameKind::Branch | FrameKind::Case | FrameKind::Continuing(_) => {
            }
        }
    }

    /// What follows the end of a block.
    fn fall_off(&mut self) {
        let Some(frame) = self.0.pop() else { return };
        match frame.kind {
            FrameKind::Routine | FrameKind::Branch | FrameKind::Case => {}
            FrameKind::Body(_) => self.next_round(frame),
            FrameKind::Continuing(body) => {
                self.open_round(body, FrameKind::Body(Some(frame.block)), frame.round + 1)
            }
        }
    }
}

impl<T: Textures> Machine<'_, '_, T> {
    /// Runs an instruction, another node, or the end of a block.
    pub(super) fn advance(&mut self) -> Result<Step, StepLimit> {
        let program = self.program;
        let Some(frame) = self.own.stack.0.last_mut() else {
            return Ok(Step::Ended);
        };
        let Some(node) = program.block(frame.block).get(frame.next) else {
            // The end of a block is a step, so that loops without instructions reach the limit.
            self.step()?;
            self.own.stack.fall_off();
            return Ok(Step::Ran);
        };
        let Node::Run { first, len } = *node else {
            frame.next += 1;
            self.node(node)?;
            return Ok(Step::Ran);
        };
        let inst = program.run(first, len).get(frame.inst as usize);
        frame.inst += 1;
        if frame.inst >= len {
            (frame.next, frame.inst) = (frame.next + 1, 0);
        }
        let Some(inst) = inst else {
            return Ok(Step::Ran);
        };
        self.step()?;
        self.execute(inst);
        Ok(if inst.op == Op::Barrier {
            Step::Barrier
        } else {
            Step::Ran
        })
    }

    fn node(&mut self, node: &Node) -> Result<(), StepLimit> {
        self.step()?;
        match *node {
            Node::Run { .. } => {}
            Node::If {
                cond,
                then,
                otherwise,
                span: _,
            } => {
                let taken = if self.holds(cond) {
                    Some(then)
                } else {
                    otherwise
                };
                let stack = &mut self.own.stack;
                taken
                    .into_iter()
                    .for_each(|block| stack.open(block, FrameKind::Branch));
            }
            Node::Loop {
                body,
                continuing,
                span: _,
            } => self.own.stack.open(body, FrameKind::Body(continuing)),
            Node::Switch(id) => self.switch(id),
            Node::Break => {
                let stack = &mut self.own.stack;
                stack.close(|kind| matches!(kind, FrameKind::Case | FrameKind::Body(_)));
            }
            Node::Continue => {
                let stack = &mut self.own.stack;
                let body = stack.close(|kind| matches!(kind, FrameKind::Body(_)));
                body.into_iter().for_each(|body| stack.next_round(body));
            }
            Node::Call(routine, _) => {
                let body = self.program.routines[routine].body;
                self.own.stack.open(body, FrameKind::Routine);
            }
            Node::Return => {
                self.own.stack.close(|kind| kind == FrameKind::Routine);
            }
        }
        Ok(())
    }

    fn switch(&mut self, id: SwitchId) {
        let switch = &self.program.switches[id];
        let value = self.lane(switch.selector) as u32;
        let case = switch
            .cases
            .iter()
            .find(|case| case.values.contains(&value));
        let block = case.map(|case| case.block).or(switch.default);
        let stack = &mut self.own.stack;
        block
            .into_iter()
            .for_each(|block| stack.open(block, FrameKind::Case));
    }

    fn holds(&self, cond: Cond) -> bool {
        match cond {
            Cond::Any(guard) => self.passes(guard).contains(&true),
            Cond::NonZero(register, lane, ty) => {
                !super::value::is_zero(ty, self.lane((register, lane)))
            }
        }
    }
}
