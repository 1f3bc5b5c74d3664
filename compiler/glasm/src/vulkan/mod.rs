//! Capabilities of a Vulkan device for the compiler: [`DeviceFeatures`] from the structures that
//! Vulkan fills; and structures of Vulkan for shaders and layouts. Needs the feature `ash`.
//!
//! The caller calls Vulkan, in two functions that it passes to [`DeviceSupport::query`]:
//!
//! ```no_run
//! use ash::vk;
//! use glasm::vulkan::DeviceSupport;
//!
//! /// Options for a device, and the device with all that modules may need.
//! unsafe fn open(instance: &ash::Instance, gpu: vk::PhysicalDevice) -> Result<(glasm::Options, ash::Device), vk::Result> {
//!     let (properties, known) = unsafe {
//!         (instance.get_physical_device_properties(gpu), instance.enumerate_device_extension_properties(gpu)?)
//!     };
//!     let mut support = DeviceSupport::query(
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

mod pnext_chain;
mod structures;

pub use pnext_chain::FeatureChain;
#[doc(hidden)]
pub use pnext_chain::{FeatureTable, FeatureVisitor};
pub use structures::{
    PipelineInfo, StageInfo, build_attributes, build_layout_bindings, build_module_info,
    build_pool_sizes, build_stage_info, convert_filter, convert_wrap, get_input_format,
    get_stage_flag, get_view_type, list_spec_constants, to_descriptor_type,
};

use ash::vk;
use glasm_codegen::options::{DeviceFeatures, Subgroups, Target};
use std::collections::BTreeSet;
use std::ffi::CStr;

/// Capabilities of a physical device that the compiler uses.
#[derive(Clone)]
pub struct DeviceSupport {
    /// All features that the device has, in the structures that it supports.
    pub available: FeatureChain,
    /// The features that modules may need; the others are off. A caller that needs further features
    /// enables them here.
    pub enabled: FeatureChain,
    minor: u32,
    feature_names: BTreeSet<&'static str>,
    extensions: Vec<&'static CStr>,
    properties: DeviceProperties,
}

impl DeviceSupport {
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
        let table = &pnext_chain::MODULE_FEATURES;
        Self::query_table(table, version, has_extension, features, properties)
    }

    /// Queries a device like [`Self::query`], with the features of `table`, which may have more
    /// than those of the compiler.
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
        let properties = DeviceProperties::query(minor, has_extension, properties);
        let mut names = table.list_enabled_names(&mut available.clone());
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
        if properties.supports_fully_covered {
            names.insert("fullyCoveredFragmentShaderInputVariable");
            extensions.push(ash::ext::conservative_rasterization::NAME);
        }
        extensions.sort_unstable();
        extensions.dedup();
        Self {
            available,
            enabled,
            minor,
            feature_names: names,
            extensions,
            properties,
        }
    }

    /// Returns the newest target that the device supports, 1.3 for later versions.
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
            max_geometry_total_output_components: self
                .properties
                .max_geometry_total_output_components,
            signed_zero_inf_nan_preserve_float32: self.properties.preserves_signed_zero_inf_nan,
            denorm_flush_to_zero_float32: self.properties.flushes_denormals,
            ..DeviceFeatures::default().with(|name| self.feature_names.contains(name))
        }
    }

    /// Returns Vulkan's names of the features that the device has and modules may need, as in
    /// [`Requirements::features`](crate::reflect::Requirements::features). They include names of
    /// extensions without features.
    pub fn feature_names(&self) -> &BTreeSet<&'static str> {
        &self.feature_names
    }

    /// Returns [`Self::enabled`] with only the features of these names, which are those of
    /// [`Requirements::features`](crate::reflect::Requirements::features). Names of extensions and
    /// of features without a member of a structure do not change it.
    ///
    /// # Errors
    /// The first name of a feature that the device lacks.
    pub fn select_features<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<FeatureChain, &'a str> {
        let mut selected = BTreeSet::new();
        for name in names {
            let known = self.feature_names.get(name).ok_or(name)?;
            selected.insert(*known);
        }
        let mut chain = self.enabled.clone();
        chain.core.robust_buffer_access = vk::FALSE;
        (pnext_chain::MODULE_FEATURES.visit)(&mut chain, &mut |name, on| {
            *on = (*on == vk::TRUE && selected.contains(name)).into();
        });
        chain.enable_dependencies();
        Ok(chain)
    }

    /// Returns the extensions to enable, of those that the device has: the extensions that define
    /// structures of [`Self::enabled`], and those that are features themselves.
    pub fn extensions(&self) -> &[&'static CStr] {
        &self.extensions
    }
}

/// Returns those extensions without feature structures that the device has and whose capabilities
/// modules for older targets use, on devices of any version.
fn find_extensions_without_structures(
    has_extension: &dyn Fn(&CStr) -> bool,
) -> impl Iterator<Item = &'static CStr> {
    let names = [
        ash::khr::shader_float_controls::NAME,
        ash::ext::shader_viewport_index_layer::NAME,
    ];
    names.into_iter().filter(move |name| has_extension(name))
}

/// Properties that the compiler uses.
#[derive(Clone)]
pub(super) struct DeviceProperties {
    pub(super) subgroups: Subgroups,
    /// `maxGeometryTotalOutputComponents`
    pub(super) max_geometry_total_output_components: u32,
    /// `shaderSignedZeroInfNanPreserveFloat32`
    pub(super) preserves_signed_zero_inf_nan: bool,
    /// `shaderDenormFlushToZeroFloat32`
    pub(super) flushes_denormals: bool,
    /// `fullyCoveredFragmentShaderInputVariable`
    pub(super) supports_fully_covered: bool,
}

impl DeviceProperties {
    /// Queries the properties of a device whose version is 1.`minor`. `call` must fill the
    /// structures, as `vkGetPhysicalDeviceProperties2` does; those of extensions that the device
    /// lacks are not in the list and are treated as unsupported.
    pub(super) fn query(
        minor: u32,
        has_extension: &dyn Fn(&CStr) -> bool,
        call: impl FnOnce(&mut vk::PhysicalDeviceProperties2<'_>),
    ) -> Self {
        let mut subgroups = vk::PhysicalDeviceSubgroupProperties::default();
        let mut floats = vk::PhysicalDeviceFloatControlsProperties::default();
        let mut coverage = vk::PhysicalDeviceConservativeRasterizationPropertiesEXT::default();
        // Vulkan 1.1 has subgroups.
        let mut list = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroups);
        if minor >= 2 || has_extension(ash::khr::shader_float_controls::NAME) {
            list = list.push_next(&mut floats);
        }
        if has_extension(ash::ext::conservative_rasterization::NAME) {
            list = list.push_next(&mut coverage);
        }
        call(&mut list);
        let limits = list.properties.limits;
        Self {
            subgroups: convert_subgroups(&subgroups),
            max_geometry_total_output_components: limits.max_geometry_total_output_components,
            preserves_signed_zero_inf_nan: floats.shader_signed_zero_inf_nan_preserve_float32
                == vk::TRUE,
            flushes_denormals: floats.shader_denorm_flush_to_zero_float32 == vk::TRUE,
            supports_fully_covered: coverage.fully_covered_fragment_shader_input_variable
                == vk::TRUE,
        }
    }
}

/// Returns size, operations and stages of subgroups that the compiler uses, from the properties of
/// a device.
fn convert_subgroups(properties: &vk::PhysicalDeviceSubgroupProperties<'_>) -> Subgroups {
    let has = |operations| properties.supported_operations.contains(operations);
    let stages = [
        vk::ShaderStageFlags::VERTEX,
        vk::ShaderStageFlags::TESSELLATION_CONTROL,
        vk::ShaderStageFlags::TESSELLATION_EVALUATION,
        vk::ShaderStageFlags::GEOMETRY,
        vk::ShaderStageFlags::FRAGMENT,
        vk::ShaderStageFlags::COMPUTE,
    ];
    Subgroups {
        size: properties.subgroup_size,
        stages: stages.map(|stage| properties.supported_stages.contains(stage)),
        vote: has(vk::SubgroupFeatureFlags::VOTE),
        ballot: has(vk::SubgroupFeatureFlags::BALLOT),
        shuffle: has(vk::SubgroupFeatureFlags::SHUFFLE),
        quad: has(vk::SubgroupFeatureFlags::QUAD),
    }
}
