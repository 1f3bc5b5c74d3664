//! What GL's queries give about programs and their parameters.

use super::{Execution, Problem};
use glasm::ir::Stage;
use glasm_scripts::script::{ComponentKind, ProgramForm};

impl Execution<'_> {
    /// The components that the program of a stage, as it is loaded now, uses.
    pub(super) fn count_components(
        &self,
        stage: Stage,
        kind: ComponentKind,
    ) -> Result<u64, Problem> {
        let script = self.script.with_loaded(&self.state.loaded);
        let mut programs = script.programs.iter();
        let program = programs
            .find(|program| (program.stage, program.form) == (stage, ProgramForm::Assembly))
            .ok_or_else(|| format!("there is no {} program", stage.name()))?;
        let requirements = &self.script.requirements;
        let source = requirements.source(self.name, program);
        let components =
            glasm::count_components(&source).map_err(|diagnostics| diagnostics.render(&source))?;
        Ok(match kind {
            ComponentKind::Attribs => components.attribs.into(),
            ComponentKind::Results => components.results.into(),
        })
    }
}
