//! Flow control: conditions and loops here, switches and subroutines in rooms of their own. TGSI, section "GLSL ISA".

mod subroutines;
mod switch;

use super::inst::Inst;
use super::nesting::{Level, OpenConstruct};
use super::opcodes::Flow;
use super::operand::splat;
use super::semantics::Content;
use crate::codes::Code;
use crate::lang::numbered::Numbered;
use crate::lower::formula::Formulas;
use crate::tgsi::check::{Parsed, Reported};
use crate::tgsi::lower::statement::Lowerer;
use glasm_ir::inst::Aux;
use glasm_ir::program::MAX_NESTING;
use glasm_ir::types::{Type, Width};
use glasm_ir::{Base, Cond, Node, Op, Span, Storage, WriteMask};
use std::mem;

impl Lowerer<'_> {
    /// Before the first instruction.
    #[cold]
    pub(super) fn begin_code(&mut self) {
        self.in_code = true;
        self.cx.emit.builder.open_block();
        let mut values = self.cx.declared.values.iter().flatten();
        if values.any(|row| row.content == Content::Helper) {
            let register = self.cx.emit.helper_register();
            // Before anything can demote the invocation.
            self.cx
                .emit
                .put(register, WriteMask::XYZW, Op::IsHelper, Type::U32, &[]);
        }
    }

    /// Translates flow control. `numbers`: that of the instruction and the printed one.
    pub(super) fn flow(&mut self, flow: Flow, inst: &Inst, numbers: [u32; 2]) -> Parsed<()> {
        // The ends of routines close all blocks, also those that are only counted.
        if self.nesting.beyond > 0 && !matches!(flow, Flow::End | Flow::EndSubroutine) {
            self.nested_beyond(flow);
            return Ok(());
        }
        match flow {
            Flow::If(ty) => self.begin_if(inst, ty),
            Flow::Else => self.begin_else(inst),
            Flow::EndIf => self.end_if(inst),
            Flow::Loop => self.open(OpenConstruct::Loop { has_break: false }, inst.span),
            Flow::EndLoop => self.end_loop(inst),
            Flow::Break => self.leave(inst),
            Flow::BreakIf => self.leave_if(inst),
            Flow::Continue => self.next_round(inst),
            Flow::Call => self.call(inst),
            Flow::Return => {
                self.return_here();
                Ok(())
            }
            Flow::Subroutine => self.subroutine(inst, numbers),
            Flow::EndSubroutine => self.end_subroutine(inst),
            Flow::Switch => self.switch(inst),
            Flow::Case => self.case(inst),
            Flow::Default => self.section(inst, None),
            Flow::EndSwitch => self.end_switch(inst),
            Flow::End => self.end_of_main(inst),
            Flow::Kill => {
                self.kill();
                Ok(())
            }
            Flow::Nothing => Ok(()),
            Flow::Unsupported => {
                let message = format!("`{}` of the text of 2010 has no meaning", inst.row.name);
                Err(self.cx.check.error(Code::Unsupported, inst.span, message))
            }
        }
    }

    /// Counts blocks within one that is nested too deeply.
    #[cold]
    fn nested_beyond(&mut self, flow: Flow) {
        match flow {
            Flow::If(_) | Flow::Loop | Flow::Switch => self.nesting.beyond += 1,
            Flow::EndIf | Flow::EndLoop | Flow::EndSwitch => self.nesting.beyond -= 1,
            Flow::Else
            | Flow::Break
            | Flow::BreakIf
            | Flow::Continue
            | Flow::Call
            | Flow::Return
            | Flow::Subroutine
            | Flow::EndSubroutine
            | Flow::Case
            | Flow::Default
            | Flow::End
            | Flow::Kill
            | Flow::Nothing
            | Flow::Unsupported => {}
        }
    }

    /// Blocks begin and end also where their operands are wrong.
    #[cold]
    pub(super) fn flow_of_wrong_operands(&mut self, flow: Flow, inst: &Inst, number: u32) {
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
            // What is wrong with the block itself was reported or is reported at its end.
            let _: Parsed<()> = self.flow(flow, inst, [number; 2]);
        }
    }

    fn return_here(&mut self) {
        if !self.nesting.dead {
            self.cx.emit.builder.node(Node::Return);
            self.nesting.dead = true;
        }
    }

    fn open(&mut self, open: OpenConstruct, span: Span) -> Parsed<()> {
        let is_dead = self.nesting.dead;
        self.add_block(&open, span);
        // Room for the blocks that the translation itself puts around those of the text.
        if self.nesting.levels.len() + 8 >= MAX_NESTING {
            self.nesting.beyond = 1;
            let code = match open {
                OpenConstruct::Loop { .. } => Code::LoopDepth,
                OpenConstruct::If { .. } | OpenConstruct::Switch { .. } => Code::IfDepth,
            };
            let message = format!("blocks are nested more than {} deep", MAX_NESTING - 8);
            return Err(self.cx.check.error(code, span, message));
        }
        self.nesting.levels.push(Level {
            open,
            kept: self.cx.emit.kept_count(),
            is_dead,
            span,
        });
        if !is_dead {
            self.cx.emit.builder.open_block();
        }
        Ok(())
    }

    fn begin_if(&mut self, inst: &Inst, ty: Type) -> Parsed<()> {
        let ty = match self.cx.check.options.old {
            // IF tested bits in 2010, when texts had no UIF.
            true => Type::U32,
            false => ty,
        };
        let cond = self.condition(inst, ty);
        let open = OpenConstruct::If {
            cond,
            then: None,
            then_ends: false,
            has_else: false,
        };
        self.open(open, inst.span)
    }

    /// Whether the first lane of the source is not zero.
    fn condition(&mut self, inst: &Inst, ty: Type) -> Cond {
        let source = inst.sources[0];
        // The IR tests a lane of a plain register; all else is copied to one.
        if let (Base::Register(register), None, false) =
            (source.base, source.index, source.has_modifier())
            && self.cx.emit.builder.program.registers[register].storage == Storage::Temp
        {
            return Cond::NonZero(register, source.swizzle.lane(0) as u8, ty);
        }
        let test = self.cx.emit.hidden(Width::W32);
        if !self.nesting.dead {
            self.cx
                .emit
                .put(test, WriteMask::X, Op::Mov, Type::F32, &[splat(source, 0)]);
        }
        Cond::NonZero(test, 0, ty)
    }

    #[cold]
    fn mismatch(&mut self, inst: &Inst) -> Reported {
        let name = inst.row.name;
        let message = match self.nesting.levels.last() {
            None => format!("`{name}` closes nothing"),
            Some(level) => {
                let open = level.open.opcode();
                format!("`{name}` stands in the block of `{open}`")
            }
        };
        self.cx.check.error(Code::BlockMismatch, inst.span, message)
    }

    fn kill(&mut self) {
        if !self.nesting.dead {
            // Demoted and then left: neighbors may still take derivatives of what this invocation has computed before.
            self.cx
                .emit
                .inst(Op::Demote, Type::U32, None, Aux::None, &[]);
            self.return_here();
        }
    }

    fn begin_else(&mut self, inst: &Inst) -> Parsed<()> {
        let dead = self.nesting.dead;
        let Some(Level {
            open:
                OpenConstruct::If {
                    then,
                    then_ends,
                    has_else: has_else @ false,
                    ..
                },
            kept,
            is_dead,
            ..
        }) = self.nesting.levels.last_mut()
        else {
            return Err(self.mismatch(inst));
        };
        // Also where nothing leads: a second ELSE is a mistake there, too.
        *has_else = true;
        if *is_dead {
            return Ok(());
        }
        *then_ends = dead;
        *then = Some(self.cx.emit.builder.close_block());
        let kept = *kept;
        // The condition may be false, wherever the first block leads.
        self.nesting.dead = false;
        self.cx.emit.forget(kept);
        self.cx.emit.builder.open_block();
        Ok(())
    }

    fn end_if(&mut self, inst: &Inst) -> Parsed<()> {
        let Some(Level {
            open:
                OpenConstruct::If {
                    cond,
                    then,
                    then_ends,
                    ..
                },
            kept,
            is_dead,
            span,
        }) = self.pop_to(|open| matches!(open, OpenConstruct::If { .. }))
        else {
            return Err(self.mismatch(inst));
        };
        if is_dead {
            return Ok(());
        }
        let block = self.cx.emit.builder.close_block();
        self.cx.emit.forget(kept);
        let (then, otherwise) = match then {
            Some(then) => (then, Some(block)),
            None => (block, None),
        };
        self.cx.emit.builder.branch(cond, then, otherwise, span);
        // Nothing leads on only if both blocks end with a jump.
        self.nesting.dead = otherwise.is_some() && then_ends && self.nesting.dead;
        Ok(())
    }

    fn end_loop(&mut self, inst: &Inst) -> Parsed<()> {
        let Some(Level {
            open: OpenConstruct::Loop { has_break },
            kept,
            is_dead,
            span,
        }) = self.pop_to(|open| matches!(open, OpenConstruct::Loop { .. }))
        else {
            return Err(self.mismatch(inst));
        };
        if is_dead {
            return Ok(());
        }
        let body = self.cx.emit.builder.close_block();
        self.cx.emit.forget(kept);
        self.cx.emit.builder.node(Node::Loop {
            body,
            continuing: None,
            span,
        });
        // Nothing leads behind a loop that is never left.
        self.nesting.dead = !has_break;
        Ok(())
    }

    /// BRK: leaves the nearest loop or switch.
    fn leave(&mut self, inst: &Inst) -> Parsed<()> {
        let mut inside = self.nesting.levels.iter_mut().rev();
        // The nearest loop or switch: an IF in between is left as well.
        let found = inside.find(|level| !matches!(level.open, OpenConstruct::If { .. }));
        let Some(level) = found else {
            let message = format!("`{}` stands in no loop and in no switch", inst.row.name);
            return Err(self
                .cx
                .check
                .error(Code::BreakOutsideLoop, inst.span, message));
        };
        if self.nesting.dead {
            return Ok(());
        }
        if let OpenConstruct::Loop { has_break } = &mut level.open {
            *has_break = true;
        }
        self.cx.emit.builder.node(Node::Break);
        self.nesting.dead = true;
        Ok(())
    }

    /// BREAKC of 2010: leaves the nearest loop if the bits are not all zero.
    fn leave_if(&mut self, inst: &Inst) -> Parsed<()> {
        if self.nesting.dead {
            // Its checks are those of BRK.
            return self.leave(inst);
        }
        let cond = self.condition(inst, Type::U32);
        self.cx.emit.builder.open_block();
        let left = self.leave(inst);
        let then = self.cx.emit.builder.close_block();
        // Control goes on where the condition does not hold.
        self.nesting.dead = false;
        left?;
        self.cx.emit.builder.branch(cond, then, None, inst.span);
        Ok(())
    }

    /// CONT: the next round of the nearest loop, also from a switch in it.
    fn next_round(&mut self, inst: &Inst) -> Parsed<()> {
        let mut inside = self.nesting.levels.iter().rev();
        if !inside.any(|level| matches!(level.open, OpenConstruct::Loop { .. })) {
            let message = "`CONT` stands in no loop";
            return Err(self
                .cx
                .check
                .error(Code::BreakOutsideLoop, inst.span, message));
        }
        if !self.nesting.dead {
            self.cx.emit.builder.node(Node::Continue);
            self.nesting.dead = true;
        }
        Ok(())
    }

    /// Reports blocks that nothing has closed, and closes them.
    fn close_levels(&mut self) {
        self.nesting.beyond = 0;
        while let Some(level) = self.nesting.levels.pop() {
            self.close_level(&level);
        }
    }

    /// The nearest open block of a kind, which ends here. The blocks in it are not closed.
    fn pop_to(&mut self, is_closed: impl Fn(&OpenConstruct) -> bool) -> Option<Level> {
        let mut levels = self.nesting.levels.iter();
        let last = levels.rposition(|level| is_closed(&level.open))?;
        while self.nesting.levels.len() > last + 1 {
            let inner = self.nesting.levels.pop()?;
            self.close_level(&inner);
        }
        self.nesting.levels.pop()
    }

    #[cold]
    fn close_level(&mut self, level: &Level) {
        let message = format!("`{}` is not closed", level.open.opcode());
        self.cx.check.error(Code::BlockOpen, level.span, message);
        if !level.is_dead {
            self.cx.emit.builder.close_block();
        }
    }

    fn end_of_main(&mut self, inst: &Inst) -> Parsed<()> {
        // END within a subroutine is a mistake whose place is the open BGNSUB.
        if self.nesting.subroutine.is_some() {
            // The end of the text reports it.
            return Err(Reported);
        }
        // The main routine was made when the first BGNSUB was read: this END has nothing to close.
        if mem::take(&mut self.nesting.is_entered) {
            self.nesting.ended = Some(inst.span);
            return Ok(());
        }
        if self.nesting.ended.is_some() {
            let message = "a program has one `END`";
            return Err(self.cx.check.error(Code::SecondEnd, inst.span, message));
        }
        self.close_levels();
        self.close_main(inst.span);
        Ok(())
    }

    /// The main program ends here.
    fn close_main(&mut self, span: Span) {
        self.nesting.ended = Some(span);
        let main = self.cx.emit.builder.program.main;
        let body = self.cx.emit.builder.program.routines[main].body;
        self.cx.emit.builder.close_block_as(body);
        self.nesting.dead = true;
    }

    /// Behind the last statement.
    pub(super) fn end_of_text(&mut self) {
        if self.nesting.ended.is_none() {
            self.close_levels();
            self.cx
                .check
                .reports
                .whole(Code::MissingEnd, "the program has no `END`");
            return;
        }
        if let Some((_, span)) = self.nesting.subroutine {
            self.close_levels();
            self.cx
                .check
                .error(Code::BlockOpen, span, "`BGNSUB` is not closed");
            return;
        }
        // Only now are all subroutines known: calls come before them in the text.
        self.resolve_calls();
        if !self.cx.declared.filled.is_empty() {
            self.fill_arrays();
        }
    }

    /// Whether subroutines are expected here.
    #[inline]
    pub(super) fn expects_subroutines(&self) -> bool {
        self.nesting.ended.is_some() && self.nesting.subroutine.is_none()
    }

    /// Adds a block that begins: how many of its kind are around it.
    pub(super) fn add_block(&mut self, open: &OpenConstruct, span: Span) {
        let kind = match open {
            OpenConstruct::If { .. } => Numbered::IfBlocks,
            OpenConstruct::Loop { .. } => Numbered::LoopBlocks,
            OpenConstruct::Switch { .. } => return,
        };
        let same = mem::discriminant(open);
        let levels = self.nesting.levels.iter();
        let around = levels.filter(|level| mem::discriminant(&level.open) == same);
        self.cx
            .check
            .usage
            .add(kind, around.count() as u32, || Some(span));
    }
}
