//! Semantics, types and widths of stage inputs and outputs.

use crate::operand::WriteMask;
use crate::text_keywords::words;
use crate::types::{BaseType, Width};
use std::fmt;

pub use crate::arena::{InputId, OutputId};

macro_rules! semantics {
    ($($(#[$doc:meta])* $name:ident $(($number:ident))? $({ $($(#[$field_doc:meta])* $field:ident,)* })? = $word:literal;)*) => {
        /// The semantic of a stage input or output. Unless specified otherwise a value has four
        /// float lanes, and missing lanes read (0, 0, 0, 1).
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[cfg_attr(
            feature = "serde",
            derive(serde::Deserialize, serde::Serialize),
            serde(rename_all = "snake_case")
        )]
        pub enum Semantic { $(
            $(#[$doc])*
            $name $((semantics!(@number $number)))? $({ $($(#[$field_doc])* $field: u8,)* })?,
        )* }

        impl Semantic {
            /// Returns the keyword of the text form, and the numbers that follow it.
            pub(crate) fn to_parts(self) -> (&'static str, Vec<u8>) {
                match self {
                    $(Self::$name $(($number))? $({ $($field,)* })? => ($word, vec![$($number)? $($($field),*)?]),)*
                }
            }

            /// Returns the semantic with a keyword and its numbers; `None` if there is none with
            /// this keyword and as many numbers.
            pub(crate) fn from_parts(word: &str, numbers: &[u8]) -> Option<Self> {
                match (word, numbers) {
                    $(($word, &[$($number)? $($($field),*)?]) => Some(Self::$name $(($number))? $({ $($field,)* })?),)*
                    _ => None,
                }
            }
        }
    };
    (@number $number:ident) => { u8 };
}

semantics! {
    // Each variant with its keyword in the text form.
    /// Vertex attribute by index; conventional names alias (ARB_vertex_program table X.2,
    /// NV_vertex_program4).
    VertexAttribute(n) = "attrib";
    /// Clip-space position of a vertex; as fragment input the window position (x, y, z, 1/w).
    Position = "position";
    /// Point size in lane x.
    PointSize = "point_size";
    /// Front-facing primary (0) or secondary (1) color.
    Color(n) = "color";
    /// Back-facing primary (0) or secondary (1) color.
    BackColor(n) = "back_color";
    /// Copy of [`Color`](Self::Color) without interpolation, for modules that select at run time
    /// whether colors are interpolated. Programs cannot name it.
    FlatColor(n) = "flat_color";
    /// Copy of [`BackColor`](Self::BackColor) without interpolation. Programs cannot name it.
    FlatBackColor(n) = "flat_back_color";
    /// Start of the line that a fragment belongs to, in pixels, for line stipples: (x, y). Programs
    /// cannot name it.
    LineStippleStart = "line_start";
    /// Vertex position for user clip planes, for later stages that read it.
    ClipVertex = "clip_vertex";
    /// Fog coordinate in lane x; as fragment input (f, 0, 0, 1).
    FogCoord = "fog_coord";
    /// Fog as a vector of four components.
    FogCoordVec4 = "fog_vector";
    /// Texture coordinate set.
    TexCoord(n) = "tex_coord";
    /// Generic varying (`result.attrib[n]`, `fragment.attrib[n]`, TGSI GENERIC).
    GenericVarying(n) = "generic";
    /// Clip distance in lane x.
    ClipDistance(n) = "clip_distance";
    /// Cull distance in lane x: a primitive is dropped if all its vertices have a negative one.
    CullDistance(n) = "cull_distance";
    /// Layer in lane x, integer.
    Layer = "layer";
    /// Viewport index in lane x, integer.
    ViewportIndex = "viewport_index";
    /// Mask of viewports in lane x, integer.
    ViewportMask = "viewport_mask";
    /// Position in the second view: lane x; the other lanes equal those of the position.
    SecondaryPosition = "secondary_position";
    /// Mask of viewports of the second view in lane x, integer.
    SecondaryViewportMask = "secondary_viewport_mask";
    /// Primitive index in lane x, integer; before rasterization the index of the input primitive or
    /// patch in the draw.
    PrimitiveId = "primitive_id";
    /// Vertex index in lane x, integer; includes the base vertex. A per-vertex input has the value
    /// that the previous stage has written.
    VertexId = "vertex_id";
    /// Instance index in lane x, integer, from 0 in every draw.
    InstanceId = "instance_id";
    /// Base vertex of the draw in lane x, integer.
    BaseVertex = "base_vertex";
    /// Base instance of the draw in lane x, integer.
    BaseInstance = "base_instance";
    /// Index of the draw in a multi-draw in lane x, integer.
    DrawId = "draw_id";
    /// Index of the invocation in lane x, integer: among the invocations of a geometry program for
    /// its primitive; in a tessellation control program, the index of the output vertex.
    InvocationId = "invocation_id";
    /// Number of vertices of the input primitive or patch in lane x, integer.
    InputVertexCount = "vertex_count";
    /// Position in the subdivided patch: (u, v, w), with sum 1 for triangles.
    TessCoord = "tess_coord";
    /// Outer tessellation level of the patch in lane x.
    TessLevelOuter(n) = "tess_outer";
    /// Inner tessellation level of the patch in lane x.
    TessLevelInner(n) = "tess_inner";
    /// Generic varying of the patch (`result.patch.attrib[n]`).
    GenericPatchVarying(n) = "patch_generic";
    /// Facing in lane x: +1.0 front, -1.0 back.
    FaceSign = "facing";
    /// Point sprite coordinate (s, t, 0, 1).
    PointCoord = "point_coord";
    /// Sample index in lane x, integer.
    SampleId = "sample_id";
    /// Position of the shaded sample in its pixel, (x, y).
    SamplePosition = "sample_position";
    /// Coverage mask in lane x, integer.
    SampleMask = "sample_mask";
    /// 1 in lane x if the primitive covers the entire fragment and conservative rasterization is
    /// enabled, else 0.
    FullyCovered = "fully_covered";
    /// All ones in lane x if the fragment is a helper invocation, else 0.
    HelperInvocation = "helper_invocation";
    /// Fragment color of draw buffer `buffer`; `index` 1 is the second source of dual-source
    /// blending. As fragment input, with `index` 0, the content of the draw buffer before the
    /// fragment.
    FragColor {
        /// Draw buffer.
        buffer,
        /// Blend source index.
        index,
    } = "frag_color";
    /// Fragment depth, in lane z.
    FragDepth = "frag_depth";
    /// Reference value of the stencil test, integer, in lane y.
    FragStencil = "frag_stencil";
    /// Work-group index (x, y, z), integer.
    WorkgroupId = "workgroup_id";
    /// Number of work groups (x, y, z), integer.
    WorkgroupCount = "workgroup_count";
    /// Work-group size (x, y, z), integer.
    WorkgroupSize = "workgroup_size";
    /// Invocation index in the work group (x, y, z), integer.
    LocalInvocationId = "local_invocation_id";
    /// Invocation index in the dispatch (x, y, z), integer.
    GlobalInvocationId = "global_invocation_id";
    /// Flattened invocation index in the work group in lane x, integer.
    LocalInvocationIndex = "local_invocation_index";
    /// Invocation index in the thread group in lane x, integer, below 32.
    ThreadId = "thread_id";
    /// Mask with the bit of the invocation in its thread group in lane x.
    ThreadEqMask = "thread_eq_mask";
    /// Mask with the bits of lower invocation indices in lane x.
    ThreadLtMask = "thread_lt_mask";
    /// Mask with the bits of lower invocation indices and the current one in lane x.
    ThreadLeMask = "thread_le_mask";
    /// Mask with the bits of higher invocation indices in lane x.
    ThreadGtMask = "thread_gt_mask";
    /// Mask with the bits of higher invocation indices and the current one in lane x.
    ThreadGeMask = "thread_ge_mask";
    /// Number of invocations of the device's subgroup in lane x, integer.
    SubgroupSize = "subgroup_size";
    /// Invocation index in the subgroup in lane x, integer.
    SubgroupInvocation = "subgroup_invocation";
    /// Mask with the bit of the invocation in its subgroup: the words of a mask of 128 bits, the
    /// lowest in lane x.
    SubgroupEqMask = "subgroup_eq_mask";
    /// Subgroup mask with the bits of higher invocation indices and the current one.
    SubgroupGeMask = "subgroup_ge_mask";
    /// Subgroup mask with the bits of higher invocation indices.
    SubgroupGtMask = "subgroup_gt_mask";
    /// Subgroup mask with the bits of lower invocation indices and the current one.
    SubgroupLeMask = "subgroup_le_mask";
    /// Subgroup mask with the bits of lower invocation indices.
    SubgroupLtMask = "subgroup_lt_mask";
    /// Index of the thread group in lane x, integer.
    WarpId = "warp_id";
    /// Index of the processor in lane x, integer.
    SmId = "sm_id";
}

/// The text form.
impl fmt::Display for Semantic {
    /// Writes the keyword and the numbers in brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, numbers) = self.to_parts();
        f.write_str(word)?;
        numbers
            .iter()
            .try_for_each(|number| write!(f, "[{number}]"))
    }
}

impl Semantic {
    /// Returns true if the value is the index of the invocation in its thread group, or derived
    /// from it.
    pub const fn is_thread_index(self) -> bool {
        matches!(
            self,
            Self::ThreadId
                | Self::ThreadEqMask
                | Self::ThreadLtMask
                | Self::ThreadLeMask
                | Self::ThreadGtMask
                | Self::ThreadGeMask
        )
    }

    /// Returns true if there is one value for a patch.
    pub const fn is_per_patch(self) -> bool {
        matches!(
            self,
            Self::TessLevelOuter(_) | Self::TessLevelInner(_) | Self::GenericPatchVarying(_)
        )
    }
}

/// Interpolation of a fragment input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
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

/// Location at which a fragment input is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
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

/// A stage input. Elements of a dynamically indexed array have consecutive ids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Input {
    /// Semantic.
    pub semantic: Semantic,
    /// Type of the lanes as the program declares it; attributes and varyings may have any type.
    pub base: BaseType,
    /// Width of the lanes: 64 for vertex attributes of 64-bit components, else 32.
    pub width: Width,
    /// Interpolation of fragment inputs.
    pub interpolation: Interpolation,
    /// Sampling of fragment inputs.
    pub sampling: Sampling,
    /// True if there is one value per vertex of the input primitive or patch.
    pub per_vertex: bool,
}

impl Input {
    /// Returns a 32-bit float input that is interpolated smoothly, at the pixel center.
    pub const fn new(semantic: Semantic) -> Self {
        Self {
            semantic,
            base: BaseType::Float,
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
    /// Semantic.
    pub semantic: Semantic,
    /// Type of the lanes as the program declares it.
    pub base: BaseType,
    /// True if the position must be bit-identical to that of other invariant programs.
    pub invariant: bool,
    /// Lanes that each vertex receives from the input with the same semantic, in a program with
    /// [`Modes::passthrough`](crate::Modes::passthrough).
    pub passthrough: WriteMask,
}

impl Output {
    /// Returns a float output that is not invariant and not passed through.
    pub const fn new(semantic: Semantic) -> Self {
        Self {
            semantic,
            base: BaseType::Float,
            invariant: false,
            passthrough: WriteMask::NONE,
        }
    }
}

words! {
    Interpolation { Smooth = "smooth", NoPerspective = "noperspective", Flat = "flat" }
    Sampling { Center = "center", Centroid = "centroid", Sample = "sample" }
}
