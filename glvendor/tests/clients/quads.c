/* Quadrilaterals and polygons before a geometry program for triangles, in all the ways that draw them: NV_geometry_program4 section 2.14.6.1 and issue 17. */
#include "client.h"

static const char PASS[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.color;\nEND";
static const char MOVED[] = "!!NVvp4.0\nTEMP a;\nI2F a.x, vertex.instance.x;\nADD result.position.x, vertex.position.x, a.x;\n"
                            "MOV result.position.yzw, vertex.position;\nMOV result.color, vertex.color;\nEND";
/* Green says which primitive it is, blue how many vertices it has, red whether it turns to the left; each adds 0.2 to what is there. */
#define GEOMETRY(header, color)                                                                                        \
    header "PRIMITIVE_IN TRIANGLES;\nPRIMITIVE_OUT TRIANGLE_STRIP;\nVERTICES_OUT 3;\n"                                  \
           "ATTRIB p = vertex.position;\nTEMP n, a, b, c;\nSUB a, p[1], p[0];\nSUB b, p[2], p[0];\nMUL a, a.xyxy, b.yxyx;\n" \
           "SUB a.x, a, a.y;\nSSG c.x, a;\nMUL c.x, c, 0.2;\nI2F c.y, primitive.id.x;\nMUL c.y, c, 0.2;\nMOV c.z, 0.6;\nMOV c.w, 0.2;\n" color \
           "MOV.S n, 0;\nREP.S 3;\nMOV result.position, p[n.x];\nMOV result.color, c;\nEMIT;\nADD.S n, n, 1;\nENDREP;\nEND"
static const float TWO[8][2] = {{-1, -1}, {0, -1}, {0, 1}, {-1, 1}, {0, -1}, {0, 1}, {1, 1}, {1, -1}};
static const float STRIP[6][2] = {{-1, -1}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 1}};
static const float FIVE[5][2] = {{-1, -1}, {1, -1}, {1, 0}, {0, 1}, {-1, 1}};

/* Draws with the sum of all that is drawn, which shows whether triangles overlap; corners of both triangles of both halves. */
#define SUM(call)                                                                                                      \
    do {                                                                                                               \
        glColorMask(1, 1, 1, 1);                                                                                       \
        glClearColor(0, 0, 0, 0);                                                                                      \
        glClear(GL_COLOR_BUFFER_BIT);                                                                                  \
        call;                                                                                                          \
    } while (0)
#define LEFT(...) (PIXEL(1, 5, __VA_ARGS__), PIXEL(6, 2, __VA_ARGS__), PIXEL(1, 13, __VA_ARGS__), PIXEL(6, 14, __VA_ARGS__))
#define RIGHT(...) (PIXEL(9, 5, __VA_ARGS__), PIXEL(14, 2, __VA_ARGS__), PIXEL(9, 13, __VA_ARGS__), PIXEL(14, 14, __VA_ARGS__))

static void check_two(void) {
    LEFT(0.2f, 0, 0.6f, 0.2f);
    /* The second one turns to the right: its red is less than nothing. */
    RIGHT(0, 0.2f, 0.6f, 0.2f);
    ERROR(GL_NO_ERROR);
}

static void send(const float (*corners)[2], int count) {
    for (int i = 0; i < count; i++) glVertex2fv(corners[i]);
}

static void arrays(void) {
    static const GLushort order[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const GLint firsts[] = {0, 4};
    static const GLsizei counts[] = {4, 4};
    static const void *const orders[] = {order, order + 4};
    glVertexPointer(2, GL_FLOAT, 0, TWO);
    glEnableClientState(GL_VERTEX_ARRAY);
    SUM(glDrawArrays(GL_QUADS, 0, 8));
    check_two();
    /* Vertices that are left over make nothing. */
    SUM(glDrawArrays(GL_QUADS, 0, 7));
    LEFT(0.2f, 0, 0.6f, 0.2f);
    RIGHT(0, 0, 0, 0);
    SUM(glDrawElements(GL_QUADS, 8, GL_UNSIGNED_SHORT, order)); check_two();
    SUM(glDrawRangeElements(GL_QUADS, 0, 7, 8, GL_UNSIGNED_SHORT, order)); check_two();
    /* llvmpipe goes on counting in the next of several draws, so that green is left out. */
    SUM(glColorMask(1, 0, 1, 1); glMultiDrawArrays(GL_QUADS, firsts, counts, 2));
    RIGHT(0, 0, 0.6f, 0.2f);
    SUM(glColorMask(1, 0, 1, 1); glMultiDrawElements(GL_QUADS, counts, GL_UNSIGNED_SHORT, orders, 2));
    RIGHT(0, 0, 0.6f, 0.2f);
    SUM(glDrawElementsBaseVertex(GL_QUADS, 4, GL_UNSIGNED_SHORT, order, 4));
    LEFT(0, 0, 0, 0);
    RIGHT(0, 0, 0.6f, 0.2f);
    load(GL_VERTEX_PROGRAM_ARB, MOVED);
    SUM(glDrawArraysInstanced(GL_QUADS, 0, 4, 2));
    LEFT(0.2f, 0, 0.6f, 0.2f);
    RIGHT(0.2f, 0, 0.6f, 0.2f);
    load(GL_VERTEX_PROGRAM_ARB, PASS);
    glVertexPointer(2, GL_FLOAT, 0, STRIP);
    SUM(glDrawArrays(GL_QUAD_STRIP, 0, 6));
    LEFT(0, 0, 0.6f, 0.2f);
    RIGHT(0, 0.2f, 0.6f, 0.2f);
    glVertexPointer(2, GL_FLOAT, 0, FIVE);
    SUM(glDrawArrays(GL_POLYGON, 0, 5));
    LEFT(0.2f, 0, 0.6f, 0.2f);
    PIXEL(14, 6, 0.2f, 0, 0.6f, 0.2f);
    PIXEL(14, 14, 0, 0, 0, 0);
    glDisableClientState(GL_VERTEX_ARRAY);
}

static void immediate_mode(void) {
    SUM(glBegin(GL_QUADS); send(TWO, 8); glEnd()); check_two();
    /* Triangles in between are what they were. */
    SUM(glBegin(GL_TRIANGLES); send(TWO, 3); glEnd());
    PIXEL(6, 2, 0.2f, 0, 0.6f, 0.2f);
    PIXEL(1, 13, 0, 0, 0, 0);
    SUM(glBegin(GL_QUAD_STRIP); send(STRIP, 6); glEnd());
    RIGHT(0, 0.2f, 0.6f, 0.2f);
    SUM(glRectf(-1, -1, 0, 1); glRectsv((const GLshort[]){1, -1}, (const GLshort[]){0, 1}));
    LEFT(0.2f, 0, 0.6f, 0.2f);
    RIGHT(0, 0, 0.6f, 0.2f);
    SUM(glBegin(GL_POLYGON); send(FIVE, 5); glEnd());
    PIXEL(14, 6, 0.2f, 0, 0.6f, 0.2f);
    PIXEL(1, 14, 0.2f, 0, 0.6f, 0.2f);
}

static void lists(void) {
    GLuint list = glGenLists(2);
    glNewList(list, GL_COMPILE);
    glBegin(GL_QUADS); send(TWO, 4); glEnd();
    glBegin(GL_QUADS); send(TWO + 4, 4); glEnd();
    glBegin(GL_TRIANGLES); send(TWO, 3); glEnd();
    glEndList();
    SUM(glColorMask(1, 0, 1, 1); glCallList(list));
    PIXEL(6, 2, 0.4f, 0, 1, 0.4f);
    PIXEL(1, 13, 0.2f, 0, 0.6f, 0.2f);
    RIGHT(0, 0, 0.6f, 0.2f);
    glVertexPointer(2, GL_FLOAT, 0, TWO);
    glEnableClientState(GL_VERTEX_ARRAY);
    glDisable(GL_GEOMETRY_PROGRAM_NV);
    glNewList(list + 1, GL_COMPILE);
    glEnable(GL_GEOMETRY_PROGRAM_NV);
    glDrawArrays(GL_QUADS, 0, 8);
    glEndList();
    glDisableClientState(GL_VERTEX_ARRAY);
    SUM(glCallList(list + 1)); check_two();
    glNewList(list, GL_COMPILE);
    glRecti(-1, -1, 0, 1);
    glEndList();
    SUM(glCallList(list));
    LEFT(0.2f, 0, 0.6f, 0.2f);
    glDeleteLists(list, 2);
}

static void errors(void) {
    /* What the program does not take is an error: NV_geometry_program4, "Errors". */
    load(GL_GEOMETRY_PROGRAM_NV, "!!NVgp4.0\nPRIMITIVE_IN LINES_ADJACENCY;\nPRIMITIVE_OUT POINTS;\nVERTICES_OUT 1;\n"
                                 "MOV result.position, vertex[0].position;\nEMIT;\nEND");
    glBegin(GL_QUADS);
    glEnd();
    glGetError();
    glVertexPointer(2, GL_FLOAT, 0, TWO);
    glEnableClientState(GL_VERTEX_ARRAY);
    ERROR(GL_NO_ERROR);
    glDrawArrays(GL_QUADS, 0, 8);
    ERROR(GL_INVALID_OPERATION);
    glDisableClientState(GL_VERTEX_ARRAY);
}

int main(void) {
    start();
    use_context(open_context(0));
    load(GL_VERTEX_PROGRAM_ARB, PASS);
    load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    load(GL_GEOMETRY_PROGRAM_NV, GEOMETRY("!!NVgp4.0\n", ""));
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    glEnable(GL_GEOMETRY_PROGRAM_NV);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    arrays();
    immediate_mode();
    lists();
    /* Two invocations for each triangle, the second of which adds nothing but alpha. */
    load(GL_GEOMETRY_PROGRAM_NV, GEOMETRY("!!NVgp5.0\nINVOCATIONS 2;\n", "I2F a.x, primitive.invocation.x;\nSUB a.x, 1, a;\nMUL c.xyz, c, a.x;\n"));
    SUM(glBegin(GL_QUADS); send(TWO, 8); glEnd());
    LEFT(0.2f, 0, 0.6f, 0.4f);
    RIGHT(0, 0.2f, 0.6f, 0.4f);
    errors();
    return finish();
}
