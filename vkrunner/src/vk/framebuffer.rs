//! The framebuffer that draws go to.

use super::buffer::{Buffer, BufferUse};
use super::device::Device;
use super::image::{Image, ImageDesc};
use crate::error::{CallContext, Error};
use crate::format::{DepthFormat, Encoding, Format};
use crate::image::Image as Picture;
use crate::probe::pixels::{Plane, Surface};
use ash::vk;
use std::rc::Rc;

const COLOR_LAYOUT: vk::ImageLayout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
const DEPTH_LAYOUT: vk::ImageLayout = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;

/// A color attachment, perhaps a depth or stencil attachment, and the render pass for them.
pub(crate) struct Framebuffer {
    pub(super) render_pass: vk::RenderPass,
    raw: vk::Framebuffer,
    color: Image,
    depth: Option<(Image, DepthFormat)>,
    readback: Buffer,
    width: u32,
    height: u32,
    format: Format,
    device: Rc<Device>,
}

impl Framebuffer {
    /// A framebuffer, cleared to zeros and depth 1. The caller checked that the device has the formats and the size.
    pub(crate) fn new(
        device: &Rc<Device>,
        [width, height]: [u32; 2],
        format: &Format,
        depth_format: Option<DepthFormat>,
    ) -> Result<Self, Error> {
        let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT
            | vk::ImageUsageFlags::TRANSFER_SRC
            | vk::ImageUsageFlags::TRANSFER_DST;
        let desc = ImageDesc::plane(format.vk, width, height, usage);
        let color = Image::new(device, &desc)?;
        let depth = match depth_format {
            Some(depth_format) => Some((create_depth(device, &desc, depth_format)?, depth_format)),
            None => None,
        };
        let size = u64::from(width) * u64::from(height) * format.size() as u64;
        let mut framebuffer = Self {
            render_pass: vk::RenderPass::null(),
            raw: vk::Framebuffer::null(),
            color,
            depth,
            readback: Buffer::new(device, BufferUse::Readback, size)?,
            width,
            height,
            format: format.clone(),
            device: Rc::clone(device),
        };
        framebuffer.render_pass = create_render_pass(device, format.vk, depth_format)?;
        framebuffer.create_framebuffer()?;
        framebuffer.prepare()?;
        Ok(framebuffer)
    }

    fn create_framebuffer(&mut self) -> Result<(), Error> {
        let mut views = vec![self.color.view];
        views.extend(self.depth.iter().map(|(image, _)| image.view));
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(self.render_pass)
            .attachments(&views)
            .width(self.width)
            .height(self.height)
            .layers(1);
        // SAFETY: the views match the attachments of the render pass.
        self.raw = unsafe { self.device.raw.create_framebuffer(&info, None) }
            .call("vkCreateFramebuffer")?;
        Ok(())
    }

    /// Brings the new images into their layouts and clears them.
    fn prepare(&self) -> Result<(), Error> {
        self.device.run(|raw, commands| {
            self.color
                .change_layout(raw, commands, vk::ImageLayout::UNDEFINED, COLOR_LAYOUT);
            if let Some((depth, _)) = &self.depth {
                depth.change_layout(raw, commands, vk::ImageLayout::UNDEFINED, DEPTH_LAYOUT);
            }
        })?;
        self.clear([0.0; 4], 1.0, 0)
    }

    /// Clears all attachments.
    pub(crate) fn clear(&self, color: [f32; 4], depth: f32, stencil: u32) -> Result<(), Error> {
        let mut attachments = vec![
            vk::ClearAttachment::default()
                .aspect_mask(vk::ImageAspectFlags::COLOR)
                .color_attachment(0)
                .clear_value(vk::ClearValue {
                    color: self.clear_color(color),
                }),
        ];
        if let Some((_, format)) = &self.depth {
            let depth_stencil = vk::ClearDepthStencilValue { depth, stencil };
            let clear = vk::ClearAttachment::default().aspect_mask(depth_aspects(*format));
            attachments.push(clear.clear_value(vk::ClearValue { depth_stencil }));
        }
        let rect = vk::ClearRect {
            rect: self.area(),
            base_array_layer: 0,
            layer_count: 1,
        };
        self.device.run(|raw, commands| {
            self.begin_pass(raw, commands);
            // SAFETY: the attachments are those of the render pass that has begun.
            unsafe {
                raw.cmd_clear_attachments(commands, &attachments, &[rect]);
                raw.cmd_end_render_pass(commands);
            }
        })
    }

    /// The clear value in the type of the format.
    fn clear_color(&self, color: [f32; 4]) -> vk::ClearColorValue {
        match self.format.encoding {
            Encoding::Uint => vk::ClearColorValue {
                uint32: color.map(|value| value as u32),
            },
            Encoding::Sint => vk::ClearColorValue {
                int32: color.map(|value| value as i32),
            },
            Encoding::Unorm
            | Encoding::Snorm
            | Encoding::Uscaled
            | Encoding::Sscaled
            | Encoding::Sfloat
            | Encoding::Srgb => vk::ClearColorValue { float32: color },
        }
    }

    fn area(&self) -> vk::Rect2D {
        vk::Rect2D {
            offset: vk::Offset2D::default(),
            extent: vk::Extent2D {
                width: self.width,
                height: self.height,
            },
        }
    }

    /// Viewport and scissor that cover everything.
    pub(super) fn viewport(&self) -> (vk::Viewport, vk::Rect2D) {
        let (width, height) = (self.width as f32, self.height as f32);
        (
            vk::Viewport {
                x: 0.0,
                y: 0.0,
                width,
                height,
                min_depth: 0.0,
                max_depth: 1.0,
            },
            self.area(),
        )
    }

    /// Whether there are depth and stencil buffers.
    pub(super) fn depth_format(&self) -> Option<DepthFormat> {
        self.depth.as_ref().map(|(_, format)| *format)
    }

    /// Records the beginning of the render pass.
    pub(super) fn begin_pass(&self, raw: &ash::Device, commands: vk::CommandBuffer) {
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(self.render_pass)
            .framebuffer(self.raw)
            .render_area(self.area());
        // SAFETY: the command buffer is being recorded, outside of a render pass; the images are in the layouts that the pass expects.
        unsafe { raw.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE) };
    }

    /// Everything that can be read.
    pub(crate) fn surfaces(&self) -> Vec<Surface> {
        vec![Surface::of(Plane::Color(0))]
    }

    /// The contents of a surface.
    pub(crate) fn read(&self, _surface: Surface) -> Result<Picture, Error> {
        let layers = vk::ImageSubresourceLayers::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .layer_count(1);
        let copy = vk::BufferImageCopy::default()
            .image_subresource(layers)
            .image_extent(vk::Extent3D {
                width: self.width,
                height: self.height,
                depth: 1,
            });
        let transfer = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        self.device.run(|raw, commands| {
            self.color
                .change_layout(raw, commands, COLOR_LAYOUT, transfer);
            // SAFETY: the buffer is as large as the image.
            unsafe {
                raw.cmd_copy_image_to_buffer(
                    commands,
                    self.color.raw,
                    transfer,
                    self.readback.raw,
                    &[copy],
                );
            }
            self.color
                .change_layout(raw, commands, transfer, COLOR_LAYOUT);
        })?;
        let size = self.width as usize * self.height as usize * self.format.size();
        let data = self.readback.bytes()[..size].to_vec();
        Ok(Picture {
            width: self.width,
            height: self.height,
            format: self.format.clone(),
            is_color: true,
            data,
        })
    }
}

impl Drop for Framebuffer {
    fn drop(&mut self) {
        if self.device.is_lost() {
            return;
        }
        // SAFETY: both were made from this device or are null, and the device is idle.
        unsafe {
            self.device.raw.destroy_framebuffer(self.raw, None);
            self.device.raw.destroy_render_pass(self.render_pass, None);
        }
    }
}

fn depth_aspects(format: DepthFormat) -> vk::ImageAspectFlags {
    let mut aspects = vk::ImageAspectFlags::empty();
    if format.has_depth {
        aspects |= vk::ImageAspectFlags::DEPTH;
    }
    if format.has_stencil {
        aspects |= vk::ImageAspectFlags::STENCIL;
    }
    aspects
}

fn create_depth(
    device: &Rc<Device>,
    color: &ImageDesc,
    format: DepthFormat,
) -> Result<Image, Error> {
    let desc = ImageDesc {
        format: format.vk,
        usage: vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
        aspects: depth_aspects(format),
        ..*color
    };
    Image::new(device, &desc)
}

/// A pass that keeps what the attachments hold.
fn create_render_pass(
    device: &Device,
    color: vk::Format,
    depth: Option<DepthFormat>,
) -> Result<vk::RenderPass, Error> {
    let attachment = |format, layout| {
        vk::AttachmentDescription::default()
            .format(format)
            .samples(vk::SampleCountFlags::TYPE_1)
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::STORE)
            .stencil_load_op(vk::AttachmentLoadOp::LOAD)
            .stencil_store_op(vk::AttachmentStoreOp::STORE)
            .initial_layout(layout)
            .final_layout(layout)
    };
    let mut attachments = vec![attachment(color, COLOR_LAYOUT)];
    attachments.extend(depth.map(|format| attachment(format.vk, DEPTH_LAYOUT)));
    let color_reference = [vk::AttachmentReference {
        attachment: 0,
        layout: COLOR_LAYOUT,
    }];
    let depth_reference = vk::AttachmentReference {
        attachment: 1,
        layout: DEPTH_LAYOUT,
    };
    let mut subpass = vk::SubpassDescription::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(&color_reference);
    if depth.is_some() {
        subpass = subpass.depth_stencil_attachment(&depth_reference);
    }
    let subpasses = [subpass];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses);
    // SAFETY: the references are to attachments of the pass.
    unsafe { device.raw.create_render_pass(&info, None) }.call("vkCreateRenderPass")
}
