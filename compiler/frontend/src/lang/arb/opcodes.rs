//! The opcode table of ARB_vertex_program, ARB_fragment_program, NV_vertex_program2_option,
//! NV_vertex_program3, NV_fragment_program_option and NV_fragment_program2.

use super::{Form, Forms};
use crate::lang::Stages;
use crate::lang::modifiers::Mods;
use crate::lang::opcode_info::{
    Expansion, FlowOp, Lower, OpcodeInfo, OperandRule, PackedSize, Support, TextureOp, TypeRule,
};
use crate::lang::opcode_rows::{op, operand, operand_rule, result};
use crate::lang::options::Features;
use crate::source::Version;
use glasm_ir::Op;
use glasm_ir::inst::Rounding;
use glasm_ir::types::Base;

macro_rules! suffix {
    (C) => {
        Mods::ANY_CC.union(Mods::NUMBERED)
    };
    (S) => {
        Mods::ANY_CLAMP
    };
    (H) => {
        Mods::FULL.union(Mods::HALF)
    };
    (X) => {
        Mods::FULL.union(Mods::HALF).union(Mods::FIXED)
    };
}
macro_rules! form {
    (-) => {
        None
    };
    (([$($need:ident)*] $($suffix:ident)* $(| $feature:ident $($more:ident)*)?)) => {
        Some(Form {
            needs: Features::empty()$(.union(Features::$need))*,
            mods: Mods::empty()$(.union(suffix!($suffix)))*,
            more: (
                Features::empty()$(.union(Features::$feature))?,
                Mods::empty()$($(.union(suffix!($more)))*)?,
            ),
        })
    };
}

const fn stages(forms: Forms) -> Stages {
    match (forms.vertex, forms.fragment) {
        (Some(_), Some(_)) => Stages::ARB,
        (Some(_), None) => Stages::VERTEX,
        (None, Some(_)) => Stages::FRAGMENT,
        (None, None) => Stages::NONE,
    }
}

const fn mods(form: Option<Form>) -> Mods {
    match form {
        Some(form) => form.mods.union(form.more.1),
        None => Mods::empty(),
    }
}

macro_rules! opcodes {
    ($($name:literal $vertex:tt $fragment:tt $out:tt ($($in:ident)*) $lower:expr, $text:literal
       $(rule $operand_rule:expr)?;)*) => {
        /// All opcodes, in alphabetical order.
        pub(crate) const ROWS: &[OpcodeInfo] = &[$({
            const FORMS: Forms = Forms { vertex: form!($vertex), fragment: form!($fragment) };
            OpcodeInfo {
                name: $name,
                // Versions are not significant: options add opcodes.
                since: Version::V1_0,
                stages: stages(FORMS),
                early: Features::empty(),
                needs: Features::empty(),
                arb: FORMS,
                // All values are floats of 32 bits.
                float: Support::Narrow,
                int: Support::No,
                mods: mods(FORMS.vertex).union(mods(FORMS.fragment)),
                default: Base::Float,
                rule: TypeRule::Arithmetic,
                result: result!($out),
                operands: &[$(operand!($in)),*],
                lower: $lower,
                text: $text,
                operand_rule: operand_rule!($($operand_rule)?),
            }
        },)*];
    };
}

use Lower::{Expand, Flow};

opcodes! {
    // Columns: name; in vertex and fragment programs: features needed, suffixes (C condition codes,
    // S clamp, H precisions R and H, X precisions R, H and X), after the bar a feature and the
    // suffixes it adds; result, operands, translation, description, rule for operands.
    //
    // Table X.5 of NV_vertex_program2_option and NV_vertex_program3 for vertex programs, of
    // NV_fragment_program_option and NV_fragment_program2 for fragment programs. A suffix in an
    // entry exists once the option for it is enabled, see `suffix_needs`.
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
