//! Creation of variables: new names, unnamed variables of bindings, sizes of arrays, slots of
//! vertex attributes.

use crate::ast::{Decl, Size, VarMods};
use crate::check::context::RuleCx;
use crate::check::names::resolver::Resolver;
use crate::check::names::symbols::Named;
use crate::codes::Code;
use crate::diag::line_of;
use crate::lang::bindings::{BindingInfo, Traits};
use crate::names::NameId;
use crate::source::Version;
use crate::vars::{Holder, Implicit, IoBinding, Var, VarKind, VarSize};
use glasm_ir::types::Base;
use glasm_ir::{Semantic, Span};

impl Resolver<'_, '_> {
    /// Adds a variable under a new name.
    pub(crate) fn declare(&mut self, name: Option<(NameId, Span)>, var: Var) -> u32 {
        // The language declares A0 itself, so that a declaration of it is a redeclaration.
        if let Some((name, _)) = name.filter(|(name, _)| self.is_loop_index(*name)) {
            self.declare_loop_index(name);
        }
        let number = self.program.vars.len() as u32;
        self.program.vars.push(var);
        if let Some((name, span)) = name {
            // The first declaration is retained: operands before and after the second one denote
            // the same variable.
            if let Named::Var(other) = self.symbols.entries[name.index()].named {
                let text = self.cx.name_text(name);
                let first = self.program.vars[other as usize].span;
                let line = line_of(self.cx.ast.text, first.start);
                let notes = vec![format!("the first declaration is in line {line}")];
                self.cx.error_with(
                    Code::DuplicateName,
                    span,
                    format!("`{text}` is declared already"),
                    notes,
                );
            } else {
                self.symbols.entries[name.index()].named = Named::Var(number);
            }
        }
        number
    }

    /// Returns the unnamed variable of a binding used directly.
    pub(crate) fn get_implicit(
        &mut self,
        key: Implicit,
        span: Span,
        make: impl FnOnce(&mut Self) -> VarKind,
    ) -> u32 {
        if let Some(&var) = self.symbols.implicit.get(&key) {
            return var;
        }
        let kind = make(self);
        let var = Var::unnamed(kind, span);
        let number = self.declare(None, var);
        self.symbols.implicit.insert(key, number);
        number
    }

    /// Marks the slot of a vertex attribute as used. Conventional and numbered attributes of one
    /// slot exclude each other. NV_vertex_program4 section 2.X.3.2.
    pub(crate) fn use_slot(&mut self, row: &BindingInfo, semantic: Semantic, span: Span) {
        let Semantic::Attrib(slot) = semantic else {
            return;
        };
        // Each slot has two marks: bound by its conventional name, bound by its number.
        let number = usize::from(!row.is_conventional());
        // Attributes of ARB programs beyond the 16 slots, such as further weights, have no generic
        // number.
        let Some(pair) = self.symbols.slots.get_mut(slot as usize) else {
            return;
        };
        let first = !pair[number];
        pair[number] = true;
        // Reported once for each slot and way to bind it, however often the binding occurs in the
        // source.
        if first && pair[1 - number] {
            let message = format!(
                "vertex attribute {slot} is bound by its conventional name and by its number"
            );
            self.cx.error(Code::AliasPair, span, message);
        }
    }
}

pub(crate) fn make_var(cx: &RuleCx<'_>, decl: &Decl, kind: VarKind, array: Option<u32>) -> Var {
    // LONG has 64 bits since NV_gpu_program5 section 2.X.3.1; in NV_gpu_program4 it requests no
    // more than 32.
    let size = if decl.mods.contains(VarMods::SHORT) {
        VarSize::Short
    } else if decl.mods.contains(VarMods::LONG) && cx.version >= Version::V5_0 {
        VarSize::Long
    } else {
        VarSize::Normal
    };
    Var {
        name: decl.name.map(|(name, _)| name),
        base: base_of(decl.mods),
        size,
        array,
        ..Var::unnamed(kind, decl.span)
    }
}

/// Returns the number of elements of an array declaration, checked against its bindings;
/// `Some(None)` for single variables, `None` after an error.
pub(crate) fn check_array_size(
    cx: &mut RuleCx<'_>,
    size: Size,
    count: usize,
) -> Option<Option<u32>> {
    match size {
        Size::Single => Some(None),
        Size::Open => Some(Some(count as u32)),
        Size::Of(size, _) if size as usize == count => Some(Some(size)),
        Size::Of(size, span) => {
            let message = format!("the size is {size}, but there are {count} bindings");
            cx.error(Code::ArraySizeMismatch, span, message);
            None
        }
    }
}

/// Checks the array size of a view of a buffer: a whole buffer takes the declared size.
pub(crate) fn check_view_size(
    cx: &mut RuleCx<'_>,
    size: Size,
    bounded: bool,
    count: u32,
) -> Option<Option<u32>> {
    match size {
        // `program.buffer[a]` has as many elements as the array, if that has a size.
        // NV_gpu_program4 section 2.X.3.6.
        Size::Of(size, _) if !bounded && size > 0 => Some(Some(size)),
        Size::Of(..) | Size::Single | Size::Open => check_array_size(cx, size, count as usize),
    }
}

pub(crate) fn base_of(mods: VarMods) -> Option<Base> {
    // The parser refuses a second data type, so the order does not matter.
    if mods.contains(VarMods::INT) {
        Some(Base::Signed)
    } else if mods.contains(VarMods::UINT) {
        Some(Base::Unsigned)
    } else if mods.contains(VarMods::FLOAT) {
        Some(Base::Float)
    } else {
        None
    }
}

/// Returns an entry's attribute for a number.
pub(crate) fn attrib_binding(row: &BindingInfo, number: u32, holder: Holder) -> IoBinding {
    IoBinding {
        holder,
        ..io_binding(row, number)
    }
}

/// Returns an entry's binding for a number.
pub(crate) fn io_binding(row: &BindingInfo, number: u32) -> IoBinding {
    IoBinding {
        // Numbers were checked against the limit of the entry, which fits into a byte.
        semantic: (row.semantic)(number as u8),
        base: row.base,
        typeless: row.traits.contains(Traits::TYPELESS),
        holder: Holder::default(),
    }
}
