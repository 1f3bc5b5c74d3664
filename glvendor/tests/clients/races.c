/* Two threads change the same objects at once, each with a context of its share. ARB_vertex_program, additions to the GLX specification: changes of shared programs
   are serialized. So no command fails, and after the threads have ended a draw is right. */
#include "client.h"

#include <pthread.h>

enum { THREADS = 2, ROUNDS = 24, SHARED = 4, FIRST = 500, LISTS = 900, NAMES = 16 };

static const char VERTEX[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nADD result.color, program.local[0], program.env[0];\nEND";
static const char OTHER[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, program.local[1].yxzw;\nEND";
static const char GLOW[] = "!!FP1.0\nDECLARE glow = {0, 1, 0, 1};\nMOV o[COLR], glow;\nEND";
static const char BAD[] = "!!NVfp4.0\nMOV nowhere, 1;\nEND";
static context contexts[THREADS];
static GLuint fragment, glow;
static pthread_barrier_t barrier;

static void draw(void) {
    clear();
    draw_square();
}

/* Strings and parameters of programs that the other thread loads, sets, deletes and draws with, too. */
static void change_programs(int number, int round) {
    GLuint name = FIRST + (GLuint)(round + number) % SHARED;
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, name);
    const char *text = (round + number) % 3 ? VERTEX : OTHER;
    glProgramStringARB(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, (GLsizei)strlen(text), text);
    GLfloat got[4];
    for (GLuint i = 0; i < 8; i++) {
        glProgramLocalParameter4fARB(GL_VERTEX_PROGRAM_ARB, i, (float)round, (float)number, 0.6f, 1);
        glGetProgramLocalParameterfvARB(GL_VERTEX_PROGRAM_ARB, i, got);
    }
    draw();
    glProgramNamedParameter4fNV(glow, 4, (const GLubyte *)"glow", (float)number, 0.2f, 0.4f, 1);
    glGetProgramNamedParameterfvNV(glow, 4, (const GLubyte *)"glow", got);
    glBindProgramNV(GL_FRAGMENT_PROGRAM_NV, glow);
    glEnable(GL_FRAGMENT_PROGRAM_NV);
    draw();
    glDisable(GL_FRAGMENT_PROGRAM_NV);
    glBindProgramARB(GL_FRAGMENT_PROGRAM_ARB, fragment);
    draw();
    GLuint last = FIRST + (GLuint)(round + number + 1) % SHARED;
    if (round % 4 == 0) glDeleteProgramsARB(1, &last);
    glIsProgramARB(last);
    ERROR(GL_NO_ERROR);
}

/* Names that both threads generate, which differ. */
static void generate(int round) {
    GLuint names[NAMES];
    glGenProgramsARB(NAMES, names);
    for (int i = 0; i < NAMES; i++) CHECK(!glIsProgramARB(names[i]), "%u", names[i]);
    glDeleteProgramsARB(NAMES, names);
    if (round % 8) return;
    /* The string of an error is the one of this thread. */
    glProgramStringARB(GL_FRAGMENT_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, sizeof BAD - 1, BAD);
    CHECK(strstr((const char *)glGetString(GL_PROGRAM_ERROR_STRING_ARB), "nowhere"));
    glGetError();
    glProgramStringARB(GL_FRAGMENT_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, sizeof PASS_COLOR - 1, PASS_COLOR);
    ERROR(GL_NO_ERROR);
}

/* Display lists with commands about programs and with images. */
static void change_lists(int number, int round) {
    static const GLubyte texels[4 * 4 * 4];
    GLuint own = LISTS + (GLuint)number, others = LISTS + (GLuint)!number;
    glNewList(own, GL_COMPILE);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, FIRST + (GLuint)round % SHARED);
    glProgramEnvParameter4fARB(GL_VERTEX_PROGRAM_ARB, 0, 0, 0.2f, 0, 0);
    glDrawPixels(4, 4, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glEndList();
    glRasterPos2f(0, 0);
    glCallList(others);
    glCallList(own);
    if (round % 3 == 0) glDeleteLists(others, 1);
    /* The program may have been deleted, and the name has no string then: an error of RasterPos, ARB_vertex_program section 2.14.4. */
    GLenum error = glGetError();
    CHECK(error == GL_NO_ERROR || error == GL_INVALID_OPERATION, "0x%04x", error);
    while (glGetError()) {
    }
}

/* Names of buffers and textures that the library may use. */
static void claim_names(int round) {
    for (GLuint name = 1; name < 4; name++) {
        glBindBuffer(GL_ARRAY_BUFFER, name + (GLuint)round % 2);
        glBindTexture(GL_TEXTURE_2D, name + (GLuint)round % 2);
    }
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glBindTexture(GL_TEXTURE_2D, 0);
    ERROR(GL_NO_ERROR);
}

/* A program object without a fragment shader, which the library registers. */
static void use_shader(void) {
    static const char *text = "#version 120\nvoid main() {\n gl_Position = gl_Vertex;\n gl_FrontColor = gl_Color;\n}";
    GLuint program = glCreateProgram(), shader = glCreateShader(GL_VERTEX_SHADER);
    glShaderSource(shader, 1, &text, 0);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glDeleteShader(shader);
    glLinkProgram(program);
    glUseProgram(program);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    draw();
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    glUseProgram(0);
    glDeleteProgram(program);
    ERROR(GL_NO_ERROR);
}

static void enable_programs(void) {
    glBindProgramARB(GL_FRAGMENT_PROGRAM_ARB, fragment);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
}

/* A context whose objects of the driver are deleted in the next one. */
static void use_another(int number) {
    context it = open_context(contexts[!number]);
    use_context(it);
    load(GL_VERTEX_PROGRAM_ARB, VERTEX);
    enable_programs();
    draw();
    ERROR(GL_NO_ERROR);
    use_context(contexts[number]);
    close_context(it);
}

static void *change_all(void *argument) {
    int number = *(int *)argument;
    use_context(contexts[number]);
    enable_programs();
    pthread_barrier_wait(&barrier);
    for (int round = 0; round < ROUNDS; round++) {
        change_programs(number, round);
        generate(round);
        change_lists(number, round);
        claim_names(round);
        use_shader();
        if (round % 8 == number) use_another(number);
    }
    pthread_barrier_wait(&barrier);
    use_context(0);
    return 0;
}

int main(void) {
    start();
    for (int i = 0; i < THREADS; i++) contexts[i] = open_context(i ? contexts[0] : 0);
    use_context(contexts[0]);
    fragment = load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    glow = load_nv(GL_FRAGMENT_PROGRAM_NV, GLOW);
    use_context(0);
    pthread_barrier_init(&barrier, 0, THREADS);
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], 0, change_all, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
    for (int i = 0; i < THREADS; i++) {
        use_context(contexts[i]);
        load(GL_VERTEX_PROGRAM_ARB, VERTEX);
        enable_programs();
        glProgramLocalParameter4fARB(GL_VERTEX_PROGRAM_ARB, 0, 0.2f, 0, 0.8f, 1);
        glProgramEnvParameter4fARB(GL_VERTEX_PROGRAM_ARB, 0, 0, 0.4f, 0, 0);
        draw();
        PIXEL(8, 8, 0.2f, 0.4f, 0.8f, 1);
        ERROR(GL_NO_ERROR);
    }
    use_context(0);
    for (int i = 0; i < THREADS; i++) close_context(contexts[i]);
    return finish();
}
