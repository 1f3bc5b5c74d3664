//! Operands and results: their bases, indices, suffixes and types. NV_gpu_program4 section 2.X.4.2.
//!
//! [`find_variable_fast`](OperandRules::find_variable_fast) saves 204 of 930 retired instructions
//! that checking a MAD would take without it, 7 % of the front end on straight code.

use crate::ast::{Dst, Index, Operand, OperandBase, Signs, SuffixKind};
use crate::check::bindings::binding_operand::fail_bad_suffix;
use crate::check::bindings::binding_target::BindingTarget;
use crate::check::context::RuleCx;
use crate::check::names::NameEntity;
use crate::check::operands::context::{OperandRules, OperandShape};
use crate::check::operands::index::check_address_operand;
use crate::check::registers::register_limits::find_read_span;
use crate::codes::{Code, LenientRule};
use crate::interner::NameId;
use crate::lang::modifiers::base_name;
use crate::lang::options::Features;
use crate::variables::VarKind;
use glasm_ir::types::{BaseType, Type};
use glasm_ir::{Semantic, Span, WriteMask};

impl OperandRules<'_, '_> {
    /// Checks an operand as a value of type `ty` and reports violations. A name or a path becomes a
    /// variable, unless it is undeclared or invalid. `untyped` disables the check of the declared
    /// type.
    #[inline(always)]
    pub(crate) fn check_value(
        &mut self,
        operand: &mut Operand,
        shape: OperandShape,
        ty: Type,
        untyped: bool,
    ) {
        match self.find_variable_fast(operand, shape, ty) {
            Some(var) => operand.base = OperandBase::Var(var),
            None => self.check_value_slow(operand, shape, ty, untyped),
        }
    }

    /// Returns the variable of an operand if this check finds no rule that it could break: a
    /// declared name that is read as a whole or by a constant index within bounds, and whose
    /// declared type, if any, is that of the instruction. `None` means that the slow path must
    /// check it; nothing is reported.
    #[inline(always)]
    fn find_variable_fast(&self, operand: &Operand, shape: OperandShape, ty: Type) -> Option<u32> {
        let OperandBase::Name(name) = operand.base else {
            return None;
        };
        let NameEntity::Var(var) = self.resolver.symbols.names[name.index()].entity else {
            return None;
        };
        let info = &self.resolver.program.vars[var as usize];
        let has_shape = match shape {
            OperandShape::Vector => true,
            OperandShape::Scalar => matches!(operand.suffix.kind(), SuffixKind::Component(_)),
            OperandShape::Plain | OperandShape::Memory(_) | OperandShape::AddressRegister => false,
        };
        let has_index = match (info.array_size, operand.index) {
            (None, Index::None) => true,
            (Some(count), Index::Const(index)) => index < count && info.relative_element.is_none(),
            (_, Index::None | Index::Const(_) | Index::Relative(_) | Index::Pair(_)) => false,
        };
        let is_value = info.kind.is_value() && !info.is_indexed_by_vertex;
        let has_type = info.base.is_none_or(|base| base == ty.base());
        (has_shape && has_index && is_value && has_type).then_some(var)
    }

    /// Resolves and checks an operand in all cases that the fast path does not handle: memory
    /// operands, undeclared names, binding paths, constants, and variables that may break a rule.
    /// The suffix of a path becomes that of the operand; the index of a numbered parameter is
    /// removed, because each is a variable. Errors are reported; the operand then may remain
    /// unresolved.
    #[inline(never)]
    fn check_value_slow(
        &mut self,
        operand: &mut Operand,
        shape: OperandShape,
        ty: Type,
        untyped: bool,
    ) {
        if let OperandShape::Memory(kind) = shape {
            return self.check_memory_operand(operand, kind);
        }
        let var = match operand.base {
            OperandBase::Name(name) => match self.resolver.symbols.names[name.index()].entity {
                NameEntity::Var(var) => Some(var),
                NameEntity::Undeclared | NameEntity::SubroutineType | NameEntity::Poisoned => {
                    // A parameter such as `p[3]` is one variable, so its number is not an index.
                    let local =
                        self.resolver
                            .resolve_numbered_local(name, operand.index, operand.span);
                    if local.is_some() {
                        operand.index = Index::None;
                    }
                    local.or_else(|| self.resolver.resolve_name(name, operand.span))
                }
            },
            OperandBase::Var(var) => Some(var),
            OperandBase::Path(path) => {
                self.resolver
                    .resolve_operand_path(path)
                    .map(|(var, suffix)| {
                        operand.suffix = suffix;
                        var
                    })
            }
            OperandBase::Scalar(_) | OperandBase::Vector { .. } => {
                return self.check_literal(*operand, shape, ty);
            }
        };
        if let Some(var) = var {
            operand.base = OperandBase::Var(var);
            self.check_variable(operand, var, shape, ty, untyped);
        }
    }

    /// Checks that a variable can be read as operand of this shape and type, with its index and
    /// suffix, and reports violations; `untyped` disables the check of types. A readable result is
    /// reported by a lenient rule.
    fn check_variable(
        &mut self,
        operand: &Operand,
        var: u32,
        shape: OperandShape,
        ty: Type,
        untyped: bool,
    ) {
        let info = &self.resolver.program.vars[var as usize];
        let declared = info.base;
        let is_element = matches!(info.kind, VarKind::Buffer(view) if view.layout.is_value());
        let readable = info.kind.is_value() || is_element;
        // Before the test for values: an address register is not a value.
        if shape == OperandShape::AddressRegister {
            return check_address_operand(
                &mut self.resolver.cx,
                self.resolver.program,
                operand,
                var,
            );
        }
        // Elements of BUFFER variables are values, but not as a whole: their index is checked below
        // as of any array.
        if !readable && !self.check_result_readable(var, operand.span) {
            return self.report_not_readable(var, operand.span);
        }
        // Variables without declared type take any. NV_gpu_program4 section 2.X.4.
        let mismatch = declared.is_some_and(|base| base != ty.base()) && !untyped;
        self.check_index(var, operand.index, operand.span);
        // A vector takes every suffix and every sign.
        if shape != OperandShape::Vector {
            self.check_suffix(operand, shape);
        }
        if mismatch {
            self.report_type_mismatch(var, ty.base(), operand.span);
        }
    }

    /// Checks suffix and signs of an operand against the shape that the opcode requires and reports
    /// violations: one component for scalars, none at all and no signs for plain operands. Vectors,
    /// memory and address registers pass.
    fn check_suffix(&mut self, operand: &Operand, shape: OperandShape) {
        match (shape, operand.suffix.kind()) {
            (OperandShape::Vector | OperandShape::Memory(_), _)
            | (OperandShape::Scalar, SuffixKind::Component(_)) => {}
            (OperandShape::Plain, SuffixKind::None) if operand.signs == Signs::empty() => {}
            // NV_fragment_program section 3.11.2: a name that DEFINE assigns to a number is a
            // scalar.
            (OperandShape::Scalar, SuffixKind::None)
                if self.resolver.program.is_number(operand.base) => {}
            (OperandShape::Scalar, _) => {
                let message = "a scalar operand needs one component, such as `.x`";
                let span = self.resolver.cx.value_span(operand.span);
                self.resolver
                    .cx
                    .report_error(Code::ScalarSuffix, span, message);
            }
            // `check_address_operand` has its rules.
            (OperandShape::AddressRegister, _) => {}
            (OperandShape::Plain, _) => {
                let message = "this operand has no suffix, sign or absolute value";
                self.resolver
                    .cx
                    .report_error(Code::SwzOperand, operand.span, message);
            }
        }
    }

    /// Returns true if `var` is a result in a language in which NVIDIA's compiler accepts results
    /// as operands: those with types, and NV_fragment_program2. Its use is then reported by the
    /// lenient rule `ReadResult`.
    #[cold]
    fn check_result_readable(&mut self, var: u32, span: Span) -> bool {
        // Languages without such an option have the empty set here, which every program contains.
        let is_allowed_language = self.resolver.cx.traits.registers.is_none()
            && self
                .resolver
                .cx
                .has_option(self.resolver.cx.traits.readable_results);
        let is_result = matches!(
            self.resolver.program.vars[var as usize].kind,
            VarKind::Result { .. }
        );
        if !is_result || !is_allowed_language {
            return false;
        }
        let message = format!(
            "{} is a result, which can only be written",
            self.resolver.display_var(var)
        );
        self.resolver
            .cx
            .report_lenient(LenientRule::ReadResult, span, message);
        true
    }

    /// Reports an operand whose variable cannot be read, such as a result or a texture, with the
    /// reason. Does nothing for variables that are values.
    #[cold]
    fn report_not_readable(&mut self, var: u32, span: Span) {
        let text = self.resolver.display_var(var);
        let span = find_read_span(&self.resolver.cx, self.resolver.program, var, span);
        let (code, problem) = match self.resolver.program.vars[var as usize].kind {
            VarKind::Address => (
                Code::AddressRegister,
                "is an address register, which only indices read",
            ),
            VarKind::Result { .. } => (Code::ReadResult, "is a result, which can only be written"),
            VarKind::CondCodes => (
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
            VarKind::Buffer(view) => (Code::MemoryOperand, view.layout.buffer_info().only_for),
            VarKind::Poisoned
            | VarKind::Temp
            | VarKind::Attrib { .. }
            | VarKind::Param { .. }
            | VarKind::WritableParam
            | VarKind::Argument => return,
        };
        self.resolver
            .cx
            .report_error(code, span, format!("{text} {problem}"));
    }

    /// Reports an operand that is used with another base type than it is declared with, with a hint
    /// about the modifier that fits.
    #[cold]
    fn report_type_mismatch(&mut self, var: u32, used_base: BaseType, span: Span) {
        let (text, declared) = (
            self.resolver.display_var(var),
            self.resolver.program.vars[var as usize].base,
        );
        let name = |base| match base {
            BaseType::Float => "FLOAT",
            BaseType::SignedInt => "INT",
            BaseType::UnsignedInt => "UINT",
        };
        let declared = declared.map_or("", name);
        let message = format!(
            "{text} is declared {declared}, but used as {}",
            name(used_base)
        );
        let hint = format!(
            "modifier `.{}` uses it as declared, `.NTC` switches the check off",
            type_modifier_of(declared)
        );
        self.resolver
            .cx
            .report_error_with_notes(Code::TypeMismatch, span, message, vec![hint]);
    }

    /// Checks a constant operand and reports violations: that the shape allows one, and that its
    /// numbers fit the type. Floats are not read, because every number is one.
    fn check_literal(&mut self, operand: Operand, shape: OperandShape, ty: Type) {
        let (first, count) = match operand.base {
            OperandBase::Scalar(literal) => (literal, 1),
            OperandBase::Vector { first, count } => (first, u32::from(count)),
            OperandBase::Name(_) | OperandBase::Path(_) | OperandBase::Var(_) => return,
        };
        // Plain ARB programs select a component even of a single number. Elsewhere
        // `<scalarOperand>` takes a number without a component.
        let bare = matches!(operand.base, OperandBase::Scalar(_))
            && (!self.resolver.cx.is_plain_arb()
                || check_bare_number(&mut self.resolver.cx, &operand, shape));
        if shape == OperandShape::AddressRegister {
            let message = "an address register is expected";
            self.resolver
                .cx
                .report_error(Code::AddressRegister, operand.span, message);
        } else if !bare || shape == OperandShape::Plain {
            self.check_suffix(&operand, shape);
        }
        for literal in first..first + count {
            let mut literal = self.resolver.cx.ast.literals[literal as usize];
            // NV_gpu_program4 section 2.X.2: the sign before a lone number is the operand's, and
            // "for unsigned integer operands, the negate operand performs a two's complement
            // operation" (2.X.4.2). In braces it is the number's.
            if matches!(operand.base, OperandBase::Scalar(_)) {
                literal.negative = false;
            }
            // Decimal fractions are always valid floats; their value is parsed when it is needed.
            if !ty.is_float() {
                // Only for its messages: the value is computed again when the operand is lowered.
                self.resolver.cx.read_literal(literal, ty);
            }
        }
    }

    /// Checks the result of an instruction and resolves it to a variable: it can be written, its
    /// index is valid, and its declared type is `ty`, unless `untyped` is set. Reports violations;
    /// a name or path that cannot be resolved remains. Records the size of a result where all
    /// writes must have one size.
    pub(crate) fn check_result(&mut self, dst: &mut Dst, ty: Type, untyped: bool) {
        let var = match dst.base {
            OperandBase::Name(name) => match self.resolve_result_name(name, dst) {
                Some(var) => var,
                None => return,
            },
            OperandBase::Path(path) => match self.resolve_result_path(path, dst) {
                Some(var) => var,
                None => return,
            },
            OperandBase::Var(var) => var,
            OperandBase::Scalar(_) | OperandBase::Vector { .. } => return,
        };
        dst.base = OperandBase::Var(var);
        let info = &mut self.resolver.program.vars[var as usize];
        // Attributes, parameters and units are read-only: NV_gpu_program4 sections 2.X.3.2, 2.X.3.3
        // and 2.X.3.6.
        let writable = matches!(
            info.kind,
            VarKind::Temp | VarKind::CondCodes | VarKind::Result { .. }
        );
        if matches!(info.kind, VarKind::WritableParam) {
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
            && self.resolver.cx.traits.registers.is_none();
        if declared && self.resolver.cx.features.contains(Features::NV_FRAGMENT) {
            self.check_result_size(var, dst.span);
        }
        self.check_index(var, dst.index, dst.span);
        if mismatch {
            self.report_type_mismatch(var, ty.base(), dst.span);
        }
    }

    /// Resolves the name of a result to its variable. Creates the pseudo variable of a result that
    /// only updates condition codes, and the variable of a numbered register at its first use.
    /// Returns `None` for an undeclared name, which is reported once.
    fn resolve_result_name(&mut self, name: NameId, dst: &Dst) -> Option<u32> {
        let span = dst.span;
        match self.resolver.symbols.names[name.index()].entity {
            NameEntity::Var(var) => Some(var),
            NameEntity::Undeclared if self.resolver.cx.is_cc_only_result(name) => {
                Some(self.resolver.get_or_create_cc_only_result(span))
            }
            NameEntity::Undeclared | NameEntity::Poisoned | NameEntity::SubroutineType => self
                .resolver
                .resolve_numbered_local(name, dst.index, span)
                .or_else(|| self.resolver.resolve_name(name, span)),
        }
    }

    /// Returns the unnamed variable of a result binding that is used as a destination, and sets the
    /// write mask of `dst` from the suffix of the path. Caches both by the name of the path.
    /// Returns `None` after an error.
    fn resolve_result_path(&mut self, path: u32, dst: &mut Dst) -> Option<u32> {
        let Some(name) = self.resolver.cx.ast.paths[path as usize].name else {
            return self.bind_result_path(path, dst);
        };
        // The same path was a result before: its write mask is in the path, so that the mask is
        // known, too.
        if let Some((var, mask)) = self.resolver.symbols.names[name.index()].cached_result {
            dst.mask = mask;
            return Some(var);
        }
        let var = self.bind_result_path(path, dst)?;
        self.resolver.symbols.names[name.index()].cached_result = Some((var, dst.mask));
        Some(var)
    }

    /// Returns the variable of a binding path that an instruction writes, which the first use
    /// creates, and sets the write mask of `dst` from the suffix of the path, if it has one.
    /// Returns `None` after reporting an invalid path or mask, a range, or a binding that can only
    /// be read.
    fn bind_result_path(&mut self, path: u32, dst: &mut Dst) -> Option<u32> {
        let resolved = self.resolver.resolve_binding_path(path)?;
        // The parser cannot determine the end of a binding, so the mask after it is read here.
        if let Some(rest) = resolved.suffix_span {
            match self
                .resolver
                .cx
                .swizzle_syntax()
                .parse_mask(self.resolver.cx.source_bytes(rest))
            {
                Ok(mask) => dst.mask = mask,
                Err(code) => return fail_bad_suffix(&mut self.resolver.cx, code, rest),
            }
        }
        if resolved.is_range {
            let message = "a range is allowed in array declarations only";
            self.resolver
                .cx
                .report_error(Code::RangeAsOperand, dst.span, message);
            return None;
        }
        if !matches!(resolved.target, BindingTarget::Result(..)) {
            let message = "this binding can only be read";
            self.resolver
                .cx
                .report_error(Code::WriteReadOnly, dst.span, message);
            return None;
        }
        match resolved.relative_index {
            Some(relative) => {
                self.resolver
                    .bind_relative_path(&resolved.target, relative, dst.span)
            }
            None => self
                .resolver
                .get_or_create_binding_var(resolved.target, dst.span),
        }
    }

    /// Reports a destination whose variable cannot be written, such as an attribute or a parameter.
    /// Does nothing for variables that can.
    #[cold]
    fn report_not_writable(&mut self, var: u32, span: Span) {
        let problem = match self.resolver.program.vars[var as usize].kind {
            VarKind::Address => {
                let message = "address registers are written by ARL and its like only";
                return self
                    .resolver
                    .cx
                    .report_error(Code::AddressRegister, span, message);
            }
            VarKind::Attrib { .. } | VarKind::Argument => "an attribute",
            VarKind::Param { .. } => "a parameter",
            VarKind::Buffer(view) => view.layout.buffer_info().description,
            VarKind::Texture { .. } => "a texture",
            VarKind::Image { .. } => "an image",
            VarKind::Shared { .. } => "shared memory",
            VarKind::Subroutine { .. } => "a subroutine",
            VarKind::Temp
            | VarKind::CondCodes
            | VarKind::WritableParam
            | VarKind::Result { .. }
            | VarKind::Poisoned => return,
        };
        let span = self.resolver.cx.base_span(span);
        let text = self.resolver.display_var(var);
        let message = format!("{text} is {problem}, which this instruction cannot write");
        self.resolver
            .cx
            .report_error(Code::WriteReadOnly, span, message);
    }

    /// Resolves the result of ARL and similar instructions to its variable. Reports one that is not
    /// an address register, an invalid index and, in ARB programs without options, a write mask
    /// other than `.x`.
    pub(crate) fn check_address_result(&mut self, dst: &mut Dst) {
        let OperandBase::Name(name) = dst.base else {
            let message = "this instruction writes address registers only";
            return self
                .resolver
                .cx
                .report_error(Code::AddressRegister, dst.span, message);
        };
        let Some(var) = self.resolver.resolve_name(name, dst.span) else {
            return;
        };
        dst.base = OperandBase::Var(var);
        let kind = self.resolver.program.vars[var as usize].kind;
        if kind == VarKind::Poisoned {
            return;
        }
        if kind != VarKind::Address {
            let text = self.resolver.display_var(var);
            let message = format!("{text} is not an address register");
            self.resolver
                .cx
                .report_error(Code::AddressRegister, dst.span, message);
        // `<ARL_instruction>` of ARB_vertex_program section 2.14.2 has the mask in its grammar:
        // `.x`, not even no mask.
        } else if self.resolver.cx.is_plain_arb() && dst.mask != WriteMask::X {
            let message = "address registers have the component x only, which must be written";
            self.resolver
                .cx
                .report_error(Code::AddressRegister, dst.span, message);
        }
        self.check_index(var, dst.index, dst.span);
    }

    /// Checks the size of a result that an instruction writes: variables bound to one result have
    /// one size. Records the size of the first write to each result, and reports later ones of
    /// another size. NV_fragment_program_option section 3.11.3.4.
    #[cold]
    pub(crate) fn check_result_size(&mut self, var: u32, span: Span) {
        let size = self.resolver.program.vars[var as usize].size;
        let semantics: Vec<Semantic> = self.resolver.program.attrib_semantics(var).collect();
        for semantic in semantics {
            // The type of the first write decides, regardless of the order of the declarations.
            let first_size = *self.state.result_sizes.entry(semantic).or_insert(size);
            if first_size != size {
                let message = "this result is written under another size, too";
                self.resolver
                    .cx
                    .report_error(Code::ResultSizes, span, message);
            }
        }
    }
}

/// Reports a number without component that is a scalar operand of an ARB program without options,
/// by a lenient rule. Returns true if the operand is one: then its suffix needs no other check.
#[cold]
fn check_bare_number(cx: &mut RuleCx<'_>, operand: &Operand, shape: OperandShape) -> bool {
    let bare = shape == OperandShape::Scalar && operand.suffix.is_none();
    if bare {
        let message = "a number as scalar operand needs a component, such as `2.0.x`";
        cx.report_lenient(LenientRule::BareNumber, operand.span, message);
    }
    bare
}

/// Returns the data type modifier for the declaration keyword of a base type: that of floats for
/// keywords other than INT and UINT.
fn type_modifier_of(declared: &str) -> &'static str {
    match declared {
        "INT" => base_name(BaseType::SignedInt),
        "UINT" => base_name(BaseType::UnsignedInt),
        _ => base_name(BaseType::Float),
    }
}
