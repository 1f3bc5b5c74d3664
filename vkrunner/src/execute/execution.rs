//! All objects of a script on the device, including those that are created before the first
//! command.

use super::dispatches::{ComputeChoice, Dispatches, group_counts};
use super::draws::Draws;
use super::resources::Resources;
use crate::error::{Done, Error, Problem};
use crate::fragment_outputs::FragmentOutputs;
use crate::options::Work;
use crate::programs::{Module, ModuleSet};
use crate::vk::{
    Addressing, Buffer, BufferUse, Device, Framebuffer, Reading, Roles, SampleCounter,
};
use glasm::ir::Stage;
use glasm_scripts::script::attachments::MAX_COLORS;
use glasm_scripts::script::{BufferId, Command, Draw, Groups, ProgramState, Script};
use std::rc::Rc;

/// State of a script on the device.
pub(super) struct Execution<'a> {
    pub(super) device: Rc<Device>,
    pub(super) script: &'a Script,
    pub(super) sets: &'a [ModuleSet],
    /// State that programs depend on, as set by the previous commands.
    pub(super) state: ProgramState,
    /// Name of the script, for messages.
    pub(super) name: &'a str,
    pub(super) work: Work,
    pub(super) resources: Resources,
    pub(super) framebuffer: Option<Framebuffer>,
    /// Draws by set, each created by its first draw.
    pub(super) draws: Vec<Option<Draws<'a>>>,
    /// Dispatches by set, each created by its first dispatch.
    pub(super) dispatches: Vec<Option<Dispatches<'a>>>,
}

fn no_framebuffer() -> Problem {
    "there is no framebuffer".to_owned().into()
}

impl<'a> Execution<'a> {
    /// Returns the framebuffer, if the script has one.
    pub(super) fn framebuffer(&self) -> Result<&Framebuffer, Problem> {
        self.framebuffer.as_ref().ok_or_else(no_framebuffer)
    }

    /// Returns the contents of a buffer, with the size that the script declares.
    pub(super) fn bytes(&self, buffer: BufferId) -> &[u8] {
        let size = self.script.buffers[buffer.0].size as usize;
        &self.resources.buffers[buffer.0].bytes()[..size]
    }

    /// Returns the number of the modules for the current state.
    pub(super) fn set(&self) -> usize {
        let found = self.sets.iter().position(|set| set.state == self.state);
        found.expect("there are modules for every state that draws and dispatches meet")
    }

    /// Returns the module of a stage for the current state.
    pub(super) fn module(&self, stage: Stage) -> Option<&'a Module> {
        let mut modules = self.sets[self.set()].modules.iter();
        modules.find(|module| module.stage == stage)
    }

    /// Executes a draw.
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

    /// Dispatches work groups; returns the modules that have run.
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

impl Execution<'_> {
    /// Creates all buffers of the script.
    pub(super) fn make_buffers(&mut self) -> Result<(), Problem> {
        let addressed = self.script.addressed_buffers();
        let captured = self.script.captured_buffers();
        for (decl, index) in self.script.buffers.iter().zip(0..) {
            let roles = Roles {
                address: match addressed.contains(&BufferId(index)) {
                    true if self.script.requirements.low_addresses => Addressing::Low,
                    true => Addressing::Any,
                    false => Addressing::None,
                },
                capture: captured.contains(&BufferId(index)),
            };
            let usage = BufferUse::Script(roles);
            let buffer = Buffer::new(&self.device, usage, decl.size);
            let buffer = buffer.map_err(|error| Error::Buffer {
                name: decl.key.to_string(),
                size: decl.size,
                source: Box::new(error),
            })?;
            self.resources.buffers.push(buffer);
        }
        Ok(())
    }

    /// Creates the counter of samples, if the script probes any.
    pub(super) fn count_samples(&mut self) -> Result<(), Problem> {
        let mut steps = self.script.steps.iter();
        if steps.any(|step| matches!(step.command, Command::ProbeSamples { .. })) {
            self.resources.sample_counter = Some(SampleCounter::new(&self.device)?);
        }
        Ok(())
    }

    /// Creates the framebuffer.
    pub(super) fn make_framebuffer(&mut self) -> Result<(), Problem> {
        let requirements = &self.script.requirements;
        let modules = || self.sets.iter().flat_map(|set| &set.modules);
        let mut attachments = requirements.attachments.clone();
        // Outputs that go nowhere need a number, though no attachment.
        let outputs = modules().map(|module| FragmentOutputs::of(&module.words).count());
        let count = outputs.max().unwrap_or(0);
        let colors = attachments.colors.len().max(count.min(MAX_COLORS));
        attachments.colors.resize(colors, None);
        let reads = modules().any(|module| {
            let reflection = module.reflection.as_ref();
            reflection.is_some_and(|reflection| !reflection.attachments.is_empty())
        });
        let reading = if reads {
            Reading::ByPrograms
        } else {
            Reading::Never
        };
        let size = requirements.framebuffer;
        let framebuffer = Framebuffer::new(&self.device, size, &attachments, reading)?;
        self.framebuffer = Some(framebuffer);
        Ok(())
    }
}
