//! A texture as programs sample it: a view with a sampler.

use super::device::Device;
use super::sampler::{Comparing, create_sampler};
use super::texels::level_view;
use super::texture::Texture;
use crate::error::Error;
use ash::vk;
use glasm_scripts::format::Aspect;
use glasm_scripts::texture::{Sampling, SrgbDecode, Swizzle};
use std::rc::Rc;

/// View of a texture, and a sampler.
pub(crate) struct SampledTexture {
    view: vk::ImageView,
    sampler: vk::Sampler,
    /// Dropped after the view.
    texture: Rc<Texture>,
    device: Rc<Device>,
}

impl SampledTexture {
    /// Creates a view and a sampler for a texture. The caller has checked that the device supports
    /// the sampler state.
    pub(crate) fn new(
        device: &Rc<Device>,
        texture: &Rc<Texture>,
        sampling: &Sampling,
        comparing: Comparing,
    ) -> Result<Self, Error> {
        let mut sampled = Self {
            view: vk::ImageView::null(),
            sampler: vk::Sampler::null(),
            texture: Rc::clone(texture),
            device: Rc::clone(device),
        };
        if let Some(image) = texture.image() {
            let shape = texture.shape();
            let format = match sampling.srgb_decode {
                SrgbDecode::Decode => shape.format.vk,
                SrgbDecode::Skip => shape.format.without_curve(),
            };
            let components = components(sampling, shape.format.aspect, comparing);
            let levels = sampling.level_range(shape.levels);
            sampled.view = image.create_view(&level_view(shape, format, components, levels))?;
            sampled.sampler = create_sampler(device, &shape.format, sampling, comparing)?;
        }
        Ok(sampled)
    }

    /// Returns the texture.
    pub(super) fn texture(&self) -> &Texture {
        &self.texture
    }

    /// Returns the image that a descriptor refers to.
    pub(super) fn descriptor(&self) -> vk::DescriptorImageInfo {
        vk::DescriptorImageInfo {
            sampler: self.sampler,
            image_view: self.view,
            image_layout: vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
        }
    }
}

impl Drop for SampledTexture {
    fn drop(&mut self) {
        if !self.device.is_lost() {
            // SAFETY: both were created from this device or are null, and the device is idle.
            unsafe {
                self.device.raw.destroy_sampler(self.sampler, None);
                self.device.raw.destroy_image_view(self.view, None);
            }
        }
    }
}

/// Returns the swizzle of components. A comparison has one component, which no swizzle moves.
fn components(sampling: &Sampling, aspect: Aspect, comparing: Comparing) -> vk::ComponentMapping {
    let swizzle = match (comparing, aspect) {
        (Comparing::On, _) => Swizzle::IDENTITY,
        (Comparing::Off, Aspect::Color) => sampling.color_swizzle(),
        (Comparing::Off, Aspect::Depth) => sampling.depth_swizzle(),
    };
    let [r, g, b, a] = [0, 1, 2, 3].map(|to| component_swizzle(swizzle[to as usize], to, aspect));
    vk::ComponentMapping { r, g, b, a }
}

fn component_swizzle(from: Swizzle, to: u8, aspect: Aspect) -> vk::ComponentSwizzle {
    match from {
        Swizzle::Component(component) if component == to => vk::ComponentSwizzle::IDENTITY,
        Swizzle::Component(0) => vk::ComponentSwizzle::R,
        Swizzle::Component(1) => vk::ComponentSwizzle::G,
        Swizzle::Component(2) => vk::ComponentSwizzle::B,
        Swizzle::Component(_) => vk::ComponentSwizzle::A,
        // Depths have no other components: those read (0, 0, 1) implicitly, which every device
        // implements correctly, unlike the constant one (depthStencilSwizzleOneSupport).
        Swizzle::Zero if aspect == Aspect::Depth && matches!(to, 1 | 2) => {
            vk::ComponentSwizzle::IDENTITY
        }
        Swizzle::One if aspect == Aspect::Depth && to == 3 => vk::ComponentSwizzle::IDENTITY,
        Swizzle::Zero => vk::ComponentSwizzle::ZERO,
        Swizzle::One => vk::ComponentSwizzle::ONE,
    }
}
