//! Storage images: `image`, `probe image`, `print image`.

use super::parts::{Current, Filling, parse_below, parse_face, parse_part};
use crate::format::Format;
use crate::probe::pixels::{Expected, PixelProbe, Plane, Region, Surface};
use crate::script::command::{BoundImage, Command, ImageKey};
use crate::script::test::parser::{TestParser, UNITS};
use crate::script::test::pixel_probes::{Coordinates, parse_pixel, parse_region};
use crate::script::words::{LineError, Words, parse_component};
use crate::texture::{ImagePart, PlaneId, Shape, Start, find_target};
use glasm::ir::TexTarget;

/// Descriptor sets that a script can name.
const SETS: u32 = 8;

/// Bindings that a script can name.
const BINDINGS: u32 = 1024;

/// Levels and slices that a script can bind.
const MAX_LEVELS: u32 = 15;

const MAX_SLICES: u32 = 2048;

/// Parses `UNIT` or `SET:BINDING`.
fn parse_key(words: &mut Words<'_>) -> Result<ImageKey, LineError> {
    let what = format!("an image unit below {UNITS}, or SET:BINDING");
    words.parse_with(&what, |word| match word.split_once(':') {
        None => {
            let unit = word.parse().ok().filter(|unit| *unit < UNITS)?;
            Some(ImageKey::of_unit(unit))
        }
        Some((set, binding)) => Some(ImageKey {
            set: set.parse().ok().filter(|set| *set < SETS)?,
            binding: binding.parse().ok().filter(|binding| *binding < BINDINGS)?,
        }),
    })
}

/// Parses `image TARGET KEY [SELECTION] FORMAT (SIDES) [CONTENTS]`.
pub(crate) fn parse_image(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    let target = words.parse_with("a target", find_target)?;
    let key = parse_key(words)?;
    let current = Current {
        what: "image",
        shape: parser.units.images.get(&key).cloned(),
    };
    let update = parse_part(words, target, &current, Filling::Optional)?;
    let fixed = |known: &Shape| known.target == target;
    if update.start == Start::New && current.shape.as_ref().is_some_and(|known| !fixed(known)) {
        return Err(words.error_at_last("an image keeps its target for the whole script"));
    }
    parser.units.images.insert(key, update.shape.clone());
    parser.push(words, Command::Image { key, update })
}

/// Parses `bind image KEY KEY [level L] [layer N | face N | slice N] [format F]`, after `image`:
/// the image unit, and the image that a program accesses through it.
pub(crate) fn parse_bind_image(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let place = parse_key(words)?;
    let image = parse_key(words)?;
    let Some(shape) = parser.units.images.get(&image) else {
        return Err(words.error_at_last(format!("{image} is not set")));
    };
    // Parts that the image lacks can be bound; programs read zeros there.
    let (mut part, mut format) = (ImagePart::default(), None);
    while let Some(word) = words.peek() {
        match word {
            "level" => {
                words.word("`level`")?;
                part.level = parse_below(words, "a level", MAX_LEVELS)?;
            }
            "format" => {
                words.word("`format`")?;
                let what = "a color format of VkFormat";
                format = Some(words.parse_with(what, Format::parse)?);
            }
            "face" if shape.target == TexTarget::Cube => {
                words.word("`face`")?;
                part.slice = Some(parse_face(words)?);
            }
            "layer" | "face" | "slice" => {
                words.word(word)?;
                part.slice = Some(parse_below(words, "a layer", MAX_SLICES)?);
            }
            _ => break,
        }
    }
    let bound = BoundImage {
        image,
        part,
        format,
    };
    parser.push(words, Command::BindImage { place, bound })
}

/// Parses `KEY [level L] [layer N | face N | slice N] [sample N]`.
fn parse_plane(
    parser: &TestParser,
    words: &mut Words<'_>,
) -> Result<(ImageKey, PlaneId, [u32; 2]), LineError> {
    let key = parse_key(words)?;
    let Some(shape) = parser.units.images.get(&key) else {
        return Err(words.error_at_last(format!("{key} is not set")));
    };
    let (mut level, mut slice, mut sample) = (0, 0, 0);
    loop {
        match words.peek() {
            Some("level") => {
                words.word("`level`")?;
                level = parse_below(words, "a level", shape.levels)?;
            }
            Some("sample") => {
                words.word("`sample`")?;
                sample = parse_below(words, "a sample", shape.samples)?;
            }
            Some("face") if shape.target == TexTarget::Cube => {
                words.word("`face`")?;
                slice = parse_face(words)?;
            }
            Some(word @ ("layer" | "face" | "slice")) => {
                words.word(word)?;
                slice = parse_below(words, "a layer", shape.slices(level))?;
            }
            _ => break,
        }
    }
    // The level may be named after the slice, and have fewer slices than the one that was checked.
    if slice >= shape.slices(level) {
        return Err(
            words.error_at_last(format!("level {level} has {} slices", shape.slices(level)))
        );
    }
    let [width, height, _] = shape.level_extent(level);
    let plane = PlaneId {
        level,
        slice,
        sample,
    };
    Ok((key, plane, [width, height]))
}

/// Parses `probe image KEY [PLANE] all|rect|rgb|rgba ...`, after `image`.
pub(crate) fn parse_image_probe(
    parser: &mut TestParser,
    coordinates: Coordinates,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let (key, plane, size) = parse_plane(parser, words)?;
    let (region, components) = match words.peek() {
        Some("all") => {
            words.word("`all`")?;
            let [width, height] = size;
            let all = Region {
                x: 0,
                y: 0,
                width,
                height,
            };
            (all, parse_components(words)?)
        }
        Some("rect") => {
            words.word("`rect`")?;
            let components = parse_components(words)?;
            (parse_region(size, coordinates, words)?, components)
        }
        _ => {
            let components = parse_components(words)?;
            (parse_pixel(size, coordinates, words)?, components)
        }
    };
    let probe = PixelProbe {
        surface: Surface::of(Plane::Color(0)),
        region,
        expected: parse_expected(components, words)?,
        tolerances: parser.tolerances,
    };
    parser.push(words, Command::ProbeImage { key, plane, probe })
}

fn parse_components(words: &mut Words<'_>) -> Result<usize, LineError> {
    words.parse_with("`rgb` or `rgba`", |word| match word {
        "rgb" => Some(3),
        "rgba" => Some(4),
        _ => None,
    })
}

fn parse_expected(components: usize, words: &mut Words<'_>) -> Result<Expected, LineError> {
    let mut values = [0.0; 4];
    for value in &mut values[..components] {
        *value = words.parse_with("a color component", parse_component)?;
    }
    Ok(Expected { values, components })
}

/// Parses `print image KEY [PLANE]`, after `image`.
pub(crate) fn parse_image_print(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let (key, plane, _) = parse_plane(parser, words)?;
    parser.push(words, Command::PrintImage { key, plane })
}
