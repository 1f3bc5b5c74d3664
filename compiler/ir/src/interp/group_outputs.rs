//! Combined results of the invocations of a program: the outputs of a patch, the vertices of a
//! primitive.

use crate::primitive::MAX_VERTEX_STREAMS;
use crate::program::{Program, Stage};

/// Outputs that the invocations of a tessellation control program share, initially 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Patch {
    /// Lanes of the outputs of each vertex, by [`OutputId`](crate::OutputId).
    pub vertices: Vec<Vec<[u64; 4]>>,
    /// Lanes of the per-patch outputs, by [`OutputId`](crate::OutputId).
    pub outputs: Vec<[u64; 4]>,
    /// True if invocations waited for each other at different barriers or in different iterations
    /// of a loop, or for an invocation that had ended, which is invalid on devices.
    pub parted_at_barrier: bool,
    /// True for per-patch outputs.
    shared: Vec<bool>,
}

impl Patch {
    pub(super) fn new(program: &Program) -> Self {
        if program.stage != Stage::TessControl {
            return Self::default();
        }
        let outputs = vec![[0; 4]; program.outputs.len()];
        let shared = program.outputs.iter();
        Self {
            vertices: vec![outputs.clone(); program.modes.vertices_out as usize],
            outputs,
            parted_at_barrier: false,
            shared: shared
                .map(|output| output.semantic.is_per_patch())
                .collect(),
        }
    }

    pub(super) fn read(&self, output: usize, vertex: Option<i64>) -> [u64; 4] {
        let outputs = match vertex {
            None => Some(&self.outputs),
            Some(vertex) => {
                let last = self.vertices.len().max(1) - 1;
                self.vertices.get(vertex.clamp(0, last as i64) as usize)
            }
        };
        let lanes = outputs.and_then(|outputs| outputs.get(output));
        lanes.copied().unwrap_or_default()
    }

    pub(super) fn write(&mut self, output: usize, vertex: usize, lane: usize, bits: u64) {
        let outputs = match self.shared.get(output) {
            Some(true) => Some(&mut self.outputs),
            Some(false) => self.vertices.get_mut(vertex),
            None => None,
        };
        if let Some(lanes) = outputs.and_then(|outputs| outputs.get_mut(output)) {
            lanes[lane] = bits;
        }
    }
}

/// Lanes of the outputs of a vertex, by [`OutputId`](crate::OutputId).
pub type Vertex = Vec<[u64; 4]>;

/// Vertices that a geometry program emits for a primitive: for each vertex stream its strips. No
/// strip is empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Emitted {
    /// The strips of each stream. Streams other than the first one contain points.
    pub streams: [Vec<Vec<Vertex>>; MAX_VERTEX_STREAMS as usize],
    /// True if the next vertex of the first stream begins a strip.
    ended: bool,
}

impl Emitted {
    pub(super) fn add_vertex(&mut self, stream: u64, vertex: Vertex) {
        let number = usize::try_from(stream).unwrap_or(usize::MAX);
        let Some(strips) = self.streams.get_mut(number) else {
            return;
        };
        let begins = number > 0 || std::mem::take(&mut self.ended);
        match strips.last_mut() {
            Some(strip) if !begins => strip.push(vertex),
            Some(_) | None => strips.push(vec![vertex]),
        }
    }

    pub(super) fn end_strip(&mut self) {
        self.ended = true;
    }
}
