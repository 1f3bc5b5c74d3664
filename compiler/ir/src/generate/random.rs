//! Random numbers.

/// A small deterministic generator of random numbers (SplitMix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`.
    pub(crate) fn draw_below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(super) fn draw_percent(&mut self, chance: usize) -> bool {
        self.draw_below(100) < chance
    }

    pub(super) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.draw_below(items.len())]
    }

    /// Returns random bits, with a preference for small numbers and the ends of the range.
    pub(super) fn draw_bits32(&mut self) -> u32 {
        let bits = self.next() as u32;
        match self.draw_below(8) {
            0 => 0,
            1 => u32::MAX,
            2 => 0x8000_0000,
            3 => 0x7fff_ffff,
            4 => bits & 15,
            _ => bits,
        }
    }
}
