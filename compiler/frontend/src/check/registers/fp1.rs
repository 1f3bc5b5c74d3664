//! Rules of NV_fragment_program: names that programs define, parameters and constants of an
//! instruction, results and their precision. NV_fragment_program sections 3.11.1 to 3.11.3.

use crate::ast::{Decl, DeclItem, DeclKind, Dst, Index, Inst, Literal, Operand, OperandBase};
use crate::check::context::RuleCx;
use crate::check::declarations::DeclarationRules;
use crate::check::names::{NameEntity, Resolver};
use crate::check::operands::constant::encode_float_constant;
use crate::check::operands::context::OperandRules;
use crate::check::program::CheckedProgram;
use crate::check::program::resource_usage::find_number_span;
use crate::check::registers::{RegisterLookup, find_register};
use crate::codes::{Code, LenientRule};
use crate::interner::NameId;
use crate::lang::limits;
use crate::lang::limits::LimitedItem;
use crate::lang::opcode_info::{Expansion, Translation};
use crate::lang::opcodes::{OpcodeInfo, OperandRule, PackedSize};
use crate::lang::register::FragmentNames;
use crate::resolved_inst::{ResolvedDst, ResolvedInst};
use crate::syntax::{DeclWord, StatementStart};
use crate::variables::{ImplicitKey, Var, VarKind, VarSize};
use glasm_ir::{ParamSource, Span};

/// o[COLR] among the results; o[COLH], the same color at half precision, is the next one.
const COLR: u32 = 0;
/// o[COLH] among the results.
pub(crate) const COLH: u32 = 1;
/// Number of registers that each result takes where temporaries and results share a limit.
const RESULT_SIZES: [u32; 3] = [2, 1, 2];

/// The value of DEFINE or DECLARE.
#[derive(Clone, Copy)]
struct NamedConstant {
    bits: [u32; 4],
    /// The number, if it is not a vector.
    number: Option<Literal>,
}

/// Operand reads that are counted: an instruction has one parameter, or constants with few
/// different numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CountedRead {
    /// A parameter: its variable.
    Parameter(u32),
    Constant([u32; 4]),
}

/// The different numbers of an instruction's constants, of which GL builds one vector.
#[derive(Default)]
struct DistinctNumbers {
    values: [u32; 4],
    count: usize,
}

impl DistinctNumbers {
    /// Adds those of the four numbers of a constant that are not in the set yet, compared by their
    /// bits. Returns false if the set would have more than four; numbers before the fifth are added
    /// nevertheless.
    fn add_constant(&mut self, bits: [u32; 4]) -> bool {
        for number in bits {
            if self.values[..self.count].contains(&number) {
                continue;
            }
            // A fifth number.
            let Some(free_value) = self.values.get_mut(self.count) else {
                return false;
            };
            *free_value = number;
            self.count += 1;
        }
        true
    }
}

impl DeclarationRules<'_, '_, '_> {
    /// Declares the name of a DECLARE or DEFINE statement: a parameter or a constant. Reports a
    /// reserved word, an invalid value, and too many named parameters; then the name is marked so
    /// that its uses are not reported. NV_fragment_program section 3.11.2.
    pub(crate) fn declare_named_value(&mut self, decl: &Decl) {
        let Some((name, span)) = decl.name else {
            return;
        };
        if is_language_word(&mut self.resolver.cx, name) {
            let message = format!(
                "`{}` is a reserved word",
                self.resolver.cx.display_name(name)
            );
            return self
                .resolver
                .cx
                .report_error(Code::ReservedName, span, message);
        }
        // "The initial value of local parameters not initialized by the program is (0,0,0,0)":
        // section 3.11.2. DEFINE always has one.
        let value = match self.resolver.cx.ast.items(decl).first() {
            Some(&item) => self.read_constant(item),
            None => Some(NamedConstant {
                bits: [0; 4],
                number: None,
            }),
        };
        match value.filter(|_| self.count_named_parameter(span)) {
            Some(value) => self.declare_value(decl, (name, span), value),
            // The error was reported, and later uses of the name are not reported in addition.
            None if self.resolver.symbols.names[name.index()].entity == NameEntity::Undeclared => {
                self.resolver.symbols.names[name.index()].entity = NameEntity::Poisoned;
            }
            None => {}
        }
    }

    /// Counts a named parameter or constant. Returns false after reporting that there are too many.
    fn count_named_parameter(&mut self, span: Span) -> bool {
        self.count_parameters(1, limits::PARAMETERS, span)
    }

    /// Adds the variable of a DECLARE or DEFINE to the program: DEFINE names a constant, DECLARE a
    /// parameter with an initial value. A DEFINE of a single number also records it for vectors
    /// that contain the name. A name that already denotes a variable is reported, and continues to
    /// denote that.
    fn declare_value(&mut self, decl: &Decl, (name, span): (NameId, Span), value: NamedConstant) {
        // Tested before `declare` binds the name.
        let is_new = !matches!(
            self.resolver.symbols.names[name.index()].entity,
            NameEntity::Var(_)
        );
        let is_constant = decl.kind == DeclKind::Define;
        let first = self.resolver.program.params.len() as u32;
        let source = if is_constant {
            ParamSource::Literal(value.bits)
        } else {
            self.add_named_parameter(name, value.bits)
        };
        self.resolver.program.params.push(source);
        // DECLARE expands a number to a vector; only DEFINE names the number itself.
        let number = value.number.filter(|_| is_constant);
        let var = Var {
            name: Some(name),
            is_number: number.is_some(),
            ..Var::unnamed(VarKind::Param { first }, span)
        };
        self.resolver.declare_variable(Some((name, span)), var);
        // A name that denoted something else was reported, and continues to denote that.
        if let Some(number) = number.filter(|_| is_new) {
            self.resolver.symbols.number_constants.insert(name, number);
        }
    }

    /// Returns the value that DECLARE or DEFINE assigns: a scalar, which is replicated to four
    /// components, a vector, or a named constant. Returns `None` after an error, and for other
    /// items, which the parser does not create there.
    fn read_constant(&mut self, item: DeclItem) -> Option<NamedConstant> {
        match item {
            DeclItem::Scalar(literal) => {
                let bits = self.resolver.cx.read_scalar_constant(literal, None)?;
                let number = self.resolver.cx.ast.literals[literal as usize];
                Some(NamedConstant {
                    bits,
                    number: Some(number),
                })
            }
            DeclItem::Vector { first, count, .. } => {
                let bits = self.resolver.cx.read_vector_constant(first, count, None)?;
                let number = None;
                Some(NamedConstant { bits, number })
            }
            DeclItem::Name(name, _, span) => self.find_constant(name, span),
            DeclItem::Path(_) | DeclItem::Number(..) => None,
        }
    }

    /// Returns the value of a constant that DEFINE named; `None` after reporting that the name is
    /// not declared or does not denote one.
    fn find_constant(&mut self, name: NameId, span: Span) -> Option<NamedConstant> {
        let var = self.resolver.resolve_name(name, span)?;
        let info = &self.resolver.program.vars[var as usize];
        if let VarKind::Param { first } = info.kind
            && let ParamSource::Literal(bits) = self.resolver.program.params[first as usize]
        {
            let number = self.resolver.symbols.number_constants.get(&name).copied();
            return Some(NamedConstant { bits, number });
        }
        let message = format!("{} is not a constant", self.resolver.display_var(var));
        self.resolver
            .cx
            .report_error(Code::UnexpectedToken, span, message);
        None
    }

    /// Adds the parameter of a DECLARE with its initial value, as bits of floats, to the named
    /// parameters of the program, and returns its source.
    fn add_named_parameter(&mut self, name: NameId, initial: [u32; 4]) -> ParamSource {
        let named = &mut self.resolver.program.named_params;
        named.push((name, initial));
        ParamSource::Named(named.len() as u32 - 1)
    }
}

impl Resolver<'_, '_> {
    /// Replaces literals that are names of numbers by their values, up to those of the statement
    /// that ends at byte `end`. Returns false if a name does not denote a number, which is
    /// reported: the rest of the statement is not checked. NV_fragment_program section 3.11.2.
    pub(crate) fn resolve_named_literals(&mut self, end: u32) -> bool {
        // Most programs have none.
        self.cx.ast.named_literals.is_empty() || self.resolve_named_literals_until(end)
    }

    /// Replaces names in vector constants before the byte `end` by the numbers that DEFINE gave
    /// them. Reports an undeclared name once and continues. After a name that denotes anything but
    /// a number, reports it, skips the other names up to `end` and returns false.
    #[cold]
    fn resolve_named_literals_until(&mut self, end: u32) -> bool {
        while let Some(&(literal, name, span)) =
            self.cx.ast.named_literals.get(self.symbols.named_literals)
            && span.start < end
        {
            self.symbols.named_literals += 1;
            if let Some(&number) = self.symbols.number_constants.get(&name) {
                self.cx.ast.literals[literal as usize] = number;
                continue;
            }
            match self.symbols.names[name.index()].entity {
                NameEntity::Undeclared => {
                    self.symbols.names[name.index()].entity = NameEntity::Poisoned;
                    let message = format!("`{}` is not declared", self.cx.display_name(name));
                    self.cx.report_error(Code::UndeclaredName, span, message);
                }
                NameEntity::Poisoned => {}
                NameEntity::Var(_) | NameEntity::SubroutineType => {
                    let message =
                        format!("expected a number, found `{}`", self.cx.display_name(name));
                    self.cx.report_error(Code::UnexpectedToken, span, message);
                    self.skip_named_literals_until(end);
                    return false;
                }
            }
        }
        true
    }

    /// Skips the remaining named literals of a statement, which ends at byte `end`, so that the
    /// next call begins with those of the next statement.
    fn skip_named_literals_until(&mut self, end: u32) {
        let rest = &self.cx.ast.named_literals[self.symbols.named_literals..];
        let skipped = rest.iter().take_while(|(_, _, span)| span.start < end);
        self.symbols.named_literals += skipped.count();
    }
}

/// Returns true if a name belongs to the language and cannot be declared: an opcode with suffixes,
/// a word that begins a statement, a register or a texture image unit. Opcodes that only drivers
/// have may be declared.
fn is_language_word(cx: &mut RuleCx<'_>, name: NameId) -> bool {
    let is_leader = match cx.find_statement_start(name) {
        StatementStart::Opcode(opcode, mods) => {
            let info = opcode.info();
            // Opcodes that only drivers have are not keywords of the grammar.
            info.mods.contains(mods) && !matches!(info.operand_rule, OperandRule::Shipped(_))
        }
        StatementStart::Decl(DeclWord::Keyword(_) | DeclWord::Modifier(_))
        | StatementStart::Option
        | StatementStart::End => true,
        StatementStart::RemovedWord | StatementStart::Unknown | StatementStart::OtherWord => false,
    };
    let text = cx.ast.names.bytes(name);
    is_leader
        || cx.traits.registers.is_some_and(|registers| {
            !matches!(find_register(registers, text), RegisterLookup::None(_))
        })
}

impl Resolver<'_, '_> {
    /// Returns the variable of a numbered parameter such as `p[3]`, which the first use of a number
    /// creates: each number is a separate variable. Records the number for the check of limits.
    /// Returns `None`, without a report, in languages without such registers, for other names, and
    /// without a constant index.
    pub(crate) fn resolve_numbered_local(
        &mut self,
        name: NameId,
        index: Index,
        name_span: Span,
    ) -> Option<u32> {
        let registers = self.cx.traits.registers?;
        let Index::Const(number) = index else {
            return None;
        };
        // `p` is reserved, so no other entity can have that name.
        let names = &self.cx.ast.names;
        if !names.is_reserved(name) || !registers.has_locals(names.bytes(name)) {
            return None;
        }
        let text = self.cx.ast.text;
        let usage = &mut self.program.index_usage;
        usage.record(LimitedItem::LocalParameters, number, || {
            Some(find_number_span(text, name_span, number))
        });
        let source = ParamSource::Local(number);
        let var =
            self.get_or_create_implicit(ImplicitKey::Param(source), Span::default(), |checker| {
                checker.program.params.push(source);
                VarKind::Param {
                    first: checker.program.params.len() as u32 - 1,
                }
            });
        Some(var)
    }
}

impl CheckedProgram {
    /// Returns true if an operand is the name that DEFINE gave to a single number. Literals
    /// themselves are not.
    pub(crate) fn is_number(&self, base: OperandBase) -> bool {
        self.find_base_var(base)
            .is_some_and(|(_, var)| var.is_number)
    }

    /// Returns true if an operand falls under the rule of one parameter for each instruction: a
    /// parameter, a named constant or an embedded constant.
    fn is_counted_operand(&self, operand: &Operand) -> bool {
        match operand.base {
            OperandBase::Var(var) => {
                let kind = self.vars[var as usize].kind;
                matches!(kind, VarKind::Param { .. })
            }
            // Embedded constants.
            OperandBase::Scalar(_) | OperandBase::Vector { .. } => true,
            OperandBase::Name(_) | OperandBase::Path(_) => false,
        }
    }
}

/// Checks the rules of NV_fragment_program for parameters and constants of an instruction, and
/// reports violations. Does nothing if none of the operands is one.
pub(crate) fn check_fragment_operands(
    cx: &mut RuleCx<'_>,
    program: &CheckedProgram,
    operands: &[Operand],
) {
    if operands
        .iter()
        .any(|operand| program.is_counted_operand(operand))
    {
        check_counted_operands(cx, program, operands);
    }
}

/// Checks that an instruction reads one parameter, or constants that hold four different numbers at
/// most, and that no component of a named number is selected; reports violations.
/// NV_fragment_program section 3.11.2.
fn check_counted_operands(cx: &mut RuleCx<'_>, program: &CheckedProgram, operands: &[Operand]) {
    let mut counted = operands
        .iter()
        .filter(|operand| program.is_counted_operand(operand));
    // A single one breaks no rule: no vector has more than four numbers.
    let is_alone = counted.next().is_some() && counted.next().is_none();
    for operand in operands {
        check_component_of_number(cx, program, operand);
    }
    if !is_alone {
        check_one_parameter(cx, program, operands);
    }
}

/// Reports, at the point of its suffix, an operand that selects a component of a name that DEFINE
/// gave to a single number. Does nothing for other operands.
fn check_component_of_number(cx: &mut RuleCx<'_>, program: &CheckedProgram, operand: &Operand) {
    if operand.suffix.is_none() || !program.is_number(operand.base) {
        return;
    }
    let name = cx.register_span(operand.span);
    let suffix_text = &cx.ast.text[name.end as usize..operand.span.end as usize];
    let whitespace_length = suffix_text
        .iter()
        .position(|&byte| byte == b'.')
        .unwrap_or(0) as u32;
    let point = Span::new(
        name.end + whitespace_length,
        name.end + whitespace_length + 1,
    );
    let message = "a number has no components";
    cx.report_error(Code::UnexpectedToken, point, message);
}

/// Reports an instruction that reads two different parameters, more than four different numbers, or
/// a parameter and a constant, at the first operand that breaks the rule. NV_fragment_program
/// section 3.11.
fn check_one_parameter(cx: &mut RuleCx<'_>, program: &CheckedProgram, operands: &[Operand]) {
    let mut distinct_numbers = DistinctNumbers::default();
    let mut parameter = None;
    for operand in operands {
        let is_allowed = match classify_counted_read(cx, program, operand) {
            None => continue,
            // Parameters and constants do not mix: "the only exception is if all references specify
            // named or embedded constants".
            Some(CountedRead::Constant(bits)) => {
                parameter.is_none() && distinct_numbers.add_constant(bits)
            }
            Some(CountedRead::Parameter(var)) => {
                // The same parameter may occur in several operands.
                distinct_numbers.count == 0 && *parameter.get_or_insert(var) == var
            }
        };
        if !is_allowed {
            let problem = match parameter {
                Some(_) => "an instruction reads one parameter; this is a second one",
                None => "the constants of an instruction hold at most four different numbers",
            };
            return report_second_parameter(cx, operand, problem);
        }
    }
}

/// Returns the parameter or the constant that an operand reads; `None` for all other operands, and
/// for a constant that cannot be encoded. Named constants are treated as embedded ones.
fn classify_counted_read(
    cx: &RuleCx<'_>,
    program: &CheckedProgram,
    operand: &Operand,
) -> Option<CountedRead> {
    let Some((var, info)) = program.find_base_var(operand.base) else {
        return encode_float_constant(cx.ast.text, &cx.ast.literals, operand.base)
            .map(CountedRead::Constant);
    };
    let VarKind::Param { first } = info.kind else {
        return None;
    };
    // "Named constants are first converted to the equivalent embedded constants."
    if let ParamSource::Literal(bits) = program.params[first as usize] {
        return Some(CountedRead::Constant(bits));
    }
    Some(CountedRead::Parameter(var))
}

/// Reports `problem` as `TwoParameters` at the span of the operand's parameter or constant, without
/// signs of the operand.
fn report_second_parameter(cx: &mut RuleCx<'_>, operand: &Operand, problem: &str) {
    let span = match operand.base {
        OperandBase::Scalar(literal) => find_signed_number_span(cx, operand.span, literal),
        OperandBase::Vector { .. } => find_braces_span(cx, operand.span),
        OperandBase::Name(_) | OperandBase::Path(_) | OperandBase::Var(_) => {
            cx.register_span(operand.span)
        }
    };
    cx.report_error(Code::TwoParameters, span, problem);
}

/// Returns the span of a number in an operand, together with the sign before it, if one is there,
/// and the whitespace between them.
fn find_signed_number_span(cx: &RuleCx<'_>, operand: Span, literal: u32) -> Span {
    let number_span = cx.ast.literals[literal as usize].span;
    let text_before_number = &cx.ast.text[operand.start as usize..number_span.start as usize];
    // Whitespace is allowed between a number and its sign.
    let whitespace = text_before_number.iter().rev();
    let whitespace = whitespace
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    let sign = text_before_number.len().checked_sub(whitespace + 1);
    match sign.map(|at| text_before_number[at]) {
        Some(b'-' | b'+') => Span::new(number_span.start - whitespace as u32 - 1, number_span.end),
        _ => number_span,
    }
}

/// Returns the span of a vector constant in an operand, from the opening to the closing brace.
fn find_braces_span(cx: &RuleCx<'_>, operand: Span) -> Span {
    let text = cx.source_bytes(operand);
    let find_offset = |wanted: u8| text.iter().position(|&byte| byte == wanted).unwrap_or(0) as u32;
    Span::new(
        operand.start + find_offset(b'{'),
        operand.start + find_offset(b'}') + 1,
    )
}

impl OperandRules<'_, '_> {
    /// Checks that a program does not write both colors, o[COLR] and o[COLH]; reports the first
    /// instruction after which it has written both. NV_fragment_program section 3.11.1.3.
    pub(crate) fn check_one_color(&mut self, dst: &ResolvedDst) {
        // Of several such instructions the first is reported: the others only repeat it.
        let colors = 1 << COLR | 1 << COLH;
        if self.state.registers.written_results & colors == colors
            && !self.state.registers.has_two_colors
        {
            self.report_second_color(dst);
        }
    }

    /// Reports a program that writes o[COLR] and o[COLH], and records it so that it is reported
    /// once.
    fn report_second_color(&mut self, dst: &ResolvedDst) {
        self.state.registers.has_two_colors = true;
        let span = self.resolver.cx.register_span(dst.span);
        let message = "the program writes the color at another precision, too";
        self.resolver
            .cx
            .report_error(Code::ResultSizes, span, message);
    }

    /// Checks rules that need the whole program: it writes a result, unless it has errors anyway,
    /// and the registers that it names fit the limit, which is a lenient rule. Sizes are counted in
    /// units of 16-bit components. NV_fragment_program section 3.11.3.
    pub(crate) fn check_fragment_program(&mut self, names: &FragmentNames) {
        let results = self.state.registers.written_results;
        // A statement that could not be parsed may have been the one that writes it.
        if results == 0 && !self.resolver.cx.has_errors() {
            report_no_result(&mut self.resolver.cx, self.resolver.program);
        }
        // Results are only counted if an instruction writes them.
        let written = (0..).zip(RESULT_SIZES);
        let written = written.filter(|(number, _)| results >> number & 1 != 0);
        let total_size =
            written.map(|(_, size)| size).sum::<u32>() + self.resolver.symbols.register_size;
        if total_size > names.max_register_size {
            let message = format!(
                "temporaries and results count {total_size}, two for those of 32 bits; the limit is {}",
                names.max_register_size
            );
            self.resolver
                .cx
                .reports
                .report_lenient_program(LenientRule::RegisterRoom, message);
        }
    }
}

impl CheckedProgram {
    /// Returns true if a destination is the half-precision color `o[COLH]`: the variable of results
    /// with that constant index.
    fn is_half_color(&self, dst: &Dst) -> bool {
        let var = self.find_base_var(dst.base);
        let is_result = var.is_some_and(|(_, var)| matches!(var.kind, VarKind::Result { .. }));
        is_result && dst.index == Index::Const(COLH)
    }
}

/// Checks and reports registers of packed values: PK2H and similar instructions write registers of
/// 32-bit components, UP2H and similar instructions read them. Which of the two `rule` requires is
/// checked; an absent destination or operand passes. NV_fragment_program sections 3.11.5.20 and
/// 3.11.5.41.
pub(crate) fn check_packed_register(
    cx: &mut RuleCx<'_>,
    program: &CheckedProgram,
    inst: &Inst,
    operands: &[Operand],
    rule: PackedSize,
) {
    let is_half = |base: OperandBase| {
        let var = program.find_base_var(base);
        var.is_some_and(|(_, var)| {
            // The file of results is marked as short, see `file`; the number determines which of
            // them are short.
            var.size == VarSize::Short && !matches!(var.kind, VarKind::Result { .. })
        })
    };
    let wrong_register = match (rule, inst.dst, operands.first()) {
        (PackedSize::NoShortResult | PackedSize::LongResult, Some(dst), _) => {
            (is_half(dst.base) || program.is_half_color(&dst)).then_some(dst.span)
        }
        (PackedSize::NoShortSource | PackedSize::LongSource, _, Some(source)) => {
            is_half(source.base).then_some(source.span)
        }
        _ => None,
    };
    if let Some(span) = wrong_register {
        let name = inst.opcode.mnemonic();
        let message = format!("{name} works on registers of 32-bit components");
        let span = cx.register_span(span);
        cx.report_error(Code::PackShort, span, message);
    }
}

/// Reports a result whose write mask contains component w, for opcodes whose result has three
/// components. NV_fragment_program section 3.11.5.26.
pub(crate) fn check_three_component_result(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) {
    let Some(dst) = inst.dst.filter(|dst| dst.mask.has(3)) else {
        return;
    };
    let text = cx.source_bytes(dst.span);
    let point = text.iter().position(|&byte| byte == b'.');
    let span = match point {
        Some(point) => Span::new(dst.span.start + point as u32 + 1, dst.span.end),
        None => dst.span,
    };
    let message = format!("{} has no component w; write x, y and z only", info.name);
    cx.report_error(Code::ReflectionMask, span, message);
}

/// Reports that a program writes no result: by the lenient rule if it contains an instruction that
/// discards fragments, else as an error of the whole program.
fn report_no_result(cx: &mut RuleCx<'_>, program: &CheckedProgram) {
    let message = "the program writes no result";
    let discards =
        |line: &ResolvedInst| line.opcode.info().lower == Translation::Expand(Expansion::Kill);
    if program.insts.insts.iter().any(discards) {
        let reports = &mut cx.reports;
        reports.report_lenient_program(LenientRule::KillOnly, message);
    } else {
        cx.report_program_error(Code::NoResult, message);
    }
}
