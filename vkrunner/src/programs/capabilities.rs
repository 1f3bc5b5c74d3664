//! What modules that the compiler did not make need of a device, by their SPIR-V capabilities. Pure.

use rspirv::spirv::Capability;

/// Capabilities and the Vulkan features that allow them (Vulkan specification, "Capabilities"). Those that are not listed are left to
/// the validation layer.
const FEATURES: &[(Capability, &str)] = &[
    (Capability::ClipDistance, "shaderClipDistance"),
    (Capability::CullDistance, "shaderCullDistance"),
    (
        Capability::DemoteToHelperInvocation,
        "shaderDemoteToHelperInvocation",
    ),
    (Capability::DrawParameters, "shaderDrawParameters"),
    (Capability::Float16, "shaderFloat16"),
    (Capability::Float64, "shaderFloat64"),
    (Capability::Geometry, "geometryShader"),
    (
        Capability::GeometryPointSize,
        "shaderTessellationAndGeometryPointSize",
    ),
    (Capability::GeometryStreams, "geometryStreams"),
    (Capability::ImageCubeArray, "imageCubeArray"),
    (Capability::ImageGatherExtended, "shaderImageGatherExtended"),
    (Capability::Int16, "shaderInt16"),
    (Capability::Int64, "shaderInt64"),
    (Capability::Int64Atomics, "shaderBufferInt64Atomics"),
    (Capability::Int8, "shaderInt8"),
    (Capability::InterpolationFunction, "sampleRateShading"),
    (Capability::MultiViewport, "multiViewport"),
    (
        Capability::PhysicalStorageBufferAddresses,
        "bufferDeviceAddress",
    ),
    (Capability::SampleRateShading, "sampleRateShading"),
    (Capability::SampledCubeArray, "imageCubeArray"),
    (
        Capability::SampledImageArrayDynamicIndexing,
        "shaderSampledImageArrayDynamicIndexing",
    ),
    (
        Capability::StorageBuffer16BitAccess,
        "storageBuffer16BitAccess",
    ),
    (
        Capability::StorageBuffer8BitAccess,
        "storageBuffer8BitAccess",
    ),
    (
        Capability::StorageBufferArrayDynamicIndexing,
        "shaderStorageBufferArrayDynamicIndexing",
    ),
    (
        Capability::StorageImageArrayDynamicIndexing,
        "shaderStorageImageArrayDynamicIndexing",
    ),
    (
        Capability::StorageImageExtendedFormats,
        "shaderStorageImageExtendedFormats",
    ),
    (
        Capability::StorageImageReadWithoutFormat,
        "shaderStorageImageReadWithoutFormat",
    ),
    (
        Capability::StorageImageWriteWithoutFormat,
        "shaderStorageImageWriteWithoutFormat",
    ),
    (Capability::StorageInputOutput16, "storageInputOutput16"),
    (Capability::Tessellation, "tessellationShader"),
    (
        Capability::TessellationPointSize,
        "shaderTessellationAndGeometryPointSize",
    ),
    (Capability::TransformFeedback, "transformFeedback"),
    (
        Capability::UniformAndStorageBuffer16BitAccess,
        "uniformAndStorageBuffer16BitAccess",
    ),
    (
        Capability::UniformAndStorageBuffer8BitAccess,
        "uniformAndStorageBuffer8BitAccess",
    ),
    (
        Capability::UniformBufferArrayDynamicIndexing,
        "shaderUniformBufferArrayDynamicIndexing",
    ),
    (Capability::VulkanMemoryModel, "vulkanMemoryModel"),
];

/// Words before the first instruction.
const HEADER: usize = 5;
/// `OpCapability`
const OP_CAPABILITY: u32 = 17;

/// The features that a module needs, as far as they are known.
pub(super) fn needed_features(words: &[u32]) -> impl Iterator<Item = &'static str> + '_ {
    // Capabilities come first in a module, each an instruction of two words.
    let instructions = words.get(HEADER..).unwrap_or_default().chunks_exact(2);
    instructions
        .take_while(|pair| pair[0] == 2 << 16 | OP_CAPABILITY)
        .filter_map(|pair| {
            let mut rows = FEATURES.iter();
            let row = rows.find(|(capability, _)| *capability as u32 == pair[1]);
            row.map(|(_, feature)| *feature)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_follow_from_capabilities() {
        let capability = |capability: Capability| [2 << 16 | 17, capability as u32];
        let mut words = vec![0x0723_0203, 0x0001_0300, 0, 9, 0];
        words.extend(capability(Capability::Shader));
        words.extend(capability(Capability::GeometryStreams));
        words.extend(capability(Capability::Int64));
        // OpMemoryModel ends the list.
        words.extend([3 << 16 | 14, 0, 1]);
        words.extend(capability(Capability::Float64));
        let found: Vec<_> = needed_features(&words).collect();
        assert_eq!(found, ["geometryStreams", "shaderInt64"]);
        assert_eq!(needed_features(&[1, 2, 3]).count(), 0);
    }

    #[test]
    fn the_runner_knows_all_features() {
        let known = include_str!("../vk/features.rs");
        for (_, feature) in FEATURES {
            assert!(known.contains(&format!("\"{feature}\"")), "{feature}");
        }
    }
}
