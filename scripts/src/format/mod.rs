//! Formats of framebuffers, vertex attributes, textures and images: their names in
//! Vulkan and OpenGL, and their channels; `codec`
//! reads and writes texels.

mod codec;

use ash::vk;
use glasm::ir::BaseType;
use std::collections::HashMap;
use std::sync::LazyLock;

pub(crate) use codec::{read_bits, write_bits};

/// Interpretation of the bits of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// `UNORM`: unsigned, the largest integer is 1.
    Unorm,
    /// `SNORM`: signed, the largest integer is 1, the two smallest ones are -1.
    Snorm,
    /// `USCALED`: unsigned integers that programs read as floats.
    Uscaled,
    /// `SSCALED`: signed integers that programs read as floats.
    Sscaled,
    /// `UINT`: unsigned integers.
    Uint,
    /// `SINT`: signed integers.
    Sint,
    /// `SFLOAT`: floats of 16, 32 or 64 bits.
    Sfloat,
    /// `SRGB`: like `UNORM` on the curve of sRGB; alpha is linear.
    Srgb,
    /// Floats of 11 or 10 bits without a sign.
    Ufloat,
    /// Three fractions of nine bits with one exponent of five bits.
    SharedExponent,
}

impl Encoding {
    /// Returns the type of components as which programs read channels: integers for `UINT` and
    /// `SINT`, otherwise floats.
    pub fn base(self) -> BaseType {
        match self {
            Self::Uint => BaseType::UnsignedInt,
            Self::Sint => BaseType::SignedInt,
            Self::Unorm
            | Self::Snorm
            | Self::Uscaled
            | Self::Sscaled
            | Self::Sfloat
            | Self::Srgb
            | Self::Ufloat
            | Self::SharedExponent => BaseType::Float,
        }
    }

    /// Returns true if channels contain integers that programs do not read as fractions.
    pub fn is_integer(self) -> bool {
        self.base() != BaseType::Float
    }

    /// Returns true if channels are stored as floats.
    pub fn is_float(self) -> bool {
        match self {
            Self::Sfloat | Self::Ufloat | Self::SharedExponent => true,
            Self::Unorm
            | Self::Snorm
            | Self::Uscaled
            | Self::Sscaled
            | Self::Uint
            | Self::Sint
            | Self::Srgb => false,
        }
    }
}

/// Aspect of an image that a format describes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aspect {
    /// Colors.
    Color,
    /// Depths of a depth format, in the form in which they are copied to and from buffers.
    Depth,
}

const ENCODINGS: &[(&str, Encoding)] = &[
    ("UNORM", Encoding::Unorm),
    ("SNORM", Encoding::Snorm),
    ("USCALED", Encoding::Uscaled),
    ("SSCALED", Encoding::Sscaled),
    ("UINT", Encoding::Uint),
    ("SINT", Encoding::Sint),
    ("SFLOAT", Encoding::Sfloat),
    ("SRGB", Encoding::Srgb),
    ("UFLOAT", Encoding::Ufloat),
];

/// Channel: `component` is 0 to 3 for R, G, B, A.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Channel {
    /// Index of the color component: 0 to 3 for R, G, B, A.
    pub component: usize,
    /// Width in bits.
    pub bits: u32,
    /// First bit in the texel, from the lowest byte.
    pub offset: u32,
}

/// Texels of a color format, or the depths of a depth format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Format {
    /// Vulkan's format.
    pub vk: vk::Format,
    /// Aspect that the texels describe.
    pub aspect: Aspect,
    /// Interpretation of the channels.
    pub encoding: Encoding,
    /// In the order of the name.
    pub channels: Vec<Channel>,
    /// True if the channels are fields of one word.
    pub packed: bool,
    /// Bytes of a texel.
    bytes: usize,
}

/// Formats of Vulkan 1.0 by their names without `VK_FORMAT_`. Formatting all names takes longer
/// than running many scripts.
static VK_FORMATS: LazyLock<HashMap<String, vk::Format>> = LazyLock::new(|| {
    const LAST_CORE_1_0: i32 = vk::Format::ASTC_12X12_SRGB_BLOCK.as_raw();
    (1..=LAST_CORE_1_0)
        .map(vk::Format::from_raw)
        .map(|format| (format!("{format:?}"), format))
        .collect()
});

/// Parses the name of a format of Vulkan 1.0, with or without `VK_FORMAT_`; `None` if there is
/// none.
fn parse_vk_format(name: &str) -> Option<vk::Format> {
    let name = name.strip_prefix("VK_FORMAT_").unwrap_or(name);
    VK_FORMATS.get(name).copied()
}

impl Format {
    /// Parses the name of a color format, with or without `VK_FORMAT_`; `None` if it is unknown,
    /// its texels are blocks, or its channels have widths that cannot be read.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.strip_prefix("VK_FORMAT_").unwrap_or(name);
        let vk = parse_vk_format(name)?;
        if vk == vk::Format::E5B9G9R9_UFLOAT_PACK32 {
            return Some(Self::shared_exponent());
        }
        let mut parts = name.split('_');
        let mut channels = parse_channels(parts.next()?)?;
        let encoding = parts.next()?;
        let (_, encoding) = ENCODINGS.iter().find(|(text, _)| *text == encoding)?;
        let packed = match parts.next() {
            None => false,
            Some(pack) => pack.starts_with("PACK"),
        };
        if packed {
            // The first channel of a packed format is in the highest bits.
            let total: u32 = channels.iter().map(|channel| channel.bits).sum();
            channels
                .iter_mut()
                .for_each(|channel| channel.offset = total - channel.offset - channel.bits);
        }
        let readable = |channel: &Channel| match encoding {
            Encoding::Sfloat => matches!(channel.bits, 16 | 32 | 64),
            Encoding::Ufloat => matches!(channel.bits, 10 | 11),
            Encoding::SharedExponent => false,
            Encoding::Unorm
            | Encoding::Snorm
            | Encoding::Uscaled
            | Encoding::Sscaled
            | Encoding::Uint
            | Encoding::Sint
            | Encoding::Srgb => true,
        };
        let bits: u32 = channels.iter().map(|channel| channel.bits).sum();
        channels.iter().all(readable).then_some(Self {
            vk,
            aspect: Aspect::Color,
            encoding: *encoding,
            channels,
            packed,
            bytes: bits as usize / 8,
        })
    }

    /// Returns the Vulkan format with the same bits whose channels are linear; the format itself if
    /// it is not sRGB.
    pub fn without_srgb(&self) -> vk::Format {
        let name = format!("{:?}", self.vk);
        if self.encoding == Encoding::Srgb {
            parse_vk_format(&name.replace("SRGB", "UNORM")).unwrap_or(self.vk)
        } else {
            self.vk
        }
    }

    /// Returns the format `E5B9G9R9`: three channels of 9-bit mantissas in 32 bits, with a common
    /// exponent.
    fn shared_exponent() -> Self {
        let channel = |component: usize| Channel {
            component,
            bits: 9,
            offset: 9 * component as u32,
        };
        Self {
            vk: vk::Format::E5B9G9R9_UFLOAT_PACK32,
            aspect: Aspect::Color,
            encoding: Encoding::SharedExponent,
            channels: (0..3).map(channel).collect(),
            packed: true,
            bytes: 4,
        }
    }

    /// Parses the name of a color or depth format; `None` for other names, including formats with
    /// stencil values only.
    pub fn parse_color_or_depth(name: &str) -> Option<Self> {
        Self::parse(name).or_else(|| DepthFormat::parse(name)?.depth_texels())
    }

    /// Returns the format of `channels` channels of `bits` bits each, such as `R32G32_SFLOAT`.
    /// Panics if there is no such format.
    pub fn from_channels(encoding: Encoding, bits: u32, channels: u8) -> Self {
        let names: String = ["R", "G", "B", "A"][..usize::from(channels)]
            .iter()
            .map(|c| format!("{c}{bits}"))
            .collect();
        let suffix = ENCODINGS
            .iter()
            .find(|(_, row)| *row == encoding)
            .map_or("", |(text, _)| text);
        Self::parse(&format!("{names}_{suffix}")).expect("callers name formats that exist")
    }

    /// Returns true if one of its channels has 64 bits.
    pub fn has_64_bit_channels(&self) -> bool {
        self.channels.iter().any(|channel| channel.bits == 64)
    }

    /// Returns the bytes of a texel.
    pub fn texel_size(&self) -> usize {
        self.bytes
    }
}

/// Parses channel names with their bits, such as `R8G8B8A8`, as channels from the lowest bit on;
/// `None` if the form differs or their bits are not whole bytes.
fn parse_channels(text: &str) -> Option<Vec<Channel>> {
    let mut channels = Vec::new();
    let mut offset = 0;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let component = "RGBA".find(letter)?;
        let digits = rest[1..]
            .find(|c: char| !c.is_ascii_digit())
            .map_or(rest.len(), |at| at + 1);
        let bits = rest[1..digits].parse().ok()?;
        channels.push(Channel {
            component,
            bits,
            offset,
        });
        offset += bits;
        rest = &rest[digits..];
    }
    (!channels.is_empty() && offset % 8 == 0).then_some(channels)
}

/// Aspects of a depth or stencil format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DepthFormat {
    /// Vulkan's format.
    pub vk: vk::Format,
    /// True if the format has depths.
    pub has_depth: bool,
    /// True if the format has stencil values.
    pub has_stencil: bool,
}

impl DepthFormat {
    /// Parses the name of a depth or stencil format, with or without `VK_FORMAT_`; `None` if it is
    /// unknown or has neither aspect.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.strip_prefix("VK_FORMAT_").unwrap_or(name);
        let vk = parse_vk_format(name)?;
        let has_depth = name
            .split('_')
            .any(|part| part.starts_with('D') && part[1..].parse::<u32>().is_ok());
        let has_stencil = name.split('_').any(|part| part == "S8");
        (has_depth || has_stencil).then_some(Self {
            vk,
            has_depth,
            has_stencil,
        })
    }

    /// Returns the depths as copies between images and buffers have them (Vulkan specification,
    /// "Copying Data Between Buffers and Images"): without the stencil values, depths of 24 bits in
    /// the low bits of four bytes. `None` without depths.
    pub fn depth_texels(self) -> Option<Format> {
        let (encoding, bits, bytes) = match self.vk {
            vk::Format::D16_UNORM | vk::Format::D16_UNORM_S8_UINT => (Encoding::Unorm, 16, 2),
            vk::Format::X8_D24_UNORM_PACK32 | vk::Format::D24_UNORM_S8_UINT => {
                (Encoding::Unorm, 24, 4)
            }
            vk::Format::D32_SFLOAT | vk::Format::D32_SFLOAT_S8_UINT => (Encoding::Sfloat, 32, 4),
            _ => return None,
        };
        Some(Format {
            vk: self.vk,
            aspect: Aspect::Depth,
            encoding,
            channels: vec![Channel {
                component: 0,
                bits,
                offset: 0,
            }],
            packed: false,
            bytes,
        })
    }

    /// Returns the format in which stencil values are copied to a buffer, one byte each; `None`
    /// without stencil values.
    pub fn stencil_texels(self) -> Option<Format> {
        self.has_stencil
            .then(|| Format::parse("R8_UINT").expect("the format exists"))
    }
}

/// Calls a macro with one entry for each format: its name in Vulkan; its sized internal format in
/// OpenGL 4.6 (Compatibility Profile), tables 8.11 to 8.13, and the format and type of pixel
/// transfers (tables 8.2 and 8.5 to 8.9); the differences of the notation in scripts. If several
/// formats are the same for OpenGL, its name denotes the first one in scripts.
#[doc(hidden)]
#[macro_export]
macro_rules! gl_texel_formats {
    ($then:ident) => { $then! {
    R8_UNORM: R8 RED UNSIGNED_BYTE Same;
    R8_SNORM: R8_SNORM RED BYTE Same;
    R8_UINT: R8UI RED_INTEGER UNSIGNED_BYTE Same;
    R8_SINT: R8I RED_INTEGER BYTE Same;
    R8G8_UNORM: RG8 RG UNSIGNED_BYTE Same;
    R8G8_SNORM: RG8_SNORM RG BYTE Same;
    R8G8_UINT: RG8UI RG_INTEGER UNSIGNED_BYTE Same;
    R8G8_SINT: RG8I RG_INTEGER BYTE Same;
    R8G8B8_UNORM: RGB8 RGB UNSIGNED_BYTE Same;
    R8G8B8_SNORM: RGB8_SNORM RGB BYTE Same;
    R8G8B8_UINT: RGB8UI RGB_INTEGER UNSIGNED_BYTE Same;
    R8G8B8_SINT: RGB8I RGB_INTEGER BYTE Same;
    R8G8B8_SRGB: SRGB8 RGB UNSIGNED_BYTE Same;
    B8G8R8_UNORM: RGB8 BGR UNSIGNED_BYTE Same;
    B8G8R8_SNORM: RGB8_SNORM BGR BYTE Same;
    B8G8R8_UINT: RGB8UI BGR_INTEGER UNSIGNED_BYTE Same;
    B8G8R8_SINT: RGB8I BGR_INTEGER BYTE Same;
    B8G8R8_SRGB: SRGB8 BGR UNSIGNED_BYTE Same;
    R8G8B8A8_UNORM: RGBA8 RGBA UNSIGNED_BYTE Same;
    R8G8B8A8_SNORM: RGBA8_SNORM RGBA BYTE Same;
    R8G8B8A8_UINT: RGBA8UI RGBA_INTEGER UNSIGNED_BYTE Same;
    R8G8B8A8_SINT: RGBA8I RGBA_INTEGER BYTE Same;
    R8G8B8A8_SRGB: SRGB8_ALPHA8 RGBA UNSIGNED_BYTE Same;
    B8G8R8A8_UNORM: RGBA8 BGRA UNSIGNED_BYTE Same;
    B8G8R8A8_SNORM: RGBA8_SNORM BGRA BYTE Same;
    B8G8R8A8_UINT: RGBA8UI BGRA_INTEGER UNSIGNED_BYTE Same;
    B8G8R8A8_SINT: RGBA8I BGRA_INTEGER BYTE Same;
    B8G8R8A8_SRGB: SRGB8_ALPHA8 BGRA UNSIGNED_BYTE Same;
    A8B8G8R8_UNORM_PACK32: RGBA8 RGBA UNSIGNED_BYTE Same;
    A8B8G8R8_SNORM_PACK32: RGBA8_SNORM RGBA BYTE Same;
    A8B8G8R8_UINT_PACK32: RGBA8UI RGBA_INTEGER UNSIGNED_BYTE Same;
    A8B8G8R8_SINT_PACK32: RGBA8I RGBA_INTEGER BYTE Same;
    A8B8G8R8_SRGB_PACK32: SRGB8_ALPHA8 RGBA UNSIGNED_BYTE Same;
    R4G4B4A4_UNORM_PACK16: RGBA4 RGBA UNSIGNED_SHORT_4_4_4_4 Same;
    B4G4R4A4_UNORM_PACK16: RGBA4 BGRA UNSIGNED_SHORT_4_4_4_4 Same;
    R5G6B5_UNORM_PACK16: RGB565 RGB UNSIGNED_SHORT_5_6_5 Same;
    B5G6R5_UNORM_PACK16: RGB565 RGB UNSIGNED_SHORT_5_6_5_REV Same;
    R5G5B5A1_UNORM_PACK16: RGB5_A1 RGBA UNSIGNED_SHORT_5_5_5_1 Same;
    B5G5R5A1_UNORM_PACK16: RGB5_A1 BGRA UNSIGNED_SHORT_5_5_5_1 Same;
    A1R5G5B5_UNORM_PACK16: RGB5_A1 BGRA UNSIGNED_SHORT_1_5_5_5_REV Same;
    A2B10G10R10_UNORM_PACK32: RGB10_A2 RGBA UNSIGNED_INT_2_10_10_10_REV Same;
    A2B10G10R10_UINT_PACK32: RGB10_A2UI RGBA_INTEGER UNSIGNED_INT_2_10_10_10_REV Same;
    A2R10G10B10_UNORM_PACK32: RGB10_A2 BGRA UNSIGNED_INT_2_10_10_10_REV Same;
    A2R10G10B10_UINT_PACK32: RGB10_A2UI BGRA_INTEGER UNSIGNED_INT_2_10_10_10_REV Same;
    R16_UNORM: R16 RED UNSIGNED_SHORT Same;
    R16_SNORM: R16_SNORM RED SHORT Same;
    R16_UINT: R16UI RED_INTEGER UNSIGNED_SHORT Same;
    R16_SINT: R16I RED_INTEGER SHORT Same;
    R16_SFLOAT: R16F RED HALF_FLOAT Same;
    R16G16_UNORM: RG16 RG UNSIGNED_SHORT Same;
    R16G16_SNORM: RG16_SNORM RG SHORT Same;
    R16G16_UINT: RG16UI RG_INTEGER UNSIGNED_SHORT Same;
    R16G16_SINT: RG16I RG_INTEGER SHORT Same;
    R16G16_SFLOAT: RG16F RG HALF_FLOAT Same;
    R16G16B16_UNORM: RGB16 RGB UNSIGNED_SHORT Same;
    R16G16B16_SNORM: RGB16_SNORM RGB SHORT Same;
    R16G16B16_UINT: RGB16UI RGB_INTEGER UNSIGNED_SHORT Same;
    R16G16B16_SINT: RGB16I RGB_INTEGER SHORT Same;
    R16G16B16_SFLOAT: RGB16F RGB HALF_FLOAT Same;
    R16G16B16A16_UNORM: RGBA16 RGBA UNSIGNED_SHORT Same;
    R16G16B16A16_SNORM: RGBA16_SNORM RGBA SHORT Same;
    R16G16B16A16_UINT: RGBA16UI RGBA_INTEGER UNSIGNED_SHORT Same;
    R16G16B16A16_SINT: RGBA16I RGBA_INTEGER SHORT Same;
    R16G16B16A16_SFLOAT: RGBA16F RGBA HALF_FLOAT Same;
    R32_UINT: R32UI RED_INTEGER UNSIGNED_INT Same;
    R32_SINT: R32I RED_INTEGER INT Same;
    R32_SFLOAT: R32F RED FLOAT Same;
    R32G32_UINT: RG32UI RG_INTEGER UNSIGNED_INT Same;
    R32G32_SINT: RG32I RG_INTEGER INT Same;
    R32G32_SFLOAT: RG32F RG FLOAT Same;
    R32G32B32_UINT: RGB32UI RGB_INTEGER UNSIGNED_INT Same;
    R32G32B32_SINT: RGB32I RGB_INTEGER INT Same;
    R32G32B32_SFLOAT: RGB32F RGB FLOAT Same;
    R32G32B32A32_UINT: RGBA32UI RGBA_INTEGER UNSIGNED_INT Same;
    R32G32B32A32_SINT: RGBA32I RGBA_INTEGER INT Same;
    R32G32B32A32_SFLOAT: RGBA32F RGBA FLOAT Same;
    B10G11R11_UFLOAT_PACK32: R11F_G11F_B10F RGB UNSIGNED_INT_10F_11F_11F_REV Same;
    E5B9G9R9_UFLOAT_PACK32: RGB9_E5 RGB UNSIGNED_INT_5_9_9_9_REV Same;
    D16_UNORM: DEPTH_COMPONENT16 DEPTH_COMPONENT UNSIGNED_SHORT Same;
    X8_D24_UNORM_PACK32: DEPTH_COMPONENT24 DEPTH_COMPONENT UNSIGNED_INT Depth24;
    D32_SFLOAT: DEPTH_COMPONENT32F DEPTH_COMPONENT FLOAT Same;
    D24_UNORM_S8_UINT: DEPTH24_STENCIL8 DEPTH_STENCIL UNSIGNED_INT_24_8 Depth24Stencil8;
    D32_SFLOAT_S8_UINT: DEPTH32F_STENCIL8 DEPTH_STENCIL FLOAT_32_UNSIGNED_INT_24_8_REV Depth32Stencil8;
    S8_UINT: STENCIL_INDEX8 STENCIL_INDEX UNSIGNED_BYTE Same;
    } };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_channels() {
        let format = Format::parse("B8G8R8A8_UNORM").unwrap();
        assert_eq!(format.vk, vk::Format::B8G8R8A8_UNORM);
        assert_eq!(format.texel_size(), 4);
        assert_eq!(format.decode(&[255, 0, 51, 0]), [0.2, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn packed_formats_count_from_the_highest_bit() {
        let format = Format::parse("A2B10G10R10_UINT_PACK32").unwrap();
        let word: u32 = 2 << 30 | 1023 << 20 | 5 << 10 | 7;
        assert_eq!(format.decode(&word.to_le_bytes()), [7.0, 5.0, 1023.0, 2.0]);
    }

    #[test]
    fn signed_normalized_values_have_two_minus_ones() {
        let format = Format::parse("R8G8_SNORM").unwrap();
        assert_eq!(format.decode(&[0x80, 0x81]), [-1.0, -1.0, 0.0, 1.0]);
    }

    #[test]
    fn wide_formats_read_their_bits() {
        let format = Format::from_channels(Encoding::Sint, 32, 2);
        assert_eq!(format.vk, vk::Format::R32G32_SINT);
        assert_eq!(
            format.decode(&[0xfe, 0xff, 0xff, 0xff, 3, 0, 0, 0]),
            [-2.0, 3.0, 0.0, 1.0]
        );
        assert_eq!(
            Format::from_channels(Encoding::Sfloat, 64, 1).decode(&2.5f64.to_le_bytes())[0],
            2.5
        );
    }

    #[test]
    fn blocks_depths_and_nonsense_are_no_color_formats() {
        for name in [
            "BC1_RGB_UNORM_BLOCK",
            "D32_SFLOAT",
            "S8_UINT",
            "R8",
            "nonsense",
        ] {
            assert_eq!(Format::parse(name), None, "{name}");
        }
    }

    #[test]
    fn depth_formats_say_what_they_hold() {
        let both = DepthFormat::parse("D24_UNORM_S8_UINT").unwrap();
        assert!(both.has_depth && both.has_stencil);
        let depth = DepthFormat::parse("X8_D24_UNORM_PACK32").unwrap();
        assert!(depth.has_depth && !depth.has_stencil);
        assert_eq!(DepthFormat::parse("R8_UNORM"), None);
    }

    #[test]
    fn depth_is_copied_in_words_of_its_own() {
        let depth = |name: &str, bytes: &[u8]| {
            let format = DepthFormat::parse(name).unwrap().depth_texels()?;
            assert_eq!(format.texel_size(), bytes.len(), "{name}");
            assert_eq!(format.aspect, Aspect::Depth);
            Some(format.decode(bytes)[0])
        };
        assert_eq!(depth("D16_UNORM", &[0xff, 0xff]), Some(1.0));
        assert_eq!(depth("D16_UNORM_S8_UINT", &[0, 0]), Some(0.0));
        for name in ["D24_UNORM_S8_UINT", "X8_D24_UNORM_PACK32"] {
            assert_eq!(depth(name, &[0xff, 0xff, 0xff, 0x5a]), Some(1.0));
            assert_eq!(depth(name, &[1, 0, 0, 0xff]), Some(1.0 / 16777215.0));
        }
        let half = 0.5f32.to_le_bytes();
        assert_eq!(depth("D32_SFLOAT", &half), Some(0.5));
        assert_eq!(depth("D32_SFLOAT_S8_UINT", &half), Some(0.5));
        assert_eq!(depth("S8_UINT", &[]), None);
        assert_eq!(
            DepthFormat::parse("D16_UNORM").unwrap().stencil_texels(),
            None
        );
        assert_eq!(Format::parse_color_or_depth("S8_UINT"), None);
        let color = Format::parse_color_or_depth("R8_UNORM").unwrap();
        assert_eq!(color.aspect, Aspect::Color);
    }
}
