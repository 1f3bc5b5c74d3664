//! Options of code generation, as structures for C.

use crate::enums::{CNumber, glasm_bool, glasm_compare_function, glasm_target, read_number};
use crate::ffi_args::{self, CallerStruct, Versioned, require, return_list};
use crate::ffi_guard::{Failure, catch_to_result, glasm_result};
use crate::semantic::glasm_semantic_info;
use crate::state_forms::glasm_state_sources;
use crate::strings::CStringList;
use crate::varyings::glasm_varyings;
use glasm::{
    BindingLayout, Conventions, Options, PipelineState, PointSize, Subgroups, TextureWrap,
};
use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::LazyLock;

/// The value of `parameter_block_binding` that gives each stage a separate binding: vertex 0, tessellation
/// control 1, evaluation 2, geometry 3, fragment 4, compute 0.
pub const GLASM_BINDING_PER_STAGE: u32 = 0xffff_ffff;

/// Subgroups have votes (VK_SUBGROUP_FEATURE_VOTE_BIT).
pub const GLASM_SUBGROUP_VOTE: u32 = 1;

/// Subgroups have ballots (VK_SUBGROUP_FEATURE_BALLOT_BIT).
pub const GLASM_SUBGROUP_BALLOT: u32 = 2;

/// Subgroups have shuffles (VK_SUBGROUP_FEATURE_SHUFFLE_BIT).
pub const GLASM_SUBGROUP_SHUFFLE: u32 = 4;

/// Subgroups have operations of quads (VK_SUBGROUP_FEATURE_QUAD_BIT).
pub const GLASM_SUBGROUP_QUAD: u32 = 8;

/// Wrap modes of a texture image unit that programs apply, with the filters of its sampler that
/// they depend on.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_texture_wrap {
    /// Modes of s, t and r: glasm_wrap_mode.
    pub wrap_modes: [u32; 3],
    /// Filter where texels cover more than a pixel: a glasm_texel_filter.
    pub mag_filter: u32,
    /// Filter where they cover less: a glasm_texel_filter.
    pub min_filter: u32,
    /// Filter between levels: a glasm_mip_filter.
    pub mip_filter: u32,
}

impl From<&TextureWrap> for glasm_texture_wrap {
    fn from(wrap: &TextureWrap) -> Self {
        Self {
            wrap_modes: wrap.wrap_modes.map(CNumber::to_number),
            mag_filter: wrap.mag_filter.to_number(),
            min_filter: wrap.min_filter.to_number(),
            mip_filter: wrap.mip_filter.to_number(),
        }
    }
}

/// Gets the wrap modes and filters of a texture of GL (glTexParameter), for `texture_wraps` of
/// glasm_options. GLASM_RESULT_INVALID_ARGUMENT if one of the values is not a mode or a filter of its
/// parameter, for which GL's error is GL_INVALID_ENUM.
///
/// `wrap_modes` are the values of GL_TEXTURE_WRAP_S, _T and _R; they stay the caller's. `mag_filter` and
/// `min_filter` are those of GL_TEXTURE_MAG_FILTER and GL_TEXTURE_MIN_FILTER. `wrap` is memory of the
/// caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_texture_wrap_from_gl(
    wrap_modes: *const u32,
    mag_filter: u32,
    min_filter: u32,
    wrap: Option<&mut MaybeUninit<glasm_texture_wrap>>,
) -> glasm_result {
    catch_to_result(|| {
        let wrap = require(wrap, "wrap")?;
        // SAFETY: the caller has three numbers there.
        let modes: [u32; 3] = unsafe { ffi_args::read_array(wrap_modes, "wrap_modes") }?;
        let found = TextureWrap::from_gl(modes, mag_filter, min_filter).ok_or_else(|| {
            let [s, t, r] = modes;
            Failure::invalid_argument(format!(
                "wrap modes {s:#x}, {t:#x} and {r:#x}, magnification filter {mag_filter:#x} and minification filter \
                 {min_filter:#x} are not those of a texture"
            ))
        })?;
        wrap.write((&found).into());
        Ok(())
    })
}

/// Components of a result that transform feedback captures for every vertex.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_xfb_capture {
    /// The result.
    pub semantic: glasm_semantic_info,
    /// First component.
    pub first_component: u32,
    /// Number of components.
    pub component_count: u32,
    /// Number of the buffer.
    pub buffer: u32,
    /// Bytes from the start of the vertex in the buffer.
    pub offset: u32,
    /// Vertex stream.
    pub stream: u32,
}

/// Options of code generation. `glasm_options_init` fills them with their initial values.
///
/// Lists go by texture image unit, image unit, attribute or color attachment, from 0 on; entries
/// past their end have their default. All that the structure points to belongs to the caller and is
/// read only during the call that gets it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_options {
    /// Size of the structure in bytes, as the caller knows it.
    pub size: usize,
    /// Target environment: a glasm_target. Initially GLASM_TARGET_VULKAN_1_1.
    pub target: u32,

    /// Set of the parameter block.
    pub parameter_block_set: u32,
    /// Binding of the parameter block, or GLASM_BINDING_PER_STAGE.
    pub parameter_block_binding: u32,
    /// Set of combined image samplers; the binding is the texture image unit.
    pub texture_set: u32,
    /// Set of program parameter buffers; the binding is first_parameter_buffer_binding + parameter_buffers_per_stage *
    /// stage + index.
    pub parameter_buffer_set: u32,
    /// Set of images, storage buffers and atomic counters.
    pub storage_set: u32,
    /// Set of the arrays that handles index.
    pub handle_set: u32,
    /// Added to the bindings of the arrays that handles index.
    pub first_handle_binding: u32,
    /// Elements of arrays of textures that handles index, at least 1.
    pub handle_texture_count: u32,
    /// Elements of arrays of images that handles index, at least 1.
    pub handle_image_count: u32,

    /// Features that the device has, by their names in Vulkan ("shaderInt64"): the device does not
    /// have features that are not in the list. A program that cannot do without such a feature has
    /// the error E0906. NULL: it has the features of nearly all devices. For OpenGL these are names
    /// of its extensions ("GL_ARB_gpu_shader_int64") and of those that it accepts in SPIR-V
    /// (GL_SPIR_V_EXTENSIONS); NULL: all of them. For Vulkan only names of `glasm_feature_names` are
    /// allowed; for OpenGL names on which no module depends are ignored.
    pub features: *const *const c_char,
    /// Number of them; with 0 and a pointer other than NULL the device has none.
    pub feature_count: usize,
    /// Features that the device does not have although the list before has them or is NULL: names
    /// of `glasm_feature_names`, and "subgroups" and "signedAtomics".
    pub disabled_features: *const *const c_char,
    /// Number of them.
    pub disabled_feature_count: usize,
    /// Invocations of a subgroup (subgroupSize), at least 1.
    pub subgroup_size: u32,
    /// Bit n: stage n, a glasm_stage, has subgroup operations.
    pub subgroup_stage_mask: u32,
    /// GLASM_SUBGROUP_VOTE and so on.
    pub subgroup_operation_mask: u32,
    /// maxGeometryTotalOutputComponents of the device.
    pub max_geometry_total_output_components: u32,

    /// Depth range of clip space: a glasm_clip_depth.
    pub clip_depth: u32,
    /// True if derivatives in y are negated: for callers that draw with a flipped viewport.
    pub negate_ddy: glasm_bool,
    /// True if point coordinates count t from the other end: for callers whose row 0 is the bottom.
    pub flip_point_coord: glasm_bool,
    /// True if the environment counts instances from 0 in every draw. Vulkan does not.
    pub is_instance_index_zero_based: glasm_bool,

    /// Fragments of back faces read the back colors (VERTEX_PROGRAM_TWO_SIDE).
    pub two_sided_color: glasm_bool,
    /// Colors are not interpolated (SHADE_MODEL is FLAT).
    pub flat_colors: glasm_bool,
    /// Colors that the last stage before rasterization writes are clamped (CLAMP_VERTEX_COLOR).
    pub clamp_vertex_colors: glasm_bool,
    /// Colors of fragments are clamped regardless of the format of the attachment
    /// (CLAMP_FRAGMENT_COLOR).
    pub clamp_fragment_colors: glasm_bool,
    /// The framebuffer has no layers.
    pub is_framebuffer_unlayered: glasm_bool,
    /// Bit n: the point coordinate replaces texture coordinate set n (COORD_REPLACE).
    pub coord_replace_mask: u32,
    /// Origin of the coordinates of points (POINT_SPRITE_COORD_ORIGIN): a glasm_point_origin.
    pub point_origin: u32,
    /// True if all points have the size `forced_point_size`, regardless of the results of programs
    /// (VERTEX_PROGRAM_POINT_SIZE is off).
    pub has_forced_point_size: glasm_bool,
    /// See `has_forced_point_size`.
    pub forced_point_size: f32,
    /// True if points have the size `default_point_size` where the program writes none.
    pub has_default_point_size: glasm_bool,
    /// See `has_default_point_size`.
    pub default_point_size: f32,
    /// Bit n: clip plane n is enabled (CLIP_PLANEn).
    pub clip_plane_mask: u32,
    /// Vertices of the patches that geometry programs get (PATCH_VERTICES).
    pub patch_vertices: u32,
    /// True if `max_output_vertices` replaces a geometry program's VERTICES_OUT.
    pub has_max_output_vertices: glasm_bool,
    /// See `has_max_output_vertices`.
    pub max_output_vertices: u32,
    /// Counting of primitives where GL draws primitives that Vulkan does not have: a
    /// glasm_primitive_id_mode.
    pub primitive_id_mode: u32,
    /// Outer levels of patches without control program (PATCH_DEFAULT_OUTER_LEVEL).
    pub default_outer_tess_levels: [f32; 4],
    /// Inner levels of patches without control program (PATCH_DEFAULT_INNER_LEVEL).
    pub default_inner_tess_levels: [f32; 2],
    /// Bit n: color attachment n is drawn to (DrawBuffers); 0: attachment 0 alone. A program
    /// without OPTION ARB_draw_buffers writes its color to all of them; for one with that option,
    /// whose results name their buffers, this has no effect.
    pub draw_buffer_mask: u32,

    /// OpName for every name of the program.
    pub debug_names: glasm_bool,
    /// OpLine for every instruction.
    pub debug_lines: glasm_bool,

    /// Types of vertex attributes by location: glasm_base_type.
    pub attribute_types: *const u32,
    /// Number of them.
    pub attribute_type_count: usize,
    /// Types of color attachments: glasm_base_type.
    pub color_attachment_types: *const u32,
    /// Number of them.
    pub color_attachment_type_count: usize,
    /// Depth modes of textures that are compared: glasm_depth_mode.
    pub depth_modes: *const u32,
    /// Number of them.
    pub depth_mode_count: usize,
    /// True if textures are signed HILO.
    pub signed_hilo_textures: *const glasm_bool,
    /// Number of them.
    pub signed_hilo_texture_count: usize,
    /// Formats of the images that will be bound, as numbers of SPIR-V's ImageFormat; 0: any.
    pub image_formats: *const u32,
    /// Number of them.
    pub image_format_count: usize,
    /// Wrap modes that programs apply themselves. The sampler applies those of units for which all
    /// members are zero.
    pub texture_wraps: *const glasm_texture_wrap,
    /// Number of them.
    pub texture_wrap_count: usize,
    /// Biases of samplers, in levels of detail.
    pub lod_biases: *const f32,
    /// Number of them.
    pub lod_bias_count: usize,
    /// Outputs of the last stage before rasterization that transform feedback captures.
    pub xfb_captures: *const glasm_xfb_capture,
    /// Number of them.
    pub xfb_capture_count: usize,
    /// Bytes from a vertex to the next, by transform feedback buffer; 0: to the end of the last
    /// capture.
    pub xfb_strides: *const u32,
    /// Number of them.
    pub xfb_stride_count: usize,

    /// Zero times anything is zero, as on old GPUs.
    pub zero_wins_multiply: glasm_bool,
    /// Results of half precision and of fixed point are not rounded.
    pub skip_precision_rounding: glasm_bool,
    /// Denormals of programs that have none are flushed by code if the device cannot be set to
    /// flush them.
    pub emulate_denormal_flush: glasm_bool,

    /// Locations of the varyings that the preceding stage writes. `glasm_pipeline_link` uses it for the
    /// first stage.
    pub input_varyings: glasm_varyings,
    /// Locations of the varyings that the following stage reads. `glasm_pipeline_link` uses it for the last
    /// stage.
    pub output_varyings: glasm_varyings,

    /// Test of the alpha of fragments (ALPHA_TEST, glAlphaFunc): a glasm_compare_function,
    /// GLASM_COMPARE_FUNCTION_ALWAYS for no test.
    pub alpha_function: u32,
    /// Value that alpha is compared with. Alpha is not clamped before unless `clamp_fragment_colors`
    /// is set; GL clamps it for fixed-point attachments.
    pub alpha_reference: f32,
    /// True if lines are stippled (LINE_STIPPLE, glLineStipple): pipelines draw LINES, and their
    /// provoking vertex is the first.
    pub has_line_stipple: glasm_bool,
    /// Number of pixels that each bit covers: 1 to 256.
    pub line_stipple_factor: u32,
    /// The pattern: 16 bits.
    pub line_stipple_pattern: u32,
    /// x, y, width and height of the viewport, as VkViewport has them.
    pub line_stipple_viewport: [f32; 4],
    /// Rows of the stipple of polygons (POLYGON_STIPPLE), the lowest first, 32 of them; bit 31 is
    /// the first pixel. NULL: no stipple.
    pub polygon_stipple: *const u32,
    /// 0 if row 0 of the framebuffer is GL's bottom row; else the height of the window.
    pub polygon_stipple_height: u32,

    /// Source of each state in shaders.
    pub state_sources: glasm_state_sources,
    /// Descriptor set of the uniform buffer of state.
    pub state_block_set: u32,
    /// Its binding, which all stages share.
    pub state_block_binding: u32,
    /// Number of the specialization constant that is the first word of the state.
    pub first_state_spec_constant_id: u32,

    /// Added to the number of a stage that is the binding of its parameter block.
    pub first_parameter_block_binding: u32,
    /// Added to the bindings of program parameter buffers.
    pub first_parameter_buffer_binding: u32,
    /// Bindings of program parameter buffers that each stage has.
    pub parameter_buffers_per_stage: u32,
    /// Added to the numbers of storage buffers.
    pub first_storage_binding: u32,
    /// Binding of atomic counter buffer 0.
    pub first_atomic_counter_binding: u32,
    /// Binding of image unit 0. For OpenGL the binding of the first image that a shader has; the
    /// others follow, as listed in the reflection.
    pub first_image_binding: u32,
    /// Binding of the lock of images.
    pub image_lock_binding: u32,
    /// For OpenGL its version as GLSL writes it: 450 for 4.5.
    pub opengl_version: u32,
    /// A geometry program for triangles receives QUADS: the caller draws lines with adjacency
    /// instead, and the module runs twice for each.
    pub draws_quads_as_line_adjacency: glasm_bool,
}

// SAFETY: it begins with the size.
unsafe impl Versioned for glasm_options {}

// SAFETY: numbers and pointers.
unsafe impl CallerStruct for glasm_options {
    /// Returns the default options of the library.
    fn initial() -> Self {
        let options = Options::default();
        let (device, levels) = (options.device, options.pipeline_state.default_tess_levels);
        let mut initial = Self {
            target: options.target.to_number(),
            handle_texture_count: options.handles.textures,
            handle_image_count: options.handles.images,
            subgroup_size: device.subgroups.size,
            subgroup_stage_mask: collect_stage_bits(&device.subgroups),
            subgroup_operation_mask: collect_operation_bits(&device.subgroups),
            max_geometry_total_output_components: device.max_geometry_total_output_components,
            forced_point_size: 1.0,
            default_point_size: 1.0,
            default_outer_tess_levels: levels.outer.map(f32::from_bits),
            default_inner_tess_levels: levels.inner.map(f32::from_bits),
            alpha_function: glasm_compare_function::Always as u32,
            line_stipple_factor: 1,
            line_stipple_pattern: u16::MAX.into(),
            opengl_version: 450,
            ..Self::zeroed()
        };
        set_bindings(&mut initial, &options.bindings);
        set_conventions(&mut initial, &options.conventions);
        set_fixed_state(&mut initial, &options.pipeline_state);
        initial
    }
}

/// Fills options with their initial values. `size` is `sizeof(glasm_options)`.
///
/// `options` belongs to the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_options_init(
    options: *mut glasm_options,
    size: usize,
) -> glasm_result {
    catch_to_result(|| {
        // SAFETY: the caller's structure has this size.
        unsafe { ffi_args::init_struct(options, size, "options") }
    })
}

/// Changes the options to GL's rules, for callers that keep row 0 of an image at GL's bottom: the
/// depth of clip space is remapped, and the coordinates of points are flipped.
///
/// `options` belongs to the caller, who has filled it with `glasm_options_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_options_use_opengl_conventions(
    options: *mut glasm_options,
) -> glasm_result {
    catch_to_result(|| {
        // SAFETY: the caller's structure has the size that it states.
        let mut changed = unsafe { ffi_args::read_struct(options, "options") }?;
        set_conventions(&mut changed, &Conventions::opengl());
        // SAFETY: as above.
        unsafe { ffi_args::write_struct(options, changed, "options") }
    })
}

/// Changes the state in the options to that of a new GL context, which differs from the initial
/// values of `glasm_options_init`: vertex colors are clamped (`clamp_vertex_colors`), all points
/// have size 1 (`forced_point_size`, `default_point_size`), and patches have three vertices
/// (`patch_vertices`). For layers that then follow each change of GL's state. `primitive_id_mode`,
/// `draws_quads_as_line_adjacency`, `is_framebuffer_unlayered` and `max_output_vertices`, which are no
/// state of GL, get their initial values again; lists, such as `lod_biases`, remain.
///
/// `options` belongs to the caller, who has filled it with `glasm_options_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_options_use_gl_initial_state(
    options: *mut glasm_options,
) -> glasm_result {
    catch_to_result(|| {
        // SAFETY: the caller's structure has the size that it states.
        let mut changed = unsafe { ffi_args::read_struct(options, "options") }?;
        set_pipeline_state(&mut changed, &PipelineState::gl_initial());
        changed.polygon_stipple = ptr::null();
        (changed.depth_mode_count, changed.texture_wrap_count) = (0, 0);
        // SAFETY: as above.
        unsafe { ffi_args::write_struct(options, changed, "options") }
    })
}

/// Fills options for a new context of an implementation of OpenGL on Vulkan: does what
/// `glasm_options_init`, `glasm_options_use_opengl_conventions` and `glasm_options_use_gl_initial_state` do,
/// and sets `target`. `size` is `sizeof(glasm_options)`.
///
/// `options` belongs to the caller. `target` is a glasm_target.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_options_init_for_gl_context(
    options: *mut glasm_options,
    size: usize,
    target: u32,
) -> glasm_result {
    catch_to_result(|| {
        let initial = Options::for_gl_context(read_number(target, "target")?);
        // SAFETY: the caller's structure has this size.
        unsafe { ffi_args::init_struct(options, size, "options") }?;
        // SAFETY: as above; the size is set now.
        let mut changed = unsafe { ffi_args::read_struct(options, "options") }?;
        changed.target = target;
        set_conventions(&mut changed, &initial.conventions);
        set_pipeline_state(&mut changed, &initial.pipeline_state);
        // SAFETY: as above.
        unsafe { ffi_args::write_struct(options, changed, "options") }
    })
}

/// Returns the names of the features of Vulkan that modules may need, for `features` and
/// `disabled_features` of the options; `count` is set to their number.
///
/// The list and its strings belong to the library and are valid for ever. `count` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_feature_names(
    count: Option<&mut MaybeUninit<usize>>,
) -> *const *const c_char {
    static NAMES: LazyLock<CStringList> =
        LazyLock::new(|| CStringList::new(glasm::vulkan_feature_names()));
    return_list(count, || Ok(NAMES.pointers()))
}

/// Changes the options to those for shaders for OpenGL (glShaderBinary with
/// GL_SHADER_BINARY_FORMAT_SPIR_V): the target GLASM_TARGET_OPENGL_4_5, its conventions, and the
/// last bindings that it has.
///
/// `options` belongs to the caller, who has filled it with `glasm_options_init`. `uniform_buffers`
/// is GL_MAX_UNIFORM_BUFFER_BINDINGS, `storage_buffers` is GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS.
/// The members `features` and `opengl_version` are unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_options_use_opengl_environment(
    options: *mut glasm_options,
    uniform_buffers: u32,
    storage_buffers: u32,
) -> glasm_result {
    catch_to_result(|| {
        // SAFETY: the caller's structure has the size that it states.
        let mut changed = unsafe { ffi_args::read_struct(options, "options") }?;
        changed.target = glasm_target::Opengl_4_5 as u32;
        set_conventions(&mut changed, &Conventions::opengl_environment());
        let bindings = BindingLayout::opengl(uniform_buffers, storage_buffers);
        set_bindings(&mut changed, &bindings);
        // SAFETY: as above.
        unsafe { ffi_args::write_struct(options, changed, "options") }
    })
}

/// Writes functions that read a structure of the library from members of the options that have the
/// same names, and set these members. Members after `else` differ in C: its caller passes them to
/// the first function.
macro_rules! members {
    ($read:ident $write:ident $library:ident { $($member:ident)* } $(else { $($other:ident)* })?) => {
        pub(crate) fn $read(
            given: &glasm_options,
            $(rest: members!(@rest $library $($other)*))?
        ) -> Result<$library, Failure> {
            Ok($library {
                $($member: read_number(given.$member, stringify!($member))?,)*
                $($($other: rest.$other,)*)?
            })
        }

        fn $write(options: &mut glasm_options, from: &$library) {
            let $library { $($member,)* $($($other: _,)*)? } = *from;
            $(options.$member = $member.to_number();)*
        }
    };
    (@rest $library:ident $($other:ident)*) => { $library };
}

members! {
    read_bindings set_bindings BindingLayout {
        parameter_block_set parameter_block_binding first_parameter_block_binding texture_set parameter_buffer_set first_parameter_buffer_binding parameter_buffers_per_stage storage_set
        first_storage_binding first_atomic_counter_binding first_image_binding image_lock_binding handle_set first_handle_binding
        state_block_set state_block_binding first_state_spec_constant_id
    }
}

members! {
    read_conventions set_conventions Conventions { clip_depth negate_ddy flip_point_coord is_instance_index_zero_based }
}

members! {
    read_fixed_state set_fixed_state PipelineState {
        two_sided_color flat_colors clamp_vertex_colors clamp_fragment_colors is_framebuffer_unlayered coord_replace_mask point_origin clip_plane_mask
        patch_vertices primitive_id_mode draws_quads_as_line_adjacency draw_buffer_mask
    } else { forced_point_size default_point_size max_output_vertices default_tess_levels alpha_test line_stipple }
}

/// Sets all members that are GL state of pipelines.
pub(crate) fn set_pipeline_state(options: &mut glasm_options, state: &PipelineState) {
    set_fixed_state(options, state);
    options.has_forced_point_size = state.forced_point_size.is_some().into();
    options.forced_point_size = state.forced_point_size.map_or(1.0, PointSize::pixels);
    options.has_default_point_size = state.default_point_size.is_some().into();
    options.default_point_size = state.default_point_size.map_or(1.0, PointSize::pixels);
    options.has_max_output_vertices = state.max_output_vertices.is_some().into();
    options.max_output_vertices = state.max_output_vertices.unwrap_or(0);
    options.default_outer_tess_levels = state.default_tess_levels.outer.map(f32::from_bits);
    options.default_inner_tess_levels = state.default_tess_levels.inner.map(f32::from_bits);
    options.alpha_function = state.alpha_test.function.to_number();
    options.alpha_reference = f32::from_bits(state.alpha_test.reference);
    options.has_line_stipple = state.line_stipple.is_some().into();
    let stipple = state.line_stipple;
    options.line_stipple_factor = stipple.map_or(1, |it| it.factor.into());
    options.line_stipple_pattern = stipple.map_or(u16::MAX, |it| it.pattern).into();
    let viewport = stipple.map_or([0; 4], |it| it.viewport);
    options.line_stipple_viewport = viewport.map(f32::from_bits);
}

/// Returns the mask of the stages that support subgroup operations: bit `n` for stage number `n`.
fn collect_stage_bits(subgroups: &Subgroups) -> u32 {
    let stages = (0u32..).zip(subgroups.stages);
    stages.map(|(stage, has)| u32::from(has) << stage).sum()
}

/// Returns the mask of `GLASM_SUBGROUP_*` bits of the subgroup operations that are supported.
fn collect_operation_bits(subgroups: &Subgroups) -> u32 {
    let bit = |has: bool, bit| if has { bit } else { 0 };
    bit(subgroups.vote, GLASM_SUBGROUP_VOTE)
        | bit(subgroups.ballot, GLASM_SUBGROUP_BALLOT)
        | bit(subgroups.shuffle, GLASM_SUBGROUP_SHUFFLE)
        | bit(subgroups.quad, GLASM_SUBGROUP_QUAD)
}
