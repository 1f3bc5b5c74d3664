//! Upward-exposed reads of loops: lanes that a loop may read before it writes them.

use super::{Analysis, ReadVisitor};
use crate::spirv_writer::refill;
use glasm_ir::arena::Id;
use glasm_ir::{BlockId, Inst, Node, Program, RoutineId};

/// Forward walk that finds, for each loop, the lanes that are read before they are definitely
/// written.
#[derive(Debug, Default)]
pub(super) struct UpwardExposedScan {
    slots: Vec<SlotExposure>,
    /// Definitely written lanes of slots before each change, for undoing changes at joins: slot,
    /// loop, lanes.
    journal: Vec<(u32, u32, u8)>,
    /// Exposed reads of the open loops, innermost last.
    open_exposed: Vec<(u32, u8)>,
    first_branch_lanes: Vec<u8>,
    /// Pool of lists of writes for reuse.
    spare: Vec<Vec<(u32, u8)>>,
    /// Number of the open loop.
    current_loop: u32,
    loop_count: u32,
}

/// State of a slot in a loop. State of another loop than the open one is ignored, so that nothing
/// has to be cleared when a loop begins.
#[derive(Clone, Copy, Debug, Default)]
struct SlotExposure {
    /// Loop of `written`.
    written_loop: u32,
    /// Loop of `found`.
    exposed_loop: u32,
    /// Lanes definitely written since the start of the loop.
    written: u8,
    /// Lanes already found exposed.
    exposed: u8,
}

impl SlotExposure {
    /// Returns the lanes that the loop with this stamp has written for certain at this point.
    #[inline(always)]
    fn definitely_written(self, stamp: u32) -> u8 {
        if self.written_loop == stamp {
            self.written
        } else {
            0
        }
    }

    /// Returns the lanes that the loop with this stamp may read before it writes them.
    #[inline(always)]
    fn exposed(self, stamp: u32) -> u8 {
        if self.exposed_loop == stamp {
            self.exposed
        } else {
            0
        }
    }
}

impl ReadVisitor for UpwardExposedScan {
    fn is_saturated(&self, slot: u32) -> bool {
        let slot_state = self.slots[slot as usize];
        slot_state.definitely_written(self.current_loop) | slot_state.exposed(self.current_loop)
            == 15
    }

    #[inline(never)]
    fn visit_read(&mut self, slot: u32, lanes: u8) {
        let slot_state = &mut self.slots[slot as usize];
        let found = slot_state.exposed(self.current_loop);
        let exposed = lanes & !slot_state.definitely_written(self.current_loop) & !found;
        if exposed != 0 {
            self.open_exposed.push((slot, exposed));
            (slot_state.exposed_loop, slot_state.exposed) = (self.current_loop, found | exposed);
        }
    }
}

impl UpwardExposedScan {
    /// Clears the state for a program with `slots` slots.
    pub(super) fn reset(&mut self, slots: usize) {
        refill(&mut self.slots, slots, SlotExposure::default());
        refill(&mut self.first_branch_lanes, slots, 0);
        self.journal.clear();
        self.open_exposed.clear();
        (self.current_loop, self.loop_count) = (0, 0);
    }

    /// Returns the lanes of a slot that the current loop has written for certain.
    fn definitely_written(&self, slot: u32) -> u8 {
        self.slots[slot as usize].definitely_written(self.current_loop)
    }

    /// Records a write that is certain, with the old state in the journal. Does nothing if the
    /// lanes are already written in this loop, or if later reads of the slot are exposed anyway.
    fn record_write(&mut self, slot: u32, lanes: u8) {
        let slot_state = &mut self.slots[slot as usize];
        let written = slot_state.definitely_written(self.current_loop);
        // A write hides later reads; a slot whose lanes are all exposed has no reads left to hide.
        if lanes & !written != 0 && slot_state.exposed(self.current_loop) != 15 {
            self.journal
                .push((slot, slot_state.written_loop, slot_state.written));
            (slot_state.written_loop, slot_state.written) = (self.current_loop, written | lanes);
        }
    }

    /// Undoes the writes recorded since the journal had the length `mark`.
    fn rollback(&mut self, mark: usize) {
        while self.journal.len() > mark {
            if let Some((slot, written_in, written)) = self.journal.pop() {
                let slot_state = &mut self.slots[slot as usize];
                (slot_state.written_loop, slot_state.written) = (written_in, written);
            }
        }
    }

    /// Visits the reachable nodes of a block in order.
    pub(super) fn visit_block(&mut self, analysis: &mut Analysis, program: &Program, id: BlockId) {
        let block = program.blocks[id];
        let reachable = analysis.blocks[id.index()].reachable_nodes;
        for position in block.first..block.first + reachable {
            self.visit_node(analysis, program, position);
        }
    }

    /// Visits one node of the control tree; `position` is its index in the program. Instructions
    /// outside of all loops are skipped.
    fn visit_node(&mut self, analysis: &mut Analysis, program: &Program, position: u32) {
        let node = program.nodes[position as usize];
        match node {
            // Exposed reads are recorded for loops only, and stamp 0 is the code outside of all
            // loops.
            Node::Run { first, len } if self.current_loop != 0 => {
                for inst in program.run_insts(first, len) {
                    self.visit_inst(analysis, program, inst);
                }
            }
            Node::If {
                cond,
                then,
                otherwise,
                ..
            } => {
                if let Some((slot, lanes)) = analysis.find_cond_read(program, cond) {
                    self.visit_read(slot, lanes);
                }
                // The read of the condition precedes both branches.
                self.visit_branches(analysis, program, [Some(then), otherwise]);
            }
            Node::Loop { .. } => self.visit_loop(analysis, program, position),
            Node::Switch(id) => {
                let (selector, lane) = program.switches[id].selector;
                if let Some(slot) = analysis.find_slot(program, selector, None) {
                    self.visit_read(slot, 1 << (lane & 3));
                }
                // Writes of the cases are ignored, even if all cases write the same lanes: an
                // unnecessary exposed read costs a phi.
                for block in program.inner_blocks(node) {
                    self.visit_block_in_isolation(analysis, program, block);
                }
            }
            Node::Call(routine, _) => self.visit_call(analysis, program, routine),
            Node::Run { .. } | Node::Break | Node::Continue | Node::Return => {}
        }
    }

    /// Visits the body of an inlined routine; writes after a possible return are not certain. A
    /// call of a separate function accesses no values.
    fn visit_call(&mut self, analysis: &mut Analysis, program: &Program, routine: RoutineId) {
        let body = program.routines[routine].body;
        let info = analysis.routines[routine.index()];
        match (info.inlined, info.early_return) {
            (false, _) => {}
            (true, false) => self.visit_block(analysis, program, body),
            // The routine may have returned before the write.
            (true, true) => self.visit_block_in_isolation(analysis, program, body),
        }
    }

    /// Visits a block whose writes are not certain for the code after it, and undoes them.
    fn visit_block_in_isolation(
        &mut self,
        analysis: &mut Analysis,
        program: &Program,
        id: BlockId,
    ) {
        let mark = self.journal.len();
        self.visit_block(analysis, program, id);
        self.rollback(mark);
    }

    /// Visits a block, undoes its writes and returns them as slots with the lanes that are
    /// certainly written; a slot may occur several times.
    fn collect_block_writes(
        &mut self,
        analysis: &mut Analysis,
        program: &Program,
        id: BlockId,
    ) -> Vec<(u32, u8)> {
        let mark = self.journal.len();
        self.visit_block(analysis, program, id);
        let mut writes = self.spare.pop().unwrap_or_default();
        // A slot may have several entries; each contributes the lanes that are written after all of
        // them.
        let written = self.journal[mark..].iter();
        writes.extend(written.map(|&(slot, ..)| (slot, self.definitely_written(slot))));
        self.rollback(mark);
        writes
    }

    /// Records the reads of an instruction, then its writes, unless a guard may prevent these.
    fn visit_inst(&mut self, analysis: &Analysis, program: &Program, inst: &Inst) {
        let dst = inst.dst.as_ref();
        // Reads precede writes: an instruction may read its own destination.
        analysis.visit_reads(program, inst, dst.map_or(0, |dst| dst.mask.0), self);
        let Some(dst) = dst else { return };
        // If the guard fails, nothing is written.
        if dst.guard.is_some() {
            return;
        }
        if let Some(slot) = analysis.find_slot(program, dst.register, dst.index) {
            self.record_write(slot, dst.mask.0);
        }
        if let Some(slot) = dst.cc.and_then(|cc| analysis.find_slot(program, cc, None)) {
            self.record_write(slot, dst.mask.0);
        }
    }

    /// Visits both branches and records the writes that are certain after them: those that both
    /// have in common, or those of the branch whose end is reachable. With a missing branch there
    /// are none.
    fn visit_branches(
        &mut self,
        analysis: &mut Analysis,
        program: &Program,
        branches: [Option<BlockId>; 2],
    ) {
        let [Some(then), Some(otherwise)] = branches else {
            // A missing branch writes nothing, so no lanes are definitely written.
            for block in branches.into_iter().flatten() {
                self.visit_block_in_isolation(analysis, program, block);
            }
            return;
        };
        let first = self.collect_block_writes(analysis, program, then);
        let second = self.collect_block_writes(analysis, program, otherwise);
        // A branch whose end is not reached has no effect on the code after the construct.
        let falls = |block: BlockId| analysis.blocks[block.index()].falls_through;
        match (falls(then), falls(otherwise)) {
            (true, true) => self.record_common_writes(&first, &second),
            (true, false) => self.record_writes(&first),
            (false, _) => self.record_writes(&second),
        }
        for mut writes in [first, second] {
            writes.clear();
            self.spare.push(writes);
        }
    }

    /// Records writes that are certain, given as slots and lanes.
    fn record_writes(&mut self, writes: &[(u32, u8)]) {
        for &(slot, lanes) in writes {
            self.record_write(slot, lanes);
        }
    }

    /// Records the writes of both branches of a selection: lanes that are in both lists.
    fn record_common_writes(&mut self, first: &[(u32, u8)], second: &[(u32, u8)]) {
        for &(slot, lanes) in first {
            self.first_branch_lanes[slot as usize] = lanes;
        }
        for &(slot, lanes) in second {
            let both = lanes & self.first_branch_lanes[slot as usize];
            if both != 0 {
                self.record_write(slot, both);
            }
        }
        for &(slot, _) in first {
            // Cleared individually, because the table has an entry for every slot of the program.
            self.first_branch_lanes[slot as usize] = 0;
        }
    }

    /// Analyzes a loop on its first visit and records its exposed reads as reads of the outer loop.
    /// Its writes are not certain.
    fn visit_loop(&mut self, analysis: &mut Analysis, program: &Program, position: u32) {
        // Every copy of an inlined routine is visited; the exposed reads of its loops are the same
        // each time.
        if !analysis.loops.contains_key(&position) {
            self.analyze_loop(analysis, program, position);
        }
        let (first, len) = analysis.loops[&position];
        // The upward-exposed reads of an inner loop are reads of the outer loop at this point.
        for index in first..first + len {
            let (slot, lanes) = analysis.exposed[index as usize];
            self.visit_read(slot, lanes);
        }
    }

    /// Computes the upward-exposed reads of a loop and records them in `analysis` under its
    /// position. The writes of the loop are undone.
    fn analyze_loop(&mut self, analysis: &mut Analysis, program: &Program, position: u32) {
        let outer = self.current_loop;
        let first_open = self.open_exposed.len();
        self.loop_count += 1;
        // Stamps are never reused, because the state of an inner loop must be ignored in the next
        // one.
        self.current_loop = self.loop_count;
        // Writes of the body are ignored for the `continuing` block, too: `Continue` may precede
        // any write.
        for block in program.inner_blocks(program.nodes[position as usize]) {
            self.visit_block_in_isolation(analysis, program, block);
        }
        let first = analysis.exposed.len() as u32;
        analysis
            .exposed
            .extend(self.open_exposed.drain(first_open..));
        let len = analysis.exposed.len() as u32 - first;
        analysis.loops.insert(position, (first, len));
        self.current_loop = outer;
    }
}
