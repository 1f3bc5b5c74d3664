//! `texparameter` and `active_texture`.

use super::begin::parse_unit;
use super::parts::{parse_below, parse_color};
use crate::script::command::{Command, Switch};
use crate::script::test::parser::{TestParser, UNITS};
use crate::script::words::{LineError, Words};
use crate::texture::{DepthMode, Sampling, SrgbDecode, Swizzle, Wrap, find_target, target_name};
use ash::vk;
use glasm::fixed_function::BaseFormat;

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

const WRAPS: &[(&str, Wrap)] = &[
    ("repeat", Wrap::Repeat),
    ("clamp", Wrap::Clamp),
    ("clamp_to_edge", Wrap::ClampToEdge),
    ("clamp_to_border", Wrap::ClampToBorder),
    ("mirrored_repeat", Wrap::MirroredRepeat),
    ("mirror_clamp", Wrap::MirrorClamp),
    ("mirror_clamp_to_border", Wrap::MirrorClampToBorder),
    ("mirror_clamp_to_edge", Wrap::MirrorClampToEdge),
];

const COMPARISONS: &[(&str, vk::CompareOp)] = &[
    ("never", vk::CompareOp::NEVER),
    ("less", vk::CompareOp::LESS),
    ("equal", vk::CompareOp::EQUAL),
    ("lequal", vk::CompareOp::LESS_OR_EQUAL),
    ("greater", vk::CompareOp::GREATER),
    ("notequal", vk::CompareOp::NOT_EQUAL),
    ("gequal", vk::CompareOp::GREATER_OR_EQUAL),
    ("always", vk::CompareOp::ALWAYS),
];

const DEPTH_MODES: &[(&str, DepthMode)] = &[
    ("luminance", DepthMode::Luminance),
    ("intensity", DepthMode::Intensity),
    ("alpha", DepthMode::Alpha),
    ("red", DepthMode::Red),
];

const SWIZZLES: &[(&str, Swizzle)] = &[
    ("red", Swizzle::Component(0)),
    ("green", Swizzle::Component(1)),
    ("blue", Swizzle::Component(2)),
    ("alpha", Swizzle::Component(3)),
    ("zero", Swizzle::Zero),
    ("one", Swizzle::One),
];

/// Parses a word of a table.
fn parse_row<T: Copy>(
    words: &mut Words<'_>,
    what: &str,
    table: &[(&str, T)],
) -> Result<T, LineError> {
    words.parse_with(what, |word| {
        let found = table.iter().find(|(name, _)| *name == word);
        found.map(|(_, value)| *value)
    })
}

/// Parses `active_texture UNIT`: the unit that `texparameter` changes.
pub(crate) fn parse_active_texture(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    parse_unit(parser, words)?;
    words.finish()
}

/// Number of texture coordinate sets, and thus of units for draws without programs.
const FIXED_UNITS: u32 = 8;

/// Parses `enable GL_TEXTURE_2D`: for the unit that the last `texture` or `active_texture` named.
pub(crate) fn parse_texture_enable(
    parser: &mut TestParser,
    name: &str,
    switch: Switch,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let unit = parser.units.active;
    if unit >= FIXED_UNITS {
        let message = format!("texture image unit {unit} is for programs only");
        return Err(words.error_at_last(message));
    }
    let enables = parser.units.enables.entry(unit).or_default();
    if enables.set(name, switch).is_none() {
        return Err(words.error_at_last(format!("`{name}` is not supported")));
    }
    let enables = *enables;
    parser.push(words, Command::TextureEnables { unit, enables })
}

/// Parses `texparameter TARGET NAME VALUE`: for the unit that the last `texture` or
/// `active_texture` named.
pub(crate) fn parse_texparameter(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let target = words.parse_with("a target", find_target)?;
    let number = parser.units.active;
    debug_assert!(number < UNITS, "units are checked where they are named");
    let initial = parser.initial_sampling;
    let unit = parser.units.unit(number, initial);
    if let Some(shape) = &unit.shape
        && shape.target != target
    {
        let held = target_name(shape.target);
        let message = format!("texture image unit {number} holds a texture of target {held}");
        return Err(words.error_at_last(message));
    }
    set_parameter(&mut unit.sampling, words)?;
    let sampling = unit.sampling;
    let unit = number;
    parser.push(words, Command::Sampling { unit, sampling })
}

/// Base formats: signed HILO or not, and the base format for draws without programs.
const BASE_FORMATS: &[(&str, (bool, Option<BaseFormat>))] = &[
    ("own", (false, None)),
    ("signed_hilo", (true, None)),
    ("alpha", (false, Some(BaseFormat::Alpha))),
    ("luminance", (false, Some(BaseFormat::Luminance))),
    ("luminance_alpha", (false, Some(BaseFormat::LuminanceAlpha))),
    ("intensity", (false, Some(BaseFormat::Intensity))),
    ("rgb", (false, Some(BaseFormat::Rgb))),
    ("rgba", (false, Some(BaseFormat::Rgba))),
];

fn set_parameter(sampling: &mut Sampling, words: &mut Words<'_>) -> Result<(), LineError> {
    match words.word("a texture parameter")? {
        "min" => {
            let find = |word: &str| FILTERS.iter().find(|(name, ..)| *name == word);
            let (_, filter, between) = words.parse_with("a filter", find)?;
            (sampling.min, sampling.between_levels) = (*filter, *between);
        }
        "mag" => {
            // A texture that is magnified is read from one level: GL 2.1 section 3.8.9.
            let find = |word: &str| FILTERS[..2].iter().find(|(name, ..)| *name == word);
            sampling.mag = words.parse_with("a filter", find)?.1;
        }
        "wrap_s" => sampling.wrap[0] = parse_row(words, "a wrap mode", WRAPS)?,
        "wrap_t" => sampling.wrap[1] = parse_row(words, "a wrap mode", WRAPS)?,
        "wrap_r" => sampling.wrap[2] = parse_row(words, "a wrap mode", WRAPS)?,
        "border_color" => sampling.border = parse_color(words)?,
        "compare_mode" => {
            let modes = [("none", false), ("ref_to_texture", true)];
            sampling.compares = parse_row(words, "`none` or `ref_to_texture`", &modes)?;
        }
        "compare_func" => sampling.compare = parse_row(words, "a comparison", COMPARISONS)?,
        "depth_mode" => {
            let mode = parse_row(words, "a depth mode", DEPTH_MODES)?;
            (sampling.depth_mode, sampling.compared_mode) = (mode, mode);
        }
        "base_format" => {
            let (hilo, format) = parse_row(words, "a base format", BASE_FORMATS)?;
            (sampling.signed_hilo, sampling.base_format) = (hilo, format);
        }
        "lod_bias" => sampling.lod_bias = parse_finite(words)?,
        "min_lod" => sampling.min_lod = parse_finite(words)?,
        "max_lod" => sampling.max_lod = parse_finite(words)?,
        "base_level" => sampling.base_level = parse_below(words, "a level", 1001)?,
        "max_level" => sampling.max_level = parse_below(words, "a level", 1001)?,
        "max_anisotropy" => {
            sampling.anisotropy = words.parse_with("a number from 1 on", |word| {
                word.parse()
                    .ok()
                    .filter(|value: &f32| (1.0..=1024.0).contains(value))
            })?;
        }
        "swizzle_r" => sampling.swizzle[0] = parse_row(words, "a component", SWIZZLES)?,
        "swizzle_g" => sampling.swizzle[1] = parse_row(words, "a component", SWIZZLES)?,
        "swizzle_b" => sampling.swizzle[2] = parse_row(words, "a component", SWIZZLES)?,
        "swizzle_a" => sampling.swizzle[3] = parse_row(words, "a component", SWIZZLES)?,
        "swizzle" => {
            let what = "four letters of `rgba01`";
            sampling.swizzle = words.parse_with(what, read_swizzle)?;
        }
        "srgb_decode" => {
            let modes = [("decode", SrgbDecode::Decode), ("skip", SrgbDecode::Skip)];
            sampling.srgb_decode = parse_row(words, "`decode` or `skip`", &modes)?;
        }
        name => {
            return Err(words.error_at_last(format!("texture parameter `{name}` is not supported")));
        }
    }
    Ok(())
}

fn parse_finite(words: &mut Words<'_>) -> Result<f32, LineError> {
    words.parse_with("a number", |word| {
        word.parse().ok().filter(|value: &f32| value.is_finite())
    })
}

/// Parses a swizzle of four characters such as `bgr1`.
fn read_swizzle(word: &str) -> Option<[Swizzle; 4]> {
    let letters: Option<Vec<Swizzle>> = word
        .chars()
        .map(|letter| match letter {
            'r' | 'x' => Some(Swizzle::Component(0)),
            'g' | 'y' => Some(Swizzle::Component(1)),
            'b' | 'z' => Some(Swizzle::Component(2)),
            'a' | 'w' => Some(Swizzle::Component(3)),
            '0' => Some(Swizzle::Zero),
            '1' => Some(Swizzle::One),
            _ => None,
        })
        .collect();
    letters?.try_into().ok()
}
