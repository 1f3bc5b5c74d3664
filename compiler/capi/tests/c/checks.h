/* What the programs that use glasm.h have in common. Every line that does not hold is printed; the exit status is 1 then. They free all that they
 * own: tools that find leaks find none. */

#ifndef CHECKS_H
#define CHECKS_H

#include "glasm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

static inline void check(int holds, const char *condition, int line)
{
    if (!holds) {
        printf("line %d: %s (last message: %s)\n", line, condition, glasm_error_message());
        failures++;
    }
}

static inline glasm_source source_of(const char *name, const char *text)
{
    glasm_source source;
    CHECK(glasm_source_init(&source, sizeof source) == GLASM_RESULT_OK);
    source.name = name;
    source.text = text;
    source.text_length = strlen(text);
    return source;
}

static inline glasm_program *load(const char *text)
{
    glasm_source source = source_of("test", text);
    glasm_program *program = NULL;
    glasm_diagnostics *diagnostics = NULL;
    CHECK(glasm_program_load(NULL, &source, &program, &diagnostics) == GLASM_RESULT_OK);
    CHECK(program != NULL && diagnostics == NULL);
    return program;
}

static inline glasm_shader *compile(const glasm_program *program, const glasm_options *options)
{
    glasm_shader *shader = NULL;
    CHECK(glasm_program_compile(NULL, program, options, &shader, NULL) == GLASM_RESULT_OK);
    return shader;
}

#endif
