/* glasm with Vulkan: names of features in glasm_options as members of VkPhysicalDevice*Features, structures of glasm.h as those of Vulkan, and
 * numbers of OpenGL as those of Vulkan. No function calls Vulkan.
 *
 * Generated from compiler/capi/templates/glasm_vulkan.h by the test `vulkan_header`: do not edit. SPDX-License-Identifier: MIT OR Apache-2.0
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
 * the properties subgroup_size, subgroup_stage_mask and subgroup_operation_mask of glasm_options, except shaderSubgroupClock. Devices of
 * Vulkan 1.1 with VK_EXT_shader_viewport_index_layer have shaderOutputLayer and shaderOutputViewportIndex. Add the names of such features
 * that the application enables to `features` of glasm_options: programs that need a feature that is not in that list are rejected.
 */

#ifndef GLASM_VULKAN_H
#define GLASM_VULKAN_H

#ifndef VK_VERSION_1_2
#error "include <vulkan/vulkan.h> of Vulkan 1.2 or newer before <glasm_vulkan.h>"
#endif

#include "glasm.h"

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
@FEATURES@
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

/* The list functions below write as many elements as fit, and return the number of all of them: call them with NULL and 0 for the number. */

/* Returns the structure that creates the module of a shader, which points to the words of the shader. */
static inline VkShaderModuleCreateInfo glasm_vulkan_make_module_info(const glasm_shader *shader)
{
    VkShaderModuleCreateInfo info;
    size_t count;
    memset(&info, 0, sizeof info);
    info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    info.pCode = glasm_shader_spirv(shader, &count);
    info.codeSize = 4 * count;
    return info;
}

/* Returns a stage of a pipeline: its stage and its entry point, whose name belongs to the shader. `specialization` may be NULL. */
static inline VkPipelineShaderStageCreateInfo glasm_vulkan_make_stage_info(
    const glasm_shader *shader, VkShaderModule module, const VkSpecializationInfo *specialization)
{
    VkPipelineShaderStageCreateInfo info;
    memset(&info, 0, sizeof info);
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage = (VkShaderStageFlagBits)(1u << glasm_shader_stage(shader));
    info.module = module;
    info.pName = glasm_shader_reflection(shader)->entry_point;
    info.pSpecializationInfo = specialization;
    return info;
}

/* Lists the specialization constants of a shader. Their data are the words of glasm_options_write_state_block. */
static inline size_t glasm_vulkan_list_spec_constants(const glasm_shader *shader, VkSpecializationMapEntry *entries, size_t capacity)
{
    const glasm_reflection *reflection = glasm_shader_reflection(shader);
    for (size_t i = 0; i < reflection->state_spec_constant_count && i < capacity; i++) {
        entries[i].constantID = reflection->state_spec_constants[i].id;
        entries[i].offset = 4 * reflection->state_spec_constants[i].word_index;
        entries[i].size = 4;
    }
    return reflection->state_spec_constant_count;
}

/* Returns the structure that creates a descriptor set layout. Its bindings are those of `set`, which must be there as long as they are used. */
static inline VkDescriptorSetLayoutCreateInfo glasm_vulkan_make_set_layout_info(const glasm_set_layout *set)
{
    /* An array of negative size if the structures differ. */
    typedef char glasm_vulkan_is_same_layout[
        sizeof(glasm_set_layout_binding) == sizeof(VkDescriptorSetLayoutBinding) &&
        offsetof(glasm_set_layout_binding, binding) == offsetof(VkDescriptorSetLayoutBinding, binding) &&
        offsetof(glasm_set_layout_binding, descriptor_type) == offsetof(VkDescriptorSetLayoutBinding, descriptorType) &&
        offsetof(glasm_set_layout_binding, descriptor_count) == offsetof(VkDescriptorSetLayoutBinding, descriptorCount) &&
        offsetof(glasm_set_layout_binding, stage_flags) == offsetof(VkDescriptorSetLayoutBinding, stageFlags) &&
        offsetof(glasm_set_layout_binding, immutable_samplers) == offsetof(VkDescriptorSetLayoutBinding, pImmutableSamplers) ? 1 : -1];
    VkDescriptorSetLayoutCreateInfo info;
    memset(&info, 0, sizeof info);
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    info.bindingCount = (uint32_t)(set->binding_count * sizeof(glasm_vulkan_is_same_layout));
    info.pBindings = (const VkDescriptorSetLayoutBinding *)(const void *)set->bindings;
    return info;
}

/* Lists the descriptors that one set of each of these layouts takes from a pool, for VkDescriptorPoolCreateInfo. There are at most as many
 * elements as bindings. */
static inline size_t glasm_vulkan_list_pool_sizes(
    const glasm_set_layout *sets, size_t set_count, VkDescriptorPoolSize *sizes, size_t capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < set_count; i++)
        for (size_t j = 0; j < sets[i].binding_count; j++, count++)
            if (count < capacity) {
                sizes[count].type = (VkDescriptorType)sets[i].bindings[j].descriptor_type;
                sizes[count].descriptorCount = sets[i].bindings[j].descriptor_count;
            }
    return count;
}

/* Returns the format of the type that a module reads an input as. Vulkan converts normalized integers to floats, and adds (0, 0, 0, 1) to
 * shorter vectors, so a caller may use other formats of the same type. */
static inline VkFormat glasm_vulkan_get_input_format(const glasm_interface_variable *input)
{
    static const VkFormat formats[4][4] = {
        {VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_R32G32B32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT},
        {VK_FORMAT_R32_SINT, VK_FORMAT_R32G32_SINT, VK_FORMAT_R32G32B32_SINT, VK_FORMAT_R32G32B32A32_SINT},
        {VK_FORMAT_R32_UINT, VK_FORMAT_R32G32_UINT, VK_FORMAT_R32G32B32_UINT, VK_FORMAT_R32G32B32A32_UINT},
        {VK_FORMAT_R64_SFLOAT, VK_FORMAT_R64G64_SFLOAT, VK_FORMAT_R64G64B64_SFLOAT, VK_FORMAT_R64G64B64A64_SFLOAT},
    };
    if ((uint32_t)input->scalar_type > 3 || input->component_count - 1 > 3)
        return VK_FORMAT_UNDEFINED;
    return formats[input->scalar_type][input->component_count - 1];
}

/* Lists the vertex attributes of a shader with their locations and formats (glasm_vulkan_get_input_format), each at the start of the vertex
 * buffer of the same number; callers with other buffers change `binding`, `offset` and `format`. */
static inline size_t glasm_vulkan_list_attributes(
    const glasm_shader *vertex_shader, VkVertexInputAttributeDescription *attributes, size_t capacity)
{
    const glasm_reflection *reflection = glasm_shader_reflection(vertex_shader);
    size_t count = 0;
    for (size_t i = 0; i < reflection->input_count; i++) {
        const glasm_interface_variable *input = &reflection->inputs[i];
        if (input->location == GLASM_LOCATION_BUILT_IN)
            continue;
        if (count < capacity) {
            attributes[count].location = input->location;
            attributes[count].binding = input->location;
            attributes[count].format = glasm_vulkan_get_input_format(input);
            attributes[count].offset = 0;
        }
        count++;
    }
    return count;
}

/* Returns the type of the views of the textures and images of a target; VK_IMAGE_VIEW_TYPE_MAX_ENUM for buffers, which have buffer views. */
static inline VkImageViewType glasm_vulkan_get_view_type(glasm_texture_target target)
{
    switch (target) {
    case GLASM_TEXTURE_TARGET_1D: return VK_IMAGE_VIEW_TYPE_1D;
    case GLASM_TEXTURE_TARGET_2D:
    case GLASM_TEXTURE_TARGET_RECT:
    case GLASM_TEXTURE_TARGET_2D_MULTISAMPLE: return VK_IMAGE_VIEW_TYPE_2D;
    case GLASM_TEXTURE_TARGET_3D: return VK_IMAGE_VIEW_TYPE_3D;
    case GLASM_TEXTURE_TARGET_CUBE: return VK_IMAGE_VIEW_TYPE_CUBE;
    case GLASM_TEXTURE_TARGET_1D_ARRAY: return VK_IMAGE_VIEW_TYPE_1D_ARRAY;
    case GLASM_TEXTURE_TARGET_2D_ARRAY:
    case GLASM_TEXTURE_TARGET_2D_MULTISAMPLE_ARRAY: return VK_IMAGE_VIEW_TYPE_2D_ARRAY;
    case GLASM_TEXTURE_TARGET_CUBE_ARRAY: return VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    default: return VK_IMAGE_VIEW_TYPE_MAX_ENUM;
    }
}

/* The functions below take numbers of OpenGL. They return the _MAX_ENUM of their type for numbers that OpenGL does not allow there. */

/* Returns the comparison of a function such as GL_LEQUAL (glDepthFunc, glStencilFunc, GL_TEXTURE_COMPARE_FUNC). */
static inline VkCompareOp glasm_vulkan_convert_compare_function(uint32_t function)
{
    return function - 0x0200u <= 7 ? (VkCompareOp)(function - 0x0200u) : VK_COMPARE_OP_MAX_ENUM;
}

/* Returns the operation of a result of the stencil test (glStencilOp). */
static inline VkStencilOp glasm_vulkan_convert_stencil_operation(uint32_t operation)
{
    switch (operation) {
    case 0x1E00 /* GL_KEEP */: return VK_STENCIL_OP_KEEP;
    case 0 /* GL_ZERO */: return VK_STENCIL_OP_ZERO;
    case 0x1E01 /* GL_REPLACE */: return VK_STENCIL_OP_REPLACE;
    case 0x1E02 /* GL_INCR */: return VK_STENCIL_OP_INCREMENT_AND_CLAMP;
    case 0x1E03 /* GL_DECR */: return VK_STENCIL_OP_DECREMENT_AND_CLAMP;
    case 0x150A /* GL_INVERT */: return VK_STENCIL_OP_INVERT;
    case 0x8507 /* GL_INCR_WRAP */: return VK_STENCIL_OP_INCREMENT_AND_WRAP;
    case 0x8508 /* GL_DECR_WRAP */: return VK_STENCIL_OP_DECREMENT_AND_WRAP;
    default: return VK_STENCIL_OP_MAX_ENUM;
    }
}

/* Returns a logic operation (glLogicOp). */
static inline VkLogicOp glasm_vulkan_convert_logic_operation(uint32_t operation)
{
    /* GL_CLEAR to GL_SET, in the order of Vulkan. */
    return operation - 0x1500u <= 15 ? (VkLogicOp)(operation - 0x1500u) : VK_LOGIC_OP_MAX_ENUM;
}

/* Returns a factor of blending (glBlendFuncSeparate). */
static inline VkBlendFactor glasm_vulkan_convert_blend_factor(uint32_t factor)
{
    switch (factor) {
    case 0 /* GL_ZERO */: return VK_BLEND_FACTOR_ZERO;
    case 1 /* GL_ONE */: return VK_BLEND_FACTOR_ONE;
    case 0x0300 /* GL_SRC_COLOR */: return VK_BLEND_FACTOR_SRC_COLOR;
    case 0x0301 /* GL_ONE_MINUS_SRC_COLOR */: return VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR;
    case 0x0302 /* GL_SRC_ALPHA */: return VK_BLEND_FACTOR_SRC_ALPHA;
    case 0x0303 /* GL_ONE_MINUS_SRC_ALPHA */: return VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
    case 0x0304 /* GL_DST_ALPHA */: return VK_BLEND_FACTOR_DST_ALPHA;
    case 0x0305 /* GL_ONE_MINUS_DST_ALPHA */: return VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA;
    case 0x0306 /* GL_DST_COLOR */: return VK_BLEND_FACTOR_DST_COLOR;
    case 0x0307 /* GL_ONE_MINUS_DST_COLOR */: return VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR;
    case 0x0308 /* GL_SRC_ALPHA_SATURATE */: return VK_BLEND_FACTOR_SRC_ALPHA_SATURATE;
    case 0x8001 /* GL_CONSTANT_COLOR */: return VK_BLEND_FACTOR_CONSTANT_COLOR;
    case 0x8002 /* GL_ONE_MINUS_CONSTANT_COLOR */: return VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR;
    case 0x8003 /* GL_CONSTANT_ALPHA */: return VK_BLEND_FACTOR_CONSTANT_ALPHA;
    case 0x8004 /* GL_ONE_MINUS_CONSTANT_ALPHA */: return VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA;
    case 0x88F9 /* GL_SRC1_COLOR */: return VK_BLEND_FACTOR_SRC1_COLOR;
    case 0x88FA /* GL_ONE_MINUS_SRC1_COLOR */: return VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR;
    case 0x8589 /* GL_SRC1_ALPHA */: return VK_BLEND_FACTOR_SRC1_ALPHA;
    case 0x88FB /* GL_ONE_MINUS_SRC1_ALPHA */: return VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA;
    default: return VK_BLEND_FACTOR_MAX_ENUM;
    }
}

/* Returns an equation of blending (glBlendEquationSeparate). */
static inline VkBlendOp glasm_vulkan_convert_blend_equation(uint32_t equation)
{
    switch (equation) {
    case 0x8006 /* GL_FUNC_ADD */: return VK_BLEND_OP_ADD;
    case 0x8007 /* GL_MIN */: return VK_BLEND_OP_MIN;
    case 0x8008 /* GL_MAX */: return VK_BLEND_OP_MAX;
    case 0x800A /* GL_FUNC_SUBTRACT */: return VK_BLEND_OP_SUBTRACT;
    case 0x800B /* GL_FUNC_REVERSE_SUBTRACT */: return VK_BLEND_OP_REVERSE_SUBTRACT;
    default: return VK_BLEND_OP_MAX_ENUM;
    }
}

/* Returns the topology of a mode of glBegin and glDrawArrays. GL_LINE_LOOP is a strip whose first vertex the caller repeats at the end,
 * GL_QUADS, GL_QUAD_STRIP and GL_POLYGON are lists of triangles that the caller creates with an index buffer. */
static inline VkPrimitiveTopology glasm_vulkan_convert_primitive_mode(uint32_t mode)
{
    switch (mode) {
    case 0 /* GL_POINTS */: return VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    case 1 /* GL_LINES */: return VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    case 2 /* GL_LINE_LOOP */:
    case 3 /* GL_LINE_STRIP */: return VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
    case 4 /* GL_TRIANGLES */:
    case 7 /* GL_QUADS */:
    case 8 /* GL_QUAD_STRIP */:
    case 9 /* GL_POLYGON */: return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    case 5 /* GL_TRIANGLE_STRIP */: return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
    case 6 /* GL_TRIANGLE_FAN */: return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
    case 0xA /* GL_LINES_ADJACENCY */: return VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY;
    case 0xB /* GL_LINE_STRIP_ADJACENCY */: return VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY;
    case 0xC /* GL_TRIANGLES_ADJACENCY */: return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY;
    case 0xD /* GL_TRIANGLE_STRIP_ADJACENCY */: return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY;
    case 0xE /* GL_PATCHES */: return VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
    default: return VK_PRIMITIVE_TOPOLOGY_MAX_ENUM;
    }
}

/* Returns the faces that are culled (glCullFace), for an enabled GL_CULL_FACE. */
static inline VkCullModeFlags glasm_vulkan_convert_cull_face(uint32_t face)
{
    switch (face) {
    case 0x0404 /* GL_FRONT */: return VK_CULL_MODE_FRONT_BIT;
    case 0x0405 /* GL_BACK */: return VK_CULL_MODE_BACK_BIT;
    case 0x0408 /* GL_FRONT_AND_BACK */: return VK_CULL_MODE_FRONT_AND_BACK;
    default: return VK_CULL_MODE_FLAG_BITS_MAX_ENUM;
    }
}

/* Returns the orientation of front faces (glFrontFace) for glasm_options_use_opengl_conventions, with which row 0 of images is the bottom:
 * counterclockwise in OpenGL is clockwise there. With a viewport of negative height it is the other one. */
static inline VkFrontFace glasm_vulkan_convert_front_face(uint32_t orientation)
{
    switch (orientation) {
    case 0x0900 /* GL_CW */: return VK_FRONT_FACE_COUNTER_CLOCKWISE;
    case 0x0901 /* GL_CCW */: return VK_FRONT_FACE_CLOCKWISE;
    default: return VK_FRONT_FACE_MAX_ENUM;
    }
}

/* Returns a mode of polygons (glPolygonMode). */
static inline VkPolygonMode glasm_vulkan_convert_polygon_mode(uint32_t mode)
{
    switch (mode) {
    case 0x1B00 /* GL_POINT */: return VK_POLYGON_MODE_POINT;
    case 0x1B01 /* GL_LINE */: return VK_POLYGON_MODE_LINE;
    case 0x1B02 /* GL_FILL */: return VK_POLYGON_MODE_FILL;
    default: return VK_POLYGON_MODE_MAX_ENUM;
    }
}

/* Converts GL_TEXTURE_MIN_FILTER or GL_TEXTURE_MAG_FILTER: the filters of a sampler. Without mipmaps `mipmap_mode` is nearest, and maxLod must
 * be 0.25; it may be NULL. Returns VK_FILTER_MAX_ENUM for other numbers. glasm_texture_wrap_from_gl returns what programs need of them. */
static inline VkFilter glasm_vulkan_convert_filter(uint32_t filter, VkSamplerMipmapMode *mipmap_mode)
{
    /* Bit 0 is linear within a level, bit 1 between levels, bit 8 a filter with mipmaps. */
    if (filter - 0x2600u > 1 && filter - 0x2700u > 3)
        return VK_FILTER_MAX_ENUM;
    if (mipmap_mode != NULL)
        *mipmap_mode = filter & 2 ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST;
    return filter & 1 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
}

/* Converts GL_TEXTURE_WRAP_S, _T or _R: the address mode of a sampler. Modes that samplers lack need `texture_wraps` of the options
 * (glasm_texture_wrap_from_gl). Returns VK_SAMPLER_ADDRESS_MODE_MAX_ENUM for other numbers. */
static inline VkSamplerAddressMode glasm_vulkan_convert_wrap(uint32_t wrap)
{
    switch (wrap) {
    case 0x2900 /* GL_CLAMP */:
    case 0x812D /* GL_CLAMP_TO_BORDER */:
    case 0x8742 /* GL_MIRROR_CLAMP_EXT */:
    case 0x8912 /* GL_MIRROR_CLAMP_TO_BORDER_EXT */: return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
    case 0x2901 /* GL_REPEAT */: return VK_SAMPLER_ADDRESS_MODE_REPEAT;
    case 0x812F /* GL_CLAMP_TO_EDGE */:
    case 0x8743 /* GL_MIRROR_CLAMP_TO_EDGE */: return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    case 0x8370 /* GL_MIRRORED_REPEAT */: return VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
    default: return VK_SAMPLER_ADDRESS_MODE_MAX_ENUM;
    }
}

/* Returns the format of a vertex attribute (glVertexAttribPointer) for programs that read floats: components of OpenGL's type, which integers
 * become as numbers, or from 0 to 1 or -1 to 1 if they are normalized. VK_FORMAT_UNDEFINED if there is none: GL_DOUBLE, 32-bit integers and
 * GL_FIXED, which the caller converts. Devices need not support all formats of vertex buffers that this function returns. */
static inline VkFormat glasm_vulkan_convert_attribute_format(uint32_t type, uint32_t component_count, VkBool32 is_normalized)
{
    /* By number of components: normalized formats, then scaled ones. */
    static const VkFormat bytes[4][4] = {
        {VK_FORMAT_R8_SNORM, VK_FORMAT_R8G8_SNORM, VK_FORMAT_R8G8B8_SNORM, VK_FORMAT_R8G8B8A8_SNORM},
        {VK_FORMAT_R8_SSCALED, VK_FORMAT_R8G8_SSCALED, VK_FORMAT_R8G8B8_SSCALED, VK_FORMAT_R8G8B8A8_SSCALED},
        {VK_FORMAT_R8_UNORM, VK_FORMAT_R8G8_UNORM, VK_FORMAT_R8G8B8_UNORM, VK_FORMAT_R8G8B8A8_UNORM},
        {VK_FORMAT_R8_USCALED, VK_FORMAT_R8G8_USCALED, VK_FORMAT_R8G8B8_USCALED, VK_FORMAT_R8G8B8A8_USCALED},
    };
    static const VkFormat shorts[4][4] = {
        {VK_FORMAT_R16_SNORM, VK_FORMAT_R16G16_SNORM, VK_FORMAT_R16G16B16_SNORM, VK_FORMAT_R16G16B16A16_SNORM},
        {VK_FORMAT_R16_SSCALED, VK_FORMAT_R16G16_SSCALED, VK_FORMAT_R16G16B16_SSCALED, VK_FORMAT_R16G16B16A16_SSCALED},
        {VK_FORMAT_R16_UNORM, VK_FORMAT_R16G16_UNORM, VK_FORMAT_R16G16B16_UNORM, VK_FORMAT_R16G16B16A16_UNORM},
        {VK_FORMAT_R16_USCALED, VK_FORMAT_R16G16_USCALED, VK_FORMAT_R16G16B16_USCALED, VK_FORMAT_R16G16B16A16_USCALED},
    };
    static const VkFormat floats[2][4] = {
        {VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_R32G32B32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT},
        {VK_FORMAT_R16_SFLOAT, VK_FORMAT_R16G16_SFLOAT, VK_FORMAT_R16G16B16_SFLOAT, VK_FORMAT_R16G16B16A16_SFLOAT},
    };
    if (component_count == 0x80E1 /* GL_BGRA */) {
        if (!is_normalized)
            return VK_FORMAT_UNDEFINED;
        switch (type) {
        case 0x1401 /* GL_UNSIGNED_BYTE */: return VK_FORMAT_B8G8R8A8_UNORM;
        case 0x8368 /* GL_UNSIGNED_INT_2_10_10_10_REV */: return VK_FORMAT_A2R10G10B10_UNORM_PACK32;
        case 0x8D9F /* GL_INT_2_10_10_10_REV */: return VK_FORMAT_A2R10G10B10_SNORM_PACK32;
        default: return VK_FORMAT_UNDEFINED;
        }
    }
    /* Types with all components in one integer have one number of components. */
    if (type == 0x8368 && component_count == 4)
        return is_normalized ? VK_FORMAT_A2B10G10R10_UNORM_PACK32 : VK_FORMAT_A2B10G10R10_USCALED_PACK32;
    if (type == 0x8D9F && component_count == 4)
        return is_normalized ? VK_FORMAT_A2B10G10R10_SNORM_PACK32 : VK_FORMAT_A2B10G10R10_SSCALED_PACK32;
    if (type == 0x8C3B /* GL_UNSIGNED_INT_10F_11F_11F_REV */ && component_count == 3)
        return VK_FORMAT_B10G11R11_UFLOAT_PACK32;
    uint32_t last = component_count - 1;
    if (last > 3)
        return VK_FORMAT_UNDEFINED;
    switch (type) {
    case 0x1400 /* GL_BYTE */: return bytes[is_normalized ? 0 : 1][last];
    case 0x1401 /* GL_UNSIGNED_BYTE */: return bytes[is_normalized ? 2 : 3][last];
    case 0x1402 /* GL_SHORT */: return shorts[is_normalized ? 0 : 1][last];
    case 0x1403 /* GL_UNSIGNED_SHORT */: return shorts[is_normalized ? 2 : 3][last];
    case 0x1406 /* GL_FLOAT */: return floats[0][last];
    case 0x140B /* GL_HALF_FLOAT */: return floats[1][last];
    default: return VK_FORMAT_UNDEFINED;
    }
}

#ifdef __cplusplus
}
#endif

#endif /* GLASM_VULKAN_H */
