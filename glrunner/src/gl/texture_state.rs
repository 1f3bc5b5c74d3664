//! Textures: parameters, parts of images, the storage formats of a driver, and the memory layout of
//! texels in this process: format and type, always without gaps.

use super::bindings::constants::*;
use super::context::Gl;
use super::texture::{Dimensions, Image, Texture, check_length, dimensions, to_gl_int};
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
    /// Sets a parameter that may be a fraction, such as a bias. Errors of OpenGL are not checked.
    pub(crate) fn set_float_parameter(&self, name: u32, value: f32) -> Result<(), Error> {
        self.with_bound(|gl| gl.TexParameterf(self.target(), name, value))
    }

    /// Sets the border color as floats, signed or unsigned integers.
    pub(crate) fn set_border_color(&self, border: Border) -> Result<(), Error> {
        let (target, name) = (self.target(), TEXTURE_BORDER_COLOR);
        self.with_bound(|gl| {
            // SAFETY: OpenGL reads four values of a color.
            unsafe {
                match border {
                    Border::Float(color) => gl.TexParameterfv(target, name, color.as_ptr()),
                    Border::Int(color) => gl.TexParameterIiv(target, name, color.as_ptr()),
                    Border::Uint(color) => gl.TexParameterIuiv(target, name, color.as_ptr()),
                }
            }?;
            gl.check_errors("glTexParameter")
        })
    }

    /// Queries an integer parameter of the texture.
    #[cfg(test)]
    pub(crate) fn parameter(&self, name: u32) -> Result<i32, Error> {
        let mut values = [0; 4];
        self.with_bound(|gl| {
            // SAFETY: no parameter has more than four values.
            unsafe { gl.GetTexParameteriv(self.target(), name, values.as_mut_ptr()) }?;
            gl.check_errors("glGetTexParameter")
        })?;
        Ok(values[0])
    }

    /// Queries a parameter of one or four floats; components that it lacks are 0.
    #[cfg(test)]
    pub(crate) fn float_parameter(&self, name: u32) -> Result<[f32; 4], Error> {
        let mut values = [0.0; 4];
        self.with_bound(|gl| {
            // SAFETY: no parameter has more than four values.
            unsafe { gl.GetTexParameterfv(self.target(), name, values.as_mut_ptr()) }?;
            gl.check_errors("glGetTexParameter")
        })?;
        Ok(values)
    }

    /// Replaces a part of an image, which has `image.size` and starts at `offset`, by texels
    /// without gaps. [`Error::Length`] if their number differs from that of the part.
    pub(crate) fn update_image(
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
        let (ClientFormat { format, ty }, level) = (format, to_gl_int(image.level));
        let ([x, y, z], [w, h, d]) = (offset.map(to_gl_int), image.size.map(to_gl_int));
        let target = image.target;
        self.with_bound(|gl| {
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
            gl.check_errors("glTexSubImage")
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
        let ([w, h, d], level) = (image.size.map(to_gl_int), to_gl_int(image.level));
        let (internal, ClientFormat { format, ty }) = (to_gl_int(internal), format);
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

    /// Returns the bits per component that the driver would store of an image with several samples
    /// for each texel; `None` if it cannot create it.
    pub(crate) fn stored_sample_bits(
        &self,
        image: Image,
        internal: u32,
        samples: u32,
    ) -> Result<Option<StoredBits>, Error> {
        let proxy = proxy_target(image.target);
        let (samples, [w, h, d]) = (to_gl_int(samples), image.size.map(to_gl_int));
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

    /// Returns the stored bits of a proxy after its definition, whose result is `defined`. `None`
    /// if the driver lacks the command, rejects the definition, whose errors are cleared, or does
    /// not support the image.
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

    /// Queries a parameter of a level of the proxy, or of the texture that is bound to the target;
    /// 0 for negative values.
    fn level_parameter(&self, target: u32, level: i32, name: u32) -> Result<u32, Error> {
        let mut value = 0;
        // SAFETY: this state has one value.
        unsafe { self.GetTexLevelParameteriv(target, level, name, &raw mut value) }?;
        self.check_errors("glGetTexLevelParameter")?;
        Ok(u32::try_from(value).unwrap_or(0))
    }
}

/// Returns the proxy of a texture target, or of a face of a cube map, with which the driver reports
/// whether it supports an image.
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

/// Format and type of texels on OpenGL's client side, such as `GL_RGBA` with `GL_FLOAT`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ClientFormat {
    /// Components, such as `GL_RGBA_INTEGER`.
    pub(crate) format: u32,
    /// Type of one component, or of a packed texel.
    pub(crate) ty: u32,
}

impl ClientFormat {
    /// Creates a transfer format from OpenGL's pixel format and component type.
    pub(crate) const fn new(format: u32, ty: u32) -> Self {
        Self { format, ty }
    }

    /// Returns the bytes of one texel; [`Error::UnknownFormat`] for unknown formats and types.
    /// OpenGL 4.6 (Compatibility Profile), tables 8.2, 8.3 and 8.5.
    pub(crate) fn texel_size(self) -> Result<usize, Error> {
        let unknown = || Error::UnknownFormat {
            format: self.format,
            ty: self.ty,
        };
        packed_size(self.ty)
            .or_else(|| Some(component_count(self.format)? * component_size(self.ty)?))
            .ok_or_else(unknown)
    }

    /// Returns the size of an image of this width, height and depth in bytes; `usize::MAX` if it
    /// overflows. [`Error::UnknownFormat`] for unknown formats.
    pub(super) fn image_size(self, size: [u32; 3]) -> Result<usize, Error> {
        let texel = self.texel_size()?;
        let texels = size
            .iter()
            .try_fold(1_usize, |all, &one| all.checked_mul(one as usize));
        // Longer than any slice is too long for every slice.
        Ok(texels
            .and_then(|texels| texels.checked_mul(texel))
            .unwrap_or(usize::MAX))
    }
}

/// Returns the number of components of texels with a format; `None` for packed and unknown ones.
fn component_count(format: u32) -> Option<usize> {
    Some(match format {
        RED
        | GREEN
        | BLUE
        | ALPHA
        | LUMINANCE
        | DEPTH_COMPONENT
        | STENCIL_INDEX
        | RED_INTEGER
        | GREEN_INTEGER
        | BLUE_INTEGER
        | ALPHA_INTEGER_EXT
        | LUMINANCE_INTEGER_EXT => 1,
        RG | RG_INTEGER | LUMINANCE_ALPHA | LUMINANCE_ALPHA_INTEGER_EXT | HILO_NV | DSDT_NV => 2,
        RGB | BGR | RGB_INTEGER | BGR_INTEGER | DSDT_MAG_NV => 3,
        RGBA | BGRA | RGBA_INTEGER | BGRA_INTEGER | DSDT_MAG_VIB_NV => 4,
        _ => return None,
    })
}

/// Returns the bytes of a component; `None` for types that pack several.
fn component_size(ty: u32) -> Option<usize> {
    Some(match ty {
        BYTE | UNSIGNED_BYTE => 1,
        SHORT | UNSIGNED_SHORT | HALF_FLOAT => 2,
        INT | UNSIGNED_INT | FLOAT => 4,
        _ => return None,
    })
}

/// Returns the bytes of a texel of a type that represents a whole texel; `None` for all others.
fn packed_size(ty: u32) -> Option<usize> {
    Some(match ty {
        UNSIGNED_BYTE_3_3_2 | UNSIGNED_BYTE_2_3_3_REV => 1,
        UNSIGNED_SHORT_5_6_5
        | UNSIGNED_SHORT_5_6_5_REV
        | UNSIGNED_SHORT_4_4_4_4
        | UNSIGNED_SHORT_4_4_4_4_REV
        | UNSIGNED_SHORT_5_5_5_1
        | UNSIGNED_SHORT_1_5_5_5_REV => 2,
        UNSIGNED_INT_8_8_8_8
        | UNSIGNED_INT_8_8_8_8_REV
        | UNSIGNED_INT_10_10_10_2
        | UNSIGNED_INT_2_10_10_10_REV
        | UNSIGNED_INT_24_8
        | UNSIGNED_INT_10F_11F_11F_REV
        | UNSIGNED_INT_5_9_9_9_REV => 4,
        FLOAT_32_UNSIGNED_INT_24_8_REV => 8,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_have_the_sizes_of_the_specification() {
        for (format, ty, size) in [
            (RGBA, FLOAT, 16),
            (RGB, UNSIGNED_BYTE, 3),
            (RG_INTEGER, SHORT, 4),
            (RGB, UNSIGNED_INT_10F_11F_11F_REV, 4),
            (DEPTH_STENCIL, FLOAT_32_UNSIGNED_INT_24_8_REV, 8),
        ] {
            assert_eq!(ClientFormat::new(format, ty).texel_size(), Ok(size));
        }
        let unknown = ClientFormat::new(DEPTH_STENCIL, FLOAT);
        assert!(unknown.texel_size().is_err());
        assert_eq!(
            ClientFormat::new(RGBA, FLOAT).image_size([u32::MAX; 3]),
            Ok(usize::MAX)
        );
    }
}
