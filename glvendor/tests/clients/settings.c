/* Settings of rules and variables, which the test selects: CLIENT_CASE says what must hold. */
#include "client.h"
#include <dlfcn.h>
#include <stdlib.h>

enum { VERTEX = GL_VERTEX_PROGRAM_ARB, FRAGMENT = GL_FRAGMENT_PROGRAM_ARB };

#define VERTEX_2 "!!ARBvp1.0\nOPTION NV_vertex_program2;\nMOV result.position, vertex.position;\nEND"
#define VERTEX_3 "!!ARBvp1.0\nOPTION NV_vertex_program3;\nMOV result.position, vertex.position;\nEND"
#define FRAGMENT_2 "!!ARBfp1.0\nOPTION NV_fragment_program2;\nMOV result.color, 1;\nEND"
#define GEOMETRY_5                                                                                                                 \
    "!!NVgp5.0\nPRIMITIVE_IN POINTS;\nPRIMITIVE_OUT POINTS;\nVERTICES_OUT 1;\nMOV.F result.position, vertex[0].position;\nEMIT;\nEND"
/* A driver with ARB_draw_buffers executes this itself. */
#define TWO_BUFFERS "!!ARBfp1.0\n# two colors\nOPTION ARB_draw_buffers;\nMOV result.color[0], 1;\nEND"

/* Returns true if the list of extensions has one; all numbers in it are valid. */
static bool is_listed(const char *name) {
    GLint count = 0;
    bool is_found = false;
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; i++) {
        const char *extension = (const char *)glGetStringi(GL_EXTENSIONS, (GLuint)i);
        CHECK(extension, "%d of %d", i, count);
        is_found |= extension && !strcmp(extension, name);
    }
    ERROR(GL_NO_ERROR);
    return is_found;
}

/* The same, and checks that the string of all extensions agrees. */
static bool is_advertised(const char *name) {
    bool is_in_string = false;
    size_t length = strlen(name);
    for (const char *at = (const char *)glGetString(GL_EXTENSIONS); (at = strstr(at, name)); at += length)
        is_in_string |= at[length] == ' ' || at[length] == 0;
    CHECK(is_listed(name) == is_in_string, "%s", name);
    ERROR(GL_NO_ERROR);
    return is_in_string;
}

/* Loads a program whose error is at a part of it, or at none if that is a null pointer. */
static void expect(GLenum target, const char *text, const char *part) {
    GLint position = -2;
    glProgramStringARB(target, GL_PROGRAM_FORMAT_ASCII_ARB, (GLsizei)strlen(text), text);
    glGetIntegerv(GL_PROGRAM_ERROR_POSITION_ARB, &position);
    GLint wanted = part ? (GLint)(strstr(text, part) - text) : -1;
    CHECK(position == wanted, "the error is at %d, not %d, of\n%s", position, wanted, text);
    ERROR(part ? GL_INVALID_OPERATION : GL_NO_ERROR);
}

/* In a context without fixed functions only extensions of the driver exist, which are hidden as well. */
static void expect_core(bool has_draw_buffers) {
    context core = open_core_context();
    if (!core) return;
    use_context(core);
    EQUAL(is_listed("GL_ARB_draw_buffers"), has_draw_buffers);
    CHECK(is_listed("GL_ARB_draw_instanced"));
    CHECK(!is_listed("GL_NV_gpu_program5"));
}

static void expect_default(void) {
    CHECK(is_advertised("GL_NV_gpu_program5"));
    CHECK(is_advertised("GL_NV_vertex_program2_option"));
    CHECK(is_advertised("GL_ARB_draw_buffers"));
    expect(VERTEX, VERTEX_2, NULL);
    expect(FRAGMENT, TWO_BUFFERS, NULL);
    expect(FRAGMENT, PASS_COLOR, NULL);
    expect(GL_GEOMETRY_PROGRAM_NV, GEOMETRY_5, NULL);
}

static void expect_hidden(void) {
    CHECK(!is_advertised("GL_NV_vertex_program2_option"));
    CHECK(!is_advertised("GL_ARB_draw_buffers"));
    CHECK(is_advertised("GL_NV_vertex_program3"));
    expect(VERTEX, VERTEX_2, "NV_vertex_program2");
    expect(VERTEX, VERTEX_3, NULL);
    expect(FRAGMENT, TWO_BUFFERS, "ARB_draw_buffers");
    expect(FRAGMENT, FRAGMENT_2, NULL);
}

static void expect_vp40(void) {
    static const char *const newer[] = {"GL_NV_gpu_program4",   "GL_NV_gpu_program5",   "GL_NV_geometry_program4", "GL_NV_tessellation_program5",
                                        "GL_NV_vertex_program4", "GL_NV_compute_program5", "GL_NV_gpu_program_fp64"};
    for (unsigned i = 0; i < sizeof newer / sizeof *newer; i++) CHECK(!is_advertised(newer[i]), "%s", newer[i]);
    CHECK(is_advertised("GL_NV_vertex_program3"));
    CHECK(is_advertised("GL_NV_fragment_program2"));
    CHECK(is_advertised("GL_NV_vertex_program"));
    expect(FRAGMENT, PASS_COLOR, "!!NVfp4.0");
    expect(GL_GEOMETRY_PROGRAM_NV, GEOMETRY_5, "!!NVgp5.0");
    expect(FRAGMENT, FRAGMENT_2, NULL);
    expect(VERTEX, VERTEX_3, NULL);
}

/* A program with so many instructions, each of which depends on the one before. */
static void expect_count(GLenum target, const char *head, GLint count, bool loads) {
    char *text = malloc(strlen(head) + 40 * (size_t)count + 100), *end = text;
    end += sprintf(end, "%sTEMP r;\n", head);
    for (GLint i = 0; i < count - 1; i++) end += sprintf(end, i ? "ADD r, r, %d;\n" : "MOV r, %d;\n", i + 1);
    sprintf(end, target == VERTEX ? "MOV result.position, r;\nEND" : "MOV result.color, r;\nEND");
    GLint position = -2, counted = 0;
    glProgramStringARB(target, GL_PROGRAM_FORMAT_ASCII_ARB, (GLsizei)strlen(text), text);
    glGetIntegerv(GL_PROGRAM_ERROR_POSITION_ARB, &position);
    if (loads) {
        EQUAL(position, -1);
        glGetProgramivARB(target, GL_PROGRAM_INSTRUCTIONS_ARB, &counted);
        /* Mesa counts END of the programs that it executes itself. */
        if (strstr(head, "!!NV")) EQUAL(counted, count);
        ERROR(GL_NO_ERROR);
    } else {
        CHECK(position > 0, "%d instructions load", count);
        ERROR(GL_INVALID_OPERATION);
    }
    free(text);
}

/* MAX_PROGRAM_INSTRUCTIONS_ARB is 20, MAX_TEXTURE_COORDS is 2. */
static void expect_limits(void) {
    static const struct {
        GLenum target;
        const char *head;
    } kinds[] = {{VERTEX, "!!ARBvp1.0\n"}, {FRAGMENT, "!!ARBfp1.0\n"}, {FRAGMENT, "!!NVfp4.0\n"}};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        GLint limit = 0, native = 0;
        glGetProgramivARB(kinds[i].target, GL_MAX_PROGRAM_INSTRUCTIONS_ARB, &limit);
        glGetProgramivARB(kinds[i].target, GL_MAX_PROGRAM_NATIVE_INSTRUCTIONS_ARB, &native);
        EQUAL(limit, 20);
        EQUAL(native, 20);
        expect_count(kinds[i].target, kinds[i].head, 20, true);
        expect_count(kinds[i].target, kinds[i].head, 21, false);
    }
    GLint coordinates = 0;
    glGetIntegerv(GL_MAX_TEXTURE_COORDS_ARB, &coordinates);
    EQUAL(coordinates, 2);
    expect(FRAGMENT, "!!ARBfp1.0\nMOV result.color, fragment.texcoord[1];\nEND", NULL);
    expect(FRAGMENT, "!!ARBfp1.0\nMOV result.color, fragment.texcoord[2];\nEND", "2]");
    /* A setting does not raise a limit: the rule asks for 100000 temporaries. */
    GLint temporaries = 0;
    glGetProgramivARB(FRAGMENT, GL_MAX_PROGRAM_TEMPORARIES_ARB, &temporaries);
    CHECK(temporaries > 0 && temporaries < 100000, "%d", temporaries);
}

/* Of Xlib.h and Xutil.h. */
typedef struct {
    unsigned long background_pixmap, background_pixel, border_pixmap, border_pixel;
    int bit_gravity, win_gravity, backing_store;
    unsigned long backing_planes, backing_pixel;
    int save_under;
    long event_mask, do_not_propagate_mask;
    int override_redirect;
    unsigned long colormap, cursor;
} window_attributes;
typedef struct {
    void *visual;
    unsigned long id;
    int screen, depth;
} visual_info;
typedef int handler(void *, void *);

#define X11(name, result, ...) ((result(*)())dlsym(RTLD_DEFAULT, name))(__VA_ARGS__)

static int errors;

static int count_error(void *display, void *event) {
    (void)display, (void)event;
    errors++;
    return 0;
}

/* A window in another one, which has the class "GlasmTest" and the name "name". */
static unsigned long open_window(void *display, void *config) {
    void *(*visual_of)(void *, void *) = glx_function("glXGetVisualFromFBConfig", &display, &config);
    visual_info *visual = visual_of(display, config);
    if (!visual) return 0;
    unsigned long root = X11("XDefaultRootWindow", unsigned long, display);
    window_attributes attributes = {.colormap = X11("XCreateColormap", unsigned long, display, root, visual->visual, 0)};
    unsigned long window = root;
    for (int i = 0; i < 2; i++) {
        window = X11("XCreateWindow", unsigned long, display, window, 0, 0, SIZE, SIZE, 0, visual->depth, 1, visual->visual, 1UL << 3 | 1UL << 13,
                     &attributes);
        char *class_hint[2] = {"name", "GlasmTest"};
        if (i == 0) X11("XSetClassHint", int, display, window, class_hint);
    }
    return window;
}

/* The class of the window decides: not for a context of a pixel buffer, which has none and is current before. */
static void expect_window(bool is_glx_window) {
    void *display, *config;
    int (*use)(void *, unsigned long, unsigned long, void *) = glx_function("glXMakeContextCurrent", &display, &config);
    unsigned long (*create)(void *, void *, unsigned long, const int *) = glx_function("glXCreateWindow", &display, &config);
    X11("XSetErrorHandler", handler *, count_error);
    context first = open_context(NULL), second = open_context(NULL);
    use_context(first);
    expect_default();
    unsigned long window = open_window(display, config);
    if (!window) {
        fprintf(stderr, "the configuration has no windows\n");
        exit(77);
    }
    unsigned long drawable = is_glx_window ? create(display, config, window, NULL) : window;
    CHECK(use(display, drawable, drawable, second), "the context cannot be made current");
    expect_vp40();
    /* The settings remain for other drawables, and a context its extensions. */
    use_context(second);
    expect_vp40();
    use_context(first);
    expect_default();
    EQUAL(errors, 0);
    CHECK(X11("XSetErrorHandler", handler *, NULL) == count_error, "the application has lost its error handler");
}

int main(void) {
    const char *wanted = getenv("CLIENT_CASE");
    start();
    if (!strcmp(wanted, "window") || !strcmp(wanted, "glx window")) {
        expect_window(*wanted == 'g');
        return finish();
    }
    use_context(open_context(NULL));
    if (!strcmp(wanted, "default")) {
        expect_default();
        expect_core(true);
    } else if (!strcmp(wanted, "hidden")) {
        expect_hidden();
        expect_core(false);
    } else if (!strcmp(wanted, "vp40")) expect_vp40();
    else if (!strcmp(wanted, "limits")) expect_limits();
    else mistake(__FILE__, __LINE__, "there is no case %s", wanted);
    return finish();
}
