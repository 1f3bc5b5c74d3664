//! Reading and writing of texels.
//!
//! Conversions follow the Vulkan specification: "Conversion from Normalized Fixed-Point to
//! Floating-Point" and back, "16-bit", "11-bit" and "10-bit Floating-Point Numbers", "RGB to Shared
//! Exponent Conversion" and back; sRGB follows the Khronos data format specification.

use super::{Encoding, Format};
use crate::float16;

/// Bits of a fraction, bias of the exponent, and largest exponent of the shared exponent format.
const SHARED_FRACTION: i32 = 9;
const SHARED_BIAS: i32 = 15;
const SHARED_MAX: i32 = 31;

impl Format {
    /// Returns the values of a texel, with linearized sRGB; channels that the format lacks read (0,
    /// 0, 0, 1).
    pub fn decode(&self, texel: &[u8]) -> [f64; 4] {
        let mut values = [0.0, 0.0, 0.0, 1.0];
        for channel in &self.channels {
            let bits = read_bits(texel, channel.offset, channel.bits);
            values[channel.component] = if self.encoding == Encoding::SharedExponent {
                let exponent = read_bits(texel, 27, 5) as i32 - SHARED_BIAS - SHARED_FRACTION;
                bits as f64 * f64::from(exponent).exp2()
            } else {
                decode_channel(
                    self.component_encoding(channel.component),
                    bits,
                    channel.bits,
                )
            };
        }
        values
    }

    /// Returns the texel nearest to a linear color. Values outside of the range of the format
    /// become the nearest one in it; NaN becomes 0 in all but floats. Unused bits are 0.
    pub fn encode(&self, color: [f64; 4]) -> Vec<u8> {
        let mut texel = vec![0; self.texel_size()];
        if self.encoding == Encoding::SharedExponent {
            let word = encode_shared_exponent(color);
            texel.copy_from_slice(&word.to_le_bytes());
            return texel;
        }
        for channel in &self.channels {
            let encoding = self.component_encoding(channel.component);
            let bits = encode_channel(encoding, color[channel.component], channel.bits);
            write_bits(&mut texel, channel.offset, channel.bits, bits);
        }
        texel
    }

    /// Returns the bits of a component of a texel; `None` if the format does not have it.
    pub fn bits(&self, texel: &[u8], component: usize) -> Option<u64> {
        let mut channels = self.channels.iter();
        let channel = channels.find(|channel| channel.component == component)?;
        Some(read_bits(texel, channel.offset, channel.bits))
    }

    /// Returns the encoding of a component. Alpha is linear in sRGB formats too.
    fn component_encoding(&self, component: usize) -> Encoding {
        if self.encoding == Encoding::Srgb && component == 3 {
            Encoding::Unorm
        } else {
            self.encoding
        }
    }
}

/// Returns `bits` bits of a texel from bit `offset` on, the first of them in the lowest bit. Bits
/// of a byte are counted from the lowest.
pub(crate) fn read_bits(texel: &[u8], offset: u32, bits: u32) -> u64 {
    (0..bits).fold(0, |value, bit| {
        let at = (offset + bit) as usize;
        value | u64::from(texel[at / 8] >> (at % 8) & 1) << bit
    })
}

/// Sets `bits` bits of a texel from bit `offset` on to the lowest bits of `value`. They must be
/// zero before.
pub(crate) fn write_bits(texel: &mut [u8], offset: u32, bits: u32, value: u64) {
    for bit in 0..bits {
        let at = (offset + bit) as usize;
        texel[at / 8] |= ((value >> bit & 1) as u8) << (at % 8);
    }
}

/// Returns the signed integer that the lowest `bits` bits of a value represent in two's complement.
fn sign_extend(value: u64, bits: u32) -> i64 {
    let unused = 64 - bits;
    (value << unused) as i64 >> unused
}

/// Returns the largest unsigned integer of this number of bits.
fn max_unsigned(bits: u32) -> f64 {
    ((1u128 << bits) - 1) as f64
}

/// Returns the value of the bits of a channel; channels in sRGB are linearized.
fn decode_channel(encoding: Encoding, value: u64, bits: u32) -> f64 {
    match encoding {
        Encoding::Unorm => value as f64 / max_unsigned(bits),
        Encoding::Snorm => (sign_extend(value, bits) as f64 / max_unsigned(bits - 1)).max(-1.0),
        Encoding::Uscaled | Encoding::Uint | Encoding::SharedExponent => value as f64,
        Encoding::Sscaled | Encoding::Sint => sign_extend(value, bits) as f64,
        Encoding::Srgb => match value as f64 / max_unsigned(bits) {
            low if low <= 0.04045 => low / 12.92,
            high => ((high + 0.055) / 1.055).powf(2.4),
        },
        Encoding::Sfloat => match bits {
            16 => f64::from(float16::to_f32(value as u16)),
            32 => f64::from(f32::from_bits(value as u32)),
            _ => f64::from_bits(value),
        },
        // Such floats are halves without a sign and without the last bits of the fraction.
        Encoding::Ufloat => f64::from(float16::to_f32((value << (15 - bits)) as u16)),
    }
}

/// Returns the bits of a channel that are nearest to a value, which is clamped to the range of the
/// encoding.
fn encode_channel(encoding: Encoding, value: f64, bits: u32) -> u64 {
    let signed = |value: f64| {
        let (low, high) = (-(2f64.powi(bits as i32 - 1)), max_unsigned(bits - 1));
        value.round_ties_even().clamp(low, high) as i64 as u64
    };
    match encoding {
        Encoding::Unorm => (value.clamp(0.0, 1.0) * max_unsigned(bits)).round_ties_even() as u64,
        Encoding::Snorm => signed(value.clamp(-1.0, 1.0) * max_unsigned(bits - 1)),
        Encoding::Uscaled | Encoding::Uint | Encoding::SharedExponent => {
            value.round_ties_even().clamp(0.0, max_unsigned(bits)) as u64
        }
        Encoding::Sscaled | Encoding::Sint => signed(value),
        Encoding::Srgb => {
            let curved = match value.clamp(0.0, 1.0) {
                low if low <= 0.0031308 => low * 12.92,
                high => 1.055 * high.powf(1.0 / 2.4) - 0.055,
            };
            (curved * max_unsigned(bits)).round_ties_even() as u64
        }
        Encoding::Sfloat => match bits {
            16 => u64::from(float16::from_f32(value as f32)),
            32 => u64::from((value as f32).to_bits()),
            _ => value.to_bits(),
        },
        Encoding::Ufloat => encode_small_float(value, bits),
    }
}

/// Returns the unsigned float of `bits` bits, five of them the exponent, that is nearest to a
/// value. Negative values become 0, finite values past the largest one become that one, infinity
/// and NaN remain.
fn encode_small_float(value: f64, bits: u32) -> u64 {
    let fraction_bits = bits as i32 - 5;
    let largest = (2.0 - (-f64::from(fraction_bits)).exp2()) * 32768.0;
    if value.is_nan() {
        return 0x1f << fraction_bits | 1;
    }
    if value == f64::INFINITY {
        return 0x1f << fraction_bits;
    }
    let value = value.clamp(0.0, largest);
    let exponent = if value < (-14f64).exp2() {
        -14
    } else {
        value.log2().floor() as i32
    };
    // Steps of this exponent; rounding up to the next power of two carries into the exponent's bits
    // by itself.
    let steps = (value * f64::from(fraction_bits - exponent).exp2()).round_ties_even() as u64;
    let normal = 1u64 << fraction_bits;
    if steps < normal {
        steps
    } else {
        ((exponent + 15) as u64) * normal + (steps - normal)
    }
}

/// Returns the bits of a color with three fractions and a shared exponent (Vulkan specification,
/// "Fixed-Point Data Conversions"). Values are clamped to the range of the format; NaN becomes
/// zero. Alpha is ignored.
fn encode_shared_exponent(color: [f64; 4]) -> u32 {
    let largest = f64::from((1 << SHARED_FRACTION) - 1) / f64::from(1 << SHARED_FRACTION)
        * f64::from(SHARED_MAX - SHARED_BIAS).exp2();
    // `max` turns NaN into 0.
    let clamped = [color[0], color[1], color[2]].map(|value| value.max(0.0).min(largest));
    let most = clamped[0].max(clamped[1]).max(clamped[2]);
    let preliminary = if most > 0.0 {
        (most.log2().floor() as i32).max(-SHARED_BIAS - 1) + 1 + SHARED_BIAS
    } else {
        0
    };
    let scaled = |value: f64, exponent: i32| {
        (value * f64::from(SHARED_BIAS + SHARED_FRACTION - exponent).exp2() + 0.5).floor() as u32
    };
    let exponent = match scaled(most, preliminary) >> SHARED_FRACTION {
        0 => preliminary,
        _ => preliminary + 1,
    };
    let [red, green, blue] = clamped.map(|value| scaled(value, exponent));
    red | green << 9 | blue << 18 | (exponent as u32) << 27
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(name: &str, color: [f64; 4]) -> Vec<u8> {
        Format::parse_color_or_depth(name).unwrap().encode(color)
    }

    fn word(name: &str, color: [f64; 4]) -> u32 {
        u32::from_le_bytes(encode(name, color).try_into().unwrap())
    }

    #[test]
    fn normalized_values_are_rounded_and_clamped() {
        assert_eq!(
            encode("R8G8B8A8_UNORM", [0.0, 0.5, 1.5, -1.0]),
            [0, 128, 255, 0]
        );
        assert_eq!(
            encode("B8G8R8A8_UNORM", [1.0, 0.2, 0.0, 1.0]),
            [0, 51, 255, 255]
        );
        assert_eq!(encode("R8G8_SNORM", [-1.0, 0.5, 0.0, 0.0]), [0x81, 64]);
        assert_eq!(
            encode("R16_UNORM", [0.25, 0.0, 0.0, 0.0]),
            16384u16.to_le_bytes()
        );
        assert_eq!(encode("R8_UNORM", [f64::NAN; 4]), [0]);
    }

    #[test]
    fn integers_are_clamped() {
        assert_eq!(
            encode("R8G8B8A8_UINT", [1.0, 255.0, 256.0, -3.0]),
            [1, 255, 255, 0]
        );
        assert_eq!(encode("R8G8_SINT", [-128.0, 200.0, 0.0, 0.0]), [0x80, 127]);
        assert_eq!(encode("R32_UINT", [4294967295.0, 0.0, 0.0, 0.0]), [255; 4]);
    }

    #[test]
    fn packed_words_put_the_first_channel_highest() {
        assert_eq!(
            word("A2B10G10R10_UNORM_PACK32", [1.0, 0.0, 1.0, 0.0]),
            1023 | 1023 << 20
        );
        let half = encode("R5G6B5_UNORM_PACK16", [1.0, 0.0, 1.0, 1.0]);
        assert_eq!(half, (31u16 << 11 | 31).to_le_bytes());
    }

    #[test]
    fn srgb_is_curved_but_for_alpha() {
        // 0.5 in linear light is 188 of 255 (187.516), 0.21404 is 127.5 of 255; alpha is unchanged.
        assert_eq!(
            encode("R8G8B8A8_SRGB", [0.5, 0.0, 1.0, 0.2]),
            [188, 0, 255, 51]
        );
        let format = Format::parse("R8G8B8A8_SRGB").unwrap();
        let [red, _, _, alpha] = format.decode(&[188, 0, 0, 51]);
        assert!((red - 0.502886).abs() < 1e-6 && alpha == 0.2);
        for byte in 0..=255u8 {
            let texel = [byte, 0, 0, byte];
            assert_eq!(format.encode(format.decode(&texel)), texel);
        }
    }

    #[test]
    fn floats_keep_their_bits() {
        assert_eq!(
            encode("R32G32_SFLOAT", [0.1, -2.0, 0.0, 0.0]),
            [0xcd, 0xcc, 0xcc, 0x3d, 0, 0, 0, 0xc0]
        );
        assert_eq!(encode("R16_SFLOAT", [1.0, 0.0, 0.0, 0.0]), [0, 0x3c]);
    }

    #[test]
    fn small_floats_have_five_bits_of_exponent() {
        // 1 is exponent 15, fraction 0: 0x3c0 of 11 bits, 0x1e0 of 10 bits.
        let ones = word("B10G11R11_UFLOAT_PACK32", [1.0; 4]);
        assert_eq!(ones, 0x3c0 | 0x3c0 << 11 | 0x1e0 << 22);
        // The largest are 65024 and 64512; the smallest of 11 bits is 2^-20.
        let ends = word("B10G11R11_UFLOAT_PACK32", [1e9, (-20f64).exp2(), -1.0, 0.0]);
        assert_eq!(ends, 0x7bf | 1 << 11);
        let format = Format::parse("B10G11R11_UFLOAT_PACK32").unwrap();
        assert_eq!(
            format.decode(&(0x7bfu32 | 0x3df << 22).to_le_bytes()),
            [65024.0, 0.0, 64512.0, 1.0]
        );
        assert_eq!(
            format.decode(&(0x7c0u32 | 1 << 11).to_le_bytes())[0],
            f64::INFINITY
        );
        for bits in 0..0x7c0u32 {
            let texel = bits.to_le_bytes().to_vec();
            assert_eq!(format.encode(format.decode(&texel)), texel, "{bits:#x}");
        }
        assert_eq!(
            word("B10G11R11_UFLOAT_PACK32", [f64::INFINITY, 0.0, 0.0, 0.0]),
            0x7c0
        );
    }

    #[test]
    fn shared_exponents_fit_the_largest_channel() {
        // 1 needs exponent 16 and the fraction 256: 256 * 2^(16 - 15 - 9).
        assert_eq!(
            word("E5B9G9R9_UFLOAT_PACK32", [1.0, 0.5, 0.0, 1.0]),
            256 | 128 << 9 | 16 << 27
        );
        // 65408 is the largest; 511.9 / 512 rounds up to the next exponent.
        assert_eq!(
            word("E5B9G9R9_UFLOAT_PACK32", [1e9, 0.0, -1.0, 1.0]),
            511 | 31 << 27
        );
        assert_eq!(
            word("E5B9G9R9_UFLOAT_PACK32", [0.99999, 0.0, 0.0, 1.0]),
            256 | 16 << 27
        );
        assert_eq!(word("E5B9G9R9_UFLOAT_PACK32", [0.0, f64::NAN, 0.0, 1.0]), 0);
        let format = Format::parse("E5B9G9R9_UFLOAT_PACK32").unwrap();
        let texel = (3u32 | 511 << 18 | 31 << 27).to_le_bytes();
        assert_eq!(format.decode(&texel), [384.0, 0.0, 65408.0, 1.0]);
    }

    #[test]
    fn depths_of_24_bits_fill_the_low_bits() {
        assert_eq!(
            encode("D24_UNORM_S8_UINT", [1.0, 0.0, 0.0, 0.0]),
            [255, 255, 255, 0]
        );
        assert_eq!(
            encode("D16_UNORM", [0.5, 0.0, 0.0, 0.0]),
            32768u16.to_le_bytes()
        );
        assert_eq!(
            encode("D32_SFLOAT", [0.25, 0.0, 0.0, 0.0]),
            0.25f32.to_le_bytes()
        );
        let format = Format::parse_color_or_depth("X8_D24_UNORM_PACK32").unwrap();
        // The contents of the unused bits are undefined.
        assert_eq!(format.decode(&[255, 255, 255, 77]), [1.0, 0.0, 0.0, 1.0]);
    }
}
