//! Entries of the opcode table. Columns follow table X.13 of NV_gpu_program4 and NV_gpu_program5.

use crate::codes::LenientRule;
use crate::lang::Stages;
use crate::lang::arb::ArbAvailability;
use crate::lang::modifiers::ModifierFlags;
use crate::lang::options::Features;
use crate::lang::texture_targets::Access;
use crate::source::Version;
use glasm_ir::Op;
use glasm_ir::inst::Rounding;
use glasm_ir::types::{BaseType, Type};

/// Support of an opcode for a family of data types.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Support {
    /// No support: `-`.
    Unsupported,
    /// Up to 32 bits: `X`.
    Narrow,
    /// Up to 64 bits: `6`.
    Wide,
}

/// Result of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultKind {
    /// `-`: none.
    None,
    /// `v`: vector of the type of the operation.
    V,
    /// `vf`: vector of floats.
    Vf,
    /// `vs`: vector of signed integers.
    Vs,
    /// `vu`: vector of unsigned integers.
    Vu,
    /// `s`: scalar of the type of the operation, written to every component.
    S,
    /// Address register of an ARB program: vector of signed integers.
    Address,
}

/// Kind of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperandKind {
    /// `v`: vector of the type of the operation.
    V,
    /// `vf`: vector of floats.
    Vf,
    /// `vs`: vector of signed integers.
    Vs,
    /// `vu`: vector of unsigned integers.
    Vu,
    /// `s`: scalar of the type of the operation.
    S,
    /// `su`: unsigned scalar.
    Su,
    /// Global address: unsigned scalar of 32 or 64 bits.
    Address,
    /// Vector without swizzle, sign and absolute value (SWZ).
    Plain,
    /// Extended swizzle (SWZ).
    ExtSwizzle,
    /// `t`: texture, target and optional offset.
    Texture,
    /// `i`: image and target.
    Image,
    /// Image without target.
    ImageUnit,
    /// Target of the preceding image.
    ImageTarget,
    /// Label.
    Label,
    /// SUBROUTINE variable.
    Subroutine,
    /// `c`: condition.
    Cond,
    /// Optional condition.
    OptCond,
    /// `vc`: vector or condition (KIL).
    Kill,
    /// Optional vector (REP).
    Count,
    /// Element of a CBUFFER variable.
    ConstMem,
    /// Element of a SHARED variable.
    SharedMem,
    /// Element of a STORAGE variable.
    StorageMem,
    /// Element of a COUNTER variable.
    CounterMem,
    /// Scalar; vector with NV options (ARL in ARB programs).
    Sv,
    /// Address register without suffix and sign.
    AddressRegister,
}

impl OperandKind {
    /// Returns true if every instruction with an operand of this kind stores it in its list of
    /// operands. Optional operands (`Count`), operands that may be conditions (`Kill`), labels,
    /// conditions, textures and images are not: the parser has a separate rule for each.
    pub(crate) const fn is_listed(self) -> bool {
        match self {
            Self::V
            | Self::Vf
            | Self::Vs
            | Self::Vu
            | Self::S
            | Self::Su
            | Self::Address
            | Self::Plain
            | Self::Subroutine
            | Self::ConstMem
            | Self::SharedMem
            | Self::StorageMem
            | Self::CounterMem
            | Self::Sv
            | Self::AddressRegister => true,
            Self::ExtSwizzle
            | Self::Texture
            | Self::Image
            | Self::ImageUnit
            | Self::ImageTarget
            | Self::Label
            | Self::Cond
            | Self::OptCond
            | Self::Kill
            | Self::Count => false,
        }
    }

    /// Returns the description of the operand that `explain` prints.
    pub const fn notation(self) -> &'static str {
        match self {
            Self::V => "vector",
            Self::Vf => "vector of floats",
            Self::Vs => "vector of signed integers",
            Self::Vu => "vector of unsigned integers",
            Self::S => "scalar",
            Self::Su => "unsigned scalar",
            Self::Address => "address",
            Self::Plain => "vector without swizzle and sign",
            Self::ExtSwizzle => "four of x, y, z, w, 0, 1, each with optional sign",
            Self::Texture => "texture, target and optional offset",
            Self::Image => "image, target",
            Self::ImageUnit => "image",
            Self::ImageTarget => "target",
            Self::Label => "label",
            Self::Subroutine => "SUBROUTINE variable",
            Self::Cond => "condition",
            Self::OptCond => "optional condition",
            Self::Kill => "vector or condition",
            Self::Count => "optional count",
            Self::ConstMem => "CBUFFER element",
            Self::SharedMem => "SHARED element",
            Self::StorageMem => "STORAGE element",
            Self::CounterMem => "COUNTER element",
            Self::Sv => "scalar, vector with NV options",
            Self::AddressRegister => "address register",
        }
    }
}

/// Data type modifiers that an instruction takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeRule {
    /// At most one, as defined by columns F and I.
    Arithmetic,
    /// At most one, for results of 64 bits from operands of 32.
    Pack64,
    /// At most one, for results of 32 bits from operands of 64.
    Unpack64,
    /// None.
    None,
    /// Exactly one storage modifier.
    Storage,
    /// One storage modifier and one atomic operation.
    Atomic,
    /// One storage modifier, or a base type or none.
    Image,
    /// Two sized types: result, operand.
    Convert,
}

/// Instructions that change the flow of control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FlowOp {
    Bra,
    Brk,
    Cal,
    Cali,
    Cont,
    Else,
    EndIf,
    EndLoop,
    EndRep,
    If,
    InterlockBegin,
    InterlockEnd,
    Loop,
    Pop,
    Push,
    Rep,
    Ret,
}

/// Position of an instruction in a block of structured control flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockEdge {
    /// Its first instruction, such as `IF`.
    Start,
    /// Between two parts of it: `ELSE`.
    Middle,
    /// Its last instruction, such as `ENDIF`.
    End,
}

/// Operation of a texture instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TextureOp {
    Sample,
    Bias,
    Lod,
    Project,
    Grad,
    Fetch,
    FetchSample,
    Gather,
    GatherOffsets,
    QuerySize,
    QueryLod,
    QuerySamples,
}

impl TextureOp {
    /// Returns the access that the texture target of an instruction with this operation must allow.
    pub(crate) const fn access(self) -> Access {
        match self {
            Self::Sample => Access::SAMPLE,
            Self::Bias => Access::BIAS,
            Self::Lod => Access::LOD,
            Self::Project => Access::PROJECT,
            Self::Grad => Access::GRAD,
            Self::Fetch => Access::FETCH,
            Self::FetchSample => Access::FETCH_SAMPLE,
            Self::Gather => Access::GATHER,
            Self::GatherOffsets => Access::GATHER_OFFSETS,
            Self::QuerySize => Access::QUERY_SIZE,
            Self::QueryLod => Access::QUERY_LOD,
            Self::QuerySamples => Access::QUERY_SAMPLES,
        }
    }

    /// Returns the type that the first operand is read as: signed integers for fetches and queries
    /// of sizes, else floats.
    pub(crate) const fn coordinate_type(self) -> Type {
        // "vs" in table X.13: texels and levels are counted.
        if matches!(self, Self::Fetch | Self::FetchSample | Self::QuerySize) {
            Type::S32
        } else {
            Type::F32
        }
    }

    /// Returns true if it has a bias or a level, which is a separate operand if the coordinate
    /// takes all lanes. EXT_sparse_texture2 table X.17.
    pub(crate) const fn has_level(self) -> bool {
        matches!(self, Self::Bias | Self::Lod)
    }

    /// Returns true if the texel offset can be computed at run time. NV_gpu_program5 section
    /// 2.X.4.4.
    pub(crate) const fn takes_run_time_offset(self) -> bool {
        !matches!(self, Self::Grad | Self::GatherOffsets)
    }

    /// Returns true if operands contain the offsets, so that the texture part has none.
    pub(crate) const fn has_own_offsets(self) -> bool {
        matches!(self, Self::GatherOffsets)
    }

    /// Returns true if shadow targets whose reference is a separate operand need that operand.
    pub(crate) const fn takes_reference(self) -> bool {
        !matches!(self, Self::QuerySize | Self::QueryLod | Self::QuerySamples)
    }

    /// Returns true if a component after the texture selects the gathered component.
    pub(crate) const fn selects_component(self) -> bool {
        matches!(self, Self::Gather | Self::GatherOffsets)
    }
}

/// Operation of an image instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ImageOp {
    Load,
    Store,
    Atomic,
    QuerySize,
    QuerySamples,
}

/// Translations that take more than one operation, or that depend on modifiers and kinds of
/// operands: `lower::lower_expansion` dispatches them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(
    dead_code,
    reason = "some belong to the tables of the register languages"
)]
pub(crate) enum Expansion {
    Abs,
    AddAddresses,
    /// The same within the range of ten bits. NV_vertex_program2 section 2.14.3.3.
    AddShortAddresses,
    AtomicElement,
    AtomicGlobal,
    Barrier(Op),
    BitExtract,
    BitInsert,
    Convert,
    CosineExact,
    Counter,
    DerivativeX,
    DerivativeY,
    EmitVertex,
    EndPrimitive,
    Dp2a,
    Dph,
    Dst,
    Exp2Exact,
    ExpBounded,
    ExpOrdered,
    ExpParts,
    FractionOrNan,
    Image(ImageOp),
    InterpolateAtSample,
    IntToFloat,
    Kill,
    Lit,
    LitOrdered,
    LitUnbounded,
    LitZeroWins,
    LoadAddress(Rounding),
    /// The same within the range of ten bits. NV_vertex_program2 sections 2.14.3.4 and 2.14.3.5.
    LoadShortAddress(Rounding),
    LoadElement,
    LoadGlobal,
    LogFlushed,
    LogParts,
    Lrp,
    MaxOrNan,
    MaxOrSecond,
    MinOrNan,
    MinOrSecond,
    Multiply,
    Nrm,
    Pack(Op),
    Pack64,
    PackSignedBytes,
    Pow,
    PowExact,
    Rcc,
    RccSigned,
    Rfl,
    RootOfAbsolute,
    /// The reciprocal square root, of -0 with its sign. NV_vertex_program2 section 2.14.3.28.
    RootOfSigned,
    /// The same where condition codes compare the result at once, else the result of the device.
    /// NV_fragment_program section 3.11.5.27.
    RootWithCodes,
    /// The operation for floats, and the rounding of the conversion for integers.
    Round(Op, Rounding),
    Sad,
    Scs,
    SetFalse,
    /// The comparison.
    SetInTotalOrder(Op),
    /// The comparison.
    SetOrNan(Op),
    SetTrue,
    Shuffle(Op),
    SignOrNan,
    SineExact,
    StoreElement,
    StoreGlobal,
    Swz,
    Texture(TextureOp),
    Unpack(Op),
    Unpack64,
    UnpackSignedBytes,
    X2d,
    Xpd,
}

/// Lowering of an instruction to IR.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Translation {
    /// One operation whose sources are the operands in order.
    Op(Op),
    /// Several operations, or one that depends on more than the opcode.
    Expand(Expansion),
    /// Flow control.
    Flow(FlowOp),
}

/// The size of a variable that an opcode packs into or unpacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PackedSize {
    /// The result is a LONG variable. NV_gpu_program5 section 2.X.8.Z, PK64.
    LongResult,
    /// The operand is a LONG variable. NV_gpu_program5 section 2.X.8.Z, UP64.
    LongSource,
    /// The result is not a SHORT variable, which cannot hold all bits. NV_gpu_program4 section
    /// 2.X.8.Z.
    NoShortResult,
    /// The operand is not a SHORT variable. NV_gpu_program4 section 2.X.8.Z.
    NoShortSource,
}

/// Requirements of an opcode on its operands and its result beyond their kinds and types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OperandRule {
    /// No rule.
    None,
    /// A variable has a certain size.
    Size(PackedSize),
    /// The first operand is an attribute that can be interpolated. NV_gpu_program5 section 2.X.8.Z,
    /// IPAC.
    Attribute,
    /// Constant addresses are within the declared shared memory. NV_compute_program5 section
    /// 2.X.7.Y.
    SharedBounds,
    /// One of the operations on counters is named. NV_shader_atomic_counters section 2.X.8.Z.
    CounterOperation,
    /// A program that emits its primitives itself, of points if it writes several streams.
    /// NV_geometry_shader_passthrough section 2.X.6, NV_gpu_program5 section 2.14.6.2.
    Emission,
    /// The count is a parameter or a constant. NV_fragment_program2 sections 3.11.X.8 and 3.11.X.9.
    ParameterCount,
    /// The result has no component w. NV_fragment_program_option section 3.11.5.36.
    ThreeComponents,
    /// The language does not have the opcode, but shipped programs do.
    Shipped(LenientRule),
}

/// An entry of the opcode table.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// Mnemonic without suffixes.
    pub name: &'static str,
    /// First language version.
    pub since: Version,
    /// Program types.
    pub stages: Stages,
    /// Features that options must have enabled in versions before `since`; empty if it does not
    /// exist there at all.
    pub early: Features,
    /// Features that options must have enabled in every version.
    pub required_features: Features,
    /// Its forms in ARB programs; entries of other families have none.
    pub arb: ArbAvailability,
    /// Float types.
    pub float: Support,
    /// Integer types.
    pub int: Support,
    /// Modifiers other than types.
    pub mods: ModifierFlags,
    /// Base type without modifier.
    pub default: BaseType,
    /// Rule for data type modifiers.
    pub rule: TypeRule,
    /// Result.
    pub result: ResultKind,
    /// Operands.
    pub operands: &'static [OperandKind],
    /// Translation.
    pub(crate) lower: Translation,
    /// Human-readable description of one line.
    pub description: &'static str,
    /// Rule for operands and result.
    pub(crate) operand_rule: OperandRule,
}

impl OpcodeInfo {
    /// Returns the data type modifiers that the opcode takes, for users: the modifier words, or a
    /// description where they are too many to list. Empty if it takes none.
    pub fn type_modifiers(&self) -> Vec<&'static str> {
        match self.rule {
            TypeRule::None => Vec::new(),
            TypeRule::Storage | TypeRule::Atomic => {
                vec!["one storage modifier such as U32 or F32X4"]
            }
            TypeRule::Image => vec!["one storage modifier such as U32 or F32X4", "F", "S", "U"],
            TypeRule::Convert => vec!["two sized types: result, operand"],
            TypeRule::Arithmetic | TypeRule::Pack64 | TypeRule::Unpack64 => {
                let mut types = Vec::new();
                let families: [(Support, &[&str], &[&str]); 2] = [
                    (self.float, &["F", "F32"], &["F64"]),
                    (self.int, &["S", "U", "S32", "U32"], &["S64", "U64"]),
                ];
                for (support, narrow, wide) in families {
                    if support >= Support::Narrow {
                        types.extend_from_slice(narrow);
                    }
                    if support == Support::Wide {
                        types.extend_from_slice(wide);
                    }
                }
                types
            }
        }
    }

    /// Returns the texture operation of the instruction, if it has one.
    pub(crate) const fn texture_op(&self) -> Option<TextureOp> {
        match self.lower {
            Translation::Expand(Expansion::Texture(op)) => Some(op),
            Translation::Expand(_) | Translation::Op(_) | Translation::Flow(_) => None,
        }
    }

    /// Returns the image operation of the instruction, if it has one.
    pub(crate) const fn image_op(&self) -> Option<ImageOp> {
        match self.lower {
            Translation::Expand(Expansion::Image(op)) => Some(op),
            Translation::Expand(_) | Translation::Op(_) | Translation::Flow(_) => None,
        }
    }

    /// Returns true if the instruction makes the invocations of a work group wait for each other.
    pub(crate) fn is_workgroup_barrier(&self) -> bool {
        self.lower == Translation::Expand(Expansion::Barrier(Op::Barrier))
    }

    /// Returns true if the last operand is an element of this kind of memory.
    pub(crate) fn accesses_memory(&self, memory: OperandKind) -> bool {
        // Memory is the last operand of every opcode that has a memory operand.
        self.operands.last() == Some(&memory)
    }

    /// Returns true if the opcode has rules beyond types and kinds of operands: it needs an option,
    /// has a rule for operands, or accesses a texture or an image.
    pub(crate) const fn is_special(&self) -> bool {
        !self.required_features.is_empty()
            || !matches!(self.operand_rule, OperandRule::None)
            || matches!(
                self.lower,
                Translation::Expand(Expansion::Texture(_) | Expansion::Image(_))
            )
    }

    /// Returns true for IF, LOOP and REP, which begin a block.
    pub(crate) fn opens_block(&self) -> bool {
        matches!(
            self.lower,
            Translation::Flow(FlowOp::If | FlowOp::Loop | FlowOp::Rep)
        )
    }

    /// Returns the position of the instruction in a block of structured control flow; `None` if it
    /// neither begins nor ends one.
    pub fn block_edge(&self) -> Option<BlockEdge> {
        match self.lower {
            Translation::Flow(FlowOp::If | FlowOp::Loop | FlowOp::Rep) => Some(BlockEdge::Start),
            Translation::Flow(FlowOp::Else) => Some(BlockEdge::Middle),
            Translation::Flow(FlowOp::EndIf | FlowOp::EndLoop | FlowOp::EndRep) => {
                Some(BlockEdge::End)
            }
            Translation::Flow(
                FlowOp::Bra
                | FlowOp::Brk
                | FlowOp::Cal
                | FlowOp::Cali
                | FlowOp::Cont
                | FlowOp::InterlockBegin
                | FlowOp::InterlockEnd
                | FlowOp::Pop
                | FlowOp::Push
                | FlowOp::Ret,
            )
            | Translation::Op(_)
            | Translation::Expand(_) => None,
        }
    }

    /// Returns the specification and section that describe the opcode, for users. An opcode of both
    /// ARB and NV programs has that of ARB programs.
    pub fn spec_section(&self) -> &'static str {
        if self.arb != ArbAvailability::NONE {
            return self.arb_spec_section();
        }
        if self.names_registers() {
            return self.register_spec_section();
        }
        match (self.stages, self.since) {
            // All opcodes of compute programs only were added by that extension; those of 4.0 for
            // one stage by the extension of that stage.
            (Stages::COMPUTE, _) => "NV_compute_program5 section 2.X.8",
            (Stages::GEOMETRY, Version::V4_0) => "NV_geometry_program4 section 2.X.8",
            (Stages::FRAGMENT, Version::V4_0) => "NV_fragment_program4 section 2.X.8",
            (_, Version::V4_1 | Version::V5_0) => "NV_gpu_program5 section 2.X.8",
            _ => "NV_gpu_program4 section 2.X.8",
        }
    }

    /// Returns true if the entry belongs to a language whose programs name registers.
    pub fn names_registers(&self) -> bool {
        self.arb == ArbAvailability::NONE && self.since < Version::V4_0
    }

    /// Returns the specification and section that define an opcode of the languages with numbered
    /// registers, NV_vertex_program to NV_vertex_program2 and NV_fragment_program.
    fn register_spec_section(&self) -> &'static str {
        match (self.stages, self.since) {
            (Stages::FRAGMENT, _) => "NV_fragment_program section 3.11.5",
            (_, Version::V1_0) => "NV_vertex_program section 2.14.1.10",
            (_, Version::V1_1) => "NV_vertex_program1_1 section 2.14.1.10",
            _ => "NV_vertex_program2 section 2.14.3",
        }
    }

    /// Returns the specification, and where it has one the section, that define an opcode of ARB
    /// programs: those of the option that adds it, if one does.
    fn arb_spec_section(&self) -> &'static str {
        let forms = [self.arb.vertex, self.arb.fragment];
        // The features that both stages need are those that added the opcode; a stage may need
        // others in addition.
        let needs = forms
            .into_iter()
            .flatten()
            .map(|form| form.required_features)
            .reduce(Features::intersection)
            .unwrap_or_default();
        let by_option = [
            // Options that include others are first.
            (Features::NV_VERTEX_3, "NV_vertex_program3"),
            (Features::NV_FRAGMENT_2, "NV_fragment_program2"),
            (
                Features::NV_VERTEX_2,
                "NV_vertex_program2_option section 2.14.5",
            ),
            (
                Features::NV_FRAGMENT,
                "NV_fragment_program_option section 3.11.5",
            ),
        ];
        let option_section = by_option
            .iter()
            .find(|(feature, _)| needs.contains(*feature));
        match (option_section, self.arb.vertex) {
            (Some((_, section)), _) => section,
            (None, Some(form)) if form.required_features.is_empty() => {
                "ARB_vertex_program section 2.14.5"
            }
            (None, _) => "ARB_fragment_program section 3.11.5",
        }
    }
}
