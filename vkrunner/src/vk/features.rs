//! Features of devices: one table of names, with the structure that each is a member of.
//!
//! Every feature in the table that a device has is enabled. Not in the table, on purpose: features that change how programs run rather
//! than what may run (`robustBufferAccess`), and what scripts cannot use (sparse memory).
//!
//! Features that Vulkan 1.2 took over from extensions have two places: the structure of the extension, and that of version 1.2, which
//! excludes it and which devices of that version get. It has features, too, that an extension without structure stands for.

use super::instance::Instance;
use ash::vk;
use std::collections::BTreeSet;
use std::ffi::CStr;

/// A version that no device has: the structure exists in an extension only.
const NEVER: u32 = u32::MAX;

macro_rules! features {
    (
        core { $($core:ident $core_name:literal,)* }
        vulkan12 { $($new:ident $new_name:literal,)* }
        taken over {
            $($old_chain:ident: $old_structure:ident, extension $old_extension:expr, {
                $($old_member:ident $old_name:literal,)*
            })*
        }
        $($chain:ident: $structure:ident, core in $minor:expr, extension $extension:expr, {
            $($member:ident $name:literal,)*
        })*
    ) => {
        /// The feature structures that a device knows.
        #[derive(Default)]
        pub(super) struct FeatureChain {
            core: vk::PhysicalDeviceFeatures,
            vulkan12: Option<vk::PhysicalDeviceVulkan12Features<'static>>,
            $($old_chain: Option<vk::$old_structure<'static>>,)*
            $($chain: Option<vk::$structure<'static>>,)*
        }

        impl FeatureChain {
            /// Empty structures for what a device of version 1.`minor` with these extensions knows.
            fn known(minor: u32, has_extension: impl Fn(&CStr) -> bool) -> Self {
                let known = |core_minor: u32, name: Option<&CStr>| minor >= core_minor || name.is_some_and(&has_extension);
                let has_vulkan12 = minor >= 2;
                Self {
                    core: vk::PhysicalDeviceFeatures::default(),
                    vulkan12: has_vulkan12.then(vk::PhysicalDeviceVulkan12Features::default),
                    $($old_chain: (!has_vulkan12 && has_extension($old_extension)).then(vk::$old_structure::default),)*
                    $($chain: known($minor, $extension).then(vk::$structure::default),)*
                }
            }

            /// Extensions that the structures come from, where the version does not include them.
            pub(super) fn extensions(&self, minor: u32) -> Vec<&'static CStr> {
                let mut names = Vec::new();
                $(if self.$old_chain.is_some() {
                    names.push($old_extension);
                })*
                $(if let (Some(_), Some(name), true) = (&self.$chain, $extension, minor < $minor) {
                    names.push(name);
                })*
                names
            }

            /// Links the structures into a list.
            pub(super) fn link(&mut self) -> vk::PhysicalDeviceFeatures2<'_> {
                let mut list = vk::PhysicalDeviceFeatures2::default().features(self.core);
                // What an earlier list left in a structure must not be followed.
                if let Some(structure) = &mut self.vulkan12 {
                    structure.p_next = std::ptr::null_mut();
                    list = list.push_next(structure);
                }
                $(if let Some(structure) = &mut self.$old_chain {
                    structure.p_next = std::ptr::null_mut();
                    list = list.push_next(structure);
                })*
                $(if let Some(structure) = &mut self.$chain {
                    structure.p_next = std::ptr::null_mut();
                    list = list.push_next(structure);
                })*
                list
            }

            /// All features by name.
            fn members(&mut self) -> Vec<(&'static str, &mut vk::Bool32)> {
                let mut members = vec![$(($core_name, &mut self.core.$core),)*];
                if let Some(structure) = &mut self.vulkan12 {
                    members.extend([
                        $(($new_name, &mut structure.$new),)*
                        $($(($old_name, &mut structure.$old_member),)*)*
                    ]);
                }
                $(if let Some(structure) = &mut self.$old_chain {
                    members.extend([$(($old_name, &mut structure.$old_member),)*]);
                })*
                $(if let Some(structure) = &mut self.$chain {
                    members.extend([$(($name, &mut structure.$member),)*]);
                })*
                members
            }
        }
    };
}

features! {
    core {
        full_draw_index_uint32 "fullDrawIndexUint32",
        image_cube_array "imageCubeArray",
        independent_blend "independentBlend",
        geometry_shader "geometryShader",
        tessellation_shader "tessellationShader",
        sample_rate_shading "sampleRateShading",
        alpha_to_one "alphaToOne",
        dual_src_blend "dualSrcBlend",
        logic_op "logicOp",
        depth_clamp "depthClamp",
        depth_bias_clamp "depthBiasClamp",
        fill_mode_non_solid "fillModeNonSolid",
        depth_bounds "depthBounds",
        wide_lines "wideLines",
        large_points "largePoints",
        multi_viewport "multiViewport",
        occlusion_query_precise "occlusionQueryPrecise",
        vertex_pipeline_stores_and_atomics "vertexPipelineStoresAndAtomics",
        fragment_stores_and_atomics "fragmentStoresAndAtomics",
        shader_tessellation_and_geometry_point_size "shaderTessellationAndGeometryPointSize",
        shader_image_gather_extended "shaderImageGatherExtended",
        shader_storage_image_extended_formats "shaderStorageImageExtendedFormats",
        shader_storage_image_multisample "shaderStorageImageMultisample",
        shader_storage_image_read_without_format "shaderStorageImageReadWithoutFormat",
        shader_storage_image_write_without_format "shaderStorageImageWriteWithoutFormat",
        shader_uniform_buffer_array_dynamic_indexing "shaderUniformBufferArrayDynamicIndexing",
        shader_sampled_image_array_dynamic_indexing "shaderSampledImageArrayDynamicIndexing",
        shader_storage_buffer_array_dynamic_indexing "shaderStorageBufferArrayDynamicIndexing",
        shader_storage_image_array_dynamic_indexing "shaderStorageImageArrayDynamicIndexing",
        sampler_anisotropy "samplerAnisotropy",
        shader_clip_distance "shaderClipDistance",
        shader_cull_distance "shaderCullDistance",
        shader_float64 "shaderFloat64",
        shader_int64 "shaderInt64",
        shader_int16 "shaderInt16",
        shader_resource_residency "shaderResourceResidency",
        shader_resource_min_lod "shaderResourceMinLod",
    }
    vulkan12 {
        shader_output_viewport_index "shaderOutputViewportIndex",
        shader_output_layer "shaderOutputLayer",
        sampler_mirror_clamp_to_edge "samplerMirrorClampToEdge",
    }
    taken over {
        storage8: PhysicalDevice8BitStorageFeatures, extension ash::khr::_8bit_storage::NAME, {
            storage_buffer8_bit_access "storageBuffer8BitAccess",
            uniform_and_storage_buffer8_bit_access "uniformAndStorageBuffer8BitAccess",
        }
        narrow: PhysicalDeviceShaderFloat16Int8Features, extension ash::khr::shader_float16_int8::NAME, {
            shader_float16 "shaderFloat16",
            shader_int8 "shaderInt8",
        }
        address: PhysicalDeviceBufferDeviceAddressFeatures, extension ash::khr::buffer_device_address::NAME, {
            buffer_device_address "bufferDeviceAddress",
        }
        atomic64: PhysicalDeviceShaderAtomicInt64Features, extension ash::khr::shader_atomic_int64::NAME, {
            shader_buffer_int64_atomics "shaderBufferInt64Atomics",
            shader_shared_int64_atomics "shaderSharedInt64Atomics",
        }
        memory_model: PhysicalDeviceVulkanMemoryModelFeatures, extension ash::khr::vulkan_memory_model::NAME, {
            vulkan_memory_model "vulkanMemoryModel",
            vulkan_memory_model_device_scope "vulkanMemoryModelDeviceScope",
        }
        scalar_layout: PhysicalDeviceScalarBlockLayoutFeatures, extension ash::ext::scalar_block_layout::NAME, {
            scalar_block_layout "scalarBlockLayout",
        }
        indexing: PhysicalDeviceDescriptorIndexingFeatures, extension ash::ext::descriptor_indexing::NAME, {
            shader_uniform_buffer_array_non_uniform_indexing "shaderUniformBufferArrayNonUniformIndexing",
            shader_sampled_image_array_non_uniform_indexing "shaderSampledImageArrayNonUniformIndexing",
            shader_storage_buffer_array_non_uniform_indexing "shaderStorageBufferArrayNonUniformIndexing",
            shader_storage_image_array_non_uniform_indexing "shaderStorageImageArrayNonUniformIndexing",
            descriptor_binding_partially_bound "descriptorBindingPartiallyBound",
            shader_uniform_texel_buffer_array_dynamic_indexing "shaderUniformTexelBufferArrayDynamicIndexing",
            shader_storage_texel_buffer_array_dynamic_indexing "shaderStorageTexelBufferArrayDynamicIndexing",
            shader_uniform_texel_buffer_array_non_uniform_indexing "shaderUniformTexelBufferArrayNonUniformIndexing",
            shader_storage_texel_buffer_array_non_uniform_indexing "shaderStorageTexelBufferArrayNonUniformIndexing",
        }
    }
    storage16: PhysicalDevice16BitStorageFeatures, core in 1, extension None::<&'static CStr>, {
        storage_buffer16_bit_access "storageBuffer16BitAccess",
        uniform_and_storage_buffer16_bit_access "uniformAndStorageBuffer16BitAccess",
        storage_input_output16 "storageInputOutput16",
    }
    draw_parameters: PhysicalDeviceShaderDrawParametersFeatures, core in 1, extension None::<&'static CStr>, {
        shader_draw_parameters "shaderDrawParameters",
    }
    demote: PhysicalDeviceShaderDemoteToHelperInvocationFeatures, core in 3,
    extension Some(ash::ext::shader_demote_to_helper_invocation::NAME), {
        shader_demote_to_helper_invocation "shaderDemoteToHelperInvocation",
    }
    maintenance4: PhysicalDeviceMaintenance4Features, core in 3, extension Some(ash::khr::maintenance4::NAME), {
        maintenance4 "maintenance4",
    }
    depth_clip_control: PhysicalDeviceDepthClipControlFeaturesEXT, core in NEVER,
    extension Some(ash::ext::depth_clip_control::NAME), {
        depth_clip_control "depthClipControl",
    }
    provoking_vertex: PhysicalDeviceProvokingVertexFeaturesEXT, core in NEVER,
    extension Some(ash::ext::provoking_vertex::NAME), {
        provoking_vertex_last "provokingVertexLast",
    }
    index_uint8: PhysicalDeviceIndexTypeUint8FeaturesEXT, core in NEVER,
    extension Some(ash::ext::index_type_uint8::NAME), {
        index_type_uint8 "indexTypeUint8",
    }
    divisor: PhysicalDeviceVertexAttributeDivisorFeaturesEXT, core in NEVER,
    extension Some(ash::ext::vertex_attribute_divisor::NAME), {
        vertex_attribute_instance_rate_divisor "vertexAttributeInstanceRateDivisor",
        vertex_attribute_instance_rate_zero_divisor "vertexAttributeInstanceRateZeroDivisor",
    }
    list_restart: PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT, core in NEVER,
    extension Some(ash::ext::primitive_topology_list_restart::NAME), {
        primitive_topology_list_restart "primitiveTopologyListRestart",
        primitive_topology_patch_list_restart "primitiveTopologyPatchListRestart",
    }
    atomic_float: PhysicalDeviceShaderAtomicFloatFeaturesEXT, core in NEVER,
    extension Some(ash::ext::shader_atomic_float::NAME), {
        shader_buffer_float32_atomics "shaderBufferFloat32Atomics",
        shader_buffer_float32_atomic_add "shaderBufferFloat32AtomicAdd",
        shader_buffer_float64_atomics "shaderBufferFloat64Atomics",
        shader_buffer_float64_atomic_add "shaderBufferFloat64AtomicAdd",
        shader_shared_float32_atomics "shaderSharedFloat32Atomics",
        shader_shared_float32_atomic_add "shaderSharedFloat32AtomicAdd",
    }
    feedback: PhysicalDeviceTransformFeedbackFeaturesEXT, core in NEVER,
    extension Some(ash::ext::transform_feedback::NAME), {
        transform_feedback "transformFeedback",
        geometry_streams "geometryStreams",
    }
    custom_border: PhysicalDeviceCustomBorderColorFeaturesEXT, core in NEVER,
    extension Some(ash::ext::custom_border_color::NAME), {
        custom_border_colors "customBorderColors",
    }
    border_swizzle: PhysicalDeviceBorderColorSwizzleFeaturesEXT, core in NEVER,
    extension Some(ash::ext::border_color_swizzle::NAME), {
        border_color_swizzle "borderColorSwizzle",
        border_color_swizzle_from_image "borderColorSwizzleFromImage",
    }
    robustness: PhysicalDeviceRobustness2FeaturesEXT, core in NEVER,
    extension Some(ash::ext::robustness2::NAME), {
        null_descriptor "nullDescriptor",
    }
    view_of_3d: PhysicalDeviceImage2DViewOf3DFeaturesEXT, core in NEVER,
    extension Some(ash::ext::image_2d_view_of_3d::NAME), {
        image2_d_view_of3_d "image2DViewOf3D",
    }
    interlock: PhysicalDeviceFragmentShaderInterlockFeaturesEXT, core in NEVER,
    extension Some(ash::ext::fragment_shader_interlock::NAME), {
        fragment_shader_sample_interlock "fragmentShaderSampleInterlock",
        fragment_shader_pixel_interlock "fragmentShaderPixelInterlock",
    }
}

impl FeatureChain {
    /// The features of the table that a device has.
    pub(super) fn query(
        instance: &Instance,
        device: vk::PhysicalDevice,
        minor: u32,
        extensions: &BTreeSet<String>,
    ) -> Self {
        let has_extension = |name: &CStr| extensions.contains(&*name.to_string_lossy());
        let mut found = Self::known(minor, has_extension);
        let mut list = found.link();
        // SAFETY: the list holds only structures that the device knows, and lives as long as the call.
        unsafe {
            instance
                .raw
                .get_physical_device_features2(device, &mut list)
        };
        found.core = list.features;
        // Structures have members that the table leaves out; those stay off.
        let mut chosen = Self::known(minor, has_extension);
        for ((_, wanted), (_, has)) in chosen.members().into_iter().zip(found.members()) {
            *wanted = *has;
        }
        chosen
    }

    /// Names of the features that are on.
    pub(super) fn names(&mut self) -> BTreeSet<&'static str> {
        self.members()
            .into_iter()
            .filter(|(_, on)| **on == vk::TRUE)
            .map(|(name, _)| name)
            .collect()
    }
}
