//! TGSI: the shaders of Mesa's Gallium, as drivers print them and virtual GPUs send them.
//!
//! A program has numbered registers in files, whose components are words without a type; each
//! opcode defines the type that it reads. Declarations assign semantics to registers. Three
//! generations of the language are accepted: that of 2010, the one that virgl sends, and the
//! current one.
//!
//! `translate` runs three stages, each over the whole program: `syntax` parses it to an `ast`,
//! `check` applies all rules and resolves registers and resources to a `checked` program, `lower`
//! translates this to IR.

mod ast;
mod check;
mod checked;
mod declaration_tables;
pub mod lex;
mod lower;
mod opcodes;
mod properties;
pub mod reference;
mod semantics;
mod syntax;
mod syntax_error;
mod texture_targets;

use crate::check::IndexUsage;
use crate::diagnostic_sink::DiagnosticSink;
use crate::header::ParsedHeader;
use crate::{ProgramPool, TranslationStage};
use ast::Ast;
use check::CheckMemory;
use glasm_ir::{Program, Semantic};
use lower::LowerMemory;

/// Memory that translations use one after the other.
#[derive(Debug, Default)]
pub(crate) struct TgsiMemory {
    ast: Ast<'static>,
    check: CheckMemory,
    lower: LowerMemory,
}

impl TgsiMemory {
    /// Returns the numbers that the program names which was translated last.
    pub(crate) fn usage(&self) -> &IndexUsage {
        &self.check.usage
    }
}

/// Translates a program up to the stage `last`. The program is `None` if there is an error, or if
/// `last` is earlier than the stage that builds it; all errors are reported.
pub(crate) fn translate(
    start: ParsedHeader<'_>,
    memory: &mut TgsiMemory,
    programs: &mut ProgramPool,
    last: TranslationStage,
) -> (Option<Program>, DiagnosticSink) {
    let (stage, options) = (start.dialect.stage(), start.tgsi);
    let ast = syntax::parse(&start, std::mem::take(&mut memory.ast));
    let reports = check::check(&ast, start, &mut memory.check);
    memory.ast = ast.without_text();
    let is_lowered = last == TranslationStage::Lower && !reports.has_errors();
    let program = is_lowered.then(|| {
        let checked = &memory.check.program;
        lower::lower(checked, (stage, &options), (&mut memory.lower, programs))
    });
    (program, reports)
}

/// Returns the output registers of a program with their semantics, in the order of their numbers.
/// If the program has errors, these are the registers whose declarations have none.
pub(crate) fn list_outputs(start: ParsedHeader<'_>) -> Vec<(u32, Semantic)> {
    let ast = syntax::parse(&start, Ast::default());
    check::list_outputs(&ast, start)
}
