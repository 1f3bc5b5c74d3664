//! Samplers, and textures as programs sample them: a view with a sampler.

use super::device::Device;
use super::image_copy::level_view;
use super::texture::Texture;
use crate::error::{CallContext, Error};
use ash::vk;
use glasm_scripts::format::{Aspect, Encoding, Format};
use glasm_scripts::texture::{Sampling, SrgbDecode, Swizzle, Wrap};
use std::rc::Rc;

/// Comparison of depths with a reference by lookups.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Comparing {
    Off,
    On,
}

/// Creates a sampler for texels that are fetched, which supports every format; the caller destroys
/// it.
pub(super) fn nearest_sampler(device: &Device) -> Result<vk::Sampler, Error> {
    let info = vk::SamplerCreateInfo::default();
    // SAFETY: the create info is valid.
    unsafe { device.raw.create_sampler(&info, None) }.call("vkCreateSampler")
}

/// Creates the sampler for textures of a format, which the caller destroys. Biases and anisotropy
/// are clamped to the limits of the device; without filters between levels only the first level is
/// sampled.
pub(super) fn create_sampler(
    device: &Device,
    format: &Format,
    sampling: &Sampling,
    comparing: Comparing,
) -> Result<vk::Sampler, Error> {
    let limits = &device.capabilities.textures;
    // Vulkan's counterpart of GL's filters without levels: nearest between levels, and at most a
    // quarter.
    let most = match sampling.mipmap_mode {
        Some(_) => vk::LOD_CLAMP_NONE,
        None => 0.25,
    };
    let (min_lod, max_lod) = (sampling.min_lod.min(most), sampling.max_lod.min(most));
    let (border, custom) = border_color(sampling, format.encoding);
    let mut custom_info = vk::SamplerCustomBorderColorCreateInfoEXT::default()
        .format(format.vk)
        .custom_border_color(custom.unwrap_or_default());
    let mut info = vk::SamplerCreateInfo::default()
        .mag_filter(sampling.mag_filter)
        .min_filter(sampling.min_filter)
        .mipmap_mode(
            sampling
                .mipmap_mode
                .unwrap_or(vk::SamplerMipmapMode::NEAREST),
        )
        .address_mode_u(address_mode(sampling.wrap[0]))
        .address_mode_v(address_mode(sampling.wrap[1]))
        .address_mode_w(address_mode(sampling.wrap[2]))
        .mip_lod_bias(
            sampling
                .lod_bias
                .clamp(-limits.max_lod_bias, limits.max_lod_bias),
        )
        .anisotropy_enable(sampling.anisotropy > 1.0)
        .max_anisotropy(sampling.anisotropy.min(limits.max_anisotropy.max(1.0)))
        .compare_enable(comparing == Comparing::On)
        .compare_op(sampling.compare_op)
        .min_lod(min_lod)
        .max_lod(max_lod.max(min_lod))
        .border_color(border);
    if custom.is_some() {
        info = info.push_next(&mut custom_info);
    }
    // SAFETY: the create info is valid.
    unsafe { device.raw.create_sampler(&info, None) }.call("vkCreateSampler")
}

/// Returns the Vulkan address mode of a wrap mode. Modes that Vulkan lacks become clamping to the
/// border; programs compute the difference.
fn address_mode(wrap: Wrap) -> vk::SamplerAddressMode {
    match wrap {
        Wrap::Repeat => vk::SamplerAddressMode::REPEAT,
        Wrap::MirroredRepeat => vk::SamplerAddressMode::MIRRORED_REPEAT,
        Wrap::ClampToEdge => vk::SamplerAddressMode::CLAMP_TO_EDGE,
        // Programs do the rest.
        Wrap::ClampToBorder | Wrap::Clamp | Wrap::MirrorClamp | Wrap::MirrorClampToBorder => {
            vk::SamplerAddressMode::CLAMP_TO_BORDER
        }
        Wrap::MirrorClampToEdge => vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE,
    }
}

/// Returns the border color for an encoding: one of Vulkan's, or the custom one with its value.
/// Transparent black if no wrap mode uses the border.
fn border_color(
    sampling: &Sampling,
    encoding: Encoding,
) -> (vk::BorderColor, Option<vk::ClearColorValue>) {
    let is_integer = encoding.is_integer();
    if !sampling.wrap.iter().any(|wrap| wrap.has_border()) {
        return (vk::BorderColor::FLOAT_TRANSPARENT_BLACK, None);
    }
    let [transparent, black, white, custom] = if is_integer {
        [
            vk::BorderColor::INT_TRANSPARENT_BLACK,
            vk::BorderColor::INT_OPAQUE_BLACK,
            vk::BorderColor::INT_OPAQUE_WHITE,
            vk::BorderColor::INT_CUSTOM_EXT,
        ]
    } else {
        [
            vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
            vk::BorderColor::FLOAT_OPAQUE_BLACK,
            vk::BorderColor::FLOAT_OPAQUE_WHITE,
            vk::BorderColor::FLOAT_CUSTOM_EXT,
        ]
    };
    match sampling.border_color {
        [0.0, 0.0, 0.0, 0.0] => (transparent, None),
        [0.0, 0.0, 0.0, 1.0] => (black, None),
        [1.0, 1.0, 1.0, 1.0] => (white, None),
        color if encoding == Encoding::Uint => {
            let uint32 = color.map(|value| value as u32);
            (custom, Some(vk::ClearColorValue { uint32 }))
        }
        color if is_integer => {
            let int32 = color.map(|value| value as i32);
            (custom, Some(vk::ClearColorValue { int32 }))
        }
        color => {
            let float32 = color.map(|value| value as f32);
            (custom, Some(vk::ClearColorValue { float32 }))
        }
    }
}

/// View of a texture, and a sampler.
pub(crate) struct SampledTexture {
    view: vk::ImageView,
    sampler: vk::Sampler,
    /// Dropped after the view.
    texture: Rc<Texture>,
    device: Rc<Device>,
}

impl SampledTexture {
    /// Creates a view and a sampler for a texture; buffer textures have neither. The caller has
    /// checked that the device supports the sampler state.
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
                SrgbDecode::Skip => shape.format.without_srgb(),
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

    /// Returns the sampler and view that a descriptor refers to; both are null for buffer textures.
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

/// Returns the component mapping of a view, from the swizzle of the sampling state for colors or
/// depths. A comparison has one component, which no swizzle moves.
fn components(sampling: &Sampling, aspect: Aspect, comparing: Comparing) -> vk::ComponentMapping {
    let swizzle = match (comparing, aspect) {
        (Comparing::On, _) => Swizzle::IDENTITY,
        (Comparing::Off, Aspect::Color) => sampling.color_swizzle(),
        (Comparing::Off, Aspect::Depth) => sampling.depth_swizzle(),
    };
    let [r, g, b, a] = [0, 1, 2, 3].map(|to| component_swizzle(swizzle[to as usize], to, aspect));
    vk::ComponentMapping { r, g, b, a }
}

/// Returns the component mapping for component `to` of a view that reads `from`. Constants that
/// depths read implicitly are the identity.
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
