//! Commands that compare: `probe`, `relative probe`, `tolerance`.

use super::bindings::{COUNTER, parse_atomic_source};
use super::buffers::{parse_offset, parse_source, parse_values};
use super::command::{BufferId, Command};
use super::feedback::parse_xfb_probe;
use super::test::TestParser;
use super::words::{LineError, Words, parse_unsigned};
use crate::data::{DataLayout, DataType};
use crate::probe::pixels::{Expected, PixelProbe, Plane, Region, Surface};
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
        Some("atomic") if coordinates == Coordinates::Pixels => parse_atomic_probe(parser, words),
        Some("buffer" | "ssbo" | "ubo" | "counter") if coordinates == Coordinates::Pixels => {
            parse_buffer_probe(parser, words)
        }
        Some("all") if coordinates == Coordinates::Pixels => {
            words.word("all")?;
            let components = parse_components(words)?;
            let [width, height] = parser.framebuffer;
            push_color_probe(
                parser,
                Region {
                    x: 0,
                    y: 0,
                    width,
                    height,
                },
                components,
                words,
            )
        }
        Some("rect") => {
            words.word("rect")?;
            let components = parse_components(words)?;
            let region = parse_region(parser.framebuffer, coordinates, words)?;
            push_color_probe(parser, region, components, words)
        }
        Some("rgb" | "rgba") => {
            let components = parse_components(words)?;
            let region = parse_pixel(parser.framebuffer, coordinates, words)?;
            push_color_probe(parser, region, components, words)
        }
        _ => Err(words.error_at_next(
            "expected `all`, `rect`, `rgb`, `rgba`, `buffer`, `ssbo`, `ubo`, `counter` or `xfb`",
        )),
    }
}

fn parse_components(words: &mut Words<'_>) -> Result<usize, LineError> {
    words.parse_with("`rgb` or `rgba`", |word| match word {
        "rgb" => Some(3),
        "rgba" => Some(4),
        _ => None,
    })
}

/// Takes `X Y`; a relative coordinate of 1 means the last pixel.
fn parse_pixel(
    framebuffer: [u32; 2],
    coordinates: Coordinates,
    words: &mut Words<'_>,
) -> Result<Region, LineError> {
    let mut coordinate = |side: u32| match coordinates {
        Coordinates::Pixels => words.unsigned32("a coordinate"),
        Coordinates::Relative => {
            parse_relative_length(words, side).map(|pixel| pixel.min(side - 1))
        }
    };
    Ok(Region {
        x: coordinate(framebuffer[0])?,
        y: coordinate(framebuffer[1])?,
        width: 1,
        height: 1,
    })
}

/// Takes `X Y W H`.
fn parse_region(
    framebuffer: [u32; 2],
    coordinates: Coordinates,
    words: &mut Words<'_>,
) -> Result<Region, LineError> {
    let mut length = |side: u32| match coordinates {
        Coordinates::Pixels => words.unsigned32("a length in pixels"),
        Coordinates::Relative => parse_relative_length(words, side),
    };
    let [width, height] = framebuffer;
    Ok(Region {
        x: length(width)?,
        y: length(height)?,
        width: length(width)?,
        height: length(height)?,
    })
}

fn parse_relative_length(words: &mut Words<'_>, side: u32) -> Result<u32, LineError> {
    words.parse_with("a length from 0 to 1", |word| {
        let value: f32 = word
            .parse()
            .ok()
            .filter(|value| (0.0..=1.0).contains(value))?;
        Some((value * side as f32) as u32)
    })
}

fn push_color_probe(
    parser: &mut TestParser,
    region: Region,
    components: usize,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let mut color = [0.0; 4];
    for value in &mut color[..components] {
        *value = words.parse_with("a color component", parse_color_component)?;
    }
    let expected = Expected {
        values: color,
        components,
    };
    parser.push(
        words,
        Command::ProbePixels(PixelProbe {
            surface: Surface::of(Plane::Color(0)),
            region,
            expected,
            tolerances: parser.tolerances,
        }),
    )
}

/// Reads a number; a whole one may be hexadecimal with `0x`.
fn parse_color_component(word: &str) -> Option<f64> {
    let whole = || {
        parse_unsigned(word)
            .and_then(|value| u32::try_from(value).ok())
            .map(f64::from)
    };
    word.parse().ok().or_else(whole)
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
