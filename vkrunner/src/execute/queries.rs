//! What GL's queries give about programs and their parameters.

use super::{Execution, Problem};
use glasm::ir::Stage;
use glasm_scripts::probe::Comparison;
use glasm_scripts::script::{ComponentKind, ProgramForm};

impl Execution<'_> {
    /// Compares the components that the program of a stage, as it is loaded now, uses.
    pub(super) fn probe_components(
        &mut self,
        line: u32,
        stage: Stage,
        kind: ComponentKind,
        expected: (Comparison, u64),
    ) -> Result<(), Problem> {
        let script = self.script.with_loaded(&self.state.loaded);
        let mut programs = script.programs.iter();
        let program = programs
            .find(|program| (program.stage, program.form) == (stage, ProgramForm::Assembly))
            .ok_or_else(|| format!("there is no {} program", stage.name()))?;
        let requirements = &self.script.requirements;
        let source = requirements.source(self.files.script, program);
        let components =
            glasm::count_components(&source).map_err(|diagnostics| diagnostics.render(&source))?;
        let (observed, what) = match kind {
            ComponentKind::Attribs => (components.attribs, "attributes"),
            ComponentKind::Results => (components.results, "results"),
        };
        let what = format!("components of {what} of the {} program", stage.name());
        let observed = observed.into();
        Ok(self.results.probe_count(line, what, observed, expected)?)
    }
}
