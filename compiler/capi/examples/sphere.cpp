// Draws a sphere with two ARB programs and Vulkan, from C++: owners are `std::unique_ptr`, errors are exceptions.
//
//     cc -c draw.c && c++ -std=c++17 sphere.cpp draw.o -o sphere $(pkg-config --cflags --libs glasm vulkan) && ./sphere sphere.ppm
#include "draw.h"

#include <glasm.h>

#include <array>
#include <cmath>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// The wrapper, which is all that an application needs: results of the library are owned by a pointer that frees them.
namespace glasm {

template <auto free> struct Free {
    template <class T> void operator()(T *handle) const { free(handle); }
};
using Program = std::unique_ptr<glasm_program, Free<glasm_program_free>>;
using Pipeline = std::unique_ptr<glasm_pipeline, Free<glasm_pipeline_free>>;
using Diagnostics = std::unique_ptr<glasm_diagnostics, Free<glasm_diagnostics_free>>;
using State = std::unique_ptr<glasm_state, Free<glasm_state_free>>;

void check(glasm_result result)
{
    if (result != GLASM_RESULT_OK)
        throw std::runtime_error(glasm_error_message());
}

Program load(const char *name, std::string_view text)
{
    glasm_source source;
    check(glasm_source_init(&source, sizeof source));
    source.name = name;
    source.text = text.data();
    source.text_length = text.size();
    glasm_program *program = nullptr;
    glasm_diagnostics *found = nullptr;
    glasm_result result = glasm_program_load(nullptr, &source, &program, &found);
    Diagnostics diagnostics(found);
    if (result == GLASM_RESULT_PROGRAM_ERROR)
        throw std::runtime_error(glasm_diagnostics_render(diagnostics.get()));
    check(result);
    return Program(program);
}

Pipeline link(const std::vector<const glasm_program *> &programs, const glasm_options &options)
{
    glasm_pipeline *pipeline = nullptr;
    glasm_result result = glasm_pipeline_link(nullptr, programs.data(), programs.size(), &options, &pipeline);
    Pipeline linked(pipeline);
    check(result);
    return linked;
}

std::vector<float> parameters(const glasm_shader *shader, const State &state)
{
    size_t count = glasm_shader_reflection(shader)->parameter_count;
    std::vector<float> block(4 * count);
    check(glasm_shader_fill_parameter_block(shader, state.get(), nullptr, block.data(), count));
    return block;
}

} // namespace glasm

constexpr std::string_view VERTEX_PROGRAM = R"(!!ARBvp1.0
OPTION ARB_position_invariant;
PARAM turn[4] = { state.matrix.modelview.invtrans };
DP3 result.texcoord[1].x, turn[0], vertex.normal;
DP3 result.texcoord[1].y, turn[1], vertex.normal;
DP3 result.texcoord[1].z, turn[2], vertex.normal;
MOV result.texcoord[0], vertex.texcoord[0];
END)";

// Light for each fragment: diffuse and specular, with the half vector that GL's state has for infinite lights.
constexpr std::string_view FRAGMENT_PROGRAM = R"(!!ARBfp1.0
TEMP normal, light, color;
DP3 normal.w, fragment.texcoord[1], fragment.texcoord[1];
RSQ normal.w, normal.w;
MUL normal.xyz, normal.w, fragment.texcoord[1];
DP3 light.x, normal, state.light[0].position;
DP3 light.y, normal, state.light[0].half;
MOV light.w, state.material.shininess.x;
LIT light, light;
TEX color, fragment.texcoord[0], texture[0], 2D;
MAD color, color, light.y, state.lightmodel.scenecolor;
MAD result.color, state.lightprod[0].specular, light.z, color;
END)";

constexpr uint32_t SIZE = 256, TEXELS = 64, ROWS = 24, COLUMNS = 48;

struct Vertex {
    std::array<float, 3> normal; // and position
    std::array<float, 2> texcoord;
};

std::vector<Vertex> sphere()
{
    auto corner = [](uint32_t row, uint32_t column) {
        float v = float(row) / ROWS, u = float(column) / COLUMNS;
        float latitude = (v - 0.5f) * 3.14159265f, longitude = u * 2 * 3.14159265f;
        float radius = std::cos(latitude);
        return Vertex{{radius * std::sin(longitude), std::sin(latitude), radius * std::cos(longitude)}, {u, v}};
    };
    std::vector<Vertex> vertices;
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t column = 0; column < COLUMNS; column++)
            for (auto [up, right] : {std::array{0, 0}, {0, 1}, {1, 1}, {0, 0}, {1, 1}, {1, 0}})
                vertices.push_back(corner(row + up, column + right));
    return vertices;
}

glasm::State make_state()
{
    glasm::State state(glasm_state_create());
    auto set = [&](glasm_state_variable what, std::initializer_list<float> values) {
        glasm::check(glasm_state_set(state.get(), what, 0, values.begin(), values.size()));
    };
    set(GLASM_STATE_VARIABLE_LIGHT_POSITION, {0.48f, 0.6f, 0.64f, 0});
    set(GLASM_STATE_VARIABLE_MATERIAL_SPECULAR, {0.8f, 0.8f, 0.8f, 1});
    set(GLASM_STATE_VARIABLE_MATERIAL_SHININESS, {40});
    float matrix[16], turn[16];
    glasm::check(glasm_matrix_perspective(matrix, 40, 1, 1, 10));
    glasm::check(glasm_state_set_matrix(state.get(), GLASM_MATRIX_PROJECTION, 0, matrix));
    glasm::check(glasm_matrix_translation(matrix, 0, 0, -4));
    glasm::check(glasm_matrix_rotation(turn, 30, 1, 0, 1));
    glasm::check(glasm_matrix_multiply(matrix, matrix, turn));
    glasm::check(glasm_state_set_matrix(state.get(), GLASM_MATRIX_MODELVIEW, 0, matrix));
    return state;
}

int main(int count, char **arguments)
try {
    glasm::Program vertex = glasm::load("sphere.vp", VERTEX_PROGRAM);
    glasm::Program fragment = glasm::load("sphere.fp", FRAGMENT_PROGRAM);
    glasm_options options;
    glasm::check(glasm_options_init(&options, sizeof options));
    glasm::check(glasm_options_use_opengl_conventions(&options));
    glasm::Pipeline pipeline = glasm::link({vertex.get(), fragment.get()}, options);

    glasm::State state = make_state();
    std::vector<Vertex> vertices = sphere();
    std::vector<unsigned char> texels(4 * TEXELS * TEXELS), pixels(4 * SIZE * SIZE);
    for (size_t i = 0; i < texels.size(); i += 4)
        texels[i + 1] = texels[i] = texels[i + 2] = (i / 4 / TEXELS / 8) % 2 ? 220 : 60; // stripes

    const draw_attribute attributes[] = {{GLASM_VERTEX_ATTRIBUTE_POSITION, 3, 0}, {GLASM_VERTEX_ATTRIBUTE_NORMAL, 3, 0}, {GLASM_VERTEX_ATTRIBUTE_TEX_COORD0, 2, 12}};
    std::array<std::vector<float>, 2> blocks;
    std::array<draw_uniform, 2> uniforms{};
    draw what{};
    for (size_t i = 0; i < 2; i++) {
        const glasm_shader *shader = glasm_pipeline_stages(pipeline.get(), nullptr)[i].shader;
        const glasm_reflection &reflection = *glasm_shader_reflection(shader);
        blocks[i] = glasm::parameters(shader, state);
        uniforms[i] = {reflection.parameter_block_slot.set, reflection.parameter_block_slot.binding, blocks[i].data(), 4 * blocks[i].size()};
        what.words[i] = glasm_shader_spirv(shader, &what.word_counts[i]);
        if (reflection.texture_count == 1)
            what.texture = {reflection.textures[0].slot.set, reflection.textures[0].slot.binding, TEXELS, texels.data()};
    }
    what.attributes = attributes;
    what.attribute_count = 3;
    what.stride = sizeof(Vertex);
    what.vertices = vertices.data();
    what.vertex_count = uint32_t(vertices.size());
    what.uniforms = uniforms.data();
    what.uniform_count = 2;
    draw_triangles(&what, SIZE, pixels.data());
    write_picture(count > 1 ? arguments[1] : "sphere.ppm", SIZE, pixels.data());
    return 0;
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
