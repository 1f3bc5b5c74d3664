//! Requirements of a module on its caller, as plain structures; the lists of one are in `reflection_lists`.

use crate::enums::{
    glasm_attribute_half, glasm_bool, glasm_buffer_kind, glasm_handle_kind, glasm_image_format,
    glasm_input_primitive, glasm_interpolation, glasm_output_primitive, glasm_primitive_stage,
    glasm_scalar_type, glasm_stage, glasm_tess_mode, glasm_tess_spacing, glasm_tess_winding,
    glasm_texture_target, glasm_viewport_selection,
};
use crate::parameters::glasm_block_parameter;
use crate::semantic::glasm_semantic_info;
use crate::state_forms::glasm_state_spec_constant;
use glasm::reflect::{
    AttachmentBinding, AttributeHalf, BufferBinding, DescriptorSlot, HandleArray, HandleKind,
    ImageBinding, ImageFormat, InterfaceVariable, PrimitiveInfo, SamplerBinding, ScalarType,
    TextureBinding, ViewReplication,
};
use glasm_capi_macros::c_struct;
use std::ffi::c_char;
use std::mem::MaybeUninit;

/// A descriptor set and binding number.
#[c_struct(DescriptorSlot)]
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct glasm_descriptor_slot {
    /// Set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
}

/// A parameter that a caller sets by its name.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_named_parameter {
    /// Its name.
    pub name: *const c_char,
    /// Its value until a caller sets another.
    pub initial_value: [f32; 4],
}

/// A combined image sampler.
#[c_struct(TextureBinding)]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_texture_binding {
    /// Slot that it is bound to.
    pub slot: glasm_descriptor_slot,
    /// First texture image unit.
    pub unit: u32,
    /// Number of descriptors.
    pub descriptor_count: u32,
    /// Target.
    pub target: glasm_texture_target,
    /// True if it is compared.
    pub is_shadow: glasm_bool,
    /// Type that texels are converted to.
    pub sampled_type: glasm_scalar_type,
}

/// The sampler of a texture image unit, which the program uses for textures of other units.
#[c_struct(SamplerBinding)]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_sampler_binding {
    /// Slot that the combined image sampler of the unit is bound to.
    pub slot: glasm_descriptor_slot,
    /// Texture image unit.
    pub unit: u32,
    /// True if it compares.
    pub is_shadow: glasm_bool,
}

/// An input attachment: the color attachment that the program draws to.
#[c_struct(AttachmentBinding)]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_attachment_binding {
    /// Slot that it is bound to.
    pub slot: glasm_descriptor_slot,
    /// Number of the color attachment, and its index among the input attachments of the subpass.
    pub attachment_index: u32,
    /// Type that its texels are read as.
    pub texel_type: glasm_scalar_type,
}

/// A storage image, or a storage texel buffer where the target is a buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_image_binding {
    /// Slot that it is bound to.
    pub slot: glasm_descriptor_slot,
    /// First image unit.
    pub unit: u32,
    /// Number of descriptors.
    pub descriptor_count: u32,
    /// Target.
    pub target: glasm_texture_target,
    /// Format of the view.
    pub format: glasm_image_format,
    /// Type that texels are read and written as, in the image's format.
    pub texel_type: glasm_scalar_type,
    /// Bits of a raw texel.
    pub texel_bits: u32,
    /// True if the program writes it.
    pub is_written: glasm_bool,
}

/// An array of descriptors that handles index.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_handle_array {
    /// Slot that it is bound to.
    pub slot: glasm_descriptor_slot,
    /// Number of descriptors.
    pub descriptor_count: u32,
    /// Resources in the array.
    pub kind: glasm_handle_kind,
    /// Type that texels are read as, of textures and of images in their own format.
    pub texel_type: glasm_scalar_type,
    /// Format of the views, of images.
    pub format: glasm_image_format,
    /// Bits of a raw texel, of images.
    pub texel_bits: u32,
    /// Target of the textures or images.
    pub target: glasm_texture_target,
    /// True if the program writes to the images.
    pub is_written: glasm_bool,
}

/// A buffer descriptor.
#[c_struct(BufferBinding)]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_buffer_binding {
    /// Slot that it is bound to.
    pub slot: glasm_descriptor_slot,
    /// First binding number in the source language.
    pub program_binding: u32,
    /// Number of descriptors.
    pub descriptor_count: u32,
    /// Kind.
    pub kind: glasm_buffer_kind,
}

/// The value of `location` that built-ins have.
pub const GLASM_LOCATION_BUILT_IN: u32 = 0xffff_ffff;

/// A stage input or output.
#[c_struct(InterfaceVariable)]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_interface_variable {
    /// Its semantic.
    pub semantic: glasm_semantic_info,
    /// Location, or GLASM_LOCATION_BUILT_IN.
    #[from(location.unwrap_or(GLASM_LOCATION_BUILT_IN))]
    pub location: u32,
    /// Scalar type in the module.
    pub scalar_type: glasm_scalar_type,
    /// Number of components in the module.
    pub component_count: u32,
    /// Interpolation of a fragment input.
    pub interpolation: glasm_interpolation,
    /// Components of an attribute of 64 bits that it holds.
    pub attribute_half: glasm_attribute_half,
    /// True if there is one for each vertex of the input primitive or patch.
    pub is_per_vertex: glasm_bool,
}

/// Tasks of a geometry stage that must follow the last program before rasterization;
/// `glasm_shader_create_view_replication` creates it.
#[c_struct(ViewReplication)]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_view_replication {
    /// Location of the vector that the program writes for it.
    pub location: u32,
    /// True if the program chooses a layer.
    pub has_layer: glasm_bool,
    /// Viewports of the first view.
    pub viewport_selection: glasm_viewport_selection,
    /// True if there is a second view with a separate position.
    pub has_second_view_position: glasm_bool,
    /// True if there is a second view with a separate mask of viewports.
    pub has_second_view_mask: glasm_bool,
    /// True if the viewport number is added to the layer.
    pub is_layer_viewport_relative: glasm_bool,
    /// Value that is added to the layer in the second view.
    pub second_view_layer_offset: i32,
}

/// Properties of a program between the vertex and the fragment stage that concern primitives.
/// Members of other stages are 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_primitive_info {
    /// Stage of the program.
    pub stage: glasm_primitive_stage,
    /// Tessellation control: vertices of the patch that it makes. Geometry: most vertices that an
    /// invocation emits.
    pub max_output_vertices: u32,
    /// Tessellation evaluation: primitives into which patches are subdivided.
    pub tess_mode: glasm_tess_mode,
    /// Tessellation evaluation: how edges are divided.
    pub tess_spacing: glasm_tess_spacing,
    /// Tessellation evaluation: orientation of triangles.
    pub tess_winding: glasm_tess_winding,
    /// Tessellation evaluation: whether it makes points.
    pub tess_point_mode: glasm_bool,
    /// Geometry: input primitive.
    pub input_primitive: glasm_input_primitive,
    /// Geometry: vertices of the input primitive; 0 if the patches decide.
    pub input_vertex_count: u32,
    /// Geometry: output primitive.
    pub output_primitive: glasm_output_primitive,
    /// Geometry: invocations for each primitive.
    pub invocations: u32,
    /// Geometry: whether it emits the primitive that it gets.
    pub is_passthrough: glasm_bool,
}

// SAFETY: numbers, and enumerations with a variant 0.
pub(crate) const NO_PRIMITIVES: glasm_primitive_info =
    unsafe { MaybeUninit::zeroed().assume_init() };

/// Everything that a module expects of its caller.
///
/// All that it points to belongs to the shader and is valid until this is freed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_reflection {
    /// Size of the structure in bytes, as the library knows it: an older one has fewer members.
    pub size: usize,
    /// Stage.
    pub stage: glasm_stage,
    /// Name of the entry point.
    pub entry_point: *const c_char,

    /// True if the program reads parameters: then there is a buffer of `parameter_count` vectors of
    /// 16 bytes, which `glasm_shader_fill_parameter_block` fills.
    pub has_parameter_block: glasm_bool,
    /// True if it is a storage buffer, as blocks of more than 64 KiB are; else it is a uniform
    /// buffer.
    pub is_parameter_block_storage_buffer: glasm_bool,
    /// Slot that it is bound to.
    pub parameter_block_slot: glasm_descriptor_slot,
    /// The source of each vector.
    pub parameters: *const glasm_block_parameter,
    /// Number of them.
    pub parameter_count: usize,
    /// Parameters with names; GLASM_PARAMETER_SOURCE_NAMED with index n is number n of them.
    pub named_parameters: *const glasm_named_parameter,
    /// Number of them.
    pub named_parameter_count: usize,

    /// True if it is a vertex state program: a compute program of one invocation that changes
    /// parameters of vertex programs.
    pub is_state_program: glasm_bool,
    /// Slot of the storage buffer of the 96 parameters.
    pub state_program_slot: glasm_descriptor_slot,
    /// Numbers of the parameters that it writes.
    pub state_program_written_parameters: *const u32,
    /// Number of them.
    pub state_program_written_parameter_count: usize,

    /// Textures.
    pub textures: *const glasm_texture_binding,
    /// Number of them.
    pub texture_count: usize,
    /// Samplers that go with textures of other units.
    pub samplers: *const glasm_sampler_binding,
    /// Number of them.
    pub sampler_count: usize,
    /// Color attachments that the program reads.
    pub input_attachments: *const glasm_attachment_binding,
    /// Number of them.
    pub input_attachment_count: usize,
    /// Images.
    pub images: *const glasm_image_binding,
    /// Number of them.
    pub image_count: usize,
    /// Arrays of textures and images that handles index.
    pub handle_arrays: *const glasm_handle_array,
    /// Number of them.
    pub handle_array_count: usize,
    /// Buffers.
    pub buffers: *const glasm_buffer_binding,
    /// Number of them.
    pub buffer_count: usize,
    /// True if there is a storage buffer of one word, zero at first, that all programs with access
    /// to the same images share.
    pub has_image_lock: glasm_bool,
    /// Slot that it is bound to.
    pub image_lock_slot: glasm_descriptor_slot,

    /// Inputs that the program reads.
    pub inputs: *const glasm_interface_variable,
    /// Number of them.
    pub input_count: usize,
    /// Outputs that the program writes.
    pub outputs: *const glasm_interface_variable,
    /// Number of them.
    pub output_count: usize,
    /// True if a geometry stage must follow.
    pub has_view_replication: glasm_bool,
    /// Tasks of that stage.
    pub view_replication: glasm_view_replication,
    /// Properties of a geometry or tessellation program that concern primitives.
    pub primitive_info: glasm_primitive_info,
    /// True if there are work groups.
    pub has_workgroup_size: glasm_bool,
    /// Their size; zeros if specialization constants 0 to 2 have it.
    pub workgroup_size: [u32; 3],
    /// True if the near and the far plane do not clip: the pipeline needs depthClampEnable.
    pub requires_depth_clamp: glasm_bool,
    /// True if lookups of missing textures return (0, 0, 0, 0); else (0, 0, 0, 1).
    pub missing_textures_have_zero_alpha: glasm_bool,

    /// SPIR-V capabilities by name, sorted.
    pub capabilities: *const *const c_char,
    /// Number of them.
    pub capability_count: usize,
    /// SPIR-V extensions by name, sorted.
    pub extensions: *const *const c_char,
    /// Number of them.
    pub extension_count: usize,
    /// Features of Vulkan by name, sorted: the device must have and enable them.
    pub features: *const *const c_char,
    /// Number of them.
    pub feature_count: usize,

    /// True if the shader reads GL state from a uniform buffer of 336 bytes.
    pub has_state_block: glasm_bool,
    /// Slot that it is bound to.
    pub state_block_slot: glasm_descriptor_slot,
    /// Numbers of the words that it reads there: only these make a difference.
    pub state_words_read: *const u32,
    /// Number of them.
    pub state_word_read_count: usize,
    /// Specialization constants that are words of the state.
    pub state_spec_constants: *const glasm_state_spec_constant,
    /// Number of them.
    pub state_spec_constant_count: usize,
}

/// Returns the kind of a format, its texels and its bits; for members that the format does not
/// have, float or 0.
fn convert_image_format(format: ImageFormat) -> (glasm_image_format, ScalarType, u32) {
    match format {
        ImageFormat::Native(texel) => (glasm_image_format::Native, texel, 0),
        ImageFormat::RawUint(bits) => {
            (glasm_image_format::RawUint, ScalarType::Uint32, bits.into())
        }
        ImageFormat::AnyUint => (glasm_image_format::AnyUint, ScalarType::Uint32, 0),
    }
}

impl From<&ImageBinding> for glasm_image_binding {
    fn from(image: &ImageBinding) -> Self {
        let (format, texel, raw_bits) = convert_image_format(image.format);
        Self {
            slot: image.slot.into(),
            unit: image.unit,
            descriptor_count: image.descriptor_count,
            target: image.target.into(),
            format,
            texel_type: texel.into(),
            texel_bits: raw_bits,
            is_written: image.is_written.into(),
        }
    }
}

impl From<&HandleArray> for glasm_handle_array {
    fn from(array: &HandleArray) -> Self {
        let own = |texel| (glasm_image_format::Native, texel, 0);
        let (kind, (format, texel, raw_bits)) = match array.kind {
            HandleKind::Texture(texel) => (glasm_handle_kind::Texture, own(texel)),
            HandleKind::ShadowTexture => {
                (glasm_handle_kind::ShadowTexture, own(ScalarType::Float32))
            }
            HandleKind::QueryOnlyTexture => (
                glasm_handle_kind::QueryOnlyTexture,
                own(ScalarType::Float32),
            ),
            HandleKind::Image(format) => (glasm_handle_kind::Image, convert_image_format(format)),
        };
        Self {
            slot: array.slot.into(),
            descriptor_count: array.descriptor_count,
            kind,
            texel_type: texel.into(),
            format,
            texel_bits: raw_bits,
            target: array.target.into(),
            is_written: array.is_written.into(),
        }
    }
}

impl From<Option<AttributeHalf>> for glasm_attribute_half {
    fn from(half: Option<AttributeHalf>) -> Self {
        match half {
            None => Self::None,
            Some(AttributeHalf::Xy) => Self::Xy,
            Some(AttributeHalf::Zw) => Self::Zw,
        }
    }
}

// SAFETY: numbers, and an enumeration with a variant 0.
pub(crate) const NO_REPLICATION: glasm_view_replication =
    unsafe { MaybeUninit::zeroed().assume_init() };

impl From<&PrimitiveInfo> for glasm_primitive_info {
    fn from(primitives: &PrimitiveInfo) -> Self {
        match *primitives {
            PrimitiveInfo::TessControl { vertices } => Self {
                stage: glasm_primitive_stage::TessControl,
                max_output_vertices: vertices,
                ..NO_PRIMITIVES
            },
            PrimitiveInfo::TessEval {
                mode,
                spacing,
                winding: order,
                point_mode: points,
            } => Self {
                stage: glasm_primitive_stage::TessEval,
                tess_mode: mode.into(),
                tess_spacing: spacing.into(),
                tess_winding: order.into(),
                tess_point_mode: points.into(),
                ..NO_PRIMITIVES
            },
            PrimitiveInfo::Geometry {
                input_primitive: input,
                input_vertex_count: input_vertices,
                output_primitive: output,
                vertices,
                invocations,
                is_passthrough: passthrough,
            } => Self {
                stage: glasm_primitive_stage::Geometry,
                max_output_vertices: vertices,
                input_primitive: input.into(),
                input_vertex_count: input_vertices,
                output_primitive: output.into(),
                invocations,
                is_passthrough: passthrough.into(),
                ..NO_PRIMITIVES
            },
        }
    }
}

// SAFETY: what it points to belongs to a shader, which never modifies it.
unsafe impl Send for glasm_reflection {}

// SAFETY: as above.
unsafe impl Sync for glasm_reflection {}
