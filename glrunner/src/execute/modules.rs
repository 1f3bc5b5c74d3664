//! Programs as modules: glasm compiles them for OpenGL, and the driver takes them as SPIR-V (`GL_ARB_gl_spirv`).
//!
//! They are compiled when a draw or dispatch needs them, again for each state that programs are made for. All of a draw are one program object.

use super::facts::Facts;
use super::{Execution, Problem, passthrough};
use crate::error::Error;
use crate::gl::{self, Buffer, Gl, Module, ShaderProgram, Version};
use glasm::ir::Stage;
use glasm::state::Multisample;
use glasm::{Code, DeviceFeatures, Diagnostic, Diagnostics, Reflection, Severity, Shader, opengl};
use glasm_scripts::compile::ScriptCompiler;
use glasm_scripts::outcome::Failure;
use glasm_scripts::params::Params;
use glasm_scripts::script::pipeline_state::PipelineState;
use glasm_scripts::script::{
    Command, Convention, ProgramForm, ProgramSection, ProgramState, Script,
};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What is compiled of the programs of a script, and what they read.
pub(super) struct Modules {
    /// Target, features and bindings.
    base: glasm::Options,
    /// Parameters and GL state, as the commands so far have set them.
    pub(super) params: Params,
    /// What programs depend on, likewise.
    pub(super) state: ProgramState,
    made: Vec<(Key, Rc<ModuleProgram>)>,
    /// What the draw or dispatch at hand reads.
    pub(super) held: Vec<Buffer>,
}

/// What a program object is made for.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Key {
    state: ProgramState,
    work: Work,
}

/// What runs programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Work {
    /// All stages but compute programs.
    Draw,
    /// A compute program, with the size of its groups if it leaves that open.
    Dispatch(Option<[u32; 3]>),
}

/// Linked modules.
pub(super) struct ModuleProgram {
    pub(super) stages: Vec<StageModule>,
    program: Rc<ShaderProgram>,
}

impl ModuleProgram {
    /// Whether fragments beyond the depth range are kept.
    pub(super) fn clamps_depth(&self) -> bool {
        let mut stages = self.stages.iter();
        stages.any(|module| module.reflection.unclipped_depth)
    }
}

/// The module of a stage.
pub(super) struct StageModule {
    pub(super) stage: Stage,
    pub(super) reflection: Reflection,
    /// The line of the program, which tells programs apart.
    pub(super) line: u32,
    facts: Facts,
    words: Vec<u32>,
}

/// What an implementation has, as the compiler asks for it.
pub(crate) struct Implementation<'a> {
    gl: &'a Gl,
    /// Of SPIR-V.
    extensions: BTreeSet<String>,
}

impl<'a> Implementation<'a> {
    pub(crate) fn of(gl: &'a Gl) -> Result<Self, Error> {
        let extensions = gl.spirv_extensions()?;
        Ok(Self { gl, extensions })
    }

    /// As GLSL writes it.
    fn version(&self) -> u32 {
        let Version(major, minor) = self.gl.version();
        100 * major + 10 * minor
    }

    fn has(&self, name: &str) -> bool {
        self.gl.has(name) || self.extensions.contains(name)
    }

    /// Target, features and bindings.
    pub(crate) fn options(&self) -> Result<glasm::Options, Error> {
        let device = opengl::device_features(self.version(), |name| self.has(name));
        let device = DeviceFeatures {
            // Mesa takes the mode without naming the extension, and calculates as in real numbers otherwise: x - x is 0 for infinities.
            signed_zero_inf_nan_preserve_float32: device.signed_zero_inf_nan_preserve_float32
                || self.gl.info().driver.starts_with("Mesa"),
            ..device
        };
        let limit = |name| self.gl.integer(name).map(i32::unsigned_abs);
        let uniforms = limit(gl::MAX_UNIFORM_BUFFER_BINDINGS)?;
        let storage = limit(gl::MAX_SHADER_STORAGE_BUFFER_BINDINGS)?;
        Ok(opengl::options(device, uniforms, storage))
    }

    /// The first feature that a module needs and that is not there.
    fn lacking(&self, reflection: &Reflection) -> Option<&'static str> {
        let lacking = opengl::lacking(reflection, self.version(), |name| self.has(name));
        lacking.first().copied()
    }
}

impl Modules {
    /// Nothing is compiled yet.
    pub(super) fn new(gl: &Gl, script: &Script) -> Result<Self, Error> {
        let mut params = Params::default();
        let requirements = &script.requirements;
        params.state.multisample = Multisample::standard(requirements.attachments.samples);
        let height = requirements.framebuffer[1] as f32;
        params.state.window_height = height;
        if requirements.convention == Convention::OpenGl {
            params.state.lower_left_height = Some(height);
        }
        Ok(Self {
            base: Implementation::of(gl)?.options()?,
            params,
            state: ProgramState::default(),
            made: Vec::new(),
            held: Vec::new(),
        })
    }

    fn find(&self, key: &Key) -> Option<Rc<ModuleProgram>> {
        let mut made = self.made.iter();
        let found = made.find(|(known, _)| known == key);
        found.map(|(_, program)| Rc::clone(program))
    }
}

impl Execution<'_> {
    /// What programs depend on changes with commands.
    pub(super) fn note_command(&mut self, command: &Command) {
        let script = self.script;
        if let Some(modules) = &mut self.modules {
            modules.state.apply(command, script);
        }
    }

    /// What programs see of the state of a draw.
    pub(super) fn note_draw_state(&mut self, state: &PipelineState) {
        let [width, height] = self.script.requirements.framebuffer.map(|size| size as f32);
        if let Some(modules) = &mut self.modules {
            let whole = [0.0, 0.0, width, height];
            modules.params.state.viewport = state.viewports[0].unwrap_or(whole);
            modules.params.state.depth_clamp = state.depth_clamp;
        }
    }

    /// Makes the modules of a draw or dispatch what runs, if programs run as modules.
    pub(super) fn ready_modules(
        &mut self,
        work: Work,
    ) -> Result<Option<Rc<ModuleProgram>>, Problem> {
        let Some(modules) = &self.modules else {
            return Ok(None);
        };
        let state = modules.state.clone();
        let key = Key { state, work };
        let program = match modules.find(&key) {
            Some(program) => program,
            None => {
                let program = Rc::new(compile(&self.gl, self.script, modules, &key)?);
                let made = (key, Rc::clone(&program));
                self.modules
                    .iter_mut()
                    .for_each(|it| it.made.push(made.clone()));
                program
            }
        };
        self.shaders.set(work, Rc::clone(&program.program));
        let stages = program.stages.iter();
        let facts = stages.map(|module| (module.stage, module.facts.clone()));
        self.programs.set_shaders(facts);
        Ok(Some(program))
    }
}

/// Compiles and links the programs of a draw or dispatch.
fn compile(
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
    let mut linked = match is_compute {
        true => Vec::new(),
        false => compiler.link(),
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
            stages.push(stage_module(section, shader)?);
        }
    }
    for (stage, compiled) in linked {
        let section = ProgramSection {
            stage,
            ..(*first).clone()
        };
        let shader = compiled.map_err(|errors| refused(script, &section, &errors))?;
        stages.push(stage_module(&section, shader)?);
    }
    let implementation = Implementation::of(gl)?;
    for module in &stages {
        if let Some(feature) = implementation.lacking(&module.reflection) {
            let stage = module.stage.name();
            let reason = format!("the driver lacks {feature}, which the {stage} program needs");
            return Err(Problem::Lacking(reason));
        }
    }
    let program = link(gl, &stages, key.work, first.line)?;
    Ok(ModuleProgram { stages, program })
}

type Compiled = Result<Shader, Diagnostics>;

/// What becomes of a section by itself; nothing where OpenGL needs no shader.
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

/// What the program behind the vertex stage reads, if the script has one.
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

/// A module, if nothing has to be done for it that only Vulkan's runner does.
fn stage_module(section: &ProgramSection, shader: Shader) -> Result<StageModule, Problem> {
    if shader.reflection.replication.is_some() {
        let reason = "primitives go to several viewports or views".to_owned();
        return Err(Problem::Lacking(reason));
    }
    Ok(StageModule {
        stage: section.stage,
        facts: Facts::of_module(section.stage, &shader.reflection),
        reflection: shader.reflection,
        line: section.line,
        words: shader.words,
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
    let modules: Vec<(u32, Module<'_>)> = stages
        .iter()
        .map(|module| {
            let is_open = module.reflection.workgroup_size == Some([0; 3]);
            let module_of = Module {
                words: &module.words,
                constants: if is_open { &sizes } else { &[] },
            };
            (super::shaders::shader_type(module.stage), module_of)
        })
        .collect();
    let linked = ShaderProgram::link_modules(gl, &modules)?;
    linked.map(Rc::new).map_err(|refusal| {
        let module = refusal.shader.and_then(|number| stages.get(number));
        let what = module.map_or("to link the modules".to_owned(), |module| {
            format!("the {} module", module.stage.name())
        });
        Problem::Program(Failure::new(
            Some(module.map_or(line, |module| module.line)),
            format!("the driver refuses {what}: {}", refusal.message),
        ))
    })
}

/// Why there is no module: the program has errors, or OpenGL lacks what it needs.
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
