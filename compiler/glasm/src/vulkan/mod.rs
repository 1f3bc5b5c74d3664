//! What a Vulkan device can do, as the compiler wants to know it: [`DeviceFeatures`] from the structures that Vulkan fills. Needs the feature
//! `ash`.
//!
//! Vulkan is called by the caller, in two functions that it gives to [`Support::query`]:
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

mod chain;
mod properties;
mod table;

pub use chain::FeatureChain;
#[doc(hidden)]
pub use table::{FeatureTable, Visitor};

use ash::vk;
use glasm_codegen::options::{DeviceFeatures, Target};
use properties::Properties;
use std::collections::BTreeSet;
use std::ffi::CStr;

/// What a physical device says of itself, as far as the compiler asks.
#[derive(Clone)]
pub struct Support {
    /// All features that the device has, of the structures that it knows.
    pub available: FeatureChain,
    /// Those that modules may need; the others are off. A caller that needs more than that of a device switches it on here.
    pub enabled: FeatureChain,
    minor: u32,
    names: BTreeSet<&'static str>,
    extensions: Vec<&'static CStr>,
    properties: Properties,
}

impl Support {
    /// Asks a device.
    ///
    /// - `version` is the one that both the device and the instance have, at least 1.1: no structures of later versions are used.
    /// - `has_extension` says whether the device has an extension.
    /// - `features` calls `vkGetPhysicalDeviceFeatures2` with the list, which holds only structures that the device knows.
    /// - `properties` calls `vkGetPhysicalDeviceProperties2`.
    pub fn query(
        version: u32,
        has_extension: impl Fn(&CStr) -> bool,
        features: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>),
        properties: impl FnOnce(&mut vk::PhysicalDeviceProperties2<'_>),
    ) -> Self {
        let has_extension: &dyn Fn(&CStr) -> bool = &has_extension;
        let table = &table::OF_MODULES;
        Self::query_table(table, version, has_extension, features, properties)
    }

    /// [`Self::query`] with more features than those of the compiler.
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
        // Structures have members that the table leaves out; those stay off.
        let mut enabled = FeatureChain::known(minor, has_extension);
        (table.visit)(&mut enabled, &mut |name, on| {
            *on = names.contains(name).into();
        });
        enabled.complete();
        let mut extensions = enabled.extensions(minor);
        let named = table.extensions.iter().copied().flatten();
        let named: Vec<_> = named.copied().filter(|name| has_extension(name)).collect();
        // These have no features of their own: their names are features.
        names.extend(named.iter().filter_map(|name| name.to_str().ok()));
        extensions.extend(named);
        extensions.extend(without_structures(has_extension));
        if minor < 2 && has_extension(ash::ext::shader_viewport_index_layer::NAME) {
            // The extension stands for both features, which belong to no structure of its own.
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

    /// The newest target that the device takes.
    pub fn target(&self) -> Target {
        match self.minor {
            0 | 1 => Target::Vulkan1_1,
            2 => Target::Vulkan1_2,
            _ => Target::Vulkan1_3,
        }
    }

    /// What to compile for, as [`Options::device`](crate::Options::device).
    pub fn device_features(&self) -> DeviceFeatures {
        DeviceFeatures {
            subgroups: self.properties.subgroups,
            geometry_components: self.properties.geometry_components,
            signed_zero_inf_nan_preserve_float32: self.properties.preserves_signed_zero_inf_nan,
            denorm_flush_to_zero_float32: self.properties.flushes_denormals,
            ..DeviceFeatures::default().with(|name| self.names.contains(name))
        }
    }

    /// Vulkan's names of the features that the device has and modules may need, as in
    /// [`Requirements::features`](crate::reflect::Requirements::features). Among them are names of extensions that have no features.
    pub fn names(&self) -> &BTreeSet<&'static str> {
        &self.names
    }

    /// The extensions to enable, of those that the device has: all that structures of [`Self::enabled`] come from, and those that stand for
    /// features themselves.
    pub fn extensions(&self) -> &[&'static CStr] {
        &self.extensions
    }
}

/// Extensions without structures of features whose capabilities modules for older targets have, on devices of any version.
fn without_structures(
    has_extension: &dyn Fn(&CStr) -> bool,
) -> impl Iterator<Item = &'static CStr> {
    let names = [
        ash::khr::shader_float_controls::NAME,
        ash::ext::shader_viewport_index_layer::NAME,
    ];
    names.into_iter().filter(move |name| has_extension(name))
}
