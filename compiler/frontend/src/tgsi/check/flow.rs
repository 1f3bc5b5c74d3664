//! Rules of flow control: conditions, loops, switches, and the order of subroutines. TGSI, section
//! "GLSL ISA".

use super::blocks::BlockKind;
use super::checker::{CheckResult, Reported, TgsiChecker};
use super::registers::TgsiInst;
use super::routines::Call;
use crate::codes::Code;
use crate::lang::limits::LimitedItem;
use crate::tgsi::opcodes::Flow;
use glasm_ir::cfg::{CallGraph, Cfg};
use glasm_ir::program::MAX_NESTING;
use glasm_ir::{Span, Stage};
use std::mem;

/// Maximum nesting of blocks, less those that lowering itself adds around them.
const MAX_BLOCK_DEPTH: usize = MAX_NESTING - 8;

impl TgsiChecker<'_> {
    /// Returns true if subroutines are expected here: outside of all routines.
    pub(super) fn expects_subroutines(&self) -> bool {
        self.blocks.has_main_ended && self.blocks.subroutine.is_none()
    }

    /// Returns true if an instruction is in blocks that are nested too deeply to be tracked; counts
    /// the begins and ends of those blocks.
    pub(super) fn exceeds_max_depth(&mut self, flow: Flow) -> bool {
        // The ends of routines close all blocks, also those that are only counted.
        if self.blocks.excess_depth == 0 || matches!(flow, Flow::End | Flow::EndSubroutine) {
            return false;
        }
        match flow {
            Flow::If(_) | Flow::Loop | Flow::Switch => self.blocks.excess_depth += 1,
            Flow::EndIf | Flow::EndLoop | Flow::EndSwitch => self.blocks.excess_depth -= 1,
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
        true
    }

    /// Checks flow control, opens and closes its blocks. `is_first`: true for the first instruction.
    pub(super) fn check_flow(
        &mut self,
        flow: Flow,
        inst: &TgsiInst,
        is_first: bool,
    ) -> CheckResult<()> {
        match flow {
            Flow::If(_) => self.open_block(BlockKind::If, inst.span)?,
            Flow::Loop => self.open_block(BlockKind::Loop, inst.span)?,
            Flow::Switch => self.open_block(BlockKind::Switch, inst.span)?,
            Flow::Else => self.check_else(inst)?,
            Flow::EndIf => self.close_block(BlockKind::If, inst)?,
            Flow::EndLoop => self.close_block(BlockKind::Loop, inst)?,
            Flow::EndSwitch => self.close_switch(inst)?,
            Flow::Break | Flow::BreakIf => self.check_break(inst)?,
            Flow::Continue => self.check_continue(inst)?,
            Flow::Case | Flow::Default => self.check_section(inst, flow == Flow::Default)?,
            Flow::Call => {
                let Some((_, label)) = inst.label else {
                    let message = "`CAL` requires the number of a `BGNSUB`";
                    return Err(self.report_error(Code::UndefinedLabel, inst.span, message));
                };
                self.blocks.calls.push(label.start);
            }
            Flow::Subroutine => self.check_subroutine(inst, is_first)?,
            Flow::EndSubroutine => self.check_end_of_subroutine(inst)?,
            Flow::End => self.check_end(inst)?,
            Flow::Return | Flow::Kill | Flow::Nothing => {}
            Flow::Unsupported => {
                let message = format!(
                    "`{}` of the TGSI of 2010 has no definition",
                    inst.opcode_row.name
                );
                return Err(self.report_error(Code::Unsupported, inst.span, message));
            }
        }
        Ok(())
    }

    /// Opens a block. Reports blocks that are nested beyond the limit, once.
    fn open_block(&mut self, kind: BlockKind, span: Span) -> CheckResult<()> {
        let numbered = match kind {
            BlockKind::If => Some(LimitedItem::IfBlocks),
            BlockKind::Loop => Some(LimitedItem::LoopBlocks),
            BlockKind::Switch => None,
        };
        if let Some(numbered) = numbered {
            // Number of enclosing blocks of its kind.
            let open = self.blocks.open.iter();
            let around = open.filter(|block| block.kind == kind).count();
            self.usage.record(numbered, around as u32, || Some(span));
        }
        if self.blocks.open.len() >= MAX_BLOCK_DEPTH {
            self.blocks.excess_depth = 1;
            let code = match kind {
                BlockKind::Loop => Code::LoopDepth,
                BlockKind::If | BlockKind::Switch => Code::IfDepth,
            };
            let message = format!("blocks are nested more than {MAX_BLOCK_DEPTH} deep");
            return Err(self.report_error(code, span, message));
        }
        self.blocks.push(kind, span);
        Ok(())
    }

    /// Reports an instruction that does not match the innermost open block.
    fn report_mismatch(&mut self, inst: &TgsiInst) -> Reported {
        let name = inst.opcode_row.name;
        let message = match self.blocks.open.last() {
            None => format!("`{name}` without an open block"),
            Some(block) => {
                let open = block.kind.opcode();
                format!("`{name}` inside the block of `{open}`")
            }
        };
        self.report_error(Code::BlockMismatch, inst.span, message)
    }

    /// Checks that ELSE is the first one of the innermost block, which must be an IF.
    fn check_else(&mut self, inst: &TgsiInst) -> CheckResult<()> {
        match self.blocks.open.last_mut() {
            Some(block) if block.kind == BlockKind::If && !block.has_else_or_default => {
                block.has_else_or_default = true;
                Ok(())
            }
            _ => Err(self.report_mismatch(inst)),
        }
    }

    /// Closes the innermost block of a kind, and the blocks inside that were left open, which are
    /// reported.
    fn close_block(&mut self, kind: BlockKind, inst: &TgsiInst) -> CheckResult<()> {
        let mut open = self.blocks.open.iter();
        let Some(position) = open.rposition(|block| block.kind == kind) else {
            return Err(self.report_mismatch(inst));
        };
        while self.blocks.open.len() > position + 1
            && let Some(&block) = self.blocks.open.last()
        {
            self.report_open_block(block.kind, block.span);
            self.blocks.pop();
        }
        self.blocks.pop();
        Ok(())
    }

    /// Closes the innermost block at ENDSWITCH. Reports it if it is not a switch.
    fn close_switch(&mut self, inst: &TgsiInst) -> CheckResult<()> {
        match self.blocks.open.last() {
            Some(block) if block.kind == BlockKind::Switch => {
                self.blocks.pop();
                Ok(())
            }
            _ => Err(self.report_mismatch(inst)),
        }
    }

    /// Reports all open blocks, innermost first, at the end of a routine, and closes them.
    fn report_open_blocks(&mut self) {
        self.blocks.excess_depth = 0;
        while let Some(block) = self.blocks.open.pop() {
            self.report_open_block(block.kind, block.span);
        }
    }

    /// Reports a block that is not closed.
    fn report_open_block(&mut self, kind: BlockKind, span: Span) {
        let message = format!("`{}` is not closed", kind.opcode());
        self.report_error(Code::BlockOpen, span, message);
    }

    /// Checks that BRK or BREAKC is inside of a loop or switch.
    fn check_break(&mut self, inst: &TgsiInst) -> CheckResult<()> {
        let mut open = self.blocks.open.iter();
        if open.any(|block| block.kind != BlockKind::If) {
            return Ok(());
        }
        let message = format!("`{}` outside of a loop or switch", inst.opcode_row.name);
        Err(self.report_error(Code::BreakOutsideLoop, inst.span, message))
    }

    /// Checks that CONT is inside of a loop.
    fn check_continue(&mut self, inst: &TgsiInst) -> CheckResult<()> {
        let mut open = self.blocks.open.iter();
        if open.any(|block| block.kind == BlockKind::Loop) {
            return Ok(());
        }
        let message = "`CONT` outside of a loop";
        Err(self.report_error(Code::BreakOutsideLoop, inst.span, message))
    }

    /// Checks that CASE or DEFAULT is directly inside of a switch, and that a switch has one
    /// DEFAULT.
    fn check_section(&mut self, inst: &TgsiInst, is_default: bool) -> CheckResult<()> {
        let Some(block) = self.blocks.open.last_mut() else {
            let message = format!("`{}` outside of a switch", inst.opcode_row.name);
            return Err(self.report_error(Code::BreakOutsideLoop, inst.span, message));
        };
        if block.kind != BlockKind::Switch {
            return Err(self.report_mismatch(inst));
        }
        if is_default && mem::replace(&mut block.has_else_or_default, true) {
            let message = "a switch has one `DEFAULT`";
            return Err(self.report_error(Code::BlockMismatch, inst.span, message));
        }
        Ok(())
    }

    /// Begins a subroutine, which must follow the main program; a compute program may begin with
    /// one, if `is_first` is true.
    fn check_subroutine(&mut self, inst: &TgsiInst, is_first: bool) -> CheckResult<()> {
        // A compute program may consist of subroutines.
        if self.stage == Stage::Compute && is_first {
            self.blocks.has_main_ended = true;
            self.blocks.begins_with_subroutine = true;
            self.blocks.calls.push(inst.span.start);
        }
        if !self.expects_subroutines() {
            let message = "subroutines must follow `END` and cannot be nested";
            return Err(self.report_error(Code::BlockMismatch, inst.span, message));
        }
        self.blocks.subroutine = Some(inst.span);
        Ok(())
    }

    /// Ends a subroutine at ENDSUB. Reports open blocks, END inside of the subroutine, and ENDSUB
    /// without a subroutine.
    fn check_end_of_subroutine(&mut self, inst: &TgsiInst) -> CheckResult<()> {
        self.report_open_blocks();
        if self.blocks.subroutine.take().is_none() {
            let message = "`ENDSUB` without an open subroutine";
            return Err(self.report_error(Code::BlockMismatch, inst.span, message));
        }
        if let Some(end) = self.blocks.inner_end.take() {
            let message = "`END` inside the block of `BGNSUB`";
            return Err(self.report_error(Code::BlockMismatch, end, message));
        }
        Ok(())
    }

    /// Ends the main program at END. Reports open blocks, and a second END. Records END inside of a
    /// subroutine.
    fn check_end(&mut self, inst: &TgsiInst) -> CheckResult<()> {
        if self.blocks.subroutine.is_some() {
            // Reported at ENDSUB; without one, the open BGNSUB is the error.
            self.blocks.inner_end.get_or_insert(inst.span);
            return Ok(());
        }
        // The main program was complete at the first BGNSUB: this END closes no routine.
        if mem::take(&mut self.blocks.begins_with_subroutine) {
            return Ok(());
        }
        if self.blocks.has_main_ended {
            let message = "a program has one `END`";
            return Err(self.report_error(Code::SecondEnd, inst.span, message));
        }
        self.report_open_blocks();
        self.blocks.has_main_ended = true;
        Ok(())
    }

    /// Checks the end of the program: all routines are complete, and called subroutines exist.
    pub(super) fn check_program_end(&mut self, graph: (&Cfg, &CallGraph)) {
        if !self.blocks.has_main_ended {
            self.report_open_blocks();
            let message = "missing `END`";
            self.reports.report_program_error(Code::MissingEnd, message);
        } else if let Some(span) = self.blocks.subroutine {
            self.report_open_blocks();
            self.report_error(Code::BlockOpen, span, "`BGNSUB` is not closed");
        } else {
            self.check_calls(graph);
        }
    }
}

impl TgsiChecker<'_> {
    /// Reports calls of labels that are not subroutines, and recursion.
    fn check_calls(&mut self, graph: (&Cfg, &CallGraph)) {
        let routines = mem::take(self.routines);
        // Both lists are in source order.
        let checked = mem::take(&mut self.blocks.calls);
        let is_checked = |call: &&Call| checked.binary_search(&call.span.start).is_ok();
        let calls = || routines.calls.iter().filter(is_checked);
        let mut undefined: Vec<Call> = calls().copied().collect();
        undefined.retain(|call| routines.find_label(call.label).is_none());
        undefined.sort_by_key(|call| call.label);
        // The first one of each label.
        undefined.dedup_by_key(|call| call.label);
        for call in undefined {
            let message = format!("instruction {} is not a `BGNSUB`", call.label);
            self.report_error(Code::UndefinedLabel, call.span, message);
        }
        let recursion = calls()
            .find(|call| routines.is_recursive(call, graph))
            .copied();
        if let Some(call) = recursion {
            self.report_error(Code::RecursiveCall, call.span, "a subroutine calls itself");
        }
        self.blocks.calls = checked;
        *self.routines = routines;
    }
}
