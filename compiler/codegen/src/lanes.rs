//! The current value of every register lane, with an undo log for branches.

use crate::gather::Lane;

/// Current values by slot and lane.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    lanes: Vec<[Lane; 4]>,
    log: Vec<(u32, Lane)>,
    scopes: u32,
}

impl Lanes {
    /// Forgets all values; there are `slots` slots.
    pub(crate) fn reset(&mut self, slots: usize) {
        self.lanes.clear();
        self.lanes.resize(slots, [Lane::UNDEFINED; 4]);
        self.log.clear();
        self.scopes = 0;
    }

    /// The value of a lane.
    #[inline]
    pub(crate) fn get(&self, slot: u32, lane: usize) -> Lane {
        self.lanes[slot as usize][lane]
    }

    /// The four lanes of a slot.
    #[inline]
    pub(crate) fn slot(&self, slot: u32) -> &[Lane; 4] {
        &self.lanes[slot as usize]
    }

    /// Changes the value of a lane.
    #[inline]
    pub(crate) fn set(&mut self, slot: u32, lane: usize, value: Lane) {
        let place = &mut self.lanes[slot as usize][lane];
        if self.scopes > 0 {
            self.log.push((slot * 4 + lane as u32, *place));
        }
        *place = value;
    }

    /// Starts a branch; the mark goes to [`close`](Self::close).
    pub(crate) fn open(&mut self) -> usize {
        self.scopes += 1;
        self.log.len()
    }

    /// Brings back the values that lanes had at the mark.
    pub(crate) fn close(&mut self, mark: usize) {
        self.scopes -= 1;
        while self.log.len() > mark {
            if let Some((index, old)) = self.log.pop() {
                self.lanes[index as usize / 4][index as usize % 4] = old;
            }
        }
    }
}
