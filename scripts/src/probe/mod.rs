//! Comparison of observed with expected values. Pure: the caller has read the observed values.
//! Typed values in buffers are compared here.

pub mod pixels;
mod tolerance;

use crate::data::{Literal, LiteralNotation, Scalar, TypedData};
use crate::format::{Encoding, Format};

pub use tolerance::{ComparisonOp, Tolerance, Tolerances};

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

    /// Returns the precision of a component of a format; that of 32-bit floats if the format lacks
    /// the component.
    pub(crate) fn from_channel(format: &Format, component: usize) -> Self {
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

    /// Returns the position of a value among the representable numbers, so that adjacent ones
    /// differ by 1. 0 has position 0.
    fn ordinal(self, value: f64) -> f64 {
        match self {
            Self::Fixed { steps } => value * steps,
            Self::Srgb { steps } => encode_srgb(value) * steps,
            Self::Float {
                fraction,
                min_exponent,
            } => {
                let magnitude = value.abs();
                let exponent = floor_log2(magnitude).max(min_exponent);
                let unit = f64::from(exponent - fraction).exp2();
                let binades = f64::from(exponent - min_exponent) * f64::from(fraction).exp2();
                (magnitude / unit + binades).copysign(value)
            }
        }
    }
}

/// Returns the exponent of the largest power of two that is not above a value, which is not
/// negative; -1022 for zero and denormals.
fn floor_log2(value: f64) -> i32 {
    match value.to_bits() >> 52 {
        0 => -1022,
        biased => biased as i32 - 1023,
    }
}

/// Returns the sRGB encoding of a linear value: the inverse of the "sRGB EOTF" of the Khronos Data
/// Format Specification, which Vulkan's specification refers to. Values are not clamped.
fn encode_srgb(value: f64) -> f64 {
    match value {
        low if low <= 0.003_130_8 => low * 12.92,
        high => 1.055 * high.powf(1.0 / 2.4) - 0.055,
    }
}

/// Maximum number of differing values that a message lists.
const MAX_LISTED: usize = 8;

/// Value that is not as expected.
struct Mismatch {
    index: usize,
    offset: u64,
    observed: u64,
    expected: Literal,
    tolerance: Tolerance,
}

/// Compares buffer contents with expected values. `tolerances` are those of the components of a
/// vector, or of a column of a matrix.
///
/// # Errors
/// If the buffer, called `name`, is too short, or values differ: the message lists the first
/// [`MAX_LISTED`] of them and their total number.
pub fn check_values(
    name: &str,
    bytes: &[u8],
    expected: &TypedData,
    comparison: ComparisonOp,
    tolerances: &Tolerances,
) -> Result<(), String> {
    if expected.end() > bytes.len() as u64 {
        return Err(format!(
            "{name} has {} bytes, but the values reach to byte {}",
            bytes.len(),
            expected.end()
        ));
    }
    let scalar = expected.ty.scalar;
    let rows = usize::from(expected.ty.rows);
    let mut listed = Vec::new();
    let mut differing = 0usize;
    for (index, (at, literal)) in expected.iter().enumerate() {
        let observed = scalar.read_bits(&bytes[at as usize..]);
        let tolerance = tolerances[index % rows];
        if comparison.holds(scalar, observed, literal, tolerance) {
            continue;
        }
        differing += 1;
        if listed.len() < MAX_LISTED {
            listed.push(Mismatch {
                index,
                offset: at,
                observed,
                expected: literal,
                tolerance,
            });
        }
    }
    if differing == 0 {
        return Ok(());
    }
    let mut message = format!(
        "{differing} of {} values of {name} differ",
        expected.scalar_count()
    );
    for mismatch in &listed {
        message.push_str(&describe_mismatch(expected, comparison, mismatch));
    }
    if differing > listed.len() {
        message.push_str(&format!("\n  and {} more", differing - listed.len()));
    }
    Err(message)
}

/// Returns the line of a message about one wrong value, after a line break: its byte offset,
/// element, expected and observed value, the distance of floats, and the tolerance of `~=`.
fn describe_mismatch(data: &TypedData, comparison: ComparisonOp, mismatch: &Mismatch) -> String {
    let components = data.ty.components();
    let scalar = data.ty.scalar;
    let Mismatch {
        index,
        offset: at,
        observed,
        expected,
        tolerance,
    } = mismatch;
    let component_name = data.ty.component_name(index % components);
    let in_bits = expected.notation == LiteralNotation::Bits;
    let mut text = format!(
        "\n  byte {at}, element {}{component_name}: expected {} {}, observed {}",
        index / components,
        comparison.symbol(),
        print_number(scalar, expected.bits, in_bits),
        print_number(scalar, *observed, in_bits),
    );
    if let Some(distance) = scalar.distance(*observed, expected.bits)
        && scalar.is_float()
    {
        text.push_str(&format!(", {distance} ulp away"));
    }
    if comparison == ComparisonOp::Near {
        text.push_str(&format!(", tolerance {tolerance}"));
    }
    text
}

/// Formats a number, followed by its bits in hexadecimal if `in_bits`, and for integers greater
/// than 9.
fn print_number(scalar: Scalar, bits: u64, in_bits: bool) -> String {
    let text = scalar.print(bits);
    let telling = in_bits || (!scalar.is_float() && bits > 9);
    if telling && !text.ends_with(')') {
        format!("{text} ({})", scalar.print_hex(bits))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{DataLayout, DataType};

    fn of(format: &str, component: usize) -> Precision {
        Precision::from_channel(&Format::parse(format).unwrap(), component)
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

    const EXACT: Tolerance = Tolerance::Absolute(0.0);

    fn data(ty: &str, offset: u64, values: &[&str], times: usize) -> TypedData {
        let ty = DataType::parse(ty).unwrap();
        let literal = |text: &&str| Literal::parse(ty.scalar, text).unwrap();
        TypedData {
            ty,
            layout: DataLayout::STD430,
            offset,
            literals: values.iter().map(literal).collect(),
            repeat_count: times,
        }
    }

    fn bytes<const N: usize>(values: impl IntoIterator<Item = [u8; N]>) -> Vec<u8> {
        values.into_iter().flatten().collect()
    }

    #[test]
    fn messages_list_place_expected_and_observed() {
        let expected = data("uint", 4, &["2", "30"], 1);
        let bytes = bytes([1u32, 2, 31].map(u32::to_le_bytes));
        let check = |bytes: &[u8], comparison| {
            check_values("buffer out", bytes, &expected, comparison, &[EXACT; 4])
        };
        assert_eq!(
            check(&bytes, ComparisonOp::Equal).unwrap_err(),
            "1 of 2 values of buffer out differ\n  \
             byte 8, element 1: expected == 30 (0x0000001e), observed 31 (0x0000001f)"
        );
        assert_eq!(check(&bytes, ComparisonOp::GreaterEqual), Ok(()));
        assert_eq!(
            check(&bytes[..8], ComparisonOp::Equal).unwrap_err(),
            "buffer out has 8 bytes, but the values reach to byte 12"
        );
    }

    #[test]
    fn floats_say_how_many_ulp_they_are_away() {
        let near_one = f32::from_bits(1f32.to_bits() + 3);
        let bytes = bytes([1.0, near_one, f32::NAN].map(f32::to_le_bytes));
        let tolerances = [Tolerance::Ulps(2.0); 4];
        let expected = data("vec3", 0, &["1", "1", "0x3f800000"], 1);
        let near = check_values(
            "ssbo 0:3",
            &bytes,
            &expected,
            ComparisonOp::Near,
            &tolerances,
        );
        assert_eq!(
            near.unwrap_err(),
            "2 of 3 values of ssbo 0:3 differ\n  \
             byte 4, element 0.y: expected ~= 1, observed 1.0000004, 3 ulp away, tolerance 2ulp\n  \
             byte 8, element 0.z: expected ~= 1 (0x3f800000), observed NaN (0x7fc00000), tolerance 2ulp"
        );
    }

    #[test]
    fn tolerances_count_by_row() {
        let bytes = bytes([1.25, 1.25, 1.25, 1.25].map(f32::to_le_bytes));
        let mut tolerances = [Tolerance::Absolute(0.5); 4];
        tolerances[1] = EXACT;
        let expected = data("mat2", 0, &["1"; 4], 1);
        let message =
            check_values("b", &bytes, &expected, ComparisonOp::Near, &tolerances).unwrap_err();
        assert!(
            message.starts_with("2 of 4 values of b differ\n"),
            "{message}"
        );
        assert!(
            message.contains("byte 12, element 0[1][1]: expected ~= 1,"),
            "{message}"
        );
    }

    #[test]
    fn long_lists_are_abbreviated() {
        let bytes = vec![1; 1000];
        let expected = data("uint8_t", 0, &["1", "0"], 500);
        let message =
            check_values("b", &bytes, &expected, ComparisonOp::Equal, &[EXACT; 4]).unwrap_err();
        assert!(message.starts_with("500 of 1000 values of b differ\n  byte 1, element 1:"));
        assert_eq!(message.lines().count(), 10);
        assert!(message.ends_with("\n  and 492 more"), "{message}");
    }
}
