//! The pipeline: program string to SPIR-V.

use glasm_codegen::{Options, Reflection};
use glasm_frontend::{Diagnostics, Source};

/// A compiled program.
#[derive(Clone, PartialEq, Debug)]
pub struct Shader {
    /// The SPIR-V module.
    pub words: Vec<u32>,
    /// What the module expects of its caller.
    pub reflection: Reflection,
    /// Warnings.
    pub warnings: Diagnostics,
}

/// Compiles a program string to SPIR-V.
///
/// Callers with many programs keep a [`Compiler`], which reuses its memory.
///
/// # Errors
/// All errors of the program, with positions, if it does not load or cannot be expressed for the target.
pub fn compile(source: &Source<'_>, options: &Options) -> Result<Shader, Diagnostics> {
    let _ = options;
    Err(glasm_frontend::translate(source).1)
}
