//! Results of running a script, and the files that it writes.

use crate::image::{Image, RowOrder};
use crate::observation::{Observation, Observe, Verdict};
use crate::outcome::{Failure, FailureImage, Outcome, ScriptReport};
use crate::pictures::{self, Picture};
use crate::probe::pixels::{PixelProbe, Surface};
use crate::script::{ScriptError, read_covers};
use crate::timing::{Clock, Phase};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

/// Maximum number of images that one script writes for failed probes, and for attachments and their
/// layers.
const MAX_PICTURES: usize = 100;

/// Largest file that is read as a script, in bytes.
const MAX_SCRIPT: u64 = 64 << 20;

/// File that cannot be read or written.
#[derive(thiserror::Error, Debug)]
#[error("{}: {source}", path.display())]
pub struct FileError {
    /// File.
    pub path: PathBuf,
    /// Cause of the error.
    pub source: io::Error,
}

/// Reads the text of a script file. Devices and pipes, which may have no end, are not scripts.
///
/// # Errors
/// If the file cannot be read, is larger than 64 MiB, or is not a regular file.
pub fn read_script(path: &Path) -> Result<Vec<u8>, FileError> {
    let read = || {
        let metadata = std::fs::metadata(path)?;
        if !metadata.is_file() {
            return Err(io::Error::other("not a file"));
        }
        if metadata.len() > MAX_SCRIPT {
            return Err(io::Error::other("the file is too large for a script"));
        }
        std::fs::read(path)
    };
    read().map_err(|source| FileError {
        path: path.to_owned(),
        source,
    })
}

/// Returns a script's path without extension, as one file name: `a/b.shader_test` is `a_b`.
pub fn flat_name(name: &str) -> String {
    let path = Path::new(name).with_extension("");
    let parts = path.components().filter_map(|component| match component {
        Component::Normal(part) => Some(part.to_string_lossy().into_owned()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => {
            None
        }
    });
    parts.collect::<Vec<_>>().join("_")
}

/// Files that a script may write.
#[derive(Clone, Copy)]
pub struct Files<'a> {
    /// Name of the script, for use in file names.
    pub script: &'a str,
    /// Directory for `save image`.
    pub save_images: Option<&'a Path>,
    /// Directory for images of failures.
    pub failure_images: Option<&'a Path>,
}

/// Results accumulated while a script runs.
#[derive(Default)]
pub struct Results {
    /// All failures, in script order.
    pub failures: Vec<Failure>,
    /// Lines that `print` commands wrote.
    pub printed: Vec<String>,
    /// Image files that `save image` commands wrote.
    pub images: Vec<PathBuf>,
    /// Images of failures.
    pub failure_images: Vec<FailureImage>,
    /// Recording of observable output.
    pub observe: Observe,
    /// Final contents of framebuffers, buffers and images and the data that probes read, if
    /// observation was requested.
    pub observations: Vec<Observation>,
    /// Acceptance of each program, if observation was requested.
    pub verdicts: Vec<Verdict>,
}

impl Results {
    /// Creates the results of a script that has only failures.
    pub fn failed(failures: impl IntoIterator<Item = Failure>) -> Self {
        Self {
            failures: failures.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Creates the results of a script that cannot be parsed.
    pub fn unreadable(errors: impl IntoIterator<Item = ScriptError>) -> Self {
        Self::failed(errors.into_iter().map(|error| Failure {
            line: Some(error.line),
            column: Some(error.column),
            message: error.message,
        }))
    }

    /// Returns the outcome of the script.
    pub fn outcome(&self) -> Outcome {
        if self.failures.is_empty() {
            Outcome::Pass
        } else {
            Outcome::Fail
        }
    }

    /// Adds a failure.
    pub fn fail(&mut self, line: Option<u32>, message: impl Into<String>) {
        self.failures.push(Failure::new(line, message));
    }

    /// Executes `save image`: writes the image if there is a directory for it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save_image(
        &mut self,
        files: &Files<'_>,
        name: &str,
        image: &Image,
        order: RowOrder,
    ) -> Result<(), FileError> {
        if let Some(folder) = files.save_images {
            let path = write_file(folder, name, |out| image.write_png(out, order))?;
            self.images.push(path);
        }
        Ok(())
    }

    /// Checks a `probe` of pixels; saves an image of the difference if it fails.
    ///
    /// # Errors
    /// The message of the failed probe.
    pub fn probe_pixels(
        &mut self,
        files: &Files<'_>,
        line: u32,
        probe: &PixelProbe,
        image: &Image,
        order: RowOrder,
    ) -> Result<(), String> {
        if self.observes() {
            let subject = probe.surface.to_string();
            self.keep(Observation::of_region(line, subject, probe, image));
        }
        let Err(message) = probe.check(image) else {
            return Ok(());
        };
        if let Some(folder) = files.failure_images
            && probe.is_within(image)
            && self.failure_images.len() < MAX_PICTURES
        {
            let (picture, note) = pictures::difference(image, probe, order);
            let name = format!("{}.line{line}.png", files.script);
            let caption = format!(
                "line {line}, {}: expected, observed, and differing pixels in red{note}",
                probe.surface
            );
            self.add_failure_image(folder, &name, &picture, caption, Some(line));
        }
        Err(message)
    }

    /// Saves images of all attachments of a failed script; `read` returns the contents of one.
    pub fn picture_attachments(
        &mut self,
        files: &Files<'_>,
        surfaces: &[Surface],
        order: RowOrder,
        read: impl Fn(Surface) -> Option<Image>,
    ) {
        let Some(folder) = files.failure_images else {
            return;
        };
        if self.failures.is_empty() {
            return;
        }
        for surface in surfaces.iter().take(MAX_PICTURES) {
            let Some(image) = read(*surface) else {
                // The failure of the script is more informative than this one.
                return;
            };
            let (picture, note) = pictures::picture(&image, order);
            let name = format!("{}.{}.png", files.script, surface.file_name());
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
            Ok(path) => self.failure_images.push(FailureImage {
                path,
                caption,
                line,
            }),
            Err(error) => self.fail(line, error.to_string()),
        }
    }
}

/// Reads a script and runs it with `run`, which receives its name and source; all errors are in the
/// report. A panic becomes a failure of the script, and `recover` is called after it.
pub fn report_on(
    path: &Path,
    clock: &Rc<Clock>,
    run: impl FnOnce(&str, &[u8]) -> (Outcome, Results),
    recover: impl FnOnce(),
) -> ScriptReport {
    let start = Instant::now();
    clock.start();
    let name = path.display().to_string();
    let text = {
        let _phase = clock.enter(Phase::Parse);
        read_script(path)
    };
    let fail = |message: String| {
        (
            Outcome::Fail,
            Results::failed([Failure::new(None, message)]),
        )
    };
    let (covers, (outcome, results)) = match text {
        Err(error) => (Vec::new(), fail(error.to_string())),
        Ok(text) => {
            let result = catch_unwind(AssertUnwindSafe(|| run(&name, &text)));
            let result = result.unwrap_or_else(|panic| {
                recover();
                let text = panic.downcast_ref::<&str>().copied();
                let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
                fail(format!("glasm panicked: {}", text.unwrap_or_default()))
            });
            (read_covers(&text), result)
        }
    };
    ScriptReport {
        name,
        outcome,
        duration: start.elapsed(),
        timings: clock.read(),
        failures: results.failures,
        printed: results.printed,
        covers,
        images: results.images,
        failure_images: results.failure_images,
        observations: results.observations,
        verdicts: results.verdicts,
    }
}

/// Writes a file in a directory, which is created if it is missing.
fn write_file(
    folder: &Path,
    name: &str,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<PathBuf, FileError> {
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
        Err(source) => Err(FileError { path, source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_the_script() {
        assert_eq!(
            flat_name("shaders/../a/lit.cube.shader_test"),
            "shaders_a_lit.cube"
        );
        assert_eq!(flat_name("/x.shader_test"), "x");
    }
}
