//! Lanes: the value that currently holds each of the four components of a register, and the
//! components that an operand reads.

use super::Val;
use crate::spirv_writer::ValueWord;
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

    /// Returns the lane that is the scalar value `id`.
    pub(crate) const fn scalar(id: ValueWord) -> Self {
        Self(id.0 << 2)
    }

    /// Returns the lane that is component `component` of a vector.
    pub(crate) const fn from_component(id: ValueWord, component: usize) -> Self {
        Self(id.0 << 2 | component as u32 & 3)
    }

    /// Returns the four lanes that are the components of a vector.
    pub(crate) const fn all_components(id: ValueWord) -> [Self; 4] {
        let first = id.0 << 2;
        [
            Self(first),
            Self(first | 1),
            Self(first | 2),
            Self(first | 3),
        ]
    }

    /// Returns lanes of which the first `size`, at most four, are the components of the vector
    /// `id`, and the remaining ones those of `others` at the same positions.
    pub(crate) fn with_first_components(id: ValueWord, size: u8, others: [Self; 4]) -> [Self; 4] {
        let leading = ..usize::from(size.min(4));
        let mut lanes = others;
        lanes[leading].copy_from_slice(&Self::all_components(id)[leading]);
        lanes
    }

    /// Returns the value, or `NONE` for a lane that was never written.
    pub(crate) const fn id(self) -> ValueWord {
        ValueWord(self.0 >> 2)
    }

    /// Returns the index of the component in the value that contains the lane.
    pub(crate) const fn component(self) -> usize {
        (self.0 & 3) as usize
    }

    /// Returns true if the lane has a value, because it was written.
    pub(crate) const fn is_some(self) -> bool {
        self.0 >> 2 != 0
    }

    /// Returns true if this component follows `first` by `steps` in the same value.
    pub(super) const fn follows(self, first: Self, steps: u32) -> bool {
        self.diff_bits(first, steps) == 0
    }

    /// Returns the bits in which the lane differs from the one `steps` after `first`; 0 if they are
    /// the same.
    pub(super) const fn diff_bits(self, first: Self, steps: u32) -> u32 {
        self.0 ^ (first.0 + steps)
    }
}

/// Returns true if at most four lanes are the first components of one value, in order. There must
/// be at least one lane.
pub(super) fn are_leading_components(lanes: &[Lane]) -> bool {
    // After w the next number is x of the next id, which is another value: the lanes therefore have
    // to begin at x.
    (0..)
        .zip(lanes)
        .all(|(index, lane)| lane.follows(lanes[0], index))
        && lanes[0].component() == 0
}

/// Returns true if all lanes are components of one value.
pub(super) const fn share_one_value(lanes: &[Lane; 4]) -> bool {
    let [Lane(a), Lane(b), Lane(c), Lane(d)] = *lanes;
    // Ids differ in bits above the bits of the component.
    ((a ^ b) | (a ^ c) | (a ^ d)) >> 2 == 0
}

/// Returns true if the lanes of a mask are the first ones, without a gap.
// Adding 1 to a run of ones from bit 0 up carries through all of them; ones after a gap remain.
pub(crate) const fn is_prefix(lanes: u8) -> bool {
    lanes & (lanes + 1) == 0
}

/// Lanes of each mask in order, followed by its first lane repeated.
const MASK_LANES: [Swizzle; 16] = {
    let mut table = [Swizzle::XYZW; 16];
    let mut mask = 1_usize;
    while mask < 16 {
        let mut lanes = [mask.trailing_zeros() as u8; 4];
        let (mut remaining, mut count) = (mask as u8, 0);
        while remaining != 0 {
            lanes[count] = remaining.trailing_zeros() as u8;
            remaining &= remaining - 1;
            count += 1;
        }
        table[mask] = Swizzle::new(lanes);
        mask += 1;
    }
    table
};

/// Number of lanes of each mask that precede each lane.
const LANE_RANKS: [Swizzle; 16] = {
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
pub(crate) struct LaneSelection {
    /// Components, followed by the first one repeated.
    pub(super) components: Swizzle,
    /// Number of components.
    pub(crate) size: u8,
}

impl LaneSelection {
    /// Returns the components that the lanes `lanes` of a swizzled source read, in the order of the
    /// lanes.
    #[inline(always)]
    pub(crate) fn new(swizzle: Swizzle, lanes: u8) -> Self {
        let mask_lanes = MASK_LANES[usize::from(lanes & 15)];
        Self {
            components: match swizzle {
                Swizzle::XYZW => mask_lanes,
                _ if mask_lanes == Swizzle::XYZW => swizzle,
                _ => swizzle.compose(mask_lanes),
            },
            size: WriteMask(lanes).count() as u8,
        }
    }

    /// Picks the components of lanes of one value; the first `size` components are followed by the
    /// first one repeated.
    pub(super) fn from_components(lanes: &[Lane; 4], size: u8) -> Self {
        let components = Swizzle::new(lanes.map(|lane| lane.component() as u8));
        Self { components, size }
    }

    /// Returns the lanes of `base` that this selection picks, in its order.
    #[inline(always)]
    pub(crate) fn select(self, base: &[Lane; 4]) -> [Lane; 4] {
        std::array::from_fn(|index| base[self.components.lane(index)])
    }
}

/// Returns the lanes of `new` where `mask` is set, and those of `old` elsewhere.
pub(crate) fn blend(old: &[Lane; 4], new: &[Lane; 4], mask: u8) -> [Lane; 4] {
    // Branch-free, so that four lanes are one operation of the processor.
    let chosen = &LANE_BIT_MASKS[usize::from(mask & 15)];
    std::array::from_fn(|lane| Lane(old[lane].0 & !chosen[lane] | new[lane].0 & chosen[lane]))
}

/// All ones for the lanes of each mask.
const LANE_BIT_MASKS: [[u32; 4]; 16] = {
    let mut table = [[0; 4]; 16];
    let mut index = 0;
    while index < 64 {
        let (mask, lane) = (index / 4, index % 4);
        table[mask][lane] = if mask >> lane & 1 != 0 { u32::MAX } else { 0 };
        index += 1;
    }
    table
};

impl Val {
    /// Returns the lanes of the components; a scalar is used for all four.
    pub(crate) fn lanes(self) -> [Lane; 4] {
        self.to_lanes(0b1111)
    }

    /// Returns the first component alone: the result of blocks that compute one value.
    pub(crate) fn first_lane_only(self) -> [Lane; 4] {
        let none = Lane::UNDEFINED;
        [self.lane(0), none, none, none]
    }

    /// Returns the lane of component `index`; a scalar is used for all components.
    pub(crate) fn lane(self, index: usize) -> Lane {
        Lane::from_component(self.id, if self.size == 1 { 0 } else { index })
    }

    /// Returns the components by lane of a destination; lanes outside of `lanes` are arbitrary. A
    /// scalar is in all lanes.
    pub(crate) fn to_lanes(self, lanes: u8) -> [Lane; 4] {
        if self.size == 1 {
            return [Lane::scalar(self.id); 4];
        }
        let all = Lane::all_components(self.id);
        if is_prefix(lanes) {
            return all;
        }
        let rank = LANE_RANKS[usize::from(lanes & 15)];
        std::array::from_fn(|lane| all[rank.lane(lane)])
    }
}
