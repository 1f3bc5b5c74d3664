//! Whether a driver can run a script.
//!
//! Scripts name what they need in Vulkan's words. Most of it comes with the languages of their programs here, whose extensions are asked
//! for first; the rest is in one table.

use crate::execute::programs::target;
use crate::gl::Gl;
use crate::languages;
use glasm_scripts::script::{Command, ProgramForm, ProgramSection, Script};

/// What OpenGL calls a requirement of Vulkan's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Need {
    /// OpenGL has it always, or its programs bring it with their language.
    Given,
    /// An extension.
    Extension(&'static str),
    /// OpenGL has no such thing.
    Never,
}

/// Features and extensions of Vulkan that are not given.
const NEEDS: &[(&str, Need)] = &[
    ("alphaToOne", Need::Given),
    ("customBorderColors", Need::Given),
    (
        "depthBiasClamp",
        Need::Extension("GL_ARB_polygon_offset_clamp"),
    ),
    ("depthBounds", Need::Extension("GL_EXT_depth_bounds_test")),
    ("depthClamp", Need::Extension("GL_ARB_depth_clamp")),
    (
        "dualSrcBlend",
        Need::Extension("GL_ARB_blend_func_extended"),
    ),
    ("multiViewport", Need::Extension("GL_ARB_viewport_array")),
    (
        "sampleRateShading",
        Need::Extension("GL_ARB_sample_shading"),
    ),
    (
        "vertexAttributeInstanceRateDivisor",
        Need::Extension("GL_ARB_instanced_arrays"),
    ),
    (
        "VK_EXT_conservative_rasterization",
        Need::Extension("GL_NV_conservative_raster"),
    ),
    (
        "VK_EXT_post_depth_coverage",
        Need::Extension("GL_EXT_post_depth_coverage"),
    ),
    (
        "VK_EXT_shader_viewport_index_layer",
        Need::Extension("GL_ARB_shader_viewport_layer_array"),
    ),
    ("VK_EXT_subgroup_size_control", Need::Never),
    (
        "VK_EXT_transform_feedback",
        Need::Extension("GL_NV_transform_feedback"),
    ),
    (
        "VK_NV_sample_mask_override_coverage",
        Need::Extension("GL_NV_sample_mask_override_coverage"),
    ),
];

/// The reason to skip a script that needs an extension.
pub(crate) fn lacks(extension: &str) -> String {
    format!("the driver lacks {extension}")
}

fn need(name: &str) -> Need {
    let found = NEEDS.iter().find(|(known, _)| *known == name);
    found.map_or(Need::Given, |(_, need)| *need)
}

/// Why a script cannot run with a driver; `None` if it can.
pub(crate) fn skip_reason(script: &Script, gl: &Gl) -> Option<String> {
    let requirements = &script.requirements;
    if let Some(unmet) = requirements.unmet.first() {
        return Some(format!("{unmet} not supported"));
    }
    if requirements.legacy_multiply {
        return Some("how a driver multiplies is its own choice".to_owned());
    }
    if requirements.low_addresses {
        return Some("OpenGL gives no addresses of 32 bits".to_owned());
    }
    let named = requirements.features.iter().chain(&requirements.extensions);
    for name in named {
        match need(name) {
            Need::Given => {}
            Need::Extension(extension) if gl.has(extension) => {}
            Need::Extension(extension) => return Some(format!("the driver lacks {extension}")),
            Need::Never => return Some(format!("OpenGL has nothing like {name}")),
        }
    }
    missing_form(script)
        .or_else(|| missing_language(script, gl))
        .or_else(|| missing_command(script))
}

/// Programs that only Vulkan runs.
fn missing_form(script: &Script) -> Option<String> {
    let form = |program: &ProgramSection| match program.form {
        ProgramForm::Assembly | ProgramForm::PassThrough | ProgramForm::FixedFunction => None,
        ProgramForm::Ir => Some("a program of glasm's intermediate representation"),
        ProgramForm::Glsl => Some("GLSL for Vulkan"),
        ProgramForm::SpirvText | ProgramForm::SpirvWords => Some("SPIR-V"),
    };
    let what = script.programs.iter().find_map(form)?;
    Some(format!("{what} is not for OpenGL"))
}

/// An extension that the header or an option of a program asks for.
fn missing_language(script: &Script, gl: &Gl) -> Option<String> {
    let own = script.programs.iter();
    let spares = script.spares.iter().map(|spare| &spare.program);
    let assembly = own
        .chain(spares)
        .filter(|program| program.form == ProgramForm::Assembly);
    let mut needed =
        assembly.flat_map(|program| languages::extensions(target(program.stage), &program.text));
    let extension = needed.find(|extension| !gl.has(extension))?;
    Some(format!("the driver lacks {extension}"))
}

fn missing_command(script: &Script) -> Option<String> {
    let pushes = |command: &Command| matches!(command, Command::PushData(_));
    let mut commands = script.steps.iter().map(|step| &step.command);
    commands
        .any(pushes)
        .then(|| "OpenGL has no push constants".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_are_sorted_and_named_once() {
        assert!(NEEDS.iter().any(|(name, _)| *name == "depthBounds"));
        let names: Vec<String> = NEEDS.iter().map(|(name, _)| name.to_lowercase()).collect();
        assert!(names.is_sorted_by(|a, b| a < b));
        assert_eq!(need("shaderInt64"), Need::Given);
    }
}
