/* See client.h. Libraries are opened at run time, so that clients are built where no headers of OpenGL are. */
#define CLIENT_DEFINES
#include "client.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { CANNOT_RUN = 77, SECONDS = 120 };

static int mistakes;
static bool is_glx;
static void *library;
static void *display;
static void *config;

static bool is_started;

static void lacking(const char *what) {
    fprintf(stderr, "%s\n", what);
    /* What was there once must come again. */
    exit(is_started ? 1 : CANNOT_RUN);
}

/* A function of EGL, GLX or X11, called with the types that its arguments have. */
#define CALL(name, result, ...) ((result(*)())function(name))(__VA_ARGS__)

static void *function(const char *name) {
    void *found = dlsym(library, name);
    if (!found) lacking(name);
    return found;
}

static void start_egl(void) {
    enum { NONE = 0x3038, SURFACELESS = 0x31DD, SURFACE_TYPE = 0x3033, PBUFFER = 1, RENDERABLE = 0x3040, OPENGL = 8 };
    enum { RED = 0x3024, GREEN = 0x3023, BLUE = 0x3022, ALPHA = 0x3021, DEPTH = 0x3025 };
    library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library) lacking("there is no libEGL.so.1");
    display = CALL("eglGetPlatformDisplay", void *, SURFACELESS, (void *)0, (void *)0);
    int major, minor, count = 0;
    if (!display || !CALL("eglInitialize", unsigned, display, &major, &minor)) lacking("EGL has no surfaceless display");
    static const int wanted[] = {SURFACE_TYPE, PBUFFER, RENDERABLE, OPENGL, RED, 8, GREEN, 8, BLUE, 8, ALPHA, 8, DEPTH, 16, NONE};
    if (!CALL("eglChooseConfig", unsigned, display, wanted, &config, 1, &count) || !count) lacking("EGL has no configuration");
}

static void start_glx(void) {
    enum { DRAWABLE_TYPE = 0x8010, PBUFFER = 4, DOUBLEBUFFER = 5, RED = 8, GREEN = 9, BLUE = 10, ALPHA = 11, DEPTH = 12 };
    void *x11 = dlopen("libX11.so.6", RTLD_NOW | RTLD_GLOBAL);
    library = dlopen("libGL.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!x11 || !library) lacking("there is no libX11.so.6 or libGL.so.1");
    void *(*open)(const char *) = (void *(*)(const char *))dlsym(x11, "XOpenDisplay");
    int (*threads)(void) = (int (*)(void))dlsym(x11, "XInitThreads");
    threads();
    display = open(0);
    if (!display) lacking("there is no X server");
    /* Mesa puts front buffers of pixel buffers on the screen, which the X server refuses. */
    static const int wanted[] = {DRAWABLE_TYPE, PBUFFER, DOUBLEBUFFER, 1, RED, 8, GREEN, 8, BLUE, 8, ALPHA, 8, DEPTH, 16, 0};
    int count = 0;
    void **configs = CALL("glXChooseFBConfig", void **, display, 0, wanted, &count);
    if (!count) lacking("GLX has no configuration");
    config = configs[0];
}

void start(void) {
    const char *window = getenv("CLIENT_WINDOW");
    is_glx = window && !strcmp(window, "Glx");
    if (getenv("CLIENT_PRIVILEGED") && !getauxval(AT_SECURE)) lacking("the system runs no set-user-ID programs here");
    /* A client that hangs is killed. */
    const char *seconds = getenv("CLIENT_SECONDS");
    alarm(seconds ? (unsigned)atoi(seconds) : SECONDS);
    (is_glx ? start_glx : start_egl)();
    const char *lookup = is_glx ? "glXGetProcAddressARB" : "eglGetProcAddress";
#define LOAD(command) *(void **)&command = CALL(lookup, void *, #command);
    CLIENT_COMMANDS(LOAD)
    is_started = true;
}

/* The surface that a thread draws on. */
static _Thread_local long surface;

context open_context(context share) {
    context made;
    if (is_glx) {
        enum { RGBA_TYPE = 0x8014 };
        made = CALL("glXCreateNewContext", void *, display, config, RGBA_TYPE, share, 1);
    } else {
        enum { OPENGL_API = 0x30A2 };
        static const int none[] = {0x3038};
        /* Each thread has its own. */
        CALL("eglBindAPI", unsigned, OPENGL_API);
        made = CALL("eglCreateContext", void *, display, config, share, none);
    }
    if (!made) lacking("there is no context of OpenGL");
    return made;
}

context open_robust_context(void) {
    enum { MAJOR = 0x3098, ROBUST = 0x31B2, NOTIFICATION = 0x31BD, LOSE_CONTEXT = 0x31BF, NONE = 0x3038 };
    static const int robust[] = {MAJOR, 3, ROBUST, 1, NOTIFICATION, LOSE_CONTEXT, 0x30FD, 2 /* compatibility */, NONE};
    return is_glx ? 0 : CALL("eglCreateContext", void *, display, config, (void *)0, robust);
}

void close_context(context it) {
    if (is_glx)
        CALL("glXDestroyContext", void, display, it);
    else
        CALL("eglDestroyContext", unsigned, display, it);
}

static void open_surface(void) {
    if (is_glx) {
        static const int size[] = {0x8041, SIZE, 0x8040, SIZE, 0};
        surface = CALL("glXCreatePbuffer", long, display, config, size);
    } else {
        static const int size[] = {0x3057, SIZE, 0x3056, SIZE, 0x3038};
        surface = (long)CALL("eglCreatePbufferSurface", void *, display, config, size);
    }
}

bool try_context(context it) {
    unsigned is_done;
    if (it && !surface) open_surface();
    if (is_glx)
        is_done = CALL("glXMakeContextCurrent", int, display, it ? surface : 0L, it ? surface : 0L, it);
    else
        is_done = CALL("eglMakeCurrent", unsigned, display, (void *)(it ? surface : 0), (void *)(it ? surface : 0), it);
    if (is_done && it) glViewport(0, 0, SIZE, SIZE);
    return is_done;
}

void use_context(context it) { CHECK(try_context(it), "the context cannot be made current"); }

void *glx_function(const char *name, void **its_display, void **its_config) {
    *its_display = display;
    *its_config = config;
    return is_glx ? CALL("glXGetProcAddressARB", void *, name) : 0;
}

long current_surface(void) {
    if (!surface) open_surface();
    return surface;
}

void use_new_surface(void) { surface = 0; }

void unload(void) {
    if (!is_glx) {
        CALL("eglReleaseThread", unsigned);
        CALL("eglTerminate", unsigned, display);
    }
    dlclose(library);
    surface = 0;
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
