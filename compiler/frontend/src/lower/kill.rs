//! Fragments that are discarded.

use super::{InstCx, Lowerer};
use glasm_ir::inst::Aux;
use glasm_ir::types::{Base as TypeBase, Type, Width};
use glasm_ir::{Cond, CondTest, Dst, Guard, Op, Span, Swizzle, WriteMask};

/// Lowers KIL: with a condition, or if any component of a vector is negative. NV_fragment_program4
/// section 2.X.8.Z.
pub(super) fn kill(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let ty = cx.types.ty;
    let cond = match cx.line.source_count {
        0 => l.resources.make_any_condition(cx.line.cond),
        // An unsigned component is never negative, so no fragment is discarded.
        _ if ty.base() == TypeBase::Unsigned => return,
        _ => any_negative(l, cx, ty),
    };
    add_discard(l, cond, cx.line.span);
}

/// Discards the fragment where a condition holds.
pub(super) fn add_discard(l: &mut Lowerer<'_>, cond: Cond, span: Span) {
    l.resources.builder.open_block();
    // The invocation continues without effect instead of ending: lookups of its neighbors take
    // derivatives from it.
    l.inst(Op::Demote, Type::U32, None, Aux::None, &[]);
    let then = l.resources.builder.close_block();
    l.resources.builder.branch(cond, then, None, span);
}

/// Returns the test of the operand. It has a separate condition-code register: KIL leaves those of
/// the program unchanged.
fn any_negative(l: &mut Lowerer<'_>, cx: &InstCx<'_>, ty: Type) -> Cond {
    let source = l.value(cx, 0, ty);
    let cc = match l.resources.tables.kill_code {
        Some(cc) => cc,
        None => l.resources.add_condition_code(),
    };
    l.resources.tables.kill_code = Some(cc);
    let unused = l.hidden(Width::W32);
    let dst = Dst {
        cc: Some(cc),
        ..Dst::new(unused, WriteMask::XYZW)
    };
    l.inst(Op::Mov, ty, Some(dst), Aux::None, &[source]);
    Cond::Any(Guard {
        cc,
        test: CondTest::Lt,
        swizzle: Swizzle::XYZW,
    })
}
