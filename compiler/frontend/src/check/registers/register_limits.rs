//! Rules of the languages whose programs name registers: forms of instructions, their operands and
//! results, the whole program.

use crate::ast::{Dst, Index, Inst, Operand, OperandBase, Signs};
use crate::check::context::RuleCx;
use crate::check::operands::context::OperandRules;
use crate::check::program::CheckedProgram;
use crate::check::registers::fp1::check_fragment_operands;
use crate::codes::Code;
use crate::lang::limits;
use crate::lang::opcodes::OpcodeInfo;
use crate::lang::options::Features;
use crate::lang::register::Registers;
use crate::resolved_inst::ResolvedDst;
use crate::source::{ProgramType, Version};
use crate::variables::VarKind;
use glasm_ir::{Semantic, Span};

/// A register, as counted by the rule of one parameter and one attribute.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CountedRegister {
    Attrib,
    Parameter,
}

impl OperandRules<'_, '_> {
    /// Reports a second different register of a kind of which an instruction reads one, and
    /// violations of the rules of fragment programs for parameters and constants.
    pub(crate) fn check_register_operands(&mut self, operands: &[Operand]) {
        check_one_register_of_each(&mut self.resolver.cx, self.resolver.program, operands);
        if self.resolver.cx.traits.fragment_names().is_some() {
            check_fragment_operands(&mut self.resolver.cx, self.resolver.program, operands);
        }
    }

    /// Checks the rules for a whole program of the languages with numbered registers and reports
    /// violations: the number of instructions, which is smaller in position-invariant programs, a
    /// vertex program that does not write the position, and the rules of state and fragment
    /// programs.
    pub(crate) fn check_register_program(&mut self, registers: &Registers) {
        if self.resolver.cx.ast.dialect.program_type() == ProgramType::VertexState {
            self.check_state_program();
        }
        let invariant = self.resolver.cx.has_option(Features::POSITION_INVARIANT);
        let limit = if invariant {
            registers.max_invariant_instructions
        } else {
            registers.max_instructions
        };
        let count = self.resolver.cx.ast.inst_count;
        // Programs beyond the parser's limit were not read to the end.
        if count as usize > limits::INSTRUCTIONS {
            return;
        }
        if count > limit {
            let message = format!("{count} instructions; the limit is {limit}");
            self.resolver
                .cx
                .report_program_error(Code::TooManyInstructions, message);
        }
        // A statement that could not be parsed may have been the one that writes it. The position
        // is the first of the file of results.
        let writes_position =
            self.state.registers.written_results & 1 != 0 || self.resolver.cx.has_errors();
        if let Some(fragment) = registers.fragment {
            self.check_fragment_program(fragment);
        }
        if self.resolver.cx.stage == glasm_ir::Stage::Vertex && !invariant && !writes_position {
            let message = "the program writes no component of `o[HPOS]`";
            self.resolver
                .cx
                .report_program_error(Code::PositionMissing, message);
        }
    }

    /// Records the result that an instruction writes. Reports the position in a position-invariant
    /// program, and the second color of a fragment program.
    pub(crate) fn check_register_result(&mut self, dst: &ResolvedDst) {
        if let Index::Const(number) = dst.index
            && let VarKind::Result { first } = self.resolver.program.vars[dst.var as usize].kind
        {
            // Files have fewer results than this has bits, and the parser stores 0 for invalid
            // results.
            self.state.registers.written_results |= 1 << number;
            let semantic = self.resolver.program.results[(first + number) as usize].semantic;
            if semantic == Semantic::Position
                && self.resolver.cx.has_option(Features::POSITION_INVARIANT)
            {
                let span = self.resolver.cx.register_span(dst.span);
                let message = "the program has OPTION NV_position_invariant, so the position is computed for it";
                self.resolver
                    .cx
                    .report_error(Code::PositionInvariant, span, message);
            }
        }
        if self.resolver.cx.traits.fragment_names().is_some() {
            self.check_one_color(dst);
        }
    }

    /// Checks a parameter as the result of an instruction, and records that the program writes one.
    /// Reports dynamic indices, and constant ones that are missing or out of range.
    pub(crate) fn check_written_parameter(&mut self, dst: &Dst, var: u32) {
        self.state.registers.writes_parameter = true;
        let span = self.resolver.cx.register_span(dst.span);
        // "Writes using relative addressing are not supported": NV_vertex_program section 2.14.1.3.
        if matches!(dst.index, Index::Relative(_)) {
            let message = "a parameter with a run-time index can only be read";
            return self
                .resolver
                .cx
                .report_error(Code::WriteReadOnly, span, message);
        }
        self.check_index(var, dst.index, span);
    }

    /// Reports a vertex state program that writes no parameter, unless it has errors anyway.
    pub(crate) fn check_state_program(&mut self) {
        // A statement with an error may be the intended one.
        if !self.state.registers.writes_parameter && !self.resolver.cx.has_errors() {
            let message = "the program writes no component of a parameter, such as `c[0]`";
            self.resolver
                .cx
                .report_program_error(Code::NoParameterWritten, message);
        }
    }
}

/// Returns true if the language has the opcode with its suffixes; reports them if not: then
/// operands and conditions need no further checks. Programs of version 1 are also checked for
/// conditions and signs that later versions add.
pub(crate) fn check_register_form(
    cx: &mut RuleCx<'_>,
    inst: &Inst,
    operands: &[Operand],
    (registers, info): (&Registers, &OpcodeInfo),
) -> bool {
    if !has_register_opcode(cx, inst, info) {
        report_missing_register_form(cx, inst, info);
        return false;
    }
    if cx.is_vp1() {
        check_old_syntax(cx, inst, operands, registers);
    }
    true
}

/// Returns true if the language has the opcode with these suffixes.
fn has_register_opcode(cx: &RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) -> bool {
    info.since <= cx.version && info.mods.contains(inst.modifiers.mods())
}

/// Reports why an opcode with its suffixes is not available: the language version, or a suffix that
/// it does not take.
fn report_missing_register_form(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) {
    let (name, span) = (info.name, cx.opcode_span(inst));
    if !cx.require_version(info.since, span, format_args!("`{name}` needs")) {
        return;
    }
    // Suffixes of version 1 are condition codes, which version 2.0 adds: the table has no others.
    if cx.is_vp1() {
        cx.require_version(Version::V2_0, span, "condition codes need");
        return;
    }
    let message = format!("`{name}` does not take this suffix");
    cx.report_error(Code::ModifierUnsupported, span, message);
}

/// Reports conditions, absolute values and plus signs in programs of version 1, as features of the
/// version that has them.
fn check_old_syntax(cx: &mut RuleCx<'_>, inst: &Inst, operands: &[Operand], registers: &Registers) {
    if inst.dst.is_some_and(|dst| dst.guard.is_some()) {
        let span = find_parenthesis(cx, inst);
        cx.require_version(Version::V2_0, span, "conditions need");
    }
    for operand in operands {
        if operand.signs.contains(Signs::ABS) {
            cx.require_version(Version::V2_0, operand.span, "absolute values need");
        } else if operand.signs == Signs::WRITTEN && !registers.allows_plus {
            let span = Span::new(operand.span.start, operand.span.start + 1);
            cx.require_version(Version::V1_1, span, "a plus sign needs");
        }
    }
}

/// Returns the span of the first parenthesis of an instruction, which opens the condition after its
/// result.
fn find_parenthesis(cx: &RuleCx<'_>, inst: &Inst) -> Span {
    let text = cx.source_bytes(inst.span);
    let at = text.iter().position(|&byte| byte == b'(').unwrap_or(0) as u32;
    let start = inst.span.start + at;
    Span::new(start, start + 1)
}

/// Reports operands that read a second different parameter or attribute, of which an instruction
/// reads one; the same one may occur in several operands. NV_vertex_program section 2.14.1.7,
/// NV_fragment_program section 3.11.4.1.
fn check_one_register_of_each(cx: &mut RuleCx<'_>, program: &CheckedProgram, operands: &[Operand]) {
    for (number, operand) in operands.iter().enumerate().skip(1) {
        let Some(counted) = find_counted(cx, program, operand) else {
            continue;
        };
        let earlier = &operands[..number];
        // One comparison suffices: if two of the earlier ones differed, that was reported at the
        // second of them.
        let earlier_operand = earlier
            .iter()
            .find(|it| find_counted(cx, program, it) == Some(counted));
        if earlier_operand.is_some_and(|other| !is_same_register(cx, operand, other)) {
            report_second_register(cx, operand, counted);
        }
    }
}

/// Returns the kind of register, attribute or parameter, that an operand reads if an instruction
/// may read only one of that kind; else `None`, also for parameters of fragment programs, which
/// have a separate rule.
fn find_counted(
    cx: &RuleCx<'_>,
    program: &CheckedProgram,
    operand: &Operand,
) -> Option<CountedRegister> {
    let OperandBase::Var(var) = operand.base else {
        return None;
    };
    let kind = program.vars[var as usize].kind;
    if matches!(kind, VarKind::Attrib { .. }) {
        return Some(CountedRegister::Attrib);
    }
    // In fragment programs constants are counted with parameters, see `fp1`.
    let is_parameter = matches!(kind, VarKind::Param { .. } | VarKind::WritableParam);
    (is_parameter && cx.traits.fragment_names().is_none()).then_some(CountedRegister::Parameter)
}

/// Reports an operand that is the instruction's second different attribute or parameter.
fn report_second_register(cx: &mut RuleCx<'_>, operand: &Operand, counted: CountedRegister) {
    let span = cx.register_span(operand.span);
    let (code, register_kind) = match counted {
        CountedRegister::Attrib => (Code::TwoAttributes, "attribute"),
        CountedRegister::Parameter => (Code::TwoParameters, "parameter"),
    };
    let message = format!("an instruction reads one {register_kind}; this is a second one");
    cx.report_error(code, span, message);
}

/// Returns true if two operands name the same register with the same index; dynamic indices are
/// compared by their content.
fn is_same_register(cx: &RuleCx<'_>, operand: &Operand, other: &Operand) -> bool {
    let relative = |index| match index {
        Index::Relative(number) => {
            let info = cx.ast.relative_indices[number as usize];
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

/// Reports a label in a language without branches, NV_vertex_program.
pub(crate) fn check_register_label(cx: &mut RuleCx<'_>, span: Span) {
    if cx.is_vp1() {
        cx.require_version(Version::V2_0, span, "labels need");
    }
}

/// Returns the span of an operand that cannot be read. In the languages with numbered registers it
/// excludes signs, and the suffix unless the variable is an address register.
pub(crate) fn find_read_span(
    cx: &RuleCx<'_>,
    program: &CheckedProgram,
    var: u32,
    operand: Span,
) -> Span {
    if cx.traits.registers.is_none() {
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
