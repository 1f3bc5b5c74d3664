//! The forms in which `glasm compile` writes a program.

use crate::args::{EmitFormat, SourceOptions};
use crate::check::Validator;
use glasm::{Diagnostics, Options, ProgramType, Shader, Source};
use rspirv::binary::Disassemble;

/// Settings for the output of each program.
#[derive(Debug)]
pub(crate) struct EmitSettings {
    /// The form.
    pub(crate) format: EmitFormat,
    /// Type that the programs must have.
    pub(crate) program_type: Option<ProgramType>,
    /// Interpretation of the programs.
    pub(crate) source_options: SourceOptions,
    /// Limit on the instructions of programs with free branches.
    pub(crate) step_limit: Option<u32>,
    /// Options of the compiler.
    pub(crate) options: Options,
    /// Whose rules for clip space the programs follow, for the shading languages.
    #[cfg(feature = "translate")]
    pub(crate) text_conventions: glasm_text::ClipConventions,
    /// Results for NaN in them.
    #[cfg(feature = "translate")]
    pub(crate) nan: glasm_text::NanMode,
    /// Checks modules, if asked for.
    pub(crate) validator: Option<Validator>,
}

/// A written program.
#[derive(Debug)]
pub(crate) struct EmittedProgram {
    /// The bytes to write.
    pub(crate) bytes: Vec<u8>,
    /// Warnings about the program.
    pub(crate) warnings: Diagnostics,
}

/// Reason for a missing output.
#[derive(Debug)]
pub(crate) enum EmitError {
    /// The program has errors.
    Program(Diagnostics),
    /// A tool that runs after the compiler rejects the module.
    Tool {
        /// Warnings about the program.
        warnings: Diagnostics,
        /// The tool's message.
        message: String,
    },
}

/// Compiles a program and returns it in the output format of the settings, with its warnings. The
/// IR is returned without code generation, and thus without validation of a module.
pub(crate) fn emit_program(
    settings: &EmitSettings,
    source: &Source<'_>,
) -> Result<EmittedProgram, EmitError> {
    if settings.format == EmitFormat::Ir {
        return match glasm::translate(source) {
            (Some(program), warnings) => Ok(EmittedProgram {
                bytes: glasm::ir::print(&program).into_bytes(),
                warnings,
            }),
            (None, errors) => Err(EmitError::Program(errors)),
        };
    }
    #[cfg(feature = "translate")]
    if let EmitFormat::Text(language) = settings.format {
        return emit_text(settings, source, language);
    }
    let shader = glasm::compile(source, &settings.options).map_err(EmitError::Program)?;
    match format_shader(settings, &shader) {
        Ok(bytes) => Ok(EmittedProgram {
            bytes,
            warnings: shader.warnings,
        }),
        Err(message) => Err(EmitError::Tool {
            warnings: shader.warnings,
            message,
        }),
    }
}

/// Compiles a program with the options for a shading language, validates the module if requested,
/// and returns the program in that language. Errors about missing features are explained by the
/// language.
#[cfg(feature = "translate")]
fn emit_text(
    settings: &EmitSettings,
    source: &Source<'_>,
    language: glasm_text::Language,
) -> Result<EmittedProgram, EmitError> {
    let options = glasm_text::Options {
        clip_conventions: settings.text_conventions,
        nan_mode: settings.nan,
        compiler: settings.options.clone(),
        ..glasm_text::Options::new(language)
    };
    let shader =
        glasm::compile(source, &glasm_text::compiler_options(&options)).map_err(|errors| {
            EmitError::Program(glasm_text::explain_features(source, &options, errors))
        })?;
    if let Some(validator) = &settings.validator
        && let Err(message) = validator.validate(&shader.words, settings.options.target)
    {
        return Err(EmitError::Tool {
            warnings: shader.warnings,
            message,
        });
    }
    match glasm_text::write_shader(&shader, &options) {
        Ok(text) => Ok(EmittedProgram {
            bytes: text.source.into_bytes(),
            warnings: text.warnings,
        }),
        Err(glasm_text::Error::Program(errors)) => Err(EmitError::Program(errors)),
        Err(glasm_text::Error::Writer { warnings, message }) => {
            Err(EmitError::Tool { warnings, message })
        }
        Err(error @ glasm_text::Error::OtherLanguage(_)) => Err(EmitError::Tool {
            warnings: shader.warnings,
            message: error.to_string(),
        }),
    }
}

/// Returns a compiled program in the requested form, after the validator, if there is one, has
/// accepted it. Returns the reason if the validator rejects it or the form is not derived from a
/// module.
fn format_shader(settings: &EmitSettings, shader: &Shader) -> Result<Vec<u8>, String> {
    if let Some(validator) = &settings.validator {
        validator.validate(&shader.words, settings.options.target)?;
    }
    match settings.format {
        EmitFormat::Spirv => Ok(shader
            .words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect()),
        EmitFormat::Spvasm => disassemble(&shader.words),
        EmitFormat::Ir => Err("the intermediate form is not made from a module".to_owned()),
        EmitFormat::Reflect => {
            let json = serde_json::to_string_pretty(&shader.reflection)
                .map_err(|error| error.to_string())?;
            Ok(format!("{json}\n").into_bytes())
        }
        #[cfg(feature = "translate")]
        EmitFormat::Text(_) => Err("a shading language is not written here".to_owned()),
    }
}

/// Formats a module as SPIR-V assembly, with one line end at its end. Returns an error if the words
/// are not a valid module.
fn disassemble(words: &[u32]) -> Result<Vec<u8>, String> {
    let module = rspirv::dr::load_words(words)
        .map_err(|error| format!("the module cannot be read back: {error}"))?;
    Ok(format!("{}\n", module.disassemble().trim_end()).into_bytes())
}
