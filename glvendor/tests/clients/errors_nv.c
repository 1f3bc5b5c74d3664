/* Errors that NV_vertex_program and NV_fragment_program list (sections "Errors"). A command that fails changes nothing. */
#include "client.h"

enum { VERTEX = GL_VERTEX_PROGRAM_NV, STATE = GL_VERTEX_STATE_PROGRAM_NV, FRAGMENT = GL_FRAGMENT_PROGRAM_NV, NO_TARGET = GL_TEXTURE_2D };

#define CALL_FAILS(error, call) call; ERROR(error)
#define VALUE(call) CALL_FAILS(GL_INVALID_VALUE, call)
#define OPERATION(call) CALL_FAILS(GL_INVALID_OPERATION, call)
#define ENUM(call) CALL_FAILS(GL_INVALID_ENUM, call)

static const char GOOD[] = "!!VP1.0\nMOV o[HPOS], v[OPOS];\nMOV o[COL0], c[0];\nEND";
static const char GOOD_STATE[] = "!!VSP1.0\nMOV c[40], v[0];\nEND";
static const char GOOD_FRAGMENT[] = "!!FP1.0\nDECLARE tint = 1;\nMOV o[COLR], tint;\nEND";
static const float FOUR[4] = {1, 2, 3, 4};
static GLuint vertex, state, fragment, unused;

static void load_text(GLenum target, GLuint name, const char *text) {
    glLoadProgramNV(target, name, (GLsizei)strlen(text), (const GLubyte *)text);
}

static void of_loads(void) {
    GLint position;
    VALUE(load_text(VERTEX, 0, GOOD));
    VALUE(glLoadProgramNV(VERTEX, unused, -1, (const GLubyte *)GOOD));
    ENUM(load_text(NO_TARGET, unused, GOOD));
    OPERATION(load_text(STATE, vertex, GOOD_STATE));
    OPERATION(load_text(VERTEX, fragment, GOOD));
    static const struct {
        GLenum target;
        const char *text;
    } bad[] = {{GL_VERTEX_PROGRAM_NV, "!!VP1.0\nMOV o[HPOS], v[OPOS]\nEND"},
               /* It does not write HPOS. */
               {GL_VERTEX_PROGRAM_NV, "!!VP1.0\nMOV o[COL0], v[OPOS];\nEND"},
               {GL_VERTEX_PROGRAM_NV, "!!FP1.0\nMOV o[COLR], {1};\nEND"},
               /* It writes no parameter. */
               {GL_VERTEX_STATE_PROGRAM_NV, "!!VSP1.0\nMOV R0, v[0];\nEND"},
               {GL_FRAGMENT_PROGRAM_NV, "!!FP1.0\nMOV o[NONE], f[COL0];\nEND"}};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        OPERATION(load_text(bad[i].target, unused, bad[i].text));
        glGetIntegerv(GL_PROGRAM_ERROR_POSITION_NV, &position);
        CHECK(position >= 0, "%s", bad[i].text);
        EQUAL(glIsProgramNV(unused), 0);
    }
    /* 129 instructions. */
    char many[129 * 24 + 40] = "!!VP1.0\n";
    for (int i = 0; i < 129; i++) strcat(many, "MOV o[HPOS], v[OPOS];\n");
    strcat(many, "END");
    OPERATION(load_text(VERTEX, unused, many));
    load_text(VERTEX, vertex, GOOD);
    glGetIntegerv(GL_PROGRAM_ERROR_POSITION_NV, &position);
    EQUAL(position, -1);
    ERROR(GL_NO_ERROR);
}

static void of_names(void) {
    GLint value;
    GLubyte text[80];
    GLboolean resident[2];
    OPERATION(glBindProgramNV(VERTEX, state));
    OPERATION(glBindProgramNV(VERTEX, fragment));
    OPERATION(glBindProgramNV(FRAGMENT, vertex));
    ENUM(glBindProgramNV(NO_TARGET, vertex));
    VALUE(glGenProgramsNV(-1, &unused));
    VALUE(glDeleteProgramsNV(-1, &unused));
    VALUE(glAreProgramsResidentNV(-1, &vertex, resident));
    VALUE(glRequestResidentProgramsNV(-1, &vertex));
    const GLuint zero[] = {vertex, 0}, none[] = {vertex, unused + 500};
    VALUE(glAreProgramsResidentNV(2, zero, resident));
    VALUE(glAreProgramsResidentNV(2, none, resident));
    OPERATION(glGetProgramivNV(unused + 500, GL_PROGRAM_LENGTH_NV, &value));
    OPERATION(glGetProgramStringNV(unused + 500, GL_PROGRAM_STRING_NV, text));
    ENUM(glGetProgramivNV(vertex, NO_TARGET, &value));
    ENUM(glGetProgramStringNV(vertex, NO_TARGET, text));
}

static void of_parameters(void) {
    float value[4];
    double wide[4];
    GLint integer;
    /* NV_vertex_program2 has 256 parameters where NV_vertex_program has 96. */
    VALUE(glProgramParameter4fNV(VERTEX, 256, 1, 2, 3, 4));
    VALUE(glProgramParameter4fvNV(VERTEX, 256, FOUR));
    VALUE(glProgramParameter4dNV(VERTEX, 256, 1, 2, 3, 4));
    VALUE(glProgramParameters4fvNV(VERTEX, 0, -1, FOUR));
    VALUE(glProgramParameters4fvNV(VERTEX, 256, 1, FOUR));
    VALUE(glGetProgramParameterfvNV(VERTEX, 256, GL_PROGRAM_PARAMETER_NV, value));
    VALUE(glGetProgramParameterdvNV(VERTEX, 256, GL_PROGRAM_PARAMETER_NV, wide));
    ENUM(glProgramParameter4fNV(NO_TARGET, 0, 1, 2, 3, 4));
    ENUM(glGetProgramParameterfvNV(NO_TARGET, 0, GL_PROGRAM_PARAMETER_NV, value));
    ENUM(glGetProgramParameterfvNV(VERTEX, 0, NO_TARGET, value));
    VALUE(glTrackMatrixNV(VERTEX, 5, GL_MODELVIEW, GL_IDENTITY_NV));
    VALUE(glTrackMatrixNV(VERTEX, 256, GL_MODELVIEW, GL_IDENTITY_NV));
    ENUM(glTrackMatrixNV(NO_TARGET, 4, GL_MODELVIEW, GL_IDENTITY_NV));
    ENUM(glTrackMatrixNV(VERTEX, 4, NO_TARGET, GL_IDENTITY_NV));
    ENUM(glTrackMatrixNV(VERTEX, 4, GL_MODELVIEW, NO_TARGET));
    VALUE(glGetTrackMatrixivNV(VERTEX, 5, GL_TRACK_MATRIX_NV, &integer));
    VALUE(glGetTrackMatrixivNV(VERTEX, 256, GL_TRACK_MATRIX_NV, &integer));
    ENUM(glGetTrackMatrixivNV(NO_TARGET, 4, GL_TRACK_MATRIX_NV, &integer));
    ENUM(glGetTrackMatrixivNV(VERTEX, 4, NO_TARGET, &integer));
}

static void of_executions(void) {
    OPERATION(glExecuteProgramNV(STATE, unused + 500, FOUR));
    OPERATION(glExecuteProgramNV(STATE, vertex, FOUR));
    ENUM(glExecuteProgramNV(VERTEX, state, FOUR));
    /* The program writes a parameter that a matrix is tracked in. */
    glTrackMatrixNV(VERTEX, 40, GL_MODELVIEW, GL_IDENTITY_NV);
    OPERATION(glExecuteProgramNV(STATE, state, FOUR));
    glTrackMatrixNV(VERTEX, 40, GL_NONE, GL_IDENTITY_NV);
    glExecuteProgramNV(STATE, state, FOUR);
    ERROR(GL_NO_ERROR);
}

static void of_attributes(void) {
    float value[4];
    void *pointer;
    VALUE(glVertexAttrib4fNV(16, 1, 2, 3, 4));
    VALUE(glVertexAttrib1sNV(16, 1));
    VALUE(glVertexAttribPointerNV(16, 4, GL_FLOAT, 0, FOUR));
    VALUE(glVertexAttribPointerNV(1, 0, GL_FLOAT, 0, FOUR));
    VALUE(glVertexAttribPointerNV(1, 5, GL_FLOAT, 0, FOUR));
    VALUE(glVertexAttribPointerNV(1, 4, GL_FLOAT, -1, FOUR));
    OPERATION(glVertexAttribPointerNV(1, 3, GL_UNSIGNED_BYTE, 0, FOUR));
    ENUM(glVertexAttribPointerNV(1, 4, GL_BYTE, 0, FOUR));
    VALUE(glGetVertexAttribfvNV(16, GL_CURRENT_ATTRIB_NV, value));
    VALUE(glGetVertexAttribfvNV(0, GL_CURRENT_ATTRIB_NV, value));
    VALUE(glGetVertexAttribPointervNV(16, GL_ATTRIB_ARRAY_POINTER_NV, &pointer));
    VALUE(glVertexAttribs4fvNV(1, -1, FOUR));
    ENUM(glGetVertexAttribfvNV(1, NO_TARGET, value));
}

static void of_named_parameters(void) {
    static const GLubyte tint[] = "tint", other[] = "other";
    float value[4];
    double wide[4];
    OPERATION(glProgramNamedParameter4fNV(unused + 500, 4, tint, 1, 2, 3, 4));
    OPERATION(glProgramNamedParameter4fNV(vertex, 4, tint, 1, 2, 3, 4));
    VALUE(glProgramNamedParameter4fNV(fragment, 0, tint, 1, 2, 3, 4));
    VALUE(glProgramNamedParameter4dNV(fragment, 5, other, 1, 2, 3, 4));
    VALUE(glProgramNamedParameter4fvNV(fragment, 3, tint, FOUR));
    OPERATION(glGetProgramNamedParameterfvNV(unused + 500, 4, tint, value));
    OPERATION(glGetProgramNamedParameterdvNV(vertex, 4, tint, wide));
    VALUE(glGetProgramNamedParameterfvNV(fragment, 0, tint, value));
    VALUE(glGetProgramNamedParameterfvNV(fragment, 5, other, value));
    glProgramNamedParameter4fvNV(fragment, 4, tint, FOUR);
    ERROR(GL_NO_ERROR);
}

/* Draws with a program that is not there. */
static void of_draws(void) {
    static const GLenum targets[] = {VERTEX, FRAGMENT};
    for (int i = 0; i < 2; i++) {
        glBindProgramNV(targets[i], 0);
        glEnable(targets[i]);
        OPERATION(glRectf(-1, -1, 1, 1));
        glDisable(targets[i]);
    }
    glBindProgramNV(VERTEX, vertex);
#define FORBIDDEN(call) glBegin(GL_POINTS); call; glEnd(); ERROR(GL_INVALID_OPERATION)
    FORBIDDEN(glBindProgramNV(VERTEX, vertex));
    FORBIDDEN(glExecuteProgramNV(STATE, state, FOUR));
    FORBIDDEN(glTrackMatrixNV(VERTEX, 4, GL_MODELVIEW, GL_IDENTITY_NV));
    FORBIDDEN(load_text(VERTEX, vertex, GOOD));
    FORBIDDEN(glProgramNamedParameter4fvNV(fragment, 4, (const GLubyte *)"tint", FOUR));
    /* Parameters of NV_vertex_program may change there (section 2.14.2: "ProgramParameterNV can be called within Begin/End"). */
}

int main(void) {
    start();
    use_context(open_context(0));
    vertex = load_nv(VERTEX, GOOD);
    fragment = load_nv(FRAGMENT, GOOD_FRAGMENT);
    glGenProgramsNV(1, &state);
    load_text(STATE, state, GOOD_STATE);
    glGenProgramsNV(1, &unused);
    ERROR(GL_NO_ERROR);
    of_loads();
    of_names();
    of_parameters();
    of_executions();
    of_attributes();
    of_named_parameters();
    of_draws();
    return finish();
}
