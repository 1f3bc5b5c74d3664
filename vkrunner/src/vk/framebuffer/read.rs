//! Reading attachments back.
//!
//! Attachments with one sample are copied. With several, a color attachment of floats or
//! normalized numbers is resolved by the device and then copied; integers, depth and stencil
//! denote their sample 0, and single samples are fetched by a compute shader.

use super::Framebuffer;
use super::attachments::{ColorAttachment, DEPTH_LAYOUT};
use crate::error::Error;
use crate::sample_copy::SampleCopying;
use crate::vk::image::{Image, ImageDesc};
use crate::vk::sample_copy::{SampleCopier, SampleImage};
use ash::vk;
use glasm_scripts::format::{Encoding, Format};
use glasm_scripts::image::Image as Picture;
use glasm_scripts::probe::pixels::{Plane, Surface};

/// Image of an attachment, and the properties of reading one aspect of it.
pub(super) struct Source<'a> {
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
    /// Reads the contents of a surface; `None` if the framebuffer does not have it.
    pub(crate) fn read(&self, surface: Surface) -> Result<Option<Picture>, Error> {
        let Some(source) = self.source(surface.plane) else {
            return Ok(None);
        };
        let resolves = matches!(surface.plane, Plane::Color(_))
            && surface.sample.is_none()
            && !source.texels.encoding.is_integer();
        let (format, data) = if self.samples == 1 {
            self.copy(&source, surface.layer)?
        } else if resolves {
            self.resolve(&source, surface.layer)?
        } else {
            let sample = surface.sample.unwrap_or(0);
            self.fetch(&source, [surface.layer, sample])?
        };
        Ok(Some(Picture {
            width: self.width,
            height: self.height,
            format,
            is_color: surface.is_color(),
            data,
        }))
    }

    fn source(&self, plane: Plane) -> Option<Source<'_>> {
        let (texels, aspect) = match plane {
            Plane::Color(number) => {
                let ColorAttachment { image, format } =
                    self.colors.get(number as usize)?.as_ref()?;
                return Some(Source {
                    image,
                    vk_format: format.vk,
                    aspect: vk::ImageAspectFlags::COLOR,
                    layout: self.key.reading.color_layout(),
                    texels: format.clone(),
                });
            }
            Plane::Depth => (
                self.depth.as_ref()?.format.depth_texels()?,
                vk::ImageAspectFlags::DEPTH,
            ),
            Plane::Stencil => (
                self.depth.as_ref()?.format.stencil_texels()?,
                vk::ImageAspectFlags::STENCIL,
            ),
        };
        let depth = self.depth.as_ref()?;
        Some(Source {
            image: &depth.image,
            vk_format: depth.format.vk,
            aspect,
            layout: DEPTH_LAYOUT,
            texels,
        })
    }

    fn extent(&self) -> vk::Extent3D {
        vk::Extent3D {
            width: self.width,
            height: self.height,
            depth: 1,
        }
    }

    /// Reads a layer of an image with one sample.
    fn copy(&self, source: &Source<'_>, layer: u32) -> Result<(Format, Vec<u8>), Error> {
        self.device.run(|raw, commands| {
            let image = source.image;
            image.change_layout(raw, commands, source.layout, TRANSFER);
            self.record_copy(raw, commands, image, source.aspect, layer);
            image.change_layout(raw, commands, TRANSFER, source.layout);
        })?;
        Ok(self.copied(source))
    }

    /// Records a copy of a layer to the readback buffer.
    fn record_copy(
        &self,
        raw: &ash::Device,
        commands: vk::CommandBuffer,
        image: &Image,
        aspect: vk::ImageAspectFlags,
        layer: u32,
    ) {
        let copy = vk::BufferImageCopy::default()
            .image_subresource(layer_of(aspect, layer))
            .image_extent(self.extent());
        // SAFETY: the image is in this layout and has the layer, and the buffer is as large as one.
        unsafe {
            raw.cmd_copy_image_to_buffer(commands, image.raw, TRANSFER, self.readback.raw, &[copy]);
        }
    }

    /// Returns the texels that a copy has written to the readback buffer.
    fn copied(&self, source: &Source<'_>) -> (Format, Vec<u8>) {
        let size = self.width as usize * self.height as usize * source.texels.size();
        (
            source.texels.clone(),
            self.readback.bytes()[..size].to_vec(),
        )
    }

    /// Reads one sample of a layer.
    fn fetch(&self, source: &Source<'_>, place: [u32; 2]) -> Result<(Format, Vec<u8>), Error> {
        let encoding = source.fetched();
        let copying = SampleCopying::Read(encoding);
        let mut readers = self.readers.borrow_mut();
        let known = readers
            .iter()
            .position(|reader| reader.copying() == copying);
        let index = match known {
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
        let data = readers[index].read(&image, place)?;
        Ok((Format::wide(encoding, 32, 4), data))
    }

    /// Reads a layer of a color attachment, its samples resolved by the device.
    fn resolve(&self, source: &Source<'_>, layer: u32) -> Result<(Format, Vec<u8>), Error> {
        let usage = vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::TRANSFER_SRC;
        let desc = ImageDesc::plane(source.vk_format, self.width, self.height, usage);
        let resolved = Image::without_view(&self.device, &desc)?;
        let region = vk::ImageResolve::default()
            .src_subresource(layer_of(source.aspect, layer))
            .dst_subresource(layer_of(source.aspect, 0))
            .extent(self.extent());
        let destination = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        self.device.run(|raw, commands| {
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
        Ok(self.copied(source))
    }
}

impl Source<'_> {
    /// Returns the type that a shader reads the aspect as.
    pub(super) fn fetched(&self) -> Encoding {
        if self.texels.encoding.is_integer() {
            self.texels.encoding
        } else {
            Encoding::Sfloat
        }
    }
}

fn layer_of(aspect: vk::ImageAspectFlags, layer: u32) -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers::default()
        .aspect_mask(aspect)
        .base_array_layer(layer)
        .layer_count(1)
}
