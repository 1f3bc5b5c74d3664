//! Memory layout of texels in this process: format and type, always without gaps.

use super::bindings::constants::*;
use crate::error::Error;

/// Format and type of texels on OpenGL's client side, such as `GL_RGBA` with `GL_FLOAT`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ClientFormat {
    /// Components, such as `GL_RGBA_INTEGER`.
    pub(crate) format: u32,
    /// Type of one component, or of a packed texel.
    pub(crate) ty: u32,
}

impl ClientFormat {
    /// Creates a transfer format.
    pub(crate) const fn new(format: u32, ty: u32) -> Self {
        Self { format, ty }
    }

    /// Returns the bytes of one texel. OpenGL 4.6 (Compatibility Profile), tables 8.2, 8.3 and 8.5.
    pub(crate) fn texel_size(self) -> Result<usize, Error> {
        let unknown = || Error::UnknownFormat {
            format: self.format,
            ty: self.ty,
        };
        packed_size(self.ty)
            .or_else(|| Some(components(self.format)? * component_size(self.ty)?))
            .ok_or_else(unknown)
    }

    /// Returns the bytes of an image.
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

fn components(format: u32) -> Option<usize> {
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
        RG | RG_INTEGER | LUMINANCE_ALPHA | LUMINANCE_ALPHA_INTEGER_EXT => 2,
        RGB | BGR | RGB_INTEGER | BGR_INTEGER => 3,
        RGBA | BGRA | RGBA_INTEGER | BGRA_INTEGER => 4,
        _ => return None,
    })
}

fn component_size(ty: u32) -> Option<usize> {
    Some(match ty {
        BYTE | UNSIGNED_BYTE => 1,
        SHORT | UNSIGNED_SHORT | HALF_FLOAT => 2,
        INT | UNSIGNED_INT | FLOAT => 4,
        _ => return None,
    })
}

/// Returns the size of types that represent a whole texel.
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
