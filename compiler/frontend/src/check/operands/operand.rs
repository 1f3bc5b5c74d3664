//! Operands and results: their bases, indices, suffixes and types. NV_gpu_program4 section 2.X.4.2.
//!
//! [`find_variable_fast`](OperandRules::find_variable_fast) saves 204 of 930 retired instructions
//! that checking a MAD would take without it, 7 % of the front end on straight code.

use crate::ast::{Base, Dst, Index, Operand, Signs, SuffixKind};
use crate::check::bindings::brackets::Bound;
use crate::check::bindings::path::fail_not_letters;
use crate::check::context::RuleCx;
use crate::check::names::symbols::Named;
use crate::check::operands::context::{OperandRules, Shape};
use crate::check::operands::index::check_address_operand;
use crate::check::registers::rules::find_read_span;
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::lang::modifiers::base_name;
use crate::lang::options::Features;
use crate::names::NameId;
use crate::vars::VarKind;
use glasm_ir::types::{Base as TypeBase, Type};
use glasm_ir::{Semantic, Span, WriteMask};

impl OperandRules<'_, '_> {
    /// Checks an operand as a value of type `ty`; a name or a path becomes a variable.
    #[inline(always)]
    pub(crate) fn check_value(
        &mut self,
        operand: &mut Operand,
        shape: Shape,
        ty: Type,
        untyped: bool,
    ) {
        match self.find_variable_fast(operand, shape, ty) {
            Some(var) => operand.base = Base::Var(var),
            None => self.check_any_value(operand, shape, ty, untyped),
        }
    }

    /// Returns the variable of an operand, if a fast check finds no broken rule: one that is read
    /// as a whole or by a constant index within bounds, and whose declared type is that of the
    /// instruction.
    #[inline(always)]
    fn find_variable_fast(&self, operand: &Operand, shape: Shape, ty: Type) -> Option<u32> {
        let Base::Name(name) = operand.base else {
            return None;
        };
        let Named::Var(var) = self.resolver.symbols.entries[name.index()].named else {
            return None;
        };
        let info = &self.resolver.program.vars[var as usize];
        let has_shape = match shape {
            Shape::Vector => true,
            Shape::Scalar => matches!(operand.suffix.kind(), SuffixKind::One(_)),
            Shape::Plain | Shape::Memory(_) | Shape::AddressRegister => false,
        };
        let has_index = match (info.array, operand.index) {
            (None, Index::None) => true,
            (Some(count), Index::Const(index)) => index < count && info.element.is_none(),
            (_, Index::None | Index::Const(_) | Index::Relative(_) | Index::Pair(_)) => false,
        };
        let is_value = info.kind.is_value() && !info.by_vertex;
        let has_type = info.base.is_none_or(|base| base == ty.base());
        (has_shape && has_index && is_value && has_type).then_some(var)
    }

    #[inline(never)]
    fn check_any_value(&mut self, operand: &mut Operand, shape: Shape, ty: Type, untyped: bool) {
        if let Shape::Memory(kind) = shape {
            return self.check_memory_operand(operand, kind);
        }
        let var = match operand.base {
            Base::Name(name) => match self.resolver.symbols.entries[name.index()].named {
                Named::Var(var) => Some(var),
                Named::Nothing | Named::SubroutineType | Named::Poisoned => {
                    // A parameter such as `p[3]` is one variable, so its number is not an index.
                    let local =
                        self.resolver
                            .find_numbered_local(name, operand.index, operand.span);
                    if local.is_some() {
                        operand.index = Index::None;
                    }
                    local.or_else(|| self.resolver.find_var(name, operand.span))
                }
            },
            Base::Var(var) => Some(var),
            Base::Path(path) => self.resolver.resolve_path(path).map(|(var, suffix)| {
                operand.suffix = suffix;
                var
            }),
            Base::Scalar(_) | Base::Vector { .. } => {
                return self.check_literal(*operand, shape, ty);
            }
        };
        if let Some(var) = var {
            operand.base = Base::Var(var);
            self.check_variable(operand, var, shape, ty, untyped);
        }
    }

    fn check_variable(
        &mut self,
        operand: &Operand,
        var: u32,
        shape: Shape,
        ty: Type,
        untyped: bool,
    ) {
        let info = &self.resolver.program.vars[var as usize];
        let declared = info.base;
        let is_element = matches!(info.kind, VarKind::Buffer(view) if view.layout.is_value());
        let readable = info.kind.is_value() || is_element;
        // Before the test for values: an address register is not a value.
        if shape == Shape::AddressRegister {
            return check_address_operand(
                &mut self.resolver.cx,
                self.resolver.program,
                operand,
                var,
            );
        }
        // Elements of BUFFER variables are values, but not as a whole: their index is checked below
        // as of any array.
        if !readable && !self.can_read_result(var, operand.span) {
            return self.report_not_readable(var, operand.span);
        }
        // Variables without declared type take any. NV_gpu_program4 section 2.X.4.
        let mismatch = declared.is_some_and(|base| base != ty.base()) && !untyped;
        self.check_index(var, operand.index, operand.span);
        // A vector takes every suffix and every sign.
        if shape != Shape::Vector {
            self.check_suffix(operand, shape);
        }
        if mismatch {
            self.report_type_mismatch(var, ty.base(), operand.span);
        }
    }

    /// Checks suffix and signs against the shape of the operand.
    fn check_suffix(&mut self, operand: &Operand, shape: Shape) {
        match (shape, operand.suffix.kind()) {
            (Shape::Vector | Shape::Memory(_), _) | (Shape::Scalar, SuffixKind::One(_)) => {}
            (Shape::Plain, SuffixKind::None) if operand.signs == Signs::empty() => {}
            // NV_fragment_program section 3.11.2: a name that DEFINE assigns to a number is a
            // scalar.
            (Shape::Scalar, SuffixKind::None) if self.resolver.program.is_number(operand.base) => {}
            (Shape::Scalar, _) => {
                let message = "a scalar operand needs one component, such as `.x`";
                let span = self.resolver.cx.value_span(operand.span);
                self.resolver.cx.error(Code::ScalarSuffix, span, message);
            }
            // `check_address_operand` has its rules.
            (Shape::AddressRegister, _) => {}
            (Shape::Plain, _) => {
                let message = "this operand has no suffix, sign or absolute value";
                self.resolver
                    .cx
                    .error(Code::SwzOperand, operand.span, message);
            }
        }
    }

    /// Returns a result as operand, in the languages that NVIDIA's compiler writes such operands
    /// in: those with types, and NV_fragment_program2.
    #[cold]
    fn can_read_result(&mut self, var: u32, span: Span) -> bool {
        // Languages without such an option have the empty set here, which every program contains.
        let known = self.resolver.cx.facts.registers.is_none()
            && self
                .resolver
                .cx
                .has_option(self.resolver.cx.facts.readable_results);
        let is_result = matches!(
            self.resolver.program.vars[var as usize].kind,
            VarKind::Result { .. }
        );
        if !is_result || !known {
            return false;
        }
        let message = format!(
            "{} is a result, which can only be written",
            self.resolver.var_text(var)
        );
        self.resolver.cx.lenient(Rule::ReadResult, span, message);
        true
    }

    #[cold]
    fn report_not_readable(&mut self, var: u32, span: Span) {
        let text = self.resolver.var_text(var);
        let span = find_read_span(&self.resolver.cx, self.resolver.program, var, span);
        let (code, what) = match self.resolver.program.vars[var as usize].kind {
            VarKind::Address => (
                Code::AddressRegister,
                "is an address register, which only indices read",
            ),
            VarKind::Result { .. } => (Code::ReadResult, "is a result, which can only be written"),
            VarKind::Codes => (
                Code::ReadResult,
                "keeps condition codes only and can only be written",
            ),
            VarKind::Texture { .. } => (Code::OperandNotVariable, "is a texture"),
            VarKind::Image { .. } => (Code::OperandNotVariable, "is an image"),
            VarKind::Subroutine { .. } => {
                (Code::OperandNotVariable, "is a subroutine, for CALI only")
            }
            VarKind::Shared { .. } => (
                Code::MemoryOperand,
                "is shared memory, for LDS, STS and ATOMS only",
            ),
            VarKind::Buffer(view) => (Code::MemoryOperand, view.layout.space().only_for),
            VarKind::Poisoned
            | VarKind::Temp
            | VarKind::Attrib { .. }
            | VarKind::Param { .. }
            | VarKind::WritableParam
            | VarKind::Argument => return,
        };
        self.resolver.cx.error(code, span, format!("{text} {what}"));
    }

    #[cold]
    fn report_type_mismatch(&mut self, var: u32, used: TypeBase, span: Span) {
        let (text, declared) = (
            self.resolver.var_text(var),
            self.resolver.program.vars[var as usize].base,
        );
        let name = |base| match base {
            TypeBase::Float => "FLOAT",
            TypeBase::Signed => "INT",
            TypeBase::Unsigned => "UINT",
        };
        let declared = declared.map_or("", name);
        let message = format!("{text} is declared {declared}, but used as {}", name(used));
        let hint = format!(
            "modifier `.{}` uses it as declared, `.NTC` switches the check off",
            declared_letter(declared)
        );
        self.resolver
            .cx
            .error_with(Code::TypeMismatch, span, message, vec![hint]);
    }

    /// Checks a constant as operand.
    fn check_literal(&mut self, operand: Operand, shape: Shape, ty: Type) {
        let (first, count) = match operand.base {
            Base::Scalar(literal) => (literal, 1),
            Base::Vector { first, count } => (first, u32::from(count)),
            Base::Name(_) | Base::Path(_) | Base::Var(_) => return,
        };
        // Plain ARB programs select a component even of a single number. Elsewhere
        // `<scalarOperand>` takes a number without a component.
        let bare = matches!(operand.base, Base::Scalar(_))
            && (!self.resolver.cx.is_plain_arb()
                || check_bare_number(&mut self.resolver.cx, &operand, shape));
        if shape == Shape::AddressRegister {
            let message = "an address register is expected";
            self.resolver
                .cx
                .error(Code::AddressRegister, operand.span, message);
        } else if !bare || shape == Shape::Plain {
            self.check_suffix(&operand, shape);
        }
        for literal in first..first + count {
            let mut literal = self.resolver.cx.ast.literals[literal as usize];
            // NV_gpu_program4 section 2.X.2: the sign before a lone number is the operand's, and
            // "for unsigned integer operands, the negate operand performs a two's complement
            // operation" (2.X.4.2). In braces it is the number's.
            if matches!(operand.base, Base::Scalar(_)) {
                literal.negative = false;
            }
            // Decimal fractions are always valid floats; their value is parsed when it is needed.
            if !ty.is_float() {
                // Only for its messages: the value is computed again when the operand is lowered.
                self.resolver.cx.read_literal(literal, ty);
            }
        }
    }

    /// Checks the result of an instruction and resolves it to a variable.
    #[inline]
    pub(crate) fn check_result(&mut self, dst: &mut Dst, ty: Type, untyped: bool) {
        let var = match dst.base {
            Base::Name(name) => match self.find_result_var(name, dst) {
                Some(var) => var,
                None => return,
            },
            Base::Path(path) => match self.resolve_result_path(path, dst) {
                Some(var) => var,
                None => return,
            },
            Base::Var(var) => var,
            Base::Scalar(_) | Base::Vector { .. } => return,
        };
        dst.base = Base::Var(var);
        let info = &mut self.resolver.program.vars[var as usize];
        // Attributes, parameters and units are read-only: NV_gpu_program4 sections 2.X.3.2, 2.X.3.3
        // and 2.X.3.6.
        let writable = matches!(
            info.kind,
            VarKind::Temp | VarKind::Codes | VarKind::Result { .. }
        );
        if info.kind == VarKind::WritableParam {
            return self.check_written_parameter(dst, var);
        }
        if !writable {
            return self.report_not_writable(var, dst.span);
        }
        let mismatch = info.base.is_some_and(|base| base != ty.base()) && !untyped;
        // Sizes are declared: a binding that is written directly has none.
        // Registers of results have fixed sizes.
        let declared = info.name.is_some()
            && matches!(info.kind, VarKind::Result { .. })
            && self.resolver.cx.facts.registers.is_none();
        if declared && self.resolver.cx.features.contains(Features::NV_FRAGMENT) {
            self.check_result_size(var, dst.span);
        }
        self.check_index(var, dst.index, dst.span);
        if mismatch {
            self.report_type_mismatch(var, ty.base(), dst.span);
        }
    }

    /// Returns the variable of a result.
    #[inline]
    fn find_result_var(&mut self, name: NameId, dst: &Dst) -> Option<u32> {
        let span = dst.span;
        match self.resolver.symbols.entries[name.index()].named {
            Named::Var(var) => Some(var),
            Named::Nothing if self.resolver.cx.is_codes_target(name) => {
                Some(self.resolver.make_codes_target(span))
            }
            Named::Nothing | Named::Poisoned | Named::SubroutineType => self
                .resolver
                .find_numbered_local(name, dst.index, span)
                .or_else(|| self.resolver.find_var(name, span)),
        }
    }

    /// Returns a result binding used directly.
    fn resolve_result_path(&mut self, path: u32, dst: &mut Dst) -> Option<u32> {
        let Some(name) = self.resolver.cx.ast.paths[path as usize].name else {
            return self.bind_result_path(path, dst);
        };
        // The same path was a result before: its write mask is in the path, so that the mask is
        // known, too.
        if let Some((var, mask)) = self.resolver.symbols.entries[name.index()].result {
            dst.mask = mask;
            return Some(var);
        }
        let var = self.bind_result_path(path, dst)?;
        self.resolver.symbols.entries[name.index()].result = Some((var, dst.mask));
        Some(var)
    }

    fn bind_result_path(&mut self, path: u32, dst: &mut Dst) -> Option<u32> {
        let resolved = self.resolver.resolve(path)?;
        // The parser cannot determine the end of a binding, so the mask after it is read here.
        if let Some(rest) = resolved.rest {
            match self
                .resolver
                .cx
                .get_letters()
                .mask(self.resolver.cx.text_at(rest))
            {
                Ok(mask) => dst.mask = mask,
                Err(code) => return fail_not_letters(&mut self.resolver.cx, code, rest),
            }
        }
        if resolved.range {
            let message = "a range is allowed in array declarations only";
            self.resolver
                .cx
                .error(Code::RangeAsOperand, dst.span, message);
            return None;
        }
        if !matches!(resolved.bound, Bound::Result(..)) {
            let message = "this binding can only be read";
            self.resolver
                .cx
                .error(Code::WriteReadOnly, dst.span, message);
            return None;
        }
        match resolved.relative {
            Some(relative) => self
                .resolver
                .bind_relative_path(&resolved.bound, relative, dst.span),
            None => self.resolver.get_implicit_var(resolved.bound, dst.span),
        }
    }

    #[cold]
    fn report_not_writable(&mut self, var: u32, span: Span) {
        let what = match self.resolver.program.vars[var as usize].kind {
            VarKind::Address => {
                let message = "address registers are written by ARL and its like only";
                return self.resolver.cx.error(Code::AddressRegister, span, message);
            }
            VarKind::Attrib { .. } | VarKind::Argument => "an attribute",
            VarKind::Param { .. } => "a parameter",
            VarKind::Buffer(view) => view.layout.space().what,
            VarKind::Texture { .. } => "a texture",
            VarKind::Image { .. } => "an image",
            VarKind::Shared { .. } => "shared memory",
            VarKind::Subroutine { .. } => "a subroutine",
            VarKind::Temp
            | VarKind::Codes
            | VarKind::WritableParam
            | VarKind::Result { .. }
            | VarKind::Poisoned => return,
        };
        let span = self.resolver.cx.named_span(span);
        let text = self.resolver.var_text(var);
        let message = format!("{text} is {what}, which this instruction cannot write");
        self.resolver.cx.error(Code::WriteReadOnly, span, message);
    }

    /// Checks the result of ARL and similar instructions.
    pub(crate) fn check_address_result(&mut self, dst: &mut Dst) {
        let Base::Name(name) = dst.base else {
            let message = "this instruction writes address registers only";
            return self
                .resolver
                .cx
                .error(Code::AddressRegister, dst.span, message);
        };
        let Some(var) = self.resolver.find_var(name, dst.span) else {
            return;
        };
        dst.base = Base::Var(var);
        let kind = self.resolver.program.vars[var as usize].kind;
        if kind == VarKind::Poisoned {
            return;
        }
        if kind != VarKind::Address {
            let text = self.resolver.var_text(var);
            let message = format!("{text} is no address register");
            self.resolver
                .cx
                .error(Code::AddressRegister, dst.span, message);
        // `<ARL_instruction>` of ARB_vertex_program section 2.14.2 has the mask in its grammar:
        // `.x`, not even no mask.
        } else if self.resolver.cx.is_plain_arb() && dst.mask != WriteMask::X {
            let message = "address registers have the component x only, which must be written";
            self.resolver
                .cx
                .error(Code::AddressRegister, dst.span, message);
        }
        self.check_index(var, dst.index, dst.span);
    }

    /// Checks the size of a result that an instruction writes: variables bound to one result have
    /// one size. NV_fragment_program_option section 3.11.3.4.
    #[cold]
    pub(crate) fn check_result_size(&mut self, var: u32, span: Span) {
        let size = self.resolver.program.vars[var as usize].size;
        let semantics: Vec<Semantic> = self.resolver.program.attrib_semantics(var).collect();
        for semantic in semantics {
            // The type of the first write decides, regardless of the order of the declarations.
            let first = *self.state.result_sizes.entry(semantic).or_insert(size);
            if first != size {
                let message = "this result is written under another size, too";
                self.resolver.cx.error(Code::ResultSizes, span, message);
            }
        }
    }
}

/// Checks a number without component that is a scalar operand of a plain ARB program.
#[cold]
fn check_bare_number(cx: &mut RuleCx<'_>, operand: &Operand, shape: Shape) -> bool {
    let bare = shape == Shape::Scalar && operand.suffix.is_none();
    if bare {
        let message = "a number as scalar operand needs a component, such as `2.0.x`";
        cx.lenient(Rule::BareNumber, operand.span, message);
    }
    bare
}

fn declared_letter(declared: &str) -> &'static str {
    match declared {
        "INT" => base_name(TypeBase::Signed),
        "UINT" => base_name(TypeBase::Unsigned),
        _ => base_name(TypeBase::Float),
    }
}
