//! Enumerations of the interface, and the enumerations of the library that they mirror.
//!
//! A value never changes its semantic: new ones go to the end. A conversion names every variant, so
//! that one which is new in the library makes the compiler name this file.

#![expect(
    missing_docs,
    reason = "some names of GL and Vulkan say all that there is to say"
)]

use crate::ffi_guard::Failure;
use glasm::ir::BaseType;
use glasm::ir::primitive::{InputPrimitive, OutputPrimitive, TessMode, TessSpacing, TessWinding};
use glasm::ir::resource::{BufferKind, TexTarget};
use glasm::ir::semantic::Interpolation;
use glasm::ir::state::{ColorTerm, Face, MatrixForm, TexGenCoord, TexGenPlane, ThreadProperty};
use glasm::ir::{Stage, state::MatrixName};
use glasm::layout::DescriptorType;
use glasm::reflect::{ScalarType, ViewportSelection};
use glasm::state::{MatrixMode, TrackedMatrix};
use glasm::{
    ClipDepth, CompareFunction, DepthMode, MipFilter, PointOrigin, PrimitiveIdMode, ProgramType,
    Sampling, Severity, StateSource, Target, TexelFilter, WrapMode,
};
use glasm_capi_macros::c_enum;

/// A boolean: 0 is false, any other number true.
pub type glasm_bool = u32;

/// A type whose values C passes as a `u32`.
pub(crate) trait CNumber: Sized {
    /// Returns the value that a number of C denotes; `None` for unknown numbers.
    fn read(number: u32) -> Option<Self>;

    /// Returns the number that denotes the value in C.
    fn to_number(self) -> u32;

    /// Returns the message about a number without a variant.
    fn format_error(number: u32, name: &str) -> String {
        format!("invalid value {number} for `{name}`")
    }
}

/// Returns the value of a number of C; an error with the name of the argument or member if there is
/// none.
pub(crate) fn read_number<T: CNumber>(number: u32, name: &str) -> Result<T, Failure> {
    T::read(number).ok_or_else(|| Failure::invalid_argument(T::format_error(number, name)))
}

impl CNumber for u32 {
    fn read(number: u32) -> Option<Self> {
        Some(number)
    }

    fn to_number(self) -> u32 {
        self
    }
}

/// A boolean: a [`glasm_bool`].
impl CNumber for bool {
    fn read(number: u32) -> Option<Self> {
        Some(number != 0)
    }

    fn to_number(self) -> u32 {
        self.into()
    }
}

/// A mask of eight bits.
impl CNumber for u8 {
    fn read(number: u32) -> Option<Self> {
        number.try_into().ok()
    }

    fn to_number(self) -> u32 {
        self.into()
    }

    fn format_error(_number: u32, name: &str) -> String {
        format!("`{name}` has more than eight bits")
    }
}

/// A number or none, which is all ones.
impl CNumber for Option<u32> {
    fn read(number: u32) -> Option<Self> {
        Some((number != u32::MAX).then_some(number))
    }

    fn to_number(self) -> u32 {
        self.unwrap_or(u32::MAX)
    }
}

/// Shader stages. `1u << stage` is the bit of a stage in VkShaderStageFlags.
#[c_enum(Stage)]
#[repr(u32)]
pub enum glasm_stage {
    Vertex = 0,
    TessControl = 1,
    TessEval = 2,
    Geometry = 3,
    Fragment = 4,
    Compute = 5,
}

/// Type that a program must have. The values are GL's targets of programs, such as
/// GL_VERTEX_PROGRAM_ARB, and none is a glasm_stage.
#[c_enum]
#[repr(u32)]
pub enum glasm_program_type {
    /// Any type: the one that the header states. No target of GL.
    Any = 0xffff,
    /// GL_VERTEX_PROGRAM_ARB, GL_VERTEX_PROGRAM_NV.
    Vertex = 0x8620,
    /// GL_TESS_CONTROL_PROGRAM_NV.
    TessControl = 0x891e,
    /// GL_TESS_EVALUATION_PROGRAM_NV.
    TessEval = 0x891f,
    /// GL_GEOMETRY_PROGRAM_NV.
    Geometry = 0x8c26,
    /// GL_FRAGMENT_PROGRAM_ARB.
    Fragment = 0x8804,
    /// GL_FRAGMENT_PROGRAM_NV: the same type as GLASM_PROGRAM_TYPE_FRAGMENT.
    FragmentNv = 0x8870,
    /// GL_COMPUTE_PROGRAM_NV.
    Compute = 0x90fb,
    /// GL_VERTEX_STATE_PROGRAM_NV: a vertex state program, which becomes a compute shader.
    VertexState = 0x8621,
}

/// Returns the type that a program must have, if any.
pub(crate) fn read_program_type(number: u32) -> Result<Option<ProgramType>, Failure> {
    use glasm_program_type as C;
    Ok(match read_number(number, "program_type")? {
        C::Any => None,
        C::Vertex
        | C::TessControl
        | C::TessEval
        | C::Geometry
        | C::Fragment
        | C::FragmentNv
        | C::Compute
        | C::VertexState => ProgramType::from_gl(number),
    })
}

/// Severity of a message.
#[c_enum(Severity)]
#[repr(u32)]
pub enum glasm_severity {
    /// The program fails to load, or to compile.
    Error = 0,
    /// The program loads, but something is doubtful.
    Warning = 1,
    /// An internal error of glasm.
    InternalError = 2,
}

/// Target environments: OpenGL, or a version of Vulkan, with a version of SPIR-V.
#[c_enum(Target)]
#[repr(u32)]
pub enum glasm_target {
    /// Vulkan 1.1, SPIR-V 1.3.
    #[from(Vulkan1_1)]
    Vulkan_1_1 = 0,
    /// Vulkan 1.2, SPIR-V 1.5.
    #[from(Vulkan1_2)]
    Vulkan_1_2 = 1,
    /// Vulkan 1.3, SPIR-V 1.6.
    #[from(Vulkan1_3)]
    Vulkan_1_3 = 2,
    /// OpenGL with GL_ARB_gl_spirv, which is core in 4.6: SPIR-V 1.0. See
    /// `glasm_options_use_opengl_environment`.
    #[from(OpenGl4_5)]
    Opengl_4_5 = 3,
}

/// Depth range of clip space that programs write.
#[c_enum(ClipDepth)]
#[repr(u32)]
pub enum glasm_clip_depth {
    /// 0 to w, as Vulkan clips.
    ZeroToOne = 0,
    /// -w to w, as GL clips: remapped at the end of the last vertex stage.
    NegativeOneToOne = 1,
}

/// The corner of a point whose coordinate is (0, 0).
#[c_enum(PointOrigin)]
#[repr(u32)]
pub enum glasm_point_origin {
    UpperLeft = 0,
    LowerLeft = 1,
}

/// Numbers of primitives that are drawn as several.
#[c_enum(PrimitiveIdMode)]
#[repr(u32)]
pub enum glasm_primitive_id_mode {
    /// Each has its own.
    PerPrimitive = 0,
    /// Two primitives share one: quadrilaterals.
    PerQuad = 1,
    /// All have number 0: a polygon.
    Constant = 2,
}

/// Source of a state that shaders depend on.
#[c_enum(StateSource)]
#[repr(u32)]
pub enum glasm_state_source {
    /// From the options: another value is another module.
    CompileTime = 0,
    /// From specialization constants: another value is another pipeline.
    SpecConstant = 1,
    /// From a uniform buffer.
    UniformBlock = 2,
}

/// GL's comparisons, in the order of VkCompareOp.
#[c_enum(CompareFunction)]
#[repr(u32)]
pub enum glasm_compare_function {
    Never = 0,
    Less = 1,
    Equal = 2,
    LessEqual = 3,
    Greater = 4,
    NotEqual = 5,
    GreaterEqual = 6,
    Always = 7,
}

/// Components that the result of a depth comparison fills: GL's DEPTH_TEXTURE_MODE.
#[c_enum(DepthMode)]
#[repr(u32)]
pub enum glasm_depth_mode {
    Luminance = 0,
    Intensity = 1,
    Alpha = 2,
    Red = 3,
}

/// GL's wrap modes that programs apply because the samplers of Vulkan cannot.
#[c_enum(WrapMode)]
#[repr(u32)]
pub enum glasm_wrap_mode {
    /// The sampler wraps the coordinate.
    BySampler = 0,
    /// CLAMP; the sampler must clamp to the border.
    Clamp = 1,
    /// MIRROR_CLAMP_EXT; the sampler must clamp to the border.
    MirrorClamp = 2,
    /// MIRROR_CLAMP_TO_BORDER_EXT; the sampler must clamp to the border.
    MirrorClampToBorder = 3,
    /// MIRROR_CLAMP_TO_EDGE_EXT, for devices without samplerMirrorClampToEdge; the sampler must
    /// clamp to the edge.
    MirrorClampToEdge = 4,
}

/// Number of texels of a level that a filter reads.
#[c_enum(TexelFilter)]
#[repr(u32)]
pub enum glasm_texel_filter {
    Nearest = 0,
    Linear = 1,
}

/// Number of levels that a filter reads.
#[c_enum(MipFilter)]
#[repr(u32)]
pub enum glasm_mip_filter {
    /// The base level, regardless of the level of detail.
    None = 0,
    Nearest = 1,
    Linear = 2,
}

/// Base type of the components of an attribute or of a color attachment.
#[c_enum(BaseType)]
#[repr(u32)]
pub enum glasm_base_type {
    Float = 0,
    SignedInt = 1,
    UnsignedInt = 2,
}

/// Scalar type of an interface variable or texel.
#[c_enum(ScalarType)]
#[repr(u32)]
pub enum glasm_scalar_type {
    /// 32-bit float.
    Float32 = 0,
    /// 32-bit signed integer.
    Sint32 = 1,
    /// 32-bit unsigned integer.
    Uint32 = 2,
    /// 64-bit float.
    Float64 = 3,
}

/// Texture targets. Shadow targets have the values of their targets; a separate member says that a
/// comparison is made.
#[c_enum(TexTarget)]
#[repr(u32)]
pub enum glasm_texture_target {
    #[from(D1)]
    _1d = 0,
    #[from(D2)]
    _2d = 1,
    #[from(D3)]
    _3d = 2,
    Cube = 3,
    /// Unnormalized coordinates, one level.
    Rect = 4,
    #[from(D1Array)]
    _1dArray = 5,
    #[from(D2Array)]
    _2dArray = 6,
    CubeArray = 7,
    Buffer = 8,
    /// Two-dimensional multisample.
    #[from(D2Multisample)]
    _2dMultisample = 9,
    #[from(D2MultisampleArray)]
    _2dMultisampleArray = 10,
}

/// Kinds of buffers.
#[c_enum(BufferKind)]
#[repr(u32)]
pub enum glasm_buffer_kind {
    /// Program parameter buffer: a uniform buffer.
    ProgramParameter = 0,
    /// Storage buffer.
    Storage = 1,
    /// Memory that a work group shares; in no list of bindings.
    Shared = 2,
    /// Memory of each invocation for itself; in no list of bindings.
    Private = 3,
    /// Atomic counter buffer: a storage buffer.
    AtomicCounter = 4,
    /// The 96 parameters of vertex programs as state programs read and write them: a storage
    /// buffer.
    VertexStateParameters = 5,
}

/// Interpolation of a fragment input.
#[c_enum(Interpolation)]
#[repr(u32)]
pub enum glasm_interpolation {
    /// Perspective-correct.
    Smooth = 0,
    /// Linear in screen space.
    NoPerspective = 1,
    /// The provoking vertex's value.
    Flat = 2,
}

/// Location in a pixel at which a fragment input is sampled.
#[c_enum(Sampling)]
#[repr(u32)]
pub enum glasm_sampling {
    /// At the pixel center.
    Center = 0,
    /// Within the covered area.
    Centroid = 1,
    /// At each sample.
    Sample = 2,
}

/// Kind of a descriptor: values of VkDescriptorType.
#[c_enum(DescriptorType)]
#[repr(u32)]
pub enum glasm_descriptor_type {
    /// A texture with its sampler.
    CombinedImageSampler = 1,
    /// An image.
    StorageImage = 3,
    /// A buffer texture.
    UniformTexelBuffer = 4,
    /// An image whose target is a buffer.
    StorageTexelBuffer = 5,
    /// Parameters, and program parameter buffers.
    UniformBuffer = 6,
    /// Storage and atomic counter buffers, large parameter blocks, and the buffers of state
    /// programs and of locks of images.
    StorageBuffer = 7,
    /// A color attachment that the program reads.
    InputAttachment = 10,
}

/// Components of an attribute of 64 bits that a variable holds.
#[c_enum]
#[repr(u32)]
pub enum glasm_attribute_half {
    /// The attribute has no 64 bits, or is whole.
    None = 0,
    /// x and y, each as two words, low word first.
    Xy = 1,
    /// z and w.
    Zw = 2,
}

/// Format with which an image must be bound.
#[c_enum]
#[repr(u32)]
pub enum glasm_image_format {
    /// In the image's format, whose texels are read and written as the scalar type in `texel_type`.
    Native = 0,
    /// As unsigned integers with as many bits for a texel as `texel_bits` says.
    RawUint = 1,
    /// As unsigned integers, regardless of the size of its texels.
    AnyUint = 2,
}

/// Resources in an array of descriptors that handles index.
#[c_enum]
#[repr(u32)]
pub enum glasm_handle_kind {
    /// Textures whose texels are read as the scalar type in `texel_type`.
    Texture = 0,
    /// Depth textures with samplers that compare.
    ShadowTexture = 1,
    /// All textures, for queries.
    QueryOnlyTexture = 2,
    /// Images.
    Image = 3,
}

/// Viewports that primitives go to.
#[c_enum(ViewportSelection)]
#[repr(u32)]
pub enum glasm_viewport_selection {
    /// Viewport 0.
    Zero = 0,
    /// The viewport of the number that the program chose.
    Index = 1,
    /// All viewports of the mask that the program chose.
    Mask = 2,
}

/// Stage of a program between the vertex and the fragment stage.
#[c_enum]
#[repr(u32)]
pub enum glasm_primitive_stage {
    /// Any other stage.
    None = 0,
    TessControl = 1,
    TessEval = 2,
    Geometry = 3,
}

/// Input primitive of a geometry program.
#[c_enum(InputPrimitive)]
#[repr(u32)]
pub enum glasm_input_primitive {
    Points = 0,
    Lines = 1,
    LinesAdjacency = 2,
    Triangles = 3,
    TrianglesAdjacency = 4,
    /// As many vertices as the patch has.
    Patches = 5,
}

/// Output primitive of a geometry program.
#[c_enum(OutputPrimitive)]
#[repr(u32)]
pub enum glasm_output_primitive {
    Points = 0,
    LineStrip = 1,
    TriangleStrip = 2,
}

/// Primitives into which a patch is subdivided.
#[c_enum(TessMode)]
#[repr(u32)]
pub enum glasm_tess_mode {
    Triangles = 0,
    Quads = 1,
    Isolines = 2,
}

/// Division of the edges of patches.
#[c_enum(TessSpacing)]
#[repr(u32)]
pub enum glasm_tess_spacing {
    Equal = 0,
    FractionalOdd = 1,
    FractionalEven = 2,
}

/// Orientation of the triangles of a subdivision where the origin of the domain is the lower left
/// corner.
#[c_enum(TessWinding)]
#[repr(u32)]
pub enum glasm_tess_winding {
    Ccw = 0,
    Cw = 1,
}

/// A face of two-sided lighting.
#[c_enum(Face)]
#[repr(u32)]
pub enum glasm_face {
    Front = 0,
    Back = 1,
}

/// Colors of materials and lights.
#[c_enum(ColorTerm)]
#[repr(u32)]
pub enum glasm_color_term {
    Ambient = 0,
    Diffuse = 1,
    Specular = 2,
    /// Materials only.
    Emission = 3,
}

/// Matrices of GL state.
#[c_enum]
#[repr(u32)]
pub enum glasm_matrix {
    /// Modelview, by index: 0 is GL's own, the others are those of ARB_vertex_blend.
    Modelview = 0,
    Projection = 1,
    /// Projection times modelview 0; cannot be set.
    ModelviewProjection = 2,
    /// Texture, by coordinate set.
    Texture = 3,
    /// Entry of the matrix palette (ARB_matrix_palette).
    Palette = 4,
    /// Program matrix, by number.
    Program = 5,
    /// Color matrix, which no state.* parameter reads but parameters can track.
    Color = 6,
}

impl glasm_matrix {
    /// Returns the matrix that a command changes with its index, 0 for those of which there is one.
    pub(crate) fn from_mode(mode: MatrixMode) -> (Self, u32) {
        match mode {
            MatrixMode::Modelview(number) => (Self::Modelview, number),
            MatrixMode::Projection => (Self::Projection, 0),
            MatrixMode::Texture(set) => (Self::Texture, set),
            MatrixMode::Color => (Self::Color, 0),
            MatrixMode::Program(number) => (Self::Program, number),
            MatrixMode::Palette(entry) => (Self::Palette, entry),
        }
    }

    /// Returns the matrix with its index, 0 for those of which there is one.
    pub(crate) fn from_name(name: MatrixName) -> (Self, u32) {
        match name {
            MatrixName::Modelview(number) => (Self::Modelview, number),
            MatrixName::Projection => (Self::Projection, 0),
            MatrixName::ModelviewProjection => (Self::ModelviewProjection, 0),
            MatrixName::Texture(unit) => (Self::Texture, unit),
            MatrixName::Palette(entry) => (Self::Palette, entry),
            MatrixName::Program(number) => (Self::Program, number),
        }
    }
}

/// Returns the matrix that `state.matrix.*` reads; `None` for the color matrix.
pub(crate) fn to_matrix_name(matrix: glasm_matrix, number: u32) -> Option<MatrixName> {
    Some(match matrix {
        glasm_matrix::Modelview => MatrixName::Modelview(number),
        glasm_matrix::Projection => MatrixName::Projection,
        glasm_matrix::ModelviewProjection => MatrixName::ModelviewProjection,
        glasm_matrix::Texture => MatrixName::Texture(number),
        glasm_matrix::Palette => MatrixName::Palette(number),
        glasm_matrix::Program => MatrixName::Program(number),
        glasm_matrix::Color => return None,
    })
}

/// Returns the matrix that commands change; `None` for the product of two.
pub(crate) fn to_matrix_mode(matrix: glasm_matrix, number: u32) -> Option<MatrixMode> {
    Some(match matrix {
        glasm_matrix::Modelview => MatrixMode::Modelview(number),
        glasm_matrix::Projection => MatrixMode::Projection,
        glasm_matrix::Texture => MatrixMode::Texture(number),
        glasm_matrix::Palette => MatrixMode::Palette(number),
        glasm_matrix::Program => MatrixMode::Program(number),
        glasm_matrix::Color => MatrixMode::Color,
        glasm_matrix::ModelviewProjection => return None,
    })
}

/// Returns the matrix that parameters track; `None` for entries of the palette and modelview
/// matrices other than 0, which cannot be tracked.
pub(crate) fn to_tracked_matrix(matrix: glasm_matrix, number: u32) -> Option<TrackedMatrix> {
    Some(match matrix {
        glasm_matrix::Modelview if number == 0 => TrackedMatrix::Modelview,
        glasm_matrix::Projection => TrackedMatrix::Projection,
        glasm_matrix::ModelviewProjection => TrackedMatrix::ModelviewProjection,
        glasm_matrix::Color => TrackedMatrix::Color,
        glasm_matrix::Texture => TrackedMatrix::Texture(number),
        glasm_matrix::Program => TrackedMatrix::Program(number),
        glasm_matrix::Modelview | glasm_matrix::Palette => return None,
    })
}

/// Transformation of a matrix before its rows are taken.
#[c_enum(MatrixForm)]
#[repr(u32)]
pub enum glasm_matrix_form {
    Plain = 0,
    Inverse = 1,
    Transpose = 2,
    InverseTranspose = 3,
}

/// A coordinate of texture coordinate generation.
#[c_enum(TexGenCoord)]
#[repr(u32)]
pub enum glasm_texgen_coord {
    S = 0,
    T = 1,
    R = 2,
    Q = 3,
}

/// A plane of texture coordinate generation.
#[c_enum(TexGenPlane)]
#[repr(u32)]
pub enum glasm_texgen_plane {
    Eye = 0,
    Object = 1,
}

/// A property of the device's thread groups.
#[c_enum(ThreadProperty)]
#[repr(u32)]
pub enum glasm_thread_property {
    /// Invocations of a thread group, at most 32.
    WarpSize = 0,
    /// Thread groups that a processor runs at a time.
    WarpsPerSm = 1,
    /// Number of processors.
    SmCount = 2,
}

/// Numbers of the vertex attributes that GL's conventional commands set: their locations in
/// modules.
#[c_enum]
#[repr(u32)]
pub enum glasm_vertex_attribute {
    Position = 0,
    Weight = 1,
    Normal = 2,
    Color = 3,
    SecondaryColor = 4,
    FogCoord = 5,
    /// Texture coordinate set n, below 8, is n more.
    TexCoord0 = 8,
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::state::ConventionalAttribute;

    #[test]
    fn attributes_have_the_numbers_of_the_library() {
        use glasm_vertex_attribute as C;
        for (number, attribute) in [
            (C::Position, ConventionalAttribute::Position),
            (C::Weight, ConventionalAttribute::Weight),
            (C::Normal, ConventionalAttribute::Normal),
            (C::Color, ConventionalAttribute::Color),
            (C::SecondaryColor, ConventionalAttribute::SecondaryColor),
            (C::FogCoord, ConventionalAttribute::FogCoord),
            (C::TexCoord0, ConventionalAttribute::TexCoord(0)),
        ] {
            assert_eq!(attribute.index(), Some(number as u32));
        }
    }

    #[test]
    fn numbers_that_stand_for_nothing_are_refused() {
        assert_eq!(
            read_number::<Target>(2, "target").unwrap(),
            Target::Vulkan1_3
        );
        assert_eq!(
            read_number::<Target>(3, "target").unwrap(),
            Target::OpenGl4_5
        );
        assert!(read_number::<Target>(4, "target").is_err());
        assert!(read_number::<glasm_matrix>(7, "matrix").is_err());
        for stage in 0..6 {
            assert!(read_program_type(stage).is_err());
        }
    }

    /// Checks the values of GL's header files.
    #[test]
    fn program_types_are_targets_of_gl() {
        let any = glasm_program_type::Any as u32;
        assert_eq!(read_program_type(any).unwrap(), None);
        for (target, expected) in [
            (0x8620, ProgramType::Stage(Stage::Vertex)),
            (0x8621, ProgramType::VertexState),
            (0x8804, ProgramType::Stage(Stage::Fragment)),
            (0x8870, ProgramType::Stage(Stage::Fragment)),
            (0x891e, ProgramType::Stage(Stage::TessControl)),
            (0x891f, ProgramType::Stage(Stage::TessEval)),
            (0x8c26, ProgramType::Stage(Stage::Geometry)),
            (0x90fb, ProgramType::Stage(Stage::Compute)),
        ] {
            assert_eq!(read_program_type(target).unwrap(), Some(expected));
        }
    }
}
