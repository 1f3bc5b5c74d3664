//! SPARSE: residency of the texels that an access reads. EXT_sparse_texture2 sections 2.X.3.7 and
//! 2.X.4.1.

use super::{InstCx, Lowerer};
use crate::lang::conditions::SPARSE_REGISTER;
use crate::lang::modifiers::Mods;
use glasm_ir::inst::Aux;
use glasm_ir::types::{Type, Width};
use glasm_ir::{Dst, Op, Src, WriteMask};

/// Updates the sparse condition code before the access itself, which may overwrite its own
/// operands. Mask and condition of the result do not matter to the code.
///
/// A result whose condition tests the sparse condition code tests the old one: then the code is
/// updated by [`update_after`], which takes the return value.
pub(super) fn update(l: &mut Lowerer<'_>, cx: &InstCx<'_>, aux: Aux, sources: &[Src]) -> Late {
    update_with(l, cx, |_| aux, sources)
}

/// Updates like [`update`] with access data that are built only if they are needed.
pub(super) fn update_with(
    l: &mut Lowerer<'_>,
    cx: &InstCx<'_>,
    aux: impl FnOnce(&mut Lowerer<'_>) -> Aux,
    sources: &[Src],
) -> Late {
    if !cx.line.modifiers.mods().contains(Mods::SPARSE) {
        return Late(None);
    }
    let guard = cx.line.dst.and_then(|dst| dst.guard);
    let tests_old = guard.is_some_and(|guard| guard.test.register == SPARSE_REGISTER);
    // The value itself is read only by `update_after`; an instruction needs some destination.
    let register = l.hidden(Width::W32);
    let mut dst = Dst::new(register, WriteMask::X);
    if !tests_old {
        dst.cc = Some(l.resources.get_condition_code(SPARSE_REGISTER));
    }
    let aux = aux(l);
    l.inst(Op::Resident, Type::S32, Some(dst), aux, sources);
    Late(tests_old.then(|| Src::register(register)))
}

/// Operations that remain to be appended after the access.
#[must_use]
pub(super) struct Late(Option<Src>);

/// Updates the sparse condition code after the access, if that was not possible before.
pub(super) fn update_after(l: &mut Lowerer<'_>, late: Late) {
    let Late(Some(resident)) = late else { return };
    let dst = Dst {
        cc: Some(l.resources.get_condition_code(SPARSE_REGISTER)),
        ..Dst::new(l.hidden(Width::W32), WriteMask::X)
    };
    l.inst(Op::Mov, Type::S32, Some(dst), Aux::None, &[resident]);
}
