//! Values of other threads. NV_shader_thread_shuffle section 2.X.8.Z.

use super::{InstCx, Lowerer};
use glasm_ir::Op;
use glasm_ir::types::Type;

/// SHFDOWN, SHFIDX, SHFUP, SHFXOR: the value has the type of the instruction, number and range are integers.
pub(super) fn shuffle(l: &mut Lowerer<'_>, cx: &InstCx<'_>, op: Op) {
    let ty = cx.types.ty;
    let value = l.value(cx, 0, ty);
    let (index, range) = (l.value(cx, 1, Type::U32), l.value(cx, 2, Type::U32));
    l.finish(cx, op, ty, &[value, index, range]);
}
