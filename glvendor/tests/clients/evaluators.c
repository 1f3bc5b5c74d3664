/* Evaluators of numbered attributes: NV_vertex_program section 5.1, with GL 2.1 section 5.1. */
#include "client.h"

/* The square from (-1, -1) to (1, 1), u by u, and a color of red u and green v. */
static const float SQUARE[] = {-1, -1, 0, 1, -1, 1, 0, 1, 1, -1, 0, 1, 1, 1, 0, 1};
static const float COLORS[] = {0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1};

static void bind_vertex_program(const char *color) {
    char text[200];
    snprintf(text, sizeof text, "!!VP1.0\nMOV o[HPOS], v[0];\nMOV o[COL0], %s;\nEND", color);
    load_nv(GL_VERTEX_PROGRAM_NV, text);
    glEnable(GL_VERTEX_PROGRAM_NV);
}

/* The whole square in the colors. */
static void check_square(void) {
    PIXEL(3, 10, 3.5f / 16, 10.5f / 16, 0, 1);
    PIXEL(12, 2, 12.5f / 16, 2.5f / 16, 0, 1);
    ERROR(GL_NO_ERROR);
}

static void set_maps(void) {
    glMap2f(GL_MAP2_VERTEX_ATTRIB0_4_NV, 0, 1, 8, 2, 0, 1, 4, 2, SQUARE);
    glMap2f(GL_MAP2_VERTEX_ATTRIB9_4_NV, 0, 1, 8, 2, 0, 1, 4, 2, COLORS);
}

static void enable_maps(void) {
    glEnable(GL_MAP2_VERTEX_ATTRIB0_4_NV);
    glEnable(GL_MAP2_VERTEX_ATTRIB9_4_NV);
}

static void meshes(void) {
    bind_vertex_program("v[9]");
    set_maps();
    enable_maps();
    glMapGrid2f(4, 0, 1, 3, 0, 1);
    glVertexAttrib4fNV(9, 0.2f, 0.4f, 0.6f, 1);
    clear();
    glEvalMesh2(GL_FILL, 0, 4, 0, 3);
    check_square();
    /* A part of the mesh: half of u, a third of v. */
    clear();
    glEvalMesh2(GL_FILL, 0, 2, 2, 3);
    PIXEL(3, 12, 3.5f / 16, 12.5f / 16, 0, 1);
    PIXEL(3, 9, 0.2f, 0, 0.4f, 0);
    PIXEL(9, 12, 0.2f, 0, 0.4f, 0);
    /* Points one by one, and places that are no points. */
    clear();
    glBegin(GL_QUADS);
    glEvalPoint2(0, 0);
    glEvalPoint2(4, 0);
    glEvalCoord2f(1, 1);
    glEvalCoord2dv((const double[]){0, 1});
    glEnd();
    check_square();
    /* Attributes are what they were. */
    glDisable(GL_MAP2_VERTEX_ATTRIB9_4_NV);
    clear();
    glEvalMesh2(GL_FILL, 0, 4, 0, 3);
    PIXEL(3, 10, 0.2f, 0.4f, 0.6f, 1);
    /* Without a map of the position nothing happens. */
    glDisable(GL_MAP2_VERTEX_ATTRIB0_4_NV);
    clear();
    glEvalMesh2(GL_FILL, 0, 4, 0, 3);
    PIXEL(3, 10, 0.2f, 0, 0.4f, 0);
    ERROR(GL_NO_ERROR);
}

/* Points of one dimension on the centers of the pixels of row 8, of doubles with others between them. */
static void points(void) {
    static const double row[] = {-15 / 16., 1 / 16., 0, 1, 7, 7, 15 / 16., 1 / 16., 0, 1};
    bind_vertex_program("v[1]");
    glMap1d(GL_MAP1_VERTEX_ATTRIB0_4_NV, -1, 2, 6, 2, row);
    glMap1f(GL_MAP1_VERTEX_ATTRIB1_4_NV, -1, 2, 4, 3, (const float[]){0, 0.2f, 0, 1, 0, 0.4f, 1, 1, 1, 0.6f, 0, 1});
    glEnable(GL_MAP1_VERTEX_ATTRIB0_4_NV);
    glEnable(GL_MAP1_VERTEX_ATTRIB1_4_NV);
    glMapGrid1f(15, -1, 2);
    clear();
    glEvalMesh1(GL_POINT, 0, 12);
    for (int i = 0; i < 13; i++) {
        /* The parabola of three points: t^2 of red, twice (1 - t) t of blue. */
        float t = (float)i / 15;
        PIXEL(i, 8, t * t, 0.2f + 0.4f * t, 2 * t * (1 - t), 1);
    }
    PIXEL(13, 8, 0.2f, 0, 0.4f, 0);
    PIXEL(5, 7, 0.2f, 0, 0.4f, 0);
    clear();
    glBegin(GL_POINTS);
    glEvalPoint1(13);
    glEvalCoord1f(2);
    glEnd();
    PIXEL(15, 8, 1, 0.6f, 0, 1);
    PIXEL(12, 8, 0.2f, 0, 0.4f, 0);
    /* Where the vertex program is disabled, maps of numbered attributes are not there. */
    glDisable(GL_VERTEX_PROGRAM_NV);
    clear();
    glEvalMesh1(GL_POINT, 0, 12);
    PIXEL(5, 8, 0.2f, 0, 0.4f, 0);
    glDisable(GL_MAP1_VERTEX_ATTRIB0_4_NV);
    glDisable(GL_MAP1_VERTEX_ATTRIB1_4_NV);
    ERROR(GL_NO_ERROR);
}

/* Conventional maps are those of the numbered attributes, unless these have one; the normal of a surface is attribute 2. */
static void conventional(void) {
    static const float blue[] = {0, 0, 1, 1};
    static const float corners[] = {-1, -1, 0, -1, 1, 0, 1, -1, 0, 1, 1, 0};
    bind_vertex_program("v[3]");
    glMap2f(GL_MAP2_VERTEX_3, 0, 1, 6, 2, 0, 1, 3, 2, corners);
    glMap2f(GL_MAP2_COLOR_4, 0, 1, 8, 2, 0, 1, 4, 2, COLORS);
    glEnable(GL_MAP2_VERTEX_3);
    glEnable(GL_MAP2_COLOR_4);
    clear();
    glEvalMesh2(GL_FILL, 0, 4, 0, 3);
    check_square();
    glMap2f(GL_MAP2_VERTEX_ATTRIB3_4_NV, 0, 1, 4, 1, 0, 1, 4, 1, blue);
    glEnable(GL_MAP2_VERTEX_ATTRIB3_4_NV);
    clear();
    glEvalMesh2(GL_FILL, 0, 4, 0, 3);
    PIXEL(3, 10, 0, 0, 1, 1);
    /* The driver's own evaluators go on where no program is enabled. */
    glDisable(GL_VERTEX_PROGRAM_NV);
    clear();
    glEvalMesh2(GL_FILL, 0, 4, 0, 3);
    check_square();
    glDisable(GL_MAP2_COLOR_4);
    glDisable(GL_MAP2_VERTEX_ATTRIB3_4_NV);
    /* (2, 0, 0) x (0, 2, 0), and 1. */
    bind_vertex_program("v[2]");
    load_nv(GL_FRAGMENT_PROGRAM_NV, "!!FP1.0\nMOV o[COLR], f[COL0];\nEND");
    bind_vertex_program("v[2].xxwz");
    glEnable(GL_AUTO_NORMAL);
    clear();
    glEvalMesh2(GL_FILL, 0, 4, 0, 3);
    PIXEL(3, 10, 0, 0, 1, 1);
    glDisable(GL_MAP2_VERTEX_3);
    enable_maps();
    load_nv(GL_VERTEX_PROGRAM_NV, "!!VP1.0\nMOV o[HPOS], v[0];\nMUL o[COL0], v[2], c[0];\nEND");
    glProgramParameter4fNV(GL_VERTEX_PROGRAM_NV, 0, 1, 1, 0.1f, 0.2f);
    clear();
    glEvalMesh2(GL_FILL, 0, 4, 0, 3);
    PIXEL(3, 10, 0, 0, 0.4f, 0.2f);
    glDisable(GL_AUTO_NORMAL);
    glDisable(GL_MAP2_VERTEX_ATTRIB0_4_NV);
    glDisable(GL_MAP2_VERTEX_ATTRIB9_4_NV);
    ERROR(GL_NO_ERROR);
}

/* Maps in display lists, and on the stack of attributes. */
static void lists(void) {
    bind_vertex_program("v[9]");
    GLuint list = glGenLists(1);
    glMap2f(GL_MAP2_VERTEX_ATTRIB0_4_NV, 0, 1, 4, 1, 0, 1, 4, 1, COLORS);
    glNewList(list, GL_COMPILE);
    set_maps();
    enable_maps();
    glEndList();
    EQUAL(glIsEnabled(GL_MAP2_VERTEX_ATTRIB9_4_NV), 0);
    glPushAttrib(GL_EVAL_BIT);
    glCallList(list);
    EQUAL(glIsEnabled(GL_MAP2_VERTEX_ATTRIB9_4_NV), 1);
    clear();
    glEvalMesh2(GL_FILL, 0, 4, 0, 3);
    check_square();
    glPopAttrib();
    EQUAL(glIsEnabled(GL_MAP2_VERTEX_ATTRIB9_4_NV), 0);
    enable_maps();
    glNewList(list, GL_COMPILE);
    glEvalMesh2(GL_FILL, 0, 4, 0, 3);
    glEndList();
    clear();
    glCallList(list);
    check_square();
    ERROR(GL_NO_ERROR);
}

static void answers(void) {
    float values[16] = {0};
    double doubles[4] = {0};
    GLint integers[4] = {7, 7, 7, 7};
    glGetMapiv(GL_MAP1_VERTEX_ATTRIB7_4_NV, GL_ORDER, integers);
    EQUAL(integers[0], 1);
    glGetMapfv(GL_MAP2_VERTEX_ATTRIB7_4_NV, GL_COEFF, values);
    VECTOR(values, 0, 0, 0, 1);
    glGetMapfv(GL_MAP2_VERTEX_ATTRIB7_4_NV, GL_DOMAIN, values);
    VECTOR(values, 0, 1, 0, 1);
    glMap2f(GL_MAP2_VERTEX_ATTRIB7_4_NV, 3, 4, 4, 2, 5, 7, 8, 2, SQUARE);
    glGetMapiv(GL_MAP2_VERTEX_ATTRIB7_4_NV, GL_ORDER, integers);
    EQUAL(integers[0], 2);
    EQUAL(integers[1], 2);
    EQUAL(integers[2], 7);
    glGetMapdv(GL_MAP2_VERTEX_ATTRIB7_4_NV, GL_DOMAIN, doubles);
    CHECK(doubles[0] == 3 && doubles[1] == 4 && doubles[2] == 5 && doubles[3] == 7);
    glGetMapfv(GL_MAP2_VERTEX_ATTRIB7_4_NV, GL_COEFF, values);
    VECTOR(values + 4, 1, -1, 0, 1);
    ERROR(GL_NO_ERROR);
    GLint enabled = 7;
    glGetIntegerv(GL_MAP2_VERTEX_ATTRIB0_4_NV, &enabled);
    EQUAL(enabled, 1);
    glGetMapfv(GL_MAP2_VERTEX_ATTRIB7_4_NV, GL_MAP2_VERTEX_3, values);
    ERROR(GL_INVALID_ENUM);
    glMap2f(GL_MAP2_VERTEX_ATTRIB7_4_NV, 3, 3, 4, 2, 5, 7, 8, 2, SQUARE);
    ERROR(GL_INVALID_VALUE);
    glMap2f(GL_MAP2_VERTEX_ATTRIB7_4_NV, 3, 4, 3, 2, 5, 7, 8, 2, SQUARE);
    ERROR(GL_INVALID_VALUE);
    glMap2f(GL_MAP2_VERTEX_ATTRIB7_4_NV, 3, 4, 4, 0, 5, 7, 8, 2, SQUARE);
    ERROR(GL_INVALID_VALUE);
    glMap1f(GL_MAP1_VERTEX_ATTRIB7_4_NV, 3, 4, 4, 1000, SQUARE);
    ERROR(GL_INVALID_VALUE);
    glMap1f(GL_MAP2_VERTEX_ATTRIB7_4_NV, 3, 4, 4, 2, SQUARE);
    ERROR(GL_INVALID_ENUM);
    glEvalMesh2(GL_QUADS, 0, 1, 0, 1);
    ERROR(GL_INVALID_ENUM);
    glBegin(GL_POINTS);
    glMap1f(GL_MAP1_VERTEX_ATTRIB7_4_NV, 3, 4, 4, 2, SQUARE);
    glEnd();
    ERROR(GL_INVALID_OPERATION);
}

int main(void) {
    start();
    use_context(open_context(0));
    meshes();
    points();
    conventional();
    lists();
    answers();
    return finish();
}
