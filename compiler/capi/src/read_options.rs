//! Conversion of the options of the caller to those of the library.

use crate::call::Failure;
use crate::enums::{glasm_bool, read_number};
use crate::memory;
use crate::options::{
    GLASM_SUBGROUP_BALLOT, GLASM_SUBGROUP_QUAD, GLASM_SUBGROUP_SHUFFLE, GLASM_SUBGROUP_VOTE,
    glasm_capture, glasm_options, glasm_texture_wrap, read_bindings, read_conventions,
    read_fixed_state,
};
use crate::semantic::read_semantic;
use crate::state_forms::read_forms;
use crate::varyings::read_varyings;
use glasm::ir::TypeBase;
use glasm::{
    AlphaTest, Capture, DebugInfo, DepthMode, DeviceFeatures, FixedState, HandleLimits,
    InterfaceTypes, LineStipple, LodBias, Options, PatchLevels, PolygonStipple, Subgroups, Target,
    TexelFormat, TextureWrap, TransformFeedback,
};

/// Reads options of the caller; NULL denotes the default ones.
///
/// # Safety
/// `options` must be null, or as [`memory::read`] requires, and what it points to must be there
/// during the call.
pub(crate) unsafe fn read_options(options: *const glasm_options) -> Result<Options, Failure> {
    if options.is_null() {
        return Ok(Options::default());
    }
    // SAFETY: the caller of this function guarantees it.
    let given = unsafe { memory::read(options, "options") }?;
    // SAFETY: as above.
    let features = unsafe { read_features(&given) }?;
    // SAFETY: as above.
    let options = unsafe { read_lists(&given) }?;
    Ok(Options {
        target: read_number(given.target, "target")?,
        device: read_device(&given, features),
        bindings: read_bindings(&given)?,
        conventions: read_conventions(&given)?,
        fixed: build_fixed_state(&given)?,
        forms: read_forms(&given.forms)?,
        debug: DebugInfo {
            names: given.debug_names != 0,
            lines: given.debug_lines != 0,
        },
        handles: HandleLimits {
            textures: given.handle_textures.max(1),
            images: given.handle_images.max(1),
        },
        legacy_multiply: given.legacy_multiply != 0,
        fast_precision: given.fast_precision != 0,
        exact_denormals: given.exact_denormals != 0,
        ..options
    })
}

fn build_fixed_state(given: &glasm_options) -> Result<FixedState, Failure> {
    let size = |has: glasm_bool, size: f32| (has != 0).then_some(size.to_bits());
    let others = FixedState {
        point_size: size(given.has_point_size, given.point_size),
        unwritten_point_size: size(given.has_unwritten_point_size, given.unwritten_point_size),
        vertex_limit: (given.has_vertex_limit != 0).then_some(given.vertex_limit),
        patch_levels: PatchLevels::new(given.patch_outer_levels, given.patch_inner_levels),
        alpha_test: read_alpha_test(given)?,
        line_stipple: read_line_stipple(given)?,
        ..FixedState::default()
    };
    read_fixed_state(given, others)
}

/// Reads the device with the features that the caller names.
///
/// # Safety
/// The lists of names must be there during the call.
unsafe fn read_features(given: &glasm_options) -> Result<DeviceFeatures, Failure> {
    let is_all = given.features.is_null();
    let count = if is_all { 0 } else { given.feature_count };
    // SAFETY: the caller of this function guarantees it.
    let names = unsafe { memory::read_strings(given.features, count, "features") }?;
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
    let (list, count) = (given.lacking_features, given.lacking_feature_count);
    // SAFETY: as above.
    let names = unsafe { memory::read_strings(list, count, "lacking_features") }?;
    Ok(device.without(|name| names.iter().any(|known| known == name)))
}

fn read_device(given: &glasm_options, named: DeviceFeatures) -> DeviceFeatures {
    let has = |operation| given.subgroup_operations & operation != 0;
    let stages: [bool; 6] = std::array::from_fn(|stage| given.subgroup_stages >> stage & 1 != 0);
    let names = named.subgroups;
    DeviceFeatures {
        subgroups: Subgroups {
            size: given.subgroup_size,
            stages: std::array::from_fn(|stage| names.stages[stage] && stages[stage]),
            vote: names.vote && has(GLASM_SUBGROUP_VOTE),
            ballot: names.ballot && has(GLASM_SUBGROUP_BALLOT),
            shuffle: names.shuffle && has(GLASM_SUBGROUP_SHUFFLE),
            quad: names.quad && has(GLASM_SUBGROUP_QUAD),
        },
        geometry_components: given.geometry_components,
        ..named
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
            unsafe { memory::read_list(given.$list, given.$count, stringify!($list)) }?
                .iter()
                .map($each)
                .collect::<Result<Vec<_>, Failure>>()?
        };
    }
    let base = |number: &u32| read_number::<TypeBase>(*number, "type");
    Ok(Options {
        interface: InterfaceTypes {
            attributes: list!(attribute_types, attribute_type_count, base),
            colors: list!(color_types, color_type_count, base),
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
        signed_hilo: list!(signed_hilo, signed_hilo_count, |is| Ok(*is != 0)),
        image_formats: list!(image_formats, image_format_count, read_image_format),
        texture_wraps: list!(texture_wraps, texture_wrap_count, read_texture_wrap),
        lod_biases: list!(lod_biases, lod_bias_count, |bias| Ok(LodBias::from(*bias))),
        transform_feedback: TransformFeedback {
            captures: list!(captures, capture_count, read_capture),
            strides: list!(capture_strides, capture_stride_count, |stride| Ok(*stride)),
        },
        ..Options::default()
    })
}

fn read_image_format(number: &u32) -> Result<Option<TexelFormat>, Failure> {
    if *number == 0 {
        return Ok(None);
    }
    let mut all = TexelFormat::ALL.iter().map(|row| row.0);
    match all.find(|format| format.spirv_number() == *number) {
        Some(format) => Ok(Some(format)),
        None => Err(Failure::argument(format!(
            "`image_formats` has {number}: there is none"
        ))),
    }
}

fn read_texture_wrap(wrap: &glasm_texture_wrap) -> Result<TextureWrap, Failure> {
    let [s, t, r] = wrap.modes;
    Ok(TextureWrap {
        modes: [
            read_number(s, "modes")?,
            read_number(t, "modes")?,
            read_number(r, "modes")?,
        ],
        magnify: read_number(wrap.magnify, "magnify")?,
        minify: read_number(wrap.minify, "minify")?,
        levels: read_number(wrap.levels, "levels")?,
    })
}

fn read_capture(capture: &glasm_capture) -> Result<Capture, Failure> {
    if capture.count == 0 || capture.first >= 4 || capture.count > 4 - capture.first {
        return Err(Failure::argument("`captures` has components beyond four"));
    }
    Ok(Capture {
        semantic: read_semantic(capture.result)?,
        first: capture.first as u8,
        count: capture.count as u8,
        buffer: capture.buffer,
        offset: capture.offset,
        stream: capture.stream,
    })
}

pub(crate) fn read_alpha_test(given: &glasm_options) -> Result<AlphaTest, Failure> {
    let function = read_number(given.alpha_function, "alpha_function")?;
    Ok(AlphaTest::new(function, given.alpha_reference))
}

pub(crate) fn read_line_stipple(given: &glasm_options) -> Result<Option<LineStipple>, Failure> {
    if given.has_line_stipple == 0 {
        return Ok(None);
    }
    let pattern = u16::try_from(given.line_stipple_pattern)
        .map_err(|_| Failure::argument("`line_stipple_pattern` has more than 16 bits"))?;
    let factor = u16::try_from(given.line_stipple_factor).ok();
    let factor = factor
        .filter(|factor| (1..=256).contains(factor))
        .ok_or_else(|| Failure::argument("`line_stipple_factor` is not 1 to 256"))?;
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
    let rows = unsafe { memory::read_list(given.polygon_stipple, rows, "polygon_stipple") }?;
    stipple.rows.copy_from_slice(rows);
    Ok(Some(Box::new(stipple)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::glasm_result;
    use crate::memory::FromC;
    use crate::options::glasm_options_use_opengl_environment;
    use std::ptr;

    fn read(options: &glasm_options) -> Result<Options, Failure> {
        // SAFETY: the structure is whole, and so are the lists of the tests.
        unsafe { read_options(options) }
    }

    #[test]
    fn what_is_initial_is_default() {
        assert_eq!(read(&glasm_options::initial()).unwrap(), Options::default());
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
            ..glasm::opengl::device_features(330, has)
        };
        let expected = glasm::opengl::options(device, 84, 16);
        assert_eq!(read(&options).unwrap(), expected);
        assert!(expected.device.int64 && !expected.device.float64);
        options.features = ptr::null();
        assert!(read(&options).unwrap().device.float64);
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
            lacking_features: names.as_ptr(),
            lacking_feature_count: 1,
            ..glasm_options::initial()
        };
        let device = read(&lacking).unwrap().device;
        assert!(!device.int64 && device.float64);
        assert_eq!(device.subgroups, Subgroups::default());
    }

    #[test]
    fn lists_are_read() {
        let wraps = [glasm_texture_wrap {
            modes: [1, 0, 9],
            magnify: 0,
            minify: 0,
            levels: 0,
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
