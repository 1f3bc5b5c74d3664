//! Transform feedback of a script: captured outputs and counters.

use super::bindings::Bound;
use crate::error::Problem;
use crate::vk::{Buffer, CaptureBuffer, CaptureCall, CaptureCounts, CaptureStart, Device};
use glasm_scripts::script::{CaptureCount, Command, Script};
use std::collections::BTreeMap;
use std::rc::Rc;

/// State of transform feedback.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FeedbackState {
    Off,
    /// The next draw is captured at this start.
    On(CaptureStart),
}

/// Captured draws and their counts.
pub(super) struct Feedback {
    state: FeedbackState,
    /// Counters, created by the first capture.
    counts: Option<CaptureCounts>,
    /// Primitives written and needed since the capture began, by stream.
    primitives: BTreeMap<u32, [u64; 2]>,
    /// True if a draw has happened since the capture began.
    drawn: bool,
}

/// Returns the streams that a script probes.
fn counted_streams(script: &Script) -> Vec<u32> {
    let mut streams = Vec::new();
    for step in &script.steps {
        if let Command::ProbeCapture {
            count: CaptureCount::Primitives { stream } | CaptureCount::Needed { stream },
            ..
        } = &step.command
            && !streams.contains(stream)
        {
            streams.push(*stream);
        }
    }
    streams
}

impl Feedback {
    pub(super) fn new() -> Self {
        Self {
            state: FeedbackState::Off,
            counts: None,
            primitives: BTreeMap::new(),
            drawn: false,
        }
    }

    /// Captures later draws, from the start of the buffers on.
    pub(super) fn begin(&mut self, device: &Rc<Device>, script: &Script) -> Result<(), Problem> {
        if self.counts.is_none() {
            let buffers = device.capabilities.feedback.buffers.max_count;
            let counts = CaptureCounts::new(device, buffers, counted_streams(script))?;
            self.counts = Some(counts);
        }
        self.primitives.clear();
        self.drawn = false;
        self.state = FeedbackState::On(CaptureStart::Start);
        Ok(())
    }

    /// Returns true if draws are captured.
    pub(super) fn is_on(&self) -> bool {
        self.state != FeedbackState::Off
    }

    /// Captures no more.
    pub(super) fn end(&mut self) {
        self.state = FeedbackState::Off;
    }

    /// Adds the counts of a captured draw.
    pub(super) fn drawn(&mut self) -> Result<(), Problem> {
        if let (FeedbackState::On(_), Some(counts)) = (self.state, &self.counts) {
            for (stream, [written, needed]) in counts.primitives()? {
                let sum = self.primitives.entry(stream).or_default();
                *sum = [sum[0] + written, sum[1] + needed];
            }
            self.drawn = true;
            self.state = FeedbackState::On(CaptureStart::Resume);
        }
        Ok(())
    }

    /// Returns the capture of a draw, if one has begun.
    pub(super) fn capture_call<'a>(
        &'a self,
        script: &Script,
        bound: &Bound,
        buffers: &'a [Buffer],
    ) -> Result<Option<CaptureCall<'a>>, String> {
        let (FeedbackState::On(start), Some(counts)) = (self.state, &self.counts) else {
            return Ok(None);
        };
        let ranges = bound.captured();
        if ranges.is_empty() {
            return Err("there is no transform feedback buffer".to_owned());
        }
        for capture in &script.feedback.captures {
            if !ranges.iter().any(|(binding, _)| *binding == capture.buffer) {
                return Err(format!(
                    "vertices are captured into transform feedback buffer {}, which there is none of",
                    capture.buffer
                ));
            }
        }
        let captured = ranges.iter().map(|(binding, range)| CaptureBuffer {
            binding: *binding,
            buffer: &buffers[range.buffer.0],
            offset: range.offset,
            size: range.size,
        });
        Ok(Some(CaptureCall {
            buffers: captured.collect(),
            start,
            counts,
        }))
    }

    /// Returns a count of the capture.
    pub(super) fn count(&self, count: CaptureCount) -> Result<u64, String> {
        let counts = self
            .counts
            .as_ref()
            .ok_or_else(|| "nothing was captured".to_owned())?;
        let of_stream = |stream| self.primitives.get(&stream).copied().unwrap_or_default();
        Ok(match count {
            CaptureCount::Primitives { stream } => of_stream(stream)[0],
            CaptureCount::Needed { stream } => of_stream(stream)[1],
            CaptureCount::Bytes { buffer } if self.drawn => counts.bytes(buffer),
            CaptureCount::Bytes { .. } => 0,
        })
    }
}
