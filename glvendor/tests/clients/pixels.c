/* Pixels, copies and bitmaps go through fragment programs: GL 2.1 sections 3.6 and 3.7, ARB_fragment_program sections 3.6.4 and 3.7. */
#include "client.h"

#define NOTHING 0.2f, 0, 0.4f, 0
static const char TURNED[] = "!!NVfp4.0\nMOV result.color, fragment.color.bgra;\nEND";
/* What fragments have besides their color. */
static const char OTHERS[] = "!!NVfp4.0\nMOV result.color.x, fragment.texcoord[0].y;\nMOV result.color.y, fragment.color.secondary.z;\n"
                             "MUL result.color.z, fragment.fogcoord.x, 0.2;\nMOV result.color.w, fragment.position.z;\nEND";
/* Rows from below; red is the column, green is the row. */
static GLubyte image[4][4][4];

static void make_image(void) {
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++) memcpy(image[y][x], (const GLubyte[]){(GLubyte)(51 * x), (GLubyte)(51 * y), 102, 255}, 4);
}

/* A pixel of the image, turned. */
#define OF_IMAGE(x, y, column, row) PIXEL(x, y, 0.4f, 0.2f * (row), 0.2f * (column), 1)

static void colors(void) {
    clear();
    glWindowPos2i(2, 3);
    glDrawPixels(4, 4, GL_RGBA, GL_UNSIGNED_BYTE, image);
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++) OF_IMAGE(2 + x, 3 + y, x, y);
    PIXEL(1, 4, NOTHING);
    PIXEL(6, 4, NOTHING);
    PIXEL(3, 2, NOTHING);
    PIXEL(3, 7, NOTHING);
    /* A part of the image, and other formats: luminance is all three, what is not there is 0, 0, 0, 1. */
    clear();
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 4);
    glPixelStorei(GL_UNPACK_SKIP_PIXELS, 1);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, 2);
    glWindowPos2i(0, 0);
    glDrawPixels(3, 2, GL_BGRA, GL_UNSIGNED_BYTE, image);
    /* Blue is first there, red third. */
    PIXEL(0, 0, 0.2f, 0.4f, 0.4f, 1);
    PIXEL(2, 1, 0.6f, 0.6f, 0.4f, 1);
    PIXEL(3, 0, NOTHING);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    glPixelStorei(GL_UNPACK_SKIP_PIXELS, 0);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, 0);
    glDrawPixels(2, 1, GL_LUMINANCE_ALPHA, GL_FLOAT, (const float[]){0.2f, 0.6f, 2, 0.8f});
    PIXEL(0, 0, 0.2f, 0.2f, 0.2f, 0.6f);
    PIXEL(1, 0, 1, 1, 1, 0.8f);
    /* The program gets colors that are clamped: section 3.6.4, "Final Conversion". */
    load(GL_FRAGMENT_PROGRAM_ARB, "!!NVfp4.0\nMUL result.color, fragment.color, 0.4;\nEND");
    glDrawPixels(1, 1, GL_RED, GL_FLOAT, (const float[]){7});
    PIXEL(0, 0, 0.4f, 0, 0, 0.4f);
    /* Pixel transfer. */
    glPixelTransferf(GL_RED_SCALE, 0.5f);
    glPixelTransferf(GL_GREEN_BIAS, 0.5f);
    glDrawPixels(1, 1, GL_RGB, GL_FLOAT, (const float[]){1, 0, 1});
    /* Reading has it, too. */
    glPixelTransferf(GL_RED_SCALE, 1);
    glPixelTransferf(GL_GREEN_BIAS, 0);
    PIXEL(0, 0, 0.2f, 0.2f, 0.4f, 0.4f);
    load(GL_FRAGMENT_PROGRAM_ARB, TURNED);
    ERROR(GL_NO_ERROR);
}

static void zoom(void) {
    clear();
    glWindowPos2i(2, 2);
    glPixelZoom(2, 3);
    glDrawPixels(4, 4, GL_RGBA, GL_UNSIGNED_BYTE, image);
    OF_IMAGE(2, 2, 0, 0);
    OF_IMAGE(3, 4, 0, 0);
    OF_IMAGE(4, 5, 1, 1);
    OF_IMAGE(9, 13, 3, 3);
    PIXEL(10, 13, NOTHING);
    PIXEL(9, 14, NOTHING);
    clear();
    glPixelZoom(-1, 1);
    glDrawPixels(2, 1, GL_RGBA, GL_UNSIGNED_BYTE, image);
    OF_IMAGE(1, 2, 0, 0);
    OF_IMAGE(0, 2, 1, 0);
    PIXEL(2, 2, NOTHING);
    /* Pixel n of zoom 0.5 is from 2 + n/2 on: the center of fragment 2 is where that of pixel 1 begins. */
    clear();
    glPixelZoom(0.5f, 1);
    glDrawPixels(4, 1, GL_RGBA, GL_UNSIGNED_BYTE, image);
    OF_IMAGE(2, 2, 1, 0);
    OF_IMAGE(3, 2, 3, 0);
    PIXEL(4, 2, NOTHING);
    /* Centers on the left and lower edge belong to a pixel. */
    clear();
    glPixelZoom(1, 1);
    glWindowPos2f(4.5f, 2.75f);
    glDrawPixels(2, 1, GL_RGBA, GL_UNSIGNED_BYTE, image);
    OF_IMAGE(4, 3, 0, 0);
    OF_IMAGE(5, 3, 1, 0);
    PIXEL(6, 3, NOTHING);
    PIXEL(4, 2, NOTHING);
    ERROR(GL_NO_ERROR);
}

/* A color that is evaluated at other places than the center is the same there. */
static void other_places(void) {
    GLint version;
    glGetIntegerv(GL_MAJOR_VERSION, &version);
    if (version < 4) return;
    load(GL_FRAGMENT_PROGRAM_ARB, "!!NVfp5.0\nTEMP c;\nIPAC c, fragment.color;\nMOV result.color, c.bgra;\nEND");
    clear();
    glWindowPos2i(2, 3);
    glPixelZoom(2, -1);
    glDrawPixels(4, 4, GL_RGBA, GL_UNSIGNED_BYTE, image);
    glPixelZoom(1, 1);
    OF_IMAGE(2, 2, 0, 0);
    OF_IMAGE(7, 1, 2, 1);
    OF_IMAGE(9, 0, 3, 2);
    PIXEL(10, 0, NOTHING);
    PIXEL(2, 3, NOTHING);
    load(GL_FRAGMENT_PROGRAM_ARB, TURNED);
    ERROR(GL_NO_ERROR);
}

static void associated_data(void) {
    load(GL_FRAGMENT_PROGRAM_ARB, OTHERS);
    glSecondaryColor3f(0, 0, 0.8f);
    glMultiTexCoord4f(GL_TEXTURE0, 0, 0.6f, 0, 1);
    glFogCoordf(2);
    glFogi(GL_FOG_COORD_SRC, GL_FOG_COORD);
    glWindowPos3f(1, 1, 0.4f);
    glSecondaryColor3f(0, 0, 0);
    glMultiTexCoord4f(GL_TEXTURE0, 0, 0, 0, 1);
    glFogCoordf(0);
    glFogi(GL_FOG_COORD_SRC, GL_FRAGMENT_DEPTH);
    /* State of polygons, viewport and depth range are none of theirs; the depth test is. */
    glEnable(GL_CULL_FACE);
    glCullFace(GL_FRONT);
    glPolygonMode(GL_FRONT, GL_POINT);
    glViewport(8, 8, 2, 2);
    glDepthRange(0.7, 0.9);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    glClearDepth(0.5);
    clear();
    glClear(GL_DEPTH_BUFFER_BIT);
    glDrawPixels(2, 2, GL_RGBA, GL_UNSIGNED_BYTE, image);
    PIXEL(2, 2, 0.6f, 0.8f, 0.4f, 0.4f);
    GLint number[4];
    glGetIntegerv(GL_VIEWPORT, number);
    CHECK(number[0] == 8 && number[2] == 2, "%d %d", number[0], number[2]);
    double range[2];
    glGetDoublev(GL_DEPTH_RANGE, range);
    CHECK(range[0] == 0.7 || range[0] == (double)0.7f, "%g", range[0]);
    EQUAL(glIsEnabled(GL_CULL_FACE), 1);
    glGetIntegerv(GL_POLYGON_MODE, number);
    EQUAL(number[0], GL_POINT);
    EQUAL(number[1], GL_FILL);
    glGetIntegerv(GL_FRONT_FACE, number);
    EQUAL(number[0], GL_CCW);
    glClearDepth(0.3);
    clear();
    glClear(GL_DEPTH_BUFFER_BIT);
    glDrawPixels(2, 2, GL_RGBA, GL_UNSIGNED_BYTE, image);
    PIXEL(2, 2, NOTHING);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glViewport(0, 0, SIZE, SIZE);
    glDepthRange(0, 1);
    load(GL_FRAGMENT_PROGRAM_ARB, TURNED);
    ERROR(GL_NO_ERROR);
}

static void textures(void) {
    static const GLubyte texel[] = {0, 204, 0, 255};
    GLuint name;
    GLint bound;
    glGenTextures(1, &name);
    glActiveTexture(GL_TEXTURE31);
    glBindTexture(GL_TEXTURE_2D, name);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texel);
    load(GL_FRAGMENT_PROGRAM_ARB, "!!NVfp4.0\nTEMP t;\nTEX t, 0, texture[0], 2D;\nADD result.color, t, fragment.color;\nEND");
    clear();
    glWindowPos2i(0, 0);
    glDrawPixels(4, 4, GL_RGBA, GL_UNSIGNED_BYTE, image);
    PIXEL(2, 0, 0.4f, 0.8f, 0.4f, 1);
    for (GLenum unit = 0; unit < 32; unit += 31) {
        glActiveTexture(GL_TEXTURE0 + unit);
        glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
        EQUAL(bound, name);
    }
    glActiveTexture(GL_TEXTURE0);
    glDeleteTextures(1, &name);
    load(GL_FRAGMENT_PROGRAM_ARB, TURNED);
}

static void copies(void) {
    clear();
    glWindowPos2i(0, 0);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    glDrawPixels(4, 4, GL_RGBA, GL_UNSIGNED_BYTE, image);
    PIXEL(3, 2, 0.6f, 0.4f, 0.4f, 1);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    glWindowPos2i(8, 8);
    glCopyPixels(0, 0, 4, 4, GL_COLOR);
    OF_IMAGE(8, 8, 0, 0);
    OF_IMAGE(11, 10, 3, 2);
    PIXEL(12, 8, NOTHING);
    /* The source may be where the copy goes. */
    glWindowPos2i(1, 0);
    glCopyPixels(0, 0, 3, 3, GL_COLOR);
    OF_IMAGE(1, 1, 0, 1);
    OF_IMAGE(3, 1, 2, 1);
    /* Depths are the driver's. */
    glClearDepth(0.25);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    glColorMask(0, 0, 0, 0);
    glWindowPos2i(0, 0);
    glDrawPixels(1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, (const float[]){0.75f});
    glColorMask(1, 1, 1, 1);
    glDisable(GL_DEPTH_TEST);
    float depth[2];
    glReadPixels(0, 0, 2, 1, GL_DEPTH_COMPONENT, GL_FLOAT, depth);
    CHECK(depth[0] > 0.74f && depth[0] < 0.76f && depth[1] < 0.26f, "%g %g", depth[0], depth[1]);
    ERROR(GL_NO_ERROR);
}

/* Rows from below: x..x.... .x, then all ten. */
static const GLubyte BITS[] = {0x90, 0x40, 0, 0, 0xFF, 0xC0, 0, 0};

static void check_bitmap(int x, int y) {
    PIXEL(x, y, 0.8f, 0.4f, 0.2f, 1);
    PIXEL(x + 1, y, NOTHING);
    PIXEL(x + 3, y, 0.8f, 0.4f, 0.2f, 1);
    PIXEL(x + 8, y, NOTHING);
    PIXEL(x + 9, y, 0.8f, 0.4f, 0.2f, 1);
    PIXEL(x + 9, y + 1, 0.8f, 0.4f, 0.2f, 1);
    PIXEL(x + 4, y + 1, 0.8f, 0.4f, 0.2f, 1);
    PIXEL(x + 10, y + 1, NOTHING);
    PIXEL(x + 4, y + 2, NOTHING);
}

static void check_place(float x, float y) {
    float at[4];
    glGetFloatv(GL_CURRENT_RASTER_POSITION, at);
    CHECK(at[0] == x && at[1] == y, "%g %g", at[0], at[1]);
}

static void bitmaps(void) {
    glColor4f(0.2f, 0.4f, 0.8f, 1);
    glWindowPos2f(4.75f, 5.25f);
    /* The color is that of the raster position. */
    glColor4f(1, 1, 1, 1);
    clear();
    glPixelZoom(3, 3);
    glBitmap(10, 2, 2, 1.5f, 5, -1, BITS);
    glPixelZoom(1, 1);
    /* Floors of 2.75 and 3.75. */
    check_bitmap(2, 3);
    check_place(9.75f, 4.25f);
    GLubyte turned[sizeof BITS + 4] = {0};
    for (unsigned i = 0; i < sizeof BITS; i++)
        for (int bit = 0; bit < 8; bit++) turned[4 + i] |= (GLubyte)((BITS[i] >> bit & 1) << (7 - bit));
    glPixelStorei(GL_UNPACK_LSB_FIRST, 1);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, 1);
    clear();
    glBitmap(10, 2, 8, 0, -8, 0, turned);
    check_bitmap(1, 4);
    check_place(1.75f, 4.25f);
    glPixelStorei(GL_UNPACK_LSB_FIRST, 0);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, 0);
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
    glBufferData(GL_PIXEL_UNPACK_BUFFER, sizeof BITS, BITS, GL_STATIC_DRAW);
    clear();
    glBitmap(10, 2, 0, 0, 0, 0, 0);
    check_bitmap(1, 4);
    glDeleteBuffers(1, &buffer);
    ERROR(GL_NO_ERROR);
}

static void lists(void) {
    GLubyte gone[4][4][4], bits[sizeof BITS];
    memcpy(gone, image, sizeof gone);
    memcpy(bits, BITS, sizeof bits);
    GLuint list = glGenLists(2);
    glColor4f(0.2f, 0.4f, 0.8f, 1);
    glNewList(list, GL_COMPILE);
    glWindowPos2i(3, 1);
    glDrawPixels(4, 4, GL_RGBA, GL_UNSIGNED_BYTE, gone);
    glWindowPos2i(2, 8);
    glCopyPixels(3, 1, 4, 4, GL_COLOR);
    glEndList();
    glNewList(list + 1, GL_COMPILE);
    glBitmap(10, 2, 0, 0, 1, 0, bits);
    glEndList();
    memset(gone, 0, sizeof gone);
    memset(bits, 0, sizeof bits);
    clear();
    glCallList(list);
    OF_IMAGE(4, 3, 1, 2);
    /* Turned twice. */
    PIXEL(3, 10, 0.2f, 0.4f, 0.4f, 1);
    clear();
    glWindowPos2i(1, 1);
    glCallList(list + 1);
    check_bitmap(1, 1);
    check_place(2, 1);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    clear();
    glCallList(list);
    PIXEL(4, 3, 0.2f, 0.4f, 0.4f, 1);
    PIXEL(3, 10, 0.2f, 0.4f, 0.4f, 1);
    glWindowPos2i(1, 1);
    clear();
    glCallList(list + 1);
    PIXEL(1, 1, 0.2f, 0.4f, 0.8f, 1);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    glDeleteLists(list, 2);
    ERROR(GL_NO_ERROR);
}

/* Positions that are not valid draw nothing and stay; what is drawn next is as before. */
static void others(void) {
    glDisable(GL_VERTEX_PROGRAM_ARB);
    glRasterPos2i(3, 0);
    clear();
    glDrawPixels(4, 4, GL_RGBA, GL_UNSIGNED_BYTE, image);
    glBitmap(10, 2, 0, 0, 1, 0, BITS);
    for (int i = 0; i < SIZE; i++) PIXEL(i, 0, NOTHING);
    GLboolean valid = 1;
    glGetBooleanv(GL_CURRENT_RASTER_POSITION_VALID, &valid);
    EQUAL(valid, 0);
    glColor4f(0.2f, 0.4f, 0.8f, 1);
    draw_square();
    PIXEL(8, 8, 0.8f, 0.4f, 0.2f, 1);
    ERROR(GL_NO_ERROR);
    glWindowPos2i(0, 0);
    glDrawPixels(-1, 1, GL_RGBA, GL_UNSIGNED_BYTE, image);
    ERROR(GL_INVALID_VALUE);
    glDrawPixels(1, 1, GL_RGBA, GL_TEXTURE_2D, image);
    ERROR(GL_INVALID_ENUM);
    glBindProgramARB(GL_FRAGMENT_PROGRAM_ARB, 0);
    glDrawPixels(1, 1, GL_RGBA, GL_UNSIGNED_BYTE, image);
    ERROR(GL_INVALID_OPERATION);
}

int main(void) {
    start();
    use_context(open_context(0));
    make_image();
    load(GL_FRAGMENT_PROGRAM_ARB, TURNED);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    colors();
    zoom();
    other_places();
    associated_data();
    textures();
    copies();
    bitmaps();
    lists();
    others();
    return finish();
}
