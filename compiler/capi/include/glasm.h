/* glasm: compiles the assembly shading languages of OpenGL's programmable era, and TGSI, to SPIR-V.
 *
 * Generated from compiler/capi by its test `header`: do not edit. SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Load a program once (glasm_program_load), compile it for each state that it is used in (glasm_program_compile) or together with the
 * other programs of its pipeline (glasm_pipeline_link), read what the module expects (glasm_shader_reflection), and fill its parameter block
 * (glasm_shader_fill_parameter_block).
 *
 * Rules for all functions:
 *
 * - Ownership. Objects that a function returns through a pointer to a pointer, or creates, belong to the caller, who frees them with the
 *   function that its documentation names. Pointers to `const` that a function returns belong to the object that they came from and are
 *   valid until that is freed. Arguments stay the caller's, and no pointer to them is retained, unless the function frees them. NULL may
 *   be freed.
 * - Results. Functions that can fail return a glasm_result; glasm_error_message describes the failure. Objects that they create are NULL
 *   then, with two exceptions that the caller frees: diagnostics of programs with errors, and pipelines whose stages have errors. The
 *   other functions return NULL, 0 or the value that their documentation names.
 * - Sizes. Structures that the caller allocates begin with their size: set it to sizeof, or call their init function. Later versions
 *   may have more members at the end; a library reads and writes only as many bytes as the size says.
 * - Enumerations. Members and arguments of an enumeration that the caller chooses are uint32_t: invalid values are reported as errors.
 * - Strings are NUL-terminated UTF-8. Programs are bytes with a length, of any content.
 * - Threads. Programs, shaders, diagnostics, pipelines and their caches, set layouts, texts and compilers may be shared between threads, but
 *   not freed while another thread uses them. A glasm_state belongs to one thread at a time.
 * - Panics never leave a function, for any program: GLASM_RESULT_INTERNAL_ERROR reports an internal error of the library, which remains usable.
 */


#ifndef GLASM_H
#define GLASM_H

#include <stddef.h>
#include <stdint.h>

// The value of a length of text that ends with a NUL.
#define GLASM_NUL_TERMINATED ((size_t)-1)

// The version that the header is of: its first number.
#define GLASM_VERSION_MAJOR 0

// The version that the header is of: its second number.
#define GLASM_VERSION_MINOR 1

// The version that the header is of: its third number.
#define GLASM_VERSION_PATCH 0

// The value of `step_limit` that leaves the count out.
#define GLASM_STEP_LIMIT_NONE 4294967295

// The locations of colors, back colors, fog and texture coordinates in the fixed table: for
// `location_mask` of glasm_varyings.
#define GLASM_VARYING_LOCATIONS_CONVENTIONAL 8191

// The locations of the fixed table that go with all built-in outputs on every device.
#define GLASM_VARYING_LOCATIONS_GUARANTEED 268435455

// The value of `parameter_block_binding` that gives each stage a separate binding: vertex 0, tessellation
// control 1, evaluation 2, geometry 3, fragment 4, compute 0.
#define GLASM_BINDING_PER_STAGE 4294967295

// Subgroups have votes (VK_SUBGROUP_FEATURE_VOTE_BIT).
#define GLASM_SUBGROUP_VOTE 1

// Subgroups have ballots (VK_SUBGROUP_FEATURE_BALLOT_BIT).
#define GLASM_SUBGROUP_BALLOT 2

// Subgroups have shuffles (VK_SUBGROUP_FEATURE_SHUFFLE_BIT).
#define GLASM_SUBGROUP_SHUFFLE 4

// Subgroups have operations of quads (VK_SUBGROUP_FEATURE_QUAD_BIT).
#define GLASM_SUBGROUP_QUAD 8

// The value of `location` that built-ins have.
#define GLASM_LOCATION_BUILT_IN 4294967295

// The value of `number` where a language has no syntax for numbers.
#define GLASM_BINDING_NUMBER_NONE 4294967295

// Number of matrices of a stack, including the current one: GL_MAX_MODELVIEW_STACK_DEPTH and the
// limits of the other matrices.
#define GLASM_MAX_MATRIX_STACK_DEPTH 32

// Bytes of a key.
#define GLASM_CACHE_KEY_SIZE 32

// Number of words of the state that shaders read when they run. As a uniform buffer they have 336
// bytes.
#define GLASM_STATE_BLOCK_WORDS 84

// Modelview matrices.
#define GLASM_STATE_GROUP_MODELVIEW 1

// The projection matrix.
#define GLASM_STATE_GROUP_PROJECTION 2

// Texture matrices.
#define GLASM_STATE_GROUP_TEXTURE_MATRICES 4

// The matrix palette.
#define GLASM_STATE_GROUP_MATRIX_PALETTE 8

// Program matrices.
#define GLASM_STATE_GROUP_PROGRAM_MATRICES 16

// Rows that parameters of vertex programs have because they track a matrix.
#define GLASM_STATE_GROUP_TRACKED_MATRICES 32

// Materials.
#define GLASM_STATE_GROUP_MATERIALS 64

// Lights.
#define GLASM_STATE_GROUP_LIGHTS 128

// The ambient color of the light model.
#define GLASM_STATE_GROUP_LIGHT_MODEL 256

// Planes of texture coordinate generation.
#define GLASM_STATE_GROUP_TEXGEN 512

// Colors of texture environments.
#define GLASM_STATE_GROUP_TEXENV 1024

// Fog.
#define GLASM_STATE_GROUP_FOG 2048

// Clip planes.
#define GLASM_STATE_GROUP_CLIP_PLANES 4096

// Sizes and attenuation of points.
#define GLASM_STATE_GROUP_POINTS 8192

// The depth range, and whether depths are clamped to it.
#define GLASM_STATE_GROUP_DEPTH_RANGE 16384

// The viewport.
#define GLASM_STATE_GROUP_VIEWPORT 32768

// The height of the window, and where its row 0 is.
#define GLASM_STATE_GROUP_WINDOW 65536

// Samples of the framebuffer.
#define GLASM_STATE_GROUP_MULTISAMPLE 131072

// Thread groups of the device.
#define GLASM_STATE_GROUP_THREADS 262144

// program.env: `env` of glasm_parameter_values.
#define GLASM_STATE_GROUP_ENV 524288

// program.local: `local` of glasm_parameter_values.
#define GLASM_STATE_GROUP_LOCAL 1048576

// Named parameters: `named` of glasm_parameter_values.
#define GLASM_STATE_GROUP_NAMED 2097152

// Numbers of subroutines: `subroutine_indices` of glasm_parameter_values.
#define GLASM_STATE_GROUP_SUBROUTINES 4194304

// The argument of a vertex state program: `state_program_argument` of glasm_parameter_values.
#define GLASM_STATE_GROUP_ARGUMENT 8388608

// Result of a call.
enum glasm_result
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Success.
    GLASM_RESULT_OK = 0,
    // A program has errors, or cannot be expressed for the device or in the language:
    // `glasm_error_message` is the first one, the diagnostics are all of them.
    GLASM_RESULT_PROGRAM_ERROR = 1,
    // An argument is NULL that must not be, too large, or no number of its enumeration:
    // `glasm_error_message` names it.
    GLASM_RESULT_INVALID_ARGUMENT = 2,
    // The library was built without a feature that the call needs: `glasm_error_message` names it.
    GLASM_RESULT_FEATURE_NOT_BUILT = 3,
    // An internal error of glasm. Please report it with the string of `glasm_error_message`.
    GLASM_RESULT_INTERNAL_ERROR = 4,
    // Shaders require descriptors of different kinds at the same slot: `glasm_error_message` names
    // them.
    GLASM_RESULT_DESCRIPTOR_CONFLICT = 5,
    // A module breaks a rule of SPIR-V or Vulkan: `glasm_error_message` says which.
    GLASM_RESULT_INVALID_MODULE = 6,
    // A shader was compiled for another shading language than the one in which it is to be
    // written, or with other options: `glasm_error_message` names both languages.
    GLASM_RESULT_LANGUAGE_MISMATCH = 7,
    // A matrix stack is full.
    GLASM_RESULT_STACK_OVERFLOW = 8,
    // A matrix stack has only the current matrix.
    GLASM_RESULT_STACK_UNDERFLOW = 9,
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
    // An internal error of glasm.
    GLASM_SEVERITY_INTERNAL_ERROR = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_severity glasm_severity;
#else
typedef uint32_t glasm_severity;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Shader stages. `1u << stage` is the bit of a stage in VkShaderStageFlags.
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
enum glasm_base_type
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_BASE_TYPE_FLOAT = 0,
    GLASM_BASE_TYPE_SIGNED_INT = 1,
    GLASM_BASE_TYPE_UNSIGNED_INT = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_base_type glasm_base_type;
#else
typedef uint32_t glasm_base_type;
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

// Texture targets. Shadow targets have the values of their targets; a separate member says that a
// comparison is made.
enum glasm_texture_target
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_TEXTURE_TARGET_1D = 0,
    GLASM_TEXTURE_TARGET_2D = 1,
    GLASM_TEXTURE_TARGET_3D = 2,
    GLASM_TEXTURE_TARGET_CUBE = 3,
    // Unnormalized coordinates, one level.
    GLASM_TEXTURE_TARGET_RECT = 4,
    GLASM_TEXTURE_TARGET_1D_ARRAY = 5,
    GLASM_TEXTURE_TARGET_2D_ARRAY = 6,
    GLASM_TEXTURE_TARGET_CUBE_ARRAY = 7,
    GLASM_TEXTURE_TARGET_BUFFER = 8,
    // Two-dimensional multisample.
    GLASM_TEXTURE_TARGET_2D_MULTISAMPLE = 9,
    GLASM_TEXTURE_TARGET_2D_MULTISAMPLE_ARRAY = 10,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_texture_target glasm_texture_target;
#else
typedef uint32_t glasm_texture_target;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Scalar type of an interface variable or texel.
enum glasm_scalar_type
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // 32-bit float.
    GLASM_SCALAR_TYPE_FLOAT32 = 0,
    // 32-bit signed integer.
    GLASM_SCALAR_TYPE_SINT32 = 1,
    // 32-bit unsigned integer.
    GLASM_SCALAR_TYPE_UINT32 = 2,
    // 64-bit float.
    GLASM_SCALAR_TYPE_FLOAT64 = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_scalar_type glasm_scalar_type;
#else
typedef uint32_t glasm_scalar_type;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Format with which an image must be bound.
enum glasm_image_format
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // In the image's format, whose texels are read and written as the scalar type in `texel_type`.
    GLASM_IMAGE_FORMAT_NATIVE = 0,
    // As unsigned integers with as many bits for a texel as `texel_bits` says.
    GLASM_IMAGE_FORMAT_RAW_UINT = 1,
    // As unsigned integers, regardless of the size of its texels.
    GLASM_IMAGE_FORMAT_ANY_UINT = 2,
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
    // Textures whose texels are read as the scalar type in `texel_type`.
    GLASM_HANDLE_KIND_TEXTURE = 0,
    // Depth textures with samplers that compare.
    GLASM_HANDLE_KIND_SHADOW_TEXTURE = 1,
    // All textures, for queries.
    GLASM_HANDLE_KIND_QUERY_ONLY_TEXTURE = 2,
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
    GLASM_BUFFER_KIND_PROGRAM_PARAMETER = 0,
    // Storage buffer.
    GLASM_BUFFER_KIND_STORAGE = 1,
    // Memory that a work group shares; in no list of bindings.
    GLASM_BUFFER_KIND_SHARED = 2,
    // Memory of each invocation for itself; in no list of bindings.
    GLASM_BUFFER_KIND_PRIVATE = 3,
    // Atomic counter buffer: a storage buffer.
    GLASM_BUFFER_KIND_ATOMIC_COUNTER = 4,
    // The 96 parameters of vertex programs as state programs read and write them: a storage
    // buffer.
    GLASM_BUFFER_KIND_VERTEX_STATE_PARAMETERS = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_buffer_kind glasm_buffer_kind;
#else
typedef uint32_t glasm_buffer_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Components of an attribute of 64 bits that a variable holds.
enum glasm_attribute_half
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The attribute has no 64 bits, or is whole.
    GLASM_ATTRIBUTE_HALF_NONE = 0,
    // x and y, each as two words, low word first.
    GLASM_ATTRIBUTE_HALF_XY = 1,
    // z and w.
    GLASM_ATTRIBUTE_HALF_ZW = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_attribute_half glasm_attribute_half;
#else
typedef uint32_t glasm_attribute_half;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Viewports that primitives go to.
enum glasm_viewport_selection
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Viewport 0.
    GLASM_VIEWPORT_SELECTION_ZERO = 0,
    // The viewport of the number that the program chose.
    GLASM_VIEWPORT_SELECTION_INDEX = 1,
    // All viewports of the mask that the program chose.
    GLASM_VIEWPORT_SELECTION_MASK = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_viewport_selection glasm_viewport_selection;
#else
typedef uint32_t glasm_viewport_selection;
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
enum glasm_tess_winding
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_TESS_WINDING_CCW = 0,
    GLASM_TESS_WINDING_CW = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_tess_winding glasm_tess_winding;
#else
typedef uint32_t glasm_tess_winding;
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
enum glasm_descriptor_type
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // A texture with its sampler.
    GLASM_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER = 1,
    // An image.
    GLASM_DESCRIPTOR_TYPE_STORAGE_IMAGE = 3,
    // A buffer texture.
    GLASM_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER = 4,
    // An image whose target is a buffer.
    GLASM_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER = 5,
    // Parameters, and program parameter buffers.
    GLASM_DESCRIPTOR_TYPE_UNIFORM_BUFFER = 6,
    // Storage and atomic counter buffers, large parameter blocks, and the buffers of state
    // programs and of locks of images.
    GLASM_DESCRIPTOR_TYPE_STORAGE_BUFFER = 7,
    // A color attachment that the program reads.
    GLASM_DESCRIPTOR_TYPE_INPUT_ATTACHMENT = 10,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_descriptor_type glasm_descriptor_type;
#else
typedef uint32_t glasm_descriptor_type;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Resource of a descriptor, and the list of the reflection that has it.
enum glasm_descriptor_resource
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The parameter block: `parameters`.
    GLASM_DESCRIPTOR_RESOURCE_PARAMETER_BLOCK = 0,
    // The 96 parameters that a vertex state program reads and writes.
    GLASM_DESCRIPTOR_RESOURCE_VERTEX_STATE_PARAMETERS = 1,
    // An entry of `textures`.
    GLASM_DESCRIPTOR_RESOURCE_TEXTURE = 2,
    // An entry of `samplers`, whose texture is ignored.
    GLASM_DESCRIPTOR_RESOURCE_SAMPLER = 3,
    // An entry of `attachments`.
    GLASM_DESCRIPTOR_RESOURCE_INPUT_ATTACHMENT = 4,
    // An entry of `images`.
    GLASM_DESCRIPTOR_RESOURCE_IMAGE = 5,
    // An entry of `handle_arrays`.
    GLASM_DESCRIPTOR_RESOURCE_HANDLE_ARRAY = 6,
    // An entry of `buffers`.
    GLASM_DESCRIPTOR_RESOURCE_BUFFER = 7,
    // The lock of images.
    GLASM_DESCRIPTOR_RESOURCE_IMAGE_LOCK = 8,
    // The uniform buffer of GL state that the shader reads when it runs:
    // `glasm_options_write_state_block`.
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
enum glasm_text_resource_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // A uniform buffer: the parameters, or a program parameter buffer.
    GLASM_TEXT_RESOURCE_KIND_UNIFORM_BUFFER = 0,
    // A storage buffer.
    GLASM_TEXT_RESOURCE_KIND_STORAGE_BUFFER = 1,
    // A texture with its sampler.
    GLASM_TEXT_RESOURCE_KIND_TEXTURE = 2,
    // An image.
    GLASM_TEXT_RESOURCE_KIND_IMAGE = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_text_resource_kind glasm_text_resource_kind;
#else
typedef uint32_t glasm_text_resource_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Base internal formats of color textures.
enum glasm_base_format
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // ALPHA
    GLASM_BASE_FORMAT_ALPHA = 0,
    // LUMINANCE
    GLASM_BASE_FORMAT_LUMINANCE = 1,
    // LUMINANCE_ALPHA
    GLASM_BASE_FORMAT_LUMINANCE_ALPHA = 2,
    // INTENSITY
    GLASM_BASE_FORMAT_INTENSITY = 3,
    // RGB
    GLASM_BASE_FORMAT_RGB = 4,
    // RGBA
    GLASM_BASE_FORMAT_RGBA = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_base_format glasm_base_format;
#else
typedef uint32_t glasm_base_format;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Functions of texture combiners, of arguments a0 to a3.
enum glasm_combine_function
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // REPLACE: a0
    GLASM_COMBINE_FUNCTION_REPLACE = 0,
    // MODULATE: a0 a1
    GLASM_COMBINE_FUNCTION_MODULATE = 1,
    // ADD: a0 + a1
    GLASM_COMBINE_FUNCTION_ADD = 2,
    // ADD_SIGNED: a0 + a1 - 1/2
    GLASM_COMBINE_FUNCTION_ADD_SIGNED = 3,
    // INTERPOLATE: a0 a2 + a1 (1 - a2)
    GLASM_COMBINE_FUNCTION_INTERPOLATE = 4,
    // SUBTRACT: a0 - a1
    GLASM_COMBINE_FUNCTION_SUBTRACT = 5,
    // DOT3_RGB: 4 (a0 - 1/2) . (a1 - 1/2)
    GLASM_COMBINE_FUNCTION_DOT3_RGB = 6,
    // DOT3_RGBA: the same, also for alpha.
    GLASM_COMBINE_FUNCTION_DOT3_RGBA = 7,
    // MODULATE_ADD_ATI: a0 a2 + a1
    GLASM_COMBINE_FUNCTION_MODULATE_ADD = 8,
    // MODULATE_SIGNED_ADD_ATI: a0 a2 + a1 - 1/2
    GLASM_COMBINE_FUNCTION_MODULATE_SIGNED_ADD = 9,
    // MODULATE_SUBTRACT_ATI: a0 a2 - a1
    GLASM_COMBINE_FUNCTION_MODULATE_SUBTRACT = 10,
    // ADD of the mode COMBINE4_NV: a0 a1 + a2 a3
    GLASM_COMBINE_FUNCTION_ADD_PRODUCTS = 11,
    // ADD_SIGNED of the mode COMBINE4_NV: a0 a1 + a2 a3 - 1/2
    GLASM_COMBINE_FUNCTION_ADD_PRODUCTS_SIGNED = 12,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_combine_function glasm_combine_function;
#else
typedef uint32_t glasm_combine_function;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Operands of texture combiners.
enum glasm_combine_operand
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // SRC_COLOR
    GLASM_COMBINE_OPERAND_COLOR = 0,
    // ONE_MINUS_SRC_COLOR
    GLASM_COMBINE_OPERAND_ONE_MINUS_COLOR = 1,
    // SRC_ALPHA
    GLASM_COMBINE_OPERAND_ALPHA = 2,
    // ONE_MINUS_SRC_ALPHA
    GLASM_COMBINE_OPERAND_ONE_MINUS_ALPHA = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_combine_operand glasm_combine_operand;
#else
typedef uint32_t glasm_combine_operand;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Color sources of texture combiners.
enum glasm_combine_source
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // TEXTURE: the texel of the unit.
    GLASM_COMBINE_SOURCE_TEXTURE = 0,
    // TEXTUREn: the texel of the unit `unit`.
    GLASM_COMBINE_SOURCE_TEXTURE_UNIT = 1,
    // CONSTANT: the environment color of the unit.
    GLASM_COMBINE_SOURCE_CONSTANT = 2,
    // PRIMARY_COLOR
    GLASM_COMBINE_SOURCE_PRIMARY_COLOR = 3,
    // PREVIOUS: the result of the previous unit.
    GLASM_COMBINE_SOURCE_PREVIOUS = 4,
    // ZERO
    GLASM_COMBINE_SOURCE_ZERO = 5,
    // ONE
    GLASM_COMBINE_SOURCE_ONE = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_combine_source glasm_combine_source;
#else
typedef uint32_t glasm_combine_source;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Targets of textures of the fixed functions.
enum glasm_fixed_texture_target
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // TEXTURE_1D
    GLASM_FIXED_TEXTURE_TARGET_1D = 0,
    // TEXTURE_2D
    GLASM_FIXED_TEXTURE_TARGET_2D = 1,
    // TEXTURE_3D
    GLASM_FIXED_TEXTURE_TARGET_3D = 2,
    // TEXTURE_CUBE_MAP
    GLASM_FIXED_TEXTURE_TARGET_CUBE = 3,
    // TEXTURE_RECTANGLE
    GLASM_FIXED_TEXTURE_TARGET_RECTANGLE = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_fixed_texture_target glasm_fixed_texture_target;
#else
typedef uint32_t glasm_fixed_texture_target;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// FOG_MODE.
enum glasm_fog_mode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // LINEAR
    GLASM_FOG_MODE_LINEAR = 0,
    // EXP
    GLASM_FOG_MODE_EXP = 1,
    // EXP2
    GLASM_FOG_MODE_EXP2 = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_fog_mode glasm_fog_mode;
#else
typedef uint32_t glasm_fog_mode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Source of the fog coordinate: FOG_COORD_SRC and FOG_DISTANCE_MODE_NV.
enum glasm_fog_source
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // FRAGMENT_DEPTH, the absolute value of z in eye space.
    GLASM_FOG_SOURCE_FRAGMENT_DEPTH = 0,
    // FRAGMENT_DEPTH, z in eye space with its sign: EYE_PLANE.
    GLASM_FOG_SOURCE_EYE_PLANE = 1,
    // FRAGMENT_DEPTH, the distance from the eye: EYE_RADIAL_NV.
    GLASM_FOG_SOURCE_EYE_RADIAL = 2,
    // FOG_COORD: the fog coordinate of the vertex.
    GLASM_FOG_SOURCE_FOG_COORD = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_fog_source glasm_fog_source;
#else
typedef uint32_t glasm_fog_source;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Faces of glColorMaterial. 0 is not one, so that a key of zeros is an error.
enum glasm_material_faces
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // FRONT
    GLASM_MATERIAL_FACES_FRONT = 1,
    // BACK
    GLASM_MATERIAL_FACES_BACK = 2,
    // FRONT_AND_BACK
    GLASM_MATERIAL_FACES_BOTH = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_material_faces glasm_material_faces;
#else
typedef uint32_t glasm_material_faces;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Mode of glColorMaterial. 0 is not one, so that a key of zeros is an error.
enum glasm_material_mode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // AMBIENT
    GLASM_MATERIAL_MODE_AMBIENT = 1,
    // DIFFUSE
    GLASM_MATERIAL_MODE_DIFFUSE = 2,
    // SPECULAR
    GLASM_MATERIAL_MODE_SPECULAR = 3,
    // EMISSION
    GLASM_MATERIAL_MODE_EMISSION = 4,
    // AMBIENT_AND_DIFFUSE
    GLASM_MATERIAL_MODE_AMBIENT_AND_DIFFUSE = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_material_mode glasm_material_mode;
#else
typedef uint32_t glasm_material_mode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// NORMALIZE and RESCALE_NORMAL.
enum glasm_normal_scaling
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Normals are not scaled.
    GLASM_NORMAL_SCALING_NONE = 0,
    // RESCALE_NORMAL.
    GLASM_NORMAL_SCALING_RESCALE = 1,
    // NORMALIZE, with or without RESCALE_NORMAL.
    GLASM_NORMAL_SCALING_NORMALIZE = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_normal_scaling glasm_normal_scaling;
#else
typedef uint32_t glasm_normal_scaling;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// TEXTURE_GEN_MODE of a coordinate.
enum glasm_texgen_mode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The coordinate of the vertex.
    GLASM_TEXGEN_MODE_NONE = 0,
    // OBJECT_LINEAR
    GLASM_TEXGEN_MODE_OBJECT_LINEAR = 1,
    // EYE_LINEAR
    GLASM_TEXGEN_MODE_EYE_LINEAR = 2,
    // SPHERE_MAP
    GLASM_TEXGEN_MODE_SPHERE_MAP = 3,
    // REFLECTION_MAP
    GLASM_TEXGEN_MODE_REFLECTION_MAP = 4,
    // NORMAL_MAP
    GLASM_TEXGEN_MODE_NORMAL_MAP = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_texgen_mode glasm_texgen_mode;
#else
typedef uint32_t glasm_texgen_mode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// TEXTURE_ENV_MODE.
enum glasm_texture_environment
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // MODULATE
    GLASM_TEXTURE_ENVIRONMENT_MODULATE = 0,
    // REPLACE
    GLASM_TEXTURE_ENVIRONMENT_REPLACE = 1,
    // DECAL
    GLASM_TEXTURE_ENVIRONMENT_DECAL = 2,
    // BLEND
    GLASM_TEXTURE_ENVIRONMENT_BLEND = 3,
    // ADD
    GLASM_TEXTURE_ENVIRONMENT_ADD = 4,
    // COMBINE: the combiners of the unit.
    GLASM_TEXTURE_ENVIRONMENT_COMBINE = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_texture_environment glasm_texture_environment;
#else
typedef uint32_t glasm_texture_environment;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Numbers of the vertex attributes that GL's conventional commands set: their locations in
// modules.
enum glasm_vertex_attribute
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    GLASM_VERTEX_ATTRIBUTE_POSITION = 0,
    GLASM_VERTEX_ATTRIBUTE_WEIGHT = 1,
    GLASM_VERTEX_ATTRIBUTE_NORMAL = 2,
    GLASM_VERTEX_ATTRIBUTE_COLOR = 3,
    GLASM_VERTEX_ATTRIBUTE_SECONDARY_COLOR = 4,
    GLASM_VERTEX_ATTRIBUTE_FOG_COORD = 5,
    // Texture coordinate set n, below 8, is n more.
    GLASM_VERTEX_ATTRIBUTE_TEX_COORD0 = 8,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_vertex_attribute glasm_vertex_attribute;
#else
typedef uint32_t glasm_vertex_attribute;
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
enum glasm_mip_filter
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The base level, regardless of the level of detail.
    GLASM_MIP_FILTER_NONE = 0,
    GLASM_MIP_FILTER_NEAREST = 1,
    GLASM_MIP_FILTER_LINEAR = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_mip_filter glasm_mip_filter;
#else
typedef uint32_t glasm_mip_filter;
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
    GLASM_MATRIX_MODELVIEW_PROJECTION = 2,
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
enum glasm_text_nan_mode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Results of the functions of the language.
    GLASM_TEXT_NAN_MODE_UNSPECIFIED = 0,
    // Results that programs require, by tests that make the source long.
    GLASM_TEXT_NAN_MODE_EXACT = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_text_nan_mode glasm_text_nan_mode;
#else
typedef uint32_t glasm_text_nan_mode;
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
    GLASM_PARAMETER_SOURCE_GL_STATE = 3,
    // A constant: `literal`.
    GLASM_PARAMETER_SOURCE_LITERAL = 4,
    // A parameter with a name: `index` among the named parameters of the reflection.
    GLASM_PARAMETER_SOURCE_NAMED = 5,
    // Argument with which a vertex state program is executed, its `v[0]`.
    GLASM_PARAMETER_SOURCE_STATE_PROGRAM_ARGUMENT = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_parameter_source glasm_parameter_source;
#else
typedef uint32_t glasm_parameter_source;
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
enum glasm_primitive_id_mode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Each has its own.
    GLASM_PRIMITIVE_ID_MODE_PER_PRIMITIVE = 0,
    // Two primitives share one: quadrilaterals.
    GLASM_PRIMITIVE_ID_MODE_PER_QUAD = 1,
    // All have number 0: a polygon.
    GLASM_PRIMITIVE_ID_MODE_CONSTANT = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_primitive_id_mode glasm_primitive_id_mode;
#else
typedef uint32_t glasm_primitive_id_mode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Type that a program must have. The values are GL's targets of programs, such as
// GL_VERTEX_PROGRAM_ARB, and none is a glasm_stage.
enum glasm_program_type
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Any type: the one that the header states. No target of GL.
    GLASM_PROGRAM_TYPE_ANY = 65535,
    // GL_VERTEX_PROGRAM_ARB, GL_VERTEX_PROGRAM_NV.
    GLASM_PROGRAM_TYPE_VERTEX = 34336,
    // GL_TESS_CONTROL_PROGRAM_NV.
    GLASM_PROGRAM_TYPE_TESS_CONTROL = 35102,
    // GL_TESS_EVALUATION_PROGRAM_NV.
    GLASM_PROGRAM_TYPE_TESS_EVAL = 35103,
    // GL_GEOMETRY_PROGRAM_NV.
    GLASM_PROGRAM_TYPE_GEOMETRY = 35878,
    // GL_FRAGMENT_PROGRAM_ARB.
    GLASM_PROGRAM_TYPE_FRAGMENT = 34820,
    // GL_FRAGMENT_PROGRAM_NV: the same type as GLASM_PROGRAM_TYPE_FRAGMENT.
    GLASM_PROGRAM_TYPE_FRAGMENT_NV = 34928,
    // GL_COMPUTE_PROGRAM_NV.
    GLASM_PROGRAM_TYPE_COMPUTE = 37115,
    // GL_VERTEX_STATE_PROGRAM_NV: a vertex state program, which becomes a compute shader.
    GLASM_PROGRAM_TYPE_VERTEX_STATE = 34337,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_program_type glasm_program_type;
#else
typedef uint32_t glasm_program_type;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Clamp of values.
enum glasm_saturation
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // No clamp.
    GLASM_SATURATION_NONE = 0,
    // To 0 to 1; NaN becomes 0.
    GLASM_SATURATION_UNSIGNED = 1,
    // To -1 to 1; NaN becomes -1.
    GLASM_SATURATION_SIGNED = 2,
    // To 0 to 1; NaN remains NaN.
    GLASM_SATURATION_UNSIGNED_OR_NAN = 3,
    // To -1 to 1; NaN remains NaN.
    GLASM_SATURATION_SIGNED_OR_NAN = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_saturation glasm_saturation;
#else
typedef uint32_t glasm_saturation;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Semantics of stage inputs and outputs. Those with an index say so.
enum glasm_semantic
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Vertex attribute by number.
    GLASM_SEMANTIC_VERTEX_ATTRIBUTE = 0,
    // Clip-space position of a vertex; as fragment input the window position (x, y, z, 1/w).
    GLASM_SEMANTIC_POSITION = 1,
    GLASM_SEMANTIC_POINT_SIZE = 2,
    // Front-facing primary (0) or secondary (1) color.
    GLASM_SEMANTIC_COLOR = 3,
    // Back-facing primary (0) or secondary (1) color.
    GLASM_SEMANTIC_BACK_COLOR = 4,
    GLASM_SEMANTIC_FOG_COORD = 5,
    // Fog as a vector of four components.
    GLASM_SEMANTIC_FOG_COORD_VEC4 = 6,
    // Texture coordinate set by number.
    GLASM_SEMANTIC_TEX_COORD = 7,
    // Generic varying by number.
    GLASM_SEMANTIC_GENERIC_VARYING = 8,
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
    GLASM_SEMANTIC_INPUT_VERTEX_COUNT = 23,
    // Position in the subdivided patch.
    GLASM_SEMANTIC_TESS_COORD = 24,
    // Outer tessellation level by number.
    GLASM_SEMANTIC_TESS_LEVEL_OUTER = 25,
    // Inner tessellation level by number.
    GLASM_SEMANTIC_TESS_LEVEL_INNER = 26,
    // Generic varying of the patch by number.
    GLASM_SEMANTIC_GENERIC_PATCH_VARYING = 27,
    // Facing: +1.0 front, -1.0 back.
    GLASM_SEMANTIC_FACE_SIGN = 28,
    GLASM_SEMANTIC_POINT_COORD = 29,
    GLASM_SEMANTIC_SAMPLE_ID = 30,
    GLASM_SEMANTIC_SAMPLE_POSITION = 31,
    GLASM_SEMANTIC_SAMPLE_MASK = 32,
    // True if the primitive covers all of the fragment.
    GLASM_SEMANTIC_FULLY_COVERED = 33,
    GLASM_SEMANTIC_HELPER_INVOCATION = 34,
    // Fragment color of draw buffer `index`; `blend_source` 1 is the second source of dual-source
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
    // glasm_options.state_sources.
    GLASM_SEMANTIC_FLAT_COLOR = 59,
    // A back color by index as a separate output, which is not interpolated.
    GLASM_SEMANTIC_FLAT_BACK_COLOR = 60,
    // Start of the line of a fragment, in pixels.
    GLASM_SEMANTIC_LINE_STIPPLE_START = 61,
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
enum glasm_state_source
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // From the options: another value is another module.
    GLASM_STATE_SOURCE_COMPILE_TIME = 0,
    // From specialization constants: another value is another pipeline.
    GLASM_STATE_SOURCE_SPEC_CONSTANT = 1,
    // From a uniform buffer.
    GLASM_STATE_SOURCE_UNIFORM_BLOCK = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_state_source glasm_state_source;
#else
typedef uint32_t glasm_state_source;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// State of GL that a parameter reads. The comment of each lists the members of
// glasm_state_parameter that are used.
enum glasm_state_parameter_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // A row of a matrix: `matrix`, `index` (its number), `form`, `row`.
    GLASM_STATE_PARAMETER_KIND_MATRIX_ROW = 0,
    // Color of a material: `face`, `term`.
    GLASM_STATE_PARAMETER_KIND_MATERIAL_COLOR = 1,
    // (shininess, 0, 0, 1) of a material: `face`.
    GLASM_STATE_PARAMETER_KIND_MATERIAL_SHININESS = 2,
    // Color of a light: `index`, `term`.
    GLASM_STATE_PARAMETER_KIND_LIGHT_COLOR = 3,
    // Position of a light: `index`.
    GLASM_STATE_PARAMETER_KIND_LIGHT_POSITION = 4,
    // (constant, linear, quadratic attenuation, spot exponent) of a light: `index`.
    GLASM_STATE_PARAMETER_KIND_LIGHT_ATTENUATION = 5,
    // (spot direction, cosine of the spot cutoff) of a light: `index`.
    GLASM_STATE_PARAMETER_KIND_LIGHT_SPOT_DIRECTION = 6,
    // Half vector of a light: `index`.
    GLASM_STATE_PARAMETER_KIND_LIGHT_HALF_VECTOR = 7,
    // Ambient color of the light model.
    GLASM_STATE_PARAMETER_KIND_LIGHT_MODEL_AMBIENT = 8,
    // Scene color: `face`.
    GLASM_STATE_PARAMETER_KIND_LIGHT_MODEL_SCENE_COLOR = 9,
    // Product of light and material color: `index`, `face`, `term`.
    GLASM_STATE_PARAMETER_KIND_LIGHT_PRODUCT = 10,
    // Plane of texture coordinate generation: `index` (coordinate set), `plane`, `coord`.
    GLASM_STATE_PARAMETER_KIND_TEXGEN = 11,
    // Texture environment color: `index`.
    GLASM_STATE_PARAMETER_KIND_TEXENV_COLOR = 12,
    // Fog color.
    GLASM_STATE_PARAMETER_KIND_FOG_COLOR = 13,
    // (density, start, end, 1 / (end - start))
    GLASM_STATE_PARAMETER_KIND_FOG_PARAMS = 14,
    // Clip plane in eye space: `index`.
    GLASM_STATE_PARAMETER_KIND_CLIP_PLANE = 15,
    // (size, min, max, fade threshold)
    GLASM_STATE_PARAMETER_KIND_POINT_SIZE = 16,
    // (constant, linear, quadratic attenuation, 1)
    GLASM_STATE_PARAMETER_KIND_POINT_ATTENUATION = 17,
    // (near, far, far - near, 1)
    GLASM_STATE_PARAMETER_KIND_DEPTH_RANGE = 18,
    // (x, y, width, height)
    GLASM_STATE_PARAMETER_KIND_VIEWPORT = 19,
    // (least, largest, 0, 1) depth of fragments that replace it.
    GLASM_STATE_PARAMETER_KIND_DEPTH_BOUNDS = 20,
    // (scale, offset, 0, 1) that convert y of the window position to a distance from the top.
    GLASM_STATE_PARAMETER_KIND_WINDOW_ORIGIN = 21,
    // (scale, offset, 0, 1) that convert y of the window position to a distance from the bottom.
    GLASM_STATE_PARAMETER_KIND_WINDOW_ORIGIN_LOWER = 22,
    // Property of thread groups, an integer in the first component: `property`.
    GLASM_STATE_PARAMETER_KIND_THREAD_PROPERTY = 23,
    // (factor, 0, 0, 1): GL's normal rescaling.
    GLASM_STATE_PARAMETER_KIND_NORMAL_SCALE = 24,
    // Number of samples, an integer in the first component.
    GLASM_STATE_PARAMETER_KIND_SAMPLES = 25,
    // (x, y, 0, 1) of a sample: `index`.
    GLASM_STATE_PARAMETER_KIND_SAMPLE_POSITION = 26,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_state_parameter_kind glasm_state_parameter_kind;
#else
typedef uint32_t glasm_state_parameter_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Values that glasm_state_set sets: the number of floats, the role of `index` if it is used, and
// GL's command.
enum glasm_state_variable
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // 4 floats; `index`: light (glLight, GL_AMBIENT).
    GLASM_STATE_VARIABLE_LIGHT_AMBIENT = 0,
    // 4 floats; `index`: light (glLight, GL_DIFFUSE).
    GLASM_STATE_VARIABLE_LIGHT_DIFFUSE = 1,
    // 4 floats; `index`: light (glLight, GL_SPECULAR).
    GLASM_STATE_VARIABLE_LIGHT_SPECULAR = 2,
    // 4 floats; `index`: light (glLight, GL_POSITION). Transformed by modelview matrix 0 of that
    // moment.
    GLASM_STATE_VARIABLE_LIGHT_POSITION = 3,
    // 3 floats: constant, linear, quadratic; `index`: light (glLight, GL_CONSTANT_ATTENUATION and
    // so on).
    GLASM_STATE_VARIABLE_LIGHT_ATTENUATION = 4,
    // 3 floats; `index`: light (glLight, GL_SPOT_DIRECTION). Turned by modelview matrix 0 of that
    // moment.
    GLASM_STATE_VARIABLE_LIGHT_SPOT_DIRECTION = 5,
    // 1 float; `index`: light (glLight, GL_SPOT_EXPONENT).
    GLASM_STATE_VARIABLE_LIGHT_SPOT_EXPONENT = 6,
    // 1 float; `index`: light (glLight, GL_SPOT_CUTOFF).
    GLASM_STATE_VARIABLE_LIGHT_SPOT_CUTOFF = 7,
    // 4 floats; `index`: a glasm_face (glMaterial, GL_AMBIENT).
    GLASM_STATE_VARIABLE_MATERIAL_AMBIENT = 8,
    // 4 floats; `index`: a glasm_face (glMaterial, GL_DIFFUSE).
    GLASM_STATE_VARIABLE_MATERIAL_DIFFUSE = 9,
    // 4 floats; `index`: a glasm_face (glMaterial, GL_SPECULAR).
    GLASM_STATE_VARIABLE_MATERIAL_SPECULAR = 10,
    // 4 floats; `index`: a glasm_face (glMaterial, GL_EMISSION).
    GLASM_STATE_VARIABLE_MATERIAL_EMISSION = 11,
    // 1 float; `index`: a glasm_face (glMaterial, GL_SHININESS).
    GLASM_STATE_VARIABLE_MATERIAL_SHININESS = 12,
    // 4 floats (glLightModel, GL_LIGHT_MODEL_AMBIENT).
    GLASM_STATE_VARIABLE_LIGHT_MODEL_AMBIENT = 13,
    // 4 floats; `index`: 4 * coordinate set + glasm_texgen_coord (glTexGen, GL_EYE_PLANE).
    // Transformed by modelview matrix 0 of that moment.
    GLASM_STATE_VARIABLE_TEXGEN_EYE_PLANE = 14,
    // 4 floats; `index`: 4 * coordinate set + glasm_texgen_coord (glTexGen, GL_OBJECT_PLANE).
    GLASM_STATE_VARIABLE_TEXGEN_OBJECT_PLANE = 15,
    // 4 floats; `index`: texture unit (glTexEnv, GL_TEXTURE_ENV_COLOR).
    GLASM_STATE_VARIABLE_TEXENV_COLOR = 16,
    // 4 floats (glFog, GL_FOG_COLOR).
    GLASM_STATE_VARIABLE_FOG_COLOR = 17,
    // 1 float (glFog, GL_FOG_DENSITY).
    GLASM_STATE_VARIABLE_FOG_DENSITY = 18,
    // 1 float (glFog, GL_FOG_START).
    GLASM_STATE_VARIABLE_FOG_START = 19,
    // 1 float (glFog, GL_FOG_END).
    GLASM_STATE_VARIABLE_FOG_END = 20,
    // 4 floats; `index`: plane (glClipPlane). Transformed by modelview matrix 0 of that moment.
    GLASM_STATE_VARIABLE_CLIP_PLANE = 21,
    // 1 float (glPointSize).
    GLASM_STATE_VARIABLE_POINT_SIZE = 22,
    // 1 float (glPointParameter, GL_POINT_SIZE_MIN).
    GLASM_STATE_VARIABLE_POINT_SIZE_MIN = 23,
    // 1 float (glPointParameter, GL_POINT_SIZE_MAX).
    GLASM_STATE_VARIABLE_POINT_SIZE_MAX = 24,
    // 1 float (glPointParameter, GL_POINT_FADE_THRESHOLD_SIZE).
    GLASM_STATE_VARIABLE_POINT_FADE_THRESHOLD = 25,
    // 3 floats: constant, linear, quadratic (glPointParameter, GL_POINT_DISTANCE_ATTENUATION).
    GLASM_STATE_VARIABLE_POINT_ATTENUATION = 26,
    // 2 floats: near, far (glDepthRange).
    GLASM_STATE_VARIABLE_DEPTH_RANGE = 27,
    // 1 float: 0 is off (glEnable, GL_DEPTH_CLAMP).
    GLASM_STATE_VARIABLE_DEPTH_CLAMP = 28,
    // 4 floats: x, y, width, height (glViewport).
    GLASM_STATE_VARIABLE_VIEWPORT = 29,
    // 1 float: height of the window if row 0 of the image that is drawn to is the lowest one;
    // below 0: it is the top one.
    GLASM_STATE_VARIABLE_LOWER_LEFT_ORIGIN_HEIGHT = 30,
    // 1 float: height of the window.
    GLASM_STATE_VARIABLE_WINDOW_HEIGHT = 31,
    // 1 float: invocations of a thread group, at most 32.
    GLASM_STATE_VARIABLE_WARP_SIZE = 32,
    // 1 float: thread groups that a processor runs at a time.
    GLASM_STATE_VARIABLE_WARPS_PER_SM = 33,
    // 1 float: number of processors.
    GLASM_STATE_VARIABLE_SM_COUNT = 34,
    // 1 float: samples of the framebuffer, at the standard sample locations of Vulkan.
    GLASM_STATE_VARIABLE_SAMPLES = 35,
    // 2 floats: x and y from 0 to 1; `index`: sample.
    GLASM_STATE_VARIABLE_SAMPLE_POSITION = 36,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_state_variable glasm_state_variable;
#else
typedef uint32_t glasm_state_variable;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Target environments: OpenGL, or a version of Vulkan, with a version of SPIR-V.
enum glasm_target
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Vulkan 1.1, SPIR-V 1.3.
    GLASM_TARGET_VULKAN_1_1 = 0,
    // Vulkan 1.2, SPIR-V 1.5.
    GLASM_TARGET_VULKAN_1_2 = 1,
    // Vulkan 1.3, SPIR-V 1.6.
    GLASM_TARGET_VULKAN_1_3 = 2,
    // OpenGL with GL_ARB_gl_spirv, which is core in 4.6: SPIR-V 1.0. See
    // `glasm_options_use_opengl_environment`.
    GLASM_TARGET_OPENGL_4_5 = 3,
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
enum glasm_clip_conventions
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // OpenGL's if `compiler_options` has GLASM_CLIP_DEPTH_NEGATIVE_ONE_TO_ONE, as
    // `glasm_options_init_for_gl_context` sets it; otherwise those of the language, so that positions
    // pass unchanged.
    GLASM_CLIP_CONVENTIONS_OF_COMPILER_OPTIONS = 0,
    // OpenGL's: depth from -w to w, y up.
    GLASM_CLIP_CONVENTIONS_OPENGL = 1,
    // Vulkan's: depth from 0 to w, y down.
    GLASM_CLIP_CONVENTIONS_VULKAN = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_clip_conventions glasm_clip_conventions;
#else
typedef uint32_t glasm_clip_conventions;
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
enum glasm_varying_layout
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // They are in the fixed table; `glasm_semantic_fixed_location` reads it.
    GLASM_VARYING_LAYOUT_FIXED_TABLE = 0,
    // Locations are those of the fixed table, and outputs are (0, 0, 0, 1) at each location of
    // `location_mask` that the program does not write: any program may follow that reads no others, as
    // GL binds any vertex program with any fragment program. In Vulkan an input without an output
    // is an error, also between pipeline libraries and shader objects. For inputs the same as
    // GLASM_VARYING_LAYOUT_FIXED_TABLE.
    GLASM_VARYING_LAYOUT_ALL_LOCATIONS = 1,
    // Each is at its index in the list, of which only the semantics are used. Varyings that are
    // not in the list are dropped: outputs are not stored, inputs are (0, 0, 0, 1).
    GLASM_VARYING_LAYOUT_PACKED = 2,
    // Locations are those of the other stage, which is a module of another compiler. Varyings that
    // are not in the list are dropped.
    GLASM_VARYING_LAYOUT_EXPLICIT = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum glasm_varying_layout glasm_varying_layout;
#else
typedef uint32_t glasm_varying_layout;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// GL's wrap modes that programs apply because the samplers of Vulkan cannot.
enum glasm_wrap_mode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The sampler wraps the coordinate.
    GLASM_WRAP_MODE_BY_SAMPLER = 0,
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

// Result of linking the programs of a pipeline. Threads may share it. Its handles are counted, and
// are one pointer.
typedef struct glasm_pipeline glasm_pipeline;

// Pipelines by their programs and options: state on which none of the modules depends does not lead
// to another pipeline. Threads may share it; they wait for each other.
typedef struct glasm_pipeline_cache glasm_pipeline_cache;

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
    // Number of its bytes, below 4 GiB; GLASM_NUL_TERMINATED for a string that ends with a NUL.
    size_t text_length;
    // The bytes of the source that are the program: all of them if the length is 0. Positions in
    // messages are those of the entire source.
    uint32_t program_start;
    // See `program_start`.
    uint32_t program_length;
    // The header of the language, such as "!!ARBvp1.0" or "FRAG"; NULL: it is read from the
    // source.
    const char *header;
    // Type that the program must have: a glasm_program_type.
    uint32_t program_type;
    // True if a broken rule is an error even if shipped programs break it.
    glasm_bool strict;
    // Number of instructions that a program with free branches may run before its loops end, at
    // least 1; GLASM_STEP_LIMIT_NONE: any number.
    uint32_t step_limit;
    // TGSI: the program is read according to the document of 2010 where it differs from the
    // current one.
    glasm_bool tgsi_legacy_semantics;
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
    float tgsi_default_tess_levels[6];
    // TGSI: color 1 of fragment programs is the second source of the blending of attachment 0.
    glasm_bool tgsi_dual_source_blending;
    // TGSI: user clip planes whose distances are computed from CLIPVERTEX, bit n for plane n.
    uint32_t tgsi_clip_plane_mask;
    // TGSI: the number of the BGNSUB with which a compute program begins that consists of
    // subroutines.
    uint32_t tgsi_entry_subroutine;
} glasm_source;

// The bytes of one of the programs of a source that contains several.
typedef struct glasm_program_span {
    // Its first byte in the text: for `program_start` of a source. The first program begins where the
    // text does.
    uint32_t start;
    // Number of its bytes, up to the header of the next program: for `program_length` of a source.
    uint32_t length;
    // Offset in bytes of its header in the source; `start` if there is none.
    uint32_t header_offset;
    // The header of its language, such as "!!ARBvp1.0", which belongs to the library and is valid
    // for ever; NULL if it has none that is known.
    const char *header;
} glasm_program_span;

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
    glasm_bool has_location;
    // Its first byte in the text.
    uint32_t byte_start;
    // Offset of the byte after its last one.
    uint32_t byte_end;
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
    const char *missing_feature;
    // Hints, one line each.
    const char *const *notes;
    // Number of them.
    size_t note_count;
} glasm_diagnostic;

// The semantic of a stage input or output.
typedef struct glasm_semantic_info {
    // A glasm_semantic.
    uint32_t name;
    // Its index, for semantics that have one; else 0.
    uint32_t index;
    // Blend source of fragment colors; else 0.
    uint32_t blend_source;
} glasm_semantic_info;

// Wrap modes of a texture image unit that programs apply, with the filters of its sampler that
// they depend on.
typedef struct glasm_texture_wrap {
    // Modes of s, t and r: glasm_wrap_mode.
    uint32_t wrap_modes[3];
    // Filter where texels cover more than a pixel: a glasm_texel_filter.
    uint32_t mag_filter;
    // Filter where they cover less: a glasm_texel_filter.
    uint32_t min_filter;
    // Filter between levels: a glasm_mip_filter.
    uint32_t mip_filter;
} glasm_texture_wrap;

// Components of a result that transform feedback captures for every vertex.
typedef struct glasm_xfb_capture {
    // The result.
    struct glasm_semantic_info semantic;
    // First component.
    uint32_t first_component;
    // Number of components.
    uint32_t component_count;
    // Number of the buffer.
    uint32_t buffer;
    // Bytes from the start of the vertex in the buffer.
    uint32_t offset;
    // Vertex stream.
    uint32_t stream;
} glasm_xfb_capture;

// Location of a varying, and its semantic there.
typedef struct glasm_varying_location {
    // Its semantic in the program.
    struct glasm_semantic_info semantic;
    // Its location.
    uint32_t location;
    // Its first component there, below 4.
    uint32_t first_component;
    // Its type: a glasm_base_type.
    uint32_t base_type;
    // Number of components, 1 to 4.
    uint32_t component_count;
} glasm_varying_location;

// Locations of the varyings between two stages.
typedef struct glasm_varyings {
    // A glasm_varying_layout, which selects the other members that are used.
    uint32_t layout;
    // Bit n: location n, for GLASM_VARYING_LAYOUT_ALL_LOCATIONS; see GLASM_VARYING_LOCATIONS_CONVENTIONAL.
    uint32_t location_mask;
    // Varyings, for GLASM_VARYING_LAYOUT_PACKED and GLASM_VARYING_LAYOUT_EXPLICIT.
    const struct glasm_varying_location *varying_locations;
    // Number of them.
    size_t varying_location_count;
} glasm_varyings;

// Sources of each state in shaders: each is a glasm_state_source. Stages that are compiled
// separately must agree about them.
typedef struct glasm_state_sources {
    // `two_sided_color`.
    uint32_t two_sided_color;
    // `flat_colors`. The last stage before rasterization then writes each color twice: up to four
    // locations more.
    uint32_t flat_colors;
    // `clamp_vertex_colors`.
    uint32_t clamp_vertex_colors;
    // `clamp_fragment_colors`.
    uint32_t clamp_fragment_colors;
    // `coord_replace_mask`, for which the options have the sprites that may be on, and `point_origin`.
    uint32_t point_sprites;
    // `forced_point_size` and `default_point_size`.
    uint32_t point_size;
    // `clip_plane_mask`, for which the options have the planes that may be on.
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
} glasm_state_sources;

// Options of code generation. `glasm_options_init` fills them with their initial values.
//
// Lists go by texture image unit, image unit, attribute or color attachment, from 0 on; entries
// past their end have their default. All that the structure points to belongs to the caller and is
// read only during the call that gets it.
typedef struct glasm_options {
    // Size of the structure in bytes, as the caller knows it.
    size_t size;
    // Target environment: a glasm_target. Initially GLASM_TARGET_VULKAN_1_1.
    uint32_t target;
    // Set of the parameter block.
    uint32_t parameter_block_set;
    // Binding of the parameter block, or GLASM_BINDING_PER_STAGE.
    uint32_t parameter_block_binding;
    // Set of combined image samplers; the binding is the texture image unit.
    uint32_t texture_set;
    // Set of program parameter buffers; the binding is first_parameter_buffer_binding + parameter_buffers_per_stage *
    // stage + index.
    uint32_t parameter_buffer_set;
    // Set of images, storage buffers and atomic counters.
    uint32_t storage_set;
    // Set of the arrays that handles index.
    uint32_t handle_set;
    // Added to the bindings of the arrays that handles index.
    uint32_t first_handle_binding;
    // Elements of arrays of textures that handles index, at least 1.
    uint32_t handle_texture_count;
    // Elements of arrays of images that handles index, at least 1.
    uint32_t handle_image_count;
    // Features that the device has, by their names in Vulkan ("shaderInt64"): the device does not
    // have features that are not in the list. A program that cannot do without such a feature has
    // the error E0906. NULL: it has the features of nearly all devices. For OpenGL these are names
    // of its extensions ("GL_ARB_gpu_shader_int64") and of those that it accepts in SPIR-V
    // (GL_SPIR_V_EXTENSIONS); NULL: all of them. For Vulkan only names of `glasm_feature_names` are
    // allowed; for OpenGL names on which no module depends are ignored.
    const char *const *features;
    // Number of them; with 0 and a pointer other than NULL the device has none.
    size_t feature_count;
    // Features that the device does not have although the list before has them or is NULL: names
    // of `glasm_feature_names`, and "subgroups" and "signedAtomics".
    const char *const *disabled_features;
    // Number of them.
    size_t disabled_feature_count;
    // Invocations of a subgroup (subgroupSize), at least 1.
    uint32_t subgroup_size;
    // Bit n: stage n, a glasm_stage, has subgroup operations.
    uint32_t subgroup_stage_mask;
    // GLASM_SUBGROUP_VOTE and so on.
    uint32_t subgroup_operation_mask;
    // maxGeometryTotalOutputComponents of the device.
    uint32_t max_geometry_total_output_components;
    // Depth range of clip space: a glasm_clip_depth.
    uint32_t clip_depth;
    // True if derivatives in y are negated: for callers that draw with a flipped viewport.
    glasm_bool negate_ddy;
    // True if point coordinates count t from the other end: for callers whose row 0 is the bottom.
    glasm_bool flip_point_coord;
    // True if the environment counts instances from 0 in every draw. Vulkan does not.
    glasm_bool is_instance_index_zero_based;
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
    glasm_bool is_framebuffer_unlayered;
    // Bit n: the point coordinate replaces texture coordinate set n (COORD_REPLACE).
    uint32_t coord_replace_mask;
    // Origin of the coordinates of points (POINT_SPRITE_COORD_ORIGIN): a glasm_point_origin.
    uint32_t point_origin;
    // True if all points have the size `forced_point_size`, regardless of the results of programs
    // (VERTEX_PROGRAM_POINT_SIZE is off).
    glasm_bool has_forced_point_size;
    // See `has_forced_point_size`.
    float forced_point_size;
    // True if points have the size `default_point_size` where the program writes none.
    glasm_bool has_default_point_size;
    // See `has_default_point_size`.
    float default_point_size;
    // Bit n: clip plane n is enabled (CLIP_PLANEn).
    uint32_t clip_plane_mask;
    // Vertices of the patches that geometry programs get (PATCH_VERTICES).
    uint32_t patch_vertices;
    // True if `max_output_vertices` replaces a geometry program's VERTICES_OUT.
    glasm_bool has_max_output_vertices;
    // See `has_max_output_vertices`.
    uint32_t max_output_vertices;
    // Counting of primitives where GL draws primitives that Vulkan does not have: a
    // glasm_primitive_id_mode.
    uint32_t primitive_id_mode;
    // Outer levels of patches without control program (PATCH_DEFAULT_OUTER_LEVEL).
    float default_outer_tess_levels[4];
    // Inner levels of patches without control program (PATCH_DEFAULT_INNER_LEVEL).
    float default_inner_tess_levels[2];
    // Bit n: color attachment n is drawn to (DrawBuffers); 0: attachment 0 alone. A program
    // without OPTION ARB_draw_buffers writes its color to all of them; for one with that option,
    // whose results name their buffers, this has no effect.
    uint32_t draw_buffer_mask;
    // OpName for every name of the program.
    glasm_bool debug_names;
    // OpLine for every instruction.
    glasm_bool debug_lines;
    // Types of vertex attributes by location: glasm_base_type.
    const uint32_t *attribute_types;
    // Number of them.
    size_t attribute_type_count;
    // Types of color attachments: glasm_base_type.
    const uint32_t *color_attachment_types;
    // Number of them.
    size_t color_attachment_type_count;
    // Depth modes of textures that are compared: glasm_depth_mode.
    const uint32_t *depth_modes;
    // Number of them.
    size_t depth_mode_count;
    // True if textures are signed HILO.
    const glasm_bool *signed_hilo_textures;
    // Number of them.
    size_t signed_hilo_texture_count;
    // Formats of the images that will be bound, as numbers of SPIR-V's ImageFormat; 0: any.
    const uint32_t *image_formats;
    // Number of them.
    size_t image_format_count;
    // Wrap modes that programs apply themselves. The sampler applies those of units for which all
    // members are zero.
    const struct glasm_texture_wrap *texture_wraps;
    // Number of them.
    size_t texture_wrap_count;
    // Biases of samplers, in levels of detail.
    const float *lod_biases;
    // Number of them.
    size_t lod_bias_count;
    // Outputs of the last stage before rasterization that transform feedback captures.
    const struct glasm_xfb_capture *xfb_captures;
    // Number of them.
    size_t xfb_capture_count;
    // Bytes from a vertex to the next, by transform feedback buffer; 0: to the end of the last
    // capture.
    const uint32_t *xfb_strides;
    // Number of them.
    size_t xfb_stride_count;
    // Zero times anything is zero, as on old GPUs.
    glasm_bool zero_wins_multiply;
    // Results of half precision and of fixed point are not rounded.
    glasm_bool skip_precision_rounding;
    // Denormals of programs that have none are flushed by code if the device cannot be set to
    // flush them.
    glasm_bool emulate_denormal_flush;
    // Locations of the varyings that the preceding stage writes. `glasm_pipeline_link` uses it for the
    // first stage.
    struct glasm_varyings input_varyings;
    // Locations of the varyings that the following stage reads. `glasm_pipeline_link` uses it for the last
    // stage.
    struct glasm_varyings output_varyings;
    // Test of the alpha of fragments (ALPHA_TEST, glAlphaFunc): a glasm_compare_function,
    // GLASM_COMPARE_FUNCTION_ALWAYS for no test.
    uint32_t alpha_function;
    // Value that alpha is compared with. Alpha is not clamped before unless `clamp_fragment_colors`
    // is set; GL clamps it for fixed-point attachments.
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
    struct glasm_state_sources state_sources;
    // Descriptor set of the uniform buffer of state.
    uint32_t state_block_set;
    // Its binding, which all stages share.
    uint32_t state_block_binding;
    // Number of the specialization constant that is the first word of the state.
    uint32_t first_state_spec_constant_id;
    // Added to the number of a stage that is the binding of its parameter block.
    uint32_t first_parameter_block_binding;
    // Added to the bindings of program parameter buffers.
    uint32_t first_parameter_buffer_binding;
    // Bindings of program parameter buffers that each stage has.
    uint32_t parameter_buffers_per_stage;
    // Added to the numbers of storage buffers.
    uint32_t first_storage_binding;
    // Binding of atomic counter buffer 0.
    uint32_t first_atomic_counter_binding;
    // Binding of image unit 0. For OpenGL the binding of the first image that a shader has; the
    // others follow, as listed in the reflection.
    uint32_t first_image_binding;
    // Binding of the lock of images.
    uint32_t image_lock_binding;
    // For OpenGL its version as GLSL writes it: 450 for 4.5.
    uint32_t opengl_version;
    // A geometry program for triangles receives QUADS: the caller draws lines with adjacency
    // instead, and the module runs twice for each.
    glasm_bool draws_quads_as_line_adjacency;
} glasm_options;

// An input of a program from the preceding stage, the vertex or the system. Its location in
// modules is in the reflection of a shader.
typedef struct glasm_program_input {
    // Its semantic.
    struct glasm_semantic_info semantic;
    // Type as the program declares it.
    glasm_base_type base_type;
    // Bits of a component: 64 for vertex attributes of such components, else 32.
    uint32_t component_bits;
    // Interpolation of a fragment input.
    glasm_interpolation interpolation;
    // Sampling of a fragment input.
    glasm_sampling sampling;
    // True if there is one for each vertex of the input primitive or patch.
    glasm_bool is_per_vertex;
} glasm_program_input;

// An output of a program for the following stage.
typedef struct glasm_program_output {
    // Its semantic.
    struct glasm_semantic_info semantic;
    // Type as the program declares it.
    glasm_base_type base_type;
    // True if the position must be the same, to the bit, as that of other invariant programs.
    glasm_bool is_invariant;
    // Components that each vertex of a geometry program copies from the input of the same
    // semantic: bit n for component n.
    uint32_t passthrough_mask;
} glasm_program_output;

// An output register of a TGSI program.
typedef struct glasm_tgsi_output {
    // Its number.
    uint32_t register_index;
    // Its semantic.
    struct glasm_semantic_info semantic;
} glasm_tgsi_output;

// Resources of a program that GL limits, by its text. The answers to queries of native resources
// (PROGRAM_NATIVE_INSTRUCTIONS_ARB and so on) are the same: what options and GL state add to a
// module is not counted. All counts of TGSI programs are 0.
typedef struct glasm_resource_counts {
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
    uint32_t attributes;
    // PROGRAM_ADDRESS_REGISTERS_ARB
    uint32_t address_registers;
    // PROGRAM_ATTRIB_COMPONENTS_NV: components of attributes that swizzles of operands read.
    uint32_t attribute_components;
    // PROGRAM_RESULT_COMPONENTS_NV: components of results that write masks of instructions enable.
    uint32_t result_components;
} glasm_resource_counts;

// Limits on programs in a GL that the caller implements. `glasm_program_limits_init` fills it with
// 0xffffffff everywhere: no limits except those of the library.
typedef struct glasm_program_limits {
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
    uint32_t attributes;
    // MAX_PROGRAM_ADDRESS_REGISTERS_ARB; ADDR[n] of TGSI programs
    uint32_t address_registers;
    // MAX_PROGRAM_ATTRIB_COMPONENTS_NV
    uint32_t attribute_components;
    // MAX_PROGRAM_RESULT_COMPONENTS_NV
    uint32_t result_components;
    // MAX_PROGRAM_ENV_PARAMETERS_ARB
    uint32_t env_parameters;
    // MAX_PROGRAM_LOCAL_PARAMETERS_ARB
    uint32_t local_parameters;
    // MAX_TEXTURE_IMAGE_UNITS_ARB, or the limit of the program type: texture[n]
    uint32_t texture_units;
    // MAX_TEXTURE_COORDS_ARB: also of texture matrices and texture coordinate generation
    uint32_t texture_coordinate_sets;
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
    uint32_t parameter_buffer_bindings;
    // MAX_SHADER_STORAGE_BUFFER_BINDINGS
    uint32_t storage_buffer_bindings;
    // MAX_ATOMIC_COUNTER_BUFFER_BINDINGS
    uint32_t atomic_counter_buffer_bindings;
    // MAX_PROGRAM_SUBROUTINE_PARAMETERS_NV
    uint32_t subroutine_parameters;
    // MAX_PROGRAM_SUBROUTINE_NUM_NV
    uint32_t subroutines;
    // MAX_PROGRAM_IF_DEPTH_NV
    uint32_t if_depth;
    // MAX_PROGRAM_LOOP_DEPTH_NV
    uint32_t loop_depth;
    // MAX_PROGRAM_CALL_DEPTH_NV
    uint32_t call_depth;
} glasm_program_limits;

// A descriptor set and binding number.
typedef struct glasm_descriptor_slot {
    // Set.
    uint32_t set;
    // Binding.
    uint32_t binding;
} glasm_descriptor_slot;

// Four floats of GL's state. glasm_state_parameter_kind lists the members that each kind uses; others are 0.
typedef struct glasm_state_parameter {
    // Its kind: a glasm_state_parameter_kind.
    uint32_t kind;
    // Number of the light, texture unit, coordinate set, clip plane, sample or matrix.
    uint32_t index;
    // A glasm_matrix.
    uint32_t matrix;
    // A glasm_matrix_form.
    uint32_t matrix_form;
    // Row of the matrix, 0 to 3.
    uint32_t matrix_row;
    // A glasm_face.
    uint32_t face;
    // A glasm_color_term.
    uint32_t color_term;
    // A glasm_texgen_plane.
    uint32_t texgen_plane;
    // A glasm_texgen_coord.
    uint32_t texgen_coord;
    // A glasm_thread_property.
    uint32_t thread_property;
} glasm_state_parameter;

// A vector of the parameter block. Members that the source does not name are 0.
typedef struct glasm_block_parameter {
    // Source of its value: a glasm_parameter_source.
    uint32_t source;
    // Its number.
    uint32_t index;
    // Parameter of GL's state that it reads.
    struct glasm_state_parameter state;
    // Bits of its value.
    uint32_t literal_bits[4];
} glasm_block_parameter;

// A parameter that a caller sets by its name.
typedef struct glasm_named_parameter {
    // Its name.
    const char *name;
    // Its value until a caller sets another.
    float initial_value[4];
} glasm_named_parameter;

// A combined image sampler.
typedef struct glasm_texture_binding {
    // Slot that it is bound to.
    struct glasm_descriptor_slot slot;
    // First texture image unit.
    uint32_t unit;
    // Number of descriptors.
    uint32_t descriptor_count;
    // Target.
    glasm_texture_target target;
    // True if it is compared.
    glasm_bool is_shadow;
    // Type that texels are converted to.
    glasm_scalar_type sampled_type;
} glasm_texture_binding;

// The sampler of a texture image unit, which the program uses for textures of other units.
typedef struct glasm_sampler_binding {
    // Slot that the combined image sampler of the unit is bound to.
    struct glasm_descriptor_slot slot;
    // Texture image unit.
    uint32_t unit;
    // True if it compares.
    glasm_bool is_shadow;
} glasm_sampler_binding;

// An input attachment: the color attachment that the program draws to.
typedef struct glasm_attachment_binding {
    // Slot that it is bound to.
    struct glasm_descriptor_slot slot;
    // Number of the color attachment, and its index among the input attachments of the subpass.
    uint32_t attachment_index;
    // Type that its texels are read as.
    glasm_scalar_type texel_type;
} glasm_attachment_binding;

// A storage image, or a storage texel buffer where the target is a buffer.
typedef struct glasm_image_binding {
    // Slot that it is bound to.
    struct glasm_descriptor_slot slot;
    // First image unit.
    uint32_t unit;
    // Number of descriptors.
    uint32_t descriptor_count;
    // Target.
    glasm_texture_target target;
    // Format of the view.
    glasm_image_format format;
    // Type that texels are read and written as, in the image's format.
    glasm_scalar_type texel_type;
    // Bits of a raw texel.
    uint32_t texel_bits;
    // True if the program writes it.
    glasm_bool is_written;
} glasm_image_binding;

// An array of descriptors that handles index.
typedef struct glasm_handle_array {
    // Slot that it is bound to.
    struct glasm_descriptor_slot slot;
    // Number of descriptors.
    uint32_t descriptor_count;
    // Resources in the array.
    glasm_handle_kind kind;
    // Type that texels are read as, of textures and of images in their own format.
    glasm_scalar_type texel_type;
    // Format of the views, of images.
    glasm_image_format format;
    // Bits of a raw texel, of images.
    uint32_t texel_bits;
    // Target of the textures or images.
    glasm_texture_target target;
    // True if the program writes to the images.
    glasm_bool is_written;
} glasm_handle_array;

// A buffer descriptor.
typedef struct glasm_buffer_binding {
    // Slot that it is bound to.
    struct glasm_descriptor_slot slot;
    // First binding number in the source language.
    uint32_t program_binding;
    // Number of descriptors.
    uint32_t descriptor_count;
    // Kind.
    glasm_buffer_kind kind;
} glasm_buffer_binding;

// A stage input or output.
typedef struct glasm_interface_variable {
    // Its semantic.
    struct glasm_semantic_info semantic;
    // Location, or GLASM_LOCATION_BUILT_IN.
    uint32_t location;
    // Scalar type in the module.
    glasm_scalar_type scalar_type;
    // Number of components in the module.
    uint32_t component_count;
    // Interpolation of a fragment input.
    glasm_interpolation interpolation;
    // Components of an attribute of 64 bits that it holds.
    glasm_attribute_half attribute_half;
    // True if there is one for each vertex of the input primitive or patch.
    glasm_bool is_per_vertex;
} glasm_interface_variable;

// Tasks of a geometry stage that must follow the last program before rasterization;
// `glasm_shader_create_view_replication` creates it.
typedef struct glasm_view_replication {
    // Location of the vector that the program writes for it.
    uint32_t location;
    // True if the program chooses a layer.
    glasm_bool has_layer;
    // Viewports of the first view.
    glasm_viewport_selection viewport_selection;
    // True if there is a second view with a separate position.
    glasm_bool has_second_view_position;
    // True if there is a second view with a separate mask of viewports.
    glasm_bool has_second_view_mask;
    // True if the viewport number is added to the layer.
    glasm_bool is_layer_viewport_relative;
    // Value that is added to the layer in the second view.
    int32_t second_view_layer_offset;
} glasm_view_replication;

// Properties of a program between the vertex and the fragment stage that concern primitives.
// Members of other stages are 0.
typedef struct glasm_primitive_info {
    // Stage of the program.
    glasm_primitive_stage stage;
    // Tessellation control: vertices of the patch that it makes. Geometry: most vertices that an
    // invocation emits.
    uint32_t max_output_vertices;
    // Tessellation evaluation: primitives into which patches are subdivided.
    glasm_tess_mode tess_mode;
    // Tessellation evaluation: how edges are divided.
    glasm_tess_spacing tess_spacing;
    // Tessellation evaluation: orientation of triangles.
    glasm_tess_winding tess_winding;
    // Tessellation evaluation: whether it makes points.
    glasm_bool tess_point_mode;
    // Geometry: input primitive.
    glasm_input_primitive input_primitive;
    // Geometry: vertices of the input primitive; 0 if the patches decide.
    uint32_t input_vertex_count;
    // Geometry: output primitive.
    glasm_output_primitive output_primitive;
    // Geometry: invocations for each primitive.
    uint32_t invocations;
    // Geometry: whether it emits the primitive that it gets.
    glasm_bool is_passthrough;
} glasm_primitive_info;

// A specialization constant that is a word of the state.
typedef struct glasm_state_spec_constant {
    // Number of the constant, for VkSpecializationMapEntry.
    uint32_t id;
    // Number of the word.
    uint32_t word_index;
} glasm_state_spec_constant;

// Everything that a module expects of its caller.
//
// All that it points to belongs to the shader and is valid until this is freed.
typedef struct glasm_reflection {
    // Size of the structure in bytes, as the library knows it: an older one has fewer members.
    size_t size;
    // Stage.
    glasm_stage stage;
    // Name of the entry point.
    const char *entry_point;
    // True if the program reads parameters: then there is a buffer of `parameter_count` vectors of
    // 16 bytes, which `glasm_shader_fill_parameter_block` fills.
    glasm_bool has_parameter_block;
    // True if it is a storage buffer, as blocks of more than 64 KiB are; else it is a uniform
    // buffer.
    glasm_bool is_parameter_block_storage_buffer;
    // Slot that it is bound to.
    struct glasm_descriptor_slot parameter_block_slot;
    // The source of each vector.
    const struct glasm_block_parameter *parameters;
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
    struct glasm_descriptor_slot state_program_slot;
    // Numbers of the parameters that it writes.
    const uint32_t *state_program_written_parameters;
    // Number of them.
    size_t state_program_written_parameter_count;
    // Textures.
    const struct glasm_texture_binding *textures;
    // Number of them.
    size_t texture_count;
    // Samplers that go with textures of other units.
    const struct glasm_sampler_binding *samplers;
    // Number of them.
    size_t sampler_count;
    // Color attachments that the program reads.
    const struct glasm_attachment_binding *input_attachments;
    // Number of them.
    size_t input_attachment_count;
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
    struct glasm_descriptor_slot image_lock_slot;
    // Inputs that the program reads.
    const struct glasm_interface_variable *inputs;
    // Number of them.
    size_t input_count;
    // Outputs that the program writes.
    const struct glasm_interface_variable *outputs;
    // Number of them.
    size_t output_count;
    // True if a geometry stage must follow.
    glasm_bool has_view_replication;
    // Tasks of that stage.
    struct glasm_view_replication view_replication;
    // Properties of a geometry or tessellation program that concern primitives.
    struct glasm_primitive_info primitive_info;
    // True if there are work groups.
    glasm_bool has_workgroup_size;
    // Their size; zeros if specialization constants 0 to 2 have it.
    uint32_t workgroup_size[3];
    // True if the near and the far plane do not clip: the pipeline needs depthClampEnable.
    glasm_bool requires_depth_clamp;
    // True if lookups of missing textures return (0, 0, 0, 0); else (0, 0, 0, 1).
    glasm_bool missing_textures_have_zero_alpha;
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
    struct glasm_descriptor_slot state_block_slot;
    // Numbers of the words that it reads there: only these make a difference.
    const uint32_t *state_words_read;
    // Number of them.
    size_t state_word_read_count;
    // Specialization constants that are words of the state.
    const struct glasm_state_spec_constant *state_spec_constants;
    // Number of them.
    size_t state_spec_constant_count;
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
    const uint32_t *subroutine_indices;
    // Number of them.
    size_t subroutine_count;
    // Argument with which a vertex state program is executed.
    float state_program_argument[4];
} glasm_parameter_values;

// A vector of a parameter block with its name and its value, for logs and debuggers.
typedef struct glasm_parameter_value {
    // Source of the value as `glasm_parameter_format` writes it, such as "state.fog.params"; longer
    // ones end after 63 bytes.
    char name[64];
    // The value. Integers, such as numbers of subroutines, have their bits.
    float value[4];
    // Offset in the block in bytes.
    uint32_t offset;
} glasm_parameter_value;

// Descriptor that a module requires at a slot. A slot may appear twice, with the same kind: a unit
// whose texture is read and whose sampler is used for another one.
typedef struct glasm_descriptor {
    // Slot that it is bound to.
    struct glasm_descriptor_slot slot;
    // Its kind, a VkDescriptorType.
    glasm_descriptor_type descriptor_type;
    // Number of descriptors.
    uint32_t descriptor_count;
    // Its resource.
    glasm_descriptor_resource resource;
    // The index in the list of the reflection that `resource` names; 0 without such a list.
    uint32_t reflection_index;
} glasm_descriptor;

// Two resources, of different stages or of one, at the same slot.
typedef struct glasm_descriptor_conflict {
    // Size of the structure in bytes, as the caller knows it.
    size_t size;
    // The slot.
    struct glasm_descriptor_slot slot;
    // The stage that came first.
    glasm_stage first_stage;
    // Kind that it requires.
    glasm_descriptor_type first_type;
    // The stage that requires another kind, or another resource of this kind.
    glasm_stage second_stage;
    // Kind that it requires.
    glasm_descriptor_type second_type;
} glasm_descriptor_conflict;

// A binding of a descriptor set layout, with the members of VkDescriptorSetLayoutBinding in the same
// order and of the same sizes: glasm_vulkan_make_set_layout_info points to the list.
typedef struct glasm_set_layout_binding {
    // Its number.
    uint32_t binding;
    // Kind of its descriptors, a VkDescriptorType.
    glasm_descriptor_type descriptor_type;
    // Number of descriptors.
    uint32_t descriptor_count;
    // The stages that use it, as VkShaderStageFlags.
    uint32_t stage_flags;
    // NULL: no sampler is part of the layout.
    const void *immutable_samplers;
} glasm_set_layout_binding;

// A descriptor set layout.
typedef struct glasm_set_layout {
    // Number of the set.
    uint32_t set;
    // Bindings in ascending order; none if the set only precedes one that has some.
    const struct glasm_set_layout_binding *bindings;
    // Number of them.
    size_t binding_count;
} glasm_set_layout;

// Something that the caller of a text binds.
typedef struct glasm_text_resource {
    // Its kind.
    glasm_text_resource_kind kind;
    // Set and binding in the module, by which the reflection describes it.
    struct glasm_descriptor_slot slot;
    // Its name in the text.
    const char *name;
    // Its number in the text among resources of its kind, or GLASM_BINDING_NUMBER_NONE.
    uint32_t binding_number;
} glasm_text_resource;

// A program of a pipeline with separate options.
typedef struct glasm_pipeline_program {
    // The program.
    const struct glasm_program *program;
    // Its options; NULL: the default ones.
    const struct glasm_options *options;
} glasm_pipeline_program;

// A stage of a pipeline.
//
// All that it points to belongs to the pipeline and is valid until this is freed;
// `glasm_shader_clone` retains a shader.
typedef struct glasm_pipeline_stage {
    // Stage.
    glasm_stage stage;
    // True for a stage that the pipeline needs in addition to the programs of the caller.
    glasm_bool is_generated;
    // The shader; NULL if there are errors.
    const struct glasm_shader *shader;
    // The text; NULL if there are errors, and for pipelines that `glasm_pipeline_write_text` has not
    // created.
    const struct glasm_text *text;
    // Errors and warnings; NULL if there are none.
    const struct glasm_diagnostics *diagnostics;
} glasm_pipeline_stage;

// An input that the stage before does not write. GL links such programs: they read (0, 0, 0, 1).
typedef struct glasm_unwritten_input {
    // The stage that reads it.
    glasm_stage stage;
    // The input.
    struct glasm_semantic_info semantic;
} glasm_unwritten_input;

// A variable of GL's state with its value, for glasm_state_set_values.
typedef struct glasm_state_setting {
    // Variable that it is of: a glasm_state_variable.
    uint32_t variable;
    // Light, face, unit, plane or sample that `variable` needs; else 0.
    uint32_t index;
    // The value: as many floats as `variable` has. The others are ignored.
    float values[4];
} glasm_state_setting;

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
    // A glasm_clip_conventions.
    uint32_t clip_conventions;
    // A glasm_text_nan_mode.
    uint32_t nan_mode;
    // Options of the compiler; NULL: the default ones. Device features and debug information are
    // ignored: the language decides them.
    const struct glasm_options *compiler_options;
} glasm_text_options;

// Properties of a light that determine the program for vertices.
typedef struct glasm_light_key {
    // LIGHTn is enabled.
    glasm_bool enabled;
    // w of its position is not 0.
    glasm_bool positional;
    // Its attenuation is not (1, 0, 0).
    glasm_bool attenuated;
    // Its cutoff is not 180 degrees.
    glasm_bool spot;
} glasm_light_key;

// A texture coordinate set.
typedef struct glasm_tex_coord_set_key {
    // The fragment stage reads it. Other sets are not written.
    glasm_bool is_read;
    // Generation of s, t, r and q: glasm_texgen_mode.
    uint32_t generation_modes[4];
    // The texture matrix is not the identity.
    glasm_bool has_texture_matrix;
} glasm_tex_coord_set_key;

// State that determines the program for GL's vertex processing. `glasm_fixed_vertex_key_init`
// fills it with GL's initial state. All other state is read as state.* parameters.
typedef struct glasm_fixed_vertex_key {
    // Size of the structure in bytes, as the caller knows it.
    size_t size;
    // A glasm_normal_scaling.
    uint32_t normal_scaling;
    // LIGHTING; without it colors pass through unchanged.
    glasm_bool lighting;
    // The lights.
    struct glasm_light_key lights[8];
    // LIGHT_MODEL_LOCAL_VIEWER
    glasm_bool local_viewer;
    // LIGHT_MODEL_TWO_SIDE: back colors are written, too, of which `two_sided_color` selects.
    glasm_bool two_sided;
    // LIGHT_MODEL_COLOR_CONTROL is SEPARATE_SPECULAR_COLOR.
    glasm_bool separate_specular;
    // COLOR_MATERIAL: the next two members name the material colors that are the vertex color.
    glasm_bool color_material;
    // A glasm_material_faces.
    uint32_t color_material_faces;
    // A glasm_material_mode.
    uint32_t color_material_mode;
    // Bit n: the part n of the material changes between glBegin and glEnd, and is a vertex
    // attribute: ambient, diffuse, specular and emissive color and shininess of the front, then of
    // the back, in attributes 7, 6, 1, 15, 14, 12, 13, 11, 10 and 9. See
    // `glasm_fixed_vertex_material_attributes`.
    uint32_t material_attribute_mask;
    // The fragment stage reads the fog coordinate.
    glasm_bool has_fog_coordinate;
    // Its source: a glasm_fog_source.
    uint32_t fog_coordinate_source;
    // The program computes the size of points.
    glasm_bool computes_point_size;
    // Texture coordinates by set.
    struct glasm_tex_coord_set_key tex_coord_sets[8];
} glasm_fixed_vertex_key;

// An argument of a texture combiner.
typedef struct glasm_combine_argument {
    // A glasm_combine_source.
    uint32_t source;
    // Texture unit of GLASM_COMBINE_SOURCE_TEXTURE_UNIT.
    uint32_t unit;
    // A glasm_combine_operand.
    uint32_t operand;
} glasm_combine_argument;

// A function of arguments with a scale.
typedef struct glasm_combiner {
    // A glasm_combine_function.
    uint32_t function;
    // Its arguments.
    struct glasm_combine_argument arguments[4];
    // RGB_SCALE or ALPHA_SCALE: 1, 2 or 4.
    uint32_t scale;
} glasm_combiner;

// A texture unit.
typedef struct glasm_texture_unit_key {
    // A texture is enabled and complete.
    glasm_bool has_texture;
    // Its target: a glasm_fixed_texture_target.
    uint32_t target;
    // Its format: a glasm_base_format; of depth textures the one that DEPTH_TEXTURE_MODE names.
    uint32_t base_format;
    // It is a depth texture whose TEXTURE_COMPARE_MODE is not NONE.
    glasm_bool compares_depth;
    // A glasm_texture_environment.
    uint32_t environment;
    // Combiner of red, green and blue.
    struct glasm_combiner combine_rgb;
    // Combiner of alpha.
    struct glasm_combiner combine_alpha;
} glasm_texture_unit_key;

// State that determines the program for GL's texturing, color sum and fog.
// `glasm_fixed_fragment_key_init` fills it with GL's initial state.
typedef struct glasm_fixed_fragment_key {
    // Size of the structure in bytes, as the caller knows it.
    size_t size;
    // Texture units.
    struct glasm_texture_unit_key texture_units[8];
    // The secondary color is added: COLOR_SUM, and also LIGHTING without a vertex program.
    glasm_bool color_sum;
    // FOG
    glasm_bool has_fog;
    // A glasm_fog_mode.
    uint32_t fog_mode;
    // CLAMP_FRAGMENT_COLOR is off.
    glasm_bool unclamped_colors;
} glasm_fixed_fragment_key;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns why the last call of this thread that failed did so, as UTF-8; the empty string if none
// has failed.
//
// The string belongs to the library. It is valid until the next call in this thread that fails.
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
// are returned. `parts` points to memory of the caller for `capacity` of them, and may be NULL if that
// is zero. `count` is set to the number of programs; GLASM_RESULT_INVALID_ARGUMENT if `parts`
// is not NULL and there are more than `capacity`.
glasm_result glasm_source_find_programs(const struct glasm_source *source,
                                        struct glasm_program_span *parts,
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

// Returns the first error in one line, for PROGRAM_ERROR_STRING_ARB: "line 4, column 22: `tint` is
// not declared"; without a position if it is about the whole program. Without errors it is the empty
// string, also for NULL.
//
// `diagnostics` stays the caller's. The string belongs to it and is valid until it is freed; the
// empty string belongs to the library.
const char *glasm_diagnostics_gl_error_string(const struct glasm_diagnostics *diagnostics);

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

// Returns the location of a varying in the fixed table; GLASM_LOCATION_BUILT_IN for a semantic that is not
// a varying, for invalid numbers, and for NULL.
//
// `varying` stays the caller's.
uint32_t glasm_semantic_fixed_location(const struct glasm_semantic_info *varying);

// Gets the wrap modes and filters of a texture of GL (glTexParameter), for `texture_wraps` of
// glasm_options. GLASM_RESULT_INVALID_ARGUMENT if one of the values is not a mode or a filter of its
// parameter, for which GL's error is GL_INVALID_ENUM.
//
// `wrap_modes` are the values of GL_TEXTURE_WRAP_S, _T and _R; they stay the caller's. `mag_filter` and
// `min_filter` are those of GL_TEXTURE_MAG_FILTER and GL_TEXTURE_MIN_FILTER. `wrap` is memory of the
// caller.
glasm_result glasm_texture_wrap_from_gl(const uint32_t *wrap_modes,
                                        uint32_t mag_filter,
                                        uint32_t min_filter,
                                        struct glasm_texture_wrap *wrap);

// Fills options with their initial values. `size` is `sizeof(glasm_options)`.
//
// `options` belongs to the caller.
glasm_result glasm_options_init(struct glasm_options *options, size_t size);

// Changes the options to GL's rules, for callers that keep row 0 of an image at GL's bottom: the
// depth of clip space is remapped, and the coordinates of points are flipped.
//
// `options` belongs to the caller, who has filled it with `glasm_options_init`.
glasm_result glasm_options_use_opengl_conventions(struct glasm_options *options);

// Changes the state in the options to that of a new GL context, which differs from the initial
// values of `glasm_options_init`: vertex colors are clamped (`clamp_vertex_colors`), all points
// have size 1 (`forced_point_size`, `default_point_size`), and patches have three vertices
// (`patch_vertices`). For layers that then follow each change of GL's state. `primitive_id_mode`,
// `draws_quads_as_line_adjacency`, `is_framebuffer_unlayered` and `max_output_vertices`, which are no
// state of GL, get their initial values again; lists, such as `lod_biases`, remain.
//
// `options` belongs to the caller, who has filled it with `glasm_options_init`.
glasm_result glasm_options_use_gl_initial_state(struct glasm_options *options);

// Fills options for a new context of an implementation of OpenGL on Vulkan: does what
// `glasm_options_init`, `glasm_options_use_opengl_conventions` and `glasm_options_use_gl_initial_state` do,
// and sets `target`. `size` is `sizeof(glasm_options)`.
//
// `options` belongs to the caller. `target` is a glasm_target.
glasm_result glasm_options_init_for_gl_context(struct glasm_options *options, size_t size, uint32_t target);

// Returns the names of the features of Vulkan that modules may need, for `features` and
// `disabled_features` of the options; `count` is set to their number.
//
// The list and its strings belong to the library and are valid for ever. `count` may be NULL.
const char *const *glasm_feature_names(size_t *count);

// Changes the options to those for shaders for OpenGL (glShaderBinary with
// GL_SHADER_BINARY_FORMAT_SPIR_V): the target GLASM_TARGET_OPENGL_4_5, its conventions, and the
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

// Loads a program string: parses, checks and translates it. GLASM_RESULT_PROGRAM_ERROR if it has errors.
//
// `compiler` may be NULL; it and `source`, with all that this points to, stay the caller's.
// `program` is set to a program that the caller owns and frees with `glasm_program_free`, or to
// NULL if it does not load. `diagnostics` may be NULL; it is set to all errors and warnings, which
// the caller owns and frees with `glasm_diagnostics_free`, or to NULL if there are none.
glasm_result glasm_program_load(const struct glasm_compiler *compiler,
                                const struct glasm_source *source,
                                struct glasm_program **program,
                                struct glasm_diagnostics **diagnostics);

// Loads a program string like `glasm_program_load`, with the initial values of all other members
// of glasm_source: what glProgramStringARB needs.
//
// `name` is for messages, and may be NULL: "program". `program_type` is a glasm_program_type.
// `text` has `length` bytes; GLASM_NUL_TERMINATED for a string that ends with a NUL. All stay the
// caller's. `program` and `diagnostics` are set as by `glasm_program_load`.
glasm_result glasm_program_load_string(const char *name,
                                       uint32_t program_type,
                                       const void *text,
                                       size_t length,
                                       struct glasm_program **program,
                                       struct glasm_diagnostics **diagnostics);

// Returns the text that a program was loaded from; `length` is set to its bytes. Returns NULL for
// NULL.
//
// `program` stays the caller's. The text belongs to it, does not end with a NUL, and is valid until
// the program is freed. `length` may be NULL.
const uint8_t *glasm_program_text(const struct glasm_program *program, size_t *length);

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
const char *glasm_program_header(const struct glasm_program *program);

// Compiles a program to SPIR-V, for a state and a device. GLASM_RESULT_PROGRAM_ERROR if it cannot be
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

// Creates the same program for textures that do not compare (TEXTURE_COMPARE_MODE is NONE):
// lookups of shadow targets on `units`, a mask of texture image units, return the texel, as
// drivers did. Otherwise their result is undefined. Arrays of units are treated as their first
// unit.
//
// `program` stays the caller's. `variant` is set to a program that the caller owns and frees with
// `glasm_program_free`.
glasm_result glasm_program_with_non_comparison_lookups(const struct glasm_program *program,
                                                       uint32_t units,
                                                       struct glasm_program **variant);

// Creates the same program for depth textures that compare: lookups of ordinary targets of one and
// two dimensions on `units`, a mask of texture image units, compare with the third coordinate, as
// programs of NV_fragment_program do. Arrays of units are treated as their first unit.
//
// `program` stays the caller's. `variant` is set to a program that the caller owns and frees with
// `glasm_program_free`.
glasm_result glasm_program_with_comparison_lookups(const struct glasm_program *program,
                                                   uint32_t units,
                                                   struct glasm_program **variant);

// Creates the same program for missing textures on `units`, a mask of texture image units: lookups
// return (0, 0, 0, 0), as programs of NV_fragment_program define it. Arrays of units are treated
// as their first unit.
//
// `program` stays the caller's. `variant` is set to a program that the caller owns and frees with
// `glasm_program_free`.
glasm_result glasm_program_with_missing_textures(const struct glasm_program *program,
                                                 uint32_t units,
                                                 struct glasm_program **variant);

// Creates the same program with clip distances that clip only if their planes are enabled
// (`clip_plane_mask`), as in OpenGL. Otherwise all written distances clip, except in
// `!!VP2.0` programs. For the last stage before rasterization.
//
// `program` stays the caller's. `variant` is set to a program that the caller owns and frees with
// `glasm_program_free`.
glasm_result glasm_program_with_enabled_clip_distances(const struct glasm_program *program,
                                                       struct glasm_program **variant);

// Creates the same fragment program with texels instead of its primary color: texels of the
// two-dimensional texture of `unit` at the floor of `coordinate`, an input, clamped as
// `saturation`, a glasm_saturation, specifies. So a rectangle draws the pixels of glDrawPixels.
// GLASM_RESULT_INVALID_ARGUMENT if it is not a fragment program, evaluates its color at other
// locations, or reads it with an index.
//
// `program` and `coordinate` stay the caller's. `variant` is set to a program that the caller owns
// and frees with `glasm_program_free`.
glasm_result glasm_program_with_texel_colors(const struct glasm_program *program,
                                             uint32_t unit,
                                             const struct glasm_semantic_info *coordinate,
                                             uint32_t saturation,
                                             struct glasm_program **variant);

// Copies options with all that they point to: the lists of the copy do not depend on those of
// `options`, which may change.
//
// `options` stays the caller's; NULL denotes the default options. `copy` is set to options that
// the caller owns, may change, and frees with `glasm_options_free`; or to NULL if an argument is
// wrong.
glasm_result glasm_options_clone(const struct glasm_options *options, struct glasm_options **copy);

// Computes the options on which the module of a program depends: state of other stages, of inputs,
// outputs and textures that the program does not have, and values that its module reads at run
// time have their initial values. Options with equal results give equal modules, and state without
// effect on the module does not change the result. Target, features, bindings, debug information,
// arithmetic and captures of transform feedback are unchanged.
//
// The result is for this program alone: it is a key, and compiling the program with it gives the
// same module as with `options`. Link pipelines with `options` themselves, as the result lacks the
// state of all other stages; the keys of its programs together are the key of the pipeline.
//
// `options` and `program` stay the caller's; `options` may be NULL: the default ones. `reduced` is
// set to options that the caller owns and frees with `glasm_options_free`, or to NULL if an
// argument is wrong.
glasm_result glasm_options_for_program(const struct glasm_options *options,
                                       const struct glasm_program *program,
                                       struct glasm_options **reduced);

// Frees options that a function created, such as `glasm_options_clone`, with all that the function
// made them point to. Lists that the caller has put there remain the caller's.
//
// Takes `options` away from the caller; NULL is allowed. Structures that the caller has allocated
// must not be passed.
void glasm_options_free(struct glasm_options *options);

// Compares options, with all that they point to. `memcmp` would compare pointers and the bytes
// between members.
//
// `one` and `other` stay the caller's; NULL denotes the default options. `are_equal` is set to 1
// if they are equal, else to 0.
glasm_result glasm_options_compare(const struct glasm_options *one,
                                   const struct glasm_options *other,
                                   glasm_bool *are_equal);

// Computes a number that is equal for equal options, for tables in memory. It differs between
// builds of the library; `glasm_program_cache_key` is for files.
//
// `options` stays the caller's; NULL denotes the default options. `hash` is the caller's, and is
// set to the number.
glasm_result glasm_options_hash(const struct glasm_options *options, uint64_t *hash);

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
// name them: stream outputs are lists of registers, glasm_xfb_capture has semantics. A register of
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
glasm_result glasm_program_count_resources(const struct glasm_program *program, struct glasm_resource_counts *counts);

// Fills limits with their initial values: no limits. `size` is `sizeof(glasm_program_limits)`.
//
// `limits` belongs to the caller.
glasm_result glasm_program_limits_init(struct glasm_program_limits *limits, size_t size);

// Checks a program against limits of the caller: `glProgramStringARB` fails for programs that
// exceed them. GLASM_RESULT_PROGRAM_ERROR if the program does.
//
// `program` and `limits` stay the caller's. `diagnostics` may be NULL; it is set to an error for
// each limit that the program exceeds, which the caller owns and frees with
// `glasm_diagnostics_free`, or to NULL if there are none.
glasm_result glasm_program_check_limits(const struct glasm_program *program,
                                        const struct glasm_program_limits *limits,
                                        struct glasm_diagnostics **diagnostics);

// Returns the words of the SPIR-V module, with `count` set to their number, as
// `vkCreateShaderModule` takes them (the size in bytes is four times the number). Returns NULL for
// NULL.
//
// `shader` stays the caller's. The words belong to it and are valid until it is freed. `count` may
// be NULL.
const uint32_t *glasm_shader_spirv(const struct glasm_shader *shader, size_t *count);

// Returns the stage of a shader.
//
// `shader` stays the caller's. It must not be NULL, for which GLASM_STAGE_VERTEX is returned.
glasm_stage glasm_shader_stage(const struct glasm_shader *shader);

// Formats the reflection of a shader as JSON. Returns NULL for NULL.
//
// `shader` stays the caller's. The string belongs to it and is valid until it is freed.
const char *glasm_shader_reflection_json(const struct glasm_shader *shader);

// Returns the requirements of the module of a shader on its caller. Returns NULL for NULL.
//
// `shader` stays the caller's. The structure belongs to it, with all that it points to, and is
// valid until it is freed.
const struct glasm_reflection *glasm_shader_reflection(const struct glasm_shader *shader);

// Returns 1 if two shaders have the same module and the same reflection, so that one replaces the
// other; else 0. Shaders whose words alone are equal share a VkShaderModule, but may have different
// values in their parameter blocks. 0 for NULL.
//
// `one` and `other` stay the caller's.
glasm_bool glasm_shader_is_equal(const struct glasm_shader *one, const struct glasm_shader *other);

// Creates a shader that was compiled before from a cache: from the results of `glasm_shader_spirv`
// and `glasm_shader_reflection_json` for it, in the same version of the library. It is not checked
// that they belong together.
//
// `words` and `reflection` stay the caller's. `shader` is set to a shader that the caller owns and
// frees with `glasm_shader_free`, or to NULL if they are not a whole module and a reflection.
glasm_result glasm_shader_create_from_cache(const uint32_t *words,
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

// Fills the parameter block of a shader: the bytes for the buffer at `parameter_block_slot` of its
// reflection, 16 for each of `parameter_count` vectors. Values come from GL's state, from values
// that the application has set, and from the program.
//
// `shader`, `state` and `values` stay the caller's; NULL for `state` is GL's initial state, NULL
// for `values` none. `block` points to memory of the caller for `vector_count` vectors, at least
// as many as the block has; it may be mapped memory.
glasm_result glasm_shader_fill_parameter_block(const struct glasm_shader *shader,
                                               const struct glasm_state *state,
                                               const struct glasm_parameter_values *values,
                                               float *block,
                                               size_t vector_count);

// Updates the parameter block of a shader: fills it like `glasm_shader_fill_parameter_block` if it was
// never filled, or last for another state; otherwise computes the vectors again whose state has changed, and compares those of
// `values` with the block. Calls for blocks of other programs and targets with other values have no
// influence on this block.
//
// `shader`, `state` and `values` stay the caller's; NULL for `values` is none. `revision` is that of
// the block, which the caller has set to 0 before the first call, and stays the caller's. `block`
// points to memory of the caller for `vector_count` vectors, at least as many as the block has, with
// the contents that the last call left in it. It is read, which is slow in mapped memory.
// `is_changed` may be NULL; it is set to 1 if the contents have changed, so that they are uploaded
// again, else to 0.
glasm_result glasm_shader_update_parameter_block(const struct glasm_shader *shader,
                                                 struct glasm_state *state,
                                                 const struct glasm_parameter_values *values,
                                                 uint64_t *revision,
                                                 float *block,
                                                 size_t vector_count,
                                                 glasm_bool *is_changed);

// Lists the vectors of the parameter block of a shader with their names and the values with which
// `glasm_shader_fill_parameter_block` fills it.
//
// `shader`, `state` and `values` stay the caller's; NULL for `state` is GL's initial state, NULL
// for `values` none. `parameters` points to memory of the caller for `capacity` of them, and may be
// NULL if that is zero. `count` is set to the number of vectors; GLASM_RESULT_INVALID_ARGUMENT if
// `parameters` is not NULL and there are more than `capacity`.
glasm_result glasm_shader_list_parameters(const struct glasm_shader *shader,
                                          const struct glasm_state *state,
                                          const struct glasm_parameter_values *values,
                                          struct glasm_parameter_value *parameters,
                                          size_t capacity,
                                          size_t *count);

// Returns the slots of the module of a shader, with the descriptors to write into them; `count` is
// set to their number. Returns NULL for NULL.
//
// `shader` stays the caller's. The list belongs to it and is valid until it is freed. `count` may
// be NULL.
const struct glasm_descriptor *glasm_shader_descriptors(const struct glasm_shader *shader, size_t *count);

// Creates the descriptor set layouts that shaders which run together need, one for each set from 0
// to the last that has a binding. Stages that use the same slot share its descriptors: there are
// as many as the stage with the longest array requires. GLASM_RESULT_DESCRIPTOR_CONFLICT if two stages
// require descriptors of different kinds at a slot: they read different targets at the same
// texture image unit, which GL refuses to draw, too; or if the bindings of the options give two
// blocks or buffers the same slot, other than parameter blocks of several stages.
//
// `shaders`, `count` of them, stay the caller's. `layouts` is set to layouts that the caller owns
// and frees with `glasm_set_layouts_free`, or to NULL if there are none. `conflict` may be NULL;
// it is the caller's, too, with its size set, and is filled if there is a conflict, which
// `glasm_error_message` describes.
glasm_result glasm_set_layouts_create(const struct glasm_shader *const *shaders,
                                      size_t count,
                                      struct glasm_set_layouts **layouts,
                                      struct glasm_descriptor_conflict *conflict);

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

// Returns the program in the shading language, NUL-terminated; `length` is set to its bytes
// without that. Returns NULL for NULL.
//
// `text` stays the caller's. The string belongs to it and is valid until it is freed. `length` may
// be NULL.
const char *glasm_text_string(const struct glasm_text *text, size_t *length);

// Returns the resources that the caller of the written program binds, with their bindings; `count`
// is set to the number. Returns NULL for NULL. The list is empty for WGSL, which has the slots of the
// reflection, and for HLSL and MSL if the library was built without the feature `spirv-cross`.
//
// `text` stays the caller's. The list belongs to it, with its strings, and is valid until it is
// freed. `count` may be NULL.
const struct glasm_text_resource *glasm_text_resources(const struct glasm_text *text, size_t *count);

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

// Compiles the programs of a pipeline, given in its order, so that their interfaces match: only
// varyings that pass between them take locations, and any results go together.
// GLASM_RESULT_PROGRAM_ERROR if one of the stages has errors, which the stages have
// (`glasm_pipeline_render_diagnostics`).
//
// `compiler` may be NULL, and so may `options`: the default ones. Both stay the caller's, and so
// do `programs`, `count` of them and at least one. `pipeline` is set to the result, which the caller
// owns and frees with `glasm_pipeline_free`, even if stages have errors; or to NULL if an argument is
// wrong.
glasm_result glasm_pipeline_link(const struct glasm_compiler *compiler,
                                 const struct glasm_program *const *programs,
                                 size_t count,
                                 const struct glasm_options *options,
                                 struct glasm_pipeline **pipeline);

// Does what `glasm_pipeline_link` does, with separate options for each program.
//
// `compiler` may be NULL. It stays the caller's, and so do `stages`, `count` of them and at least
// one, with all that they point to. `pipeline` is set as by `glasm_pipeline_link`.
glasm_result glasm_pipeline_link_with_options(const struct glasm_compiler *compiler,
                                              const struct glasm_pipeline_program *stages,
                                              size_t count,
                                              struct glasm_pipeline **pipeline);

// Returns the stages of a pipeline: those of the programs in their order, then those that it needs
// in addition; `count` is set to their number. Returns NULL for NULL.
//
// `pipeline` stays the caller's. The list belongs to it, with all that it points to, and is valid
// until it is freed. `count` may be NULL.
const struct glasm_pipeline_stage *glasm_pipeline_stages(const struct glasm_pipeline *pipeline, size_t *count);

// Returns the shader of a stage of a pipeline: of a program of the caller, or of a stage that it
// needs in addition. Returns NULL if there is no such stage, if it has errors, and for NULL.
//
// `pipeline` stays the caller's. `stage` is a glasm_stage. The shader belongs to the pipeline and
// is valid until this is freed; `glasm_shader_clone` retains it.
const struct glasm_shader *glasm_pipeline_shader(const struct glasm_pipeline *pipeline, uint32_t stage);

// Returns the stages of which two pipelines have different shaders (`glasm_shader_is_equal`), or only
// one has a shader, as VkShaderStageFlags: `1u << stage` for each. The modules of all other stages
// remain valid where one pipeline replaces the other. All stages of `pipeline` if `before` is NULL,
// as for the first draw.
//
// `pipeline` and `before` stay the caller's.
uint32_t glasm_pipeline_find_changed_stages(const struct glasm_pipeline *pipeline, const struct glasm_pipeline *before);

// Returns the text of a stage of a pipeline from `glasm_pipeline_write_text`. Returns NULL for a stage
// that the pipeline does not have or that has errors, for pipelines of other functions, and for NULL.
//
// `pipeline` stays the caller's. `stage` is a glasm_stage. The text belongs to the pipeline and is
// valid until this is freed.
const struct glasm_text *glasm_pipeline_text(const struct glasm_pipeline *pipeline, uint32_t stage);

// Gets the descriptor set layouts that the stages of a pipeline need together, as
// `glasm_set_layouts_create` makes them, number n at index n. GLASM_RESULT_DESCRIPTOR_CONFLICT if two
// stages require descriptors of different kinds at a slot: `glasm_error_message` names them.
//
// `pipeline` stays the caller's. `sets` and `count` are set to the list and its length, or to NULL
// and 0. The list belongs to the pipeline, with all that it points to, and is valid until this is
// freed.
glasm_result glasm_pipeline_set_layouts(const struct glasm_pipeline *pipeline,
                                        const struct glasm_set_layout **sets,
                                        size_t *count);

// Renders the messages of all stages of a pipeline for users, like `glasm_diagnostics_render`: the
// empty string if there are none. Returns NULL for NULL.
//
// `pipeline` stays the caller's. The string belongs to it and is valid until it is freed.
const char *glasm_pipeline_render_diagnostics(const struct glasm_pipeline *pipeline);

// Returns the inputs of the stages of a pipeline that the preceding stage does not write; `count`
// is set to their number. Returns NULL for NULL.
//
// `pipeline` stays the caller's. The list belongs to it and is valid until it is freed. `count`
// may be NULL.
const struct glasm_unwritten_input *glasm_pipeline_unwritten_inputs(const struct glasm_pipeline *pipeline,
                                                                    size_t *count);

// Returns 1 if a program is one of those of a pipeline, else 0. Programs are equal if their strings,
// settings and changes (`glasm_program_with_missing_textures` and others) are. 0 for NULL.
//
// `pipeline` and `program` stay the caller's.
glasm_bool glasm_pipeline_has_program(const struct glasm_pipeline *pipeline, const struct glasm_program *program);

// Creates another handle of a pipeline, which is the same pointer: each is freed separately, and the
// pipeline with the last of them. For pipelines of a cache that are to outlive their removal. Returns
// NULL for NULL.
//
// `pipeline` stays the caller's, or the cache's. The caller owns the new handle, and frees it with
// `glasm_pipeline_free`.
struct glasm_pipeline *glasm_pipeline_clone(const struct glasm_pipeline *pipeline);

// Frees a handle of a pipeline, and with the last one the shaders and diagnostics of its stages.
//
// Takes `pipeline` away from the caller; NULL is allowed.
void glasm_pipeline_free(struct glasm_pipeline *pipeline);

// Creates the geometry stage that must follow a shader whose reflection has `has_view_replication`, for
// draws of such primitives on a device with that many viewports.
//
// `last_vertex_stage` stays the caller's, and so do `options`, of which only target and device are used and
// which may be NULL. `primitive` is a glasm_input_primitive. `shader` is set to a shader that the
// caller owns and frees with `glasm_shader_free`, or to NULL if none is needed or there are
// errors. `diagnostics` may be NULL; it is set to errors, which the caller owns and frees with
// `glasm_diagnostics_free`, or to NULL.
glasm_result glasm_shader_create_view_replication(const struct glasm_shader *last_vertex_stage,
                                                  uint32_t primitive,
                                                  uint32_t viewports,
                                                  const struct glasm_options *options,
                                                  struct glasm_shader **shader,
                                                  struct glasm_diagnostics **diagnostics);

// Creates the control stage between a vertex and an evaluation shader that were linked without
// one: patches of that many vertices pass through it.
//
// `vertex` and `evaluation` stay the caller's, and so do `tess_levels`, four outer and two inner ones,
// and `options`, of which only target and device are used and which may be NULL. `shader` is set
// to a shader that the caller owns and frees with `glasm_shader_free`, or to NULL if there are
// errors. `diagnostics` may be NULL; it is set to errors, which the caller owns and frees with
// `glasm_diagnostics_free`, or to NULL.
glasm_result glasm_shader_create_tess_control(const struct glasm_shader *vertex,
                                              const struct glasm_shader *evaluation,
                                              uint32_t vertices,
                                              const float *tess_levels,
                                              const struct glasm_options *options,
                                              struct glasm_shader **shader,
                                              struct glasm_diagnostics **diagnostics);

// Creates GL's initial state; returns NULL if there is an internal error.
//
// The caller owns it, and frees it with `glasm_state_free`.
struct glasm_state *glasm_state_create(void);

// Copies a state. Parameter blocks that were updated for one of the states are filled again for the
// other. Returns NULL for NULL.
//
// `state` stays the caller's, who owns the copy, too, and frees it with `glasm_state_free`.
struct glasm_state *glasm_state_clone(const struct glasm_state *state);

// Frees a state.
//
// Takes `state` away from the caller; NULL is allowed.
void glasm_state_free(struct glasm_state *state);

// Sets a matrix (glLoadMatrixf). `index` selects one of several matrices of a kind, else it must be 0;
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
// `glasm_state_set(state, GLASM_STATE_VARIABLE_LIGHT_DIFFUSE, 2, color, 4)`. Values are not checked:
// the caller enforces the ranges of GL.
//
// `state` stays the caller's, and so do `values`, `count` floats. `variable` is a glasm_state_variable,
// which determines the number of floats and the role of `index`: below 8 for lights and clip planes,
// 32 for coordinate sets, texture units and samples. Without a role it is 0.
glasm_result glasm_state_set(struct glasm_state *state,
                             uint32_t variable,
                             uint32_t index,
                             const float *values,
                             size_t count);

// Sets values of GL's state in their order, each like `glasm_state_set`, which takes their numbers of
// floats as an argument. Values before an invalid one are set.
//
// `state` stays the caller's, and so do `values`, `count` of them.
glasm_result glasm_state_set_values(struct glasm_state *state, const struct glasm_state_setting *values, size_t count);

// Lets four parameters of vertex programs, `address` to `address + 3`, track a matrix
// (glTrackMatrixNV): they hold its rows from now on. `address` is a multiple of 4, as in GL.
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
glasm_bool glasm_state_is_matrix_tracked(const struct glasm_state *state, uint32_t address);

// Computes the value of a state.* parameter. `glasm_shader_fill_parameter_block` does so for all
// parameters of a shader at once.
//
// `state` and `parameter` stay the caller's. `values` points to memory of the caller for four
// floats.
glasm_result glasm_state_evaluate_parameter(const struct glasm_state *state,
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

// Gets the matrix of a mode of glMatrixMode: GL_MODELVIEW, GL_PROJECTION, GL_TEXTURE, GL_COLOR,
// GL_MODELVIEW1_ARB and so on, GL_MATRIX0_ARB and GL_MATRIX0_NV and so on.
// GLASM_RESULT_INVALID_ARGUMENT for other numbers, for which GL's error is GL_INVALID_ENUM, and for
// GL_MATRIX_PALETTE_ARB, which is GLASM_MATRIX_PALETTE with the current palette matrix.
//
// `active_texture` is the texture unit to which GL_TEXTURE refers, from 0. `matrix` and `index` are
// memory of the caller, set to a glasm_matrix and its index.
glasm_result glasm_matrix_from_gl(uint32_t mode, uint32_t active_texture, uint32_t *matrix, uint32_t *index);

// Multiplies a matrix by another one, which is applied first (glMultMatrixf). `index` selects one of
// several matrices of a kind, else it must be 0.
//
// `state` stays the caller's, and so does `factor`: 16 floats, in column-major order. `matrix` is a
// glasm_matrix other than the product.
glasm_result glasm_state_multiply_matrix(struct glasm_state *state,
                                         uint32_t matrix,
                                         uint32_t index,
                                         const float *factor);

// Multiplies a matrix by a translation (glTranslatef).
//
// `state` stays the caller's. `matrix` and `index` are as for `glasm_state_multiply_matrix`.
glasm_result glasm_state_translate(struct glasm_state *state,
                                   uint32_t matrix,
                                   uint32_t index,
                                   float x,
                                   float y,
                                   float z);

// Multiplies a matrix by a scaling (glScalef).
//
// `state` stays the caller's. `matrix` and `index` are as for `glasm_state_multiply_matrix`.
glasm_result glasm_state_scale(struct glasm_state *state, uint32_t matrix, uint32_t index, float x, float y, float z);

// Multiplies a matrix by a rotation (glRotatef): `degrees` counter-clockwise around an axis, which
// need not have length 1.
//
// `state` stays the caller's. `matrix` and `index` are as for `glasm_state_multiply_matrix`.
glasm_result glasm_state_rotate(struct glasm_state *state,
                                uint32_t matrix,
                                uint32_t index,
                                float degrees,
                                float x,
                                float y,
                                float z);

// Multiplies a matrix by a perspective projection (glFrustum). GLASM_RESULT_INVALID_ARGUMENT if
// `near` or `far` is not positive, or two opposite planes are equal, for which GL's error is
// GL_INVALID_VALUE.
//
// `state` stays the caller's. `matrix` and `index` are as for `glasm_state_multiply_matrix`.
glasm_result glasm_state_multiply_frustum(struct glasm_state *state,
                                          uint32_t matrix,
                                          uint32_t index,
                                          float left,
                                          float right,
                                          float bottom,
                                          float top,
                                          float near,
                                          float far);

// Multiplies a matrix by a parallel projection (glOrtho). GLASM_RESULT_INVALID_ARGUMENT if two
// opposite planes are equal, for which GL's error is GL_INVALID_VALUE.
//
// `state` stays the caller's. `matrix` and `index` are as for `glasm_state_multiply_matrix`.
glasm_result glasm_state_multiply_ortho(struct glasm_state *state,
                                        uint32_t matrix,
                                        uint32_t index,
                                        float left,
                                        float right,
                                        float bottom,
                                        float top,
                                        float near,
                                        float far);

// Saves a matrix on its stack (glPushMatrix). GLASM_RESULT_STACK_OVERFLOW if the stack has
// GLASM_MAX_MATRIX_STACK_DEPTH matrices, for which GL's error is GL_STACK_OVERFLOW.
//
// `state` stays the caller's. `matrix` and `index` are as for `glasm_state_multiply_matrix`.
glasm_result glasm_state_push_matrix(struct glasm_state *state, uint32_t matrix, uint32_t index);

// Replaces a matrix by the one that its stack has saved last (glPopMatrix).
// GLASM_RESULT_STACK_UNDERFLOW if none is saved, for which GL's error is GL_STACK_UNDERFLOW.
//
// `state` stays the caller's. `matrix` and `index` are as for `glasm_state_multiply_matrix`.
glasm_result glasm_state_pop_matrix(struct glasm_state *state, uint32_t matrix, uint32_t index);

// Returns the number of matrices of a stack, including the current one (GL_MODELVIEW_STACK_DEPTH);
// 0 for NULL and for matrices without a stack.
//
// `state` stays the caller's. `matrix` and `index` are as for `glasm_state_multiply_matrix`.
uint32_t glasm_state_matrix_stack_depth(const struct glasm_state *state, uint32_t matrix, uint32_t index);

// Fills the options of writing programs with their initial values. `size` is
// `sizeof(glasm_text_options)`.
//
// `options` belongs to the caller.
glasm_result glasm_text_options_init(struct glasm_text_options *options, size_t size);

// Writes a program in a shading language. GLASM_RESULT_PROGRAM_ERROR if it cannot be expressed in it,
// GLASM_RESULT_FEATURE_NOT_BUILT if the library was built without the feature `text`.
//
// `compiler` may be NULL, and so may `options`: GLSL 450. Both, and `program`, stay the caller's.
// `text` is set to a text that the caller owns and frees with `glasm_text_free`, or to NULL if
// there is none. `diagnostics` may be NULL; it is set to all errors and warnings, which the caller
// owns and frees with `glasm_diagnostics_free`, or to NULL if there are none.
glasm_result glasm_program_write_text(const struct glasm_compiler *compiler,
                                      const struct glasm_program *program,
                                      const struct glasm_text_options *options,
                                      struct glasm_text **text,
                                      struct glasm_diagnostics **diagnostics);

// Links the programs of a pipeline like `glasm_pipeline_link`, for a shading language: each shader of
// the pipeline (`glasm_pipeline_shader`) is then written with `glasm_shader_write_text` and the same
// options. GLASM_RESULT_PROGRAM_ERROR if one of the stages has errors or cannot be expressed in the
// language, GLASM_RESULT_FEATURE_NOT_BUILT if the library was built without the feature `text`.
//
// `compiler` may be NULL, and so may `options`: GLSL 450. Both stay the caller's, and so do
// `programs`, `count` of them. `pipeline` is set as by `glasm_pipeline_link`.
glasm_result glasm_pipeline_link_for_text(const struct glasm_compiler *compiler,
                                          const struct glasm_program *const *programs,
                                          size_t count,
                                          const struct glasm_text_options *options,
                                          struct glasm_pipeline **pipeline);

// Links the programs of a pipeline and writes all of its stages in a shading language: does what
// `glasm_pipeline_link_for_text` and `glasm_shader_write_text` do. The stages have the sources
// (`glasm_pipeline_text`), and the diagnostics of compiling and writing
// (`glasm_pipeline_render_diagnostics`). GLASM_RESULT_PROGRAM_ERROR if one of the stages has errors
// or cannot be expressed in the language, GLASM_RESULT_FEATURE_NOT_BUILT if the library was built
// without the feature `text`.
//
// `compiler` may be NULL, and so may `options`: GLSL 450. Both stay the caller's, and so do
// `programs`, `count` of them. `pipeline` is set as by `glasm_pipeline_link`.
glasm_result glasm_pipeline_write_text(const struct glasm_compiler *compiler,
                                       const struct glasm_program *const *programs,
                                       size_t count,
                                       const struct glasm_text_options *options,
                                       struct glasm_pipeline **pipeline);

// Writes a shader in a shading language. It must have been compiled for that language, by
// `glasm_pipeline_link_for_text` with the same options. GLASM_RESULT_LANGUAGE_MISMATCH if it was
// compiled for SPIR-V (`glasm_pipeline_link`, `glasm_program_compile`) or for another language, and
// would be a different one for this language; GLASM_RESULT_PROGRAM_ERROR if it cannot be written,
// GLASM_RESULT_FEATURE_NOT_BUILT if the library was built without the feature `text`.
//
// `options` may be NULL: GLSL 450. It and `shader` stay the caller's. `text` and `diagnostics` are
// set as by `glasm_program_write_text`; the diagnostics are those of writing, about the whole
// program. Those of the program itself are in the stage of the pipeline.
glasm_result glasm_shader_write_text(const struct glasm_shader *shader,
                                     const struct glasm_text_options *options,
                                     struct glasm_text **text,
                                     struct glasm_diagnostics **diagnostics);

// Computes the key of the result of compiling a program with options: module, reflection and
// warnings, or the errors. It is a SHA-256 digest of the program string, all settings of the
// source, all options and the version of the library, the same in all processes and on all
// machines of one byte order. The name of the source is part of it only with `debug_lines`.
//
// The key does not cover the other programs of a pipeline: `glasm_cache_key_extend` joins their keys.
//
// `source` and `options` stay the caller's, with all that they point to; `options` may be NULL:
// the default ones. `key` points to memory of the caller for GLASM_CACHE_KEY_SIZE bytes, which
// remain unchanged if an argument is invalid.
glasm_result glasm_source_cache_key(const struct glasm_source *source,
                                    const struct glasm_options *options,
                                    uint8_t *key);

// Computes the key of the result of compiling a loaded program with options. It covers what
// `glasm_source_cache_key` covers, except options that cannot change the module of this program
// (`glasm_options_for_program`), and in addition the changes of the program by functions such as
// `glasm_program_with_missing_textures`. Equal keys have equal results, and
// state without effect on the module does not change the key. Keys
// of this function and of `glasm_source_cache_key` differ from each other.
//
// `program` and `options` stay the caller's; `options` may be NULL: the default ones. `key` points
// to memory of the caller for GLASM_CACHE_KEY_SIZE bytes, which remain unchanged if an argument is
// invalid.
glasm_result glasm_program_cache_key(const struct glasm_program *program,
                                     const struct glasm_options *options,
                                     uint8_t *key);

// Computes the key of the pipeline that `glasm_pipeline_link` creates from these programs and
// options: the keys of all programs in their order (`glasm_program_cache_key`), joined.
//
// `programs`, `count` of them and at least one, and `options` stay the caller's; `options` may be
// NULL: the default ones. `key` points to memory of the caller for GLASM_CACHE_KEY_SIZE bytes, which
// remain unchanged if an argument is invalid.
glasm_result glasm_pipeline_cache_key(const struct glasm_program *const *programs,
                                      size_t count,
                                      const struct glasm_options *options,
                                      uint8_t *key);

// Changes a key to that of something that depends on more than the key covers: on the key of the
// program of another stage, on a revision of the caller.
//
// `key`, of GLASM_CACHE_KEY_SIZE bytes, and `more`, of `length` bytes, stay the caller's; they may
// be the same.
glasm_result glasm_cache_key_extend(uint8_t *key, const void *more, size_t length);

// Creates an empty cache; returns NULL if there is an internal error.
//
// The caller owns it, and frees it with `glasm_pipeline_cache_free`.
struct glasm_pipeline_cache *glasm_pipeline_cache_create(void);

// Gets the pipeline of programs for options from a cache, and links it if the cache does not have
// it. State on which none of the modules depends does not lead to another pipeline: neither state on
// which none of the programs depends (`glasm_options_for_program`), nor state of an input or output
// that linking removes.
// GLASM_RESULT_PROGRAM_ERROR if one of the stages has errors, each time; the pipeline is in the
// cache nevertheless, with the diagnostics.
//
// `cache` stays the caller's, and so do `compiler`, which may be NULL, `programs`, `count` of them
// and at least one, and `options`, which may be NULL: the default ones. `pipeline` is set to a
// pipeline that belongs to the cache and is valid until it is removed from the cache or this is
// freed, or to NULL if an argument is wrong; `glasm_pipeline_clone` retains it. A caller compares the
// pointer with that of the pipeline that it has bound: for the same programs, both are equal exactly
// if all modules are. `is_added` may be NULL; it is set to 1 if the call has added the pipeline,
// because the cache had none with these programs and modules, else to 0.
glasm_result glasm_pipeline_cache_get(const struct glasm_pipeline_cache *cache,
                                      const struct glasm_compiler *compiler,
                                      const struct glasm_program *const *programs,
                                      size_t count,
                                      const struct glasm_options *options,
                                      const struct glasm_pipeline **pipeline,
                                      glasm_bool *is_added);

// Removes the pipelines of which a program is a part (`glasm_pipeline_has_program`) from a cache, for
// callers that delete the program. No effect for NULL.
//
// `cache` and `program` stay the caller's. The cache frees its handles of these pipelines: those of
// `glasm_pipeline_clone` remain valid.
void glasm_pipeline_cache_remove(const struct glasm_pipeline_cache *cache, const struct glasm_program *program);

// Returns the number of pipelines without errors in a cache; 0 for NULL.
//
// `cache` stays the caller's.
size_t glasm_pipeline_cache_count(const struct glasm_pipeline_cache *cache);

// Removes all pipelines from a cache, like `glasm_pipeline_cache_remove`. No effect for NULL.
//
// `cache` stays the caller's.
void glasm_pipeline_cache_clear(const struct glasm_pipeline_cache *cache);

// Frees a cache with its handles of pipelines.
//
// Takes `cache` away from the caller; NULL is allowed.
void glasm_pipeline_cache_free(struct glasm_pipeline_cache *cache);

// Checks a module with spirv-val against the rules of SPIR-V and of its target environment:
// modules of this library, or others. GLASM_RESULT_INVALID_MODULE if it breaks one, which
// `glasm_error_message` names; GLASM_RESULT_FEATURE_NOT_BUILT if the library was built without the feature
// `spirv-tools`.
//
// `words`, `count` of them, stay the caller's. `target` is a glasm_target.
glasm_result glasm_spirv_validate(const uint32_t *words, size_t count, uint32_t target);

// Writes the words of the state in the options that `state_sources` names: colors, points, clip
// planes, stipples, alpha test, depth modes and wraps. They are the bytes of the uniform buffer of shaders that read
// state from one, and the values of specialization constants by the index of their word.
//
// `options` stays the caller's; NULL denotes the default options,
// which are not GL's initial state: `glasm_options_use_gl_initial_state`. `words` points to memory of the
// caller for GLASM_STATE_BLOCK_WORDS words; it may be mapped memory.
glasm_result glasm_options_write_state_block(const struct glasm_options *options, uint32_t *words);

// Returns the groups of state that the parameter block of a shader reads, a mask of
// GLASM_STATE_GROUP_*: its contents change only if one of them changes. A block of constants reads
// none, and is filled once. Groups from GLASM_STATE_GROUP_ENV on are values of the caller. 0 for NULL.
//
// `shader` stays the caller's.
uint32_t glasm_shader_state_groups(const struct glasm_shader *shader);

// Returns the groups of a state that have changed since a revision, a mask of GLASM_STATE_GROUP_*,
// and sets the revision to the current one. A parameter block that reads none of them remains
// valid. Each block has a revision, at first 0, with which all groups are returned; otherwise none
// from GLASM_STATE_GROUP_ENV on, which are values of the caller. 0 for NULL.
//
// `state` stays the caller's, and so does `revision`, which the caller has set.
uint32_t glasm_state_take_changes(struct glasm_state *state, uint64_t *revision);

// Returns the name of a result, such as "GLASM_RESULT_PROGRAM_ERROR"; "unknown result" for other
// numbers. `result` is a glasm_result.
//
// The string belongs to the library and is valid for ever.
const char *glasm_result_name(uint32_t result);

// Returns the extension of files with shaders of a stage, such as "vert" and "frag"; "" for other
// numbers. `stage` is a glasm_stage.
//
// The string belongs to the library and is valid for ever.
const char *glasm_stage_file_extension(uint32_t stage);

// Writes the name of a semantic, such as "tex_coord[3]", like snprintf: as many bytes as fit, with
// a terminating NUL. Returns the length of the whole name; 0 for invalid numbers and for NULL.
//
// `semantic` stays the caller's. `text` points to memory of the caller for `capacity` bytes, and
// may be NULL if that is 0.
size_t glasm_semantic_format(const struct glasm_semantic_info *semantic, char *text, size_t capacity);

// Writes the source of a parameter, such as "state.matrix.mvp.row[0]" or "program.env[2]", like
// snprintf: as many bytes as fit, with a terminating NUL. Returns the length of the whole name; 0
// for invalid numbers and for NULL. Names are complete: numbers and faces that programs may omit are
// there, such as "state.matrix.modelview[0].invtrans" and "state.lightprod[0].front.diffuse".
//
// `parameter` stays the caller's. `text` points to memory of the caller for `capacity` bytes, and
// may be NULL if that is 0.
size_t glasm_parameter_format(const struct glasm_block_parameter *parameter, char *text, size_t capacity);

// Fills the key of a program for vertices with GL's initial state. `size` is
// `sizeof(glasm_fixed_vertex_key)`.
//
// `key` belongs to the caller.
glasm_result glasm_fixed_vertex_key_init(struct glasm_fixed_vertex_key *key, size_t size);

// Fills the key of a program for fragments with GL's initial state. `size` is
// `sizeof(glasm_fixed_fragment_key)`.
//
// `key` belongs to the caller.
glasm_result glasm_fixed_fragment_key_init(struct glasm_fixed_fragment_key *key, size_t size);

// Loads the program that does what GL does without a vertex program: lighting, texture coordinate
// generation, fog coordinate, sizes of points. It is position-invariant.
//
// `compiler` may be NULL; it and `key` stay the caller's. `program` is set to a program that the
// caller owns and frees with `glasm_program_free`.
glasm_result glasm_program_create_fixed_vertex(const struct glasm_compiler *compiler,
                                               const struct glasm_fixed_vertex_key *key,
                                               struct glasm_program **program);

// Loads the program that does what GL does without a fragment program: texture environments, color
// sum, fog.
//
// `compiler` may be NULL; it and `key` stay the caller's. `program` is set to a program that the
// caller owns and frees with `glasm_program_free`.
glasm_result glasm_program_create_fixed_fragment(const struct glasm_compiler *compiler,
                                                 const struct glasm_fixed_fragment_key *key,
                                                 struct glasm_program **program);

// Gets the properties of an enabled light that determine the program for vertices, from its
// position, attenuation and spot.
//
// `state` stays the caller's; NULL denotes GL's initial state. `light` is below 8. `key` is the
// caller's, and is set.
glasm_result glasm_state_light_key(const struct glasm_state *state, uint32_t light, struct glasm_light_key *key);

// Gets the parts of the material that are vertex attributes: those of `material_attribute_mask`
// whose attribute is not a texture coordinate that the fragment stage reads.
//
// `key` stays the caller's. `mask` is the caller's, and is set.
glasm_result glasm_fixed_vertex_material_attributes(const struct glasm_fixed_vertex_key *key, uint32_t *mask);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GLASM_H */
