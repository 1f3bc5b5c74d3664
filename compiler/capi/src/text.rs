//! Programs as text of the shading languages, with the feature `text`.

use crate::compiler::glasm_compiler;
use crate::diagnostics::glasm_diagnostics;
use crate::ffi_args::{self, CallerStruct, Versioned, require, require_out_handle, write_out};
use crate::ffi_guard::{catch_to_result, glasm_result};
use crate::link::glasm_pipeline;
#[cfg(feature = "text")]
use crate::link::link_programs;
use crate::options::glasm_options;
use crate::program::glasm_program;
use crate::shader::glasm_shader;
use crate::text_output::glasm_text;
use glasm_capi_macros::c_enum;
use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::ptr;

/// Rules for clip space that a program follows. Where the language has others, positions are
/// converted.
#[cfg_attr(feature = "text", c_enum(::glasm_text::ClipConventions))]
#[cfg_attr(not(feature = "text"), c_enum)]
#[repr(u32)]
pub enum glasm_clip_conventions {
    /// OpenGL's if `compiler_options` has GLASM_CLIP_DEPTH_NEGATIVE_ONE_TO_ONE, as
    /// `glasm_options_init_for_gl_context` sets it; otherwise those of the language, so that positions
    /// pass unchanged.
    OfCompilerOptions = 0,
    /// OpenGL's: depth from -w to w, y up.
    #[from(OpenGl)]
    Opengl = 1,
    /// Vulkan's: depth from 0 to w, y down.
    Vulkan = 2,
}

/// Results of minima, maxima and clamps of GLSL for NaN.
#[cfg_attr(feature = "text", c_enum(::glasm_text::NanMode))]
#[cfg_attr(not(feature = "text"), c_enum)]
#[repr(u32)]
pub enum glasm_text_nan_mode {
    /// Results of the functions of the language.
    Unspecified = 0,
    /// Results that programs require, by tests that make the source long.
    Exact = 1,
}

/// Options of writing a program in a shading language. `glasm_text_options_init` fills it with the
/// initial values.
///
/// All that it points to belongs to the caller and is read only during the call that gets it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_text_options {
    /// Size of the structure in bytes, as the caller knows it.
    pub size: usize,
    /// The language with its version: "wgsl", "glsl330", "essl310", "vulkan-glsl", "hlsl60",
    /// "msl24", and others that docs/text-output.md lists; NULL: "glsl450".
    pub language: *const c_char,
    /// A glasm_clip_conventions.
    pub clip_conventions: u32,
    /// A glasm_text_nan_mode.
    pub nan_mode: u32,
    /// Options of the compiler; NULL: the default ones. Device features and debug information are
    /// ignored: the language decides them.
    pub compiler_options: *const glasm_options,
}

// SAFETY: it begins with the size.
unsafe impl Versioned for glasm_text_options {}

// SAFETY: numbers and pointers.
unsafe impl CallerStruct for glasm_text_options {}

/// Fills the options of writing programs with their initial values. `size` is
/// `sizeof(glasm_text_options)`.
///
/// `options` belongs to the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_text_options_init(
    options: *mut glasm_text_options,
    size: usize,
) -> glasm_result {
    catch_to_result(|| {
        // SAFETY: the caller's structure has this size.
        unsafe { ffi_args::init_struct(options, size, "options") }
    })
}

/// Writes a program in a shading language. GLASM_RESULT_PROGRAM_ERROR if it cannot be expressed in it,
/// GLASM_RESULT_FEATURE_NOT_BUILT if the library was built without the feature `text`.
///
/// `compiler` may be NULL, and so may `options`: GLSL 450. Both, and `program`, stay the caller's.
/// `text` is set to a text that the caller owns and frees with `glasm_text_free`, or to NULL if
/// there is none. `diagnostics` may be NULL; it is set to all errors and warnings, which the caller
/// owns and frees with `glasm_diagnostics_free`, or to NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_program_write_text(
    compiler: Option<&glasm_compiler>,
    program: Option<&glasm_program>,
    options: *const glasm_text_options,
    text: Option<&mut MaybeUninit<*mut glasm_text>>,
    mut diagnostics: Option<&mut MaybeUninit<*mut glasm_diagnostics>>,
) -> glasm_result {
    catch_to_result(|| {
        write_out(diagnostics.as_deref_mut(), ptr::null_mut());
        let text = require_out_handle(text, "text")?;
        let program = require(program, "program")?;
        #[cfg(not(feature = "text"))]
        {
            let _ = (compiler, program, options, text, diagnostics);
            Err(crate::ffi_guard::Failure::not_built("text"))
        }
        #[cfg(feature = "text")]
        // SAFETY: the caller answers for the structure and all that it points to.
        unsafe {
            writer::write_text(compiler, program, options, text, diagnostics)
        }
    })
}

/// Links the programs of a pipeline like `glasm_pipeline_link`, for a shading language: each shader of
/// the pipeline (`glasm_pipeline_shader`) is then written with `glasm_shader_write_text` and the same
/// options. GLASM_RESULT_PROGRAM_ERROR if one of the stages has errors or cannot be expressed in the
/// language, GLASM_RESULT_FEATURE_NOT_BUILT if the library was built without the feature `text`.
///
/// `compiler` may be NULL, and so may `options`: GLSL 450. Both stay the caller's, and so do
/// `programs`, `count` of them. `pipeline` is set as by `glasm_pipeline_link`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_pipeline_link_for_text(
    compiler: Option<&glasm_compiler>,
    programs: *const *const glasm_program,
    count: usize,
    options: *const glasm_text_options,
    pipeline: Option<&mut MaybeUninit<*mut glasm_pipeline>>,
) -> glasm_result {
    // SAFETY: the caller answers for the structure, the programs, and all that they point to.
    unsafe { link_for_language(compiler, (programs, count), options, pipeline, false) }
}

/// Links the programs of a pipeline and writes all of its stages in a shading language: does what
/// `glasm_pipeline_link_for_text` and `glasm_shader_write_text` do. The stages have the sources
/// (`glasm_pipeline_text`), and the diagnostics of compiling and writing
/// (`glasm_pipeline_render_diagnostics`). GLASM_RESULT_PROGRAM_ERROR if one of the stages has errors
/// or cannot be expressed in the language, GLASM_RESULT_FEATURE_NOT_BUILT if the library was built
/// without the feature `text`.
///
/// `compiler` may be NULL, and so may `options`: GLSL 450. Both stay the caller's, and so do
/// `programs`, `count` of them. `pipeline` is set as by `glasm_pipeline_link`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_pipeline_write_text(
    compiler: Option<&glasm_compiler>,
    programs: *const *const glasm_program,
    count: usize,
    options: *const glasm_text_options,
    pipeline: Option<&mut MaybeUninit<*mut glasm_pipeline>>,
) -> glasm_result {
    // SAFETY: the caller answers for the structure, the programs, and all that they point to.
    unsafe { link_for_language(compiler, (programs, count), options, pipeline, true) }
}

/// Links the programs of a list of pointers with its length for a shading language, and writes the
/// handle of the pipeline to `pipeline`; its stages have their sources if `writes_stages`.
///
/// # Safety
/// As [`link_programs`], and `options` as [`writer::read_text_options`] requires.
unsafe fn link_for_language(
    compiler: Option<&glasm_compiler>,
    programs: (*const *const glasm_program, usize),
    options: *const glasm_text_options,
    pipeline: Option<&mut MaybeUninit<*mut glasm_pipeline>>,
    writes_stages: bool,
) -> glasm_result {
    catch_to_result(|| {
        let pipeline = require_out_handle(pipeline, "pipeline")?;
        #[cfg(not(feature = "text"))]
        {
            let _ = (compiler, programs, options, pipeline, writes_stages);
            Err(crate::ffi_guard::Failure::not_built("text"))
        }
        #[cfg(feature = "text")]
        // SAFETY: the caller of this function guarantees it.
        unsafe {
            let options = writer::read_text_options(options)?;
            let compiled_for = ::glasm_text::compiler_options(&options);
            link_programs(compiler, programs, &compiled_for, pipeline, |linked| {
                if writes_stages {
                    writer::write_stages(linked, &options)
                } else {
                    Vec::new()
                }
            })
        }
    })
}

/// Writes a shader in a shading language. It must have been compiled for that language, by
/// `glasm_pipeline_link_for_text` with the same options. GLASM_RESULT_LANGUAGE_MISMATCH if it was
/// compiled for SPIR-V (`glasm_pipeline_link`, `glasm_program_compile`) or for another language, and
/// would be a different one for this language; GLASM_RESULT_PROGRAM_ERROR if it cannot be written,
/// GLASM_RESULT_FEATURE_NOT_BUILT if the library was built without the feature `text`.
///
/// `options` may be NULL: GLSL 450. It and `shader` stay the caller's. `text` and `diagnostics` are
/// set as by `glasm_program_write_text`; the diagnostics are those of writing, about the whole
/// program. Those of the program itself are in the stage of the pipeline.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_shader_write_text(
    shader: Option<&glasm_shader>,
    options: *const glasm_text_options,
    text: Option<&mut MaybeUninit<*mut glasm_text>>,
    mut diagnostics: Option<&mut MaybeUninit<*mut glasm_diagnostics>>,
) -> glasm_result {
    catch_to_result(|| {
        write_out(diagnostics.as_deref_mut(), ptr::null_mut());
        let text = require_out_handle(text, "text")?;
        let shader = require(shader, "shader")?;
        #[cfg(not(feature = "text"))]
        {
            let _ = (shader, options, text, diagnostics);
            Err(crate::ffi_guard::Failure::not_built("text"))
        }
        #[cfg(feature = "text")]
        // SAFETY: the caller answers for the structure and all that it points to.
        unsafe {
            writer::write_compiled(shader, options, text, diagnostics)
        }
    })
}

#[cfg(feature = "text")]
mod writer {
    use super::{glasm_text, glasm_text_options};
    use crate::compiler::glasm_compiler;
    use crate::diagnostics::{DiagnosticsOut, write_diagnostics};
    use crate::enums::read_number;
    use crate::ffi_args::{self, CallerStruct, write_handle};
    use crate::ffi_guard::Failure;
    use crate::options_from_c::read_options;
    use crate::program::glasm_program;
    use crate::shader::glasm_shader;
    use ::glasm_text::{
        Error, Language, Options, UnknownLanguage, compiler_options, explain_features,
        write_linked, write_shader,
    };
    use glasm::{Diagnostics, Linked, Source};
    use std::mem::MaybeUninit;

    /// Reads options of the caller; NULL denotes the default ones.
    ///
    /// # Safety
    /// `options` must be null, or as [`ffi_args::read_struct`] requires, and what it points to must be there
    /// during the call.
    pub(super) unsafe fn read_text_options(
        options: *const glasm_text_options,
    ) -> Result<Options, Failure> {
        let given = if options.is_null() {
            glasm_text_options::initial()
        } else {
            // SAFETY: the caller of this function guarantees it.
            unsafe { ffi_args::read_struct(options, "options") }?
        };
        // SAFETY: as above.
        let language = unsafe { ffi_args::read_string(given.language) };
        let language = language.map_or(Ok(Language::default()), |name| {
            name.parse()
                .map_err(|unknown: UnknownLanguage| Failure::invalid_argument(unknown.to_string()))
        })?;
        Ok(Options {
            language,
            clip_conventions: read_number(given.clip_conventions, "clip_conventions")?,
            nan_mode: read_number(given.nan_mode, "nan_mode")?,
            // SAFETY: as above.
            compiler: unsafe { read_options(given.compiler_options) }?,
        })
    }

    /// Compiles a program for a language and writes it.
    ///
    /// # Safety
    /// As [`read_text_options`].
    pub(super) unsafe fn write_text(
        compiler: Option<&glasm_compiler>,
        program: &glasm_program,
        options: *const glasm_text_options,
        out: &mut MaybeUninit<*mut glasm_text>,
        diagnostics: DiagnosticsOut<'_>,
    ) -> Result<(), Failure> {
        // SAFETY: the caller of this function guarantees it.
        let options = &unsafe { read_text_options(options) }?;
        let source = program.source();
        let compiled = glasm_compiler::with_compiler(compiler, |compiler| {
            compiler.compile_program(program.program(), &compiler_options(options))
        });
        let written = compiled
            .map_err(|errors| Error::Program(explain_features(&source, options, errors)))
            .and_then(|shader| Ok((write_shader(&shader, options)?, shader)));
        match written {
            Ok((text, shader)) => {
                write_diagnostics(diagnostics, text.warnings.clone(), &source);
                write_handle(out, glasm_text::new(shader, &text));
                Ok(())
            }
            Err(error) => {
                let found = to_diagnostics(error)?;
                let failure = Failure::program(&found, &source);
                write_diagnostics(diagnostics, found, &source);
                Err(failure)
            }
        }
    }

    /// Writes a shader that was compiled for the language.
    ///
    /// # Safety
    /// As [`read_text_options`].
    pub(super) unsafe fn write_compiled(
        shader: &glasm_shader,
        options: *const glasm_text_options,
        out: &mut MaybeUninit<*mut glasm_text>,
        diagnostics: DiagnosticsOut<'_>,
    ) -> Result<(), Failure> {
        // SAFETY: the caller of this function guarantees it.
        let options = unsafe { read_text_options(options) }?;
        let source = Source::new("shader", b"");
        // The text of the program, in which its warnings have positions, is not there.
        let program_warnings = shader.shader().warnings.list.len();
        let of_writing = |mut found: Diagnostics| {
            found.list.drain(..program_warnings.min(found.list.len()));
            found
        };
        match write_shader(shader.shader(), &options) {
            Ok(text) => {
                write_diagnostics(diagnostics, of_writing(text.warnings.clone()), &source);
                write_handle(out, glasm_text::new(shader.shader().clone(), &text));
                Ok(())
            }
            Err(error) => {
                let found = to_diagnostics(error)?;
                let failure = Failure::program(&found, &source);
                write_diagnostics(diagnostics, of_writing(found), &source);
                Err(failure)
            }
        }
    }

    /// Writes all stages of a linked pipeline; returns `None` for stages with errors.
    pub(super) fn write_stages(linked: &mut Linked, options: &Options) -> Vec<Option<glasm_text>> {
        let texts = write_linked(linked, options);
        let generated = linked.generated.iter().map(|(_, stage)| stage);
        let stages = linked.stages.iter().chain(generated);
        let written = stages.zip(texts).map(|(stage, text)| {
            let shader = stage.as_ref().ok()?.clone();
            Some(glasm_text::new(shader, &text?))
        });
        written.collect()
    }

    /// Returns the diagnostics of an error.
    ///
    /// # Errors
    /// Fails for a shader of another language, which has no diagnostics.
    fn to_diagnostics(error: Error) -> Result<Diagnostics, Failure> {
        match error {
            Error::OtherLanguage(mismatch) => Err(Failure::language_mismatch(mismatch.to_string())),
            Error::Program(_) | Error::Writer { .. } => Ok(error.into_diagnostics()),
        }
    }
}
