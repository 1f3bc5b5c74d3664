/* Exit handlers: those of C run when the main thread has let go of what belongs to it, and applications tidy up in them. */
#include "client.h"

#include <stdlib.h>
#include <unistd.h>

static const char GIVEN[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, program.local[0];\nEND";
static GLuint name;
static context current, other;

static void draw_with(GLuint program, float red) {
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, program);
    glProgramLocalParameter4fARB(GL_VERTEX_PROGRAM_ARB, 0, red, 0.4f, 0, 1);
    clear();
    draw_square();
    PIXEL(8, 8, red, 0.4f, 0, 1);
    ERROR(GL_NO_ERROR);
}

/* Runs last: no context is left, and there is nothing to be done. */
static void end(void) {
    use_context(0);
    close_context(other);
    if (finish()) _exit(1);
}

static void change_contexts(void) {
    use_context(other);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    EQUAL(glIsProgramARB(name), 1);
    draw_with(name, 0.6f);
    close_context(current);
    EQUAL(glIsProgramARB(name), 1);
    glDeleteProgramsARB(1, &name);
    EQUAL(glIsProgramARB(name), 0);
    use_context(0);
    /* A context that is destroyed while it is current. */
    use_context(other);
}

/* The context is still the one that `main` has made current, with all that it knows. */
static void draw_on(void) {
    EQUAL(glIsEnabled(GL_VERTEX_PROGRAM_ARB), 1);
    EQUAL(glIsProgramARB(name), 1);
    draw_with(name, 0.2f);
    GLuint more = load(GL_VERTEX_PROGRAM_ARB, GIVEN);
    draw_with(more, 0.8f);
    glDeleteProgramsARB(1, &more);
}

int main(void) {
    start();
    current = open_context(0);
    other = open_context(current);
    use_context(current);
    name = load(GL_VERTEX_PROGRAM_ARB, GIVEN);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    draw_with(name, 1);
    /* The driver has handlers of its own, with which it stops: they have to run behind these. */
    atexit(end);
    atexit(change_contexts);
    atexit(draw_on);
    return finish();
}
