//! Commands that set fixed-function state by property name, as in VkRunner.

use crate::script::pipeline_state::{BlendState, MAX_VIEWPORTS, PipelineState, StencilFace};
use crate::script::tokenizer::{LineError, WordCursor};
use ash::vk;
use std::fmt::Debug;

/// Field of the state, by the type of its value.
pub(crate) enum PropertyField<'a> {
    Bool(&'a mut bool),
    Int(&'a mut u32),
    Float(&'a mut f32),
    /// Number from 0 to 1.
    Fraction(&'a mut f32),
    Color(&'a mut [f32; 4]),
    SampleMask(&'a mut u64),
    Viewports(&'a mut [Option<[f32; 4]>; MAX_VIEWPORTS]),
    Scissor(&'a mut Option<[u32; 4]>),
    PolygonMode(&'a mut vk::PolygonMode),
    ConservativeRasterization(&'a mut vk::ConservativeRasterizationModeEXT),
    FrontFace(&'a mut vk::FrontFace),
    LogicOp(&'a mut vk::LogicOp),
    BlendFactor(&'a mut vk::BlendFactor),
    BlendOp(&'a mut vk::BlendOp),
    CompareOp(&'a mut vk::CompareOp),
    StencilOp(&'a mut vk::StencilOp),
    CullMode(&'a mut vk::CullModeFlags),
    ColorMask(&'a mut vk::ColorComponentFlags),
}

/// Field of a property.
type FieldAccessor<T> = for<'a> fn(&'a mut T) -> PropertyField<'a>;

/// All properties except for those of stencil tests and attachments.
pub(crate) const PROPERTIES: &[(&str, FieldAccessor<PipelineState>)] = &[
    ("primitiveRestartEnable", |state| {
        PropertyField::Bool(&mut state.primitive_restart)
    }),
    ("patchControlPoints", |state| {
        PropertyField::Int(&mut state.patch_control_points)
    }),
    ("depthClampEnable", |state| {
        PropertyField::Bool(&mut state.depth_clamp)
    }),
    ("rasterizerDiscardEnable", |state| {
        PropertyField::Bool(&mut state.rasterizer_discard)
    }),
    ("polygonMode", |state| {
        PropertyField::PolygonMode(&mut state.polygon_mode)
    }),
    ("conservativeRasterizationMode", |state| {
        PropertyField::ConservativeRasterization(&mut state.conservative_rasterization)
    }),
    ("cullMode", |state| {
        PropertyField::CullMode(&mut state.cull_mode)
    }),
    ("frontFace", |state| {
        PropertyField::FrontFace(&mut state.front_face)
    }),
    ("depthBiasEnable", |state| {
        PropertyField::Bool(&mut state.depth_bias)
    }),
    ("depthBiasConstantFactor", |state| {
        PropertyField::Float(&mut state.depth_bias_constant_factor)
    }),
    ("depthBiasClamp", |state| {
        PropertyField::Float(&mut state.depth_bias_clamp)
    }),
    ("depthBiasSlopeFactor", |state| {
        PropertyField::Float(&mut state.depth_bias_slope_factor)
    }),
    ("lineWidth", |state| {
        PropertyField::Float(&mut state.line_width)
    }),
    ("logicOpEnable", |state| {
        PropertyField::Bool(&mut state.logic_op_enable)
    }),
    ("logicOp", |state| {
        PropertyField::LogicOp(&mut state.logic_op)
    }),
    ("blendConstants", |state| {
        PropertyField::Color(&mut state.blend_constants)
    }),
    ("depthTestEnable", |state| {
        PropertyField::Bool(&mut state.depth_test)
    }),
    ("depthWriteEnable", |state| {
        PropertyField::Bool(&mut state.depth_write)
    }),
    ("depthCompareOp", |state| {
        PropertyField::CompareOp(&mut state.depth_compare_op)
    }),
    ("depthBoundsTestEnable", |state| {
        PropertyField::Bool(&mut state.depth_bounds_test)
    }),
    ("minDepthBounds", |state| {
        PropertyField::Fraction(&mut state.min_depth_bounds)
    }),
    ("maxDepthBounds", |state| {
        PropertyField::Fraction(&mut state.max_depth_bounds)
    }),
    ("stencilTestEnable", |state| {
        PropertyField::Bool(&mut state.stencil_test)
    }),
    ("sampleShadingEnable", |state| {
        PropertyField::Bool(&mut state.sample_shading)
    }),
    ("minSampleShading", |state| {
        PropertyField::Fraction(&mut state.min_sample_shading)
    }),
    ("sampleMask", |state| {
        PropertyField::SampleMask(&mut state.sample_mask)
    }),
    ("alphaToCoverageEnable", |state| {
        PropertyField::Bool(&mut state.alpha_to_coverage)
    }),
    ("alphaToOneEnable", |state| {
        PropertyField::Bool(&mut state.alpha_to_one)
    }),
    ("viewport", |state| {
        PropertyField::Viewports(&mut state.viewports)
    }),
    ("scissor", |state| {
        PropertyField::Scissor(&mut state.scissor)
    }),
];

/// Properties of an attachment.
pub(crate) const ATTACHMENT_PROPERTIES: &[(&str, FieldAccessor<BlendState>)] = &[
    ("blendEnable", |state| PropertyField::Bool(&mut state.blend)),
    ("srcColorBlendFactor", |state| {
        PropertyField::BlendFactor(&mut state.src_color_factor)
    }),
    ("dstColorBlendFactor", |state| {
        PropertyField::BlendFactor(&mut state.dst_color_factor)
    }),
    ("colorBlendOp", |state| {
        PropertyField::BlendOp(&mut state.color_op)
    }),
    ("srcAlphaBlendFactor", |state| {
        PropertyField::BlendFactor(&mut state.src_alpha_factor)
    }),
    ("dstAlphaBlendFactor", |state| {
        PropertyField::BlendFactor(&mut state.dst_alpha_factor)
    }),
    ("alphaBlendOp", |state| {
        PropertyField::BlendOp(&mut state.alpha_op)
    }),
    ("colorWriteMask", |state| {
        PropertyField::ColorMask(&mut state.color_write_mask)
    }),
];

/// Properties of stencil tests, after `front.` or `back.`.
pub(crate) const STENCIL_PROPERTIES: &[(&str, FieldAccessor<StencilFace>)] = &[
    ("failOp", |face| PropertyField::StencilOp(&mut face.fail_op)),
    ("passOp", |face| PropertyField::StencilOp(&mut face.pass_op)),
    ("depthFailOp", |face| {
        PropertyField::StencilOp(&mut face.depth_fail_op)
    }),
    ("compareOp", |face| {
        PropertyField::CompareOp(&mut face.compare_op)
    }),
    ("compareMask", |face| {
        PropertyField::Int(&mut face.compare_mask)
    }),
    ("writeMask", |face| PropertyField::Int(&mut face.write_mask)),
    ("reference", |face| PropertyField::Int(&mut face.reference)),
];

/// Returns the field that a property sets; `None` if the pipeline has no such property. Properties
/// of stencil tests begin with `front.` or `back.`.
fn find_field<'a>(state: &'a mut PipelineState, name: &str) -> Option<PropertyField<'a>> {
    match name.split_once('.') {
        None => find_in_table(PROPERTIES, state, name),
        Some(("front", field)) => find_in_table(STENCIL_PROPERTIES, &mut state.front, field),
        Some(("back", field)) => find_in_table(STENCIL_PROPERTIES, &mut state.back, field),
        Some(_) => None,
    }
}

/// Returns the field of `state` that the table has for a name; `None` if the table lacks the name.
fn find_in_table<'a, T>(
    table: &[(&str, FieldAccessor<T>)],
    state: &'a mut T,
    name: &str,
) -> Option<PropertyField<'a>> {
    let (_, field) = table.iter().find(|(known, _)| *known == name)?;
    Some(field(state))
}

/// Sets a property of the pipeline, or of all attachments, to the value in the remaining words.
/// `None`, without consuming any, if the name is unknown.
pub(super) fn set_property(
    state: &mut PipelineState,
    name: &str,
    words: &mut WordCursor<'_>,
) -> Option<Result<(), LineError>> {
    set_attachment_property(state, AttachmentSelection::All, name, words)
        .or_else(|| find_field(state, name).map(|slot| parse_field(slot, words)))
}

/// Attachments that a property applies to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AttachmentSelection {
    All,
    Only(u32),
}

/// Sets a property of the selected attachments to the value in the remaining words. `None`, without
/// consuming any, if attachments have no such property.
pub(super) fn set_attachment_property(
    state: &mut PipelineState,
    which: AttachmentSelection,
    name: &str,
    words: &mut WordCursor<'_>,
) -> Option<Result<(), LineError>> {
    let (_, field) = ATTACHMENT_PROPERTIES
        .iter()
        .find(|(known, _)| *known == name)?;
    let attachments = match which {
        AttachmentSelection::All => &mut state.attachments[..],
        AttachmentSelection::Only(number) => &mut state.attachments[number as usize..][..1],
    };
    let value = words.clone();
    for attachment in attachments {
        *words = value.clone();
        if let Err(error) = parse_field(field(attachment), words) {
            return Some(Err(error));
        }
    }
    Some(Ok(()))
}

/// Parses the value of a property to the end of the line, in the form that the type of its field
/// requires, and stores it.
fn parse_field(slot: PropertyField<'_>, words: &mut WordCursor<'_>) -> Result<(), LineError> {
    match slot {
        PropertyField::Bool(field) => *field = words.parse_with("true or false", parse_bool)?,
        PropertyField::Int(field) => *field = words.parse_u32("a number")?,
        PropertyField::Float(field) => *field = words.parse_number("a number")?,
        PropertyField::Fraction(field) => {
            *field = words.parse_with("a number from 0 to 1", |word| {
                word.parse()
                    .ok()
                    .filter(|value| (0.0..=1.0).contains(value))
            })?;
        }
        PropertyField::Color(field) => *field = words.parse_floats("a color component")?,
        PropertyField::SampleMask(field) => *field = words.parse_unsigned("a mask")?,
        PropertyField::Viewports(field) => {
            let number = match words.take_if("index") {
                Some(()) => words.parse_with("a viewport number below 16", |word| {
                    word.parse().ok().filter(|number| *number < MAX_VIEWPORTS)
                })?,
                None => 0,
            };
            field[number] = Some(parse_viewport(words)?);
        }
        PropertyField::Scissor(field) => *field = Some(parse_scissor(words)?),
        PropertyField::PolygonMode(field) => {
            *field = parse_enum(words, "POLYGON_MODE", vk::PolygonMode::from_raw)?
        }
        PropertyField::ConservativeRasterization(field) => {
            let make = vk::ConservativeRasterizationModeEXT::from_raw;
            *field = parse_enum(words, "CONSERVATIVE_RASTERIZATION_MODE", make)?;
        }
        PropertyField::FrontFace(field) => {
            *field = parse_enum(words, "FRONT_FACE", vk::FrontFace::from_raw)?
        }
        PropertyField::LogicOp(field) => {
            *field = parse_enum(words, "LOGIC_OP", vk::LogicOp::from_raw)?
        }
        PropertyField::BlendFactor(field) => {
            *field = parse_enum(words, "BLEND_FACTOR", vk::BlendFactor::from_raw)?
        }
        PropertyField::BlendOp(field) => {
            *field = parse_enum(words, "BLEND_OP", vk::BlendOp::from_raw)?
        }
        PropertyField::CompareOp(field) => {
            *field = parse_enum(words, "COMPARE_OP", vk::CompareOp::from_raw)?
        }
        PropertyField::StencilOp(field) => {
            *field = parse_enum(words, "STENCIL_OP", vk::StencilOp::from_raw)?
        }
        PropertyField::CullMode(field) => {
            *field = vk::CullModeFlags::from_raw(parse_flags(words, CULL_FLAGS)?)
        }
        PropertyField::ColorMask(field) => {
            *field = vk::ColorComponentFlags::from_raw(parse_flags(words, COLOR_FLAGS)?)
        }
    }
    words.expect_end()
}

/// Consumes x, y, width and height in pixels. Returns an error if the width is not positive or the
/// height is 0; a negative height flips the image.
fn parse_viewport(words: &mut WordCursor<'_>) -> Result<[f32; 4], LineError> {
    let mut number = |what, valid: fn(f32) -> bool| {
        words.parse_with(what, |word| word.parse().ok().filter(|value| valid(*value)))
    };
    Ok([
        number("a coordinate", f32::is_finite)?,
        number("a coordinate", f32::is_finite)?,
        number("a width above 0", |width| width.is_finite() && width > 0.0)?,
        number("a height", |height| height.is_finite() && height != 0.0)?,
    ])
}

/// Consumes x, y, width and height in pixels, each at most half of the largest signed integer, so
/// that Vulkan can represent the far corner.
fn parse_scissor(words: &mut WordCursor<'_>) -> Result<[u32; 4], LineError> {
    const LIMIT: u32 = i32::MAX as u32 / 2;
    let mut values = [0; 4];
    for value in &mut values {
        *value = words.parse_with("a length in pixels", |word| {
            word.parse().ok().filter(|value| *value <= LIMIT)
        })?;
    }
    Ok(values)
}

/// Parses `true`, `1`, `false` or `0`; `None` for any other word.
fn parse_bool(word: &str) -> Option<bool> {
    match word {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// Core enumerations of Vulkan 1.0 have less than 32 values.
const ENUM_VALUES: i32 = 32;

/// Consumes the name of a value of the Vulkan enumeration `VK_name`, with or without its prefix and
/// regardless of case; `make` converts numbers to values.
fn parse_enum<T: Debug>(
    words: &mut WordCursor<'_>,
    name: &str,
    make: fn(i32) -> T,
) -> Result<T, LineError> {
    words.parse_with(&format!("a value of VK_{name}"), |word| {
        let word = word.to_ascii_uppercase();
        let word = word.strip_prefix("VK_").unwrap_or(&word);
        let word = word
            .strip_prefix(name)
            .map_or(word, |rest| rest.trim_start_matches('_'));
        let is_number = word.parse::<i64>().is_ok();
        (0..ENUM_VALUES)
            .map(make)
            .find(|value| !is_number && format!("{value:?}") == word)
    })
}

const CULL_FLAGS: &[(&str, u32)] = &[
    ("VK_CULL_MODE_NONE", 0),
    ("VK_CULL_MODE_FRONT_BIT", 1),
    ("VK_CULL_MODE_BACK_BIT", 2),
    ("VK_CULL_MODE_FRONT_AND_BACK", 3),
];

const COLOR_FLAGS: &[(&str, u32)] = &[
    ("0", 0),
    ("VK_COLOR_COMPONENT_R_BIT", 1),
    ("VK_COLOR_COMPONENT_G_BIT", 2),
    ("VK_COLOR_COMPONENT_B_BIT", 4),
    ("VK_COLOR_COMPONENT_A_BIT", 8),
];

/// Consumes names of flags joined by `|`, with or without their prefix, and returns their bits.
fn parse_flags(words: &mut WordCursor<'_>, names: &[(&str, u32)]) -> Result<u32, LineError> {
    let mut flags = 0;
    loop {
        flags |= words.parse_with("a flag", |word| {
            names
                .iter()
                .find(|(name, _)| {
                    let prefix = name.strip_suffix(word);
                    matches!(
                        prefix,
                        Some("" | "VK_" | "VK_CULL_MODE_" | "VK_COLOR_COMPONENT_")
                    )
                })
                .map(|(_, bit)| *bit)
        })?;
        if words.take_if("|").is_none() {
            return Ok(flags);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str, value: &str) -> Result<PipelineState, String> {
        let mut state = PipelineState::default();
        let mut words = WordCursor::split(value).unwrap();
        match set_property(&mut state, name, &mut words) {
            None => Err("no property".to_owned()),
            Some(result) => result.map(|()| state).map_err(|error| error.message),
        }
    }

    #[test]
    fn properties_set_their_fields() {
        assert!(set("depthTestEnable", "true").unwrap().depth_test);
        assert_eq!(
            set("depthCompareOp", "VK_COMPARE_OP_GREATER")
                .unwrap()
                .depth_compare_op,
            vk::CompareOp::GREATER
        );
        assert_eq!(
            set("depthCompareOp", "less_or_equal")
                .unwrap()
                .depth_compare_op,
            vk::CompareOp::LESS_OR_EQUAL
        );
        assert_eq!(set("back.reference", "0x10").unwrap().back.reference, 16);
        assert_eq!(set("lineWidth", "2.5").unwrap().line_width, 2.5);
        let mask = set(
            "colorWriteMask",
            "VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_B_BIT",
        )
        .unwrap()
        .attachments[7]
            .color_write_mask;
        assert_eq!(
            mask,
            vk::ColorComponentFlags::R | vk::ColorComponentFlags::B
        );
        assert_eq!(
            set("cullMode", "CULL_MODE_BACK_BIT").unwrap().cull_mode,
            vk::CullModeFlags::BACK
        );
        let mask = set("colorWriteMask", "A_BIT|COLOR_COMPONENT_G_BIT");
        assert_eq!(
            mask.unwrap_err(),
            "`A_BIT|COLOR_COMPONENT_G_BIT` is not a flag"
        );
        let mask = set("colorWriteMask", "A_BIT").unwrap();
        assert_eq!(
            mask.attachments[0].color_write_mask,
            vk::ColorComponentFlags::A
        );
        assert_eq!(
            set("colorWriteMask", "BIT").unwrap_err(),
            "`BIT` is not a flag"
        );
    }

    #[test]
    fn rectangles_and_masks() {
        let state = set("viewport", "-1.5 2 3 -4").unwrap();
        assert_eq!(state.viewports[0], Some([-1.5, 2.0, 3.0, -4.0]));
        assert_eq!(state.viewport_count(), 1);
        assert_eq!(
            set("scissor", "1 2 3 4").unwrap().scissor,
            Some([1, 2, 3, 4])
        );
        let state = set("sampleMask", "0xfffffffffffffffe").unwrap();
        assert_eq!(state.sample_mask, u64::MAX - 1);
        let state = set("blendConstants", "(0.5, 1, -2, 0)").unwrap();
        assert_eq!(state.blend_constants, [0.5, 1.0, -2.0, 0.0]);
        assert_eq!(
            set("minDepthBounds", "0.25").unwrap().min_depth_bounds,
            0.25
        );
        for (name, value, message) in [
            ("viewport", "0 0 0 4", "`0` is not a width above 0"),
            ("viewport", "0 0 4 0", "`0` is not a height"),
            ("viewport", "inf 0 4 4", "`inf` is not a coordinate"),
            (
                "scissor",
                "0 0 4294967295 1",
                "`4294967295` is not a length in pixels",
            ),
            ("scissor", "-1 0 1 1", "`-1` is not a length in pixels"),
            ("maxDepthBounds", "2", "`2` is not a number from 0 to 1"),
            (
                "minSampleShading",
                "nan",
                "`nan` is not a number from 0 to 1",
            ),
            ("sampleMask", "all", "`all` is not a mask"),
        ] {
            assert_eq!(set(name, value).unwrap_err(), message);
        }
    }

    #[test]
    fn bad_values_are_errors() {
        assert_eq!(
            set("depthTestEnable", "maybe").unwrap_err(),
            "`maybe` is not true or false"
        );
        assert_eq!(
            set("logicOp", "VK_LOGIC_OP_NONE").unwrap_err(),
            "`VK_LOGIC_OP_NONE` is not a value of VK_LOGIC_OP"
        );
        assert_eq!(
            set("logicOp", "31").unwrap_err(),
            "`31` is not a value of VK_LOGIC_OP"
        );
        assert_eq!(set("colour", "1").unwrap_err(), "no property");
        assert_eq!(
            set("lineWidth", "1 2").unwrap_err(),
            "`2` is one word too many"
        );
    }
}
