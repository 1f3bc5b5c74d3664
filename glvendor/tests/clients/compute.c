/* Compute programs: NV_compute_program5 with groups whose size the command gives (ARB_compute_variable_group_size), and counters
   (NV_shader_atomic_counters). */
#include "client.h"

static GLuint storage, counters;

static void make_buffer(GLuint *name, GLenum target, GLsizeiptr size, const void *data) {
    glGenBuffers(1, name);
    glBindBuffer(target, *name);
    glBufferData(target, size, data, GL_DYNAMIC_COPY);
}

static void check(GLenum target, const char *what, const GLuint *wanted, int count) {
    GLuint got[16] = {0};
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glGetBufferSubData(target, 0, count * (GLsizeiptr)sizeof *got, got);
    for (int i = 0; i < count; i++) CHECK(got[i] == wanted[i], "%s %d is %u, not %u", what, i, got[i], wanted[i]);
}

/* Each thread writes 10 times the size of its group in x and its own number. */
static void sizes_of_groups(void) {
    GLuint open = load(GL_COMPUTE_PROGRAM_NV, "!!NVcp5.0\nOPTION ARB_compute_variable_group_size;\nOPTION NV_shader_storage_buffer;\n"
                                              "STORAGE o[] = { program.storage[0] };\nTEMP n, r;\nMUL.U n, invocation.globalid.x, 4;\n"
                                              "MAD.U r, invocation.groupsize.x, 10, invocation.localid.x;\nSTB.U32 r, o[n.x];\nEND");
    GLuint fixed = load(GL_COMPUTE_PROGRAM_NV, "!!NVcp5.0\nOPTION NV_shader_storage_buffer;\nGROUP_SIZE 2;\nSTORAGE o[] = { program.storage[0] };\n"
                                               "TEMP n;\nMUL.U n, invocation.globalid.x, 4;\nSTB.U32 invocation.groupsize, o[n.x];\nEND");
    make_buffer(&storage, GL_SHADER_STORAGE_BUFFER, 64, (const GLuint[16]){0});
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, storage);
    glEnable(GL_COMPUTE_PROGRAM_NV);
    glBindProgramARB(GL_COMPUTE_PROGRAM_NV, open);
    glDispatchComputeGroupSizeARB(2, 1, 1, 4, 1, 1);
    ERROR(GL_NO_ERROR);
    check(GL_SHADER_STORAGE_BUFFER, "element", (const GLuint[]){40, 41, 42, 43, 40, 41, 42, 43, 0}, 9);
    glDispatchComputeGroupSizeARB(1, 1, 1, 3, 1, 1);
    glDispatchComputeGroupSizeARB(1, 1, 1, 1, 2, 2);
    check(GL_SHADER_STORAGE_BUFFER, "element", (const GLuint[]){10, 31, 32, 43}, 4);
    ERROR(GL_NO_ERROR);
    /* The program has the size, or the command, and sizes are more than 0 and no more than there may be. */
    glDispatchCompute(1, 1, 1);
    ERROR(GL_INVALID_OPERATION);
    glDispatchComputeGroupSizeARB(1, 1, 1, 1, 0, 1);
    ERROR(GL_INVALID_VALUE);
    glDispatchComputeGroupSizeARB(1, 1, 1, 60000, 60000, 1);
    ERROR(GL_INVALID_VALUE);
    glBindProgramARB(GL_COMPUTE_PROGRAM_NV, fixed);
    glDispatchComputeGroupSizeARB(1, 1, 1, 2, 1, 1);
    ERROR(GL_INVALID_OPERATION);
    glDispatchCompute(1, 1, 1);
    check(GL_SHADER_STORAGE_BUFFER, "element", (const GLuint[]){2, 2, 32, 43}, 4);
    glDeleteProgramsARB(2, (GLuint[]){open, fixed});
    ERROR(GL_NO_ERROR);
}

/* Counters lie behind the offset of their binding; they are the same for GLSL, and other bindings stay what they are. */
static void counters_of_both(void) {
    static const char text[] = "#version 430\nlayout(local_size_x = 2) in;\nlayout(binding = 1) uniform atomic_uint c;\nlayout(std430, binding = 0) buffer O { "
                               "uint o[]; };\nvoid main() { o[8 + gl_LocalInvocationIndex] = atomicCounterIncrement(c) / 100; }";
    const char *source = text;
    GLuint shader = glCreateShader(GL_COMPUTE_SHADER), glsl = glCreateProgram();
    glShaderSource(shader, 1, &source, 0);
    glCompileShader(shader);
    glAttachShader(glsl, shader);
    glLinkProgram(glsl);
    make_buffer(&counters, GL_ATOMIC_COUNTER_BUFFER, 32, (const GLuint[8]){1, 2, 3, 4, 500, 600, 7, 8});
    glBindBufferRange(GL_ATOMIC_COUNTER_BUFFER, 1, counters, 16, 8);
    load(GL_COMPUTE_PROGRAM_NV, "!!NVcp5.0\nOPTION NV_shader_atomic_counters;\nOPTION NV_shader_storage_buffer;\nGROUP_SIZE 4;\n"
                                                 "COUNTER c[] = { program.counter[1] };\nSTORAGE o[] = { program.storage[0] };\nTEMP r;\n"
                                                 "ATOMCTR.INCR.U r, c[0];\nATOMCTR.DECR.U r, c[1];\nATOMCTR.GET.U r, c[2];\n"
                                                 "STB.U32 r, o[0];\nEND");
    glDispatchCompute(1, 1, 1);
    glMemoryBarrier(GL_ATOMIC_COUNTER_BARRIER_BIT);
    glUseProgram(glsl);
    glDispatchCompute(1, 1, 1);
    glUseProgram(0);
    glMemoryBarrier(GL_ATOMIC_COUNTER_BARRIER_BIT);
    glDispatchCompute(1, 1, 1);
    ERROR(GL_NO_ERROR);
    check(GL_ATOMIC_COUNTER_BUFFER, "counter", (const GLuint[]){1, 2, 3, 4, 510, 592, 7, 8}, 8);
    GLint bound;
    glGetIntegerv(GL_SHADER_STORAGE_BUFFER_BINDING, &bound);
    EQUAL((GLuint)bound, storage);
    /* What is behind the range of the binding is not there: 0. GLSL has written 5 twice. */
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, storage);
    check(GL_SHADER_STORAGE_BUFFER, "element", (const GLuint[]){0, 2, 32, 43, 40, 41, 42, 43, 5, 5}, 10);
    ERROR(GL_NO_ERROR);
}

/* State that a draw has read is not all that a compute program reads, nor the other way round. */
static void state_of_both(void) {
    static const char DRAWS[] = "!!NVfp4.0\nMOV result.color, state.light[0].diffuse;\nEND";
    GLuint fragment = load(GL_FRAGMENT_PROGRAM_ARB, DRAWS);
    GLuint reads = load(GL_COMPUTE_PROGRAM_NV, "!!NVcp5.0\nOPTION NV_shader_storage_buffer;\nGROUP_SIZE 1;\nSTORAGE o[] = { program.storage[0] };\n"
                                               "TEMP l;\nMAD.F l, state.light[1].diffuse, 10, 0.5;\nTRUNC.S l, l;\nSTB.S32X4 l, o[0];\nEND");
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    glLightfv(GL_LIGHT1, GL_DIFFUSE, (const float[]){0.4f, 0.6f, 0.8f, 1});
    glLightfv(GL_LIGHT0, GL_DIFFUSE, (const float[]){0.2f, 0.4f, 0, 1});
    clear();
    draw_square();
    PIXEL(8, 8, 0.2f, 0.4f, 0, 1);
    glDispatchCompute(1, 1, 1);
    check(GL_SHADER_STORAGE_BUFFER, "component", (const GLuint[]){4, 6, 8, 10}, 4);
    glLightfv(GL_LIGHT0, GL_DIFFUSE, (const float[]){0.8f, 0.2f, 0, 1});
    glDispatchCompute(1, 1, 1);
    clear();
    draw_square();
    PIXEL(8, 8, 0.8f, 0.2f, 0, 1);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    glDeleteProgramsARB(2, (GLuint[]){fragment, reads});
    ERROR(GL_NO_ERROR);
}

int main(void) {
    start();
    use_context(open_context(0));
    if (!strstr((const char *)glGetString(GL_EXTENSIONS), "GL_NV_compute_program5")) return finish();
    CHECK(strstr((const char *)glGetString(GL_EXTENSIONS), "GL_NV_shader_atomic_counters"));
    sizes_of_groups();
    counters_of_both();
    state_of_both();
    return finish();
}
