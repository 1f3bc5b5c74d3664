//! Comparison of the language that a shader was compiled for with the one that it is written in.
//!
//! Names in the text, numbers of resources and results for NaN are determined when a shader is
//! written. These are determined when it is compiled, and cannot be changed afterwards:
//! conventions, the instructions that replace missing device features, the execution environment of
//! OpenGL, state in specialization constants, and names of variables, which modules for SPIR-V do
//! not have by default.

use crate::features::get_device_features;
use crate::resource_numbers::is_for_opengl;
use crate::write::{compiler_options, has_spec_constants};
use crate::{Language, Options};
use glasm::{Conventions, DeviceFeatures, Shader, Stage, Target};
use std::fmt;

/// The reason why a shader is not written: it was compiled for another language, or for this one
/// with other options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LanguageMismatch {
    /// Name of the language that the shader was compiled for: `glsl450`, or `SPIR-V`.
    pub compiled_for: String,
    /// Language that it was to be written in.
    pub requested: Language,
    /// The first difference, as a clause: `glsl330 lacks shaderFloat64`.
    pub difference: String,
}

impl fmt::Display for LanguageMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            compiled_for,
            requested,
            difference,
        } = self;
        write!(f, "the shader was compiled for {compiled_for}")?;
        if *compiled_for == requested.to_string() {
            write!(f, " with other options: {difference}")?;
        } else {
            write!(f, " and cannot be written as {requested}: {difference}")?;
        }
        write!(
            f,
            "; compile it for {requested}, with the options that it is written with"
        )
    }
}

impl std::error::Error for LanguageMismatch {}

/// Checks that a shader was compiled with the [`compiler_options`] of these options, or for another
/// language whose modules are valid for this one, too.
///
/// # Errors
/// Returns both languages with the first difference.
pub(crate) fn check_text_target(
    shader: &Shader,
    options: &Options,
) -> Result<(), LanguageMismatch> {
    let Some(difference) = find_difference(shader, options) else {
        return Ok(());
    };
    let target = shader.reflection.text_target.as_ref();
    Err(LanguageMismatch {
        compiled_for: target.map_or_else(|| "SPIR-V".to_owned(), |it| it.language.clone()),
        requested: options.language,
        difference,
    })
}

/// Returns the first difference that makes a shader invalid for the language of the options, as a
/// clause; `None` if there is none.
fn find_difference(shader: &Shader, options: &Options) -> Option<String> {
    let language = options.language;
    let Some(target) = &shader.reflection.text_target else {
        return Some("modules for SPIR-V have other names, features and conventions".to_owned());
    };
    let Ok(compiled_for) = target.language.parse() else {
        return Some("that language is unknown".to_owned());
    };
    let wanted = compiler_options(options);
    let state = shader.reflection.state_block.as_ref();
    let reads_constants = state.is_some_and(|state| !state.spec_constants.is_empty());
    find_environment_difference(shader, wanted.target)
        .or_else(|| find_convention_difference(target.conventions, wanted.conventions))
        .map(str::to_owned)
        .or_else(|| find_missing_feature(compiled_for, language, shader.reflection.stage))
        .or_else(|| {
            let is_missing = reads_constants && !has_spec_constants(language);
            is_missing.then(|| format!("{language} has no specialization constants"))
        })
}

/// Returns the difference between a module for OpenGL and one for Vulkan, in bindings, rectangles
/// and the origin of window coordinates.
fn find_environment_difference(shader: &Shader, wanted: Target) -> Option<&'static str> {
    let is_opengl = is_for_opengl(shader);
    if is_opengl == (wanted == Target::OpenGl4_5) {
        return None;
    }
    Some(if is_opengl {
        "its target is OpenGL, so that it has other bindings"
    } else {
        "its target is not OpenGL, so that it has other bindings"
    })
}

/// Returns the first member in which conventions differ.
fn find_convention_difference(found: Conventions, wanted: Conventions) -> Option<&'static str> {
    // Without `..`, so that a new member must be compared.
    let Conventions {
        clip_depth,
        negate_ddy,
        flip_point_coord,
        is_instance_index_zero_based,
    } = found;
    let differences = [
        (
            clip_depth != wanted.clip_depth,
            "the depth of its clip space is another",
        ),
        (
            negate_ddy != wanted.negate_ddy,
            "its derivatives in y have the opposite sign",
        ),
        (
            flip_point_coord != wanted.flip_point_coord,
            "its point coordinates have another origin",
        ),
        (
            is_instance_index_zero_based != wanted.is_instance_index_zero_based,
            "its instance numbers start at another number",
        ),
    ];
    let found = differences
        .into_iter()
        .find(|(is_different, _)| *is_different);
    found.map(|(_, difference)| difference)
}

/// Returns the first device feature that modules of a stage may use in the language `compiled_for`
/// and that `language` does not have. All modules are rejected, also those that do not use it, so
/// that the result does not depend on the program.
fn find_missing_feature(
    compiled_for: Language,
    language: Language,
    stage: Stage,
) -> Option<String> {
    // Shaders are usually written in the language that they were compiled for.
    if compiled_for == language {
        return None;
    }
    let [used, present] = [compiled_for, language].map(get_device_features);
    let is_missing = |name: &&str| {
        let [is_used, is_present] = [used, present].map(|it| it.lacks(name, stage) == Some(false));
        is_used && !is_present
    };
    let name = DeviceFeatures::names().into_iter().find(is_missing)?;
    Some(format!("{language} lacks {name}"))
}
