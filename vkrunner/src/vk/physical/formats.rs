//! Capabilities of a physical device for texels of each format.

use crate::requirements::{Capabilities, FormatUses};
use crate::vk::instance::Instance;
use crate::vk::usage::MULTISAMPLE_STORAGE;
use ash::vk;

pub(super) fn query_formats(
    instance: &Instance,
    handle: vk::PhysicalDevice,
    capabilities: &mut Capabilities,
) {
    for raw in 1..=vk::Format::ASTC_12X12_SRGB_BLOCK.as_raw() {
        let format = vk::Format::from_raw(raw);
        // SAFETY: the handle belongs to this instance, and all core formats are valid arguments.
        let properties = unsafe {
            instance
                .raw
                .get_physical_device_format_properties(handle, format)
        };
        let (images, buffers) = (
            properties.optimal_tiling_features,
            properties.buffer_features,
        );
        let uses = FormatUses {
            images,
            buffers,
            samples: texture_samples(instance, handle, format, images),
            storage_samples: storage_samples(instance, handle, format, images),
        };
        capabilities.textures.formats.insert(raw, uses);
        for (formats, possible) in [(
            &mut capabilities.vertex_formats,
            buffers.contains(vk::FormatFeatureFlags::VERTEX_BUFFER),
        )] {
            if possible {
                formats.insert(raw);
            }
        }
    }
}

/// Returns the sample counts that textures which draws fill support.
fn texture_samples(
    instance: &Instance,
    handle: vk::PhysicalDevice,
    format: vk::Format,
    features: vk::FormatFeatureFlags,
) -> vk::SampleCountFlags {
    let attachment = if features.contains(vk::FormatFeatureFlags::COLOR_ATTACHMENT) {
        vk::ImageUsageFlags::COLOR_ATTACHMENT
    } else if features.contains(vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT) {
        vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
    } else {
        return vk::SampleCountFlags::empty();
    };
    if !features.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE) {
        return vk::SampleCountFlags::empty();
    }
    let usage = vk::ImageUsageFlags::SAMPLED | attachment;
    let flags = vk::ImageCreateFlags::empty();
    image_samples(instance, handle, format, usage, flags)
}

/// Returns the sample counts that storage images support.
fn storage_samples(
    instance: &Instance,
    handle: vk::PhysicalDevice,
    format: vk::Format,
    features: vk::FormatFeatureFlags,
) -> vk::SampleCountFlags {
    let needed = vk::FormatFeatureFlags::SAMPLED_IMAGE | vk::FormatFeatureFlags::STORAGE_IMAGE;
    if !features.contains(needed) {
        return vk::SampleCountFlags::empty();
    }
    let flags = vk::ImageCreateFlags::MUTABLE_FORMAT;
    image_samples(instance, handle, format, MULTISAMPLE_STORAGE, flags)
}

/// Returns the sample counts that two-dimensional images support.
fn image_samples(
    instance: &Instance,
    handle: vk::PhysicalDevice,
    format: vk::Format,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
) -> vk::SampleCountFlags {
    // SAFETY: the handle belongs to this instance, and the arguments are valid.
    let properties = unsafe {
        instance.raw.get_physical_device_image_format_properties(
            handle,
            format,
            vk::ImageType::TYPE_2D,
            vk::ImageTiling::OPTIMAL,
            usage,
            flags,
        )
    };
    properties.map_or(vk::SampleCountFlags::empty(), |properties| {
        properties.sample_counts
    })
}
