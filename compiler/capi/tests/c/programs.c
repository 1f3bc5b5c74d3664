/* Uses glasm.h as a layer of GL does: what programs use, read and write, texts of several programs, stages that are compiled apart, layouts, caches. */

#include "checks.h"

static const char COLORS[] =
    "!!ARBvp1.0\n"
    "OPTION ARB_position_invariant;\n"
    "MOV result.color, vertex.color;\n"
    "MOV result.texcoord[1], vertex.texcoord[1];\n"
    "MOV result.texcoord[2], vertex.texcoord[2];\n"
    "END\n";

static const char TEXTURED[] =
    "!!ARBfp1.0\n"
    "TEMP texel;\n"
    "TEX texel, fragment.texcoord[0], texture[2], 2D;\n"
    "MUL result.color, texel, program.local[0];\n"
    "END\n";

/* The instructions are counted by hand, as GL's queries count them. The third texture access needs what the first has given. */
static const char COUNTED[] =
    "!!ARBfp1.0\n"
    "TEMP a, b, c, d, e;\n"
    "TEX a, fragment.texcoord[0], texture[0], 2D;\n"
    "TEX c, fragment.texcoord[0], texture[2], 2D;\n"
    "MUL b, a, program.local[2];\n"
    "TEX d, b, texture[1], 2D;\n"
    "ADD c, c, state.fog.color;\n"
    "ADD c, c, {1, 2, 3, 4};\n"
    "ADD c, c, program.local[30];\n"
    "MAD c, d, c, a;\n"
    "MOV result.color.xyz, c;\n"
    "END\n";

static void test_counts(void)
{
    glasm_program *program = load(COUNTED);
    glasm_resource_counts counts = {.size = sizeof counts};
    CHECK(glasm_program_count_resources(program, &counts) == GLASM_RESULT_OK && counts.size == sizeof counts);
    CHECK(counts.instructions == 9 && counts.alu_instructions == 6 && counts.texture_instructions == 3);
    CHECK(counts.texture_indirections == 2 && counts.temporaries == 5 && counts.parameters == 4);
    CHECK(counts.attributes == 1 && counts.address_registers == 0);
    CHECK(counts.attribute_components == 4 && counts.result_components == 3);

    glasm_program_limits limits;
    CHECK(glasm_program_limits_init(&limits, sizeof limits) == GLASM_RESULT_OK && limits.local_parameters == UINT32_MAX);
    glasm_diagnostics *diagnostics = NULL;
    CHECK(glasm_program_check_limits(program, &limits, &diagnostics) == GLASM_RESULT_OK && diagnostics == NULL);
    limits.texture_indirections = 2;
    limits.parameters = 4;
    limits.local_parameters = 31;
    CHECK(glasm_program_check_limits(program, &limits, &diagnostics) == GLASM_RESULT_OK && diagnostics == NULL);
    limits.texture_indirections = 1;
    limits.local_parameters = 30;
    CHECK(glasm_program_check_limits(program, &limits, NULL) == GLASM_RESULT_PROGRAM_ERROR);
    CHECK(glasm_program_check_limits(program, &limits, &diagnostics) == GLASM_RESULT_PROGRAM_ERROR);
    CHECK(glasm_diagnostics_error_count(diagnostics) == 2 && strstr(glasm_diagnostics_render(diagnostics), "program.local[30]") != NULL);
    /* The number comes before the count, which is one of the whole text. */
    CHECK(glasm_diagnostics_gl_error_position(diagnostics) == strstr(COUNTED, "30]") - COUNTED);
    glasm_diagnostics_free(diagnostics);

    glasm_program_limits_init(&limits, sizeof limits);
    limits.texture_units = 0;
    limits.if_depth = limits.loop_depth = limits.call_depth = 0;
    CHECK(glasm_program_check_limits(program, &limits, &diagnostics) == GLASM_RESULT_PROGRAM_ERROR);
    CHECK(glasm_diagnostics_gl_error_position(diagnostics) == strstr(COUNTED, "texture[") + strlen("texture[") - COUNTED);
    glasm_diagnostics_free(diagnostics);
    limits.size = offsetof(glasm_program_limits, texture_indirections);
    CHECK(glasm_program_check_limits(program, &limits, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    limits.size = sizeof limits;
    CHECK(glasm_program_check_limits(program, NULL, &diagnostics) == GLASM_RESULT_INVALID_ARGUMENT && diagnostics == NULL);
    CHECK(glasm_program_check_limits(NULL, &limits, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_program_count_resources(NULL, &counts) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_program_count_resources(program, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_program_limits_init(NULL, sizeof limits) == GLASM_RESULT_INVALID_ARGUMENT);
    glasm_program_free(program);
}

static void test_parts(void)
{
    static const char text[] = "# three in one\n!!ARBvp1.0\nMOV result.position, vertex.position;\nEND\n"
                               "!!ARBfp1.0\nMOV result.color, tint;\nEND\n!!XYfp7.0\nEND\n";
    const size_t second = (size_t)(strstr(text, "!!ARBfp") - text), third = (size_t)(strstr(text, "!!XY") - text);
    glasm_source source = source_of("three", text);
    size_t count = 9;
    CHECK(glasm_source_find_programs(&source, NULL, 0, &count) == GLASM_RESULT_OK && count == 3);
    glasm_program_span parts[3];
    CHECK(glasm_source_find_programs(&source, parts, 2, &count) == GLASM_RESULT_INVALID_ARGUMENT && count == 3);
    CHECK(glasm_source_find_programs(&source, parts, 3, &count) == GLASM_RESULT_OK && count == 3);
    CHECK(parts[0].start == 0 && parts[0].header_offset == 15 && parts[0].length == second);
    CHECK(strcmp(parts[0].header, "!!ARBvp1.0") == 0 && strcmp(parts[1].header, "!!ARBfp1.0") == 0 && parts[2].header == NULL);
    CHECK(parts[1].start == second && parts[1].header_offset == second && parts[1].length == third - second);
    CHECK(parts[2].start == third && parts[2].length == strlen(text) - third);

    source.program_start = parts[0].start;
    source.program_length = parts[0].length;
    glasm_program *program = NULL;
    glasm_diagnostics *diagnostics = NULL;
    CHECK(glasm_program_load(NULL, &source, &program, NULL) == GLASM_RESULT_OK);
    CHECK(glasm_program_stage(program) == GLASM_STAGE_VERTEX);
    glasm_program_free(program);
    source.program_start = parts[1].start;
    source.program_length = parts[1].length;
    CHECK(glasm_program_load(NULL, &source, &program, &diagnostics) == GLASM_RESULT_PROGRAM_ERROR);
    glasm_diagnostic diagnostic = {.size = sizeof diagnostic};
    CHECK(glasm_diagnostics_get(diagnostics, 0, &diagnostic) == GLASM_RESULT_OK);
    CHECK(diagnostic.byte_start == (uint32_t)(strstr(text, "tint") - text) && diagnostic.line == 6);
    glasm_diagnostics_free(diagnostics);

    /* A part of a source has programs, too. */
    source.program_length += parts[2].length;
    CHECK(glasm_source_find_programs(&source, parts, 3, &count) == GLASM_RESULT_OK && count == 2 && parts[1].start == third);
    source.strict = 1;
    CHECK(glasm_source_find_programs(&source, NULL, 0, &count) == GLASM_RESULT_OK && count == 1);
    source.program_start = (uint32_t)strlen(text);
    CHECK(glasm_source_find_programs(&source, NULL, 0, &count) == GLASM_RESULT_INVALID_ARGUMENT && count == 0);
    source = source_of("empty", "");
    CHECK(glasm_source_find_programs(&source, parts, 1, &count) == GLASM_RESULT_OK && count == 1 && parts[0].length == 0);
    CHECK(glasm_source_find_programs(&source, NULL, 1, &count) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_source_find_programs(&source, NULL, 0, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_source_find_programs(NULL, NULL, 0, &count) == GLASM_RESULT_INVALID_ARGUMENT && count == 0);
}

static void test_variables(void)
{
    glasm_program *program = load("!!NVvp5.0\nLONG ATTRIB d = vertex.attrib[3];\nLONG TEMP t;\nINT OUTPUT n = result.attrib[4];\n"
                                  "MOV result.position, vertex.position;\nMOV.F64 t, d;\nCVT.F32.F64 result.color, t;\nMOV.S n, vertex.id.x;\nEND");
    size_t count = 0;
    const glasm_program_input *inputs = glasm_program_inputs(program, &count);
    CHECK(count == 3);
    int found = 0;
    for (size_t i = 0; i < count; i++) {
        const glasm_program_input *input = &inputs[i];
        CHECK(input->interpolation == GLASM_INTERPOLATION_SMOOTH && input->sampling == GLASM_SAMPLING_CENTER && !input->is_per_vertex);
        if (input->semantic.name == GLASM_SEMANTIC_VERTEX_ID)
            found |= 1;
        else if (input->semantic.name == GLASM_SEMANTIC_VERTEX_ATTRIBUTE && input->semantic.index == 3)
            found |= input->component_bits == 64 && input->base_type == GLASM_BASE_TYPE_FLOAT ? 2 : 0;
        else if (input->semantic.name == GLASM_SEMANTIC_VERTEX_ATTRIBUTE && input->semantic.index == GLASM_VERTEX_ATTRIBUTE_POSITION)
            found |= input->component_bits == 32 ? 4 : 0;
    }
    CHECK(found == 7);
    const glasm_program_output *outputs = glasm_program_outputs(program, &count);
    CHECK(count == 3);
    found = 0;
    for (size_t i = 0; i < count; i++) {
        CHECK(!outputs[i].is_invariant && outputs[i].passthrough_mask == 0);
        if (outputs[i].semantic.name == GLASM_SEMANTIC_GENERIC_VARYING && outputs[i].semantic.index == 4)
            found |= outputs[i].base_type == GLASM_BASE_TYPE_SIGNED_INT ? 1 : 0;
        else if (outputs[i].semantic.name == GLASM_SEMANTIC_POSITION || outputs[i].semantic.name == GLASM_SEMANTIC_COLOR)
            found |= outputs[i].semantic.name == GLASM_SEMANTIC_COLOR ? 2 : 4;
    }
    CHECK(found == 7);
    CHECK(glasm_program_tgsi_outputs(program, &count) != NULL && count == 0);
    glasm_program_free(program);

    program = load("!!NVfp4.0\nFLAT ATTRIB f = fragment.attrib[9];\nNOPERSPECTIVE CENTROID ATTRIB c = fragment.texcoord[2];\n"
                   "MUL result.color, f, c;\nEND");
    inputs = glasm_program_inputs(program, &count);
    CHECK(count == 2);
    for (size_t i = 0; i < count; i++) {
        if (inputs[i].semantic.name == GLASM_SEMANTIC_GENERIC_VARYING) {
            CHECK(inputs[i].semantic.index == 9 && inputs[i].interpolation == GLASM_INTERPOLATION_FLAT);
            CHECK(inputs[i].sampling == GLASM_SAMPLING_CENTER);
        } else {
            CHECK(inputs[i].semantic.name == GLASM_SEMANTIC_TEX_COORD && inputs[i].semantic.index == 2);
            CHECK(inputs[i].interpolation == GLASM_INTERPOLATION_NO_PERSPECTIVE && inputs[i].sampling == GLASM_SAMPLING_CENTROID);
        }
    }
    glasm_program_free(program);

    program = load("!!NVgp4.0\nPRIMITIVE_IN TRIANGLES;\nPRIMITIVE_OUT TRIANGLE_STRIP;\nVERTICES_OUT 1;\n"
                   "MOV result.position, vertex[0].position;\nEMIT;\nEND");
    inputs = glasm_program_inputs(program, &count);
    CHECK(count == 1 && inputs[0].is_per_vertex && inputs[0].semantic.name == GLASM_SEMANTIC_POSITION);
    glasm_program_free(program);

    /* All four components of the position, and no more of the program's. */
    program = load("!!NVgp5.0\nOPTION NV_geometry_program_passthrough;\nPRIMITIVE_IN TRIANGLES;\nPASSTHROUGH result.position;\n"
                   "MOV result.layer.x, 1;\nEND");
    outputs = glasm_program_outputs(program, &count);
    CHECK(count == 2);
    for (size_t i = 0; i < count; i++)
        CHECK(outputs[i].passthrough_mask == (outputs[i].semantic.name == GLASM_SEMANTIC_POSITION ? 15u : 0u));
    glasm_program_free(program);

    program = load(COLORS);
    outputs = glasm_program_outputs(program, &count);
    for (size_t i = 0; i < count; i++)
        CHECK(outputs[i].is_invariant == (outputs[i].semantic.name == GLASM_SEMANTIC_POSITION));
    glasm_program_free(program);

    program = load("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[2], GENERIC[7]\nDCL OUT[4], TEXCOORD[3]\n"
                   "MOV OUT[0], IN[0]\nMOV OUT[2], IN[0]\nMOV OUT[4], IN[0]\nEND");
    const glasm_tgsi_output *registers = glasm_program_tgsi_outputs(program, &count);
    CHECK(count == 3 && registers == glasm_program_tgsi_outputs(program, NULL));
    CHECK(registers[0].register_index == 0 && registers[0].semantic.name == GLASM_SEMANTIC_POSITION);
    CHECK(registers[1].register_index == 2 && registers[1].semantic.name == GLASM_SEMANTIC_GENERIC_VARYING && registers[1].semantic.index == 7);
    CHECK(registers[2].register_index == 4 && registers[2].semantic.name == GLASM_SEMANTIC_TEX_COORD && registers[2].semantic.index == 3);
    glasm_program_free(program);
    CHECK(glasm_program_inputs(NULL, &count) == NULL && count == 0 && glasm_program_outputs(NULL, NULL) == NULL);
    CHECK(glasm_program_tgsi_outputs(NULL, &count) == NULL && count == 0);
}

/* The locations that the outputs of a program have, as bits; those of color 0 and of texture coordinates 1 and 2 are given, too. */
static uint32_t locations(const glasm_program *program, const glasm_options *options, uint32_t of[3])
{
    glasm_shader *shader = compile(program, options);
    glasm_reflection reflection = *glasm_shader_reflection(shader);
    uint32_t bits = 0;
    of[0] = of[1] = of[2] = GLASM_LOCATION_BUILT_IN;
    for (size_t i = 0; i < reflection.output_count; i++) {
        const glasm_interface_variable *output = &reflection.outputs[i];
        if (output->location == GLASM_LOCATION_BUILT_IN)
            continue;
        CHECK(output->location < 32 && (bits >> output->location & 1) == 0);
        bits |= 1u << output->location;
        if (output->semantic.name == GLASM_SEMANTIC_COLOR && output->semantic.index == 0)
            of[0] = output->location;
        if (output->semantic.name == GLASM_SEMANTIC_TEX_COORD && output->semantic.index >= 1 && output->semantic.index <= 2)
            of[output->semantic.index] = output->location;
    }
    glasm_shader_free(shader);
    return bits;
}

static void test_varyings(void)
{
    const glasm_semantic_info color = {GLASM_SEMANTIC_COLOR, 0, 0}, second = {GLASM_SEMANTIC_TEX_COORD, 2, 0};
    const glasm_semantic_info position = {GLASM_SEMANTIC_POSITION, 0, 0}, nothing = {999, 0, 0};
    CHECK(glasm_semantic_fixed_location(&color) == 0 && glasm_semantic_fixed_location(&second) == 7);
    CHECK(glasm_semantic_fixed_location(&position) == GLASM_LOCATION_BUILT_IN && glasm_semantic_fixed_location(&nothing) == GLASM_LOCATION_BUILT_IN);
    CHECK(glasm_semantic_fixed_location(NULL) == GLASM_LOCATION_BUILT_IN);

    glasm_program *program = load(COLORS);
    glasm_options options;
    uint32_t of[3];
    CHECK(glasm_options_init(&options, sizeof options) == GLASM_RESULT_OK);
    CHECK(options.output_varyings.layout == GLASM_VARYING_LAYOUT_FIXED_TABLE && options.input_varyings.layout == GLASM_VARYING_LAYOUT_FIXED_TABLE);
    CHECK(locations(program, &options, of) == (1 << 0 | 1 << 6 | 1 << 7));
    options.output_varyings.layout = GLASM_VARYING_LAYOUT_ALL_LOCATIONS;
    options.output_varyings.location_mask = GLASM_VARYING_LOCATIONS_CONVENTIONAL;
    CHECK(locations(program, &options, of) == (1 << 13) - 1);
    CHECK(of[0] == 0 && of[1] == 6 && of[2] == 7);
    options.output_varyings.location_mask = 1 << 30;
    CHECK(locations(program, &options, of) == (1 << 0 | 1 << 6 | 1 << 7 | 1 << 30));

    /* What is not in the list is not stored. */
    glasm_varying_location places[] = {{second, 9, 0, GLASM_BASE_TYPE_FLOAT, 4}, {color, 3, 0, GLASM_BASE_TYPE_FLOAT, 4}};
    options.output_varyings = (glasm_varyings){GLASM_VARYING_LAYOUT_PACKED, 0, places, 2};
    CHECK(locations(program, &options, of) == (1 << 0 | 1 << 1));
    CHECK(of[0] == 1 && of[1] == GLASM_LOCATION_BUILT_IN && of[2] == 0);
    options.output_varyings.layout = GLASM_VARYING_LAYOUT_EXPLICIT;
    CHECK(locations(program, &options, of) == (1 << 3 | 1 << 9));
    CHECK(of[0] == 3 && of[1] == GLASM_LOCATION_BUILT_IN && of[2] == 9);
    glasm_program_free(program);

    /* What the stage before writes: an integer of two components. */
    program = load("!!ARBfp1.0\nMOV result.color, fragment.texcoord[2];\nEND");
    places[0] = (glasm_varying_location){second, 5, 1, GLASM_BASE_TYPE_SIGNED_INT, 2};
    glasm_options_init(&options, sizeof options);
    options.input_varyings = (glasm_varyings){GLASM_VARYING_LAYOUT_EXPLICIT, 0, places, 1};
    glasm_shader *shader = compile(program, &options);
    glasm_reflection reflection = *glasm_shader_reflection(shader);
    CHECK(reflection.input_count == 1);
    CHECK(reflection.inputs[0].location == 5 && reflection.inputs[0].component_count == 2 && reflection.inputs[0].scalar_type == GLASM_SCALAR_TYPE_SINT32);
    glasm_shader_free(shader);

    /* Locations of no device are the caller's mistake, and nothing worse. */
    places[0].location = UINT32_MAX;
    glasm_result result = glasm_program_compile(NULL, program, &options, &shader, NULL);
    CHECK(result == GLASM_RESULT_OK || result == GLASM_RESULT_PROGRAM_ERROR);
    glasm_shader_free(shader);
    places[0].component_count = 5;
    CHECK(glasm_program_compile(NULL, program, &options, &shader, NULL) == GLASM_RESULT_INVALID_ARGUMENT && shader == NULL);
    places[0] = (glasm_varying_location){nothing, 5, 0, GLASM_BASE_TYPE_FLOAT, 4};
    CHECK(glasm_program_compile(NULL, program, &options, &shader, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    places[0] = (glasm_varying_location){second, 5, 0, 3, 4};
    CHECK(glasm_program_compile(NULL, program, &options, &shader, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    options.input_varyings.varying_locations = NULL;
    CHECK(glasm_program_compile(NULL, program, &options, &shader, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    options.input_varyings.layout = 4;
    CHECK(glasm_program_compile(NULL, program, &options, &shader, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(strstr(glasm_error_message(), "input_varyings") != NULL);
    glasm_program_free(program);
}

static int is_binding(const glasm_set_layout_binding *binding, uint32_t number, uint32_t kind, uint32_t stages)
{
    return binding->binding == number && (uint32_t)binding->descriptor_type == kind && binding->descriptor_count == 1 && binding->stage_flags == stages;
}

/* Kinds and stages are Vulkan's: 1 is a combined image sampler, 4 a uniform texel buffer, 6 a uniform buffer; 1 is the vertex stage, 16 the
 * fragment stage. */
static void test_layouts(void)
{
    glasm_program *programs[2] = {load(COLORS), load(TEXTURED)};
    glasm_shader *shaders[2] = {compile(programs[0], NULL), compile(programs[1], NULL)};
    size_t count = 0;
    const glasm_descriptor *descriptors = glasm_shader_descriptors(shaders[1], &count);
    CHECK(count == 2);
    for (size_t i = 0; i < count; i++) {
        const glasm_descriptor *descriptor = &descriptors[i];
        CHECK(descriptor->descriptor_count == 1 && descriptor->reflection_index == 0);
        if (descriptor->resource == GLASM_DESCRIPTOR_RESOURCE_TEXTURE) {
            CHECK(descriptor->slot.set == 1 && descriptor->slot.binding == 2);
            CHECK(descriptor->descriptor_type == GLASM_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER);
        } else {
            CHECK(descriptor->resource == GLASM_DESCRIPTOR_RESOURCE_PARAMETER_BLOCK);
            CHECK(descriptor->slot.set == 0 && descriptor->slot.binding == 4 && (uint32_t)descriptor->descriptor_type == 6);
        }
    }

    /* Entries of a list are found by their number. */
    glasm_program *three = load(COUNTED);
    glasm_shader *textures = compile(three, NULL);
    glasm_reflection reflection = *glasm_shader_reflection(textures);
    CHECK(reflection.texture_count == 3);
    descriptors = glasm_shader_descriptors(textures, &count);
    CHECK(count == 4);
    uint32_t units = 0;
    for (size_t i = 0; i < count; i++) {
        if (descriptors[i].resource != GLASM_DESCRIPTOR_RESOURCE_TEXTURE)
            continue;
        const glasm_texture_binding *texture = &reflection.textures[descriptors[i].reflection_index];
        CHECK(texture->slot.set == descriptors[i].slot.set && texture->slot.binding == descriptors[i].slot.binding);
        units |= 1u << texture->unit;
    }
    CHECK(units == 7);
    glasm_shader_free(textures);
    glasm_program_free(three);

    const glasm_shader *const used[2] = {shaders[0], shaders[1]};
    glasm_set_layouts *layouts = NULL;
    CHECK(glasm_set_layouts_create(used, 2, &layouts, NULL) == GLASM_RESULT_OK);
    const glasm_set_layout *sets = glasm_set_layouts_get(layouts, &count);
    CHECK(count == 2 && sets[0].set == 0 && sets[1].set == 1 && sets[0].binding_count == 2 && sets[1].binding_count == 1);
    CHECK(is_binding(&sets[0].bindings[0], 0, 6, 1) && is_binding(&sets[0].bindings[1], 4, 6, 16));
    CHECK(is_binding(&sets[1].bindings[0], 2, 1, 16));
    glasm_set_layouts_free(layouts);

    /* Without the vertex shader's matrix set 0 has one binding; without any shader there are no sets. */
    CHECK(glasm_set_layouts_create(used + 1, 1, &layouts, NULL) == GLASM_RESULT_OK);
    sets = glasm_set_layouts_get(layouts, &count);
    CHECK(count == 2 && sets[0].binding_count == 1);
    glasm_set_layouts_free(layouts);
    CHECK(glasm_set_layouts_create(NULL, 0, &layouts, NULL) == GLASM_RESULT_OK);
    CHECK(glasm_set_layouts_get(layouts, &count) != NULL && count == 0);
    glasm_set_layouts_free(layouts);

    /* Both read unit 2, the one a texture, the other a buffer. */
    glasm_program *buffer = load("!!NVvp4.0\nTEMP t;\nTXF t, vertex.attrib[1], texture[2], BUFFER;\nMOV result.position, t;\nEND");
    glasm_shader *reader = compile(buffer, NULL);
    const glasm_shader *const fighting[2] = {shaders[1], reader};
    glasm_descriptor_conflict conflict = {.size = sizeof conflict};
    CHECK(glasm_set_layouts_create(fighting, 2, &layouts, &conflict) == GLASM_RESULT_DESCRIPTOR_CONFLICT && layouts == NULL);
    CHECK(conflict.size == sizeof conflict && conflict.slot.set == 1 && conflict.slot.binding == 2);
    CHECK(conflict.first_stage == GLASM_STAGE_FRAGMENT && (uint32_t)conflict.first_type == 1);
    CHECK(conflict.second_stage == GLASM_STAGE_VERTEX && (uint32_t)conflict.second_type == 4);
    CHECK(strstr(glasm_error_message(), "binding 2") != NULL);
    CHECK(glasm_set_layouts_create(fighting, 2, &layouts, NULL) == GLASM_RESULT_DESCRIPTOR_CONFLICT);
    conflict.size = 1;
    CHECK(glasm_set_layouts_create(fighting, 2, &layouts, &conflict) == GLASM_RESULT_INVALID_ARGUMENT);
    glasm_shader_free(reader);
    glasm_program_free(buffer);

    const glasm_shader *const lacking[2] = {shaders[0], NULL};
    CHECK(glasm_set_layouts_create(lacking, 2, &layouts, NULL) == GLASM_RESULT_INVALID_ARGUMENT && layouts == NULL);
    CHECK(glasm_set_layouts_create(NULL, 2, &layouts, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_set_layouts_create(used, 2, NULL, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_set_layouts_get(NULL, &count) == NULL && count == 0 && glasm_shader_descriptors(NULL, NULL) == NULL);
    glasm_set_layouts_free(NULL);
    for (int i = 0; i < 2; i++) {
        glasm_shader_free(shaders[i]);
        glasm_program_free(programs[i]);
    }
}

/* A shader that was kept: its words and its reflection make it again. */
static void test_kept_shaders(void)
{
    glasm_program *program = load(TEXTURED);
    glasm_shader *shader = NULL, *again = NULL;
    CHECK(glasm_program_compile(NULL, program, NULL, &shader, NULL) == GLASM_RESULT_OK);
    size_t count, same_count, descriptors, same_descriptors;
    const uint32_t *words = glasm_shader_spirv(shader, &count);
    const char *json = glasm_shader_reflection_json(shader);
    CHECK(glasm_shader_create_from_cache(words, count, json, &again) == GLASM_RESULT_OK && again != NULL);
    const uint32_t *same = glasm_shader_spirv(again, &same_count);
    CHECK(same != words && same_count == count && memcmp(same, words, count * sizeof *words) == 0);
    CHECK(strcmp(glasm_shader_reflection_json(again), json) == 0);
    CHECK(glasm_shader_stage(again) == GLASM_STAGE_FRAGMENT);
    glasm_shader_descriptors(shader, &descriptors);
    glasm_shader_descriptors(again, &same_descriptors);
    CHECK(descriptors == same_descriptors && descriptors > 0);
    glasm_shader_free(again);

    uint32_t other[5] = {0x03022307, 0, 0, 0, 0};
    const char *broken[] = {"", "{", "{}", "[]", NULL};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        CHECK(glasm_shader_create_from_cache(words, count, broken[i], &again) == GLASM_RESULT_INVALID_ARGUMENT && again == NULL);
    CHECK(glasm_shader_create_from_cache(other, 5, json, &again) == GLASM_RESULT_INVALID_ARGUMENT && again == NULL);
    CHECK(glasm_shader_create_from_cache(words, 4, json, &again) == GLASM_RESULT_INVALID_ARGUMENT);
    for (size_t part = 0; part < count; part++)
        CHECK(glasm_shader_create_from_cache(words, part, json, &again) == GLASM_RESULT_INVALID_ARGUMENT && again == NULL);
    CHECK(glasm_shader_create_from_cache(NULL, count, json, &again) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_shader_create_from_cache(words, count, json, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    glasm_shader_free(shader);
    glasm_program_free(program);
}

static void test_cache_keys(void)
{
    uint8_t keys[4][GLASM_CACHE_KEY_SIZE], same[GLASM_CACHE_KEY_SIZE];
    glasm_source source = source_of("here", TEXTURED);
    glasm_options options;
    glasm_options_init(&options, sizeof options);
    CHECK(glasm_source_cache_key(&source, NULL, keys[0]) == GLASM_RESULT_OK);
    source.name = "there";
    CHECK(glasm_source_cache_key(&source, &options, same) == GLASM_RESULT_OK && memcmp(keys[0], same, sizeof same) == 0);
    glasm_program *program = load(TEXTURED);
    CHECK(glasm_program_cache_key(program, NULL, keys[1]) == GLASM_RESULT_OK);
    /* A program without colors does not depend on their interpolation, but its color is tested. */
    options.flat_colors = 1;
    CHECK(glasm_program_cache_key(program, &options, same) == GLASM_RESULT_OK && memcmp(keys[1], same, sizeof same) == 0);
    options.alpha_function = GLASM_COMPARE_FUNCTION_LESS;
    CHECK(glasm_program_cache_key(program, &options, same) == GLASM_RESULT_OK && memcmp(keys[1], same, sizeof same) != 0);
    source.strict = 1;
    CHECK(glasm_source_cache_key(&source, NULL, keys[2]) == GLASM_RESULT_OK);
    memcpy(keys[3], keys[0], sizeof keys[3]);
    CHECK(glasm_cache_key_extend(keys[3], keys[1], sizeof keys[1]) == GLASM_RESULT_OK);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            CHECK(memcmp(keys[i], keys[j], sizeof keys[i]) != 0);
    memcpy(same, keys[0], sizeof same);
    CHECK(glasm_cache_key_extend(same, keys[1], sizeof keys[1]) == GLASM_RESULT_OK && memcmp(same, keys[3], sizeof same) == 0);
    CHECK(glasm_cache_key_extend(same, same, sizeof same) == GLASM_RESULT_OK && memcmp(same, keys[3], sizeof same) != 0);

    /* A pipeline: the keys of its programs, joined. */
    const glasm_program *const programs[] = {program, program};
    uint8_t joined[GLASM_CACHE_KEY_SIZE];
    memcpy(joined, keys[1], sizeof joined);
    CHECK(glasm_cache_key_extend(joined, keys[1], sizeof keys[1]) == GLASM_RESULT_OK);
    CHECK(glasm_pipeline_cache_key(programs, 2, NULL, same) == GLASM_RESULT_OK && memcmp(same, joined, sizeof same) == 0);
    CHECK(glasm_pipeline_cache_key(programs, 1, NULL, same) == GLASM_RESULT_OK && memcmp(same, keys[1], sizeof same) == 0);
    CHECK(glasm_pipeline_cache_key(programs, 0, NULL, same) == GLASM_RESULT_INVALID_ARGUMENT && memcmp(same, keys[1], sizeof same) == 0);

    options.target = 99;
    memcpy(same, keys[0], sizeof same);
    CHECK(glasm_source_cache_key(&source, &options, same) == GLASM_RESULT_INVALID_ARGUMENT && memcmp(same, keys[0], sizeof same) == 0);
    CHECK(glasm_program_cache_key(program, &options, same) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_program_cache_key(NULL, NULL, same) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_source_cache_key(NULL, NULL, same) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_source_cache_key(&source, NULL, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_cache_key_extend(NULL, same, 1) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_cache_key_extend(same, NULL, 1) == GLASM_RESULT_INVALID_ARGUMENT);
    glasm_program_free(program);
}

static void test_validation(void)
{
    glasm_program *program = load(TEXTURED);
    glasm_shader *shader = compile(program, NULL);
    size_t count = 0;
    const uint32_t *words = glasm_shader_spirv(shader, &count);
    glasm_result result = glasm_spirv_validate(words, count, GLASM_TARGET_VULKAN_1_1);
    if (result == GLASM_RESULT_FEATURE_NOT_BUILT) {
        CHECK(strstr(glasm_error_message(), "spirv-tools") != NULL);
    } else {
        CHECK(result == GLASM_RESULT_OK);
        /* The last instruction, OpFunctionEnd, is one word. */
        CHECK(glasm_spirv_validate(words, count - 1, GLASM_TARGET_VULKAN_1_1) == GLASM_RESULT_INVALID_MODULE);
        CHECK(strlen(glasm_error_message()) > 10);
        CHECK(glasm_spirv_validate(NULL, 0, GLASM_TARGET_VULKAN_1_3) == GLASM_RESULT_INVALID_MODULE);
    }
    CHECK(glasm_spirv_validate(words, count, 99) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(glasm_spirv_validate(NULL, 5, GLASM_TARGET_VULKAN_1_1) == GLASM_RESULT_INVALID_ARGUMENT);
    glasm_shader_free(shader);
    glasm_program_free(program);
}

/* The numbers of words are those of the documentation: 9 and 10 are the alpha test, 11 to 15 line stipples, 16, 17 and 20 to 51 those of polygons. */
static void test_state(void)
{
    static const char text[] = "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND\n";
    glasm_program *program = load(text);
    glasm_options options;
    CHECK(glasm_options_init(&options, sizeof options) == GLASM_RESULT_OK);
    CHECK(options.alpha_function == GLASM_COMPARE_FUNCTION_ALWAYS && options.state_sources.alpha_test == GLASM_STATE_SOURCE_COMPILE_TIME);
    options.state_sources.alpha_test = GLASM_STATE_SOURCE_UNIFORM_BLOCK;
    options.state_sources.two_sided_color = GLASM_STATE_SOURCE_SPEC_CONSTANT;
    options.state_block_set = 3;
    options.state_block_binding = 9;
    options.first_state_spec_constant_id = 40;
    glasm_shader *shader;
    CHECK(glasm_program_compile(NULL, program, &options, &shader, NULL) == GLASM_RESULT_OK);
    glasm_reflection reflection = *glasm_shader_reflection(shader);
    CHECK(reflection.has_state_block && reflection.state_block_slot.set == 3 && reflection.state_block_slot.binding == 9);
    CHECK(reflection.state_word_read_count == 2 && reflection.state_words_read[0] == 9 && reflection.state_words_read[1] == 10);
    CHECK(reflection.state_spec_constant_count == 1 && reflection.state_spec_constants[0].id == 40 && reflection.state_spec_constants[0].word_index == 0);
    glasm_shader_free(shader);

    /* The values, as GL's state is at a draw. */
    uint32_t rows[32] = {0x80000001u, 0x0000ffffu};
    options.two_sided_color = 1;
    options.alpha_function = GLASM_COMPARE_FUNCTION_GREATER;
    options.alpha_reference = 0.5f;
    options.has_line_stipple = 1;
    options.line_stipple_factor = 3;
    options.line_stipple_pattern = 0xaaaa;
    options.line_stipple_viewport[2] = 2;
    options.polygon_stipple = rows;
    uint32_t words[GLASM_STATE_BLOCK_WORDS];
    CHECK(sizeof words == 336 && glasm_options_write_state_block(&options, words) == GLASM_RESULT_OK);
    CHECK(words[0] == 1 && words[1] == 0 && words[9] == 4 && words[10] == 0x3f000000u);
    CHECK(words[11] == (0xaaaau | 2u << 16) && words[14] == 0x40000000u);
    CHECK(words[16] == 1 && words[17] == 0 && words[20] == rows[0] && words[21] == rows[1] && words[22] == 0);
    CHECK(glasm_options_write_state_block(NULL, words) == GLASM_RESULT_OK && words[0] == 0 && words[9] == 7 && words[11] == 0xffff);

    /* Compiled in: the same options without forms. */
    memset(&options.state_sources, 0, sizeof options.state_sources);
    CHECK(glasm_program_compile(NULL, program, &options, &shader, NULL) == GLASM_RESULT_OK);
    reflection = *glasm_shader_reflection(shader);
    CHECK(!reflection.has_state_block && reflection.state_word_read_count == 0 && reflection.state_spec_constant_count == 0);
    glasm_shader_free(shader);

    CHECK(glasm_options_write_state_block(&options, NULL) == GLASM_RESULT_INVALID_ARGUMENT);
    options.line_stipple_factor = 257;
    CHECK(glasm_options_write_state_block(&options, words) == GLASM_RESULT_INVALID_ARGUMENT);
    options.line_stipple_factor = 1;
    options.line_stipple_pattern = 0x10000;
    CHECK(glasm_options_write_state_block(&options, words) == GLASM_RESULT_INVALID_ARGUMENT);
    options.line_stipple_pattern = 0;
    options.alpha_function = 8;
    CHECK(glasm_options_write_state_block(&options, words) == GLASM_RESULT_INVALID_ARGUMENT);
    options.alpha_function = GLASM_COMPARE_FUNCTION_NEVER;
    options.state_sources.depth_modes = 3;
    CHECK(glasm_options_write_state_block(&options, words) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(strstr(glasm_error_message(), "`state_sources.depth_modes`") != NULL);
    options.state_sources.depth_modes = 0;
    options.output_varyings.layout = GLASM_VARYING_LAYOUT_PACKED;
    options.output_varyings.varying_location_count = 3;
    CHECK(glasm_options_write_state_block(&options, words) == GLASM_RESULT_INVALID_ARGUMENT);
    CHECK(strstr(glasm_error_message(), "`output_varyings.varying_locations`") != NULL);
    glasm_program_free(program);
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    test_counts();
    test_parts();
    test_variables();
    test_varyings();
    test_layouts();
    test_cache_keys();
    test_kept_shaders();
    test_validation();
    test_state();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
