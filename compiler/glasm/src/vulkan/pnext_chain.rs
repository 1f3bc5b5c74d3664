//! Vulkan structures whose members are features.

use ash::vk;
use std::ffi::CStr;

/// A version that no device has.
const NEVER: u32 = u32::MAX;

/// Availability of a structure.
#[derive(Clone, Copy)]
struct Origin {
    /// The first minor version of Vulkan that has it.
    core: u32,
    /// The first minor version that excludes it.
    end: u32,
    extension: Option<&'static CStr>,
}

impl Origin {
    /// Returns the origin of a structure of Vulkan 1.`minor`, and of an extension before that
    /// version.
    const fn from_core(core: u32, extension: Option<&'static CStr>) -> Self {
        Self {
            core,
            end: NEVER,
            extension,
        }
    }

    /// Returns the origin of a structure of an extension.
    const fn from_extension(name: &'static CStr) -> Self {
        Self::from_core(NEVER, Some(name))
    }

    /// Returns the origin of a structure of an extension that Vulkan 1.2 replaces by another
    /// structure.
    const fn from_replaced_extension(name: &'static CStr) -> Self {
        Self {
            end: 2,
            ..Self::from_extension(name)
        }
    }

    // The structure of an extension must not be chained with the structure of Vulkan 1.2 that
    // replaces it: VUID-VkDeviceCreateInfo-pNext-02830.
    fn is_known(self, minor: u32, has_extension: &dyn Fn(&CStr) -> bool) -> bool {
        minor < self.end && (minor >= self.core || self.extension.is_some_and(has_extension))
    }
}

macro_rules! structures {
    ($($chain:ident: $structure:ident, $origin:expr;)*) => {
        /// The feature structures that a device supports; the others are `None`. Members that are
        /// set are features that the device has, or that are to be enabled.
        ///
        /// Features that Vulkan 1.2 promoted from extensions are in two structures: that of the
        /// extension, and that of version 1.2, which excludes it and is used on devices of that
        /// version.
        #[derive(Clone, Default)]
        pub struct FeatureChain {
            /// The features of Vulkan 1.0.
            pub core: vk::PhysicalDeviceFeatures,
            $(
                #[doc = concat!("`Vk", stringify!($structure), "`")]
                pub $chain: Option<vk::$structure<'static>>,
            )*
        }

        impl FeatureChain {
            /// Returns empty structures that a device of version 1.`minor` with these extensions
            /// supports.
            pub(super) fn new_known(minor: u32, has_extension: &dyn Fn(&CStr) -> bool) -> Self {
                Self {
                    core: vk::PhysicalDeviceFeatures::default(),
                    $($chain: $origin.is_known(minor, has_extension).then(vk::$structure::default),)*
                }
            }

            /// Returns the extensions that define the structures, unless the version includes them.
            pub(super) fn collect_extensions(&self, minor: u32) -> Vec<&'static CStr> {
                let of = |is_known: bool, origin: Origin| origin.extension.filter(|_| is_known && minor < origin.core);
                [$(of(self.$chain.is_some(), $origin),)*].into_iter().flatten().collect()
            }

            /// Links the structures into a list, for `vkCreateDevice`. Callers that add other
            /// structures use those of extensions, not `VkPhysicalDeviceVulkan11Features` and
            /// `VkPhysicalDeviceVulkan13Features`, which would duplicate members.
            pub fn link(&mut self) -> vk::PhysicalDeviceFeatures2<'_> {
                let mut list = vk::PhysicalDeviceFeatures2::default().features(self.core);
                $(if let Some(structure) = &mut self.$chain {
                    // A structure may contain the pointer of an earlier list.
                    structure.p_next = std::ptr::null_mut();
                    list = list.push_next(structure);
                })*
                list
            }
        }
    };
}

structures! {
    vulkan12: PhysicalDeviceVulkan12Features, Origin::from_core(2, None);
    storage8: PhysicalDevice8BitStorageFeatures, Origin::from_replaced_extension(ash::khr::_8bit_storage::NAME);
    narrow: PhysicalDeviceShaderFloat16Int8Features, Origin::from_replaced_extension(ash::khr::shader_float16_int8::NAME);
    address: PhysicalDeviceBufferDeviceAddressFeatures, Origin::from_replaced_extension(ash::khr::buffer_device_address::NAME);
    atomic64: PhysicalDeviceShaderAtomicInt64Features, Origin::from_replaced_extension(ash::khr::shader_atomic_int64::NAME);
    memory_model: PhysicalDeviceVulkanMemoryModelFeatures, Origin::from_replaced_extension(ash::khr::vulkan_memory_model::NAME);
    scalar_layout: PhysicalDeviceScalarBlockLayoutFeatures, Origin::from_replaced_extension(ash::ext::scalar_block_layout::NAME);
    indexing: PhysicalDeviceDescriptorIndexingFeatures, Origin::from_replaced_extension(ash::ext::descriptor_indexing::NAME);
    storage16: PhysicalDevice16BitStorageFeatures, Origin::from_core(1, None);
    draw_parameters: PhysicalDeviceShaderDrawParametersFeatures, Origin::from_core(1, None);
    demote: PhysicalDeviceShaderDemoteToHelperInvocationFeatures,
        Origin::from_core(3, Some(ash::ext::shader_demote_to_helper_invocation::NAME));
    maintenance4: PhysicalDeviceMaintenance4Features, Origin::from_core(3, Some(ash::khr::maintenance4::NAME));
    depth_clip_control: PhysicalDeviceDepthClipControlFeaturesEXT, Origin::from_extension(ash::ext::depth_clip_control::NAME);
    provoking_vertex: PhysicalDeviceProvokingVertexFeaturesEXT, Origin::from_extension(ash::ext::provoking_vertex::NAME);
    index_uint8: PhysicalDeviceIndexTypeUint8FeaturesEXT, Origin::from_extension(ash::ext::index_type_uint8::NAME);
    clock: PhysicalDeviceShaderClockFeaturesKHR, Origin::from_extension(ash::khr::shader_clock::NAME);
    divisor: PhysicalDeviceVertexAttributeDivisorFeaturesEXT, Origin::from_extension(ash::ext::vertex_attribute_divisor::NAME);
    list_restart: PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT,
        Origin::from_extension(ash::ext::primitive_topology_list_restart::NAME);
    atomic_float: PhysicalDeviceShaderAtomicFloatFeaturesEXT, Origin::from_extension(ash::ext::shader_atomic_float::NAME);
    feedback: PhysicalDeviceTransformFeedbackFeaturesEXT, Origin::from_extension(ash::ext::transform_feedback::NAME);
    custom_border: PhysicalDeviceCustomBorderColorFeaturesEXT, Origin::from_extension(ash::ext::custom_border_color::NAME);
    border_swizzle: PhysicalDeviceBorderColorSwizzleFeaturesEXT, Origin::from_extension(ash::ext::border_color_swizzle::NAME);
    robustness: PhysicalDeviceRobustness2FeaturesEXT, Origin::from_extension(ash::ext::robustness2::NAME);
    view_of_3d: PhysicalDeviceImage2DViewOf3DFeaturesEXT, Origin::from_extension(ash::ext::image_2d_view_of_3d::NAME);
    interlock: PhysicalDeviceFragmentShaderInterlockFeaturesEXT, Origin::from_extension(ash::ext::fragment_shader_interlock::NAME);
}

impl FeatureChain {
    /// Queries the features of a device.
    pub(super) fn query(
        minor: u32,
        has_extension: &dyn Fn(&CStr) -> bool,
        call: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>),
    ) -> Self {
        let mut found = Self::new_known(minor, has_extension);
        let mut list = found.link();
        call(&mut list);
        found.core = list.features;
        found
    }

    /// Enables features that are required by enabled ones. Vulkan specification,
    /// `VkPhysicalDeviceRobustness2FeaturesEXT`.
    pub(super) fn enable_dependencies(&mut self) {
        let robustness = self.robustness.as_ref();
        if robustness.is_some_and(|it| it.robust_buffer_access2 == vk::TRUE) {
            self.core.robust_buffer_access = vk::TRUE;
        }
    }
}
