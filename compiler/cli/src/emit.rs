//! The forms in which `glasm compile` writes a program.

use crate::args::Emit;
use crate::validate::Validator;
use glasm::ir::Stage;
use glasm::{Code, Diagnostics, Options, Shader, Source};
use rspirv::binary::Disassemble;

/// What to do with each program.
#[derive(Debug)]
pub(crate) struct Job {
    /// The form.
    pub(crate) emit: Emit,
    /// What the programs must be.
    pub(crate) stage: Option<Stage>,
    /// Which programs load.
    pub(crate) acceptance: glasm::Acceptance,
    /// How long the loops of programs with free branches run.
    pub(crate) step_limit: Option<u32>,
    /// Options of the compiler.
    pub(crate) options: Options,
    /// Whether the program follows Vulkan, where y points down in clip space. Matters for languages where it points up.
    #[cfg(feature = "translate")]
    pub(crate) flip_y: bool,
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
    /// A tool behind the compiler rejects the module.
    Tool {
        /// Warnings about the program.
        warnings: Diagnostics,
        /// What the tool says.
        message: String,
    },
}

/// Compiles and writes one program.
pub(crate) fn emit(job: &Job, source: &Source<'_>) -> Result<Emitted, Failure> {
    if job.emit == Emit::Ir {
        return match glasm::translate(source) {
            (Some(program), warnings) => Ok(Emitted {
                bytes: glasm::ir::print(&program).into_bytes(),
                warnings,
            }),
            (None, errors) => Err(Failure::Program(errors)),
        };
    }
    let shader = glasm::compile(source, &job.options)
        .map_err(|errors| Failure::Program(explain_features(job.emit, errors)))?;
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

/// Where a program is refused for what no shading language offers, says so.
fn explain_features(emit: Emit, mut errors: Diagnostics) -> Diagnostics {
    let missing = errors
        .list
        .iter_mut()
        .filter(|error| error.code == Code::FeatureMissing);
    if !emit.is_module() {
        missing.for_each(|error| {
            error
                .notes
                .push("note: the shading languages do not have it; SPIR-V does".to_owned())
        });
    }
    errors
}

fn write_shader(job: &Job, shader: &Shader) -> Result<Vec<u8>, String> {
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
        Emit::Wgsl | Emit::Msl | Emit::Hlsl | Emit::Glsl => {
            let language = match job.emit {
                Emit::Msl => crate::translate::Language::Msl,
                Emit::Hlsl => crate::translate::Language::Hlsl,
                Emit::Glsl => crate::translate::Language::Glsl,
                Emit::Wgsl | Emit::Spirv | Emit::Spvasm | Emit::Ir | Emit::Reflect => {
                    crate::translate::Language::Wgsl
                }
            };
            crate::translate::translate(&shader.words, language, job.flip_y)
        }
    }
}

fn disassemble(words: &[u32]) -> Result<Vec<u8>, String> {
    let module = rspirv::dr::load_words(words)
        .map_err(|error| format!("the module cannot be read back: {error}"))?;
    Ok(format!("{}\n", module.disassemble().trim_end()).into_bytes())
}
