//! Parser of recordings, which are untrusted: every error has its line, and no file can cause an
//! allocation of more than [`MAX_BYTES`].

use super::super::comparison::Driver;
use super::{Cell, EXTENSION, HEAD, MAX_BYTES, Recording, cell_of, fields, file_of, normal};
use crate::data::{DataType, Scalar, Value};
use crate::format::{Format, write_bits};
use crate::observation::{Observation, ObservedLayout, Rejection, Verdict};
use crate::outcome::{Failure, Outcome};
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
    /// the time of recording.
    ///
    /// # Errors
    /// If the file does not exist, or cannot be read.
    pub fn find(folder: &Path, script: &Path) -> Result<Self, RecordingError> {
        let file = file_of(script);
        let mut rest = file.as_path();
        loop {
            let path = folder.join(rest);
            if path.is_file() {
                let recording = Self::load(&path)?;
                if is_of(&recording, script) {
                    return Ok(recording);
                }
            }
            let mut parts = rest.components();
            parts.next();
            rest = parts.as_path();
            if rest.as_os_str().is_empty() {
                return Err(RecordingError::Missing(folder.to_owned()));
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

    /// Reads the text of a recording.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(text: &str) -> Result<Self, ReadError> {
        let mut reader = Reader {
            lines: text.lines().enumerate().peekable(),
            line: 0,
            bytes: 0,
        };
        if reader.next() != Some(HEAD) {
            return Err(reader.error(format!("expected `{HEAD}`")));
        }
        let mut recording = Self {
            script: reader.field("script")?,
            digest: reader.digest()?,
            driver: Driver {
                api: reader.field("api")?,
                device: reader.field("device")?,
                driver: reader.field("driver")?,
            },
            outcome: Outcome::Pass,
            failures: Vec::new(),
            verdicts: Vec::new(),
            observations: Vec::new(),
        };
        recording.outcome = reader.outcome()?;
        while let Some(line) = reader.next() {
            let (word, rest) = split(line);
            match word {
                "failure" => recording.failures.push(reader.failure(rest)?),
                "verdict" => recording.verdicts.push(reader.verdict(rest)?),
                "line" | "end" => {
                    let seen = reader.observation(line, &recording.observations)?;
                    recording.observations.push(seen);
                }
                _ => return Err(reader.error("expected `failure`, `verdict`, `line` or `end`")),
            }
        }
        Ok(recording)
    }
}

/// Returns true if a recording belongs to a script: one path is a suffix of the other.
fn is_of(recording: &Recording, script: &Path) -> bool {
    let recorded = normal(Path::new(&recording.script)).with_extension(EXTENSION);
    let script = file_of(script);
    recorded.ends_with(&script) || script.ends_with(&recorded)
}

/// Returns the first word of a line, and the rest after the following space.
fn split(text: &str) -> (&str, &str) {
    text.split_once(' ').unwrap_or((text, ""))
}

/// Reads line after line.
struct Reader<'a> {
    lines: Peekable<Enumerate<Lines<'a>>>,
    /// Number of the line that was read last.
    line: usize,
    /// Total number of bytes of the observations that have been read.
    bytes: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (index, line) = self.lines.next()?;
        self.line = index + 1;
        Some(line)
    }

    /// Returns the next line if it belongs to an observation, without its indent.
    fn next_row(&mut self) -> Option<&'a str> {
        let (_, line) = self.lines.peek()?;
        let row = line.strip_prefix("  ")?;
        self.next();
        Some(row)
    }

    fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError {
            line: self.line.max(1),
            message: message.into(),
        }
    }

    fn parse<T: FromStr>(&self, text: &str, what: &str) -> Result<T, ReadError> {
        let wrong = |_| self.error(format!("expected {what}, found `{}`", shortened(text)));
        text.parse().map_err(wrong)
    }

    /// Returns the number that text starts with.
    fn number<T: FromStr>(&self, text: &mut &str, what: &str) -> Result<T, ReadError> {
        let word = take_word(text);
        self.parse(word, what)
    }

    fn keyword(&self, text: &mut &str, word: &str) -> Result<(), ReadError> {
        if take_word(text) == word {
            Ok(())
        } else {
            Err(self.error(format!("expected `{word}`")))
        }
    }

    fn field(&mut self, word: &str) -> Result<String, ReadError> {
        let (found, value) = split(self.next().unwrap_or_default());
        if found == word {
            Ok(value.to_owned())
        } else {
            Err(self.error(format!("expected `{word}`")))
        }
    }

    fn digest(&mut self) -> Result<u64, ReadError> {
        let text = self.field("text")?;
        let digest = u64::from_str_radix(&text, 16);
        digest.map_err(|_| self.error("expected the digest of a script"))
    }

    fn outcome(&mut self) -> Result<Outcome, ReadError> {
        let text = self.field("outcome")?;
        match split(&text) {
            ("pass", "") => Ok(Outcome::Pass),
            ("fail", "") => Ok(Outcome::Fail),
            ("skip", reason) => Ok(Outcome::Skip(reason.to_owned())),
            _ => Err(self.error("expected `pass`, `fail` or `skip REASON`")),
        }
    }

    /// Returns a number, or `-` for none.
    fn optional<T: FromStr>(&self, text: &mut &str, what: &str) -> Result<Option<T>, ReadError> {
        match take_word(text) {
            "-" => Ok(None),
            word => self.parse(word, what).map(Some),
        }
    }

    fn failure(&self, mut rest: &str) -> Result<Failure, ReadError> {
        let line = self.optional(&mut rest, "a line or `-`")?;
        Ok(Failure::new(line, rest))
    }

    fn verdict(&self, mut rest: &str) -> Result<Verdict, ReadError> {
        let name = take_word(&mut rest);
        let found = Stage::ALL.iter().find(|(_, known)| *known == name);
        let (stage, _) = *found.ok_or_else(|| self.error("expected a stage"))?;
        let number = self.number(&mut rest, "the number of a program")?;
        let rejected = match take_word(&mut rest) {
            "accepted" => None,
            "rejected" => Some(Rejection {
                position: self.optional(&mut rest, "a position or `-`")?,
                message: rest.to_owned(),
            }),
            _ => return Err(self.error("expected `accepted` or `rejected`")),
        };
        Ok(Verdict {
            stage,
            number,
            rejected,
        })
    }

    fn observation(
        &mut self,
        mut rest: &str,
        before: &[Observation],
    ) -> Result<Observation, ReadError> {
        let line = match take_word(&mut rest) {
            "line" => Some(self.number(&mut rest, "a line")?),
            _ => None,
        };
        let word = take_word(&mut rest);
        let (layout, bytes) = match word {
            "texels" => self.texels_head(&mut rest)?,
            "values" => {
                let name = take_word(&mut rest);
                let ty = DataType::parse(name).filter(|ty| ty.components() == 1);
                let ty = ty.ok_or_else(|| self.error("expected a type"))?;
                let count: usize = self.number(&mut rest, "a count")?;
                self.keyword(&mut rest, "at")?;
                let offset = self.number(&mut rest, "a byte")?;
                let scalar = ty.scalar;
                let layout = ObservedLayout::Values { scalar, offset };
                (layout, count.checked_mul(scalar.size()))
            }
            "words" => {
                let count: usize = self.number(&mut rest, "a count")?;
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
            ObservedLayout::Count => Some(self.number::<u64>(&mut rest, "a count")?),
            ObservedLayout::Texels { .. }
            | ObservedLayout::Values { .. }
            | ObservedLayout::Words => None,
        };
        self.keyword(&mut rest, "of")?;
        let subject = rest.to_owned();
        let bytes = match count {
            Some(count) => count.to_le_bytes().to_vec(),
            None => self.body(&layout, length, &subject, before)?,
        };
        Ok(Observation {
            line,
            subject,
            layout,
            bytes,
        })
    }

    /// Parses `FORMAT WIDTHxHEIGHT at X,Y probed N`: returns the layout and its number of bytes,
    /// unless that overflows.
    fn texels_head(&self, rest: &mut &str) -> Result<(ObservedLayout, Option<usize>), ReadError> {
        let name = take_word(rest);
        let format = Format::parse_texture(name).ok_or_else(|| self.error("expected a format"))?;
        let size = take_word(rest).split_once('x').unwrap_or_default();
        let width: u32 = self.parse(size.0, "a width")?;
        let height: u32 = self.parse(size.1, "a height")?;
        self.keyword(rest, "at")?;
        let origin = take_word(rest).split_once(',').unwrap_or_default();
        let x: u32 = self.parse(origin.0, "a coordinate")?;
        let y: u32 = self.parse(origin.1, "a coordinate")?;
        self.keyword(rest, "probed")?;
        let probed = self.number(rest, "a number of components")?;
        let ends = [x.checked_add(width), y.checked_add(height)];
        if width == 0 || height == 0 || ends.contains(&None) {
            return Err(self.error("there is no such picture"));
        }
        let texels = (width as usize).checked_mul(height as usize);
        let bytes = texels.and_then(|texels| texels.checked_mul(format.size()));
        let layout = ObservedLayout::Texels {
            format,
            width,
            origin: [x, y],
            probed,
        };
        Ok((layout, bytes))
    }

    /// Parses the values of an observation of a number of bytes.
    fn body(
        &mut self,
        layout: &ObservedLayout,
        length: usize,
        subject: &str,
        before: &[Observation],
    ) -> Result<Vec<u8>, ReadError> {
        let mut bytes = Vec::new();
        while let Some(row) = self.next_row() {
            if let Some(line) = row.strip_prefix("same as line ") {
                let line: u32 = self.parse(line, "a line")?;
                let same = |seen: &&Observation| {
                    seen.line == Some(line) && seen.subject == subject && seen.bytes.len() == length
                };
                let found = before.iter().rev().find(same);
                let found =
                    found.ok_or_else(|| self.error("there is nothing to be the same as"))?;
                bytes.extend_from_slice(&found.bytes);
            } else {
                self.row(row, layout, length, &mut bytes)?;
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

    /// Parses `PLACE: VALUES`.
    fn row(
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
                let first: usize = self.parse(first, "a row")?;
                let last: usize = self.parse(last, "a row")?;
                let row_bytes = *width as usize * format.size();
                if first != start / row_bytes || last < first || last >= length / row_bytes {
                    return Err(self.error("expected the next rows"));
                }
                (last - first + 1, Some(row_bytes))
            }
            ObservedLayout::Values { offset, .. } => {
                let place: u64 = self.parse(place, "a byte")?;
                if Some(place) != offset.checked_add(start as u64) {
                    return Err(self.error("expected the next byte"));
                }
                (1, None)
            }
            ObservedLayout::Words | ObservedLayout::Count => {
                if self.parse::<usize>(place, "a byte")? != start {
                    return Err(self.error("expected the next byte"));
                }
                (1, None)
            }
        };
        for cell in cells.split(' ') {
            let (cell, count) = match cell.split_once('*') {
                Some((cell, count)) => (cell, self.parse::<usize>(count, "a count")?),
                None => (cell, 1),
            };
            let value = parse_cell(layout, cell);
            let value = value
                .ok_or_else(|| self.error(format!("`{}` is no such value", shortened(cell))))?;
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

/// Consumes the first word of a string.
fn take_word<'a>(text: &mut &'a str) -> &'a str {
    let (word, rest) = split(text);
    *text = rest;
    word
}

/// Returns the begin of a text, for messages.
fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Parses the bytes of a texel, a value or a word.
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

fn parse_scalar(scalar: Scalar, text: &str) -> Option<u64> {
    let bits = scalar.parse_bits(text)?;
    // One form for every NaN.
    Some(match scalar.value(bits) {
        Value::Float(value) if value.is_nan() => scalar.float_bits(f64::NAN),
        Value::Float(_) | Value::Int(_) => bits,
    })
}

fn parse_texel(format: &Format, text: &str) -> Option<Vec<u8>> {
    let mut texel = vec![0; format.size()];
    let fields = fields(format);
    let mut cells = text.split(',');
    for (offset, bits) in fields {
        let cell = cells.next()?;
        let value = match cell_of(format, bits) {
            Cell::Float(scalar) => parse_scalar(scalar, cell)?,
            Cell::Unsigned => {
                let value: u64 = cell.parse().ok()?;
                (bits == 64 || value >> bits == 0).then_some(value)?
            }
            Cell::Signed => {
                let value: i64 = cell.parse().ok()?;
                let unused = 64 - bits;
                (value << unused >> unused == value).then_some(value as u64)?
            }
        };
        write_bits(&mut texel, offset, bits, value);
    }
    cells.next().is_none().then_some(texel)
}
