//! `texparameter` and `active_texture`.

use super::texture_upload::parse_unit;
use super::texture_upload::{parse_below, parse_color};
use crate::script::command::{Command, Switch};
use crate::script::test::parser::{TEXTURE_IMAGE_UNITS, TestParser};
use crate::script::tokenizer::{LineError, WordCursor};
use crate::texture::{DepthMode, Sampling, SrgbDecode, Swizzle, Wrap, find_target, target_name};
use ash::vk;
use glasm::fixed_function::{BaseFormat, TextureFormatType};

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

/// Consumes a word and returns the value that the table has for it. Returns an error that expects
/// `what` if the table lacks the word.
fn parse_choice<T: Copy>(
    words: &mut WordCursor<'_>,
    what: &str,
    table: &[(&str, T)],
) -> Result<T, LineError> {
    words.parse_with(what, |word| {
        let found = table.iter().find(|(name, _)| *name == word);
        found.map(|(_, value)| *value)
    })
}

/// Parses the argument of `active_texture UNIT`, and stores the unit that `texparameter` and
/// `enable` change in later lines.
pub(crate) fn parse_active_texture(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    parse_unit(parser, words)?;
    words.expect_end()
}

/// Number of texture coordinate sets, and thus of units for draws without programs.
const FIXED_UNITS: u32 = 8;

/// Appends the command of `enable` or `disable` for a texture target of the active unit, at the end
/// of the line. Returns an error for units that only programs have and for unknown targets.
pub(crate) fn parse_texture_enable(
    parser: &mut TestParser,
    name: &str,
    switch: Switch,
    words: &mut WordCursor<'_>,
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
    parser.push_command(words, Command::TextureEnables { unit, enables })
}

/// Parses the arguments of `texparameter TARGET NAME VALUE`, stores the sampling of the active
/// unit, and appends the command. Returns an error if the unit has a texture of another target.
pub(crate) fn parse_texparameter(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let target = words.parse_with("a target", find_target)?;
    let number = parser.units.active;
    debug_assert!(
        number < TEXTURE_IMAGE_UNITS,
        "units are checked where they are named"
    );
    let initial = parser.initial_sampling;
    let unit = parser.units.get_or_insert(number, initial);
    if let Some(shape) = &unit.shape
        && shape.target != target
    {
        let held = target_name(shape.target);
        let message = format!("texture image unit {number} holds a texture of target {held}");
        return Err(words.error_at_last(message));
    }
    parse_sampler_parameter(&mut unit.sampling, words)?;
    let sampling = unit.sampling;
    let unit = number;
    parser.push_command(words, Command::Sampling { unit, sampling })
}

/// Base format for draws without programs, and format type of NV_texture_shader.
type FormatChoice = (Option<BaseFormat>, Option<TextureFormatType>);

/// Base formats and format types by their words.
const BASE_FORMATS: &[(&str, FormatChoice)] = &[
    ("own", (None, None)),
    ("hilo", (None, Some(TextureFormatType::UnsignedHilo))),
    ("signed_hilo", (None, Some(TextureFormatType::SignedHilo))),
    ("dsdt", (None, Some(TextureFormatType::Dsdt))),
    ("dsdt_mag", (None, Some(TextureFormatType::DsdtMag))),
    (
        "dsdt_mag_intensity",
        (None, Some(TextureFormatType::DsdtMagIntensity)),
    ),
    (
        "signed_rgb_unsigned_alpha",
        (None, Some(TextureFormatType::SignedRgbUnsignedAlpha)),
    ),
    ("alpha", (Some(BaseFormat::Alpha), None)),
    ("luminance", (Some(BaseFormat::Luminance), None)),
    ("luminance_alpha", (Some(BaseFormat::LuminanceAlpha), None)),
    ("intensity", (Some(BaseFormat::Intensity), None)),
    ("rgb", (Some(BaseFormat::Rgb), None)),
    ("rgba", (Some(BaseFormat::Rgba), None)),
];

/// Consumes the name and the value of a texture parameter, such as `wrap_s repeat`, and stores the
/// value in `sampling`. Returns an error for unknown names.
fn parse_sampler_parameter(
    sampling: &mut Sampling,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    match words.next_word("a texture parameter")? {
        "min" => {
            let find = |word: &str| FILTERS.iter().find(|(name, ..)| *name == word);
            let (_, filter, between) = words.parse_with("a filter", find)?;
            (sampling.min_filter, sampling.mipmap_mode) = (*filter, *between);
        }
        "mag" => {
            // A texture that is magnified is read from one level: GL 2.1 section 3.8.9.
            let find = |word: &str| FILTERS[..2].iter().find(|(name, ..)| *name == word);
            sampling.mag_filter = words.parse_with("a filter", find)?.1;
        }
        "wrap_s" => sampling.wrap[0] = parse_choice(words, "a wrap mode", WRAPS)?,
        "wrap_t" => sampling.wrap[1] = parse_choice(words, "a wrap mode", WRAPS)?,
        "wrap_r" => sampling.wrap[2] = parse_choice(words, "a wrap mode", WRAPS)?,
        "border_color" => sampling.border_color = parse_color(words)?,
        "compare_mode" => {
            let modes = [("none", false), ("ref_to_texture", true)];
            sampling.compare_enable = parse_choice(words, "`none` or `ref_to_texture`", &modes)?;
        }
        "compare_func" => sampling.compare_op = parse_choice(words, "a comparison", COMPARISONS)?,
        "depth_mode" => {
            let mode = parse_choice(words, "a depth mode", DEPTH_MODES)?;
            (sampling.depth_mode, sampling.comparison_depth_mode) = (mode, mode);
        }
        "base_format" => {
            (sampling.base_format, sampling.format_type) =
                parse_choice(words, "a base format", BASE_FORMATS)?;
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
        "swizzle_r" => sampling.swizzle[0] = parse_choice(words, "a component", SWIZZLES)?,
        "swizzle_g" => sampling.swizzle[1] = parse_choice(words, "a component", SWIZZLES)?,
        "swizzle_b" => sampling.swizzle[2] = parse_choice(words, "a component", SWIZZLES)?,
        "swizzle_a" => sampling.swizzle[3] = parse_choice(words, "a component", SWIZZLES)?,
        "swizzle" => {
            let what = "four letters of `rgba01`";
            sampling.swizzle = words.parse_with(what, parse_swizzle)?;
        }
        "srgb_decode" => {
            let modes = [("decode", SrgbDecode::Decode), ("skip", SrgbDecode::Skip)];
            sampling.srgb_decode = parse_choice(words, "`decode` or `skip`", &modes)?;
        }
        name => {
            return Err(words.error_at_last(format!("texture parameter `{name}` is not supported")));
        }
    }
    Ok(())
}

/// Consumes a number that is neither infinite nor NaN.
fn parse_finite(words: &mut WordCursor<'_>) -> Result<f32, LineError> {
    words.parse_with("a number", |word| {
        word.parse().ok().filter(|value: &f32| value.is_finite())
    })
}

/// Parses a swizzle of four characters such as `bgr1`; `None` if the form differs.
fn parse_swizzle(word: &str) -> Option<[Swizzle; 4]> {
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
