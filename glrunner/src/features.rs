//! What drivers may lack: parts of OpenGL that a version or an extension brings.

use crate::gl::{Gl, Version};

/// A part of OpenGL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Feature {
    /// The version that has it.
    pub(crate) core: Version,
    /// Extensions that bring it to older versions, the most common one first.
    pub(crate) extensions: &'static [&'static str],
}

/// A version that no driver has: for what only extensions bring.
pub(crate) const NO_VERSION: Version = Version(u32::MAX, 0);

impl Feature {
    /// Whether a driver has it.
    pub(crate) fn is_in(self, gl: &Gl) -> bool {
        self.missing(gl.version(), |extension| gl.has(extension))
            .is_none()
    }

    /// What a driver with a version and extensions lacks; `None` if it has the feature.
    pub(crate) fn missing(self, version: Version, has: impl Fn(&str) -> bool) -> Option<String> {
        if version >= self.core || self.extensions.iter().any(|extension| has(extension)) {
            return None;
        }
        Some(match self.extensions.first() {
            Some(extension) => lacks(extension),
            None => lacks(&format!("OpenGL {}", self.core)),
        })
    }
}

/// The reason to skip a script that needs something, such as an extension.
pub(crate) fn lacks(what: &str) -> String {
    format!("the driver lacks {what}")
}
