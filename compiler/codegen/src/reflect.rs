//! Reflection: the requirements of a module on its caller. With the feature `serde` it can be
//! serialized and deserialized.

pub use crate::descriptor::{DescriptorSlot, HandleKind, ImageFormat, ScalarType};

#[cfg(feature = "serde")]
use crate::capability::known;
use crate::options::TextTarget;
use glasm_ir::Stage;
use glasm_ir::primitive::{InputPrimitive, OutputPrimitive, TessMode, TessSpacing, TessWinding};
use glasm_ir::resource::{BufferKind, ParamSource, TexTarget};
use glasm_ir::semantic::{Interpolation, Semantic};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// Uniform buffer of parameters: a vec4 of 16 bytes for each of `parameters`.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct ParamBlock {
    /// Descriptor.
    pub slot: DescriptorSlot,
    /// Source of each vec4.
    pub parameters: Vec<ParamSource>,
    /// True for a storage buffer, for blocks of more than 64 KiB; false for a uniform buffer.
    pub is_storage_buffer: bool,
}

/// Combined image sampler.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct TextureBinding {
    /// Descriptor.
    pub slot: DescriptorSlot,
    /// First texture image unit.
    pub unit: u32,
    /// Number of descriptors.
    pub descriptor_count: u32,
    /// Target.
    pub target: TexTarget,
    /// True if it is a depth comparison.
    pub is_shadow: bool,
    /// Type of its texels.
    pub sampled_type: ScalarType,
}

/// Sampler of a texture image unit, which the program uses for textures of other units. The
/// descriptor is the combined image sampler of the unit: only its sampler is used, unless
/// [`Reflection::textures`] has the unit, too.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct SamplerBinding {
    /// Descriptor.
    pub slot: DescriptorSlot,
    /// Texture image unit.
    pub unit: u32,
    /// True if it compares.
    pub is_shadow: bool,
}

/// Input attachment: the color attachment that the program draws to, which has one sample for each
/// pixel.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct AttachmentBinding {
    /// Descriptor.
    pub slot: DescriptorSlot,
    /// Number of the color attachment, which is also its index among the input attachments of the
    /// subpass.
    pub attachment_index: u32,
    /// Type of its texels.
    pub texel_type: ScalarType,
}

/// Storage image, or a storage texel buffer if the target is a buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct ImageBinding {
    /// Descriptor.
    pub slot: DescriptorSlot,
    /// First image unit.
    pub unit: u32,
    /// Number of descriptors.
    pub descriptor_count: u32,
    /// Target.
    pub target: TexTarget,
    /// Format of the view.
    pub format: ImageFormat,
    /// True if the program writes it.
    pub is_written: bool,
}

/// Buffer descriptor.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct BufferBinding {
    /// Descriptor.
    pub slot: DescriptorSlot,
    /// First binding number in the source language.
    pub program_binding: u32,
    /// Number of descriptors.
    pub descriptor_count: u32,
    /// Kind; never `Shared`.
    pub kind: BufferKind,
}

/// Stage input or output.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct InterfaceVariable {
    /// Semantic.
    pub semantic: Semantic,
    /// Location, unless it is a built-in.
    pub location: Option<u32>,
    /// Scalar type of the variable in the module.
    pub scalar_type: ScalarType,
    /// Number of components of the variable in the module.
    pub component_count: u8,
    /// Interpolation of a fragment input.
    pub interpolation: Interpolation,
    /// Components of an attribute of 64 bits that the variable contains, each as two words, low
    /// word first.
    pub attribute_half: Option<AttributeHalf>,
    /// True for an array of values: one for each vertex of the input primitive, or of the patch
    /// that a tessellation control program outputs.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "std::ops::Not::not")
    )]
    pub is_per_vertex: bool,
}

/// Half of the components of an attribute of 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(Deserialize, Serialize),
    serde(rename_all = "snake_case")
)]
pub enum AttributeHalf {
    /// x and y.
    Xy,
    /// z and w.
    Zw,
}

/// Viewports to which primitives are sent: NV_viewport_array2.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(Deserialize, Serialize),
    serde(rename_all = "snake_case")
)]
pub enum ViewportSelection {
    /// Viewport 0.
    Zero,
    /// Viewport with the number that the program selects.
    Index,
    /// All viewports in the mask that the program selects.
    Mask,
}

/// Task of a geometry stage that must follow the last program before rasterization, for
/// NV_viewport_array2 and NV_stereo_view_rendering. The program writes a `vec4` for it, as bits:
/// layer, viewport number or mask, mask of the second view, x of the position in the second view;
/// values that it does not select are 0. The library creates the stage:
/// `glasm::stages::build_replication_stage`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct ViewReplication {
    /// Location of the `vec4`.
    pub location: u32,
    /// True if the program selects a layer.
    pub has_layer: bool,
    /// Viewports of the first view, and of the second one if that has no separate mask.
    pub viewport_selection: ViewportSelection,
    /// True if a second view has a separate position.
    pub has_second_view_position: bool,
    /// True if a second view has a separate mask of viewports.
    pub has_second_view_mask: bool,
    /// True if the viewport number is added to the layer.
    pub is_layer_viewport_relative: bool,
    /// Offset added to the layer in the second view.
    pub second_view_layer_offset: i32,
}

/// Declarations about primitives of a program between the vertex and the fragment stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(Deserialize, Serialize),
    serde(rename_all = "snake_case")
)]
pub enum PrimitiveInfo {
    /// Tessellation control program.
    TessControl {
        /// Number of vertices of the output patch, and of invocations for it.
        vertices: u32,
    },
    /// Tessellation evaluation program.
    TessEval {
        /// Subdivision of patches.
        mode: TessMode,
        /// Spacing of the subdivision of edges.
        spacing: TessSpacing,
        /// Orientation of the triangles if the origin of the domain is the lower left corner, as in
        /// GL.
        winding: TessWinding,
        /// True if it outputs points.
        point_mode: bool,
    },
    /// Geometry program.
    Geometry {
        /// Input primitive that the program declares.
        input_primitive: InputPrimitive,
        /// Number of vertices of the input primitive; 0 if it depends on the patches.
        input_vertex_count: u32,
        /// Output primitive.
        output_primitive: OutputPrimitive,
        /// Maximum number of vertices that an invocation emits.
        vertices: u32,
        /// Invocations for each primitive.
        invocations: u32,
        /// True if it emits its input primitive.
        is_passthrough: bool,
    },
}

/// Requirements on the device.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct Requirements {
    /// SPIR-V capabilities by name, sorted (`Shader` included).
    #[cfg_attr(feature = "serde", serde(deserialize_with = "known::capabilities"))]
    pub capabilities: Vec<&'static str>,
    /// SPIR-V extensions by name, sorted.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "known::extensions"))]
    pub extensions: Vec<&'static str>,
    /// Vulkan features by their names in the Vulkan structures (`shaderInt64`,
    /// `bufferDeviceAddress`), sorted.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "known::features"))]
    pub features: Vec<&'static str>,
}

/// Parameter that a caller sets by its name (`ProgramNamedParameter4fNV`): a parameter of the
/// program, including unread ones. NV_fragment_program section 5.7.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct NamedParameter {
    /// Name.
    pub name: String,
    /// Bits of its initial value.
    pub initial_bits: [u32; 4],
}

/// State program (`!!VSP1.0`), which is a compute program of one invocation: a caller dispatches
/// one group and preserves the values that it has written. NV_vertex_program section 2.14.4.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct StateProgram {
    /// Descriptor of the storage buffer of the 96 program parameters: 1536 bytes.
    pub slot: DescriptorSlot,
    /// Numbers of the parameters that the program writes, in ascending order. If one of them tracks
    /// a matrix, executing the program is an error.
    pub written_parameters: Vec<u32>,
}

/// Specialization constant that is a word of the state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct StateSpecConstant {
    /// Number of the constant, for `VkSpecializationMapEntry`.
    pub id: u32,
    /// Number of the word.
    pub word_index: u32,
}

/// State that a module reads at run time, according to
/// [`Options::state_sources`](crate::Options::state_sources). Numbers are those of
/// [`StateBlock`](crate::dynamic_state::StateBlock): a module behaves the same for two states whose
/// words at these numbers are equal.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct StateBinding {
    /// Descriptor of the uniform block, if the module has it:
    /// [`StateBlock::bytes`](crate::dynamic_state::StateBlock::bytes).
    pub slot: Option<DescriptorSlot>,
    /// Words of the block that it reads, in ascending order.
    pub words_read: Vec<u32>,
    /// Specialization constants, in the order of their words.
    pub spec_constants: Vec<StateSpecConstant>,
}

/// All requirements of a module on its caller.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct Reflection {
    /// Stage.
    pub stage: Stage,
    /// Name of the entry point: `main`.
    // The same in all modules: it is serialized for readers in other languages, and not
    // deserialized.
    #[cfg_attr(feature = "serde", serde(skip_deserializing, default = "entry_point"))]
    pub entry_point: &'static str,
    /// Parameter block, if the program reads parameters.
    pub parameter_block: Option<ParamBlock>,
    /// State that the module reads at run time.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub state_block: Option<StateBinding>,
    /// Named parameters; `Named(n)` in [`ParamBlock::parameters`] is number n of them.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub named_parameters: Vec<NamedParameter>,
    /// Binding of the program parameters of a state program, and the parameters that it writes.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub state_program: Option<StateProgram>,
    /// Textures.
    pub textures: Vec<TextureBinding>,
    /// Samplers for textures of other units.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub samplers: Vec<SamplerBinding>,
    /// Color attachments that the program reads.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub input_attachments: Vec<AttachmentBinding>,
    /// Images.
    pub images: Vec<ImageBinding>,
    /// Arrays of textures and images that handles index.
    pub handle_arrays: Vec<HandleArray>,
    /// Buffers.
    pub buffers: Vec<BufferBinding>,
    /// Storage buffer of one word, initially zero, that all programs with access to the same images
    /// share: programs update texels of 64 bits, for which Vulkan has no atomics in these formats,
    /// one after the other while they hold this lock (NV_shader_atomic_fp16_vector).
    pub image_lock_slot: Option<DescriptorSlot>,
    /// Inputs that the program reads.
    pub inputs: Vec<InterfaceVariable>,
    /// Outputs that the program writes.
    pub outputs: Vec<InterfaceVariable>,
    /// Task of a subsequent geometry stage, if this is the last program before rasterization.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub view_replication: Option<ViewReplication>,
    /// Declarations of a geometry or tessellation program about primitives.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub primitive_info: Option<PrimitiveInfo>,
    /// Work-group size of compute programs; zeros if specialization constants 0 to 2 specify it.
    pub workgroup_size: Option<[u32; 3]>,
    /// True if the near and the far plane clip nothing: the pipeline requires `depthClampEnable`.
    /// This applies to programs of NV_fragment_program that replace the depth.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "std::ops::Not::not")
    )]
    pub requires_depth_clamp: bool,
    /// True if lookups of missing textures return (0, 0, 0, 0), as in NV_fragment_program; else (0,
    /// 0, 0, 1).
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "std::ops::Not::not")
    )]
    pub missing_textures_have_zero_alpha: bool,
    /// Requirements on the device.
    pub requirements: Requirements,
    /// Shading language that the module is compiled for; `None` for SPIR-V.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub text_target: Option<TextTarget>,
}

/// Returns the entry point of deserialized reflections.
#[cfg(feature = "serde")]
fn entry_point() -> &'static str {
    "main"
}

/// Array of descriptors that handles index.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct HandleArray {
    /// Descriptor.
    pub slot: DescriptorSlot,
    /// Number of descriptors.
    pub descriptor_count: u32,
    /// Kind of the descriptors.
    pub kind: HandleKind,
    /// Target of the textures or images.
    pub target: TexTarget,
    /// True if the program writes to the images.
    pub is_written: bool,
}
