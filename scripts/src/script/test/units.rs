//! Texture image units and images as the commands so far have set them.

use crate::script::command::{ImageKey, TextureEnables};
use crate::texture::{Sampling, Shape};
use std::collections::BTreeMap;

/// Texture image units.
pub(super) const UNITS: u32 = 32;

/// A texture image unit as the commands so far have set it.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub(super) shape: Option<Shape>,
    pub(super) sampling: Sampling,
}

/// All texture image units and images that the script has set, and the unit that `texparameter` changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Units {
    pub(super) active: u32,
    pub(super) enables: BTreeMap<u32, TextureEnables>,
    pub(super) units: BTreeMap<u32, Unit>,
    pub(super) images: BTreeMap<ImageKey, Shape>,
}

impl Units {
    pub(super) fn unit(&mut self, number: u32, initial: Sampling) -> &mut Unit {
        self.units.entry(number).or_insert(Unit {
            shape: None,
            sampling: initial,
        })
    }
}
