/* Implements draw.h: one draw with Vulkan 1.3. Vertices, uniforms, texels and the image are in one host-visible buffer. */
#include "draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define VK(call) do { VkResult it = (call); if (it != VK_SUCCESS) { fprintf(stderr, "%s: %d\n", #call, it); exit(1); } } while (0)

enum { MOST = 8, ALIGNMENT = 256 };

static const VkFormat COLOR = VK_FORMAT_R8G8B8A8_UNORM;
static const VkImageSubresourceRange WHOLE = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};

static VkInstance instance;
static VkPhysicalDevice gpu;
static VkDevice device;
static uint32_t family;

static void make_device(void)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VK(vkCreateInstance(&info, NULL, &instance));
    uint32_t count = 1;
    VkResult found = vkEnumeratePhysicalDevices(instance, &count, &gpu); /* the first one; VK_INCOMPLETE if there are more */
    if (count == 0 || found < 0) {
        fprintf(stderr, "there is no Vulkan device\n");
        exit(1);
    }
    VkQueueFamilyProperties families[MOST];
    count = MOST;
    vkGetPhysicalDeviceQueueFamilyProperties(gpu, &count, families);
    while (family + 1 < count && !(families[family].queueFlags & VK_QUEUE_GRAPHICS_BIT))
        family++;
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = family,
        .queueCount = 1, .pQueuePriorities = &priority};
    VkPhysicalDeviceVulkan13Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .dynamicRendering = VK_TRUE};
    VkDeviceCreateInfo made = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &features, .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue};
    VK(vkCreateDevice(gpu, &made, NULL, &device));
}

static VkDeviceMemory allocate(VkMemoryRequirements needs, VkMemoryPropertyFlags flags)
{
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(gpu, &memory);
    uint32_t type = 0;
    while (!(needs.memoryTypeBits >> type & 1) || (memory.memoryTypes[type].propertyFlags & flags) != flags)
        type++;
    VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, needs.size, type};
    VkDeviceMemory allocated;
    VK(vkAllocateMemory(device, &info, NULL, &allocated));
    return allocated;
}

struct buffer { VkBuffer buffer; VkDeviceMemory memory; unsigned char *bytes; };

static struct buffer make_buffer(VkDeviceSize size)
{
    struct buffer made;
    VkBufferUsageFlags usage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT
        | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
    VK(vkCreateBuffer(device, &info, NULL, &made.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, made.buffer, &needs);
    made.memory = allocate(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    VK(vkBindBufferMemory(device, made.buffer, made.memory, 0));
    VK(vkMapMemory(device, made.memory, 0, VK_WHOLE_SIZE, 0, (void **)&made.bytes));
    return made;
}

struct image { VkImage image; VkDeviceMemory memory; VkImageView view; };

static struct image make_image(uint32_t size, VkImageUsageFlags usage)
{
    struct image made;
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = COLOR,
        .extent = {size, size, 1}, .mipLevels = 1, .arrayLayers = 1, .samples = VK_SAMPLE_COUNT_1_BIT, .usage = usage};
    VK(vkCreateImage(device, &info, NULL, &made.image));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device, made.image, &needs);
    made.memory = allocate(needs, 0);
    VK(vkBindImageMemory(device, made.image, made.memory, 0));
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = made.image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D, .format = COLOR, .subresourceRange = WHOLE};
    VK(vkCreateImageView(device, &view, NULL, &made.view));
    return made;
}

static void free_image(struct image image)
{
    vkDestroyImageView(device, image.view, NULL);
    vkDestroyImage(device, image.image, NULL);
    vkFreeMemory(device, image.memory, NULL);
}

static VkPipeline make_pipeline(const struct draw *what, uint32_t size, VkPipelineLayout layout)
{
    VkPipelineShaderStageCreateInfo shaders[2];
    for (int i = 0; i < 2; i++) {
        VkShaderModuleCreateInfo module = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, NULL, 0, 4 * what->word_counts[i], what->words[i]};
        shaders[i] = (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = i == 0 ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_FRAGMENT_BIT, .pName = "main"};
        VK(vkCreateShaderModule(device, &module, NULL, &shaders[i].module));
    }
    VkVertexInputBindingDescription binding = {0, what->stride, VK_VERTEX_INPUT_RATE_VERTEX};
    VkVertexInputAttributeDescription attributes[MOST];
    const VkFormat formats[] = {VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_R32G32B32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT};
    for (uint32_t i = 0; i < what->attribute_count; i++) {
        struct draw_attribute it = what->attributes[i];
        attributes[i] = (VkVertexInputAttributeDescription){it.location, 0, formats[it.components - 1], it.offset};
    }
    VkPipelineVertexInputStateCreateInfo input = {VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO, NULL, 0, 1, &binding,
        what->attribute_count, attributes};
    VkPipelineInputAssemblyStateCreateInfo assembly = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    VkViewport viewport = {0, 0, (float)size, (float)size, 0, 1};
    VkRect2D scissor = {{0, 0}, {size, size}};
    VkPipelineViewportStateCreateInfo view = {VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, NULL, 0, 1, &viewport, 1, &scissor};
    /* Row 0 is the lowest here, and the highest for Vulkan, for which GL's counterclockwise is therefore clockwise. */
    VkPipelineRasterizationStateCreateInfo raster = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .cullMode = VK_CULL_MODE_BACK_BIT, .frontFace = VK_FRONT_FACE_CLOCKWISE, .lineWidth = 1};
    VkPipelineMultisampleStateCreateInfo samples = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkPipelineColorBlendAttachmentState blend = {.colorWriteMask = 15};
    VkPipelineColorBlendStateCreateInfo blending = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = 1, .pAttachments = &blend};
    VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &COLOR};
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .pNext = &rendering,
        .stageCount = 2, .pStages = shaders, .pVertexInputState = &input, .pInputAssemblyState = &assembly, .pViewportState = &view,
        .pRasterizationState = &raster, .pMultisampleState = &samples, .pColorBlendState = &blending, .layout = layout};
    VkPipeline pipeline;
    VK(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    for (int i = 0; i < 2; i++)
        vkDestroyShaderModule(device, shaders[i].module, NULL);
    return pipeline;
}

struct sets { VkDescriptorSetLayout layouts[MOST]; VkDescriptorPool pool; VkDescriptorSet sets[MOST]; uint32_t count; };

/* Creates a set for each index up to the largest that a module uses; those without bindings are empty. */
static struct sets make_sets(const struct draw *what)
{
    struct sets made = {.count = what->texture.set + 1};
    for (uint32_t i = 0; i < what->uniform_count; i++)
        if (what->uniforms[i].set >= made.count)
            made.count = what->uniforms[i].set + 1;
    for (uint32_t set = 0; set < made.count; set++) {
        VkDescriptorSetLayoutBinding bindings[MOST];
        uint32_t count = 0;
        for (uint32_t i = 0; i < what->uniform_count; i++)
            if (what->uniforms[i].set == set)
                bindings[count++] = (VkDescriptorSetLayoutBinding){what->uniforms[i].binding, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1,
                    VK_SHADER_STAGE_ALL_GRAPHICS, NULL};
        if (what->texture.set == set)
            bindings[count++] = (VkDescriptorSetLayoutBinding){what->texture.binding, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1,
                VK_SHADER_STAGE_ALL_GRAPHICS, NULL};
        VkDescriptorSetLayoutCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, NULL, 0, count, bindings};
        VK(vkCreateDescriptorSetLayout(device, &info, NULL, &made.layouts[set]));
    }
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, MOST}, {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, MOST}};
    VkDescriptorPoolCreateInfo pool = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, NULL, 0, MOST, 2, sizes};
    VK(vkCreateDescriptorPool(device, &pool, NULL, &made.pool));
    VkDescriptorSetAllocateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, NULL, made.pool, made.count, made.layouts};
    VK(vkAllocateDescriptorSets(device, &info, made.sets));
    return made;
}

static void write_set(VkDescriptorSet set, uint32_t binding, const VkDescriptorBufferInfo *buffer, const VkDescriptorImageInfo *image)
{
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = binding, .descriptorCount = 1,
        .descriptorType = buffer ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
        .pBufferInfo = buffer, .pImageInfo = image};
    vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
}

static void change_layout(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to)
{
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, .oldLayout = from, .newLayout = to,
        .image = image, .subresourceRange = WHOLE};
    VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    vkCmdPipelineBarrier(commands, all, all, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static VkBufferImageCopy whole_image(VkDeviceSize offset, uint32_t size)
{
    return (VkBufferImageCopy){offset, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {0, 0, 0}, {size, size, 1}};
}

/* Copies bytes to the next free offset of the buffer. */
static VkDeviceSize put(struct buffer buffer, VkDeviceSize *end, const void *bytes, size_t size)
{
    VkDeviceSize at = *end;
    if (bytes)
        memcpy(buffer.bytes + at, bytes, size);
    *end = (at + size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return at;
}

static void submit(VkCommandBuffer commands)
{
    VkQueue queue;
    vkGetDeviceQueue(device, family, 0, &queue);
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    VK(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE));
    VK(vkDeviceWaitIdle(device));
}

void draw_triangles(const struct draw *what, uint32_t size, unsigned char *pixels)
{
    make_device();
    size_t picture_size = 4 * (size_t)size * size, texels_size = 4 * (size_t)what->texture.size * what->texture.size;
    size_t vertices_size = (size_t)what->stride * what->vertex_count, uniforms_size = 0;
    for (uint32_t i = 0; i < what->uniform_count; i++)
        uniforms_size += what->uniforms[i].size + ALIGNMENT;
    struct buffer buffer = make_buffer(picture_size + texels_size + vertices_size + uniforms_size + 4 * ALIGNMENT);
    VkDeviceSize end = 0;
    VkDeviceSize picture_at = put(buffer, &end, NULL, picture_size);
    VkDeviceSize texels_at = put(buffer, &end, what->texture.texels, texels_size);
    VkDeviceSize vertices_at = put(buffer, &end, what->vertices, vertices_size);

    struct image picture = make_image(size, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
    struct image texture = make_image(what->texture.size, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    VkSamplerCreateInfo sampler_info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    VkSampler sampler;
    VK(vkCreateSampler(device, &sampler_info, NULL, &sampler));

    struct sets sets = make_sets(what);
    for (uint32_t i = 0; i < what->uniform_count; i++) {
        const struct draw_uniform *uniform = &what->uniforms[i];
        VkDescriptorBufferInfo info = {buffer.buffer, put(buffer, &end, uniform->bytes, uniform->size), uniform->size};
        write_set(sets.sets[uniform->set], uniform->binding, &info, NULL);
    }
    VkDescriptorImageInfo sampled = {sampler, texture.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    write_set(sets.sets[what->texture.set], what->texture.binding, NULL, &sampled);
    VkPipelineLayoutCreateInfo layout_info = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, NULL, 0, sets.count, sets.layouts, 0, NULL};
    VkPipelineLayout layout;
    VK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
    VkPipeline pipeline = make_pipeline(what, size, layout);

    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
    VkCommandPool pool;
    VK(vkCreateCommandPool(device, &pool_info, NULL, &pool));
    VkCommandBufferAllocateInfo commands_info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    VkCommandBuffer commands;
    VK(vkAllocateCommandBuffers(device, &commands_info, &commands));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VK(vkBeginCommandBuffer(commands, &begin));

    VkBufferImageCopy copy = whole_image(texels_at, what->texture.size);
    change_layout(commands, texture.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(commands, buffer.buffer, texture.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    change_layout(commands, texture.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);

    change_layout(commands, picture.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    VkRenderingAttachmentInfo attachment = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, .imageView = picture.view,
        .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = {{0, 0}, {size, size}}, .layerCount = 1,
        .colorAttachmentCount = 1, .pColorAttachments = &attachment};
    vkCmdBeginRendering(commands, &rendering);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, sets.count, sets.sets, 0, NULL);
    vkCmdBindVertexBuffers(commands, 0, 1, &buffer.buffer, &vertices_at);
    vkCmdDraw(commands, what->vertex_count, 1, 0, 0);
    vkCmdEndRendering(commands);

    copy = whole_image(picture_at, size);
    change_layout(commands, picture.image, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(commands, picture.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer.buffer, 1, &copy);
    VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
    VK(vkEndCommandBuffer(commands));
    submit(commands);
    memcpy(pixels, buffer.bytes + picture_at, picture_size);

    vkDestroyCommandPool(device, pool, NULL);
    vkDestroyPipeline(device, pipeline, NULL);
    vkDestroyPipelineLayout(device, layout, NULL);
    vkDestroyDescriptorPool(device, sets.pool, NULL);
    for (uint32_t set = 0; set < sets.count; set++)
        vkDestroyDescriptorSetLayout(device, sets.layouts[set], NULL);
    vkDestroySampler(device, sampler, NULL);
    free_image(texture);
    free_image(picture);
    vkDestroyBuffer(device, buffer.buffer, NULL);
    vkFreeMemory(device, buffer.memory, NULL);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
}

void write_picture(const char *path, uint32_t size, const unsigned char *pixels)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(1);
    }
    fprintf(file, "P6 %u %u 255\n", (unsigned)size, (unsigned)size);
    for (uint32_t row = size; row-- > 0;) /* PPM begins with the highest row */
        for (uint32_t x = 0; x < size; x++)
            fwrite(pixels + 4 * ((size_t)row * size + x), 1, 3, file);
    fclose(file);
}
