/* Conventional attributes and numbered ones are the same (NV_vertex_program, table X.1: "Aliasing of vertex attributes with conventional
   per-vertex parameters"): 0 position, 2 normal, 3 and 4 colors, 5 fog coordinate, 8 + n texture coordinates of unit n. */
#include "client.h"

#define READ(n) "!!VP1.1\nMOV o[HPOS], v[0];\nMOV o[COL0], v[" #n "];\nEND"

static const char *const READS[16] = {READ(0), READ(1), READ(2),  READ(3),  READ(4),  READ(5),  READ(6),  READ(7),
                                      READ(8), READ(9), READ(10), READ(11), READ(12), READ(13), READ(14), READ(15)};

/* Draws with a program that gives an attribute as its color. */
static void expect(int number, float x, float y, float z, float w) {
    load_nv(GL_VERTEX_PROGRAM_NV, READS[number]);
    clear();
    draw_square();
    PIXEL(8, 8, x, y, z, w);
}

static void conventional_ones_are_read_by_number(void) {
    glColor4f(0.2f, 0.4f, 0.6f, 0.8f);
    expect(3, 0.2f, 0.4f, 0.6f, 0.8f);
    glColor3ub(51, 102, 153);
    expect(3, 0.2f, 0.4f, 0.6f, 1);
    glColor4us(13107, 26214, 39321, 52428);
    expect(3, 0.2f, 0.4f, 0.6f, 0.8f);
    glNormal3f(0.6f, 0.8f, 0.2f);
    expect(2, 0.6f, 0.8f, 0.2f, 1);
    glSecondaryColor3f(0.8f, 0.6f, 0.4f);
    expect(4, 0.8f, 0.6f, 0.4f, 1);
    glFogCoordf(0.4f);
    expect(5, 0.4f, 0, 0, 1);
    glTexCoord2f(0.2f, 0.6f);
    expect(8, 0.2f, 0.6f, 0, 1);
    glTexCoord1f(0.8f);
    expect(8, 0.8f, 0, 0, 1);
    glTexCoord4f(0.8f, 0.2f, 0.4f, 0.6f);
    expect(8, 0.8f, 0.2f, 0.4f, 0.6f);
    for (int unit = 0; unit < 8; unit++) {
        glMultiTexCoord3f(GL_TEXTURE0 + (GLenum)unit, 0.2f, 0.1f * (float)unit, 0.6f);
        expect(8 + unit, 0.2f, 0.1f * (float)unit, 0.6f, 1);
    }
}

static void numbered_ones_are_conventional(void) {
    glDisable(GL_VERTEX_PROGRAM_NV);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    glVertexAttrib4fNV(3, 0.4f, 0.2f, 0.8f, 0.6f);
    clear();
    draw_square();
    PIXEL(8, 8, 0.4f, 0.2f, 0.8f, 0.6f);
    float color[4];
    glGetFloatv(GL_CURRENT_COLOR, color);
    VECTOR(color, 0.4f, 0.2f, 0.8f, 0.6f);
    glVertexAttrib4ubNV(3, 51, 102, 204, 255);
    clear();
    draw_square();
    PIXEL(8, 8, 0.2f, 0.4f, 0.8f, 1);
    glVertexAttrib3fNV(8, 0.5f, 0.25f, 0.75f);
    glGetFloatv(GL_CURRENT_TEXTURE_COORDS, color);
    VECTOR(color, 0.5f, 0.25f, 0.75f, 1);
    glVertexAttrib2fNV(2, 1, 0);
    glGetFloatv(GL_CURRENT_NORMAL, color);
    CHECK(color[0] == 1 && color[1] == 0 && color[2] == 0, "%g %g %g", color[0], color[1], color[2]);
    glEnable(GL_VERTEX_PROGRAM_NV);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
}

/* Each vertex has its own values, and attribute 0 is what makes a vertex. */
static void attributes_of_vertices(void) {
    load_nv(GL_VERTEX_PROGRAM_NV, READS[3]);
    clear();
    glBegin(GL_QUADS);
    for (int half = 0; half < 2; half++) {
        float left = (float)half - 1;
        if (half)
            glVertexAttrib4fNV(3, 1, 0.4f, 0, 1);
        else
            glColor3f(0, 0.4f, 1);
        glVertexAttrib2fNV(0, left, -1);
        glVertexAttrib2fNV(0, left + 1, -1);
        glVertexAttrib4fNV(0, left + 1, 1, 0, 1);
        glVertex2f(left, 1);
    }
    glEnd();
    PIXEL(3, 8, 0, 0.4f, 1, 1);
    PIXEL(12, 8, 1, 0.4f, 0, 1);
}

/* VertexAttribs*NV sets the highest attribute first, so that 0 is last (NV_vertex_program, section 2.14.3). */
static void several_at_once(void) {
    load_nv(GL_VERTEX_PROGRAM_NV, READS[1]);
    static const float corners[4][8] = {{-1, -1, 0, 1, 0.6f, 0, 0.2f, 1}, {1, -1, 0, 1, 0.6f, 0, 0.2f, 1},
                                        {1, 1, 0, 1, 0.6f, 0, 0.2f, 1},   {-1, 1, 0, 1, 0.6f, 0, 0.2f, 1}};
    clear();
    glBegin(GL_QUADS);
    for (int i = 0; i < 4; i++) glVertexAttribs4fvNV(0, 2, corners[i]);
    glEnd();
    PIXEL(1, 14, 0.6f, 0, 0.2f, 1);
}

/* The value of 1 and of 6, 7 is nothing conventional. */
static void others(void) {
    glVertexAttrib4fNV(1, 0.2f, 0.4f, 0.6f, 0.8f);
    glVertexAttrib4fNV(6, 0.4f, 0.6f, 0.8f, 0.2f);
    glVertexAttrib4dNV(7, 0.6, 0.8, 0.2, 0.4);
    expect(1, 0.2f, 0.4f, 0.6f, 0.8f);
    expect(6, 0.4f, 0.6f, 0.8f, 0.2f);
    expect(7, 0.6f, 0.8f, 0.2f, 0.4f);
}

int main(void) {
    start();
    use_context(open_context(0));
    load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    glEnable(GL_VERTEX_PROGRAM_NV);
    conventional_ones_are_read_by_number();
    numbered_ones_are_conventional();
    attributes_of_vertices();
    several_at_once();
    others();
    ERROR(GL_NO_ERROR);
    return finish();
}
