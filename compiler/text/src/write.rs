//! From a program string or a module to text.

use crate::through_naga::{self, Positions};
use crate::{Conventions, Error, Language, Options, Source};
use glasm::{Code, DebugInfo, DeviceFeatures, Diagnostics, Reflection, Shader};

/// A program as text.
#[derive(Clone, PartialEq, Debug)]
pub struct Text {
    /// The text.
    pub text: String,
    /// What it expects of its caller.
    pub reflection: Reflection,
    /// Warnings about the program.
    pub warnings: Diagnostics,
}

/// Compiles a program string and writes it.
///
/// # Errors
/// All errors of the program, or what keeps it from being written.
pub fn write(source: &Source<'_>, options: &Options) -> Result<Text, Error> {
    let shader = glasm::compile(source, &compiler_options(options))
        .map_err(|errors| Error::Program(explain_features(errors)))?;
    write_shader(shader, options)
}

/// Writes a compiled program, which must have been compiled with [`compiler_options`].
///
/// # Errors
/// What keeps it from being written.
pub fn write_shader(shader: Shader, options: &Options) -> Result<Text, Error> {
    let positions = match options.conventions {
        Conventions::Own | Conventions::OpenGl => Positions::Unchanged,
        Conventions::Vulkan => Positions::FromVulkan,
    };
    match through_naga::translate(&shader.words, options.language, positions) {
        Ok(text) => Ok(Text {
            text,
            reflection: shader.reflection,
            warnings: shader.warnings,
        }),
        Err(message) => Err(Error::Writer {
            warnings: shader.warnings,
            message,
        }),
    }
}

/// The options to compile a program with that [`write_shader`] writes: those of the caller, with what the language decides.
pub fn compiler_options(options: &Options) -> glasm::Options {
    glasm::Options {
        conventions: conventions(options),
        debug: DebugInfo {
            names: true,
            lines: false,
        },
        device: device_features(),
        ..options.compiler.clone()
    }
}

/// Positions reach GL's clip space as they are, and the others with their depth remapped, if the program follows GL.
fn conventions(options: &Options) -> glasm::Conventions {
    let converts = match options.language {
        Language::Wgsl | Language::Msl | Language::Hlsl => true,
        Language::Glsl => false,
    };
    if converts && options.conventions == Conventions::OpenGl {
        glasm::Conventions {
            clip_depth: glasm::ClipDepth::NegativeOneToOne,
            ..glasm::Conventions::vulkan()
        }
    } else {
        glasm::Conventions::vulkan()
    }
}

/// The shading languages lack some features of Vulkan devices; glasm does without them, or says at which instruction it cannot.
fn device_features() -> DeviceFeatures {
    DeviceFeatures {
        float64: false,
        buffer_device_address: false,
        int64_atomics: false,
        int64: false,
        int16: false,
        int8: false,
        demote_to_helper_invocation: false,
        resource_residency: false,
        resource_min_lod: false,
        ..DeviceFeatures::default()
    }
}

/// Where a program is refused for what no shading language offers, says so.
pub fn explain_features(mut errors: Diagnostics) -> Diagnostics {
    let missing = errors
        .list
        .iter_mut()
        .filter(|error| error.code == Code::FeatureMissing);
    missing.for_each(|error| {
        error
            .notes
            .push("note: the shading languages do not have it; SPIR-V does".to_owned())
    });
    errors
}
