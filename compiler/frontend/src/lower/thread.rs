//! Values of other threads. NV_shader_thread_shuffle section 2.X.8.Z.

use super::{Job, Lowerer};
use glasm_ir::Op;
use glasm_ir::types::Type;

/// SHFDOWN, SHFIDX, SHFUP, SHFXOR: the value has the type of the instruction, number and range are integers.
pub(super) fn shuffle(l: &mut Lowerer<'_>, job: &Job<'_>, op: Op) {
    let ty = job.types.ty;
    let value = l.value(job, 0, ty);
    let (index, range) = (l.value(job, 1, Type::U32), l.value(job, 2, Type::U32));
    l.finish(job, op, ty, &[value, index, range]);
}
