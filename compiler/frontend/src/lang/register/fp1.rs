//! The opcodes of NV_fragment_program. NV_fragment_program section 3.11.5.

use super::{
    CcRegister, FRAGMENT_ATTRIBS, FRAGMENT_RESULTS, FragmentNames, ParameterRegisters, Registers,
    TemporaryRegisters, opcodes,
};
use crate::codes::LenientRule;
use crate::lang::opcode_info::{Expansion, OperandRule, PackedSize, TextureOp, Translation};
use crate::lang::opcodes::op;
use crate::lang::{Stages, limits};
use Translation::Expand;
use glasm_ir::Op;

/// NV_fragment_program section 3.11.1.
pub static REGISTERS: Registers = Registers {
    // Parameters are not a file: they have names, or are resolved one by one.
    files: &[FRAGMENT_ATTRIBS, FRAGMENT_RESULTS],
    parameters: None,
    temporary_files: &[
        TemporaryRegisters {
            prefix: b'R',
            count: 32,
            is_half: false,
        },
        TemporaryRegisters {
            prefix: b'H',
            count: 64,
            is_half: true,
        },
    ],
    fragment: Some(&NAMES),
    address_register_count: 0,
    has_full_addresses: false,
    address_offsets: (0, 0),
    // <optionalSign> precedes every operand: section 3.11.3.
    allows_plus: true,
    // "Embedded" constants: section 3.11.2.
    allows_literals: true,
    has_options: true,
    zero_times_any_is_zero: false,
    enabled_clip_distances: false,
    // 1024 or the limit of ARB_fragment_program: section 3.11.3.
    max_instructions: limits::INSTRUCTIONS as u32,
    max_invariant_instructions: limits::INSTRUCTIONS as u32,
};

static NAMES: FragmentNames = FragmentNames {
    locals: ParameterRegisters {
        name: "p",
        count: limits::LOCAL_PARAMETERS,
        is_writable: false,
    },
    // "RC and HC are treated as unnumbered, write-only temporary registers": section 3.11.1.2.
    cc_registers: &[
        CcRegister {
            name: "RC",
            is_half: false,
        },
        CcRegister {
            name: "HC",
            is_half: true,
        },
    ],
    unit_prefix: "TEX",
    unit_count: 16,
    // "A fragment program fails to load if its total temporary and output register count exceeds
    // 64": section 3.11.3.
    max_register_size: 64,
};

opcodes! { Stages::FRAGMENT;
    // Columns: name, version, suffixes (C condition codes, S clamp, H precisions R and H, X
    // precisions R, H and X), result, operands, translation, description, rule for operands.
    //
    // "Instructions that involve complicated floating-point computations do not support the X
    // precision suffix": section 3.11.4.
    "ADD" V1_0 [X C S] v (v v) op(Op::Add), "add";
    "COS" V1_0 [H C S] s (s) Expand(Expansion::CosineExact), "cosine";
    "DDX" V1_0 [H C S] v (v) op(Op::Ddx), "derivative in x";
    "DDY" V1_0 [H C S] v (v) op(Op::Ddy), "derivative in y";
    "DP3" V1_0 [X C S] s (v v) op(Op::Dp3), "dot product of three components";
    "DP4" V1_0 [X C S] s (v v) op(Op::Dp4), "dot product of four components";
    "DST" V1_0 [H C S] v (v v) Expand(Expansion::Dst), "distance vector";
    "EX2" V1_0 [H C S] s (s) Expand(Expansion::Exp2Exact), "2 to the power of";
    "FLR" V1_0 [X C S] v (v) op(Op::Floor), "round down";
    "FRC" V1_0 [X C S] v (v) Expand(Expansion::FractionOrNan), "fraction";
    "KIL" V1_0 [] - (c) Expand(Expansion::Kill), "discard the fragment";
    "LG2" V1_0 [H C S] s (s) op(Op::Log2), "logarithm to base 2";
    "LIT" V1_0 [H C S] v (v) Expand(Expansion::LitUnbounded), "lighting coefficients";
    "LRP" V1_0 [X C S] v (v v v) Expand(Expansion::Lrp), "linear interpolation: a * b + (1 - a) * c";
    "MAD" V1_0 [X C S] v (v v v) op(Op::Mad), "multiply and add";
    "MAX" V1_0 [X C S] v (v v) Expand(Expansion::MaxOrNan), "maximum";
    "MIN" V1_0 [X C S] v (v v) Expand(Expansion::MinOrNan), "minimum";
    "MOV" V1_0 [X C S] v (v) op(Op::Mov), "move";
    "MUL" V1_0 [X C S] v (v v) op(Op::Mul), "multiply";
    "PK2H" V1_0 [] s (v) Expand(Expansion::Pack(Op::PackHalf2)), "pack two half floats" rule OperandRule::Size(PackedSize::NoShortResult);
    "PK2US" V1_0 [] s (v) Expand(Expansion::Pack(Op::PackUnorm2)), "pack two unsigned normalized 16-bit values" rule OperandRule::Size(PackedSize::NoShortResult);
    "PK4B" V1_0 [] s (v) Expand(Expansion::PackSignedBytes), "pack four signed normalized bytes" rule OperandRule::Size(PackedSize::NoShortResult);
    "PK4UB" V1_0 [] s (v) Expand(Expansion::Pack(Op::PackUnorm4)), "pack four unsigned normalized bytes" rule OperandRule::Size(PackedSize::NoShortResult);
    "POW" V1_0 [H C S] s (s s) Expand(Expansion::PowExact), "power";
    "RCP" V1_0 [H C S] s (s) op(Op::Rcp), "reciprocal";
    "RFL" V1_0 [H C S] v (v v) Expand(Expansion::Rfl), "reflection vector" rule OperandRule::ThreeComponents;
    "RSQ" V1_0 [H C S] s (s) Expand(Expansion::RootWithCodes), "reciprocal square root";
    "SEQ" V1_0 [X C S] v (v v) op(Op::SetEq), "set on equal";
    "SFL" V1_0 [X C S] v (v v) Expand(Expansion::SetFalse), "set on false";
    "SGE" V1_0 [X C S] v (v v) op(Op::SetGe), "set on greater or equal";
    "SGT" V1_0 [X C S] v (v v) op(Op::SetGt), "set on greater";
    "SIN" V1_0 [H C S] s (s) Expand(Expansion::SineExact), "sine";
    "SLE" V1_0 [X C S] v (v v) op(Op::SetLe), "set on less or equal";
    "SLT" V1_0 [X C S] v (v v) op(Op::SetLt), "set on less";
    "SNE" V1_0 [X C S] v (v v) op(Op::SetNe), "set on not equal";
    "STR" V1_0 [X C S] v (v v) Expand(Expansion::SetTrue), "set on true";
    "SUB" V1_0 [X C S] v (v v) op(Op::Sub), "subtract";
    "TEX" V1_0 [C S] v (v t) Expand(Expansion::Texture(TextureOp::Sample)), "texture sample";
    // No opcode of the extension.
    "TXB" V1_0 [C S] v (v t) Expand(Expansion::Texture(TextureOp::Bias)), "texture sample with bias" rule OperandRule::Shipped(LenientRule::BiasedLookup);
    "TXD" V1_0 [C S] v (v v v t) Expand(Expansion::Texture(TextureOp::Grad)), "texture sample with derivatives";
    "TXP" V1_0 [C S] v (v t) Expand(Expansion::Texture(TextureOp::Project)), "texture sample with projection";
    "UP2H" V1_0 [C S] v (s) Expand(Expansion::Unpack(Op::UnpackHalf2)), "unpack two half floats" rule OperandRule::Size(PackedSize::NoShortSource);
    "UP2US" V1_0 [C S] v (s) Expand(Expansion::Unpack(Op::UnpackUnorm2)), "unpack two unsigned normalized 16-bit values" rule OperandRule::Size(PackedSize::NoShortSource);
    "UP4B" V1_0 [C S] v (s) Expand(Expansion::UnpackSignedBytes), "unpack four signed normalized bytes" rule OperandRule::Size(PackedSize::NoShortSource);
    "UP4UB" V1_0 [C S] v (s) Expand(Expansion::Unpack(Op::UnpackUnorm4)), "unpack four unsigned normalized bytes" rule OperandRule::Size(PackedSize::NoShortSource);
    "X2D" V1_0 [H C S] v (v v v) Expand(Expansion::X2d), "two-dimensional coordinate transformation";
}
