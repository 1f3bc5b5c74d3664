//! Textures: images go in and out with their lengths compared.

use super::bindings::constants::*;
use super::buffer::Buffer;
use super::context::Gl;
use super::object::{Object, ObjectKind};
use super::pixels::ClientFormat;
use crate::error::Error;
use std::rc::Rc;

/// Image of a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Image {
    /// Target, which for a cube map is a face.
    pub(crate) target: u32,
    /// Level of detail.
    pub(crate) level: u32,
    /// Width, height, depth; 1 for missing dimensions. Layers of arrays are the last dimension of
    /// the target.
    pub(crate) size: [u32; 3],
}

/// Texture.
pub(crate) struct Texture {
    object: Object,
    target: u32,
}

/// Number of dimensions of an image of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dimensions {
    One,
    Two,
    Three,
}

pub(super) fn dimensions(target: u32) -> Dimensions {
    match target {
        TEXTURE_1D => Dimensions::One,
        TEXTURE_3D | TEXTURE_2D_ARRAY | TEXTURE_CUBE_MAP_ARRAY | TEXTURE_2D_MULTISAMPLE_ARRAY => {
            Dimensions::Three
        }
        _ => Dimensions::Two,
    }
}

/// Converts a size or level to OpenGL's type; too large values become larger than any limit, so
/// OpenGL rejects them.
pub(super) fn int(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

impl Texture {
    /// Creates a texture of this target without images.
    pub(crate) fn new(gl: &Rc<Gl>, target: u32) -> Result<Self, Error> {
        let object = Object::new(gl, ObjectKind::Texture)?;
        let texture = Self { object, target };
        texture.edit(|gl| gl.check("glBindTexture"))?;
        Ok(texture)
    }

    /// Returns the name, to bind it.
    pub(crate) fn name(&self) -> u32 {
        self.object.name()
    }

    pub(super) fn gl(&self) -> &Rc<Gl> {
        self.object.gl()
    }

    /// Returns the target.
    pub(crate) fn target(&self) -> u32 {
        self.target
    }

    /// Binds it to the active unit.
    pub(crate) fn bind(&self) -> Result<(), Error> {
        self.object.gl().BindTexture(self.target, self.name())
    }

    /// Binds the texture to the last texture unit, which no script uses, and calls `work`, so that
    /// the other bindings are unchanged.
    pub(super) fn edit<R>(&self, work: impl FnOnce(&Gl) -> Result<R, Error>) -> Result<R, Error> {
        let gl = self.object.gl();
        let active = gl.integer(ACTIVE_TEXTURE)?;
        let last = gl.integer(MAX_COMBINED_TEXTURE_IMAGE_UNITS)?.max(1) - 1;
        gl.ActiveTexture(TEXTURE0 + last.cast_unsigned())?;
        gl.BindTexture(self.target, self.name())?;
        let result = work(gl);
        gl.ActiveTexture(active.cast_unsigned())?;
        result
    }

    /// Defines an image in a format of OpenGL. Without texels it is undefined; the client's format
    /// must fit nevertheless.
    pub(crate) fn define(
        &self,
        image: Image,
        internal: u32,
        format: ClientFormat,
        texels: Option<&[u8]>,
    ) -> Result<(), Error> {
        if let Some(texels) = texels {
            check_length("glTexImage", texels.len(), format.image_size(image.size)?)?;
        }
        self.edit(|gl| {
            let (ClientFormat { format, ty }, [w, h, d]) = (format, image.size.map(int));
            let (level, internal) = (int(image.level), int(internal));
            gl.BindBuffer(PIXEL_UNPACK_BUFFER, 0)?;
            let texels = texels.map_or(std::ptr::null(), |texels| texels.as_ptr().cast());
            // SAFETY: texels are packed without gaps, so OpenGL reads as many bytes as were
            // compared; null denotes no texels.
            unsafe {
                match dimensions(image.target) {
                    Dimensions::One => {
                        gl.TexImage1D(image.target, level, internal, w, 0, format, ty, texels)
                    }
                    Dimensions::Two => {
                        gl.TexImage2D(image.target, level, internal, w, h, 0, format, ty, texels)
                    }
                    Dimensions::Three => gl.TexImage3D(
                        image.target,
                        level,
                        internal,
                        w,
                        h,
                        d,
                        0,
                        format,
                        ty,
                        texels,
                    ),
                }
            }?;
            gl.check("glTexImage")
        })
    }

    /// Defines the only image of a multisample target. Sample locations are the same in all texels.
    pub(crate) fn define_samples(
        &self,
        samples: u32,
        internal: u32,
        size: [u32; 3],
    ) -> Result<(), Error> {
        self.edit(|gl| {
            let (samples, [w, h, d]) = (int(samples), size.map(int));
            if self.target == TEXTURE_2D_MULTISAMPLE_ARRAY {
                gl.TexImage3DMultisample(self.target, samples, internal, w, h, d, TRUE)?;
            } else {
                gl.TexImage2DMultisample(self.target, samples, internal, w, h, TRUE)?;
            }
            gl.check("glTexImageMultisample")
        })
    }

    /// Attaches a buffer to a buffer texture. The texture does not keep the buffer alive.
    pub(crate) fn attach_buffer(&self, internal: u32, buffer: &Buffer) -> Result<(), Error> {
        self.edit(|gl| {
            gl.TexBuffer(self.target, internal, buffer.name())?;
            gl.check("glTexBuffer")
        })
    }

    /// Sets an integer parameter, such as a filter.
    pub(crate) fn set(&self, name: u32, value: u32) -> Result<(), Error> {
        self.edit(|gl| gl.TexParameteri(self.target, name, value.cast_signed()))
    }

    /// Returns the size of an image, 0 of one that is not defined; `target` is a face for a cube
    /// map.
    pub(crate) fn size(&self, target: u32, level: u32) -> Result<[u32; 3], Error> {
        self.edit(|gl| {
            let mut size = [0; 3];
            for (value, name) in size
                .iter_mut()
                .zip([TEXTURE_WIDTH, TEXTURE_HEIGHT, TEXTURE_DEPTH])
            {
                // SAFETY: this state has one value.
                unsafe { gl.GetTexLevelParameteriv(target, int(level), name, value) }?;
            }
            gl.check("glGetTexLevelParameter")?;
            Ok(size.map(|value| u32::try_from(value).unwrap_or(0)))
        })
    }

    /// Reads all texels of an image, all layers after each other, packed without gaps. Not for
    /// multisample targets.
    pub(crate) fn read(
        &self,
        target: u32,
        level: u32,
        format: ClientFormat,
    ) -> Result<Vec<u8>, Error> {
        let size = self.size(target, level)?;
        let mut texels = vec![0; format.image_size(size)?];
        let out = texels.as_mut_ptr().cast();
        self.edit(|gl| {
            gl.BindBuffer(PIXEL_PACK_BUFFER, 0)?;
            // SAFETY: texels are packed without gaps, so OpenGL writes as many bytes as the vector
            // has.
            unsafe { gl.GetTexImage(target, int(level), format.format, format.ty, out) }?;
            gl.check("glGetTexImage")
        })?;
        Ok(texels)
    }
}

pub(super) fn check_length(what: &'static str, length: usize, needed: usize) -> Result<(), Error> {
    if length == needed {
        return Ok(());
    }
    Err(Error::Length {
        what,
        length,
        needed,
    })
}
