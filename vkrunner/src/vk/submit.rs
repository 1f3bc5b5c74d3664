//! Recording, submitting and waiting: one command buffer at a time.

use super::buffer::Buffer;
use super::descriptors::Layout;
use super::device::Device;
use super::feedback::CaptureCall;
use super::framebuffer::Framebuffer;
use super::occlusion::SampleCounter;
use super::pipeline::{ComputePipeline, GraphicsPipeline};
use crate::error::{CallContext, Error};
use ash::vk;
use glasm_scripts::stopwatch::Stopwatch;
use glasm_scripts::timing::Phase;

/// Everything before, for everything after, memory and host included.
const FULL_SRC: vk::AccessFlags = vk::AccessFlags::MEMORY_WRITE;

/// Work groups of a dispatch.
pub(crate) enum WorkGroups<'a> {
    Given([u32; 3]),
    /// From a byte of a buffer that scripts use, a multiple of 4.
    Indirect(&'a Buffer, u64),
}

impl Device {
    /// Records commands, runs them, and waits until they are done and their writes are visible to host and device.
    pub(super) fn run(
        &self,
        record: impl FnOnce(&ash::Device, vk::CommandBuffer),
    ) -> Result<(), Error> {
        let _phase = self.clock.enter(Phase::Device);
        let work = self.start_stopwatch();
        self.time_left(&work)?;
        let result = self.try_run(record, &work);
        if result.is_err() {
            // The device may still be working, or be gone.
            self.set_lost();
        }
        result
    }

    fn try_run(
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
        // SAFETY: the command buffer is complete; all objects in it outlive the wait, or are left alone if it fails.
        unsafe { self.raw.queue_submit(self.queue, &[submit], self.fence) }
            .call("vkQueueSubmit")?;
        self.wait(work)
    }

    /// Waits for what was submitted.
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

    /// Dispatches work groups.
    pub(crate) fn dispatch(
        &self,
        pipeline: &ComputePipeline,
        layout: &Layout,
        push: &[u8],
        groups: WorkGroups<'_>,
    ) -> Result<(), Error> {
        self.run(|raw, commands| {
            layout.bind(raw, commands, vk::PipelineBindPoint::COMPUTE, push);
            // SAFETY: the pipeline was made for this layout, whose sets are bound and filled; the caller checked the limits.
            unsafe {
                raw.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline.raw);
                match groups {
                    WorkGroups::Given([x, y, z]) => raw.cmd_dispatch(commands, x, y, z),
                    WorkGroups::Indirect(buffer, offset) => {
                        raw.cmd_dispatch_indirect(commands, buffer.raw, offset);
                    }
                }
            }
        })
    }

    /// Draws into a framebuffer.
    pub(crate) fn draw(&self, framebuffer: &Framebuffer, call: &DrawCall<'_>) -> Result<(), Error> {
        self.run(|raw, commands| {
            if let Some(capture) = &call.capture {
                capture.prepare(commands);
            }
            if let Some(counter) = call.samples {
                counter.prepare(commands);
            }
            framebuffer.begin_pass(raw, commands);
            call.layout
                .bind(raw, commands, vk::PipelineBindPoint::GRAPHICS, call.push);
            for (binding, buffer) in &call.vertex_buffers {
                // SAFETY: the buffer has vertex buffer usage.
                unsafe { raw.cmd_bind_vertex_buffers(commands, *binding, &[buffer.raw], &[0]) };
            }
            // SAFETY: the pipeline was made for this render pass and layout; the caller checked that all vertices and indices exist.
            unsafe {
                raw.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, call.pipeline.raw);
                if let Some(capture) = &call.capture {
                    capture.begin(commands);
                }
                if let Some(counter) = call.samples {
                    counter.begin(commands);
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
                    counter.end(commands);
                }
                if let Some(capture) = &call.capture {
                    capture.end(commands);
                }
                raw.cmd_end_render_pass(commands);
            }
        })
    }
}

/// Which vertices a draw takes.
pub(crate) enum DrawCount<'a> {
    Vertices { first: u32, count: u32 },
    Indices(IndexedDraw<'a>),
}

/// The indices of a draw.
pub(crate) struct IndexedDraw<'a> {
    pub(crate) indices: &'a Buffer,
    pub(crate) index_type: vk::IndexType,
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) vertex_offset: i32,
}

/// A draw with everything bound.
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
