//! The `[test]` section: the table of commands by their first words, and a file for each group of
//! commands.
//!
//! The files share [`parser`], which has the state that later commands use, and files that parse
//! words of several commands: [`places`], [`values`], [`stages`], [`pixel_probes`].

mod atomic;
mod attachments;
mod buffers;
mod draws;
mod expect;
mod feedback;
pub(super) mod finish;
mod fixed_function;
pub(super) mod fixed_state;
pub(super) mod gl_state;
pub(super) mod matrices;
mod parameters;
pub(super) mod parser;
mod pixel_probes;
mod places;
mod probes;
pub(super) mod properties;
mod queries;
mod stages;
pub(super) mod textures;
mod values;
mod vertex_programs;

pub(super) use finish::finish;
pub(super) use parser::TestParser;

use crate::script::command::Switch;
use crate::script::words::{LineError, Words};
use glasm::ir::Stage;
use pixel_probes::Coordinates;
use properties::set_property;

/// Reads the rest of a line.
type ParseCommand = fn(&mut TestParser, &mut Words<'_>) -> Result<(), LineError>;

/// Every command by its first word. Lines with other first words set pipeline state.
pub(crate) const COMMANDS: &[(&str, ParseCommand)] = &[
    ("active_texture", textures::params::parse_active_texture),
    ("atomic", atomic::parse_atomic),
    ("attachment", attachments::parse_attachment_command),
    ("bind", buffers::parse_bind),
    ("buffer", buffers::parse_buffer),
    ("clear", attachments::parse_clear),
    ("clipplane", gl_state::parse_clip_plane),
    ("color", |parser, words| {
        parameters::parse_current(parser, 3, words)
    }),
    ("colormaterial", gl_state::parse_color_material),
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
    ("expect", expect::parse_expect),
    ("fog", gl_state::parse_fog),
    ("fragment", |parser, words| {
        stages::parse_entry_point(parser, Stage::Fragment, words)
    }),
    ("frustum", matrices::parse_piglit_frustum),
    ("geometry", |parser, words| {
        stages::parse_entry_point(parser, Stage::Geometry, words)
    }),
    ("image", textures::images::parse_image),
    ("index", draws::parse_index_type),
    ("light", gl_state::parse_light),
    ("lightmodel", gl_state::parse_light_model),
    ("load", expect::parse_load),
    ("material", gl_state::parse_material),
    ("matrix", matrices::parse_matrix),
    ("ortho", matrices::parse_piglit_ortho),
    ("parameter", parameters::parse_parameter),
    ("patch", draws::parse_patch),
    ("point", gl_state::parse_point),
    ("polygon", fixed_function::parse_polygon_mode),
    ("print", buffers::parse_print),
    ("probe", |parser, words| {
        probes::parse_probe(parser, Coordinates::Pixels, words)
    }),
    ("provoking", stages::parse_provoking),
    ("push", buffers::parse_push),
    ("relative", probes::parse_relative),
    ("save", pixel_probes::parse_save),
    ("ssbo", buffers::parse_ssbo),
    ("state", vertex_programs::parse_state_program),
    ("tess", stages::parse_tessellation),
    ("tessellation", stages::parse_tessellation),
    ("texcoord", parameters::parse_texcoord),
    ("texenv", gl_state::parse_texenv),
    ("texgen", gl_state::parse_texgen),
    ("texparameter", textures::params::parse_texparameter),
    ("texture", textures::parse_texture),
    ("tolerance", probes::parse_tolerance),
    ("topology", draws::parse_topology_property),
    ("track", vertex_programs::parse_track),
    ("ubo", buffers::parse_ubo),
    ("uniform", buffers::parse_uniform),
    ("vertex", parameters::parse_vertex_attrib),
    ("xfb", feedback::parse_xfb),
];

/// Reads one line.
pub(crate) fn parse_line(
    parser: &mut TestParser,
    line: u32,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    parser.line = line;
    let word = words.word("a command")?;
    match COMMANDS.iter().find(|(name, _)| *name == word) {
        Some((_, parse)) => parse(parser, words),
        None => set_property(&mut parser.pipeline, word, words)
            .unwrap_or_else(|| Err(words.error_at_last(format!("unknown command `{word}`")))),
    }
}
