/* Preloaded into an application: whatever profiles it compiles vertex and fragment programs for, the runtime compiles for those of the variables
 * CG_VERTEX and CG_FRAGMENT. Says on standard output which. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int CGenum, CGprofile;

#define RUNTIME(name, result, ...) ((result(*)())dlsym(RTLD_DEFAULT, name))(__VA_ARGS__)

static const char *chosen(const char *profile) {
    if (strstr(profile, "vp") || !strcmp(profile, "glslv")) return getenv("CG_VERTEX");
    if (strstr(profile, "fp") || !strcmp(profile, "glslf")) return getenv("CG_FRAGMENT");
    return 0;
}

void *cgCreateProgram(void *context, CGenum kind, const char *text, CGprofile profile, const char *entry, const char **arguments) {
    void *(*create)(void *, CGenum, const char *, CGprofile, const char *, const char **) = dlsym(RTLD_NEXT, "cgCreateProgram");
    const char *name = chosen(RUNTIME("cgGetProfileString", const char *, profile));
    if (name) {
        printf("%s\n", name);
        fflush(stdout);
        profile = RUNTIME("cgGetProfile", CGprofile, name);
    }
    return create(context, kind, text, profile, entry, arguments);
}
