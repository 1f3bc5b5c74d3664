//! Skips scripts that need features that the driver lacks, before they are used.

use crate::error::Problem;
use crate::gl::{self, Gl, Version};
use glasm::ir::Stage;

/// Targets that the programs of a stage are loaded to and that enable them for draws, and the
/// extensions that define them. Fragment programs of `glLoadProgramNV` have a separate target.
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

/// Returns the first target of the programs of a stage, and the extension that defines it.
pub(super) fn stage_target(stage: Stage) -> (u32, &'static str) {
    let found = STAGES.iter().find(|(known, ..)| *known == stage);
    let (_, target, extension) = found.expect("the table has all stages");
    (*target, extension)
}

impl Feature {
    /// Skips the script, by [`Problem::Unsupported`], if the driver lacks the feature.
    pub(super) fn require(self, gl: &Gl) -> Result<(), Problem> {
        let missing =
            self.missing_requirement(gl.version(), |extension| gl.has_extension(extension));
        missing.map_or(Ok(()), |reason| Err(Problem::Unsupported(reason)))
    }
}

/// Returns [`Problem::Unsupported`] unless the driver has an extension.
pub(super) fn require_extension(gl: &Gl, extension: &str) -> Result<(), Problem> {
    if gl.has_extension(extension) {
        Ok(())
    } else {
        Err(Problem::Unsupported(lacks_message(extension)))
    }
}

/// Makes the texture unit active whose environment and texture coordinates are set next. Skips
/// scripts with units beyond the driver's texture coordinate sets.
pub(super) fn select_texture_unit(gl: &Gl, unit: u32) -> Result<(), Problem> {
    check_index_limit(
        gl,
        unit,
        gl::MAX_TEXTURE_COORDS,
        "sets of texture coordinates",
    )?;
    Ok(gl.ActiveTexture(gl::TEXTURE0 + unit)?)
}

/// Skips the script unless `number` is below the value of the state `limit`; `description` names
/// the limited objects in the reason.
pub(super) fn check_index_limit(
    gl: &Gl,
    number: u32,
    limit: u32,
    description: &str,
) -> Result<(), Problem> {
    let count = gl.integer(limit)?;
    if i64::from(number) < i64::from(count) {
        Ok(())
    } else {
        Err(Problem::Unsupported(format!(
            "the driver has {count} {description}"
        )))
    }
}

/// Feature of OpenGL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Feature {
    /// Version that includes it.
    pub(crate) core: Version,
    /// Extensions that add it to older versions, the most common one first.
    pub(crate) extensions: &'static [&'static str],
}

/// Version that no driver has: for features that only extensions add.
pub(crate) const NO_VERSION: Version = Version(u32::MAX, 0);

impl Feature {
    /// Returns true if the version or an extension of the driver provides the feature.
    pub(crate) fn is_supported(self, gl: &Gl) -> bool {
        self.missing_requirement(gl.version(), |extension| gl.has_extension(extension))
            .is_none()
    }

    /// Returns the reason that a driver lacks the feature: its most common extension, or the
    /// version of OpenGL if it has none. `None` if the driver has the feature.
    pub(crate) fn missing_requirement(
        self,
        version: Version,
        has: impl Fn(&str) -> bool,
    ) -> Option<String> {
        if version >= self.core || self.extensions.iter().any(|extension| has(extension)) {
            return None;
        }
        Some(match self.extensions.first() {
            Some(extension) => lacks_message(extension),
            None => lacks_message(&format!("OpenGL {}", self.core)),
        })
    }
}

/// Returns the reason to skip a script with an unmet requirement, such as an extension.
pub(crate) fn lacks_message(what: &str) -> String {
    format!("the driver lacks {what}")
}
