//! Registers of buffers that declarations cover.

use crate::memory::take;
use glasm_ir::Span;
use std::collections::BTreeMap;

/// Registers of a buffer that a declaration covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Covered {
    pub(super) buffer: u32,
    pub(super) first: u32,
    pub(super) last: u32,
    /// Source span of the declaration.
    pub(super) span: Span,
}

impl Covered {
    pub(super) fn has(&self, buffer: u32, number: u32) -> bool {
        self.buffer == buffer && (self.first..=self.last).contains(&number)
    }
}

/// Number of declarations up to which a linear search is faster than a look-up.
const FEW: usize = 16;

/// The declarations of a file of registers.
#[derive(Debug, Default)]
pub(super) struct Coverage {
    /// Ranges in source order.
    pub(super) ranges: Vec<Covered>,
    /// Union of the ranges, if there are many: buffer and first register of each segment, and its
    /// last register.
    pieces: BTreeMap<(u32, u32), u32>,
    /// Number of ranges that are already in `pieces`.
    joined: usize,
    /// One above the largest number of a buffer.
    pub(super) buffers: u32,
}

impl Coverage {
    /// Clears the list and returns it with its capacity.
    pub(super) fn emptied(mut self) -> Self {
        Self {
            ranges: take(&mut self.ranges),
            ..Self::default()
        }
    }

    pub(super) fn push(&mut self, range: Covered) {
        self.buffers = self.buffers.max(range.buffer + 1);
        self.ranges.push(range);
    }

    /// Returns true if a declaration covers a register.
    #[inline]
    pub(super) fn has(&mut self, buffer: u32, number: u32) -> bool {
        if self.ranges.len() <= FEW {
            self.ranges.iter().any(|range| range.has(buffer, number))
        } else {
            self.is_in_piece(buffer, number)
        }
    }

    #[inline(never)]
    fn is_in_piece(&mut self, buffer: u32, number: u32) -> bool {
        while let Some(&range) = self.ranges.get(self.joined) {
            self.join(range);
            self.joined += 1;
        }
        let mut before = self.pieces.range(..=(buffer, number));
        let piece = before.next_back();
        piece.is_some_and(|(&(of, _), &last)| of == buffer && number <= last)
    }

    /// Adds a range to the segments. Segments that it overlaps are merged with it, so that each is
    /// visited once before it is removed.
    fn join(&mut self, range: Covered) {
        let (mut first, mut last) = (range.first, range.last);
        while let Some((&key, &end)) = self.pieces.range(..=(range.buffer, last)).next_back()
            && key.0 == range.buffer
            && end >= first
        {
            self.pieces.remove(&key);
            (first, last) = (first.min(key.1), last.max(end));
        }
        self.pieces.insert((range.buffer, first), last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every register is queried after each added range.
    #[test]
    fn pieces_cover_what_the_ranges_cover() {
        let mut coverage = Coverage::default();
        let mut expected = [[false; 64]; 3];
        let mut random = 1u32;
        let mut next = |end: u32| {
            random = random.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            (random >> 16) % end
        };
        for _ in 0..4 * FEW {
            let (buffer, first) = (next(3), next(64));
            let last = (first + next(4)).min(63);
            let span = Span::default();
            coverage.push(Covered {
                buffer,
                first,
                last,
                span,
            });
            expected[buffer as usize][first as usize..=last as usize].fill(true);
            for (buffer, registers) in (0..).zip(&expected) {
                for (number, &is_covered) in (0..).zip(registers) {
                    assert_eq!(coverage.has(buffer, number), is_covered);
                }
                assert!(!coverage.has(buffer, 64));
            }
        }
    }
}
