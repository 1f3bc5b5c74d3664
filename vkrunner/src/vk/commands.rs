//! Draws and dispatches with complete bindings; recording, submitting and waiting: one command
//! buffer at a time.

use super::buffer::Buffer;
use super::descriptors::Layout;
use super::device::Device;
use super::feedback::CaptureCall;
use super::framebuffer::Framebuffer;
use super::occlusion::SampleCounter;
use super::pipeline::{ComputePipeline, GraphicsPipeline};
use crate::error::{CallContext, Error};
use ash::vk;
use glasm_scripts::timing::Phase;
use glasm_scripts::timing::Stopwatch;

/// Work groups of a dispatch.
pub(crate) enum WorkGroups<'a> {
    Direct([u32; 3]),
    /// Counts from a byte offset of a buffer of the script, a multiple of 4.
    Indirect(&'a Buffer, u64),
}

/// Vertices of a draw.
pub(crate) enum DrawCount<'a> {
    Vertices { first: u32, count: u32 },
    Indices(IndexedDraw<'a>),
}

/// Indices of a draw.
pub(crate) struct IndexedDraw<'a> {
    pub(crate) indices: &'a Buffer,
    pub(crate) index_type: vk::IndexType,
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) vertex_offset: i32,
}

/// Draw with complete bindings.
pub(crate) struct DrawCall<'a> {
    pub(crate) pipeline: &'a GraphicsPipeline,
    pub(crate) layout: &'a Layout,
    pub(crate) push: &'a [u8],
    /// Buffers by binding number.
    pub(crate) vertex_buffers: Vec<(u32, &'a Buffer)>,
    pub(crate) count: DrawCount<'a>,
    pub(crate) instances: u32,
    pub(crate) first_instance: u32,
    pub(crate) capture: Option<CaptureCall<'a>>,
    /// Counts samples.
    pub(crate) samples: Option<&'a SampleCounter>,
}

impl Device {
    /// Dispatches work groups with the descriptors of a layout and push constants, and waits for
    /// the device; see [`Self::submit_and_wait`] for the errors. The caller has checked the limits
    /// of direct counts.
    pub(crate) fn dispatch(
        &self,
        pipeline: &ComputePipeline,
        layout: &Layout,
        push: &[u8],
        groups: WorkGroups<'_>,
    ) -> Result<(), Error> {
        self.submit_and_wait(|raw, commands| {
            layout.record_bind(raw, commands, vk::PipelineBindPoint::COMPUTE, push);
            // SAFETY: the pipeline was created for this layout, whose sets are bound and filled;
            // the caller has checked the limits of direct counts. Counts in an indirect buffer
            // depend on the script: scripts are trusted not to exceed limits of the device there,
            // and a worker process contains the consequences otherwise.
            unsafe {
                raw.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline.raw);
                match groups {
                    WorkGroups::Direct([x, y, z]) => raw.cmd_dispatch(commands, x, y, z),
                    WorkGroups::Indirect(buffer, offset) => {
                        raw.cmd_dispatch_indirect(commands, buffer.raw, offset);
                    }
                }
            }
        })
    }

    /// Draws into a framebuffer, with transform feedback and sample counting if the call has them,
    /// and waits for the device; see [`Self::submit_and_wait`] for the errors. Resets the counters
    /// of both first. The caller has checked that all vertices and indices exist.
    pub(crate) fn draw(&self, framebuffer: &Framebuffer, call: &DrawCall<'_>) -> Result<(), Error> {
        self.submit_and_wait(|raw, commands| {
            if let Some(capture) = &call.capture {
                capture.record_reset(commands);
            }
            if let Some(counter) = call.samples {
                counter.record_reset(commands);
            }
            framebuffer.begin_pass(raw, commands);
            call.layout
                .record_bind(raw, commands, vk::PipelineBindPoint::GRAPHICS, call.push);
            for (binding, buffer) in &call.vertex_buffers {
                // SAFETY: the buffer has vertex buffer usage.
                unsafe { raw.cmd_bind_vertex_buffers(commands, *binding, &[buffer.raw], &[0]) };
            }
            // SAFETY: the pipeline was created for this render pass and layout; the caller has
            // checked that all vertices and indices exist.
            unsafe {
                raw.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, call.pipeline.raw);
                if let Some(capture) = &call.capture {
                    capture.record_begin(commands);
                }
                if let Some(counter) = call.samples {
                    counter.record_begin(commands);
                }
                match &call.count {
                    DrawCount::Vertices { first, count } => {
                        raw.cmd_draw(
                            commands,
                            *count,
                            call.instances,
                            *first,
                            call.first_instance,
                        );
                    }
                    DrawCount::Indices(draw) => {
                        raw.cmd_bind_index_buffer(commands, draw.indices.raw, 0, draw.index_type);
                        raw.cmd_draw_indexed(
                            commands,
                            draw.count,
                            call.instances,
                            draw.first,
                            draw.vertex_offset,
                            call.first_instance,
                        );
                    }
                }
                if let Some(counter) = call.samples {
                    counter.record_end(commands);
                }
                if let Some(capture) = &call.capture {
                    capture.record_end(commands);
                }
                raw.cmd_end_render_pass(commands);
            }
        })
    }
}

/// Source accesses of a full barrier, including memory and host.
const FULL_SRC: vk::AccessFlags = vk::AccessFlags::MEMORY_WRITE;

impl Device {
    /// Records commands, submits them, and waits until they have completed and their writes are
    /// visible to host and device. Any error, such as an exceeded time limit of the device, marks
    /// the device as lost; but if the time limit has passed before, nothing is recorded and the
    /// device is not marked.
    pub(super) fn submit_and_wait(
        &self,
        record: impl FnOnce(&ash::Device, vk::CommandBuffer),
    ) -> Result<(), Error> {
        let _phase = self.clock.enter(Phase::Device);
        let work = self.start_stopwatch();
        self.time_left(&work)?;
        let result = self.try_submit(record, &work);
        if result.is_err() {
            // The device may still be working, or be lost.
            self.set_lost();
        }
        result
    }

    /// Records a command buffer, submits it and waits until it has been executed or the time limit
    /// has passed.
    fn try_submit(
        &self,
        record: impl FnOnce(&ash::Device, vk::CommandBuffer),
        work: &Stopwatch,
    ) -> Result<(), Error> {
        let commands = self.command_buffer;
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the command buffer is not in use, and its pool allows resetting it.
        unsafe { self.raw.begin_command_buffer(commands, &begin) }.call("vkBeginCommandBuffer")?;
        record(&self.raw, commands);
        self.barrier_to_host(commands);
        // SAFETY: the command buffer is being recorded, outside of a render pass.
        unsafe { self.raw.end_command_buffer(commands) }.call("vkEndCommandBuffer")?;
        // SAFETY: the fence is not in use.
        unsafe { self.raw.reset_fences(&[self.fence]) }.call("vkResetFences")?;
        let buffers = [commands];
        let submit = vk::SubmitInfo::default().command_buffers(&buffers);
        // SAFETY: the command buffer is complete; all objects in it outlive the wait, or are leaked
        // if it fails.
        unsafe { self.raw.queue_submit(self.queue, &[submit], self.fence) }
            .call("vkQueueSubmit")?;
        self.wait(work)
    }

    /// Waits for the submitted work, which began with `work`. Returns an error if the time limit of
    /// the device or of the script passes first, or if the device is lost.
    fn wait(&self, work: &Stopwatch) -> Result<(), Error> {
        loop {
            let time = self.time_left(work)?;
            let timeout = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            // SAFETY: the fence is valid.
            match unsafe { self.raw.wait_for_fences(&[self.fence], true, timeout) } {
                Err(vk::Result::TIMEOUT) => {}
                result => return result.call("vkWaitForFences"),
            }
        }
    }

    /// Records a barrier that makes all writes of the commands visible to the host and to later
    /// commands.
    fn barrier_to_host(&self, commands: vk::CommandBuffer) {
        let barrier = vk::MemoryBarrier::default()
            .src_access_mask(FULL_SRC)
            .dst_access_mask(
                vk::AccessFlags::HOST_READ
                    | vk::AccessFlags::MEMORY_READ
                    | vk::AccessFlags::MEMORY_WRITE,
            );
        let dst_stage = vk::PipelineStageFlags::HOST | vk::PipelineStageFlags::ALL_COMMANDS;
        // SAFETY: the command buffer is being recorded, outside of a render pass.
        unsafe {
            self.raw.cmd_pipeline_barrier(
                commands,
                vk::PipelineStageFlags::ALL_COMMANDS,
                dst_stage,
                vk::DependencyFlags::empty(),
                &[barrier],
                &[],
                &[],
            );
        }
    }
}
