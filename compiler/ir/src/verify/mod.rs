//! Verifies a [`Program`]. The time is linear in its size, and the checks are not recursive.
//!
//! Tables: ids in range; condition codes 32 bits wide and not arrays, other registers 16 to 64
//! bits; arrays not empty and the register file bounded; an output for each output register, and
//! one register per output; rows of matrices 0 to 3; names of parameters in the table, without
//! duplicates; arguments and buffers of state programs in compute programs only, one buffer.
//!
//! Tree: every block and switch used exactly once, instructions at most once; `Break`, `Continue`
//! inside a construct that they leave; nothing leaves a `continuing` block; nesting at most
//! [`MAX_NESTING`](crate::program::MAX_NESTING); no recursion; switch values unique. Nodes after a
//! `Break`, `Continue` or `Return` are allowed.
//!
//! Instructions: number of sources; access data of the right kind; type in the operation's class;
//! operand widths that match the type (8- and 16-bit types are in 32-bit lanes or in lanes of their
//! width in conversions and memory accesses, in lanes of their width elsewhere); results only in
//! temporaries and outputs, with a mask; clamps on floats only; guards, tests and updates on
//! condition codes only; arrays indexed, other registers not; indices inside their tables; relative
//! parts in lanes of 32-bit registers that are not arrays; texture modes that the target supports;
//! operations that the stage supports.

mod declarations;
mod flow;
mod inst;
mod operand;

use std::fmt;

use crate::inst::Inst;
use crate::print::print_inst;
use crate::program::{BlockId, Program, RegisterId, RoutineId, SwitchId};
use crate::resource::{ParamId, TextureId};
use crate::span::Span;

/// Maximum number of reported errors.
const MAX_ERRORS: usize = 64;

/// The part of a program that an error is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// The entire program.
    Program,
    /// A register.
    Register(RegisterId),
    /// A parameter slot.
    Param(ParamId),
    /// A texture.
    Texture(TextureId),
    /// A routine.
    Routine(RoutineId),
    /// A block.
    Block(BlockId),
    /// A switch.
    Switch(SwitchId),
    /// An instruction: its position in [`Program::insts`] and its source range.
    Inst(u32, Span),
}

/// Kind of an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The program breaks a rule.
    Malformed,
    /// Blocks are nested too deep.
    Nesting,
    /// A routine calls itself, directly or indirectly.
    Recursion,
}

/// A rule that a program breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    /// Location.
    pub subject: Subject,
    /// Kind.
    pub kind: ErrorKind,
    /// Description of the error.
    pub message: String,
}

impl fmt::Display for VerifyError {
    /// Writes the subject of the error and its message on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.subject {
            Subject::Program => f.write_str("program")?,
            Subject::Register(id) => write!(f, "{id}")?,
            Subject::Param(id) => write!(f, "{id}")?,
            Subject::Texture(id) => write!(f, "{id}")?,
            Subject::Routine(id) => write!(f, "{id}")?,
            Subject::Block(id) => write!(f, "{id}")?,
            Subject::Switch(id) => write!(f, "{id}")?,
            Subject::Inst(position, span) => write!(f, "instruction {position} {span:?}")?,
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for VerifyError {}

/// Checks that `program` satisfies the rules of the IR.
///
/// # Errors
/// All errors found, up to a limit.
pub fn verify(program: &Program) -> Result<(), Vec<VerifyError>> {
    let mut verifier = Verifier {
        program,
        subject: Subject::Program,
        errors: Vec::new(),
    };
    verifier.verify_tables();
    verifier.verify_tree();
    if verifier.errors.is_empty() {
        Ok(())
    } else {
        Err(verifier.errors)
    }
}

struct Verifier<'a> {
    program: &'a Program,
    /// The entity being checked.
    subject: Subject,
    errors: Vec<VerifyError>,
}

impl Verifier<'_> {
    /// Records an error about the current subject, unless [`MAX_ERRORS`] are recorded.
    fn report_error_of_kind(&mut self, kind: ErrorKind, message: String) {
        // Reports of malformed programs of any size have a bounded size.
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(VerifyError {
                subject: self.subject,
                kind,
                message,
            });
        }
    }

    /// Records that the current subject breaks a rule.
    fn report_error(&mut self, message: impl Into<String>) {
        self.report_error_of_kind(ErrorKind::Malformed, message.into());
    }

    /// Reports an error of an instruction, with its text.
    fn report_inst_error(&mut self, inst: &Inst, message: impl fmt::Display) {
        let text = print_inst(self.program, inst);
        self.report_error(format!("{message}: {text}"));
    }
}

#[cfg(test)]
mod tests;
