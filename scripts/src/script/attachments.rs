//! The attachments of the framebuffer: what `[require]` asks for, and the commands `clear` and `attachment`.

use super::command::{Clear, Command};
use super::properties::{Attachment, set_attachment_property};
use super::require::Requirements;
use super::test::TestParser;
use super::words::{LineError, Words, parse_unsigned};
use crate::format::{DepthFormat, Format};
use crate::probe::pixels::{Plane, Surface};

/// Color attachments that a framebuffer can have.
pub const MAX_COLORS: usize = 8;
/// Layers that a framebuffer can have.
const MAX_LAYERS: u32 = 2048;
/// Largest width and height that a script may ask for.
const MAX_SIZE: u32 = 16384;
/// Bytes of all attachments together.
const MAX_BYTES: u64 = 1 << 30;
/// Bytes of a depth and stencil value, at most.
const MAX_DEPTH_BYTES: u64 = 8;

/// What the framebuffer is made of, but for its size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attachments {
    /// Formats by number; `None` are numbers without attachment.
    pub colors: Vec<Option<Format>>,
    /// Format of the depth and stencil buffer; `None` if there is none.
    pub depth: Option<DepthFormat>,
    /// Samples per pixel, a power of two; 1 without multisampling.
    pub samples: u32,
    /// Layers of each attachment, from 1.
    pub layers: u32,
}

impl Default for Attachments {
    fn default() -> Self {
        let format = Format::parse("R8G8B8A8_UNORM").expect("the format exists");
        Self {
            colors: vec![Some(format)],
            depth: None,
            samples: 1,
            layers: 1,
        }
    }
}

impl Attachments {
    /// The format of a color attachment.
    pub fn color(&self, number: u32) -> Option<&Format> {
        self.colors.get(number as usize)?.as_ref()
    }

    /// Everything that can be read, samples resolved.
    pub fn surfaces(&self) -> Vec<Surface> {
        let colors = self.colors.iter().zip(0..);
        let mut planes: Vec<Plane> = colors
            .filter(|(color, _)| color.is_some())
            .map(|(_, number)| Plane::Color(number))
            .collect();
        planes.extend(self.has_depth().then_some(Plane::Depth));
        planes.extend(self.has_stencil().then_some(Plane::Stencil));
        let of_plane = |plane| {
            (0..self.layers).map(move |layer| Surface {
                plane,
                layer,
                sample: None,
            })
        };
        planes.into_iter().flat_map(of_plane).collect()
    }

    /// Whether there is a depth buffer.
    pub fn has_depth(&self) -> bool {
        self.depth.is_some_and(|format| format.has_depth)
    }

    /// Whether there is a stencil buffer.
    pub fn has_stencil(&self) -> bool {
        self.depth.is_some_and(|format| format.has_stencil)
    }
}

/// `fbsize W H`, `SIZE W H`
pub(super) fn parse_size(
    requirements: &mut Requirements,
    words: &mut Words<'_>,
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

/// `framebuffer [N] FORMAT`; `none` instead of a format leaves the number without attachment.
pub(super) fn parse_color_format(
    requirements: &mut Requirements,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let is_number = words
        .peek()
        .is_some_and(|word| parse_unsigned(word).is_some());
    let number = if is_number {
        parse_attachment_number(words)? as usize
    } else {
        0
    };
    let format = match words.take("none") {
        Some(()) => None,
        None => Some(words.parse_with("a color format of VkFormat", Format::parse)?),
    };
    let colors = &mut requirements.attachments.colors;
    colors.resize(colors.len().max(number + 1), None);
    colors[number] = format;
    Ok(())
}

/// `depthstencil FORMAT`
pub(super) fn parse_depth_format(
    requirements: &mut Requirements,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let format = words.parse_with("a depth or stencil format of VkFormat", DepthFormat::parse)?;
    requirements.attachments.depth = Some(format);
    Ok(())
}

/// `depthbuffer`, as piglit has it
pub(super) fn parse_depth_buffer(
    requirements: &mut Requirements,
    _words: &mut Words<'_>,
) -> Result<(), LineError> {
    requirements.attachments.depth = DepthFormat::parse("D32_SFLOAT");
    Ok(())
}

/// `samples N`
pub(super) fn parse_samples(
    requirements: &mut Requirements,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let what = "1, 2, 4, 8, 16, 32 or 64 samples";
    requirements.attachments.samples = words.parse_with(what, |word| {
        let samples: u32 = word.parse().ok()?;
        (samples.is_power_of_two() && samples <= 64).then_some(samples)
    })?;
    Ok(())
}

/// `fblayers N`
pub(super) fn parse_layers(
    requirements: &mut Requirements,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    requirements.attachments.layers =
        words.parse_with("a number of layers up to 2048", |word| {
            word.parse()
                .ok()
                .filter(|layers| (1..=MAX_LAYERS).contains(layers))
        })?;
    Ok(())
}

/// Why the framebuffer as a whole is too much; `None` if it is not.
pub(super) fn excess(requirements: &Requirements) -> Option<&'static str> {
    let Attachments {
        colors,
        depth,
        samples,
        layers,
    } = &requirements.attachments;
    let [width, height] = requirements.framebuffer;
    let factors = [width, height, *samples, *layers];
    let total: u64 = factors.into_iter().map(u64::from).product();
    let colors: usize = colors.iter().flatten().map(Format::size).sum();
    let depth = depth.map_or(0, |_| MAX_DEPTH_BYTES);
    let bytes = total.checked_mul(colors as u64 + depth);
    bytes
        .is_none_or(|bytes| bytes > MAX_BYTES)
        .then_some("the framebuffer takes more than 1 GiB")
}

/// Takes the number of an attachment.
fn parse_attachment_number(words: &mut Words<'_>) -> Result<u32, LineError> {
    words.parse_with("an attachment from 0 to 7", |word| {
        let number = parse_unsigned(word)?;
        (number < MAX_COLORS as u64).then_some(number as u32)
    })
}

/// Takes the number of a color attachment that the framebuffer has.
pub(super) fn parse_attachment<'a>(
    attachments: &'a Attachments,
    words: &mut Words<'_>,
) -> Result<(u32, &'a Format), LineError> {
    let number = parse_attachment_number(words)?;
    match attachments.color(number) {
        Some(format) => Ok((number, format)),
        None => Err(words.error_at_last(format!("the framebuffer has no attachment {number}"))),
    }
}

/// Reads a number; a whole one may be hexadecimal with `0x`.
pub(super) fn parse_component(word: &str) -> Option<f64> {
    let whole = || {
        parse_unsigned(word)
            .and_then(|value| u32::try_from(value).ok())
            .map(f64::from)
    };
    word.parse().ok().or_else(whole)
}

/// `clear`, `clear color R G B A`, `clear depth D`, `clear stencil S`
pub(super) fn parse_clear(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    match words.peek() {
        None => return parser.push(words, Command::Clear(parser.clear)),
        Some("color") => {
            let color = parse_clear_color(words)?;
            parser.clear.colors = [color; MAX_COLORS];
        }
        Some("depth") => {
            words.word("depth")?;
            let valid = |word: &str| {
                word.parse()
                    .ok()
                    .filter(|depth| (0.0..=1.0).contains(depth))
            };
            parser.clear.depth = words.parse_with("a depth from 0 to 1", valid)?;
        }
        Some("stencil") => {
            words.word("stencil")?;
            parser.clear.stencil = words.unsigned32("a stencil value")?;
        }
        Some(_) => return Err(words.error_at_next("expected `color`, `depth` or `stencil`")),
    }
    words.finish()
}

/// Takes `color R G B A`.
fn parse_clear_color(words: &mut Words<'_>) -> Result<[f64; 4], LineError> {
    words.word("color")?;
    let mut color = [0.0; 4];
    for value in &mut color {
        *value = words.parse_with("a color component", parse_component)?;
    }
    Ok(color)
}

/// `attachment N clear`, `attachment N clear color R G B A`, `attachment N PROPERTY VALUE`
pub(super) fn parse_attachment_command(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let (number, _) = parse_attachment(&parser.attachments, words)?;
    let word = words.word("`clear` or a property")?;
    if word != "clear" {
        return set_attachment_property(
            &mut parser.pipeline,
            Attachment::Only(number),
            word,
            words,
        )
        .unwrap_or_else(|| {
            Err(words.error_at_last(format!("`{word}` is no property of an attachment")))
        });
    }
    match words.peek() {
        None => {
            let only = Some(number);
            parser.push(
                words,
                Command::Clear(Clear {
                    only,
                    ..parser.clear
                }),
            )
        }
        Some("color") => {
            parser.clear.colors[number as usize] = parse_clear_color(words)?;
            words.finish()
        }
        Some(_) => Err(words.error_at_next("expected `color` or nothing")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;
    use crate::script::pipeline_state::PipelineState;

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

    fn clears(lines: &str) -> Vec<Clear> {
        let text = format!("[require]\nframebuffer 1 R32_UINT\n[test]\n{lines}\n");
        let script = Script::parse(text.as_bytes()).unwrap();
        let clears = script.steps.into_iter().filter_map(|step| {
            if let Command::Clear(clear) = step.command {
                Some(clear)
            } else {
                None
            }
        });
        clears.collect()
    }

    #[test]
    fn clear_values_stay_until_they_change() {
        let found = clears(
            "clear\nclear color 1 0.5 0 -1\nclear depth 0.25\nclear stencil 0xff\n\
             attachment 1 clear color 0xffffffff 4294967294 0 0\nclear\nattachment 1 clear",
        );
        assert_eq!(found[0].colors, [[0.0; 4]; 8]);
        assert_eq!(
            (found[0].depth, found[0].stencil, found[0].only),
            (1.0, 0, None)
        );
        assert_eq!(found[1].colors[0], [1.0, 0.5, 0.0, -1.0]);
        assert_eq!(found[1].colors[1], [4294967295.0, 4294967294.0, 0.0, 0.0]);
        assert_eq!((found[1].depth, found[1].stencil), (0.25, 255));
        assert_eq!(
            found[2],
            Clear {
                only: Some(1),
                ..found[1]
            }
        );
    }

    #[test]
    fn bad_clears_are_errors() {
        for (line, message) in [
            (
                "clear colour",
                "2:7: expected `color`, `depth` or `stencil`",
            ),
            ("clear color 1 0 0", "2:18: a color component is missing"),
            ("clear depth 2", "2:13: `2` is not a depth from 0 to 1"),
            ("clear stencil -1", "2:15: `-1` is not a stencil value"),
            (
                "attachment 1 clear",
                "2:12: the framebuffer has no attachment 1",
            ),
            (
                "attachment 0 clear depth",
                "2:20: expected `color` or nothing",
            ),
            ("attachment 0", "2:13: `clear` or a property is missing"),
            (
                "attachment 0 lineWidth 2",
                "2:14: `lineWidth` is no property of an attachment",
            ),
        ] {
            assert_eq!(error(&format!("[test]\n{line}\n")), message);
        }
    }

    #[test]
    fn attachments_have_blend_state_of_their_own() {
        let text = "[require]\nframebuffer 1 R8_UNORM\n[test]\nblendEnable true\n\
                    attachment 1 blendEnable false\nattachment 1 srcColorBlendFactor ONE\ndraw rect 0 0 1 1\n";
        let script = Script::parse(text.as_bytes()).unwrap();
        let Command::Draw(draw) = &script.steps[0].command else {
            panic!("no draw");
        };
        let default = PipelineState::default().attachments[0];
        let [first, second, third, ..] = draw.state.attachments;
        assert!(first.blend && !second.blend && third.blend);
        assert_eq!(first.src_color_factor, default.src_color_factor);
        assert_eq!(second.src_color_factor, ash::vk::BlendFactor::ONE);
    }
}
