//! Lines of `[require]` about the framebuffer.

use crate::format::{DepthFormat, Format};
use crate::script::model::Requirements;
use crate::script::model::{Attachments, parse_attachment_number};
use crate::script::tokenizer::{LineError, WordCursor, parse_unsigned};

/// Layers that a framebuffer can have.
const MAX_LAYERS: u32 = 2048;

/// Maximum width and height in a script.
const MAX_SIZE: u32 = 16384;

/// Bytes of all attachments together.
const MAX_BYTES: u64 = 1 << 30;

/// Bytes of a depth and stencil value, at most.
const MAX_DEPTH_BYTES: u64 = 8;

/// Parses the arguments of `fbsize W H` or `SIZE W H` and stores the size of the framebuffer.
/// Returns an error if a side is not from 1 to 16384.
pub(super) fn parse_size(
    requirements: &mut Requirements,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let mut side = |what| {
        words.parse_with(what, |word| {
            word.parse()
                .ok()
                .filter(|size| (1..=MAX_SIZE).contains(size))
        })
    };
    requirements.framebuffer = [
        side("a width from 1 to 16384")?,
        side("a height from 1 to 16384")?,
    ];
    Ok(())
}

/// Parses the arguments of `framebuffer [N] FORMAT` and stores the format of color attachment N, or
/// 0. `none` instead of a format leaves the number without attachment.
pub(super) fn parse_color_format(
    requirements: &mut Requirements,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let is_number = words
        .peek()
        .is_some_and(|word| parse_unsigned(word).is_some());
    let number = if is_number {
        parse_attachment_number(words)? as usize
    } else {
        0
    };
    let format = match words.take_if("none") {
        Some(()) => None,
        None => Some(words.parse_with("a color format of VkFormat", Format::parse)?),
    };
    let colors = &mut requirements.attachments.colors;
    colors.resize(colors.len().max(number + 1), None);
    colors[number] = format;
    Ok(())
}

/// Parses the argument of `depthstencil FORMAT` and stores the format of the depth and stencil
/// buffer.
pub(super) fn parse_depth_format(
    requirements: &mut Requirements,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let format = words.parse_with("a depth or stencil format of VkFormat", DepthFormat::parse)?;
    requirements.attachments.depth = Some(format);
    Ok(())
}

/// Executes piglit's `depthbuffer`, which has no arguments: the framebuffer gets a depth buffer of
/// 32-bit floats.
pub(super) fn parse_depth_buffer(
    requirements: &mut Requirements,
    _words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    requirements.attachments.depth = DepthFormat::parse("D32_SFLOAT");
    Ok(())
}

/// Parses the argument of `samples N` and stores the number of samples per pixel. Returns an error
/// if it is not a power of two up to 64.
pub(super) fn parse_samples(
    requirements: &mut Requirements,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let what = "1, 2, 4, 8, 16, 32 or 64 samples";
    requirements.attachments.samples = words.parse_with(what, |word| {
        let samples: u32 = word.parse().ok()?;
        (samples.is_power_of_two() && samples <= 64).then_some(samples)
    })?;
    Ok(())
}

/// Parses the argument of `fblayers N` and stores the number of layers of each attachment. Returns
/// an error if it is not from 1 to 2048.
pub(super) fn parse_layers(
    requirements: &mut Requirements,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    requirements.attachments.layers =
        words.parse_with("a number of layers up to 2048", |word| {
            word.parse()
                .ok()
                .filter(|layers| (1..=MAX_LAYERS).contains(layers))
        })?;
    Ok(())
}

/// Returns a message if all attachments of the framebuffer together need more than [`MAX_BYTES`];
/// otherwise `None`.
pub(crate) fn size_error(requirements: &Requirements) -> Option<&'static str> {
    let Attachments {
        colors,
        depth,
        samples,
        layers,
    } = &requirements.attachments;
    let [width, height] = requirements.framebuffer;
    let factors = [width, height, *samples, *layers];
    let total: u64 = factors.into_iter().map(u64::from).product();
    let colors: usize = colors.iter().flatten().map(Format::texel_size).sum();
    let depth = depth.map_or(0, |_| MAX_DEPTH_BYTES);
    let bytes = total.checked_mul(colors as u64 + depth);
    bytes
        .is_none_or(|bytes| bytes > MAX_BYTES)
        .then_some("the framebuffer takes more than 1 GiB")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    fn requirements(lines: &str) -> Requirements {
        let script = Script::parse(format!("[require]\n{lines}\n").as_bytes()).unwrap();
        script.requirements
    }

    fn error(script: &str) -> String {
        let errors = Script::parse(script.as_bytes()).unwrap_err();
        assert_eq!(errors.len(), 1, "{errors:?}");
        format!(
            "{}:{}: {}",
            errors[0].line, errors[0].column, errors[0].message
        )
    }

    #[test]
    fn attachments_have_numbers() {
        let found = requirements(
            "framebuffer R8_UNORM\nframebuffer 2 R32_UINT\ndepthstencil S8_UINT\nsamples 4\nfblayers 3",
        );
        let names: Vec<_> = found
            .attachments
            .colors
            .iter()
            .map(|format| format.as_ref().map(|format| format!("{:?}", format.vk)))
            .collect();
        assert_eq!(
            names,
            [
                Some("R8_UNORM".to_owned()),
                None,
                Some("R32_UINT".to_owned())
            ]
        );
        let attachments = found.attachments;
        assert!(attachments.has_stencil() && !attachments.has_depth());
        assert_eq!((attachments.samples, attachments.layers), (4, 3));
        assert!(attachments.color(1).is_none() && attachments.color(7).is_none());
    }

    #[test]
    fn the_order_of_sizes_does_not_matter() {
        let found = requirements("samples 64\nfblayers 2048\nfbsize 1 1");
        assert_eq!(found.attachments.layers, 2048);
    }

    #[test]
    fn without_color_there_are_no_attachments() {
        let attachments = requirements("framebuffer none\ndepthstencil D16_UNORM").attachments;
        assert_eq!(attachments.colors, [None]);
        assert_eq!(requirements("").attachments, Attachments::default());
    }

    #[test]
    fn bad_attachments_are_errors() {
        for (line, message) in [
            (
                "framebuffer 8 R8_UNORM",
                "2:13: `8` is not an attachment from 0 to 7",
            ),
            (
                "framebuffer 1",
                "2:14: a color format of VkFormat is missing",
            ),
            (
                "framebuffer D16_UNORM",
                "2:13: `D16_UNORM` is not a color format of VkFormat",
            ),
            (
                "samples 3",
                "2:9: `3` is not 1, 2, 4, 8, 16, 32 or 64 samples",
            ),
            (
                "samples 128",
                "2:9: `128` is not 1, 2, 4, 8, 16, 32 or 64 samples",
            ),
            (
                "fblayers 0",
                "2:10: `0` is not a number of layers up to 2048",
            ),
            ("fblayers 2 2", "2:12: `2` is one word too many"),
        ] {
            assert_eq!(error(&format!("[require]\n{line}\n")), message);
        }
        let message = "the framebuffer takes more than 1 GiB";
        assert_eq!(
            error("[require]\nfbsize 16384 16384\nframebuffer 7 R8_UNORM\n"),
            format!("3:1: {message}")
        );
        assert_eq!(
            error("[require]\nsamples 64\nfblayers 2048\nfbsize 1 2049\n[test]\n"),
            format!("4:1: {message}")
        );
        assert_eq!(
            error(
                "[require]\nfbsize 8192 8192\nframebuffer none\nsamples 2\ndepthbuffer\nsamples 4\n"
            ),
            format!("6:1: {message}")
        );
        requirements("fbsize 16384 16384");
        requirements("fbsize 8192 8192\ndepthbuffer\nframebuffer R32G32_SFLOAT");
    }
}
