//! What stage inputs and outputs mean, and how wide they are.

use crate::operand::WriteMask;
use crate::text::words;
use crate::types::{Base, Width};
use std::fmt;

pub use crate::ids::{InputId, OutputId};

macro_rules! semantics {
    ($($(#[$doc:meta])* $name:ident $(($number:ident))? $({ $($(#[$field_doc:meta])* $field:ident,)* })? = $word:literal;)*) => {
        /// The meaning of a stage input or output. Unless said otherwise a value fills four float lanes, and missing lanes read
        /// (0, 0, 0, 1).
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
            /// The word of the text form, and the numbers that follow it.
            pub(crate) fn parts(self) -> (&'static str, Vec<u8>) {
                match self {
                    $(Self::$name $(($number))? $({ $($field,)* })? => ($word, vec![$($number)? $($($field),*)?]),)*
                }
            }

            /// The semantic of a word and its numbers.
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
    // Each with its word in the text form.
    /// Vertex attribute by number; conventional names alias (ARB_vertex_program table X.2, NV_vertex_program4).
    Attrib(n) = "attrib";
    /// Clip-space position of a vertex; as fragment input the window position (x, y, z, 1/w).
    Position = "position";
    /// Point size in lane x.
    PointSize = "point_size";
    /// Front-facing primary (0) or secondary (1) color.
    Color(n) = "color";
    /// Back-facing primary (0) or secondary (1) color.
    BackColor(n) = "back_color";
    /// [`Color`](Self::Color) once more, for modules that choose at run time whether it is interpolated: this one is not. No program names it.
    FlatColor(n) = "flat_color";
    /// [`BackColor`](Self::BackColor) once more, which is not interpolated. No program names it.
    FlatBackColor(n) = "flat_back_color";
    /// Where the line starts that a fragment belongs to, in pixels, for line stipples: (x, y). No program names it.
    LineStart = "line_start";
    /// What user clip planes clip by, for later stages that read it.
    ClipVertex = "clip_vertex";
    /// Fog coordinate in lane x; as fragment input (f, 0, 0, 1).
    FogCoord = "fog_coord";
    /// Fog as a vector of four components.
    FogVector = "fog_vector";
    /// Texture coordinate set.
    TexCoord(n) = "tex_coord";
    /// Generic varying (`result.attrib[n]`, `fragment.attrib[n]`, TGSI GENERIC).
    Generic(n) = "generic";
    /// Clip distance in lane x.
    ClipDistance(n) = "clip_distance";
    /// Cull distance in lane x: primitives whose vertices all have a negative one are dropped.
    CullDistance(n) = "cull_distance";
    /// Layer in lane x, integer.
    Layer = "layer";
    /// Viewport index in lane x, integer.
    ViewportIndex = "viewport_index";
    /// Mask of viewports in lane x, integer.
    ViewportMask = "viewport_mask";
    /// Position in the second view: lane x; the other lanes are those of the position.
    SecondaryPosition = "secondary_position";
    /// Mask of viewports of the second view in lane x, integer.
    SecondaryViewportMask = "secondary_viewport_mask";
    /// Primitive number in lane x, integer; before rasterization the number of the input primitive or patch in the draw.
    PrimitiveId = "primitive_id";
    /// Vertex number in lane x, integer; includes the base vertex. As input per vertex it is what the stage before has written.
    VertexId = "vertex_id";
    /// Instance number in lane x, integer, from 0 in every draw.
    InstanceId = "instance_id";
    /// Base vertex of the draw in lane x, integer.
    BaseVertex = "base_vertex";
    /// Base instance of the draw in lane x, integer.
    BaseInstance = "base_instance";
    /// Number of the draw in a multi-draw in lane x, integer.
    DrawId = "draw_id";
    /// Number of the invocation in lane x, integer: of a geometry program among those of its primitive, of a tessellation control program
    /// the vertex of the patch that it makes.
    InvocationId = "invocation_id";
    /// Number of vertices of the input primitive or patch in lane x, integer.
    VertexCount = "vertex_count";
    /// Place in the subdivided patch: (u, v, w), of triangles with sum 1.
    TessCoord = "tess_coord";
    /// Outer tessellation level of the patch in lane x.
    TessOuter(n) = "tess_outer";
    /// Inner tessellation level of the patch in lane x.
    TessInner(n) = "tess_inner";
    /// Generic varying of the patch (`result.patch.attrib[n]`).
    PatchGeneric(n) = "patch_generic";
    /// Facing in lane x: +1.0 front, -1.0 back.
    Facing = "facing";
    /// Point sprite coordinate (s, t, 0, 1).
    PointCoord = "point_coord";
    /// Sample number in lane x, integer.
    SampleId = "sample_id";
    /// Place of the sample that the fragment is for in its pixel, (x, y).
    SamplePosition = "sample_position";
    /// Mask of covered samples in lane x, integer.
    SampleMask = "sample_mask";
    /// In lane x 1 if the primitive covers all of the fragment and conservative rasterization is on, else 0.
    FullyCovered = "fully_covered";
    /// In lane x all ones if the fragment is a helper invocation, else 0.
    HelperInvocation = "helper_invocation";
    /// Fragment color of draw buffer `buffer`; `index` 1 is the second source of dual-source blending. As fragment input, with `index` 0, what
    /// the draw buffer holds before the fragment.
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
    /// Work-group number (x, y, z), integer.
    WorkgroupId = "workgroup_id";
    /// Number of work groups (x, y, z), integer.
    WorkgroupCount = "workgroup_count";
    /// Work-group size (x, y, z), integer.
    WorkgroupSize = "workgroup_size";
    /// Invocation number in the work group (x, y, z), integer.
    LocalInvocationId = "local_invocation_id";
    /// Invocation number in the dispatch (x, y, z), integer.
    GlobalInvocationId = "global_invocation_id";
    /// Flattened invocation number in the work group in lane x, integer.
    LocalInvocationIndex = "local_invocation_index";
    /// Invocation number in the thread group in lane x, integer, below 32.
    ThreadId = "thread_id";
    /// Mask with the bit of the invocation in its thread group in lane x.
    ThreadEqMask = "thread_eq_mask";
    /// Mask with the bits of lower invocation numbers in lane x.
    ThreadLtMask = "thread_lt_mask";
    /// Mask with the bits of lower invocation numbers and the own one in lane x.
    ThreadLeMask = "thread_le_mask";
    /// Mask with the bits of higher invocation numbers in lane x.
    ThreadGtMask = "thread_gt_mask";
    /// Mask with the bits of higher invocation numbers and the own one in lane x.
    ThreadGeMask = "thread_ge_mask";
    /// Number of invocations of a subgroup, the device's own, in lane x, integer.
    SubgroupSize = "subgroup_size";
    /// Invocation number in the subgroup in lane x, integer.
    SubgroupInvocation = "subgroup_invocation";
    /// Mask with the bit of the invocation in its subgroup: the words of a mask of 128 bits, the lowest in lane x.
    SubgroupEqMask = "subgroup_eq_mask";
    /// Such a mask with the bits of higher invocation numbers and the own one.
    SubgroupGeMask = "subgroup_ge_mask";
    /// Such a mask with the bits of higher invocation numbers.
    SubgroupGtMask = "subgroup_gt_mask";
    /// Such a mask with the bits of lower invocation numbers and the own one.
    SubgroupLeMask = "subgroup_le_mask";
    /// Such a mask with the bits of lower invocation numbers.
    SubgroupLtMask = "subgroup_lt_mask";
    /// Number of the thread group in lane x, integer.
    WarpId = "warp_id";
    /// Number of the processor in lane x, integer.
    SmId = "sm_id";
}

/// As in the text form.
impl fmt::Display for Semantic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, numbers) = self.parts();
        f.write_str(word)?;
        numbers
            .iter()
            .try_for_each(|number| write!(f, "[{number}]"))
    }
}

impl Semantic {
    /// Whether it is the number of the invocation in its thread group, or made of that.
    pub const fn is_thread_number(self) -> bool {
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

    /// Whether there is one value for a patch.
    pub const fn is_per_patch(self) -> bool {
        matches!(
            self,
            Self::TessOuter(_) | Self::TessInner(_) | Self::PatchGeneric(_)
        )
    }
}

/// How a fragment input is interpolated.
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

/// Where a fragment input is sampled.
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
    /// Lanes that each vertex takes from the input of the same meaning, in a program with
    /// [`Modes::passthrough`](crate::Modes::passthrough).
    pub passthrough: WriteMask,
}

impl Output {
    /// A float output.
    pub const fn new(semantic: Semantic) -> Self {
        Self {
            semantic,
            base: Base::Float,
            invariant: false,
            passthrough: WriteMask::NONE,
        }
    }
}

words! {
    Interpolation { Smooth = "smooth", NoPerspective = "noperspective", Flat = "flat" }
    Sampling { Center = "center", Centroid = "centroid", Sample = "sample" }
}
