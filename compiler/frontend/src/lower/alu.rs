//! Arithmetic that is one operation, or nearly so.

use super::operand::splat;
use super::{InstCx, Lowerer};
use crate::lang::modifiers::Mods;
use glasm_ir::Op;
use glasm_ir::types::{Base as TypeBase, Type};

/// ABS. The absolute value of an unsigned integer is itself.
pub(super) fn abs(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let ty = cx.types.ty;
    let mut source = l.value(cx, 0, ty);
    if ty.base() != TypeBase::Unsigned {
        source.abs = true;
        source.negate = false;
    }
    l.finish(cx, Op::Mov, ty, &[source]);
}

/// MUL, MUL.HI, MUL.S24, MUL.U24.
pub(super) fn mul(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let op = if cx.line.modifiers.mods().contains(Mods::HI) {
        Op::MulHi
    } else {
        Op::Mul
    };
    l.direct(cx, op);
}

/// BFE: lanes x and y of the first operand are count and offset. NV_gpu_program5 section 2.X.8.Z.
pub(super) fn bit_extract(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let ty = cx.types.ty;
    let field = l.value(cx, 0, ty);
    let value = l.value(cx, 1, ty);
    l.finish(
        cx,
        Op::BitExtract,
        ty,
        &[value, splat(field, 0), splat(field, 1)],
    );
}

/// BFI: the low bits of the second operand replace bits of the third.
pub(super) fn bit_insert(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let ty = cx.types.ty;
    let field = l.value(cx, 0, ty);
    let bits = l.value(cx, 1, ty);
    let value = l.value(cx, 2, ty);
    l.finish(
        cx,
        Op::BitInsert,
        ty,
        &[value, bits, splat(field, 0), splat(field, 1)],
    );
}

/// SFL.
pub(super) fn set_false(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let zero = l.bits(0);
    l.finish_mov(cx, zero);
}

/// STR: 1.0, or all ones for integers.
pub(super) fn set_true(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let bits = match cx.types.ty {
        Type::F32 => u64::from(1f32.to_bits()),
        Type::F64 => 1f64.to_bits(),
        Type::U64 | Type::S64 => u64::MAX,
        Type::U8 | Type::S8 | Type::U16 | Type::S16 | Type::F16 | Type::U32 | Type::S32 => {
            u64::from(u32::MAX)
        }
    };
    let ones = l.bits(bits);
    l.finish_mov(cx, ones);
}
