//! Commands about textures: `texture`, `texparameter`.

use super::command::{Command, TexParam, TextureImage};
use super::test::TestParser;
use super::texels::parse_texel;
use super::words::{LineError, Words};
use crate::format::Format;
use ash::vk;

/// Texture image units.
const UNITS: u32 = 32;
const MAX_SIDE: u32 = 8192;
const MAX_TEXELS: u64 = 1 << 24;

/// `texture KIND UNIT ...`
pub(super) fn parse_texture(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    match words.word("a kind of texture")? {
        "rgbw" => parse_rgbw(parser, words),
        "checkerboard" => parse_checkerboard(parser, words),
        "2D" => parse_texels(parser, words),
        kind => Err(words.error_at_last(format!("textures of kind `{kind}` are not supported"))),
    }
}

fn parse_unit(parser: &mut TestParser, words: &mut Words<'_>) -> Result<u32, LineError> {
    let what = format!("a texture image unit below {UNITS}");
    let unit = words.parse_with(&what, |word| word.parse().ok().filter(|unit| *unit < UNITS))?;
    parser.active_unit = unit;
    Ok(unit)
}

fn parse_level(words: &mut Words<'_>) -> Result<u32, LineError> {
    words.parse_with("a level below 14", |word| {
        word.parse().ok().filter(|level| *level < 14)
    })
}

fn parse_size(words: &mut Words<'_>) -> Result<(u32, u32), LineError> {
    let mut side = || {
        let what = "a side from 1 to 8192";
        words.parse_with(what, |word| {
            word.parse()
                .ok()
                .filter(|side| (1..=MAX_SIDE).contains(side))
        })
    };
    let (width, height) = (side()?, side()?);
    if u64::from(width) * u64::from(height) > MAX_TEXELS {
        return Err(words.error_at_last(format!("textures have at most {MAX_TEXELS} texels")));
    }
    Ok((width, height))
}

fn rgba8(color: [f32; 4]) -> [u8; 4] {
    color.map(|value| (value.clamp(0.0, 1.0) * 255.0).round() as u8)
}

/// A picture whose texels are a function of their coordinates.
fn generate(width: u32, height: u32, texel: impl Fn(u32, u32) -> [u8; 4]) -> TextureImage {
    let mut texels = Vec::with_capacity(width as usize * height as usize * 4);
    for y in 0..height {
        for x in 0..width {
            texels.extend(texel(x, y));
        }
    }
    let format = Format::parse("R8G8B8A8_UNORM").expect("the format exists");
    TextureImage {
        format,
        width,
        height,
        texels,
    }
}

/// `texture rgbw UNIT (W, H) [GL_RGBA]`: quadrants red, green / blue, white, all opaque; red is at texture coordinate (0, 0).
fn parse_rgbw(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    let unit = parse_unit(parser, words)?;
    let (width, height) = parse_size(words)?;
    if let Some(format) = words.peek() {
        words.word("a format")?;
        if !matches!(format, "GL_RGBA" | "GL_RGBA8") {
            return Err(words.error_at_last("only GL_RGBA and GL_RGBA8 are supported"));
        }
    }
    let image = generate(width, height, |x, y| {
        match (x < width / 2, y < height / 2) {
            (true, true) => [255, 0, 0, 255],
            (false, true) => [0, 255, 0, 255],
            (true, false) => [0, 0, 255, 255],
            (false, false) => [255; 4],
        }
    });
    parser.push(
        words,
        Command::Texture {
            unit,
            level: 0,
            image,
        },
    )
}

/// `texture checkerboard UNIT LEVEL (W, H) (R, G, B, A) (R, G, B, A)`: fields of half the width and height; the first color
/// is at texture coordinate (0, 0).
fn parse_checkerboard(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    let unit = parse_unit(parser, words)?;
    let level = parse_level(words)?;
    let (width, height) = parse_size(words)?;
    let colors = [
        rgba8(words.floats("a color component")?),
        rgba8(words.floats("a color component")?),
    ];
    let (field_width, field_height) = ((width / 2).max(1), (height / 2).max(1));
    let image = generate(width, height, |x, y| {
        colors[(((x / field_width) ^ (y / field_height)) & 1) as usize]
    });
    parser.push(words, Command::Texture { unit, level, image })
}

/// `texture 2D UNIT FORMAT (W, H) VALUES...`: the contents of all channels, texel by texel, row 0 first.
fn parse_texels(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    let unit = parse_unit(parser, words)?;
    let format = words.parse_with("a color format of VkFormat", Format::parse)?;
    let (width, height) = parse_size(words)?;
    let values = if format.packed {
        1
    } else {
        format.channels.len()
    };
    let expected = width as usize * height as usize * values;
    if words.remaining() != expected {
        let message = format!("expected {expected} values, got {}", words.remaining());
        return Err(words.error_at_next(message));
    }
    let mut texels = vec![0; width as usize * height as usize * format.size()];
    for texel in texels.chunks_exact_mut(format.size()) {
        parse_texel(&format, words, texel)?;
    }
    let image = TextureImage {
        format,
        width,
        height,
        texels,
    };
    parser.push(
        words,
        Command::Texture {
            unit,
            level: 0,
            image,
        },
    )
}

const FILTERS: &[(&str, vk::Filter, Option<vk::SamplerMipmapMode>)] = &[
    ("nearest", vk::Filter::NEAREST, None),
    ("linear", vk::Filter::LINEAR, None),
    (
        "nearest_mipmap_nearest",
        vk::Filter::NEAREST,
        Some(vk::SamplerMipmapMode::NEAREST),
    ),
    (
        "linear_mipmap_nearest",
        vk::Filter::LINEAR,
        Some(vk::SamplerMipmapMode::NEAREST),
    ),
    (
        "nearest_mipmap_linear",
        vk::Filter::NEAREST,
        Some(vk::SamplerMipmapMode::LINEAR),
    ),
    (
        "linear_mipmap_linear",
        vk::Filter::LINEAR,
        Some(vk::SamplerMipmapMode::LINEAR),
    ),
];

const WRAPS: &[(&str, vk::SamplerAddressMode)] = &[
    ("repeat", vk::SamplerAddressMode::REPEAT),
    ("clamp_to_edge", vk::SamplerAddressMode::CLAMP_TO_EDGE),
    ("clamp_to_border", vk::SamplerAddressMode::CLAMP_TO_BORDER),
    ("mirrored_repeat", vk::SamplerAddressMode::MIRRORED_REPEAT),
];

fn parse_wrap(words: &mut Words<'_>) -> Result<vk::SamplerAddressMode, LineError> {
    words.parse_with("a wrap mode", |word| {
        WRAPS
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, wrap)| *wrap)
    })
}

/// `texparameter 2D NAME VALUE`: for the unit that the last `texture` command named.
pub(super) fn parse_texparameter(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    words.parse_with("`2D`", |word| (word == "2D").then_some(()))?;
    let param = match words.word("a texture parameter")? {
        "min" => {
            let find = |word: &str| FILTERS.iter().find(|(name, ..)| *name == word);
            let (_, filter, between) = words.parse_with("a filter", find)?;
            TexParam::Min(*filter, *between)
        }
        "mag" => {
            let find = |word: &str| FILTERS[..2].iter().find(|(name, ..)| *name == word);
            TexParam::Mag(words.parse_with("a filter", find)?.1)
        }
        "wrap_s" => TexParam::WrapS(parse_wrap(words)?),
        "wrap_t" => TexParam::WrapT(parse_wrap(words)?),
        "wrap_r" => TexParam::WrapR(parse_wrap(words)?),
        name => {
            return Err(words.error_at_last(format!("texture parameter `{name}` is not supported")));
        }
    };
    parser.push(
        words,
        Command::TexParam {
            unit: parser.active_unit,
            param,
        },
    )
}
