//! Attachments of framebuffers.

use crate::error::Error;
use crate::vk::device::Device;
use crate::vk::image::{Image, ImageDesc};
use ash::vk;
use glasm_scripts::format::{DepthFormat, Format};
use glasm_scripts::script::Attachments;
use std::rc::Rc;

/// Layout of depth and stencil attachments between commands and in the render pass.
pub(super) const DEPTH_LAYOUT: vk::ImageLayout = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;

/// Readers of color attachments during a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reading {
    Never,
    ByPrograms,
}

impl Reading {
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
    pub(super) reading: Reading,
}

impl AttachmentImages<'_> {
    pub(super) fn color(&self, format: &Format) -> Result<ColorAttachment, Error> {
        let mut usage = vk::ImageUsageFlags::COLOR_ATTACHMENT;
        if self.reading == Reading::ByPrograms {
            usage |= vk::ImageUsageFlags::INPUT_ATTACHMENT;
        }
        let desc = self.desc(format.vk, usage, vk::ImageAspectFlags::COLOR);
        Ok(ColorAttachment {
            image: Image::new(self.device, &desc)?,
            format: format.clone(),
        })
    }

    pub(super) fn depth(&self, format: DepthFormat) -> Result<DepthStencil, Error> {
        let usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
        let desc = self.desc(format.vk, usage, aspects(format));
        Ok(DepthStencil {
            image: Image::new(self.device, &desc)?,
            format,
        })
    }

    fn desc(
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
            ..ImageDesc::plane(format, self.width, self.height, usage)
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
