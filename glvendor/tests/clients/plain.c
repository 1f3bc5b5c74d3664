/* An application that never uses programs: what it draws and is told must be what it is without the library. Prints all of it; the test
   compares. */
#include "client.h"

static void print_pixels(const char *what) {
    static GLubyte pixels[SIZE * SIZE * 4];
    unsigned long long hash = 14695981039346656037ULL;
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (unsigned i = 0; i < sizeof pixels; i++) hash = (hash ^ pixels[i]) * 1099511628211ULL;
    printf("%s: %016llx, error 0x%04x\n", what, hash, glGetError());
}

static void draw_triangles(void) {
    glBegin(GL_TRIANGLE_STRIP);
    for (int i = 0; i < 4; i++) {
        float x = i & 1 ? 0.9f : -0.9f, y = i & 2 ? 0.8f : -0.7f;
        glColor4f(0.5f + x / 2, 0.5f - y / 2, 0.3f * (float)i, 1);
        glNormal3f(x, y, 1);
        glTexCoord2f(x, y);
        glVertex3f(x, y, 0.1f * (float)i);
    }
    glEnd();
}

static void fixed_functions(void) {
    clear();
    draw_triangles();
    print_pixels("colors");
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glEnable(GL_NORMALIZE);
    glLightfv(GL_LIGHT0, GL_DIFFUSE, (const float[]){0.7f, 0.5f, 0.9f, 1});
    clear();
    draw_triangles();
    print_pixels("light");
    glDisable(GL_LIGHTING);
    static const GLubyte texels[4][4] = {{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 128}};
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glEnable(GL_TEXTURE_2D);
    glEnable(GL_FOG);
    glFogf(GL_FOG_DENSITY, 2);
    glMatrixMode(GL_TEXTURE);
    glRotatef(30, 0, 0, 1);
    glMatrixMode(GL_MODELVIEW);
    glRotatef(20, 1, 0.5f, 0);
    clear();
    draw_triangles();
    print_pixels("texture and fog");
    glDisable(GL_TEXTURE_2D);
    glDisable(GL_FOG);
}

static void lists_and_arrays(void) {
    GLuint list = glGenLists(2);
    glNewList(list, GL_COMPILE);
    glPushMatrix();
    glScalef(0.5f, 0.5f, 1);
    draw_triangles();
    glPopMatrix();
    glEndList();
    glNewList(list + 1, GL_COMPILE_AND_EXECUTE);
    glCallList(list);
    glTranslatef(0.3f, 0, 0);
    glPushAttrib(GL_ENABLE_BIT | GL_CURRENT_BIT);
    glEnable(GL_CULL_FACE);
    glCallList(list);
    glPopAttrib();
    glEndList();
    clear();
    glCallLists(2, GL_UNSIGNED_BYTE, (const GLubyte[]){(GLubyte)list, (GLubyte)(list + 1)});
    print_pixels("lists");
    printf("list %u\n", list);
    static const float corners[] = {-1, -1, 1, 0, 0, 1, -1, 0, 1, 0, 0, 1, 0, 0, 1};
    glInterleavedArrays(GL_C3F_V3F, 0, (const float[]){1, 0, 0, -1, -1, 0, 0, 1, 0, 1, -1, 0, 0, 0, 1, 0, 1, 0});
    clear();
    glDrawArrays(GL_TRIANGLES, 0, 3);
    print_pixels("arrays");
    glDisableClientState(GL_COLOR_ARRAY);
    glVertexPointer(2, GL_FLOAT, 5 * sizeof(float), corners);
    clear();
    glDrawElements(GL_LINE_LOOP, 3, GL_UNSIGNED_BYTE, (const GLubyte[]){0, 1, 2});
    print_pixels("elements");
    glDisableClientState(GL_VERTEX_ARRAY);
}

static void shaders_and_names(void) {
    static const char *const text = "#version 120\nvoid main() { gl_FragColor = gl_Color.brga; }";
    GLuint shader = glCreateShader(GL_FRAGMENT_SHADER), program = glCreateProgram(), buffer, texture;
    glShaderSource(shader, 1, &text, 0);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glLinkProgram(program);
    glUseProgram(program);
    clear();
    draw_triangles();
    print_pixels("GLSL");
    glUseProgram(0);
    glGenBuffers(1, &buffer);
    glGenTextures(1, &texture);
    printf("names %u %u %u %u\n", shader, program, buffer, texture);
}

static void answers(void) {
    printf("%s, %s, %s\n", (const char *)glGetString(GL_VENDOR), (const char *)glGetString(GL_RENDERER), (const char *)glGetString(GL_VERSION));
    static const GLenum names[] = {GL_MAX_TEXTURE_UNITS,      GL_MAX_TEXTURE_SIZE,     GL_MAX_LIGHTS,     GL_MAX_VERTEX_ATTRIBS,
                                   GL_MAX_VERTEX_UNIFORM_COMPONENTS, GL_MATRIX_MODE,   GL_CURRENT_PROGRAM, GL_ARRAY_BUFFER_BINDING,
                                   GL_UNIFORM_BUFFER_BINDING, GL_VERTEX_ARRAY_BINDING, GL_LIST_BASE,      GL_ATTRIB_STACK_DEPTH};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        GLint value = -77;
        glGetIntegerv(names[i], &value);
        printf("0x%04x: %d\n", names[i], value);
    }
    for (GLuint i = 0; i < 36; i++) {
        GLint value = -77;
        glGetIntegeri_v(GL_UNIFORM_BUFFER_BINDING, i, &value);
        if (value) printf("uniform buffer %u: %d\n", i, value);
    }
    glEnable(0x1234);
    GLenum first = glGetError(), second = glGetError();
    printf("error 0x%04x, then 0x%04x\n", first, second);
}

int main(void) {
    start();
    use_context(open_context(0));
    fixed_functions();
    lists_and_arrays();
    shaders_and_names();
    answers();
    return finish();
}
