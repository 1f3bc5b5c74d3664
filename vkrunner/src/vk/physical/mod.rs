//! Physical devices, their capabilities and framebuffer limits.

mod capabilities;

use super::instance::{API_VERSION, Instance};
use super::usage::multisample_usage;
use crate::error::{CallContext, Error};
use crate::requirements::{Capabilities, FramebufferLimits};
use ash::vk;
use capabilities::{query_capabilities, split_version};
use glasm::vulkan::DeviceSupport;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CStr;

/// Device that scripts can run on.
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

/// Physical device, not opened yet.
pub(crate) struct PhysicalDevice {
    pub(super) handle: vk::PhysicalDevice,
    pub(super) queue_family: u32,
    pub(crate) info: DeviceInfo,
    pub(crate) capabilities: Capabilities,
    /// Features and extensions to enable.
    pub(super) support: DeviceSupport,
    /// Smaller is preferred.
    pub(crate) rank: u32,
}

impl PhysicalDevice {
    /// Returns the devices that can run scripts, those of Vulkan 1.1 or later with a queue for
    /// graphics and compute, in the order of Vulkan. Indices count only these devices.
    pub(crate) fn enumerate(instance: &Instance) -> Result<Vec<Self>, Error> {
        // SAFETY: the instance is valid.
        let handles = unsafe { instance.raw.enumerate_physical_devices() }
            .call("vkEnumeratePhysicalDevices")?;
        let mut devices = Vec::new();
        for handle in handles {
            if let Some(device) = Self::query(instance, handle, devices.len())? {
                devices.push(device);
            }
        }
        Ok(devices)
    }

    /// Queries the capabilities of a device; `None` if it has a version below 1.1 or no queue for
    /// graphics and compute. `index` is stored as its number for users.
    fn query(
        instance: &Instance,
        handle: vk::PhysicalDevice,
        index: usize,
    ) -> Result<Option<Self>, Error> {
        // SAFETY: the handle belongs to this instance.
        let properties = unsafe { instance.raw.get_physical_device_properties(handle) };
        let Some(queue_family) = find_queue_family(instance, handle) else {
            return Ok(None);
        };
        if properties.api_version < vk::API_VERSION_1_1 {
            return Ok(None);
        }
        let extensions = query_extensions(instance, handle)?;
        let version = properties.api_version.min(API_VERSION);
        let support = capabilities::query_features(instance, handle, version, &extensions);
        let capabilities = query_capabilities(instance, handle, &properties, &support, extensions);
        let (device_type, rank) = describe_type(properties.device_type);
        let info = DeviceInfo {
            index,
            name: cstr_to_string(properties.device_name_as_c_str().ok()),
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

/// Returns the string, with replacement characters for invalid UTF-8; empty for `None`.
fn cstr_to_string(name: Option<&CStr>) -> String {
    name.map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// Formats a packed version as `major.minor.patch`.
fn print_version(version: u32) -> String {
    let [major, minor, patch] = split_version(version);
    format!("{major}.{minor}.{patch}")
}

/// Type of devices that compute on the CPU.
pub(super) const SOFTWARE: &str = "cpu";

/// Returns the name of a device type, and its rank: the device with the lowest rank is preferred.
fn describe_type(device_type: vk::PhysicalDeviceType) -> (&'static str, u32) {
    match device_type {
        vk::PhysicalDeviceType::DISCRETE_GPU => ("discrete", 0),
        vk::PhysicalDeviceType::INTEGRATED_GPU => ("integrated", 1),
        vk::PhysicalDeviceType::VIRTUAL_GPU => ("virtual", 2),
        vk::PhysicalDeviceType::CPU => (SOFTWARE, 3),
        _ => ("other", 4),
    }
}

/// Returns the index of the first queue family for graphics and compute; `None` if there is none.
/// Vulkan requires one on devices with graphics.
fn find_queue_family(instance: &Instance, handle: vk::PhysicalDevice) -> Option<u32> {
    let required_flags = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
    // SAFETY: the handle belongs to this instance.
    let families = unsafe {
        instance
            .raw
            .get_physical_device_queue_family_properties(handle)
    };
    families
        .iter()
        .zip(0..)
        .find(|(family, _)| family.queue_flags.contains(required_flags))
        .map(|(_, index)| index)
}

/// Returns the names of the device extensions that a physical device supports.
fn query_extensions(
    instance: &Instance,
    handle: vk::PhysicalDevice,
) -> Result<BTreeSet<String>, Error> {
    // SAFETY: the handle belongs to this instance.
    let extensions = unsafe { instance.raw.enumerate_device_extension_properties(handle) }
        .call("vkEnumerateDeviceExtensionProperties")?;
    Ok(extensions
        .iter()
        .map(|extension| cstr_to_string(extension.extension_name_as_c_str().ok()))
        .collect())
}

/// Returns name and information of the driver, or its version number in hexadecimal if the device
/// does not report a name.
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
    // SAFETY: the list contains only structures that the device supports.
    unsafe {
        instance
            .raw
            .get_physical_device_properties2(handle, &mut list)
    };
    let version = list.properties.driver_version;
    let (name, info) = (
        cstr_to_string(driver.driver_name_as_c_str().ok()),
        cstr_to_string(driver.driver_info_as_c_str().ok()),
    );
    match (name.is_empty(), info.is_empty()) {
        (true, _) => format!("driver version {version:#x}"),
        (false, true) => name,
        (false, false) => format!("{name}, {info}"),
    }
}

/// Queries the limits of framebuffers, the sample counts of each attachment format, and the formats
/// that can be blended. `version` is that of the limits that the device reports: before 1.2 it has
/// none for integer attachments.
fn query_framebuffer_limits(
    instance: &Instance,
    handle: vk::PhysicalDevice,
    limits: &vk::PhysicalDeviceLimits,
    version: VersionLimits,
) -> FramebufferLimits {
    let side = |width: u32| width.min(limits.max_image_dimension2_d);
    let mut framebuffer_limits = FramebufferLimits {
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
            formats.add_format(&mut framebuffer_limits.color_formats, format, usage, limit);
        }
        if features.contains(vk::FormatFeatureFlags::COLOR_ATTACHMENT_BLEND) {
            framebuffer_limits.blend_formats.insert(raw);
        }
        if features.contains(vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT) {
            let limit =
                limits.framebuffer_depth_sample_counts & limits.framebuffer_stencil_sample_counts;
            let usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
            formats.add_format(&mut framebuffer_limits.depth_formats, format, usage, limit);
        }
    }
    framebuffer_limits
}

/// Version of the limits that a device reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum VersionLimits {
    Vulkan1_1,
    Vulkan1_2,
}

/// Returns the sample counts that integer attachments support, on a device of Vulkan 1.2 or later.
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
    /// Returns the features of images of a format with optimal tiling.
    fn features(&self, format: vk::Format) -> vk::FormatFeatureFlags {
        // SAFETY: the handle belongs to this instance, and all core formats are valid arguments.
        let properties = unsafe {
            self.instance
                .raw
                .get_physical_device_format_properties(self.handle, format)
        };
        properties.optimal_tiling_features
    }

    /// Adds a format with the sample counts of its images that do not exceed `limit`, as bits; 1 is
    /// always among them.
    fn add_format(
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
