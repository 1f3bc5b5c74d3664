//! Comparison of observed with expected values. Pure: the caller has read the observed values.

pub mod pixels;
mod tolerance;
mod values;

pub use tolerance::{Comparison, Tolerance, Tolerances};
pub use values::check_values;

use crate::format::{Encoding, Format};

/// Numbers that a channel can represent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Precision {
    /// Multiples of 1 / `steps`.
    Fixed { steps: f64 },
    /// Multiples of 1 / `steps` after the encoding of sRGB.
    Srgb { steps: f64 },
    /// Floats of `fraction` bits after the binary point; the smallest normal one is 2 to the power
    /// of `min_exponent`.
    Float { fraction: i32, min_exponent: i32 },
}

impl Precision {
    /// 32-bit floats.
    pub(crate) const SINGLE: Self = Self::Float {
        fraction: 23,
        min_exponent: -126,
    };

    /// Returns the precision of a component of a format.
    pub(crate) fn of_channel(format: &Format, component: usize) -> Self {
        let channel = format
            .channels
            .iter()
            .find(|channel| channel.component == component);
        let Some(bits) = channel.map(|channel| channel.bits as i32) else {
            return Self::SINGLE;
        };
        let steps = |bits: i32| f64::from(bits).exp2() - 1.0;
        match format.encoding {
            Encoding::Unorm => Self::Fixed { steps: steps(bits) },
            Encoding::Srgb if component == 3 => Self::Fixed { steps: steps(bits) },
            Encoding::Srgb => Self::Srgb { steps: steps(bits) },
            Encoding::Snorm => Self::Fixed {
                steps: steps(bits - 1),
            },
            Encoding::Uscaled | Encoding::Sscaled | Encoding::Uint | Encoding::Sint => {
                Self::Fixed { steps: 1.0 }
            }
            Encoding::Sfloat => match bits {
                16 => Self::Float {
                    fraction: 10,
                    min_exponent: -14,
                },
                64 => Self::Float {
                    fraction: 52,
                    min_exponent: -1022,
                },
                _ => Self::SINGLE,
            },
            Encoding::Ufloat => Self::Float {
                fraction: bits - 5,
                min_exponent: -14,
            },
            // Nine bits after the binary point, all of which the largest channel has.
            Encoding::SharedExponent => Self::Float {
                fraction: bits - 1,
                min_exponent: -15,
            },
        }
    }

    /// Returns the distance of two finite values in representable numbers; values between two of
    /// them count proportionally.
    pub(crate) fn distance(self, a: f64, b: f64) -> f64 {
        (self.ordinal(a) - self.ordinal(b)).abs()
    }

    /// Returns the position of a value in the order of all numbers; 0 is at 0.
    fn ordinal(self, value: f64) -> f64 {
        match self {
            Self::Fixed { steps } => value * steps,
            Self::Srgb { steps } => encode_srgb(value) * steps,
            Self::Float {
                fraction,
                min_exponent,
            } => {
                let magnitude = value.abs();
                let exponent = exponent_of(magnitude).max(min_exponent);
                let unit = f64::from(exponent - fraction).exp2();
                let binades = f64::from(exponent - min_exponent) * f64::from(fraction).exp2();
                (magnitude / unit + binades).copysign(value)
            }
        }
    }
}

/// Returns the power of two at or below a value that is not negative.
fn exponent_of(value: f64) -> i32 {
    match value.to_bits() >> 52 {
        0 => -1022,
        biased => biased as i32 - 1023,
    }
}

/// Applies the inverse of the "sRGB EOTF" of the Khronos Data Format Specification, which Vulkan's
/// specification refers to.
fn encode_srgb(value: f64) -> f64 {
    match value {
        low if low <= 0.003_130_8 => low * 12.92,
        high => 1.055 * high.powf(1.0 / 2.4) - 0.055,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(format: &str, component: usize) -> Precision {
        Precision::of_channel(&Format::parse(format).unwrap(), component)
    }

    #[test]
    fn fixed_point_channels_have_equal_steps() {
        assert_eq!(
            of("R8G8B8A8_UNORM", 0)
                .distance(0.2, 0.2 + 2.0 / 255.0)
                .round(),
            2.0
        );
        assert_eq!(of("R8G8_SNORM", 1).distance(-1.0, 1.0), 254.0);
        assert_eq!(of("R32_SINT", 0).distance(-7.0, 5.0), 12.0);
        assert_eq!(of("R8G8B8A8_SRGB", 3).distance(0.0, 1.0), 255.0);
    }

    #[test]
    fn floats_are_counted_across_binades() {
        let half = of("R16_SFLOAT", 0);
        // 1024 halves from 1 to 2, 1024 from 0.5 to 1, 1024 subnormals and zero below 2^-14.
        assert_eq!(half.distance(0.5, 2.0), 2048.0);
        assert_eq!(half.distance((-14f64).exp2(), 0.0), 1024.0);
        assert_eq!(half.distance(-(-24f64).exp2(), (-24f64).exp2()), 2.0);
        let next = f64::from(f32::from_bits(1f32.to_bits() + 5));
        assert_eq!(Precision::SINGLE.distance(1.0, next), 5.0);
        assert_eq!(
            Precision::SINGLE.distance(f64::from(f32::from_bits(1)), 0.0),
            1.0
        );
    }

    #[test]
    fn srgb_steps_are_those_of_the_stored_numbers() {
        let format = Format::parse("R8G8B8A8_SRGB").unwrap();
        let [dark, bright, ..] = format.decode(&[3, 200, 0, 0]);
        let precision = of("R8G8B8A8_SRGB", 0);
        assert!((precision.distance(dark, bright) - 197.0).abs() < 0.01);
    }
}
