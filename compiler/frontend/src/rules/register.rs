//! Rules of the languages whose programs name registers: which there are, and what a program and an instruction may use of them.
//! NV_vertex_program section 2.14.1, NV_vertex_program2 section 2.14.1, NV_fragment_program section 3.11.1.

use super::{Checker, IoBinding, Named, Var, VarKind, VarSize};
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::lang::limits;
use crate::lang::opcodes::OpcodeInfo;
use crate::lang::options::Features;
use crate::lang::register::{
    self, File, FileKind, FragmentNames, Parameters, Registers, Temporaries,
};
use crate::line::Target;
use crate::names::NameId;
use crate::source::{Family, ProgramType, Version};
use crate::statement::{Base, Index, Inst, Operand, Signs};
use glasm_ir::{ParamSource, Semantic, Span};

/// A register as the rule of one parameter and one attribute counts it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    Attrib,
    Parameter,
}

impl Checker<'_> {
    /// The variable of a register that no instruction has named before; reports a name that is no register.
    #[cold]
    pub(super) fn register(
        &mut self,
        registers: &'static Registers,
        name: NameId,
        span: Span,
    ) -> Option<u32> {
        let text = self.syntax.reading.names.text(name);
        let place = Span::new(span.start, span.start + text.len() as u32);
        let var = match Self::find_register(registers, text) {
            Found::File(file) => self.file(file),
            Found::Parameters(parameters) => self.parameter_registers(parameters),
            Found::Temporary(file) => self.temporary(file, place),
            Found::Codes { half } => Var {
                size: size_of(half),
                ..Var::unnamed(VarKind::Codes, place)
            },
            Found::Unit(unit) => Var::unnamed(VarKind::Texture { unit }, place),
            Found::Address => Var::unnamed(VarKind::Address, place),
            Found::None(_) if registers.fragment.is_some() => {
                return self.undeclared_variable(name, span);
            }
            Found::None(problem) => {
                self.no_register(name, place, problem);
                return None;
            }
        };
        let number = self.program.vars.len() as u32;
        self.program.vars.push(Var {
            name: Some(name),
            ..var
        });
        self.syntax.words[name.index()].named = Named::Var(number);
        Some(number)
    }

    pub(super) fn find_register(registers: &'static Registers, text: &[u8]) -> Found {
        if let Some(file) = registers.file(text) {
            return Found::File(file);
        }
        if let Some(parameters) = registers.parameters
            && parameters.name.as_bytes() == text
        {
            return Found::Parameters(parameters);
        }
        if let Some(found) = registers.fragment.and_then(|names| find_named(names, text)) {
            return found;
        }
        let number = text.get(1..).and_then(register::number);
        let (Some(&letter), Some(number)) = (text.first(), number) else {
            return Found::None(Problem::Unknown);
        };
        if letter == b'A' {
            return match number < registers.addresses {
                true => Found::Address,
                false => Found::None(Problem::Address),
            };
        }
        match registers.temporaries.iter().find(|it| it.letter == letter) {
            Some(file) if number < file.count => Found::Temporary(file),
            Some(file) => Found::None(Problem::Number(file.count)),
            None => Found::None(Problem::Unknown),
        }
    }

    /// The array of all registers of a file.
    fn file(&mut self, file: &'static File) -> Var {
        let kind = match file.kind {
            // Each use was reported where it stands.
            _ if file.elements.is_empty() => {
                return Var::unnamed(VarKind::Poisoned, Span::default());
            }
            FileKind::Attribs => VarKind::Attrib {
                first: bind_elements(file, &mut self.program.attribs),
            },
            FileKind::Results => VarKind::Result {
                first: bind_elements(file, &mut self.program.results),
            },
            FileKind::Argument => VarKind::Argument,
        };
        // One of the results of fragment programs has half precision: what instructions write to any of them is looked at.
        let is_mixed = self.family == Family::Fragment1 && file.kind == FileKind::Results;
        Var {
            array: Some(file.elements.len() as u32),
            size: size_of(is_mixed),
            ..Var::unnamed(kind, Span::default())
        }
    }

    /// A temporary that was not named before.
    fn temporary(&mut self, file: &Temporaries, place: Span) -> Var {
        self.registers.room += if file.half { 1 } else { 2 };
        Var {
            size: size_of(file.half),
            ..Var::unnamed(VarKind::Temp, place)
        }
    }

    /// The array of all parameters.
    fn parameter_registers(&mut self, parameters: Parameters) -> Var {
        let count = parameters.count;
        let kind = match parameters.writable {
            true => VarKind::WritableParam,
            false => {
                let first = self.program.params.len() as u32;
                self.program.params.extend((0..count).map(ParamSource::Env));
                VarKind::Param { first }
            }
        };
        Var {
            array: Some(count),
            ..Var::unnamed(kind, Span::default())
        }
    }

    #[cold]
    fn no_register(&mut self, name: NameId, span: Span, problem: Problem) {
        self.syntax.words[name.index()].named = Named::Poisoned;
        let text = self.name_text(name);
        if text == "CC" && self.family_is_old_vertex() {
            self.need_version(Version::V2_0, span, "`CC` needs");
            return;
        }
        let (code, message) = match problem {
            Problem::Unknown if self.is_codes_target(name) => (
                Code::ReadResult,
                format!("`{text}` keeps condition codes, which only conditions read"),
            ),
            Problem::Number(count) => {
                let message = format!("`{text}`: there are {count} registers, from 0 on");
                (Code::BindingRange, message)
            }
            Problem::Address => (
                Code::AddressRegister,
                format!("`{text}` is no address register"),
            ),
            Problem::Unknown => (Code::UnknownRegister, format!("`{text}` is no register")),
        };
        self.error(code, span, message);
    }

    /// Whether opcode, suffixes, condition and signs exist in the language; reports it if not.
    #[inline]
    pub(super) fn register_form(
        &mut self,
        inst: &Inst,
        operands: &[Operand],
        (registers, info): (&Registers, &OpcodeInfo),
    ) -> bool {
        if !self.exists(inst, info) {
            self.missing_register_form(inst, info);
            return false;
        }
        if self.family_is_old_vertex() {
            self.old_syntax(inst, operands, registers);
        }
        true
    }

    /// Whether opcode, suffixes, condition and signs exist in the language, for all but state programs, whose results are parameters.
    #[inline]
    pub(super) fn has_usual_register_form(&self, inst: &Inst, info: &OpcodeInfo) -> bool {
        self.exists(inst, info)
            && self.stage != glasm_ir::Stage::Compute
            && (!self.family_is_old_vertex() || self.is_old_line(inst))
    }

    /// Whether the language has the opcode with these suffixes.
    #[inline]
    fn exists(&self, inst: &Inst, info: &OpcodeInfo) -> bool {
        info.since <= self.version && info.mods.contains(inst.modifiers.mods())
    }

    /// Whether a line has nothing that newer versions have brought to all instructions.
    fn is_old_line(&self, inst: &Inst) -> bool {
        let has_plus = self.facts.registers.is_none_or(|registers| registers.plus);
        let operands = &self.syntax.reading.operands;
        self.is_plain_line(inst, operands)
            && (has_plus || operands.iter().all(|it| it.signs != Signs::WRITTEN))
    }

    #[cold]
    fn missing_register_form(&mut self, inst: &Inst, info: &OpcodeInfo) {
        let (name, span) = (info.name, self.opcode_span(inst));
        if !self.need_version(info.since, span, format_args!("`{name}` needs")) {
            return;
        }
        if self.family_is_old_vertex() {
            self.need_version(Version::V2_0, span, "condition codes need");
            return;
        }
        let message = format!("`{name}` does not take this suffix");
        self.error(Code::ModifierUnsupported, span, message);
    }

    /// Whether the language has neither condition codes nor absolute values of operands.
    fn family_is_old_vertex(&self) -> bool {
        self.family == Family::Vertex1
    }

    /// Conditions, absolute values and plus signs in a language without them.
    fn old_syntax(&mut self, inst: &Inst, operands: &[Operand], registers: &Registers) {
        if inst.dst.is_some_and(|dst| dst.guard.is_some()) {
            let span = self.parenthesis(inst);
            self.need_version(Version::V2_0, span, "conditions need");
        }
        for operand in operands {
            if operand.signs.contains(Signs::ABS) {
                self.need_version(Version::V2_0, operand.span, "absolute values need");
            } else if operand.signs == Signs::WRITTEN && !registers.plus {
                let span = Span::new(operand.span.start, operand.span.start + 1);
                self.need_version(Version::V1_1, span, "a plus sign needs");
            }
        }
    }

    /// The parenthesis that opens the condition behind a result.
    fn parenthesis(&self, inst: &Inst) -> Span {
        let text = self.text_at(inst.span);
        let at = text.iter().position(|&byte| byte == b'(').unwrap_or(0) as u32;
        let start = inst.span.start + at;
        Span::new(start, start + 1)
    }

    /// The rules for the registers that an instruction reads.
    #[inline]
    pub(super) fn register_operands(&mut self, operands: &[Operand]) {
        self.one_register_of_each(operands);
        if self.family == Family::Fragment1 {
            self.fragment_operands(operands);
        }
    }

    /// An instruction reads one parameter and one attribute; the same one may stand in several operands. NV_vertex_program section
    /// 2.14.1.7, NV_fragment_program section 3.11.4.1.
    #[inline]
    fn one_register_of_each(&mut self, operands: &[Operand]) {
        for (number, operand) in operands.iter().enumerate().skip(1) {
            let Some(counted) = self.counted(operand) else {
                continue;
            };
            let earlier = &operands[..number];
            let other = earlier.iter().find(|it| self.counted(it) == Some(counted));
            if other.is_some_and(|other| !self.is_same_register(operand, other)) {
                self.second_register(operand, counted);
            }
        }
    }

    #[inline]
    fn counted(&self, operand: &Operand) -> Option<Counted> {
        let Base::Var(var) = operand.base else {
            return None;
        };
        let kind = self.program.vars[var as usize].kind;
        if matches!(kind, VarKind::Attrib { .. }) {
            return Some(Counted::Attrib);
        }
        // In fragment programs constants are counted with parameters, see `register_fragment`.
        let is_parameter = matches!(kind, VarKind::Param { .. } | VarKind::WritableParam);
        (is_parameter && self.family != Family::Fragment1).then_some(Counted::Parameter)
    }

    #[cold]
    fn second_register(&mut self, operand: &Operand, counted: Counted) {
        let span = self.register_span(operand.span);
        let (code, what) = match counted {
            Counted::Attrib => (Code::TwoAttributes, "attribute"),
            Counted::Parameter => (Code::TwoParameters, "parameter"),
        };
        let message = format!("an instruction reads one {what}; this is a second one");
        self.error(code, span, message);
    }

    fn is_same_register(&self, operand: &Operand, other: &Operand) -> bool {
        let relative = |index| match index {
            Index::Relative(number) => {
                let info = self.syntax.reading.relatives[number as usize];
                Some((info.base, info.lane, info.offset))
            }
            Index::None | Index::Const(_) | Index::Pair(_) => None,
        };
        let same_index = match (relative(operand.index), relative(other.index)) {
            (Some(one), Some(two)) => one == two,
            _ => operand.index == other.index,
        };
        operand.base == other.base && same_index
    }

    /// Where an operand stands that cannot be read: without its signs, and without its suffix if the register alone is to blame.
    pub(super) fn read_place(&self, var: u32, operand: Span) -> Span {
        if self.facts.registers.is_none() {
            return operand;
        }
        let register = self.register_span(operand);
        match self.program.vars[var as usize].kind == VarKind::Address {
            true => Span::new(register.start, operand.end),
            false => register,
        }
    }

    /// An index of an array of registers that is out of range, missing or computed at run time.
    pub(super) fn register_index(
        &mut self,
        registers: &Registers,
        (var, count): (u32, u32),
        index: Index,
        operand: Span,
    ) {
        let (span, text) = (self.register_span(operand), self.var_text(var));
        match index {
            Index::Relative(relative) => {
                self.relative(var, count, relative);
                self.invariant_index(registers, span);
            }
            Index::Const(number) if number >= count => {
                let message =
                    format!("number {number} is out of range: {text} has {count} registers");
                self.error(Code::BindingRange, span, message);
            }
            Index::Const(_) => {}
            Index::None | Index::Pair(_) => {
                let message = format!("{text} needs one number in brackets");
                self.error(Code::ArrayNeedsIndex, span, message);
            }
        }
    }

    /// A run-time index in a position-invariant program of version 1.1. NV_vertex_program2 section 2.14.6.1.
    fn invariant_index(&mut self, registers: &Registers, span: Span) {
        if self.has_option(Features::POSITION_INVARIANT) && !registers.whole_addresses {
            let message = "a position-invariant program has no parameters with a run-time index";
            self.lenient(Rule::InvariantIndex, span, message);
        }
    }

    /// What an operand or a result names, without signs, bars and suffix in programs of registers.
    pub(super) fn named_span(&self, span: Span) -> Span {
        match self.facts.registers {
            Some(_) => self.register_span(span),
            None => span,
        }
    }

    /// The operand without signs and bars in programs of registers, but with its suffix.
    pub(super) fn value_span(&self, operand: Span) -> Span {
        if self.facts.registers.is_none() {
            return operand;
        }
        let text = self.text_at(operand);
        let before = text.iter().take_while(|&&byte| is_sign(byte)).count() as u32;
        let behind = text.iter().rev().take_while(|&&byte| is_sign(byte)).count() as u32;
        Span::new(operand.start + before, operand.end - behind)
    }

    /// The register of an operand, without signs, bars and suffix.
    pub(super) fn register_span(&self, operand: Span) -> Span {
        let text = self.text_at(operand);
        let skipped = text.iter().take_while(|&&byte| is_sign(byte)).count();
        let register = &text[skipped..];
        let end = match register.iter().position(|&byte| byte == b']') {
            Some(bracket) => bracket + 1,
            None => crate::lex::word_length(register),
        };
        let start = operand.start + skipped as u32;
        Span::new(start, start + end as u32)
    }

    /// A label in a language without branches.
    pub(super) fn register_label(&mut self, span: Span) {
        if self.family_is_old_vertex() {
            self.need_version(Version::V2_0, span, "labels need");
        }
    }

    /// Notes the result that an instruction writes, and reports one that it must not write.
    #[inline]
    pub(super) fn register_result(&mut self, dst: &Target) {
        if let Index::Const(number) = dst.index
            && let VarKind::Result { first } = self.program.vars[dst.var as usize].kind
        {
            self.registers.results |= 1 << number;
            let semantic = self.program.results[(first + number) as usize].semantic;
            if semantic == Semantic::Position && self.has_option(Features::POSITION_INVARIANT) {
                let span = self.register_span(dst.span);
                let message = "the program has OPTION NV_position_invariant, so the position is computed for it";
                self.error(Code::PositionInvariant, span, message);
            }
        }
        if self.family == Family::Fragment1 {
            self.one_color(dst);
        }
    }

    /// Rules that need the whole program.
    pub(super) fn whole_registers(&mut self, registers: &Registers) {
        if self.program.dialect.program_type() == ProgramType::VertexState {
            self.whole_state_program();
        }
        let invariant = self.has_option(Features::POSITION_INVARIANT);
        let limit = match invariant {
            true => registers.invariant_instructions,
            false => registers.instructions,
        };
        let count = self.syntax.reading.inst_count;
        // Programs beyond the parser's limit were not read to the end.
        if count as usize > limits::INSTRUCTIONS {
            return;
        }
        if count > limit {
            let message = format!("{count} instructions; the limit is {limit}");
            self.whole(Code::TooManyInstructions, message);
        }
        // Where a statement could not be read it may have been the one that writes it.
        let writes_position = self.registers.results & 1 != 0 || self.has_errors();
        if let Some(fragment) = registers.fragment {
            self.whole_fragment(fragment);
        }
        if self.stage == glasm_ir::Stage::Vertex && !invariant && !writes_position {
            let message = "the program writes no component of `o[HPOS]`";
            self.whole(Code::PositionMissing, message);
        }
    }
}

/// What stands around a value that it is no part of: signs, bars and blanks.
fn is_sign(byte: u8) -> bool {
    matches!(byte, b'-' | b'+' | b'|') || byte.is_ascii_whitespace()
}

fn size_of(half: bool) -> VarSize {
    match half {
        true => VarSize::Short,
        false => VarSize::Normal,
    }
}

/// The register of condition codes or the texture image unit of this name.
fn find_named(names: &FragmentNames, text: &[u8]) -> Option<Found> {
    let codes = names.codes.iter().find(|it| it.name.as_bytes() == text);
    if let Some(register) = codes {
        let half = register.half;
        return Some(Found::Codes { half });
    }
    let number = text.strip_prefix(names.unit.as_bytes());
    let unit = number.and_then(register::number)?;
    (unit < names.units).then_some(Found::Unit(unit))
}

/// Adds the registers of a file to a table of bindings; gives the number of the first one.
fn bind_elements(file: &File, table: &mut Vec<IoBinding>) -> u32 {
    let first = table.len() as u32;
    let semantics = file.elements.iter().map(|&(_, semantic)| semantic);
    table.extend(semantics.map(IoBinding::float));
    first
}

/// What a name may be.
pub(super) enum Found {
    File(&'static File),
    Parameters(Parameters),
    Temporary(&'static Temporaries),
    /// A register of condition codes, of half precision or not.
    Codes {
        half: bool,
    },
    /// A texture image unit.
    Unit(u32),
    Address,
    None(Problem),
}

/// Why a name is no register.
#[derive(Clone, Copy)]
pub(super) enum Problem {
    /// There are so many only.
    Number(u32),
    Address,
    Unknown,
}
