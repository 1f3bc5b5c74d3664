/* Programs beside shaders of GLSL: a vertex shader with a fragment program, programs of the stages before with a fragment shader. GL 2.1 section 2.15: what
   a program object has no shader for is done as if it were not there. */
#include "client.h"

static const char VERTEX[] = "#version 120\nuniform vec4 more;\nvoid main() {\n gl_Position = gl_Vertex;\n gl_FrontColor = gl_Color.bgra + more;\n"
                             " gl_BackColor = vec4(0.6, 0.2, 0.0, 1.0);\n gl_FrontSecondaryColor = vec4(0.2, 0.0, 0.4, 0.0);\n"
                             " gl_TexCoord[1] = vec4(0.0, 0.4, 0.6, 0.8);\n gl_FogFragCoord = 0.2;\n}";
static const char FRAGMENT[] = "#version 120\nuniform vec4 more;\nvoid main() { gl_FragColor = gl_Color + more + gl_TexCoord[2] * gl_FogFragCoord; }";
static const char SECONDARY[] = "#version 120\nvoid main() { gl_FragColor = vec4(gl_SecondaryColor.rgb, gl_TexCoord[0].w); }";

static GLuint attach(GLuint program, GLenum kind, const char *text) {
    GLuint name = glCreateShader(kind);
    glShaderSource(name, 1, &text, 0);
    glCompileShader(name);
    GLint is_compiled;
    glGetShaderiv(name, GL_COMPILE_STATUS, &is_compiled);
    CHECK(is_compiled, "%s", text);
    glAttachShader(program, name);
    glDeleteShader(name);
    return program;
}

static GLuint linked(GLuint program) {
    GLint is_linked;
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &is_linked);
    CHECK(is_linked);
    return program;
}

static GLint value(GLenum name) {
    GLint got = -1;
    glGetIntegerv(name, &got);
    return got;
}

static void show(void) {
    clear();
    draw_square();
}

/* A fragment program in the place of the fragment shader. */
static void vertex_shader(void) {
    GLuint program = linked(attach(glCreateProgram(), GL_VERTEX_SHADER, VERTEX));
    GLint more = glGetUniformLocation(program, "more"), is_separable = -1;
    glGetProgramiv(program, GL_PROGRAM_SEPARABLE, &is_separable);
    EQUAL(is_separable, 0);
    GLuint color = load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    GLuint all = load(GL_FRAGMENT_PROGRAM_ARB, "!!NVfp4.0\nMOV result.color, fragment.texcoord[1];\nADD result.color.x, fragment.color.secondary.z, "
                                               "program.local[0].x;\nMOV result.color.z, fragment.fogcoord.x;\nEND");
    GLuint arb = load(GL_FRAGMENT_PROGRAM_ARB, "!!ARBfp1.0\nMUL result.color, fragment.color, {1, 1, 0, 1};\nEND");
    glUseProgram(program);
    glColor4f(0.2f, 0.4f, 0.8f, 1);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    glBindProgramARB(GL_FRAGMENT_PROGRAM_ARB, color);
    show();
    PIXEL(8, 8, 0.8f, 0.4f, 0.2f, 1);
    /* Uniforms are those of the shader, in use or not. */
    glUniform4f(more, 0.2f, 0, 0, 0);
    show();
    PIXEL(8, 8, 1, 0.4f, 0.2f, 1);
    EQUAL((GLuint)value(GL_CURRENT_PROGRAM), program);
    EQUAL(value(GL_PROGRAM_PIPELINE_BINDING), 0);
    glUniform4f(more, 0, 0, 0, 0);
    glBindProgramARB(GL_FRAGMENT_PROGRAM_ARB, all);
    glProgramLocalParameter4fARB(GL_FRAGMENT_PROGRAM_ARB, 0, 0.4f, 0, 0, 0);
    show();
    PIXEL(8, 8, 0.8f, 0.4f, 0.2f, 0.8f);
    glBindProgramARB(GL_FRAGMENT_PROGRAM_ARB, arb);
    show();
    PIXEL(8, 8, 0.8f, 0.4f, 0, 1);
    /* Fixed functions where no fragment program is enabled: the color and nothing else. */
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    show();
    PIXEL(8, 8, 0.8f, 0.4f, 0.2f, 1);
    /* Those of NV_fragment_program, and the color of the back. */
    GLuint old = load_nv(GL_FRAGMENT_PROGRAM_NV, "!!FP1.0\nMOV o[COLR], f[COL0].yxzw;\nEND");
    glEnable(GL_FRAGMENT_PROGRAM_NV);
    show();
    PIXEL(8, 8, 0.4f, 0.8f, 0.2f, 1);
    glEnable(GL_VERTEX_PROGRAM_TWO_SIDE);
    glFrontFace(GL_CW);
    show();
    PIXEL(8, 8, 0.2f, 0.6f, 0, 1);
    glFrontFace(GL_CCW);
    glDisable(GL_VERTEX_PROGRAM_TWO_SIDE);
    /* A program that is linked again draws what it is then. */
    glUseProgram(0);
    attach(program, GL_FRAGMENT_SHADER, "#version 120\nvoid main() { gl_FragColor = vec4(1.0, 0.0, 1.0, 0.0); }");
    linked(program);
    glUseProgram(program);
    show();
    PIXEL(8, 8, 1, 0, 1, 0);
    glUseProgram(0);
    glDisable(GL_FRAGMENT_PROGRAM_NV);
    glDeleteProgram(program);
    glDeleteProgramsARB(4, (GLuint[]){color, all, arb, old});
    ERROR(GL_NO_ERROR);
}

/* The same behind a geometry shader, which draws the left half. */
static void geometry_shader(void) {
    GLuint program = attach(glCreateProgram(), GL_VERTEX_SHADER,
                            "#version 150 compatibility\nvoid main() { gl_Position = gl_Vertex; gl_FrontColor = gl_Color; }");
    attach(program, GL_GEOMETRY_SHADER,
           "#version 150 compatibility\nlayout(triangles) in;\nlayout(triangle_strip, max_vertices = 3) out;\nvoid main() {\n"
           " for (int i = 0; i < 3; i++) {\n  gl_Position = gl_in[i].gl_Position * vec4(0.5, 1, 1, 1) - vec4(0.5, 0, 0, 0);\n"
           "  gl_FrontColor = gl_in[i].gl_FrontColor.gbra;\n  EmitVertex();\n }\n}");
    linked(program);
    GLuint half = load(GL_FRAGMENT_PROGRAM_ARB, "!!NVfp4.0\nMUL result.color, fragment.color, 0.5;\nEND");
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    glUseProgram(program);
    glColor4f(0.4f, 0.8f, 1, 1);
    clear();
    glBegin(GL_TRIANGLE_STRIP);
    for (int i = 0; i < 4; i++) glVertex2f(i & 1 ? 1 : -1, i & 2 ? 1 : -1);
    glEnd();
    PIXEL(2, 8, 0.4f, 0.5f, 0.2f, 0.5f);
    PIXEL(13, 8, 0.2f, 0, 0.4f, 0);
    glUseProgram(0);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    /* Its shaders are still those that the application has attached. */
    GLint count;
    GLuint shaders[3] = {0};
    char text[32] = "";
    glGetProgramiv(program, GL_ATTACHED_SHADERS, &count);
    EQUAL(count, 2);
    glGetAttachedShaders(program, 3, &count, shaders);
    EQUAL(count, 2);
    glGetShaderSource(shaders[0], sizeof text, 0, text);
    CHECK(!strncmp(text, "#version 150 compatibility\nv", 28) || !strncmp(text, "#version 150 compatibility\nl", 28), "%s", text);
    glDeleteProgram(program);
    glDeleteProgramsARB(1, &half);
    ERROR(GL_NO_ERROR);
}

/* A vertex program in the place of the vertex shader. */
static void fragment_shader(void) {
    GLuint vertex = load(GL_VERTEX_PROGRAM_ARB, "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.color.yxzw;\n"
                                                "MOV result.texcoord[2], program.local[0];\nMOV result.fogcoord.x, 0.5;\n"
                                                "MOV result.color.secondary, {0.2, 0.4, 0.6, 0};\nMOV result.texcoord[0], {0, 0, 0, 0.8};\nEND");
    GLuint program = linked(attach(glCreateProgram(), GL_FRAGMENT_SHADER, FRAGMENT));
    GLuint second = linked(attach(glCreateProgram(), GL_FRAGMENT_SHADER, SECONDARY));
    GLint more = glGetUniformLocation(program, "more");
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glProgramLocalParameter4fARB(GL_VERTEX_PROGRAM_ARB, 0, 0.4f, 0, 0, 0);
    glColor4f(0.2f, 0.4f, 0.6f, 1);
    glUseProgram(program);
    glUniform4f(more, 0, 0, 0.2f, 0);
    show();
    PIXEL(8, 8, 0.6f, 0.2f, 0.8f, 1);
    glUniform4f(more, 0, 0, 0.4f, 0);
    glProgramLocalParameter4fARB(GL_VERTEX_PROGRAM_ARB, 0, 0, 0.4f, 0, 0);
    show();
    PIXEL(8, 8, 0.4f, 0.4f, 1, 1);
    glUseProgram(second);
    show();
    PIXEL(8, 8, 0.2f, 0.4f, 0.6f, 0.8f);
    /* Both of ours, then one of them again. */
    GLuint fragment = load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    show();
    PIXEL(8, 8, 0.2f, 0.4f, 0.6f, 0.8f);
    glUseProgram(0);
    show();
    PIXEL(8, 8, 0.4f, 0.2f, 0.6f, 1);
    glUseProgram(program);
    show();
    PIXEL(8, 8, 0.4f, 0.4f, 1, 1);
    glUseProgram(0);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    glDisable(GL_VERTEX_PROGRAM_ARB);
    glDeleteProgram(program);
    glDeleteProgram(second);
    glDeleteProgramsARB(2, (GLuint[]){vertex, fragment});
    ERROR(GL_NO_ERROR);
}

/* Programs of tessellation and geometry draw where the program object has fragment shaders alone: NV_tessellation_program5, "Tessellation Control
   Programs". */
enum { TESS_CONTROL_PROGRAM_NV = 0x891E, TESS_EVALUATION_PROGRAM_NV = 0x891F };

static void draw_triangle(GLenum mode) {
    clear();
    glBegin(mode);
    glVertex2f(-1, -1);
    glVertex2f(3, -1);
    glVertex2f(-1, 3);
    glEnd();
}

static void geometry_program(void) {
    static const char GEOMETRY[] =
        "!!NVgp4.0\nPRIMITIVE_IN TRIANGLES;\nPRIMITIVE_OUT TRIANGLE_STRIP;\nVERTICES_OUT 3;\nATTRIB p = vertex.position;\nATTRIB c = vertex.color;\n"
        "INT TEMP i;\nMOV.S i.x, 0;\nREP.S 3;\nMOV result.position, p[i.x];\nMUL result.color, c[i.x], program.local[0];\n"
        "MOV result.texcoord[2], {0.2, 0.4, 0, 0};\nMOV result.fogcoord.x, 0.5;\nEMIT;\nADD.S i.x, i.x, 1;\nENDREP;\nEND";
    GLuint program = linked(attach(glCreateProgram(), GL_FRAGMENT_SHADER, FRAGMENT));
    GLuint both = attach(glCreateProgram(), GL_FRAGMENT_SHADER, FRAGMENT);
    linked(attach(both, GL_VERTEX_SHADER, VERTEX));
    GLuint lone = linked(attach(glCreateProgram(), GL_VERTEX_SHADER, VERTEX));
    GLuint vertex = load(GL_VERTEX_PROGRAM_ARB, "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.color.zyxw;\nEND");
    GLuint arb = load(GL_VERTEX_PROGRAM_ARB, "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.color.xxyw;\nEND");
    GLuint geometry = load(GL_GEOMETRY_PROGRAM_NV, GEOMETRY);
    GLuint color = load(GL_FRAGMENT_PROGRAM_ARB, PASS_COLOR);
    glEnable(GL_GEOMETRY_PROGRAM_NV);
    glProgramLocalParameter4fARB(GL_GEOMETRY_PROGRAM_NV, 0, 1, 0.5f, 1, 1);
    glColor4f(0.2f, 0.8f, 0.6f, 1);
    glUseProgram(program);
    /* Behind the fixed functions, a program of ours, and one of the driver. */
    draw_triangle(GL_TRIANGLES);
    PIXEL(8, 8, 0.3f, 0.6f, 0.6f, 1);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, vertex);
    draw_triangle(GL_TRIANGLES);
    PIXEL(8, 8, 0.7f, 0.6f, 0.2f, 1);
    glProgramLocalParameter4fARB(GL_GEOMETRY_PROGRAM_NV, 0, 0, 0.5f, 1, 1);
    draw_triangle(GL_TRIANGLES);
    PIXEL(8, 8, 0.1f, 0.6f, 0.2f, 1);
    glBindProgramARB(GL_VERTEX_PROGRAM_ARB, arb);
    draw_triangle(GL_TRIANGLES);
    PIXEL(8, 8, 0.1f, 0.3f, 0.8f, 1);
    /* A rectangle is a polygon, which geometry programs take as triangles. */
    clear();
    glRectf(-1, -1, 1, 1);
    PIXEL(8, 8, 0.1f, 0.3f, 0.8f, 1);
    glDisable(GL_VERTEX_PROGRAM_ARB);
    ERROR(GL_NO_ERROR);
    /* A program that is not there is an error. */
    glBindProgramARB(GL_GEOMETRY_PROGRAM_NV, 0);
    glBegin(GL_TRIANGLES);
    ERROR(GL_INVALID_OPERATION);
    glEnd();
    while (glGetError()) {
    }
    glBindProgramARB(GL_GEOMETRY_PROGRAM_NV, geometry);
    /* Behind a vertex shader it is as if it were disabled. */
    glUseProgram(both);
    draw_triangle(GL_TRIANGLES);
    PIXEL(8, 8, 0.6f, 0.8f, 0.2f, 1);
    glUseProgram(lone);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    draw_triangle(GL_TRIANGLES);
    PIXEL(8, 8, 0.6f, 0.8f, 0.2f, 1);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    glUseProgram(0);
    glDisable(GL_GEOMETRY_PROGRAM_NV);
    glDeleteProgram(program);
    glDeleteProgram(both);
    glDeleteProgram(lone);
    glDeleteProgramsARB(4, (GLuint[]){vertex, arb, geometry, color});
    ERROR(GL_NO_ERROR);
}

static void tessellation_programs(void) {
    static const char CONTROL[] =
        "!!NVtcp5.0\nVERTICES_OUT 3;\nATTRIB p = vertex.position;\nATTRIB c = vertex.color;\nINT TEMP i;\nMOV.S i.x, primitive.invocation;\n"
        "MOV result.position, p[i.x];\nMUL result.color, c[i.x], 0.5;\nMOV result.patch.tessouter[0].x, 1;\nMOV result.patch.tessouter[1].x, 1;\n"
        "MOV result.patch.tessouter[2].x, 1;\nMOV result.patch.tessinner[0].x, 1;\nMOV result.patch.attrib[1], {0, 0, 0.2, 0.5};\nEND";
    static const char EVALUATION[] =
        "!!NVtep5.0\nTESS_MODE TRIANGLES;\nTEMP p;\nMUL p, vertex[0].position, vertex.tesscoord.x;\n"
        "MAD p, vertex[1].position, vertex.tesscoord.y, p;\nMAD result.position, vertex[2].position, vertex.tesscoord.z, p;\n";
    static const char WITH[] = "ADD result.color, vertex[0].color, primitive.patch.attrib[1];\nEND";
    static const char WITHOUT[] = "MOV result.color, vertex[2].color;\nEND";
    if (!strstr((const char *)glGetString(GL_EXTENSIONS), "GL_NV_tessellation_program5")) return;
    char texts[2][512];
    snprintf(texts[0], sizeof texts[0], "%s%s", EVALUATION, WITH);
    snprintf(texts[1], sizeof texts[1], "%s%s", EVALUATION, WITHOUT);
    GLuint program = linked(attach(glCreateProgram(), GL_FRAGMENT_SHADER, "#version 120\nvoid main() { gl_FragColor = gl_Color.bgra; }"));
    GLuint vertex = load(GL_VERTEX_PROGRAM_ARB, "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.color;\nEND");
    GLuint control = load(TESS_CONTROL_PROGRAM_NV, CONTROL);
    GLuint with = load(TESS_EVALUATION_PROGRAM_NV, texts[0]), without = load(TESS_EVALUATION_PROGRAM_NV, texts[1]);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    glEnable(TESS_EVALUATION_PROGRAM_NV);
    glPatchParameteri(GL_PATCH_VERTICES, 3);
    glColor4f(0.2f, 0.8f, 0.4f, 1);
    glUseProgram(program);
    draw_triangle(GL_PATCHES);
    PIXEL(8, 8, 0.4f, 0.8f, 0.2f, 1);
    glEnable(TESS_CONTROL_PROGRAM_NV);
    glBindProgramARB(TESS_EVALUATION_PROGRAM_NV, with);
    draw_triangle(GL_PATCHES);
    PIXEL(8, 8, 0.4f, 0.4f, 0.1f, 1);
    glUseProgram(0);
    glDisable(TESS_CONTROL_PROGRAM_NV);
    glDisable(TESS_EVALUATION_PROGRAM_NV);
    glDisable(GL_VERTEX_PROGRAM_ARB);
    glDeleteProgram(program);
    glDeleteProgramsARB(4, (GLuint[]){vertex, control, with, without});
    ERROR(GL_NO_ERROR);
}

/* Generic attributes are variables at their locations, of programs and of shaders. */
static void generic_attributes(void) {
    GLuint fragment = linked(attach(glCreateProgram(), GL_FRAGMENT_SHADER,
                                    "#version 410 compatibility\nlayout(location = 0) in vec4 first;\nlayout(location = 5) flat in ivec4 fifth;\n"
                                    "void main() { gl_FragColor = first + vec4(fifth) * 0.2; }"));
    GLuint vertex = linked(attach(glCreateProgram(), GL_VERTEX_SHADER,
                                  "#version 410 compatibility\nlayout(location = 2) out vec4 second;\nvoid main() {\n gl_Position = gl_Vertex;\n"
                                  " second = gl_Color.zyxw;\n}"));
    GLuint writes = load(GL_VERTEX_PROGRAM_ARB, "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.attrib[0], vertex.color;\n"
                                                "MOV.S result.attrib[5], {0, 1, 2, 0};\nEND");
    GLuint reads = load(GL_FRAGMENT_PROGRAM_ARB, "!!NVfp4.0\nMOV result.color, fragment.attrib[2];\nEND");
    glColor4f(0.6f, 0.2f, 0.4f, 1);
    glUseProgram(fragment);
    glEnable(GL_VERTEX_PROGRAM_ARB);
    show();
    PIXEL(8, 8, 0.6f, 0.4f, 0.8f, 1);
    glDisable(GL_VERTEX_PROGRAM_ARB);
    glUseProgram(vertex);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    show();
    PIXEL(8, 8, 0.4f, 0.2f, 0.6f, 1);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    glUseProgram(0);
    glDeleteProgram(fragment);
    glDeleteProgram(vertex);
    glDeleteProgramsARB(2, (GLuint[]){writes, reads});
    ERROR(GL_NO_ERROR);
}

/* Clamps of 64-bit integers, as GLSL: to the signed ones, and to the unsigned ones. NV_gpu_program5, "CVT". */
static void long_integers(void) {
    if (!strstr((const char *)glGetString(GL_EXTENSIONS), "GL_NV_gpu_program5")) return;
    GLuint program = linked(attach(glCreateProgram(), GL_VERTEX_SHADER, VERTEX));
    GLuint clamps = load(GL_FRAGMENT_PROGRAM_ARB, "!!NVfp5.0\nLONG TEMP b, r;\nTEMP w;\nPK64.U b, program.local[0];\nCVT.S64.U64.SAT r.x, b.x;\n"
                                                  "CVT.U64.S64.SAT r.y, b.y;\nUP64.U w, r;\nAND.U w, w, 51;\nI2F.U w, w;\nDIV result.color, w, 255;\nEND");
    glUseProgram(program);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    glProgramLocalParameterI4uiNV(GL_FRAGMENT_PROGRAM_ARB, 0, 51, 0, 51, 0);
    show();
    PIXEL(8, 8, 0.2f, 0, 0.2f, 0);
    /* More than the greatest, less than the least. */
    glProgramLocalParameterI4uiNV(GL_FRAGMENT_PROGRAM_ARB, 0, 0, 0x80000000, 51, 0x80000000);
    show();
    PIXEL(8, 8, 0.2f, 0.2f, 0, 0);
    glUseProgram(0);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    glDeleteProgram(program);
    glDeleteProgramsARB(1, &clamps);
    ERROR(GL_NO_ERROR);
}

int main(void) {
    start();
    use_context(open_context(0));
    vertex_shader();
    geometry_shader();
    fragment_shader();
    geometry_program();
    tessellation_programs();
    generic_attributes();
    long_integers();
    /* A program without shaders, and a name that is none, are the driver's to judge. */
    glLinkProgram(4711);
    ERROR(GL_INVALID_VALUE);
    return finish();
}
