//! Emits the routines that contain barriers.

use super::active_masks::LoopMasks;
use super::block_summary::{
    BlockSummary, PendingAccesses, ProgramSummary, WriterSet, find_accesses,
};
use super::uniformity::{FlowUniformity, Uniformity};
use super::vote::Vote;
use crate::arena::IndexVec;
use crate::builder::Builder;
use crate::inst::{Inst, InstData, InstFlags};
use crate::op::Op;
use crate::program::{BlockExits, BlockId, Node, Program, RegisterId, RoutineId};
use crate::span::Span;
use crate::structurize::selector;
use crate::types::Type;

/// Targets of the nodes that leave blocks.
#[derive(Clone, Copy)]
pub(super) struct EnclosingScopes {
    /// The mask of the invocations that have not left the routine; `None` if they leave it
    /// together.
    pub(super) routine_mask: Option<RegisterId>,
    /// The innermost loop; `None` if all invocations leave it together, by nodes.
    pub(super) loop_masks: Option<LoopMasks>,
    /// Construct that [`Node::Break`] leaves.
    pub(super) break_target: InnermostBreakTarget,
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
    /// Returns a position at which the block for the invocations of the mask is not open. Without a
    /// mask all invocations run the code.
    pub(super) fn new(mask: Option<RegisterId>, pending: PendingAccesses) -> Self {
        Self {
            mask,
            is_open: false,
            pending,
        }
    }
}

pub(super) struct BarrierEmitter<'p> {
    pub(super) builder: Builder,
    pub(super) program: &'p Program,
    pub(super) summary: &'p ProgramSummary,
    pub(super) uniformity: &'p Uniformity<'p>,
    pub(super) vote: Option<Vote>,
    /// Mask registers of the routines with barriers that only some invocations enter.
    entry_masks: IndexVec<RoutineId, Option<RegisterId>>,
}

/// Returns the program with barriers that implement lock step and without the mode for it. Routines
/// that need no barrier are unchanged.
pub(super) fn emit_program(
    program: &Program,
    summary: &ProgramSummary,
    uniformity: &Uniformity<'_>,
) -> Program {
    let mut lowered = program.clone();
    lowered.modes.lockstep = false;
    let mut entries = IndexVec::new();
    entries.grow(program.routines.len(), None);
    let mut emitter = BarrierEmitter {
        builder: Builder::new(lowered),
        program,
        summary,
        uniformity,
        vote: None,
        entry_masks: entries,
    };
    // Main is emitted last and begins with the initialization for the others.
    for &routine in &summary.order {
        if summary.get_routine(program, routine).needs_barrier {
            emitter.emit_routine(routine);
        }
    }
    emitter.builder.finish().0
}

impl BarrierEmitter<'_> {
    /// Emits the body of a routine with barriers, which replaces the original. It has a mask if it is
    /// called in divergent control flow or left before its end.
    fn emit_routine(&mut self, id: RoutineId) {
        let body = self.program.routines[id].body;
        let mask = match self.uniformity.get_routine_flow(id) {
            FlowUniformity::Uniform => None,
            FlowUniformity::Divergent => Some(selector::push_register(&mut self.builder)),
        };
        self.entry_masks[id] = mask;
        let tail = self.summary.find_unordered_tail(self.program, body);
        let (ordered, tail) = self.program.block_nodes(body).split_at(tail);
        let returns = |node: &Node| self.find_exits(*node, mask).contains(BlockExits::RETURN);
        let is_left = ordered.iter().any(returns);
        self.builder.open_block();
        let routine_mask = if is_left {
            let alive = selector::push_register(&mut self.builder);
            self.copy_mask(alive, mask);
            Some(alive)
        } else {
            None
        };
        let scopes = EnclosingScopes {
            routine_mask,
            loop_masks: None,
            break_target: InnermostBreakTarget::Loop,
        };
        let mut point = InsertPoint::new(mask, PendingAccesses::default());
        for &node in ordered {
            self.emit_node(node, &mut point, scopes);
        }
        self.emit_unchanged(tail, &mut point);
        self.close_masked(&mut point);
        if id == self.program.main {
            self.emit_vote_initialization();
        }
        self.builder.close_block_as(body);
    }

    /// Emits the initialization of the votes, followed by a barrier, before the nodes of the open
    /// block of main. Does nothing if the program has no votes.
    fn emit_vote_initialization(&mut self) {
        let Some(vote) = self.vote else { return };
        let nodes = self.builder.take_nodes();
        self.builder.open_block();
        vote.emit_initialization(&mut self.builder);
        emit_barrier(&mut self.builder);
        nodes
            .into_iter()
            .for_each(|node| self.builder.push_node(node));
    }

    /// Emits the nodes of a block with barriers into the open block, and clears the original block,
    /// so that its nodes are used once.
    pub(super) fn emit_block(
        &mut self,
        id: BlockId,
        point: &mut InsertPoint,
        scopes: EnclosingScopes,
    ) {
        self.builder.program.blocks[id].len = 0;
        for &node in self.program.block_nodes(id) {
            self.emit_node(node, point, scopes);
        }
        self.close_masked(point);
    }

    /// Emits the nodes of a block as a separate block and returns it.
    pub(super) fn emit_inner_block(
        &mut self,
        id: BlockId,
        point: &mut InsertPoint,
        scopes: EnclosingScopes,
    ) -> BlockId {
        self.builder.open_block();
        self.emit_block(id, point, scopes);
        self.builder.close_block()
    }

    /// Emits a node of the original program, preceded by the pending barrier that it needs. Nodes
    /// without barriers and exits are copied unchanged. Updates the accesses pending at `point` and
    /// its mask.
    fn emit_node(&mut self, node: Node, point: &mut InsertPoint, scopes: EnclosingScopes) {
        if let Node::Run { first, len } = node {
            return self.emit_run(first, len, point);
        }
        let summary = self.summary.compute_node_summary(self.program, node);
        let exits = self.find_exits(node, point.mask);
        if !summary.needs_barrier && exits.is_empty() {
            return self.emit_unchanged(&[node], point);
        }
        self.emit_pending_barrier(&summary, point);
        match node {
            Node::Run { .. } => {}
            Node::If {
                cond,
                then,
                otherwise,
                span,
            } => {
                if point.mask.is_none() && !self.uniformity.is_divergent(node) {
                    self.emit_branch(cond, (then, otherwise), span, point, scopes);
                } else {
                    self.emit_masked_branch(cond, (then, otherwise), exits, point, scopes);
                }
            }
            Node::Loop {
                body,
                continuing,
                span,
            } => {
                if point.mask.is_none() && !self.uniformity.is_divergent(node) {
                    self.emit_loop((body, continuing), span, &summary, point, scopes);
                } else {
                    self.emit_masked_loop((body, continuing), span, exits, point, scopes);
                }
            }
            Node::Switch(id) => {
                if point.mask.is_none() && !self.uniformity.is_divergent(node) {
                    self.emit_switch(id, point, scopes);
                } else {
                    self.emit_masked_switch(id, exits, point, scopes);
                }
            }
            Node::Break | Node::Continue | Node::Return => {
                self.emit_masked_exit(node, point, scopes)
            }
            Node::Call(callee, span) => self.emit_call(callee, span, &summary, point),
        }
    }

    /// Returns the exits of a node that the invocations of the mask do not take together: all of
    /// them if there is a mask.
    fn find_exits(&self, node: Node, mask: Option<RegisterId>) -> BlockExits {
        match mask {
            None => self.uniformity.find_divergent_exits(node),
            Some(_) => self.summary.compute_node_summary(self.program, node).exits,
        }
    }

    /// Emits a barrier if an access of a node with the summary `fact` must wait for pending ones.
    fn emit_pending_barrier(&mut self, fact: &BlockSummary, point: &mut InsertPoint) {
        if point.pending.must_wait(&fact.accesses, WriterSet::Some) {
            self.emit_barrier_at(point);
        }
    }

    /// Emits nodes that contain no barriers unchanged, after a barrier if they must wait for
    /// pending accesses. The nodes run for the invocations of the mask.
    fn emit_unchanged(&mut self, nodes: &[Node], point: &mut InsertPoint) {
        let summaries = nodes
            .iter()
            .map(|&node| self.summary.compute_node_summary(self.program, node));
        let facts: Vec<BlockSummary> = summaries.collect();
        if (facts.iter()).any(|fact| point.pending.must_wait(&fact.accesses, WriterSet::Some)) {
            self.emit_barrier_at(point);
        }
        for (&node, fact) in nodes.iter().zip(&facts) {
            self.open_masked(point);
            self.builder.push_node(node);
            point.pending.add(&fact.accesses);
        }
    }

    /// Emits instructions for the invocations of the mask, with a barrier before each one that must
    /// wait for the accesses of preceding ones. Barriers of the program run for all invocations.
    fn emit_run(&mut self, first: u32, len: u32, point: &mut InsertPoint) {
        let mut start = first;
        for (position, inst) in (first..).zip(self.program.run_insts(first, len)) {
            let (effects, writers) = find_accesses(self.program, inst);
            if inst.op == Op::Barrier {
                self.emit_insts(start, position, point);
                start = position + 1;
                self.close_masked(point);
                self.builder.push_node(Node::Run {
                    first: position,
                    len: 1,
                });
                point.pending.record_barrier();
            } else if point.pending.must_wait(&effects, writers) {
                self.emit_insts(start, position, point);
                start = position;
                self.emit_barrier_at(point);
            }
            point.pending.add(&effects);
        }
        self.emit_insts(start, first + len, point);
    }

    /// Emits the instructions from `start` up to but not including `end`, for the invocations of
    /// the mask. Emits nothing for an empty range.
    fn emit_insts(&mut self, start: u32, end: u32, point: &mut InsertPoint) {
        if start < end {
            self.open_masked(point);
            let len = end - start;
            self.builder.push_node(Node::Run { first: start, len });
        }
    }

    /// Emits a call of a routine that contains barriers: all invocations call it, and its entry
    /// mask, if it has one, is set to that of the invocations that take part.
    fn emit_call(
        &mut self,
        callee: RoutineId,
        span: Span,
        fact: &BlockSummary,
        point: &mut InsertPoint,
    ) {
        self.close_masked(point);
        if let Some(entry) = self.entry_masks[callee] {
            self.copy_mask(entry, point.mask);
        }
        self.builder.push_node(Node::Call(callee, span));
        point.pending.add(&fact.accesses);
    }

    /// Opens the block for the invocations of the mask, if there is one and it is not open.
    fn open_masked(&mut self, point: &mut InsertPoint) {
        if point.mask.is_some() && !point.is_open {
            self.builder.open_block();
            point.is_open = true;
        }
    }

    /// Closes the block for the invocations of the mask, if it is open, so that all invocations run
    /// the following code.
    pub(super) fn close_masked(&mut self, point: &mut InsertPoint) {
        if let Some(mask) = point.mask
            && std::mem::take(&mut point.is_open)
        {
            let block = self.builder.close_block();
            let cond = selector::make_non_zero_cond(mask);
            self.builder.push_branch(cond, block, None, Span::default());
        }
    }

    /// Emits a barrier for all invocations, and records that the pending accesses before it are
    /// complete.
    fn emit_barrier_at(&mut self, point: &mut InsertPoint) {
        self.close_masked(point);
        emit_barrier(&mut self.builder);
        point.pending.record_barrier();
    }
}

/// Emits a barrier of the patch into the open block.
pub(super) fn emit_barrier(builder: &mut Builder) {
    let inst = Inst {
        op: Op::Barrier,
        ty: Type::U32,
        flags: InstFlags::empty(),
        source_count: 0,
        first_source: 0,
        dst: None,
        data: InstData::None,
        span: Span::default(),
    };
    builder.push_inst(inst, &[]);
}
