//! What a module needs of the device: one row per capability with its extension and Vulkan features.

use crate::options::Target;
use crate::reflect::Requirements;
use crate::words::Words;
use spirv::{Capability, Op};

/// One row: what a capability brings with it.
struct Row {
    capability: Capability,
    name: &'static str,
    /// Extension, and the target from which on it is core.
    extension: Option<(&'static str, Option<Target>)>,
    /// Features in the words of the Vulkan structures.
    features: &'static [&'static str],
}

macro_rules! needs {
    ($($(#[$doc:meta])* $name:ident $capability:ident $extension:expr, $features:expr;)*) => {
        /// Something that a module needs.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub(crate) enum Need { $($(#[$doc])* $name,)* }

        static ROWS: &[Row] = &[$(Row {
            capability: Capability::$capability,
            name: stringify!($capability),
            extension: $extension,
            features: $features,
        },)*];
    };
}

const V12: Option<Target> = Some(Target::Vulkan1_2);
const V13: Option<Target> = Some(Target::Vulkan1_3);

needs! {
    /// Always.
    Shader Shader None, &[];
    /// 64-bit floats.
    Float64 Float64 None, &["shaderFloat64"];
    /// 64-bit integers.
    Int64 Int64 None, &["shaderInt64"];
    /// 16-bit integers.
    Int16 Int16 None, &["shaderInt16"];
    /// 8-bit integers.
    Int8 Int8 None, &["shaderInt8"];
    /// 16-bit integers in storage buffers.
    Storage16 StorageBuffer16BitAccess None, &["storageBuffer16BitAccess"];
    /// 8-bit integers in storage buffers.
    Storage8 StorageBuffer8BitAccess Some(("SPV_KHR_8bit_storage", V12)), &["storageBuffer8BitAccess"];
    /// Global memory.
    Addresses PhysicalStorageBufferAddresses Some(("SPV_KHR_physical_storage_buffer", V12)), &["bufferDeviceAddress"];
    /// 64-bit atomics in buffers.
    Int64Atomics Int64Atomics None, &["shaderBufferInt64Atomics"];
    /// 64-bit atomics in shared memory.
    SharedInt64Atomics Int64Atomics None, &["shaderSharedInt64Atomics"];
    /// Sums of 32-bit floats in buffers by one atomic.
    Float32AtomicAdd AtomicFloat32AddEXT Some(("SPV_EXT_shader_atomic_float_add", None)), &["shaderBufferFloat32AtomicAdd"];
    /// Sums of 64-bit floats in buffers by one atomic.
    Float64AtomicAdd AtomicFloat64AddEXT Some(("SPV_EXT_shader_atomic_float_add", None)), &["shaderBufferFloat64AtomicAdd"];
    /// Base vertex, base instance, draw number.
    DrawParameters DrawParameters None, &["shaderDrawParameters"];
    /// Demotion to helper invocations.
    Demote DemoteToHelperInvocation
        Some(("SPV_EXT_demote_to_helper_invocation", V13)), &["shaderDemoteToHelperInvocation"];
    /// Size and level queries.
    ImageQuery ImageQuery None, &[];
    /// 1D textures.
    Sampled1D Sampled1D None, &[];
    /// Buffer textures.
    SampledBuffer SampledBuffer None, &[];
    /// Cube map arrays.
    CubeArray SampledCubeArray None, &["imageCubeArray"];
    /// Offsets that are not constant.
    GatherExtended ImageGatherExtended None, &["shaderImageGatherExtended"];
    /// Texture arrays indexed at run time.
    TextureIndexing SampledImageArrayDynamicIndexing None, &["shaderSampledImageArrayDynamicIndexing"];
    /// Texture arrays indexed by any number.
    TextureDivergence SampledImageArrayNonUniformIndexing
        Some(("SPV_EXT_descriptor_indexing", V12)), &["shaderSampledImageArrayNonUniformIndexing"];
    /// Arrays of buffer textures indexed at run time.
    TexelBufferIndexing UniformTexelBufferArrayDynamicIndexing
        Some(("SPV_EXT_descriptor_indexing", V12)), &["shaderUniformTexelBufferArrayDynamicIndexing"];
    /// Arrays of buffer textures indexed by any number.
    TexelBufferDivergence UniformTexelBufferArrayNonUniformIndexing
        Some(("SPV_EXT_descriptor_indexing", V12)), &["shaderUniformTexelBufferArrayNonUniformIndexing"];
    /// Uniform buffer arrays indexed at run time.
    UniformIndexing UniformBufferArrayDynamicIndexing None, &["shaderUniformBufferArrayDynamicIndexing"];
    /// Storage buffer arrays indexed at run time.
    StorageIndexing StorageBufferArrayDynamicIndexing None, &["shaderStorageBufferArrayDynamicIndexing"];
    /// Indices of descriptor arrays that differ between invocations.
    NonUniform ShaderNonUniform Some(("SPV_EXT_descriptor_indexing", V12)), &[];
    /// Uniform buffer arrays indexed by any number.
    UniformDivergence UniformBufferArrayNonUniformIndexing
        Some(("SPV_EXT_descriptor_indexing", V12)), &["shaderUniformBufferArrayNonUniformIndexing"];
    /// Storage buffer arrays indexed by any number.
    StorageDivergence StorageBufferArrayNonUniformIndexing
        Some(("SPV_EXT_descriptor_indexing", V12)), &["shaderStorageBufferArrayNonUniformIndexing"];
    /// Stores to buffers in vertex programs.
    VertexStores Shader None, &["vertexPipelineStoresAndAtomics"];
    /// Stores to buffers in fragment programs.
    FragmentStores Shader None, &["fragmentStoresAndAtomics"];
    /// Clip distances.
    ClipDistance ClipDistance None, &["shaderClipDistance"];
    /// Primitive number and layer as fragment inputs.
    Geometry Geometry None, &["geometryShader"];
    /// Point size written by the geometry stage.
    GeometryPointSize GeometryPointSize None, &["shaderTessellationAndGeometryPointSize"];
    /// Layer and viewport written by the vertex stage, Vulkan 1.1.
    LayerOutputExtension ShaderViewportIndexLayerEXT
        Some(("SPV_EXT_shader_viewport_index_layer", None)), &["shaderOutputLayer", "shaderOutputViewportIndex"];
    /// Layer written by the vertex stage.
    LayerOutput ShaderLayer None, &["shaderOutputLayer"];
    /// Viewport written by the vertex stage.
    ViewportOutput ShaderViewportIndex None, &["shaderOutputViewportIndex"];
    /// Viewport number as fragment input.
    MultiViewport MultiViewport None, &["multiViewport"];
    /// Sample number, inputs per sample.
    SampleRate SampleRateShading None, &["sampleRateShading"];
    /// Inputs evaluated at other places.
    Interpolation InterpolationFunction None, &["sampleRateShading"];
    /// Fine and coarse derivatives.
    DerivativeControl DerivativeControl None, &[];
    /// Results captured by transform feedback.
    TransformFeedback TransformFeedback None, &["transformFeedback"];
    /// Vertex streams besides the first.
    GeometryStreams GeometryStreams None, &["geometryStreams"];
    /// Subgroups at all.
    Group GroupNonUniform None, &[];
    /// Tests over a subgroup.
    GroupVote GroupNonUniformVote None, &[];
    /// Masks of a subgroup.
    GroupBallot GroupNonUniformBallot None, &[];
    /// Values of other invocations of a subgroup.
    GroupShuffle GroupNonUniformShuffle None, &[];
    /// Values of other fragments of a quad.
    GroupQuad GroupNonUniformQuad None, &[];
    /// Numbers of processors and their groups.
    SmBuiltins ShaderSMBuiltinsNV Some(("SPV_NV_shader_sm_builtins", None)), &["shaderSMBuiltins"];
    /// One-dimensional images.
    Image1D Image1D None, &[];
    /// Images that are buffers.
    ImageBuffer ImageBuffer None, &[];
    /// Images that are arrays of cube maps.
    ImageCubeArray ImageCubeArray None, &["imageCubeArray"];
    /// Multisample images.
    ImageMultisample StorageImageMultisample None, &["shaderStorageImageMultisample"];
    /// Arrays of multisample images.
    ImageMultisampleArray ImageMSArray None, &[];
    /// Image formats beside those that every device has.
    ImageExtendedFormats StorageImageExtendedFormats None, &["shaderStorageImageExtendedFormats"];
    /// Loads from images of any format.
    ImageReadWithoutFormat StorageImageReadWithoutFormat None, &["shaderStorageImageReadWithoutFormat"];
    /// Stores to images of any format.
    ImageWriteWithoutFormat StorageImageWriteWithoutFormat None, &["shaderStorageImageWriteWithoutFormat"];
    /// Image arrays indexed at run time.
    ImageIndexing StorageImageArrayDynamicIndexing None, &["shaderStorageImageArrayDynamicIndexing"];
    /// Image arrays indexed by any number.
    ImageDivergence StorageImageArrayNonUniformIndexing
        Some(("SPV_EXT_descriptor_indexing", V12)), &["shaderStorageImageArrayNonUniformIndexing"];
    /// Arrays of images that are buffers indexed at run time.
    ImageBufferIndexing StorageTexelBufferArrayDynamicIndexing
        Some(("SPV_EXT_descriptor_indexing", V12)), &["shaderStorageTexelBufferArrayDynamicIndexing"];
    /// Arrays of images that are buffers indexed by any number.
    ImageBufferDivergence StorageTexelBufferArrayNonUniformIndexing
        Some(("SPV_EXT_descriptor_indexing", V12)), &["shaderStorageTexelBufferArrayNonUniformIndexing"];
    /// Covered samples after early tests.
    PostDepthCoverage SampleMaskPostDepthCoverage
        Some(("SPV_KHR_post_depth_coverage", None)), &["VK_EXT_post_depth_coverage"];
    /// Masks of viewports.
    ViewportMask ShaderViewportMaskNV
        Some(("SPV_NV_viewport_array2", None)), &["VK_NV_viewport_array2"];
    /// Whether a primitive covers all of a fragment.
    FullyCovered FragmentFullyCoveredEXT
        Some(("SPV_EXT_fragment_fully_covered", None)), &["fullyCoveredFragmentShaderInputVariable"];
    /// Sample masks that replace coverage.
    SampleMaskOverride SampleMaskOverrideCoverageNV
        Some(("SPV_NV_sample_mask_override_coverage", None)), &["VK_NV_sample_mask_override_coverage"];
    /// Critical sections by pixel.
    PixelInterlock FragmentShaderPixelInterlockEXT
        Some(("SPV_EXT_fragment_shader_interlock", None)), &["fragmentShaderPixelInterlock"];
    /// Critical sections by sample.
    SampleInterlock FragmentShaderSampleInterlockEXT
        Some(("SPV_EXT_fragment_shader_interlock", None)), &["fragmentShaderSampleInterlock"];
    /// Accesses that tell of residency.
    SparseResidency SparseResidency None, &["shaderResourceResidency"];
    /// Least levels of detail.
    MinLod MinLod None, &["shaderResourceMinLod"];
    /// Signed zeros, infinities and NaN of 32-bit floats keep their meaning.
    FloatControls SignedZeroInfNanPreserve Some(("SPV_KHR_float_controls", V12)), &[];
}

/// An ordered set of [`Need`]s.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Needs(u128);

impl Needs {
    /// Adds `need`.
    pub(crate) fn insert(&mut self, need: Need) {
        self.0 |= 1 << need as u32;
    }

    /// Whether `need` is in the set.
    pub(crate) fn contains(self, need: Need) -> bool {
        self.0 >> need as u32 & 1 != 0
    }

    fn rows(self) -> impl Iterator<Item = &'static Row> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let row = ROWS.get(rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(row)
        })
    }

    /// Writes the capabilities, then the extensions.
    pub(crate) fn write(self, target: Target, words: &mut Words) {
        // Few rows share a capability or an extension, and each set is small.
        let first = words.len();
        for row in self.rows() {
            let capability = row.capability as u32;
            if !words.0[first..]
                .chunks_exact(2)
                .any(|it| it[1] == capability)
            {
                words.op(Op::Capability, &[capability]);
            }
        }
        for (index, extension) in self.extensions(target).enumerate() {
            if !self
                .extensions(target)
                .take(index)
                .any(|it| it == extension)
            {
                words.op_string(Op::Extension, &[], extension, &[]);
            }
        }
    }

    fn extensions(self, target: Target) -> impl Iterator<Item = &'static str> {
        self.rows().filter_map(move |row| match row.extension {
            Some((name, core)) if core.is_none_or(|core| target < core) => Some(name),
            _ => None,
        })
    }

    /// The set as the reflection shows it.
    pub(crate) fn requirements(self, target: Target) -> Requirements {
        let sorted = |names: &mut dyn Iterator<Item = &'static str>| {
            let mut list: Vec<_> = names.collect();
            list.sort_unstable();
            list.dedup();
            list
        };
        Requirements {
            capabilities: sorted(&mut self.rows().map(|row| row.name)),
            extensions: sorted(&mut self.extensions(target)),
            features: sorted(&mut self.rows().flat_map(|row| row.features).copied()),
        }
    }
}
