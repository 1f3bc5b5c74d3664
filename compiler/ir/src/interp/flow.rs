//! Control flow: a stack of open blocks instead of recursion.

use super::texture::Textures;
use super::{Machine, StepLimit};
use crate::inst::Cond;
use crate::program::{BlockId, Node, RoutineId, SwitchId};

/// An open block.
struct Frame {
    block: BlockId,
    /// Next node.
    next: usize,
    kind: FrameKind,
}

/// What happens at the end of a block, and what leaves it.
#[derive(Clone, Copy, PartialEq)]
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

struct Stack(Vec<Frame>);

impl Stack {
    fn open(&mut self, block: BlockId, kind: FrameKind) {
        self.0.push(Frame {
            block,
            next: 0,
            kind,
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
                self.open(continuing, FrameKind::Continuing(body.block))
            }
            FrameKind::Body(None) => self.open(body.block, body.kind),
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
            FrameKind::Continuing(body) => self.open(body, FrameKind::Body(Some(frame.block))),
        }
    }
}

impl<T: Textures> Machine<'_, '_, T> {
    pub(super) fn run(&mut self) -> Result<(), StepLimit> {
        let program = self.program;
        let mut stack = Stack(Vec::new());
        stack.open(program.routines[program.main].body, FrameKind::Routine);
        while let Some(frame) = stack.0.last_mut() {
            match program.block(frame.block).get(frame.next) {
                Some(node) => {
                    frame.next += 1;
                    self.node(&mut stack, node)?;
                }
                None => {
                    // The end of a block is a step, so that loops without instructions reach the limit.
                    self.step()?;
                    stack.fall_off();
                }
            }
        }
        Ok(())
    }

    fn node(&mut self, stack: &mut Stack, node: &Node) -> Result<(), StepLimit> {
        let program = self.program;
        if let Node::Run { first, len } = *node {
            for inst in &program.insts[first as usize..(first + len) as usize] {
                self.step()?;
                self.execute(inst);
            }
            return Ok(());
        }
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
                taken
                    .into_iter()
                    .for_each(|block| stack.open(block, FrameKind::Branch));
            }
            Node::Loop {
                body,
                continuing,
                span: _,
            } => stack.open(body, FrameKind::Body(continuing)),
            Node::Switch(id) => self.switch(stack, id),
            Node::Break => {
                stack.close(|kind| matches!(kind, FrameKind::Case | FrameKind::Body(_)));
            }
            Node::Continue => {
                let body = stack.close(|kind| matches!(kind, FrameKind::Body(_)));
                body.into_iter().for_each(|body| stack.next_round(body));
            }
            Node::Call(routine, _) => self.call(stack, routine),
            Node::Return => {
                stack.close(|kind| kind == FrameKind::Routine);
            }
        }
        Ok(())
    }

    fn call(&self, stack: &mut Stack, routine: RoutineId) {
        stack.open(self.program.routines[routine].body, FrameKind::Routine);
    }

    fn switch(&self, stack: &mut Stack, id: SwitchId) {
        let switch = &self.program.switches[id];
        let value = self.lane(switch.selector) as u32;
        let case = switch
            .cases
            .iter()
            .find(|case| case.values.contains(&value));
        let block = case.map(|case| case.block).or(switch.default);
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
