//! Flow control, whose rules were checked: the tree of each routine.

use super::statement::TgsiLowerer;
use crate::codes::Code;
use crate::lower::formula::Formulas;
use crate::tgsi::check::Parsed;
use crate::tgsi::inst::{Inst, Predicate};
use crate::tgsi::opcodes::Flow;
use crate::tgsi::operand::splat;
use crate::tgsi::semantics::Content;
use glasm_ir::flow::{BasicBlockId, LabelId};
use glasm_ir::inst::Aux;
use glasm_ir::types::{Type, Width};
use glasm_ir::{Base, Cond, Id, Op, Storage, WriteMask};

impl TgsiLowerer<'_> {
    /// Returns true if the next instruction is unreachable.
    #[inline]
    pub(super) fn is_dead(&self) -> bool {
        self.is_outside || self.tree.is_dead()
    }

    /// Begins the main program.
    #[cold]
    pub(super) fn begin_code(&mut self) {
        self.in_code = true;
        let emit = &mut self.cx.emit;
        self.tree
            .begin_block(&mut emit.builder, BasicBlockId::default(), None);
        let mut values = self.cx.declared.values.iter().flatten();
        if values.any(|row| row.content == Content::Helper) {
            let register = emit.helper_register();
            // Before anything can demote the invocation.
            emit.put(register, WriteMask::XYZW, Op::IsHelper, Type::U32, &[]);
        }
    }

    /// Checks and lowers flow control. `is_first`: true for the first instruction.
    pub(super) fn flow(&mut self, flow: Flow, inst: &Inst, is_first: bool) -> Parsed<()> {
        if self.cx.check.is_nested_beyond(flow) {
            return Ok(());
        }
        let value = if flow == Flow::Case {
            Some(self.case_value(inst)?)
        } else {
            None
        };
        let missing_ends = self.cx.check.check_flow(flow, inst, is_first)?;
        for _ in 0..missing_ends {
            self.tree.close_innermost(&mut self.cx.emit.builder);
        }
        self.lower_flow(flow, inst, value);
        Ok(())
    }

    /// Checks and lowers flow control whose operands are wrong: blocks begin and end nevertheless.
    #[cold]
    pub(super) fn lower_wrong_flow(&mut self, flow: Flow, inst: &Inst, is_first: bool) {
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
            let _: Parsed<()> = self.flow(flow, inst, is_first);
        }
    }

    fn lower_flow(&mut self, flow: Flow, inst: &Inst, value: Option<u32>) {
        let span = inst.span;
        match flow {
            Flow::Break | Flow::Continue | Flow::Return if self.is_dead() => {}
            Flow::If(ty) => self.begin_if(inst, ty),
            Flow::Loop => {
                if self.is_dead() {
                    self.tree.open_dead();
                } else {
                    self.begin_kept();
                    let builder = &mut self.cx.emit.builder;
                    self.tree.begin_loop(builder, Vec::new(), span);
                }
            }
            Flow::Switch => self.begin_switch(inst),
            Flow::Else => {
                self.forget_in_block();
                self.tree.begin_else(&mut self.cx.emit.builder);
            }
            Flow::Case | Flow::Default => {
                self.forget_in_block();
                self.tree.begin_section(&mut self.cx.emit.builder, value);
            }
            Flow::EndIf => {
                self.end_kept();
                self.tree.end_if(&mut self.cx.emit.builder);
            }
            Flow::EndLoop => {
                self.end_kept();
                let builder = &mut self.cx.emit.builder;
                if self.tree.end_body(builder).is_some() {
                    self.tree.end_loop(builder, None);
                }
            }
            Flow::EndSwitch => {
                self.end_kept();
                self.tree.end_switch(&mut self.cx.emit.builder, span);
            }
            Flow::Break => self.tree.break_loop(&mut self.cx.emit.builder, None, span),
            Flow::BreakIf => {
                if !self.is_dead() {
                    let cond = Some(self.condition(inst, Type::U32));
                    self.tree.break_loop(&mut self.cx.emit.builder, cond, span);
                }
            }
            Flow::Continue => {
                let builder = &mut self.cx.emit.builder;
                self.tree.continue_loop(builder, None, span);
            }
            Flow::Call => {
                if let Some((label, _)) = inst.label {
                    self.call(label, inst);
                }
            }
            Flow::Return => self.tree.ret(&mut self.cx.emit.builder, None, span),
            Flow::Subroutine => self.begin_subroutine(inst),
            // Instructions up to the next subroutine are unreachable.
            Flow::EndSubroutine | Flow::End => self.is_outside = true,
            Flow::Kill => self.kill(inst),
            Flow::Nothing | Flow::Unsupported => {}
        }
    }

    /// Begins to remember the values of a block.
    fn begin_kept(&mut self) {
        self.kept.push(self.cx.emit.kept_count());
    }

    /// Drops the values of the innermost block at the beginning of its other part.
    fn forget_in_block(&mut self) {
        if self.tree.is_in_dead_block() {
            return;
        }
        if let Some(&count) = self.kept.last() {
            self.cx.emit.forget(count);
        }
    }

    /// Drops the values of the innermost block at its end.
    fn end_kept(&mut self) {
        if self.tree.is_in_dead_block() {
            return;
        }
        if let Some(count) = self.kept.pop() {
            self.cx.emit.forget(count);
        }
    }

    fn begin_if(&mut self, inst: &Inst, ty: Type) {
        // IF tested bits in 2010, when programs had no UIF.
        let is_old = self.cx.check.options.old;
        let cond = self.condition(inst, if is_old { Type::U32 } else { ty });
        if self.is_dead() {
            self.tree.open_dead();
        } else {
            self.begin_kept();
            let builder = &mut self.cx.emit.builder;
            self.tree.begin_if(builder, cond, inst.span);
        }
    }

    /// Returns the condition that the first lane of the source is not zero.
    fn condition(&mut self, inst: &Inst, ty: Type) -> Cond {
        let source = inst.sources[0];
        let is_dead = self.is_dead();
        let emit = &mut self.cx.emit;
        // The IR tests a lane of a plain register; all else is copied to one.
        if let (Base::Register(register), None, false) =
            (source.base, source.index, source.has_modifier())
            && emit.builder.program.registers[register].storage == Storage::Temp
        {
            return Cond::NonZero(register, source.swizzle.lane(0) as u8, ty);
        }
        let test = emit.hidden(Width::W32);
        if !is_dead {
            emit.put(test, WriteMask::X, Op::Mov, Type::F32, &[splat(source, 0)]);
        }
        Cond::NonZero(test, 0, ty)
    }

    fn begin_switch(&mut self, inst: &Inst) {
        let selector = self.cx.emit.register(Width::W32);
        if self.is_dead() {
            self.tree.open_dead();
            return;
        }
        let source = splat(inst.sources[0], 0);
        let emit = &mut self.cx.emit;
        emit.put(selector, WriteMask::X, Op::Mov, Type::F32, &[source]);
        self.begin_kept();
        let builder = &mut self.cx.emit.builder;
        self.tree.begin_switch(builder, selector, inst.span);
    }

    /// Returns the value of CASE.
    fn case_value(&mut self, inst: &Inst) -> Parsed<u32> {
        let source = inst.sources[0];
        let Base::Literal(literal) = source.base else {
            let message = "the value of `CASE` is an immediate";
            let span = inst.registers[0].span;
            return Err(self.cx.check.error(Code::OperandNotVariable, span, message));
        };
        let words = self.cx.emit.builder.program.literals[literal];
        let value = words[source.swizzle.lane(0)] as u32;
        // Negation of an integer: cases are compared at bit level. TGSI, section "GLSL ISA",
        // SWITCH.
        Ok(if source.negate {
            value.wrapping_neg()
        } else {
            value
        })
    }

    /// Calls the subroutine that a label names.
    fn call(&mut self, label: u32, inst: &Inst) {
        if self.is_dead() {
            return;
        }
        if let Some(to) = self.cx.check.routines.find(label) {
            let builder = &mut self.cx.emit.builder;
            self.tree.call(builder, None, (to, inst.span), inst.span);
        }
    }

    fn begin_subroutine(&mut self, inst: &Inst) {
        // Without a main program before it, the launch of the program names the subroutine that it
        // begins with.
        if !self.is_outside {
            self.call(self.cx.check.options.entry, inst);
        }
        self.is_outside = false;
        // Values that the main program holds in registers are not valid in a subroutine, which may
        // be called from anywhere.
        self.cx.emit.forget(0);
        self.kept.clear();
        let label = LabelId::new(self.subroutines);
        self.subroutines += 1;
        // None if an instruction was refused.
        if let Some(block) = self.cx.check.routines.cfg.find_label(label) {
            let builder = &mut self.cx.emit.builder;
            self.tree.begin_block(builder, block, None);
        }
    }

    fn kill(&mut self, inst: &Inst) {
        if !self.is_dead() {
            let emit = &mut self.cx.emit;
            // Demoted and then left: neighbors may still take derivatives of values that this
            // invocation has computed before.
            emit.inst(Op::Demote, Type::U32, None, Aux::None, &[]);
            self.tree.ret(&mut emit.builder, None, inst.span);
        }
    }

    /// Lowers `KILP` after a predicate.
    #[cold]
    pub(super) fn lower_predicated_kill(&mut self, predicate: Predicate) {
        if self.is_dead() {
            return;
        }
        let guard = self.guard(predicate);
        self.cx.emit.discard(Cond::Any(guard));
    }
}
