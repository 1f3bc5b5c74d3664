/* Limits of arguments: commands accept the largest value that the limits allow, and reject the next one with the error that the specifications name.
   limits.c has the table of all limits, and those of programs. */
#include "client.h"
#include <stdlib.h>

enum {
    VERTEX = GL_VERTEX_PROGRAM_ARB,
    FRAGMENT = GL_FRAGMENT_PROGRAM_ARB,
    GEOMETRY = GL_GEOMETRY_PROGRAM_NV,
    CONTROL = 0x891E,
    EVALUATION = 0x891F,
    COMPUTE = GL_COMPUTE_PROGRAM_NV
};

enum { MAX_SUBROUTINE_PARAMETERS = 0x8F44 };

static const GLenum targets[] = {VERTEX, FRAGMENT, GEOMETRY, CONTROL, EVALUATION, COMPUTE};
enum { TARGETS = sizeof targets / sizeof *targets };

static GLint get(GLenum name) {
    GLint value = -1;
    glGetIntegerv(name, &value);
    ERROR(GL_NO_ERROR);
    return value;
}

static GLint of_program(GLenum target, GLenum name) {
    GLint value = -1;
    glGetProgramivARB(target, name, &value);
    ERROR(GL_NO_ERROR);
    return value;
}

/* ARB_vertex_program, "Errors"; EXT_gpu_program_parameters and NV_gpu_program4 with counts. */
static void parameters(void) {
    static const float value[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const GLint integers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (unsigned i = 0; i < TARGETS; i++) {
        GLenum target = targets[i];
        GLuint env = (GLuint)of_program(target, GL_MAX_PROGRAM_ENV_PARAMETERS_ARB);
        GLuint local = (GLuint)of_program(target, GL_MAX_PROGRAM_LOCAL_PARAMETERS_ARB);
        float got[4] = {0};
        CHECK(env >= 96 && local >= 96, "%u, %u", env, local);
        glProgramEnvParameter4fvARB(target, env - 1, value);
        glProgramLocalParameter4fvARB(target, local - 1, value + 4);
        ERROR(GL_NO_ERROR);
        glGetProgramEnvParameterfvARB(target, env - 1, got);
        VECTOR(got, 1, 2, 3, 4);
        glGetProgramLocalParameterfvARB(target, local - 1, got);
        VECTOR(got, 5, 6, 7, 8);
        glProgramEnvParameters4fvEXT(target, env - 2, 2, value);
        glProgramLocalParameters4fvEXT(target, local - 2, 2, value);
        glProgramEnvParametersI4ivNV(target, env - 2, 2, integers);
        glProgramLocalParametersI4ivNV(target, local - 2, 2, integers);
        ERROR(GL_NO_ERROR);
        glProgramEnvParameter4fvARB(target, env, value);
        ERROR(GL_INVALID_VALUE);
        glProgramLocalParameter4fvARB(target, local, value);
        ERROR(GL_INVALID_VALUE);
        glProgramEnvParameters4fvEXT(target, env - 1, 2, value);
        ERROR(GL_INVALID_VALUE);
        glProgramLocalParameters4fvEXT(target, local - 1, 2, value);
        ERROR(GL_INVALID_VALUE);
        glProgramEnvParametersI4ivNV(target, env - 1, 2, integers);
        ERROR(GL_INVALID_VALUE);
        glProgramLocalParametersI4ivNV(target, local - 1, 2, integers);
        ERROR(GL_INVALID_VALUE);
        glGetProgramEnvParameterfvARB(target, env, got);
        ERROR(GL_INVALID_VALUE);
        glGetProgramLocalParameterfvARB(target, local, got);
        ERROR(GL_INVALID_VALUE);
    }
}

/* ARB_vertex_program section 2.14.6, NV_vertex_program section 2.14.5: the same matrices under two names. */
static void matrices(void) {
    GLint count = get(GL_MAX_PROGRAM_MATRICES_ARB), depth = get(GL_MAX_PROGRAM_MATRIX_STACK_DEPTH_ARB);
    CHECK(count >= 8 && count <= 32 && depth >= 1, "%d, %d", count, depth);
    EQUAL(get(GL_MAX_TRACK_MATRICES_NV), count);
    EQUAL(get(GL_MAX_TRACK_MATRIX_STACK_DEPTH_NV), depth);
    /* The next number after that of 32 matrices has another meaning in either extension. */
    if (count == 32) return;
    const GLenum first[] = {GL_MATRIX0_ARB, GL_MATRIX0_NV};
    for (int i = 0; i < (count > 8 ? 1 : 2); i++) {
        glMatrixMode(first[i] + (GLenum)count - 1);
        ERROR(GL_NO_ERROR);
        for (GLint n = 1; n < depth; n++) glPushMatrix();
        ERROR(GL_NO_ERROR);
        EQUAL(get(GL_CURRENT_MATRIX_STACK_DEPTH_ARB), depth);
        glPushMatrix();
        ERROR(GL_STACK_OVERFLOW);
        for (GLint n = 1; n < depth; n++) glPopMatrix();
        ERROR(GL_NO_ERROR);
        glPopMatrix();
        ERROR(GL_STACK_UNDERFLOW);
        glMatrixMode(first[i] + (GLenum)count);
        ERROR(GL_INVALID_ENUM);
    }
    glMatrixMode(GL_MODELVIEW);
    if (count == 8) {
        GLint matrix = -1;
        glTrackMatrixNV(VERTEX, 0, GL_MATRIX0_NV + 7, GL_IDENTITY_NV);
        ERROR(GL_NO_ERROR);
        glGetTrackMatrixivNV(VERTEX, 0, GL_TRACK_MATRIX_NV, &matrix);
        EQUAL(matrix, GL_MATRIX0_NV + 7);
        glTrackMatrixNV(VERTEX, 0, GL_MATRIX0_NV + 8, GL_IDENTITY_NV);
        ERROR(GL_INVALID_ENUM);
        glTrackMatrixNV(VERTEX, 0, GL_NONE, GL_IDENTITY_NV);
    }
    ERROR(GL_NO_ERROR);
}

/* NV_parameter_buffer_object, "Errors". */
static void parameter_buffers(void) {
    static const GLenum buffers[][2] = {{VERTEX, GL_VERTEX_PROGRAM_PARAMETER_BUFFER_NV},
                                        {GEOMETRY, GL_GEOMETRY_PROGRAM_PARAMETER_BUFFER_NV},
                                        {FRAGMENT, GL_FRAGMENT_PROGRAM_PARAMETER_BUFFER_NV}};
    for (unsigned i = 0; i < 3; i++) {
        GLenum target = buffers[i][1];
        GLuint limit = (GLuint)of_program(buffers[i][0], GL_MAX_PROGRAM_PARAMETER_BUFFER_BINDINGS_NV), buffer;
        GLuint words = (GLuint)of_program(buffers[i][0], GL_MAX_PROGRAM_PARAMETER_BUFFER_SIZE_NV);
        CHECK(limit >= 8 && words >= 4096, "%u, %u", limit, words);
        glGenBuffers(1, &buffer);
        glBindBufferBaseNV(target, limit - 1, buffer);
        glBufferData(target, 4 * ((GLsizeiptr)words + 1), NULL, GL_DYNAMIC_DRAW);
        ERROR(GL_NO_ERROR);
        GLint bound = -1;
        glGetIntegerIndexedvEXT(target, limit - 1, &bound);
        EQUAL(bound, buffer);
        const float value = 7;
        glProgramBufferParametersfvNV(target, limit - 1, words - 1, 1, &value);
        ERROR(GL_NO_ERROR);
        float got = 0;
        glGetBufferSubData(target, 4 * (GLintptr)(words - 1), 4, &got);
        CHECK(got == 7, "%g", got);
        /* The buffer is larger, but not the part that programs read. */
        glProgramBufferParametersfvNV(target, limit - 1, words, 1, &value);
        ERROR(GL_INVALID_VALUE);
        glProgramBufferParametersfvNV(target, limit, 0, 1, &value);
        ERROR(GL_INVALID_VALUE);
        glBindBufferBaseNV(target, limit, buffer);
        ERROR(GL_INVALID_VALUE);
        glBindBufferRangeNV(target, limit, buffer, 0, 4);
        ERROR(GL_INVALID_VALUE);
        glBindBufferOffsetNV(target, limit, buffer, 0);
        ERROR(GL_INVALID_VALUE);
        glGetIntegerIndexedvEXT(target, limit, &bound);
        ERROR(GL_INVALID_VALUE);
        EQUAL(bound, buffer);
        glBindBufferBaseNV(target, limit - 1, 0);
        glDeleteBuffers(1, &buffer);
        ERROR(GL_NO_ERROR);
    }
}

/* NV_transform_feedback, "Errors". Results beyond the last one of a name are errors, too. */
static void transform_feedback(void) {
    GLint attribs = get(GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS), components = get(GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS);
    GLint of_each = get(GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_COMPONENTS);
    CHECK(attribs >= 4 && components >= 64 && of_each >= 4, "%d, %d, %d", attribs, components, of_each);
    GLint *parts = calloc((size_t)(components + attribs + 2) * 3, sizeof *parts);
    for (GLint n = 0; n <= attribs; n++) {
        const GLint part[] = {GL_GENERIC_ATTRIB_NV, 4, n % 32};
        memcpy(parts + 3 * n, part, sizeof part);
    }
    glTransformFeedbackAttribsNV(attribs, parts, GL_SEPARATE_ATTRIBS);
    ERROR(GL_NO_ERROR);
    glTransformFeedbackAttribsNV(attribs + 1, parts, GL_SEPARATE_ATTRIBS);
    ERROR(GL_INVALID_VALUE);
    /* Four components each, and one more. */
    for (GLint n = 0; n <= components / 4; n++) {
        const GLint part[] = {GL_GENERIC_ATTRIB_NV, 4, n % 32};
        memcpy(parts + 3 * n, part, sizeof part);
    }
    EQUAL(components % 4, 0);
    glTransformFeedbackAttribsNV(components / 4, parts, GL_INTERLEAVED_ATTRIBS);
    ERROR(GL_NO_ERROR);
    parts[3 * (components / 4) + 1] = 1;
    glTransformFeedbackAttribsNV(components / 4 + 1, parts, GL_INTERLEAVED_ATTRIBS);
    ERROR(GL_INVALID_VALUE);
    static const GLint names[][2] = {{GL_TEXTURE_COORD_NV, 8}, {GL_CLIP_DISTANCE_NV, 8}, {GL_GENERIC_ATTRIB_NV, 32}};
    for (unsigned i = 0; i < 3; i++) {
        GLint part[] = {names[i][0], 1, names[i][1] - 1};
        glTransformFeedbackAttribsNV(1, part, GL_INTERLEAVED_ATTRIBS);
        ERROR(GL_NO_ERROR);
        part[2]++;
        glTransformFeedbackAttribsNV(1, part, GL_INTERLEAVED_ATTRIBS);
        ERROR(GL_INVALID_VALUE);
    }
    free(parts);
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBufferBaseNV(GL_TRANSFORM_FEEDBACK_BUFFER, (GLuint)attribs - 1, buffer);
    ERROR(GL_NO_ERROR);
    /* The error of OpenGL 3.0, whose command this is; NV_transform_feedback names GL_INVALID_OPERATION. */
    glBindBufferBaseNV(GL_TRANSFORM_FEEDBACK_BUFFER, (GLuint)get(GL_MAX_TRANSFORM_FEEDBACK_BUFFERS), buffer);
    ERROR(GL_INVALID_VALUE);
    glDeleteBuffers(1, &buffer);
    ERROR(GL_NO_ERROR);
}

/* NV_register_combiners, "Errors". */
static void combiners(void) {
    GLint limit = get(GL_MAX_GENERAL_COMBINERS_NV);
    CHECK(limit >= 2, "%d", limit);
    glCombinerParameteriNV(GL_NUM_GENERAL_COMBINERS_NV, limit);
    ERROR(GL_NO_ERROR);
    EQUAL(get(GL_NUM_GENERAL_COMBINERS_NV), limit);
    glCombinerParameteriNV(GL_NUM_GENERAL_COMBINERS_NV, limit + 1);
    ERROR(GL_INVALID_VALUE);
    glCombinerParameteriNV(GL_NUM_GENERAL_COMBINERS_NV, 0);
    ERROR(GL_INVALID_VALUE);
    EQUAL(get(GL_NUM_GENERAL_COMBINERS_NV), limit);
    glCombinerInputNV(GL_COMBINER0_NV + (GLenum)limit - 1, GL_RGB, GL_VARIABLE_A_NV, GL_ZERO, GL_UNSIGNED_IDENTITY_NV, GL_RGB);
    ERROR(GL_NO_ERROR);
    glCombinerInputNV(GL_COMBINER0_NV + (GLenum)limit, GL_RGB, GL_VARIABLE_A_NV, GL_ZERO, GL_UNSIGNED_IDENTITY_NV, GL_RGB);
    ERROR(GL_INVALID_ENUM);
    glCombinerParameteriNV(GL_NUM_GENERAL_COMBINERS_NV, 1);
    ERROR(GL_NO_ERROR);
}

/* NV_geometry_program4 section 2.14.6.4: the limit of vertices may be less or more than VERTICES_OUT. */
static void vertex_limit(void) {
    static const char text[] = "!!NVgp4.0\nPRIMITIVE_IN POINTS;\nPRIMITIVE_OUT LINE_STRIP;\nVERTICES_OUT 1;\n"
                               "ADD result.position, vertex[0].position, {-1, 0, 0, 0};\nMOV result.color, {0, 1, 0, 1};\nEMIT;\n"
                               "ADD result.position, vertex[0].position, {1, 0, 0, 0};\nMOV result.color, {0, 1, 0, 1};\nEMIT;\nEND";
    GLint vertices = of_program(GEOMETRY, GL_MAX_PROGRAM_OUTPUT_VERTICES_NV), total = of_program(GEOMETRY, GL_MAX_PROGRAM_TOTAL_OUTPUT_COMPONENTS_NV);
    EQUAL(of_program(GEOMETRY, GL_GEOMETRY_VERTICES_OUT_EXT), 0);
    glProgramVertexLimitNV(GEOMETRY, 1);
    ERROR(GL_INVALID_OPERATION);
    GLuint geometry = load(GEOMETRY, text), fragment = load(FRAGMENT, PASS_COLOR);
    EQUAL(of_program(GEOMETRY, GL_GEOMETRY_VERTICES_OUT_EXT), 1);
    EQUAL(of_program(GEOMETRY, GL_GEOMETRY_INPUT_TYPE_EXT), GL_POINTS);
    EQUAL(of_program(GEOMETRY, GL_GEOMETRY_OUTPUT_TYPE_EXT), GL_LINE_STRIP);
    GLint value = 77;
    glGetProgramivARB(VERTEX, GL_GEOMETRY_VERTICES_OUT_EXT, &value);
    ERROR(GL_INVALID_ENUM);
    EQUAL(value, 77);
    /* Eight components: position and color. */
    GLint most = total / 8 < vertices ? total / 8 : vertices;
    glProgramVertexLimitNV(GEOMETRY, most);
    ERROR(GL_NO_ERROR);
    EQUAL(of_program(GEOMETRY, GL_GEOMETRY_VERTICES_OUT_EXT), most);
    glProgramVertexLimitNV(GEOMETRY, most + 1);
    ERROR(GL_INVALID_VALUE);
    glProgramVertexLimitNV(GEOMETRY, 0);
    ERROR(GL_INVALID_VALUE);
    glProgramVertexLimitNV(GEOMETRY, -1);
    ERROR(GL_INVALID_VALUE);
    glProgramVertexLimitNV(VERTEX, 1);
    ERROR(GL_INVALID_ENUM);
    EQUAL(of_program(GEOMETRY, GL_GEOMETRY_VERTICES_OUT_EXT), most);
    /* Both vertices are emitted. */
    glProgramVertexLimitNV(GEOMETRY, 2);
    EQUAL(of_program(GEOMETRY, GL_GEOMETRY_VERTICES_OUT_EXT), 2);
    glEnable(GEOMETRY);
    glEnable(FRAGMENT);
    clear();
    glBegin(GL_POINTS);
    glVertex2f(0, 1.0f / SIZE);
    glEnd();
    PIXEL(2, SIZE / 2, 0, 1, 0, 1);
    PIXEL(SIZE - 3, SIZE / 2, 0, 1, 0, 1);
    glDisable(GEOMETRY);
    glDisable(FRAGMENT);
    /* Another program string has its own limit; its only component per vertex allows more vertices. */
    static const char other[] = "!!NVgp4.0\nPRIMITIVE_IN TRIANGLES_ADJACENCY;\nPRIMITIVE_OUT TRIANGLE_STRIP;\nVERTICES_OUT 7;\n"
                                "MOV result.pointsize.x, 1;\nEMIT;\nEND";
    glProgramStringARB(GEOMETRY, GL_PROGRAM_FORMAT_ASCII_ARB, sizeof other - 1, other);
    EQUAL(of_program(GEOMETRY, GL_GEOMETRY_VERTICES_OUT_EXT), 7);
    EQUAL(of_program(GEOMETRY, GL_GEOMETRY_INPUT_TYPE_EXT), GL_TRIANGLES_ADJACENCY);
    EQUAL(of_program(GEOMETRY, GL_GEOMETRY_OUTPUT_TYPE_EXT), GL_TRIANGLE_STRIP);
    most = total < vertices ? total : vertices;
    glProgramVertexLimitNV(GEOMETRY, most);
    ERROR(GL_NO_ERROR);
    EQUAL(of_program(GEOMETRY, GL_GEOMETRY_VERTICES_OUT_EXT), most);
    glProgramVertexLimitNV(GEOMETRY, most + 1);
    ERROR(GL_INVALID_VALUE);
    glDeleteProgramsARB(1, &geometry);
    glDeleteProgramsARB(1, &fragment);
    ERROR(GL_NO_ERROR);
}

/* NV_gpu_program5 section 2.14.1. */
static void subroutines(void) {
    GLint limit = of_program(FRAGMENT, MAX_SUBROUTINE_PARAMETERS);
    CHECK(limit > 0, "%d", limit);
    GLuint *values = calloc((size_t)limit + 1, sizeof *values), got = 0;
    values[limit - 1] = 5;
    glProgramSubroutineParametersuivNV(FRAGMENT, limit, values);
    ERROR(GL_NO_ERROR);
    glGetProgramSubroutineParameteruivNV(FRAGMENT, (GLuint)limit - 1, &got);
    EQUAL(got, 5);
    glProgramSubroutineParametersuivNV(FRAGMENT, limit + 1, values);
    ERROR(GL_INVALID_VALUE);
    free(values);
}

/* Attributes: NV_vertex_program section 2.8 has 16. */
static void attributes(void) {
    static const float values[] = {1, 2, 3, 4};
    GLint limit = get(GL_MAX_VERTEX_ATTRIBS_ARB);
    CHECK(limit >= 16, "%d", limit);
    glVertexAttrib4fvARB((GLuint)limit - 1, values);
    glVertexAttribPointerNV(15, 4, GL_FLOAT, 0, values);
    ERROR(GL_NO_ERROR);
    glVertexAttrib4fvARB((GLuint)limit, values);
    ERROR(GL_INVALID_VALUE);
    glVertexAttribPointerNV(16, 4, GL_FLOAT, 0, values);
    ERROR(GL_INVALID_VALUE);
}

/* Limits of results and of values at run time, which no command exceeds. */
static void minima(void) {
    CHECK(get(GL_PIXEL_COUNTER_BITS_NV) >= 24, "%d", get(GL_PIXEL_COUNTER_BITS_NV));
    GLint bits = get(GL_FRAGMENT_INTERPOLATION_OFFSET_BITS);
    GLfloat least = 0, most = 0;
    glGetFloatv(GL_MIN_FRAGMENT_INTERPOLATION_OFFSET, &least);
    glGetFloatv(GL_MAX_FRAGMENT_INTERPOLATION_OFFSET, &most);
    ERROR(GL_NO_ERROR);
    /* The last step may be missing: OpenGL 4.0 table 6.50. */
    CHECK(bits >= 4 && least <= -0.5f && most >= 0.5f - 1 / 16.f, "%d, %g, %g", bits, least, most);
}

int main(void) {
    start();
    use_context(open_context(NULL));
    GLuint names[TARGETS];
    glGenProgramsARB(TARGETS, names);
    for (unsigned i = 0; i < TARGETS; i++) glBindProgramARB(targets[i], names[i]);
    parameters();
    matrices();
    parameter_buffers();
    transform_feedback();
    combiners();
    subroutines();
    attributes();
    minima();
    vertex_limit();
    return finish();
}
