//! Facts about ARB_vertex_program, ARB_fragment_program and their options that no other family
//! shares: limits, suffixes, and the opcode table of these languages with
//! NV_vertex_program2_option, NV_vertex_program3, NV_fragment_program_option and
//! NV_fragment_program2.
//!
//! Limits of "native" resources are not enforced: programs beyond them are legal.

use crate::lang::Stages;
use crate::lang::modifiers::ModifierFlags;
use crate::lang::opcode_info::{
    Expansion, FlowOp, OpcodeInfo, OperandRule, PackedSize, Support, TextureOp, Translation,
    TypeRule,
};
use crate::lang::opcodes::{op, operand, operand_rule, result};
use crate::lang::options::Features;
use crate::source::Version;
use Translation::{Expand, Flow};
use glasm_ir::inst::Rounding;
use glasm_ir::types::BaseType;
use glasm_ir::{Op, Stage};

/// An opcode in programs of one type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArbForm {
    /// Features that options must have enabled.
    pub required_features: Features,
    /// Suffixes that exist once the options for them are enabled.
    pub mods: ModifierFlags,
    /// Suffixes that one more feature adds.
    pub extra_mods: (Features, ModifierFlags),
}

/// An opcode in vertex and in fragment programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArbAvailability {
    /// Form in vertex programs.
    pub vertex: Option<ArbForm>,
    /// Form in fragment programs.
    pub fragment: Option<ArbForm>,
}

impl ArbAvailability {
    /// Opcodes of other families.
    pub const NONE: Self = Self {
        vertex: None,
        fragment: None,
    };

    /// Returns the form of the opcode in programs of a stage, vertex or fragment; `None` if they
    /// lack the opcode.
    pub fn for_stage(&self, stage: Stage) -> Option<ArbForm> {
        if stage == Stage::Vertex {
            self.vertex
        } else {
            self.fragment
        }
    }
}

/// Returns the features that suffixes need in programs of a type, vertex or fragment; suffixes that
/// are not listed do not exist there.
pub fn suffix_requirements(stage: Stage) -> &'static [(ModifierFlags, Features)] {
    if stage == Stage::Vertex {
        VERTEX_SUFFIXES
    } else {
        FRAGMENT_SUFFIXES
    }
}

static VERTEX_SUFFIXES: &[(ModifierFlags, Features)] = &[
    // NV_vertex_program2_option has the suffix C only; NV_vertex_program3 adds C0, C1 and _SAT.
    (ModifierFlags::CC0, Features::NV_VERTEX_2),
    (ModifierFlags::CC1, Features::NV_VERTEX_3),
    (ModifierFlags::NUMBERED, Features::NV_VERTEX_3),
    (ModifierFlags::SAT, Features::NV_VERTEX_3),
];

static FRAGMENT_SUFFIXES: &[(ModifierFlags, Features)] = &[
    // ARB_fragment_program itself defines _SAT.
    (ModifierFlags::SAT, Features::empty()),
    (ModifierFlags::SSAT, Features::NV_FRAGMENT_2),
    (ModifierFlags::CC0, Features::NV_FRAGMENT),
    (ModifierFlags::FULL, Features::NV_FRAGMENT),
    (ModifierFlags::HALF, Features::NV_FRAGMENT),
    (ModifierFlags::FIXED, Features::NV_FRAGMENT),
];

/// Attributes of vertex programs (`MAX_PROGRAM_ATTRIBS_ARB`).
pub const VERTEX_ATTRIBS: usize = 16;
/// Attributes of fragment programs without OPTION NV_fragment_program2: two colors, eight sets of
/// texture coordinates, fog coordinate and position.
pub const FRAGMENT_ATTRIBS: usize = 12;
/// Address registers (`MAX_PROGRAM_ADDRESS_REGISTERS_ARB`).
pub const ADDRESS_REGISTERS: u64 = 64;
/// Offsets that may be added to an address register in plain programs.
pub const ADDRESS_OFFSETS: std::ops::RangeInclusive<i64> = -64..=63;
/// Offsets that may be added to the index of a LOOP.
pub const LOOP_INDEX_OFFSETS: std::ops::RangeInclusive<i64> = 0..=9;
/// Texture image units that a vertex program accesses (`MAX_VERTEX_TEXTURE_IMAGE_UNITS_ARB`): the
/// number that every Vulkan device supports for a stage.
pub const VERTEX_TEXTURES: usize = 16;
/// Entries of the call stack of `!!VP2.0` programs, as fixed by NV_vertex_program2.
pub const VERTEX_2_CALL_DEPTH: u32 = 4;
/// Instructions that a vertex program may run: NV_vertex_program2_option section 2.14.4.X.
pub const EXECUTED_INSTRUCTIONS: u32 = 65_536;
/// Iterations of a loop of a fragment program (`MAX_PROGRAM_LOOP_COUNT_NV`).
pub const LOOP_COUNT: u32 = 255;

macro_rules! suffix {
    (C) => {
        ModifierFlags::ANY_CC.union(ModifierFlags::NUMBERED)
    };
    (S) => {
        ModifierFlags::ANY_CLAMP
    };
    (H) => {
        ModifierFlags::FULL.union(ModifierFlags::HALF)
    };
    (X) => {
        ModifierFlags::FULL
            .union(ModifierFlags::HALF)
            .union(ModifierFlags::FIXED)
    };
}
macro_rules! form {
    (-) => {
        None
    };
    (([$($required:ident)*] $($suffix:ident)* $(| $feature:ident $($more:ident)*)?)) => {
        Some(ArbForm {
            required_features: Features::empty()$(.union(Features::$required))*,
            mods: ModifierFlags::empty()$(.union(suffix!($suffix)))*,
            extra_mods: (
                Features::empty()$(.union(Features::$feature))?,
                ModifierFlags::empty()$($(.union(suffix!($more)))*)?,
            ),
        })
    };
}

/// Returns the set of program types whose form is present.
const fn stages(forms: ArbAvailability) -> Stages {
    match (forms.vertex, forms.fragment) {
        (Some(_), Some(_)) => Stages::ARB,
        (Some(_), None) => Stages::VERTEX,
        (None, Some(_)) => Stages::FRAGMENT,
        (None, None) => Stages::NONE,
    }
}

/// Returns all suffixes that a form may have, including those that need an option; none without a
/// form.
const fn mods(form: Option<ArbForm>) -> ModifierFlags {
    match form {
        Some(form) => form.mods.union(form.extra_mods.1),
        None => ModifierFlags::empty(),
    }
}

macro_rules! opcodes {
    ($($name:literal $vertex:tt $fragment:tt $out:tt ($($in:ident)*) $lower:expr, $description:literal
       $(rule $operand_rule:expr)?;)*) => {
        /// All opcodes, in alphabetical order.
        pub(crate) const ROWS: &[OpcodeInfo] = &[$({
            const FORMS: ArbAvailability = ArbAvailability { vertex: form!($vertex), fragment: form!($fragment) };
            OpcodeInfo {
                name: $name,
                // Versions are not significant: options add opcodes.
                since: Version::V1_0,
                stages: stages(FORMS),
                early: Features::empty(),
                required_features: Features::empty(),
                arb: FORMS,
                // All values are floats of 32 bits.
                float: Support::Narrow,
                int: Support::Unsupported,
                mods: mods(FORMS.vertex).union(mods(FORMS.fragment)),
                default: BaseType::Float,
                rule: TypeRule::Arithmetic,
                result: result!($out),
                operands: &[$(operand!($in)),*],
                lower: $lower,
                description: $description,
                operand_rule: operand_rule!($($operand_rule)?),
            }
        },)*];
    };
}

opcodes! {
    // Columns: name; in vertex and fragment programs: features needed, suffixes (C condition codes,
    // S clamp, H precisions R and H, X precisions R, H and X), after the bar a feature and the
    // suffixes it adds; result, operands, translation, description, rule for operands.
    //
    // Table X.5 of NV_vertex_program2_option and NV_vertex_program3 for vertex programs, of
    // NV_fragment_program_option and NV_fragment_program2 for fragment programs. A suffix in an
    // entry exists once the option for it is enabled, see `suffix_requirements`.
    "ABS" ([] C S) ([] X C S) v (v) Expand(Expansion::Abs), "absolute value";
    "ADD" ([] C S) ([] X C S) v (v v) op(Op::Add), "add";
    "ARA" ([NV_VERTEX_2] C) - ar (ad) Expand(Expansion::AddAddresses), "add pairs of address components";
    // <ARLop_src> is a scalar; NV_vertex_program2_option extends it to a vector.
    "ARL" ([] C) - ar (sv) Expand(Expansion::LoadAddress(Rounding::Floor)), "load an address register, rounded down";
    "ARR" ([NV_VERTEX_2] C) - ar (v) Expand(Expansion::LoadAddress(Rounding::Even)), "load an address register, rounded to even";
    "BRA" ([NV_VERTEX_2]) - - (l oc) Flow(FlowOp::Bra), "branch to a label";
    "BRK" - ([NV_FRAGMENT_2]) - (oc) Flow(FlowOp::Brk), "leave the loop";
    "CAL" ([NV_VERTEX_2]) ([NV_FRAGMENT_2]) - (l oc) Flow(FlowOp::Cal), "call a subroutine";
    // CMP, SCS, SWZ and XPD have only S in the table of NV_fragment_program_option; the next
    // extension has more.
    "CMP" - ([] S | NV_FRAGMENT_2 C) v (v v v) op(Op::SelLt), "choose by sign: a < 0 ? b : c";
    // Opcodes of only one of the two ARB extensions are available in the other stage by an option.
    "COS" ([NV_VERTEX_2] C S) ([] H C S) s (s) op(Op::Cos), "cosine";
    "DDX" - ([NV_FRAGMENT] H C S) v (v) Expand(Expansion::DerivativeX), "derivative in x";
    "DDY" - ([NV_FRAGMENT] H C S) v (v) Expand(Expansion::DerivativeY), "derivative in y";
    "DIV" - ([NV_FRAGMENT_2] H C S) v (v s) op(Op::Div), "divide by a scalar";
    "DP2" - ([NV_FRAGMENT_2] X C S) s (v v) op(Op::Dp2), "dot product of two components";
    "DP2A" - ([NV_FRAGMENT_2] X C S) s (v v v) Expand(Expansion::Dp2a), "dot product of two components plus a scalar";
    "DP3" ([] C S) ([] X C S) s (v v) op(Op::Dp3), "dot product of three components";
    "DP4" ([] C S) ([] X C S) s (v v) op(Op::Dp4), "dot product of four components";
    "DPH" ([] C S) ([] X C S) s (v v) Expand(Expansion::Dph), "homogeneous dot product";
    "DST" ([] C S) ([] H C S) v (v v) Expand(Expansion::Dst), "distance vector";
    "ELSE" - ([NV_FRAGMENT_2]) - () Flow(FlowOp::Else), "otherwise";
    "ENDIF" - ([NV_FRAGMENT_2]) - () Flow(FlowOp::EndIf), "end of IF";
    "ENDLOOP" - ([NV_FRAGMENT_2]) - () Flow(FlowOp::EndLoop), "end of LOOP";
    "ENDREP" - ([NV_FRAGMENT_2]) - () Flow(FlowOp::EndRep), "end of REP";
    "EX2" ([] C S) ([] H C S) s (s) op(Op::Exp2), "2 to the power of";
    // EXP and LOG are approximations that fragment programs never had.
    "EXP" ([] C S) - v (s) Expand(Expansion::ExpParts), "2 to the power of, in parts: (2^floor(a), a - floor(a), 2^a, 1)";
    "FLR" ([] C S) ([] X C S) v (v) Expand(Expansion::Round(Op::Floor, Rounding::Floor)), "round down";
    "FRC" ([] C S) ([] X C S) v (v) op(Op::Fract), "fraction";
    "IF" - ([NV_FRAGMENT_2]) - (c) Flow(FlowOp::If), "conditional block";
    // A condition as operand needs OPTION NV_fragment_program, which the parser checks.
    "KIL" - ([]) - (vc) Expand(Expansion::Kill), "discard the fragment";
    "LG2" ([] C S) ([] H C S) s (s) op(Op::Log2), "logarithm to base 2";
    "LIT" ([] C S) ([] H C S) v (v) Expand(Expansion::Lit), "lighting coefficients";
    "LOG" ([] C S) - v (s) Expand(Expansion::LogParts), "logarithm to base 2 of |a|, in parts: (exponent, mantissa, log2(|a|), 1)";
    // "The loop counter can not be computed at run time; it must be specified as a program
    // parameter."
    "LOOP" - ([NV_FRAGMENT_2]) - (v) Flow(FlowOp::Loop), "loop with an address register" rule OperandRule::ParameterCount;
    "LRP" - ([] X C S) v (v v v) Expand(Expansion::Lrp), "linear interpolation: a * b + (1 - a) * c";
    "MAD" ([] C S) ([] X C S) v (v v v) op(Op::Mad), "multiply and add";
    "MAX" ([] C S) ([] X C S) v (v v) op(Op::Max), "maximum";
    "MIN" ([] C S) ([] X C S) v (v v) op(Op::Min), "minimum";
    "MOV" ([] C S) ([] X C S) v (v) op(Op::Mov), "move";
    "MUL" ([] C S) ([] X C S) v (v v) op(Op::Mul), "multiply";
    "NRM" - ([NV_FRAGMENT_2] H C S) v (v) Expand(Expansion::Nrm), "normalize three components";
    // Packed bits take no clamp and set no condition codes.
    "PK2H" - ([NV_FRAGMENT]) s (v) Expand(Expansion::Pack(Op::PackHalf2)), "pack two half floats" rule OperandRule::Size(PackedSize::NoShortResult);
    "PK2US" - ([NV_FRAGMENT]) s (v) Expand(Expansion::Pack(Op::PackUnorm2)), "pack two unsigned normalized 16-bit values" rule OperandRule::Size(PackedSize::NoShortResult);
    "PK4B" - ([NV_FRAGMENT]) s (v) Expand(Expansion::PackSignedBytes), "pack four signed normalized bytes" rule OperandRule::Size(PackedSize::NoShortResult);
    "PK4UB" - ([NV_FRAGMENT]) s (v) Expand(Expansion::Pack(Op::PackUnorm4)), "pack four unsigned normalized bytes" rule OperandRule::Size(PackedSize::NoShortResult);
    "POPA" ([NV_VERTEX_3]) - ar () Flow(FlowOp::Pop), "pop an address register off the call stack";
    "POW" ([] C S) ([] H C S) s (s s) Expand(Expansion::Pow), "power; anything to the power 0 is 1";
    "PUSHA" ([NV_VERTEX_3]) - - (ad) Flow(FlowOp::Push), "push an address register on the call stack";
    "RCC" ([NV_VERTEX_2] C S) - s (s) Expand(Expansion::Rcc), "clamped reciprocal";
    "RCP" ([] C S) ([] H C S) s (s) op(Op::Rcp), "reciprocal";
    "REP" - ([NV_FRAGMENT_2]) - (v) Flow(FlowOp::Rep), "loop" rule OperandRule::ParameterCount;
    "RET" ([NV_VERTEX_2]) ([NV_FRAGMENT_2]) - (oc) Flow(FlowOp::Ret), "return from a subroutine";
    "RFL" - ([NV_FRAGMENT] H C S) v (v v) Expand(Expansion::Rfl), "reflection vector" rule OperandRule::ThreeComponents;
    // Of the absolute value in both ARB extensions, regardless of the options.
    "RSQ" ([] C S) ([] H C S) s (s) Expand(Expansion::RootOfAbsolute), "reciprocal square root of |a|";
    "SCS" - ([] S | NV_FRAGMENT_2 H C) v (s) Expand(Expansion::Scs), "cosine and sine";
    "SEQ" ([NV_VERTEX_2] C S) ([NV_FRAGMENT] X C S) v (v v) op(Op::SetEq), "set on equal";
    "SFL" ([NV_VERTEX_2] C S) ([NV_FRAGMENT] X C S) v (v v) Expand(Expansion::SetFalse), "set on false";
    "SGE" ([] C S) ([] X C S) v (v v) op(Op::SetGe), "set on greater or equal";
    "SGT" ([NV_VERTEX_2] C S) ([NV_FRAGMENT] X C S) v (v v) op(Op::SetGt), "set on greater";
    "SIN" ([NV_VERTEX_2] C S) ([] H C S) s (s) op(Op::Sin), "sine";
    "SLE" ([NV_VERTEX_2] C S) ([NV_FRAGMENT] X C S) v (v v) op(Op::SetLe), "set on less or equal";
    "SLT" ([] C S) ([] X C S) v (v v) op(Op::SetLt), "set on less";
    "SNE" ([NV_VERTEX_2] C S) ([NV_FRAGMENT] X C S) v (v v) op(Op::SetNe), "set on not equal";
    "SSG" ([NV_VERTEX_2] C S) - v (v) op(Op::Sign), "sign";
    "STR" ([NV_VERTEX_2] C S) ([NV_FRAGMENT] X C S) v (v v) Expand(Expansion::SetTrue), "set on true";
    "SUB" ([] C S) ([] X C S) v (v v) op(Op::Sub), "subtract";
    "SWZ" ([] C S) ([] S | NV_FRAGMENT_2 H C) v (p x) Expand(Expansion::Swz), "extended swizzle";
    // Lookups have no precision suffixes: the format of the texture decides.
    "TEX" ([NV_VERTEX_3] C S) ([] C S) v (v t) Expand(Expansion::Texture(TextureOp::Sample)), "texture sample";
    "TXB" ([NV_VERTEX_3] C S) ([] C S) v (v t) Expand(Expansion::Texture(TextureOp::Bias)), "texture sample with bias";
    "TXD" - ([NV_FRAGMENT] C S) v (v v v t) Expand(Expansion::Texture(TextureOp::Grad)), "texture sample with derivatives";
    "TXL" ([NV_VERTEX_3] C S) ([NV_FRAGMENT_2] C S) v (v t) Expand(Expansion::Texture(TextureOp::Lod)), "texture sample with level of detail";
    "TXP" ([NV_VERTEX_3] C S) ([] C S) v (v t) Expand(Expansion::Texture(TextureOp::Project)), "texture sample with projection";
    "UP2H" - ([NV_FRAGMENT] C S) v (s) Expand(Expansion::Unpack(Op::UnpackHalf2)), "unpack two half floats" rule OperandRule::Size(PackedSize::NoShortSource);
    "UP2US" - ([NV_FRAGMENT] C S) v (s) Expand(Expansion::Unpack(Op::UnpackUnorm2)), "unpack two unsigned normalized 16-bit values" rule OperandRule::Size(PackedSize::NoShortSource);
    "UP4B" - ([NV_FRAGMENT] C S) v (s) Expand(Expansion::UnpackSignedBytes), "unpack four signed normalized bytes" rule OperandRule::Size(PackedSize::NoShortSource);
    "UP4UB" - ([NV_FRAGMENT] C S) v (s) Expand(Expansion::Unpack(Op::UnpackUnorm4)), "unpack four unsigned normalized bytes" rule OperandRule::Size(PackedSize::NoShortSource);
    "X2D" - ([NV_FRAGMENT] H C S) v (v v v) Expand(Expansion::X2d), "two-dimensional coordinate transformation";
    "XPD" ([] C S) ([] S | NV_FRAGMENT_2 H C) v (v v) Expand(Expansion::Xpd), "cross product";
}
