//! The properties of a program, and what follows from them.

use super::semantics::OutputTarget;
use glasm_ir::primitive::{InputPrimitive, MAX_PATCH_VERTICES, OutputPrimitive, TessMode};
use glasm_ir::program::Modes;
use glasm_ir::{Semantic, Span};

/// The properties of a program.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Properties {
    pub(super) modes: Modes,
    pub(super) origin_lower_left: bool,
    pub(super) pixel_center_integer: bool,
    pub(super) color0_writes_all: bool,
    pub(super) disables_clip_planes: bool,
    pub(super) window_space_position: bool,
    /// The number of its viewport is added to the layer of a primitive.
    pub(super) layer_viewport_relative: bool,
    pub(super) clip_distances: Option<u32>,
    pub(super) cull_distances: Option<u32>,
    /// Threads of a block that the program specifies, 0 where it leaves them open.
    pub(super) block_size: [u32; 3],
    pub(super) input_primitive: Option<InputPrimitive>,
    /// Start of the first property that sets the input primitive. Declarations may precede it.
    pub(super) input_primitive_start: Option<u32>,
    pub(super) output_primitive: Option<OutputPrimitive>,
    pub(super) tess_mode: Option<TessMode>,
    /// The first source location that names a stream other than 0. Properties may follow it.
    pub(super) nonzero_stream: Option<Span>,
}

impl Properties {
    /// Returns true if zero times any value is zero (`MUL_ZERO_WINS`).
    pub(super) fn zero_wins(&self) -> bool {
        self.modes.zero_times_inf_is_zero
    }

    /// Returns the number of vertices of the patch that a tessellation control program generates.
    pub(super) fn output_patch_vertices(&self) -> u32 {
        match self.modes.vertices_out {
            0 => MAX_PATCH_VERTICES,
            count => count,
        }
    }

    /// Returns the number of vertices that an input primitive or patch has at most.
    pub(super) fn max_input_vertices(&self) -> u32 {
        let primitive = self.input_primitive.and_then(InputPrimitive::vertex_count);
        // Patches have any size up to this one.
        primitive.unwrap_or(MAX_PATCH_VERTICES)
    }

    /// Returns the semantic of a distance: clip distances are first, then cull distances, as the
    /// properties divide them.
    pub(super) fn distance_semantic(&self, number: u8) -> Option<Semantic> {
        let (clip, cull) = match (self.clip_distances, self.cull_distances) {
            // Without properties all that is written clips.
            (None, None) => return Some(Semantic::ClipDistance(number)),
            // One property alone implies a count of 0 of the other kind.
            (clip, cull) => (clip.unwrap_or(0), cull.unwrap_or(0)),
        };
        match u32::from(number) {
            it if it < clip => Some(Semantic::ClipDistance(number)),
            it if it < clip + cull => Some(Semantic::CullDistance((it - clip) as u8)),
            _ => None,
        }
    }

    /// Returns the semantics of an output for pipelines: a register may hold up to four distances.
    pub(super) fn output_semantics(&self, sink: OutputTarget) -> [Option<Semantic>; 4] {
        match sink {
            OutputTarget::Output(semantic, _) => [Some(semantic), None, None, None],
            OutputTarget::Distances(first) => {
                [0, 1, 2, 3].map(|lane| self.distance_semantic(first + lane))
            }
            OutputTarget::CullDistances(first) => {
                [0, 1, 2, 3].map(|lane| Some(Semantic::CullDistance(first + lane)))
            }
            OutputTarget::ClipVertex => [Some(Semantic::ClipVertex), None, None, None],
            OutputTarget::OuterLevels | OutputTarget::InnerLevels | OutputTarget::Dropped => {
                [None; 4]
            }
        }
    }
}
