//! The rules of TGSI: a syntax tree to a checked program.
//!
//! All statements are checked in source order, and all errors are reported. Only this module
//! creates a [`CheckedProgram`].
//!
//! Contexts that borrow each other limit what a rule can access: a `TgsiChecker` has the source and
//! the reports, a `TgsiResolver` also the declared registers and the checked program. A `Declarer`
//! declares registers; a `StatementChecker` has the rules of instructions.

mod blocks;
mod checker;
mod contexts;
mod declaration;
mod declare;
mod flow;
mod flow_inst;
mod instruction;
mod int64_double;
mod memory;
mod operand;
mod register_usage;
mod registers;
mod result_type;
mod routines;
mod sampler_view;
mod statement;
mod symbols;
#[cfg(test)]
mod tests;
mod texture;

use super::ast::Ast;
use super::checked::CheckedProgram;
use super::properties::Properties;
use crate::check::IndexUsage;
use crate::diagnostic_sink::DiagnosticSink;
use crate::header::ParsedHeader;
use blocks::BlockStack;
use checker::TgsiChecker;
use contexts::{StatementChecker, TgsiResolver};
use glasm_ir::{Semantic, Span};
use routines::Routines;
use symbols::DeclaredRegisters;

/// Memory that the checks of programs use one after the other, and the result of the last one.
#[derive(Debug, Default)]
pub(super) struct CheckMemory {
    pub(super) program: CheckedProgram,
    /// The numbers of registers and semantics that a caller may limit.
    pub(super) usage: IndexUsage,
    declared: DeclaredRegisters,
    routines: Routines,
    blocks: BlockStack,
}

/// Checks a program and returns its diagnostics. Without an error, the checked program is in
/// `memory`.
pub(super) fn check(
    ast: &Ast<'_>,
    start: ParsedHeader<'_>,
    memory: &mut CheckMemory,
) -> DiagnosticSink {
    with_checked(ast, start, memory, |resolver| resolver.checker.reports)
}

/// Returns the output registers of a program with their semantics, in the order of their numbers.
/// If the program has errors, these are the registers whose declarations have none.
pub(super) fn list_outputs(ast: &Ast<'_>, start: ParsedHeader<'_>) -> Vec<(u32, Semantic)> {
    with_checked(ast, start, &mut CheckMemory::default(), |resolver| {
        resolver.list_outputs()
    })
}

/// Checks all statements of a program and returns what `inspect` returns afterwards.
fn with_checked<T>(
    ast: &Ast<'_>,
    start: ParsedHeader<'_>,
    memory: &mut CheckMemory,
    inspect: impl FnOnce(TgsiResolver<'_>) -> T,
) -> T {
    let CheckMemory {
        program,
        usage,
        declared,
        routines,
        blocks,
    } = memory;
    program.reset();
    usage.reset();
    declared.reset();
    blocks.reset();
    routines.collect(ast, &start, (&mut program.cfg, &mut program.call_graph));
    let checker = TgsiChecker {
        ast,
        stage: start.dialect.stage(),
        options: &start.tgsi,
        reports: start.reports,
        usage,
        routines,
        blocks,
    };
    let mut statements = StatementChecker::new(TgsiResolver {
        checker,
        program,
        declared,
        properties: Properties::default(),
        current_span: Span::default(),
    });
    statements.check_statements();
    inspect(statements.resolver)
}

impl TgsiResolver<'_> {
    /// Returns the output registers whose declarations have no error, with their semantics.
    fn list_outputs(&self) -> Vec<(u32, Semantic)> {
        let declared = (0..)
            .zip(&self.program.output_registers)
            .filter_map(|(number, row)| Some((number, (*row)?)));
        let semantics = declared.flat_map(|(number, row)| {
            let semantics = self.properties.output_semantics(row.target);
            let semantics = semantics.into_iter().flatten();
            semantics.map(move |semantic| (number, semantic))
        });
        semantics.collect()
    }
}
