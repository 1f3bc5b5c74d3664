//! The framebuffer that draws go to: its attachments, its render passes, and clearing it.
//!
//! Between commands every attachment is in the layout that the render pass expects.

mod read;

use super::buffer::Buffer;
use super::descriptors::Resource;
use super::device::Device;
use super::image::Image;
use super::pool::{Poolable, Pooled};
use super::sample_copy::SampleCopier;
use super::usage::BufferUse;
use crate::error::{CallContext, Error};
use ash::vk;
use glasm::ir::BaseType;
use glasm_scripts::format::{DepthFormat, Encoding, Format};
use glasm_scripts::script::{Attachments, Clear};
use read::{AttachmentImages, ColorAttachment, DEPTH_LAYOUT, DepthStencil, aspects};
use std::cell::RefCell;
use std::rc::Rc;

pub(crate) use read::AttachmentReads;

/// Key of a framebuffer.
#[derive(PartialEq, Eq)]
pub(crate) struct FramebufferKey {
    size: [u32; 2],
    attachments: Attachments,
    reading: AttachmentReads,
}

impl FramebufferKey {
    /// Returns the number of texels of all attachments, samples and layers counted separately.
    pub(super) fn texels(&self) -> u64 {
        let Attachments {
            colors,
            depth,
            samples,
            layers,
        } = &self.attachments;
        let count = colors.iter().flatten().count() + usize::from(depth.is_some());
        let sides = self.size.map(u64::from);
        sides[0] * sides[1] * u64::from(*samples) * u64::from(*layers) * count as u64
    }
}

/// Color attachments, perhaps a depth or stencil attachment, and the render pass for them.
pub(crate) type Framebuffer = Pooled<FramebufferObject>;

/// Vulkan objects of a [`Framebuffer`].
pub(crate) struct FramebufferObject {
    pub(super) key: Rc<FramebufferKey>,
    pub(super) render_pass: vk::RenderPass,
    raw: vk::Framebuffer,
    /// Color attachments by number; `None` for numbers without attachment.
    colors: Vec<Option<ColorAttachment>>,
    depth: Option<DepthStencil>,
    /// Buffer for one layer of one sample of any attachment.
    readback: Buffer,
    /// Readers of samples, created on demand.
    readers: RefCell<Vec<SampleCopier>>,
    width: u32,
    height: u32,
    layers: u32,
    samples: u32,
    device: Rc<Device>,
}

impl Framebuffer {
    /// Returns a framebuffer, cleared to zeros and depth 1: a pooled one with the same properties,
    /// or a new one. The caller has checked that the device supports the formats, the samples and
    /// the size.
    pub(crate) fn new(
        device: &Rc<Device>,
        size: [u32; 2],
        attachments: &Attachments,
        reading: AttachmentReads,
    ) -> Result<Self, Error> {
        let key = Rc::new(FramebufferKey {
            size,
            attachments: attachments.clone(),
            reading,
        });
        let make = || FramebufferObject::create(device, &key);
        let framebuffer = Self::get_or_create(device, Rc::clone(&key), make)?;
        framebuffer.prepare()?;
        Ok(framebuffer)
    }
}

impl FramebufferObject {
    /// Creates the attachments, the readback buffer, the render pass and the framebuffer of a key.
    /// The contents and layouts of the attachments are undefined.
    fn create(device: &Rc<Device>, key: &Rc<FramebufferKey>) -> Result<Self, Error> {
        let FramebufferKey {
            size: [width, height],
            ref attachments,
            reading,
        } = **key;
        let images = AttachmentImages {
            device,
            width,
            height,
            attachments,
            reading,
        };
        let mut colors = Vec::new();
        for format in &attachments.colors {
            colors.push(match format {
                Some(format) => Some(images.create_color(format)?),
                None => None,
            });
        }
        let depth = match attachments.depth {
            Some(format) => Some(images.create_depth_stencil(format)?),
            None => None,
        };
        // Depth and stencil values take four bytes at most.
        let sizes = attachments.colors.iter().flatten().map(Format::texel_size);
        let texel = sizes.max().unwrap_or(0).max(4) as u64;
        let size = u64::from(width) * u64::from(height) * texel;
        let mut framebuffer = Self {
            key: Rc::clone(key),
            render_pass: vk::RenderPass::null(),
            raw: vk::Framebuffer::null(),
            colors,
            depth,
            readback: Buffer::new(device, BufferUse::Readback, size)?,
            readers: RefCell::default(),
            width,
            height,
            layers: attachments.layers,
            samples: attachments.samples,
            device: Rc::clone(device),
        };
        framebuffer.render_pass = create_render_pass(device, attachments, reading)?;
        framebuffer.create_framebuffer()?;
        Ok(framebuffer)
    }

    /// Creates the Vulkan framebuffer from the views of all color attachments, followed by the
    /// depth and stencil attachment.
    fn create_framebuffer(&mut self) -> Result<(), Error> {
        let mut views: Vec<_> = self.color_images().map(|image| image.view).collect();
        views.extend(self.depth.iter().map(|depth| depth.image.view));
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(self.render_pass)
            .attachments(&views)
            .width(self.width)
            .height(self.height)
            .layers(self.layers);
        // SAFETY: the views match the attachments of the render pass.
        self.raw = unsafe { self.device.raw.create_framebuffer(&info, None) }
            .call("vkCreateFramebuffer")?;
        Ok(())
    }

    /// Returns the images of the color attachments in order, without numbers that have no
    /// attachment.
    fn color_images(&self) -> impl Iterator<Item = &Image> {
        self.colors.iter().flatten().map(|color| &color.image)
    }

    /// Returns a color attachment as input of fragment programs; `None` if there is none of this
    /// number, or if it has several samples.
    pub(crate) fn input_attachment(&self, number: u32) -> Option<Resource<'_>> {
        let color = self.colors.get(number as usize)?.as_ref()?;
        (self.samples == 1).then(|| {
            let info = vk::DescriptorImageInfo::default().image_view(color.image.view);
            Resource::Attachment(info.image_layout(self.key.reading.color_layout()))
        })
    }

    /// Transitions all attachments from undefined contents to their layouts and clears them to
    /// zeros and depth 1.
    fn prepare(&self) -> Result<(), Error> {
        let undefined = vk::ImageLayout::UNDEFINED;
        let layout = self.key.reading.color_layout();
        self.device.submit_and_wait(|raw, commands| {
            for image in self.color_images() {
                image.change_layout(raw, commands, undefined, layout);
            }
            if let Some(depth) = &self.depth {
                depth
                    .image
                    .change_layout(raw, commands, undefined, DEPTH_LAYOUT);
            }
        })?;
        self.clear(&Clear::default())
    }

    /// Clears the attachments that a `clear` command selects to its values, in all layers and
    /// samples, and waits for the device. Does nothing if there are none.
    pub(crate) fn clear(&self, values: &Clear) -> Result<(), Error> {
        let attachments = self.clear_attachments(values);
        if attachments.is_empty() {
            return Ok(());
        }
        let rect = vk::ClearRect {
            rect: self.full_area(),
            base_array_layer: 0,
            layer_count: self.layers,
        };
        self.device.submit_and_wait(|raw, commands| {
            self.begin_pass(raw, commands);
            // SAFETY: the attachments are those of the render pass that has begun.
            unsafe {
                raw.cmd_clear_attachments(commands, &attachments, &[rect]);
                raw.cmd_end_render_pass(commands);
            }
        })
    }

    /// Returns the attachments that a `clear` command clears, with their values: one color
    /// attachment if the command selects it, otherwise all, with depth and stencil.
    fn clear_attachments(&self, values: &Clear) -> Vec<vk::ClearAttachment> {
        let mut attachments = Vec::new();
        for ((color, value), number) in self.colors.iter().zip(values.colors).zip(0..) {
            let Some(color) = color.as_ref() else {
                continue;
            };
            if values.only.is_some_and(|only| only != number) {
                continue;
            }
            let clear = vk::ClearAttachment::default()
                .aspect_mask(vk::ImageAspectFlags::COLOR)
                .color_attachment(number)
                .clear_value(vk::ClearValue {
                    color: clear_color(color.format.encoding, value),
                });
            attachments.push(clear);
        }
        if let Some(depth) = &self.depth
            && values.only.is_none()
        {
            let depth_stencil = vk::ClearDepthStencilValue {
                depth: values.depth,
                stencil: values.stencil,
            };
            let clear = vk::ClearAttachment::default()
                .aspect_mask(aspects(depth.format))
                .clear_value(vk::ClearValue { depth_stencil });
            attachments.push(clear);
        }
        attachments
    }

    /// Returns the rectangle of all pixels.
    pub(super) fn full_area(&self) -> vk::Rect2D {
        vk::Rect2D {
            offset: vk::Offset2D::default(),
            extent: vk::Extent2D {
                width: self.width,
                height: self.height,
            },
        }
    }

    /// Returns the format of the depth and stencil buffers; `None` if there are none.
    pub(super) fn depth_format(&self) -> Option<DepthFormat> {
        self.depth.as_ref().map(|depth| depth.format)
    }

    /// Returns the number of color attachments, including numbers without attachment.
    pub(super) fn color_count(&self) -> usize {
        self.colors.len()
    }

    /// Returns the number of samples of a pixel.
    pub(super) fn samples(&self) -> vk::SampleCountFlags {
        vk::SampleCountFlags::from_raw(self.samples)
    }

    /// Records the beginning of the render pass over all pixels, which preserves the contents of
    /// the attachments. The caller records its end.
    pub(super) fn begin_pass(&self, raw: &ash::Device, commands: vk::CommandBuffer) {
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(self.render_pass)
            .framebuffer(self.raw)
            .render_area(self.full_area());
        // SAFETY: the command buffer is being recorded, outside of a render pass; the images are in
        // the layouts that the pass expects.
        unsafe { raw.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE) };
    }
}

impl Poolable for FramebufferObject {
    type Key = Rc<FramebufferKey>;
    const LIMIT: usize = 8;

    fn is_small(key: &Self::Key) -> bool {
        key.texels() <= 1 << 16
    }
}

impl Drop for FramebufferObject {
    fn drop(&mut self) {
        if self.device.is_lost() {
            return;
        }
        // SAFETY: both were created from this device or are null, and the device is idle.
        unsafe {
            self.device.raw.destroy_framebuffer(self.raw, None);
            self.device.raw.destroy_render_pass(self.render_pass, None);
        }
    }
}

/// Converts a clear color to the numeric type of the attachment's encoding.
fn clear_color(encoding: Encoding, color: [f64; 4]) -> vk::ClearColorValue {
    match encoding.base() {
        BaseType::UnsignedInt => vk::ClearColorValue {
            uint32: color.map(|value| value as u32),
        },
        BaseType::SignedInt => vk::ClearColorValue {
            int32: color.map(|value| value as i32),
        },
        BaseType::Float => vk::ClearColorValue {
            float32: color.map(|value| value as f32),
        },
    }
}

/// Draws may read results of previous draws in the pass.
const READ_BY_DRAWS: vk::SubpassDependency = vk::SubpassDependency {
    src_subpass: 0,
    dst_subpass: 0,
    src_stage_mask: vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT,
    dst_stage_mask: vk::PipelineStageFlags::FRAGMENT_SHADER,
    src_access_mask: vk::AccessFlags::COLOR_ATTACHMENT_WRITE,
    dst_access_mask: vk::AccessFlags::INPUT_ATTACHMENT_READ,
    dependency_flags: vk::DependencyFlags::BY_REGION,
};

/// Describes an attachment whose contents are loaded and stored, in the same layout before and
/// after.
fn preserved_attachment(format: vk::Format, layout: vk::ImageLayout) -> vk::AttachmentDescription {
    vk::AttachmentDescription::default()
        .format(format)
        .load_op(vk::AttachmentLoadOp::LOAD)
        .store_op(vk::AttachmentStoreOp::STORE)
        .stencil_load_op(vk::AttachmentLoadOp::LOAD)
        .stencil_store_op(vk::AttachmentStoreOp::STORE)
        .initial_layout(layout)
        .final_layout(layout)
}

/// Creates a render pass that preserves the contents of the attachments. If programs read them, all
/// color attachments are also input attachments, with a dependency between draws.
fn create_render_pass(
    device: &Device,
    framebuffer_attachments: &Attachments,
    reading: AttachmentReads,
) -> Result<vk::RenderPass, Error> {
    let color_layout = reading.color_layout();
    let samples = vk::SampleCountFlags::from_raw(framebuffer_attachments.samples);
    let attachment = |format, layout| preserved_attachment(format, layout).samples(samples);
    let mut attachments = Vec::new();
    let mut references = Vec::new();
    for format in &framebuffer_attachments.colors {
        let number = match format {
            Some(format) => {
                attachments.push(attachment(format.vk, color_layout));
                attachments.len() as u32 - 1
            }
            None => vk::ATTACHMENT_UNUSED,
        };
        references.push(vk::AttachmentReference {
            attachment: number,
            layout: color_layout,
        });
    }
    attachments.extend(
        framebuffer_attachments
            .depth
            .map(|format| attachment(format.vk, DEPTH_LAYOUT)),
    );
    let depth_reference = vk::AttachmentReference {
        attachment: attachments.len() as u32 - u32::from(framebuffer_attachments.depth.is_some()),
        layout: DEPTH_LAYOUT,
    };
    let mut subpass = vk::SubpassDescription::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(&references);
    if framebuffer_attachments.depth.is_some() {
        subpass = subpass.depth_stencil_attachment(&depth_reference);
    }
    if reading == AttachmentReads::ByPrograms {
        subpass = subpass.input_attachments(&references);
    }
    let subpasses = [subpass];
    let dependencies = [READ_BY_DRAWS];
    let mut info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses);
    if reading == AttachmentReads::ByPrograms {
        info = info.dependencies(&dependencies);
    }
    // SAFETY: the references are to attachments of the pass.
    unsafe { device.raw.create_render_pass(&info, None) }.call("vkCreateRenderPass")
}
