//! The opcodes of NV_vertex_program2. NV_vertex_program2 section 2.14.3.

use super::{
    ParameterRegisters, Registers, TemporaryRegisters, VERTEX_2_RESULTS, VERTEX_ATTRIBS, opcodes,
};
use crate::lang::Stages;
use crate::lang::opcode_info::{Expansion, FlowOp, Translation};
use crate::lang::opcodes::op;
use Translation::{Expand, Flow};
use glasm_ir::Op;
use glasm_ir::inst::Rounding;

/// NV_vertex_program2 section 2.14.1.
pub static REGISTERS: Registers = Registers {
    files: &[VERTEX_ATTRIBS, VERTEX_2_RESULTS],
    parameters: Some(ParameterRegisters {
        name: "c",
        // c[0] to c[255], R0 to R15, A0 and A1: section 2.14.1.
        count: 256,
        is_writable: false,
    }),
    temporary_files: &[TemporaryRegisters {
        prefix: b'R',
        count: 16,
        is_half: false,
    }],
    fragment: None,
    address_register_count: 2,
    has_full_addresses: true,
    // <progParamPosOffset> and <progParamNegOffset> for VP2.0: section 2.14.1.7.
    address_offsets: (-256, 255),
    allows_plus: true,
    allows_literals: false,
    has_options: true,
    zero_times_any_is_zero: false,
    // "Client-defined clip planes or clip distances" clip where they are enabled: section 2.11.
    enabled_clip_distances: true,
    max_instructions: 256,
    // "Position-invariant VP1.1 and VP2.0 programs may have no more than 124 or 252 instructions":
    // section 2.14.6.1.
    max_invariant_instructions: 252,
};

opcodes! { Stages::VERTEX;
    // Columns: name, version, suffixes, result, operands, translation, description.
    //
    // All opcodes are of 2.0: the extension restates the older ones with the arithmetic of IEEE.
    "ABS" V2_0 [C] v (v) Expand(Expansion::Abs), "absolute value";
    "ADD" V2_0 [C] v (v v) op(Op::Add), "add";
    "ARA" V2_0 [C] ar (ad) Expand(Expansion::AddShortAddresses), "add pairs of address components";
    // A vector here, like the operand of ARR: both write all four components.
    "ARL" V2_0 [C] ar (v) Expand(Expansion::LoadShortAddress(Rounding::Floor)), "load an address register, rounded down";
    "ARR" V2_0 [C] ar (v) Expand(Expansion::LoadShortAddress(Rounding::Even)), "load an address register, rounded to even";
    "BRA" V2_0 [] - (l oc) Flow(FlowOp::Bra), "branch to a label";
    "CAL" V2_0 [] - (l oc) Flow(FlowOp::Cal), "call a subroutine";
    "COS" V2_0 [C] s (s) Expand(Expansion::CosineExact), "cosine";
    "DP3" V2_0 [C] s (v v) op(Op::Dp3), "dot product of three components";
    "DP4" V2_0 [C] s (v v) op(Op::Dp4), "dot product of four components";
    "DPH" V2_0 [C] s (v v) Expand(Expansion::Dph), "homogeneous dot product";
    "DST" V2_0 [C] v (v v) Expand(Expansion::Dst), "distance vector";
    "EX2" V2_0 [C] s (s) Expand(Expansion::Exp2Exact), "2 to the power of";
    "EXP" V2_0 [C] v (s) Expand(Expansion::ExpOrdered), "2 to the power of, in parts: (2^floor(a), a - floor(a), 2^a, 1)";
    "FLR" V2_0 [C] v (v) Expand(Expansion::Round(Op::Floor, Rounding::Floor)), "round down";
    "FRC" V2_0 [C] v (v) Expand(Expansion::FractionOrNan), "fraction";
    "LG2" V2_0 [C] s (s) op(Op::Log2), "logarithm to base 2";
    "LIT" V2_0 [C] v (v) Expand(Expansion::LitOrdered), "lighting coefficients";
    "LOG" V2_0 [C] v (s) Expand(Expansion::LogFlushed), "logarithm to base 2 of |a|, in parts: (exponent, mantissa, log2(|a|), 1)";
    "MAD" V2_0 [C] v (v v v) op(Op::Mad), "multiply and add";
    "MAX" V2_0 [C] v (v v) Expand(Expansion::MaxOrNan), "maximum";
    "MIN" V2_0 [C] v (v v) Expand(Expansion::MinOrNan), "minimum";
    "MOV" V2_0 [C] v (v) op(Op::Mov), "move";
    "MUL" V2_0 [C] v (v v) op(Op::Mul), "multiply";
    "RCC" V2_0 [C] s (s) Expand(Expansion::RccSigned), "clamped reciprocal";
    "RCP" V2_0 [C] s (s) op(Op::Rcp), "reciprocal";
    "RET" V2_0 [] - (oc) Flow(FlowOp::Ret), "return from a subroutine";
    "RSQ" V2_0 [C] s (s) Expand(Expansion::RootOfSigned), "reciprocal square root";
    "SEQ" V2_0 [C] v (v v) Expand(Expansion::SetOrNan(Op::SetEq)), "set on equal";
    "SFL" V2_0 [C] v (v v) Expand(Expansion::SetFalse), "set on false";
    "SGE" V2_0 [C] v (v v) Expand(Expansion::SetOrNan(Op::SetGe)), "set on greater or equal";
    "SGT" V2_0 [C] v (v v) Expand(Expansion::SetOrNan(Op::SetGt)), "set on greater";
    "SIN" V2_0 [C] s (s) Expand(Expansion::SineExact), "sine";
    "SLE" V2_0 [C] v (v v) Expand(Expansion::SetOrNan(Op::SetLe)), "set on less or equal";
    "SLT" V2_0 [C] v (v v) Expand(Expansion::SetOrNan(Op::SetLt)), "set on less";
    "SNE" V2_0 [C] v (v v) Expand(Expansion::SetOrNan(Op::SetNe)), "set on not equal";
    "SSG" V2_0 [C] v (v) Expand(Expansion::SignOrNan), "sign";
    "STR" V2_0 [C] v (v v) Expand(Expansion::SetTrue), "set on true";
    "SUB" V2_0 [C] v (v v) op(Op::Sub), "subtract";
}
