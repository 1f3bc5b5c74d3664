/* The current raster position as vertex programs compute it: ARB_vertex_program section 2.12, NV_vertex_program section 2.14.2. */
#include "client.h"

/* Everything that the raster position has, made of attributes, parameters and state. */
static const char ALL[] = "!!NVvp4.0\nPARAM m[4] = { state.matrix.mvp };\n"
                          "DP4 result.position.x, m[0], vertex.position;\nDP4 result.position.y, m[1], vertex.position;\n"
                          "DP4 result.position.z, m[2], vertex.position;\nDP4 result.position.w, m[3], vertex.position;\n"
                          "MUL result.color, vertex.color, program.local[0];\nMOV result.color.secondary, program.env[3];\n"
                          "ADD result.fogcoord.x, vertex.fogcoord, 2;\nMOV result.texcoord[0], vertex.texcoord[1];\n"
                          "MUL result.texcoord[1], vertex.attrib[6], 2;\nEND";
static const char PASS[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.color;\nEND";

static int is_valid(void) {
    GLboolean valid;
    glGetBooleanv(GL_CURRENT_RASTER_POSITION_VALID, &valid);
    return valid;
}

#define AT(x, y, z)                                                                                                    \
    do {                                                                                                               \
        float at_[4];                                                                                                  \
        EQUAL(is_valid(), 1);                                                                                          \
        glGetFloatv(GL_CURRENT_RASTER_POSITION, at_);                                                                  \
        at_[3] = 1;                                                                                                    \
        VECTOR(at_, x, y, z, 1);                                                                                       \
    } while (0)
#define STATE(name, ...)                                                                                               \
    do {                                                                                                               \
        float value_[4];                                                                                               \
        glGetFloatv(name, value_);                                                                                     \
        VECTOR(value_, __VA_ARGS__);                                                                                   \
    } while (0)

static void results(void) {
    load(GL_VERTEX_PROGRAM_ARB, ALL);
    glProgramLocalParameter4fARB(GL_VERTEX_PROGRAM_ARB, 0, 0.5f, 1, 0.25f, 1);
    glProgramEnvParameter4fARB(GL_VERTEX_PROGRAM_ARB, 3, 0.25f, 0.75f, 0.5f, 0);
    glMatrixMode(GL_PROJECTION);
    glScalef(0.5f, 0.25f, 0.5f);
    glMatrixMode(GL_MODELVIEW);
    glTranslatef(1, 0, 0);
    glColor4f(1, 0.5f, 1, 0.75f);
    glSecondaryColor3f(0.125f, 0, 1);
    glFogCoordf(3);
    glMultiTexCoord4f(GL_TEXTURE0, 9, 9, 9, 9);
    glMultiTexCoord4f(GL_TEXTURE1, 1, 2, 3, 4);
    glVertexAttrib4f(6, 0.5f, 1, 1.5f, 2);
    glViewport(2, 4, 8, 8);
    glDepthRange(0.25, 0.75);
    /* Clip coordinates 0.5, -0.25, 0.5, 1: the window is 8 pixels wide from 2 on, the depth from 0.25 to 0.75. */
    glRasterPos3f(0, -1, 1);
    AT(2 + 4 * 1.5f, 4 + 4 * 0.75f, 0.25f + 0.5f * 0.75f);
    STATE(GL_CURRENT_RASTER_COLOR, 0.5f, 0.5f, 0.25f, 0.75f);
    float secondary[4];
    glGetFloatv(GL_CURRENT_RASTER_SECONDARY_COLOR, secondary);
    secondary[3] = 0;
    VECTOR(secondary, 0.25f, 0.75f, 0.5f, 0);
    float distance;
    glGetFloatv(GL_CURRENT_RASTER_DISTANCE, &distance);
    CHECK(distance == 5, "%g", distance);
    STATE(GL_CURRENT_RASTER_TEXTURE_COORDS, 1, 2, 3, 4);
    glActiveTexture(GL_TEXTURE1);
    STATE(GL_CURRENT_RASTER_TEXTURE_COORDS, 1, 2, 3, 4);
    STATE(GL_CURRENT_TEXTURE_COORDS, 1, 2, 3, 4);
    glActiveTexture(GL_TEXTURE0);
    /* Current values are what they were. */
    STATE(GL_CURRENT_COLOR, 1, 0.5f, 1, 0.75f);
    STATE(GL_CURRENT_TEXTURE_COORDS, 9, 9, 9, 9);
    glGetFloatv(GL_CURRENT_FOG_COORDINATE, &distance);
    CHECK(distance == 3, "%g", distance);
    GLint source;
    glGetIntegerv(GL_FOG_COORDINATE_SOURCE, &source);
    EQUAL(source, GL_FRAGMENT_DEPTH);
    glViewport(0, 0, SIZE, SIZE);
    glDepthRange(0, 1);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    ERROR(GL_NO_ERROR);
}

/* Colors are no materials here, and materials no colors. */
static void materials(void) {
    float material[4];
    glEnable(GL_COLOR_MATERIAL);
    glColor4f(0.5f, 0.25f, 0.125f, 1);
    glRasterPos2i(0, 0);
    glGetMaterialfv(GL_FRONT, GL_DIFFUSE, material);
    VECTOR(material, 0.5f, 0.25f, 0.125f, 1);
    EQUAL(glIsEnabled(GL_COLOR_MATERIAL), 1);
    glDisable(GL_COLOR_MATERIAL);
}

static void clipping(void) {
    load(GL_VERTEX_PROGRAM_ARB, PASS);
    glRasterPos4d(1, -2, 0, 2);
    AT(12, 0, 0.5f);
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side < 2; side += 2) {
            float at[4] = {0, 0, 0, 1};
            at[axis] = 1.25f * (float)side;
            glRasterPos4fv(at);
            EQUAL(is_valid(), 0);
            at[axis] = (float)side;
            glRasterPos4fv(at);
            EQUAL(is_valid(), 1);
        }
    glRasterPos4f(0, 0, 0, -1);
    EQUAL(is_valid(), 0);
    glEnable(GL_DEPTH_CLAMP);
    glRasterPos3f(0, 0, 2);
    AT(8, 8, 1);
    glDisable(GL_DEPTH_CLAMP);
    /* Planes clip positions that are those of the fixed functions, and no others. */
    glClipPlane(GL_CLIP_PLANE1, (const double[]){-1, 0, 0, 0.25});
    glEnable(GL_CLIP_PLANE1);
    glRasterPos2f(0.5f, 0);
    EQUAL(is_valid(), 1);
    load(GL_VERTEX_PROGRAM_ARB, "!!NVvp4.0\nOPTION ARB_position_invariant;\nMOV result.color, vertex.color;\nEND");
    glTranslatef(0.5f, 0, 0);
    glRasterPos2f(0, 0);
    EQUAL(is_valid(), 0);
    glRasterPos2f(-0.375f, 0);
    AT(9, 8, 0.5f);
    glLoadIdentity();
    load(GL_VERTEX_PROGRAM_ARB, "!!NVvp4.0\nMOV result.position, vertex.position;\nADD result.clip[1].x, vertex.position.x, -0.5;\nEND");
    glRasterPos2f(0.25f, 0);
    EQUAL(is_valid(), 0);
    glRasterPos2f(0.75f, 0);
    EQUAL(is_valid(), 1);
    glDisable(GL_CLIP_PLANE1);
    ERROR(GL_NO_ERROR);
}

/* Lists set positions with the program of the time when they are called. */
static void lists(void) {
    GLuint list = glGenLists(1), turned;
    load(GL_VERTEX_PROGRAM_ARB, PASS);
    glRasterPos2i(0, 0);
    glNewList(list, GL_COMPILE);
    glRasterPos2f(0.5f, -0.5f);
    glEndList();
    AT(8, 8, 0.5f);
    turned = load(GL_VERTEX_PROGRAM_ARB, "!!NVvp4.0\nMOV result.position, vertex.position.yxzw;\nEND");
    glCallList(list);
    AT(4, 12, 0.5f);
    glDisable(GL_VERTEX_PROGRAM_ARB);
    glCallList(list);
    AT(12, 4, 0.5f);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glNewList(list, GL_COMPILE_AND_EXECUTE);
    glRasterPos2f(-0.5f, 0);
    glEndList();
    AT(8, 4, 0.5f);
    glDeleteLists(list, 1);
    glDeleteProgramsARB(1, &turned);
    ERROR(GL_NO_ERROR);
}

/* Programs that are not there are errors. */
static void errors(void) {
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, 0);
    glRasterPos2i(0, 0);
    ERROR(GL_INVALID_OPERATION);
    load(GL_VERTEX_PROGRAM_ARB, PASS);
    glBegin(GL_POINTS);
    glRasterPos2i(0, 0);
    glEnd();
    ERROR(GL_INVALID_OPERATION);
}

int main(void) {
    start();
    use_context(open_context(0));
    load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    results();
    materials();
    clipping();
    lists();
    errors();
    return finish();
}
