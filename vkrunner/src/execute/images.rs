//! Storage images.

use super::problem::Problem;
use super::textures::create;
use super::wanted::{WantedImage, texel_scalar};
use crate::vk::{Device, Resource, Texture, TextureUse, raw_format};
use glasm::reflect::{ImageFormat, Scalar};
use glasm_scripts::format::Format;
use glasm_scripts::image::Image as Picture;
use glasm_scripts::script::{BoundImage, ImageKey};
use glasm_scripts::texture::{ImagePart, PlaneId, Shape, Start, StorageView, TextureData, Update};
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
    /// What programs see where they look for another image than the script says.
    bound: BTreeMap<ImageKey, BoundImage>,
    /// Images of one texel, zero at first, for units that hold none that the program can see.
    missing: Vec<((u32, WantedImage), Texture)>,
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
    fn prepare(&mut self, device: &Rc<Device>, key: ImageKey) -> Result<(), Problem> {
        let Some(unit) = self.images.get_mut(&key) else {
            return Err(format!("{key} is not set yet").into());
        };
        if unit.object.is_none() {
            unit.object = Some(create(device, &unit.data, TextureUse::Storage)?);
        }
        Ok(())
    }

    /// The object of an image, after [`Self::prepare`].
    fn get(&self, key: ImageKey) -> &Texture {
        let object = self.images.get(&key).and_then(|unit| unit.object.as_ref());
        object.expect("the caller prepared this image")
    }

    /// Lets programs see a part of an image where they look for another.
    pub(super) fn bind(&mut self, place: ImageKey, bound: BoundImage) {
        self.bound.insert(place, bound);
    }

    fn bound(&self, place: ImageKey) -> BoundImage {
        let own = || BoundImage {
            image: place,
            part: ImagePart::default(),
            format: None,
        };
        self.bound.get(&place).cloned().unwrap_or_else(own)
    }

    /// The image of a unit as a program sees it. Without an image, where texels have another size than those of the image, and where the
    /// image lacks the part that is bound, it sees none; on devices that cannot do that, one of one texel that nobody else sees.
    pub(super) fn for_program(
        &mut self,
        device: &Rc<Device>,
        unit: u32,
        wanted: WantedImage,
    ) -> Result<Resource<'_>, Problem> {
        let view = self.view_of_unit(unit, wanted);
        let view = view.map_err(|why| format!("image unit {unit}: {why}"))?;
        self.seen_by_program(device, unit, wanted, view)
    }

    /// Like [`Self::for_program`] for programs that need not see the image at all: theirs may have another target or type.
    pub(super) fn by_handle(
        &mut self,
        device: &Rc<Device>,
        unit: u32,
        wanted: WantedImage,
    ) -> Result<Resource<'_>, Problem> {
        let view = self.view_of_unit(unit, wanted).unwrap_or(None);
        self.seen_by_program(device, unit, wanted, view)
    }

    /// The view of the image bound to a unit, if a program sees it there.
    fn view_of_unit(&self, unit: u32, wanted: WantedImage) -> Result<Option<StorageView>, String> {
        let bound = self.bound(ImageKey::of_unit(unit));
        match self.images.get(&bound.image) {
            Some(image) => view_for_program(&image.data.shape, &bound, wanted),
            None => Ok(None),
        }
    }

    fn seen_by_program(
        &mut self,
        device: &Rc<Device>,
        unit: u32,
        wanted: WantedImage,
        view: Option<StorageView>,
    ) -> Result<Resource<'_>, Problem> {
        match view {
            Some(view) => {
                let bound = self.bound(ImageKey::of_unit(unit));
                let image = self.prepare_view(device, bound.image, &view)?;
                Ok(Resource::Image(image, view))
            }
            None if device.has_null_descriptors() => Ok(Resource::NoImage),
            None => {
                let missing = self.missing(device, unit, wanted)?;
                Ok(Resource::Image(missing, missing.whole_view()))
            }
        }
    }

    /// The image that a module finds by descriptor only.
    pub(super) fn for_module(
        &mut self,
        device: &Rc<Device>,
        place: ImageKey,
    ) -> Result<Resource<'_>, Problem> {
        let BoundImage {
            image,
            part,
            format,
        } = self.bound(place);
        let Some(unit) = self.images.get(&image) else {
            return Err(format!("{image} is not set yet").into());
        };
        let shape = &unit.data.shape;
        let format = format.as_ref().unwrap_or(&shape.format);
        if !part.exists(shape) || format.size() != shape.format.size() {
            return Err(format!("{image} has no such part, or texels of another size").into());
        }
        let view = StorageView {
            target: part.target(shape.target),
            part,
            format: format.vk,
        };
        let image = self.prepare_view(device, image, &view)?;
        Ok(Resource::Image(image, view))
    }

    /// Makes an image and a view of it if they do not exist yet.
    fn prepare_view(
        &mut self,
        device: &Rc<Device>,
        image: ImageKey,
        view: &StorageView,
    ) -> Result<&Texture, Problem> {
        self.prepare(device, image)?;
        let object = self.images.get_mut(&image);
        let object = object.and_then(|unit| unit.object.as_mut());
        let object = object.expect("it was prepared above");
        object.add_view(view)?;
        Ok(object)
    }

    fn missing(
        &mut self,
        device: &Rc<Device>,
        unit: u32,
        wanted: WantedImage,
    ) -> Result<&Texture, Problem> {
        let key = (unit, wanted);
        let known = self.missing.iter().position(|(known, _)| *known == key);
        let place = match known {
            Some(place) => place,
            None => {
                let mut texture = Texture::new(device, &smallest(wanted)?, TextureUse::Storage)?;
                let size = texture.shape().plane_bytes(0);
                texture.fill(|_| vec![0; size])?;
                self.missing.push((key, texture));
                self.missing.len() - 1
            }
        };
        Ok(&self.missing[place].1)
    }

    /// The texels of a plane.
    pub(super) fn read(
        &mut self,
        device: &Rc<Device>,
        key: ImageKey,
        plane: PlaneId,
    ) -> Result<Picture, Problem> {
        self.prepare(device, key)?;
        Ok(self.get(key).read(plane)?)
    }

    /// The planes of all images that programs or probes have used.
    pub(super) fn used_planes(&self) -> Vec<(ImageKey, PlaneId)> {
        let used = self.images.iter().filter(|(_, unit)| unit.object.is_some());
        used.flat_map(|(key, unit)| unit.data.shape.planes().map(|plane| (*key, plane)))
            .collect()
    }
}

/// What a program sees of an image that is bound; `None` if the access is invalid. Fails if the program must not see it.
fn view_for_program(
    shape: &Shape,
    bound: &BoundImage,
    wanted: WantedImage,
) -> Result<Option<StorageView>, String> {
    let part = bound.part;
    if !part.suits(shape.target, wanted.target) {
        return Err("the program accesses another target".to_owned());
    }
    let bits = 8 * shape.format.size() as u8;
    let unit_format = bound.format.as_ref().unwrap_or(&shape.format);
    let fits = unit_format.size() == shape.format.size();
    let format = match wanted.format {
        ImageFormat::Any => raw_format(bits),
        ImageFormat::Raw(wanted) => raw_format(wanted).filter(|_| fits && wanted == bits),
        ImageFormat::Own(scalar) if scalar == texel_scalar(unit_format.encoding) => {
            fits.then(|| unit_format.clone())
        }
        ImageFormat::Own(_) => {
            return Err("the program accesses texels of another type".to_owned());
        }
    };
    let view = |format: Format| StorageView {
        target: wanted.target,
        part,
        format: format.vk,
    };
    Ok(format.filter(|_| part.exists(shape)).map(view))
}

/// The smallest image that a program can see.
fn smallest(wanted: WantedImage) -> Result<Shape, String> {
    let format = match wanted.format {
        ImageFormat::Raw(bits) => raw_format(bits),
        ImageFormat::Any => raw_format(32),
        ImageFormat::Own(Scalar::Int) => Format::parse("R32G32B32A32_SINT"),
        ImageFormat::Own(Scalar::Uint) => Format::parse("R32G32B32A32_UINT"),
        ImageFormat::Own(Scalar::Float | Scalar::Double) => Format::parse("R32G32B32A32_SFLOAT"),
    };
    let format = format.ok_or_else(|| "there are no such texels".to_owned())?;
    let is_cube = wanted.target.is_cube();
    Ok(Shape {
        target: wanted.target,
        format,
        extent: [1; 3],
        levels: 1,
        layers: if is_cube { 6 } else { 1 },
        // Devices with multisample images have four samples.
        samples: if wanted.target.is_multisample() { 4 } else { 1 },
    })
}
