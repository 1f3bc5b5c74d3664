//! Groups of state: when the contents of a parameter block are stale.

use crate::ffi_args::require;
use crate::ffi_guard::catch_or;
use crate::shader::glasm_shader;
use crate::state::glasm_state;
use glasm::state::StateGroups;

/// Modelview matrices.
pub const GLASM_STATE_GROUP_MODELVIEW: u32 = 0x0000_0001;
/// The projection matrix.
pub const GLASM_STATE_GROUP_PROJECTION: u32 = 0x0000_0002;
/// Texture matrices.
pub const GLASM_STATE_GROUP_TEXTURE_MATRICES: u32 = 0x0000_0004;
/// The matrix palette.
pub const GLASM_STATE_GROUP_MATRIX_PALETTE: u32 = 0x0000_0008;
/// Program matrices.
pub const GLASM_STATE_GROUP_PROGRAM_MATRICES: u32 = 0x0000_0010;
/// Rows that parameters of vertex programs have because they track a matrix.
pub const GLASM_STATE_GROUP_TRACKED_MATRICES: u32 = 0x0000_0020;
/// Materials.
pub const GLASM_STATE_GROUP_MATERIALS: u32 = 0x0000_0040;
/// Lights.
pub const GLASM_STATE_GROUP_LIGHTS: u32 = 0x0000_0080;
/// The ambient color of the light model.
pub const GLASM_STATE_GROUP_LIGHT_MODEL: u32 = 0x0000_0100;
/// Planes of texture coordinate generation.
pub const GLASM_STATE_GROUP_TEXGEN: u32 = 0x0000_0200;
/// Colors of texture environments.
pub const GLASM_STATE_GROUP_TEXENV: u32 = 0x0000_0400;
/// Fog.
pub const GLASM_STATE_GROUP_FOG: u32 = 0x0000_0800;
/// Clip planes.
pub const GLASM_STATE_GROUP_CLIP_PLANES: u32 = 0x0000_1000;
/// Sizes and attenuation of points.
pub const GLASM_STATE_GROUP_POINTS: u32 = 0x0000_2000;
/// The depth range, and whether depths are clamped to it.
pub const GLASM_STATE_GROUP_DEPTH_RANGE: u32 = 0x0000_4000;
/// The viewport.
pub const GLASM_STATE_GROUP_VIEWPORT: u32 = 0x0000_8000;
/// The height of the window, and where its row 0 is.
pub const GLASM_STATE_GROUP_WINDOW: u32 = 0x0001_0000;
/// Samples of the framebuffer.
pub const GLASM_STATE_GROUP_MULTISAMPLE: u32 = 0x0002_0000;
/// Thread groups of the device.
pub const GLASM_STATE_GROUP_THREADS: u32 = 0x0004_0000;
/// program.env: `env` of glasm_parameter_values.
pub const GLASM_STATE_GROUP_ENV: u32 = 0x0008_0000;
/// program.local: `local` of glasm_parameter_values.
pub const GLASM_STATE_GROUP_LOCAL: u32 = 0x0010_0000;
/// Named parameters: `named` of glasm_parameter_values.
pub const GLASM_STATE_GROUP_NAMED: u32 = 0x0020_0000;
/// Numbers of subroutines: `subroutine_indices` of glasm_parameter_values.
pub const GLASM_STATE_GROUP_SUBROUTINES: u32 = 0x0040_0000;
/// The argument of a vertex state program: `state_program_argument` of glasm_parameter_values.
pub const GLASM_STATE_GROUP_ARGUMENT: u32 = 0x0080_0000;

/// Returns the groups of state that the parameter block of a shader reads, a mask of
/// GLASM_STATE_GROUP_*: its contents change only if one of them changes. A block of constants reads
/// none, and is filled once. Groups from GLASM_STATE_GROUP_ENV on are values of the caller. 0 for NULL.
///
/// `shader` stays the caller's.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_shader_state_groups(shader: Option<&glasm_shader>) -> u32 {
    catch_or(0, || {
        let shader = require(shader, "shader")?.shader();
        Ok(shader.state_groups().bits())
    })
}

/// Returns the groups of a state that have changed since a revision, a mask of GLASM_STATE_GROUP_*,
/// and sets the revision to the current one. A parameter block that reads none of them remains
/// valid. Each block has a revision, at first 0, with which all groups are returned; otherwise none
/// from GLASM_STATE_GROUP_ENV on, which are values of the caller. 0 for NULL.
///
/// `state` stays the caller's, and so does `revision`, which the caller has set.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_state_take_changes(
    state: Option<&mut glasm_state>,
    revision: Option<&mut u64>,
) -> u32 {
    catch_or(0, || {
        let revision = require(revision, "revision")?;
        Ok(require(state, "state")?.take_changes(revision).bits())
    })
}

const _: () = assert!(
    GLASM_STATE_GROUP_MODELVIEW == StateGroups::MODELVIEW.bits()
        && GLASM_STATE_GROUP_PROJECTION == StateGroups::PROJECTION.bits()
        && GLASM_STATE_GROUP_TEXTURE_MATRICES == StateGroups::TEXTURE_MATRICES.bits()
        && GLASM_STATE_GROUP_MATRIX_PALETTE == StateGroups::MATRIX_PALETTE.bits()
        && GLASM_STATE_GROUP_PROGRAM_MATRICES == StateGroups::PROGRAM_MATRICES.bits()
        && GLASM_STATE_GROUP_TRACKED_MATRICES == StateGroups::TRACKED_MATRICES.bits()
        && GLASM_STATE_GROUP_MATERIALS == StateGroups::MATERIALS.bits()
        && GLASM_STATE_GROUP_LIGHTS == StateGroups::LIGHTS.bits()
        && GLASM_STATE_GROUP_LIGHT_MODEL == StateGroups::LIGHT_MODEL.bits()
        && GLASM_STATE_GROUP_TEXGEN == StateGroups::TEXGEN.bits()
        && GLASM_STATE_GROUP_TEXENV == StateGroups::TEXENV.bits()
        && GLASM_STATE_GROUP_FOG == StateGroups::FOG.bits()
);
const _: () = assert!(
    GLASM_STATE_GROUP_CLIP_PLANES == StateGroups::CLIP_PLANES.bits()
        && GLASM_STATE_GROUP_POINTS == StateGroups::POINTS.bits()
        && GLASM_STATE_GROUP_DEPTH_RANGE == StateGroups::DEPTH_RANGE.bits()
        && GLASM_STATE_GROUP_VIEWPORT == StateGroups::VIEWPORT.bits()
        && GLASM_STATE_GROUP_WINDOW == StateGroups::WINDOW.bits()
        && GLASM_STATE_GROUP_MULTISAMPLE == StateGroups::MULTISAMPLE.bits()
        && GLASM_STATE_GROUP_THREADS == StateGroups::THREADS.bits()
        && GLASM_STATE_GROUP_ENV == StateGroups::ENV.bits()
        && GLASM_STATE_GROUP_LOCAL == StateGroups::LOCAL.bits()
        && GLASM_STATE_GROUP_NAMED == StateGroups::NAMED.bits()
        && GLASM_STATE_GROUP_SUBROUTINES == StateGroups::SUBROUTINES.bits()
        && GLASM_STATE_GROUP_ARGUMENT == StateGroups::ARGUMENT.bits()
);
