//! Bytes to statements.
//!
//! The driver is a loop over statements; after an error it goes on behind the next semicolon, so that one run reports all errors. Grammar
//! functions match bytes; where they fail, the statement is given up.

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
mod memory;
mod numbers;
mod operand;
mod path;
mod recover;
mod register;
mod statement;
mod vocabulary;

pub(crate) use cursor::{Read, Syntax};
pub(crate) use keywords::DeclWord;
pub(crate) use letters::Letters;
pub(crate) use memory::SyntaxMemory;
pub(crate) use vocabulary::Leader;
