//! Arithmetic that is one operation, or nearly so.

use super::context::splat;
use super::formula::{Formulas, absolute};
use super::{InstCx, Lowerer};
use crate::lang::modifiers::Mods;
use glasm_ir::Op;
use glasm_ir::types::{Base as TypeBase, Type};

/// Lowers ABS. The absolute value of an unsigned integer is itself.
pub(super) fn abs(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let ty = cx.types.ty;
    let mut source = l.value(cx, 0, ty);
    if ty.base() != TypeBase::Unsigned {
        source = absolute(source);
    }
    l.finish(cx, Op::Mov, ty, &[source]);
}

/// Lowers MUL, MUL.HI, MUL.S24, MUL.U24.
pub(super) fn mul(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    // S24 and U24 promise operands of 24 bits; the result for others is undefined, so that a plain
    // product serves both. NV_gpu_program4 section 2.X.8.Z, MUL.
    let op = if cx.line.modifiers.mods().contains(Mods::HI) {
        Op::MulHi
    } else {
        Op::Mul
    };
    l.lower_direct_fast(cx, op);
}

/// Lowers BFE: lanes x and y of the first operand are count and offset. NV_gpu_program5 section
/// 2.X.8.Z.
pub(super) fn bit_extract(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let ty = cx.types.ty;
    let [field, value] = l.values(cx, [ty; 2]);
    let sources = [value, splat(field, 0), splat(field, 1)];
    l.finish(cx, Op::BitExtract, ty, &sources);
}

/// Lowers BFI: the low bits of the second operand replace bits of the third.
pub(super) fn bit_insert(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let ty = cx.types.ty;
    let [field, bits, value] = l.values(cx, [ty; 3]);
    let sources = [value, bits, splat(field, 0), splat(field, 1)];
    l.finish(cx, Op::BitInsert, ty, &sources);
}

/// Lowers SFL.
pub(super) fn set_false(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let zero = l.bits(0);
    l.finish_mov(cx, zero);
}

/// Lowers STR: 1.0, or all ones for integers.
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

/// Lowers DDX, DDY: one of three operations, by the modifier: `[plain, fine, coarse]`.
/// ARB_derivative_control.
pub(super) fn derivative(l: &mut Lowerer<'_>, cx: &InstCx<'_>, [plain, fine, coarse]: [Op; 3]) {
    let mods = cx.line.modifiers.mods();
    let op = match mods.intersection(Mods::ANY_DERIVATIVE) {
        Mods::FINE => fine,
        Mods::COARSE => coarse,
        _ => plain,
    };
    l.lower_direct_fast(cx, op);
}

/// Lowers IPAS: the sample number is an integer. NV_gpu_program5 section 2.X.8.Z.
pub(super) fn interpolate_at_sample(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let sources = l.values(cx, [Type::F32, Type::U32]);
    l.finish(cx, Op::InterpSample, Type::F32, &sources);
}

/// Lowers SHFDOWN, SHFIDX, SHFUP, SHFXOR: the value has the type of the instruction, number and
/// range are integers. NV_shader_thread_shuffle section 2.X.8.Z.
pub(super) fn shuffle(l: &mut Lowerer<'_>, cx: &InstCx<'_>, op: Op) {
    let ty = cx.types.ty;
    let sources = l.values(cx, [ty, Type::U32, Type::U32]);
    l.finish(cx, op, ty, &sources);
}
