//! The general form of `texture` and `image`: the updated part of a texture, its format and size,
//! and its contents.

use crate::format::{Aspect, Format};
use crate::script::command::Command;
use crate::script::test::parser::{TEXTURE_IMAGE_UNITS, TestParser, TextureUnitState};
use crate::script::texel_literals::parse_texel;
use crate::script::tokenizer::{LineError, WordCursor};
use crate::texture::{
    Contents, Pattern, Sampling, StoredComponents, TextureShape, TextureUpdate, UpdateKind,
    target_name,
};
use glasm::ir::TexTarget;

const MAX_TEXTURE_SIZE: u32 = 16384;

const MAX_BUFFER_TEXELS: u32 = 1 << 26;

/// Default number of samples of a multisample texture: all devices support four.
const DEFAULT_SAMPLES: u32 = 4;

/// Texture unit or image that is being set.
#[derive(Clone, Debug)]
pub(super) struct UploadTarget {
    /// For messages.
    pub(super) what: &'static str,
    /// Shape of the current contents of the unit.
    pub(super) shape: Option<TextureShape>,
}

/// Presence of contents: required or optional.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ContentsPresence {
    Required,
    /// Zeros are the default.
    Optional,
}

/// Words between unit and format.
#[derive(Clone, Copy, Default, Debug)]
struct SubresourceSelection {
    level: Option<u32>,
    levels: Option<u32>,
    slice: Option<u32>,
    sample: Option<u32>,
    samples: Option<u32>,
}

/// Sizes as specified: those of one plane, and the number of planes if all are updated.
#[derive(Clone, Copy, Debug)]
struct SpecifiedSize {
    width: u32,
    height: u32,
    /// Depth or layers.
    planes: Option<u32>,
}

/// Consumes `[SELECTION] FORMAT (SIDES) [CONTENTS]`, the end of a command that updates a texture or
/// image, after its unit or key. Updates of parts extend the texture that `current` has from
/// previous commands, if it has the same target, format and samples; all others create one. Returns
/// an error if the part, its size or its contents do not fit.
pub(super) fn parse_update(
    words: &mut WordCursor<'_>,
    target: TexTarget,
    current: &UploadTarget,
    presence: ContentsPresence,
) -> Result<TextureUpdate, LineError> {
    let selection = parse_selection(words, target)?;
    let format = words.parse_with("a texture format of VkFormat", Format::parse_color_or_depth)?;
    let sides = parse_size(words, target, selection.slice)?;
    let mut update = resolve_update(target, selection, format, sides, current)
        .map_err(|message| words.error_at_last(message))?;
    update.contents = parse_contents(words, &update, presence)?;
    Ok(update)
}

/// Consumes the words that select a part of a texture: `level`, `layer`, `face`, `slice`, `sample`,
/// and the numbers of levels and samples. Returns an error for those that the target does not have,
/// and for `levels` with a level or slice.
fn parse_selection(
    words: &mut WordCursor<'_>,
    target: TexTarget,
) -> Result<SubresourceSelection, LineError> {
    let mut selection = SubresourceSelection::default();
    while let Some(word) = words.peek() {
        let allowed = match word {
            "level" | "levels" => !target.is_multisample(),
            "layer" => target.is_array(),
            "face" => target.is_cube(),
            "slice" => target == TexTarget::D3,
            "sample" | "samples" => target.is_multisample(),
            _ => break,
        };
        words.next_word("a selection")?;
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

/// Consumes a number below a limit. Returns an error that expects `what` for others.
pub(super) fn parse_below(
    words: &mut WordCursor<'_>,
    what: &str,
    limit: u32,
) -> Result<u32, LineError> {
    words.parse_below(&format!("{what} below {limit}"), limit)
}

/// Consumes the number of levels, from 1 to 15, or `all`, which is `u32::MAX`.
fn parse_levels(words: &mut WordCursor<'_>) -> Result<u32, LineError> {
    words.parse_with("a number of levels or `all`", |word| match word {
        "all" => Some(u32::MAX),
        _ => word.parse().ok().filter(|levels| (1..=15).contains(levels)),
    })
}

/// Consumes the number of samples of a texture: a power of two up to 64.
fn parse_samples(words: &mut WordCursor<'_>) -> Result<u32, LineError> {
    words.parse_with("a number of samples", |word| {
        let samples: u32 = word.parse().ok()?;
        (samples.is_power_of_two() && samples <= 64).then_some(samples)
    })
}

/// Consumes a face of a cube, by number or name, and returns its number in the order of GL and
/// Vulkan: +x -x +y -y +z -z.
pub(super) fn parse_face(words: &mut WordCursor<'_>) -> Result<u32, LineError> {
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

/// Consumes the sides of a texture in texels, as many as its target has, without the number of
/// layers or the depth if a `slice` is selected. Returns an error if one is not within the limit.
fn parse_size(
    words: &mut WordCursor<'_>,
    target: TexTarget,
    slice: Option<u32>,
) -> Result<SpecifiedSize, LineError> {
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
        MAX_BUFFER_TEXELS
    } else {
        MAX_TEXTURE_SIZE
    };
    let width = side(limit)?;
    let height = if is_line { 1 } else { side(limit)? };
    let has_planes = target.is_array() || target == TexTarget::D3;
    let planes = if has_planes && slice.is_none() {
        Some(side(limit)?)
    } else {
        None
    };
    Ok(SpecifiedSize {
        width,
        height,
        planes,
    })
}

/// Returns the update without contents: whether it extends the current texture or creates one, and
/// the shape afterwards. Returns an error that describes a mismatch with the current texture, or if
/// the texture is too large.
fn resolve_update(
    target: TexTarget,
    selection: SubresourceSelection,
    format: Format,
    sides: SpecifiedSize,
    current: &UploadTarget,
) -> Result<TextureUpdate, String> {
    check_target(target, &format, sides, current)?;
    let level = selection.level.unwrap_or(0);
    let is_part = level > 0 || selection.slice.is_some() || selection.sample.is_some();
    let existing = current.shape.as_ref().filter(|shape| {
        shape.target == target
            && shape.format == format
            && selection
                .samples
                .is_none_or(|samples| samples == shape.samples)
    });
    let (start, shape) = match existing.filter(|_| is_part) {
        Some(shape) => (
            UpdateKind::Extend,
            extend_shape(shape, level, selection.slice, sides)?,
        ),
        None if level > 0 => {
            let (what, target) = (current.what, target_name(target));
            return Err(format!(
                "there is no level 0 of a {target} {what} of this format"
            ));
        }
        None => (
            UpdateKind::Create,
            new_shape(target, selection, format, sides)?,
        ),
    };
    if !shape.is_within_size_limit() {
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
        (UpdateKind::Create, Some(_)) => 0..shape.levels,
        _ => level..level + 1,
    };
    Ok(TextureUpdate {
        kind: start,
        shape,
        levels,
        slice: selection.slice,
        sample: selection.sample,
        contents: None,
    })
}

/// Returns an error if the target does not permit the size or format, independently of the current
/// texture: cubes that are not square or not complete, depths of storage images, 3D and buffer
/// textures.
fn check_target(
    target: TexTarget,
    format: &Format,
    sides: SpecifiedSize,
    current: &UploadTarget,
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

/// Returns the shape of a texture that a command creates, with as many layers or slices as the
/// selected one needs. Returns an error if the texture cannot have so many levels.
fn new_shape(
    target: TexTarget,
    selection: SubresourceSelection,
    format: Format,
    sides: SpecifiedSize,
) -> Result<TextureShape, String> {
    let planes = sides.planes.or(selection.slice.map(|slice| slice + 1));
    let (depth, layers) = match target {
        TexTarget::D3 => (planes.unwrap_or(1), 1),
        TexTarget::Cube => (1, 6),
        TexTarget::CubeArray => (1, planes.unwrap_or(1).next_multiple_of(6)),
        TexTarget::D1Array | TexTarget::D2Array | TexTarget::D2MultisampleArray => {
            (1, planes.unwrap_or(1))
        }
        TexTarget::D1
        | TexTarget::D2
        | TexTarget::Rect
        | TexTarget::Buffer
        | TexTarget::D2Multisample => (1, 1),
    };
    let samples = if target.is_multisample() {
        selection.samples.unwrap_or(DEFAULT_SAMPLES)
    } else {
        1
    };
    let mut shape = TextureShape {
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
/// Returns an error if the part does not follow the existing ones, or if the size is not that of
/// the level.
fn extend_shape(
    shape: &TextureShape,
    level: u32,
    slice: Option<u32>,
    sides: SpecifiedSize,
) -> Result<TextureShape, String> {
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
            TexTarget::D1Array | TexTarget::D2Array | TexTarget::D2MultisampleArray => {
                shape.layers = shape.layers.max(slice + 1);
            }
            TexTarget::D1
            | TexTarget::D2
            | TexTarget::D3
            | TexTarget::Cube
            | TexTarget::Rect
            | TexTarget::Buffer
            | TexTarget::D2Multisample => {}
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

/// Consumes the texels or the pattern of an update; `None` without words if contents are optional.
/// Texels are values of the format, or colors after `colors`. Returns an error for a pattern that
/// does not suit the format.
fn parse_contents(
    words: &mut WordCursor<'_>,
    update: &TextureUpdate,
    presence: ContentsPresence,
) -> Result<Option<Contents>, LineError> {
    let format = &update.shape.format;
    let pattern = match words.peek() {
        None if presence == ContentsPresence::Optional => return Ok(None),
        Some("colors") => {
            words.next_word("`colors`")?;
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
                        let depth = words.parse_number("a depth")?;
                        texel.copy_from_slice(&format.encode([depth, 0.0, 0.0, 0.0]));
                    }
                }
                Ok(())
            })
            .map(Some);
        }
    };
    if !pattern.is_suitable_for(format) {
        return Err(words.error_at_last("this pattern does not suit the format"));
    }
    Ok(Some(Contents::Pattern(pattern)))
}

/// Returns true if a word that begins with an alphabetic character is a number, such as `inf`.
fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok()
}

/// Consumes `per_texel` words for each texel of an update with `parse`, which writes one texel over
/// zeros. Returns an error if the line has more or fewer words.
fn parse_texels(
    words: &mut WordCursor<'_>,
    update: &TextureUpdate,
    per_texel: usize,
    mut parse: impl FnMut(&mut WordCursor<'_>, &mut [u8]) -> Result<(), LineError>,
) -> Result<Contents, LineError> {
    let texels = update.texels() as usize;
    let expected = texels * per_texel;
    if words.remaining() != expected {
        let message = format!("expected {expected} values, got {}", words.remaining());
        return Err(words.error_at_next(message));
    }
    let size = update.shape.format.texel_size();
    let mut bytes = vec![0; texels * size];
    for texel in bytes.chunks_exact_mut(size) {
        parse(words, texel)?;
    }
    Ok(Contents::Texels(bytes))
}

/// Consumes four components of a color.
pub(super) fn parse_color(words: &mut WordCursor<'_>) -> Result<[f64; 4], LineError> {
    let mut color = [0.0; 4];
    for component in &mut color {
        *component = words.parse_number("a color component")?;
    }
    Ok(color)
}

/// Consumes the name and the arguments of a pattern that fills a texture. The fields of a
/// checkerboard have half the size of the first updated level.
fn parse_pattern(words: &mut WordCursor<'_>, update: &TextureUpdate) -> Result<Pattern, LineError> {
    let [width, height, _] = update.shape.level_extent(update.levels.start);
    Ok(match words.next_word("a pattern")? {
        "rgbw" => Pattern::Rgbw(StoredComponents::All),
        "levels" => Pattern::Levels,
        "layers" => Pattern::Layers,
        "ramp" => Pattern::Ramp,
        "gradient" => Pattern::Gradient,
        "coordinates" => Pattern::Coordinates,
        "grid" => Pattern::Grid,
        "noise" => Pattern::Noise,
        "bumps" => Pattern::Bumps,
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

/// Consumes width and height of fields in texels and four colors, and returns the pattern.
pub(super) fn parse_quads(words: &mut WordCursor<'_>) -> Result<Pattern, LineError> {
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

/// Consumes the index of a texture image unit, and makes that unit active for later `texparameter`
/// commands.
pub(super) fn parse_unit(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<u32, LineError> {
    let what = format!("a texture image unit below {TEXTURE_IMAGE_UNITS}");
    let unit = words.parse_with(&what, |word| {
        word.parse().ok().filter(|unit| *unit < TEXTURE_IMAGE_UNITS)
    })?;
    parser.units.active = unit;
    Ok(unit)
}

/// Appends the commands that begin a texture and set its sampling, and stores both for later lines.
/// Returns an error if words remain.
pub(super) fn begin_texture(
    parser: &mut TestParser,
    words: &WordCursor<'_>,
    unit: u32,
    update: TextureUpdate,
    sampling: Sampling,
) -> Result<(), LineError> {
    let shape = Some(update.shape.clone());
    parser.push_command(words, Command::Texture { unit, update })?;
    parser.push_command(words, Command::Sampling { unit, sampling })?;
    parser
        .units
        .units
        .insert(unit, TextureUnitState { shape, sampling });
    Ok(())
}

/// Appends the command that updates a texture, and stores its shape for later lines. `sampling` is
/// only used if the update begins a texture, or if the unit was not set. Returns an error if words
/// remain.
pub(super) fn update_texture(
    parser: &mut TestParser,
    words: &WordCursor<'_>,
    unit: u32,
    update: TextureUpdate,
    sampling: Sampling,
) -> Result<(), LineError> {
    if update.kind == UpdateKind::Create {
        return begin_texture(parser, words, unit, update, sampling);
    }
    let shape = Some(update.shape.clone());
    parser.units.get_or_insert(unit, sampling).shape = shape;
    parser.push_command(words, Command::Texture { unit, update })
}
