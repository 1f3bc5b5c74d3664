/* Uses what a layer of GL on another API needs between draws: reduced options, variants and texts of programs, fixed functions, stale blocks, names. */

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

    /* Neither program compares depths; vertices have no alpha test, fragments no clip planes. */
    const char *const features[] = {"shaderInt64"};
    options.features = features;
    options.feature_count = 1;
    options.alpha_function = GLASM_COMPARE_FUNCTION_GREATER;
    options.alpha_reference = 0.5f;
    options.clip_plane_mask = 3;
    glasm_reduced_options *of_vertex, *of_fragment;
    CHECK(glasm_options_for_program(&options, vertex, &of_vertex) == GLASM_RESULT_OK);
    CHECK(glasm_options_for_program(&options, fragment, &of_fragment) == GLASM_RESULT_OK);
    const glasm_options *reduced = glasm_reduced_options_get(of_vertex);
    CHECK(reduced->alpha_function == GLASM_COMPARE_FUNCTION_ALWAYS && reduced->clip_plane_mask == 3 && reduced->depth_mode_count == 0);
    CHECK(reduced->feature_count == 1 && reduced->features != features && strcmp(reduced->features[0], "shaderInt64") == 0);
    CHECK(!are_equal(reduced, glasm_reduced_options_get(of_fragment)));
    reduced = glasm_reduced_options_get(of_fragment);
    CHECK(reduced->alpha_function == GLASM_COMPARE_FUNCTION_GREATER && reduced->alpha_reference == 0.5f && reduced->clip_plane_mask == 0);

    /* The module is that of all options. */
    glasm_shader *full = compile(fragment, &options), *same = compile(fragment, reduced);
    size_t counts[2];
    const uint32_t *words[2] = {glasm_shader_spirv(full, &counts[0]), glasm_shader_spirv(same, &counts[1])};
    CHECK(counts[0] == counts[1] && memcmp(words[0], words[1], 4 * counts[0]) == 0);
    glasm_shader_free(full);
    glasm_shader_free(same);
    glasm_reduced_options_free(of_vertex);
    glasm_reduced_options_free(of_fragment);

    CHECK(glasm_options_for_program(NULL, fragment, &of_fragment) == GLASM_RESULT_OK);
    CHECK(are_equal(glasm_reduced_options_get(of_fragment), NULL));
    glasm_reduced_options_free(of_fragment);
    CHECK(glasm_options_for_program(NULL, NULL, &of_fragment) == GLASM_RESULT_INVALID_ARGUMENT && of_fragment == NULL);
    CHECK(glasm_reduced_options_get(NULL) == NULL);
    options.target = 99;
    uint64_t hash;
    glasm_bool equal;
    CHECK(glasm_options_hash(&options, &hash) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_options_compare(&options, NULL, &equal) == GLASM_RESULT_INVALID_ARGUMENT && equal == 0);
    glasm_program_free(vertex);
    glasm_program_free(fragment);
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
    glasm_state_mark_changes(state, GLASM_STATE_GROUP_LOCAL | 0x80000000u);
    glasm_state_mark_changes(NULL, GLASM_STATE_GROUP_LOCAL);
    CHECK(glasm_state_take_changes(state, &first) == GLASM_STATE_GROUP_LOCAL);
    CHECK(glasm_state_take_changes(state, &second) == GLASM_STATE_GROUP_LOCAL);
    glasm_state_free(state);
    glasm_shader_free(shader);
    glasm_program_free(program);
}

static void test_names(void)
{
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
    glasm_reflection reflection;
    reflection.size = sizeof reflection;
    CHECK(glasm_shader_reflection(shader, &reflection) == GLASM_RESULT_OK && reflection.parameter_count == 2);
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
    test_variants();
    test_fixed_functions();
    test_texts();
    test_stale_blocks();
    test_names();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
