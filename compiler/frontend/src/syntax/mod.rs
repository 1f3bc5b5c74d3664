//! Parser: bytes to the syntax tree of a program.
//!
//! The lexer produces the tokens of the whole program, then a winnow grammar parses them. Its
//! functions have the names of the rules of the specifications, which differ little between the
//! families; features that a family does not have are facts of its languages. After a syntax error
//! parsing continues after the next semicolon, so that one run reports all errors.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a grammar function names the tokens that it takes; all others are errors"
)]

mod binding;
mod declaration;
mod error_recovery;
mod input;
mod instruction;
mod literal;
mod operand;
mod register;
mod statement;
mod statement_keywords;
mod swizzle;
#[cfg(test)]
mod tests;

pub(crate) use statement_keywords::{
    DeclWord, StatementStart, declaration_words, find_statement_start,
};
pub(crate) use swizzle::SwizzleSyntax;

use crate::ast::Ast;
use crate::diagnostic_sink::DiagnosticSink;
use crate::header::ParsedHeader;
use crate::token::Tokens;
use crate::{lex, take_cleared_vec};
pub(crate) use input::SyntaxMemory;
use input::{Input, State};

/// Result of parsing.
pub(crate) struct Parsed<'s> {
    pub(crate) ast: Ast<'s>,
    /// Syntax errors, and the reports about the header.
    pub(crate) reports: DiagnosticSink,
    /// Number of statements before each statement with errors, and number of errors up to the end
    /// of it.
    pub(crate) error_positions: Vec<(usize, usize)>,
}

/// Parses a program and returns its tree, with reports of syntax errors and their positions among
/// the statements; malformed statements are excluded from the tree, except that names of
/// declarations are marked. Takes its lists from `memory`.
pub(crate) fn parse<'s>(start: ParsedHeader<'s>, memory: &mut SyntaxMemory) -> Parsed<'s> {
    let mut tokens = take_cleared_vec(&mut memory.ast.tokens);
    lex::append_tokens(start.text, start.body_start, &mut tokens);
    let mut errors = take_cleared_vec(&mut memory.errors);
    if start.reports.has_errors() {
        // Those of the header.
        errors.push((0, start.reports.error_count()));
    }
    let mut state = State::new(start, memory);
    let mut token_input = Input {
        input: Tokens::new(&tokens),
        state: &mut state,
    };
    let mut has_more = true;
    while has_more {
        let statements = token_input.state.ast.statements.len();
        let reported = token_input.state.reports.error_count();
        has_more = statement::parse_statement(&mut token_input);
        if token_input.state.reports.error_count() > reported {
            errors.push((statements, token_input.state.reports.error_count()));
        }
    }
    state.ast.tokens = tokens;
    memory.words = state.words;
    Parsed {
        ast: state.ast,
        reports: state.reports,
        error_positions: errors,
    }
}
