//! TGSI: the shaders of Mesa's Gallium, as drivers print them and virtual GPUs send them.
//!
//! A program has numbered registers in files, whose components are words without a type; each
//! opcode defines the type that it reads. Declarations assign semantics to registers. `syntax`
//! parses the whole program to an `ast`; then each statement is checked (`check`) and lowered
//! (`lower`). Three generations of the language are accepted: that of 2010, the one that virgl
//! sends, and the current one.
//!
//! Contexts that borrow each other limit what a function can access: a `TgsiChecker` has the source
//! and the reports, an `Emitter` the program that is built; a `TgsiResolver` has both and the declared
//! registers. Contexts of one subject (declarations, arithmetic, textures, memory, outputs) borrow
//! the parts that they need, and a `TgsiLowerer` iterates over the statements.

mod ast;
pub mod catalog;
mod check;
mod covered;
mod declare;
mod failure;
mod files;
mod inst;
mod lex;
mod lower;
mod modes;
mod opcodes;
mod operand;
mod property;
mod semantics;
mod suffixes;
mod symbols;
mod syntax;
mod targets;

use crate::check::Usage;
use crate::memory::ProgramMemory;
use crate::report::Reports;
use crate::start::Start;
use ast::Ast;
use check::{Blocks, Routines};
use glasm_ir::{Program, Semantic};
use lower::emitter::Made;
use lower::statement::TgsiLowerer;
use symbols::Declared;

/// Memory that translations use one after the other.
#[derive(Debug, Default)]
pub(crate) struct TgsiMemory {
    ast: Ast<'static>,
    declared: Declared,
    routines: Option<Routines>,
    blocks: Blocks,
    /// See [`TgsiLowerer`].
    kept: Vec<usize>,
    made: Made,
    usage: Usage,
}

impl TgsiMemory {
    /// Returns the numbers that the program names which was translated last.
    pub(crate) fn usage(&self) -> &Usage {
        &self.usage
    }
}

/// Parses, checks and lowers a program. Without an error the result is the program; all errors are
/// reported.
pub(crate) fn translate(
    start: Start<'_>,
    memory: &mut TgsiMemory,
    programs: &mut ProgramMemory,
) -> (Option<Program>, Reports) {
    let ast = syntax::parse(&start, std::mem::take(&mut memory.ast));
    let options = start.tgsi;
    let mut routines = memory.routines.take().unwrap_or_default();
    routines.collect(&ast, &start);
    let mut lowerer = TgsiLowerer::new(&ast, &routines, &options, start, (memory, programs));
    lowerer.statements();
    let (program, reports) = lowerer.finish(memory, programs);
    memory.ast = ast.forget_text();
    memory.routines = Some(routines);
    if reports.has_errors() {
        programs.recycle(program);
        (None, reports)
    } else {
        (Some(program), reports)
    }
}

/// Returns the output registers of a program with their semantics, in the order of their numbers.
/// If the program has errors, these are the registers whose declarations have none.
pub(crate) fn outputs(start: Start<'_>) -> Vec<(u32, Semantic)> {
    let ast = syntax::parse(&start, Ast::default());
    let options = start.tgsi;
    let mut routines = Routines::default();
    routines.collect(&ast, &start);
    let memory = (&mut TgsiMemory::default(), &mut ProgramMemory::default());
    let mut lowerer = TgsiLowerer::new(&ast, &routines, &options, start, memory);
    lowerer.statements();
    lowerer.outputs()
}

/// Returns the number of bytes before the first word of a program.
pub(crate) fn leading_bytes(text: &[u8]) -> usize {
    // The byte order mark of UTF-8, which some editors insert in front.
    let start = if text.starts_with(b"\xEF\xBB\xBF") {
        3
    } else {
        0
    };
    lex::skip_whitespace(text, start)
}
