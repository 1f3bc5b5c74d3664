//! The programs of a pipeline, compiled together.

use crate::compiler::glasm_compiler;
use crate::diagnostics::glasm_diagnostics;
use crate::enums::{glasm_bool, glasm_stage, read_number};
use crate::ffi_args::{self, require, require_out_handle, return_list};
use crate::ffi_guard::{Failure, catch_or, catch_to_result, glasm_result};
use crate::options::glasm_options;
use crate::options_from_c::read_options;
use crate::program::glasm_program;
use crate::semantic::glasm_semantic_info;
use crate::set_layouts::{glasm_set_layout, glasm_set_layouts};
use crate::shader::glasm_shader;
use crate::strings::to_c_string;
use crate::text_output::glasm_text;
use glasm::ir::Stage;
use glasm::layout::{build_set_layouts, get_stage_bit};
use glasm::{Diagnostics, Linked, Options, Program, Reflection, Shader, Source};
use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::{Arc, OnceLock};

/// Result of linking the programs of a pipeline. Threads may share it. Its handles are counted, and
/// are one pointer.
#[derive(Debug)]
pub struct glasm_pipeline {
    programs: Vec<Program>,
    stages: Vec<CompiledStage>,
    /// Points to the stages.
    list: Vec<glasm_pipeline_stage>,
    unwritten_inputs: Vec<glasm_unwritten_input>,
    rendered: OnceLock<CString>,
    /// Message of the first error; `None` if all stages are compiled.
    first_error: Option<String>,
    /// The layouts, or the conflict between two stages.
    set_layouts: OnceLock<Result<glasm_set_layouts, String>>,
}

#[derive(Debug)]
struct CompiledStage {
    stage: Stage,
    is_generated: bool,
    shader: Option<glasm_shader>,
    text: Option<glasm_text>,
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
    /// Stage.
    pub stage: glasm_stage,
    /// True for a stage that the pipeline needs in addition to the programs of the caller.
    pub is_generated: glasm_bool,
    /// The shader; NULL if there are errors.
    pub shader: *const glasm_shader,
    /// The text; NULL if there are errors, and for pipelines that `glasm_pipeline_write_text` has not
    /// created.
    pub text: *const glasm_text,
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

// SAFETY: the pointers in it are to stages on the heap that it owns and never modifies.
unsafe impl Send for glasm_pipeline {}

// SAFETY: as above.
unsafe impl Sync for glasm_pipeline {}

/// Compiles the programs of a pipeline, given in its order, so that their interfaces match: only
/// varyings that pass between them take locations, and any results go together.
/// GLASM_RESULT_PROGRAM_ERROR if one of the stages has errors, which the stages have
/// (`glasm_pipeline_render_diagnostics`).
///
/// `compiler` may be NULL, and so may `options`: the default ones. Both stay the caller's, and so
/// do `programs`, `count` of them and at least one. `pipeline` is set to the result, which the caller
/// owns and frees with `glasm_pipeline_free`, even if stages have errors; or to NULL if an argument is
/// wrong.
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
        unsafe {
            link_programs(compiler, (programs, count), &options, pipeline, |_| {
                Vec::new()
            })
        }
    })
}

/// Links the programs of a list of pointers with its length, and writes the handle of the pipeline
/// to `pipeline`. `write_texts` may change the results, and returns what it wrote for each stage,
/// those of the programs first, or nothing.
///
/// # Safety
/// As [`ffi_args::read_handles`].
pub(crate) unsafe fn link_programs(
    compiler: Option<&glasm_compiler>,
    (programs, count): (*const *const glasm_program, usize),
    options: &Options,
    pipeline: &mut MaybeUninit<*mut glasm_pipeline>,
    write_texts: impl FnOnce(&mut Linked) -> Vec<Option<glasm_text>>,
) -> Result<(), Failure> {
    // SAFETY: the caller of this function guarantees it.
    let programs: Vec<&glasm_program> =
        unsafe { ffi_args::read_handles(programs, count, "programs") }?;
    ffi_args::require_elements(&programs, "count")?;
    let loaded: Vec<&Program> = programs.iter().map(|program| program.program()).collect();
    let mut linked =
        glasm_compiler::with_compiler(compiler, |compiler| compiler.link(&loaded, options));
    let texts = write_texts(&mut linked);
    write_pipeline(linked, texts, pipeline)
}

/// Does what `glasm_pipeline_link` does, with separate options for each program.
///
/// `compiler` may be NULL. It stays the caller's, and so do `stages`, `count` of them and at least
/// one, with all that they point to. `pipeline` is set as by `glasm_pipeline_link`.
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
        ffi_args::require_elements(stages, "count")?;
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
        write_pipeline(linked, Vec::new(), pipeline)
    })
}

/// Writes a linked pipeline to the caller, also if not all of its stages are compiled, which is the
/// error `ProgramError`.
fn write_pipeline(
    linked: Linked,
    texts: Vec<Option<glasm_text>>,
    pipeline: &mut MaybeUninit<*mut glasm_pipeline>,
) -> Result<(), Failure> {
    let made = Arc::new(glasm_pipeline::new(linked, texts));
    let result = made.check_stages();
    pipeline.write(Arc::into_raw(made).cast_mut());
    result
}

/// Returns the message of the first error of a linked pipeline.
fn find_first_error(linked: &Linked) -> Option<String> {
    let errors = linked.check().err()?;
    let (_, first) = errors.stages.first()?;
    let failure = Failure::program(&first.diagnostics, &first.source());
    Some(failure.message().to_owned())
}

impl glasm_pipeline {
    /// Links programs.
    pub(crate) fn link(
        compiler: Option<&glasm_compiler>,
        programs: &[&glasm_program],
        options: &Options,
    ) -> Self {
        let loaded: Vec<&Program> = programs.iter().map(|program| program.program()).collect();
        let linked =
            glasm_compiler::with_compiler(compiler, |compiler| compiler.link(&loaded, options));
        Self::new(linked, Vec::new())
    }

    /// Fails with the first error if not all stages are compiled.
    pub(crate) fn check_stages(&self) -> Result<(), Failure> {
        let message = self.first_error.clone();
        message.map_or(Ok(()), |message| Err(Failure::program_message(message)))
    }

    /// Returns the shaders of all stages that are compiled.
    pub(crate) fn shaders(&self) -> impl Iterator<Item = &Shader> {
        let compiled = self.stages.iter().filter_map(|own| own.shader.as_ref());
        compiled.map(glasm_shader::shader)
    }

    /// Returns true if two pipelines have the same programs and modules; warnings may differ.
    pub(crate) fn has_equal_modules(&self, other: &Self) -> bool {
        self.programs == other.programs && self.find_changed_stages(Some(other)) == 0
    }

    /// Returns true if a program is one of those of the pipeline.
    pub(crate) fn has_program(&self, program: &Program) -> bool {
        self.programs.contains(program)
    }

    /// Returns the shader of a stage, if it is compiled.
    fn find_shader(&self, stage: Stage) -> Option<&Shader> {
        let own = self.stages.iter().find(|own| own.stage == stage)?;
        Some(own.shader.as_ref()?.shader())
    }

    /// Returns the bits of the stages of which two pipelines do not have the same shader, and all
    /// stages without a pipeline before.
    fn find_changed_stages(&self, before: Option<&Self>) -> u32 {
        let find_before = |stage| before.and_then(|before| before.find_shader(stage));
        let is_changed = |stage| match (self.find_shader(stage), find_before(stage)) {
            (Some(shader), Some(before)) => !shader.is_same_module(before),
            (None, None) => false,
            (Some(_), None) | (None, Some(_)) => true,
        };
        let stages = Stage::ALL.iter().map(|(stage, _)| *stage);
        let changed = stages.filter(|stage| is_changed(*stage));
        changed.fold(0, |mask, stage| mask | get_stage_bit(stage))
    }

    /// Converts a linked pipeline: first the stages of its programs in their order, then the
    /// generated stages. `texts` has an element for each stage in this order, or none.
    fn new(linked: Linked, texts: Vec<Option<glasm_text>>) -> Self {
        let first_error = find_first_error(&linked);
        let program_stages = linked.programs.iter().zip(linked.stages);
        let given = program_stages.map(|(program, compiled)| {
            CompiledStage::new(program.stage(), compiled, Some(&program.source()))
        });
        let generated = linked.generated.into_iter();
        let made = generated.map(|(stage, compiled)| CompiledStage::new(stage, compiled, None));
        let unwritten = linked.unwritten.into_iter();
        let mut stages: Vec<CompiledStage> = given.chain(made).collect();
        for (stage, text) in stages.iter_mut().zip(texts) {
            stage.text = text;
        }
        Self {
            programs: linked.programs,
            list: stages.iter().map(CompiledStage::to_c).collect(),
            stages,
            unwritten_inputs: unwritten
                .map(|(stage, semantic)| glasm_unwritten_input {
                    stage: stage.into(),
                    semantic: semantic.into(),
                })
                .collect(),
            rendered: OnceLock::new(),
            first_error,
            set_layouts: OnceLock::new(),
        }
    }
}

impl CompiledStage {
    /// Returns the stage with pointers to its parts.
    fn to_c(&self) -> glasm_pipeline_stage {
        glasm_pipeline_stage {
            stage: self.stage.into(),
            is_generated: self.is_generated.into(),
            shader: self.shader.as_ref().map_or(ptr::null(), ptr::from_ref),
            text: self.text.as_ref().map_or(ptr::null(), ptr::from_ref),
            diagnostics: self.diagnostics.as_ref().map_or(ptr::null(), ptr::from_ref),
        }
    }

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
            text: None,
            diagnostics: (!found.list.is_empty()).then(diagnostics),
        }
    }
}

/// Returns the stages of a pipeline: those of the programs in their order, then those that it needs
/// in addition; `count` is set to their number. Returns NULL for NULL.
///
/// `pipeline` stays the caller's. The list belongs to it, with all that it points to, and is valid
/// until it is freed. `count` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_stages(
    pipeline: Option<&glasm_pipeline>,
    count: Option<&mut MaybeUninit<usize>>,
) -> *const glasm_pipeline_stage {
    return_list(count, || Ok(&require(pipeline, "pipeline")?.list))
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
        let found = find_stage(pipeline, stage)?;
        let shader = found.and_then(|own| own.shader.as_ref());
        Ok(shader.map_or(ptr::null(), ptr::from_ref))
    })
}

/// Returns the stages of which two pipelines have different shaders (`glasm_shader_is_equal`), or only
/// one has a shader, as VkShaderStageFlags: `1u << stage` for each. The modules of all other stages
/// remain valid where one pipeline replaces the other. All stages of `pipeline` if `before` is NULL,
/// as for the first draw.
///
/// `pipeline` and `before` stay the caller's.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_find_changed_stages(
    pipeline: Option<&glasm_pipeline>,
    before: Option<&glasm_pipeline>,
) -> u32 {
    catch_or(0, || {
        Ok(require(pipeline, "pipeline")?.find_changed_stages(before))
    })
}

/// Returns the stage of a pipeline that the caller names by its number; fails if there is no
/// pipeline, or no such number.
fn find_stage(
    pipeline: Option<&glasm_pipeline>,
    stage: u32,
) -> Result<Option<&CompiledStage>, Failure> {
    let stage: Stage = read_number(stage, "stage")?;
    let mut stages = require(pipeline, "pipeline")?.stages.iter();
    Ok(stages.find(|own| own.stage == stage))
}

/// Returns the text of a stage of a pipeline from `glasm_pipeline_write_text`. Returns NULL for a stage
/// that the pipeline does not have or that has errors, for pipelines of other functions, and for NULL.
///
/// `pipeline` stays the caller's. `stage` is a glasm_stage. The text belongs to the pipeline and is
/// valid until this is freed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_text(
    pipeline: Option<&glasm_pipeline>,
    stage: u32,
) -> *const glasm_text {
    catch_or(ptr::null(), || {
        let text = find_stage(pipeline, stage)?.and_then(|own| own.text.as_ref());
        Ok(text.map_or(ptr::null(), ptr::from_ref))
    })
}

/// Gets the descriptor set layouts that the stages of a pipeline need together, as
/// `glasm_set_layouts_create` makes them, number n at index n. GLASM_RESULT_DESCRIPTOR_CONFLICT if two
/// stages require descriptors of different kinds at a slot: `glasm_error_message` names them.
///
/// `pipeline` stays the caller's. `sets` and `count` are set to the list and its length, or to NULL
/// and 0. The list belongs to the pipeline, with all that it points to, and is valid until this is
/// freed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_set_layouts(
    pipeline: Option<&glasm_pipeline>,
    sets: Option<&mut MaybeUninit<*const glasm_set_layout>>,
    count: Option<&mut MaybeUninit<usize>>,
) -> glasm_result {
    catch_to_result(|| {
        let (sets, count) = (require(sets, "sets")?, require(count, "count")?);
        sets.write(ptr::null());
        count.write(0);
        let pipeline = require(pipeline, "pipeline")?;
        let layouts = pipeline.set_layouts.get_or_init(|| {
            let shaders = pipeline.stages.iter().filter_map(|it| it.shader.as_ref());
            let shaders: Vec<&Reflection> =
                shaders.map(|shader| &shader.shader().reflection).collect();
            let layouts = build_set_layouts(&shaders).map_err(|found| found.to_string())?;
            Ok(glasm_set_layouts::new(&layouts))
        });
        let layouts = layouts
            .as_ref()
            .map_err(|found| Failure::conflict(found.clone()))?;
        sets.write(layouts.sets().as_ptr());
        count.write(layouts.sets().len());
        Ok(())
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

/// Returns 1 if a program is one of those of a pipeline, else 0. Programs are equal if their strings,
/// settings and changes (`glasm_program_with_missing_textures` and others) are. 0 for NULL.
///
/// `pipeline` and `program` stay the caller's.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_has_program(
    pipeline: Option<&glasm_pipeline>,
    program: Option<&glasm_program>,
) -> glasm_bool {
    catch_or(0, || {
        let pipeline = require(pipeline, "pipeline")?;
        let program = require(program, "program")?.program();
        Ok(pipeline.has_program(program).into())
    })
}

/// Creates another handle of a pipeline, which is the same pointer: each is freed separately, and the
/// pipeline with the last of them. For pipelines of a cache that are to outlive their removal. Returns
/// NULL for NULL.
///
/// `pipeline` stays the caller's, or the cache's. The caller owns the new handle, and frees it with
/// `glasm_pipeline_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_pipeline_clone(
    pipeline: *const glasm_pipeline,
) -> *mut glasm_pipeline {
    if !pipeline.is_null() {
        // SAFETY: all pipelines are in an `Arc`, and the caller guarantees that this one is there.
        unsafe { Arc::increment_strong_count(pipeline) };
    }
    pipeline.cast_mut()
}

/// Frees a handle of a pipeline, and with the last one the shaders and diagnostics of its stages.
///
/// Takes `pipeline` away from the caller; NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_pipeline_free(pipeline: *mut glasm_pipeline) {
    catch_or((), || {
        if !pipeline.is_null() {
            // SAFETY: the handle is that of an `Arc`, and the caller has not freed it.
            drop(unsafe { Arc::from_raw(pipeline) });
        }
        Ok(())
    });
}
