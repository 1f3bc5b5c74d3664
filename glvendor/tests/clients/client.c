/* See client.h: what does not depend on the system. */
#define CLIENT_DEFINES
#include "client.h"

#include <stdarg.h>
#include <stdlib.h>

enum { CANNOT_RUN = 77 };

static int mistakes;
static bool is_started;

void lacking(const char *what) {
    fprintf(stderr, "%s\n", what);
    /* What was there once must come again. */
    exit(is_started ? 1 : CANNOT_RUN);
}

void start(void) {
    open_system();
#define LOAD(command) *(void **)&command = find_command(#command);
    CLIENT_COMMANDS(LOAD)
    is_started = true;
}

int finish(void) {
    if (mistakes) printf("%d mistakes\n", mistakes);
    return mistakes != 0;
}

void mistake(const char *file, int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *name = strrchr(file, '/');
    printf("%s:%d: ", name ? name + 1 : file, line);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    __atomic_add_fetch(&mistakes, 1, __ATOMIC_SEQ_CST);
}

void expect_error(const char *file, int line, GLenum wanted) {
    GLenum got = glGetError();
    if (got != wanted) mistake(file, line, "the error is 0x%04x, not 0x%04x", got, wanted);
    while (glGetError()) {
    }
}

void expect_pixel(const char *file, int line, int x, int y, const float wanted[4]) {
    GLubyte got[4];
    glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, got);
    for (int i = 0; i < 4; i++) {
        float off = got[i] - 255 * wanted[i];
        if (off > 0.6f || off < -0.6f) {
            mistake(file, line, "pixel %d, %d is (%g %g %g %g), not (%g %g %g %g)", x, y, got[0] / 255., got[1] / 255., got[2] / 255.,
                    got[3] / 255., wanted[0], wanted[1], wanted[2], wanted[3]);
            return;
        }
    }
}

void expect_vector(const char *file, int line, const char *what, const float got[4], const float wanted[4]) {
    for (int i = 0; i < 4; i++)
        if (got[i] != wanted[i]) {
            mistake(file, line, "%s is (%g %g %g %g), not (%g %g %g %g)", what, got[0], got[1], got[2], got[3], wanted[0], wanted[1],
                    wanted[2], wanted[3]);
            return;
        }
}

GLuint load(GLenum target, const char *text) {
    GLuint name;
    glGenProgramsARB(1, &name);
    glBindProgramARB(target, name);
    glProgramStringARB(target, GL_PROGRAM_FORMAT_ASCII_ARB, (GLsizei)strlen(text), text);
    GLint position;
    glGetIntegerv(GL_PROGRAM_ERROR_POSITION_ARB, &position);
    if (position != -1) mistake(__FILE__, __LINE__, "%s\n%s", text, (const char *)glGetString(GL_PROGRAM_ERROR_STRING_ARB));
    return name;
}

GLuint load_nv(GLenum target, const char *text) {
    GLuint name;
    glGenProgramsNV(1, &name);
    glLoadProgramNV(target, name, (GLsizei)strlen(text), (const GLubyte *)text);
    GLint position;
    glGetIntegerv(GL_PROGRAM_ERROR_POSITION_NV, &position);
    if (position != -1) mistake(__FILE__, __LINE__, "%s\nat %d", text, position);
    glBindProgramNV(target, name);
    return name;
}

void draw_square(void) {
    glBegin(GL_QUADS);
    glVertex2f(-1, -1);
    glVertex2f(1, -1);
    glVertex2f(1, 1);
    glVertex2f(-1, 1);
    glEnd();
}

void clear(void) {
    glClearColor(0.2f, 0, 0.4f, 0);
    glClear(GL_COLOR_BUFFER_BIT);
}
