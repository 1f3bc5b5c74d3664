//! Capabilities of a physical device, as scripts and programs are compared with them; those
//! for texels of each format among them.

use super::query_framebuffer_limits;
use crate::features::all_features;
use crate::requirements::{
    BufferLimits, Capabilities, DescriptorLimits, FeedbackLimits, FormatUses, PrimitiveLimits,
    TextureCapabilities,
};
use crate::vk::instance::{API_VERSION, Instance};
use crate::vk::usage::{LOW_BUFFER, MULTISAMPLE_STORAGE};
use ash::vk;
use glasm::feature_table;
use glasm::vulkan::{DeviceSupport, FeatureTable};
use std::collections::{BTreeMap, BTreeSet};

/// Queries the capabilities of a device: limits, features, formats, and the version that both
/// device and runner support.
pub(super) fn query_capabilities(
    instance: &Instance,
    handle: vk::PhysicalDevice,
    properties: &vk::PhysicalDeviceProperties,
    support: &DeviceSupport,
    extensions: BTreeSet<String>,
) -> Capabilities {
    let limits = &properties.limits;
    let version = match common_minor(properties.api_version) {
        0 | 1 => super::VersionLimits::Vulkan1_1,
        _ => super::VersionLimits::Vulkan1_2,
    };
    let mut capabilities = Capabilities {
        version: split_version(properties.api_version.min(API_VERSION | 0xfff)),
        compiler: support.device_features(),
        features: support.feature_names().clone(),
        framebuffer: query_framebuffer_limits(instance, handle, limits, version),
        textures: texture_limits(limits),
        max_work_groups: limits.max_compute_work_group_count,
        max_group_size: limits.max_compute_work_group_size,
        max_group_invocations: limits.max_compute_work_group_invocations,
        max_push_bytes: limits.max_push_constants_size,
        max_vertex_outputs: limits.max_vertex_output_components,
        max_fragment_inputs: limits.max_fragment_input_components,
        primitives: primitive_limits(limits),
        descriptors: DescriptorLimits {
            samplers: limits.max_per_stage_descriptor_samplers,
            textures: limits.max_per_stage_descriptor_sampled_images,
            images: limits.max_per_stage_descriptor_storage_images,
        },
        max_sets: limits.max_bound_descriptor_sets,
        uniform_buffers: BufferLimits {
            max_size: limits.max_uniform_buffer_range.into(),
            alignment: limits.min_uniform_buffer_offset_alignment,
            max_count: limits.max_per_stage_descriptor_uniform_buffers,
        },
        storage_buffers: BufferLimits {
            max_size: limits.max_storage_buffer_range.into(),
            alignment: limits.min_storage_buffer_offset_alignment,
            max_count: limits.max_per_stage_descriptor_storage_buffers,
        },
        vertex_attributes: limits.max_vertex_input_attributes,
        max_patch_vertices: limits.max_tessellation_patch_size,
        ..Capabilities::default()
    };
    capabilities.feedback = feedback_limits(instance, handle, &capabilities);
    capabilities.extensions = extensions;
    capabilities.shares_buffers = can_share_memory(instance, handle, &capabilities);
    query_formats(instance, handle, &mut capabilities);
    capabilities
}

/// Returns the minor version that both the device and the runner support.
fn common_minor(api_version: u32) -> u32 {
    vk::api_version_minor(api_version.min(API_VERSION))
}

/// Returns the major, minor and patch numbers of a packed version.
pub(super) fn split_version(version: u32) -> [u32; 3] {
    [
        vk::api_version_major(version),
        vk::api_version_minor(version),
        vk::api_version_patch(version),
    ]
}

/// Returns the limits of textures of a device; the capabilities of formats are empty and filled
/// later.
fn texture_limits(limits: &vk::PhysicalDeviceLimits) -> TextureCapabilities {
    TextureCapabilities {
        max_1d: limits.max_image_dimension1_d,
        max_2d: limits.max_image_dimension2_d,
        max_3d: limits.max_image_dimension3_d,
        max_cube: limits.max_image_dimension_cube,
        max_layers: limits.max_image_array_layers,
        max_texels: limits.max_texel_buffer_elements,
        max_lod_bias: limits.max_sampler_lod_bias,
        max_anisotropy: limits.max_sampler_anisotropy,
        formats: BTreeMap::new(),
    }
}

/// Returns the device limits on tessellation and geometry programs.
fn primitive_limits(limits: &vk::PhysicalDeviceLimits) -> PrimitiveLimits {
    PrimitiveLimits {
        control_inputs: limits.max_tessellation_control_per_vertex_input_components,
        control_outputs: limits.max_tessellation_control_per_vertex_output_components,
        patch_outputs: limits.max_tessellation_control_per_patch_output_components,
        control_total: limits.max_tessellation_control_total_output_components,
        evaluation_inputs: limits.max_tessellation_evaluation_input_components,
        evaluation_outputs: limits.max_tessellation_evaluation_output_components,
        geometry_inputs: limits.max_geometry_input_components,
        geometry_outputs: limits.max_geometry_output_components,
        geometry_total: limits.max_geometry_total_output_components,
        geometry_vertices: limits.max_geometry_output_vertices,
        geometry_invocations: limits.max_geometry_shader_invocations,
    }
}

/// Queries the limits of transform feedback of a device; all 0 if it lacks the feature.
fn feedback_limits(
    instance: &Instance,
    handle: vk::PhysicalDevice,
    capabilities: &Capabilities,
) -> FeedbackLimits {
    if !capabilities.features.contains("transformFeedback") {
        return FeedbackLimits::default();
    }
    let mut limits = vk::PhysicalDeviceTransformFeedbackPropertiesEXT::default();
    let mut list = vk::PhysicalDeviceProperties2::default().push_next(&mut limits);
    // SAFETY: the list contains only structures that the device supports.
    unsafe {
        instance
            .raw
            .get_physical_device_properties2(handle, &mut list)
    };
    FeedbackLimits {
        buffers: BufferLimits {
            max_size: limits.max_transform_feedback_buffer_size,
            alignment: 4,
            max_count: limits.max_transform_feedback_buffers,
        },
        max_streams: limits.max_transform_feedback_streams,
        max_stride: limits.max_transform_feedback_buffer_data_stride,
        counts_primitives: limits.transform_feedback_queries == vk::TRUE,
    }
}

/// Returns true if the device can import pages of this process as memory of buffers that have
/// addresses; false if it lacks the extension or buffer addresses.
fn can_share_memory(
    instance: &Instance,
    handle: vk::PhysicalDevice,
    capabilities: &Capabilities,
) -> bool {
    let name = ash::ext::external_memory_host::NAME.to_string_lossy();
    if !capabilities.extensions.contains(&*name)
        || !capabilities.features.contains("bufferDeviceAddress")
    {
        return false;
    }
    let info = vk::PhysicalDeviceExternalBufferInfo::default()
        .usage(LOW_BUFFER.usage_flags())
        .handle_type(vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT);
    let mut properties = vk::ExternalBufferProperties::default();
    // SAFETY: the handle belongs to this instance, and the device supports the type.
    unsafe {
        instance
            .raw
            .get_physical_device_external_buffer_properties(handle, &info, &mut properties);
    }
    let memory = properties.external_memory_properties;
    memory
        .external_memory_features
        .contains(vk::ExternalMemoryFeatureFlags::IMPORTABLE)
}

/// Features of the compiler, and those that scripts may need in addition.
static FEATURES: FeatureTable = all_features! { feature_table };

/// Queries the features of a device. `version` is the one that the device and the runner support.
pub(super) fn query_features(
    instance: &Instance,
    device: vk::PhysicalDevice,
    version: u32,
    extensions: &BTreeSet<String>,
) -> DeviceSupport {
    let raw = &instance.raw;
    DeviceSupport::query_table(
        &FEATURES,
        version,
        &|name| extensions.contains(&*name.to_string_lossy()),
        // SAFETY: the device belongs to this instance, and the list contains only structures that
        // it supports.
        |list| unsafe { raw.get_physical_device_features2(device, list) },
        // SAFETY: as above.
        |list| unsafe { raw.get_physical_device_properties2(device, list) },
    )
}

/// Queries the uses of every core format on a physical device, and adds them to the texture and
/// vertex formats of its capabilities.
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

/// Returns the sample counts that textures of a format support which draws fill; empty if the
/// format cannot be sampled or not be an attachment. `features` are those with optimal tiling.
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

/// Returns the sample counts that storage images of a format support; empty if the format cannot be
/// both sampled and stored. `features` are those with optimal tiling.
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

/// Returns the sample counts that two-dimensional images with this format, usage and flags support;
/// empty if the device has no such images.
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
