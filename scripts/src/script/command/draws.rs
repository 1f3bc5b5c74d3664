//! Draws: sources of vertices, their assembly, and the expected outcome.

use crate::script::names::ATTRIBUTES;
use crate::script::pipeline_state::PipelineState;
use ash::vk;

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
    pub fn max(self) -> u32 {
        match self {
            Self::U8 => 0xff,
            Self::U16 => 0xffff,
            Self::U32 => u32::MAX,
        }
    }
}

/// Assembly of vertices to primitives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assembly {
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
    Refused,
}

/// Draw command.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Draw {
    /// Pipeline state in force.
    pub state: PipelineState,
    /// Topology of the device.
    pub topology: vk::PrimitiveTopology,
    /// Assembly of the script's vertices to primitives.
    pub assembly: Assembly,
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
