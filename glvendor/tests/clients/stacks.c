/* Attribute stacks hold the enables of programs (ARB_vertex_program, table X.6: VERTEX_PROGRAM_ARB is of the group "vertex/enable"), not what
   is bound, and not the parameters. */
#include "client.h"

static const char RED[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, {1, 0, 0.2, 1};\nEND";
static const char GREEN[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, {0, 1, 0.4, 1};\nEND";
static const char READ[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.attrib[3];\nEND";

static void show(void) {
    clear();
    draw_square();
}

static void enables(GLbitfield group) {
    GLuint red = load(GL_VERTEX_PROGRAM_ARB, RED), green = load(GL_VERTEX_PROGRAM_ARB, GREEN);
    glColor4f(0.4f, 0.4f, 0.8f, 1);
    glDisable(GL_VERTEX_PROGRAM_ARB);
    glPushAttrib(group);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, red);
    show();
    PIXEL(8, 8, 1, 0, 0.2f, 1);
    glPopAttrib();
    EQUAL(glIsEnabled(GL_VERTEX_PROGRAM_ARB), 0);
    show();
    PIXEL(8, 8, 0.4f, 0.4f, 0.8f, 1);
    /* What is bound stays bound. */
    GLint bound;
    glGetProgramivARB(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_BINDING_ARB, &bound);
    EQUAL(bound, red);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    show();
    PIXEL(8, 8, 1, 0, 0.2f, 1);
    glPushAttrib(group);
    glDisable(GL_VERTEX_PROGRAM_ARB);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, green);
    show();
    PIXEL(8, 8, 0.4f, 0.4f, 0.8f, 1);
    glPopAttrib();
    EQUAL(glIsEnabled(GL_VERTEX_PROGRAM_ARB), 1);
    show();
    PIXEL(8, 8, 0, 1, 0.4f, 1);
    glDeleteProgramsARB(1, &red);
    glDeleteProgramsARB(1, &green);
    ERROR(GL_NO_ERROR);
}

static void in_lists(void) {
    GLuint green = load(GL_VERTEX_PROGRAM_ARB, GREEN), list = glGenLists(1);
    glDisable(GL_VERTEX_PROGRAM_ARB);
    glColor4f(0.6f, 0, 0.8f, 1);
    glNewList(list, GL_COMPILE);
    glClear(GL_COLOR_BUFFER_BIT);
    glPushAttrib(GL_ENABLE_BIT);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glRectf(-1, -1, 0, 1);
    glPopAttrib();
    glRectf(0, -1, 1, 1);
    glEndList();
    glCallList(list);
    PIXEL(2, 8, 0, 1, 0.4f, 1);
    PIXEL(13, 8, 0.6f, 0, 0.8f, 1);
    EQUAL(glIsEnabled(GL_VERTEX_PROGRAM_ARB), 0);
    glDeleteLists(list, 1);
    glDeleteProgramsARB(1, &green);
    ERROR(GL_NO_ERROR);
}

static void fragment_programs(void) {
    static const char text[] = "!!FP1.0\nMOV o[COLR], {0.2, 0.4, 0.6, 0.8}.xyzw;\nEND";
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    glColor4f(1, 1, 0, 1);
    load_nv(GL_FRAGMENT_PROGRAM_NV, text);
    glPushAttrib(GL_ENABLE_BIT);
    glEnable(GL_FRAGMENT_PROGRAM_NV);
    show();
    PIXEL(8, 8, 0.2f, 0.4f, 0.6f, 0.8f);
    glPopAttrib();
    EQUAL(glIsEnabled(GL_FRAGMENT_PROGRAM_NV), 0);
    show();
    PIXEL(8, 8, 1, 1, 0, 1);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    ERROR(GL_NO_ERROR);
}

static void other_state_is_seen_by_programs(void) {
    static const char text[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, state.light[1].ambient;\nEND";
    GLuint name = load(GL_VERTEX_PROGRAM_ARB, text);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glLightfv(GL_LIGHT1, GL_AMBIENT, (const float[]){0.2f, 0.2f, 0.8f, 1});
    glPushAttrib(GL_LIGHTING_BIT);
    glLightfv(GL_LIGHT1, GL_AMBIENT, (const float[]){0.8f, 0.2f, 0.2f, 1});
    show();
    PIXEL(8, 8, 0.8f, 0.2f, 0.2f, 1);
    glPopAttrib();
    show();
    PIXEL(8, 8, 0.2f, 0.2f, 0.8f, 1);
    glDeleteProgramsARB(1, &name);
    ERROR(GL_NO_ERROR);
}

static void arrays_of_clients(void) {
    static const float corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    static const GLubyte blue[4][4] = {{0, 51, 255, 255}, {0, 51, 255, 255}, {0, 51, 255, 255}, {0, 51, 255, 255}};
    static const GLubyte white[4][4] = {{255, 255, 255, 255}, {255, 255, 255, 255}, {255, 255, 255, 255}, {255, 255, 255, 255}};
    GLuint name = load(GL_VERTEX_PROGRAM_ARB, READ);
    glColor4f(1, 0.6f, 0, 1);
    glVertexPointer(2, GL_FLOAT, 0, corners);
    glEnableClientState(GL_VERTEX_ARRAY);
    glPushClientAttrib(GL_CLIENT_VERTEX_ARRAY_BIT);
    glColorPointer(4, GL_UNSIGNED_BYTE, 0, white);
    glEnableClientState(GL_COLOR_ARRAY);
    glPushClientAttrib(GL_CLIENT_VERTEX_ARRAY_BIT);
    glColorPointer(4, GL_UNSIGNED_BYTE, 0, blue);
    clear();
    glDrawArrays(GL_QUADS, 0, 4);
    PIXEL(8, 8, 0, 0.2f, 1, 1);
    glPopClientAttrib();
    clear();
    glDrawArrays(GL_QUADS, 0, 4);
    PIXEL(8, 8, 1, 1, 1, 1);
    glPopClientAttrib();
    EQUAL(glIsEnabled(GL_COLOR_ARRAY), 0);
    clear();
    glDrawArrays(GL_QUADS, 0, 4);
    PIXEL(8, 8, 1, 0.6f, 0, 1);
    glPushClientAttrib(GL_CLIENT_VERTEX_ARRAY_BIT);
    glVertexAttribPointerNV(3, 4, GL_UNSIGNED_BYTE, 0, blue);
    glEnableClientState(GL_VERTEX_ATTRIB_ARRAY3_NV);
    clear();
    glDrawArrays(GL_QUADS, 0, 4);
    PIXEL(8, 8, 0, 0.2f, 1, 1);
    glPopClientAttrib();
    EQUAL(glIsEnabled(GL_VERTEX_ATTRIB_ARRAY3_NV), 0);
    clear();
    glDrawArrays(GL_QUADS, 0, 4);
    PIXEL(8, 8, 1, 0.6f, 0, 1);
    glDisableClientState(GL_VERTEX_ARRAY);
    glDeleteProgramsARB(1, &name);
    ERROR(GL_NO_ERROR);
}

int main(void) {
    start();
    use_context(open_context(0));
    load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    enables(GL_ENABLE_BIT);
    enables(GL_ALL_ATTRIB_BITS);
    in_lists();
    fragment_programs();
    other_state_is_seen_by_programs();
    arrays_of_clients();
    return finish();
}
