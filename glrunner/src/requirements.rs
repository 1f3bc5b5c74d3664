//! Check that a driver can run a script.
//!
//! Scripts name their requirements in the terms of Vulkan. Most of them are provided by the
//! languages of the programs, whose extensions are required first; the others are in one table.

use crate::execute::assembler::target_for_type;
use crate::execute::gl_features::{Feature, NO_VERSION, lacks_message};
use crate::execute::modules::GlCapabilities;
use crate::gl::{self, Gl, Version};
use crate::options::ModuleForm;
use crate::required_extensions;
use glasm::frontend::source::Family;
use glasm::ir::Stage;
use glasm_scripts::script::{
    Command, Convention, ProgramForm, ProgramSection, Requirements, Script, ScriptStep,
};

/// Counterpart in OpenGL of a requirement in the terms of Vulkan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum GlRequirement {
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

/// Returns the requirement of a feature that is core since version `core` and that each of
/// `extensions` provides before it.
const fn in_version(core: Version, extensions: &'static [&'static str]) -> GlRequirement {
    GlRequirement::Feature(Feature { core, extensions })
}

/// Returns the requirement of a feature that no version of OpenGL has and that only `extensions`
/// provide.
const fn by_extension(extensions: &'static [&'static str]) -> GlRequirement {
    in_version(NO_VERSION, extensions)
}

/// Features that a script can require of a device, in the terms of Vulkan, except for those that
/// only programs need. `docs/scripts.md` describes their purpose.
const REQUIREMENTS: &[(&str, GlRequirement)] = &[
    ("alphaToOne", GlRequirement::Core),
    (
        "bufferDeviceAddress",
        by_extension(&["GL_NV_shader_buffer_load"]),
    ),
    ("computeFullSubgroups", GlRequirement::Never),
    ("customBorderColors", GlRequirement::Core),
    ("customBorderColorWithoutFormat", GlRequirement::Core),
    (
        "depthBiasClamp",
        in_version(
            Version(4, 6),
            &["GL_ARB_polygon_offset_clamp", "GL_EXT_polygon_offset_clamp"],
        ),
    ),
    ("depthBounds", by_extension(&["GL_EXT_depth_bounds_test"])),
    (
        "depthClamp",
        in_version(Version(3, 2), &["GL_ARB_depth_clamp", "GL_NV_depth_clamp"]),
    ),
    ("depthClipControl", GlRequirement::Core),
    ("descriptorBindingPartiallyBound", GlRequirement::Core),
    (
        "dualSrcBlend",
        in_version(Version(3, 3), &["GL_ARB_blend_func_extended"]),
    ),
    ("fillModeNonSolid", GlRequirement::Core),
    ("fullDrawIndexUint32", GlRequirement::Core),
    (
        "geometryStreams",
        in_version(Version(4, 0), &["GL_ARB_transform_feedback3"]),
    ),
    (
        "imageCubeArray",
        in_version(Version(4, 0), &["GL_ARB_texture_cube_map_array"]),
    ),
    (
        "independentBlend",
        in_version(Version(4, 0), &["GL_ARB_draw_buffers_blend"]),
    ),
    ("indexTypeUint8", GlRequirement::Core),
    ("largePoints", GlRequirement::Core),
    ("logicOp", GlRequirement::Core),
    (
        "multiViewport",
        in_version(Version(4, 1), &["GL_ARB_viewport_array"]),
    ),
    ("nullDescriptor", GlRequirement::Core),
    ("occlusionQueryPrecise", GlRequirement::Core),
    (
        "primitiveTopologyListRestart",
        in_version(Version(3, 1), &["GL_NV_primitive_restart"]),
    ),
    ("provokingVertexLast", GlRequirement::Core),
    ("robustBufferAccess2", GlRequirement::Never),
    ("robustImageAccess2", GlRequirement::Never),
    (
        "samplerAnisotropy",
        in_version(
            Version(4, 6),
            &[
                "GL_ARB_texture_filter_anisotropic",
                "GL_EXT_texture_filter_anisotropic",
            ],
        ),
    ),
    (
        "sampleRateShading",
        in_version(Version(4, 0), &["GL_ARB_sample_shading"]),
    ),
    (
        "samplerMirrorClampToEdge",
        in_version(
            Version(4, 4),
            &[
                "GL_ARB_texture_mirror_clamp_to_edge",
                "GL_EXT_texture_mirror_clamp",
                "GL_ATI_texture_mirror_once",
            ],
        ),
    ),
    ("shaderBufferFloat32Atomics", GlRequirement::Programs),
    ("shaderBufferFloat64Atomics", GlRequirement::Programs),
    (
        "shaderCullDistance",
        in_version(Version(4, 5), &["GL_ARB_cull_distance"]),
    ),
    ("shaderFloat16", GlRequirement::Programs),
    ("sparseBinding", by_extension(&["GL_ARB_sparse_texture"])),
    (
        "sparseResidencyImage2D",
        by_extension(&["GL_ARB_sparse_texture"]),
    ),
    ("subgroupSizeControl", GlRequirement::Never),
    ("tessellationShader", GlRequirement::Programs),
    (
        "textureCompressionASTC_LDR",
        by_extension(&["GL_KHR_texture_compression_astc_ldr"]),
    ),
    (
        "textureCompressionBC",
        by_extension(&["GL_EXT_texture_compression_s3tc"]),
    ),
    (
        "textureCompressionETC2",
        in_version(Version(4, 3), &["GL_ARB_ES3_compatibility"]),
    ),
    (
        "transformFeedback",
        by_extension(&["GL_NV_transform_feedback"]),
    ),
    (
        "vertexAttributeInstanceRateDivisor",
        in_version(Version(3, 3), &["GL_ARB_instanced_arrays"]),
    ),
    (
        "vertexAttributeInstanceRateZeroDivisor",
        in_version(Version(3, 3), &["GL_ARB_instanced_arrays"]),
    ),
    (
        "VK_EXT_conservative_rasterization",
        by_extension(&["GL_NV_conservative_raster"]),
    ),
    ("VK_EXT_external_memory_host", GlRequirement::Core),
    ("VK_EXT_fragment_shader_interlock", GlRequirement::Programs),
    ("VK_EXT_shader_atomic_float", GlRequirement::Programs),
    (
        "VK_EXT_shader_viewport_index_layer",
        GlRequirement::Programs,
    ),
    ("VK_EXT_subgroup_size_control", GlRequirement::Never),
    (
        "VK_EXT_transform_feedback",
        by_extension(&["GL_NV_transform_feedback"]),
    ),
    (
        "VK_KHR_sampler_mirror_clamp_to_edge",
        in_version(
            Version(4, 4),
            &[
                "GL_ARB_texture_mirror_clamp_to_edge",
                "GL_EXT_texture_mirror_clamp",
                "GL_ATI_texture_mirror_once",
            ],
        ),
    ),
    ("VK_NV_shader_sm_builtins", GlRequirement::Programs),
    ("wideLines", GlRequirement::Core),
];

/// Returns the OpenGL counterpart of a feature that a script requires by name. A feature of the
/// compiler that the table lacks is provided by the languages of the programs; `None` if the name
/// is unknown.
fn find_requirement(name: &str) -> Option<GlRequirement> {
    let found = REQUIREMENTS.iter().find(|(known, _)| *known == name);
    let of_programs = || glasm::is_feature(name).then_some(GlRequirement::Programs);
    found.map(|(_, need)| *need).or_else(of_programs)
}

/// Returns the reason to skip a script that requires a feature by name: the version or extension
/// that the driver lacks, or that OpenGL has no such feature, or that the name is unknown. `None`
/// if nothing is missing.
fn missing_requirement(name: &str, version: Version, has: impl Fn(&str) -> bool) -> Option<String> {
    match find_requirement(name) {
        Some(GlRequirement::Core | GlRequirement::Programs) => None,
        Some(GlRequirement::Feature(feature)) => feature.missing_requirement(version, has),
        Some(GlRequirement::Never) => Some(format!("OpenGL has nothing like {name}")),
        None => Some(format!("nobody knows what {name} is in OpenGL")),
    }
}

/// Returns the reason why a script cannot run with a driver's own assembler and GLSL compiler;
/// `None` if it can. Features that the script excludes must be missing. Whether the driver accepts
/// the programs is not checked.
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
    if requirements.separate_programs && programs.any(|program| program.form == ProgramForm::Glsl) {
        return Some("this runner links GLSL shaders".to_owned());
    }
    let missing = |name: &String| {
        missing_requirement(name, gl.version(), |extension| gl.has_extension(extension))
    };
    let mut named = requirements.features.iter().chain(&requirements.extensions);
    missing_gl_requirement(requirements, gl)
        .or_else(|| named.find_map(missing))
        .or_else(|| {
            let mut without = requirements.excluded_features.iter();
            let present = without.find(|name| missing(name).is_none())?;
            Some(format!("OpenGL has {present}"))
        })
        .or_else(|| unsupported_form(script))
        .or_else(|| missing_glsl_version(script, gl))
        .or_else(|| missing_language_extension(script, gl))
        .or_else(|| find_lacking_address_registers(script, gl))
        .or_else(|| unsupported_command(script))
}

/// Requirements for which modules differ from programs of the driver's assembler.
const MODULE_REQUIREMENTS: &[(&str, GlRequirement)] = &[
    ("bufferDeviceAddress", GlRequirement::Never),
    ("transformFeedback", in_version(Version(4, 0), &[])),
    ("VK_EXT_transform_feedback", in_version(Version(4, 0), &[])),
];

/// Returns the reason why a script cannot run whose assembly programs are passed to the driver as
/// modules, in SPIR-V or GLSL; `None` if it can, to the extent that this is known before they are
/// compiled. Scripts that expect errors of programs cannot.
pub(crate) fn module_skip_reason(script: &Script, gl: &Gl, through: ModuleForm) -> Option<String> {
    const MODULES: Feature = Feature {
        core: Version(4, 6),
        extensions: &[glasm::opengl::SPIRV_EXTENSION],
    };
    let lacks_modules = MODULES.missing_requirement(gl.version(), |name| gl.has_extension(name));
    if let (ModuleForm::Spirv, Some(reason)) = (through, lacks_modules) {
        return Some(reason);
    }
    let requirements = &script.requirements;
    if let Some(unmet) = requirements.unmet.first() {
        return Some(format!("{unmet} not supported"));
    }
    let refuses = |step: &ScriptStep| matches!(step.command, Command::ExpectError(_));
    if script.steps.iter().any(refuses) {
        return Some("the driver never sees programs with errors".to_owned());
    }
    let device = match GlCapabilities::query(gl).and_then(|it| it.options()) {
        Ok(options) => options.device,
        Err(error) => return Some(error.to_string()),
    };
    let missing = |name: &String| {
        let own = MODULE_REQUIREMENTS.iter().find(|(known, _)| known == name);
        match (own, device.lacks(name, Stage::Fragment)) {
            (Some((_, GlRequirement::Feature(feature))), _) => {
                feature.missing_requirement(gl.version(), |it| gl.has_extension(it))
            }
            (Some(_), _) => Some(format!("OpenGL has nothing like {name}")),
            (None, Some(true)) => Some(lacks_message(name)),
            (None, Some(false) | None) => {
                missing_requirement(name, gl.version(), |it| gl.has_extension(it))
            }
        }
    };
    let mut named = requirements.features.iter().chain(&requirements.extensions);
    named
        .find_map(missing)
        .or_else(|| {
            let mut without = requirements.excluded_features.iter();
            let present = without.find(|name| missing(name).is_none())?;
            Some(format!("OpenGL has {present}"))
        })
        .or_else(|| unsupported_command(script))
        .or_else(|| find_foreign_module(script))
}

/// Returns the reason to skip a script with GLSL for Vulkan or with SPIR-V, which are not compiled
/// for OpenGL; `None` if it has neither.
fn find_foreign_module(script: &Script) -> Option<String> {
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

/// Returns the reason to skip a script that names a version or an extension of OpenGL which the
/// driver lacks; `None` if it has all of them.
fn missing_gl_requirement(requirements: &Requirements, gl: &Gl) -> Option<String> {
    if let Some([major, minor]) = requirements.gl_version
        && gl.version() < Version(major, minor)
    {
        return Some(format!("the driver has OpenGL {}", gl.version()));
    }
    let mut names = requirements.gl_extensions.iter();
    names
        .find(|name| !gl.has_extension(name))
        .map(|name| lacks_message(name))
}

/// Returns true if a GLSL source contains built-ins or layouts that only Vulkan's dialect defines.
fn is_for_vulkan(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let words = ["gl_VertexIndex", "gl_InstanceIndex", "push_constant"];
    words.iter().any(|word| text.contains(word))
}

/// Returns the reason to skip a script with a program, alternate ones included, in a form that only
/// Vulkan runs; `None` if there is none. GLSL is for OpenGL if the script follows the conventions
/// of OpenGL and the source names nothing of Vulkan.
fn unsupported_form(script: &Script) -> Option<String> {
    let is_tgsi = |program: &ProgramSection| {
        let dialect = glasm::split_programs(&program.text).find_map(|part| part.dialect);
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
    let alternates = script.alternates.iter().map(|alternate| &alternate.program);
    let description = script.programs.iter().chain(alternates).find_map(form)?;
    Some(format!("{description} is not for OpenGL"))
}

/// Returns the reason to skip a script whose shaders have a higher GLSL version than the driver
/// supports; `None` if it supports all, if no shader specifies a version, or if the driver's
/// version cannot be queried.
fn missing_glsl_version(script: &Script, gl: &Gl) -> Option<String> {
    let version = |program: &ProgramSection| {
        let text = String::from_utf8_lossy(&program.text);
        let (_, rest) = text.split_once("#version")?;
        rest.split_whitespace().next()?.parse::<u32>().ok()
    };
    let shaders = script.programs.iter();
    let shaders = shaders.filter(|program| program.form == ProgramForm::Glsl);
    let needed = shaders.filter_map(version).max()?;
    let known = gl.glsl_version().ok()?;
    (needed > known).then(|| lacks_message(&format!("GLSL {}.{:02}", needed / 100, needed % 100)))
}

/// Returns the reason to skip a script with an extension that the header or an option of a program
/// requires and the driver lacks, alternate programs included; `None` if it has all.
fn missing_language_extension(script: &Script, gl: &Gl) -> Option<String> {
    let own = script.programs.iter();
    let alternates = script.alternates.iter().map(|alternate| &alternate.program);
    let assembly = own
        .chain(alternates)
        .filter(|program| program.form == ProgramForm::Assembly);
    let mut needed = assembly.flat_map(|program| {
        required_extensions::required_extensions(
            target_for_type(program.program_type),
            &program.text,
        )
    });
    let extension = needed.find(|extension| !gl.has_extension(extension))?;
    Some(lacks_message(&extension))
}

/// Returns the reason to skip a script whose vertex programs need more address registers than the
/// driver has; OpenGL has at least one. `None` if the driver has enough or does not report the
/// limit, and for programs that are expected to be rejected, which do not indicate missing
/// features.
fn find_lacking_address_registers(script: &Script, gl: &Gl) -> Option<String> {
    let is_refused = |step: &ScriptStep| matches!(step.command, Command::ExpectError(_));
    let vertex = script
        .programs
        .iter()
        .filter(|program| (program.stage, program.form) == (Stage::Vertex, ProgramForm::Assembly));
    let needed = vertex
        .map(|program| required_extensions::count_address_registers(&program.text))
        .max()?;
    if needed <= 1 || script.steps.iter().any(is_refused) {
        return None;
    }
    let limit = gl::MAX_PROGRAM_ADDRESS_REGISTERS_ARB;
    let most = gl.program_integer(gl::VERTEX_PROGRAM_ARB, limit).ok()?;
    let is_beyond = usize::try_from(most).is_ok_and(|most| most < needed);
    is_beyond.then(|| format!("the driver has {most} address registers, not {needed}"))
}

/// Returns the reason to skip a script with commands that OpenGL lacks, which are those of push
/// constants; `None` if it has none.
fn unsupported_command(script: &Script) -> Option<String> {
    let pushes = |command: &Command| matches!(command, Command::PushData(_));
    let mut commands = script.steps.iter().map(|step| &step.command);
    commands
        .any(pushes)
        .then(|| "OpenGL has no push constants".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_scripts::discover::find_scripts;
    use std::path::Path;

    #[test]
    fn needs_are_sorted_and_named_once() {
        let names: Vec<String> = REQUIREMENTS
            .iter()
            .map(|(name, _)| name.to_lowercase())
            .collect();
        assert!(names.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn requirements_are_met_by_version_or_extension() {
        let missing = |name, minor, extension| {
            missing_requirement(name, Version(4, minor), |known| known == extension)
        };
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
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases/run");
        let mut known = 0;
        for path in find_scripts(&dir) {
            let text = std::fs::read(&path).unwrap();
            let Ok(script) = Script::parse(&text) else {
                continue;
            };
            let requirements = &script.requirements;
            for name in requirements.features.iter().chain(&requirements.extensions) {
                assert!(
                    find_requirement(name).is_some(),
                    "{name} of {}",
                    path.display()
                );
                known += 1;
            }
        }
        assert!(known > 0);
    }

    #[test]
    fn programs_of_other_forms_are_not_for_opengl() {
        let reason = |text: &str| unsupported_form(&Script::parse(text.as_bytes()).unwrap());
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
