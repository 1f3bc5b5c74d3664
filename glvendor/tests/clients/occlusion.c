/* Fences, occlusion tests and queries, and draws that depend on queries: NV_fence, NV_occlusion_query with HP_occlusion_test,
   NVX_conditional_render. The square has SIZE x SIZE fragments. */
#include "client.h"

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

static GLint fence_value(GLuint fence, GLenum name) {
    GLint value = -1;
    glGetFenceivNV(fence, name, &value);
    return value;
}

static void fences(void) {
    GLuint names[3] = {0};
    glGenFencesNV(3, names);
    CHECK(names[0] && names[1] && names[2] && names[0] != names[1] && names[1] != names[2]);
    /* A generated name is no fence before it is set. */
    EQUAL(glIsFenceNV(names[0]), GL_FALSE);
    EQUAL(glTestFenceNV(names[0]), GL_TRUE);
    ERROR(GL_INVALID_OPERATION);
    glFinishFenceNV(names[0]);
    ERROR(GL_INVALID_OPERATION);
    EQUAL(fence_value(names[0], GL_FENCE_STATUS_NV), -1);
    ERROR(GL_INVALID_OPERATION);
    glSetFenceNV(names[0], GL_ALL_COMPLETED_NV + 1);
    ERROR(GL_INVALID_ENUM);
    EQUAL(glIsFenceNV(names[0]), GL_FALSE);
    draw_square();
    glSetFenceNV(names[0], GL_ALL_COMPLETED_NV);
    EQUAL(glIsFenceNV(names[0]), GL_TRUE);
    EQUAL(fence_value(names[0], GL_FENCE_CONDITION_NV), GL_ALL_COMPLETED_NV);
    EQUAL(fence_value(names[0], GL_ALL_COMPLETED_NV), -1);
    ERROR(GL_INVALID_ENUM);
    glFinishFenceNV(names[0]);
    EQUAL(glTestFenceNV(names[0]), GL_TRUE);
    EQUAL(fence_value(names[0], GL_FENCE_STATUS_NV), GL_TRUE);
    /* It ends to be complete when it is set again, and completes without a flush of the application. */
    draw_square();
    glSetFenceNV(names[0], GL_ALL_COMPLETED_NV);
    for (long i = 0; !glTestFenceNV(names[0]); i++)
        if (i > 100000000) {
            CHECK(false, "the fence is not complete");
            break;
        }
    /* Names need not be generated. */
    glSetFenceNV(4711, GL_ALL_COMPLETED_NV);
    EQUAL(glIsFenceNV(4711), GL_TRUE);
    GLuint deleted[3] = {4711, 0, 12345};
    glDeleteFencesNV(3, deleted);
    EQUAL(glIsFenceNV(4711), GL_FALSE);
    ERROR(GL_NO_ERROR);
    glGenFencesNV(-1, names);
    ERROR(GL_INVALID_VALUE);
    glDeleteFencesNV(-1, names);
    ERROR(GL_INVALID_VALUE);
    /* In a list the fence is set when the list is called. */
    glNewList(1, GL_COMPILE);
    glSetFenceNV(names[1], GL_ALL_COMPLETED_NV);
    glEndList();
    EQUAL(glIsFenceNV(names[1]), GL_FALSE);
    glCallList(1);
    EQUAL(glIsFenceNV(names[1]), GL_TRUE);
    glFinishFenceNV(names[1]);
    ERROR(GL_NO_ERROR);
    glBegin(GL_POINTS);
    EQUAL(glIsFenceNV(names[1]), GL_FALSE);
    EQUAL(glTestFenceNV(names[1]), GL_TRUE);
    glSetFenceNV(names[1], GL_ALL_COMPLETED_NV);
    glFinishFenceNV(names[1]);
    glGenFencesNV(1, names);
    glDeleteFencesNV(1, names);
    glEnd();
    ERROR(GL_INVALID_OPERATION);
    EQUAL(glIsFenceNV(names[1]), GL_TRUE);
    glDeleteFencesNV(3, names);
    EQUAL(glIsFenceNV(names[0]), GL_FALSE);
    ERROR(GL_NO_ERROR);
}

static GLuint count(GLuint query) {
    GLuint value = ~0u;
    glGetOcclusionQueryuivNV(query, GL_PIXEL_COUNT_NV, &value);
    return value;
}

static void occlusion_queries(void) {
    CHECK(get(GL_PIXEL_COUNTER_BITS_NV) >= 24, "%d", get(GL_PIXEL_COUNTER_BITS_NV));
    GLuint names[2] = {0};
    glGenOcclusionQueriesNV(2, names);
    CHECK(names[0] && names[1] && names[0] != names[1]);
    EQUAL(glIsOcclusionQueryNV(names[0]), GL_FALSE);
    EQUAL(count(names[0]), ~0u);
    ERROR(GL_INVALID_OPERATION);
    glEndOcclusionQueryNV();
    ERROR(GL_INVALID_OPERATION);
    EQUAL(get(GL_CURRENT_OCCLUSION_QUERY_ID_NV), 0);
    glBeginOcclusionQueryNV(names[0]);
    EQUAL(get(GL_CURRENT_OCCLUSION_QUERY_ID_NV), names[0]);
    EQUAL(glIsOcclusionQueryNV(names[0]), GL_TRUE);
    draw_square();
    /* What an active query forbids. */
    glBeginOcclusionQueryNV(names[1]);
    ERROR(GL_INVALID_OPERATION);
    GLuint more = 77;
    glGenOcclusionQueriesNV(1, &more);
    ERROR(GL_INVALID_OPERATION);
    EQUAL(more, 77);
    glDeleteOcclusionQueriesNV(1, names);
    ERROR(GL_INVALID_OPERATION);
    EQUAL(count(names[0]), ~0u);
    ERROR(GL_INVALID_OPERATION);
    draw_square();
    glEndOcclusionQueryNV();
    EQUAL(get(GL_CURRENT_OCCLUSION_QUERY_ID_NV), 0);
    EQUAL(count(names[0]), 2 * SIZE * SIZE);
    GLint available = -1, signed_count = -1;
    glGetOcclusionQueryivNV(names[0], GL_PIXEL_COUNT_AVAILABLE_NV, &available);
    EQUAL(available, GL_TRUE);
    glGetOcclusionQueryivNV(names[0], GL_PIXEL_COUNT_NV, &signed_count);
    EQUAL(signed_count, 2 * SIZE * SIZE);
    glGetOcclusionQueryivNV(names[0], GL_PIXEL_COUNTER_BITS_NV, &signed_count);
    ERROR(GL_INVALID_ENUM);
    EQUAL(signed_count, 2 * SIZE * SIZE);
    /* Only fragments that pass the depth test count; a list begins and ends the query. Names need not be generated. */
    glNewList(1, GL_COMPILE);
    glBeginOcclusionQueryNV(4711);
    draw_square();
    glEndOcclusionQueryNV();
    glEndList();
    EQUAL(glIsOcclusionQueryNV(4711), GL_FALSE);
    glEnable(GL_SCISSOR_TEST);
    glScissor(3, 2, 4, 5);
    glCallList(1);
    EQUAL(count(4711), 20);
    glDisable(GL_SCISSOR_TEST);
    GLuint deleted[] = {4711, 0, 999};
    glDeleteOcclusionQueriesNV(3, deleted);
    EQUAL(glIsOcclusionQueryNV(4711), GL_FALSE);
    ERROR(GL_NO_ERROR);
    glGenOcclusionQueriesNV(-1, names);
    ERROR(GL_INVALID_VALUE);
    glDeleteOcclusionQueriesNV(-1, names);
    ERROR(GL_INVALID_VALUE);
    glBegin(GL_POINTS);
    glBeginOcclusionQueryNV(names[0]);
    glEndOcclusionQueryNV();
    EQUAL(glIsOcclusionQueryNV(names[0]), GL_FALSE);
    EQUAL(count(names[0]), ~0u);
    glEnd();
    ERROR(GL_INVALID_OPERATION);
    glDeleteOcclusionQueriesNV(2, names);
    ERROR(GL_NO_ERROR);
}

/* The result tells whether a fragment has passed since it was last asked for, while the test is on or a query active. */
static void occlusion_test(void) {
    EQUAL(glIsEnabled(GL_OCCLUSION_TEST_HP), GL_FALSE);
    /* Of the query before. */
    EQUAL(get(GL_OCCLUSION_TEST_RESULT_HP), GL_TRUE);
    EQUAL(get(GL_OCCLUSION_TEST_RESULT_HP), GL_FALSE);
    draw_square();
    EQUAL(get(GL_OCCLUSION_TEST_RESULT_HP), GL_FALSE);
    glEnable(GL_OCCLUSION_TEST_HP);
    EQUAL(glIsEnabled(GL_OCCLUSION_TEST_HP), GL_TRUE);
    EQUAL(get(GL_OCCLUSION_TEST_HP), GL_TRUE);
    EQUAL(get(GL_OCCLUSION_TEST_RESULT_HP), GL_FALSE);
    draw_square();
    EQUAL(get(GL_OCCLUSION_TEST_RESULT_HP), GL_TRUE);
    EQUAL(get(GL_OCCLUSION_TEST_RESULT_HP), GL_FALSE);
    draw_square();
    glDisable(GL_OCCLUSION_TEST_HP);
    draw_square();
    EQUAL(get(GL_OCCLUSION_TEST_RESULT_HP), GL_TRUE);
    EQUAL(get(GL_OCCLUSION_TEST_RESULT_HP), GL_FALSE);
    /* Attributes: GL_ENABLE_BIT. */
    glPushAttrib(GL_ENABLE_BIT);
    glEnable(GL_OCCLUSION_TEST_HP);
    glPopAttrib();
    EQUAL(glIsEnabled(GL_OCCLUSION_TEST_HP), GL_FALSE);
    /* A query resets the result when it begins, and counts with or without the test. */
    GLuint query;
    glGenOcclusionQueriesNV(1, &query);
    glEnable(GL_OCCLUSION_TEST_HP);
    draw_square();
    glBeginOcclusionQueryNV(query);
    glEndOcclusionQueryNV();
    EQUAL(count(query), 0);
    EQUAL(get(GL_OCCLUSION_TEST_RESULT_HP), GL_FALSE);
    glBeginOcclusionQueryNV(query);
    draw_square();
    glEndOcclusionQueryNV();
    EQUAL(count(query), SIZE * SIZE);
    glDeleteOcclusionQueriesNV(1, &query);
    EQUAL(get(GL_OCCLUSION_TEST_RESULT_HP), GL_TRUE);
    /* Queries of OpenGL 1.5 beside the test. */
    GLuint other, samples = 0;
    glGenQueries(1, &other);
    glBeginQuery(GL_SAMPLES_PASSED, other);
    draw_square();
    glEndQuery(GL_SAMPLES_PASSED);
    glGetQueryObjectuiv(other, GL_QUERY_RESULT, &samples);
    EQUAL(samples, SIZE * SIZE);
    EQUAL(get(GL_OCCLUSION_TEST_RESULT_HP), GL_TRUE);
    draw_square();
    EQUAL(get(GL_OCCLUSION_TEST_RESULT_HP), GL_TRUE);
    glDisable(GL_OCCLUSION_TEST_HP);
    /* Other kinds of queries, in the same way. */
    glEnable(GL_OCCLUSION_TEST_HP);
    GLuint any;
    glGenQueries(1, &any);
    glBeginQuery(GL_ANY_SAMPLES_PASSED, any);
    draw_square();
    glBeginOcclusionQueryNV(4711);
    ERROR(GL_INVALID_OPERATION);
    EQUAL(get(GL_CURRENT_OCCLUSION_QUERY_ID_NV), 0);
    glEndQuery(GL_ANY_SAMPLES_PASSED);
    EQUAL(get(GL_OCCLUSION_TEST_RESULT_HP), GL_TRUE);
    EQUAL(get(GL_OCCLUSION_TEST_RESULT_HP), GL_FALSE);
    draw_square();
    EQUAL(get(GL_OCCLUSION_TEST_RESULT_HP), GL_TRUE);
    glBeginQueryIndexed(GL_SAMPLES_PASSED, 0, other);
    draw_square();
    glEndQueryIndexed(GL_SAMPLES_PASSED, 0);
    EQUAL(get(GL_OCCLUSION_TEST_RESULT_HP), GL_TRUE);
    glDeleteQueries(1, &any);
    glDisable(GL_OCCLUSION_TEST_HP);
    ERROR(GL_NO_ERROR);
    /* An active query of OpenGL 1.5 excludes others. */
    glBeginQuery(GL_SAMPLES_PASSED, other);
    glBeginOcclusionQueryNV(1);
    ERROR(GL_INVALID_OPERATION);
    EQUAL(get(GL_CURRENT_OCCLUSION_QUERY_ID_NV), 0);
    glEndQuery(GL_SAMPLES_PASSED);
    glDeleteQueries(1, &other);
    ERROR(GL_NO_ERROR);
}

static void conditional(GLuint query, float green) {
    clear();
    glColor4f(0, 1, 0, 1);
    glBeginConditionalRenderNVX(query);
    draw_square();
    glEndConditionalRenderNVX();
    PIXEL(8, 8, green == 0 ? 0.2f : 0, green, green == 0 ? 0.4f : 0, green);
}

static void conditional_render(void) {
    GLuint hidden, visible, other;
    glGenOcclusionQueriesNV(1, &hidden);
    glGenOcclusionQueriesNV(1, &visible);
    glBeginOcclusionQueryNV(hidden);
    glEndOcclusionQueryNV();
    glBeginOcclusionQueryNV(visible);
    draw_square();
    glEndOcclusionQueryNV();
    conditional(hidden, 0);
    conditional(visible, 1);
    ERROR(GL_NO_ERROR);
    /* The active query. */
    glBeginOcclusionQueryNV(visible);
    glBeginConditionalRenderNVX(visible);
    ERROR(GL_INVALID_OPERATION);
    glEndOcclusionQueryNV();
    glEndConditionalRenderNVX();
    ERROR(GL_INVALID_OPERATION);
    glDeleteOcclusionQueriesNV(1, &hidden);
    glDeleteOcclusionQueriesNV(1, &visible);
    /* Queries of OpenGL 1.5. */
    glGenQueries(1, &other);
    while (other == hidden || other == visible) glGenQueries(1, &other);
    glBeginQuery(GL_SAMPLES_PASSED, other);
    glEndQuery(GL_SAMPLES_PASSED);
    conditional(other, 0);
    glDeleteQueries(1, &other);
    ERROR(GL_NO_ERROR);
}

int main(void) {
    start();
    context first = open_context(NULL);
    use_context(first);
    CHECK(has_extension("GL_NV_fence"));
    CHECK(has_extension("GL_NV_occlusion_query"));
    CHECK(has_extension("GL_HP_occlusion_test"));
    CHECK(has_extension("GL_NVX_conditional_render"));
    fences();
    occlusion_queries();
    occlusion_test();
    conditional_render();
    /* Fences that are not deleted, of a context that is. */
    context second = open_context(first);
    use_context(second);
    glSetFenceNV(1, GL_ALL_COMPLETED_NV);
    EQUAL(glIsFenceNV(1), GL_TRUE);
    use_context(first);
    close_context(second);
    EQUAL(glIsFenceNV(1), GL_FALSE);
    ERROR(GL_NO_ERROR);
    return finish();
}
