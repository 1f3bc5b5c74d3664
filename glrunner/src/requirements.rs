//! Check that a driver can run a script.
//!
//! Scripts name their requirements in the terms of Vulkan. Most of them are provided by the
//! languages of the programs, whose extensions are required first; the others are in one table.

use crate::execute::assembler::target;
use crate::execute::implementation::Implementation;
use crate::execute::support::{Feature, NO_VERSION, lacks};
use crate::gl::{self, Gl, Version};
use crate::languages;
use crate::options::Through;
use glasm::frontend::source::Family;
use glasm::ir::Stage;
use glasm_scripts::script::{
    Command, Convention, ProgramForm, ProgramSection, Requirements, Script, Step,
};

/// Counterpart in OpenGL of a requirement in the terms of Vulkan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Need {
    /// Part of all supported versions of OpenGL, or defined differently for all, like the depths of
    /// clip space.
    Core,
    /// Provided by the language or an option of the programs that use it, whose extensions are
    /// required.
    Programs,
    /// Provided by a version of OpenGL, or by an extension.
    Feature(Feature),
    /// Not supported by OpenGL.
    Never,
}

const fn since(core: Version, extensions: &'static [&'static str]) -> Need {
    Need::Feature(Feature { core, extensions })
}

const fn extension(extensions: &'static [&'static str]) -> Need {
    since(NO_VERSION, extensions)
}

/// Features that a script can require of a device, in the terms of Vulkan, except for those that
/// only programs need. `docs/scripts.md` describes their purpose.
const NEEDS: &[(&str, Need)] = &[
    ("alphaToOne", Need::Core),
    (
        "bufferDeviceAddress",
        extension(&["GL_NV_shader_buffer_load"]),
    ),
    ("computeFullSubgroups", Need::Never),
    ("customBorderColors", Need::Core),
    ("customBorderColorWithoutFormat", Need::Core),
    (
        "depthBiasClamp",
        since(
            Version(4, 6),
            &["GL_ARB_polygon_offset_clamp", "GL_EXT_polygon_offset_clamp"],
        ),
    ),
    ("depthBounds", extension(&["GL_EXT_depth_bounds_test"])),
    (
        "depthClamp",
        since(Version(3, 2), &["GL_ARB_depth_clamp", "GL_NV_depth_clamp"]),
    ),
    ("depthClipControl", Need::Core),
    ("descriptorBindingPartiallyBound", Need::Core),
    (
        "dualSrcBlend",
        since(Version(3, 3), &["GL_ARB_blend_func_extended"]),
    ),
    ("fillModeNonSolid", Need::Core),
    ("fullDrawIndexUint32", Need::Core),
    (
        "geometryStreams",
        since(Version(4, 0), &["GL_ARB_transform_feedback3"]),
    ),
    (
        "imageCubeArray",
        since(Version(4, 0), &["GL_ARB_texture_cube_map_array"]),
    ),
    (
        "independentBlend",
        since(Version(4, 0), &["GL_ARB_draw_buffers_blend"]),
    ),
    ("indexTypeUint8", Need::Core),
    ("largePoints", Need::Core),
    ("logicOp", Need::Core),
    (
        "multiViewport",
        since(Version(4, 1), &["GL_ARB_viewport_array"]),
    ),
    ("nullDescriptor", Need::Core),
    ("occlusionQueryPrecise", Need::Core),
    (
        "primitiveTopologyListRestart",
        since(Version(3, 1), &["GL_NV_primitive_restart"]),
    ),
    ("provokingVertexLast", Need::Core),
    ("robustBufferAccess2", Need::Never),
    ("robustImageAccess2", Need::Never),
    (
        "samplerAnisotropy",
        since(
            Version(4, 6),
            &[
                "GL_ARB_texture_filter_anisotropic",
                "GL_EXT_texture_filter_anisotropic",
            ],
        ),
    ),
    (
        "sampleRateShading",
        since(Version(4, 0), &["GL_ARB_sample_shading"]),
    ),
    (
        "samplerMirrorClampToEdge",
        since(
            Version(4, 4),
            &[
                "GL_ARB_texture_mirror_clamp_to_edge",
                "GL_EXT_texture_mirror_clamp",
                "GL_ATI_texture_mirror_once",
            ],
        ),
    ),
    ("shaderBufferFloat32Atomics", Need::Programs),
    ("shaderBufferFloat64Atomics", Need::Programs),
    (
        "shaderCullDistance",
        since(Version(4, 5), &["GL_ARB_cull_distance"]),
    ),
    ("shaderFloat16", Need::Programs),
    ("sparseBinding", extension(&["GL_ARB_sparse_texture"])),
    (
        "sparseResidencyImage2D",
        extension(&["GL_ARB_sparse_texture"]),
    ),
    ("subgroupSizeControl", Need::Never),
    ("tessellationShader", Need::Programs),
    (
        "textureCompressionASTC_LDR",
        extension(&["GL_KHR_texture_compression_astc_ldr"]),
    ),
    (
        "textureCompressionBC",
        extension(&["GL_EXT_texture_compression_s3tc"]),
    ),
    (
        "textureCompressionETC2",
        since(Version(4, 3), &["GL_ARB_ES3_compatibility"]),
    ),
    (
        "transformFeedback",
        extension(&["GL_NV_transform_feedback"]),
    ),
    (
        "vertexAttributeInstanceRateDivisor",
        since(Version(3, 3), &["GL_ARB_instanced_arrays"]),
    ),
    (
        "vertexAttributeInstanceRateZeroDivisor",
        since(Version(3, 3), &["GL_ARB_instanced_arrays"]),
    ),
    (
        "VK_EXT_conservative_rasterization",
        extension(&["GL_NV_conservative_raster"]),
    ),
    ("VK_EXT_external_memory_host", Need::Core),
    ("VK_EXT_fragment_shader_interlock", Need::Programs),
    ("VK_EXT_shader_atomic_float", Need::Programs),
    ("VK_EXT_shader_viewport_index_layer", Need::Programs),
    ("VK_EXT_subgroup_size_control", Need::Never),
    (
        "VK_EXT_transform_feedback",
        extension(&["GL_NV_transform_feedback"]),
    ),
    (
        "VK_KHR_sampler_mirror_clamp_to_edge",
        since(
            Version(4, 4),
            &[
                "GL_ARB_texture_mirror_clamp_to_edge",
                "GL_EXT_texture_mirror_clamp",
                "GL_ATI_texture_mirror_once",
            ],
        ),
    ),
    ("VK_NV_shader_sm_builtins", Need::Programs),
    ("wideLines", Need::Core),
];

fn need(name: &str) -> Option<Need> {
    let found = NEEDS.iter().find(|(known, _)| *known == name);
    let of_programs = || glasm::is_feature(name).then_some(Need::Programs);
    found.map(|(_, need)| *need).or_else(of_programs)
}

/// Returns the part of a requirement that the driver lacks; `None` if nothing is missing.
fn missing(name: &str, version: Version, has: impl Fn(&str) -> bool) -> Option<String> {
    match need(name) {
        Some(Need::Core | Need::Programs) => None,
        Some(Need::Feature(feature)) => feature.missing(version, has),
        Some(Need::Never) => Some(format!("OpenGL has nothing like {name}")),
        None => Some(format!("nobody knows what {name} is in OpenGL")),
    }
}

/// Returns the reason why a script cannot run with a driver; `None` if it can.
pub(crate) fn skip_reason(script: &Script, gl: &Gl) -> Option<String> {
    let requirements = &script.requirements;
    // Names of OpenGL that Vulkan does not meet are for OpenGL to meet.
    let names = &requirements.gl_extensions;
    let mut unmet = requirements.unmet.iter();
    if let Some(unmet) = unmet.find(|unmet| !names.contains(unmet)) {
        return Some(format!("{unmet} not supported"));
    }
    if requirements.legacy_multiply {
        return Some("how a driver multiplies is its own choice".to_owned());
    }
    if requirements.numbered_handles {
        return Some("OpenGL chooses its handles itself".to_owned());
    }
    let mut programs = script.programs.iter();
    if requirements.separate && programs.any(|program| program.form == ProgramForm::Glsl) {
        return Some("this runner links GLSL shaders".to_owned());
    }
    let missing = |name: &String| missing(name, gl.version(), |extension| gl.has(extension));
    let mut named = requirements.features.iter().chain(&requirements.extensions);
    missing_of_gl(requirements, gl)
        .or_else(|| named.find_map(missing))
        .or_else(|| {
            let mut without = requirements.without.iter();
            let present = without.find(|name| missing(name).is_none())?;
            Some(format!("OpenGL has {present}"))
        })
        .or_else(|| missing_form(script))
        .or_else(|| missing_glsl(script, gl))
        .or_else(|| missing_language(script, gl))
        .or_else(|| find_lacking_address_registers(script, gl))
        .or_else(|| missing_command(script))
}

/// Requirements for which modules differ from programs of the driver's assembler.
const OF_MODULES: &[(&str, Need)] = &[
    ("bufferDeviceAddress", Need::Never),
    ("transformFeedback", since(Version(4, 0), &[])),
    ("VK_EXT_transform_feedback", since(Version(4, 0), &[])),
];

/// Returns the reason why a script cannot run whose programs are SPIR-V modules; `None` if it can,
/// to the extent that this is known before they are compiled.
pub(crate) fn skip_reason_of_modules(script: &Script, gl: &Gl, through: Through) -> Option<String> {
    const MODULES: Feature = Feature {
        core: Version(4, 6),
        extensions: &[glasm::opengl::EXTENSION],
    };
    let lacks_modules = MODULES.missing(gl.version(), |name| gl.has(name));
    if let (Through::Spirv, Some(reason)) = (through, lacks_modules) {
        return Some(reason);
    }
    let requirements = &script.requirements;
    if let Some(unmet) = requirements.unmet.first() {
        return Some(format!("{unmet} not supported"));
    }
    let refuses = |step: &Step| matches!(step.command, Command::ExpectError(_));
    if script.steps.iter().any(refuses) {
        return Some("the driver never sees programs with errors".to_owned());
    }
    let device = match Implementation::of(gl).and_then(|it| it.options()) {
        Ok(options) => options.device,
        Err(error) => return Some(error.to_string()),
    };
    let missing = |name: &String| {
        let own = OF_MODULES.iter().find(|(known, _)| known == name);
        match (own, device.lacks(name, Stage::Fragment)) {
            (Some((_, Need::Feature(feature))), _) => {
                feature.missing(gl.version(), |it| gl.has(it))
            }
            (Some(_), _) => Some(format!("OpenGL has nothing like {name}")),
            (None, Some(true)) => Some(lacks(name)),
            (None, Some(false) | None) => missing(name, gl.version(), |it| gl.has(it)),
        }
    };
    let mut named = requirements.features.iter().chain(&requirements.extensions);
    named
        .find_map(missing)
        .or_else(|| {
            let mut without = requirements.without.iter();
            let present = without.find(|name| missing(name).is_none())?;
            Some(format!("OpenGL has {present}"))
        })
        .or_else(|| missing_command(script))
        .or_else(|| foreign_module(script))
}

/// Returns the form of programs that neither glasm nor OpenGL runs.
fn foreign_module(script: &Script) -> Option<String> {
    let mut programs = script.programs.iter();
    let is_foreign = |program: &ProgramSection| match program.form {
        ProgramForm::Glsl => {
            script.requirements.convention == Convention::Vulkan || is_for_vulkan(&program.text)
        }
        ProgramForm::SpirvText | ProgramForm::SpirvWords => true,
        ProgramForm::Assembly
        | ProgramForm::Ir
        | ProgramForm::PassThrough
        | ProgramForm::FixedFunction => false,
    };
    programs
        .any(is_foreign)
        .then(|| "GLSL and SPIR-V of the script are for Vulkan".to_owned())
}

/// Returns the version or extensions of OpenGL that a script names and the driver lacks.
fn missing_of_gl(requirements: &Requirements, gl: &Gl) -> Option<String> {
    if let Some([major, minor]) = requirements.gl_version
        && gl.version() < Version(major, minor)
    {
        return Some(format!("the driver has OpenGL {}", gl.version()));
    }
    let mut names = requirements.gl_extensions.iter();
    names.find(|name| !gl.has(name)).map(|name| lacks(name))
}

/// Returns true if GLSL has keywords that only Vulkan's has.
fn is_for_vulkan(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let words = ["gl_VertexIndex", "gl_InstanceIndex", "push_constant"];
    words.iter().any(|word| text.contains(word))
}

/// Returns the form of programs that only Vulkan runs. GLSL is for OpenGL if the script names
/// OpenGL.
fn missing_form(script: &Script) -> Option<String> {
    let is_tgsi = |program: &ProgramSection| {
        let dialect = glasm::programs(&program.text).find_map(|part| part.dialect);
        dialect.is_some_and(|dialect| dialect.family() == Family::Tgsi)
    };
    let form = |program: &ProgramSection| match program.form {
        ProgramForm::Assembly if is_tgsi(program) => Some("TGSI"),
        ProgramForm::Assembly | ProgramForm::PassThrough | ProgramForm::FixedFunction => None,
        ProgramForm::Ir => Some("a program of glasm's intermediate representation"),
        ProgramForm::Glsl => match script.requirements.convention {
            Convention::OpenGl if !is_for_vulkan(&program.text) => None,
            Convention::OpenGl | Convention::Vulkan => Some("GLSL for Vulkan"),
        },
        ProgramForm::SpirvText | ProgramForm::SpirvWords => Some("SPIR-V"),
    };
    let spares = script.spares.iter().map(|spare| &spare.program);
    let what = script.programs.iter().chain(spares).find_map(form)?;
    Some(format!("{what} is not for OpenGL"))
}

/// Returns a version of GLSL that the driver does not support.
fn missing_glsl(script: &Script, gl: &Gl) -> Option<String> {
    let version = |program: &ProgramSection| {
        let text = String::from_utf8_lossy(&program.text);
        let (_, rest) = text.split_once("#version")?;
        rest.split_whitespace().next()?.parse::<u32>().ok()
    };
    let shaders = script.programs.iter();
    let shaders = shaders.filter(|program| program.form == ProgramForm::Glsl);
    let needed = shaders.filter_map(version).max()?;
    let known = gl.glsl_version().ok()?;
    (needed > known).then(|| lacks(&format!("GLSL {}.{:02}", needed / 100, needed % 100)))
}

/// Returns an extension that the header or an option of a program requires.
fn missing_language(script: &Script, gl: &Gl) -> Option<String> {
    let own = script.programs.iter();
    let spares = script.spares.iter().map(|spare| &spare.program);
    let assembly = own
        .chain(spares)
        .filter(|program| program.form == ProgramForm::Assembly);
    let mut needed = assembly
        .flat_map(|program| languages::extensions(target(program.program_type), &program.text));
    let extension = needed.find(|extension| !gl.has(extension))?;
    Some(lacks(&extension))
}

/// Returns the reason to skip a script whose programs need more address registers than the driver
/// has; OpenGL has at least one. `None` if the driver has enough, and for programs that are expected to be rejected, which do not indicate missing features.
fn find_lacking_address_registers(script: &Script, gl: &Gl) -> Option<String> {
    let is_refused = |step: &Step| matches!(step.command, Command::ExpectError(_));
    let vertex = script
        .programs
        .iter()
        .filter(|program| (program.stage, program.form) == (Stage::Vertex, ProgramForm::Assembly));
    let needed = vertex
        .map(|program| languages::address_registers(&program.text))
        .max()?;
    if needed <= 1 || script.steps.iter().any(is_refused) {
        return None;
    }
    let limit = gl::MAX_PROGRAM_ADDRESS_REGISTERS_ARB;
    let most = gl.program_integer(gl::VERTEX_PROGRAM_ARB, limit).ok()?;
    let is_beyond = usize::try_from(most).is_ok_and(|most| most < needed);
    is_beyond.then(|| format!("the driver has {most} address registers, not {needed}"))
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
    use glasm_scripts::find::find_scripts;
    use std::path::Path;

    #[test]
    fn needs_are_sorted_and_named_once() {
        let names: Vec<String> = NEEDS.iter().map(|(name, _)| name.to_lowercase()).collect();
        assert!(names.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn requirements_are_met_by_version_or_extension() {
        let missing =
            |name, minor, extension| missing(name, Version(4, minor), |known| known == extension);
        assert_eq!(missing("shaderInt64", 0, ""), None);
        assert_eq!(missing("alphaToOne", 0, ""), None);
        assert_eq!(missing("multiViewport", 1, ""), None);
        assert_eq!(missing("multiViewport", 0, "GL_ARB_viewport_array"), None);
        assert_eq!(
            missing("multiViewport", 0, "").unwrap(),
            "the driver lacks GL_ARB_viewport_array"
        );
        assert_eq!(
            missing("depthBiasClamp", 5, "GL_EXT_polygon_offset_clamp"),
            None
        );
        assert_eq!(missing("depthBounds", 6, "GL_EXT_depth_bounds_test"), None);
        assert_eq!(
            missing("depthBounds", 6, "").unwrap(),
            "the driver lacks GL_EXT_depth_bounds_test"
        );
        assert!(missing("VK_EXT_subgroup_size_control", 6, "").is_some());
        assert!(missing("shaderMadeUp", 6, "").is_some());
    }

    #[test]
    fn all_that_the_scripts_of_the_repository_require_is_known() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases/run");
        let mut known = 0;
        for path in find_scripts(&folder) {
            let text = std::fs::read(&path).unwrap();
            let Ok(script) = Script::parse(&text) else {
                continue;
            };
            let requirements = &script.requirements;
            for name in requirements.features.iter().chain(&requirements.extensions) {
                assert!(need(name).is_some(), "{name} of {}", path.display());
                known += 1;
            }
        }
        assert!(known > 0);
    }

    #[test]
    fn programs_of_other_forms_are_not_for_opengl() {
        let reason = |text: &str| missing_form(&Script::parse(text.as_bytes()).unwrap());
        let fragment = "[fragment program]\n!!NVfp4.0\nEND\n";
        assert_eq!(reason(fragment), None);
        let tgsi = Some("TGSI is not for OpenGL".to_owned());
        assert_eq!(reason("[fragment program]\nFRAG\nEND\n"), tgsi);
        let loaded = "[fragment program b]\n# b\nFRAG\nEND\n[test]\nload fragment b\n";
        assert_eq!(reason(&format!("{fragment}{loaded}")), tgsi);
        assert!(reason("[vertex program ir]\nprogram vertex\n").is_some());
        let glsl = "[vertex shader]\nvoid main() { }\n";
        let vulkan = Some("GLSL for Vulkan is not for OpenGL".to_owned());
        assert_eq!(reason(glsl), vulkan);
        assert_eq!(reason(&format!("[require]\nGL >= 3.0\n{glsl}")), None);
        let index = format!("[require]\nGL >= 3.0\n{glsl}int n() {{ return gl_VertexIndex; }}\n");
        assert_eq!(reason(&index), vulkan);
    }

    #[test]
    fn reasons_of_scripts() {
        let Some(gl) = gl::tests::open() else {
            return;
        };
        let reason = |require: &str| {
            let text = format!("[require]\n{require}\n[test]\n");
            skip_reason(&Script::parse(text.as_bytes()).unwrap(), &gl)
        };
        assert_eq!(
            reason("GL >= 1.3\nGL_ARB_vertex_program\nshaderInt64"),
            None
        );
        let version = gl.version();
        assert_eq!(
            reason("GL >= 9.0"),
            Some(format!("the driver has OpenGL {version}"))
        );
        let lacking = reason("GL_NV_made_up");
        assert_eq!(lacking.unwrap(), "the driver lacks GL_NV_made_up");
        assert_eq!(
            reason("without shaderInt64").unwrap(),
            "OpenGL has shaderInt64"
        );
        assert!(reason("legacy_multiply").is_some());
    }
}
