/* Contexts that share programs, in two threads at once; contexts and programs that end while they are in use. */
#include "client.h"

#include <pthread.h>

enum { ROUNDS = 40 };

static const char GIVEN[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nADD result.color, program.local[0], program.env[0];\nEND";
static GLuint shared, fragment;
static context contexts[2];
static pthread_barrier_t barrier;

/* Environment parameters belong to a context, local ones to the program that both have (ARB_vertex_program, section 2.14.1). */
static void *draw_often(void *argument) {
    int number = *(int *)argument;
    use_context(contexts[number]);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, shared);
    glBindProgramARB(GL_FRAGMENT_PROGRAM_ARB, fragment);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    pthread_barrier_wait(&barrier);
    for (int round = 0; round < ROUNDS; round++) {
        float green = 0.2f * (float)(round % 5);
        glProgramEnvParameter4fARB(GL_VERTEX_PROGRAM_ARB, 0, (float)number, green, 0, 0);
        clear();
        draw_square();
        PIXEL(8, 8, (float)number, green, 0.6f, 1);
        /* Names that a thread makes are its own. */
        static const char other[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, program.env[0].yxzw;\nEND";
        GLuint own = load(GL_VERTEX_PROGRAM_ARB, other);
        clear();
        draw_square();
        PIXEL(8, 8, green, (float)number, 0, 0);
        glBindProgramARB(GL_VERTEX_PROGRAM_ARB, shared);
        glDeleteProgramsARB(1, &own);
    }
    ERROR(GL_NO_ERROR);
    pthread_barrier_wait(&barrier);
    use_context(0);
    return 0;
}

static void two_threads(void) {
    contexts[0] = open_context(0);
    contexts[1] = open_context(contexts[0]);
    use_context(contexts[0]);
    shared = load(GL_VERTEX_PROGRAM_ARB, GIVEN);
    fragment = load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    glProgramLocalParameter4fARB(GL_VERTEX_PROGRAM_ARB, 0, 0, 0, 0.6f, 1);
    use_context(0);
    pthread_barrier_init(&barrier, 0, 2);
    pthread_t threads[2];
    int numbers[2] = {0, 1};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, draw_often, &numbers[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}

/* What one context changes of a shared program another one sees. */
static void changes_are_seen(void) {
    use_context(contexts[1]);
    glProgramLocalParameter4fARB(GL_VERTEX_PROGRAM_ARB, 0, 0.2f, 0.4f, 0.8f, 1);
    glFinish();
    use_context(contexts[0]);
    glProgramEnvParameter4fARB(GL_VERTEX_PROGRAM_ARB, 0, 0, 0, 0, 0);
    clear();
    draw_square();
    PIXEL(8, 8, 0.2f, 0.4f, 0.8f, 1);
    EQUAL(glIsProgramARB(shared), 1);
    use_context(contexts[1]);
    static const char text[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, {1, 0.4, 0.2, 1};\nEND";
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, shared);
    glProgramStringARB(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, sizeof text - 1, text);
    glFinish();
    use_context(contexts[0]);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, shared);
    clear();
    draw_square();
    PIXEL(8, 8, 1, 0.4f, 0.2f, 1);
    ERROR(GL_NO_ERROR);
}

/* A program that is deleted where it is bound elsewhere is drawn with there (ARB_vertex_program, DeleteProgramsARB: "if a program object
   that is currently bound is deleted" speaks of the context's own binding). */
static void deleted_elsewhere(void) {
    GLuint name = load(GL_VERTEX_PROGRAM_ARB, GIVEN);
    glProgramLocalParameter4fARB(GL_VERTEX_PROGRAM_ARB, 0, 0, 0.8f, 0, 1);
    use_context(contexts[1]);
    glDeleteProgramsARB(1, &name);
    EQUAL(glIsProgramARB(name), 0);
    use_context(contexts[0]);
    clear();
    draw_square();
    PIXEL(8, 8, 0, 0.8f, 0, 1);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, shared);
    /* Where it is bound, program 0 takes its place. */
    name = load(GL_VERTEX_PROGRAM_ARB, GIVEN);
    glDeleteProgramsARB(1, &name);
    GLint bound;
    glGetProgramivARB(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_BINDING_ARB, &bound);
    EQUAL(bound, 0);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, shared);
    ERROR(GL_NO_ERROR);
}

/* A context that is destroyed while it is current lives until it is not. */
static void destroyed_while_current(void) {
    context third = open_context(contexts[0]);
    use_context(third);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, shared);
    glBindProgramARB(GL_FRAGMENT_PROGRAM_ARB, fragment);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    close_context(third);
    if (survives_destruction()) {
        clear();
        draw_square();
        PIXEL(8, 8, 1, 0.4f, 0.2f, 1);
        ERROR(GL_NO_ERROR);
    }
    use_context(contexts[0]);
    clear();
    draw_square();
    PIXEL(8, 8, 1, 0.4f, 0.2f, 1);
    /* Programs live on in the others of the share. */
    use_context(contexts[1]);
    close_context(contexts[0]);
    EQUAL(glIsProgramARB(shared), 1);
    clear();
    draw_square();
    PIXEL(8, 8, 1, 0.4f, 0.2f, 1);
    use_context(0);
    close_context(contexts[1]);
    /* New contexts know nothing of them. */
    for (int i = 0; i < 20; i++) {
        context it = open_context(0);
        use_context(it);
        EQUAL(glIsProgramARB(shared), 0);
        GLuint name = load(GL_VERTEX_PROGRAM_ARB, GIVEN);
        load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
        EQUAL(glIsProgramARB(name), 1);
        EQUAL(glIsEnabled(GL_VERTEX_PROGRAM_ARB), 0);
        glEnable(GL_VERTEX_PROGRAM_ARB);
        glEnable(GL_FRAGMENT_PROGRAM_ARB);
        glProgramEnvParameter4fARB(GL_VERTEX_PROGRAM_ARB, 0, 0.6f, 0, 0.2f, 1);
        clear();
        draw_square();
        PIXEL(8, 8, 0.6f, 0, 0.2f, 1);
        ERROR(GL_NO_ERROR);
        if (i % 2) use_context(0);
        close_context(it);
    }
}

int main(void) {
    start();
    two_threads();
    changes_are_seen();
    deleted_elsewhere();
    destroyed_while_current();
    return finish();
}
