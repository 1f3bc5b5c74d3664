//! Parser: bytes to the syntax tree of a program.
//!
//! After a syntax error parsing continues after the next semicolon, so that one run reports all errors. Grammar functions match
//! bytes; where one fails, the statement is dropped.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a grammar function names the tokens that it takes; all others are errors"
)]

mod cursor;
mod decl;
mod define;
mod handle;
mod instr;
mod keywords;
mod letters;
mod numbers;
mod operand;
mod path;
mod recover;
mod register;
mod statement;
mod vocabulary;

pub(crate) use keywords::DeclWord;
pub(crate) use letters::Letters;
pub(crate) use vocabulary::{Leader, find_leader};

use crate::ast::Ast;
use crate::memory::take;
use crate::report::Reports;
use crate::start::Start;
use cursor::Syntax;
use vocabulary::Word;

/// Memory of a parser, for the next program.
#[derive(Debug)]
pub(crate) struct SyntaxMemory {
    /// Tree without a program.
    pub(crate) ast: Ast<'static>,
    words: Vec<Word>,
    pub(crate) errors: Vec<(usize, usize)>,
}

impl Default for SyntaxMemory {
    fn default() -> Self {
        Self {
            ast: Ast::new(),
            words: Vec::new(),
            errors: Vec::new(),
        }
    }
}

/// Result of parsing.
pub(crate) struct Parsed<'s> {
    pub(crate) ast: Ast<'s>,
    /// Syntax errors, and what the header had to report.
    pub(crate) reports: Reports,
    /// For each statement with errors: number of statements before it, and number of errors up to the end of it.
    pub(crate) errors: Vec<(usize, usize)>,
}

/// Parses a program. Syntax errors are reported, and the statements that have them left out of the tree.
pub(crate) fn parse<'s>(start: Start<'s>, memory: &mut SyntaxMemory) -> Parsed<'s> {
    let mut errors = take(&mut memory.errors);
    let mut parser = Syntax::new(start, memory);
    if parser.reports.has_errors() {
        // Those of the header.
        errors.push((0, parser.reports.len()));
    }
    let mut goes_on = true;
    while goes_on {
        let (statements, reported) = (parser.ast.statements.len(), parser.reports.len());
        goes_on = parser.parse_statement();
        if parser.reports.len() > reported {
            errors.push((statements, parser.reports.len()));
        }
    }
    memory.words = parser.words;
    Parsed {
        ast: parser.ast,
        reports: parser.reports,
        errors,
    }
}
