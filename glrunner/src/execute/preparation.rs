//! What is done before the first command.

use super::execution::Execution;
use super::framebuffer::ScriptFramebuffer;
use super::modules::Modules;
use super::problem::Problem;
use super::shaders::has_shaders;
use glasm_scripts::script::Clear;

impl Execution<'_> {
    /// Makes buffers and framebuffer, sets the state that holds for the whole script, and loads the programs.
    pub(super) fn make_ready(&mut self) -> Result<(), Problem> {
        if let Some(through) = self.through.filter(|_| !has_shaders(self.script)) {
            let modules = Modules::new(&self.gl, self.script, through)?;
            self.modules = Some(Box::new(modules));
        }
        self.make_buffers()?;
        if self.script.uses_framebuffer() {
            self.new_framebuffer()?;
        }
        self.set_conventions()?;
        self.set_fixed_state()?;
        if self.modules.is_some() {
            return Ok(());
        }
        match has_shaders(self.script) {
            true => self.load_shaders(),
            false => self.load_programs(),
        }
    }

    /// Makes the framebuffer that the script describes, cleared to zeros and depth 1, whether it uses one or not.
    pub(super) fn new_framebuffer(&mut self) -> Result<(), Problem> {
        let requirements = &self.script.requirements;
        let made = ScriptFramebuffer::new(
            &self.gl,
            requirements.framebuffer,
            &requirements.attachments,
        )?;
        made.clear(&self.gl, &Clear::default())?;
        self.framebuffer = Some(made);
        Ok(())
    }
}
