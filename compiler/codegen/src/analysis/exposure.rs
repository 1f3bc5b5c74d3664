//! Upward-exposed reads of loops: lanes that a loop may read before it writes them.

use super::{Analysis, Reads};
use crate::kept::refill;
use glasm_ir::arena::Id;
use glasm_ir::{BlockId, Inst, Node, Program, RoutineId};

/// Forward walk that finds, for each loop, the lanes that are read before they are definitely
/// written.
#[derive(Debug, Default)]
pub(super) struct ExposureScan {
    slots: Vec<Slot>,
    /// Definitely written lanes of slots before each change, for undoing changes at joins: slot,
    /// loop, lanes.
    journal: Vec<(u32, u32, u8)>,
    /// Exposed reads of the open loops, innermost last.
    open: Vec<(u32, u8)>,
    merged: Vec<u8>,
    /// Pool of lists of writes for reuse.
    spare: Vec<Vec<(u32, u8)>>,
    /// Number of the open loop.
    stamp: u32,
    stamps: u32,
}

/// State of a slot in a loop. State of another loop than the open one is ignored, so that nothing
/// has to be cleared when a loop begins.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Loop of `written`.
    written_in: u32,
    /// Loop of `found`.
    found_in: u32,
    /// Lanes definitely written since the start of the loop.
    written: u8,
    /// Lanes already found exposed.
    found: u8,
}

impl Slot {
    #[inline(always)]
    fn surely_written(self, stamp: u32) -> u8 {
        if self.written_in == stamp {
            self.written
        } else {
            0
        }
    }

    #[inline(always)]
    fn found(self, stamp: u32) -> u8 {
        if self.found_in == stamp {
            self.found
        } else {
            0
        }
    }
}

impl Reads for ExposureScan {
    #[inline]
    fn has_all(&self, slot: u32) -> bool {
        let known = self.slots[slot as usize];
        known.surely_written(self.stamp) | known.found(self.stamp) == 15
    }

    #[inline(never)]
    fn read(&mut self, slot: u32, lanes: u8) {
        let known = &mut self.slots[slot as usize];
        let found = known.found(self.stamp);
        let exposed = lanes & !known.surely_written(self.stamp) & !found;
        if exposed != 0 {
            self.open.push((slot, exposed));
            (known.found_in, known.found) = (self.stamp, found | exposed);
        }
    }
}

impl ExposureScan {
    pub(super) fn reset(&mut self, slots: usize) {
        refill(&mut self.slots, slots, Slot::default());
        refill(&mut self.merged, slots, 0);
        self.journal.clear();
        self.open.clear();
        (self.stamp, self.stamps) = (0, 0);
    }

    fn surely_written(&self, slot: u32) -> u8 {
        self.slots[slot as usize].surely_written(self.stamp)
    }

    fn write(&mut self, slot: u32, lanes: u8) {
        let known = &mut self.slots[slot as usize];
        let written = known.surely_written(self.stamp);
        // A write hides later reads; a slot whose lanes are all exposed has no reads left to hide.
        if lanes & !written != 0 && known.found(self.stamp) != 15 {
            self.journal.push((slot, known.written_in, known.written));
            (known.written_in, known.written) = (self.stamp, written | lanes);
        }
    }

    fn rollback(&mut self, mark: usize) {
        while self.journal.len() > mark {
            if let Some((slot, written_in, written)) = self.journal.pop() {
                let known = &mut self.slots[slot as usize];
                (known.written_in, known.written) = (written_in, written);
            }
        }
    }

    pub(super) fn block(&mut self, analysis: &mut Analysis, program: &Program, id: BlockId) {
        let block = program.blocks[id];
        let reachable = analysis.blocks[id.index()].reachable;
        for position in block.first..block.first + reachable {
            self.node(analysis, program, position);
        }
    }

    fn node(&mut self, analysis: &mut Analysis, program: &Program, position: u32) {
        let node = program.nodes[position as usize];
        match node {
            // Exposed reads are recorded for loops only, and stamp 0 is the code outside of all
            // loops.
            Node::Run { first, len } if self.stamp != 0 => {
                for inst in program.run(first, len) {
                    self.inst(analysis, program, inst);
                }
            }
            Node::If {
                cond,
                then,
                otherwise,
                ..
            } => {
                if let Some((slot, lanes)) = analysis.cond_reads(program, cond) {
                    self.read(slot, lanes);
                }
                // The read of the condition precedes both branches.
                self.branches(analysis, program, [Some(then), otherwise]);
            }
            Node::Loop { .. } => self.inner_loop(analysis, program, position),
            Node::Switch(id) => {
                let (selector, lane) = program.switches[id].selector;
                if let Some(slot) = analysis.slot(program, selector, None) {
                    self.read(slot, 1 << (lane & 3));
                }
                // Writes of the cases are ignored, even if all cases write the same lanes: an
                // unnecessary exposed read costs a phi.
                for block in program.inner_blocks(node) {
                    self.block_alone(analysis, program, block);
                }
            }
            Node::Call(routine, _) => self.call(analysis, program, routine),
            Node::Run { .. } | Node::Break | Node::Continue | Node::Return => {}
        }
    }

    fn call(&mut self, analysis: &mut Analysis, program: &Program, routine: RoutineId) {
        let body = program.routines[routine].body;
        let info = analysis.routines[routine.index()];
        match (info.inlined, info.early_return) {
            (false, _) => {}
            (true, false) => self.block(analysis, program, body),
            // The routine may have returned before the write.
            (true, true) => self.block_alone(analysis, program, body),
        }
    }

    /// Visits a block and ignores its writes for the code after it.
    fn block_alone(&mut self, analysis: &mut Analysis, program: &Program, id: BlockId) {
        let mark = self.journal.len();
        self.block(analysis, program, id);
        self.rollback(mark);
    }

    /// Visits a block and returns its writes, which are undone.
    fn writes(
        &mut self,
        analysis: &mut Analysis,
        program: &Program,
        id: BlockId,
    ) -> Vec<(u32, u8)> {
        let mark = self.journal.len();
        self.block(analysis, program, id);
        let mut writes = self.spare.pop().unwrap_or_default();
        // A slot may have several entries; each contributes the lanes that are written after all of
        // them.
        let written = self.journal[mark..].iter();
        writes.extend(written.map(|&(slot, ..)| (slot, self.surely_written(slot))));
        self.rollback(mark);
        writes
    }

    fn inst(&mut self, analysis: &Analysis, program: &Program, inst: &Inst) {
        let dst = inst.dst.as_ref();
        // Reads precede writes: an instruction may read its own destination.
        analysis.visit_reads(program, inst, dst.map_or(0, |dst| dst.mask.0), self);
        let Some(dst) = dst else { return };
        // If the guard fails, nothing is written.
        if dst.guard.is_some() {
            return;
        }
        if let Some(slot) = analysis.slot(program, dst.register, dst.index) {
            self.write(slot, dst.mask.0);
        }
        if let Some(slot) = dst.cc.and_then(|cc| analysis.slot(program, cc, None)) {
            self.write(slot, dst.mask.0);
        }
    }

    /// Visits both branches and applies the writes that both have in common.
    fn branches(
        &mut self,
        analysis: &mut Analysis,
        program: &Program,
        branches: [Option<BlockId>; 2],
    ) {
        let [Some(then), Some(otherwise)] = branches else {
            // A missing branch writes nothing, so no lanes are definitely written.
            for block in branches.into_iter().flatten() {
                self.block_alone(analysis, program, block);
            }
            return;
        };
        let first = self.writes(analysis, program, then);
        let second = self.writes(analysis, program, otherwise);
        // A branch whose end is not reached has no effect on the code after the construct.
        let falls = |block: BlockId| analysis.blocks[block.index()].falls;
        match (falls(then), falls(otherwise)) {
            (true, true) => self.write_common(&first, &second),
            (true, false) => self.write_all(&first),
            (false, _) => self.write_all(&second),
        }
        for mut writes in [first, second] {
            writes.clear();
            self.spare.push(writes);
        }
    }

    fn write_all(&mut self, writes: &[(u32, u8)]) {
        for &(slot, lanes) in writes {
            self.write(slot, lanes);
        }
    }

    /// Writes the lanes that are in both lists.
    fn write_common(&mut self, first: &[(u32, u8)], second: &[(u32, u8)]) {
        for &(slot, lanes) in first {
            self.merged[slot as usize] = lanes;
        }
        for &(slot, lanes) in second {
            let both = lanes & self.merged[slot as usize];
            if both != 0 {
                self.write(slot, both);
            }
        }
        for &(slot, _) in first {
            // Cleared individually, because the table has an entry for every slot of the program.
            self.merged[slot as usize] = 0;
        }
    }

    fn inner_loop(&mut self, analysis: &mut Analysis, program: &Program, position: u32) {
        // Every copy of an inlined routine is visited; the exposed reads of its loops are the same
        // each time.
        if !analysis.loops.contains_key(&position) {
            self.new_loop(analysis, program, position);
        }
        let (first, len) = analysis.loops[&position];
        // The upward-exposed reads of an inner loop are reads of the outer loop at this point.
        for index in first..first + len {
            let (slot, lanes) = analysis.exposed[index as usize];
            self.read(slot, lanes);
        }
    }

    fn new_loop(&mut self, analysis: &mut Analysis, program: &Program, position: u32) {
        let outer = self.stamp;
        let first_open = self.open.len();
        self.stamps += 1;
        // Stamps are never reused, because the state of an inner loop must be ignored in the next
        // one.
        self.stamp = self.stamps;
        // Writes of the body are ignored for the `continuing` block, too: `Continue` may precede
        // any write.
        for block in program.inner_blocks(program.nodes[position as usize]) {
            self.block_alone(analysis, program, block);
        }
        let first = analysis.exposed.len() as u32;
        analysis.exposed.extend(self.open.drain(first_open..));
        let len = analysis.exposed.len() as u32 - first;
        analysis.loops.insert(position, (first, len));
        self.stamp = outer;
    }
}
