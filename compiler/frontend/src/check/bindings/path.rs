//! Binding paths as operands and results: each becomes an unnamed variable.

use crate::ast::{Base, Path, Relative, Suffix};
use crate::check::bindings::brackets::{
    Bound, Failed, fail, needs_constant, report_unknown_binding,
};
use crate::check::context::RuleCx;
use crate::check::names::declare::io_binding;
use crate::check::names::resolver::Resolver;
use crate::codes::Code;
use crate::lang::arb::limits;
use crate::lang::bindings::BindingInfo;
use crate::lang::lenient::Rule;
use crate::lang::register::Registers;
use crate::vars::{Implicit, IoBinding, Var, VarKind};
use glasm_ir::{ParamSource, Span, WriteMask};

impl Resolver<'_, '_> {
    /// Returns the unnamed variable and the suffix of a path.
    pub(crate) fn resolve_path(&mut self, path: u32) -> Option<(u32, Suffix)> {
        let Path { span, name, .. } = self.cx.ast.paths[path as usize];
        let Some(name) = name else {
            return self.bind_path(path, span);
        };
        // Programs repeat binding paths: the same path denotes the same variable everywhere.
        let known = self.symbols.entries[name.index()].operand;
        if known.is_some() {
            return known;
        }
        let found = self.bind_path(path, span);
        // A path with an error is not cached, so that it is reported each time.
        self.symbols.entries[name.index()].operand = found;
        found
    }

    pub(crate) fn bind_path(&mut self, path: u32, span: Span) -> Option<(u32, Suffix)> {
        let resolved = self.resolve(path)?;
        // A range names several variables, but an instruction takes one.
        if resolved.range {
            let (code, message) = describe_range_problem(&self.cx, &resolved.bound, span);
            self.cx.error(code, span, message);
            return None;
        }
        let suffix = match resolved.rest {
            None => Suffix::NONE,
            Some(rest) => match self.cx.get_letters().suffix(self.cx.text_at(rest)) {
                Ok(suffix) => suffix,
                Err(code) => return fail_not_letters(&mut self.cx, code, rest),
            },
        };
        let var = match resolved.relative {
            Some(relative) => self.bind_relative_path(&resolved.bound, relative, span)?,
            // The span without the suffix is that of the binding, to which messages about the
            // variable point.
            None => self.get_implicit_var(resolved.bound, resolved.span)?,
        };
        Some((var, suffix))
    }

    #[inline]
    fn get_implicit_result(&mut self, binding: IoBinding, span: Span) -> u32 {
        // The key is the semantic, not the path: `result.color` and `result.color.primary` are one
        // variable.
        let key = Implicit::Result(binding.semantic);
        self.get_implicit(key, span, |checker| {
            let first = checker.program.results.len() as u32;
            checker.program.results.push(binding);
            VarKind::Result { first }
        })
    }

    #[inline]
    fn get_implicit_param(&mut self, source: ParamSource, span: Span) -> u32 {
        self.get_implicit(Implicit::Param(source), span, |checker| {
            let first = checker.program.params.len() as u32;
            checker.program.params.push(source);
            VarKind::Param { first }
        })
    }

    /// Returns the unnamed variable of the target of a path.
    pub(crate) fn get_implicit_var(&mut self, bound: Bound, span: Span) -> Option<u32> {
        let (code, message) = match bound {
            Bound::Attrib(row, number, _, holder) => {
                return self.get_implicit_attrib((row, number, holder), span);
            }
            Bound::Result(row, number, _) => {
                return Some(self.get_implicit_result(io_binding(row, number), span));
            }
            Bound::Params(params) => return Some(self.get_implicit_param(params.source(), span)),
            Bound::Texture { first: unit, .. } => {
                let kind = VarKind::Texture { unit };
                return Some(self.get_implicit(Implicit::Texture(unit), span, |_| kind));
            }
            Bound::Image { first: unit, .. } => {
                let kind = VarKind::Image { unit };
                return Some(self.get_implicit(Implicit::Image(unit), span, |_| kind));
            }
            Bound::Buffer(range) => range.space.info().direct_use,
            Bound::Subroutines { .. } => (
                Code::OperandNotVariable,
                "subroutine parameters need a SUBROUTINE variable",
            ),
            Bound::Shared(_) => (Code::MemoryOperand, "shared memory needs a SHARED variable"),
        };
        self.cx.error(code, span, message);
        None
    }
}

/// Parses the write mask after a result.
pub(crate) fn read_letters(cx: &RuleCx<'_>, span: Span) -> Result<WriteMask, Code> {
    cx.get_letters().mask(cx.text_at(span))
}

/// Reports that the suffix of a binding selects no components.
#[cold]
pub(crate) fn fail_not_letters<T>(cx: &mut RuleCx<'_>, code: Code, span: Span) -> Option<T> {
    report_not_letters(cx, code, span);
    None
}

/// Reports that the suffix of a binding selects no components.
pub(crate) fn report_not_letters(cx: &mut RuleCx<'_>, code: Code, span: Span) {
    if code == Code::UnexpectedToken {
        report_unknown_binding(cx, span);
    } else {
        cx.error(code, span, code.title());
    }
}

pub(crate) fn describe_range_problem(
    cx: &RuleCx<'_>,
    bound: &Bound,
    span: Span,
) -> (Code, &'static str) {
    match bound {
        Bound::Buffer(range) => range.space.info().direct_use,
        // A matrix without `row` is a range of four, though no range is written.
        Bound::Params(params) if params.is_matrix() && !cx.source_text(span).contains(".row") => (
            Code::MatrixNeedsRow,
            "select a row of the matrix with .row[n]",
        ),
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

impl Resolver<'_, '_> {
    /// Returns the unnamed variable of a binding with dynamic index.
    pub(crate) fn bind_relative_path(
        &mut self,
        bound: &Bound,
        relative: u32,
        span: Span,
    ) -> Option<u32> {
        let (kind, count) = self.bind_relative_row(bound)?;
        self.check_address_index(relative);
        let var = Var {
            // All bindings of the entry are its elements; the index, which belongs to the binding,
            // selects one.
            array: Some(count),
            relative: true,
            element: Some(relative),
            ..Var::unnamed(kind, span)
        };
        Some(self.declare(None, var))
    }

    /// Binds all numbers of a table entry, which share one array.
    pub(crate) fn bind_relative_row(&mut self, bound: &Bound) -> Option<(VarKind, u32)> {
        let (&Bound::Attrib(row, first, count, _) | &Bound::Result(row, first, count)) = bound
        else {
            return None;
        };
        // Indices into the same entry select from the same bindings, so one array serves them all.
        if let Some(&kind) = self.symbols.relative_rows.get(row.path) {
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
        self.symbols.relative_rows.insert(row.path, kind);
        Some((kind, count))
    }

    /// Checks that an index of an array that the program declares is not A0. NV_fragment_program2
    /// section 3.11.2.
    pub(crate) fn check_no_loop_index(&mut self, relative: u32) {
        let info = self.cx.ast.relatives[relative as usize];
        if let Base::Var(var) = info.base
            && self.program.loop_index == Some(var)
        {
            let message = "A0 is an index of fragment.texcoord only";
            self.cx.error(Code::IndexVariable, info.span, message);
        }
    }

    /// Checks a use of a binding whose number is in A0. NV_fragment_program2 section 3.11.3.Y.
    #[cold]
    pub(crate) fn check_loop_index_use(&mut self, relative: u32, span: Span) {
        let Base::Var(var) = self.cx.ast.relatives[relative as usize].base else {
            return;
        };
        // "A fragment program that accesses A0.x outside a LOOP/ENDLOOP block will fail to load."
        if self.program.loop_index == Some(var) && self.symbols.open_loops == 0 {
            let message = "A0 has a value inside LOOP blocks only";
            self.cx.error(Code::IndexVariable, span, message);
        }
    }

    /// Checks a dynamic index: a component of an address register, plus a number.
    pub(crate) fn check_address_index(&mut self, relative: u32) {
        let info = self.cx.ast.relatives[relative as usize];
        match self.cx.facts.registers {
            Some(registers) => check_register_offset(&mut self.cx, registers, info),
            None => check_address_offset(&mut self.cx, info.offset, info.span),
        }
        // Otherwise it is a variable already.
        let Base::Name(name) = info.base else { return };
        let Some(var) = self.find_var(name, info.span) else {
            return;
        };
        let kind = self.program.vars[var as usize].kind;
        if kind == VarKind::Poisoned {
            return;
        }
        let is_loop_index = self.program.loop_index == Some(var);
        let offsets = limits::LOOP_INDEX_OFFSETS;
        if is_loop_index && !offsets.contains(&info.offset) {
            let (offset, most) = (info.offset, offsets.end());
            let message = format!("the offset {offset} is not in 0 to {most}");
            self.cx.error(Code::IndexOffset, info.span, message);
        }
        // ARB_vertex_program section 2.14.3.5 and NV_fragment_program2 section 3.11.3.Y: only x of
        // these registers is accessible.
        let has_x_only = self.cx.is_plain_arb() || is_loop_index;
        if kind != VarKind::Address || has_x_only && info.lane != 0 {
            let text = self.var_text(var);
            let message = if kind == VarKind::Address {
                format!("only component x of {text} can be an index")
            } else {
                format!("{text} cannot be an index; use an address register")
            };
            // In programs of registers only registers can be in such brackets, so the error is
            // about the register itself.
            let code = match self.cx.facts.registers {
                Some(_) => Code::AddressRegister,
                None => Code::IndexVariable,
            };
            return self.cx.error(code, info.span, message);
        }
        self.cx.ast.relatives[relative as usize].base = Base::Var(var);
    }
}

/// Reads the first number and the count of everything that a dynamic index can select.
pub(crate) fn read_relative_numbers(
    cx: &RuleCx<'_>,
    row: &BindingInfo,
    span: Span,
) -> Result<(u32, u32, bool), Failed> {
    let Some(needs) = cx.facts.relative_bindings else {
        return needs_constant(span);
    };
    if !cx.has_option(needs) {
        let text = cx.source_text(span);
        let message = format!("`{text}` needs OPTION {}", needs.option());
        return fail(span, Code::ResultOption, message);
    }
    // Not a range, though there are several: the index selects one of them.
    Ok((0, row.number.limit(), false))
}

/// Checks the offset that programs of registers add to an address register. NV_vertex_program
/// section 2.14.1.7, NV_vertex_program2 section 2.14.1.7.
fn check_register_offset(cx: &mut RuleCx<'_>, registers: &Registers, info: Relative) {
    let (low, high) = registers.offsets;
    if info.offset < low || info.offset > high {
        let offset = info.offset;
        let message = format!("the offset {offset} is not in {low} to {high}");
        cx.error(Code::IndexOffset, info.span, message);
    }
}

/// Checks the offset that plain programs add to an address register. ARB_vertex_program section
/// 2.14.2.
fn check_address_offset(cx: &mut RuleCx<'_>, offset: i64, span: Span) {
    let offsets = limits::ADDRESS_OFFSETS;
    if cx.is_plain_arb() && !offsets.contains(&offset) {
        let (low, high) = (offsets.start(), offsets.end());
        let message = format!("the offset {offset} is not in {low} to {high}");
        cx.lenient(Rule::LargeOffset, span, message);
    }
}
