//! Options that own all that they point to: copies, and options reduced to those that a program
//! depends on. Comparison and hashing of options.

use crate::enums::{CNumber, glasm_bool};
use crate::ffi_args::{self, CallerStruct, require, require_out_handle};
use crate::ffi_guard::{Failure, catch_or, catch_to_result, glasm_result};
use crate::options::{glasm_options, glasm_texture_wrap, glasm_xfb_capture, set_pipeline_state};
use crate::options_from_c::read_options;
use crate::program::glasm_program;
use crate::state_forms::glasm_state_sources;
use crate::varyings::{glasm_varying_layout, glasm_varying_location, glasm_varyings};
use glasm::{Options, Varyings};
use std::ffi::CString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::MaybeUninit;
use std::ptr;

/// Options, with what their pointers point to. The caller gets a pointer to the options, its first
/// member.
#[derive(Debug)]
#[repr(C)]
struct OwnedOptions {
    options: glasm_options,
    _lists: OwnedLists,
}

/// The lists of options.
#[derive(Debug, Default)]
struct OwnedLists {
    strings: Vec<CString>,
    features: Vec<*const std::ffi::c_char>,
    disabled_features: Vec<*const std::ffi::c_char>,
    attributes: Vec<u32>,
    colors: Vec<u32>,
    depth_modes: Vec<u32>,
    hilo: Vec<glasm_bool>,
    image_formats: Vec<u32>,
    wraps: Vec<glasm_texture_wrap>,
    biases: Vec<f32>,
    captures: Vec<glasm_xfb_capture>,
    strides: Vec<u32>,
    inputs: Vec<glasm_varying_location>,
    outputs: Vec<glasm_varying_location>,
    stipple: Vec<u32>,
}

/// Copies options with all that they point to: the lists of the copy do not depend on those of
/// `options`, which may change.
///
/// `options` stays the caller's; NULL denotes the default options. `copy` is set to options that
/// the caller owns, may change, and frees with `glasm_options_free`; or to NULL if an argument is
/// wrong.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_options_clone(
    options: *const glasm_options,
    copy: Option<&mut MaybeUninit<*mut glasm_options>>,
) -> glasm_result {
    catch_to_result(|| {
        let copy = require_out_handle(copy, "copy")?;
        // SAFETY: the caller answers for the structure and all that it points to.
        unsafe { write_options(options, Options::clone, copy) }
    })
}

/// Computes the options on which the module of a program depends: state of other stages, of inputs,
/// outputs and textures that the program does not have, and values that its module reads at run
/// time have their initial values. Options with equal results give equal modules, and state without
/// effect on the module does not change the result. Target, features, bindings, debug information,
/// arithmetic and captures of transform feedback are unchanged.
///
/// The result is for this program alone: it is a key, and compiling the program with it gives the
/// same module as with `options`. Link pipelines with `options` themselves, as the result lacks the
/// state of all other stages; the keys of its programs together are the key of the pipeline.
///
/// `options` and `program` stay the caller's; `options` may be NULL: the default ones. `reduced` is
/// set to options that the caller owns and frees with `glasm_options_free`, or to NULL if an
/// argument is wrong.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_options_for_program(
    options: *const glasm_options,
    program: Option<&glasm_program>,
    reduced: Option<&mut MaybeUninit<*mut glasm_options>>,
) -> glasm_result {
    catch_to_result(|| {
        let reduced = require_out_handle(reduced, "reduced")?;
        let program = require(program, "program")?.program();
        // SAFETY: the caller answers for the structure and all that it points to.
        unsafe { write_options(options, |read| read.for_program(program), reduced) }
    })
}

/// Frees options that a function created, such as `glasm_options_clone`, with all that the function
/// made them point to. Lists that the caller has put there remain the caller's.
///
/// Takes `options` away from the caller; NULL is allowed. Structures that the caller has allocated
/// must not be passed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_options_free(options: *mut glasm_options) {
    catch_or((), || {
        if !options.is_null() {
            // SAFETY: it is the first member of options that `write_options` has boxed, and the
            // caller frees them once.
            drop(unsafe { Box::from_raw(options.cast::<OwnedOptions>()) });
        }
        Ok(())
    });
}

/// Reads options of the caller, changes them, and writes a pointer to the result to `out`.
///
/// # Safety
/// As [`read_options`].
unsafe fn write_options(
    options: *const glasm_options,
    change: impl FnOnce(&Options) -> Options,
    out: &mut MaybeUninit<*mut glasm_options>,
) -> Result<(), Failure> {
    // SAFETY: the caller of this function guarantees it.
    let read = unsafe { read_options(options) }?;
    let given = if options.is_null() {
        glasm_options::initial()
    } else {
        // SAFETY: as above.
        unsafe { ffi_args::read_struct(options, "options") }?
    };
    // SAFETY: as above; the lists of names have been read.
    let made = unsafe { OwnedOptions::new(given, &change(&read)) }?;
    out.write(Box::into_raw(Box::new(made)).cast());
    Ok(())
}

/// Compares options, with all that they point to. `memcmp` would compare pointers and the bytes
/// between members.
///
/// `one` and `other` stay the caller's; NULL denotes the default options. `are_equal` is set to 1
/// if they are equal, else to 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_options_compare(
    one: *const glasm_options,
    other: *const glasm_options,
    are_equal: Option<&mut MaybeUninit<glasm_bool>>,
) -> glasm_result {
    catch_to_result(|| {
        let are_equal = require(are_equal, "are_equal")?;
        are_equal.write(0);
        // SAFETY: the caller answers for the structure and all that it points to.
        let one = unsafe { read_options(one) }?;
        // SAFETY: as above.
        let other = unsafe { read_options(other) }?;
        are_equal.write((one == other).into());
        Ok(())
    })
}

/// Computes a number that is equal for equal options, for tables in memory. It differs between
/// builds of the library; `glasm_program_cache_key` is for files.
///
/// `options` stays the caller's; NULL denotes the default options. `hash` is the caller's, and is
/// set to the number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_options_hash(
    options: *const glasm_options,
    hash: Option<&mut MaybeUninit<u64>>,
) -> glasm_result {
    catch_to_result(|| {
        let hash = require(hash, "hash")?;
        hash.write(0);
        // SAFETY: the caller answers for the structure and all that it points to.
        let options = unsafe { read_options(options) }?;
        let mut hasher = DefaultHasher::new();
        options.hash(&mut hasher);
        hash.write(hasher.finish());
        Ok(())
    })
}

impl OwnedOptions {
    /// Creates options with the device and the bindings of `given` and all other members of
    /// `changed`.
    ///
    /// # Safety
    /// The lists of feature names of `given` must be there during the call.
    unsafe fn new(given: glasm_options, changed: &Options) -> Result<Self, Failure> {
        let mut lists = OwnedLists::default();
        // SAFETY: the caller of this function guarantees it.
        unsafe { lists.copy_names(&given) }?;
        lists.convert(changed);
        let mut options = given;
        options.size = size_of::<glasm_options>();
        set_pipeline_state(&mut options, &changed.pipeline_state);
        options.clip_depth = changed.conventions.clip_depth.to_number();
        options.negate_ddy = changed.conventions.negate_ddy.into();
        options.flip_point_coord = changed.conventions.flip_point_coord.into();
        options.is_instance_index_zero_based =
            changed.conventions.is_instance_index_zero_based.into();
        options.handle_texture_count = changed.handles.textures;
        options.handle_image_count = changed.handles.images;
        options.state_sources = glasm_state_sources::from(&changed.state_sources);
        lists.point_from(&mut options, changed);
        Ok(Self {
            options,
            _lists: lists,
        })
    }
}

impl OwnedLists {
    /// Copies the names of features.
    ///
    /// # Safety
    /// As [`OwnedOptions::new`].
    unsafe fn copy_names(&mut self, given: &glasm_options) -> Result<(), Failure> {
        for is_disabled in [false, true] {
            let (list, count, name) = if is_disabled {
                let count = given.disabled_feature_count;
                (given.disabled_features, count, "disabled_features")
            } else {
                (given.features, given.feature_count, "features")
            };
            if list.is_null() {
                continue;
            }
            // SAFETY: the caller of this function guarantees it.
            let names = unsafe { ffi_args::read_strings(list, count, name) }?;
            let mut pointers = Vec::with_capacity(names.len());
            for name in names {
                let name = crate::strings::to_c_string(&name);
                pointers.push(name.as_ptr());
                self.strings.push(name);
            }
            if is_disabled {
                self.disabled_features = pointers;
            } else {
                self.features = pointers;
            }
        }
        Ok(())
    }

    /// Converts the lists of options.
    fn convert(&mut self, options: &Options) {
        let interface = &options.interface;
        let numbers = |types: &[glasm::BaseType]| types.iter().map(|ty| ty.to_number()).collect();
        self.attributes = numbers(&interface.attributes);
        self.colors = numbers(&interface.colors);
        let depth_modes = options.depth_modes.iter();
        self.depth_modes = depth_modes.map(|mode| mode.to_number()).collect();
        let hilo = options.signed_hilo_textures.iter();
        self.hilo = hilo.map(|is| (*is).into()).collect();
        let formats = options.image_formats.iter();
        self.image_formats = formats
            .map(|format| format.map_or(0, glasm::TexelFormat::spirv_number))
            .collect();
        let wraps = options.texture_wraps.iter();
        self.wraps = wraps.map(glasm_texture_wrap::from).collect();
        let biases = options.lod_biases.iter();
        self.biases = biases.map(|bias| bias.levels()).collect();
        let captures = options.transform_feedback.captures.iter();
        self.captures = captures
            .map(|capture| glasm_xfb_capture {
                semantic: capture.semantic.into(),
                first_component: capture.first_component.into(),
                component_count: capture.component_count.into(),
                buffer: capture.buffer,
                offset: capture.offset,
                stream: capture.stream,
            })
            .collect();
        self.strides.clone_from(&options.transform_feedback.strides);
        self.inputs = convert_locations(&interface.inputs);
        self.outputs = convert_locations(&interface.outputs);
        let stipple = options.polygon_stipple.as_ref();
        self.stipple = stipple.map_or(Vec::new(), |stipple| stipple.rows.to_vec());
    }

    /// Sets the members of options that are lists; empty ones are NULL, except a list of no
    /// features.
    fn point_from(&self, options: &mut glasm_options, changed: &Options) {
        fn list<T>(values: &[T]) -> (*const T, usize) {
            match values {
                [] => (ptr::null(), 0),
                _ => (values.as_ptr(), values.len()),
            }
        }
        if !options.features.is_null() {
            (options.features, options.feature_count) =
                (self.features.as_ptr(), self.features.len());
        }
        (options.disabled_features, options.disabled_feature_count) = list(&self.disabled_features);
        (options.attribute_types, options.attribute_type_count) = list(&self.attributes);
        (
            options.color_attachment_types,
            options.color_attachment_type_count,
        ) = list(&self.colors);
        (options.depth_modes, options.depth_mode_count) = list(&self.depth_modes);
        (
            options.signed_hilo_textures,
            options.signed_hilo_texture_count,
        ) = list(&self.hilo);
        (options.image_formats, options.image_format_count) = list(&self.image_formats);
        (options.texture_wraps, options.texture_wrap_count) = list(&self.wraps);
        (options.lod_biases, options.lod_bias_count) = list(&self.biases);
        (options.xfb_captures, options.xfb_capture_count) = list(&self.captures);
        (options.xfb_strides, options.xfb_stride_count) = list(&self.strides);
        options.input_varyings = make_varyings(&changed.interface.inputs, &self.inputs);
        options.output_varyings = make_varyings(&changed.interface.outputs, &self.outputs);
        options.polygon_stipple = list(&self.stipple).0;
        let stipple = changed.polygon_stipple.as_ref();
        options.polygon_stipple_height = stipple.map_or(0, |stipple| stipple.window_height);
    }
}

/// Converts the list of varyings with locations.
fn convert_locations(varyings: &Varyings) -> Vec<glasm_varying_location> {
    match varyings {
        Varyings::FixedTable | Varyings::AllLocations(_) => Vec::new(),
        Varyings::Packed(list) => (0..)
            .zip(list)
            .map(|(location, semantic)| glasm_varying_location {
                semantic: (*semantic).into(),
                location,
                first_component: 0,
                base_type: glasm::BaseType::Float.to_number(),
                component_count: 4,
            })
            .collect(),
        Varyings::Explicit(list) => list
            .iter()
            .map(|varying| glasm_varying_location {
                semantic: varying.semantic.into(),
                location: varying.location,
                first_component: varying.first_component.into(),
                base_type: varying.base_type.to_number(),
                component_count: varying.component_count.into(),
            })
            .collect(),
    }
}

/// Returns the structure of varyings whose list is `locations`.
fn make_varyings(varyings: &Varyings, locations: &[glasm_varying_location]) -> glasm_varyings {
    use glasm_varying_layout as Layout;
    let (layout, location_mask) = match varyings {
        Varyings::FixedTable => (Layout::FixedTable, 0),
        Varyings::AllLocations(mask) => (Layout::AllLocations, *mask),
        Varyings::Packed(_) => (Layout::Packed, 0),
        Varyings::Explicit(_) => (Layout::Explicit, 0),
    };
    glasm_varyings {
        layout: layout as u32,
        location_mask,
        varying_locations: match locations {
            [] => ptr::null(),
            _ => locations.as_ptr(),
        },
        varying_location_count: locations.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::{
        BaseType, Capture, DepthMode, LodBias, PolygonStipple, Semantic, StateSource, StateSources,
        TexelFormat, TextureWrap, VaryingLocation, WrapMode,
    };

    /// Options with other values than the default ones in all members that are written.
    fn build_options() -> Options {
        let mut options = Options::default();
        let state = &mut options.pipeline_state;
        state.two_sided_color = true;
        state.forced_point_size = Some(2.5.into());
        state.max_output_vertices = Some(7);
        state.alpha_test = glasm::AlphaTest::new(glasm::CompareFunction::Less, 0.25);
        state.line_stipple = Some(glasm::LineStipple::new(3, 0xf0f0, [1.0, 2.0, 3.0, 4.0]));
        state.default_tess_levels = glasm::DefaultTessLevels::new([2.0; 4], [3.0; 2]);
        options.state_sources = StateSources::all(StateSource::UniformBlock);
        options.conventions = glasm::Conventions::opengl();
        options.handles.textures = 5;
        options.depth_modes = vec![DepthMode::Alpha];
        options.signed_hilo_textures = vec![false, true];
        options.image_formats = vec![None, Some(TexelFormat::R32f)];
        options.texture_wraps = vec![TextureWrap {
            wrap_modes: [WrapMode::Clamp, WrapMode::MirrorClamp, WrapMode::BySampler],
            ..TextureWrap::default()
        }];
        options.lod_biases = vec![LodBias::from(0.5)];
        options.polygon_stipple = Some(Box::new(PolygonStipple {
            window_height: 9,
            ..PolygonStipple::new(&[3; 128])
        }));
        options.interface.attributes = vec![BaseType::SignedInt];
        options.interface.colors = vec![BaseType::UnsignedInt];
        options.interface.inputs = Varyings::Packed(vec![Semantic::Color(1)]);
        options.interface.outputs = Varyings::Explicit(vec![VaryingLocation::vector(
            Semantic::TexCoord(3),
            4,
            BaseType::Float,
        )]);
        options.transform_feedback.captures = vec![Capture {
            semantic: Semantic::Position,
            first_component: 1,
            component_count: 2,
            buffer: 3,
            offset: 4,
            stream: 0,
        }];
        options.transform_feedback.strides = vec![64];
        options
    }

    /// What is written is read as the same options.
    #[test]
    fn options_come_back() {
        let names = [c"shaderInt64".as_ptr()];
        let given = glasm_options {
            features: names.as_ptr(),
            feature_count: 1,
            disabled_features: names.as_ptr(),
            disabled_feature_count: 1,
            ..glasm_options::initial()
        };
        // SAFETY: the structure and its lists are there.
        let device = unsafe { read_options(&raw const given) }.unwrap().device;
        for options in [build_options(), Options::default()] {
            let expected = Options { device, ..options };
            // SAFETY: as above.
            let made = unsafe { OwnedOptions::new(given, &expected) }.unwrap();
            // SAFETY: the object owns all lists.
            let read = unsafe { read_options(&raw const made.options) }.unwrap();
            assert_eq!(read, expected);
            assert_ne!(made.options.features, given.features);
        }
    }
}
