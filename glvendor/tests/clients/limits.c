/* What queries answer and what loads agree: of each target a program with the largest number of a kind loads, and the next number is an error at its
   place (ARB_vertex_program section 2.14.2, ARB_fragment_program section 3.11.2: "from 0 to MAX_... - 1").

   The limits of the extensions that the library provides are those of the tables "New Implementation Dependent State". `rows` and `sizes` have the
   limits of numbers and of declared sizes; arguments of commands are in command_limits.c, marked with (c) here.

   ARB_vertex_program, ARB_fragment_program:
     MAX_PROGRAM_ENV_PARAMETERS (c), _LOCAL_PARAMETERS (c), MAX_PROGRAM_MATRICES (c), MAX_TEXTURE_COORDS, MAX_TEXTURE_IMAGE_UNITS  rows
     MAX_PROGRAM_MATRIX_STACK_DEPTH                                                       (c)
     MAX_PROGRAM_INSTRUCTIONS, _ALU_, _TEX_INSTRUCTIONS, _TEX_INDIRECTIONS                of_instructions
     MAX_PROGRAM_TEMPORARIES, _PARAMETERS, _ADDRESS_REGISTERS                             of_counts
     MAX_PROGRAM_ATTRIBS                                                                  of_attributes
     MAX_PROGRAM_NATIVE_...                                                               of_native_limits
   NV_vertex_program: MAX_TRACK_MATRICES, MAX_TRACK_MATRIX_STACK_DEPTH                    (c): the same numbers
   NV_vertex_program2_option, NV_fragment_program2, NV_gpu_program4:
     MAX_PROGRAM_CALL_DEPTH                                                               of_calls
     MAX_PROGRAM_IF_DEPTH, _LOOP_DEPTH                                                    of_blocks
     MAX_PROGRAM_EXEC_INSTRUCTIONS, _LOOP_COUNT: what exceeds them loads and ends at run time, or is clamped; only the minima are checked
     MIN_, MAX_PROGRAM_TEXEL_OFFSET                                                       of_texel_offsets
     MAX_PROGRAM_ATTRIB_COMPONENTS, _RESULT_COMPONENTS                                    of_components
     MAX_PROGRAM_GENERIC_ATTRIBS, _GENERIC_RESULTS                                        rows
   NV_vertex_program3: MAX_VERTEX_TEXTURE_IMAGE_UNITS                                     of_vertex_textures
   NV_fragment_program: MAX_FRAGMENT_PROGRAM_LOCAL_PARAMETERS                             rows
   NV_geometry_program4: MAX_PROGRAM_OUTPUT_VERTICES (c), _TOTAL_OUTPUT_COMPONENTS (c)    sizes
     MAX_GEOMETRY_TEXTURE_IMAGE_UNITS: units have the numbers of all program types        rows
   NV_gpu_program5: MAX_GEOMETRY_PROGRAM_INVOCATIONS                                      sizes
     MIN_, MAX_FRAGMENT_INTERPOLATION_OFFSET, FRAGMENT_PROGRAM_INTERPOLATION_OFFSET_BITS  (c): offsets are values at run time
     MAX_PROGRAM_SUBROUTINE_PARAMETERS (c), _SUBROUTINE_NUM                               rows
   NV_tessellation_program5: MAX_PROGRAM_PATCH_ATTRIBS                                    rows
     MAX_PATCH_VERTICES                                                                   sizes
   NV_parameter_buffer_object: MAX_PROGRAM_PARAMETER_BUFFER_BINDINGS (c)                  rows
     MAX_PROGRAM_PARAMETER_BUFFER_SIZE                                                    (c)
   NV_compute_program5: MAX_COMPUTE_WORK_GROUP_SIZE, _INVOCATIONS, _SHARED_MEMORY_SIZE    sizes
   NV_shader_storage_buffer_object, NV_shader_atomic_counters: bindings                   rows
   NV_transform_feedback: MAX_TRANSFORM_FEEDBACK_...; NV_register_combiners: MAX_GENERAL_COMBINERS; NV_occlusion_query: PIXEL_COUNTER_BITS;
   NV_vertex_array_range: MAX_VERTEX_ARRAY_RANGE_ELEMENT (ranges.c)                       (c) */
#include "client.h"
#include <stdlib.h>

enum {
    VERTEX = GL_VERTEX_PROGRAM_ARB,
    FRAGMENT = GL_FRAGMENT_PROGRAM_ARB,
    FRAGMENT_NV = GL_FRAGMENT_PROGRAM_NV,
    GEOMETRY = GL_GEOMETRY_PROGRAM_NV,
    CONTROL = 0x891E,
    EVALUATION = 0x891F,
    COMPUTE = GL_COMPUTE_PROGRAM_NV
};

/* MAX_PROGRAM_SUBROUTINE_PARAMETERS_NV, MAX_PROGRAM_SUBROUTINE_NUM_NV, MAX_PROGRAM_PATCH_ATTRIBS_NV */
enum { MAX_SUBROUTINE_PARAMETERS = 0x8F44, MAX_SUBROUTINE_NUMBERS = 0x8F45, MAX_PATCH_ATTRIBUTES = 0x86D8 };

/* How the limit is asked for. */
enum how { OF_GL, OF_PROGRAM, OF_AXIS, FIXED };

#define ARB_VERTEX "!!ARBvp1.0\nMOV result.position, vertex.position;\n"
#define ARB_FRAGMENT "!!ARBfp1.0\n"
#define VERTEX_2 "!!ARBvp1.0\nOPTION NV_vertex_program2;\nMOV result.position, vertex.position;\n"
#define VERTEX_3 "!!ARBvp1.0\nOPTION NV_vertex_program3;\nMOV result.position, vertex.position;\n"
#define FRAGMENT_2 "!!ARBfp1.0\nOPTION NV_fragment_program2;\n"
#define GEOMETRY_4 "!!NVgp4.0\nPRIMITIVE_IN POINTS;\nPRIMITIVE_OUT POINTS;\nVERTICES_OUT 1;\n"
#define CONTROL_5 "!!NVtcp5.0\nVERTICES_OUT 1;\nTEMP r;\n"
#define EVALUATION_5 "!!NVtep5.0\nTESS_MODE TRIANGLES;\nTEMP r;\n"
#define COMPUTE_5 "!!NVcp5.0\nGROUP_SIZE 1;\nTEMP r;\n"

/* In the source @ is the number. */
static const struct {
    GLenum target;
    enum how how;
    GLenum limit;
    const char *text;
} rows[] = {
    {VERTEX, OF_PROGRAM, GL_MAX_PROGRAM_ENV_PARAMETERS_ARB, ARB_VERTEX "MOV result.color, program.env[@];\nEND"},
    {VERTEX, OF_PROGRAM, GL_MAX_PROGRAM_ENV_PARAMETERS_ARB, ARB_VERTEX "PARAM p[2] = {program.env[0], program.env[@]};\nMOV result.color, p[0];\nEND"},
    {VERTEX, OF_PROGRAM, GL_MAX_PROGRAM_LOCAL_PARAMETERS_ARB, ARB_VERTEX "MOV result.color, program.local[@];\nEND"},
    {VERTEX, OF_GL, GL_MAX_PROGRAM_MATRICES_ARB, ARB_VERTEX "PARAM m[4] = {state.matrix.program[@]};\nMOV result.color, m[0];\nEND"},
    {VERTEX, OF_GL, GL_MAX_TEXTURE_COORDS_ARB, ARB_VERTEX "MOV result.texcoord[0], state.matrix.texture[@].row[0];\nEND"},
    {VERTEX, OF_GL, GL_MAX_TEXTURE_COORDS_ARB, ARB_VERTEX "MOV result.texcoord[0], state.texgen[@].eye.s;\nEND"},
    {VERTEX, OF_GL, GL_MAX_TEXTURE_COORDS_ARB, ARB_VERTEX "MOV result.texcoord[@], 1;\nEND"},
    {VERTEX, OF_GL, GL_MAX_TEXTURE_COORDS_ARB, ARB_VERTEX "MOV result.color, vertex.texcoord[@];\nEND"},
    {VERTEX, OF_GL, GL_MAX_LIGHTS, ARB_VERTEX "MOV result.color, state.light[@].diffuse;\nEND"},
    {VERTEX, OF_GL, GL_MAX_LIGHTS, ARB_VERTEX "MOV result.color, state.lightprod[@].back.ambient;\nEND"},
    {VERTEX, OF_GL, GL_MAX_CLIP_PLANES, ARB_VERTEX "MOV result.color, state.clip[@].plane;\nEND"},
    {VERTEX, OF_GL, GL_MAX_VERTEX_ATTRIBS_ARB, ARB_VERTEX "MOV result.color, vertex.attrib[@];\nEND"},
    {VERTEX, OF_PROGRAM, GL_MAX_PROGRAM_GENERIC_ATTRIBS_NV, "!!NVvp4.0\nMOV result.position, vertex.attrib[@];\nEND"},
    {VERTEX, OF_PROGRAM, GL_MAX_PROGRAM_GENERIC_RESULTS_NV, "!!NVvp4.0\nMOV result.attrib[@], 1;\nEND"},
    {VERTEX, FIXED, 1, ARB_VERTEX "MOV result.color, state.matrix.modelview[@].row[0];\nEND"},
    {VERTEX, OF_GL, GL_MAX_PROGRAM_PARAMETER_BUFFER_BINDINGS_NV, "!!NVvp4.0\nBUFFER b = program.buffer[@][0];\nMOV result.color, b;\nEND"},
    {VERTEX, OF_PROGRAM, GL_MAX_PROGRAM_ENV_PARAMETERS_ARB, VERTEX_2 "MOV result.color, program.env[@];\nEND"},
    {VERTEX, OF_PROGRAM, GL_MAX_PROGRAM_LOCAL_PARAMETERS_ARB, "!!NVvp5.0\nMOV.F result.color, program.local[@];\nEND"},

    {FRAGMENT, OF_PROGRAM, GL_MAX_PROGRAM_ENV_PARAMETERS_ARB, ARB_FRAGMENT "MOV result.color, program.env[@];\nEND"},
    {FRAGMENT, OF_PROGRAM, GL_MAX_PROGRAM_LOCAL_PARAMETERS_ARB, ARB_FRAGMENT "MOV result.color, program.local[@];\nEND"},
    {FRAGMENT, OF_PROGRAM, GL_MAX_PROGRAM_LOCAL_PARAMETERS_ARB, FRAGMENT_2 "MOV result.color, program.local[@];\nEND"},
    {FRAGMENT, OF_GL, GL_MAX_TEXTURE_IMAGE_UNITS_ARB, ARB_FRAGMENT "TEX result.color, fragment.texcoord[0], texture[@], 2D;\nEND"},
    {FRAGMENT, OF_GL, GL_MAX_TEXTURE_IMAGE_UNITS_ARB, FRAGMENT_2 "TEX result.color, fragment.texcoord[0], texture[@], 2D;\nEND"},
    {FRAGMENT, OF_GL, GL_MAX_TEXTURE_IMAGE_UNITS_ARB, "!!NVfp4.0\nTEX result.color, fragment.texcoord[0], texture[@], 2D;\nEND"},
    {FRAGMENT, OF_GL, GL_MAX_TEXTURE_COORDS_ARB, ARB_FRAGMENT "MOV result.color, fragment.texcoord[@];\nEND"},
    {FRAGMENT, OF_GL, GL_MAX_TEXTURE_COORDS_ARB, ARB_FRAGMENT "MOV result.color, state.matrix.texture[@].row[0];\nEND"},
    {FRAGMENT, OF_GL, GL_MAX_TEXTURE_UNITS, ARB_FRAGMENT "MOV result.color, state.texenv[@].color;\nEND"},
    {FRAGMENT, OF_GL, GL_MAX_PROGRAM_MATRICES_ARB, ARB_FRAGMENT "MOV result.color, state.matrix.program[@].row[0];\nEND"},
    {FRAGMENT, OF_GL, GL_MAX_DRAW_BUFFERS, ARB_FRAGMENT "OPTION ARB_draw_buffers;\nMOV result.color[@], 1;\nEND"},
    {FRAGMENT, OF_PROGRAM, GL_MAX_PROGRAM_GENERIC_ATTRIBS_NV, "!!NVfp4.0\nMOV result.color, fragment.attrib[@];\nEND"},
    {FRAGMENT, OF_GL, GL_MAX_PROGRAM_PARAMETER_BUFFER_BINDINGS_NV, "!!NVfp4.0\nBUFFER b = program.buffer[@][0];\nMOV result.color, b;\nEND"},
    {FRAGMENT, OF_GL, GL_MAX_IMAGE_UNITS, "!!NVfp5.0\nTEMP r;\nLOADIM.F32 r, fragment.attrib[0], image[@], 2D;\nMOV.F result.color, r;\nEND"},
    {FRAGMENT, OF_GL, GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS,
     "!!NVfp5.0\nOPTION NV_shader_storage_buffer;\nTEMP r;\nSTORAGE b[] = {program.storage[@]};\nLDB.F32 r, b[0];\nMOV.F result.color, r;\nEND"},
    {FRAGMENT, OF_GL, GL_MAX_ATOMIC_COUNTER_BUFFER_BINDINGS,
     "!!NVfp5.0\nOPTION NV_shader_atomic_counters;\nTEMP r;\nCOUNTER c = program.counter[@][0];\nATOMCTR.GET r.x, c;\nMOV.F result.color, r;\nEND"},
    {FRAGMENT, OF_PROGRAM, MAX_SUBROUTINE_PARAMETERS,
     "!!NVfp5.0\nSUBROUTINETYPE t {f};\nSUBROUTINE t v = program.subroutine[@];\nmain:\nCALI v;\nRET;\nf SUBROUTINENUM(0):\nMOV.F result.color, 1;\nRET;\nEND"},
    {FRAGMENT, OF_PROGRAM, MAX_SUBROUTINE_NUMBERS,
     "!!NVfp5.0\nSUBROUTINETYPE t {f};\nSUBROUTINE t v = program.subroutine[0];\nmain:\nCALI v;\nRET;\nf SUBROUTINENUM(@):\nMOV.F result.color, 1;\nRET;\nEND"},
    {FRAGMENT_NV, OF_GL, GL_MAX_FRAGMENT_PROGRAM_LOCAL_PARAMETERS_NV, "!!FP1.0\nMOV o[COLR], p[@];\nEND"},

    {GEOMETRY, OF_PROGRAM, GL_MAX_PROGRAM_ENV_PARAMETERS_ARB, GEOMETRY_4 "MOV result.position, program.env[@];\nEMIT;\nEND"},
    {GEOMETRY, OF_PROGRAM, GL_MAX_PROGRAM_LOCAL_PARAMETERS_ARB, GEOMETRY_4 "MOV result.position, program.local[@];\nEMIT;\nEND"},
    {GEOMETRY, OF_GL, GL_MAX_TEXTURE_IMAGE_UNITS_ARB, GEOMETRY_4 "TEX result.position, vertex[0].position, texture[@], 2D;\nEMIT;\nEND"},
    {GEOMETRY, OF_PROGRAM, GL_MAX_PROGRAM_GENERIC_ATTRIBS_NV, GEOMETRY_4 "MOV result.position, vertex[0].attrib[@];\nEMIT;\nEND"},
    {GEOMETRY, OF_PROGRAM, GL_MAX_PROGRAM_GENERIC_RESULTS_NV, GEOMETRY_4 "MOV result.attrib[@], 1;\nEMIT;\nEND"},
    {GEOMETRY, OF_GL, GL_MAX_PROGRAM_PARAMETER_BUFFER_BINDINGS_NV, GEOMETRY_4 "BUFFER b = program.buffer[@][0];\nMOV result.position, b;\nEMIT;\nEND"},
    {GEOMETRY, OF_GL, GL_MAX_TEXTURE_COORDS_ARB, GEOMETRY_4 "MOV result.position, vertex[0].texcoord[@];\nEMIT;\nEND"},

    {CONTROL, OF_PROGRAM, GL_MAX_PROGRAM_ENV_PARAMETERS_ARB, CONTROL_5 "MOV.F result.position, program.env[@];\nEND"},
    {CONTROL, OF_PROGRAM, GL_MAX_PROGRAM_LOCAL_PARAMETERS_ARB, CONTROL_5 "MOV.F result.position, program.local[@];\nEND"},
    {CONTROL, OF_PROGRAM, MAX_PATCH_ATTRIBUTES, CONTROL_5 "MOV.F result.patch.attrib[@], 1;\nEND"},
    {CONTROL, OF_PROGRAM, GL_MAX_PROGRAM_GENERIC_ATTRIBS_NV, CONTROL_5 "MOV.F result.position, vertex[0].attrib[@];\nEND"},
    {CONTROL, OF_PROGRAM, GL_MAX_PROGRAM_GENERIC_RESULTS_NV, CONTROL_5 "MOV.F result.attrib[@], 1;\nEND"},
    {CONTROL, OF_GL, GL_MAX_TEXTURE_IMAGE_UNITS_ARB, CONTROL_5 "TXL.F r, vertex[0].position, texture[@], 2D;\nMOV.F result.position, r;\nEND"},
    {EVALUATION, OF_PROGRAM, GL_MAX_PROGRAM_ENV_PARAMETERS_ARB, EVALUATION_5 "MOV.F result.position, program.env[@];\nEND"},
    {EVALUATION, OF_PROGRAM, MAX_PATCH_ATTRIBUTES, EVALUATION_5 "MOV.F result.position, primitive.patch.attrib[@];\nEND"},
    {EVALUATION, OF_PROGRAM, GL_MAX_PROGRAM_GENERIC_RESULTS_NV, EVALUATION_5 "MOV.F result.attrib[@], 1;\nEND"},
    {EVALUATION, OF_GL, GL_MAX_TEXTURE_IMAGE_UNITS_ARB, EVALUATION_5 "TXL.F r, vertex[0].position, texture[@], 2D;\nMOV.F result.position, r;\nEND"},

    {COMPUTE, OF_PROGRAM, GL_MAX_PROGRAM_ENV_PARAMETERS_ARB, COMPUTE_5 "MOV.F r, program.env[@];\nEND"},
    {COMPUTE, OF_PROGRAM, GL_MAX_PROGRAM_LOCAL_PARAMETERS_ARB, COMPUTE_5 "MOV.F r, program.local[@];\nEND"},
    {COMPUTE, OF_GL, GL_MAX_TEXTURE_IMAGE_UNITS_ARB, COMPUTE_5 "TXL.F r, {0, 0, 0, 0}, texture[@], 2D;\nEND"},
    {COMPUTE, OF_GL, GL_MAX_IMAGE_UNITS, COMPUTE_5 "LOADIM.F32 r, {0, 0, 0, 0}, image[@], 2D;\nEND"},
    {COMPUTE, OF_GL, GL_MAX_PROGRAM_PARAMETER_BUFFER_BINDINGS_NV, COMPUTE_5 "CBUFFER b[] = {program.buffer[@]};\nLDC.F32 r, b[0];\nEND"},
    {COMPUTE, OF_GL, GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS,
     "!!NVcp5.0\nOPTION NV_shader_storage_buffer;\nGROUP_SIZE 1;\nTEMP r;\nSTORAGE b[] = {program.storage[@]};\nLDB.F32 r, b[0];\nEND"},
};

#define GEOMETRY_HEAD "PRIMITIVE_IN POINTS;\nPRIMITIVE_OUT POINTS;\n"

/* Sizes that a program declares, the limit itself included; each unit of @ is so many units of the limit. */
static const struct {
    GLenum target;
    enum how how;
    GLenum limit;
    GLint units;
    const char *text;
} sizes[] = {
    {GEOMETRY, OF_GL, GL_MAX_GEOMETRY_SHADER_INVOCATIONS, 1,
     "!!NVgp5.0\n" GEOMETRY_HEAD "VERTICES_OUT 1;\nINVOCATIONS @;\nMOV.F result.position, 1;\nEMIT;\nEND"},
    {GEOMETRY, OF_PROGRAM, GL_MAX_PROGRAM_OUTPUT_VERTICES_NV, 1, "!!NVgp4.0\n" GEOMETRY_HEAD "VERTICES_OUT @;\nMOV result.pointsize.x, 1;\nEMIT;\nEND"},
    {GEOMETRY, OF_PROGRAM, GL_MAX_PROGRAM_TOTAL_OUTPUT_COMPONENTS_NV, 4,
     "!!NVgp4.0\n" GEOMETRY_HEAD "VERTICES_OUT @;\nMOV result.position, 1;\nEMIT;\nEND"},
    {GEOMETRY, OF_PROGRAM, GL_MAX_PROGRAM_TOTAL_OUTPUT_COMPONENTS_NV, 7,
     "!!NVgp4.0\n" GEOMETRY_HEAD "VERTICES_OUT @;\nMOV result.position, 1;\nMOV result.attrib[3].xyw, 1;\nEMIT;\nEND"},
    {CONTROL, OF_GL, GL_MAX_PATCH_VERTICES, 1, "!!NVtcp5.0\nVERTICES_OUT @;\nMOV.F result.position, 1;\nEND"},
    {COMPUTE, OF_AXIS, 0, 1, "!!NVcp5.0\nGROUP_SIZE @;\nTEMP r;\nMOV.F r, 1;\nEND"},
    {COMPUTE, OF_AXIS, 1, 1, "!!NVcp5.0\nGROUP_SIZE 1 @;\nTEMP r;\nMOV.F r, 1;\nEND"},
    {COMPUTE, OF_AXIS, 2, 1, "!!NVcp5.0\nGROUP_SIZE 1 1 @;\nTEMP r;\nMOV.F r, 1;\nEND"},
    {COMPUTE, OF_GL, GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS, 32, "!!NVcp5.0\nGROUP_SIZE 4 @ 8;\nTEMP r;\nMOV.F r, 1;\nEND"},
    {COMPUTE, OF_GL, GL_MAX_COMPUTE_SHARED_MEMORY_SIZE, 1,
     "!!NVcp5.0\nGROUP_SIZE 1;\nSHARED_MEMORY @;\nSHARED s[] = {program.sharedmem};\nTEMP r;\nLDS.U32 r, s[0];\nEND"},
};

static GLint limit_of(GLenum target, enum how how, GLenum limit) {
    GLint value = -1;
    if (how == FIXED) return (GLint)limit;
    if (how == OF_AXIS) glGetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_SIZE, limit, &value);
    else if (how == OF_GL) glGetIntegerv(limit, &value);
    else glGetProgramivARB(target, limit, &value);
    ERROR(GL_NO_ERROR);
    return value;
}

/* Loads a program string; gives the position of its error, -1 if there is none. */
static GLint load_text(GLenum target, GLuint name, const char *text) {
    GLint position = -2;
    if (target == FRAGMENT_NV) glLoadProgramNV(target, name, (GLsizei)strlen(text), (const GLubyte *)text);
    else glProgramStringARB(target, GL_PROGRAM_FORMAT_ASCII_ARB, (GLsizei)strlen(text), text);
    glGetIntegerv(GL_PROGRAM_ERROR_POSITION_ARB, &position);
    return position;
}

/* Loads a program string that is an error at a position, or at none if that is -1. */
static void expect_position(GLenum target, GLuint name, const char *text, GLint wanted) {
    GLint position = load_text(target, name, text);
    const char *message = (const char *)glGetString(GL_PROGRAM_ERROR_STRING_ARB);
    CHECK(position == wanted, "the error is at %d, not %d, of\n%s\n%s", position, wanted, text, message);
    CHECK((wanted == -1) == !*message, "\"%s\" for\n%s", message, text);
    ERROR(wanted == -1 ? GL_NO_ERROR : GL_INVALID_OPERATION);
}

/* Appends a source with a number for @; gives the new end. */
static char *append(char *end, const char *source, GLint number) {
    const char *at = strchr(source, '@');
    if (!at) return end + sprintf(end, "%s", source);
    return end + sprintf(end, "%.*s%d%s", (int)(at - source), source, number, at + 1);
}

/* Space for a program with so many of its longest line. */
static char *new_text(const char *head, const char *line, GLint count) {
    return malloc(strlen(head) + (size_t)count * (strlen(line) + 40) + 200);
}

static void of_numbers(GLuint name) {
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        GLenum target = rows[i].target;
        GLint limit = limit_of(target, rows[i].how, rows[i].limit);
        CHECK(limit > 0, "row %u: limit 0x%04x is %d", i, rows[i].limit, limit);
        const char *at = strchr(rows[i].text, '@');
        for (GLint number = limit - 1; number <= limit; number++) {
            char text[600];
            append(text, rows[i].text, number);
            expect_position(target, name, text, number < limit ? -1 : (GLint)(at - rows[i].text));
        }
    }
}

/* A program string that is an error at any place. */
static void expect_failure(GLenum target, const char *text) {
    GLint position = load_text(target, 0, text);
    CHECK(position >= 0 && (size_t)position <= strlen(text), "position %d of\n%.300s", position, text);
    ERROR(GL_INVALID_OPERATION);
}

static void of_sizes(void) {
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        GLint limit = limit_of(sizes[i].target, sizes[i].how, sizes[i].limit);
        CHECK(limit >= sizes[i].units, "size %u: limit 0x%04x is %d", i, sizes[i].limit, limit);
        char text[600];
        append(text, sizes[i].text, limit / sizes[i].units);
        expect_position(sizes[i].target, 0, text, -1);
        append(text, sizes[i].text, limit / sizes[i].units + 1);
        expect_failure(sizes[i].target, text);
    }
    /* The minima of the specifications; those of compute programs are of OpenGL 4.3. */
    CHECK(limit_of(GEOMETRY, OF_GL, GL_MAX_GEOMETRY_SHADER_INVOCATIONS) >= 32);
    CHECK(limit_of(GEOMETRY, OF_PROGRAM, GL_MAX_PROGRAM_OUTPUT_VERTICES_NV) >= 256);
    CHECK(limit_of(GEOMETRY, OF_PROGRAM, GL_MAX_PROGRAM_TOTAL_OUTPUT_COMPONENTS_NV) >= 1024);
    CHECK(limit_of(CONTROL, OF_GL, GL_MAX_PATCH_VERTICES) >= 32);
    CHECK(limit_of(COMPUTE, OF_AXIS, 0) >= 1024);
    CHECK(limit_of(COMPUTE, OF_AXIS, 1) >= 1024);
    CHECK(limit_of(COMPUTE, OF_AXIS, 2) >= 64);
    CHECK(limit_of(COMPUTE, OF_GL, GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS) >= 1024);
    CHECK(limit_of(COMPUTE, OF_GL, GL_MAX_COMPUTE_SHARED_MEMORY_SIZE) >= 32768);
    /* Two limits of geometry programs belong to no other target. */
    GLint value = 77;
    glGetProgramivARB(VERTEX, GL_MAX_PROGRAM_OUTPUT_VERTICES_NV, &value);
    ERROR(GL_INVALID_ENUM);
    glGetProgramivARB(FRAGMENT, GL_MAX_PROGRAM_TOTAL_OUTPUT_COMPONENTS_NV, &value);
    ERROR(GL_INVALID_ENUM);
    EQUAL(value, 77);
}

/* Both ends of the range: NV_gpu_program4 section 2.X.4.4. */
static void of_texel_offsets(void) {
    static const char text[] = "!!NVfp4.0\nTEX result.color, fragment.texcoord[0], texture[0], 2D, (0, @);\nEND";
    GLint least = limit_of(FRAGMENT, OF_GL, GL_MIN_PROGRAM_TEXEL_OFFSET), most = limit_of(FRAGMENT, OF_GL, GL_MAX_PROGRAM_TEXEL_OFFSET);
    CHECK(least <= -8 && most >= 7, "%d to %d", least, most);
    GLfloat number = 0;
    glGetFloatv(GL_MIN_PROGRAM_TEXEL_OFFSET, &number);
    CHECK(number == (float)least, "%g", number);
    for (GLint offset = least - 1; offset <= most + 1; offset++) {
        char source[200];
        append(source, text, offset);
        if (offset < least || offset > most) expect_failure(FRAGMENT, source);
        else expect_position(FRAGMENT, 0, source, -1);
    }
}

/* NV_gpu_program4 section 2.X.3: components of attributes that are read, and of results that are written. */
static void of_components(void) {
    static const struct {
        GLenum target, limit, query;
        const char *head, *line, *one, *tail;
    } components[] = {
        {FRAGMENT, GL_MAX_PROGRAM_ATTRIB_COMPONENTS_NV, GL_PROGRAM_ATTRIB_COMPONENTS_NV, "!!NVfp4.0\nTEMP r;\nMOV r, 0;\n",
         "ADD r, r, fragment.attrib[@];\n", "ADD r, r, fragment.texcoord[0].x;\n", "MOV result.color, r;\nEND"},
        {VERTEX, GL_MAX_PROGRAM_RESULT_COMPONENTS_NV, GL_PROGRAM_RESULT_COMPONENTS_NV, "!!NVvp4.0\n", "MOV result.attrib[@], 1;\n",
         "MOV result.texcoord[0].x, 1;\n", "END"},
    };
    for (unsigned i = 0; i < sizeof components / sizeof *components; i++) {
        GLenum target = components[i].target;
        GLint limit = limit_of(target, OF_PROGRAM, components[i].limit), count = -1;
        EQUAL(limit % 4, 0);
        char *text = new_text(components[i].head, components[i].line, limit), *end = append(text, components[i].head, 0);
        for (GLint n = 0; n < limit / 4; n++) end = append(end, components[i].line, n);
        append(end, components[i].tail, 0);
        expect_position(target, 0, text, -1);
        glGetProgramivARB(target, components[i].query, &count);
        EQUAL(count, limit);
        end = append(end, components[i].one, 0);
        append(end, components[i].tail, 0);
        expect_failure(target, text);
        free(text);
    }
}

/* Programs as long as the limits allow. KIL is a texture instruction (ARB_fragment_program section 3.11.6). */
static void of_instructions(void) {
    static const struct {
        GLenum target, limit;
        const char *head, *line, *tail;
    } lines[] = {{FRAGMENT, GL_MAX_PROGRAM_ALU_INSTRUCTIONS_ARB, "!!NVfp4.0\nTEMP r;\nMOV result.color, 1;\n", "MOV r,1;", "END"},
                 {FRAGMENT, GL_MAX_PROGRAM_TEX_INSTRUCTIONS_ARB, "!!NVfp4.0\nMOV result.color, 1;\n", "KIL 1;", "END"}};
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        GLenum target = lines[i].target;
        GLint limit = limit_of(target, OF_PROGRAM, GL_MAX_PROGRAM_INSTRUCTIONS_ARB), count = -1;
        /* The limits of the kinds do not restrict more than that of all instructions. */
        EQUAL(limit_of(target, OF_PROGRAM, lines[i].limit), limit);
        EQUAL(limit_of(target, OF_PROGRAM, GL_MAX_PROGRAM_TEX_INDIRECTIONS_ARB), limit);
        char *text = new_text(lines[i].head, "", limit), *end = append(text, lines[i].head, 0);
        for (GLint n = 1; n < limit; n++) end = append(end, lines[i].line, 0);
        append(end, lines[i].tail, 0);
        EQUAL(load_text(target, 0, text), -1);
        glGetProgramivARB(target, GL_PROGRAM_INSTRUCTIONS_ARB, &count);
        EQUAL(count, limit);
        end = append(end, lines[i].line, 0);
        append(end, lines[i].tail, 0);
        expect_failure(target, text);
        free(text);
    }
}

/* Every program is within native limits, which are those of all programs: ARB_vertex_program section 6.1.12. */
static void of_native_limits(void) {
    static const GLenum limits[][2] = {{GL_MAX_PROGRAM_INSTRUCTIONS_ARB, GL_MAX_PROGRAM_NATIVE_INSTRUCTIONS_ARB},
                                       {GL_MAX_PROGRAM_TEMPORARIES_ARB, GL_MAX_PROGRAM_NATIVE_TEMPORARIES_ARB},
                                       {GL_MAX_PROGRAM_PARAMETERS_ARB, GL_MAX_PROGRAM_NATIVE_PARAMETERS_ARB},
                                       {GL_MAX_PROGRAM_ATTRIBS_ARB, GL_MAX_PROGRAM_NATIVE_ATTRIBS_ARB},
                                       {GL_MAX_PROGRAM_ADDRESS_REGISTERS_ARB, GL_MAX_PROGRAM_NATIVE_ADDRESS_REGISTERS_ARB},
                                       {GL_MAX_PROGRAM_ALU_INSTRUCTIONS_ARB, GL_MAX_PROGRAM_NATIVE_ALU_INSTRUCTIONS_ARB},
                                       {GL_MAX_PROGRAM_TEX_INSTRUCTIONS_ARB, GL_MAX_PROGRAM_NATIVE_TEX_INSTRUCTIONS_ARB},
                                       {GL_MAX_PROGRAM_TEX_INDIRECTIONS_ARB, GL_MAX_PROGRAM_NATIVE_TEX_INDIRECTIONS_ARB}};
    for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++)
        EQUAL(limit_of(FRAGMENT, OF_PROGRAM, limits[i][1]), limit_of(FRAGMENT, OF_PROGRAM, limits[i][0]));
    expect_position(FRAGMENT, 0, "!!NVfp4.0\nMOV result.color, 1;\nEND", -1);
    EQUAL(limit_of(FRAGMENT, OF_PROGRAM, GL_PROGRAM_UNDER_NATIVE_LIMITS_ARB), 1);
    CHECK(limit_of(VERTEX, OF_PROGRAM, GL_MAX_PROGRAM_EXEC_INSTRUCTIONS_NV) >= 65536);
    CHECK(limit_of(FRAGMENT, OF_PROGRAM, GL_MAX_PROGRAM_LOOP_COUNT_NV) >= 255);
}

/* Wine numbers the textures of vertex programs after those of fragment programs. */
static void of_vertex_textures(void) {
    static const char *const texts[] = {VERTEX_3 "TEX result.color, vertex.texcoord, texture[@], 2D;\nEND",
                                        "!!NVvp4.0\nTEX result.color, vertex.texcoord, texture[@], 2D;\nEND"};
    GLint of_fragments = limit_of(FRAGMENT, OF_GL, GL_MAX_TEXTURE_IMAGE_UNITS_ARB);
    GLint combined = limit_of(VERTEX, OF_GL, GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS);
    /* The languages of this library have no more. */
    GLint limit = combined < 128 ? combined : 128;
    CHECK(of_fragments < limit, "%d units in fragment programs, %d in all", of_fragments, combined);
    const GLint units[] = {of_fragments - 1, of_fragments, limit - 1, limit};
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned u = 0; u < 4; u++) {
            char text[600];
            append(text, texts[i], units[u]);
            GLint at = (GLint)(strchr(texts[i], '@') - texts[i]);
            expect_position(VERTEX, 0, text, units[u] < limit ? -1 : at);
        }
    }
}

/* Blocks inside each other. */
static void of_blocks(void) {
    static const struct {
        GLenum target, limit;
        const char *head, *open, *close;
    } blocks[] = {{FRAGMENT, GL_MAX_PROGRAM_IF_DEPTH_NV, FRAGMENT_2, "IF EQ.x;\n", "ENDIF;\n"},
                  {FRAGMENT, GL_MAX_PROGRAM_LOOP_DEPTH_NV, FRAGMENT_2, "REP {1};\n", "ENDREP;\n"},
                  {FRAGMENT, GL_MAX_PROGRAM_LOOP_DEPTH_NV, FRAGMENT_2, "LOOP {1, 0, 1};\n", "ENDLOOP;\n"},
                  {FRAGMENT, GL_MAX_PROGRAM_IF_DEPTH_NV, "!!NVfp4.0\n", "IF EQ.x;\n", "ENDIF;\n"},
                  {FRAGMENT, GL_MAX_PROGRAM_LOOP_DEPTH_NV, "!!NVfp4.0\n", "REP 1;\n", "ENDREP;\n"},
                  {VERTEX, GL_MAX_PROGRAM_IF_DEPTH_NV, "!!NVvp4.0\n", "IF EQ.x;\n", "ENDIF;\n"},
                  {VERTEX, GL_MAX_PROGRAM_LOOP_DEPTH_NV, "!!NVvp4.0\n", "REP 1;\n", "ENDREP;\n"}};
    for (unsigned i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const char *head = blocks[i].head, *open = blocks[i].open;
        GLint limit = limit_of(blocks[i].target, OF_PROGRAM, blocks[i].limit);
        for (GLint count = limit; count <= limit + 1; count++) {
            char *text = new_text(head, open, count), *end = append(text, head, 0);
            for (GLint n = 0; n < count; n++) end = append(end, open, n);
            for (GLint n = 0; n < count; n++) end = append(end, blocks[i].close, n);
            append(end, "MOV result.color, 1;\nEND", 0);
            GLint last = (GLint)(strlen(head) + (size_t)(count - 1) * strlen(open));
            expect_position(blocks[i].target, 0, text, count <= limit ? -1 : last);
            free(text);
        }
    }
}

/* As many calls inside each other as the query says run through: each subroutine adds 1 of so many parts to red. */
static void of_calls(void) {
    static const char *const heads[] = {FRAGMENT_2, "!!NVfp4.0\n"};
    GLint limit = limit_of(FRAGMENT, OF_PROGRAM, GL_MAX_PROGRAM_CALL_DEPTH_NV);
    for (unsigned i = 0; i < sizeof heads / sizeof *heads; i++) {
        char *text = new_text(heads[i], "", 2 * limit), *end = append(text, heads[i], 0);
        end = append(end, "TEMP r;\nMOV r, {0, 0, 0, 1};\nCAL s1;\nMOV result.color, r;\nRET;\n", 0);
        for (GLint n = 1; n <= limit; n++) {
            end += sprintf(end, "s%d:\nADD r.x, r, %.9f;\n", n, 1.0 / limit);
            if (n < limit) end = append(end, "CAL s@;\n", n + 1);
            end = append(end, "RET;\n", 0);
        }
        append(end, "END", 0);
        expect_position(FRAGMENT, 0, text, -1);
        glEnable(FRAGMENT);
        clear();
        draw_square();
        PIXEL(3, 3, 1, 0, 0, 1);
        glDisable(FRAGMENT);
        free(text);
        ERROR(GL_NO_ERROR);
    }
}

/* Vertices, fragments and the others have limits of their own: NV_gpu_program4 table X.21. */
static void of_types(void) {
    GLint attributes;
    glGetIntegerv(GL_MAX_VERTEX_ATTRIBS_ARB, &attributes);
    EQUAL(limit_of(VERTEX, OF_PROGRAM, GL_MAX_PROGRAM_GENERIC_ATTRIBS_NV), attributes);
    CHECK(limit_of(FRAGMENT, OF_PROGRAM, GL_MAX_PROGRAM_GENERIC_ATTRIBS_NV) != attributes);
    /* The minima of NV_fragment_program2 and NV_tessellation_program5. */
    CHECK(limit_of(FRAGMENT, OF_PROGRAM, GL_MAX_PROGRAM_CALL_DEPTH_NV) >= 4);
    CHECK(limit_of(FRAGMENT, OF_PROGRAM, GL_MAX_PROGRAM_IF_DEPTH_NV) >= 48);
    CHECK(limit_of(FRAGMENT, OF_PROGRAM, GL_MAX_PROGRAM_LOOP_DEPTH_NV) >= 4);
    CHECK(limit_of(CONTROL, OF_PROGRAM, MAX_PATCH_ATTRIBUTES) >= 30);
}

/* Every attribute counts once, whatever it is bound as (ARB_vertex_program section 2.14.3.7): the first one beyond the limit is the error. */
static void of_attributes(void) {
    static const char more[] = "ATTRIB more = vertex.matrixindex[0];\n";
    GLint limit = limit_of(VERTEX, OF_PROGRAM, GL_MAX_PROGRAM_ATTRIBS_ARB), count = -1;
    char text[3000], *end = text;
    end += sprintf(end, "!!ARBvp1.0\nOPTION NV_vertex_program3;\n");
    for (GLint n = 0; n < limit; n++) end += sprintf(end, "ATTRIB a%d = vertex.attrib[%d];\n", n, n);
    sprintf(end, "MOV result.position, a0;\nMOV result.color, vertex.attrib[3];\nEND");
    EQUAL(load_text(VERTEX, 0, text), -1);
    glGetProgramivARB(VERTEX, GL_PROGRAM_ATTRIBS_ARB, &count);
    EQUAL(count, limit);
    ERROR(GL_NO_ERROR);
    sprintf(end, "%sMOV result.position, a0;\nEND", more);
    EQUAL(load_text(VERTEX, 0, text), (GLint)(end - text + strcspn(more, "=") + 2));
    ERROR(GL_INVALID_OPERATION);
    /* More attributes than are generic. */
    limit = limit_of(FRAGMENT, OF_PROGRAM, GL_MAX_PROGRAM_ATTRIBS_ARB);
    GLint generic = limit_of(FRAGMENT, OF_PROGRAM, GL_MAX_PROGRAM_GENERIC_ATTRIBS_NV);
    end = text + sprintf(text, "!!NVfp4.0\nTEMP r;\nMOV r, fragment.texcoord[0].x;\n");
    for (GLint n = 0; n < generic; n++) end += sprintf(end, "ADD r.x, r, fragment.attrib[%d].x;\n", n);
    sprintf(end, "ADD r.y, r, fragment.position.x;\nMOV result.color, r;\nEND");
    EQUAL(load_text(FRAGMENT, 0, text), -1);
    glGetProgramivARB(FRAGMENT, GL_PROGRAM_ATTRIBS_ARB, &count);
    EQUAL(count, generic + 2);
    CHECK(count <= limit, "%d attributes of %d", count, limit);
    ERROR(GL_NO_ERROR);
}

/* Limits of counts are errors at the last declaration, or else at the end of the program: at the last character `at`. */
static void of_counts(void) {
    static const struct {
        GLenum target, limit;
        GLint first;
        char at;
        const char *head, *line, *tail;
    } counts[] = {{VERTEX, GL_MAX_PROGRAM_ADDRESS_REGISTERS_ARB, 0, 'a', VERTEX_3, "ADDRESS a@;\n", "END"},
                  {VERTEX, GL_MAX_PROGRAM_PARAMETERS_ARB, 1, '\0', "!!NVvp4.0\nTEMP r;\nMOV r, 0;\n", "ADD r, r, @;\n", "MOV result.position, r;\nEND"},
                  {FRAGMENT, GL_MAX_PROGRAM_PARAMETERS_ARB, 1, '\0', "!!NVfp4.0\nTEMP r;\nMOV r, 0;\n", "ADD r, r, @;\n", "MOV result.color, r;\nEND"}};
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        GLint limit = limit_of(counts[i].target, OF_PROGRAM, counts[i].limit);
        for (GLint count = limit; count <= limit + 1; count++) {
            char *text = new_text(counts[i].head, counts[i].line, count), *end = append(text, counts[i].head, 0);
            for (GLint n = counts[i].first; n < count; n++) end = append(end, counts[i].line, n);
            append(end, counts[i].tail, 0);
            expect_position(counts[i].target, 0, text, count <= limit ? -1 : (GLint)(strrchr(text, counts[i].at) - text));
            free(text);
        }
    }
}

/* Temporaries of each type of programs, all of which a program declares. */
static void of_temporaries(void) {
    static const struct {
        GLenum target;
        const char *head, *tail;
    } temporaries[] = {{VERTEX, VERTEX_3, "MOV t0, 1;\nEND"}, {FRAGMENT, FRAGMENT_2, "MOV t0, 1;\nEND"}, {GEOMETRY, GEOMETRY_4, "MOV t0, 1;\nEMIT;\nEND"}};
    for (unsigned i = 0; i < sizeof temporaries / sizeof *temporaries; i++) {
        GLenum target = temporaries[i].target;
        GLint limit = limit_of(target, OF_PROGRAM, GL_MAX_PROGRAM_TEMPORARIES_ARB);
        char *text = new_text(temporaries[i].head, "", limit + 2), *end = append(text, temporaries[i].head, 0);
        for (GLint n = 0; n < limit; n++) end = append(end, "TEMP t@;\n", n);
        append(end, temporaries[i].tail, 0);
        expect_position(target, 0, text, -1);
        end = append(end, "TEMP t@;\n", limit);
        append(end, temporaries[i].tail, 0);
        expect_failure(target, text);
        free(text);
    }
}

int main(void) {
    static const GLenum targets[] = {VERTEX, FRAGMENT, GEOMETRY, CONTROL, EVALUATION, COMPUTE};
    GLuint names[sizeof targets / sizeof *targets + 1];
    start();
    use_context(open_context(NULL));
    glGenProgramsARB(sizeof names / sizeof *names, names);
    for (unsigned i = 0; i < sizeof targets / sizeof *targets; i++) glBindProgramARB(targets[i], names[i]);
    of_numbers(names[sizeof targets / sizeof *targets]);
    of_sizes();
    of_texel_offsets();
    of_components();
    of_instructions();
    of_native_limits();
    of_temporaries();
    of_vertex_textures();
    of_blocks();
    of_calls();
    of_types();
    of_attributes();
    of_counts();
    return finish();
}
