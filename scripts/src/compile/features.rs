//! The compiler's features by the names that scripts and Vulkan have for them.

/// The features that the compiler asks about, for a device that has those of which `has` says so. What has no name is as in a usual device.
pub fn device_features(has: impl Fn(&str) -> bool) -> glasm::DeviceFeatures {
    glasm::DeviceFeatures {
        float64: has("shaderFloat64"),
        int64: has("shaderInt64"),
        int16: has("shaderInt16") && has("storageBuffer16BitAccess"),
        int8: has("shaderInt8") && has("storageBuffer8BitAccess"),
        buffer_device_address: has("bufferDeviceAddress"),
        demote_to_helper_invocation: has("shaderDemoteToHelperInvocation"),
        int64_atomics: has("shaderBufferInt64Atomics"),
        draw_parameters: has("shaderDrawParameters"),
        shared_int64_atomics: has("shaderSharedInt64Atomics"),
        buffer_float32_atomic_add: has("shaderBufferFloat32AtomicAdd"),
        buffer_float64_atomic_add: has("shaderBufferFloat64AtomicAdd"),
        uniform_buffer_dynamic_indexing: has("shaderUniformBufferArrayDynamicIndexing"),
        storage_buffer_dynamic_indexing: has("shaderStorageBufferArrayDynamicIndexing"),
        uniform_buffer_non_uniform_indexing: has("shaderUniformBufferArrayNonUniformIndexing"),
        storage_buffer_non_uniform_indexing: has("shaderStorageBufferArrayNonUniformIndexing"),
        image_gather_extended: has("shaderImageGatherExtended"),
        sampled_image_dynamic_indexing: has("shaderSampledImageArrayDynamicIndexing"),
        sampled_image_non_uniform_indexing: has("shaderSampledImageArrayNonUniformIndexing"),
        storage_image_dynamic_indexing: has("shaderStorageImageArrayDynamicIndexing"),
        storage_image_non_uniform_indexing: has("shaderStorageImageArrayNonUniformIndexing"),
        storage_image_read_without_format: has("shaderStorageImageReadWithoutFormat"),
        storage_image_write_without_format: has("shaderStorageImageWriteWithoutFormat"),
        resource_residency: has("shaderResourceResidency"),
        resource_min_lod: has("shaderResourceMinLod"),
        uniform_texel_buffer_dynamic_indexing: has("shaderUniformTexelBufferArrayDynamicIndexing"),
        uniform_texel_buffer_non_uniform_indexing: has(
            "shaderUniformTexelBufferArrayNonUniformIndexing",
        ),
        storage_texel_buffer_dynamic_indexing: has("shaderStorageTexelBufferArrayDynamicIndexing"),
        storage_texel_buffer_non_uniform_indexing: has(
            "shaderStorageTexelBufferArrayNonUniformIndexing",
        ),
        sm_builtins: has("shaderSMBuiltins"),
        geometry_shader: has("geometryShader"),
        multi_viewport: has("multiViewport"),
        viewport_array2: has("VK_NV_viewport_array2"),
        fully_covered: has("fullyCoveredFragmentShaderInputVariable"),
        sample_rate_shading: has("sampleRateShading"),
        ..glasm::DeviceFeatures::default()
    }
}
