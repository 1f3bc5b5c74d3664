/* An application of 2003: GLX, a display list, immediate mode, matrices that a vertex program tracks, and the fixed functions for the floor.
 *
 * Its programs are in the languages of NV_vertex_program1_1 and NV_fragment_program, which few drivers ever had:
 *
 *     cc knot.c -o knot -lGL -lX11 -lm
 *     glasm gl -- ./knot                   # a window; Escape ends it
 *     glasm gl -- ./knot --save knot.ppm   # one picture
 */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <X11/keysym.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 480, LENGTH = 480, ROUND = 32 };
static const float PI = 3.14159265f;

/* c[0..3] is projection times modelview, c[4..7] the inverse transpose of the modelview matrix, c[8..11] the modelview matrix. */
static const char vertex_program[] =
    "!!VP1.1\n"
    "DP4 o[HPOS].x, c[0], v[OPOS];\n"
    "DP4 o[HPOS].y, c[1], v[OPOS];\n"
    "DP4 o[HPOS].z, c[2], v[OPOS];\n"
    "DP4 o[HPOS].w, c[3], v[OPOS];\n"
    "DP3 o[TEX0].x, c[4], v[NRML];\n"
    "DP3 o[TEX0].y, c[5], v[NRML];\n"
    "DP3 o[TEX0].z, c[6], v[NRML];\n"
    "DP4 o[TEX1].x, c[8], v[OPOS];\n"
    "DP4 o[TEX1].y, c[9], v[OPOS];\n"
    "DP4 o[TEX1].z, c[10], v[OPOS];\n"
    "MOV o[COL0], v[COL0];\n"
    "END";

/* A lamp at the eye's left shoulder, a highlight, and a rim of light. */
static const char fragment_program[] =
    "!!FP1.0\n"
    "DECLARE lamp = { -4, 6, 2, 1 };\n"
    "DECLARE rim = { 0.25, 0.35, 0.6, 0 };\n"
    "DP3 R0.w, f[TEX0], f[TEX0];\n"
    "RSQ R0.w, R0.w;\n"
    "MUL R0.xyz, f[TEX0], R0.w;\n" /* normal */
    "DP3 R1.w, f[TEX1], f[TEX1];\n"
    "RSQ R1.w, R1.w;\n"
    "MUL R1.xyz, -f[TEX1], R1.w;\n" /* towards the eye */
    "ADD R2.xyz, lamp, -f[TEX1];\n"
    "DP3 R2.w, R2, R2;\n"
    "RSQ R2.w, R2.w;\n"
    "MUL R2.xyz, R2, R2.w;\n" /* towards the lamp */
    "ADD R3.xyz, R1, R2;\n"
    "DP3 R3.w, R3, R3;\n"
    "RSQ R3.w, R3.w;\n"
    "MUL R3.xyz, R3, R3.w;\n"
    "DP3 R4.x, R0, R2;\n"
    "DP3 R4.y, R0, R3;\n"
    "MOV R4.w, {48}.x;\n"
    "LIT R4, R4;\n"
    "DP3_SAT R5.x, R0, R1;\n"
    "ADD R5.x, {1}.x, -R5.x;\n"
    "MUL R5.x, R5.x, R5.x;\n"
    "MAD R6.xyz, f[COL0], R4.y, R4.z;\n"
    "MAD R6.xyz, f[COL0], {0.15}.x, R6;\n"
    "MAD o[COLR].xyz, rim, R5.x, R6;\n"
    "MOV o[COLR].w, {1}.x;\n"
    "END";

static void *find(const char *name)
{
    void *found = (void *)glXGetProcAddressARB((const GLubyte *)name);
    if (!found) {
        fprintf(stderr, "knot: no %s\n", name);
        exit(1);
    }
    return found;
}

static void load(GLenum target, GLuint name, const char *text)
{
    PFNGLLOADPROGRAMNVPROC load_program = (PFNGLLOADPROGRAMNVPROC)find("glLoadProgramNV");
    GLint position;
    load_program(target, name, (GLsizei)strlen(text), (const GLubyte *)text);
    glGetIntegerv(GL_PROGRAM_ERROR_POSITION_NV, &position);
    if (position != -1) {
        fprintf(stderr, "knot: program %u is wrong at byte %d\n%s\n", name, position, (const char *)glGetString(GL_PROGRAM_ERROR_STRING_ARB));
        exit(1);
    }
}

/* A point of the knot, around which a tube is laid. */
static void knot(float t, float *p)
{
    float radius = 1.1f + 0.45f * cosf(3 * t);
    p[0] = radius * cosf(2 * t);
    p[1] = 0.55f * sinf(3 * t);
    p[2] = radius * sinf(2 * t);
}

static void normalize(float *v)
{
    float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int n = 0; n < 3; n++)
        v[n] /= length;
}

static void cross(const float *a, const float *b, float *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void tube_vertex(int along, int around)
{
    float t = 2 * PI * along / LENGTH, angle = 2 * PI * around / ROUND, at[3], ahead[3], tangent[3], side[3], up[3];
    static const float above[3] = {0, 1, 0};
    knot(t, at);
    knot(t + 0.001f, ahead);
    for (int n = 0; n < 3; n++)
        tangent[n] = ahead[n] - at[n];
    normalize(tangent);
    cross(tangent, above, side);
    normalize(side);
    cross(side, tangent, up);
    float normal[3];
    for (int n = 0; n < 3; n++)
        normal[n] = cosf(angle) * side[n] + sinf(angle) * up[n];
    glColor3f(0.55f + 0.35f * cosf(t), 0.35f + 0.3f * cosf(t + 2), 0.35f + 0.35f * cosf(t + 4));
    glNormal3fv(normal);
    glVertex3f(at[0] + 0.2f * normal[0], at[1] + 0.2f * normal[1], at[2] + 0.2f * normal[2]);
}

static void build(GLuint list)
{
    glNewList(list, GL_COMPILE);
    for (int along = 0; along < LENGTH; along++) {
        glBegin(GL_TRIANGLE_STRIP);
        for (int around = 0; around <= ROUND; around++) {
            tube_vertex(along, around);
            tube_vertex(along + 1, around);
        }
        glEnd();
    }
    glEndList();
}

static void floor_of_tiles(void)
{
    glBegin(GL_QUADS);
    for (int x = -8; x < 8; x++)
        for (int z = -8; z < 8; z++) {
            float shade = (x + z) & 1 ? 0.22f : 0.34f;
            glColor3f(shade, shade, shade * 1.15f);
            glVertex3i(x, 0, z);
            glVertex3i(x, 0, z + 1);
            glVertex3i(x + 1, 0, z + 1);
            glVertex3i(x + 1, 0, z);
        }
    glEnd();
}

static void draw(GLuint list, float degrees)
{
    static const float fog[4] = {0.05f, 0.06f, 0.1f, 1};
    glClearColor(fog[0], fog[1], fog[2], 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glFrustum(-0.4 * WIDTH / HEIGHT, 0.4 * WIDTH / HEIGHT, -0.4, 0.4, 1, 40);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glTranslatef(0, 0, -4.6f);
    glRotatef(22, 1, 0, 0);

    glPushMatrix();
    glTranslatef(0, -1.2f, 0);
    glEnable(GL_FOG);
    glFogi(GL_FOG_MODE, GL_LINEAR);
    glFogf(GL_FOG_START, 4);
    glFogf(GL_FOG_END, 12);
    glFogfv(GL_FOG_COLOR, fog);
    floor_of_tiles();
    glDisable(GL_FOG);
    glPopMatrix();

    glEnable(GL_VERTEX_PROGRAM_NV);
    glEnable(GL_FRAGMENT_PROGRAM_NV);
    glRotatef(degrees, 0, 1, 0);
    glRotatef(18, 1, 0, 0);
    glCallList(list);
    glDisable(GL_VERTEX_PROGRAM_NV);
    glDisable(GL_FRAGMENT_PROGRAM_NV);
}

static void save(const char *path)
{
    static unsigned char pixels[HEIGHT][WIDTH][3];
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(1);
    }
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGB, GL_UNSIGNED_BYTE, pixels);
    fprintf(file, "P6\n%d %d\n255\n", WIDTH, HEIGHT);
    for (int row = HEIGHT - 1; row >= 0; row--)
        fwrite(pixels[row], 3, WIDTH, file);
    fclose(file);
}

int main(int count, char **arguments)
{
    Display *display = XOpenDisplay(NULL);
    int wanted[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_DEPTH_SIZE, 16, GLX_RED_SIZE, 8, None};
    XVisualInfo *visual = display ? glXChooseVisual(display, DefaultScreen(display), wanted) : NULL;
    if (!visual) {
        fprintf(stderr, "knot: no display, or no GLX there\n");
        return 1;
    }
    XSetWindowAttributes attributes = {0};
    Window root = RootWindow(display, visual->screen);
    attributes.colormap = XCreateColormap(display, root, visual->visual, AllocNone);
    attributes.event_mask = KeyPressMask;
    Window window = XCreateWindow(display, root, 0, 0, WIDTH, HEIGHT, 0, visual->depth, InputOutput, visual->visual,
                                  CWColormap | CWEventMask, &attributes);
    XStoreName(display, window, "knot");
    XMapWindow(display, window);
    GLXContext context = glXCreateContext(display, visual, NULL, True);
    glXMakeCurrent(display, window, context);

    if (!strstr((const char *)glGetString(GL_EXTENSIONS), "GL_NV_fragment_program")) {
        fprintf(stderr, "knot: the driver has no GL_NV_fragment_program: glasm gl -- %s\n", arguments[0]);
        return 1;
    }
    PFNGLTRACKMATRIXNVPROC track = (PFNGLTRACKMATRIXNVPROC)find("glTrackMatrixNV");
    PFNGLBINDPROGRAMNVPROC bind = (PFNGLBINDPROGRAMNVPROC)find("glBindProgramNV");
    load(GL_VERTEX_PROGRAM_NV, 1, vertex_program);
    load(GL_FRAGMENT_PROGRAM_NV, 2, fragment_program);
    bind(GL_VERTEX_PROGRAM_NV, 1);
    bind(GL_FRAGMENT_PROGRAM_NV, 2);
    track(GL_VERTEX_PROGRAM_NV, 0, GL_MODELVIEW_PROJECTION_NV, GL_IDENTITY_NV);
    track(GL_VERTEX_PROGRAM_NV, 4, GL_MODELVIEW, GL_INVERSE_TRANSPOSE_NV);
    track(GL_VERTEX_PROGRAM_NV, 8, GL_MODELVIEW, GL_IDENTITY_NV);
    GLuint list = glGenLists(1);
    build(list);

    if (count == 3 && !strcmp(arguments[1], "--save")) {
        draw(list, 40);
        save(arguments[2]);
        return glGetError() != GL_NO_ERROR;
    }
    for (float degrees = 0;; degrees += 1) {
        while (XPending(display)) {
            XEvent event;
            XNextEvent(display, &event);
            if (event.type == KeyPress && XLookupKeysym(&event.xkey, 0) == XK_Escape)
                return 0;
        }
        draw(list, degrees);
        glXSwapBuffers(display, window);
    }
}
