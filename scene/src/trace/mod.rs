//! Traces: runs of an invocation in the interpreter, statement by statement.
//!
//! `recorder` observes the run; `statements` combines instructions of the IR to statements of the
//! source; `names` has the names and values that are shown; `lines` finds statements in the source;
//! `json` formats statements for tools.

pub mod json;
mod lines;
pub mod names;
mod recorder;
mod run;
mod statements;

pub use lines::SourceLines;
pub use recorder::{Finding, InstructionRecord};
pub use run::{FirstFinding, Trace, format_flow, format_lanes};
pub use statements::{Flow, Statement};
