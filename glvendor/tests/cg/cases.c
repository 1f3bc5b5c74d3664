/* The cases: what is set for the programs of each, and what is drawn. What a case is about stands in its file of programs. */
#include "stage.h"

#include <stdlib.h>

typedef struct {
    const char *name;
    /* Sets parameters, textures and state between loading and binding; may be nothing. */
    void (*prepare)(void);
    void (*shape)(void);
} drawing;

static void limits(void) {
    set("limits", 0.507f, 0.493f, 6, 0.35f);
}

static void matrices(void) {
    static const float rows[16] = {0.9f, 0.1f, 0, 0.1f, -0.1f, 0.95f, 0.05f, 0, 0, 0, 1.1f, 0, 0, 0, 0, 1};
    static const float columns[16] = {1, 0.2f, 0, 0, 0, 0.8f, 0, 0, 0, 0.1f, 1, 0, 0.1f, -0.1f, 0.2f, 1};
    static const float turn[9] = {0.8f, -0.6f, 0, 0.6f, 0.8f, 0, 0, 0, 1};
    float bones[4 * 12];
    for (int i = 0; i < 4 * 12; i++) {
        int bone = i / 12, row = i % 12 / 4, column = i % 4;
        bones[i] = row == column ? 0.8f + 0.1f * (float)bone : column == 3 ? 0.1f * (float)(bone - row) : 0;
    }
    EACH("rows", parameter) cgSetMatrixParameterfr(parameter, rows);
    EACH("columns", parameter) cgSetMatrixParameterfc(parameter, columns);
    EACH("turn", parameter) cgGLSetMatrixParameterfr(parameter, turn);
    EACH("bones", parameter) cgGLSetMatrixParameterArrayfr(parameter, 0, 4, bones);
}

static void texture_matrix(void) {
    glMatrixMode(GL_TEXTURE);
    glScalef(2, 3, 1);
    glRotatef(30, 0, 0, 1);
    if (has_registers) {
        glTrackMatrixNV(GL_VERTEX_PROGRAM_NV, 0, GL_MODELVIEW_PROJECTION_NV, GL_IDENTITY_NV);
        glTrackMatrixNV(GL_VERTEX_PROGRAM_NV, 4, GL_MODELVIEW, GL_IDENTITY_NV);
        glTrackMatrixNV(GL_VERTEX_PROGRAM_NV, 8, GL_MODELVIEW, GL_INVERSE_TRANSPOSE_NV);
        glTrackMatrixNV(GL_VERTEX_PROGRAM_NV, 12, GL_TEXTURE, GL_IDENTITY_NV);
    }
    if (!is_reference) return;
    EACH("to_eye", parameter) cgGLSetStateMatrixParameter(parameter, CG_GL_MODELVIEW_MATRIX, CG_GL_MATRIX_IDENTITY);
    EACH("turn", parameter) cgGLSetStateMatrixParameter(parameter, CG_GL_MODELVIEW_MATRIX, CG_GL_MATRIX_INVERSE_TRANSPOSE);
}

/* Positions of lights are transformed when they are set. */
static void light_state(void) {
    static const float place[] = {1, 2, 3, 1}, color[] = {0.9f, 0.8f, 0.7f, 1}, ambient[] = {0.2f, 0.1f, 0.3f, 1}, emission[] = {0.05f, 0.1f, 0, 0};
    float in_eye[4];
    glLightfv(GL_LIGHT0, GL_POSITION, place);
    glLightfv(GL_LIGHT0, GL_DIFFUSE, color);
    glLightModelfv(GL_LIGHT_MODEL_AMBIENT, ambient);
    glMaterialfv(GL_FRONT_AND_BACK, GL_EMISSION, emission);
    if (!is_reference) return;
    glGetLightfv(GL_LIGHT0, GL_POSITION, in_eye);
    set("light_position", in_eye[0], in_eye[1], in_eye[2], in_eye[3]);
    set("light_color", 0.9f, 0.8f, 0.7f, 1);
    set("ambient", 0.2f, 0.1f, 0.3f, 1);
    set("emission", 0.05f, 0.1f, 0, 0);
}

static void arrays(void) {
    float palette[16][4], weights[8];
    for (int i = 0; i < 64; i++) palette[i / 4][i % 4] = (float)(i * 7 % 16) / 20;
    for (int i = 0; i < 8; i++) weights[i] = 0.5f + 0.07f * (float)i;
    EACH("palette", parameter) cgGLSetParameterArray4f(parameter, 0, 16, palette[0]);
    EACH("weights", parameter) cgGLSetParameterArray1f(parameter, 0, 8, weights);
}

static void lights(void) {
    static const float values[2][2][3] = {{{3, 2, 4}, {0.9f, 0.5f, 0.2f}}, {{-3, 1, 2}, {0.1f, 0.4f, 0.9f}}}, eye[3] = {0, 1, 5};
    static const char *const names[2][3] = {{"lights[0].position", "lights[0].color", "lights[0].shininess"},
                                            {"lights[1].position", "lights[1].color", "lights[1].shininess"}};
    for (int i = 0; i < 2; i++) {
        EACH(names[i][0], parameter) cgGLSetParameter3fv(parameter, values[i][0]);
        EACH(names[i][1], parameter) cgGLSetParameter3fv(parameter, values[i][1]);
        EACH(names[i][2], parameter) cgGLSetParameter1f(parameter, 4 + 6 * (float)i);
    }
    EACH("eye", parameter) cgGLSetParameter3fv(parameter, eye);
}

static void images(void) {
    set_image("image", GL_TEXTURE_2D, false);
    set_image("mapped", GL_TEXTURE_2D, true);
}

static void image_1d(void) {
    set_image("image", GL_TEXTURE_1D, true);
}

static void image_cube(void) {
    set_image("image", GL_TEXTURE_CUBE_MAP, true);
}

static void image_3d(void) {
    set_image("image", GL_TEXTURE_3D, false);
}

static void image_rectangle(void) {
    set_image("image", GL_TEXTURE_RECTANGLE, false);
}

static void image_layers(void) {
    set_image("layers", GL_TEXTURE_2D_ARRAY, false);
}

static void image_depths(void) {
    GLuint texture = depth_texture();
    EACH("depths", parameter) cgGLSetupSampler(parameter, texture);
}

static void image_buffer(void) {
    float values[64];
    for (int i = 0; i < 64; i++) values[i] = (float)(i * 11 % 32) / 32;
    GLuint buffer, texture;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_TEXTURE_BUFFER, buffer);
    glBufferData(GL_TEXTURE_BUFFER, sizeof values, values, GL_STATIC_DRAW);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_BUFFER, texture);
    glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F, buffer);
    set_texture("values", GL_TEXTURE_BUFFER, texture);
}

static void numbers(void) {
    static const int values[4] = {7, 101, 3, 0};
    EACH("numbers", parameter) cgSetParameterValueir(parameter, 4, values);
}

static void points(void) {
    glEnable(GL_PROGRAM_POINT_SIZE);
    glPolygonMode(GL_FRONT_AND_BACK, GL_POINT);
}

static void two_sides(void) {
    glEnable(GL_VERTEX_PROGRAM_TWO_SIDE);
}

/* The outer side at the left, the inner side at the right. */
static void both_sides(void) {
    glEnable(GL_CULL_FACE);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, SIZE / 2, SIZE);
    torus();
    glCullFace(GL_FRONT);
    glScissor(SIZE / 2, 0, SIZE / 2, SIZE);
    torus();
}

/* The last square is nearer where its depth is smaller. */
static void depths(void) {
    glEnable(GL_DEPTH_TEST);
    set("limits", 0.2f, 0.9f, 0, 1);
    bind_programs();
    square();
    set("limits", 0.9f, 0.1f, 0.5f, 0);
}

static void clip_planes(void) {
    glEnable(GL_CLIP_PLANE0);
    glEnable(GL_CLIP_PLANE1);
}

static void instances(void) {
    static const float corners[] = {-1, -0.2f, 0, 1, -0.2f, 0, 1, 0.15f, 0, -1, 0.15f, 0};
    static const GLubyte order[] = {0, 1, 2, 0, 2, 3};
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(3, GL_FLOAT, 0, corners);
    glColor4f(0.1f, 0.2f, 0.8f, 1);
    glDrawElementsInstanced(GL_TRIANGLES, 6, GL_UNSIGNED_BYTE, order, 4);
    glDisableClientState(GL_VERTEX_ARRAY);
}

/* The second picture is shown at the right, half as wide. */
static void two_targets(void) {
    static const GLenum both[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    GLuint object, pictures[2];
    glGenFramebuffers(1, &object);
    glBindFramebuffer(GL_FRAMEBUFFER, object);
    glGenRenderbuffers(2, pictures);
    for (int i = 0; i < 2; i++) {
        glBindRenderbuffer(GL_RENDERBUFFER, pictures[i]);
        glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIZE, SIZE);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, both[i], GL_RENDERBUFFER, pictures[i]);
    }
    glDrawBuffers(2, both);
    square();
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    for (int i = 0; i < 2; i++) {
        glReadBuffer(both[i]);
        glBlitFramebuffer(0, 0, SIZE / 2, SIZE, i * SIZE / 2, 0, (i + 1) * SIZE / 2, SIZE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

/* Matrices of buffers lie by rows. */
typedef struct {
    float transform[4][4];
    float tints[4][4];
} scene;

static void fill_scene(scene *it, float turn) {
    memset(it, 0, sizeof *it);
    for (int i = 0; i < 4; i++) {
        it->transform[i][i] = 1 - 0.05f * (float)i;
        for (int j = 0; j < 4; j++) it->tints[i][j] = 0.3f + 0.1f * (float)((i + 2 * j) % 7) * turn;
    }
    it->transform[0][1] = 0.25f * turn;
    it->transform[3][3] = 1;
}

static void give_scene(const char *name, int number, const scene *it) {
    char member[64];
    if (!is_reference) {
        CGbuffer buffer = cgGLCreateBuffer(cg, sizeof *it, 0, GL_DYNAMIC_DRAW);
        cgSetBufferSubData(buffer, 0, sizeof *it, it);
        for (int stage = 0; stage < STAGES; stage++)
            if (programs[stage]) cgSetProgramBuffer(programs[stage], number, buffer);
        return;
    }
    snprintf(member, sizeof member, "%s.transform", name);
    EACH(member, parameter) cgSetMatrixParameterfr(parameter, it->transform[0]);
    snprintf(member, sizeof member, "%s.tints", name);
    EACH(member, parameter) cgGLSetParameterArray4f(parameter, 0, 4, it->tints[0]);
}

static void buffers(void) {
    scene it;
    fill_scene(&it, 1);
    give_scene("placed", 0, &it);
    fill_scene(&it, 0.5f);
    give_scene("painted", 1, &it);
}

static void connected(void) {
    static const float tint[] = {0.9f, 0.3f, 0.1f, 0.8f};
    CGparameter shared = cgCreateParameter(cg, cgGetType("float4"));
    EACH("tint", parameter) cgConnectParameter(shared, parameter);
    cgSetParameterValuefr(shared, 4, tint);
}

enum { EDGE = 5, POINTS = EDGE * EDGE, WIDTH = 12 };

/* Position, four more numbers, normal and coordinates of a point of a grid. */
static void fill_point(float *point, int i) {
    float x = (float)(i % EDGE) / (EDGE - 1), y = (float)(i / EDGE) / (EDGE - 1);
    const float own[WIDTH] = {2 * x - 1, 2 * y - 1, x * y, x, y, 0, 1, x - 0.5f, 0.5f - y, 1, y, 1 - x};
    memcpy(point, own, sizeof own);
}

/* The runtime binds arrays of position and ATTRn only where it writes GLSL. */
static void bind_arrays_of_reference(const float *vertices) {
    enum { STRIDE = WIDTH * sizeof *vertices };
    GLint program;
    glGetIntegerv(GL_CURRENT_PROGRAM, &program);
    GLuint more = (GLuint)glGetAttribLocation((GLuint)program, "ATTR6");
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(3, GL_FLOAT, STRIDE, vertices);
    glEnableVertexAttribArray(more);
    glVertexAttribPointer(more, 4, GL_FLOAT, 0, STRIDE, vertices + 3);
    glEnableClientState(GL_NORMAL_ARRAY);
    glNormalPointer(GL_FLOAT, STRIDE, vertices + 7);
    glClientActiveTexture(GL_TEXTURE2);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
    glTexCoordPointer(2, GL_FLOAT, STRIDE, vertices + 10);
}

static void bind_arrays(const float *vertices) {
    static const char *const names[] = {"position", "more", "normal", "uv"};
    static const int sizes[] = {3, 4, 3, 2};
    for (int i = 0; i < 4; i++) {
        CGparameter parameter = find(VERTEX, names[i]);
        cgGLSetParameterPointer(parameter, sizes[i], GL_FLOAT, WIDTH * sizeof *vertices, vertices);
        cgGLEnableClientState(parameter);
        vertices += sizes[i];
    }
}

static void attribute_arrays(void) {
    static float vertices[POINTS * WIDTH];
    static GLushort order[(EDGE - 1) * (EDGE - 1) * 4];
    int last = 0;
    for (int i = 0; i < POINTS; i++) {
        fill_point(vertices + i * WIDTH, i);
        if (i % EDGE == EDGE - 1 || i / EDGE == EDGE - 1) continue;
        const int corners[] = {i, i + 1, i + 1 + EDGE, i + EDGE};
        for (int j = 0; j < 4; j++) order[last++] = (GLushort)corners[j];
    }
    (is_reference ? bind_arrays_of_reference : bind_arrays)(vertices);
    glDrawElements(GL_QUADS, last, GL_UNSIGNED_SHORT, order);
}

static void fixed_vertices(void) {
    static const float place[] = {1, 2, 3, 0};
    look();
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glEnable(GL_COLOR_MATERIAL);
    glEnable(GL_NORMALIZE);
    glLightfv(GL_LIGHT0, GL_POSITION, place);
    glMatrixMode(GL_TEXTURE);
    glScalef(1.5f, 0.5f, 1);
    images();
}

static void fixed_fragments(void) {
    static const float color[] = {0.7f, 0.8f, 0.9f, 1};
    glBindTexture(GL_TEXTURE_2D, smooth_texture(GL_TEXTURE_2D, false));
    glEnable(GL_TEXTURE_2D);
    glEnable(GL_FOG);
    glFogi(GL_FOG_MODE, GL_LINEAR);
    glFogi(GL_FOG_COORD_SRC, GL_FOG_COORD);
    glFogf(GL_FOG_START, 3);
    glFogf(GL_FOG_END, 8);
    glFogfv(GL_FOG_COLOR, color);
}

static void in_a_list(void) {
    GLuint list = glGenLists(1);
    glNewList(list, GL_COMPILE);
    torus();
    glEndList();
    glCallList(list);
    glTranslatef(0.4f, 0.2f, 0);
    bind_programs();
    glCallList(list);
}

static void some_points(void) {
    look();
    glBegin(GL_POINTS);
    for (int i = 0; i < 12; i++) {
        glColor4f((float)(i % 3) / 2, (float)(i % 4) / 3, (float)(i % 5) / 4, 1);
        glVertex3f((float)(i % 4) * 0.6f - 0.9f, (float)(i / 4) * 0.7f - 0.7f, (float)(i % 5) * 0.1f);
    }
    glEnd();
}

static void some_lines(void) {
    static const float places[] = {-0.9f, -0.7f, -0.3f, 0.9f, 0.3f, -0.9f, 0.9f, 0.7f, -0.8f, 0.5f, 0.1f, 0.1f, 0.5f, 0.9f, 0.8f, -0.3f};
    glBegin(GL_LINES_ADJACENCY);
    for (int i = 0; i < 8; i++) {
        glColor4f(0.3f + 0.1f * (float)i, 1 - 0.1f * (float)i, (float)(i % 2), 1);
        glVertex2f(places[2 * i], places[2 * i + 1]);
    }
    glEnd();
}

/* Only the last vertex of each primitive has the attribute. */
static void flat_colors(void) {
    glShadeModel(GL_FLAT);
}

/* Patches of so many of the corners. */
static void patches(int count) {
    static const float corners[4][2] = {{-0.9f, -0.8f}, {0.8f, -0.9f}, {0.9f, 0.8f}, {-0.7f, 0.9f}};
    glPatchParameteri(GL_PATCH_VERTICES, count);
    glBegin(GL_PATCHES);
    for (int i = 0; i < 4 / count * count; i++) {
        glColor4f(i & 1, (i >> 1) & 1, 0.25f * (float)i, 0.5f);
        glVertex2fv(corners[i]);
    }
    glEnd();
}

static void quad_patch(void) {
    patches(4);
}

static void triangle_patch(void) {
    patches(3);
}

static void levels_of_quads(void) {
    set("levels", 3, 5, 4, 6);
}

static void levels_of_triangles(void) {
    set("levels", 3.5f, 4.25f, 5, 6.5f);
}

static void levels_of_lines(void) {
    set("levels", 5, 6.5f, 0, 0);
}

static const drawing DRAWINGS[] = {
    {"explicit_matrix", 0, torus},
    {"tracked_matrices", texture_matrix, torus},
    {"tracked_lights", light_state, torus},
    {"matrices", matrices, torus},
    {"arrays", arrays, torus},
    {"lights", lights, torus},
    {"math_vertex", 0, square},
    {"math_fragment", 0, square},
    {"comparisons", limits, square},
    {"discards", 0, square},
    {"texture_1d", image_1d, square},
    {"texture_2d", images, square},
    {"texture_projected", images, square},
    {"texture_cube", image_cube, torus},
    {"texture_3d", image_3d, square},
    {"texture_rectangle", image_rectangle, square},
    {"texture_shadow", image_depths, square},
    {"texture_bias", images, square},
    {"texture_derivatives", images, square},
    {"texture_level", images, square},
    {"texture_vertex", images, torus},
    {"texture_layers", image_layers, square},
    {"texture_texels", images, square},
    {"texture_buffer", image_buffer, square},
    {"branches", limits, square},
    {"branches_vertex", limits, torus},
    {"two_colors", points, torus},
    {"back_colors", two_sides, both_sides},
    {"depth", depths, square},
    {"window_position", 0, square},
    {"face", 0, both_sides},
    {"derivatives", 0, square},
    {"clipping", clip_planes, torus},
    {"low_precision", limits, square},
    {"packing", 0, square},
    {"integers", numbers, square},
    {"numbers_of_vertices", 0, instances},
    {"interpolation", 0, torus},
    {"targets", 0, two_targets},
    {"buffers", buffers, torus},
    {"connected", connected, torus},
    {"attributes", 0, attribute_arrays},
    {"fixed_vertices", fixed_vertices, torus},
    {"fixed_fragments", fixed_fragments, torus},
    {"lists", 0, in_a_list},
    {"geometry_triangles", 0, torus},
    {"geometry_points", 0, some_points},
    {"geometry_adjacency", limits, some_lines},
    {"geometry_flat", flat_colors, torus},
    {"tessellation_quads", levels_of_quads, quad_patch},
    {"tessellation_triangles", levels_of_triangles, triangle_patch},
    {"tessellation_lines", levels_of_lines, quad_patch},
};

bool draw_case(const char *name) {
    for (size_t i = 0; i < sizeof DRAWINGS / sizeof *DRAWINGS; i++) {
        const drawing *it = &DRAWINGS[i];
        if (strcmp(it->name, name)) continue;
        load_programs(name);
        /* Squares are drawn as they are. */
        if (it->shape != square && it->shape != two_targets) look();
        if (it->prepare) it->prepare();
        bind_programs();
        it->shape();
        return true;
    }
    return false;
}
