//! Memory of the checker, which is cleared and reused for the next program.

use crate::ast::Ast;
use crate::check::control::blocks::Flow;
use crate::check::declarations::context::DeclarationState;
use crate::check::declarations::options::Options;
use crate::check::names::symbols::{Declared, Symbols};
use crate::check::operands::context::OperandState;
use crate::check::program::checked::Checked;

/// Checked program, and the tables that checking needs in addition.
#[derive(Debug, Default)]
pub(crate) struct CheckScratch {
    pub(crate) program: Checked,
    pub(super) symbols: Symbols,
    pub(super) declared: Declared,
    pub(super) declarations: DeclarationState,
    pub(super) operands: OperandState,
    pub(super) flow: Flow,
    pub(super) options: Options,
}

impl CheckScratch {
    /// Prepares all tables for a program. Not done at the end of a check, because an abandoned one
    /// leaves entries.
    pub(super) fn reset(&mut self, ast: &Ast<'_>) {
        self.program.reset(ast.dialect.facts());
        self.symbols.reset(ast.names.len());
        self.declared.reset();
        self.declarations.reset();
        self.operands.reset();
        self.flow.reset();
        self.options.reset();
    }
}
