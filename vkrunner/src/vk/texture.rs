//! Textures: an image with levels, and a sampler.

use super::buffer::{Buffer, BufferUse};
use super::device::Device;
use super::image::{Image, ImageDesc};
use crate::error::{CallContext, Error};
use crate::script::TextureImage;
use ash::vk;
use std::rc::Rc;

/// How a texture is filtered and wrapped.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct SamplerState {
    pub(crate) min: vk::Filter,
    /// Filter between levels; `None` stays in the base level.
    pub(crate) between_levels: Option<vk::SamplerMipmapMode>,
    pub(crate) mag: vk::Filter,
    pub(crate) wrap: [vk::SamplerAddressMode; 3],
}

/// A two-dimensional texture, ready to be read by programs.
pub(crate) struct Texture {
    image: Image,
    sampler: vk::Sampler,
    device: Rc<Device>,
}

const FINAL_LAYOUT: vk::ImageLayout = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;

impl Texture {
    /// A texture of one format; every level is half as large as the one before, which the caller checked.
    pub(crate) fn new(
        device: &Rc<Device>,
        levels: &[&TextureImage],
        state: &SamplerState,
    ) -> Result<Self, Error> {
        let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
        let base = levels[0];
        let desc = ImageDesc {
            levels: levels.len() as u32,
            ..ImageDesc::plane(base.format.vk, base.width, base.height, usage)
        };
        let image = Image::new(device, &desc)?;
        let mut texture = Self {
            image,
            sampler: vk::Sampler::null(),
            device: Rc::clone(device),
        };
        texture.create_sampler(state)?;
        texture.upload(levels)?;
        Ok(texture)
    }

    fn create_sampler(&mut self, state: &SamplerState) -> Result<(), Error> {
        let max_lod = if state.between_levels.is_some() {
            vk::LOD_CLAMP_NONE
        } else {
            0.25
        };
        let info = vk::SamplerCreateInfo::default()
            .mag_filter(state.mag)
            .min_filter(state.min)
            .mipmap_mode(
                state
                    .between_levels
                    .unwrap_or(vk::SamplerMipmapMode::NEAREST),
            )
            .address_mode_u(state.wrap[0])
            .address_mode_v(state.wrap[1])
            .address_mode_w(state.wrap[2])
            // Vulkan's counterpart of GL filters without levels: nearest between levels, and at most a quarter.
            .max_lod(max_lod)
            .border_color(vk::BorderColor::FLOAT_TRANSPARENT_BLACK);
        // SAFETY: the create info is valid.
        self.sampler =
            unsafe { self.device.raw.create_sampler(&info, None) }.call("vkCreateSampler")?;
        Ok(())
    }

    fn upload(&self, levels: &[&TextureImage]) -> Result<(), Error> {
        // Copies start at multiples of 4 bytes and of a texel.
        let alignment = 4 * levels[0].format.size();
        let mut texels = Vec::new();
        let mut copies = Vec::new();
        for (level, number) in levels.iter().zip(0..) {
            texels.resize(texels.len().next_multiple_of(alignment), 0);
            let layers = vk::ImageSubresourceLayers::default()
                .aspect_mask(vk::ImageAspectFlags::COLOR)
                .mip_level(number)
                .layer_count(1);
            let copy = vk::BufferImageCopy::default()
                .buffer_offset(texels.len() as u64)
                .image_subresource(layers)
                .image_extent(vk::Extent3D {
                    width: level.width,
                    height: level.height,
                    depth: 1,
                });
            copies.push(copy);
            texels.extend_from_slice(&level.texels);
        }
        let staging = Buffer::with_contents(&self.device, BufferUse::Upload, &texels)?;
        let transfer = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        self.device.run(|raw, commands| {
            self.image
                .change_layout(raw, commands, vk::ImageLayout::UNDEFINED, transfer);
            // SAFETY: the buffer holds the texels of all levels.
            unsafe {
                raw.cmd_copy_buffer_to_image(
                    commands,
                    staging.raw,
                    self.image.raw,
                    transfer,
                    &copies,
                )
            };
            self.image
                .change_layout(raw, commands, transfer, FINAL_LAYOUT);
        })
    }

    /// What a descriptor refers to.
    pub(super) fn descriptor(&self) -> vk::DescriptorImageInfo {
        vk::DescriptorImageInfo {
            sampler: self.sampler,
            image_view: self.image.view,
            image_layout: FINAL_LAYOUT,
        }
    }
}

impl Drop for Texture {
    fn drop(&mut self) {
        if !self.device.is_lost() {
            // SAFETY: the sampler was made from this device or is null, and the device is idle.
            unsafe { self.device.raw.destroy_sampler(self.sampler, None) };
        }
    }
}
