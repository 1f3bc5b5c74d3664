/* What a layer of OpenGL on Vulkan does with a pair of programs: modules, layouts, buffers, a cache, and output in GLSL and MSL.
 * Run with the directory of light.vp and fog.fp (examples/layer), and one for the results. examples/layer/main.rs does the same in Rust. */
#include <vulkan/vulkan.h>

#include <glasm_vulkan.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_ATTRIBUTES = 16, MAX_VECTORS = 64, MAX_PROGRAM_SIZE = 1 << 16 };

/* Ends the process if a call fails; a layer would return an error of OpenGL. */
static void check(glasm_result result)
{
    if (result != GLASM_RESULT_OK) {
        fprintf(stderr, "%s: %s\n", glasm_result_name(result), glasm_error_message());
        exit(EXIT_FAILURE);
    }
}

static FILE *open_file(const char *directory, const char *name, const char *extension, const char *mode)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.%s", directory, name, extension);
    FILE *file = fopen(path, mode);
    if (file == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    return file;
}

static void write_file(const char *directory, const char *name, const char *extension, const void *bytes, size_t size)
{
    FILE *file = open_file(directory, name, extension, "wb");
    fwrite(bytes, 1, size, file);
    fclose(file);
}

/* glProgramStringARB. */
static glasm_program *load(const char *directory, const char *name, const char *extension, uint32_t type)
{
    static char text[MAX_PROGRAM_SIZE];
    FILE *file = open_file(directory, name, extension, "rb");
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    glasm_program *program;
    check(glasm_program_load_string(name, type, text, length, &program, NULL));
    return program;
}

/* PROGRAM_ERROR_POSITION_ARB and PROGRAM_ERROR_STRING_ARB. */
static void report_errors(const char *text)
{
    glasm_program *program;
    glasm_diagnostics *diagnostics;
    glasm_program_load_string("broken", GLASM_PROGRAM_TYPE_VERTEX, text, GLASM_NUL_TERMINATED, &program, &diagnostics);
    printf("position %d: \"%s\"\n", (int)glasm_diagnostics_gl_error_position(diagnostics), glasm_diagnostics_gl_error_string(diagnostics));
    glasm_diagnostics_free(diagnostics);
    glasm_program_free(program);
}

/* What the application has set that parameter blocks depend on. */
static glasm_state *create_state(void)
{
    static const glasm_state_setting values[] = {
        {GLASM_STATE_VARIABLE_LIGHT_POSITION, 0, {1, 2, 3, 1}},
        {GLASM_STATE_VARIABLE_LIGHT_DIFFUSE, 0, {1, 0.5f, 0.25f, 1}},
        {GLASM_STATE_VARIABLE_FOG_DENSITY, 0, {0.25f}},
    };
    float projection[16];
    glasm_matrix_perspective(projection, 90, 1, 1, 100);
    glasm_state *state = glasm_state_create();
    check(glasm_state_set_matrix(state, GLASM_MATRIX_PROJECTION, 0, projection));
    check(glasm_state_translate(state, GLASM_MATRIX_MODELVIEW, 0, 0, 0, -10));
    check(glasm_state_rotate(state, GLASM_MATRIX_MODELVIEW, 0, 90, 0, 1, 0));
    check(glasm_state_set_values(state, values, sizeof values / sizeof *values));
    return state;
}

/* vkCreateDescriptorSetLayout and vkCreateGraphicsPipelines take these structures. */
static void describe_pipeline(const glasm_pipeline *pipeline)
{
    const glasm_set_layout *sets;
    size_t count;
    check(glasm_pipeline_set_layouts(pipeline, &sets, &count));
    for (size_t i = 0; i < count; i++) {
        VkDescriptorSetLayoutCreateInfo info = glasm_vulkan_make_set_layout_info(&sets[i]);
        for (uint32_t j = 0; j < info.bindingCount; j++) {
            VkDescriptorSetLayoutBinding it = info.pBindings[j];
            printf("set %zu, binding %u: type %d, stages %#x\n", i, it.binding, it.descriptorType, it.stageFlags);
        }
    }
    VkVertexInputAttributeDescription attributes[MAX_ATTRIBUTES];
    count = glasm_vulkan_list_attributes(glasm_pipeline_shader(pipeline, GLASM_STAGE_VERTEX), attributes, MAX_ATTRIBUTES);
    for (size_t i = 0; i < count; i++)
        printf("attribute at location %u: format %d\n", attributes[i].location, attributes[i].format);
    glasm_pipeline_unwritten_inputs(pipeline, &count);
    printf("%zu inputs are not written\n", count);
}

/* Prints the parameters, and which of two draws with equal values upload them. */
static void fill_block(const glasm_shader *shader, glasm_state *state)
{
    /* In GL, each target has environment parameters, and each program local ones; here all are equal. */
    static const float env[8][4] = {{0.1f, 0.1f, 0.1f, 1}, [7] = {0.5f, 0.5f, 1, 1}}, local[3][4] = {[2] = {1, 0.75f, 0.5f, 1}};
    const glasm_parameter_values values = {.size = sizeof values, .env = env[0], .env_count = 8, .local = local[0], .local_count = 3};
    glasm_parameter_value list[MAX_VECTORS];
    size_t count;
    check(glasm_shader_list_parameters(shader, state, &values, list, MAX_VECTORS, &count));
    for (size_t i = 0; i < count; i++) {
        const float *value = list[i].value;
        printf("offset %u: %s = %g %g %g %g\n", list[i].offset, list[i].name, value[0], value[1], value[2], value[3]);
    }
    float block[MAX_VECTORS][4];
    uint64_t revision = 0;
    for (int draw = 0; draw < 2; draw++) {
        glasm_bool is_changed;
        check(glasm_shader_update_parameter_block(shader, state, &values, &revision, block[0], MAX_VECTORS, &is_changed));
        printf("draw %d: upload %d\n", draw, is_changed);
    }
}

/* Draws with other state, and prints which stages have other modules for it, as VkShaderStageFlags. */
static void draw_variants(const glasm_pipeline_cache *cache, const glasm_program *const *programs, const glasm_options *options, const glasm_pipeline *base)
{
    glasm_options variants[4] = {*options, *options, *options, *options};
    variants[0].two_sided_color = 1;
    variants[1].flat_colors = 1;
    variants[2].draw_buffer_mask = 7; /* without effect on a program with ARB_draw_buffers */
    variants[3].clip_plane_mask = 1;  /* without effect on a program that is not position-invariant */
    for (int i = 0; i < 4; i++) {
        const glasm_pipeline *pipeline;
        check(glasm_pipeline_cache_get(cache, NULL, programs, 2, &variants[i], &pipeline, NULL));
        printf("variant %d: new modules: %#x\n", i, glasm_pipeline_find_changed_stages(pipeline, base));
    }
}

static void write_sources(const glasm_program *const *programs, const glasm_options *options, const char *language, const char *directory)
{
    glasm_text_options text_options;
    check(glasm_text_options_init(&text_options, sizeof text_options));
    text_options.language = language;
    text_options.compiler_options = options;
    glasm_pipeline *pipeline;
    check(glasm_pipeline_write_text(NULL, programs, 2, &text_options, &pipeline));
    size_t count, length;
    const glasm_pipeline_stage *stages = glasm_pipeline_stages(pipeline, &count);
    for (size_t i = 0; i < count; i++) {
        const char *text = glasm_text_string(stages[i].text, &length);
        write_file(directory, language, glasm_stage_file_extension(stages[i].stage), text, length);
    }
    glasm_pipeline_free(pipeline);
}

int main(int count, char **arguments)
{
    if (count != 3) {
        fprintf(stderr, "usage: %s PROGRAMS RESULTS\n", arguments[0]);
        return EXIT_FAILURE;
    }
    const char *results = arguments[2];
    glasm_program *vertex = load(arguments[1], "light", "vp", GLASM_PROGRAM_TYPE_VERTEX);
    glasm_program *fragment = load(arguments[1], "fog", "fp", GLASM_PROGRAM_TYPE_FRAGMENT);
    report_errors("!!ARBvp1.0\nMOV result.position, tint;\nEND");
    report_errors("!!ARBfp1.0\nMOV result.color, 1;\nEND");
    report_errors("!!ARBvp1.0\nMOV result.position, vertex.position;\nEND");

    const glasm_program *const programs[2] = {vertex, fragment};
    glasm_options options; /* what the application has set that modules depend on */
    check(glasm_options_init_for_gl_context(&options, sizeof options, GLASM_TARGET_VULKAN_1_2));
    options.draw_buffer_mask = 3;
    glasm_pipeline_cache *cache = glasm_pipeline_cache_create();
    const glasm_pipeline *pipeline;
    check(glasm_pipeline_cache_get(cache, NULL, programs, 2, &options, &pipeline, NULL));
    describe_pipeline(pipeline);
    glasm_state *state = create_state();
    size_t stage_count;
    const glasm_pipeline_stage *stages = glasm_pipeline_stages(pipeline, &stage_count);
    for (size_t i = 0; i < stage_count; i++) {
        VkShaderModuleCreateInfo module = glasm_vulkan_make_module_info(stages[i].shader);
        write_file(results, glasm_stage_file_extension(stages[i].stage), "spv", module.pCode, module.codeSize);
        fill_block(stages[i].shader, state);
    }
    draw_variants(cache, programs, &options, pipeline);
    write_sources(programs, &options, "glsl330", results);
    write_sources(programs, &options, "msl24", results);

    glasm_pipeline_cache_free(cache); /* and with it the pipelines */
    glasm_state_free(state);
    glasm_program_free(vertex);
    glasm_program_free(fragment);
    return EXIT_SUCCESS;
}
