//! What GL says about the programs that are loaded: counts, and the vertex limits that it refuses.

use super::execution::Execution;
use super::refusals::settle;
use crate::error::{Done, Problem};
use glasm::ir::Stage;
use glasm_scripts::params::count_of;
use glasm_scripts::script::{CountKind, GlOutcome, ProgramForm};

/// `MAX_PROGRAM_OUTPUT_VERTICES_NV` and `MAX_PROGRAM_TOTAL_OUTPUT_COMPONENTS_NV`, the least that implementations have.
const MAX_OUTPUT: i64 = 1024;

impl Execution<'_> {
    /// What the program of a stage, as it is loaded now, uses of something that GL limits.
    pub(super) fn counted(&self, stage: Stage, kind: CountKind) -> Result<u64, Problem> {
        let script = self.script.with_loaded(&self.state.loaded);
        let mut programs = script.programs.iter();
        let program = programs
            .find(|program| (program.stage, program.form) == (stage, ProgramForm::Assembly))
            .ok_or_else(|| format!("there is no {} program", stage.name()))?;
        let requirements = &self.script.requirements;
        let source = requirements.source(self.name, program);
        let counts = glasm::count(&source).map_err(|diagnostics| diagnostics.render(&source))?;
        Ok(count_of(&counts, kind).into())
    }

    /// `vertex limit`, `ProgramVertexLimitNV`. The state has the limit already.
    pub(super) fn limit_vertices(&self, limit: i64, outcome: GlOutcome) -> Done {
        let refusal = self.refused_limit(limit)?;
        settle(outcome, refusal, "the vertex limit")?;
        Ok(())
    }

    /// Why GL refuses a vertex limit. NV_geometry_program4 section 2.14.6.3, NV_geometry_shader_passthrough.
    fn refused_limit(&self, limit: i64) -> Result<Option<String>, Problem> {
        let script = self.script.with_loaded(&self.state.loaded);
        let mut programs = script.programs.iter();
        let program = programs.find(|program| {
            (program.stage, program.form) == (Stage::Geometry, ProgramForm::Assembly)
        });
        let Some(program) = program else {
            return Ok(Some("there is no geometry program".to_owned()));
        };
        let source = self.script.requirements.source(self.name, program);
        let (program, _) = glasm::translate(&source);
        if program.is_some_and(|program| program.modes.passthrough) {
            let reason = "the geometry program passes primitives through";
            return Ok(Some(reason.to_owned()));
        }
        if !(1..=MAX_OUTPUT).contains(&limit) {
            return Ok(Some(format!("it is not between 1 and {MAX_OUTPUT}")));
        }
        let components = self.counted(Stage::Geometry, CountKind::ResultComponents)?;
        let total = limit * i64::try_from(components).unwrap_or(MAX_OUTPUT);
        Ok((total > MAX_OUTPUT)
            .then(|| format!("vertices have {total} components together, more than {MAX_OUTPUT}")))
    }
}
