//! Commands that compare: `probe`, `relative probe`, `tolerance`.

use super::bindings::{COUNTER, parse_atomic_source};
use super::buffers::{parse_offset, parse_source, parse_values};
use super::command::{BufferId, Command};
use super::feedback::{parse_count, parse_xfb_probe};
use super::pixel_probes::parse_pixel_probe;
use super::queries::{parse_components_probe, parse_count_probe, parse_parameter_probe};
use super::test::TestParser;
use super::textures;
use super::words::{LineError, Words};
use crate::data::{DataLayout, DataType};
use crate::probe::{Comparison, Tolerance};

/// What coordinates count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Coordinates {
    Pixels,
    /// 0 to 1 over the framebuffer.
    Relative,
}

/// `relative probe ...`
pub(super) fn parse_relative(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    words.parse_with("`probe`", |word| (word == "probe").then_some(()))?;
    parse_probe(parser, Coordinates::Relative, words)
}

/// The rest of `probe ...`.
pub(super) fn parse_probe(
    parser: &mut TestParser,
    coordinates: Coordinates,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    match words.peek() {
        Some("xfb") if coordinates == Coordinates::Pixels => {
            words.word("xfb")?;
            parse_xfb_probe(parser, words)
        }
        Some("samples") if coordinates == Coordinates::Pixels => {
            words.word("samples")?;
            let (comparison, expected) = parse_count(words)?;
            let command = Command::ProbeSamples {
                comparison,
                expected,
            };
            parser.push(words, command)
        }
        Some("atomic") if coordinates == Coordinates::Pixels => parse_atomic_probe(parser, words),
        Some("buffer" | "ssbo" | "ubo" | "counter") if coordinates == Coordinates::Pixels => {
            parse_buffer_probe(parser, words)
        }
        Some("components") if coordinates == Coordinates::Pixels => {
            words.word("components")?;
            parse_components_probe(parser, words)
        }
        Some("count") if coordinates == Coordinates::Pixels => {
            words.word("count")?;
            parse_count_probe(parser, words)
        }
        Some("parameter") if coordinates == Coordinates::Pixels => {
            words.word("parameter")?;
            parse_parameter_probe(parser, words)
        }
        Some("image") => {
            words.word("image")?;
            textures::parse_image_probe(parser, coordinates, words)
        }
        _ => parse_pixel_probe(parser, coordinates, words),
    }
}

/// `probe buffer NAME TYPE OFFSET OP VALUES...`, `probe ssbo|ubo|counter TYPE BINDING OFFSET OP VALUES...`
fn parse_buffer_probe(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    let (buffer, ty, layout) = parse_source(parser, words)?;
    let offset = parse_offset(words)?;
    let comparison = words.parse_with("a comparison", Comparison::parse)?;
    push_buffer_probe(parser, (buffer, offset), (ty, layout), comparison, words)
}

/// `probe atomic counter [buffer BINDING] INDEX OP VALUE`, as in piglit.
fn parse_atomic_probe(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    words.word("`atomic`")?;
    let place = parse_atomic_source(parser, words)?;
    let comparison = words.parse_with("a comparison", Comparison::parse)?;
    let values = (COUNTER, DataLayout::STD430);
    push_buffer_probe(parser, place, values, comparison, words)
}

/// The rest of a probe of a place in a buffer: the expected values.
pub(super) fn push_buffer_probe(
    parser: &mut TestParser,
    (buffer, offset): (BufferId, u64),
    (ty, layout): (DataType, DataLayout),
    comparison: Comparison,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let expected = parse_values(words, ty, layout, offset)?;
    parser.push(
        words,
        Command::ProbeBuffer {
            buffer,
            expected,
            comparison,
            tolerances: parser.tolerances,
        },
    )
}

/// `tolerance T` or `tolerance T T T T`
pub(super) fn parse_tolerance(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let mut tolerance = || words.parse_with("a tolerance", Tolerance::parse);
    let first = tolerance()?;
    let mut tolerances = [first; 4];
    if !words.is_empty() {
        for component in &mut tolerances[1..] {
            *component = words.parse_with("a tolerance", Tolerance::parse)?;
        }
    }
    parser.tolerances = tolerances;
    words.finish()
}
