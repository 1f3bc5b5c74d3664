//! Writes recordings.

use super::{Cell, HEAD, Recording, cell_of, fields};
use crate::data::{Scalar, Value};
use crate::format::{Format, read_bits};
use crate::observation::{Observation, ObservedLayout, Verdict};
use crate::outcome::{Failure, Outcome};
use std::fmt::Write;

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// Different values on one line of a buffer.
const VALUES_PER_LINE: usize = 8;

impl Recording {
    /// Returns the recording as text.
    pub fn to_text(&self) -> String {
        let driver = &self.driver;
        let mut text = format!("{HEAD}\n");
        let _ = writeln!(text, "script {}", one_line(&self.script));
        let _ = writeln!(text, "text {:016x}", self.digest);
        for (word, value) in [
            ("api", &driver.api),
            ("device", &driver.device),
            ("driver", &driver.driver),
        ] {
            let _ = writeln!(text, "{word} {}", one_line(value));
        }
        match &self.outcome {
            Outcome::Pass => text.push_str("outcome pass\n"),
            Outcome::Fail => text.push_str("outcome fail\n"),
            Outcome::Skip(reason) => {
                let _ = writeln!(text, "outcome skip {}", one_line(reason));
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

/// Returns the first line of a string, with spaces in place of control characters.
fn one_line(text: &str) -> String {
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

fn number_or_dash(number: Option<impl ToString>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| number.to_string())
}

fn write_failure(text: &mut String, failure: &Failure) {
    let line = number_or_dash(failure.line);
    let _ = writeln!(text, "failure {line} {}", one_line(&failure.message));
}

fn write_verdict(text: &mut String, verdict: &Verdict) {
    let _ = write!(text, "verdict {} {} ", verdict.stage.name(), verdict.number);
    let _ = match &verdict.rejected {
        None => writeln!(text, "accepted"),
        Some(rejection) => writeln!(
            text,
            "rejected {} {}",
            number_or_dash(rejection.position),
            one_line(&rejection.message)
        ),
    };
}

fn write_observation(text: &mut String, seen: &Observation, before: &[Observation]) {
    let _ = match seen.line {
        Some(line) => write!(text, "line {line} "),
        None => write!(text, "end "),
    };
    let subject = one_line(&seen.subject);
    match &seen.layout {
        ObservedLayout::Texels {
            format,
            width,
            origin: [x, y],
            probed,
        } => {
            let height = seen.bytes.len() / (*width as usize * format.size()).max(1);
            let _ = writeln!(
                text,
                "texels {:?} {width}x{height} at {x},{y} probed {probed} of {subject}",
                format.vk
            );
        }
        ObservedLayout::Values { scalar, offset } => {
            let (name, count) = (scalar.name(), seen.bytes.len() / scalar.size());
            let _ = writeln!(text, "values {name} {count} at {offset} of {subject}");
        }
        ObservedLayout::Words => {
            let _ = writeln!(text, "words {} of {subject}", seen.bytes.len() / 4);
        }
        ObservedLayout::Count => {
            let count = Scalar::U64.read(&seen.bytes);
            let _ = writeln!(text, "count {count} of {subject}");
            return;
        }
    }
    let same = before.iter().rev().find(|other| {
        other.subject == seen.subject && other.line.is_some() && has_same_bytes(other, seen)
    });
    match (same.and_then(|other| other.line), &seen.layout) {
        (Some(line), _) => {
            let _ = writeln!(text, "  same as line {line}");
        }
        (None, ObservedLayout::Texels { format, width, .. }) => {
            write_rows(text, &seen.bytes, format, *width);
        }
        (None, ObservedLayout::Values { scalar, offset }) => {
            let print = |bytes: &[u8]| print_scalar(*scalar, scalar.read(bytes));
            write_values(text, &seen.bytes, scalar.size(), *offset, print);
        }
        (None, ObservedLayout::Words | ObservedLayout::Count) => {
            let print = |bytes: &[u8]| format!("{:08x}", Scalar::U32.read(bytes));
            write_values(text, &seen.bytes, 4, 0, print);
        }
    }
}

/// Returns true if two observations have the same values: one can represent the other.
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

/// Returns the cells with repetitions: `1,0*3 0,0`.
fn runs(cells: impl Iterator<Item = String>) -> Vec<(String, usize)> {
    let mut runs: Vec<(String, usize)> = Vec::new();
    for cell in cells {
        match runs.last_mut() {
            Some((last, count)) if *last == cell => *count += 1,
            _ => runs.push((cell, 1)),
        }
    }
    runs
}

fn print_runs(runs: &[(String, usize)]) -> String {
    let print = |(cell, count): &(String, usize)| match count {
        1 => cell.clone(),
        _ => format!("{cell}*{count}"),
    };
    runs.iter().map(print).collect::<Vec<_>>().join(" ")
}

/// Writes rows of texels; equal rows share a line.
fn write_rows(text: &mut String, bytes: &[u8], format: &Format, width: u32) {
    let row_bytes = (width as usize * format.size()).max(1);
    let rows: Vec<&[u8]> = bytes.chunks_exact(row_bytes).collect();
    let mut first = 0;
    for group in rows.chunk_by(|a, b| a == b) {
        let last = first + group.len() - 1;
        let _ = match group.len() {
            1 => write!(text, "  {first}: "),
            _ => write!(text, "  {first}-{last}: "),
        };
        let cells = group[0].chunks_exact(format.size());
        let row = runs(cells.map(|texel| print_texel(format, texel)));
        let _ = writeln!(text, "{}", print_runs(&row));
        first = last + 1;
    }
}

fn print_texel(format: &Format, texel: &[u8]) -> String {
    let print = |(offset, bits): (u32, u32)| {
        let value = read_bits(texel, offset, bits);
        match cell_of(format, bits) {
            Cell::Float(scalar) => print_scalar(scalar, value),
            Cell::Unsigned => value.to_string(),
            Cell::Signed => {
                let unused = 64 - bits;
                ((value << unused) as i64 >> unused).to_string()
            }
        }
    };
    let cells: Vec<String> = fields(format).into_iter().map(print).collect();
    cells.join(",")
}

/// Returns a number as short as distinguishes it, without the bits of NaN.
fn print_scalar(scalar: Scalar, bits: u64) -> String {
    match scalar.value(bits) {
        Value::Float(value) if value.is_nan() => "nan".to_owned(),
        Value::Float(_) | Value::Int(_) => scalar.print(bits),
    }
}

/// Writes the values of a buffer; each line begins with the offset of its first byte.
fn write_values(
    text: &mut String,
    bytes: &[u8],
    size: usize,
    offset: u64,
    print: impl Fn(&[u8]) -> String,
) {
    let mut place = offset;
    for line in runs(bytes.chunks_exact(size).map(print)).chunks(VALUES_PER_LINE) {
        let _ = writeln!(text, "  {place}: {}", print_runs(line));
        let count: usize = line.iter().map(|(_, count)| count).sum();
        place += (count * size) as u64;
    }
}
