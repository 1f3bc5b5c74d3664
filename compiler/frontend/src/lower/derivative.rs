//! Derivatives. NV_fragment_program4 section 2.X.8.Z.

use super::{Job, Lowerer};
use glasm_ir::Op;

/// DDX.
pub(crate) fn ddx(l: &mut Lowerer<'_>, job: &Job<'_>) {
    l.direct(job, Op::Ddx);
}

/// DDY.
pub(crate) fn ddy(l: &mut Lowerer<'_>, job: &Job<'_>) {
    l.direct(job, Op::Ddy);
}
