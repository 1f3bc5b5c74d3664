//! Vulkan structures whose members are features, and the functions over them that are generated
//! from the table of features.

use ash::vk;
use std::collections::BTreeSet;
use std::ffi::CStr;

/// A version that no device has.
const NO_VERSION: u32 = u32::MAX;

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
    /// Returns the origin of a structure of Vulkan 1.`core`, and of an extension, if one is given,
    /// before that version.
    const fn from_core(core: u32, extension: Option<&'static CStr>) -> Self {
        Self {
            core,
            end: NO_VERSION,
            extension,
        }
    }

    /// Returns the origin of a structure of an extension.
    const fn from_extension(name: &'static CStr) -> Self {
        Self::from_core(NO_VERSION, Some(name))
    }

    /// Returns the origin of a structure of an extension that Vulkan 1.2 replaces by another
    /// structure, so that it is not used from that version on.
    const fn from_replaced_extension(name: &'static CStr) -> Self {
        Self {
            end: 2,
            ..Self::from_extension(name)
        }
    }

    /// Returns true if a device of Vulkan 1.`minor` with these extensions accepts the structure in
    /// its chain.
    fn is_known(self, minor: u32, has_extension: &dyn Fn(&CStr) -> bool) -> bool {
        // The structure of an extension must not be chained with the structure of Vulkan 1.2 that
        // replaces it: VUID-VkDeviceCreateInfo-pNext-02830.
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
    /// Queries the features of a device of Vulkan 1.`minor`: `call` fills the chain of the
    /// structures that the device accepts.
    pub(super) fn query(
        minor: u32,
        has_extension: &dyn Fn(&CStr) -> bool,
        call: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>),
    ) -> Self {
        let mut chain = Self::new_known(minor, has_extension);
        let mut list = chain.link();
        call(&mut list);
        chain.core = list.features;
        chain
    }

    /// Enables features of the core that are required by enabled ones. Vulkan specification,
    /// `VkPhysicalDeviceRobustness2FeaturesEXT`.
    pub(super) fn enable_dependencies(&mut self) {
        let robustness = self.robustness.as_ref();
        if robustness.is_some_and(|it| it.robust_buffer_access2 == vk::TRUE) {
            self.core.robust_buffer_access = vk::TRUE;
        }
    }
}

/// Visits the structure member of a table entry, if the entry has one and the structure is present.
#[doc(hidden)]
#[macro_export]
macro_rules! feature_member {
    ($all:ident $visitor:ident $name:literal ()) => {};
    ($all:ident $visitor:ident $name:literal (extension)) => {};
    ($all:ident $visitor:ident $name:literal (other)) => {};
    ($all:ident $visitor:ident $name:literal (core.$member:ident)) => {
        $visitor($name, &mut $all.core.$member);
    };
    ($all:ident $visitor:ident $name:literal ($($chain:ident)|+.$member:ident)) => {
        $(if let Some(structure) = &mut $all.$chain {
            $visitor($name, &mut structure.$member);
        })+
    };
}

/// Expands to a list with the name of a feature if the feature consists of an extension only.
#[doc(hidden)]
#[macro_export]
macro_rules! feature_extension {
    ($name:literal (extension)) => {
        &[
            match ::std::ffi::CStr::from_bytes_with_nul(::std::concat!($name, "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => ::std::panic!("a name with a zero in it"),
            },
        ]
    };
    ($name:literal $place:tt) => {
        &[]
    };
}

/// Expands the entries of [`device_features`](crate::device_features) to a [`FeatureTable`].
#[doc(hidden)]
#[macro_export]
macro_rules! feature_table {
    ($(
        $(feature $name:literal $place:tt $opengl:tt $field:tt $needs:tt)?
        $(plain $need:ident $capability:ident $($extension:literal $core:ident)?)?;
    )*) => {
        $crate::vulkan::FeatureTable {
            visit: |all, visitor| {
                $($($crate::feature_member! { all visitor $name $place })?)*
            },
            extensions: &[$($($crate::feature_extension!($name $place),)?)*],
        }
    };
}

/// Callback for every feature that a device may have, with its name.
pub type FeatureVisitor<'a> = dyn FnMut(&'static str, &mut vk::Bool32) + 'a;

/// A set of features.
pub struct FeatureTable {
    /// Visits the features that are members of structures.
    pub visit: fn(&mut FeatureChain, &mut FeatureVisitor<'_>),
    /// Extensions that are features, by their names.
    pub extensions: &'static [&'static [&'static CStr]],
}

/// The features that modules may need.
pub(super) static MODULE_FEATURES: FeatureTable =
    glasm_codegen::device_features! { feature_table {} };

impl FeatureTable {
    /// Returns the names of the features that are enabled in the chain and that the table has.
    pub(super) fn list_enabled_names(&self, chain: &mut FeatureChain) -> BTreeSet<&'static str> {
        let mut names = BTreeSet::new();
        (self.visit)(chain, &mut |name, on| {
            if *on == vk::TRUE {
                names.insert(name);
            }
        });
        names
    }
}
