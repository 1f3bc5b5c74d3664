//! Commands of the `[test]` section as data.

use super::attachments::MAX_COLORS;
use super::gl_state::StateUpdate;
use super::names::ATTRIBUTES;
use super::pipeline_state::PipelineState;
use super::program_state::TextureEnables;
use crate::data::{DataRange, Scalar, Sequence, TypedData};
use crate::format::Format;
use crate::probe::pixels::{PixelProbe, Surface};
use crate::probe::{Comparison, Tolerances};
use crate::texture::{ImagePart, PlaneId, Sampling, Update};
use ash::vk;
use glasm::ir::Stage;
use glasm::state::matrix::Matrix;

/// A command and its line.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    pub line: u32,
    pub command: Command,
}

/// A buffer of the script: index into [`Script::buffers`](super::Script::buffers).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct BufferId(pub usize);

/// Kinds of buffers that are bound through descriptors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BufferKind {
    Uniform,
    Storage,
    /// Atomic counters, which only assembly programs know.
    Counter,
    /// Captured vertices.
    Feedback,
}

/// A place where programs find a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BindTarget {
    /// For all stages.
    Bound {
        kind: BufferKind,
        set: u32,
        binding: u32,
    },
    /// `program.buffer[index]` of one stage.
    Param { stage: Stage, index: u32 },
}

impl BindTarget {
    /// How the buffer there is read.
    pub fn kind(self) -> BufferKind {
        match self {
            Self::Bound { kind, .. } => kind,
            Self::Param { .. } => BufferKind::Uniform,
        }
    }
}

impl std::fmt::Display for BindTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bound { kind, set, binding } => {
                let word = match kind {
                    BufferKind::Uniform => "ubo",
                    BufferKind::Storage => "ssbo",
                    BufferKind::Counter => "counter",
                    BufferKind::Feedback => "xfb",
                };
                write!(f, "{word} {set}:{binding}")
            }
            Self::Param { stage, index } => {
                write!(f, "buffer {index} of {} programs", stage.name())
            }
        }
    }
}

/// A part of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferRange {
    pub buffer: BufferId,
    pub offset: u64,
    /// To the end of the buffer unless given.
    pub size: Option<u64>,
}

/// How many work groups run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Groups {
    Given([u32; 3]),
    /// Three words of a buffer say it.
    Indirect(BufferRange),
}

/// An address in a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferAddress {
    pub buffer: BufferId,
    pub offset: u64,
}

/// What a buffer is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BufferKey {
    /// Reached by its address.
    Named(String),
    /// Bound through a descriptor; assembly programs know only the binding.
    Bound {
        kind: BufferKind,
        set: u32,
        binding: u32,
    },
}

impl std::fmt::Display for BufferKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Named(name) => write!(f, "buffer `{name}`"),
            Self::Bound { kind, set, binding } => BindTarget::Bound {
                kind: *kind,
                set: *set,
                binding: *binding,
            }
            .fmt(f),
        }
    }
}

/// A buffer, filled with zeros at the start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BufferDecl {
    pub key: BufferKey,
    pub size: u64,
    /// Line where it is first mentioned.
    pub line: u32,
}

/// Which parameters of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ParamBank {
    /// `program.env`
    Env,
    /// `program.local`
    Local,
    /// `program.subroutine`
    Subroutine,
}

/// Types with which GL sets and queries parameters: `GL_ARB_vertex_program`'s commands, `Iiv` and `Iuiv`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamType {
    Float,
    Int,
    Uint,
}

impl ParamType {
    /// The type of components; `None` for those of other sizes, which GL does not query.
    pub(super) fn of(scalar: Scalar) -> Option<Self> {
        [
            (Scalar::F32, Self::Float),
            (Scalar::I32, Self::Int),
            (Scalar::U32, Self::Uint),
        ]
        .into_iter()
        .find_map(|(known, ty)| (known == scalar).then_some(ty))
    }
}

/// Components that GL counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ComponentKind {
    Attribs,
    Results,
}

/// The value of a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParamValue {
    /// Type and bits of the four components.
    Words(Option<ParamType>, [u32; 4]),
    /// 64-bit addresses in (x, y) and, with two of them, in (z, w); low word first. Other components stay as they are.
    Addresses(Vec<BufferAddress>),
    /// 64-bit handles in (x, y) and, with two of them, in (z, w). The handle of a texture or image is the number of its unit.
    Handles(Vec<u32>),
}

/// A matrix of GL state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatrixTarget {
    Modelview(u32),
    Projection,
    Texture(u32),
    Palette(u32),
    Program(u32),
}

/// What happens to a matrix.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum MatrixUpdate {
    Load(Matrix),
    /// Multiplied from the right, as GL's matrix commands do.
    Multiply(Matrix),
    /// Kept for a later `Pop`.
    Push,
    /// Becomes what it was at the `Push`, of which the parser has found one.
    Pop,
}

/// Vertices of a draw.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum DrawSource {
    /// Corners `(x, y)` and, if given, `(x + width, y + height)` texture coordinates likewise.
    Rect {
        position: [f32; 4],
        texcoord: Option<[f32; 4]>,
    },
    Arrays {
        first: u32,
        count: u32,
    },
    Indexed {
        first: u32,
        count: u32,
        vertex_offset: i32,
        width: IndexWidth,
    },
}

/// Bits of an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum IndexWidth {
    U8,
    U16,
    #[default]
    U32,
}

impl IndexWidth {
    /// The largest index, which restarts primitives where that is enabled.
    pub fn max(self) -> u32 {
        match self {
            Self::U8 => 0xff,
            Self::U16 => 0xffff,
            Self::U32 => u32::MAX,
        }
    }
}

/// How vertices make primitives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assembly {
    /// As the topology says.
    Direct,
    /// GL's quadrilaterals, as two triangles each.
    Quads,
    QuadStrip,
    /// GL's polygon, as triangles.
    Polygon,
    /// GL's closed line, as lines.
    LineLoop,
}

/// Number of instances that take the same value of each attribute; 0 steps with every vertex.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Divisors(pub [u16; ATTRIBUTES as usize]);

/// A draw.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Draw {
    pub state: PipelineState,
    pub topology: vk::PrimitiveTopology,
    pub assembly: Assembly,
    pub source: DrawSource,
    pub divisors: Divisors,
    pub instances: u32,
    pub first_instance: u32,
}

/// A storage image by its descriptor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ImageKey {
    pub set: u32,
    pub binding: u32,
}

impl ImageKey {
    /// Set of image units.
    const SET: u32 = 3;
    /// Binding of image unit 0: storage buffers and atomic counters of programs come before.
    const FIRST_BINDING: u32 = 128;

    /// The image of an image unit.
    pub fn of_unit(unit: u32) -> Self {
        Self {
            set: Self::SET,
            binding: Self::FIRST_BINDING + unit,
        }
    }

    /// The image unit, unless modules find the image by descriptor only.
    pub fn unit(self) -> Option<u32> {
        let unit = self.binding.checked_sub(Self::FIRST_BINDING);
        unit.filter(|_| self.set == Self::SET)
    }
}

/// A part of an image, and as what programs see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundImage {
    pub image: ImageKey,
    pub part: ImagePart,
    /// Its own unless given.
    pub format: Option<Format>,
}

impl std::fmt::Display for ImageKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.unit() {
            Some(unit) => write!(f, "image {unit}"),
            None => write!(f, "image {}:{}", self.set, self.binding),
        }
    }
}

/// Where an error is expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpectedPlace {
    Start(u32),
    Bytes {
        start: u32,
        end: u32,
    },
    /// Line and column of the program string, from 1.
    Position {
        line: usize,
        column: usize,
    },
    /// The error is found only after the whole program was read.
    WholeProgram,
}

/// An error that a program must give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExpectedError {
    pub code: glasm::Code,
    pub place: Option<ExpectedPlace>,
}

/// Something that is counted while vertices are captured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CaptureCount {
    /// Primitives of a stream that were written.
    Primitives { stream: u32 },
    /// Primitives of a stream that would have been written had there been room.
    Needed { stream: u32 },
    /// Bytes of a buffer up to the end of what was written.
    Bytes { buffer: u32 },
}

/// What `clear` fills attachments with.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Clear {
    /// By attachment. 64-bit floats hold 32-bit integers exactly.
    pub colors: [[f64; 4]; MAX_COLORS],
    pub depth: f32,
    pub stencil: u32,
    /// The only color attachment that is cleared; `None` clears everything.
    pub only: Option<u32>,
}

impl Default for Clear {
    fn default() -> Self {
        Self {
            colors: [[0.0; 4]; MAX_COLORS],
            depth: 1.0,
            stencil: 0,
            only: None,
        }
    }
}

/// A command.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    Clear(Clear),
    Draw(Box<Draw>),
    Compute {
        groups: Groups,
        /// Size of a group, for programs that leave it open.
        size: Option<[u32; 3]>,
        /// Number of the name of the entry point.
        entry_point: usize,
    },
    Parameter {
        bank: ParamBank,
        stage: Stage,
        index: u32,
        value: ParamValue,
    },
    Matrix {
        target: MatrixTarget,
        update: MatrixUpdate,
    },
    GlState(StateUpdate),
    /// Current value of a vertex attribute.
    Attribute {
        location: u32,
        value: [f32; 4],
    },
    /// A texture or a part of one.
    Texture {
        unit: u32,
        update: Update,
    },
    /// How a texture is sampled from now on.
    Sampling {
        unit: u32,
        sampling: Sampling,
    },
    /// The size of all points from now on; `None` leaves it to programs.
    FixedPointSize(Option<f32>),
    /// Which textures a unit has enabled for draws without fragment program.
    TextureEnables {
        unit: u32,
        enables: TextureEnables,
    },
    /// A storage image or a part of one.
    Image {
        key: ImageKey,
        update: Update,
    },
    /// What programs see from now on where they look for the image of a place.
    BindImage {
        place: ImageKey,
        bound: BoundImage,
    },
    ProbeImage {
        key: ImageKey,
        plane: PlaneId,
        probe: PixelProbe,
    },
    PrintImage {
        key: ImageKey,
        plane: PlaneId,
    },
    BufferData {
        buffer: BufferId,
        data: TypedData,
    },
    /// The values again and again until the end of the buffer.
    BufferFill {
        buffer: BufferId,
        data: TypedData,
    },
    BufferSequence {
        buffer: BufferId,
        sequence: Sequence,
    },
    /// 64-bit addresses, one after the other.
    BufferAddresses {
        buffer: BufferId,
        offset: u64,
        addresses: Vec<BufferAddress>,
    },
    BindBuffer {
        target: BindTarget,
        range: BufferRange,
    },
    PushData(TypedData),
    ProbePixels(PixelProbe),
    ProbeBuffer {
        buffer: BufferId,
        expected: TypedData,
        comparison: Comparison,
        tolerances: Tolerances,
    },
    /// Vertices of later draws are captured, from the start of the buffers on.
    BeginCapture,
    EndCapture,
    ProbeCapture {
        count: CaptureCount,
        comparison: Comparison,
        expected: u64,
    },
    /// Samples of the last draw that passed all tests.
    ProbeSamples {
        comparison: Comparison,
        expected: u64,
    },
    /// How many components of bindings the program of a stage uses.
    ProbeComponents {
        stage: Stage,
        kind: ComponentKind,
        comparison: Comparison,
        expected: u32,
    },
    /// The bits of a parameter; `None` if it has another type.
    ProbeParameter {
        bank: ParamBank,
        stage: Stage,
        index: u32,
        ty: ParamType,
        expected: Option<[u32; 4]>,
    },
    PrintBuffer {
        buffer: BufferId,
        range: DataRange,
    },
    /// The depth range of the viewport, for `state.depth.range`.
    DepthRange([f32; 2]),
    SaveImage {
        name: String,
        surface: Surface,
    },
    ExpectError(ExpectedError),
    /// Loads a program in the place of the stage's, unless it has this error.
    Load {
        spare: usize,
        error: Option<ExpectedError>,
    },
}
