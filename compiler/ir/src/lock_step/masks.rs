//! Control flow that all invocations execute together: real nodes if it is uniform, otherwise
//! masks.
//!
//! A mask is a register whose lane x is 1 in the invocations that run a part of the program, and 0
//! in those that wait.

use super::effects::Pending;
use super::emit::{Around, Emitter, Nearest, Place, barrier};
use super::facts::Fact;
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
fn combine(builder: &mut Builder, register: RegisterId, op: Op, other: RegisterId) {
    let sources = [register, other].map(Src::register);
    code::put(builder, register, op, &sources);
}

impl Emitter<'_> {
    /// Returns a new mask.
    fn mask(&mut self) -> RegisterId {
        code::new_register(&mut self.builder)
    }

    /// Emits `register.x = mask.x`.
    pub(super) fn copy(&mut self, register: RegisterId, mask: Option<RegisterId>) {
        match mask {
            None => code::set(&mut self.builder, register, 1),
            Some(mask) => code::put(&mut self.builder, register, Op::Mov, &[Src::register(mask)]),
        }
    }

    /// Restricts the following code to the invocations of `stays`.
    fn restrict(&mut self, place: &mut Place, stays: Option<RegisterId>) {
        let Some(stays) = stays else { return };
        if let Some(mask) = place.mask {
            combine(&mut self.builder, mask, Op::And, stays);
        } else {
            let mask = self.mask();
            self.copy(mask, Some(stays));
            place.mask = Some(mask);
        }
    }

    /// Restricts the following code after nodes that may have left a construct, by the masks of
    /// their exits.
    fn restrict_behind(&mut self, left: Exits, place: &mut Place, around: Around) {
        if left.contains(Exits::RETURN) {
            self.restrict(place, around.routine);
        }
        if left.contains(Exits::CONTINUE) {
            self.restrict(place, around.round.map(|masks| masks.round));
        }
        if !left.is_empty() {
            place.pending.leave();
        }
    }

    /// Emits a uniform branch.
    pub(super) fn branch(
        &mut self,
        cond: Cond,
        (then, otherwise): (BlockId, Option<BlockId>),
        span: Span,
        place: &mut Place,
        around: Around,
    ) {
        let mut places = [(); 2].map(|()| Place::new(None, Pending::default()));
        let [first, second] = &mut places;
        let then = self.inner(then, first, around);
        let otherwise = otherwise.map(|block| self.inner(block, second, around));
        self.builder.branch(cond, then, otherwise, span);
        let pending = places.map(|place| place.pending);
        place.pending.follow_one_of(pending);
    }

    /// Emits a divergent branch: first the invocations that take one way, then the others.
    pub(super) fn masked_branch(
        &mut self,
        cond: Cond,
        (then, otherwise): (BlockId, Option<BlockId>),
        left: Exits,
        place: &mut Place,
        around: Around,
    ) {
        self.close(place);
        let (taken, other) = (self.mask(), self.mask());
        code::set(&mut self.builder, taken, 0);
        self.copy(other, place.mask);
        code::when(&mut self.builder, cond, |builder| {
            code::put(builder, taken, Op::Mov, &[Src::register(other)]);
            code::set(builder, other, 0);
        });
        let mut first = Place::new(Some(taken), Pending::default());
        self.block(then, &mut first, around);
        let mut second = Place::new(Some(other), Pending::default());
        if let Some(otherwise) = otherwise {
            self.block(otherwise, &mut second, around);
        }
        // Accesses of one group need not be visible to the other.
        let crossed = first.pending.crossed || second.pending.crossed;
        if crossed {
            place.pending.barrier();
        }
        place.pending.follow_one_of([first.pending, second.pending]);
        if !left.is_empty() {
            let mask = place.mask.unwrap_or_else(|| self.mask());
            self.copy(mask, Some(taken));
            combine(&mut self.builder, mask, Op::Or, other);
            place.mask = Some(mask);
            place.pending.leave();
        }
    }

    /// Emits a uniform loop.
    pub(super) fn repeat(
        &mut self,
        (body, continuing): (BlockId, Option<BlockId>),
        span: Span,
        fact: &Fact,
        place: &mut Place,
        around: Around,
    ) {
        let around = Around {
            round: None,
            nearest: Nearest::Loop,
            ..around
        };
        let round = || Place::new(None, Pending::some(&fact.effects));
        let body = self.inner(body, &mut round(), around);
        let continuing = continuing.map(|block| self.inner(block, &mut round(), around));
        self.builder.node(Node::Loop {
            body,
            continuing,
            span,
        });
        place.pending.add(&fact.effects);
    }

    /// Emits a loop that invocations leave independently. The loop ends when a vote finds that no
    /// invocation is in it any longer.
    pub(super) fn masked_loop(
        &mut self,
        (body, continuing): (BlockId, Option<BlockId>),
        span: Span,
        left: Exits,
        place: &mut Place,
        around: Around,
    ) {
        self.close(place);
        let [inside, round, active] = [(); 3].map(|()| self.mask());
        self.copy(inside, place.mask);
        self.builder.open_block();
        self.copy(round, Some(inside));
        self.copy(active, Some(inside));
        let within = Around {
            round: Some(LoopMasks { inside, round }),
            nearest: Nearest::Loop,
            ..around
        };
        // The vote is a barrier at the end of each iteration.
        let mut here = Place::new(Some(active), Pending::default());
        self.block(body, &mut here, within);
        let mut behind = Place::new(Some(inside), here.pending);
        if left.contains(Exits::RETURN) {
            self.restrict(&mut behind, around.routine);
        }
        behind.pending.leave();
        if let Some(continuing) = continuing {
            self.block(continuing, &mut behind, within);
        }
        let vote = self.vote();
        vote.take(&mut self.builder, inside);
        let body = self.builder.close_block();
        self.builder.node(Node::Loop {
            body,
            continuing: None,
            span,
        });
        barrier(&mut self.builder);
        place.pending.barrier();
        self.restrict_behind(left, place, around);
    }

    /// Emits a uniform switch.
    pub(super) fn switch(&mut self, id: SwitchId, place: &mut Place, around: Around) {
        let around = Around {
            nearest: Nearest::Switch,
            ..around
        };
        let mut switch = self.program.switches[id].clone();
        let blocks = switch.cases.iter_mut().map(|case| &mut case.block);
        for block in blocks.chain(&mut switch.default) {
            let mut case = Place::new(None, Pending::default());
            *block = self.inner(*block, &mut case, around);
        }
        let fact = self.facts.node(self.program, Node::Switch(id));
        place.pending.add(&fact.effects);
        self.builder.program.switches[id] = switch;
        self.builder.node(Node::Switch(id));
    }

    /// Emits a divergent switch: one case after the other.
    pub(super) fn masked_switch(
        &mut self,
        id: SwitchId,
        left: Exits,
        place: &mut Place,
        around: Around,
    ) {
        self.close(place);
        let around_cases = Around {
            nearest: Nearest::Switch,
            ..around
        };
        let switch = self.program.switches[id].clone();
        let emptied = &mut self.builder.program.switches[id];
        (emptied.cases, emptied.default) = (Vec::new(), None);
        let [selector, others, equal] = [(); 3].map(|()| self.mask());
        let (register, lane) = switch.selector;
        let value = Src::register(register).swizzled(crate::operand::Swizzle::splat(lane));
        code::put(&mut self.builder, selector, Op::Mov, &[value]);
        self.copy(others, place.mask);
        let mut parts = Vec::new();
        for case in switch.cases {
            let mask = self.mask();
            code::set(&mut self.builder, mask, 0);
            for value in case.values {
                let value = code::word(&mut self.builder, value);
                let sources = [Src::register(selector), value];
                code::put(&mut self.builder, equal, Op::SetEq, &sources);
                combine(&mut self.builder, mask, Op::Or, equal);
            }
            combine(&mut self.builder, mask, Op::And, others);
            combine(&mut self.builder, others, Op::Xor, mask);
            parts.push(self.part(case.block, mask, around_cases));
        }
        if let Some(block) = switch.default {
            parts.push(self.part(block, others, around_cases));
        }
        if parts.iter().any(|part| part.crossed) {
            place.pending.barrier();
        }
        place.pending.follow_one_of(parts);
        self.restrict_behind(left, place, around);
    }

    /// Emits a block for the invocations of a mask; returns it with the accesses pending after it.
    fn part(&mut self, block: BlockId, mask: RegisterId, around: Around) -> Pending {
        let mut place = Place::new(Some(mask), Pending::default());
        self.block(block, &mut place, around);
        place.pending
    }

    /// Emits the exit of all invocations of the mask from a construct.
    pub(super) fn leave(&mut self, node: Node, place: &mut Place, around: Around) {
        self.close(place);
        let mask = match place.mask {
            Some(mask) => mask,
            // The exit is uniform.
            None => return self.builder.node(node),
        };
        let target = match node {
            Node::Return => around.routine,
            Node::Continue => around.round.map(|masks| masks.round),
            Node::Break if around.nearest == Nearest::Loop => {
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
            combine(&mut self.builder, target, Op::Xor, mask);
        }
        code::set(&mut self.builder, mask, 0);
        place.pending.leave();
    }
}
