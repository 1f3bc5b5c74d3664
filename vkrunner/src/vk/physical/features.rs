//! The features that devices are asked for, as members of Vulkan's structures. Every feature that a device has is enabled.

use crate::features::all_features;
use crate::vk::instance::Instance;
use ash::vk;
use glasm::feature_table;
use glasm::vulkan::{FeatureTable, Support};
use std::collections::BTreeSet;

/// The features of the compiler, and those that scripts may need besides.
static FEATURES: FeatureTable = all_features! { feature_table };

/// Asks a device for them. `version` is the one that the device and the runner know.
pub(super) fn query(
    instance: &Instance,
    device: vk::PhysicalDevice,
    version: u32,
    extensions: &BTreeSet<String>,
) -> Support {
    let raw = &instance.raw;
    Support::query_table(
        &FEATURES,
        version,
        &|name| extensions.contains(&*name.to_string_lossy()),
        // SAFETY: the device comes from this instance, and the list holds only structures that it knows.
        |list| unsafe { raw.get_physical_device_features2(device, list) },
        // SAFETY: as above.
        |list| unsafe { raw.get_physical_device_properties2(device, list) },
    )
}
