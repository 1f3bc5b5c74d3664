//! What OpenGL counts and says of programs.

use super::execution::Execution;
use super::problem::Problem;
use crate::gl::{self, Query};
use glasm::ir::Stage;
use glasm_scripts::params::count_of;
use glasm_scripts::script::{Command, CountKind, ProgramForm};

impl Execution<'_> {
    /// Runs a draw, and counts its samples if the script asks for any.
    pub(super) fn count_samples(
        &mut self,
        draw: impl FnOnce(&mut Self) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let asks = |command: &Command| matches!(command, Command::ProbeSamples { .. });
        if !self.script.steps.iter().any(|step| asks(&step.command)) {
            return draw(self);
        }
        let query = Query::begin(&self.gl, gl::SAMPLES_PASSED)?;
        let drawn = draw(self);
        self.samples = query.end()?;
        drawn
    }

    /// What the program of a stage uses of something that GL limits.
    pub(super) fn counted(&self, stage: Stage, kind: CountKind) -> Result<u64, Problem> {
        if self.modules.is_some() {
            return self.counted_in_text(stage, kind);
        }
        let name = match kind {
            CountKind::AttribComponents => gl::PROGRAM_ATTRIB_COMPONENTS_NV,
            CountKind::ResultComponents => gl::PROGRAM_RESULT_COMPONENTS_NV,
            CountKind::Instructions => gl::PROGRAM_INSTRUCTIONS_ARB,
            CountKind::AluInstructions => gl::PROGRAM_ALU_INSTRUCTIONS_ARB,
            CountKind::TextureInstructions => gl::PROGRAM_TEX_INSTRUCTIONS_ARB,
            CountKind::TextureIndirections => gl::PROGRAM_TEX_INDIRECTIONS_ARB,
            CountKind::Temporaries => gl::PROGRAM_TEMPORARIES_ARB,
            CountKind::Parameters => gl::PROGRAM_PARAMETERS_ARB,
            CountKind::Attribs => gl::PROGRAM_ATTRIBS_ARB,
            CountKind::AddressRegisters => gl::PROGRAM_ADDRESS_REGISTERS_ARB,
        };
        if matches!(
            kind,
            CountKind::AttribComponents | CountKind::ResultComponents
        ) {
            self.demand("GL_NV_gpu_program4")?;
        }
        let program = self.programs.get(stage);
        let program = program.ok_or_else(|| format!("there is no {} program", stage.name()))?;
        // A count is never negative.
        Ok(program.property(name)?.unwrap_or(0).unsigned_abs().into())
    }

    /// The same of the text of a program that runs as a module.
    fn counted_in_text(&self, stage: Stage, kind: CountKind) -> Result<u64, Problem> {
        let state = self.modules.as_ref().map(|modules| &modules.state);
        let program = state.and_then(|state| state.program(self.script, stage));
        let program = program
            .filter(|program| program.form == ProgramForm::Assembly)
            .ok_or_else(|| format!("there is no {} program", stage.name()))?;
        let source = self.script.requirements.source("program", program);
        let counts = glasm::count(&source).map_err(|diagnostics| diagnostics.render(&source))?;
        Ok(count_of(&counts, kind).into())
    }
}
