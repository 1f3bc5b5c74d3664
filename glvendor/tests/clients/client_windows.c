/* See client.h: WGL. Contexts are those of pixel buffers, whose pixels are defined without a window on the screen. */
#include "client.h"

/* Windows has a type of this name. */
#define SIZE WINDOWS_SIZE
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#undef SIZE

#include <stdlib.h>

enum { SECONDS = 120 };

/* WGL_ARB_pixel_format, WGL_ARB_pbuffer. */
enum { DRAW_TO_PBUFFER = 0x202D, SUPPORT_OPENGL = 0x2010, DOUBLE_BUFFER = 0x2011, PIXEL_TYPE = 0x2013, TYPE_RGBA = 0x202B };
enum { RED_BITS = 0x2015, GREEN_BITS = 0x2017, BLUE_BITS = 0x2019, ALPHA_BITS = 0x201B, DEPTH_BITS = 0x2022 };

/* Functions of the library, as an application that opens it at run time would find them. */
#define FUNCTIONS(F)                                                                                                   \
    F(HGLRC, wglCreateContext, (HDC))                                                                                  \
    F(BOOL, wglDeleteContext, (HGLRC))                                                                                 \
    F(BOOL, wglMakeCurrent, (HDC, HGLRC))                                                                              \
    F(BOOL, wglShareLists, (HGLRC, HGLRC))                                                                             \
    F(PROC, wglGetProcAddress, (LPCSTR))
#define EXTENSIONS(F)                                                                                                  \
    F(BOOL, wglChoosePixelFormatARB, (HDC, const int *, const FLOAT *, UINT, int *, UINT *))                           \
    F(HANDLE, wglCreatePbufferARB, (HDC, int, int, int, const int *))                                                  \
    F(HDC, wglGetPbufferDCARB, (HANDLE))
#define DECLARE(result, name, parameters) static result(WINAPI *name##_) parameters;
FUNCTIONS(DECLARE)
EXTENSIONS(DECLARE)

static HMODULE library;
static HDC screen;
static int pixel_format;

static DWORD WINAPI end_late(void *argument) {
    (void)argument;
    Sleep(SECONDS * 1000);
    fprintf(stderr, "the client hangs\n");
    TerminateProcess(GetCurrentProcess(), 1);
    return 0;
}

/* Extensions of WGL and commands beyond OpenGL 1.1 are found with a current context only: this one is of a hidden window. */
static void open_first_context(void) {
    PIXELFORMATDESCRIPTOR format = {.nSize = sizeof format,
                                    .nVersion = 1,
                                    .dwFlags = PFD_DRAW_TO_WINDOW | PFD_SUPPORT_OPENGL | PFD_DOUBLEBUFFER,
                                    .iPixelType = PFD_TYPE_RGBA,
                                    .cColorBits = 24};
    HWND window = CreateWindowA("static", "client", WS_POPUP, 0, 0, SIZE, SIZE, 0, 0, 0, 0);
    screen = GetDC(window);
    int index = ChoosePixelFormat(screen, &format);
    if (!index || !SetPixelFormat(screen, index, &format)) lacking("there is no pixel format with OpenGL");
    HGLRC it = wglCreateContext_(screen);
    if (!it || !wglMakeCurrent_(screen, it)) lacking("there is no context of OpenGL");
#define LOAD_EXTENSION(result, name, parameters)                                                                       \
    if (!(*(PROC *)&name##_ = wglGetProcAddress_(#name))) lacking("there is no " #name);
    EXTENSIONS(LOAD_EXTENSION)
}

void open_system(void) {
    CloseHandle(CreateThread(0, 0, end_late, 0, 0, 0));
    library = LoadLibraryA("opengl32.dll");
    if (!library) lacking("there is no opengl32.dll");
#define LOAD_FUNCTION(result, name, parameters)                                                                        \
    if (!(*(FARPROC *)&name##_ = GetProcAddress(library, #name))) lacking("there is no " #name);
    FUNCTIONS(LOAD_FUNCTION)
    open_first_context();
    static const int wanted[] = {DRAW_TO_PBUFFER, 1, SUPPORT_OPENGL, 1, DOUBLE_BUFFER, 1, PIXEL_TYPE, TYPE_RGBA, RED_BITS, 8,
                                 GREEN_BITS,      8, BLUE_BITS,      8, ALPHA_BITS,    8, DEPTH_BITS, 16,        0};
    UINT count = 0;
    if (!wglChoosePixelFormatARB_(screen, wanted, 0, 1, &pixel_format, &count) || !count) lacking("there is no pixel format for pixel buffers");
}

void *find_command(const char *name) {
    void *found = (void *)GetProcAddress(library, name);
    return found ? found : (void *)wglGetProcAddress_(name);
}

/* What a thread draws on. */
static _Thread_local HDC surface;

static HDC surface_here(void) {
    static const int none[] = {0};
    if (!surface) {
        HANDLE buffer = wglCreatePbufferARB_(screen, pixel_format, SIZE, SIZE, none);
        surface = buffer ? wglGetPbufferDCARB_(buffer) : 0;
        if (!surface) lacking("there is no pixel buffer");
    }
    return surface;
}

context open_context(context share) {
    context made = wglCreateContext_(surface_here());
    if (!made) lacking("there is no context of OpenGL");
    if (share) CHECK(wglShareLists_(share, made), "the contexts do not share");
    return made;
}

void close_context(context it) { CHECK(wglDeleteContext_(it), "the context is not deleted"); }

bool try_context(context it) {
    bool is_done = wglMakeCurrent_(it ? surface_here() : 0, it);
    if (is_done && it) glViewport(0, 0, SIZE, SIZE);
    return is_done;
}

void use_context(context it) { CHECK(try_context(it), "the context cannot be made current"); }

void use_new_surface(void) { surface = 0; }

bool survives_destruction(void) { return false; }

void *last_bytes(size_t size) {
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    size_t page = system.dwPageSize;
    char *pages = VirtualAlloc(0, 2 * page, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    DWORD old;
    VirtualProtect(pages + page, page, PAGE_NOACCESS, &old);
    return pages + page - size;
}
