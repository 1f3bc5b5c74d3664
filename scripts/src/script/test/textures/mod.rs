//! Commands about textures and storage images: `texture`, `texparameter`, `active_texture`,
//! `image`.

pub(super) mod images;
mod piglit_textures;
pub(super) mod tex_parameters;
mod texture_upload;

use super::parser::TestParser;
use crate::script::tokenizer::{LineError, WordCursor};
use crate::texture::Wrap;
use crate::texture::find_target;
use glasm::ir::TexTarget;
use texture_upload::{ContentsPresence, UploadTarget, parse_update};
use texture_upload::{parse_unit, update_texture};

/// Parses the arguments of `texture TARGET UNIT ...`, or of `texture KIND ...` in piglit's form,
/// and appends the commands that set the texture and its sampling.
pub(super) fn parse_texture(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let kind = words.next_word("a kind of texture")?;
    if let Some(target) = find_target(kind) {
        return parse_literal(parser, target, words);
    }
    piglit_textures::parse_generated(parser, kind, words)
}

/// Parses `UNIT [SELECTION] FORMAT (SIDES) CONTENTS` after `texture TARGET`, makes the unit the
/// active one, and appends the commands that set the texture and, if it is new, its sampling.
fn parse_literal(
    parser: &mut TestParser,
    target: TexTarget,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let unit = parse_unit(parser, words)?;
    let current = UploadTarget {
        what: "texture",
        shape: parser
            .units
            .units
            .get(&unit)
            .and_then(|unit| unit.shape.clone()),
    };
    let update = parse_update(words, target, &current, ContentsPresence::Required)?;
    let mut sampling = parser.initial_sampling;
    if target == TexTarget::Rect {
        // ARB_texture_rectangle: rectangles start with clamped coordinates.
        sampling.wrap = [Wrap::ClampToEdge; 3];
    }
    update_texture(parser, words, unit, update, sampling)
}

#[cfg(test)]
mod tests;
