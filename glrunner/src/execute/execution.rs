//! Everything of a script in its context.

use super::buffers::{AddressWidth, Buffers};
use super::capture_state::Feedback;
use super::framebuffer::ScriptFramebuffer;
use super::images::Images;
use super::modules::Modules;
use super::parameter_values::{NamedParameters, Parameters};
use super::problem::Problem;
use super::programs::{Programs, StatePrograms};
use super::shaders::Shaders;
use super::state::State;
use super::support::require_extension;
use super::textures::{Readers, Textures};
use super::vertices::Vertices;
use crate::gl::Gl;
use crate::options::Through;
use glasm_scripts::script::{BufferAddress, Script};
use std::rc::Rc;

/// Everything of a script in its context.
pub(super) struct Execution<'a> {
    pub(super) gl: Rc<Gl>,
    pub(super) script: &'a Script,
    pub(super) programs: Programs,
    pub(super) shaders: Shaders,
    /// What assembly programs are on their way to the driver.
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
    /// Samples of the last draw that passed all tests, in scripts that ask for them.
    pub(super) samples: u64,
}

impl<'a> Execution<'a> {
    /// Nothing is done yet.
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
    /// [`Problem::Lacking`] unless the driver has an extension.
    pub(super) fn demand(&self, extension: &str) -> Result<(), Problem> {
        require_extension(&self.gl, extension)
    }

    /// The framebuffer of the script.
    pub(super) fn framebuffer(&self) -> Result<&ScriptFramebuffer, Problem> {
        let framebuffer = self.framebuffer.as_ref();
        framebuffer.ok_or_else(|| "there is no framebuffer".to_owned().into())
    }

    /// The address of a place in a buffer, which programs can reach from now on.
    pub(super) fn buffer_address(&mut self, place: BufferAddress) -> Result<u64, Problem> {
        let width = match self.script.requirements.low_addresses {
            true => AddressWidth::Low,
            false => AddressWidth::Full,
        };
        self.buffers.address(&self.gl, place, width)
    }

    /// The textures, and who reads them.
    pub(super) fn textures(&mut self) -> (&mut Textures, Readers<'_>) {
        let readers = Readers {
            gl: &self.gl,
            programs: &self.programs,
            convention: self.script.requirements.convention,
            through_modules: self.modules.is_some(),
        };
        (&mut self.textures, readers)
    }
}
