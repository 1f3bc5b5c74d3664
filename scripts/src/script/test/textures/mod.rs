//! Commands about textures and storage images: `texture`, `texparameter`, `active_texture`,
//! `image`.

mod begin;
mod gl_formats;
pub(super) mod images;
pub(super) mod params;
mod parts;
mod piglit;

use super::parser::TestParser;
use crate::script::words::{LineError, Words};
use crate::texture::Wrap;
use crate::texture::find_target;
use begin::{parse_unit, set_part};
use glasm::ir::TexTarget;
use parts::{Current, Filling, parse_part};

/// Parses `texture KIND UNIT ...`.
pub(super) fn parse_texture(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let kind = words.word("a kind of texture")?;
    if let Some(target) = find_target(kind) {
        return parse_literal(parser, target, words);
    }
    piglit::parse_generated(parser, kind, words)
}

/// Parses `texture TARGET UNIT [SELECTION] FORMAT (SIDES) CONTENTS`.
fn parse_literal(
    parser: &mut TestParser,
    target: TexTarget,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let unit = parse_unit(parser, words)?;
    let current = Current {
        what: "texture",
        shape: parser
            .units
            .units
            .get(&unit)
            .and_then(|unit| unit.shape.clone()),
    };
    let update = parse_part(words, target, &current, Filling::Required)?;
    let mut sampling = parser.initial_sampling;
    if target == TexTarget::Rect {
        // ARB_texture_rectangle: rectangles start with clamped coordinates.
        sampling.wrap = [Wrap::ClampToEdge; 3];
    }
    set_part(parser, words, unit, update, sampling)
}

#[cfg(test)]
mod tests;
