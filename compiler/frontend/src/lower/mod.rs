//! Lines to IR.
//!
//! A [`Translation`] takes one line after the other, as the rules make them, or all lines of a program at once. What later text may still
//! change, such as how inputs are interpolated, is settled at the end.
//!
//! Most instructions become one IR instruction. Composite ones are spelled out by the functions that the opcode table names:
//! they compute into hidden registers and write the result with one last instruction, so that all operands are read before
//! anything is written, and mask, guard, clamp and condition codes apply once.

mod address;
mod alu;
mod angles;
mod arrays;
pub(crate) mod composite;
mod context;
mod convert;
mod depth;
mod direct;
mod expand;
mod flow;
mod fog;
pub(crate) mod formula;
mod handle;
mod image;
mod kill;
mod loops;
mod memory;
mod operand;
mod ordered;
mod pack;
mod powers;
mod precision;
mod resource;
mod result;
mod settle;
mod sparse;
mod state_program;
pub(crate) mod tables;
mod texture;
mod vertices;

use crate::rules::call_rules;
use crate::source::Dialect;
pub(crate) use context::nearest;
use context::{InstCx, LowerMemory, Lowerer, SoFar, Unfinished};
use flow::Walk;
use glasm_ir::Program;

/// A program under construction.
pub(crate) struct Translation {
    unfinished: Unfinished,
    walk: Walk,
}

impl Translation {
    /// The start of the translation of a text of so many bytes. `step_limit` is that of [`Source`](crate::Source).
    pub(crate) fn new(
        dialect: Dialect,
        bytes: usize,
        step_limit: Option<u32>,
        memory: LowerMemory<'_>,
    ) -> Self {
        let mut unfinished = Unfinished::new(dialect.stage(), bytes, memory);
        let rules = call_rules(dialect.facts());
        let walk = Walk::new(&mut unfinished.builder, rules, step_limit);
        Self { unfinished, walk }
    }

    /// Before the first line of a program whose lines become IR at once.
    pub(crate) fn begin(&mut self, so_far: SoFar<'_>) {
        let walk = &mut self.walk;
        self.unfinished
            .with(so_far, |lowerer| lowerer.begin_piece(walk));
    }

    /// Translates the line that was made last.
    #[inline]
    pub(crate) fn line(&mut self, so_far: SoFar<'_>) {
        let Some(line) = so_far.0.lines.list.last() else {
            return;
        };
        let walk = &mut self.walk;
        // Variables that were declared, or named for the first time, since the line before.
        self.unfinished.tables.add_places(&so_far.0.vars);
        self.unfinished
            .with(so_far, |lowerer| lowerer.line(walk, line));
    }

    /// Translates the lines of the whole program.
    pub(crate) fn whole(&mut self, so_far: SoFar<'_>) {
        let walk = &mut self.walk;
        self.unfinished.tables.add_places(&so_far.0.vars);
        self.unfinished.with(so_far, |lowerer| {
            // Arrays with run-time index need consecutive slots, so they take theirs before the routines use single bindings.
            lowerer.relative_arrays();
            lowerer.begin_piece(walk);
            lowerer.lines(walk);
        });
    }

    /// The program, behind its last line. `memory` gets the lists.
    pub(crate) fn end(self, so_far: SoFar<'_>, memory: LowerMemory<'_>) -> Program {
        let (mut unfinished, walk) = (self.unfinished, self.walk);
        unfinished.with(so_far, |lowerer| {
            lowerer.end_of_text(walk);
            // Behind the last instruction: which inputs and buffers there are is known only now.
            lowerer.settle();
        });
        unfinished.finish(memory)
    }

    /// Gives back the memory of a program with errors.
    pub(crate) fn abandon(self, (tables, memory): LowerMemory<'_>) {
        let program = self.unfinished.finish((tables, &mut *memory));
        memory.recycle(program);
    }
}
