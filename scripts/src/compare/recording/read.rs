//! Parser of recordings, which are untrusted: every error has its line, and no file can cause an
//! allocation of more than [`MAX_BYTES`].

use super::super::differences::Driver;
use super::{
    ChannelText, FILE_EXTENSION, HEADER_LINE, MAX_BYTES, Recording, channel_bits, channel_text,
    normalize_path, recording_path,
};
use crate::data::{DataType, Scalar, Value};
use crate::format::{Format, write_bits};
use crate::observation::{Observation, ObservedLayout, Rejection, Verdict};
use crate::results::{Failure, Outcome};
use crate::results::{FileError, read_script};
use glasm::ir::Stage;
use std::iter::{Enumerate, Peekable};
use std::path::{Path, PathBuf};
use std::str::{FromStr, Lines};

/// Error in a line of a recording.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
#[error("line {line}: {message}")]
pub struct ReadError {
    /// Line, from 1.
    pub line: usize,
    /// Description of the error.
    pub message: String,
}

/// Error of loading a recording.
#[derive(thiserror::Error, Debug)]
pub enum RecordingError {
    /// The file does not exist.
    #[error("there is no recording of this script in {}", .0.display())]
    Missing(PathBuf),
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Syntax error in the file.
    #[error("{}: {error}", path.display())]
    Text {
        /// File.
        path: PathBuf,
        /// Error.
        error: ReadError,
    },
}

impl Recording {
    /// Finds the recording of a script below a directory, regardless of the current directory at
    /// the time of recording: leading directories of the script's path are removed until a file
    /// exists whose recording belongs to the script.
    ///
    /// # Errors
    /// If the file does not exist, cannot be read, or is not a recording.
    pub fn find(dir: &Path, script: &Path) -> Result<Self, RecordingError> {
        let file = recording_path(script);
        let mut rest = file.as_path();
        loop {
            let path = dir.join(rest);
            if path.is_file() {
                let recording = Self::load(&path)?;
                if belongs_to(&recording, script) {
                    return Ok(recording);
                }
            }
            let mut parts = rest.components();
            parts.next();
            rest = parts.as_path();
            if rest.as_os_str().is_empty() {
                return Err(RecordingError::Missing(dir.to_owned()));
            }
        }
    }

    /// Reads the file of a recording.
    ///
    /// # Errors
    /// If the file cannot be read, is larger than 64 MiB, or is not a recording.
    pub fn load(path: &Path) -> Result<Self, RecordingError> {
        let text = read_script(path)?;
        Self::parse(&String::from_utf8_lossy(&text)).map_err(|error| RecordingError::Text {
            path: path.to_owned(),
            error,
        })
    }

    /// Parses a recording.
    ///
    /// # Errors
    /// If it is not a valid recording, with the line.
    pub fn parse(text: &str) -> Result<Self, ReadError> {
        let mut reader = RecordingParser {
            lines: text.lines().enumerate().peekable(),
            line: 0,
            bytes: 0,
        };
        if reader.next_line() != Some(HEADER_LINE) {
            return Err(reader.error(format!("expected `{HEADER_LINE}`")));
        }
        let mut recording = Self {
            script: reader.parse_field("script")?,
            digest: reader.parse_digest()?,
            driver: Driver {
                api: reader.parse_field("api")?,
                device: reader.parse_field("device")?,
                driver: reader.parse_field("driver")?,
            },
            outcome: Outcome::Pass,
            failures: Vec::new(),
            verdicts: Vec::new(),
            observations: Vec::new(),
        };
        recording.outcome = reader.parse_outcome()?;
        while let Some(line) = reader.next_line() {
            let (word, rest) = split_word(line);
            match word {
                "failure" => recording.failures.push(reader.parse_failure(rest)?),
                "verdict" => recording.verdicts.push(reader.parse_verdict(rest)?),
                "line" | "end" => {
                    let observation = reader.parse_observation(line, &recording.observations)?;
                    recording.observations.push(observation);
                }
                _ => return Err(reader.error("expected `failure`, `verdict`, `line` or `end`")),
            }
        }
        Ok(recording)
    }
}

/// Returns true if a recording belongs to a script: one path is a suffix of the other, both without
/// roots, `.` and `..`.
fn belongs_to(recording: &Recording, script: &Path) -> bool {
    let recorded = normalize_path(Path::new(&recording.script)).with_extension(FILE_EXTENSION);
    let script = recording_path(script);
    recorded.ends_with(&script) || script.ends_with(&recorded)
}

/// Returns the part of a line before the first space and the part after it; an empty second part
/// without a space.
fn split_word(text: &str) -> (&str, &str) {
    text.split_once(' ').unwrap_or((text, ""))
}

/// Reads line after line.
struct RecordingParser<'a> {
    lines: Peekable<Enumerate<Lines<'a>>>,
    /// Number of the line that was read last.
    line: usize,
    /// Total number of bytes of the observations that have been read.
    bytes: usize,
}

impl<'a> RecordingParser<'a> {
    /// Returns the next line and makes its number that of errors; `None` at the end.
    fn next_line(&mut self) -> Option<&'a str> {
        let (index, line) = self.lines.next()?;
        self.line = index + 1;
        Some(line)
    }

    /// Consumes and returns the next line, without its indent, if it is indented and thereby
    /// belongs to an observation; `None`, and consumes nothing, otherwise.
    fn next_row(&mut self) -> Option<&'a str> {
        let (_, line) = self.lines.peek()?;
        let row = line.strip_prefix("  ")?;
        self.next_line();
        Some(row)
    }

    /// Creates an error at the line that was read last, or at line 1 before the first.
    fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError {
            line: self.line.max(1),
            message: message.into(),
        }
    }

    /// Parses all of `text`. Returns an error that expects `what` if it is invalid.
    fn parse_value<T: FromStr>(&self, text: &str, what: &str) -> Result<T, ReadError> {
        let wrong = |_| self.error(format!("expected {what}, found `{}`", abbreviate(text)));
        text.parse().map_err(wrong)
    }

    /// Consumes the first word of `text` as a number. Returns an error that expects `what` if it is
    /// invalid.
    fn parse_number<T: FromStr>(&self, text: &mut &str, what: &str) -> Result<T, ReadError> {
        let word = take_word(text);
        self.parse_value(word, what)
    }

    /// Consumes the first word of `text`. Returns an error if it is not `word`.
    fn expect_keyword(&self, text: &mut &str, word: &str) -> Result<(), ReadError> {
        if take_word(text) == word {
            Ok(())
        } else {
            Err(self.error(format!("expected `{word}`")))
        }
    }

    /// Consumes the next line and returns the text after its first word. Returns an error if that
    /// word is not `word`.
    fn parse_field(&mut self, word: &str) -> Result<String, ReadError> {
        let (found, value) = split_word(self.next_line().unwrap_or_default());
        if found == word {
            Ok(value.to_owned())
        } else {
            Err(self.error(format!("expected `{word}`")))
        }
    }

    /// Consumes the line `text DIGEST`: the hash of the script, in hexadecimal.
    fn parse_digest(&mut self) -> Result<u64, ReadError> {
        let text = self.parse_field("text")?;
        let digest = u64::from_str_radix(&text, 16);
        digest.map_err(|_| self.error("expected the digest of a script"))
    }

    /// Consumes the line `outcome pass`, `outcome fail` or `outcome skip REASON`.
    fn parse_outcome(&mut self) -> Result<Outcome, ReadError> {
        let text = self.parse_field("outcome")?;
        match split_word(&text) {
            ("pass", "") => Ok(Outcome::Pass),
            ("fail", "") => Ok(Outcome::Fail),
            ("skip", reason) => Ok(Outcome::Skip(reason.to_owned())),
            _ => Err(self.error("expected `pass`, `fail` or `skip REASON`")),
        }
    }

    /// Consumes the first word of `text` as a number; `-` is `None`. Returns an error that expects
    /// `what` if it is invalid.
    fn parse_optional<T: FromStr>(
        &self,
        text: &mut &str,
        what: &str,
    ) -> Result<Option<T>, ReadError> {
        match take_word(text) {
            "-" => Ok(None),
            word => self.parse_value(word, what).map(Some),
        }
    }

    /// Parses a failure: its line or `-`, and the message up to the end.
    fn parse_failure(&self, mut rest: &str) -> Result<Failure, ReadError> {
        let line = self.parse_optional(&mut rest, "a line or `-`")?;
        Ok(Failure::new(line, rest))
    }

    /// Parses the acceptance of a program: its stage, its index, and `accepted` or `rejected` with
    /// position or `-` and message.
    fn parse_verdict(&self, mut rest: &str) -> Result<Verdict, ReadError> {
        let name = take_word(&mut rest);
        let stage = Stage::ALL.iter().find(|(_, known)| *known == name);
        let (stage, _) = *stage.ok_or_else(|| self.error("expected a stage"))?;
        let number = self.parse_number(&mut rest, "the number of a program")?;
        let rejected = match take_word(&mut rest) {
            "accepted" => None,
            "rejected" => Some(Rejection {
                position: self.parse_optional(&mut rest, "a position or `-`")?,
                message: rest.to_owned(),
            }),
            _ => return Err(self.error("expected `accepted` or `rejected`")),
        };
        Ok(Verdict {
            stage,
            index: number,
            rejected,
        })
    }

    /// Parses an observation: its header line, and the following indented lines with its values,
    /// which may refer to `previous` ones. Returns an error if all observations together exceed
    /// [`MAX_BYTES`].
    fn parse_observation(
        &mut self,
        mut rest: &str,
        previous: &[Observation],
    ) -> Result<Observation, ReadError> {
        let line = match take_word(&mut rest) {
            "line" => Some(self.parse_number(&mut rest, "a line")?),
            _ => None,
        };
        let word = take_word(&mut rest);
        let (layout, bytes) = match word {
            "texels" => self.parse_texels_header(&mut rest)?,
            "values" => {
                let name = take_word(&mut rest);
                let ty = DataType::parse(name).filter(|ty| ty.components() == 1);
                let ty = ty.ok_or_else(|| self.error("expected a type"))?;
                let count: usize = self.parse_number(&mut rest, "a count")?;
                self.expect_keyword(&mut rest, "at")?;
                let offset = self.parse_number(&mut rest, "a byte")?;
                let scalar = ty.scalar;
                let layout = ObservedLayout::Values { scalar, offset };
                (layout, count.checked_mul(scalar.size()))
            }
            "words" => {
                let count: usize = self.parse_number(&mut rest, "a count")?;
                (ObservedLayout::Words, count.checked_mul(4))
            }
            "count" => (ObservedLayout::Count, Some(8)),
            _ => return Err(self.error("expected `texels`, `values`, `words` or `count`")),
        };
        self.bytes = bytes
            .and_then(|bytes| self.bytes.checked_add(bytes))
            .filter(|total| *total <= MAX_BYTES)
            .ok_or_else(|| self.error("the recording is too large"))?;
        let length = bytes.unwrap_or_default();
        let count = match layout {
            ObservedLayout::Count => Some(self.parse_number::<u64>(&mut rest, "a count")?),
            ObservedLayout::Texels { .. }
            | ObservedLayout::Values { .. }
            | ObservedLayout::Words => None,
        };
        self.expect_keyword(&mut rest, "of")?;
        let subject = rest.to_owned();
        let bytes = match count {
            Some(count) => count.to_le_bytes().to_vec(),
            None => self.parse_observed_values(&layout, length, &subject, previous)?,
        };
        Ok(Observation {
            line,
            subject,
            layout,
            bytes,
        })
    }

    /// Consumes `FORMAT WIDTHxHEIGHT at X,Y probed N` from `rest`. Returns the layout and its
    /// number of bytes, `None` if that overflows. Returns an error for empty images and coordinates
    /// that overflow.
    fn parse_texels_header(
        &self,
        rest: &mut &str,
    ) -> Result<(ObservedLayout, Option<usize>), ReadError> {
        let name = take_word(rest);
        let format =
            Format::parse_color_or_depth(name).ok_or_else(|| self.error("expected a format"))?;
        let size = take_word(rest).split_once('x').unwrap_or_default();
        let width: u32 = self.parse_value(size.0, "a width")?;
        let height: u32 = self.parse_value(size.1, "a height")?;
        self.expect_keyword(rest, "at")?;
        let origin = take_word(rest).split_once(',').unwrap_or_default();
        let x: u32 = self.parse_value(origin.0, "a coordinate")?;
        let y: u32 = self.parse_value(origin.1, "a coordinate")?;
        self.expect_keyword(rest, "probed")?;
        let probed = self.parse_number(rest, "a number of components")?;
        let ends = [x.checked_add(width), y.checked_add(height)];
        if width == 0 || height == 0 || ends.contains(&None) {
            return Err(self.error("there is no such picture"));
        }
        let texels = (width as usize).checked_mul(height as usize);
        let bytes = texels.and_then(|texels| texels.checked_mul(format.texel_size()));
        let layout = ObservedLayout::Texels {
            format,
            width,
            origin: [x, y],
            probed_components: probed,
        };
        Ok((layout, bytes))
    }

    /// Parses the lines with the values of an observation of `length` bytes, and returns the bytes.
    /// A line `same as line N` copies the bytes of the last observation of this subject and length
    /// in `before` at that line. Returns an error if there are more or fewer bytes.
    fn parse_observed_values(
        &mut self,
        layout: &ObservedLayout,
        length: usize,
        subject: &str,
        before: &[Observation],
    ) -> Result<Vec<u8>, ReadError> {
        let mut bytes = Vec::new();
        while let Some(row) = self.next_row() {
            if let Some(line) = row.strip_prefix("same as line ") {
                let line: u32 = self.parse_value(line, "a line")?;
                let same = |seen: &&Observation| {
                    seen.line == Some(line) && seen.subject == subject && seen.bytes.len() == length
                };
                let found = before.iter().rev().find(same);
                let found =
                    found.ok_or_else(|| self.error("there is nothing to be the same as"))?;
                bytes.extend_from_slice(&found.bytes);
            } else {
                self.parse_row(row, layout, length, &mut bytes)?;
            }
            if bytes.len() > length {
                return Err(self.error("there are too many values"));
            }
        }
        if bytes.len() == length {
            Ok(bytes)
        } else {
            Err(self.error(format!("expected {length} bytes, found {}", bytes.len())))
        }
    }

    /// Parses an offset or line range, `: ` and values, and appends the values to `bytes`, at most
    /// `length` in all. The offset must be that of the next byte or, for texels, the range begin
    /// with the next line of the image; the line of texels is repeated for the range.
    fn parse_row(
        &self,
        row: &str,
        layout: &ObservedLayout,
        length: usize,
        bytes: &mut Vec<u8>,
    ) -> Result<(), ReadError> {
        let (place, cells) = row
            .split_once(": ")
            .ok_or_else(|| self.error("expected a place and values"))?;
        let start = bytes.len();
        let (times, expected) = match layout {
            ObservedLayout::Texels { format, width, .. } => {
                let (first, last) = place.split_once('-').unwrap_or((place, place));
                let first: usize = self.parse_value(first, "a row")?;
                let last: usize = self.parse_value(last, "a row")?;
                let row_bytes = *width as usize * format.texel_size();
                if first != start / row_bytes || last < first || last >= length / row_bytes {
                    return Err(self.error("expected the next rows"));
                }
                (last - first + 1, Some(row_bytes))
            }
            ObservedLayout::Values { offset, .. } => {
                let place: u64 = self.parse_value(place, "a byte")?;
                if Some(place) != offset.checked_add(start as u64) {
                    return Err(self.error("expected the next byte"));
                }
                (1, None)
            }
            ObservedLayout::Words | ObservedLayout::Count => {
                if self.parse_value::<usize>(place, "a byte")? != start {
                    return Err(self.error("expected the next byte"));
                }
                (1, None)
            }
        };
        for cell in cells.split(' ') {
            let (cell, count) = match cell.split_once('*') {
                Some((cell, count)) => (cell, self.parse_value::<usize>(count, "a count")?),
                None => (cell, 1),
            };
            let value = parse_cell(layout, cell);
            let value = value
                .ok_or_else(|| self.error(format!("`{}` is no such value", abbreviate(cell))))?;
            if count == 0 || count > (length - bytes.len()) / value.len() {
                return Err(self.error("there are too many values, or none"));
            }
            bytes.extend(value.repeat(count));
        }
        if expected.is_some_and(|expected| bytes.len() - start != expected) {
            return Err(self.error("the row is too short or too long"));
        }
        // No more than `length` in all, as the rows are within the image.
        let row = bytes[start..].to_vec();
        for _ in 1..times {
            bytes.extend_from_slice(&row);
        }
        Ok(())
    }
}

/// Removes the first word and the following space from a string, and returns the word.
fn take_word<'a>(text: &mut &'a str) -> &'a str {
    let (word, rest) = split_word(text);
    *text = rest;
    word
}

/// Returns the first 40 characters of a string, for messages.
fn abbreviate(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Parses a texel, a value or a word, according to the layout, and returns its bytes; `None` if it
/// is invalid.
fn parse_cell(layout: &ObservedLayout, text: &str) -> Option<Vec<u8>> {
    match layout {
        ObservedLayout::Texels { format, .. } => parse_texel(format, text),
        ObservedLayout::Values { scalar, .. } => {
            let bits = parse_scalar(*scalar, text)?;
            Some(bits.to_le_bytes()[..scalar.size()].to_vec())
        }
        ObservedLayout::Words | ObservedLayout::Count => {
            let is_word = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
            let word = u32::from_str_radix(text, 16).ok().filter(|_| is_word)?;
            Some(word.to_le_bytes().to_vec())
        }
    }
}

/// Parses the value of a scalar as its bits. Every NaN becomes the same one. `None` if it is not a
/// value of the type.
fn parse_scalar(scalar: Scalar, text: &str) -> Option<u64> {
    let bits = scalar.parse_bits(text)?;
    // One form for every NaN.
    Some(match scalar.decode(bits) {
        Value::Float(value) if value.is_nan() => scalar.float_bits(f64::NAN),
        Value::Float(_) | Value::Int(_) => bits,
    })
}

/// Parses the channels of a texel, separated by commas, in the form that `print_texel` writes, and
/// returns the bytes of the texel. `None` if their number is wrong, or if one is invalid or needs
/// more bits than its channel has.
fn parse_texel(format: &Format, text: &str) -> Option<Vec<u8>> {
    let mut texel = vec![0; format.texel_size()];
    let fields = channel_bits(format);
    let mut cells = text.split(',');
    for (offset, bits) in fields {
        let cell = cells.next()?;
        let value = match channel_text(format, bits) {
            ChannelText::Float(scalar) => parse_scalar(scalar, cell)?,
            ChannelText::Unsigned => {
                let value: u64 = cell.parse().ok()?;
                (bits == 64 || value >> bits == 0).then_some(value)?
            }
            ChannelText::Signed => {
                let value: i64 = cell.parse().ok()?;
                let unused = 64 - bits;
                (value << unused >> unused == value).then_some(value as u64)?
            }
        };
        write_bits(&mut texel, offset, bits, value);
    }
    cells.next().is_none().then_some(texel)
}
