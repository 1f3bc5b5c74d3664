//! Compilation of the programs of a draw or dispatch to a program object of their modules.

use super::modules::GlCapabilities;
use super::modules::{ModuleProgram, ModuleSource, Modules, ProgramKey, StageModule, Work};
use super::program_info::ProgramInfo;
use super::shader_loading::shader_type;
use super::{module_text, programs};
use crate::error::Problem;
use crate::gl::{Gl, ShaderProgram, SpirvModule};
use crate::options::ModuleForm;
use glasm::ir::Stage;
use glasm::{Code, Diagnostic, Diagnostics, Severity, Shader};
use glasm_scripts::compile::ScriptCompiler;
use glasm_scripts::results::Failure;
use glasm_scripts::script::{ProgramForm, ProgramSection, Script};
use std::rc::Rc;

/// Compiles and links the programs of a draw or dispatch, and the stages that linking generates.
/// Fails at the program with an error, or if there is no program; skips scripts whose programs need
/// features that OpenGL or the driver lacks.
pub(super) fn compile_program(
    gl: &Rc<Gl>,
    script: &Script,
    modules: &Modules,
    key: &ProgramKey,
) -> Result<ModuleProgram, Problem> {
    let script = &*script.with_loaded_programs(&key.state.loaded);
    let compiler = ScriptCompiler {
        name: "program",
        script,
        state: &key.state,
        base_options: modules.base_options.clone(),
        implied_point_size: None,
    };
    let is_compute = matches!(key.work, Work::Dispatch(_));
    let sections = script.programs.iter();
    let sections: Vec<_> = sections
        .filter(|section| (section.stage == Stage::Compute) == is_compute)
        .collect();
    let Some(first) = sections.first() else {
        let what = if is_compute {
            "compute program"
        } else {
            "program"
        };
        return Err(format!("there is no {what}").into());
    };
    let mut linked = if is_compute {
        Vec::new()
    } else {
        compiler.link()
    };
    let mut stages = Vec::new();
    for section in &sections {
        let index = linked.iter().position(|(stage, _)| *stage == section.stage);
        let compiled = match index {
            Some(index) => Some(linked.swap_remove(index).1),
            None => compile_section(&compiler, section, &sections)?,
        };
        if let Some(compiled) = compiled {
            let shader = compiled.map_err(|errors| err_compile(script, section, &errors))?;
            stages.push(create_stage_module(gl, section, shader, modules)?);
        }
    }
    for (stage, compiled) in linked {
        let section = ProgramSection {
            stage,
            ..(*first).clone()
        };
        let shader = compiled.map_err(|errors| err_compile(script, &section, &errors))?;
        stages.push(create_stage_module(gl, &section, shader, modules)?);
    }
    check_features(gl, &stages)?;
    let program = link_modules(gl, &stages, key.work, first.line)?;
    Ok(ModuleProgram { stages, program })
}

/// Checks that the driver supports the features that the modules need, not all of which are checked
/// during compilation. Otherwise skips the script with the first missing one.
fn check_features(gl: &Gl, stages: &[StageModule]) -> Result<(), Problem> {
    let implementation = GlCapabilities::query(gl)?;
    let lacking = |module: &StageModule| {
        let feature = implementation.missing_feature(&module.reflection)?;
        let stage = module.stage.name();
        Some(format!(
            "the driver lacks {feature}, which the {stage} program needs"
        ))
    };
    match stages.iter().find_map(lacking) {
        Some(reason) => Err(Problem::Unsupported(reason)),
        None => Ok(()),
    }
}

type CompileResult = Result<Shader, Diagnostics>;

/// Compiles the program of one section separately; `None` for stages that pass through without a
/// shader. Skips scripts with forms or stages that modules do not support; the inner result has the
/// errors of the program.
fn compile_section(
    compiler: &ScriptCompiler<'_>,
    section: &ProgramSection,
    all: &[&ProgramSection],
) -> Result<Option<CompileResult>, Problem> {
    match (section.form, section.stage) {
        (ProgramForm::Assembly, _) => Ok(Some(compiler.compile(section))),
        (ProgramForm::Ir, _) => compile_ir(compiler, section).map(Some),
        (ProgramForm::PassThrough, Stage::Geometry | Stage::TessControl) => Ok(None),
        (ProgramForm::PassThrough, Stage::Vertex) => {
            let text =
                programs::generate_vertex_program(next_stage_inputs(compiler, all).as_deref());
            Ok(Some(compile_text(compiler, section, &text)))
        }
        (ProgramForm::PassThrough, Stage::Fragment) => {
            let text = programs::FRAGMENT_PROGRAM;
            Ok(Some(compile_text(compiler, section, text)))
        }
        (ProgramForm::PassThrough | ProgramForm::FixedFunction, stage) => {
            let name = stage.name();
            let reason = format!("nothing else makes the {name} stage beside modules");
            Err(Problem::Unsupported(reason))
        }
        (ProgramForm::Glsl | ProgramForm::SpirvText | ProgramForm::SpirvWords, _) => {
            let reason = "the program is no program of glasm".to_owned();
            Err(Problem::Unsupported(reason))
        }
    }
}

/// Compiles a generated assembly program for the stage of a section.
fn compile_text(
    compiler: &ScriptCompiler<'_>,
    section: &ProgramSection,
    text: &str,
) -> CompileResult {
    let source = glasm::Source::new("passthrough", text);
    glasm::compile(&source, &compiler.compile_options(section.stage))
}

/// Compiles a section that contains a program of the IR as text. Errors of the text, with lines of
/// the script, are the outer result, those of the compilation the inner one.
fn compile_ir(
    compiler: &ScriptCompiler<'_>,
    section: &ProgramSection,
) -> Result<CompileResult, Problem> {
    let text = String::from_utf8_lossy(&section.text);
    let program = glasm::ir::parse(&text).map_err(|error| {
        let line = section.line + error.line as u32;
        Problem::Program(Failure::new(Some(line), error.message))
    })?;
    let options = compiler.compile_options(section.stage);
    Ok(glasm::Compiler::new().compile_ir(&program, &options))
}

/// Returns the inputs of the first assembly program after the vertex stage; `None` if the script
/// has none or it does not compile.
fn next_stage_inputs(
    compiler: &ScriptCompiler<'_>,
    all: &[&ProgramSection],
) -> Option<Vec<glasm::Semantic>> {
    let programs = all
        .iter()
        .filter(|section| section.stage != Stage::Vertex && section.form == ProgramForm::Assembly);
    let section = programs.min_by_key(|section| section.stage)?;
    let shader = compiler.compile(section).ok()?;
    let inputs = shader.reflection.inputs.iter();
    Some(inputs.map(|input| input.semantic).collect())
}

/// Converts a compiled program to the module of its stage: its words, or their translation to GLSL,
/// as `modules` requires. Skips scripts with programs that write to several viewports or views,
/// because only the runner on Vulkan replicates primitives, and those that GLSL cannot express.
fn create_stage_module(
    gl: &Gl,
    section: &ProgramSection,
    shader: Shader,
    modules: &Modules,
) -> Result<StageModule, Problem> {
    if shader.reflection.view_replication.is_some() {
        let reason = "primitives go to several viewports or views".to_owned();
        return Err(Problem::Unsupported(reason));
    }
    let source = match modules.form {
        ModuleForm::Spirv => ModuleSource::Words(shader.words),
        ModuleForm::Glsl => ModuleSource::Text(module_text::write(
            gl,
            section,
            &shader,
            &modules.base_options,
        )?),
    };
    Ok(StageModule {
        stage: section.stage,
        facts: ProgramInfo::from_reflection(section.stage, &shader.reflection),
        reflection: shader.reflection,
        line: section.line,
        source,
    })
}

/// Links the modules of a draw or dispatch to a program object, as SPIR-V, with group sizes as
/// specialization constants, or as GLSL. Errors of the driver fail the line of the module, or
/// `line`. Skips scripts with variable group sizes in GLSL.
fn link_modules(
    gl: &Rc<Gl>,
    stages: &[StageModule],
    work: Work,
    line: u32,
) -> Result<Rc<ShaderProgram>, Problem> {
    let sizes: Vec<(u32, u32)> = match work {
        Work::Dispatch(Some(size)) => (0..).zip(size).collect(),
        Work::Draw | Work::Dispatch(None) => Vec::new(),
    };
    let mut modules = Vec::new();
    let mut sources = Vec::new();
    for module in stages {
        let has_variable_group_size = module.reflection.workgroup_size == Some([0; 3]);
        let stage = shader_type(module.stage);
        match &module.source {
            ModuleSource::Words(words) => {
                let constants = if has_variable_group_size {
                    sizes.as_slice()
                } else {
                    &[]
                };
                modules.push((
                    stage,
                    SpirvModule {
                        words,
                        spec_constants: constants,
                    },
                ));
            }
            ModuleSource::Text(_) if has_variable_group_size => {
                let reason = "GLSL has no place for the size of the groups of a dispatch";
                return Err(Problem::Unsupported(reason.to_owned()));
            }
            ModuleSource::Text(text) => sources.push((stage, text.as_bytes())),
        }
    }
    let linked = if sources.is_empty() {
        ShaderProgram::link_modules(gl, &modules)?
    } else {
        ShaderProgram::link(gl, &sources)?
    };
    linked.map(Rc::new).map_err(|refusal| {
        let module = refusal.shader.and_then(|number| stages.get(number));
        let what = module.map_or("to link the modules".to_owned(), |module| {
            format!("the {} module", module.stage.name())
        });
        let text = module.map_or("", |module| match &module.source {
            ModuleSource::Words(_) => "",
            ModuleSource::Text(text) => text,
        });
        Problem::Program(Failure::new(
            Some(module.map_or(line, |module| module.line)),
            format!("the driver refuses {what}: {}\n{text}", refusal.message),
        ))
    })
}

/// Returns the reason why compilation fails: the first error of the program at its line, or, if
/// OpenGL lacks required features and there are no other errors, that the script is skipped.
fn err_compile(script: &Script, section: &ProgramSection, errors: &Diagnostics) -> Problem {
    let list = errors.list.iter();
    let mut list = list.filter(|error| error.severity != Severity::Warning);
    let unsupported = |error: &&Diagnostic| {
        error.code == Code::FeatureMissing
            || error.code == Code::Unsupported && error.message.contains("OpenGL")
    };
    let first_error = errors.list.iter().find(unsupported);
    match first_error.filter(|_| list.all(|error| unsupported(&error))) {
        Some(first) => {
            let stage = section.stage.name();
            Problem::Unsupported(format!("the {stage} program: {}", first.message))
        }
        None => {
            let mut failures = script.to_failures("program", section, errors).into_iter();
            let none = || Failure::new(Some(section.line), "the program has errors");
            Problem::Program(failures.next().unwrap_or_else(none))
        }
    }
}
