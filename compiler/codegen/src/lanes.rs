//! Current value of every register lane, with an undo log for branches.

use crate::builder::{Lane, blend};

/// Current values by slot and lane.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    lanes: Vec<[Lane; 4]>,
    /// Slots before each write in a branch.
    log: Vec<(u32, [Lane; 4])>,
    scopes: u32,
}

impl Lanes {
    /// Clears all values; there are `slots` slots.
    pub(crate) fn reset(&mut self, slots: usize) {
        self.lanes.clear();
        self.lanes.resize(slots, [Lane::UNDEFINED; 4]);
        self.log.clear();
        self.scopes = 0;
    }

    /// Returns the value of a lane.
    #[inline]
    pub(crate) fn get(&self, slot: u32, lane: usize) -> Lane {
        self.lanes[slot as usize][lane]
    }

    /// Returns the four lanes of a slot.
    #[inline]
    pub(crate) fn slot(&self, slot: u32) -> &[Lane; 4] {
        &self.lanes[slot as usize]
    }

    /// Changes the value of a lane.
    #[inline]
    pub(crate) fn set(&mut self, slot: u32, lane: usize, value: Lane) {
        self.change(slot)[lane] = value;
    }

    /// Changes the lanes `mask` of a slot.
    #[inline]
    pub(crate) fn set_lanes(&mut self, slot: u32, mask: u8, values: &[Lane; 4]) {
        let old = self.change(slot);
        *old = blend(old, values, mask);
    }

    #[inline]
    fn change(&mut self, slot: u32) -> &mut [Lane; 4] {
        let lanes = &mut self.lanes[slot as usize];
        // Outside of all branches no value is restored.
        if self.scopes > 0 {
            self.log.push((slot, *lanes));
        }
        lanes
    }

    /// Starts a branch; the mark is the argument of [`close`](Self::close).
    pub(crate) fn open(&mut self) -> usize {
        self.scopes += 1;
        self.log.len()
    }

    /// Restores the values of lanes at the mark.
    pub(crate) fn close(&mut self, mark: usize) {
        self.scopes -= 1;
        // A slot may have several entries; the oldest one must be restored.
        for (slot, old) in self.log.drain(mark..).rev() {
            self.lanes[slot as usize] = old;
        }
    }
}
