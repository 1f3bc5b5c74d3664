//! Commands that draw, clear and dispatch: `clear`, `draw`, `compute`, `patch`, `enable`, `disable`.

use super::command::{Command, Draw, DrawSource};
use super::test::TestParser;
use super::words::{LineError, Words};
use ash::vk;

/// Names of topologies: Vulkan's, then GL's. GL's quads, polygons and line loops have no counterpart.
const TOPOLOGIES: &[(&str, &str, vk::PrimitiveTopology)] = &[
    ("POINT_LIST", "GL_POINTS", vk::PrimitiveTopology::POINT_LIST),
    ("LINE_LIST", "GL_LINES", vk::PrimitiveTopology::LINE_LIST),
    (
        "LINE_STRIP",
        "GL_LINE_STRIP",
        vk::PrimitiveTopology::LINE_STRIP,
    ),
    (
        "TRIANGLE_LIST",
        "GL_TRIANGLES",
        vk::PrimitiveTopology::TRIANGLE_LIST,
    ),
    (
        "TRIANGLE_STRIP",
        "GL_TRIANGLE_STRIP",
        vk::PrimitiveTopology::TRIANGLE_STRIP,
    ),
    (
        "TRIANGLE_FAN",
        "GL_TRIANGLE_FAN",
        vk::PrimitiveTopology::TRIANGLE_FAN,
    ),
    (
        "LINE_LIST_WITH_ADJACENCY",
        "GL_LINES_ADJACENCY",
        vk::PrimitiveTopology::LINE_LIST_WITH_ADJACENCY,
    ),
    (
        "LINE_STRIP_WITH_ADJACENCY",
        "GL_LINE_STRIP_ADJACENCY",
        vk::PrimitiveTopology::LINE_STRIP_WITH_ADJACENCY,
    ),
    (
        "TRIANGLE_LIST_WITH_ADJACENCY",
        "GL_TRIANGLES_ADJACENCY",
        vk::PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY,
    ),
    (
        "TRIANGLE_STRIP_WITH_ADJACENCY",
        "GL_TRIANGLE_STRIP_ADJACENCY",
        vk::PrimitiveTopology::TRIANGLE_STRIP_WITH_ADJACENCY,
    ),
    (
        "PATCH_LIST",
        "GL_PATCHES",
        vk::PrimitiveTopology::PATCH_LIST,
    ),
];

fn parse_topology(word: &str) -> Option<vk::PrimitiveTopology> {
    let name = word.strip_prefix("VK_PRIMITIVE_TOPOLOGY_").unwrap_or(word);
    // Without prefix GL's plural names are as common in scripts as Vulkan's.
    let matches = |gl: &str| gl == name || gl.strip_prefix("GL_") == Some(name);
    TOPOLOGIES
        .iter()
        .find(|(vulkan, gl, _)| *vulkan == name || matches(gl))
        .map(|(_, _, topology)| *topology)
}

/// `clear`, `clear color R G B A`, `clear depth D`, `clear stencil S`
pub(super) fn parse_clear(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    match words.peek() {
        None => {
            let super::test::ClearValues {
                color,
                depth,
                stencil,
            } = parser.clear;
            return parser.push(
                words,
                Command::Clear {
                    color,
                    depth,
                    stencil,
                },
            );
        }
        Some("color") => {
            words.word("color")?;
            parser.clear.color = words.floats("a color component")?;
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

/// `compute X Y Z`
pub(super) fn parse_compute(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let mut count = || words.number("a number of work groups");
    let groups = [count()?, count()?, count()?];
    parser.push(words, Command::Compute(groups))
}

/// `patch parameter vertices N`
pub(super) fn parse_patch(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    words.parse_with("`parameter`", |word| (word == "parameter").then_some(()))?;
    words.parse_with("`vertices`", |word| (word == "vertices").then_some(()))?;
    parser.pipeline.patch_control_points = words.unsigned32("a number of vertices")?;
    words.finish()
}

/// Whether a capability is switched on or off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Switch {
    On,
    Off,
}

/// `enable GL_...`, `disable GL_...`
pub(super) fn parse_enable(
    parser: &mut TestParser,
    switch: Switch,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let on = switch == Switch::On;
    match words.word("a GL capability")? {
        // GL writes depth wherever it tests it.
        "GL_DEPTH_TEST" => (parser.pipeline.depth_test, parser.pipeline.depth_write) = (on, on),
        "GL_DEPTH_CLAMP" => parser.pipeline.depth_clamp = on,
        "GL_BLEND" => parser.pipeline.blend = on,
        "GL_STENCIL_TEST" => parser.pipeline.stencil_test = on,
        "GL_CULL_FACE" if on => parser.pipeline.cull_mode = vk::CullModeFlags::BACK,
        "GL_CULL_FACE" => parser.pipeline.cull_mode = vk::CullModeFlags::NONE,
        name => return Err(words.error_at_last(format!("`{name}` is not supported"))),
    }
    words.finish()
}

/// `draw [instanced] rect ...`, `draw arrays ...`
pub(super) fn parse_draw(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    match words.word("`rect` or `arrays`")? {
        "rect" => parse_rect(parser, Instances::One, words),
        "arrays" => parse_arrays(parser, words),
        "instanced" => {
            words.parse_with("`rect`", |word| (word == "rect").then_some(()))?;
            parse_rect(parser, Instances::Given, words)
        }
        _ => Err(words.error_at_last("expected `rect` or `arrays`")),
    }
}

/// How many instances are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Instances {
    One,
    /// As many as the line says.
    Given,
}

/// The rest of `draw [instanced] rect [tex] [ortho] [patch] [INSTANCES] X Y W H [S T W H]`.
fn parse_rect(
    parser: &mut TestParser,
    instances: Instances,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let textured = words.take("tex").is_some();
    let ortho = words.take("ortho").is_some();
    let patch = words.take("patch").is_some();
    let instances = match instances {
        Instances::One => 1,
        Instances::Given => words.unsigned32("a number of instances")?,
    };
    let mut position: [f32; 4] = words.floats("a coordinate")?;
    if ortho {
        let [width, height] = parser.framebuffer.map(|side| side as f32);
        let [x, y, w, h] = position;
        position = [
            x * 2.0 / width - 1.0,
            y * 2.0 / height - 1.0,
            w * 2.0 / width,
            h * 2.0 / height,
        ];
    }
    let texcoord = if textured {
        Some(words.floats("a texture coordinate")?)
    } else {
        None
    };
    let mut state = parser.pipeline;
    let topology = if patch {
        state.patch_control_points = 4;
        vk::PrimitiveTopology::PATCH_LIST
    } else {
        vk::PrimitiveTopology::TRIANGLE_STRIP
    };
    let draw = Draw {
        state,
        topology,
        source: DrawSource::Rect { position, texcoord },
        instances,
    };
    parser.push(words, Command::Draw(draw))
}

/// The rest of `draw arrays [indexed] [instanced] TOPOLOGY FIRST COUNT [INSTANCES]`.
fn parse_arrays(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    let indexed = words.take("indexed").is_some();
    let instanced = words.take("instanced").is_some();
    let topology = words.parse_with("a topology", parse_topology)?;
    let first = words.unsigned32("the first vertex")?;
    let count = words.unsigned32("a number of vertices")?;
    let instances = if instanced {
        words.unsigned32("a number of instances")?
    } else {
        1
    };
    let source = match indexed {
        true => DrawSource::Indexed {
            vertex_offset: first,
            count,
        },
        false => DrawSource::Arrays { first, count },
    };
    parser.push(
        words,
        Command::Draw(Draw {
            state: parser.pipeline,
            topology,
            source,
            instances,
        }),
    )
}
