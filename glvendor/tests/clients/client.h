/* What all clients need: contexts of EGL or GLX, pixels, errors, and a count of what is wrong. */
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

typedef void *context;

/* Opens the display and loads the commands; ends the client where there is no OpenGL of that kind. */
void start(void);
/* A context that shares objects with another one, or with none. */
context open_context(context share);
/* A context that tells of resets; none where the system has no such contexts. */
context open_robust_context(void);
void close_context(context it);
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

/* Counts a mistake and tells of it. */
void mistake(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define CHECK(condition, ...) ((condition) ? (void)0 : mistake(__FILE__, __LINE__, #condition ": " __VA_ARGS__))
#define EQUAL(got, wanted)                                                                                             \
    do {                                                                                                               \
        long got_ = (long)(got), wanted_ = (long)(wanted);                                                             \
        if (got_ != wanted_)                                                                                           \
            mistake(__FILE__, __LINE__, "%s is %ld (0x%lx), not %ld (0x%lx)", #got, got_, got_, wanted_, wanted_);     \
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
