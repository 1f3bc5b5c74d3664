//! What drivers may lack: asked for before it is used.

use super::Problem;
use crate::gl::{Gl, Version};

/// A part of OpenGL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Feature {
    /// The version that has it.
    pub(super) core: Version,
    /// Extensions that bring it to older versions, the most common one first.
    pub(super) extensions: &'static [&'static str],
}

/// A version that no driver has: for what only extensions bring.
pub(super) const NO_VERSION: Version = Version(u32::MAX, 0);

impl Feature {
    /// Whether a driver has it.
    pub(super) fn is_in(self, gl: &Gl) -> bool {
        let mut extensions = self.extensions.iter();
        gl.version() >= self.core || extensions.any(|extension| gl.has(extension))
    }

    /// [`Problem::Lacking`] if the driver lacks it.
    pub(super) fn require(self, gl: &Gl) -> Result<(), Problem> {
        if self.is_in(gl) {
            return Ok(());
        }
        Err(Problem::Lacking(match self.extensions.first() {
            Some(extension) => format!("the driver lacks {extension}"),
            None => format!("the driver lacks OpenGL {}", self.core),
        }))
    }
}
