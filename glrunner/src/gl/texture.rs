//! Textures: images go in and out with their lengths compared.

use super::bindings::constants::*;
use super::buffer::Buffer;
use super::buffer::{Object, ObjectKind};
use super::context::Gl;
use super::texture_state::ClientFormat;
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

/// Returns the number of dimensions that commands for images of a target have, including the layers
/// of arrays.
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
pub(super) fn to_gl_int(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

impl Texture {
    /// Creates a texture of a target, which has no images yet. Fails with the error of OpenGL if
    /// the driver lacks the target.
    pub(crate) fn new(gl: &Rc<Gl>, target: u32) -> Result<Self, Error> {
        let object = Object::new(gl, ObjectKind::Texture)?;
        let texture = Self { object, target };
        texture.with_bound(|gl| gl.check_errors("glBindTexture"))?;
        Ok(texture)
    }

    /// Returns the name, to bind it.
    pub(crate) fn name(&self) -> u32 {
        self.object.name()
    }

    /// Returns the device that the texture belongs to.
    pub(super) fn gl(&self) -> &Rc<Gl> {
        self.object.gl()
    }

    /// Returns the target that the texture is bound to, such as `GL_TEXTURE_2D`.
    pub(crate) fn target(&self) -> u32 {
        self.target
    }

    /// Binds the texture to its target of the active texture unit.
    pub(crate) fn bind(&self) -> Result<(), Error> {
        self.object.gl().BindTexture(self.target, self.name())
    }

    /// Calls `work` while the texture is bound to the last texture unit, which no script uses, and
    /// that unit is active. The active unit is restored, also if `work` fails; the texture remains
    /// bound to the last unit.
    pub(super) fn with_bound<R>(
        &self,
        work: impl FnOnce(&Gl) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let gl = self.object.gl();
        let active = gl.integer(ACTIVE_TEXTURE)?;
        let last = gl.integer(MAX_COMBINED_TEXTURE_IMAGE_UNITS)?.max(1) - 1;
        gl.ActiveTexture(TEXTURE0 + last.cast_unsigned())?;
        gl.BindTexture(self.target, self.name())?;
        let result = work(gl);
        gl.ActiveTexture(active.cast_unsigned())?;
        result
    }

    /// Defines an image in a format of OpenGL, from texels without gaps. Without texels it is
    /// undefined; the client's format must fit nevertheless. [`Error::Length`] if the number of
    /// texels differs from that of the image.
    pub(crate) fn define_image(
        &self,
        image: Image,
        internal: u32,
        format: ClientFormat,
        texels: Option<&[u8]>,
    ) -> Result<(), Error> {
        if let Some(texels) = texels {
            check_length("glTexImage", texels.len(), format.image_size(image.size)?)?;
        }
        self.with_bound(|gl| {
            let (ClientFormat { format, ty }, [w, h, d]) = (format, image.size.map(to_gl_int));
            let (level, internal) = (to_gl_int(image.level), to_gl_int(internal));
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
            gl.check_errors("glTexImage")
        })
    }

    /// Defines the only image of a multisample target, with undefined texels. Sample locations are
    /// the same in all texels.
    pub(crate) fn define_multisample_image(
        &self,
        samples: u32,
        internal: u32,
        size: [u32; 3],
    ) -> Result<(), Error> {
        self.with_bound(|gl| {
            let (samples, [w, h, d]) = (to_gl_int(samples), size.map(to_gl_int));
            if self.target == TEXTURE_2D_MULTISAMPLE_ARRAY {
                gl.TexImage3DMultisample(self.target, samples, internal, w, h, d, TRUE)?;
            } else {
                gl.TexImage2DMultisample(self.target, samples, internal, w, h, TRUE)?;
            }
            gl.check_errors("glTexImageMultisample")
        })
    }

    /// Attaches a buffer to a buffer texture, whose texels have a format. The texture does not own
    /// the buffer, which must outlive its use. Fails with the error of OpenGL for other formats.
    pub(crate) fn attach_buffer(&self, internal: u32, buffer: &Buffer) -> Result<(), Error> {
        self.with_bound(|gl| {
            gl.TexBuffer(self.target, internal, buffer.name())?;
            gl.check_errors("glTexBuffer")
        })
    }

    /// Sets an integer parameter, such as a filter. Errors of OpenGL are not checked.
    pub(crate) fn set_parameter(&self, name: u32, value: u32) -> Result<(), Error> {
        self.with_bound(|gl| gl.TexParameteri(self.target, name, value.cast_signed()))
    }

    /// Returns the size of an image, 0 of one that is not defined; `target` is a face for a cube
    /// map.
    pub(crate) fn image_size(&self, target: u32, level: u32) -> Result<[u32; 3], Error> {
        self.with_bound(|gl| {
            let mut size = [0; 3];
            for (value, name) in size
                .iter_mut()
                .zip([TEXTURE_WIDTH, TEXTURE_HEIGHT, TEXTURE_DEPTH])
            {
                // SAFETY: this state has one value.
                unsafe { gl.GetTexLevelParameteriv(target, to_gl_int(level), name, value) }?;
            }
            gl.check_errors("glGetTexLevelParameter")?;
            Ok(size.map(|value| u32::try_from(value).unwrap_or(0)))
        })
    }

    /// Reads all texels of an image, all layers after each other, packed without gaps; none if it
    /// is not defined. Not for multisample targets.
    pub(crate) fn read_image(
        &self,
        target: u32,
        level: u32,
        format: ClientFormat,
    ) -> Result<Vec<u8>, Error> {
        let size = self.image_size(target, level)?;
        let mut texels = vec![0; format.image_size(size)?];
        let out = texels.as_mut_ptr().cast();
        self.with_bound(|gl| {
            gl.BindBuffer(PIXEL_PACK_BUFFER, 0)?;
            // SAFETY: texels are packed without gaps, so OpenGL writes as many bytes as the vector
            // has.
            unsafe { gl.GetTexImage(target, to_gl_int(level), format.format, format.ty, out) }?;
            gl.check_errors("glGetTexImage")
        })?;
        Ok(texels)
    }
}

/// Checks that data is as long as an image needs, in bytes: [`Error::Length`] otherwise.
pub(super) fn check_length(
    operation: &'static str,
    length: usize,
    needed: usize,
) -> Result<(), Error> {
    if length == needed {
        return Ok(());
    }
    Err(Error::Length {
        what: operation,
        length,
        needed,
    })
}
