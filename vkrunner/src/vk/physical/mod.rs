//! Physical devices and their capabilities.

mod capabilities;
mod formats;
mod framebuffer;

use super::instance::{API_VERSION, Instance};
use crate::error::{CallContext, Error};
use crate::requirements::Capabilities;
use ash::vk;
use capabilities::{query_capabilities, split_version};
use glasm::vulkan::Support;
use std::collections::BTreeSet;
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
    pub(super) support: Support,
    /// Smaller is preferred.
    pub(crate) rank: u32,
}

impl PhysicalDevice {
    /// Returns the devices that can run scripts: Vulkan 1.1 and a queue for graphics and compute.
    pub(crate) fn all(instance: &Instance) -> Result<Vec<Self>, Error> {
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

    /// Queries the capabilities of a device; `None` if it cannot run scripts.
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

fn print_version(version: u32) -> String {
    let [major, minor, patch] = split_version(version);
    format!("{major}.{minor}.{patch}")
}

/// Type of devices that compute on the CPU.
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

/// Finds a family for graphics and compute; Vulkan promises one wherever there are graphics.
fn find_queue_family(instance: &Instance, handle: vk::PhysicalDevice) -> Option<u32> {
    let wanted = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
    // SAFETY: the handle belongs to this instance.
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
    // SAFETY: the handle belongs to this instance.
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
    // SAFETY: the list contains only structures that the device supports.
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
