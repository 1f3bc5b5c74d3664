//! Skips scripts that need what the driver lacks, before it is used.

use super::problem::Problem;
use crate::features::lacks;
pub(super) use crate::features::{Feature, NO_VERSION};
use crate::gl::{self, Gl};
use glasm::ir::Stage;

/// What the programs of a stage are loaded to, which enables them for draws, and the extension that has it. Fragment programs of
/// `glLoadProgramNV` have a target of their own.
pub(super) const STAGES: &[(Stage, u32, &str)] = &[
    (
        Stage::Vertex,
        gl::VERTEX_PROGRAM_ARB,
        "GL_ARB_vertex_program",
    ),
    (
        Stage::TessControl,
        gl::TESS_CONTROL_PROGRAM_NV,
        "GL_NV_tessellation_program5",
    ),
    (
        Stage::TessEval,
        gl::TESS_EVALUATION_PROGRAM_NV,
        "GL_NV_tessellation_program5",
    ),
    (
        Stage::Geometry,
        gl::GEOMETRY_PROGRAM_NV,
        "GL_NV_geometry_program4",
    ),
    (
        Stage::Fragment,
        gl::FRAGMENT_PROGRAM_ARB,
        "GL_ARB_fragment_program",
    ),
    (
        Stage::Fragment,
        gl::FRAGMENT_PROGRAM_NV,
        "GL_NV_fragment_program",
    ),
    (
        Stage::Compute,
        gl::COMPUTE_PROGRAM_NV,
        "GL_NV_compute_program5",
    ),
];

/// The target of the programs of a stage, and the extension that has it.
pub(super) fn stage_target(stage: Stage) -> (u32, &'static str) {
    let found = STAGES.iter().find(|(known, ..)| *known == stage);
    let (_, target, extension) = found.expect("the table has all stages");
    (*target, extension)
}

impl Feature {
    /// [`Problem::Lacking`] if the driver lacks it.
    pub(super) fn require(self, gl: &Gl) -> Result<(), Problem> {
        let missing = self.missing(gl.version(), |extension| gl.has(extension));
        missing.map_or(Ok(()), |reason| Err(Problem::Lacking(reason)))
    }
}

/// [`Problem::Lacking`] unless the driver has an extension.
pub(super) fn require_extension(gl: &Gl, extension: &str) -> Result<(), Problem> {
    match gl.has(extension) {
        true => Ok(()),
        false => Err(Problem::Lacking(lacks(extension))),
    }
}
