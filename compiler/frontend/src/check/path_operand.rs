//! Binding paths as operands and results: each becomes a variable that no declaration has.

use super::brackets::Bound;
use super::declare::io_binding;
use super::{Checker, Implicit, IoBinding, VarKind};
use crate::ast::{Path, Suffix};
use crate::codes::Code;
use crate::syntax::Letters;
use glasm_ir::{ParamSource, Span, WriteMask};

impl Checker<'_> {
    /// The unnamed variable and the suffix of a path.
    pub(super) fn path_operand(&mut self, path: u32) -> Option<(u32, Suffix)> {
        let Path { span, name, .. } = self.ast.paths[path as usize];
        let Some(name) = name else {
            return self.new_path_operand(path, span);
        };
        // Programs repeat binding paths: the same text stands for the same variable everywhere.
        let known = self.symbols[name.index()].operand;
        if known.is_some() {
            return known;
        }
        let found = self.new_path_operand(path, span);
        // Nothing is kept of a path with an error, which is reported each time.
        self.symbols[name.index()].operand = found;
        found
    }

    pub(super) fn new_path_operand(&mut self, path: u32, span: Span) -> Option<(u32, Suffix)> {
        let resolved = self.resolve(path)?;
        // A range names several variables, of which an instruction takes one.
        if resolved.range {
            let (code, message) = self.range_problem(&resolved.bound, span);
            self.error(code, span, message);
            return None;
        }
        let suffix = match resolved.rest {
            None => Suffix::NONE,
            Some(rest) => match self.letters().suffix(self.text_at(rest)) {
                Ok(suffix) => suffix,
                Err(code) => return self.fail_not_letters(code, rest),
            },
        };
        let var = match resolved.relative {
            Some(relative) => self.relative_binding(&resolved.bound, relative, span)?,
            // The span without the suffix is that of the binding, which a message about the variable points at.
            None => self.implicit_var(resolved.bound, resolved.span)?,
        };
        Some((var, suffix))
    }

    pub(super) fn letters(&self) -> Letters {
        Letters::of(self.ast.dialect)
    }

    /// The mask that the letters behind a result are.
    pub(super) fn written_letters(&self, span: Span) -> Result<WriteMask, Code> {
        self.letters().mask(self.text_at(span))
    }

    /// Reports that what follows a binding selects no components.
    #[cold]
    pub(super) fn fail_not_letters<T>(&mut self, code: Code, span: Span) -> Option<T> {
        self.report_not_letters(code, span);
        None
    }

    /// Reports that what follows a binding selects no components.
    pub(super) fn report_not_letters(&mut self, code: Code, span: Span) {
        if code == Code::UnexpectedToken {
            self.unknown(span);
        } else {
            self.error(code, span, code.title());
        }
    }

    pub(super) fn range_problem(&self, bound: &Bound, span: Span) -> (Code, &'static str) {
        match bound {
            Bound::Buffer(range) => range.space.info().direct_use,
            // A matrix without a row is a range of four, though no range is written.
            Bound::Params(params)
                if params.is_matrix() && !self.source_text(span).contains(".row") =>
            {
                (
                    Code::MatrixNeedsRow,
                    "select a row of the matrix with .row[n]",
                )
            }
            Bound::Params(_)
            | Bound::Attrib(..)
            | Bound::Result(..)
            | Bound::Texture { .. }
            | Bound::Image { .. }
            | Bound::Subroutines { .. }
            | Bound::Shared(_) => (
                Code::RangeAsOperand,
                "a range is allowed in array declarations only",
            ),
        }
    }

    #[inline]
    fn implicit_result(&mut self, binding: IoBinding, span: Span) -> u32 {
        // The key is the semantic, not the path: `result.color` and `result.color.primary` are one variable.
        let key = Implicit::Result(binding.semantic);
        self.implicit(key, span, |checker| {
            let first = checker.program.results.len() as u32;
            checker.program.results.push(binding);
            VarKind::Result { first }
        })
    }

    #[inline]
    fn implicit_param(&mut self, source: ParamSource, span: Span) -> u32 {
        self.implicit(Implicit::Param(source), span, |checker| {
            let first = checker.program.params.len() as u32;
            checker.program.params.push(source);
            VarKind::Param { first }
        })
    }

    /// The unnamed variable of what a path names.
    pub(super) fn implicit_var(&mut self, bound: Bound, span: Span) -> Option<u32> {
        let (code, message) = match bound {
            Bound::Attrib(row, number, _, holder) => {
                return self.implicit_attrib((row, number, holder), span);
            }
            Bound::Result(row, number, _) => {
                return Some(self.implicit_result(io_binding(row, number), span));
            }
            Bound::Params(params) => return Some(self.implicit_param(params.source(), span)),
            Bound::Texture { first: unit, .. } => {
                let kind = VarKind::Texture { unit };
                return Some(self.implicit(Implicit::Texture(unit), span, |_| kind));
            }
            Bound::Image { first: unit, .. } => {
                let kind = VarKind::Image { unit };
                return Some(self.implicit(Implicit::Image(unit), span, |_| kind));
            }
            Bound::Buffer(range) => range.space.info().direct_use,
            Bound::Subroutines { .. } => (
                Code::OperandNotVariable,
                "subroutine parameters need a SUBROUTINE variable",
            ),
            Bound::Shared(_) => (Code::MemoryOperand, "shared memory needs a SHARED variable"),
        };
        self.error(code, span, message);
        None
    }
}
