//! Memory that translations use one after the other: the long lists of every stage.
//!
//! Without it, a caller that translates often would give back and ask for the same pages each time, which costs as much as a
//! whole stage.

use crate::ast::{Ast, Extra, Inst, Operand, Statement};
use crate::check::InstTypes;
use crate::lex::Token;
use glasm_ir::Program;

/// Lists without content that keep their memory. Every translation leaves it larger or as it was.
#[derive(Debug, Default)]
pub struct Memory {
    pub(crate) tokens: Vec<Token>,
    pub(crate) statements: Vec<Statement>,
    pub(crate) insts: Vec<Inst>,
    pub(crate) operands: Vec<Operand>,
    pub(crate) extras: Vec<Extra>,
    pub(crate) types: Vec<InstTypes>,
    pub(crate) ir_insts: Vec<glasm_ir::Inst>,
    pub(crate) ir_srcs: Vec<glasm_ir::Src>,
}

impl Memory {
    /// No memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the lists of a program that is no longer needed.
    pub fn recycle(&mut self, program: Program) {
        self.ir_insts = program.insts;
        self.ir_srcs = program.srcs;
    }

    /// Takes the lists of a tree that is no longer needed.
    pub(crate) fn keep_ast(&mut self, ast: Ast<'_>) {
        self.statements = ast.statements;
        self.insts = ast.insts;
        self.operands = ast.operands;
        self.extras = ast.extras;
    }
}

/// A kept list, emptied, with room for so many.
pub(crate) fn take<T>(kept: &mut Vec<T>, room: usize) -> Vec<T> {
    let mut list = std::mem::take(kept);
    list.clear();
    list.reserve(room);
    list
}
