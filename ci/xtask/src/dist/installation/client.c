/* A client of the C interface, which the tests of packages build and run: compiles a program, and rejects one with an error. */
#include <glasm.h>
#include <stdint.h>
#include <stdio.h>

int main(void)
{
    glasm_program *program;
    if (glasm_program_load_string("client", GLASM_PROGRAM_TYPE_ANY, "!!ARBfp1.0\nMOV result.color, 1;\nEND",
                                  GLASM_NUL_TERMINATED, &program, NULL) != GLASM_RESULT_OK)
        return 1;
    glasm_shader *shader;
    if (glasm_program_compile(NULL, program, NULL, &shader, NULL) != GLASM_RESULT_OK)
        return 2;
    size_t count;
    const uint32_t *words = glasm_shader_spirv(shader, &count);
    /* SPIR-V section 2.3: the header has five words and begins with the magic number. */
    if (count <= 5 || words[0] != 0x07230203)
        return 3;
    glasm_shader_free(shader);
    glasm_program_free(program);
    if (glasm_program_load_string("client", GLASM_PROGRAM_TYPE_ANY, "!!ARBfp1.0\nMOV nothing, 1;\nEND",
                                  GLASM_NUL_TERMINATED, &program, NULL) != GLASM_RESULT_PROGRAM_ERROR)
        return 4;
    puts("client passed");
    return 0;
}
