//! Probes of pixels, and the pictures that scripts save or leave behind when they fail.

use super::{Execution, Problem};
use crate::error::Error;
use crate::image::{Image, RowOrder};
use crate::outcome::{Failure, FailureImage};
use crate::pictures::{self, Picture};
use crate::probe::pixels::{PixelProbe, Surface};
use crate::script::Convention;
use crate::vk::Framebuffer;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Pictures of failed probes that one script leaves at most, and of attachments and their layers.
const MAX_PICTURES: usize = 100;

/// Writes a file in a folder, which is made if it is missing.
fn write_file(
    folder: &Path,
    name: &str,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<PathBuf, Error> {
    let path = folder.join(name);
    let result = std::fs::create_dir_all(folder)
        .and_then(|()| File::create(&path))
        .and_then(|file| {
            let mut out = BufWriter::new(file);
            write(&mut out)?;
            out.flush()
        });
    match result {
        Ok(()) => Ok(path),
        Err(source) => Err(Error::Io { path, source }),
    }
}

impl Execution<'_> {
    fn row_order(&self) -> RowOrder {
        match self.script.requirements.convention {
            Convention::Vulkan => RowOrder::TopFirst,
            Convention::OpenGl => RowOrder::BottomFirst,
        }
    }

    fn read(&self, surface: Surface) -> Result<Image, Problem> {
        let image = self.framebuffer()?.read(surface)?;
        image.ok_or_else(|| format!("the framebuffer has not {surface}").into())
    }

    /// `save image`
    pub(super) fn save_image(&mut self, name: &str, surface: Surface) -> Result<(), Problem> {
        let Some(folder) = self.files.save_images else {
            return Ok(());
        };
        let order = self.row_order();
        let image = self.read(surface)?;
        let path = write_file(folder, name, |out| image.write_png(out, order))?;
        self.results.images.push(path);
        Ok(())
    }

    /// A `probe` of pixels; if it fails, there is a picture of the difference.
    pub(super) fn probe_pixels(&mut self, line: u32, probe: &PixelProbe) -> Result<(), Problem> {
        let image = self.read(probe.surface)?;
        let Err(message) = probe.check(&image) else {
            return Ok(());
        };
        if let Some(folder) = self.files.failure_images
            && probe.is_within(&image)
            && self.results.failure_images.len() < MAX_PICTURES
        {
            let (picture, note) = pictures::difference(&image, probe, self.row_order());
            let name = format!("{}.line{line}.png", self.files.script);
            let caption = format!(
                "line {line}, {}: expected, observed, and differing pixels in red{note}",
                probe.surface
            );
            self.add_failure_image(folder, &name, &picture, caption, Some(line));
        }
        Err(message.into())
    }

    /// Pictures of all attachments, if the script failed.
    pub(super) fn picture_attachments(&mut self) {
        let Some(folder) = self.files.failure_images else {
            return;
        };
        if self.results.failures.is_empty() || self.device.is_lost() {
            return;
        }
        let surfaces = self.framebuffer.as_ref().map(Framebuffer::surfaces);
        for surface in surfaces.into_iter().flatten().take(MAX_PICTURES) {
            let Ok(image) = self.read(surface) else {
                // The failure that made the script fail says more than this one would.
                return;
            };
            let (picture, note) = pictures::picture(&image, self.row_order());
            let name = format!("{}.{}.png", self.files.script, surface.file_name());
            self.add_failure_image(folder, &name, &picture, format!("{surface}{note}"), None);
        }
    }

    fn add_failure_image(
        &mut self,
        folder: &Path,
        name: &str,
        picture: &Picture,
        caption: String,
        line: Option<u32>,
    ) {
        match write_file(folder, name, |out| picture.write_png(out)) {
            Ok(path) => self.results.failure_images.push(FailureImage {
                path,
                caption,
                line,
            }),
            Err(error) => self.results.failures.push(Failure {
                line,
                message: error.to_string(),
            }),
        }
    }
}
