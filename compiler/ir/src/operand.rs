//! Operands of instructions: bases, indices, swizzles, sign modifiers.

use crate::arena::{IndexId, InputId, LiteralId, OutputId, ParamId, RegisterId};

/// Lanes that a write may change; bit 0 is x.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct WriteMask(pub u8);

impl WriteMask {
    /// No lane.
    pub const NONE: Self = Self(0);
    /// x only.
    pub const X: Self = Self(1);
    /// All four lanes.
    pub const XYZW: Self = Self(15);

    /// Returns true if lane `lane` (0 to 3) is enabled.
    pub const fn has(self, lane: usize) -> bool {
        self.0 >> lane & 1 != 0
    }

    /// Returns the enabled lanes in order, as numbers from 0 to 3.
    pub fn lanes(self) -> impl Iterator<Item = usize> {
        let mut remaining = self.0 & 15;
        std::iter::from_fn(move || {
            let lane = remaining.trailing_zeros() as usize;
            remaining &= remaining.wrapping_sub(1);
            (lane < 4).then_some(lane)
        })
    }

    /// Returns the number of enabled lanes.
    pub const fn count(self) -> u32 {
        // One hexadecimal digit for each mask: not every target processor has an instruction that
        // counts bits.
        (0x4332_3221_3221_2110_u64 >> (4 * (self.0 & 15)) & 7) as u32
    }

    /// Returns true if no lane is enabled.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl std::fmt::Debug for WriteMask {
    /// Writes the components of the enabled lanes, such as `xz`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for lane in self.lanes() {
            f.write_str(["x", "y", "z", "w"][lane])?;
        }
        Ok(())
    }
}

/// The source lanes that the four lanes read: two bits each, lane x lowest.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Swizzle(pub u8);

impl Swizzle {
    /// `.xyzw`
    pub const XYZW: Self = Self(0b11_10_01_00);

    /// Returns the swizzle whose lane `i` reads `lanes[i]` (each 0 to 3).
    pub const fn new(lanes: [u8; 4]) -> Self {
        Self(lanes[0] & 3 | (lanes[1] & 3) << 2 | (lanes[2] & 3) << 4 | (lanes[3] & 3) << 6)
    }

    /// Returns the swizzle whose lanes all read `lane`.
    pub const fn splat(lane: u8) -> Self {
        Self::new([lane; 4])
    }

    /// Returns the source lane that lane `lane` reads.
    pub const fn lane(self, lane: usize) -> usize {
        (self.0 >> (2 * lane) & 3) as usize
    }

    /// Returns true if all lanes read the same source lane.
    pub const fn is_splat(self) -> bool {
        self.0 == (self.0 & 3) * 0b01_01_01_01
    }

    /// Returns the source lanes that the lanes of `needed` read.
    pub const fn find_source_lanes(self, needed: u8) -> u8 {
        SOURCE_LANES[self.0 as usize][needed as usize & 15]
    }

    /// Returns the composition of two swizzles: lane `i` reads `self[outer[i]]`.
    pub const fn compose(self, outer: Self) -> Self {
        Self::new([
            self.lane(outer.lane(0)) as u8,
            self.lane(outer.lane(1)) as u8,
            self.lane(outer.lane(2)) as u8,
            self.lane(outer.lane(3)) as u8,
        ])
    }
}

/// Source lanes read, by swizzle and lanes. A precomputed table, because every pass queries it for
/// each operand.
static SOURCE_LANES: [[u8; 16]; 256] = {
    let mut table = [[0; 16]; 256];
    let mut index = 0;
    while index < 256 * 16 {
        let (swizzle, needed) = (Swizzle((index / 16) as u8), index % 16);
        let mut lane = 0;
        while lane < 4 {
            table[index / 16][needed] |= ((needed >> lane & 1) as u8) << swizzle.lane(lane);
            lane += 1;
        }
        index += 1;
    }
    table
};

impl std::fmt::Debug for Swizzle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (0..4).try_for_each(|lane| f.write_str(["x", "y", "z", "w"][self.lane(lane)]))
    }
}

/// Storage that an operand names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OperandBase {
    /// A register, or an element of a register array.
    Register(RegisterId),
    /// A parameter slot; with an index, the first slot of an array.
    Param(ParamId),
    /// A stage input; with an index, the first one of an array or a per-vertex input.
    Input(InputId),
    /// An output read back (tessellation control only).
    Output(OutputId),
    /// A literal vector.
    Literal(LiteralId),
}

/// One coordinate of an index: `relative + offset`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IndexTerm {
    /// Dynamic part: a lane of a 32-bit register, interpreted as a signed integer.
    pub relative: Option<(RegisterId, u8)>,
    /// Constant part.
    pub offset: i32,
}

impl IndexTerm {
    /// Returns a constant term.
    pub const fn from_constant(offset: i32) -> Self {
        Self {
            relative: None,
            offset,
        }
    }
}

/// The index of an operand. Out-of-range dynamic values are clamped to the array, never undefined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Index {
    /// Element of an array of registers, parameters, inputs or outputs.
    pub element: IndexTerm,
    /// Number of elements from the base that `element` may access.
    pub len: u32,
    /// Vertex of a per-vertex input or output.
    pub vertex: Option<IndexTerm>,
}

/// A source operand. Order of application: base and index, swizzle, absolute value, negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Src {
    /// Storage that is read.
    pub base: OperandBase,
    /// Index into an array, if any.
    pub index: Option<IndexId>,
    /// Lane selection.
    pub swizzle: Swizzle,
    /// Absolute value, with the type of the instruction.
    pub abs: bool,
    /// Negation, with the type of the instruction; two's complement for integers.
    pub negate: bool,
}

impl Src {
    /// Returns an operand that reads `base` without index, swizzle and modifiers.
    pub const fn new(base: OperandBase) -> Self {
        Self {
            base,
            index: None,
            swizzle: Swizzle::XYZW,
            abs: false,
            negate: false,
        }
    }

    /// Returns an operand that reads a register without index, swizzle and modifiers.
    pub const fn from_register(register: RegisterId) -> Self {
        Self::new(OperandBase::Register(register))
    }

    /// Returns the same operand with `outer` applied after its swizzle.
    pub const fn swizzled(self, outer: Swizzle) -> Self {
        Self {
            swizzle: self.swizzle.compose(outer),
            ..self
        }
    }

    /// Returns the negated operand.
    pub const fn negated(self) -> Self {
        Self {
            negate: !self.negate,
            ..self
        }
    }

    /// Returns true if absolute value or negation applies.
    pub const fn has_modifier(self) -> bool {
        self.abs || self.negate
    }
}
