//! Features of an OpenGL implementation for modules.

use crate::error::Error;
use crate::gl::{self, Gl, Version};
use glasm::{DeviceFeatures, Reflection, opengl};
use std::collections::BTreeSet;

/// Features of an implementation, as queried by the compiler.
pub(crate) struct Implementation<'a> {
    gl: &'a Gl,
    /// Extensions of SPIR-V.
    extensions: BTreeSet<String>,
}

impl<'a> Implementation<'a> {
    pub(crate) fn of(gl: &'a Gl) -> Result<Self, Error> {
        let extensions = gl.spirv_extensions()?;
        Ok(Self { gl, extensions })
    }

    /// Returns the version in the form of GLSL.
    fn version(&self) -> u32 {
        let Version(major, minor) = self.gl.version();
        100 * major + 10 * minor
    }

    fn has(&self, name: &str) -> bool {
        self.gl.has(name) || self.extensions.contains(name)
    }

    /// Returns target, features and bindings.
    pub(crate) fn options(&self) -> Result<glasm::Options, Error> {
        let device = opengl::device_features(self.version(), |name| self.has(name));
        let device = DeviceFeatures {
            // Mesa accepts the mode without naming the extension, and otherwise computes as with
            // real numbers: x - x is 0 for infinities.
            signed_zero_inf_nan_preserve_float32: device.signed_zero_inf_nan_preserve_float32
                || self.gl.info().driver.starts_with("Mesa"),
            ..device
        };
        let limit = |name| self.gl.integer(name).map(i32::unsigned_abs);
        let uniforms = limit(gl::MAX_UNIFORM_BUFFER_BINDINGS)?;
        let storage = limit(gl::MAX_SHADER_STORAGE_BUFFER_BINDINGS)?;
        Ok(opengl::options(device, uniforms, storage))
    }

    /// Returns the first feature that a module needs and that is not there.
    pub(crate) fn lacking(&self, reflection: &Reflection) -> Option<&'static str> {
        let lacking = opengl::lacking(reflection, self.version(), |name| self.has(name));
        lacking.first().copied()
    }
}
