//! Summaries of the blocks of the original program: its accesses of outputs, its exits, and whether
//! it contains barriers; and the dependences between accesses of outputs.

use crate::arena::{Id, IndexVec};
use crate::inst::{IndexId, Inst, OperandBase, compute_read_lanes};
use crate::op::Op;
use crate::program::BlockExits;
use crate::program::{BlockId, Node, Program, RoutineId, Storage};

/// Summary of a block or node.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockSummary {
    /// All accesses of outputs, including those of called routines.
    pub(super) accesses: OutputAccesses,
    /// Exits other than its end.
    pub(super) exits: BlockExits,
    /// True if it contains a barrier, or if an access in it must wait for another access in it.
    pub(super) needs_barrier: bool,
}

impl BlockSummary {
    /// Adds the accesses and exits of another block or node, and whether it needs a barrier.
    fn add(&mut self, other: &Self) {
        self.accesses.add(&other.accesses);
        self.exits |= other.exits;
        self.needs_barrier |= other.needs_barrier;
    }
}

/// Summaries of all reachable blocks.
pub(super) struct ProgramSummary {
    blocks: IndexVec<BlockId, BlockSummary>,
    /// The reachable routines, callees before their callers.
    pub(super) order: Vec<RoutineId>,
}

impl ProgramSummary {
    /// Computes the summaries of the blocks of all routines that main reaches, callees before their
    /// callers. Blocks of other routines have empty summaries.
    pub(super) fn new(program: &Program) -> Self {
        let mut blocks = IndexVec::new();
        blocks.grow(program.blocks.len(), BlockSummary::default());
        let order = collect_routines(program);
        let mut summary = Self { blocks, order };
        for number in 0..summary.order.len() {
            let routine = summary.order[number];
            summary.compute_block_summary(program, program.routines[routine].body);
        }
        summary
    }

    /// Returns the facts about a block.
    pub(super) fn get_block(&self, id: BlockId) -> &BlockSummary {
        &self.blocks[id]
    }

    /// Returns the facts about a routine. Its exits are within it.
    pub(super) fn get_routine(&self, program: &Program, id: RoutineId) -> &BlockSummary {
        self.get_block(program.routines[id].body)
    }

    /// Computes the summary of a node; those of its blocks and of called routines must have been
    /// computed. It needs a barrier if it contains one, or if an access in it must wait for an
    /// earlier one; in a loop every access may depend on those of the previous iteration.
    pub(super) fn compute_node_summary(&self, program: &Program, node: Node) -> BlockSummary {
        let mut summary = BlockSummary::default();
        match node {
            Node::Run { first, len } => {
                let mut pending = PendingAccesses::default();
                for inst in program.run_insts(first, len) {
                    let (effects, writers) = find_accesses(program, inst);
                    summary.needs_barrier |=
                        inst.op == Op::Barrier || pending.must_wait(&effects, writers);
                    pending.add(&effects);
                    summary.accesses.add(&effects);
                }
            }
            Node::Call(routine, _) => {
                let callee = self.get_routine(program, routine);
                summary.accesses = callee.accesses.clone();
                summary.needs_barrier = callee.needs_barrier;
            }
            Node::If { .. }
            | Node::Loop { .. }
            | Node::Switch(_)
            | Node::Break
            | Node::Continue
            | Node::Return => {
                for block in program.inner_blocks(node) {
                    summary.add(self.get_block(block));
                }
                summary.exits = summary.exits.propagate_through(node) | BlockExits::from_node(node);
            }
        }
        if matches!(node, Node::Loop { .. }) {
            // Every access may depend on those of the previous iteration.
            let iteration = PendingAccesses::from_accesses(&summary.accesses);
            summary.needs_barrier |= iteration.must_wait(&summary.accesses, WriterSet::Some);
        }
        summary
    }

    /// Returns the index of the first node from which on no access in a block must wait for another
    /// one from there on. It is the number of nodes if the last one needs a barrier.
    pub(super) fn find_unordered_tail(&self, program: &Program, block: BlockId) -> usize {
        let nodes = program.block_nodes(block);
        let mut later = OutputAccesses::default();
        for (position, &node) in nodes.iter().enumerate().rev() {
            let fact = self.compute_node_summary(program, node);
            let before = PendingAccesses::from_accesses(&fact.accesses);
            if fact.needs_barrier || before.must_wait(&later, WriterSet::Some) {
                return position + 1;
            }
            later.add(&fact.accesses);
        }
        0
    }

    /// Computes and records the summary of a block, after those of its inner blocks. The routines
    /// that it calls must have been summarized.
    fn compute_block_summary(&mut self, program: &Program, id: BlockId) {
        let mut block_summary = BlockSummary::default();
        let mut pending = PendingAccesses::default();
        for &node in program.block_nodes(id) {
            program
                .inner_blocks(node)
                .for_each(|inner| self.compute_block_summary(program, inner));
            let fact = self.compute_node_summary(program, node);
            let delayed = if let Node::Run { first, len } = node {
                program.run_insts(first, len).iter().any(|inst| {
                    let (effects, writers) = find_accesses(program, inst);
                    let delayed = pending.must_wait(&effects, writers);
                    pending.add(&effects);
                    delayed
                })
            } else {
                let delayed = pending.must_wait(&fact.accesses, WriterSet::Some);
                pending.add(&fact.accesses);
                delayed
            };
            if !fact.exits.is_empty() {
                pending.record_inactive_invocations();
            }
            block_summary.add(&fact);
            block_summary.needs_barrier |= delayed;
        }
        self.blocks[id] = block_summary;
    }
}

/// Returns the routines that main reaches, callees before their callers. The search is iterative,
/// because calls may be nested deeper than the host's stack.
fn collect_routines(program: &Program) -> Vec<RoutineId> {
    let mut order = Vec::new();
    let mut is_known = vec![false; program.routines.len()];
    is_known[program.main.index()] = true;
    let mut path = vec![(program.main, collect_callees(program, program.main))];
    while let Some((routine, callees)) = path.last_mut() {
        match callees.pop() {
            Some(callee) if is_known[callee.index()] => {}
            Some(callee) => {
                is_known[callee.index()] = true;
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

/// Returns the routines that a routine calls directly, once for each call.
fn collect_callees(program: &Program, routine: RoutineId) -> Vec<RoutineId> {
    let mut callees = Vec::new();
    let mut blocks = vec![program.routines[routine].body];
    while let Some(block) = blocks.pop() {
        for &node in program.block_nodes(block) {
            blocks.extend(program.inner_blocks(node));
            if let Node::Call(callee, _) = node {
                callees.push(callee);
            }
        }
    }
    callees
}

/// Number of outputs whose lanes fit into a word.
const OUTPUTS_PER_WORD: usize = 16;

/// Lanes of outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LaneSet(Vec<u64>);

impl LaneSet {
    /// Adds lanes of an output, by a mask of four bits.
    fn insert(&mut self, output: usize, lanes: u8) {
        let word = output / OUTPUTS_PER_WORD;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= u64::from(lanes & 15) << (4 * (output % OUTPUTS_PER_WORD));
    }

    /// Adds all lanes of another set.
    fn insert_all(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let words = self.0.iter_mut().zip(&other.0);
        words.for_each(|(word, other)| *word |= other);
    }

    /// Returns true if the sets have a lane in common.
    fn intersects(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
}

/// Output accesses of a part of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OutputAccesses {
    /// Lanes that are read back, of any vertex.
    reads: LaneSet,
    /// Lanes that are written.
    writes: LaneSet,
    /// The subset of `writes` that all invocations of the patch share.
    per_patch_writes: LaneSet,
}

impl OutputAccesses {
    /// Adds the accesses of another part of the program.
    pub(super) fn add(&mut self, other: &Self) {
        self.reads.insert_all(&other.reads);
        self.writes.insert_all(&other.writes);
        self.per_patch_writes.insert_all(&other.per_patch_writes);
    }
}

/// Invocations that write the lanes of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WriterSet {
    /// All invocations that run it.
    All,
    /// Some of them, or each a different element.
    Some,
}

/// Returns the accesses of an instruction to outputs, and whether all invocations write the same
/// outputs: possibly not under a guard or with an index.
pub(super) fn find_accesses(program: &Program, inst: &Inst) -> (OutputAccesses, WriterSet) {
    let mut effects = OutputAccesses::default();
    let mut writers = WriterSet::All;
    let written = inst.dst.map_or(0, |dst| dst.mask.0);
    for (number, src) in program.sources(inst).iter().enumerate() {
        let OperandBase::Output(first) = src.base else {
            continue;
        };
        let read = compute_read_lanes(program, inst, number, written);
        let lanes = src.swizzle.find_source_lanes(read);
        for output in find_accessed_entries(program, first.index(), src.index) {
            effects.reads.insert(output, lanes);
        }
    }
    if let Some(dst) = inst.dst
        && let Storage::Output(first) = program.registers[dst.register].storage
    {
        let outputs = find_accessed_entries(program, first.index(), dst.index);
        if dst.guard.is_some() || outputs.len() > 1 {
            writers = WriterSet::Some;
        }
        for output in outputs {
            effects.writes.insert(output, dst.mask.0);
            let semantic = program.outputs.as_slice().get(output);
            if semantic.is_some_and(|output| output.semantic.is_per_patch()) {
                effects.per_patch_writes.insert(output, dst.mask.0);
            }
        }
    }
    (effects, writers)
}

/// Returns the entries of a table that an operand can access from `first` on: one without an index
/// or with a constant one; the range of the index if that is dynamic or negative.
fn find_accessed_entries(
    program: &Program,
    first: usize,
    index: Option<IndexId>,
) -> std::ops::Range<usize> {
    let Some(index) = index.map(|index| program.indices[index]) else {
        return first..first + 1;
    };
    match (
        index.element.relative,
        usize::try_from(index.element.offset),
    ) {
        (None, Ok(offset)) => first + offset..first + offset + 1,
        (None, Err(_)) | (Some(_), _) => first..first + index.len as usize,
    }
}

/// Accesses since the last barrier.
#[derive(Clone, Debug, Default)]
pub(super) struct PendingAccesses {
    accesses: OutputAccesses,
    /// Shared lanes that may have been written by invocations that are no longer active.
    inactive_writes: LaneSet,
    /// True if a barrier was executed since the record began.
    pub(super) has_barrier: bool,
}

impl PendingAccesses {
    /// Returns pending accesses by invocations that may no longer be active.
    pub(super) fn from_accesses(effects: &OutputAccesses) -> Self {
        Self {
            accesses: effects.clone(),
            inactive_writes: effects.per_patch_writes.clone(),
            has_barrier: false,
        }
    }

    /// Returns true if `next` must wait until all invocations have completed the pending accesses:
    /// a read for writes, a write for reads, and a write of shared lanes for writes that it
    /// replaces. Earlier writes by the same set of invocations are replaced in any case.
    pub(super) fn must_wait(&self, next: &OutputAccesses, writers: WriterSet) -> bool {
        let replaced = match writers {
            WriterSet::All => &self.inactive_writes,
            WriterSet::Some => &self.accesses.per_patch_writes,
        };
        self.accesses.writes.intersects(&next.reads)
            || self.accesses.reads.intersects(&next.writes)
            || replaced.intersects(&next.per_patch_writes)
    }

    /// Adds accesses of invocations that remain active.
    pub(super) fn add(&mut self, effects: &OutputAccesses) {
        self.accesses.add(effects);
    }

    /// Records that some invocations are no longer active.
    pub(super) fn record_inactive_invocations(&mut self) {
        self.inactive_writes
            .insert_all(&self.accesses.per_patch_writes);
    }

    /// Records a barrier: all invocations have completed the pending accesses.
    pub(super) fn record_barrier(&mut self) {
        *self = Self {
            has_barrier: true,
            ..Self::default()
        };
    }

    /// Appends the pending accesses of a following part of the program, which were recorded from an
    /// empty state.
    pub(super) fn append(&mut self, part: Self) {
        if part.has_barrier {
            self.record_barrier();
        }
        self.accesses.add(&part.accesses);
        self.inactive_writes.insert_all(&part.inactive_writes);
    }

    /// Appends alternative parts of the program, one of which runs. A barrier counts only if all of
    /// them have one.
    pub(super) fn append_alternatives(&mut self, parts: impl IntoIterator<Item = Self>) {
        let mut joined = Self {
            has_barrier: true,
            ..Self::default()
        };
        for part in parts {
            joined.has_barrier &= part.has_barrier;
            joined.accesses.add(&part.accesses);
            joined.inactive_writes.insert_all(&part.inactive_writes);
        }
        self.append(joined);
    }
}
