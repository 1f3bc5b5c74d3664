//! Why there is no text.

use glasm::Diagnostics;
use std::fmt;

/// Why there is no text.
#[derive(Clone, PartialEq, Debug)]
pub enum Error {
    /// The program has errors, or needs what the language does not have.
    Program(Diagnostics),
    /// The program compiles, but its module cannot be written.
    Writer {
        /// Warnings about the program.
        warnings: Diagnostics,
        /// What the writer says.
        message: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(errors) => match errors.list.first() {
                Some(first) => write!(f, "{}", first.message),
                None => write!(f, "the program has errors"),
            },
            Self::Writer { message, .. } => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}
