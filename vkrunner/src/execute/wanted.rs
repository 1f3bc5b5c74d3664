//! Textures and images that programs require. Pure.

use crate::vk::Comparing;
use glasm::ir::{TexTarget, TypeBase};
use glasm::reflect::{ImageFormat, Scalar};
use glasm_scripts::format::Encoding;
use glasm_scripts::script::{Command, ImageKey, Script};
use std::collections::BTreeMap;

/// Texture as a program reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WantedTexture {
    pub(super) target: TexTarget,
    pub(super) texel: Scalar,
    /// True if lookups compare; `None` if the program does not specify it.
    pub(super) comparing: Option<Comparing>,
    /// Alpha of lookups without a texture.
    pub(super) missing: Missing,
}

/// Result of lookups without a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Missing {
    /// (0, 0, 0, 1).
    Black,
    /// (0, 0, 0, 0).
    Transparent,
}

/// Image as a program sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WantedImage {
    pub(super) target: TexTarget,
    pub(super) format: ImageFormat,
}

/// Returns the type that texels of a format are read as.
pub(super) fn texel_scalar(encoding: Encoding) -> Scalar {
    match encoding.base() {
        TypeBase::Signed => Scalar::Int,
        TypeBase::Unsigned => Scalar::Uint,
        TypeBase::Float => Scalar::Float,
    }
}

/// Returns the units with the first texture of each.
pub(super) fn numbered_textures(script: &Script) -> Vec<(u32, WantedTexture)> {
    let mut textures = BTreeMap::new();
    for step in &script.steps {
        if let Command::Texture { unit, update } = &step.command {
            textures.entry(*unit).or_insert(WantedTexture {
                target: update.shape.target,
                texel: texel_scalar(update.shape.format.encoding),
                comparing: None,
                missing: Missing::Black,
            });
        }
    }
    textures.into_iter().collect()
}

/// Returns the storage images with their targets.
pub(super) fn numbered_images(script: &Script) -> Vec<(ImageKey, TexTarget)> {
    let mut images = BTreeMap::new();
    for step in &script.steps {
        if let Command::Image { key, update } = &step.command {
            images.entry(*key).or_insert(update.shape.target);
        } else if let Command::BindImage { place, bound } = &step.command
            && let Some(target) = images.get(&bound.image).copied()
        {
            images.entry(*place).or_insert(target);
        }
    }
    images.into_iter().collect()
}
