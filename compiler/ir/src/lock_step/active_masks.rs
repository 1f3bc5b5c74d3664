//! Control flow that all invocations execute together: real nodes if it is uniform, otherwise
//! masks.
//!
//! A mask is a register whose lane x is 1 in the invocations that run a part of the program, and 0
//! in those that wait.

use super::block_summary::BlockSummary;
use super::emit::{Emitter, EnclosingScopes, InnermostBreakTarget, InsertPoint, emit_barrier};
use super::output_accesses::PendingAccesses;
use crate::builder::Builder;
use crate::exits::Exits;
use crate::inst::{Cond, Src};
use crate::op::Op;
use crate::program::{BlockId, Node, RegisterId, SwitchId};
use crate::span::Span;
use crate::structurize::code;

/// The masks of a loop.
#[derive(Clone, Copy)]
pub(super) struct LoopMasks {
    /// Mask of the invocations that have not left the loop.
    inside: RegisterId,
    /// Mask of the invocations that have not left the iteration.
    round: RegisterId,
}

/// Emits `register.x = op(register.x, other.x)`.
fn emit_combine(builder: &mut Builder, register: RegisterId, op: Op, other: RegisterId) {
    let sources = [register, other].map(Src::register);
    code::emit_op(builder, register, op, &sources);
}

impl Emitter<'_> {
    /// Returns a new mask.
    fn new_mask(&mut self) -> RegisterId {
        code::new_register(&mut self.builder)
    }

    /// Emits `register.x = mask.x`.
    pub(super) fn copy_mask(&mut self, register: RegisterId, mask: Option<RegisterId>) {
        match mask {
            None => code::emit_set(&mut self.builder, register, 1),
            Some(mask) => {
                code::emit_op(&mut self.builder, register, Op::Mov, &[Src::register(mask)])
            }
        }
    }

    /// Restricts the following code to the invocations of `remaining`.
    fn restrict_mask(&mut self, point: &mut InsertPoint, remaining: Option<RegisterId>) {
        let Some(remaining) = remaining else { return };
        if let Some(mask) = point.mask {
            emit_combine(&mut self.builder, mask, Op::And, remaining);
        } else {
            let mask = self.new_mask();
            self.copy_mask(mask, Some(remaining));
            point.mask = Some(mask);
        }
    }

    /// Restricts the following code after nodes that may have left a construct, by the masks of
    /// their exits.
    fn restrict_after(&mut self, left: Exits, point: &mut InsertPoint, around: EnclosingScopes) {
        if left.contains(Exits::RETURN) {
            self.restrict_mask(point, around.routine);
        }
        if left.contains(Exits::CONTINUE) {
            self.restrict_mask(point, around.round.map(|masks| masks.round));
        }
        if !left.is_empty() {
            point.pending.leave();
        }
    }

    /// Emits a uniform branch.
    pub(super) fn emit_branch(
        &mut self,
        cond: Cond,
        (then, otherwise): (BlockId, Option<BlockId>),
        span: Span,
        point: &mut InsertPoint,
        around: EnclosingScopes,
    ) {
        let mut points = [(); 2].map(|()| InsertPoint::new(None, PendingAccesses::default()));
        let [first, second] = &mut points;
        let then = self.emit_inner_block(then, first, around);
        let otherwise = otherwise.map(|block| self.emit_inner_block(block, second, around));
        self.builder.branch(cond, then, otherwise, span);
        let pending = points.map(|point| point.pending);
        point.pending.append_one_of(pending);
    }

    /// Emits a divergent branch: first the invocations that take one way, then the others.
    pub(super) fn emit_masked_branch(
        &mut self,
        cond: Cond,
        (then, otherwise): (BlockId, Option<BlockId>),
        left: Exits,
        point: &mut InsertPoint,
        around: EnclosingScopes,
    ) {
        self.close_masked(point);
        let (taken, other) = (self.new_mask(), self.new_mask());
        code::emit_set(&mut self.builder, taken, 0);
        self.copy_mask(other, point.mask);
        code::emit_if(&mut self.builder, cond, |builder| {
            code::emit_op(builder, taken, Op::Mov, &[Src::register(other)]);
            code::emit_set(builder, other, 0);
        });
        let mut first = InsertPoint::new(Some(taken), PendingAccesses::default());
        self.emit_block(then, &mut first, around);
        let mut second = InsertPoint::new(Some(other), PendingAccesses::default());
        if let Some(otherwise) = otherwise {
            self.emit_block(otherwise, &mut second, around);
        }
        // Accesses of one group need not be visible to the other.
        let crossed = first.pending.crossed || second.pending.crossed;
        if crossed {
            point.pending.record_barrier();
        }
        point.pending.append_one_of([first.pending, second.pending]);
        if !left.is_empty() {
            let mask = point.mask.unwrap_or_else(|| self.new_mask());
            self.copy_mask(mask, Some(taken));
            emit_combine(&mut self.builder, mask, Op::Or, other);
            point.mask = Some(mask);
            point.pending.leave();
        }
    }

    /// Emits a uniform loop.
    pub(super) fn emit_loop(
        &mut self,
        (body, continuing): (BlockId, Option<BlockId>),
        span: Span,
        fact: &BlockSummary,
        point: &mut InsertPoint,
        around: EnclosingScopes,
    ) {
        let around = EnclosingScopes {
            round: None,
            nearest: InnermostBreakTarget::Loop,
            ..around
        };
        let round = || InsertPoint::new(None, PendingAccesses::from_accesses(&fact.effects));
        let body = self.emit_inner_block(body, &mut round(), around);
        let continuing = continuing.map(|block| self.emit_inner_block(block, &mut round(), around));
        self.builder.node(Node::Loop {
            body,
            continuing,
            span,
        });
        point.pending.add(&fact.effects);
    }

    /// Emits a loop that invocations leave independently. The loop ends when a vote finds that no
    /// invocation is in it any longer.
    pub(super) fn emit_masked_loop(
        &mut self,
        (body, continuing): (BlockId, Option<BlockId>),
        span: Span,
        left: Exits,
        point: &mut InsertPoint,
        around: EnclosingScopes,
    ) {
        self.close_masked(point);
        let [inside, round, active] = [(); 3].map(|()| self.new_mask());
        self.copy_mask(inside, point.mask);
        self.builder.open_block();
        self.copy_mask(round, Some(inside));
        self.copy_mask(active, Some(inside));
        let within = EnclosingScopes {
            round: Some(LoopMasks { inside, round }),
            nearest: InnermostBreakTarget::Loop,
            ..around
        };
        // The vote is a barrier at the end of each iteration.
        let mut here = InsertPoint::new(Some(active), PendingAccesses::default());
        self.emit_block(body, &mut here, within);
        let mut end = InsertPoint::new(Some(inside), here.pending);
        if left.contains(Exits::RETURN) {
            self.restrict_mask(&mut end, around.routine);
        }
        end.pending.leave();
        if let Some(continuing) = continuing {
            self.emit_block(continuing, &mut end, within);
        }
        let vote = self.get_vote();
        vote.take(&mut self.builder, inside);
        let body = self.builder.close_block();
        self.builder.node(Node::Loop {
            body,
            continuing: None,
            span,
        });
        emit_barrier(&mut self.builder);
        point.pending.record_barrier();
        self.restrict_after(left, point, around);
    }

    /// Emits a uniform switch.
    pub(super) fn emit_switch(
        &mut self,
        id: SwitchId,
        point: &mut InsertPoint,
        around: EnclosingScopes,
    ) {
        let around = EnclosingScopes {
            nearest: InnermostBreakTarget::Switch,
            ..around
        };
        let mut switch = self.program.switches[id].clone();
        let blocks = switch.cases.iter_mut().map(|case| &mut case.block);
        for block in blocks.chain(&mut switch.default) {
            let mut case = InsertPoint::new(None, PendingAccesses::default());
            *block = self.emit_inner_block(*block, &mut case, around);
        }
        let fact = self
            .facts
            .compute_node_summary(self.program, Node::Switch(id));
        point.pending.add(&fact.effects);
        self.builder.program.switches[id] = switch;
        self.builder.node(Node::Switch(id));
    }

    /// Emits a divergent switch: one case after the other.
    pub(super) fn emit_masked_switch(
        &mut self,
        id: SwitchId,
        left: Exits,
        point: &mut InsertPoint,
        around: EnclosingScopes,
    ) {
        self.close_masked(point);
        let around_cases = EnclosingScopes {
            nearest: InnermostBreakTarget::Switch,
            ..around
        };
        let switch = self.program.switches[id].clone();
        let emptied = &mut self.builder.program.switches[id];
        (emptied.cases, emptied.default) = (Vec::new(), None);
        let [selector, others, equal] = [(); 3].map(|()| self.new_mask());
        let (register, lane) = switch.selector;
        let value = Src::register(register).swizzled(crate::operand::Swizzle::splat(lane));
        code::emit_op(&mut self.builder, selector, Op::Mov, &[value]);
        self.copy_mask(others, point.mask);
        let mut parts = Vec::new();
        for case in switch.cases {
            let mask = self.new_mask();
            code::emit_set(&mut self.builder, mask, 0);
            for value in case.values {
                let value = code::add_word(&mut self.builder, value);
                let sources = [Src::register(selector), value];
                code::emit_op(&mut self.builder, equal, Op::SetEq, &sources);
                emit_combine(&mut self.builder, mask, Op::Or, equal);
            }
            emit_combine(&mut self.builder, mask, Op::And, others);
            emit_combine(&mut self.builder, others, Op::Xor, mask);
            parts.push(self.emit_part(case.block, mask, around_cases));
        }
        if let Some(block) = switch.default {
            parts.push(self.emit_part(block, others, around_cases));
        }
        if parts.iter().any(|part| part.crossed) {
            point.pending.record_barrier();
        }
        point.pending.append_one_of(parts);
        self.restrict_after(left, point, around);
    }

    /// Emits a block for the invocations of a mask; returns it with the accesses pending after it.
    fn emit_part(
        &mut self,
        block: BlockId,
        mask: RegisterId,
        around: EnclosingScopes,
    ) -> PendingAccesses {
        let mut point = InsertPoint::new(Some(mask), PendingAccesses::default());
        self.emit_block(block, &mut point, around);
        point.pending
    }

    /// Emits the exit of all invocations of the mask from a construct.
    pub(super) fn emit_exit(
        &mut self,
        node: Node,
        point: &mut InsertPoint,
        around: EnclosingScopes,
    ) {
        self.close_masked(point);
        let mask = match point.mask {
            Some(mask) => mask,
            // The exit is uniform.
            None => return self.builder.node(node),
        };
        let target = match node {
            Node::Return => around.routine,
            Node::Continue => around.round.map(|masks| masks.round),
            Node::Break if around.nearest == InnermostBreakTarget::Loop => {
                around.round.map(|masks| masks.inside)
            }
            Node::Break
            | Node::Run { .. }
            | Node::If { .. }
            | Node::Loop { .. }
            | Node::Switch(_)
            | Node::Call(..) => None,
        };
        // The mask of a construct includes the masks of nested constructs.
        if let Some(target) = target {
            emit_combine(&mut self.builder, target, Op::Xor, mask);
        }
        code::emit_set(&mut self.builder, mask, 0);
        point.pending.leave();
    }
}
