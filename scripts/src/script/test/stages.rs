//! Names of stages, and commands about stages: `... entrypoint`, `provoking`.

use super::parser::TestParser;
use crate::script::pipeline_state::ProvokingVertex;
use crate::script::section::STAGE_NAMES;
use crate::script::words::{LineError, Words};
use glasm::ir::Stage;

const STAGE_SUFFIXES: &[(&str, Stage)] = &[
    ("vp", Stage::Vertex),
    ("tcp", Stage::TessControl),
    ("tep", Stage::TessEval),
    ("gp", Stage::Geometry),
    ("fp", Stage::Fragment),
    ("cp", Stage::Compute),
];

/// Names of entry points that a script may use.
const MAX_ENTRY_NAMES: usize = 1000;

/// Parses the one or two words of a stage.
pub(super) fn parse_stage(words: &mut Words<'_>) -> Result<Stage, LineError> {
    let mut name = words.word("a stage")?.to_owned();
    if name.starts_with("tess") {
        name = format!("{name} {}", words.word("`control` or `eval`")?);
    }
    match STAGE_NAMES.iter().find(|(known, _)| *known == name) {
        Some((_, program_type)) => Ok(program_type.stage()),
        None => Err(words.error_at_last("expected a stage")),
    }
}

/// Parses the stage of `vp`, `tcp`, `tep`, `gp`, `fp` or `cp`.
pub(super) fn parse_stage_suffix(suffix: &str) -> Option<Stage> {
    let found = STAGE_SUFFIXES.iter().find(|(text, _)| *text == suffix);
    found.map(|(_, stage)| *stage)
}

/// Parses the rest of `STAGE entrypoint NAME`, after the first word `STAGE`.
pub(super) fn parse_entry_point(
    parser: &mut TestParser,
    stage: Stage,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    words.parse_with("`entrypoint`", |word| (word == "entrypoint").then_some(()))?;
    let name = words.word("the name of an entry point")?;
    words.finish()?;
    let known = parser.entry_names.iter().position(|known| known == name);
    let number = known.unwrap_or(parser.entry_names.len());
    if known.is_none() {
        if number >= MAX_ENTRY_NAMES {
            return Err(words.error_at_last("too many entry points"));
        }
        parser.entry_names.push(name.to_owned());
    }
    parser.pipeline.entry_points.set(stage, number as u16);
    Ok(())
}

/// Parses `tess control entrypoint NAME`, and the other stages of two words.
pub(super) fn parse_tessellation(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let stage = words.parse_with("`control` or `eval`", |word| {
        STAGE_NAMES
            .iter()
            .find(|(name, _)| name.strip_prefix("tess ") == Some(word))
            .map(|(_, program_type)| program_type.stage())
    })?;
    parse_entry_point(parser, stage, words)
}

/// Parses `provoking vertex first|last`.
pub(super) fn parse_provoking(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    words.parse_with("`vertex`", |word| (word == "vertex").then_some(()))?;
    parser.pipeline.provoking_vertex =
        words.parse_with("`first` or `last`", |word| match word {
            "first" => Some(ProvokingVertex::First),
            "last" => Some(ProvokingVertex::Last),
            _ => None,
        })?;
    words.finish()
}
