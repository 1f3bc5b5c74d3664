//! Storage images.

use super::resource_requests::{RequestedImage, texel_scalar};
use super::textures::create_texture;
use crate::error::CommandError;
use crate::vk::{Device, Resource, Texture, TextureUse, raw_format};
use glasm::reflect::{ImageFormat, ScalarType};
use glasm_scripts::format::Format;
use glasm_scripts::image::Image as Picture;
use glasm_scripts::resource_table::ImageTable;
use glasm_scripts::script::{BoundImage, ImageKey};
use glasm_scripts::texture::{PlaneId, StorageView, TextureData, TextureShape, TextureUpdate};
use std::rc::Rc;

/// Storage images of a script.
#[derive(Default)]
pub(super) struct Images {
    table: ImageTable<Texture>,
    /// Images of one texel, which are zero at first, for units without an image that the program
    /// can access.
    placeholders: Vec<((u32, RequestedImage), Texture)>,
}

impl Images {
    /// Begins, extends or changes an image. If its object exists on the device already, the changed
    /// planes are uploaded; otherwise it is created on first use.
    pub(super) fn update(
        &mut self,
        key: ImageKey,
        update: &TextureUpdate,
    ) -> Result<(), CommandError> {
        self.table.update(key, update, |object, data, planes| {
            Ok(object.replace_planes(planes, |id| data.plane(id))?)
        })
    }

    /// Binds a part of an image to an image unit or binding, which replaces the image that is named
    /// after it.
    pub(super) fn bind(&mut self, key: ImageKey, bound: BoundImage) {
        self.table.bind(key, bound);
    }

    /// Returns the planes of all images that programs or probes have used.
    pub(super) fn used_planes(&self) -> Vec<(ImageKey, PlaneId)> {
        self.table.used_planes()
    }

    /// Returns the data and the object of an image; the object is created and filled if it does not
    /// exist yet. Returns an error if the script has not specified this image.
    fn get_or_create(
        &mut self,
        device: &Rc<Device>,
        key: ImageKey,
    ) -> Result<(&TextureData, &mut Texture), CommandError> {
        self.table.get_or_create(key, |data| {
            Ok(create_texture(device, data, TextureUse::Storage)?)
        })
    }

    /// Returns the image of a unit for a program, and creates it and its view on first use. If
    /// there is no image, the size of texels differs from that of the unit's format, or the image
    /// lacks the bound part, it is a null descriptor, or a placeholder of one texel on devices
    /// without null descriptors. Returns an error if the program accesses another target or type of
    /// texels.
    pub(super) fn program_resource(
        &mut self,
        device: &Rc<Device>,
        unit: u32,
        requested: RequestedImage,
    ) -> Result<Resource<'_>, CommandError> {
        let view = self.view_of_unit(unit, requested);
        let view = view.map_err(|why| format!("image unit {unit}: {why}"))?;
        self.view_resource(device, unit, requested, view)
    }

    /// Returns the image like [`Self::program_resource`], for programs that need not access it at
    /// all: their images may have another target or type.
    pub(super) fn handle_resource(
        &mut self,
        device: &Rc<Device>,
        unit: u32,
        requested: RequestedImage,
    ) -> Result<Resource<'_>, CommandError> {
        let view = self.view_of_unit(unit, requested).unwrap_or(None);
        self.view_resource(device, unit, requested, view)
    }

    /// Returns the view of the image bound to a unit; `None` if there is no image or the access is
    /// invalid, so that loads return zeros. Returns an error if the program accesses another target
    /// or type of texels.
    fn view_of_unit(
        &self,
        unit: u32,
        requested: RequestedImage,
    ) -> Result<Option<StorageView>, String> {
        let bound = self.table.bound_image(ImageKey::from_unit(unit));
        match self.table.data(bound.image) {
            Ok(data) => select_view(&data.shape, &bound, requested),
            Err(_) => Ok(None),
        }
    }

    /// Returns the resource that programs access at an image unit: the bound view, which is created
    /// on first use; without a view a null descriptor, or a placeholder on devices that lack those.
    fn view_resource(
        &mut self,
        device: &Rc<Device>,
        unit: u32,
        requested: RequestedImage,
        view: Option<StorageView>,
    ) -> Result<Resource<'_>, CommandError> {
        match view {
            Some(view) => {
                let bound = self.table.bound_image(ImageKey::from_unit(unit));
                let image = self.prepare_view(device, bound.image, &view)?;
                Ok(Resource::Image(image, view))
            }
            None if device.has_null_descriptors() => Ok(Resource::NoImage),
            None => {
                let missing = self.get_or_create_placeholder(device, unit, requested)?;
                Ok(Resource::Image(missing, missing.whole_view()))
            }
        }
    }

    /// Returns the image bound to a descriptor, for modules without reflection; creates it and its
    /// view on first use. Returns an error if there is no image, or if it lacks the bound part or
    /// has texels of another size.
    pub(super) fn module_resource(
        &mut self,
        device: &Rc<Device>,
        key: ImageKey,
    ) -> Result<Resource<'_>, CommandError> {
        let BoundImage {
            image,
            part,
            format,
        } = self.table.bound_image(key);
        let shape = &self.table.data(image)?.shape;
        let format = format.as_ref().unwrap_or(&shape.format);
        if !part.exists_in(shape) || format.texel_size() != shape.format.texel_size() {
            return Err(format!("{image} has no such part, or texels of another size").into());
        }
        let view = StorageView {
            target: part.part_target(shape.target),
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
    ) -> Result<&Texture, CommandError> {
        let (_, object) = self.get_or_create(device, image)?;
        object.add_view(view)?;
        Ok(object)
    }

    /// Returns the image of one zero texel that programs access at an image unit without an image,
    /// and creates it on first use. Each unit has its own.
    fn get_or_create_placeholder(
        &mut self,
        device: &Rc<Device>,
        unit: u32,
        requested: RequestedImage,
    ) -> Result<&Texture, CommandError> {
        let key = (unit, requested);
        let cached = self
            .placeholders
            .iter()
            .position(|(known, _)| *known == key);
        let index = match cached {
            Some(place) => place,
            None => {
                let mut texture =
                    Texture::new(device, &smallest_shape(requested)?, TextureUse::Storage)?;
                let size = texture.shape().plane_bytes(0);
                texture.fill_planes(|_| vec![0; size])?;
                self.placeholders.push((key, texture));
                self.placeholders.len() - 1
            }
        };
        Ok(&self.placeholders[index].1)
    }

    /// Reads the current texels of a plane from the device; creates the image if it does not exist
    /// yet.
    pub(super) fn read_plane(
        &mut self,
        device: &Rc<Device>,
        key: ImageKey,
        plane: PlaneId,
    ) -> Result<Picture, CommandError> {
        let (_, object) = self.get_or_create(device, key)?;
        Ok(object.read_plane(plane)?)
    }
}

/// Returns the view of a bound image that a program accesses; `None` if the sizes of texels of the
/// program, the unit's format and the image differ, or if the image lacks the bound part. Returns
/// an error if the program accesses another target or type of texels.
fn select_view(
    shape: &TextureShape,
    bound: &BoundImage,
    requested: RequestedImage,
) -> Result<Option<StorageView>, String> {
    let part = bound.part;
    if !part.is_accessible_as(shape.target, requested.target) {
        return Err("the program accesses another target".to_owned());
    }
    let bits = 8 * shape.format.texel_size() as u8;
    let unit_format = bound.format.as_ref().unwrap_or(&shape.format);
    let fits = unit_format.texel_size() == shape.format.texel_size();
    let format = match requested.format {
        ImageFormat::AnyUint => raw_format(bits),
        ImageFormat::RawUint(wanted) => raw_format(wanted).filter(|_| fits && wanted == bits),
        ImageFormat::Native(scalar) if scalar == texel_scalar(unit_format.encoding) => {
            fits.then(|| unit_format.clone())
        }
        ImageFormat::Native(_) => {
            return Err("the program accesses texels of another type".to_owned());
        }
    };
    let view = |format: Format| StorageView {
        target: requested.target,
        part,
        format: format.vk,
    };
    Ok(format.filter(|_| part.exists_in(shape)).map(view))
}

/// Returns the shape of the smallest image that a program can access as `requested`: one texel,
/// with all six faces of a cube. Returns an error if no format has texels of the requested size.
fn smallest_shape(requested: RequestedImage) -> Result<TextureShape, String> {
    let format = match requested.format {
        ImageFormat::RawUint(bits) => raw_format(bits),
        ImageFormat::AnyUint => raw_format(32),
        ImageFormat::Native(ScalarType::Sint32) => Format::parse("R32G32B32A32_SINT"),
        ImageFormat::Native(ScalarType::Uint32) => Format::parse("R32G32B32A32_UINT"),
        ImageFormat::Native(ScalarType::Float32 | ScalarType::Float64) => {
            Format::parse("R32G32B32A32_SFLOAT")
        }
    };
    let format = format.ok_or_else(|| "there are no such texels".to_owned())?;
    let is_cube = requested.target.is_cube();
    Ok(TextureShape {
        target: requested.target,
        format,
        extent: [1; 3],
        levels: 1,
        layers: if is_cube { 6 } else { 1 },
        // Devices with multisample images have four samples.
        samples: if requested.target.is_multisample() {
            4
        } else {
            1
        },
    })
}
