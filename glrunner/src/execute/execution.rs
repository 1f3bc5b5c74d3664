//! State of a script in its context.

use super::buffer_bindings::BufferBinder;
use super::buffers::{AddressWidth, Buffers};
use super::default_state::{set_rasterized_state, set_required_state, set_script_conventions};
use super::framebuffer::ScriptFramebuffer;
use super::modules::ModuleBinder;
use super::modules::{ModuleContext, ModuleProgram, Modules, Work};
use super::nv_program_commands::NamedParameters;
use super::parameters::{ParameterContext, Parameters};
use super::programs::ProgramLoader;
use super::programs::{Programs, StatePrograms};
use super::shader_loading::{Shaders, has_shaders, load_shaders};
use super::state::UntrackedState;
use super::storage_images::Images;
use super::textures::{TextureReaders, Textures};
use super::transform_feedback::{CaptureContext, FeedbackCapture};
use super::vertex_arrays::VertexState;
use crate::error::Problem;
use crate::gl::Gl;
use crate::options::ModuleForm;
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
    pub(super) module_form: Option<ModuleForm>,
    /// Programs as modules, if that is how they run.
    pub(super) modules: Option<Box<Modules>>,
    pub(super) framebuffer: Option<ScriptFramebuffer>,
    pub(super) state: UntrackedState,
    pub(super) parameters: Parameters,
    pub(super) named_parameters: NamedParameters,
    pub(super) state_programs: StatePrograms,
    pub(super) vertices: VertexState,
    pub(super) textures: Textures,
    pub(super) images: Images,
    pub(super) buffers: Buffers,
    pub(super) feedback: FeedbackCapture,
    /// Number of samples of the last draw that passed all tests, in scripts that probe it.
    pub(super) passed_samples: u64,
}

impl<'a> Execution<'a> {
    /// Creates the initial state of a script, before any command; nothing is loaded yet.
    pub(super) fn new(gl: &Rc<Gl>, script: &'a Script) -> Self {
        Self {
            gl: Rc::clone(gl),
            script,
            programs: Programs::default(),
            shaders: Shaders::default(),
            module_form: None,
            modules: None,
            framebuffer: None,
            state: UntrackedState::default(),
            parameters: Parameters::default(),
            named_parameters: NamedParameters::default(),
            state_programs: StatePrograms::default(),
            vertices: VertexState::default(),
            textures: Textures::default(),
            images: Images::default(),
            buffers: Buffers::default(),
            feedback: FeedbackCapture::default(),
            passed_samples: 0,
        }
    }
}

impl Execution<'_> {
    /// Prepares buffers and framebuffer, sets the state for the whole script, and loads the
    /// programs, except those that are compiled to modules before draws.
    pub(super) fn initialize(&mut self) -> Result<(), Problem> {
        let (gl, script) = (&self.gl, self.script);
        if let Some(through) = self.module_form.filter(|_| !has_shaders(script)) {
            let modules = Modules::new(gl, script, through)?;
            self.modules = Some(Box::new(modules));
        }
        self.create_buffers()?;
        if script.uses_framebuffer() {
            self.create_framebuffer()?;
        }
        let gl = &self.gl;
        set_script_conventions(gl, script.requirements.convention)?;
        set_required_state(gl, &script.requirements, &mut self.state)?;
        if self.modules.is_some() {
            return Ok(());
        }
        if has_shaders(script) {
            return load_shaders(gl, script, &mut self.shaders, &mut self.programs);
        }
        self.program_loader().load_programs()
    }

    /// Creates all buffers and binds those whose name is a binding.
    pub(super) fn create_buffers(&mut self) -> Result<(), Problem> {
        self.buffer_binder().create_buffers()
    }

    /// Creates the framebuffer that the script describes, cleared to zeros and depth 1, also for
    /// scripts that do not use it. Skips scripts with framebuffers that the driver lacks.
    pub(super) fn create_framebuffer(&mut self) -> Result<(), Problem> {
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

    /// Returns the framebuffer of the script. Fails if it has none.
    pub(super) fn framebuffer(&self) -> Result<&ScriptFramebuffer, Problem> {
        let framebuffer = self.framebuffer.as_ref();
        framebuffer.ok_or_else(|| "there is no framebuffer".to_owned().into())
    }

    /// Returns the GPU address of an offset in a buffer, which becomes resident. Skips scripts that
    /// need addresses of 32 bits if the driver's are larger.
    pub(super) fn resolve_address(&mut self, address: BufferAddress) -> Result<u64, Problem> {
        let width = if self.script.requirements.low_addresses {
            AddressWidth::Low32
        } else {
            AddressWidth::Full
        };
        self.buffers.make_resident_address(&self.gl, address, width)
    }

    /// Compiles the modules of a draw or dispatch, or returns the cached ones. `None` if programs
    /// do not run as modules.
    pub(super) fn prepare_modules(
        &mut self,
        work: Work,
    ) -> Result<Option<Rc<ModuleProgram>>, Problem> {
        let context = self.module_context();
        context.map(|mut it| it.prepare_program(work)).transpose()
    }

    /// Binds the resources of the modules of a draw or dispatch, and retains their temporary
    /// buffers until the next one. Does nothing if programs do not run as modules.
    pub(super) fn bind_module_resources(&mut self, program: &ModuleProgram) -> Result<(), Problem> {
        let Some(modules) = &mut self.modules else {
            return Ok(());
        };
        let mut binder = ModuleBinder {
            gl: &self.gl,
            buffers: &self.buffers,
            images: &mut self.images,
            params: &modules.params,
            transient_buffers: Vec::new(),
        };
        let mut stages = program.stages.iter();
        stages.try_for_each(|module| binder.bind_module(module))?;
        modules.transient_buffers = binder.transient_buffers;
        Ok(())
    }

    /// Sets the state that depends on the current programs, before each draw and dispatch: points,
    /// clip distances, textures, images and transient parameters.
    pub(super) fn prepare_state(&mut self) -> Result<(), Problem> {
        let stages = [Stage::Geometry, Stage::TessEval, Stage::Vertex];
        let last = stages.iter().find_map(|stage| self.programs.info(*stage));
        let fixed = &self.script.requirements.fixed;
        set_rasterized_state(&self.gl, fixed, &mut self.state, &last.unwrap_or_default())?;
        let (textures, readers) = self.textures_and_readers();
        textures.prepare_textures(&readers)?;
        if self.modules.is_none() {
            // Modules specify the units of their images.
            self.images.prepare_images(&self.gl)?;
        }
        self.parameter_context().set_transient_parameters()
    }
}

/// Contexts, each of which borrows only what its functions may access.
impl Execution<'_> {
    /// Borrows the textures, together with the programs that read them.
    pub(super) fn textures_and_readers(&mut self) -> (&mut Textures, TextureReaders<'_>) {
        let ParameterContext {
            textures, readers, ..
        } = self.parameter_context();
        (textures, readers)
    }

    /// Borrows the state that parameters and textures of assembly programs need.
    pub(super) fn parameter_context(&mut self) -> ParameterContext<'_> {
        ParameterContext {
            script: self.script,
            parameters: &mut self.parameters,
            named_parameters: &mut self.named_parameters,
            state_programs: &self.state_programs,
            readers: TextureReaders {
                gl: &self.gl,
                programs: &self.programs,
                convention: self.script.requirements.convention,
                uses_modules: self.modules.is_some(),
            },
            textures: &mut self.textures,
            images: &mut self.images,
        }
    }

    /// Borrows the state that compiling modules needs; `None` if programs do not run as modules.
    pub(super) fn module_context(&mut self) -> Option<ModuleContext<'_>> {
        Some(ModuleContext {
            gl: &self.gl,
            script: self.script,
            modules: self.modules.as_mut()?,
            shaders: &mut self.shaders,
            programs: &mut self.programs,
        })
    }

    /// Borrows the state that loading programs needs.
    pub(super) fn program_loader(&mut self) -> ProgramLoader<'_> {
        ProgramLoader {
            gl: &self.gl,
            script: self.script,
            programs: &mut self.programs,
            state_programs: &mut self.state_programs,
        }
    }

    /// Borrows the state that binding buffers needs.
    pub(super) fn buffer_binder(&mut self) -> BufferBinder<'_> {
        BufferBinder {
            gl: &self.gl,
            script: self.script,
            buffers: &mut self.buffers,
            uses_modules: self.modules.is_some(),
            is_capturing: self.feedback.is_active(),
        }
    }

    /// Borrows the state that transform feedback needs.
    pub(super) fn capture_context(&mut self) -> CaptureContext<'_> {
        CaptureContext {
            gl: &self.gl,
            script: self.script,
            programs: &self.programs,
            buffers: &self.buffers,
            uses_modules: self.modules.is_some(),
            feedback: &mut self.feedback,
        }
    }
}
