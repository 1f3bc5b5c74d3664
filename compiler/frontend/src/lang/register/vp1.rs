//! The registers and opcodes of NV_vertex_program and NV_vertex_program1_1. NV_vertex_program
//! section 2.14.1.10.

use super::{
    NO_RESULTS, ParameterRegisters, Registers, STATE_ARGUMENT, TemporaryRegisters,
    VERTEX_1_RESULTS, VERTEX_ATTRIBS, opcodes,
};
use crate::lang::Stages;
use crate::lang::opcode_info::{Expansion, Translation};
use crate::lang::opcodes::op;
use Translation::Expand;
use glasm_ir::Op;
use glasm_ir::inst::Rounding;

/// Registers of version 1.0. NV_vertex_program section 2.14.1.
pub static REGISTERS_1_0: Registers = Registers {
    files: &[VERTEX_ATTRIBS, VERTEX_1_RESULTS],
    parameters: Some(ParameterRegisters {
        name: "c",
        // "Ninety-six program parameter registers": section 2.14.1.2.
        count: 96,
        is_writable: false,
    }),
    temporary_files: &[TemporaryRegisters {
        prefix: b'R',
        // R0 to R11: section 2.14.1.4.
        count: 12,
        is_half: false,
    }],
    fragment: None,
    address_register_count: 1,
    has_full_addresses: false,
    // <relProgParamReg> of section 2.14.1.7 takes these.
    address_offsets: (-64, 63),
    // The only sign is minus; NV_vertex_program1_1 adds the plus.
    allows_plus: false,
    allows_literals: false,
    has_options: false,
    // "(Positive or negative) 0.0 times anything is (positive) 0.0": section 2.14.1.11.
    zero_times_any_is_zero: true,
    enabled_clip_distances: false,
    // Section 2.14.1.7.
    max_instructions: 128,
    max_invariant_instructions: 128,
};

/// Registers of version 1.1. NV_vertex_program1_1: position invariance takes four instructions.
pub static REGISTERS_1_1: Registers = Registers {
    allows_plus: true,
    has_options: true,
    // "Contains more than 124 instructions": NV_vertex_program1_1.
    max_invariant_instructions: 124,
    ..REGISTERS_1_0
};

/// Registers of vertex state programs. NV_vertex_program section 2.14.4.
pub static STATE_REGISTERS: Registers = Registers {
    // A state program reads v[0] and no other attribute, and writes parameters: section 2.14.4.
    files: &[STATE_ARGUMENT, NO_RESULTS],
    parameters: Some(ParameterRegisters {
        name: "c",
        count: 96,
        is_writable: true,
    }),
    ..REGISTERS_1_0
};

opcodes! { Stages::VERTEX.union(Stages::COMPUTE);
    // Columns: name, version, suffixes, result, operands, translation, description.
    //
    // Opcodes of 1.1 are those of NV_vertex_program1_1; state programs stay at 1.0.
    "ABS" V1_1 [] v (v) Expand(Expansion::Abs), "absolute value";
    "ADD" V1_0 [] v (v v) op(Op::Add), "add";
    "ARL" V1_0 [] ar (s) Expand(Expansion::LoadAddress(Rounding::Floor)), "load an address register, rounded down";
    "DP3" V1_0 [] s (v v) op(Op::Dp3), "dot product of three components";
    "DP4" V1_0 [] s (v v) op(Op::Dp4), "dot product of four components";
    "DPH" V1_1 [] s (v v) Expand(Expansion::Dph), "homogeneous dot product";
    "DST" V1_0 [] v (v v) Expand(Expansion::Dst), "distance vector";
    "EXP" V1_0 [] v (s) Expand(Expansion::ExpBounded), "2 to the power of, in parts: (2^floor(a), a - floor(a), 2^a, 1)";
    "LIT" V1_0 [] v (v) Expand(Expansion::LitZeroWins), "lighting coefficients";
    "LOG" V1_0 [] v (s) Expand(Expansion::LogFlushed), "logarithm to base 2 of |a|, in parts: (exponent, mantissa, log2(|a|), 1)";
    "MAD" V1_0 [] v (v v v) op(Op::Mad), "multiply and add";
    "MAX" V1_0 [] v (v v) Expand(Expansion::MaxOrSecond), "maximum";
    "MIN" V1_0 [] v (v v) Expand(Expansion::MinOrSecond), "minimum";
    "MOV" V1_0 [] v (v) op(Op::Mov), "move";
    "MUL" V1_0 [] v (v v) op(Op::Mul), "multiply";
    "RCC" V1_1 [] s (s) Expand(Expansion::RccSigned), "clamped reciprocal";
    "RCP" V1_0 [] s (s) op(Op::Rcp), "reciprocal";
    "RSQ" V1_0 [] s (s) Expand(Expansion::RootOfAbsolute), "reciprocal square root of |a|";
    // "-0.0 is less than +0.0, -NaN is less than -Inf, and +NaN is greater than +Inf": section
    // 2.14.1.11.
    "SGE" V1_0 [] v (v v) Expand(Expansion::SetInTotalOrder(Op::SetGe)), "set on greater or equal";
    "SLT" V1_0 [] v (v v) Expand(Expansion::SetInTotalOrder(Op::SetLt)), "set on less";
    "SUB" V1_1 [] v (v v) op(Op::Sub), "subtract";
}
