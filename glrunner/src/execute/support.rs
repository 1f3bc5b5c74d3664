//! Skips scripts that need what the driver lacks, before it is used.

use super::{Execution, Problem};
use crate::features::lacks;
pub(super) use crate::features::{Feature, NO_VERSION};
use crate::gl::Gl;

impl Feature {
    /// [`Problem::Lacking`] if the driver lacks it.
    pub(super) fn require(self, gl: &Gl) -> Result<(), Problem> {
        let missing = self.missing(gl.version(), |extension| gl.has(extension));
        missing.map_or(Ok(()), |reason| Err(Problem::Lacking(reason)))
    }
}

impl Execution<'_> {
    /// [`Problem::Lacking`] unless the driver has an extension.
    pub(super) fn demand(&self, extension: &str) -> Result<(), Problem> {
        match self.gl.has(extension) {
            true => Ok(()),
            false => Err(Problem::Lacking(lacks(extension))),
        }
    }
}
