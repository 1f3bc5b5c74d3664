//! Control flow that all invocations execute together: real nodes if it is uniform, otherwise
//! masks.
//!
//! A mask is a register whose lane x is 1 in the invocations that run a part of the program, and 0
//! in those that wait.

use super::block_summary::{BlockSummary, PendingAccesses};
use super::emit::{
    BarrierEmitter, EnclosingScopes, InnermostBreakTarget, InsertPoint, emit_barrier,
};
use crate::builder::Builder;
use crate::inst::{Cond, Src};
use crate::op::Op;
use crate::program::{BlockExits, BlockId, Node, RegisterId, SwitchId};
use crate::span::Span;
use crate::structurize::selector;

/// The masks of a loop.
#[derive(Clone, Copy)]
pub(super) struct LoopMasks {
    /// Mask of the invocations that have not left the loop.
    inside: RegisterId,
    /// Mask of the invocations that have not left the iteration.
    iteration: RegisterId,
}

/// Emits `register.x = op(register.x, other.x)`.
fn emit_combine(builder: &mut Builder, register: RegisterId, op: Op, other: RegisterId) {
    let sources = [register, other].map(Src::from_register);
    selector::emit_op(builder, register, op, &sources);
}

impl BarrierEmitter<'_> {
    /// Returns a new mask.
    fn new_mask(&mut self) -> RegisterId {
        selector::push_register(&mut self.builder)
    }

    /// Emits `register.x = mask.x`, or 1 without a mask: all invocations are active.
    pub(super) fn copy_mask(&mut self, register: RegisterId, mask: Option<RegisterId>) {
        match mask {
            None => selector::emit_set_word(&mut self.builder, register, 1),
            Some(mask) => selector::emit_op(
                &mut self.builder,
                register,
                Op::Mov,
                &[Src::from_register(mask)],
            ),
        }
    }

    /// Restricts the following code to the invocations of the mask `remaining`, in addition to
    /// those of the mask of `point`, which gets a mask if it has none. Does nothing for `None`.
    fn emit_mask_restriction(&mut self, point: &mut InsertPoint, remaining: Option<RegisterId>) {
        let Some(remaining) = remaining else { return };
        if let Some(mask) = point.mask {
            emit_combine(&mut self.builder, mask, Op::And, remaining);
        } else {
            let mask = self.new_mask();
            self.copy_mask(mask, Some(remaining));
            point.mask = Some(mask);
        }
    }

    /// Restricts the code after nodes that only some invocations may have left by `exits` to those
    /// that remain in the enclosing routine and iteration.
    fn emit_restriction_after(
        &mut self,
        exits: BlockExits,
        point: &mut InsertPoint,
        scopes: EnclosingScopes,
    ) {
        if exits.contains(BlockExits::RETURN) {
            self.emit_mask_restriction(point, scopes.routine_mask);
        }
        if exits.contains(BlockExits::CONTINUE) {
            self.emit_mask_restriction(point, scopes.loop_masks.map(|masks| masks.iteration));
        }
        if !exits.is_empty() {
            point.pending.record_inactive_invocations();
        }
    }

    /// Emits a branch that all invocations take in the same direction, so that its arms need no
    /// mask, and adds the accesses of its arms to those pending at `point`.
    pub(super) fn emit_branch(
        &mut self,
        cond: Cond,
        (then, otherwise): (BlockId, Option<BlockId>),
        span: Span,
        point: &mut InsertPoint,
        scopes: EnclosingScopes,
    ) {
        let mut points = [(); 2].map(|()| InsertPoint::new(None, PendingAccesses::default()));
        let [first, second] = &mut points;
        let then = self.emit_inner_block(then, first, scopes);
        let otherwise = otherwise.map(|block| self.emit_inner_block(block, second, scopes));
        self.builder.push_branch(cond, then, otherwise, span);
        let pending = points.map(|point| point.pending);
        point.pending.append_alternatives(pending);
    }

    /// Emits a divergent branch: first the invocations that take one way, then the others.
    /// Afterwards those that left by `exits` are not in the mask of `point`.
    pub(super) fn emit_masked_branch(
        &mut self,
        cond: Cond,
        (then, otherwise): (BlockId, Option<BlockId>),
        exits: BlockExits,
        point: &mut InsertPoint,
        scopes: EnclosingScopes,
    ) {
        self.close_masked(point);
        let (taken, other) = (self.new_mask(), self.new_mask());
        selector::emit_set_word(&mut self.builder, taken, 0);
        self.copy_mask(other, point.mask);
        selector::emit_if(&mut self.builder, cond, |builder| {
            selector::emit_op(builder, taken, Op::Mov, &[Src::from_register(other)]);
            selector::emit_set_word(builder, other, 0);
        });
        let mut first = InsertPoint::new(Some(taken), PendingAccesses::default());
        self.emit_block(then, &mut first, scopes);
        let mut second = InsertPoint::new(Some(other), PendingAccesses::default());
        if let Some(otherwise) = otherwise {
            self.emit_block(otherwise, &mut second, scopes);
        }
        // Accesses of one group need not be visible to the other.
        let has_barrier = first.pending.has_barrier || second.pending.has_barrier;
        if has_barrier {
            point.pending.record_barrier();
        }
        point
            .pending
            .append_alternatives([first.pending, second.pending]);
        if !exits.is_empty() {
            let mask = point.mask.unwrap_or_else(|| self.new_mask());
            self.copy_mask(mask, Some(taken));
            emit_combine(&mut self.builder, mask, Op::Or, other);
            point.mask = Some(mask);
            point.pending.record_inactive_invocations();
        }
    }

    /// Emits a loop that all invocations run and leave together, so that its body needs no mask.
    /// All accesses of the loop are pending in its body and after it.
    pub(super) fn emit_loop(
        &mut self,
        (body, continuing): (BlockId, Option<BlockId>),
        span: Span,
        summary: &BlockSummary,
        point: &mut InsertPoint,
        scopes: EnclosingScopes,
    ) {
        let scopes = EnclosingScopes {
            loop_masks: None,
            break_target: InnermostBreakTarget::Loop,
            ..scopes
        };
        let start_point =
            || InsertPoint::new(None, PendingAccesses::from_accesses(&summary.accesses));
        let body = self.emit_inner_block(body, &mut start_point(), scopes);
        let continuing =
            continuing.map(|block| self.emit_inner_block(block, &mut start_point(), scopes));
        self.builder.push_node(Node::Loop {
            body,
            continuing,
            span,
        });
        point.pending.add(&summary.accesses);
    }

    /// Emits a loop that invocations leave independently. The loop ends when a vote finds that no
    /// invocation is in it any longer. Its `continuing` block becomes part of the body, and a
    /// barrier follows the loop.
    pub(super) fn emit_masked_loop(
        &mut self,
        (body, continuing): (BlockId, Option<BlockId>),
        span: Span,
        exits: BlockExits,
        point: &mut InsertPoint,
        scopes: EnclosingScopes,
    ) {
        self.close_masked(point);
        let [inside, iteration, active] = [(); 3].map(|()| self.new_mask());
        self.copy_mask(inside, point.mask);
        self.builder.open_block();
        self.copy_mask(iteration, Some(inside));
        self.copy_mask(active, Some(inside));
        let loop_scopes = EnclosingScopes {
            loop_masks: Some(LoopMasks { inside, iteration }),
            break_target: InnermostBreakTarget::Loop,
            ..scopes
        };
        // The vote is a barrier at the end of each iteration.
        let mut body_point = InsertPoint::new(Some(active), PendingAccesses::default());
        self.emit_block(body, &mut body_point, loop_scopes);
        let mut end = InsertPoint::new(Some(inside), body_point.pending);
        if exits.contains(BlockExits::RETURN) {
            self.emit_mask_restriction(&mut end, scopes.routine_mask);
        }
        end.pending.record_inactive_invocations();
        if let Some(continuing) = continuing {
            self.emit_block(continuing, &mut end, loop_scopes);
        }
        let vote = self.get_or_create_vote();
        vote.emit_vote(&mut self.builder, inside);
        let body = self.builder.close_block();
        self.builder.push_node(Node::Loop {
            body,
            continuing: None,
            span,
        });
        emit_barrier(&mut self.builder);
        point.pending.record_barrier();
        self.emit_restriction_after(exits, point, scopes);
    }

    /// Emits a switch whose selector is equal in all invocations, so that its cases need no mask,
    /// and adds its accesses to those pending at `point`.
    pub(super) fn emit_switch(
        &mut self,
        id: SwitchId,
        point: &mut InsertPoint,
        scopes: EnclosingScopes,
    ) {
        let scopes = EnclosingScopes {
            break_target: InnermostBreakTarget::Switch,
            ..scopes
        };
        let mut switch = self.program.switches[id].clone();
        let blocks = switch.cases.iter_mut().map(|case| &mut case.block);
        for block in blocks.chain(&mut switch.default) {
            let mut case = InsertPoint::new(None, PendingAccesses::default());
            *block = self.emit_inner_block(*block, &mut case, scopes);
        }
        let summary = self
            .summary
            .compute_node_summary(self.program, Node::Switch(id));
        point.pending.add(&summary.accesses);
        self.builder.program.switches[id] = switch;
        self.builder.push_node(Node::Switch(id));
    }

    /// Emits a divergent switch as blocks with masks: one case after the other, then the default,
    /// so that breaks need no jump. The switch becomes empty.
    pub(super) fn emit_masked_switch(
        &mut self,
        id: SwitchId,
        exits: BlockExits,
        point: &mut InsertPoint,
        scopes: EnclosingScopes,
    ) {
        self.close_masked(point);
        let around_cases = EnclosingScopes {
            break_target: InnermostBreakTarget::Switch,
            ..scopes
        };
        let switch = self.program.switches[id].clone();
        let emptied = &mut self.builder.program.switches[id];
        (emptied.cases, emptied.default) = (Vec::new(), None);
        let [selector, others, equal] = [(); 3].map(|()| self.new_mask());
        let (register, lane) = switch.selector;
        let value = Src::from_register(register).swizzled(crate::operand::Swizzle::splat(lane));
        selector::emit_op(&mut self.builder, selector, Op::Mov, &[value]);
        self.copy_mask(others, point.mask);
        let mut pending_by_case = Vec::new();
        for case in switch.cases {
            let mask = self.new_mask();
            selector::emit_set_word(&mut self.builder, mask, 0);
            for value in case.values {
                let value = selector::push_word_literal(&mut self.builder, value);
                let sources = [Src::from_register(selector), value];
                selector::emit_op(&mut self.builder, equal, Op::SetEq, &sources);
                emit_combine(&mut self.builder, mask, Op::Or, equal);
            }
            emit_combine(&mut self.builder, mask, Op::And, others);
            emit_combine(&mut self.builder, others, Op::Xor, mask);
            pending_by_case.push(self.emit_masked_case(case.block, mask, around_cases));
        }
        if let Some(block) = switch.default {
            pending_by_case.push(self.emit_masked_case(block, others, around_cases));
        }
        if pending_by_case.iter().any(|part| part.has_barrier) {
            point.pending.record_barrier();
        }
        point.pending.append_alternatives(pending_by_case);
        self.emit_restriction_after(exits, point, scopes);
    }

    /// Emits a block for the invocations of a mask into the open block; returns the accesses
    /// pending after it.
    fn emit_masked_case(
        &mut self,
        block: BlockId,
        mask: RegisterId,
        scopes: EnclosingScopes,
    ) -> PendingAccesses {
        let mut point = InsertPoint::new(Some(mask), PendingAccesses::default());
        self.emit_block(block, &mut point, scopes);
        point.pending
    }

    /// Emits `Break`, `Continue` or `Return` for the invocations of the mask of `point`: they are
    /// removed from that mask and from the masks of the constructs that they leave. Without a mask
    /// all invocations take the exit, which is emitted unchanged.
    pub(super) fn emit_masked_exit(
        &mut self,
        node: Node,
        point: &mut InsertPoint,
        scopes: EnclosingScopes,
    ) {
        self.close_masked(point);
        let mask = match point.mask {
            Some(mask) => mask,
            // The exit is uniform.
            None => return self.builder.push_node(node),
        };
        let target = match node {
            Node::Return => scopes.routine_mask,
            Node::Continue => scopes.loop_masks.map(|masks| masks.iteration),
            Node::Break if scopes.break_target == InnermostBreakTarget::Loop => {
                scopes.loop_masks.map(|masks| masks.inside)
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
        selector::emit_set_word(&mut self.builder, mask, 0);
        point.pending.record_inactive_invocations();
    }
}
