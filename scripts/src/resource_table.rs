//! Textures and storage images of a script with the objects that a runner has created for them.
//!
//! Both tables store what commands have set as [`TextureData`]. Objects are created when a draw or
//! a dispatch may access them. The type of objects is that of the runner.

use crate::script::{BoundImage, ImageKey};
use crate::texture::{ImagePart, PlaneId, Sampling, TextureData, TextureUpdate, UpdateKind};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Storage image: its texels according to the commands, and the object once a program needs it.
#[derive(Clone, Debug)]
struct StoredImage<Object> {
    data: TextureData,
    object: Option<Object>,
}

/// Storage images by unit or descriptor.
#[derive(Clone, Debug)]
pub struct ImageTable<Object> {
    images: BTreeMap<ImageKey, StoredImage<Object>>,
    /// Images that programs access where the script has bound another one.
    bindings: BTreeMap<ImageKey, BoundImage>,
}

impl<Object> Default for ImageTable<Object> {
    fn default() -> Self {
        Self {
            images: BTreeMap::new(),
            bindings: BTreeMap::new(),
        }
    }
}

impl<Object> ImageTable<Object> {
    /// Begins, extends or changes an image. If an object exists and the update extends the image,
    /// `write` writes the planes of the update, so that other planes retain the results of
    /// programs; otherwise the object is dropped.
    ///
    /// # Errors
    /// If the image grows after a program has used it, and the errors of `write`.
    pub fn update<E: From<String>>(
        &mut self,
        key: ImageKey,
        update: &TextureUpdate,
        write: impl FnOnce(&mut Object, &TextureData, &[PlaneId]) -> Result<(), E>,
    ) -> Result<(), E> {
        let image = match self.images.entry(key) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let data = TextureData::from_update(update);
                entry.insert(StoredImage { data, object: None });
                return Ok(());
            }
        };
        let grows = update.shape != image.data.shape;
        match image
            .object
            .as_mut()
            .filter(|_| update.kind == UpdateKind::Extend)
        {
            Some(_) if grows => {
                let message = "an image that programs have used cannot grow";
                Err(message.to_owned().into())
            }
            Some(object) => {
                image.data.update(update);
                write(object, &image.data, &update.planes())
            }
            None => {
                image.data.update(update);
                image.object = None;
                Ok(())
            }
        }
    }

    /// Binds a part of an image to the image unit or binding `key`, instead of the image of that
    /// key or the one that was bound before.
    pub fn bind(&mut self, key: ImageKey, bound: BoundImage) {
        self.bindings.insert(key, bound);
    }

    /// Returns the image and its part that programs access at a key: all of the image with the key,
    /// unless another one is bound there.
    pub fn bound_image(&self, key: ImageKey) -> BoundImage {
        let default = || BoundImage {
            image: key,
            part: ImagePart::default(),
            format: None,
        };
        self.bindings.get(&key).cloned().unwrap_or_else(default)
    }

    /// Returns the keys at which programs may access images: those of images, then those of
    /// bindings; a key can occur twice.
    pub fn keys(&self) -> Vec<ImageKey> {
        let keys = self.images.keys().chain(self.bindings.keys());
        keys.copied().collect()
    }

    /// Returns the data of an image.
    ///
    /// # Errors
    /// If no command has set it.
    pub fn data(&self, key: ImageKey) -> Result<&TextureData, String> {
        let image = self
            .images
            .get(&key)
            .ok_or_else(|| err_missing_image(key))?;
        Ok(&image.data)
    }

    /// Returns the data of an image, to change its texels; `None` if no command has set it.
    pub(crate) fn data_mut(&mut self, key: ImageKey) -> Option<&mut TextureData> {
        self.images.get_mut(&key).map(|image| &mut image.data)
    }

    /// Returns the images that commands have set.
    pub(crate) fn iter_images(&self) -> impl Iterator<Item = (ImageKey, &TextureData)> {
        self.images.iter().map(|(key, image)| (*key, &image.data))
    }

    /// Returns the data of an image and its object, which `create` creates if there is none.
    ///
    /// # Errors
    /// If no command has set the image, and the errors of `create`.
    pub fn get_or_create<E: From<String>>(
        &mut self,
        key: ImageKey,
        create: impl FnOnce(&TextureData) -> Result<Object, E>,
    ) -> Result<(&TextureData, &mut Object), E> {
        let Some(image) = self.images.get_mut(&key) else {
            return Err(err_missing_image(key).into());
        };
        let object = match image.object.take() {
            Some(object) => object,
            None => create(&image.data)?,
        };
        Ok((&image.data, image.object.insert(object)))
    }

    /// Returns the planes of all images that have an object, because programs or probes have used
    /// them.
    pub fn used_planes(&self) -> Vec<(ImageKey, PlaneId)> {
        let used = self.images.iter().filter(|(_, it)| it.object.is_some());
        used.flat_map(|(key, image)| image.data.shape.planes().map(|plane| (*key, plane)))
            .collect()
    }
}

/// Returns the error that no command has set an image.
fn err_missing_image(key: ImageKey) -> String {
    format!("{key} is not set yet")
}

/// Objects of a texture image unit.
pub trait TextureObjects: Default {
    /// Drops or marks the objects that do not have the texels of the unit any more.
    fn invalidate_texels(&mut self);

    /// Drops or marks the objects that do not fit a change of how the texture is sampled.
    fn invalidate_sampling(&mut self, before: &Sampling, after: &Sampling);
}

/// Texture image unit: its texture and sampling according to the commands, and the objects.
pub struct TextureUnit<Objects> {
    /// `None` if no command has set a texture.
    pub data: Option<TextureData>,
    /// Sampler state of the texture.
    pub sampling: Sampling,
    /// Objects of the runner.
    pub objects: Objects,
}

impl<Objects: Default> Default for TextureUnit<Objects> {
    fn default() -> Self {
        Self {
            data: None,
            sampling: Sampling::INITIAL,
            objects: Objects::default(),
        }
    }
}

/// Textures by texture image unit.
pub struct TextureTable<Objects> {
    units: BTreeMap<u32, TextureUnit<Objects>>,
}

impl<Objects> Default for TextureTable<Objects> {
    fn default() -> Self {
        Self {
            units: BTreeMap::new(),
        }
    }
}

impl<Objects: TextureObjects> TextureTable<Objects> {
    /// Begins or extends the texture of a unit, and invalidates the texels of its objects.
    pub fn update(&mut self, number: u32, update: &TextureUpdate) {
        let unit = self.get_or_insert(number);
        match &mut unit.data {
            Some(data) => data.update(update),
            None => unit.data = Some(TextureData::from_update(update)),
        }
        unit.objects.invalidate_texels();
    }

    /// Sets how the texture of a unit is sampled, and invalidates the objects that do not fit the
    /// change.
    pub fn set_sampling(&mut self, number: u32, sampling: Sampling) {
        let unit = self.get_or_insert(number);
        unit.objects.invalidate_sampling(&unit.sampling, &sampling);
        unit.sampling = sampling;
    }

    /// Returns a unit; adds it, without a texture, if no command has set it.
    pub fn get_or_insert(&mut self, number: u32) -> &mut TextureUnit<Objects> {
        self.units.entry(number).or_default()
    }

    /// Returns a unit; `None` if no command has set it.
    pub fn get(&self, number: u32) -> Option<&TextureUnit<Objects>> {
        self.units.get(&number)
    }

    /// Returns a unit, to change its objects; `None` if no command has set it.
    pub fn get_mut(&mut self, number: u32) -> Option<&mut TextureUnit<Objects>> {
        self.units.get_mut(&number)
    }

    /// Returns the indices of the units that commands have set.
    pub fn numbers(&self) -> Vec<u32> {
        self.units.keys().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use crate::texture::{Contents, TextureShape};
    use glasm::ir::TexTarget;

    fn update(start: UpdateKind, width: u32, byte: u8) -> TextureUpdate {
        let shape = TextureShape {
            target: TexTarget::D2,
            format: Format::parse("R8_UINT").unwrap(),
            extent: [width, 1, 1],
            levels: 1,
            layers: 1,
            samples: 1,
        };
        let contents = Contents::Texels(vec![byte; width as usize]);
        TextureUpdate {
            kind: start,
            ..TextureUpdate::full_texture(shape, Some(contents))
        }
    }

    #[test]
    fn objects_receive_what_is_added_to_images() {
        let key = ImageKey::from_unit(3);
        let mut images = ImageTable::<Vec<u8>>::default();
        let write = |object: &mut Vec<u8>, data: &TextureData, planes: &[PlaneId]| {
            *object = data.plane(planes[0]);
            Ok::<(), String>(())
        };
        let create = |data: &TextureData| Ok::<_, String>(vec![0; data.shape.plane_bytes(0)]);
        let error = images.get_or_create(key, create).err();
        assert_eq!(error, Some(format!("{key} is not set yet")));
        images
            .update(key, &update(UpdateKind::Create, 2, 5), write)
            .unwrap();
        assert!(images.used_planes().is_empty());
        assert_eq!(images.get_or_create(key, create).unwrap().1, &[0, 0]);
        images
            .update(key, &update(UpdateKind::Extend, 2, 7), write)
            .unwrap();
        assert_eq!(images.get_or_create(key, create).unwrap().1, &[7, 7]);
        assert_eq!(images.used_planes().len(), 1);
        let grown = images.update(key, &update(UpdateKind::Extend, 3, 7), write);
        assert!(grown.unwrap_err().ends_with("cannot grow"));
        images
            .update(key, &update(UpdateKind::Create, 3, 7), write)
            .unwrap();
        assert!(images.used_planes().is_empty());
    }

    #[test]
    fn images_are_bound_where_programs_look_for_others() {
        let [own, other] = [0, 1].map(ImageKey::from_unit);
        let mut images = ImageTable::<()>::default();
        assert_eq!(images.bound_image(own).image, own);
        let bound = images.bound_image(other);
        images.bind(own, bound);
        assert_eq!(images.bound_image(own).image, other);
        assert_eq!(images.keys(), [own]);
    }

    #[test]
    fn changes_invalidate_objects_of_their_unit() {
        #[derive(Default)]
        struct Counts(u32, u32);
        impl TextureObjects for Counts {
            fn invalidate_texels(&mut self) {
                self.0 += 1;
            }
            fn invalidate_sampling(&mut self, before: &Sampling, after: &Sampling) {
                self.1 += u32::from(before.max_level != after.max_level);
            }
        }
        let mut textures = TextureTable::<Counts>::default();
        textures.update(4, &update(UpdateKind::Create, 1, 0));
        textures.set_sampling(4, Sampling::INITIAL);
        let sampling = Sampling {
            max_level: 2,
            ..Sampling::INITIAL
        };
        textures.set_sampling(4, sampling);
        let unit = textures.get(4).unwrap();
        assert_eq!(
            (unit.objects.0, unit.objects.1, unit.sampling.max_level),
            (1, 1, 2)
        );
        assert_eq!(textures.numbers(), [4]);
        assert!(textures.get(5).is_none());
    }
}
