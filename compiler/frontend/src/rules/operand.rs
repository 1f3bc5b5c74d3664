//! Operands and results: what they may name, their indices, suffixes and types. NV_gpu_program4 section 2.X.4.2.

use super::binding::Bound;
use super::declare::io_binding;
use super::memory::MemoryKind;
use super::{Checker, Implicit, Named, VarKind};
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::lang::modifiers::base_name;
use crate::lang::options::Features;
use crate::names::NameId;
use crate::statement::{Base, Dst, Index, Operand, Path, Relative, Signs, Suffix, SuffixKind};
use crate::syntax::Letters;
use glasm_ir::types::{Base as TypeBase, Type};
use glasm_ir::{Span, WriteMask};

/// What an operand place takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Vector,
    Scalar,
    /// Without suffix and signs.
    Plain,
    /// Element of memory.
    Memory(MemoryKind),
    /// Address register without suffix and sign.
    AddressRegister,
}

impl Checker<'_> {
    /// Checks an operand as a value of type `ty`; a name or a path becomes a variable.
    #[inline(always)]
    pub(super) fn value(&mut self, operand: &mut Operand, shape: Shape, ty: Type, untyped: bool) {
        if let (Base::Name(name), Shape::Vector | Shape::Scalar) = (operand.base, shape)
            && let Named::Var(var) = self.syntax.words[name.index()].named
        {
            operand.base = Base::Var(var);
        }
        if !self.is_usual(operand, shape, ty) {
            self.unusual_value(operand, shape, ty, untyped);
        }
    }

    /// Whether an operand breaks no rule, found out without looking further: a variable, or an element with a constant index within
    /// bounds, whose declared type fits. Most operands are that; all others go through [`unusual_value`](Self::unusual_value).
    #[inline(always)]
    fn is_usual(&self, operand: &Operand, shape: Shape, ty: Type) -> bool {
        let Base::Var(var) = operand.base else {
            return false;
        };
        let var = &self.program.vars[var as usize];
        let is_value = var.kind.is_value();
        let has_shape = match shape {
            Shape::Vector => true,
            Shape::Scalar => matches!(operand.suffix.kind(), SuffixKind::One(_)),
            Shape::Plain | Shape::Memory(_) | Shape::AddressRegister => false,
        };
        let has_index = match (var.array, operand.index) {
            (None, Index::None) => !var.by_vertex,
            (Some(count), Index::Const(number)) => {
                number < count && var.element.is_none() && !var.by_vertex
            }
            _ => false,
        };
        is_value && has_shape && has_index && var.base.is_none_or(|base| base == ty.base())
    }

    #[inline(never)]
    fn unusual_value(&mut self, operand: &mut Operand, shape: Shape, ty: Type, untyped: bool) {
        if let Shape::Memory(kind) = shape {
            return self.memory_operand(operand, kind);
        }
        let var = match operand.base {
            Base::Name(name) => match self.numbered_local(name, operand.index) {
                Some(var) => {
                    operand.index = Index::None;
                    Some(var)
                }
                None => self.var_of(name, operand.span),
            },
            Base::Var(var) => Some(var),
            Base::Path(path) => self.path_operand(path).map(|(var, suffix)| {
                operand.suffix = suffix;
                var
            }),
            Base::Scalar(_) | Base::Vector { .. } => {
                return self.literal_value(*operand, shape, ty);
            }
        };
        if let Some(var) = var {
            operand.base = Base::Var(var);
            self.variable_value(operand, var, shape, ty, untyped);
        }
    }

    #[inline]
    fn variable_value(
        &mut self,
        operand: &Operand,
        var: u32,
        shape: Shape,
        ty: Type,
        untyped: bool,
    ) {
        let info = self.program.vars[var as usize];
        let is_element = matches!(info.kind, VarKind::Buffer(view) if view.layout.is_value());
        let readable = info.kind.is_value() || is_element;
        if shape == Shape::AddressRegister {
            return self.address_operand(operand, var);
        }
        if !readable && !self.reads_result(var, operand.span) {
            return self.not_readable(var, operand.span);
        }
        // Variables without declared type take any. NV_gpu_program4 section 2.X.4.
        let mismatch = info.base.is_some_and(|base| base != ty.base()) && !untyped;
        self.index(var, operand.index, operand.span);
        if shape != Shape::Vector {
            self.suffix(operand, shape);
        }
        if mismatch {
            self.type_mismatch(var, ty.base(), operand.span);
        }
    }

    /// Suffix and signs against what the place takes.
    fn suffix(&mut self, operand: &Operand, shape: Shape) {
        match (shape, operand.suffix.kind()) {
            (Shape::Vector | Shape::Memory(_), _) | (Shape::Scalar, SuffixKind::One(_)) => {}
            (Shape::Plain, SuffixKind::None) if operand.signs == Signs::empty() => {}
            (Shape::Scalar, SuffixKind::None) if self.is_number(operand.base) => {}
            (Shape::Scalar, _) => {
                let message = "a scalar operand needs one component, such as `.x`";
                let span = self.value_span(operand.span);
                self.error(Code::ScalarSuffix, span, message);
            }
            (Shape::AddressRegister, _) => {}
            (Shape::Plain, _) => {
                let message = "this operand has no suffix, sign or absolute value";
                self.error(Code::SwzOperand, operand.span, message);
            }
        }
    }

    /// A result as operand, in the languages that NVIDIA's compiler writes such operands in: those with types, and
    /// NV_fragment_program2.
    #[cold]
    fn reads_result(&mut self, var: u32, span: Span) -> bool {
        let known = self.facts.registers.is_none() && self.has_option(self.facts.readable_results);
        let is_result = matches!(self.program.vars[var as usize].kind, VarKind::Result { .. });
        if !is_result || !known {
            return false;
        }
        let message = format!(
            "{} is a result, which can only be written",
            self.var_text(var)
        );
        self.lenient(Rule::ReadResult, span, message);
        true
    }

    #[cold]
    fn not_readable(&mut self, var: u32, span: Span) {
        let text = self.var_text(var);
        let span = self.read_place(var, span);
        let (code, what) = match self.program.vars[var as usize].kind {
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
        self.error(code, span, format!("{text} {what}"));
    }

    #[cold]
    fn type_mismatch(&mut self, var: u32, used: TypeBase, span: Span) {
        let (text, declared) = (self.var_text(var), self.program.vars[var as usize].base);
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
        self.error_with(Code::TypeMismatch, span, message, vec![hint]);
    }

    /// An index against the variable. NV_gpu_program4 section 2.X.4.2.
    #[inline]
    pub(super) fn index(&mut self, var: u32, index: Index, span: Span) {
        let info = &self.program.vars[var as usize];
        match (info.array, index) {
            (None, Index::None) if !info.by_vertex => {}
            (Some(count), Index::Const(number))
                if number < count && info.element.is_none() && !info.by_vertex => {}
            (array, index) => self.unusual_index(var, array, index, span),
        }
    }

    fn unusual_index(&mut self, var: u32, array: Option<u32>, index: Index, span: Span) {
        if self.program.vars[var as usize].by_vertex {
            return self.vertex_index((var, array), index, span);
        }
        if let VarKind::Buffer(view) = self.program.vars[var as usize].kind
            && let Some(sizes) = view.sizes()
        {
            return self.two_indices(var, sizes, index, span);
        }
        if let (Some(relative), Index::None) = (self.program.vars[var as usize].element, index) {
            return self.loop_index_use(relative, span);
        }
        if let (Some(registers), Some(count)) = (self.facts.registers, array) {
            return self.register_index(registers, (var, count), index, span);
        }
        let text = self.var_text(var);
        let array = array.filter(|_| self.program.vars[var as usize].element.is_none());
        match (array, index) {
            (None, Index::None) => {}
            (None, _) => {
                self.error(Code::IndexOnScalar, span, format!("{text} is no array"));
            }
            (Some(_), Index::None) => {
                let message = format!("{text} is an array and needs an index");
                self.error(Code::ArrayNeedsIndex, span, message);
            }
            (Some(count), Index::Const(number)) => {
                let message =
                    format!("index {number} is out of bounds: {text} has {count} elements");
                self.error(Code::IndexOutOfBounds, span, message);
            }
            (Some(_), Index::Pair(_)) => {
                self.error(Code::IndexOnScalar, span, format!("{text} has one index"));
            }
            (Some(count), Index::Relative(relative)) => self.relative(var, count, relative),
        }
    }

    /// A run-time index into an array of `count` elements.
    pub(super) fn relative(&mut self, var: u32, count: u32, relative: u32) {
        // One run-time index anywhere keeps all elements together, also for accesses with constant indices.
        self.program.vars[var as usize].relative = self.keeps_together(var);
        if self.facts.address_registers {
            self.address_index(relative);
            return self.no_loop_index(relative);
        }
        self.run_time_index(count, relative);
    }

    /// The offset and the variable of a run-time index among `count` elements.
    pub(super) fn run_time_index(&mut self, count: u32, relative: u32) {
        let info = self.syntax.reading.relatives[relative as usize];
        // Other offsets need an ADD before. NV_gpu_program4 section 2.X.4.2.
        if info.offset < 0 || info.offset >= i64::from(count) {
            let message = format!("the offset {} is not in 0 to {}", info.offset, count - 1);
            self.error(Code::IndexOffset, info.span, message);
        }
        let Some((index, lane)) = self.index_component(info) else {
            return;
        };
        if self.program.vars[index as usize].can_be_index() {
            let entry = &mut self.syntax.reading.relatives[relative as usize];
            (entry.base, entry.lane) = (Base::Var(index), lane);
        } else if self.program.vars[index as usize].kind != VarKind::Poisoned {
            let text = self.var_text(index);
            let message = format!(
                "{text} cannot be an index; use a component of an integer variable that is no array"
            );
            self.error(Code::IndexVariable, info.span, message);
        }
    }

    /// The variable of a run-time index and its component.
    fn index_component(&mut self, info: Relative) -> Option<(u32, u8)> {
        match info.base {
            Base::Name(name) => Some((self.var_of(name, info.span)?, info.lane)),
            // A path that is an index has only numbers in its own brackets, which the parser sees to: this does not call itself.
            Base::Path(path) => {
                let (var, suffix) = self.path_operand(path)?;
                match suffix.kind() {
                    SuffixKind::One(lane) => Some((var, lane)),
                    SuffixKind::None => Some((var, 0)),
                    SuffixKind::Four => {
                        self.error(Code::ScalarSuffix, info.span, "an index is one component");
                        None
                    }
                }
            }
            Base::Var(var) => Some((var, info.lane)),
            Base::Scalar(_) | Base::Vector { .. } => None,
        }
    }

    /// The unnamed variable and the suffix of a path.
    pub(super) fn path_operand(&mut self, path: u32) -> Option<(u32, Suffix)> {
        let Path { span, name, .. } = self.syntax.reading.paths[path as usize];
        let Some(name) = name else {
            return self.new_path_operand(path, span);
        };
        // Programs repeat binding paths: the same text stands for the same variable everywhere.
        let known = self.syntax.words[name.index()].operand;
        if known.is_some() {
            return known;
        }
        let found = self.new_path_operand(path, span);
        self.syntax.words[name.index()].operand = found;
        found
    }

    fn new_path_operand(&mut self, path: u32, span: Span) -> Option<(u32, Suffix)> {
        let resolved = self.resolve(path)?;
        if resolved.range {
            let (code, message) = self.range_problem(&resolved.bound, span);
            self.error(code, span, message);
            return None;
        }
        let suffix = match resolved.rest {
            None => Suffix::NONE,
            Some(rest) => match self.letters().suffix(self.text_at(rest)) {
                Ok(suffix) => suffix,
                Err(code) => return self.no_letters(code, rest),
            },
        };
        let var = match resolved.relative {
            Some(relative) => self.relative_binding(&resolved.bound, relative, span)?,
            None => self.implicit_var(resolved.bound, resolved.span)?,
        };
        Some((var, suffix))
    }

    fn letters(&self) -> Letters {
        Letters::of(self.syntax.reading.dialect)
    }

    /// The mask that the letters behind a result are.
    pub(super) fn written_letters(&self, span: Span) -> Result<WriteMask, Code> {
        self.letters().mask(self.text_at(span))
    }

    /// What follows a binding selects no components.
    #[cold]
    fn no_letters<T>(&mut self, code: Code, span: Span) -> Option<T> {
        self.not_letters(code, span);
        None
    }

    /// Reports that what follows a binding selects no components.
    pub(super) fn not_letters(&mut self, code: Code, span: Span) {
        if code == Code::UnexpectedToken {
            self.unknown(span);
        } else {
            self.error(code, span, code.title());
        }
    }

    fn range_problem(&self, bound: &Bound, span: Span) -> (Code, &'static str) {
        match bound {
            Bound::Buffer(range) => range.space.info().direct_use,
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

    /// The unnamed variable of what a path names.
    pub(super) fn implicit_var(&mut self, bound: Bound, span: Span) -> Option<u32> {
        let (code, message) = match bound {
            Bound::Attrib(row, number, _, holder) => {
                return self.implicit_attrib((row, number, holder), span);
            }
            Bound::Result(row, number, _) => {
                let binding = io_binding(row, number);
                let key = Implicit::Result(binding.semantic);
                return Some(self.implicit(key, span, |checker| {
                    let first = checker.program.results.len() as u32;
                    checker.program.results.push(binding);
                    VarKind::Result { first }
                }));
            }
            Bound::Params(params) => {
                let source = params.source();
                return Some(self.implicit(Implicit::Param(source), span, |checker| {
                    let first = checker.program.params.len() as u32;
                    checker.program.params.push(source);
                    VarKind::Param { first }
                }));
            }
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

    /// A constant as operand.
    fn literal_value(&mut self, operand: Operand, shape: Shape, ty: Type) {
        let (first, count) = match operand.base {
            Base::Scalar(literal) => (literal, 1),
            Base::Vector { first, count } => (first, u32::from(count)),
            Base::Name(_) | Base::Path(_) | Base::Var(_) => return,
        };
        // Plain ARB programs select a component even of a single number.
        let bare = matches!(operand.base, Base::Scalar(_))
            && (!self.is_plain_arb() || self.bare_number(&operand, shape));
        if shape == Shape::AddressRegister {
            let message = "an address register is expected";
            self.error(Code::AddressRegister, operand.span, message);
        } else if !bare || shape == Shape::Plain {
            self.suffix(&operand, shape);
        }
        for literal in first..first + count {
            let literal = self.syntax.reading.literals[literal as usize];
            // Decimal fractions are always fine as floats; their value is read when it is needed.
            if !ty.is_float() {
                self.literal(literal, ty);
            }
        }
    }

    /// A number without component at a scalar place of a plain ARB program.
    #[cold]
    fn bare_number(&mut self, operand: &Operand, shape: Shape) -> bool {
        let bare = shape == Shape::Scalar && operand.suffix.is_none();
        if bare {
            let message = "a number as scalar operand needs a component, such as `2.0.x`";
            self.lenient(Rule::BareNumber, operand.span, message);
        }
        bare
    }

    /// Checks the result of an instruction and makes it a variable.
    #[inline]
    pub(super) fn result(&mut self, dst: &mut Dst, ty: Type, untyped: bool) {
        let var = match dst.base {
            Base::Name(name) => match self.result_var(name, dst) {
                Some(var) => var,
                None => return,
            },
            Base::Path(path) => match self.path_result(path, dst) {
                Some(var) => var,
                None => return,
            },
            Base::Var(var) => var,
            Base::Scalar(_) | Base::Vector { .. } => return,
        };
        dst.base = Base::Var(var);
        let info = &mut self.program.vars[var as usize];
        let writable = matches!(
            info.kind,
            VarKind::Temp | VarKind::Codes | VarKind::Result { .. }
        );
        if info.kind == VarKind::WritableParam {
            return self.written_parameter(dst, var);
        }
        if !writable {
            return self.not_writable(var, dst.span);
        }
        let mismatch = info.base.is_some_and(|base| base != ty.base()) && !untyped;
        // Sizes are declared: a binding that is written directly has none.
        let declared = info.name.is_some()
            && matches!(info.kind, VarKind::Result { .. })
            && self.facts.registers.is_none();
        if declared && self.program.features.contains(Features::NV_FRAGMENT) {
            self.sized_result(var, dst.span);
        }
        self.index(var, dst.index, dst.span);
        if mismatch {
            self.type_mismatch(var, ty.base(), dst.span);
        }
    }

    /// The variable of a result.
    #[inline]
    fn result_var(&mut self, name: NameId, dst: &Dst) -> Option<u32> {
        let span = dst.span;
        match self.syntax.words[name.index()].named {
            Named::Var(var) => Some(var),
            Named::Nothing if self.is_codes_target(name) => Some(self.codes_target(span)),
            Named::Nothing | Named::Poisoned | Named::SubroutineType => self
                .numbered_local(name, dst.index)
                .or_else(|| self.var_of(name, span)),
        }
    }

    /// A result binding used directly.
    fn path_result(&mut self, path: u32, dst: &mut Dst) -> Option<u32> {
        let Some(name) = self.syntax.reading.paths[path as usize].name else {
            return self.new_path_result(path, dst);
        };
        if let Some((var, mask)) = self.syntax.words[name.index()].result {
            dst.mask = mask;
            return Some(var);
        }
        let var = self.new_path_result(path, dst)?;
        self.syntax.words[name.index()].result = Some((var, dst.mask));
        Some(var)
    }

    fn new_path_result(&mut self, path: u32, dst: &mut Dst) -> Option<u32> {
        let resolved = self.resolve(path)?;
        if let Some(rest) = resolved.rest {
            match self.letters().mask(self.text_at(rest)) {
                Ok(mask) => dst.mask = mask,
                Err(code) => return self.no_letters(code, rest),
            }
        }
        if resolved.range {
            let message = "a range is allowed in array declarations only";
            self.error(Code::RangeAsOperand, dst.span, message);
            return None;
        }
        if !matches!(resolved.bound, Bound::Result(..)) {
            let message = "this binding can only be read";
            self.error(Code::WriteReadOnly, dst.span, message);
            return None;
        }
        match resolved.relative {
            Some(relative) => self.relative_binding(&resolved.bound, relative, dst.span),
            None => self.implicit_var(resolved.bound, dst.span),
        }
    }

    #[cold]
    fn not_writable(&mut self, var: u32, span: Span) {
        let what = match self.program.vars[var as usize].kind {
            VarKind::Address => {
                let message = "address registers are written by ARL and its like only";
                return self.error(Code::AddressRegister, span, message);
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
        let span = self.named_span(span);
        let text = self.var_text(var);
        let message = format!("{text} is {what}, which this instruction cannot write");
        self.error(Code::WriteReadOnly, span, message);
    }
}

fn declared_letter(declared: &str) -> &'static str {
    match declared {
        "INT" => base_name(TypeBase::Signed),
        "UINT" => base_name(TypeBase::Unsigned),
        _ => base_name(TypeBase::Float),
    }
}
