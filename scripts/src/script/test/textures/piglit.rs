//! Textures of piglit's generators, with piglit's sampler state.

use super::begin::{begin, parse_unit, set_part};
use super::gl_formats::{self, GlFormat};
use super::parts::{parse_below, parse_color, parse_quads};
use crate::format::Format;
use crate::script::test::parser::{TestParser, Units};
use crate::script::words::{LineError, Words};
use crate::texture::{
    Contents, Pattern, Sampling, Shape, Start, Stored, Swizzle, Update, Wrap, find_target,
    target_name,
};
use ash::vk;
use glasm::ir::TexTarget;

const MAX_SIDE: u32 = 16384;

/// Parses `texture KIND ...` with a kind that is not a target.
pub(super) fn parse_generated(
    parser: &mut TestParser,
    kind: &str,
    words: &mut Words<'_>,
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

/// Returns a shape of one level and sample.
fn shape(target: TexTarget, format: &str, sides: [u32; 3], layers: u32) -> Shape {
    Shape {
        target,
        format: Format::parse_texture(format).expect("the formats of this file exist"),
        extent: sides,
        levels: 1,
        layers,
        samples: 1,
    }
}

fn parse_sides<const N: usize>(words: &mut Words<'_>) -> Result<[u32; N], LineError> {
    let mut sides = [1; N];
    for side in &mut sides {
        *side = words.parse_with("a side from 1 to 16384", |word| {
            word.parse()
                .ok()
                .filter(|side| (1..=MAX_SIDE).contains(side))
        })?;
    }
    Ok(sides)
}

fn parse_gl_format(words: &mut Words<'_>) -> Result<&'static GlFormat, LineError> {
    words.parse_with(
        "an internal format of GL that is supported",
        gl_formats::find,
    )
}

/// Returns the sampling of most of piglit's textures: nearest filters, coordinates clamped to the
/// edge.
fn clamped(parser: &TestParser) -> Sampling {
    Sampling {
        wrap: [Wrap::ClampToEdge; 3],
        ..parser.initial_sampling
    }
}

fn begin_whole(
    parser: &mut TestParser,
    words: &Words<'_>,
    unit: u32,
    update: Update,
    sampling: Sampling,
) -> Result<(), LineError> {
    if !update.shape.is_bearable() {
        return Err(words.error_at_last("this texture is too large"));
    }
    begin(parser, words, unit, update, sampling)
}

/// Parses `texture rgbw UNIT (W, H) [GL_FORMAT]`, `texture rgbw 1D UNIT`, `texture rgbw 3D UNIT`,
/// `texture rgbw 2DArray UNIT (W, H, LAYERS)`, `texture rgbw 1DArray UNIT (W, LAYERS)`; the arrays
/// have one color for each layer.
fn parse_rgbw(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    let target = words.peek().and_then(find_target);
    if target.is_some() {
        words.word("a target")?;
    }
    let sampling = clamped(parser);
    let quarters = Pattern::Rgbw(Stored::All);
    let rgba8 = |target, sides, layers| shape(target, "R8G8B8A8_UNORM", sides, layers);
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
            let [width, layers] = parse_sides(words)?;
            (unit, rgba8(target, [width, 1, 1], layers), Pattern::Layers)
        }
        Some(target @ TexTarget::D2Array) => {
            let unit = parse_unit(parser, words)?;
            let [width, height, layers] = parse_sides(words)?;
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
            | TexTarget::D2Ms
            | TexTarget::D2MsArray),
        ) => {
            let target = target_name(target);
            let message =
                format!("for this target write `texture {target} UNIT FORMAT (SIZE) rgbw`");
            return Err(words.error_at_last(message));
        }
    };
    let update = Update::whole(shape, Some(Contents::Pattern(pattern)));
    begin_whole(parser, words, unit, update, sampling)
}

fn parse_rgbw_plane(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    let unit = parse_unit(parser, words)?;
    let [width, height] = parse_sides(words)?;
    let row = match words.peek() {
        Some(_) => Some(parse_gl_format(words)?),
        None => None,
    };
    let format = row.map_or("R8G8B8A8_UNORM", |row| row.format);
    let stored = row.map_or(Stored::All, GlFormat::stored);
    let shape = shape(TexTarget::D2, format, [width, height, 1], 1);
    let update = Update::whole(shape, Some(Contents::Pattern(Pattern::Rgbw(stored))));
    let sampling = Sampling {
        swizzle: row.map_or(Swizzle::IDENTITY, |row| row.swizzle),
        ..clamped(parser)
    };
    begin_whole(parser, words, unit, update, sampling)
}

/// Parses `texture checkerboard UNIT LEVEL (W, H) (R, G, B, A) (R, G, B, A)`: fields of half the
/// width and height; the first color is at texture coordinate (0, 0).
fn parse_checkerboard(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    let (unit, level, sides) = parse_level_and_sides(parser, words)?;
    let (even, odd) = (parse_color(words)?, parse_color(words)?);
    let pattern = Pattern::Quads {
        colors: [even, odd, odd, even],
        field: sides.map(|side| (side / 2).max(1)),
    };
    set_level(parser, words, unit, level, sides, pattern)
}

/// Parses `texture quads UNIT LEVEL (W, H) (FIELD_W, FIELD_H) COLOR COLOR COLOR COLOR`.
fn parse_piglit_quads(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    let (unit, level, sides) = parse_level_and_sides(parser, words)?;
    let pattern = parse_quads(words)?;
    set_level(parser, words, unit, level, sides, pattern)
}

fn parse_level_and_sides(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(u32, u32, [u32; 2]), LineError> {
    let unit = parse_unit(parser, words)?;
    let level = parse_below(words, "a level", 15)?;
    Ok((unit, level, parse_sides(words)?))
}

/// Sets a level: level 0 begins a texture; others add to it, and must have half its size.
fn set_level(
    parser: &mut TestParser,
    words: &Words<'_>,
    unit: u32,
    level: u32,
    [width, height]: [u32; 2],
    pattern: Pattern,
) -> Result<(), LineError> {
    let whole = shape(TexTarget::D2, "R8G8B8A8_UNORM", [width, height, 1], 1);
    let mut update = Update::whole(whole, Some(Contents::Pattern(pattern)));
    if level > 0 {
        // piglit specifies each level in a separate line.
        update.start = Start::Add;
        update.shape = level_above(&parser.units, unit, level, [width, height, 1])
            .map_err(|message| words.error_at_last(message))?;
        update.levels = level..level + 1;
    }
    if !update.shape.is_bearable() {
        return Err(words.error_at_last("this texture is too large"));
    }
    let sampling = Sampling {
        wrap: [Wrap::ClampToBorder; 3],
        border: [1.0, 0.0, 0.0, 1.0],
        ..parser.initial_sampling
    };
    set_part(parser, words, unit, update, sampling)
}

fn level_above(units: &Units, unit: u32, level: u32, extent: [u32; 3]) -> Result<Shape, String> {
    let known = units.units.get(&unit).and_then(|unit| unit.shape.as_ref());
    let shape = known.filter(|shape| {
        let plain = shape.target == TexTarget::D2 && shape.format.vk == vk::Format::R8G8B8A8_UNORM;
        plain && level <= shape.levels && level < shape.max_levels()
    });
    match shape {
        Some(shape) if shape.level_extent(level) == extent => Ok(Shape {
            levels: shape.levels.max(level + 1),
            ..shape.clone()
        }),
        _ => Err(format!(
            "texture image unit {unit}: level {level} does not follow from level 0"
        )),
    }
}

/// Parses `texture miptree UNIT`: 8 x 8 texels and all levels, red, green, blue and white.
fn parse_miptree(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    let unit = parse_unit(parser, words)?;
    let shape = Shape {
        levels: 4,
        ..shape(TexTarget::D2, "R8G8B8A8_UNORM", [8, 8, 1], 1)
    };
    let sampling = Sampling {
        between_levels: Some(vk::SamplerMipmapMode::NEAREST),
        ..clamped(parser)
    };
    let update = Update::whole(shape, Some(Contents::Pattern(Pattern::Levels)));
    begin_whole(parser, words, unit, update, sampling)
}

/// Parses `texture integer UNIT (W, H) (B, A) GL_FORMAT`.
fn parse_integer(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    let unit = parse_unit(parser, words)?;
    let [width, height] = parse_sides(words)?;
    let mut more = [0.0; 2];
    for number in &mut more {
        *number = f64::from(words.number::<i32>("a whole number")?);
    }
    let row = parse_gl_format(words)?;
    let shape = shape(TexTarget::D2, row.format, [width, height, 1], 1);
    let channels = row.channels(&shape.format);
    let pattern = Pattern::Integers { more, channels };
    if !shape.format.encoding.is_integer() {
        return Err(words.error_at_last("expected a format of integers"));
    }
    let sampling = Sampling {
        swizzle: row.swizzle,
        ..clamped(parser)
    };
    let update = Update::whole(shape, Some(Contents::Pattern(pattern)));
    begin_whole(parser, words, unit, update, sampling)
}

/// Parses `texture junk 2DArray UNIT (W, H, LAYERS)`: undefined contents; here zeros.
fn parse_junk(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    words.parse_with("`2DArray`", |word| (word == "2DArray").then_some(()))?;
    let unit = parse_unit(parser, words)?;
    let [width, height, layers] = parse_sides(words)?;
    let sides = [width, height, 1];
    let shape = shape(TexTarget::D2Array, "R8G8B8A8_UNORM", sides, layers);
    let sampling = parser.initial_sampling;
    begin_whole(parser, words, unit, Update::whole(shape, None), sampling)
}

/// Parses `texture storage UNIT TARGET GL_FORMAT (LEVELS SIDES...)`: zeros.
fn parse_storage(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    let unit = parse_unit(parser, words)?;
    let target = words.parse_with("a target", |word| {
        find_target(word).filter(|target| !target.is_multisample() && *target != TexTarget::Buffer)
    })?;
    let row = parse_gl_format(words)?;
    let levels = parse_below(words, "a number of levels", 16)?;
    let [width] = parse_sides(words)?;
    let (extent, layers) = match target {
        TexTarget::D1 | TexTarget::Buffer => ([width, 1, 1], 1),
        TexTarget::D1Array => ([width, 1, 1], parse_sides::<1>(words)?[0]),
        TexTarget::D2 | TexTarget::Rect | TexTarget::D2Ms => {
            ([width, parse_sides::<1>(words)?[0], 1], 1)
        }
        TexTarget::Cube => ([width, parse_sides::<1>(words)?[0], 1], 6),
        TexTarget::D3 => {
            let [height, depth] = parse_sides(words)?;
            ([width, height, depth], 1)
        }
        TexTarget::D2Array | TexTarget::CubeArray | TexTarget::D2MsArray => {
            let [height, layers] = parse_sides(words)?;
            ([width, height, 1], layers)
        }
    };
    let is_cube = target.is_cube();
    if is_cube && (extent[0] != extent[1] || layers % 6 != 0) {
        return Err(words.error_at_last("cubes have six square faces"));
    }
    let shape = Shape {
        levels,
        ..shape(target, row.format, extent, layers)
    };
    if !(1..=shape.max_levels()).contains(&levels) {
        let most = shape.max_levels();
        return Err(words.error_at_last(format!("a texture of this size has 1 to {most} levels")));
    }
    let sampling = Sampling {
        swizzle: row.swizzle,
        ..parser.initial_sampling
    };
    begin_whole(parser, words, unit, Update::whole(shape, None), sampling)
}

/// Parses `texture shadow2D UNIT (W, H)` and the other shadow targets: depths from 0 at the left
/// edge to 1 at the right one, compared with `greater`.
fn parse_shadow(
    parser: &mut TestParser,
    target: TexTarget,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let unit = parse_unit(parser, words)?;
    let (extent, layers) = match target {
        TexTarget::D1 => ([parse_sides::<1>(words)?[0], 1, 1], 1),
        TexTarget::D1Array => {
            let [width, layers] = parse_sides(words)?;
            ([width, 1, 1], layers)
        }
        TexTarget::D2Array | TexTarget::CubeArray => {
            let [width, height, layers] = parse_sides(words)?;
            ([width, height, 1], layers)
        }
        TexTarget::D2
        | TexTarget::Rect
        | TexTarget::Cube
        | TexTarget::D3
        | TexTarget::Buffer
        | TexTarget::D2Ms
        | TexTarget::D2MsArray => {
            let [width, height] = parse_sides(words)?;
            let layers = if target == TexTarget::Cube { 6 } else { 1 };
            ([width, height, 1], layers)
        }
    };
    let is_cube = target.is_cube();
    if is_cube && (extent[0] != extent[1] || layers % 6 != 0) {
        return Err(words.error_at_last("cubes have six square faces"));
    }
    let shape = shape(target, "D32_SFLOAT", extent, layers);
    let sampling = Sampling {
        compares: true,
        compare: vk::CompareOp::GREATER,
        ..clamped(parser)
    };
    let update = Update::whole(shape, Some(Contents::Pattern(Pattern::Ramp)));
    begin_whole(parser, words, unit, update, sampling)
}
