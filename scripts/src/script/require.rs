//! The `[require]` section.

use super::attachments::{self, Attachments};
use super::streams::{self, StreamOutputs};
use super::words::{LineError, Words};
use super::{ProgramSection, fixed};
use crate::image::RowOrder;

/// Whose rules a script is written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Convention {
    /// Row 0 of the framebuffer is the top; clip space depth is 0 to w.
    #[default]
    Vulkan,
    /// Row 0 of the framebuffer is the bottom; clip space depth is -w to w.
    OpenGl,
}

impl Convention {
    /// Which row of a framebuffer is its top.
    pub fn row_order(self) -> RowOrder {
        match self {
            Self::Vulkan => RowOrder::TopFirst,
            Self::OpenGl => RowOrder::BottomFirst,
        }
    }
}

/// What a script needs.
#[derive(Clone, PartialEq, Debug)]
pub struct Requirements {
    /// Which way is up, and what the depths of clip space are.
    pub convention: Convention,
    /// Names of Vulkan features.
    pub features: Vec<String>,
    /// Names of Vulkan features that the device must lack.
    pub without: Vec<String>,
    /// Names of Vulkan device extensions.
    pub extensions: Vec<String>,
    /// Whether the addresses of buffers must be below 2^32.
    pub low_addresses: bool,
    /// Smallest OpenGL version, which only OpenGL is to meet.
    pub gl_version: Option<[u32; 2]>,
    /// Names of OpenGL extensions, with `GL_`. Those whose programs Vulkan can run only say whose rules apply there.
    pub gl_extensions: Vec<String>,
    /// Smallest Vulkan version.
    pub version: Option<[u32; 3]>,
    /// Width and height of the framebuffer.
    pub framebuffer: [u32; 2],
    /// Formats, layers and samples of the framebuffer.
    pub attachments: Attachments,
    /// GL state that programs are compiled for.
    pub fixed: glasm::FixedState,
    /// The stipple of polygons.
    pub polygon_stipple: Option<Box<glasm::PolygonStipple>>,
    /// Whether zero times anything is zero in programs.
    pub legacy_multiply: bool,
    /// Whether programs count on handles being the numbers of units.
    pub numbered_handles: bool,
    /// Whether the programs of a pipeline are compiled apart, none knowing the others.
    pub separate: bool,
    /// Which programs load.
    pub acceptance: glasm::Acceptance,
    /// What TGSI texts leave open.
    pub tgsi: glasm::TgsiOptions,
    /// Output registers that are captured.
    pub streams: StreamOutputs,
    /// The line that is read.
    pub(super) line: u32,
    /// The last line about the framebuffer.
    pub(super) framebuffer_line: u32,
    /// Requirements that this runner never meets.
    pub unmet: Vec<String>,
}

/// Width and height unless a script says otherwise, as piglit has it.
const DEFAULT_SIZE: u32 = 250;

impl Requirements {
    /// The program of an assembly section.
    pub fn source<'a>(&self, name: &'a str, section: &'a ProgramSection) -> glasm::Source<'a> {
        glasm::Source {
            acceptance: self.acceptance,
            tgsi: self.tgsi,
            ..glasm::Source::new(name, &section.text).for_type(section.program_type)
        }
    }
}

impl Default for Requirements {
    fn default() -> Self {
        Self {
            convention: Convention::Vulkan,
            features: Vec::new(),
            without: Vec::new(),
            extensions: Vec::new(),
            low_addresses: false,
            gl_version: None,
            gl_extensions: Vec::new(),
            version: None,
            framebuffer: [DEFAULT_SIZE; 2],
            attachments: Attachments::default(),
            fixed: glasm::FixedState::default(),
            polygon_stipple: None,
            legacy_multiply: false,
            numbered_handles: false,
            separate: false,
            acceptance: glasm::Acceptance::default(),
            tgsi: glasm::TgsiOptions::default(),
            streams: StreamOutputs::default(),
            line: 0,
            framebuffer_line: 0,
            unmet: Vec::new(),
        }
    }
}

/// Prefixes of GL extension names; piglit's scripts may leave `GL_` out.
const GL_PREFIXES: &[&str] = &[
    "ARB_", "EXT_", "NV_", "ATI_", "AMD_", "APPLE_", "MESA_", "OES_", "KHR_",
];

/// GL extensions that define the languages and what their programs build on. Devices that lack what a script uses skip it for that.
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

/// Reads the rest of a line.
pub(super) type ParseRequirement = fn(&mut Requirements, &mut Words<'_>) -> Result<(), LineError>;

/// Every requirement that is more than a name, by its first word.
pub(super) const WORDS: &[(&str, ParseRequirement)] = &[
    ("GL", parse_gl_version),
    ("GLSL", parse_glsl_version),
    ("SIZE", attachments::parse_size),
    ("SSO", |requirements, words| {
        requirements.separate = words.parse_with("`ENABLED` or `DISABLED`", |word| match word {
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
    ("depthbuffer", attachments::parse_depth_buffer),
    ("depthstencil", attachments::parse_depth_format),
    ("fblayers", attachments::parse_layers),
    ("fbsize", attachments::parse_size),
    ("fixed", fixed::parse_fixed),
    ("framebuffer", attachments::parse_color_format),
    ("legacy_multiply", |requirements, _| {
        requirements.legacy_multiply = true;
        Ok(())
    }),
    ("numbered_handles", |requirements, _| {
        requirements.numbered_handles = true;
        Ok(())
    }),
    ("samples", attachments::parse_samples),
    ("stream_output", streams::parse_output),
    ("stream_stride", streams::parse_stride),
    ("strict", |requirements, _| {
        requirements.acceptance = glasm::Acceptance::Strict;
        Ok(())
    }),
    ("tgsi", |requirements, words| {
        let tgsi = &mut requirements.tgsi;
        let flag = words.parse_with("`old` or `virgl`", |word| match word {
            "old" => Some(&mut tgsi.old),
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
    ("without", |requirements, words| {
        let name = words.parse_with("a name of a feature", |name| {
            let fits = name.starts_with(|c: char| c.is_ascii_lowercase());
            (fits && name.chars().all(|c| c.is_ascii_alphanumeric())).then(|| name.to_owned())
        })?;
        requirements.without.push(name);
        Ok(())
    }),
];

/// Words of piglit that this runner does not know.
const UNKNOWN: &[&str] = &["INT", "rlimit", "SPIRV", "SEPARABLE"];

/// Reads one line.
pub(crate) fn parse_requirement(
    requirements: &mut Requirements,
    line: u32,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    requirements.line = line;
    let word = words.word("a requirement")?;
    if UNKNOWN.contains(&word) {
        return Err(words.error_at_last("requirements of this kind are not known"));
    }
    match WORDS.iter().find(|(name, _)| *name == word) {
        Some((_, parse)) => {
            let before = (requirements.framebuffer, requirements.attachments.clone());
            parse(requirements, words)?;
            if before != (requirements.framebuffer, requirements.attachments.clone()) {
                requirements.framebuffer_line = line;
            }
        }
        None => parse_name(requirements, word, words)?,
    }
    words.finish()
}

/// `GL >= 3.2`: OpenGL must have the version; with Vulkan only its rules apply.
fn parse_gl_version(
    requirements: &mut Requirements,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    requirements.convention = Convention::OpenGl;
    while let Ok(word) = words.word("a version") {
        if let Some([major, minor, _]) = parse_version(word) {
            requirements.gl_version = Some([major, minor]);
        }
    }
    Ok(())
}

/// The version of GLSL does not matter, only whose rules apply.
fn parse_glsl_version(
    requirements: &mut Requirements,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    requirements.convention = Convention::OpenGl;
    while words.word("a version").is_ok() {}
    Ok(())
}

fn parse_name(
    requirements: &mut Requirements,
    name: &str,
    words: &Words<'_>,
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

fn parse_version(text: &str) -> Option<[u32; 3]> {
    let mut numbers = text.split('.').map(|part| part.parse().ok());
    let version = [
        numbers.next()??,
        numbers.next()??,
        numbers.next().unwrap_or(Some(0))?,
    ];
    numbers.next().is_none().then_some(version)
}
