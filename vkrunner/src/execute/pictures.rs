//! Probes of pixels, and the pictures that scripts save or leave behind when they fail.

use super::{Execution, Problem};
use crate::error::Error;
use glasm_scripts::image::Image;
use glasm_scripts::probe::pixels::{PixelProbe, Surface};

impl Execution<'_> {
    /// Everything of the framebuffer that can be read.
    pub(super) fn surfaces(&self) -> Vec<Surface> {
        let attachments = &self.script.requirements.attachments;
        match self.framebuffer {
            Some(_) => attachments.surfaces(),
            None => Vec::new(),
        }
    }

    pub(super) fn read(&self, surface: Surface) -> Result<Image, Problem> {
        let image = self.framebuffer()?.read(surface)?;
        image.ok_or_else(|| format!("the framebuffer has not {surface}").into())
    }

    /// `save image`
    pub(super) fn save_image(&mut self, name: &str, surface: Surface) -> Result<(), Problem> {
        if self.files.save_images.is_none() {
            return Ok(());
        }
        let order = self.script.requirements.convention.row_order();
        let image = self.read(surface)?;
        let saved = self.results.save_image(&self.files, name, &image, order);
        Ok(saved.map_err(Error::from)?)
    }

    /// A `probe` of pixels; if it fails, there is a picture of the difference.
    pub(super) fn probe_pixels(&mut self, line: u32, probe: &PixelProbe) -> Result<(), Problem> {
        let order = self.script.requirements.convention.row_order();
        let image = self.read(probe.surface)?;
        let checked = self
            .results
            .probe_pixels(&self.files, line, probe, &image, order);
        Ok(checked?)
    }

    /// Pictures of all attachments, if the script failed.
    pub(super) fn picture_attachments(&mut self) {
        if self.device.is_lost() {
            return;
        }
        let order = self.script.requirements.convention.row_order();
        let surfaces = self.surfaces();
        let mut results = std::mem::take(&mut self.results);
        results.picture_attachments(&self.files, &surfaces, order, |surface| {
            self.read(surface).ok()
        });
        self.results = results;
    }
}
