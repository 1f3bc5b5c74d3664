//! Makes modules what runs.

use super::execution::Execution;
use super::module_compile::compile;
use super::modules::{Key, ModuleProgram, Work};
use super::problem::Problem;
use glasm_scripts::script::Command;
use glasm_scripts::script::pipeline_state::PipelineState;
use std::rc::Rc;

impl Execution<'_> {
    /// What programs depend on changes with commands.
    pub(super) fn note_command(&mut self, command: &Command) {
        let script = self.script;
        if let Some(modules) = &mut self.modules {
            modules.state.apply(command, script);
        }
    }

    /// What programs see of the state of a draw.
    pub(super) fn note_draw_state(&mut self, state: &PipelineState) {
        if let Some(modules) = &mut self.modules {
            let requirements = &self.script.requirements;
            modules.params.set_draw_state(requirements, state);
        }
    }

    /// Makes the modules of a draw or dispatch what runs, if programs run as modules.
    pub(super) fn ready_modules(
        &mut self,
        work: Work,
    ) -> Result<Option<Rc<ModuleProgram>>, Problem> {
        let Some(modules) = &self.modules else {
            return Ok(None);
        };
        let state = modules.state.clone();
        let key = Key { state, work };
        let program = match modules.find(&key) {
            Some(program) => program,
            None => {
                let program = Rc::new(compile(&self.gl, self.script, modules, &key)?);
                let made = (key, Rc::clone(&program));
                self.modules.iter_mut().for_each(|it| it.keep(made.clone()));
                program
            }
        };
        self.shaders.set(work, Rc::clone(&program.program));
        let stages = program.stages.iter();
        let facts = stages.map(|module| (module.stage, module.facts.clone()));
        self.programs.set_shaders(facts);
        Ok(Some(program))
    }
}
