//! Rules of NV_fragment_program: names that programs define, parameters and constants of an
//! instruction, results and their precision. NV_fragment_program sections 3.11.1 to 3.11.3.

use crate::ast::{Base, Decl, DeclKind, Dst, Index, Inst, Item, Literal, Operand};
use crate::check::context::RuleCx;
use crate::check::declarations::context::DeclarationRules;
use crate::check::names::resolver::Resolver;
use crate::check::names::symbols::Named;
use crate::check::operands::constant::float_constant;
use crate::check::operands::context::OperandRules;
use crate::check::program::checked::Checked;
use crate::check::program::usage::find_number_span;
use crate::check::registers::register::{FoundRegister, find_register};
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::lang::limits;
use crate::lang::numbered::Numbered;
use crate::lang::opcode_info::{Expansion, Lower};
use crate::lang::opcodes::{OpcodeInfo, OperandRule, PackedSize};
use crate::lang::register::FragmentNames;
use crate::line::{Line, Target};
use crate::names::NameId;
use crate::syntax::{DeclWord, Leader};
use crate::vars::{Implicit, Var, VarKind, VarSize};
use glasm_ir::{ParamSource, Span};

/// o[COLR] among the results; o[COLH], the same color at half precision, is the next one.
const COLR: u32 = 0;
/// o[COLH] among the results.
pub(crate) const COLH: u32 = 1;
/// Number of registers that each result takes where temporaries and results share a limit.
const RESULT_ROOM: [u32; 3] = [2, 1, 2];

/// The value of DEFINE or DECLARE.
#[derive(Clone, Copy)]
struct Constant {
    bits: [u32; 4],
    /// The number, if it is not a vector.
    number: Option<Literal>,
}

/// Operand reads that are counted: an instruction has one parameter, or constants with few
/// different numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    /// A parameter: its variable.
    Parameter(u32),
    Constant([u32; 4]),
}

/// The different numbers of an instruction's constants, of which GL builds one vector.
#[derive(Default)]
struct Numbers {
    list: [u32; 4],
    count: usize,
}

impl Numbers {
    /// Adds the numbers of a constant; returns false if there are more than a vector holds.
    fn add(&mut self, bits: [u32; 4]) -> bool {
        for number in bits {
            if self.list[..self.count].contains(&number) {
                continue;
            }
            // A fifth number.
            let Some(place) = self.list.get_mut(self.count) else {
                return false;
            };
            *place = number;
            self.count += 1;
        }
        true
    }
}

impl DeclarationRules<'_, '_, '_> {
    /// Declares the name of a constant or of a parameter. NV_fragment_program section 3.11.2.
    pub(crate) fn declare_named_value(&mut self, decl: &Decl) {
        let Some((name, span)) = decl.name else {
            return;
        };
        if is_fixed_word(&mut self.resolver.cx, name) {
            let message = format!("`{}` is a reserved word", self.resolver.cx.name_text(name));
            return self.resolver.cx.error(Code::ReservedName, span, message);
        }
        // "The initial value of local parameters not initialized by the program is (0,0,0,0)":
        // section 3.11.2. DEFINE always has one.
        let value = match self.resolver.cx.ast.items(decl).first() {
            Some(&item) => self.read_constant(item),
            None => Some(Constant {
                bits: [0; 4],
                number: None,
            }),
        };
        match value.filter(|_| self.has_room_for_parameter(span)) {
            Some(value) => self.declare_value(decl, (name, span), value),
            // The error was reported, and later uses of the name are not reported in addition.
            None if self.resolver.symbols.entries[name.index()].named == Named::Nothing => {
                self.resolver.symbols.entries[name.index()].named = Named::Poisoned;
            }
            None => {}
        }
    }

    /// Counts a parameter or a constant with a name.
    fn has_room_for_parameter(&mut self, span: Span) -> bool {
        self.count_parameters(1, limits::PARAMETERS, span)
    }

    fn declare_value(&mut self, decl: &Decl, (name, span): (NameId, Span), value: Constant) {
        // Tested before `declare` binds the name.
        let is_new = !matches!(
            self.resolver.symbols.entries[name.index()].named,
            Named::Var(_)
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
        self.resolver.declare(Some((name, span)), var);
        // A name that denoted something else was reported, and continues to denote that.
        if let Some(number) = number.filter(|_| is_new) {
            self.resolver.symbols.numbers.insert(name, number);
        }
    }

    /// Returns the value of a declaration.
    fn read_constant(&mut self, item: Item) -> Option<Constant> {
        match item {
            Item::Scalar(literal) => {
                let bits = self.resolver.cx.read_scalar_constant(literal, None)?;
                let number = self.resolver.cx.ast.literals[literal as usize];
                Some(Constant {
                    bits,
                    number: Some(number),
                })
            }
            Item::Vector { first, count, .. } => {
                let bits = self.resolver.cx.read_vector_constant(first, count, None)?;
                let number = None;
                Some(Constant { bits, number })
            }
            Item::Name(name, _, span) => self.find_constant(name, span),
            Item::Path(_) | Item::Number(..) => None,
        }
    }

    /// Returns the constant that a name denotes.
    fn find_constant(&mut self, name: NameId, span: Span) -> Option<Constant> {
        let var = self.resolver.find_var(name, span)?;
        let info = &self.resolver.program.vars[var as usize];
        if let VarKind::Param { first } = info.kind
            && let ParamSource::Literal(bits) = self.resolver.program.params[first as usize]
        {
            let number = self.resolver.symbols.numbers.get(&name).copied();
            return Some(Constant { bits, number });
        }
        let message = format!("{} is no constant", self.resolver.var_text(var));
        self.resolver.cx.error(Code::UnexpectedToken, span, message);
        None
    }

    /// Adds the parameter of DECLARE with its first value.
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
    #[inline]
    pub(crate) fn resolve_named_literals(&mut self, end: u32) -> bool {
        self.symbols.named_literals == self.cx.ast.named_literals.len()
            || self.resolve_literals_until(end)
    }

    #[cold]
    fn resolve_literals_until(&mut self, end: u32) -> bool {
        while let Some(&(literal, name, span)) =
            self.cx.ast.named_literals.get(self.symbols.named_literals)
            && span.start < end
        {
            self.symbols.named_literals += 1;
            if let Some(&number) = self.symbols.numbers.get(&name) {
                self.cx.ast.literals[literal as usize] = number;
                continue;
            }
            match self.symbols.entries[name.index()].named {
                Named::Nothing => {
                    self.symbols.entries[name.index()].named = Named::Poisoned;
                    let message = format!("`{}` is not declared", self.cx.name_text(name));
                    self.cx.error(Code::UndeclaredName, span, message);
                }
                Named::Poisoned => {}
                Named::Var(_) | Named::SubroutineType => {
                    let message = format!("expected a number, found `{}`", self.cx.name_text(name));
                    self.cx.error(Code::UnexpectedToken, span, message);
                    self.skip_literals_until(end);
                    return false;
                }
            }
        }
        true
    }

    /// Skips the named literals of the rest of a statement, which ends at byte `end`.
    fn skip_literals_until(&mut self, end: u32) {
        let rest = &self.cx.ast.named_literals[self.symbols.named_literals..];
        let skipped = rest.iter().take_while(|(_, _, span)| span.start < end);
        self.symbols.named_literals += skipped.count();
    }
}

/// Returns true if a name is one of the language: an opcode with suffixes, a word that begins a
/// statement, a register or a texture image unit.
fn is_fixed_word(cx: &mut RuleCx<'_>, name: NameId) -> bool {
    let is_leader = match cx.leader(name) {
        Leader::Opcode(opcode, mods) => {
            let info = opcode.info();
            // Opcodes that only drivers have are not keywords of the grammar.
            info.mods.contains(mods) && !matches!(info.operand_rule, OperandRule::Shipped(_))
        }
        Leader::Decl(DeclWord::Keyword(_) | DeclWord::Modifier(_))
        | Leader::Option
        | Leader::End => true,
        Leader::Old | Leader::Unknown | Leader::Other => false,
    };
    let text = cx.ast.names.text(name);
    is_leader
        || cx.facts.registers.is_some_and(|registers| {
            !matches!(find_register(registers, text), FoundRegister::None(_))
        })
}

impl Resolver<'_, '_> {
    /// Returns the variable of a numbered parameter such as `p[3]`: each number that the program
    /// names is a separate variable.
    pub(crate) fn find_numbered_local(
        &mut self,
        name: NameId,
        index: Index,
        place: Span,
    ) -> Option<u32> {
        let registers = self.cx.facts.registers?;
        let Index::Const(number) = index else {
            return None;
        };
        // `p` is reserved, so no other entity can have that name.
        let names = &self.cx.ast.names;
        if !names.is_reserved(name) || !registers.has_locals(names.text(name)) {
            return None;
        }
        let text = self.cx.ast.text;
        let usage = &mut self.program.usage;
        usage.add(Numbered::LocalParameters, number, || {
            Some(find_number_span(text, place, number))
        });
        let source = ParamSource::Local(number);
        let var = self.get_implicit(Implicit::Param(source), Span::default(), |checker| {
            checker.program.params.push(source);
            VarKind::Param {
                first: checker.program.params.len() as u32 - 1,
            }
        });
        Some(var)
    }
}

impl Checked {
    /// Returns true if an operand is a single number.
    pub(crate) fn is_number(&self, base: Base) -> bool {
        self.var(base).is_some_and(|(_, var)| var.is_number)
    }

    #[inline]
    fn is_counted(&self, operand: &Operand) -> bool {
        match operand.base {
            Base::Var(var) => {
                let kind = self.vars[var as usize].kind;
                matches!(kind, VarKind::Param { .. })
            }
            // Embedded constants.
            Base::Scalar(_) | Base::Vector { .. } => true,
            Base::Name(_) | Base::Path(_) => false,
        }
    }
}

/// Checks the rules for parameters and constants of an instruction.
pub(crate) fn check_fragment_operands(
    cx: &mut RuleCx<'_>,
    program: &Checked,
    operands: &[Operand],
) {
    if operands.iter().any(|operand| program.is_counted(operand)) {
        check_counted_operands(cx, program, operands);
    }
}

/// Checks that an instruction reads one parameter, or constants that hold four different numbers at
/// most. NV_fragment_program section 3.11.2.
fn check_counted_operands(cx: &mut RuleCx<'_>, program: &Checked, operands: &[Operand]) {
    let mut counted = operands
        .iter()
        .filter(|operand| program.is_counted(operand));
    // A single one breaks no rule: no vector has more than four numbers.
    let is_alone = counted.next().is_some() && counted.next().is_none();
    for operand in operands {
        check_component_of_number(cx, program, operand);
    }
    if !is_alone {
        check_one_parameter(cx, program, operands);
    }
}

/// Checks that a name of a number has no components.
fn check_component_of_number(cx: &mut RuleCx<'_>, program: &Checked, operand: &Operand) {
    if operand.suffix.is_none() || !program.is_number(operand.base) {
        return;
    }
    let name = cx.register_span(operand.span);
    let behind = &cx.ast.text[name.end as usize..operand.span.end as usize];
    let blanks = behind.iter().position(|&byte| byte == b'.').unwrap_or(0) as u32;
    let point = Span::new(name.end + blanks, name.end + blanks + 1);
    let message = "a number has no components";
    cx.error(Code::UnexpectedToken, point, message);
}

fn check_one_parameter(cx: &mut RuleCx<'_>, program: &Checked, operands: &[Operand]) {
    let mut numbers = Numbers::default();
    let mut parameter = None;
    for operand in operands {
        let fits = match read_counted(cx, program, operand) {
            None => continue,
            // Parameters and constants do not mix: "the only exception is if all references specify
            // named or embedded constants".
            Some(Read::Constant(bits)) => parameter.is_none() && numbers.add(bits),
            Some(Read::Parameter(var)) => {
                // The same parameter may occur in several operands.
                numbers.count == 0 && *parameter.get_or_insert(var) == var
            }
        };
        if !fits {
            let problem = match parameter {
                Some(_) => "an instruction reads one parameter; this is a second one",
                None => "the constants of an instruction hold at most four different numbers",
            };
            return report_second_parameter(cx, operand, problem);
        }
    }
}

fn read_counted(cx: &RuleCx<'_>, program: &Checked, operand: &Operand) -> Option<Read> {
    let Some((var, info)) = program.var(operand.base) else {
        return float_constant(cx.ast.text, &cx.ast.literals, operand.base).map(Read::Constant);
    };
    let VarKind::Param { first } = info.kind else {
        return None;
    };
    // "Named constants are first converted to the equivalent embedded constants."
    if let ParamSource::Literal(bits) = program.params[first as usize] {
        return Some(Read::Constant(bits));
    }
    Some(Read::Parameter(var))
}

#[cold]
fn report_second_parameter(cx: &mut RuleCx<'_>, operand: &Operand, problem: &str) {
    let span = match operand.base {
        Base::Scalar(literal) => find_signed_number_span(cx, operand.span, literal),
        Base::Vector { .. } => find_braces_span(cx, operand.span),
        Base::Name(_) | Base::Path(_) | Base::Var(_) => cx.register_span(operand.span),
    };
    cx.error(Code::TwoParameters, span, problem);
}

/// Returns a number with its sign.
fn find_signed_number_span(cx: &RuleCx<'_>, operand: Span, literal: u32) -> Span {
    let number = cx.ast.literals[literal as usize].span;
    let before = &cx.ast.text[operand.start as usize..number.start as usize];
    // Whitespace is allowed between a number and its sign.
    let blanks = before.iter().rev();
    let blanks = blanks.take_while(|byte| byte.is_ascii_whitespace()).count();
    let sign = before.len().checked_sub(blanks + 1);
    match sign.map(|at| before[at]) {
        Some(b'-' | b'+') => Span::new(number.start - blanks as u32 - 1, number.end),
        _ => number,
    }
}

/// Returns the braces of a vector.
fn find_braces_span(cx: &RuleCx<'_>, operand: Span) -> Span {
    let text = cx.text_at(operand);
    let place = |wanted: u8| text.iter().position(|&byte| byte == wanted).unwrap_or(0) as u32;
    Span::new(operand.start + place(b'{'), operand.start + place(b'}') + 1)
}

impl OperandRules<'_, '_> {
    /// Checks that a program writes one of the two colors. NV_fragment_program section 3.11.1.3.
    #[inline]
    pub(crate) fn check_one_color(&mut self, dst: &Target) {
        // Of several such instructions the first is reported: the others only repeat it.
        let colors = 1 << COLR | 1 << COLH;
        if self.state.registers.results & colors == colors && !self.state.registers.has_two_colors {
            self.report_second_color(dst);
        }
    }

    #[cold]
    fn report_second_color(&mut self, dst: &Target) {
        self.state.registers.has_two_colors = true;
        let span = self.resolver.cx.register_span(dst.span);
        let message = "the program writes the color at another precision, too";
        self.resolver.cx.error(Code::ResultSizes, span, message);
    }

    /// Checks rules that need the whole program. NV_fragment_program section 3.11.3.
    pub(crate) fn check_fragment_program(&mut self, names: &FragmentNames) {
        let results = self.state.registers.results;
        // A statement that could not be parsed may have been the one that writes it.
        if results == 0 && !self.resolver.cx.has_errors() {
            report_no_result(&mut self.resolver.cx, self.resolver.program);
        }
        // Results are only counted if an instruction writes them.
        let written = (0..).zip(RESULT_ROOM);
        let written = written.filter(|(number, _)| results >> number & 1 != 0);
        let room = written.map(|(_, room)| room).sum::<u32>() + self.resolver.symbols.register_room;
        if room > names.room {
            let message = format!(
                "temporaries and results count {room}, two for those of 32 bits; the limit is {}",
                names.room
            );
            self.resolver
                .cx
                .reports
                .lenient_whole(Rule::RegisterRoom, message);
        }
    }
}

impl Checked {
    fn is_half_color(&self, dst: &Dst) -> bool {
        let var = self.var(dst.base);
        let is_result = var.is_some_and(|(_, var)| matches!(var.kind, VarKind::Result { .. }));
        is_result && dst.index == Index::Const(COLH)
    }
}

/// Checks registers of packed values: PK2H and similar instructions write registers of 32-bit
/// components, UP2H and similar instructions read them. NV_fragment_program sections 3.11.5.20 and
/// 3.11.5.41.
pub(crate) fn check_packed_register(
    cx: &mut RuleCx<'_>,
    program: &Checked,
    inst: &Inst,
    operands: &[Operand],
    rule: PackedSize,
) {
    let is_half = |base: Base| {
        let var = program.var(base);
        var.is_some_and(|(_, var)| {
            // The file of results is marked as short, see `file`; the number determines which of
            // them are short.
            var.size == VarSize::Short && !matches!(var.kind, VarKind::Result { .. })
        })
    };
    let found = match (rule, inst.dst, operands.first()) {
        (PackedSize::NoShortResult | PackedSize::LongResult, Some(dst), _) => {
            (is_half(dst.base) || program.is_half_color(&dst)).then_some(dst.span)
        }
        (PackedSize::NoShortSource | PackedSize::LongSource, _, Some(source)) => {
            is_half(source.base).then_some(source.span)
        }
        _ => None,
    };
    if let Some(span) = found {
        let name = inst.opcode.mnemonic();
        let message = format!("{name} works on registers of 32-bit components");
        let span = cx.register_span(span);
        cx.error(Code::PackShort, span, message);
    }
}

/// Checks a result without component w. NV_fragment_program section 3.11.5.26.
pub(crate) fn check_three_written(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) {
    let Some(dst) = inst.dst.filter(|dst| dst.mask.has(3)) else {
        return;
    };
    let text = cx.text_at(dst.span);
    let point = text.iter().position(|&byte| byte == b'.');
    let span = match point {
        Some(point) => Span::new(dst.span.start + point as u32 + 1, dst.span.end),
        None => dst.span,
    };
    let message = format!("{} has no component w; write x, y and z only", info.name);
    cx.error(Code::ReflectionMask, span, message);
}

/// Reports that a program writes no result, which is allowed if it discards fragments.
#[cold]
fn report_no_result(cx: &mut RuleCx<'_>, program: &Checked) {
    let message = "the program writes no result";
    let discards = |line: &Line| line.opcode.info().lower == Lower::Expand(Expansion::Kill);
    if program.lines.list.iter().any(discards) {
        let reports = &mut cx.reports;
        reports.lenient_whole(Rule::KillOnly, message);
    } else {
        cx.whole(Code::NoResult, message);
    }
}
