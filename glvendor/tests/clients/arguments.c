/* Arguments that are errors are errors before any memory is read: lists here are much shorter than their counts, or end where nothing is mapped.
   Pointers need not be aligned. */
#include "client.h"

#include <limits.h>
#include <stdlib.h>

#define INVALID(code, command) (command, ERROR(code))
enum { NO_TARGET = 0x1234, FRAGMENT = GL_FRAGMENT_PROGRAM_ARB, VERTEX = GL_VERTEX_PROGRAM_ARB };

/* EXT_gpu_program_parameters, NV_gpu_program4 and NV_vertex_program, "Errors". */
static void parameters(void) {
    const GLfloat *floats = last_bytes(16);
    const GLint *ints = last_bytes(16);
    const GLuint *words = last_bytes(16);
    const GLdouble *doubles = last_bytes(32);
    static const GLsizei counts[] = {INT_MAX, INT_MIN, -1, 100000};
    for (int i = 0; i < 4; i++) {
        GLsizei count = counts[i];
        INVALID(GL_INVALID_VALUE, glProgramEnvParameters4fvEXT(FRAGMENT, 0, count, floats));
        INVALID(GL_INVALID_VALUE, glProgramLocalParameters4fvEXT(FRAGMENT, 0, count, floats));
        INVALID(GL_INVALID_VALUE, glProgramEnvParametersI4ivNV(FRAGMENT, 0, count, ints));
        INVALID(GL_INVALID_VALUE, glProgramEnvParametersI4uivNV(FRAGMENT, 0, count, words));
        INVALID(GL_INVALID_VALUE, glProgramLocalParametersI4ivNV(FRAGMENT, 0, count, ints));
        INVALID(GL_INVALID_VALUE, glProgramLocalParametersI4uivNV(FRAGMENT, 0, count, words));
        INVALID(GL_INVALID_VALUE, glProgramParameters4fvNV(VERTEX, 0, count, floats));
        INVALID(GL_INVALID_VALUE, glProgramParameters4dvNV(VERTEX, 0, count, doubles));
        INVALID(GL_INVALID_VALUE, glNamedProgramLocalParameters4fvEXT(1, FRAGMENT, 0, count, floats));
        INVALID(GL_INVALID_ENUM, glProgramEnvParameters4fvEXT(NO_TARGET, 0, count, floats));
        INVALID(GL_INVALID_ENUM, glProgramLocalParameters4fvEXT(NO_TARGET, 0, count, floats));
    }
    INVALID(GL_INVALID_VALUE, glProgramEnvParameters4fvEXT(FRAGMENT, 0xFFFFFFFF, 2, floats));
    INVALID(GL_NO_ERROR, glProgramEnvParameters4fvEXT(FRAGMENT, 0, 1, floats));
    INVALID(GL_INVALID_VALUE, glProgramSubroutineParametersuivNV(FRAGMENT, INT_MAX, words));
    INVALID(GL_INVALID_VALUE, glProgramSubroutineParametersuivNV(FRAGMENT, -1, words));
    /* In a list the error comes when the list is called. */
    glNewList(1, GL_COMPILE);
    glProgramLocalParameters4fvEXT(FRAGMENT, 0, INT_MAX, floats);
    glEndList();
    ERROR(GL_NO_ERROR);
    INVALID(GL_INVALID_VALUE, glCallList(1));
    glDeleteLists(1, 1);
}

/* NV_parameter_buffer_object: words beyond the buffer. */
static void buffers(void) {
    enum { TARGET = GL_FRAGMENT_PROGRAM_PARAMETER_BUFFER_NV };
    const GLfloat *floats = last_bytes(16);
    GLuint buffer;
    INVALID(GL_INVALID_OPERATION, glProgramBufferParametersfvNV(TARGET, 0, 0, INT_MAX, floats));
    INVALID(GL_INVALID_ENUM, glProgramBufferParametersfvNV(NO_TARGET, 0, 0, INT_MAX, floats));
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, 16, 0, GL_STATIC_DRAW);
    glBindBufferBase(TARGET, 0, buffer);
    INVALID(GL_INVALID_VALUE, glProgramBufferParametersfvNV(TARGET, 0, 0, INT_MAX, floats));
    INVALID(GL_INVALID_VALUE, glProgramBufferParametersfvNV(TARGET, 0, 0, -1, floats));
    INVALID(GL_INVALID_VALUE, glProgramBufferParametersfvNV(TARGET, 0, 0xFFFFFFFF, 4, floats));
    INVALID(GL_INVALID_VALUE, glProgramBufferParametersfvNV(TARGET, 0, 1, 4, floats));
    INVALID(GL_NO_ERROR, glProgramBufferParametersfvNV(TARGET, 0, 0, 4, floats));
    glBindBufferBase(TARGET, 0, 0);
    glDeleteBuffers(1, &buffer);
    INVALID(GL_INVALID_VALUE, glBindBufferOffsetNV(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer, (GLintptr)((uintptr_t)1 << (8 * sizeof(GLintptr) - 2))));
    glBindBufferOffsetNV(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0, (GLintptr)((uint64_t)1 << 63));
    glGetError();
}

/* NV_vertex_program section 2.7: attributes that there are not are errors one by one; the others are set. */
static void attributes(void) {
    GLfloat *values = last_bytes(32);
    values[0] = 0.25f;
    values[4] = 0.75f;
    glVertexAttribs4fvNV(14, INT_MAX, values);
    ERROR(GL_INVALID_VALUE);
    GLfloat got[4];
    glGetVertexAttribfvNV(14, GL_CURRENT_ATTRIB_NV, got);
    CHECK(got[0] == 0.25f, "%g", got[0]);
    glGetVertexAttribfvNV(15, GL_CURRENT_ATTRIB_NV, got);
    CHECK(got[0] == 0.75f, "%g", got[0]);
    INVALID(GL_INVALID_VALUE, glVertexAttribs4fvNV(16, INT_MAX, values));
    INVALID(GL_INVALID_VALUE, glVertexAttribs4fvNV(0xFFFFFFFF, INT_MAX, values));
    INVALID(GL_INVALID_VALUE, glVertexAttribs4fvNV(15, -1, values));
}

static void programs(void) {
    static const char TEXT[] = "!!FP1.0\nDECLARE glow = {1, 2, 3, 4};\nMOV o[COLR], glow;\nEND";
    const GLubyte *text = last_bytes(4);
    const GLubyte *letters = last_bytes(4);
    memcpy((void *)letters, "glow", 4);
    INVALID(GL_INVALID_ENUM, glLoadProgramNV(NO_TARGET, 7, INT_MAX, text));
    INVALID(GL_INVALID_VALUE, glLoadProgramNV(VERTEX, 0, INT_MAX, text));
    INVALID(GL_INVALID_VALUE, glLoadProgramNV(VERTEX, 7, -1, text));
    INVALID(GL_INVALID_OPERATION, glLoadProgramNV(VERTEX, 7, INT_MAX, text));
    INVALID(GL_INVALID_ENUM, glProgramStringARB(NO_TARGET, GL_PROGRAM_FORMAT_ASCII_ARB, INT_MAX, text));
    INVALID(GL_INVALID_ENUM, glProgramStringARB(VERTEX, NO_TARGET, INT_MAX, text));
    INVALID(GL_INVALID_OPERATION, glProgramStringARB(VERTEX, GL_PROGRAM_FORMAT_ASCII_ARB, INT_MAX, text));
    INVALID(GL_INVALID_ENUM, glNamedProgramStringEXT(7, NO_TARGET, GL_PROGRAM_FORMAT_ASCII_ARB, INT_MAX, text));
    INVALID(GL_NO_ERROR, glGenProgramsARB(5, 0));
    glGenProgramsARB(INT_MAX, 0);
    glGetError();
    GLuint program = load_nv(GL_FRAGMENT_PROGRAM_NV, TEXT);
    GLfloat got[4];
    INVALID(GL_INVALID_VALUE, glProgramNamedParameter4fNV(program, INT_MAX, letters, 0, 0, 0, 0));
    INVALID(GL_INVALID_VALUE, glProgramNamedParameter4fNV(program, -1, letters, 0, 0, 0, 0));
    INVALID(GL_INVALID_VALUE, glProgramNamedParameter4fNV(program, 0, letters, 0, 0, 0, 0));
    INVALID(GL_INVALID_OPERATION, glProgramNamedParameter4fNV(9999, INT_MAX, letters, 0, 0, 0, 0));
    INVALID(GL_INVALID_VALUE, glGetProgramNamedParameterfvNV(program, INT_MAX, letters, got));
    INVALID(GL_NO_ERROR, glProgramNamedParameter4fNV(program, 4, letters, 5, 6, 7, 8));
    INVALID(GL_NO_ERROR, glGetProgramNamedParameterfvNV(program, 4, letters, got));
    VECTOR(got, 5, 6, 7, 8);
    const GLuint *names = last_bytes(4);
    GLboolean residences[1];
    INVALID(GL_INVALID_VALUE, glAreProgramsResidentNV(INT_MAX, names, residences));
    /* ARB_vertex_program: an error that the application has not asked for stays, whatever a program string causes in the driver. */
    glEnable(NO_TARGET);
    static const char BAD[] = "!!ARBfp1.0\nXYZ;\nEND";
    glProgramStringARB(FRAGMENT, GL_PROGRAM_FORMAT_ASCII_ARB, sizeof BAD - 1, BAD);
    EQUAL(glGetError(), GL_INVALID_ENUM);
    glGetError();
}

/* NV_transform_feedback, "Errors". */
static void feedback(void) {
    const GLint *parts = last_bytes(12);
    INVALID(GL_INVALID_VALUE, glTransformFeedbackAttribsNV(INT_MAX, parts, GL_INTERLEAVED_ATTRIBS));
    INVALID(GL_INVALID_VALUE, glTransformFeedbackAttribsNV(INT_MAX, parts, GL_SEPARATE_ATTRIBS));
    INVALID(GL_INVALID_VALUE, glTransformFeedbackAttribsNV(-1, parts, GL_INTERLEAVED_ATTRIBS));
    INVALID(GL_INVALID_ENUM, glTransformFeedbackAttribsNV(INT_MAX, parts, NO_TARGET));
}

static void load_color(void) {
    load(FRAGMENT, "!!NVfp4.0\nMOV result.color, {1, 0, 1, 1};\nEND");
    glEnable(FRAGMENT);
}

/* Bitmaps that the buffer does not hold, and those of no memory. GL 2.1 section 2.9. */
static void bitmaps(void) {
    GLuint buffer;
    load_color();
    glWindowPos2i(0, 0);
    glBitmap(8, 8, 0, 0, 0, 0, 0);
    glBitmap(INT_MAX, 1, 0, 0, 0, 0, 0);
    glBitmap(INT_MAX, INT_MAX, 0, 0, 0, 0, 0);
    ERROR(GL_NO_ERROR);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
    glBufferData(GL_PIXEL_UNPACK_BUFFER, 64, 0, GL_STATIC_DRAW);
    INVALID(GL_INVALID_OPERATION, glBitmap(40000, 40000, 0, 0, 0, 0, 0));
    INVALID(GL_INVALID_OPERATION, glBitmap(8, 8, 0, 0, 0, 0, (const GLubyte *)40));
    INVALID(GL_INVALID_OPERATION, glBitmap(8, 8, 0, 0, 0, 0, (const GLubyte *)-8));
    INVALID(GL_NO_ERROR, glBitmap(8, 8, 0, 0, 0, 0, (const GLubyte *)32));
    glMapBuffer(GL_PIXEL_UNPACK_BUFFER, GL_READ_ONLY);
    INVALID(GL_INVALID_OPERATION, glBitmap(8, 8, 0, 0, 0, 0, 0));
    glUnmapBuffer(GL_PIXEL_UNPACK_BUFFER);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, INT_MAX);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, INT_MAX);
    glPixelStorei(GL_UNPACK_SKIP_PIXELS, INT_MAX);
    INVALID(GL_INVALID_OPERATION, glBitmap(8, 8, 0, 0, 0, 0, 0));
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, 0);
    glPixelStorei(GL_UNPACK_SKIP_PIXELS, 0);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glDeleteBuffers(1, &buffer);
    ERROR(GL_NO_ERROR);
}

/* CallLists reads an offset when its list is called, and errors read none: GL 2.1 section 5.4. */
static void lists(void) {
    glNewList(9, GL_COMPILE);
    load_color();
    glEndList();
    INVALID(GL_INVALID_VALUE, glCallLists(-1, GL_UNSIGNED_BYTE, last_bytes(4)));
    INVALID(GL_INVALID_ENUM, glCallLists(INT_MAX, NO_TARGET, last_bytes(4)));
    GLubyte *offsets = last_bytes(4);
    memset(offsets, 9, 4);
    INVALID(GL_NO_ERROR, glCallLists(4, GL_UNSIGNED_BYTE, offsets));
    glDeleteLists(9, 1);
}

/* Lists at odd addresses, of every size of values. */
static void unaligned(void) {
    static char memory[256];
    for (int shift = 0; shift < 8; shift++) {
        char *at = memory + shift;
        static const GLfloat floats[8] = {1, 2, 3, 4, 5, 6, 7, 8};
        static const GLdouble doubles[4] = {8, 7, 6, 5};
        memcpy(at, floats, sizeof floats);
        glProgramLocalParameters4fvEXT(VERTEX, 0, 2, (const GLfloat *)at);
        glGetProgramLocalParameterfvARB(VERTEX, 1, (GLfloat *)(at + 64));
        GLfloat got[4];
        memcpy(got, at + 64, sizeof got);
        VECTOR(got, 5, 6, 7, 8);
        memcpy(at, doubles, sizeof doubles);
        glProgramEnvParameter4dvARB(VERTEX, 0, (const GLdouble *)at);
        glGetProgramEnvParameterdvARB(VERTEX, 0, (GLdouble *)(at + 64));
        CHECK(!memcmp(at, at + 64, sizeof doubles), "shift %d", shift);
        glGenProgramsARB(3, (GLuint *)at);
        glAreProgramsResidentNV(3, (const GLuint *)at, (GLboolean *)at + 64);
        glDeleteProgramsARB(3, (const GLuint *)at);
        static const GLint part[3] = {GL_POSITION, 4, 0};
        memcpy(at, part, sizeof part);
        glGetError();
        INVALID(GL_NO_ERROR, glTransformFeedbackAttribsNV(1, (const GLint *)at, GL_INTERLEAVED_ATTRIBS));
        INVALID(GL_NO_ERROR, glProgramSubroutineParametersuivNV(FRAGMENT, 2, (const GLuint *)at));
        INVALID(GL_NO_ERROR, glGetProgramivARB(VERTEX, GL_PROGRAM_BINDING_ARB, (GLint *)at));
        glDeleteBuffers(2, (const GLuint *)at);
        ERROR(GL_NO_ERROR);
    }
}

int main(void) {
    start();
    context only = open_context(0);
    use_context(only);
    load(VERTEX, "!!NVvp4.0\nMOV result.position, vertex.position;\nEND");
    parameters();
    buffers();
    attributes();
    programs();
    feedback();
    bitmaps();
    lists();
    unaligned();
    use_context(0);
    close_context(only);
    return finish();
}
