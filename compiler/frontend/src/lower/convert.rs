//! Rounding and conversion.

use super::{InstCx, Lowerer};
use crate::lang::modifiers::{Mods, register_type};
use crate::line::Value;
use crate::rules::VarSize;
use glasm_ir::inst::{Aux, Rounding};
use glasm_ir::types::{Base as TypeBase, Type, Width};
use glasm_ir::{Op, Src};

/// CEIL, FLR, ROUND, TRUNC: the operand is always a float; with an integer type the rounded value is converted, clamped to the range of
/// the type.
pub(super) fn round(l: &mut Lowerer<'_>, cx: &InstCx<'_>, op: Op, rounding: Rounding) {
    let ty = cx.types.ty;
    let float = Type::of(TypeBase::Float, ty.width());
    let source = l.value(cx, 0, float);
    if ty.is_float() {
        l.finish(cx, op, ty, &[source]);
    } else {
        l.finish_with(
            cx,
            Op::Cvt,
            ty,
            Aux::Cvt {
                from: float,
                rounding,
                // Converting an out-of-range float is undefined in SPIR-V, so values are limited to the range of the integer.
                saturate: true,
            },
            &[source],
        );
    }
}

/// I2F.
pub(super) fn int_to_float(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let source = l.value(cx, 0, cx.types.ty);
    l.finish_with(cx, Op::Cvt, cx.result, nearest(cx.types.ty), &[source]);
}

/// CVT. NV_gpu_program5 section 2.X.8.Z.
pub(super) fn convert(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let (to, from) = (cx.types.ty, cx.types.from);
    let mods = cx.line.modifiers.mods();
    let rounding = if mods.contains(Mods::CEIL) {
        Rounding::Ceil
    } else if mods.contains(Mods::FLR) {
        Rounding::Floor
    } else if mods.contains(Mods::TRUNC) {
        Rounding::Trunc
    } else {
        Rounding::Even
    };
    // Half floats and narrow integers stand in the low bits: a LONG operand loses its upper half before it is read.
    let read = if from.width() < Width::W32 {
        narrow_bits(l, cx)
    } else {
        register_type(from)
    };
    let source = l.value(cx, 0, read);
    let aux = Aux::Cvt {
        from,
        rounding,
        saturate: mods.contains(Mods::SAT) && to.is_int(),
    };
    l.finish_with(cx, Op::Cvt, to, aux, &[source]);
}

/// The type as which the register of a narrow operand is read.
fn narrow_bits(l: &Lowerer<'_>, cx: &InstCx<'_>) -> Type {
    let operand = l.checked.lines.source(cx.line, 0);
    let long = l
        .checked
        .variable(operand.base)
        .is_some_and(|(_, var)| var.size == VarSize::Long);
    match (operand.base, long) {
        // A literal has the value that its digits say in the base type.
        (Value::Scalar(_) | Value::Vector { .. }, _) => register_type(cx.types.from),
        (_, true) => Type::U32,
        (_, false) => register_type(cx.types.from),
    }
}

/// A conversion from `from` to the nearest value.
pub(super) const fn nearest(from: Type) -> Aux {
    Aux::Cvt {
        from,
        rounding: Rounding::Even,
        saturate: false,
    }
}

/// The bits of a source, converted from `from` to `to` in a hidden register.
pub(super) fn cvt(l: &mut Lowerer<'_>, source: Src, from: Type, to: Type) -> Src {
    l.converted(source, from, to)
}
