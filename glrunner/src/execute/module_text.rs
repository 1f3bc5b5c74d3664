//! Modules as GLSL, for drivers without SPIR-V: the output of `glasm_text`, in the newest version
//! that the driver supports.

use crate::error::Problem;
use crate::gl::Gl;
use glasm::Shader;
use glasm_scripts::script::ProgramSection;

#[cfg(feature = "text")]
use glasm::{DeviceFeatures, Stage};
#[cfg(feature = "text")]
use glasm_text::Language;

/// Returns the options for compiling modules that are then written as GLSL: features that the
/// writer lacks are disabled. Skips the script if the driver reads no GLSL that can be written.
#[cfg(feature = "text")]
pub(super) fn options(gl: &Gl, base: glasm::Options) -> Result<glasm::Options, Problem> {
    let options = text_options(gl, base)?;
    let compiler = glasm_text::compiler_options(&options);
    let lacks = |name: &str| {
        let driver = options.compiler.device.lacks(name, Stage::Fragment);
        driver.unwrap_or(false)
    };
    let subgroups = options.compiler.device.subgroups;
    Ok(glasm::Options {
        device: DeviceFeatures {
            subgroups,
            ..compiler.device.without(lacks)
        },
        ..compiler
    })
}

/// Returns the options for text in the newest version of GLSL that the driver reads; skips the
/// script if it reads none that can be written.
#[cfg(feature = "text")]
fn text_options(gl: &Gl, compiler: glasm::Options) -> Result<glasm_text::Options, Problem> {
    let driver = gl.glsl_version()?;
    let known = Language::ALL
        .iter()
        .copied()
        .filter(|language| match language {
            Language::Glsl(version) => *version <= driver,
            Language::Wgsl
            | Language::Essl(_)
            | Language::VulkanGlsl
            | Language::Hlsl(_)
            | Language::Msl(_) => false,
        });
    match known.max() {
        Some(language) => Ok(glasm_text::Options {
            compiler,
            // Scripts expect the NaN semantics of the programs.
            nan_mode: glasm_text::NanMode::Exact,
            ..glasm_text::Options::new(language)
        }),
        None => Err(Problem::Unsupported(
            crate::execute::gl_features::lacks_message("GLSL 3.30"),
        )),
    }
}

/// Writes a module that was compiled with [`options`] as GLSL; a feature that the language lacks is
/// a reason to skip the script.
#[cfg(feature = "text")]
pub(super) fn write(
    gl: &Gl,
    section: &ProgramSection,
    shader: &Shader,
    base: &glasm::Options,
) -> Result<String, Problem> {
    let options = text_options(gl, base.clone())?;
    let written = glasm_text::write_shader(shader, &options);
    written.map(|text| text.source).map_err(|error| {
        let message = error.to_string();
        let stage = section.stage.name();
        // Messages about features that the language lacks begin with its name; all others are
        // faults.
        if message.starts_with("glsl") {
            Problem::Unsupported(format!("the {stage} program: {message}"))
        } else {
            Problem::Script(format!("the {stage} program as GLSL: {message}"))
        }
    })
}

/// Skips the script: this build cannot write modules as text.
#[cfg(not(feature = "text"))]
pub(super) fn options(_: &Gl, _: glasm::Options) -> Result<glasm::Options, Problem> {
    Err(missing())
}

/// Skips the script: this build cannot write modules as text.
#[cfg(not(feature = "text"))]
pub(super) fn write(
    _: &Gl,
    _: &ProgramSection,
    _: &Shader,
    _: &glasm::Options,
) -> Result<String, Problem> {
    Err(missing())
}

/// Returns the problem that skips scripts which need the feature `text`.
#[cfg(not(feature = "text"))]
fn missing() -> Problem {
    let reason = "programs cannot be written as GLSL: the feature `text` is missing in this build";
    Problem::Unsupported(reason.to_owned())
}
