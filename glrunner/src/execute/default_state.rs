//! State for the whole script: defaults of scripts, and the state that programs are compiled for on
//! Vulkan. The state of draws, which most conventions belong to, is set with each draw.

use super::gl_features::select_texture_unit;
use super::program_info::ProgramInfo;
use super::state::{UntrackedState, set_point_origin};
use crate::error::Problem;
use crate::execute::gl_features::lacks_message;
use crate::gl::{self, Gl, Version};
use glasm::{AlphaTest, CompareFunction, PointOrigin, PointSize, PolygonStipple};
use glasm_scripts::script::{Convention, Requirements};

/// Capabilities that are initially off in OpenGL and always on in scripts.
///
/// Points are squares of their exact size, as points of Vulkan and point sprites are; cube maps are
/// filtered across their edges; colors that are written to sRGB attachments are encoded.
const ALWAYS_ENABLED: &[(u32, Version)] = &[
    (gl::POINT_SPRITE, Version(2, 0)),
    (gl::MULTISAMPLE, Version(1, 3)),
    (gl::TEXTURE_CUBE_MAP_SEAMLESS, Version(3, 2)),
    (gl::FRAMEBUFFER_SRGB, Version(3, 0)),
];

/// Distances that programs can write.
const CLIP_DISTANCES: u32 = 8;

/// Sets the conventions of scripts where OpenGL has another default: origin of points, capabilities
/// of [`ALWAYS_ENABLED`], no dithering, fog coordinates as the source of fog.
pub(super) fn set_script_conventions(gl: &Gl, convention: Convention) -> Result<(), Problem> {
    set_point_origin(gl, convention, PointOrigin::UpperLeft)?;
    for (capability, since) in ALWAYS_ENABLED {
        if gl.version() >= *since {
            gl.Enable(*capability)?;
        }
    }
    // The written colors depend on programs and blending only.
    gl.Disable(gl::DITHER)?;
    // Without a vertex program the fog coordinate is passed through.
    gl.Fogi(gl::FOG_COORD_SRC, gl::FOG_COORD.cast_signed())?;
    Ok(gl.check_errors("setting conventions")?)
}

/// Sets the fixed functions of rasterization and fragments that Vulkan lacks, such as flat colors,
/// alpha test and stipples of lines. Skips scripts if the driver cannot set the clamping of colors,
/// or lacks a unit.
fn set_fixed_state(gl: &Gl, fixed: &glasm::PipelineState) -> Result<(), Problem> {
    set_capability(gl, gl::VERTEX_PROGRAM_TWO_SIDE, fixed.two_sided_color)?;
    gl.ShadeModel(if fixed.flat_colors {
        gl::FLAT
    } else {
        gl::SMOOTH
    })?;
    set_clamping(gl, fixed)?;
    set_alpha_test(gl, &fixed.alpha_test)?;
    set_capability(gl, gl::LINE_STIPPLE, fixed.line_stipple.is_some())?;
    if let Some(lines) = &fixed.line_stipple {
        gl.LineStipple(lines.factor.into(), lines.pattern)?;
    }
    for set in (0..8).filter(|set| fixed.coord_replace_mask >> set & 1 != 0) {
        select_texture_unit(gl, set)?;
        gl.TexEnvi(gl::POINT_SPRITE, gl::COORD_REPLACE, gl::TRUE.into())?;
    }
    Ok(gl.check_errors("setting fixed-function state")?)
}

/// Enables the alpha test with its function and reference, or disables it if all fragments pass.
fn set_alpha_test(gl: &Gl, test: &AlphaTest) -> Result<(), Problem> {
    let is_on = test.function != CompareFunction::Always;
    set_capability(gl, gl::ALPHA_TEST, is_on)?;
    if is_on {
        // The constants are in the order of the enumeration.
        let function = gl::NEVER + test.function as u32;
        gl.AlphaFunc(function, f32::from_bits(test.reference))?;
    }
    Ok(())
}

/// Enables or disables the stipple of polygons. Skips scripts with stipples that count rows from
/// the top of the window.
fn set_polygon_stipple(gl: &Gl, stipple: Option<&PolygonStipple>) -> Result<(), Problem> {
    set_capability(gl, gl::POLYGON_STIPPLE, stipple.is_some())?;
    let Some(stipple) = stipple else {
        return Ok(());
    };
    if stipple.window_height != 0 {
        return Err(Problem::Unsupported(lacks_message(
            "stipples of polygons that count from the top",
        )));
    }
    gl.polygon_stipple(&stipple.rows)?;
    Ok(gl.check_errors("glPolygonStipple")?)
}

/// Sets clamping: colors are clamped where the script specifies it, and nowhere else: neither
/// between stages nor in attachments. Skips the script if the driver lacks the commands.
fn set_clamping(gl: &Gl, fixed: &glasm::PipelineState) -> Result<(), Problem> {
    let clamps = [
        (gl::CLAMP_VERTEX_COLOR, fixed.clamp_vertex_colors),
        (gl::CLAMP_FRAGMENT_COLOR, fixed.clamp_fragment_colors),
        (gl::CLAMP_READ_COLOR, false),
    ];
    for (target, clamps) in clamps {
        let value = if clamps { gl::TRUE } else { gl::FALSE };
        if gl.version() >= Version(3, 0) {
            gl.ClampColor(target, value.into())?;
        } else if gl.has_extension("GL_ARB_color_buffer_float") {
            gl.ClampColorARB(target, value.into())?;
        } else {
            return Err(Problem::Unsupported(lacks_message(
                "GL_ARB_color_buffer_float",
            )));
        }
    }
    Ok(())
}

/// Enables or disables a capability of OpenGL.
fn set_capability(gl: &Gl, capability: u32, on: bool) -> Result<(), Problem> {
    if on {
        gl.Enable(capability)?
    } else {
        gl.Disable(capability)?
    }
    Ok(())
}

/// Sets the state that a script requires for all its commands: size of points, stipples, and other
/// fixed functions. Skips scripts that need what OpenGL or the driver lacks.
pub(super) fn set_required_state(
    gl: &Gl,
    requirements: &Requirements,
    state: &mut UntrackedState,
) -> Result<(), Problem> {
    let fixed = &requirements.fixed;
    set_point_size(gl, fixed, state, None)?;
    set_polygon_stipple(gl, requirements.polygon_stipple.as_deref())?;
    set_fixed_state(gl, fixed)
}

/// Records the size of all points, and sets it in the driver if there is one. With `None`, the size
/// is that of the script's requirements, otherwise the one that programs write, otherwise that of
/// the state.
pub(super) fn set_point_size(
    gl: &Gl,
    fixed: &glasm::PipelineState,
    state: &mut UntrackedState,
    size: Option<f32>,
) -> Result<(), Problem> {
    state.point_size = size.or(fixed.forced_point_size.map(PointSize::pixels));
    if let Some(size) = state.point_size {
        gl.PointSize(size)?;
    }
    Ok(gl.check_errors("glPointSize")?)
}

/// Sets the state that depends on the last program before rasterization: whether it writes the size
/// of points, and the enabled clip planes and distances, which are recorded.
pub(super) fn set_rasterized_state(
    gl: &Gl,
    fixed: &glasm::PipelineState,
    state: &mut UntrackedState,
    last: &ProgramInfo,
) -> Result<(), Problem> {
    let by_program = state.point_size.is_none() && last.writes_point_size;
    set_capability(gl, gl::VERTEX_PROGRAM_POINT_SIZE, by_program)?;
    let planes = fixed.clip_plane_mask | last.clip_distances;
    for number in 0..CLIP_DISTANCES {
        let bit = 1 << number;
        if (planes ^ state.clip_planes) & bit != 0 {
            // The enumerants of clip distances are those of clip planes.
            set_capability(gl, gl::CLIP_PLANE0 + number, planes & bit != 0)?;
        }
    }
    state.clip_planes = planes;
    Ok(gl.check_errors("setting state for programs")?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::test_support::with_execution;
    use crate::gl::tests::open;

    fn on(gl: &Gl, capability: u32) -> bool {
        gl.is_enabled(capability).unwrap()
    }

    #[test]
    fn what_scripts_take_for_granted_is_on() {
        let Some(gl) = open() else { return };
        set_script_conventions(&gl, Convention::Vulkan).unwrap();
        let origin = gl.integer(gl::POINT_SPRITE_COORD_ORIGIN).unwrap();
        assert_eq!(origin.unsigned_abs(), gl::LOWER_LEFT);
        assert!(on(&gl, gl::POINT_SPRITE) && on(&gl, gl::FRAMEBUFFER_SRGB));
        assert!(!on(&gl, gl::DITHER) && !on(&gl, gl::LIGHTING));
    }

    #[test]
    fn nothing_is_clamped_unless_the_script_says_so() {
        let Some(gl) = open() else { return };
        let clamps = |gl: &Gl| {
            let names = [
                gl::CLAMP_VERTEX_COLOR,
                gl::CLAMP_FRAGMENT_COLOR,
                gl::CLAMP_READ_COLOR,
            ];
            names.map(|name| gl.integer(name).unwrap())
        };
        set_fixed_state(&gl, &glasm::PipelineState::default()).unwrap();
        assert_eq!(clamps(&gl), [0, 0, 0]);
        let fixed = glasm::PipelineState {
            clamp_fragment_colors: true,
            ..glasm::PipelineState::default()
        };
        set_fixed_state(&gl, &fixed).unwrap();
        assert_eq!(clamps(&gl), [0, 1, 0]);
    }

    #[test]
    fn two_sides_flat_colors_and_point_sprites() {
        let Some(gl) = open() else { return };
        let replaced = |gl: &Gl, unit: u32| {
            gl.ActiveTexture(gl::TEXTURE0 + unit).unwrap();
            let value = gl.get_texture_environment(gl::POINT_SPRITE, gl::COORD_REPLACE);
            value.unwrap()[0] == 1.0
        };
        set_fixed_state(&gl, &glasm::PipelineState::default()).unwrap();
        assert!(!on(&gl, gl::VERTEX_PROGRAM_TWO_SIDE));
        assert_eq!(
            gl.integer(gl::SHADE_MODEL).unwrap().unsigned_abs(),
            gl::SMOOTH
        );
        let fixed = glasm::PipelineState {
            two_sided_color: true,
            flat_colors: true,
            coord_replace_mask: 0b1010,
            ..glasm::PipelineState::default()
        };
        set_fixed_state(&gl, &fixed).unwrap();
        assert!(on(&gl, gl::VERTEX_PROGRAM_TWO_SIDE));
        assert_eq!(
            gl.integer(gl::SHADE_MODEL).unwrap().unsigned_abs(),
            gl::FLAT
        );
        let sets = [0, 1, 2, 3].map(|unit| replaced(&gl, unit));
        assert_eq!(sets, [false, true, false, true]);
    }

    #[test]
    fn programs_decide_about_clip_distances_and_point_sizes() {
        let text = "[require]\nGL >= 2.0\nfixed clip_plane 1\n[test]\n";
        with_execution(text, |gl, execution| {
            let writes = ProgramInfo {
                writes_point_size: true,
                clip_distances: 0b100,
                ..ProgramInfo::default()
            };
            let planes = |gl: &Gl| [0, 1, 2].map(|number| on(gl, gl::CLIP_PLANE0 + number));
            let (requirements, state) = (&execution.script.requirements, &mut execution.state);
            let fixed = &requirements.fixed;
            set_required_state(gl, requirements, state).unwrap();
            set_rasterized_state(gl, fixed, state, &writes).unwrap();
            assert_eq!(planes(gl), [false, true, true]);
            assert!(on(gl, gl::VERTEX_PROGRAM_POINT_SIZE));
            set_rasterized_state(gl, fixed, state, &ProgramInfo::default()).unwrap();
            assert_eq!(planes(gl), [false, true, false]);
            assert!(!on(gl, gl::VERTEX_PROGRAM_POINT_SIZE));
            // A fixed size takes precedence over the output of programs.
            set_point_size(gl, fixed, state, Some(3.0)).unwrap();
            set_rasterized_state(gl, fixed, state, &writes).unwrap();
            assert!(!on(gl, gl::VERTEX_PROGRAM_POINT_SIZE));
            assert_eq!(gl.floats(gl::POINT_SIZE).unwrap(), [3.0]);
        });
    }
}
