/* A context that is current on two threads, which GLX forbids and Mesa's GLX allows: commands of one of them may be lost, and nothing else. */
#include "client.h"

#include <pthread.h>

enum { ROUNDS = 400000 };

static context shared;
static pthread_barrier_t barrier;

static void *use_programs(void *unused) {
    (void)unused;
    bool is_current = try_context(shared);
    pthread_barrier_wait(&barrier);
    for (GLuint i = 0; is_current && i < ROUNDS; i++) {
        glBindProgramNV(GL_FRAGMENT_PROGRAM_NV, 100 + i % 2);
        glProgramNamedParameter4fNV(100 + i % 2, 4, (const GLubyte *)"glow", 1, 2, 3, (float)i);
    }
    pthread_barrier_wait(&barrier);
    if (is_current) try_context(0);
    return 0;
}

int main(void) {
    start();
    shared = open_context(0);
    use_context(shared);
    static const char TEXT[] = "!!FP1.0\nDECLARE glow = {0, 1, 0, 1};\nMOV o[COLR], glow;\nEND";
    glLoadProgramNV(GL_FRAGMENT_PROGRAM_NV, 100, sizeof TEXT - 1, (const GLubyte *)TEXT);
    glLoadProgramNV(GL_FRAGMENT_PROGRAM_NV, 101, sizeof TEXT - 1, (const GLubyte *)TEXT);
    ERROR(GL_NO_ERROR);
    use_context(0);
    pthread_t threads[2];
    pthread_barrier_init(&barrier, 0, 2);
    for (int i = 0; i < 2; i++) pthread_create(threads + i, 0, use_programs, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    /* Then it is a context as any other. */
    use_context(shared);
    glEnable(GL_FRAGMENT_PROGRAM_NV);
    glLoadProgramNV(GL_FRAGMENT_PROGRAM_NV, 102, sizeof TEXT - 1, (const GLubyte *)TEXT);
    glBindProgramNV(GL_FRAGMENT_PROGRAM_NV, 102);
    clear();
    draw_square();
    PIXEL(8, 8, 0, 1, 0, 1);
    ERROR(GL_NO_ERROR);
    use_context(0);
    close_context(shared);
    return finish();
}
