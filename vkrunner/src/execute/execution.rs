//! All objects of a script on the device, including those that are created before the first
//! command.

use super::dispatches::{ComputeVariant, Dispatches, group_counts};
use super::draws::Draws;
use super::resources::Resources;
use crate::error::{CommandError, CommandResult, Error};
use crate::fragment_outputs::FragmentOutputs;
use crate::options::ExecutionMode;
use crate::programs::{Module, ModuleSet};
use crate::vk::{
    Addressing, AttachmentReads, Buffer, BufferUse, Device, Framebuffer, SampleCounter,
    ScriptBufferUsage,
};
use glasm::ir::Stage;
use glasm_scripts::script::MAX_COLORS;
use glasm_scripts::script::{BufferId, Command, Draw, GroupCount, ProgramState, Script};
use std::rc::Rc;

/// State of a script on the device.
pub(super) struct Execution<'a> {
    pub(super) device: Rc<Device>,
    pub(super) script: &'a Script,
    pub(super) module_sets: &'a [ModuleSet],
    /// State that programs depend on, as set by the previous commands.
    pub(super) program_state: ProgramState,
    /// Name of the script, for messages.
    pub(super) name: &'a str,
    pub(super) execution_mode: ExecutionMode,
    pub(super) resources: Resources,
    pub(super) framebuffer: Option<Framebuffer>,
    /// Draws by set, each created by its first draw.
    pub(super) draws: Vec<Option<Draws<'a>>>,
    /// Dispatches by set, each created by its first dispatch.
    pub(super) dispatches: Vec<Option<Dispatches<'a>>>,
}

/// Returns the error that a command requires a framebuffer, which the script does not have.
fn err_no_framebuffer() -> CommandError {
    "there is no framebuffer".to_owned().into()
}

impl<'a> Execution<'a> {
    /// Returns the framebuffer, if the script has one.
    pub(super) fn framebuffer(&self) -> Result<&Framebuffer, CommandError> {
        self.framebuffer.as_ref().ok_or_else(err_no_framebuffer)
    }

    /// Returns the contents of a buffer, with the size that the script declares.
    pub(super) fn buffer_bytes(&self, buffer: BufferId) -> &[u8] {
        let size = self.script.buffers[buffer.0].size as usize;
        &self.resources.buffers[buffer.0].bytes()[..size]
    }

    /// Returns the index in `module_sets` of the modules compiled for the current state of programs.
    /// Panics if there are none: preparation compiles them for all states of the script.
    pub(super) fn current_module_set_index(&self) -> usize {
        let index = self
            .module_sets
            .iter()
            .position(|set| set.state == self.program_state);
        index.expect("there are modules for every state that draws and dispatches meet")
    }

    /// Returns the module of a stage for the current state.
    pub(super) fn module(&self, stage: Stage) -> Option<&'a Module> {
        let mut modules = self.module_sets[self.current_module_set_index()]
            .modules
            .iter();
        modules.find(|module| module.stage == stage)
    }

    /// Executes a draw with the modules for the current state of programs, which are prepared with
    /// their first draw. Returns an error if the script has no framebuffer.
    pub(super) fn run_draw(&mut self, draw: &Draw) -> CommandResult {
        let set = self.current_module_set_index();
        let draws = match self.draws[set].take() {
            Some(draws) => draws,
            None => Draws::new(&self.device, self.script, &self.module_sets[set].modules)?,
        };
        let draws = self.draws[set].insert(draws);
        let Some(framebuffer) = &self.framebuffer else {
            return Err(err_no_framebuffer());
        };
        draws.draw(self.script, framebuffer, &mut self.resources, draw)
    }

    /// Dispatches work groups of the current compute program, waits for their end and returns the
    /// programs that have run. Prepares them with their first dispatch. Returns an error if there
    /// are more work groups than the device supports.
    pub(super) fn run_dispatch(
        &mut self,
        groups: GroupCount,
        choice: ComputeVariant,
    ) -> Result<&Dispatches<'a>, CommandError> {
        let limits = self.device.capabilities.max_work_groups;
        let counts = group_counts(groups, &self.resources);
        if counts
            .iter()
            .zip(limits)
            .any(|(count, limit)| *count > limit)
        {
            return Err(format!("the device runs at most {limits:?} work groups").into());
        }
        let set = self.current_module_set_index();
        let dispatches = match self.dispatches[set].take() {
            Some(dispatches) => dispatches,
            None => Dispatches::new(&self.device, self.script, &self.module_sets[set].modules)?,
        };
        let dispatches = self.dispatches[set].insert(dispatches);
        dispatches.dispatch(self.script, &mut self.resources, groups, choice)?;
        Ok(dispatches)
    }
}

impl Execution<'_> {
    /// Creates all buffers of the script, in the order of their declarations, with device addresses
    /// and as transform feedback buffers where the script uses them so. Errors name the buffer.
    pub(super) fn create_buffers(&mut self) -> Result<(), CommandError> {
        let addressed = self.script.addressed_buffers();
        let captured = self.script.captured_buffers();
        for (decl, index) in self.script.buffers.iter().zip(0..) {
            let roles = ScriptBufferUsage {
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
    pub(super) fn create_sample_counter(&mut self) -> Result<(), CommandError> {
        let mut steps = self.script.steps.iter();
        if steps.any(|step| matches!(step.command, Command::ProbeSamples { .. })) {
            self.resources.sample_counter = Some(SampleCounter::new(&self.device)?);
        }
        Ok(())
    }

    /// Creates the framebuffer of the script with its attachments. Outputs of programs that have no
    /// attachment get an unused color attachment number, because their pipelines refer to it.
    pub(super) fn create_framebuffer(&mut self) -> Result<(), CommandError> {
        let requirements = &self.script.requirements;
        let modules = || self.module_sets.iter().flat_map(|set| &set.modules);
        let mut attachments = requirements.attachments.clone();
        // Outputs that go nowhere need a number, though no attachment.
        let outputs = modules().map(|module| FragmentOutputs::from_module(&module.words).count());
        let count = outputs.max().unwrap_or(0);
        let colors = attachments.colors.len().max(count.min(MAX_COLORS));
        attachments.colors.resize(colors, None);
        let reads = modules().any(|module| {
            let reflection = module.reflection.as_ref();
            reflection.is_some_and(|reflection| !reflection.input_attachments.is_empty())
        });
        let reading = if reads {
            AttachmentReads::ByPrograms
        } else {
            AttachmentReads::Never
        };
        let size = requirements.framebuffer;
        let framebuffer = Framebuffer::new(&self.device, size, &attachments, reading)?;
        self.framebuffer = Some(framebuffer);
        Ok(())
    }
}
