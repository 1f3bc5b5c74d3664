/* Ranges of memory: NV_vertex_array_range, NV_vertex_array_range2, NV_pixel_data_range, and the allocator of the window system.
   What may change before a flush is undefined; after it, changes of memory have no effect on commands before. */
#include "client.h"
#include <stdlib.h>

typedef void *(CLIENT_CALL *allocator)(GLsizei, GLfloat, GLfloat, GLfloat);
typedef void (CLIENT_CALL *releaser)(void *);
static allocator allocate;
static releaser release;

#ifndef _WIN32
/* EGL has no allocator: any memory can be a range. */
static void *CLIENT_CALL allocate_any(GLsizei size, GLfloat read, GLfloat write, GLfloat priority) {
    (void)read, (void)write, (void)priority;
    return malloc((size_t)size);
}
static void CLIENT_CALL release_any(void *memory) { free(memory); }
#endif

static bool find_allocator(void) {
#ifdef _WIN32
    allocate = (allocator)find_command("wglAllocateMemoryNV");
    release = (releaser)find_command("wglFreeMemoryNV");
#else
    void *display, *config;
    allocate = (allocator)glx_function("glXAllocateMemoryNV", &display, &config);
    release = (releaser)glx_function("glXFreeMemoryNV", &display, &config);
    if (!allocate) {
        allocate = allocate_any;
        release = release_any;
        return false;
    }
#endif
    CHECK(allocate && release, "there is no allocator");
    return true;
}

static bool has_extension(const char *name) {
    const char *list = (const char *)glGetString(GL_EXTENSIONS), *found = list;
    size_t length = strlen(name);
    while ((found = strstr(found, name))) {
        if ((found == list || found[-1] == ' ') && (found[length] == ' ' || !found[length])) return true;
        found += length;
    }
    return false;
}

static GLint get(GLenum name) {
    GLint value = -1;
    glGetIntegerv(name, &value);
    return value;
}

static void *pointer(GLenum name) {
    void *value = &value;
    glGetPointerv(name, &value);
    return value;
}

static GLboolean is_valid(void) {
    GLboolean valid = 77;
    glGetBooleanv(GL_VERTEX_ARRAY_RANGE_VALID_NV, &valid);
    return valid;
}

/* "New State" and "New Implementation Dependent State". */
static void initial_state(void) {
    CHECK(has_extension("GL_NV_vertex_array_range"));
    CHECK(has_extension("GL_NV_vertex_array_range2"));
    CHECK(has_extension("GL_NV_pixel_data_range"));
    EQUAL(glIsEnabled(GL_VERTEX_ARRAY_RANGE_NV), GL_FALSE);
    EQUAL(glIsEnabled(GL_WRITE_PIXEL_DATA_RANGE_NV), GL_FALSE);
    EQUAL(glIsEnabled(GL_READ_PIXEL_DATA_RANGE_NV), GL_FALSE);
    EQUAL(pointer(GL_VERTEX_ARRAY_RANGE_POINTER_NV), 0);
    EQUAL(pointer(GL_WRITE_PIXEL_DATA_RANGE_POINTER_NV), 0);
    EQUAL(pointer(GL_READ_PIXEL_DATA_RANGE_POINTER_NV), 0);
    EQUAL(get(GL_VERTEX_ARRAY_RANGE_LENGTH_NV), 0);
    EQUAL(get(GL_WRITE_PIXEL_DATA_RANGE_LENGTH_NV), 0);
    EQUAL(get(GL_READ_PIXEL_DATA_RANGE_LENGTH_NV), 0);
    EQUAL(is_valid(), GL_FALSE);
    CHECK(get(GL_MAX_VERTEX_ARRAY_RANGE_ELEMENT_NV) >= 65535, "%d", get(GL_MAX_VERTEX_ARRAY_RANGE_ELEMENT_NV));
    ERROR(GL_NO_ERROR);
}

static void allocations(bool is_known) {
    if (is_known) {
        EQUAL(allocate(-1, 0, 1, 1), 0);
        EQUAL(allocate(0, 0, 1, 1), 0);
        GLubyte *one = allocate(100000, 0, 1, 1), *other = allocate(1, 1, 0, 0);
        CHECK(one && other && one != other);
        memset(one, 1, 100000);
        *other = 2;
        EQUAL(one[99999], 1);
        /* Pointers that are none of the allocator, and memory that was released, are ignored. */
        release(NULL);
        release(&is_known);
        release(one + 1);
        EQUAL(*one, 1);
        release(one);
        release(one);
        EQUAL(*other, 2);
        release(other);
    }
    ERROR(GL_NO_ERROR);
}

/* Each condition of section 2.8 by itself. */
static void validity(void) {
    static GLubyte memory[64];
    glVertexArrayRangeNV(64, memory);
    EQUAL(get(GL_VERTEX_ARRAY_RANGE_LENGTH_NV), 64);
    EQUAL(pointer(GL_VERTEX_ARRAY_RANGE_POINTER_NV), memory);
    EQUAL(is_valid(), GL_FALSE);
    glEnableClientState(GL_VERTEX_ARRAY_RANGE_NV);
    EQUAL(glIsEnabled(GL_VERTEX_ARRAY_RANGE_NV), GL_TRUE);
    EQUAL(get(GL_VERTEX_ARRAY_RANGE_NV), 1);
    EQUAL(is_valid(), GL_FALSE);
    glEnableClientState(GL_VERTEX_ARRAY);
    EQUAL(is_valid(), GL_TRUE);
    EQUAL(get(GL_VERTEX_ARRAY_RANGE_VALID_NV), 1);
    GLfloat valid = -1;
    glGetFloatv(GL_VERTEX_ARRAY_RANGE_VALID_NV, &valid);
    CHECK(valid == 1, "%g", valid);
    glDisableClientState(GL_VERTEX_ARRAY_RANGE_NV);
    EQUAL(is_valid(), GL_FALSE);
    EQUAL(glIsEnabled(GL_VERTEX_ARRAY_RANGE_NV), GL_FALSE);
    /* NV_vertex_array_range2: the same boolean, which its name does not query. */
    glEnableClientState(GL_VERTEX_ARRAY_RANGE_WITHOUT_FLUSH_NV);
    EQUAL(glIsEnabled(GL_VERTEX_ARRAY_RANGE_NV), GL_TRUE);
    EQUAL(is_valid(), GL_TRUE);
    ERROR(GL_NO_ERROR);
    EQUAL(glIsEnabled(GL_VERTEX_ARRAY_RANGE_WITHOUT_FLUSH_NV), GL_FALSE);
    ERROR(GL_INVALID_ENUM);
    glVertexArrayRangeNV(0, memory);
    EQUAL(is_valid(), GL_FALSE);
    glVertexArrayRangeNV(64, NULL);
    EQUAL(is_valid(), GL_FALSE);
    EQUAL(pointer(GL_VERTEX_ARRAY_RANGE_POINTER_NV), 0);
    glVertexArrayRangeNV(32, memory + 16);
    EQUAL(is_valid(), GL_TRUE);
    glDisableClientState(GL_VERTEX_ARRAY);
    EQUAL(is_valid(), GL_FALSE);
    glDisableClientState(GL_VERTEX_ARRAY_RANGE_WITHOUT_FLUSH_NV);
    EQUAL(glIsEnabled(GL_VERTEX_ARRAY_RANGE_NV), GL_FALSE);
    /* Capabilities of the server do not include it. */
    glEnable(GL_VERTEX_ARRAY_RANGE_NV);
    ERROR(GL_INVALID_ENUM);
    EQUAL(glIsEnabled(GL_VERTEX_ARRAY_RANGE_NV), GL_FALSE);
    ERROR(GL_NO_ERROR);
}

/* A command that is an error changes nothing. */
static void errors(void) {
    static GLubyte memory[64];
    glVertexArrayRangeNV(8, memory);
    glPixelDataRangeNV(GL_WRITE_PIXEL_DATA_RANGE_NV, 9, memory);
    ERROR(GL_NO_ERROR);
    glVertexArrayRangeNV(-1, memory + 1);
    ERROR(GL_INVALID_VALUE);
    glPixelDataRangeNV(GL_WRITE_PIXEL_DATA_RANGE_NV, -1, memory + 1);
    ERROR(GL_INVALID_VALUE);
    glPixelDataRangeNV(GL_VERTEX_ARRAY_RANGE_NV, 1, memory + 1);
    ERROR(GL_INVALID_ENUM);
    glPixelDataRangeNV(0, -1, memory + 1);
    ERROR(GL_INVALID_ENUM);
    glFlushPixelDataRangeNV(GL_VERTEX_ARRAY_RANGE_NV);
    ERROR(GL_INVALID_ENUM);
    glFlushPixelDataRangeNV(GL_WRITE_PIXEL_DATA_RANGE_NV);
    glFlushPixelDataRangeNV(GL_READ_PIXEL_DATA_RANGE_NV);
    glFlushVertexArrayRangeNV();
    ERROR(GL_NO_ERROR);
    GLint length = 77;
    glBegin(GL_POINTS);
    glVertexArrayRangeNV(1, memory + 1);
    glEnd();
    ERROR(GL_INVALID_OPERATION);
    glBegin(GL_POINTS);
    glPixelDataRangeNV(GL_WRITE_PIXEL_DATA_RANGE_NV, 1, memory + 1);
    glEnd();
    ERROR(GL_INVALID_OPERATION);
    glBegin(GL_POINTS);
    glFlushVertexArrayRangeNV();
    glEnd();
    ERROR(GL_INVALID_OPERATION);
    glBegin(GL_POINTS);
    glFlushPixelDataRangeNV(GL_READ_PIXEL_DATA_RANGE_NV);
    glEnd();
    ERROR(GL_INVALID_OPERATION);
    glBegin(GL_POINTS);
    glGetIntegerv(GL_VERTEX_ARRAY_RANGE_LENGTH_NV, &length);
    glEnd();
    ERROR(GL_INVALID_OPERATION);
    EQUAL(length, 77);
    glBegin(GL_POINTS);
    EQUAL(glIsEnabled(GL_VERTEX_ARRAY_RANGE_NV), GL_FALSE);
    glEnd();
    ERROR(GL_INVALID_OPERATION);
    EQUAL(get(GL_VERTEX_ARRAY_RANGE_LENGTH_NV), 8);
    EQUAL(pointer(GL_VERTEX_ARRAY_RANGE_POINTER_NV), memory);
    EQUAL(get(GL_WRITE_PIXEL_DATA_RANGE_LENGTH_NV), 9);
    EQUAL(pointer(GL_WRITE_PIXEL_DATA_RANGE_POINTER_NV), memory);
    EQUAL(get(GL_READ_PIXEL_DATA_RANGE_LENGTH_NV), 0);
    ERROR(GL_NO_ERROR);
}

/* Sets the three ranges to a length, and enables or disables them. */
static void set_all(GLsizei length, bool enabled) {
    static GLubyte memory[64];
    glVertexArrayRangeNV(length, memory + length);
    glPixelDataRangeNV(GL_WRITE_PIXEL_DATA_RANGE_NV, length, memory + length);
    glPixelDataRangeNV(GL_READ_PIXEL_DATA_RANGE_NV, length, memory + length);
    (enabled ? glEnableClientState : glDisableClientState)(GL_VERTEX_ARRAY_RANGE_NV);
    (enabled ? glEnableClientState : glDisableClientState)(GL_WRITE_PIXEL_DATA_RANGE_NV);
    (enabled ? glEnableClientState : glDisableClientState)(GL_READ_PIXEL_DATA_RANGE_NV);
}

/* Checks lengths and enables of the range of arrays and of those of pixels; lengths that are not 0 are offsets of pointers, too. */
#define STATE(arrays, arrays_enabled, pixels, pixels_enabled)                                                          \
    do {                                                                                                               \
        EQUAL(get(GL_VERTEX_ARRAY_RANGE_LENGTH_NV), arrays);                                                           \
        EQUAL(get(GL_WRITE_PIXEL_DATA_RANGE_LENGTH_NV), pixels);                                                       \
        EQUAL(get(GL_READ_PIXEL_DATA_RANGE_LENGTH_NV), pixels);                                                        \
        EQUAL(glIsEnabled(GL_VERTEX_ARRAY_RANGE_NV), arrays_enabled);                                                  \
        EQUAL(glIsEnabled(GL_WRITE_PIXEL_DATA_RANGE_NV), pixels_enabled);                                              \
        EQUAL(glIsEnabled(GL_READ_PIXEL_DATA_RANGE_NV), pixels_enabled);                                               \
        EQUAL((GLubyte *)pointer(GL_VERTEX_ARRAY_RANGE_POINTER_NV) - (GLubyte *)pointer(GL_WRITE_PIXEL_DATA_RANGE_POINTER_NV), (arrays) - (pixels)); \
        EQUAL(pointer(GL_READ_PIXEL_DATA_RANGE_POINTER_NV), pointer(GL_WRITE_PIXEL_DATA_RANGE_POINTER_NV));            \
    } while (0)

/* Attributes vertex-array and pixel-store of "New State". */
static void client_attributes(void) {
    set_all(1, true);
    glPushClientAttrib(GL_CLIENT_VERTEX_ARRAY_BIT);
    set_all(2, false);
    glPushClientAttrib(GL_CLIENT_PIXEL_STORE_BIT);
    set_all(3, true);
    glPushClientAttrib(GL_CLIENT_ALL_ATTRIB_BITS);
    set_all(4, false);
    STATE(4, GL_FALSE, 4, GL_FALSE);
    glPopClientAttrib();
    STATE(3, GL_TRUE, 3, GL_TRUE);
    glPopClientAttrib();
    STATE(3, GL_TRUE, 2, GL_FALSE);
    glPopClientAttrib();
    STATE(1, GL_TRUE, 2, GL_FALSE);
    ERROR(GL_NO_ERROR);
    /* Errors of the stack leave the ranges and the entries below. */
    glPopClientAttrib();
    ERROR(GL_STACK_UNDERFLOW);
    STATE(1, GL_TRUE, 2, GL_FALSE);
    GLint depth = get(GL_MAX_CLIENT_ATTRIB_STACK_DEPTH);
    for (GLint n = 0; n < depth; n++) {
        set_all(n + 1, n % 2);
        glPushClientAttrib(GL_CLIENT_ALL_ATTRIB_BITS);
    }
    ERROR(GL_NO_ERROR);
    set_all(50, true);
    glPushClientAttrib(GL_CLIENT_ALL_ATTRIB_BITS);
    ERROR(GL_STACK_OVERFLOW);
    STATE(50, GL_TRUE, 50, GL_TRUE);
    for (GLint n = depth; n-- > 0;) {
        glPopClientAttrib();
        STATE(n + 1, n % 2, n + 1, n % 2);
    }
    ERROR(GL_NO_ERROR);
    /* EXT_direct_state_access: initial values. */
    if (has_extension("GL_EXT_direct_state_access")) {
        set_all(5, true);
        glPushClientAttribDefaultEXT(GL_CLIENT_VERTEX_ARRAY_BIT);
        EQUAL(get(GL_VERTEX_ARRAY_RANGE_LENGTH_NV), 0);
        EQUAL(pointer(GL_VERTEX_ARRAY_RANGE_POINTER_NV), 0);
        EQUAL(glIsEnabled(GL_VERTEX_ARRAY_RANGE_NV), GL_FALSE);
        EQUAL(get(GL_READ_PIXEL_DATA_RANGE_LENGTH_NV), 5);
        glPopClientAttrib();
        STATE(5, GL_TRUE, 5, GL_TRUE);
        glClientAttribDefaultEXT(GL_CLIENT_PIXEL_STORE_BIT);
        EQUAL(get(GL_READ_PIXEL_DATA_RANGE_LENGTH_NV), 0);
        EQUAL(glIsEnabled(GL_WRITE_PIXEL_DATA_RANGE_NV), GL_FALSE);
        EQUAL(get(GL_VERTEX_ARRAY_RANGE_LENGTH_NV), 5);
        ERROR(GL_NO_ERROR);
    }
    set_all(0, false);
    ERROR(GL_NO_ERROR);
}

struct vertex {
    float position[2];
    GLubyte color[4];
};

/* Writes a rectangle with a color, from a column to another one, in [-1, 1]. */
static void write_rectangle(struct vertex *to, float left, float right, const GLubyte color[4]) {
    const float corners[4][2] = {{left, -1}, {right, -1}, {right, 1}, {left, 1}};
    for (int n = 0; n < 4; n++) {
        memcpy(to[n].position, corners[n], sizeof corners[n]);
        memcpy(to[n].color, color, 4);
    }
}

static const GLubyte RED[4] = {255, 0, 0, 255}, GREEN[4] = {0, 255, 0, 255}, BLUE[4] = {0, 0, 255, 255};

/* Arrays in a range, which change between draws after each kind of flush, with fixed functions and with a program. */
static void arrays(void) {
    enum { ELEMENTS = 70000 };
    GLsizei size = ELEMENTS * (GLsizei)sizeof(struct vertex);
    struct vertex *memory = allocate(size, 0, 1, 0.5f);
    CHECK(memory);
    if (!memory) return;
    glVertexArrayRangeNV(size, memory);
    glEnableClientState(GL_VERTEX_ARRAY_RANGE_NV);
    glVertexPointer(2, GL_FLOAT, sizeof *memory, memory->position);
    glColorPointer(4, GL_UNSIGNED_BYTE, sizeof *memory, memory->color);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    EQUAL(is_valid(), GL_TRUE);
    for (int kind = 0; kind < 5; kind++) {
        clear();
        write_rectangle(memory, -1, 0, RED);
        glDrawArrays(GL_QUADS, 0, 4);
        switch (kind) {
        case 0: glFlushVertexArrayRangeNV(); break;
        case 1: glFinish(); break;
        case 2: glVertexArrayRangeNV(size, memory); break;
        case 3: glDisableClientState(GL_VERTEX_ARRAY_RANGE_NV); break;
        case 4: glEnableClientState(GL_VERTEX_ARRAY_RANGE_NV); break;
        }
        write_rectangle(memory, 0, 1, GREEN);
        glDrawArrays(GL_QUADS, 0, 4);
        PIXEL(2, 8, 1, 0, 0, 1);
        PIXEL(13, 8, 0, 1, 0, 1);
        glEnableClientState(GL_VERTEX_ARRAY_RANGE_NV);
    }
    /* The greatest element that indices of 16 bits have is below the limit; so is the last one of the range. */
    CHECK(get(GL_MAX_VERTEX_ARRAY_RANGE_ELEMENT_NV) >= 65535);
    write_rectangle(memory + 65531, -1, 1, BLUE);
    static const GLushort last[] = {65531, 65532, 65533, 65534};
    clear();
    glDrawElements(GL_QUADS, 4, GL_UNSIGNED_SHORT, last);
    PIXEL(8, 8, 0, 0, 1, 1);
    glFlushVertexArrayRangeNV();
    if (get(GL_MAX_VERTEX_ARRAY_RANGE_ELEMENT_NV) > ELEMENTS) {
        write_rectangle(memory + ELEMENTS - 4, -1, 1, RED);
        glDrawArrays(GL_QUADS, ELEMENTS - 4, 4);
        PIXEL(8, 8, 1, 0, 0, 1);
        glFlushVertexArrayRangeNV();
    }
    /* A program that reads the arrays by number. */
    GLuint program = load(GL_VERTEX_PROGRAM_ARB, "!!ARBvp1.0\nOPTION NV_vertex_program2;\nMOV result.position, vertex.attrib[0];\n"
                                                 "MOV result.color, vertex.attrib[3].yxzw;\nEND");
    glEnable(GL_VERTEX_PROGRAM_ARB);
    write_rectangle(memory, -1, 1, RED);
    glDrawArrays(GL_QUADS, 0, 4);
    PIXEL(8, 8, 0, 1, 0, 1);
    glFlushVertexArrayRangeNV();
    glDisable(GL_VERTEX_PROGRAM_ARB);
    glDeleteProgramsARB(1, &program);
    /* Lists: the ranges change at once, and draws read the arrays when they are compiled (section 5.4). */
    write_rectangle(memory, -1, 1, GREEN);
    glNewList(1, GL_COMPILE);
    glDrawArrays(GL_QUADS, 0, 4);
    glFlushVertexArrayRangeNV();
    glVertexArrayRangeNV(40, memory + 1);
    glEnableClientState(GL_READ_PIXEL_DATA_RANGE_NV);
    EQUAL(get(GL_VERTEX_ARRAY_RANGE_LENGTH_NV), 40);
    glEndList();
    EQUAL(get(GL_VERTEX_ARRAY_RANGE_LENGTH_NV), 40);
    EQUAL(pointer(GL_VERTEX_ARRAY_RANGE_POINTER_NV), memory + 1);
    EQUAL(glIsEnabled(GL_READ_PIXEL_DATA_RANGE_NV), GL_TRUE);
    glDisableClientState(GL_READ_PIXEL_DATA_RANGE_NV);
    write_rectangle(memory, -1, 1, BLUE);
    glVertexArrayRangeNV(size, memory);
    clear();
    glCallList(1);
    PIXEL(8, 8, 0, 1, 0, 1);
    EQUAL(get(GL_VERTEX_ARRAY_RANGE_LENGTH_NV), size);
    EQUAL(glIsEnabled(GL_READ_PIXEL_DATA_RANGE_NV), GL_FALSE);
    glDisableClientState(GL_VERTEX_ARRAY);
    glDisableClientState(GL_COLOR_ARRAY);
    glDisableClientState(GL_VERTEX_ARRAY_RANGE_NV);
    glVertexArrayRangeNV(0, NULL);
    release(memory);
    ERROR(GL_NO_ERROR);
}

/* Pixels that are drawn from a range, copied to a texture, and read into a range. */
static void pixels(void) {
    GLsizei size = SIZE * SIZE * 4;
    GLubyte *written = allocate(size, 0, 1, 1), *read = allocate(size, 1, 0, 1);
    CHECK(written && read);
    if (!written || !read) return;
    glPixelDataRangeNV(GL_WRITE_PIXEL_DATA_RANGE_NV, size, written);
    glPixelDataRangeNV(GL_READ_PIXEL_DATA_RANGE_NV, size, read);
    glEnableClientState(GL_WRITE_PIXEL_DATA_RANGE_NV);
    glEnableClientState(GL_READ_PIXEL_DATA_RANGE_NV);
    EQUAL(get(GL_WRITE_PIXEL_DATA_RANGE_LENGTH_NV), size);
    EQUAL(pointer(GL_READ_PIXEL_DATA_RANGE_POINTER_NV), read);
    for (int n = 0; n < size; n++) written[n] = (GLubyte)(n * 7);
    glWindowPos2i(0, 0);
    glDrawPixels(SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, written);
    glFlushPixelDataRangeNV(GL_WRITE_PIXEL_DATA_RANGE_NV);
    memset(written, 0, (size_t)size);
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, read);
    glFlushPixelDataRangeNV(GL_READ_PIXEL_DATA_RANGE_NV);
    for (int n = 0; n < size; n++)
        if (read[n] != (GLubyte)(n * 7)) {
            CHECK(false, "byte %d is %d", n, read[n]);
            break;
        }
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    for (int n = 0; n < size; n++) written[n] = (GLubyte)(n * 5);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, written);
    glPixelDataRangeNV(GL_WRITE_PIXEL_DATA_RANGE_NV, size, written);
    memset(written, 0, (size_t)size);
    memset(read, 0, (size_t)size);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, read);
    glFinish();
    for (int n = 0; n < size; n++)
        if (read[n] != (GLubyte)(n * 5)) {
            CHECK(false, "byte %d of the texture is %d", n, read[n]);
            break;
        }
    glDeleteTextures(1, &texture);
    glDisableClientState(GL_WRITE_PIXEL_DATA_RANGE_NV);
    glDisableClientState(GL_READ_PIXEL_DATA_RANGE_NV);
    glPixelDataRangeNV(GL_WRITE_PIXEL_DATA_RANGE_NV, 0, NULL);
    glPixelDataRangeNV(GL_READ_PIXEL_DATA_RANGE_NV, 0, NULL);
    release(written);
    release(read);
    ERROR(GL_NO_ERROR);
}

int main(void) {
    start();
    context first = open_context(NULL);
    use_context(first);
    bool is_known = find_allocator();
    initial_state();
    allocations(is_known);
    validity();
    errors();
    set_all(0, false);
    client_attributes();
    arrays();
    pixels();
    /* Ranges are state of a context. */
    set_all(6, true);
    context second = open_context(first);
    use_context(second);
    initial_state();
    use_context(first);
    STATE(6, GL_TRUE, 6, GL_TRUE);
    close_context(second);
    ERROR(GL_NO_ERROR);
    return finish();
}
