/* Parameters, shapes and textures. */
#include "stage.h"

#include <math.h>
#include <stdlib.h>

CGparameter find(int stage, const char *name) {
    return programs[stage] ? cgGetNamedParameter(programs[stage], name) : 0;
}

void set(const char *name, float x, float y, float z, float w) {
    const float values[] = {x, y, z, w};
    if (by_hand) glUniform4fv(glGetUniformLocation(by_hand, name), 1, values);
    EACH(name, parameter) cgGLSetParameter4fv(parameter, values);
}

void set_texture(const char *name, GLenum target, GLuint texture) {
    /* Programs by hand have one texture, in the first unit. */
    if (by_hand && glGetUniformLocation(by_hand, name) >= 0) glBindTexture(target, texture);
    EACH(name, parameter) cgGLSetTextureParameter(parameter, texture);
}

void look(void) {
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glFrustum(-0.7, 0.7, -0.7, 0.7, 2, 10);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glTranslatef(0, 0, -5);
    glRotatef(40, 1, 0.25f, 0);
    glEnable(GL_DEPTH_TEST);
}

void square(void) {
    static const float corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    glBegin(GL_QUADS);
    for (int i = 0; i < 4; i++) {
        const float *at = corners[i];
        glNormal3f(at[0] - 0.5f, at[1] - 0.5f, 1);
        glColor4f(at[0], at[1], 1 - at[0] * at[1], 0.25f + 0.5f * at[1]);
        glMultiTexCoord2f(GL_TEXTURE0, at[0], at[1]);
        glMultiTexCoord4f(GL_TEXTURE1, at[1], 1 - at[0], at[0] * 0.5f, 1 + at[0]);
        glVertex3f(2 * at[0] - 1, 2 * at[1] - 1, 0.25f * at[0]);
    }
    glEnd();
}

static void torus_vertex(int i, int j, int around, int across) {
    float u = (float)i / (float)around, v = (float)j / (float)across, a = 6.2831853f * u, b = 6.2831853f * v;
    glNormal3f(cosf(a) * cosf(b), sinf(a) * cosf(b), sinf(b));
    glColor4f(0.5f + 0.5f * cosf(a), 0.5f + 0.5f * sinf(a), 0.5f + 0.5f * cosf(b), 0.5f + 0.5f * sinf(b));
    glMultiTexCoord2f(GL_TEXTURE0, 2 * u, 2 * v);
    glMultiTexCoord4f(GL_TEXTURE1, cosf(b), sinf(b), u, 1);
    glVertex3f(cosf(a) * (1 + 0.4f * cosf(b)), sinf(a) * (1 + 0.4f * cosf(b)), 0.4f * sinf(b));
}

void torus(void) {
    enum { AROUND = 24, ACROSS = 12 };
    for (int i = 0; i < AROUND; i++) {
        glBegin(GL_TRIANGLE_STRIP);
        for (int j = 0; j <= ACROSS; j++) {
            torus_vertex(i, j, AROUND, ACROSS);
            torus_vertex(i + 1, j, AROUND, ACROSS);
        }
        glEnd();
    }
}

enum { TEXELS = 16 };

static void fill(GLubyte *texels, int depth, int shift) {
    for (int z = 0; z < depth; z++)
        for (int y = 0; y < TEXELS; y++)
            for (int x = 0; x < TEXELS; x++) {
                *texels++ = (GLubyte)(x * 17);
                *texels++ = (GLubyte)(y * 17);
                *texels++ = (GLubyte)((z * 40 + shift * 37 + 30) % 256);
                *texels++ = (GLubyte)(255 - ((x + y) * 8) % 256);
            }
}

static void load_image(GLenum target, int shift) {
    static GLubyte texels[TEXELS * TEXELS * TEXELS * 4];
    bool has_depth = target == GL_TEXTURE_3D || target == GL_TEXTURE_2D_ARRAY;
    fill(texels, has_depth ? 4 : 1, shift);
    if (target == GL_TEXTURE_1D)
        glTexImage1D(target, 0, GL_RGBA8, TEXELS, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    else if (has_depth)
        glTexImage3D(target, 0, GL_RGBA8, TEXELS, TEXELS, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    else
        glTexImage2D(target, 0, GL_RGBA8, TEXELS, TEXELS, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

GLuint smooth_texture(GLenum target, bool has_mipmaps) {
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(target, name);
    if (target == GL_TEXTURE_CUBE_MAP)
        for (int i = 0; i < 6; i++) load_image(GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)i, i);
    else
        load_image(target, 0);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, has_mipmaps ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR);
    if (has_mipmaps) glGenerateMipmap(target);
    if (target == GL_TEXTURE_CUBE_MAP || target == GL_TEXTURE_RECTANGLE) {
        glTexParameteri(target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
        glTexParameteri(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    }
    glBindTexture(target, 0);
    return name;
}

void set_image(const char *name, GLenum target, bool has_mipmaps) {
    set_texture(name, target, smooth_texture(target, has_mipmaps));
}

GLuint depth_texture(void) {
    static float depths[TEXELS * TEXELS];
    for (int i = 0; i < TEXELS * TEXELS; i++) depths[i] = (float)(i % TEXELS) / (TEXELS - 1);
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, TEXELS, TEXELS, 0, GL_DEPTH_COMPONENT, GL_FLOAT, depths);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    glBindTexture(GL_TEXTURE_2D, 0);
    return name;
}
