/* All that draws, with programs: primitives, arrays in their ways, pixels and bitmaps; sides, sizes of points, textures, framebuffers. */
#include "client.h"

static const char PASS[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.color;\nEND";
static const char BY_INSTANCE[] = "!!NVvp4.0\nTEMP a;\nI2F a.x, vertex.instance.x;\nMAD result.position.x, a.x, 1, vertex.position.x;\n"
                                  "MOV result.position.yzw, vertex.position;\nMAD result.color, a.x, {-1, 0.2, 0.4, 0}, {1, 0.2, 0, 1};\nEND";
static const char TURNED[] = "!!NVfp4.0\nMOV result.color, fragment.color.bgra;\nEND";
static const float LEFT[4][2] = {{-1, -1}, {0, -1}, {0, 1}, {-1, 1}};
static const float BOTH[8][2] = {{-1, -1}, {0, -1}, {0, 1}, {-1, 1}, {0, -1}, {1, -1}, {1, 1}, {0, 1}};

static void arrays(void) {
    static const GLushort order[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const GLint firsts[] = {0, 4};
    static const GLsizei counts[] = {4, 4};
    static const void *const orders[] = {order, order + 4};
    load(GL_VERTEX_PROGRAM_ARB, PASS);
    glVertexPointer(2, GL_FLOAT, 0, BOTH);
    glEnableClientState(GL_VERTEX_ARRAY);
#define DRAWS(call, number)                                                                                            \
    do {                                                                                                               \
        glColor4f(0.1f * (number), 0.4f, 0.8f, 1);                                                                     \
        clear();                                                                                                       \
        call;                                                                                                          \
        PIXEL(2, 2, 0.1f * (number), 0.4f, 0.8f, 1);                                                                   \
        PIXEL(13, 13, 0.1f * (number), 0.4f, 0.8f, 1);                                                                 \
    } while (0)
    DRAWS(glDrawArrays(GL_QUADS, 0, 8), 0);
    DRAWS(glDrawRangeElements(GL_QUADS, 0, 7, 8, GL_UNSIGNED_SHORT, order), 1);
    DRAWS(glMultiDrawArrays(GL_QUADS, firsts, counts, 2), 2);
    DRAWS(glMultiDrawElements(GL_QUADS, counts, GL_UNSIGNED_SHORT, orders, 2), 3);
    DRAWS(glDrawElementsBaseVertex(GL_QUADS, 4, GL_UNSIGNED_SHORT, order, 4); glDrawElements(GL_QUADS, 4, GL_UNSIGNED_SHORT, order), 4);
    DRAWS(glRecti(-1, -1, 1, 1), 5);
    DRAWS(glRectsv((const GLshort[]){-1, -1}, (const GLshort[]){1, 1}), 6);
    static const float points[] = {-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0};
    glMap2f(GL_MAP2_VERTEX_3, 0, 1, 3, 2, 0, 1, 6, 2, points);
    glEnable(GL_MAP2_VERTEX_3);
    glMapGrid2f(4, 0, 1, 4, 0, 1);
    DRAWS(glEvalMesh2(GL_FILL, 0, 4, 0, 4), 7);
    DRAWS(glBegin(GL_TRIANGLE_STRIP); for (int i = 0; i < 4; i++) glEvalCoord2f((float)(i & 1), (float)(i >> 1)); glEnd(), 8);
    glDisable(GL_MAP2_VERTEX_3);
    /* Instances have numbers: NV_gpu_program4, vertex.instance. */
    load(GL_VERTEX_PROGRAM_ARB, BY_INSTANCE);
    glVertexPointer(2, GL_FLOAT, 0, LEFT);
    clear();
    glDrawArraysInstanced(GL_QUADS, 0, 4, 2);
    PIXEL(2, 8, 1, 0.2f, 0, 1);
    PIXEL(13, 8, 0, 0.4f, 0.4f, 1);
    clear();
    glDrawElementsInstanced(GL_QUADS, 4, GL_UNSIGNED_SHORT, order, 2);
    PIXEL(2, 8, 1, 0.2f, 0, 1);
    PIXEL(13, 8, 0, 0.4f, 0.4f, 1);
    glDisableClientState(GL_VERTEX_ARRAY);
    ERROR(GL_NO_ERROR);
}

/* Raster positions without a vertex program, and pixels without a fragment program, are as if there were no programs. */
static void pixels(void) {
    glDisable(GL_VERTEX_PROGRAM_ARB);
    load(GL_FRAGMENT_PROGRAM_ARB, TURNED);
    GLubyte texels[SIZE * SIZE][4];
    for (int i = 0; i < SIZE * SIZE; i++) memcpy(texels[i], (const GLubyte[]){51, 102, 204, 255}, 4);
    float at[4];
    glRasterPos2f(0, -1);
    glGetFloatv(GL_CURRENT_RASTER_POSITION, at);
    CHECK(at[0] == SIZE / 2 && at[1] == 0, "%g %g", at[0], at[1]);
    glRasterPos2f(-1, -1);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    clear();
    glDrawPixels(SIZE / 2, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    PIXEL(2, 8, 0.2f, 0.4f, 0.8f, 1);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    ERROR(GL_NO_ERROR);
}

static void sides_and_points(void) {
    load(GL_VERTEX_PROGRAM_ARB, "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, {0, 0.8, 0, 1};\n"
                                "MOV result.color.back, {0.8, 0, 0.2, 1};\nMOV result.pointsize.x, 6;\nEND");
    clear();
    draw_square();
    PIXEL(8, 8, 0, 0.8f, 0, 1);
    glFrontFace(GL_CW);
    clear();
    draw_square();
    PIXEL(8, 8, 0, 0.8f, 0, 1);
    glEnable(GL_VERTEX_PROGRAM_TWO_SIDE_ARB);
    clear();
    draw_square();
    PIXEL(8, 8, 0.8f, 0, 0.2f, 1);
    glFrontFace(GL_CCW);
    glDisable(GL_VERTEX_PROGRAM_TWO_SIDE_ARB);
    for (int is_on = 0; is_on < 2; is_on++) {
        (is_on ? glEnable : glDisable)(GL_VERTEX_PROGRAM_POINT_SIZE_ARB);
        clear();
        glBegin(GL_POINTS);
        glVertex2f(0.0625f, 0.0625f);
        glEnd();
        PIXEL(8, 8, 0, 0.8f, 0, 1);
        if (is_on)
            PIXEL(6, 10, 0, 0.8f, 0, 1);
        else
            PIXEL(6, 10, 0.2f, 0, 0.4f, 0);
    }
    glDisable(GL_VERTEX_PROGRAM_POINT_SIZE_ARB);
    ERROR(GL_NO_ERROR);
}

static void textures(void) {
    static const GLubyte texels[3][4] = {{51, 0, 102, 255}, {0, 102, 51, 255}, {204, 51, 0, 255}};
    GLuint names[3];
    glGenTextures(3, names);
    for (GLuint i = 0; i < 3; i++) {
        glActiveTexture(GL_TEXTURE0 + i);
        GLenum target = i == 1 ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
        glBindTexture(target, names[i]);
        glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        if (i == 1)
            for (GLenum face = 0; face < 6; face++)
                glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels[face == 4 ? 1 : 0]);
        else
            glTexImage2D(target, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels[i]);
    }
    load(GL_VERTEX_PROGRAM_ARB, PASS);
    load(GL_FRAGMENT_PROGRAM_ARB, "!!NVfp4.0\nTEMP a, b, c;\nTEX a, 0, texture[0], 2D;\nTEX b, {0, 0, 1, 0}, texture[1], CUBE;\n"
                                  "TEX c, 0, texture[2], 2D;\nADD a, a, b;\nADD result.color, a, c;\nEND");
    clear();
    draw_square();
    PIXEL(8, 8, 1, 0.6f, 0.6f, 1);
    glActiveTexture(GL_TEXTURE2);
    glBindTexture(GL_TEXTURE_2D, names[0]);
    clear();
    draw_square();
    PIXEL(8, 8, 0.4f, 0.4f, 1, 1);
    glActiveTexture(GL_TEXTURE0);
    load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    ERROR(GL_NO_ERROR);
}

static void framebuffers(void) {
    GLuint texture, framebuffer;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, 0);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glViewport(0, 0, 4, 4);
    /* Rows of windows and of textures count from below, both. */
    static const char places[] = "!!NVfp4.0\nMUL result.color, fragment.position.xyyy, {0.1, 0.2, 0.2, 0.2};\nEND";
    load(GL_FRAGMENT_PROGRAM_ARB, places);
    draw_square();
    PIXEL(0, 0, 0.05f, 0.1f, 0.1f, 0.1f);
    PIXEL(2, 3, 0.25f, 0.7f, 0.7f, 0.7f);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, SIZE, SIZE);
    clear();
    draw_square();
    PIXEL(2, 3, 0.25f, 0.7f, 0.7f, 0.7f);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, 4, 4);
    draw_square();
    PIXEL(2, 3, 0.25f, 0.7f, 0.7f, 0.7f);
    PIXEL(0, 0, 0.05f, 0.1f, 0.1f, 0.1f);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, SIZE, SIZE);
    glDeleteFramebuffers(1, &framebuffer);
    load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    ERROR(GL_NO_ERROR);
}

/* NV_vertex_program2_option, section 2.11: distances clip where their planes are enabled, and those that are not written are 0, which clips nothing. */
static void clip_distances(void) {
    static const char written[] = "!!ARBvp1.0\nOPTION NV_vertex_program2;\nMOV result.position, vertex.position;\n"
                                  "MOV result.color, {0.2, 0.4, 0.8, 1};\nMOV result.clip[0].x, vertex.position.x;\n"
                                  "MOV result.clip[2].x, vertex.position.y;\nEND";
    load(GL_VERTEX_PROGRAM_ARB, written);
    load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    /* By planes 0, 1 and 2: which quarters are there, from below, from the left. */
    static const bool there[8][4] = {{1, 1, 1, 1}, {0, 1, 0, 1}, {1, 1, 1, 1}, {0, 1, 0, 1},
                                     {0, 0, 1, 1}, {0, 0, 0, 1}, {0, 0, 1, 1}, {0, 0, 0, 1}};
    for (unsigned planes = 0; planes < 8; planes++) {
        for (unsigned n = 0; n < 3; n++) (planes >> n & 1 ? glEnable : glDisable)(GL_CLIP_DISTANCE0 + n);
        clear();
        draw_square();
        for (int part = 0; part < 4; part++) {
            int x = part % 2 ? 12 : 3, y = part / 2 ? 12 : 3;
            if (there[planes][part])
                PIXEL(x, y, 0.2f, 0.4f, 0.8f, 1);
            else
                PIXEL(x, y, 0.2f, 0, 0.4f, 0);
        }
    }
    for (unsigned n = 0; n < 3; n++) glDisable(GL_CLIP_DISTANCE0 + n);
    ERROR(GL_NO_ERROR);
}

int main(void) {
    start();
    use_context(open_context(0));
    load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    arrays();
    sides_and_points();
    textures();
    framebuffers();
    pixels();
    clip_distances();
    return finish();
}
