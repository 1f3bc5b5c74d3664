//! The `[test]` section: the table of commands by their first words, and a file for each group of
//! commands. `provoking` is parsed here.
//!
//! The files share [`parser`], which has the state that later commands use, and files that parse
//! words of several commands: [`buffer_ranges`], [`pixel_probes`], [`stage_names`].

mod attachments;
mod buffer_ranges;
mod buffers;
mod draws;
mod feedback;
mod fixed_function;
pub(super) mod fixed_state;
pub(super) mod gl_state;
pub(super) mod parameters;
pub(super) mod parser;
mod pixel_probes;
pub(super) mod properties;
mod query_probes;
mod register_combiners;
mod stage_names;
mod texture_shaders;
pub(super) mod textures;
mod vertex_programs;

use super::command::Switch;
use super::pipeline_state::ProvokingVertex;
use super::tokenizer::{LineError, WordCursor};
use glasm::ir::Stage;
use pixel_probes::Coordinates;
use properties::set_property;
use stage_names::{parse_entry_point, parse_tess_entry_point};

pub(super) use parser::TestParser;

/// Reads the rest of a line.
type ParseCommand = fn(&mut TestParser, &mut WordCursor<'_>) -> Result<(), LineError>;

/// Every command by its first word. Lines with other first words set pipeline state.
pub(crate) const COMMANDS: &[(&str, ParseCommand)] = &[
    (
        "active_texture",
        textures::tex_parameters::parse_active_texture,
    ),
    ("atomic", buffers::parse_atomic),
    ("attachment", attachments::parse_attachment_command),
    ("bind", buffers::parse_bind),
    ("buffer", buffers::parse_buffer),
    ("clear", attachments::parse_clear),
    ("clipplane", gl_state::parse_clip_plane),
    ("color", |parser, words| {
        parameters::parse_current_value(parser, 3, words)
    }),
    ("colormaterial", gl_state::parse_color_material),
    ("combiner", register_combiners::parse_combiner),
    ("compute", draws::parse_compute),
    ("counter", buffers::parse_counter),
    ("depthfunc", fixed_function::parse_depth_func),
    ("depthrange", fixed_function::parse_depth_range),
    ("disable", |parser, words| {
        fixed_function::parse_enable(parser, Switch::Off, words)
    }),
    ("draw", draws::parse_draw),
    ("enable", |parser, words| {
        fixed_function::parse_enable(parser, Switch::On, words)
    }),
    ("execute", vertex_programs::parse_execute_program),
    ("expect", query_probes::parse_expect),
    ("fog", gl_state::parse_fog),
    ("fragment", |parser, words| {
        parse_entry_point(parser, Stage::Fragment, words)
    }),
    ("frustum", parameters::parse_piglit_frustum),
    ("geometry", |parser, words| {
        parse_entry_point(parser, Stage::Geometry, words)
    }),
    ("image", textures::images::parse_image),
    ("index", draws::parse_index_type),
    ("light", gl_state::parse_light),
    ("lightmodel", gl_state::parse_light_model),
    ("load", query_probes::parse_load),
    ("material", gl_state::parse_material),
    ("matrix", parameters::parse_matrix),
    ("ortho", parameters::parse_piglit_ortho),
    ("parameter", parameters::parse_parameter),
    ("patch", draws::parse_patch),
    ("point", gl_state::parse_point),
    ("polygon", fixed_function::parse_polygon_mode),
    ("print", buffers::parse_print),
    ("probe", |parser, words| {
        query_probes::parse_probe(parser, Coordinates::Pixels, words)
    }),
    ("provoking", parse_provoking),
    ("push", buffers::parse_push),
    ("relative", query_probes::parse_relative),
    ("save", pixel_probes::parse_save),
    ("ssbo", buffers::parse_ssbo),
    ("tess", parse_tess_entry_point),
    ("tessellation", parse_tess_entry_point),
    ("texcoord", parameters::parse_texcoord),
    ("texenv", gl_state::parse_texenv),
    ("texgen", gl_state::parse_texgen),
    ("texparameter", textures::tex_parameters::parse_texparameter),
    ("texture", textures::parse_texture),
    ("texture_shader", texture_shaders::parse_texture_shader),
    ("tolerance", query_probes::parse_tolerance),
    ("topology", draws::parse_topology_property),
    ("trace", pixel_probes::parse_trace),
    ("track_matrix", vertex_programs::parse_track_matrix),
    ("ubo", buffers::parse_ubo),
    ("uniform", buffers::parse_uniform),
    ("vertex", parameters::parse_vertex_attrib),
    ("xfb", feedback::parse_xfb),
];

/// Former first words of commands, which older scripts use, and their present ones.
pub(super) const FORMER_COMMANDS: &[(&str, &str)] =
    &[("state", "execute"), ("track", "track_matrix")];

/// Parses one line of the section with the parser of its first word, which appends its command to
/// the steps of the script or stores state for later lines. Lines that begin with no command set a
/// property of the pipeline. Returns an error for unknown words.
pub(crate) fn parse_command(
    parser: &mut TestParser,
    line: u32,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    parser.line = line;
    let word = words.next_word("a command")?;
    let former = FORMER_COMMANDS.iter().find(|(former, _)| *former == word);
    let command = former.map_or(word, |(_, present)| present);
    match COMMANDS.iter().find(|(name, _)| *name == command) {
        Some((_, parse)) => parse(parser, words),
        None => set_property(&mut parser.pipeline, word, words)
            .unwrap_or_else(|| Err(words.error_at_last(format!("unknown command `{word}`")))),
    }
}

/// Parses the arguments of `provoking vertex first|last`, and stores the provoking vertex of later
/// draws.
fn parse_provoking(parser: &mut TestParser, words: &mut WordCursor<'_>) -> Result<(), LineError> {
    words.parse_with("`vertex`", |word| (word == "vertex").then_some(()))?;
    parser.pipeline.provoking_vertex =
        words.parse_with("`first` or `last`", |word| match word {
            "first" => Some(ProvokingVertex::First),
            "last" => Some(ProvokingVertex::Last),
            _ => None,
        })?;
    words.expect_end()
}
