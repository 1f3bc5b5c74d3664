// The header in C++: it compiles, its functions have the names of C, and enumerations are numbers where callers choose.

#include "glasm.h"

#include <cstring>
#include <memory>

int main()
{
    const char text[] = "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND";
    glasm_source source;
    if (glasm_source_init(&source, sizeof source) != GLASM_RESULT_OK)
        return 1;
    source.text = text;
    source.text_length = std::strlen(text);
    source.program_type = GLASM_PROGRAM_TYPE_FRAGMENT;
    glasm_program *loaded = nullptr;
    if (glasm_program_load(nullptr, &source, &loaded, nullptr) != GLASM_RESULT_OK)
        return 2;
    std::unique_ptr<glasm_program, decltype(&glasm_program_free)> program(loaded, glasm_program_free);
    glasm_shader *compiled = nullptr;
    if (glasm_program_compile(nullptr, program.get(), nullptr, &compiled, nullptr) != GLASM_RESULT_OK)
        return 3;
    std::unique_ptr<glasm_shader, decltype(&glasm_shader_free)> shader(compiled, glasm_shader_free);
    glasm_stage stage = glasm_shader_stage(shader.get());
    return stage == GLASM_STAGE_FRAGMENT ? 0 : 4;
}
