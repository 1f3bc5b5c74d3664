/* The hint about multisample filters: NV_multisample_filter_hint. */
#include "client.h"

static GLint get(GLenum name) {
    GLint value = -1;
    glGetIntegerv(name, &value);
    return value;
}

int main(void) {
    start();
    context first = open_context(NULL);
    use_context(first);
    CHECK(strstr((const char *)glGetString(GL_EXTENSIONS), "GL_NV_multisample_filter_hint"));
    EQUAL(get(GL_MULTISAMPLE_FILTER_HINT_NV), GL_DONT_CARE);
    glHint(GL_MULTISAMPLE_FILTER_HINT_NV, GL_NICEST);
    EQUAL(get(GL_MULTISAMPLE_FILTER_HINT_NV), GL_NICEST);
    GLfloat number = -1;
    glGetFloatv(GL_MULTISAMPLE_FILTER_HINT_NV, &number);
    CHECK(number == GL_NICEST, "%g", number);
    /* Errors change nothing. */
    glHint(GL_MULTISAMPLE_FILTER_HINT_NV, GL_LINEAR);
    ERROR(GL_INVALID_ENUM);
    glBegin(GL_POINTS);
    glHint(GL_MULTISAMPLE_FILTER_HINT_NV, GL_FASTEST);
    glEnd();
    ERROR(GL_INVALID_OPERATION);
    EQUAL(get(GL_MULTISAMPLE_FILTER_HINT_NV), GL_NICEST);
    ERROR(GL_NO_ERROR);
    /* Attributes: hint. */
    glPushAttrib(GL_HINT_BIT);
    glHint(GL_MULTISAMPLE_FILTER_HINT_NV, GL_FASTEST);
    glPushAttrib(GL_ALL_ATTRIB_BITS & ~GL_HINT_BIT);
    glHint(GL_MULTISAMPLE_FILTER_HINT_NV, GL_DONT_CARE);
    glPopAttrib();
    EQUAL(get(GL_MULTISAMPLE_FILTER_HINT_NV), GL_DONT_CARE);
    glPopAttrib();
    EQUAL(get(GL_MULTISAMPLE_FILTER_HINT_NV), GL_NICEST);
    /* In a list it is set when the list is called. */
    glNewList(1, GL_COMPILE);
    glHint(GL_MULTISAMPLE_FILTER_HINT_NV, GL_FASTEST);
    glPushAttrib(GL_HINT_BIT);
    glHint(GL_MULTISAMPLE_FILTER_HINT_NV, GL_DONT_CARE);
    glPopAttrib();
    glEndList();
    EQUAL(get(GL_MULTISAMPLE_FILTER_HINT_NV), GL_NICEST);
    glCallList(1);
    EQUAL(get(GL_MULTISAMPLE_FILTER_HINT_NV), GL_FASTEST);
    /* Other hints are those of the driver, with its errors. */
    glHint(GL_FOG_HINT, GL_NICEST);
    EQUAL(get(GL_FOG_HINT), GL_NICEST);
    glHint(GL_LINEAR, GL_NICEST);
    ERROR(GL_INVALID_ENUM);
    /* It is state of a context. */
    use_context(open_context(first));
    EQUAL(get(GL_MULTISAMPLE_FILTER_HINT_NV), GL_DONT_CARE);
    ERROR(GL_NO_ERROR);
    return finish();
}
