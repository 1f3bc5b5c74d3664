//! Macros for the entries of all opcode tables.

use crate::lang::opcode_info::Translation;
use glasm_ir::Op;

macro_rules! result {
    (-) => {
        $crate::lang::opcode_info::ResultKind::None
    };
    (v) => {
        $crate::lang::opcode_info::ResultKind::V
    };
    (vf) => {
        $crate::lang::opcode_info::ResultKind::Vf
    };
    (vs) => {
        $crate::lang::opcode_info::ResultKind::Vs
    };
    (vu) => {
        $crate::lang::opcode_info::ResultKind::Vu
    };
    (s) => {
        $crate::lang::opcode_info::ResultKind::S
    };
    (ar) => {
        $crate::lang::opcode_info::ResultKind::Address
    };
}
macro_rules! operand {
    (v) => {
        $crate::lang::opcode_info::OperandKind::V
    };
    (vf) => {
        $crate::lang::opcode_info::OperandKind::Vf
    };
    (vs) => {
        $crate::lang::opcode_info::OperandKind::Vs
    };
    (vu) => {
        $crate::lang::opcode_info::OperandKind::Vu
    };
    (s) => {
        $crate::lang::opcode_info::OperandKind::S
    };
    (su) => {
        $crate::lang::opcode_info::OperandKind::Su
    };
    (a) => {
        $crate::lang::opcode_info::OperandKind::Address
    };
    (p) => {
        $crate::lang::opcode_info::OperandKind::Plain
    };
    (x) => {
        $crate::lang::opcode_info::OperandKind::ExtSwizzle
    };
    (t) => {
        $crate::lang::opcode_info::OperandKind::Texture
    };
    (im) => {
        $crate::lang::opcode_info::OperandKind::Image
    };
    (iu) => {
        $crate::lang::opcode_info::OperandKind::ImageUnit
    };
    (it) => {
        $crate::lang::opcode_info::OperandKind::ImageTarget
    };
    (l) => {
        $crate::lang::opcode_info::OperandKind::Label
    };
    (i) => {
        $crate::lang::opcode_info::OperandKind::Subroutine
    };
    (c) => {
        $crate::lang::opcode_info::OperandKind::Cond
    };
    (oc) => {
        $crate::lang::opcode_info::OperandKind::OptCond
    };
    (vc) => {
        $crate::lang::opcode_info::OperandKind::Kill
    };
    (ov) => {
        $crate::lang::opcode_info::OperandKind::Count
    };
    (cm) => {
        $crate::lang::opcode_info::OperandKind::ConstMem
    };
    (sm) => {
        $crate::lang::opcode_info::OperandKind::SharedMem
    };
    (bm) => {
        $crate::lang::opcode_info::OperandKind::StorageMem
    };
    (ctr) => {
        $crate::lang::opcode_info::OperandKind::CounterMem
    };
    (sv) => {
        $crate::lang::opcode_info::OperandKind::Sv
    };
    (ad) => {
        $crate::lang::opcode_info::OperandKind::AddressRegister
    };
}
macro_rules! operand_rule {
    () => {
        $crate::lang::opcode_info::OperandRule::None
    };
    ($rule:expr) => {
        $rule
    };
}
pub(crate) use {operand, operand_rule, result};

/// Returns the translation of an opcode to one operation of the IR.
pub(crate) const fn op(op: Op) -> Translation {
    Translation::Op(op)
}
