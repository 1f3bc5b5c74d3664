//! What is made before the first command: buffers, a counter of samples, the framebuffer.

use super::execution::Execution;
use crate::error::{Error, Problem};
use crate::fragment_outputs::FragmentOutputs;
use crate::vk::{Addressing, Buffer, BufferUse, Framebuffer, Reading, Roles, SampleCounter};
use glasm_scripts::script::attachments::MAX_COLORS;
use glasm_scripts::script::{BufferId, Command};

impl Execution<'_> {
    /// Makes all buffers of the script.
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

    /// Counts the samples of all draws, if the script asks for any.
    pub(super) fn count_samples(&mut self) -> Result<(), Problem> {
        let mut steps = self.script.steps.iter();
        if steps.any(|step| matches!(step.command, Command::ProbeSamples { .. })) {
            self.resources.sample_counter = Some(SampleCounter::new(&self.device)?);
        }
        Ok(())
    }

    /// Makes the framebuffer.
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
        let reading = match reads {
            true => Reading::ByPrograms,
            false => Reading::Never,
        };
        let size = requirements.framebuffer;
        let framebuffer = Framebuffer::new(&self.device, size, &attachments, reading)?;
        self.framebuffer = Some(framebuffer);
        Ok(())
    }
}
