//! The `[require]` section: the table of its first words, on top of the files that parse the larger
//! groups of them.

pub mod fixed;
pub(super) mod framebuffer;

use super::model::{Convention, ParseRequirement, Requirements};
use super::tokenizer::{LineError, WordCursor};

/// Prefixes of GL extension names; piglit's scripts may omit `GL_`.
const GL_PREFIXES: &[&str] = &[
    "ARB_", "EXT_", "NV_", "ATI_", "AMD_", "APPLE_", "MESA_", "OES_", "KHR_",
];

/// GL extensions that define the languages and the functionality that their programs use. Scripts
/// are skipped on devices that lack a used extension.
const GL_EXTENSIONS: &[&str] = &[
    "ARB_blend_func_extended",
    "ARB_color_buffer_float",
    "ARB_depth_texture",
    "ARB_derivative_control",
    "ARB_draw_buffers",
    "ARB_draw_instanced",
    "ARB_enhanced_layouts",
    "ARB_fragment_coord_conventions",
    "ARB_fragment_program",
    "ARB_fragment_program_shadow",
    "ARB_framebuffer_object",
    "ARB_gpu_shader5",
    "ARB_gpu_shader_fp64",
    "ARB_multisample",
    "ARB_multitexture",
    "ARB_point_sprite",
    "ARB_provoking_vertex",
    "ARB_shader_atomic_counters",
    "ARB_shader_image_load_store",
    "ARB_shader_storage_buffer_object",
    "ARB_shader_subroutine",
    "ARB_shadow",
    "ARB_tessellation_shader",
    "ARB_texture_border_clamp",
    "ARB_texture_buffer_object",
    "ARB_texture_cube_map",
    "ARB_texture_cube_map_array",
    "ARB_texture_float",
    "ARB_texture_gather",
    "ARB_texture_mirrored_repeat",
    "ARB_texture_multisample",
    "ARB_texture_non_power_of_two",
    "ARB_texture_query_lod",
    "ARB_texture_rectangle",
    "ARB_texture_rg",
    "ARB_texture_swizzle",
    "ARB_transform_feedback2",
    "ARB_transform_feedback3",
    "ARB_uniform_buffer_object",
    "ARB_vertex_array_object",
    "ARB_vertex_attrib_64bit",
    "ARB_vertex_buffer_object",
    "ARB_vertex_program",
    "ARB_viewport_array",
    "ATI_draw_buffers",
    "EXT_draw_instanced",
    "EXT_packed_float",
    "EXT_provoking_vertex",
    "EXT_shader_image_load_formatted",
    "EXT_shader_image_load_store",
    "EXT_texture3D",
    "EXT_texture_array",
    "EXT_texture_buffer_object",
    "EXT_texture_cube_map",
    "EXT_texture_integer",
    "EXT_texture_rectangle",
    "EXT_texture_sRGB",
    "EXT_texture_shared_exponent",
    "EXT_texture_swizzle",
    "EXT_transform_feedback",
    "EXT_vertex_attrib_64bit",
    "NV_bindless_texture",
    "NV_compute_program5",
    "NV_explicit_multisample",
    "NV_fragment_program",
    "NV_fragment_program2",
    "NV_fragment_program4",
    "NV_fragment_program_option",
    "NV_geometry_program4",
    "NV_gpu_program4",
    "NV_gpu_program5",
    "NV_gpu_program5_mem_extended",
    "NV_gpu_program_fp64",
    "NV_parameter_buffer_object",
    "NV_parameter_buffer_object2",
    "NV_shader_atomic_counters",
    "NV_shader_atomic_float",
    "NV_shader_atomic_float64",
    "NV_shader_atomic_fp16_vector",
    "NV_shader_atomic_int64",
    "NV_shader_buffer_load",
    "NV_shader_buffer_store",
    "NV_shader_storage_buffer_object",
    "NV_shader_thread_group",
    "NV_shader_thread_shuffle",
    "NV_tessellation_program5",
    "NV_texture_multisample",
    "NV_texture_rectangle",
    "NV_transform_feedback",
    "NV_transform_feedback2",
    "NV_vertex_attrib_integer_64bit",
    "NV_vertex_program",
    "NV_vertex_program1_1",
    "NV_vertex_program2",
    "NV_vertex_program2_option",
    "NV_vertex_program3",
    "NV_vertex_program4",
];

/// Every requirement that is more than a name, by its first word.
pub(crate) const REQUIREMENTS: &[(&str, ParseRequirement)] = &[
    ("GL", parse_gl_version),
    ("GLSL", parse_glsl_version),
    ("SIZE", framebuffer::parse_size),
    ("SSO", |requirements, words| {
        requirements.separate_programs =
            words.parse_with("`ENABLED` or `DISABLED`", |word| match word {
                "ENABLED" => Some(true),
                "DISABLED" => Some(false),
                _ => None,
            })?;
        Ok(())
    }),
    ("address32", |requirements, _| {
        requirements.low_addresses = true;
        requirements
            .extensions
            .push("VK_EXT_external_memory_host".to_owned());
        Ok(())
    }),
    ("depthbuffer", framebuffer::parse_depth_buffer),
    ("depthstencil", framebuffer::parse_depth_format),
    ("fblayers", framebuffer::parse_layers),
    ("fbsize", framebuffer::parse_size),
    ("fixed", fixed::parse_fixed),
    ("framebuffer", framebuffer::parse_color_format),
    ("lacks", |requirements, words| {
        let name = words.parse_with("a name of a feature", |name| {
            let fits = name.starts_with(|c: char| c.is_ascii_lowercase());
            (fits && name.chars().all(|c| c.is_ascii_alphanumeric())).then(|| name.to_owned())
        })?;
        requirements.excluded_features.push(name);
        Ok(())
    }),
    ("legacy_multiply", |requirements, _| {
        requirements.legacy_multiply = true;
        Ok(())
    }),
    ("numbered_handles", |requirements, _| {
        requirements.numbered_handles = true;
        Ok(())
    }),
    ("samples", framebuffer::parse_samples),
    ("stream_output", super::stream_outputs::parse_output),
    ("stream_stride", super::stream_outputs::parse_stride),
    ("strict", |requirements, _| {
        requirements.acceptance = glasm::Acceptance::Strict;
        Ok(())
    }),
    ("tgsi", |requirements, words| {
        let tgsi = &mut requirements.tgsi;
        let flag = words.parse_with("`old` or `virgl`", |word| match word {
            "old" => Some(&mut tgsi.legacy_semantics),
            "virgl" => Some(&mut tgsi.virgl),
            _ => None,
        })?;
        *flag = true;
        Ok(())
    }),
    ("vulkan", |requirements, words| {
        requirements.version = Some(words.parse_with("a version", parse_version)?);
        Ok(())
    }),
];

/// Words of piglit that this runner does not support.
const UNSUPPORTED_PIGLIT: &[&str] = &["INT", "rlimit", "SPIRV", "SEPARABLE"];

/// Parses one line of the `[require]` section and adds its requirement. Returns an error for
/// unsupported requirements of piglit, invalid arguments, and words after them.
pub(crate) fn parse_requirement(
    requirements: &mut Requirements,
    line: u32,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    requirements.line = line;
    let word = words.next_word("a requirement")?;
    if UNSUPPORTED_PIGLIT.contains(&word) {
        return Err(words.error_at_last("requirements of this kind are not known"));
    }
    // Older scripts say `without`.
    let requirement = if word == "without" { "lacks" } else { word };
    match REQUIREMENTS.iter().find(|(name, _)| *name == requirement) {
        Some((_, parse)) => {
            // The size of the framebuffer is only known after all lines have been read; the last
            // line about it gets the error.
            let before = (requirements.framebuffer, requirements.attachments.clone());
            parse(requirements, words)?;
            if before != (requirements.framebuffer, requirements.attachments.clone()) {
                requirements.framebuffer_line = line;
            }
        }
        None => parse_feature_name(requirements, word, words)?,
    }
    words.expect_end()
}

/// Parses the arguments of `GL >= 3.2`: selects GL's convention and stores the version, which only
/// OpenGL must have. Words that are no versions, such as the operator, are ignored.
fn parse_gl_version(
    requirements: &mut Requirements,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    requirements.convention = Convention::OpenGl;
    while let Ok(word) = words.next_word("a version") {
        // A word that is not a version is the comparison operator.
        if let Some([major, minor, _]) = parse_version(word) {
            requirements.gl_version = Some([major, minor]);
        }
    }
    Ok(())
}

/// Consumes the arguments of `GLSL >= 1.50` and selects GL's convention. The version is ignored.
fn parse_glsl_version(
    requirements: &mut Requirements,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    requirements.convention = Convention::OpenGl;
    while words.next_word("a version").is_ok() {}
    Ok(())
}

/// Adds a required Vulkan feature or extension, or an extension of GL, which selects the rules of
/// GL; one that is not in [`GL_EXTENSIONS`] is recorded as unmet. Returns an error if `name`
/// contains characters other than ASCII alphanumerics and underscores.
fn parse_feature_name(
    requirements: &mut Requirements,
    name: &str,
    words: &WordCursor<'_>,
) -> Result<(), LineError> {
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(words.error_at_last(format!("`{name}` is no name of a feature or extension")));
    }
    let gl_name = name.strip_prefix("GL_").or_else(|| {
        GL_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
            .then_some(name)
    });
    if let Some(gl_name) = gl_name {
        requirements.convention = Convention::OpenGl;
        let full_name = format!("GL_{gl_name}");
        if !GL_EXTENSIONS.contains(&gl_name) {
            requirements.unmet.push(full_name.clone());
        }
        requirements.gl_extensions.push(full_name);
    } else if name.starts_with("VK_") {
        requirements.extensions.push(name.to_owned());
    } else {
        requirements.features.push(name.to_owned());
    }
    Ok(())
}

/// Parses the version `MAJOR.MINOR` or `MAJOR.MINOR.PATCH`; a missing patch is 0. `None` if it has
/// another form.
fn parse_version(text: &str) -> Option<[u32; 3]> {
    let mut numbers = text.split('.').map(|part| part.parse().ok());
    let version = [
        numbers.next()??,
        numbers.next()??,
        numbers.next().unwrap_or(Some(0))?,
    ];
    numbers.next().is_none().then_some(version)
}
