//! Derivatives and interpolation at other places. NV_fragment_program4 and NV_gpu_program5 sections 2.X.8.Z,
//! ARB_derivative_control.

use super::{Job, Lowerer};
use crate::lang::modifiers::Mods;
use glasm_ir::Op;
use glasm_ir::types::Type;

/// The operation of a derivative, by its modifier: `[plain, fine, coarse]`.
fn variant(job: &Job<'_>, [plain, fine, coarse]: [Op; 3]) -> Op {
    let mods = job.line.modifiers.mods();
    if mods.contains(Mods::FINE) {
        fine
    } else if mods.contains(Mods::COARSE) {
        coarse
    } else {
        plain
    }
}

/// DDX.
pub(super) fn derivative_x(l: &mut Lowerer<'_>, job: &Job<'_>) {
    l.direct(job, variant(job, [Op::Ddx, Op::DdxFine, Op::DdxCoarse]));
}

/// DDY.
pub(super) fn derivative_y(l: &mut Lowerer<'_>, job: &Job<'_>) {
    l.direct(job, variant(job, [Op::Ddy, Op::DdyFine, Op::DdyCoarse]));
}

/// IPAS: the sample number is an integer.
pub(super) fn interpolate_at_sample(l: &mut Lowerer<'_>, job: &Job<'_>) {
    let attribute = l.value(job, 0, Type::F32);
    let sample = l.value(job, 1, Type::U32);
    l.finish(job, Op::InterpSample, Type::F32, &[attribute, sample]);
}
