//! Capabilities of a Vulkan device for the compiler: [`DeviceFeatures`] from the structures that
//! Vulkan fills. Needs the feature `ash`.
//!
//! The caller calls Vulkan, in two functions that it passes to [`Support::query`]:
//!
//! ```no_run
//! use ash::vk;
//! use glasm::vulkan::Support;
//!
//! /// Options for a device, and the device with all that modules may need.
//! unsafe fn open(instance: &ash::Instance, gpu: vk::PhysicalDevice) -> Result<(glasm::Options, ash::Device), vk::Result> {
//!     let (properties, known) = unsafe {
//!         (instance.get_physical_device_properties(gpu), instance.enumerate_device_extension_properties(gpu)?)
//!     };
//!     let mut support = Support::query(
//!         properties.api_version.min(vk::API_VERSION_1_3), // the version that the instance was made for
//!         |name| known.iter().any(|it| it.extension_name_as_c_str() == Ok(name)),
//!         |list| unsafe { instance.get_physical_device_features2(gpu, list) },
//!         |list| unsafe { instance.get_physical_device_properties2(gpu, list) },
//!     );
//!     let options = glasm::Options { target: support.target(), device: support.device_features(), ..Default::default() };
//!     let extensions: Vec<_> = support.extensions().iter().map(|name| name.as_ptr()).collect();
//!     let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
//!     let mut features = support.enabled.link();
//!     let info = vk::DeviceCreateInfo::default()
//!         .queue_create_infos(&queues)
//!         .enabled_extension_names(&extensions)
//!         .push_next(&mut features);
//!     Ok((options, unsafe { instance.create_device(gpu, &info, None)? }))
//! }
//! ```

mod feature_accessors;
mod pnext_chain;
mod properties;

#[doc(hidden)]
pub use feature_accessors::{FeatureTable, Visitor};
pub use pnext_chain::FeatureChain;

use ash::vk;
use glasm_codegen::options::{DeviceFeatures, Target};
use properties::Properties;
use std::collections::BTreeSet;
use std::ffi::CStr;

/// Capabilities of a physical device that the compiler uses.
#[derive(Clone)]
pub struct Support {
    /// All features that the device has, in the structures that it supports.
    pub available: FeatureChain,
    /// The features that modules may need; the others are off. A caller that needs further features
    /// enables them here.
    pub enabled: FeatureChain,
    minor: u32,
    names: BTreeSet<&'static str>,
    extensions: Vec<&'static CStr>,
    properties: Properties,
}

impl Support {
    /// Queries a device.
    ///
    /// - `version` is the version that both the device and the instance support, at least 1.1:
    ///   structures of later versions are not used.
    /// - `has_extension` returns true if the device supports an extension.
    /// - `features` calls `vkGetPhysicalDeviceFeatures2` with the list, which contains only
    ///   structures that the device supports.
    /// - `properties` calls `vkGetPhysicalDeviceProperties2`.
    pub fn query(
        version: u32,
        has_extension: impl Fn(&CStr) -> bool,
        features: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>),
        properties: impl FnOnce(&mut vk::PhysicalDeviceProperties2<'_>),
    ) -> Self {
        let has_extension: &dyn Fn(&CStr) -> bool = &has_extension;
        let table = &feature_accessors::OF_MODULES;
        Self::query_table(table, version, has_extension, features, properties)
    }

    /// Queries a device like [`Self::query`], with features beyond those of the compiler.
    #[doc(hidden)]
    pub fn query_table(
        table: &FeatureTable,
        version: u32,
        has_extension: &dyn Fn(&CStr) -> bool,
        features: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>),
        properties: impl FnOnce(&mut vk::PhysicalDeviceProperties2<'_>),
    ) -> Self {
        let minor = vk::api_version_minor(version);
        let available = FeatureChain::query(minor, has_extension, features);
        let properties = Properties::query(minor, has_extension, properties);
        let mut names = table.names(&mut available.clone());
        // Structures have members that are not in the table; these remain off.
        let mut enabled = FeatureChain::new_known(minor, has_extension);
        (table.visit)(&mut enabled, &mut |name, on| {
            *on = names.contains(name).into();
        });
        enabled.enable_dependencies();
        let mut extensions = enabled.collect_extensions(minor);
        let named = table.extensions.iter().copied().flatten();
        let named: Vec<_> = named.copied().filter(|name| has_extension(name)).collect();
        // These extensions have no feature structures: their names are features.
        names.extend(named.iter().filter_map(|name| name.to_str().ok()));
        extensions.extend(named);
        extensions.extend(find_extensions_without_structures(has_extension));
        if minor < 2 && has_extension(ash::ext::shader_viewport_index_layer::NAME) {
            // The extension implies both features, which are not members of a structure.
            names.extend(["shaderOutputLayer", "shaderOutputViewportIndex"]);
        }
        if properties.covers_fully {
            names.insert("fullyCoveredFragmentShaderInputVariable");
            extensions.push(ash::ext::conservative_rasterization::NAME);
        }
        extensions.sort_unstable();
        extensions.dedup();
        Self {
            available,
            enabled,
            minor,
            names,
            extensions,
            properties,
        }
    }

    /// Returns the newest target that the device supports.
    pub fn target(&self) -> Target {
        match self.minor {
            0 | 1 => Target::Vulkan1_1,
            2 => Target::Vulkan1_2,
            _ => Target::Vulkan1_3,
        }
    }

    /// Returns the features to compile for, as [`Options::device`](crate::Options::device).
    pub fn device_features(&self) -> DeviceFeatures {
        DeviceFeatures {
            subgroups: self.properties.subgroups,
            geometry_components: self.properties.geometry_components,
            signed_zero_inf_nan_preserve_float32: self.properties.preserves_signed_zero_inf_nan,
            denorm_flush_to_zero_float32: self.properties.flushes_denormals,
            ..DeviceFeatures::default().with(|name| self.names.contains(name))
        }
    }

    /// Returns Vulkan's names of the features that the device has and modules may need, as in
    /// [`Requirements::features`](crate::reflect::Requirements::features). They include names of
    /// extensions without features.
    pub fn names(&self) -> &BTreeSet<&'static str> {
        &self.names
    }

    /// Returns the extensions to enable, of those that the device has: the extensions that define
    /// structures of [`Self::enabled`], and those that are features themselves.
    pub fn extensions(&self) -> &[&'static CStr] {
        &self.extensions
    }
}

/// Returns the extensions without feature structures whose capabilities modules for older targets
/// use, on devices of any version.
fn find_extensions_without_structures(
    has_extension: &dyn Fn(&CStr) -> bool,
) -> impl Iterator<Item = &'static CStr> {
    let names = [
        ash::khr::shader_float_controls::NAME,
        ash::ext::shader_viewport_index_layer::NAME,
    ];
    names.into_iter().filter(move |name| has_extension(name))
}
