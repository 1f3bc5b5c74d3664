/* Selection and feedback see vertices where vertex programs put them: GL 2.1 sections 5.2 and 5.3. */
#include "client.h"

static const char MOVED[] = "!!NVvp4.0\nADD result.position, vertex.position, {-4, 0, 0.5, 0};\nMOV result.color, vertex.color;\nEND";

static void triangle(float x, float z) {
    glBegin(GL_TRIANGLES);
    glVertex3f(x, 0, z);
    glVertex3f(x + 0.5f, 0, z);
    glVertex3f(x, 0.5f, z);
    glEnd();
}

static void selection(void) {
    GLuint hits[16];
    glSelectBuffer(16, hits);
    glRenderMode(GL_SELECT);
    glInitNames();
    glPushName(1);
    triangle(0, 0);
    glLoadName(2);
    triangle(4, -0.5f);
    glLoadName(3);
    triangle(4, 4);
    glLoadName(4);
    glRasterPos3f(4, 0, 0);
    glLoadName(5);
    glRasterPos3f(0, 0, 0);
    glPopName();
    EQUAL(glRenderMode(GL_RENDER), 2);
    EQUAL(hits[0], 1);
    EQUAL(hits[3], 2);
    /* Depths from 0 to 2^32 - 1: half of that. */
    CHECK(hits[1] > 0x7FFFFF00 && hits[1] < 0x80000100, "%x", hits[1]);
    EQUAL(hits[4], 1);
    EQUAL(hits[7], 4);
    ERROR(GL_NO_ERROR);
}

static void feedback(void) {
    float found[32] = {0};
    glFeedbackBuffer(32, 0x0601 /* GL_3D */, found);
    glRenderMode(GL_FEEDBACK);
    glBegin(GL_POINTS);
    glVertex3f(4.5f, -0.5f, 0);
    glVertex3f(0, 0, 0);
    glEnd();
    glPassThrough(7);
    glRasterPos3f(4, 0, 0);
    glDrawPixels(1, 1, GL_RGBA, GL_UNSIGNED_BYTE, (const GLubyte[]){1, 2, 3, 4});
    EQUAL(glRenderMode(GL_RENDER), 10);
    static const float wanted[] = {GL_POINT_TOKEN, 12, 4, 0.75f, GL_PASS_THROUGH_TOKEN, 7, GL_DRAW_PIXEL_TOKEN, 8, 8, 0.75f};
    for (int i = 0; i < 10; i++) CHECK(found[i] == wanted[i], "%d: %g, not %g", i, found[i], wanted[i]);
    ERROR(GL_NO_ERROR);
}

int main(void) {
    start();
    use_context(open_context(0));
    load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    load(GL_VERTEX_PROGRAM_ARB, MOVED);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    selection();
    feedback();
    clear();
    triangle(4, 0);
    PIXEL(9, 9, 1, 1, 1, 1);
    return finish();
}
