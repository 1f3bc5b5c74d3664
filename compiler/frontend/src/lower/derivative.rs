//! Derivatives and interpolation at other places. NV_fragment_program4 and NV_gpu_program5 sections 2.X.8.Z,
//! ARB_derivative_control.

use super::{InstCx, Lowerer};
use crate::lang::modifiers::Mods;
use glasm_ir::Op;
use glasm_ir::types::Type;

/// The operation of a derivative, by its modifier: `[plain, fine, coarse]`.
fn variant(cx: &InstCx<'_>, [plain, fine, coarse]: [Op; 3]) -> Op {
    let mods = cx.line.modifiers.mods();
    if mods.contains(Mods::FINE) {
        fine
    } else if mods.contains(Mods::COARSE) {
        coarse
    } else {
        plain
    }
}

/// DDX.
pub(super) fn derivative_x(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    l.direct(cx, variant(cx, [Op::Ddx, Op::DdxFine, Op::DdxCoarse]));
}

/// DDY.
pub(super) fn derivative_y(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    l.direct(cx, variant(cx, [Op::Ddy, Op::DdyFine, Op::DdyCoarse]));
}

/// IPAS: the sample number is an integer.
pub(super) fn interpolate_at_sample(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let attribute = l.value(cx, 0, Type::F32);
    let sample = l.value(cx, 1, Type::U32);
    l.finish(cx, Op::InterpSample, Type::F32, &[attribute, sample]);
}
