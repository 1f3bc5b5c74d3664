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
mod input;
mod instruction;
mod letters;
mod literal;
mod operand;
mod recover;
mod register;
mod statement;
#[cfg(test)]
mod tests;
mod vocabulary;

pub(crate) use letters::Letters;
pub(crate) use vocabulary::{DeclWord, Leader, find_leader};

use crate::ast::Ast;
use crate::lex;
use crate::memory::take;
use crate::report::Reports;
use crate::start::Start;
pub(crate) use input::SyntaxMemory;
use input::{Input, State};
use winnow::stream::TokenSlice;

/// Result of parsing.
pub(crate) struct Parsed<'s> {
    pub(crate) ast: Ast<'s>,
    /// Syntax errors, and the reports about the header.
    pub(crate) reports: Reports,
    /// Number of statements before each statement with errors, and number of errors up to the end
    /// of it.
    pub(crate) errors: Vec<(usize, usize)>,
}

/// Parses a program. Syntax errors are reported, and statements with errors are left out of the
/// tree.
pub(crate) fn parse<'s>(start: Start<'s>, memory: &mut SyntaxMemory) -> Parsed<'s> {
    let mut tokens = take(&mut memory.ast.tokens);
    lex::append_tokens(start.text, start.body, &mut tokens);
    let mut errors = take(&mut memory.errors);
    if start.reports.has_errors() {
        // Those of the header.
        errors.push((0, start.reports.len()));
    }
    let mut state = State::new(start, memory);
    let mut input = Input {
        input: TokenSlice::new(&tokens),
        state: &mut state,
    };
    let mut goes_on = true;
    while goes_on {
        let statements = input.state.ast.statements.len();
        let reported = input.state.reports.len();
        goes_on = statement::parse_statement(&mut input);
        if input.state.reports.len() > reported {
            errors.push((statements, input.state.reports.len()));
        }
    }
    state.ast.tokens = tokens;
    memory.words = state.words;
    Parsed {
        ast: state.ast,
        reports: state.reports,
        errors,
    }
}
