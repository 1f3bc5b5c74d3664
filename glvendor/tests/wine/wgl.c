/* A Windows program with OpenGL: programs of NV_vertex_program3 and NV_fragment_program2 with branches and a loop, through WGL. Pixels are compared with
   what the instructions compute. Exits with 0 if all are right, 1 if not, 77 without the extensions. */
#include <windows.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Attribute 1 selects: 0.25 where it is positive, else 0.75. */
static const char VERTEX[] = "!!ARBvp1.0\nOPTION NV_vertex_program3;\nTEMP r, c;\nMOV result.position, vertex.position;\nMOV c, 0.25;\n"
                             "MOVC r.x, vertex.attrib[1].x;\nBRA done (GT.x);\nMOV c, 0.75;\ndone:\nMOV result.color, c;\nEND";
/* Three iterations add 0.125 each; the third component is 1 where the color is greater than 0.5, else 0.5. */
static const char FRAGMENT[] = "!!ARBfp1.0\nOPTION NV_fragment_program2;\nPARAM count = { 3, 0, 0, 0 };\nTEMP s;\nMOV s, 0;\nREP count;\n"
                               "ADD s.x, s.x, 0.125;\nENDREP;\nSUBC s.y, fragment.color.x, 0.5;\nIF GT.y;\nMOV s.z, 1;\nELSE;\nMOV s.z, 0.5;\nENDIF;\n"
                               "MOV s.y, fragment.color.x;\nMOV s.w, 1;\nMOV result.color, s;\nEND";

static void *command(const char *name) {
    PROC found = wglGetProcAddress(name);
    if (!found) {
        printf("%s is missing\n", name);
        exit(1);
    }
    return (void *)(UINT_PTR)found;
}

static int load(GLenum target, const char *text) {
    GLint position = -1;
    ((PFNGLBINDPROGRAMARBPROC)command("glBindProgramARB"))(target, 1 + (target == GL_FRAGMENT_PROGRAM_ARB));
    ((PFNGLPROGRAMSTRINGARBPROC)command("glProgramStringARB"))(target, GL_PROGRAM_FORMAT_ASCII_ARB, (GLsizei)strlen(text), text);
    glGetIntegerv(GL_PROGRAM_ERROR_POSITION_ARB, &position);
    if (position != -1) printf("error at %d: %s\n", position, glGetString(GL_PROGRAM_ERROR_STRING_ARB));
    glEnable(target);
    return position == -1;
}

static int is_pixel(int x, int y, float r, float g, float b) {
    float got[3];
    glReadPixels(x, y, 1, 1, GL_RGB, GL_FLOAT, got);
    const float wanted[3] = {r, g, b};
    for (int i = 0; i < 3; i++) {
        float difference = got[i] - wanted[i];
        if (difference > 0.003f || difference < -0.003f) {
            printf("pixel %d %d is %f %f %f, not %f %f %f\n", x, y, got[0], got[1], got[2], r, g, b);
            return 0;
        }
    }
    return 1;
}

int main(void) {
    HWND window = CreateWindowA("static", "wgl", WS_POPUP | WS_VISIBLE, 0, 0, 64, 64, 0, 0, 0, 0);
    HDC device = GetDC(window);
    PIXELFORMATDESCRIPTOR format = {.nSize = sizeof format, .nVersion = 1, .dwFlags = PFD_DRAW_TO_WINDOW | PFD_SUPPORT_OPENGL | PFD_DOUBLEBUFFER, .cColorBits = 24};
    SetPixelFormat(device, ChoosePixelFormat(device, &format), &format);
    HGLRC context = wglCreateContext(device);
    if (!context || !wglMakeCurrent(device, context)) {
        printf("no context\n");
        return 1;
    }
    const char *extensions = (const char *)glGetString(GL_EXTENSIONS);
    if (!strstr(extensions, "GL_NV_vertex_program3") || !strstr(extensions, "GL_NV_fragment_program2")) {
        printf("the extensions are missing\n");
        return 77;
    }
    int is_right = load(GL_VERTEX_PROGRAM_ARB, VERTEX) && load(GL_FRAGMENT_PROGRAM_ARB, FRAGMENT);
    PFNGLVERTEXATTRIB1FARBPROC select = (PFNGLVERTEXATTRIB1FARBPROC)command("glVertexAttrib1fARB");
    glViewport(0, 0, 64, 64);
    glClear(GL_COLOR_BUFFER_BIT);
    for (int half = 0; half < 2; half++) {
        glBegin(GL_QUADS);
        select(1, half ? -1.0f : 1.0f);
        glVertex2f((float)half - 1, -1);
        glVertex2f((float)half, -1);
        glVertex2f((float)half, 1);
        glVertex2f((float)half - 1, 1);
        glEnd();
    }
    is_right &= is_pixel(16, 32, 0.375f, 0.25f, 0.5f) & is_pixel(48, 32, 0.375f, 0.75f, 1);
    is_right &= glGetError() == GL_NO_ERROR;
    wglMakeCurrent(0, 0);
    wglDeleteContext(context);
    printf(is_right ? "pass\n" : "fail\n");
    return !is_right;
}
