/* Materials between Begin and End, where the fixed functions process vertices for a fragment program: GL 2.1 section 2.14.1. Each light has one term
   alone, of color 1, and shines along the normal. */
#include "client.h"

static const char PASS[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.attrib[6];\nEND";

static void half(float left) {
    glVertex2f(left, -1);
    glVertex2f(left + 1, -1);
    glVertex2f(left + 1, 1);
    glVertex2f(left, 1);
}

/* Draws both halves in one primitive, with a material each. */
static void draw(GLenum face, GLenum name, const float *left, const float *right) {
    clear();
    glBegin(GL_QUADS);
    glNormal3f(0, 0, 1);
    glMaterialfv(face, name, left);
    half(-1);
    glMaterialfv(face, name, right);
    half(0);
    glEnd();
}

#define HALVES(name, r, g, b, a, r2, g2, b2, a2)                                                                       \
    do {                                                                                                               \
        draw(GL_FRONT, name, (const float[]){r, g, b, a}, (const float[]){r2, g2, b2, a2});                            \
        float value_[4];                                                                                               \
        glGetMaterialfv(GL_FRONT, name == GL_AMBIENT_AND_DIFFUSE ? GL_AMBIENT : name, value_);                         \
        VECTOR(value_, r2, g2, b2, a2);                                                                                \
        PIXEL(2, 8, r, g, b, ALPHA(a));                                                                                \
        PIXEL(13, 8, r2, g2, b2, ALPHA(a2));                                                                           \
    } while (0)

static void nothing(GLenum face) {
    static const float black[] = {0, 0, 0, 1};
    glMaterialfv(face, GL_AMBIENT_AND_DIFFUSE, black);
    glMaterialfv(face, GL_SPECULAR, black);
    glMaterialfv(face, GL_EMISSION, black);
}

static void light(GLenum term) {
    static const float black[] = {0, 0, 0, 1}, white[] = {1, 1, 1, 1};
    glLightfv(GL_LIGHT0, GL_AMBIENT, term == GL_AMBIENT ? white : black);
    glLightfv(GL_LIGHT0, GL_DIFFUSE, term == GL_DIFFUSE ? white : black);
    glLightfv(GL_LIGHT0, GL_SPECULAR, term == GL_SPECULAR ? white : black);
    nothing(GL_FRONT_AND_BACK);
}

static void parts(void) {
/* The alpha is that of the diffuse color. */
#define ALPHA(a) (a)
    light(GL_DIFFUSE);
    HALVES(GL_DIFFUSE, 0.2f, 0.4f, 0.6f, 0.8f, 0.8f, 0.2f, 0, 0.4f);
    HALVES(GL_AMBIENT_AND_DIFFUSE, 0.2f, 0.4f, 0.6f, 0.8f, 0.8f, 0.2f, 0, 0.4f);
#undef ALPHA
#define ALPHA(a) 1
    light(GL_AMBIENT);
    HALVES(GL_AMBIENT, 0.4f, 0, 0.6f, 1, 0, 0.2f, 0.4f, 1);
    light(GL_SPECULAR);
    HALVES(GL_SPECULAR, 0.4f, 0, 0.2f, 1, 0, 0.6f, 0.4f, 1);
    light(0);
    HALVES(GL_EMISSION, 0.2f, 0.8f, 0, 1, 0.6f, 0, 0.6f, 1);
    /* The power 0 is 1, whatever the angle is. */
    light(GL_SPECULAR);
    glMaterialfv(GL_FRONT, GL_SPECULAR, (const float[]){0.6f, 0.4f, 0.2f, 1});
    glLightfv(GL_LIGHT0, GL_POSITION, (const float[]){0.8f, 0, 0.6f, 0});
    clear();
    glBegin(GL_QUADS);
    glNormal3f(0, 0, 1);
    glMaterialf(GL_FRONT, GL_SHININESS, 0);
    half(-1);
    glMateriali(GL_FRONT, GL_SHININESS, 128);
    half(0);
    glEnd();
    PIXEL(2, 8, 0.6f, 0.4f, 0.2f, 1);
    PIXEL(13, 8, 0, 0, 0, 1);
    glMaterialf(GL_FRONT, GL_SHININESS, 0);
    glLightfv(GL_LIGHT0, GL_POSITION, (const float[]){0, 0, 1, 0});
    ERROR(GL_NO_ERROR);
}

static void sides(void) {
    light(GL_DIFFUSE);
    glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, 1);
    glFrontFace(GL_CW);
    clear();
    glBegin(GL_QUADS);
    glNormal3f(0, 0, -1);
    glMaterialfv(GL_BACK, GL_DIFFUSE, (const float[]){0.2f, 0.4f, 0, 1});
    half(-1);
    glMaterialfv(GL_FRONT_AND_BACK, GL_DIFFUSE, (const float[]){0, 0.4f, 0.8f, 1});
    glMaterialfv(GL_FRONT, GL_DIFFUSE, (const float[]){1, 1, 1, 1});
    half(0);
    glEnd();
    PIXEL(2, 8, 0.2f, 0.4f, 0, 1);
    PIXEL(13, 8, 0, 0.4f, 0.8f, 1);
    glFrontFace(GL_CCW);
    glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, 0);
    ERROR(GL_NO_ERROR);
}

static void lists_and_arrays(void) {
    static const float corners[] = {-1, -1, 0, -1, 0, 1, -1, 1};
    GLuint list = glGenLists(1);
    light(GL_DIFFUSE);
    glMaterialfv(GL_FRONT, GL_DIFFUSE, (const float[]){0.8f, 0.8f, 0.8f, 1});
    glNewList(list, GL_COMPILE);
    glBegin(GL_QUADS);
    glNormal3f(0, 0, 1);
    half(-1);
    glMaterialfv(GL_FRONT, GL_DIFFUSE, (const float[]){0, 0.4f, 0.8f, 1});
    half(0);
    glEnd();
    glEndList();
    clear();
    glCallList(list);
    PIXEL(2, 8, 0.8f, 0.8f, 0.8f, 1);
    PIXEL(13, 8, 0, 0.4f, 0.8f, 1);
    /* Arrays have the material of before. */
    glNormal3f(0, 0, 1);
    glVertexPointer(2, GL_FLOAT, 0, corners);
    glEnableClientState(GL_VERTEX_ARRAY);
    clear();
    glDrawArrays(GL_QUADS, 0, 4);
    PIXEL(2, 8, 0, 0.4f, 0.8f, 1);
    glMaterialfv(GL_FRONT, GL_DIFFUSE, (const float[]){0.6f, 0.4f, 0, 1});
    clear();
    glDrawArrays(GL_QUADS, 0, 4);
    PIXEL(2, 8, 0.6f, 0.4f, 0, 1);
    glDisableClientState(GL_VERTEX_ARRAY);
    glDeleteLists(list, 1);
    ERROR(GL_NO_ERROR);
}

/* Numbered attributes stay what they were. */
static void attributes(void) {
    float value[4];
    for (GLuint i = 1; i < 16; i++) {
        if (i > 1 && i < 6) continue;
        glGetVertexAttribfv(i, GL_CURRENT_VERTEX_ATTRIB, value);
        VECTOR(value, 0.1f * (float)i, 0.4f, 0.6f, 1);
    }
    load(GL_VERTEX_PROGRAM_ARB, PASS);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    clear();
    draw_square();
    PIXEL(8, 8, 0.6f, 0.4f, 0.6f, 1);
    glDisable(GL_VERTEX_PROGRAM_ARB);
    ERROR(GL_NO_ERROR);
}

int main(void) {
    start();
    use_context(open_context(0));
    load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glLightModelfv(GL_LIGHT_MODEL_AMBIENT, (const float[]){0, 0, 0, 1});
    for (GLuint i = 1; i < 16; i++) glVertexAttrib4f(i, 0.1f * (float)i, 0.4f, 0.6f, 1);
    parts();
    sides();
    lists_and_arrays();
    attributes();
    return finish();
}
