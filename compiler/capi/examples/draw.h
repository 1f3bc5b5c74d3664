/* Vulkan code of the examples: one draw of triangles into an image in memory. An application has all of this already. */
#ifndef DRAW_H
#define DRAW_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A uniform buffer. */
struct draw_uniform {
    uint32_t set, binding;
    const void *bytes;
    size_t size;
};

/* A square texture of four bytes for each texel. */
struct draw_texture {
    uint32_t set, binding, size;
    const unsigned char *texels;
};

/* A vertex attribute of floats. */
struct draw_attribute {
    uint32_t location, components, offset;
};

/* Draws triangles with a vertex and a fragment shader. Front faces are counterclockwise as in GL; the others are culled. */
struct draw {
    const uint32_t *words[2];
    size_t word_counts[2];
    const struct draw_attribute *attributes;
    uint32_t attribute_count, stride;
    const void *vertices;
    uint32_t vertex_count;
    const struct draw_uniform *uniforms;
    uint32_t uniform_count;
    struct draw_texture texture;
};

/* Draws into a square image of size * size pixels, four bytes each, whose row 0 is the lowest as in GL. Ends the program if Vulkan fails. */
void draw_triangles(const struct draw *what, uint32_t size, unsigned char *pixels);

/* Writes such an image as a PPM file. */
void write_picture(const char *path, uint32_t size, const unsigned char *pixels);

#ifdef __cplusplus
}
#endif

#endif
