// The header in C++: it compiles, its functions have the names of C, enumerations are numbers where callers choose, and what callers own goes into
// std::unique_ptr. Linked with the static library.

#include "glasm.h"

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

template <auto Free> struct freed {
    template <typename T> void operator()(T *handle) const { Free(handle); }
};
using program = std::unique_ptr<glasm_program, freed<glasm_program_free>>;
using shader = std::unique_ptr<glasm_shader, freed<glasm_shader_free>>;
using layouts = std::unique_ptr<glasm_set_layouts, freed<glasm_set_layouts_free>>;
using diagnostics = std::unique_ptr<glasm_diagnostics, freed<glasm_diagnostics_free>>;

static const char text[] = "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND\n"
                           "!!ARBfp1.0\nMUL result.color, fragment.color, program.local[3];\nEND\n";

static program load(const glasm_source &source)
{
    glasm_program *loaded = nullptr;
    return program(glasm_program_load(nullptr, &source, &loaded, nullptr) == GLASM_RESULT_OK ? loaded : nullptr);
}

static shader compile(const program &loaded, const glasm_options &options)
{
    glasm_shader *compiled = nullptr;
    return shader(glasm_program_compile(nullptr, loaded.get(), &options, &compiled, nullptr) == GLASM_RESULT_OK ? compiled : nullptr);
}

// What a program says before it is compiled.
static int describe(const program &vertex, const program &fragment)
{
    size_t count = 0;
    const glasm_program_input *inputs = glasm_program_inputs(fragment.get(), &count);
    if (count != 1 || inputs[0].semantic.name != GLASM_SEMANTIC_COLOR || inputs[0].base_type != GLASM_BASE_TYPE_FLOAT)
        return 10;
    const glasm_program_output *outputs = glasm_program_outputs(vertex.get(), &count);
    if (count != 1 || outputs[0].semantic.name != GLASM_SEMANTIC_POSITION || outputs[0].is_invariant)
        return 11;
    if (glasm_program_tgsi_outputs(vertex.get(), &count) == nullptr || count != 0)
        return 12;
    glasm_resource_counts counts{};
    counts.size = sizeof counts;
    if (glasm_program_count_resources(fragment.get(), &counts) != GLASM_RESULT_OK || counts.instructions != 1 || counts.attributes != 1)
        return 13;
    glasm_program_limits limits;
    if (glasm_program_limits_init(&limits, sizeof limits) != GLASM_RESULT_OK)
        return 14;
    limits.local_parameters = 3;
    glasm_diagnostics *found = nullptr;
    if (glasm_program_check_limits(fragment.get(), &limits, &found) != GLASM_RESULT_PROGRAM_ERROR)
        return 15;
    return glasm_diagnostics_count(diagnostics(found).get()) == 1 ? 0 : 16;
}

// Stages that are compiled apart, their layouts and their keys.
static int compile_apart(const glasm_source &source, const program &vertex, const program &fragment)
{
    glasm_options options;
    if (glasm_options_init(&options, sizeof options) != GLASM_RESULT_OK)
        return 20;
    options.output_varyings.layout = GLASM_VARYING_LAYOUT_ALL_LOCATIONS;
    const glasm_semantic_info color{GLASM_SEMANTIC_COLOR, 0, 0};
    options.output_varyings.location_mask = 1u << glasm_semantic_fixed_location(&color);
    shader first = compile(vertex, options), second = compile(fragment, options);
    if (glasm_shader_reflection(first.get())->output_count != 2)
        return 21;
    size_t count = 0;
    const glasm_descriptor *descriptors = glasm_shader_descriptors(second.get(), &count);
    if (count != 1 || descriptors[0].descriptor_type != GLASM_DESCRIPTOR_TYPE_UNIFORM_BUFFER)
        return 22;
    const std::array<const glasm_shader *, 2> shaders{first.get(), second.get()};
    glasm_set_layouts *made = nullptr;
    glasm_descriptor_conflict conflict{};
    conflict.size = sizeof conflict;
    if (glasm_set_layouts_create(shaders.data(), shaders.size(), &made, &conflict) != GLASM_RESULT_OK)
        return 23;
    layouts owned(made);
    const glasm_set_layout *sets = glasm_set_layouts_get(owned.get(), &count);
    if (count != 1 || sets[0].binding_count != 1 || sets[0].bindings[0].stage_flags != 0x10)
        return 24;
    const uint32_t *words = glasm_shader_spirv(first.get(), &count);
    const glasm_result valid = glasm_spirv_validate(words, count, GLASM_TARGET_VULKAN_1_1);
    if (valid != GLASM_RESULT_OK && valid != GLASM_RESULT_FEATURE_NOT_BUILT)
        return 25;
    std::array<uint8_t, GLASM_CACHE_KEY_SIZE> key{}, other{};
    if (glasm_source_cache_key(&source, &options, key.data()) != GLASM_RESULT_OK ||
        glasm_program_cache_key(fragment.get(), &options, other.data()) != GLASM_RESULT_OK || key == other)
        return 26;
    return glasm_cache_key_extend(key.data(), "1", 1) == GLASM_RESULT_OK && key != other ? 0 : 27;
}

int main()
{
    const std::string version = std::to_string(GLASM_VERSION_MAJOR) + "." + std::to_string(GLASM_VERSION_MINOR) + ".";
    if (std::strncmp(glasm_version_string(), version.c_str(), version.size()) != 0)
        return 1;
    glasm_source source;
    if (glasm_source_init(&source, sizeof source) != GLASM_RESULT_OK)
        return 2;
    source.text = text;
    source.text_length = std::strlen(text);
    size_t count = 0;
    if (glasm_source_find_programs(&source, nullptr, 0, &count) != GLASM_RESULT_OK || count != 2)
        return 3;
    std::vector<glasm_program_span> parts(count);
    if (glasm_source_find_programs(&source, parts.data(), parts.size(), &count) != GLASM_RESULT_OK)
        return 4;
    std::vector<program> programs;
    for (const glasm_program_span &part : parts) {
        source.program_start = part.start;
        source.program_length = part.length;
        programs.push_back(load(source));
        if (!programs.back())
            return 5;
    }
    source.program_type = GLASM_PROGRAM_TYPE_FRAGMENT;
    programs[1] = load(source);
    glasm_stage stage = glasm_program_stage(programs[1].get());
    if (stage != GLASM_STAGE_FRAGMENT)
        return 6;
    if (const int failed = describe(programs[0], programs[1]))
        return failed;
    return compile_apart(source, programs[0], programs[1]);
}
