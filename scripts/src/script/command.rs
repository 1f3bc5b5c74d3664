//! Commands of the `[test]` section as data; draws with their sources of vertices, their assembly
//! and the expected outcome.

mod buffers;
mod gl_state;
mod textures;

use super::model::MAX_COLORS;
use super::pipeline_state::PipelineState;
use super::vertex_data::ATTRIBUTES;
use crate::data::{DataRange, Sequence, TypedData};
use crate::probe::pixels::{PixelProbe, Surface};
use crate::probe::{ComparisonOp, Tolerances};
use crate::texture::{PlaneId, Sampling, TextureUpdate};
use ash::vk;
use glasm::ir::Stage;
use glasm::state::MatrixTracking;

pub use buffers::{
    BindTarget, BufferAddress, BufferDecl, BufferId, BufferKey, BufferKind, BufferRange,
    capture_ranges,
};
pub use buffers::{MatrixTarget, MatrixUpdate, ParamBank, ParamType, ParamValue};
pub(crate) use gl_state::state_properties;
pub use gl_state::{
    CombinerChannels, CombinerOutputs, CombinerUpdate, EnvironmentMode, FixedCapability,
    FixedUpdate, Switch, TexEnvUpdate, TextureShaderUpdate,
};
pub use gl_state::{Faces, FogUpdate, LightUpdate, MaterialUpdate, PointUpdate, StateUpdate};
pub use textures::{BoundImage, HandleUnit, ImageKey, TextureEnables};

/// Command and its line.
#[derive(Clone, PartialEq, Debug)]
pub struct ScriptStep {
    /// Line, from 1.
    pub line: u32,
    /// Command.
    pub command: Command,
}

/// Number of work groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupCount {
    /// Numbers in x, y and z.
    Direct([u32; 3]),
    /// Number of groups that is in three words of a buffer.
    Indirect(BufferRange),
}

/// Resource of a program that GL counts: `glGetProgramivARB`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CountKind {
    /// Components of attributes that the program reads.
    AttribComponents,
    /// Components of results that the program writes.
    ResultComponents,
    /// Instructions.
    Instructions,
    /// Instructions that access no texture.
    AluInstructions,
    /// Instructions that access a texture, and KIL.
    TextureInstructions,
    /// Nodes of the chain of dependent texture accesses.
    TextureIndirections,
    /// Temporaries that are declared.
    Temporaries,
    /// Different parameters.
    Parameters,
    /// Different attributes.
    Attribs,
    /// Address registers that are declared.
    AddressRegisters,
}

impl CountKind {
    /// Words of `probe program`.
    pub const WORDS: &'static [(&'static str, Self)] = &[
        ("attrib_components", Self::AttribComponents),
        ("result_components", Self::ResultComponents),
        ("instructions", Self::Instructions),
        ("alu_instructions", Self::AluInstructions),
        ("texture_instructions", Self::TextureInstructions),
        ("texture_indirections", Self::TextureIndirections),
        ("temporaries", Self::Temporaries),
        ("parameters", Self::Parameters),
        ("attribs", Self::Attribs),
        ("address_registers", Self::AddressRegisters),
    ];

    /// Returns the keyword of the resource in scripts.
    pub fn keyword(self) -> &'static str {
        let row = Self::WORDS.iter().find(|row| row.1 == self);
        row.map_or("", |row| row.0)
    }
}

/// Expected result of executing a vertex state program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateProgramOutcome {
    /// The program writes parameters.
    Writes,
    /// The program causes an error and changes nothing: it writes a parameter that tracks a matrix.
    Fails,
}

/// Expected position of an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpectedPosition {
    /// Error's first byte in the program string, from 0.
    Start(u32),
    /// Error's span in the program string.
    Bytes {
        /// First byte, from 0.
        start: u32,
        /// End offset.
        end: u32,
    },
    /// Line and column of the program string, from 1.
    Position {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
    },
    /// The error is found only after the whole program was read.
    WholeProgram,
}

/// Error or warning that a program must have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExpectedError {
    /// Code that it must have.
    pub code: glasm::Code,
    /// Expected position; `None` accepts any position.
    pub position: Option<ExpectedPosition>,
}

/// Counter of transform feedback.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CaptureCount {
    /// Primitives of a stream that were written.
    Primitives {
        /// Number of the vertex stream.
        stream: u32,
    },
    /// Number of primitives of a stream that a buffer of sufficient size would have received.
    Needed {
        /// Number of the vertex stream.
        stream: u32,
    },
    /// Size of the written part of a buffer, in bytes.
    Bytes {
        /// Binding number of the buffer.
        buffer: u32,
    },
}

/// Clear values of attachments.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Clear {
    /// Colors by attachment. 64-bit floats represent 32-bit integers exactly.
    pub colors: [[f64; 4]; MAX_COLORS],
    /// Depth, from 0 to 1.
    pub depth: f32,
    /// Stencil value.
    pub stencil: u32,
    /// Only color attachment that is cleared; `None` clears all attachments.
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

/// Command.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// `clear`
    Clear(Clear),
    /// `draw ...`
    Draw(Box<Draw>),
    /// `compute ...`
    Compute {
        /// Number of groups.
        groups: GroupCount,
        /// Size of a group, for programs that leave it open.
        size: Option<[u32; 3]>,
        /// Number of the name of the entry point.
        entry_point: usize,
    },
    /// Sets a parameter of programs.
    Parameter {
        /// Array of parameters.
        bank: ParamBank,
        /// Stage whose programs see it.
        stage: Stage,
        /// Index in the array.
        index: u32,
        /// New value.
        value: ParamValue,
    },
    /// Changes a matrix of GL state.
    Matrix {
        /// Matrix.
        target: MatrixTarget,
        /// Change.
        update: MatrixUpdate,
    },
    /// Selects the matrix that four vertex program parameters track; `None` ends tracking.
    Track {
        /// First parameter, a multiple of 4.
        address: u32,
        /// Tracked matrix.
        tracking: Option<MatrixTracking>,
    },
    /// Executes a vertex state program.
    StateProgram {
        /// Index of an alternate program in
        /// [`Script::alternates`](crate::script::Script::alternates); `None` for the program of the
        /// section without a name.
        alternate: Option<usize>,
        /// Bits of v\[0\].
        argument: [u32; 4],
        /// Expected result.
        outcome: StateProgramOutcome,
    },
    /// Changes other GL state.
    GlState(StateUpdate),
    /// Sets the maximum number of vertices that the geometry program emits.
    VertexLimit {
        /// Limit.
        limit: i64,
        /// Expected behavior of GL.
        outcome: GlOutcome,
    },
    /// Current value of a vertex attribute.
    Attribute {
        /// Number of the attribute.
        location: u32,
        /// New value.
        value: [f32; 4],
    },
    /// Creates or updates a texture.
    Texture {
        /// Texture image unit.
        unit: u32,
        /// Update of the texture.
        update: TextureUpdate,
    },
    /// Changes the sampler state of a texture.
    Sampling {
        /// Texture image unit.
        unit: u32,
        /// Complete sampler state of the unit.
        sampling: Sampling,
    },
    /// Sets the size of all points; `None` leaves it to programs.
    FixedPointSize(Option<f32>),
    /// Sets the textures that a unit has enabled for draws without fragment program.
    TextureEnables {
        /// Texture image unit.
        unit: u32,
        /// Complete set of enabled textures of the unit.
        enables: TextureEnables,
    },
    /// Creates or updates a storage image.
    Image {
        /// Image.
        key: ImageKey,
        /// Update of the image.
        update: TextureUpdate,
    },
    /// Binds an image to an image unit or binding.
    BindImage {
        /// Image unit or binding of the programs.
        binding: ImageKey,
        /// Bound image.
        bound: BoundImage,
    },
    /// Compares texels of an image.
    ProbeImage {
        /// Image.
        key: ImageKey,
        /// Plane that is compared.
        plane: PlaneId,
        /// Comparison; its surface is not used.
        probe: PixelProbe,
    },
    /// Prints the texels of an image.
    PrintImage {
        /// Image.
        key: ImageKey,
        /// Plane that is printed.
        plane: PlaneId,
    },
    /// Writes values into a buffer.
    BufferData {
        /// Buffer.
        buffer: BufferId,
        /// Values.
        data: TypedData,
    },
    /// Writes values repeatedly up to the end of the buffer.
    BufferFill {
        /// Buffer.
        buffer: BufferId,
        /// Values that are repeated.
        data: TypedData,
    },
    /// Writes numbers at equal distances into a buffer.
    BufferSequence {
        /// Buffer.
        buffer: BufferId,
        /// Numbers.
        sequence: Sequence,
    },
    /// Writes consecutive 64-bit addresses.
    BufferAddresses {
        /// Buffer that is written.
        buffer: BufferId,
        /// First byte that is written.
        offset: u64,
        /// Addresses.
        addresses: Vec<BufferAddress>,
    },
    /// Binds a range of a buffer.
    BindBuffer {
        /// Bind target of the buffer.
        target: BindTarget,
        /// Bound range.
        range: BufferRange,
    },
    /// Writes values into the push constants.
    PushData(TypedData),
    /// Compares pixels of the framebuffer.
    ProbePixels(PixelProbe),
    /// Compares values in a buffer.
    ProbeBuffer {
        /// Buffer.
        buffer: BufferId,
        /// Expected values, with the location of the observed ones.
        expected: TypedData,
        /// Required relation of observed to expected values.
        comparison: ComparisonOp,
        /// For [`ComparisonOp::Near`], how far each component may be off.
        tolerances: Tolerances,
    },
    /// Vertices of later draws are captured, from the start of the buffers on.
    BeginCapture,
    /// Vertices of later draws are not captured.
    EndCapture,
    /// Compares a count of the last capture.
    ProbeCapture {
        /// Counter that is compared.
        count: CaptureCount,
        /// Required relation of the count to the number.
        comparison: ComparisonOp,
        /// Number.
        expected: u64,
    },
    /// Samples of the last draw that passed all tests.
    ProbeSamples {
        /// Required relation of the count to the number.
        comparison: ComparisonOp,
        /// Number.
        expected: u64,
    },
    /// Compares the use count of a resource that GL limits, for the program of a stage.
    ProbeCount {
        /// Stage.
        stage: Stage,
        /// Counted resource.
        kind: CountKind,
        /// Required relation of the count to the number.
        comparison: ComparisonOp,
        /// Number.
        expected: u32,
    },
    /// Compares the bits of a parameter; `None` if it has another type.
    ProbeParameter {
        /// Array of parameters.
        bank: ParamBank,
        /// Stage whose parameter it is.
        stage: Stage,
        /// Index in the array.
        index: u32,
        /// Type of the query.
        ty: ParamType,
        /// Expected result of the query.
        expected: Option<[u32; 4]>,
    },
    /// Compares the components of a parameter, as floats.
    CompareParameter {
        /// Array of parameters.
        bank: ParamBank,
        /// Stage whose parameter it is.
        stage: Stage,
        /// Index in the array.
        index: u32,
        /// Four floats.
        expected: TypedData,
        /// Required relation of observed to expected values.
        comparison: ComparisonOp,
        /// For [`ComparisonOp::Near`], how far each component may be off.
        tolerances: Tolerances,
    },
    /// Prints values of a buffer.
    PrintBuffer {
        /// Buffer.
        buffer: BufferId,
        /// Values.
        range: DataRange,
    },
    /// Sets the depth range of the viewport, for `state.depth.range`.
    DepthRange([f32; 2]),
    /// Writes an image file of the framebuffer.
    SaveImage {
        /// Name of the file, without a directory.
        name: String,
        /// Surface that is written.
        surface: Surface,
    },
    /// Requests the trace of the fragment that determines the color of a pixel at this point.
    /// Runners do nothing; the command that runs the script traces it with
    /// [`find_fragment`](crate::software::find_fragment).
    TracePixel {
        /// X and y of the pixel in the framebuffer.
        pixel: [u32; 2],
    },
    /// The script's assembly program must have this error.
    ExpectError(ExpectedError),
    /// Requires a warning about a program.
    ExpectWarning(ExpectedError),
    /// Loads a program instead of the stage's, unless it has this error.
    Load {
        /// Index of an alternate program in
        /// [`Script::alternates`](crate::script::Script::alternates).
        alternate: usize,
        /// Error that it must have; `None` if it must load.
        error: Option<ExpectedError>,
    },
}

/// Vertices of a draw.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum DrawSource {
    /// Corners `(x, y)` and, if given, `(x + width, y + height)` texture coordinates similarly.
    Rect {
        /// Position as x, y, width and height in clip space, with w = 1.
        position: [f32; 4],
        /// Texture coordinates in the same form; `None` if there are none.
        texcoord: Option<[f32; 4]>,
    },
    /// Vertices of the vertex data in their order.
    Arrays {
        /// Index of the first vertex.
        first: u32,
        /// Number of vertices.
        count: u32,
    },
    /// Vertices of the vertex data by the script's indices.
    Indexed {
        /// First index.
        first: u32,
        /// Number of indices.
        count: u32,
        /// Added to each index.
        vertex_offset: i32,
        /// Width of the indices as the device reads them.
        width: IndexWidth,
    },
}

/// Bits of an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum IndexWidth {
    /// 8 bits.
    U8,
    /// 16 bits.
    U16,
    #[default]
    /// 32 bits.
    U32,
}

impl IndexWidth {
    /// Returns the largest index, which restarts primitives if that is enabled.
    pub fn max_index(self) -> u32 {
        match self {
            Self::U8 => 0xff,
            Self::U16 => 0xffff,
            Self::U32 => u32::MAX,
        }
    }
}

/// Assembly of vertices to primitives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PrimitiveAssembly {
    /// Assembly of the topology.
    Direct,
    /// GL's quadrilaterals, as two triangles each.
    Quads,
    /// GL's strip of quadrilaterals, as two triangles each.
    QuadStrip,
    /// GL's polygon, as triangles.
    Polygon,
    /// GL's closed line, as lines.
    LineLoop,
}

/// Number of instances that share a value of each attribute; 0 advances per vertex.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Divisors(pub [u16; ATTRIBUTES as usize]);

/// Expected behavior of GL for a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum GlOutcome {
    /// The command is executed.
    #[default]
    Accepted,
    /// The command is an error and changes nothing.
    Rejected,
}

/// Draw command.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Draw {
    /// Pipeline state in force.
    pub state: PipelineState,
    /// Topology of the device.
    pub topology: vk::PrimitiveTopology,
    /// Assembly of the script's vertices to primitives.
    pub assembly: PrimitiveAssembly,
    /// Source of the vertices.
    pub source: DrawSource,
    /// Attributes that advance per instance.
    pub divisors: Divisors,
    /// Number of instances.
    pub instances: u32,
    /// Number of the first instance.
    pub first_instance: u32,
    /// Expected behavior of GL.
    pub outcome: GlOutcome,
}
