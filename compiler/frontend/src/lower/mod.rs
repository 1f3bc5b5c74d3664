//! Lowering: a checked program to IR.
//!
//! Most instructions become one IR instruction. Composite ones are expanded by the functions that
//! the opcode table names: these compute into hidden registers and write the result with one last
//! instruction, so that all operands are read before anything is written, and mask, guard, clamp
//! and condition codes apply once.

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
mod sparse;
mod state_program;
pub(crate) mod tables;
#[cfg(test)]
mod tests;
mod texture;
mod vertices;

use crate::ast::Ast;
use crate::check::Checked;
pub(crate) use context::nearest;
use context::{InstCx, LowerMemory, Lowerer};
use flow::ControlFlow;
use glasm_ir::Program;

/// Lowers a program without errors, of which `ast` has names and literals, to IR. `step_limit` is
/// that of [`Source`](crate::Source).
pub(crate) fn lower(
    (ast, checked): (&Ast<'_>, &Checked),
    step_limit: Option<u32>,
    (tables, memory): LowerMemory<'_>,
) -> Program {
    let mut builder = memory.builder(ast.dialect.stage());
    tables.clear();
    tables.add_places(&checked.vars);
    let mut lowerer = Lowerer::new((ast, checked), &mut builder, tables);
    lowerer.resources.set_modes();
    lowerer.resources.add_named_params();
    // Arrays with relative indices need consecutive slots, so theirs are assigned before those of
    // single bindings.
    lowerer.resources.add_relative_arrays();
    let mut flow = ControlFlow::new(lowerer.resources.builder, checked, step_limit);
    flow.lower_blocks(&mut lowerer);
    flow.finish_routines(&mut lowerer);
    lowerer.resources.add_passed_outputs();
    memory.finish(builder)
}
