/* Register combiners: NV_register_combiners section 3.8.12, NV_register_combiners2. Expected colors are computed from the formulas of
   the tables. */
#include "client.h"

enum { A = GL_VARIABLE_A_NV, B, C, D, E, F, G };
enum { IDENTITY = GL_UNSIGNED_IDENTITY_NV, INVERT = GL_UNSIGNED_INVERT_NV };

static GLint get(GLenum name) {
    GLint value = -1;
    glGetIntegerv(name, &value);
    return value;
}

static GLint input_value(GLenum stage, GLenum portion, GLenum variable, GLenum name) {
    GLint value = -1;
    glGetCombinerInputParameterivNV(stage, portion, variable, name, &value);
    return value;
}

static GLint output_value(GLenum stage, GLenum portion, GLenum name) {
    GLint value = -1;
    glGetCombinerOutputParameterivNV(stage, portion, name, &value);
    return value;
}

static GLint final_value(GLenum variable, GLenum name) {
    GLint value = -1;
    glGetFinalCombinerInputParameterivNV(variable, name, &value);
    return value;
}

/* Both portions of a variable of a stage: the components of a register. */
static void input(int stage, GLenum variable, GLenum reg, GLenum mapping) {
    glCombinerInputNV(GL_COMBINER0_NV + stage, GL_RGB, variable, reg, mapping, GL_RGB);
    glCombinerInputNV(GL_COMBINER0_NV + stage, GL_ALPHA, variable, reg, mapping, GL_ALPHA);
}

static void output(int stage, GLenum ab, GLenum cd, GLenum sum, GLenum scale, GLenum bias) {
    glCombinerOutputNV(GL_COMBINER0_NV + stage, GL_RGB, ab, cd, sum, scale, bias, GL_FALSE, GL_FALSE, GL_FALSE);
    glCombinerOutputNV(GL_COMBINER0_NV + stage, GL_ALPHA, ab, cd, sum, scale, bias, GL_FALSE, GL_FALSE, GL_FALSE);
}

static void constant(int number, float x, float y, float z, float w) {
    glCombinerParameterfvNV(GL_CONSTANT_COLOR0_NV + number, (const float[]){x, y, z, w});
}

/* SPARE0 = A B + C D of one stage, and the final combiner passes it: D and G. */
static void reset(void) {
    glPopAttrib();
    glPushAttrib(GL_TEXTURE_BIT);
    glEnable(GL_REGISTER_COMBINERS_NV);
    glFinalCombinerInputNV(A, GL_ZERO, IDENTITY, GL_RGB);
    glFinalCombinerInputNV(B, GL_ZERO, IDENTITY, GL_RGB);
    glFinalCombinerInputNV(C, GL_ZERO, IDENTITY, GL_RGB);
    glFinalCombinerInputNV(D, GL_SPARE0_NV, IDENTITY, GL_RGB);
    glFinalCombinerInputNV(G, GL_SPARE0_NV, IDENTITY, GL_ALPHA);
}

#define DRAWN(...)             \
    do {                       \
        clear();               \
        draw_square();         \
        PIXEL(8, 8, __VA_ARGS__); \
    } while (0)

/* Tables NV_register_combiners.5 and 6, and the tables of state. */
static void initial_state(void) {
    EQUAL(glIsEnabled(GL_REGISTER_COMBINERS_NV), GL_FALSE);
    EQUAL(get(GL_REGISTER_COMBINERS_NV), GL_FALSE);
    EQUAL(get(GL_PER_STAGE_CONSTANTS_NV), GL_FALSE);
    EQUAL(get(GL_NUM_GENERAL_COMBINERS_NV), 1);
    EQUAL(get(GL_COLOR_SUM_CLAMP_NV), GL_TRUE);
    float color[4] = {9, 9, 9, 9};
    glGetFloatv(GL_CONSTANT_COLOR0_NV, color);
    VECTOR(color, 0, 0, 0, 0);
    for (GLenum stage = GL_COMBINER0_NV; stage <= GL_COMBINER7_NV; stage++) {
        for (int i = 0; i < 2; i++) {
            GLenum portion = i ? GL_ALPHA : GL_RGB;
            for (GLenum variable = A; variable <= D; variable++) {
                EQUAL(input_value(stage, portion, variable, GL_COMBINER_INPUT_NV), variable == A ? GL_PRIMARY_COLOR_NV : GL_ZERO);
                EQUAL(input_value(stage, portion, variable, GL_COMBINER_MAPPING_NV), variable == B ? INVERT : IDENTITY);
                EQUAL(input_value(stage, portion, variable, GL_COMBINER_COMPONENT_USAGE_NV), portion);
            }
            EQUAL(output_value(stage, portion, GL_COMBINER_AB_DOT_PRODUCT_NV), GL_FALSE);
            EQUAL(output_value(stage, portion, GL_COMBINER_CD_DOT_PRODUCT_NV), GL_FALSE);
            EQUAL(output_value(stage, portion, GL_COMBINER_MUX_SUM_NV), GL_FALSE);
            EQUAL(output_value(stage, portion, GL_COMBINER_SCALE_NV), GL_NONE);
            EQUAL(output_value(stage, portion, GL_COMBINER_BIAS_NV), GL_NONE);
            EQUAL(output_value(stage, portion, GL_COMBINER_AB_OUTPUT_NV), GL_DISCARD_NV);
            EQUAL(output_value(stage, portion, GL_COMBINER_CD_OUTPUT_NV), GL_DISCARD_NV);
            EQUAL(output_value(stage, portion, GL_COMBINER_SUM_OUTPUT_NV), GL_SPARE0_NV);
        }
        glGetCombinerStageParameterfvNV(stage, GL_CONSTANT_COLOR1_NV, color);
        VECTOR(color, 0, 0, 0, 0);
    }
    static const GLint inputs[] = {GL_FOG, GL_SPARE0_PLUS_SECONDARY_COLOR_NV, GL_FOG, GL_ZERO, GL_ZERO, GL_ZERO, GL_SPARE0_NV};
    static const GLint usages[] = {GL_ALPHA, GL_RGB, GL_RGB, GL_RGB, GL_RGB, GL_RGB, GL_ALPHA};
    for (int i = 0; i < 7; i++) {
        EQUAL(final_value(A + i, GL_COMBINER_INPUT_NV), inputs[i]);
        EQUAL(final_value(A + i, GL_COMBINER_MAPPING_NV), IDENTITY);
        EQUAL(final_value(A + i, GL_COMBINER_COMPONENT_USAGE_NV), usages[i]);
    }
    ERROR(GL_NO_ERROR);
}

/* Limits: usable at the limit, rejected beyond it. */
static void limits(void) {
    EQUAL(get(GL_MAX_GENERAL_COMBINERS_NV), 8);
    glCombinerParameteriNV(GL_NUM_GENERAL_COMBINERS_NV, 8);
    ERROR(GL_NO_ERROR);
    EQUAL(get(GL_NUM_GENERAL_COMBINERS_NV), 8);
    glCombinerParameteriNV(GL_NUM_GENERAL_COMBINERS_NV, 9);
    ERROR(GL_INVALID_VALUE);
    glCombinerParameterfNV(GL_NUM_GENERAL_COMBINERS_NV, 0);
    ERROR(GL_INVALID_VALUE);
    EQUAL(get(GL_NUM_GENERAL_COMBINERS_NV), 8);
    glCombinerInputNV(GL_COMBINER7_NV + 1, GL_RGB, A, GL_ZERO, IDENTITY, GL_RGB);
    ERROR(GL_INVALID_ENUM);
    /* The last stage adds to what all others pass on: 1/4 + 1/2. */
    reset();
    glColor4f(0.25f, 0.25f, 0.25f, 0.25f);
    glCombinerParameteriNV(GL_NUM_GENERAL_COMBINERS_NV, 8);
    for (int stage = 1; stage < 8; stage++) input(stage, A, GL_SPARE0_NV, IDENTITY);
    constant(1, 0.5f, 0.5f, 0.5f, 0.5f);
    input(7, C, GL_CONSTANT_COLOR1_NV, IDENTITY);
    input(7, D, GL_ZERO, INVERT);
    DRAWN(0.75f, 0.75f, 0.75f, 0.75f);
    /* Registers of textures. */
    GLint units = get(GL_MAX_TEXTURE_UNITS);
    CHECK(units >= 2 && units <= 8, "%d", units);
    glCombinerInputNV(GL_COMBINER0_NV, GL_RGB, A, GL_TEXTURE0 + units - 1, IDENTITY, GL_RGB);
    glFinalCombinerInputNV(A, GL_TEXTURE0 + units - 1, IDENTITY, GL_RGB);
    glCombinerOutputNV(GL_COMBINER0_NV, GL_RGB, GL_TEXTURE0 + units - 1, GL_DISCARD_NV, GL_DISCARD_NV, 0, 0, 0, 0, 0);
    ERROR(GL_NO_ERROR);
    glCombinerInputNV(GL_COMBINER0_NV, GL_RGB, A, GL_TEXTURE0 + units, IDENTITY, GL_RGB);
    ERROR(GL_INVALID_ENUM);
    glFinalCombinerInputNV(A, GL_TEXTURE0 + units, IDENTITY, GL_RGB);
    ERROR(GL_INVALID_ENUM);
    glCombinerOutputNV(GL_COMBINER0_NV, GL_RGB, GL_TEXTURE0 + units, GL_DISCARD_NV, GL_DISCARD_NV, 0, 0, 0, 0, 0);
    ERROR(GL_INVALID_ENUM);
}

/* Table NV_register_combiners.4, with A = e and B = 1: clamped to [0, 1] by the final combiner. */
static void mappings(void) {
    static const struct {
        GLenum mapping;
        float low, high;
    } cases[] = {
        {GL_UNSIGNED_IDENTITY_NV, 0.25f, 0.75f}, {GL_UNSIGNED_INVERT_NV, 0.75f, 0.25f}, {GL_EXPAND_NORMAL_NV, 0, 0.5f},
        {GL_EXPAND_NEGATE_NV, 0.5f, 0},          {GL_HALF_BIAS_NORMAL_NV, 0, 0.25f},    {GL_HALF_BIAS_NEGATE_NV, 0.25f, 0},
        {GL_SIGNED_IDENTITY_NV, 0.25f, 0.75f},   {GL_SIGNED_NEGATE_NV, 0, 0},
    };
    reset();
    glColor4f(0.25f, 0.75f, 0.25f, 0.75f);
    for (int i = 0; i < 8; i++) {
        input(0, A, GL_PRIMARY_COLOR_NV, cases[i].mapping);
        DRAWN(cases[i].low, cases[i].high, cases[i].low, cases[i].high);
    }
    /* Of a negative value, -1/2 and 1/2: the result of a first stage. */
    static const float negative[] = {0, 1, 0, 1, 0, 0.5f, 0, 0.5f}, positive[] = {0.5f, 0.5f, 0, 0, 0, 0, 0.5f, 0};
    glCombinerParameteriNV(GL_NUM_GENERAL_COMBINERS_NV, 2);
    input(0, A, GL_PRIMARY_COLOR_NV, GL_EXPAND_NORMAL_NV);
    for (int i = 0; i < 8; i++) {
        input(1, A, GL_SPARE0_NV, cases[i].mapping);
        DRAWN(negative[i], positive[i], negative[i], positive[i]);
    }
    ERROR(GL_NO_ERROR);
}

/* Products, dot products, sums, selections, scales and biases of a stage. */
static void stages(void) {
    reset();
    glColor4f(0.5f, 0.75f, 1, 0.5f);
    constant(0, 0.5f, 0.25f, 0.5f, 0.5f);
    constant(1, 0.25f, 0.5f, 0.25f, 1);
    input(0, B, GL_CONSTANT_COLOR0_NV, IDENTITY);
    input(0, C, GL_CONSTANT_COLOR1_NV, IDENTITY);
    input(0, D, GL_PRIMARY_COLOR_NV, IDENTITY);
    /* A B = (0.25, 0.1875, 0.5, 0.25), C D = (0.125, 0.375, 0.25, 0.5). */
    DRAWN(0.375f, 0.5625f, 0.75f, 0.75f);
    output(0, GL_SPARE0_NV, GL_DISCARD_NV, GL_DISCARD_NV, GL_NONE, GL_NONE);
    DRAWN(0.25f, 0.1875f, 0.5f, 0.25f);
    output(0, GL_DISCARD_NV, GL_SPARE0_NV, GL_SPARE1_NV, GL_NONE, GL_NONE);
    DRAWN(0.125f, 0.375f, 0.25f, 0.5f);
    output(0, GL_DISCARD_NV, GL_SPARE0_NV, GL_SPARE1_NV, GL_SCALE_BY_TWO_NV, GL_NONE);
    DRAWN(0.25f, 0.75f, 0.5f, 1);
    output(0, GL_DISCARD_NV, GL_SPARE0_NV, GL_SPARE1_NV, GL_SCALE_BY_FOUR_NV, GL_NONE);
    DRAWN(0.5f, 1, 1, 1);
    output(0, GL_DISCARD_NV, GL_SPARE0_NV, GL_SPARE1_NV, GL_SCALE_BY_ONE_HALF_NV, GL_NONE);
    DRAWN(0.0625f, 0.1875f, 0.125f, 0.25f);
    /* Sum - 1/2: (-0.125, 0.0625, 0.25, 0.25), also doubled. */
    output(0, GL_DISCARD_NV, GL_DISCARD_NV, GL_SPARE0_NV, GL_NONE, GL_BIAS_BY_NEGATIVE_ONE_HALF_NV);
    DRAWN(0, 0.0625f, 0.25f, 0.25f);
    output(0, GL_DISCARD_NV, GL_DISCARD_NV, GL_SPARE0_NV, GL_SCALE_BY_TWO_NV, GL_BIAS_BY_NEGATIVE_ONE_HALF_NV);
    DRAWN(0, 0.125f, 0.5f, 0.5f);
    /* Dot products: 0.9375 and 0.75; the alpha portion is unchanged. */
    glCombinerOutputNV(GL_COMBINER0_NV, GL_RGB, GL_SPARE0_NV, GL_SPARE1_NV, GL_DISCARD_NV, GL_NONE, GL_NONE, GL_TRUE, GL_TRUE, GL_FALSE);
    DRAWN(0.9375f, 0.9375f, 0.9375f, 0.5f);
    glCombinerOutputNV(GL_COMBINER0_NV, GL_RGB, GL_SPARE1_NV, GL_SPARE0_NV, GL_DISCARD_NV, GL_NONE, GL_NONE, GL_TRUE, GL_TRUE, GL_FALSE);
    DRAWN(0.75f, 0.75f, 0.75f, 0.5f);
    /* Selections by the alpha of SPARE0: the first stage writes 1/2 - 1/256 or 1/2 there. */
    glCombinerParameteriNV(GL_NUM_GENERAL_COMBINERS_NV, 2);
    for (int i = 0; i < 2; i++) {
        constant(0, 1, 0, 0, i ? 0.5f : 0.49609375f);
        input(0, A, GL_CONSTANT_COLOR0_NV, IDENTITY);
        input(0, B, GL_ZERO, INVERT);
        input(0, C, GL_ZERO, IDENTITY);
        output(0, GL_DISCARD_NV, GL_DISCARD_NV, GL_SPARE0_NV, GL_NONE, GL_NONE);
        input(1, A, GL_PRIMARY_COLOR_NV, IDENTITY);
        input(1, B, GL_ZERO, INVERT);
        input(1, C, GL_CONSTANT_COLOR1_NV, IDENTITY);
        input(1, D, GL_ZERO, INVERT);
        glCombinerOutputNV(GL_COMBINER1_NV, GL_RGB, GL_DISCARD_NV, GL_DISCARD_NV, GL_SPARE0_NV, 0, 0, 0, 0, GL_TRUE);
        glCombinerOutputNV(GL_COMBINER1_NV, GL_ALPHA, GL_DISCARD_NV, GL_DISCARD_NV, GL_SPARE0_NV, 0, 0, 0, 0, GL_TRUE);
        if (i)
            DRAWN(0.25f, 0.5f, 0.25f, 1);
        else
            DRAWN(0.5f, 0.75f, 1, 0.5f);
    }
    /* Blue as the alpha variable, alpha as the RGB variable. */
    glCombinerParameteriNV(GL_NUM_GENERAL_COMBINERS_NV, 1);
    glCombinerInputNV(GL_COMBINER0_NV, GL_RGB, A, GL_PRIMARY_COLOR_NV, IDENTITY, GL_ALPHA);
    glCombinerInputNV(GL_COMBINER0_NV, GL_ALPHA, A, GL_PRIMARY_COLOR_NV, IDENTITY, GL_BLUE);
    DRAWN(0.5f, 0.5f, 0.5f, 1);
    ERROR(GL_NO_ERROR);
}

/* Section 3.8.12.3: A B + (1 - A) C + D, G. */
static void final_combiner(void) {
    reset();
    glColor4f(0.5f, 0.25f, 0.75f, 0.5f);
    glSecondaryColor3f(0.25f, 0.5f, 0.5f);
    constant(0, 1, 0.5f, 0.25f, 0.25f);
    glFinalCombinerInputNV(A, GL_PRIMARY_COLOR_NV, IDENTITY, GL_ALPHA);
    glFinalCombinerInputNV(B, GL_CONSTANT_COLOR0_NV, IDENTITY, GL_RGB);
    glFinalCombinerInputNV(C, GL_SECONDARY_COLOR_NV, IDENTITY, GL_RGB);
    glFinalCombinerInputNV(D, GL_ZERO, IDENTITY, GL_RGB);
    glFinalCombinerInputNV(G, GL_CONSTANT_COLOR0_NV, INVERT, GL_BLUE);
    DRAWN(0.625f, 0.5f, 0.375f, 0.75f);
    /* E F = (0.5, 0.125, 0.1875). */
    glFinalCombinerInputNV(D, GL_E_TIMES_F_NV, IDENTITY, GL_RGB);
    glFinalCombinerInputNV(E, GL_PRIMARY_COLOR_NV, IDENTITY, GL_RGB);
    glFinalCombinerInputNV(F, GL_CONSTANT_COLOR0_NV, IDENTITY, GL_RGB);
    DRAWN(1, 0.625f, 0.5625f, 0.75f);
    /* SPARE0 + secondary color = (0.75, 0.75, 1.25), clamped or not; its half. */
    glFinalCombinerInputNV(A, GL_ZERO, IDENTITY, GL_RGB);
    glFinalCombinerInputNV(D, GL_ZERO, IDENTITY, GL_RGB);
    glFinalCombinerInputNV(A, GL_PRIMARY_COLOR_NV, IDENTITY, GL_ALPHA);
    glFinalCombinerInputNV(B, GL_SPARE0_PLUS_SECONDARY_COLOR_NV, IDENTITY, GL_RGB);
    glFinalCombinerInputNV(C, GL_ZERO, IDENTITY, GL_RGB);
    DRAWN(0.375f, 0.375f, 0.5f, 0.75f);
    glCombinerParameteriNV(GL_COLOR_SUM_CLAMP_NV, GL_FALSE);
    EQUAL(get(GL_COLOR_SUM_CLAMP_NV), GL_FALSE);
    DRAWN(0.375f, 0.375f, 0.625f, 0.75f);
    glSecondaryColor3f(0, 0, 0);
    /* Fog: the initial state of the final combiner. The factor is 1/4. */
    glPopAttrib();
    glPushAttrib(GL_TEXTURE_BIT);
    glEnable(GL_REGISTER_COMBINERS_NV);
    DRAWN(0.5f, 0.25f, 0.75f, 0.5f);
    glEnable(GL_FOG);
    glFogi(GL_FOG_MODE, GL_LINEAR);
    glFogi(GL_FOG_COORD_SRC, GL_FOG_COORD);
    glFogCoordf(0.75f);
    glFogfv(GL_FOG_COLOR, (const float[]){1, 0, 0.25f, 0});
    DRAWN(0.875f, 0.0625f, 0.375f, 0.5f);
    glDisable(GL_FOG);
    DRAWN(0.5f, 0.25f, 0.75f, 0.5f);
    ERROR(GL_NO_ERROR);
}

static void per_stage_constants(void) {
    reset();
    const float colors[2][4] = {{0.25f, 0.5f, 0.75f, 1}, {2, -1, 0.5f, 0.25f}};
    constant(0, 0.5f, 0.5f, 0.5f, 0.5f);
    glCombinerStageParameterfvNV(GL_COMBINER0_NV, GL_CONSTANT_COLOR0_NV, colors[0]);
    glCombinerStageParameterfvNV(GL_COMBINER7_NV, GL_CONSTANT_COLOR1_NV, colors[1]);
    float color[4];
    glGetCombinerStageParameterfvNV(GL_COMBINER7_NV, GL_CONSTANT_COLOR1_NV, color);
    VECTOR(color, 1, 0, 0.5f, 0.25f);
    input(0, A, GL_CONSTANT_COLOR0_NV, IDENTITY);
    DRAWN(0.5f, 0.5f, 0.5f, 0.5f);
    glEnable(GL_PER_STAGE_CONSTANTS_NV);
    EQUAL(glIsEnabled(GL_PER_STAGE_CONSTANTS_NV), GL_TRUE);
    DRAWN(0.25f, 0.5f, 0.75f, 1);
    /* The final combiner has the global constants. */
    glFinalCombinerInputNV(D, GL_CONSTANT_COLOR0_NV, IDENTITY, GL_RGB);
    DRAWN(0.5f, 0.5f, 0.5f, 1);
    glFinalCombinerInputNV(D, GL_SPARE0_NV, IDENTITY, GL_RGB);
    /* Colors change without other state. */
    glCombinerStageParameterfvNV(GL_COMBINER0_NV, GL_CONSTANT_COLOR0_NV, (const float[]){0.75f, 0.25f, 0.5f, 0});
    DRAWN(0.75f, 0.25f, 0.5f, 0);
    glCombinerStageParameterfvNV(GL_COMBINER7_NV + 1, GL_CONSTANT_COLOR0_NV, color);
    ERROR(GL_INVALID_ENUM);
    glCombinerStageParameterfvNV(GL_COMBINER0_NV, GL_NUM_GENERAL_COMBINERS_NV, color);
    ERROR(GL_INVALID_ENUM);
    glGetCombinerStageParameterfvNV(GL_COMBINER0_NV, GL_SPARE0_NV, color);
    ERROR(GL_INVALID_ENUM);
}

static void texture(int unit, GLenum format, GLenum layout, const float *texel) {
    GLuint name;
    glGenTextures(1, &name);
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, 1, 1, 0, layout, GL_FLOAT, texel);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glEnable(GL_TEXTURE_2D);
    glActiveTexture(GL_TEXTURE0);
}

/* Table NV_register_combiners.2: the texture register is drawn, times one. */
static void textures(void) {
    reset();
    glColor4f(1, 1, 1, 1);
    const float texel[] = {0.25f, 0.5f, 0.75f, 0.5f};
    input(0, A, GL_TEXTURE0, IDENTITY);
    texture(0, GL_RGBA8, GL_RGBA, texel);
    DRAWN(0.25f, 0.5f, 0.75f, 0.5f);
    texture(0, GL_RGB8, GL_RGBA, texel);
    DRAWN(0.25f, 0.5f, 0.75f, 1);
    texture(0, GL_ALPHA8, GL_RGBA, texel);
    DRAWN(0, 0, 0, 0.5f);
    texture(0, GL_LUMINANCE8, GL_RGBA, texel);
    DRAWN(0.25f, 0.25f, 0.25f, 1);
    texture(0, GL_LUMINANCE8_ALPHA8, GL_RGBA, texel);
    DRAWN(0.25f, 0.25f, 0.25f, 0.5f);
    texture(0, GL_INTENSITY8, GL_RGBA, texel);
    DRAWN(0.25f, 0.25f, 0.25f, 0.25f);
    /* Depths are alpha, whatever DEPTH_TEXTURE_MODE is; results of comparisons are all components. */
    static const GLint modes[] = {GL_LUMINANCE, GL_INTENSITY, GL_ALPHA};
    texture(0, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, texel + 2);
    for (int i = 0; i < 3; i++) {
        glTexParameteri(GL_TEXTURE_2D, GL_DEPTH_TEXTURE_MODE, modes[i]);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_NONE);
        DRAWN(0, 0, 0, 0.75f);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_R_TO_TEXTURE);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
        glMultiTexCoord3f(GL_TEXTURE0, 0, 0, 0.5f);
        DRAWN(1, 1, 1, 1);
        glMultiTexCoord3f(GL_TEXTURE0, 0, 0, 0.875f);
        DRAWN(0, 0, 0, 0);
    }
    /* Two textures: the second one times the first one. */
    texture(0, GL_RGBA8, GL_RGBA, texel);
    texture(1, GL_RGBA8, GL_RGBA, (const float[]){1, 0.5f, 0, 1});
    input(0, B, GL_TEXTURE1, IDENTITY);
    DRAWN(0.25f, 0.25f, 0, 0.5f);
    /* The environments have no effect. */
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_DECAL);
    DRAWN(0.25f, 0.25f, 0, 0.5f);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_MODULATE);
    /* The initial alpha of SPARE0 is that of texture 0. */
    input(0, A, GL_SPARE0_NV, IDENTITY);
    input(0, B, GL_ZERO, INVERT);
    glCombinerOutputNV(GL_COMBINER0_NV, GL_ALPHA, GL_SPARE0_NV, GL_DISCARD_NV, GL_DISCARD_NV, 0, 0, 0, 0, 0);
    glFinalCombinerInputNV(D, GL_ZERO, IDENTITY, GL_RGB);
    DRAWN(0, 0, 0, 0.5f);
    glDisable(GL_TEXTURE_2D);
    glActiveTexture(GL_TEXTURE1);
    glDisable(GL_TEXTURE_2D);
    glActiveTexture(GL_TEXTURE0);
    ERROR(GL_NO_ERROR);
}

/* Display lists, attribute stacks, programs in place of the combiners or before them, pixels. */
static void surroundings(void) {
    reset();
    glColor4f(0.25f, 0.5f, 0.75f, 1);
    glNewList(1, GL_COMPILE);
    constant(0, 1, 0.5f, 0.25f, 0.5f);
    input(0, A, GL_CONSTANT_COLOR0_NV, IDENTITY);
    glDisable(GL_REGISTER_COMBINERS_NV);
    glEnable(GL_REGISTER_COMBINERS_NV);
    draw_square();
    glEndList();
    DRAWN(0.25f, 0.5f, 0.75f, 1);
    EQUAL(input_value(GL_COMBINER0_NV, GL_RGB, A, GL_COMBINER_INPUT_NV), GL_PRIMARY_COLOR_NV);
    clear();
    glCallList(1);
    PIXEL(8, 8, 1, 0.5f, 0.25f, 0.5f);
    EQUAL(input_value(GL_COMBINER0_NV, GL_RGB, A, GL_COMBINER_INPUT_NV), GL_CONSTANT_COLOR0_NV);
    glPushAttrib(GL_TEXTURE_BIT);
    constant(0, 0, 0, 1, 1);
    input(0, A, GL_PRIMARY_COLOR_NV, INVERT);
    glDisable(GL_REGISTER_COMBINERS_NV);
    DRAWN(0.25f, 0.5f, 0.75f, 1);
    glPopAttrib();
    DRAWN(1, 0.5f, 0.25f, 0.5f);
    float color[4];
    glGetFloatv(GL_CONSTANT_COLOR0_NV, color);
    VECTOR(color, 1, 0.5f, 0.25f, 0.5f);
    GLint numbers[4];
    glGetIntegerv(GL_CONSTANT_COLOR0_NV, numbers);
    EQUAL(numbers[0], 2147483647);
    GLboolean flags[4] = {2, 2, 2, 2};
    glGetBooleanv(GL_CONSTANT_COLOR0_NV, flags);
    EQUAL(flags[3], GL_TRUE);
    double doubles[4];
    glGetDoublev(GL_CONSTANT_COLOR0_NV, doubles);
    CHECK(doubles[1] == 0.5);
    glPushAttrib(GL_ENABLE_BIT);
    constant(0, 0, 0, 1, 1);
    glDisable(GL_REGISTER_COMBINERS_NV);
    glPopAttrib();
    DRAWN(0, 0, 1, 1);
    /* A fragment program replaces the combiners; a vertex program precedes them. */
    load(GL_FRAGMENT_PROGRAM_ARB, "!!ARBfp1.0\nMOV result.color, fragment.color.zyxw;\nEND");
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    DRAWN(0.75f, 0.5f, 0.25f, 1);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    DRAWN(0, 0, 1, 1);
    input(0, A, GL_PRIMARY_COLOR_NV, INVERT);
    load(GL_VERTEX_PROGRAM_ARB, "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.color, {1, 0.25, 0, 0.5};\nEND");
    glEnable(GL_VERTEX_PROGRAM_ARB);
    DRAWN(0, 0.75f, 1, 0.5f);
    glDisable(GL_VERTEX_PROGRAM_ARB);
    DRAWN(0.75f, 0.5f, 0.25f, 0);
    /* Lighting of the fixed functions. */
    glEnable(GL_LIGHTING);
    glLightModelfv(GL_LIGHT_MODEL_AMBIENT, (const float[]){0, 0, 0, 1});
    glMaterialfv(GL_FRONT_AND_BACK, GL_EMISSION, (const float[]){0.25f, 1, 0.5f, 1});
    DRAWN(0.75f, 0, 0.5f, 0);
    glDisable(GL_LIGHTING);
    /* Pixels have the raster position's colors in place of vertices'. */
    clear();
    glRasterPos2f(-1, -1);
    const float pixel[] = {1, 0.75f, 0.25f, 0.5f};
    glPixelZoom(SIZE, SIZE);
    glDrawPixels(1, 1, GL_RGBA, GL_FLOAT, pixel);
    glPixelZoom(1, 1);
    PIXEL(8, 8, 0, 0.25f, 0.75f, 0.5f);
    /* Shaders replace them, too. */
    glDisable(GL_REGISTER_COMBINERS_NV);
    DRAWN(0.25f, 0.5f, 0.75f, 1);
    ERROR(GL_NO_ERROR);
}

static void final_input(GLenum variable, GLenum reg, GLenum mapping, GLenum usage, GLenum error) {
    glFinalCombinerInputNV(variable, reg, mapping, usage);
    ERROR(error);
}

static void general_input(GLenum portion, GLenum variable, GLenum reg, GLenum mapping, GLenum usage, GLenum error) {
    glCombinerInputNV(GL_COMBINER1_NV, portion, variable, reg, mapping, usage);
    ERROR(error);
}

static void general_output(GLenum portion, GLenum ab, GLenum cd, GLenum sum, GLenum scale, GLenum bias, int dots, GLenum error) {
    glCombinerOutputNV(GL_COMBINER1_NV, portion, ab, cd, sum, scale, bias, dots & 1, dots >> 1, GL_FALSE);
    ERROR(error);
}

static void errors(void) {
    const GLenum enumerant = GL_INVALID_ENUM, operation = GL_INVALID_OPERATION, value = GL_INVALID_VALUE;
    float color[4] = {0};
    GLint number = 77;
    glCombinerParameterfNV(GL_CONSTANT_COLOR0_NV, 1);
    ERROR(enumerant);
    glCombinerParameteriNV(GL_CONSTANT_COLOR1_NV, 1);
    ERROR(enumerant);
    glCombinerParameterfvNV(GL_SPARE0_NV, color);
    ERROR(enumerant);
    glCombinerParameterivNV(GL_MAX_GENERAL_COMBINERS_NV, &number);
    ERROR(enumerant);
    general_input(GL_RED, A, GL_ZERO, IDENTITY, GL_RGB, enumerant);
    general_input(GL_RGB, E, GL_ZERO, IDENTITY, GL_RGB, enumerant);
    general_input(GL_RGB, A, GL_E_TIMES_F_NV, IDENTITY, GL_RGB, enumerant);
    general_input(GL_RGB, A, GL_SPARE0_PLUS_SECONDARY_COLOR_NV, IDENTITY, GL_RGB, enumerant);
    general_input(GL_RGB, A, GL_DISCARD_NV, IDENTITY, GL_RGB, enumerant);
    general_input(GL_RGB, A, GL_ZERO, GL_SIGNED_NEGATE_NV + 1, GL_RGB, enumerant);
    general_input(GL_RGB, A, GL_ZERO, IDENTITY, GL_RED, enumerant);
    general_input(GL_RGB, A, GL_ZERO, IDENTITY, GL_BLUE, operation);
    general_input(GL_ALPHA, A, GL_ZERO, IDENTITY, GL_RGB, operation);
    general_input(GL_RGB, A, GL_FOG, IDENTITY, GL_ALPHA, operation);
    general_input(GL_RGB, A, GL_FOG, IDENTITY, GL_RGB, GL_NO_ERROR);
    general_input(GL_ALPHA, A, GL_FOG, IDENTITY, GL_BLUE, GL_NO_ERROR);
    const GLenum spare0 = GL_SPARE0_NV, spare1 = GL_SPARE1_NV, none = GL_DISCARD_NV;
    general_output(GL_RED, spare0, none, none, 0, 0, 0, enumerant);
    general_output(GL_RGB, GL_ZERO, none, none, 0, 0, 0, enumerant);
    general_output(GL_RGB, none, GL_FOG, none, 0, 0, 0, enumerant);
    general_output(GL_RGB, none, none, GL_CONSTANT_COLOR0_NV, 0, 0, 0, enumerant);
    general_output(GL_RGB, spare0, none, none, GL_SCALE_BY_ONE_HALF_NV + 1, 0, 0, enumerant);
    general_output(GL_RGB, spare0, none, none, 0, GL_SCALE_BY_TWO_NV, 0, enumerant);
    general_output(GL_ALPHA, spare0, none, none, 0, 0, 1, value);
    general_output(GL_ALPHA, spare0, none, none, 0, 0, 2, value);
    general_output(GL_RGB, spare0, spare0, none, 0, 0, 0, operation);
    general_output(GL_RGB, spare0, spare1, spare0, 0, 0, 0, operation);
    general_output(GL_RGB, none, spare1, spare1, 0, 0, 0, operation);
    general_output(GL_RGB, spare0, none, none, GL_SCALE_BY_ONE_HALF_NV, GL_BIAS_BY_NEGATIVE_ONE_HALF_NV, 0, operation);
    general_output(GL_RGB, spare0, none, none, GL_SCALE_BY_FOUR_NV, GL_BIAS_BY_NEGATIVE_ONE_HALF_NV, 0, operation);
    EQUAL(output_value(GL_COMBINER1_NV, GL_RGB, GL_COMBINER_AB_OUTPUT_NV), none);
    general_output(GL_RGB, none, none, none, GL_SCALE_BY_TWO_NV, GL_BIAS_BY_NEGATIVE_ONE_HALF_NV, 3, GL_NO_ERROR);
    EQUAL(output_value(GL_COMBINER1_NV, GL_RGB, GL_COMBINER_CD_DOT_PRODUCT_NV), GL_TRUE);
    EQUAL(output_value(GL_COMBINER1_NV, GL_RGB, GL_COMBINER_BIAS_NV), GL_BIAS_BY_NEGATIVE_ONE_HALF_NV);
    final_input(A, GL_SPARE0_PLUS_SECONDARY_COLOR_NV, IDENTITY, GL_RGB, operation);
    final_input(A, GL_E_TIMES_F_NV, IDENTITY, GL_RGB, GL_NO_ERROR);
    final_input(E, GL_E_TIMES_F_NV, IDENTITY, GL_RGB, operation);
    final_input(F, GL_SPARE0_PLUS_SECONDARY_COLOR_NV, IDENTITY, GL_RGB, operation);
    final_input(G, GL_E_TIMES_F_NV, IDENTITY, GL_ALPHA, operation);
    final_input(G, GL_SPARE0_NV, IDENTITY, GL_RGB, operation);
    final_input(D, GL_SPARE0_NV, IDENTITY, GL_BLUE, operation);
    final_input(D, GL_E_TIMES_F_NV, IDENTITY, GL_ALPHA, operation);
    final_input(D, GL_SPARE0_NV, GL_SIGNED_IDENTITY_NV, GL_RGB, enumerant);
    final_input(G + 1, GL_SPARE0_NV, IDENTITY, GL_RGB, enumerant);
    final_input(G, GL_FOG, IDENTITY, GL_ALPHA, GL_NO_ERROR);
    EQUAL(input_value(GL_COMBINER0_NV, GL_RGB, E, GL_COMBINER_INPUT_NV), -1);
    ERROR(enumerant);
    EQUAL(input_value(GL_COMBINER0_NV, GL_RGB, A, GL_COMBINER_SCALE_NV), -1);
    ERROR(enumerant);
    EQUAL(output_value(GL_COMBINER0_NV, GL_RGB, GL_COMBINER_INPUT_NV), -1);
    ERROR(enumerant);
    EQUAL(output_value(GL_COMBINER0_NV - 1, GL_RGB, GL_COMBINER_SCALE_NV), -1);
    ERROR(enumerant);
    EQUAL(final_value(G + 1, GL_COMBINER_INPUT_NV), -1);
    ERROR(enumerant);
    glGetFinalCombinerInputParameterfvNV(G, GL_COMBINER_INPUT_NV, color);
    CHECK(color[0] == GL_FOG, "%g", color[0]);
    glBegin(GL_POINTS);
    glCombinerParameteriNV(GL_NUM_GENERAL_COMBINERS_NV, 2);
    glFinalCombinerInputNV(G, GL_ZERO, IDENTITY, GL_ALPHA);
    EQUAL(final_value(G, GL_COMBINER_INPUT_NV), -1);
    glEnd();
    ERROR(operation);
    EQUAL(final_value(G, GL_COMBINER_INPUT_NV), GL_FOG);
    /* Integers as colors: the greatest one is 1, negative ones are clamped. */
    glCombinerParameterivNV(GL_CONSTANT_COLOR0_NV, (const GLint[]){2147483647, -5, 0, 1073741823});
    glGetFloatv(GL_CONSTANT_COLOR0_NV, color);
    CHECK(color[0] == 1 && color[1] == 0 && color[2] < 1e-6f && color[3] > 0.4999f && color[3] < 0.5001f, "%g %g %g %g", color[0], color[1],
          color[2], color[3]);
    ERROR(GL_NO_ERROR);
}

int main(void) {
    start();
    use_context(open_context(NULL));
    const char *extensions = (const char *)glGetString(GL_EXTENSIONS);
    CHECK(strstr(extensions, "GL_NV_register_combiners "), "%s", extensions);
    CHECK(strstr(extensions, "GL_NV_register_combiners2"), "%s", extensions);
    initial_state();
    glPushAttrib(GL_TEXTURE_BIT);
    limits();
    mappings();
    stages();
    final_combiner();
    per_stage_constants();
    textures();
    surroundings();
    reset();
    errors();
    return finish();
}
