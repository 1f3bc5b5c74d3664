//! Transform feedback: capturing vertices while drawing, and counting them.

use super::buffer::Buffer;
use super::device::Device;
use super::usage::BufferUse;
use crate::error::{CallContext, Error};
use ash::vk;
use std::rc::Rc;

/// Start of captured vertices in the buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CaptureStart {
    /// At the start of the buffers.
    Start,
    /// After the previously captured vertices.
    Resume,
}

/// Range of a buffer that vertices are captured into.
pub(crate) struct CaptureBuffer<'a> {
    pub(crate) binding: u32,
    pub(crate) buffer: &'a Buffer,
    pub(crate) offset: u64,
    /// Size; `None` extends to the end of the buffer.
    pub(crate) size: Option<u64>,
}

/// Captures of a draw.
pub(crate) struct CaptureCall<'a> {
    pub(crate) buffers: Vec<CaptureBuffer<'a>>,
    pub(crate) start: CaptureStart,
    pub(crate) counts: &'a CaptureCounts,
}

/// Counts primitives and bytes of captured draws.
pub(crate) struct CaptureCounts {
    functions: ash::ext::transform_feedback::Device,
    /// Position in each buffer, 4 bytes each.
    positions: Buffer,
    /// Queries, one for each counted stream.
    queries: vk::QueryPool,
    streams: Vec<u32>,
    device: Rc<Device>,
}

impl CaptureCounts {
    /// Creates counters for the positions in transform feedback buffers 0 to `buffers - 1` and for
    /// the primitives of these streams, each named once. The caller has checked that the device has
    /// the feature.
    pub(crate) fn new(device: &Rc<Device>, buffers: u32, streams: Vec<u32>) -> Result<Self, Error> {
        let size = 4 * u64::from(buffers);
        let functions =
            ash::ext::transform_feedback::Device::new(&device.instance.raw, &device.raw);
        let mut counts = Self {
            functions,
            positions: Buffer::new(device, BufferUse::CaptureCounter, size)?,
            queries: vk::QueryPool::null(),
            streams,
            device: Rc::clone(device),
        };
        if !counts.streams.is_empty() {
            let info = vk::QueryPoolCreateInfo::default()
                .query_type(vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT)
                .query_count(counts.streams.len() as u32);
            // SAFETY: the create info is valid, and the device counts captured primitives.
            counts.queries =
                unsafe { device.raw.create_query_pool(&info, None) }.call("vkCreateQueryPool")?;
        }
        Ok(counts)
    }

    /// Returns the number of bytes in a transform feedback buffer up to the end of the last
    /// captured draw; 0 for buffers without a counter.
    pub(crate) fn bytes(&self, buffer: u32) -> u64 {
        let start = 4 * buffer as usize;
        let position = self.positions.bytes().get(start..start + 4);
        position.map_or(0, |bytes| {
            u64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        })
    }

    /// Returns the numbers of primitives of the last captured draw, written and needed, for each
    /// counted stream.
    pub(crate) fn primitives(&self) -> Result<Vec<(u32, [u64; 2])>, Error> {
        let mut results = vec![[0u64; 2]; self.streams.len()];
        if !results.is_empty() {
            let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
            // SAFETY: all queries of the pool are finished, because the device is idle after a
            // captured draw.
            unsafe {
                self.device
                    .raw
                    .get_query_pool_results(self.queries, 0, &mut results, flags)
            }
            .call("vkGetQueryPoolResults")?;
        }
        Ok(self.streams.iter().copied().zip(results).collect())
    }

    /// Records the reset of the queries, which must precede the render pass; nothing if no stream
    /// is counted.
    fn record_reset(&self, commands: vk::CommandBuffer) {
        let count = self.streams.len() as u32;
        if count > 0 {
            // SAFETY: the pool has that many queries, and none is in use.
            unsafe {
                self.device
                    .raw
                    .cmd_reset_query_pool(commands, self.queries, 0, count)
            };
        }
    }
}

impl CaptureCall<'_> {
    /// Records the reset of the queries, which must precede the render pass.
    pub(super) fn record_reset(&self, commands: vk::CommandBuffer) {
        self.counts.record_reset(commands);
    }

    /// Records the start of the capture, within the render pass and with the pipeline bound: binds
    /// the buffers, begins the queries, and continues at the saved positions if the capture
    /// resumes.
    pub(super) fn record_begin(&self, commands: vk::CommandBuffer) {
        let functions = self.counts.functions.fp();
        for captured in &self.buffers {
            let size = captured
                .size
                .unwrap_or(captured.buffer.size - captured.offset);
            // SAFETY: the buffer was created for it, and the range is within it; the pointers
            // outlive the call.
            unsafe {
                (functions.cmd_bind_transform_feedback_buffers_ext)(
                    commands,
                    captured.binding,
                    1,
                    &captured.buffer.raw,
                    &captured.offset,
                    &size,
                );
            }
        }
        for (stream, query) in self.counts.streams.iter().zip(0..) {
            let flags = vk::QueryControlFlags::empty();
            // SAFETY: the query was reset in this command buffer, and the device has the stream.
            unsafe {
                (functions.cmd_begin_query_indexed_ext)(
                    commands,
                    self.counts.queries,
                    query,
                    flags,
                    *stream,
                );
            }
        }
        let (buffers, offsets) = match self.start {
            CaptureStart::Start => (Vec::new(), Vec::new()),
            CaptureStart::Resume => self.counter_buffers(),
        };
        // SAFETY: positions were written by the capture before, if there are any; the pointers
        // outlive the call.
        unsafe {
            (functions.cmd_begin_transform_feedback_ext)(
                commands,
                0,
                buffers.len() as u32,
                buffers.as_ptr(),
                offsets.as_ptr(),
            );
        }
    }

    /// Records the end of the capture, within the render pass: saves the positions in the buffers,
    /// and ends the queries.
    pub(super) fn record_end(&self, commands: vk::CommandBuffer) {
        let functions = self.counts.functions.fp();
        let (buffers, offsets) = self.counter_buffers();
        // SAFETY: the counter buffer was created for it and has space for all positions; the
        // pointers outlive the call.
        unsafe {
            (functions.cmd_end_transform_feedback_ext)(
                commands,
                0,
                buffers.len() as u32,
                buffers.as_ptr(),
                offsets.as_ptr(),
            );
        }
        for (stream, query) in self.counts.streams.iter().zip(0..) {
            // SAFETY: the query was begun in this render pass.
            unsafe {
                (functions.cmd_end_query_indexed_ext)(
                    commands,
                    self.counts.queries,
                    query,
                    *stream,
                );
            }
        }
    }

    /// Returns counter buffers and their byte offsets for all bindings from 0 to the last bound
    /// one; null buffers for bindings that are not bound.
    fn counter_buffers(&self) -> (Vec<vk::Buffer>, Vec<vk::DeviceSize>) {
        let count = self
            .buffers
            .iter()
            .map(|captured| captured.binding + 1)
            .max();
        (0..count.unwrap_or(0))
            .map(|binding| {
                let is_bound = |captured: &CaptureBuffer<'_>| captured.binding == binding;
                let raw = if self.buffers.iter().any(is_bound) {
                    self.counts.positions.raw
                } else {
                    vk::Buffer::null()
                };
                (raw, 4 * vk::DeviceSize::from(binding))
            })
            .unzip()
    }
}

impl Drop for CaptureCounts {
    fn drop(&mut self) {
        if !self.device.is_lost() {
            // SAFETY: the pool was created from this device or is null, and the device is idle.
            unsafe { self.device.raw.destroy_query_pool(self.queries, None) };
        }
    }
}
