//! Programs as modules: glasm compiles them for OpenGL, and the driver takes them as SPIR-V (`GL_ARB_gl_spirv`) or as GLSL.
//!
//! They are compiled when a draw or dispatch needs them, again for each state that programs are made for. All of a draw are one program object.

use super::facts::Facts;
use super::implementation::Implementation;
use super::module_text;
use super::problem::Problem;
use crate::gl::{Buffer, Gl, ShaderProgram};
use crate::options::Through;
use glasm::Reflection;
use glasm::ir::Stage;
use glasm_scripts::params::Params;
use glasm_scripts::script::{ProgramState, Script};
use std::rc::Rc;

/// What is compiled of the programs of a script, and what they read.
pub(super) struct Modules {
    /// What the driver gets.
    pub(super) through: Through,
    /// Target, features and bindings.
    pub(super) base: glasm::Options,
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
pub(super) struct Key {
    pub(super) state: ProgramState,
    pub(super) work: Work,
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
    pub(super) program: Rc<ShaderProgram>,
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
    pub(super) facts: Facts,
    pub(super) source: ModuleSource,
}

/// What the driver compiles.
pub(super) enum ModuleSource {
    /// SPIR-V.
    Words(Vec<u32>),
    /// GLSL.
    Text(String),
}

impl Modules {
    /// Nothing is compiled yet.
    pub(super) fn new(gl: &Gl, script: &Script, through: Through) -> Result<Self, Problem> {
        let base = Implementation::of(gl)?.options()?;
        Ok(Self {
            through,
            base: match through {
                Through::Spirv => base,
                Through::Glsl => module_text::options(gl, base)?,
            },
            params: Params::of_script(&script.requirements),
            state: ProgramState::default(),
            made: Vec::new(),
            held: Vec::new(),
        })
    }

    /// Keeps what has been made.
    pub(super) fn keep(&mut self, made: (Key, Rc<ModuleProgram>)) {
        self.made.push(made);
    }

    /// What has been made for a key.
    pub(super) fn find(&self, key: &Key) -> Option<Rc<ModuleProgram>> {
        let mut made = self.made.iter();
        let found = made.find(|(known, _)| known == key);
        found.map(|(_, program)| Rc::clone(program))
    }
}
