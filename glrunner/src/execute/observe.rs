//! What a script has left at its end, kept for comparisons with other runs.

use super::{Execution, Problem};

impl Execution<'_> {
    /// Keeps all attachments, buffers and storage images, if that was asked for.
    pub(super) fn observe_end(&mut self) -> Result<(), Problem> {
        if !self.results.observes() {
            return Ok(());
        }
        for surface in self.surfaces() {
            let image = self.read(surface)?;
            self.results.observe_surface(surface, &image);
        }
        self.observe_buffers()?;
        for (key, plane) in self.images.used_planes() {
            let picture = self.image_plane(key, plane)?;
            self.results.observe_image(key, plane, &picture);
        }
        Ok(())
    }
}
