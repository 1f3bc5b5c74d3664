//! Code generation from glasm IR to SPIR-V: backward liveness analysis, forward emission, and the
//! reflection of the module.
//!
//! Independent of the source language. [`emit()`] compiles one program; an [`Emitter`] reuses its
//! memory for the next one.

#![forbid(unsafe_code)]

mod analysis;
mod bindings;
mod builder;
mod capability;
mod capture;
mod clip_planes;
mod complete;
mod debug;
mod emit;
pub mod error;
pub mod features;
pub mod handles;
mod interface;
mod kept;
mod lanes;
mod liveness;
pub mod options;
pub mod reflect;
pub mod state;
mod texel_format;
pub mod varyings;
mod words;

pub use debug::SourceText;
pub use error::{Error, ErrorKind};
pub use options::Options;
pub use reflect::Reflection;

use glasm_ir::{Program, lock_step, returns};

/// SPIR-V module and its reflection.
#[derive(Clone, PartialEq, Debug)]
pub struct Module {
    /// Words of the module.
    pub words: Vec<u32>,
    /// Requirements of the module on its caller.
    pub reflection: Reflection,
}

/// Emitter of several programs that reuses memory between them.
#[derive(Debug, Default)]
pub struct Emitter {
    kept: emit::Kept,
}

impl Emitter {
    /// Returns an emitter without memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Emits `program` into `words`, whose memory is reused. `source` is for line numbers only.
    ///
    /// # Errors
    /// If the program cannot be expressed for the target.
    pub fn emit_into(
        &mut self,
        program: &Program,
        options: &Options,
        source: Option<SourceText<'_>>,
        words: &mut Vec<u32>,
    ) -> Result<Reflection, Error> {
        let clipped = clip_planes::with_clip_planes(program, options);
        let program = clipped.as_ref().unwrap_or(program);
        let completed = complete::with_all_varyings(program, options);
        let program = completed.as_ref().unwrap_or(program);
        // After those passes, because it orders accesses to outputs of patches, including those
        // that they add.
        let stepped = lock_step::lower(program);
        let program = stepped.as_ref().unwrap_or(program);
        // Last, because lock step adds breaks.
        let returning = returns::lower(program);
        let program = returning.as_ref().unwrap_or(program);
        emit::emit(&mut self.kept, program, options, source, words).map_err(|failure| *failure)
    }
}

/// Emits `program`.
///
/// # Errors
/// If the program cannot be expressed for the target.
pub fn emit(program: &Program, options: &Options) -> Result<Module, Error> {
    emit_with_source(program, options, None)
}

/// Emits `program` with line numbers of its source, if the options request them.
///
/// # Errors
/// If the program cannot be expressed for the target.
pub fn emit_with_source(
    program: &Program,
    options: &Options,
    source: Option<SourceText<'_>>,
) -> Result<Module, Error> {
    let mut words = Vec::new();
    let reflection = Emitter::new().emit_into(program, options, source, &mut words)?;
    Ok(Module { words, reflection })
}
