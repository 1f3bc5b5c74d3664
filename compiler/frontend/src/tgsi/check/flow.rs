//! Rules of flow control: conditions, loops, switches, and the order of subroutines. TGSI, section
//! "GLSL ISA".

use super::{Parsed, Reported, TgsiChecker};
use crate::codes::Code;
use crate::lang::numbered::Numbered;
use crate::tgsi::inst::Inst;
use crate::tgsi::opcodes::Flow;
use glasm_ir::program::MAX_NESTING;
use glasm_ir::{Span, Stage};
use std::mem;

/// Maximum nesting of blocks, less those that lowering itself adds around them.
const MAX_BLOCKS: usize = MAX_NESTING - 8;

/// Kind of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BlockKind {
    If,
    Loop,
    Switch,
}

impl BlockKind {
    /// Returns the opcode that opens it.
    const fn opcode(self) -> &'static str {
        match self {
            Self::If => "IF",
            Self::Loop => "BGNLOOP",
            Self::Switch => "SWITCH",
        }
    }
}

/// A block that is open.
#[derive(Clone, Copy, Debug)]
struct OpenBlock {
    kind: BlockKind,
    /// True if it has its ELSE or DEFAULT.
    has_other: bool,
    span: Span,
}

/// The blocks that are open, and the routine that they are in.
#[derive(Debug, Default)]
pub(in crate::tgsi) struct Blocks {
    open: Vec<OpenBlock>,
    /// Number of open blocks beyond the deepest allowed ones, which are only counted.
    beyond: u32,
    /// True if the main program is complete.
    has_ended: bool,
    /// True if the program begins with a subroutine, so that `END` may be later, or missing.
    is_entered: bool,
    /// `BGNSUB` of the subroutine that is open.
    subroutine: Option<Span>,
    /// Starts of the labels of calls that have no other error.
    pub(super) calls: Vec<u32>,
}

impl Blocks {
    /// Removes everything; the memory serves another program.
    pub(in crate::tgsi) fn reuse(mut self) -> Self {
        self.open.clear();
        self.calls.clear();
        Self {
            open: self.open,
            calls: self.calls,
            ..Self::default()
        }
    }
}

impl TgsiChecker<'_> {
    /// Returns true if subroutines are expected here: outside of all routines.
    #[inline]
    pub(in crate::tgsi) fn expects_subroutines(&self) -> bool {
        self.blocks.has_ended && self.blocks.subroutine.is_none()
    }

    /// Returns true if an instruction is in blocks that are nested too deeply; begins and ends
    /// those blocks.
    pub(in crate::tgsi) fn is_nested_beyond(&mut self, flow: Flow) -> bool {
        // The ends of routines close all blocks, also those that are only counted.
        if self.blocks.beyond == 0 || matches!(flow, Flow::End | Flow::EndSubroutine) {
            return false;
        }
        match flow {
            Flow::If(_) | Flow::Loop | Flow::Switch => self.blocks.beyond += 1,
            Flow::EndIf | Flow::EndLoop | Flow::EndSwitch => self.blocks.beyond -= 1,
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

    /// Checks flow control. Returns the number of blocks that it closes whose ends are missing.
    /// `is_first`: true for the first instruction.
    pub(in crate::tgsi) fn check_flow(
        &mut self,
        flow: Flow,
        inst: &Inst,
        is_first: bool,
    ) -> Parsed<usize> {
        match flow {
            Flow::If(_) => self.open_block(BlockKind::If, inst.span)?,
            Flow::Loop => self.open_block(BlockKind::Loop, inst.span)?,
            Flow::Switch => self.open_block(BlockKind::Switch, inst.span)?,
            Flow::Else => self.check_else(inst)?,
            Flow::EndIf => return self.close_block(BlockKind::If, inst),
            Flow::EndLoop => return self.close_block(BlockKind::Loop, inst),
            Flow::EndSwitch => self.close_switch(inst)?,
            Flow::Break | Flow::BreakIf => self.check_break(inst)?,
            Flow::Continue => self.check_continue(inst)?,
            Flow::Case | Flow::Default => self.check_section(inst, flow == Flow::Default)?,
            Flow::Call => {
                let Some((_, label)) = inst.label else {
                    let message = "`CAL` lacks the number of a `BGNSUB`";
                    return Err(self.error(Code::UndefinedLabel, inst.span, message));
                };
                self.blocks.calls.push(label.start);
            }
            Flow::Subroutine => self.check_subroutine(inst, is_first)?,
            Flow::EndSubroutine => {
                self.report_open_blocks(0);
                if self.blocks.subroutine.take().is_none() {
                    let message = "`ENDSUB` closes nothing";
                    return Err(self.error(Code::BlockMismatch, inst.span, message));
                }
            }
            Flow::End => self.check_end(inst)?,
            Flow::Return | Flow::Kill | Flow::Nothing => {}
            Flow::Unsupported => {
                let message = format!("`{}` of the text of 2010 has no meaning", inst.row.name);
                return Err(self.error(Code::Unsupported, inst.span, message));
            }
        }
        Ok(0)
    }

    fn open_block(&mut self, kind: BlockKind, span: Span) -> Parsed<()> {
        let numbered = match kind {
            BlockKind::If => Some(Numbered::IfBlocks),
            BlockKind::Loop => Some(Numbered::LoopBlocks),
            BlockKind::Switch => None,
        };
        if let Some(numbered) = numbered {
            // Number of enclosing blocks of its kind.
            let open = self.blocks.open.iter();
            let around = open.filter(|block| block.kind == kind).count();
            self.usage.add(numbered, around as u32, || Some(span));
        }
        if self.blocks.open.len() >= MAX_BLOCKS {
            self.blocks.beyond = 1;
            let code = match kind {
                BlockKind::Loop => Code::LoopDepth,
                BlockKind::If | BlockKind::Switch => Code::IfDepth,
            };
            let message = format!("blocks are nested more than {MAX_BLOCKS} deep");
            return Err(self.error(code, span, message));
        }
        self.blocks.open.push(OpenBlock {
            kind,
            has_other: false,
            span,
        });
        Ok(())
    }

    #[cold]
    fn report_mismatch(&mut self, inst: &Inst) -> Reported {
        let name = inst.row.name;
        let message = match self.blocks.open.last() {
            None => format!("`{name}` closes nothing"),
            Some(block) => {
                let open = block.kind.opcode();
                format!("`{name}` stands in the block of `{open}`")
            }
        };
        self.error(Code::BlockMismatch, inst.span, message)
    }

    fn check_else(&mut self, inst: &Inst) -> Parsed<()> {
        match self.blocks.open.last_mut() {
            Some(block) if block.kind == BlockKind::If && !block.has_other => {
                block.has_other = true;
                Ok(())
            }
            _ => Err(self.report_mismatch(inst)),
        }
    }

    /// Closes the innermost block of a kind, and reports those in it.
    fn close_block(&mut self, kind: BlockKind, inst: &Inst) -> Parsed<usize> {
        let open = &mut self.blocks.open;
        match open.iter().rposition(|block| block.kind == kind) {
            Some(position) => {
                let inner = open.len() - 1 - position;
                self.report_open_blocks(position + 1);
                self.blocks.open.truncate(position);
                Ok(inner)
            }
            None => Err(self.report_mismatch(inst)),
        }
    }

    fn close_switch(&mut self, inst: &Inst) -> Parsed<()> {
        let open = &mut self.blocks.open;
        match open.pop_if(|block| block.kind == BlockKind::Switch) {
            Some(_) => Ok(()),
            None => Err(self.report_mismatch(inst)),
        }
    }

    /// Reports the blocks from a position on, innermost first, and closes them.
    fn report_open_blocks(&mut self, from: usize) {
        if from == 0 {
            self.blocks.beyond = 0;
        }
        while self.blocks.open.len() > from
            && let Some(block) = self.blocks.open.pop()
        {
            let message = format!("`{}` is not closed", block.kind.opcode());
            self.error(Code::BlockOpen, block.span, message);
        }
    }

    /// Checks BRK and BREAKC: they leave the innermost loop or switch.
    fn check_break(&mut self, inst: &Inst) -> Parsed<()> {
        let mut open = self.blocks.open.iter();
        if open.any(|block| block.kind != BlockKind::If) {
            return Ok(());
        }
        let message = format!("`{}` stands in no loop and in no switch", inst.row.name);
        Err(self.error(Code::BreakOutsideLoop, inst.span, message))
    }

    fn check_continue(&mut self, inst: &Inst) -> Parsed<()> {
        let mut open = self.blocks.open.iter();
        if open.any(|block| block.kind == BlockKind::Loop) {
            return Ok(());
        }
        let message = "`CONT` stands in no loop";
        Err(self.error(Code::BreakOutsideLoop, inst.span, message))
    }

    /// Checks CASE and DEFAULT.
    fn check_section(&mut self, inst: &Inst, is_default: bool) -> Parsed<()> {
        let Some(block) = self.blocks.open.last_mut() else {
            let message = format!("`{}` stands in no switch", inst.row.name);
            return Err(self.error(Code::BreakOutsideLoop, inst.span, message));
        };
        if block.kind != BlockKind::Switch {
            return Err(self.report_mismatch(inst));
        }
        if is_default && mem::replace(&mut block.has_other, true) {
            let message = "a switch has one `DEFAULT`";
            return Err(self.error(Code::BlockMismatch, inst.span, message));
        }
        Ok(())
    }

    fn check_subroutine(&mut self, inst: &Inst, is_first: bool) -> Parsed<()> {
        // A compute program may consist of subroutines.
        if self.stage == Stage::Compute && is_first {
            self.blocks.has_ended = true;
            self.blocks.is_entered = true;
            self.blocks.calls.push(inst.span.start);
        }
        if !self.expects_subroutines() {
            let message = "subroutines stand behind `END`, one behind the other";
            return Err(self.error(Code::BlockMismatch, inst.span, message));
        }
        self.blocks.subroutine = Some(inst.span);
        Ok(())
    }

    fn check_end(&mut self, inst: &Inst) -> Parsed<()> {
        // END within a subroutine is a mistake at the open BGNSUB, which the end of the program
        // reports.
        if self.blocks.subroutine.is_some() {
            return Err(Reported);
        }
        // The main program was complete at the first BGNSUB: this END closes no routine.
        if mem::take(&mut self.blocks.is_entered) {
            return Ok(());
        }
        if self.blocks.has_ended {
            let message = "a program has one `END`";
            return Err(self.error(Code::SecondEnd, inst.span, message));
        }
        self.report_open_blocks(0);
        self.blocks.has_ended = true;
        Ok(())
    }

    /// Checks the end of the program: all routines are complete, and called subroutines exist.
    pub(in crate::tgsi) fn check_program_end(&mut self) {
        if !self.blocks.has_ended {
            self.report_open_blocks(0);
            let message = "the program has no `END`";
            self.reports.whole(Code::MissingEnd, message);
        } else if let Some(span) = self.blocks.subroutine {
            self.report_open_blocks(0);
            self.error(Code::BlockOpen, span, "`BGNSUB` is not closed");
        } else {
            self.check_calls();
        }
    }
}
