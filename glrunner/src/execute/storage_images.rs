//! Storage images: textures that programs write.

use super::texture_objects::{
    TexelStorage, create_texture, gl_target, image_size, require_texel_format,
};
use crate::error::{Error, Problem};
use crate::gl::{self, Gl, SampleLayer, Texture};
use glasm::ir::TexTarget;
use glasm_scripts::image::Image as Picture;
use glasm_scripts::resource_table::ImageTable;
use glasm_scripts::script::{BoundImage, Convention, ImageKey};
use glasm_scripts::texture::{ImagePart, PlaneId, TextureData, TextureShape, TextureUpdate};
use std::rc::Rc;

/// Object of an image.
type ImageObject = (Texture, TexelStorage);

/// Images of a script.
#[derive(Default)]
pub(super) struct Images {
    pub(super) table: ImageTable<ImageObject>,
}

impl Images {
    /// Records a new image, or changes of its texels; an image that exists in the driver is
    /// written.
    pub(super) fn update_image(
        &mut self,
        key: ImageKey,
        update: &TextureUpdate,
    ) -> Result<(), Problem> {
        self.table.update(key, update, |object, data, planes| {
            write_planes(object, data, planes)
        })
    }
}

/// Writes the texels that planes have in `data` to the image's texture or texture buffer. Skips
/// scripts with formats that OpenGL lacks.
fn write_planes(
    (texture, store): &ImageObject,
    data: &TextureData,
    planes: &[PlaneId],
) -> Result<(), Problem> {
    let shape = &data.shape;
    let format = require_texel_format(shape)?;
    for plane in planes {
        let texels = data.plane(*plane);
        if let TexelStorage::Buffer(buffer) = store {
            buffer.write(0, &texels)?;
        } else if shape.target.is_multisample() {
            let layer = sample_layer(shape, *plane);
            texture.write_sample(layer, format.internal_format, format.client_format, &texels)?;
        } else {
            let (image, offset) = plane_part(shape, *plane);
            texture.update_image(image, offset, format.client_format, &texels)?;
        }
    }
    Ok(())
}

/// Reads the texels of a plane from the texture or texture buffer of an image. Fails if the driver
/// returns fewer texels than the plane has.
fn read_plane(
    (texture, store): &ImageObject,
    shape: &TextureShape,
    plane: PlaneId,
) -> Result<Vec<u8>, Problem> {
    let format = require_texel_format(shape)?;
    let size = shape.plane_bytes(plane.level);
    if let TexelStorage::Buffer(buffer) = store {
        return Ok(buffer.read(0, size)?);
    }
    let (image, _) = plane_part(shape, plane);
    let texels = if shape.target.is_multisample() {
        texture.read_sample(format.internal_format, plane.sample, format.client_format)?
    } else {
        texture.read_image(image.target, plane.level, format.client_format)?
    };
    let first = match shape.target {
        TexTarget::Cube => 0,
        TexTarget::D1
        | TexTarget::D2
        | TexTarget::D3
        | TexTarget::Rect
        | TexTarget::D1Array
        | TexTarget::D2Array
        | TexTarget::CubeArray
        | TexTarget::Buffer
        | TexTarget::D2Multisample
        | TexTarget::D2MultisampleArray => plane.slice as usize * size,
    };
    let part = texels.get(first..first + size);
    let part = part.ok_or_else(|| "the driver gives fewer texels than the image has".to_owned())?;
    Ok(part.to_vec())
}

/// Creates a texture that programs can write, with the texels of the data: it is complete, since
/// its filters and levels need no further images. Skips scripts with textures that the driver
/// lacks.
fn create_image(gl: &Rc<Gl>, data: &TextureData) -> Result<(Texture, TexelStorage), Problem> {
    let target = gl_target(data.shape.target);
    let object = create_texture(gl, data, target, Convention::Vulkan)?;
    let is_sampled =
        matches!(object.1, TexelStorage::Texture) && !data.shape.target.is_multisample();
    if is_sampled {
        object
            .0
            .set_parameter(gl::TEXTURE_MIN_FILTER, gl::NEAREST)?;
        object
            .0
            .set_parameter(gl::TEXTURE_MAG_FILTER, gl::NEAREST)?;
    }
    if is_sampled && data.shape.target != TexTarget::Rect {
        object
            .0
            .set_parameter(gl::TEXTURE_MAX_LEVEL, data.shape.levels - 1)?;
    }
    gl.check_errors("glTexParameter")?;
    Ok(object)
}

/// Returns the layer and sample of a multisample texture that a plane denotes.
fn sample_layer(shape: &TextureShape, plane: PlaneId) -> SampleLayer {
    let [width, height, _] = shape.level_extent(0);
    SampleLayer {
        size: [width, height],
        layer: plane.slice,
        sample: plane.sample,
    }
}

/// Returns the part of an image that is a plane, and its offset in the image of OpenGL. A plane of
/// a cube map is a whole face.
fn plane_part(shape: &TextureShape, plane: PlaneId) -> (gl::Image, [u32; 3]) {
    let [width, height, _] = image_size(shape, plane.level);
    let (target, level) = (gl_target(shape.target), plane.level);
    let (target, size, offset) = match shape.target {
        TexTarget::Cube => (
            gl::TEXTURE_CUBE_MAP_POSITIVE_X + plane.slice,
            [width, height, 1],
            [0; 3],
        ),
        TexTarget::D1Array => (target, [width, 1, 1], [0, plane.slice, 0]),
        TexTarget::D1
        | TexTarget::D2
        | TexTarget::D3
        | TexTarget::Rect
        | TexTarget::D2Array
        | TexTarget::CubeArray
        | TexTarget::Buffer
        | TexTarget::D2Multisample
        | TexTarget::D2MultisampleArray => (target, [width, height, 1], [0, 0, plane.slice]),
    };
    let image = gl::Image {
        target,
        level,
        size,
    };
    (image, offset)
}

impl Images {
    /// Creates the images that a draw or dispatch may use, and binds them to their units. Images
    /// that have only a descriptor are ignored. Skips scripts with units or formats that the driver
    /// lacks.
    pub(super) fn prepare_images(&mut self, gl: &Rc<Gl>) -> Result<(), Problem> {
        for key in self.table.keys() {
            // Images with a descriptor only are for modules, which OpenGL does not run.
            if let Some(unit) = key.unit() {
                self.bind_unit(gl, unit, &self.table.bound_image(key), None)?;
            }
        }
        Ok(())
    }

    /// Returns the shape of a bound image; `None` if the image does not exist or lacks the bound
    /// part.
    fn bound_shape(&self, bound: &BoundImage) -> Option<TextureShape> {
        let data = self.table.data(bound.image).ok()?;
        let has_part = bound.part.exists_in(&data.shape);
        has_part.then(|| data.shape.clone())
    }

    /// Returns the texture of an image, which is created if it does not exist yet. Fails if no
    /// command has defined the image.
    fn prepare_object(&mut self, gl: &Rc<Gl>, key: ImageKey) -> Result<&Texture, Problem> {
        let (_, object) = self
            .table
            .get_or_create(key, |data| create_image(gl, data))?;
        Ok(&object.0)
    }

    /// Binds an image, which is created if necessary, to a unit, in the format `raw`, if there is
    /// one, or in its own; no texture if the image or its part does not exist. Skips scripts with
    /// units or formats that the driver lacks.
    pub(super) fn bind_unit(
        &mut self,
        gl: &Rc<Gl>,
        unit: u32,
        bound: &BoundImage,
        raw: Option<u32>,
    ) -> Result<(), Problem> {
        let interface = ImageInterface::select(gl)?;
        if unit >= interface.unit_count(gl)? {
            let reason = format!("the driver lacks image unit {unit}");
            return Err(Problem::Unsupported(reason));
        }
        let Some(own) = self.bound_shape(bound) else {
            // Programs access no image.
            return Ok(interface.bind(gl, unit, 0, ImagePart::default(), gl::R8)?);
        };
        let format = bound.format.clone().unwrap_or_else(|| own.format.clone());
        let name = format.vk;
        let internal = match raw {
            Some(internal) => internal,
            None => require_texel_format(&TextureShape { format, ..own })?.internal_format,
        };
        let texture = self.prepare_object(gl, bound.image)?.name();
        match interface.bind(gl, unit, texture, bound.part, internal) {
            // The only thing that OpenGL may find wrong is the format.
            Err(Error::Gl { .. }) => {
                let reason = format!("the driver lacks images of format {name:?}");
                Err(Problem::Unsupported(reason))
            }
            result => Ok(result?),
        }
    }

    /// Returns a handle of the image that programs see at a unit, which is created and resident.
    /// NV_bindless_texture. Skips scripts whose unit has no image, or one with a format that OpenGL
    /// lacks.
    pub(super) fn create_handle(&mut self, gl: &Rc<Gl>, unit: u32) -> Result<u64, Problem> {
        let bound = self.table.bound_image(ImageKey::from_unit(unit));
        let Some(own) = self.bound_shape(&bound) else {
            let reason = format!("OpenGL has no handle of image {unit}, which is not set");
            return Err(Problem::Unsupported(reason));
        };
        let target = own.target;
        let format = bound.format.unwrap_or_else(|| own.format.clone());
        let internal = require_texel_format(&TextureShape { format, ..own })?.internal_format;
        let texture = self.prepare_object(gl, bound.image)?.name();
        let (level, layered, layer) = image_part_arguments(bound.part);
        // Textures without layers must not be specified as layered: NV_bindless_texture section
        // 3.9.X.
        let layered = if has_layers(target) {
            layered
        } else {
            gl::FALSE
        };
        let handle = gl.GetImageHandleNV(texture, level, layered, layer, internal)?;
        if gl.IsImageHandleResidentNV(handle)? == gl::FALSE {
            gl.MakeImageHandleResidentNV(handle, gl::READ_WRITE)?;
        }
        gl.check_errors("glGetImageHandleNV")?;
        Ok(handle)
    }

    /// Reads the current texels of a plane from the driver, which creates the image if it was not
    /// used yet. Fails if no command has defined the image.
    pub(super) fn read_image_plane(
        &mut self,
        gl: &Rc<Gl>,
        key: ImageKey,
        plane: PlaneId,
    ) -> Result<Picture, Problem> {
        let create = |data: &TextureData| create_image(gl, data);
        let (TextureData { shape, .. }, object) = self.table.get_or_create(key, create)?;
        let data = read_plane(object, shape, plane)?;
        let [width, height, _] = shape.level_extent(plane.level);
        Ok(Picture {
            width,
            height,
            format: shape.format.clone(),
            is_color: true,
            data,
        })
    }
}

/// Extension that binds images: both have the same semantics, with different commands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ImageInterface {
    /// OpenGL 4.2, ARB_shader_image_load_store.
    Core,
    /// EXT_shader_image_load_store.
    Ext,
}

/// Returns true if a level of a texture consists of layers.
fn has_layers(target: TexTarget) -> bool {
    target.is_array() || matches!(target, TexTarget::D3 | TexTarget::Cube)
}

/// Returns the arguments of commands that bind a part of a texture: the level, `GL_TRUE` for all
/// layers, and the layer, 0 for all.
fn image_part_arguments(part: ImagePart) -> (i32, u8, i32) {
    let layered = match part.slice {
        None => gl::TRUE,
        Some(_) => gl::FALSE,
    };
    let layer = part.slice.unwrap_or(0).cast_signed();
    (part.level.cast_signed(), layered, layer)
}

impl ImageInterface {
    /// Selects the commands for image units: those of OpenGL 4.2 or of EXT_shader_image_load_store.
    /// Skips the script if the driver has neither.
    fn select(gl: &Gl) -> Result<Self, Problem> {
        if gl.version() >= gl::Version(4, 2) || gl.has_extension("GL_ARB_shader_image_load_store") {
            return Ok(Self::Core);
        }
        if gl.has_extension("GL_EXT_shader_image_load_store") {
            return Ok(Self::Ext);
        }
        let reason = "the driver lacks GL_EXT_shader_image_load_store".to_owned();
        Err(Problem::Unsupported(reason))
    }

    /// Queries the number of image units that the commands of this interface support.
    fn unit_count(self, gl: &Gl) -> Result<u32, Error> {
        let name = match self {
            Self::Core => gl::MAX_IMAGE_UNITS,
            Self::Ext => gl::MAX_IMAGE_UNITS_EXT,
        };
        Ok(gl.integer(name)?.unsigned_abs())
    }

    /// Binds a part of a texture, 0 for none, to an image unit for reads and writes in a format.
    fn bind(
        self,
        gl: &Gl,
        unit: u32,
        texture: u32,
        part: ImagePart,
        internal: u32,
    ) -> Result<(), Error> {
        let (level, layered, layer) = image_part_arguments(part);
        let access = gl::READ_WRITE;
        match self {
            Self::Core => {
                gl.BindImageTexture(unit, texture, level, layered, layer, access, internal)?;
            }
            Self::Ext => {
                let format = internal.cast_signed();
                gl.BindImageTextureEXT(unit, texture, level, layered, layer, access, format)?;
            }
        }
        gl.check_errors("glBindImageTexture")
    }
}
