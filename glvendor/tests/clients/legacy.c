/* Commands of GLX under their first names: GLX_SGIX_fbconfig, GLX_SGI_make_current_read. Contexts that are made so are contexts as others. */
#include "client.h"

static void *shown, *config;

static bool has_programs(void) {
    const char *extensions = (const char *)glGetString(GL_EXTENSIONS);
    return extensions && strstr(extensions, "GL_NV_vertex_program3");
}

int main(void) {
    start();
    void *(*create)(void *, void *, int, void *, int) = glx_function("glXCreateContextWithConfigSGIX", &shown, &config);
    int (*use)(void *, long, long, void *) = glx_function("glXMakeCurrentReadSGI", &shown, &config);
    if (!create || !use) return finish();
    enum { RGBA_TYPE = 0x8014 };
    context one = create(shown, config, RGBA_TYPE, 0, 1), other = create(shown, config, RGBA_TYPE, 0, 1);
    CHECK(one && other, "no contexts");
    use_context(one);
    CHECK(has_programs(), "the context is one of the driver alone");
    static const char TEXT[] = "!!FP1.0\nMOV o[COLR], {0, 1, 0, 1};\nEND";
    glLoadProgramNV(GL_FRAGMENT_PROGRAM_NV, 5, sizeof TEXT - 1, (const GLubyte *)TEXT);
    glBindProgramNV(GL_FRAGMENT_PROGRAM_NV, 5);
    glEnable(GL_FRAGMENT_PROGRAM_NV);
    /* Nothing of the first context is in the second one. */
    CHECK(use(shown, current_surface(), current_surface(), other), "the context cannot be made current");
    GLint bound;
    glGetIntegerv(GL_FRAGMENT_PROGRAM_BINDING_NV, &bound);
    EQUAL(bound, 0);
    EQUAL(glIsEnabled(GL_FRAGMENT_PROGRAM_NV), 0);
    glViewport(0, 0, SIZE, SIZE);
    glColor3f(1, 0, 0);
    draw_square();
    PIXEL(8, 8, 1, 0, 0, 1);
    ERROR(GL_NO_ERROR);
    CHECK(use(shown, current_surface(), current_surface(), one), "the context cannot be made current");
    draw_square();
    PIXEL(8, 8, 0, 1, 0, 1);
    ERROR(GL_NO_ERROR);
    use(shown, 0, 0, 0);
    use_context(0);
    close_context(one);
    close_context(other);
    return finish();
}
