//! Storage images.

use super::textures::create;
use super::wanted::{WantedImage, texel_scalar};
use crate::error::Problem;
use crate::vk::{Device, Resource, Texture, TextureUse, raw_format};
use glasm::reflect::{ImageFormat, Scalar};
use glasm_scripts::format::Format;
use glasm_scripts::image::Image as Picture;
use glasm_scripts::resource_table::ImageTable;
use glasm_scripts::script::{BoundImage, ImageKey};
use glasm_scripts::texture::{PlaneId, Shape, StorageView, TextureData, Update};
use std::rc::Rc;

/// Storage images of a script.
#[derive(Default)]
pub(super) struct Images {
    table: ImageTable<Texture>,
    /// Images of one texel, which are zero at first, for units without an image that the program
    /// can access.
    missing: Vec<((u32, WantedImage), Texture)>,
}

impl Images {
    /// Begins, extends or changes an image.
    pub(super) fn update(&mut self, key: ImageKey, update: &Update) -> Result<(), Problem> {
        self.table.update(key, update, |object, data, planes| {
            Ok(object.replace(planes, |id| data.plane(id))?)
        })
    }

    /// Binds a part of an image to the image unit or binding of another one.
    pub(super) fn bind(&mut self, key: ImageKey, bound: BoundImage) {
        self.table.bind(key, bound);
    }

    /// Returns the planes of all images that programs or probes have used.
    pub(super) fn used_planes(&self) -> Vec<(ImageKey, PlaneId)> {
        self.table.used_planes()
    }

    /// Returns the object of an image, which is created if it does not exist yet.
    fn prepare(
        &mut self,
        device: &Rc<Device>,
        key: ImageKey,
    ) -> Result<(&TextureData, &mut Texture), Problem> {
        self.table
            .prepare(key, |data| Ok(create(device, data, TextureUse::Storage)?))
    }

    /// Returns the image of a unit for a program. Without an image, if the size of texels differs
    /// from that of the image, and if the image lacks the bound part, it is a null descriptor; on
    /// devices without null descriptors, an unshared image of one texel.
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

    /// Returns the image like [`Self::for_program`], for programs that need not access it at all:
    /// their images may have another target or type.
    pub(super) fn by_handle(
        &mut self,
        device: &Rc<Device>,
        unit: u32,
        wanted: WantedImage,
    ) -> Result<Resource<'_>, Problem> {
        let view = self.view_of_unit(unit, wanted).unwrap_or(None);
        self.seen_by_program(device, unit, wanted, view)
    }

    /// Returns the view of the image bound to a unit, if a program sees it there.
    fn view_of_unit(&self, unit: u32, wanted: WantedImage) -> Result<Option<StorageView>, String> {
        let bound = self.table.bound(ImageKey::of_unit(unit));
        match self.table.data(bound.image) {
            Ok(data) => select_view(&data.shape, &bound, wanted),
            Err(_) => Ok(None),
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
                let bound = self.table.bound(ImageKey::of_unit(unit));
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

    /// Returns the image that a module finds by descriptor only.
    pub(super) fn for_module(
        &mut self,
        device: &Rc<Device>,
        key: ImageKey,
    ) -> Result<Resource<'_>, Problem> {
        let BoundImage {
            image,
            part,
            format,
        } = self.table.bound(key);
        let shape = &self.table.data(image)?.shape;
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

    /// Creates an image and a view of it if they do not exist yet.
    fn prepare_view(
        &mut self,
        device: &Rc<Device>,
        image: ImageKey,
        view: &StorageView,
    ) -> Result<&Texture, Problem> {
        let (_, object) = self.prepare(device, image)?;
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

    /// Reads the texels of a plane.
    pub(super) fn read(
        &mut self,
        device: &Rc<Device>,
        key: ImageKey,
        plane: PlaneId,
    ) -> Result<Picture, Problem> {
        let (_, object) = self.prepare(device, key)?;
        Ok(object.read(plane)?)
    }
}

/// Returns the view of a bound image that a program accesses; `None` if the access is invalid.
/// Fails if the program must not access it.
fn select_view(
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

/// Returns the smallest image that a program can see.
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
