//! Samplers.

use super::device::Device;
use crate::error::{CallContext, Error};
use ash::vk;
use glasm_scripts::format::{Encoding, Format};
use glasm_scripts::texture::{Sampling, Wrap};

/// Comparison of depths with a reference by lookups.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Comparing {
    Off,
    On,
}

/// Returns a sampler for texels that are fetched, which supports every format.
pub(super) fn nearest_sampler(device: &Device) -> Result<vk::Sampler, Error> {
    let info = vk::SamplerCreateInfo::default();
    // SAFETY: the create info is valid.
    unsafe { device.raw.create_sampler(&info, None) }.call("vkCreateSampler")
}

/// Creates a sampler for textures of a format.
pub(super) fn create_sampler(
    device: &Device,
    format: &Format,
    sampling: &Sampling,
    comparing: Comparing,
) -> Result<vk::Sampler, Error> {
    let limits = &device.capabilities.textures;
    // Vulkan's counterpart of GL's filters without levels: nearest between levels, and at most a
    // quarter.
    let most = match sampling.between_levels {
        Some(_) => vk::LOD_CLAMP_NONE,
        None => 0.25,
    };
    let (min_lod, max_lod) = (sampling.min_lod.min(most), sampling.max_lod.min(most));
    let (border, custom) = border(sampling, format.encoding);
    let mut custom_info = vk::SamplerCustomBorderColorCreateInfoEXT::default()
        .format(format.vk)
        .custom_border_color(custom.unwrap_or_default());
    let mut info = vk::SamplerCreateInfo::default()
        .mag_filter(sampling.mag)
        .min_filter(sampling.min)
        .mipmap_mode(
            sampling
                .between_levels
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
        .compare_op(sampling.compare)
        .min_lod(min_lod)
        .max_lod(max_lod.max(min_lod))
        .border_color(border);
    if custom.is_some() {
        info = info.push_next(&mut custom_info);
    }
    // SAFETY: the create info is valid.
    unsafe { device.raw.create_sampler(&info, None) }.call("vkCreateSampler")
}

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

/// Returns the border color, one of Vulkan's or any other.
fn border(
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
    match sampling.border {
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
