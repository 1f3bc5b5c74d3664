//! From a program string or a module to text.

use crate::features::device_features;
use crate::through_naga::{self, Positions};
use crate::{Conventions, Error, Language, Options, Resource, Source};
use glasm::{
    ClipDepth, Code, DebugInfo, Diagnostic, Diagnostics, Reflection, Severity, Shader, Target,
};

/// A program as text.
#[derive(Clone, PartialEq, Debug)]
pub struct Text {
    /// The text.
    pub text: String,
    /// What the module behind it expects of its caller.
    pub reflection: Reflection,
    /// Where the resources are in the text.
    pub resources: Vec<Resource>,
    /// Warnings about the program.
    pub warnings: Diagnostics,
}

/// Compiles a program string and writes it.
///
/// # Errors
/// All errors of the program, or what keeps it from being written.
pub fn write(source: &Source<'_>, options: &Options) -> Result<Text, Error> {
    let shader = glasm::compile(source, &compiler_options(options))
        .map_err(|errors| Error::Program(explain_features(source, options, errors)))?;
    write_shader(&shader, options)
}

/// Writes a compiled program, which must have been compiled with [`compiler_options`].
///
/// # Errors
/// What keeps it from being written.
pub fn write_shader(shader: &Shader, options: &Options) -> Result<Text, Error> {
    let positions = match options.conventions {
        Conventions::Own | Conventions::OpenGl => Positions::Unchanged,
        Conventions::Vulkan => Positions::FromVulkan,
    };
    match translate(shader, options, positions) {
        Ok(written) => Ok(Text {
            text: written.text,
            resources: written.resources,
            reflection: shader.reflection.clone(),
            warnings: with_differences(shader.warnings.clone(), written.differences),
        }),
        Err(message) => Err(Error::Writer {
            warnings: shader.warnings.clone(),
            message,
        }),
    }
}

/// What a writer gives.
struct Output {
    text: String,
    resources: Vec<Resource>,
    /// What the text does not do as the program does.
    differences: Vec<String>,
}

#[cfg(feature = "spirv-cross")]
fn translate(shader: &Shader, options: &Options, positions: Positions) -> Result<Output, String> {
    if options.language == Language::Wgsl {
        return translate_with_naga(shader, options.language, positions);
    }
    let (text, resources) = crate::through_spirv_cross::translate(shader, options, positions)?;
    Ok(Output {
        text,
        resources,
        differences: Vec::new(),
    })
}

#[cfg(not(feature = "spirv-cross"))]
fn translate(shader: &Shader, options: &Options, positions: Positions) -> Result<Output, String> {
    translate_with_naga(shader, options.language, positions)
}

fn translate_with_naga(
    shader: &Shader,
    language: Language,
    positions: Positions,
) -> Result<Output, String> {
    let written = through_naga::translate(&shader.words, language, positions)?;
    Ok(Output {
        text: written.text,
        resources: Vec::new(),
        differences: written.differences,
    })
}

/// The warnings of the compiler, with those about what the text does not do as the program does.
fn with_differences(mut warnings: Diagnostics, differences: Vec<String>) -> Diagnostics {
    for difference in differences {
        warnings.push(Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::whole_program(Code::TextDiffers, difference)
        });
    }
    warnings
}

/// The options to compile a program with that [`write_shader`] writes: those of the caller, with what the language decides.
pub fn compiler_options(options: &Options) -> glasm::Options {
    glasm::Options {
        conventions: conventions(options),
        debug: DebugInfo {
            names: true,
            lines: false,
        },
        device: device_features(options.language),
        target: target(options),
        ..options.compiler.clone()
    }
}

/// What modules are made for: those of OpenGL are for its own language.
fn target(options: &Options) -> Target {
    let is_glsl = matches!(options.language, Language::Glsl(_));
    match options.compiler.target {
        Target::OpenGl4_5 if !is_glsl => Target::Vulkan1_1,
        target
        @ (Target::OpenGl4_5 | Target::Vulkan1_1 | Target::Vulkan1_2 | Target::Vulkan1_3) => target,
    }
}

/// Positions reach GL's clip space as they are, and the others with their depth remapped, if the program follows GL.
fn conventions(options: &Options) -> glasm::Conventions {
    let (is_gl, is_vulkan, instances_from_zero) = match options.language {
        Language::Glsl(_) | Language::Essl(_) => (true, false, true),
        Language::VulkanGlsl => (false, true, false),
        Language::Hlsl(_) => (false, false, true),
        Language::Wgsl | Language::Msl(_) => (false, false, false),
    };
    let converts = options.conventions == Conventions::OpenGl && !is_gl;
    glasm::Conventions {
        clip_depth: match converts {
            true => ClipDepth::NegativeOneToOne,
            false => ClipDepth::ZeroToOne,
        },
        // Rows of images start at the top, and y of windows points down.
        negate_ddy: converts && !is_vulkan,
        // Callers of Vulkan keep row 0 at GL's bottom.
        flip_point_coord: converts && is_vulkan,
        instances_from_zero,
    }
}

/// Where a program is refused for what the language does not have, says which language has it.
pub fn explain_features(
    source: &Source<'_>,
    options: &Options,
    mut errors: Diagnostics,
) -> Diagnostics {
    let is_missing = |error: &&mut Diagnostic| error.code == Code::FeatureMissing;
    let mut missing = errors.list.iter_mut().filter(is_missing).peekable();
    if missing.peek().is_some() {
        let language = options.language;
        let note = match able(source, options) {
            Some(able) => format!("note: {language} does not have it; {able} does"),
            None => format!("note: {language} does not have it; SPIR-V does"),
        };
        missing.for_each(|error| error.notes.push(note.clone()));
    }
    errors
}

/// The next version of the language, else GLSL for Vulkan, if a program can be compiled for it.
fn able(source: &Source<'_>, options: &Options) -> Option<Language> {
    let newer = Language::ALL
        .iter()
        .copied()
        .filter(|other| other.family() == options.language.family() && *other > options.language);
    let mut candidates =
        newer.chain((options.language != Language::VulkanGlsl).then_some(Language::VulkanGlsl));
    candidates.find(|&language| {
        let options = Options {
            language,
            ..options.clone()
        };
        glasm::compile(source, &compiler_options(&options)).is_ok()
    })
}
