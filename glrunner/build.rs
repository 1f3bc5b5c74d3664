//! Writes the commands and constants of OpenGL as Rust, from the registry of the Khronos group.
//!
//! `src/gl/bindings.rs` includes the result, a table: it defines a method for each command.
//! Commands that access no memory of this process become safe methods.

use glasm_glregistry::{Cmd, Commands, has_pointer};
use std::fs;
use std::io;
use std::path::Path;

/// Extensions that scripts use beyond OpenGL 4.6 with the compatibility profile.
const EXTENSIONS: &[&str] = &[
    "GL_AMD_seamless_cubemap_per_texture",
    "GL_ARB_bindless_texture",
    "GL_ARB_color_buffer_float",
    "GL_ARB_compute_variable_group_size",
    "GL_ARB_fragment_program",
    "GL_ARB_gl_spirv",
    "GL_ARB_matrix_palette",
    "GL_ARB_sparse_texture",
    "GL_ARB_sparse_texture2",
    "GL_ARB_texture_float",
    "GL_ARB_vertex_blend",
    "GL_ARB_vertex_program",
    "GL_ATI_texture_mirror_once",
    "GL_ATI_texture_env_combine3",
    "GL_EXT_depth_bounds_test",
    "GL_EXT_direct_state_access",
    "GL_EXT_gpu_program_parameters",
    "GL_EXT_raster_multisample",
    "GL_EXT_shader_image_load_store",
    "GL_EXT_stencil_two_side",
    "GL_EXT_texture_array",
    "GL_EXT_texture_buffer_object",
    "GL_EXT_texture_filter_anisotropic",
    "GL_EXT_texture_integer",
    "GL_EXT_texture_mirror_clamp",
    "GL_EXT_texture_sRGB",
    "GL_EXT_texture_sRGB_decode",
    "GL_EXT_vertex_attrib_64bit",
    "GL_EXT_vertex_weighting",
    "GL_EXT_window_rectangles",
    "GL_INTEL_conservative_rasterization",
    "GL_KHR_debug",
    "GL_NV_bindless_texture",
    "GL_NV_compute_program5",
    "GL_NV_conservative_raster",
    "GL_NV_conservative_raster_dilate",
    "GL_NV_fog_distance",
    "GL_NV_texture_env_combine4",
    "GL_NV_depth_buffer_float",
    "GL_NV_depth_clamp",
    "GL_NV_explicit_multisample",
    "GL_NV_fragment_program",
    "GL_NV_fragment_program_option",
    "GL_NV_fragment_program2",
    "GL_NV_framebuffer_multisample_coverage",
    "GL_NV_geometry_program4",
    "GL_NV_gpu_program4",
    "GL_NV_gpu_program5",
    "GL_NV_register_combiners",
    "GL_NV_register_combiners2",
    "GL_NV_half_float",
    "GL_NV_parameter_buffer_object",
    "GL_NV_parameter_buffer_object2",
    "GL_NV_point_sprite",
    "GL_NV_primitive_restart",
    "GL_NV_register_combiners",
    "GL_NV_shader_buffer_load",
    "GL_NV_shader_buffer_store",
    "GL_NV_shader_storage_buffer_object",
    "GL_NV_tessellation_program5",
    "GL_NV_texture_multisample",
    "GL_NV_texture_rectangle",
    "GL_NV_texture_shader",
    "GL_NV_texture_shader2",
    "GL_NV_texture_shader3",
    "GL_NV_transform_feedback",
    "GL_NV_transform_feedback2",
    "GL_NV_vertex_attrib_integer_64bit",
    "GL_NV_vertex_buffer_unified_memory",
    "GL_NV_vertex_program",
    "GL_NV_vertex_program1_1",
    "GL_NV_vertex_program2",
    "GL_NV_vertex_program2_option",
    "GL_NV_vertex_program3",
    "GL_NV_vertex_program4",
    "GL_NV_viewport_array2",
    "GL_NV_viewport_swizzle",
];

/// Commands without pointers that may nevertheless access memory of this process, by the start of
/// their names: drawing reads arrays, which must be in buffers; pixel storage determines the amount
/// of memory that pixel transfers access; unmapping ends the life of a pointer.
const TOUCHES_MEMORY: &[&str] = &[
    "ArrayElement",
    "BindVertexBuffer",
    "ClientAttribDefault",
    "Draw",
    "EnableClientState",
    "EnableVertexArray",
    "EnableVertexAttribArray",
    "MapBuffer",
    "MultiDraw",
    "PixelStore",
    "PopClientAttrib",
    "PushClientAttrib",
    "UnmapBuffer",
    "UnmapNamedBuffer",
    "VertexArray",
];

/// Commands whose name starts like one of [`TOUCHES_MEMORY`] and that only change state.
const HARMLESS: &[&str] = &["DrawBuffer"];

/// Returns true if a command may read or write memory of this process: it has a pointer argument or
/// its name starts with a prefix in [`TOUCHES_MEMORY`].
fn touches_memory(command: &Cmd) -> bool {
    let name = command.proto.ident.as_str();
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    has_pointer(command) || starts(TOUCHES_MEMORY) && !starts(HARMLESS)
}

/// Writes `bindings.rs`: the types, constants and functions of the OpenGL commands of all
/// extensions that the runner uses, generated from the registry.
fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = std::env::var("OUT_DIR").map_err(io::Error::other)?;
    let commands = Commands::with_extensions(EXTENSIONS);
    let text = commands.types_and_constants() + &commands.commands_macro(touches_memory);
    fs::write(Path::new(&folder).join("bindings.rs"), text)
}
