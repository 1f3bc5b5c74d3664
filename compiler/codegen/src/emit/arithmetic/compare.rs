//! Comparisons: booleans that become numbers only where a number is read.

use crate::builder::{Builder, Val, by_base, truth_scalar};
use glasm_ir::{Op, Type};
use spirv::Op as Spv;

/// One of the set-on operations.
pub(in crate::emit) fn emit_comparison(w: &mut Builder, ty: Type, op: Op, [a, b]: [Val; 2]) -> Val {
    let truth = truth_scalar(ty);
    let op = compare_op(op, ty);
    w.compare(op, truth, a, b)
}

/// The SPIR-V comparisons of floats, signed and unsigned integers. Only "not equal" holds for NaN.
// IEEE 754: what is compared with NaN is neither less, equal nor greater, and so it is not equal.
const COMPARISONS: [(Op, [Spv; 3]); 6] = [
    (Op::SetEq, [Spv::FOrdEqual, Spv::IEqual, Spv::IEqual]),
    (
        Op::SetNe,
        [Spv::FUnordNotEqual, Spv::INotEqual, Spv::INotEqual],
    ),
    (
        Op::SetLt,
        [Spv::FOrdLessThan, Spv::SLessThan, Spv::ULessThan],
    ),
    (
        Op::SetLe,
        [
            Spv::FOrdLessThanEqual,
            Spv::SLessThanEqual,
            Spv::ULessThanEqual,
        ],
    ),
    (
        Op::SetGt,
        [Spv::FOrdGreaterThan, Spv::SGreaterThan, Spv::UGreaterThan],
    ),
    (
        Op::SetGe,
        [
            Spv::FOrdGreaterThanEqual,
            Spv::SGreaterThanEqual,
            Spv::UGreaterThanEqual,
        ],
    ),
];

/// The comparison of an operation and type; only comparisons come here.
fn compare_op(op: Op, ty: Type) -> Spv {
    let row = COMPARISONS.iter().find(|row| row.0 == op);
    by_base(ty, row.unwrap_or(&COMPARISONS[0]).1)
}
