//! Textures: parameters, parts of images, and the storage formats of a driver.

use super::bindings::constants::*;
use super::context::Gl;
use super::pixels::ClientFormat;
use super::texture::{Dimensions, check_length, dimensions, int};
use super::texture::{Image, Texture};
use crate::error::Error;

/// Color of a border, by the type of the texels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Border {
    Float([f32; 4]),
    Int([i32; 4]),
    Uint([u32; 4]),
}

/// Bits of each component that an image has when it is stored: red, green, blue, alpha, depth,
/// stencil.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StoredBits {
    pub(crate) color: [u32; 4],
    pub(crate) depth: u32,
    pub(crate) stencil: u32,
}

impl Texture {
    /// Sets a parameter that may be a fraction, such as a bias.
    pub(crate) fn set_float(&self, name: u32, value: f32) -> Result<(), Error> {
        self.edit(|gl| gl.TexParameterf(self.target(), name, value))
    }

    /// Sets the color of the border.
    pub(crate) fn set_border(&self, border: Border) -> Result<(), Error> {
        let (target, name) = (self.target(), TEXTURE_BORDER_COLOR);
        self.edit(|gl| {
            // SAFETY: OpenGL reads four values of a color.
            unsafe {
                match border {
                    Border::Float(color) => gl.TexParameterfv(target, name, color.as_ptr()),
                    Border::Int(color) => gl.TexParameterIiv(target, name, color.as_ptr()),
                    Border::Uint(color) => gl.TexParameterIuiv(target, name, color.as_ptr()),
                }
            }?;
            gl.check("glTexParameter")
        })
    }

    /// Returns an integer parameter.
    #[cfg(test)]
    pub(crate) fn parameter(&self, name: u32) -> Result<i32, Error> {
        let mut values = [0; 4];
        self.edit(|gl| {
            // SAFETY: no parameter has more than four values.
            unsafe { gl.GetTexParameteriv(self.target(), name, values.as_mut_ptr()) }?;
            gl.check("glGetTexParameter")
        })?;
        Ok(values[0])
    }

    /// Returns a parameter of one or four floats.
    #[cfg(test)]
    pub(crate) fn float_parameter(&self, name: u32) -> Result<[f32; 4], Error> {
        let mut values = [0.0; 4];
        self.edit(|gl| {
            // SAFETY: no parameter has more than four values.
            unsafe { gl.GetTexParameterfv(self.target(), name, values.as_mut_ptr()) }?;
            gl.check("glGetTexParameter")
        })?;
        Ok(values)
    }

    /// Replaces a part of an image, which has `image.size` and starts at `offset`.
    pub(crate) fn replace(
        &self,
        image: Image,
        offset: [u32; 3],
        format: ClientFormat,
        texels: &[u8],
    ) -> Result<(), Error> {
        check_length(
            "glTexSubImage",
            texels.len(),
            format.image_size(image.size)?,
        )?;
        let (ClientFormat { format, ty }, level) = (format, int(image.level));
        let ([x, y, z], [w, h, d]) = (offset.map(int), image.size.map(int));
        let target = image.target;
        self.edit(|gl| {
            gl.BindBuffer(PIXEL_UNPACK_BUFFER, 0)?;
            let texels = texels.as_ptr().cast();
            // SAFETY: texels are packed without gaps, so OpenGL reads as many bytes as were
            // compared.
            unsafe {
                match dimensions(target) {
                    Dimensions::One => gl.TexSubImage1D(target, level, x, w, format, ty, texels),
                    Dimensions::Two => {
                        gl.TexSubImage2D(target, level, x, y, w, h, format, ty, texels)
                    }
                    Dimensions::Three => {
                        gl.TexSubImage3D(target, level, x, y, z, w, h, d, format, ty, texels)
                    }
                }
            }?;
            gl.check("glTexSubImage")
        })
    }
}

impl Gl {
    /// Returns the bits per component that the driver would store of an image with one sample for
    /// each texel; `None` if it cannot create it. OpenGL 4.6 (Compatibility Profile), section 8.22.
    pub(crate) fn stored_bits(
        &self,
        image: Image,
        internal: u32,
        format: ClientFormat,
    ) -> Result<Option<StoredBits>, Error> {
        let proxy = proxy_target(image.target);
        let ([w, h, d], level) = (image.size.map(int), int(image.level));
        let (internal, ClientFormat { format, ty }) = (int(internal), format);
        self.BindBuffer(PIXEL_UNPACK_BUFFER, 0)?;
        let none = std::ptr::null();
        // SAFETY: there are no texels.
        let defined = unsafe {
            match dimensions(image.target) {
                Dimensions::One => self.TexImage1D(proxy, level, internal, w, 0, format, ty, none),
                Dimensions::Two => {
                    self.TexImage2D(proxy, level, internal, w, h, 0, format, ty, none)
                }
                Dimensions::Three => {
                    self.TexImage3D(proxy, level, internal, w, h, d, 0, format, ty, none)
                }
            }
        };
        self.proxy_bits(proxy, level, defined)
    }

    /// Returns the same for an image with several samples for each texel.
    pub(crate) fn stored_sample_bits(
        &self,
        image: Image,
        internal: u32,
        samples: u32,
    ) -> Result<Option<StoredBits>, Error> {
        let proxy = proxy_target(image.target);
        let (samples, [w, h, d]) = (int(samples), image.size.map(int));
        let defined = match dimensions(image.target) {
            Dimensions::One | Dimensions::Two => {
                self.TexImage2DMultisample(proxy, samples, internal, w, h, TRUE)
            }
            Dimensions::Three => {
                self.TexImage3DMultisample(proxy, samples, internal, w, h, d, TRUE)
            }
        };
        self.proxy_bits(proxy, 0, defined)
    }

    /// Queries a proxy after its definition. Errors only indicate that the driver does not support
    /// it.
    fn proxy_bits(
        &self,
        proxy: u32,
        level: i32,
        defined: Result<(), Error>,
    ) -> Result<Option<StoredBits>, Error> {
        let errors = self.take_errors()?;
        self.take_messages();
        let is_missing = matches!(defined, Err(Error::MissingCommand(_)));
        if is_missing || !errors.is_empty() {
            return Ok(None);
        }
        defined?;
        if self.level_parameter(proxy, level, TEXTURE_WIDTH)? == 0 {
            return Ok(None);
        }
        let bits = |name| self.level_parameter(proxy, level, name);
        Ok(Some(StoredBits {
            color: [
                bits(TEXTURE_RED_SIZE)?,
                bits(TEXTURE_GREEN_SIZE)?,
                bits(TEXTURE_BLUE_SIZE)?,
                bits(TEXTURE_ALPHA_SIZE)?,
            ],
            depth: bits(TEXTURE_DEPTH_SIZE)?,
            stencil: bits(TEXTURE_STENCIL_SIZE)?,
        }))
    }

    fn level_parameter(&self, target: u32, level: i32, name: u32) -> Result<u32, Error> {
        let mut value = 0;
        // SAFETY: this state has one value.
        unsafe { self.GetTexLevelParameteriv(target, level, name, &raw mut value) }?;
        self.check("glGetTexLevelParameter")?;
        Ok(u32::try_from(value).unwrap_or(0))
    }
}

fn proxy_target(target: u32) -> u32 {
    match target {
        TEXTURE_1D => PROXY_TEXTURE_1D,
        TEXTURE_3D => PROXY_TEXTURE_3D,
        TEXTURE_RECTANGLE => PROXY_TEXTURE_RECTANGLE,
        TEXTURE_1D_ARRAY => PROXY_TEXTURE_1D_ARRAY,
        TEXTURE_2D_ARRAY => PROXY_TEXTURE_2D_ARRAY,
        TEXTURE_CUBE_MAP_ARRAY => PROXY_TEXTURE_CUBE_MAP_ARRAY,
        TEXTURE_2D_MULTISAMPLE => PROXY_TEXTURE_2D_MULTISAMPLE,
        TEXTURE_2D_MULTISAMPLE_ARRAY => PROXY_TEXTURE_2D_MULTISAMPLE_ARRAY,
        TEXTURE_CUBE_MAP | TEXTURE_CUBE_MAP_POSITIVE_X..=TEXTURE_CUBE_MAP_NEGATIVE_Z => {
            PROXY_TEXTURE_CUBE_MAP
        }
        _ => PROXY_TEXTURE_2D,
    }
}
