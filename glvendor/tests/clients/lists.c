/* Display lists hold commands about programs as any other (ARB_vertex_program: BindProgram, Enable, parameters are compiled into lists; those
   that make, delete or ask for programs are executed at once: section 5.4, and that of NV_vertex_program). */
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

/* Program strings that lists hold, of programs that are bound and of those with a name. */
static void strings_in_lists(void) {
    static const char text[] = "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, {0.2, 0.4, 0.8, 1};\nEND";
    static const char arb[] = "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.color, {0.8, 0.4, 0, 1};\nEND";
    GLuint list = glGenLists(1), name;
    glGenProgramsARB(1, &name);
    GLuint bound = load(GL_VERTEX_PROGRAM_ARB, LOCAL);
    glNewList(list, GL_COMPILE);
    glProgramStringARB(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, sizeof text - 1, text);
    glNamedProgramStringEXT(name, GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, sizeof arb - 1, arb);
    glRectf(-1, -1, 0, 1);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, name);
    glRectf(0, -1, 1, 1);
    glEndList();
    EQUAL(glIsProgramARB(name), 0);
    GLint length = 0;
    glGetProgramivARB(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_LENGTH_ARB, &length);
    EQUAL(length, strlen(LOCAL));
    clear();
    glCallList(list);
    PIXEL(2, 8, 0.2f, 0.4f, 0.8f, 1);
    PIXEL(13, 8, 0.8f, 0.4f, 0, 1);
    EQUAL(glIsProgramARB(name), 1);
    ERROR(GL_NO_ERROR);
    /* Errors are those of the time when the list is executed. */
    glNewList(list, GL_COMPILE);
    glProgramStringARB(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, 9, "!!ARBvp9\n");
    glEndList();
    ERROR(GL_NO_ERROR);
    glCallList(list);
    ERROR(GL_INVALID_OPERATION);
    glDeleteProgramsARB(1, &name);
    glDeleteProgramsARB(1, &bound);
    glDeleteLists(list, 1);
    ERROR(GL_NO_ERROR);
}

/* A square whose color is that of a list, called before the last vertices by its name, or by its offset where that is 0. */
static void draw_with_list(GLuint name, GLubyte offset) {
    glBegin(GL_QUADS);
    glVertex2f(-1, -1);
    glVertex2f(1, -1);
    if (name)
        glCallList(name);
    else
        glCallLists(1, GL_UNSIGNED_BYTE, &offset);
    glVertex2f(1, 1);
    glVertex2f(-1, 1);
    glEnd();
}

/* CallList and CallLists stand between Begin and End, in lists, too (GL 2.1 section 2.6.3). */
static void called_between_vertices(void) {
    GLuint lists = glGenLists(3);
    glShadeModel(GL_FLAT);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, moved);
    glNewList(lists + 1, GL_COMPILE);
    glColor4f(0.2f, 0.8f, 0.4f, 1);
    glEndList();
    glListBase(lists);
    /* Once without lists that hold commands about programs, once with one. */
    for (int has_more = 0; has_more < 2; has_more++) {
        clear();
        glColor4f(1, 1, 1, 1);
        draw_with_list(0, 1);
        ERROR(GL_NO_ERROR);
        PIXEL(8, 8, 0.2f, 0.8f, 0.4f, 1);
        glNewList(lists + 2, GL_COMPILE);
        glBindProgramARB(GL_VERTEX_PROGRAM_ARB, local);
        glEndList();
    }
    /* Mesa 22.3 makes nothing of every second such list, nor of one that is executed while it is compiled, and goes in circles with CallLists. */
    glNewList(lists, GL_COMPILE);
    draw_with_list(lists + 1, 0);
    glEndList();
    clear();
    glColor4f(1, 1, 1, 1);
    glCallList(lists);
    PIXEL(8, 8, 0.2f, 0.8f, 0.4f, 1);
    glBegin(GL_POINTS);
    CHECK(!glGetString(GL_EXTENSIONS));
    glEnd();
    ERROR(GL_INVALID_OPERATION);
    glListBase(0);
    glShadeModel(GL_SMOOTH);
    glDeleteLists(lists, 3);
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
    called_between_vertices();
    programs_in_lists();
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, local);
    names_of_lists();
    matrices_between_draws();
    nested();
    compiled_and_executed();
    called_by_numbers();
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, local);
    executed_at_once();
    strings_in_lists();
    return finish();
}
