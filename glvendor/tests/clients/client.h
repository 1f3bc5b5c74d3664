/* What all clients need: contexts of EGL, GLX or WGL, pixels, errors, and a count of what is wrong. */
#pragma once

#include "gl.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Edge of the square that clients draw on. */
#ifndef CLIENT_SIZE
#define CLIENT_SIZE 16
#endif
enum { SIZE = CLIENT_SIZE };

/* The convention of `printf` that strings of formats follow. */
#ifdef _WIN32
#define CLIENT_PRINTF gnu_printf
#else
#define CLIENT_PRINTF printf
#endif

typedef void *context;

/* Opens the display and loads the commands; ends the client where there is no OpenGL of that kind. */
void start(void);
/* A context that shares objects with another one, or with none. */
context open_context(context share);
/* A context that tells of resets; none where the system has no such contexts. */
context open_robust_context(void);
/* A context without fixed functions; none on GLX, or where the system has no such contexts. */
context open_core_context(void);
void close_context(context it);
/* Whether a context that is destroyed while it is current lives until it is not. With WGL it is not current any more. */
bool survives_destruction(void);
/* The next context that the thread uses draws on another surface. */
void use_new_surface(void);
/* Lets go of the libraries of OpenGL. */
void unload(void);
/* Makes it current for the thread, or none. */
void use_context(context it);
/* Makes it current for the thread, which the system may refuse. */
bool try_context(context it);
/* A function of GLX, with the display and the configuration that it needs; none on EGL, or if GLX lacks it. */
void *glx_function(const char *name, void **its_display, void **its_config);
/* What the thread draws on, for such functions. */
long current_surface(void);
/* What the client ends with. */
int finish(void);
/* The last bytes before memory that is not there. */
void *last_bytes(size_t size);

/* What client_unix.c and client_windows.c provide for `start`: OpenGL itself, and its commands by name. */
void open_system(void);
void *find_command(const char *name);
/* Ends the client: the system lacks what it needs. */
void lacking(const char *what) __attribute__((noreturn));

/* Counts a mistake and tells of it. */
void mistake(const char *file, int line, const char *format, ...) __attribute__((format(CLIENT_PRINTF, 3, 4)));
#define CHECK(condition, ...) ((condition) ? (void)0 : mistake(__FILE__, __LINE__, #condition ": " __VA_ARGS__))
#define EQUAL(got, wanted)                                                                                             \
    do {                                                                                                               \
        intptr_t got_ = (intptr_t)(got), wanted_ = (intptr_t)(wanted);                                                 \
        if (got_ != wanted_)                                                                                           \
            mistake(__FILE__, __LINE__, "%s is %lld (0x%llx), not %lld (0x%llx)", #got, (long long)got_, (long long)got_, (long long)wanted_, (long long)wanted_);     \
    } while (0)
/* The error of the commands since the last one asked for. */
#define ERROR(wanted) expect_error(__FILE__, __LINE__, wanted)
#define PIXEL(x, y, ...) expect_pixel(__FILE__, __LINE__, x, y, (const float[4]){__VA_ARGS__})
#define VECTOR(got, ...) expect_vector(__FILE__, __LINE__, #got, got, (const float[4]){__VA_ARGS__})
void expect_error(const char *file, int line, GLenum wanted);
/* A pixel has this color to the nearest of 255 steps. */
void expect_pixel(const char *file, int line, int x, int y, const float wanted[4]);
void expect_vector(const char *file, int line, const char *what, const float got[4], const float wanted[4]);

/* A program that is loaded and bound. */
GLuint load(GLenum target, const char *text);
GLuint load_nv(GLenum target, const char *text);
/* The whole square, by glVertex. */
void draw_square(void);
void clear(void);

/* Gives back what it reads, of both kinds of fragment programs. */
#define PASS_COLOR "!!NVfp4.0\nMOV result.color, fragment.color;\nEND"
