//! Writes the header of a client from the registry of the Khronos group: all constants, and the
//! commands that its sources name.

use gl_generator::{Api, Cmd, Fallbacks, Profile, Registry};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

/// Extensions that clients use beyond OpenGL 4.6 with the compatibility profile.
const EXTENSIONS: &[&str] = &[
    "GL_ARB_compute_variable_group_size",
    "GL_ARB_fragment_program",
    "GL_ARB_vertex_program",
    "GL_EXT_direct_state_access",
    "GL_EXT_gpu_program_parameters",
    "GL_EXT_texture_env_dot3",
    "GL_HP_occlusion_test",
    "GL_NVX_conditional_render",
    "GL_NV_compute_program5",
    "GL_NV_fence",
    "GL_NV_fog_distance",
    "GL_NV_fragment_program",
    "GL_NV_fragment_program2",
    "GL_NV_geometry_program4",
    "GL_NV_gpu_program4",
    "GL_NV_gpu_program5",
    "GL_NV_multisample_filter_hint",
    "GL_NV_occlusion_query",
    "GL_NV_parameter_buffer_object",
    "GL_NV_pixel_data_range",
    "GL_NV_register_combiners",
    "GL_NV_register_combiners2",
    "GL_NV_texture_rectangle",
    "GL_NV_texture_shader",
    "GL_NV_texture_shader2",
    "GL_NV_texture_shader3",
    "GL_NV_transform_feedback",
    "GL_NV_vertex_array_range",
    "GL_NV_vertex_array_range2",
    "GL_NV_vertex_program",
    "GL_NV_vertex_program2_option",
    "GL_NV_vertex_program4",
];

/// Numbers of GL in C.
const TYPES: &str = "#include <stddef.h>\n#include <stdint.h>\ntypedef unsigned GLenum, GLuint, GLbitfield;\ntypedef int GLint, GLsizei, GLfixed;\n\
                     typedef float GLfloat, GLclampf;\ntypedef double GLdouble, GLclampd;\ntypedef unsigned char GLubyte, GLboolean;\n\
                     typedef signed char GLbyte;\ntypedef short GLshort;\ntypedef unsigned short GLushort, GLhalf, GLhalfNV;\n\
                     typedef char GLchar, GLcharARB;\ntypedef ptrdiff_t GLintptr, GLsizeiptr;\ntypedef int64_t GLint64, GLint64EXT;\n\
                     typedef uint64_t GLuint64, GLuint64EXT;\ntypedef void *GLsync;\n\
                     #ifdef _WIN32\n#define CLIENT_CALL __stdcall\n#else\n#define CLIENT_CALL\n#endif\n\
                     typedef void (CLIENT_CALL *GLDEBUGPROC)(GLenum, GLenum, GLuint, GLenum, GLsizei, const GLchar *, const void *);\n\
                     \ntypedef void c_void, GLvoid;\n";

/// Constants and commands of OpenGL and of the extensions. Reading the registry takes half a second.
static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    Registry::new(
        Api::Gl,
        (4, 6),
        Profile::Compatibility,
        Fallbacks::None,
        EXTENSIONS,
    )
});

/// Returns the header of a client with these sources.
pub(crate) fn generate_header(sources: &str) -> String {
    let words: BTreeSet<&str> = sources
        .split(|it: char| !it.is_ascii_alphanumeric() && it != '_')
        .collect();
    let mut header = format!("/* Generated from the registry. */\n#pragma once\n{TYPES}");
    for constant in REGISTRY
        .enums
        .iter()
        .filter(|it| words.contains(format!("GL_{}", it.ident).as_str()))
    {
        let _ = writeln!(header, "#define GL_{} {}", constant.ident, constant.value);
    }
    let is_used = |command: &&Cmd| words.contains(format!("gl{}", command.proto.ident).as_str());
    let commands: Vec<&Cmd> = REGISTRY.cmds.iter().filter(is_used).collect();
    header.push_str("#ifndef CLIENT_DEFINES\n#define CLIENT_DEFINES extern\n#endif\n");
    for command in &commands {
        let parameters: Vec<String> = command.params.iter().map(|it| c_type(&it.ty)).collect();
        let parameters = if parameters.is_empty() {
            "void".to_owned()
        } else {
            parameters.join(", ")
        };
        let _ = writeln!(
            header,
            "CLIENT_DEFINES {} (CLIENT_CALL *gl{})({parameters});",
            c_type(&command.proto.ty),
            command.proto.ident
        );
    }
    header.push_str("#define CLIENT_COMMANDS(X)");
    for command in &commands {
        let _ = write!(header, " X(gl{})", command.proto.ident);
    }
    header.push('\n');
    header
}

/// Returns a type of the registry in C.
fn c_type(ty: &str) -> String {
    if let Some(target) = ty.strip_prefix("*const ") {
        return format!("{} const *", c_type(target));
    }
    if let Some(target) = ty.strip_prefix("*mut ") {
        return format!("{} *", c_type(target));
    }
    match ty.rsplit("::").next().unwrap_or(ty) {
        "()" => "void".to_owned(),
        name => name.to_owned(),
    }
}
