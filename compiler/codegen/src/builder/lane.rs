//! Lanes: the value that currently holds each of the four components of a register, and the
//! components that an operand reads.

use super::value::Val;
use crate::words::ValueWord;
use glasm_ir::{Swizzle, WriteMask};

/// Id and component that currently hold the value of a lane. Consecutive lanes of one value have
/// consecutive numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
// Two bits for the component leave 30 for the id. This suffices for SPIR-V: the universal limits
// allow 4,194,303 ids, which require 22 bits.
pub(crate) struct Lane(u32);

impl Lane {
    /// Lane that was never written; reads as 0.
    pub(crate) const UNDEFINED: Self = Self::scalar(ValueWord::NONE);

    /// Refers to a scalar value.
    #[inline]
    pub(crate) const fn scalar(id: ValueWord) -> Self {
        Self(id.0 << 2)
    }

    /// Refers to component `component` of a vector.
    #[inline]
    pub(crate) const fn of(id: ValueWord, component: usize) -> Self {
        Self(id.0 << 2 | component as u32 & 3)
    }

    /// Refers to all components of a vector.
    #[inline]
    pub(crate) const fn all_of(id: ValueWord) -> [Self; 4] {
        let first = id.0 << 2;
        [
            Self(first),
            Self(first | 1),
            Self(first | 2),
            Self(first | 3),
        ]
    }

    /// Refers to the first `size` components of a vector, followed by the lanes of `rest`.
    pub(crate) fn first_of(id: ValueWord, size: u8, rest: [Self; 4]) -> [Self; 4] {
        let own = ..usize::from(size.min(4));
        let mut lanes = rest;
        lanes[own].copy_from_slice(&Self::all_of(id)[own]);
        lanes
    }

    /// Returns the value, or `NONE` for a lane that was never written.
    #[inline]
    pub(crate) const fn id(self) -> ValueWord {
        ValueWord(self.0 >> 2)
    }

    /// Returns the number of the component of the value.
    #[inline]
    pub(crate) const fn component(self) -> usize {
        (self.0 & 3) as usize
    }

    /// Returns true if the lane was ever written.
    #[inline]
    pub(crate) const fn is_some(self) -> bool {
        self.0 >> 2 != 0
    }

    /// Returns true if this component follows `first` by `steps` in the same value.
    #[inline]
    pub(super) const fn follows(self, first: Self, steps: u32) -> bool {
        self.differs(first, steps) == 0
    }

    /// Returns the bits in which the lane differs from the one `steps` after `first`; 0 if they are
    /// the same.
    #[inline]
    pub(super) const fn differs(self, first: Self, steps: u32) -> u32 {
        self.0 ^ (first.0 + steps)
    }
}

/// Decides whether at most four lanes are the first components of one value, in order.
#[inline]
pub(super) fn is_start(lanes: &[Lane]) -> bool {
    // After w the next number is x of the next id, which is another value: the lanes therefore have
    // to begin at x.
    (0..)
        .zip(lanes)
        .all(|(index, lane)| lane.follows(lanes[0], index))
        && lanes[0].component() == 0
}

/// Returns true if all lanes are components of one value.
#[inline]
pub(super) const fn are_of_one_value(lanes: &[Lane; 4]) -> bool {
    let [Lane(a), Lane(b), Lane(c), Lane(d)] = *lanes;
    // Ids differ in bits above the bits of the component.
    ((a ^ b) | (a ^ c) | (a ^ d)) >> 2 == 0
}

/// Returns true if lanes are the first ones, without a gap.
#[inline]
// Adding 1 to a run of ones from bit 0 up carries through all of them; ones after a gap remain.
pub(crate) const fn is_prefix(lanes: u8) -> bool {
    lanes & (lanes + 1) == 0
}

/// Lanes of each mask in order, followed by its first lane repeated.
const LANES_OF: [Swizzle; 16] = {
    let mut table = [Swizzle::XYZW; 16];
    let mut mask = 1_usize;
    while mask < 16 {
        let mut lanes = [mask.trailing_zeros() as u8; 4];
        let (mut rest, mut count) = (mask as u8, 0);
        while rest != 0 {
            lanes[count] = rest.trailing_zeros() as u8;
            rest &= rest - 1;
            count += 1;
        }
        table[mask] = Swizzle::new(lanes);
        mask += 1;
    }
    table
};

/// Number of lanes of each mask that precede each lane.
const RANKS_IN: [Swizzle; 16] = {
    let mut table = [Swizzle::XYZW; 16];
    let mut mask = 0_usize;
    while mask < 16 {
        let ranks = [
            0,
            (mask & 1).count_ones() as u8,
            (mask & 3).count_ones() as u8,
            (mask & 7).count_ones() as u8,
        ];
        table[mask] = Swizzle::new(ranks);
        mask += 1;
    }
    table
};

/// Components that are read in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Picks {
    /// Components, followed by the first one repeated.
    pub(super) components: Swizzle,
    /// Number of components.
    pub(crate) size: u8,
}

impl Picks {
    /// Picks the components that the swizzled lanes `lanes` read.
    #[inline(always)]
    pub(crate) fn new(swizzle: Swizzle, lanes: u8) -> Self {
        let of_mask = LANES_OF[usize::from(lanes & 15)];
        Self {
            components: match swizzle {
                Swizzle::XYZW => of_mask,
                _ if of_mask == Swizzle::XYZW => swizzle,
                _ => swizzle.then(of_mask),
            },
            size: WriteMask(lanes).count() as u8,
        }
    }

    /// Picks the components of lanes of one value; the first `size` components are followed by the
    /// first one repeated.
    pub(super) fn of_components(lanes: &[Lane; 4], size: u8) -> Self {
        let components = Swizzle::new(lanes.map(|lane| lane.component() as u8));
        Self { components, size }
    }

    /// Returns the picked lanes of `base`.
    #[inline(always)]
    pub(crate) fn of(self, base: &[Lane; 4]) -> [Lane; 4] {
        std::array::from_fn(|index| base[self.components.lane(index)])
    }
}

/// Merges the lanes `mask` of `new` with the others of `old`.
#[inline]
pub(crate) fn blend(old: &[Lane; 4], new: &[Lane; 4], mask: u8) -> [Lane; 4] {
    // Branch-free, so that four lanes are one operation of the processor.
    let chosen = &MASKS[usize::from(mask & 15)];
    std::array::from_fn(|lane| Lane(old[lane].0 & !chosen[lane] | new[lane].0 & chosen[lane]))
}

/// All ones for the lanes of each mask.
const MASKS: [[u32; 4]; 16] = {
    let mut table = [[0; 4]; 16];
    let mut place = 0;
    while place < 64 {
        let (mask, lane) = (place / 4, place % 4);
        table[mask][lane] = if mask >> lane & 1 != 0 { u32::MAX } else { 0 };
        place += 1;
    }
    table
};

impl Val {
    /// Returns the lanes of the components; a scalar is used for all four.
    pub(crate) fn lanes(self) -> [Lane; 4] {
        self.spread(0b1111)
    }

    /// Returns the first component alone: the result of blocks that compute one value.
    pub(crate) fn alone(self) -> [Lane; 4] {
        let none = Lane::UNDEFINED;
        [self.lane(0), none, none, none]
    }

    /// Returns the lane of component `index`; a scalar is used for all components.
    pub(crate) fn lane(self, index: usize) -> Lane {
        Lane::of(self.id, if self.size == 1 { 0 } else { index })
    }

    /// Returns the components by lane of a destination; lanes outside of `lanes` are arbitrary.
    #[inline]
    pub(crate) fn spread(self, lanes: u8) -> [Lane; 4] {
        if self.size == 1 {
            return [Lane::scalar(self.id); 4];
        }
        let all = Lane::all_of(self.id);
        if is_prefix(lanes) {
            return all;
        }
        let rank = RANKS_IN[usize::from(lanes & 15)];
        std::array::from_fn(|lane| all[rank.lane(lane)])
    }
}
