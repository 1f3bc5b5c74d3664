//! Parser of TGSI: bytes to the syntax tree of a program.
//!
//! The lexer produces the tokens of the whole program, then a winnow grammar parses them. Its
//! functions have the names of those that parse the same constructs in Mesa's `tgsi_text.c`. After
//! a syntax error parsing continues at the next line or at the next number of an instruction.
//! Syntax errors are part of the tree: the checker reports each after the errors of the operands
//! before it.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a grammar function names the tokens that it takes; all others are errors"
)]

mod declaration;
mod immediate;
mod input;
mod instruction;
mod operand;
mod property;
mod statement;
#[cfg(test)]
mod tests;

pub(super) use statement::find_resumption;

use super::ast::Ast;
use super::lex;
use crate::header::ParsedHeader;
use crate::source::Acceptance;
use crate::token::Tokens;
use input::{Input, State};

/// Parses a program into an AST, which contains its syntax errors. `memory` is an AST whose lists
/// are reused.
pub(super) fn parse<'s>(start: &ParsedHeader<'s>, memory: Ast<'static>) -> Ast<'s> {
    let mut ast = memory.recycle_for(start.text);
    let mut tokens = std::mem::take(&mut ast.tokens);
    let is_extended = start.reports.acceptance() == Acceptance::Shipped;
    lex::append_tokens(start.text, start.body_start, is_extended, &mut tokens);
    let mut state = State {
        ast,
        is_extended,
        keyword: glasm_ir::Span::default(),
    };
    let mut input = Input {
        input: Tokens::new(&tokens),
        state: &mut state,
    };
    while statement::parse_statement(&mut input) {}
    state.ast.tokens = tokens;
    state.ast
}
