/* The DLL as a program of Windows sees it: exports, loading, contexts. Each argument is the name of a group of cases; prints one line for each
 * case, and the exit status is the count of failed cases. OpenGL is opened at run time, so that it can be closed. */
#include <windows.h>

#include <GL/gl.h>
#include <GL/glext.h>
#include <psapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 16 };

static int failures;

static void check(int condition, const char *name)
{
    printf("%s %s\n", condition ? "PASS" : "FAIL", name);
    failures += !condition;
}

/* Ends the program because the environment lacks something. */
static void fail_setup(const char *what)
{
    printf("FAIL setup: %s\n", what);
    fflush(stdout);
    exit(100);
}

/* Commands of OpenGL 1.1 and functions of WGL, which the DLL exports. */
#define EXPORTS(F) \
    F(HGLRC, wglCreateContext, (HDC)) \
    F(HGLRC, wglCreateLayerContext, (HDC, int)) \
    F(BOOL, wglDeleteContext, (HGLRC)) \
    F(BOOL, wglMakeCurrent, (HDC, HGLRC)) \
    F(BOOL, wglShareLists, (HGLRC, HGLRC)) \
    F(BOOL, wglCopyContext, (HGLRC, HGLRC, UINT)) \
    F(PROC, wglGetProcAddress, (LPCSTR)) \
    F(HGLRC, wglGetCurrentContext, (void)) \
    F(HDC, wglGetCurrentDC, (void)) \
    F(BOOL, wglUseFontBitmapsA, (HDC, DWORD, DWORD, DWORD)) \
    F(int, wglDescribePixelFormat, (HDC, int, UINT, LPPIXELFORMATDESCRIPTOR)) \
    F(int, wglGetPixelFormat, (HDC)) \
    F(const GLubyte *, glGetString, (GLenum)) \
    F(GLenum, glGetError, (void)) \
    F(GLboolean, glIsEnabled, (GLenum)) \
    F(void, glEnable, (GLenum)) \
    F(void, glDisable, (GLenum)) \
    F(GLuint, glGenLists, (GLsizei)) \
    F(GLboolean, glIsList, (GLuint)) \
    F(void, glNewList, (GLuint, GLenum)) \
    F(void, glEndList, (void)) \
    F(void, glCallList, (GLuint)) \
    F(void, glClear, (GLbitfield)) \
    F(void, glClearColor, (GLfloat, GLfloat, GLfloat, GLfloat)) \
    F(void, glViewport, (GLint, GLint, GLsizei, GLsizei)) \
    F(void, glRectf, (GLfloat, GLfloat, GLfloat, GLfloat)) \
    F(void, glRasterPos2f, (GLfloat, GLfloat)) \
    F(void, glReadPixels, (GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, GLvoid *))

/* Commands that wglGetProcAddress finds. */
#define COMMANDS(F) \
    F(PFNGLGENPROGRAMSARBPROC, glGenProgramsARB) \
    F(PFNGLDELETEPROGRAMSARBPROC, glDeleteProgramsARB) \
    F(PFNGLBINDPROGRAMARBPROC, glBindProgramARB) \
    F(PFNGLPROGRAMSTRINGARBPROC, glProgramStringARB) \
    F(PFNGLISPROGRAMARBPROC, glIsProgramARB) \
    F(PFNGLLOADPROGRAMNVPROC, glLoadProgramNV) \
    F(PFNGLPROGRAMLOCALPARAMETERI4IVNVPROC, glProgramLocalParameterI4ivNV) \
    F(PFNGLGENFRAMEBUFFERSEXTPROC, glGenFramebuffersEXT) \
    F(PFNGLBINDFRAMEBUFFEREXTPROC, glBindFramebufferEXT) \
    F(PFNGLGENRENDERBUFFERSEXTPROC, glGenRenderbuffersEXT) \
    F(PFNGLBINDRENDERBUFFEREXTPROC, glBindRenderbufferEXT) \
    F(PFNGLRENDERBUFFERSTORAGEEXTPROC, glRenderbufferStorageEXT) \
    F(PFNGLFRAMEBUFFERRENDERBUFFEREXTPROC, glFramebufferRenderbufferEXT)

#define DECLARE_EXPORT(result, name, parameters) static result(WINAPI *name##_) parameters;
EXPORTS(DECLARE_EXPORT)
#define DECLARE_COMMAND(type, name) static type name##_;
COMMANDS(DECLARE_COMMAND)

static HMODULE library;
static HDC device;

/* The path of opengl32.dll of the system, or next to the program. */
static const char *find_library(int is_system)
{
    static char path[2 * MAX_PATH];
    if (is_system) {
        GetSystemDirectoryA(path, MAX_PATH);
    } else {
        GetModuleFileNameA(0, path, MAX_PATH);
        *strrchr(path, '\\') = 0;
    }
    return strcat(path, "\\opengl32.dll");
}

static void load_library(int is_system)
{
    library = LoadLibraryA(find_library(is_system));
    if (!library)
        fail_setup("opengl32.dll is not loaded");
#define LOAD_EXPORT(result, name, parameters) \
    if (!(*(FARPROC *)&name##_ = GetProcAddress(library, #name))) \
        fail_setup("no " #name);
    EXPORTS(LOAD_EXPORT)
}

static void open_window(void)
{
    PIXELFORMATDESCRIPTOR format = {.nSize = sizeof(format),
                                    .nVersion = 1,
                                    .dwFlags = PFD_DRAW_TO_WINDOW | PFD_SUPPORT_OPENGL | PFD_DOUBLEBUFFER,
                                    .iPixelType = PFD_TYPE_RGBA,
                                    .cColorBits = 24};
    HWND window = CreateWindowA("static", "library", WS_POPUP, 0, 0, SIDE, SIDE, 0, 0, 0, 0);
    device = GetDC(window);
    int index = ChoosePixelFormat(device, &format);
    if (!index || !SetPixelFormat(device, index, &format))
        fail_setup("no pixel format");
}

/* Commands depend on the current context. */
static void load_commands(void)
{
#define LOAD_COMMAND(type, name) \
    if (!(*(PROC *)&name##_ = wglGetProcAddress_(#name))) \
        fail_setup("no " #name);
    COMMANDS(LOAD_COMMAND)
}

static HGLRC open_context(void)
{
    HGLRC it = wglCreateContext_(device);
    if (!it || !wglMakeCurrent_(device, it))
        fail_setup("no context");
    load_commands();
    return it;
}

static int has_extension(const char *name)
{
    const char *all = (const char *)glGetString_(GL_EXTENSIONS);
    for (const char *found = all; found && (found = strstr(found, name)); found += strlen(name))
        if ((found == all || found[-1] == ' ') && strchr(" ", found[strlen(name)]))
            return 1;
    return 0;
}

static GLuint load_program(const char *text)
{
    GLuint name;
    glGenProgramsARB_(1, &name);
    glBindProgramARB_(GL_FRAGMENT_PROGRAM_ARB, name);
    glProgramStringARB_(GL_FRAGMENT_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, (GLsizei)strlen(text), text);
    return name;
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
    glViewport_(0, 0, SIDE, SIDE);
}

/* 51 is 0.2 * 255 and 204 is 0.8 * 255. */
static const char COLOR[] = "!!NVfp4.0\nMOV result.color, {0.2, 0.8, 1, 0};\nEND";

static int draws_color(void)
{
    GLubyte pixel[4];
    glClearColor_(0, 0, 0, 1);
    glClear_(GL_COLOR_BUFFER_BIT);
    glRectf_(-1, -1, 1, 1);
    glReadPixels_(8, 8, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    return pixel[0] == 51 && pixel[1] == 204 && pixel[2] == 255 && pixel[3] == 0;
}

/* A directory of the exports of a library. */
static const IMAGE_EXPORT_DIRECTORY *exports_of(const char *base)
{
    const IMAGE_NT_HEADERS *headers = (const IMAGE_NT_HEADERS *)(base + ((const IMAGE_DOS_HEADER *)base)->e_lfanew);
    return (const IMAGE_EXPORT_DIRECTORY *)(base + headers->OptionalHeader.DataDirectory[0].VirtualAddress);
}

static void test_exports(void)
{
    load_library(0);
    const char *theirs = (const char *)LoadLibraryA(find_library(1));
    const IMAGE_EXPORT_DIRECTORY *exports = exports_of(theirs);
    const DWORD *names = (const DWORD *)(theirs + exports->AddressOfNames);
    DWORD missing = 0;
    for (DWORD i = 0; i < exports->NumberOfNames; i++)
        if (!GetProcAddress(library, theirs + names[i])) {
            printf("%s is missing\n", theirs + names[i]);
            missing++;
        }
    check(exports->NumberOfNames >= 350 && !missing, "exports of the system's library");
    const char *ours = (const char *)library;
    check(!strcmp(ours + exports_of(ours)->Name, "opengl32.dll") || !strcmp(ours + exports_of(ours)->Name, "glasm_glvendor.dll"),
          "name of the library");
    check((const char *)library != theirs && wglDescribePixelFormat_(GetDC(0), 1, 0, 0) > 0, "pixel formats");
}

static size_t used_memory(void)
{
    PROCESS_MEMORY_COUNTERS_EX counters = {.cb = sizeof counters};
    GetProcessMemoryInfo(GetCurrentProcess(), (PROCESS_MEMORY_COUNTERS *)&counters, sizeof counters);
    return counters.PrivateUsage > counters.WorkingSetSize ? counters.PrivateUsage : counters.WorkingSetSize;
}

/* Each index of thread-local memory that a library loses is missing in the program: there are 1,088 of them. */
static void test_unload(void)
{
    enum { WARM_UP = 100, ROUNDS = 1000, MEBIBYTE = 1 << 20 };
    size_t before = 0;
    int is_right = 1;
    DWORD first = TlsAlloc();
    for (int i = 0; i < WARM_UP + ROUNDS; i++) {
        if (i == WARM_UP)
            before = used_memory();
        load_library(0);
        is_right &= !wglGetCurrentContext_() && !wglGetProcAddress_("glLoadProgramNV") && wglDescribePixelFormat_(GetDC(0), 1, 0, 0) > 0;
        glGetError_();
        glEnable_(GL_FRAGMENT_PROGRAM_ARB);
        is_right &= FreeLibrary(library);
    }
    check(is_right, "functions without a context");
    check(TlsAlloc() - first < 16, "no indices of thread-local memory are lost");
    size_t after = used_memory();
    printf("memory: %lu KiB, then %lu KiB\n", (unsigned long)(before / 1024), (unsigned long)(after / 1024));
    check(after < before + 4 * MEBIBYTE, "no memory is lost");
    load_library(0);
    open_window();
    HGLRC it = open_context();
    wglMakeCurrent_(0, 0);
    wglDeleteContext_(it);
    FreeLibrary(library);
    load_library(0);
    open_context();
    create_target();
    load_program(COLOR);
    glEnable_(GL_FRAGMENT_PROGRAM_ARB);
    check(draws_color(), "contexts after the library was closed");
}

/* A number from the environment. */
static int read_number(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    return text ? atoi(text) : otherwise;
}

/* Creates and deletes contexts, half of them with programs, and prints how much memory those after the first ones have taken. The
   environment variables are half the number of contexts, and the number of programs of each of these. */
static void create_contexts(int is_system)
{
    enum { MOST_WARM_UP = 200, REPORTS = 10 };
    int rounds = read_number("GLASM_TEST_CONTEXT_ROUNDS", 1000), programs = read_number("GLASM_TEST_CONTEXT_PROGRAMS", 100);
    int warm_up = rounds < MOST_WARM_UP ? rounds : MOST_WARM_UP;
    size_t before = 0;
    int is_right = 1;
    load_library(is_system);
    open_window();
    for (int i = 0; i < warm_up + rounds; i++) {
        if (i == warm_up)
            before = used_memory();
        if (i > warm_up && (i - warm_up) % ((rounds + REPORTS - 1) / REPORTS) == 0) {
            printf("memory after %d contexts: %lu KiB\n", 2 * (i - warm_up), (unsigned long)(used_memory() / 1024));
            fflush(stdout);
        }
        HGLRC it = wglCreateContext_(device), other = wglCreateContext_(device);
        is_right &= other && wglMakeCurrent_(device, other) && wglDeleteContext_(other);
        is_right &= it && wglMakeCurrent_(device, it);
        if (!is_system) {
            load_commands();
            for (int j = 0; j < programs; j++) {
                GLuint name = load_program(COLOR);
                is_right &= glIsProgramARB_(name) && !glGetError_();
            }
        }
        if (i % 2)
            wglMakeCurrent_(0, 0);
        is_right &= wglDeleteContext_(it);
    }
    check(is_right, "contexts that are created and deleted");
    printf("growth %ld KiB\n", (long)((used_memory() - before) / 1024));
}

static void test_growth(void)
{
    create_contexts(0);
}

static void test_reference_growth(void)
{
    create_contexts(1);
}

/* Functions without a current context, and what wglGetProcAddress finds. */
static void test_lookup(void)
{
    load_library(0);
    open_window();
    check(!wglGetProcAddress_("glLoadProgramNV") && !wglGetProcAddress_("glBindBuffer"), "no functions without a context");
    open_context();
    check(has_extension("GL_NV_fragment_program2") && has_extension("GL_NV_gpu_program5"), "extensions");
    check(wglGetProcAddress_("glBindBuffer") && wglGetProcAddress_("wglCreateContextAttribsARB"), "functions of the driver");
    check(!wglGetProcAddress_("glNoSuchCommand") && !wglGetProcAddress_("wglNoSuchFunction"), "functions that nobody has");
    check(!wglGetProcAddress_("glClear") == !GetProcAddress(LoadLibraryA(find_library(1)), "no such function") ||
              wglGetProcAddress_("glClear"),
          "functions that are exported");
    create_target();
    load_program(COLOR);
    glEnable_(GL_FRAGMENT_PROGRAM_ARB);
    check(draws_color() && !glGetError_(), "pixels");
    load_program("!!NVfp4.0\nMOV nowhere, 1;\nEND");
    check(glGetError_() == GL_INVALID_OPERATION, "errors");
    check(SwapBuffers(device), "SwapBuffers");
    wglMakeCurrent_(0, 0);
    check(!wglGetProcAddress_("glLoadProgramNV") && !glGetString_(GL_EXTENSIONS), "no functions when no context is current any more");
}

/* Contexts with attributes, whose function is called without a current context. */
static void test_attributes(void)
{
    enum { MAJOR = 0x2091, MINOR = 0x2092, PROFILE = 0x9126, CORE = 1, COMPATIBILITY = 2 };
    typedef HGLRC(WINAPI * Create)(HDC, HGLRC, const int *);
    typedef BOOL(WINAPI * Select)(HDC, HDC, HGLRC);
    load_library(0);
    open_window();
    HGLRC first = open_context();
    Create create = (Create)(void *)wglGetProcAddress_("wglCreateContextAttribsARB");
    Select select = (Select)(void *)wglGetProcAddress_("wglMakeContextCurrentARB");
    if (!create || !select)
        fail_setup("no WGL_ARB_create_context or WGL_ARB_make_current_read");
    GLuint name = load_program(COLOR);
    wglMakeCurrent_(0, 0);
    static const int compatible[] = {MAJOR, 3, MINOR, 3, PROFILE, COMPATIBILITY, 0}, core[] = {MAJOR, 3, MINOR, 3, PROFILE, CORE, 0};
    HGLRC shared = create(device, first, compatible), other = create(device, 0, compatible), modern = create(device, 0, core);
    check(shared && other && modern, "contexts with attributes");
    check(select(device, device, shared) && wglGetCurrentContext_() == shared && glIsProgramARB_(name), "a context that shares");
    create_target();
    glBindProgramARB_(GL_FRAGMENT_PROGRAM_ARB, name);
    glEnable_(GL_FRAGMENT_PROGRAM_ARB);
    check(draws_color() && !glGetError_(), "pixels of a shared program");
    check(select(device, device, other) && !glIsProgramARB_(name), "a context that does not share");
    /* Core contexts have no programs; whether they have a string of extensions depends on the system. */
    check(wglMakeCurrent_(device, modern) && !has_extension("GL_NV_gpu_program5"), "a context of the core profile");
    glGetError_();
    check(!wglMakeCurrent_(device, (HGLRC)0x12345) && (!wglGetCurrentContext_() || wglGetCurrentContext_() == modern), "no such context");
    wglMakeCurrent_(device, shared);
    check(draws_color(), "pixels after an error");
    check(wglDeleteContext_(shared) && !wglGetCurrentContext_() && !glGetString_(GL_VERSION), "a context that is deleted while it is current");
    check(!wglDeleteContext_(shared), "a context that is deleted twice");
}

/* Contexts that share from when wglShareLists is called, and states that are copied. */
static void test_sharing(void)
{
    load_library(0);
    open_window();
    HGLRC first = open_context();
    GLuint name = load_program(COLOR);
    HGLRC second = wglCreateLayerContext_(device, 0);
    check(second != 0, "wglCreateLayerContext");
    /* It was current before, without objects. */
    wglMakeCurrent_(device, second);
    check(!glIsProgramARB_(name), "programs before wglShareLists");
    wglMakeCurrent_(device, first);
    if (wglShareLists_(first, second)) {
        wglMakeCurrent_(device, second);
        create_target();
        glBindProgramARB_(GL_FRAGMENT_PROGRAM_ARB, name);
        glEnable_(GL_FRAGMENT_PROGRAM_ARB);
        check(glIsProgramARB_(name) && draws_color(), "programs after wglShareLists");
        HGLRC third = wglCreateContext_(device);
        check(wglShareLists_(second, third) && wglMakeCurrent_(device, third) && glIsProgramARB_(name), "a third context");
    } else {
        printf("SKIP wglShareLists refuses a context that was current\n");
        HGLRC third = wglCreateContext_(device);
        check(wglShareLists_(first, third) && wglMakeCurrent_(device, third) && glIsProgramARB_(name), "programs after wglShareLists");
    }
    check(!wglShareLists_(first, (HGLRC)0x12345), "wglShareLists without a context");
    wglMakeCurrent_(device, first);
    glEnable_(GL_FRAGMENT_PROGRAM_ARB);
    HGLRC copy = wglCreateContext_(device);
    if (wglCopyContext_(first, copy, GL_ALL_ATTRIB_BITS)) {
        wglMakeCurrent_(device, copy);
        check(glIsEnabled_(GL_FRAGMENT_PROGRAM_ARB), "enabled targets after wglCopyContext");
    } else {
        printf("SKIP the system does not copy contexts\n");
    }
}

/* Lists of characters that the system defines. */
static void test_fonts(void)
{
    load_library(0);
    open_window();
    open_context();
    create_target();
    GLuint base = glGenLists_(128);
    SelectObject(device, GetStockObject(SYSTEM_FONT));
    check(wglUseFontBitmapsA_(device, 0, 128, base) && glIsList_(base + 'M'), "lists of characters");
    /* Those of some systems cause errors, for characters without pixels. */
    glGetError_();
    glClearColor_(0, 0, 0, 1);
    glClear_(GL_COLOR_BUFFER_BIT);
    glRasterPos2f_(-1, -1);
    glCallList_(base + 'M');
    GLubyte pixels[SIDE * SIDE][4];
    glReadPixels_(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    int count = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        count += pixels[i][0] == 255;
    check(count > 10 && !glGetError_(), "pixels of a character");
    glNewList_(base + 'M', GL_COMPILE);
    glEndList_();
    check(glIsList_(base + 'M'), "a list instead of a character");
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } groups[] = {{"exports", test_exports},   {"unload", test_unload},   {"growth", test_growth}, {"reference-growth", test_reference_growth},
                  {"lookup", test_lookup},     {"attributes", test_attributes}, {"sharing", test_sharing}, {"fonts", test_fonts}};
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++)
        if (count == 2 && !strcmp(arguments[1], groups[i].name)) {
            groups[i].run();
            fflush(stdout);
            return failures;
        }
    fail_setup("no such group");
    return 1;
}
