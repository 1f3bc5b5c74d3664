//! Outcome of running a script, its results, and the files that it writes.

use crate::image::{Image, RowOrder};
use crate::observation::{Observation, ObservationMode, Verdict};
use crate::probe::pixels::{PixelProbe, Surface};
use crate::script::{ScriptError, read_covers};
use crate::timing::{Clock, Phase, Timings};
use crate::visualize;
use crate::visualize::RgbImage;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};
use std::{fmt, io};

/// Maximum number of images that one script writes for failed probes, and for attachments and their
/// layers.
const MAX_FAILURE_IMAGES: usize = 100;

/// Largest file that is read as a script, in bytes.
const MAX_SCRIPT_BYTES: u64 = 64 << 20;

/// File that cannot be read or written.
#[derive(thiserror::Error, Debug)]
#[error("{}: {source}", path.display())]
pub struct FileError {
    /// File.
    pub path: PathBuf,
    /// Cause of the error.
    pub source: io::Error,
}

/// Reads the text of a script file.
///
/// # Errors
/// If the file cannot be read, is larger than 64 MiB, or is not a regular file: devices and pipes
/// may have no end.
pub fn read_script(path: &Path) -> Result<Vec<u8>, FileError> {
    let read = || {
        let metadata = std::fs::metadata(path)?;
        if !metadata.is_file() {
            return Err(io::Error::other("not a file"));
        }
        if metadata.len() > MAX_SCRIPT_BYTES {
            return Err(io::Error::other("the file is too large for a script"));
        }
        std::fs::read(path)
    };
    read().map_err(|source| FileError {
        path: path.to_owned(),
        source,
    })
}

/// Returns a script's path without extension, as one file name: `a/b.shader_test` is `a_b`. Roots,
/// `.` and `..` are dropped.
pub fn flatten_path(name: &str) -> String {
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
pub struct OutputFiles<'a> {
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
    pub observe: ObservationMode,
    /// Final contents of framebuffers, buffers and images and the data that probes read, if
    /// observation was requested.
    pub observations: Vec<Observation>,
    /// Acceptance of each program, if observation was requested.
    pub verdicts: Vec<Verdict>,
}

impl Results {
    /// Creates the results of a script that has only failures.
    pub fn from_failures(failures: impl IntoIterator<Item = Failure>) -> Self {
        Self {
            failures: failures.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Creates the results of a script that cannot be parsed.
    pub fn from_parse_errors(errors: impl IntoIterator<Item = ScriptError>) -> Self {
        Self::from_failures(errors.into_iter().map(|error| Failure {
            line: Some(error.line),
            column: Some(error.column),
            message: error.message,
        }))
    }

    /// Returns the outcome that follows from the results: a pass if there are no failures, never a
    /// skip.
    pub fn outcome(&self) -> Outcome {
        if self.failures.is_empty() {
            Outcome::Pass
        } else {
            Outcome::Fail
        }
    }

    /// Appends a failure at a line of the script, or at none.
    pub fn add_failure(&mut self, line: Option<u32>, message: impl Into<String>) {
        self.failures.push(Failure::new(line, message));
    }

    /// Executes `save image`: writes the image and appends its path to the images, if there is a
    /// directory for it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save_image(
        &mut self,
        files: &OutputFiles<'_>,
        name: &str,
        image: &Image,
        order: RowOrder,
    ) -> Result<(), FileError> {
        if let Some(dir) = files.save_images {
            let path = write_file(dir, name, |out| image.write_png(out, order))?;
            self.images.push(path);
        }
        Ok(())
    }

    /// Checks a `probe` of pixels, and records the probed region if observations are recorded. If
    /// it fails, saves an image of the difference, unless there is no directory for it or there are
    /// too many.
    ///
    /// # Errors
    /// The message of the failed probe.
    pub fn probe_pixels(
        &mut self,
        files: &OutputFiles<'_>,
        line: u32,
        probe: &PixelProbe,
        image: &Image,
        order: RowOrder,
    ) -> Result<(), String> {
        if self.is_observing() {
            let subject = probe.surface.to_string();
            self.record_observation(Observation::from_probe_region(line, subject, probe, image));
        }
        let Err(message) = probe.check(image) else {
            return Ok(());
        };
        if let Some(dir) = files.failure_images
            && probe.is_region_within(image)
            && self.failure_images.len() < MAX_FAILURE_IMAGES
        {
            let (picture, note) = visualize::render_difference(image, probe, order);
            let name = format!("{}.line{line}.png", files.script);
            let caption = format!(
                "line {line}, {}: expected, observed, and differing pixels in red{note}",
                probe.surface
            );
            self.add_failure_image(dir, &name, &picture, caption, Some(line));
        }
        Err(message)
    }

    /// Saves images of the attachments, at most [`MAX_FAILURE_IMAGES`], if the script has failed
    /// and there is a directory for them; `read` returns the contents of one. Stops if one cannot
    /// be read.
    pub fn save_attachment_images(
        &mut self,
        files: &OutputFiles<'_>,
        surfaces: &[Surface],
        order: RowOrder,
        read: impl Fn(Surface) -> Option<Image>,
    ) {
        let Some(dir) = files.failure_images else {
            return;
        };
        if self.failures.is_empty() {
            return;
        }
        for surface in surfaces.iter().take(MAX_FAILURE_IMAGES) {
            let Some(image) = read(*surface) else {
                // The failure of the script is more informative than this one.
                return;
            };
            let (picture, note) = visualize::render_image(&image, order);
            let name = format!("{}.{}.png", files.script, surface.file_name());
            self.add_failure_image(dir, &name, &picture, format!("{surface}{note}"), None);
        }
    }

    /// Writes an image of a failed script to the directory, and appends it to the failure images.
    /// If it cannot be written, appends a failure instead.
    fn add_failure_image(
        &mut self,
        dir: &Path,
        name: &str,
        picture: &RgbImage,
        caption: String,
        line: Option<u32>,
    ) {
        match write_file(dir, name, |out| picture.write_png(out)) {
            Ok(path) => self.failure_images.push(FailureImage {
                path,
                caption,
                line,
            }),
            Err(error) => self.add_failure(line, error.to_string()),
        }
    }
}

/// Reads a script and runs it with `run`, which receives its name and source; all errors are in the
/// report. Restarts the clock. A panic becomes a failure of the script, and `recover` is called
/// after it.
pub fn run_and_report(
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
            Results::from_failures([Failure::new(None, message)]),
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
        timings: clock.timings(),
        failures: results.failures,
        printed: results.printed,
        covers,
        images: results.images,
        failure_images: results.failure_images,
        observations: results.observations,
        verdicts: results.verdicts,
    }
}

/// Writes a file with `write` in a directory, which is created if it is missing, and returns its
/// path. An existing file is replaced.
fn write_file(
    dir: &Path,
    name: &str,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<PathBuf, FileError> {
    let path = dir.join(name);
    let result = std::fs::create_dir_all(dir)
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

/// Outcome of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All expectations of the script are met.
    Pass,
    /// The script fails; [`ScriptReport::failures`] has the reasons.
    Fail,
    /// The device lacks a feature that the script requires; the string is the reason.
    Skip(String),
}

/// Failure of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Line of the script, from 1, if there is one.
    pub line: Option<u32>,
    /// Column of the line, from 1, if the failure has a position within it.
    pub column: Option<u32>,
    /// Description of the failure; may have several lines.
    pub message: String,
}

impl Failure {
    /// Creates a failure at a line, or without one.
    pub fn new(line: Option<u32>, message: impl Into<String>) -> Self {
        Self {
            line,
            column: None,
            message: message.into(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (Some(line), Some(column)) => {
                write!(f, "line {line}, column {column}: {}", self.message)
            }
            (Some(line), None) => write!(f, "line {line}: {}", self.message),
            (None, _) => f.write_str(&self.message),
        }
    }
}

/// Image that shows a failure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailureImage {
    /// PNG file, named after the script.
    pub path: PathBuf,
    /// Description of the image, in one line.
    pub caption: String,
    /// Line of the failed probe; `None` for images of whole attachments at the end of the script.
    pub line: Option<u32>,
}

/// Result of running one script.
#[derive(Clone, PartialEq, Debug)]
pub struct ScriptReport {
    /// Name of the script: its path as specified by the caller.
    pub name: String,
    /// Outcome of the script.
    pub outcome: Outcome,
    /// Time from reading the file to the last probe.
    pub duration: Duration,
    /// Time spent per phase.
    pub timings: Timings,
    /// All failures, in script order.
    pub failures: Vec<Failure>,
    /// Lines that `print` commands wrote.
    pub printed: Vec<String>,
    /// Ids from the `# covers:` lines of the script, regardless of the outcome.
    pub covers: Vec<String>,
    /// Image files that `save image` commands wrote.
    pub images: Vec<PathBuf>,
    /// Images of failures, if the options of the runner name a directory for them: those of failed
    /// probes in script order, then the final contents of the attachments.
    pub failure_images: Vec<FailureImage>,
    /// Final contents of framebuffers, buffers and images and the data that probes read, if
    /// observation was requested.
    pub observations: Vec<Observation>,
    /// Acceptance of each program, if observation was requested.
    pub verdicts: Vec<Verdict>,
}

/// Numbers of scripts that passed, failed and were skipped. Displays as `3 passed, 0 failed, 1
/// skipped`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Scripts that passed.
    pub passed: usize,
    /// Scripts that failed.
    pub failed: usize,
    /// Scripts that were skipped.
    pub skipped: usize,
}

impl Summary {
    /// Increments the count of an outcome.
    pub fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Pass => self.passed += 1,
            Outcome::Fail => self.failed += 1,
            Outcome::Skip(_) => self.skipped += 1,
        }
    }
}

impl<'a> FromIterator<&'a ScriptReport> for Summary {
    fn from_iter<I: IntoIterator<Item = &'a ScriptReport>>(reports: I) -> Self {
        let mut summary = Self::default();
        reports
            .into_iter()
            .for_each(|report| summary.add(&report.outcome));
        summary
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} passed, {} failed, {} skipped",
            self.passed, self.failed, self.skipped
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_the_script() {
        assert_eq!(
            flatten_path("shaders/../a/lit.cube.shader_test"),
            "shaders_a_lit.cube"
        );
        assert_eq!(flatten_path("/x.shader_test"), "x");
    }

    #[test]
    fn summaries_count_outcomes() {
        let mut summary = Summary::default();
        for outcome in [
            Outcome::Pass,
            Outcome::Skip("no device".into()),
            Outcome::Pass,
            Outcome::Fail,
        ] {
            summary.add(&outcome);
        }
        assert_eq!(summary.to_string(), "2 passed, 1 failed, 1 skipped");
    }
}
