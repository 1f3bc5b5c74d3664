//! The pipeline: program string to SPIR-V.

use crate::program::Program;
use glasm_codegen::error::{Error, ErrorKind};
use glasm_codegen::{Emitter, Options, Reflection, SourceText};
use glasm_frontend::{Code, Diagnostic, Diagnostics, Location, Scratch, Source};
use glasm_ir as ir;
use std::borrow::Cow;

/// A compiled program.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct Shader {
    /// The SPIR-V module.
    pub words: Vec<u32>,
    /// Interface that the module expects of its caller.
    pub reflection: Reflection,
    /// Warnings.
    pub warnings: Diagnostics,
}

impl Shader {
    /// Returns a shader that was compiled before, from the words and the reflection that a caller
    /// has stored. They are not validated.
    pub fn from_kept(words: Vec<u32>, reflection: Reflection) -> Self {
        Self {
            words,
            reflection,
            warnings: Diagnostics::default(),
        }
    }
}

/// Compiles a program string to SPIR-V.
///
/// Callers with many programs use a [`Compiler`], which reuses its memory.
///
/// # Errors
/// All errors of the program, with positions, if it does not load or cannot be expressed for the
/// target.
pub fn compile(source: &Source<'_>, options: &Options) -> Result<Shader, Diagnostics> {
    Compiler::new().compile(source, options)
}

/// Compiler that reuses its memory for consecutive programs.
#[derive(Debug, Default)]
pub struct Compiler {
    frontend: Scratch,
    emitter: Emitter,
}

impl Compiler {
    /// Returns a compiler without memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Compiles a program string to SPIR-V.
    ///
    /// # Errors
    /// All errors of the program, with positions, if it does not load or cannot be expressed for
    /// the target.
    pub fn compile(
        &mut self,
        source: &Source<'_>,
        options: &Options,
    ) -> Result<Shader, Diagnostics> {
        let (program, warnings) = glasm_frontend::translate_with(&mut self.frontend, source);
        let Some(program) = program else {
            return Err(warnings);
        };
        if cfg!(debug_assertions) {
            verify(&program)?;
        }
        let text = SourceText {
            name: source.name,
            text: source.text,
        };
        let shader = self.emit(&program, options, Some(text), warnings);
        self.frontend.recycle(program);
        shader
    }

    /// Loads a program string: [`Program::load`].
    ///
    /// # Errors
    /// All errors of the program, with positions.
    pub fn load(&mut self, source: &Source<'_>) -> Result<Program, Diagnostics> {
        let (program, found) = glasm_frontend::translate_with(&mut self.frontend, source);
        let Some(program) = program else {
            return Err(found);
        };
        if cfg!(debug_assertions) {
            verify(&program)?;
        }
        Ok(Program::new(source, program, found))
    }

    /// Compiles a loaded program: [`Program::compile`].
    ///
    /// # Errors
    /// If it cannot be expressed for the target or for the device that the options describe.
    pub fn compile_program(
        &mut self,
        program: &Program,
        options: &Options,
    ) -> Result<Shader, Diagnostics> {
        let text = Some(program.source_text());
        self.emit(program.ir(), options, text, program.warnings().clone())
    }

    /// Compiles a program of the intermediate representation, for tools that create or modify such
    /// programs.
    ///
    /// # Errors
    /// If the program breaks a rule of the IR, as internal errors of glasm, or cannot be expressed
    /// for the target.
    pub fn compile_ir(
        &mut self,
        program: &ir::Program,
        options: &Options,
    ) -> Result<Shader, Diagnostics> {
        verify(program)?;
        self.emit(program, options, None, Diagnostics::default())
    }

    pub(crate) fn emit(
        &mut self,
        program: &ir::Program,
        options: &Options,
        source: Option<SourceText<'_>>,
        warnings: Diagnostics,
    ) -> Result<Shader, Diagnostics> {
        let mut words = Vec::new();
        match self.emitter.emit_into(program, options, source, &mut words) {
            Ok(reflection) => Ok(Shader {
                words,
                reflection,
                warnings,
            }),
            Err(error) => Err(with_error(warnings, &error)),
        }
    }
}

/// Returns the current warnings and an error of code generation.
fn with_error(mut diagnostics: Diagnostics, error: &Error) -> Diagnostics {
    let (code, feature) = match error.kind {
        ErrorKind::Unsupported => (Code::Unsupported, None),
        ErrorKind::MissingFeature(feature) => (Code::FeatureMissing, Some(Cow::Borrowed(feature))),
        ErrorKind::Limit => (Code::OutputTooLarge, None),
    };
    diagnostics.push(Diagnostic {
        location: error.span.map_or(Location::WholeProgram, Location::Span),
        feature,
        ..Diagnostic::whole_program(code, &*error.message)
    });
    diagnostics.sort();
    diagnostics
}

/// Verifies a program. A program that breaks a rule of the IR is a bug of glasm, which must be
/// reported before code generation fails on it.
pub(crate) fn verify(program: &ir::Program) -> Result<(), Diagnostics> {
    glasm_ir::verify(program).map_err(|errors| {
        let messages = errors
            .iter()
            .map(|error| Diagnostic::bug(Location::WholeProgram, error.to_string()));
        Diagnostics {
            list: messages.collect(),
        }
    })
}
