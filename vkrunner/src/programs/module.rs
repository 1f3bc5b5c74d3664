//! Modules of a script.

use super::interface::{EntryPoint, Interface};
use super::template::Template;
use glasm::ir::Stage;
use glasm::{Reflection, StateWords};
use glasm_scripts::script::ProgramState;
use glasm_scripts::script::stages::MAIN;

/// Module, ready for the device.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub(crate) stage: Stage,
    /// Words; empty if a template generates them.
    pub(crate) words: Vec<u32>,
    /// Reflection; `None` for modules that neither the compiler nor the runner generated.
    pub(crate) reflection: Option<Reflection>,
    /// Inputs and outputs of the entry points of the other modules, if they can be analyzed.
    pub(crate) interface: Option<Interface>,
    /// Template that generates the words of modules that depend on the draw.
    pub(crate) template: Option<Template>,
    /// State that the module reads at run time.
    pub(crate) state: Option<Box<StateWords>>,
}

impl Module {
    /// Returns the entry point of that name: every name is right for modules that cannot be
    /// understood.
    pub(crate) fn entry_point(&self, name: &str) -> Result<Option<&EntryPoint>, String> {
        let found = |entry: Option<&str>| match entry {
            Some(known) => format!("its entry point is `{known}`"),
            None => format!("it has none for {} stages", self.stage.name()),
        };
        let what = |known| {
            let stage = self.stage.name();
            format!(
                "the {stage} module has no entry point `{name}`; {}",
                found(known)
            )
        };
        match &self.interface {
            Some(interface) => match interface.entry_point(self.stage, name) {
                Some(entry) => Ok(Some(entry)),
                None => {
                    let mut entries = interface.entry_points.iter();
                    let same = entries.find(|entry| entry.stage == self.stage);
                    Err(what(same.map(|entry| entry.name.as_str())))
                }
            },
            None if self.reflection.is_some() && name != MAIN => Err(what(Some(MAIN))),
            None => Ok(None),
        }
    }
}

/// Modules for a state in effect at draws or dispatches.
#[derive(Clone, Debug)]
pub(crate) struct ModuleSet {
    pub(crate) state: ProgramState,
    pub(crate) modules: Vec<Module>,
}
