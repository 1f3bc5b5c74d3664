//! What stage inputs and outputs mean, and how wide they are.

use crate::define_ids;
use crate::types::{Base, Width};

define_ids! {
    /// A stage input.
    InputId = "in";
    /// A stage output.
    OutputId = "out";
}

/// The meaning of a stage input or output. Unless said otherwise a value fills four float lanes, and missing lanes read (0, 0, 0, 1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum Semantic {
    /// Vertex attribute by number; conventional names alias (ARB_vertex_program table X.2, NV_vertex_program4).
    Attrib(u8),
    /// Clip-space position of a vertex; as fragment input the window position (x, y, z, 1/w).
    Position,
    /// Point size in lane x.
    PointSize,
    /// Front-facing primary (0) or secondary (1) color.
    Color(u8),
    /// Back-facing primary (0) or secondary (1) color.
    BackColor(u8),
    /// Fog coordinate in lane x; as fragment input (f, 0, 0, 1).
    FogCoord,
    /// Texture coordinate set.
    TexCoord(u8),
    /// Generic varying (`result.attrib[n]`, `fragment.attrib[n]`, TGSI GENERIC).
    Generic(u8),
    /// Clip distance in lane x.
    ClipDistance(u8),
    /// Layer in lane x, integer.
    Layer,
    /// Viewport index in lane x, integer.
    ViewportIndex,
    /// Mask of viewports in lane x, integer.
    ViewportMask,
    /// Position in the second view: lane x; the other lanes are those of the position.
    SecondaryPosition,
    /// Mask of viewports of the second view in lane x, integer.
    SecondaryViewportMask,
    /// Primitive number in lane x, integer.
    PrimitiveId,
    /// Vertex number in lane x, integer; includes the base vertex.
    VertexId,
    /// Instance number in lane x, integer, from 0 in every draw.
    InstanceId,
    /// Base vertex of the draw in lane x, integer.
    BaseVertex,
    /// Base instance of the draw in lane x, integer.
    BaseInstance,
    /// Number of the draw in a multi-draw in lane x, integer.
    DrawId,
    /// Facing in lane x: +1.0 front, -1.0 back.
    Facing,
    /// Point sprite coordinate (s, t, 0, 1).
    PointCoord,
    /// Sample number in lane x, integer.
    SampleId,
    /// Mask of covered samples in lane x, integer.
    SampleMask,
    /// In lane x 1 if the primitive covers all of the fragment and conservative rasterization is on, else 0.
    FullyCovered,
    /// In lane x all ones if the fragment is a helper invocation, else 0.
    HelperInvocation,
    /// Fragment color of draw buffer `buffer`; `index` 1 is the second source of dual-source blending.
    FragColor {
        /// Draw buffer.
        buffer: u8,
        /// Blend source index.
        index: u8,
    },
    /// Fragment depth, in lane z.
    FragDepth,
    /// Work-group number (x, y, z), integer.
    WorkgroupId,
    /// Number of work groups (x, y, z), integer.
    WorkgroupCount,
    /// Work-group size (x, y, z), integer.
    WorkgroupSize,
    /// Invocation number in the work group (x, y, z), integer.
    LocalInvocationId,
    /// Invocation number in the dispatch (x, y, z), integer.
    GlobalInvocationId,
    /// Flattened invocation number in the work group in lane x, integer.
    LocalInvocationIndex,
    /// Invocation number in the thread group in lane x, integer, below 32.
    ThreadId,
    /// Mask with the bit of the invocation in its thread group in lane x.
    ThreadEqMask,
    /// Mask with the bits of lower invocation numbers in lane x.
    ThreadLtMask,
    /// Mask with the bits of lower invocation numbers and the own one in lane x.
    ThreadLeMask,
    /// Mask with the bits of higher invocation numbers in lane x.
    ThreadGtMask,
    /// Mask with the bits of higher invocation numbers and the own one in lane x.
    ThreadGeMask,
    /// Number of the thread group in lane x, integer.
    WarpId,
    /// Number of the processor in lane x, integer.
    SmId,
}

/// How a fragment input is interpolated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum Interpolation {
    /// Perspective-correct.
    #[default]
    Smooth,
    /// Linear in screen space.
    NoPerspective,
    /// The provoking vertex's value.
    Flat,
}

/// Where a fragment input is sampled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum Sampling {
    /// At the pixel center.
    #[default]
    Center,
    /// Within the covered area.
    Centroid,
    /// At each sample.
    Sample,
}

/// A stage input. Elements of an array that is indexed at run time have consecutive ids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Input {
    /// Meaning.
    pub semantic: Semantic,
    /// Type of the lanes as the program declares it; attributes and varyings may be of any.
    pub base: Base,
    /// Width of the lanes: 64 for vertex attributes of 64-bit components, else 32.
    pub width: Width,
    /// Interpolation of fragment inputs.
    pub interpolation: Interpolation,
    /// Sampling of fragment inputs.
    pub sampling: Sampling,
    /// Whether there is one value per vertex of the input primitive or patch.
    pub per_vertex: bool,
}

impl Input {
    /// A smooth float input.
    pub const fn new(semantic: Semantic) -> Self {
        Self {
            semantic,
            base: Base::Float,
            width: Width::W32,
            interpolation: Interpolation::Smooth,
            sampling: Sampling::Center,
            per_vertex: false,
        }
    }
}

/// A stage output: written through the register whose [`Storage`](crate::Storage) names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Output {
    /// Meaning.
    pub semantic: Semantic,
    /// Type of the lanes as the program declares it.
    pub base: Base,
    /// Whether the position must be bit-identical to that of other invariant programs.
    pub invariant: bool,
}

impl Output {
    /// A float output.
    pub const fn new(semantic: Semantic) -> Self {
        Self {
            semantic,
            base: Base::Float,
            invariant: false,
        }
    }
}
