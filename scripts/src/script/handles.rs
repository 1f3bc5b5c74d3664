//! Handles of textures and images: `parameter ... handle`. All textures and images of a script are resident; the handle of that of a
//! unit is the number of the unit.

use super::Script;
use super::command::Command;
use super::textures::UNITS;
use super::words::{LineError, Words};

/// What a handle is of, by its unit, whose number stands for the handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandleUnit {
    /// The texture of a texture image unit.
    Texture(u32),
    /// The image of an image unit.
    Image(u32),
}

impl HandleUnit {
    /// The number of the unit.
    pub fn unit(self) -> u32 {
        match self {
            Self::Texture(unit) | Self::Image(unit) => unit,
        }
    }
}

/// Takes one or two times `texture UNIT` or `image UNIT`.
pub(super) fn parse_handles(words: &mut Words<'_>) -> Result<Vec<HandleUnit>, LineError> {
    let mut handles = Vec::new();
    while handles.is_empty() || (handles.len() < 2 && !words.is_empty()) {
        let of_unit = words.parse_with("`texture` or `image`", |word| match word {
            "texture" => Some(HandleUnit::Texture as fn(u32) -> HandleUnit),
            "image" => Some(HandleUnit::Image as fn(u32) -> HandleUnit),
            _ => None,
        })?;
        let what = format!("a unit below {UNITS}");
        let unit = |word: &str| word.parse().ok().filter(|unit| *unit < UNITS);
        handles.push(of_unit(words.parse_with(&what, unit)?));
    }
    Ok(handles)
}

impl Script {
    /// Lengths of the arrays that handles index: there is a place for every unit that the script uses.
    pub fn handle_limits(&self) -> glasm::HandleLimits {
        let mut limits = glasm::HandleLimits {
            textures: 1,
            images: 1,
        };
        for step in &self.steps {
            if let Command::Texture { unit, .. } = &step.command {
                limits.textures = limits.textures.max(unit + 1);
            } else if let Command::Image { key, .. } | Command::BindImage { place: key, .. } =
                &step.command
                && let Some(unit) = key.unit()
            {
                limits.images = limits.images.max(unit + 1);
            }
        }
        limits
    }
}
