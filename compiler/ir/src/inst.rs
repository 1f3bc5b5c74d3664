//! Instructions: operation, sources and destination.

use crate::image::{Image, ImageAccess};
use crate::op::{Op, OpFlags, ResultShape};
use crate::resource::{MemAccess, TexAccess};
use crate::span::Span;
use crate::types::Type;

use crate::arena::RegisterId;
pub use crate::arena::{ImageAccessId, IndexId, LiteralId, MemAccessId, TexAccessId};
pub use crate::operand::{Index, IndexTerm, OperandBase, Src, Swizzle, WriteMask};
use crate::text_keywords::{words, words_of_tables};

/// A test of condition-code flags. SF: below 0 or NaN (integers: top bit); ZF: zero or NaN; OF, CF:
/// overflow, carry of integer addition and subtraction. NV_gpu_program4 table X.16.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum CondTest {
    /// `!SF & ZF`
    Eq,
    /// `SF | !ZF`
    Ne,
    /// `(SF & !ZF) ^ OF`
    Lt,
    /// `SF ^ (ZF | OF)`
    Le,
    /// `(!SF ^ OF) & !ZF`
    Gt,
    /// `!(SF ^ OF)`
    Ge,
    /// Always.
    True,
    /// Never.
    False,
    /// `SF & ZF`
    Nan,
    /// `!SF | !ZF`
    Leg,
    /// `CF`
    Carry,
    /// `!CF`
    NoCarry,
    /// `OF`
    Overflow,
    /// `!OF`
    NoOverflow,
    /// `SF`
    Sign,
    /// `!SF`
    NoSign,
    /// `CF & !ZF`
    Above,
    /// `!CF | ZF`
    BelowEqual,
}

impl CondTest {
    /// All tests with their names in the text form.
    pub const ALL: &'static [(Self, &'static str)] = &[
        (Self::Eq, "eq"),
        (Self::Ne, "ne"),
        (Self::Lt, "lt"),
        (Self::Le, "le"),
        (Self::Gt, "gt"),
        (Self::Ge, "ge"),
        (Self::True, "tr"),
        (Self::False, "fl"),
        (Self::Nan, "nan"),
        (Self::Leg, "leg"),
        (Self::Carry, "cf"),
        (Self::NoCarry, "ncf"),
        (Self::Overflow, "of"),
        (Self::NoOverflow, "nof"),
        (Self::Sign, "sf"),
        (Self::NoSign, "nsf"),
        (Self::Above, "ab"),
        (Self::BelowEqual, "ble"),
    ];

    /// Returns true if the test reads the overflow flag (OF) or the carry flag (CF).
    pub const fn is_reading_overflow(self) -> bool {
        !matches!(
            self,
            Self::Eq
                | Self::Ne
                | Self::True
                | Self::False
                | Self::Nan
                | Self::Leg
                | Self::Sign
                | Self::NoSign
        )
    }
}

/// Lane-wise condition of a write: lane `i` is written if the test of condition-code lane
/// `swizzle[i]` passes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Guard {
    /// Condition-code register ([`Storage::Cond`](crate::Storage::Cond)).
    pub cc: RegisterId,
    /// The test.
    pub test: CondTest,
    /// Lanes tested.
    pub swizzle: Swizzle,
}

/// The condition of a branch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cond {
    /// Any of the four lanes that the guard tests passes.
    Any(Guard),
    /// A register lane is not zero, interpreted as the type (`f32`: -0.0 is zero and NaN is not).
    NonZero(RegisterId, u8, Type),
}

/// Clamp of a float result, applied before the condition-code update.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Saturate {
    /// No clamp.
    #[default]
    None,
    /// To `[0, 1]`; NaN becomes 0.
    Unsigned,
    /// To `[-1, 1]`; NaN becomes -1.
    Signed,
    /// To `[0, 1]`; NaN remains NaN.
    UnsignedOrNan,
    /// To `[-1, 1]`; NaN remains NaN.
    SignedOrNan,
}

impl Saturate {
    /// Returns the lower bound of the clamp, -1 for signed ones, else 0; the upper bound is 1.
    pub const fn lower_bound(self) -> f64 {
        match self {
            Self::None | Self::Unsigned | Self::UnsignedOrNan => 0.0,
            Self::Signed | Self::SignedOrNan => -1.0,
        }
    }

    /// Returns true if NaN remains NaN, also without a clamp.
    pub const fn preserves_nan(self) -> bool {
        match self {
            Self::None | Self::UnsignedOrNan | Self::SignedOrNan => true,
            Self::Unsigned | Self::Signed => false,
        }
    }

    /// Returns the suffix in the text form, with the dot; empty without a clamp.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Unsigned => ".sat",
            Self::Signed => ".ssat",
            Self::UnsignedOrNan => ".satnan",
            Self::SignedOrNan => ".ssatnan",
        }
    }
}

/// Destination of a result, and the operations on writing it. Order: clamp, guard and write masks
/// read the old condition codes, write, update codes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dst {
    /// The destination register.
    pub register: RegisterId,
    /// Index into a register array, if any.
    pub index: Option<IndexId>,
    /// Lanes written.
    pub mask: WriteMask,
    /// Run-time write condition per lane.
    pub guard: Option<Guard>,
    /// Clamp.
    pub saturate: Saturate,
    /// Condition-code register that is updated in the written lanes.
    pub cc: Option<RegisterId>,
}

impl Dst {
    /// Returns an unconditional write of `mask` without index, clamp and condition codes.
    pub const fn new(register: RegisterId, mask: WriteMask) -> Self {
        Self {
            register,
            index: None,
            mask,
            guard: None,
            saturate: Saturate::None,
            cc: None,
        }
    }
}

/// Rounding of a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rounding {
    /// To nearest, ties to even.
    Even,
    /// Down.
    Floor,
    /// Up.
    Ceil,
    /// Toward zero.
    Trunc,
}

/// Data that only some operations have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InstData {
    /// None.
    None,
    /// Of [`Op::Cvt`].
    Cvt {
        /// Type that the source is read as.
        from: Type,
        /// Rounding of inexact results.
        rounding: Rounding,
        /// Clamp integer results to the range of the type instead of keeping the low bits.
        saturate: bool,
    },
    /// Of [`Op::Tex`] and [`Op::Resident`].
    Tex(TexAccessId),
    /// Of [`Op::Load`], [`Op::Store`], [`Op::Atomic`].
    Mem(MemAccessId),
    /// Of the image operations and [`Op::Resident`].
    Image(ImageAccessId),
}

bitflags::bitflags! {
    /// Properties of an instruction.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct InstFlags: u8 {
        /// No contraction or reassociation (`PREC`).
        const PRECISE = 1;
        /// 16 bits of precision suffice (`H`, `SHORT`).
        const RELAXED = 2;
    }
}

/// One instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inst {
    /// Operation.
    pub op: Op,
    /// Data type of operation and sources.
    pub ty: Type,
    /// Flags.
    pub flags: InstFlags,
    /// Number of sources.
    pub source_count: u8,
    /// First source in [`Program::srcs`](crate::Program::srcs).
    pub first_source: u32,
    /// Result, unless the operation has none or it is unused.
    pub dst: Option<Dst>,
    /// Operation-specific data.
    pub data: InstData,
    /// The source range that this instruction was translated from.
    pub span: Span,
}

impl Inst {
    /// Returns the range of this instruction's sources in [`Program::srcs`](crate::Program::srcs).
    pub const fn source_range(&self) -> std::ops::Range<usize> {
        self.first_source as usize..self.first_source as usize + self.source_count as usize
    }
}

/// Access data of texture and memory instructions, by id.
pub trait AccessTables {
    /// Returns the texture access of `id`.
    fn tex_access(&self, id: TexAccessId) -> &TexAccess;
    /// Returns the memory access of `id`.
    fn mem_access(&self, id: MemAccessId) -> &MemAccess;
    /// Returns the image access of `id` and its image.
    fn image_access(&self, id: ImageAccessId) -> (&ImageAccess, &Image);
}

/// Returns the lanes of the *swizzled* source number `source` that `inst` reads to produce the
/// result lanes `needed`.
///
/// This function is the only definition of that relation; liveness and emission call it.
pub fn compute_read_lanes(
    tables: &impl AccessTables,
    inst: &Inst,
    source: usize,
    needed: u8,
) -> u8 {
    match find_common_read_lanes(inst, needed) {
        Some(lanes) => lanes,
        None => compute_special_read_lanes(tables, inst, source, needed),
    }
}

/// Returns the [`compute_read_lanes`] of all sources of `inst`, if the operation determines the
/// same lanes for all of them; `None` for operations with access data and those whose sources
/// differ.
pub fn find_common_read_lanes(inst: &Inst, needed: u8) -> Option<u8> {
    let has_access = !matches!(inst.data, InstData::None | InstData::Cvt { .. });
    if has_access
        || matches!(
            inst.op,
            Op::InterpOffset | Op::InterpSample | Op::EmitVertex | Op::GroupRead
        )
    {
        return None;
    }
    let reads = &SOURCE_READS[inst.op as usize];
    let fixed = if needed == 0 { 0 } else { reads.fixed };
    Some(needed & reads.own | fixed)
}

/// Lanes that an operation reads of each source.
#[derive(Clone, Copy)]
struct SourceReads {
    /// The subset of the needed lanes that it reads.
    own: u8,
    /// Lanes that it reads if any lane is needed, regardless of which.
    fixed: u8,
}

/// Lanes read, by operation. A precomputed table, because passes query it for every instruction.
static SOURCE_READS: [SourceReads; Op::ALL.len()] = {
    let mut table = [SourceReads { own: 0, fixed: 0 }; Op::ALL.len()];
    let mut index = 0;
    while index < table.len() {
        let (own, fixed) = match Op::ALL[index].info().shape {
            ResultShape::None => (0, 0),
            ResultShape::Componentwise => (u8::MAX, 0),
            ResultShape::Replicated { reads } | ResultShape::Vector { reads } => (0, reads),
        };
        table[index] = SourceReads { own, fixed };
        index += 1;
    }
    table
};

/// Returns the lanes that an instruction for which [`find_common_read_lanes`] returns `None` reads
/// of a source, given the lanes of the result that are needed. Accesses read their sources even if
/// none is needed.
fn compute_special_read_lanes(
    tables: &impl AccessTables,
    inst: &Inst,
    source: usize,
    needed: u8,
) -> u8 {
    match (inst.data, inst.op) {
        (InstData::Tex(id), _) => tables.tex_access(id).source_lanes(source),
        (InstData::Mem(id), Op::Store) if source == 0 => tables.mem_access(id).element_lanes(),
        (InstData::Mem(_), Op::Store | Op::Load | Op::BufferSize) => 1,
        (InstData::Mem(id), Op::Atomic) if source == 0 => tables.mem_access(id).atomic_lanes(),
        (InstData::Mem(_), Op::Atomic) => 1,
        (InstData::Image(id), op) => {
            compute_image_source_lanes(tables.image_access(id), op, source)
        }
        (_, Op::InterpOffset) if source == 1 && needed != 0 => 0b11,
        (_, Op::InterpSample | Op::GroupRead) if source == 1 && needed != 0 => 1,
        (_, Op::EmitVertex) => 1,
        // The other sources of these operations are read lane by lane.
        _ => needed,
    }
}

/// Returns the lanes that an image instruction reads of a source: the value of a write, then the
/// coordinate, then the sample.
fn compute_image_source_lanes(
    (access, image): (&ImageAccess, &Image),
    op: Op,
    source: usize,
) -> u8 {
    let with_value = usize::from(op.has(OpFlags::WRITES));
    if source < with_value {
        if op == Op::ImageStore {
            access.element_lanes()
        } else {
            access.atomic_lanes()
        }
    } else if source == with_value {
        (1 << image.coordinate_lanes()) - 1
    } else {
        1
    }
}

/// Returns the type with which `inst` interprets the lanes of source number `source`. It may differ
/// from the type of the instruction for addresses, coordinates and indices.
pub fn get_source_type(tables: &impl AccessTables, inst: &Inst, source: usize) -> Type {
    match (inst.data, inst.op) {
        (InstData::Tex(id), _) => tables.tex_access(id).source_type(source),
        (InstData::Cvt { from, .. }, _) => from,
        (InstData::Mem(id), Op::Load | Op::BufferSize) => tables.mem_access(id).address_type(),
        (InstData::Mem(id), Op::Store | Op::Atomic) if source == 1 => {
            tables.mem_access(id).address_type()
        }
        (InstData::Image(_), op) => {
            let is_value = source == 0 && op.has(OpFlags::WRITES);
            if is_value { inst.ty } else { Type::S32 }
        }
        (_, Op::InterpSample) if source == 1 => Type::U32,
        (
            _,
            Op::ShuffleUp | Op::ShuffleDown | Op::ShuffleXor | Op::ShuffleIndex | Op::GroupRead,
        ) if source > 0 => Type::U32,
        (_, op) if op.has(OpFlags::U32_SOURCE) => Type::U32,
        _ => inst.ty,
    }
}

/// Returns the type of the result lanes of `inst`: that of the instruction, unless its operation
/// always returns words.
pub fn get_result_type(inst: &Inst) -> Type {
    if inst.op.has(OpFlags::U32_RESULT) {
        Type::U32
    } else {
        inst.ty
    }
}

words_of_tables! { CondTest }

words! {
    Rounding { Even = "even", Floor = "floor", Ceil = "ceil", Trunc = "trunc" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atomics_read_one_lane_of_their_address() {
        let text = "program compute\nr0: temp32\nbuf0: storage 0\nroutine fn0 {\n\
                    r0.x = atom.u32 (buf0 x1 compare_exchange) r0.xyzw, r0.xyzw\n\
                    r0.xy = atom.f16 (buf0 x2 add) r0.xyzw, r0.xyzw\n\
                    }\nmain fn0";
        let program = crate::parse(text).unwrap();
        let read = |inst: &Inst| [0, 1].map(|source| compute_read_lanes(&program, inst, source, 1));
        // The compared and the new value; two halves of a vector.
        assert_eq!(read(&program.insts[0]), [0b11, 1]);
        assert_eq!(read(&program.insts[1]), [0b11, 1]);
    }
}
