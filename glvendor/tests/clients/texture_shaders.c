/* Texture shaders: NV_texture_shader, NV_texture_shader2, NV_texture_shader3. Expected colors are computed from the formulas of section
   3.8.13. Textures are looked up without filters; coordinates are in the middle of texels. */
#include "client.h"

#include <stdlib.h>

static GLint stage_value(GLenum name) {
    GLint values[4] = {-1, -1, -1, -1};
    glGetTexEnviv(GL_TEXTURE_SHADER_NV, name, values);
    return values[0];
}

static GLint level_value(GLenum target, GLenum name) {
    GLint value = -1;
    glGetTexLevelParameteriv(target, 0, name, &value);
    return value;
}

static void stage(int unit, GLenum operation) {
    glActiveTexture(GL_TEXTURE0 + unit);
    glTexEnvi(GL_TEXTURE_SHADER_NV, GL_SHADER_OPERATION_NV, (GLint)operation);
}

/* A stage that reads the result of another one. */
static void dependent(int unit, GLenum operation, int previous) {
    stage(unit, operation);
    glTexEnvi(GL_TEXTURE_SHADER_NV, GL_PREVIOUS_TEXTURE_INPUT_NV, GL_TEXTURE0 + previous);
}

static void coordinates(int unit, float s, float t, float r, float q) {
    glMultiTexCoord4f(GL_TEXTURE0 + unit, s, t, r, q);
}

/* A new texture, bound to a target of a unit, without filters. */
static GLuint bind_texture(int unit, GLenum target) {
    GLuint name;
    glGenTextures(1, &name);
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(target, name);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return name;
}

/* A texture of one texel. */
static void texel(int unit, GLenum format, GLenum layout, float x, float y, float z, float w) {
    bind_texture(unit, GL_TEXTURE_2D);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, 1, 1, 0, layout, GL_FLOAT, (const float[]){x, y, z, w});
}

/* Textures of four texels in each direction, whose color is the position of the texel in quarters: (i/4, j/4, k/4, 1). */
static void map_2d(int unit, GLenum target) {
    float colors[4][4][4];
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++) {
            const float color[4] = {i / 4.0f, j / 4.0f, 0, 1};
            memcpy(colors[j][i], color, sizeof color);
        }
    bind_texture(unit, target);
    glTexImage2D(target, 0, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_FLOAT, colors);
}

static void map_1d(int unit) {
    bind_texture(unit, GL_TEXTURE_1D);
    const float colors[4][4] = {{0, 0, 0, 1}, {0.25f, 0, 0, 1}, {0.5f, 0, 0, 1}, {0.75f, 0, 0, 1}};
    glTexImage1D(GL_TEXTURE_1D, 0, GL_RGBA8, 4, 0, GL_RGBA, GL_FLOAT, colors);
}

static void map_3d(int unit) {
    static float colors[4][4][4][4];
    for (int k = 0; k < 4; k++)
        for (int j = 0; j < 4; j++)
            for (int i = 0; i < 4; i++) {
                const float color[4] = {i / 4.0f, j / 4.0f, k / 4.0f, 1};
                memcpy(colors[k][j][i], color, sizeof color);
            }
    bind_texture(unit, GL_TEXTURE_3D);
    glTexImage3D(GL_TEXTURE_3D, 0, GL_RGBA8, 4, 4, 4, 0, GL_RGBA, GL_FLOAT, colors);
}

/* A cube map with one texel on each face: +x is (1, 0, 0), -x (0.5, 0, 0), +y (0, 1, 0) and so on. */
static void map_cube(int unit) {
    bind_texture(unit, GL_TEXTURE_CUBE_MAP);
    for (int face = 0; face < 6; face++) {
        float color[4] = {0, 0, 0, 1};
        color[face / 2] = face % 2 ? 0.5f : 1;
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_FLOAT, color);
    }
}

/* Texture shaders without operations; the last unit with a texel determines the color. */
static void reset(void) {
    glPopAttrib();
    glPushAttrib(GL_TEXTURE_BIT | GL_PIXEL_MODE_BIT);
    glEnable(GL_TEXTURE_SHADER_NV);
    for (int unit = 0; unit < 4; unit++) {
        glActiveTexture(GL_TEXTURE0 + unit);
        glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
        coordinates(unit, 0, 0, 0, 1);
    }
    glColor4f(0.25f, 0.5f, 0.75f, 1);
}

#define DRAWN(...)                \
    do {                          \
        clear();                  \
        draw_square();            \
        PIXEL(8, 8, __VA_ARGS__); \
    } while (0)

/* The square is discarded. */
#define CULLED() DRAWN(0.2f, 0, 0.4f, 0)

static void initial_state(void) {
    EQUAL(glIsEnabled(GL_TEXTURE_SHADER_NV), GL_FALSE);
    GLboolean enabled = 7;
    glGetBooleanv(GL_TEXTURE_SHADER_NV, &enabled);
    EQUAL(enabled, GL_FALSE);
    GLint units = 0;
    glGetIntegerv(GL_MAX_TEXTURE_UNITS, &units);
    CHECK(units >= 4, "%d", units);
    for (int unit = 0; unit < units; unit++) {
        glActiveTexture(GL_TEXTURE0 + unit);
        EQUAL(stage_value(GL_SHADER_OPERATION_NV), GL_NONE);
        GLint modes[4] = {0};
        glGetTexEnviv(GL_TEXTURE_SHADER_NV, GL_CULL_MODES_NV, modes);
        for (int i = 0; i < 4; i++) EQUAL(modes[i], GL_GEQUAL);
        EQUAL(stage_value(GL_RGBA_UNSIGNED_DOT_PRODUCT_MAPPING_NV), GL_UNSIGNED_IDENTITY_NV);
        EQUAL(stage_value(GL_PREVIOUS_TEXTURE_INPUT_NV), GL_TEXTURE0);
        EQUAL(stage_value(GL_SHADER_CONSISTENT_NV), GL_TRUE);
        float vector[4] = {9, 9, 9, 9};
        glGetTexEnvfv(GL_TEXTURE_SHADER_NV, GL_CONST_EYE_NV, vector);
        VECTOR(vector, 0, 0, -1, 9);
        glGetTexEnvfv(GL_TEXTURE_SHADER_NV, GL_OFFSET_TEXTURE_MATRIX_NV, vector);
        VECTOR(vector, 1, 0, 0, 1);
        EQUAL(stage_value(GL_OFFSET_TEXTURE_SCALE_NV), 1);
        EQUAL(stage_value(GL_OFFSET_TEXTURE_BIAS_NV), 0);
    }
    glActiveTexture(GL_TEXTURE0);
    for (int i = 0; i < 12; i++) {
        float value = 9;
        glGetFloatv(GL_HI_SCALE_NV + i, &value);
        CHECK(value == (i < 6), "%d: %g", i, value);
    }
    ERROR(GL_NO_ERROR);
}

/* Operations that depend on no other stage. */
static void single_stages(void) {
    reset();
    DRAWN(0.25f, 0.5f, 0.75f, 1);
    stage(0, GL_PASS_THROUGH_NV);
    coordinates(0, 0.5f, 2, -1, 0.75f);
    DRAWN(0.5f, 1, 0, 0.75f);
    /* Enabled targets have no effect. */
    texel(0, GL_RGBA8, GL_RGBA, 1, 0, 0, 1);
    glEnable(GL_TEXTURE_2D);
    DRAWN(0.5f, 1, 0, 0.75f);
    glDisable(GL_TEXTURE_2D);
    stage(0, GL_TEXTURE_2D);
    map_2d(0, GL_TEXTURE_2D);
    coordinates(0, 1.25f, 0.75f, 0, 2);
    DRAWN(0.5f, 0.25f, 0, 1);
    stage(0, GL_TEXTURE_1D);
    map_1d(0);
    coordinates(0, 1.75f, 0, 0, 2);
    DRAWN(0.75f, 0, 0, 1);
    stage(0, GL_TEXTURE_3D);
    map_3d(0);
    coordinates(0, 1.75f, 0.25f, 0.75f, 2);
    DRAWN(0.75f, 0, 0.25f, 1);
    stage(0, GL_TEXTURE_RECTANGLE_NV);
    map_2d(0, GL_TEXTURE_RECTANGLE_NV);
    coordinates(0, 7, 3, 0, 2);
    DRAWN(0.75f, 0.25f, 0, 1);
    stage(0, GL_TEXTURE_CUBE_MAP);
    map_cube(0);
    coordinates(0, 0, 0, -3, 0);
    DRAWN(0, 0, 0.5f, 1);
    /* Table 3.E: alpha textures are white. */
    texel(0, GL_ALPHA8, GL_ALPHA, 0.5f, 0, 0, 0);
    stage(0, GL_TEXTURE_2D);
    glEnable(GL_REGISTER_COMBINERS_NV);
    glFinalCombinerInputNV(GL_VARIABLE_A_NV, GL_ZERO, GL_UNSIGNED_IDENTITY_NV, GL_RGB);
    glFinalCombinerInputNV(GL_VARIABLE_C_NV, GL_TEXTURE0, GL_UNSIGNED_IDENTITY_NV, GL_RGB);
    glFinalCombinerInputNV(GL_VARIABLE_G_NV, GL_TEXTURE0, GL_UNSIGNED_IDENTITY_NV, GL_ALPHA);
    DRAWN(1, 1, 1, 0.5f);
    /* Without texture shaders they are black, and no unit is enabled. */
    glEnable(GL_TEXTURE_2D);
    glDisable(GL_TEXTURE_SHADER_NV);
    DRAWN(0, 0, 0, 0.5f);
    glDisable(GL_TEXTURE_2D);
    ERROR(GL_NO_ERROR);
}

static void culling(void) {
    reset();
    stage(0, GL_CULL_FRAGMENT_NV);
    coordinates(0, 0, 0, 0, 0);
    DRAWN(0.25f, 0.5f, 0.75f, 1);
    coordinates(0, 1, 1, -0.001f, 1);
    CULLED();
    glTexEnviv(GL_TEXTURE_SHADER_NV, GL_CULL_MODES_NV, (const GLint[]){GL_GEQUAL, GL_GEQUAL, GL_LESS, GL_GEQUAL});
    DRAWN(0.25f, 0.5f, 0.75f, 1);
    coordinates(0, 1, 1, 0, 1);
    CULLED();
    glTexEnvfv(GL_TEXTURE_SHADER_NV, GL_CULL_MODES_NV, (const float[]){GL_LESS, GL_LESS, GL_LESS, GL_LESS});
    CULLED();
    coordinates(0, -1, -2, -3, -4);
    DRAWN(0.25f, 0.5f, 0.75f, 1);
    ERROR(GL_NO_ERROR);
}

/* Sections 3.8.13.1.8 to 3.8.13.1.11, and 24 to 31. The offsets of the texel are (1/2, -1/4), approximately, and the magnitude is 1/2. */
static void offsets(void) {
    static const struct {
        GLenum operation, target;
        bool is_hilo, is_scaled, is_projective;
    } cases[] = {
        {GL_OFFSET_TEXTURE_2D_NV, GL_TEXTURE_2D, false, false, false},
        {GL_OFFSET_TEXTURE_2D_SCALE_NV, GL_TEXTURE_2D, false, true, false},
        {GL_OFFSET_TEXTURE_RECTANGLE_NV, GL_TEXTURE_RECTANGLE_NV, false, false, false},
        {GL_OFFSET_TEXTURE_RECTANGLE_SCALE_NV, GL_TEXTURE_RECTANGLE_NV, false, true, false},
        {GL_OFFSET_PROJECTIVE_TEXTURE_2D_NV, GL_TEXTURE_2D, false, false, true},
        {GL_OFFSET_PROJECTIVE_TEXTURE_2D_SCALE_NV, GL_TEXTURE_2D, false, true, true},
        {GL_OFFSET_PROJECTIVE_TEXTURE_RECTANGLE_NV, GL_TEXTURE_RECTANGLE_NV, false, false, true},
        {GL_OFFSET_PROJECTIVE_TEXTURE_RECTANGLE_SCALE_NV, GL_TEXTURE_RECTANGLE_NV, false, true, true},
        {GL_OFFSET_HILO_TEXTURE_2D_NV, GL_TEXTURE_2D, true, false, false},
        {GL_OFFSET_HILO_TEXTURE_RECTANGLE_NV, GL_TEXTURE_RECTANGLE_NV, true, false, false},
        {GL_OFFSET_HILO_PROJECTIVE_TEXTURE_2D_NV, GL_TEXTURE_2D, true, false, true},
        {GL_OFFSET_HILO_PROJECTIVE_TEXTURE_RECTANGLE_NV, GL_TEXTURE_RECTANGLE_NV, true, false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset();
        if (cases[i].is_hilo)
            texel(0, GL_SIGNED_HILO16_NV, GL_HILO_NV, 0.5f, -0.25f, 0, 0);
        else
            texel(0, GL_DSDT8_MAG8_INTENSITY8_NV, GL_DSDT_MAG_VIB_NV, 0.5f, -0.25f, 0.5f, 1);
        stage(0, GL_TEXTURE_2D);
        map_2d(1, cases[i].target);
        dependent(1, cases[i].operation, 0);
        /* (1/4, 5/8) + (1/2 - 1/8, 1/4 - 1/4), in texels of rectangles four times as much. */
        float scale = cases[i].target == GL_TEXTURE_2D ? 1 : 4, q = cases[i].is_projective ? 2 : 1;
        const float matrix[] = {scale, scale / 2, scale / 2, scale};
        glTexEnvfv(GL_TEXTURE_SHADER_NV, GL_OFFSET_TEXTURE_MATRIX_NV, matrix);
        coordinates(1, 0.25f * scale * q, 0.625f * scale * q, 0, q);
        EQUAL(stage_value(GL_SHADER_CONSISTENT_NV), GL_TRUE);
        if (!cases[i].is_scaled) {
            DRAWN(0.5f, 0.5f, 0, 1);
            continue;
        }
        /* 1/2 (1/2) + 1/4. */
        glTexEnvf(GL_TEXTURE_SHADER_NV, GL_OFFSET_TEXTURE_SCALE_NV, 0.5f);
        glTexEnvf(GL_TEXTURE_SHADER_NV, GL_OFFSET_TEXTURE_BIAS_NV, 0.25f);
        DRAWN(0.25f, 0.25f, 0, 1);
        glTexEnvf(GL_TEXTURE_SHADER_NV, GL_OFFSET_TEXTURE_BIAS_NV, 7);
        DRAWN(0.5f, 0.5f, 0, 1);
        glTexEnvf(GL_TEXTURE_SHADER_NV, GL_OFFSET_TEXTURE_BIAS_NV, -7);
        DRAWN(0, 0, 0, 1);
    }
    ERROR(GL_NO_ERROR);
}

static void dependent_textures(void) {
    reset();
    stage(0, GL_PASS_THROUGH_NV);
    coordinates(0, 0.375f, 0.625f, 0.875f, 0.125f);
    map_2d(1, GL_TEXTURE_2D);
    dependent(1, GL_DEPENDENT_AR_TEXTURE_2D_NV, 0);
    DRAWN(0, 0.25f, 0, 1);
    stage(1, GL_DEPENDENT_GB_TEXTURE_2D_NV);
    DRAWN(0.5f, 0.75f, 0, 1);
    map_3d(1);
    stage(1, GL_DEPENDENT_RGB_TEXTURE_3D_NV);
    DRAWN(0.25f, 0.5f, 0.75f, 1);
    map_cube(1);
    stage(1, GL_DEPENDENT_RGB_TEXTURE_CUBE_MAP_NV);
    /* (-1/4, 1/4, 3/4). */
    DRAWN(0, 0, 1, 1);
    coordinates(0, 0, 0.625f, 0.75f, 1);
    DRAWN(0.5f, 0, 0, 1);
    /* Signed colors are vectors themselves. */
    texel(0, GL_SIGNED_RGB8_NV, GL_RGB, 0.5f, -0.75f, 0.25f, 0);
    stage(0, GL_TEXTURE_2D);
    DRAWN(0, 0.5f, 0, 1);
    stage(1, GL_DEPENDENT_RGB_TEXTURE_3D_NV);
    EQUAL(stage_value(GL_SHADER_CONSISTENT_NV), GL_FALSE);
    /* Unsigned HILO. */
    texel(0, GL_HILO16_NV, GL_HILO_NV, 0.375f, 0.875f, 0, 0);
    stage(1, GL_DEPENDENT_HILO_TEXTURE_2D_NV);
    EQUAL(stage_value(GL_SHADER_CONSISTENT_NV), GL_TRUE);
    DRAWN(0.25f, 0.75f, 0, 1);
    texel(0, GL_SIGNED_HILO16_NV, GL_HILO_NV, 0.375f, 0.875f, 0, 0);
    glActiveTexture(GL_TEXTURE1);
    EQUAL(stage_value(GL_SHADER_CONSISTENT_NV), GL_FALSE);
    DRAWN(0.25f, 0.5f, 0.75f, 1);
    ERROR(GL_NO_ERROR);
}

/* Section 3.8.13.1.14: the dot product of (1/4, 1/2, 1) with the result of unit 0, which is drawn. */
static void dot_product(float wanted) {
    dependent(1, GL_DOT_PRODUCT_PASS_THROUGH_NV, 0);
    coordinates(1, 0.25f, 0.5f, 1, 0);
    DRAWN(wanted, wanted, wanted, wanted);
}

static void dot_products(void) {
    reset();
    stage(0, GL_TEXTURE_2D);
    texel(0, GL_RGBA8, GL_RGBA, 1, 0.2f, 0.4f, 0);
    dot_product(0.75f);
    glTexEnvi(GL_TEXTURE_SHADER_NV, GL_RGBA_UNSIGNED_DOT_PRODUCT_MAPPING_NV, GL_EXPAND_NORMAL_NV);
    coordinates(1, 1, 0.5f, 0, 0);
    DRAWN(0.7f, 0.7f, 0.7f, 0.7f);
    glTexEnvi(GL_TEXTURE_SHADER_NV, GL_RGBA_UNSIGNED_DOT_PRODUCT_MAPPING_NV, GL_FORCE_BLUE_TO_ONE_NV);
    coordinates(1, 0.25f, 0.5f, 0.5f, 0);
    DRAWN(0.85f, 0.85f, 0.85f, 0.85f);
    /* The mapping is that of unsigned RGBA only. */
    texel(0, GL_SIGNED_RGBA8_NV, GL_RGBA, 1, -1, 0.748031496f, -1);
    dot_product(0.498031496f);
    texel(0, GL_HILO16_NV, GL_HILO_NV, 0.5f, 0.25f, 0, 0);
    dot_product(1);
    coordinates(1, 0.25f, 0.5f, 0.25f, 0);
    DRAWN(0.5f, 0.5f, 0.5f, 0.5f);
    /* sqrt(1 - 0.36 - 0.2304) = 0.64. */
    texel(0, GL_SIGNED_HILO16_NV, GL_HILO_NV, 0.6f, -0.48f, 0, 0);
    dot_product(0.15f - 0.24f + 0.64f);
    texel(0, GL_SIGNED_HILO16_NV, GL_HILO_NV, 1, 1, 0, 0);
    dot_product(0.75f);
    texel(0, GL_SIGNED_HILO8_NV, GL_HILO_NV, -1, 1, 0, 0);
    dot_product(0.25f);
    /* Mixed signedness. */
    texel(0, GL_SIGNED_RGB8_UNSIGNED_ALPHA8_NV, GL_RGBA, 1, 1, 1, 1);
    dependent(1, GL_DOT_PRODUCT_PASS_THROUGH_NV, 0);
    EQUAL(stage_value(GL_SHADER_CONSISTENT_NV), GL_FALSE);
    ERROR(GL_NO_ERROR);
}

/* Lookups with dot products of (1, 0, 0), the result of unit 0, and (s, t, r): their s. */
static void dot_product_textures(void) {
    reset();
    stage(0, GL_PASS_THROUGH_NV);
    coordinates(0, 1, 0, 0, 0);
    map_1d(1);
    dependent(1, GL_DOT_PRODUCT_TEXTURE_1D_NV, 0);
    coordinates(1, 0.625f, 9, 9, 9);
    DRAWN(0.5f, 0, 0, 1);
    dependent(1, GL_DOT_PRODUCT_NV, 0);
    map_2d(2, GL_TEXTURE_2D);
    dependent(2, GL_DOT_PRODUCT_TEXTURE_2D_NV, 0);
    coordinates(2, 0.875f, 9, 9, 9);
    DRAWN(0.5f, 0.75f, 0, 1);
    map_2d(2, GL_TEXTURE_RECTANGLE_NV);
    dependent(2, GL_DOT_PRODUCT_TEXTURE_RECTANGLE_NV, 0);
    coordinates(1, 1.5f, 9, 9, 9);
    coordinates(2, 3.5f, 9, 9, 9);
    DRAWN(0.25f, 0.75f, 0, 1);
    dependent(2, GL_DOT_PRODUCT_NV, 0);
    map_3d(3);
    dependent(3, GL_DOT_PRODUCT_TEXTURE_3D_NV, 0);
    coordinates(1, 0.875f, 0, 0, 0);
    coordinates(2, 0.125f, 0, 0, 0);
    coordinates(3, 0.375f, 0, 0, 0);
    DRAWN(0.75f, 0, 0.25f, 1);
    map_cube(3);
    dependent(3, GL_DOT_PRODUCT_TEXTURE_CUBE_MAP_NV, 0);
    coordinates(2, -0.9f, 0, 0, 0);
    DRAWN(0, 0.5f, 0, 1);
    /* N = (0, 1, 1), E = (0, 0, 1): R = (0, 1, 0); with E = (1, 0, 0): (-1, 0, 0). */
    dependent(3, GL_DOT_PRODUCT_REFLECT_CUBE_MAP_NV, 0);
    coordinates(1, 0, 0, 0, 0);
    coordinates(2, 1, 0, 0, 0);
    coordinates(3, 1, 0, 0, 1);
    DRAWN(0, 1, 0, 1);
    coordinates(1, 0, 0, 0, 1);
    coordinates(3, 1, 0, 0, 0);
    DRAWN(0.5f, 0, 0, 1);
    dependent(3, GL_DOT_PRODUCT_CONST_EYE_REFLECT_CUBE_MAP_NV, 0);
    /* E = (0, 0, -1): R = (0, -1, 0). */
    DRAWN(0, 0.5f, 0, 1);
    glTexEnvfv(GL_TEXTURE_SHADER_NV, GL_CONST_EYE_NV, (const float[]){0, 0, 2});
    DRAWN(0, 1, 0, 1);
    /* Unit 2 looks the normal up, (0, 1/2, 1). */
    map_cube(2);
    dependent(2, GL_DOT_PRODUCT_DIFFUSE_CUBE_MAP_NV, 0);
    EQUAL(stage_value(GL_SHADER_CONSISTENT_NV), GL_TRUE);
    coordinates(2, 0.5f, 0, 0, 0);
    glActiveTexture(GL_TEXTURE3);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_NONE);
    DRAWN(0, 0, 1, 1);
    EQUAL(stage_value(GL_SHADER_CONSISTENT_NV), GL_TRUE);
    /* A pair is consistent as a whole. */
    stage(3, GL_NONE);
    glActiveTexture(GL_TEXTURE2);
    EQUAL(stage_value(GL_SHADER_CONSISTENT_NV), GL_FALSE);
    DRAWN(1, 0, 0, 0);
    ERROR(GL_NO_ERROR);
}

/* Sections 3.8.13.1.21 and 3.8.13.1.37: depths outside of the depth range are rejected. */
static void depths(void) {
    reset();
    stage(0, GL_PASS_THROUGH_NV);
    coordinates(0, 1, 0, 0, 0);
    dependent(1, GL_DOT_PRODUCT_NV, 0);
    dependent(2, GL_DOT_PRODUCT_DEPTH_REPLACE_NV, 0);
    glActiveTexture(GL_TEXTURE0);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_NONE);
    coordinates(1, 1, 0, 0, 0);
    coordinates(2, 2, 0, 0, 0);
    DRAWN(0.25f, 0.5f, 0.75f, 1);
    coordinates(1, 2.5f, 0, 0, 0);
    CULLED();
    coordinates(1, -0.5f, 0, 0, 0);
    CULLED();
    dependent(2, GL_DOT_PRODUCT_AFFINE_DEPTH_REPLACE_NV, 0);
    coordinates(2, 0.75f, 0, 0, 0);
    DRAWN(0.25f, 0.5f, 0.75f, 1);
    glDepthRange(0, 0.5f);
    CULLED();
    coordinates(2, 0.25f, 0, 0, 0);
    DRAWN(0.25f, 0.5f, 0.75f, 1);
    glDepthRange(0, 1);
    /* Only one stage replaces the depth. */
    dependent(3, GL_DOT_PRODUCT_AFFINE_DEPTH_REPLACE_NV, 0);
    EQUAL(stage_value(GL_SHADER_CONSISTENT_NV), GL_FALSE);
    ERROR(GL_NO_ERROR);
}

/* The points of a grid, one of each pixel: unit 1 has z, unit 2 has w, and unit 3 has the position, z and w, multiplied by w. */
static void draw_depth_grid(void) {
    glBegin(GL_POINTS);
    for (int y = 0; y < CLIENT_SIZE; y++)
        for (int x = 0; x < CLIENT_SIZE; x++) {
            int number = y * CLIENT_SIZE + x;
            float w = 3 + 0.37f * (float)number, z = w * (0.3f + (float)number / 512);
            coordinates(1, 0, 0, z, 0);
            coordinates(2, 0, 0, w, 0);
            coordinates(3, ((float)x + 0.5f) * w, ((float)y + 0.5f) * w, z, w);
            glVertex2f((2 * (float)x + 1) / CLIENT_SIZE - 1, (2 * (float)y + 1) / CLIENT_SIZE - 1);
        }
    glEnd();
}

/* A comparison divides r by q as the replacement of depths divides dot products: Coin (SORTED_LAYERS_BLEND) draws transparent layers by
   comparing the depths of fragments with those of the layer before. */
static void equal_depths(void) {
    GLuint framebuffer;
    reset();
    bind_texture(3, GL_TEXTURE_RECTANGLE);
    glTexImage2D(GL_TEXTURE_RECTANGLE, 0, GL_DEPTH_COMPONENT32F, CLIENT_SIZE, CLIENT_SIZE, 0, GL_DEPTH_COMPONENT, GL_FLOAT, NULL);
    glTexParameteri(GL_TEXTURE_RECTANGLE, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_RECTANGLE, GL_TEXTURE_COMPARE_FUNC, GL_EQUAL);
    GLint texture = 0;
    glGetIntegerv(GL_TEXTURE_BINDING_RECTANGLE, &texture);
    texel(0, GL_HILO_NV, GL_HILO_NV, 0, 0, 0, 0);
    stage(0, GL_TEXTURE_2D);
    dependent(1, GL_DOT_PRODUCT_NV, 0);
    dependent(2, GL_DOT_PRODUCT_DEPTH_REPLACE_NV, 0);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_RECTANGLE, (GLuint)texture, 0);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    draw_depth_grid();
    glDisable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDeleteFramebuffers(1, &framebuffer);
    stage(3, GL_TEXTURE_RECTANGLE);
    clear();
    draw_depth_grid();
    GLubyte pixels[CLIENT_SIZE * CLIENT_SIZE];
    glReadPixels(0, 0, CLIENT_SIZE, CLIENT_SIZE, GL_RED, GL_UNSIGNED_BYTE, pixels);
    int equal = 0;
    for (size_t i = 0; i < sizeof pixels; i++) equal += pixels[i] == 255;
    EQUAL(equal, CLIENT_SIZE * CLIENT_SIZE);
    ERROR(GL_NO_ERROR);
}

/* Texture environments with negative texels: tables 3.18 and 3.19. */
static void environments(void) {
    reset();
    texel(0, GL_SIGNED_RGBA8_NV, GL_RGBA, -64 / 127.0f, 64 / 127.0f, -1, 1);
    stage(0, GL_TEXTURE_2D);
    DRAWN(0, 64 / 127.0f, 0, 1);
    stage(1, GL_PASS_THROUGH_NV);
    coordinates(1, 1, 1, 0.5f, 0.5f);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_ADD);
    DRAWN(63 / 127.0f, 1, 0, 0.5f);
    /* Mode NONE leaves the color as it is. */
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_NONE);
    GLint mode = -1;
    glGetTexEnviv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, &mode);
    EQUAL(mode, GL_NONE);
    DRAWN(0, 64 / 127.0f, 0, 1);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_MODULATE);
    glGetTexEnviv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, &mode);
    EQUAL(mode, GL_MODULATE);
    glActiveTexture(GL_TEXTURE0);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_BLEND);
    glTexEnvfv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, (const float[]){1, 1, 1, 1});
    stage(1, GL_NONE);
    /* 1/4; 1/2 + 1/2 (64/127); 3/4. */
    DRAWN(0.25f, 0.5f + 0.5f * 64 / 127, 0.75f, 1);
    /* Conventional textures with these formats. */
    glDisable(GL_TEXTURE_SHADER_NV);
    glActiveTexture(GL_TEXTURE0);
    glEnable(GL_TEXTURE_2D);
    DRAWN(0.25f, 0.5f + 0.5f * 64 / 127, 0.75f, 1);
    texel(0, GL_SIGNED_HILO16_NV, GL_HILO_NV, 1, 1, 0, 0);
    DRAWN(0.25f, 0.5f, 0.75f, 1);
    texel(0, GL_DSDT8_MAG8_INTENSITY8_NV, GL_DSDT_MAG_VIB_NV, 1, 1, 1, 0.8f);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
    DRAWN(0.8f, 0.8f, 0.8f, 0.8f);
    texel(0, GL_RGBA8, GL_RGBA, 0, 1, 0, 1);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_NONE);
    DRAWN(0.25f, 0.5f, 0.75f, 1);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
    DRAWN(0, 1, 0, 1);
    glDisable(GL_TEXTURE_2D);
    /* Register combiners see negative values: 1/2 - (-1/2). */
    reset();
    texel(0, GL_SIGNED_RGBA8_NV, GL_RGBA, -64 / 127.0f, 0, 64 / 127.0f, 1);
    stage(0, GL_TEXTURE_2D);
    glEnable(GL_REGISTER_COMBINERS_NV);
    glCombinerInputNV(GL_COMBINER0_NV, GL_RGB, GL_VARIABLE_A_NV, GL_TEXTURE0, GL_SIGNED_NEGATE_NV, GL_RGB);
    DRAWN(64 / 127.0f, 0, 0, 1);
    ERROR(GL_NO_ERROR);
}

/* Formats of textures: queries, pixels of all types, pixel storage and transfers. */
static void formats(void) {
    static const struct {
        GLint format;
        GLenum layout;
        GLenum sizes[5];
    } cases[] = {
        {GL_HILO_NV, GL_HILO_NV, {GL_TEXTURE_HI_SIZE_NV, GL_TEXTURE_LO_SIZE_NV}},
        {GL_HILO16_NV, GL_HILO_NV, {GL_TEXTURE_HI_SIZE_NV, GL_TEXTURE_LO_SIZE_NV}},
        {GL_HILO8_NV, GL_HILO_NV, {GL_TEXTURE_HI_SIZE_NV, GL_TEXTURE_LO_SIZE_NV}},
        {GL_SIGNED_HILO_NV, GL_HILO_NV, {GL_TEXTURE_HI_SIZE_NV, GL_TEXTURE_LO_SIZE_NV}},
        {GL_SIGNED_HILO16_NV, GL_HILO_NV, {GL_TEXTURE_HI_SIZE_NV, GL_TEXTURE_LO_SIZE_NV}},
        {GL_SIGNED_HILO8_NV, GL_HILO_NV, {GL_TEXTURE_HI_SIZE_NV, GL_TEXTURE_LO_SIZE_NV}},
        {GL_DSDT_NV, GL_DSDT_NV, {GL_TEXTURE_DS_SIZE_NV, GL_TEXTURE_DT_SIZE_NV}},
        {GL_DSDT8_NV, GL_DSDT_NV, {GL_TEXTURE_DS_SIZE_NV, GL_TEXTURE_DT_SIZE_NV}},
        {GL_DSDT_MAG_NV, GL_DSDT_MAG_NV, {GL_TEXTURE_DS_SIZE_NV, GL_TEXTURE_DT_SIZE_NV, GL_TEXTURE_MAG_SIZE_NV}},
        {GL_DSDT8_MAG8_NV, GL_DSDT_MAG_NV, {GL_TEXTURE_DS_SIZE_NV, GL_TEXTURE_DT_SIZE_NV, GL_TEXTURE_MAG_SIZE_NV}},
        {GL_DSDT_MAG_INTENSITY_NV, GL_DSDT_MAG_VIB_NV, {GL_TEXTURE_DS_SIZE_NV, GL_TEXTURE_DT_SIZE_NV, GL_TEXTURE_MAG_SIZE_NV, GL_TEXTURE_INTENSITY_SIZE}},
        {GL_DSDT8_MAG8_INTENSITY8_NV, GL_DSDT_MAG_VIB_NV, {GL_TEXTURE_DS_SIZE_NV, GL_TEXTURE_DT_SIZE_NV, GL_TEXTURE_MAG_SIZE_NV, GL_TEXTURE_INTENSITY_SIZE}},
        {GL_SIGNED_RGBA_NV, GL_RGBA, {GL_TEXTURE_RED_SIZE, GL_TEXTURE_GREEN_SIZE, GL_TEXTURE_BLUE_SIZE, GL_TEXTURE_ALPHA_SIZE}},
        {GL_SIGNED_RGBA8_NV, GL_RGBA, {GL_TEXTURE_RED_SIZE, GL_TEXTURE_GREEN_SIZE, GL_TEXTURE_BLUE_SIZE, GL_TEXTURE_ALPHA_SIZE}},
        {GL_SIGNED_RGB_NV, GL_RGB, {GL_TEXTURE_RED_SIZE, GL_TEXTURE_GREEN_SIZE, GL_TEXTURE_BLUE_SIZE}},
        {GL_SIGNED_RGB8_NV, GL_RGB, {GL_TEXTURE_RED_SIZE, GL_TEXTURE_GREEN_SIZE, GL_TEXTURE_BLUE_SIZE}},
        {GL_SIGNED_LUMINANCE_NV, GL_LUMINANCE, {GL_TEXTURE_LUMINANCE_SIZE}},
        {GL_SIGNED_LUMINANCE8_NV, GL_LUMINANCE, {GL_TEXTURE_LUMINANCE_SIZE}},
        {GL_SIGNED_LUMINANCE_ALPHA_NV, GL_LUMINANCE_ALPHA, {GL_TEXTURE_LUMINANCE_SIZE, GL_TEXTURE_ALPHA_SIZE}},
        {GL_SIGNED_LUMINANCE8_ALPHA8_NV, GL_LUMINANCE_ALPHA, {GL_TEXTURE_LUMINANCE_SIZE, GL_TEXTURE_ALPHA_SIZE}},
        {GL_SIGNED_ALPHA_NV, GL_ALPHA, {GL_TEXTURE_ALPHA_SIZE}},
        {GL_SIGNED_ALPHA8_NV, GL_ALPHA, {GL_TEXTURE_ALPHA_SIZE}},
        {GL_SIGNED_INTENSITY_NV, GL_RED, {GL_TEXTURE_INTENSITY_SIZE}},
        {GL_SIGNED_INTENSITY8_NV, GL_RED, {GL_TEXTURE_INTENSITY_SIZE}},
        {GL_SIGNED_RGB_UNSIGNED_ALPHA_NV, GL_RGBA, {GL_TEXTURE_RED_SIZE, GL_TEXTURE_GREEN_SIZE, GL_TEXTURE_BLUE_SIZE, GL_TEXTURE_ALPHA_SIZE}},
        {GL_SIGNED_RGB8_UNSIGNED_ALPHA8_NV, GL_RGBA, {GL_TEXTURE_RED_SIZE, GL_TEXTURE_GREEN_SIZE, GL_TEXTURE_BLUE_SIZE, GL_TEXTURE_ALPHA_SIZE}},
    };
    static const GLenum all[] = {
        GL_TEXTURE_RED_SIZE,       GL_TEXTURE_GREEN_SIZE, GL_TEXTURE_BLUE_SIZE,   GL_TEXTURE_ALPHA_SIZE, GL_TEXTURE_LUMINANCE_SIZE,
        GL_TEXTURE_INTENSITY_SIZE, GL_TEXTURE_HI_SIZE_NV, GL_TEXTURE_LO_SIZE_NV,  GL_TEXTURE_DS_SIZE_NV, GL_TEXTURE_DT_SIZE_NV,
        GL_TEXTURE_MAG_SIZE_NV,
    };
    reset();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        texel(0, (GLenum)cases[i].format, cases[i].layout, 0.5f, -0.5f, 0.25f, 0.75f);
        ERROR(GL_NO_ERROR);
        EQUAL(level_value(GL_TEXTURE_2D, GL_TEXTURE_INTERNAL_FORMAT), cases[i].format);
        for (size_t j = 0; j < sizeof all / sizeof *all; j++) {
            bool has_size = false;
            for (int k = 0; k < 5; k++) has_size |= cases[i].sizes[k] == all[j];
            GLint size = level_value(GL_TEXTURE_2D, all[j]);
            CHECK(has_size ? size >= 8 : size == 0, "%#x %#x: %d", (unsigned)cases[i].format, all[j], size);
        }
        float back[4] = {0};
        glGetTexImage(GL_TEXTURE_2D, 0, cases[i].layout, GL_FLOAT, back);
        bool is_unsigned = cases[i].format == GL_HILO_NV || cases[i].format == GL_HILO16_NV || cases[i].format == GL_HILO8_NV;
        CHECK(back[0] > 0.49f && back[0] < 0.51f, "%#x: %g", (unsigned)cases[i].format, back[0]);
        if (cases[i].sizes[1] && cases[i].sizes[1] != GL_TEXTURE_ALPHA_SIZE)
            CHECK(is_unsigned ? back[1] == 0 : back[1] > -0.51f && back[1] < -0.49f, "%#x: %g", (unsigned)cases[i].format, back[1]);
        ERROR(GL_NO_ERROR);
    }
    /* Levels that the driver generates have the format of the first one. */
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DSDT8_NV, 2, 2, 0, GL_DSDT_NV, GL_FLOAT, (const float[8]){1, 1, 1, 1, 1, 1, 1, 1});
    glGenerateMipmap(GL_TEXTURE_2D);
    GLint level_format = 0;
    glGetTexLevelParameteriv(GL_TEXTURE_2D, 1, GL_TEXTURE_INTERNAL_FORMAT, &level_format);
    EQUAL(level_format, GL_DSDT8_NV);
    ERROR(GL_NO_ERROR);
    /* An ordinary format again. */
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_FLOAT, (const float[4]){1, 0, 0, 1});
    EQUAL(level_value(GL_TEXTURE_2D, GL_TEXTURE_INTERNAL_FORMAT), GL_RGBA8);
    EQUAL(level_value(GL_TEXTURE_2D, GL_TEXTURE_HI_SIZE_NV), 0);
    /* Types, packed ones, too: ds = 1, dt = -1, mag = 1, vib = 51/255. */
    static const GLuint packed = 0x7F81FF33, reversed = 0x33FF817F;
    float group[4];
    bind_texture(0, GL_TEXTURE_2D);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DSDT8_MAG8_INTENSITY8_NV, 1, 1, 0, GL_DSDT_MAG_VIB_NV, GL_UNSIGNED_INT_S8_S8_8_8_NV, &packed);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_DSDT_MAG_VIB_NV, GL_FLOAT, group);
    CHECK(group[0] == 1 && group[1] == -1 && group[2] == 1 && group[3] > 0.199f && group[3] < 0.201f, "%g %g %g %g", group[0], group[1],
          group[2], group[3]);
    GLuint back = 0;
    glGetTexImage(GL_TEXTURE_2D, 0, GL_DSDT_MAG_VIB_NV, GL_UNSIGNED_INT_8_8_S8_S8_REV_NV, &back);
    EQUAL(back, reversed);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DSDT_MAG_INTENSITY_NV, 1, 1, 0, GL_DSDT_MAG_VIB_NV, GL_UNSIGNED_INT_8_8_S8_S8_REV_NV, &reversed);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_DSDT_MAG_VIB_NV, GL_UNSIGNED_INT_S8_S8_8_8_NV, &back);
    EQUAL(back, packed);
    /* Pixel storage: the second pixel of the second row, and a part of an image. */
    const GLshort shorts[2][4] = {{1, 2, 3, 4}, {5, 6, 32767, -16384}};
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 2);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, 1);
    glPixelStorei(GL_UNPACK_SKIP_PIXELS, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_SIGNED_HILO16_NV, 1, 1, 0, GL_HILO_NV, GL_SHORT, shorts);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, 0);
    glPixelStorei(GL_UNPACK_SKIP_PIXELS, 0);
    GLshort pair[2] = {0};
    glGetTexImage(GL_TEXTURE_2D, 0, GL_HILO_NV, GL_SHORT, pair);
    EQUAL(pair[0], 32767);
    EQUAL(pair[1], -16384);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_SIGNED_HILO16_NV, 2, 1, 0, GL_HILO_NV, GL_SHORT, NULL);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 2, 1, GL_HILO_NV, GL_SHORT, shorts);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 1, 0, 1, 1, GL_HILO_NV, GL_SHORT, shorts[1] + 2);
    GLshort row[4] = {0};
    glGetTexImage(GL_TEXTURE_2D, 0, GL_HILO_NV, GL_SHORT, row);
    CHECK(row[0] == 1 && row[1] == 2 && row[2] == 32767 && row[3] == -16384, "%d %d %d %d", row[0], row[1], row[2], row[3]);
    /* A buffer with the pixels. */
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
    glBufferData(GL_PIXEL_UNPACK_BUFFER, sizeof shorts, shorts, GL_STATIC_DRAW);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_SIGNED_HILO16_NV, 1, 1, 0, GL_HILO_NV, GL_SHORT, (const void *)12);
    ERROR(GL_NO_ERROR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_SIGNED_HILO16_NV, 1, 1, 0, GL_HILO_NV, GL_SHORT, (const void *)14);
    ERROR(GL_INVALID_OPERATION);
    GLint bound = 0;
    glGetIntegerv(GL_PIXEL_UNPACK_BUFFER_BINDING, &bound);
    EQUAL(bound, buffer);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_HILO_NV, GL_SHORT, pair);
    EQUAL(pair[0], 32767);
    /* Scales and biases are those of the components; those of colors do not apply. */
    glPixelTransferf(GL_HI_SCALE_NV, 0.5f);
    glPixelTransferf(GL_LO_BIAS_NV, -3);
    glPixelTransferf(GL_RED_SCALE, 0);
    glPixelTransferf(GL_GREEN_BIAS, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_SIGNED_HILO16_NV, 1, 1, 0, GL_HILO_NV, GL_FLOAT, (const float[]){0.5f, 0.5f});
    glGetTexImage(GL_TEXTURE_2D, 0, GL_HILO_NV, GL_FLOAT, group);
    CHECK(group[0] > 0.249f && group[0] < 0.251f && group[1] == -1, "%g %g", group[0], group[1]);
    float value = 0;
    glGetFloatv(GL_HI_SCALE_NV, &value);
    CHECK(value == 0.5f, "%g", value);
    glGetFloatv(GL_GREEN_BIAS, &value);
    CHECK(value == 1, "%g", value);
    GLint number = 0;
    glGetIntegerv(GL_LO_BIAS_NV, &number);
    EQUAL(number, -3);
    /* Colors have theirs; unsigned alpha is not negative. */
    glTexImage2D(GL_TEXTURE_2D, 0, GL_SIGNED_RGB8_UNSIGNED_ALPHA8_NV, 1, 1, 0, GL_RGBA, GL_FLOAT, (const float[]){1, -2, -0.5f, -0.5f});
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_FLOAT, group);
    CHECK(group[0] == 0 && group[1] == -1 && group[2] > -0.51f && group[2] < -0.49f && group[3] == 0, "%g %g %g %g", group[0], group[1],
          group[2], group[3]);
    reset();
    glGetFloatv(GL_HI_SCALE_NV, &value);
    CHECK(value == 1, "%g", value);
    /* Border values are not clamped. */
    bind_texture(0, GL_TEXTURE_2D);
    glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_VALUES_NV, (const float[]){-0.5f, 2, 0, 1});
    glGetTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_VALUES_NV, group);
    VECTOR(group, -0.5f, 2, 0, 1);
    /* Copies of the framebuffer. */
    clear();
    glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_SIGNED_RGBA8_NV, 0, 0, 1, 1, 0);
    ERROR(GL_NO_ERROR);
    EQUAL(level_value(GL_TEXTURE_2D, GL_TEXTURE_INTERNAL_FORMAT), GL_SIGNED_RGBA8_NV);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_FLOAT, group);
    CHECK(group[0] > 0.19f && group[0] < 0.21f, "%g", group[0]);
    ERROR(GL_NO_ERROR);
}

static void operation(int unit, GLenum operation, GLenum error) {
    stage(unit, operation);
    ERROR(error);
}

static void define(GLint format, GLenum layout, GLenum type, GLenum error) {
    static const float pixel[4];
    glTexImage2D(GL_TEXTURE_2D, 0, format, 1, 1, 0, layout, type, pixel);
    ERROR(error);
}

static void errors(void) {
    reset();
    operation(0, GL_DOT_PRODUCT_NV, GL_INVALID_OPERATION);
    operation(0, GL_OFFSET_TEXTURE_2D_NV, GL_INVALID_OPERATION);
    operation(0, GL_DEPENDENT_RGB_TEXTURE_3D_NV, GL_INVALID_OPERATION);
    operation(1, GL_DOT_PRODUCT_TEXTURE_2D_NV, GL_INVALID_OPERATION);
    operation(1, GL_DOT_PRODUCT_DEPTH_REPLACE_NV, GL_INVALID_OPERATION);
    operation(2, GL_DOT_PRODUCT_TEXTURE_3D_NV, GL_INVALID_OPERATION);
    operation(2, GL_DOT_PRODUCT_REFLECT_CUBE_MAP_NV, GL_INVALID_OPERATION);
    operation(1, GL_RGBA, GL_INVALID_ENUM);
    GLint units = 0;
    glGetIntegerv(GL_MAX_TEXTURE_UNITS, &units);
    operation(units - 1, GL_DOT_PRODUCT_NV, GL_INVALID_OPERATION);
    operation(units - 1, GL_DOT_PRODUCT_DIFFUSE_CUBE_MAP_NV, GL_INVALID_OPERATION);
    glActiveTexture(GL_TEXTURE1);
    EQUAL(stage_value(GL_SHADER_OPERATION_NV), GL_NONE);
    glTexEnvi(GL_TEXTURE_SHADER_NV, GL_PREVIOUS_TEXTURE_INPUT_NV, GL_TEXTURE1);
    ERROR(GL_INVALID_OPERATION);
    glTexEnvi(GL_TEXTURE_SHADER_NV, GL_PREVIOUS_TEXTURE_INPUT_NV, GL_TEXTURE_2D);
    ERROR(GL_INVALID_ENUM);
    glTexEnvi(GL_TEXTURE_SHADER_NV, GL_RGBA_UNSIGNED_DOT_PRODUCT_MAPPING_NV, GL_EXPAND_NEGATE_NV);
    ERROR(GL_INVALID_ENUM);
    glTexEnvi(GL_TEXTURE_SHADER_NV, GL_CULL_MODES_NV, GL_LESS);
    ERROR(GL_INVALID_ENUM);
    glTexEnviv(GL_TEXTURE_SHADER_NV, GL_CULL_MODES_NV, (const GLint[]){GL_LESS, GL_LESS, GL_LESS, GL_EQUAL});
    ERROR(GL_INVALID_ENUM);
    glTexEnvf(GL_TEXTURE_SHADER_NV, GL_CONST_EYE_NV, 1);
    ERROR(GL_INVALID_ENUM);
    glTexEnvi(GL_TEXTURE_SHADER_NV, GL_SHADER_CONSISTENT_NV, 1);
    ERROR(GL_INVALID_ENUM);
    EQUAL(stage_value(GL_TEXTURE_ENV_MODE), -1);
    ERROR(GL_INVALID_ENUM);
    glBegin(GL_POINTS);
    glTexEnvi(GL_TEXTURE_SHADER_NV, GL_SHADER_OPERATION_NV, GL_PASS_THROUGH_NV);
    glEnd();
    ERROR(GL_INVALID_OPERATION);
    EQUAL(stage_value(GL_SHADER_OPERATION_NV), GL_NONE);
    /* Stages of units by name. */
    glMultiTexEnviEXT(GL_TEXTURE2, GL_TEXTURE_SHADER_NV, GL_SHADER_OPERATION_NV, GL_DOT_PRODUCT_NV);
    glMultiTexEnviEXT(GL_TEXTURE2, GL_TEXTURE_SHADER_NV, GL_PREVIOUS_TEXTURE_INPUT_NV, GL_TEXTURE1);
    glMultiTexEnvfvEXT(GL_TEXTURE2, GL_TEXTURE_SHADER_NV, GL_OFFSET_TEXTURE_MATRIX_NV, (const float[]){1, 2, 3, 4});
    glMultiTexEnviEXT(GL_TEXTURE2, GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_NONE);
    ERROR(GL_NO_ERROR);
    GLint number = 0;
    glGetMultiTexEnvivEXT(GL_TEXTURE2, GL_TEXTURE_SHADER_NV, GL_PREVIOUS_TEXTURE_INPUT_NV, &number);
    EQUAL(number, GL_TEXTURE1);
    glGetMultiTexEnvivEXT(GL_TEXTURE2, GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, &number);
    EQUAL(number, GL_NONE);
    EQUAL(stage_value(GL_SHADER_OPERATION_NV), GL_NONE);
    glActiveTexture(GL_TEXTURE2);
    EQUAL(stage_value(GL_SHADER_OPERATION_NV), GL_DOT_PRODUCT_NV);
    float vector[4] = {0};
    glGetTexEnvfv(GL_TEXTURE_SHADER_NV, GL_OFFSET_TEXTURE_MATRIX_NV, vector);
    VECTOR(vector, 1, 2, 3, 4);
    glMultiTexEnviEXT(GL_TEXTURE0, GL_TEXTURE_SHADER_NV, GL_SHADER_OPERATION_NV, GL_DOT_PRODUCT_NV);
    ERROR(GL_INVALID_OPERATION);
    glMultiTexEnviEXT(GL_TEXTURE0 + units, GL_TEXTURE_SHADER_NV, GL_SHADER_OPERATION_NV, GL_NONE);
    ERROR(GL_INVALID_OPERATION);
    /* Formats of pixels match internal formats. */
    bind_texture(0, GL_TEXTURE_2D);
    define(GL_RGBA, GL_HILO_NV, GL_FLOAT, GL_INVALID_OPERATION);
    define(GL_SIGNED_RGBA8_NV, GL_HILO_NV, GL_FLOAT, GL_INVALID_OPERATION);
    define(GL_HILO16_NV, GL_RGBA, GL_FLOAT, GL_INVALID_OPERATION);
    define(GL_HILO16_NV, GL_DSDT_NV, GL_FLOAT, GL_INVALID_OPERATION);
    define(GL_DSDT8_NV, GL_DSDT_MAG_NV, GL_FLOAT, GL_INVALID_OPERATION);
    define(GL_DSDT8_MAG8_NV, GL_DSDT_MAG_VIB_NV, GL_FLOAT, GL_INVALID_OPERATION);
    define(GL_DSDT_MAG_INTENSITY_NV, GL_RGBA, GL_FLOAT, GL_INVALID_OPERATION);
    define(GL_DSDT8_NV, GL_DSDT_NV, GL_UNSIGNED_INT_S8_S8_8_8_NV, GL_INVALID_OPERATION);
    define(GL_RGBA8, GL_RGBA, GL_UNSIGNED_INT_S8_S8_8_8_NV, GL_INVALID_OPERATION);
    define(GL_DSDT_MAG_INTENSITY_NV, GL_DSDT_MAG_VIB_NV, GL_UNSIGNED_INT_8_8_8_8, GL_INVALID_OPERATION);
    define(GL_HILO16_NV, GL_HILO_NV, GL_BITMAP, GL_INVALID_ENUM);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_HILO16_NV, -1, 1, 0, GL_HILO_NV, GL_FLOAT, NULL);
    ERROR(GL_INVALID_VALUE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_HILO16_NV, 1, 1, 2, GL_HILO_NV, GL_FLOAT, NULL);
    ERROR(GL_INVALID_VALUE);
    glTexImage2D(GL_TEXTURE_3D, 0, GL_HILO16_NV, 1, 1, 0, GL_HILO_NV, GL_FLOAT, NULL);
    ERROR(GL_INVALID_ENUM);
    define(GL_HILO16_NV, GL_HILO_NV, GL_FLOAT, GL_NO_ERROR);
    float pixel[4] = {0};
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_FLOAT, pixel);
    ERROR(GL_INVALID_OPERATION);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_DSDT_NV, GL_FLOAT, pixel);
    ERROR(GL_INVALID_OPERATION);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 1, 0, 1, 1, GL_HILO_NV, GL_FLOAT, pixel);
    ERROR(GL_INVALID_VALUE);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, 1, 1);
    ERROR(GL_INVALID_OPERATION);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_FLOAT, pixel);
    ERROR(GL_INVALID_OPERATION);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_DSDT_NV, GL_FLOAT, pixel);
    ERROR(GL_INVALID_OPERATION);
    glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_HILO16_NV, 0, 0, 1, 1, 0);
    ERROR(GL_INVALID_OPERATION);
    define(GL_RGBA8, GL_RGBA, GL_FLOAT, GL_NO_ERROR);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_HILO_NV, GL_FLOAT, pixel);
    ERROR(GL_INVALID_OPERATION);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_HILO_NV, GL_FLOAT, pixel);
    ERROR(GL_INVALID_OPERATION);
    glDrawPixels(1, 1, GL_HILO_NV, GL_FLOAT, pixel);
    ERROR(GL_INVALID_ENUM);
    glReadPixels(0, 0, 1, 1, GL_HILO_NV, GL_FLOAT, pixel);
    ERROR(GL_INVALID_ENUM);
}

/* Display lists, attribute stacks, programs instead of texture shaders. */
static void surroundings(void) {
    reset();
    bind_texture(0, GL_TEXTURE_2D);
    float pixel[2] = {0.375f, 0.875f};
    glNewList(1, GL_COMPILE);
    glPixelTransferf(GL_HI_BIAS_NV, 0.25f);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_HILO16_NV, 1, 1, 0, GL_HILO_NV, GL_FLOAT, pixel);
    glTexEnvi(GL_TEXTURE_SHADER_NV, GL_SHADER_OPERATION_NV, GL_TEXTURE_2D);
    glEndList();
    pixel[0] = 0;
    map_2d(1, GL_TEXTURE_2D);
    dependent(1, GL_DEPENDENT_HILO_TEXTURE_2D_NV, 0);
    EQUAL(stage_value(GL_SHADER_CONSISTENT_NV), GL_FALSE);
    glActiveTexture(GL_TEXTURE0);
    glCallList(1);
    EQUAL(stage_value(GL_SHADER_OPERATION_NV), GL_TEXTURE_2D);
    EQUAL(level_value(GL_TEXTURE_2D, GL_TEXTURE_INTERNAL_FORMAT), GL_HILO16_NV);
    DRAWN(0.5f, 0.75f, 0, 1);
    glPixelTransferf(GL_HI_BIAS_NV, 0);
    glNewList(2, GL_COMPILE_AND_EXECUTE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_SIGNED_RGBA8_NV, 1, 1, 0, GL_RGBA, GL_FLOAT, (const float[]){-1, 1, 1, 1});
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_NONE);
    glDisable(GL_TEXTURE_SHADER_NV);
    glEndList();
    EQUAL(level_value(GL_TEXTURE_2D, GL_TEXTURE_INTERNAL_FORMAT), GL_SIGNED_RGBA8_NV);
    EQUAL(glIsEnabled(GL_TEXTURE_SHADER_NV), GL_FALSE);
    define(GL_RGBA8, GL_RGBA, GL_FLOAT, GL_NO_ERROR);
    glEnable(GL_TEXTURE_SHADER_NV);
    glCallList(2);
    EQUAL(level_value(GL_TEXTURE_2D, GL_TEXTURE_INTERNAL_FORMAT), GL_SIGNED_RGBA8_NV);
    EQUAL(glIsEnabled(GL_TEXTURE_SHADER_NV), GL_FALSE);
    glDeleteLists(1, 2);
    /* Attribute stacks. */
    reset();
    stage(0, GL_PASS_THROUGH_NV);
    coordinates(0, 1, 0, 0.5f, 1);
    glPushAttrib(GL_TEXTURE_BIT);
    stage(0, GL_NONE);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_NONE);
    glDisable(GL_TEXTURE_SHADER_NV);
    glPopAttrib();
    DRAWN(1, 0, 0.5f, 1);
    glPushAttrib(GL_ENABLE_BIT);
    glDisable(GL_TEXTURE_SHADER_NV);
    DRAWN(0.25f, 0.5f, 0.75f, 1);
    glPopAttrib();
    DRAWN(1, 0, 0.5f, 1);
    glPushAttrib(GL_PIXEL_MODE_BIT);
    glPixelTransferi(GL_VIBRANCE_SCALE_NV, 7);
    glPopAttrib();
    float value = 0;
    glGetFloatv(GL_VIBRANCE_SCALE_NV, &value);
    CHECK(value == 1, "%g", value);
    /* A fragment program replaces texture shaders; a vertex program precedes them. */
    load(GL_FRAGMENT_PROGRAM_ARB, "!!ARBfp1.0\nMOV result.color, fragment.color.zyxw;\nEND");
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    DRAWN(0.75f, 0.5f, 0.25f, 1);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    DRAWN(1, 0, 0.5f, 1);
    load(GL_VERTEX_PROGRAM_ARB, "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.texcoord[0], {0, 1, 0.25, 1};\nEND");
    glEnable(GL_VERTEX_PROGRAM_ARB);
    DRAWN(0, 1, 0.25f, 1);
    glDisable(GL_VERTEX_PROGRAM_ARB);
    /* Signed HILO textures have three components in fragment programs: NV_fragment_program. */
    texel(0, GL_SIGNED_HILO16_NV, GL_HILO_NV, 0.6f, 0, 0, 0);
    load_nv(GL_FRAGMENT_PROGRAM_NV, "!!FP1.0\nTEX R0, f[TEX0], TEX0, 2D;\nMOV o[COLR], R0;\nEND");
    glEnable(GL_FRAGMENT_PROGRAM_NV);
    DRAWN(0.6f, 0, 0.8f, 1);
    texel(0, GL_HILO16_NV, GL_HILO_NV, 0.6f, 0.2f, 0, 0);
    DRAWN(0.6f, 0.2f, 1, 1);
    glDisable(GL_FRAGMENT_PROGRAM_NV);
    ERROR(GL_NO_ERROR);
}

/* Textures are shared with their formats; stages are not. */
static void contexts(context first) {
    reset();
    GLuint name = bind_texture(0, GL_TEXTURE_2D);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_HILO16_NV, 1, 1, 0, GL_HILO_NV, GL_FLOAT, (const float[]){0.375f, 0.875f});
    stage(0, GL_TEXTURE_2D);
    glFinish();
    context second = open_context(first);
    use_context(second);
    glPushAttrib(GL_TEXTURE_BIT);
    EQUAL(stage_value(GL_SHADER_OPERATION_NV), GL_NONE);
    EQUAL(glIsEnabled(GL_TEXTURE_SHADER_NV), GL_FALSE);
    reset();
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, name);
    EQUAL(level_value(GL_TEXTURE_2D, GL_TEXTURE_INTERNAL_FORMAT), GL_HILO16_NV);
    stage(0, GL_TEXTURE_2D);
    map_2d(1, GL_TEXTURE_2D);
    dependent(1, GL_DEPENDENT_HILO_TEXTURE_2D_NV, 0);
    DRAWN(0.25f, 0.75f, 0, 1);
    ERROR(GL_NO_ERROR);
    use_context(first);
    close_context(second);
}

int main(void) {
    start();
    context first = open_context(NULL);
    use_context(first);
    const char *extensions = (const char *)glGetString(GL_EXTENSIONS);
    CHECK(strstr(extensions, "GL_NV_texture_shader "), "%s", extensions);
    CHECK(strstr(extensions, "GL_NV_texture_shader2 "), "%s", extensions);
    CHECK(strstr(extensions, "GL_NV_texture_shader3 "), "%s", extensions);
    initial_state();
    glPushAttrib(GL_TEXTURE_BIT | GL_PIXEL_MODE_BIT);
    // These draw many different programs, and use the memory of the application in one way.
    if (!getenv("CLIENT_VALGRIND")) {
        single_stages();
        culling();
        offsets();
        dependent_textures();
        dot_products();
        dot_product_textures();
        depths();
        equal_depths();
        environments();
    }
    formats();
    errors();
    surroundings();
    contexts(first);
    return finish();
}
