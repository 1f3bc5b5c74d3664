//! Attachments of framebuffers, and reading them back.
//!
//! Attachments with one sample are copied. With several, a color attachment of floats or
//! normalized numbers is resolved by the device and then copied; integers, depth and stencil
//! denote their sample 0, and single samples are fetched by a compute shader.

use super::Framebuffer;
use crate::builtin_shaders::CopyDirection;
use crate::error::Error;
use crate::vk::device::Device;
use crate::vk::image::{Image, ImageDesc};
use crate::vk::sample_copy::{SampleCopier, SampleImage};
use ash::vk;
use glasm_scripts::format::{DepthFormat, Encoding, Format};
use glasm_scripts::image::Image as Picture;
use glasm_scripts::probe::pixels::{FramebufferPlane, Surface};
use glasm_scripts::script::Attachments;
use std::rc::Rc;

/// Image of an attachment, and the properties of reading one aspect of it.
pub(super) struct ReadSource<'a> {
    pub(super) image: &'a Image,
    /// Format of the attachment.
    pub(super) vk_format: vk::Format,
    pub(super) aspect: vk::ImageAspectFlags,
    /// Between commands.
    pub(super) layout: vk::ImageLayout,
    /// Format of texels that are copied to a buffer.
    texels: Format,
}

const TRANSFER: vk::ImageLayout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;

impl Framebuffer {
    /// Reads the contents of a layer of a surface; `None` if the framebuffer does not have the
    /// plane. If it is multisampled and the surface names no sample, the device resolves colors of
    /// floats and normalized numbers; of integers, depth and stencil, sample 0 is read.
    pub(crate) fn read(&self, surface: Surface) -> Result<Option<Picture>, Error> {
        let Some(source) = self.read_source(surface.plane) else {
            return Ok(None);
        };
        let resolves = matches!(surface.plane, FramebufferPlane::Color(_))
            && surface.sample.is_none()
            && !source.texels.encoding.is_integer();
        let (format, data) = if self.samples == 1 {
            self.copy_layer(&source, surface.layer)?
        } else if resolves {
            self.resolve_layer(&source, surface.layer)?
        } else {
            let sample = surface.sample.unwrap_or(0);
            self.fetch_sample(&source, [surface.layer, sample])?
        };
        Ok(Some(Picture {
            width: self.width,
            height: self.height,
            format,
            is_color: surface.is_color(),
            data,
        }))
    }

    /// Returns the image, aspect and layout that a plane of the framebuffer is read from; `None` if
    /// the framebuffer has no such plane.
    fn read_source(&self, plane: FramebufferPlane) -> Option<ReadSource<'_>> {
        let (texels, aspect) = match plane {
            FramebufferPlane::Color(number) => {
                let ColorAttachment { image, format } =
                    self.colors.get(number as usize)?.as_ref()?;
                return Some(ReadSource {
                    image,
                    vk_format: format.vk,
                    aspect: vk::ImageAspectFlags::COLOR,
                    layout: self.key.reading.color_layout(),
                    texels: format.clone(),
                });
            }
            FramebufferPlane::Depth => (
                self.depth.as_ref()?.format.depth_texels()?,
                vk::ImageAspectFlags::DEPTH,
            ),
            FramebufferPlane::Stencil => (
                self.depth.as_ref()?.format.stencil_texels()?,
                vk::ImageAspectFlags::STENCIL,
            ),
        };
        let depth = self.depth.as_ref()?;
        Some(ReadSource {
            image: &depth.image,
            vk_format: depth.format.vk,
            aspect,
            layout: DEPTH_LAYOUT,
            texels,
        })
    }

    /// Returns the size of the framebuffer in pixels, as that of a copy.
    fn extent(&self) -> vk::Extent3D {
        vk::Extent3D {
            width: self.width,
            height: self.height,
            depth: 1,
        }
    }

    /// Reads a layer of an image with one sample, and returns the format and bytes of its texels.
    /// The image is in its previous layout afterwards.
    fn copy_layer(&self, source: &ReadSource<'_>, layer: u32) -> Result<(Format, Vec<u8>), Error> {
        self.device.submit_and_wait(|raw, commands| {
            let image = source.image;
            image.change_layout(raw, commands, source.layout, TRANSFER);
            self.record_copy(raw, commands, image, source.aspect, layer);
            image.change_layout(raw, commands, TRANSFER, source.layout);
        })?;
        Ok(self.read_copied(source))
    }

    /// Records a copy of an aspect of a layer, which is in the layout for transfers, to the start
    /// of the readback buffer.
    fn record_copy(
        &self,
        raw: &ash::Device,
        commands: vk::CommandBuffer,
        image: &Image,
        aspect: vk::ImageAspectFlags,
        layer: u32,
    ) {
        let copy = vk::BufferImageCopy::default()
            .image_subresource(layer_subresource(aspect, layer))
            .image_extent(self.extent());
        // SAFETY: the image is in this layout and has the layer, and the buffer is as large as one.
        unsafe {
            raw.cmd_copy_image_to_buffer(commands, image.raw, TRANSFER, self.readback.raw, &[copy]);
        }
    }

    /// Returns the format and bytes of the texels that a copy has written to the readback buffer.
    fn read_copied(&self, source: &ReadSource<'_>) -> (Format, Vec<u8>) {
        let size = self.width as usize * self.height as usize * source.texels.texel_size();
        (
            source.texels.clone(),
            self.readback.bytes()[..size].to_vec(),
        )
    }

    /// Reads one sample of all pixels of a layer through a compute shader, which is created on
    /// first use and retained. Returns texels of four 32-bit components and their format.
    fn fetch_sample(
        &self,
        source: &ReadSource<'_>,
        layer_and_sample: [u32; 2],
    ) -> Result<(Format, Vec<u8>), Error> {
        let encoding = source.shader_encoding();
        let copying = CopyDirection::Read(encoding);
        let mut readers = self.readers.borrow_mut();
        let cached = readers
            .iter()
            .position(|reader| reader.copying() == copying);
        let index = match cached {
            Some(index) => index,
            None => {
                let size = [self.width, self.height];
                readers.push(SampleCopier::new(&self.device, copying, size)?);
                readers.len() - 1
            }
        };
        let image = SampleImage {
            image: source.image,
            format: source.vk_format,
            aspect: source.aspect,
            layout: source.layout,
        };
        let data = readers[index].read(&image, layer_and_sample)?;
        Ok((Format::from_channels(encoding, 32, 4), data))
    }

    /// Reads a layer of a color attachment, whose samples the device resolves into a temporary
    /// image, and returns the format and bytes of its texels.
    fn resolve_layer(
        &self,
        source: &ReadSource<'_>,
        layer: u32,
    ) -> Result<(Format, Vec<u8>), Error> {
        let usage = vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::TRANSFER_SRC;
        let desc = ImageDesc::single_plane(source.vk_format, self.width, self.height, usage);
        let resolved = Image::without_view(&self.device, &desc)?;
        let region = vk::ImageResolve::default()
            .src_subresource(layer_subresource(source.aspect, layer))
            .dst_subresource(layer_subresource(source.aspect, 0))
            .extent(self.extent());
        let destination = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        self.device.submit_and_wait(|raw, commands| {
            let image = source.image;
            image.change_layout(raw, commands, source.layout, TRANSFER);
            resolved.change_layout(raw, commands, vk::ImageLayout::UNDEFINED, destination);
            // SAFETY: the images are in these layouts, have one format, and contain the region.
            unsafe {
                raw.cmd_resolve_image(
                    commands,
                    image.raw,
                    TRANSFER,
                    resolved.raw,
                    destination,
                    &[region],
                );
            }
            image.change_layout(raw, commands, TRANSFER, source.layout);
            resolved.change_layout(raw, commands, destination, TRANSFER);
            self.record_copy(raw, commands, &resolved, source.aspect, 0);
        })?;
        Ok(self.read_copied(source))
    }
}

impl ReadSource<'_> {
    /// Returns the encoding in which a shader reads the aspect: integers unchanged, all others as
    /// floats.
    pub(super) fn shader_encoding(&self) -> Encoding {
        if self.texels.encoding.is_integer() {
            self.texels.encoding
        } else {
            Encoding::Sfloat
        }
    }
}

/// Returns the given aspects of one layer of level 0, for copies.
fn layer_subresource(aspect: vk::ImageAspectFlags, layer: u32) -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers::default()
        .aspect_mask(aspect)
        .base_array_layer(layer)
        .layer_count(1)
}

/// Layout of depth and stencil attachments between commands and in the render pass.
pub(super) const DEPTH_LAYOUT: vk::ImageLayout = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;

/// Readers of color attachments during a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AttachmentReads {
    Never,
    ByPrograms,
}

impl AttachmentReads {
    /// Returns the layout of color attachments between commands and in the render pass.
    pub(super) fn color_layout(self) -> vk::ImageLayout {
        match self {
            Self::Never => vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            Self::ByPrograms => vk::ImageLayout::GENERAL,
        }
    }
}

/// Color attachment.
pub(super) struct ColorAttachment {
    pub(super) image: Image,
    pub(super) format: Format,
}

/// Depth or stencil attachment, or both in one.
pub(super) struct DepthStencil {
    pub(super) image: Image,
    pub(super) format: DepthFormat,
}

/// Creates the images of attachments.
pub(super) struct AttachmentImages<'a> {
    pub(super) device: &'a Rc<Device>,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) attachments: &'a Attachments,
    pub(super) reading: AttachmentReads,
}

impl AttachmentImages<'_> {
    /// Creates the image of a color attachment; it can be an input attachment if programs read it.
    pub(super) fn create_color(&self, format: &Format) -> Result<ColorAttachment, Error> {
        let mut usage = vk::ImageUsageFlags::COLOR_ATTACHMENT;
        if self.reading == AttachmentReads::ByPrograms {
            usage |= vk::ImageUsageFlags::INPUT_ATTACHMENT;
        }
        let desc = self.image_desc(format.vk, usage, vk::ImageAspectFlags::COLOR);
        Ok(ColorAttachment {
            image: Image::new(self.device, &desc)?,
            format: format.clone(),
        })
    }

    /// Creates the image of a depth or stencil attachment.
    pub(super) fn create_depth_stencil(&self, format: DepthFormat) -> Result<DepthStencil, Error> {
        let usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
        let desc = self.image_desc(format.vk, usage, aspects(format));
        Ok(DepthStencil {
            image: Image::new(self.device, &desc)?,
            format,
        })
    }

    /// Returns the description of the image of an attachment with the size, layers and samples of
    /// the framebuffer. It can be copied from, and shaders can read it if it is multisampled.
    fn image_desc(
        &self,
        format: vk::Format,
        usage: vk::ImageUsageFlags,
        aspects: vk::ImageAspectFlags,
    ) -> ImageDesc {
        let Attachments {
            samples, layers, ..
        } = *self.attachments;
        let mut usage = usage | vk::ImageUsageFlags::TRANSFER_SRC;
        if samples > 1 {
            // Only shaders can read single samples.
            usage |= vk::ImageUsageFlags::SAMPLED;
        }
        ImageDesc {
            view_type: match layers {
                1 => vk::ImageViewType::TYPE_2D,
                _ => vk::ImageViewType::TYPE_2D_ARRAY,
            },
            layers,
            samples: vk::SampleCountFlags::from_raw(samples),
            aspects,
            ..ImageDesc::single_plane(format, self.width, self.height, usage)
        }
    }
}

/// Returns the aspects of a depth or stencil format.
pub(super) fn aspects(format: DepthFormat) -> vk::ImageAspectFlags {
    let mut aspects = vk::ImageAspectFlags::empty();
    if format.has_depth {
        aspects |= vk::ImageAspectFlags::DEPTH;
    }
    if format.has_stencil {
        aspects |= vk::ImageAspectFlags::STENCIL;
    }
    aspects
}
