//! ProgramSummary about each block of the original program: its accesses of outputs, its exits, and whether
//! it contains barriers.

use super::output_accesses::{OutputAccesses, PendingAccesses, Writers, find_accesses};
use crate::arena::{Id, IndexVec};
use crate::exits::Exits;
use crate::op::Op;
use crate::program::{BlockId, Node, Program, RoutineId};

/// ProgramSummary about a block or node.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockSummary {
    /// All accesses of outputs, including those of called routines.
    pub(super) effects: OutputAccesses,
    /// Exits other than its end.
    pub(super) exits: Exits,
    /// True if an access in it must wait for another access in it.
    pub(super) needs_barrier: bool,
}

impl BlockSummary {
    fn add(&mut self, other: &Self) {
        self.effects.add(&other.effects);
        self.exits |= other.exits;
        self.needs_barrier |= other.needs_barrier;
    }
}

/// ProgramSummary about all reachable blocks.
pub(super) struct ProgramSummary {
    blocks: IndexVec<BlockId, BlockSummary>,
    /// The reachable routines, callees before their callers.
    pub(super) order: Vec<RoutineId>,
}

impl ProgramSummary {
    pub(super) fn new(program: &Program) -> Self {
        let mut blocks = IndexVec::new();
        blocks.grow(program.blocks.len(), BlockSummary::default());
        let order = collect_routines(program);
        let mut facts = Self { blocks, order };
        for number in 0..facts.order.len() {
            let routine = facts.order[number];
            facts.compute_block_summary(program, program.routines[routine].body);
        }
        facts
    }

    /// Returns the facts about a block.
    pub(super) fn get_block(&self, id: BlockId) -> &BlockSummary {
        &self.blocks[id]
    }

    /// Returns the facts about a routine. Its exits are within it.
    pub(super) fn get_routine(&self, program: &Program, id: RoutineId) -> &BlockSummary {
        self.get_block(program.routines[id].body)
    }

    /// Returns the facts about a node; the facts about its blocks must have been collected.
    pub(super) fn compute_node_summary(&self, program: &Program, node: Node) -> BlockSummary {
        let mut fact = BlockSummary::default();
        match node {
            Node::Run { first, len } => {
                let mut pending = PendingAccesses::default();
                for inst in program.run(first, len) {
                    let (effects, writers) = find_accesses(program, inst);
                    fact.needs_barrier |=
                        inst.op == Op::Barrier || pending.must_delay(&effects, writers);
                    pending.add(&effects);
                    fact.effects.add(&effects);
                }
            }
            Node::Call(routine, _) => {
                let callee = self.get_routine(program, routine);
                fact.effects = callee.effects.clone();
                fact.needs_barrier = callee.needs_barrier;
            }
            Node::If { .. }
            | Node::Loop { .. }
            | Node::Switch(_)
            | Node::Break
            | Node::Continue
            | Node::Return => {
                for block in program.inner_blocks(node) {
                    fact.add(self.get_block(block));
                }
                fact.exits = fact.exits.propagate_through(node) | Exits::from_node(node);
            }
        }
        if matches!(node, Node::Loop { .. }) {
            // Every access may depend on those of the previous iteration.
            let round = PendingAccesses::from_accesses(&fact.effects);
            fact.needs_barrier |= round.must_delay(&fact.effects, Writers::Some);
        }
        fact
    }

    /// Returns the index of the first node from which on no access in a block must wait for another
    /// one from there on.
    pub(super) fn find_tail(&self, program: &Program, block: BlockId) -> usize {
        let nodes = program.block(block);
        let mut later = OutputAccesses::default();
        for (position, &node) in nodes.iter().enumerate().rev() {
            let fact = self.compute_node_summary(program, node);
            let before = PendingAccesses::from_accesses(&fact.effects);
            if fact.needs_barrier || before.must_delay(&later, Writers::Some) {
                return position + 1;
            }
            later.add(&fact.effects);
        }
        0
    }

    fn compute_block_summary(&mut self, program: &Program, id: BlockId) {
        let mut whole = BlockSummary::default();
        let mut pending = PendingAccesses::default();
        for &node in program.block(id) {
            program
                .inner_blocks(node)
                .for_each(|inner| self.compute_block_summary(program, inner));
            let fact = self.compute_node_summary(program, node);
            let delayed = if let Node::Run { first, len } = node {
                program.run(first, len).iter().any(|inst| {
                    let (effects, writers) = find_accesses(program, inst);
                    let delayed = pending.must_delay(&effects, writers);
                    pending.add(&effects);
                    delayed
                })
            } else {
                let delayed = pending.must_delay(&fact.effects, Writers::Some);
                pending.add(&fact.effects);
                delayed
            };
            if !fact.exits.is_empty() {
                pending.leave();
            }
            whole.add(&fact);
            whole.needs_barrier |= delayed;
        }
        self.blocks[id] = whole;
    }
}

/// Returns the routines that main reaches, callees before their callers. The search is iterative,
/// because calls may be nested deeper than the host's stack.
fn collect_routines(program: &Program) -> Vec<RoutineId> {
    let mut order = Vec::new();
    let mut known = vec![false; program.routines.len()];
    known[program.main.index()] = true;
    let mut path = vec![(program.main, collect_callees(program, program.main))];
    while let Some((routine, rest)) = path.last_mut() {
        match rest.pop() {
            Some(callee) if known[callee.index()] => {}
            Some(callee) => {
                known[callee.index()] = true;
                path.push((callee, collect_callees(program, callee)));
            }
            None => {
                order.push(*routine);
                path.pop();
            }
        }
    }
    order
}

fn collect_callees(program: &Program, routine: RoutineId) -> Vec<RoutineId> {
    let mut callees = Vec::new();
    let mut blocks = vec![program.routines[routine].body];
    while let Some(block) = blocks.pop() {
        for &node in program.block(block) {
            blocks.extend(program.inner_blocks(node));
            if let Node::Call(callee, _) = node {
                callees.push(callee);
            }
        }
    }
    callees
}
