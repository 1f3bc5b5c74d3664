//! Physical devices and what they can do.

use super::features;
use super::framebuffer;
use super::instance::{API_VERSION, Instance};
use super::low_memory;
use super::texture::MULTISAMPLE_STORAGE;
use crate::error::{CallContext, Error};
use crate::requirements::{
    BufferLimits, Capabilities, DescriptorLimits, FormatUses, PrimitiveLimits, TextureCapabilities,
};
use ash::vk;
use glasm::vulkan::Support;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CStr;

/// A device that scripts can run on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceInfo {
    /// Number for [`DeviceChoice::Index`](crate::DeviceChoice::Index).
    pub index: usize,
    /// Name.
    pub name: String,
    /// Vulkan version, such as `1.3.230`.
    pub api_version: String,
    /// Name and version of the driver.
    pub driver: String,
    /// `discrete`, `integrated`, `virtual`, `cpu` or `other`.
    pub device_type: &'static str,
    /// Vulkan names of the features that programs can use.
    pub features: Vec<&'static str>,
}

/// A physical device, not opened yet.
pub(crate) struct PhysicalDevice {
    pub(super) handle: vk::PhysicalDevice,
    pub(super) queue_family: u32,
    pub(crate) info: DeviceInfo,
    pub(crate) capabilities: Capabilities,
    /// Features and extensions to enable.
    pub(super) support: Support,
    /// Smaller is preferred.
    pub(crate) rank: u32,
}

impl PhysicalDevice {
    /// Asks a device what it can do; `None` if it cannot run scripts.
    pub(super) fn query(
        instance: &Instance,
        handle: vk::PhysicalDevice,
        index: usize,
    ) -> Result<Option<Self>, Error> {
        // SAFETY: the handle comes from this instance.
        let properties = unsafe { instance.raw.get_physical_device_properties(handle) };
        let Some(queue_family) = find_queue_family(instance, handle) else {
            return Ok(None);
        };
        if properties.api_version < vk::API_VERSION_1_1 {
            return Ok(None);
        }
        let extensions = query_extensions(instance, handle)?;
        let version = properties.api_version.min(API_VERSION);
        let support = features::query(instance, handle, version, &extensions);
        let capabilities = query_capabilities(instance, handle, &properties, &support, extensions);
        let (device_type, rank) = describe_type(properties.device_type);
        let info = DeviceInfo {
            index,
            name: text(properties.device_name_as_c_str().ok()),
            api_version: print_version(properties.api_version),
            driver: describe_driver(instance, handle, &capabilities),
            device_type,
            features: capabilities.features.iter().copied().collect(),
        };
        Ok(Some(Self {
            handle,
            queue_family,
            info,
            capabilities,
            support,
            rank,
        }))
    }
}

fn text(name: Option<&CStr>) -> String {
    name.map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// The minor version that both the device and the runner know.
fn common_minor(api_version: u32) -> u32 {
    vk::api_version_minor(api_version.min(API_VERSION))
}

fn print_version(version: u32) -> String {
    let [major, minor, patch] = split_version(version);
    format!("{major}.{minor}.{patch}")
}

fn split_version(version: u32) -> [u32; 3] {
    [
        vk::api_version_major(version),
        vk::api_version_minor(version),
        vk::api_version_patch(version),
    ]
}

/// The type of devices that compute on the CPU.
pub(super) const SOFTWARE: &str = "cpu";

fn describe_type(device_type: vk::PhysicalDeviceType) -> (&'static str, u32) {
    match device_type {
        vk::PhysicalDeviceType::DISCRETE_GPU => ("discrete", 0),
        vk::PhysicalDeviceType::INTEGRATED_GPU => ("integrated", 1),
        vk::PhysicalDeviceType::VIRTUAL_GPU => ("virtual", 2),
        vk::PhysicalDeviceType::CPU => (SOFTWARE, 3),
        _ => ("other", 4),
    }
}

/// A family for graphics and compute; Vulkan promises one wherever there are graphics.
fn find_queue_family(instance: &Instance, handle: vk::PhysicalDevice) -> Option<u32> {
    let wanted = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
    // SAFETY: the handle comes from this instance.
    let families = unsafe {
        instance
            .raw
            .get_physical_device_queue_family_properties(handle)
    };
    families
        .iter()
        .zip(0..)
        .find(|(family, _)| family.queue_flags.contains(wanted))
        .map(|(_, index)| index)
}

fn query_extensions(
    instance: &Instance,
    handle: vk::PhysicalDevice,
) -> Result<BTreeSet<String>, Error> {
    // SAFETY: the handle comes from this instance.
    let extensions = unsafe { instance.raw.enumerate_device_extension_properties(handle) }
        .call("vkEnumerateDeviceExtensionProperties")?;
    Ok(extensions
        .iter()
        .map(|extension| text(extension.extension_name_as_c_str().ok()))
        .collect())
}

fn describe_driver(
    instance: &Instance,
    handle: vk::PhysicalDevice,
    capabilities: &Capabilities,
) -> String {
    let known = capabilities.version >= [1, 2, 0]
        || capabilities
            .extensions
            .contains(&*ash::khr::driver_properties::NAME.to_string_lossy());
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut list = vk::PhysicalDeviceProperties2::default();
    if known {
        list = list.push_next(&mut driver);
    }
    // SAFETY: the list holds only structures that the device knows.
    unsafe {
        instance
            .raw
            .get_physical_device_properties2(handle, &mut list)
    };
    let version = list.properties.driver_version;
    let (name, info) = (
        text(driver.driver_name_as_c_str().ok()),
        text(driver.driver_info_as_c_str().ok()),
    );
    match (name.is_empty(), info.is_empty()) {
        (true, _) => format!("driver version {version:#x}"),
        (false, true) => name,
        (false, false) => format!("{name}, {info}"),
    }
}

fn query_capabilities(
    instance: &Instance,
    handle: vk::PhysicalDevice,
    properties: &vk::PhysicalDeviceProperties,
    support: &Support,
    extensions: BTreeSet<String>,
) -> Capabilities {
    let limits = &properties.limits;
    let version = match common_minor(properties.api_version) {
        0 | 1 => framebuffer::VersionLimits::Vulkan1_1,
        _ => framebuffer::VersionLimits::Vulkan1_2,
    };
    let mut capabilities = Capabilities {
        version: split_version(properties.api_version.min(API_VERSION | 0xfff)),
        compiler: support.device_features(),
        features: support.names().clone(),
        framebuffer: framebuffer::query_limits(instance, handle, limits, version),
        textures: texture_limits(limits),
        max_work_groups: limits.max_compute_work_group_count,
        max_group_size: limits.max_compute_work_group_size,
        max_group_invocations: limits.max_compute_work_group_invocations,
        max_push: limits.max_push_constants_size,
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
    capabilities.feedback = super::feedback::query_limits(instance, handle, &capabilities);
    capabilities.extensions = extensions;
    capabilities.shares_buffers = low_memory::can_share(instance, handle, &capabilities);
    query_formats(instance, handle, &mut capabilities);
    capabilities
}

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

/// Numbers of samples that textures which draws fill can have.
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

/// Numbers of samples that storage images can have.
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

/// Numbers of samples that two-dimensional images can have.
fn image_samples(
    instance: &Instance,
    handle: vk::PhysicalDevice,
    format: vk::Format,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
) -> vk::SampleCountFlags {
    // SAFETY: the handle comes from this instance, and the arguments are valid.
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

fn query_formats(instance: &Instance, handle: vk::PhysicalDevice, capabilities: &mut Capabilities) {
    for raw in 1..=vk::Format::ASTC_12X12_SRGB_BLOCK.as_raw() {
        let format = vk::Format::from_raw(raw);
        // SAFETY: the handle comes from this instance, and all core formats are valid arguments.
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
