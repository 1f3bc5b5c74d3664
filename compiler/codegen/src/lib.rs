//! Code generation from glasm IR to SPIR-V: backward liveness analysis, forward emission, and the
//! reflection of the module.
//!
//! Independent of the source language. [`emit()`] compiles one program; an [`Emitter`] reuses its
//! memory for the next one.

#![forbid(unsafe_code)]

mod added_outputs;
mod analysis;
mod bindings;
mod builder;
mod capability;
mod descriptor;
pub mod dynamic_state;
mod emit;
pub mod error;
pub mod features;
mod interface;
mod liveness;
pub mod options;
mod program_options;
pub mod reflect;
mod spirv_writer;
mod texel_format;
pub mod varyings;
mod xfb;

pub use emit::SourceText;
pub use error::{Error, ErrorKind};
pub use options::Options;
pub use reflect::Reflection;

use capability::Requirement;
use glasm_ir::{Program, lockstep, lower_returns};

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
    scratch: emit::EmitterScratch,
}

impl Emitter {
    /// Creates an emitter, whose memory is allocated on the first translation and reused.
    pub fn new() -> Self {
        Self::default()
    }

    /// Emits `program`, after the passes that this requires, into `words`, whose content is
    /// replaced and whose memory is reused. `source` is for line numbers only.
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
        let clipped = added_outputs::add_clip_planes(program, options);
        if clipped.is_some() {
            // Checked here because the added instructions have no location for an error.
            let checked = Requirement::ClipDistance.check(&options.device);
            checked.map_err(|failure| *failure.required_by_options("`clip_plane_mask`"))?;
        }
        let program = clipped.as_ref().unwrap_or(program);
        let completed = added_outputs::add_unwritten_varyings(program, options);
        let program = completed.as_ref().unwrap_or(program);
        // After those passes, because it orders accesses to outputs of patches, including those
        // that they add.
        let stepped = lockstep::lower(program);
        let program = stepped.as_ref().unwrap_or(program);
        // Last, because lock step adds breaks.
        let returning = lower_returns::lower(program);
        let program = returning.as_ref().unwrap_or(program);
        emit::emit_module(&mut self.scratch, program, options, source, words)
            .map_err(|failure| *failure)
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
