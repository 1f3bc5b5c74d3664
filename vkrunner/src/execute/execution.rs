//! Everything of a script on the device.

use super::dispatches::{ComputeChoice, Dispatches, group_counts};
use super::draws::Draws;
use super::resources::Resources;
use crate::error::{Done, Problem};
use crate::options::Work;
use crate::programs::{Module, ModuleSet};
use crate::vk::{Device, Framebuffer};
use glasm::ir::Stage;
use glasm_scripts::script::{BufferId, Draw, Groups, ProgramState, Script};
use std::rc::Rc;

/// Everything of a script on the device.
pub(super) struct Execution<'a> {
    pub(super) device: Rc<Device>,
    pub(super) script: &'a Script,
    pub(super) sets: &'a [ModuleSet],
    /// What programs depend on, as the commands so far have set it.
    pub(super) state: ProgramState,
    /// Name of the script, for messages.
    pub(super) name: &'a str,
    pub(super) work: Work,
    pub(super) resources: Resources,
    pub(super) framebuffer: Option<Framebuffer>,
    /// By set, each made by its first draw.
    pub(super) draws: Vec<Option<Draws<'a>>>,
    /// By set, each made by its first dispatch.
    pub(super) dispatches: Vec<Option<Dispatches<'a>>>,
}

fn no_framebuffer() -> Problem {
    "there is no framebuffer".to_owned().into()
}

impl<'a> Execution<'a> {
    /// The framebuffer, if the script has one.
    pub(super) fn framebuffer(&self) -> Result<&Framebuffer, Problem> {
        self.framebuffer.as_ref().ok_or_else(no_framebuffer)
    }

    /// The contents of a buffer, as long as the script made it.
    pub(super) fn bytes(&self, buffer: BufferId) -> &[u8] {
        let size = self.script.buffers[buffer.0].size as usize;
        &self.resources.buffers[buffer.0].bytes()[..size]
    }

    /// The number of the modules for the state as it is.
    pub(super) fn set(&self) -> usize {
        let found = self.sets.iter().position(|set| set.state == self.state);
        found.expect("there are modules for every state that draws and dispatches meet")
    }

    /// The module of a stage for the state as it is.
    pub(super) fn module(&self, stage: Stage) -> Option<&'a Module> {
        let mut modules = self.sets[self.set()].modules.iter();
        modules.find(|module| module.stage == stage)
    }

    /// Draws.
    pub(super) fn run_draw(&mut self, draw: &Draw) -> Done {
        let set = self.set();
        let draws = match self.draws[set].take() {
            Some(draws) => draws,
            None => Draws::new(&self.device, self.script, &self.sets[set].modules)?,
        };
        let draws = self.draws[set].insert(draws);
        let Some(framebuffer) = &self.framebuffer else {
            return Err(no_framebuffer());
        };
        draws.draw(self.script, framebuffer, &mut self.resources, draw)
    }

    /// Dispatches; gives what has run.
    pub(super) fn run_groups(
        &mut self,
        groups: Groups,
        choice: ComputeChoice,
    ) -> Result<&Dispatches<'a>, Problem> {
        let limits = self.device.capabilities.max_work_groups;
        let counts = group_counts(groups, &self.resources);
        if counts
            .iter()
            .zip(limits)
            .any(|(count, limit)| *count > limit)
        {
            return Err(format!("the device runs at most {limits:?} work groups").into());
        }
        let set = self.set();
        let dispatches = match self.dispatches[set].take() {
            Some(dispatches) => dispatches,
            None => Dispatches::new(&self.device, self.script, &self.sets[set].modules)?,
        };
        let dispatches = self.dispatches[set].insert(dispatches);
        dispatches.dispatch(self.script, &mut self.resources, groups, choice)?;
        Ok(dispatches)
    }
}
