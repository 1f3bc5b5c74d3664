//! Modes that the properties of a program select.

use super::semantics::Sink;
use glasm_ir::primitive::{InputPrimitive, MAX_PATCH_VERTICES, OutputPrimitive, TessMode};
use glasm_ir::program::Modes;
use glasm_ir::{Semantic, Span};

/// The properties of a program.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Properties {
    pub(super) modes: Modes,
    pub(super) lower_left: bool,
    pub(super) integer_center: bool,
    pub(super) color0_all: bool,
    pub(super) prohibits_planes: bool,
    pub(super) window_space: bool,
    /// The number of its viewport is added to the layer of a primitive.
    pub(super) layer_of_viewport: bool,
    pub(super) clip_distances: Option<u32>,
    pub(super) cull_distances: Option<u32>,
    /// Threads of a block that the program specifies, 0 where it leaves them open.
    pub(super) block: [u32; 3],
    pub(super) input_primitive: Option<InputPrimitive>,
    pub(super) output_primitive: Option<OutputPrimitive>,
    pub(super) tess_mode: Option<TessMode>,
    /// The first source location that names a stream other than 0. Properties may follow it.
    pub(super) later_stream: Option<Span>,
}

impl Properties {
    /// Returns true if zero times anything is zero.
    pub(super) fn is_zero_product(&self) -> bool {
        self.modes.zero_product
    }

    /// Returns the number of vertices of the patch that a tessellation control program generates.
    pub(super) fn patch_vertices(&self) -> u32 {
        match self.modes.vertices_out {
            0 => MAX_PATCH_VERTICES,
            count => count,
        }
    }

    /// Returns the maximum number of input vertices of a program of primitives or patches.
    pub(super) fn vertices_in(&self) -> u32 {
        let primitive = self.input_primitive.and_then(InputPrimitive::vertices);
        // Patches have any size up to this one.
        primitive.unwrap_or(MAX_PATCH_VERTICES)
    }

    /// Returns the semantic of a distance: clip distances are first, then cull distances, as the
    /// properties divide them.
    pub(super) fn distance(&self, number: u8) -> Option<Semantic> {
        let (clip, cull) = match (self.clip_distances, self.cull_distances) {
            // Without properties all that is written clips.
            (None, None) => return Some(Semantic::ClipDistance(number)),
            // One property alone implies that there are no distances of the other kind.
            (clip, cull) => (clip.unwrap_or(0), cull.unwrap_or(0)),
        };
        match u32::from(number) {
            it if it < clip => Some(Semantic::ClipDistance(number)),
            it if it < clip + cull => Some(Semantic::CullDistance((it - clip) as u8)),
            _ => None,
        }
    }

    /// Returns the semantics of an output for pipelines: a register may hold up to four distances.
    pub(super) fn semantics_of(&self, sink: Sink) -> [Option<Semantic>; 4] {
        match sink {
            Sink::Output(semantic, _) => [Some(semantic), None, None, None],
            Sink::Distances(first) => [0, 1, 2, 3].map(|lane| self.distance(first + lane)),
            Sink::CullDistances(first) => {
                [0, 1, 2, 3].map(|lane| Some(Semantic::CullDistance(first + lane)))
            }
            Sink::ClipVertex => [Some(Semantic::ClipVertex), None, None, None],
            Sink::OuterLevels | Sink::InnerLevels | Sink::Dropped => [None; 4],
        }
    }
}
