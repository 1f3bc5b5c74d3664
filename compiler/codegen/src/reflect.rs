//! What a module expects of its caller. With the feature `serde` it goes to JSON or another format and comes back.

#[cfg(feature = "serde")]
use crate::capability::known;
use glasm_ir::Stage;
use glasm_ir::primitive::{InputPrimitive, OutputPrimitive, TessMode, TessOrder, TessSpacing};
use glasm_ir::resource::{BufferKind, ParamSource, TexTarget};
use glasm_ir::semantic::{Interpolation, Semantic};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// Scalar type of an interface variable or texel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(Deserialize, Serialize),
    serde(rename_all = "snake_case")
)]
pub enum Scalar {
    /// 32-bit float.
    Float,
    /// 32-bit signed integer.
    Int,
    /// 32-bit unsigned integer.
    Uint,
    /// 64-bit float.
    Double,
}

/// A descriptor set and binding number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct DescriptorSlot {
    /// Set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
}

/// The uniform buffer of parameters: `slots.len()` vec4 values of 16 bytes each.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct ParamBlock {
    /// Where it is bound.
    pub slot: DescriptorSlot,
    /// The source of each vec4.
    pub slots: Vec<ParamSource>,
    /// Whether it is a storage buffer, as blocks of more than 64 KiB are; else it is a uniform buffer.
    pub storage: bool,
}

/// A combined image sampler.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct TextureBinding {
    /// Where it is bound.
    pub slot: DescriptorSlot,
    /// First texture image unit.
    pub unit: u32,
    /// Number of descriptors.
    pub count: u32,
    /// Target.
    pub target: TexTarget,
    /// Whether it is compared.
    pub shadow: bool,
    /// What texels are converted to.
    pub texel: Scalar,
}

/// The sampler of a texture image unit, which the program uses for textures of other units. The descriptor is the combined image sampler of
/// the unit: its sampler counts only, unless [`Reflection::textures`] has the unit, too.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct SamplerBinding {
    /// Where it is bound.
    pub slot: DescriptorSlot,
    /// Texture image unit.
    pub unit: u32,
    /// Whether it compares.
    pub shadow: bool,
}

/// An input attachment: the color attachment that the program draws to, which holds one sample for each pixel.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct AttachmentBinding {
    /// Where it is bound.
    pub slot: DescriptorSlot,
    /// Number of the color attachment, which is its index among the input attachments of the subpass, too.
    pub buffer: u32,
    /// What its texels are read as.
    pub texel: Scalar,
}

/// How an image must be bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(Deserialize, Serialize),
    serde(rename_all = "snake_case")
)]
pub enum ImageFormat {
    /// In its own format, whose texels are read and written as this type.
    Own(Scalar),
    /// As unsigned integers with so many bits for a texel: `R8_UINT`, `R16_UINT`, `R32_UINT`, `R32G32_UINT`,
    /// `R32G32B32A32_UINT`. Images whose texels have another size are no valid binding.
    Raw(u8),
    /// As unsigned integers like raw texels, of whatever size its texels have: programs ask for its size and samples only.
    Any,
}

/// A storage image, or a storage texel buffer where the target is a buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct ImageBinding {
    /// Where it is bound.
    pub slot: DescriptorSlot,
    /// First image unit.
    pub unit: u32,
    /// Number of descriptors.
    pub count: u32,
    /// Target.
    pub target: TexTarget,
    /// Format of the view.
    pub format: ImageFormat,
    /// Whether the program writes it.
    pub written: bool,
}

/// A buffer descriptor.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct BufferBinding {
    /// Where it is bound.
    pub slot: DescriptorSlot,
    /// First binding number in the source language.
    pub index: u32,
    /// Number of descriptors.
    pub count: u32,
    /// Kind; never `Shared`.
    pub kind: BufferKind,
}

/// A stage input or output.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct InterfaceVariable {
    /// Meaning.
    pub semantic: Semantic,
    /// Location, unless it is a built-in.
    pub location: Option<u32>,
    /// Scalar type of the variable in the module.
    pub scalar: Scalar,
    /// Number of components of the variable in the module.
    pub components: u8,
    /// Interpolation of a fragment input.
    pub interpolation: Interpolation,
    /// Which components of an attribute of 64 bits the variable holds, each as two words, low word first.
    pub half: Option<Half>,
    /// Whether there is an array of values: one for each vertex of the input primitive, or of the patch that a tessellation control program
    /// makes.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "std::ops::Not::not")
    )]
    pub per_vertex: bool,
}

/// Half of the components of an attribute of 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(Deserialize, Serialize),
    serde(rename_all = "snake_case")
)]
pub enum Half {
    /// x and y.
    Low,
    /// z and w.
    High,
}

/// Which viewports primitives go to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(Deserialize, Serialize),
    serde(rename_all = "snake_case")
)]
pub enum ViewportChoice {
    /// Viewport 0.
    First,
    /// The viewport of the number that the program chose.
    Index,
    /// All viewports of the mask that the program chose.
    Mask,
}

/// What is left to a geometry stage that must follow the last program before rasterization. The program writes a `vec4` for it, as bits:
/// layer, viewport number or mask, mask of the second view, x of the position in the second view; what it does not choose is 0. The library
/// makes the stage: `glasm::stages::replication_stage`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct Replication {
    /// Location of the `vec4`.
    pub location: u32,
    /// Whether the program chooses a layer.
    pub has_layer: bool,
    /// Viewports of the first view, and of the second one if that has no mask.
    pub viewports: ViewportChoice,
    /// Whether there is a second view with a position of its own.
    pub has_second_position: bool,
    /// Whether there is a second view with a mask of viewports of its own.
    pub has_second_mask: bool,
    /// Whether the viewport number is added to the layer.
    pub viewport_relative_layer: bool,
    /// What is added to the layer in the second view.
    pub second_layer_offset: i32,
}

/// What a program between the vertex and the fragment stage says about primitives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(Deserialize, Serialize),
    serde(rename_all = "snake_case")
)]
pub enum Primitives {
    /// A tessellation control program.
    TessControl {
        /// Vertices of the patch that it makes, and invocations for it.
        vertices: u32,
    },
    /// A tessellation evaluation program.
    TessEval {
        /// What patches are subdivided as.
        mode: TessMode,
        /// How edges are divided.
        spacing: TessSpacing,
        /// Orientation of the triangles where the origin of the domain is the lower left corner, as in GL.
        order: TessOrder,
        /// Whether it makes points.
        points: bool,
    },
    /// A geometry program.
    Geometry {
        /// What it gets, as the program says.
        input: InputPrimitive,
        /// Vertices of what it gets; 0 if the patches decide.
        input_vertices: u32,
        /// What it makes.
        output: OutputPrimitive,
        /// Most vertices that an invocation emits.
        vertices: u32,
        /// Invocations for each primitive.
        invocations: u32,
        /// Whether it emits the primitive that it gets.
        passthrough: bool,
    },
}

/// What the device must offer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct Requirements {
    /// SPIR-V capabilities by name, sorted (`Shader` included).
    #[cfg_attr(feature = "serde", serde(deserialize_with = "known::capabilities"))]
    pub capabilities: Vec<&'static str>,
    /// SPIR-V extensions by name, sorted.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "known::extensions"))]
    pub extensions: Vec<&'static str>,
    /// Vulkan features by their names in the Vulkan structures (`shaderInt64`, `bufferDeviceAddress`), sorted.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "known::features"))]
    pub features: Vec<&'static str>,
}

/// A parameter that a caller sets by its name (`ProgramNamedParameter4fNV`): one of the program, whether it reads it or not.
/// NV_fragment_program section 5.7.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct NamedParameter {
    /// Its name.
    pub name: String,
    /// Bits of its value until a caller sets another.
    pub initial: [u32; 4],
}

/// What a state program (`!!VSP1.0`) does, which is a compute program of one invocation: a caller dispatches one group and keeps what it has
/// written. NV_vertex_program section 2.14.4.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct StateProgram {
    /// Where the storage buffer of the 96 program parameters is bound: 1536 bytes.
    pub slot: DescriptorSlot,
    /// Numbers of the parameters that the program writes, in ascending order. If one of them tracks a matrix, executing the program is an
    /// error.
    pub written: Vec<u32>,
}

/// A specialization constant that is a word of the state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct StateConstant {
    /// Number of the constant, for `VkSpecializationMapEntry`.
    pub id: u32,
    /// Number of the word.
    pub word: u32,
}

/// The state that a module reads when it runs, as [`Options::forms`](crate::Options::forms) have it. Numbers are those of
/// [`StateWords`](crate::state::StateWords): a module does the same for two states whose words at these numbers are equal.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct StateBinding {
    /// Where the uniform block is bound, if the module has it: [`StateWords::bytes`](crate::state::StateWords::bytes).
    pub slot: Option<DescriptorSlot>,
    /// Words that it reads of the block, in ascending order.
    pub words: Vec<u32>,
    /// Specialization constants, in the order of their words.
    pub constants: Vec<StateConstant>,
}

/// Everything that a module expects of its caller.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct Reflection {
    /// Stage.
    pub stage: Stage,
    /// Name of the entry point: `main`.
    // All modules have this one: it is written for readers in other languages, and not read back.
    #[cfg_attr(feature = "serde", serde(skip_deserializing, default = "entry_point"))]
    pub entry_point: &'static str,
    /// Parameter block, if the program reads parameters.
    pub params: Option<ParamBlock>,
    /// State that the module reads when it runs.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub state: Option<StateBinding>,
    /// Parameters with names; `Named(n)` in [`ParamBlock::slots`] is number n of them.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub named: Vec<NamedParameter>,
    /// What a state program does.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub state_program: Option<StateProgram>,
    /// Textures.
    pub textures: Vec<TextureBinding>,
    /// Samplers that go with textures of other units.
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
    pub attachments: Vec<AttachmentBinding>,
    /// Images.
    pub images: Vec<ImageBinding>,
    /// Arrays of textures and images that handles index.
    pub handle_arrays: Vec<HandleArray>,
    /// Buffers.
    pub buffers: Vec<BufferBinding>,
    /// A storage buffer of one word, zero at first, that all programs with access to the same images share: programs update texels of
    /// 64 bits, for which Vulkan has no atomics in these formats, one after the other while they hold this lock.
    pub image_lock: Option<DescriptorSlot>,
    /// Inputs that the program reads.
    pub inputs: Vec<InterfaceVariable>,
    /// Outputs that the program writes.
    pub outputs: Vec<InterfaceVariable>,
    /// What a geometry stage must do behind this one, if this is the last program before rasterization.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub replication: Option<Replication>,
    /// What a geometry or tessellation program says about primitives.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub primitives: Option<Primitives>,
    /// Work-group size of compute programs; zeros if specialization constants 0 to 2 give it.
    pub workgroup_size: Option<[u32; 3]>,
    /// Whether the near and the far plane clip nothing: the pipeline needs `depthClampEnable`. So it is for programs of NV_fragment_program
    /// that replace the depth.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "std::ops::Not::not")
    )]
    pub unclipped_depth: bool,
    /// Whether lookups of textures that are not there give (0, 0, 0, 0), as in NV_fragment_program; else (0, 0, 0, 1).
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "std::ops::Not::not")
    )]
    pub transparent_missing: bool,
    /// What the device must offer.
    pub requirements: Requirements,
}

/// The entry point of reflections that are read back.
#[cfg(feature = "serde")]
fn entry_point() -> &'static str {
    "main"
}

/// What an array of descriptors holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(Deserialize, Serialize),
    serde(rename_all = "snake_case")
)]
pub enum HandleKind {
    /// Textures whose texels are read as this type. Those that are compared have an array of their own.
    Texture(Scalar),
    /// Depth textures with samplers that compare.
    Comparison,
    /// All textures, for queries: their texels are not read.
    QueriedTexture,
    /// Images as the program sees them.
    Image(ImageFormat),
}

/// An array of descriptors that handles index.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct HandleArray {
    /// Where it is bound.
    pub slot: DescriptorSlot,
    /// Number of descriptors.
    pub count: u32,
    /// What it holds.
    pub kind: HandleKind,
    /// Target of the textures or images.
    pub target: TexTarget,
    /// Whether the program writes to the images.
    pub written: bool,
}
