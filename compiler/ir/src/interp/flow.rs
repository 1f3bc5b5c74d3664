//! Control flow: execution of an invocation step by step.

use super::environment::Textures;
use super::machine::{Machine, StepLimit};
use super::stack::FrameKind;
use crate::inst::Cond;
use crate::op::Op;
use crate::program::{Node, SwitchId};

/// Result of a step of an invocation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The invocation continues.
    Ran,
    /// It has reached a barrier.
    Barrier,
    /// It has ended.
    Ended,
}

impl<T: Textures> Machine<'_, '_, T> {
    /// Executes an instruction, another node, or the end of a block.
    pub(super) fn advance(&mut self) -> Result<Step, StepLimit> {
        let program = self.program;
        let Some(frame) = self.own.stack.get_innermost() else {
            return Ok(Step::Ended);
        };
        let Some(node) = program.block(frame.block).get(frame.next) else {
            // The end of a block is a step, so that loops without instructions reach the limit.
            self.count_step()?;
            self.own.stack.leave_block();
            return Ok(Step::Ran);
        };
        let Node::Run { first, len } = *node else {
            frame.next += 1;
            self.execute_node(node)?;
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
        self.count_step()?;
        self.execute(inst);
        Ok(if inst.op == Op::Barrier {
            Step::Barrier
        } else {
            Step::Ran
        })
    }

    fn execute_node(&mut self, node: &Node) -> Result<(), StepLimit> {
        self.count_step()?;
        match *node {
            Node::Run { .. } => {}
            Node::If {
                cond,
                then,
                otherwise,
                span: _,
            } => {
                let taken = if self.test_cond(cond) {
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
            Node::Switch(id) => self.execute_switch(id),
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

    fn execute_switch(&mut self, id: SwitchId) {
        let switch = &self.program.switches[id];
        let value = self.load_lane(switch.selector) as u32;
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

    fn test_cond(&self, cond: Cond) -> bool {
        match cond {
            Cond::Any(guard) => self.test_guard(guard).contains(&true),
            Cond::NonZero(register, lane, ty) => {
                !super::value::is_zero(ty, self.load_lane((register, lane)))
            }
        }
    }
}
