//! Commands that compare: `probe`, `relative probe`, `tolerance`.

use super::buffers::{parse_atomic_probe, parse_buffer_probe};
use super::feedback::{parse_count, parse_xfb_probe};
use super::parser::TestParser;
use super::pixel_probes::{Coordinates, parse_pixel_probe};
use super::queries::{parse_components_probe, parse_count_probe, parse_parameter_probe};
use super::textures::images::parse_image_probe;
use crate::probe::Tolerance;
use crate::script::command::Command;
use crate::script::words::{LineError, Words};

/// Parses `relative probe ...`.
pub(super) fn parse_relative(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    words.parse_with("`probe`", |word| (word == "probe").then_some(()))?;
    parse_probe(parser, Coordinates::Relative, words)
}

/// Parses the rest of `probe ...`.
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
            parse_image_probe(parser, coordinates, words)
        }
        _ => parse_pixel_probe(parser, coordinates, words),
    }
}

/// Parses `tolerance T` or `tolerance T T T T`.
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
