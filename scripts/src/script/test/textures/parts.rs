//! The general form of `texture` and `image`: the updated part of a texture, its format and size,
//! and its contents.

use crate::format::{Aspect, Format};
use crate::script::texels::parse_texel;
use crate::script::words::{LineError, Words};
use crate::texture::{Contents, Pattern, Shape, Start, Stored, Update, target_name};
use glasm::ir::TexTarget;

const MAX_SIDE: u32 = 16384;

const MAX_BUFFER: u32 = 1 << 26;

/// Default number of samples of a multisample texture: all devices support four.
const DEFAULT_SAMPLES: u32 = 4;

/// Texture unit or image that is being set.
#[derive(Clone, Debug)]
pub(super) struct Current {
    /// For messages.
    pub(super) what: &'static str,
    /// Shape of the current contents of the unit.
    pub(super) shape: Option<Shape>,
}

/// Presence of contents: required or optional.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Filling {
    Required,
    /// Zeros are the default.
    Optional,
}

/// Words between unit and format.
#[derive(Clone, Copy, Default, Debug)]
struct Selection {
    level: Option<u32>,
    levels: Option<u32>,
    slice: Option<u32>,
    sample: Option<u32>,
    samples: Option<u32>,
}

/// Sizes as specified: those of one plane, and the number of planes if all are updated.
#[derive(Clone, Copy, Debug)]
struct Sides {
    width: u32,
    height: u32,
    /// Depth or layers.
    planes: Option<u32>,
}

/// Reads the rest of the command.
pub(super) fn parse_part(
    words: &mut Words<'_>,
    target: TexTarget,
    current: &Current,
    filling: Filling,
) -> Result<Update, LineError> {
    let selection = parse_selection(words, target)?;
    let format = words.parse_with("a texture format of VkFormat", Format::parse_texture)?;
    let sides = parse_sides(words, target, selection.slice)?;
    let mut update = place(target, selection, format, sides, current)
        .map_err(|message| words.error_at_last(message))?;
    update.contents = parse_contents(words, &update, filling)?;
    Ok(update)
}

fn parse_selection(words: &mut Words<'_>, target: TexTarget) -> Result<Selection, LineError> {
    let mut selection = Selection::default();
    while let Some(word) = words.peek() {
        let allowed = match word {
            "level" | "levels" => !target.is_multisample(),
            "layer" => target.is_array(),
            "face" => target.is_cube(),
            "slice" => target == TexTarget::D3,
            "sample" | "samples" => target.is_multisample(),
            _ => break,
        };
        words.word("a selection")?;
        if !allowed {
            let target = target_name(target);
            return Err(
                words.error_at_last(format!("textures of target {target} have no `{word}`"))
            );
        }
        match word {
            "level" => selection.level = Some(parse_below(words, "a level", 15)?),
            "levels" => selection.levels = Some(parse_levels(words)?),
            "face" if target == TexTarget::Cube => selection.slice = Some(parse_face(words)?),
            "sample" => selection.sample = Some(parse_below(words, "a sample", 64)?),
            "samples" => selection.samples = Some(parse_samples(words)?),
            _ => selection.slice = Some(parse_below(words, "a layer", 2048)?),
        }
    }
    if selection.levels.is_some() && (selection.level.is_some() || selection.slice.is_some()) {
        return Err(words.error_at_last("`levels` stands for a whole texture"));
    }
    Ok(selection)
}

/// Parses a number below a limit.
pub(super) fn parse_below(words: &mut Words<'_>, what: &str, limit: u32) -> Result<u32, LineError> {
    words.below(&format!("{what} below {limit}"), limit)
}

/// Parses a number, or all that the size allows.
fn parse_levels(words: &mut Words<'_>) -> Result<u32, LineError> {
    words.parse_with("a number of levels or `all`", |word| match word {
        "all" => Some(u32::MAX),
        _ => word.parse().ok().filter(|levels| (1..=15).contains(levels)),
    })
}

fn parse_samples(words: &mut Words<'_>) -> Result<u32, LineError> {
    words.parse_with("a number of samples", |word| {
        let samples: u32 = word.parse().ok()?;
        (samples.is_power_of_two() && samples <= 64).then_some(samples)
    })
}

/// Parses a face of a cube, by number or as GL and Vulkan order them: +x -x +y -y +z -z.
pub(super) fn parse_face(words: &mut Words<'_>) -> Result<u32, LineError> {
    const FACES: [&str; 6] = ["+x", "-x", "+y", "-y", "+z", "-z"];
    words.parse_with("a face", |word| {
        let named = || {
            FACES
                .iter()
                .position(|face| *face == word)
                .map(|at| at as u32)
        };
        named()
            .or_else(|| word.parse().ok())
            .filter(|face| *face < 6)
    })
}

fn parse_sides(
    words: &mut Words<'_>,
    target: TexTarget,
    slice: Option<u32>,
) -> Result<Sides, LineError> {
    let mut side = |limit: u32| {
        let what = format!("a side from 1 to {limit}");
        words.parse_with(&what, |word| {
            word.parse().ok().filter(|side| (1..=limit).contains(side))
        })
    };
    let is_line = matches!(
        target,
        TexTarget::D1 | TexTarget::D1Array | TexTarget::Buffer
    );
    let limit = if target == TexTarget::Buffer {
        MAX_BUFFER
    } else {
        MAX_SIDE
    };
    let width = side(limit)?;
    let height = if is_line { 1 } else { side(limit)? };
    let has_planes = target.is_array() || target == TexTarget::D3;
    let planes = if has_planes && slice.is_none() {
        Some(side(limit)?)
    } else {
        None
    };
    Ok(Sides {
        width,
        height,
        planes,
    })
}

/// Computes the shape of the texture after the update. The error message describes a mismatch.
fn place(
    target: TexTarget,
    selection: Selection,
    format: Format,
    sides: Sides,
    current: &Current,
) -> Result<Update, String> {
    check_target(target, &format, sides, current)?;
    let level = selection.level.unwrap_or(0);
    let is_part = level > 0 || selection.slice.is_some() || selection.sample.is_some();
    let known = current.shape.as_ref().filter(|shape| {
        shape.target == target
            && shape.format == format
            && selection
                .samples
                .is_none_or(|samples| samples == shape.samples)
    });
    let (start, shape) = match known.filter(|_| is_part) {
        Some(shape) => (Start::Add, extended(shape, level, selection.slice, sides)?),
        None if level > 0 => {
            let (what, target) = (current.what, target_name(target));
            return Err(format!(
                "there is no level 0 of a {target} {what} of this format"
            ));
        }
        None => (Start::New, new_shape(target, selection, format, sides)?),
    };
    if !shape.is_bearable() {
        return Err(format!("this {} is too large", current.what));
    }
    if let Some(sample) = selection.sample
        && sample >= shape.samples
    {
        return Err(format!(
            "the {} has {} samples",
            current.what, shape.samples
        ));
    }
    let levels = match (start, selection.levels) {
        (Start::New, Some(_)) => 0..shape.levels,
        _ => level..level + 1,
    };
    Ok(Update {
        start,
        shape,
        levels,
        slice: selection.slice,
        sample: selection.sample,
        contents: None,
    })
}

/// Checks that a target permits the update, independently of the texture that exists.
fn check_target(
    target: TexTarget,
    format: &Format,
    sides: Sides,
    current: &Current,
) -> Result<(), String> {
    if target.is_cube() && sides.width != sides.height {
        return Err("faces of cubes are square".to_owned());
    }
    if target == TexTarget::CubeArray && sides.planes.is_some_and(|layers| layers % 6 != 0) {
        return Err("arrays of cubes have six layers for each cube".to_owned());
    }
    if format.aspect == Aspect::Depth {
        if current.what == "image" {
            return Err("storage images have no depths".to_owned());
        }
        if matches!(target, TexTarget::D3 | TexTarget::Buffer) {
            let target = target_name(target);
            return Err(format!("textures of target {target} have no depths"));
        }
    }
    Ok(())
}

fn new_shape(
    target: TexTarget,
    selection: Selection,
    format: Format,
    sides: Sides,
) -> Result<Shape, String> {
    let planes = sides.planes.or(selection.slice.map(|slice| slice + 1));
    let (depth, layers) = match target {
        TexTarget::D3 => (planes.unwrap_or(1), 1),
        TexTarget::Cube => (1, 6),
        TexTarget::CubeArray => (1, planes.unwrap_or(1).next_multiple_of(6)),
        TexTarget::D1Array | TexTarget::D2Array | TexTarget::D2MsArray => (1, planes.unwrap_or(1)),
        TexTarget::D1 | TexTarget::D2 | TexTarget::Rect | TexTarget::Buffer | TexTarget::D2Ms => {
            (1, 1)
        }
    };
    let samples = if target.is_multisample() {
        selection.samples.unwrap_or(DEFAULT_SAMPLES)
    } else {
        1
    };
    let mut shape = Shape {
        target,
        format,
        extent: [sides.width, sides.height, depth],
        levels: 1,
        layers,
        samples,
    };
    let most = shape.max_levels();
    shape.levels = match selection.levels {
        None => 1,
        Some(u32::MAX) => most,
        Some(levels) if levels <= most => levels,
        Some(_) => return Err(format!("a texture of this size has at most {most} levels")),
    };
    Ok(shape)
}

/// Returns the shape with one more level, layer or slice, or unchanged if the part exists already.
fn extended(shape: &Shape, level: u32, slice: Option<u32>, sides: Sides) -> Result<Shape, String> {
    let mut shape = shape.clone();
    let most = shape.max_levels();
    if level > shape.levels || level >= most {
        return Err(format!(
            "level {level} does not follow: there are {} of at most {most} levels",
            shape.levels
        ));
    }
    shape.levels = shape.levels.max(level + 1);
    if let Some(slice) = slice {
        match shape.target {
            // The depth of level 0 determines the number of slices of the others, so it can only
            // grow while there is one level.
            TexTarget::D3 if shape.levels == 1 => shape.extent[2] = shape.extent[2].max(slice + 1),
            TexTarget::CubeArray => {
                shape.layers = shape.layers.max((slice + 1).next_multiple_of(6));
            }
            TexTarget::D1Array | TexTarget::D2Array | TexTarget::D2MsArray => {
                shape.layers = shape.layers.max(slice + 1);
            }
            TexTarget::D1
            | TexTarget::D2
            | TexTarget::D3
            | TexTarget::Cube
            | TexTarget::Rect
            | TexTarget::Buffer
            | TexTarget::D2Ms => {}
        }
        if slice >= shape.slices(level) {
            return Err(format!("level {level} has {} slices", shape.slices(level)));
        }
    }
    let [width, height, _] = shape.level_extent(level);
    let planes_fit = sides
        .planes
        .is_none_or(|planes| planes == shape.slices(level));
    if (sides.width, sides.height) != (width, height) || !planes_fit {
        let planes = match sides.planes {
            Some(_) => format!(" x {}", shape.slices(level)),
            None => String::new(),
        };
        return Err(format!("level {level} is {width} x {height}{planes}"));
    }
    Ok(shape)
}

/// Parses texels or a pattern.
fn parse_contents(
    words: &mut Words<'_>,
    update: &Update,
    filling: Filling,
) -> Result<Option<Contents>, LineError> {
    let format = &update.shape.format;
    let pattern = match words.peek() {
        None if filling == Filling::Optional => return Ok(None),
        Some("colors") => {
            words.word("`colors`")?;
            return parse_texels(words, update, 4, |words, texel| {
                texel.copy_from_slice(&format.encode(parse_color(words)?));
                Ok(())
            })
            .map(Some);
        }
        // Values such as `inf` and `nan` begin with an alphabetic character, too.
        Some(word) if word.starts_with(|c: char| c.is_ascii_alphabetic()) && !is_number(word) => {
            parse_pattern(words, update)?
        }
        _ => {
            let per_texel = if format.packed {
                1
            } else {
                format.channels.len()
            };
            return parse_texels(words, update, per_texel, |words, texel| {
                match format.aspect {
                    Aspect::Color => parse_texel(format, words, texel)?,
                    Aspect::Depth => {
                        let depth = words.number("a depth")?;
                        texel.copy_from_slice(&format.encode([depth, 0.0, 0.0, 0.0]));
                    }
                }
                Ok(())
            })
            .map(Some);
        }
    };
    if !pattern.suits(format) {
        return Err(words.error_at_last("this pattern does not suit the format"));
    }
    Ok(Some(Contents::Pattern(pattern)))
}

/// Returns true if a word that begins with an alphabetic character is a number, such as `inf`.
fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok()
}

fn parse_texels(
    words: &mut Words<'_>,
    update: &Update,
    per_texel: usize,
    mut parse: impl FnMut(&mut Words<'_>, &mut [u8]) -> Result<(), LineError>,
) -> Result<Contents, LineError> {
    let texels = update.texels() as usize;
    let expected = texels * per_texel;
    if words.remaining() != expected {
        let message = format!("expected {expected} values, got {}", words.remaining());
        return Err(words.error_at_next(message));
    }
    let size = update.shape.format.size();
    let mut bytes = vec![0; texels * size];
    for texel in bytes.chunks_exact_mut(size) {
        parse(words, texel)?;
    }
    Ok(Contents::Texels(bytes))
}

/// Parses four components.
pub(super) fn parse_color(words: &mut Words<'_>) -> Result<[f64; 4], LineError> {
    let mut color = [0.0; 4];
    for component in &mut color {
        *component = words.number("a color component")?;
    }
    Ok(color)
}

fn parse_pattern(words: &mut Words<'_>, update: &Update) -> Result<Pattern, LineError> {
    let [width, height, _] = update.shape.level_extent(update.levels.start);
    Ok(match words.word("a pattern")? {
        "rgbw" => Pattern::Rgbw(Stored::All),
        "levels" => Pattern::Levels,
        "layers" => Pattern::Layers,
        "ramp" => Pattern::Ramp,
        "gradient" => Pattern::Gradient,
        "coordinates" => Pattern::Coordinates,
        "solid" => Pattern::Solid(parse_color(words)?),
        "checkerboard" => {
            let (even, odd) = (parse_color(words)?, parse_color(words)?);
            Pattern::Quads {
                colors: [even, odd, odd, even],
                field: [(width / 2).max(1), (height / 2).max(1)],
            }
        }
        "quads" => parse_quads(words)?,
        word => return Err(words.error_at_last(format!("there is no pattern `{word}`"))),
    })
}

/// Parses width and height of fields and four colors.
pub(super) fn parse_quads(words: &mut Words<'_>) -> Result<Pattern, LineError> {
    let mut side = || {
        words.parse_with("the side of a field", |word| {
            word.parse().ok().filter(|side| *side > 0)
        })
    };
    let field = [side()?, side()?];
    let mut colors = [[0.0; 4]; 4];
    for color in &mut colors {
        *color = parse_color(words)?;
    }
    Ok(Pattern::Quads { colors, field })
}
