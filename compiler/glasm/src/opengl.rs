//! Options and features for implementations of OpenGL that accept SPIR-V, for callers that pass
//! modules to `glShaderBinary` and `glSpecializeShader`: `GL_ARB_gl_spirv`, core in OpenGL 4.6.
//!
//! ```
//! use glasm::{Source, Target, compile, opengl};
//!
//! // What the caller asks OpenGL: `GL_VERSION`, the names of `GL_EXTENSIONS` and of `GL_SPIR_V_EXTENSIONS`, `GL_MAX_UNIFORM_BUFFER_BINDINGS`,
//! // `GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS`.
//! let extensions = ["GL_ARB_gl_spirv", "GL_ARB_gpu_shader_int64"];
//! let device = opengl::find_device_features(450, |name| extensions.contains(&name));
//! assert!(device.int64 && device.float64 && !device.draw_parameters && !device.buffer_device_address);
//! let options = opengl::build_options(device, 84, 16);
//! assert_eq!(options.target, Target::OpenGl4_5);
//!
//! let program = "!!ARBfp1.0\nTEX result.color, fragment.texcoord[0], texture[2], 2D;\nEND";
//! let shader = compile(&Source::new("lookup", program), &options).unwrap();
//! assert_eq!(shader.words[1], 0x0001_0000);
//! assert_eq!(shader.reflection.textures[0].slot.binding, 2);
//! ```

use crate::{BindingLayout, Conventions, DeviceFeatures, Options, Reflection, Target};
use glasm_codegen::features::is_in_opengl;

/// Name of the extension that allows modules in OpenGL. It is core in OpenGL 4.6.
pub const SPIRV_EXTENSION: &str = "GL_ARB_gl_spirv";

/// Returns the Vulkan features that an implementation of OpenGL supports:
/// [`DeviceFeatures::of_opengl`].
///
/// `version` is the version of OpenGL in the form of GLSL, 450 for 4.5. `has_extension` returns
/// true if an extension of OpenGL (`GL_...`), or of SPIR-V (`SPV_...`, from the list
/// `SPIR_V_EXTENSIONS`), is supported.
pub fn find_device_features(version: u32, has_extension: impl Fn(&str) -> bool) -> DeviceFeatures {
    DeviceFeatures::of_opengl(version, has_extension)
}

/// Returns the features that a module needs and an implementation does not support, with `version`
/// and `has_extension` as in [`find_device_features`]: names of Vulkan features, as in
/// [`Requirements::features`](crate::reflect::Requirements::features). Modules that were compiled
/// for the features of the implementation need no others.
pub fn find_missing_features(
    reflection: &Reflection,
    version: u32,
    has_extension: impl Fn(&str) -> bool,
) -> Vec<&'static str> {
    let needed = reflection.requirements.features.iter().copied();
    needed
        .filter(|name| !is_in_opengl(name, version, &has_extension))
        .collect()
}

/// Returns options for OpenGL: target, conventions, and bindings at the end of the available ones,
/// [`BindingLayout::opengl`].
pub fn build_options(
    device: DeviceFeatures,
    uniform_buffers: u32,
    storage_buffers: u32,
) -> Options {
    Options {
        target: Target::OpenGl4_5,
        device,
        bindings: BindingLayout::opengl(uniform_buffers, storage_buffers),
        conventions: Conventions::opengl_environment(),
        ..Options::default()
    }
}

/// Returns [`build_options`] for an unknown implementation: OpenGL 4.5 with all extensions that
/// modules can use, and as many bindings as OpenGL 4.5 guarantees.
pub fn build_default_options() -> Options {
    // MAX_UNIFORM_BUFFER_BINDINGS and MAX_SHADER_STORAGE_BUFFER_BINDINGS.
    build_options(find_device_features(450, |_| true), 84, 8)
}
