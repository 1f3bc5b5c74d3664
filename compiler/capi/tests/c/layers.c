/* Uses what a layer of GL on another API needs between draws: copied and reduced options, lists of state, equal shaders, variants and texts of programs, fixed functions, stale blocks, names. */

#include "checks.h"

static const char INVARIANT[] = "!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.color, vertex.color;\nEND\n";
static const char TEXTURED[] = "!!ARBfp1.0\nTEX result.color, fragment.texcoord[0], texture[2], 2D;\nEND\n";
static const char SHADED[] = "!!ARBfp1.0\nMUL result.color, fragment.color, state.fog.color;\nEND\n";

static int are_equal(const glasm_options *one, const glasm_options *other)
{
    glasm_bool equal = 2;
    CHECK(glasm_options_compare(one, other, &equal) == GLASM_RESULT_OK);
    uint64_t hashes[2];
    CHECK(glasm_options_hash(one, &hashes[0]) == GLASM_RESULT_OK && glasm_options_hash(other, &hashes[1]) == GLASM_RESULT_OK);
    CHECK(equal == 0 || hashes[0] == hashes[1]);
    return (int)equal;
}

static void test_loading(void)
{
    glasm_program *program = NULL;
    glasm_diagnostics *diagnostics = NULL;
    const uint32_t type = GLASM_PROGRAM_TYPE_FRAGMENT;
    CHECK(glasm_program_load_string("a.fp", type, TEXTURED, GLASM_NUL_TERMINATED, &program, &diagnostics) == GLASM_RESULT_OK);
    size_t length = 0;
    const uint8_t *text = glasm_program_text(program, &length);
    CHECK(diagnostics == NULL && length == strlen(TEXTURED) && memcmp(text, TEXTURED, length) == 0);
    glasm_program_free(program);
    CHECK(glasm_program_load_string(NULL, type, TEXTURED, sizeof TEXTURED - 1, &program, NULL) == GLASM_RESULT_OK);
    glasm_program_free(program);
    CHECK(glasm_program_text(NULL, &length) == NULL && length == 0);
    CHECK(glasm_program_load_string(NULL, type, NULL, GLASM_NUL_TERMINATED, &program, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_program_load_string(NULL, 99, TEXTURED, GLASM_NUL_TERMINATED, &program, NULL) == GLASM_RESULT_INVALID_ARGUMENT);

    /* GL's error string: the first error, although another is reported before it. */
    const char wrong[] = "!!ARBfp1.0\nMOV result.color,\n  tint;\nEND\n";
    CHECK(glasm_program_load_string(NULL, type, wrong, GLASM_NUL_TERMINATED, &program, &diagnostics) == GLASM_RESULT_PROGRAM_ERROR);
    /* The message of the call is that line, with the name of the program. */
    CHECK(strncmp(glasm_error_message(), "program: line 3, column 3: ", 27) == 0);
    const char *line = glasm_diagnostics_gl_error_string(diagnostics);
    CHECK(strncmp(line, "line 3, column 3: ", 18) == 0 && strstr(line, "tint") != NULL && strchr(line, '\n') == NULL);
    glasm_diagnostics_free(diagnostics);
    CHECK(strcmp(glasm_diagnostics_gl_error_string(NULL), "") == 0);
    CHECK(glasm_program_load_string(NULL, type, "", 0, &program, &diagnostics) == GLASM_RESULT_PROGRAM_ERROR);
    CHECK(strstr(glasm_diagnostics_gl_error_string(diagnostics), "the program is empty") != NULL);
    glasm_diagnostics_free(diagnostics);
}

static void test_reduced_options(void)
{
    glasm_program *vertex = load(INVARIANT), *fragment = load(TEXTURED);
    glasm_options options, plain;
    glasm_options_init(&options, sizeof options);
    plain = options;
    CHECK(are_equal(&options, NULL) && are_equal(&options, &plain));
    const uint32_t modes[] = {GLASM_DEPTH_MODE_RED, GLASM_DEPTH_MODE_LUMINANCE};
    const uint32_t same_modes[] = {GLASM_DEPTH_MODE_RED, GLASM_DEPTH_MODE_LUMINANCE};
    options.depth_modes = modes;
    options.depth_mode_count = 2;
    plain.depth_modes = same_modes;
    plain.depth_mode_count = 2;
    CHECK(are_equal(&options, &plain) && !are_equal(&options, NULL));

    /* A new context of GL. */
    glasm_options context, single;
    CHECK(glasm_options_init_for_gl_context(&context, sizeof context, GLASM_TARGET_VULKAN_1_3) == GLASM_RESULT_OK);
    CHECK(glasm_options_init(&single, sizeof single) == GLASM_RESULT_OK && glasm_options_use_opengl_conventions(&single) == GLASM_RESULT_OK);
    CHECK(glasm_options_use_gl_initial_state(&single) == GLASM_RESULT_OK && !are_equal(&context, &single));
    single.target = GLASM_TARGET_VULKAN_1_3;
    CHECK(are_equal(&context, &single) && context.size == sizeof context && context.clamp_vertex_colors);
    CHECK(glasm_options_init_for_gl_context(&context, sizeof context, 99) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_options_init_for_gl_context(&context, 8, GLASM_TARGET_VULKAN_1_3) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_options_init_for_gl_context(NULL, sizeof context, GLASM_TARGET_VULKAN_1_3) == GLASM_RESULT_INVALID_ARGUMENT);

    /* Neither program compares depths; vertices have no alpha test, fragments no clip planes. */
    const char *const features[] = {"shaderInt64"};
    options.features = features;
    options.feature_count = 1;
    options.alpha_function = GLASM_COMPARE_FUNCTION_GREATER;
    options.alpha_reference = 0.5f;
    options.clip_plane_mask = 3;
    glasm_options *of_vertex, *of_fragment;
    CHECK(glasm_options_for_program(&options, vertex, &of_vertex) == GLASM_RESULT_OK);
    CHECK(glasm_options_for_program(&options, fragment, &of_fragment) == GLASM_RESULT_OK);
    const glasm_options *reduced = of_vertex;
    CHECK(reduced->alpha_function == GLASM_COMPARE_FUNCTION_ALWAYS && reduced->clip_plane_mask == 3 && reduced->depth_mode_count == 0);
    CHECK(reduced->feature_count == 1 && reduced->features != features && strcmp(reduced->features[0], "shaderInt64") == 0);
    CHECK(!are_equal(reduced, of_fragment));
    reduced = of_fragment;
    CHECK(reduced->alpha_function == GLASM_COMPARE_FUNCTION_GREATER && reduced->alpha_reference == 0.5f && reduced->clip_plane_mask == 0);

    /* The module is that of all options. */
    glasm_shader *full = compile(fragment, &options), *same = compile(fragment, reduced);
    CHECK(glasm_shader_is_equal(full, same));
    glasm_shader_free(full);
    glasm_shader_free(same);
    glasm_options_free(of_vertex);
    glasm_options_free(of_fragment);

    CHECK(glasm_options_for_program(NULL, fragment, &of_fragment) == GLASM_RESULT_OK);
    CHECK(are_equal(of_fragment, NULL));
    glasm_options_free(of_fragment);
    CHECK(glasm_options_for_program(NULL, NULL, &of_fragment) == GLASM_RESULT_INVALID_ARGUMENT && of_fragment == NULL);
    options.target = 99;
    uint64_t hash;
    glasm_bool equal;
    CHECK(glasm_options_hash(&options, &hash) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_options_compare(&options, NULL, &equal) == GLASM_RESULT_INVALID_ARGUMENT && equal == 0);
    glasm_program_free(vertex);
    glasm_program_free(fragment);
}

static void test_copied_options(void)
{
    glasm_options options, *copy;
    glasm_options_init(&options, sizeof options);
    uint32_t modes[] = {GLASM_DEPTH_MODE_RED, GLASM_DEPTH_MODE_ALPHA}, stipple[32] = {1, 2, 3};
    glasm_texture_wrap wraps[2] = {{{0}, 0, 0, 0}, {{GLASM_WRAP_MODE_CLAMP, 0, 0}, GLASM_TEXEL_FILTER_LINEAR, 0, 0}};
    char feature[] = "shaderInt64";
    const char *const features[] = {feature};
    const glasm_varying_location locations[] = {{{GLASM_SEMANTIC_TEX_COORD, 2, 0}, 5, 0, GLASM_BASE_TYPE_FLOAT, 4}};
    options.features = features;
    options.feature_count = 1;
    options.depth_modes = modes;
    options.depth_mode_count = 2;
    options.texture_wraps = wraps;
    options.texture_wrap_count = 2;
    options.polygon_stipple = stipple;
    options.polygon_stipple_height = 7;
    options.output_varyings = (glasm_varyings){GLASM_VARYING_LAYOUT_EXPLICIT, 0, locations, 1};
    options.alpha_function = GLASM_COMPARE_FUNCTION_GREATER;
    CHECK(glasm_options_clone(&options, &copy) == GLASM_RESULT_OK && are_equal(&options, copy));
    CHECK(copy->size == sizeof options && copy->depth_modes != modes && copy->texture_wraps != wraps && copy->polygon_stipple != stipple);
    CHECK(copy->features != features && copy->features[0] != feature && copy->output_varyings.varying_locations != locations);

    /* The copy does not change with the lists of the original. */
    modes[1] = GLASM_DEPTH_MODE_LUMINANCE;
    stipple[0] = 9;
    wraps[1].wrap_modes[0] = GLASM_WRAP_MODE_BY_SAMPLER;
    feature[0] = 'S';
    CHECK(copy->depth_modes[1] == GLASM_DEPTH_MODE_ALPHA && copy->polygon_stipple[0] == 1 && strcmp(copy->features[0], "shaderInt64") == 0);
    CHECK(copy->texture_wraps[1].wrap_modes[0] == GLASM_WRAP_MODE_CLAMP && copy->texture_wraps[1].mag_filter == GLASM_TEXEL_FILTER_LINEAR);

    /* It belongs to the caller, who may change it, and copy it. */
    glasm_options *second;
    copy->depth_modes = modes;
    copy->alpha_reference = 0.5f;
    CHECK(glasm_options_clone(copy, &second) == GLASM_RESULT_OK);
    CHECK(second->depth_modes[1] == GLASM_DEPTH_MODE_LUMINANCE && second->alpha_reference == 0.5f && second->depth_modes != modes);
    glasm_options_free(copy);
    glasm_options_free(second);
    CHECK(glasm_options_clone(NULL, &copy) == GLASM_RESULT_OK && are_equal(copy, NULL));
    glasm_options_free(copy);
    options.target = 99;
    CHECK(glasm_options_clone(&options, &copy) == GLASM_RESULT_INVALID_ARGUMENT && copy == NULL);
    CHECK(glasm_options_clone(&options, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
}

static void test_equal_shaders(void)
{
    glasm_program *first = load("!!ARBfp1.0\nMOV result.color, program.local[0];\nEND\n");
    glasm_program *second = load("!!ARBfp1.0\nMOV result.color, program.local[1];\nEND\n");
    glasm_shader *shaders[3] = {compile(first, NULL), compile(first, NULL), compile(second, NULL)};
    CHECK(glasm_shader_is_equal(shaders[0], shaders[0]) && glasm_shader_is_equal(shaders[0], shaders[1]));
    /* The words are the same, the parameters are others. */
    size_t counts[2];
    const uint32_t *words[2] = {glasm_shader_spirv(shaders[0], &counts[0]), glasm_shader_spirv(shaders[2], &counts[1])};
    CHECK(counts[0] == counts[1] && memcmp(words[0], words[1], 4 * counts[0]) == 0);
    CHECK(!glasm_shader_is_equal(shaders[0], shaders[2]));
    CHECK(!glasm_shader_is_equal(NULL, shaders[0]) && !glasm_shader_is_equal(shaders[0], NULL) && !glasm_shader_is_equal(NULL, NULL));
    /* The same structure each time. */
    const glasm_reflection *reflection = glasm_shader_reflection(shaders[0]);
    CHECK(reflection == glasm_shader_reflection(shaders[0]) && reflection->size == sizeof *reflection && reflection->parameters[0].index == 0);
    for (int i = 0; i < 3; i++)
        glasm_shader_free(shaders[i]);
    glasm_program_free(first);
    glasm_program_free(second);
}

static void test_state_values(void)
{
    glasm_program *program = load("!!ARBfp1.0\nMAD result.color, state.fog.params, state.light[3].attenuation, state.fog.color;\nEND\n");
    glasm_shader *shader = compile(program, NULL);
    glasm_state *state = glasm_state_create();
    const glasm_state_setting values[] = {
        {GLASM_STATE_VARIABLE_FOG_COLOR, 0, {0.1f, 0.2f, 0.3f, 0.4f}},
        /* Floats past those of the variable are ignored. */
        {GLASM_STATE_VARIABLE_FOG_DENSITY, 0, {0.25f, 9, 9, 9}},
        {GLASM_STATE_VARIABLE_FOG_END, 0, {4}},
        {GLASM_STATE_VARIABLE_LIGHT_ATTENUATION, 3, {1, 2, 3, 9}},
        {GLASM_STATE_VARIABLE_LIGHT_SPOT_EXPONENT, 3, {5}},
    };
    CHECK(glasm_state_set_values(state, values, 5) == GLASM_RESULT_OK);
    const float expected[3][4] = {{0.25f, 0, 4, 0.25f}, {1, 2, 3, 5}, {0.1f, 0.2f, 0.3f, 0.4f}};
    float block[3][4];
    CHECK(glasm_shader_fill_parameter_block(shader, state, NULL, block[0], 3) == GLASM_RESULT_OK);
    for (int i = 0; i < 3; i++) {
        int found = 0;
        for (int j = 0; j < 3; j++)
            found |= memcmp(block[j], expected[i], sizeof expected[i]) == 0;
        CHECK(found);
    }

    /* The message has the place; values before it are set. */
    const glasm_state_setting wrong[] = {{GLASM_STATE_VARIABLE_FOG_DENSITY, 0, {0.5f}}, {GLASM_STATE_VARIABLE_LIGHT_DIFFUSE, 8, {0}}};
    CHECK(glasm_state_set_values(state, wrong, 2) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(strstr(glasm_error_message(), "`values[1]`: `index` is 8") != NULL);
    CHECK(glasm_shader_fill_parameter_block(shader, state, NULL, block[0], 3) == GLASM_RESULT_OK);
    CHECK(block[0][0] == 0.5f || block[1][0] == 0.5f || block[2][0] == 0.5f);
    const glasm_state_setting unknown = {99, 0, {0}};
    CHECK(glasm_state_set_values(state, &unknown, 1) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_state_set_values(state, NULL, 1) == GLASM_RESULT_INVALID_ARGUMENT && glasm_state_set_values(state, NULL, 0) == GLASM_RESULT_OK);
    CHECK(glasm_state_set_values(NULL, values, 1) == GLASM_RESULT_INVALID_ARGUMENT);
    glasm_state_free(state);
    glasm_shader_free(shader);
    glasm_program_free(program);
}

static void check_variant(const glasm_program *program, glasm_result result, glasm_program *variant)
{
    uint8_t keys[2][GLASM_CACHE_KEY_SIZE];
    CHECK(result == GLASM_RESULT_OK && variant != NULL);
    CHECK(glasm_program_cache_key(program, NULL, keys[0]) == GLASM_RESULT_OK && glasm_program_cache_key(variant, NULL, keys[1]) == GLASM_RESULT_OK);
    CHECK(memcmp(keys[0], keys[1], sizeof keys[0]) != 0);
    glasm_shader_free(compile(variant, NULL));
    glasm_program_free(variant);
}

static void test_variants(void)
{
    glasm_program *textured = load(TEXTURED), *shaded = load(SHADED), *variant = NULL;
    glasm_result result = glasm_program_with_non_comparison_lookups(textured, 4, &variant);
    check_variant(textured, result, variant);
    result = glasm_program_with_comparison_lookups(textured, 4, &variant);
    check_variant(textured, result, variant);
    result = glasm_program_with_missing_textures(textured, 4, &variant);
    check_variant(textured, result, variant);
    result = glasm_program_with_enabled_clip_distances(shaded, &variant);
    check_variant(shaded, result, variant);
    const glasm_semantic_info coordinate = {.name = GLASM_SEMANTIC_TEX_COORD, .index = 1};
    result = glasm_program_with_texel_colors(shaded, 3, &coordinate, GLASM_SATURATION_UNSIGNED, &variant);
    check_variant(shaded, result, variant);
    CHECK(glasm_program_with_texel_colors(shaded, 3, &coordinate, 9, &variant) == GLASM_RESULT_INVALID_ARGUMENT && variant == NULL);
    CHECK(glasm_program_with_texel_colors(shaded, 3, NULL, 0, &variant) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_program_with_missing_textures(NULL, 4, &variant) == GLASM_RESULT_INVALID_ARGUMENT);
    glasm_program_free(textured);
    glasm_program_free(shaded);
}

static void test_fixed_functions(void)
{
    glasm_fixed_vertex_key vertex_key;
    glasm_fixed_fragment_key fragment_key;
    CHECK(glasm_fixed_vertex_key_init(&vertex_key, sizeof vertex_key) == GLASM_RESULT_OK);
    CHECK(glasm_fixed_fragment_key_init(&fragment_key, sizeof fragment_key) == GLASM_RESULT_OK);
    glasm_state *state = glasm_state_create();
    const float position[4] = {1, 2, 3, 1};
    CHECK(glasm_state_set(state, GLASM_STATE_VARIABLE_LIGHT_POSITION, 0, position, 4) == GLASM_RESULT_OK);
    vertex_key.lighting = 1;
    CHECK(glasm_state_light_key(state, 0, &vertex_key.lights[0]) == GLASM_RESULT_OK);
    CHECK(vertex_key.lights[0].enabled && vertex_key.lights[0].positional && !vertex_key.lights[0].attenuated && !vertex_key.lights[0].spot);
    vertex_key.tex_coord_sets[1].is_read = 1;
    vertex_key.tex_coord_sets[1].generation_modes[0] = GLASM_TEXGEN_MODE_SPHERE_MAP;
    vertex_key.has_fog_coordinate = 1;
    fragment_key.texture_units[1].has_texture = 1;
    fragment_key.texture_units[1].environment = GLASM_TEXTURE_ENVIRONMENT_COMBINE;
    fragment_key.texture_units[1].combine_rgb.scale = 2;
    fragment_key.has_fog = 1;
    glasm_program *programs[2];
    CHECK(glasm_program_create_fixed_vertex(NULL, &vertex_key, &programs[0]) == GLASM_RESULT_OK);
    CHECK(glasm_program_create_fixed_fragment(NULL, &fragment_key, &programs[1]) == GLASM_RESULT_OK);
    CHECK(glasm_program_stage(programs[0]) == GLASM_STAGE_VERTEX && glasm_program_stage(programs[1]) == GLASM_STAGE_FRAGMENT);
    glasm_pipeline *pipeline;
    CHECK(glasm_pipeline_link(NULL, (const glasm_program *const *)programs, 2, NULL, &pipeline) == GLASM_RESULT_OK);
    size_t count = 9;
    glasm_pipeline_unwritten_inputs(pipeline, &count);
    CHECK(count == 0);
    const glasm_shader *shader = glasm_pipeline_shader(pipeline, GLASM_STAGE_FRAGMENT);
    CHECK(shader != NULL && glasm_shader_stage(shader) == GLASM_STAGE_FRAGMENT);
    CHECK(glasm_pipeline_shader(pipeline, GLASM_STAGE_GEOMETRY) == NULL && glasm_pipeline_shader(pipeline, 99) == NULL);
    CHECK(glasm_pipeline_shader(NULL, GLASM_STAGE_VERTEX) == NULL);
    glasm_pipeline_free(pipeline);

    /* The diffuse color of the front is attribute 6, the specular one attribute 1; attribute 9 is texture coordinate set 1. */
    uint32_t mask = 0;
    vertex_key.material_attribute_mask = 0x206;
    CHECK(glasm_fixed_vertex_material_attributes(&vertex_key, &mask) == GLASM_RESULT_OK && mask == 6);
    vertex_key.material_attribute_mask = 0x400;
    CHECK(glasm_fixed_vertex_material_attributes(&vertex_key, &mask) == GLASM_RESULT_INVALID_ARGUMENT && mask == 0);
    vertex_key.material_attribute_mask = 0x206;
    vertex_key.normal_scaling = 3;
    mask = 9;
    CHECK(glasm_fixed_vertex_material_attributes(&vertex_key, &mask) == GLASM_RESULT_INVALID_ARGUMENT && mask == 0);

    /* A key that only its size initializes. */
    glasm_fixed_fragment_key zeros = {.size = sizeof zeros};
    zeros.texture_units[0].has_texture = 1;
    glasm_program *program;
    CHECK(glasm_program_create_fixed_fragment(NULL, &zeros, &program) == GLASM_RESULT_INVALID_ARGUMENT && program == NULL);
    fragment_key.texture_units[1].combine_rgb.scale = 3;
    glasm_program *none;
    CHECK(glasm_program_create_fixed_vertex(NULL, &vertex_key, &none) == GLASM_RESULT_INVALID_ARGUMENT && none == NULL);
    CHECK(glasm_program_create_fixed_fragment(NULL, &fragment_key, &none) == GLASM_RESULT_INVALID_ARGUMENT && none == NULL);
    CHECK(glasm_state_light_key(NULL, 0, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_state_light_key(NULL, 8, &vertex_key.lights[0]) == GLASM_RESULT_INVALID_ARGUMENT);
    glasm_state_free(state);
    glasm_program_free(programs[0]);
    glasm_program_free(programs[1]);
}

/* Expects that a shader cannot be written, because it was compiled for another language. */
static void check_language_mismatch(const glasm_shader *shader, const glasm_text_options *options, const char *compiled_for)
{
    glasm_text *text = (glasm_text *)1;
    glasm_diagnostics *diagnostics = (glasm_diagnostics *)1;
    CHECK(glasm_shader_write_text(shader, options, &text, &diagnostics) == GLASM_RESULT_LANGUAGE_MISMATCH);
    CHECK(text == NULL && diagnostics == NULL);
    const char *message = glasm_error_message();
    CHECK(strstr(message, compiled_for) != NULL && strstr(message, options->language) != NULL);
}

static void test_texts(void)
{
    glasm_program *programs[2] = {load(INVARIANT), load(SHADED)};
    glasm_text_options options;
    glasm_text_options_init(&options, sizeof options);
    options.language = "wgsl";
    glasm_pipeline *pipeline = NULL;
    glasm_result result = glasm_pipeline_link_for_text(NULL, (const glasm_program *const *)programs, 2, &options, &pipeline);
    if (result == GLASM_RESULT_FEATURE_NOT_BUILT) {
        CHECK(pipeline == NULL && glasm_shader_write_text(NULL, NULL, NULL, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    } else {
        CHECK(result == GLASM_RESULT_OK);
        for (uint32_t stage = 0; stage < 6; stage++) {
            const glasm_shader *shader = glasm_pipeline_shader(pipeline, stage);
            if (shader == NULL)
                continue;
            glasm_text *text;
            glasm_diagnostics *diagnostics;
            CHECK(glasm_shader_write_text(shader, &options, &text, &diagnostics) == GLASM_RESULT_OK && diagnostics == NULL);
            CHECK(strstr(glasm_text_string(text, NULL), stage == GLASM_STAGE_VERTEX ? "@vertex" : "@fragment") != NULL);
            glasm_text_free(text);
            /* A shader from a cache is still for its language. */
            size_t count;
            const uint32_t *words = glasm_shader_spirv(shader, &count);
            glasm_shader *restored;
            CHECK(glasm_shader_create_from_cache(words, count, glasm_shader_reflection_json(shader), &restored) == GLASM_RESULT_OK);
            CHECK(glasm_shader_write_text(restored, &options, &text, NULL) == GLASM_RESULT_OK);
            glasm_text_free(text);
            glasm_text_options other = options;
            other.language = "glsl450";
            check_language_mismatch(restored, &other, "wgsl");
            glasm_shader_free(restored);
        }
        glasm_pipeline_free(pipeline);
        glasm_shader *shader = compile(programs[0], NULL);
        check_language_mismatch(shader, &options, "SPIR-V");
        glasm_shader_free(shader);
        options.language = "klingon";
        CHECK(glasm_pipeline_link_for_text(NULL, NULL, 0, &options, &pipeline) == GLASM_RESULT_INVALID_ARGUMENT);
    }
    glasm_program_free(programs[0]);
    glasm_program_free(programs[1]);
}

static void test_pipeline_texts(void)
{
    const glasm_program *programs[2] = {load(INVARIANT), load(SHADED)};
    glasm_text_options options;
    glasm_text_options_init(&options, sizeof options);
    options.language = "glsl450";
    glasm_pipeline *pipeline = NULL;
    glasm_result result = glasm_pipeline_write_text(NULL, programs, 2, &options, &pipeline);
    if (result != GLASM_RESULT_FEATURE_NOT_BUILT) {
        CHECK(result == GLASM_RESULT_OK && strcmp(glasm_pipeline_render_diagnostics(pipeline), "") == 0);
        const char *vertex = glasm_text_string(glasm_pipeline_text(pipeline, GLASM_STAGE_VERTEX), NULL);
        const char *fragment = glasm_text_string(glasm_pipeline_text(pipeline, GLASM_STAGE_FRAGMENT), NULL);
        CHECK(strstr(vertex, "gl_Position") != NULL && strstr(fragment, "gl_Position") == NULL);
        CHECK(strncmp(vertex, "#version 450", 12) == 0 && strncmp(fragment, "#version 450", 12) == 0);
        /* The shaders of the stages are those that were written, with numbers of blocks that differ from stage to stage. */
        CHECK(glasm_shader_is_equal(glasm_pipeline_shader(pipeline, GLASM_STAGE_VERTEX), glasm_text_shader(glasm_pipeline_text(pipeline, GLASM_STAGE_VERTEX))));
        uint32_t numbers[2];
        const glasm_pipeline_stage *stages = glasm_pipeline_stages(pipeline, NULL);
        CHECK(stages[0].text == glasm_pipeline_text(pipeline, GLASM_STAGE_VERTEX) && stages[1].text == glasm_pipeline_text(pipeline, GLASM_STAGE_FRAGMENT));
        for (uint32_t i = 0; i < 2; i++) {
            size_t count;
            const glasm_text_resource *resources = glasm_text_resources(stages[i].text, &count);
            CHECK(count == 1 && resources[0].kind == GLASM_TEXT_RESOURCE_KIND_UNIFORM_BUFFER);
            numbers[i] = resources[0].binding_number;
        }
        CHECK(numbers[0] == 0 && numbers[1] == 18);
        CHECK(glasm_pipeline_text(pipeline, GLASM_STAGE_GEOMETRY) == NULL && glasm_pipeline_text(pipeline, 99) == NULL);
        glasm_pipeline_free(pipeline);

        /* GLSL has no memory by address: only the other stage is written. */
        const glasm_program *loading[2] = {programs[0], load("!!NVfp5.0\nTEMP r;\nLOAD.F32 r, program.local[0].x;\nMOV result.color, r;\nEND\n")};
        CHECK(glasm_pipeline_write_text(NULL, loading, 2, &options, &pipeline) == GLASM_RESULT_PROGRAM_ERROR && pipeline != NULL);
        CHECK(glasm_pipeline_text(pipeline, GLASM_STAGE_FRAGMENT) == NULL && glasm_pipeline_shader(pipeline, GLASM_STAGE_FRAGMENT) == NULL);
        CHECK(strcmp(glasm_pipeline_render_diagnostics(pipeline), "") != 0);
        CHECK(strstr(glasm_error_message(), "test: ") == glasm_error_message());
        CHECK(glasm_pipeline_text(pipeline, GLASM_STAGE_VERTEX) != NULL);
        glasm_pipeline_free(pipeline);
        glasm_program_free((glasm_program *)loading[1]);
        options.language = "klingon";
        CHECK(glasm_pipeline_write_text(NULL, programs, 2, &options, &pipeline) == GLASM_RESULT_INVALID_ARGUMENT && pipeline == NULL);
    }
    /* Pipelines for SPIR-V have no texts. */
    CHECK(glasm_pipeline_link(NULL, programs, 2, NULL, &pipeline) == GLASM_RESULT_OK);
    CHECK(glasm_pipeline_text(pipeline, GLASM_STAGE_VERTEX) == NULL && glasm_pipeline_text(NULL, GLASM_STAGE_VERTEX) == NULL);
    glasm_pipeline_free(pipeline);
    for (int i = 0; i < 2; i++)
        glasm_program_free((glasm_program *)programs[i]);
}

static void test_pipeline_layouts(void)
{
    const glasm_program *programs[2] = {load("!!NVvp4.0\nTEMP t;\nTEX t, vertex.texcoord[0], texture[2], 3D;\nMOV result.color, t;\nADD result.position, t, program.local[0];\nEND\n"), load(SHADED)};
    const glasm_set_layout *sets = (const glasm_set_layout *)1;
    size_t count = 9;
    glasm_pipeline *pipeline;
    CHECK(glasm_pipeline_link(NULL, programs, 2, NULL, &pipeline) == GLASM_RESULT_OK);
    CHECK(glasm_pipeline_set_layouts(pipeline, &sets, &count) == GLASM_RESULT_OK && count == 2);
    /* Parameters in set 0, at the numbers of the stages; textures in set 1, at the numbers of their units. */
    CHECK(sets[0].set == 0 && sets[0].binding_count == 2 && sets[0].bindings[0].binding == 0 && sets[0].bindings[1].binding == 4);
    CHECK(sets[0].bindings[0].stage_flags == 1 && sets[0].bindings[1].stage_flags == 0x10);
    CHECK(sets[1].set == 1 && sets[1].binding_count == 1 && sets[1].bindings[0].binding == 2 && sets[1].bindings[0].descriptor_type == GLASM_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER);
    const glasm_set_layout *again;
    CHECK(glasm_pipeline_set_layouts(pipeline, &again, &count) == GLASM_RESULT_OK && again == sets && count == 2);
    CHECK(glasm_pipeline_set_layouts(pipeline, NULL, &count) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_pipeline_set_layouts(NULL, &sets, &count) == GLASM_RESULT_INVALID_ARGUMENT && sets == NULL && count == 0);
    glasm_pipeline_free(pipeline);

    /* Parameters and a texture at one slot. */
    glasm_options options;
    glasm_options_init(&options, sizeof options);
    options.parameter_block_set = 1;
    options.parameter_block_binding = 2;
    CHECK(glasm_pipeline_link(NULL, programs, 2, &options, &pipeline) == GLASM_RESULT_OK);
    CHECK(glasm_pipeline_set_layouts(pipeline, &sets, &count) == GLASM_RESULT_DESCRIPTOR_CONFLICT && sets == NULL && count == 0);
    CHECK(strstr(glasm_error_message(), "set 1") != NULL);
    glasm_pipeline_free(pipeline);
    for (int i = 0; i < 2; i++)
        glasm_program_free((glasm_program *)programs[i]);
}

static void test_pipeline_cache(void)
{
    const glasm_program *programs[2] = {load(INVARIANT), load(SHADED)};
    glasm_options options;
    glasm_options_init(&options, sizeof options);
    glasm_pipeline_cache *cache = glasm_pipeline_cache_create();
    const glasm_pipeline *first, *pipeline;
    glasm_bool is_added = 9;
    CHECK(glasm_pipeline_cache_get(cache, NULL, programs, 2, &options, &first, &is_added) == GLASM_RESULT_OK && is_added == 1);
    CHECK(glasm_pipeline_shader(first, GLASM_STAGE_VERTEX) != NULL && glasm_pipeline_shader(first, GLASM_STAGE_FRAGMENT) != NULL);
    CHECK(glasm_pipeline_cache_get(cache, NULL, programs, 2, NULL, &pipeline, &is_added) == GLASM_RESULT_OK && pipeline == first && is_added == 0);
    /* Neither program has texture coordinates; the fragment program has a color. */
    options.coord_replace_mask = 1;
    CHECK(glasm_pipeline_cache_get(cache, NULL, programs, 2, &options, &pipeline, NULL) == GLASM_RESULT_OK && pipeline == first);
    options.flat_colors = 1;
    CHECK(glasm_pipeline_cache_get(cache, NULL, programs, 2, &options, &pipeline, &is_added) == GLASM_RESULT_OK && pipeline != first && is_added == 1);
    CHECK(!glasm_shader_is_equal(glasm_pipeline_shader(first, GLASM_STAGE_FRAGMENT), glasm_pipeline_shader(pipeline, GLASM_STAGE_FRAGMENT)));
    CHECK(glasm_pipeline_find_changed_stages(pipeline, first) == 1u << GLASM_STAGE_FRAGMENT);
    CHECK(glasm_pipeline_find_changed_stages(first, first) == 0);
    CHECK(glasm_pipeline_find_changed_stages(NULL, first) == 0);
    /* All stages of the first draw. */
    CHECK(glasm_pipeline_find_changed_stages(first, NULL) == (1u << GLASM_STAGE_VERTEX | 1u << GLASM_STAGE_FRAGMENT));
    const glasm_pipeline *single;
    CHECK(glasm_pipeline_cache_get(cache, NULL, programs, 1, &options, &single, &is_added) == GLASM_RESULT_OK && is_added == 1);
    /* Only one of them has a fragment stage; the color has location 0 in both vertex modules. */
    CHECK(glasm_pipeline_find_changed_stages(single, pipeline) == 1u << GLASM_STAGE_FRAGMENT);

    /* Linking removes the color that the vertex program does not write: the fragment program alone depends on the state, the pipeline does not. */
    const glasm_program *colorless[2] = {load("!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.texcoord[0], vertex.texcoord[0];\nEND\n"), programs[1]};
    const glasm_pipeline *smooth, *flat;
    uint8_t keys[2][GLASM_CACHE_KEY_SIZE];
    CHECK(glasm_pipeline_cache_key(colorless, 2, &options, keys[0]) == GLASM_RESULT_OK);
    CHECK(glasm_pipeline_cache_get(cache, NULL, colorless, 2, &options, &flat, &is_added) == GLASM_RESULT_OK && is_added == 1);
    options.flat_colors = 0;
    CHECK(glasm_pipeline_cache_key(colorless, 2, &options, keys[1]) == GLASM_RESULT_OK && memcmp(keys[0], keys[1], sizeof keys[0]) != 0);
    CHECK(glasm_pipeline_cache_get(cache, NULL, colorless, 2, &options, &smooth, &is_added) == GLASM_RESULT_OK && is_added == 0 && smooth == flat);
    CHECK(glasm_pipeline_cache_get(cache, NULL, colorless, 2, &options, &smooth, &is_added) == GLASM_RESULT_OK && is_added == 0 && smooth == flat);
    glasm_program_free((glasm_program *)colorless[0]);

    /* A pipeline with errors: compiled once, reported each time. */
    const char *const none[] = {NULL};
    const glasm_program *loading = load("!!NVfp5.0\nTEMP r;\nLOAD.F32 r, program.local[0].x;\nMOV result.color, r;\nEND\n");
    options.features = none;
    for (glasm_bool i = 0; i < 2; i++) {
        CHECK(glasm_pipeline_cache_get(cache, NULL, &loading, 1, &options, &pipeline, &is_added) == GLASM_RESULT_PROGRAM_ERROR && is_added == !i);
        CHECK(strstr(glasm_error_message(), "bufferDeviceAddress") != NULL && glasm_pipeline_stages(pipeline, NULL)[0].diagnostics != NULL);
    }

    /* The pipelines of a program are removed, with those that have errors; others remain, and handles of the caller. */
    CHECK(glasm_pipeline_has_program(single, programs[0]) == 1 && glasm_pipeline_has_program(single, programs[1]) == 0);
    CHECK(glasm_pipeline_has_program(NULL, programs[0]) == 0 && glasm_pipeline_has_program(single, NULL) == 0);
    glasm_pipeline *bound = glasm_pipeline_clone(first);
    CHECK(bound == first && glasm_pipeline_clone(NULL) == NULL);
    glasm_pipeline_cache_remove(cache, programs[1]);
    glasm_pipeline_cache_remove(cache, loading);
    glasm_pipeline_cache_remove(NULL, programs[0]);
    glasm_pipeline_cache_remove(cache, NULL);
    CHECK(glasm_pipeline_find_changed_stages(bound, single) == 1u << GLASM_STAGE_FRAGMENT && glasm_pipeline_has_program(bound, programs[1]) == 1);
    CHECK(glasm_pipeline_cache_get(cache, NULL, &loading, 1, &options, &pipeline, &is_added) == GLASM_RESULT_PROGRAM_ERROR && is_added == 1);
    CHECK(glasm_pipeline_cache_get(cache, NULL, programs, 2, NULL, &pipeline, &is_added) == GLASM_RESULT_OK && is_added == 1 && pipeline != bound);
    CHECK(glasm_pipeline_cache_get(cache, NULL, programs, 1, NULL, &pipeline, &is_added) == GLASM_RESULT_OK && is_added == 0 && pipeline == single);
    glasm_pipeline_free(bound);
    CHECK(glasm_pipeline_cache_count(cache) == 2 && glasm_pipeline_cache_count(NULL) == 0);
    glasm_pipeline_cache_clear(cache);
    CHECK(glasm_pipeline_cache_count(cache) == 0);
    CHECK(glasm_pipeline_cache_get(cache, NULL, programs, 2, NULL, &pipeline, &is_added) == GLASM_RESULT_OK && is_added == 1);
    CHECK(glasm_pipeline_cache_get(cache, NULL, programs, 0, NULL, &pipeline, &is_added) == GLASM_RESULT_INVALID_ARGUMENT && pipeline == NULL && is_added == 0);
    CHECK(glasm_pipeline_cache_get(NULL, NULL, programs, 2, NULL, &pipeline, NULL) == GLASM_RESULT_INVALID_ARGUMENT && pipeline == NULL);
    CHECK(glasm_pipeline_cache_get(cache, NULL, programs, 2, NULL, NULL, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    glasm_pipeline_cache_clear(NULL);
    glasm_pipeline_cache_free(cache);
    glasm_pipeline_cache_free(NULL);
    glasm_program_free((glasm_program *)loading);
    for (int i = 0; i < 2; i++)
        glasm_program_free((glasm_program *)programs[i]);
}

static void test_stale_blocks(void)
{
    glasm_program *program = load(SHADED);
    glasm_shader *shader = compile(program, NULL);
    CHECK(glasm_shader_state_groups(shader) == GLASM_STATE_GROUP_FOG && glasm_shader_state_groups(NULL) == 0);
    glasm_state *state = glasm_state_create();
    uint64_t first = 0, second = 0;
    CHECK(glasm_state_take_changes(state, &first) == 0xffffff && glasm_state_take_changes(state, &first) == 0);
    CHECK(glasm_state_take_changes(NULL, &first) == 0 && glasm_state_take_changes(state, NULL) == 0);
    const float color[4] = {1, 0, 0, 1};
    CHECK(glasm_state_set(state, GLASM_STATE_VARIABLE_FOG_COLOR, 0, color, 4) == GLASM_RESULT_OK);
    CHECK(glasm_state_set(state, GLASM_STATE_VARIABLE_LIGHT_DIFFUSE, 1, color, 4) == GLASM_RESULT_OK);
    CHECK(glasm_state_take_changes(state, &first) == (GLASM_STATE_GROUP_FOG | GLASM_STATE_GROUP_LIGHTS));
    CHECK(glasm_state_take_changes(state, &second) == 0xffffff);
    CHECK(glasm_state_set(state, GLASM_STATE_VARIABLE_FOG_COLOR, 0, color, 4) == GLASM_RESULT_OK);
    CHECK(glasm_state_take_changes(state, &first) == 0);
    CHECK(glasm_state_take_changes(state, &second) == 0);
    glasm_state_free(state);
    glasm_shader_free(shader);
    glasm_program_free(program);
}

static void test_updated_blocks(void)
{
    glasm_program *program = load(SHADED);
    glasm_shader *shader = compile(program, NULL);
    glasm_state *state = glasm_state_create();
    uint64_t revision = 0;
    float block[1][4] = {{9, 9, 9, 9}};
    glasm_bool is_changed = 9;
    const float color[4] = {1, 0.5f, 0.25f, 1}, black[4] = {0, 0, 0, 0};
    CHECK(glasm_shader_update_parameter_block(shader, state, NULL, &revision, block[0], 1, &is_changed) == GLASM_RESULT_OK && is_changed == 1);
    CHECK(memcmp(block[0], black, sizeof black) == 0);
    CHECK(glasm_shader_update_parameter_block(shader, state, NULL, &revision, block[0], 1, &is_changed) == GLASM_RESULT_OK && is_changed == 0);
    CHECK(glasm_state_set(state, GLASM_STATE_VARIABLE_FOG_COLOR, 0, color, 4) == GLASM_RESULT_OK);
    /* A call that fails does not take the change. */
    CHECK(glasm_shader_update_parameter_block(shader, state, NULL, &revision, block[0], 0, &is_changed) == GLASM_RESULT_INVALID_ARGUMENT && is_changed == 0);
    CHECK(glasm_shader_update_parameter_block(shader, state, NULL, &revision, NULL, 1, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_shader_update_parameter_block(shader, state, NULL, &revision, block[0], 1, &is_changed) == GLASM_RESULT_OK && is_changed == 1);
    CHECK(memcmp(block[0], color, sizeof color) == 0);
    CHECK(glasm_state_set(state, GLASM_STATE_VARIABLE_POINT_SIZE, 0, color, 1) == GLASM_RESULT_OK);
    CHECK(glasm_shader_update_parameter_block(shader, state, NULL, &revision, block[0], 1, &is_changed) == GLASM_RESULT_OK && is_changed == 0);
    /* Another state has other values, although as many have changed; a copy changes in its own way. */
    glasm_state *other = glasm_state_create();
    const float blue[4] = {0, 0, 1, 1};
    CHECK(glasm_state_set(other, GLASM_STATE_VARIABLE_FOG_COLOR, 0, blue, 4) == GLASM_RESULT_OK);
    CHECK(glasm_shader_update_parameter_block(shader, other, NULL, &revision, block[0], 1, &is_changed) == GLASM_RESULT_OK && is_changed == 1);
    CHECK(memcmp(block[0], blue, sizeof blue) == 0);
    glasm_state *copy = glasm_state_clone(other);
    CHECK(glasm_shader_update_parameter_block(shader, copy, NULL, &revision, block[0], 1, &is_changed) == GLASM_RESULT_OK && is_changed == 0);
    CHECK(glasm_state_set(copy, GLASM_STATE_VARIABLE_FOG_COLOR, 0, color, 4) == GLASM_RESULT_OK);
    CHECK(glasm_shader_update_parameter_block(shader, copy, NULL, &revision, block[0], 1, &is_changed) == GLASM_RESULT_OK && is_changed == 1);
    CHECK(glasm_shader_update_parameter_block(shader, other, NULL, &revision, block[0], 1, &is_changed) == GLASM_RESULT_OK && is_changed == 1);
    CHECK(memcmp(block[0], blue, sizeof blue) == 0);
    glasm_state_free(copy);
    glasm_state_free(other);
    CHECK(glasm_shader_update_parameter_block(shader, state, NULL, NULL, block[0], 1, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_shader_update_parameter_block(shader, NULL, NULL, &revision, block[0], 1, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_shader_update_parameter_block(NULL, state, NULL, &revision, block[0], 1, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    glasm_shader_free(shader);
    glasm_program_free(program);

    program = load("!!ARBfp1.0\nMAD result.color, state.fog.params, program.local[2], program.env[1];\nEND\n");
    shader = compile(program, NULL);
    const float local[3][4] = {{0}, {0}, {1, 2, 3, 4}};
    const glasm_parameter_values values = {.size = sizeof values, .local = local[0], .local_count = 3};
    glasm_parameter_value list[3];
    size_t count = 9;
    CHECK(glasm_shader_list_parameters(shader, state, &values, NULL, 0, &count) == GLASM_RESULT_OK && count == 3);
    CHECK(glasm_shader_list_parameters(shader, state, &values, list, 2, &count) == GLASM_RESULT_INVALID_ARGUMENT && count == 3);
    CHECK(glasm_shader_list_parameters(shader, state, &values, list, 3, &count) == GLASM_RESULT_OK && count == 3);
    /* GL's initial fog has density 1, start 0 and end 1; an environment parameter that was not set is 0. */
    const struct { const char *name; float value[4]; } expected[3] = {
        {"state.fog.params", {1, 0, 1, 1}}, {"program.local[2]", {1, 2, 3, 4}}, {"program.env[1]", {0}}};
    float filled[3][4];
    CHECK(glasm_shader_fill_parameter_block(shader, state, &values, filled[0], 3) == GLASM_RESULT_OK);
    for (size_t i = 0; i < 3; i++) {
        int found = 0;
        for (size_t j = 0; j < 3; j++)
            found += strcmp(list[i].name, expected[j].name) == 0 && memcmp(list[i].value, expected[j].value, sizeof filled[0]) == 0;
        CHECK(found == 1 && list[i].offset == 16 * i && memcmp(list[i].value, filled[i], sizeof filled[0]) == 0);
    }
    CHECK(glasm_shader_list_parameters(NULL, state, &values, list, 3, &count) == GLASM_RESULT_INVALID_ARGUMENT && count == 0);
    CHECK(glasm_shader_list_parameters(shader, NULL, NULL, list, 3, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_shader_list_parameters(shader, NULL, NULL, list, 3, &count) == GLASM_RESULT_OK && count == 3);
    glasm_shader_free(shader);
    glasm_program_free(program);
    glasm_state_free(state);
}

/* Environment parameters belong to a target, local ones to a program: those of other programs do not concern a block. */
static void test_blocks_of_several_programs(void)
{
    static const char *const sources[3] = {
        "!!ARBvp1.0\nADD result.position, program.env[0], program.local[0];\nEND\n",
        "!!ARBvp1.0\nMUL result.position, program.env[0], program.local[0];\nEND\n",
        "!!ARBfp1.0\nADD result.color, program.env[0], program.local[0];\nEND\n",
    };
    static const struct {
        int is_local, index;    /* the value that is set */
        glasm_bool expected[3]; /* blocks that change */
    } draws[] = {{1, 0, {1, 1, 1}}, {1, 1, {0, 1, 0}}, {0, 1, {0, 0, 1}}, {0, 0, {1, 1, 0}}};
    glasm_state *state = glasm_state_create();
    glasm_shader *shaders[3];
    for (int i = 0; i < 3; i++) {
        glasm_program *program = load(sources[i]);
        shaders[i] = compile(program, NULL);
        glasm_program_free(program);
    }
    float env[2][4] = {{0}}, local[3][4] = {{0}}, blocks[3][2][4];
    uint64_t revisions[3] = {0};
    for (size_t draw = 0; draw < sizeof draws / sizeof *draws; draw++) {
        (draws[draw].is_local ? local : env)[draws[draw].index][2] = 5;
        for (int i = 0; i < 3; i++) {
            const glasm_parameter_values values = {.size = sizeof values, .env = env[i / 2], .env_count = 1, .local = local[i], .local_count = 1};
            glasm_bool is_changed = 9;
            CHECK(glasm_shader_update_parameter_block(shaders[i], state, &values, &revisions[i], blocks[i][0], 2, &is_changed) == GLASM_RESULT_OK);
            CHECK(is_changed == draws[draw].expected[i]);
        }
    }
    /* Both parameters of the first program are set. */
    CHECK(blocks[0][0][2] == 5 && blocks[0][1][2] == 5 && blocks[0][0][0] == 0);
    CHECK(glasm_shader_update_parameter_block(shaders[0], state, NULL, &revisions[0], blocks[0][0], 1, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(strcmp(glasm_error_message(), "`vector_count` is 1, but the parameter block has 2 vectors") == 0);
    for (int i = 0; i < 3; i++)
        glasm_shader_free(shaders[i]);
    glasm_state_free(state);
}

/* glTexParameteri(GL_TEXTURE_2D, ...): vulkan.c has all values. */
static void test_wraps_of_opengl(void)
{
    enum { NEAREST = 0x2600, LINEAR = 0x2601, LINEAR_MIPMAP_NEAREST = 0x2701, CLAMP = 0x2900, REPEAT = 0x2901 };
    const uint32_t modes[3] = {CLAMP, REPEAT, REPEAT};
    glasm_texture_wrap wrap;
    CHECK(glasm_texture_wrap_from_gl(modes, NEAREST, LINEAR_MIPMAP_NEAREST, &wrap) == GLASM_RESULT_OK);
    CHECK(wrap.wrap_modes[0] == GLASM_WRAP_MODE_CLAMP && wrap.wrap_modes[1] == GLASM_WRAP_MODE_BY_SAMPLER);
    CHECK(wrap.mag_filter == GLASM_TEXEL_FILTER_NEAREST && wrap.min_filter == GLASM_TEXEL_FILTER_LINEAR && wrap.mip_filter == GLASM_MIP_FILTER_NEAREST);
    CHECK(glasm_texture_wrap_from_gl(modes, LINEAR_MIPMAP_NEAREST, LINEAR, &wrap) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_texture_wrap_from_gl(modes, CLAMP, LINEAR, &wrap) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_texture_wrap_from_gl(NULL, LINEAR, LINEAR, &wrap) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_texture_wrap_from_gl(modes, LINEAR, LINEAR, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
}

static void check_matrix(const glasm_state *state, uint32_t matrix, uint32_t index, const float *expected)
{
    float values[16];
    CHECK(glasm_state_get_matrix(state, matrix, index, GLASM_MATRIX_FORM_PLAIN, values) == GLASM_RESULT_OK);
    int is_equal = 1;
    for (int i = 0; i < 16; i++)
        is_equal &= values[i] == expected[i];
    CHECK(is_equal);
}

static void test_matrix_commands(void)
{
    glasm_state *state = glasm_state_create();
    const uint32_t modelview = GLASM_MATRIX_MODELVIEW, texture = GLASM_MATRIX_TEXTURE, projection = GLASM_MATRIX_PROJECTION;
    const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    CHECK(glasm_state_matrix_stack_depth(state, modelview, 0) == 1);
    CHECK(glasm_state_push_matrix(state, modelview, 0) == GLASM_RESULT_OK && glasm_state_matrix_stack_depth(state, modelview, 0) == 2);
    CHECK(glasm_state_translate(state, modelview, 0, 10, 20, 30) == GLASM_RESULT_OK);
    CHECK(glasm_state_rotate(state, modelview, 0, 90, 0, 0, 1) == GLASM_RESULT_OK);
    CHECK(glasm_state_scale(state, modelview, 0, 2, 3, 4) == GLASM_RESULT_OK);
    /* The columns: the images of the axes, x times 2 becomes y, y times 3 becomes -x, z times 4; and the translation. */
    const float moved[16] = {0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 10, 20, 30, 1};
    check_matrix(state, modelview, 0, moved);
    check_matrix(state, texture, 1, identity);
    CHECK(glasm_state_set_matrix(state, texture, 1, moved) == GLASM_RESULT_OK);
    const float exchanged[16] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    CHECK(glasm_state_multiply_matrix(state, texture, 1, exchanged) == GLASM_RESULT_OK);
    /* x and y are exchanged before: the first two columns. */
    const float product[16] = {-3, 0, 0, 0, 0, 2, 0, 0, 0, 0, 4, 0, 10, 20, 30, 1};
    check_matrix(state, texture, 1, product);
    CHECK(glasm_state_pop_matrix(state, modelview, 0) == GLASM_RESULT_OK);
    check_matrix(state, modelview, 0, identity);
    CHECK(glasm_state_pop_matrix(state, modelview, 0) == GLASM_RESULT_STACK_UNDERFLOW);
    for (uint32_t depth = 1; depth < GLASM_MAX_MATRIX_STACK_DEPTH; depth++)
        CHECK(glasm_state_push_matrix(state, modelview, 0) == GLASM_RESULT_OK);
    CHECK(glasm_state_push_matrix(state, modelview, 0) == GLASM_RESULT_STACK_OVERFLOW && strstr(glasm_error_message(), "full") != NULL);
    CHECK(glasm_state_matrix_stack_depth(state, modelview, 0) == 32 && glasm_state_matrix_stack_depth(state, modelview, 1) == 1);

    /* 2n / (r - l) = 1/2, (r + l) / (r - l) = 1/2, -(f + n) / (f - n) = -3/2, -2fn / (f - n) = -5/2. */
    const float frustum[16] = {0.5f, 0, 0, 0, 0, 0.5f, 0, 0, 0.5f, 0, -1.5f, -1, 0, 0, -2.5f, 0};
    CHECK(glasm_state_multiply_frustum(state, projection, 0, -1, 3, -2, 2, 1, 5) == GLASM_RESULT_OK);
    check_matrix(state, projection, 0, frustum);
    CHECK(glasm_state_multiply_frustum(state, projection, 0, -1, 3, -2, 2, 0, 5) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_state_multiply_ortho(state, projection, 0, -1, 3, 2, 2, 0, 5) == GLASM_RESULT_INVALID_ARGUMENT);
    check_matrix(state, projection, 0, frustum);
    /* 2 / (r - l) = 1/2, -2 / (f - n) = -1/2, -(r + l) / (r - l) = -1/2, -(f + n) / (f - n) = -3/2. */
    const float ortho[16] = {0.5f, 0, 0, 0, 0, 0.5f, 0, 0, 0, 0, -0.5f, 0, -0.5f, 0, -1.5f, 1};
    CHECK(glasm_state_set_matrix(state, projection, 0, identity) == GLASM_RESULT_OK);
    CHECK(glasm_state_multiply_ortho(state, projection, 0, -1, 3, -2, 2, 1, 5) == GLASM_RESULT_OK);
    check_matrix(state, projection, 0, ortho);

    CHECK(glasm_state_push_matrix(state, GLASM_MATRIX_MODELVIEW_PROJECTION, 0) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_state_push_matrix(state, projection, 1) == GLASM_RESULT_INVALID_ARGUMENT && glasm_state_push_matrix(state, 99, 0) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_state_translate(state, texture, UINT32_MAX, 1, 2, 3) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_state_scale(NULL, modelview, 0, 1, 2, 3) == GLASM_RESULT_INVALID_ARGUMENT && glasm_state_matrix_stack_depth(NULL, modelview, 0) == 0);
    CHECK(glasm_state_multiply_matrix(state, modelview, 0, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    glasm_state_free(state);

    uint32_t matrix = 99, index = 99;
    CHECK(glasm_matrix_from_gl(0x1702, 3, &matrix, &index) == GLASM_RESULT_OK && matrix == GLASM_MATRIX_TEXTURE && index == 3);
    CHECK(glasm_matrix_from_gl(0x8722, 3, &matrix, &index) == GLASM_RESULT_OK && matrix == GLASM_MATRIX_MODELVIEW && index == 2);
    CHECK(glasm_matrix_from_gl(0x88c7, 3, &matrix, &index) == GLASM_RESULT_OK && matrix == GLASM_MATRIX_PROGRAM && index == 7);
    CHECK(glasm_matrix_from_gl(0x1701, 3, &matrix, &index) == GLASM_RESULT_OK && matrix == GLASM_MATRIX_PROJECTION && index == 0);
    CHECK(glasm_matrix_from_gl(0x1800, 3, &matrix, &index) == GLASM_RESULT_OK && matrix == GLASM_MATRIX_COLOR && index == 0);
    CHECK(glasm_matrix_from_gl(0x1703, 3, &matrix, &index) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_matrix_from_gl(0x1701, 3, NULL, &index) == GLASM_RESULT_INVALID_ARGUMENT && glasm_matrix_from_gl(0x1701, 3, &matrix, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
}

static void test_names(void)
{
    CHECK(strcmp(glasm_stage_file_extension(GLASM_STAGE_VERTEX), "vert") == 0 && strcmp(glasm_stage_file_extension(GLASM_STAGE_TESS_CONTROL), "tesc") == 0);
    CHECK(strcmp(glasm_stage_file_extension(GLASM_STAGE_TESS_EVAL), "tese") == 0 && strcmp(glasm_stage_file_extension(GLASM_STAGE_GEOMETRY), "geom") == 0);
    CHECK(strcmp(glasm_stage_file_extension(GLASM_STAGE_FRAGMENT), "frag") == 0 && strcmp(glasm_stage_file_extension(GLASM_STAGE_COMPUTE), "comp") == 0);
    CHECK(strcmp(glasm_stage_file_extension(6), "") == 0);
    CHECK(strcmp(glasm_result_name(GLASM_RESULT_PROGRAM_ERROR), "GLASM_RESULT_PROGRAM_ERROR") == 0);
    CHECK(strcmp(glasm_result_name(GLASM_RESULT_LANGUAGE_MISMATCH), "GLASM_RESULT_LANGUAGE_MISMATCH") == 0);
    CHECK(strcmp(glasm_result_name(99), "unknown result") == 0);
    char text[64];
    glasm_semantic_info semantic = {.name = GLASM_SEMANTIC_TEX_COORD, .index = 3};
    size_t length = glasm_semantic_format(&semantic, text, sizeof text);
    CHECK(length == strlen(text) && strstr(text, "[3]") != NULL);
    char start[5] = "....";
    CHECK(glasm_semantic_format(&semantic, start, sizeof start) == length && strlen(start) == 4 && strncmp(start, text, 4) == 0);
    CHECK(glasm_semantic_format(&semantic, NULL, 0) == length && glasm_semantic_format(NULL, text, sizeof text) == 0);
    semantic.name = 9999;
    CHECK(glasm_semantic_format(&semantic, text, sizeof text) == 0);

    glasm_program *program = load("!!ARBfp1.0\nADD result.color, program.env[2], state.matrix.mvp.row[0];\nEND\n");
    glasm_shader *shader = compile(program, NULL);
    glasm_reflection reflection = *glasm_shader_reflection(shader);
    CHECK(reflection.parameter_count == 2);
    int found = 0;
    for (size_t i = 0; i < reflection.parameter_count; i++) {
        CHECK(glasm_parameter_format(&reflection.parameters[i], text, sizeof text) == strlen(text));
        found += strcmp(text, "program.env[2]") == 0 || strcmp(text, "state.matrix.mvp.row[0]") == 0;
    }
    CHECK(found == 2 && glasm_parameter_format(NULL, text, sizeof text) == 0);
    /* Numbers of the caller: unknown ones have no name. */
    glasm_block_parameter parameter = reflection.parameters[0];
    const uint32_t unknown[] = {7, 99, UINT32_MAX};
    for (size_t i = 0; i < 3; i++) {
        memcpy(&parameter.source, &unknown[i], sizeof unknown[i]);
        CHECK(glasm_parameter_format(&parameter, text, sizeof text) == 0);
    }
    parameter.source = GLASM_PARAMETER_SOURCE_GL_STATE;
    parameter.state.kind = 9999;
    CHECK(glasm_parameter_format(&parameter, text, sizeof text) == 0);
    glasm_shader_free(shader);
    glasm_program_free(program);
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    test_loading();
    test_reduced_options();
    test_copied_options();
    test_equal_shaders();
    test_state_values();
    test_variants();
    test_fixed_functions();
    test_texts();
    test_pipeline_texts();
    test_pipeline_layouts();
    test_pipeline_cache();
    test_stale_blocks();
    test_updated_blocks();
    test_blocks_of_several_programs();
    test_wraps_of_opengl();
    test_matrix_commands();
    test_names();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
