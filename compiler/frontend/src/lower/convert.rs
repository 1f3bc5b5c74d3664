//! Rounding and conversion.

use super::context::nearest;
use super::{InstCx, Lowerer};
use crate::lang::modifiers::{Mods, register_type};
use glasm_ir::Op;
use glasm_ir::inst::{Aux, Rounding};
use glasm_ir::types::{Base as TypeBase, Type, Width};

/// Lowers CEIL, FLR, ROUND, TRUNC: the operand is always a float; with an integer type the rounded
/// value is converted, clamped to the range of the type.
pub(super) fn round(l: &mut Lowerer<'_>, cx: &InstCx<'_>, op: Op, rounding: Rounding) {
    let ty = cx.types.ty;
    let float = Type::of(TypeBase::Float, ty.width());
    let source = l.value(cx, 0, float);
    if ty.is_float() {
        return l.finish(cx, op, ty, &[source]);
    }
    let aux = Aux::Cvt {
        from: float,
        rounding,
        // Converting an out-of-range float is undefined in SPIR-V, so values are limited to the
        // range of the integer.
        saturate: true,
    };
    l.finish_with(cx, Op::Cvt, ty, aux, &[source]);
}

/// Lowers I2F.
pub(super) fn int_to_float(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let source = l.value(cx, 0, cx.types.ty);
    l.finish_with(cx, Op::Cvt, cx.result, nearest(cx.types.ty), &[source]);
}

/// Lowers CVT. NV_gpu_program5 section 2.X.8.Z.
pub(super) fn convert(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let (to, from) = (cx.types.ty, cx.types.from);
    let mods = cx.line.modifiers.mods();
    let rounding = match mods.intersection(Mods::ANY_ROUNDING) {
        Mods::CEIL => Rounding::Ceil,
        Mods::FLR => Rounding::Floor,
        Mods::TRUNC => Rounding::Trunc,
        // ROUND, or none: NV_gpu_program5 section 2.X.8.Z rounds to the nearest, then to
        // the even integer, "if no rounding modifier is specified".
        _ => Rounding::Even,
    };
    // Half floats and narrow integers are in the low bits: a LONG operand loses its upper half
    // before it is read.
    let read = if from.width() < Width::W32 && is_long(l, cx) {
        Type::U32
    } else {
        register_type(from)
    };
    let source = l.value(cx, 0, read);
    let aux = Aux::Cvt {
        from,
        rounding,
        // Without SAT integers drop their upper bits. SAT of a float is the clamp of the result.
        saturate: mods.contains(Mods::SAT) && to.is_int(),
    };
    l.finish_with(cx, Op::Cvt, to, aux, &[source]);
}

/// Returns true if the operand is a LONG variable.
fn is_long(l: &Lowerer<'_>, cx: &InstCx<'_>) -> bool {
    let operand = l.resources.checked.lines.source(cx.line, 0);
    let variable = l.resources.checked.variable(operand.base);
    variable.is_some_and(|(_, var)| var.is_long())
}
