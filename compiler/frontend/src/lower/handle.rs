//! Textures or images that an access can reach: those of units, or by a handle all that are
//! resident. NV_bindless_texture, changes to section 2.X.4.4.

use super::formula::Formulas;
use super::{InstCx, Lowerer};
use crate::ast::{Extra, Index as AstIndex};
use crate::check::VarKind;
use crate::lang::targets::{TARGETS, TargetInfo};
use crate::line::{Source, TextureSource};
use glasm_ir::types::{Type, Width};
use glasm_ir::{Base, IndexTerm, Op, Units, WriteMask};

/// Purpose of an access: reading or writing texels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    Texels,
    Query,
}

/// Returns the texture or image part of an instruction, and its target.
pub(super) fn part<'c>(
    l: &Lowerer<'c>,
    cx: &InstCx<'_>,
) -> (&'c TextureSource, &'static TargetInfo) {
    let number = match cx.line.extra {
        Extra::Texture(number) => number as usize,
        // Only instructions with such a part get here.
        Extra::None | Extra::Label(..) | Extra::ExtSwizzle(_) => 0,
    };
    let part = &l.resources.checked.lines.textures[number];
    (part, &TARGETS[part.target as usize])
}

/// Returns the units of a texture or image part.
pub(super) fn find_units(l: &Lowerer<'_>, part: &TextureSource, purpose: Purpose) -> Units {
    match (part.handle, purpose) {
        // Through a handle, the type of the texels is known for accesses, but not for queries.
        (Some(_), Purpose::Texels) => return Units::Handle,
        (Some(_), Purpose::Query) => return Units::QueriedHandle,
        (None, _) => {}
    }
    let Some((_, info)) = l.resources.checked.variable(part.texture.base) else {
        return Units::One(0);
    };
    let (VarKind::Texture { unit } | VarKind::Image { unit }) = info.kind else {
        return Units::One(0);
    };
    // Arrays without dynamic index are single units.
    match (info.array, part.texture.index) {
        (Some(_), AstIndex::Const(index)) if !info.relative => Units::One(unit + index),
        (array, _) => Units::new(unit, array.filter(|_| info.relative)),
    }
}

/// Returns the dynamic index of the unit that an access selects, or the low word of its handle.
pub(super) fn find_chosen_unit(
    l: &mut Lowerer<'_>,
    part: &TextureSource,
    units: Units,
) -> Option<IndexTerm> {
    match (units, &part.handle) {
        (Units::One(_), _) => None,
        (Units::Handle | Units::QueriedHandle, Some(handle)) => Some(load_low_word(l, handle)),
        (Units::Array { .. } | Units::Handle | Units::QueriedHandle, _) => {
            Some(l.make_index_term(part.texture.index))
        }
    }
}

/// Loads the low word of a handle. Handles of 32 bits are extended with zeros, so that they are all
/// low word.
fn load_low_word(l: &mut Lowerer<'_>, handle: &Source) -> IndexTerm {
    let word = l.load_operand(handle, Type::U32);
    let relative = match (word.base, word.index) {
        (Base::Register(register), None) => (register, word.swizzle.lane(0) as u8),
        // Inputs and parameters go through a register.
        _ => {
            let register = l.hidden(Width::W32);
            l.put(register, WriteMask::X, Op::Mov, Type::U32, &[word]);
            (register, 0)
        }
    };
    IndexTerm {
        relative: Some(relative),
        offset: 0,
    }
}
