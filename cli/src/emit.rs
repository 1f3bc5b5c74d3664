//! The forms in which `glasm compile` writes a program.

use crate::args::{Emit, Reading};
use crate::validate::Validator;
use glasm::{Diagnostics, Options, ProgramType, Shader, Source};
use rspirv::binary::Disassemble;

/// What to do with each program.
#[derive(Debug)]
pub(crate) struct EmitSettings {
    /// The form.
    pub(crate) emit: Emit,
    /// What the programs must be.
    pub(crate) stage: Option<ProgramType>,
    /// How they are read.
    pub(crate) reading: Reading,
    /// How long the loops of programs with free branches run.
    pub(crate) step_limit: Option<u32>,
    /// Options of the compiler.
    pub(crate) options: Options,
    /// Whose rules for clip space the programs follow, for the shading languages.
    #[cfg(feature = "translate")]
    pub(crate) text_conventions: glasm_text::Conventions,
    /// What becomes of NaN in them.
    #[cfg(feature = "translate")]
    pub(crate) nan: glasm_text::Nan,
    /// Checks modules, if asked for.
    pub(crate) validator: Option<Validator>,
}

/// A written program.
#[derive(Debug)]
pub(crate) struct Emitted {
    /// The bytes to write.
    pub(crate) bytes: Vec<u8>,
    /// Warnings about the program.
    pub(crate) warnings: Diagnostics,
}

/// Why there is no output.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The program has errors.
    Program(Diagnostics),
    /// A tool after the compiler rejects the module.
    Tool {
        /// Warnings about the program.
        warnings: Diagnostics,
        /// What the tool says.
        message: String,
    },
}

/// Compiles and writes one program.
pub(crate) fn emit(job: &EmitSettings, source: &Source<'_>) -> Result<Emitted, Failure> {
    if job.emit == Emit::Ir {
        return match glasm::translate(source) {
            (Some(program), warnings) => Ok(Emitted {
                bytes: glasm::ir::print(&program).into_bytes(),
                warnings,
            }),
            (None, errors) => Err(Failure::Program(errors)),
        };
    }
    #[cfg(feature = "translate")]
    if let Emit::Text(language) = job.emit {
        return emit_text(job, source, language);
    }
    let shader = glasm::compile(source, &job.options).map_err(Failure::Program)?;
    match write_shader(job, &shader) {
        Ok(bytes) => Ok(Emitted {
            bytes,
            warnings: shader.warnings,
        }),
        Err(message) => Err(Failure::Tool {
            warnings: shader.warnings,
            message,
        }),
    }
}

/// Compiles and writes one program in a shading language.
#[cfg(feature = "translate")]
fn emit_text(
    job: &EmitSettings,
    source: &Source<'_>,
    language: glasm_text::Language,
) -> Result<Emitted, Failure> {
    let options = glasm_text::Options {
        conventions: job.text_conventions,
        nan: job.nan,
        compiler: job.options.clone(),
        ..glasm_text::Options::new(language)
    };
    let shader =
        glasm::compile(source, &glasm_text::compiler_options(&options)).map_err(|errors| {
            Failure::Program(glasm_text::explain_features(source, &options, errors))
        })?;
    if let Some(validator) = &job.validator
        && let Err(message) = validator.validate(&shader.words, job.options.target)
    {
        return Err(Failure::Tool {
            warnings: shader.warnings,
            message,
        });
    }
    match glasm_text::write_shader(&shader, &options) {
        Ok(text) => Ok(Emitted {
            bytes: text.text.into_bytes(),
            warnings: text.warnings,
        }),
        Err(glasm_text::Error::Program(errors)) => Err(Failure::Program(errors)),
        Err(glasm_text::Error::Writer { warnings, message }) => {
            Err(Failure::Tool { warnings, message })
        }
    }
}

fn write_shader(job: &EmitSettings, shader: &Shader) -> Result<Vec<u8>, String> {
    if let Some(validator) = &job.validator {
        validator.validate(&shader.words, job.options.target)?;
    }
    match job.emit {
        Emit::Spirv => Ok(shader
            .words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect()),
        Emit::Spvasm => disassemble(&shader.words),
        Emit::Ir => Err("the intermediate form is not made from a module".to_owned()),
        Emit::Reflect => {
            let json = serde_json::to_string_pretty(&shader.reflection)
                .map_err(|error| error.to_string())?;
            Ok(format!("{json}\n").into_bytes())
        }
        #[cfg(feature = "translate")]
        Emit::Text(_) => Err("a shading language is not written here".to_owned()),
    }
}

fn disassemble(words: &[u32]) -> Result<Vec<u8>, String> {
    let module = rspirv::dr::load_words(words)
        .map_err(|error| format!("the module cannot be read back: {error}"))?;
    Ok(format!("{}\n", module.disassemble().trim_end()).into_bytes())
}
