//! Rules of the languages whose programs name registers: forms of instructions, what they read and write, the whole program.

use super::{Checker, VarKind};
use crate::ast::{Base, Dst, Index, Inst, Operand, Signs};
use crate::codes::Code;
use crate::lang::limits;
use crate::lang::opcodes::OpcodeInfo;
use crate::lang::options::Features;
use crate::lang::register::Registers;
use crate::line::Target;
use crate::source::{ProgramType, Version};
use glasm_ir::{Semantic, Span};

/// A register as the rule of one parameter and one attribute counts it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    Attrib,
    Parameter,
}

impl Checker<'_> {
    /// Whether opcode, suffixes, condition and signs exist in the language; reports it if not.
    #[inline]
    pub(super) fn register_form(
        &mut self,
        inst: &Inst,
        operands: &[Operand],
        (registers, info): (&Registers, &OpcodeInfo),
    ) -> bool {
        // The opcode first: its operands and conditions say nothing if it does not exist.
        if !self.exists(inst, info) {
            self.report_missing_register_form(inst, info);
            return false;
        }
        if self.family_is_old_vertex() {
            self.old_syntax(inst, operands, registers);
        }
        true
    }

    /// Whether the language has the opcode with these suffixes.
    #[inline]
    fn exists(&self, inst: &Inst, info: &OpcodeInfo) -> bool {
        info.since <= self.version && info.mods.contains(inst.modifiers.mods())
    }

    #[cold]
    fn report_missing_register_form(&mut self, inst: &Inst, info: &OpcodeInfo) {
        let (name, span) = (info.name, self.opcode_span(inst));
        if !self.need_version(info.since, span, format_args!("`{name}` needs")) {
            return;
        }
        // Suffixes of version 1 are condition codes, which version 2.0 brings: the table has no others.
        if self.family_is_old_vertex() {
            self.need_version(Version::V2_0, span, "condition codes need");
            return;
        }
        let message = format!("`{name}` does not take this suffix");
        self.error(Code::ModifierUnsupported, span, message);
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
        if self.facts.fragment_names().is_some() {
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
            // One comparison suffices: if two of the earlier ones differed, that was reported at the second of them.
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
        (is_parameter && self.facts.fragment_names().is_none()).then_some(Counted::Parameter)
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
                let info = self.ast.relatives[number as usize];
                Some((info.base, info.lane, info.offset))
            }
            Index::None | Index::Const(_) | Index::Pair(_) => None,
        };
        // Each run-time index has an entry of its own, so contents are compared, not the numbers of the entries.
        let same_index = match (relative(operand.index), relative(other.index)) {
            (Some(one), Some(two)) => one == two,
            _ => operand.index == other.index,
        };
        operand.base == other.base && same_index
    }

    /// Checks rules that need the whole program.
    pub(super) fn check_register_program(&mut self, registers: &Registers) {
        if self.program.dialect.program_type() == ProgramType::VertexState {
            self.check_state_program();
        }
        let invariant = self.has_option(Features::POSITION_INVARIANT);
        let limit = match invariant {
            true => registers.invariant_instructions,
            false => registers.instructions,
        };
        let count = self.ast.inst_count;
        // Programs beyond the parser's limit were not read to the end.
        if count as usize > limits::INSTRUCTIONS {
            return;
        }
        if count > limit {
            let message = format!("{count} instructions; the limit is {limit}");
            self.whole(Code::TooManyInstructions, message);
        }
        // Where a statement could not be read it may have been the one that writes it.
        // The position is the first of the file of results.
        let writes_position = self.registers.results & 1 != 0 || self.has_errors();
        if let Some(fragment) = registers.fragment {
            self.check_fragment_program(fragment);
        }
        if self.stage == glasm_ir::Stage::Vertex && !invariant && !writes_position {
            let message = "the program writes no component of `o[HPOS]`";
            self.whole(Code::PositionMissing, message);
        }
    }

    /// Notes the result that an instruction writes, and reports one that it must not write.
    #[inline]
    pub(super) fn register_result(&mut self, dst: &Target) {
        if let Index::Const(number) = dst.index
            && let VarKind::Result { first } = self.program.vars[dst.var as usize].kind
        {
            // Files have fewer results than this has bits, and the parser puts 0 for what is none of them.
            self.registers.results |= 1 << number;
            let semantic = self.program.results[(first + number) as usize].semantic;
            if semantic == Semantic::Position && self.has_option(Features::POSITION_INVARIANT) {
                let span = self.register_span(dst.span);
                let message = "the program has OPTION NV_position_invariant, so the position is computed for it";
                self.error(Code::PositionInvariant, span, message);
            }
        }
        if self.facts.fragment_names().is_some() {
            self.one_color(dst);
        }
    }

    /// A label in a language without branches.
    pub(super) fn register_label(&mut self, span: Span) {
        if self.family_is_old_vertex() {
            self.need_version(Version::V2_0, span, "labels need");
        }
    }

    /// Where an operand stands that cannot be read: without its signs, and without its suffix if the register alone is to blame.
    pub(super) fn read_place(&self, var: u32, operand: Span) -> Span {
        if self.facts.registers.is_none() {
            return operand;
        }
        let register = self.register_span(operand);
        // The suffix selects what cannot be read: `A0.x`.
        match self.program.vars[var as usize].kind == VarKind::Address {
            true => Span::new(register.start, operand.end),
            false => register,
        }
    }

    /// A parameter as the result of an instruction: it is named by its number.
    pub(super) fn written_parameter(&mut self, dst: &Dst, var: u32) {
        self.registers.parameters = true;
        let span = self.register_span(dst.span);
        // "Writes using relative addressing are not supported": NV_vertex_program section 2.14.1.3.
        if matches!(dst.index, Index::Relative(_)) {
            let message = "a parameter with a run-time index can only be read";
            return self.error(Code::WriteReadOnly, span, message);
        }
        self.index(var, dst.index, span);
    }

    /// Checks rules that need the whole program.
    pub(super) fn check_state_program(&mut self) {
        // A statement with an error may be the one that was meant to.
        if !self.registers.parameters && !self.has_errors() {
            let message = "the program writes no component of a parameter, such as `c[0]`";
            self.whole(Code::NoParameterWritten, message);
        }
    }
}
