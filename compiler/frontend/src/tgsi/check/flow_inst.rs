//! Instructions of flow control, and rules of other opcodes that only some stages have.

use super::checker::CheckResult;
use super::contexts::StatementChecker;
use super::registers::TgsiInst;
use crate::codes::{Code, LenientRule};
use crate::tgsi::checked::{CheckedInst, CheckedValue, InstDetails};
use crate::tgsi::opcodes::{Flow, Formula};
use glasm_ir::cfg::{BasicBlockId, LabelId};
use glasm_ir::{Id, Interpolation, OperandBase};

impl StatementChecker<'_> {
    /// Begins the main routine.
    #[cold]
    pub(super) fn begin_main(&mut self) {
        self.has_instructions = true;
        self.begin_block(BasicBlockId::default());
    }

    /// Begins the basic block of a routine.
    fn begin_block(&mut self, block: BasicBlockId) {
        let is_reachable = self.resolver.program.call_graph.is_reachable(block);
        self.resolver.checker.blocks.begin_routine(is_reachable);
    }

    /// Checks flow control and adds it to the checked program, unless it cannot run. `is_first`:
    /// true for the first instruction.
    pub(super) fn check_flow_inst(
        &mut self,
        flow: Flow,
        inst: &TgsiInst,
        is_first: bool,
    ) -> CheckResult<()> {
        let lowered = self.check_flow_rules(flow, inst, is_first);
        if let Ok(Some(details)) = lowered {
            self.push_inst(inst.to_checked(details));
        } else {
            self.resolver.program.sources.truncate(inst.first_source);
        }
        lowered.map(|_| ())
    }

    /// Checks flow control, opens and closes its blocks. Returns the details of an instruction that
    /// is part of the checked program, and `None` for others. `is_first`: true for the first
    /// instruction.
    fn check_flow_rules(
        &mut self,
        flow: Flow,
        inst: &TgsiInst,
        is_first: bool,
    ) -> CheckResult<Option<InstDetails>> {
        if self.resolver.checker.exceeds_max_depth(flow) {
            return Ok(None);
        }
        let details = if flow == Flow::Case {
            InstDetails::Case(self.check_case_value(inst)?)
        } else {
            InstDetails::None
        };
        let blocks = &self.resolver.checker.blocks;
        let (is_live, is_block_live) = (!blocks.is_dead(), blocks.is_in_live_block());
        self.resolver.checker.check_flow(flow, inst, is_first)?;
        let is_lowered = match flow {
            Flow::If(_) | Flow::Loop | Flow::Switch => is_live,
            Flow::Else => {
                self.resolver.checker.blocks.begin_else();
                is_block_live
            }
            Flow::Case | Flow::Default => {
                self.resolver.checker.blocks.begin_section();
                is_block_live
            }
            Flow::EndIf | Flow::EndLoop | Flow::EndSwitch => is_block_live,
            Flow::Break | Flow::BreakIf | Flow::Continue | Flow::Return | Flow::Kill => {
                is_live && self.record_jump(flow)
            }
            Flow::Call => {
                self.push_call(inst.label.map(|it| it.0), inst);
                false
            }
            Flow::Subroutine => {
                self.begin_subroutine(inst);
                false
            }
            // Instructions up to the next subroutine are unreachable.
            Flow::EndSubroutine | Flow::End => {
                self.resolver.checker.blocks.end_routine();
                false
            }
            Flow::Nothing | Flow::Unsupported => false,
        };
        Ok(is_lowered.then_some(details))
    }

    /// Records a jump that can run. Returns false if it has no target.
    fn record_jump(&mut self, flow: Flow) -> bool {
        let blocks = &mut *self.resolver.checker.blocks;
        let has_target = if matches!(flow, Flow::Break | Flow::BreakIf) {
            blocks.record_break()
        } else {
            flow != Flow::Continue || blocks.is_in_live_loop()
        };
        if has_target && flow != Flow::BreakIf {
            blocks.record_jump();
        }
        has_target
    }

    /// Checks flow control whose operands are wrong: blocks begin and end nevertheless.
    #[cold]
    pub(super) fn check_erroneous_flow(&mut self, flow: Flow, inst: &TgsiInst, is_first: bool) {
        let is_block = matches!(
            flow,
            Flow::If(_)
                | Flow::Else
                | Flow::EndIf
                | Flow::Loop
                | Flow::EndLoop
                | Flow::Switch
                | Flow::Default
                | Flow::EndSwitch
                | Flow::Subroutine
                | Flow::EndSubroutine
                | Flow::End
        );
        if is_block {
            // Errors of the block itself were reported or are reported at its end.
            let _: CheckResult<()> = self.check_flow_inst(flow, inst, is_first);
        }
    }

    /// Checks `KILP` after a predicate, which discards the fragment where it passes.
    #[cold]
    pub(super) fn check_predicated_kill(&mut self, inst: &TgsiInst, guard: u32) {
        if !self.resolver.checker.blocks.is_dead() {
            let inst = inst.to_checked(InstDetails::None);
            let guard = Some(guard);
            self.push_inst(CheckedInst { guard, ..inst });
        }
    }

    /// Adds a call of the subroutine at a label, if the call can run and the subroutine exists.
    fn push_call(&mut self, label: Option<u32>, inst: &TgsiInst) {
        let checker = &self.resolver.checker;
        let routine = label.and_then(|label| checker.routines.find_label(label));
        if let Some(routine) = routine.filter(|_| !checker.blocks.is_dead()) {
            self.push_inst(inst.to_checked(InstDetails::Call(routine)));
        }
    }

    /// Begins BGNSUB. In a program without a main routine, the first subroutine is preceded by a
    /// call of the entry that the caller names.
    fn begin_subroutine(&mut self, inst: &TgsiInst) {
        // Without a main program before it, the launch of the program names the subroutine that it
        // begins with.
        if !self.resolver.checker.blocks.is_outside_routines() {
            let entry = self.resolver.checker.options.entry_subroutine;
            self.push_call(Some(entry), inst);
        }
        self.resolver.checker.blocks.begin_refused_routine();
        let label = LabelId::new(self.subroutine_count);
        self.subroutine_count += 1;
        // None if an instruction was refused.
        if let Some(block) = self.resolver.program.cfg.find_label(label) {
            self.begin_block(block);
            self.push_inst(inst.to_checked(InstDetails::Subroutine(block)));
        }
    }

    /// Returns the value of CASE, which must be an immediate; reports other operands.
    fn check_case_value(&mut self, inst: &TgsiInst) -> CheckResult<u32> {
        let source = self.sources(inst)[0];
        let Some(words) = self.resolver.program.find_literal(source.value) else {
            let message = "the value of `CASE` is an immediate";
            let span = self.source_span(inst, 0);
            return Err(self.report_error(Code::OperandNotVariable, span, message));
        };
        let value = words[source.swizzle.lane(0)];
        // Negation of an integer: cases are compared at bit level. TGSI, section "GLSL ISA",
        // SWITCH.
        Ok(if source.negate {
            value.wrapping_neg()
        } else {
            value
        })
    }

    /// Checks the stream number of EMIT or ENDPRIM, which must be an immediate, and records whether
    /// it is 0.
    pub(super) fn check_stream(&mut self, inst: &TgsiInst) -> CheckResult<()> {
        let Some(&source) = self.sources(inst).first() else {
            return Ok(());
        };
        let span = self.source_span(inst, 0);
        // SPIR-V requires the number of a stream to be a constant.
        let Some(words) = self.resolver.program.find_literal(source.value) else {
            let message = "the number of a stream is an immediate";
            return Err(self.report_error(Code::OperandNotVariable, span, message));
        };
        if words[source.swizzle.lane(0)] != 0 {
            self.resolver.properties.nonzero_stream.get_or_insert(span);
        }
        Ok(())
    }

    /// Reports sources of INTERP_CENTROID, INTERP_SAMPLE and INTERP_OFFSET that are not
    /// interpolated inputs.
    pub(super) fn check_interpolated(&mut self, inst: &TgsiInst) -> CheckResult<()> {
        let span = self.source_span(inst, 0);
        let (CheckedValue::Operand(OperandBase::Input(input))
        | CheckedValue::Element(OperandBase::Input(input), _)) = self.sources(inst)[0].value
        else {
            let message = format!("the source of `{}` is an input", inst.opcode_row.name);
            return Err(self.report_error(Code::InterpolationOperand, span, message));
        };
        // Such an input has one value for the whole primitive.
        if self.resolver.program.inputs[input].interpolation == Interpolation::Flat {
            let message = "this input is not interpolated";
            return Err(self.report_error(Code::InterpolationOperand, span, message));
        }
        Ok(())
    }

    /// Reports SHR, which has no sign, leniently.
    pub(super) fn check_formula(&mut self, inst: &TgsiInst, formula: Formula) {
        if formula == Formula::SignlessShift {
            let message = "`SHR` has no sign: `USHR` is meant";
            self.resolver
                .checker
                .report_lenient(LenientRule::SignlessShift, inst.span, message);
        }
    }
}
