//! Scripts whose programs are GLSL: the driver links all stages of draws into one program, and compute shaders into another.

use super::modules::Work;
use crate::gl::{self, ShaderProgram};
use glasm::ir::Stage;
use glasm_scripts::script::{ProgramForm, Script};
use std::rc::Rc;

/// The programs of GLSL of a script.
#[derive(Default)]
pub(super) struct Shaders {
    pub(super) draws: Option<Rc<ShaderProgram>>,
    pub(super) compute: Option<Rc<ShaderProgram>>,
}

impl Shaders {
    /// The program of a stage.
    pub(super) fn get(&self, stage: Stage) -> Option<&ShaderProgram> {
        match stage {
            Stage::Compute => self.compute.as_deref(),
            Stage::Vertex
            | Stage::TessControl
            | Stage::TessEval
            | Stage::Geometry
            | Stage::Fragment => self.draws.as_deref(),
        }
    }

    /// What draws or dispatches run from now on.
    pub(super) fn set(&mut self, work: Work, program: Rc<ShaderProgram>) {
        match work {
            Work::Draw => self.draws = Some(program),
            Work::Dispatch(_) => self.compute = Some(program),
        }
    }
}

/// Whether a script has shaders of GLSL.
pub(super) fn has_shaders(script: &Script) -> bool {
    let mut programs = script.programs.iter();
    programs.any(|program| program.form == ProgramForm::Glsl)
}

/// What OpenGL calls the shader of a stage.
pub(super) fn shader_type(stage: Stage) -> u32 {
    match stage {
        Stage::Vertex => gl::VERTEX_SHADER,
        Stage::TessControl => gl::TESS_CONTROL_SHADER,
        Stage::TessEval => gl::TESS_EVALUATION_SHADER,
        Stage::Geometry => gl::GEOMETRY_SHADER,
        Stage::Fragment => gl::FRAGMENT_SHADER,
        Stage::Compute => gl::COMPUTE_SHADER,
    }
}
