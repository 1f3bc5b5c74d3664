//! Storage images.

use super::Problem;
use super::textures::create;
use crate::image::Image as Picture;
use crate::probe::pixels::{PixelProbe, print_values};
use crate::script::ImageKey;
use crate::texture::{PlaneId, Start, TextureData, Update};
use crate::vk::{Device, Texture, TextureUse};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A storage image: what the script said, and the object once it was needed.
struct ImageUnit {
    data: TextureData,
    object: Option<Texture>,
}

/// All storage images of a script.
#[derive(Default)]
pub(super) struct Images {
    images: BTreeMap<ImageKey, ImageUnit>,
}

impl Images {
    /// Begins, extends or changes an image. What programs have written stays in the other planes, unless the image begins or grows.
    pub(super) fn update(&mut self, key: ImageKey, update: &Update) -> Result<(), Problem> {
        let Some(unit) = self.images.get_mut(&key) else {
            let data = TextureData::new(update);
            self.images.insert(key, ImageUnit { data, object: None });
            return Ok(());
        };
        let grows = update.shape != unit.data.shape;
        match &mut unit.object {
            Some(object) if update.start == Start::Add && !grows => {
                unit.data.update(update);
                let planes = update.planes();
                object.replace(&planes, |id| unit.data.plane(id))?;
            }
            Some(_) if update.start == Start::Add => {
                return Err("an image that programs have used cannot grow"
                    .to_owned()
                    .into());
            }
            Some(_) | None => {
                unit.data.update(update);
                unit.object = None;
            }
        }
        Ok(())
    }

    /// Makes the object of an image if it does not exist yet.
    pub(super) fn prepare(&mut self, device: &Rc<Device>, key: ImageKey) -> Result<(), Problem> {
        let Some(unit) = self.images.get_mut(&key) else {
            return Err(format!("{key} is not set yet").into());
        };
        if unit.object.is_none() {
            unit.object = Some(create(device, &unit.data, TextureUse::Storage)?);
        }
        Ok(())
    }

    /// The object of an image, after [`Self::prepare`].
    pub(super) fn get(&self, key: ImageKey) -> &Texture {
        let object = self.images.get(&key).and_then(|unit| unit.object.as_ref());
        object.expect("the caller prepared this image")
    }

    fn read(
        &mut self,
        device: &Rc<Device>,
        key: ImageKey,
        plane: PlaneId,
    ) -> Result<Picture, Problem> {
        self.prepare(device, key)?;
        Ok(self.get(key).read(plane)?)
    }

    /// Compares texels of a plane.
    pub(super) fn check(
        &mut self,
        device: &Rc<Device>,
        key: ImageKey,
        plane: PlaneId,
        probe: &PixelProbe,
    ) -> Result<(), Problem> {
        let picture = self.read(device, key, plane)?;
        let name = |message| format!("{key}{}: {message}", plane_name(plane));
        Ok(probe.check(&picture).map_err(name)?)
    }

    /// The texels of a plane as text, with the name of the image.
    pub(super) fn print(
        &mut self,
        device: &Rc<Device>,
        key: ImageKey,
        plane: PlaneId,
    ) -> Result<String, Problem> {
        let picture = self.read(device, key, plane)?;
        Ok(format!(
            "{key}{}:{}",
            plane_name(plane),
            print_texels(&picture)
        ))
    }
}

/// Where a plane is; nothing for the first one.
fn plane_name(plane: PlaneId) -> String {
    let part = |what: &str, number: u32| match number {
        0 => String::new(),
        _ => format!(", {what} {number}"),
    };
    format!(
        "{}{}",
        part("level", plane.level),
        part("layer", plane.slice)
    )
}

/// Texels row by row, each in parentheses.
fn print_texels(picture: &Picture) -> String {
    let mut text = String::new();
    for y in 0..picture.height {
        if picture.height > 1 {
            text.push_str("\n ");
        }
        for x in 0..picture.width {
            let values = picture.format.decode(picture.texel(x, y));
            let components = picture.format.channels.len().min(4);
            let texel = print_values(&values[..components], &picture.format);
            text.push_str(&format!(" ({texel})"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    #[test]
    fn texels_are_printed_row_by_row() {
        let picture = Picture {
            width: 2,
            height: 2,
            format: Format::parse("R8G8_UINT").unwrap(),
            is_color: true,
            data: vec![1, 2, 3, 4, 5, 6, 7, 8],
        };
        assert_eq!(print_texels(&picture), "\n  (1 2) (3 4)\n  (5 6) (7 8)");
        let id = |level, slice| PlaneId {
            level,
            slice,
            sample: 0,
        };
        assert_eq!(plane_name(id(0, 0)), "");
        assert_eq!(plane_name(id(1, 5)), ", level 1, layer 5");
    }
}
