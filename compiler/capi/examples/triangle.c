/* Draws triangles with two ARB programs and Vulkan: a lit and textured octahedron, without a window, into a PPM file.
 *
 *     cc triangle.c draw.c -o triangle $(pkg-config --cflags --libs glasm vulkan) -lm && ./triangle octahedron.ppm
 *
 * The functions here use glasm, in the order in which an application needs them; draw.c has the usual code of programs with Vulkan. Errors
 * end the program; the system frees its objects. */
#include "draw.h"

#include <glasm.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 256, TEXELS = 64, VERTICES = 24 };

#define GLASM(call) do { if ((call) != GLASM_RESULT_OK) { fprintf(stderr, "%s: %s\n", #call, glasm_error_message()); exit(1); } } while (0)

static const char VERTEX_PROGRAM[] =
    "!!ARBvp1.0\n"
    "OPTION ARB_position_invariant;\n"
    "TEMP normal, light;\n"
    "DP3 normal.x, state.matrix.modelview.invtrans.row[0], vertex.normal;\n"
    "DP3 normal.y, state.matrix.modelview.invtrans.row[1], vertex.normal;\n"
    "DP3 normal.z, state.matrix.modelview.invtrans.row[2], vertex.normal;\n"
    "DP3 light.x, normal, state.light[0].position;\n"
    "MAX light.x, light.x, 0;\n"
    "MAD result.color, light.x, state.lightprod[0].diffuse, state.lightmodel.scenecolor;\n"
    "MOV result.texcoord[0], vertex.texcoord[0];\n"
    "END\n";
static const char FRAGMENT_PROGRAM[] =
    "!!ARBfp1.0\n"
    "TEMP texel;\n"
    "TEX texel, fragment.texcoord[0], texture[0], 2D;\n"
    "LRP texel, texel.x, program.local[0], program.local[1];\n"
    "MUL result.color, texel, fragment.color;\n"
    "END\n";

/* 1. A program string is loaded once. Errors are rendered with the lines that they are in; GL's error position is available, too. */
static glasm_program *load(const char *name, const char *text)
{
    glasm_source source;
    glasm_source_init(&source, sizeof source);
    source.name = name;
    source.text = text;
    source.text_length = strlen(text);
    glasm_program *program;
    glasm_diagnostics *diagnostics;
    if (glasm_program_load(NULL, &source, &program, &diagnostics) != GLASM_RESULT_OK) {
        long long position = glasm_diagnostics_gl_error_position(diagnostics);
        fprintf(stderr, "%sPROGRAM_ERROR_POSITION_ARB is %lld\n", glasm_diagnostics_render(diagnostics), position);
        exit(1);
    }
    glasm_diagnostics_free(diagnostics); /* warnings, if there are any */
    return program;
}

/* 2. The programs of a pipeline are compiled together, as often as the state that modules depend on changes. */
static glasm_pipeline *compile(glasm_program *vertex, glasm_program *fragment)
{
    glasm_options options;
    glasm_options_init(&options, sizeof options);
    glasm_options_use_opengl_conventions(&options); /* z of clip space is from -w to w, and row 0 of the image is the lowest */
    const glasm_program *const programs[] = {vertex, fragment};
    glasm_pipeline *pipeline;
    GLASM(glasm_pipeline_link(NULL, programs, 2, &options, &pipeline));
    return pipeline;
}

/* 3. GL's state, as the application sets it. The position of a light is transformed by the current modelview matrix. */
static glasm_state *make_state(void)
{
    glasm_state *state = glasm_state_create();
    const glasm_state_setting settings[] = {
        {GLASM_STATE_VARIABLE_LIGHT_POSITION, 0, {0.27f, 0.53f, 0.8f, 0}},
        {GLASM_STATE_VARIABLE_MATERIAL_DIFFUSE, GLASM_FACE_FRONT, {1, 1, 1, 1}},
    };
    GLASM(glasm_state_set_values(state, settings, 2));

    float matrix[16], turn[16];
    GLASM(glasm_matrix_perspective(matrix, 40, 1, 1, 10));
    GLASM(glasm_state_set_matrix(state, GLASM_MATRIX_PROJECTION, 0, matrix));
    GLASM(glasm_matrix_translation(matrix, 0, 0, -4));
    GLASM(glasm_matrix_rotation(turn, 25, 1, 0, 0));
    GLASM(glasm_matrix_multiply(matrix, matrix, turn));
    GLASM(glasm_matrix_rotation(turn, 30, 0, 1, 0));
    GLASM(glasm_matrix_multiply(matrix, matrix, turn));
    GLASM(glasm_state_set_matrix(state, GLASM_MATRIX_MODELVIEW, 0, matrix));
    return state;
}

/* 4. Resources that a module reads are filled, and bound to the slots in its reflection. Each stage has one buffer for its parameter block. */
static struct draw_uniform make_parameters(const glasm_shader *shader, const glasm_state *state, const glasm_parameter_values *values)
{
    const glasm_reflection *reflection = glasm_shader_reflection(shader);
    size_t size = 16 * reflection->parameter_count;
    float *block = malloc(size);
    GLASM(glasm_shader_fill_parameter_block(shader, state, values, block, reflection->parameter_count));
    return (struct draw_uniform){reflection->parameter_block_slot.set, reflection->parameter_block_slot.binding, block, size};
}

/* Eight triangles, one for each octant; three floats of position, three of normal, two of texture coordinate. */
static void fill_vertices(float *at)
{
    for (int octant = 0; octant < 8; octant++) {
        float sign[3] = {octant & 1 ? -1.f : 1.f, octant & 2 ? -1.f : 1.f, octant & 4 ? -1.f : 1.f};
        int mirrored = sign[0] * sign[1] * sign[2] < 0; /* then the order of the corners is reversed */
        for (int i = 0; i < 3; i++, at += 8) {
            int axis = mirrored ? 2 - i : i;
            const float texcoord[3][2] = {{0, 0}, {1, 0}, {0.5f, 1}};
            memset(at, 0, 32);
            at[axis] = sign[axis];
            for (int k = 0; k < 3; k++)
                at[3 + k] = sign[k] / sqrtf(3);
            memcpy(at + 6, texcoord[i], 8);
        }
    }
}

static void fill_texels(unsigned char *at)
{
    for (int i = 0; i < TEXELS * TEXELS; i++)
        memset(at + 4 * i, ((i / 8) ^ (i / TEXELS / 8)) & 1 ? 255 : 0, 4);
}

int main(int count, char **arguments)
{
    glasm_program *vertex = load("octahedron.vp", VERTEX_PROGRAM);
    glasm_program *fragment = load("octahedron.fp", FRAGMENT_PROGRAM);
    glasm_pipeline *pipeline = compile(vertex, fragment);
    const glasm_pipeline_stage *stages = glasm_pipeline_stages(pipeline, NULL);
    glasm_program_free(vertex);
    glasm_program_free(fragment);

    glasm_state *state = make_state();
    const float colors[2][4] = {{1, 0.6f, 0.1f, 1}, {0.1f, 0.3f, 0.8f, 1}}; /* program.local[0] and [1] of the fragment program */
    const glasm_parameter_values values = {.size = sizeof values, .local = colors[0], .local_count = 2};
    struct draw_uniform uniforms[] = {make_parameters(stages[0].shader, state, NULL), make_parameters(stages[1].shader, state, &values)};
    glasm_state_free(state);

    static float vertices[8 * VERTICES];
    static unsigned char texels[4 * TEXELS * TEXELS], pixels[4 * SIZE * SIZE];
    fill_vertices(vertices);
    fill_texels(texels);
    glasm_descriptor_slot texture = glasm_shader_reflection(stages[1].shader)->textures[0].slot; /* texture image unit 0, the only one that the program reads */

    /* Attributes of vertices have the locations of GL's conventional commands. */
    const struct draw_attribute attributes[] = {{GLASM_VERTEX_ATTRIBUTE_POSITION, 3, 0}, {GLASM_VERTEX_ATTRIBUTE_NORMAL, 3, 12}, {GLASM_VERTEX_ATTRIBUTE_TEX_COORD0, 2, 24}};
    struct draw what = {.attributes = attributes, .attribute_count = 3, .stride = 32, .vertices = vertices, .vertex_count = VERTICES,
        .uniforms = uniforms, .uniform_count = 2, .texture = {texture.set, texture.binding, TEXELS, texels}};
    for (int i = 0; i < 2; i++)
        what.words[i] = glasm_shader_spirv(stages[i].shader, &what.word_counts[i]);
    draw_triangles(&what, SIZE, pixels);
    write_picture(count > 1 ? arguments[1] : "octahedron.ppm", SIZE, pixels);

    for (int i = 0; i < 2; i++)
        free((void *)uniforms[i].bytes);
    glasm_pipeline_free(pipeline); /* and with it the shaders */
    return 0;
}
