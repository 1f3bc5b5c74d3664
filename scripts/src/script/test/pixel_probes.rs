//! Commands about pixels: `probe` and `relative probe` of framebuffers, `save` and `trace`.

use super::attachments::parse_attachment;
use super::parser::TestParser;
use crate::probe::pixels::{Expected, FramebufferPlane, PixelProbe, Region, Surface};
use crate::script::command::Command;
use crate::script::tokenizer::{LineError, WordCursor, parse_component};
use crate::script::vertex_data::is_identifier;

/// Unit of coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Coordinates {
    Pixels,
    /// 0 to 1 over the framebuffer.
    Relative,
}

/// Consumes `X Y` and returns the region of the pixel; a relative coordinate of 1 denotes the last
/// pixel. `framebuffer` is the size of the image.
pub(super) fn parse_pixel(
    framebuffer: [u32; 2],
    coordinates: Coordinates,
    words: &mut WordCursor<'_>,
) -> Result<Region, LineError> {
    let mut coordinate = |side: u32| match coordinates {
        Coordinates::Pixels => words.parse_u32("a coordinate"),
        Coordinates::Relative => {
            parse_relative_length(words, side).map(|pixel| pixel.min(side - 1))
        }
    };
    Ok(Region {
        x: coordinate(framebuffer[0])?,
        y: coordinate(framebuffer[1])?,
        width: 1,
        height: 1,
    })
}

/// Consumes `X Y W H` and returns the region in pixels. `framebuffer` is the size of the image,
/// which relative lengths are multiplied by.
pub(super) fn parse_region(
    framebuffer: [u32; 2],
    coordinates: Coordinates,
    words: &mut WordCursor<'_>,
) -> Result<Region, LineError> {
    let mut length = |side: u32| match coordinates {
        Coordinates::Pixels => words.parse_u32("a length in pixels"),
        Coordinates::Relative => parse_relative_length(words, side),
    };
    let [width, height] = framebuffer;
    Ok(Region {
        x: length(width)?,
        y: length(height)?,
        width: length(width)?,
        height: length(height)?,
    })
}

/// Consumes a length from 0 to 1, relative to a side of the framebuffer in pixels, and returns it
/// in pixels, rounded down.
fn parse_relative_length(words: &mut WordCursor<'_>, side: u32) -> Result<u32, LineError> {
    words.parse_with("a length from 0 to 1", |word| {
        let value: f32 = word
            .parse()
            .ok()
            .filter(|value| (0.0..=1.0).contains(value))?;
        Some((value * side as f32) as u32)
    })
}

/// Surface prefix of a probe; the following words determine whether its depth is probed.
#[derive(Clone, Copy, Debug, Default)]
struct SurfaceSelector {
    attachment: Option<u32>,
    layer: u32,
    sample: Option<u32>,
}

/// Consumes `[attachment N] [layer N] [sample N]`. Returns an error if the framebuffer does not
/// have them.
fn parse_surface_selector(
    parser: &TestParser,
    words: &mut WordCursor<'_>,
) -> Result<SurfaceSelector, LineError> {
    let mut prefix = SurfaceSelector::default();
    if words.take_if("attachment").is_some() {
        prefix.attachment = Some(parse_attachment(&parser.attachments, words)?.0);
    }
    let mut below = |name: &str, count: u32| match words.take_if(name) {
        None => Ok(None),
        Some(()) => {
            let what = format!("a {name} of the framebuffer, which has {count}");
            let valid = |word: &str| word.parse().ok().filter(|number| *number < count);
            words.parse_with(&what, valid).map(Some)
        }
    };
    prefix.layer = below("layer", parser.attachments.layers)?.unwrap_or(0);
    prefix.sample = below("sample", parser.attachments.samples)?;
    Ok(prefix)
}

impl SurfaceSelector {
    /// Returns the surface of a plane. Returns an error, at the last consumed word, if the
    /// framebuffer does not have the plane. The sample is ignored if pixels have only one.
    fn select_surface(
        self,
        parser: &TestParser,
        plane: FramebufferPlane,
        words: &WordCursor<'_>,
    ) -> Result<Surface, LineError> {
        let attachments = &parser.attachments;
        let (exists, name) = match plane {
            FramebufferPlane::Color(number) => (
                attachments.color(number).is_some(),
                format!("attachment {number}"),
            ),
            FramebufferPlane::Depth => (attachments.has_depth(), "depth buffer".to_owned()),
            FramebufferPlane::Stencil => (attachments.has_stencil(), "stencil buffer".to_owned()),
        };
        if !exists {
            return Err(words.error_at_last(format!("the framebuffer has no {name}")));
        }
        Ok(Surface {
            plane,
            layer: self.layer,
            // The only sample of a pixel is the pixel.
            sample: self.sample.filter(|_| attachments.samples > 1),
        })
    }

    /// Returns the selected color attachment, by default 0.
    fn color_plane(self) -> FramebufferPlane {
        FramebufferPlane::Color(self.attachment.unwrap_or(0))
    }
}

/// Components that are compared of each pixel.
#[derive(Clone, Copy, Debug)]
struct ComparedComponents {
    surface: Surface,
    components: usize,
}

/// Consumes `rgb`, `rgba`, `depth` or `stencil`, and returns the surface with the number of
/// components. Returns an error if the framebuffer does not have the surface, or for depth and
/// stencil of an attachment.
fn parse_compared_components(
    parser: &TestParser,
    prefix: SurfaceSelector,
    words: &mut WordCursor<'_>,
) -> Result<ComparedComponents, LineError> {
    let what = "`rgb`, `rgba`, `depth` or `stencil`";
    let (plane, components) = words.parse_with(what, |word| match word {
        "rgb" => Some((prefix.color_plane(), 3)),
        "rgba" => Some((prefix.color_plane(), 4)),
        "depth" => Some((FramebufferPlane::Depth, 1)),
        "stencil" => Some((FramebufferPlane::Stencil, 1)),
        _ => None,
    })?;
    if components == 1 && prefix.attachment.is_some() {
        return Err(words.error_at_last("only colors belong to an attachment"));
    }
    let surface = prefix.select_surface(parser, plane, words)?;
    Ok(ComparedComponents {
        surface,
        components,
    })
}

/// Parses `[attachment N] [layer N] [sample N] [warn] all|rect|rgb|rgba|depth|stencil ...` after
/// `probe` or `relative probe`, and appends the command.
pub(super) fn parse_pixel_probe(
    parser: &mut TestParser,
    coordinates: Coordinates,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let prefix = parse_surface_selector(parser, words)?;
    // Warnings of piglit are failures here.
    let _ = words.take_if("warn");
    let [width, height] = parser.framebuffer;
    match words.peek() {
        Some("all") if coordinates == Coordinates::Pixels => {
            words.next_word("all")?;
            let compared = parse_compared_components(parser, prefix, words)?;
            let region = Region {
                x: 0,
                y: 0,
                width,
                height,
            };
            push_probe(parser, compared, region, words)
        }
        Some("rect") => {
            words.next_word("rect")?;
            let compared = parse_compared_components(parser, prefix, words)?;
            // The type is redundant with that of the attachment.
            let _ = words.take_if("int").or_else(|| words.take_if("uint"));
            let region = parse_region(parser.framebuffer, coordinates, words)?;
            push_probe(parser, compared, region, words)
        }
        Some("rgb" | "rgba" | "depth" | "stencil") => {
            let compared = parse_compared_components(parser, prefix, words)?;
            let region = parse_pixel(parser.framebuffer, coordinates, words)?;
            push_probe(parser, compared, region, words)
        }
        _ => Err(words.error_at_next(
            "expected `all`, `rect`, `rgb`, `rgba`, `depth`, `stencil`, `attachment`, `layer`, `sample`, `buffer`, `ssbo`, `ubo`, `counter`, `xfb` or `image`",
        )),
    }
}

/// Parses the expected values of a probe to the end of the line, whole numbers for integers, and
/// appends the command with the tolerances in force.
fn push_probe(
    parser: &mut TestParser,
    compared: ComparedComponents,
    region: Region,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let ComparedComponents {
        surface,
        components,
    } = compared;
    // Integers are compared exactly; a fraction could never be equal.
    let integers = match surface.plane {
        FramebufferPlane::Stencil => true,
        FramebufferPlane::Depth => false,
        FramebufferPlane::Color(number) => {
            let format = parser.attachments.color(number);
            format.is_some_and(|format| format.encoding.is_integer())
        }
    };
    let mut values = [0.0; 4];
    for value in &mut values[..components] {
        *value = if integers {
            words.parse_with("a whole number, as the attachment holds", |word| {
                parse_component(word).filter(|value| value.fract() == 0.0)
            })?
        } else {
            words.parse_with("a color component", parse_component)?
        };
    }
    let probe = PixelProbe {
        surface,
        region,
        expected: Expected { values, components },
        tolerances: parser.tolerances,
    };
    parser.push_command(words, Command::ProbePixels(probe))
}

/// Parses the arguments of `save [attachment N] [layer N] [sample N] [depth|stencil] image
/// NAME.png`, and appends the command.
pub(super) fn parse_save(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let prefix = parse_surface_selector(parser, words)?;
    let plane = if prefix.attachment.is_none() && words.take_if("depth").is_some() {
        FramebufferPlane::Depth
    } else if prefix.attachment.is_none() && words.take_if("stencil").is_some() {
        FramebufferPlane::Stencil
    } else {
        prefix.color_plane()
    };
    words.parse_with("`image`", |word| (word == "image").then_some(()))?;
    let surface = prefix.select_surface(parser, plane, words)?;
    let name = words.parse_with("a file name that ends in .png", |word| {
        (is_identifier(word) && word.ends_with(".png")).then(|| word.to_owned())
    })?;
    parser.push_command(words, Command::SaveImage { name, surface })
}

/// Parses the arguments of `trace pixel X Y`, and appends the command. Returns an error if the pixel
/// is outside of the framebuffer.
pub(super) fn parse_trace(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    words.parse_with("`pixel`", |word| (word == "pixel").then_some(()))?;
    let mut coordinate = |side: u32| {
        let what = format!("a pixel below {side}, the size of the framebuffer");
        let is_inside = |number: &u32| *number < side;
        words.parse_with(&what, |word| word.parse().ok().filter(is_inside))
    };
    let [width, height] = parser.framebuffer;
    let pixel = [coordinate(width)?, coordinate(height)?];
    parser.push_command(words, Command::TracePixel { pixel })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    const REQUIRE: &str = "[require]\nfbsize 16 8\nframebuffer 1 R32_UINT\nframebuffer 3 R32G32_SFLOAT\n\
                           depthstencil D24_UNORM_S8_UINT\nsamples 4\nfblayers 2\n[test]\n";

    fn probe(line: &str) -> PixelProbe {
        let script = Script::parse(format!("{REQUIRE}{line}\n").as_bytes()).unwrap();
        let Command::ProbePixels(probe) = script.steps[0].command else {
            panic!("a probe of pixels")
        };
        probe
    }

    fn error(line: &str) -> String {
        let errors = Script::parse(format!("{REQUIRE}{line}\n").as_bytes()).unwrap_err();
        format!("{}: {}", errors[0].column, errors[0].message)
    }

    fn region(x: u32, y: u32, width: u32, height: u32) -> Region {
        Region {
            x,
            y,
            width,
            height,
        }
    }

    #[test]
    fn prefixes_name_surfaces() {
        for (line, surface) in [
            ("probe all rgba 0 0 0 0", "attachment 0"),
            ("probe attachment 1 all rgb 0 0 0", "attachment 1"),
            (
                "probe attachment 3 layer 1 sample 3 rect rgb (0, 0, 1, 1) (0, 0, 0)",
                "attachment 3, layer 1, sample 3",
            ),
            ("probe sample 0 rgb 0 0 0 0 0", "attachment 0, sample 0"),
            ("probe layer 1 all depth 0.5", "the depth buffer, layer 1"),
            (
                "relative probe sample 2 rect stencil (0, 0, 1, 1) 255",
                "the stencil buffer, sample 2",
            ),
        ] {
            assert_eq!(probe(line).surface.to_string(), surface);
        }
    }

    #[test]
    fn regions_take_every_form() {
        let whole = region(0, 0, 16, 8);
        assert_eq!(probe("probe all depth 1").region, whole);
        assert_eq!(
            probe("relative probe rect rgb (0, 0, 1, 1) (0, 0, 0)").region,
            whole
        );
        assert_eq!(
            probe("probe rect depth (1, 2, 3, 4) 1").region,
            region(1, 2, 3, 4)
        );
        assert_eq!(probe("probe depth 5 6 0.5").region, region(5, 6, 1, 1));
        assert_eq!(
            probe("relative probe stencil (1, 0.5) 7").region,
            region(15, 4, 1, 1)
        );
        let piglit = probe("relative probe rect rgba int (0, 0, 0.5, 1) (1, 2, 3, 4)");
        assert_eq!(piglit.region, region(0, 0, 8, 8));
        assert_eq!(probe("probe warn all rgba 0 0 0 1").region, whole);
    }

    #[test]
    fn expected_values_follow_the_attachment() {
        let found = probe("probe attachment 1 all rgba 0xffffffff 1 -2 3");
        let values = [4294967295.0, 1.0, -2.0, 3.0];
        assert_eq!(
            found.expected,
            Expected {
                values,
                components: 4
            }
        );
        let found = probe("probe depth 0 0 0.25");
        assert_eq!(
            (found.expected.values[0], found.expected.components),
            (0.25, 1)
        );
    }

    #[test]
    fn bad_probes_are_errors() {
        for (line, message) in [
            (
                "probe attachment 2 all rgb 0 0 0",
                "18: the framebuffer has no attachment 2",
            ),
            (
                "probe layer 2 all rgb 0 0 0",
                "13: `2` is not a layer of the framebuffer, which has 2",
            ),
            (
                "probe sample 4 all rgb 0 0 0",
                "14: `4` is not a sample of the framebuffer, which has 4",
            ),
            (
                "probe attachment 1 all depth 0",
                "24: only colors belong to an attachment",
            ),
            (
                "probe attachment 1 all rgb 0.5 0 0",
                "28: `0.5` is not a whole number, as the attachment holds",
            ),
            (
                "probe all stencil 0.5",
                "19: `0.5` is not a whole number, as the attachment holds",
            ),
            ("probe all depth", "16: a color component is missing"),
            ("probe all rgb 0 0 0 0", "21: `0` is one word too many"),
            (
                "probe sample 1 layer 1 all rgb 0 0 0",
                "16: expected `all`, `rect`, `rgb`, `rgba`, `depth`, `stencil`, `attachment`, `layer`, `sample`, `buffer`, `ssbo`, `ubo`, `counter`, `xfb` or `image`",
            ),
            (
                "probe all alpha 1",
                "11: `alpha` is not `rgb`, `rgba`, `depth` or `stencil`",
            ),
            ("probe depth -1 0 1", "13: `-1` is not a coordinate"),
        ] {
            assert_eq!(error(line), message, "{line}");
        }
    }

    #[test]
    fn planes_must_exist() {
        for (require, line, message) in [
            (
                "",
                "probe all depth 1",
                "the framebuffer has no depth buffer",
            ),
            (
                "depthstencil D16_UNORM",
                "probe all stencil 1",
                "the framebuffer has no stencil buffer",
            ),
            (
                "framebuffer none",
                "probe all rgb 1 1 1",
                "the framebuffer has no attachment 0",
            ),
            (
                "",
                "save stencil image a.png",
                "the framebuffer has no stencil buffer",
            ),
        ] {
            let text = format!("[require]\n{require}\n[test]\n{line}\n");
            let errors = Script::parse(text.as_bytes()).unwrap_err();
            assert_eq!(errors[0].message, message);
        }
    }

    #[test]
    fn pictures_show_surfaces() {
        let saved = |line: &str| {
            let script = Script::parse(format!("{REQUIRE}{line}\n").as_bytes()).unwrap();
            let Command::SaveImage { name, surface } = &script.steps[0].command else {
                panic!("a picture")
            };
            (name.clone(), surface.to_string())
        };
        let picture = |surface: &str| ("a.png".to_owned(), surface.to_owned());
        assert_eq!(saved("save image a.png"), picture("attachment 0"));
        assert_eq!(
            saved("save attachment 3 layer 1 image a.png"),
            picture("attachment 3, layer 1")
        );
        assert_eq!(saved("save depth image a.png"), picture("the depth buffer"));
        assert_eq!(
            saved("save sample 2 stencil image a.png"),
            picture("the stencil buffer, sample 2")
        );
        assert_eq!(
            error("save attachment 1 depth image a.png"),
            "19: `depth` is not `image`"
        );
    }
}
