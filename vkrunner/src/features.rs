//! Device features: those that the compiler supports, and those that scripts and modules of other
//! compilers need in addition.
//!
//! Features that scripts cannot use (sparse memory) are deliberately absent.

/// Calls a macro with the entries of all features, in the form of [`glasm::device_features`].
macro_rules! all_features {
    ($then:ident) => { glasm::device_features! { $then {
    feature "fullDrawIndexUint32" (core.full_draw_index_uint32) {} () [];
    // Vulkan has `robustBufferAccess2` on devices where this is on, too.
    feature "robustBufferAccess" (core.robust_buffer_access) {} () [];
    feature "independentBlend" (core.independent_blend) {} () [];
    feature "tessellationShader" (core.tessellation_shader) {} () [Tessellation Tessellation];
    // The compiler needs it for geometry stages only.
    feature "shaderTessellationAndGeometryPointSize" (core.shader_tessellation_and_geometry_point_size) {} ()
        [TessellationPointSize TessellationPointSize];
    feature "alphaToOne" (core.alpha_to_one) {} () [];
    feature "dualSrcBlend" (core.dual_src_blend) {} () [];
    feature "logicOp" (core.logic_op) {} () [];
    feature "depthClamp" (core.depth_clamp) {} () [];
    feature "depthBiasClamp" (core.depth_bias_clamp) {} () [];
    feature "fillModeNonSolid" (core.fill_mode_non_solid) {} () [];
    feature "depthBounds" (core.depth_bounds) {} () [];
    feature "wideLines" (core.wide_lines) {} () [];
    feature "largePoints" (core.large_points) {} () [];
    feature "occlusionQueryPrecise" (core.occlusion_query_precise) {} () [];
    feature "samplerAnisotropy" (core.sampler_anisotropy) {} () [];
    feature "samplerMirrorClampToEdge" (vulkan12.sampler_mirror_clamp_to_edge) {} () [];
    feature "uniformAndStorageBuffer8BitAccess" (vulkan12|storage8.uniform_and_storage_buffer8_bit_access) {} () [UniformAndStorageBuffer8BitAccess UniformAndStorageBuffer8BitAccess];
    feature "shaderFloat16" (vulkan12|narrow.shader_float16) {} () [Float16 Float16];
    feature "vulkanMemoryModel" (vulkan12|memory_model.vulkan_memory_model) {} () [VulkanMemoryModel VulkanMemoryModel];
    feature "vulkanMemoryModelDeviceScope" (vulkan12|memory_model.vulkan_memory_model_device_scope) {} () [];
    feature "scalarBlockLayout" (vulkan12|scalar_layout.scalar_block_layout) {} () [];
    feature "descriptorBindingPartiallyBound" (vulkan12|indexing.descriptor_binding_partially_bound) {} () [];
    feature "uniformAndStorageBuffer16BitAccess" (storage16.uniform_and_storage_buffer16_bit_access) {} () [UniformAndStorageBuffer16BitAccess UniformAndStorageBuffer16BitAccess];
    feature "storageInputOutput16" (storage16.storage_input_output16) {} () [StorageInputOutput16 StorageInputOutput16];
    feature "maintenance4" (maintenance4.maintenance4) {} () [];
    feature "depthClipControl" (depth_clip_control.depth_clip_control) {} () [];
    feature "provokingVertexLast" (provoking_vertex.provoking_vertex_last) {} () [];
    feature "indexTypeUint8" (index_uint8.index_type_uint8) {} () [];
    feature "vertexAttributeInstanceRateDivisor" (divisor.vertex_attribute_instance_rate_divisor) {} () [];
    feature "vertexAttributeInstanceRateZeroDivisor" (divisor.vertex_attribute_instance_rate_zero_divisor) {} () [];
    feature "primitiveTopologyListRestart" (list_restart.primitive_topology_list_restart) {} () [];
    feature "primitiveTopologyPatchListRestart" (list_restart.primitive_topology_patch_list_restart) {} () [];
    feature "shaderBufferFloat32Atomics" (atomic_float.shader_buffer_float32_atomics) {} () [];
    feature "shaderBufferFloat64Atomics" (atomic_float.shader_buffer_float64_atomics) {} () [];
    feature "shaderSharedFloat32Atomics" (atomic_float.shader_shared_float32_atomics) {} () [];
    feature "shaderSharedFloat32AtomicAdd" (atomic_float.shader_shared_float32_atomic_add) {} () [];
    feature "customBorderColors" (custom_border.custom_border_colors) {} () [];
    feature "borderColorSwizzle" (border_swizzle.border_color_swizzle) {} () [];
    feature "borderColorSwizzleFromImage" (border_swizzle.border_color_swizzle_from_image) {} () [];
    feature "nullDescriptor" (robustness.null_descriptor) {} () [];
    feature "image2DViewOf3D" (view_of_3d.image2_d_view_of3_d) {} () [];
    feature "VK_EXT_conservative_rasterization" (extension) {} () [];
    } } };
}
pub(crate) use all_features;
