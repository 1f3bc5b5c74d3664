//! Conversion of the options of the caller to those of the library.

use crate::enums::{glasm_bool, read_number};
use crate::ffi_args;
use crate::ffi_guard::Failure;
use crate::options::{
    GLASM_SUBGROUP_BALLOT, GLASM_SUBGROUP_QUAD, GLASM_SUBGROUP_SHUFFLE, GLASM_SUBGROUP_VOTE,
    glasm_options, glasm_texture_wrap, glasm_xfb_capture, read_bindings, read_conventions,
    read_fixed_state,
};
use crate::semantic::read_semantic;
use crate::state_forms::read_state_sources;
use crate::varyings::read_varyings;
use glasm::ir::BaseType;
use glasm::is_feature;
use glasm::{
    AlphaTest, Capture, DebugInfo, DefaultTessLevels, DepthMode, DeviceFeatures, HandleLimits,
    InterfaceTypes, LineStipple, LodBias, Options, PipelineState, PointSize, PolygonStipple,
    Subgroups, Target, TexelFormat, TextureWrap, TransformFeedback,
};
use std::borrow::Cow;

/// Reads options of the caller; NULL denotes the default ones.
///
/// # Safety
/// `options` must be null, or as [`ffi_args::read_struct`] requires, and what it points to must be there
/// during the call.
pub(crate) unsafe fn read_options(options: *const glasm_options) -> Result<Options, Failure> {
    if options.is_null() {
        return Ok(Options::default());
    }
    // SAFETY: the caller of this function guarantees it.
    let given = unsafe { ffi_args::read_struct(options, "options") }?;
    check_initialized(&given)?;
    // SAFETY: as above.
    let features = unsafe { read_device_features(&given) }?;
    // SAFETY: as above.
    let options = unsafe { read_lists(&given) }?;
    Ok(Options {
        target: read_number(given.target, "target")?,
        device: apply_subgroup_options(&given, features),
        bindings: read_bindings(&given)?,
        conventions: read_conventions(&given)?,
        pipeline_state: build_fixed_state(&given)?,
        state_sources: read_state_sources(&given.state_sources)?,
        debug: DebugInfo {
            names: given.debug_names != 0,
            lines: given.debug_lines != 0,
        },
        handles: HandleLimits {
            textures: given.handle_texture_count,
            images: given.handle_image_count,
        },
        zero_wins_multiply: given.zero_wins_multiply != 0,
        skip_precision_rounding: given.skip_precision_rounding != 0,
        emulate_denormal_flush: given.emulate_denormal_flush != 0,
        ..options
    })
}

/// Fails for options that have only their size: zeros are no defaults, `alpha_function` 0 for
/// example is GL_NEVER.
fn check_initialized(given: &glasm_options) -> Result<(), Failure> {
    let at_least_one = [
        ("handle_texture_count", given.handle_texture_count),
        ("handle_image_count", given.handle_image_count),
        ("subgroup_size", given.subgroup_size),
    ];
    match at_least_one.into_iter().find(|(_, value)| *value == 0) {
        None => Ok(()),
        Some((member, _)) => Err(Failure::invalid_argument(format!(
            "`{member}` is 0, but must be at least 1: glasm_options_init sets the initial values"
        ))),
    }
}

/// Reads the members for fixed-function state: point sizes, tessellation levels, alpha test, line
/// stipple and those of [`read_fixed_state`]. Fails for values out of range.
fn build_fixed_state(given: &glasm_options) -> Result<PipelineState, Failure> {
    let base = PipelineState {
        forced_point_size: read_point_size(
            given.has_forced_point_size,
            given.forced_point_size,
            "forced_point_size",
        )?,
        default_point_size: read_point_size(
            given.has_default_point_size,
            given.default_point_size,
            "default_point_size",
        )?,
        max_output_vertices: (given.has_max_output_vertices != 0)
            .then_some(given.max_output_vertices),
        default_tess_levels: DefaultTessLevels::new(
            given.default_outer_tess_levels,
            given.default_inner_tess_levels,
        ),
        alpha_test: read_alpha_test(given)?,
        line_stipple: read_line_stipple(given)?,
        ..PipelineState::default()
    };
    read_fixed_state(given, base)
}

/// Reads a size of points, if there is one; fails unless it is above 0, as GL requires of
/// glPointSize.
fn read_point_size(has: glasm_bool, size: f32, member: &str) -> Result<Option<PointSize>, Failure> {
    if has == 0 {
        return Ok(None);
    }
    if size > 0.0 && size.is_finite() {
        return Ok(Some(size.into()));
    }
    Err(Failure::invalid_argument(format!(
        "`{member}` is {size}, but must be above 0"
    )))
}

/// Reads the device with the features that the caller names.
///
/// # Safety
/// The lists of names must be there during the call.
unsafe fn read_device_features(given: &glasm_options) -> Result<DeviceFeatures, Failure> {
    let (list, count) = (given.features, given.feature_count);
    let is_all = list.is_null() && count == 0;
    // SAFETY: the caller of this function guarantees it.
    let names = unsafe { ffi_args::read_strings(list, count, "features") }?;
    // OpenGL has names of extensions, of which drivers list many that no module depends on.
    let is_opengl = read_number::<Target>(given.target, "target")? == Target::OpenGl4_5;
    if !is_opengl {
        check_names(&names, "features", is_feature)?;
    }
    let has = |name: &str| names.iter().any(|known| known == name);
    let device = match read_number::<Target>(given.target, "target")? {
        Target::OpenGl4_5 => {
            DeviceFeatures::of_opengl(given.opengl_version, |name| is_all || has(name))
        }
        Target::Vulkan1_1 | Target::Vulkan1_2 | Target::Vulkan1_3 if is_all => {
            DeviceFeatures::default()
        }
        Target::Vulkan1_1 | Target::Vulkan1_2 | Target::Vulkan1_3 => {
            DeviceFeatures::default().with(has)
        }
    };
    let (list, count) = (given.disabled_features, given.disabled_feature_count);
    // SAFETY: as above.
    let names = unsafe { ffi_args::read_strings(list, count, "disabled_features") }?;
    let known = DeviceFeatures::names();
    check_names(&names, "disabled_features", |name| known.contains(&name))?;
    Ok(device.without(|name| names.iter().any(|known| known == name)))
}

/// Fails for a name that is not of a feature.
fn check_names(
    names: &[Cow<'_, str>],
    list: &str,
    is_known: impl Fn(&str) -> bool,
) -> Result<(), Failure> {
    match names.iter().position(|name| !is_known(name)) {
        None => Ok(()),
        Some(index) => Err(Failure::invalid_argument(format!(
            "`{list}[{index}]` is \"{}\", which is no name of glasm_feature_names",
            names[index]
        ))),
    }
}

/// Returns `features` with the subgroup size of the caller; stages and operations are supported
/// only if both the device and the masks of the caller have them.
fn apply_subgroup_options(given: &glasm_options, features: DeviceFeatures) -> DeviceFeatures {
    let has = |operation| given.subgroup_operation_mask & operation != 0;
    let stages: [bool; 6] =
        std::array::from_fn(|stage| given.subgroup_stage_mask >> stage & 1 != 0);
    let named_subgroups = features.subgroups;
    DeviceFeatures {
        subgroups: Subgroups {
            size: given.subgroup_size,
            stages: std::array::from_fn(|stage| named_subgroups.stages[stage] && stages[stage]),
            vote: named_subgroups.vote && has(GLASM_SUBGROUP_VOTE),
            ballot: named_subgroups.ballot && has(GLASM_SUBGROUP_BALLOT),
            shuffle: named_subgroups.shuffle && has(GLASM_SUBGROUP_SHUFFLE),
            quad: named_subgroups.quad && has(GLASM_SUBGROUP_QUAD),
        },
        max_geometry_total_output_components: given.max_geometry_total_output_components,
        ..features
    }
}

/// Reads the lists of the options; all other options are default.
///
/// # Safety
/// The lists must be there during the call.
unsafe fn read_lists(given: &glasm_options) -> Result<Options, Failure> {
    macro_rules! list {
        ($list:ident, $count:ident, $each:expr) => {
            // SAFETY: the caller of this function guarantees it.
            unsafe { ffi_args::read_list(given.$list, given.$count, stringify!($list)) }?
                .iter()
                .map($each)
                .collect::<Result<Vec<_>, Failure>>()?
        };
    }
    let base = |number: &u32| read_number::<BaseType>(*number, "type");
    Ok(Options {
        interface: InterfaceTypes {
            attributes: list!(attribute_types, attribute_type_count, base),
            colors: list!(color_attachment_types, color_attachment_type_count, base),
            // SAFETY: the caller of this function guarantees it.
            inputs: unsafe { read_varyings(&given.input_varyings, "input_varyings") }?,
            // SAFETY: as above.
            outputs: unsafe { read_varyings(&given.output_varyings, "output_varyings") }?,
        },
        // SAFETY: as above.
        polygon_stipple: unsafe { read_polygon_stipple(given) }?,
        depth_modes: list!(depth_modes, depth_mode_count, |mode| {
            read_number::<DepthMode>(*mode, "depth_modes")
        }),
        signed_hilo_textures: list!(signed_hilo_textures, signed_hilo_texture_count, |is| Ok(
            *is != 0
        )),
        image_formats: list!(image_formats, image_format_count, read_image_format),
        texture_wraps: list!(texture_wraps, texture_wrap_count, read_texture_wrap),
        lod_biases: list!(lod_biases, lod_bias_count, |bias| Ok(LodBias::from(*bias))),
        transform_feedback: TransformFeedback {
            captures: list!(xfb_captures, xfb_capture_count, read_capture),
            strides: list!(xfb_strides, xfb_stride_count, |stride| Ok(*stride)),
        },
        ..Options::default()
    })
}

/// Reads a format of `image_formats` by its number in SPIR-V; 0 denotes none and returns `None`.
/// Fails for unknown numbers.
fn read_image_format(number: &u32) -> Result<Option<TexelFormat>, Failure> {
    if *number == 0 {
        return Ok(None);
    }
    let mut all = TexelFormat::ALL.iter().map(|row| row.0);
    match all.find(|format| format.spirv_number() == *number) {
        Some(format) => Ok(Some(format)),
        None => Err(Failure::invalid_argument(format!(
            "invalid value {number} in `image_formats`"
        ))),
    }
}

/// Reads the wrap modes and filters of a texture; fails for unknown numbers.
fn read_texture_wrap(wrap: &glasm_texture_wrap) -> Result<TextureWrap, Failure> {
    let [s, t, r] = wrap.wrap_modes;
    Ok(TextureWrap {
        wrap_modes: [
            read_number(s, "wrap_modes")?,
            read_number(t, "wrap_modes")?,
            read_number(r, "wrap_modes")?,
        ],
        mag_filter: read_number(wrap.mag_filter, "mag_filter")?,
        min_filter: read_number(wrap.min_filter, "min_filter")?,
        mip_filter: read_number(wrap.mip_filter, "mip_filter")?,
    })
}

/// Reads a capture of transform feedback. Fails if its components are not 1 to 4 consecutive ones
/// of x, y, z and w, or if its semantic is unknown.
fn read_capture(capture: &glasm_xfb_capture) -> Result<Capture, Failure> {
    if capture.component_count == 0
        || capture.first_component >= 4
        || capture.component_count > 4 - capture.first_component
    {
        return Err(Failure::invalid_argument(
            "`xfb_captures` has components beyond four",
        ));
    }
    Ok(Capture {
        semantic: read_semantic(capture.semantic)?,
        first_component: capture.first_component as u8,
        component_count: capture.component_count as u8,
        buffer: capture.buffer,
        offset: capture.offset,
        stream: capture.stream,
    })
}

/// Reads the alpha test; fails if its function is unknown.
pub(crate) fn read_alpha_test(given: &glasm_options) -> Result<AlphaTest, Failure> {
    let function = read_number(given.alpha_function, "alpha_function")?;
    Ok(AlphaTest::new(function, given.alpha_reference))
}

/// Reads the line stipple; `None` if it is disabled. Fails if the pattern exceeds 16 bits or the
/// factor is not 1 to 256.
pub(crate) fn read_line_stipple(given: &glasm_options) -> Result<Option<LineStipple>, Failure> {
    if given.has_line_stipple == 0 {
        return Ok(None);
    }
    let pattern = u16::try_from(given.line_stipple_pattern)
        .map_err(|_| Failure::invalid_argument("`line_stipple_pattern` has more than 16 bits"))?;
    let factor = u16::try_from(given.line_stipple_factor).ok();
    let factor = factor
        .filter(|factor| (1..=256).contains(factor))
        .ok_or_else(|| Failure::invalid_argument("`line_stipple_factor` is not 1 to 256"))?;
    let viewport = given.line_stipple_viewport;
    Ok(Some(LineStipple::new(factor, pattern, viewport)))
}

/// Reads the polygon stipple.
///
/// # Safety
/// The rows must be there during the call.
pub(crate) unsafe fn read_polygon_stipple(
    given: &glasm_options,
) -> Result<Option<Box<PolygonStipple>>, Failure> {
    if given.polygon_stipple.is_null() {
        return Ok(None);
    }
    let mut stipple = PolygonStipple {
        window_height: given.polygon_stipple_height,
        ..PolygonStipple::default()
    };
    let rows = stipple.rows.len();
    // SAFETY: the caller of this function guarantees it.
    let rows = unsafe { ffi_args::read_list(given.polygon_stipple, rows, "polygon_stipple") }?;
    stipple.rows.copy_from_slice(rows);
    Ok(Some(Box::new(stipple)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ffi_args::CallerStruct;
    use crate::ffi_guard::glasm_result;
    use crate::options::{
        glasm_feature_names, glasm_options_use_gl_initial_state,
        glasm_options_use_opengl_environment,
    };
    use std::ptr;

    fn read(options: &glasm_options) -> Result<Options, Failure> {
        // SAFETY: the structure is whole, and so are the lists of the tests.
        unsafe { read_options(options) }
    }

    #[test]
    fn what_is_initial_is_default() {
        assert_eq!(read(&glasm_options::initial()).unwrap(), Options::default());
    }

    fn message(failed: Result<Options, Failure>) -> String {
        failed.unwrap_err().message().to_owned()
    }

    /// Zeros would be other values than the initial ones: the alpha test would be GL_NEVER.
    #[test]
    fn structures_with_only_a_size_are_refused() {
        assert!(message(read(&glasm_options::zeroed())).contains("glasm_options_init"));
        for member in 0..3 {
            let mut options = glasm_options::initial();
            let (place, name) = match member {
                0 => (&mut options.handle_texture_count, "`handle_texture_count`"),
                1 => (&mut options.handle_image_count, "`handle_image_count`"),
                _ => (&mut options.subgroup_size, "`subgroup_size`"),
            };
            *place = 0;
            assert!(message(read(&options)).contains(name));
        }
    }

    #[test]
    fn misspelled_features_are_refused() {
        let names = [c"shaderInt64".as_ptr(), c"shaderInt63".as_ptr()];
        for count in [1, 2] {
            let given = glasm_options {
                features: names.as_ptr(),
                feature_count: count,
                ..glasm_options::initial()
            };
            let disabled = glasm_options {
                disabled_features: names.as_ptr(),
                disabled_feature_count: count,
                ..glasm_options::initial()
            };
            for (options, list) in [(given, "features"), (disabled, "disabled_features")] {
                let read = read(&options);
                assert_eq!(read.is_ok(), count == 1);
                if count == 2 {
                    let expected = format!("`{list}[1]` is \"shaderInt63\"");
                    assert!(message(read).starts_with(&expected));
                }
            }
        }
        // Drivers of OpenGL list extensions on which nothing depends.
        let names = [c"GL_ARB_blend_func_extended".as_ptr()];
        let options = glasm_options {
            target: crate::enums::glasm_target::Opengl_4_5 as u32,
            features: names.as_ptr(),
            feature_count: 1,
            ..glasm_options::initial()
        };
        assert!(read(&options).is_ok());
    }

    #[test]
    fn all_listed_features_are_known() {
        let mut count = std::mem::MaybeUninit::uninit();
        let names = glasm_feature_names(Some(&mut count));
        // SAFETY: the function has written it.
        let count = unsafe { count.assume_init() };
        let options = glasm_options {
            features: names,
            feature_count: count,
            disabled_features: names,
            disabled_feature_count: count,
            ..glasm_options::initial()
        };
        let device = read(&options).unwrap().device;
        assert!(!device.int64 && !device.clip_distance && !device.stencil_export);
        assert_eq!(count, glasm::vulkan_feature_names().len());
    }

    /// GL 2.1 tables 6.12 and 6.21, GL 4.0 table 6.12: the state that differs from the defaults.
    #[test]
    fn the_initial_state_of_gl_is_that_of_the_library() {
        let mut options = glasm_options {
            alpha_function: 0,
            flat_colors: 1,
            has_line_stipple: 1,
            ..glasm_options::initial()
        };
        // SAFETY: the structure is whole.
        let result = unsafe { glasm_options_use_gl_initial_state(&raw mut options) };
        assert_eq!(result, glasm_result::Ok);
        let state = read(&options).unwrap().pipeline_state;
        let expected = PipelineState {
            clamp_vertex_colors: true,
            forced_point_size: Some(1.0.into()),
            default_point_size: Some(1.0.into()),
            patch_vertices: 3,
            ..PipelineState::default()
        };
        assert_eq!(state, expected);
        assert_eq!(state, PipelineState::gl_initial());
    }

    #[test]
    fn options_for_opengl_are_those_of_the_library() {
        let mut options = glasm_options::initial();
        // SAFETY: the structure is whole.
        let result = unsafe { glasm_options_use_opengl_environment(&raw mut options, 84, 16) };
        assert_eq!(result, glasm_result::Ok);
        let names = [c"GL_ARB_gpu_shader_int64".as_ptr()];
        options.features = names.as_ptr();
        options.feature_count = 1;
        options.opengl_version = 330;
        let has = |name: &str| name == "GL_ARB_gpu_shader_int64";
        let device = DeviceFeatures {
            subgroups: Subgroups {
                size: options.subgroup_size,
                ..Subgroups::NONE
            },
            ..glasm::opengl::find_device_features(330, has)
        };
        let expected = glasm::opengl::build_options(device, 84, 16);
        assert_eq!(read(&options).unwrap(), expected);
        assert!(expected.device.int64 && !expected.device.float64);
        options.features = ptr::null();
        assert!(read(&options).is_err());
        options.feature_count = 0;
        assert!(read(&options).unwrap().device.float64);
    }

    #[test]
    fn sizes_of_points_are_positive() {
        let read_size = |size| {
            read(&glasm_options {
                has_default_point_size: 1,
                default_point_size: size,
                ..glasm_options::initial()
            })
        };
        let state = read_size(2.5).unwrap().pipeline_state;
        assert_eq!(state.default_point_size, Some(2.5.into()));
        for size in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert!(read_size(size).is_err(), "{size}");
        }
    }

    #[test]
    fn features_are_named() {
        let names = [c"shaderInt64".as_ptr()];
        let only = glasm_options {
            features: names.as_ptr(),
            feature_count: 1,
            ..glasm_options::initial()
        };
        let device = read(&only).unwrap().device;
        assert!(device.int64 && !device.float64 && device.signed_atomics);
        let lacking = glasm_options {
            disabled_features: names.as_ptr(),
            disabled_feature_count: 1,
            ..glasm_options::initial()
        };
        let device = read(&lacking).unwrap().device;
        assert!(!device.int64 && device.float64);
        assert_eq!(device.subgroups, Subgroups::default());
    }

    #[test]
    fn lists_are_read() {
        let wraps = [glasm_texture_wrap {
            wrap_modes: [1, 0, 9],
            mag_filter: 0,
            min_filter: 0,
            mip_filter: 0,
        }];
        let options = glasm_options {
            texture_wraps: wraps.as_ptr(),
            texture_wrap_count: 1,
            ..glasm_options::initial()
        };
        assert!(read(&options).is_err());
        let formats = [0, 1];
        let options = glasm_options {
            image_formats: formats.as_ptr(),
            image_format_count: 2,
            ..glasm_options::initial()
        };
        let formats = read(&options).unwrap().image_formats;
        assert_eq!(formats, [None, Some(TexelFormat::Rgba32f)]);
        let missing = glasm_options {
            lod_bias_count: 1,
            ..glasm_options::initial()
        };
        assert!(read(&missing).is_err());
    }
}
