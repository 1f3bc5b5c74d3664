//! Pixels and rectangles of pictures.

use crate::probe::pixels::Region;
use crate::script::words::{LineError, Words};

/// What coordinates count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Coordinates {
    Pixels,
    /// 0 to 1 over the framebuffer.
    Relative,
}

/// Takes `X Y`; a relative coordinate of 1 means the last pixel.
pub(super) fn parse_pixel(
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
pub(super) fn parse_region(
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
