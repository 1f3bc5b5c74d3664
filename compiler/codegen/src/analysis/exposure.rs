//! What loops read before they surely write it.

use super::{Analysis, Reads};
use crate::kept::refill;
use glasm_ir::arena::Id;
use glasm_ir::{BlockId, Inst, Node, Program, RoutineId};

/// Forward walk that finds, for each loop, lanes that are read before they are surely written.
#[derive(Debug, Default)]
pub(super) struct ExposureScan {
    slots: Vec<Slot>,
    /// What was surely written of slots before it changed, to undo at joins: slot, loop, lanes.
    journal: Vec<(u32, u32, u8)>,
    /// Exposed reads of the open loops, innermost last.
    open: Vec<(u32, u8)>,
    merged: Vec<u8>,
    /// Spare lists of writes.
    spare: Vec<Vec<(u32, u8)>>,
    /// The open loop.
    stamp: u32,
    stamps: u32,
}

/// What is known of a slot in a loop. What is noted for another one than the open loop counts as nothing, so that nothing has to be
/// cleared when a loop begins.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// The loop of `written`.
    written_in: u32,
    /// The loop of `found`.
    found_in: u32,
    /// Lanes surely written since the start of the loop.
    written: u8,
    /// Lanes found exposed already.
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
        // A write hides later reads; there is nothing to hide of a slot whose lanes are all exposed.
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
            // Only loops are asked about, and stamp 0 is the code outside of all.
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
                // Behind the read of the condition, which comes before both.
                self.branches(analysis, program, [Some(then), otherwise]);
            }
            Node::Loop { .. } => self.inner_loop(analysis, program, position),
            Node::Switch(id) => {
                let (selector, lane) = program.switches[id].selector;
                if let Some(slot) = analysis.slot(program, selector, None) {
                    self.read(slot, 1 << (lane & 3));
                }
                // What the cases write counts as not written, even if all of them write it: an exposed read too many costs a phi.
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
            // It may have returned before it wrote.
            (true, true) => self.block_alone(analysis, program, body),
        }
    }

    /// A block whose writes do not count behind it.
    fn block_alone(&mut self, analysis: &mut Analysis, program: &Program, id: BlockId) {
        let mark = self.journal.len();
        self.block(analysis, program, id);
        self.rollback(mark);
    }

    /// What a block writes, which does not count yet.
    fn writes(
        &mut self,
        analysis: &mut Analysis,
        program: &Program,
        id: BlockId,
    ) -> Vec<(u32, u8)> {
        let mark = self.journal.len();
        self.block(analysis, program, id);
        let mut writes = self.spare.pop().unwrap_or_default();
        // A slot may have several entries; each brings the lanes that all of them came to.
        let written = self.journal[mark..].iter();
        writes.extend(written.map(|&(slot, ..)| (slot, self.surely_written(slot))));
        self.rollback(mark);
        writes
    }

    fn inst(&mut self, analysis: &Analysis, program: &Program, inst: &Inst) {
        let dst = inst.dst.as_ref();
        // Reads before writes: an instruction may read what it writes.
        analysis.visit_reads(program, inst, dst.map_or(0, |dst| dst.mask.0), self);
        let Some(dst) = dst else { return };
        // Where the guard fails nothing is written.
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

    /// After both branches, what both have written is written.
    fn branches(
        &mut self,
        analysis: &mut Analysis,
        program: &Program,
        branches: [Option<BlockId>; 2],
    ) {
        let [Some(then), Some(otherwise)] = branches else {
            // The missing branch writes nothing, so that nothing is surely written.
            for block in branches.into_iter().flatten() {
                self.block_alone(analysis, program, block);
            }
            return;
        };
        let first = self.writes(analysis, program, then);
        let second = self.writes(analysis, program, otherwise);
        // A branch whose end is not reached says nothing about the code behind.
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
            // Cleared one by one: the table has an entry for every slot of the program.
            self.merged[slot as usize] = 0;
        }
    }

    fn inner_loop(&mut self, analysis: &mut Analysis, program: &Program, position: u32) {
        // Every copy of an inlined routine comes here; its loops expose the same each time.
        if !analysis.loops.contains_key(&position) {
            self.new_loop(analysis, program, position);
        }
        let (first, len) = analysis.loops[&position];
        // What an inner loop reads first, the outer loop reads at this place.
        for index in first..first + len {
            let (slot, lanes) = analysis.exposed[index as usize];
            self.read(slot, lanes);
        }
    }

    fn new_loop(&mut self, analysis: &mut Analysis, program: &Program, position: u32) {
        let outer = self.stamp;
        let first_open = self.open.len();
        self.stamps += 1;
        // Numbers are never used twice, since what is noted for an inner loop must count as nothing in the next one.
        self.stamp = self.stamps;
        // What the body writes does not count for the `continuing` block either: `Continue` may come before any write.
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
