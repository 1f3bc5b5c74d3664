/* glasm: compiles the assembly shading languages of OpenGL's programmable era, and TGSI, to SPIR-V.
 *
 * Generated from compiler/capi by its test `header`: do not edit. SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Load a program once (glasm_program_load), compile it for each state that it is used in (glasm_program_compile) or together with the
 * other programs of its pipeline (glasm_link), read what the module expects (glasm_shader_reflection), and fill its parameter block
 * (glasm_shader_parameter_block).
 *
 * Rules for all functions:
 *
 * - Ownership. Objects that a function returns through a pointer to a pointer, or creates, belong to the caller, who frees them with the
 *   function that its documentation names. Pointers to `const` that a function returns belong to the object that they came from and are
 *   valid until that is freed. Arguments stay the caller's, and no pointer to them is retained, unless the function frees them. NULL may
 *   be freed.
 * - Results. Functions that can fail return a glasm_result; glasm_error_message describes the failure. All results are NULL then. The
 *   other functions return NULL, 0 or the value that their documentation names.
 * - Sizes. Structures that the caller allocates begin with their size: set it to sizeof, or call their init function. Later versions
 *   may have more members at the end; a library reads and writes only as many bytes as the size says.
 * - Enumerations. Members and arguments of an enumeration that the caller chooses are uint32_t: invalid values are reported as errors.
 * - Strings are NUL-terminated UTF-8. Programs are bytes with a length, of any content.
 * - Threads. Programs, shaders, diagnostics, pipelines, set layouts, texts and compilers may be shared between threads, but not freed while
 *   another thread uses them. A glasm_state belongs to one thread at a time.
 * - Panics never leave a function, for any program: GLASM_RESULT_INTERNAL reports an internal error of the library, which remains usable.
 */


#ifndef GLASM_H
#define GLASM_H

#include <stddef.h>
#include <stdint.h>

// The version that the header is of: its first number.
#define GLASM_VERSION_MAJOR 0

// The version that the header is of: its second number.
#define GLASM_VERSION_MINOR 1

// The version that the header is of: its third number.
#define GLASM_VERSION_PATCH 0

// The value of `step_limit` that leaves the count out.
#define GLASM_NO_STEP_LIMIT 4294967295

// The locations of colors, back colors, fog and texture coordinates in the fixed table: for
// `locations` of glasm_varyings.
#define GLASM_LOCATIONS_CONVENTIONAL 8191

// The locations of the fixed table that go with all built-in outputs on every device.
#define GLASM_LOCATIONS_UNDISPUTED 268435455

// The value of `param_binding` that gives each stage a separate binding: vertex 0, tessellation
// control 1, evaluation 2, geometry 3, fragment 4, compute 0.
#define GLASM_BINDING_OF_STAGE 4294967295

// Subgroups have votes (VK_SUBGROUP_FEATURE_VOTE_BIT).
#define GLASM_SUBGROUP_VOTE 1

// Subgroups have ballots (VK_SUBGROUP_FEATURE_BALLOT_BIT).
#define GLASM_SUBGROUP_BALLOT 2

// Subgroups have shuffles (VK_SUBGROUP_FEATURE_SHUFFLE_BIT).
#define GLASM_SUBGROUP_SHUFFLE 4

// Subgroups have operations of quads (VK_SUBGROUP_FEATURE_QUAD_BIT).
#define GLASM_SUBGROUP_QUAD 8

// The value of `location` that built-ins have.
#define GLASM_BUILT_IN 4294967295

// The value of `number` where a language has no syntax for numbers.
#define GLASM_NO_NUMBER 4294967295

// Bytes of a key.
#define GLASM_CACHE_KEY_SIZE 32

// Number of words of the state that shaders read when they run. As a uniform buffer they have 336
// bytes.
#define GLASM_STATE_WORDS 84

// Result of a call.
enum glasm_result
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Success.
    GLASM_RESULT_OK = 0,
    // A program has errors, or cannot be expressed for the device or in the language: the
    // diagnostics say why.
    GLASM_RESULT_PROGRAM = 1,
    // An argument is NULL that must not be, too large, or no number of its enumeration:
    // `glasm_error_message` names it.
    GLASM_RESULT_INVALID_ARGUMENT = 2,
    // The library was built without a feature that the call needs: `glasm_error_message` names it.
    GLASM_RESULT_NOT_BUILT = 3,
    // An internal error of glasm. Please report it with the string of `glasm_error_message`.
    GLASM_RESULT_INTERNAL = 4,
    // Shaders require descriptors of different kinds at the same slot: `glasm_error_message` names
    // them.
    GLASM_RESULT_CONFLICT = 5,
    // A module breaks a rule of SPIR-V or Vulkan: `glasm_error_message` says which.
    GLASM_RESULT_INVALID_MODULE = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_result glasm_result;
#else
typedef uint32_t glasm_result;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Severity of a message.
enum glasm_severity
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The program fails to load, or to compile.
    GLASM_SEVERITY_ERROR = 0,
    // The program loads, but something is doubtful.
    GLASM_SEVERITY_WARNING = 1,
    // A fault of glasm itself.
    GLASM_SEVERITY_BUG = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_severity glasm_severity;
#else
typedef uint32_t glasm_severity;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Shader stages.
enum glasm_stage
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_STAGE_VERTEX = 0,
    GLASM_STAGE_TESS_CONTROL = 1,
    GLASM_STAGE_TESS_EVAL = 2,
    GLASM_STAGE_GEOMETRY = 3,
    GLASM_STAGE_FRAGMENT = 4,
    GLASM_STAGE_COMPUTE = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_stage glasm_stage;
#else
typedef uint32_t glasm_stage;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Base type of the components of an attribute or of a color attachment.
enum glasm_type_base
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_TYPE_BASE_FLOAT = 0,
    GLASM_TYPE_BASE_SIGNED = 1,
    GLASM_TYPE_BASE_UNSIGNED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_type_base glasm_type_base;
#else
typedef uint32_t glasm_type_base;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Interpolation of a fragment input.
enum glasm_interpolation
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Perspective-correct.
    GLASM_INTERPOLATION_SMOOTH = 0,
    // Linear in screen space.
    GLASM_INTERPOLATION_NO_PERSPECTIVE = 1,
    // The provoking vertex's value.
    GLASM_INTERPOLATION_FLAT = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_interpolation glasm_interpolation;
#else
typedef uint32_t glasm_interpolation;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Location in a pixel at which a fragment input is sampled.
enum glasm_sampling
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // At the pixel center.
    GLASM_SAMPLING_CENTER = 0,
    // Within the covered area.
    GLASM_SAMPLING_CENTROID = 1,
    // At each sample.
    GLASM_SAMPLING_SAMPLE = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_sampling glasm_sampling;
#else
typedef uint32_t glasm_sampling;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Source of the value of a parameter.
enum glasm_parameter_source
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // program.env: `index`.
    GLASM_PARAMETER_SOURCE_ENV = 0,
    // program.local: `index`.
    GLASM_PARAMETER_SOURCE_LOCAL = 1,
    // program.subroutine: `index`. The first component is the number of a subroutine, an integer.
    GLASM_PARAMETER_SOURCE_SUBROUTINE = 2,
    // state.*: `state`.
    GLASM_PARAMETER_SOURCE_STATE = 3,
    // A constant: `literal`.
    GLASM_PARAMETER_SOURCE_LITERAL = 4,
    // A parameter with a name: `index` among the named parameters of the reflection.
    GLASM_PARAMETER_SOURCE_NAMED = 5,
    // Argument with which a vertex state program is executed, its `v[0]`.
    GLASM_PARAMETER_SOURCE_ARGUMENT = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_parameter_source glasm_parameter_source;
#else
typedef uint32_t glasm_parameter_source;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Texture targets. Shadow targets have the values of their targets; a separate member says that a
// comparison is made.
enum glasm_texture_target
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_TEXTURE_TARGET_D1 = 0,
    GLASM_TEXTURE_TARGET_D2 = 1,
    GLASM_TEXTURE_TARGET_D3 = 2,
    GLASM_TEXTURE_TARGET_CUBE = 3,
    // Unnormalized coordinates, one level.
    GLASM_TEXTURE_TARGET_RECT = 4,
    GLASM_TEXTURE_TARGET_D1_ARRAY = 5,
    GLASM_TEXTURE_TARGET_D2_ARRAY = 6,
    GLASM_TEXTURE_TARGET_CUBE_ARRAY = 7,
    GLASM_TEXTURE_TARGET_BUFFER = 8,
    // Two-dimensional multisample.
    GLASM_TEXTURE_TARGET_D2_MS = 9,
    GLASM_TEXTURE_TARGET_D2_MS_ARRAY = 10,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_texture_target glasm_texture_target;
#else
typedef uint32_t glasm_texture_target;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Scalar type of an interface variable or texel.
enum glasm_scalar
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // 32-bit float.
    GLASM_SCALAR_FLOAT = 0,
    // 32-bit signed integer.
    GLASM_SCALAR_INT = 1,
    // 32-bit unsigned integer.
    GLASM_SCALAR_UINT = 2,
    // 64-bit float.
    GLASM_SCALAR_DOUBLE = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_scalar glasm_scalar;
#else
typedef uint32_t glasm_scalar;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Format with which an image must be bound.
enum glasm_image_format
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // In the image's format, whose texels are read and written as the scalar type in `texel`.
    GLASM_IMAGE_FORMAT_OWN = 0,
    // As unsigned integers with as many bits for a texel as `raw_bits` says.
    GLASM_IMAGE_FORMAT_RAW = 1,
    // As unsigned integers, regardless of the size of its texels.
    GLASM_IMAGE_FORMAT_ANY = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_image_format glasm_image_format;
#else
typedef uint32_t glasm_image_format;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Resources in an array of descriptors that handles index.
enum glasm_handle_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Textures whose texels are read as the scalar type in `texel`.
    GLASM_HANDLE_KIND_TEXTURE = 0,
    // Depth textures with samplers that compare.
    GLASM_HANDLE_KIND_COMPARISON = 1,
    // All textures, for queries.
    GLASM_HANDLE_KIND_QUERIED_TEXTURE = 2,
    // Images.
    GLASM_HANDLE_KIND_IMAGE = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_handle_kind glasm_handle_kind;
#else
typedef uint32_t glasm_handle_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Kinds of buffers.
enum glasm_buffer_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Program parameter buffer: a uniform buffer.
    GLASM_BUFFER_KIND_CONSTANT = 0,
    // Storage buffer.
    GLASM_BUFFER_KIND_STORAGE = 1,
    // Memory that a work group shares; in no list of bindings.
    GLASM_BUFFER_KIND_SHARED = 2,
    // Memory of each invocation for itself; in no list of bindings.
    GLASM_BUFFER_KIND_PRIVATE = 3,
    // Atomic counter buffer: a storage buffer.
    GLASM_BUFFER_KIND_COUNTER = 4,
    // The 96 parameters of vertex programs as state programs read and write them: a storage
    // buffer.
    GLASM_BUFFER_KIND_STATE = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_buffer_kind glasm_buffer_kind;
#else
typedef uint32_t glasm_buffer_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Components of an attribute of 64 bits that a variable holds.
enum glasm_half
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The attribute has no 64 bits, or is whole.
    GLASM_HALF_WHOLE = 0,
    // x and y, each as two words, low word first.
    GLASM_HALF_LOW = 1,
    // z and w.
    GLASM_HALF_HIGH = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_half glasm_half;
#else
typedef uint32_t glasm_half;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Viewports that primitives go to.
enum glasm_viewport_choice
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Viewport 0.
    GLASM_VIEWPORT_CHOICE_FIRST = 0,
    // The viewport of the number that the program chose.
    GLASM_VIEWPORT_CHOICE_INDEX = 1,
    // All viewports of the mask that the program chose.
    GLASM_VIEWPORT_CHOICE_MASK = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_viewport_choice glasm_viewport_choice;
#else
typedef uint32_t glasm_viewport_choice;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Stage of a program between the vertex and the fragment stage.
enum glasm_primitive_stage
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Any other stage.
    GLASM_PRIMITIVE_STAGE_NONE = 0,
    GLASM_PRIMITIVE_STAGE_TESS_CONTROL = 1,
    GLASM_PRIMITIVE_STAGE_TESS_EVAL = 2,
    GLASM_PRIMITIVE_STAGE_GEOMETRY = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_primitive_stage glasm_primitive_stage;
#else
typedef uint32_t glasm_primitive_stage;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Primitives into which a patch is subdivided.
enum glasm_tess_mode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_TESS_MODE_TRIANGLES = 0,
    GLASM_TESS_MODE_QUADS = 1,
    GLASM_TESS_MODE_ISOLINES = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_tess_mode glasm_tess_mode;
#else
typedef uint32_t glasm_tess_mode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Division of the edges of patches.
enum glasm_tess_spacing
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_TESS_SPACING_EQUAL = 0,
    GLASM_TESS_SPACING_FRACTIONAL_ODD = 1,
    GLASM_TESS_SPACING_FRACTIONAL_EVEN = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_tess_spacing glasm_tess_spacing;
#else
typedef uint32_t glasm_tess_spacing;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Orientation of the triangles of a subdivision where the origin of the domain is the lower left
// corner.
enum glasm_tess_order
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_TESS_ORDER_CCW = 0,
    GLASM_TESS_ORDER_CW = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_tess_order glasm_tess_order;
#else
typedef uint32_t glasm_tess_order;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Input primitive of a geometry program.
enum glasm_input_primitive
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_INPUT_PRIMITIVE_POINTS = 0,
    GLASM_INPUT_PRIMITIVE_LINES = 1,
    GLASM_INPUT_PRIMITIVE_LINES_ADJACENCY = 2,
    GLASM_INPUT_PRIMITIVE_TRIANGLES = 3,
    GLASM_INPUT_PRIMITIVE_TRIANGLES_ADJACENCY = 4,
    // As many vertices as the patch has.
    GLASM_INPUT_PRIMITIVE_PATCHES = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_input_primitive glasm_input_primitive;
#else
typedef uint32_t glasm_input_primitive;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Output primitive of a geometry program.
enum glasm_output_primitive
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_OUTPUT_PRIMITIVE_POINTS = 0,
    GLASM_OUTPUT_PRIMITIVE_LINE_STRIP = 1,
    GLASM_OUTPUT_PRIMITIVE_TRIANGLE_STRIP = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_output_primitive glasm_output_primitive;
#else
typedef uint32_t glasm_output_primitive;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Kind of a descriptor: values of VkDescriptorType.
enum glasm_descriptor_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // A texture with its sampler.
    GLASM_DESCRIPTOR_KIND_COMBINED_IMAGE_SAMPLER = 1,
    // An image.
    GLASM_DESCRIPTOR_KIND_STORAGE_IMAGE = 3,
    // A buffer texture.
    GLASM_DESCRIPTOR_KIND_UNIFORM_TEXEL_BUFFER = 4,
    // An image whose target is a buffer.
    GLASM_DESCRIPTOR_KIND_STORAGE_TEXEL_BUFFER = 5,
    // Parameters, and program parameter buffers.
    GLASM_DESCRIPTOR_KIND_UNIFORM_BUFFER = 6,
    // Storage and atomic counter buffers, large parameter blocks, and the buffers of state
    // programs and of locks of images.
    GLASM_DESCRIPTOR_KIND_STORAGE_BUFFER = 7,
    // A color attachment that the program reads.
    GLASM_DESCRIPTOR_KIND_INPUT_ATTACHMENT = 10,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_descriptor_kind glasm_descriptor_kind;
#else
typedef uint32_t glasm_descriptor_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Resource of a descriptor, and the list of the reflection that has it.
enum glasm_descriptor_resource
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The parameter block: `parameters`.
    GLASM_DESCRIPTOR_RESOURCE_PARAMETERS = 0,
    // The 96 parameters that a vertex state program reads and writes.
    GLASM_DESCRIPTOR_RESOURCE_STATE_PROGRAM = 1,
    // An entry of `textures`.
    GLASM_DESCRIPTOR_RESOURCE_TEXTURE = 2,
    // An entry of `samplers`, whose texture is ignored.
    GLASM_DESCRIPTOR_RESOURCE_SAMPLER = 3,
    // An entry of `attachments`.
    GLASM_DESCRIPTOR_RESOURCE_ATTACHMENT = 4,
    // An entry of `images`.
    GLASM_DESCRIPTOR_RESOURCE_IMAGE = 5,
    // An entry of `handle_arrays`.
    GLASM_DESCRIPTOR_RESOURCE_HANDLE_ARRAY = 6,
    // An entry of `buffers`.
    GLASM_DESCRIPTOR_RESOURCE_BUFFER = 7,
    // The lock of images.
    GLASM_DESCRIPTOR_RESOURCE_IMAGE_LOCK = 8,
    // The uniform buffer of GL state that the shader reads when it runs:
    // `glasm_options_state_words`.
    GLASM_DESCRIPTOR_RESOURCE_STATE_BLOCK = 9,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_descriptor_resource glasm_descriptor_resource;
#else
typedef uint32_t glasm_descriptor_resource;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Kind of a resource of a written program.
enum glasm_resource_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // A uniform buffer: the parameters, or a program parameter buffer.
    GLASM_RESOURCE_KIND_UNIFORM = 0,
    // A storage buffer.
    GLASM_RESOURCE_KIND_STORAGE = 1,
    // A texture with its sampler.
    GLASM_RESOURCE_KIND_TEXTURE = 2,
    // An image.
    GLASM_RESOURCE_KIND_IMAGE = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_resource_kind glasm_resource_kind;
#else
typedef uint32_t glasm_resource_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Numbers of the vertex attributes that GL's conventional commands set: their locations in
// modules.
enum glasm_attribute
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_ATTRIBUTE_POSITION = 0,
    GLASM_ATTRIBUTE_WEIGHT = 1,
    GLASM_ATTRIBUTE_NORMAL = 2,
    GLASM_ATTRIBUTE_COLOR = 3,
    GLASM_ATTRIBUTE_SECONDARY_COLOR = 4,
    GLASM_ATTRIBUTE_FOG_COORD = 5,
    // Texture coordinate set n, below 8, is n more.
    GLASM_ATTRIBUTE_TEX_COORD0 = 8,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_attribute glasm_attribute;
#else
typedef uint32_t glasm_attribute;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Depth range of clip space that programs write.
enum glasm_clip_depth
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // 0 to w, as Vulkan clips.
    GLASM_CLIP_DEPTH_ZERO_TO_ONE = 0,
    // -w to w, as GL clips: remapped at the end of the last vertex stage.
    GLASM_CLIP_DEPTH_NEGATIVE_ONE_TO_ONE = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_clip_depth glasm_clip_depth;
#else
typedef uint32_t glasm_clip_depth;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Colors of materials and lights.
enum glasm_color_term
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_COLOR_TERM_AMBIENT = 0,
    GLASM_COLOR_TERM_DIFFUSE = 1,
    GLASM_COLOR_TERM_SPECULAR = 2,
    // Materials only.
    GLASM_COLOR_TERM_EMISSION = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_color_term glasm_color_term;
#else
typedef uint32_t glasm_color_term;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// GL's comparisons, in the order of VkCompareOp.
enum glasm_compare_function
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_COMPARE_FUNCTION_NEVER = 0,
    GLASM_COMPARE_FUNCTION_LESS = 1,
    GLASM_COMPARE_FUNCTION_EQUAL = 2,
    GLASM_COMPARE_FUNCTION_LESS_EQUAL = 3,
    GLASM_COMPARE_FUNCTION_GREATER = 4,
    GLASM_COMPARE_FUNCTION_NOT_EQUAL = 5,
    GLASM_COMPARE_FUNCTION_GREATER_EQUAL = 6,
    GLASM_COMPARE_FUNCTION_ALWAYS = 7,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_compare_function glasm_compare_function;
#else
typedef uint32_t glasm_compare_function;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Components that the result of a depth comparison fills: GL's DEPTH_TEXTURE_MODE.
enum glasm_depth_mode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_DEPTH_MODE_LUMINANCE = 0,
    GLASM_DEPTH_MODE_INTENSITY = 1,
    GLASM_DEPTH_MODE_ALPHA = 2,
    GLASM_DEPTH_MODE_RED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_depth_mode glasm_depth_mode;
#else
typedef uint32_t glasm_depth_mode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// A face of two-sided lighting.
enum glasm_face
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_FACE_FRONT = 0,
    GLASM_FACE_BACK = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_face glasm_face;
#else
typedef uint32_t glasm_face;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Number of levels that a filter reads.
enum glasm_level_filter
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The base level, regardless of the level of detail.
    GLASM_LEVEL_FILTER_BASE = 0,
    GLASM_LEVEL_FILTER_NEAREST = 1,
    GLASM_LEVEL_FILTER_LINEAR = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_level_filter glasm_level_filter;
#else
typedef uint32_t glasm_level_filter;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Matrices of GL state.
enum glasm_matrix
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Modelview, by index: 0 is GL's own, the others are those of ARB_vertex_blend.
    GLASM_MATRIX_MODELVIEW = 0,
    GLASM_MATRIX_PROJECTION = 1,
    // Projection times modelview 0; cannot be set.
    GLASM_MATRIX_MVP = 2,
    // Texture, by coordinate set.
    GLASM_MATRIX_TEXTURE = 3,
    // Entry of the matrix palette (ARB_matrix_palette).
    GLASM_MATRIX_PALETTE = 4,
    // Program matrix, by number.
    GLASM_MATRIX_PROGRAM = 5,
    // Color matrix, which no state.* parameter reads but parameters can track.
    GLASM_MATRIX_COLOR = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_matrix glasm_matrix;
#else
typedef uint32_t glasm_matrix;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Transformation of a matrix before its rows are taken.
enum glasm_matrix_form
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_MATRIX_FORM_PLAIN = 0,
    GLASM_MATRIX_FORM_INVERSE = 1,
    GLASM_MATRIX_FORM_TRANSPOSE = 2,
    GLASM_MATRIX_FORM_INVERSE_TRANSPOSE = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_matrix_form glasm_matrix_form;
#else
typedef uint32_t glasm_matrix_form;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Results of minima, maxima and clamps of GLSL for NaN.
enum glasm_nan
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Results of the functions of the language.
    GLASM_NAN_OPEN = 0,
    // Results that programs require, by tests that make the source long.
    GLASM_NAN_EXACT = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_nan glasm_nan;
#else
typedef uint32_t glasm_nan;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The corner of a point whose coordinate is (0, 0).
enum glasm_point_origin
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_POINT_ORIGIN_UPPER_LEFT = 0,
    GLASM_POINT_ORIGIN_LOWER_LEFT = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_point_origin glasm_point_origin;
#else
typedef uint32_t glasm_point_origin;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Numbers of primitives that are drawn as several.
enum glasm_primitive_numbers
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Each has its own.
    GLASM_PRIMITIVE_NUMBERS_OWN = 0,
    // Two primitives share one: quadrilaterals.
    GLASM_PRIMITIVE_NUMBERS_HALVED = 1,
    // All have number 0: a polygon.
    GLASM_PRIMITIVE_NUMBERS_ZERO = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_primitive_numbers glasm_primitive_numbers;
#else
typedef uint32_t glasm_primitive_numbers;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Type that a program must have: GL's target of programs.
enum glasm_program_type
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Any type: the one that the header states.
    GLASM_PROGRAM_TYPE_ANY = 0,
    GLASM_PROGRAM_TYPE_VERTEX = 1,
    GLASM_PROGRAM_TYPE_TESS_CONTROL = 2,
    GLASM_PROGRAM_TYPE_TESS_EVAL = 3,
    GLASM_PROGRAM_TYPE_GEOMETRY = 4,
    GLASM_PROGRAM_TYPE_FRAGMENT = 5,
    GLASM_PROGRAM_TYPE_COMPUTE = 6,
    // A vertex state program (NV_vertex_program), which becomes a compute shader.
    GLASM_PROGRAM_TYPE_VERTEX_STATE = 7,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_program_type glasm_program_type;
#else
typedef uint32_t glasm_program_type;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Semantics of stage inputs and outputs. Those with an index say so.
enum glasm_semantic
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Vertex attribute by number.
    GLASM_SEMANTIC_ATTRIB = 0,
    // Clip-space position of a vertex; as fragment input the window position (x, y, z, 1/w).
    GLASM_SEMANTIC_POSITION = 1,
    GLASM_SEMANTIC_POINT_SIZE = 2,
    // Front-facing primary (0) or secondary (1) color.
    GLASM_SEMANTIC_COLOR = 3,
    // Back-facing primary (0) or secondary (1) color.
    GLASM_SEMANTIC_BACK_COLOR = 4,
    GLASM_SEMANTIC_FOG_COORD = 5,
    // Fog as a vector of four components.
    GLASM_SEMANTIC_FOG_VECTOR = 6,
    // Texture coordinate set by number.
    GLASM_SEMANTIC_TEX_COORD = 7,
    // Generic varying by number.
    GLASM_SEMANTIC_GENERIC = 8,
    // Clip distance by number.
    GLASM_SEMANTIC_CLIP_DISTANCE = 9,
    // Cull distance by number.
    GLASM_SEMANTIC_CULL_DISTANCE = 10,
    GLASM_SEMANTIC_LAYER = 11,
    GLASM_SEMANTIC_VIEWPORT_INDEX = 12,
    GLASM_SEMANTIC_VIEWPORT_MASK = 13,
    // Position in the second view.
    GLASM_SEMANTIC_SECONDARY_POSITION = 14,
    // Mask of viewports of the second view.
    GLASM_SEMANTIC_SECONDARY_VIEWPORT_MASK = 15,
    GLASM_SEMANTIC_PRIMITIVE_ID = 16,
    // Vertex number; includes the base vertex.
    GLASM_SEMANTIC_VERTEX_ID = 17,
    // Instance number, from 0 in every draw.
    GLASM_SEMANTIC_INSTANCE_ID = 18,
    GLASM_SEMANTIC_BASE_VERTEX = 19,
    GLASM_SEMANTIC_BASE_INSTANCE = 20,
    // Number of the draw in a multi-draw.
    GLASM_SEMANTIC_DRAW_ID = 21,
    // Number of the invocation of a geometry or tessellation control program.
    GLASM_SEMANTIC_INVOCATION_ID = 22,
    // Number of vertices of the input primitive or patch.
    GLASM_SEMANTIC_VERTEX_COUNT = 23,
    // Position in the subdivided patch.
    GLASM_SEMANTIC_TESS_COORD = 24,
    // Outer tessellation level by number.
    GLASM_SEMANTIC_TESS_OUTER = 25,
    // Inner tessellation level by number.
    GLASM_SEMANTIC_TESS_INNER = 26,
    // Generic varying of the patch by number.
    GLASM_SEMANTIC_PATCH_GENERIC = 27,
    // Facing: +1.0 front, -1.0 back.
    GLASM_SEMANTIC_FACING = 28,
    GLASM_SEMANTIC_POINT_COORD = 29,
    GLASM_SEMANTIC_SAMPLE_ID = 30,
    GLASM_SEMANTIC_SAMPLE_POSITION = 31,
    GLASM_SEMANTIC_SAMPLE_MASK = 32,
    // True if the primitive covers all of the fragment.
    GLASM_SEMANTIC_FULLY_COVERED = 33,
    GLASM_SEMANTIC_HELPER_INVOCATION = 34,
    // Fragment color of draw buffer `index`; `source` 1 is the second source of dual-source
    // blending.
    GLASM_SEMANTIC_FRAG_COLOR = 35,
    GLASM_SEMANTIC_FRAG_DEPTH = 36,
    GLASM_SEMANTIC_FRAG_STENCIL = 37,
    GLASM_SEMANTIC_WORKGROUP_ID = 38,
    GLASM_SEMANTIC_WORKGROUP_COUNT = 39,
    GLASM_SEMANTIC_WORKGROUP_SIZE = 40,
    GLASM_SEMANTIC_LOCAL_INVOCATION_ID = 41,
    GLASM_SEMANTIC_GLOBAL_INVOCATION_ID = 42,
    GLASM_SEMANTIC_LOCAL_INVOCATION_INDEX = 43,
    // Invocation number in the thread group.
    GLASM_SEMANTIC_THREAD_ID = 44,
    GLASM_SEMANTIC_THREAD_EQ_MASK = 45,
    GLASM_SEMANTIC_THREAD_LT_MASK = 46,
    GLASM_SEMANTIC_THREAD_LE_MASK = 47,
    GLASM_SEMANTIC_THREAD_GT_MASK = 48,
    GLASM_SEMANTIC_THREAD_GE_MASK = 49,
    GLASM_SEMANTIC_SUBGROUP_SIZE = 50,
    GLASM_SEMANTIC_SUBGROUP_INVOCATION = 51,
    GLASM_SEMANTIC_SUBGROUP_EQ_MASK = 52,
    GLASM_SEMANTIC_SUBGROUP_GE_MASK = 53,
    GLASM_SEMANTIC_SUBGROUP_GT_MASK = 54,
    GLASM_SEMANTIC_SUBGROUP_LE_MASK = 55,
    GLASM_SEMANTIC_SUBGROUP_LT_MASK = 56,
    // Number of the thread group.
    GLASM_SEMANTIC_WARP_ID = 57,
    // Number of the processor.
    GLASM_SEMANTIC_SM_ID = 58,
    // A color by index as a separate output, which is not interpolated; see
    // glasm_options.flat_colors_form.
    GLASM_SEMANTIC_FLAT_COLOR = 59,
    // A back color by index as a separate output, which is not interpolated.
    GLASM_SEMANTIC_FLAT_BACK_COLOR = 60,
    // Start of the line of a fragment, in pixels.
    GLASM_SEMANTIC_LINE_START = 61,
    // Vertex that user clip planes clip by.
    GLASM_SEMANTIC_CLIP_VERTEX = 62,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_semantic glasm_semantic;
#else
typedef uint32_t glasm_semantic;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Source of a state that shaders depend on.
enum glasm_state_form
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // From the options: another value is another module.
    GLASM_STATE_FORM_FIXED = 0,
    // From specialization constants: another value is another pipeline.
    GLASM_STATE_FORM_SPECIALIZED = 1,
    // From a uniform buffer.
    GLASM_STATE_FORM_UNIFORM = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_state_form glasm_state_form;
#else
typedef uint32_t glasm_state_form;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// State of GL that a parameter reads. The comment of each lists the members of
// glasm_state_parameter that are used.
enum glasm_state_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // A row of a matrix: `matrix`, `index` (its number), `form`, `row`.
    GLASM_STATE_KIND_MATRIX_ROW = 0,
    // Color of a material: `face`, `term`.
    GLASM_STATE_KIND_MATERIAL = 1,
    // (shininess, 0, 0, 1) of a material: `face`.
    GLASM_STATE_KIND_MATERIAL_SHININESS = 2,
    // Color of a light: `index`, `term`.
    GLASM_STATE_KIND_LIGHT = 3,
    // Position of a light: `index`.
    GLASM_STATE_KIND_LIGHT_POSITION = 4,
    // (constant, linear, quadratic attenuation, spot exponent) of a light: `index`.
    GLASM_STATE_KIND_LIGHT_ATTENUATION = 5,
    // (spot direction, cosine of the spot cutoff) of a light: `index`.
    GLASM_STATE_KIND_LIGHT_SPOT_DIRECTION = 6,
    // Half vector of a light: `index`.
    GLASM_STATE_KIND_LIGHT_HALF = 7,
    // Ambient color of the light model.
    GLASM_STATE_KIND_LIGHT_MODEL_AMBIENT = 8,
    // Scene color: `face`.
    GLASM_STATE_KIND_LIGHT_MODEL_SCENE_COLOR = 9,
    // Product of light and material color: `index`, `face`, `term`.
    GLASM_STATE_KIND_LIGHT_PRODUCT = 10,
    // Plane of texture coordinate generation: `index` (coordinate set), `plane`, `coord`.
    GLASM_STATE_KIND_TEXGEN = 11,
    // Texture environment color: `index`.
    GLASM_STATE_KIND_TEXENV_COLOR = 12,
    // Fog color.
    GLASM_STATE_KIND_FOG_COLOR = 13,
    // (density, start, end, 1 / (end - start))
    GLASM_STATE_KIND_FOG_PARAMS = 14,
    // Clip plane in eye space: `index`.
    GLASM_STATE_KIND_CLIP_PLANE = 15,
    // (size, min, max, fade threshold)
    GLASM_STATE_KIND_POINT_SIZE = 16,
    // (constant, linear, quadratic attenuation, 1)
    GLASM_STATE_KIND_POINT_ATTENUATION = 17,
    // (near, far, far - near, 1)
    GLASM_STATE_KIND_DEPTH_RANGE = 18,
    // (x, y, width, height)
    GLASM_STATE_KIND_VIEWPORT = 19,
    // (least, largest, 0, 1) depth of fragments that replace it.
    GLASM_STATE_KIND_DEPTH_BOUNDS = 20,
    // (scale, offset, 0, 1) that convert y of the window position to a distance from the top.
    GLASM_STATE_KIND_WINDOW_ORIGIN = 21,
    // (scale, offset, 0, 1) that convert y of the window position to a distance from the bottom.
    GLASM_STATE_KIND_WINDOW_ORIGIN_LOWER = 22,
    // Property of thread groups, an integer in the first component: `property`.
    GLASM_STATE_KIND_THREAD = 23,
    // (factor, 0, 0, 1): GL's normal rescaling.
    GLASM_STATE_KIND_NORMAL_SCALE = 24,
    // Number of samples, an integer in the first component.
    GLASM_STATE_KIND_SAMPLES = 25,
    // (x, y, 0, 1) of a sample: `index`.
    GLASM_STATE_KIND_SAMPLE_POSITION = 26,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_state_kind glasm_state_kind;
#else
typedef uint32_t glasm_state_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Values that glasm_state_set sets: the number of floats, the role of `index` if it is used, and
// GL's command.
enum glasm_state_value
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // 4 floats; `index`: light (glLight, GL_AMBIENT).
    GLASM_STATE_VALUE_LIGHT_AMBIENT = 0,
    // 4 floats; `index`: light (glLight, GL_DIFFUSE).
    GLASM_STATE_VALUE_LIGHT_DIFFUSE = 1,
    // 4 floats; `index`: light (glLight, GL_SPECULAR).
    GLASM_STATE_VALUE_LIGHT_SPECULAR = 2,
    // 4 floats; `index`: light (glLight, GL_POSITION). Transformed by modelview matrix 0 of that
    // moment.
    GLASM_STATE_VALUE_LIGHT_POSITION = 3,
    // 3 floats: constant, linear, quadratic; `index`: light (glLight, GL_CONSTANT_ATTENUATION and
    // so on).
    GLASM_STATE_VALUE_LIGHT_ATTENUATION = 4,
    // 3 floats; `index`: light (glLight, GL_SPOT_DIRECTION). Turned by modelview matrix 0 of that
    // moment.
    GLASM_STATE_VALUE_LIGHT_SPOT_DIRECTION = 5,
    // 1 float; `index`: light (glLight, GL_SPOT_EXPONENT).
    GLASM_STATE_VALUE_LIGHT_SPOT_EXPONENT = 6,
    // 1 float; `index`: light (glLight, GL_SPOT_CUTOFF).
    GLASM_STATE_VALUE_LIGHT_SPOT_CUTOFF = 7,
    // 4 floats; `index`: a glasm_face (glMaterial, GL_AMBIENT).
    GLASM_STATE_VALUE_MATERIAL_AMBIENT = 8,
    // 4 floats; `index`: a glasm_face (glMaterial, GL_DIFFUSE).
    GLASM_STATE_VALUE_MATERIAL_DIFFUSE = 9,
    // 4 floats; `index`: a glasm_face (glMaterial, GL_SPECULAR).
    GLASM_STATE_VALUE_MATERIAL_SPECULAR = 10,
    // 4 floats; `index`: a glasm_face (glMaterial, GL_EMISSION).
    GLASM_STATE_VALUE_MATERIAL_EMISSION = 11,
    // 1 float; `index`: a glasm_face (glMaterial, GL_SHININESS).
    GLASM_STATE_VALUE_MATERIAL_SHININESS = 12,
    // 4 floats (glLightModel, GL_LIGHT_MODEL_AMBIENT).
    GLASM_STATE_VALUE_LIGHT_MODEL_AMBIENT = 13,
    // 4 floats; `index`: 4 * coordinate set + glasm_texgen_coord (glTexGen, GL_EYE_PLANE).
    // Transformed by modelview matrix 0 of that moment.
    GLASM_STATE_VALUE_TEXGEN_EYE_PLANE = 14,
    // 4 floats; `index`: 4 * coordinate set + glasm_texgen_coord (glTexGen, GL_OBJECT_PLANE).
    GLASM_STATE_VALUE_TEXGEN_OBJECT_PLANE = 15,
    // 4 floats; `index`: texture unit (glTexEnv, GL_TEXTURE_ENV_COLOR).
    GLASM_STATE_VALUE_TEXENV_COLOR = 16,
    // 4 floats (glFog, GL_FOG_COLOR).
    GLASM_STATE_VALUE_FOG_COLOR = 17,
    // 1 float (glFog, GL_FOG_DENSITY).
    GLASM_STATE_VALUE_FOG_DENSITY = 18,
    // 1 float (glFog, GL_FOG_START).
    GLASM_STATE_VALUE_FOG_START = 19,
    // 1 float (glFog, GL_FOG_END).
    GLASM_STATE_VALUE_FOG_END = 20,
    // 4 floats; `index`: plane (glClipPlane). Transformed by modelview matrix 0 of that moment.
    GLASM_STATE_VALUE_CLIP_PLANE = 21,
    // 1 float (glPointSize).
    GLASM_STATE_VALUE_POINT_SIZE = 22,
    // 1 float (glPointParameter, GL_POINT_SIZE_MIN).
    GLASM_STATE_VALUE_POINT_SIZE_MIN = 23,
    // 1 float (glPointParameter, GL_POINT_SIZE_MAX).
    GLASM_STATE_VALUE_POINT_SIZE_MAX = 24,
    // 1 float (glPointParameter, GL_POINT_FADE_THRESHOLD_SIZE).
    GLASM_STATE_VALUE_POINT_FADE_THRESHOLD = 25,
    // 3 floats: constant, linear, quadratic (glPointParameter, GL_POINT_DISTANCE_ATTENUATION).
    GLASM_STATE_VALUE_POINT_ATTENUATION = 26,
    // 2 floats: near, far (glDepthRange).
    GLASM_STATE_VALUE_DEPTH_RANGE = 27,
    // 1 float: 0 is off (glEnable, GL_DEPTH_CLAMP).
    GLASM_STATE_VALUE_DEPTH_CLAMP = 28,
    // 4 floats: x, y, width, height (glViewport).
    GLASM_STATE_VALUE_VIEWPORT = 29,
    // 1 float: height of the window if row 0 of the image that is drawn to is the lowest one;
    // below 0: it is the top one.
    GLASM_STATE_VALUE_LOWER_LEFT_HEIGHT = 30,
    // 1 float: height of the window.
    GLASM_STATE_VALUE_WINDOW_HEIGHT = 31,
    // 1 float: invocations of a thread group, at most 32.
    GLASM_STATE_VALUE_WARP_SIZE = 32,
    // 1 float: thread groups that a processor runs at a time.
    GLASM_STATE_VALUE_WARPS_PER_SM = 33,
    // 1 float: number of processors.
    GLASM_STATE_VALUE_SM_COUNT = 34,
    // 1 float: samples of the framebuffer, at the standard sample locations of Vulkan.
    GLASM_STATE_VALUE_SAMPLES = 35,
    // 2 floats: x and y from 0 to 1; `index`: sample.
    GLASM_STATE_VALUE_SAMPLE_POSITION = 36,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_state_value glasm_state_value;
#else
typedef uint32_t glasm_state_value;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Target environments: OpenGL, or a version of Vulkan, with a version of SPIR-V.
enum glasm_target
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Vulkan 1.1, SPIR-V 1.3.
    GLASM_TARGET_VULKAN1_1 = 0,
    // Vulkan 1.2, SPIR-V 1.5.
    GLASM_TARGET_VULKAN1_2 = 1,
    // Vulkan 1.3, SPIR-V 1.6.
    GLASM_TARGET_VULKAN1_3 = 2,
    // OpenGL with GL_ARB_gl_spirv, which is core in 4.6: SPIR-V 1.0. See
    // `glasm_options_use_opengl_environment`.
    GLASM_TARGET_OPEN_GL4_5 = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_target glasm_target;
#else
typedef uint32_t glasm_target;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Number of texels of a level that a filter reads.
enum glasm_texel_filter
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_TEXEL_FILTER_NEAREST = 0,
    GLASM_TEXEL_FILTER_LINEAR = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_texel_filter glasm_texel_filter;
#else
typedef uint32_t glasm_texel_filter;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// A coordinate of texture coordinate generation.
enum glasm_texgen_coord
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_TEXGEN_COORD_S = 0,
    GLASM_TEXGEN_COORD_T = 1,
    GLASM_TEXGEN_COORD_R = 2,
    GLASM_TEXGEN_COORD_Q = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_texgen_coord glasm_texgen_coord;
#else
typedef uint32_t glasm_texgen_coord;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// A plane of texture coordinate generation.
enum glasm_texgen_plane
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_TEXGEN_PLANE_EYE = 0,
    GLASM_TEXGEN_PLANE_OBJECT = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_texgen_plane glasm_texgen_plane;
#else
typedef uint32_t glasm_texgen_plane;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Rules for clip space that a program follows. Where the language has others, positions are
// converted.
enum glasm_text_conventions
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The conventions of the language, so that positions pass unchanged.
    GLASM_TEXT_CONVENTIONS_OWN = 0,
    // OpenGL's: depth from -w to w, y up.
    GLASM_TEXT_CONVENTIONS_OPEN_GL = 1,
    // Vulkan's: depth from 0 to w, y down.
    GLASM_TEXT_CONVENTIONS_VULKAN = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_text_conventions glasm_text_conventions;
#else
typedef uint32_t glasm_text_conventions;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// A property of the device's thread groups.
enum glasm_thread_property
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Invocations of a thread group, at most 32.
    GLASM_THREAD_PROPERTY_WARP_SIZE = 0,
    // Thread groups that a processor runs at a time.
    GLASM_THREAD_PROPERTY_WARPS_PER_SM = 1,
    // Number of processors.
    GLASM_THREAD_PROPERTY_SM_COUNT = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_thread_property glasm_thread_property;
#else
typedef uint32_t glasm_thread_property;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Assignment of locations to varyings.
enum glasm_varyings_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // They are in the fixed table; `glasm_varying_location` reads it.
    GLASM_VARYINGS_KIND_TABLE = 0,
    // Locations are those of the fixed table, and outputs are (0, 0, 0, 1) at each location of
    // `locations` that the program does not write: any program may follow that reads no others, as
    // GL binds any vertex program with any fragment program. In Vulkan an input without an output
    // is an error, also between pipeline libraries and shader objects. For inputs the same as
    // GLASM_VARYINGS_KIND_TABLE.
    GLASM_VARYINGS_KIND_COMPLETE = 1,
    // Each is at its index in the list, of which only the semantics are used. Varyings that are
    // not in the list are dropped: outputs are not stored, inputs are (0, 0, 0, 1).
    GLASM_VARYINGS_KIND_PACKED = 2,
    // Locations are those of the other stage, which is a module of another compiler. Varyings that
    // are not in the list are dropped.
    GLASM_VARYINGS_KIND_PLACED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_varyings_kind glasm_varyings_kind;
#else
typedef uint32_t glasm_varyings_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// GL's wrap modes that programs apply because the samplers of Vulkan cannot.
enum glasm_wrap_mode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The sampler wraps the coordinate.
    GLASM_WRAP_MODE_SAMPLER = 0,
    // CLAMP; the sampler must clamp to the border.
    GLASM_WRAP_MODE_CLAMP = 1,
    // MIRROR_CLAMP_EXT; the sampler must clamp to the border.
    GLASM_WRAP_MODE_MIRROR_CLAMP = 2,
    // MIRROR_CLAMP_TO_BORDER_EXT; the sampler must clamp to the border.
    GLASM_WRAP_MODE_MIRROR_CLAMP_TO_BORDER = 3,
    // MIRROR_CLAMP_TO_EDGE_EXT, for devices without samplerMirrorClampToEdge; the sampler must
    // clamp to the edge.
    GLASM_WRAP_MODE_MIRROR_CLAMP_TO_EDGE = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_wrap_mode glasm_wrap_mode;
#else
typedef uint32_t glasm_wrap_mode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Memory that programs which are loaded, compiled or linked one after the other share. Functions
// that take one accept NULL, too: then they allocate memory from the system, for every program.
//
// Threads may share a compiler; they wait for each other. One for each thread is faster.
typedef struct glasm_compiler glasm_compiler;

// All messages about one program, in the order of its text. Threads may share them.
typedef struct glasm_diagnostics glasm_diagnostics;

// Result of linking the programs of a pipeline. Threads may share it.
typedef struct glasm_pipeline glasm_pipeline;

// A loaded program: parsed, checked and translated. It owns all data that it needs; its source may
// be freed. Threads may share it.
typedef struct glasm_program glasm_program;

// The descriptor set layouts of a pipeline. Threads may share them.
typedef struct glasm_set_layouts glasm_set_layouts;

// A compiled program: a SPIR-V module and its reflection. Threads may share it.
typedef struct glasm_shader glasm_shader;

// The GL state that programs read, at first GL's initial state. One thread at a time may use it.
typedef struct glasm_state glasm_state;

// A program as text. Threads may share it.
typedef struct glasm_text glasm_text;

// A boolean: 0 is false, any other number true.
typedef uint32_t glasm_bool;

// A program string, and the type that it must have. `glasm_source_init` fills it with the initial
// values.
//
// All that it points to belongs to the caller and is read only during the call that gets it.
typedef struct glasm_source {
    // Size of the structure in bytes, as the caller knows it.
    size_t size;
    // Name for messages, usually a path; NULL: "program".
    const char *name;
    // The program string: any bytes, with no need for a terminating NUL.
    const void *text;
    // Number of its bytes, below 4 GiB.
    size_t text_length;
    // The bytes of the source that are the program: all of them if the length is 0. Positions in
    // messages are those of the entire source.
    uint32_t part_start;
    // See `part_start`.
    uint32_t part_length;
    // The header of the language, such as "!!ARBvp1.0" or "FRAG"; NULL: it is read from the
    // source.
    const char *dialect;
    // Type that the program must have: a glasm_program_type.
    uint32_t program_type;
    // True if a broken rule is an error even if shipped programs break it.
    glasm_bool strict;
    // Number of instructions that a program with free branches may run before its loops end;
    // GLASM_NO_STEP_LIMIT: any number.
    uint32_t step_limit;
    // TGSI: the program is read according to the document of 2010 where it differs from the
    // current one.
    glasm_bool tgsi_old;
    // TGSI: the source is what a guest with virgl sends, and is read as virglrenderer does.
    glasm_bool tgsi_virgl;
    // TGSI: bytes of MEMORY that is SHARED.
    uint32_t tgsi_shared_memory;
    // TGSI: bytes of MEMORY that is PRIVATE.
    uint32_t tgsi_private_memory;
    // TGSI: threads of a block in each dimension that the program leaves open.
    uint32_t tgsi_block_size[3];
    // TGSI: dimensions of the grid (WORK_DIM).
    uint32_t tgsi_work_dim;
    // TGSI: CS_USER_DATA_AMD.
    uint32_t tgsi_user_data[4];
    // TGSI: TESS_DEFAULT_OUTER_LEVEL, then TESS_DEFAULT_INNER_LEVEL.
    float tgsi_default_levels[6];
    // TGSI: color 1 of fragment programs is the second source of the blending of attachment 0.
    glasm_bool tgsi_dual_source;
    // TGSI: user clip planes whose distances are computed from CLIPVERTEX, bit n for plane n.
    uint32_t tgsi_clip_planes;
    // TGSI: the number of the BGNSUB with which a compute program begins that consists of
    // subroutines.
    uint32_t tgsi_entry;
} glasm_source;

// One of the programs of a text.
typedef struct glasm_part {
    // Its first byte in the text: for `part_start` of a source. The first program begins where the
    // text does.
    uint32_t start;
    // Number of its bytes, up to the header of the next program: for `part_length` of a source.
    uint32_t length;
    // Offset in bytes of its header in the source; `start` if there is none.
    uint32_t header;
    // The header of its language, such as "!!ARBvp1.0", which belongs to the library and is valid
    // for ever; NULL if it has none that is known.
    const char *dialect;
} glasm_part;

// One message.
//
// All that it points to belongs to the diagnostics and is valid until these are freed. Strings are
// UTF-8.
typedef struct glasm_diagnostic {
    // Size of the structure in bytes, as the caller knows it.
    size_t size;
    // Its severity.
    glasm_severity severity;
    // True if it is about some bytes of the source. Else it is about the whole program, and the
    // next four members are 0.
    glasm_bool has_place;
    // Its first byte in the text.
    uint32_t start;
    // Offset of the byte after its last one.
    uint32_t end;
    // Line of the first byte, from 1.
    uint32_t line;
    // Column of the first byte in characters, from 1.
    uint32_t column;
    // Its code, such as "E0511".
    const char *code;
    // Subject of all messages of this code.
    const char *title;
    // Description of the error, one line.
    const char *message;
    // The message with the line of the program, a caret, and hints, for users.
    const char *rendered;
    // The missing feature of the device, if that is the cause; else NULL.
    const char *feature;
    // Hints, one line each.
    const char *const *notes;
    // Number of them.
    size_t note_count;
} glasm_diagnostic;

// The semantic of a stage input or output.
typedef struct glasm_meaning {
    // A glasm_semantic.
    uint32_t semantic;
    // Its index, for semantics that have one; else 0.
    uint32_t index;
    // Blend source of fragment colors; else 0.
    uint32_t source;
} glasm_meaning;

// Wrap modes of a texture image unit that programs apply, with the filters of its sampler that
// they depend on.
typedef struct glasm_texture_wrap {
    // Modes of s, t and r: glasm_wrap_mode.
    uint32_t modes[3];
    // Filter where texels cover more than a pixel: a glasm_texel_filter.
    uint32_t magnify;
    // Filter where they cover less: a glasm_texel_filter.
    uint32_t minify;
    // Filter between levels: a glasm_level_filter.
    uint32_t levels;
} glasm_texture_wrap;

// Components of a result that transform feedback captures for every vertex.
typedef struct glasm_capture {
    // The result.
    struct glasm_meaning result;
    // First component.
    uint32_t first;
    // Number of components.
    uint32_t count;
    // Number of the buffer.
    uint32_t buffer;
    // Bytes from the start of the vertex in the buffer.
    uint32_t offset;
    // Vertex stream.
    uint32_t stream;
} glasm_capture;

// Location of a varying, and its semantic there.
typedef struct glasm_place {
    // Its semantic in the program.
    struct glasm_meaning meaning;
    // Its location.
    uint32_t location;
    // Its first component there, below 4.
    uint32_t component;
    // Its type: a glasm_type_base.
    uint32_t base;
    // Number of components, 1 to 4.
    uint32_t components;
} glasm_place;

// Locations of the varyings between two stages.
typedef struct glasm_varyings {
    // A glasm_varyings_kind, which selects the other members that are used.
    uint32_t kind;
    // Bit n: location n, for GLASM_VARYINGS_KIND_COMPLETE; see GLASM_LOCATIONS_CONVENTIONAL.
    uint32_t locations;
    // Varyings, for GLASM_VARYINGS_KIND_PACKED and GLASM_VARYINGS_KIND_PLACED.
    const struct glasm_place *places;
    // Number of them.
    size_t place_count;
} glasm_varyings;

// Sources of each state in shaders: each is a glasm_state_form. Stages that are compiled
// separately must agree about them.
typedef struct glasm_state_forms {
    // `two_sided_color`.
    uint32_t two_sided_color;
    // `flat_colors`. The last stage before rasterization then writes each color twice: up to four
    // locations more.
    uint32_t flat_colors;
    // `clamp_vertex_colors`.
    uint32_t clamp_vertex_colors;
    // `clamp_fragment_colors`.
    uint32_t clamp_fragment_colors;
    // `point_sprites`, for which the options have the sprites that may be on, and `point_origin`.
    uint32_t point_sprites;
    // `point_size` and `unwritten_point_size`.
    uint32_t point_size;
    // `clip_planes`, for which the options have the planes that may be on.
    uint32_t clip_planes;
    // `alpha_function` and `alpha_reference`.
    uint32_t alpha_test;
    // `line_stipple_pattern` and the other members of the line stipple. The last stage before
    // rasterization then has one location more.
    uint32_t line_stipple;
    // `polygon_stipple`.
    uint32_t polygon_stipple;
    // `depth_modes`.
    uint32_t depth_modes;
    // `texture_wraps`.
    uint32_t texture_wraps;
} glasm_state_forms;

// Options of code generation. `glasm_options_init` fills them with their initial values.
//
// Lists go by texture image unit, image unit, attribute or color attachment, from 0 on; entries
// past their end have their default. All that the structure points to belongs to the caller and is
// read only during the call that gets it.
typedef struct glasm_options {
    // Size of the structure in bytes, as the caller knows it.
    size_t size;
    // Target environment: a glasm_target.
    uint32_t target;
    // Set of the parameter block.
    uint32_t param_set;
    // Binding of the parameter block, or GLASM_BINDING_OF_STAGE.
    uint32_t param_binding;
    // Set of combined image samplers; the binding is the texture image unit.
    uint32_t texture_set;
    // Set of program parameter buffers; the binding is first_buffer_binding + buffers_per_stage *
    // stage + index.
    uint32_t buffer_set;
    // Set of images, storage buffers and atomic counters.
    uint32_t storage_set;
    // Set of the arrays that handles index.
    uint32_t handle_set;
    // Added to the bindings of the arrays that handles index.
    uint32_t first_handle_binding;
    // Elements of arrays of textures that handles index, at least 1.
    uint32_t handle_textures;
    // Elements of arrays of images that handles index, at least 1.
    uint32_t handle_images;
    // Features that the device has, by their names in Vulkan ("shaderInt64"): the device does not
    // have features that are not in the list. NULL: it has the features of nearly all devices. For
    // OpenGL these are names of its extensions ("GL_ARB_gpu_shader_int64") and of those that it
    // accepts in SPIR-V (GL_SPIR_V_EXTENSIONS); NULL: all of them. Names on which no module
    // depends are ignored.
    const char *const *features;
    // Number of them; with 0 and a pointer other than NULL the device has none.
    size_t feature_count;
    // Features that the device does not have although the list before has them or is NULL. In
    // addition to names of Vulkan there are "subgroups" and "signedAtomics".
    const char *const *lacking_features;
    // Number of them.
    size_t lacking_feature_count;
    // Invocations of a subgroup (subgroupSize).
    uint32_t subgroup_size;
    // Bit n: stage n, a glasm_stage, has subgroup operations.
    uint32_t subgroup_stages;
    // GLASM_SUBGROUP_VOTE and so on.
    uint32_t subgroup_operations;
    // maxGeometryTotalOutputComponents of the device.
    uint32_t geometry_components;
    // Depth range of clip space: a glasm_clip_depth.
    uint32_t clip_depth;
    // True if derivatives in y are negated: for callers that draw with a flipped viewport.
    glasm_bool negate_ddy;
    // True if point coordinates count t from the other end: for callers whose row 0 is the bottom.
    glasm_bool flip_point_coord;
    // True if the environment counts instances from 0 in every draw. Vulkan does not.
    glasm_bool instances_from_zero;
    // Fragments of back faces read the back colors (VERTEX_PROGRAM_TWO_SIDE).
    glasm_bool two_sided_color;
    // Colors are not interpolated (SHADE_MODEL is FLAT).
    glasm_bool flat_colors;
    // Colors that the last stage before rasterization writes are clamped (CLAMP_VERTEX_COLOR).
    glasm_bool clamp_vertex_colors;
    // Colors of fragments are clamped regardless of the format of the attachment
    // (CLAMP_FRAGMENT_COLOR).
    glasm_bool clamp_fragment_colors;
    // The framebuffer has no layers.
    glasm_bool single_layer;
    // Bit n: the point coordinate replaces texture coordinate set n (COORD_REPLACE).
    uint32_t point_sprites;
    // Origin of the coordinates of points (POINT_SPRITE_COORD_ORIGIN): a glasm_point_origin.
    uint32_t point_origin;
    // True if all points have the size `point_size`, regardless of the results of programs
    // (VERTEX_PROGRAM_POINT_SIZE is off).
    glasm_bool has_point_size;
    // See `has_point_size`.
    float point_size;
    // True if points have the size `unwritten_point_size` where the program writes none.
    glasm_bool has_unwritten_point_size;
    // See `has_unwritten_point_size`.
    float unwritten_point_size;
    // Bit n: clip plane n is enabled (CLIP_PLANEn).
    uint32_t clip_planes;
    // Vertices of the patches that geometry programs get (PATCH_VERTICES).
    uint32_t patch_vertices;
    // True if `vertex_limit` replaces a geometry program's VERTICES_OUT.
    glasm_bool has_vertex_limit;
    // See `has_vertex_limit`.
    uint32_t vertex_limit;
    // Counting of primitives where GL draws primitives that Vulkan does not have: a
    // glasm_primitive_numbers.
    uint32_t primitive_numbers;
    // Outer levels of patches without control program (PATCH_DEFAULT_OUTER_LEVEL).
    float patch_outer_levels[4];
    // Inner levels of patches without control program (PATCH_DEFAULT_INNER_LEVEL).
    float patch_inner_levels[2];
    // Bit n: color attachment n is drawn to (DrawBuffers); 0: attachment 0 alone.
    uint32_t draw_buffers;
    // OpName for every name of the program.
    glasm_bool debug_names;
    // OpLine for every instruction.
    glasm_bool debug_lines;
    // Types of vertex attributes by location: glasm_type_base.
    const uint32_t *attribute_types;
    // Number of them.
    size_t attribute_type_count;
    // Types of color attachments: glasm_type_base.
    const uint32_t *color_types;
    // Number of them.
    size_t color_type_count;
    // Depth modes of textures that are compared: glasm_depth_mode.
    const uint32_t *depth_modes;
    // Number of them.
    size_t depth_mode_count;
    // True if textures are signed HILO.
    const glasm_bool *signed_hilo;
    // Number of them.
    size_t signed_hilo_count;
    // Formats of the images that will be bound, as numbers of SPIR-V's ImageFormat; 0: any.
    const uint32_t *image_formats;
    // Number of them.
    size_t image_format_count;
    // Wrap modes that programs apply themselves.
    const struct glasm_texture_wrap *texture_wraps;
    // Number of them.
    size_t texture_wrap_count;
    // Biases of samplers, in levels of detail.
    const float *lod_biases;
    // Number of them.
    size_t lod_bias_count;
    // Outputs of the last stage before rasterization that transform feedback captures.
    const struct glasm_capture *captures;
    // Number of them.
    size_t capture_count;
    // Bytes from a vertex to the next, by transform feedback buffer; 0: to the end of the last
    // capture.
    const uint32_t *capture_strides;
    // Number of them.
    size_t capture_stride_count;
    // Zero times anything is zero, as on old GPUs.
    glasm_bool legacy_multiply;
    // Results of half precision and of fixed point are not rounded.
    glasm_bool fast_precision;
    // Denormals of programs that have none are flushed by code if the device cannot be set to
    // flush them.
    glasm_bool exact_denormals;
    // Locations of the varyings that the preceding stage writes. `glasm_link` uses it for the
    // first stage.
    struct glasm_varyings input_varyings;
    // Locations of the varyings that the following stage reads. `glasm_link` uses it for the last
    // stage.
    struct glasm_varyings output_varyings;
    // Test of the alpha of fragments (ALPHA_TEST, glAlphaFunc): a glasm_compare_function,
    // GLASM_COMPARE_FUNCTION_ALWAYS for no test.
    uint32_t alpha_function;
    // Value that alpha is compared with.
    float alpha_reference;
    // True if lines are stippled (LINE_STIPPLE, glLineStipple): pipelines draw LINES, and their
    // provoking vertex is the first.
    glasm_bool has_line_stipple;
    // Number of pixels that each bit covers: 1 to 256.
    uint32_t line_stipple_factor;
    // The pattern: 16 bits.
    uint32_t line_stipple_pattern;
    // x, y, width and height of the viewport, as VkViewport has them.
    float line_stipple_viewport[4];
    // Rows of the stipple of polygons (POLYGON_STIPPLE), the lowest first, 32 of them; bit 31 is
    // the first pixel. NULL: no stipple.
    const uint32_t *polygon_stipple;
    // 0 if row 0 of the framebuffer is GL's bottom row; else the height of the window.
    uint32_t polygon_stipple_height;
    // Source of each state in shaders.
    struct glasm_state_forms forms;
    // Descriptor set of the uniform buffer of state.
    uint32_t state_set;
    // Its binding, which all stages share.
    uint32_t state_binding;
    // Number of the specialization constant that is the first word of the state.
    uint32_t first_state_constant;
    // Added to the number of a stage that is the binding of its parameter block.
    uint32_t first_param_binding;
    // Added to the bindings of program parameter buffers.
    uint32_t first_buffer_binding;
    // Bindings of program parameter buffers that each stage has.
    uint32_t buffers_per_stage;
    // Added to the numbers of storage buffers.
    uint32_t first_storage_binding;
    // Binding of atomic counter buffer 0.
    uint32_t first_counter_binding;
    // Binding of image unit 0. For OpenGL the binding of the first image that a shader has; the
    // others follow, as listed in the reflection.
    uint32_t first_image_binding;
    // Binding of the lock of images.
    uint32_t image_lock_binding;
    // For OpenGL its version as GLSL writes it: 450 for 4.5.
    uint32_t opengl_version;
    // A geometry program for triangles gets quadrilaterals: the caller draws lines with adjacency
    // instead of QUADS, and the module runs twice for each.
    glasm_bool quadrilaterals;
} glasm_options;

// An input of a program from the preceding stage, the vertex or the system. Its location in
// modules is in the reflection of a shader.
typedef struct glasm_program_input {
    // Its semantic.
    struct glasm_meaning meaning;
    // Type as the program declares it.
    glasm_type_base base;
    // Bits of a component: 64 for vertex attributes of such components, else 32.
    uint32_t bits;
    // Interpolation of a fragment input.
    glasm_interpolation interpolation;
    // Sampling of a fragment input.
    glasm_sampling sampling;
    // True if there is one for each vertex of the input primitive or patch.
    glasm_bool per_vertex;
} glasm_program_input;

// An output of a program for the following stage.
typedef struct glasm_program_output {
    // Its semantic.
    struct glasm_meaning meaning;
    // Type as the program declares it.
    glasm_type_base base;
    // True if the position must be the same, to the bit, as that of other invariant programs.
    glasm_bool invariant;
    // Components that each vertex of a geometry program copies from the input of the same
    // semantic: bit n for component n.
    uint32_t passthrough;
} glasm_program_output;

// An output register of a TGSI program.
typedef struct glasm_tgsi_output {
    // Its number.
    uint32_t number;
    // Its semantic.
    struct glasm_meaning meaning;
} glasm_tgsi_output;

// Resources of a program that GL limits. No instructions are added when it is compiled, so these
// are the native counts, too (PROGRAM_NATIVE_INSTRUCTIONS_ARB and so on). All counts of TGSI
// programs are 0.
typedef struct glasm_counts {
    // Size of the structure in bytes, as the caller knows it.
    size_t size;
    // PROGRAM_INSTRUCTIONS_ARB
    uint32_t instructions;
    // PROGRAM_ALU_INSTRUCTIONS_ARB
    uint32_t alu_instructions;
    // PROGRAM_TEX_INSTRUCTIONS_ARB: texture accesses, and KIL.
    uint32_t texture_instructions;
    // PROGRAM_TEX_INDIRECTIONS_ARB: nodes of the longest chain of dependent texture accesses as
    // the text has them, 1 at least.
    uint32_t texture_indirections;
    // PROGRAM_TEMPORARIES_ARB, elements of arrays each.
    uint32_t temporaries;
    // PROGRAM_PARAMETERS_ARB: different parameters, state vectors and constant vectors.
    uint32_t parameters;
    // PROGRAM_ATTRIBS_ARB: different attributes; in vertex programs those that have a slot, unlike
    // vertex.id and other system values.
    uint32_t attribs;
    // PROGRAM_ADDRESS_REGISTERS_ARB
    uint32_t address_registers;
    // PROGRAM_ATTRIB_COMPONENTS_NV: components of attributes that swizzles of operands read.
    uint32_t attrib_components;
    // PROGRAM_RESULT_COMPONENTS_NV: components of results that write masks of instructions enable.
    uint32_t result_components;
} glasm_counts;

// Limits on programs in a GL that the caller implements. `glasm_limits_init` fills it with
// 0xffffffff everywhere: no limits except those of the library.
typedef struct glasm_limits {
    // Size of the structure in bytes, as the caller knows it.
    size_t size;
    // MAX_PROGRAM_INSTRUCTIONS_ARB
    uint32_t instructions;
    // MAX_PROGRAM_ALU_INSTRUCTIONS_ARB
    uint32_t alu_instructions;
    // MAX_PROGRAM_TEX_INSTRUCTIONS_ARB
    uint32_t texture_instructions;
    // MAX_PROGRAM_TEX_INDIRECTIONS_ARB
    uint32_t texture_indirections;
    // MAX_PROGRAM_TEMPORARIES_ARB; TEMP[n] of TGSI programs
    uint32_t temporaries;
    // MAX_PROGRAM_PARAMETERS_ARB; CONST[n] of TGSI programs
    uint32_t parameters;
    // MAX_PROGRAM_ATTRIBS_ARB; IN[n] of TGSI programs
    uint32_t attribs;
    // MAX_PROGRAM_ADDRESS_REGISTERS_ARB; ADDR[n] of TGSI programs
    uint32_t address_registers;
    // MAX_PROGRAM_ATTRIB_COMPONENTS_NV
    uint32_t attrib_components;
    // MAX_PROGRAM_RESULT_COMPONENTS_NV
    uint32_t result_components;
    // MAX_PROGRAM_ENV_PARAMETERS_ARB
    uint32_t env_parameters;
    // MAX_PROGRAM_LOCAL_PARAMETERS_ARB
    uint32_t local_parameters;
    // MAX_TEXTURE_IMAGE_UNITS_ARB, or the limit of the program type: texture[n]
    uint32_t texture_units;
    // MAX_TEXTURE_COORDS_ARB: also of texture matrices and texture coordinate generation
    uint32_t texture_coordinates;
    // MAX_TEXTURE_UNITS: state.texenv[n]
    uint32_t texture_environments;
    // MAX_PROGRAM_MATRICES_ARB
    uint32_t program_matrices;
    // MAX_VERTEX_UNITS_ARB: state.matrix.modelview[n], vertex.weight[n], vertex.matrixindex[n]
    uint32_t vertex_units;
    // MAX_PALETTE_MATRICES_ARB
    uint32_t palette_matrices;
    // MAX_LIGHTS
    uint32_t lights;
    // MAX_CLIP_PLANES: state.clip[n], result.clip[n]
    uint32_t clip_planes;
    // MAX_PROGRAM_GENERIC_ATTRIBS_NV, for vertex programs MAX_VERTEX_ATTRIBS_ARB
    uint32_t generic_attributes;
    // MAX_PROGRAM_GENERIC_RESULTS_NV
    uint32_t generic_results;
    // MAX_PROGRAM_PATCH_ATTRIBS_NV
    uint32_t patch_attributes;
    // MAX_DRAW_BUFFERS: result.color[n]
    uint32_t draw_buffers;
    // MAX_IMAGE_UNITS
    uint32_t image_units;
    // MAX_PROGRAM_PARAMETER_BUFFER_BINDINGS_NV
    uint32_t parameter_buffers;
    // MAX_SHADER_STORAGE_BUFFER_BINDINGS
    uint32_t storage_buffers;
    // MAX_ATOMIC_COUNTER_BUFFER_BINDINGS
    uint32_t counter_buffers;
    // MAX_PROGRAM_SUBROUTINE_PARAMETERS_NV
    uint32_t subroutine_parameters;
    // MAX_PROGRAM_SUBROUTINE_NUM_NV
    uint32_t subroutine_numbers;
    // MAX_PROGRAM_IF_DEPTH_NV
    uint32_t if_depth;
    // MAX_PROGRAM_LOOP_DEPTH_NV
    uint32_t loop_depth;
    // MAX_PROGRAM_CALL_DEPTH_NV
    uint32_t call_depth;
} glasm_limits;

// A descriptor set and binding number.
typedef struct glasm_slot {
    // Set.
    uint32_t set;
    // Binding.
    uint32_t binding;
} glasm_slot;

// Four floats of GL's state. glasm_state_kind lists the members that each kind uses; others are 0.
typedef struct glasm_state_parameter {
    // Its kind: a glasm_state_kind.
    uint32_t kind;
    // Number of the light, texture unit, coordinate set, clip plane, sample or matrix.
    uint32_t index;
    // A glasm_matrix.
    uint32_t matrix;
    // A glasm_matrix_form.
    uint32_t form;
    // Row of the matrix, 0 to 3.
    uint32_t row;
    // A glasm_face.
    uint32_t face;
    // A glasm_color_term.
    uint32_t term;
    // A glasm_texgen_plane.
    uint32_t plane;
    // A glasm_texgen_coord.
    uint32_t coord;
    // A glasm_thread_property.
    uint32_t property;
} glasm_state_parameter;

// A vector of the parameter block. Members that the source does not name are 0.
typedef struct glasm_parameter {
    // Source of its value.
    glasm_parameter_source source;
    // Its number.
    uint32_t index;
    // Parameter of GL's state that it reads.
    struct glasm_state_parameter state;
    // Bits of its value.
    uint32_t literal[4];
} glasm_parameter;

// A parameter that a caller sets by its name.
typedef struct glasm_named_parameter {
    // Its name.
    const char *name;
    // Its value until a caller sets another.
    float initial[4];
} glasm_named_parameter;

// A combined image sampler.
typedef struct glasm_texture_binding {
    // Slot that it is bound to.
    struct glasm_slot slot;
    // First texture image unit.
    uint32_t unit;
    // Number of descriptors.
    uint32_t count;
    // Target.
    glasm_texture_target target;
    // True if it is compared.
    glasm_bool shadow;
    // Type that texels are converted to.
    glasm_scalar texel;
} glasm_texture_binding;

// The sampler of a texture image unit, which the program uses for textures of other units.
typedef struct glasm_sampler_binding {
    // Slot that the combined image sampler of the unit is bound to.
    struct glasm_slot slot;
    // Texture image unit.
    uint32_t unit;
    // True if it compares.
    glasm_bool shadow;
} glasm_sampler_binding;

// An input attachment: the color attachment that the program draws to.
typedef struct glasm_attachment_binding {
    // Slot that it is bound to.
    struct glasm_slot slot;
    // Number of the color attachment, and its index among the input attachments of the subpass.
    uint32_t buffer;
    // Type that its texels are read as.
    glasm_scalar texel;
} glasm_attachment_binding;

// A storage image, or a storage texel buffer where the target is a buffer.
typedef struct glasm_image_binding {
    // Slot that it is bound to.
    struct glasm_slot slot;
    // First image unit.
    uint32_t unit;
    // Number of descriptors.
    uint32_t count;
    // Target.
    glasm_texture_target target;
    // Format of the view.
    glasm_image_format format;
    // Type that texels are read and written as, in the image's format.
    glasm_scalar texel;
    // Bits of a raw texel.
    uint32_t raw_bits;
    // True if the program writes it.
    glasm_bool written;
} glasm_image_binding;

// An array of descriptors that handles index.
typedef struct glasm_handle_array {
    // Slot that it is bound to.
    struct glasm_slot slot;
    // Number of descriptors.
    uint32_t count;
    // Resources in the array.
    glasm_handle_kind kind;
    // Type that texels are read as, of textures and of images in their own format.
    glasm_scalar texel;
    // Format of the views, of images.
    glasm_image_format format;
    // Bits of a raw texel, of images.
    uint32_t raw_bits;
    // Target of the textures or images.
    glasm_texture_target target;
    // True if the program writes to the images.
    glasm_bool written;
} glasm_handle_array;

// A buffer descriptor.
typedef struct glasm_buffer_binding {
    // Slot that it is bound to.
    struct glasm_slot slot;
    // First binding number in the source language.
    uint32_t index;
    // Number of descriptors.
    uint32_t count;
    // Kind.
    glasm_buffer_kind kind;
} glasm_buffer_binding;

// A stage input or output.
typedef struct glasm_interface_variable {
    // Its semantic.
    struct glasm_meaning meaning;
    // Location, or GLASM_BUILT_IN.
    uint32_t location;
    // Scalar type in the module.
    glasm_scalar scalar;
    // Number of components in the module.
    uint32_t components;
    // Interpolation of a fragment input.
    glasm_interpolation interpolation;
    // Components of an attribute of 64 bits that it holds.
    glasm_half half;
    // True if there is one for each vertex of the input primitive or patch.
    glasm_bool per_vertex;
} glasm_interface_variable;

// Tasks of a geometry stage that must follow the last program before rasterization;
// `glasm_replication_stage` creates it.
typedef struct glasm_replication {
    // Location of the vector that the program writes for it.
    uint32_t location;
    // True if the program chooses a layer.
    glasm_bool has_layer;
    // Viewports of the first view.
    glasm_viewport_choice viewports;
    // True if there is a second view with a separate position.
    glasm_bool has_second_position;
    // True if there is a second view with a separate mask of viewports.
    glasm_bool has_second_mask;
    // True if the viewport number is added to the layer.
    glasm_bool viewport_relative_layer;
    // Value that is added to the layer in the second view.
    int32_t second_layer_offset;
} glasm_replication;

// Properties of a program between the vertex and the fragment stage that concern primitives.
// Members of other stages are 0.
typedef struct glasm_primitives {
    // Stage of the program.
    glasm_primitive_stage stage;
    // Tessellation control: vertices of the patch that it makes. Geometry: most vertices that an
    // invocation emits.
    uint32_t vertices;
    // Tessellation evaluation: primitives into which patches are subdivided.
    glasm_tess_mode mode;
    // Tessellation evaluation: how edges are divided.
    glasm_tess_spacing spacing;
    // Tessellation evaluation: orientation of triangles.
    glasm_tess_order order;
    // Tessellation evaluation: whether it makes points.
    glasm_bool points;
    // Geometry: input primitive.
    glasm_input_primitive input;
    // Geometry: vertices of the input primitive; 0 if the patches decide.
    uint32_t input_vertices;
    // Geometry: output primitive.
    glasm_output_primitive output;
    // Geometry: invocations for each primitive.
    uint32_t invocations;
    // Geometry: whether it emits the primitive that it gets.
    glasm_bool passthrough;
} glasm_primitives;

// A specialization constant that is a word of the state.
typedef struct glasm_state_constant {
    // Number of the constant, for VkSpecializationMapEntry.
    uint32_t id;
    // Number of the word.
    uint32_t word;
} glasm_state_constant;

// Everything that a module expects of its caller.
//
// All that it points to belongs to the shader and is valid until this is freed.
typedef struct glasm_reflection {
    // Size of the structure in bytes, as the caller knows it.
    size_t size;
    // Stage.
    glasm_stage stage;
    // Name of the entry point.
    const char *entry_point;
    // True if the program reads parameters: then there is a buffer of `parameter_count` vectors of
    // 16 bytes, which `glasm_shader_parameter_block` fills.
    glasm_bool has_parameters;
    // True if it is a storage buffer, as blocks of more than 64 KiB are; else it is a uniform
    // buffer.
    glasm_bool parameters_in_storage_buffer;
    // Slot that it is bound to.
    struct glasm_slot parameter_slot;
    // The source of each vector.
    const struct glasm_parameter *parameters;
    // Number of them.
    size_t parameter_count;
    // Parameters with names; GLASM_PARAMETER_SOURCE_NAMED with index n is number n of them.
    const struct glasm_named_parameter *named_parameters;
    // Number of them.
    size_t named_parameter_count;
    // True if it is a vertex state program: a compute program of one invocation that changes
    // parameters of vertex programs.
    glasm_bool is_state_program;
    // Slot of the storage buffer of the 96 parameters.
    struct glasm_slot state_program_slot;
    // Numbers of the parameters that it writes.
    const uint32_t *state_program_written;
    // Number of them.
    size_t state_program_written_count;
    // Textures.
    const struct glasm_texture_binding *textures;
    // Number of them.
    size_t texture_count;
    // Samplers that go with textures of other units.
    const struct glasm_sampler_binding *samplers;
    // Number of them.
    size_t sampler_count;
    // Color attachments that the program reads.
    const struct glasm_attachment_binding *attachments;
    // Number of them.
    size_t attachment_count;
    // Images.
    const struct glasm_image_binding *images;
    // Number of them.
    size_t image_count;
    // Arrays of textures and images that handles index.
    const struct glasm_handle_array *handle_arrays;
    // Number of them.
    size_t handle_array_count;
    // Buffers.
    const struct glasm_buffer_binding *buffers;
    // Number of them.
    size_t buffer_count;
    // True if there is a storage buffer of one word, zero at first, that all programs with access
    // to the same images share.
    glasm_bool has_image_lock;
    // Slot that it is bound to.
    struct glasm_slot image_lock;
    // Inputs that the program reads.
    const struct glasm_interface_variable *inputs;
    // Number of them.
    size_t input_count;
    // Outputs that the program writes.
    const struct glasm_interface_variable *outputs;
    // Number of them.
    size_t output_count;
    // True if a geometry stage must follow.
    glasm_bool has_replication;
    // Tasks of that stage.
    struct glasm_replication replication;
    // Properties of a geometry or tessellation program that concern primitives.
    struct glasm_primitives primitives;
    // True if there are work groups.
    glasm_bool has_workgroup_size;
    // Their size; zeros if specialization constants 0 to 2 have it.
    uint32_t workgroup_size[3];
    // True if the near and the far plane do not clip: the pipeline needs depthClampEnable.
    glasm_bool unclipped_depth;
    // True if lookups of missing textures return (0, 0, 0, 0); else (0, 0, 0, 1).
    glasm_bool transparent_missing;
    // SPIR-V capabilities by name, sorted.
    const char *const *capabilities;
    // Number of them.
    size_t capability_count;
    // SPIR-V extensions by name, sorted.
    const char *const *extensions;
    // Number of them.
    size_t extension_count;
    // Features of Vulkan by name, sorted: the device must have and enable them.
    const char *const *features;
    // Number of them.
    size_t feature_count;
    // True if the shader reads GL state from a uniform buffer of 336 bytes.
    glasm_bool has_state_block;
    // Slot that it is bound to.
    struct glasm_slot state_slot;
    // Numbers of the words that it reads there: only these make a difference.
    const uint32_t *state_words;
    // Number of them.
    size_t state_word_count;
    // Specialization constants that are words of the state.
    const struct glasm_state_constant *state_constants;
    // Number of them.
    size_t state_constant_count;
} glasm_reflection;

// Values that an application has set, in addition to GL's state. A value past the end of a list is
// (0, 0, 0, 0), or the initial value of a named parameter.
//
// All that it points to belongs to the caller and is read only during the call that gets it.
typedef struct glasm_parameter_values {
    // Size of the structure in bytes, as the caller knows it.
    size_t size;
    // program.env of the program's target: four floats each.
    const float *env;
    // Number of vectors.
    size_t env_count;
    // program.local: four floats each.
    const float *local;
    // Number of vectors.
    size_t local_count;
    // Parameters with names, in the order of the reflection: four floats each.
    const float *named;
    // Number of vectors.
    size_t named_count;
    // Numbers of subroutines, by program.subroutine.
    const uint32_t *subroutines;
    // Number of them.
    size_t subroutine_count;
    // Argument with which a vertex state program is executed.
    float argument[4];
} glasm_parameter_values;

// Descriptor that a module requires at a slot. A slot may appear twice, with the same kind: a unit
// whose texture is read and whose sampler is used for another one.
typedef struct glasm_descriptor {
    // Slot that it is bound to.
    struct glasm_slot slot;
    // Its kind, a VkDescriptorType.
    glasm_descriptor_kind kind;
    // Number of descriptors.
    uint32_t count;
    // Its resource.
    glasm_descriptor_resource resource;
    // The index in the list of the reflection that `resource` names; 0 without such a list.
    uint32_t index;
} glasm_descriptor;

// Two stages that require descriptors of different kinds at the same slot.
typedef struct glasm_layout_conflict {
    // Size of the structure in bytes, as the caller knows it.
    size_t size;
    // The slot.
    struct glasm_slot slot;
    // The stage that came first.
    glasm_stage first_stage;
    // Kind that it requires.
    glasm_descriptor_kind first_kind;
    // The stage that requires another kind.
    glasm_stage second_stage;
    // Kind that it requires.
    glasm_descriptor_kind second_kind;
} glasm_layout_conflict;

// A binding of a descriptor set layout: VkDescriptorSetLayoutBinding without its samplers.
typedef struct glasm_layout_binding {
    // Its number.
    uint32_t binding;
    // Kind of its descriptors, a VkDescriptorType.
    glasm_descriptor_kind kind;
    // Number of descriptors.
    uint32_t count;
    // The stages that use it, as VkShaderStageFlags.
    uint32_t stages;
} glasm_layout_binding;

// A descriptor set layout.
typedef struct glasm_set_layout {
    // Number of the set.
    uint32_t set;
    // Bindings in ascending order; none if the set only precedes one that has some.
    const struct glasm_layout_binding *bindings;
    // Number of them.
    size_t binding_count;
} glasm_set_layout;

// A program of a pipeline with separate options.
typedef struct glasm_stage_options {
    // The program.
    const struct glasm_program *program;
    // Its options; NULL: the default ones.
    const struct glasm_options *options;
} glasm_stage_options;

// A stage of a pipeline.
//
// All that it points to belongs to the pipeline and is valid until this is freed;
// `glasm_shader_clone` retains a shader.
typedef struct glasm_pipeline_stage {
    // Size of the structure in bytes, as the caller knows it.
    size_t size;
    // Stage.
    glasm_stage stage;
    // True for a stage that the pipeline needs in addition to the programs of the caller.
    glasm_bool is_made;
    // The shader; NULL if there are errors.
    const struct glasm_shader *shader;
    // Errors and warnings; NULL if there are none.
    const struct glasm_diagnostics *diagnostics;
} glasm_pipeline_stage;

// An input that the stage before does not write. GL links such programs: they read (0, 0, 0, 1).
typedef struct glasm_unwritten_input {
    // The stage that reads it.
    glasm_stage stage;
    // The input.
    struct glasm_meaning input;
} glasm_unwritten_input;

// Options of writing a program in a shading language. `glasm_text_options_init` fills it with the
// initial values.
//
// All that it points to belongs to the caller and is read only during the call that gets it.
typedef struct glasm_text_options {
    // Size of the structure in bytes, as the caller knows it.
    size_t size;
    // The language with its version: "wgsl", "glsl330", "essl310", "vulkan-glsl", "hlsl60",
    // "msl24", and others that docs/text-output.md lists; NULL: "glsl450".
    const char *language;
    // A glasm_text_conventions.
    uint32_t conventions;
    // A glasm_nan.
    uint32_t nan;
    // Options of the compiler; NULL: the default ones. Device features, conventions and debug
    // information are ignored: the language decides them.
    const struct glasm_options *options;
} glasm_text_options;

// Something that the caller of a text binds.
typedef struct glasm_resource {
    // Its kind.
    glasm_resource_kind kind;
    // Set and binding in the module, by which the reflection describes it.
    struct glasm_slot slot;
    // Its name in the text.
    const char *name;
    // Its number in the text among resources of its kind, or GLASM_NO_NUMBER.
    uint32_t number;
} glasm_resource;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns why the last call of this thread that failed did so, as UTF-8; the empty string if none
// has failed.
//
// The string belongs to the library. It is valid until the next call in this thread.
const char *glasm_error_message(void);

// Returns the version of the library, such as "0.1.0". GLASM_VERSION_MAJOR and its neighbors are
// that of the header.
//
// The string belongs to the library and is valid for ever.
const char *glasm_version_string(void);

// Fills a source with its initial values. `size` is `sizeof(glasm_source)`.
//
// `source` belongs to the caller.
glasm_result glasm_source_init(struct glasm_source *source, size_t size);

// Lists the programs of a source that may hold several, as files and memory dumps of applications
// do: `glasm_program_load` loads each with its part. There is at least one, even if the source has
// no header; a strict source is one program, as GL sees it.
//
// `source` stays the caller's, with all that it points to; if it has a part, the programs of that
// are returned. `parts` points to memory of the caller for `capacity` of them, and may be NULL if
// that is
// 0. `count` is set to the number of programs; GLASM_RESULT_INVALID_ARGUMENT if `parts` is not
//    NULL and there are more than `capacity`.
glasm_result glasm_source_programs(const struct glasm_source *source,
                                   struct glasm_part *parts,
                                   size_t capacity,
                                   size_t *count);

// Returns the number of messages; 0 for NULL.
//
// `diagnostics` stays the caller's.
size_t glasm_diagnostics_count(const struct glasm_diagnostics *diagnostics);

// Returns the number of messages that are errors, or internal errors of glasm; 0 for NULL.
//
// `diagnostics` stays the caller's.
size_t glasm_diagnostics_error_count(const struct glasm_diagnostics *diagnostics);

// Gets a message by its index, below `glasm_diagnostics_count`.
//
// `diagnostics` stays the caller's. `diagnostic` is the caller's, too, with its size set; what it
// points to then belongs to `diagnostics`.
glasm_result glasm_diagnostics_get(const struct glasm_diagnostics *diagnostics,
                                   size_t index,
                                   struct glasm_diagnostic *diagnostic);

// Returns the position that GL reports as PROGRAM_ERROR_POSITION_ARB: the byte of the first error,
// counted from the start of the program, which is the length of the program for errors that are
// found only after it was read as a whole; -1 without errors and for NULL.
//
// `diagnostics` stays the caller's.
int64_t glasm_diagnostics_gl_error_position(const struct glasm_diagnostics *diagnostics);

// Renders all messages for users: with lines of the program, carets and hints. Returns NULL for
// NULL.
//
// `diagnostics` stays the caller's. The string belongs to it and is valid until it is freed.
const char *glasm_diagnostics_render(const struct glasm_diagnostics *diagnostics);

// Formats all messages as JSON: an array of objects with code, severity, message, name, start,
// end, line, column and notes. Returns NULL for NULL.
//
// `diagnostics` stays the caller's. The string belongs to it and is valid until it is freed.
const char *glasm_diagnostics_json(const struct glasm_diagnostics *diagnostics);

// Frees diagnostics, and with them all strings of their messages.
//
// Takes `diagnostics` away from the caller; NULL is allowed.
void glasm_diagnostics_free(struct glasm_diagnostics *diagnostics);

// Returns the location of a varying in the fixed table; GLASM_BUILT_IN for a semantic that is not
// a varying, for invalid numbers, and for NULL.
//
// `varying` stays the caller's.
uint32_t glasm_varying_location(const struct glasm_meaning *varying);

// Fills options with their initial values. `size` is `sizeof(glasm_options)`.
//
// `options` belongs to the caller.
glasm_result glasm_options_init(struct glasm_options *options, size_t size);

// Changes the options to GL's rules, for callers that keep row 0 of an image at GL's bottom: the
// depth of clip space is remapped, and the coordinates of points are flipped.
//
// `options` belongs to the caller, who has filled it with `glasm_options_init`.
glasm_result glasm_options_use_opengl_conventions(struct glasm_options *options);

// Changes the options to those for shaders for OpenGL (glShaderBinary with
// GL_SHADER_BINARY_FORMAT_SPIR_V): the target GLASM_TARGET_OPEN_GL4_5, its conventions, and the
// last bindings that it has.
//
// `options` belongs to the caller, who has filled it with `glasm_options_init`. `uniform_buffers`
// is GL_MAX_UNIFORM_BUFFER_BINDINGS, `storage_buffers` is GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS.
// The members `features` and `opengl_version` are unchanged.
glasm_result glasm_options_use_opengl_environment(struct glasm_options *options,
                                                  uint32_t uniform_buffers,
                                                  uint32_t storage_buffers);

// Creates a compiler; returns NULL if there is an internal error.
//
// The caller owns it, and frees it with `glasm_compiler_free`.
struct glasm_compiler *glasm_compiler_create(void);

// Frees a compiler. Objects that it created remain valid.
//
// Takes `compiler` away from the caller; NULL is allowed.
void glasm_compiler_free(struct glasm_compiler *compiler);

// Loads a program string: parses, checks and translates it. GLASM_RESULT_PROGRAM if it has errors.
//
// `compiler` may be NULL; it and `source`, with all that this points to, stay the caller's.
// `program` is set to a program that the caller owns and frees with `glasm_program_free`, or to
// NULL if it does not load. `diagnostics` may be NULL; it is set to all errors and warnings, which
// the caller owns and frees with `glasm_diagnostics_free`, or to NULL if there are none.
glasm_result glasm_program_load(const struct glasm_compiler *compiler,
                                const struct glasm_source *source,
                                struct glasm_program **program,
                                struct glasm_diagnostics **diagnostics);

// Creates another handle of the same program: each is freed separately, and the program with the
// last of them. Returns NULL for NULL.
//
// `program` stays the caller's, who owns the new handle, too, and frees it with
// `glasm_program_free`.
struct glasm_program *glasm_program_clone(const struct glasm_program *program);

// Frees a handle of a program.
//
// Takes `program` away from the caller; NULL is allowed.
void glasm_program_free(struct glasm_program *program);

// Returns the shader stage of a program.
//
// `program` stays the caller's. It must not be NULL, for which GLASM_STAGE_VERTEX is returned.
glasm_stage glasm_program_stage(const struct glasm_program *program);

// Returns the header of the language of a program, such as "!!ARBvp1.0"; NULL if it has none, and
// for NULL.
//
// `program` stays the caller's. The string belongs to the library and is valid for ever.
const char *glasm_program_dialect(const struct glasm_program *program);

// Compiles a program to SPIR-V, for a state and a device. GLASM_RESULT_PROGRAM if it cannot be
// expressed for them.
//
// `compiler` may be NULL, and so may `options`: the default ones. Both, and `program`, stay the
// caller's. `shader` is set to a shader that the caller owns and frees with `glasm_shader_free`,
// or to NULL if there is none. `diagnostics` may be NULL; it is set to all errors and warnings,
// those of loading among them, which the caller owns and frees with `glasm_diagnostics_free`, or
// to NULL if there are none.
glasm_result glasm_program_compile(const struct glasm_compiler *compiler,
                                   const struct glasm_program *program,
                                   const struct glasm_options *options,
                                   struct glasm_shader **shader,
                                   struct glasm_diagnostics **diagnostics);

// Returns the inputs of a program from the preceding stage, the vertex or the system; `count` is
// set to the number. Returns NULL for NULL.
//
// `program` stays the caller's. The list belongs to it and is valid until it is freed. `count` may
// be NULL.
const struct glasm_program_input *glasm_program_inputs(const struct glasm_program *program, size_t *count);

// Returns the outputs of a program for the following stage; `count` is set to the number. Returns
// NULL for NULL.
//
// `program` stays the caller's. The list belongs to it and is valid until it is freed. `count` may
// be NULL.
const struct glasm_program_output *glasm_program_outputs(const struct glasm_program *program, size_t *count);

// Returns the output registers of a TGSI program in the order of their numbers, for callers who
// name them: stream outputs are lists of registers, glasm_capture has semantics. A register of
// distances is listed once for each of its components. `count` is set to the number, which is 0
// for programs of other languages. Returns NULL for NULL.
//
// `program` stays the caller's. The list belongs to it and is valid until it is freed. `count` may
// be NULL.
const struct glasm_tgsi_output *glasm_program_tgsi_outputs(const struct glasm_program *program, size_t *count);

// Counts the resources of a program that GL limits: the results of queries of
// PROGRAM_INSTRUCTIONS_ARB and so on. The first call for a program takes as long as loading it.
//
// `program` stays the caller's. `counts` is the caller's, too, with its size set.
glasm_result glasm_program_counts(const struct glasm_program *program, struct glasm_counts *counts);

// Fills limits with their initial values: no limits. `size` is `sizeof(glasm_limits)`.
//
// `limits` belongs to the caller.
glasm_result glasm_limits_init(struct glasm_limits *limits, size_t size);

// Checks a program against limits of the caller: `glProgramStringARB` fails for programs that
// exceed them. GLASM_RESULT_PROGRAM if the program does.
//
// `program` and `limits` stay the caller's. `diagnostics` may be NULL; it is set to an error for
// each limit that the program exceeds, which the caller owns and frees with
// `glasm_diagnostics_free`, or to NULL if there are none.
glasm_result glasm_program_check_limits(const struct glasm_program *program,
                                        const struct glasm_limits *limits,
                                        struct glasm_diagnostics **diagnostics);

// Returns the words of the SPIR-V module, with `count` set to their number, as
// `vkCreateShaderModule` takes them (the size in bytes is four times the number). Returns NULL for
// NULL.
//
// `shader` stays the caller's. The words belong to it and are valid until it is freed. `count` may
// be NULL.
const uint32_t *glasm_shader_words(const struct glasm_shader *shader, size_t *count);

// Returns the stage of a shader.
//
// `shader` stays the caller's. It must not be NULL, for which GLASM_STAGE_VERTEX is returned.
glasm_stage glasm_shader_stage(const struct glasm_shader *shader);

// Formats the reflection of a shader as JSON. Returns NULL for NULL.
//
// `shader` stays the caller's. The string belongs to it and is valid until it is freed.
const char *glasm_shader_reflection_json(const struct glasm_shader *shader);

// Gets the requirements of the module of a shader on its caller.
//
// `shader` stays the caller's. `reflection` is the caller's, too, with its size set; what it
// points to then belongs to `shader`.
glasm_result glasm_shader_reflection(const struct glasm_shader *shader, struct glasm_reflection *reflection);

// Creates a shader that was compiled before from a cache: from the results of `glasm_shader_words`
// and `glasm_shader_reflection_json` for it, in the same version of the library. It is not checked
// that they belong together.
//
// `words` and `reflection` stay the caller's. `shader` is set to a shader that the caller owns and
// frees with `glasm_shader_free`, or to NULL if they are not a module and a reflection.
glasm_result glasm_shader_create(const uint32_t *words,
                                 size_t count,
                                 const char *reflection,
                                 struct glasm_shader **shader);

// Creates another handle of the same shader: each is freed separately, and the shader with the
// last of them. Returns NULL for NULL.
//
// `shader` stays the caller's, who owns the new handle, too, and frees it with
// `glasm_shader_free`.
struct glasm_shader *glasm_shader_clone(const struct glasm_shader *shader);

// Frees a handle of a shader.
//
// Takes `shader` away from the caller; NULL is allowed.
void glasm_shader_free(struct glasm_shader *shader);

// Fills the parameter block of a shader: the bytes for the buffer at `parameter_slot` of its
// reflection, 16 for each of `parameter_count` vectors. Values come from GL's state, from values
// that the application has set, and from the program.
//
// `shader`, `state` and `values` stay the caller's; NULL for `state` is GL's initial state, NULL
// for `values` none. `block` points to memory of the caller for `vector_count` vectors, at least
// as many as the block has; it may be mapped memory.
glasm_result glasm_shader_parameter_block(const struct glasm_shader *shader,
                                          const struct glasm_state *state,
                                          const struct glasm_parameter_values *values,
                                          float *block,
                                          size_t vector_count);

// Returns the slots of the module of a shader, with the descriptors to write into them; `count` is
// set to their number. Returns NULL for NULL.
//
// `shader` stays the caller's. The list belongs to it and is valid until it is freed. `count` may
// be NULL.
const struct glasm_descriptor *glasm_shader_descriptors(const struct glasm_shader *shader, size_t *count);

// Creates the descriptor set layouts that shaders which run together need, one for each set from 0
// to the last that has a binding. Stages that use the same slot share its descriptors: there are
// as many as the stage with the longest array requires. GLASM_RESULT_CONFLICT if two stages
// require descriptors of different kinds at a slot: they read different targets at the same
// texture image unit, which GL refuses to draw, too.
//
// `shaders`, `count` of them, stay the caller's. `layouts` is set to layouts that the caller owns
// and frees with `glasm_set_layouts_free`, or to NULL if there are none. `conflict` may be NULL;
// it is the caller's, too, with its size set, and is filled if there is a conflict, which
// `glasm_error_message` describes.
glasm_result glasm_set_layouts_create(const struct glasm_shader *const *shaders,
                                      size_t count,
                                      struct glasm_set_layouts **layouts,
                                      struct glasm_layout_conflict *conflict);

// Returns the layouts, number n at index n, as a pipeline layout requires them; `count` is set to
// their number. Returns NULL for NULL.
//
// `layouts` stays the caller's. The list belongs to it, with all that it points to, and is valid
// until it is freed. `count` may be NULL.
const struct glasm_set_layout *glasm_set_layouts_get(const struct glasm_set_layouts *layouts, size_t *count);

// Frees descriptor set layouts.
//
// Takes `layouts` away from the caller; NULL is allowed.
void glasm_set_layouts_free(struct glasm_set_layouts *layouts);

// Compiles the programs of a pipeline, given in its order, so that their interfaces match: only
// varyings that pass between them take locations, and any results go together.
// GLASM_RESULT_PROGRAM if one of the stages has errors.
//
// `compiler` may be NULL, and so may `options`: the default ones. Both stay the caller's, and so
// do `programs`, `count` of them. `pipeline` is set to the result, which the caller owns and frees
// with `glasm_pipeline_free`, even if stages have errors; or to NULL if an argument is wrong.
glasm_result glasm_link(const struct glasm_compiler *compiler,
                        const struct glasm_program *const *programs,
                        size_t count,
                        const struct glasm_options *options,
                        struct glasm_pipeline **pipeline);

// Does what `glasm_link` does, with separate options for each program.
//
// `compiler` may be NULL. It stays the caller's, and so do `stages`, `count` of them, with all
// that they point to. `pipeline` is set as by `glasm_link`.
glasm_result glasm_link_with(const struct glasm_compiler *compiler,
                             const struct glasm_stage_options *stages,
                             size_t count,
                             struct glasm_pipeline **pipeline);

// Returns the number of stages of a pipeline: those of the caller in their order, then those that
// it needs in addition. 0 for NULL.
//
// `pipeline` stays the caller's.
size_t glasm_pipeline_stage_count(const struct glasm_pipeline *pipeline);

// Gets a stage of a pipeline by its index, below `glasm_pipeline_stage_count`.
//
// `pipeline` stays the caller's. `stage` is the caller's, too, with its size set; what it points
// to then belongs to `pipeline`.
glasm_result glasm_pipeline_get(const struct glasm_pipeline *pipeline,
                                size_t index,
                                struct glasm_pipeline_stage *stage);

// Returns the inputs of the stages of a pipeline that the preceding stage does not write; `count`
// is set to their number. Returns NULL for NULL.
//
// `pipeline` stays the caller's. The list belongs to it and is valid until it is freed. `count`
// may be NULL.
const struct glasm_unwritten_input *glasm_pipeline_unwritten(const struct glasm_pipeline *pipeline, size_t *count);

// Frees a pipeline, and with it the shaders and diagnostics of its stages.
//
// Takes `pipeline` away from the caller; NULL is allowed.
void glasm_pipeline_free(struct glasm_pipeline *pipeline);

// Creates the geometry stage that must follow a shader whose reflection has `has_replication`, for
// draws of such primitives on a device with that many viewports.
//
// `before` stays the caller's, and so do `options`, of which only target and device are used and
// which may be NULL. `primitive` is a glasm_input_primitive. `shader` is set to a shader that the
// caller owns and frees with `glasm_shader_free`, or to NULL if none is needed or there are
// errors. `diagnostics` may be NULL; it is set to errors, which the caller owns and frees with
// `glasm_diagnostics_free`, or to NULL.
glasm_result glasm_replication_stage(const struct glasm_shader *before,
                                     uint32_t primitive,
                                     uint32_t viewports,
                                     const struct glasm_options *options,
                                     struct glasm_shader **shader,
                                     struct glasm_diagnostics **diagnostics);

// Creates the control stage between a vertex and an evaluation shader that were linked without
// one: patches of that many vertices pass through it.
//
// `vertex` and `evaluation` stay the caller's, and so do `levels`, four outer and two inner ones,
// and `options`, of which only target and device are used and which may be NULL. `shader` is set
// to a shader that the caller owns and frees with `glasm_shader_free`, or to NULL if there are
// errors. `diagnostics` may be NULL; it is set to errors, which the caller owns and frees with
// `glasm_diagnostics_free`, or to NULL.
glasm_result glasm_control_stage(const struct glasm_shader *vertex,
                                 const struct glasm_shader *evaluation,
                                 uint32_t vertices,
                                 const float *levels,
                                 const struct glasm_options *options,
                                 struct glasm_shader **shader,
                                 struct glasm_diagnostics **diagnostics);

// Creates GL's initial state; returns NULL if there is an internal error.
//
// The caller owns it, and frees it with `glasm_state_free`.
struct glasm_state *glasm_state_create(void);

// Copies a state. Returns NULL for NULL.
//
// `state` stays the caller's, who owns the copy, too, and frees it with `glasm_state_free`.
struct glasm_state *glasm_state_clone(const struct glasm_state *state);

// Frees a state.
//
// Takes `state` away from the caller; NULL is allowed.
void glasm_state_free(struct glasm_state *state);

// Sets a matrix (glLoadMatrixf). `index` selects one of several matrices of a kind, else it is 0;
// the product of projection and modelview follows from both and cannot be set.
//
// `state` stays the caller's, and so do `values`: 16 floats, in column-major order. `matrix` is a
// glasm_matrix.
glasm_result glasm_state_set_matrix(struct glasm_state *state, uint32_t matrix, uint32_t index, const float *values);

// Computes a matrix in one of its forms.
//
// `state` stays the caller's. `values` points to memory of the caller for 16 floats. `matrix` is a
// glasm_matrix other than the color matrix, `form` a glasm_matrix_form.
glasm_result glasm_state_get_matrix(const struct glasm_state *state,
                                    uint32_t matrix,
                                    uint32_t index,
                                    uint32_t form,
                                    float *values);

// Sets a value of GL's state, as GL's command does: glLightfv(GL_LIGHT2, GL_DIFFUSE, color) is
// `glasm_state_set(state, GLASM_STATE_VALUE_LIGHT_DIFFUSE, 2, color, 4)`. Values are not checked:
// the caller enforces the ranges of GL.
//
// `state` stays the caller's, and so do `values`, `count` floats. `what` is a glasm_state_value,
// which determines the number of floats and the role of `index`; without one `index` is 0.
glasm_result glasm_state_set(struct glasm_state *state,
                             uint32_t what,
                             uint32_t index,
                             const float *values,
                             size_t count);

// Lets four parameters of vertex programs, `address` to `address + 3`, track a matrix
// (glTrackMatrixNV): they hold its rows from now on.
//
// `state` stays the caller's. `matrix` is a glasm_matrix, `index` its number, `form` a
// glasm_matrix_form.
glasm_result glasm_state_track_matrix(struct glasm_state *state,
                                      uint32_t address,
                                      uint32_t matrix,
                                      uint32_t index,
                                      uint32_t form);

// Ends tracking (glTrackMatrixNV with NONE). The parameters keep the rows that they held: `rows`
// is set to them, for the caller to store, or to zeros if no matrix was tracked.
//
// `state` stays the caller's. `rows` is NULL, or points to memory of the caller for 16 floats.
glasm_result glasm_state_untrack_matrix(struct glasm_state *state, uint32_t address, float *rows);

// Returns 1 if a parameter of vertex programs tracks a matrix, else 0.
//
// `state` stays the caller's.
glasm_bool glasm_state_is_tracked(const struct glasm_state *state, uint32_t address);

// Computes the value of a state.* parameter. `glasm_shader_parameter_block` does so for all
// parameters of a shader at once.
//
// `state` and `parameter` stay the caller's. `values` points to memory of the caller for four
// floats.
glasm_result glasm_state_evaluate(const struct glasm_state *state,
                                  const struct glasm_state_parameter *parameter,
                                  float *values);

// Computes the matrix of glTranslate.
//
// `matrix` points to memory of the caller for 16 floats, which become the matrix in column-major
// order.
glasm_result glasm_matrix_translation(float *matrix, float x, float y, float z);

// Computes the matrix of glScale.
//
// `matrix` points to memory of the caller for 16 floats, which become the matrix in column-major
// order.
glasm_result glasm_matrix_scaling(float *matrix, float x, float y, float z);

// Computes the matrix of glRotate, with the angle in degrees.
//
// `matrix` points to memory of the caller for 16 floats, which become the matrix in column-major
// order.
glasm_result glasm_matrix_rotation(float *matrix, float degrees, float x, float y, float z);

// Computes the matrix of glOrtho.
//
// `matrix` points to memory of the caller for 16 floats, which become the matrix in column-major
// order.
glasm_result glasm_matrix_ortho(float *matrix, float left, float right, float bottom, float top, float near, float far);

// Computes the matrix of glFrustum.
//
// `matrix` points to memory of the caller for 16 floats, which become the matrix in column-major
// order.
glasm_result glasm_matrix_frustum(float *matrix,
                                  float left,
                                  float right,
                                  float bottom,
                                  float top,
                                  float near,
                                  float far);

// Computes the matrix of gluPerspective, with the angle in degrees.
//
// `matrix` points to memory of the caller for 16 floats, which become the matrix in column-major
// order.
glasm_result glasm_matrix_perspective(float *matrix, float fov_y, float aspect, float near, float far);

// Computes the matrix of gluLookAt.
//
// `matrix` points to memory of the caller for 16 floats, which become the matrix in column-major
// order. `eye`, `center` and `up` are three floats each and stay the caller's.
glasm_result glasm_matrix_look_at(float *matrix, const float *eye, const float *center, const float *up);

// Computes the product of two matrices, which applies `right` first: the result of glMultMatrix if
// `left` is the current matrix.
//
// `product` points to memory of the caller for 16 floats; it may be `left` or `right`, which are
// 16 floats each and stay the caller's.
glasm_result glasm_matrix_multiply(float *product, const float *left, const float *right);

// Fills the options of writing programs with their initial values. `size` is
// `sizeof(glasm_text_options)`.
//
// `options` belongs to the caller.
glasm_result glasm_text_options_init(struct glasm_text_options *options, size_t size);

// Writes a program in a shading language. GLASM_RESULT_PROGRAM if it cannot be expressed in it,
// GLASM_RESULT_NOT_BUILT if the library was built without the feature `text`.
//
// `compiler` may be NULL, and so may `options`: GLSL 450. Both, and `program`, stay the caller's.
// `text` is set to a text that the caller owns and frees with `glasm_text_free`, or to NULL if
// there is none. `diagnostics` may be NULL; it is set to all errors and warnings, which the caller
// owns and frees with `glasm_diagnostics_free`, or to NULL if there are none.
glasm_result glasm_program_write(const struct glasm_compiler *compiler,
                                 const struct glasm_program *program,
                                 const struct glasm_text_options *options,
                                 struct glasm_text **text,
                                 struct glasm_diagnostics **diagnostics);

// Returns the program in the shading language, NUL-terminated; `length` is set to its bytes
// without that. Returns NULL for NULL.
//
// `text` stays the caller's. The string belongs to it and is valid until it is freed. `length` may
// be NULL.
const char *glasm_text_string(const struct glasm_text *text, size_t *length);

// Returns the resources that the caller of the written program binds, with their bindings; `count`
// is set to the number. Returns NULL for NULL.
//
// `text` stays the caller's. The list belongs to it, with its strings, and is valid until it is
// freed. `count` may be NULL.
const struct glasm_resource *glasm_text_resources(const struct glasm_text *text, size_t *count);

// Returns the shader that was written, whose reflection describes each resource. Returns NULL for
// NULL.
//
// `text` stays the caller's. The shader belongs to it and is valid until it is freed;
// `glasm_shader_clone` retains it.
const struct glasm_shader *glasm_text_shader(const struct glasm_text *text);

// Frees a text, and with it the shader that it was written from.
//
// Takes `text` away from the caller; NULL is allowed.
void glasm_text_free(struct glasm_text *text);

// Computes the key of the result of compiling a program with options: module, reflection and
// warnings, or the errors. It is a SHA-256 digest of the program string, all settings of the
// source, all options and the version of the library, the same in all processes and on all
// machines of one byte order. The name of the source is part of it only with `debug_lines`.
//
// The key does not cover the other programs of a pipeline: `glasm_cache_key_add` joins their keys.
//
// `source` and `options` stay the caller's, with all that they point to; `options` may be NULL:
// the default ones. `key` points to memory of the caller for GLASM_CACHE_KEY_SIZE bytes, which
// remain unchanged if an argument is invalid.
glasm_result glasm_cache_key(const struct glasm_source *source, const struct glasm_options *options, uint8_t *key);

// Computes the key of a loaded program: the one that `glasm_cache_key` computes for the source
// that it was loaded from.
//
// `program` and `options` stay the caller's; `options` may be NULL: the default ones. `key` points
// to memory of the caller for GLASM_CACHE_KEY_SIZE bytes, which remain unchanged if an argument is
// invalid.
glasm_result glasm_program_cache_key(const struct glasm_program *program,
                                     const struct glasm_options *options,
                                     uint8_t *key);

// Changes a key to that of something that depends on more than the key covers: on the key of the
// program of another stage, on a revision of the caller.
//
// `key`, of GLASM_CACHE_KEY_SIZE bytes, and `more`, of `length` bytes, stay the caller's; they may
// be the same.
glasm_result glasm_cache_key_add(uint8_t *key, const void *more, size_t length);

// Checks a module with spirv-val against the rules of SPIR-V and of its target environment:
// modules of this library, or others. GLASM_RESULT_INVALID_MODULE if it breaks one, which
// `glasm_error_message` names; GLASM_RESULT_NOT_BUILT if the library was built without the feature
// `spirv-tools`.
//
// `words`, `count` of them, stay the caller's. `target` is a glasm_target.
glasm_result glasm_validate(const uint32_t *words, size_t count, uint32_t target);

// Writes the words of the state in the options: `two_sided_color` to `draw_buffers`, stipples,
// alpha test, depth modes and wraps. They are the bytes of the uniform buffer of shaders that read
// state from one, and the values of specialization constants by the index of their word.
//
// `options` stays the caller's; NULL denotes GL's initial state. `words` points to memory of the
// caller for GLASM_STATE_WORDS words; it may be mapped memory.
glasm_result glasm_options_state_words(const struct glasm_options *options, uint32_t *words);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GLASM_H */
