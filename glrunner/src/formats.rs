//! Formats of scripts, which are named as in Vulkan, by the names of OpenGL.
//!
//! Formats of texels are those of the table `gl_texel_formats` of `glasm_scripts`; formats of
//! vertex attributes follow from their channels. Texels of scripts are words in the order of low
//! bytes first, as on every machine that runs this. The support of a format by a driver is queried
//! elsewhere.

use crate::gl::{self, AttributeKind, ClientFormat};
use ash::vk;
use glasm::fixed_function::{BaseFormat, TextureFormatType};
use glasm_scripts::format::{Encoding, Format};
use std::borrow::Cow;

/// Memory layout of the texels of scripts, relative to the layout of pixel transfers in OpenGL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Layout {
    /// In the same way.
    Same,
    /// OpenGL has depths of 32 bits; scripts have 24 in the low bits of four bytes.
    Depth24,
    /// OpenGL has depths of 24 bits above stencil values of 8; scripts have either.
    Depth24Stencil8,
    /// OpenGL has four bytes each of depth and stencil value; scripts have either.
    Depth32Stencil8,
}

/// Format of texels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TexelFormat {
    /// Sized internal format, such as `GL_RGBA8`.
    pub(crate) internal_format: u32,
    /// Format of pixel transfers. It covers all of a texel: depth with stencil value.
    pub(crate) client_format: ClientFormat,
    layout: Layout,
}

impl TexelFormat {
    /// Returns the format of OpenGL; `None` if it has no such format.
    pub(crate) fn from_vk(format: vk::Format) -> Option<Self> {
        let mut rows = TEXELS.iter();
        rows.find(|(known, _)| *known == format)
            .map(|(_, row)| *row)
    }

    /// Returns the format of OpenGL with a base internal format: the components of scripts are its
    /// first ones. `None` if OpenGL has no such combination; base format RGBA is that of
    /// [`Self::from_vk`] if the format has four components.
    pub(crate) fn from_base_format(format: vk::Format, base: BaseFormat) -> Option<Self> {
        let exact = Self::from_vk(format)?;
        if base == BaseFormat::Rgba && exact.client_format.format == gl::RGBA {
            return Some(exact);
        }
        let mut rows = BASE_FORMATS.iter();
        let (.., internal, client) =
            rows.find(|(known, of, ..)| (*known, *of) == (format, base))?;
        let client = ClientFormat {
            format: *client,
            ..exact.client_format
        };
        Some(Self {
            internal_format: *internal,
            client_format: client,
            ..exact
        })
    }

    /// Returns the format of OpenGL with a format type of NV_texture_shader; `None` if OpenGL has
    /// no such combination.
    pub(crate) fn from_format_type(format: vk::Format, ty: TextureFormatType) -> Option<Self> {
        let exact = Self::from_vk(format)?;
        let mut rows = FORMAT_TYPES.iter();
        let (.., internal, client) = rows.find(|(known, of, ..)| (*known, *of) == (format, ty))?;
        let client = ClientFormat {
            format: *client,
            ..exact.client_format
        };
        Some(Self {
            internal_format: *internal,
            client_format: client,
            ..exact
        })
    }

    /// Returns true for formats of depths, stencil values, or both.
    #[cfg(test)]
    pub(crate) fn has_depth_or_stencil(self) -> bool {
        self.is_depth_stencil()
            || matches!(
                self.client_format.format,
                gl::DEPTH_COMPONENT | gl::STENCIL_INDEX
            )
    }

    /// Returns true for combined formats, which have depths and stencil values.
    #[cfg(test)]
    pub(crate) fn is_depth_stencil(self) -> bool {
        self.client_format.format == gl::DEPTH_STENCIL
    }

    /// Returns the format with the same bits and without the transfer function of sRGB, for copies;
    /// other formats are unchanged.
    pub(crate) fn without_srgb(self) -> Self {
        let internal = match self.internal_format {
            gl::SRGB8 => gl::RGB8,
            gl::SRGB8_ALPHA8 => gl::RGBA8,
            internal => internal,
        };
        Self {
            internal_format: internal,
            ..self
        }
    }

    /// Returns the texels of a script, colors or depths, in the layout of OpenGL. Stencil values
    /// are 0.
    pub(crate) fn script_to_client(self, texels: &[u8]) -> Cow<'_, [u8]> {
        match self.layout {
            Layout::Same => Cow::Borrowed(texels),
            // The low bits repeat the bits of the fraction, so that drivers which round and drivers
            // which truncate agree.
            Layout::Depth24 => convert_words(texels, |depth| {
                (depth << 8 | depth >> 16 & 0xff).to_le_bytes()
            }),
            Layout::Depth24Stencil8 => convert_words(texels, |depth| (depth << 8).to_le_bytes()),
            Layout::Depth32Stencil8 => {
                convert_words(texels, |depth| u64::from(depth).to_le_bytes())
            }
        }
    }

    /// Converts texels of OpenGL, colors or depths, to the layout of scripts. Stencil values of
    /// combined formats are dropped.
    pub(crate) fn client_to_script(self, texels: Vec<u8>) -> Vec<u8> {
        match self.layout {
            Layout::Same => texels,
            Layout::Depth24 | Layout::Depth24Stencil8 => {
                convert_words(&texels, |word| (word >> 8).to_le_bytes()).into_owned()
            }
            Layout::Depth32Stencil8 => depth_stencil_halves(&texels)
                .flat_map(|(depth, _)| depth)
                .collect(),
        }
    }

    /// Returns the stencil values, one byte each, of texels in the layout of OpenGL; an empty list
    /// if the format has none.
    pub(crate) fn stencil_values(self, texels: &[u8]) -> Vec<u8> {
        match self.layout {
            Layout::Same if self.client_format.format == gl::STENCIL_INDEX => texels.to_vec(),
            Layout::Same | Layout::Depth24 => Vec::new(),
            Layout::Depth24Stencil8 => texels.iter().copied().step_by(4).collect(),
            Layout::Depth32Stencil8 => depth_stencil_halves(texels)
                .map(|(_, [stencil, ..])| stencil)
                .collect(),
        }
    }
}

/// Formats with base internal formats that Vulkan does not have: their internal formats in OpenGL,
/// and the formats of their pixel transfers.
const BASE_FORMATS: &[(vk::Format, BaseFormat, u32, u32)] = &[
    (
        vk::Format::R8_UNORM,
        BaseFormat::Alpha,
        gl::ALPHA8,
        gl::ALPHA,
    ),
    (
        vk::Format::R8_UNORM,
        BaseFormat::Luminance,
        gl::LUMINANCE8,
        gl::LUMINANCE,
    ),
    (
        vk::Format::R8_UNORM,
        BaseFormat::Intensity,
        gl::INTENSITY8,
        gl::LUMINANCE,
    ),
    (
        vk::Format::R8G8_UNORM,
        BaseFormat::LuminanceAlpha,
        gl::LUMINANCE8_ALPHA8,
        gl::LUMINANCE_ALPHA,
    ),
    (
        vk::Format::R8G8B8A8_UNORM,
        BaseFormat::Rgb,
        gl::RGB8,
        gl::RGBA,
    ),
    (
        vk::Format::R32_SFLOAT,
        BaseFormat::Alpha,
        gl::ALPHA32F_ARB,
        gl::ALPHA,
    ),
    (
        vk::Format::R32_SFLOAT,
        BaseFormat::Luminance,
        gl::LUMINANCE32F_ARB,
        gl::LUMINANCE,
    ),
    (
        vk::Format::R32_SFLOAT,
        BaseFormat::Intensity,
        gl::INTENSITY32F_ARB,
        gl::LUMINANCE,
    ),
    (
        vk::Format::R32G32_SFLOAT,
        BaseFormat::LuminanceAlpha,
        gl::LUMINANCE_ALPHA32F_ARB,
        gl::LUMINANCE_ALPHA,
    ),
    (
        vk::Format::R32G32B32A32_SFLOAT,
        BaseFormat::Rgb,
        gl::RGB32F,
        gl::RGBA,
    ),
];

/// Formats with format types of NV_texture_shader: their internal formats in OpenGL, and the
/// formats of their pixel transfers.
const FORMAT_TYPES: &[(vk::Format, TextureFormatType, u32, u32)] = &[
    (
        vk::Format::R16G16_UNORM,
        TextureFormatType::UnsignedHilo,
        gl::HILO16_NV,
        gl::HILO_NV,
    ),
    (
        vk::Format::R16G16_SNORM,
        TextureFormatType::SignedHilo,
        gl::SIGNED_HILO16_NV,
        gl::HILO_NV,
    ),
    (
        vk::Format::R32G32_SFLOAT,
        TextureFormatType::UnsignedHilo,
        gl::HILO16_NV,
        gl::HILO_NV,
    ),
    (
        vk::Format::R32G32_SFLOAT,
        TextureFormatType::SignedHilo,
        gl::SIGNED_HILO16_NV,
        gl::HILO_NV,
    ),
    (
        vk::Format::R32G32_SFLOAT,
        TextureFormatType::Dsdt,
        gl::DSDT8_NV,
        gl::DSDT_NV,
    ),
    (
        vk::Format::R32G32B32_SFLOAT,
        TextureFormatType::DsdtMag,
        gl::DSDT8_MAG8_NV,
        gl::DSDT_MAG_NV,
    ),
    (
        vk::Format::R32G32B32A32_SFLOAT,
        TextureFormatType::DsdtMagIntensity,
        gl::DSDT8_MAG8_INTENSITY8_NV,
        gl::DSDT_MAG_VIB_NV,
    ),
    (
        vk::Format::R32G32B32A32_SFLOAT,
        TextureFormatType::SignedRgbUnsignedAlpha,
        gl::SIGNED_RGB8_UNSIGNED_ALPHA8_NV,
        gl::RGBA,
    ),
];

/// Converts each little-endian word of 32 bits to `N` bytes by `convert`; bytes after the last
/// whole word are dropped.
fn convert_words<const N: usize>(texels: &[u8], convert: impl Fn(u32) -> [u8; N]) -> Cow<'_, [u8]> {
    let (words, _) = texels.as_chunks();
    let words = words.iter().map(|word| u32::from_le_bytes(*word));
    Cow::Owned(words.flat_map(convert).collect())
}

/// Splits texels of 8 bytes into depth and stencil value, four bytes each; bytes after the last
/// whole texel are dropped.
fn depth_stencil_halves(texels: &[u8]) -> impl Iterator<Item = ([u8; 4], [u8; 4])> {
    let (pairs, _) = texels.as_chunks();
    pairs
        .iter()
        .map(|&[a, b, c, d, e, f, g, h]: &[u8; 8]| ([a, b, c, d], [e, f, g, h]))
}

/// Returns an entry of the table of texel formats: the internal format of OpenGL, and the format,
/// type and layout in memory, for a format of Vulkan.
const fn texels(
    format: vk::Format,
    internal: u32,
    client: u32,
    ty: u32,
    layout: Layout,
) -> (vk::Format, TexelFormat) {
    let client = ClientFormat::new(client, ty);
    let row = TexelFormat {
        internal_format: internal,
        client_format: client,
        layout,
    };
    (format, row)
}

macro_rules! texel_formats {
    ($($format:ident: $internal:ident $client:ident $ty:ident $layout:ident;)*) => {
        const TEXELS: &[(vk::Format, TexelFormat)] =
            &[$(texels(vk::Format::$format, gl::$internal, gl::$client, gl::$ty, Layout::$layout),)*];
    };
}

glasm_scripts::gl_texel_formats! { texel_formats }

/// Format of a vertex attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct VertexFormat {
    /// Number of components, or `GL_BGRA`.
    pub(crate) size: u32,
    /// Type of one component, or of all.
    pub(crate) ty: u32,
    /// Type of the attribute in programs.
    pub(crate) kind: AttributeKind,
    /// Extension that it needs beyond that of the command.
    pub(crate) extension: Option<&'static str>,
}

impl VertexFormat {
    /// Returns the format of OpenGL for a vertex attribute, with the extension that it needs;
    /// `None` if OpenGL has no such format, so that the values must be converted. OpenGL 4.6
    /// (Compatibility Profile), section 10.3.1.
    pub(crate) fn from_format(format: &Format) -> Option<Self> {
        if format.vk == vk::Format::B10G11R11_UFLOAT_PACK32 {
            return Some(Self {
                size: 3,
                ty: gl::UNSIGNED_INT_10F_11F_11F_REV,
                kind: AttributeKind::Float,
                extension: Some("GL_ARB_vertex_type_10f_11f_11f_rev"),
            });
        }
        let bits = format.channels[0].bits;
        let is_2_10_10_10 = format.packed && bits == 2 && format.channels[1].bits == 10;
        if is_2_10_10_10 {
            return Self::from_packed_2_10_10_10(format);
        }
        // Of the other packed formats, only those with whole bytes remain.
        if format.channels.iter().any(|channel| channel.bits != bits) {
            return None;
        }
        let (ty, kind) = component_type(format.encoding, bits)?;
        let size = component_count(format, kind)?;
        if size == gl::BGRA && ty != gl::UNSIGNED_BYTE {
            return None;
        }
        let extension = match ty {
            gl::INT64_NV | gl::UNSIGNED_INT64_NV => Some("GL_NV_vertex_attrib_integer_64bit"),
            _ if size == gl::BGRA => Some("GL_ARB_vertex_array_bgra"),
            _ => None,
        };
        Some(Self {
            size,
            ty,
            kind,
            extension,
        })
    }

    /// Returns the vertex format for packed words of 2, 10, 10 and 10 bits; `None` if OpenGL lacks
    /// the encoding or the order of the components.
    fn from_packed_2_10_10_10(format: &Format) -> Option<Self> {
        let (ty, kind) = match format.encoding {
            Encoding::Unorm => (gl::UNSIGNED_INT_2_10_10_10_REV, AttributeKind::Normalized),
            Encoding::Uscaled => (gl::UNSIGNED_INT_2_10_10_10_REV, AttributeKind::Float),
            Encoding::Snorm => (gl::INT_2_10_10_10_REV, AttributeKind::Normalized),
            Encoding::Sscaled => (gl::INT_2_10_10_10_REV, AttributeKind::Float),
            Encoding::Uint
            | Encoding::Sint
            | Encoding::Sfloat
            | Encoding::Srgb
            | Encoding::Ufloat
            | Encoding::SharedExponent => return None,
        };
        Some(Self {
            size: component_count(format, kind)?,
            ty,
            kind,
            extension: Some("GL_ARB_vertex_type_2_10_10_10_rev"),
        })
    }
}

/// Returns the number of components; `GL_BGRA` if blue is first in memory, which only normalized
/// attributes with four components support. `None` for other orders.
fn component_count(format: &Format, kind: AttributeKind) -> Option<u32> {
    let first = format.channels.iter().find(|channel| channel.offset == 0)?;
    let count = format.channels.len() as u32;
    match first.component {
        0 => Some(count),
        2 if count == 4 && kind == AttributeKind::Normalized => Some(gl::BGRA),
        _ => None,
    }
}

/// Returns the type of components with an encoding and a size, and how shaders read them; `None` if
/// vertex arrays have no such components.
fn component_type(encoding: Encoding, bits: u32) -> Option<(u32, AttributeKind)> {
    let kind = match encoding {
        Encoding::Unorm | Encoding::Snorm => AttributeKind::Normalized,
        Encoding::Uscaled | Encoding::Sscaled => AttributeKind::Float,
        Encoding::Uint | Encoding::Sint | Encoding::Sfloat if bits == 64 => AttributeKind::Long,
        Encoding::Uint | Encoding::Sint => AttributeKind::Integer,
        Encoding::Sfloat => AttributeKind::Float,
        Encoding::Srgb | Encoding::Ufloat | Encoding::SharedExponent => return None,
    };
    let ty = match (encoding, bits) {
        (Encoding::Sfloat, 16) => gl::HALF_FLOAT,
        (Encoding::Sfloat, 32) => gl::FLOAT,
        (Encoding::Sfloat, 64) => gl::DOUBLE,
        (Encoding::Snorm | Encoding::Sscaled | Encoding::Sint, 8) => gl::BYTE,
        (Encoding::Snorm | Encoding::Sscaled | Encoding::Sint, 16) => gl::SHORT,
        (Encoding::Snorm | Encoding::Sscaled | Encoding::Sint, 32) => gl::INT,
        (Encoding::Sint, 64) => gl::INT64_NV,
        (Encoding::Unorm | Encoding::Uscaled | Encoding::Uint, 8) => gl::UNSIGNED_BYTE,
        (Encoding::Unorm | Encoding::Uscaled | Encoding::Uint, 16) => gl::UNSIGNED_SHORT,
        (Encoding::Unorm | Encoding::Uscaled | Encoding::Uint, 32) => gl::UNSIGNED_INT,
        (Encoding::Uint, 64) => gl::UNSIGNED_INT64_NV,
        _ => return None,
    };
    Some((ty, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns every format that a script can name.
    fn script_formats() -> impl Iterator<Item = Format> {
        (1..185).filter_map(|raw| {
            Format::parse_color_or_depth(&format!("{:?}", vk::Format::from_raw(raw)))
        })
    }

    #[test]
    fn texels_have_the_size_of_the_format() {
        let mut found = 0;
        for format in script_formats() {
            let Some(row) = TexelFormat::from_vk(format.vk) else {
                continue;
            };
            found += 1;
            let texel: Vec<u8> = (1..=format.texel_size() as u8).collect();
            let client = row.script_to_client(&texel).into_owned();
            assert_eq!(
                row.client_format.texel_size(),
                Ok(client.len()),
                "{format:?}"
            );
        }
        // All but S8_UINT, which has neither colors nor depths.
        assert_eq!(found, TEXELS.len() - 1);
    }

    #[test]
    fn formats_stand_in_the_table_once() {
        for (at, (format, _)) in TEXELS.iter().enumerate() {
            assert!(
                TEXELS[..at].iter().all(|(other, _)| other != format),
                "{format:?}"
            );
        }
    }

    #[test]
    fn what_opengl_lacks() {
        let lacking: Vec<vk::Format> = script_formats()
            .filter(|format| !matches!(format.encoding, Encoding::Uscaled | Encoding::Sscaled))
            .map(|format| format.vk)
            .filter(|format| TexelFormat::from_vk(*format).is_none())
            .collect();
        use vk::Format as F;
        let expected = [
            F::R4G4_UNORM_PACK8,
            F::R8_SRGB,
            F::R8G8_SRGB,
            F::A2R10G10B10_SNORM_PACK32,
            F::A2R10G10B10_SINT_PACK32,
            F::A2B10G10R10_SNORM_PACK32,
            F::A2B10G10R10_SINT_PACK32,
            F::R64_UINT,
            F::R64_SINT,
            F::R64_SFLOAT,
            F::R64G64_UINT,
            F::R64G64_SINT,
            F::R64G64_SFLOAT,
            F::R64G64B64_UINT,
            F::R64G64B64_SINT,
            F::R64G64B64_SFLOAT,
            F::R64G64B64A64_UINT,
            F::R64G64B64A64_SINT,
            F::R64G64B64A64_SFLOAT,
            F::D16_UNORM_S8_UINT,
        ];
        assert_eq!(lacking, expected);
    }

    #[test]
    fn depths_stand_in_the_high_bits() {
        let row = |format| TexelFormat::from_vk(format).unwrap();
        let depth24 = row(vk::Format::X8_D24_UNORM_PACK32);
        assert_eq!(
            *depth24.script_to_client(&[1, 2, 0x83, 0]),
            [0x83, 1, 2, 0x83]
        );
        assert_eq!(
            depth24.client_to_script(vec![0xff, 1, 2, 0x83]),
            [1, 2, 0x83, 0]
        );
        assert!(depth24.stencil_values(&[1, 2, 3, 4]).is_empty());
        let both24 = row(vk::Format::D24_UNORM_S8_UINT);
        assert_eq!(*both24.script_to_client(&[1, 2, 3, 0]), [0, 1, 2, 3]);
        assert_eq!(both24.client_to_script(vec![9, 1, 2, 3]), [1, 2, 3, 0]);
        assert_eq!(both24.stencil_values(&[9, 1, 2, 3, 8, 1, 2, 3]), [9, 8]);
        let both32 = row(vk::Format::D32_SFLOAT_S8_UINT);
        assert_eq!(
            *both32.script_to_client(&[1, 2, 3, 4]),
            [1, 2, 3, 4, 0, 0, 0, 0]
        );
        assert_eq!(
            both32.client_to_script(vec![1, 2, 3, 4, 7, 0, 0, 0]),
            [1, 2, 3, 4]
        );
        assert_eq!(both32.stencil_values(&[1, 2, 3, 4, 7, 0, 0, 0]), [7]);
        let stencil = row(vk::Format::S8_UINT);
        assert_eq!(stencil.stencil_values(&[5, 6]), [5, 6]);
        assert!(both24.is_depth_stencil() && !stencil.is_depth_stencil());
        assert!(depth24.has_depth_or_stencil() && stencil.has_depth_or_stencil());
        assert!(!row(vk::Format::R8_UNORM).has_depth_or_stencil());
    }

    #[test]
    fn vertex_formats_say_what_attributes_become() {
        let of = |name| VertexFormat::from_format(&Format::parse(name).unwrap());
        let is = |name, size, ty, kind| {
            let found = of(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(
                (found.size, found.ty, found.kind),
                (size, ty, kind),
                "{name}"
            );
        };
        is("R32G32B32_SFLOAT", 3, gl::FLOAT, AttributeKind::Float);
        is("R16G16_SFLOAT", 2, gl::HALF_FLOAT, AttributeKind::Float);
        is("R64G64_SFLOAT", 2, gl::DOUBLE, AttributeKind::Long);
        is("R64_UINT", 1, gl::UNSIGNED_INT64_NV, AttributeKind::Long);
        is("R8G8B8A8_SNORM", 4, gl::BYTE, AttributeKind::Normalized);
        is(
            "R8G8B8A8_USCALED",
            4,
            gl::UNSIGNED_BYTE,
            AttributeKind::Float,
        );
        is("R16G16B16A16_SSCALED", 4, gl::SHORT, AttributeKind::Float);
        is("R32_SINT", 1, gl::INT, AttributeKind::Integer);
        is(
            "B8G8R8A8_UNORM",
            gl::BGRA,
            gl::UNSIGNED_BYTE,
            AttributeKind::Normalized,
        );
        is(
            "A8B8G8R8_UINT_PACK32",
            4,
            gl::UNSIGNED_BYTE,
            AttributeKind::Integer,
        );
        let rev = gl::UNSIGNED_INT_2_10_10_10_REV;
        is(
            "A2R10G10B10_UNORM_PACK32",
            gl::BGRA,
            rev,
            AttributeKind::Normalized,
        );
        is(
            "A2B10G10R10_UNORM_PACK32",
            4,
            rev,
            AttributeKind::Normalized,
        );
        is(
            "A2B10G10R10_SSCALED_PACK32",
            4,
            gl::INT_2_10_10_10_REV,
            AttributeKind::Float,
        );
        is(
            "B10G11R11_UFLOAT_PACK32",
            3,
            gl::UNSIGNED_INT_10F_11F_11F_REV,
            AttributeKind::Float,
        );
    }

    #[test]
    fn base_formats_have_as_many_components_as_scripts_give() {
        for (format, base, internal, client) in BASE_FORMATS {
            let own = TexelFormat::from_vk(*format).unwrap();
            let found = TexelFormat::from_base_format(*format, *base).unwrap();
            assert_eq!(
                (found.internal_format, found.client_format.format),
                (*internal, *client)
            );
            assert_eq!(found.client_format.ty, own.client_format.ty);
        }
        let rgba = vk::Format::R8G8B8A8_UNORM;
        assert_eq!(
            TexelFormat::from_base_format(rgba, BaseFormat::Rgba),
            TexelFormat::from_vk(rgba)
        );
        assert_eq!(TexelFormat::from_base_format(rgba, BaseFormat::Alpha), None);
    }

    #[test]
    fn what_vertices_cannot_have() {
        for name in [
            "A2B10G10R10_UINT_PACK32",
            "A2R10G10B10_USCALED_PACK32",
            "R5G6B5_UNORM_PACK16",
            "R4G4B4A4_UNORM_PACK16",
            "B8G8R8A8_UINT",
            "B8G8R8A8_SNORM",
            "R8G8B8A8_SRGB",
            "E5B9G9R9_UFLOAT_PACK32",
        ] {
            let format = Format::parse(name).unwrap();
            assert_eq!(VertexFormat::from_format(&format), None, "{name}");
        }
    }
}
