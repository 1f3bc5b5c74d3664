//! Writes recordings.

use super::{ChannelText, HEADER_LINE, Recording, channel_bits, channel_text};
use crate::data::{Scalar, Value};
use crate::format::{Format, read_bits};
use crate::observation::{Observation, ObservedLayout, Verdict};
use crate::results::{Failure, Outcome};
use std::fmt::Write;

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// Different values on one line of a buffer.
const VALUES_PER_LINE: usize = 8;

impl Recording {
    /// Returns the recording as text, in the form that [`Self::parse`] reads. Only the first lines
    /// of messages and names are written.
    pub fn to_text(&self) -> String {
        let driver = &self.driver;
        let mut text = format!("{HEADER_LINE}\n");
        let _ = writeln!(text, "script {}", to_single_line(&self.script));
        let _ = writeln!(text, "text {:016x}", self.digest);
        for (word, value) in [
            ("api", &driver.api),
            ("device", &driver.device),
            ("driver", &driver.driver),
        ] {
            let _ = writeln!(text, "{word} {}", to_single_line(value));
        }
        match &self.outcome {
            Outcome::Pass => text.push_str("outcome pass\n"),
            Outcome::Fail => text.push_str("outcome fail\n"),
            Outcome::Skip(reason) => {
                let _ = writeln!(text, "outcome skip {}", to_single_line(reason));
            }
        }
        for failure in &self.failures {
            write_failure(&mut text, failure);
        }
        for verdict in &self.verdicts {
            write_verdict(&mut text, verdict);
        }
        for (index, seen) in self.observations.iter().enumerate() {
            write_observation(&mut text, seen, &self.observations[..index]);
        }
        text
    }
}

/// Returns the first line of a string, with control characters replaced by spaces and without
/// spaces at its ends.
fn to_single_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let shown = |character: char| {
        if character.is_control() {
            ' '
        } else {
            character
        }
    };
    line.chars()
        .map(shown)
        .collect::<String>()
        .trim()
        .to_owned()
}

/// Formats a number; `-` for `None`.
fn format_optional(number: Option<impl ToString>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| number.to_string())
}

/// Appends the line of a failure: `failure LINE MESSAGE`, with `-` if it has no line.
fn write_failure(text: &mut String, failure: &Failure) {
    let line = format_optional(failure.line);
    let _ = writeln!(text, "failure {line} {}", to_single_line(&failure.message));
}

/// Appends the line of a program: `verdict STAGE INDEX`, followed by `accepted` or by `rejected
/// POSITION MESSAGE`.
fn write_verdict(text: &mut String, verdict: &Verdict) {
    let _ = write!(text, "verdict {} {} ", verdict.stage.name(), verdict.index);
    let _ = match &verdict.rejected {
        None => writeln!(text, "accepted"),
        Some(rejection) => writeln!(
            text,
            "rejected {} {}",
            format_optional(rejection.position),
            to_single_line(&rejection.message)
        ),
    };
}

/// Appends an observation: a line with the script's line, layout and subject, and lines with the
/// values. If one of the `previous` observations of this subject at a line has the same values, the
/// last such line is named instead.
fn write_observation(text: &mut String, observation: &Observation, previous: &[Observation]) {
    let _ = match observation.line {
        Some(line) => write!(text, "line {line} "),
        None => write!(text, "end "),
    };
    let subject = to_single_line(&observation.subject);
    match &observation.layout {
        ObservedLayout::Texels {
            format,
            width,
            origin: [x, y],
            probed_components: probed,
        } => {
            let height = observation.bytes.len() / (*width as usize * format.texel_size()).max(1);
            let _ = writeln!(
                text,
                "texels {:?} {width}x{height} at {x},{y} probed {probed} of {subject}",
                format.vk
            );
        }
        ObservedLayout::Values { scalar, offset } => {
            let (name, count) = (scalar.name(), observation.bytes.len() / scalar.size());
            let _ = writeln!(text, "values {name} {count} at {offset} of {subject}");
        }
        ObservedLayout::Words => {
            let _ = writeln!(text, "words {} of {subject}", observation.bytes.len() / 4);
        }
        ObservedLayout::Count => {
            let count = Scalar::U64.read_bits(&observation.bytes);
            let _ = writeln!(text, "count {count} of {subject}");
            return;
        }
    }
    let same = previous.iter().rev().find(|other| {
        other.subject == observation.subject
            && other.line.is_some()
            && has_same_bytes(other, observation)
    });
    match (same.and_then(|other| other.line), &observation.layout) {
        (Some(line), _) => {
            let _ = writeln!(text, "  same as line {line}");
        }
        (None, ObservedLayout::Texels { format, width, .. }) => {
            write_rows(text, &observation.bytes, format, *width);
        }
        (None, ObservedLayout::Values { scalar, offset }) => {
            let print = |bytes: &[u8]| print_scalar(*scalar, scalar.read_bits(bytes));
            write_values(text, &observation.bytes, scalar.size(), *offset, print);
        }
        (None, ObservedLayout::Words | ObservedLayout::Count) => {
            let print = |bytes: &[u8]| format!("{:08x}", Scalar::U32.read_bits(bytes));
            write_values(text, &observation.bytes, 4, 0, print);
        }
    }
}

/// Returns true if two observations have the same values in the same layout, regardless of the
/// number of probed components: one can represent the other.
fn has_same_bytes(a: &Observation, b: &Observation) -> bool {
    let same_layout = match (&a.layout, &b.layout) {
        (
            ObservedLayout::Texels {
                format,
                width,
                origin,
                ..
            },
            ObservedLayout::Texels {
                format: other_format,
                width: other_width,
                origin: other_origin,
                ..
            },
        ) => (format, width, origin) == (other_format, other_width, other_origin),
        (a, b) => a == b,
    };
    same_layout && a.bytes == b.bytes
}

/// Groups equal consecutive cells: returns each with its number of repetitions.
fn run_length_encode(cells: impl Iterator<Item = String>) -> Vec<(String, usize)> {
    let mut runs: Vec<(String, usize)> = Vec::new();
    for cell in cells {
        match runs.last_mut() {
            Some((last, count)) if *last == cell => *count += 1,
            _ => runs.push((cell, 1)),
        }
    }
    runs
}

/// Formats run-length encoded cells, separated by spaces; `*` and a count follow each cell that
/// repeats.
fn print_runs(runs: &[(String, usize)]) -> String {
    let print = |(cell, count): &(String, usize)| match count {
        1 => cell.clone(),
        _ => format!("{cell}*{count}"),
    };
    runs.iter().map(print).collect::<Vec<_>>().join(" ")
}

/// Appends the texels of an image of `width` texels; equal consecutive lines of the image share a
/// line of text.
fn write_rows(text: &mut String, bytes: &[u8], format: &Format, width: u32) {
    let row_bytes = (width as usize * format.texel_size()).max(1);
    let rows: Vec<&[u8]> = bytes.chunks_exact(row_bytes).collect();
    let mut first = 0;
    for group in rows.chunk_by(|a, b| a == b) {
        let last = first + group.len() - 1;
        let _ = match group.len() {
            1 => write!(text, "  {first}: "),
            _ => write!(text, "  {first}-{last}: "),
        };
        let cells = group[0].chunks_exact(format.texel_size());
        let row = run_length_encode(cells.map(|texel| print_texel(format, texel)));
        let _ = writeln!(text, "{}", print_runs(&row));
        first = last + 1;
    }
}

/// Formats the channels of a texel, separated by commas: floats as numbers, normalized numbers and
/// integers as the stored integers.
fn print_texel(format: &Format, texel: &[u8]) -> String {
    let print = |(offset, bits): (u32, u32)| {
        let value = read_bits(texel, offset, bits);
        match channel_text(format, bits) {
            ChannelText::Float(scalar) => print_scalar(scalar, value),
            ChannelText::Unsigned => value.to_string(),
            ChannelText::Signed => {
                let unused = 64 - bits;
                ((value << unused) as i64 >> unused).to_string()
            }
        }
    };
    let cells: Vec<String> = channel_bits(format).into_iter().map(print).collect();
    cells.join(",")
}

/// Returns a number as short as distinguishes it, without the bits of NaN.
fn print_scalar(scalar: Scalar, bits: u64) -> String {
    match scalar.decode(bits) {
        Value::Float(value) if value.is_nan() => "nan".to_owned(),
        Value::Float(_) | Value::Int(_) => scalar.print(bits),
    }
}

/// Appends the values of a buffer of `size` bytes each, at most [`VALUES_PER_LINE`] different ones
/// on a line; each line begins with the offset of its first byte, counted from `offset`.
fn write_values(
    text: &mut String,
    bytes: &[u8],
    size: usize,
    offset: u64,
    print: impl Fn(&[u8]) -> String,
) {
    let mut byte_offset = offset;
    for line in run_length_encode(bytes.chunks_exact(size).map(print)).chunks(VALUES_PER_LINE) {
        let _ = writeln!(text, "  {byte_offset}: {}", print_runs(line));
        let count: usize = line.iter().map(|(_, count)| count).sum();
        byte_offset += (count * size) as u64;
    }
}
