//! Draws and dispatches with complete bindings.

use super::buffer::Buffer;
use super::descriptors::Layout;
use super::device::Device;
use super::feedback::CaptureCall;
use super::framebuffer::Framebuffer;
use super::occlusion::SampleCounter;
use super::pipeline::{ComputePipeline, GraphicsPipeline};
use crate::error::Error;
use ash::vk;

/// Work groups of a dispatch.
pub(crate) enum WorkGroups<'a> {
    Given([u32; 3]),
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
            // SAFETY: the pipeline was created for this layout, whose sets are bound and filled;
            // the caller has checked the limits of direct counts. Counts in an indirect buffer
            // depend on the script: scripts are trusted not to exceed limits of the device there,
            // and a worker process contains the consequences otherwise.
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
            // SAFETY: the pipeline was created for this render pass and layout; the caller has
            // checked that all vertices and indices exist.
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
