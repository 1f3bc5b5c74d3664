//! The programs of a pipeline, compiled together.

use crate::call::{Failure, enter, glasm_result, run_or};
use crate::compiler::glasm_compiler;
use crate::diagnostics::glasm_diagnostics;
use crate::enums::{glasm_bool, glasm_stage};
use crate::memory::{self, Versioned, clear_handle, free, give_handle, give_list, require};
use crate::options::glasm_options;
use crate::program::glasm_program;
use crate::read_options::read_options;
use crate::semantic::glasm_meaning;
use crate::shader::glasm_shader;
use glasm::ir::Stage;
use glasm::{Diagnostics, Linked, Options, Program, Shader, Source};
use std::mem::MaybeUninit;
use std::ptr;

/// Result of linking the programs of a pipeline. Threads may share it.
#[derive(Debug)]
pub struct glasm_pipeline {
    stages: Vec<Compiled>,
    unwritten: Vec<glasm_unwritten_input>,
}

#[derive(Debug)]
struct Compiled {
    stage: Stage,
    is_made: bool,
    shader: Option<glasm_shader>,
    diagnostics: Option<glasm_diagnostics>,
}

/// A program of a pipeline with separate options.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_stage_options {
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
    pub is_made: glasm_bool,
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
    pub input: glasm_meaning,
}

// SAFETY: it begins with the size.
unsafe impl Versioned for glasm_pipeline_stage {}

/// Compiles the programs of a pipeline, given in its order, so that their interfaces match: only
/// varyings that pass between them take locations, and any results go together.
/// GLASM_RESULT_PROGRAM if one of the stages has errors.
///
/// `compiler` may be NULL, and so may `options`: the default ones. Both stay the caller's, and so
/// do `programs`, `count` of them. `pipeline` is set to the result, which the caller owns and frees
/// with `glasm_pipeline_free`, even if stages have errors; or to NULL if an argument is wrong.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_link(
    compiler: Option<&glasm_compiler>,
    programs: *const *const glasm_program,
    count: usize,
    options: *const glasm_options,
    pipeline: Option<&mut MaybeUninit<*mut glasm_pipeline>>,
) -> glasm_result {
    enter(|| {
        let pipeline = clear_handle(pipeline, "pipeline")?;
        // SAFETY: the caller guarantees that many pointers to live programs.
        let programs: Vec<&glasm_program> =
            unsafe { memory::read_handles(programs, count, "programs") }?;
        // SAFETY: the caller answers for the structure and all that it points to.
        let options = unsafe { read_options(options) }?;
        let loaded: Vec<&Program> = programs.iter().map(|program| program.program()).collect();
        let linked = glasm_compiler::run(compiler, |compiler| compiler.link(&loaded, &options));
        give_pipeline(&programs, linked, pipeline)
    })
}

/// Does what `glasm_link` does, with separate options for each program.
///
/// `compiler` may be NULL. It stays the caller's, and so do `stages`, `count` of them, with all
/// that they point to. `pipeline` is set as by `glasm_link`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_link_with(
    compiler: Option<&glasm_compiler>,
    stages: *const glasm_stage_options,
    count: usize,
    pipeline: Option<&mut MaybeUninit<*mut glasm_pipeline>>,
) -> glasm_result {
    enter(|| {
        let pipeline = clear_handle(pipeline, "pipeline")?;
        // SAFETY: the caller guarantees that many of them.
        let stages = unsafe { memory::read_list(stages, count, "stages") }?;
        let handles: Vec<_> = stages.iter().map(|stage| stage.program).collect();
        // SAFETY: the caller has pointers to programs that live in them.
        let programs: Vec<&glasm_program> =
            unsafe { memory::read_handles(handles.as_ptr(), count, "programs") }?;
        // SAFETY: the caller answers for the structures and all that they point to.
        let options = stages
            .iter()
            .map(|stage| unsafe { read_options(stage.options) });
        let options = options.collect::<Result<Vec<Options>, Failure>>()?;
        let loaded = programs.iter().map(|program| program.program());
        let pairs: Vec<(&Program, &Options)> = loaded.zip(&options).collect();
        let linked = glasm_compiler::run(compiler, |compiler| compiler.link_with(&pairs));
        give_pipeline(&programs, linked, pipeline)
    })
}

fn give_pipeline(
    programs: &[&glasm_program],
    linked: Linked,
    pipeline: &mut MaybeUninit<*mut glasm_pipeline>,
) -> Result<(), Failure> {
    let made = glasm_pipeline::new(programs, linked);
    let is_whole = made.stages.iter().all(|stage| stage.shader.is_some());
    give_handle(pipeline, made);
    if is_whole {
        Ok(())
    } else {
        Err(Failure::program())
    }
}

impl glasm_pipeline {
    fn new(programs: &[&glasm_program], linked: Linked) -> Self {
        let given = programs.iter().zip(linked.stages);
        let given = given.map(|(program, compiled)| {
            let stage = program.program().stage();
            Compiled::new(stage, compiled, Some(&program.source()))
        });
        let made = linked.made.into_iter();
        let made = made.map(|(stage, compiled)| Compiled::new(stage, compiled, None));
        let unwritten = linked.unwritten.into_iter();
        Self {
            stages: given.chain(made).collect(),
            unwritten: unwritten
                .map(|(stage, semantic)| glasm_unwritten_input {
                    stage: stage.into(),
                    input: semantic.into(),
                })
                .collect(),
        }
    }
}

impl Compiled {
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
        let nothing = Source::new("made stage", b"");
        let diagnostics = || glasm_diagnostics::new(found.clone(), source.unwrap_or(&nothing));
        Self {
            stage,
            is_made: source.is_none(),
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
    run_or(0, || Ok(pipeline.map_or(0, |all| all.stages.len())))
}

/// Gets a stage of a pipeline by its index, below `glasm_pipeline_stage_count`.
///
/// `pipeline` stays the caller's. `stage` is the caller's, too, with its size set; what it points
/// to then belongs to `pipeline`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_pipeline_get(
    pipeline: Option<&glasm_pipeline>,
    index: usize,
    stage: *mut glasm_pipeline_stage,
) -> glasm_result {
    enter(|| {
        let found = require(pipeline, "pipeline")?.stages.get(index);
        let found = found.ok_or_else(|| Failure::argument("`index` is past the last stage"))?;
        let given = glasm_pipeline_stage {
            size: size_of::<glasm_pipeline_stage>(),
            stage: found.stage.into(),
            is_made: found.is_made.into(),
            shader: found.shader.as_ref().map_or(ptr::null(), ptr::from_ref),
            diagnostics: found
                .diagnostics
                .as_ref()
                .map_or(ptr::null(), ptr::from_ref),
        };
        // SAFETY: the caller's structure has the size that it states.
        unsafe { memory::write(stage, given, "stage") }
    })
}

/// Returns the inputs of the stages of a pipeline that the preceding stage does not write; `count`
/// is set to their number. Returns NULL for NULL.
///
/// `pipeline` stays the caller's. The list belongs to it and is valid until it is freed. `count`
/// may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_unwritten(
    pipeline: Option<&glasm_pipeline>,
    count: Option<&mut MaybeUninit<usize>>,
) -> *const glasm_unwritten_input {
    give_list(count, || Ok(&require(pipeline, "pipeline")?.unwritten))
}

/// Frees a pipeline, and with it the shaders and diagnostics of its stages.
///
/// Takes `pipeline` away from the caller; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_free(pipeline: Option<Box<glasm_pipeline>>) {
    free(pipeline);
}
