/* Draws cases with programs of Cg that NVIDIA's runtime compiles, and writes a picture of each.
 *
 * Arguments: folder of programs, folder of pictures, profiles of the five stages (`-` for none), names of cases. */
#include "stage.h"

#include <stdlib.h>

CGcontext cg;
CGprogram programs[STAGES];
bool is_reference, has_registers;
GLuint by_hand;
static CGprogram combined;

static const char *const STAGE_NAMES[STAGES] = {"vertex", "control", "evaluation", "geometry", "fragment"};
static const char *const GLSL_EXTENSIONS[STAGES] = {"vert", "tesc", "tese", "geom", "frag"};
static const GLenum GLSL_STAGES[STAGES] = {GL_VERTEX_SHADER, GL_TESS_CONTROL_SHADER, GL_TESS_EVALUATION_SHADER, GL_GEOMETRY_SHADER,
                                           GL_FRAGMENT_SHADER};
static const char *profile_names[STAGES];
static const char *folder;
static const char *name_of_case;

static void on_error(CGcontext context, CGerror error, void *data) {
    (void)data;
    const char *listing = context ? cgGetLastListing(context) : 0;
    mistake(name_of_case, 0, "Cg: %s%s%s", cgGetErrorString(error), listing ? "\n" : "", listing ? listing : "");
}

/* A file beside the programs, to be freed; nothing if there is none. */
static char *read_text(const char *name, const char *extension) {
    enum { MOST = 1 << 16 };
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, extension);
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    char *text = calloc(1, MOST);
    if (!fread(text, 1, MOST - 1, file)) mistake(path, 0, "nothing can be read");
    fclose(file);
    return text;
}

/* A program of GLSL whose stages stand in files of this name. */
static GLuint load_glsl(const char *name) {
    GLuint program = 0;
    for (int stage = 0; stage < STAGES; stage++) {
        char *text = read_text(name, GLSL_EXTENSIONS[stage]);
        if (!text) continue;
        if (!program) program = glCreateProgram();
        GLuint shader = glCreateShader(GLSL_STAGES[stage]);
        glShaderSource(shader, 1, (const GLchar *const *)&text, 0);
        glCompileShader(shader);
        glAttachShader(program, shader);
        free(text);
    }
    if (!program) return 0;
    GLint is_linked;
    char told[1000] = "";
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &is_linked);
    glGetProgramInfoLog(program, sizeof told, 0, told);
    CHECK(is_linked, "%s", told);
    glUseProgram(program);
    return program;
}

static CGprogram load_entry(int stage, const char *text, const char *entry) {
    const char *arguments[] = {is_reference ? "-DREFERENCE" : has_registers ? "-DREGISTERS" : "-DASSEMBLY", 0, 0, 0};
    char option[32];
    /* Some properties of evaluation programs are no words of the language, but options of the profile. */
    if (stage == EVALUATION && sscanf(text, "// option %31s", option) == 1) {
        arguments[1] = "-po";
        arguments[2] = option;
    }
    CGprofile profile = cgGetProfile(profile_names[stage]);
    CHECK(cgGLIsProfileSupported(profile), "%s", profile_names[stage]);
    cgGLSetOptimalOptions(profile);
    CGprogram program = cgCreateProgram(cg, cgGetEnum("CG_SOURCE"), text, profile, entry, arguments);
    if (!program) return 0;
    if (getenv("CG_SHOW")) fprintf(stderr, "%s\n", cgGetProgramString(program, cgGetEnum("CG_COMPILED_PROGRAM")));
    return program;
}

/* Programs of GLSL that are bound one after the other replace each other: two stages are made one program, whose stages have the parameters. */
static void combine_programs(void) {
    if (!programs[VERTEX] || !programs[FRAGMENT]) return;
    combined = cgCombinePrograms2(programs[VERTEX], programs[FRAGMENT]);
    programs[VERTEX] = cgGetProgramDomainProgram(combined, 0);
    programs[FRAGMENT] = cgGetProgramDomainProgram(combined, 1);
    cgGLLoadProgram(combined);
}

void load_programs(const char *file) {
    if (is_reference && (by_hand = load_glsl(file))) return;
    char *text = read_text(file, "cg"), *rest = read_text("pass", "cg");
    CHECK(text, "%s.cg", file);
    for (int stage = 0; text && rest && stage < STAGES; stage++) {
        char entry[32];
        snprintf(entry, sizeof entry, "%s_main", STAGE_NAMES[stage]);
        if (!strcmp(profile_names[stage], "-")) continue;
        if (strstr(text, entry))
            programs[stage] = load_entry(stage, text, entry);
        /* The other stage of cases with this name is the fixed functions. */
        else if (strstr(rest, entry) && strncmp(file, "fixed_", 6))
            programs[stage] = load_entry(stage, rest, entry);
    }
    free(text);
    free(rest);
    if (is_reference) combine_programs();
    for (int stage = 0; stage < STAGES && !combined; stage++)
        if (programs[stage]) cgGLLoadProgram(programs[stage]);
}

void bind_programs(void) {
    static const struct {
        const char *name;
        CGGLenum matrix, transform;
    } matrices[] = {
        {"model_view_projection", CG_GL_MODELVIEW_PROJECTION_MATRIX, CG_GL_MATRIX_IDENTITY},
        {"model_view", CG_GL_MODELVIEW_MATRIX, CG_GL_MATRIX_IDENTITY},
        {"normal_matrix", CG_GL_MODELVIEW_MATRIX, CG_GL_MATRIX_INVERSE_TRANSPOSE},
    };
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        EACH(matrices[i].name, parameter) cgGLSetStateMatrixParameter(parameter, matrices[i].matrix, matrices[i].transform);
    for (int stage = 0; stage < STAGES; stage++) {
        if (!programs[stage]) continue;
        cgGLEnableProfile(cgGetProfile(profile_names[stage]));
        if (!combined) cgGLBindProgram(programs[stage]);
    }
    if (combined) cgGLBindProgram(combined);
}

static void write_picture(const char *path) {
    static GLubyte pixels[SIZE * SIZE * 4];
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    FILE *file = fopen(path, "wb");
    CHECK(file, "%s", path);
    if (!file) return;
    fprintf(file, "P7\nWIDTH %d\nHEIGHT %d\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n", SIZE, SIZE);
    for (int y = SIZE - 1; y >= 0; y--) fwrite(pixels + y * SIZE * 4, 4, SIZE, file);
    fclose(file);
}

static void run(const char *name, const char *pictures) {
    name_of_case = name;
    /* Both streams say where a case begins, for who reads them. */
    fprintf(stderr, "case %s\n", name);
    printf("case %s\n", name);
    fflush(stdout);
    context own = open_context(0);
    use_context(own);
    cg = cgCreateContext();
    cgGLSetManageTextureParameters(cg, 1);
    glClearColor(0.2f, 0, 0.4f, 0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    CHECK(draw_case(name), "there is no such case");
    ERROR(GL_NO_ERROR);
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.pam", pictures, name);
    write_picture(path);
    cgDestroyContext(cg);
    memset(programs, 0, sizeof programs);
    combined = 0;
    by_hand = 0;
    use_context(0);
    close_context(own);
}

int main(int count, char **arguments) {
    folder = arguments[1];
    for (int stage = 0; stage < STAGES; stage++) profile_names[stage] = arguments[3 + stage];
    is_reference = !strncmp(profile_names[VERTEX], "glsl", 4);
    has_registers = !strcmp(profile_names[VERTEX], "vp20") || !strcmp(profile_names[VERTEX], "vp30");
    cgSetErrorHandler(on_error, 0);
    start();
    for (int i = 3 + STAGES; i < count; i++) run(arguments[i], arguments[2]);
    return finish();
}
