//! GL's internal formats as Vulkan formats with swizzles.
//!
//! Formats of three components, which few devices support, have a fourth one that is never read;
//! luminance, alpha and intensity are formats of one or two components (GL 2.1 specification, table
//! 3.15).

use crate::format::Format;
use crate::texture::Swizzle::{One, Zero};
use crate::texture::{Stored, Swizzle};

const R: Swizzle = Swizzle::Component(0);
const G: Swizzle = Swizzle::Component(1);
const B: Swizzle = Swizzle::Component(2);
const A: Swizzle = Swizzle::Component(3);

const RGBA: [Swizzle; 4] = [R, G, B, A];
const RGB: [Swizzle; 4] = [R, G, B, One];
const LUMINANCE: [Swizzle; 4] = [R, R, R, One];
const INTENSITY: [Swizzle; 4] = [R, R, R, R];
const ALPHA: [Swizzle; 4] = [Zero, Zero, Zero, R];
const LUMINANCE_ALPHA: [Swizzle; 4] = [R, R, R, G];

/// Entry of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct GlFormat {
    name: &'static str,
    /// `VkFormat`
    pub(super) format: &'static str,
    pub(super) swizzle: [Swizzle; 4],
}

macro_rules! sized_formats {
    ($($format:ident: $internal:ident $client:ident $ty:ident $layout:ident;)*) => {
        /// Formats that are stored unchanged.
        const SIZED: &[GlFormat] = &[$(row(concat!("GL_", stringify!($internal)), stringify!($format), RGBA),)*];
    };
}

crate::gl_texel_formats! { sized_formats }

/// Formats that have no textures here: stencil values are neither colors nor depths, and piglit has
/// none of the other.
const LEFT_OUT: &[&str] = &["GL_STENCIL_INDEX8", "GL_RGB10_A2UI"];

/// Finds the format of that name.
pub(super) fn find(name: &str) -> Option<&'static GlFormat> {
    let mut rows = FORMATS.iter().chain(SIZED);
    rows.find(|row| row.name == name && !LEFT_OUT.contains(&name))
}

impl GlFormat {
    /// Returns the stored components of a color.
    pub(super) fn stored(&self) -> Stored {
        match self.swizzle {
            ALPHA => Stored::Alpha,
            LUMINANCE_ALPHA => Stored::RedAndAlpha,
            _ => Stored::All,
        }
    }

    /// Returns the number of components in GL.
    pub(super) fn channels(&self, format: &Format) -> u8 {
        match self.swizzle {
            RGB => 3,
            _ => format.channels.len() as u8,
        }
    }
}

const fn row(name: &'static str, format: &'static str, swizzle: [Swizzle; 4]) -> GlFormat {
    GlFormat {
        name,
        format,
        swizzle,
    }
}

/// Formats without a size, which are replaced by others, and formats whose components differ from
/// those of Vulkan.
const FORMATS: &[GlFormat] = &[
    row("GL_RGBA", "R8G8B8A8_UNORM", RGBA),
    row("GL_RGBA2", "R8G8B8A8_UNORM", RGBA),
    row("GL_RGBA4", "R8G8B8A8_UNORM", RGBA),
    row("GL_RGBA12", "R16G16B16A16_UNORM", RGBA),
    row("GL_RGB5_A1", "R8G8B8A8_UNORM", RGBA),
    row("GL_SRGB_ALPHA", "R8G8B8A8_SRGB", RGBA),
    row("GL_COMPRESSED_RGBA", "R8G8B8A8_UNORM", RGBA),
    row("GL_RGB", "R8G8B8A8_UNORM", RGB),
    row("GL_RGB8", "R8G8B8A8_UNORM", RGB),
    row("GL_R3_G3_B2", "R8G8B8A8_UNORM", RGB),
    row("GL_RGB4", "R8G8B8A8_UNORM", RGB),
    row("GL_RGB5", "R8G8B8A8_UNORM", RGB),
    row("GL_RGB565", "R8G8B8A8_UNORM", RGB),
    row("GL_RGB10", "R16G16B16A16_UNORM", RGB),
    row("GL_RGB12", "R16G16B16A16_UNORM", RGB),
    row("GL_RGB16", "R16G16B16A16_UNORM", RGB),
    row("GL_RGB8_SNORM", "R8G8B8A8_SNORM", RGB),
    row("GL_RGB16_SNORM", "R16G16B16A16_SNORM", RGB),
    row("GL_RGB16F", "R16G16B16A16_SFLOAT", RGB),
    row("GL_RGB32F", "R32G32B32A32_SFLOAT", RGB),
    row("GL_SRGB", "R8G8B8A8_SRGB", RGB),
    row("GL_SRGB8", "R8G8B8A8_SRGB", RGB),
    row("GL_COMPRESSED_RGB", "R8G8B8A8_UNORM", RGB),
    row("GL_RED", "R8_UNORM", RGBA),
    row("GL_RG", "R8G8_UNORM", RGBA),
    row("GL_LUMINANCE", "R8_UNORM", LUMINANCE),
    row("GL_LUMINANCE8", "R8_UNORM", LUMINANCE),
    row("GL_LUMINANCE16", "R16_UNORM", LUMINANCE),
    row("GL_LUMINANCE16F_ARB", "R16_SFLOAT", LUMINANCE),
    row("GL_LUMINANCE32F_ARB", "R32_SFLOAT", LUMINANCE),
    row("GL_SLUMINANCE", "R8G8B8A8_SRGB", LUMINANCE),
    row("GL_SLUMINANCE8", "R8G8B8A8_SRGB", LUMINANCE),
    row("GL_INTENSITY", "R8_UNORM", INTENSITY),
    row("GL_INTENSITY8", "R8_UNORM", INTENSITY),
    row("GL_INTENSITY16", "R16_UNORM", INTENSITY),
    row("GL_INTENSITY16F_ARB", "R16_SFLOAT", INTENSITY),
    row("GL_INTENSITY32F_ARB", "R32_SFLOAT", INTENSITY),
    row("GL_ALPHA", "R8_UNORM", ALPHA),
    row("GL_ALPHA8", "R8_UNORM", ALPHA),
    row("GL_ALPHA16", "R16_UNORM", ALPHA),
    row("GL_ALPHA16F_ARB", "R16_SFLOAT", ALPHA),
    row("GL_ALPHA32F_ARB", "R32_SFLOAT", ALPHA),
    row("GL_LUMINANCE_ALPHA", "R8G8_UNORM", LUMINANCE_ALPHA),
    row("GL_LUMINANCE8_ALPHA8", "R8G8_UNORM", LUMINANCE_ALPHA),
    row("GL_LUMINANCE16_ALPHA16", "R16G16_UNORM", LUMINANCE_ALPHA),
    row(
        "GL_LUMINANCE_ALPHA16F_ARB",
        "R16G16_SFLOAT",
        LUMINANCE_ALPHA,
    ),
    row(
        "GL_LUMINANCE_ALPHA32F_ARB",
        "R32G32_SFLOAT",
        LUMINANCE_ALPHA,
    ),
    row("GL_RGB8I", "R8G8B8A8_SINT", RGB),
    row("GL_RGB8UI", "R8G8B8A8_UINT", RGB),
    row("GL_RGB16I", "R16G16B16A16_SINT", RGB),
    row("GL_RGB16UI", "R16G16B16A16_UINT", RGB),
    row("GL_RGB32I", "R32G32B32A32_SINT", RGB),
    row("GL_RGB32UI", "R32G32B32A32_UINT", RGB),
    row("GL_DEPTH_COMPONENT", "D32_SFLOAT", RGBA),
    row("GL_DEPTH_COMPONENT32", "D32_SFLOAT", RGBA),
    row("GL_DEPTH_STENCIL", "D24_UNORM_S8_UINT", RGBA),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_formats_exist_once() {
        for name in FORMATS.iter().chain(SIZED).map(|row| row.name) {
            let exists = find(name).is_none_or(|row| Format::parse_texture(row.format).is_some());
            assert!(exists, "{name}");
        }
        for (at, row) in FORMATS.iter().enumerate() {
            assert!(
                FORMATS[..at].iter().all(|other| other.name != row.name),
                "{}",
                row.name
            );
        }
    }

    #[test]
    fn components_are_stored_where_the_swizzle_reads_them() {
        let row = |name| find(name).unwrap();
        assert_eq!(row("GL_ALPHA8").stored(), Stored::Alpha);
        assert_eq!(row("GL_LUMINANCE_ALPHA").stored(), Stored::RedAndAlpha);
        assert_eq!(row("GL_RGB").stored(), Stored::All);
        let integers = Format::parse("R32G32B32A32_SINT").unwrap();
        assert_eq!(row("GL_RGB32I").channels(&integers), 3);
        assert_eq!(row("GL_RGBA32I").channels(&integers), 4);
        assert!(find("GL_NOTHING").is_none());
    }
}
