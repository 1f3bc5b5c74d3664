/* A GLSL compiler that stays alive between compilations: creating the symbol tables of the built-in
 * functions takes glslangValidator 70 ms per process, and a shader 2 ms.
 *
 * Each line of the standard input is a request, with fields separated by tabs:
 *     stage, target environment, output file, source files of one stage, which are linked
 * The answer is a line: "ok" after the module was written, else "failed". glslangValidator reports
 * the messages of sources that fail.
 */
#include <glslang/Include/glslang_c_interface.h>
#include <glslang/Public/resource_limits_c.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SOURCES = 16, MAX_LINE = 65536 };

struct stage {
    const char *name;
    glslang_stage_t value;
};

static const struct stage stages[] = {
    {"vert", GLSLANG_STAGE_VERTEX},   {"tesc", GLSLANG_STAGE_TESSCONTROL}, {"tese", GLSLANG_STAGE_TESSEVALUATION},
    {"geom", GLSLANG_STAGE_GEOMETRY}, {"frag", GLSLANG_STAGE_FRAGMENT},    {"comp", GLSLANG_STAGE_COMPUTE},
};

struct environment {
    const char *name;
    glslang_target_client_version_t client;
    glslang_target_language_version_t language;
};

static const struct environment environments[] = {
    {"vulkan1.1", GLSLANG_TARGET_VULKAN_1_1, GLSLANG_TARGET_SPV_1_3},
    {"vulkan1.2", GLSLANG_TARGET_VULKAN_1_2, GLSLANG_TARGET_SPV_1_5},
    {"vulkan1.3", GLSLANG_TARGET_VULKAN_1_3, GLSLANG_TARGET_SPV_1_6},
};

#define FIND(table, wanted, found)                                                                                     \
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)                                                          \
        if (strcmp(table[i].name, wanted) == 0)                                                                        \
            found = &table[i];

/* Returns the content of a file, ended by a zero byte; NULL if it cannot be read. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *text = NULL;
    long size = -1;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0)
        text = malloc((size_t)size + 1);
    if (text) {
        bool complete = fread(text, 1, (size_t)size, file) == (size_t)size;
        text[size] = 0;
        /* The interface takes texts that end at a zero byte. */
        if (!complete || memchr(text, 0, (size_t)size)) {
            free(text);
            text = NULL;
        }
    }
    fclose(file);
    return text;
}

static bool write_module(glslang_program_t *program, const char *path)
{
    size_t words = glslang_program_SPIRV_get_size(program);
    FILE *file = words ? fopen(path, "wb") : NULL;
    if (!file)
        return false;
    bool written = fwrite(glslang_program_SPIRV_get_ptr(program), 4, words, file) == words;
    return fclose(file) == 0 && written;
}

static bool compile(const struct stage *stage, const struct environment *environment, const char *output,
                    char *const *paths, size_t count)
{
    glslang_program_t *program = glslang_program_create();
    glslang_shader_t *shaders[MAX_SOURCES] = {0};
    char *texts[MAX_SOURCES] = {0};
    int messages = GLSLANG_MSG_SPV_RULES_BIT | GLSLANG_MSG_VULKAN_RULES_BIT;
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        texts[i] = read_file(paths[i]);
        glslang_input_t input = {
            .language = GLSLANG_SOURCE_GLSL,
            .stage = stage->value,
            .client = GLSLANG_CLIENT_VULKAN,
            .client_version = environment->client,
            .target_language = GLSLANG_TARGET_SPV,
            .target_language_version = environment->language,
            .code = texts[i],
            .default_version = 100,
            .default_profile = GLSLANG_NO_PROFILE,
            .messages = messages,
            .resource = glslang_default_resource(),
        };
        good = texts[i] && (shaders[i] = glslang_shader_create(&input)) && glslang_shader_preprocess(shaders[i], &input) &&
               glslang_shader_parse(shaders[i], &input);
        if (good)
            glslang_program_add_shader(program, shaders[i]);
    }
    good = good && glslang_program_link(program, messages);
    if (good) {
        glslang_program_SPIRV_generate(program, stage->value);
        good = write_module(program, output);
    }
    glslang_program_delete(program);
    for (size_t i = 0; i < count; i++) {
        if (shaders[i])
            glslang_shader_delete(shaders[i]);
        free(texts[i]);
    }
    return good;
}

/* Carries out a request; false if it is malformed or a source has an error. */
static bool answer(char *line)
{
    char *fields[3 + MAX_SOURCES];
    size_t count = 0;
    for (char *field = strtok(line, "\t\n"); field; field = strtok(NULL, "\t\n")) {
        if (count == sizeof fields / sizeof *fields)
            return false;
        fields[count++] = field;
    }
    if (count < 4)
        return false;
    const struct stage *stage = NULL;
    const struct environment *environment = NULL;
    FIND(stages, fields[0], stage);
    FIND(environments, fields[1], environment);
    return stage && environment && compile(stage, environment, fields[2], fields + 3, count - 3);
}

int main(void)
{
    static char line[MAX_LINE];
    if (!glslang_initialize_process())
        return 1;
    while (fgets(line, sizeof line, stdin)) {
        puts(answer(line) ? "ok" : "failed");
        fflush(stdout);
    }
    glslang_finalize_process();
    return 0;
}
