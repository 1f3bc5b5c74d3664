/* Draws with one changed parameter each: how long the processor takes for one, in nanoseconds.
 *
 *     draws arb COUNT    programs of ARB_vertex_program and ARB_fragment_program
 *     draws nv COUNT     the same instructions in NV_gpu_program4
 *
 * No window: EGL with Mesa's surfaceless platform. The triangle covers no pixel, so that nothing but the draw itself counts.
 */
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const vertex[2] = {
    "!!ARBvp1.0\nPARAM m[] = { state.matrix.mvp };\n"
    "DP4 result.position.x, m[0], vertex.position;\nDP4 result.position.y, m[1], vertex.position;\n"
    "DP4 result.position.z, m[2], vertex.position;\nDP4 result.position.w, m[3], vertex.position;\n"
    "MUL result.color, vertex.color, program.local[0];\nEND",
    "!!NVvp4.0\nPARAM m[] = { state.matrix.mvp };\n"
    "DP4 result.position.x, m[0], vertex.position;\nDP4 result.position.y, m[1], vertex.position;\n"
    "DP4 result.position.z, m[2], vertex.position;\nDP4 result.position.w, m[3], vertex.position;\n"
    "MUL result.color, vertex.color, program.local[0];\nEND"};
static const char *const fragment[2] = {"!!ARBfp1.0\nADD result.color, fragment.color, program.local[0];\nEND",
                                        "!!NVfp4.0\nADD result.color, fragment.color, program.local[0];\nEND"};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "draws: %s\n", what);
    exit(1);
}

static void open_context(void)
{
    PFNEGLGETPLATFORMDISPLAYEXTPROC get = (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLDisplay display = get ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL) : EGL_NO_DISPLAY;
    static const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE};
    static const EGLint size[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
    EGLConfig config;
    EGLint count;
    if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API) || !eglChooseConfig(display, wanted, &config, 1, &count) || !count)
        fail("no OpenGL without a window");
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, NULL);
    EGLSurface surface = eglCreatePbufferSurface(display, config, size);
    if (!eglMakeCurrent(display, surface, surface, context))
        fail("no context");
}

static void load(GLenum target, const char *text)
{
    GLuint name;
    glGenProgramsARB(1, &name);
    glBindProgramARB(target, name);
    glProgramStringARB(target, GL_PROGRAM_FORMAT_ASCII_ARB, (GLsizei)strlen(text), text);
    if (glGetError())
        fail((const char *)glGetString(GL_PROGRAM_ERROR_STRING_ARB));
    glEnable(target);
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 3)
        fail("arb|nv COUNT");
    int language = !strcmp(arguments[1], "nv"), count = atoi(arguments[2]);
    open_context();
    load(GL_VERTEX_PROGRAM_ARB, vertex[language]);
    load(GL_FRAGMENT_PROGRAM_ARB, fragment[language]);
    static const float corners[] = {-1, -1, -0.99f, -1, -1, -0.99f};
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(2, GL_FLOAT, 0, NULL);
    glProgramLocalParameter4fARB(GL_VERTEX_PROGRAM_ARB, 0, 1, 1, 1, 1);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glFinish();
    double start = now();
    for (int n = 0; n < count; n++) {
        glProgramLocalParameter4fARB(GL_FRAGMENT_PROGRAM_ARB, 0, n * 1e-6f, 0.5f, 0.25f, 1);
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    glFinish();
    printf("%.0f\n", (now() - start) / count);
    if (glGetError())
        fail("an error of OpenGL");
    return 0;
}
