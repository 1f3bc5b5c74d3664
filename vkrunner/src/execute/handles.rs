//! What programs find by handle: at the place of each unit its texture or image, where it fits the array, and something empty else.

use super::plan::{Missing, WantedImage, WantedTexture};
use super::{Problem, Resources};
use crate::vk::{Comparing, Device, Resource};
use glasm::ir::TexTarget;
use glasm::reflect::{HandleKind, Scalar};
use std::rc::Rc;

impl Resources {
    /// The resource of element `unit` of an array for `target`.
    pub(super) fn by_handle(
        &mut self,
        device: &Rc<Device>,
        kind: HandleKind,
        target: TexTarget,
        unit: u32,
    ) -> Result<Resource<'_>, Problem> {
        let texture = |texel, comparing| WantedTexture {
            target,
            texel,
            comparing: Some(comparing),
            missing: Missing::Black,
        };
        let wanted = match kind {
            HandleKind::Texture(texel) => texture(texel, Comparing::Off),
            HandleKind::Comparison => texture(Scalar::Float, Comparing::On),
            HandleKind::QueriedTexture => {
                let texel = self.textures.texel(unit).unwrap_or(Scalar::Float);
                texture(texel, Comparing::Off)
            }
            HandleKind::Image(format) => {
                return self
                    .images
                    .by_handle(device, unit, WantedImage { target, format });
            }
        };
        let found = self.textures.fitting(device, unit, wanted)?;
        Ok(Resource::Texture(found))
    }
}
