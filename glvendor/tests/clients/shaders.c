/* Programs of GLSL that the application has: they come before programs that are bound, and it sees its own ones only. */
#include "client.h"

static const char VERTEX[] = "#version 120\nvoid main() { gl_Position = gl_Vertex; gl_FrontColor = gl_Color.bgra; }";
static const char FRAGMENT[] = "#version 120\nuniform vec4 more;\nvoid main() { gl_FragColor = gl_Color + more; }";
static const char ASSEMBLY[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.color.yxzw;\nEND";

static GLuint shader(GLenum kind, const char *text) {
    GLuint name = glCreateShader(kind);
    glShaderSource(name, 1, &text, 0);
    glCompileShader(name);
    GLint is_compiled;
    glGetShaderiv(name, GL_COMPILE_STATUS, &is_compiled);
    CHECK(is_compiled);
    return name;
}

static GLint current(void) {
    GLint name;
    glGetIntegerv(GL_CURRENT_PROGRAM, &name);
    return name;
}

static void show(void) {
    clear();
    draw_square();
}

int main(void) {
    start();
    use_context(open_context(0));
    GLuint program = glCreateProgram(), vertex = shader(GL_VERTEX_SHADER, VERTEX), fragment = shader(GL_FRAGMENT_SHADER, FRAGMENT);
    glAttachShader(program, vertex);
    glAttachShader(program, fragment);
    glLinkProgram(program);
    GLint more = glGetUniformLocation(program, "more");
    load(GL_VERTEX_PROGRAM_ARB, ASSEMBLY);
    load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    glColor4f(0.2f, 0.4f, 0.8f, 1);
    show();
    PIXEL(8, 8, 0.4f, 0.2f, 0.8f, 1);
    EQUAL(current(), 0);
    glUseProgram(program);
    EQUAL(current(), program);
    glUniform4f(more, 0, 0.2f, 0, 0);
    show();
    PIXEL(8, 8, 0.8f, 0.6f, 0.2f, 1);
    EQUAL(current(), program);
    /* Uniforms reach the program of the application whatever has drawn in between. */
    for (int i = 0; i < 3; i++) {
        glUseProgram(0);
        EQUAL(current(), 0);
        show();
        PIXEL(8, 8, 0.4f, 0.2f, 0.8f, 1);
        EQUAL(current(), 0);
        glUniform4f(more, 0, 0, 0, 0);
        ERROR(GL_INVALID_OPERATION);
        glUseProgram(program);
        glUniform4f(more, 0, 0.2f * (float)i, 0, 0);
        show();
        PIXEL(8, 8, 0.8f, 0.4f + 0.2f * (float)i, 0.2f, 1);
    }
    /* Errors leave it as it is. */
    glUseProgram(vertex);
    ERROR(GL_INVALID_OPERATION);
    EQUAL(current(), program);
    glUseProgram(program + 1000);
    ERROR(GL_INVALID_VALUE);
    EQUAL(current(), program);
    /* A program that is deleted while it is in use stays until it is not. */
    glDeleteProgram(program);
    EQUAL(glIsProgram(program), 1);
    show();
    PIXEL(8, 8, 0.8f, 0.8f, 0.2f, 1);
    glUseProgram(0);
    EQUAL(glIsProgram(program), 0);
    show();
    PIXEL(8, 8, 0.4f, 0.2f, 0.8f, 1);
    /* Uniform buffers of the application stay bound. */
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_UNIFORM_BUFFER, buffer);
    glBufferData(GL_UNIFORM_BUFFER, 64, 0, GL_STATIC_DRAW);
    for (GLuint i = 0; i < 8; i++) glBindBufferBase(GL_UNIFORM_BUFFER, i, buffer);
    show();
    PIXEL(8, 8, 0.4f, 0.2f, 0.8f, 1);
    GLint bound;
    glGetIntegerv(GL_UNIFORM_BUFFER_BINDING, &bound);
    EQUAL((GLuint)bound, buffer);
    for (GLuint i = 0; i < 8; i++) {
        glGetIntegeri_v(GL_UNIFORM_BUFFER_BINDING, i, &bound);
        EQUAL((GLuint)bound, buffer);
    }
    /* Programs of GLSL in lists. */
    program = glCreateProgram();
    glAttachShader(program, vertex);
    glAttachShader(program, fragment);
    glLinkProgram(program);
    GLuint list = glGenLists(1);
    glNewList(list, GL_COMPILE);
    glUseProgram(program);
    glRectf(-1, -1, 0, 1);
    glUseProgram(0);
    glRectf(0, -1, 1, 1);
    glEndList();
    clear();
    glCallList(list);
    PIXEL(2, 8, 0.8f, 0.4f, 0.2f, 1);
    PIXEL(13, 8, 0.4f, 0.2f, 0.8f, 1);
    EQUAL(current(), 0);
    ERROR(GL_NO_ERROR);
    return finish();
}
