/* An OpenGL program of Windows: draws with programs of four NV languages and compares pixels with
 * arithmetic. Prints one line for each case; the exit status is the count of failed cases. */
#include <windows.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 16

#ifndef GL_FRAGMENT_PROGRAM_NV
#define GL_FRAGMENT_PROGRAM_NV 0x8870
#endif

#define FUNCTIONS(F) \
    F(PFNGLGENPROGRAMSARBPROC, glGenProgramsARB) \
    F(PFNGLBINDPROGRAMARBPROC, glBindProgramARB) \
    F(PFNGLPROGRAMSTRINGARBPROC, glProgramStringARB) \
    F(PFNGLPROGRAMLOCALPARAMETER4FARBPROC, glProgramLocalParameter4fARB) \
    F(PFNGLGENPROGRAMSNVPROC, glGenProgramsNV) \
    F(PFNGLBINDPROGRAMNVPROC, glBindProgramNV) \
    F(PFNGLLOADPROGRAMNVPROC, glLoadProgramNV) \
    F(PFNGLPROGRAMPARAMETER4FNVPROC, glProgramParameter4fNV) \
    F(PFNGLPROGRAMNAMEDPARAMETER4FNVPROC, glProgramNamedParameter4fNV) \
    F(PFNGLGENFRAMEBUFFERSEXTPROC, glGenFramebuffersEXT) \
    F(PFNGLBINDFRAMEBUFFEREXTPROC, glBindFramebufferEXT) \
    F(PFNGLGENRENDERBUFFERSEXTPROC, glGenRenderbuffersEXT) \
    F(PFNGLBINDRENDERBUFFEREXTPROC, glBindRenderbufferEXT) \
    F(PFNGLRENDERBUFFERSTORAGEEXTPROC, glRenderbufferStorageEXT) \
    F(PFNGLFRAMEBUFFERRENDERBUFFEREXTPROC, glFramebufferRenderbufferEXT) \
    F(PFNGLCHECKFRAMEBUFFERSTATUSEXTPROC, glCheckFramebufferStatusEXT)

#define DECLARE(type, name) static type name##_;
FUNCTIONS(DECLARE)

static int failures;

/* Ends the program because the environment lacks something. */
static void fail_setup(const char *what)
{
    printf("FAIL setup: %s\n", what);
    fflush(stdout);
    exit(100);
}

static void create_context(void)
{
    PIXELFORMATDESCRIPTOR format = {.nSize = sizeof(format),
                                    .nVersion = 1,
                                    .dwFlags = PFD_DRAW_TO_WINDOW | PFD_SUPPORT_OPENGL | PFD_DOUBLEBUFFER,
                                    .iPixelType = PFD_TYPE_RGBA,
                                    .cColorBits = 24};
    HWND window = CreateWindowA("static", "wgl", WS_POPUP, 0, 0, SIDE, SIDE, 0, 0, 0, 0);
    HDC device = GetDC(window);
    int index = ChoosePixelFormat(device, &format);
    if (!index || !SetPixelFormat(device, index, &format))
        fail_setup("no pixel format");
    if (!wglMakeCurrent(device, wglCreateContext(device)))
        fail_setup("no context");
#define LOAD(type, name) \
    if (!(name##_ = (type)(void *)wglGetProcAddress(#name))) \
        fail_setup("no " #name);
    FUNCTIONS(LOAD)
}

/* Draws into a renderbuffer: pixels of a window that is hidden would be undefined. */
static void create_target(void)
{
    GLuint names[2];
    glGenFramebuffersEXT_(1, &names[0]);
    glBindFramebufferEXT_(GL_FRAMEBUFFER_EXT, names[0]);
    glGenRenderbuffersEXT_(1, &names[1]);
    glBindRenderbufferEXT_(GL_RENDERBUFFER_EXT, names[1]);
    glRenderbufferStorageEXT_(GL_RENDERBUFFER_EXT, GL_RGBA8, SIDE, SIDE);
    glFramebufferRenderbufferEXT_(GL_FRAMEBUFFER_EXT, GL_COLOR_ATTACHMENT0_EXT, GL_RENDERBUFFER_EXT, names[1]);
    if (glCheckFramebufferStatusEXT_(GL_FRAMEBUFFER_EXT) != GL_FRAMEBUFFER_COMPLETE_EXT)
        fail_setup("framebuffer is incomplete");
    glViewport(0, 0, SIDE, SIDE);
}

/* Loads a program that begins with "!!ARB" and enables its target. */
static void load_arb(GLenum target, const char *string)
{
    GLuint name;
    glGenProgramsARB_(1, &name);
    glBindProgramARB_(target, name);
    glProgramStringARB_(target, GL_PROGRAM_FORMAT_ASCII_ARB, (GLsizei)strlen(string), string);
    glEnable(target);
}

/* Loads a program of the other NV languages and enables its target. */
static GLuint load_nv(GLenum target, const char *string)
{
    GLuint name;
    glGenProgramsNV_(1, &name);
    glBindProgramNV_(target, name);
    glLoadProgramNV_(target, name, (GLsizei)strlen(string), (const GLubyte *)string);
    glEnable(target);
    return name;
}

static void draw_square(void)
{
    glClearColor(0.2f, 0.2f, 0.2f, 0.2f);
    glClear(GL_COLOR_BUFFER_BIT);
    glBegin(GL_TRIANGLE_STRIP);
    glVertex2f(-1, -1);
    glVertex2f(1, -1);
    glVertex2f(-1, 1);
    glVertex2f(1, 1);
    glEnd();
}

/* Returns whether each channel is within one step of eight bits. */
static int is_near(const GLubyte *pixel, const float *expected)
{
    for (int i = 0; i < 4; i++)
        if (abs((int)pixel[i] - (int)(expected[i] * 255 + 0.5f)) > 1)
            return 0;
    return 1;
}

/* Draws, compares all pixels with `expect(x, y)` at their centers and prints the result. */
static void check(const char *name, void (*expect)(float x, float y, float *color))
{
    GLubyte pixels[SIDE][SIDE][4];
    GLint position = -1;
    glGetIntegerv(GL_PROGRAM_ERROR_POSITION_ARB, &position);
    draw_square();
    glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    GLenum error = glGetError();
    if (position != -1 || error) {
        printf("FAIL %s: GL error %#x, program error at %d: %s\n", name, error, position,
               (const char *)glGetString(GL_PROGRAM_ERROR_STRING_ARB));
        failures++;
        return;
    }
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            float e[4];
            const GLubyte *p = pixels[y][x];
            expect((float)x + 0.5f, (float)y + 0.5f, e);
            if (!is_near(p, e)) {
                printf("FAIL %s: (%d, %d) is %d %d %d %d, expected %g %g %g %g\n", name, x, y, p[0], p[1], p[2], p[3],
                       e[0] * 255, e[1] * 255, e[2] * 255, e[3] * 255);
                failures++;
                return;
            }
        }
    printf("PASS %s\n", name);
}

/* A loop of branches in vertices, loops and conditions in fragments. */
static const char vp40[] = "!!ARBvp1.0\n"
                           "OPTION NV_vertex_program3;\n"
                           "TEMP n, sum;\n"
                           "MOV result.position, vertex.position;\n"
                           "MOV n, program.local[0];\n"
                           "MOV sum, {0, 0, 0, 1};\n"
                           "again:\n"
                           "ADD sum.x, sum.x, 0.125;\n"
                           "ADDC n.x, n.x, -1;\n"
                           "BRA again (GT.x);\n"
                           "MOV result.color, sum;\n"
                           "END\n";
static const char fp40[] = "!!ARBfp1.0\n"
                           "OPTION NV_fragment_program2;\n"
                           "PARAM count = {4, 0, 0, 0};\n"
                           "TEMP c;\n"
                           "MOV c, fragment.color;\n"
                           "REP count.x;\n"
                           "MAD c.y, fragment.position.x, 0.015625, c.y;\n"
                           "ENDREP;\n"
                           "SLTC c.z, fragment.position.y, 8;\n"
                           "IF GT.z;\n"
                           "MOV c.z, 0.25;\n"
                           "ELSE;\n"
                           "MOV c.z, 0.75;\n"
                           "ENDIF;\n"
                           "MOV result.color, c;\n"
                           "END\n";

static void expect_40(float x, float y, float *color)
{
    color[0] = 3 * 0.125f;
    color[1] = 4 * x / 64;
    color[2] = y < 8 ? 0.25f : 0.75f;
    color[3] = 1;
}

static void test_40(void)
{
    load_arb(GL_VERTEX_PROGRAM_ARB, vp40);
    glProgramLocalParameter4fARB_(GL_VERTEX_PROGRAM_ARB, 0, 3, 0, 0, 0);
    load_arb(GL_FRAGMENT_PROGRAM_ARB, fp40);
    check("NV_vertex_program3, NV_fragment_program2", expect_40);
    glDisable(GL_VERTEX_PROGRAM_ARB);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
}

/* A subroutine with a condition in vertices; named parameters and a write mask in fragments. */
static const char vp20[] = "!!VP2.0\n"
                           "MOV o[HPOS], v[OPOS];\n"
                           "CAL half;\n"
                           "MOVC CC.x, c[1];\n"
                           "CAL half (GT.x);\n"
                           "RET;\n"
                           "half:\n"
                           "ADD R0, R0, c[0];\n"
                           "MOV o[COL0], R0;\n"
                           "RET;\n"
                           "END\n";
static const char fp10[] = "!!FP1.0\n"
                           "DECLARE scale;\n"
                           "MOV R0, f[COL0];\n"
                           "MUL R0.y, f[WPOS].y, scale.x;\n"
                           "SGTC RC.x, f[WPOS].x, {8}.x;\n"
                           "MOV R0.z (GT.x), {0.6}.x;\n"
                           "MOV o[COLR], R0;\n"
                           "END\n";

static void expect_20(float x, float y, float *color)
{
    color[0] = 2 * 0.2f;
    color[1] = y / 32;
    color[2] = x > 8 ? 0.6f : 2 * 0.1f;
    color[3] = 2 * 0.4f;
}

static void test_20(void)
{
    load_nv(GL_VERTEX_PROGRAM_NV, vp20);
    glProgramParameter4fNV_(GL_VERTEX_PROGRAM_NV, 0, 0.2f, 0.3f, 0.1f, 0.4f);
    glProgramParameter4fNV_(GL_VERTEX_PROGRAM_NV, 1, 1, 0, 0, 0);
    GLuint name = load_nv(GL_FRAGMENT_PROGRAM_NV, fp10);
    glProgramNamedParameter4fNV_(name, 5, (const GLubyte *)"scale", 1.0f / 32, 0, 0, 0);
    check("NV_vertex_program2, NV_fragment_program", expect_20);
    glDisable(GL_VERTEX_PROGRAM_NV);
    glDisable(GL_FRAGMENT_PROGRAM_NV);
}

int main(void)
{
    create_context();
    create_target();
    test_40();
    test_20();
    fflush(stdout);
    return failures;
}
