/* Arrays: conventional ones feed the numbered attributes and the other way round, from memory and from buffers. */
#include "client.h"

#define READ(n) "!!NVvp4.0\nMOV result.position, vertex.attrib[0];\nMOV result.color, vertex.attrib[" #n "];\nEND"

/* The corners of the square, twice: two triangles with a color each in whatever form. */
static const float CORNERS[6][2] = {{-1, -1}, {1, -1}, {-1, 1}, {1, -1}, {1, 1}, {-1, 1}};
static GLuint reads[16];

static void show(int number) {
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, reads[number]);
    clear();
    glDrawArrays(GL_TRIANGLES, 0, 6);
}

static void conventional_arrays(void) {
    GLubyte colors[6][4], seconds[6][3];
    GLshort normals[6][3];
    float fog[6], coordinates[6][3];
    for (int i = 0; i < 6; i++) {
        memcpy(colors[i], (const GLubyte[]){51, 102, 204, 255}, 4);
        memcpy(seconds[i], (const GLubyte[]){204, 153, 51}, 3);
        memcpy(normals[i], (const GLshort[]){32767, 0, 32767}, 6);
        fog[i] = 0.4f;
        memcpy(coordinates[i], (const float[]){0.6f, 0.2f, 0.8f}, 12);
    }
    glVertexPointer(2, GL_FLOAT, 0, CORNERS);
    glEnableClientState(GL_VERTEX_ARRAY);
    glColorPointer(4, GL_UNSIGNED_BYTE, 0, colors);
    glEnableClientState(GL_COLOR_ARRAY);
    glSecondaryColorPointer(3, GL_UNSIGNED_BYTE, 0, seconds);
    glEnableClientState(GL_SECONDARY_COLOR_ARRAY);
    glNormalPointer(GL_SHORT, 0, normals);
    glEnableClientState(GL_NORMAL_ARRAY);
    glFogCoordPointer(GL_FLOAT, 0, fog);
    glEnableClientState(GL_FOG_COORD_ARRAY);
    glClientActiveTexture(GL_TEXTURE2);
    glTexCoordPointer(3, GL_FLOAT, 0, coordinates);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
    show(3);
    PIXEL(4, 4, 0.2f, 0.4f, 0.8f, 1);
    show(4);
    PIXEL(4, 4, 0.8f, 0.6f, 0.2f, 1);
    show(2);
    PIXEL(4, 4, 1, 0, 1, 1);
    show(5);
    PIXEL(4, 4, 0.4f, 0, 0, 1);
    show(10);
    PIXEL(4, 4, 0.6f, 0.2f, 0.8f, 1);
    /* Those that are off leave what is current. */
    glDisableClientState(GL_COLOR_ARRAY);
    glColor4f(0.4f, 0, 0.2f, 0.6f);
    show(3);
    PIXEL(4, 4, 0.4f, 0, 0.2f, 0.6f);
    glDisableClientState(GL_TEXTURE_COORD_ARRAY);
    glMultiTexCoord2f(GL_TEXTURE2, 1, 0.2f);
    show(10);
    PIXEL(4, 4, 1, 0.2f, 0, 1);
    glClientActiveTexture(GL_TEXTURE0);
    glDisableClientState(GL_SECONDARY_COLOR_ARRAY);
    glDisableClientState(GL_NORMAL_ARRAY);
    glDisableClientState(GL_FOG_COORD_ARRAY);
    ERROR(GL_NO_ERROR);
}

static void elements_and_single_ones(void) {
    float colors[6][3];
    for (int i = 0; i < 6; i++) memcpy(colors[i], i < 3 ? (const float[]){1, 0.2f, 0} : (const float[]){0, 0.2f, 1}, 12);
    glColorPointer(3, GL_FLOAT, 0, colors);
    glEnableClientState(GL_COLOR_ARRAY);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, reads[3]);
    static const GLushort order[] = {3, 4, 5, 0, 1, 2};
    clear();
    glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, order);
    PIXEL(2, 2, 1, 0.2f, 0, 1);
    PIXEL(13, 13, 0, 0.2f, 1, 1);
    clear();
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < 6; i++) glArrayElement(order[i]);
    glEnd();
    PIXEL(2, 2, 1, 0.2f, 0, 1);
    PIXEL(13, 13, 0, 0.2f, 1, 1);
    GLuint list = glGenLists(1);
    glNewList(list, GL_COMPILE);
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < 6; i++) glArrayElement(i);
    glEnd();
    glEndList();
    glNewList(list + 1, GL_COMPILE);
    glDrawArrays(GL_TRIANGLES, 0, 6);
    glEndList();
    /* Lists have taken what the arrays held. */
    memset(colors, 0, sizeof colors);
    for (GLuint i = 0; i < 2; i++) {
        clear();
        glCallList(list + i);
        PIXEL(2, 2, 1, 0.2f, 0, 1);
        PIXEL(13, 13, 0, 0.2f, 1, 1);
    }
    glDisableClientState(GL_COLOR_ARRAY);
    glDisableClientState(GL_VERTEX_ARRAY);
    ERROR(GL_NO_ERROR);
}

static void interleaved(void) {
    struct {
        GLubyte color[4];
        float position[3];
    } vertices[6];
    for (int i = 0; i < 6; i++) {
        memcpy(vertices[i].color, (const GLubyte[]){0, 153, 255, 102}, 4);
        memcpy(vertices[i].position, (const float[]){CORNERS[i][0], CORNERS[i][1], 0}, 12);
    }
    glInterleavedArrays(GL_C4UB_V3F, 0, vertices);
    show(3);
    PIXEL(4, 4, 0, 0.6f, 1, 0.4f);
    struct {
        float coordinate[2], position[3];
    } textured[6];
    for (int i = 0; i < 6; i++) {
        memcpy(textured[i].coordinate, (const float[]){0.8f, 0.2f}, 8);
        memcpy(textured[i].position, (const float[]){CORNERS[i][0], CORNERS[i][1], 0}, 12);
    }
    glInterleavedArrays(GL_T2F_V3F, 0, textured);
    EQUAL(glIsEnabled(GL_COLOR_ARRAY), 0);
    show(8);
    PIXEL(4, 4, 0.8f, 0.2f, 0, 1);
    glDisableClientState(GL_VERTEX_ARRAY);
    glDisableClientState(GL_TEXTURE_COORD_ARRAY);
    ERROR(GL_NO_ERROR);
}

static void numbered_arrays(void) {
    static const GLubyte colors[6][4] = {{204, 0, 51, 255}, {204, 0, 51, 255}, {204, 0, 51, 255},
                                         {204, 0, 51, 255}, {204, 0, 51, 255}, {204, 0, 51, 255}};
    glVertexAttribPointerNV(0, 2, GL_FLOAT, 0, CORNERS);
    glEnableClientState(GL_VERTEX_ATTRIB_ARRAY0_NV);
    glVertexAttribPointerNV(3, 4, GL_UNSIGNED_BYTE, 0, colors);
    glEnableClientState(GL_VERTEX_ATTRIB_ARRAY3_NV);
    show(3);
    PIXEL(4, 4, 0.8f, 0, 0.2f, 1);
    glVertexAttribPointerNV(9, 4, GL_UNSIGNED_BYTE, 0, colors);
    glEnableClientState(GL_VERTEX_ATTRIB_ARRAY0_NV + 9);
    EQUAL(glIsEnabled(GL_VERTEX_ATTRIB_ARRAY0_NV + 9), 1);
    show(9);
    PIXEL(4, 4, 0.8f, 0, 0.2f, 1);
    glDisableClientState(GL_VERTEX_ATTRIB_ARRAY0_NV + 9);
    EQUAL(glIsEnabled(GL_VERTEX_ATTRIB_ARRAY0_NV + 9), 0);
    glDisableClientState(GL_VERTEX_ATTRIB_ARRAY3_NV);
    glDisableClientState(GL_VERTEX_ATTRIB_ARRAY0_NV);
    /* Those of ARB_vertex_program with integers that are no fractions. */
    static const GLubyte numbers[6][4] = {{1, 0, 1, 1}, {1, 0, 1, 1}, {1, 0, 1, 1}, {1, 0, 1, 1}, {1, 0, 1, 1}, {1, 0, 1, 1}};
    glVertexAttribPointerARB(0, 2, GL_FLOAT, 0, 0, CORNERS);
    glEnableVertexAttribArrayARB(0);
    glVertexAttribPointerARB(7, 4, GL_UNSIGNED_BYTE, 0, 0, numbers);
    glEnableVertexAttribArrayARB(7);
    show(7);
    PIXEL(4, 4, 1, 0, 1, 1);
    glDisableVertexAttribArrayARB(0);
    glDisableVertexAttribArrayARB(7);
    ERROR(GL_NO_ERROR);
}

static void buffers(void) {
    struct {
        float position[2];
        GLubyte color[4];
    } vertices[6];
    for (int i = 0; i < 6; i++) {
        memcpy(vertices[i].position, CORNERS[i], 8);
        memcpy(vertices[i].color, i < 3 ? (const GLubyte[]){0, 204, 0, 255} : (const GLubyte[]){102, 0, 204, 255}, 4);
    }
    GLuint buffer[2];
    glGenBuffers(2, buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof vertices, vertices, GL_STATIC_DRAW);
    glVertexPointer(2, GL_FLOAT, sizeof *vertices, 0);
    glColorPointer(4, GL_UNSIGNED_BYTE, sizeof *vertices, (const void *)8);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    show(3);
    PIXEL(2, 2, 0, 0.8f, 0, 1);
    PIXEL(13, 13, 0.4f, 0, 0.8f, 1);
    static const GLubyte order[] = {3, 4, 5};
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof order, order, GL_STATIC_DRAW);
    clear();
    glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_BYTE, 0);
    PIXEL(2, 2, 0.2f, 0, 0.4f, 0);
    PIXEL(13, 13, 0.4f, 0, 0.8f, 1);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
    /* The application finds its own bindings and arrays as it has left them. */
    GLint value;
    glGetIntegerv(GL_ARRAY_BUFFER_BINDING, &value);
    EQUAL(value, 0);
    glGetIntegerv(GL_COLOR_ARRAY_BUFFER_BINDING, &value);
    EQUAL((GLuint)value, buffer[0]);
    glGetVertexAttribivNV(3, GL_ATTRIB_ARRAY_SIZE_NV, &value);
    glDisableClientState(GL_VERTEX_ARRAY);
    glDisableClientState(GL_COLOR_ARRAY);
    glDeleteBuffers(2, buffer);
    ERROR(GL_NO_ERROR);
}

int main(void) {
    static const char *const texts[16] = {READ(0), READ(1), READ(2),  READ(3),  READ(4),  READ(5),  READ(6),  READ(7),
                                          READ(8), READ(9), READ(10), READ(11), READ(12), READ(13), READ(14), READ(15)};
    start();
    use_context(open_context(0));
    load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    for (int i = 0; i < 16; i++) reads[i] = load(GL_VERTEX_PROGRAM_ARB, texts[i]);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    conventional_arrays();
    elements_and_single_ones();
    interleaved();
    numbered_arrays();
    buffers();
    return finish();
}
