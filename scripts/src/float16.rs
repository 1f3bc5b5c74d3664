//! Half-precision floats (IEEE 754 binary16) as bits.

/// Converts the bits of a half-precision float to the equal single-precision float; every NaN
/// becomes the default one.
pub(crate) fn to_f32(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f32::from(bits & 0x3ff);
    match exponent {
        0 => sign * fraction * (-24f32).exp2(),
        31 if fraction == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        _ => sign * (1024.0 + fraction) * ((exponent - 25) as f32).exp2(),
    }
}

/// Converts a float to the bits of the nearest half-precision float, ties to even. Larger values
/// become infinity, NaN the quiet NaN of the same sign.
pub(crate) fn from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    // 65520 is halfway between the largest half and the value after it.
    if magnitude >= 65520f32.to_bits() {
        return sign | 0x7c00;
    }
    // 2^-14 is the smallest normal half: below it, halves are multiples of 2^-24.
    if magnitude < (-14f32).exp2().to_bits() {
        let steps = f32::from_bits(magnitude) * 24f32.exp2();
        return sign | steps.round_ties_even() as u16;
    }
    let rebiased = magnitude - (112 << 23);
    let rounded = rebiased + 0xfff + (rebiased >> 13 & 1);
    sign | (rounded >> 13) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_the_round_trip() {
        for bits in 0..=u16::MAX {
            let value = to_f32(bits);
            if value.is_nan() {
                assert!(to_f32(from_f32(value)).is_nan());
            } else {
                assert_eq!(from_f32(value), bits, "{bits:#x}");
            }
        }
    }

    #[test]
    fn known_values() {
        assert_eq!(to_f32(0x3c00), 1.0);
        assert_eq!(to_f32(0x0001), 5.960_464_5e-8);
        assert_eq!(to_f32(0xc000), -2.0);
        assert_eq!(from_f32(65504.0), 0x7bff);
        assert_eq!(from_f32(65519.9), 0x7bff);
        assert_eq!(from_f32(65520.0), 0x7c00);
        // Halfway between 1 and the next half, then between the next two.
        assert_eq!(from_f32(1.0 + 1.0 / 2048.0), 0x3c00);
        assert_eq!(from_f32(1.0 + 3.0 / 2048.0), 0x3c02);
    }
}
