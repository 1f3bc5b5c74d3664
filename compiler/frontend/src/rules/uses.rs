//! What instructions can do with each variable without breaking a rule, so that most operands need no look at the rules.

use crate::statement::Index;
use crate::vars::{Var, VarKind};
use glasm_ir::types::Base as TypeBase;

/// What instructions can do with a variable without breaking a rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Uses {
    /// Number of elements; 0 of what is no array.
    pub(super) elements: u32,
    /// As what it is read.
    pub(super) read: Bases,
    /// As what it is written.
    pub(super) written: Bases,
    /// What it counts among the registers of which an instruction reads one, in fragment programs of registers.
    pub(super) count: u8,
    /// Whether it is a number, which has no components.
    pub(super) is_number: bool,
}

/// What attributes count, of which there are three at most in an instruction.
pub(super) const ATTRIBUTE: u8 = 1;
/// What parameters and constants count.
pub(super) const PARAMETER: u8 = 4;
/// What a register counts of which more must be found out.
pub(super) const UNKNOWN: u8 = 16;

bitflags::bitflags! {
    /// Base types.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(super) struct Bases: u8 {
        const FLOAT = 1 << TypeBase::Float as u8;
        const SIGNED = 1 << TypeBase::Signed as u8;
        const UNSIGNED = 1 << TypeBase::Unsigned as u8;
    }
}

impl Bases {
    #[inline]
    pub(super) fn has(self, base: TypeBase) -> bool {
        self.bits() >> base as u8 & 1 != 0
    }
}

impl Uses {
    /// Variables with rules of their own have no usual use. `elements` is how many constant indices an array has.
    pub(super) fn of(var: &Var, elements: Option<u32>) -> Self {
        let bases = match (var.base, var.element, elements) {
            // An index of its own, or an array that every index has to be looked at for.
            (_, Some(_), _) | (_, _, Some(0)) => Bases::empty(),
            (None, None, _) => Bases::all(),
            (Some(TypeBase::Float), None, _) => Bases::FLOAT,
            (Some(TypeBase::Signed), None, _) => Bases::SIGNED,
            (Some(TypeBase::Unsigned), None, _) => Bases::UNSIGNED,
        };
        let only_if = |can: bool| if can { bases } else { Bases::empty() };
        Self {
            // What is no array takes no index, which `takes` sees by 0; such an array has no uses, so that the two are not mixed up.
            elements: elements.unwrap_or(0),
            read: only_if(var.kind.is_value()),
            written: only_if(matches!(var.kind, VarKind::Temp | VarKind::Result { .. })),
            count: if matches!(var.kind, VarKind::Attrib { .. }) {
                ATTRIBUTE
            } else if matches!(var.kind, VarKind::Param { .. }) {
                PARAMETER
            } else {
                0
            },
            is_number: var.is_number,
        }
    }

    /// Whether an index is within bounds, or there is none where none belongs.
    #[inline(always)]
    pub(super) fn takes(self, index: Index) -> bool {
        match index {
            // Where vertices select, 0 elements may also stand for an array; then `read` and `written` are empty.
            Index::None => self.elements == 0,
            Index::Const(number) => number < self.elements,
            Index::Relative(_) | Index::Pair(_) => false,
        }
    }
}
