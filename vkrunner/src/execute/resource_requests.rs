//! Textures and images that programs require. Pure.

use crate::vk::Comparing;
use glasm::ir::{BaseType, TexTarget};
use glasm::reflect::{ImageFormat, ScalarType};
use glasm_scripts::format::Encoding;
use glasm_scripts::script::{Command, ImageKey, Script};
use std::collections::BTreeMap;

/// Texture as a program reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RequestedTexture {
    pub(super) target: TexTarget,
    pub(super) texel_type: ScalarType,
    /// True if lookups compare; `None` if the program does not specify it.
    pub(super) comparing: Option<Comparing>,
    /// Alpha of lookups without a texture.
    pub(super) unbound_result: UnboundResult,
}

/// Result of lookups without a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum UnboundResult {
    /// (0, 0, 0, 1).
    Black,
    /// (0, 0, 0, 0).
    Transparent,
}

/// Image as a program sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RequestedImage {
    pub(super) target: TexTarget,
    pub(super) format: ImageFormat,
}

/// Returns the scalar type that programs read texels of an encoding as.
pub(super) fn texel_scalar(encoding: Encoding) -> ScalarType {
    match encoding.base() {
        BaseType::SignedInt => ScalarType::Sint32,
        BaseType::UnsignedInt => ScalarType::Uint32,
        BaseType::Float => ScalarType::Float32,
    }
}

/// Returns the texture image units that a script sets, in ascending order, with the target and type
/// of the first texture of each.
pub(super) fn find_numbered_textures(script: &Script) -> Vec<(u32, RequestedTexture)> {
    let mut textures = BTreeMap::new();
    for step in &script.steps {
        if let Command::Texture { unit, update } = &step.command {
            textures.entry(*unit).or_insert(RequestedTexture {
                target: update.shape.target,
                texel_type: texel_scalar(update.shape.format.encoding),
                comparing: None,
                unbound_result: UnboundResult::Black,
            });
        }
    }
    textures.into_iter().collect()
}

/// Returns the keys of the storage images that a script sets or binds, in ascending order, with
/// their first targets. Bindings of images that the script has not set before are omitted.
pub(super) fn find_numbered_images(script: &Script) -> Vec<(ImageKey, TexTarget)> {
    let mut images = BTreeMap::new();
    for step in &script.steps {
        if let Command::Image { key, update } = &step.command {
            images.entry(*key).or_insert(update.shape.target);
        } else if let Command::BindImage { binding, bound } = &step.command
            && let Some(target) = images.get(&bound.image).copied()
        {
            images.entry(*binding).or_insert(target);
        }
    }
    images.into_iter().collect()
}
