//! Features of devices: one table that generates the options, the declarations of modules, the
//! names in the reflection, and the features that runners query and enable.

use glasm_ir::Stage;

/// Calls a macro with some leading entries of the caller, followed by the features that modules may
/// need. Entries begin with one of two keywords.
///
/// `feature "name" (place) {opengl} (field) [needs]` is a feature that a device may have or lack:
///
/// - the name in Vulkan;
/// - where Vulkan reports it: `structure.member` of the structure with this name in
///   `glasm::vulkan::FeatureChain`, prefixed by `vulkan12|` if Vulkan 1.2 includes the structure;
///   `extension` if the extension of this name is the only condition; `other` for features that
///   need a dedicated query; nothing if Vulkan has no such feature, which then is not in the
///   reflection either;
/// - the conditions for OpenGL, any of which suffices, for modules of
///   [`Target::OpenGl4_5`](crate::options::Target): `from` the version that includes it in its
///   core, and extensions of OpenGL or of SPIR-V; `always`; nothing if OpenGL has no such feature;
/// - `field = default` makes it a field of [`DeviceFeatures`], with additional documentation as a
///   string; `& field` is another feature that the same field represents, or a part of it. Tables of
///   other crates leave it empty;
/// - the items that modules may need from it: a name for the emission, a capability, an extension
///   and the target whose core includes the extension.
///
/// `plain need` is such an item that all devices support.
///
/// Modules declare capabilities in the order of the entries.
#[doc(hidden)]
#[macro_export]
macro_rules! device_features {
    ($then:ident { $($own:tt)* }) => { $then! { $($own)*
    // The capability on which all other graphics capabilities depend.
    plain Shader Shader;
    feature "shaderFloat64" (core.shader_float64) {from 400 "GL_ARB_gpu_shader_fp64"} (float64 = true) [Float64 Float64];
    // No version of OpenGL includes these integers in its core.
    feature "shaderInt64" (core.shader_int64) {"GL_ARB_gpu_shader_int64"} (int64 = true) [Int64 Int64];
    feature "shaderInt16" (core.shader_int16) {} (int16 = true "and `storageBuffer16BitAccess`") [Int16 Int16];
    feature "shaderInt8" (vulkan12|narrow.shader_int8) {} (int8 = true "and `storageBuffer8BitAccess`") [Int8 Int8];
    // Storage of 16 bits is part of SPIR-V 1.3, storage of 8 bits only of SPIR-V 1.5.
    feature "storageBuffer16BitAccess" (storage16.storage_buffer16_bit_access) {} (& int16) [Storage16 StorageBuffer16BitAccess "SPV_KHR_16bit_storage" V11];
    feature "storageBuffer8BitAccess" (vulkan12|storage8.storage_buffer8_bit_access) {} (& int8)
        [Storage8 StorageBuffer8BitAccess "SPV_KHR_8bit_storage" V12];
    // In the core of SPIR-V 1.5, the version of Vulkan 1.2. OpenGL does not support the extension.
    feature "bufferDeviceAddress" (vulkan12|address.buffer_device_address) {} (buffer_device_address = true)
        [Addresses PhysicalStorageBufferAddresses "SPV_KHR_physical_storage_buffer" V12];
    // Vulkan has one feature for each kind of memory, SPIR-V one capability for both.
    feature "shaderBufferInt64Atomics" (vulkan12|atomic64.shader_buffer_int64_atomics) {"GL_NV_shader_atomic_int64"} (int64_atomics = true)
        [Int64Atomics Int64Atomics];
    feature "shaderSharedInt64Atomics" (vulkan12|atomic64.shader_shared_int64_atomics) {"GL_NV_shader_atomic_int64"} (shared_int64_atomics = true)
        [SharedInt64Atomics Int64Atomics];
    feature "signedAtomics" () {always}
        (signed_atomics = true
            ": signed minimum and maximum as one atomic in memory of unsigned words. Every Vulkan device has them, some shading languages do not.")
        [];
    // No version of SPIR-V includes this extension in its core. It has a capability for each width.
    feature "shaderBufferFloat32AtomicAdd" (atomic_float.shader_buffer_float32_atomic_add) {"SPV_EXT_shader_atomic_float_add"} (buffer_float32_atomic_add = true)
        [Float32AtomicAdd AtomicFloat32AddEXT "SPV_EXT_shader_atomic_float_add" NEVER];
    feature "shaderBufferFloat64AtomicAdd" (atomic_float.shader_buffer_float64_atomic_add) {} (buffer_float64_atomic_add = true)
        [Float64AtomicAdd AtomicFloat64AddEXT "SPV_EXT_shader_atomic_float_add" NEVER];
    // In the core of SPIR-V 1.3, but not of every device with Vulkan 1.1.
    feature "shaderDrawParameters" (draw_parameters.shader_draw_parameters) {"SPV_KHR_shader_draw_parameters"} (draw_parameters = true)
        [DrawParameters DrawParameters "SPV_KHR_shader_draw_parameters" V11];
    // In the core of SPIR-V 1.6, the version of Vulkan 1.3.
    feature "shaderDemoteToHelperInvocation" (demote.shader_demote_to_helper_invocation) {"GL_EXT_demote_to_helper_invocation"} (demote_to_helper_invocation = true)
        [Demote DemoteToHelperInvocation "SPV_EXT_demote_to_helper_invocation" V13];
    // Vulkan 1.0 supports these without a feature (appendix on SPIR-V, table of capabilities);
    // OpenGL has no input attachments.
    plain InputAttachment InputAttachment;
    plain ImageQuery ImageQuery;
    plain Sampled1D Sampled1D;
    // OpenGL only: rectangles in Vulkan are two-dimensional images.
    plain SampledRect SampledRect;
    plain SampledBuffer SampledBuffer;
    // Vulkan has one feature for both, SPIR-V a capability for sampled images and one for storage
    // images.
    feature "imageCubeArray" (core.image_cube_array) {from 400 "GL_ARB_texture_cube_map_array"} (image_cube_array = true) [CubeArray SampledCubeArray, ImageCubeArray ImageCubeArray];
    feature "shaderImageGatherExtended" (core.shader_image_gather_extended) {from 400 "GL_ARB_gpu_shader5"} (image_gather_extended = true)
        [GatherExtended ImageGatherExtended];
    feature "shaderSampledImageArrayDynamicIndexing" (core.shader_sampled_image_array_dynamic_indexing) {from 400 "GL_ARB_gpu_shader5"}
        (sampled_image_dynamic_indexing = true) [TextureIndexing SampledImageArrayDynamicIndexing];
    feature "shaderSampledImageArrayNonUniformIndexing"
        (vulkan12|indexing.shader_sampled_image_array_non_uniform_indexing) {} (sampled_image_non_uniform_indexing = true)
        [TextureDivergence SampledImageArrayNonUniformIndexing "SPV_EXT_descriptor_indexing" V12];
    feature "shaderUniformTexelBufferArrayDynamicIndexing"
        (vulkan12|indexing.shader_uniform_texel_buffer_array_dynamic_indexing) {} (uniform_texel_buffer_dynamic_indexing = true)
        [TexelBufferIndexing UniformTexelBufferArrayDynamicIndexing "SPV_EXT_descriptor_indexing" V12];
    feature "shaderUniformTexelBufferArrayNonUniformIndexing"
        (vulkan12|indexing.shader_uniform_texel_buffer_array_non_uniform_indexing) {}
        (uniform_texel_buffer_non_uniform_indexing = true)
        [TexelBufferDivergence UniformTexelBufferArrayNonUniformIndexing "SPV_EXT_descriptor_indexing" V12];
    feature "shaderUniformBufferArrayDynamicIndexing" (core.shader_uniform_buffer_array_dynamic_indexing) {from 400 "GL_ARB_gpu_shader5"}
        (uniform_buffer_dynamic_indexing = true) [UniformIndexing UniformBufferArrayDynamicIndexing];
    feature "shaderStorageBufferArrayDynamicIndexing" (core.shader_storage_buffer_array_dynamic_indexing) {from 430 "GL_ARB_shader_storage_buffer_object"}
        (storage_buffer_dynamic_indexing = true) [StorageIndexing StorageBufferArrayDynamicIndexing];
    // The features of non-uniform indexing need this capability in addition to their specific ones;
    // no feature represents it.
    plain NonUniform ShaderNonUniform "SPV_EXT_descriptor_indexing" V12;
    feature "shaderUniformBufferArrayNonUniformIndexing"
        (vulkan12|indexing.shader_uniform_buffer_array_non_uniform_indexing) {} (uniform_buffer_non_uniform_indexing = true)
        [UniformDivergence UniformBufferArrayNonUniformIndexing "SPV_EXT_descriptor_indexing" V12];
    feature "shaderStorageBufferArrayNonUniformIndexing"
        (vulkan12|indexing.shader_storage_buffer_array_non_uniform_indexing) {} (storage_buffer_non_uniform_indexing = true)
        [StorageDivergence StorageBufferArrayNonUniformIndexing "SPV_EXT_descriptor_indexing" V12];
    // SPIR-V has no capability for these three; the entries add the feature to the reflection and
    // repeat a declaration of every module.
    feature "robustBufferAccess2" (robustness.robust_buffer_access2) {}
        (robust_buffer_access2 = false
            ": the device keeps accesses inside storage and atomic counter buffers, so that modules need not compare with their sizes and"
            "read and write vectors as a whole. Off by default; callers must enable it.")
        [RobustAccess Shader];
    feature "vertexPipelineStoresAndAtomics" (core.vertex_pipeline_stores_and_atomics) {from 430 "GL_ARB_shader_storage_buffer_object" "GL_ARB_shader_image_load_store"} (vertex_pipeline_stores_and_atomics = true) [VertexStores Shader];
    feature "fragmentStoresAndAtomics" (core.fragment_stores_and_atomics) {from 430 "GL_ARB_shader_storage_buffer_object" "GL_ARB_shader_image_load_store"} (fragment_stores_and_atomics = true) [FragmentStores Shader];
    feature "shaderClipDistance" (core.shader_clip_distance) {always} (clip_distance = true) [ClipDistance ClipDistance];
    feature "shaderCullDistance" (core.shader_cull_distance) {from 450 "GL_ARB_cull_distance"} (cull_distance = true) [CullDistance CullDistance];
    feature "VK_EXT_shader_stencil_export" (extension) {"GL_ARB_shader_stencil_export"} (stencil_export = true) [StencilExport StencilExportEXT "SPV_EXT_shader_stencil_export" NEVER];
    feature "tessellationShader" (core.tessellation_shader) {from 400 "GL_ARB_tessellation_shader"} (tessellation_shader = true) [Tessellation Tessellation];
    feature "geometryShader" (core.geometry_shader) {always} (geometry_shader = true) [Geometry Geometry];
    feature "shaderTessellationAndGeometryPointSize" (core.shader_tessellation_and_geometry_point_size) {always}
        (tessellation_and_geometry_point_size = true)
        [GeometryPointSize GeometryPointSize, TessPointSize TessellationPointSize];
    // Until Vulkan 1.2 one extension with one capability covers layer and viewport; SPIR-V 1.5 has
    // a capability for each.
    feature "shaderOutputLayer" (vulkan12.shader_output_layer) {"GL_ARB_shader_viewport_layer_array"} (output_layer = true)
        [LayerOutputExtension ShaderViewportIndexLayerEXT "SPV_EXT_shader_viewport_index_layer" NEVER, LayerOutput ShaderLayer];
    feature "shaderOutputViewportIndex" (vulkan12.shader_output_viewport_index) {"GL_ARB_shader_viewport_layer_array"} (output_viewport_index = true)
        [ViewportOutputExtension ShaderViewportIndexLayerEXT "SPV_EXT_shader_viewport_index_layer" NEVER,
            ViewportOutput ShaderViewportIndex];
    feature "multiViewport" (core.multi_viewport) {from 410 "GL_ARB_viewport_array"} (multi_viewport = true) [MultiViewport MultiViewport];
    // `InterpolationFunction` has no separate feature in Vulkan: this feature includes it.
    feature "sampleRateShading" (core.sample_rate_shading) {from 400 "GL_ARB_sample_shading"} (sample_rate_shading = true)
        [SampleRate SampleRateShading, Interpolation InterpolationFunction];
    // Vulkan 1.0 and OpenGL 4.5 have it without a feature.
    plain DerivativeControl DerivativeControl;
    // SPIR-V 1.0 includes this capability and the next in its core: Vulkan's extension only changes
    // the API.
    feature "transformFeedback" (feedback.transform_feedback) {always} (transform_feedback = true) [TransformFeedback TransformFeedback];
    feature "geometryStreams" (feedback.geometry_streams) {from 400 "GL_ARB_gpu_shader5"} (geometry_streams = true) [GeometryStreams GeometryStreams];
    // Basic operations are available in every stage with subgroups
    // (`VK_SUBGROUP_FEATURE_BASIC_BIT`), which `check_subgroups` checks.
    plain Group GroupNonUniform;
    // Bits of `VkPhysicalDeviceSubgroupProperties::supportedOperations`, which need not be enabled.
    feature "subgroupVote" () {} (& subgroups.vote) [GroupVote GroupNonUniformVote];
    feature "subgroupBallot" () {} (& subgroups.ballot) [GroupBallot GroupNonUniformBallot];
    feature "subgroupShuffle" () {} (& subgroups.shuffle) [GroupShuffle GroupNonUniformShuffle];
    feature "subgroupQuad" () {} (& subgroups.quad) [GroupQuad GroupNonUniformQuad];
    feature "shaderSubgroupClock" (clock.shader_subgroup_clock) {"GL_ARB_shader_clock"} (subgroup_clock = true)
        [SubgroupClock ShaderClockKHR "SPV_KHR_shader_clock" NEVER];
    // Only NVIDIA has these built-ins: without them warps and multiprocessors have the number 0.
    feature "shaderSMBuiltins" (other) {"SPV_NV_shader_sm_builtins"} (sm_builtins = false)
        [SmBuiltins ShaderSMBuiltinsNV "SPV_NV_shader_sm_builtins" NEVER];
    plain Image1D Image1D;
    // OpenGL only, like the rectangles above.
    plain ImageRect ImageRect;
    plain ImageBuffer ImageBuffer;
    feature "shaderStorageImageMultisample" (core.shader_storage_image_multisample) {from 420 "GL_ARB_shader_image_load_store"} (storage_image_multisample = true)
        [ImageMultisample StorageImageMultisample];
    // The feature of the preceding entry covers arrays, too.
    plain ImageMultisampleArray ImageMSArray;
    feature "shaderStorageImageExtendedFormats" (core.shader_storage_image_extended_formats) {from 420 "GL_ARB_shader_image_load_store"} (storage_image_extended_formats = true)
        [ImageExtendedFormats StorageImageExtendedFormats];
    // GLSL requires a format for images that are read, and none for images that are only written.
    feature "shaderStorageImageReadWithoutFormat" (core.shader_storage_image_read_without_format) {"GL_EXT_shader_image_load_formatted"}
        (storage_image_read_without_format = true) [ImageReadWithoutFormat StorageImageReadWithoutFormat];
    feature "shaderStorageImageWriteWithoutFormat" (core.shader_storage_image_write_without_format) {from 420 "GL_ARB_shader_image_load_store"}
        (storage_image_write_without_format = true) [ImageWriteWithoutFormat StorageImageWriteWithoutFormat];
    feature "shaderStorageImageArrayDynamicIndexing" (core.shader_storage_image_array_dynamic_indexing) {from 420 "GL_ARB_shader_image_load_store"}
        (storage_image_dynamic_indexing = true) [ImageIndexing StorageImageArrayDynamicIndexing];
    feature "shaderStorageImageArrayNonUniformIndexing"
        (vulkan12|indexing.shader_storage_image_array_non_uniform_indexing) {} (storage_image_non_uniform_indexing = true)
        [ImageDivergence StorageImageArrayNonUniformIndexing "SPV_EXT_descriptor_indexing" V12];
    feature "shaderStorageTexelBufferArrayDynamicIndexing"
        (vulkan12|indexing.shader_storage_texel_buffer_array_dynamic_indexing) {} (storage_texel_buffer_dynamic_indexing = true)
        [ImageBufferIndexing StorageTexelBufferArrayDynamicIndexing "SPV_EXT_descriptor_indexing" V12];
    feature "shaderStorageTexelBufferArrayNonUniformIndexing"
        (vulkan12|indexing.shader_storage_texel_buffer_array_non_uniform_indexing) {}
        (storage_texel_buffer_non_uniform_indexing = true)
        [ImageBufferDivergence StorageTexelBufferArrayNonUniformIndexing "SPV_EXT_descriptor_indexing" V12];
    feature "VK_EXT_post_depth_coverage" (extension) {"GL_ARB_post_depth_coverage"} (post_depth_coverage = true)
        [PostDepthCoverage SampleMaskPostDepthCoverage "SPV_KHR_post_depth_coverage" NEVER];
    feature "VK_NV_viewport_array2" (extension) {"SPV_NV_viewport_array2"}
        (viewport_array2 = false
            ", which the caller must enable. Off by default: masks of viewports then need a geometry stage, see"
            "[`ViewReplication`](crate::reflect::ViewReplication).")
        [ViewportMask ShaderViewportMaskNV "SPV_NV_viewport_array2" NEVER];
    feature "fullyCoveredFragmentShaderInputVariable" (other) {"SPV_EXT_fragment_fully_covered"}
        (fully_covered = false
            "of `VK_EXT_conservative_rasterization`. Off by default: fragments then never know themselves fully covered, as in GL without"
            "conservative rasterization.")
        [FullyCovered FragmentFullyCoveredEXT "SPV_EXT_fragment_fully_covered" NEVER];
    feature "VK_NV_sample_mask_override_coverage" (extension) {"SPV_NV_sample_mask_override_coverage"} (sample_mask_override_coverage = true)
        [SampleMaskOverride SampleMaskOverrideCoverageNV "SPV_NV_sample_mask_override_coverage" NEVER];
    feature "fragmentShaderPixelInterlock" (interlock.fragment_shader_pixel_interlock) {"GL_ARB_fragment_shader_interlock" "SPV_EXT_fragment_shader_interlock"} (fragment_shader_pixel_interlock = true)
        [PixelInterlock FragmentShaderPixelInterlockEXT "SPV_EXT_fragment_shader_interlock" NEVER];
    feature "fragmentShaderSampleInterlock" (interlock.fragment_shader_sample_interlock) {"GL_ARB_fragment_shader_interlock" "SPV_EXT_fragment_shader_interlock"} (fragment_shader_sample_interlock = true)
        [SampleInterlock FragmentShaderSampleInterlockEXT "SPV_EXT_fragment_shader_interlock" NEVER];
    feature "shaderResourceResidency" (core.shader_resource_residency) {"GL_ARB_sparse_texture2"}
        (resource_residency = true ". Without it nothing counts as unpopulated.") [SparseResidency SparseResidency];
    feature "shaderResourceMinLod" (core.shader_resource_min_lod) {"GL_ARB_sparse_texture_clamp"}
        (resource_min_lod = true
            ". Without it accesses with a least level of detail sample twice, and where that level is used without anisotropy; see"
            "[`lod_biases`](crate::Options::lod_biases).")
        [MinLod MinLod];
    // Properties (`VkPhysicalDeviceFloatControlsProperties`), which need not be enabled. In the
    // core of SPIR-V 1.4: Vulkan 1.1 has version 1.3, Vulkan 1.2 has 1.5.
    feature "shaderSignedZeroInfNanPreserveFloat32" () {"SPV_KHR_float_controls"} (signed_zero_inf_nan_preserve_float32 = false)
        [FloatControls SignedZeroInfNanPreserve "SPV_KHR_float_controls" V12];
    feature "shaderDenormFlushToZeroFloat32" () {}
        (denorm_flush_to_zero_float32 = false
            ": denormals of programs that have none are flushed by the device. Off by default: see [`emulate_denormal_flush`](crate::Options::emulate_denormal_flush).")
        [DenormFlush DenormFlushToZero "SPV_KHR_float_controls" V12];
    } };
}
pub(crate) use device_features;

/// Subgroup support of the device; subgroups implement the thread groups of the languages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct Subgroups {
    /// Number of invocations of a subgroup (`subgroupSize`). Subgroups of more than 32 are split
    /// into halves.
    pub size: u32,
    /// Stages that have subgroup operations, by [`Stage`] (`supportedStages`).
    pub stages: [bool; 6],
    /// `VK_SUBGROUP_FEATURE_VOTE_BIT`
    pub vote: bool,
    /// `VK_SUBGROUP_FEATURE_BALLOT_BIT`
    pub ballot: bool,
    /// `VK_SUBGROUP_FEATURE_SHUFFLE_BIT`
    pub shuffle: bool,
    /// `VK_SUBGROUP_FEATURE_QUAD_BIT`
    pub quad: bool,
}

impl Subgroups {
    /// Support of no operation in any stage.
    pub const NONE: Self = Self::all(false);

    /// Returns support of all operations in all stages, or of none, with the subgroup size 32.
    const fn all(has: bool) -> Self {
        Self {
            // The size of a warp in NV_shader_thread_group, whose masks are words.
            size: 32,
            stages: [has; 6],
            vote: has,
            ballot: has,
            shuffle: has,
            quad: has,
        }
    }
}

impl Default for Subgroups {
    fn default() -> Self {
        Self::all(true)
    }
}

/// Expands to true if a feature exists in Vulkan, by its column in the table.
macro_rules! is_of_vulkan {
    (()) => {
        false
    };
    (($($location:tt)+)) => {
        true
    };
}
pub(crate) use is_of_vulkan;

/// Conditions under which OpenGL has a feature: any of them suffices.
#[derive(Clone, Copy)]
struct OpenGlSupport {
    /// First version that includes it in the core, in GLSL's notation: 450.
    version: Option<u32>,
    /// Extensions.
    extensions: &'static [&'static str],
}

impl OpenGlSupport {
    /// Returns true if OpenGL of a version, in GLSL's notation, has the feature in its core or by
    /// an extension for which `has` returns true.
    fn is_in(self, version: u32, has: &dyn Fn(&str) -> bool) -> bool {
        self.version.is_some_and(|core| core <= version)
            || self.extensions.iter().any(|name| has(name))
    }
}

/// Converts the column of the table about OpenGL.
macro_rules! opengl {
    ({ always }) => {
        OpenGlSupport { version: Some(0), extensions: &[] }
    };
    ({ from $version:literal $($extension:literal)* }) => {
        OpenGlSupport { version: Some($version), extensions: &[$($extension),*] }
    };
    ({ $($extension:literal)* }) => {
        OpenGlSupport { version: None, extensions: &[$($extension),*] }
    };
}

/// Feature with a name.
struct FeatureEntry {
    name: &'static str,
    is_of_vulkan: bool,
    opengl: OpenGlSupport,
}

macro_rules! feature_fields {
    ($(
        $(feature $name:literal $location:tt $opengl:tt
            ($($field:ident = $default:literal $($more:literal)*)? $(& $($part:ident).+)?) $requirements:tt)?
        $(plain $requirement:ident $capability:ident $($extension:literal $core:ident)?)?;
    )*) => {
        /// Features of the device. No module requires one that is off: the compiler emits other code
        /// for a program that needs it, or reports an error that names the feature. Nearly all are on
        /// by default; clear those that the device lacks.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize), serde(default, deny_unknown_fields))]
        pub struct DeviceFeatures {
            $($($(
                #[doc = concat!("`", $name, "`")]
                $(#[doc = $more])*
                pub $field: bool,
            )?)?)*
            /// Subgroup operations.
            pub subgroups: Subgroups,
            /// Total number of components of all vertices that an invocation of a geometry program
            /// emits (`maxGeometryTotalOutputComponents`). Vulkan counts more components than GL:
            /// point sizes and every capture. A program that declares more vertices than fit emits
            /// fewer.
            pub max_geometry_total_output_components: u32,
        }

        impl Default for DeviceFeatures {
            /// Returns the default of each feature in the table and Vulkan's guaranteed limits.
            fn default() -> Self {
                Self {
                    $($($($field: $default,)?)?)*
                    subgroups: Subgroups::default(),
                    // The minimum for `maxGeometryTotalOutputComponents` in Vulkan (table of
                    // required limits).
                    max_geometry_total_output_components: 1024,
                }
            }
        }

        impl DeviceFeatures {
            /// Calls `visitor` for each named feature with its field. A field that several features
            /// share is visited once for each of them. Subgroups are not visited.
            fn visit(&mut self, mut visitor: impl FnMut(&FeatureEntry, &mut bool)) {
                $($(
                    let entry = FeatureEntry { name: $name, is_of_vulkan: is_of_vulkan!($location), opengl: opengl!($opengl) };
                    $(visitor(&entry, &mut self.$field);)?
                    $(visitor(&entry, &mut self.$($part).+);)?
                    let _ = entry;
                )?)*
            }
        }
    };
}

device_features! { feature_fields {} }

macro_rules! feature_names {
    ($(
        $(feature $name:literal $location:tt $opengl:tt $field:tt $requirements:tt)?
        $(plain $requirement:ident $capability:ident $($extension:literal $core:ident)?)?;
    )*) => {
        /// Returns true if this is Vulkan's name of a feature that modules may need. Returns false
        /// for subgroups and for features that exist only in other interfaces.
        pub fn is_feature(name: &str) -> bool {
            match name {
                $($($name => is_of_vulkan!($location),)?)*
                _ => false,
            }
        }

        /// Returns Vulkan's names of all features that modules may need: those for which
        /// [`is_feature`] returns true.
        pub fn vulkan_feature_names() -> Vec<&'static str> {
            let names = [$($($name,)?)*];
            names.into_iter().filter(|name| is_feature(name)).collect()
        }

        /// Returns true if an implementation of OpenGL has the feature with this Vulkan name, given
        /// version and extensions as in [`DeviceFeatures::of_opengl`]. Returns false for unknown
        /// features.
        pub fn is_in_opengl(name: &str, version: u32, has: impl Fn(&str) -> bool) -> bool {
            let opengl = match name {
                $($($name => opengl!($opengl),)?)*
                _ => opengl!({}),
            };
            opengl.is_in(version, &has)
        }
    };
}

device_features! { feature_names {} }

/// Name for all properties in [`Subgroups`].
pub(crate) const SUBGROUPS: &str = "subgroups";

impl DeviceFeatures {
    /// Returns the names of all features, for [`Self::without`].
    pub fn names() -> Vec<&'static str> {
        let mut names = vec![SUBGROUPS];
        Self::default().visit(|feature, _| names.push(feature.name));
        names
    }

    /// Returns these features with the Vulkan features for which `has` returns true. Features that
    /// do not exist in Vulkan are unchanged. A field that several features share is true only if
    /// `has` returns true for all of them. Subgroups are unchanged, too.
    #[must_use]
    pub fn with(mut self, has: impl Fn(&str) -> bool) -> Self {
        // A field may represent several features, all of which the device must have.
        self.visit(|feature, field| *field |= feature.is_of_vulkan);
        self.visit(|feature, field| *field &= !feature.is_of_vulkan || has(feature.name));
        self
    }

    /// Returns the features of an implementation of OpenGL, for
    /// [`Target::OpenGl4_5`](crate::options::Target::OpenGl4_5), given its version in GLSL's
    /// notation (450 for 4.5) and a predicate for extensions, whose names start with `GL_`, or with
    /// `SPV_` for SPIR-V extensions (`SPIR_V_EXTENSIONS`).
    ///
    /// OpenGL has no subgroups in SPIR-V 1.0, no addresses, no integers of 8 or 16 bits, and
    /// indexes arrays of resources only with values that are the same for all invocations.
    /// [`max_geometry_total_output_components`](Self::max_geometry_total_output_components) is left
    /// to the caller (`MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS`).
    pub fn of_opengl(version: u32, has: impl Fn(&str) -> bool) -> Self {
        let mut features = Self::default();
        // A field may represent several features, all of which OpenGL must have.
        features.visit(|_, field| *field = true);
        features.visit(|feature, field| *field &= feature.opengl.is_in(version, &has));
        features.subgroups = Subgroups::NONE;
        features
    }

    /// Returns these features without those for which `lacks` returns true, including features that
    /// do not exist in Vulkan.
    // The subgroup size is a property of the device and remains without the operations.
    #[must_use]
    pub fn without(mut self, lacks: impl Fn(&str) -> bool) -> Self {
        self.visit(|feature, field| *field &= !lacks(feature.name));
        if lacks(SUBGROUPS) {
            let size = self.subgroups.size;
            self.subgroups = Subgroups::NONE;
            self.subgroups.size = size;
        }
        self
    }

    /// Returns true if programs of a stage lack the feature of this name, or `None` if there is no
    /// such feature. The stage matters only for subgroups.
    pub fn lacks(&self, name: &str, stage: Stage) -> Option<bool> {
        if name == SUBGROUPS {
            return Some(!self.subgroups.stages[stage as usize]);
        }
        let mut found = None;
        // `visit` yields mutable fields, for `with` and `without`.
        let mut copy = *self;
        copy.visit(|known, field| {
            if known.name == name {
                found = Some(!*field);
            }
        });
        found
    }
}
