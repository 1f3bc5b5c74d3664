//! Framebuffer limits of a physical device.

use crate::requirements::FramebufferLimits;
use crate::vk::instance::Instance;
use crate::vk::usage::multisample_usage;
use ash::vk;
use std::collections::BTreeMap;

/// Queries a device. `version` selects the limits that it supports.
pub(super) fn query(
    instance: &Instance,
    handle: vk::PhysicalDevice,
    limits: &vk::PhysicalDeviceLimits,
    version: VersionLimits,
) -> FramebufferLimits {
    let side = |width: u32| width.min(limits.max_image_dimension2_d);
    let mut found = FramebufferLimits {
        size: [
            side(limits.max_framebuffer_width),
            side(limits.max_framebuffer_height),
        ],
        layers: limits
            .max_framebuffer_layers
            .min(limits.max_image_array_layers),
        colors: limits
            .max_color_attachments
            .min(limits.max_fragment_output_attachments),
        empty_samples: limits.framebuffer_no_attachments_sample_counts.as_raw(),
        dual_source: limits.max_fragment_dual_src_attachments,
        viewport: limits.max_viewport_dimensions,
        viewport_bounds: limits.viewport_bounds_range,
        line_width: limits.line_width_range,
        ..FramebufferLimits::default()
    };
    let formats = Formats { instance, handle };
    let integers = match version {
        VersionLimits::Vulkan1_1 => vk::SampleCountFlags::from_raw(u32::MAX),
        VersionLimits::Vulkan1_2 => integer_samples(instance, handle),
    };
    for raw in 1..=vk::Format::ASTC_12X12_SRGB_BLOCK.as_raw() {
        let format = vk::Format::from_raw(raw);
        let features = formats.features(format);
        if features.contains(vk::FormatFeatureFlags::COLOR_ATTACHMENT) {
            let name = format!("{format:?}");
            let limit = if name.contains("UINT") || name.contains("SINT") {
                integers
            } else {
                limits.framebuffer_color_sample_counts
            };
            let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT;
            formats.insert(&mut found.color_formats, format, usage, limit);
        }
        if features.contains(vk::FormatFeatureFlags::COLOR_ATTACHMENT_BLEND) {
            found.blend_formats.insert(raw);
        }
        if features.contains(vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT) {
            let limit =
                limits.framebuffer_depth_sample_counts & limits.framebuffer_stencil_sample_counts;
            let usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
            formats.insert(&mut found.depth_formats, format, usage, limit);
        }
    }
    found
}

/// Version of the limits that a device reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum VersionLimits {
    Vulkan1_1,
    Vulkan1_2,
}

/// Returns the sample counts that integer attachments support.
fn integer_samples(instance: &Instance, handle: vk::PhysicalDevice) -> vk::SampleCountFlags {
    let mut properties = vk::PhysicalDeviceVulkan12Properties::default();
    let mut list = vk::PhysicalDeviceProperties2::default().push_next(&mut properties);
    // SAFETY: the list contains only structures that the device supports.
    unsafe {
        instance
            .raw
            .get_physical_device_properties2(handle, &mut list);
    }
    properties.framebuffer_integer_color_sample_counts
}

/// Queries of formats.
struct Formats<'a> {
    instance: &'a Instance,
    handle: vk::PhysicalDevice,
}

impl Formats<'_> {
    fn features(&self, format: vk::Format) -> vk::FormatFeatureFlags {
        // SAFETY: the handle belongs to this instance, and all core formats are valid arguments.
        let properties = unsafe {
            self.instance
                .raw
                .get_physical_device_format_properties(self.handle, format)
        };
        properties.optimal_tiling_features
    }

    /// Adds a format with its numbers of samples, one of which is 1.
    fn insert(
        &self,
        formats: &mut BTreeMap<i32, u32>,
        format: vk::Format,
        usage: vk::ImageUsageFlags,
        limit: vk::SampleCountFlags,
    ) {
        // SAFETY: the handle belongs to this instance, and the arguments are valid, even if the
        // device does not support such images.
        let properties = unsafe {
            self.instance
                .raw
                .get_physical_device_image_format_properties(
                    self.handle,
                    format,
                    vk::ImageType::TYPE_2D,
                    vk::ImageTiling::OPTIMAL,
                    multisample_usage(usage),
                    vk::ImageCreateFlags::empty(),
                )
        };
        let counts = properties.map_or(vk::SampleCountFlags::empty(), |found| found.sample_counts);
        let counts = (counts & limit) | vk::SampleCountFlags::TYPE_1;
        formats.insert(format.as_raw(), counts.as_raw());
    }
}
