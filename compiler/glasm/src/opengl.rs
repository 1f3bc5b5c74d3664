//! What an implementation of OpenGL takes as SPIR-V, for callers that hand modules to `glShaderBinary` and `glSpecializeShader`:
//! `GL_ARB_gl_spirv`, core in OpenGL 4.6.
//!
//! ```
//! use glasm::{Source, Target, compile, opengl};
//!
//! // What the caller asks OpenGL: `GL_VERSION`, the names of `GL_EXTENSIONS` and of `GL_SPIR_V_EXTENSIONS`, `GL_MAX_UNIFORM_BUFFER_BINDINGS`,
//! // `GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS`.
//! let extensions = ["GL_ARB_gl_spirv", "GL_ARB_gpu_shader_int64"];
//! let device = opengl::device_features(450, |name| extensions.contains(&name));
//! assert!(device.int64 && device.float64 && !device.draw_parameters && !device.buffer_device_address);
//! let options = opengl::options(device, 84, 16);
//! assert_eq!(options.target, Target::OpenGl4_5);
//!
//! let program = "!!ARBfp1.0\nTEX result.color, fragment.texcoord[0], texture[2], 2D;\nEND";
//! let shader = compile(&Source::new("lookup", program), &options).unwrap();
//! assert_eq!(shader.words[1], 0x0001_0000);
//! assert_eq!(shader.reflection.textures[0].slot.binding, 2);
//! ```

use crate::{BindingLayout, Conventions, DeviceFeatures, Options, Reflection, Target};
use glasm_codegen::features::is_in_opengl;

/// Names of the extension that lets OpenGL take modules. It is core in OpenGL 4.6.
pub const EXTENSION: &str = "GL_ARB_gl_spirv";

/// What of the features of Vulkan an implementation of OpenGL has: [`DeviceFeatures::of_opengl`].
///
/// `version` is that of OpenGL as GLSL writes it, 450 for 4.5. `has` says whether there is an extension of OpenGL (`GL_...`), or of SPIR-V
/// (`SPV_...`, from the list `SPIR_V_EXTENSIONS`).
pub fn device_features(version: u32, has: impl Fn(&str) -> bool) -> DeviceFeatures {
    DeviceFeatures::of_opengl(version, has)
}

/// What a module needs and an implementation lacks, which is asked as in [`device_features`]: names of features of Vulkan, as
/// [`Requirements::features`](crate::reflect::Requirements::features) has them. The compiler is not told of all of these.
pub fn lacking(
    reflection: &Reflection,
    version: u32,
    has: impl Fn(&str) -> bool,
) -> Vec<&'static str> {
    let needed = reflection.requirements.features.iter().copied();
    needed
        .filter(|name| !is_in_opengl(name, version, &has))
        .collect()
}

/// Options for OpenGL: target, conventions, and bindings at the end of what OpenGL has, [`BindingLayout::opengl`].
pub fn options(device: DeviceFeatures, uniform_buffers: u32, storage_buffers: u32) -> Options {
    Options {
        target: Target::OpenGl4_5,
        device,
        bindings: BindingLayout::opengl(uniform_buffers, storage_buffers),
        conventions: Conventions::opengl_environment(),
        ..Options::default()
    }
}

/// [`options`] for an implementation of which nothing is known: OpenGL 4.5 with all extensions that modules can use, and as many bindings as
/// OpenGL 4.5 guarantees.
pub fn options_of_all() -> Options {
    // MAX_UNIFORM_BUFFER_BINDINGS and MAX_SHADER_STORAGE_BUFFER_BINDINGS.
    options(device_features(450, |_| true), 84, 8)
}
