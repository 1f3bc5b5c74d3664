/* Errors that ARB_vertex_program, ARB_fragment_program, EXT_gpu_program_parameters, NV_gpu_program4, NV_parameter_buffer_object and
   NV_geometry_program4 list (sections "Errors"). A command that fails changes nothing. */
#include "client.h"

enum { VERTEX = GL_VERTEX_PROGRAM_ARB, FRAGMENT = GL_FRAGMENT_PROGRAM_ARB, NO_TARGET = GL_TEXTURE_2D };

static const char GOOD[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, {0, 0.4, 0, 1};\nEND";
static const float FOUR[16] = {1, 2, 3, 4};
static GLuint vertex, fragment;

static void of_attributes(void) {
    GLint limit;
    glGetIntegerv(GL_MAX_VERTEX_ATTRIBS_ARB, &limit);
    GLuint index = (GLuint)limit;
    float value[4];
    void *pointer;
    glVertexAttrib1fARB(index, 1);
    ERROR(GL_INVALID_VALUE);
    glVertexAttrib4NubvARB(index, (const GLubyte *)"abcd");
    ERROR(GL_INVALID_VALUE);
    glGetVertexAttribfvARB(index, GL_CURRENT_VERTEX_ATTRIB_ARB, value);
    ERROR(GL_INVALID_VALUE);
    glGetVertexAttribfvARB(0, GL_CURRENT_VERTEX_ATTRIB_ARB, value);
    ERROR(GL_INVALID_OPERATION);
    glVertexAttribPointerARB(index, 4, GL_FLOAT, 0, 0, FOUR);
    ERROR(GL_INVALID_VALUE);
    glGetVertexAttribPointervARB(index, GL_VERTEX_ATTRIB_ARRAY_POINTER_ARB, &pointer);
    ERROR(GL_INVALID_VALUE);
    glVertexAttribPointerARB(1, 0, GL_FLOAT, 0, 0, FOUR);
    ERROR(GL_INVALID_VALUE);
    glVertexAttribPointerARB(1, 5, GL_FLOAT, 0, 0, FOUR);
    ERROR(GL_INVALID_VALUE);
    glVertexAttribPointerARB(1, 4, GL_FLOAT, 0, -4, FOUR);
    ERROR(GL_INVALID_VALUE);
    glEnableVertexAttribArrayARB(index);
    ERROR(GL_INVALID_VALUE);
    glDisableVertexAttribArrayARB(index);
    ERROR(GL_INVALID_VALUE);
}

static void of_programs(void) {
    static const char *const bad[] = {"", "!!NVvp9.0\nEND", "!!NVvp4.0\nMOV result.position, vertex.position;\n",
                                      "!!NVvp4.0\nMOV result.position, 1, 2;\nEND", "!!NVfp4.0\nMOV result.color, 1;\nEND"};
    GLint length;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        glProgramStringARB(VERTEX, GL_PROGRAM_FORMAT_ASCII_ARB, (GLsizei)strlen(bad[i]), bad[i]);
        ERROR(GL_INVALID_OPERATION);
        glGetProgramivARB(VERTEX, GL_PROGRAM_LENGTH_ARB, &length);
        EQUAL(length, sizeof GOOD - 1);
    }
    glProgramStringARB(NO_TARGET, GL_PROGRAM_FORMAT_ASCII_ARB, sizeof GOOD - 1, GOOD);
    ERROR(GL_INVALID_ENUM);
    glProgramStringARB(VERTEX, NO_TARGET, sizeof GOOD - 1, GOOD);
    ERROR(GL_INVALID_ENUM);
    glBindProgramARB(NO_TARGET, vertex);
    ERROR(GL_INVALID_ENUM);
    glBindProgramARB(FRAGMENT, vertex);
    ERROR(GL_INVALID_OPERATION);
    glBindProgramARB(VERTEX, fragment);
    ERROR(GL_INVALID_OPERATION);
    glGetProgramivARB(VERTEX, GL_PROGRAM_BINDING_ARB, &length);
    EQUAL(length, vertex);
    glGenProgramsARB(-1, &vertex);
    ERROR(GL_INVALID_VALUE);
    glDeleteProgramsARB(-1, &vertex);
    ERROR(GL_INVALID_VALUE);
    glGetProgramivARB(NO_TARGET, GL_PROGRAM_LENGTH_ARB, &length);
    ERROR(GL_INVALID_ENUM);
    glGetProgramivARB(VERTEX, NO_TARGET, &length);
    ERROR(GL_INVALID_ENUM);
    char text[200];
    glGetProgramStringARB(NO_TARGET, GL_PROGRAM_STRING_ARB, text);
    ERROR(GL_INVALID_ENUM);
    glGetProgramStringARB(VERTEX, NO_TARGET, text);
    ERROR(GL_INVALID_ENUM);
}

static void of_parameters(void) {
    GLint locals, envs;
    float value[4];
    double wide[4];
    GLint integers[4] = {0};
    GLuint unsigned_ones[4] = {0};
    static const GLenum targets[] = {VERTEX, FRAGMENT};
    for (int i = 0; i < 2; i++) {
        GLenum target = targets[i];
        glGetProgramivARB(target, GL_MAX_PROGRAM_LOCAL_PARAMETERS_ARB, &locals);
        glGetProgramivARB(target, GL_MAX_PROGRAM_ENV_PARAMETERS_ARB, &envs);
        ERROR(GL_NO_ERROR);
        GLuint local = (GLuint)locals, env = (GLuint)envs;
#define INVALID(call) call; ERROR(GL_INVALID_VALUE)
        INVALID(glProgramEnvParameter4fARB(target, env, 1, 2, 3, 4));
        INVALID(glProgramEnvParameter4fvARB(target, env, FOUR));
        INVALID(glProgramEnvParameter4dARB(target, env, 1, 2, 3, 4));
        INVALID(glGetProgramEnvParameterfvARB(target, env, value));
        INVALID(glGetProgramEnvParameterdvARB(target, env, wide));
        INVALID(glProgramLocalParameter4fARB(target, local, 1, 2, 3, 4));
        INVALID(glProgramLocalParameter4fvARB(target, local, FOUR));
        INVALID(glProgramLocalParameter4dARB(target, local, 1, 2, 3, 4));
        INVALID(glGetProgramLocalParameterfvARB(target, local, value));
        INVALID(glGetProgramLocalParameterdvARB(target, local, wide));
        INVALID(glProgramEnvParameterI4iNV(target, env, 1, 2, 3, 4));
        INVALID(glProgramEnvParameterI4uivNV(target, env, unsigned_ones));
        INVALID(glGetProgramEnvParameterIivNV(target, env, integers));
        INVALID(glGetProgramEnvParameterIuivNV(target, env, unsigned_ones));
        INVALID(glProgramLocalParameterI4ivNV(target, local, integers));
        INVALID(glProgramLocalParameterI4uiNV(target, local, 1, 2, 3, 4));
        INVALID(glGetProgramLocalParameterIivNV(target, local, integers));
        INVALID(glGetProgramLocalParameterIuivNV(target, local, unsigned_ones));
        /* EXT_gpu_program_parameters: the sum of index and count. */
        INVALID(glProgramEnvParameters4fvEXT(target, env - 1, 2, FOUR));
        INVALID(glProgramLocalParameters4fvEXT(target, local - 1, 2, FOUR));
        INVALID(glProgramEnvParametersI4ivNV(target, env - 1, 2, integers));
        INVALID(glProgramLocalParametersI4uivNV(target, local - 1, 2, unsigned_ones));
        INVALID(glProgramEnvParameters4fvEXT(target, 0, -1, FOUR));
        glProgramEnvParameter4fARB(target, env - 1, 1, 2, 3, 4);
        glProgramLocalParameter4fARB(target, local - 1, 1, 2, 3, 4);
        glProgramLocalParameters4fvEXT(target, local - 1, 1, FOUR);
        ERROR(GL_NO_ERROR);
    }
    glProgramEnvParameter4fARB(NO_TARGET, 0, 1, 2, 3, 4);
    ERROR(GL_INVALID_ENUM);
    glProgramLocalParameter4fARB(NO_TARGET, 0, 1, 2, 3, 4);
    ERROR(GL_INVALID_ENUM);
    glGetProgramEnvParameterfvARB(NO_TARGET, 0, value);
    ERROR(GL_INVALID_ENUM);
    glGetProgramLocalParameterfvARB(NO_TARGET, 0, value);
    ERROR(GL_INVALID_ENUM);
}

/* What draws needs a valid program of each target that is enabled. */
static void of_draws(void) {
    static const char geometry[] = "!!NVgp4.0\nPRIMITIVE_IN TRIANGLES;\nPRIMITIVE_OUT TRIANGLE_STRIP;\nVERTICES_OUT 3;\n"
                                   "MOV result.position, vertex[0].position;\nMOV result.color, vertex[0].color;\nEMIT;\n"
                                   "MOV result.position, vertex[1].position;\nMOV result.color, vertex[1].color;\nEMIT;\n"
                                   "MOV result.position, vertex[2].position;\nMOV result.color, vertex[2].color;\nEMIT;\nEND";
    static const GLenum targets[] = {VERTEX, FRAGMENT, GL_GEOMETRY_PROGRAM_NV};
    clear();
    for (int i = 0; i < 3; i++) {
        glEnable(targets[i]);
        glBindProgramARB(targets[i], 0);
        glBegin(GL_TRIANGLES);
        GLenum error = GL_NO_ERROR;
        glEnd();
        error = glGetError();
        CHECK(error == GL_INVALID_OPERATION, "target 0x%04x: 0x%04x", targets[i], error);
        while (glGetError()) {
        }
        glRectf(-1, -1, 1, 1);
        ERROR(GL_INVALID_OPERATION);
        glVertexPointer(2, GL_FLOAT, 0, FOUR);
        glEnableClientState(GL_VERTEX_ARRAY);
        glDrawArrays(GL_POINTS, 0, 1);
        ERROR(GL_INVALID_OPERATION);
        glDisableClientState(GL_VERTEX_ARRAY);
        glDisable(targets[i]);
    }
    PIXEL(8, 8, 0.2f, 0, 0.4f, 0);
    glBindProgramARB(VERTEX, vertex);
    glBindProgramARB(FRAGMENT, fragment);
    glEnable(VERTEX);
    glEnable(FRAGMENT);
    /* NV_geometry_program4: primitives that are not what the program takes. */
    load(GL_GEOMETRY_PROGRAM_NV, geometry);
    glEnable(GL_GEOMETRY_PROGRAM_NV);
    static const GLenum others[] = {GL_POINTS, GL_LINES, GL_LINE_STRIP, GL_LINE_LOOP, GL_LINES_ADJACENCY_EXT, GL_TRIANGLES_ADJACENCY_EXT};
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
        glBegin(others[i]);
        glEnd();
        ERROR(GL_INVALID_OPERATION);
    }
    glBegin(GL_TRIANGLES);
    glVertex2f(-1, -1);
    glVertex2f(3, -1);
    glVertex2f(-1, 3);
    glEnd();
    ERROR(GL_NO_ERROR);
    PIXEL(8, 8, 0, 0.4f, 0, 1);
    glDisable(GL_GEOMETRY_PROGRAM_NV);
}

static void of_buffers(void) {
    enum { TARGET = GL_VERTEX_PROGRAM_PARAMETER_BUFFER_NV };
    GLint limit;
    GLuint buffer;
    glGetProgramivARB(VERTEX, GL_MAX_PROGRAM_PARAMETER_BUFFER_BINDINGS_NV, &limit);
    CHECK(limit >= 8);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, 32, 0, GL_STATIC_DRAW);
    INVALID(glBindBufferBaseNV(TARGET, (GLuint)limit, buffer));
    INVALID(glBindBufferRangeNV(TARGET, (GLuint)limit, buffer, 0, 16));
    INVALID(glBindBufferOffsetNV(TARGET, (GLuint)limit, buffer, 0));
    INVALID(glBindBufferRangeNV(TARGET, 0, buffer, 0, 3));
    INVALID(glBindBufferRangeNV(TARGET, 0, buffer, 0, -4));
    INVALID(glBindBufferRangeNV(TARGET, 0, buffer, 16, 16));
    INVALID(glBindBufferOffsetNV(TARGET, 0, buffer, 16));
    glProgramBufferParametersfvNV(TARGET, 1, 0, 4, FOUR);
    ERROR(GL_INVALID_OPERATION);
    glBindBufferBaseNV(TARGET, 1, buffer);
    glProgramBufferParametersfvNV(TARGET, 1, 4, 4, FOUR);
    ERROR(GL_NO_ERROR);
    INVALID(glProgramBufferParametersfvNV(TARGET, 1, 5, 4, FOUR));
    INVALID(glProgramBufferParametersIuivNV(TARGET, 1, 8, 1, (const GLuint *)FOUR));
}

/* Between Begin and End only what makes vertices is allowed. */
static void within_primitives(void) {
    GLint value;
#define FORBIDDEN(call) glBegin(GL_POINTS); call; glEnd(); ERROR(GL_INVALID_OPERATION)
    FORBIDDEN(glBindProgramARB(VERTEX, vertex));
    FORBIDDEN(glProgramEnvParameter4fARB(VERTEX, 0, 1, 2, 3, 4));
    FORBIDDEN(glProgramLocalParameter4fARB(VERTEX, 0, 1, 2, 3, 4));
    FORBIDDEN(glProgramStringARB(VERTEX, GL_PROGRAM_FORMAT_ASCII_ARB, sizeof GOOD - 1, GOOD));
    FORBIDDEN(glEnable(VERTEX));
    FORBIDDEN(glDisable(VERTEX));
    FORBIDDEN(glGetProgramivARB(VERTEX, GL_PROGRAM_LENGTH_ARB, &value));
    glBegin(GL_POINTS);
    glVertexAttrib4fARB(1, 1, 2, 3, 4);
    glEnd();
    ERROR(GL_NO_ERROR);
    EQUAL(glIsEnabled(VERTEX), 1);
}

int main(void) {
    start();
    use_context(open_context(0));
    vertex = load(VERTEX, GOOD);
    fragment = load(FRAGMENT, PASS_COLOR);
    of_attributes();
    of_programs();
    of_parameters();
    of_buffers();
    of_draws();
    within_primitives();
    return finish();
}
