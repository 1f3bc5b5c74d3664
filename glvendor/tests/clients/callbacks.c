/* Callbacks of the driver within commands of the library: they call commands, and destroy the context or make another one current. KHR_debug leaves
   that undefined, and the library does not touch memory that is gone. Mesa itself writes to memory that is gone where a callback does both, so that
   this is tried in valgrind alone, which keeps such memory from others and tells who has touched it. */
#include "client.h"

#include <stdlib.h>

static context first, second;
static bool is_armed;
static enum { NOTHING, CLOSES, LEAVES, WAYS, BOTH = WAYS } way;

static void CLIENT_CALL called(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length, const GLchar *message, const void *user) {
    (void)source, (void)type, (void)id, (void)severity, (void)length, (void)message, (void)user;
    if (!is_armed) return;
    is_armed = false;
    glProgramLocalParameter4fARB(GL_FRAGMENT_PROGRAM_ARB, 0, 1, 1, 1, 1);
    if (way == CLOSES || way == BOTH) close_context(first);
    if (way == LEAVES || way == BOTH) use_context(second);
}

int main(void) {
    start();
    second = open_context(0);
    static const char BAD[] = "!!ARBfp1.0\nXYZ;\nEND";
    for (way = NOTHING; way < (getenv("CLIENT_VALGRIND") ? WAYS + 1 : WAYS); way++) {
        first = open_context(0);
        use_context(first);
        load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
        glEnable(GL_FRAGMENT_PROGRAM_ARB);
        draw_square();
        glDebugMessageCallback(called, 0);
        glEnable(GL_DEBUG_OUTPUT);
        glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
        glGetError();
        /* The driver tells of an error of every program string that it does not know. */
        is_armed = true;
        if (way == BOTH)
            glUseProgram(9999);
        else
            glProgramStringARB(GL_FRAGMENT_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, sizeof BAD - 1, BAD);
        CHECK(way != BOTH || !is_armed, "the driver does not call back");
        is_armed = false;
        glGetError();
        use_context(second);
        clear();
        PIXEL(8, 8, 0.2f, 0, 0.4f, 0);
        if (way != CLOSES && way != BOTH) close_context(first);
    }
    use_context(0);
    close_context(second);
    return finish();
}
