//! Formats of framebuffers, vertex attributes, textures and images: names and channels; `codec`
//! reads and writes texels.

mod codec;
mod gl;

use ash::vk;
use glasm::ir::TypeBase;
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
    /// Returns the type that programs read channels as.
    pub fn base(self) -> TypeBase {
        match self {
            Self::Uint => TypeBase::Unsigned,
            Self::Sint => TypeBase::Signed,
            Self::Unorm
            | Self::Snorm
            | Self::Uscaled
            | Self::Sscaled
            | Self::Sfloat
            | Self::Srgb
            | Self::Ufloat
            | Self::SharedExponent => TypeBase::Float,
        }
    }

    /// Returns true if channels contain integers that programs do not read as fractions.
    pub fn is_integer(self) -> bool {
        self.base() != TypeBase::Float
    }

    /// Returns true if channels are floats.
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

/// Parses the name of a Vulkan format, without `VK_FORMAT_`.
fn parse_vk_format(name: &str) -> Option<vk::Format> {
    let name = name.strip_prefix("VK_FORMAT_").unwrap_or(name);
    VK_FORMATS.get(name).copied()
}

impl Format {
    /// Parses the name of a color format; `None` if there is none or its texels are blocks.
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

    /// Returns the format with the same bits whose channels have no curve.
    pub fn without_curve(&self) -> vk::Format {
        let name = format!("{:?}", self.vk);
        if self.encoding == Encoding::Srgb {
            parse_vk_format(&name.replace("SRGB", "UNORM")).unwrap_or(self.vk)
        } else {
            self.vk
        }
    }

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

    /// Parses the name of a color or depth format.
    pub fn parse_texture(name: &str) -> Option<Self> {
        Self::parse(name).or_else(|| DepthFormat::parse(name)?.depth_texels())
    }

    /// Returns the format `R32G32B32A32_SFLOAT`, `_SINT` or `_UINT`, or one with fewer channels.
    pub fn wide(encoding: Encoding, bits: u32, channels: u8) -> Self {
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

    /// Returns true if its channels have 64 bits.
    pub fn is_wide(&self) -> bool {
        self.channels.iter().any(|channel| channel.bits == 64)
    }

    /// Returns the bytes of a texel.
    pub fn size(&self) -> usize {
        self.bytes
    }
}

/// Reads channel names such as `R8G8B8A8`.
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
    /// Parses the name of a depth or stencil format.
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

    /// Returns the format of stencil values that are copied to a buffer.
    pub fn stencil_texels(self) -> Option<Format> {
        self.has_stencil
            .then(|| Format::parse("R8_UINT").expect("the format exists"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_channels() {
        let format = Format::parse("B8G8R8A8_UNORM").unwrap();
        assert_eq!(format.vk, vk::Format::B8G8R8A8_UNORM);
        assert_eq!(format.size(), 4);
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
        let format = Format::wide(Encoding::Sint, 32, 2);
        assert_eq!(format.vk, vk::Format::R32G32_SINT);
        assert_eq!(
            format.decode(&[0xfe, 0xff, 0xff, 0xff, 3, 0, 0, 0]),
            [-2.0, 3.0, 0.0, 1.0]
        );
        assert_eq!(
            Format::wide(Encoding::Sfloat, 64, 1).decode(&2.5f64.to_le_bytes())[0],
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
            assert_eq!(format.size(), bytes.len(), "{name}");
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
        assert_eq!(Format::parse_texture("S8_UINT"), None);
        let color = Format::parse_texture("R8_UNORM").unwrap();
        assert_eq!(color.aspect, Aspect::Color);
    }
}
