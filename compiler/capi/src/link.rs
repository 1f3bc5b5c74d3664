//! The programs of a pipeline, compiled together.

use crate::compiler::glasm_compiler;
use crate::diagnostics::glasm_diagnostics;
use crate::enums::{glasm_bool, glasm_stage, read_number};
use crate::ffi_args::{
    self, Versioned, drop_handle, require, require_out_handle, return_list, write_handle,
};
use crate::ffi_guard::{Failure, catch_or, catch_to_result, glasm_result};
use crate::options::glasm_options;
use crate::options_from_c::read_options;
use crate::program::glasm_program;
use crate::semantic::glasm_semantic_info;
use crate::shader::glasm_shader;
use crate::strings::to_c_string;
use glasm::ir::Stage;
use glasm::{Diagnostics, Linked, Options, Program, Shader, Source};
use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;

/// Result of linking the programs of a pipeline. Threads may share it.
#[derive(Debug)]
pub struct glasm_pipeline {
    stages: Vec<CompiledStage>,
    unwritten_inputs: Vec<glasm_unwritten_input>,
    rendered: OnceLock<CString>,
}

#[derive(Debug)]
struct CompiledStage {
    stage: Stage,
    is_generated: bool,
    shader: Option<glasm_shader>,
    diagnostics: Option<glasm_diagnostics>,
}

/// A program of a pipeline with separate options.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_pipeline_program {
    /// The program.
    pub program: *const glasm_program,
    /// Its options; NULL: the default ones.
    pub options: *const glasm_options,
}

/// A stage of a pipeline.
///
/// All that it points to belongs to the pipeline and is valid until this is freed;
/// `glasm_shader_clone` retains a shader.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_pipeline_stage {
    /// Size of the structure in bytes, as the caller knows it.
    pub size: usize,
    /// Stage.
    pub stage: glasm_stage,
    /// True for a stage that the pipeline needs in addition to the programs of the caller.
    pub is_generated: glasm_bool,
    /// The shader; NULL if there are errors.
    pub shader: *const glasm_shader,
    /// Errors and warnings; NULL if there are none.
    pub diagnostics: *const glasm_diagnostics,
}

/// An input that the stage before does not write. GL links such programs: they read (0, 0, 0, 1).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_unwritten_input {
    /// The stage that reads it.
    pub stage: glasm_stage,
    /// The input.
    pub semantic: glasm_semantic_info,
}

// SAFETY: it begins with the size.
unsafe impl Versioned for glasm_pipeline_stage {}

/// Compiles the programs of a pipeline, given in its order, so that their interfaces match: only
/// varyings that pass between them take locations, and any results go together.
/// GLASM_RESULT_PROGRAM_ERROR if one of the stages has errors, which the stages have
/// (`glasm_pipeline_render_diagnostics`).
///
/// `compiler` may be NULL, and so may `options`: the default ones. Both stay the caller's, and so
/// do `programs`, `count` of them. `pipeline` is set to the result, which the caller owns and frees
/// with `glasm_pipeline_free`, even if stages have errors; or to NULL if an argument is wrong.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_pipeline_link(
    compiler: Option<&glasm_compiler>,
    programs: *const *const glasm_program,
    count: usize,
    options: *const glasm_options,
    pipeline: Option<&mut MaybeUninit<*mut glasm_pipeline>>,
) -> glasm_result {
    catch_to_result(|| {
        let pipeline = require_out_handle(pipeline, "pipeline")?;
        // SAFETY: the caller answers for the structure and all that it points to.
        let options = unsafe { read_options(options) }?;
        // SAFETY: the caller guarantees that many pointers to live programs.
        unsafe { link_programs(compiler, (programs, count), &options, pipeline) }
    })
}

/// Links the programs of a list of pointers with its length, and writes the handle of the pipeline
/// to `pipeline`.
///
/// # Safety
/// As [`ffi_args::read_handles`].
pub(crate) unsafe fn link_programs(
    compiler: Option<&glasm_compiler>,
    (programs, count): (*const *const glasm_program, usize),
    options: &Options,
    pipeline: &mut MaybeUninit<*mut glasm_pipeline>,
) -> Result<(), Failure> {
    // SAFETY: the caller of this function guarantees it.
    let programs: Vec<&glasm_program> =
        unsafe { ffi_args::read_handles(programs, count, "programs") }?;
    let loaded: Vec<&Program> = programs.iter().map(|program| program.program()).collect();
    let linked =
        glasm_compiler::with_compiler(compiler, |compiler| compiler.link(&loaded, options));
    write_pipeline(&programs, linked, pipeline)
}

/// Does what `glasm_pipeline_link` does, with separate options for each program.
///
/// `compiler` may be NULL. It stays the caller's, and so do `stages`, `count` of them, with all
/// that they point to. `pipeline` is set as by `glasm_pipeline_link`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_pipeline_link_with_options(
    compiler: Option<&glasm_compiler>,
    stages: *const glasm_pipeline_program,
    count: usize,
    pipeline: Option<&mut MaybeUninit<*mut glasm_pipeline>>,
) -> glasm_result {
    catch_to_result(|| {
        let pipeline = require_out_handle(pipeline, "pipeline")?;
        // SAFETY: the caller guarantees that many of them.
        let stages = unsafe { ffi_args::read_list(stages, count, "stages") }?;
        let handles: Vec<_> = stages.iter().map(|stage| stage.program).collect();
        // SAFETY: the caller has pointers to programs that live in them.
        let programs: Vec<&glasm_program> =
            unsafe { ffi_args::read_handles(handles.as_ptr(), count, "programs") }?;
        // SAFETY: the caller answers for the structures and all that they point to.
        let options = stages
            .iter()
            .map(|stage| unsafe { read_options(stage.options) });
        let options = options.collect::<Result<Vec<Options>, Failure>>()?;
        let loaded = programs.iter().map(|program| program.program());
        let pairs: Vec<(&Program, &Options)> = loaded.zip(&options).collect();
        let linked = glasm_compiler::with_compiler(compiler, |compiler| compiler.link_with(&pairs));
        write_pipeline(&programs, linked, pipeline)
    })
}

/// Writes a linked pipeline to the caller, also if not all of its stages are compiled, which is the
/// error `ProgramError`.
fn write_pipeline(
    programs: &[&glasm_program],
    linked: Linked,
    pipeline: &mut MaybeUninit<*mut glasm_pipeline>,
) -> Result<(), Failure> {
    let made = glasm_pipeline::new(programs, linked);
    let all_compiled = made.stages.iter().all(|stage| stage.shader.is_some());
    write_handle(pipeline, made);
    if all_compiled {
        Ok(())
    } else {
        Err(Failure::program())
    }
}

impl glasm_pipeline {
    /// Converts a linked pipeline: first the stages of `programs` in their order, then the
    /// generated stages.
    fn new(programs: &[&glasm_program], linked: Linked) -> Self {
        let program_stages = programs.iter().zip(linked.stages);
        let given = program_stages.map(|(program, compiled)| {
            let stage = program.program().stage();
            CompiledStage::new(stage, compiled, Some(&program.source()))
        });
        let generated = linked.generated.into_iter();
        let made = generated.map(|(stage, compiled)| CompiledStage::new(stage, compiled, None));
        let unwritten = linked.unwritten.into_iter();
        Self {
            stages: given.chain(made).collect(),
            unwritten_inputs: unwritten
                .map(|(stage, semantic)| glasm_unwritten_input {
                    stage: stage.into(),
                    semantic: semantic.into(),
                })
                .collect(),
            rendered: OnceLock::new(),
        }
    }
}

impl CompiledStage {
    /// Creates a stage. A stage that the pipeline needs in addition to the programs has no source.
    fn new(
        stage: Stage,
        compiled: Result<Shader, Diagnostics>,
        source: Option<&Source<'_>>,
    ) -> Self {
        let (shader, found) = match compiled {
            Ok(shader) => {
                let warnings = shader.warnings.clone();
                (Some(glasm_shader::new(shader)), warnings)
            }
            Err(found) => (None, found),
        };
        let empty_source = Source::new("generated stage", b"");
        let diagnostics = || glasm_diagnostics::new(found.clone(), source.unwrap_or(&empty_source));
        Self {
            stage,
            is_generated: source.is_none(),
            shader,
            diagnostics: (!found.list.is_empty()).then(diagnostics),
        }
    }
}

/// Returns the number of stages of a pipeline: those of the caller in their order, then those that
/// it needs in addition. 0 for NULL.
///
/// `pipeline` stays the caller's.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_stage_count(pipeline: Option<&glasm_pipeline>) -> usize {
    catch_or(0, || Ok(pipeline.map_or(0, |all| all.stages.len())))
}

/// Gets a stage of a pipeline by its index, below `glasm_pipeline_stage_count`.
///
/// `pipeline` stays the caller's. `stage` is the caller's, too, with its size set; what it points
/// to then belongs to `pipeline`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_pipeline_get_stage(
    pipeline: Option<&glasm_pipeline>,
    index: usize,
    stage: *mut glasm_pipeline_stage,
) -> glasm_result {
    catch_to_result(|| {
        let found = require(pipeline, "pipeline")?.stages.get(index);
        let found =
            found.ok_or_else(|| Failure::invalid_argument("`index` is past the last stage"))?;
        let given = glasm_pipeline_stage {
            size: size_of::<glasm_pipeline_stage>(),
            stage: found.stage.into(),
            is_generated: found.is_generated.into(),
            shader: found.shader.as_ref().map_or(ptr::null(), ptr::from_ref),
            diagnostics: found
                .diagnostics
                .as_ref()
                .map_or(ptr::null(), ptr::from_ref),
        };
        // SAFETY: the caller's structure has the size that it states.
        unsafe { ffi_args::write_struct(stage, given, "stage") }
    })
}

/// Returns the shader of a stage of a pipeline: of a program of the caller, or of a stage that it
/// needs in addition. Returns NULL if there is no such stage, if it has errors, and for NULL.
///
/// `pipeline` stays the caller's. `stage` is a glasm_stage. The shader belongs to the pipeline and
/// is valid until this is freed; `glasm_shader_clone` retains it.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_shader(
    pipeline: Option<&glasm_pipeline>,
    stage: u32,
) -> *const glasm_shader {
    catch_or(ptr::null(), || {
        let stage: Stage = read_number(stage, "stage")?;
        let mut stages = require(pipeline, "pipeline")?.stages.iter();
        let found = stages.find(|own| own.stage == stage);
        let shader = found.and_then(|own| own.shader.as_ref());
        Ok(shader.map_or(ptr::null(), ptr::from_ref))
    })
}

/// Renders the messages of all stages of a pipeline for users, like `glasm_diagnostics_render`: the
/// empty string if there are none. Returns NULL for NULL.
///
/// `pipeline` stays the caller's. The string belongs to it and is valid until it is freed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_render_diagnostics(
    pipeline: Option<&glasm_pipeline>,
) -> *const c_char {
    catch_or(ptr::null(), || {
        let pipeline = require(pipeline, "pipeline")?;
        let render = || {
            let found = pipeline.stages.iter();
            let found = found.filter_map(|stage| stage.diagnostics.as_ref());
            to_c_string(&found.map(glasm_diagnostics::render).collect::<String>())
        };
        Ok(pipeline.rendered.get_or_init(render).as_ptr())
    })
}

/// Returns the inputs of the stages of a pipeline that the preceding stage does not write; `count`
/// is set to their number. Returns NULL for NULL.
///
/// `pipeline` stays the caller's. The list belongs to it and is valid until it is freed. `count`
/// may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_unwritten_inputs(
    pipeline: Option<&glasm_pipeline>,
    count: Option<&mut MaybeUninit<usize>>,
) -> *const glasm_unwritten_input {
    return_list(count, || {
        Ok(&require(pipeline, "pipeline")?.unwritten_inputs)
    })
}

/// Frees a pipeline, and with it the shaders and diagnostics of its stages.
///
/// Takes `pipeline` away from the caller; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_free(pipeline: Option<Box<glasm_pipeline>>) {
    drop_handle(pipeline);
}
