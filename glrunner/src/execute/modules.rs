//! Programs as modules: glasm compiles them for OpenGL, and the driver receives them as SPIR-V
//! (`GL_ARB_gl_spirv`) or as GLSL.
//!
//! They are compiled when a draw or dispatch needs them, separately for each state that programs
//! depend on. All modules of a draw are linked to one program object.

use super::facts::Facts;
use super::implementation::Implementation;
use super::module_compile::compile;
use super::module_text;
use super::programs::Programs;
use super::shader_loading::Shaders;
use crate::error::{Problem, unused};
use crate::execute::support::lacks;
use crate::gl::{Buffer, Gl, ShaderProgram};
use crate::options::Through;
use glasm::Reflection;
use glasm::ir::Stage;
use glasm_scripts::params::{ParamKey, Params};
use glasm_scripts::script::{ParamBank, ParamType, ParamValue, ProgramState, Script};
use std::rc::Rc;

/// Parameter: bank, stage and index.
type Place = (ParamBank, Stage, u32);

/// Compiled programs of a script, and their resources.
pub(super) struct Modules {
    /// Form in which the driver receives modules.
    pub(super) through: Through,
    /// Target, features and bindings.
    pub(super) base: glasm::Options,
    /// Parameters and GL state, as the previous commands have set them.
    pub(super) params: Params,
    /// State that programs depend on, with the same purpose.
    pub(super) state: ProgramState,
    made: Vec<(Key, Rc<ModuleProgram>)>,
    /// Buffers of the current draw or dispatch.
    pub(super) held: Vec<Buffer>,
}

/// Key of a program object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Key {
    pub(super) state: ProgramState,
    pub(super) work: Work,
}

/// Work that runs programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Work {
    /// Draw with all stages but compute programs.
    Draw,
    /// Dispatch of a compute program, with the size of its groups if the program leaves it open.
    Dispatch(Option<[u32; 3]>),
}

/// Linked modules.
pub(super) struct ModuleProgram {
    pub(super) stages: Vec<StageModule>,
    pub(super) program: Rc<ShaderProgram>,
}

impl ModuleProgram {
    /// Returns true if fragments beyond the depth range are clamped.
    pub(super) fn clamps_depth(&self) -> bool {
        let mut stages = self.stages.iter();
        stages.any(|module| module.reflection.unclipped_depth)
    }
}

/// Module of a stage.
pub(super) struct StageModule {
    pub(super) stage: Stage,
    pub(super) reflection: Reflection,
    /// Line of the program, which distinguishes programs.
    pub(super) line: u32,
    pub(super) facts: Facts,
    pub(super) source: ModuleSource,
}

/// Source that the driver compiles.
pub(super) enum ModuleSource {
    /// SPIR-V.
    Words(Vec<u32>),
    /// GLSL.
    Text(String),
}

impl Modules {
    /// Creates the state before any compilation.
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

    /// Finds the program object of a key.
    fn find(&self, key: &Key) -> Option<Rc<ModuleProgram>> {
        let mut made = self.made.iter();
        let found = made.find(|(known, _)| known == key);
        found.map(|(_, program)| Rc::clone(program))
    }
}

/// Compiles the modules of draws and dispatches, and changes the parameters that they read.
pub(super) struct ModuleContext<'a> {
    pub(super) gl: &'a Rc<Gl>,
    pub(super) script: &'a Script,
    pub(super) modules: &'a mut Modules,
    pub(super) shaders: &'a mut Shaders,
    pub(super) programs: &'a mut Programs,
}

impl ModuleContext<'_> {
    /// Compiles the modules of a draw or dispatch, unless they are cached, and makes them current.
    pub(super) fn prepare(&mut self, work: Work) -> Result<Rc<ModuleProgram>, Problem> {
        let state = self.modules.state.clone();
        let key = Key { state, work };
        let program = match self.modules.find(&key) {
            Some(program) => program,
            None => {
                let program = Rc::new(compile(self.gl, self.script, self.modules, &key)?);
                self.modules.made.push((key, Rc::clone(&program)));
                program
            }
        };
        self.shaders.set(work, Rc::clone(&program.program));
        let stages = program.stages.iter();
        let facts = stages.map(|module| (module.stage, module.facts.clone()));
        self.programs.set_shaders(facts);
        Ok(program)
    }

    /// Executes `parameter`.
    pub(super) fn change_parameter(
        &mut self,
        place: Place,
        value: &ParamValue,
    ) -> Result<(), Problem> {
        let (words, ty) = match value {
            ParamValue::Words(ty, words) => (*words, *ty),
            ParamValue::Addresses(_) => {
                return Err(Problem::Lacking(lacks("bufferDeviceAddress")));
            }
            ParamValue::Handles(_) => return Err(unused("handles in modules")),
        };
        let key = self.param_key(place)?;
        Ok(self.modules.params.write(&key, words, ty)?)
    }

    /// Returns the bits of a parameter and the type that it was set with.
    pub(super) fn read_parameter(
        &mut self,
        place: Place,
    ) -> Result<([u32; 4], Option<ParamType>), Problem> {
        let key = self.param_key(place)?;
        Ok(self.modules.params.read(&key))
    }

    /// Returns the key of a parameter, which the program of the stage declares if it has a name.
    fn param_key(&mut self, (bank, stage, index): Place) -> Result<ParamKey, Problem> {
        if bank != ParamBank::Named {
            return Ok(ParamKey::Indexed(bank, stage, index));
        }
        let work = if stage == Stage::Compute {
            Work::Dispatch(None)
        } else {
            Work::Draw
        };
        let program = self.prepare(work)?;
        let module = program.stages.iter().find(|module| module.stage == stage);
        let declared = module.map_or(&[][..], |module| &module.reflection.named);
        let line = module.map_or(0, |module| module.line);
        let name = &self.script.param_names[index as usize];
        let params = &mut self.modules.params;
        Ok(params.find_named((stage, line), declared, name)?)
    }
}
