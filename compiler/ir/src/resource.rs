//! Resources of a program other than registers: parameters, textures, buffers, and the sets of
//! textures or images that an access can read.

use crate::arena::NameId;
pub use crate::arena::{BufferId, ImageId, ParamId, TextureId};
use crate::operand::IndexTerm;
use crate::state::StateParam;
use crate::text_keywords::{words, words_of_tables};
use crate::types::Type;
use std::fmt;

/// Origin of the value of a parameter slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum ParamSource {
    /// `program.env[n]`
    Env(u32),
    /// `program.local[n]`
    Local(u32),
    /// `program.subroutine[n]`: lane x is the index of a subroutine.
    Subroutine(u32),
    /// `state.*`
    State(StateParam),
    /// A constant in a dynamically indexed array; bits of the four lanes.
    Literal([u32; 4]),
    /// A user-defined parameter with a name: its number among those of the program, which
    /// `Reflection::named_parameters` lists.
    Named(u32),
    /// The argument with which a state program is executed, its `v[0]`. NV_vertex_program section
    /// 2.14.4.
    Argument,
}

/// The languages' spelling of a parameter, such as `program.env[2]`; `program.named[n]`,
/// `program.subroutine[n]` and `program.argument` for those without one.
impl fmt::Display for ParamSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Env(index) => write!(f, "program.env[{index}]"),
            Self::Local(index) => write!(f, "program.local[{index}]"),
            Self::Subroutine(index) => write!(f, "program.subroutine[{index}]"),
            Self::State(param) => write!(f, "{param}"),
            Self::Literal(bits) => {
                let [x, y, z, w] = bits.map(f32::from_bits);
                write!(f, "{{{x}, {y}, {z}, {w}}}")
            }
            Self::Named(index) => write!(f, "program.named[{index}]"),
            Self::Argument => f.write_str("program.argument"),
        }
    }
}

/// A parameter that callers set by its name, regardless of whether the program reads it.
/// NV_fragment_program section 3.11.1.3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NamedParam {
    /// Name, unique in the program.
    pub name: NameId,
    /// Bits of its value until a caller sets another one.
    pub initial: [u32; 4],
}

/// A parameter slot. Slots of a dynamically indexed array have consecutive ids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    /// Origin of the value.
    pub source: ParamSource,
}

/// Texture targets of all languages. Shadow targets are the same with `Texture::shadow` set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum TexTarget {
    /// One-dimensional.
    #[cfg_attr(feature = "serde", serde(rename = "1d"))]
    D1,
    /// Two-dimensional.
    #[cfg_attr(feature = "serde", serde(rename = "2d"))]
    D2,
    /// Three-dimensional.
    #[cfg_attr(feature = "serde", serde(rename = "3d"))]
    D3,
    /// Cube map.
    Cube,
    /// Rectangle: unnormalised coordinates, one level.
    Rect,
    /// Array of one-dimensional.
    #[cfg_attr(feature = "serde", serde(rename = "1d_array"))]
    D1Array,
    /// Array of two-dimensional.
    #[cfg_attr(feature = "serde", serde(rename = "2d_array"))]
    D2Array,
    /// Array of cube maps.
    CubeArray,
    /// Buffer texture.
    Buffer,
    /// Two-dimensional multisample (and renderbuffers).
    #[cfg_attr(feature = "serde", serde(rename = "2d_multisample"))]
    D2Multisample,
    /// Array of two-dimensional multisample.
    #[cfg_attr(feature = "serde", serde(rename = "2d_multisample_array"))]
    D2MultisampleArray,
}

impl TexTarget {
    /// Targets with their names in the text form.
    pub const ALL: &'static [(Self, &'static str)] = &[
        (Self::D1, "1d"),
        (Self::D2, "2d"),
        (Self::D3, "3d"),
        (Self::Cube, "cube"),
        (Self::Rect, "rect"),
        (Self::D1Array, "1darray"),
        (Self::D2Array, "2darray"),
        (Self::CubeArray, "cubearray"),
        (Self::Buffer, "buffer"),
        (Self::D2Multisample, "2dms"),
        (Self::D2MultisampleArray, "2dmsarray"),
    ];

    /// Returns the number of coordinates without the layer; 3 for directions of cubes.
    pub const fn dimensions(self) -> u8 {
        match self {
            Self::D1 | Self::D1Array | Self::Buffer => 1,
            Self::D2
            | Self::Rect
            | Self::D2Array
            | Self::D2Multisample
            | Self::D2MultisampleArray => 2,
            Self::D3 | Self::Cube | Self::CubeArray => 3,
        }
    }

    /// Returns true if the target has faces.
    pub const fn is_cube(self) -> bool {
        matches!(self, Self::Cube | Self::CubeArray)
    }

    /// Returns the number of coordinates of a texel within a layer or a face.
    pub const fn plane_dimensions(self) -> u8 {
        if self.is_cube() { 2 } else { self.dimensions() }
    }

    /// Returns true if a layer coordinate follows the other coordinates.
    pub const fn is_array(self) -> bool {
        matches!(
            self,
            Self::D1Array | Self::D2Array | Self::CubeArray | Self::D2MultisampleArray
        )
    }

    /// Returns the number of components of a size: the dimensions of a layer or a face, then the
    /// number of layers.
    pub const fn size_components(self) -> u8 {
        self.plane_dimensions() + self.is_array() as u8
    }

    /// Returns true if texels have samples.
    pub const fn is_multisample(self) -> bool {
        matches!(self, Self::D2Multisample | Self::D2MultisampleArray)
    }
}

/// A texture image unit as the program uses it, a dynamically indexed array of consecutive units,
/// or all resident textures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Texture {
    /// The texture image units.
    pub units: UnitSet,
    /// Target.
    pub target: TexTarget,
    /// True if lookups compare with a reference.
    pub shadow: bool,
    /// Type to which texels are converted: `f32`, `s32` or `u32`.
    pub texel_type: Type,
    /// Texture image unit whose sampler replaces the sampler of the texture's unit. Single units
    /// only.
    pub sampler: Option<u32>,
}

impl Texture {
    /// Returns the unit whose sampler is used, the first one of an array.
    pub fn sampler_unit(&self) -> Option<u32> {
        self.sampler.or(self.units.first())
    }
}

/// Kind of access to a texture; it determines the sources that follow the coordinate.
///
/// Sources of [`Op::Tex`](crate::Op::Tex), in order: coordinate; reference (lane x) if the texture
/// is a shadow texture and the mode compares; the sources of the mode; the minimum level of detail
/// if the access has one; the offset if it is [`TexelOffset::Dynamic`]. Size and sample queries
/// have no coordinate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TexMode {
    /// Filtered, level of detail from derivatives; outside fragment programs the base level.
    Implicit,
    /// Like `Implicit` with a bias (lane x of one source).
    Bias,
    /// Filtered at the level of detail in lane x of one source.
    Lod,
    /// Filtered with derivatives: two sources, d/dx and d/dy.
    Grad,
    /// Texel fetch by integers at the level in lane x of one source. No comparison.
    Fetch,
    /// Texel fetch of the sample in lane x of one source. No comparison.
    FetchSample,
    /// The four texels of a footprint, component 0 to 3.
    Gather(u8),
    /// Like `Gather` with offsets per texel: two sources, x offsets and y offsets.
    GatherOffsets(u8),
    /// Size of the level in lane x of one source; no coordinate. Lanes: width, height, depth,
    /// levels, if the target has them; array targets return the number of layers in the lane after
    /// their dimensions.
    QuerySize,
    /// Levels of detail: accessed, computed.
    QueryLod,
    /// Number of samples; no sources.
    QuerySamples,
}

impl TexMode {
    /// Returns true if lookups of shadow textures have a reference in this mode.
    pub const fn has_reference(self) -> bool {
        self.reads_texels() && !self.has_integer_coordinate()
    }

    /// Returns true if the sources begin with a coordinate.
    pub const fn has_coordinate(self) -> bool {
        !matches!(self, Self::QuerySize | Self::QuerySamples)
    }

    /// Returns true if coordinates are integers.
    pub const fn has_integer_coordinate(self) -> bool {
        matches!(self, Self::Fetch | Self::FetchSample)
    }

    /// Returns true if the level of detail is computed from derivatives.
    pub const fn uses_derivatives(self) -> bool {
        matches!(self, Self::Implicit | Self::Bias | Self::Grad)
    }

    /// Returns true if texels are read.
    pub const fn reads_texels(self) -> bool {
        !matches!(self, Self::QuerySize | Self::QueryLod | Self::QuerySamples)
    }

    /// Returns the number of sources that belong to the mode itself, in addition to coordinate,
    /// reference, minimum level and offset.
    pub const fn mode_source_count(self) -> usize {
        match self {
            Self::Implicit | Self::Gather(_) | Self::QueryLod | Self::QuerySamples => 0,
            Self::Bias | Self::Lod | Self::Fetch | Self::FetchSample | Self::QuerySize => 1,
            Self::Grad | Self::GatherOffsets(_) => 2,
        }
    }
}

/// Offset added to texel coordinates; never to the layer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum TexelOffset {
    /// None.
    #[default]
    None,
    /// Constant.
    Constant([i8; 3]),
    /// The last source.
    Dynamic,
}

/// The access of one texture instruction.
///
/// The coordinate source has its lanes in the order s, t, r, layer without gaps, as many as the
/// target has; its type is `f32`, or `s32` if the mode fetches by integers. Projection has already
/// been divided out. All sources except integer coordinates, levels and offsets of fetches and
/// queries (`s32`) are `f32`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TexAccess {
    /// The texture.
    pub texture: TextureId,
    /// Dynamically indexed element of a texture array, or the low word of a handle.
    pub element: Option<IndexTerm>,
    /// Mode.
    pub mode: TexMode,
    /// Texel offset.
    pub offset: TexelOffset,
    /// Number of coordinate lanes, layer included.
    pub coordinate_lanes: u8,
    /// True if a reference follows the coordinate.
    pub has_reference: bool,
    /// True if the level of detail, bias included, is clamped to a minimum: lane x of a source.
    pub has_min_lod: bool,
}

/// Role of a source of a texture instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TexSourceRole {
    /// The coordinate.
    Coordinate,
    /// The comparison reference.
    Reference,
    /// The n-th source of the mode.
    Mode(usize),
    /// The minimum level of detail.
    MinLod,
    /// The dynamic texel offset.
    Offset,
}

impl TexAccess {
    /// Returns the access of `mode` to `texture`, without element, offset and minimum level of
    /// detail.
    pub const fn new(id: TextureId, texture: &Texture, mode: TexMode) -> Self {
        let lanes = texture.target.dimensions() + texture.target.is_array() as u8;
        Self {
            texture: id,
            element: None,
            mode,
            offset: TexelOffset::None,
            coordinate_lanes: if mode.has_coordinate() { lanes } else { 0 },
            has_reference: texture.shadow && mode.has_reference(),
            has_min_lod: false,
        }
    }

    /// Returns the number of sources of an instruction with this access.
    pub fn source_count(&self) -> usize {
        usize::from(self.mode.has_coordinate())
            + usize::from(self.has_reference)
            + self.mode.mode_source_count()
            + usize::from(self.has_min_lod)
            + usize::from(self.offset == TexelOffset::Dynamic)
    }

    /// Returns the role of source number `source`. Numbers beyond the other roles are the offset.
    pub fn source_role(&self, source: usize) -> TexSourceRole {
        let first_reference = usize::from(self.mode.has_coordinate());
        let first_own = first_reference + usize::from(self.has_reference);
        let end_own = first_own + self.mode.mode_source_count();
        if source < first_reference {
            TexSourceRole::Coordinate
        } else if source < first_own {
            TexSourceRole::Reference
        } else if source < end_own {
            TexSourceRole::Mode(source - first_own)
        } else if source == end_own && self.has_min_lod {
            TexSourceRole::MinLod
        } else {
            TexSourceRole::Offset
        }
    }

    /// Returns the type of source number `source`: integers for offsets and for the coordinates and
    /// levels of fetches and size queries, else 32-bit floats.
    pub fn source_type(&self, source: usize) -> Type {
        match (self.source_role(source), self.mode) {
            (
                TexSourceRole::Coordinate | TexSourceRole::Mode(_),
                TexMode::Fetch | TexMode::FetchSample,
            )
            | (TexSourceRole::Mode(_), TexMode::QuerySize | TexMode::GatherOffsets(_))
            | (TexSourceRole::Offset, _) => Type::S32,
            _ => Type::F32,
        }
    }

    /// Returns the lanes of source number `source` that are read. It is a mask.
    pub fn source_lanes(&self, source: usize) -> u8 {
        let lanes = |count: u8| (1u8 << count) - 1;
        match (self.source_role(source), self.mode) {
            (TexSourceRole::Coordinate, _) => lanes(self.coordinate_lanes),
            (TexSourceRole::Mode(_), TexMode::GatherOffsets(_)) => 0b1111,
            (TexSourceRole::Mode(_), TexMode::Grad) | (TexSourceRole::Offset, _) => {
                0b0111 & lanes(self.coordinate_lanes)
            }
            (TexSourceRole::Reference | TexSourceRole::Mode(_) | TexSourceRole::MinLod, _) => 1,
        }
    }
}

/// Kinds of buffers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum BufferKind {
    /// Program parameter buffer (`program.buffer[b]`): read only.
    ProgramParameter,
    /// Storage buffer.
    Storage,
    /// Memory shared by a work group.
    Shared,
    /// Private memory of each invocation, initially undefined. Out-of-bounds reads return 0,
    /// out-of-bounds writes have no effect.
    Private,
    /// Atomic counter buffer.
    AtomicCounter,
    /// The 96 parameters of vertex programs as state programs read and write them. Out-of-bounds
    /// reads return 0. NV_vertex_program section 2.14.4.
    VertexStateParameters,
}

/// Size in bytes of a buffer of [`BufferKind::VertexStateParameters`]: 96 vectors.
pub const STATE_BUFFER_BYTES: u32 = 96 * 16;

/// A buffer of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// Kind.
    pub kind: BufferKind,
    /// First binding number in the source language.
    pub binding: u32,
    /// Number of bindings if the program indexes them dynamically, otherwise `None`.
    pub array_len: Option<u32>,
    /// Size in bytes if the program declares it: shared and private memory, and constant buffers,
    /// which return 0 past it.
    pub size: Option<u32>,
}

/// The memory that is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemorySpace {
    /// Global memory by 64-bit address (the address source is `u64`).
    Global,
    /// A buffer by byte offset (the address source is `u32`).
    Buffer(BufferId),
}

/// An atomic operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum AtomicOp {
    /// Sum.
    Add,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// Increment; 0 if the old value is at least the operand.
    IncWrap,
    /// Decrement; the operand if the old value is 0 or above the operand.
    DecWrap,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Exchange.
    Exchange,
    /// Store lane y if memory equals lane x.
    CompareExchange,
}

impl AtomicOp {
    /// Operations with their names in the text form.
    pub const ALL: &'static [(Self, &'static str)] = &[
        (Self::Add, "add"),
        (Self::Min, "min"),
        (Self::Max, "max"),
        (Self::IncWrap, "inc_wrap"),
        (Self::DecWrap, "dec_wrap"),
        (Self::And, "and"),
        (Self::Or, "or"),
        (Self::Xor, "xor"),
        (Self::Exchange, "exchange"),
        (Self::CompareExchange, "compare_exchange"),
    ];
}

bitflags::bitflags! {
    /// Qualifiers of a memory access.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct MemFlags: u8 {
        /// The access is visible to other invocations (`COH`).
        const COHERENT = 1;
        /// The access is never merged or removed (`VOL`).
        const VOLATILE = 2;
    }
}

/// The access of one memory instruction. The instruction's type is the element's scalar type in
/// memory; 8- and 16-bit types are extended to 32-bit lanes on loading.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemAccess {
    /// The memory.
    pub space: MemorySpace,
    /// Dynamically indexed element of a buffer array.
    pub element: Option<IndexTerm>,
    /// Number of scalars: 1, 2 or 4.
    pub components: u8,
    /// Constant added to the address, in bytes.
    pub offset: i32,
    /// The operation of an atomic.
    pub atomic: Option<AtomicOp>,
    /// Qualifiers.
    pub flags: MemFlags,
}

impl MemAccess {
    /// Returns the lanes that a store reads or a load returns.
    pub const fn element_lanes(&self) -> u8 {
        ((1u16 << self.components) - 1) as u8
    }

    /// Returns the type of the address source: a 64-bit address, or a 32-bit offset in a buffer.
    pub const fn address_type(&self) -> Type {
        match self.space {
            MemorySpace::Global => Type::U64,
            MemorySpace::Buffer(_) => Type::U32,
        }
    }

    /// Returns the lanes of the value that an atomic reads, as a mask: its components, and y for
    /// the new value of a compare-exchange of one component.
    pub fn atomic_lanes(&self) -> u8 {
        if self.components > 1 {
            self.element_lanes()
        } else if self.atomic == Some(AtomicOp::CompareExchange) {
            3
        } else {
            1
        }
    }
}

words_of_tables! { TexTarget AtomicOp }

words! {
    BufferKind {
        ProgramParameter = "constant", Storage = "storage", Shared = "shared", Private = "private", AtomicCounter = "counter",
        VertexStateParameters = "state",
    }
}

/// The textures or images that a program accesses through one resource.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnitSet {
    /// The texture or image of one unit.
    Single(u32),
    /// The textures or images of consecutive units; an access selects one.
    Array {
        /// First unit.
        first: u32,
        /// Number of units.
        count: u32,
    },
    /// The resident textures or images with the target and the texels of the resource; the low word
    /// of a handle selects one.
    Handle,
    /// The resident textures with texels of any type, selected like `Handle`. For queries only,
    /// which read no texels.
    QueryHandle,
}

impl UnitSet {
    /// Returns the `count` units from `first` on, or one unit without a count.
    pub const fn new(first: u32, count: Option<u32>) -> Self {
        match count {
            Some(count) => Self::Array { first, count },
            None => Self::Single(first),
        }
    }

    /// Returns the first unit; `None` for handles.
    pub const fn first(self) -> Option<u32> {
        match self {
            Self::Single(first) | Self::Array { first, .. } => Some(first),
            Self::Handle | Self::QueryHandle => None,
        }
    }

    /// Returns the indices of the units; an empty range for handles.
    pub const fn indices(self) -> std::ops::Range<u32> {
        match self {
            Self::Single(unit) => unit..unit.saturating_add(1),
            Self::Array { first, count } => first..first.saturating_add(count),
            Self::Handle | Self::QueryHandle => 0..0,
        }
    }

    /// Returns true if handles select the texture or image.
    pub const fn is_handle(self) -> bool {
        matches!(self, Self::Handle | Self::QueryHandle)
    }
}
