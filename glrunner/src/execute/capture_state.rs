//! Transform feedback as the commands so far have set it.

use super::capture_plan::{CapturePlan, Primitives};
use super::problem::Problem;
use crate::gl::{Capture, Query};
use glasm_scripts::script::CaptureCount;
use std::collections::BTreeMap;

/// Whether draws are captured.
#[derive(Default)]
pub(super) enum FeedbackState {
    #[default]
    Off,
    /// From the next draw on.
    Begun,
    /// Paused, but for the time of a draw; captures primitives of this kind.
    Active(Capture, Primitives),
}

/// The primitives of a stream that are counted during a draw.
pub(super) struct Counter {
    pub(super) stream: u32,
    pub(super) written: Query,
    pub(super) needed: Query,
}

/// Captured vertices and their counts.
#[derive(Default)]
pub(super) struct Feedback {
    pub(super) state: FeedbackState,
    pub(super) plan: CapturePlan,
    /// What the last draw captured.
    pub(super) primitives: Option<Primitives>,
    pub(super) counters: Vec<Counter>,
    /// Primitives written and needed since the capture began, by stream; `None` before any.
    pub(super) counts: Option<BTreeMap<u32, [u64; 2]>>,
}

impl Feedback {
    /// Whether OpenGL captures, if only after a pause.
    pub(super) fn is_active(&self) -> bool {
        matches!(self.state, FeedbackState::Active(..))
    }

    /// Primitives of a stream, written and needed.
    pub(super) fn primitives(&self, stream: u32) -> Result<[u64; 2], String> {
        let counts = self.counts.as_ref();
        let counts = counts.ok_or_else(|| "nothing was captured".to_owned())?;
        Ok(counts.get(&stream).copied().unwrap_or_default())
    }

    /// Captures no more.
    pub(super) fn end(&mut self) -> Result<(), Problem> {
        match std::mem::take(&mut self.state) {
            FeedbackState::Off | FeedbackState::Begun => Ok(()),
            FeedbackState::Active(capture, _) => Ok(capture.end()?),
        }
    }

    /// What the last capture has counted.
    pub(super) fn count(&self, count: CaptureCount) -> Result<u64, String> {
        Ok(match count {
            CaptureCount::Primitives { stream } => self.primitives(stream)?[0],
            CaptureCount::Needed { stream } => self.primitives(stream)?[1],
            CaptureCount::Bytes { buffer } => {
                let place = buffer as usize;
                let stream = self.plan.streams.get(place).copied().unwrap_or(0);
                let stride = self.plan.strides.get(place).copied().unwrap_or(0);
                let vertices = self.primitives.map_or(0, Primitives::vertices);
                self.primitives(stream)?[0] * vertices * u64::from(stride)
            }
        })
    }
}
