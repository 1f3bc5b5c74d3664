/* Display lists hold commands about programs as any other (ARB_vertex_program: BindProgram, Enable, parameters are compiled into lists; those
   that make, load or ask for programs are executed at once, but for LoadProgramNV, which lists hold: NV_vertex_program, section 5.4). */
#include "client.h"

static const char COLORED[] = "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.color, program.env[1];\nEND";
static const char LOCAL[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, program.local[2];\nEND";
static const char MOVED[] = "!!NVvp4.0\nPARAM m[4] = { state.matrix.mvp };\n"
                            "DP4 result.position.x, m[0], vertex.position;\nDP4 result.position.y, m[1], vertex.position;\n"
                            "DP4 result.position.z, m[2], vertex.position;\nDP4 result.position.w, m[3], vertex.position;\n"
                            "MOV result.color, vertex.color;\nEND";
static GLuint colored, local, moved;

static void show(void) {
    clear();
    draw_square();
}

static void programs_in_lists(void) {
    GLuint list = glGenLists(2);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, local);
    glProgramLocalParameter4fARB(GL_VERTEX_PROGRAM_ARB, 2, 0, 1, 0, 1);
    glProgramEnvParameter4fARB(GL_VERTEX_PROGRAM_ARB, 1, 1, 1, 1, 1);
    glDisable(GL_VERTEX_PROGRAM_ARB);
    glNewList(list, GL_COMPILE);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, colored);
    glProgramEnvParameter4fARB(GL_VERTEX_PROGRAM_ARB, 1, 0.6f, 0.2f, 0.4f, 1);
    glEndList();
    /* Nothing of it has happened yet. */
    EQUAL(glIsEnabled(GL_VERTEX_PROGRAM_ARB), 0);
    GLint bound;
    glGetProgramivARB(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_BINDING_ARB, &bound);
    EQUAL(bound, local);
    float env[4];
    glGetProgramEnvParameterfvARB(GL_VERTEX_PROGRAM_ARB, 1, env);
    VECTOR(env, 1, 1, 1, 1);
    glCallList(list);
    EQUAL(glIsEnabled(GL_VERTEX_PROGRAM_ARB), 1);
    glGetProgramivARB(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_BINDING_ARB, &bound);
    EQUAL(bound, colored);
    show();
    PIXEL(8, 8, 0.6f, 0.2f, 0.4f, 1);
    /* Another list that draws between changes. */
    glNewList(list + 1, GL_COMPILE);
    glClear(GL_COLOR_BUFFER_BIT);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, local);
    glProgramLocalParameter4fARB(GL_VERTEX_PROGRAM_ARB, 2, 0, 0.4f, 0.8f, 1);
    glRectf(-1, -1, 0, 1);
    glProgramLocalParameter4fARB(GL_VERTEX_PROGRAM_ARB, 2, 0.8f, 0.2f, 0, 1);
    glRectf(0, -1, 1, 1);
    glEndList();
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, colored);
    for (int i = 0; i < 2; i++) {
        glCallList(list + 1);
        PIXEL(2, 8, 0, 0.4f, 0.8f, 1);
        PIXEL(13, 8, 0.8f, 0.2f, 0, 1);
    }
    glDeleteLists(list, 2);
    ERROR(GL_NO_ERROR);
}

/* Names of lists go on as if there were none of the library's own; lists of new names are there, and empty. */
static void names_of_lists(void) {
    GLuint first = glGenLists(1);
    glNewList(first, GL_COMPILE);
    glProgramLocalParameter4fARB(GL_VERTEX_PROGRAM_ARB, 2, 0, 0.4f, 0.8f, 1);
    draw_square();
    EQUAL(glGenLists(1), first + 1);
    glEndList();
    EQUAL(glGenLists(3), first + 2);
    EQUAL(glIsList(first + 1), 1);
    EQUAL(glIsList(first + 4), 1);
    EQUAL(glIsList(first + 5), 0);
    glNewList(first + 9, GL_COMPILE);
    glEndList();
    EQUAL(glGenLists(1), first + 10);
    EQUAL(glGenLists(0), 0);
    ERROR(GL_NO_ERROR);
    EQUAL(glGenLists(-1), 0);
    ERROR(GL_INVALID_VALUE);
    clear();
    glCallLists(3, GL_UNSIGNED_INT, (const GLuint[]){first + 1, first + 4, first + 10});
    glCallList(first);
    PIXEL(8, 8, 0, 0.4f, 0.8f, 1);
    glDeleteLists(first, 11);
    ERROR(GL_NO_ERROR);
}

static void matrices_between_draws(void) {
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, moved);
    GLuint list = glGenLists(1);
    glNewList(list, GL_COMPILE);
    glPushMatrix();
    for (int i = 0; i < 4; i++) {
        glLoadIdentity();
        glTranslatef(0.5f * (float)i - 0.75f, 0, 0);
        glScalef(0.25f, 1, 1);
        glColor4f(0.2f * (float)i, 0.4f, 0, 1);
        draw_square();
    }
    glPopMatrix();
    glEndList();
    clear();
    glCallList(list);
    for (int i = 0; i < 4; i++) PIXEL(4 * i + 2, 8, 0.2f * (float)i, 0.4f, 0, 1);
    /* A matrix in front of the list counts for what it does not load. */
    glNewList(list, GL_COMPILE);
    draw_square();
    glTranslatef(1, 0, 0);
    glColor4f(0, 0.8f, 0.8f, 1);
    draw_square();
    glEndList();
    glPushMatrix();
    glTranslatef(-1, 0, 0);
    glColor4f(0.6f, 0.6f, 0, 1);
    clear();
    glCallList(list);
    glPopMatrix();
    PIXEL(2, 8, 0, 0.8f, 0.8f, 1);
    PIXEL(12, 8, 0, 0.8f, 0.8f, 1);
    glDeleteLists(list, 1);
    ERROR(GL_NO_ERROR);
}

static void nested(void) {
    GLuint list = glGenLists(3);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, colored);
    glNewList(list, GL_COMPILE);
    glProgramEnvParameter4fARB(GL_VERTEX_PROGRAM_ARB, 1, 0.2f, 0.6f, 1, 1);
    glEndList();
    glNewList(list + 1, GL_COMPILE);
    glClear(GL_COLOR_BUFFER_BIT);
    glCallList(list);
    draw_square();
    glEndList();
    glNewList(list + 2, GL_COMPILE);
    glProgramEnvParameter4fARB(GL_VERTEX_PROGRAM_ARB, 1, 1, 1, 1, 1);
    glCallList(list + 1);
    glEndList();
    glCallList(list + 2);
    PIXEL(8, 8, 0.2f, 0.6f, 1, 1);
    /* The inner list is taken as it is when the outer one is called. */
    glNewList(list, GL_COMPILE);
    glProgramEnvParameter4fARB(GL_VERTEX_PROGRAM_ARB, 1, 0.4f, 0, 0.6f, 1);
    glEndList();
    glCallList(list + 2);
    PIXEL(8, 8, 0.4f, 0, 0.6f, 1);
    /* A list within a primitive sets what vertices have. */
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, moved);
    glNewList(list, GL_COMPILE);
    glVertexAttrib4fNV(3, 0.8f, 0.6f, 0, 1);
    glEndList();
    clear();
    glColor4f(0, 0, 0, 0);
    glBegin(GL_QUADS);
    glCallList(list);
    glVertex2f(-1, -1);
    glVertex2f(1, -1);
    glVertex2f(1, 1);
    glVertex2f(-1, 1);
    glEnd();
    PIXEL(8, 8, 0.8f, 0.6f, 0, 1);
    glDeleteLists(list, 3);
    ERROR(GL_NO_ERROR);
}

static void compiled_and_executed(void) {
    GLuint list = glGenLists(1);
    clear();
    glNewList(list, GL_COMPILE_AND_EXECUTE);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, colored);
    glProgramEnvParameter4fARB(GL_VERTEX_PROGRAM_ARB, 1, 0, 0.2f, 0.8f, 1);
    draw_square();
    glEndList();
    PIXEL(8, 8, 0, 0.2f, 0.8f, 1);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, local);
    glProgramEnvParameter4fARB(GL_VERTEX_PROGRAM_ARB, 1, 1, 1, 1, 1);
    clear();
    glCallList(list);
    PIXEL(8, 8, 0, 0.2f, 0.8f, 1);
    glDeleteLists(list, 1);
    ERROR(GL_NO_ERROR);
}

/* Lists base .. base + 3 each add 0.2 to where the color is; which of them were called shows in the last color. */
static void called_by_numbers(void) {
    enum { FIRST = 70000, TWO_BYTES = 0x1407, THREE_BYTES, FOUR_BYTES };
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, colored);
    for (int i = 0; i < 4; i++) {
        glNewList((GLuint)(FIRST + i), GL_COMPILE);
        glProgramEnvParameter4fARB(GL_VERTEX_PROGRAM_ARB, 1, 0.2f * (float)i, 1, 0, 1);
        draw_square();
        glTranslatef(0, 0, 0);
        glEndList();
    }
    glListBase(FIRST);
    static const GLbyte bytes[] = {2, 1};
    static const GLubyte ubytes[] = {1, 2};
    static const GLshort shorts[] = {2, 3};
    static const GLushort ushorts[] = {3, 0};
    static const GLint ints[] = {0, 1};
    static const GLuint uints[] = {1, 3};
    static const GLfloat floats[] = {3, 2};
    static const GLubyte two[] = {0, 0, 0, 1}, three[] = {0, 0, 0, 0, 0, 2}, four[] = {0, 0, 0, 0, 0, 0, 0, 3};
    static const struct {
        GLenum type;
        const void *names;
        int last;
    } calls[] = {{GL_BYTE, bytes, 1},     {GL_UNSIGNED_BYTE, ubytes, 2}, {GL_SHORT, shorts, 3},  {GL_UNSIGNED_SHORT, ushorts, 0},
                 {GL_INT, ints, 1},       {GL_UNSIGNED_INT, uints, 3},   {GL_FLOAT, floats, 2},  {TWO_BYTES, two, 1},
                 {THREE_BYTES, three, 2},  {FOUR_BYTES, four, 3}};
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        clear();
        glCallLists(2, calls[i].type, calls[i].names);
        PIXEL(8, 8, 0.2f * (float)calls[i].last, 1, 0, 1);
    }
    /* The base is that of the time when the call is executed, not when it is compiled. */
    GLuint outer = glGenLists(1);
    glListBase(FIRST + 1);
    glNewList(outer, GL_COMPILE);
    glCallLists(1, GL_UNSIGNED_BYTE, ubytes);
    glEndList();
    glListBase(FIRST);
    clear();
    glCallList(outer);
    PIXEL(8, 8, 0.2f, 1, 0, 1);
    glDeleteLists(outer, 1);
    glDeleteLists(FIRST, 4);
    glListBase(0);
    ERROR(GL_NO_ERROR);
    glCallLists(1, GL_DOUBLE, floats);
    ERROR(GL_INVALID_ENUM);
    glCallLists(-1, GL_INT, ints);
    ERROR(GL_INVALID_VALUE);
}

/* Names of programs are made at once, and so are queries answered. */
static void executed_at_once(void) {
    GLuint list = glGenLists(1), name = 0;
    glNewList(list, GL_COMPILE);
    glGenProgramsARB(1, &name);
    CHECK(name != 0);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, colored);
    GLint length = 0;
    glGetProgramivARB(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_LENGTH_ARB, &length);
    glEndList();
    EQUAL(length, strlen(LOCAL));
    glDeleteProgramsARB(1, &name);
    /* LoadProgramNV is compiled. */
    static const char text[] = "!!VP1.0\nMOV o[HPOS], v[OPOS];\nMOV o[COL0], v[COL0];\nEND";
    glGenProgramsNV(1, &name);
    glNewList(list, GL_COMPILE);
    glLoadProgramNV(GL_VERTEX_PROGRAM_NV, name, sizeof text - 1, (const GLubyte *)text);
    glEndList();
    EQUAL(glIsProgramNV(name), 0);
    glCallList(list);
    EQUAL(glIsProgramNV(name), 1);
    glGetProgramivNV(name, GL_PROGRAM_LENGTH_NV, &length);
    EQUAL(length, sizeof text - 1);
    glDeleteLists(list, 1);
    ERROR(GL_NO_ERROR);
}

int main(void) {
    start();
    use_context(open_context(0));
    load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    colored = load(GL_VERTEX_PROGRAM_ARB, COLORED);
    moved = load(GL_VERTEX_PROGRAM_ARB, MOVED);
    local = load(GL_VERTEX_PROGRAM_ARB, LOCAL);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    programs_in_lists();
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, local);
    names_of_lists();
    matrices_between_draws();
    nested();
    compiled_and_executed();
    called_by_numbers();
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, local);
    executed_at_once();
    return finish();
}
