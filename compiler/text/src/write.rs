//! Writes program strings and modules in the shading languages.

use crate::features::get_device_features;
use crate::naga_backend::{self, Positions};
use crate::shader_text::{Resource, ShaderText};
use crate::text_target::{LanguageMismatch, check_text_target};
use crate::{ClipConventions, Language, Options, UnknownLanguage};
use glasm::{
    ClipDepth, Code, DebugInfo, Diagnostic, Diagnostics, LinkErrors, Linked, Program, Severity,
    Shader, Source, StateSource, StateSources, Target, TextTarget,
};
use std::fmt;

/// The reason why a program is not written.
#[derive(Clone, PartialEq, Debug)]
pub enum Error {
    /// The program has errors, or needs a feature that the language does not have.
    Program(Diagnostics),
    /// The program compiles, but its module cannot be written.
    Writer {
        /// Warnings about the program.
        warnings: Diagnostics,
        /// Message of the writer.
        message: String,
    },
    /// The shader was compiled for another language.
    OtherLanguage(LanguageMismatch),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(errors) => match errors.list.first() {
                Some(first) => write!(f, "{}", first.message),
                None => write!(f, "the program has errors"),
            },
            Self::Writer { message, .. } => f.write_str(message),
            Self::OtherLanguage(mismatch) => mismatch.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl Error {
    /// Returns the errors with the warnings of the program. The reason why a module cannot be
    /// written is an error about the whole program.
    pub fn into_diagnostics(self) -> Diagnostics {
        let (mut diagnostics, message) = match self {
            Self::Program(errors) => return errors,
            Self::Writer { warnings, message } => (warnings, message),
            Self::OtherLanguage(mismatch) => (Diagnostics::default(), mismatch.to_string()),
        };
        diagnostics.push(Diagnostic::whole_program(Code::Unsupported, message));
        diagnostics
    }
}

/// Compiles a program string and writes it in the language of the options.
///
/// # Errors
/// Returns all errors of the program, with a note about languages that have features that this one
/// lacks, or the reason why it cannot be written.
pub fn write(source: &Source<'_>, options: &Options) -> Result<ShaderText, Error> {
    let shader = glasm::compile(source, &compiler_options(options))
        .map_err(|errors| Error::Program(explain_features(source, options, errors)))?;
    write_shader(&shader, options)
}

/// Writes a compiled program, which must have been compiled with the [`compiler_options`] of the
/// same options, in their language. Differences from the program are warnings.
///
/// ```
/// use glasm_text::{Error, Language, Options, Source, compiler_options, write_shader};
///
/// let source = Source::new("fog.vp", "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND");
/// let options = Options::new(Language::Wgsl);
/// let shader = glasm::compile(&source, &compiler_options(&options)).unwrap();
/// assert!(write_shader(&shader, &options).is_ok());
///
/// // Instance numbers start at 0 in GLSL.
/// let error = write_shader(&shader, &Options::new(Language::Glsl(450))).unwrap_err();
/// assert!(matches!(error, Error::OtherLanguage(mismatch) if mismatch.compiled_for == "wgsl"));
/// ```
///
/// # Errors
/// Returns the reason why it cannot be written: a feature that the language does not have, or
/// [`Error::OtherLanguage`] if the shader was compiled for SPIR-V or for another language, and the
/// module would be a different one for this language.
pub fn write_shader(shader: &Shader, options: &Options) -> Result<ShaderText, Error> {
    if let Some(unknown) = find_unknown_language(options) {
        return Err(Error::Writer {
            warnings: shader.warnings.clone(),
            message: unknown.to_string(),
        });
    }
    check_text_target(shader, options).map_err(Error::OtherLanguage)?;
    let positions = match options.clip_conventions {
        ClipConventions::OfCompilerOptions | ClipConventions::OpenGl => Positions::Unchanged,
        ClipConventions::Vulkan => Positions::FromVulkan,
    };
    match translate(shader, options, positions) {
        Ok(written) => Ok(ShaderText {
            source: written.text,
            resources: written.resources,
            reflection: shader.reflection.clone(),
            warnings: add_difference_warnings(shader.warnings.clone(), written.differences),
        }),
        Err(message) => Err(Error::Writer {
            warnings: shader.warnings.clone(),
            // Other libraries end some of their messages with a line end.
            message: message.trim_end().to_owned(),
        }),
    }
}

/// Returns the language of the options if it is a version that does not exist.
fn find_unknown_language(options: &Options) -> Option<UnknownLanguage> {
    let is_known = Language::ALL.contains(&options.language);
    (!is_known).then(|| UnknownLanguage(options.language.to_string()))
}

/// Links the programs of a pipeline, given in its order, and writes all stages in the language of
/// the options: those of the programs, then those that linking generates.
///
/// ```
/// use glasm_text::{Language, Options, Source, link};
///
/// let programs = [
///     "!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.color, vertex.color;\nEND",
///     "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND",
/// ];
/// let [vertex, fragment] = programs.map(|text| glasm::Program::load(&Source::new("test", text)).unwrap());
/// let written = link(&[&vertex, &fragment], &Options::new(Language::Wgsl)).unwrap();
/// assert!(written[0].source.contains("@vertex") && written[1].source.contains("@fragment"));
/// ```
///
/// # Errors
/// The errors of all stages, with the names of their programs. A stage that cannot be written has an
/// error about the whole program, with the reason. [`write_linked`] returns the results of each
/// stage.
pub fn link(programs: &[&Program], options: &Options) -> Result<Vec<ShaderText>, LinkErrors> {
    let mut linked = glasm::link(programs, &compiler_options(options));
    let texts = write_linked(&mut linked, options);
    linked.check()?;
    Ok(texts.into_iter().flatten().collect())
}

/// Writes the stages of a pipeline that was linked with the [`compiler_options`] of the same
/// options. Returns the source of each stage, those of the programs first, then the generated ones;
/// `None` for a stage with errors.
///
/// In the pipeline, a stage that cannot be written becomes its errors, and the warnings of a shader
/// become those of its source. Errors about features that the language does not have receive a note
/// about languages that have them ([`explain_features`]). A version of the language that does not
/// exist is the only error of the first stage, and no stage has a source.
///
/// ```
/// use glasm::{Program, Stage};
/// use glasm_text::{Language, Options, compiler_options, write_linked};
///
/// // GLSL has no pointers.
/// let text = "!!NVfp5.0\nTEMP r;\nLOAD.F32 r, program.local[0].x;\nMOV result.color, r;\nEND";
/// let fragment = Program::load_string("load.fp", Stage::Fragment, text)?;
/// let options = Options::new(Language::Glsl(450));
/// let mut linked = glasm::link(&[&fragment], &compiler_options(&options));
/// assert_eq!(write_linked(&mut linked, &options), [None]);
/// let errors = linked.check().unwrap_err();
/// assert!(errors.to_string().contains("note: glsl450 does not have it"), "{errors}");
/// # Ok::<(), glasm::ProgramErrors>(())
/// ```
pub fn write_linked(linked: &mut Linked, options: &Options) -> Vec<Option<ShaderText>> {
    for (stage, program) in linked.stages.iter_mut().zip(&linked.programs) {
        if let Err(errors) = stage {
            *errors = explain_features(&program.source(), options, std::mem::take(errors));
        }
    }
    let generated = linked.generated.iter_mut().map(|(_, stage)| stage);
    let mut stages: Vec<_> = linked.stages.iter_mut().chain(generated).collect();
    if let Some(unknown) = find_unknown_language(options) {
        if let Some(first) = stages.first_mut() {
            let error = Diagnostic::whole_program(Code::Unsupported, unknown.to_string());
            **first = Err(error.into());
        }
        return vec![None; stages.len()];
    }
    let stages = stages.into_iter();
    stages.map(|stage| write_stage(stage, options)).collect()
}

/// Writes a stage, unless it has errors; those of writing become its errors.
fn write_stage(stage: &mut Result<Shader, Diagnostics>, options: &Options) -> Option<ShaderText> {
    let shader = stage.as_mut().ok()?;
    match write_shader(shader, options) {
        Ok(text) => {
            shader.warnings.clone_from(&text.warnings);
            Some(text)
        }
        Err(error) => {
            *stage = Err(error.into_diagnostics());
            None
        }
    }
}

/// The result of a writer.
struct Output {
    text: String,
    resources: Vec<Resource>,
    /// Differences from the program.
    differences: Vec<String>,
}

/// Translates a shader to the language of the options: to WGSL with naga, to the other languages
/// with SPIRV-Cross. Fails with the reason why it cannot be written.
#[cfg(feature = "spirv-cross")]
fn translate(shader: &Shader, options: &Options, positions: Positions) -> Result<Output, String> {
    if options.language == Language::Wgsl {
        return translate_with_naga(shader, options.language, positions);
    }
    let (text, resources) = crate::spirv_cross_backend::translate(shader, options, positions)?;
    Ok(Output {
        text,
        resources,
        differences: Vec::new(),
    })
}

/// Translates a shader to the language of the options with naga, the only writer of this build.
#[cfg(not(feature = "spirv-cross"))]
fn translate(shader: &Shader, options: &Options, positions: Positions) -> Result<Output, String> {
    translate_with_naga(shader, options.language, positions)
}

/// Translates a shader with naga; the list of resources is empty except for GLSL. Fails with the
/// reason why it cannot be written.
fn translate_with_naga(
    shader: &Shader,
    language: Language,
    positions: Positions,
) -> Result<Output, String> {
    let written = naga_backend::translate(shader, language, positions)?;
    Ok(Output {
        text: written.text,
        resources: written.resources,
        differences: written.differences,
    })
}

/// Returns the warnings of a program with one for each difference from it, about the whole program.
fn add_difference_warnings(mut warnings: Diagnostics, differences: Vec<String>) -> Diagnostics {
    for difference in differences {
        warnings.push(Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::whole_program(Code::TextDiffers, difference)
        });
    }
    warnings
}

/// Returns the options to compile a program for [`write_shader`]: those of the caller, with
/// conventions, device features, target and names as the language requires them.
pub fn compiler_options(options: &Options) -> glasm::Options {
    let conventions = get_conventions(options);
    glasm::Options {
        conventions,
        debug: DebugInfo {
            names: true,
            lines: false,
        },
        device: get_device_features(options.language),
        target: get_target(options),
        state_sources: get_state_sources(options),
        text_target: Some(TextTarget {
            language: options.language.to_string(),
            conventions,
            interpolations: Vec::new(),
        }),
        ..options.compiler.clone()
    }
}

/// Returns true if specialization constants are written in a language. naga freezes them at their
/// defaults.
pub(crate) fn has_spec_constants(language: Language) -> bool {
    language != Language::Wgsl && cfg!(feature = "spirv-cross")
}

/// Returns the sources of state: state in specialization constants is compiled in if these are not
/// written.
fn get_state_sources(options: &Options) -> StateSources {
    let is_frozen = !has_spec_constants(options.language);
    options.compiler.state_sources.map(|source| {
        if is_frozen && source == StateSource::SpecConstant {
            StateSource::CompileTime
        } else {
            source
        }
    })
}

/// Returns the target of modules: that of the caller, except that targets for OpenGL are for GLSL
/// only.
fn get_target(options: &Options) -> Target {
    let is_glsl = matches!(options.language, Language::Glsl(_));
    match options.compiler.target {
        Target::OpenGl4_5 if !is_glsl => Target::Vulkan1_1,
        target
        @ (Target::OpenGl4_5 | Target::Vulkan1_1 | Target::Vulkan1_2 | Target::Vulkan1_3) => target,
    }
}

/// Returns the conventions of modules: positions reach the clip space of GL unchanged, and those of
/// the other languages with their depth remapped if the program follows GL. For these, derivatives
/// and point coordinates are flipped where y points down.
fn get_conventions(options: &Options) -> glasm::Conventions {
    let (is_gl, is_vulkan, instances_from_zero) = match options.language {
        Language::Glsl(_) | Language::Essl(_) => (true, false, true),
        Language::VulkanGlsl => (false, true, false),
        Language::Hlsl(_) => (false, false, true),
        Language::Wgsl | Language::Msl(_) => (false, false, false),
    };
    let follows_gl = match options.clip_conventions {
        ClipConventions::OfCompilerOptions => {
            options.compiler.conventions.clip_depth == ClipDepth::NegativeOneToOne
        }
        ClipConventions::OpenGl => true,
        ClipConventions::Vulkan => false,
    };
    let converts = follows_gl && !is_gl;
    glasm::Conventions {
        clip_depth: if converts {
            ClipDepth::NegativeOneToOne
        } else {
            ClipDepth::ZeroToOne
        },
        // The first row of images is the top one, and y of windows points down.
        negate_ddy: converts && !is_vulkan,
        // Callers of Vulkan keep row 0 at GL's bottom.
        flip_point_coord: converts && is_vulkan,
        is_instance_index_zero_based: instances_from_zero,
    }
}

/// Adds a note to errors about device features that the language does not have: the next language
/// that can express the program, which it compiles to find out.
pub fn explain_features(
    source: &Source<'_>,
    options: &Options,
    mut errors: Diagnostics,
) -> Diagnostics {
    let is_missing = |error: &&mut Diagnostic| error.code == Code::FeatureMissing;
    let mut missing = errors.list.iter_mut().filter(is_missing).peekable();
    if missing.peek().is_some() {
        let language = options.language;
        let note = match find_supporting_language(source, options) {
            Some(able) => format!("note: {language} does not have it; {able} does"),
            None => format!("note: {language} does not have it; SPIR-V does"),
        };
        missing.for_each(|error| error.notes.push(note.clone()));
    }
    errors
}

/// Returns the next version of the language, else GLSL for Vulkan, that a program can be compiled
/// for; `None` if there is none.
fn find_supporting_language(source: &Source<'_>, options: &Options) -> Option<Language> {
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
