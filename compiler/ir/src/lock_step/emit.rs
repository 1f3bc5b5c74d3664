//! Emits the routines that contain barriers.

use super::active_masks::LoopMasks;
use super::block_summary::{BlockSummary, ProgramSummary};
use super::output_accesses::{PendingAccesses, Writers, find_accesses};
use super::uniformity::{Flow, Uniformity};
use super::vote::Vote;
use crate::arena::IndexVec;
use crate::builder::Builder;
use crate::exits::Exits;
use crate::inst::{Aux, Inst, InstFlags};
use crate::op::Op;
use crate::program::{BlockId, Node, Program, RegisterId, RoutineId};
use crate::span::Span;
use crate::structurize::code;
use crate::types::Type;

/// Targets of the nodes that leave blocks.
#[derive(Clone, Copy)]
pub(super) struct EnclosingScopes {
    /// The mask of the invocations that have not left the routine; `None` if they leave it
    /// together.
    pub(super) routine: Option<RegisterId>,
    /// The innermost loop; `None` if all invocations leave it together, by nodes.
    pub(super) round: Option<LoopMasks>,
    /// Construct that [`Node::Break`] leaves.
    pub(super) nearest: InnermostBreakTarget,
}

/// Construct that [`Node::Break`] leaves.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum InnermostBreakTarget {
    Loop,
    Switch,
}

/// The position at which code is emitted.
pub(super) struct InsertPoint {
    /// Lane x is 1 in the invocations that run the following code, else 0; `None` if all run it.
    pub(super) mask: Option<RegisterId>,
    /// True if a block for the invocations of the mask is open.
    is_open: bool,
    pub(super) pending: PendingAccesses,
}

impl InsertPoint {
    pub(super) fn new(mask: Option<RegisterId>, pending: PendingAccesses) -> Self {
        Self {
            mask,
            is_open: false,
            pending,
        }
    }
}

pub(super) struct Emitter<'p> {
    pub(super) builder: Builder,
    pub(super) program: &'p Program,
    pub(super) facts: &'p ProgramSummary,
    pub(super) uniformity: &'p Uniformity<'p>,
    pub(super) vote: Option<Vote>,
    /// Mask registers of the routines with barriers that only some invocations enter.
    entries: IndexVec<RoutineId, Option<RegisterId>>,
}

/// Returns the program with barriers.
pub(super) fn emit(
    program: &Program,
    facts: &ProgramSummary,
    uniformity: &Uniformity<'_>,
) -> Program {
    let mut lowered = program.clone();
    lowered.modes.lock_step = false;
    let mut entries = IndexVec::new();
    entries.grow(program.routines.len(), None);
    let mut emitter = Emitter {
        builder: Builder::new(lowered),
        program,
        facts,
        uniformity,
        vote: None,
        entries,
    };
    // Main is emitted last and begins with the initialization for the others.
    for &routine in &facts.order {
        if facts.get_routine(program, routine).needs_barrier {
            emitter.emit_routine(routine);
        }
    }
    emitter.builder.finish().0
}

impl Emitter<'_> {
    fn emit_routine(&mut self, id: RoutineId) {
        let body = self.program.routines[id].body;
        let mask = match self.uniformity.get_routine_flow(id) {
            Flow::Uniform => None,
            Flow::Divergent => Some(code::new_register(&mut self.builder)),
        };
        self.entries[id] = mask;
        let tail = self.facts.find_tail(self.program, body);
        let (waiting, tail) = self.program.block(body).split_at(tail);
        let returns = |node: &Node| self.find_exits(*node, mask).contains(Exits::RETURN);
        let is_left = waiting.iter().any(returns);
        self.builder.open_block();
        let alive = if is_left {
            let alive = code::new_register(&mut self.builder);
            self.copy_mask(alive, mask);
            Some(alive)
        } else {
            None
        };
        let around = EnclosingScopes {
            routine: alive,
            round: None,
            nearest: InnermostBreakTarget::Loop,
        };
        let mut point = InsertPoint::new(mask, PendingAccesses::default());
        for &node in waiting {
            self.emit_node(node, &mut point, around);
        }
        self.emit_unchanged(tail, &mut point);
        self.close_masked(&mut point);
        if id == self.program.main {
            self.begin_main();
        }
        self.builder.close_block_as(body);
    }

    /// Emits the initialization of the votes before the nodes of main.
    fn begin_main(&mut self) {
        let Some(vote) = self.vote else { return };
        let nodes = self.builder.take_nodes();
        self.builder.open_block();
        vote.begin(&mut self.builder);
        emit_barrier(&mut self.builder);
        nodes.into_iter().for_each(|node| self.builder.node(node));
    }

    /// Emits the nodes of a block.
    pub(super) fn emit_block(
        &mut self,
        id: BlockId,
        point: &mut InsertPoint,
        around: EnclosingScopes,
    ) {
        self.builder.program.blocks[id].len = 0;
        for &node in self.program.block(id) {
            self.emit_node(node, point, around);
        }
        self.close_masked(point);
    }

    /// Emits the nodes of a block as a separate block and returns it.
    pub(super) fn emit_inner_block(
        &mut self,
        id: BlockId,
        point: &mut InsertPoint,
        around: EnclosingScopes,
    ) -> BlockId {
        self.builder.open_block();
        self.emit_block(id, point, around);
        self.builder.close_block()
    }

    fn emit_node(&mut self, node: Node, point: &mut InsertPoint, around: EnclosingScopes) {
        if let Node::Run { first, len } = node {
            return self.emit_run(first, len, point);
        }
        let fact = self.facts.compute_node_summary(self.program, node);
        let left = self.find_exits(node, point.mask);
        if !fact.needs_barrier && left.is_empty() {
            return self.emit_unchanged(&[node], point);
        }
        self.emit_pending_barrier(&fact, point);
        match node {
            Node::Run { .. } => {}
            Node::If {
                cond,
                then,
                otherwise,
                span,
            } => {
                if point.mask.is_none() && !self.uniformity.is_divergent(node) {
                    self.emit_branch(cond, (then, otherwise), span, point, around);
                } else {
                    self.emit_masked_branch(cond, (then, otherwise), left, point, around);
                }
            }
            Node::Loop {
                body,
                continuing,
                span,
            } => {
                if point.mask.is_none() && !self.uniformity.is_divergent(node) {
                    self.emit_loop((body, continuing), span, &fact, point, around);
                } else {
                    self.emit_masked_loop((body, continuing), span, left, point, around);
                }
            }
            Node::Switch(id) => {
                if point.mask.is_none() && !self.uniformity.is_divergent(node) {
                    self.emit_switch(id, point, around);
                } else {
                    self.emit_masked_switch(id, left, point, around);
                }
            }
            Node::Break | Node::Continue | Node::Return => self.emit_exit(node, point, around),
            Node::Call(callee, span) => self.emit_call(callee, span, &fact, point),
        }
    }

    /// Returns the exits of a node that the invocations of the mask do not take together.
    fn find_exits(&self, node: Node, mask: Option<RegisterId>) -> Exits {
        match mask {
            None => self.uniformity.find_divergent_exits(node),
            Some(_) => self.facts.compute_node_summary(self.program, node).exits,
        }
    }

    /// Emits a barrier if an access in a node must wait for pending ones.
    fn emit_pending_barrier(&mut self, fact: &BlockSummary, point: &mut InsertPoint) {
        if point.pending.must_delay(&fact.effects, Writers::Some) {
            self.emit_barrier_at(point);
        }
    }

    /// Emits nodes without barriers unchanged.
    fn emit_unchanged(&mut self, nodes: &[Node], point: &mut InsertPoint) {
        let facts = nodes
            .iter()
            .map(|&node| self.facts.compute_node_summary(self.program, node));
        let facts: Vec<BlockSummary> = facts.collect();
        if (facts.iter()).any(|fact| point.pending.must_delay(&fact.effects, Writers::Some)) {
            self.emit_barrier_at(point);
        }
        for (&node, fact) in nodes.iter().zip(&facts) {
            self.open_masked(point);
            self.builder.node(node);
            point.pending.add(&fact.effects);
        }
    }

    /// Emits instructions, with barriers between them.
    fn emit_run(&mut self, first: u32, len: u32, point: &mut InsertPoint) {
        let mut start = first;
        for (position, inst) in (first..).zip(self.program.run(first, len)) {
            let (effects, writers) = find_accesses(self.program, inst);
            if inst.op == Op::Barrier {
                self.emit_insts(start, position, point);
                start = position + 1;
                self.close_masked(point);
                self.builder.node(Node::Run {
                    first: position,
                    len: 1,
                });
                point.pending.record_barrier();
            } else if point.pending.must_delay(&effects, writers) {
                self.emit_insts(start, position, point);
                start = position;
                self.emit_barrier_at(point);
            }
            point.pending.add(&effects);
        }
        self.emit_insts(start, first + len, point);
    }

    fn emit_insts(&mut self, start: u32, end: u32, point: &mut InsertPoint) {
        if start < end {
            self.open_masked(point);
            let len = end - start;
            self.builder.node(Node::Run { first: start, len });
        }
    }

    /// Emits a call of a routine that contains barriers.
    fn emit_call(
        &mut self,
        callee: RoutineId,
        span: Span,
        fact: &BlockSummary,
        point: &mut InsertPoint,
    ) {
        self.close_masked(point);
        if let Some(entry) = self.entries[callee] {
            self.copy_mask(entry, point.mask);
        }
        self.builder.node(Node::Call(callee, span));
        point.pending.add(&fact.effects);
    }

    /// Opens the block for the invocations of the mask, if there is one and it is not open.
    fn open_masked(&mut self, point: &mut InsertPoint) {
        if point.mask.is_some() && !point.is_open {
            self.builder.open_block();
            point.is_open = true;
        }
    }

    /// Closes that block, so that all invocations run the following code.
    pub(super) fn close_masked(&mut self, point: &mut InsertPoint) {
        if let Some(mask) = point.mask
            && std::mem::take(&mut point.is_open)
        {
            let block = self.builder.close_block();
            let cond = code::test_non_zero(mask);
            self.builder.branch(cond, block, None, Span::default());
        }
    }

    fn emit_barrier_at(&mut self, point: &mut InsertPoint) {
        self.close_masked(point);
        emit_barrier(&mut self.builder);
        point.pending.record_barrier();
    }
}

/// Emits a barrier into the open block.
pub(super) fn emit_barrier(builder: &mut Builder) {
    let inst = Inst {
        op: Op::Barrier,
        ty: Type::U32,
        flags: InstFlags::empty(),
        source_count: 0,
        first_source: 0,
        dst: None,
        aux: Aux::None,
        span: Span::default(),
    };
    builder.inst(inst, &[]);
}
