//! The structures of Vulkan that features are members of.

use ash::vk;
use std::ffi::CStr;

/// A version that no device has.
const NEVER: u32 = u32::MAX;

/// Which devices know a structure.
#[derive(Clone, Copy)]
struct Origin {
    /// The minor version of Vulkan that has it.
    core: u32,
    /// The one that excludes it.
    end: u32,
    extension: Option<&'static CStr>,
}

impl Origin {
    /// Part of Vulkan 1.`minor`, and before it of an extension.
    const fn core(core: u32, extension: Option<&'static CStr>) -> Self {
        Self {
            core,
            end: NEVER,
            extension,
        }
    }

    /// Part of an extension.
    const fn extension(name: &'static CStr) -> Self {
        Self::core(NEVER, Some(name))
    }

    /// Part of an extension that Vulkan 1.2 has another structure for.
    const fn taken_over(name: &'static CStr) -> Self {
        Self {
            end: 2,
            ..Self::extension(name)
        }
    }

    // The structure of an extension may not stand beside that of Vulkan 1.2 which took it over:
    // VUID-VkDeviceCreateInfo-pNext-02830.
    fn is_known(self, minor: u32, has_extension: &dyn Fn(&CStr) -> bool) -> bool {
        minor < self.end && (minor >= self.core || self.extension.is_some_and(has_extension))
    }
}

macro_rules! structures {
    ($($chain:ident: $structure:ident, $origin:expr;)*) => {
        /// The feature structures that a device knows; the others are `None`. Members that are on are features that the device has, or that are
        /// to be enabled.
        ///
        /// Features that Vulkan 1.2 took over from extensions have two places: the structure of the extension, and that of version 1.2, which
        /// excludes it and which devices of that version get.
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
            /// Empty structures for what a device of version 1.`minor` with these extensions knows.
            pub(super) fn known(minor: u32, has_extension: &dyn Fn(&CStr) -> bool) -> Self {
                Self {
                    core: vk::PhysicalDeviceFeatures::default(),
                    $($chain: $origin.is_known(minor, has_extension).then(vk::$structure::default),)*
                }
            }

            /// Extensions that the structures come from, where the version does not include them.
            pub(super) fn extensions(&self, minor: u32) -> Vec<&'static CStr> {
                let of = |is_known: bool, origin: Origin| origin.extension.filter(|_| is_known && minor < origin.core);
                [$(of(self.$chain.is_some(), $origin),)*].into_iter().flatten().collect()
            }

            /// Links the structures into a list, for `vkCreateDevice`. Callers that add structures of their own take those of extensions, not
            /// `VkPhysicalDeviceVulkan11Features` and `VkPhysicalDeviceVulkan13Features`, which would have members of these twice.
            pub fn link(&mut self) -> vk::PhysicalDeviceFeatures2<'_> {
                let mut list = vk::PhysicalDeviceFeatures2::default().features(self.core);
                $(if let Some(structure) = &mut self.$chain {
                    // What an earlier list left in a structure must not be followed.
                    structure.p_next = std::ptr::null_mut();
                    list = list.push_next(structure);
                })*
                list
            }
        }
    };
}

structures! {
    vulkan12: PhysicalDeviceVulkan12Features, Origin::core(2, None);
    storage8: PhysicalDevice8BitStorageFeatures, Origin::taken_over(ash::khr::_8bit_storage::NAME);
    narrow: PhysicalDeviceShaderFloat16Int8Features, Origin::taken_over(ash::khr::shader_float16_int8::NAME);
    address: PhysicalDeviceBufferDeviceAddressFeatures, Origin::taken_over(ash::khr::buffer_device_address::NAME);
    atomic64: PhysicalDeviceShaderAtomicInt64Features, Origin::taken_over(ash::khr::shader_atomic_int64::NAME);
    memory_model: PhysicalDeviceVulkanMemoryModelFeatures, Origin::taken_over(ash::khr::vulkan_memory_model::NAME);
    scalar_layout: PhysicalDeviceScalarBlockLayoutFeatures, Origin::taken_over(ash::ext::scalar_block_layout::NAME);
    indexing: PhysicalDeviceDescriptorIndexingFeatures, Origin::taken_over(ash::ext::descriptor_indexing::NAME);
    storage16: PhysicalDevice16BitStorageFeatures, Origin::core(1, None);
    draw_parameters: PhysicalDeviceShaderDrawParametersFeatures, Origin::core(1, None);
    demote: PhysicalDeviceShaderDemoteToHelperInvocationFeatures,
        Origin::core(3, Some(ash::ext::shader_demote_to_helper_invocation::NAME));
    maintenance4: PhysicalDeviceMaintenance4Features, Origin::core(3, Some(ash::khr::maintenance4::NAME));
    depth_clip_control: PhysicalDeviceDepthClipControlFeaturesEXT, Origin::extension(ash::ext::depth_clip_control::NAME);
    provoking_vertex: PhysicalDeviceProvokingVertexFeaturesEXT, Origin::extension(ash::ext::provoking_vertex::NAME);
    index_uint8: PhysicalDeviceIndexTypeUint8FeaturesEXT, Origin::extension(ash::ext::index_type_uint8::NAME);
    clock: PhysicalDeviceShaderClockFeaturesKHR, Origin::extension(ash::khr::shader_clock::NAME);
    divisor: PhysicalDeviceVertexAttributeDivisorFeaturesEXT, Origin::extension(ash::ext::vertex_attribute_divisor::NAME);
    list_restart: PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT,
        Origin::extension(ash::ext::primitive_topology_list_restart::NAME);
    atomic_float: PhysicalDeviceShaderAtomicFloatFeaturesEXT, Origin::extension(ash::ext::shader_atomic_float::NAME);
    feedback: PhysicalDeviceTransformFeedbackFeaturesEXT, Origin::extension(ash::ext::transform_feedback::NAME);
    custom_border: PhysicalDeviceCustomBorderColorFeaturesEXT, Origin::extension(ash::ext::custom_border_color::NAME);
    border_swizzle: PhysicalDeviceBorderColorSwizzleFeaturesEXT, Origin::extension(ash::ext::border_color_swizzle::NAME);
    robustness: PhysicalDeviceRobustness2FeaturesEXT, Origin::extension(ash::ext::robustness2::NAME);
    view_of_3d: PhysicalDeviceImage2DViewOf3DFeaturesEXT, Origin::extension(ash::ext::image_2d_view_of_3d::NAME);
    interlock: PhysicalDeviceFragmentShaderInterlockFeaturesEXT, Origin::extension(ash::ext::fragment_shader_interlock::NAME);
}

impl FeatureChain {
    /// What a device says that it has.
    pub(super) fn query(
        minor: u32,
        has_extension: &dyn Fn(&CStr) -> bool,
        call: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>),
    ) -> Self {
        let mut found = Self::known(minor, has_extension);
        let mut list = found.link();
        call(&mut list);
        found.core = list.features;
        found
    }

    /// Enables what features that are on need besides. Vulkan specification, `VkPhysicalDeviceRobustness2FeaturesEXT`.
    pub(super) fn complete(&mut self) {
        let robustness = self.robustness.as_ref();
        if robustness.is_some_and(|it| it.robust_buffer_access2 == vk::TRUE) {
            self.core.robust_buffer_access = vk::TRUE;
        }
    }
}
