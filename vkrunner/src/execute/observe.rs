//! What a script has left at its end, kept for comparisons with other runs.

use super::buffers::contents;
use super::{Execution, Problem};
use glasm_scripts::script::BufferId;

impl Execution<'_> {
    /// Keeps all attachments, buffers and storage images, if that was asked for.
    pub(super) fn observe_end(&mut self) -> Result<(), Problem> {
        if !self.results.observes() || self.device.is_lost() {
            return Ok(());
        }
        for surface in self.surfaces() {
            let image = self.read(surface)?;
            self.results.observe_surface(surface, &image);
        }
        // There are none if they could not be made.
        for index in 0..self.resources.buffers.len() {
            let buffer = BufferId(index);
            let contents = contents(self.script, &self.resources.buffers, buffer);
            self.results.observe_buffer(self.script, buffer, contents);
        }
        for (key, plane) in self.resources.images.used_planes() {
            let picture = self.resources.images.read(&self.device, key, plane)?;
            self.results.observe_image(key, plane, &picture);
        }
        Ok(())
    }
}
