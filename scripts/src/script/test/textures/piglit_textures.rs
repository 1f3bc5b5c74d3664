//! Textures of piglit's generators, with piglit's sampler state.

use super::images::{self, GlFormat};
use super::texture_upload::{begin_texture, parse_unit, update_texture};
use super::texture_upload::{parse_below, parse_color, parse_quads};
use crate::format::Format;
use crate::script::test::parser::{TestParser, TextureUnits};
use crate::script::tokenizer::{LineError, WordCursor};
use crate::texture::{
    Contents, Pattern, Sampling, StoredComponents, Swizzle, TextureShape, TextureUpdate,
    UpdateKind, Wrap, find_target, target_name,
};
use ash::vk;
use glasm::ir::TexTarget;

const MAX_TEXTURE_SIZE: u32 = 16384;

/// Parses the words after `texture KIND` with a kind that is not a target, and appends the commands
/// that set the texture and its sampling. Returns an error for unknown kinds.
pub(super) fn parse_generated(
    parser: &mut TestParser,
    kind: &str,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    match kind {
        "rgbw" => parse_rgbw(parser, words),
        "checkerboard" => parse_checkerboard(parser, words),
        "quads" => parse_piglit_quads(parser, words),
        "miptree" => parse_miptree(parser, words),
        "integer" => parse_integer(parser, words),
        "junk" => parse_junk(parser, words),
        "storage" => parse_storage(parser, words),
        "shadow1D" => parse_shadow(parser, TexTarget::D1, words),
        "shadow2D" => parse_shadow(parser, TexTarget::D2, words),
        "shadowRect" => parse_shadow(parser, TexTarget::Rect, words),
        "shadow1DArray" => parse_shadow(parser, TexTarget::D1Array, words),
        "shadow2DArray" => parse_shadow(parser, TexTarget::D2Array, words),
        "shadowCube" => parse_shadow(parser, TexTarget::Cube, words),
        "shadowCubeArray" => parse_shadow(parser, TexTarget::CubeArray, words),
        _ => Err(words.error_at_last(format!("textures of kind `{kind}` are not supported"))),
    }
}

/// Returns a shape of one level and sample. Panics if the format does not exist.
fn single_level_shape(
    target: TexTarget,
    format: &str,
    sides: [u32; 3],
    layers: u32,
) -> TextureShape {
    TextureShape {
        target,
        format: Format::parse_color_or_depth(format).expect("the formats of this file exist"),
        extent: sides,
        levels: 1,
        layers,
        samples: 1,
    }
}

/// Consumes the `N` sides of a texture, in texels, each from 1 to [`MAX_TEXTURE_SIZE`].
fn parse_size<const N: usize>(words: &mut WordCursor<'_>) -> Result<[u32; N], LineError> {
    let mut sides = [1; N];
    for side in &mut sides {
        *side = words.parse_with("a side from 1 to 16384", |word| {
            word.parse()
                .ok()
                .filter(|side| (1..=MAX_TEXTURE_SIZE).contains(side))
        })?;
    }
    Ok(sides)
}

/// Consumes the name of a GL internal format, such as `GL_RGBA8`, and returns its entry in the
/// table of formats. Returns an error if it is not supported.
fn parse_gl_format(words: &mut WordCursor<'_>) -> Result<&'static GlFormat, LineError> {
    words.parse_with(
        "an internal format of GL that is supported",
        images::find_gl_format,
    )
}

/// Returns the sampling of most of piglit's textures: the initial one of the script with
/// coordinates clamped to the edge.
fn clamped_sampling(parser: &TestParser) -> Sampling {
    Sampling {
        wrap: [Wrap::ClampToEdge; 3],
        ..parser.initial_sampling
    }
}

/// Begins a texture whose levels are all filled, and appends the commands for it. Returns an error
/// if the texture exceeds the size limit, or if words remain.
fn begin_full_texture(
    parser: &mut TestParser,
    words: &WordCursor<'_>,
    unit: u32,
    update: TextureUpdate,
    sampling: Sampling,
) -> Result<(), LineError> {
    if !update.shape.is_within_size_limit() {
        return Err(words.error_at_last("this texture is too large"));
    }
    begin_texture(parser, words, unit, update, sampling)
}

/// Parses the arguments of `texture rgbw UNIT (W, H) [GL_FORMAT]`, `texture rgbw 1D UNIT`, `texture
/// rgbw 3D UNIT`, `texture rgbw 2DArray UNIT (W, H, LAYERS)` or `texture rgbw 1DArray UNIT (W,
/// LAYERS)`, and begins the texture; arrays have one color for each layer. Returns an error for
/// other targets.
fn parse_rgbw(parser: &mut TestParser, words: &mut WordCursor<'_>) -> Result<(), LineError> {
    let target = words.peek().and_then(find_target);
    if target.is_some() {
        words.next_word("a target")?;
    }
    let sampling = clamped_sampling(parser);
    let quarters = Pattern::Rgbw(StoredComponents::All);
    let rgba8 = |target, sides, layers| single_level_shape(target, "R8G8B8A8_UNORM", sides, layers);
    let (unit, shape, pattern) = match target {
        None => return parse_rgbw_plane(parser, words),
        Some(TexTarget::D1) => {
            let unit = parse_unit(parser, words)?;
            (unit, rgba8(TexTarget::D1, [4, 1, 1], 1), quarters)
        }
        Some(TexTarget::D3) => {
            let unit = parse_unit(parser, words)?;
            (unit, rgba8(TexTarget::D3, [2, 2, 2], 1), quarters)
        }
        Some(target @ TexTarget::D1Array) => {
            let unit = parse_unit(parser, words)?;
            let [width, layers] = parse_size(words)?;
            (unit, rgba8(target, [width, 1, 1], layers), Pattern::Layers)
        }
        Some(target @ TexTarget::D2Array) => {
            let unit = parse_unit(parser, words)?;
            let [width, height, layers] = parse_size(words)?;
            (
                unit,
                rgba8(target, [width, height, 1], layers),
                Pattern::Layers,
            )
        }
        Some(
            target @ (TexTarget::D2
            | TexTarget::Cube
            | TexTarget::Rect
            | TexTarget::CubeArray
            | TexTarget::Buffer
            | TexTarget::D2Multisample
            | TexTarget::D2MultisampleArray),
        ) => {
            let target = target_name(target);
            let message =
                format!("for this target write `texture {target} UNIT FORMAT (SIZE) rgbw`");
            return Err(words.error_at_last(message));
        }
    };
    let update = TextureUpdate::full_texture(shape, Some(Contents::Pattern(pattern)));
    begin_full_texture(parser, words, unit, update, sampling)
}

/// Parses `UNIT (W, H) [GL_FORMAT]` of `texture rgbw`, and begins a two-dimensional texture with a
/// color in each quarter. The default format is `R8G8B8A8_UNORM`.
fn parse_rgbw_plane(parser: &mut TestParser, words: &mut WordCursor<'_>) -> Result<(), LineError> {
    let unit = parse_unit(parser, words)?;
    let [width, height] = parse_size(words)?;
    let row = match words.peek() {
        Some(_) => Some(parse_gl_format(words)?),
        None => None,
    };
    let format = row.map_or("R8G8B8A8_UNORM", |row| row.format);
    let stored = row.map_or(StoredComponents::All, GlFormat::stored_components);
    let shape = single_level_shape(TexTarget::D2, format, [width, height, 1], 1);
    let update = TextureUpdate::full_texture(shape, Some(Contents::Pattern(Pattern::Rgbw(stored))));
    let sampling = Sampling {
        swizzle: row.map_or(Swizzle::IDENTITY, |row| row.swizzle),
        ..clamped_sampling(parser)
    };
    begin_full_texture(parser, words, unit, update, sampling)
}

/// Parses the arguments of `texture checkerboard UNIT LEVEL (W, H) (R, G, B, A) (R, G, B, A)`, and
/// sets the level to fields of half the width and height; the first color is at texture coordinate
/// (0, 0).
fn parse_checkerboard(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let (unit, level, sides) = parse_level_and_size(parser, words)?;
    let (even, odd) = (parse_color(words)?, parse_color(words)?);
    let pattern = Pattern::Quads {
        colors: [even, odd, odd, even],
        field: sides.map(|side| (side / 2).max(1)),
    };
    set_level(parser, words, unit, level, sides, pattern)
}

/// Parses the arguments of `texture quads UNIT LEVEL (W, H) (FIELD_W, FIELD_H) COLOR COLOR COLOR
/// COLOR`, and sets the level.
fn parse_piglit_quads(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let (unit, level, sides) = parse_level_and_size(parser, words)?;
    let pattern = parse_quads(words)?;
    set_level(parser, words, unit, level, sides, pattern)
}

/// Consumes `UNIT LEVEL (W, H)`, the common arguments of patterns that fill one level, and makes
/// the unit the active one.
fn parse_level_and_size(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(u32, u32, [u32; 2]), LineError> {
    let unit = parse_unit(parser, words)?;
    let level = parse_below(words, "a level", 15)?;
    Ok((unit, level, parse_size(words)?))
}

/// Appends the commands that fill a level with a pattern: level 0 begins a texture, with piglit's
/// red border; others extend it. Returns an error if a level does not have half the size of the
/// previous one, if the texture is too large, or if words remain.
fn set_level(
    parser: &mut TestParser,
    words: &WordCursor<'_>,
    unit: u32,
    level: u32,
    [width, height]: [u32; 2],
    pattern: Pattern,
) -> Result<(), LineError> {
    let whole = single_level_shape(TexTarget::D2, "R8G8B8A8_UNORM", [width, height, 1], 1);
    let mut update = TextureUpdate::full_texture(whole, Some(Contents::Pattern(pattern)));
    if level > 0 {
        // piglit specifies each level in a separate line.
        update.kind = UpdateKind::Extend;
        update.shape = find_parent_level(&parser.units, unit, level, [width, height, 1])
            .map_err(|message| words.error_at_last(message))?;
        update.levels = level..level + 1;
    }
    if !update.shape.is_within_size_limit() {
        return Err(words.error_at_last("this texture is too large"));
    }
    let sampling = Sampling {
        wrap: [Wrap::ClampToBorder; 3],
        border_color: [1.0, 0.0, 0.0, 1.0],
        ..parser.initial_sampling
    };
    update_texture(parser, words, unit, update, sampling)
}

/// Returns the shape of a unit's texture extended by a level. Returns an error if the unit has no
/// two-dimensional texture of the default format, or if the level or its extent does not follow
/// from it.
fn find_parent_level(
    units: &TextureUnits,
    unit: u32,
    level: u32,
    extent: [u32; 3],
) -> Result<TextureShape, String> {
    let existing = units.units.get(&unit).and_then(|unit| unit.shape.as_ref());
    let shape = existing.filter(|shape| {
        let plain = shape.target == TexTarget::D2 && shape.format.vk == vk::Format::R8G8B8A8_UNORM;
        plain && level <= shape.levels && level < shape.max_levels()
    });
    match shape {
        Some(shape) if shape.level_extent(level) == extent => Ok(TextureShape {
            levels: shape.levels.max(level + 1),
            ..shape.clone()
        }),
        _ => Err(format!(
            "texture image unit {unit}: level {level} does not follow from level 0"
        )),
    }
}

/// Parses the argument of `texture miptree UNIT`, and begins a texture of 8 x 8 texels and four
/// levels: red, green, blue and white.
fn parse_miptree(parser: &mut TestParser, words: &mut WordCursor<'_>) -> Result<(), LineError> {
    let unit = parse_unit(parser, words)?;
    let shape = TextureShape {
        levels: 4,
        ..single_level_shape(TexTarget::D2, "R8G8B8A8_UNORM", [8, 8, 1], 1)
    };
    let sampling = Sampling {
        mipmap_mode: Some(vk::SamplerMipmapMode::NEAREST),
        ..clamped_sampling(parser)
    };
    let update = TextureUpdate::full_texture(shape, Some(Contents::Pattern(Pattern::Levels)));
    begin_full_texture(parser, words, unit, update, sampling)
}

/// Parses the arguments of `texture integer UNIT (W, H) (B, A) GL_FORMAT`, and begins a texture
/// with a pattern of integers. Returns an error for other formats.
fn parse_integer(parser: &mut TestParser, words: &mut WordCursor<'_>) -> Result<(), LineError> {
    let unit = parse_unit(parser, words)?;
    let [width, height] = parse_size(words)?;
    let mut more = [0.0; 2];
    for number in &mut more {
        *number = f64::from(words.parse_number::<i32>("a whole number")?);
    }
    let row = parse_gl_format(words)?;
    let shape = single_level_shape(TexTarget::D2, row.format, [width, height, 1], 1);
    let channels = row.channel_count(&shape.format);
    let pattern = Pattern::Integers { more, channels };
    if !shape.format.encoding.is_integer() {
        return Err(words.error_at_last("expected a format of integers"));
    }
    let sampling = Sampling {
        swizzle: row.swizzle,
        ..clamped_sampling(parser)
    };
    let update = TextureUpdate::full_texture(shape, Some(Contents::Pattern(pattern)));
    begin_full_texture(parser, words, unit, update, sampling)
}

/// Parses the arguments of `texture junk 2DArray UNIT (W, H, LAYERS)`, and begins the texture,
/// whose contents are undefined in piglit and zeros here.
fn parse_junk(parser: &mut TestParser, words: &mut WordCursor<'_>) -> Result<(), LineError> {
    words.parse_with("`2DArray`", |word| (word == "2DArray").then_some(()))?;
    let unit = parse_unit(parser, words)?;
    let [width, height, layers] = parse_size(words)?;
    let sides = [width, height, 1];
    let shape = single_level_shape(TexTarget::D2Array, "R8G8B8A8_UNORM", sides, layers);
    let sampling = parser.initial_sampling;
    begin_full_texture(
        parser,
        words,
        unit,
        TextureUpdate::full_texture(shape, None),
        sampling,
    )
}

/// Parses the arguments of `texture storage UNIT TARGET GL_FORMAT (LEVELS SIDES...)`, and begins
/// the texture, filled with zeros. Returns an error for incomplete cubes and too many levels.
fn parse_storage(parser: &mut TestParser, words: &mut WordCursor<'_>) -> Result<(), LineError> {
    let unit = parse_unit(parser, words)?;
    let target = words.parse_with("a target", |word| {
        find_target(word).filter(|target| !target.is_multisample() && *target != TexTarget::Buffer)
    })?;
    let row = parse_gl_format(words)?;
    let levels = parse_below(words, "a number of levels", 16)?;
    let [width] = parse_size(words)?;
    let (extent, layers) = match target {
        TexTarget::D1 | TexTarget::Buffer => ([width, 1, 1], 1),
        TexTarget::D1Array => ([width, 1, 1], parse_size::<1>(words)?[0]),
        TexTarget::D2 | TexTarget::Rect | TexTarget::D2Multisample => {
            ([width, parse_size::<1>(words)?[0], 1], 1)
        }
        TexTarget::Cube => ([width, parse_size::<1>(words)?[0], 1], 6),
        TexTarget::D3 => {
            let [height, depth] = parse_size(words)?;
            ([width, height, depth], 1)
        }
        TexTarget::D2Array | TexTarget::CubeArray | TexTarget::D2MultisampleArray => {
            let [height, layers] = parse_size(words)?;
            ([width, height, 1], layers)
        }
    };
    let is_cube = target.is_cube();
    if is_cube && (extent[0] != extent[1] || layers % 6 != 0) {
        return Err(words.error_at_last("cubes have six square faces"));
    }
    let shape = TextureShape {
        levels,
        ..single_level_shape(target, row.format, extent, layers)
    };
    if !(1..=shape.max_levels()).contains(&levels) {
        let most = shape.max_levels();
        return Err(words.error_at_last(format!("a texture of this size has 1 to {most} levels")));
    }
    let sampling = Sampling {
        swizzle: row.swizzle,
        ..parser.initial_sampling
    };
    begin_full_texture(
        parser,
        words,
        unit,
        TextureUpdate::full_texture(shape, None),
        sampling,
    )
}

/// Parses the arguments of `texture shadow2D UNIT (W, H)` and of the other shadow targets, and
/// begins the texture: depths from 0 at the left edge to 1 at the right one, compared with
/// `greater`.
fn parse_shadow(
    parser: &mut TestParser,
    target: TexTarget,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let unit = parse_unit(parser, words)?;
    let (extent, layers) = match target {
        TexTarget::D1 => ([parse_size::<1>(words)?[0], 1, 1], 1),
        TexTarget::D1Array => {
            let [width, layers] = parse_size(words)?;
            ([width, 1, 1], layers)
        }
        TexTarget::D2Array | TexTarget::CubeArray => {
            let [width, height, layers] = parse_size(words)?;
            ([width, height, 1], layers)
        }
        TexTarget::D2
        | TexTarget::Rect
        | TexTarget::Cube
        | TexTarget::D3
        | TexTarget::Buffer
        | TexTarget::D2Multisample
        | TexTarget::D2MultisampleArray => {
            let [width, height] = parse_size(words)?;
            let layers = if target == TexTarget::Cube { 6 } else { 1 };
            ([width, height, 1], layers)
        }
    };
    let is_cube = target.is_cube();
    if is_cube && (extent[0] != extent[1] || layers % 6 != 0) {
        return Err(words.error_at_last("cubes have six square faces"));
    }
    let shape = single_level_shape(target, "D32_SFLOAT", extent, layers);
    let sampling = Sampling {
        compare_enable: true,
        compare_op: vk::CompareOp::GREATER,
        ..clamped_sampling(parser)
    };
    let update = TextureUpdate::full_texture(shape, Some(Contents::Pattern(Pattern::Ramp)));
    begin_full_texture(parser, words, unit, update, sampling)
}
