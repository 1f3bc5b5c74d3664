//! The blocks that are open, and whether the code at the current position can run.
//!
//! Unreachable code is not lowered. After an unconditional jump it extends to the end of the block;
//! after a block, if nothing reaches its end: both parts of a condition jump, or nothing leaves a
//! loop.

use glasm_ir::Span;
use std::mem::{replace, take};

/// Kind of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BlockKind {
    If,
    Loop,
    Switch,
}

impl BlockKind {
    /// Returns the opcode that opens a block of this kind.
    pub(super) const fn opcode(self) -> &'static str {
        match self {
            Self::If => "IF",
            Self::Loop => "BGNLOOP",
            Self::Switch => "SWITCH",
        }
    }
}

/// A block that is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenBlock {
    pub(super) kind: BlockKind,
    /// True if it has its ELSE or DEFAULT.
    pub(super) has_else_or_default: bool,
    pub(super) span: Span,
    /// True if it began in code that cannot run.
    is_dead: bool,
    /// True if nothing reaches the end of the part before ELSE.
    is_then_dead: bool,
    /// True if a jump that can run leaves the loop.
    has_break: bool,
}

/// The blocks that are open, and the routine that they are in.
#[derive(Debug, Default)]
pub(super) struct BlockStack {
    pub(super) open: Vec<OpenBlock>,
    /// Number of open blocks beyond the deepest allowed ones, which are only counted.
    pub(super) excess_depth: u32,
    /// True if the main program is complete.
    pub(super) has_main_ended: bool,
    /// True if the program begins with a subroutine, so that `END` may be later, or missing.
    pub(super) begins_with_subroutine: bool,
    /// `BGNSUB` of the subroutine that is open.
    pub(super) subroutine: Option<Span>,
    /// The first `END` in the subroutine that is open.
    pub(super) inner_end: Option<Span>,
    /// Starts of the labels of calls that have no other error.
    pub(super) calls: Vec<u32>,
    /// True if the next instruction is in no routine.
    is_outside_routines: bool,
    /// True if a jump or a block before the next instruction of the routine does not reach it.
    is_after_jump: bool,
}

impl BlockStack {
    /// Closes all blocks, before a program; the capacity is retained.
    pub(super) fn reset(&mut self) {
        let (mut open, mut calls) = (take(&mut self.open), take(&mut self.calls));
        open.clear();
        calls.clear();
        *self = Self {
            open,
            calls,
            ..Self::default()
        };
    }

    /// Returns true if the next instruction cannot run.
    pub(super) fn is_dead(&self) -> bool {
        self.is_outside_routines || self.is_after_jump
    }

    /// Returns true if the next instruction is in no routine.
    pub(super) fn is_outside_routines(&self) -> bool {
        self.is_outside_routines
    }

    /// Returns true if the innermost block began in code that can run.
    pub(super) fn is_in_live_block(&self) -> bool {
        self.open.last().is_some_and(|block| !block.is_dead)
    }

    /// Begins a routine, whose code is dead if no call reaches it.
    pub(super) fn begin_routine(&mut self, is_reachable: bool) {
        self.is_outside_routines = false;
        self.is_after_jump = !is_reachable;
    }

    /// Begins a subroutine that has no block, since an instruction was refused.
    pub(super) fn begin_refused_routine(&mut self) {
        self.is_outside_routines = false;
    }

    /// Ends a routine: instructions up to the next subroutine cannot run.
    pub(super) fn end_routine(&mut self) {
        self.is_outside_routines = true;
    }

    /// Opens a block.
    pub(super) fn push(&mut self, kind: BlockKind, span: Span) {
        let is_dead = self.is_dead();
        self.open.push(OpenBlock {
            kind,
            has_else_or_default: false,
            span,
            is_dead,
            is_then_dead: false,
            has_break: false,
        });
        // Nothing runs before the first section of a switch.
        self.is_after_jump |= kind == BlockKind::Switch && !is_dead;
    }

    /// Begins the part of the innermost condition that runs if the condition does not hold.
    pub(super) fn begin_else(&mut self) {
        if let Some(block) = self.open.last_mut().filter(|block| !block.is_dead) {
            block.is_then_dead = replace(&mut self.is_after_jump, false);
        }
    }

    /// Begins a section of the innermost switch.
    pub(super) fn begin_section(&mut self) {
        if self.is_in_live_block() {
            self.is_after_jump = false;
        }
    }

    /// Closes the innermost block. The code after a block that can run is live, unless nothing
    /// reaches it.
    pub(super) fn pop(&mut self) {
        let Some(block) = self.open.pop() else { return };
        if block.is_dead {
            return;
        }
        self.is_after_jump = match block.kind {
            BlockKind::If => block.is_then_dead && self.is_after_jump,
            BlockKind::Loop => !block.has_break,
            BlockKind::Switch => false,
        };
    }

    /// Records that a jump that can run leaves the innermost loop or switch. Returns false if there
    /// is none that can run.
    pub(super) fn record_break(&mut self) -> bool {
        let mut inner_first = self.open.iter_mut().rev();
        let target = inner_first.find(|block| !block.is_dead && block.kind != BlockKind::If);
        if let Some(block) = target {
            block.has_break = true;
            return true;
        }
        false
    }

    /// Returns true if a loop that can run is open.
    pub(super) fn is_in_live_loop(&self) -> bool {
        let mut open = self.open.iter();
        open.any(|block| !block.is_dead && block.kind == BlockKind::Loop)
    }

    /// Records a jump without condition: the code after it in its block cannot run.
    pub(super) fn record_jump(&mut self) {
        self.is_after_jump = true;
    }
}
