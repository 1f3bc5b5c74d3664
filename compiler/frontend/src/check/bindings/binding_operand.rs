//! Binding paths as operands and results: each becomes an unnamed variable.

use crate::ast::{BindingPath, DynamicIndex, OperandBase, Suffix};
use crate::check::bindings::binding_target::{
    BindingTarget, BoxedPathError, err_needs_constant_index, err_path, report_unknown_binding,
};
use crate::check::context::RuleCx;
use crate::check::names::{Resolver, make_io_binding};
use crate::codes::{Code, LenientRule};
use crate::lang::arb;
use crate::lang::bindings::BindingInfo;
use crate::lang::register::Registers;
use crate::variables::{ImplicitKey, IoBinding, Var, VarKind};
use glasm_ir::{ParamSource, Span, WriteMask};

impl Resolver<'_, '_> {
    /// Returns the unnamed variable of a binding that is used as an operand, which the first use
    /// creates, with the suffix after it. Caches both by the name of the path. Returns `None` after
    /// reporting an error, which is reported at each use.
    pub(crate) fn resolve_operand_path(&mut self, path: u32) -> Option<(u32, Suffix)> {
        let BindingPath { span, name, .. } = self.cx.ast.paths[path as usize];
        let Some(name) = name else {
            return self.bind_operand_path(path, span);
        };
        // Programs repeat binding paths: the same path denotes the same variable everywhere.
        let previous = self.symbols.names[name.index()].cached_operand;
        if previous.is_some() {
            return previous;
        }
        let resolved = self.bind_operand_path(path, span);
        // A path with an error is not cached, so that it is reported each time.
        self.symbols.names[name.index()].cached_operand = resolved;
        resolved
    }

    /// Returns the variable and the suffix of a binding path that an instruction reads, creating an
    /// unnamed variable where needed. Returns `None` after reporting an error, such as a range.
    pub(crate) fn bind_operand_path(&mut self, path: u32, span: Span) -> Option<(u32, Suffix)> {
        let resolved = self.resolve_binding_path(path)?;
        // A range names several variables, but an instruction takes one.
        if resolved.is_range {
            let (code, message) = describe_range_error(&self.cx, &resolved.target, span);
            self.cx.report_error(code, span, message);
            return None;
        }
        let suffix = match resolved.suffix_span {
            None => Suffix::NONE,
            Some(rest) => match self
                .cx
                .swizzle_syntax()
                .parse_suffix(self.cx.source_bytes(rest))
            {
                Ok(suffix) => suffix,
                Err(code) => return fail_bad_suffix(&mut self.cx, code, rest),
            },
        };
        let var = match resolved.relative_index {
            Some(relative) => self.bind_relative_path(&resolved.target, relative, span)?,
            // The span without the suffix is that of the binding, to which messages about the
            // variable point.
            None => self.get_or_create_binding_var(resolved.target, resolved.span)?,
        };
        Some((var, suffix))
    }

    /// Returns the unnamed variable of a result binding, which is created with the binding at its
    /// first use. Paths with one semantic have one variable.
    fn get_or_create_result_var(&mut self, binding: IoBinding, span: Span) -> u32 {
        // The key is the semantic, not the path: `result.color` and `result.color.primary` are one
        // variable.
        let key = ImplicitKey::Result(binding.semantic);
        self.get_or_create_implicit(key, span, |checker| {
            let first = checker.program.results.len() as u32;
            checker.program.results.push(binding);
            VarKind::Result { first }
        })
    }

    /// Returns the unnamed variable of a parameter, which is created with the parameter at its
    /// first use.
    fn get_or_create_param_var(&mut self, source: ParamSource, span: Span) -> u32 {
        self.get_or_create_implicit(ImplicitKey::Param(source), span, |checker| {
            let first = checker.program.params.len() as u32;
            checker.program.params.push(source);
            VarKind::Param { first }
        })
    }

    /// Returns the unnamed variable of a resolved binding, which is created at its first use.
    /// Returns `None` after reporting a binding that only variables can access, such as a buffer.
    pub(crate) fn get_or_create_binding_var(
        &mut self,
        bound: BindingTarget,
        span: Span,
    ) -> Option<u32> {
        let (code, message) = match bound {
            BindingTarget::Attrib(row, number, _, holder) => {
                return self.get_or_create_attrib_var((row, number, holder), span);
            }
            BindingTarget::Result(row, number, _) => {
                return Some(self.get_or_create_result_var(make_io_binding(row, number), span));
            }
            BindingTarget::Params(params) => {
                return Some(self.get_or_create_param_var(params.first_source(), span));
            }
            BindingTarget::Texture { first: unit, .. } => {
                let kind = VarKind::Texture { unit };
                return Some(
                    self.get_or_create_implicit(ImplicitKey::Texture(unit), span, |_| kind),
                );
            }
            BindingTarget::Image { first: unit, .. } => {
                let kind = VarKind::Image { unit };
                return Some(self.get_or_create_implicit(ImplicitKey::Image(unit), span, |_| kind));
            }
            BindingTarget::Buffer(range) => range.space.buffer_info().direct_use,
            BindingTarget::Subroutines { .. } => (
                Code::OperandNotVariable,
                "subroutine parameters need a SUBROUTINE variable",
            ),
            BindingTarget::Shared(_) => {
                (Code::MemoryOperand, "shared memory needs a SHARED variable")
            }
        };
        self.cx.report_error(code, span, message);
        None
    }
}

/// Parses the write mask after a result.
pub(crate) fn parse_result_mask(cx: &RuleCx<'_>, span: Span) -> Result<WriteMask, Code> {
    cx.swizzle_syntax().parse_mask(cx.source_bytes(span))
}

/// Reports, with this code, that the suffix of a binding selects no components, and returns `None`
/// for the caller to return.
pub(crate) fn fail_bad_suffix<T>(cx: &mut RuleCx<'_>, code: Code, span: Span) -> Option<T> {
    report_bad_suffix(cx, code, span);
    None
}

/// Reports that the suffix of a binding selects no components. A suffix with the code of an
/// unexpected token is reported as an unknown binding, others with their code.
pub(crate) fn report_bad_suffix(cx: &mut RuleCx<'_>, code: Code, span: Span) {
    if code == Code::UnexpectedToken {
        report_unknown_binding(cx, span);
    } else {
        cx.report_error(code, span, code.title());
    }
}

/// Returns code and message of the error for a binding that names several items where an
/// instruction takes one: the error of its buffer, a hint to select a row of a matrix, or the
/// general one.
pub(crate) fn describe_range_error(
    cx: &RuleCx<'_>,
    bound: &BindingTarget,
    span: Span,
) -> (Code, &'static str) {
    match bound {
        BindingTarget::Buffer(range) => range.space.buffer_info().direct_use,
        // A matrix without `row` is a range of four, though no range is written.
        BindingTarget::Params(params)
            if params.is_matrix() && !cx.source_string(span).contains(".row") =>
        {
            (
                Code::MatrixNeedsRow,
                "select a row of the matrix with .row[n]",
            )
        }
        BindingTarget::Params(_)
        | BindingTarget::Attrib(..)
        | BindingTarget::Result(..)
        | BindingTarget::Texture { .. }
        | BindingTarget::Image { .. }
        | BindingTarget::Subroutines { .. }
        | BindingTarget::Shared(_) => (
            Code::RangeAsOperand,
            "a range is allowed in array declarations only",
        ),
    }
}

impl Resolver<'_, '_> {
    /// Adds an unnamed variable for a use of a binding with dynamic index `relative`, an array of
    /// all elements of the binding, and returns it. Checks the index and reports its errors;
    /// returns `None` for bindings that are neither attributes nor results.
    pub(crate) fn bind_relative_path(
        &mut self,
        bound: &BindingTarget,
        relative: u32,
        span: Span,
    ) -> Option<u32> {
        let (kind, count) = self.bind_all_indices(bound)?;
        self.check_address_index(relative);
        let var = Var {
            // All bindings of the entry are its elements; the index, which belongs to the binding,
            // selects one.
            array_size: Some(count),
            has_relative_access: true,
            relative_element: Some(relative),
            ..Var::unnamed(kind, span)
        };
        Some(self.declare_variable(None, var))
    }

    /// Returns the kind and the number of elements of an array of all numbers of an attribute or
    /// result; the first call adds the bindings to the program, later ones share them. `None` for
    /// other bindings.
    pub(crate) fn bind_all_indices(&mut self, bound: &BindingTarget) -> Option<(VarKind, u32)> {
        let (&BindingTarget::Attrib(row, first, count, _)
        | &BindingTarget::Result(row, first, count)) = bound
        else {
            return None;
        };
        // Indices into the same entry select from the same bindings, so one array serves them all.
        if let Some(&kind) = self.symbols.relative_arrays.get(row.path) {
            return Some((kind, count));
        }
        let bindings = (first..first + count).map(|number| make_io_binding(row, number));
        let kind = if matches!(bound, BindingTarget::Attrib(..)) {
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
        self.symbols.relative_arrays.insert(row.path, kind);
        Some((kind, count))
    }

    /// Reports A0 as the index of an array that the program declares. NV_fragment_program2 section
    /// 3.11.2.
    pub(crate) fn check_no_loop_index(&mut self, relative: u32) {
        let info = self.cx.ast.relative_indices[relative as usize];
        if let OperandBase::Var(var) = info.base
            && self.program.loop_index == Some(var)
        {
            let message = "A0 is an index of fragment.texcoord only";
            self.cx
                .report_error(Code::IndexVariable, info.span, message);
        }
    }

    /// Reports a use, outside of LOOP blocks, of a binding whose number is in A0. The index must be
    /// resolved; other variables pass. NV_fragment_program2 section 3.11.3.Y.
    #[cold]
    pub(crate) fn check_loop_index_use(&mut self, relative: u32, span: Span) {
        let OperandBase::Var(var) = self.cx.ast.relative_indices[relative as usize].base else {
            return;
        };
        // "A fragment program that accesses A0.x outside a LOOP/ENDLOOP block will fail to load."
        if self.program.loop_index == Some(var) && self.symbols.open_loops == 0 {
            let message = "A0 has a value inside LOOP blocks only";
            self.cx.report_error(Code::IndexVariable, span, message);
        }
    }

    /// Checks a dynamic index, a component of an address register plus a number, and resolves its
    /// name to a variable. Reports an offset out of range, an undeclared name, and other variables
    /// or components, which remain unresolved.
    pub(crate) fn check_address_index(&mut self, relative: u32) {
        let info = self.cx.ast.relative_indices[relative as usize];
        match self.cx.traits.registers {
            Some(registers) => check_register_offset(&mut self.cx, registers, info),
            None => check_address_offset(&mut self.cx, info.offset, info.span),
        }
        // Otherwise it is a variable already.
        let OperandBase::Name(name) = info.base else {
            return;
        };
        let Some(var) = self.resolve_name(name, info.span) else {
            return;
        };
        let kind = self.program.vars[var as usize].kind;
        if kind == VarKind::Poisoned {
            return;
        }
        let is_loop_index = self.program.loop_index == Some(var);
        let offsets = arb::LOOP_INDEX_OFFSETS;
        if is_loop_index && !offsets.contains(&info.offset) {
            let (offset, max_offset) = (info.offset, offsets.end());
            let message = format!("the offset {offset} is not in 0 to {max_offset}");
            self.cx.report_error(Code::IndexOffset, info.span, message);
        }
        // ARB_vertex_program section 2.14.3.5 and NV_fragment_program2 section 3.11.3.Y: only x of
        // these registers is accessible.
        let has_x_only = self.cx.is_plain_arb() || is_loop_index;
        if kind != VarKind::Address || has_x_only && info.lane != 0 {
            let text = self.display_var(var);
            let message = if kind == VarKind::Address {
                format!("only component x of {text} can be an index")
            } else {
                format!("{text} cannot be an index; use an address register")
            };
            // In programs of registers only registers can be in such brackets, so the error is
            // about the register itself.
            let code = match self.cx.traits.registers {
                Some(_) => Code::AddressRegister,
                None => Code::IndexVariable,
            };
            return self.cx.report_error(code, info.span, message);
        }
        self.cx.ast.relative_indices[relative as usize].base = OperandBase::Var(var);
    }
}

/// Returns the first number and the count of everything that a dynamic index can select, and that
/// it is not a range. Fails in languages without such indices and without the option that adds
/// them.
pub(crate) fn read_relative_range(
    cx: &RuleCx<'_>,
    row: &BindingInfo,
    span: Span,
) -> Result<(u32, u32, bool), BoxedPathError> {
    let Some(needs) = cx.traits.relative_bindings else {
        return err_needs_constant_index(span);
    };
    if !cx.has_option(needs) {
        let text = cx.source_string(span);
        let message = format!("`{text}` needs OPTION {}", needs.first_option());
        return err_path(span, Code::ResultOption, message);
    }
    // Not a range, though there are several: the index selects one of them.
    Ok((0, row.number.limit(), false))
}

/// Reports an offset that programs with numbered registers add to an address register and that is
/// out of the range of the language. NV_vertex_program section 2.14.1.7, NV_vertex_program2 section
/// 2.14.1.7.
fn check_register_offset(cx: &mut RuleCx<'_>, registers: &Registers, info: DynamicIndex) {
    let (low, high) = registers.address_offsets;
    if info.offset < low || info.offset > high {
        let offset = info.offset;
        let message = format!("the offset {offset} is not in {low} to {high}");
        cx.report_error(Code::IndexOffset, info.span, message);
    }
}

/// Reports, by a lenient rule, an offset to an address register that is out of range in ARB
/// programs without options. ARB_vertex_program section 2.14.2.
fn check_address_offset(cx: &mut RuleCx<'_>, offset: i64, span: Span) {
    let offsets = arb::ADDRESS_OFFSETS;
    if cx.is_plain_arb() && !offsets.contains(&offset) {
        let (low, high) = (offsets.start(), offsets.end());
        let message = format!("the offset {offset} is not in {low} to {high}");
        cx.report_lenient(LenientRule::LargeOffset, span, message);
    }
}
