//! Storage images: textures that programs write.

use super::texture_objects::{Store, create, gl_target, image_size, texel_format};
use crate::error::{Error, Problem};
use crate::gl::{self, Gl, SampleLayer, Texture};
use glasm::ir::TexTarget;
use glasm_scripts::image::Image as Picture;
use glasm_scripts::resource_table::ImageTable;
use glasm_scripts::script::{BoundImage, Convention, ImageKey};
use glasm_scripts::texture::{ImagePart, PlaneId, Shape, TextureData, Update};
use std::rc::Rc;

/// Object of an image.
type Object = (Texture, Store);

/// Images of a script.
#[derive(Default)]
pub(super) struct Images {
    pub(super) table: ImageTable<Object>,
}

impl Images {
    /// Begins, extends or changes an image.
    pub(super) fn update(&mut self, key: ImageKey, update: &Update) -> Result<(), Problem> {
        self.table.update(key, update, |object, data, planes| {
            write_planes(object, data, planes)
        })
    }
}

/// Writes planes of an image to its object.
fn write_planes(
    (texture, store): &Object,
    data: &TextureData,
    planes: &[PlaneId],
) -> Result<(), Problem> {
    let shape = &data.shape;
    let format = texel_format(shape)?;
    for plane in planes {
        let texels = data.plane(*plane);
        if let Store::Buffer(buffer) = store {
            buffer.write(0, &texels)?;
        } else if shape.target.is_multisample() {
            let layer = sample_layer(shape, *plane);
            texture.write_sample(layer, format.internal, format.client, &texels)?;
        } else {
            let (image, offset) = part_of_plane(shape, *plane);
            texture.replace(image, offset, format.client, &texels)?;
        }
    }
    Ok(())
}

/// Reads the texels of a plane from the object of an image.
fn read_plane(
    (texture, store): &Object,
    shape: &Shape,
    plane: PlaneId,
) -> Result<Vec<u8>, Problem> {
    let format = texel_format(shape)?;
    let size = shape.plane_bytes(plane.level);
    if let Store::Buffer(buffer) = store {
        return Ok(buffer.read(0, size)?);
    }
    let (image, _) = part_of_plane(shape, plane);
    let texels = if shape.target.is_multisample() {
        texture.read_sample(format.internal, plane.sample, format.client)?
    } else {
        texture.read(image.target, plane.level, format.client)?
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
        | TexTarget::D2Ms
        | TexTarget::D2MsArray => plane.slice as usize * size,
    };
    let part = texels.get(first..first + size);
    let part = part.ok_or_else(|| "the driver gives fewer texels than the image has".to_owned())?;
    Ok(part.to_vec())
}

/// Creates a texture that programs can write: it is complete.
fn create_image(gl: &Rc<Gl>, data: &TextureData) -> Result<(Texture, Store), Problem> {
    let target = gl_target(data.shape.target);
    let object = create(gl, data, target, Convention::Vulkan)?;
    let is_sampled = matches!(object.1, Store::Own) && !data.shape.target.is_multisample();
    if is_sampled {
        object.0.set(gl::TEXTURE_MIN_FILTER, gl::NEAREST)?;
        object.0.set(gl::TEXTURE_MAG_FILTER, gl::NEAREST)?;
    }
    if is_sampled && data.shape.target != TexTarget::Rect {
        object.0.set(gl::TEXTURE_MAX_LEVEL, data.shape.levels - 1)?;
    }
    gl.check("glTexParameter")?;
    Ok(object)
}

fn sample_layer(shape: &Shape, plane: PlaneId) -> SampleLayer {
    let [width, height, _] = shape.level_extent(0);
    SampleLayer {
        size: [width, height],
        layer: plane.slice,
        sample: plane.sample,
    }
}

/// Returns the part of an image that is a plane, and its offset.
fn part_of_plane(shape: &Shape, plane: PlaneId) -> (gl::Image, [u32; 3]) {
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
        | TexTarget::D2Ms
        | TexTarget::D2MsArray => (target, [width, height, 1], [0, 0, plane.slice]),
    };
    let image = gl::Image {
        target,
        level,
        size,
    };
    (image, offset)
}

impl Images {
    /// Creates the images that a draw or dispatch may use, and binds them.
    pub(super) fn prepare(&mut self, gl: &Rc<Gl>) -> Result<(), Problem> {
        for key in self.table.keys() {
            // Images with a descriptor only are for modules, which OpenGL does not run.
            if let Some(unit) = key.unit() {
                self.bind_unit(gl, unit, &self.table.bound(key), None)?;
            }
        }
        Ok(())
    }

    /// Returns the shape of a bound image, if it has the bound part.
    fn shape_with(&self, bound: &BoundImage) -> Option<Shape> {
        let data = self.table.data(bound.image).ok()?;
        let has_part = bound.part.exists(&data.shape);
        has_part.then(|| data.shape.clone())
    }

    /// Returns the texture of an image, which is created if it does not exist yet.
    fn prepare_object(&mut self, gl: &Rc<Gl>, key: ImageKey) -> Result<&Texture, Problem> {
        let (_, object) = self.table.prepare(key, |data| create_image(gl, data))?;
        Ok(&object.0)
    }

    /// Binds an image, in its own format unless another one is given.
    pub(super) fn bind_unit(
        &mut self,
        gl: &Rc<Gl>,
        unit: u32,
        bound: &BoundImage,
        raw: Option<u32>,
    ) -> Result<(), Problem> {
        let interface = Interface::of(gl)?;
        if unit >= interface.units(gl)? {
            let reason = format!("the driver lacks image unit {unit}");
            return Err(Problem::Lacking(reason));
        }
        let Some(own) = self.shape_with(bound) else {
            // Programs access no image.
            return Ok(interface.bind(gl, unit, 0, ImagePart::default(), gl::R8)?);
        };
        let format = bound.format.clone().unwrap_or_else(|| own.format.clone());
        let name = format.vk;
        let internal = match raw {
            Some(internal) => internal,
            None => texel_format(&Shape { format, ..own })?.internal,
        };
        let texture = self.prepare_object(gl, bound.image)?.name();
        match interface.bind(gl, unit, texture, bound.part, internal) {
            // The only thing that OpenGL may find wrong is the format.
            Err(Error::Gl { .. }) => {
                let reason = format!("the driver lacks images of format {name:?}");
                Err(Problem::Lacking(reason))
            }
            result => Ok(result?),
        }
    }

    /// Returns a handle of the image that programs see at a unit. NV_bindless_texture.
    pub(super) fn handle(&mut self, gl: &Rc<Gl>, unit: u32) -> Result<u64, Problem> {
        let bound = self.table.bound(ImageKey::of_unit(unit));
        let Some(own) = self.shape_with(&bound) else {
            let reason = format!("OpenGL has no handle of image {unit}, which is not set");
            return Err(Problem::Lacking(reason));
        };
        let target = own.target;
        let format = bound.format.unwrap_or_else(|| own.format.clone());
        let internal = texel_format(&Shape { format, ..own })?.internal;
        let texture = self.prepare_object(gl, bound.image)?.name();
        let (level, layered, layer) = place_of(bound.part);
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
        gl.check("glGetImageHandleNV")?;
        Ok(handle)
    }

    /// Reads the current texels of a plane.
    pub(super) fn read(
        &mut self,
        gl: &Rc<Gl>,
        key: ImageKey,
        plane: PlaneId,
    ) -> Result<Picture, Problem> {
        let create = |data: &TextureData| create_image(gl, data);
        let (TextureData { shape, .. }, object) = self.table.prepare(key, create)?;
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
enum Interface {
    /// OpenGL 4.2, ARB_shader_image_load_store.
    Core,
    /// EXT_shader_image_load_store.
    Ext,
}

/// Returns true if a level of a texture consists of layers.
fn has_layers(target: TexTarget) -> bool {
    target.is_array() || matches!(target, TexTarget::D3 | TexTarget::Cube)
}

/// Returns the level, true (1) for all layers, and the layer.
fn place_of(part: ImagePart) -> (i32, u8, i32) {
    let layered = match part.slice {
        None => gl::TRUE,
        Some(_) => gl::FALSE,
    };
    let layer = part.slice.unwrap_or(0).cast_signed();
    (part.level.cast_signed(), layered, layer)
}

impl Interface {
    fn of(gl: &Gl) -> Result<Self, Problem> {
        if gl.version() >= gl::Version(4, 2) || gl.has("GL_ARB_shader_image_load_store") {
            return Ok(Self::Core);
        }
        if gl.has("GL_EXT_shader_image_load_store") {
            return Ok(Self::Ext);
        }
        let reason = "the driver lacks GL_EXT_shader_image_load_store".to_owned();
        Err(Problem::Lacking(reason))
    }

    /// Returns the number of image units.
    fn units(self, gl: &Gl) -> Result<u32, Error> {
        let name = match self {
            Self::Core => gl::MAX_IMAGE_UNITS,
            Self::Ext => gl::MAX_IMAGE_UNITS_EXT,
        };
        Ok(gl.integer(name)?.unsigned_abs())
    }

    fn bind(
        self,
        gl: &Gl,
        unit: u32,
        texture: u32,
        part: ImagePart,
        internal: u32,
    ) -> Result<(), Error> {
        let (level, layered, layer) = place_of(part);
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
        gl.check("glBindImageTexture")
    }
}
