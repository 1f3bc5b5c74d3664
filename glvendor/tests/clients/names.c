/* Objects of the library are under no name that an application uses: names of buffers and textures that were not generated are valid in the
   compatibility profile (GL 2.1 sections 2.9 and 3.8.12), and names of other objects are unknown unless they were generated. */
#include "client.h"

enum { NAMES = 64 };

static GLuint next_color;

/* Draws with a parameter that no draw had before, so that it must be written, and checks that it was read. */
static void check_draw(void) {
    float value = (float)(++next_color % 256) / 255;
    glProgramLocalParameter4fARB(GL_FRAGMENT_PROGRAM_ARB, 0, 0, 1, value, 1);
    draw_square();
    PIXEL(8, 8, 0, 1, value, 1);
}

static void bind_programs(void) {
    load(GL_VERTEX_PROGRAM_ARB, "!!NVvp4.0\nMOV result.position, vertex.position;\nEND");
    load(GL_FRAGMENT_PROGRAM_ARB, "!!NVfp4.0\nMOV result.color, program.local[0];\nEND");
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    check_draw();
}

/* Names that an application chooses are those of its own buffers, whatever the library had there. */
static void chosen_buffers(void) {
    static const float data[12] = {1, 2, 3};
    for (GLuint name = 1; name < NAMES; name++) {
        check_draw();
        EQUAL(glIsBuffer(name), 0);
        glBindBuffer(GL_ARRAY_BUFFER, name);
        glBufferData(GL_ARRAY_BUFFER, sizeof data, data, GL_STATIC_DRAW);
        ERROR(GL_NO_ERROR);
        GLint size = 0;
        glGetBufferParameteriv(GL_ARRAY_BUFFER, GL_BUFFER_SIZE, &size);
        EQUAL(size, sizeof data);
        check_draw();
        const float *mapped = glMapBuffer(GL_ARRAY_BUFFER, GL_READ_ONLY);
        CHECK(mapped && mapped[2] == 3, "buffer %u", name);
        check_draw();
        glUnmapBuffer(GL_ARRAY_BUFFER);
    }
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    ERROR(GL_NO_ERROR);
    GLuint names[NAMES];
    for (GLuint i = 0; i < NAMES; i++) names[i] = i;
    glDeleteBuffers(NAMES, names);
}

/* Unknown names are ignored by DeleteBuffers, and are errors where buffers are named directly. */
static void unknown_buffers(void) {
    GLuint names[NAMES * 4];
    for (GLuint i = 0; i < NAMES * 4; i++) names[i] = i + 1;
    for (int i = 0; i < 4; i++) {
        glDeleteBuffers(NAMES * 4, names);
        ERROR(GL_NO_ERROR);
        check_draw();
    }
    for (GLuint name = 1; name < NAMES * 4; name++) {
        GLint size = -1;
        glGetNamedBufferParameteriv(name, GL_BUFFER_SIZE, &size);
        ERROR(GL_INVALID_OPERATION);
        CHECK(!glMapNamedBuffer(name, GL_WRITE_ONLY), "buffer %u", name);
        ERROR(GL_INVALID_OPERATION);
        glInvalidateBufferData(name);
        ERROR(GL_INVALID_VALUE);
    }
    check_draw();
    glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, 1);
    glGetError();
    for (GLuint name = 1; name < NAMES; name++) {
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, name);
        glBindVertexBuffer(0, 0, 0, 16);
        check_draw();
    }
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, 0);
    glDeleteBuffers(NAMES * 4, names);
    glGetError();
    GLint count, buffer;
    glGetIntegerv(GL_MAX_UNIFORM_BUFFER_BINDINGS, &count);
    check_draw();
    for (GLint i = 0; i < count; i++) {
        glGetIntegeri_v(GL_UNIFORM_BUFFER_BINDING, (GLuint)i, &buffer);
        EQUAL(buffer, 0);
    }
    ERROR(GL_NO_ERROR);
}

/* The same in a context that shares the names, while the first one keeps its programs. */
static void shared_buffers(context first) {
    context other = open_context(first);
    for (int i = 0; i < 4; i++) {
        check_draw();
        use_context(other);
        GLuint names[NAMES * 4];
        for (GLuint n = 0; n < NAMES * 4; n++) names[n] = n + 1;
        glDeleteBuffers(NAMES * 4, names);
        glBindBuffer(GL_ARRAY_BUFFER, 1);
        glBufferData(GL_ARRAY_BUFFER, 64, 0, GL_STATIC_DRAW);
        ERROR(GL_NO_ERROR);
        glBindBuffer(GL_ARRAY_BUFFER, 0);
        use_context(first);
    }
    check_draw();
    /* What a context leaves behind is deleted later, when its name may be the application's. */
    use_context(other);
    bind_programs();
    use_context(first);
    close_context(other);
    for (GLuint name = 1; name < NAMES; name++) {
        glBindBuffer(GL_ARRAY_BUFFER, name);
        glBufferData(GL_ARRAY_BUFFER, 64, 0, GL_STATIC_DRAW);
    }
    use_context(0);
    use_context(first);
    int left = 0;
    for (GLuint name = 1; name < NAMES; name++) left += glIsBuffer(name);
    EQUAL(left, NAMES - 1);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    check_draw();
}

/* Program objects and their shaders, pipeline objects and vertex arrays: names of them must be generated. */
static void generated_names(void) {
    GLuint last = glCreateProgram();
    glDeleteProgram(last);
    GLint value;
    for (GLuint name = 1; name < last; name++) {
        EQUAL(glIsProgram(name), 0);
        EQUAL(glIsShader(name), 0);
        glDeleteProgram(name);
        ERROR(GL_INVALID_VALUE);
        glUseProgram(name);
        ERROR(GL_INVALID_VALUE);
        glGetProgramiv(name, GL_LINK_STATUS, &value);
        ERROR(GL_INVALID_VALUE);
        glProgramUniform1i(name, 0, 1);
        ERROR(GL_INVALID_VALUE);
        glDetachShader(name, name);
        ERROR(GL_INVALID_VALUE);
    }
    for (GLuint name = 1; name < NAMES; name++) {
        EQUAL(glIsProgramPipeline(name), 0);
        EQUAL(glIsVertexArray(name), 0);
        EQUAL(glIsQuery(name), 0);
        EQUAL(glIsSampler(name), 0);
        EQUAL(glIsFramebuffer(name), 0);
        glDeleteProgramPipelines(1, &name);
        ERROR(GL_NO_ERROR);
    }
    check_draw();
}

/* Images in lists are drawn with the texture that the library has made of them. */
static void chosen_textures(void) {
    static const GLubyte image[4] = {51, 102, 204, 255};
    load(GL_FRAGMENT_PROGRAM_ARB, "!!NVfp4.0\nMOV result.color, fragment.color;\nEND");
    glDisable(GL_VERTEX_PROGRAM_ARB);
    glWindowPos2i(4, 4);
    glNewList(1, GL_COMPILE);
    glDrawPixels(1, 1, GL_RGBA, GL_UNSIGNED_BYTE, image);
    glEndList();
    for (GLuint name = 1; name < NAMES; name++) {
        EQUAL(glIsTexture(name), 0);
        glBindTexture(GL_TEXTURE_3D, name);
        ERROR(GL_NO_ERROR);
        if (name % 8 == 1) glDeleteTextures(1, &name);
        clear();
        glCallList(1);
        PIXEL(4, 4, 0.2f, 0.4f, 0.8f, 1);
    }
    glBindTexture(GL_TEXTURE_3D, 0);
    glDeleteLists(1, 1);
    ERROR(GL_NO_ERROR);
}

/* Lists of any name are the application's: parts of lists of the library have names, too. */
static void chosen_lists(void) {
    load(GL_FRAGMENT_PROGRAM_ARB, "!!NVfp4.0\nMOV result.color, program.local[0];\nEND");
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glNewList(1, GL_COMPILE);
    for (int i = 0; i < 8; i++) {
        glProgramLocalParameter4fARB(GL_FRAGMENT_PROGRAM_ARB, 0, 0, 0, (float)i / 8, 1);
        draw_square();
    }
    glProgramLocalParameter4fARB(GL_FRAGMENT_PROGRAM_ARB, 0, 1, 0, 1, 1);
    draw_square();
    glEndList();
    static const GLuint bases[] = {0x70000000, 0x7FFFFFE0, 0x80000000, 0xF0000000, 0xFFFFFFE0};
    for (unsigned base = 0; base < sizeof bases / sizeof *bases; base++)
        for (GLuint name = bases[base]; name < bases[base] + 16; name++) {
            EQUAL(glIsList(name), 0);
            glDeleteLists(name, 1);
            glNewList(name, GL_COMPILE);
            glColor4f(0, 0, 0, 0);
            glEndList();
            EQUAL(glIsList(name), 1);
            clear();
            glCallList(1);
            PIXEL(8, 8, 1, 0, 1, 1);
            glCallList(name);
            glDeleteLists(name, 1);
            EQUAL(glIsList(name), 0);
        }
    clear();
    glCallList(1);
    PIXEL(8, 8, 1, 0, 1, 1);
    glDeleteLists(1, 1);
    ERROR(GL_NO_ERROR);
}

int main(void) {
    start();
    context first = open_context(0);
    use_context(first);
    bind_programs();
    chosen_buffers();
    unknown_buffers();
    shared_buffers(first);
    generated_names();
    chosen_textures();
    chosen_lists();
    use_context(0);
    close_context(first);
    return finish();
}
