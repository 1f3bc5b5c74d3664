/* Parameters: of the environment, of programs, by name, from buffers; matrices that parameters track, programs that write parameters. */
#include "client.h"

static void show(void) {
    clear();
    draw_square();
}

static void by_number(void) {
    static const char text[] = "!!NVvp4.0\nMOV result.position, vertex.position;\n"
                               "MOV result.color.xy, program.env[7];\nMOV result.color.zw, program.local[5];\nEND";
    load(GL_VERTEX_PROGRAM_ARB, text);
    static const float values[3][4] = {{1, 1, 1, 1}, {0.2f, 0.8f, 1, 1}, {0.4f, 0.4f, 0.4f, 0.4f}};
    /* EXT_gpu_program_parameters: several at once. */
    glProgramEnvParameters4fvEXT(GL_VERTEX_PROGRAM_ARB, 6, 3, values[0]);
    glProgramLocalParameters4fvEXT(GL_VERTEX_PROGRAM_ARB, 3, 3, values[0]);
    show();
    PIXEL(8, 8, 0.2f, 0.8f, 0.4f, 0.4f);
    float value[4];
    double wide[4];
    glGetProgramEnvParameterfvARB(GL_VERTEX_PROGRAM_ARB, 8, value);
    VECTOR(value, 0.4f, 0.4f, 0.4f, 0.4f);
    glGetProgramLocalParameterfvARB(GL_VERTEX_PROGRAM_ARB, 4, value);
    VECTOR(value, 0.2f, 0.8f, 1, 1);
    glProgramEnvParameter4dARB(GL_VERTEX_PROGRAM_ARB, 7, 0.25, 0.5, 0.75, 1);
    glGetProgramEnvParameterdvARB(GL_VERTEX_PROGRAM_ARB, 7, wide);
    CHECK(wide[0] == 0.25 && wide[1] == 0.5 && wide[2] == 0.75 && wide[3] == 1);
    glProgramLocalParameter4dvARB(GL_VERTEX_PROGRAM_ARB, 5, (const double[]){1, 2, 0.6, 0.2});
    glProgramEnvParameter4fvARB(GL_VERTEX_PROGRAM_ARB, 7, (const float[]){0, 0.4f, 9, 9});
    show();
    PIXEL(8, 8, 0, 0.4f, 0.6f, 0.2f);
    /* NV_gpu_program4: the same parameters as integers. */
    GLint integers[4];
    GLuint unsigned_ones[4];
    glProgramLocalParameterI4iNV(GL_VERTEX_PROGRAM_ARB, 5, -1, 2, 0x3F800000, 0);
    glGetProgramLocalParameterIivNV(GL_VERTEX_PROGRAM_ARB, 5, integers);
    CHECK(integers[0] == -1 && integers[1] == 2 && integers[2] == 0x3F800000 && integers[3] == 0);
    glGetProgramLocalParameterIuivNV(GL_VERTEX_PROGRAM_ARB, 5, unsigned_ones);
    CHECK(unsigned_ones[0] == 0xFFFFFFFF && unsigned_ones[2] == 0x3F800000);
    glGetProgramLocalParameterfvARB(GL_VERTEX_PROGRAM_ARB, 5, value);
    CHECK(value[2] == 1, "bits of integers are those of floats");
    glProgramEnvParameterI4uiNV(GL_VERTEX_PROGRAM_ARB, 7, 1, 2, 3, 4);
    glGetProgramEnvParameterIuivNV(GL_VERTEX_PROGRAM_ARB, 7, unsigned_ones);
    CHECK(unsigned_ones[0] == 1 && unsigned_ones[3] == 4);
    ERROR(GL_NO_ERROR);
}

/* EXT_direct_state_access names the program, whatever is bound. */
static void by_program(void) {
    static const char text[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, program.local[1];\nEND";
    GLuint first = load(GL_VERTEX_PROGRAM_ARB, text), second = load(GL_VERTEX_PROGRAM_ARB, text);
    glNamedProgramLocalParameter4fEXT(first, GL_VERTEX_PROGRAM_ARB, 1, 0.8f, 0.2f, 0, 1);
    glNamedProgramLocalParameter4fvEXT(second, GL_VERTEX_PROGRAM_ARB, 1, (const float[]){0, 0.6f, 0.8f, 1});
    show();
    PIXEL(8, 8, 0, 0.6f, 0.8f, 1);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, first);
    show();
    PIXEL(8, 8, 0.8f, 0.2f, 0, 1);
    float value[4];
    glGetNamedProgramLocalParameterfvEXT(second, GL_VERTEX_PROGRAM_ARB, 1, value);
    VECTOR(value, 0, 0.6f, 0.8f, 1);
    ERROR(GL_NO_ERROR);
}

/* NV_fragment_program: parameters that a program declares have names. */
static void by_name(void) {
    static const char text[] = "!!FP1.0\nDECLARE tint = {0.2, 0.4, 0.6, 0.8};\nDECLARE more;\nMOV R0, tint;\nADD o[COLR], R0, more;\nEND";
    static const GLubyte tint[] = "tint", more[] = "more";
    GLuint name = load_nv(GL_FRAGMENT_PROGRAM_NV, text);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    glEnable(GL_FRAGMENT_PROGRAM_NV);
    show();
    PIXEL(8, 8, 0.2f, 0.4f, 0.6f, 0.8f);
    glProgramNamedParameter4fNV(name, 4, more, 0.4f, 0.2f, 0, 0);
    show();
    PIXEL(8, 8, 0.6f, 0.6f, 0.6f, 0.8f);
    glProgramNamedParameter4dvNV(name, 4, tint, (const double[]){0, 0.25, 0.5, 0.75});
    float value[4];
    double wide[4];
    glGetProgramNamedParameterfvNV(name, 4, tint, value);
    VECTOR(value, 0, 0.25f, 0.5f, 0.75f);
    glGetProgramNamedParameterdvNV(name, 4, more, wide);
    CHECK(wide[0] == (double)0.4f && wide[1] == (double)0.2f && wide[2] == 0 && wide[3] == 0);
    glDisable(GL_FRAGMENT_PROGRAM_NV);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    ERROR(GL_NO_ERROR);
}

/* NV_parameter_buffer_object */
static void of_buffers(void) {
    static const char text[] = "!!NVvp4.0\nBUFFER4 b[] = { program.buffer[3] };\n"
                               "MOV result.position, vertex.position;\nMOV result.color, b[1];\nEND";
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBufferBaseNV(GL_VERTEX_PROGRAM_PARAMETER_BUFFER_NV, 3, buffer);
    glBufferData(GL_VERTEX_PROGRAM_PARAMETER_BUFFER_NV, 32, (const float[]){1, 1, 1, 1, 0.2f, 0.4f, 0.8f, 1}, GL_DYNAMIC_DRAW);
    load(GL_VERTEX_PROGRAM_ARB, text);
    show();
    PIXEL(8, 8, 0.2f, 0.4f, 0.8f, 1);
    glProgramBufferParametersfvNV(GL_VERTEX_PROGRAM_PARAMETER_BUFFER_NV, 3, 5, 2, (const float[]){0.6f, 0});
    show();
    PIXEL(8, 8, 0.2f, 0.6f, 0, 1);
    GLint bound;
    glGetIntegeri_v(GL_VERTEX_PROGRAM_PARAMETER_BUFFER_NV, 3, &bound);
    EQUAL((GLuint)bound, buffer);
    glDeleteBuffers(1, &buffer);
    ERROR(GL_NO_ERROR);
}

/* NV_vertex_program section 2.14.5: rows of matrices in parameters, at every draw as they are then. */
static void tracked(void) {
    static const char text[] = "!!VP1.0\nDP4 o[HPOS].x, c[4], v[OPOS];\nDP4 o[HPOS].y, c[5], v[OPOS];\nDP4 o[HPOS].z, c[6], v[OPOS];\n"
                               "DP4 o[HPOS].w, c[7], v[OPOS];\nMOV o[COL0], c[11];\nEND";
    glDisable(GL_VERTEX_PROGRAM_ARB);
    load_nv(GL_VERTEX_PROGRAM_NV, text);
    glEnable(GL_VERTEX_PROGRAM_NV);
    glTrackMatrixNV(GL_VERTEX_PROGRAM_NV, 4, GL_MODELVIEW_PROJECTION_NV, GL_IDENTITY_NV);
    glTrackMatrixNV(GL_VERTEX_PROGRAM_NV, 8, GL_MATRIX0_NV, GL_TRANSPOSE_NV);
    glMatrixMode(GL_MATRIX0_NV);
    /* Row 3 of the transpose is column 3: the translation. */
    glTranslatef(0.6f, 0.2f, 0.4f);
    glMatrixMode(GL_MODELVIEW);
    glScalef(0.5f, 1, 1);
    glMatrixMode(GL_PROJECTION);
    glTranslatef(0.5f, 0, 0);
    glMatrixMode(GL_MODELVIEW);
    show();
    PIXEL(13, 8, 0.6f, 0.2f, 0.4f, 1);
    PIXEL(3, 8, 0.2f, 0, 0.4f, 0);
    float row[4];
    glGetProgramParameterfvNV(GL_VERTEX_PROGRAM_NV, 4, GL_PROGRAM_PARAMETER_NV, row);
    VECTOR(row, 0.5f, 0, 0, 0.5f);
    GLint value;
    glGetTrackMatrixivNV(GL_VERTEX_PROGRAM_NV, 4, GL_TRACK_MATRIX_NV, &value);
    EQUAL(value, GL_MODELVIEW_PROJECTION_NV);
    glGetTrackMatrixivNV(GL_VERTEX_PROGRAM_NV, 8, GL_TRACK_MATRIX_TRANSFORM_NV, &value);
    EQUAL(value, GL_TRANSPOSE_NV);
    glGetTrackMatrixivNV(GL_VERTEX_PROGRAM_NV, 12, GL_TRACK_MATRIX_NV, &value);
    EQUAL(value, GL_NONE);
    glLoadIdentity();
    glTranslatef(-1, 0, 0);
    glScalef(0.5f, 1, 1);
    show();
    PIXEL(3, 8, 0.6f, 0.2f, 0.4f, 1);
    PIXEL(13, 8, 0.2f, 0, 0.4f, 0);
    ERROR(GL_NO_ERROR);
}

/* Vertex state programs read and write parameters (NV_vertex_program section 2.14.7), tracked ones too. */
static void written_by_programs(void) {
    static const char text[] = "!!VSP1.0\nMOV R0, v[0];\nADD c[20], R0, c[7];\nDP4 c[21].x, c[4], R0;\nMOV c[21].yzw, R0;\nEND";
    GLuint name;
    glGenProgramsNV(1, &name);
    glLoadProgramNV(GL_VERTEX_STATE_PROGRAM_NV, name, sizeof text - 1, (const GLubyte *)text);
    glProgramParameter4fNV(GL_VERTEX_PROGRAM_NV, 20, 9, 9, 9, 9);
    glExecuteProgramNV(GL_VERTEX_STATE_PROGRAM_NV, name, (const float[]){0.25f, 2, 3, 1});
    float value[4];
    glGetProgramParameterfvNV(GL_VERTEX_PROGRAM_NV, 20, GL_PROGRAM_PARAMETER_NV, value);
    /* c[7] is the last row of the tracked matrix. */
    VECTOR(value, 0.25f, 2, 3, 2);
    glGetProgramParameterfvNV(GL_VERTEX_PROGRAM_NV, 21, GL_PROGRAM_PARAMETER_NV, value);
    /* Row 0: a half of x, less the 1 and plus the 0.5 of the projection. */
    VECTOR(value, 0.125f - 0.5f, 2, 3, 1);
    /* The environment parameters of ARB_vertex_program are the same. */
    glGetProgramEnvParameterfvARB(GL_VERTEX_PROGRAM_ARB, 20, value);
    VECTOR(value, 0.25f, 2, 3, 2);
    glProgramParameters4fvNV(GL_VERTEX_PROGRAM_NV, 30, 2, (const float[]){1, 2, 3, 4, 5, 6, 7, 8});
    glGetProgramParameterfvNV(GL_VERTEX_PROGRAM_NV, 31, GL_PROGRAM_PARAMETER_NV, value);
    VECTOR(value, 5, 6, 7, 8);
    ERROR(GL_NO_ERROR);
}

int main(void) {
    start();
    use_context(open_context(0));
    load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    by_number();
    by_program();
    of_buffers();
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, 0);
    load(GL_VERTEX_PROGRAM_ARB, "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, 1;\nEND");
    by_name();
    load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    tracked();
    written_by_programs();
    return finish();
}
