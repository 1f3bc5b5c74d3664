//! Formats of framebuffers, vertex attributes and textures: names, channels, packing and reading of texels.

use crate::float16;
use ash::vk;
use std::collections::HashMap;
use std::sync::LazyLock;

/// How the bits of a channel are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Sfloat,
    Srgb,
}

impl Encoding {
    /// Whether channels hold whole numbers that are no fractions of anything.
    pub(crate) fn is_integer(self) -> bool {
        match self {
            Self::Uint | Self::Sint => true,
            Self::Unorm
            | Self::Snorm
            | Self::Uscaled
            | Self::Sscaled
            | Self::Sfloat
            | Self::Srgb => false,
        }
    }

    /// Whether channels hold floats.
    pub(crate) fn is_float(self) -> bool {
        match self {
            Self::Sfloat => true,
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

const ENCODINGS: &[(&str, Encoding)] = &[
    ("UNORM", Encoding::Unorm),
    ("SNORM", Encoding::Snorm),
    ("USCALED", Encoding::Uscaled),
    ("SSCALED", Encoding::Sscaled),
    ("UINT", Encoding::Uint),
    ("SINT", Encoding::Sint),
    ("SFLOAT", Encoding::Sfloat),
    ("SRGB", Encoding::Srgb),
];

/// A channel: `component` is 0 to 3 for R, G, B, A.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Channel {
    pub(crate) component: usize,
    pub(crate) bits: u32,
    /// First bit in the texel, from the lowest byte.
    pub(crate) offset: u32,
}

/// A color format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Format {
    pub(crate) vk: vk::Format,
    pub(crate) encoding: Encoding,
    /// In the order of the name.
    pub(crate) channels: Vec<Channel>,
    /// Whether the channels are fields of one word.
    pub(crate) packed: bool,
}

/// The formats of Vulkan 1.0 by their names without `VK_FORMAT_`. Printing all names takes longer than running many a script.
static VK_FORMATS: LazyLock<HashMap<String, vk::Format>> = LazyLock::new(|| {
    const LAST_CORE_1_0: i32 = vk::Format::ASTC_12X12_SRGB_BLOCK.as_raw();
    (1..=LAST_CORE_1_0)
        .map(vk::Format::from_raw)
        .map(|format| (format!("{format:?}"), format))
        .collect()
});

/// The Vulkan format called `VK_FORMAT_` + `name`.
pub(crate) fn parse_vk_format(name: &str) -> Option<vk::Format> {
    let name = name.strip_prefix("VK_FORMAT_").unwrap_or(name);
    VK_FORMATS.get(name).copied()
}

impl Format {
    /// The color format of that name, `None` if there is none or its texels are not made of plain channels.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let name = name.strip_prefix("VK_FORMAT_").unwrap_or(name);
        let vk = parse_vk_format(name)?;
        let mut parts = name.split('_');
        let mut channels = parse_channels(parts.next()?)?;
        let encoding = parts.next()?;
        let (_, encoding) = ENCODINGS.iter().find(|(text, _)| *text == encoding)?;
        let packed = match parts.next() {
            None => false,
            Some(pack) => pack.starts_with("PACK"),
        };
        if packed {
            // The first channel of a packed format stands in the highest bits.
            let total: u32 = channels.iter().map(|channel| channel.bits).sum();
            channels
                .iter_mut()
                .for_each(|channel| channel.offset = total - channel.offset - channel.bits);
        }
        let readable = |channel: &Channel| {
            *encoding != Encoding::Sfloat || matches!(channel.bits, 16 | 32 | 64)
        };
        channels.iter().all(readable).then_some(Self {
            vk,
            encoding: *encoding,
            channels,
            packed,
        })
    }

    /// `R32G32B32A32_SFLOAT`, `_SINT` or `_UINT`, or fewer channels.
    pub(crate) fn wide(encoding: Encoding, bits: u32, channels: u8) -> Self {
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

    /// Bytes of a texel.
    pub(crate) fn size(&self) -> usize {
        self.channels
            .iter()
            .map(|channel| channel.bits as usize)
            .sum::<usize>()
            / 8
    }

    /// The values of a texel; channels that the format lacks read (0, 0, 0, 1).
    pub(crate) fn decode(&self, texel: &[u8]) -> [f64; 4] {
        let mut values = [0.0, 0.0, 0.0, 1.0];
        for channel in &self.channels {
            let bits = read_bits(texel, channel.offset, channel.bits);
            // Alpha is linear in sRGB formats too.
            let encoding = match self.encoding == Encoding::Srgb && channel.component == 3 {
                true => Encoding::Unorm,
                false => self.encoding,
            };
            values[channel.component] = decode_channel(encoding, bits, channel.bits);
        }
        values
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

fn read_bits(texel: &[u8], offset: u32, bits: u32) -> u64 {
    (0..bits).fold(0, |value, bit| {
        let at = (offset + bit) as usize;
        value | u64::from(texel[at / 8] >> (at % 8) & 1) << bit
    })
}

/// Sets bits of a texel.
pub(crate) fn write_bits(texel: &mut [u8], offset: u32, bits: u32, value: u64) {
    for bit in 0..bits {
        let at = (offset + bit) as usize;
        texel[at / 8] |= ((value >> bit & 1) as u8) << (at % 8);
    }
}

fn sign_extend(value: u64, bits: u32) -> i64 {
    let unused = 64 - bits;
    (value << unused) as i64 >> unused
}

fn maximum(bits: u32) -> f64 {
    ((1u128 << bits) - 1) as f64
}

/// Vulkan specification, "Conversion from Normalized Fixed-Point to Floating-Point".
fn decode_channel(encoding: Encoding, value: u64, bits: u32) -> f64 {
    match encoding {
        Encoding::Unorm => value as f64 / maximum(bits),
        Encoding::Snorm => (sign_extend(value, bits) as f64 / maximum(bits - 1)).max(-1.0),
        Encoding::Uscaled | Encoding::Uint => value as f64,
        Encoding::Sscaled | Encoding::Sint => sign_extend(value, bits) as f64,
        Encoding::Srgb => match value as f64 / maximum(bits) {
            low if low <= 0.04045 => low / 12.92,
            high => ((high + 0.055) / 1.055).powf(2.4),
        },
        Encoding::Sfloat => match bits {
            16 => f64::from(float16::to_f32(value as u16)),
            32 => f64::from(f32::from_bits(value as u32)),
            _ => f64::from_bits(value),
        },
    }
}

/// What a depth or stencil format holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DepthFormat {
    pub(crate) vk: vk::Format,
    pub(crate) has_depth: bool,
    pub(crate) has_stencil: bool,
}

impl DepthFormat {
    /// The depth or stencil format of that name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
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

    /// Depth values as they are copied to a buffer.
    pub(crate) fn depth_texels(self) -> Option<Format> {
        let (encoding, bits, size) = match self.vk {
            vk::Format::D16_UNORM | vk::Format::D16_UNORM_S8_UINT => (Encoding::Unorm, 16, 16),
            vk::Format::X8_D24_UNORM_PACK32 | vk::Format::D24_UNORM_S8_UINT => {
                (Encoding::Unorm, 24, 32)
            }
            vk::Format::D32_SFLOAT | vk::Format::D32_SFLOAT_S8_UINT => (Encoding::Sfloat, 32, 32),
            _ => return None,
        };
        let mut channels = vec![Channel {
            component: 0,
            bits,
            offset: 0,
        }];
        if size > bits {
            // Nobody says what is in the bits that are left.
            channels.push(Channel {
                component: 3,
                bits: size - bits,
                offset: bits,
            });
        }
        Some(Format {
            vk: self.vk,
            encoding,
            channels,
            packed: true,
        })
    }

    /// Stencil values as they are copied to a buffer.
    pub(crate) fn stencil_texels(self) -> Option<Format> {
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
    fn formats_without_plain_channels_are_refused() {
        for name in [
            "BC1_RGB_UNORM_BLOCK",
            "D32_SFLOAT",
            "B10G11R11_UFLOAT_PACK32",
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
    }
}
