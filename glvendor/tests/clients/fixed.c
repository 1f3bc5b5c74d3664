/* State that the fixed functions read in front of a fragment program: fog distances (NV_fog_distance) and sizes of points (GL 2.1 section 3.3). */
#include "client.h"

static const char FOG[] = "!!NVfp4.0\nMOV result.color.xyz, 0;\nMAD result.color.x, fragment.fogcoord.x, 0.2, 0.4;\nMOV result.color.w, 1;\nEND";
static const char WHITE[] = "!!NVfp4.0\nMOV result.color, 1;\nEND";

/* The corners have the eye coordinates (+-1, +-1, -0.5, 1): the distance from the eye is 1.5. The color is 0.4 + 0.2 c. */
static void fog_distances(void) {
    load(GL_FRAGMENT_PROGRAM_ARB, FOG);
    glFogi(GL_FOG_COORD_SRC, GL_FRAGMENT_DEPTH);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glTranslatef(0, 0, -0.5f);
    const struct {
        GLint mode;
        float red;
    } cases[] = {{GL_EYE_PLANE_ABSOLUTE_NV, 0.5f}, {GL_EYE_RADIAL_NV, 0.7f}, {GL_EYE_PLANE, 0.3f}, {GL_EYE_RADIAL_NV, 0.7f}};
    /* The initial mode. */
    clear();
    draw_square();
    PIXEL(8, 8, 0.5f, 0, 0, 1);
    for (int i = 0; i < 4; i++) {
        glFogi(GL_FOG_DISTANCE_MODE_NV, cases[i].mode);
        clear();
        draw_square();
        PIXEL(8, 8, cases[i].red, 0, 0, 1);
    }
    glFogi(GL_FOG_DISTANCE_MODE_NV, GL_EYE_PLANE_ABSOLUTE_NV);
    glLoadIdentity();
    ERROR(GL_NO_ERROR);
}

static long count_pixels(void) {
    GLubyte pixels[SIZE * SIZE][4];
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    long count = 0;
    for (int i = 0; i < SIZE * SIZE; i++) count += pixels[i][0] > 127;
    return count;
}

/* Draws a point at the eye coordinates (8, 8, 0, 1), whose squared distance from the eye is 128, and returns the pixels of its square. */
static long draw_point(float a, float b, float c) {
    glPointParameterfv(GL_POINT_DISTANCE_ATTENUATION, (const float[]){a, b, c});
    clear();
    glBegin(GL_POINTS);
    glVertex3f(8, 8, 0);
    glEnd();
    return count_pixels();
}

/* The size is 4 / sqrt(a + b d + c d d), between the bounds. */
static void check_point_sizes(void) {
    EQUAL(draw_point(1, 0, 0), 16);
    EQUAL(draw_point(0.25f, 0, 0), 64);
    EQUAL(draw_point(0, 0, 1.f / 512), 64);
    EQUAL(draw_point(1, 0, 0), 16);
    EQUAL(draw_point(4, 0, 0), 4);
    glPointParameterf(GL_POINT_SIZE_MAX, 6);
    EQUAL(draw_point(0.25f, 0, 0), 36);
    EQUAL(draw_point(1, 0, 0), 16);
    glPointParameterf(GL_POINT_SIZE_MAX, 2);
    EQUAL(draw_point(1, 0, 0), 4);
    glPointParameterf(GL_POINT_SIZE_MAX, 64);
    glPointParameterf(GL_POINT_SIZE_MIN, 6);
    EQUAL(draw_point(1, 0, 0), 36);
    EQUAL(draw_point(4, 0, 0), 36);
    EQUAL(draw_point(0.25f, 0, 0), 64);
    glPointParameterf(GL_POINT_SIZE_MIN, 0);
}

static void point_sizes(void) {
    load(GL_FRAGMENT_PROGRAM_ARB, WHITE);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glOrtho(0, SIZE, 0, SIZE, -1, 1);
    glPointSize(4);
    check_point_sizes();
    EQUAL(glIsEnabled(GL_VERTEX_PROGRAM_POINT_SIZE), GL_FALSE);
    /* The mode is one of vertex programs. */
    glEnable(GL_VERTEX_PROGRAM_POINT_SIZE);
    check_point_sizes();
    GLboolean is_enabled = GL_FALSE;
    glGetBooleanv(GL_VERTEX_PROGRAM_POINT_SIZE, &is_enabled);
    EQUAL(is_enabled, GL_TRUE);
    /* Those have the size that they write, or the constant one. */
    load(GL_VERTEX_PROGRAM_ARB, "!!NVvp4.0\nOPTION ARB_position_invariant;\nMOV result.pointsize.x, 6;\nEND");
    glEnable(GL_VERTEX_PROGRAM_ARB);
    EQUAL(draw_point(0.25f, 0, 0), 36);
    glDisable(GL_VERTEX_PROGRAM_POINT_SIZE);
    EQUAL(draw_point(1, 0, 0), 16);
    glDisable(GL_VERTEX_PROGRAM_ARB);
    EQUAL(draw_point(0.25f, 0, 0), 64);
    EQUAL(glIsEnabled(GL_VERTEX_PROGRAM_POINT_SIZE), GL_FALSE);
    /* The override ends with the program. */
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    EQUAL(draw_point(0.25f, 0, 0), 64);
    EQUAL(draw_point(1, 0, 0), 16);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    glLoadIdentity();
    ERROR(GL_NO_ERROR);
}

int main(void) {
    start();
    use_context(open_context(NULL));
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    fog_distances();
    point_sizes();
    return finish();
}
