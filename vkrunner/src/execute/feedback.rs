//! Transform feedback of a script: captured outputs and counters.

use super::bindings::BoundBuffers;
use crate::error::CommandError;
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
    has_drawn: bool,
}

/// Returns the streams whose primitives a script probes, each once, in the order of the probes.
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
    /// Creates the state before the first command: nothing is captured, counts are unknown.
    pub(super) fn new() -> Self {
        Self {
            state: FeedbackState::Off,
            counts: None,
            primitives: BTreeMap::new(),
            has_drawn: false,
        }
    }

    /// Begins a capture and resets the counts of the previous one: later draws are captured, from
    /// the start of the buffers on. Creates the counters with the first capture.
    pub(super) fn begin(
        &mut self,
        device: &Rc<Device>,
        script: &Script,
    ) -> Result<(), CommandError> {
        if self.counts.is_none() {
            let buffers = device.capabilities.feedback.buffers.max_count;
            let counts = CaptureCounts::new(device, buffers, counted_streams(script))?;
            self.counts = Some(counts);
        }
        self.primitives.clear();
        self.has_drawn = false;
        self.state = FeedbackState::On(CaptureStart::Start);
        Ok(())
    }

    /// Returns true if draws are captured.
    pub(super) fn is_on(&self) -> bool {
        self.state != FeedbackState::Off
    }

    /// Ends the capture. Its counts remain available.
    pub(super) fn end(&mut self) {
        self.state = FeedbackState::Off;
    }

    /// Adds the primitives of a captured draw to the counts of the capture, and makes the next draw
    /// append to the buffers. Does nothing outside of a capture.
    pub(super) fn add_draw_counts(&mut self) -> Result<(), CommandError> {
        if let (FeedbackState::On(_), Some(counts)) = (self.state, &self.counts) {
            for (stream, [written, needed]) in counts.primitives()? {
                let sum = self.primitives.entry(stream).or_default();
                *sum = [sum[0] + written, sum[1] + needed];
            }
            self.has_drawn = true;
            self.state = FeedbackState::On(CaptureStart::Resume);
        }
        Ok(())
    }

    /// Returns the buffer ranges and counters of a captured draw; `None` outside of a capture.
    /// Returns an error if no transform feedback buffer is bound, or one that the script's captured
    /// outputs use is not.
    pub(super) fn capture_call<'a>(
        &'a self,
        script: &Script,
        bound: &BoundBuffers,
        buffers: &'a [Buffer],
    ) -> Result<Option<CaptureCall<'a>>, String> {
        let (FeedbackState::On(start), Some(counts)) = (self.state, &self.counts) else {
            return Ok(None);
        };
        let ranges = bound.capture_ranges();
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

    /// Returns a count of the current capture, else of the last one: primitives written or needed
    /// in a stream, or bytes written to a buffer; 0 if no draw was captured. Returns an error if no
    /// capture has begun yet.
    pub(super) fn get_count(&self, count: CaptureCount) -> Result<u64, String> {
        let counts = self
            .counts
            .as_ref()
            .ok_or_else(|| "nothing was captured".to_owned())?;
        let of_stream = |stream| self.primitives.get(&stream).copied().unwrap_or_default();
        Ok(match count {
            CaptureCount::Primitives { stream } => of_stream(stream)[0],
            CaptureCount::Needed { stream } => of_stream(stream)[1],
            CaptureCount::Bytes { buffer } if self.has_drawn => counts.bytes(buffer),
            CaptureCount::Bytes { .. } => 0,
        })
    }
}
