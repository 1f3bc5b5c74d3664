/* What cases have at hand: the programs of a case in their stages, shapes, textures. */
#pragma once

#include "cg.h"
#include "client.h"

enum { VERTEX, CONTROL, EVALUATION, GEOMETRY, FRAGMENT, STAGES };

/* Of the case that runs. */
extern CGcontext cg;
extern CGprogram programs[STAGES];
/* Whether the programs are the reference's: GLSL, which the runtime writes or which stands beside the program. */
extern bool is_reference;
/* Whether vertex programs name registers, and the application says which matrices these track. */
extern bool has_registers;
/* The program of GLSL that stands beside the program, or 0. */
extern GLuint by_hand;

/* Loads programs `STAGE_main` of a file for the profiles of the run, or the GLSL beside it where that is the reference. Vertex and fragment programs
 * that the file has not got come from `pass.cg`, unless their profile is `-`. */
void load_programs(const char *file);
/* Binds them, with matrices of these names set in all of them. */
void bind_programs(void);

/* The parameter of this name of every stage that has it. */
#define EACH(name, parameter)                                                                                          \
    for (int stage_ = 0; stage_ < STAGES; stage_++)                                                                    \
        for (CGparameter parameter = find(stage_, name), once_ = parameter; once_; once_ = 0)
CGparameter find(int stage, const char *name);
void set(const char *name, float x, float y, float z, float w);
void set_texture(const char *name, GLenum target, GLuint texture);

/* Looks at a scene that is about 2 in each direction. */
void look(void);
/* A square that covers all, with coordinates from 0 to 1 in units 0 and 1, and colors at its corners. */
void square(void);
/* A torus with normals, colors and coordinates; the color depends on the place. */
void torus(void);
/* A texture of 16 texels in each direction, smooth in color and alpha, of this target, with mipmaps or without. */
GLuint smooth_texture(GLenum target, bool has_mipmaps);
/* Sets such a texture. */
void set_image(const char *name, GLenum target, bool has_mipmaps);
/* Depths that grow from the left to the right. */
GLuint depth_texture(void);

/* Draws the case of this name; false if there is none. */
bool draw_case(const char *name);
