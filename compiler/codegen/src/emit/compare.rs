//! Comparisons: booleans that become numbers only where a number is read.

use super::Emit;
use super::inst::Job;
use crate::error::Error;
use crate::writer::{Scalar, Val};
use glasm_ir::{Op, Type};
use spirv::Op as Spv;

impl Emit<'_> {
    /// One of the set-on operations.
    pub(super) fn comparison(&mut self, job: Job<'_>) -> Result<Val, Error> {
        let [a, b] = self.two(job)?;
        let truth = if job.inst.ty.is_float() {
            Scalar::BoolFloat
        } else {
            Scalar::BoolInt
        };
        Ok(self.compare(compare_op(job.inst.op, job.inst.ty), truth, a, b))
    }
}

/// The SPIR-V comparison of an operation and type. Only "not equal" holds for NaN.
fn compare_op(op: Op, ty: Type) -> Spv {
    let by_type = |float: Spv, signed: Spv, unsigned: Spv| {
        if ty.is_float() {
            float
        } else if ty.is_signed_int() {
            signed
        } else {
            unsigned
        }
    };
    match op {
        Op::SetNe => by_type(Spv::FUnordNotEqual, Spv::INotEqual, Spv::INotEqual),
        Op::SetLt => by_type(Spv::FOrdLessThan, Spv::SLessThan, Spv::ULessThan),
        Op::SetLe => by_type(Spv::FOrdLessThanEqual, Spv::SLessThanEqual, Spv::ULessThanEqual),
        Op::SetGt => by_type(Spv::FOrdGreaterThan, Spv::SGreaterThan, Spv::UGreaterThan),
        Op::SetGe => by_type(
            Spv::FOrdGreaterThanEqual,
            Spv::SGreaterThanEqual,
            Spv::UGreaterThanEqual,
        ),
        // Only comparisons come here.
        _ => by_type(Spv::FOrdEqual, Spv::IEqual, Spv::IEqual),
    }
}
