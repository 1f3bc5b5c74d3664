//! Capabilities that are temporarily enabled or disabled while a pipeline of this library draws.

use crate::ffi::{driver, query};
use crate::pipeline::Pipeline;

/// `DEPTH_CLAMP`
const DEPTH_CLAMP: u32 = 0x864F;
/// `VERTEX_PROGRAM_POINT_SIZE`, which is `PROGRAM_POINT_SIZE`.
const PROGRAM_POINT_SIZE: u32 = 0x8642;
/// `CLIP_PLANE0`, which is `CLIP_DISTANCE0`.
const CLIP_PLANE0: u32 = 0x3000;

/// Source of the size of points that a pipeline draws.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum PointSize {
    /// `VERTEX_PROGRAM_POINT_SIZE` as the application has set it: vertices are processed by a
    /// program.
    #[default]
    Application,
    /// Vertex stage, which replaces fixed functions and applies the attenuation. For fixed
    /// functions `VERTEX_PROGRAM_POINT_SIZE` has no effect: GL 2.1 section 3.3.
    Computed,
    /// `PointSize`, which needs no attenuation.
    Constant,
}

/// Overrides of a pipeline.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Overrides {
    is_unclipped: bool,
    disabled_planes: u8,
    point_size: PointSize,
}

/// Capabilities whose value in the driver differs from that of the application.
#[derive(Default, Debug)]
pub(crate) struct Overridden {
    /// Capabilities, with the values that the application has set.
    saved: Vec<(u32, bool)>,
    /// Overrides that are in effect.
    active: Overrides,
}

/// Returns true if the driver's value of a capability may differ from the application's because of
/// [`Overridden::apply`].
pub(crate) fn is_overridden(capability: u32) -> bool {
    matches!(
        capability,
        0x3000..=0x3007 | DEPTH_CLAMP | PROGRAM_POINT_SIZE
    )
}

impl Overridden {
    /// Sets the capabilities for a pipeline: depths are clamped if they are not clipped
    /// (NV_fragment_program section 3.11.6), planes do not clip vertices whose program writes no
    /// distances (ARB_vertex_program section 2.11), and the size of points is computed or constant
    /// for fixed functions.
    pub(crate) fn apply(&mut self, pipeline: &Pipeline) {
        let disabled = pipeline.clip_planes & !pipeline.clip_distances;
        let required = Overrides {
            is_unclipped: pipeline.is_unclipped,
            disabled_planes: disabled,
            point_size: pipeline.point_size,
        };
        if self.active == required {
            return;
        }
        self.restore();
        if pipeline.is_unclipped && !query::is_enabled(DEPTH_CLAMP) {
            driver::Enable(DEPTH_CLAMP);
            self.saved.push((DEPTH_CLAMP, false));
        }
        for plane in (0..8).filter(|n| disabled & 1 << n != 0) {
            driver::Disable(CLIP_PLANE0 + plane);
            self.saved.push((CLIP_PLANE0 + plane, true));
        }
        self.override_point_size(pipeline.point_size);
        self.active = required;
    }

    /// Enables or disables `VERTEX_PROGRAM_POINT_SIZE` in the driver, for which the stage of fixed
    /// functions is a program.
    fn override_point_size(&mut self, source: PointSize) {
        let is_enabled = query::is_enabled(PROGRAM_POINT_SIZE);
        match source {
            PointSize::Computed if !is_enabled => driver::Enable(PROGRAM_POINT_SIZE),
            PointSize::Constant if is_enabled => driver::Disable(PROGRAM_POINT_SIZE),
            PointSize::Application | PointSize::Computed | PointSize::Constant => return,
        }
        self.saved.push((PROGRAM_POINT_SIZE, is_enabled));
    }

    /// Returns true if the driver clamps depths for the current pipeline only.
    pub(crate) fn clamps_depths(&self) -> bool {
        self.saved
            .iter()
            .any(|(capability, _)| *capability == DEPTH_CLAMP)
    }

    /// Restores the values that the application has set.
    pub(crate) fn restore(&mut self) {
        self.active = Overrides::default();
        for (capability, is_enabled) in self.saved.drain(..) {
            if is_enabled {
                driver::Enable(capability);
            } else {
                driver::Disable(capability);
            }
        }
    }
}
