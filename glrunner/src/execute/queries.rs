//! What OpenGL counts and says of programs.

use super::{Execution, Problem};
use crate::gl::{self, Query};
use glasm::ir::Stage;
use glasm_scripts::probe::Comparison;
use glasm_scripts::script::{Command, ComponentKind};

/// What was counted.
#[derive(Default)]
pub(super) struct Queries {
    /// Samples of the last draw that passed all tests, in scripts that ask for them.
    samples: u64,
}

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
        self.queries.samples = query.end()?;
        drawn
    }

    pub(super) fn probe_samples(
        &mut self,
        line: u32,
        comparison: Comparison,
        expected: u64,
    ) -> Result<(), Problem> {
        let (samples, expected) = (self.queries.samples, (comparison, expected));
        let results = &mut self.results;
        Ok(results.probe_count(line, "samples drawn", samples, expected)?)
    }

    pub(super) fn probe_components(
        &mut self,
        line: u32,
        stage: Stage,
        kind: ComponentKind,
        expected: (Comparison, u64),
    ) -> Result<(), Problem> {
        let (name, what) = match kind {
            ComponentKind::Attribs => (gl::PROGRAM_ATTRIB_COMPONENTS_NV, "attributes"),
            ComponentKind::Results => (gl::PROGRAM_RESULT_COMPONENTS_NV, "results"),
        };
        self.demand("GL_NV_gpu_program4")?;
        let program = self.programs.get(stage);
        let program = program.ok_or_else(|| format!("there is no {} program", stage.name()))?;
        let observed = program.property(name)?.unwrap_or(0);
        let what = format!("components of {what} of the {} program", stage.name());
        // A count is never negative.
        let observed = observed.unsigned_abs().into();
        Ok(self.results.probe_count(line, what, observed, expected)?)
    }
}
