/* Uses glasm_vulkan.h: every name of a feature is found in the structures of Vulkan, or is one that the header excepts. */

#include <vulkan/vulkan.h>

#include "checks.h"
#include "glasm_vulkan.h"

static int is_excepted(const char *name)
{
    return strncmp(name, "VK_", 3) == 0 || strncmp(name, "subgroup", 8) == 0 || strcmp(name, "shaderSMBuiltins") == 0 ||
        strcmp(name, "fullyCoveredFragmentShaderInputVariable") == 0;
}

int main(void)
{
    /* Each feature is in some structure, or is excepted; not both. */
    size_t count, member_count;
    const char *const *names = glasm_feature_names(&count);
    const glasm_vulkan_feature *members = glasm_vulkan_features(&member_count);
    for (size_t i = 0; i < count; i++) {
        int found = 0;
        for (size_t j = 0; j < member_count; j++)
            found += strcmp(members[j].name, names[i]) == 0;
        if ((found > 0) == is_excepted(names[i])) {
            printf("%s: %d members\n", names[i], found);
            failures++;
        }
    }

    VkPhysicalDeviceVulkan12Features vulkan12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceFeatures2 chain = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &vulkan12};
    const char *listed[4];
    CHECK(glasm_vulkan_list_features(&chain, listed, 4) == 0);
    CHECK(glasm_vulkan_enable_feature(&chain, "shaderInt64") && chain.features.shaderInt64);
    CHECK(glasm_vulkan_enable_feature(&chain, "shaderInt8") && vulkan12.shaderInt8);
    /* Its structure is not there; there is no such feature. */
    CHECK(!glasm_vulkan_enable_feature(&chain, "robustBufferAccess2") && !glasm_vulkan_enable_feature(&chain, "shaderInt63"));
    CHECK(glasm_vulkan_list_features(&chain, listed, 4) == 2);
    CHECK(strcmp(listed[0], "shaderInt64") == 0 && strcmp(listed[1], "shaderInt8") == 0);
    CHECK(glasm_vulkan_list_features(&chain, NULL, 0) == 2);

    /* The same feature in the structure of its extension. */
    VkPhysicalDeviceShaderFloat16Int8Features narrow = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES};
    chain.pNext = &narrow;
    CHECK(glasm_vulkan_enable_feature(&chain, "shaderInt8") && narrow.shaderInt8);

    /* The structures of versions, which contain those of single features. */
    VkPhysicalDeviceVulkan11Features vulkan11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
    VkPhysicalDeviceFeatures2 versions = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &vulkan11};
    CHECK(glasm_vulkan_enable_feature(&versions, "shaderDrawParameters") && vulkan11.shaderDrawParameters);
    CHECK(glasm_vulkan_enable_feature(&versions, "storageBuffer16BitAccess") && vulkan11.storageBuffer16BitAccess);
    CHECK(glasm_vulkan_list_features(&versions, NULL, 0) == 2);
#ifdef VK_VERSION_1_3
    VkPhysicalDeviceVulkan13Features vulkan13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    versions.pNext = &vulkan13;
    CHECK(glasm_vulkan_enable_feature(&versions, "shaderDemoteToHelperInvocation") && vulkan13.shaderDemoteToHelperInvocation);
#endif

    /* The names are those that options take. */
    glasm_program *program = load("!!ARBvp1.0\nMOV result.position, vertex.position;\nEND\n");
    glasm_options options;
    glasm_options_init(&options, sizeof options);
    options.features = listed;
    options.feature_count = glasm_vulkan_list_features(&chain, listed, 4);
    glasm_shader_free(compile(program, &options));
    glasm_program_free(program);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
