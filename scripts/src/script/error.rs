//! What is wrong with a script.

use super::words::LineError;

/// Something wrong with a line of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScriptError {
    /// The line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

impl ScriptError {
    pub(super) fn new(line: u32, column: u32, message: impl Into<String>) -> Self {
        Self {
            line,
            column,
            message: message.into(),
        }
    }

    pub(super) fn at(line: u32, error: LineError) -> Self {
        Self {
            line,
            column: error.column,
            message: error.message,
        }
    }
}
