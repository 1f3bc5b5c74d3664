//! Commands that draw and dispatch: `draw`, `compute`, `patch`.

use super::buffer_ranges::parse_indirect;
use super::parser::TestParser;
use super::stage_names::parse_entry_point;
use crate::script::command::{
    Command, Divisors, Draw, DrawSource, GlOutcome, GroupCount, IndexWidth, PrimitiveAssembly,
};
use crate::script::tokenizer::{LineError, WordCursor};
use crate::script::vertex_data::{ATTRIBUTES, attribute_location};
use ash::vk;
use glasm::ir::Stage;

/// Names of topologies: Vulkan's, then GL's.
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

/// Topologies that only GL has, and their decomposition.
const ASSEMBLIES: &[(&str, PrimitiveAssembly, vk::PrimitiveTopology)] = &[
    (
        "GL_QUADS",
        PrimitiveAssembly::Quads,
        vk::PrimitiveTopology::TRIANGLE_LIST,
    ),
    (
        "GL_QUAD_STRIP",
        PrimitiveAssembly::QuadStrip,
        vk::PrimitiveTopology::TRIANGLE_LIST,
    ),
    (
        "GL_POLYGON",
        PrimitiveAssembly::Polygon,
        vk::PrimitiveTopology::TRIANGLE_LIST,
    ),
    (
        "GL_LINE_LOOP",
        PrimitiveAssembly::LineLoop,
        vk::PrimitiveTopology::LINE_LIST,
    ),
];

/// Parses the name of a primitive topology, of Vulkan or GL, with or without prefix. GL's modes
/// that Vulkan lacks result in a list topology and the assembly that converts their vertices to it.
/// `None` if the name is unknown.
fn parse_topology(word: &str) -> Option<(vk::PrimitiveTopology, PrimitiveAssembly)> {
    let name = word.strip_prefix("VK_PRIMITIVE_TOPOLOGY_").unwrap_or(word);
    // Without prefix GL's plural names are as common in scripts as Vulkan's.
    let matches = |gl: &str| gl == name || gl.strip_prefix("GL_") == Some(name);
    let vulkan = TOPOLOGIES
        .iter()
        .find(|(vulkan, gl, _)| *vulkan == name || matches(gl))
        .map(|(_, _, topology)| (*topology, PrimitiveAssembly::Direct));
    let opengl = || {
        let decomposition = ASSEMBLIES.iter().find(|(gl, ..)| matches(gl));
        decomposition.map(|(_, assembly, topology)| (*topology, *assembly))
    };
    vulkan.or_else(opengl)
}

impl Draw {
    /// Returns GL's name of the primitive mode of the draw, without `GL_`.
    pub fn gl_mode_name(&self) -> &'static str {
        let assembly = ASSEMBLIES.iter().find(|(_, it, _)| *it == self.assembly);
        let topology = TOPOLOGIES.iter().find(|(.., it)| *it == self.topology);
        let name = match self.assembly {
            PrimitiveAssembly::Direct => topology.map(|(_, gl, _)| *gl),
            PrimitiveAssembly::Quads
            | PrimitiveAssembly::QuadStrip
            | PrimitiveAssembly::Polygon
            | PrimitiveAssembly::LineLoop => assembly.map(|(gl, ..)| *gl),
        };
        name.map_or("", |gl| gl.trim_start_matches("GL_"))
    }
}

/// Parses the argument of `topology NAME`, a property in VkRunner, and ignores it, because every
/// draw names its topology.
pub(super) fn parse_topology_property(
    _parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    words.parse_with("a topology", parse_topology)?;
    words.expect_end()
}

/// Parses the arguments of `index type uint8|uint16|uint32`, and stores the width of the indices of
/// later draws.
pub(super) fn parse_index_type(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    words.parse_with("`type`", |word| (word == "type").then_some(()))?;
    parser.index_width = words.parse_with("`uint8`, `uint16` or `uint32`", |word| match word {
        "uint8" => Some(IndexWidth::U8),
        "uint16" => Some(IndexWidth::U16),
        "uint32" => Some(IndexWidth::U32),
        _ => None,
    })?;
    words.expect_end()
}

/// Parses `ATTRIBUTE N` after `vertex divisor`, and stores the number of instances that share a
/// value of the attribute in later draws.
pub(super) fn parse_divisor(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let what = format!("an attribute name or a number below {ATTRIBUTES}");
    let location = words.parse_with(&what, attribute_location)?;
    parser.divisors.0[location as usize] =
        words.parse_number("a number of instances below 65536")?;
    words.expect_end()
}

/// Parses the arguments of `compute X Y Z [local_size X Y Z]` or `compute indirect NAME [OFFSET]
/// [local_size X Y Z]`, and appends the command; or of `compute entrypoint NAME`, which sets the
/// entry point of later commands.
pub(super) fn parse_compute(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    if words.peek() == Some("entrypoint") {
        return parse_entry_point(parser, Stage::Compute, words);
    }
    let groups = if words.take_if("indirect").is_some() {
        GroupCount::Indirect(parse_indirect(parser, words)?)
    } else {
        let mut count = || words.parse_number("a number of work groups");
        GroupCount::Direct([count()?, count()?, count()?])
    };
    // Older scripts say `group`.
    let has_size = words
        .take_if("local_size")
        .or_else(|| words.take_if("group"));
    let size = match has_size {
        Some(()) => {
            let mut size = || {
                words.parse_with("a size of work groups", |word| {
                    word.parse().ok().filter(|size| *size > 0)
                })
            };
            Some([size()?, size()?, size()?])
        }
        None => None,
    };
    let entry_point = parser.pipeline.entry_points.get(Stage::Compute);
    parser.push_command(
        words,
        Command::Compute {
            groups,
            size,
            entry_point,
        },
    )
}

/// Parses the arguments of `patch parameter vertices N`, `patch parameter default level outer A B C
/// D` or `patch parameter default level inner A B`, and stores them for later draws.
pub(super) fn parse_patch(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    words.parse_with("`parameter`", |word| (word == "parameter").then_some(()))?;
    match words.next_word("`vertices` or `default`")? {
        "vertices" => {
            parser.pipeline.patch_control_points = words
                .parse_with("a number of vertices from 1 to 32", |word| {
                    word.parse().ok().filter(|count| (1..=32).contains(count))
                })?;
        }
        "default" => {
            words.parse_with("`level`", |word| (word == "level").then_some(()))?;
            let range = words.parse_with("`outer` or `inner`", |word| match word {
                "outer" => Some(0..4),
                "inner" => Some(4..6),
                _ => None,
            })?;
            for level in &mut parser.pipeline.tess_levels[range] {
                *level = words.parse_number("a tessellation level")?;
            }
        }
        _ => return Err(words.error_at_last("expected `vertices` or `default`")),
    }
    words.expect_end()
}

/// Parses the arguments of `draw [instanced] rect ...` or `draw arrays ...`, and appends the
/// command with the pipeline state in force.
pub(super) fn parse_draw(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    match words.next_word("`rect` or `arrays`")? {
        "rect" => parse_rect(parser, Instances::One, words),
        "arrays" => parse_arrays(parser, words),
        "instanced" => {
            words.parse_with("`rect`", |word| (word == "rect").then_some(()))?;
            parse_rect(parser, Instances::Explicit, words)
        }
        _ => Err(words.error_at_last("expected `rect` or `arrays`")),
    }
}

/// Number of instances of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Instances {
    One,
    /// Number of instances in the line.
    Explicit,
}

/// Consumes `fails`, with which GL must reject the command, if it is the next word.
fn parse_outcome(words: &mut WordCursor<'_>) -> GlOutcome {
    match words.take_if("fails") {
        Some(()) => GlOutcome::Rejected,
        None => GlOutcome::Accepted,
    }
}

/// Parses `N [fails]` after `vertex limit`, and appends the command.
pub(super) fn parse_vertex_limit(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let limit = words.parse_number("a number of vertices")?;
    let outcome = parse_outcome(words);
    parser.push_command(words, Command::VertexLimit { limit, outcome })
}

/// Parses `[tex] [ortho] [patch] [INSTANCES] X Y W H [S T W H] [fails]` after `draw [instanced]
/// rect`, and appends the draw of a rectangle, or of its corners as a patch. Coordinates are in
/// clip space, with `ortho` in pixels.
fn parse_rect(
    parser: &mut TestParser,
    instances: Instances,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let (mut textured, mut ortho, mut patch) = (false, false, false);
    loop {
        let option = match words.peek() {
            Some("tex") => &mut textured,
            Some("ortho") => &mut ortho,
            Some("patch") => &mut patch,
            _ => break,
        };
        if *option {
            return Err(words.error_at_next("a word is repeated"));
        }
        *option = true;
        words.next_word("an option")?;
    }
    let instances = match instances {
        Instances::One => 1,
        Instances::Explicit => words.parse_u32("a number of instances")?,
    };
    let mut position: [f32; 4] = words.parse_floats("a coordinate")?;
    if ortho {
        // With `ortho`, coordinates are in pixels, otherwise in clip space.
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
        Some(words.parse_floats("a texture coordinate")?)
    } else {
        None
    };
    let mut state = parser.pipeline;
    let topology = if patch {
        // The corners are the patch, regardless of `patch parameter vertices`.
        state.patch_control_points = 4;
        vk::PrimitiveTopology::PATCH_LIST
    } else {
        vk::PrimitiveTopology::TRIANGLE_STRIP
    };
    let draw = Draw {
        state,
        topology,
        assembly: PrimitiveAssembly::Direct,
        source: DrawSource::Rect { position, texcoord },
        // The corners are not of `[vertex data]`, whose attributes step with instances.
        divisors: Divisors::default(),
        instances,
        first_instance: 0,
        outcome: parse_outcome(words),
    };
    parser.push_command(words, Command::Draw(Box::new(draw)))
}

/// Parses `[indexed] [instanced] TOPOLOGY FIRST COUNT [INSTANCES] [first_index N] [first_instance
/// N] [fails]` after `draw arrays`, and appends the draw. With `indexed` FIRST is added to each
/// index.
fn parse_arrays(parser: &mut TestParser, words: &mut WordCursor<'_>) -> Result<(), LineError> {
    let (mut indexed, mut instanced) = (false, false);
    loop {
        let option = match words.peek() {
            Some("indexed") => &mut indexed,
            Some("instanced") => &mut instanced,
            _ => break,
        };
        if *option {
            return Err(words.error_at_next("a word is repeated"));
        }
        *option = true;
        words.next_word("an option")?;
    }
    let (topology, assembly) = words.parse_with("a topology", parse_topology)?;
    let source = if indexed {
        DrawSource::Indexed {
            vertex_offset: words.parse_number("a number to add to indices")?,
            count: words.parse_u32("a number of indices")?,
            first: 0,
            width: parser.index_width,
        }
    } else {
        DrawSource::Arrays {
            first: words.parse_u32("the first vertex")?,
            count: words.parse_u32("a number of vertices")?,
        }
    };
    let instances = if instanced {
        words.parse_u32("a number of instances")?
    } else {
        1
    };
    let mut draw = Draw {
        state: parser.pipeline,
        topology,
        assembly,
        source,
        divisors: parser.divisors,
        instances,
        first_instance: 0,
        outcome: GlOutcome::Accepted,
    };
    parse_first_indices(&mut draw, words)?;
    draw.outcome = parse_outcome(words);
    check_draw(&draw, words)?;
    parser.push_command(words, Command::Draw(Box::new(draw)))
}

/// Consumes `first_index N`, only for indexed draws, and `first_instance N` in any order, up to
/// `fails` or the end of the line, and stores them in the draw.
fn parse_first_indices(draw: &mut Draw, words: &mut WordCursor<'_>) -> Result<(), LineError> {
    while !words.is_empty() && words.peek() != Some("fails") {
        match (words.next_word("`first_instance`")?, &mut draw.source) {
            ("first_instance", _) => {
                draw.first_instance = words.parse_u32("the first instance")?;
            }
            ("first_index", DrawSource::Indexed { first, .. }) => {
                *first = words.parse_u32("the first index")?;
            }
            _ => return Err(words.error_at_last("expected `first_instance`, or `first_index`")),
        }
    }
    Ok(())
}

/// Returns an error, at the last consumed word, if the end of the vertices, indices or instances of
/// a draw exceeds 32 bits.
fn check_draw(draw: &Draw, words: &WordCursor<'_>) -> Result<(), LineError> {
    let (first, count) = match draw.source {
        DrawSource::Rect { .. } => (0, 4),
        DrawSource::Arrays { first, count } | DrawSource::Indexed { first, count, .. } => {
            (first, count)
        }
    };
    let fits = first.checked_add(count).is_some();
    if fits && draw.first_instance.checked_add(draw.instances).is_some() {
        Ok(())
    } else {
        Err(words.error_at_last("the draw is too large"))
    }
}
