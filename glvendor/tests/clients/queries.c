/* What the queries answer. */
#include "client.h"

static const char TEXT[] = "!!NVvp4.0\nPARAM p[3] = { program.local[0..2] };\nTEMP a, b;\nADD a, vertex.position, p[1];\nMUL b, a, vertex.color;\n"
                           "MOV result.position, vertex.position;\nMOV result.color, b;\nEND";

static GLint value_of(GLenum target, GLenum name) {
    GLint value = -77;
    glGetProgramivARB(target, name, &value);
    return value;
}

static void of_programs(void) {
    enum { TARGET = GL_VERTEX_PROGRAM_ARB };
    EQUAL(value_of(TARGET, GL_PROGRAM_BINDING_ARB), 0);
    GLuint name = load(TARGET, TEXT);
    EQUAL(value_of(TARGET, GL_PROGRAM_BINDING_ARB), name);
    EQUAL(value_of(TARGET, GL_PROGRAM_LENGTH_ARB), sizeof TEXT - 1);
    EQUAL(value_of(TARGET, GL_PROGRAM_FORMAT_ARB), GL_PROGRAM_FORMAT_ASCII_ARB);
    char text[sizeof TEXT + 4];
    memset(text, '?', sizeof text);
    glGetProgramStringARB(TARGET, GL_PROGRAM_STRING_ARB, text);
    /* No zero follows (ARB_vertex_program, section 6.1.12). */
    CHECK(!memcmp(text, TEXT, sizeof TEXT - 1) && text[sizeof TEXT - 1] == '?');
    EQUAL(value_of(TARGET, GL_PROGRAM_INSTRUCTIONS_ARB), 4);
    EQUAL(value_of(TARGET, GL_PROGRAM_TEMPORARIES_ARB), 2);
    EQUAL(value_of(TARGET, GL_PROGRAM_PARAMETERS_ARB), 3);
    EQUAL(value_of(TARGET, GL_PROGRAM_ATTRIBS_ARB), 2);
    EQUAL(value_of(TARGET, GL_PROGRAM_ADDRESS_REGISTERS_ARB), 0);
    EQUAL(value_of(TARGET, GL_PROGRAM_UNDER_NATIVE_LIMITS_ARB), 1);
    /* Least values: ARB_vertex_program table X.13, NV_gpu_program4. */
    static const struct {
        GLenum name;
        GLint least;
    } limits[] = {{GL_MAX_PROGRAM_INSTRUCTIONS_ARB, 128},        {GL_MAX_PROGRAM_NATIVE_INSTRUCTIONS_ARB, 0},
                  {GL_MAX_PROGRAM_TEMPORARIES_ARB, 12},          {GL_MAX_PROGRAM_NATIVE_TEMPORARIES_ARB, 0},
                  {GL_MAX_PROGRAM_PARAMETERS_ARB, 96},           {GL_MAX_PROGRAM_NATIVE_PARAMETERS_ARB, 0},
                  {GL_MAX_PROGRAM_ATTRIBS_ARB, 16},              {GL_MAX_PROGRAM_NATIVE_ATTRIBS_ARB, 0},
                  {GL_MAX_PROGRAM_ADDRESS_REGISTERS_ARB, 1},     {GL_MAX_PROGRAM_NATIVE_ADDRESS_REGISTERS_ARB, 0},
                  {GL_MAX_PROGRAM_LOCAL_PARAMETERS_ARB, 96},     {GL_MAX_PROGRAM_ENV_PARAMETERS_ARB, 96},
                  {GL_MAX_PROGRAM_ATTRIB_COMPONENTS_NV, 60},     {GL_MAX_PROGRAM_RESULT_COMPONENTS_NV, 60}};
    for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
        GLint limit = value_of(TARGET, limits[i].name);
        CHECK(limit >= limits[i].least, "limit 0x%04x is %d", limits[i].name, limit);
    }
    for (GLenum it = GL_PROGRAM_NATIVE_INSTRUCTIONS_ARB; it < GL_MAX_PROGRAM_NATIVE_ADDRESS_REGISTERS_ARB; it += 4)
        CHECK(value_of(TARGET, it) >= 0, "0x%04x is not answered", it);
    ERROR(GL_NO_ERROR);
    EQUAL(glIsProgramARB(name), 1);
    EQUAL(glIsProgramARB(name + 100), 0);
    EQUAL(glIsProgramARB(0), 0);
    /* A name that was never bound is no program yet (ARB_vertex_program section 6.1.12). */
    GLuint unbound;
    glGenProgramsARB(1, &unbound);
    EQUAL(glIsProgramARB(unbound), 0);
    glBindProgramARB(TARGET, unbound);
    EQUAL(glIsProgramARB(unbound), 1);
    EQUAL(value_of(TARGET, GL_PROGRAM_LENGTH_ARB), 0);
    glBindProgramARB(TARGET, name);
    glDeleteProgramsARB(1, &unbound);
    EQUAL(glIsProgramARB(unbound), 0);
    ERROR(GL_NO_ERROR);
}

/* EXT_direct_state_access: the same answers as when the program is bound, whoever runs it. */
static void of_named_programs(void) {
    enum { TARGET = GL_FRAGMENT_PROGRAM_ARB };
    static const char long_text[] = "!!ARBfp1.0\nTEMP a, b;\nTEX a, fragment.texcoord[0], texture[0], 2D;\nADD b, a, {0.5}.x;\nMUL b, b, a;\n"
                                    "MAD_SAT result.color, a, b, program.local[3];\nEND";
    GLuint named = load(TARGET, long_text), bound = load(TARGET, "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND");
    for (GLenum it = GL_PROGRAM_LENGTH_ARB; it <= GL_PROGRAM_UNDER_NATIVE_LIMITS_ARB; it++) {
        bool is_count = it >= GL_PROGRAM_INSTRUCTIONS_ARB && it <= GL_MAX_PROGRAM_NATIVE_PARAMETERS_ARB;
        if (!is_count && it != GL_PROGRAM_LENGTH_ARB && it != GL_PROGRAM_UNDER_NATIVE_LIMITS_ARB) continue;
        GLint value = -77;
        glGetNamedProgramivEXT(named, TARGET, it, &value);
        glBindProgramARB(TARGET, named);
        CHECK(value == value_of(TARGET, it), "0x%04x is %d, and %d when it is bound", it, value, value_of(TARGET, it));
        glBindProgramARB(TARGET, bound);
    }
    glDeleteProgramsARB(1, &named);
    glDeleteProgramsARB(1, &bound);
    ERROR(GL_NO_ERROR);
}

static void of_fragment_programs(void) {
    static const char text[] = "!!NVfp4.0\nTEMP a;\nTEX a, fragment.texcoord[0], texture[0], 2D;\nTXP a, a, texture[1], 2D;\n"
                               "MUL result.color, a, fragment.color;\nEND";
    enum { TARGET = GL_FRAGMENT_PROGRAM_ARB };
    load(TARGET, text);
    EQUAL(value_of(TARGET, GL_PROGRAM_INSTRUCTIONS_ARB), 3);
    EQUAL(value_of(TARGET, GL_PROGRAM_ALU_INSTRUCTIONS_ARB), 1);
    EQUAL(value_of(TARGET, GL_PROGRAM_TEX_INSTRUCTIONS_ARB), 2);
    EQUAL(value_of(TARGET, GL_PROGRAM_TEX_INDIRECTIONS_ARB), 2);
    CHECK(value_of(TARGET, GL_MAX_PROGRAM_ALU_INSTRUCTIONS_ARB) >= 48);
    CHECK(value_of(TARGET, GL_MAX_PROGRAM_TEX_INSTRUCTIONS_ARB) >= 24);
    CHECK(value_of(TARGET, GL_MAX_PROGRAM_TEX_INDIRECTIONS_ARB) >= 4);
    for (GLenum it = GL_PROGRAM_NATIVE_ALU_INSTRUCTIONS_ARB; it <= GL_PROGRAM_NATIVE_TEX_INDIRECTIONS_ARB; it++)
        CHECK(value_of(TARGET, it) >= 0);
    /* NV_fragment_program2: executed instructions, depths of calls, conditions, loops, and the count of loops. */
    CHECK(value_of(TARGET, GL_MAX_PROGRAM_EXEC_INSTRUCTIONS_NV) >= 65536);
    CHECK(value_of(TARGET, GL_MAX_PROGRAM_CALL_DEPTH_NV) >= 4);
    CHECK(value_of(TARGET, GL_MAX_PROGRAM_IF_DEPTH_NV) >= 48);
    CHECK(value_of(TARGET, GL_MAX_PROGRAM_LOOP_DEPTH_NV) >= 4);
    CHECK(value_of(TARGET, GL_MAX_PROGRAM_LOOP_COUNT_NV) >= 255);
    GLint value = 0;
    glGetIntegerv(GL_MAX_TEXTURE_COORDS_ARB, &value);
    CHECK(value >= 2);
    glGetIntegerv(GL_MAX_TEXTURE_IMAGE_UNITS_ARB, &value);
    CHECK(value >= 2);
    ERROR(GL_NO_ERROR);
}

static void of_geometry_programs(void) {
    /* NV_geometry_program4: least values of the limits. */
    CHECK(value_of(GL_GEOMETRY_PROGRAM_NV, GL_MAX_PROGRAM_OUTPUT_VERTICES_NV) >= 256);
    CHECK(value_of(GL_GEOMETRY_PROGRAM_NV, GL_MAX_PROGRAM_TOTAL_OUTPUT_COMPONENTS_NV) >= 1024);
    ERROR(GL_NO_ERROR);
    value_of(GL_VERTEX_PROGRAM_ARB, GL_MAX_PROGRAM_OUTPUT_VERTICES_NV);
    ERROR(GL_INVALID_ENUM);
}

static void of_errors(void) {
    static const char bad[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, nothing;\nEND";
    GLint position;
    glProgramStringARB(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, sizeof bad - 1, bad);
    ERROR(GL_INVALID_OPERATION);
    glGetIntegerv(GL_PROGRAM_ERROR_POSITION_ARB, &position);
    EQUAL(position, strstr(bad, "nothing") - bad);
    const char *said = (const char *)glGetString(GL_PROGRAM_ERROR_STRING_ARB);
    CHECK(said && strstr(said, "nothing"), "%s", said ? said : "no text");
    float number;
    glGetFloatv(GL_PROGRAM_ERROR_POSITION_ARB, &number);
    CHECK(number == (float)position);
    /* The program that failed to load is the old one still. */
    EQUAL(value_of(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_LENGTH_ARB), sizeof TEXT - 1);
    glProgramStringARB(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, sizeof TEXT - 1, TEXT);
    glGetIntegerv(GL_PROGRAM_ERROR_POSITION_ARB, &position);
    EQUAL(position, -1);
    said = (const char *)glGetString(GL_PROGRAM_ERROR_STRING_ARB);
    CHECK(said && !*said, "a program that loads leaves an empty text");
    ERROR(GL_NO_ERROR);
}

static void of_nv_programs(void) {
    static const char text[] = "!!VP1.0\nMOV o[HPOS], v[OPOS];\nEND", state[] = "!!VSP1.0\nMOV c[0], v[0];\nEND";
    GLuint name = load_nv(GL_VERTEX_PROGRAM_NV, text), other;
    GLint value = -77;
    glGetIntegerv(GL_VERTEX_PROGRAM_BINDING_NV, &value);
    EQUAL(value, name);
    glGetProgramivNV(name, GL_PROGRAM_TARGET_NV, &value);
    EQUAL(value, GL_VERTEX_PROGRAM_NV);
    glGetProgramivNV(name, GL_PROGRAM_LENGTH_NV, &value);
    EQUAL(value, sizeof text - 1);
    glGetProgramivNV(name, GL_PROGRAM_RESIDENT_NV, &value);
    EQUAL(value, 1);
    GLubyte read[sizeof text];
    glGetProgramStringNV(name, GL_PROGRAM_STRING_NV, read);
    CHECK(!memcmp(read, text, sizeof text - 1));
    glGenProgramsNV(1, &other);
    EQUAL(glIsProgramNV(other), 0);
    glLoadProgramNV(GL_VERTEX_STATE_PROGRAM_NV, other, sizeof state - 1, (const GLubyte *)state);
    EQUAL(glIsProgramNV(other), 1);
    glGetProgramivNV(other, GL_PROGRAM_TARGET_NV, &value);
    EQUAL(value, GL_VERTEX_STATE_PROGRAM_NV);
    GLboolean are_resident[2] = {7, 7};
    GLuint names[2] = {name, other};
    glRequestResidentProgramsNV(2, names);
    EQUAL(glAreProgramsResidentNV(2, names, are_resident), 1);
    glGetIntegerv(GL_MAX_TRACK_MATRICES_NV, &value);
    CHECK(value >= 8);
    glGetIntegerv(GL_MAX_TRACK_MATRIX_STACK_DEPTH_NV, &value);
    CHECK(value >= 1);
    glMatrixMode(GL_MATRIX0_NV + 2);
    glGetIntegerv(GL_MATRIX_MODE, &value);
    EQUAL(value, GL_MATRIX0_NV + 2);
    glGetIntegerv(GL_CURRENT_MATRIX_STACK_DEPTH_NV, &value);
    EQUAL(value, 1);
    float matrix[16];
    glTranslatef(3, 4, 5);
    glGetFloatv(GL_CURRENT_MATRIX_NV, matrix);
    CHECK(matrix[12] == 3 && matrix[13] == 4 && matrix[14] == 5 && matrix[15] == 1);
    glMatrixMode(GL_MODELVIEW);
    EQUAL(glIsEnabled(GL_VERTEX_PROGRAM_NV), 0);
    glEnable(GL_VERTEX_PROGRAM_NV);
    EQUAL(glIsEnabled(GL_VERTEX_PROGRAM_NV), 1);
    GLboolean is_on = 7;
    glGetBooleanv(GL_VERTEX_PROGRAM_NV, &is_on);
    EQUAL(is_on, 1);
    glDisable(GL_VERTEX_PROGRAM_NV);
    glEnable(GL_VERTEX_PROGRAM_TWO_SIDE_NV);
    EQUAL(glIsEnabled(GL_VERTEX_PROGRAM_TWO_SIDE_NV), 1);
    glDisable(GL_VERTEX_PROGRAM_TWO_SIDE_NV);
    glEnable(GL_VERTEX_PROGRAM_POINT_SIZE_NV);
    EQUAL(glIsEnabled(GL_VERTEX_PROGRAM_POINT_SIZE_NV), 1);
    glDisable(GL_VERTEX_PROGRAM_POINT_SIZE_NV);
    ERROR(GL_NO_ERROR);
}

static void of_attributes(void) {
    float value[4];
    double wide[4];
    GLint integer = -77;
    glVertexAttrib4fNV(6, 0.5f, 1, 2, 4);
    glGetVertexAttribfvNV(6, GL_CURRENT_ATTRIB_NV, value);
    VECTOR(value, 0.5f, 1, 2, 4);
    glGetVertexAttribdvNV(6, GL_CURRENT_ATTRIB_NV, wide);
    CHECK(wide[0] == 0.5 && wide[3] == 4);
    glGetVertexAttribfvARB(6, GL_CURRENT_VERTEX_ATTRIB_ARB, value);
    VECTOR(value, 0.5f, 1, 2, 4);
    /* What glColor has set is what attribute 3 has. */
    glColor4f(0.25f, 0.5f, 0.75f, 1);
    glGetVertexAttribfvNV(3, GL_CURRENT_ATTRIB_NV, value);
    VECTOR(value, 0.25f, 0.5f, 0.75f, 1);
    static const short data[8];
    glVertexAttribPointerNV(4, 3, GL_SHORT, 12, data);
    glGetVertexAttribivNV(4, GL_ATTRIB_ARRAY_SIZE_NV, &integer);
    EQUAL(integer, 3);
    glGetVertexAttribivNV(4, GL_ATTRIB_ARRAY_STRIDE_NV, &integer);
    EQUAL(integer, 12);
    glGetVertexAttribivNV(4, GL_ATTRIB_ARRAY_TYPE_NV, &integer);
    EQUAL(integer, GL_SHORT);
    void *pointer = 0;
    glGetVertexAttribPointervNV(4, GL_ATTRIB_ARRAY_POINTER_NV, &pointer);
    CHECK(pointer == data);
    EQUAL(glIsEnabled(GL_VERTEX_ATTRIB_ARRAY0_NV + 4), 0);
    glEnableClientState(GL_VERTEX_ATTRIB_ARRAY0_NV + 4);
    EQUAL(glIsEnabled(GL_VERTEX_ATTRIB_ARRAY0_NV + 4), 1);
    glDisableClientState(GL_VERTEX_ATTRIB_ARRAY0_NV + 4);
    ERROR(GL_NO_ERROR);
}

/* Each name stands alone in the list, and by its number. */
static void of_extensions(void) {
    static const char *const names[] = {
        "GL_NV_vertex_program",  "GL_NV_vertex_program1_1",   "GL_NV_vertex_program2",  "GL_NV_vertex_program2_option",
        "GL_NV_vertex_program3", "GL_NV_fragment_program",    "GL_NV_fragment_program2", "GL_NV_fragment_program_option",
        "GL_NV_gpu_program4",    "GL_EXT_gpu_program_parameters", "GL_ARB_vertex_program", "GL_ARB_fragment_program"};
    const char *all = (const char *)glGetString(GL_EXTENSIONS);
    GLint count = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        char spaced[80];
        snprintf(spaced, sizeof spaced, "%s ", names[i]);
        CHECK(strstr(all, spaced), "%s", names[i]);
        int found = 0;
        for (GLint k = 0; k < count; k++) found += !strcmp((const char *)glGetStringi(GL_EXTENSIONS, (GLuint)k), names[i]);
        EQUAL(found, 1);
    }
    glGetStringi(GL_EXTENSIONS, (GLuint)count);
    ERROR(GL_INVALID_VALUE);
}

int main(void) {
    start();
    use_context(open_context(0));
    of_programs();
    of_named_programs();
    of_fragment_programs();
    of_geometry_programs();
    of_errors();
    of_nv_programs();
    of_attributes();
    of_extensions();
    return finish();
}
