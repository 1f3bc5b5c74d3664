//! Backward liveness analysis: the lanes that each instruction must compute, and the lanes for
//! which each join and loop header needs phis.
//!
//! The pass walks a function from its end to its start, including inlined routines, and pushes
//! records; emission walks forward and pops the same records. A loop is walked once: its
//! upward-exposed reads are known from [`Analysis::loop_reads`].

use crate::analysis::{Analysis, ReadVisitor, RegisterClass};
use crate::options::Options;
use crate::spirv_writer::refill;
use glasm_ir::arena::Id;
use glasm_ir::{BlockId, Dst, Inst, Node, Program, RoutineId, SwitchId};

/// Maximum number of edges of a phi: each requires two words, and an instruction has at most 65535.
const MAX_EDGES: u32 = 30_000;

/// Slots and lanes of a join: a range of [`Liveness::entries`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct JoinList {
    pub(crate) first: u32,
    pub(crate) len: u32,
    /// Number of edges that meet at the join.
    pub(crate) edges: u32,
}

/// Results of the backward pass for one function.
#[derive(Debug, Default)]
pub(crate) struct Liveness {
    /// Lanes of the result (low half) and of the condition codes (high half) to compute, per
    /// instruction.
    needed: Vec<u8>,
    entries: Vec<(u32, u8)>,
    /// Lengths of the lists and numbers of edges.
    lists: Vec<(u32, u32)>,
    next_entry: usize,
    state: LiveState,
}

impl Liveness {
    /// Runs the pass over a function and replaces the results of the previous one. `live_out`
    /// contains the slots and lanes read after the function. Moves registers whose joins would
    /// exceed the limits on phis to memory in `analysis`.
    pub(crate) fn run(
        &mut self,
        program: &Program,
        analysis: &mut Analysis,
        routine: RoutineId,
        live_out: &[(u32, u8)],
    ) {
        self.needed.clear();
        self.entries.clear();
        self.lists.clear();
        let mut scan = std::mem::take(&mut self.state);
        scan.reset(analysis.slot_register.len(), analysis.expanded_size);
        // Written without the journal: this is the state to which the end of the function is
        // restored.
        for &(slot, lanes) in live_out {
            scan.slots[slot as usize].live |= lanes;
        }
        let mut walk = LivenessWalk {
            program,
            analysis,
            out: self,
            scan,
        };
        walk.visit_routine(routine);
        self.state = walk.scan;
        self.next_entry = self.entries.len();
    }

    /// Returns the lanes of a slot that the function reads before it writes them.
    pub(crate) fn live_in(&self, slot: u32) -> u8 {
        self.state.slots[slot as usize].live
    }

    /// Removes and returns the record of the next instruction: its needed result lanes in the low
    /// half, needed condition-code lanes in the high half.
    pub(crate) fn pop_needed(&mut self) -> u8 {
        self.needed.pop().unwrap_or(0)
    }

    /// Returns the number of instructions whose liveness was not taken yet.
    pub(crate) fn remaining_insts(&self) -> usize {
        self.needed.len()
    }

    /// Removes and returns the list of slots for the next join, in the order in which joins are
    /// emitted. Returns an empty list if none is left.
    pub(crate) fn pop_join_list(&mut self) -> JoinList {
        let (len, edges) = self.lists.pop().unwrap_or_default();
        self.next_entry -= len as usize;
        JoinList {
            first: self.next_entry as u32,
            len,
            edges,
        }
    }

    /// Returns the slots in a join's list, each with the mask of lanes that need phis.
    pub(crate) fn list_entries(&self, list: JoinList) -> &[(u32, u8)] {
        &self.entries[list.first as usize..(list.first + list.len) as usize]
    }
}

/// Targets of the jumps in a block, as positions in [`LiveState::targets`]. `None` is the end of
/// the function. Loops and switches contain no returns.
#[derive(Clone, Copy, Default)]
struct Exits {
    break_to: Option<usize>,
    continue_to: Option<usize>,
    return_to: Option<usize>,
}

/// Target of jumps.
#[derive(Clone, Copy, Debug)]
struct JumpTarget {
    /// Length of the journal at the target.
    mark: usize,
    /// Number of jumps to the target.
    jumps: u32,
}

/// Change of the live lanes, for undoing it.
#[derive(Clone, Copy, Debug)]
struct Change {
    slot: u32,
    old: u8,
    /// Scope of the previous change of this slot.
    scope: u32,
}

/// Open scope: changes since its start can be undone.
#[derive(Clone, Copy)]
struct ScopeMark {
    mark: usize,
    outer: u32,
}

/// State of a slot at the current position of the pass.
#[derive(Clone, Copy, Debug, Default)]
struct SlotLiveness {
    live: u8,
    /// Lanes that are collected from several lists, and the number of these lists.
    collected: u8,
    lists: u32,
    /// Scope of its last change in the journal.
    changed_in: u32,
}

#[derive(Debug, Default)]
struct LiveState {
    slots: Vec<SlotLiveness>,
    /// First change of each slot in each open scope. Undoing them yields the live lanes at a jump
    /// target, so that the cost of a loop depends on its changes and not on the number of slots.
    journal: Vec<Change>,
    scope: u32,
    scopes: u32,
    /// Stack of jump targets.
    targets: Vec<JumpTarget>,
    /// Pool of lists of changes for reuse.
    changes: Vec<Vec<(u32, u8)>>,
    /// Lanes written in the open constructs.
    written: Vec<(u32, u8)>,
    constructs: u32,
    phi_budget: u32,
}

impl LiveState {
    /// Clears the state for a function with `slots` slots; `size` is the number of its instructions
    /// including inlined copies, which determines the limit on phis.
    fn reset(&mut self, slots: usize, size: u32) {
        let untouched = SlotLiveness {
            // No scope has this number, so the first change of each slot is recorded.
            changed_in: u32::MAX,
            ..SlotLiveness::default()
        };
        refill(&mut self.slots, slots, untouched);
        self.targets.clear();
        self.journal.clear();
        self.written.clear();
        (self.scope, self.scopes, self.constructs) = (0, 0, 0);
        // All phis of a function together must stay linear in the program: nested constructs would
        // make them quadratic.
        self.phi_budget = size.saturating_mul(16).saturating_add(4096);
    }

    /// Sets the live lanes of a slot, and records their old value in the journal if this is the
    /// first change of the slot in the open scope. Does nothing if the lanes do not change.
    fn set(&mut self, slot: u32, lanes: u8) {
        let slot_state = &mut self.slots[slot as usize];
        if slot_state.live == lanes {
            return;
        }
        let old = std::mem::replace(&mut slot_state.live, lanes);
        if slot_state.changed_in != self.scope {
            let scope = std::mem::replace(&mut slot_state.changed_in, self.scope);
            self.journal.push(Change { slot, old, scope });
        }
    }

    /// Returns the mask of the live lanes of a slot.
    fn live(&self, slot: u32) -> u8 {
        self.slots[slot as usize].live
    }

    /// Makes lanes of a slot live; its other lanes are unchanged.
    fn gen_lanes(&mut self, slot: u32, lanes: u8) {
        self.set(slot, self.live(slot) | lanes);
    }

    /// Begins a scope whose changes can be undone, and makes the current position a jump target.
    /// Returns what [`Self::rollback`] and the end of the scope need.
    fn open_scope(&mut self) -> ScopeMark {
        let mark = self.journal.len();
        self.targets.push(JumpTarget { mark, jumps: 0 });
        self.scopes += 1;
        ScopeMark {
            mark,
            outer: std::mem::replace(&mut self.scope, self.scopes),
        }
    }

    /// Returns the index of the jump target that [`Self::open_scope`] has added last; `None`
    /// without one.
    fn newest_target(&self) -> Option<usize> {
        self.targets.len().checked_sub(1)
    }

    /// Returns the number of jumps to the newest target.
    fn newest_target_jumps(&self) -> u32 {
        self.targets.last().map_or(0, |target| target.jumps)
    }

    /// Ends a scope whose changes have been undone.
    fn close_scope(&mut self, scope: &ScopeMark) {
        self.scope = scope.outer;
        self.targets.pop();
    }

    /// Replaces the live lanes by those at a jump target, and counts the jump, or by those at the
    /// end of the function if `target` is `None`. The changes are journaled.
    fn restore(&mut self, target: Option<usize>) {
        // Without a target all changes are undone: the remaining lanes are live after the function.
        let mut mark = 0;
        if let Some(target) = target.and_then(|target| self.targets.get_mut(target)) {
            target.jumps += 1;
            mark = target.mark;
        }
        // The oldest of several changes of a slot is undone last and contains the live lanes at the
        // target.
        for index in (mark..self.journal.len()).rev() {
            let Change { slot, old, .. } = self.journal[index];
            self.set(slot, old);
        }
    }

    /// Undoes all changes of the open scope and appends each changed slot to `changes`, once, with
    /// the lanes that were live before the undo. The scope remains open.
    fn rollback(&mut self, scope: &ScopeMark, changes: &mut Vec<(u32, u8)>) {
        for change in self.journal.drain(scope.mark..) {
            let known = &mut self.slots[change.slot as usize];
            changes.push((change.slot, known.live));
            (known.live, known.changed_in) = (change.old, change.scope);
        }
    }

    /// Returns an empty list of changes, with capacity from earlier use.
    fn take_spare_changes(&mut self) -> Vec<(u32, u8)> {
        self.changes.pop().unwrap_or_default()
    }

    /// Retains the memory of a list of changes for reuse.
    fn recycle_changes(&mut self, mut changes: Vec<(u32, u8)>) {
        changes.clear();
        self.changes.push(changes);
    }

    /// Applies the changes again that [`Self::rollback`] has undone and returned.
    fn reapply(&mut self, changes: &[(u32, u8)]) {
        for &(slot, lanes) in changes {
            self.set(slot, lanes);
        }
    }

    /// Makes the lanes live that any of `branches` branches reads. `changes` contains the changes
    /// of all branches; a branch without a change of a slot leaves the live lanes of the slot
    /// unchanged.
    fn union_branches(&mut self, changes: &[(u32, u8)], branches: u32) {
        for &(slot, lanes) in changes {
            let known = &mut self.slots[slot as usize];
            known.collected |= lanes;
            known.lists += 1;
        }
        for &(slot, _) in changes {
            let known = &mut self.slots[slot as usize];
            // The first change of a slot handles all of its changes; the others find nothing left.
            let count = std::mem::take(&mut known.lists);
            let lanes = std::mem::take(&mut known.collected);
            if count == branches {
                self.set(slot, lanes);
            } else if count > 0 {
                self.gen_lanes(slot, lanes);
            }
        }
    }

    /// Merges the entries of `written` since the mark, so that each slot occurs once, at its first
    /// position, with the lanes of all its entries.
    fn compact_written(&mut self, mark: usize) {
        // `collected` is 0 for all slots between uses: clearing it at the first entry of a slot
        // drops the others.
        for &(slot, lanes) in &self.written[mark..] {
            self.slots[slot as usize].collected |= lanes;
        }
        let mut end = mark;
        for index in mark..self.written.len() {
            let slot = self.written[index].0;
            let lanes = std::mem::take(&mut self.slots[slot as usize].collected);
            if lanes != 0 {
                self.written[end] = (slot, lanes);
                end += 1;
            }
        }
        self.written.truncate(end);
    }
}

impl ReadVisitor for LiveState {
    fn is_saturated(&self, slot: u32) -> bool {
        self.live(slot) == 15
    }

    fn visit_read(&mut self, slot: u32, lanes: u8) {
        self.gen_lanes(slot, lanes);
    }
}

/// Constructs with several blocks of which one runs.
#[derive(Clone, Copy)]
enum BranchKind {
    If,
    /// Switch: its blocks can break out of it.
    Switch,
}

struct LivenessWalk<'a> {
    program: &'a Program,
    analysis: &'a mut Analysis,
    out: &'a mut Liveness,
    scan: LiveState,
}

impl LivenessWalk<'_> {
    /// Visits the reachable nodes of a block from last to first. Nodes after a jump are not
    /// visited.
    fn visit_block(&mut self, id: BlockId, exits: Exits) {
        let info = self.analysis.blocks[id.index()];
        let block = self.program.blocks[id];
        for position in (block.first..block.first + info.reachable_nodes).rev() {
            let last = position + 1 == block.first + block.len;
            self.visit_node(position, exits, info.tail && last);
        }
    }

    /// Visits one node of the control tree after the nodes that follow it; `position` is its index
    /// in the program, `tail` is true if a return there is not a jump.
    fn visit_node(&mut self, position: u32, exits: Exits, tail: bool) {
        match self.program.nodes[position as usize] {
            Node::Run { first, len } => {
                let program = self.program;
                for inst in program.insts[first as usize..(first + len) as usize]
                    .iter()
                    .rev()
                {
                    self.visit_inst(inst);
                }
            }
            Node::If {
                cond,
                then,
                otherwise,
                ..
            } => {
                self.visit_branches([Some(then), otherwise].into_iter(), exits, BranchKind::If);
                // The condition is read before the branches, so the backward walk visits it last.
                if let Some((slot, lanes)) = self.analysis.find_cond_read(self.program, cond) {
                    self.scan.gen_lanes(slot, lanes);
                }
            }
            Node::Loop {
                body, continuing, ..
            } => self.visit_loop(position, body, continuing),
            Node::Switch(switch) => self.visit_switch(switch, exits),
            Node::Call(routine, _) => self.visit_call(routine),
            // A jump is the last node that is reached: the lanes that are live at its target are
            // live before it.
            Node::Break => self.scan.restore(exits.break_to),
            Node::Continue => self.scan.restore(exits.continue_to),
            // The lanes that are live after the block are those that the end of the routine reads.
            Node::Return if tail => {}
            Node::Return => self.scan.restore(exits.return_to),
        }
    }

    /// Records the lanes that an instruction must compute and makes the lanes that it reads live.
    // A lane of the codes is computed from the same lanes of the sources as that lane of the
    // result.
    fn visit_inst(&mut self, inst: &Inst) {
        let needed = inst
            .dst
            .as_ref()
            .map_or(0, |dst| self.take_needed_lanes(dst));
        self.out.needed.push(needed);
        let lanes = needed & 15 | needed >> 4;
        if lanes != 0 || inst.op.info().effect {
            self.analysis
                .visit_reads(self.program, inst, lanes, &mut self.scan);
        }
    }

    /// Returns the lanes of a result (bits 0 to 3) and of its condition codes (bits 4 to 7) that
    /// are read later, as in [`Liveness::needed`], and removes them from the live lanes.
    fn take_needed_lanes(&mut self, dst: &Dst) -> u8 {
        let slot = self
            .analysis
            .find_slot(self.program, dst.register, dst.index);
        let result = self.take_live_lanes(slot, dst);
        let Some(cc) = dst.cc else { return result };
        let slot = self.analysis.find_slot(self.program, cc, None);
        result | self.take_live_lanes(slot, dst) << 4
    }

    /// Returns the lanes of a write that are read later and removes them from the live lanes,
    /// unless a guard may prevent the write. Within a construct with a join the write is recorded.
    /// `None` is a register in memory, for which later reads are unknown, so all written lanes are
    /// returned.
    #[inline(always)]
    fn take_live_lanes(&mut self, slot: Option<u32>, dst: &Dst) -> u8 {
        let Some(slot) = slot else {
            return dst.mask.0;
        };
        let live = self.scan.live(slot);
        let lanes = dst.mask.0 & live;
        if lanes == 0 {
            return 0;
        }
        // If the guard fails, the lanes retain their old values.
        if dst.guard.is_none() {
            self.scan.set(slot, live & !lanes);
        }
        if self.scan.constructs > 0 {
            self.scan.written.push((slot, lanes));
        }
        lanes
    }

    /// Visits blocks of which one runs, last first, and pushes the join list of their end, which is
    /// the current position. A missing block does nothing. Afterwards the lanes are live that any
    /// of the blocks reads.
    fn visit_branches(
        &mut self,
        blocks: impl DoubleEndedIterator<Item = Option<BlockId>> + Clone,
        exits: Exits,
        kind: BranchKind,
    ) {
        let written = self.scan.written.len();
        let scope = self.scan.open_scope();
        let exits = match kind {
            BranchKind::If => exits,
            BranchKind::Switch => Exits {
                break_to: self.scan.newest_target(),
                continue_to: exits.continue_to,
                // A routine with a return inside a switch is not inlined, so the return ends the
                // function.
                return_to: None,
            },
        };
        self.scan.constructs += 1;
        let mut live_in = self.scan.take_spare_changes();
        // Last block first, because the walk is backward: emission pops the records and writes the
        // first block first.
        for block in blocks.clone().rev().flatten() {
            self.visit_block(block, exits);
            self.scan.rollback(&scope, &mut live_in);
        }
        self.scan.constructs -= 1;
        let jumps = self.scan.newest_target_jumps();
        self.scan.close_scope(&scope);
        let falls = |block: &Option<BlockId>| {
            block.is_none_or(|block| self.analysis.blocks[block.index()].falls_through)
        };
        let edges = blocks.clone().filter(falls).count() as u32 + jumps;
        // All blocks are rolled back: the live lanes are now those that the code after the
        // construct reads.
        self.push_join_list(written, edges);
        self.scan.union_branches(&live_in, blocks.count() as u32);
        self.scan.recycle_changes(live_in);
        // No open construct has a join that would need these lanes.
        if self.scan.constructs == 0 {
            self.scan.written.truncate(written);
        }
    }

    /// Records the lanes written since the mark that are live now, for a join with `edges` edges.
    /// If they exceed the limits on phis, moves their registers to memory and records an empty
    /// list.
    fn push_join_list(&mut self, mark: usize, edges: u32) {
        self.scan.compact_written(mark);
        let start = self.out.entries.len();
        // The walk is backward, and so is the list, so that slots are in the order in which they
        // are written. The counter of a loop then comes last: lavapipe tests for the end of some
        // loops with fewer instructions.
        for index in (mark..self.scan.written.len()).rev() {
            let (slot, lanes) = self.scan.written[index];
            let live = lanes & self.scan.live(slot);
            // Registers that another join has moved to memory are still in the list, but need no
            // phi.
            let register = self.analysis.slot_register[slot as usize];
            if live != 0 && self.analysis.classes[register.index()] == RegisterClass::Values {
                self.out.entries.push((slot, live));
            }
        }
        // Each entry is a phi with as many values as there are edges.
        let operands = edges.saturating_mul((self.out.entries.len() - start) as u32);
        // Beyond the limits the registers are moved to memory, where a join costs nothing.
        if operands > self.scan.phi_budget || edges > MAX_EDGES {
            for &(slot, _) in &self.out.entries[start..] {
                let register = self.analysis.slot_register[slot as usize];
                self.analysis.move_to_memory(register);
            }
            self.out.entries.truncate(start);
        } else {
            self.scan.phi_budget -= operands;
        }
        // Pushes empty lists, too: emission pops a list at each join.
        self.out
            .lists
            .push(((self.out.entries.len() - start) as u32, edges));
    }

    /// Visits a loop backward and pushes the join lists of its header, its continue target and its
    /// merge. Afterwards the lanes are live that are live at the header.
    fn visit_loop(&mut self, position: u32, body: BlockId, continuing: Option<BlockId>) {
        let written = self.scan.written.len();
        self.scan.constructs += 1;
        let merge = self.scan.open_scope();
        let break_to = self.scan.newest_target();
        // An iteration is followed by the header: the upward-exposed reads of the loop are live at
        // the end of each iteration.
        for &(slot, lanes) in self.analysis.loop_reads(position) {
            self.scan.gen_lanes(slot, lanes);
        }
        if let Some(continuing) = continuing {
            // The verifier ensures that nothing jumps out of it.
            self.visit_block(continuing, Exits::default());
        }
        let continue_scope = self.scan.open_scope();
        let inner = Exits {
            break_to,
            continue_to: self.scan.newest_target(),
            return_to: None,
        };
        self.visit_block(body, inner);
        self.scan.constructs -= 1;
        // Emission opens a loop with the lists of merge, continue target and header. They are
        // pushed in reverse order, each while `live` contains the lanes that are live there. A
        // header has two edges: the entry and the back edge.
        self.push_join_list(written, 2);
        // Changes from the continue target up to the header, and changes from the merge up to the
        // continue target.
        let (mut at_header, mut at_next) = (
            self.scan.take_spare_changes(),
            self.scan.take_spare_changes(),
        );
        self.scan.rollback(&continue_scope, &mut at_header);
        let falls = u32::from(self.analysis.blocks[body.index()].falls_through);
        self.push_join_list(written, self.scan.newest_target_jumps() + falls);
        self.scan.close_scope(&continue_scope);
        self.scan.rollback(&merge, &mut at_next);
        self.push_join_list(written, self.scan.newest_target_jumps());
        self.scan.close_scope(&merge);
        // The lanes that are live at the header of the loop are live before the loop.
        self.scan.reapply(&at_next);
        self.scan.reapply(&at_header);
        self.scan.recycle_changes(at_next);
        self.scan.recycle_changes(at_header);
        if self.scan.constructs == 0 {
            self.scan.written.truncate(written);
        }
    }

    /// Visits the cases and the default of a switch, then makes its selector live.
    fn visit_switch(&mut self, id: SwitchId, exits: Exits) {
        let program = self.program;
        let switch = &program.switches[id];
        let cases = switch.cases.iter().map(|case| Some(case.block));
        let blocks = cases.chain(std::iter::once(switch.default));
        self.visit_branches(blocks, exits, BranchKind::Switch);
        if let Some(slot) = self.analysis.find_slot(program, switch.selector.0, None) {
            self.scan.gen_lanes(slot, 1 << (switch.selector.1 & 3));
        }
    }

    /// Visits the body of an inlined routine; a call of a separate function reads no values.
    fn visit_call(&mut self, routine: RoutineId) {
        let info = self.analysis.routines[routine.index()];
        // A function finds the registers that it shares with other functions in memory.
        if info.inlined {
            self.visit_routine(routine);
        }
    }

    /// Visits the body of a function or of an inlined routine. If it has early returns, these jump
    /// to its end, for which a join list is pushed.
    fn visit_routine(&mut self, routine: RoutineId) {
        let body = self.program.routines[routine].body;
        if !self.analysis.routines[routine.index()].early_return {
            return self.visit_block(body, Exits::default());
        }
        let written = self.scan.written.len();
        self.scan.constructs += 1;
        let after = self.scan.open_scope();
        let exits = Exits {
            return_to: self.scan.newest_target(),
            ..Exits::default()
        };
        self.visit_block(body, exits);
        self.scan.constructs -= 1;
        let mut at_start = self.scan.take_spare_changes();
        self.scan.rollback(&after, &mut at_start);
        // The end of the body is also an edge.
        self.push_join_list(written, self.scan.newest_target_jumps() + 1);
        self.scan.close_scope(&after);
        self.scan.reapply(&at_start);
        self.scan.recycle_changes(at_start);
        if self.scan.constructs == 0 {
            self.scan.written.truncate(written);
        }
    }
}

/// Replaces `live` by the slots and lanes of the outputs that the end of the entry point reads: for
/// the next stage, or, for outputs that the next stage does not read, those that transform feedback
/// captures.
pub(crate) fn collect_output_lanes(
    program: &Program,
    analysis: &Analysis,
    options: &Options,
    live: &mut Vec<(u32, u8)>,
) {
    live.clear();
    for (slot, semantic) in analysis.output_slots(program) {
        // Lanes that no stage reads need not be computed unless they are captured.
        let lanes = if options.interface.outputs.omits(semantic) {
            options.transform_feedback.lanes(semantic)
        } else {
            crate::varyings::written_lanes(semantic)
        };
        if lanes > 0 {
            live.push((slot, lanes));
        }
    }
}
