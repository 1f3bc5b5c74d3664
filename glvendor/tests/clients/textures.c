/* State of textures that programs depend on: depth modes of comparisons, in programs and in the fixed functions, biases of levels, and what is not complete. */
#include "client.h"

static GLuint depths;

/* A texture of one depth, 0.5, that is compared: its result is 1 where the reference is less. */
static void make_depths(void) {
    glGenTextures(1, &depths);
    glBindTexture(GL_TEXTURE_2D, depths);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_R_TO_TEXTURE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, 1, 1, 0, GL_DEPTH_COMPONENT, GL_FLOAT, (const float[]){0.5f});
}

static void set_mode(GLenum mode) { glTexParameteri(GL_TEXTURE_2D, GL_DEPTH_TEXTURE_MODE, (GLint)mode); }

static GLenum mode(void) {
    GLint got;
    glGetTexParameteriv(GL_TEXTURE_2D, GL_DEPTH_TEXTURE_MODE, &got);
    return (GLenum)got;
}

static void draw(void) {
    clear();
    draw_square();
}

/* Draws the square, which gets a color. */
#define DRAWN(...)                                                                                                     \
    do {                                                                                                               \
        draw();                                                                                                        \
        PIXEL(3, 3, __VA_ARGS__);                                                                                      \
    } while (0)

/* A sampler of the first unit. */
static GLuint bind_sampler(GLenum filter) {
    GLuint sampler;
    glGenSamplers(1, &sampler);
    glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, (GLint)filter);
    glBindSampler(0, sampler);
    return sampler;
}

/* What comparisons give: ARB_shadow, table of the modes. */
static void compared(void) {
    GLuint shadow = load(GL_FRAGMENT_PROGRAM_ARB, "!!NVfp4.0\nTEX result.color, {0.5, 0.5, 0.25, 0}, texture[0], SHADOW2D;\nEND");
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    set_mode(GL_ALPHA);
    DRAWN(0, 0, 0, 1);
    EQUAL(mode(), GL_ALPHA);
    DRAWN(0, 0, 0, 1);
    set_mode(GL_INTENSITY);
    DRAWN(1, 1, 1, 1);
    EQUAL(mode(), GL_INTENSITY);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_GREATER);
    DRAWN(0, 0, 0, 0);
    set_mode(GL_LUMINANCE);
    DRAWN(0, 0, 0, 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);

    /* The stack of attributes keeps the mode that the application has set. */
    set_mode(GL_ALPHA);
    draw();
    glPushAttrib(GL_TEXTURE_BIT);
    set_mode(GL_LUMINANCE);
    DRAWN(1, 1, 1, 1);
    glPopAttrib();
    EQUAL(mode(), GL_ALPHA);
    DRAWN(0, 0, 0, 1);

    /* The same texture where it is not compared, right behind that. */
    GLuint plain = load(GL_FRAGMENT_PROGRAM_ARB, "!!NVfp4.0\nTEX result.color, {0.5, 0.5, 0.25, 0}, texture[0], 2D;\nEND");
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_NONE);
    DRAWN(0, 0, 0, 0.5f);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_R_TO_TEXTURE);

    /* A texture that is deleted while it draws is gone. */
    GLuint last = depths;
    glBindProgramARB(GL_FRAGMENT_PROGRAM_ARB, shadow);
    DRAWN(0, 0, 0, 1);
    glDeleteTextures(1, &last);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    draw();
    CHECK(!glIsTexture(last), "the texture is there again");
    make_depths();
    glDeleteProgramsARB(2, (GLuint[]){shadow, plain});
    ERROR(GL_NO_ERROR);
}

/* The fixed functions of fragments behind a vertex program: REPLACE of GL 2.1 table 3.21, by the base format that the mode stands for. */
static void fixed_functions(void) {
    GLuint vertex = load(GL_VERTEX_PROGRAM_ARB, "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, {0.2, 0.4, 0.6, 0.8};\n"
                                                "MOV result.texcoord[0], {0.5, 0.5, 0.75, 1};\nEND");
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glEnable(GL_TEXTURE_2D);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
    set_mode(GL_ALPHA);
    DRAWN(0.2f, 0.4f, 0.6f, 0);
    set_mode(GL_LUMINANCE);
    DRAWN(0, 0, 0, 0.8f);
    set_mode(GL_INTENSITY);
    DRAWN(0, 0, 0, 0);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_GREATER);
    set_mode(GL_ALPHA);
    DRAWN(0.2f, 0.4f, 0.6f, 1);
    /* A sampler compares, or does not, whatever its texture says. */
    GLuint sampler = bind_sampler(GL_NEAREST);
    DRAWN(0.2f, 0.4f, 0.6f, 0.5f);
    glDeleteSamplers(1, &sampler);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_MODULATE);
    glDisable(GL_TEXTURE_2D);
    glDisable(GL_VERTEX_PROGRAM_ARB);
    glDeleteProgramsARB(1, &vertex);
    ERROR(GL_NO_ERROR);
}

/* Levels of 4, 2 and 1 texels: red, green and blue. */
static void make_levels(void) {
    static const GLubyte colors[3][4] = {{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}};
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    for (int level = 0; level < 3; level++) {
        GLubyte texels[16][4];
        for (int i = 0; i < 16; i++) memcpy(texels[i], colors[level], 4);
        glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, 4 >> level, 4 >> level, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    }
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 2);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
}

/* The least level comes behind all biases (NV_gpu_program5, "LODCLAMP"): levels below 1 become 1, whatever the bias. */
static void biases(void) {
    GLuint program = load(GL_FRAGMENT_PROGRAM_ARB, "!!NVfp5.0\nTEX.LODCLAMP result.color, {0.5, 0.5, 0, 0}, {1}.x, texture[0], 2D;\nEND");
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    make_levels();
    DRAWN(0, 1, 0, 1);
    /* Those of the unit and of the texture count together. */
    glTexEnvf(GL_TEXTURE_FILTER_CONTROL, GL_TEXTURE_LOD_BIAS, 1);
    DRAWN(0, 1, 0, 1);
    glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_LOD_BIAS, -2);
    DRAWN(0, 1, 0, 1);
    /* A sampler has its own in the place of the texture's. */
    GLuint sampler = bind_sampler(GL_NEAREST_MIPMAP_NEAREST);
    glSamplerParameterf(sampler, GL_TEXTURE_LOD_BIAS, -5);
    DRAWN(0, 1, 0, 1);
    glSamplerParameterf(sampler, GL_TEXTURE_LOD_BIAS, 5);
    DRAWN(0, 1, 0, 1);
    glDeleteSamplers(1, &sampler);
    glTexEnvf(GL_TEXTURE_FILTER_CONTROL, GL_TEXTURE_LOD_BIAS, 0);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    glDeleteProgramsARB(1, &program);
    ERROR(GL_NO_ERROR);
}

/* Another context that shares the texture sees its mode, too. */
static void shared(context first) {
    GLuint shadow = load(GL_FRAGMENT_PROGRAM_ARB, "!!NVfp4.0\nTEX result.color, {0.5, 0.5, 0.25, 0}, texture[0], SHADOW2D;\nEND");
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    make_depths();
    set_mode(GL_ALPHA);
    DRAWN(0, 0, 0, 1);
    context second = open_context(first);
    use_context(second);
    glBindTexture(GL_TEXTURE_2D, depths);
    EQUAL(mode(), GL_ALPHA);
    use_context(first);
    DRAWN(0, 0, 0, 1);
    close_context(second);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    glDeleteProgramsARB(1, &shadow);
    ERROR(GL_NO_ERROR);
}

/* Programs of NV_fragment_program have no shadow targets: the texture says whether it is compared with the third coordinate, and TXP divides that one,
 * too. NV_fragment_program sections 3.11.5.38 and 3.11.5.40. */
static void compared_by_texture(void) {
    GLuint program = load_nv(GL_FRAGMENT_PROGRAM_NV, "!!FP1.0\nMOVR R0, {0.25, 0.25, 0.75, 2};\nTEX o[COLR].x, R0, TEX0, 2D;\nTXP o[COLR].y, R0, TEX0, 2D;\n"
                                                     "MOVR R0.z, {0.25}.x;\nTEX o[COLR].z, R0, TEX0, 2D;\nMOVR o[COLR].w, {1}.x;\nEND");
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    glEnable(GL_FRAGMENT_PROGRAM_NV);
    set_mode(GL_LUMINANCE);
    DRAWN(0, 1, 1, 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_NONE);
    DRAWN(0.5f, 0.5f, 0.5f, 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_R_TO_TEXTURE);
    DRAWN(0, 1, 1, 1);
    glDisable(GL_FRAGMENT_PROGRAM_NV);
    glDeleteProgramsNV(1, &program);
    ERROR(GL_NO_ERROR);
}

/* The first level of the bound texture: (0.2, 0.4, 0.6, 1). */
static void make_level(void) {
    static const GLubyte texels[4][4] = {{51, 102, 153, 255}, {51, 102, 153, 255}, {51, 102, 153, 255}, {51, 102, 153, 255}};
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

/* What is not complete gives zeros in programs of NV_fragment_program (section 3.11.5.38), and opaque black elsewhere. */
static void incomplete(void) {
    GLuint texture, old = load_nv(GL_FRAGMENT_PROGRAM_NV, "!!FP1.0\nDEFINE at = {0.5, 0.5, 0.5, 1};\nTEX o[COLR], at, TEX0, 2D;\nEND");
    glEnable(GL_FRAGMENT_PROGRAM_NV);
    glBindTexture(GL_TEXTURE_2D, 0);
    DRAWN(0, 0, 0, 0);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    make_level();
    DRAWN(0, 0, 0, 0);
    GLuint sampler = bind_sampler(GL_NEAREST);
    DRAWN(0.2f, 0.4f, 0.6f, 1);
    glBindSampler(0, 0);
    DRAWN(0, 0, 0, 0);
    glGenerateMipmap(GL_TEXTURE_2D);
    DRAWN(0.2f, 0.4f, 0.6f, 1);
    /* A level of another size, and none beyond the levels that count. */
    glTexImage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 2, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, (const GLubyte[2][4]){{51, 102, 153, 255}, {51, 102, 153, 255}});
    DRAWN(0, 0, 0, 0);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    DRAWN(0.2f, 0.4f, 0.6f, 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 9);
    glDisable(GL_FRAGMENT_PROGRAM_NV);
    GLuint other = load(GL_FRAGMENT_PROGRAM_ARB, "!!NVfp4.0\nTEX result.color, {0.5, 0.5, 0.5, 1}, texture[0], 2D;\nEND");
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    DRAWN(0, 0, 0, 1);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    glDeleteTextures(1, &texture);
    glDeleteSamplers(1, &sampler);
    glDeleteProgramsARB(2, (GLuint[]){old, other});
    ERROR(GL_NO_ERROR);
}

/* Fixed functions of fragments after a vertex program: a texture that is not complete is as if it were disabled (GL 2.1 section 3.8.10). */
static void incomplete_fixed(void) {
    GLuint texture, program = load(GL_VERTEX_PROGRAM_ARB, "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, {0.8, 0.6, 0.4, 1};\nMOV result.texcoord[0], 0;\nEND");
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glEnable(GL_TEXTURE_2D);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    DRAWN(0.8f, 0.6f, 0.4f, 1);
    make_level();
    DRAWN(0.8f, 0.6f, 0.4f, 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    DRAWN(0.2f, 0.4f, 0.6f, 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    DRAWN(0.8f, 0.6f, 0.4f, 1);
    glGenerateMipmap(GL_TEXTURE_2D);
    DRAWN(0.2f, 0.4f, 0.6f, 1);

    /* DOT3_RGB_EXT has no scale, DOT3_RGB has: 4 (0.2 - 0.5) (0.3 - 0.5) and so on, (0.2, 0.4, 0.6) . (0.3, 0.35, 0.4): 0.24 + 0.06 - 0.04 = 0.26. */
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_COMBINE);
    glTexEnvi(GL_TEXTURE_ENV, GL_SRC1_RGB, GL_CONSTANT);
    glTexEnvfv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, (const float[]){0.3f, 0.35f, 0.4f, 1});
    glTexEnvi(GL_TEXTURE_ENV, GL_COMBINE_ALPHA, GL_REPLACE);
    glTexEnvf(GL_TEXTURE_ENV, GL_RGB_SCALE, 2);
    glTexEnvi(GL_TEXTURE_ENV, GL_COMBINE_RGB, GL_DOT3_RGB);
    DRAWN(0.52f, 0.52f, 0.52f, 1);
    glTexEnvi(GL_TEXTURE_ENV, GL_COMBINE_RGB, GL_DOT3_RGB_EXT);
    DRAWN(0.26f, 0.26f, 0.26f, 1);
    glTexEnvf(GL_TEXTURE_ENV, GL_ALPHA_SCALE, 4);
    glTexEnvi(GL_TEXTURE_ENV, GL_COMBINE_RGB, GL_DOT3_RGBA_EXT);
    DRAWN(0.26f, 0.26f, 0.26f, 0.26f);
    glTexEnvf(GL_TEXTURE_ENV, GL_ALPHA_SCALE, 1);
    glTexEnvf(GL_TEXTURE_ENV, GL_RGB_SCALE, 1);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_MODULATE);
    glDisable(GL_TEXTURE_2D);
    glDisable(GL_VERTEX_PROGRAM_ARB);
    glDeleteTextures(1, &texture);
    glDeleteProgramsARB(1, &program);
    ERROR(GL_NO_ERROR);
}

int main(void) {
    start();
    context first = open_context(0);
    use_context(first);
    glColor4f(1, 1, 1, 1);
    make_depths();
    compared();
    compared_by_texture();
    fixed_functions();
    shared(first);
    biases();
    incomplete();
    incomplete_fixed();
    return finish();
}
