//! Options of the caller: target, device features, bindings, conventions, debug information.

pub use crate::bindings::{
    BindingLayout, FIRST_ATTACHMENT_BINDING, FIRST_IMAGE_BINDING, IMAGE_LOCK_BINDING, IMAGE_UNITS,
};
pub use crate::dynamic_state::{
    AlphaTest, CompareFunction, LineStipple, PolygonStipple, StateBlock, StateSource, StateSources,
};
pub use crate::features::{DeviceFeatures, Subgroups};
pub use crate::texel_format::TexelFormat;
pub use crate::varyings::{VaryingLocation, Varyings};
use glasm_ir::{BaseType, Interpolation, Modes, Semantic, TexTarget};
use spirv::{Decoration, StorageClass};

/// Target environment: determines the SPIR-V version and the features in its core. In the order of
/// these versions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum Target {
    /// OpenGL with `GL_ARB_gl_spirv`, which is core in 4.6: SPIR-V 1.0 with the rules of the
    /// execution environment of OpenGL 4.5. Such modules require
    /// [`Conventions::opengl_environment`], [`BindingLayout::opengl`] and
    /// [`DeviceFeatures::of_opengl`].
    #[cfg_attr(feature = "serde", serde(rename = "opengl4_5"))]
    OpenGl4_5,
    /// Vulkan 1.1, SPIR-V 1.3.
    #[default]
    Vulkan1_1,
    /// Vulkan 1.2, SPIR-V 1.5.
    Vulkan1_2,
    /// Vulkan 1.3, SPIR-V 1.6.
    Vulkan1_3,
}

impl Target {
    /// All targets.
    pub const ALL: [Self; 4] = [
        Self::OpenGl4_5,
        Self::Vulkan1_1,
        Self::Vulkan1_2,
        Self::Vulkan1_3,
    ];

    /// Returns the name of the target, which is also spirv-val's name of the environment
    /// (`--target-env`).
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenGl4_5 => "opengl4.5",
            Self::Vulkan1_1 => "vulkan1.1",
            Self::Vulkan1_2 => "vulkan1.2",
            Self::Vulkan1_3 => "vulkan1.3",
        }
    }

    /// Returns the version of SPIR-V as encoded in the header of modules.
    pub(crate) const fn spirv_version(self) -> u32 {
        match self {
            // SPIR-V section 2.3: from the highest byte down 0, the major version, the minor
            // version, 0.
            Self::OpenGl4_5 => 0x0001_0000,
            Self::Vulkan1_1 => 0x0001_0300,
            Self::Vulkan1_2 => 0x0001_0500,
            Self::Vulkan1_3 => 0x0001_0600,
        }
    }

    /// Returns true if modules follow the rules of OpenGL, false for those of Vulkan.
    pub(crate) const fn is_opengl(self) -> bool {
        match self {
            Self::OpenGl4_5 => true,
            Self::Vulkan1_1 | Self::Vulkan1_2 | Self::Vulkan1_3 => false,
        }
    }

    /// Returns the storage class of storage blocks and the decoration of their structures. SPIR-V
    /// has a storage class for them since 1.3.
    pub(crate) const fn storage_block(self) -> (StorageClass, Decoration) {
        if self.is_opengl() {
            (StorageClass::Uniform, Decoration::BufferBlock)
        } else {
            // SPIR-V 1.3 introduced this class and deprecated `BufferBlock`.
            (StorageClass::StorageBuffer, Decoration::Block)
        }
    }
}

/// Maximum number of viewports: `MAX_VIEWPORTS` of GL, and the minimum of `maxViewports` for
/// devices that have several. If the device cannot send a primitive to several of them, each takes
/// an invocation for each of two views, and Vulkan guarantees 32 (`maxGeometryShaderInvocations`).
pub const MAX_VIEWPORTS: u32 = 16;

/// Depth range of clip space that the program writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum ClipDepth {
    /// 0 to w, as Vulkan clips.
    #[default]
    ZeroToOne,
    /// -w to w, as GL clips (GL 2.1 section 2.12): remapped at the end of the last vertex stage.
    NegativeOneToOne,
}

/// GL rules that differ from those of Vulkan.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct Conventions {
    /// Depth range of clip space.
    pub clip_depth: ClipDepth,
    /// True if derivatives in y are negated: for callers that draw with a flipped viewport.
    pub negate_ddy: bool,
    /// True if t of point coordinates increases in the opposite direction: for callers whose y = 0
    /// is the bottom of the image, while [`PointOrigin::UpperLeft`] is the upper left corner.
    pub flip_point_coord: bool,
    /// True if the environment counts instances from 0 in every draw, as GL and Direct3D do. Vulkan
    /// counts from the base instance.
    pub is_instance_index_zero_based: bool,
}

impl Conventions {
    /// Returns the conventions of Vulkan: clip depth is from 0 to 1, derivatives in y and point
    /// coordinates are not negated, and instance numbers start at the base instance.
    pub const fn vulkan() -> Self {
        Self {
            clip_depth: ClipDepth::ZeroToOne,
            negate_ddy: false,
            flip_point_coord: false,
            is_instance_index_zero_based: false,
        }
    }

    /// Returns the rules of [`Target::OpenGl4_5`], where OpenGL itself implements all rules that
    /// programs may depend on: depth, origins of windows and points, derivatives.
    pub const fn opengl_environment() -> Self {
        Self {
            // `InstanceId` of OpenGL starts at 0 in every draw.
            is_instance_index_zero_based: true,
            ..Self::vulkan()
        }
    }

    /// Returns GL's rules for a caller that stores images with y = 0 at GL's bottom: clip depth is
    /// remapped, and y is unchanged except in point coordinates.
    pub const fn opengl() -> Self {
        Self {
            clip_depth: ClipDepth::NegativeOneToOne,
            negate_ddy: false,
            flip_point_coord: true,
            is_instance_index_zero_based: false,
        }
    }
}

/// Corner of a point whose coordinate is (0, 0), in the upright image according to the caller's
/// conventions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum PointOrigin {
    /// GL's initial state.
    #[default]
    UpperLeft,
    /// Lower left corner: t increases upward.
    LowerLeft,
}

/// Numbering of primitives that are drawn as several: `QUADS` and `POLYGON` as triangles, which all
/// have the number of the original primitive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum PrimitiveIdMode {
    /// Each triangle has its own number.
    #[default]
    PerPrimitive,
    /// Two triangles share a number: quadrilaterals.
    PerQuad,
    /// All triangles have number 0: a polygon.
    Constant,
}

/// Tessellation levels of patches. Values are equal if their bits are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct DefaultTessLevels {
    /// Bits of the outer levels.
    pub outer: [u32; 4],
    /// Bits of the inner levels.
    pub inner: [u32; 2],
}

impl DefaultTessLevels {
    /// Creates default tessellation levels from the four outer and two inner ones.
    pub fn new(outer: [f32; 4], inner: [f32; 2]) -> Self {
        Self {
            // As bits, because floats have neither `Eq` nor `Hash`.
            outer: outer.map(f32::to_bits),
            inner: inner.map(f32::to_bits),
        }
    }
}

impl Default for DefaultTessLevels {
    /// Returns GL's initial state.
    fn default() -> Self {
        Self::new([1.0; 4], [1.0; 2])
    }
}

/// GL state of pipelines that programs depend on. A caller that changes it recompiles its programs,
/// unless [`Options::state_sources`] makes modules read it at run time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct PipelineState {
    /// True if fragments of back faces read the back colors (`VERTEX_PROGRAM_TWO_SIDE`).
    pub two_sided_color: bool,
    /// True if colors are not interpolated (`SHADE_MODEL` is `FLAT`; GL 2.1 section 2.14.7).
    pub flat_colors: bool,
    /// True if colors that the last stage before rasterization writes are clamped to [0, 1]
    /// (`CLAMP_VERTEX_COLOR`; ARB_color_buffer_float). For that stage only.
    pub clamp_vertex_colors: bool,
    /// Bit n: the point coordinate replaces texture coordinate set n (`COORD_REPLACE`; GL 2.1
    /// section 3.3). For pipelines that draw points.
    pub coord_replace_mask: u8,
    /// Origin of point coordinates (`POINT_SPRITE_COORD_ORIGIN`; GL 2.1 section 3.3).
    pub point_origin: PointOrigin,
    /// Size of all points, regardless of sizes that programs write (`VERTEX_PROGRAM_POINT_SIZE` is
    /// off; GL 2.1 section 3.3). For the last stage before rasterization.
    pub forced_point_size: Option<PointSize>,
    /// Size of points if the program writes none (`POINT_SIZE`; NV_vertex_program section
    /// 2.14.1.5). Without it the size is undefined in Vulkan. For the last stage before
    /// rasterization, if it is a vertex program, in pipelines that draw points.
    pub default_point_size: Option<PointSize>,
    /// Bit n: position-invariant vertex programs clip by user clip plane n, programs of
    /// NV_vertex_program2 by the distance n that they write (`CLIP_PLANEn`). Other programs ignore
    /// user clip planes and clip by all distances that they write.
    pub clip_plane_mask: u8,
    /// Number of vertices of the patches that a geometry program with `PRIMITIVE_IN PATCHES`
    /// receives (`PATCH_VERTICES`). Vulkan passes such a program no patches but primitives with the
    /// same number of vertices: points (1), lines (2), triangles (3), and lines (4) or triangles
    /// (6) with adjacency, which the caller draws.
    pub patch_vertices: u8,
    /// Maximum number of vertices that a geometry program emits, overriding its `VERTICES_OUT`
    /// (`ProgramVertexLimitNV`).
    pub max_output_vertices: Option<u32>,
    /// Numbering of primitives that Vulkan does not support: for the first stage after the vertex
    /// program that reads their numbers.
    pub primitive_id_mode: PrimitiveIdMode,
    /// True if a geometry program for triangles receives quadrilaterals: the caller draws lines
    /// with adjacency instead of `QUADS`, and the module runs twice for each four vertices V0 to
    /// V3, for V0 V1 V2 and for V0 V2 V3. NV_geometry_program4 issue 17.
    pub draws_quads_as_line_adjacency: bool,
    /// Levels of patches that have no control program (`PATCH_DEFAULT_OUTER_LEVEL`,
    /// `PATCH_DEFAULT_INNER_LEVEL`): for stages that the library creates for geometry programs with
    /// `PRIMITIVE_IN PATCHES`.
    pub default_tess_levels: DefaultTessLevels,
    /// True if the framebuffer has no layers, so that layers selected by programs are ignored:
    /// NV_geometry_program4 section 2.14.6.5. Their effect is undefined in Vulkan.
    pub is_framebuffer_unlayered: bool,
    /// True if fragment colors are clamped to [0, 1] for attachments of any format
    /// (`CLAMP_FRAGMENT_COLOR` is `TRUE`; ARB_color_buffer_float). Fixed-point attachments always
    /// clamp.
    pub clamp_fragment_colors: bool,
    /// Bit n: color attachment n is drawn to (`DrawBuffers`; ARB_draw_buffers section 4.2.1).
    /// Programs without numbered colors write all of them; 0 means attachment 0 alone. All bits may
    /// be set for attachments that only some draws write, with color writes disabled in the other
    /// pipelines.
    pub draw_buffer_mask: u8,
    /// Condition under which fragments pass by their alpha (`ALPHA_TEST`, `glAlphaFunc`). Vulkan
    /// has no such test.
    pub alpha_test: AlphaTest,
    /// Line stipple (`LINE_STIPPLE`, `glLineStipple`), for the last stage before rasterization and
    /// the fragment program.
    pub line_stipple: Option<LineStipple>,
}

impl PipelineState {
    /// Returns the state of a new GL context, which differs from the default: vertex colors are
    /// clamped (ARB_color_buffer_float), all points have size 1 (GL 2.1 table 6.12), and patches
    /// have three vertices (GL 4.0 table 6.12).
    ///
    /// The default is instead the state without effect on modules, so that a program that needs
    /// none of it contains no code for it.
    pub fn gl_initial() -> Self {
        Self {
            clamp_vertex_colors: true,
            forced_point_size: Some(1.0.into()),
            default_point_size: Some(1.0.into()),
            patch_vertices: 3,
            ..Self::default()
        }
    }
}

/// Debug information in the module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct DebugInfo {
    /// True for `OpName` for every source name. Interface variables have the names of the
    /// languages: `fragment_color`. The parameter block has a member for each parameter, at the
    /// same offset as without names.
    pub names: bool,
    /// True for `OpLine` for every instruction.
    pub lines: bool,
}

/// Properties of interface variables that are determined outside of the program: by API objects,
/// and by the adjacent stages.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct InterfaceTypes {
    /// Types of vertex attributes by location; missing ones have the type that the program
    /// declares.
    pub attributes: Vec<BaseType>,
    /// Types of color attachments; missing ones have the type that the program declares.
    pub colors: Vec<BaseType>,
    /// Varyings that the previous stage writes.
    pub inputs: Varyings,
    /// Varyings that the next stage reads.
    pub outputs: Varyings,
}

/// Components that the result of a depth comparison fills: GL's `DEPTH_TEXTURE_MODE` (ARB_shadow
/// section 3.8.13.1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum DepthMode {
    /// (r, r, r, 1), GL's initial state.
    #[default]
    Luminance,
    /// (r, r, r, r)
    Intensity,
    /// (0, 0, 0, r)
    Alpha,
    /// (r, 0, 0, 1)
    Red,
}

/// Transformation that a program applies to a texture coordinate because Vulkan's samplers cannot:
/// GL's wrap modes (NV_gpu_program4 section 3.8.8, table X.19).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum WrapMode {
    /// No transformation: the sampler wraps the coordinate.
    #[default]
    BySampler,
    /// `CLAMP`: clamps to 0 and 1, where linear filters weight the border with one half. The
    /// sampler must clamp to the border.
    Clamp,
    /// `MIRROR_CLAMP_EXT`: mirrors at 0, then like `Clamp`. The sampler must clamp to the border.
    MirrorClamp,
    /// `MIRROR_CLAMP_TO_BORDER_EXT`: mirrors at 0. The sampler must clamp to the border.
    MirrorClampToBorder,
    /// `MIRROR_CLAMP_TO_EDGE_EXT`, for devices without `samplerMirrorClampToEdge`: mirrors at 0.
    /// The sampler must clamp to the edge.
    MirrorClampToEdge,
}

impl WrapMode {
    /// Returns the transformation for a wrap mode of GL: the value of `TEXTURE_WRAP_S`, `_T` or
    /// `_R`. `None` for other numbers.
    pub const fn from_gl(wrap: u32) -> Option<Self> {
        Some(match wrap {
            // REPEAT, CLAMP_TO_BORDER, CLAMP_TO_EDGE, MIRRORED_REPEAT
            0x2901 | 0x812d | 0x812f | 0x8370 => Self::BySampler,
            0x2900 => Self::Clamp,
            0x8742 => Self::MirrorClamp,
            0x8743 => Self::MirrorClampToEdge,
            0x8912 => Self::MirrorClampToBorder,
            _ => return None,
        })
    }
}

/// Number of texels of a level that a filter reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum TexelFilter {
    /// Nearest one.
    #[default]
    Nearest,
    /// Two in each dimension.
    Linear,
}

/// Number of levels that a filter reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum MipFilter {
    /// Base level, regardless of the level of detail.
    #[default]
    None,
    /// Nearest level.
    Nearest,
    /// Two levels, or more with anisotropy.
    Linear,
}

/// Wrap modes of a texture image unit, with the filters of its sampler that they depend on.
///
/// A unit without wrap modes costs nothing. Otherwise an access has a clamp, after an absolute
/// value for mirroring modes, and:
///
/// - in fragment programs, where the level of detail matters, two derivatives, because it is
///   computed from the original coordinate (a bias takes an `exp2` more);
/// - for `Nearest` filters with [`WrapMode::Clamp`] and [`WrapMode::MirrorClamp`], and for `Linear`
///   ones with the mirroring modes and for offsets, a query of the size of a level. `Clamp` with
///   two `Nearest` filters is cheaper as [`WrapMode::BySampler`] with a sampler that clamps to the
///   edge, unless programs gather;
/// - for filters that differ, or if the size of a level is needed for a texture with levels, the
///   index of that level.
///
/// With [`MipFilter::Linear`] the size of the nearer level is used for both. Explicit levels of
/// detail are used unchanged: a bias or a range of the sampler does not change where they mirror.
/// Cube maps are filtered across their edges.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct TextureWrap {
    /// Modes of s, t and r.
    pub wrap_modes: [WrapMode; 3],
    /// Filter if texels cover more than a pixel.
    pub mag_filter: TexelFilter,
    /// Filter if texels cover less than a pixel.
    pub min_filter: TexelFilter,
    /// Filter between levels.
    pub mip_filter: MipFilter,
}

impl TextureWrap {
    /// Returns the modes and filters of a texture of GL (`glTexParameter`): `TEXTURE_WRAP_S`, `_T`
    /// and `_R`, `TEXTURE_MAG_FILTER` and `TEXTURE_MIN_FILTER`. `None` if one of the values is not
    /// a mode or a filter of its parameter, for which GL's error is `INVALID_ENUM`.
    pub fn from_gl(wraps: [u32; 3], mag_filter: u32, min_filter: u32) -> Option<Self> {
        let [s, t, r] = wraps.map(WrapMode::from_gl);
        let (mag_filter, MipFilter::None) = parse_filter(mag_filter)? else {
            return None;
        };
        let (min_filter, mip_filter) = parse_filter(min_filter)?;
        Some(Self {
            wrap_modes: [s?, t?, r?],
            mag_filter,
            min_filter,
            mip_filter,
        })
    }
}

/// Returns the filters within and between levels of a filter of GL; `None` for other numbers.
const fn parse_filter(filter: u32) -> Option<(TexelFilter, MipFilter)> {
    Some(match filter {
        // NEAREST, LINEAR
        0x2600 => (TexelFilter::Nearest, MipFilter::None),
        0x2601 => (TexelFilter::Linear, MipFilter::None),
        // NEAREST_MIPMAP_NEAREST and the others
        0x2700 => (TexelFilter::Nearest, MipFilter::Nearest),
        0x2701 => (TexelFilter::Linear, MipFilter::Nearest),
        0x2702 => (TexelFilter::Nearest, MipFilter::Linear),
        0x2703 => (TexelFilter::Linear, MipFilter::Linear),
        _ => return None,
    })
}

/// Returns the number of dimensions that have wrap modes, 0 for cubes and targets that are not
/// filtered.
pub(crate) const fn wrapped_dimensions(target: TexTarget) -> usize {
    match target {
        TexTarget::D1 | TexTarget::D1Array => 1,
        TexTarget::D2 | TexTarget::Rect | TexTarget::D2Array => 2,
        TexTarget::D3 => 3,
        // Filters continue on another face across the edges of a cube; the other targets are not
        // filtered.
        TexTarget::Cube
        | TexTarget::CubeArray
        | TexTarget::Buffer
        | TexTarget::D2Multisample
        | TexTarget::D2MultisampleArray => 0,
    }
}

/// Bias that a sampler adds to levels of detail. Values are equal if their bits are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct LodBias(u32);

impl From<f32> for LodBias {
    fn from(levels: f32) -> Self {
        Self(levels.to_bits())
    }
}

impl LodBias {
    /// Returns the bias in mipmap levels.
    pub const fn levels(self) -> f32 {
        f32::from_bits(self.0)
    }
}

/// Size of points in pixels. Values are equal if their bits are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct PointSize(u32);

impl From<f32> for PointSize {
    fn from(pixels: f32) -> Self {
        Self(pixels.to_bits())
    }
}

impl PointSize {
    /// Returns the size in pixels.
    pub const fn pixels(self) -> f32 {
        f32::from_bits(self.0)
    }

    /// Returns the bits of the size.
    pub(crate) const fn to_bits(self) -> u32 {
        self.0
    }
}

/// Shading language that a module is compiled for. Its features and conventions are already those
/// of the options; this record allows its writer to reject modules for another language.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(deny_unknown_fields)
)]
pub struct TextTarget {
    /// Name of the language with its version: `glsl330`.
    pub language: String,
    /// Conventions of the pipeline. Those of a stage that is not the last one before rasterization
    /// differ: it does not convert depths.
    pub conventions: Conventions,
    /// Outputs whose variables the fragment stage declares with another interpolation than
    /// `Smooth`, with that interpolation. Linking sets it; stages that are compiled alone declare
    /// colors as flat according to the state. GLSL before 4.40, GLSL ES and WGSL require the same
    /// declaration in both stages.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub interpolations: Vec<(Semantic, Interpolation)>,
}

/// Options of code generation.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct Options {
    /// Target environment.
    pub target: Target,
    /// Device features.
    pub device: DeviceFeatures,
    /// Descriptor sets and bindings.
    pub bindings: BindingLayout,
    /// GL rules.
    pub conventions: Conventions,
    /// GL state that programs depend on.
    pub pipeline_state: PipelineState,
    /// Sources from which modules read that state, and `polygon_stipple`, `depth_modes` and
    /// `texture_wraps`.
    pub state_sources: StateSources,
    /// Polygon stipple (`POLYGON_STIPPLE`), for fragment programs. Vulkan has none.
    pub polygon_stipple: Option<Box<PolygonStipple>>,
    /// Debug information.
    pub debug: DebugInfo,
    /// Interface types that the API decides.
    pub interface: InterfaceTypes,
    /// Lengths of the arrays that handles index.
    pub handles: HandleLimits,
    /// Depth modes of textures that are compared, by texture image unit; missing ones are
    /// luminance. An array of units uses the mode of its first unit; textures by handle are
    /// luminance.
    pub depth_modes: Vec<DepthMode>,
    /// True for texture image units whose textures are signed HILO: lookups return (HI, LO,
    /// sqrt(max(0, 1 - HI^2 - LO^2)), 1) of the filtered texel. Missing units are not.
    /// NV_fragment_program section 3.11.5.38. An array of units uses the value of its first unit.
    pub signed_hilo_textures: Vec<bool>,
    /// Formats of the images that will be bound, by image unit. Formatted loads and stores declare
    /// the format of their unit if the device supports neither reads nor writes without a format; a
    /// caller that binds another format then recompiles its programs. Units without a format here
    /// use the format that a TGSI program states for its image, on every device.
    pub image_formats: Vec<Option<TexelFormat>>,
    /// Wrap modes that programs apply themselves, by texture image unit; missing ones are left to
    /// samplers. An array of units uses the modes of its first unit.
    pub texture_wraps: Vec<TextureWrap>,
    /// Biases of samplers, by texture image unit; missing ones are 0. An array of units uses the
    /// bias of its first unit. Only accesses with a minimum level of detail read them, on devices
    /// without [`resource_min_lod`](DeviceFeatures::resource_min_lod) and outside fragment
    /// programs.
    pub lod_biases: Vec<LodBias>,
    /// Captured outputs, in the last stage before rasterization.
    pub transform_feedback: TransformFeedback,
    /// True if the product of zero of either sign and any value, infinities and NaN included, is
    /// +0, as on old GPUs (NV_vertex_program section 2.14.1.11). This applies to all products of
    /// floats of up to 32 bits that instructions consist of, including sums of products,
    /// interpolations and powers. Without this option products follow IEEE 754, where `0 * inf` and
    /// `0 * NaN` are NaN, as NV_gpu_program4 specifies.
    ///
    /// A product costs two comparisons, an "or" and a selection in addition, with a constant factor
    /// one comparison and a selection; squares cost nothing in addition. Dot products become single
    /// products and sums.
    pub zero_wins_multiply: bool,
    /// True if half-precision and fixed-point results in `!!FP1.0` programs are not rounded to the
    /// bits of these formats; fixed-point results are still clamped. Results are then more precise
    /// than the language specifies, and may exceed 65504 without becoming infinite. Rounding to
    /// half precision takes about fourteen instructions for each result, rounding to fixed point
    /// six.
    ///
    /// This option also permits drivers, as in GLSL, to reorder and contract sums and products, at
    /// the cost of infinities, NaN, signs of zero, and of equal results of equal instructions for
    /// OpenGL and in the register languages.
    pub skip_precision_rounding: bool,
    /// True if code flushes denormals on devices without
    /// [`denorm_flush_to_zero_float32`](DeviceFeatures::denorm_flush_to_zero_float32), about six
    /// instructions for each operand and each result. Programs of the register languages have no
    /// denormals (NV_vertex_program section 2.14.1.11, NV_fragment_program section 3.11.4.1). Their
    /// modules request flushing from devices with that feature; on others flushing is
    /// device-dependent without this option. State programs, which run once, always contain that
    /// code.
    pub emulate_denormal_flush: bool,
    /// Shading language that the module is compiled for, as `glasm_text::compiler_options` sets it;
    /// `None` for SPIR-V. In the module only the interpolation of outputs depends on it; the
    /// reflection repeats it.
    pub text_target: Option<TextTarget>,
}

impl Options {
    /// Returns the options of a new GL context whose programs become modules for a target:
    /// [`Conventions::opengl`] and [`PipelineState::gl_initial`].
    pub fn for_gl_context(target: Target) -> Self {
        Self {
            target,
            conventions: Conventions::opengl(),
            pipeline_state: PipelineState::gl_initial(),
            ..Self::default()
        }
    }

    /// Returns true if fragments may be discarded by a test outside of their program. These are the
    /// alpha test, also if it is read at run time, and the stipples of lines and polygons.
    pub(crate) fn tests_fragments(&self) -> bool {
        // A state that is read at run time may be on, regardless of the options.
        !self.state_sources.alpha_test.is_fixed()
            || self.pipeline_state.alpha_test.function != CompareFunction::Always
            || self.stipples_lines()
            || self.stipples_polygons()
    }

    /// Returns true if the module must be able to stipple polygons, because the state is set or not
    /// known yet.
    pub(crate) fn stipples_polygons(&self) -> bool {
        !self.state_sources.polygon_stipple.is_fixed() || self.polygon_stipple.is_some()
    }

    /// Returns true if the module must be able to stipple lines, because the state is set or not
    /// known yet.
    pub(crate) fn stipples_lines(&self) -> bool {
        !self.state_sources.line_stipple.is_fixed() || self.pipeline_state.line_stipple.is_some()
    }

    /// Returns the maximum number of vertices that a geometry program emits: that of the pipeline
    /// state, else the number that the program declares, at least 1.
    pub(crate) fn vertex_limit(&self, modes: &Modes) -> u32 {
        // More than 0: VUID-VkPipelineShaderStageCreateInfo-stage-00714.
        self.pipeline_state
            .max_output_vertices
            .unwrap_or(modes.vertices_out)
            .max(1)
    }
}

/// Components of a result that are captured for every vertex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(deny_unknown_fields)
)]
pub struct Capture {
    /// Result.
    pub semantic: Semantic,
    /// First component.
    pub first_component: u8,
    /// Number of components.
    pub component_count: u8,
    /// Number of the transform feedback buffer.
    pub buffer: u32,
    /// Bytes from the start of the vertex in the buffer.
    pub offset: u32,
    /// Vertex stream; streams other than 0 are for geometry programs.
    pub stream: u32,
}

impl Capture {
    /// Returns the end of the captured bytes: one past the last byte. A sum that exceeds 32 bits is
    /// the largest number.
    pub(crate) fn end(&self) -> u32 {
        // The caller chooses the offset, so the sum may overflow 32 bits.
        self.offset
            .saturating_add(4 * u32::from(self.component_count))
    }
}

/// Outputs that the last stage before rasterization writes to transform feedback buffers
/// (NV_transform_feedback). All components have 32 bits.
///
/// GL's interleaved mode is one buffer with consecutive captures, its separate mode one capture per
/// buffer; skipped components are a gap between offsets.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct TransformFeedback {
    /// Captures, in any order.
    pub captures: Vec<Capture>,
    /// Bytes from a vertex to the next, by buffer. Missing or zero strides extend to the end of the
    /// last capture.
    pub strides: Vec<u32>,
}

impl TransformFeedback {
    /// Returns the stride between vertices in a buffer in bytes: the given one if it is not 0, else
    /// the end of the last capture in the buffer, 0 without captures.
    pub fn stride(&self, buffer: u32) -> u32 {
        let given = self.strides.get(buffer as usize).copied();
        let captures = self
            .captures
            .iter()
            .filter(|capture| capture.buffer == buffer);
        let needed = captures.map(Capture::end).max().unwrap_or(0);
        given.filter(|stride| *stride > 0).unwrap_or(needed)
    }

    /// Returns the components of a result that are captured, as a mask. Components beyond w are
    /// ignored.
    pub(crate) fn lanes(&self, semantic: Semantic) -> u8 {
        let captures = self.captures.iter();
        let captures = captures.filter(|capture| capture.semantic == semantic);
        captures.fold(0, |all, capture| {
            // Components beyond w are an error, which `xfb::check_capture` reports.
            let lanes = capture.first_component
                ..capture
                    .first_component
                    .saturating_add(capture.component_count)
                    .min(4);
            lanes.fold(all, |mask, lane| mask | 1u8 << lane)
        })
    }

    /// Returns true if no output is captured.
    pub fn is_empty(&self) -> bool {
        self.captures.is_empty()
    }
}

/// Lengths of the arrays that handles index. Every array counts against the device's limits for a
/// stage. For a device that cannot index them dynamically, every access is a switch with a case for
/// each element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct HandleLimits {
    /// Elements of arrays of textures, at least 1: 0 is treated as 1.
    pub textures: u32,
    /// Elements of arrays of images, at least 1: 0 is treated as 1.
    pub images: u32,
}

impl Default for HandleLimits {
    /// Returns limits of 64 textures and 16 images.
    fn default() -> Self {
        Self {
            textures: 64,
            images: 16,
        }
    }
}
