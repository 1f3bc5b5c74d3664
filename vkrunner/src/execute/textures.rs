//! Textures by texture image unit.

use crate::format::Format;
use crate::script::{TexParam, TextureImage};
use crate::vk::{Device, SamplerState, Texture};
use ash::vk::{Filter, SamplerAddressMode};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The texture of a unit: what the script said, and the object once a program needed it.
struct Unit {
    levels: BTreeMap<u32, TextureImage>,
    sampler: SamplerState,
    object: Option<Texture>,
}

/// GL's initial wrap modes, and the nearest filter of piglit's generated textures.
const INITIAL_SAMPLER: SamplerState = SamplerState {
    min: Filter::NEAREST,
    between_levels: None,
    mag: Filter::NEAREST,
    wrap: [SamplerAddressMode::REPEAT; 3],
};

impl Unit {
    fn new() -> Self {
        Self {
            levels: BTreeMap::new(),
            sampler: INITIAL_SAMPLER,
            object: None,
        }
    }
}

/// All units that a script sets.
#[derive(Default)]
pub(super) struct Textures {
    units: BTreeMap<u32, Unit>,
}

impl Textures {
    /// Sets a level; level 0 begins a new texture.
    pub(super) fn set_level(&mut self, unit: u32, level: u32, image: &TextureImage) {
        let unit = self.units.entry(unit).or_insert_with(Unit::new);
        if level == 0 {
            *unit = Unit::new();
        }
        unit.levels.insert(level, image.clone());
        unit.object = None;
    }

    /// Sets a parameter.
    pub(super) fn set_param(&mut self, unit: u32, param: TexParam) {
        let unit = self.units.entry(unit).or_insert_with(Unit::new);
        match param {
            TexParam::Min(min, between_levels) => {
                (unit.sampler.min, unit.sampler.between_levels) = (min, between_levels);
            }
            TexParam::Mag(mag) => unit.sampler.mag = mag,
            TexParam::WrapS(wrap) => unit.sampler.wrap[0] = wrap,
            TexParam::WrapT(wrap) => unit.sampler.wrap[1] = wrap,
            TexParam::WrapR(wrap) => unit.sampler.wrap[2] = wrap,
        }
        unit.object = None;
    }

    /// Makes the objects of the units from `first` on that do not exist yet.
    pub(super) fn prepare(
        &mut self,
        device: &Rc<Device>,
        first: u32,
        count: u32,
    ) -> Result<(), super::Problem> {
        for number in first..first + count {
            let unit = self.units.entry(number).or_insert_with(Unit::new);
            if unit.object.is_none() {
                unit.object = Some(create(device, number, unit)?);
            }
        }
        Ok(())
    }

    /// The object of a unit, after [`Self::prepare`].
    pub(super) fn get(&self, unit: u32) -> &Texture {
        let object = self.units.get(&unit).and_then(|unit| unit.object.as_ref());
        object.expect("the caller prepared this unit")
    }
}

fn create(device: &Rc<Device>, number: u32, unit: &Unit) -> Result<Texture, super::Problem> {
    let levels: Vec<&TextureImage> = unit.levels.values().collect();
    if levels.is_empty() {
        // What GL gives for incomplete textures.
        let format = Format::parse("R8G8B8A8_UNORM").expect("the format exists");
        let black = TextureImage {
            format,
            width: 1,
            height: 1,
            texels: vec![0, 0, 0, 255],
        };
        return Ok(Texture::new(device, &[&black], &unit.sampler)?);
    }
    check_levels(number, &unit.levels)?;
    if levels[0].width.max(levels[0].height) > device.capabilities.max_texture {
        return Err(format!(
            "texture image unit {number}: the texture is larger than the device allows"
        )
        .into());
    }
    Ok(Texture::new(device, &levels, &unit.sampler)?)
}

/// Each level must be half as large as the one before, from level 0 on.
fn check_levels(number: u32, levels: &BTreeMap<u32, TextureImage>) -> Result<(), String> {
    let Some(base) = levels.get(&0) else {
        return Err(format!("texture image unit {number} has no level 0"));
    };
    for ((level, image), expected) in levels.iter().zip(0..) {
        let size = |side: u32| (side >> expected).max(1);
        let fits = *level == expected
            && image.format == base.format
            && (image.width, image.height) == (size(base.width), size(base.height));
        // Sides that are 1 before the last level would give levels past 1 x 1.
        let exists = base.width.max(base.height) >> expected > 0;
        if !fits || !exists {
            return Err(format!(
                "texture image unit {number}: level {level} does not follow from level 0"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(sizes: &[(u32, u32, u32)]) -> BTreeMap<u32, TextureImage> {
        let format = Format::parse("R8_UNORM").unwrap();
        let image = |width, height| TextureImage {
            format: format.clone(),
            width,
            height,
            texels: Vec::new(),
        };
        sizes
            .iter()
            .map(|(level, width, height)| (*level, image(*width, *height)))
            .collect()
    }

    #[test]
    fn levels_halve() {
        assert_eq!(
            check_levels(0, &levels(&[(0, 4, 2), (1, 2, 1), (2, 1, 1)])),
            Ok(())
        );
        assert!(check_levels(0, &levels(&[(0, 4, 2), (2, 1, 1)])).is_err());
        assert!(check_levels(0, &levels(&[(0, 4, 2), (1, 2, 2)])).is_err());
        assert!(check_levels(0, &levels(&[(1, 2, 2)])).is_err());
        assert!(check_levels(0, &levels(&[(0, 1, 1), (1, 1, 1)])).is_err());
    }
}
