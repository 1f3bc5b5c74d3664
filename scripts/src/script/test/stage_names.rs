//! Names of stages, and `... entrypoint`.

use super::super::section::STAGE_NAMES;
use super::super::tokenizer::{LineError, WordCursor};
use super::parser::TestParser;
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

/// Consumes the one or two words of a stage.
pub(super) fn parse_stage(words: &mut WordCursor<'_>) -> Result<Stage, LineError> {
    let mut name = words.next_word("a stage")?.to_owned();
    if name.starts_with("tess") {
        name = format!("{name} {}", words.next_word("`control` or `eval`")?);
    }
    match STAGE_NAMES.iter().find(|(known, _)| *known == name) {
        Some((_, program_type)) => Ok(program_type.stage()),
        None => Err(words.error_at_last("expected a stage")),
    }
}

/// Returns the stage of `vp`, `tcp`, `tep`, `gp`, `fp` or `cp`; `None` for any other string.
pub(super) fn parse_stage_suffix(suffix: &str) -> Option<Stage> {
    let found = STAGE_SUFFIXES.iter().find(|(text, _)| *text == suffix);
    found.map(|(_, stage)| *stage)
}

/// Parses `entrypoint NAME` after the stage, and stores the entry point for later draws and
/// dispatches. Names are added to those of the script; too many are an error.
pub(super) fn parse_entry_point(
    parser: &mut TestParser,
    stage: Stage,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    words.parse_with("`entrypoint`", |word| (word == "entrypoint").then_some(()))?;
    let name = words.next_word("the name of an entry point")?;
    words.expect_end()?;
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

/// Parses `control entrypoint NAME` or `eval entrypoint NAME` after `tess` or `tessellation`, and
/// stores the entry point for later draws.
pub(super) fn parse_tess_entry_point(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let stage = words.parse_with("`control` or `eval`", |word| {
        STAGE_NAMES
            .iter()
            .find(|(name, _)| name.strip_prefix("tess ") == Some(word))
            .map(|(_, program_type)| program_type.stage())
    })?;
    parse_entry_point(parser, stage, words)
}
