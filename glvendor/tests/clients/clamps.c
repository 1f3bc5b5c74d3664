/* Where colors are clamped: ClampColor of ARB_color_buffer_float, sections 2.14.6, 3.9 and 3.10, with float and with fixed-point framebuffers. */
#include "client.h"

/* (2, -1, 0.5, 1) */
static const char VERTEX[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, {2, -1, 0.5, 1};\nMOV result.fogcoord.x, {0.25}.x;\nEND";
static const char FRAGMENT[] = "!!NVfp4.0\nMOV result.color, fragment.color;\nEND";

static void draw(const char *file, int line, const float wanted[4]) {
    float got[4];
    clear();
    draw_square();
    glReadPixels(2, 2, 1, 1, GL_RGBA, GL_FLOAT, got);
    expect_vector(file, line, "the color", got, wanted);
}
#define DRAW(...) draw(__FILE__, __LINE__, (const float[4]){__VA_ARGS__})

static void attach(GLenum format) {
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, 4, 4, 0, GL_RGBA, GL_FLOAT, 0);
    GLuint framebuffer;
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    GLint texture;
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &texture);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, (GLuint)texture, 0);
}

static void clamp(GLenum vertex, GLenum fragment) {
    glClampColor(GL_CLAMP_VERTEX_COLOR, vertex);
    glClampColor(GL_CLAMP_FRAGMENT_COLOR, fragment);
}

/* Colors of a float framebuffer: "clamping is enabled if all enabled color buffers have fixed-point components". */
static void floats(void) {
    attach(GL_RGBA32F);
    clamp(GL_TRUE, GL_FALSE);
    DRAW(1, 0, 0.5f, 1);
    clamp(GL_FIXED_ONLY, GL_FALSE);
    DRAW(2, -1, 0.5f, 1);
    clamp(GL_FALSE, GL_FIXED_ONLY);
    DRAW(2, -1, 0.5f, 1);
    clamp(GL_FALSE, GL_TRUE);
    DRAW(1, 0, 0.5f, 1);
}

/* Those of a texture with fixed-point components. */
static void fixed_points(void) {
    attach(GL_RGBA8_SNORM);
    clamp(GL_FIXED_ONLY, GL_FALSE);
    DRAW(1, 0, 64.0f / 127, 1);
    clamp(GL_FALSE, GL_FALSE);
    DRAW(1, -1, 64.0f / 127, 1);
    clamp(GL_FALSE, GL_FIXED_ONLY);
    DRAW(1, 0, 64.0f / 127, 1);
}

/* The fixed functions of fragments: fog of the color 4, 0, 0 at the coordinate 0.25, from 0 to 1. A quarter is fog, and the factor itself is clamped. */
static void fog(void) {
    attach(GL_RGBA32F);
    glEnable(GL_FOG);
    glFogi(GL_FOG_COORD_SRC, GL_FOG_COORD);
    glFogi(GL_FOG_MODE, GL_LINEAR);
    glFogf(GL_FOG_START, 0);
    glFogfv(GL_FOG_COLOR, (const float[]){4, 0, 0, 1});
    clamp(GL_FALSE, GL_FIXED_ONLY);
    DRAW(2.5f, -0.75f, 0.375f, 1);
    clamp(GL_FALSE, GL_TRUE);
    DRAW(1, 0, 0.375f, 1);
    clamp(GL_FALSE, GL_FALSE);
    glFogf(GL_FOG_END, 0.125f);
    DRAW(4, 0, 0, 1);
    /* exp(-(0 * 0.25)) = 1: no fog. */
    glFogi(GL_FOG_MODE, GL_EXP2);
    glFogf(GL_FOG_DENSITY, 0);
    DRAW(2, -1, 0.5f, 1);
    /* exp(-4 ln 2 * 0.25) = 1/2, exp(-(2 sqrt(ln 2)/0.5 * 0.25)^2) = 1/2. */
    float got[4];
    for (int squared = 0; squared < 2; squared++) {
        glFogi(GL_FOG_MODE, squared ? GL_EXP2 : GL_EXP);
        glFogf(GL_FOG_DENSITY, squared ? 3.33021844f : 2.77258872f);
        draw_square();
        glReadPixels(2, 2, 1, 1, GL_RGBA, GL_FLOAT, got);
        CHECK(got[0] > 2.999f && got[0] < 3.001f && got[1] > -0.501f && got[1] < -0.499f && got[2] > 0.249f && got[2] < 0.251f,
              "(%g %g %g)", got[0], got[1], got[2]);
    }
}

int main(void) {
    start();
    use_context(open_context(0));
    glViewport(0, 0, 4, 4);
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    load(GL_VERTEX_PROGRAM_ARB, VERTEX);
    load(GL_FRAGMENT_PROGRAM_ARB, FRAGMENT);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glClampColor(GL_CLAMP_READ_COLOR, GL_FALSE);
    for (int is_fixed = 0; is_fixed < 2; is_fixed++) {
        (is_fixed ? glDisable : glEnable)(GL_FRAGMENT_PROGRAM_ARB);
        floats();
        fixed_points();
    }
    fog();
    ERROR(GL_NO_ERROR);
    return finish();
}
