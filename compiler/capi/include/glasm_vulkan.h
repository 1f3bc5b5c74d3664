/* glasm with Vulkan: names of features in glasm_options as members of VkPhysicalDevice*Features.
 *
 * Generated from compiler/capi by its test `vulkan_header`: do not edit. SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Include it after <vulkan/vulkan.h>. To query a device, link the structures that it knows behind a VkPhysicalDeviceFeatures2, call
 * vkGetPhysicalDeviceFeatures2, and pass the result of glasm_vulkan_list_features as `features` of glasm_options. To create a device, link
 * empty structures, and call glasm_vulkan_enable_feature for the names that shaders need (`features` of a reflection), or for all
 * that were listed. Devices of Vulkan 1.2 have VkPhysicalDeviceVulkan12Features, those before the structures of extensions.
 * VkPhysicalDeviceVulkan11Features and VkPhysicalDeviceVulkan13Features are known, too: Vulkan does not allow them together with the
 * structures of the single features that they contain.
 *
 * Not members of these structures are: features whose names begin with VK_, which are extensions to enable; shaderSMBuiltins and
 * fullyCoveredFragmentShaderInputVariable, which have extensions of NVIDIA and a property; and names that begin with `subgroup`, which are
 * the properties subgroup_size, subgroup_stage_mask and subgroup_operation_mask of glasm_options, except shaderSubgroupClock.
 */

#ifndef GLASM_VULKAN_H
#define GLASM_VULKAN_H

#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A member of a structure of features. */
typedef struct glasm_vulkan_feature {
    /* Name of the feature in glasm_options. */
    const char *name;
    /* sType of the structure. */
    VkStructureType structure;
    /* Offset of the member, a VkBool32, in the structure. */
    size_t offset;
} glasm_vulkan_feature;

/* Returns the members; `count` is set to their number. A feature may be a member of two structures, which follow each other. */
static inline const glasm_vulkan_feature *glasm_vulkan_features(size_t *count)
{
    static const glasm_vulkan_feature features[] = {
        {"shaderFloat64", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.shaderFloat64)},
        {"shaderInt64", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.shaderInt64)},
        {"shaderInt16", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.shaderInt16)},
        {"shaderInt8", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
            offsetof(VkPhysicalDeviceVulkan12Features, shaderInt8)},
        {"shaderInt8", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
            offsetof(VkPhysicalDeviceShaderFloat16Int8Features, shaderInt8)},
        {"storageBuffer16BitAccess", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
            offsetof(VkPhysicalDevice16BitStorageFeatures, storageBuffer16BitAccess)},
        {"storageBuffer16BitAccess", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
            offsetof(VkPhysicalDeviceVulkan11Features, storageBuffer16BitAccess)},
        {"storageBuffer8BitAccess", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
            offsetof(VkPhysicalDeviceVulkan12Features, storageBuffer8BitAccess)},
        {"storageBuffer8BitAccess", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
            offsetof(VkPhysicalDevice8BitStorageFeatures, storageBuffer8BitAccess)},
        {"bufferDeviceAddress", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
            offsetof(VkPhysicalDeviceVulkan12Features, bufferDeviceAddress)},
        {"bufferDeviceAddress", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
            offsetof(VkPhysicalDeviceBufferDeviceAddressFeatures, bufferDeviceAddress)},
        {"shaderBufferInt64Atomics", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
            offsetof(VkPhysicalDeviceVulkan12Features, shaderBufferInt64Atomics)},
        {"shaderBufferInt64Atomics", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES,
            offsetof(VkPhysicalDeviceShaderAtomicInt64Features, shaderBufferInt64Atomics)},
        {"shaderSharedInt64Atomics", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
            offsetof(VkPhysicalDeviceVulkan12Features, shaderSharedInt64Atomics)},
        {"shaderSharedInt64Atomics", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES,
            offsetof(VkPhysicalDeviceShaderAtomicInt64Features, shaderSharedInt64Atomics)},
        {"shaderBufferFloat32AtomicAdd", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
            offsetof(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderBufferFloat32AtomicAdd)},
        {"shaderBufferFloat64AtomicAdd", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
            offsetof(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderBufferFloat64AtomicAdd)},
        {"shaderDrawParameters", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DRAW_PARAMETERS_FEATURES,
            offsetof(VkPhysicalDeviceShaderDrawParametersFeatures, shaderDrawParameters)},
        {"shaderDrawParameters", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
            offsetof(VkPhysicalDeviceVulkan11Features, shaderDrawParameters)},
        {"shaderDemoteToHelperInvocation", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES,
            offsetof(VkPhysicalDeviceShaderDemoteToHelperInvocationFeatures, shaderDemoteToHelperInvocation)},
#ifdef VK_VERSION_1_3
        {"shaderDemoteToHelperInvocation", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
            offsetof(VkPhysicalDeviceVulkan13Features, shaderDemoteToHelperInvocation)},
#endif
        {"imageCubeArray", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.imageCubeArray)},
        {"shaderImageGatherExtended", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.shaderImageGatherExtended)},
        {"shaderSampledImageArrayDynamicIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.shaderSampledImageArrayDynamicIndexing)},
        {"shaderSampledImageArrayNonUniformIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
            offsetof(VkPhysicalDeviceVulkan12Features, shaderSampledImageArrayNonUniformIndexing)},
        {"shaderSampledImageArrayNonUniformIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
            offsetof(VkPhysicalDeviceDescriptorIndexingFeatures, shaderSampledImageArrayNonUniformIndexing)},
        {"shaderUniformTexelBufferArrayDynamicIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
            offsetof(VkPhysicalDeviceVulkan12Features, shaderUniformTexelBufferArrayDynamicIndexing)},
        {"shaderUniformTexelBufferArrayDynamicIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
            offsetof(VkPhysicalDeviceDescriptorIndexingFeatures, shaderUniformTexelBufferArrayDynamicIndexing)},
        {"shaderUniformTexelBufferArrayNonUniformIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
            offsetof(VkPhysicalDeviceVulkan12Features, shaderUniformTexelBufferArrayNonUniformIndexing)},
        {"shaderUniformTexelBufferArrayNonUniformIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
            offsetof(VkPhysicalDeviceDescriptorIndexingFeatures, shaderUniformTexelBufferArrayNonUniformIndexing)},
        {"shaderUniformBufferArrayDynamicIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.shaderUniformBufferArrayDynamicIndexing)},
        {"shaderStorageBufferArrayDynamicIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.shaderStorageBufferArrayDynamicIndexing)},
        {"shaderUniformBufferArrayNonUniformIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
            offsetof(VkPhysicalDeviceVulkan12Features, shaderUniformBufferArrayNonUniformIndexing)},
        {"shaderUniformBufferArrayNonUniformIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
            offsetof(VkPhysicalDeviceDescriptorIndexingFeatures, shaderUniformBufferArrayNonUniformIndexing)},
        {"shaderStorageBufferArrayNonUniformIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
            offsetof(VkPhysicalDeviceVulkan12Features, shaderStorageBufferArrayNonUniformIndexing)},
        {"shaderStorageBufferArrayNonUniformIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
            offsetof(VkPhysicalDeviceDescriptorIndexingFeatures, shaderStorageBufferArrayNonUniformIndexing)},
        {"robustBufferAccess2", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
            offsetof(VkPhysicalDeviceRobustness2FeaturesEXT, robustBufferAccess2)},
        {"vertexPipelineStoresAndAtomics", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.vertexPipelineStoresAndAtomics)},
        {"fragmentStoresAndAtomics", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.fragmentStoresAndAtomics)},
        {"shaderClipDistance", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.shaderClipDistance)},
        {"shaderCullDistance", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.shaderCullDistance)},
        {"tessellationShader", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.tessellationShader)},
        {"geometryShader", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.geometryShader)},
        {"shaderTessellationAndGeometryPointSize", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.shaderTessellationAndGeometryPointSize)},
        {"shaderOutputLayer", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
            offsetof(VkPhysicalDeviceVulkan12Features, shaderOutputLayer)},
        {"shaderOutputViewportIndex", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
            offsetof(VkPhysicalDeviceVulkan12Features, shaderOutputViewportIndex)},
        {"multiViewport", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.multiViewport)},
        {"sampleRateShading", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.sampleRateShading)},
        {"transformFeedback", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
            offsetof(VkPhysicalDeviceTransformFeedbackFeaturesEXT, transformFeedback)},
        {"geometryStreams", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
            offsetof(VkPhysicalDeviceTransformFeedbackFeaturesEXT, geometryStreams)},
        {"shaderSubgroupClock", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR,
            offsetof(VkPhysicalDeviceShaderClockFeaturesKHR, shaderSubgroupClock)},
        {"shaderStorageImageMultisample", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.shaderStorageImageMultisample)},
        {"shaderStorageImageExtendedFormats", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.shaderStorageImageExtendedFormats)},
        {"shaderStorageImageReadWithoutFormat", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.shaderStorageImageReadWithoutFormat)},
        {"shaderStorageImageWriteWithoutFormat", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.shaderStorageImageWriteWithoutFormat)},
        {"shaderStorageImageArrayDynamicIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.shaderStorageImageArrayDynamicIndexing)},
        {"shaderStorageImageArrayNonUniformIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
            offsetof(VkPhysicalDeviceVulkan12Features, shaderStorageImageArrayNonUniformIndexing)},
        {"shaderStorageImageArrayNonUniformIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
            offsetof(VkPhysicalDeviceDescriptorIndexingFeatures, shaderStorageImageArrayNonUniformIndexing)},
        {"shaderStorageTexelBufferArrayDynamicIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
            offsetof(VkPhysicalDeviceVulkan12Features, shaderStorageTexelBufferArrayDynamicIndexing)},
        {"shaderStorageTexelBufferArrayDynamicIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
            offsetof(VkPhysicalDeviceDescriptorIndexingFeatures, shaderStorageTexelBufferArrayDynamicIndexing)},
        {"shaderStorageTexelBufferArrayNonUniformIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
            offsetof(VkPhysicalDeviceVulkan12Features, shaderStorageTexelBufferArrayNonUniformIndexing)},
        {"shaderStorageTexelBufferArrayNonUniformIndexing", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
            offsetof(VkPhysicalDeviceDescriptorIndexingFeatures, shaderStorageTexelBufferArrayNonUniformIndexing)},
        {"fragmentShaderPixelInterlock", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADER_INTERLOCK_FEATURES_EXT,
            offsetof(VkPhysicalDeviceFragmentShaderInterlockFeaturesEXT, fragmentShaderPixelInterlock)},
        {"fragmentShaderSampleInterlock", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADER_INTERLOCK_FEATURES_EXT,
            offsetof(VkPhysicalDeviceFragmentShaderInterlockFeaturesEXT, fragmentShaderSampleInterlock)},
        {"shaderResourceResidency", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.shaderResourceResidency)},
        {"shaderResourceMinLod", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
            offsetof(VkPhysicalDeviceFeatures2, features.shaderResourceMinLod)},
    };
    *count = sizeof features / sizeof *features;
    return features;
}

/* Returns the member of a feature in the first structure of a chain that has it; NULL if none of them has it. */
static inline VkBool32 *glasm_vulkan_find_feature(VkPhysicalDeviceFeatures2 *chain, const char *name)
{
    size_t count;
    const glasm_vulkan_feature *features = glasm_vulkan_features(&count);
    for (VkBaseOutStructure *structure = (VkBaseOutStructure *)chain; structure != NULL; structure = structure->pNext)
        for (size_t i = 0; i < count; i++)
            if (features[i].structure == structure->sType && strcmp(features[i].name, name) == 0)
                return (VkBool32 *)(void *)((char *)structure + features[i].offset);
    return NULL;
}

/* Enables a feature in the structures of a chain. Returns VK_FALSE if none of them has it. */
static inline VkBool32 glasm_vulkan_enable_feature(VkPhysicalDeviceFeatures2 *chain, const char *name)
{
    VkBool32 *member = glasm_vulkan_find_feature(chain, name);
    if (member == NULL)
        return VK_FALSE;
    *member = VK_TRUE;
    return VK_TRUE;
}

/* Writes the names of the features that are set in the structures of a chain, as many as fit. Returns the number of all of them. The names
 * are valid for ever. */
static inline size_t glasm_vulkan_list_features(VkPhysicalDeviceFeatures2 *chain, const char **names, size_t capacity)
{
    size_t count, found = 0;
    const glasm_vulkan_feature *features = glasm_vulkan_features(&count);
    for (size_t i = 0; i < count; i++) {
        /* The members of one feature follow each other. */
        if (i > 0 && strcmp(features[i].name, features[i - 1].name) == 0)
            continue;
        const VkBool32 *member = glasm_vulkan_find_feature(chain, features[i].name);
        if (member == NULL || *member == VK_FALSE)
            continue;
        if (found < capacity)
            names[found] = features[i].name;
        found++;
    }
    return found;
}

#ifdef __cplusplus
}
#endif

#endif /* GLASM_VULKAN_H */
