//! What GL's queries give about programs and their parameters.

use super::{Execution, Problem};
use glasm::ir::Stage;
use glasm_scripts::params::count_of;
use glasm_scripts::script::{CountKind, ProgramForm};

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
}
