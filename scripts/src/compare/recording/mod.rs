//! Recordings of runs: the results of a script on a driver, as a text file that is stored and
//! compared with later runs.
//!
//! ```text
//! glasm recording 1
//! script tests/cases/run/arb/op/add.shader_test
//! text 8d6f0d5ab1f0c3e2
//! api gl
//! device llvmpipe (LLVM 15.0.6, 256 bits)
//! driver Mesa 22.3.6
//! outcome pass
//! verdict fragment 0 accepted
//! line 14 texels R8G8B8A8_UNORM 250x250 at 0,0 probed 4 of attachment 0
//!   0-249: 255,0,0,255*250
//! end words 6 of buffer `out`
//!   0: 3f800000*4 00000000 00000007
//! ```
//!
//! Floats are written as decimal numbers that parse to the same bits, and every NaN as `nan`;
//! normalized numbers as the integers that represent them; words in hexadecimal. `*` repeats. Row
//! numbers of images and byte offsets of buffers precede their values; equal rows share a line.
//! `same as line 14` denotes the values of an earlier observation of the same subject. `text` is
//! the digest of the script's source, which detects recordings that are older than their script.

mod read;
mod write;

pub use read::{ReadError, RecordingError};

use super::differences::Driver;
use crate::format::{Encoding, Format};
use crate::observation::{Observation, Verdict};
use crate::results::{Failure, Outcome, ScriptReport};
use crate::results::{FileError, read_script};
use std::path::{Component, Path, PathBuf};

/// Maximum size of the observations of a recording, in bytes; runners do not record more.
const MAX_BYTES: usize = 64 << 20;

/// First line of a recording.
const HEADER_LINE: &str = "glasm recording 1";

/// Extension of recordings.
const FILE_EXTENSION: &str = "recording";

/// Results of a script on a driver.
#[derive(Clone, PartialEq, Debug)]
pub struct Recording {
    /// Path of the script.
    pub script: String,
    /// Digest of the script's source, without its coverage lines.
    pub digest: u64,
    /// Driver that ran the script.
    pub driver: Driver,
    /// Outcome of the script.
    pub outcome: Outcome,
    /// Failures of the script.
    pub failures: Vec<Failure>,
    /// Acceptance of each program.
    pub verdicts: Vec<Verdict>,
    /// Observed data.
    pub observations: Vec<Observation>,
}

/// Returns the failure in the form of recordings, which have no columns: the column becomes part of
/// the message.
fn without_column(failure: &Failure) -> Failure {
    match failure.column {
        Some(column) => Failure::new(
            failure.line,
            format!("column {column}: {}", failure.message),
        ),
        None => failure.clone(),
    }
}

impl Recording {
    /// Creates the recording of a run. Moves verdicts and observations out of its report, and reads
    /// the script again for the digest; if that fails, the digest is that of an empty script.
    pub fn from_report(driver: &Driver, report: &mut ScriptReport) -> Self {
        let text = read_script(Path::new(&report.name));
        Self {
            script: report.name.clone(),
            digest: digest(&text.unwrap_or_default()),
            driver: driver.clone(),
            outcome: report.outcome.clone(),
            failures: report.failures.iter().map(without_column).collect(),
            verdicts: std::mem::take(&mut report.verdicts),
            observations: std::mem::take(&mut report.observations),
        }
    }

    /// Creates the recording of a run that did not happen: it is skipped, without observations.
    pub fn not_run(driver: Driver) -> Self {
        Self {
            script: String::new(),
            digest: 0,
            driver,
            outcome: Outcome::Skip("not run".to_owned()),
            failures: Vec::new(),
            verdicts: Vec::new(),
            observations: Vec::new(),
        }
    }

    /// Writes the file of the recording below a directory, creates missing directories, and returns
    /// the path of the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, dir: &Path) -> Result<PathBuf, FileError> {
        let path = dir.join(recording_path(Path::new(&self.script)));
        let result = match path.parent() {
            Some(parent) => std::fs::create_dir_all(parent),
            None => Ok(()),
        };
        match result.and_then(|()| std::fs::write(&path, self.to_text())) {
            Ok(()) => Ok(path),
            Err(source) => Err(FileError { path, source }),
        }
    }
}

/// Returns the 64-bit FNV-1a hash of the lines of a script, in which `# covers:` lines are replaced
/// by empty ones, because they have no effect.
fn digest(text: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for line in text.split(|byte| *byte == b'\n') {
        let counts = !line.starts_with(b"# covers:");
        let bytes = line.iter().filter(|_| counts).chain([&b'\n']);
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

/// Returns the path of the recording of a script, relative to the directory of recordings: the
/// script's path, relative to the current directory.
fn recording_path(script: &Path) -> PathBuf {
    let current = std::env::current_dir().unwrap_or_default();
    let script = script.strip_prefix(current).unwrap_or(script);
    normalize_path(script).with_extension(FILE_EXTENSION)
}

/// Removes the root, `.` and `..` from a path, so that only names remain.
fn normalize_path(path: &Path) -> PathBuf {
    let named = |part: &Component<'_>| matches!(part, Component::Normal(_));
    path.components().filter(named).collect()
}

/// Textual form of a channel.
#[derive(Clone, Copy)]
enum ChannelText {
    Float(crate::data::Scalar),
    Signed,
    Unsigned,
}

/// Returns the textual form of the channels of a format with this number of bits: floats as
/// numbers, all others as signed or unsigned integers.
fn channel_text(format: &Format, bits: u32) -> ChannelText {
    use crate::data::Scalar;
    match format.encoding {
        Encoding::Sfloat => ChannelText::Float(match bits {
            16 => Scalar::F16,
            32 => Scalar::F32,
            _ => Scalar::F64,
        }),
        Encoding::Sint | Encoding::Snorm | Encoding::Sscaled => ChannelText::Signed,
        Encoding::Uint
        | Encoding::Unorm
        | Encoding::Uscaled
        | Encoding::Srgb
        | Encoding::Ufloat
        | Encoding::SharedExponent => ChannelText::Unsigned,
    }
}

/// Returns the first bit and number of bits of each channel; texels with a shared exponent are one
/// channel.
fn channel_bits(format: &Format) -> Vec<(u32, u32)> {
    if format.encoding == Encoding::SharedExponent {
        return vec![(0, 32)];
    }
    let channels = format.channels.iter();
    channels
        .map(|channel| (channel.offset, channel.bits))
        .collect()
}

#[cfg(test)]
mod tests;
