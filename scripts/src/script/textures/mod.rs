//! Commands about textures and storage images: `texture`, `texparameter`, `active_texture`, `image`.

mod gl_formats;
mod images;
mod params;
mod parts;
mod piglit;

use super::command::Command;
use super::program_state::TextureEnables;
use super::test::TestParser;
use super::words::{LineError, Words};
use crate::texture::{Sampling, Shape, Update, Wrap};
use glasm::ir::TexTarget;
use parts::{Current, Filling, parse_part};
use std::collections::BTreeMap;

pub(super) use images::{parse_bind_image, parse_image, parse_image_print, parse_image_probe};
pub(super) use params::{parse_active_texture, parse_texparameter, parse_texture_enable};

/// Texture image units.
pub(super) const UNITS: u32 = 32;

/// Names of targets; the first one of each is the one that messages use.
const TARGETS: &[(&str, TexTarget)] = &[
    ("1D", TexTarget::D1),
    ("2D", TexTarget::D2),
    ("3D", TexTarget::D3),
    ("cube", TexTarget::Cube),
    ("Cube", TexTarget::Cube),
    ("1DArray", TexTarget::D1Array),
    ("2DArray", TexTarget::D2Array),
    ("cubeArray", TexTarget::CubeArray),
    ("CubeArray", TexTarget::CubeArray),
    ("Rect", TexTarget::Rect),
    ("rect", TexTarget::Rect),
    ("buffer", TexTarget::Buffer),
    ("2DMS", TexTarget::D2Ms),
    ("2DMSArray", TexTarget::D2MsArray),
];

/// The target of that name.
fn find_target(name: &str) -> Option<TexTarget> {
    TARGETS
        .iter()
        .find(|(text, _)| *text == name)
        .map(|(_, target)| *target)
}

/// How scripts call a target.
pub fn target_name(target: TexTarget) -> &'static str {
    TARGETS
        .iter()
        .find(|(_, known)| *known == target)
        .map_or("texture", |(text, _)| text)
}

/// A texture image unit as the commands so far have set it.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    shape: Option<Shape>,
    sampling: Sampling,
}

/// All texture image units and images that the script has set, and the unit that `texparameter` changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Units {
    pub(in crate::script) active: u32,
    enables: BTreeMap<u32, TextureEnables>,
    units: BTreeMap<u32, Unit>,
    images: BTreeMap<super::command::ImageKey, Shape>,
}

impl Units {
    fn unit(&mut self, number: u32, initial: Sampling) -> &mut Unit {
        self.units.entry(number).or_insert(Unit {
            shape: None,
            sampling: initial,
        })
    }
}

fn parse_unit(parser: &mut TestParser, words: &mut Words<'_>) -> Result<u32, LineError> {
    let what = format!("a texture image unit below {UNITS}");
    let unit = words.parse_with(&what, |word| word.parse().ok().filter(|unit| *unit < UNITS))?;
    parser.units.active = unit;
    Ok(unit)
}

/// Begins a texture with its sampling.
fn begin(
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
fn set_part(
    parser: &mut TestParser,
    words: &Words<'_>,
    unit: u32,
    update: Update,
    sampling: Sampling,
) -> Result<(), LineError> {
    if update.start == crate::texture::Start::New {
        return begin(parser, words, unit, update, sampling);
    }
    let shape = Some(update.shape.clone());
    parser.units.unit(unit, sampling).shape = shape;
    parser.push(words, Command::Texture { unit, update })
}

/// `texture KIND UNIT ...`
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

/// `texture TARGET UNIT [SELECTION] FORMAT (SIDES) CONTENTS`
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
