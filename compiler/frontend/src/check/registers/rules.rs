//! Rules of the languages whose programs name registers: forms of instructions, their operands and
//! results, the whole program.

use crate::ast::{Base, Dst, Index, Inst, Operand, Signs};
use crate::check::context::RuleCx;
use crate::check::operands::context::OperandRules;
use crate::check::program::checked::Checked;
use crate::check::registers::fragment::check_fragment_operands;
use crate::codes::Code;
use crate::lang::limits;
use crate::lang::opcodes::OpcodeInfo;
use crate::lang::options::Features;
use crate::lang::register::Registers;
use crate::line::Target;
use crate::source::{ProgramType, Version};
use crate::vars::VarKind;
use glasm_ir::{Semantic, Span};

/// A register, as it is counted by the rule of one parameter and one attribute.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    Attrib,
    Parameter,
}

impl OperandRules<'_, '_> {
    /// Checks the rules for the registers that an instruction reads.
    #[inline]
    pub(crate) fn check_register_operands(&mut self, operands: &[Operand]) {
        check_one_register_of_each(&mut self.resolver.cx, self.resolver.program, operands);
        if self.resolver.cx.facts.fragment_names().is_some() {
            check_fragment_operands(&mut self.resolver.cx, self.resolver.program, operands);
        }
    }

    /// Checks rules that need the whole program.
    pub(crate) fn check_register_program(&mut self, registers: &Registers) {
        if self.resolver.cx.ast.dialect.program_type() == ProgramType::VertexState {
            self.check_state_program();
        }
        let invariant = self.resolver.cx.has_option(Features::POSITION_INVARIANT);
        let limit = if invariant {
            registers.invariant_instructions
        } else {
            registers.instructions
        };
        let count = self.resolver.cx.ast.inst_count;
        // Programs beyond the parser's limit were not read to the end.
        if count as usize > limits::INSTRUCTIONS {
            return;
        }
        if count > limit {
            let message = format!("{count} instructions; the limit is {limit}");
            self.resolver.cx.whole(Code::TooManyInstructions, message);
        }
        // A statement that could not be parsed may have been the one that writes it. The position
        // is the first of the file of results.
        let writes_position =
            self.state.registers.results & 1 != 0 || self.resolver.cx.has_errors();
        if let Some(fragment) = registers.fragment {
            self.check_fragment_program(fragment);
        }
        if self.resolver.cx.stage == glasm_ir::Stage::Vertex && !invariant && !writes_position {
            let message = "the program writes no component of `o[HPOS]`";
            self.resolver.cx.whole(Code::PositionMissing, message);
        }
    }

    /// Records the result that an instruction writes, and reports one that it must not write.
    #[inline]
    pub(crate) fn check_register_result(&mut self, dst: &Target) {
        if let Index::Const(number) = dst.index
            && let VarKind::Result { first } = self.resolver.program.vars[dst.var as usize].kind
        {
            // Files have fewer results than this has bits, and the parser stores 0 for invalid
            // results.
            self.state.registers.results |= 1 << number;
            let semantic = self.resolver.program.results[(first + number) as usize].semantic;
            if semantic == Semantic::Position
                && self.resolver.cx.has_option(Features::POSITION_INVARIANT)
            {
                let span = self.resolver.cx.register_span(dst.span);
                let message = "the program has OPTION NV_position_invariant, so the position is computed for it";
                self.resolver
                    .cx
                    .error(Code::PositionInvariant, span, message);
            }
        }
        if self.resolver.cx.facts.fragment_names().is_some() {
            self.check_one_color(dst);
        }
    }

    /// Checks a parameter as the result of an instruction: it is named by its number.
    pub(crate) fn check_written_parameter(&mut self, dst: &Dst, var: u32) {
        self.state.registers.parameters = true;
        let span = self.resolver.cx.register_span(dst.span);
        // "Writes using relative addressing are not supported": NV_vertex_program section 2.14.1.3.
        if matches!(dst.index, Index::Relative(_)) {
            let message = "a parameter with a run-time index can only be read";
            return self.resolver.cx.error(Code::WriteReadOnly, span, message);
        }
        self.check_index(var, dst.index, span);
    }

    /// Checks rules that need the whole program.
    pub(crate) fn check_state_program(&mut self) {
        // A statement with an error may be the intended one.
        if !self.state.registers.parameters && !self.resolver.cx.has_errors() {
            let message = "the program writes no component of a parameter, such as `c[0]`";
            self.resolver.cx.whole(Code::NoParameterWritten, message);
        }
    }
}

/// Returns true if opcode, suffixes, condition and signs exist in the language; reports it if not.
#[inline]
pub(crate) fn check_register_form(
    cx: &mut RuleCx<'_>,
    inst: &Inst,
    operands: &[Operand],
    (registers, info): (&Registers, &OpcodeInfo),
) -> bool {
    // The opcode first: its operands and conditions are not checked if it does not exist.
    if !has_register_opcode(cx, inst, info) {
        report_missing_register_form(cx, inst, info);
        return false;
    }
    if cx.is_old_vertex() {
        check_old_syntax(cx, inst, operands, registers);
    }
    true
}

/// Returns true if the language has the opcode with these suffixes.
#[inline]
fn has_register_opcode(cx: &RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) -> bool {
    info.since <= cx.version && info.mods.contains(inst.modifiers.mods())
}

#[cold]
fn report_missing_register_form(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) {
    let (name, span) = (info.name, cx.opcode_span(inst));
    if !cx.need_version(info.since, span, format_args!("`{name}` needs")) {
        return;
    }
    // Suffixes of version 1 are condition codes, which version 2.0 adds: the table has no others.
    if cx.is_old_vertex() {
        cx.need_version(Version::V2_0, span, "condition codes need");
        return;
    }
    let message = format!("`{name}` does not take this suffix");
    cx.error(Code::ModifierUnsupported, span, message);
}

/// Reports conditions, absolute values and plus signs in a language without them.
fn check_old_syntax(cx: &mut RuleCx<'_>, inst: &Inst, operands: &[Operand], registers: &Registers) {
    if inst.dst.is_some_and(|dst| dst.guard.is_some()) {
        let span = find_parenthesis(cx, inst);
        cx.need_version(Version::V2_0, span, "conditions need");
    }
    for operand in operands {
        if operand.signs.contains(Signs::ABS) {
            cx.need_version(Version::V2_0, operand.span, "absolute values need");
        } else if operand.signs == Signs::WRITTEN && !registers.plus {
            let span = Span::new(operand.span.start, operand.span.start + 1);
            cx.need_version(Version::V1_1, span, "a plus sign needs");
        }
    }
}

/// Returns the parenthesis that opens the condition after a result.
fn find_parenthesis(cx: &RuleCx<'_>, inst: &Inst) -> Span {
    let text = cx.text_at(inst.span);
    let at = text.iter().position(|&byte| byte == b'(').unwrap_or(0) as u32;
    let start = inst.span.start + at;
    Span::new(start, start + 1)
}

/// Checks that an instruction reads one parameter and one attribute; the same one may occur in
/// several operands. NV_vertex_program section 2.14.1.7, NV_fragment_program section 3.11.4.1.
#[inline]
fn check_one_register_of_each(cx: &mut RuleCx<'_>, program: &Checked, operands: &[Operand]) {
    for (number, operand) in operands.iter().enumerate().skip(1) {
        let Some(counted) = find_counted(cx, program, operand) else {
            continue;
        };
        let earlier = &operands[..number];
        // One comparison suffices: if two of the earlier ones differed, that was reported at the
        // second of them.
        let other = earlier
            .iter()
            .find(|it| find_counted(cx, program, it) == Some(counted));
        if other.is_some_and(|other| !is_same_register(cx, operand, other)) {
            report_second_register(cx, operand, counted);
        }
    }
}

#[inline]
fn find_counted(cx: &RuleCx<'_>, program: &Checked, operand: &Operand) -> Option<Counted> {
    let Base::Var(var) = operand.base else {
        return None;
    };
    let kind = program.vars[var as usize].kind;
    if matches!(kind, VarKind::Attrib { .. }) {
        return Some(Counted::Attrib);
    }
    // In fragment programs constants are counted with parameters, see `fragment`.
    let is_parameter = matches!(kind, VarKind::Param { .. } | VarKind::WritableParam);
    (is_parameter && cx.facts.fragment_names().is_none()).then_some(Counted::Parameter)
}

#[cold]
fn report_second_register(cx: &mut RuleCx<'_>, operand: &Operand, counted: Counted) {
    let span = cx.register_span(operand.span);
    let (code, what) = match counted {
        Counted::Attrib => (Code::TwoAttributes, "attribute"),
        Counted::Parameter => (Code::TwoParameters, "parameter"),
    };
    let message = format!("an instruction reads one {what}; this is a second one");
    cx.error(code, span, message);
}

fn is_same_register(cx: &RuleCx<'_>, operand: &Operand, other: &Operand) -> bool {
    let relative = |index| match index {
        Index::Relative(number) => {
            let info = cx.ast.relatives[number as usize];
            Some((info.base, info.lane, info.offset))
        }
        Index::None | Index::Const(_) | Index::Pair(_) => None,
    };
    // Each dynamic index has a separate entry, so contents are compared, not the numbers of the
    // entries.
    let same_index = match (relative(operand.index), relative(other.index)) {
        (Some(one), Some(two)) => one == two,
        _ => operand.index == other.index,
    };
    operand.base == other.base && same_index
}

/// Checks a label in a language without branches.
pub(crate) fn check_register_label(cx: &mut RuleCx<'_>, span: Span) {
    if cx.is_old_vertex() {
        cx.need_version(Version::V2_0, span, "labels need");
    }
}

/// Returns the span of an operand that cannot be read: without its signs, and without its suffix if
/// the register alone is to blame.
pub(crate) fn find_read_span(cx: &RuleCx<'_>, program: &Checked, var: u32, operand: Span) -> Span {
    if cx.facts.registers.is_none() {
        return operand;
    }
    let register = cx.register_span(operand);
    // The suffix selects a component that cannot be read: `A0.x`.
    if program.vars[var as usize].kind == VarKind::Address {
        Span::new(register.start, operand.end)
    } else {
        register
    }
}
