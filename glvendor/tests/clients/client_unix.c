/* See client.h: EGL and GLX. Libraries are opened at run time, so that clients are built where no headers of OpenGL are. */
#include "client.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SECONDS = 120 };

static bool is_glx;
static void *library;
static void *display;
static void *config;

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

void open_system(void) {
    const char *window = getenv("CLIENT_WINDOW");
    is_glx = window && !strcmp(window, "Glx");
    if (getenv("CLIENT_PRIVILEGED") && !getauxval(AT_SECURE)) lacking("the system runs no set-user-ID programs here");
    /* A client that hangs is killed. */
    const char *seconds = getenv("CLIENT_SECONDS");
    alarm(seconds ? (unsigned)atoi(seconds) : SECONDS);
    (is_glx ? start_glx : start_egl)();
}

void *find_command(const char *name) {
    const char *lookup = is_glx ? "glXGetProcAddressARB" : "eglGetProcAddress";
    return CALL(lookup, void *, name);
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

context open_core_context(void) {
    enum { MAJOR = 0x3098, MINOR = 0x30FB, PROFILE = 0x30FD, CORE = 1, NONE = 0x3038 };
    static const int core[] = {MAJOR, 3, MINOR, 3, PROFILE, CORE, NONE};
    return is_glx ? 0 : CALL("eglCreateContext", void *, display, config, (void *)0, core);
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

bool survives_destruction(void) { return true; }

void *last_bytes(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(0, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + page, page, PROT_NONE);
    return pages + page - size;
}
