/* Uses glasm_vulkan.h: every name of a feature is found in the structures of Vulkan, or is one that the header excepts; structures and numbers are
 * those of Vulkan, where OpenGL's come from its own headers. */

#include <vulkan/vulkan.h>

#include "checks.h"
#include "glasm_vulkan.h"

#if defined(__has_include) && __has_include(<GL/gl.h>) && __has_include(<GL/glext.h>)
#include <GL/gl.h>
#include <GL/glext.h>
#endif

static int is_excepted(const char *name)
{
    return strncmp(name, "VK_", 3) == 0 || strncmp(name, "subgroup", 8) == 0 || strcmp(name, "shaderSMBuiltins") == 0 ||
        strcmp(name, "fullyCoveredFragmentShaderInputVariable") == 0;
}

static void test_structures(void)
{
    const glasm_program *programs[2] = {
        load("!!NVvp4.0\nINT ATTRIB a = vertex.attrib[3];\nTEMP t;\nI2F t, a;\nADD result.position, t, vertex.position;\n"
             "MOV result.color, program.local[0];\nEND\n"),
        load("!!ARBfp1.0\nTEMP t;\nTEX t, fragment.texcoord[0], texture[5], 2D;\nMUL result.color, fragment.color, t;\nEND\n"),
    };
    glasm_options options;
    glasm_options_init(&options, sizeof options);
    const uint32_t types[] = {0, 0, 0, GLASM_BASE_TYPE_SIGNED_INT};
    options.attribute_types = types;
    options.attribute_type_count = 4;
    options.state_sources.alpha_test = GLASM_STATE_SOURCE_SPEC_CONSTANT;
    options.alpha_function = GLASM_COMPARE_FUNCTION_GREATER;
    options.alpha_reference = 0.5f;
    glasm_pipeline *pipeline;
    CHECK(glasm_pipeline_link(NULL, programs, 2, &options, &pipeline) == GLASM_RESULT_OK);
    const glasm_shader *vertex = glasm_pipeline_shader(pipeline, GLASM_STAGE_VERTEX);
    const glasm_shader *fragment = glasm_pipeline_shader(pipeline, GLASM_STAGE_FRAGMENT);

    VkShaderModuleCreateInfo module = glasm_vulkan_make_module_info(vertex);
    CHECK(module.sType == VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO && module.pNext == NULL && module.flags == 0);
    size_t word_count;
    CHECK(module.pCode == glasm_shader_spirv(vertex, &word_count) && module.codeSize == 4 * word_count);
    VkPipelineShaderStageCreateInfo stage = glasm_vulkan_make_stage_info(fragment, VK_NULL_HANDLE, NULL);
    CHECK(stage.sType == VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO && stage.stage == VK_SHADER_STAGE_FRAGMENT_BIT);
    CHECK(strcmp(stage.pName, "main") == 0 && stage.pSpecializationInfo == NULL);
    CHECK(glasm_vulkan_make_stage_info(vertex, VK_NULL_HANDLE, NULL).stage == VK_SHADER_STAGE_VERTEX_BIT);

    /* The words of the constants are those of the state: the function, and the bits of the reference. */
    uint32_t words[GLASM_STATE_BLOCK_WORDS];
    CHECK(glasm_options_write_state_block(&options, words) == GLASM_RESULT_OK);
    VkSpecializationMapEntry entries[4];
    CHECK(glasm_vulkan_list_spec_constants(vertex, entries, 4) == 0 && glasm_vulkan_list_spec_constants(fragment, entries, 4) == 2);
    const float reference = 0.5f;
    for (int i = 0; i < 2; i++) {
        const unsigned char *bytes = (const unsigned char *)words + entries[i].offset;
        const uint32_t function = VK_COMPARE_OP_GREATER;
        CHECK(entries[i].size == 4 && (memcmp(bytes, &function, 4) == 0 || memcmp(bytes, &reference, 4) == 0));
    }
    CHECK(entries[0].constantID != entries[1].constantID && entries[0].offset != entries[1].offset);

    const glasm_set_layout *sets;
    size_t count;
    CHECK(glasm_pipeline_set_layouts(pipeline, &sets, &count) == GLASM_RESULT_OK && count == 2);
    VkDescriptorSetLayoutCreateInfo layouts[2] = {glasm_vulkan_make_set_layout_info(&sets[0]), glasm_vulkan_make_set_layout_info(&sets[1])};
    CHECK(layouts[0].sType == VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO && layouts[0].pNext == NULL && layouts[0].flags == 0);
    CHECK(layouts[0].bindingCount == 1 && layouts[1].bindingCount == 1);
    VkDescriptorSetLayoutBinding bindings[2] = {layouts[0].pBindings[0], layouts[1].pBindings[0]};
    CHECK(bindings[0].descriptorType == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER && bindings[0].stageFlags == VK_SHADER_STAGE_VERTEX_BIT);
    CHECK(bindings[1].binding == 5 && bindings[1].descriptorType == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER && bindings[1].descriptorCount == 1);
    CHECK(bindings[1].stageFlags == VK_SHADER_STAGE_FRAGMENT_BIT && bindings[1].pImmutableSamplers == NULL);
    VkDescriptorPoolSize sizes[2];
    CHECK(glasm_vulkan_list_pool_sizes(sets, count, NULL, 0) == 2 && glasm_vulkan_list_pool_sizes(sets, count, sizes, 2) == 2);
    CHECK(sizes[0].type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER && sizes[1].type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER && sizes[1].descriptorCount == 1);

    VkVertexInputAttributeDescription attributes[2];
    CHECK(glasm_vulkan_list_attributes(vertex, attributes, 2) == 2 && glasm_vulkan_list_attributes(vertex, NULL, 0) == 2);
    for (int i = 0; i < 2; i++) {
        VkFormat format = attributes[i].location == 3 ? VK_FORMAT_R32G32B32A32_SINT : VK_FORMAT_R32G32B32A32_SFLOAT;
        CHECK(attributes[i].format == format && attributes[i].binding == attributes[i].location && attributes[i].offset == 0);
    }
    CHECK(attributes[0].location + attributes[1].location == 3);
    glasm_interface_variable input = glasm_shader_reflection(vertex)->inputs[0];
    input.component_count = 0;
    CHECK(glasm_vulkan_get_input_format(&input) == VK_FORMAT_UNDEFINED);
    CHECK(glasm_vulkan_get_view_type(glasm_shader_reflection(fragment)->textures[0].target) == VK_IMAGE_VIEW_TYPE_2D);
    CHECK(glasm_vulkan_get_view_type(GLASM_TEXTURE_TARGET_RECT) == VK_IMAGE_VIEW_TYPE_2D);
    CHECK(glasm_vulkan_get_view_type(GLASM_TEXTURE_TARGET_CUBE_ARRAY) == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY);
    CHECK(glasm_vulkan_get_view_type(GLASM_TEXTURE_TARGET_BUFFER) == VK_IMAGE_VIEW_TYPE_MAX_ENUM);

    glasm_pipeline_free(pipeline);
    for (int i = 0; i < 2; i++)
        glasm_program_free((glasm_program *)programs[i]);
}

#ifdef GL_PATCHES
static void test_numbers_of_opengl(void)
{
#define SAME(function, gl, vk) CHECK(glasm_vulkan_convert_##function(GL_##gl) == VK_##vk)
    SAME(compare_function, NEVER, COMPARE_OP_NEVER);
    SAME(compare_function, LEQUAL, COMPARE_OP_LESS_OR_EQUAL);
    SAME(compare_function, NOTEQUAL, COMPARE_OP_NOT_EQUAL);
    SAME(compare_function, GEQUAL, COMPARE_OP_GREATER_OR_EQUAL);
    SAME(compare_function, ALWAYS, COMPARE_OP_ALWAYS);
    SAME(compare_function, KEEP, COMPARE_OP_MAX_ENUM);
    SAME(stencil_operation, KEEP, STENCIL_OP_KEEP);
    SAME(stencil_operation, ZERO, STENCIL_OP_ZERO);
    SAME(stencil_operation, REPLACE, STENCIL_OP_REPLACE);
    SAME(stencil_operation, INCR, STENCIL_OP_INCREMENT_AND_CLAMP);
    SAME(stencil_operation, DECR, STENCIL_OP_DECREMENT_AND_CLAMP);
    SAME(stencil_operation, INVERT, STENCIL_OP_INVERT);
    SAME(stencil_operation, INCR_WRAP, STENCIL_OP_INCREMENT_AND_WRAP);
    SAME(stencil_operation, DECR_WRAP, STENCIL_OP_DECREMENT_AND_WRAP);
    SAME(stencil_operation, ALWAYS, STENCIL_OP_MAX_ENUM);
    SAME(logic_operation, CLEAR, LOGIC_OP_CLEAR);
    SAME(logic_operation, AND_REVERSE, LOGIC_OP_AND_REVERSE);
    SAME(logic_operation, COPY, LOGIC_OP_COPY);
    SAME(logic_operation, EQUIV, LOGIC_OP_EQUIVALENT);
    SAME(logic_operation, OR_INVERTED, LOGIC_OP_OR_INVERTED);
    SAME(logic_operation, SET, LOGIC_OP_SET);
    SAME(logic_operation, KEEP, LOGIC_OP_MAX_ENUM);
    SAME(blend_factor, ZERO, BLEND_FACTOR_ZERO);
    SAME(blend_factor, ONE, BLEND_FACTOR_ONE);
    SAME(blend_factor, SRC_COLOR, BLEND_FACTOR_SRC_COLOR);
    SAME(blend_factor, ONE_MINUS_SRC_COLOR, BLEND_FACTOR_ONE_MINUS_SRC_COLOR);
    SAME(blend_factor, DST_COLOR, BLEND_FACTOR_DST_COLOR);
    SAME(blend_factor, ONE_MINUS_DST_COLOR, BLEND_FACTOR_ONE_MINUS_DST_COLOR);
    SAME(blend_factor, SRC_ALPHA, BLEND_FACTOR_SRC_ALPHA);
    SAME(blend_factor, ONE_MINUS_SRC_ALPHA, BLEND_FACTOR_ONE_MINUS_SRC_ALPHA);
    SAME(blend_factor, DST_ALPHA, BLEND_FACTOR_DST_ALPHA);
    SAME(blend_factor, ONE_MINUS_DST_ALPHA, BLEND_FACTOR_ONE_MINUS_DST_ALPHA);
    SAME(blend_factor, SRC_ALPHA_SATURATE, BLEND_FACTOR_SRC_ALPHA_SATURATE);
    SAME(blend_factor, CONSTANT_COLOR, BLEND_FACTOR_CONSTANT_COLOR);
    SAME(blend_factor, ONE_MINUS_CONSTANT_COLOR, BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR);
    SAME(blend_factor, CONSTANT_ALPHA, BLEND_FACTOR_CONSTANT_ALPHA);
    SAME(blend_factor, ONE_MINUS_CONSTANT_ALPHA, BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA);
    SAME(blend_factor, SRC1_COLOR, BLEND_FACTOR_SRC1_COLOR);
    SAME(blend_factor, ONE_MINUS_SRC1_COLOR, BLEND_FACTOR_ONE_MINUS_SRC1_COLOR);
    SAME(blend_factor, SRC1_ALPHA, BLEND_FACTOR_SRC1_ALPHA);
    SAME(blend_factor, ONE_MINUS_SRC1_ALPHA, BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA);
    SAME(blend_factor, FUNC_ADD, BLEND_FACTOR_MAX_ENUM);
    SAME(blend_equation, FUNC_ADD, BLEND_OP_ADD);
    SAME(blend_equation, FUNC_SUBTRACT, BLEND_OP_SUBTRACT);
    SAME(blend_equation, FUNC_REVERSE_SUBTRACT, BLEND_OP_REVERSE_SUBTRACT);
    SAME(blend_equation, MIN, BLEND_OP_MIN);
    SAME(blend_equation, MAX, BLEND_OP_MAX);
    SAME(blend_equation, ONE, BLEND_OP_MAX_ENUM);
    SAME(primitive_mode, POINTS, PRIMITIVE_TOPOLOGY_POINT_LIST);
    SAME(primitive_mode, LINES, PRIMITIVE_TOPOLOGY_LINE_LIST);
    SAME(primitive_mode, LINE_LOOP, PRIMITIVE_TOPOLOGY_LINE_STRIP);
    SAME(primitive_mode, LINE_STRIP, PRIMITIVE_TOPOLOGY_LINE_STRIP);
    SAME(primitive_mode, TRIANGLES, PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    SAME(primitive_mode, TRIANGLE_STRIP, PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
    SAME(primitive_mode, TRIANGLE_FAN, PRIMITIVE_TOPOLOGY_TRIANGLE_FAN);
    SAME(primitive_mode, QUADS, PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    SAME(primitive_mode, QUAD_STRIP, PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    SAME(primitive_mode, POLYGON, PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    SAME(primitive_mode, LINES_ADJACENCY, PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY);
    SAME(primitive_mode, LINE_STRIP_ADJACENCY, PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY);
    SAME(primitive_mode, TRIANGLES_ADJACENCY, PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY);
    SAME(primitive_mode, TRIANGLE_STRIP_ADJACENCY, PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY);
    SAME(primitive_mode, PATCHES, PRIMITIVE_TOPOLOGY_PATCH_LIST);
    SAME(primitive_mode, NEVER, PRIMITIVE_TOPOLOGY_MAX_ENUM);
    SAME(cull_face, FRONT, CULL_MODE_FRONT_BIT);
    SAME(cull_face, BACK, CULL_MODE_BACK_BIT);
    SAME(cull_face, FRONT_AND_BACK, CULL_MODE_FRONT_AND_BACK);
    SAME(front_face, CCW, FRONT_FACE_CLOCKWISE);
    SAME(front_face, CW, FRONT_FACE_COUNTER_CLOCKWISE);
    SAME(front_face, BACK, FRONT_FACE_MAX_ENUM);
    SAME(polygon_mode, POINT, POLYGON_MODE_POINT);
    SAME(polygon_mode, LINE, POLYGON_MODE_LINE);
    SAME(polygon_mode, FILL, POLYGON_MODE_FILL);
    SAME(polygon_mode, POINTS, POLYGON_MODE_MAX_ENUM);
#undef SAME
}

static void test_samplers_of_opengl(void)
{
    static const struct {
        uint32_t gl;
        VkSamplerAddressMode mode;
        uint32_t by_program;
    } wraps[] = {
        {GL_REPEAT, VK_SAMPLER_ADDRESS_MODE_REPEAT, GLASM_WRAP_MODE_BY_SAMPLER},
        {GL_MIRRORED_REPEAT, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, GLASM_WRAP_MODE_BY_SAMPLER},
        {GL_CLAMP_TO_EDGE, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, GLASM_WRAP_MODE_BY_SAMPLER},
        {GL_CLAMP_TO_BORDER, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, GLASM_WRAP_MODE_BY_SAMPLER},
        {GL_CLAMP, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, GLASM_WRAP_MODE_CLAMP},
        {GL_MIRROR_CLAMP_EXT, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, GLASM_WRAP_MODE_MIRROR_CLAMP},
        {GL_MIRROR_CLAMP_TO_EDGE_EXT, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, GLASM_WRAP_MODE_MIRROR_CLAMP_TO_EDGE},
        {GL_MIRROR_CLAMP_TO_BORDER_EXT, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, GLASM_WRAP_MODE_MIRROR_CLAMP_TO_BORDER},
    };
    for (size_t i = 0; i < sizeof wraps / sizeof *wraps; i++) {
        const uint32_t modes[3] = {GL_CLAMP, wraps[i].gl, GL_REPEAT};
        glasm_texture_wrap wrap;
        CHECK(glasm_vulkan_convert_wrap(wraps[i].gl) == wraps[i].mode);
        CHECK(glasm_texture_wrap_from_gl(modes, GL_NEAREST, GL_NEAREST, &wrap) == GLASM_RESULT_OK);
        CHECK(wrap.wrap_modes[0] == GLASM_WRAP_MODE_CLAMP && wrap.wrap_modes[1] == wraps[i].by_program && wrap.wrap_modes[2] == 0);
    }
    CHECK(glasm_vulkan_convert_wrap(GL_LINEAR) == VK_SAMPLER_ADDRESS_MODE_MAX_ENUM);

    static const struct {
        uint32_t gl;
        VkFilter filter;
        VkSamplerMipmapMode mode;
        uint32_t texels, levels;
    } filters[] = {
        {GL_NEAREST, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, GLASM_TEXEL_FILTER_NEAREST, GLASM_MIP_FILTER_NONE},
        {GL_LINEAR, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, GLASM_TEXEL_FILTER_LINEAR, GLASM_MIP_FILTER_NONE},
        {GL_NEAREST_MIPMAP_NEAREST, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, GLASM_TEXEL_FILTER_NEAREST, GLASM_MIP_FILTER_NEAREST},
        {GL_LINEAR_MIPMAP_NEAREST, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, GLASM_TEXEL_FILTER_LINEAR, GLASM_MIP_FILTER_NEAREST},
        {GL_NEAREST_MIPMAP_LINEAR, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_LINEAR, GLASM_TEXEL_FILTER_NEAREST, GLASM_MIP_FILTER_LINEAR},
        {GL_LINEAR_MIPMAP_LINEAR, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, GLASM_TEXEL_FILTER_LINEAR, GLASM_MIP_FILTER_LINEAR},
    };
    static const uint32_t modes[3] = {GL_REPEAT, GL_REPEAT, GL_REPEAT}, unknown[3] = {GL_REPEAT, GL_LINEAR, GL_REPEAT};
    glasm_texture_wrap wrap;
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        VkSamplerMipmapMode mode = VK_SAMPLER_MIPMAP_MODE_MAX_ENUM;
        CHECK(glasm_vulkan_convert_filter(filters[i].gl, &mode) == filters[i].filter && mode == filters[i].mode);
        CHECK(glasm_vulkan_convert_filter(filters[i].gl, NULL) == filters[i].filter);
        CHECK(glasm_texture_wrap_from_gl(modes, GL_LINEAR, filters[i].gl, &wrap) == GLASM_RESULT_OK && wrap.mag_filter == GLASM_TEXEL_FILTER_LINEAR);
        CHECK(wrap.min_filter == filters[i].texels && wrap.mip_filter == filters[i].levels);
        /* Magnification has no levels. */
        glasm_result magnification = glasm_texture_wrap_from_gl(modes, filters[i].gl, GL_LINEAR, &wrap);
        CHECK(magnification == (i < 2 ? GLASM_RESULT_OK : GLASM_RESULT_INVALID_ARGUMENT) && (i >= 2 || wrap.mag_filter == filters[i].texels));
    }
    CHECK(glasm_vulkan_convert_filter(GL_REPEAT, NULL) == VK_FILTER_MAX_ENUM);
    CHECK(glasm_texture_wrap_from_gl(modes, GL_LINEAR, GL_REPEAT, &wrap) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_texture_wrap_from_gl(unknown, GL_LINEAR, GL_LINEAR, &wrap) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(strstr(glasm_error_message(), "0x2601") != NULL);
}

static void test_attributes_of_opengl(void)
{
    CHECK(glasm_vulkan_convert_attribute_format(GL_FLOAT, 3, VK_FALSE) == VK_FORMAT_R32G32B32_SFLOAT);
    CHECK(glasm_vulkan_convert_attribute_format(GL_HALF_FLOAT, 2, VK_FALSE) == VK_FORMAT_R16G16_SFLOAT);
    CHECK(glasm_vulkan_convert_attribute_format(GL_UNSIGNED_BYTE, 4, VK_TRUE) == VK_FORMAT_R8G8B8A8_UNORM);
    CHECK(glasm_vulkan_convert_attribute_format(GL_UNSIGNED_BYTE, 4, VK_FALSE) == VK_FORMAT_R8G8B8A8_USCALED);
    CHECK(glasm_vulkan_convert_attribute_format(GL_BYTE, 1, VK_TRUE) == VK_FORMAT_R8_SNORM);
    CHECK(glasm_vulkan_convert_attribute_format(GL_BYTE, 3, VK_FALSE) == VK_FORMAT_R8G8B8_SSCALED);
    CHECK(glasm_vulkan_convert_attribute_format(GL_SHORT, 2, VK_TRUE) == VK_FORMAT_R16G16_SNORM);
    CHECK(glasm_vulkan_convert_attribute_format(GL_SHORT, 4, VK_FALSE) == VK_FORMAT_R16G16B16A16_SSCALED);
    CHECK(glasm_vulkan_convert_attribute_format(GL_UNSIGNED_SHORT, 1, VK_TRUE) == VK_FORMAT_R16_UNORM);
    CHECK(glasm_vulkan_convert_attribute_format(GL_UNSIGNED_SHORT, 3, VK_FALSE) == VK_FORMAT_R16G16B16_USCALED);
    CHECK(glasm_vulkan_convert_attribute_format(GL_UNSIGNED_BYTE, GL_BGRA, VK_TRUE) == VK_FORMAT_B8G8R8A8_UNORM);
    CHECK(glasm_vulkan_convert_attribute_format(GL_SHORT, GL_BGRA, VK_TRUE) == VK_FORMAT_UNDEFINED);
    CHECK(glasm_vulkan_convert_attribute_format(GL_UNSIGNED_BYTE, GL_BGRA, VK_FALSE) == VK_FORMAT_UNDEFINED);
    /* The first component is in the lowest bits: the last one in the name of Vulkan's format. */
    const GLenum packed[2] = {GL_UNSIGNED_INT_2_10_10_10_REV, GL_INT_2_10_10_10_REV};
    CHECK(glasm_vulkan_convert_attribute_format(packed[0], 4, VK_TRUE) == VK_FORMAT_A2B10G10R10_UNORM_PACK32);
    CHECK(glasm_vulkan_convert_attribute_format(packed[0], 4, VK_FALSE) == VK_FORMAT_A2B10G10R10_USCALED_PACK32);
    CHECK(glasm_vulkan_convert_attribute_format(packed[1], 4, VK_TRUE) == VK_FORMAT_A2B10G10R10_SNORM_PACK32);
    CHECK(glasm_vulkan_convert_attribute_format(packed[1], 4, VK_FALSE) == VK_FORMAT_A2B10G10R10_SSCALED_PACK32);
    CHECK(glasm_vulkan_convert_attribute_format(packed[0], GL_BGRA, VK_TRUE) == VK_FORMAT_A2R10G10B10_UNORM_PACK32);
    CHECK(glasm_vulkan_convert_attribute_format(packed[1], GL_BGRA, VK_TRUE) == VK_FORMAT_A2R10G10B10_SNORM_PACK32);
    CHECK(glasm_vulkan_convert_attribute_format(packed[0], 3, VK_TRUE) == VK_FORMAT_UNDEFINED);
    CHECK(glasm_vulkan_convert_attribute_format(GL_UNSIGNED_INT_10F_11F_11F_REV, 3, VK_FALSE) == VK_FORMAT_B10G11R11_UFLOAT_PACK32);
    CHECK(glasm_vulkan_convert_attribute_format(GL_UNSIGNED_INT_10F_11F_11F_REV, 4, VK_FALSE) == VK_FORMAT_UNDEFINED);
    CHECK(glasm_vulkan_convert_attribute_format(GL_FLOAT, 0, VK_FALSE) == VK_FORMAT_UNDEFINED);
    CHECK(glasm_vulkan_convert_attribute_format(GL_FLOAT, 5, VK_FALSE) == VK_FORMAT_UNDEFINED);
    CHECK(glasm_vulkan_convert_attribute_format(GL_DOUBLE, 4, VK_FALSE) == VK_FORMAT_UNDEFINED);
}
#endif

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    test_structures();
#ifdef GL_PATCHES
    test_numbers_of_opengl();
    test_samplers_of_opengl();
    test_attributes_of_opengl();
#endif

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
