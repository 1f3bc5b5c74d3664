//! What is enabled in the driver otherwise than the application has it, while a pipeline of ours draws.

use crate::context::State;
use crate::ffi::{driver, query};
use crate::pipeline::Pipeline;

/// `DEPTH_CLAMP`
const DEPTH_CLAMP: u32 = 0x864F;
/// `CLIP_PLANE0`, which is `CLIP_DISTANCE0`.
const CLIP_PLANE0: u32 = 0x3000;

impl State {
    /// Fits what is enabled to a pipeline: depths that nothing clips are clamped (NV_fragment_program section 3.11.6), and planes do not clip
    /// vertices whose program writes no distances (ARB_vertex_program section 2.11).
    pub(crate) fn apply_overrides(&mut self, pipeline: &Pipeline, clip_planes: u8) {
        let disabled = clip_planes & !pipeline.clip_distances;
        let wanted = (pipeline.is_unclipped, disabled);
        if self.drawing.overridden_for == wanted {
            return;
        }
        self.restore_overrides();
        if pipeline.is_unclipped && !query::is_enabled(DEPTH_CLAMP) {
            driver::Enable(DEPTH_CLAMP);
            self.drawing.overridden.push((DEPTH_CLAMP, false));
        }
        for plane in (0..8)
            .filter(|n| disabled & 1 << n != 0)
            .map(|n| CLIP_PLANE0 + n)
        {
            driver::Disable(plane);
            self.drawing.overridden.push((plane, true));
        }
        self.drawing.overridden_for = wanted;
    }

    /// What is enabled is what the application has enabled.
    pub(crate) fn restore_overrides(&mut self) {
        self.drawing.overridden_for = (false, 0);
        for (capability, enabled) in std::mem::take(&mut self.drawing.overridden) {
            match enabled {
                true => driver::Enable(capability),
                false => driver::Disable(capability),
            }
        }
    }
}
