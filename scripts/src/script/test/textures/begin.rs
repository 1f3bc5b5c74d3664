//! Steps of the commands that set textures.

use crate::script::command::Command;
use crate::script::test::parser::{TestParser, UNITS, Unit};
use crate::script::words::{LineError, Words};
use crate::texture::{Sampling, Start, Update};

pub(super) fn parse_unit(parser: &mut TestParser, words: &mut Words<'_>) -> Result<u32, LineError> {
    let what = format!("a texture image unit below {UNITS}");
    let unit = words.parse_with(&what, |word| word.parse().ok().filter(|unit| *unit < UNITS))?;
    parser.units.active = unit;
    Ok(unit)
}

/// Begins a texture with its sampling.
pub(super) fn begin(
    parser: &mut TestParser,
    words: &Words<'_>,
    unit: u32,
    update: Update,
    sampling: Sampling,
) -> Result<(), LineError> {
    let shape = Some(update.shape.clone());
    parser.push(words, Command::Texture { unit, update })?;
    parser.push(words, Command::Sampling { unit, sampling })?;
    parser.units.units.insert(unit, Unit { shape, sampling });
    Ok(())
}

/// Sets a part of a texture, which may begin one.
pub(super) fn set_part(
    parser: &mut TestParser,
    words: &Words<'_>,
    unit: u32,
    update: Update,
    sampling: Sampling,
) -> Result<(), LineError> {
    if update.start == Start::New {
        return begin(parser, words, unit, update, sampling);
    }
    let shape = Some(update.shape.clone());
    parser.units.unit(unit, sampling).shape = shape;
    parser.push(words, Command::Texture { unit, update })
}
