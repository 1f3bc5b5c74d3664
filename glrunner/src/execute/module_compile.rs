//! Compilation of the programs of a draw or dispatch to a program object of their modules.

use super::facts::Facts;
use super::implementation::Implementation;
use super::modules::{Key, ModuleProgram, ModuleSource, Modules, StageModule, Work};
use super::shader_loading::shader_type;
use super::{module_text, passthrough};
use crate::error::Problem;
use crate::gl::{Gl, Module, ShaderProgram};
use crate::options::Through;
use glasm::ir::Stage;
use glasm::{Code, Diagnostic, Diagnostics, Severity, Shader};
use glasm_scripts::compile::ScriptCompiler;
use glasm_scripts::outcome::Failure;
use glasm_scripts::script::{ProgramForm, ProgramSection, Script};
use std::rc::Rc;

/// Compiles and links the programs of a draw or dispatch.
pub(super) fn compile(
    gl: &Rc<Gl>,
    script: &Script,
    modules: &Modules,
    key: &Key,
) -> Result<ModuleProgram, Problem> {
    let script = &*script.with_loaded(&key.state.loaded);
    let compiler = ScriptCompiler {
        name: "program",
        script,
        state: &key.state,
        base: modules.base.clone(),
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
        let place = linked.iter().position(|(stage, _)| *stage == section.stage);
        let compiled = match place {
            Some(place) => Some(linked.swap_remove(place).1),
            None => compile_section(&compiler, section, &sections)?,
        };
        if let Some(compiled) = compiled {
            let shader = compiled.map_err(|errors| refused(script, section, &errors))?;
            stages.push(stage_module(gl, section, shader, modules)?);
        }
    }
    for (stage, compiled) in linked {
        let section = ProgramSection {
            stage,
            ..(*first).clone()
        };
        let shader = compiled.map_err(|errors| refused(script, &section, &errors))?;
        stages.push(stage_module(gl, &section, shader, modules)?);
    }
    check_features(gl, &stages)?;
    let program = link(gl, &stages, key.work, first.line)?;
    Ok(ModuleProgram { stages, program })
}

/// Checks that the driver supports the features that the modules need: not all of them are checked
/// during compilation.
fn check_features(gl: &Gl, stages: &[StageModule]) -> Result<(), Problem> {
    let implementation = Implementation::of(gl)?;
    let lacking = |module: &StageModule| {
        let feature = implementation.lacking(&module.reflection)?;
        let stage = module.stage.name();
        Some(format!(
            "the driver lacks {feature}, which the {stage} program needs"
        ))
    };
    match stages.iter().find_map(lacking) {
        Some(reason) => Err(Problem::Lacking(reason)),
        None => Ok(()),
    }
}

type Compiled = Result<Shader, Diagnostics>;

/// Compiles a section alone; none where OpenGL needs no shader.
fn compile_section(
    compiler: &ScriptCompiler<'_>,
    section: &ProgramSection,
    all: &[&ProgramSection],
) -> Result<Option<Compiled>, Problem> {
    match (section.form, section.stage) {
        (ProgramForm::Assembly, _) => Ok(Some(compiler.compile(section))),
        (ProgramForm::Ir, _) => compile_ir(compiler, section).map(Some),
        (ProgramForm::PassThrough, Stage::Geometry | Stage::TessControl) => Ok(None),
        (ProgramForm::PassThrough, Stage::Vertex) => {
            let text = passthrough::vertex_program(next_inputs(compiler, all).as_deref());
            Ok(Some(compile_text(compiler, section, &text)))
        }
        (ProgramForm::PassThrough, Stage::Fragment) => {
            let text = passthrough::FRAGMENT_PROGRAM;
            Ok(Some(compile_text(compiler, section, text)))
        }
        (ProgramForm::PassThrough | ProgramForm::FixedFunction, stage) => {
            let name = stage.name();
            let reason = format!("nothing else makes the {name} stage beside modules");
            Err(Problem::Lacking(reason))
        }
        (ProgramForm::Glsl | ProgramForm::SpirvText | ProgramForm::SpirvWords, _) => {
            let reason = "the program is no program of glasm".to_owned();
            Err(Problem::Lacking(reason))
        }
    }
}

fn compile_text(compiler: &ScriptCompiler<'_>, section: &ProgramSection, text: &str) -> Compiled {
    let source = glasm::Source::new("passthrough", text);
    glasm::compile(&source, &compiler.options(section.stage))
}

fn compile_ir(
    compiler: &ScriptCompiler<'_>,
    section: &ProgramSection,
) -> Result<Compiled, Problem> {
    let text = String::from_utf8_lossy(&section.text);
    let program = glasm::ir::parse(&text).map_err(|error| {
        let line = section.line + error.line as u32;
        Problem::Program(Failure::new(Some(line), error.message))
    })?;
    let options = compiler.options(section.stage);
    Ok(glasm::Compiler::new().compile_ir(&program, &options))
}

/// Returns the inputs of the program after the vertex stage, if the script has one.
fn next_inputs(
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

/// Returns a module, unless it needs processing that only Vulkan's runner implements.
fn stage_module(
    gl: &Gl,
    section: &ProgramSection,
    shader: Shader,
    modules: &Modules,
) -> Result<StageModule, Problem> {
    if shader.reflection.replication.is_some() {
        let reason = "primitives go to several viewports or views".to_owned();
        return Err(Problem::Lacking(reason));
    }
    let source = match modules.through {
        Through::Spirv => ModuleSource::Words(shader.words),
        Through::Glsl => {
            ModuleSource::Text(module_text::write(gl, section, &shader, &modules.base)?)
        }
    };
    Ok(StageModule {
        stage: section.stage,
        facts: Facts::of_module(section.stage, &shader.reflection),
        reflection: shader.reflection,
        line: section.line,
        source,
    })
}

fn link(
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
    let mut texts = Vec::new();
    for module in stages {
        let is_open = module.reflection.workgroup_size == Some([0; 3]);
        let stage = shader_type(module.stage);
        match &module.source {
            ModuleSource::Words(words) => {
                let constants = if is_open { sizes.as_slice() } else { &[] };
                modules.push((stage, Module { words, constants }));
            }
            ModuleSource::Text(_) if is_open => {
                let reason = "GLSL has no place for the size of the groups of a dispatch";
                return Err(Problem::Lacking(reason.to_owned()));
            }
            ModuleSource::Text(text) => texts.push((stage, text.as_bytes())),
        }
    }
    let linked = if texts.is_empty() {
        ShaderProgram::link_modules(gl, &modules)?
    } else {
        ShaderProgram::link(gl, &texts)?
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

/// Returns the reason why compilation fails: the program has errors, or OpenGL lacks a required
/// feature.
fn refused(script: &Script, section: &ProgramSection, errors: &Diagnostics) -> Problem {
    let list = errors.list.iter();
    let mut list = list.filter(|error| error.severity != Severity::Warning);
    let lacks = |error: &&Diagnostic| {
        error.code == Code::FeatureMissing
            || error.code == Code::Unsupported && error.message.contains("OpenGL")
    };
    let first = errors.list.iter().find(lacks);
    match first.filter(|_| list.all(|error| lacks(&error))) {
        Some(first) => {
            let stage = section.stage.name();
            Problem::Lacking(format!("the {stage} program: {}", first.message))
        }
        None => {
            let mut failures = script.failures("program", section, errors).into_iter();
            let none = || Failure::new(Some(section.line), "the program has errors");
            Problem::Program(failures.next().unwrap_or_else(none))
        }
    }
}
