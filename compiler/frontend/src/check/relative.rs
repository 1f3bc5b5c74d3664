//! Bindings whose number is computed at run time: `vertex.attrib[A.x + 1]`. NV_vertex_program3 sections 2.14.3.1 and 2.14.3.4,
//! NV_fragment_program2 section 3.11.3.1.

use super::brackets::{Bound, Failed, fail, needs_constant};
use super::declare::io_binding;
use super::{Checker, Var, VarKind};
use crate::ast::Base;
use crate::codes::Code;
use crate::lang::bindings::BindingInfo;
use glasm_ir::Span;

impl Checker<'_> {
    /// First number and count of everything that a run-time index can select.
    pub(super) fn relative_numbers(
        &self,
        row: &BindingInfo,
        span: Span,
    ) -> Result<(u32, u32, bool), Failed> {
        let Some(needs) = self.facts.relative_bindings else {
            return needs_constant(span);
        };
        if !self.has_option(needs) {
            let text = self.source_text(span);
            let message = format!("`{text}` needs OPTION {}", needs.option());
            return fail(span, Code::ResultOption, message);
        }
        // No range, though there are several: the index selects one of them.
        Ok((0, row.number.limit(), false))
    }

    /// The unnamed variable of a binding with run-time index.
    pub(super) fn relative_binding(
        &mut self,
        bound: &Bound,
        relative: u32,
        span: Span,
    ) -> Option<u32> {
        let (kind, count) = self.relative_row(bound)?;
        self.address_index(relative);
        let var = Var {
            // All bindings of the row are its elements, of which the index, which belongs to the binding, selects one.
            array: Some(count),
            relative: true,
            element: Some(relative),
            ..Var::unnamed(kind, span)
        };
        Some(self.declare(None, var))
    }

    /// All bindings of a row, which share one array.
    pub(super) fn relative_row(&mut self, bound: &Bound) -> Option<(VarKind, u32)> {
        let (&Bound::Attrib(row, first, count, _) | &Bound::Result(row, first, count)) = bound
        else {
            return None;
        };
        // Indices into the same row select from the same bindings, so one array serves them all.
        if let Some(&kind) = self.relative_rows.get(row.path) {
            return Some((kind, count));
        }
        let bindings = (first..first + count).map(|number| io_binding(row, number));
        let kind = if matches!(bound, Bound::Attrib(..)) {
            self.program.attribs.extend(bindings);
            VarKind::Attrib {
                first: self.program.attribs.len() as u32 - count,
            }
        } else {
            self.program.results.extend(bindings);
            VarKind::Result {
                first: self.program.results.len() as u32 - count,
            }
        };
        self.relative_rows.insert(row.path, kind);
        Some((kind, count))
    }

    /// Checks that an index of an array that a program declares is not A0. NV_fragment_program2 section 3.11.2.
    pub(super) fn check_no_loop_index(&mut self, relative: u32) {
        let info = self.ast.relatives[relative as usize];
        if let Base::Var(var) = info.base
            && self.program.loop_index == Some(var)
        {
            let message = "A0 is an index of fragment.texcoord only";
            self.error(Code::IndexVariable, info.span, message);
        }
    }

    /// Checks a use of a binding whose number is in A0. NV_fragment_program2 section 3.11.3.Y.
    #[cold]
    pub(super) fn check_loop_index_use(&mut self, relative: u32, span: Span) {
        let Base::Var(var) = self.ast.relatives[relative as usize].base else {
            return;
        };
        // "A fragment program that accesses A0.x outside a LOOP/ENDLOOP block will fail to load."
        if self.program.loop_index == Some(var) && self.open_loops == 0 {
            let message = "A0 has a value inside LOOP blocks only";
            self.error(Code::IndexVariable, span, message);
        }
    }
}
