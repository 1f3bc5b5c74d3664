/* What the client calls of NVIDIA's Cg runtime, declared after its public reference manual: whoever packs the libraries leaves headers out. */
#pragma once

#include "gl.h"

typedef struct cg_context *CGcontext;
typedef struct cg_program *CGprogram;
typedef struct cg_parameter *CGparameter;
typedef struct cg_buffer *CGbuffer;
typedef struct cg_effect *CGeffect;
typedef struct cg_technique *CGtechnique;
typedef struct cg_pass *CGpass;
/* Enumerations; numbers of the general ones are asked for by name. */
typedef int CGprofile, CGenum, CGerror, CGbool, CGGLenum;
typedef void (*CGerrorHandlerFunc)(CGcontext, CGerror, void *);

enum { CG_GL_MATRIX_IDENTITY, CG_GL_MATRIX_TRANSPOSE, CG_GL_MATRIX_INVERSE, CG_GL_MATRIX_INVERSE_TRANSPOSE };
enum { CG_GL_MODELVIEW_MATRIX = 4, CG_GL_PROJECTION_MATRIX, CG_GL_TEXTURE_MATRIX, CG_GL_MODELVIEW_PROJECTION_MATRIX };

/* The runtime. */
CGcontext cgCreateContext(void);
void cgDestroyContext(CGcontext);
CGenum cgGetEnum(const char *name);
CGprofile cgGetProfile(const char *name);
void cgSetErrorHandler(CGerrorHandlerFunc, void *data);
const char *cgGetErrorString(CGerror);
const char *cgGetLastListing(CGcontext);

/* Programs and their parameters. */
CGprogram cgCreateProgram(CGcontext, CGenum kind, const char *text, CGprofile, const char *entry, const char **arguments);
CGprogram cgCombinePrograms2(CGprogram, CGprogram);
CGprogram cgGetProgramDomainProgram(CGprogram, int index);
const char *cgGetProgramString(CGprogram, CGenum what);
CGparameter cgGetNamedParameter(CGprogram, const char *name);
CGparameter cgCreateParameter(CGcontext, CGenum type);
CGenum cgGetType(const char *name);
void cgConnectParameter(CGparameter from, CGparameter to);
void cgSetParameterValuefr(CGparameter, int count, const float *values);
void cgSetParameterValueir(CGparameter, int count, const int *values);
void cgSetMatrixParameterfr(CGparameter, const float *rows);
void cgSetMatrixParameterfc(CGparameter, const float *columns);
void cgUpdateProgramParameters(CGprogram);

/* Buffers of parameters. */
CGbuffer cgGLCreateBuffer(CGcontext, int size, const void *data, GLenum usage);
void cgSetBufferSubData(CGbuffer, int offset, int size, const void *data);
void cgSetProgramBuffer(CGprogram, int index, CGbuffer);

/* Effects. */
void cgGLRegisterStates(CGcontext);
CGeffect cgCreateEffect(CGcontext, const char *text, const char **arguments);
CGparameter cgGetNamedEffectParameter(CGeffect, const char *name);
CGtechnique cgGetFirstTechnique(CGeffect);
CGbool cgValidateTechnique(CGtechnique);
CGpass cgGetFirstPass(CGtechnique);
CGpass cgGetNextPass(CGpass);
void cgSetPassState(CGpass);
void cgResetPassState(CGpass);

/* OpenGL. */
CGbool cgGLIsProfileSupported(CGprofile);
void cgGLSetOptimalOptions(CGprofile);
void cgGLSetManageTextureParameters(CGcontext, CGbool);
void cgGLLoadProgram(CGprogram);
void cgGLBindProgram(CGprogram);
void cgGLEnableProfile(CGprofile);
void cgGLDisableProfile(CGprofile);
void cgGLSetStateMatrixParameter(CGparameter, CGGLenum matrix, CGGLenum transform);
void cgGLSetMatrixParameterfr(CGparameter, const float *rows);
void cgGLSetMatrixParameterArrayfr(CGparameter, long first, long count, const float *rows);
void cgGLSetMatrixParameterArrayfc(CGparameter, long first, long count, const float *columns);
void cgGLSetParameter1f(CGparameter, float);
void cgGLSetParameter3fv(CGparameter, const float *values);
void cgGLSetParameter4fv(CGparameter, const float *values);
void cgGLSetParameterArray1f(CGparameter, long first, long count, const float *values);
void cgGLSetParameterArray4f(CGparameter, long first, long count, const float *values);
void cgGLSetTextureParameter(CGparameter, GLuint texture);
void cgGLSetupSampler(CGparameter, GLuint texture);
void cgGLSetParameterPointer(CGparameter, GLint size, GLenum type, GLsizei stride, const void *pointer);
void cgGLEnableClientState(CGparameter);
void cgGLDisableClientState(CGparameter);
