//! State of a script in its context.

use super::bindings::BufferBinder;
use super::buffers::{AddressWidth, Buffers};
use super::feedback::{CaptureContext, Feedback};
use super::fixed::{set_conventions, set_rasterized_state, set_required_state};
use super::framebuffer::ScriptFramebuffer;
use super::images::Images;
use super::loading::ProgramLoader;
use super::module_resources::ModuleBinder;
use super::modules::{ModuleContext, ModuleProgram, Modules, Work};
use super::named_parameters::NamedParameters;
use super::parameters::{ParameterContext, Parameters};
use super::programs::{Programs, StatePrograms};
use super::shader_loading::{Shaders, has_shaders, load_shaders};
use super::state::State;
use super::textures::{Readers, Textures};
use super::vertices::Vertices;
use crate::error::Problem;
use crate::gl::Gl;
use crate::options::Through;
use glasm::ir::Stage;
use glasm_scripts::script::{BufferAddress, Clear, Script};
use std::rc::Rc;

/// State of a script in its context.
pub(super) struct Execution<'a> {
    pub(super) gl: Rc<Gl>,
    pub(super) script: &'a Script,
    pub(super) programs: Programs,
    pub(super) shaders: Shaders,
    /// Translation of assembly programs before they are passed to the driver.
    pub(super) through: Option<Through>,
    /// Programs as modules, if that is how they run.
    pub(super) modules: Option<Box<Modules>>,
    pub(super) framebuffer: Option<ScriptFramebuffer>,
    pub(super) state: State,
    pub(super) parameters: Parameters,
    pub(super) named: NamedParameters,
    pub(super) state_programs: StatePrograms,
    pub(super) vertices: Vertices,
    pub(super) textures: Textures,
    pub(super) images: Images,
    pub(super) buffers: Buffers,
    pub(super) feedback: Feedback,
    /// Number of samples of the last draw that passed all tests, in scripts that probe it.
    pub(super) samples: u64,
}

impl<'a> Execution<'a> {
    /// Creates the initial state, before any command.
    pub(super) fn new(gl: &Rc<Gl>, script: &'a Script) -> Self {
        Self {
            gl: Rc::clone(gl),
            script,
            programs: Programs::default(),
            shaders: Shaders::default(),
            through: None,
            modules: None,
            framebuffer: None,
            state: State::default(),
            parameters: Parameters::default(),
            named: NamedParameters::default(),
            state_programs: StatePrograms::default(),
            vertices: Vertices::default(),
            textures: Textures::default(),
            images: Images::default(),
            buffers: Buffers::default(),
            feedback: Feedback::default(),
            samples: 0,
        }
    }
}

impl Execution<'_> {
    /// Prepares buffers and framebuffer, sets the state for the whole script, and loads the
    /// programs.
    pub(super) fn make_ready(&mut self) -> Result<(), Problem> {
        let (gl, script) = (&self.gl, self.script);
        if let Some(through) = self.through.filter(|_| !has_shaders(script)) {
            let modules = Modules::new(gl, script, through)?;
            self.modules = Some(Box::new(modules));
        }
        self.make_buffers()?;
        if script.uses_framebuffer() {
            self.new_framebuffer()?;
        }
        let gl = &self.gl;
        set_conventions(gl, script.requirements.convention)?;
        set_required_state(gl, &script.requirements, &mut self.state)?;
        if self.modules.is_some() {
            return Ok(());
        }
        if has_shaders(script) {
            return load_shaders(gl, script, &mut self.shaders, &mut self.programs);
        }
        self.loader().load_programs()
    }

    /// Creates all buffers and binds those whose name is a binding.
    pub(super) fn make_buffers(&mut self) -> Result<(), Problem> {
        self.buffer_binder().create_buffers()
    }

    /// Creates the framebuffer that the script describes, cleared to zeros and depth 1, also for
    /// scripts that do not use it.
    pub(super) fn new_framebuffer(&mut self) -> Result<(), Problem> {
        let requirements = &self.script.requirements;
        let framebuffer = ScriptFramebuffer::new(
            &self.gl,
            requirements.framebuffer,
            &requirements.attachments,
        )?;
        framebuffer.clear(&self.gl, &Clear::default())?;
        self.framebuffer = Some(framebuffer);
        Ok(())
    }

    /// Returns the framebuffer of the script.
    pub(super) fn framebuffer(&self) -> Result<&ScriptFramebuffer, Problem> {
        let framebuffer = self.framebuffer.as_ref();
        framebuffer.ok_or_else(|| "there is no framebuffer".to_owned().into())
    }

    /// Makes a buffer resident and returns the GPU address of an offset in it.
    pub(super) fn resolve_address(&mut self, address: BufferAddress) -> Result<u64, Problem> {
        let width = if self.script.requirements.low_addresses {
            AddressWidth::Low
        } else {
            AddressWidth::Full
        };
        self.buffers.address(&self.gl, address, width)
    }

    /// Compiles the modules of a draw or dispatch, if programs run as modules.
    pub(super) fn prepare_modules(
        &mut self,
        work: Work,
    ) -> Result<Option<Rc<ModuleProgram>>, Problem> {
        let context = self.module_context();
        context.map(|mut it| it.prepare(work)).transpose()
    }

    /// Binds the resources of the modules of a draw or dispatch.
    pub(super) fn bind_module_resources(&mut self, program: &ModuleProgram) -> Result<(), Problem> {
        let Some(modules) = &mut self.modules else {
            return Ok(());
        };
        let mut binder = ModuleBinder {
            gl: &self.gl,
            buffers: &self.buffers,
            images: &mut self.images,
            params: &modules.params,
            held: Vec::new(),
        };
        let mut stages = program.stages.iter();
        stages.try_for_each(|module| binder.bind(module))?;
        modules.held = binder.held;
        Ok(())
    }

    /// Sets the state that depends on the current programs, before each draw and dispatch.
    pub(super) fn prepare_state(&mut self) -> Result<(), Problem> {
        let stages = [Stage::Geometry, Stage::TessEval, Stage::Vertex];
        let last = stages.iter().find_map(|stage| self.programs.facts(*stage));
        let fixed = &self.script.requirements.fixed;
        set_rasterized_state(&self.gl, fixed, &mut self.state, &last.unwrap_or_default())?;
        let (textures, readers) = self.textures();
        textures.prepare(&readers)?;
        if self.modules.is_none() {
            // Modules specify the units of their images.
            self.images.prepare(&self.gl)?;
        }
        self.parameter_context().set_transient_parameters()
    }
}

/// Contexts, each of which borrows only what its functions may access.
impl Execution<'_> {
    /// Returns the textures with the programs that read them.
    pub(super) fn textures(&mut self) -> (&mut Textures, Readers<'_>) {
        let ParameterContext {
            textures, readers, ..
        } = self.parameter_context();
        (textures, readers)
    }

    /// Returns the context that sets parameters of programs that do not run as modules.
    pub(super) fn parameter_context(&mut self) -> ParameterContext<'_> {
        ParameterContext {
            script: self.script,
            parameters: &mut self.parameters,
            named: &mut self.named,
            state_programs: &self.state_programs,
            readers: Readers {
                gl: &self.gl,
                programs: &self.programs,
                convention: self.script.requirements.convention,
                through_modules: self.modules.is_some(),
            },
            textures: &mut self.textures,
            images: &mut self.images,
        }
    }

    /// Returns the context that compiles modules, if programs run as modules.
    pub(super) fn module_context(&mut self) -> Option<ModuleContext<'_>> {
        Some(ModuleContext {
            gl: &self.gl,
            script: self.script,
            modules: self.modules.as_mut()?,
            shaders: &mut self.shaders,
            programs: &mut self.programs,
        })
    }

    /// Returns the context that loads programs.
    pub(super) fn loader(&mut self) -> ProgramLoader<'_> {
        ProgramLoader {
            gl: &self.gl,
            script: self.script,
            programs: &mut self.programs,
            state_programs: &mut self.state_programs,
        }
    }

    /// Returns the context that binds buffers.
    pub(super) fn buffer_binder(&mut self) -> BufferBinder<'_> {
        BufferBinder {
            gl: &self.gl,
            script: self.script,
            buffers: &mut self.buffers,
            through_modules: self.modules.is_some(),
            is_capturing: self.feedback.is_active(),
        }
    }

    /// Returns the context that captures vertices.
    pub(super) fn capture(&mut self) -> CaptureContext<'_> {
        CaptureContext {
            gl: &self.gl,
            script: self.script,
            programs: &self.programs,
            buffers: &self.buffers,
            through_modules: self.modules.is_some(),
            feedback: &mut self.feedback,
        }
    }
}
