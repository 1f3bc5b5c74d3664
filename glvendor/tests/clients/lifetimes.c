/* Contexts, threads, processes and libraries that come and go while programs draw. Nothing of it may end the client, or leave anything behind. */
#include "client.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void bind_programs(void) {
    load(GL_VERTEX_PROGRAM_ARB, "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.color.yxzw;\nEND");
    load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
}

static void check_draw(void) {
    glColor4f(0.2f, 0.4f, 0.6f, 1);
    clear();
    draw_square();
    PIXEL(8, 8, 0.4f, 0.2f, 0.6f, 1);
    ERROR(GL_NO_ERROR);
}

/* Commands without a context do nothing. */
static void without_context(void) {
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, 7);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glProgramLocalParameter4fARB(GL_VERTEX_PROGRAM_ARB, 0, 1, 2, 3, 4);
    glProgramStringARB(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, 4, "!!NV");
    glBegin(GL_QUADS);
    glVertex2f(0, 0);
    glEnd();
    glEvalMesh2(GL_FILL, 0, 1, 0, 1);
    glNewList(1, GL_COMPILE);
    glEndList();
    glCallList(1);
    glPushAttrib(GL_ALL_ATTRIB_BITS);
    glPopAttrib();
    glLinkProgram(1);
    glUseProgram(0);
    glDispatchCompute(1, 1, 1);
    glGetError();
}

/* The driver's own glIsProgram: applications do not see program objects of the library. Without one nothing is counted. */
static GLboolean (*is_program)(GLuint);

static int exists(GLuint program) {
    CHECK(!glIsProgram(program) || !is_program || is_program(program), "%u is a program object", program);
    return is_program && is_program(program);
}

static void find_driver(void) {
    void *commands = dlopen("libglapi.so.0", RTLD_NOW | RTLD_NOLOAD);
    void *(*find)(const char *) = commands ? (void *(*)(const char *))dlsym(commands, "_glapi_get_proc_address") : 0;
    is_program = find ? (GLboolean(*)(GLuint))find("glIsProgram") : 0;
}

/* Contexts that draw, share with one that stays, and end: their program objects are gone, too. */
static void contexts_that_end(context first) {
    use_context(first);
    GLuint before = glCreateProgram();
    for (int i = 0; i < 40; i++) {
        context other = open_context(first);
        use_context(other);
        bind_programs();
        check_draw();
        /* Every other one is destroyed while it is current, and draws once more. */
        if (i & 1) {
            close_context(other);
            check_draw();
            use_context(first);
        } else {
            use_context(first);
            close_context(other);
        }
    }
    int left = 0;
    for (GLuint name = before + 1, after = glCreateProgram(); name < after; name++) left += exists(name);
    /* Those of the last context go when the next one comes. */
    CHECK(left < 5, "%d program objects are left", left);
    bind_programs();
    check_draw();
}

/* Programs that another context still draws with are deleted. */
static void programs_that_end(context first) {
    context other = open_context(first);
    use_context(other);
    bind_programs();
    check_draw();
    GLint vertex, fragment;
    glGetProgramivARB(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_BINDING_ARB, &vertex);
    glGetProgramivARB(GL_FRAGMENT_PROGRAM_ARB, GL_PROGRAM_BINDING_ARB, &fragment);
    use_context(first);
    glDeleteProgramsARB(2, (GLuint[]){(GLuint)vertex, (GLuint)fragment});
    EQUAL(glIsProgramARB((GLuint)vertex), 0);
    use_context(other);
    check_draw();
    use_context(first);
    close_context(other);
    check_draw();
}

/* Program objects of the driver, among the names that it has given. */
static int program_objects(void) {
    enum { NAMES = 1000 };
    int count = 0;
    for (GLuint name = 1; name < NAMES; name++) count += exists(name);
    return count;
}

/* What is deleted or loaded again in one context is not kept for it in another one, but while it is bound there. */
static void programs_that_end_elsewhere(context first) {
    enum { PAIRS = 5 };
    static const char VERTEX[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.color.yxzw;\nEND";
    GLuint names[PAIRS];
    context other = open_context(first);
    use_context(other);
    bind_programs();
    check_draw();
    GLint bound;
    glGetProgramivARB(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_BINDING_ARB, &bound);
    int before = program_objects();
    for (int pair = 0; pair < PAIRS; pair++) {
        names[pair] = load(GL_VERTEX_PROGRAM_ARB, VERTEX);
        check_draw();
    }
    if (is_program) EQUAL(program_objects(), before + PAIRS);
    use_context(first);
    glDeleteProgramsARB(PAIRS, names);
    use_context(other);
    /* The last one is still bound, and draws. */
    check_draw();
    if (is_program) EQUAL(program_objects(), before + 1);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, (GLuint)bound);
    check_draw();
    EQUAL(program_objects(), before);
    use_context(first);
    glNamedProgramStringEXT((GLuint)bound, GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, sizeof VERTEX - 1, VERTEX);
    use_context(other);
    check_draw();
    EQUAL(program_objects(), before);
    use_context(first);
    close_context(other);
}

/* Strings that were asked for in a context that is gone are what they were: GL 3.0 section 6.1.11 calls them static. */
static void strings_that_stay(context first) {
    enum { NAMES = 4096 };
    static const GLubyte *names[NAMES];
    static char copies[NAMES][64];
    context other = open_context(0);
    use_context(other);
    GLint count;
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    CHECK(count > 0 && count < NAMES, "%d extensions", count);
    for (GLint i = 0; i < count; i++) {
        names[i] = glGetStringi(GL_EXTENSIONS, (GLuint)i);
        snprintf(copies[i], sizeof copies[i], "%s", (const char *)names[i]);
    }
    const char *bad = "!!NVfp4.0\nMOV nowhere, 1;\nEND";
    glProgramStringARB(GL_FRAGMENT_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, (GLsizei)strlen(bad), bad);
    const char *problem = (const char *)glGetString(GL_PROGRAM_ERROR_STRING_ARB);
    char copy[256];
    snprintf(copy, sizeof copy, "%s", problem);
    CHECK(copy[0], "an error has a text");
    glGetError();
    use_context(first);
    close_context(other);
    /* Memory that is free again gets another content. */
    other = open_context(0);
    use_context(other);
    bind_programs();
    check_draw();
    int changed = 0;
    for (GLint i = 0; i < count; i++) changed += strncmp((const char *)names[i], copies[i], sizeof copies[i] - 1) != 0;
    EQUAL(changed, 0);
    CHECK(!strncmp(problem, copy, sizeof copy - 1), "the text of an error has changed");
    use_context(first);
    close_context(other);
}

/* Another surface, and the first one again. */
static void surfaces(context first) {
    use_context(0);
    use_new_surface();
    use_context(first);
    check_draw();
    use_context(0);
    without_context();
    use_context(first);
    check_draw();
}

static void *draw_on(void *it) {
    use_context(it);
    bind_programs();
    check_draw();
    /* The thread ends with its context. */
    return 0;
}

static void threads_that_end(context first) {
    pthread_t thread;
    context other = open_context(first);
    pthread_create(&thread, 0, draw_on, other);
    pthread_join(thread, 0);
    check_draw();
    close_context(other);
    check_draw();
}

/* A process that is forked ends in its own way. */
static void forks(void) {
    for (int way = 0; way < 2; way++) {
        pid_t child = fork();
        if (!child && way) _exit(7);
        if (!child) execl("/bin/sh", "sh", "-c", "exit 7", (char *)0);
        int status = 0;
        waitpid(child, &status, 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7, "the child ends with 0x%x", status);
    }
    check_draw();
}

/* Contexts that tell of resets. Nothing resets them here. */
static void robust(context first) {
    context it = open_robust_context();
    if (!it) return;
    use_context(it);
    bind_programs();
    check_draw();
    EQUAL(glGetGraphicsResetStatus(), GL_NO_ERROR);
    use_context(first);
    close_context(it);
}

static void *draw_for_ever(void *it) {
    use_context(it);
    bind_programs();
    for (;;) draw_square();
    return 0;
}

int main(void) {
    start();
    find_driver();
    without_context();
    context first = open_context(0);
    contexts_that_end(first);
    programs_that_end(first);
    programs_that_end_elsewhere(first);
    strings_that_stay(first);
    surfaces(first);
    threads_that_end(first);
    forks();
    robust(first);
    use_context(0);
    close_context(first);
    /* The libraries go and come again. */
    unload();
    start();
    first = open_context(0);
    use_context(first);
    bind_programs();
    check_draw();
    /* The process ends while another thread draws. */
    pthread_t thread;
    pthread_create(&thread, 0, draw_for_ever, open_context(first));
    usleep(100000);
    fflush(0);
    _exit(finish());
}
