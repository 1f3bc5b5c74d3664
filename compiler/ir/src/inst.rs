//! Instructions and their operands.

use crate::arena::Id;
use crate::define_ids;
use crate::image::{Image, ImageAccess};
use crate::op::{Op, ResultShape};
use crate::program::RegisterId;
use crate::resource::{MemAccess, ParamId, TexAccess};
use crate::semantic::{InputId, OutputId};
use crate::span::Span;
use crate::types::Type;

define_ids! {
    /// A literal vector of a program.
    LiteralId = "lit";
    /// An operand index that is not just a constant; see [`Index`].
    IndexId = "idx";
    /// Texture access data of one instruction.
    TexAccessId = "txa";
    /// Memory access data of one instruction.
    MemAccessId = "mem";
    /// Image access data of one instruction.
    ImageAccessId = "ima";
}

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

    /// Whether lane `lane` (0 to 3) is enabled.
    #[inline]
    pub const fn has(self, lane: usize) -> bool {
        self.0 >> lane & 1 != 0
    }

    /// Enabled lanes in order.
    #[inline]
    pub fn lanes(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0 & 15;
        std::iter::from_fn(move || {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            (lane < 4).then_some(lane)
        })
    }

    /// Number of enabled lanes.
    #[inline]
    pub const fn count(self) -> u32 {
        // One digit for each mask: not every processor that we build for counts bits.
        (0x4332_3221_3221_2110_u64 >> (4 * (self.0 & 15)) & 7) as u32
    }

    /// Whether no lane is enabled.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl std::fmt::Debug for WriteMask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for lane in self.lanes() {
            f.write_str(["x", "y", "z", "w"][lane])?;
        }
        Ok(())
    }
}

/// Which source lane each of the four lanes reads: two bits each, lane x lowest.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Swizzle(pub u8);

impl Swizzle {
    /// `.xyzw`
    pub const XYZW: Self = Self(0b11_10_01_00);

    /// Lane `i` reads `lanes[i]` (each 0 to 3).
    pub const fn new(lanes: [u8; 4]) -> Self {
        Self(lanes[0] & 3 | (lanes[1] & 3) << 2 | (lanes[2] & 3) << 4 | (lanes[3] & 3) << 6)
    }

    /// All lanes read `lane`.
    pub const fn splat(lane: u8) -> Self {
        Self::new([lane; 4])
    }

    /// The source lane that lane `lane` reads.
    #[inline]
    pub const fn lane(self, lane: usize) -> usize {
        (self.0 >> (2 * lane) & 3) as usize
    }

    /// Whether all lanes read the same source lane.
    pub const fn is_splat(self) -> bool {
        self.0 == (self.0 & 3) * 0b01_01_01_01
    }

    /// The source lanes that the lanes of `needed` read.
    #[inline]
    pub const fn source_lanes(self, needed: u8) -> u8 {
        (needed & 1) << self.lane(0)
            | (needed >> 1 & 1) << self.lane(1)
            | (needed >> 2 & 1) << self.lane(2)
            | (needed >> 3 & 1) << self.lane(3)
    }

    /// The swizzle that reads through `self` after `outer` has picked: lane `i` gives `self[outer[i]]`.
    pub const fn then(self, outer: Self) -> Self {
        Self::new([
            self.lane(outer.lane(0)) as u8,
            self.lane(outer.lane(1)) as u8,
            self.lane(outer.lane(2)) as u8,
            self.lane(outer.lane(3)) as u8,
        ])
    }
}

impl std::fmt::Debug for Swizzle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (0..4).try_for_each(|lane| f.write_str(["x", "y", "z", "w"][self.lane(lane)]))
    }
}

/// What an operand names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Base {
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
    /// Run-time part: a lane of a 32-bit register read as a signed integer.
    pub relative: Option<(RegisterId, u8)>,
    /// Constant part.
    pub offset: i32,
}

/// The index of an operand. Out-of-range run-time values are clamped to the array, never undefined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Index {
    /// Element of an array of registers, parameters, inputs or outputs.
    pub element: IndexTerm,
    /// Number of elements that `element` may reach from the base.
    pub len: u32,
    /// Vertex of a per-vertex input or output.
    pub vertex: Option<IndexTerm>,
}

/// A source operand. Order of application: base and index, swizzle, absolute value, negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Src {
    /// What is read.
    pub base: Base,
    /// Index into an array, if any.
    pub index: Option<IndexId>,
    /// Lane selection.
    pub swizzle: Swizzle,
    /// Absolute value, by the type of the instruction.
    pub abs: bool,
    /// Negation, by the type of the instruction; two's complement for integers.
    pub negate: bool,
}

impl Src {
    /// `base` as it is.
    pub const fn new(base: Base) -> Self {
        Self {
            base,
            index: None,
            swizzle: Swizzle::XYZW,
            abs: false,
            negate: false,
        }
    }

    /// A register as it is.
    pub const fn register(register: RegisterId) -> Self {
        Self::new(Base::Register(register))
    }

    /// The same operand seen through another swizzle.
    pub const fn swizzled(self, outer: Swizzle) -> Self {
        Self {
            swizzle: self.swizzle.then(outer),
            ..self
        }
    }

    /// The negated operand.
    pub const fn negated(self) -> Self {
        Self {
            negate: !self.negate,
            ..self
        }
    }

    /// Whether absolute value or negation apply.
    pub const fn has_modifier(self) -> bool {
        self.abs || self.negate
    }
}

/// A test of condition-code flags. SF: below 0 or NaN (integers: top bit); ZF: zero or NaN; OF, CF: overflow, carry of
/// integer addition and subtraction. NV_gpu_program4 table X.16.
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

    /// Whether the test reads OF or CF.
    pub const fn reads_overflow(self) -> bool {
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

/// Lane-wise run-time condition of a write: lane `i` is written if the test of condition-code lane `swizzle[i]` passes.
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
    /// A register lane is not zero, read as the type says (`f32`: -0.0 is zero and NaN is not).
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
    /// To `[0, 1]`; NaN stays.
    UnsignedOrNan,
    /// To `[-1, 1]`; NaN stays.
    SignedOrNan,
}

impl Saturate {
    /// The lower bound; the upper one is 1.
    pub const fn low(self) -> f64 {
        match self {
            Self::None | Self::Unsigned | Self::UnsignedOrNan => 0.0,
            Self::Signed | Self::SignedOrNan => -1.0,
        }
    }

    /// Whether NaN stays NaN.
    pub const fn keeps_nan(self) -> bool {
        match self {
            Self::None | Self::UnsignedOrNan | Self::SignedOrNan => true,
            Self::Unsigned | Self::Signed => false,
        }
    }

    /// The suffix in the text form.
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

/// Where and how a result is written. Order: clamp, guard and write masks read the old condition codes, write, update codes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dst {
    /// The register written.
    pub register: RegisterId,
    /// Index into a register array, if any.
    pub index: Option<IndexId>,
    /// Lanes written.
    pub mask: WriteMask,
    /// Run-time write condition per lane.
    pub guard: Option<Guard>,
    /// Clamp.
    pub saturate: Saturate,
    /// Condition-code register updated in the lanes that are written.
    pub cc: Option<RegisterId>,
}

impl Dst {
    /// An unconditional write of `mask`.
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
pub enum Aux {
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
    pub aux: Aux,
    /// The source text this came from.
    pub span: Span,
}

impl Inst {
    /// The range of this instruction's sources in [`Program::srcs`](crate::Program::srcs).
    pub const fn source_range(&self) -> std::ops::Range<usize> {
        self.first_source as usize..self.first_source as usize + self.source_count as usize
    }
}

/// Access data of texture and memory instructions, by id.
pub trait AccessTables {
    /// The texture access of `id`.
    fn tex_access(&self, id: TexAccessId) -> &TexAccess;
    /// The memory access of `id`.
    fn mem_access(&self, id: MemAccessId) -> &MemAccess;
    /// The image access of `id` and its image.
    fn image_access(&self, id: ImageAccessId) -> (&ImageAccess, &Image);
}

/// Lanes of the *swizzled* source number `source` that `inst` reads to produce the result lanes `needed`.
///
/// This is the one place that knows it; liveness and emission call it.
#[inline]
pub fn read_lanes(tables: &impl AccessTables, inst: &Inst, source: usize, needed: u8) -> u8 {
    let is_special = matches!(inst.op, Op::InterpOffset | Op::InterpSample);
    match (inst.aux, inst.op.info().shape) {
        (Aux::None | Aux::Cvt { .. }, ResultShape::Componentwise) if !is_special => needed,
        _ => special_read_lanes(tables, inst, source, needed),
    }
}

fn special_read_lanes(tables: &impl AccessTables, inst: &Inst, source: usize, needed: u8) -> u8 {
    match (inst.aux, inst.op) {
        (Aux::Tex(id), _) => tables.tex_access(id).source_lanes(source),
        (Aux::Mem(id), Op::Store) if source == 0 => tables.mem_access(id).element_lanes(),
        (Aux::Mem(_), Op::Store | Op::Load) => 1,
        (Aux::Mem(id), Op::Atomic) if source == 0 => tables.mem_access(id).atomic_lanes(),
        (Aux::Mem(_), Op::Atomic) => 1,
        (Aux::Image(id), op) => image_source_lanes(tables.image_access(id), op, source),
        (_, Op::InterpOffset) if source == 1 && needed != 0 => 0b11,
        (_, Op::InterpSample) if source == 1 && needed != 0 => 1,
        _ => match inst.op.info().shape {
            ResultShape::None => 0,
            ResultShape::Componentwise => needed,
            ResultShape::Replicated { .. } | ResultShape::Vector { .. } if needed == 0 => 0,
            ResultShape::Replicated { reads } | ResultShape::Vector { reads } => reads,
        },
    }
}

/// Lanes that an image instruction reads of a source.
fn image_source_lanes((access, image): (&ImageAccess, &Image), op: Op, source: usize) -> u8 {
    let with_value = usize::from(matches!(op, Op::ImageStore | Op::ImageAtomic));
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

/// The type as which `inst` reads the lanes of source number `source`.
pub fn source_type(tables: &impl AccessTables, inst: &Inst, source: usize) -> Type {
    match (inst.aux, inst.op) {
        (Aux::Tex(id), _) => tables.tex_access(id).source_type(source),
        (Aux::Cvt { from, .. }, _) => from,
        (Aux::Mem(id), Op::Load) => tables.mem_access(id).address_type(),
        (Aux::Mem(id), Op::Store | Op::Atomic) if source == 1 => {
            tables.mem_access(id).address_type()
        }
        (Aux::Image(_), op) => {
            let is_value = source == 0 && matches!(op, Op::ImageStore | Op::ImageAtomic);
            if is_value { inst.ty } else { Type::S32 }
        }
        (_, Op::InterpSample) if source == 1 => Type::U32,
        (_, Op::ShuffleUp | Op::ShuffleDown | Op::ShuffleXor | Op::ShuffleIndex) if source > 0 => {
            Type::U32
        }
        (_, Op::UnpackHalf2 | Op::UnpackUnorm2 | Op::UnpackUnorm4 | Op::Pack64) => Type::U32,
        _ => inst.ty,
    }
}

/// The type of the lanes that `inst` gives.
pub fn result_type(inst: &Inst) -> Type {
    if matches!(
        inst.op,
        Op::PackHalf2 | Op::PackUnorm2 | Op::PackUnorm4 | Op::Unpack64 | Op::GroupBallot
    ) {
        Type::U32
    } else {
        inst.ty
    }
}

impl IndexTerm {
    /// A constant term.
    pub const fn constant(offset: i32) -> Self {
        Self {
            relative: None,
            offset,
        }
    }
}

impl LiteralId {
    /// Position in [`Program::literals`](crate::Program::literals).
    pub fn position(self) -> usize {
        self.index()
    }
}
