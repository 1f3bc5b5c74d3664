/* Uses glasm.h as an application does, and misuses it as one should not: from programs to parameters and texts. */

#include "checks.h"

#include <math.h>

static const char VERTEX[] =
    "!!ARBvp1.0\n"
    "PARAM mvp[4] = { state.matrix.mvp };\n"
    "DP4 result.position.x, mvp[0], vertex.position;\n"
    "DP4 result.position.y, mvp[1], vertex.position;\n"
    "DP4 result.position.z, mvp[2], vertex.position;\n"
    "DP4 result.position.w, mvp[3], vertex.position;\n"
    "MUL result.color, state.lightprod[0].diffuse, program.env[7];\n"
    "END\n";

static const char FRAGMENT[] =
    "!!ARBfp1.0\n"
    "TEMP texel;\n"
    "TEX texel, fragment.texcoord[0], texture[2], 2D;\n"
    "MAD result.color, texel, fragment.color, program.local[1];\n"
    "END\n";

static void test_errors(void)
{
    glasm_source source = source_of("two mistakes", "!!NVfp5.0\nMOV result.color, tint;\nADD result.depth.z, 1, ;\nEND");
    glasm_program *program = (glasm_program *)&source;
    glasm_diagnostics *diagnostics = NULL;
    CHECK(glasm_program_load(NULL, &source, &program, &diagnostics) == GLASM_RESULT_PROGRAM_ERROR);
    CHECK(program == NULL && diagnostics != NULL);
    CHECK(glasm_diagnostics_count(diagnostics) == 2);
    CHECK(glasm_diagnostics_error_count(diagnostics) == 2);
    CHECK(glasm_diagnostics_gl_error_position(diagnostics) == 28);

    glasm_diagnostic first;
    first.size = sizeof first;
    CHECK(glasm_diagnostics_get(diagnostics, 0, &first) == GLASM_RESULT_OK);
    CHECK(first.size == sizeof first && first.severity == GLASM_SEVERITY_ERROR);
    CHECK(first.has_location && first.byte_start == 28 && first.byte_end == 32 && first.line == 2 && first.column == 19);
    CHECK(strlen(first.code) == 5 && first.code[0] == 'E' && strstr(first.message, "tint") != NULL);
    CHECK(strstr(first.rendered, "MOV result.color, tint;") != NULL && first.title[0] != 0 && first.missing_feature == NULL);
    for (size_t note = 0; note < first.note_count; note++)
        CHECK(first.notes[note][0] != 0);
    CHECK(glasm_diagnostics_get(diagnostics, 2, &first) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(strstr(glasm_diagnostics_render(diagnostics), "two mistakes:2:19") != NULL);
    CHECK(strncmp(glasm_diagnostics_json(diagnostics), "[{\"code\":\"E", 11) == 0);
    glasm_diagnostics_free(diagnostics);

    /* The program is a part of the text, whose bytes messages count; GL counts from its start. Nobody takes the diagnostics. */
    source.text = "comment!!ARBvp1.0\nMOV x, 1;\nEND";
    source.text_length = strlen(source.text);
    source.program_start = 7;
    source.program_length = (uint32_t)source.text_length - 7;
    CHECK(glasm_program_load(NULL, &source, &program, &diagnostics) == GLASM_RESULT_PROGRAM_ERROR);
    CHECK(glasm_diagnostics_gl_error_position(diagnostics) == 15);
    glasm_diagnostics_free(diagnostics);
    CHECK(glasm_program_load(NULL, &source, &program, NULL) == GLASM_RESULT_PROGRAM_ERROR);

    /* Any bytes, none at all, and a program of another type. */
    const char bytes[] = {'!', '!', 0, (char)0xff, '\r', '\n'};
    source = source_of(NULL, "");
    source.text = bytes;
    source.text_length = sizeof bytes;
    CHECK(glasm_program_load(NULL, &source, &program, &diagnostics) == GLASM_RESULT_PROGRAM_ERROR);
    CHECK(glasm_diagnostics_render(diagnostics) != NULL);
    glasm_diagnostics_free(diagnostics);
    source.text = NULL;
    source.text_length = 0;
    CHECK(glasm_program_load(NULL, &source, &program, NULL) == GLASM_RESULT_PROGRAM_ERROR);
    source = source_of("vertex", VERTEX);
    source.program_type = GLASM_PROGRAM_TYPE_FRAGMENT;
    CHECK(glasm_program_load(NULL, &source, &program, NULL) == GLASM_RESULT_PROGRAM_ERROR);
}

static void test_options(void)
{
    glasm_program *program = load("!!NVvp5.0\nLONG TEMP d;\nMOV.F64 d, vertex.attrib[1];\nMOV result.position, vertex.position;\n"
                                  "CVT.F32.F64 result.color, d;\nEND");
    glasm_options options;
    CHECK(glasm_options_init(&options, sizeof options) == GLASM_RESULT_OK);
    glasm_shader *shader = NULL;
    glasm_diagnostics *diagnostics = NULL;
    CHECK(glasm_program_compile(NULL, program, &options, &shader, &diagnostics) == GLASM_RESULT_OK);
    glasm_shader_free(shader);
    glasm_diagnostics_free(diagnostics);

    /* A device without doubles. */
    const char *const features[] = {"shaderInt64"};
    options.features = features;
    options.feature_count = 1;
    CHECK(glasm_program_compile(NULL, program, &options, &shader, &diagnostics) == GLASM_RESULT_PROGRAM_ERROR);
    glasm_diagnostic diagnostic;
    diagnostic.size = sizeof diagnostic;
    CHECK(shader == NULL && glasm_diagnostics_get(diagnostics, 0, &diagnostic) == GLASM_RESULT_OK);
    CHECK(diagnostic.missing_feature != NULL && strcmp(diagnostic.missing_feature, "shaderFloat64") == 0);
    glasm_diagnostics_free(diagnostics);

    /* A size below that of the first version: no caller has that header. */
    CHECK(glasm_options_init(&options, sizeof options) == GLASM_RESULT_OK);
    options.size = offsetof(glasm_options, parameter_block_binding);
    CHECK(glasm_program_compile(NULL, program, &options, &shader, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_options_init(&options, options.size) == GLASM_RESULT_INVALID_ARGUMENT);

    CHECK(glasm_options_init(&options, sizeof options) == GLASM_RESULT_OK);
    CHECK(glasm_options_use_opengl_conventions(&options) == GLASM_RESULT_OK);
    CHECK(options.clip_depth == GLASM_CLIP_DEPTH_NEGATIVE_ONE_TO_ONE && options.size == sizeof options);
    CHECK(glasm_options_use_opengl_environment(NULL, 84, 16) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_options_use_opengl_environment(&options, 84, 16) == GLASM_RESULT_OK);
    CHECK(options.target == GLASM_TARGET_OPENGL_4_5 && options.clip_depth == GLASM_CLIP_DEPTH_ZERO_TO_ONE);
    /* The last uniform buffers are the state, the parameter blocks of five stages and, as far as 16 go, their parameter buffers. */
    CHECK(options.state_block_binding == 83 && options.first_parameter_block_binding == 78 && options.parameter_buffers_per_stage == 15);
    CHECK(options.first_parameter_buffer_binding == 3 && options.image_lock_binding == 15 && options.first_atomic_counter_binding == 11);

    /* GL's initial state; structures that are not initialized; features by name. */
    CHECK(glasm_options_use_gl_initial_state(NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_options_init(&options, sizeof options) == GLASM_RESULT_OK && !options.clamp_vertex_colors);
    CHECK(glasm_options_use_gl_initial_state(&options) == GLASM_RESULT_OK);
    CHECK(options.clamp_vertex_colors && options.has_forced_point_size && options.forced_point_size == 1.0f);
    CHECK(options.patch_vertices == 3 && options.size == sizeof options);
    glasm_options zeroed;
    memset(&zeroed, 0, sizeof zeroed);
    zeroed.size = sizeof zeroed;
    CHECK(glasm_program_compile(NULL, program, &zeroed, &shader, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(strstr(glasm_error_message(), "glasm_options_init") != NULL);
    size_t feature_count = 0;
    const char *const *names = glasm_feature_names(&feature_count);
    CHECK(feature_count > 40 && strcmp(names[0], "shaderFloat64") == 0);
    options.features = names;
    options.feature_count = feature_count;
    CHECK(glasm_program_compile(NULL, program, &options, &shader, NULL) == GLASM_RESULT_OK);
    glasm_shader_free(shader);
    const char *const misspelled[] = {"shaderInt63"};
    options.features = misspelled;
    options.feature_count = 1;
    CHECK(glasm_program_compile(NULL, program, &options, &shader, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(strstr(glasm_error_message(), "shaderInt63") != NULL);

    CHECK(glasm_options_init(&options, sizeof options) == GLASM_RESULT_OK);
    options.target = 99;
    CHECK(glasm_program_compile(NULL, program, &options, &shader, &diagnostics) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(shader == NULL && diagnostics == NULL && strstr(glasm_error_message(), "target") != NULL);
    glasm_program_free(program);
}

static int near(const float *values, float x, float y, float z, float w)
{
    const float wanted[4] = {x, y, z, w};
    for (int i = 0; i < 4; i++)
        if (fabsf(values[i] - wanted[i]) > 1e-6f)
            return 0;
    return 1;
}

/* The last columns and the diagonals of GL's matrices, by hand. */
static void test_matrices(void)
{
    float m[16];
    CHECK(glasm_matrix_scaling(m, 2, 3, 4) == GLASM_RESULT_OK && m[0] == 2 && m[5] == 3 && m[10] == 4 && m[15] == 1);
    CHECK(glasm_matrix_rotation(m, 90, 0, 0, 1) == GLASM_RESULT_OK && near(m, 0, 1, 0, 0) && near(m + 4, -1, 0, 0, 0));
    CHECK(glasm_matrix_ortho(m, 0, 4, 0, 2, -1, 1) == GLASM_RESULT_OK && m[0] == 0.5f && m[5] == 1 && near(m + 12, -1, -1, 0, 1));
    CHECK(glasm_matrix_frustum(m, -1, 1, -1, 1, 1, 3) == GLASM_RESULT_OK && near(m + 8, 0, 0, -2, -1) && near(m + 12, 0, 0, -3, 0));
    const float eye[3] = {0, 0, 5}, center[3] = {0, 0, 0}, up[3] = {0, 1, 0};
    CHECK(glasm_matrix_look_at(m, eye, center, up) == GLASM_RESULT_OK && near(m, 1, 0, 0, 0) && near(m + 12, 0, 0, -5, 1));
    CHECK(glasm_matrix_look_at(m, NULL, center, up) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_matrix_scaling(NULL, 1, 1, 1) == GLASM_RESULT_INVALID_ARGUMENT);
}

static void test_parameters(const glasm_shader *vertex, const glasm_shader *fragment)
{
    glasm_state *state = glasm_state_create();
    float projection[16], modelview[16], product[16], found[16];
    CHECK(glasm_matrix_perspective(projection, 60, 1, 1, 10) == GLASM_RESULT_OK);
    CHECK(glasm_matrix_translation(modelview, 1, 2, -3) == GLASM_RESULT_OK);
    CHECK(glasm_matrix_multiply(product, projection, modelview) == GLASM_RESULT_OK);
    CHECK(glasm_state_set_matrix(state, GLASM_MATRIX_PROJECTION, 0, projection) == GLASM_RESULT_OK);
    CHECK(glasm_state_set_matrix(state, GLASM_MATRIX_MODELVIEW, 0, modelview) == GLASM_RESULT_OK);
    CHECK(glasm_state_get_matrix(state, GLASM_MATRIX_MODELVIEW_PROJECTION, 0, GLASM_MATRIX_FORM_PLAIN, found) == GLASM_RESULT_OK);
    CHECK(memcmp(found, product, sizeof found) == 0);
    const float orange[4] = {1, 0.5f, 0.25f, 1};
    CHECK(glasm_state_set(state, GLASM_STATE_VARIABLE_LIGHT_DIFFUSE, 0, orange, 4) == GLASM_RESULT_OK);

    glasm_reflection reflection = *glasm_shader_reflection(vertex);
    CHECK(reflection.stage == GLASM_STAGE_VERTEX && strcmp(reflection.entry_point, "main") == 0);
    CHECK(reflection.has_parameter_block && reflection.parameter_block_slot.set == 0 && reflection.parameter_block_slot.binding == 0);
    CHECK(reflection.parameter_count == 6 && !reflection.is_parameter_block_storage_buffer);
    CHECK(reflection.input_count == 1 && reflection.inputs[0].semantic.name == GLASM_SEMANTIC_VERTEX_ATTRIBUTE);
    CHECK(reflection.inputs[0].location == GLASM_VERTEX_ATTRIBUTE_POSITION);
    CHECK(reflection.capability_count >= 1 && reflection.primitive_info.stage == GLASM_PRIMITIVE_STAGE_NONE);

    float env[8][4] = {{0}};
    env[7][0] = env[7][1] = env[7][2] = env[7][3] = 0.5f;
    glasm_parameter_values values = {.size = sizeof values, .env = env[0], .env_count = 8};
    float block[6][4];
    CHECK(glasm_shader_fill_parameter_block(vertex, state, &values, block[0], 6) == GLASM_RESULT_OK);
    int rows = 0;
    for (size_t i = 0; i < reflection.parameter_count; i++) {
        const glasm_block_parameter *parameter = &reflection.parameters[i];
        if (parameter->source == GLASM_PARAMETER_SOURCE_ENV) {
            CHECK(parameter->index == 7 && near(block[i], 0.5f, 0.5f, 0.5f, 0.5f));
        } else if (parameter->state.kind == GLASM_STATE_PARAMETER_KIND_MATRIX_ROW) {
            uint32_t row = parameter->state.matrix_row;
            rows++;
            CHECK(parameter->state.matrix == GLASM_MATRIX_MODELVIEW_PROJECTION);
            CHECK(near(block[i], product[row], product[4 + row], product[8 + row], product[12 + row]));
        } else {
            /* The light times the initial material, (0.8, 0.8, 0.8, 1). */
            CHECK(parameter->state.kind == GLASM_STATE_PARAMETER_KIND_LIGHT_PRODUCT);
            CHECK(near(block[i], 0.8f, 0.4f, 0.2f, 1));
            float again[4];
            CHECK(glasm_state_evaluate_parameter(state, &parameter->state, again) == GLASM_RESULT_OK);
            CHECK(memcmp(again, block[i], sizeof again) == 0);
        }
    }
    CHECK(rows == 4);
    CHECK(glasm_shader_fill_parameter_block(vertex, state, &values, block[0], 5) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(strstr(glasm_error_message(), "6 vectors") != NULL);

    /* Tracked matrices go before what was set. */
    CHECK(glasm_state_track_matrix(state, 4, GLASM_MATRIX_MODELVIEW, 0, GLASM_MATRIX_FORM_PLAIN) == GLASM_RESULT_OK);
    CHECK(glasm_state_is_matrix_tracked(state, 7) && !glasm_state_is_matrix_tracked(state, 8));
    CHECK(glasm_shader_fill_parameter_block(vertex, state, &values, block[0], 6) == GLASM_RESULT_OK);
    for (size_t i = 0; i < reflection.parameter_count; i++)
        if (reflection.parameters[i].source == GLASM_PARAMETER_SOURCE_ENV)
            CHECK(near(block[i], 0, 0, 0, 1));
    CHECK(glasm_state_untrack_matrix(state, 4, found) == GLASM_RESULT_OK);
    CHECK(found[3] == 1 && found[7] == 2 && found[11] == -3 && !glasm_state_is_matrix_tracked(state, 7));

    reflection = *glasm_shader_reflection(fragment);
    CHECK(reflection.texture_count == 1 && reflection.textures[0].unit == 2 && reflection.textures[0].slot.set == 1);
    CHECK(reflection.textures[0].slot.binding == 2 && reflection.textures[0].target == GLASM_TEXTURE_TARGET_2D);
    const float local[2][4] = {{1, 1, 1, 1}, {4, 3, 2, 1}};
    values = (glasm_parameter_values){.size = sizeof values, .local = local[0], .local_count = 2};
    CHECK(glasm_shader_fill_parameter_block(fragment, NULL, &values, block[0], 1) == GLASM_RESULT_OK);
    CHECK(near(block[0], 4, 3, 2, 1));
    CHECK(glasm_shader_fill_parameter_block(fragment, NULL, NULL, block[0], 1) == GLASM_RESULT_OK);
    CHECK(near(block[0], 0, 0, 0, 0));

    glasm_state *copy = glasm_state_clone(state);
    glasm_state_free(state);
    CHECK(glasm_state_set(copy, GLASM_STATE_VARIABLE_FOG_DENSITY, 0, orange, 1) == GLASM_RESULT_OK);
    CHECK(glasm_state_set(copy, GLASM_STATE_VARIABLE_FOG_DENSITY, 0, orange, 2) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_state_set(copy, GLASM_STATE_VARIABLE_LIGHT_AMBIENT, UINT32_MAX, orange, 4) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_state_set(copy, 999, 0, orange, 4) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_state_set_matrix(copy, GLASM_MATRIX_MODELVIEW_PROJECTION, 0, product) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_state_set_matrix(copy, GLASM_MATRIX_PROJECTION, 1, projection) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_state_get_matrix(copy, GLASM_MATRIX_PROJECTION, 1, GLASM_MATRIX_FORM_PLAIN, found) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_state_track_matrix(copy, 3, GLASM_MATRIX_MODELVIEW, 0, GLASM_MATRIX_FORM_PLAIN) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(strstr(glasm_error_message(), "`address` is 3") != NULL);
    CHECK(glasm_state_track_matrix(copy, 4000000000u, GLASM_MATRIX_MODELVIEW, 0, GLASM_MATRIX_FORM_PLAIN) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(strstr(glasm_error_message(), "`address` is 4000000000") != NULL);
    CHECK(glasm_state_untrack_matrix(copy, 5, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    glasm_state_free(copy);
}

static void test_compile(void)
{
    glasm_compiler *compiler = glasm_compiler_create();
    glasm_source source = source_of("vertex", VERTEX);
    glasm_program *vertex = NULL;
    CHECK(glasm_program_load(compiler, &source, &vertex, NULL) == GLASM_RESULT_OK);
    glasm_program *fragment = load(FRAGMENT);
    CHECK(glasm_program_stage(fragment) == GLASM_STAGE_FRAGMENT);
    CHECK(strcmp(glasm_program_header(vertex), "!!ARBvp1.0") == 0);

    /* Handles go one by one. */
    glasm_program *same = glasm_program_clone(vertex);
    glasm_program_free(vertex);
    glasm_shader *shaders[2] = {NULL, NULL};
    CHECK(glasm_program_compile(compiler, same, NULL, &shaders[0], NULL) == GLASM_RESULT_OK);
    CHECK(glasm_program_compile(compiler, fragment, NULL, &shaders[1], NULL) == GLASM_RESULT_OK);
    size_t count = 0;
    const uint32_t *words = glasm_shader_spirv(shaders[0], &count);
    CHECK(count > 50 && words[0] == 0x07230203 && words[1] == 0x00010300);
    CHECK(glasm_shader_stage(shaders[1]) == GLASM_STAGE_FRAGMENT);
    CHECK(strstr(glasm_shader_reflection_json(shaders[0]), "\"stage\":\"vertex\"") != NULL);
    test_parameters(shaders[0], shaders[1]);
    glasm_shader_free(shaders[0]);
    glasm_shader_free(shaders[1]);

    /* Linked: the texture coordinate that is read is not written. */
    const glasm_program *const programs[] = {same, fragment};
    glasm_pipeline *pipeline = NULL;
    CHECK(glasm_pipeline_link(compiler, programs, 2, NULL, &pipeline) == GLASM_RESULT_OK);
    const glasm_pipeline_stage *stages = glasm_pipeline_stages(pipeline, &count);
    CHECK(count == 2 && glasm_pipeline_stages(pipeline, NULL) == stages);
    const glasm_unwritten_input *unwritten = glasm_pipeline_unwritten_inputs(pipeline, &count);
    CHECK(count == 1 && unwritten[0].stage == GLASM_STAGE_FRAGMENT);
    CHECK(unwritten[0].semantic.name == GLASM_SEMANTIC_TEX_COORD && unwritten[0].semantic.index == 0);
    CHECK(*glasm_pipeline_render_diagnostics(pipeline) == '\0' && glasm_pipeline_render_diagnostics(NULL) == NULL);
    CHECK(stages[0].stage == GLASM_STAGE_VERTEX && stages[0].shader == glasm_pipeline_shader(pipeline, GLASM_STAGE_VERTEX));
    CHECK(stages[1].stage == GLASM_STAGE_FRAGMENT && !stages[1].is_generated && stages[1].diagnostics == NULL && stages[1].text == NULL);
    glasm_shader *kept = glasm_shader_clone(stages[1].shader);
    glasm_pipeline_free(pipeline);
    CHECK(glasm_shader_spirv(kept, &count)[0] == 0x07230203);
    glasm_shader_free(kept);

    /* One stage cannot be compiled for its device; the other can. */
    glasm_options options;
    glasm_options_init(&options, sizeof options);
    options.target = GLASM_TARGET_VULKAN_1_3;
    glasm_program *conflict = load("!!ARBvp1.0\nOPTION NV_vertex_program3;\nTEX result.position, 0, texture[2], CUBE;\nEND");
    const glasm_pipeline_program pair[] = {{conflict, &options}, {fragment, NULL}};
    CHECK(glasm_pipeline_link_with_options(compiler, pair, 2, &pipeline) == GLASM_RESULT_PROGRAM_ERROR);
    glasm_pipeline *none;
    CHECK(glasm_pipeline_link_with_options(compiler, pair, 0, &none) == GLASM_RESULT_INVALID_ARGUMENT && none == NULL);
    CHECK(glasm_pipeline_link(compiler, NULL, 0, NULL, &none) == GLASM_RESULT_INVALID_ARGUMENT && none == NULL);
    stages = glasm_pipeline_stages(pipeline, &count);
    CHECK(count == 2 && stages[1].shader == NULL && glasm_diagnostics_error_count(stages[1].diagnostics) == 1);
    CHECK(strcmp(glasm_pipeline_render_diagnostics(pipeline), glasm_diagnostics_render(stages[1].diagnostics)) == 0);
    CHECK(glasm_shader_spirv(stages[0].shader, NULL)[1] == 0x00010600);
    glasm_pipeline_free(pipeline);
    glasm_compiler_free(compiler);

    glasm_program_free(conflict);
    glasm_program_free(same);
    glasm_program_free(fragment);
}

static void test_stages(void)
{
    glasm_program *vertex = load("!!NVvp5.0\nMOV result.position, vertex.position;\nEND");
    glasm_program *evaluation = load("!!NVtep5.0\nTESS_MODE TRIANGLES;\nMOV result.position, vertex[0].position;\nEND");
    const glasm_program *const programs[] = {vertex, evaluation};
    glasm_pipeline *pipeline = NULL;
    CHECK(glasm_pipeline_link(NULL, programs, 2, NULL, &pipeline) == GLASM_RESULT_OK);
    const glasm_pipeline_stage *stages = glasm_pipeline_stages(pipeline, NULL);
    const glasm_pipeline_stage first = stages[0], second = stages[1];
    glasm_reflection reflection = *glasm_shader_reflection(second.shader);
    CHECK(reflection.primitive_info.stage == GLASM_PRIMITIVE_STAGE_TESS_EVAL);
    CHECK(reflection.primitive_info.tess_mode == GLASM_TESS_MODE_TRIANGLES);

    const float levels[6] = {1, 1, 1, 1, 1, 1};
    glasm_shader *control = NULL;
    CHECK(glasm_shader_create_tess_control(first.shader, second.shader, 3, levels, NULL, &control, NULL) == GLASM_RESULT_OK);
    CHECK(glasm_shader_stage(control) == GLASM_STAGE_TESS_CONTROL);
    glasm_shader_free(control);
    CHECK(glasm_shader_create_tess_control(first.shader, second.shader, 33, levels, NULL, &control, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_shader_create_view_replication(first.shader, GLASM_INPUT_PRIMITIVE_TRIANGLES, 4, NULL, &control, NULL) == GLASM_RESULT_OK);
    CHECK(control == NULL);
    glasm_pipeline_free(pipeline);
    glasm_program_free(vertex);
    glasm_program_free(evaluation);
}

static void test_text(void)
{
    glasm_program *program = load(FRAGMENT);
    glasm_text_options options;
    CHECK(glasm_text_options_init(&options, sizeof options) == GLASM_RESULT_OK);
    options.language = "wgsl";
    glasm_text *text = NULL;
    glasm_diagnostics *diagnostics = NULL;
    glasm_result result = glasm_program_write_text(NULL, program, &options, &text, &diagnostics);
    if (result == GLASM_RESULT_FEATURE_NOT_BUILT) {
        CHECK(text == NULL && strstr(glasm_error_message(), "text") != NULL);
    } else {
        CHECK(result == GLASM_RESULT_OK);
        size_t length = 0;
        const char *string = glasm_text_string(text, &length);
        CHECK(strstr(string, "@fragment") != NULL && strlen(string) == length);
        CHECK(glasm_shader_stage(glasm_text_shader(text)) == GLASM_STAGE_FRAGMENT);
        size_t count = 9;
        CHECK(glasm_text_resources(text, &count) != NULL && count < 9);
        glasm_text_free(text);
        glasm_diagnostics_free(diagnostics);
        options.language = "cobol";
        CHECK(glasm_program_write_text(NULL, program, &options, &text, &diagnostics) == GLASM_RESULT_INVALID_ARGUMENT);
        CHECK(text == NULL && diagnostics == NULL && strstr(glasm_error_message(), "cobol") != NULL);
    }
    glasm_program_free(program);
}

static void test_state_program(void)
{
    glasm_source source = source_of("state", "!!VSP1.0\nMUL c[4], c[4], v[0].x;\nEND");
    source.program_type = GLASM_PROGRAM_TYPE_VERTEX_STATE;
    glasm_program *program = NULL;
    CHECK(glasm_program_load(NULL, &source, &program, NULL) == GLASM_RESULT_OK);
    glasm_shader *shader = NULL;
    CHECK(glasm_program_compile(NULL, program, NULL, &shader, NULL) == GLASM_RESULT_OK);
    glasm_reflection reflection = *glasm_shader_reflection(shader);
    CHECK(reflection.is_state_program && reflection.state_program_written_parameter_count == 1);
    CHECK(reflection.state_program_written_parameters[0] == 4 && reflection.workgroup_size[0] == 1);
    glasm_parameter_values values = {.size = sizeof values, .state_program_argument = {2, 3, 4, 5}};
    float block[4];
    CHECK(glasm_shader_fill_parameter_block(shader, NULL, &values, block, 1) == GLASM_RESULT_OK && near(block, 2, 3, 4, 5));
    glasm_shader_free(shader);
    glasm_program_free(program);
}

static void test_named_parameters(void)
{
    glasm_program *program = load("!!FP1.0\nDECLARE tint = {1, 2, 3, 4};\nDECLARE shade;\nMOVR R0, tint;\nADDR R0, R0, shade;\nMOVR o[COLR], R0;\nEND");
    glasm_shader *shader = NULL;
    CHECK(glasm_program_compile(NULL, program, NULL, &shader, NULL) == GLASM_RESULT_OK);
    glasm_reflection reflection = *glasm_shader_reflection(shader);
    CHECK(reflection.named_parameter_count == 2 && strcmp(reflection.named_parameters[0].name, "tint") == 0);
    CHECK(near(reflection.named_parameters[0].initial_value, 1, 2, 3, 4));
    glasm_shader_free(shader);
    glasm_program_free(program);
}

/* NULL and wrong sizes are errors, and NULL may be freed. */
static void test_misuse(void)
{
    glasm_program *program;
    glasm_shader *shader;
    glasm_source source = source_of("x", VERTEX);
    CHECK(glasm_program_load(NULL, NULL, &program, NULL) == GLASM_RESULT_INVALID_ARGUMENT && program == NULL);
    CHECK(glasm_program_load(NULL, &source, NULL, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    source.size = 1;
    CHECK(glasm_program_load(NULL, &source, &program, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    source = source_of("x", VERTEX);
    source.text = NULL;
    CHECK(glasm_program_load(NULL, &source, &program, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    source = source_of("x", VERTEX);
    source.header = "!!nothing";
    CHECK(glasm_program_load(NULL, &source, &program, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_program_compile(NULL, NULL, NULL, &shader, NULL) == GLASM_RESULT_INVALID_ARGUMENT && shader == NULL);
    CHECK(glasm_source_init(NULL, sizeof source) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_source_init(&source, 0) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_shader_reflection(NULL) == NULL);
    glasm_options_free(NULL);
    CHECK(glasm_pipeline_link(NULL, NULL, 2, NULL, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    size_t count = 5;
    CHECK(glasm_shader_spirv(NULL, &count) == NULL && count == 0);
    CHECK(glasm_diagnostics_count(NULL) == 0 && glasm_diagnostics_gl_error_position(NULL) == -1);
    CHECK(glasm_diagnostics_render(NULL) == NULL && glasm_shader_reflection_json(NULL) == NULL);
    CHECK(glasm_program_clone(NULL) == NULL && glasm_pipeline_stages(NULL, &count) == NULL && count == 0);
    glasm_program_free(NULL);
    glasm_shader_free(NULL);
    glasm_diagnostics_free(NULL);
    glasm_pipeline_free(NULL);
    glasm_text_free(NULL);
    glasm_state_free(NULL);
    glasm_compiler_free(NULL);
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    char version[32];
    snprintf(version, sizeof version, "%u.%u.%u", GLASM_VERSION_MAJOR, GLASM_VERSION_MINOR, GLASM_VERSION_PATCH);
    CHECK(strcmp(glasm_version_string(), version) == 0);
    test_errors();
    test_options();
    test_matrices();
    test_compile();
    test_stages();
    test_text();
    test_state_program();
    test_named_parameters();
    test_misuse();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
